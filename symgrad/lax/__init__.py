"""jax.lax's names that have a twin here: loops and branches, and the elementary functions under JAX's spelling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgrad import functions as F
from symgrad import special
from symgrad.core.promotion import is_floating
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError
from symgrad.lax import products, reductions, shapes, slices
from symgrad.lax.products import *
from symgrad.lax.reductions import *
from symgrad.lax.shapes import *
from symgrad.lax.slices import *
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace
from symgrad.transforms import loops
from symgrad.transforms.loops import scan

_LOOPS = ("associative_scan", "cond", "fori_loop", "scan", "stop_gradient", "switch", "while_loop")
_SAME = (
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_not",
    "bitwise_or", "bitwise_xor", "ceil", "conj", "cos", "cosh", "digamma",
    "eq", "erf", "erfc", "exp", "exp2", "expm1", "floor", "ge", "gt", "imag", "le", "lgamma", "log", "log1p",
    "lt", "mul", "ne", "neg", "polygamma", "pow", "real", "reciprocal", "rsqrt", "sign", "sin", "sinh",
    "sqrt", "square", "sub", "tan", "tanh",
)  # fmt: skip
_RENAMED = {
    "logistic": "sigmoid", "select": "where", "max": "maximum", "min": "minimum", "rem": "fmod", "erf_inv": "erfinv",
    "is_finite": "isfinite", "dot": "matmul",
}  # fmt: skip
_SPECIAL = {
    "bessel_i0e": "i0e", "bessel_i1e": "i1e", "betainc": "betainc", "igamma": "gammainc", "igammac": "gammaincc",
    "zeta": "zeta",
}  # fmt: skip
_TWINS = {
    **{name: getattr(F, _RENAMED.get(name, name)) for name in (*_SAME, *_RENAMED)},
    **{name: getattr(special, own) for name, own in _SPECIAL.items()},
}
globals().update(_TWINS, **{name: getattr(loops, name) for name in _LOOPS})

__all__ = [*_LOOPS, *_TWINS, *products.__all__, *reductions.__all__, *shapes.__all__, *slices.__all__,
           "clamp", "convert_element_type", "div", "integer_pow", "map", "select_n"]  # fmt: skip


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """Return the stacked results of f for each slice of xs along the first axis, computed slice by slice in a loop.

    >>> sg.lax.map(lambda x: x**2, sg.tensor([1.0, 2.0]))
    tensor([1., 4.])
    """
    return scan(lambda carry, x: (carry, f(x)), None, xs)[1]


def clamp(min: Any, x: Any, max: Any) -> Any:
    """Return x, or the bound that it is beyond."""
    return F.clamp(as_tensor(x), min, max)


def convert_element_type(operand: Any, new_dtype: Any) -> Any:
    """Convert to a dtype."""
    return as_tensor(operand).to(new_dtype)


def div(x: Any, y: Any) -> Any:
    """Return x/y; for integers, the quotient rounded towards 0.

    >>> sg.lax.div(sg.tensor(-7), sg.tensor(2)), sg.lax.div(-7.0, 2.0)
    (tensor(-3), tensor(-3.5000))
    """
    a, b = as_tensor(x), as_tensor(y)
    counts = not any(is_floating(t.dtype) or t.is_complex() for t in (a, b))
    return F.div(a, b, rounding_mode="trunc") if counts else F.div(a, b)


def integer_pow(x: Any, y: int) -> Any:
    """Return x to the power of a constant integer."""
    return F.pow(as_tensor(x), y)


def select_n(which: Any, *cases: Any) -> Any:
    """Return the entries of the case that ``which`` numbers, from 0 on; of two cases, False is the first.

    Raises:
        ArgumentError: if there are no cases, or more than two for a boolean.

    >>> sg.lax.select_n(sg.tensor([0, 2, 1]), *[sg.full((3,), v) for v in (5.0, 6.0, 7.0)])
    tensor([5., 7., 6.])
    """
    w = as_tensor(which)
    if not cases or (w.dtype == bool and len(cases) > 2):
        raise ArgumentError(
            f"select_n: got {len(cases)} cases for which={w.dtype}. Pass a case for each value of `which`."
        )
    value = as_tensor(cases[0])
    for k, case in enumerate(cases[1:], 1):
        value = F.where(w if w.dtype == bool else w >= k, case, value)
    return value


__getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__)
