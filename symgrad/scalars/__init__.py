"""What each scalar function is: one declaration per function, looked up by its SymPy class.

To add a function, declare it in the file of its family and give it a row in ``tests/cases.py``.
"""

from symgrad.scalars.declare import BY_FUNCTION, MAX_ARITY, SCALARS, Atom, G, Scalar, Slot, X, Y, declare
from symgrad.scalars.differentiate import differentiate, scale
from symgrad.scalars.elementary import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    exp,
    exp2,
    expm1,
    log,
    log1p,
    log2,
    log10,
    sin,
    sinh,
    tan,
    tanh,
)
from symgrad.scalars.kinks import (
    abs_,
    ceil,
    clamp,
    clamp_max,
    clamp_min,
    floor,
    maximum,
    minimum,
    relu,
    sign,
)
from symgrad.scalars.shown import in_full, tidy
from symgrad.scalars.special import digamma, erf, erfc, lgamma, polygamma
from symgrad.scalars.stable import bce_logits, logsigmoid, sigmoid, softplus
