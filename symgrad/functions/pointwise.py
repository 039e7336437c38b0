"""Functions of each entry: exponentials, rounding, comparisons, special functions."""

from __future__ import annotations

from typing import Any

from symgrad.engine.adapters import public
from symgrad.engine.record import as_tensor
from symgrad.functions.elementwise_factory import applied, of_one, of_truth, of_two, of_two_scaled, operands, published
from symgrad.ops.elementwise import declared, exponents, finite, fused, gamma, signs
from symgrad.ops.elementwise.declared import clip_to, divided, power, rounded
from symgrad.ops.elementwise.declared import where as _where
from symgrad.ops.map import DIV
from symgrad.support.arguments import check_all

DECLARED = published("functions")
globals().update(DECLARED)

__all__ = [
    *DECLARED,
    "add", "addcdiv", "addcmul", "atan2", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "clamp",
    "clip", "clone", "deg2rad", "digamma", "div", "divide", "eq", "fix", "float_power", "floor_divide", "fmod",
    "frac", "gcd", "ge", "gt", "heaviside", "isfinite", "isinf", "isnan", "lcm", "ldexp", "le", "lerp", "logical_and",
    "logical_not", "logical_or", "logical_xor", "logit", "lt", "maximum", "minimum", "mul", "multiply",
    "nan_to_num", "ne", "neg", "polygamma", "pow", "rad2deg", "reciprocal", "remainder", "round", "rsqrt", "sqrt",
    "square", "sub", "subtract", "true_divide", "where", "absolute", "arccos", "arccosh", "arcsin", "arcsinh",
    "arctan", "arctan2", "arctanh", "clamp_max", "clamp_min", "frexp", "greater", "greater_equal",
    "isclose", "isneginf", "isposinf", "isreal", "less", "less_equal", "mvlgamma", "negative", "not_equal", "positive",
    "rsub", "sgn", "signbit",
]  # fmt: skip

fix = DECLARED["trunc"]
_REMAINDER = "    Derivative: 1 in x, minus the integer quotient in other.\n"
sqrt = of_one("sqrt", "√x.", "1/(2√x), ∞ at 0")
rsqrt = of_one("rsqrt", "1/√x.", "-1/(2 x√x)")
square = of_one("square", "x².", "2x")
reciprocal = of_one("reciprocal", "1/x.", "-1/x²")
neg = of_one("neg", "-x.", "-1")
digamma = of_one("digamma", "ψ(x) = Γ'(x)/Γ(x).", "ψ₁(x)")
clone = of_one("clone", "a copy of x through which gradients flow.", "1")
logit = public(declared.logit)
frac = of_one("frac", "x without its integer part, with the sign of x.", "1")
deg2rad = of_one("deg2rad", "π/180 x: degrees to radians.", "π/180")
rad2deg = of_one("rad2deg", "180/π x: radians to degrees.", "180/π")
add = of_two_scaled("add", "x + alpha · other.")
sub = of_two_scaled("sub", "x - alpha · other.")
mul = of_two("mul", "x · other.")


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """Return x / other.

    Args:
        input, other: tensors, arrays or numbers, broadcast against each other.
        rounding_mode: "floor" to round down, "trunc" to round towards 0; the derivative is then 0.

    Returns:
        A tensor of the broadcast shape.

    >>> sg.div(sg.tensor([7.0, -7.0]), 2, rounding_mode="floor")
    tensor([ 3., -4.])
    """
    input, other = operands(input, other)
    return applied(DIV, input, other) if rounding_mode is None else divided(input, other, rounding_mode)


