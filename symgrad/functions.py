"""The public functions: ``sg.exp``, ``sg.matmul``, … turn their first argument into a tensor, then apply.

Imports record and ops. What the functions compute stands in ``ops``; here is only the door.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from symgrad.ops import contract
from symgrad.ops.elementwise import BINARY, UNARY, clip_to, power
from symgrad.ops.elementwise import where as _where
from symgrad.record import Core, apply, as_tensor, binary, unary

F = TypeVar("F", bound=Callable[..., Any])


def public(fn: F) -> F:
    """Return fn with its first argument turned into a tensor; of a list or tuple, each element."""

    @functools.wraps(fn)
    def call(x: Any, /, *args: Any, **kwargs: Any) -> Any:
        return fn(tensors(x), *args, **kwargs)

    return call  # type: ignore[return-value]


def tensors(x: Any) -> Any:
    """Turn x into a tensor, or each element of a sequence that holds tensors."""
    if isinstance(x, Core):
        return x
    if isinstance(x, (list, tuple)) and any(isinstance(e, Core) for e in x):
        return type(x)(as_tensor(e) for e in x)
    return as_tensor(x)


def _unary(name: str, formula: str, derivative: str, note: str = "") -> Callable[[Any], Any]:
    op = UNARY[name]

    def call(x: Any) -> Any:
        return unary(op, x if isinstance(x, Core) else as_tensor(x))

    return _document(call, name, f"{formula}\n\n    Derivative: {derivative}.{note}\n\n    Args:\n        x: tensor, array or number, any shape.\n\n    Returns:\n        A tensor of the same shape.\n    ")


def _binary(name: str, formula: str, note: str = "") -> Callable[[Any, Any], Any]:
    op = BINARY[name]

    def call(x: Any, other: Any) -> Any:
        x = as_tensor(x)
        if isinstance(other, Core):
            return binary(op, x, other)
        return apply(op, (x, other if isinstance(other, (int, float)) else as_tensor(other)))

    return _document(call, name, f"{formula}\n{note}\n    Args:\n        x, other: tensors, arrays or numbers, broadcast against each other.\n\n    Returns:\n        A tensor of the broadcast shape.\n    ")


def _document(fn: Any, name: str, text: str) -> Any:
    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = text
    return fn


exp = _unary("exp", "eˣ, elementwise.", "eˣ")
expm1 = _unary("expm1", "eˣ - 1, accurate near 0.", "eˣ")
exp2 = _unary("exp2", "2ˣ.", "2ˣ log 2")
log = _unary("log", "log x, the natural logarithm.", "1/x")
log1p = _unary("log1p", "log(1 + x), accurate near 0.", "1/(1 + x)")
log2 = _unary("log2", "log₂ x.", "1/(x log 2)")
log10 = _unary("log10", "log₁₀ x.", "1/(x log 10)")
sqrt = _unary("sqrt", "√x.", "1/(2√x), ∞ at 0")
rsqrt = _unary("rsqrt", "1/√x.", "-1/(2 x√x)")
square = _unary("square", "x².", "2x")
reciprocal = _unary("reciprocal", "1/x.", "-1/x²")
neg = _unary("neg", "-x.", "-1")
sin = _unary("sin", "sin x, x in radians.", "cos x")
cos = _unary("cos", "cos x, x in radians.", "-sin x")
tan = _unary("tan", "tan x, x in radians.", "1 + tan² x")
asin = _unary("asin", "arcsin x in radians, for |x| ≤ 1.", "1/√((1 - x)(1 + x))")
acos = _unary("acos", "arccos x in radians, for |x| ≤ 1.", "-1/√((1 - x)(1 + x))")
atan = _unary("atan", "arctan x in radians.", "1/(1 + x²)")
sinh = _unary("sinh", "sinh x.", "cosh x")
cosh = _unary("cosh", "cosh x.", "sinh x")
tanh = _unary("tanh", "tanh x.", "1/cosh² x, which keeps its digits where 1 - tanh² x has none left")
asinh = _unary("asinh", "arsinh x.", "1/√(1 + x²)")
acosh = _unary("acosh", "arcosh x, for x ≥ 1.", "1/(√(x - 1) √(x + 1))")
atanh = _unary("atanh", "artanh x, for |x| < 1.", "1/((1 - x)(1 + x))")
sigmoid = _unary("sigmoid", "σ(x) = 1/(1 + e⁻ˣ).", "σ(x) σ(-x)")
softplus = _unary("softplus", "log(1 + eˣ), without overflow.", "σ(x)")
logsigmoid = _unary("logsigmoid", "log σ(x), without overflow.", "σ(-x)")
relu = _unary("relu", "max(x, 0).", "1 for x > 0, else 0")
abs = _unary("abs", "|x|.", "sign x, 0 at 0")
sign = _unary("sign", "The sign of x: -1, 0 or 1.", "0")
floor = _unary("floor", "The largest integer ≤ x.", "0")
ceil = _unary("ceil", "The smallest integer ≥ x.", "0")
erf = _unary("erf", "The error function 2/√π ∫₀ˣ e^(-t²) dt.", "2/√π e^(-x²)")
erfc = _unary("erfc", "1 - erf x, accurate in the tail.", "-2/√π e^(-x²)")
lgamma = _unary("lgamma", "log |Γ(x)|.", "ψ(x)")
digamma = _unary("digamma", "ψ(x) = Γ'(x)/Γ(x).", "ψ₁(x)")
clone = _unary("clone", "A copy of x that passes gradients on.", "1")

add = _binary("add", "x + other.")
sub = _binary("sub", "x - other.")
mul = _binary("mul", "x · other.")
div = _binary("div", "x / other.")
maximum = _binary("maximum", "The larger of x and other.", "    Ties share the gradient evenly.\n")
minimum = _binary("minimum", "The smaller of x and other.", "    Ties share the gradient evenly.\n")
atan2 = _binary("atan2", "The angle of the point (other, x) in radians.", "    The gradient at the origin is 0.\n")
eq = _binary("eq", "x = other, elementwise.")
ne = _binary("ne", "x ≠ other, elementwise.")
lt = _binary("lt", "x < other, elementwise.")
le = _binary("le", "x ≤ other, elementwise.")
gt = _binary("gt", "x > other, elementwise.")
ge = _binary("ge", "x ≥ other, elementwise.")

pow = public(power)
clamp = public(clip_to)
where = public(_where)
matmul = public(contract.matmul)
