"""The public functions: ``sg.exp``, ``sg.matmul``, … turn their first argument into a tensor, then apply.

What the functions compute stands in ``ops``; here is only the door.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from symgrad.engine.public import public
from symgrad.engine.record import Core, apply, as_tensor, binary, unary
from symgrad.ops import contract
from symgrad.ops.elementwise import declared, exponents, finite, fused, gamma, signs
from symgrad.ops.elementwise.declared import BINARY, UNARY, clip_to, divided, power, rounded
from symgrad.ops.elementwise.declared import where as _where
from symgrad.ops.elementwise.logic import LOGIC
from symgrad.ops.indexing import gather as gather_ops
from symgrad.ops.indexing import select as select_ops
from symgrad.ops.linalg import determinant, expm, matrices, norms, products, pseudoinverse, updates
from symgrad.ops.linalg import solving as linalg
from symgrad.ops.linalg.einsum import einsum as _einsum
from symgrad.ops.map import DIV
from symgrad.ops.nn import distances
from symgrad.ops.reductions import calculus, extremes, merging, reduce, scan, variance
from symgrad.ops.reductions import softmax as softmax_ops
from symgrad.ops.scaling import scaled
from symgrad.ops.shapes import arrange, join, splitting
from symgrad.ops.sorting import sorting

__all__ = [
    "abs", "acos", "acosh", "add", "addcdiv", "addcmul", "addmm", "addmv", "addr", "all", "amax", "amin",
    "any", "argmax", "argmin", "argsort", "asin", "asinh", "atan", "atan2", "atanh", "baddbmm", "bitwise_and",
    "bitwise_not", "bitwise_or", "bitwise_xor", "bmm", "broadcast_to", "cat", "cdist", "ceil", "cholesky",
    "chunk", "clamp", "clip", "clone", "concat", "concatenate", "copysign", "cos", "cosh", "count_nonzero",
    "cummax", "cummin", "cumprod", "cumsum", "deg2rad", "det", "diag", "diag_embed", "diagonal", "diff",
    "digamma", "dist", "div", "divide", "dot", "einsum", "eq", "erf", "erfc", "erfinv", "exp", "exp2",
    "expm1", "fix", "flatten", "flip", "float_power", "floor", "floor_divide", "fmax", "fmin", "fmod", "frac",
    "gather", "ge", "gt", "heaviside", "hstack", "hypot", "i0", "index_add", "index_select", "inner",
    "inverse", "isfinite", "isinf", "isnan", "kron", "kthvalue", "ldexp", "le", "lerp", "lgamma", "log",
    "log10", "log1p", "log2", "log_softmax", "logaddexp", "logaddexp2", "logdet", "logical_and",
    "logical_not", "logical_or", "logical_xor", "logit", "logsigmoid", "logsumexp", "lt", "masked_fill",
    "masked_select", "matmul", "matrix_exp", "matrix_power", "max", "maximum", "mean", "median", "min",
    "minimum", "mm", "moveaxis", "movedim", "mul", "multiply", "mv", "nan_to_num", "nansum",
    "narrow", "ne", "neg", "norm", "outer", "permute", "pinverse", "polygamma", "pow", "prod", "rad2deg",
    "ravel", "reciprocal", "relu", "remainder", "repeat_interleave", "reshape", "roll", "round", "rsqrt",
    "scatter", "scatter_add", "select", "sigmoid", "sign", "sin", "sinc", "sinh", "slogdet", "softmax",
    "softplus", "sort", "split", "sqrt", "square", "squeeze", "stack", "std", "std_mean", "sub", "subtract",
    "sum", "swapaxes", "swapdims", "t", "take_along_dim", "tan", "tanh", "tile", "topk", "trace", "transpose",
    "tril", "triu", "true_divide", "trunc", "unbind", "unsqueeze", "var", "var_mean", "vstack", "where",
    "xlogy",
]  # fmt: skip


F = TypeVar("F", bound=Callable[..., Any])
_ONE = """
    Args:
        input: x, a tensor, array or number of any shape.

    Returns:
        A tensor of the same shape.
    """
_TWO = """
    Args:
        input, other: x and the other; tensors, arrays or numbers, broadcast against each other.

    Returns:
        A tensor of the broadcast shape.
    """


def _unary(name: str, formula: str, derivative: str, note: str = "") -> Callable[[Any], Any]:
    op = UNARY[name]

    def call(input: Any) -> Any:
        return unary(op, input if isinstance(input, Core) else as_tensor(input))

    return _document(call, name, f"{formula}\n\n    Derivative: {derivative}.{note}\n{_ONE}")


def _binary(name: str, formula: str, note: str = "") -> Callable[[Any, Any], Any]:
    op = BINARY[name]

    def call(input: Any, other: Any) -> Any:
        input = as_tensor(input)
        if isinstance(other, Core):
            return binary(op, input, other)
        return apply(op, (input, other if isinstance(other, (int, float)) else as_tensor(other)))

    return _document(call, name, f"{formula}\n{note}{_TWO}")


def _scaled(name: str, formula: str) -> Callable[..., Any]:
    op = BINARY[name]

    def call(input: Any, other: Any, *, alpha: Any = 1) -> Any:
        input = as_tensor(input)
        if type(alpha) is not int or alpha != 1:
            other = scaled(input, as_tensor(other), alpha)
        if isinstance(other, Core):
            return binary(op, input, other)
        return apply(op, (input, other if isinstance(other, (int, float)) else as_tensor(other)))

    return _document(call, name, f"{formula}\n{_TWO}")


def _logic(name: str, formula: str, arity: int = 2) -> Callable[..., Any]:
    apply_to = LOGIC[name]

    def one(input: Any) -> Any:
        return apply_to(as_tensor(input))

    def two(input: Any, other: Any) -> Any:
        return apply_to(as_tensor(input), other if isinstance(other, (int, float)) else as_tensor(other))

    return _document(one if arity == 1 else two, name, f"{formula}\n{_ONE if arity == 1 else _TWO}")


def _document(fn: F, name: str, text: str) -> F:
    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = text
    return fn


_REMAINDER = "    Derivative: 1 in x, minus the integer quotient in other.\n"

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
trunc = fix = _unary("trunc", "x without its fraction: the integer next to it on the side of 0.", "0")
erf = _unary("erf", "The error function 2/√π ∫₀ˣ e^(-t²) dt.", "2/√π e^(-x²)")
erfc = _unary("erfc", "1 - erf x, accurate in the tail.", "-2/√π e^(-x²)")
lgamma = _unary("lgamma", "log |Γ(x)|.", "ψ(x)")
digamma = _unary("digamma", "ψ(x) = Γ'(x)/Γ(x).", "ψ₁(x)")
clone = _unary("clone", "A copy of x that passes gradients on.", "1")
erfinv = _unary("erfinv", "The inverse of erf, ±∞ at ±1 and nan beyond.", "√π/2 e^(y²)")
logit = public(declared.logit)
sinc = _unary("sinc", "sin(πx)/(πx), 1 at 0.", "(cos πx - sinc x)/x, 0 at 0")
i0 = _unary("i0", "The modified Bessel function I₀(x).", "I₁(x)")
frac = _unary("frac", "x without its integer part, with the sign of x.", "1")
deg2rad = _unary("deg2rad", "π/180 x: degrees to radians.", "π/180")
rad2deg = _unary("rad2deg", "180/π x: radians to degrees.", "180/π")

add = _scaled("add", "x + alpha · other.")
sub = _scaled("sub", "x - alpha · other.")
mul = _binary("mul", "x · other.")


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """x / other.

    Args:
        input, other: x and the other; tensors, arrays or numbers, broadcast against each other.
        rounding_mode: "floor" to round down, "trunc" to round towards 0; the derivative is then 0.

    Returns:
        A tensor of the broadcast shape.

    >>> sg.div(sg.tensor([7.0, -7.0]), 2, rounding_mode="floor")
    tensor([ 3., -4.])
    """
    input = as_tensor(input)
    other = other if isinstance(other, (Core, int, float)) else as_tensor(other)
    if rounding_mode is not None:
        return divided(input, other, rounding_mode)
    return binary(DIV, input, other) if isinstance(other, Core) else apply(DIV, (input, other))


remainder = _binary("remainder", "x mod other: x - other·⌊x/other⌋, with the sign of other.", _REMAINDER)
fmod = _binary("fmod", "x - other·trunc(x/other), with the sign of x, as C's fmod.", _REMAINDER)
floor_divide = _binary("floor_divide", "⌊x/other⌋, exact: 1 // 0.1 is 9.", "    Derivative: 0.\n")
maximum = _binary("maximum", "The larger of x and other.", "    Ties share the gradient evenly.\n")
minimum = _binary("minimum", "The smaller of x and other.", "    Ties share the gradient evenly.\n")
atan2 = _binary("atan2", "The angle of the point (other, x) in radians.", "    The gradient at the origin is 0.\n")
logaddexp = _binary("logaddexp", "log(eˣ + e^other), without overflow.")
logaddexp2 = _binary("logaddexp2", "log₂(2ˣ + 2^other), without overflow.")
xlogy = _binary("xlogy", "x log other, and 0 where x = 0.")
hypot = _binary("hypot", "√(x² + other²), without overflow.", "    The gradient at the origin is 0.\n")
copysign = _binary("copysign", "|x| with the sign of other.", "    Derivative: ±1 in x, 0 at 0.\n")
heaviside = public(signs.heaviside)
fmax = _binary("fmax", "The larger of x and other; nan loses.", "    Ties give x the gradient.\n")
fmin = _binary("fmin", "The smaller of x and other; nan loses.", "    Ties give x the gradient.\n")
eq = _binary("eq", "x = other, elementwise.")
ne = _binary("ne", "x ≠ other, elementwise.")
lt = _binary("lt", "x < other, elementwise.")
le = _binary("le", "x ≤ other, elementwise.")
gt = _binary("gt", "x > other, elementwise.")
ge = _binary("ge", "x ≥ other, elementwise.")

logical_and = _logic("logical_and", "Whether x and other are both nonzero.")
logical_or = _logic("logical_or", "Whether x or other is nonzero.")
logical_xor = _logic("logical_xor", "Whether just one of x and other is nonzero.")
logical_not = _logic("logical_not", "Whether x is zero.", 1)
bitwise_and = _logic("bitwise_and", "x & other: of truth values, or of the bits of integers.")
bitwise_or = _logic("bitwise_or", "x | other: of truth values, or of the bits of integers.")
bitwise_xor = _logic("bitwise_xor", "x ^ other: of truth values, or of the bits of integers.")
bitwise_not = _logic("bitwise_not", "~x: of truth values, or of the bits of integers.", 1)
isnan = _logic("isnan", "Whether x is nan. In a formula letters are real numbers, and it is false.", 1)
isinf = _logic("isinf", "Whether x is ∞ or -∞. In a formula letters are real numbers, and it is false.", 1)
isfinite = _logic("isfinite", "Whether x is a real number. In a formula letters are, and it is true.", 1)

round, pow = public(rounded), public(power)
clamp = clip = public(clip_to)
where = public(_where)
lerp, ldexp, float_power = public(fused.lerp), public(exponents.ldexp), public(declared.float_power)
addcmul, addcdiv, nan_to_num = public(fused.addcmul), public(fused.addcdiv), public(finite.nan_to_num)
addmm, addmv = public(updates.addmm), public(updates.addmv)
addr, baddbmm = public(updates.addr), public(updates.baddbmm)
subtract, multiply, divide, true_divide = sub, mul, div, div

reshape, flatten, ravel = public(arrange.reshape), public(arrange.flatten), public(arrange.ravel)
squeeze, unsqueeze = public(arrange.squeeze), public(arrange.unsqueeze)
broadcast_to, tile, repeat_interleave = (
    public(arrange.broadcast_to),
    public(arrange.tile),
    public(arrange.repeat_interleave),
)
flip, roll, permute, t = public(arrange.flip), public(arrange.roll), public(arrange.permute), public(arrange.t)
transpose = swapdims = public(arrange.transpose)
swapaxes = public(arrange.swapaxes)
movedim = moveaxis = public(arrange.movedim)
cat = concat = concatenate = public(join.cat)
stack, hstack, vstack = public(join.stack), public(join.hstack), public(join.vstack)
split, chunk, unbind = public(splitting.split, "tensor"), public(splitting.chunk), public(splitting.unbind)
index_select, gather = public(gather_ops.index_select), public(gather_ops.gather)
take_along_dim, scatter = public(gather_ops.take_along_dim), public(merging.scatter)
scatter_add, index_add = public(gather_ops.scatter_add), public(gather_ops.index_add)
select, narrow = public(select_ops.select), public(select_ops.narrow)
masked_fill, masked_select = public(select_ops.masked_fill), public(select_ops.masked_select)

sum, mean, prod = public(reduce.sum), public(reduce.mean), public(reduce.prod)
all, any = public(reduce.all), public(reduce.any)
var, std = public(variance.var), public(variance.std)
var_mean, std_mean = public(variance.var_mean), public(variance.std_mean)
max, min, amax, amin = (
    public(extremes.max),
    public(extremes.min),
    public(extremes.amax),
    public(extremes.amin),
)
argmax, argmin = public(extremes.argmax), public(extremes.argmin)
diff, dist, cdist = public(calculus.diff), public(distances.dist), public(distances.cdist)
nansum, count_nonzero = public(reduce.nansum), public(reduce.count_nonzero)
sort, argsort, topk = public(sorting.sort), public(sorting.argsort), public(sorting.topk)
median, kthvalue = public(sorting.median), public(sorting.kthvalue)
cummax, cummin = public(sorting.cummax), public(sorting.cummin)
cumsum, cumprod = public(scan.cumsum), public(scan.cumprod)
logsumexp, softmax = public(softmax_ops.logsumexp), public(softmax_ops.softmax)
log_softmax = public(softmax_ops.log_softmax)

matmul, dot, mv = public(contract.matmul), public(products.dot), public(products.mv)
mm, bmm, outer = public(products.mm), public(products.bmm), public(products.outer)
inner, kron, trace = public(products.inner), public(products.kron), public(matrices.trace)
diag, diagonal, diag_embed = public(matrices.diag), public(matrices.diagonal), public(matrices.diag_embed)
tril, triu = public(matrices.tril), public(matrices.triu)
det, logdet, slogdet = public(determinant.det), public(determinant.logdet), public(determinant.slogdet)
inverse, cholesky = public(linalg.inv), public(linalg.cholesky)
matrix_power, norm = public(linalg.matrix_power), public(norms.norm)
matrix_exp, pinverse = public(expm.matrix_exp), public(pseudoinverse.pinverse)


def polygamma(n: int, input: Any) -> Any:
    """ψₙ(x), the n-th derivative of digamma.

    Args:
        n: the order, one of 0, …, 100.
        input: x, any shape.

    Returns:
        A tensor shaped like input.

    >>> sg.polygamma(1, sg.tensor(1.0))
    tensor(1.6449)
    """
    return gamma.polygamma(as_tensor(input), n)


def einsum(equation: Any, *operands: Any) -> Any:
    """Sum of products over the letters that the output lacks, as ``torch.einsum``.

    Args:
        equation: such as ``"ij,jk->ik"``.
        operands: one tensor per term. Without an equation, each is followed by the list of its axes' numbers, and a
            list at the end says the result's: ``einsum(a, [0, 1], b, [1, 2], [0, 2])``. Ellipsis stands for "...".

    >>> sg.einsum("ii->", sg.eye(3)), sg.einsum(sg.eye(3), [0, 0], [])
    (tensor(3.), tensor(3.))
    """
    if not isinstance(equation, str):
        given = (equation, *operands)
        paired = len(given) // 2 * 2
        return _einsum(*[x if k % 2 or k == paired else as_tensor(x) for k, x in enumerate(given)])
    flat = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    return _einsum(equation, *[as_tensor(x) for x in flat])