remainder = of_two("remainder", "x mod other: x - other·⌊x/other⌋, with the sign of other.", _REMAINDER)
fmod = of_two("fmod", "x - other·trunc(x/other), with the sign of x, as C's fmod.", _REMAINDER)
floor_divide = of_two("floor_divide", "⌊x/other⌋, exact: 1 // 0.1 is 9.", "    Derivative: 0.\n")
maximum = of_two("maximum", "The larger of x and other.", "    Ties share the gradient evenly.\n")
minimum = of_two("minimum", "The smaller of x and other.", "    Ties share the gradient evenly.\n")
atan2 = of_two("atan2", "The angle of the point (other, x) in radians.", "    The gradient at the origin is 0.\n")
heaviside = public(signs.heaviside)
eq = of_two("eq", "whether x = other, elementwise.")
ne = of_two("ne", "whether x ≠ other, elementwise.")
lt = of_two("lt", "whether x < other, elementwise.")
le = of_two("le", "whether x ≤ other, elementwise.")
gt = of_two("gt", "whether x > other, elementwise.")
ge = of_two("ge", "whether x ≥ other, elementwise.")
logical_and = of_truth("logical_and", "whether x and other are both nonzero.")
logical_or = of_truth("logical_or", "whether x or other is nonzero.")
logical_xor = of_truth("logical_xor", "whether exactly one of x and other is nonzero.")
logical_not = of_truth("logical_not", "whether x is zero.", 1)
bitwise_and = of_truth("bitwise_and", "x & other, for booleans or for each bit of integers.")
bitwise_or = of_truth("bitwise_or", "x | other, for booleans or for each bit of integers.")
bitwise_xor = of_truth("bitwise_xor", "x ^ other, for booleans or for each bit of integers.")
bitwise_not = of_truth("bitwise_not", "~x, for booleans or for each bit of integers.", 1)
bitwise_left_shift = of_truth("bitwise_left_shift", "x << other, which is x · 2ⁿ for n = other.")
bitwise_right_shift = of_truth("bitwise_right_shift", "x >> other, which is ⌊x / 2ⁿ⌋ for n = other.")
gcd = of_truth("gcd", "The greatest common divisor of the integers x and other, at least 0.")
lcm = of_truth("lcm", "The least common multiple of the integers x and other, at least 0.")
isnan = of_truth("isnan", "whether x is nan. For symbols in formulas, the result is False.", 1)
isinf = of_truth("isinf", "whether x is ∞ or -∞. For symbols in formulas, the result is False.", 1)
isfinite = of_truth("isfinite", "whether x is a finite number. For symbols in formulas, the result is True.", 1)
round = public(rounded)


def pow(input: Any, exponent: Any) -> Any:
    """Return xᵖ.

    Args:
        input, exponent: x and p; tensors, arrays or numbers, broadcast against each other.

    Returns:
        A tensor of the broadcast shape; integers to the power of a float, such as 2.0, are float64.

    >>> sg.pow(2, sg.tensor([1.0, 3.0]))
    tensor([2., 8.])
    """
    return power(*operands(input, exponent))


clamp = clip = public(clip_to)
where = public(_where)
lerp = public(fused.lerp)
ldexp = public(exponents.ldexp)
float_power = public(declared.float_power)
addcmul = public(fused.addcmul)
addcdiv = public(fused.addcdiv)
nan_to_num = public(finite.nan_to_num)
subtract = sub
multiply = mul
divide = div
true_divide = div


def polygamma(n: int, input: Any) -> Any:
    """Return ψₙ(x), the n-th derivative of digamma.

    Args:
        n: the order, one of 0, …, 100.
        input: x, any shape.

    Returns:
        A tensor shaped like input.

    >>> sg.polygamma(1, sg.tensor(1.0))
    tensor(1.6449)
    """
    return gamma.polygamma(as_tensor(input), n)


absolute = DECLARED["abs"]
negative = neg
sgn = DECLARED["sign"]
arccos = DECLARED["acos"]
arcsin = DECLARED["asin"]
arctan = DECLARED["atan"]
arctan2 = atan2
arccosh = DECLARED["acosh"]
arcsinh = DECLARED["asinh"]
arctanh = DECLARED["atanh"]
greater = gt
greater_equal = ge
less = lt
less_equal = le
not_equal = ne
signbit = public(signs.signbit)
isposinf = public(finite.isposinf)
isneginf = public(finite.isneginf)
isreal = public(finite.isreal)
isclose = public(finite.isclose)
frexp = public(exponents.frexp)
mvlgamma = public(gamma.mvlgamma)
positive = public(signs.positive)


def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Return other - alpha · x.

    Args:
        input, other: tensors, arrays or numbers, broadcast against each other.
        alpha: a number.

    Returns:
        A tensor of the broadcast shape.

    >>> sg.rsub(sg.tensor(1.0), 3)
    tensor(2.)
    """
    return sub(other, input, alpha=alpha)


@public
def clamp_min(input: Any, min: Any) -> Any:
    """Return max(x, min). The derivative at x = min is 1.

    >>> sg.clamp_min(sg.tensor([1.0, 3.0]), 2.0)
    tensor([2., 3.])
    """
    return declared.CLAMP_MIN(input, min)


@public
def clamp_max(input: Any, max: Any) -> Any:
    """Return min(x, max). The derivative at x = max is 1.

    >>> sg.clamp_max(sg.tensor([1.0, 3.0]), 2.0)
    tensor([1., 2.])
    """
    return declared.CLAMP_MAX(input, max)


check_all(globals(), __all__)
