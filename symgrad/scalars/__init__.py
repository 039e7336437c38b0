"""The scalar functions: one declaration for each, which is looked up by its SymPy class.

To add a function, declare it in the file of its family, and add a row to ``tests/rows/elementwise_rows.py``. The
functions that other rooms use in payloads can be imported by name; every other function is an attribute of this module.
"""

from typing import Any

from symgrad.scalars import densities
from symgrad.scalars.activations import expm1_ratio, gelu, gelu_tanh, mish, silu
from symgrad.scalars.analytic import analytic
from symgrad.scalars.declare import BY_FUNCTION, MAX_ARITY, SCALARS, Atom, G, Scalar, Undeclared, X, Y
from symgrad.scalars.differentiate import differentiate, scale
from symgrad.scalars.elementary import exp, expm1, hypot, log, log1p
from symgrad.scalars.kinks import (
    clamp,
    clamp_max,
    clamp_min,
    floor_divide,
    fmax,
    fmin,
    fmod,
    low,
    maximum,
    minimum,
    relu,
    remainder,
    trunc,
)
from symgrad.scalars.shown import in_full, tidy
from symgrad.scalars.special import polygamma
from symgrad.scalars.stable import bce_logits, capped, finite, logsigmoid, sigmoid, softplus

__all__ = [
    "Atom", "BY_FUNCTION", "G", "MAX_ARITY", "SCALARS", "Scalar", "Undeclared", "X", "Y", "analytic", "bce_logits",
    "capped", "clamp", "clamp_max", "clamp_min", "declaration", "densities", "differentiate", "exp", "expm1",
    "expm1_ratio", "finite", "floor_divide", "fmax", "fmin", "fmod", "gelu", "gelu_tanh", "hypot", "in_full", "log",
    "log1p", "logsigmoid", "low", "maximum", "minimum", "mish", "polygamma", "relu", "remainder", "scale", "sigmoid",
    "silu", "softplus", "tidy", "trunc",
]  # fmt: skip


def declaration(name: str) -> Scalar:
    """Return what is declared under a name; SciPy's functions are declared when the first of them is requested."""
    if name in SCALARS:
        return SCALARS[name]
    from symgrad.scalars.library import EVERY

    return EVERY[name]


def __getattr__(name: str) -> Any:
    """The class of a declared function, by the name under which it is pickled: ``round_`` where Python has its name."""
    scalar = SCALARS.get(name) or SCALARS.get(name.removesuffix("_"))
    if scalar is None:
        raise AttributeError(f"module 'symgrad.scalars' has no attribute {name!r}")
    return scalar.function
