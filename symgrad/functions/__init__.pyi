"""Functions of tensors with PyTorch's names, by subject: ``sg.exp``, ``sg.matmul``, …"""

# Written by `python tests/tools/stubs.py`; a test compares.

from collections.abc import Sequence
from symgrad.functions.histograms import Histogram
from symgrad.functions.interpolating import CubicSpline as CubicSpline
from symgrad.ops.elementwise.exponents import Frexp
from symgrad.ops.linalg.determinant import SlogDet
from symgrad.ops.linalg.triangles import Triangular
from symgrad.ops.reductions.extremes import Extremum
from symgrad.ops.sorting.sorting import Ordered
from symgrad.ops.sorting.statistics import Range
from symgrad.tensors.tensor import Tensor
from typing import Any
from typing import overload

__all__ = [
    "exp",
    "log",
    "expm1",
    "log1p",
    "exp2",
    "log2",
    "log10",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "hypot",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "erfc",
    "lgamma",
    "erfinv",
    "xlogy",
    "i0",
    "sinc",
    "sigmoid",
    "softplus",
    "logsigmoid",
    "logaddexp",
    "logaddexp2",
    "sign",
    "abs",
    "floor",
    "ceil",
    "trunc",
    "relu",
    "fmax",
    "fmin",
    "copysign",
    "add",
    "addcdiv",
    "addcmul",
    "atan2",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "clamp",
    "clip",
    "clone",
    "deg2rad",
    "digamma",
    "div",
    "divide",
    "eq",
    "fix",
    "float_power",
    "floor_divide",
    "fmod",
    "frac",
    "gcd",
    "ge",
    "gt",
    "heaviside",
    "isfinite",
    "isinf",
    "isnan",
    "lcm",
    "ldexp",
    "le",
    "lerp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "lt",
    "maximum",
    "minimum",
    "mul",
    "multiply",
    "nan_to_num",
    "ne",
    "neg",
    "polygamma",
    "pow",
    "rad2deg",
    "reciprocal",
    "remainder",
    "round",
    "rsqrt",
    "sqrt",
    "square",
    "sub",
    "subtract",
    "true_divide",
    "where",
    "absolute",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "clamp_max",
    "clamp_min",
    "frexp",
    "greater",
    "greater_equal",
    "isclose",
    "isneginf",
    "isposinf",
    "isreal",
    "less",
    "less_equal",
    "mvlgamma",
    "negative",
    "not_equal",
    "positive",
    "rsub",
    "sgn",
    "signbit",
    "adjoint",
    "angle",
    "complex",
    "conj",
    "conj_physical",
    "imag",
    "polar",
    "real",
    "resolve_conj",
    "resolve_neg",
    "view_as_complex",
    "view_as_real",
    "broadcast_to",
    "cat",
    "chunk",
    "concat",
    "concatenate",
    "flatten",
    "flip",
    "hstack",
    "row_stack",
    "moveaxis",
    "movedim",
    "permute",
    "ravel",
    "repeat_interleave",
    "reshape",
    "roll",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "swapdims",
    "t",
    "tile",
    "transpose",
    "unbind",
    "unsqueeze",
    "vstack",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_tensors",
    "cartesian_prod",
    "column_stack",
    "combinations",
    "dsplit",
    "dstack",
    "fliplr",
    "flipud",
    "hsplit",
    "meshgrid",
    "rot90",
    "split_with_sizes",
    "tensor_split",
    "vsplit",
    "gather",
    "index_add",
    "index_select",
    "masked_fill",
    "masked_select",
    "narrow",
    "scatter",
    "scatter_add",
    "select",
    "take_along_dim",
    "diagonal_scatter",
    "index_copy",
    "index_fill",
    "index_put",
    "index_reduce",
    "masked_scatter",
    "scatter_reduce",
    "select_scatter",
    "slice_scatter",
    "take",
    "as_strided",
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "diff",
    "gradient",
    "log_softmax",
    "logsumexp",
    "max",
    "mean",
    "min",
    "nansum",
    "prod",
    "softmax",
    "std",
    "std_mean",
    "sum",
    "var",
    "var_mean",
    "aminmax",
    "corrcoef",
    "cov",
    "cumulative_trapezoid",
    "logcumsumexp",
    "nanmean",
    "renorm",
    "simpson",
    "trapezoid",
    "trapz",
    "argsort",
    "kthvalue",
    "median",
    "sort",
    "topk",
    "bucketize",
    "histc",
    "mode",
    "msort",
    "nanmedian",
    "nanquantile",
    "quantile",
    "searchsorted",
    "isin",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bmm",
    "cdist",
    "cholesky",
    "det",
    "diag",
    "diag_embed",
    "diagonal",
    "dist",
    "dot",
    "einsum",
    "inner",
    "inverse",
    "kron",
    "logdet",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "mm",
    "mv",
    "norm",
    "outer",
    "pinverse",
    "slogdet",
    "trace",
    "tril",
    "triu",
    "addbmm",
    "chain_matmul",
    "cholesky_inverse",
    "cholesky_solve",
    "cross",
    "diagflat",
    "ger",
    "lu_solve",
    "tensordot",
    "triangular_solve",
    "vander",
    "vdot",
    "CubicSpline",
    "interp",
    "bartlett_window",
    "blackman_window",
    "hamming_window",
    "hann_window",
    "istft",
    "kaiser_window",
    "stft",
    "histogram",
    "histogramdd",
]

def exp(input: Any, *, out: Any = None) -> Tensor:
    """Return eˣ, elementwise."""
def log(input: Any, *, out: Any = None) -> Tensor:
    """Return log x, the natural logarithm."""
def expm1(input: Any, *, out: Any = None) -> Tensor:
    """Return eˣ - 1, accurate near 0."""
def log1p(input: Any, *, out: Any = None) -> Tensor:
    """Return log(1 + x), accurate near 0."""
def exp2(input: Any, *, out: Any = None) -> Tensor:
    """Return 2ˣ."""
def log2(input: Any, *, out: Any = None) -> Tensor:
    """Return log₂ x."""
def log10(input: Any, *, out: Any = None) -> Tensor:
    """Return log₁₀ x."""
def sin(input: Any, *, out: Any = None) -> Tensor:
    """Return sin x, x in radians."""
def cos(input: Any, *, out: Any = None) -> Tensor:
    """Return cos x, x in radians."""
def tan(input: Any, *, out: Any = None) -> Tensor:
    """Return tan x, x in radians."""
def asin(input: Any, *, out: Any = None) -> Tensor:
    """Return arcsin x in radians, for |x| ≤ 1."""
def acos(input: Any, *, out: Any = None) -> Tensor:
    """Return arccos x in radians, for |x| ≤ 1."""
def atan(input: Any, *, out: Any = None) -> Tensor:
    """Return arctan x in radians."""
def hypot(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return √(x² + other²), without overflow. The gradient at the origin is 0."""
def sinh(input: Any, *, out: Any = None) -> Tensor:
    """Return sinh x."""
def cosh(input: Any, *, out: Any = None) -> Tensor:
    """Return cosh x."""
def tanh(input: Any, *, out: Any = None) -> Tensor:
    """Return tanh x."""
def asinh(input: Any, *, out: Any = None) -> Tensor:
    """Return arsinh x."""
def acosh(input: Any, *, out: Any = None) -> Tensor:
    """Return arcosh x, for x ≥ 1."""
def atanh(input: Any, *, out: Any = None) -> Tensor:
    """Return artanh x, for |x| < 1."""
def erf(input: Any, *, out: Any = None) -> Tensor:
    """Return the error function 2/√π ∫₀ˣ e^(-t²) dt."""
def erfc(input: Any, *, out: Any = None) -> Tensor:
    """Return 1 - erf x, accurate in the tail."""
def lgamma(input: Any, *, out: Any = None) -> Tensor:
    """Return log |Γ(x)|."""
def erfinv(input: Any, *, out: Any = None) -> Tensor:
    """Return the inverse of erf, ±∞ at ±1 and nan beyond."""
def xlogy(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return x log other, and 0 where x = 0."""
def i0(input: Any, *, out: Any = None) -> Tensor:
    """Return the modified Bessel function I₀(x)."""
def sinc(input: Any, *, out: Any = None) -> Tensor:
    """Return sin(πx)/(πx), 1 at 0."""
def sigmoid(input: Any, *, out: Any = None) -> Tensor:
    """Return σ(x) = 1/(1 + e⁻ˣ)."""
def softplus(input: Any, *, out: Any = None) -> Tensor:
    """Return log(1 + eˣ), without overflow."""
def logsigmoid(input: Any, *, out: Any = None) -> Tensor:
    """Return log σ(x), without overflow."""
def logaddexp(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return log(eˣ + e^other), without overflow."""
def logaddexp2(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return log₂(2ˣ + 2^other), without overflow."""
def sign(input: Any, *, out: Any = None) -> Tensor:
    """Return the sign of x: -1, 0 or 1."""
def abs(input: Any, *, out: Any = None) -> Tensor:
    """Return |x|."""
def floor(input: Any, *, out: Any = None) -> Tensor:
    """Return the largest integer ≤ x."""
def ceil(input: Any, *, out: Any = None) -> Tensor:
    """Return the smallest integer ≥ x."""
def trunc(input: Any, *, out: Any = None) -> Tensor:
    """Return the integer part of x: x rounded towards 0."""
def relu(input: Any, *, out: Any = None) -> Tensor:
    """Return max(x, 0)."""
def fmax(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return the larger of x and other; nan only if both are nan. If equal, x gets the gradient."""
def fmin(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return the smaller of x and other; nan only if both are nan. If equal, x gets the gradient."""
def copysign(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return |x| with the sign of other. Derivative: ±1 in x, 0 at 0."""
def add(input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
    """Return x + alpha · other."""
def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Tensor:
    """Return x + value · tensor1 / tensor2, elementwise; not all may be integers."""
def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Tensor:
    """Return x + value · tensor1 · tensor2, elementwise; for integers, the value must be an integer."""
def atan2(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return the angle of the point (other, x) in radians. The gradient at the origin is 0."""
def bitwise_and(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return x & other, for booleans or for each bit of integers."""
def bitwise_left_shift(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return x << other, which is x · 2ⁿ for n = other."""
def bitwise_not(input: Any, *, out: Any = None) -> Tensor:
    """Return ~x, for booleans or for each bit of integers."""
def bitwise_or(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return x | other, for booleans or for each bit of integers."""
def bitwise_right_shift(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return x >> other, which is ⌊x / 2ⁿ⌋ for n = other."""
def bitwise_xor(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return x ^ other, for booleans or for each bit of integers."""
def clamp(input: Any, min: Any = None, max: Any = None) -> Tensor:
    """Limit x to [min, max]; either bound may be omitted. The derivative at the bounds is 1."""
def clip(input: Any, min: Any = None, max: Any = None) -> Tensor:
    """Limit x to [min, max]; either bound may be omitted. The derivative at the bounds is 1."""
def clone(input: Any, *, out: Any = None) -> Tensor:
    """Return a copy of x through which gradients flow."""
def deg2rad(input: Any, *, out: Any = None) -> Tensor:
    """Return π/180 x: degrees to radians."""
def digamma(input: Any, *, out: Any = None) -> Tensor:
    """Return ψ(x) = Γ'(x)/Γ(x)."""
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Return x / other."""
def divide(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Return x / other."""
def eq(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x = other, elementwise."""
def fix(input: Any, *, out: Any = None) -> Tensor:
    """Return the integer part of x: x rounded towards 0."""
def float_power(input: Any, exponent: Any) -> Tensor:
    """Return xᵖ in double precision, or for complex numbers in that of their parts."""
def floor_divide(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return ⌊x/other⌋, exact: 1 // 0.1 is 9. Derivative: 0."""
def fmod(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return x - other·trunc(x/other), with the sign of x, as C's fmod. Derivative: 1 in x, minus the integer quotient in other."""
def frac(input: Any, *, out: Any = None) -> Tensor:
    """Return x without its integer part, with the sign of x."""
def gcd(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return the greatest common divisor of the integers x and other, at least 0."""
def ge(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x ≥ other, elementwise."""
def gt(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x > other, elementwise."""
def heaviside(input: Any, values: Any) -> Tensor:
    """Return 0 for x < 0, values for x = 0, and 1 for x > 0."""
def isfinite(input: Any, *, out: Any = None) -> Tensor:
    """Return whether x is a finite number. For symbols in formulas, the result is True."""
def isinf(input: Any, *, out: Any = None) -> Tensor:
    """Return whether x is ∞ or -∞. For symbols in formulas, the result is False."""
def isnan(input: Any, *, out: Any = None) -> Tensor:
    """Return whether x is nan. For symbols in formulas, the result is False."""
def lcm(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return the least common multiple of the integers x and other, at least 0."""
def ldexp(input: Any, other: Any) -> Tensor:
    """Return x · 2ⁿ."""
def le(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x ≤ other, elementwise."""
def lerp(input: Any, end: Any, weight: Any) -> Tensor:
    """Return x + w (end - x), the point between x and end."""
def logical_and(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x and other are both nonzero."""
def logical_not(input: Any, *, out: Any = None) -> Tensor:
    """Return whether x is zero."""
def logical_or(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x or other is nonzero."""
def logical_xor(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether exactly one of x and other is nonzero."""
def logit(input: Any, eps: float | None = None) -> Tensor:
    """Return log(p/(1 - p)), the inverse of the logistic function."""
def lt(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x < other, elementwise."""
def maximum(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return the larger of x and other. Ties share the gradient evenly."""
def minimum(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return the smaller of x and other. Ties share the gradient evenly."""
def mul(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return x · other."""
def multiply(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return x · other."""
def nan_to_num(input: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """Replace nan, ∞ and -∞ in x by numbers; in real and imaginary parts if x is complex."""
def ne(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x ≠ other, elementwise."""
def neg(input: Any, *, out: Any = None) -> Tensor:
    """Return -x."""
def polygamma(n: int, input: Any) -> Tensor:
    """Return ψₙ(x), the n-th derivative of digamma."""
def pow(input: Any, exponent: Any) -> Tensor:
    """Return xᵖ."""
def rad2deg(input: Any, *, out: Any = None) -> Tensor:
    """Return 180/π x: radians to degrees."""
def reciprocal(input: Any, *, out: Any = None) -> Tensor:
    """Return 1/x."""
def remainder(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return x mod other: x - other·⌊x/other⌋, with the sign of other. Derivative: 1 in x, minus the integer quotient in other."""
def round(input: Any, *, decimals: int = 0) -> Tensor:
    """Round x to the given number of decimals; halves are rounded to even."""
def rsqrt(input: Any, *, out: Any = None) -> Tensor:
    """Return 1/√x."""
def sqrt(input: Any, *, out: Any = None) -> Tensor:
    """Return √x."""
def square(input: Any, *, out: Any = None) -> Tensor:
    """Return x²."""
def sub(input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
    """Return x - alpha · other."""
def subtract(input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
    """Return x - alpha · other."""
def true_divide(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Return x / other."""
def where(condition: Any, input: Any, other: Any) -> Tensor:
    """Return the entries of input where the condition holds, and those of other elsewhere."""
def absolute(input: Any, *, out: Any = None) -> Tensor:
    """Return |x|."""
def arccos(input: Any, *, out: Any = None) -> Tensor:
    """Return arccos x in radians, for |x| ≤ 1."""
def arccosh(input: Any, *, out: Any = None) -> Tensor:
    """Return arcosh x, for x ≥ 1."""
def arcsin(input: Any, *, out: Any = None) -> Tensor:
    """Return arcsin x in radians, for |x| ≤ 1."""
def arcsinh(input: Any, *, out: Any = None) -> Tensor:
    """Return arsinh x."""
def arctan(input: Any, *, out: Any = None) -> Tensor:
    """Return arctan x in radians."""
def arctan2(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return the angle of the point (other, x) in radians. The gradient at the origin is 0."""
def arctanh(input: Any, *, out: Any = None) -> Tensor:
    """Return artanh x, for |x| < 1."""
def clamp_max(input: Any, max: Any) -> Tensor:
    """Return min(x, max). The derivative at x = max is 1."""
def clamp_min(input: Any, min: Any) -> Tensor:
    """Return max(x, min). The derivative at x = min is 1."""
def frexp(input: Any) -> Frexp[Tensor]:
    """Return m and e with x = m 2ᵉ and ½ ≤ |m| < 1."""
def greater(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x > other, elementwise."""
def greater_equal(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x ≥ other, elementwise."""
def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Return whether |x - other| ≤ atol + rtol |other|; equal infinities are close."""
def isneginf(input: Any) -> Tensor:
    """Return whether x is -∞."""
def isposinf(input: Any) -> Tensor:
    """Return whether x is ∞."""
def isreal(input: Any) -> Tensor:
    """Return whether the imaginary part of x is 0."""
def less(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x < other, elementwise."""
def less_equal(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x ≤ other, elementwise."""
def mvlgamma(input: Any, p: int) -> Tensor:
    """Return log Γₚ(x) = p (p - 1)/4 log π + Σ log Γ(x - j/2) over j = 0, …, p - 1."""
def negative(input: Any, *, out: Any = None) -> Tensor:
    """Return -x."""
def not_equal(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return whether x ≠ other, elementwise."""
def positive(input: Any) -> Tensor:
    """Return x itself."""
def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return other - alpha · x."""
def sgn(input: Any, *, out: Any = None) -> Tensor:
    """Return the sign of x: -1, 0 or 1."""
def signbit(input: Any) -> Tensor:
    """Return whether the sign of x is negative, which is True for -0.0."""
def adjoint(input: Any) -> Tensor:
    """Return the conjugate transpose xᴴ of each matrix in the last two axes."""
def angle(input: Any) -> Tensor:
    """Return the angle of complex numbers in the plane, which is 0 or π for real numbers."""
def complex(real: Any, imag: Any) -> Tensor:
    """Return x + iy, given the real part x and the imaginary part y."""
def conj(input: Any) -> Tensor:
    """Return the complex conjugate, or x itself for real numbers."""
def conj_physical(input: Any) -> Tensor:
    """Return the complex conjugate as a new tensor, or x itself for real numbers."""
def imag(input: Any) -> Tensor:
    """Return the imaginary part, which is 0 for real numbers."""
def polar(abs: Any, angle: Any) -> Tensor:
    """Return abs·(cos φ + i·sin φ), the number with this absolute value and angle."""
def real(input: Any) -> Tensor:
    """Return the real part, or x itself for real numbers."""
def resolve_conj(input: Any) -> Tensor:
    """Return x itself, because conjugates are computed immediately."""
def resolve_neg(input: Any) -> Tensor:
    """Return x itself, because negatives are computed immediately."""
def view_as_complex(input: Any) -> Tensor:
    """Return x[…, 0] + i·x[…, 1]."""
def view_as_real(input: Any) -> Tensor:
    """Return the real and imaginary parts along a new last axis of size 2."""
def broadcast_to(input: Any, size: Sequence[Any]) -> Tensor:
    """Return x expanded to the shape ``size``."""
def cat(tensors: Sequence[Any], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Concatenate tensors along ``dim``: y = [x₀, x₁, …]."""
def chunk(input: Any, chunks: int, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """Split x along ``dim`` into at most ``chunks`` parts of size ⌈n/chunks⌉, of which the last may be smaller."""
def concat(tensors: Sequence[Any], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Concatenate tensors along ``dim``: y = [x₀, x₁, …]."""
def concatenate(tensors: Sequence[Any], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Concatenate tensors along ``dim``: y = [x₀, x₁, …]."""
def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Return x with the axes from ``start_dim`` to ``end_dim`` joined into one, in row-major order."""
def flip(input: Any, *axes: Any, dims: Any = None, axis: Any = None) -> Tensor:
    """Return x with the order of the entries reversed along the axes."""
def hstack(tensors: Sequence[Any]) -> Tensor:
    """Concatenate tensors along dim 1; vectors and numbers along dim 0."""
def row_stack(tensors: Sequence[Any]) -> Tensor:
    """Concatenate tensors along dim 0, with vectors as rows."""
def moveaxis(input: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Return x with the axes ``source`` moved to the positions ``destination``; the others keep their order."""
def movedim(input: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Return x with the axes ``source`` moved to the positions ``destination``; the others keep their order."""
def permute(input: Any, *order: Any, dims: Any = None) -> Tensor:
    """Return x with its axes in another order: axis k of the result is axis order[k] of x."""
def ravel(input: Any) -> Tensor:
    """Return the entries of x as a vector, in row-major order."""
def repeat_interleave(input: Any, repeats: Any, dim: int | None = None, *, output_size: int | None = None, axis: int | None = None) -> Tensor:
    """Return x with each entry repeated ``repeats`` times along ``dim``; without dim, x is flattened first."""
def reshape(input: Any, *sizes: Any, shape: Any = None) -> Tensor:
    """Return the entries of x in row-major order, in another shape."""
def roll(input: Any, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Tensor:
    """Shift the entries cyclically along axes: y[i] = x[(i - shift) mod n]."""
def split(input: Any, split_size_or_sections: int | Sequence[Any], dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """Split x along ``dim`` into parts of equal size, of which the last may be smaller, or of the given sizes."""
def squeeze(input: Any, dim: int | Sequence[int] | None = None, *, axis: int | Sequence[int] | None = None) -> Tensor:
    """Return x without its axes of size 1, or only without those that are listed in ``dim``."""
def stack(tensors: Sequence[Any], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Stack tensors along a new axis: y[k] = x_k for dim = 0."""
def swapaxes(input: Any, axis0: int, axis1: int) -> Tensor:
    """Return x with two axes exchanged; NumPy's name for ``transpose``."""
def swapdims(input: Any, dim0: int, dim1: int) -> Tensor:
    """Return x with two axes exchanged."""
def t(input: Any) -> Tensor:
    """Return xᵀ, for x with at most two axes; vectors and numbers are returned unchanged."""
def tile(input: Any, *counts: Any, dims: Any = None) -> Tensor:
    """Return x repeated along each axis, like ``repeat``; missing leading counts are 1."""
def transpose(input: Any, dim0: int, dim1: int) -> Tensor:
    """Return x with two axes exchanged."""
def unbind(input: Any, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """Return the slices of x along ``dim``: (x[0], x[1], …) for dim = 0."""
def unsqueeze(input: Any, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """Return x with a new axis of size 1 at ``dim``."""
def vstack(tensors: Sequence[Any]) -> Tensor:
    """Concatenate tensors along dim 0, with vectors as rows."""
def atleast_1d(*tensors: Any) -> Any:
    """Return each tensor with at least one axis: a number becomes (1,)."""
def atleast_2d(*tensors: Any) -> Any:
    """Return each tensor with at least two axes: a number becomes (1, 1), a vector a row (1, n)."""
def atleast_3d(*tensors: Any) -> Any:
    """Return each tensor with at least three axes: a number as (1, 1, 1), a vector as (1, n, 1), a matrix as (n, m, 1)."""
def block_diag(*tensors: Any) -> Tensor:
    """Return the block-diagonal matrix of the given matrices."""
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Return the tensors, expanded to a common shape."""
def cartesian_prod(*tensors: Any) -> Tensor:
    """Return all combinations of one entry from each vector, as rows; the last entry changes fastest."""
def column_stack(tensors: Sequence[Any]) -> Tensor:
    """Concatenate tensors along dim 1, with numbers and vectors as columns."""
def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return all combinations of r entries of x, as rows, in the order of x."""
def dsplit(input: Any, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    """Split x in depth, along dim 2."""
def dstack(tensors: Sequence[Any]) -> Tensor:
    """Concatenate tensors along dim 2, with vectors as (1, n, 1) and matrices as (n, m, 1)."""
def fliplr(input: Any) -> Tensor:
    """Return x with its columns (dim 1) in reverse order."""
def flipud(input: Any) -> Tensor:
    """Return x with its rows (dim 0) in reverse order."""
def hsplit(input: Any, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    """Split x horizontally: along dim 1, or a vector along dim 0."""
def meshgrid(*tensors: Any, indexing: str = 'ij') -> tuple[Tensor, ...]:
    """Return the coordinates of the points of a grid: for "ij" the k-th result is y[i₀, i₁, …] = x_k[i_k]."""
def rot90(input: Any, k: int = 1, dims: Sequence[int] = ...) -> Tensor:
    """Rotate x by k right angles in the plane of two axes, from the first towards the second."""
def split_with_sizes(input: Any, split_sizes: Sequence[Any], dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """Split x along ``dim`` into parts of the given sizes, which add up to the size of x."""
def tensor_split(input: Any, indices_or_sections: Any = None, dim: int = 0, *, indices: Any = None, sections: Any = None, axis: int | None = None) -> tuple[Tensor, ...]:
    """Split x along ``dim`` into k parts of nearly equal size, or before the given positions."""
def vsplit(input: Any, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    """Split x vertically, along dim 0."""
def gather(input: Any, dim: int | None = None, index: Any = None, *, sparse_grad: bool = False, axis: int | None = None) -> Tensor:
    """Return y[i, j] = x[index[i, j], j] for dim = 0, y[i, j] = x[i, index[i, j]] for dim = 1, and so on."""
def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Tensor:
    """Return x with alpha·source[k] added to x[index[k]] along ``dim``: the adjoint of index_select."""
def index_select(input: Any, dim: int | None = None, index: Any = None, *, axis: int | None = None) -> Tensor:
    """Return the entries of x at the positions ``index`` along ``dim``; positions may repeat."""
def masked_fill(input: Any, mask: Any, value: Any) -> Tensor:
    """Return x with ``value`` where the mask is true."""
def masked_select(input: Any, mask: Any) -> Tensor:
    """Return the entries of x where the mask is true, in row-major order; x and mask are broadcast."""
def narrow(input: Any, dim: int, start: Any, length: Any) -> Tensor:
    """Return the entries start, …, start + length - 1 of x along ``dim``."""
def scatter(input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Tensor:
    """Return x with x[index[i, j], j] = src[i, j] for dim = 0, and so on: the writing counterpart of gather."""
def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Tensor:
    """Return x with src[i, j] added to x[index[i, j], j] for dim = 0, and so on: the adjoint of gather."""
def select(input: Any, dim: int, index: int) -> Tensor:
    """Return the slice of x at ``index`` along ``dim``: x[:, …, index]."""
def take_along_dim(input: Any, indices: Any, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """Gather entries along ``dim``, with x and indices broadcast along the other axes; without dim, x is flattened."""
def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return a copy of x whose diagonal x[…, i, i + offset] along the axes dim1 and dim2 is src."""
def index_copy(input: Any, dim: int, index: Any, source: Any) -> Tensor:
    """Return x with source[k] at index[k] along ``dim``."""
def index_fill(input: Any, dim: int, index: Any, value: Any) -> Tensor:
    """Return x with one value at the positions ``index`` along ``dim``."""
def index_put(input: Any, indices: Sequence[Any], values: Any, accumulate: bool = False) -> Tensor:
    """Return x after x[indices] = values, or after x[indices] += values, where repeated indices add up."""
def index_reduce(input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Tensor:
    """Reduce slices along ``dim``, like scatter_reduce with an index (k,) for whole slices."""
def masked_scatter(input: Any, mask: Any, source: Any) -> Tensor:
    """Return x with the entries of source, in row-major order, where the mask is true."""
def scatter_reduce(input: Any, dim: int | None = None, index: Any = None, src: Any = None, reduce: str = 'sum', include_self: bool = True, *, axis: int | None = None) -> Tensor:
    """Reduce each entry of x and all entries of src that index assigns to it: sum, product, mean, maximum or minimum."""
def select_scatter(input: Any, src: Any, dim: int, index: int) -> Tensor:
    """Return a copy of x whose slice at ``index`` along ``dim`` is src."""
def slice_scatter(input: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """Return a copy of x whose slice start:end:step along ``dim`` is src."""
def take(input: Any, index: Any) -> Tensor:
    """Return the entries of the flattened x at the given positions."""
def as_strided(input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """Return a copy whose entry (i, j, …) is entry storage_offset + i·stride₀ + j·stride₁ + … of the flattened x."""
def all(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return whether every entry along the axes is nonzero."""
def amax(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return the maximum along the axes; ties share the gradient evenly."""
def amin(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return the minimum along the axes; ties share the gradient evenly."""
def any(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return whether some entry along the axes is nonzero."""
def argmax(input: Any, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the index of the largest entry, the first among ties; without an axis, in the flattened tensor."""
def argmin(input: Any, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the index of the smallest entry, the first among ties; without an axis, in the flattened tensor."""
def count_nonzero(input: Any, dim: int | Sequence[int] | None = None, *, axis: int | Sequence[int] | None = None) -> Tensor:
    """Return the number of entries that are not 0."""
def cummax(input: Any, dim: int | None = None, *, axis: int | None = None) -> Extremum[Tensor]:
    """Return the largest entry so far along one axis, and its index, the last one among ties."""
def cummin(input: Any, dim: int | None = None, *, axis: int | None = None) -> Extremum[Tensor]:
    """Return the smallest entry so far along one axis, and its index, the last one among ties."""
def cumprod(input: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Tensor:
    """Return the cumulative product y_i = Π_{k≤i} x_k along one axis."""
def cumsum(input: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Tensor:
    """Return the cumulative sum y_i = Σ_{k≤i} x_k along one axis."""
def diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None, *, axis: int | None = None) -> Tensor:
    """Return the n-th differences x[k + 1] - x[k] along one axis; for booleans, whether neighbours differ."""
def gradient(input: Any, *, spacing: Any = None, dim: int | Sequence[int] | None = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """Return the derivatives ∂y/∂x_k of samples, from the parabola through three neighbours, as in (y₊ - y₋)/(2h)."""
def log_softmax(input: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Tensor:
    """Return x - log Σ exp x along one axis, accurate even where softmax rounds to 0 or 1."""
@overload
def logsumexp(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, b: Any = None) -> Tensor: ...
@overload
def logsumexp(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, b: Any = None, return_sign: bool = False) -> Any:
    """Return log Σ exp x along the axes, without overflow, or log Σ b exp x. Derivative: softmax(x); in b, exp(x - y)."""
@overload
def max(input: Any) -> Tensor: ...
@overload
def max(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the maximum of all entries, along one axis, or of two tensors, like PyTorch's three calls."""
def mean(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: Any = None, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return Σ x / n along the axes, where n is the number of entries that are added."""
@overload
def min(input: Any) -> Tensor: ...
@overload
def min(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the minimum of all entries, along one axis, or of two tensors, like PyTorch's three calls."""
def nansum(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return Σ x along the axes, with each nan replaced by 0."""
def prod(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: Any = None, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return Π x along the axes."""
def softmax(input: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Tensor:
    """Return exp x / Σ exp x along one axis."""
def std(input: Any, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return the standard deviation √(Σ (x - μ)² / (n - correction)) along the axes, with |x - μ|² for complex numbers."""
def std_mean(input: Any, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the standard deviation and the mean along the axes."""
def sum(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: Any = None, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return Σ x along the axes."""
def var(input: Any, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return the variance Σ (x - μ)² / (n - correction) along the axes, with |x - μ|² for complex numbers."""
def var_mean(input: Any, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = None, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the variance and the mean along the axes."""
def aminmax(input: Any, *, dim: int | None = None, keepdim: bool = False, axis: int | None = None, keepdims: bool = False) -> Range[Tensor]:
    """Return min x and max x; equal entries share the gradient evenly."""
def corrcoef(input: Any) -> Tensor:
    """Return the correlation coefficients C_ij / √(C_ii C_jj), where C is the covariance, limited to [-1, 1]."""
def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """Return the covariance C = Σ_k w_k (x_k - μ)(x_k - μ)ᴴ / (Σ w - correction) of the rows of x."""
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1, axis: int | None = None, initial: float | None = None) -> Tensor:
    """Return the integrals up to each sample after the first, by the trapezoidal rule."""
def logcumsumexp(input: Any, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """Return log Σ_{k≤i} exp x_k along one axis, without overflow."""
def nanmean(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: Any = None, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return the mean along the axes, of the entries that are not nan."""
def renorm(input: Any, p: float, dim: int, maxnorm: float, *, axis: int | None = None) -> Tensor:
    """Return x with each slice along ``dim`` whose p-norm exceeds maxnorm scaled down to that norm."""
def simpson(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1, axis: int | None = None) -> Tensor:
    """Integrate samples by Simpson's rule: Σ (h₀+h₁)/6·((2-h₁/h₀) y₀ + (h₀+h₁)²/(h₀h₁) y₁ + (2-h₀/h₁) y₂)."""
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1, axis: int | None = None) -> Tensor:
    """Integrate samples along one axis by the trapezoidal rule, Σ (x_{k+1} - x_k) (y_k + y_{k+1})/2."""
def trapz(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1, axis: int | None = None) -> Tensor:
    """Integrate samples along one axis by the trapezoidal rule, Σ (x_{k+1} - x_k) (y_k + y_{k+1})/2."""
def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False, *, axis: int | None = None) -> Tensor:
    """Return the indices that sort x along one axis."""
def kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False, *, axis: int | None = None, keepdims: bool = False) -> Ordered[Tensor]:
    """Return the k-th smallest entry along one axis, with k counted from 1, and its index."""
@overload
def median(input: Any) -> Tensor: ...
@overload
def median(input: Any, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return the median, or the lower one for an even number of entries; nan if an entry is nan."""
def sort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False, *, axis: int | None = None) -> Ordered[Tensor]:
    """Return the sorted entries along one axis, and their indices."""
def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *, axis: int | None = None) -> Ordered[Tensor]:
    """Return the k largest entries along one axis, sorted, and their indices."""
def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """Return the index of the bucket that contains each value; like ``searchsorted``, with the values first."""
def histc(input: Any, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """Count the entries of x in equal parts of [min, max]; entries outside are ignored."""
def mode(input: Any, dim: int = -1, keepdim: bool = False, *, axis: int | None = None, keepdims: bool = False) -> Ordered[Tensor]:
    """Return the most frequent entry along one axis, the smallest among ties, and the index of its last occurrence."""
def msort(input: Any) -> Tensor:
    """Return x sorted along dim 0."""
@overload
def nanmedian(input: Any) -> Tensor: ...
@overload
def nanmedian(input: Any, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return the median of the entries that are not nan, or the lower one for an even number of them."""
def nanquantile(input: Any, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = 'linear', axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return quantiles of the entries that are not nan; see ``quantile``."""
def quantile(input: Any, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = 'linear', axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the q-quantiles along one axis: the sorted entry at position q (n - 1), interpolated linearly."""
def searchsorted(sorted_sequence: Any, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None, sorter: Any = None) -> Tensor:
    """Return the position of each v in an ordered row: the number of entries < v, or with ``right`` ≤ v."""
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Return whether each entry is one of the test elements."""
def addmm(input: Any, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Return beta · x + alpha · A B."""
def addmv(input: Any, mat: Any, vec: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Return beta · x + alpha · A v."""
def addr(input: Any, vec1: Any, vec2: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Return beta · x + alpha · u vᵀ."""
def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Return beta · x + alpha · A B for stacks of matrices."""
def bmm(input: Any, mat2: Any) -> Tensor:
    """Return the batch of matrix products Σ_j x_bij y_bjk."""
def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str | None = None) -> Tensor:
    """Return d[i, j] = ‖x₁[i] - x₂[j]‖ₚ, computed from differences, which is accurate for vectors close to each other."""
def cholesky(A: Any, upper: bool = False) -> Tensor:
    """Return the lower triangular L with L Lᵀ = A, or L Lᴴ = A for complex A. The gradient is symmetric or Hermitian."""
def det(A: Any) -> Tensor:
    """Return the determinant. Its gradient is the matrix of cofactors, which is exact for singular matrices too."""
def diag(input: Any, diagonal: int = 0) -> Tensor:
    """Return the matrix with a given vector on its diagonal, or the diagonal of a given matrix."""
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return matrices with x on the diagonal numbered offset, and zeros elsewhere."""
def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return the entries x[…, i, i + offset] along the axes dim1 and dim2, as a new last axis."""
def dist(input: Any, other: Any, p: float = 2) -> Tensor:
    """Return ‖x - other‖ₚ over all entries."""
def dot(input: Any, tensor: Any) -> Tensor:
    """Return the inner product Σ x_i t_i of two vectors."""
def einsum(equation: Any, *operands: Any) -> Tensor:
    """Return the sum of products over the indices that the output lacks, like ``torch.einsum``."""
def inner(input: Any, other: Any) -> Tensor:
    """Return the product Σ_k x_…k y_…k over the last axes; a number is a factor."""
def inverse(A: Any) -> Tensor:
    """Return the inverse A⁻¹. Gradient: −A⁻ᵀ Ȳ A⁻ᵀ."""
def kron(input: Any, other: Any) -> Tensor:
    """Return the Kronecker product, whose blocks are x_ij Y."""
def logdet(A: Any) -> Tensor:
    """Return log det A: nan if A is real and det A < 0, and -inf if det A = 0."""
def matmul(input: Any, other: Any) -> Tensor:
    """Return the matrix product of tensors of any rank, with broadcast batch axes, like ``torch.matmul``."""
def matrix_exp(A: Any) -> Tensor:
    """Return the matrix exponential Σ Aᵏ/k!. Gradient: Dexp(Aᵀ)[Ȳ], the derivative at Aᵀ in the direction Ȳ."""
def matrix_power(A: Any, n: int) -> Tensor:
    """Return Aⁿ by repeated squaring, and (A⁻¹)⁻ⁿ for a negative n."""
def mm(input: Any, mat2: Any) -> Tensor:
    """Return the matrix product Σ_j x_ij y_jk."""
def mv(input: Any, vec: Any) -> Tensor:
    """Return the matrix-vector product Σ_j x_ij v_j."""
def norm(input: Any, p: float | str | None = 'fro', dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Return the norm (Σ|x|ᵖ)^(1/p) of the entries, for a matrix by default the Frobenius norm."""
def outer(input: Any, vec2: Any) -> Tensor:
    """Return the outer product x_i v_j."""
def pinverse(A: Any, rcond: float = 1e-15) -> Tensor:
    """Return the pseudoinverse; singular values up to rcond times the largest are treated as 0."""
def slogdet(A: Any) -> SlogDet[Tensor]:
    """Return the sign of the determinant and the logarithm of |det A|, neither of which overflows or underflows."""
def trace(input: Any) -> Tensor:
    """Return the trace Σ x_ii."""
def tril(input: Any, diagonal: int = 0) -> Tensor:
    """Return the lower triangle: x_ij if j ≤ i + diagonal, and 0 otherwise."""
def triu(input: Any, diagonal: int = 0) -> Tensor:
    """Return the upper triangle: x_ij if j ≥ i + diagonal, and 0 otherwise."""
def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Return beta · x + alpha · Σ_b A_b B_b."""
def chain_matmul(*matrices: Any) -> Tensor:
    """Return the product A₁A₂…A_k, evaluated in the order with the fewest multiplications; see ``linalg.multi_dot``."""
def cholesky_inverse(L: Any, upper: bool = False) -> Tensor:
    """Return (L Lᵀ)⁻¹, or (L Lᴴ)⁻¹ for complex L: the inverse of a matrix with the Cholesky factor L."""
def cholesky_solve(input: Any, input2: Any, upper: bool = False) -> Tensor:
    """Solve L Lᵀ X = B, or L Lᴴ X = B for complex L."""
def cross(input: Any, other: Any, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """Return the cross product a × b of vectors along one axis of length 3."""
def diagflat(input: Any, offset: int = 0) -> Tensor:
    """Return the matrix with the entries of x, in row-major order, on a diagonal."""
def ger(input: Any, vec2: Any) -> Tensor:
    """Return the outer product x_i v_j."""
def lu_solve(b: Any, LU_data: Any, LU_pivots: Any) -> Tensor:
    """Solve A X = b, given the factors of A = P L U that ``linalg.lu_factor`` returns."""
def tensordot(a: Any, b: Any, dims: int | Sequence[int] | Sequence[Sequence[int]] = 2) -> Tensor:
    """Contract pairs of axes: the last n axes of a with the first n of b, or the listed ones."""
def triangular_solve(b: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Triangular[Tensor]:
    """Solve T X = b, or Tᵀ X = b, where T is the upper or lower triangle of A."""
def vander(input: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """Return the Vandermonde matrix V[i, k] = x_i^(N - 1 - k), or x_i^k if increasing."""
def vdot(input: Any, other: Any) -> Tensor:
    """Return the inner product Σ conj(x_i) y_i of two vectors, which is ``dot`` for real numbers."""
def interp(input: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Tensor:
    """Interpolate linearly between knots, like ``np.interp``."""
def bartlett_window(window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """Return the Bartlett window w_j = 1 − |2j/N − 1|."""
def blackman_window(window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """Return the Blackman window w_j = 0.42 − 0.5 cos(2πj/N) + 0.08 cos(4πj/N)."""
def hamming_window(window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """Return the Hamming window w_j = α − β cos(2πj/N)."""
def hann_window(window_length: int, periodic: bool = True, *, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """Return the Hann window w_j = ½ − ½ cos(2πj/N) = sin²(πj/N)."""
def istft(input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None, center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None, return_complex: bool = False) -> Tensor:
    """Return the signal whose segments have these transforms in the least-squares sense: the inverse of stft."""
def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """Return the Kaiser window w_j = I₀(β √(1 − (2j/N − 1)²)) / I₀(β)."""
def stft(input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None, center: bool = True, pad_mode: str = 'reflect', normalized: bool = False, onesided: bool | None = None, return_complex: bool | None = None) -> Tensor:
    """Return the short-time Fourier transform X[k, t] = Σ_j w_j x[t·hop + j] exp(−2πi jk/n) of a signal."""
def histogram(input: Any, bins: Any, *, range: Sequence[float] | None = None, weight: Any = None, density: bool = False) -> Histogram[Tensor]:
    """Return Σ w over the entries of x in each bin [e_k, e_{k+1}); the last bin includes its end."""
def histogramdd(input: Any, bins: Any, *, range: Sequence[float] | None = None, weight: Any = None, density: bool = False) -> Histogram[Tensor]:
    """Return Σ w over the points x in each box of a grid of bins; ``histogram`` in several dimensions."""
