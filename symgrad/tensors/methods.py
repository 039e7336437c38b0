"""The named operations as methods: ``x.sum()``, ``x.exp()``, ``x.reshape(…)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from symgrad.engine.record import TensorBase, apply, as_tensor, binary, unary
from symgrad.errors import DTypeError
from symgrad.ops import contract
from symgrad.ops.elementwise import complexes, exponents, finite, fused, gamma, signs
from symgrad.ops.elementwise import declared as elementwise
from symgrad.ops.elementwise.declared import BINARY, UNARY
from symgrad.ops.elementwise.logic import LOGIC
from symgrad.ops.indexing import gather as gather_ops
from symgrad.ops.indexing import placing
from symgrad.ops.indexing import select as select_ops
from symgrad.ops.linalg import (
    determinant,
    expm,
    lu,
    matrices,
    multilinear,
    norms,
    products,
    pseudoinverse,
    triangles,
    updates,
)
from symgrad.ops.linalg import solving as linalg
from symgrad.ops.map import Map
from symgrad.ops.nn import activations, distances, folds
from symgrad.ops.protocol import shape
from symgrad.ops.reductions import calculus, extremes, merging, reduce, running, scan, variance
from symgrad.ops.reductions import softmax as softmax_ops
from symgrad.ops.scaling import scaled
from symgrad.ops.shape import axis_of, total
from symgrad.ops.shapes import arrange, splitting
from symgrad.ops.signal import spectra
from symgrad.ops.sorting import quantiles, search, sorting, statistics
from symgrad.scalars import SCALARS
from symgrad.tensors.views import contiguous

F = TypeVar("F", bound=Callable[..., Any])


def _named(method: F, name: str) -> F:
    """Give the method the name of its function, and a docstring that refers to the function."""
    method.__name__ = method.__qualname__ = name
    special = name in SCALARS and SCALARS[name].public == "special"
    method.__doc__ = f"See ``symgrad.{'special.' if special else ''}{name}``."
    return method


def _of(name: str) -> Callable[[Any], Any]:
    op: Map = UNARY[name]
    return _named(lambda self: unary(op, self), name)


def _with(name: str) -> Callable[[Any, Any], Any]:
    op: Map = BINARY[name]

    def method(self: Any, other: Any) -> Any:
        if isinstance(other, TensorBase):
            return binary(op, self, other)
        return apply(op, (self, other if isinstance(other, (int, float)) else as_tensor(other)))

    return _named(method, name)


_quotient = _with("div")


def _scaled(name: str) -> Callable[..., Any]:
    op: Map = BINARY[name]

    def method(self: Any, other: Any, *, alpha: Any = 1) -> Any:
        if type(alpha) is not int or alpha != 1:
            other = scaled(self, other if type(other) in (int, float) else as_tensor(other), alpha)
        if isinstance(other, TensorBase):
            return binary(op, self, other)
        return apply(op, (self, other if isinstance(other, (int, float)) else as_tensor(other)))

    return _named(method, name)


def _logic(name: str) -> Callable[[Any, Any], Any]:
    op = LOGIC[name]
    return _named(lambda self, other: op(self, other if isinstance(other, (int, float)) else as_tensor(other)), name)


def _truth(name: str) -> Callable[[Any], Any]:
    op = LOGIC[name]
    return _named(lambda self: op(self), name)


def _declared() -> dict[str, Callable[..., Any]]:
    """The methods that declarations ask for."""
    return {s.name: (_of if s.nargs == 1 else _with)(s.name) for s in SCALARS.values() if s.public not in ("", "ops")}


Declared: Any = type("Declared", (TensorBase,), {"__slots__": (), "__doc__": "Functions as declared.", **_declared()})


class Elementwise(Declared):
    """Methods of elementwise functions."""

    __slots__ = ()

    sqrt, rsqrt, square, reciprocal = _of("sqrt"), _of("rsqrt"), _of("square"), _of("reciprocal")
    neg = _of("neg")
    fix = Declared.trunc
    round = elementwise.rounded
    digamma = _of("digamma")
    frac, logit = _of("frac"), elementwise.logit
    deg2rad, rad2deg, nan_to_num = _of("deg2rad"), _of("rad2deg"), finite.nan_to_num
    heaviside = signs.heaviside
    lerp, ldexp, float_power = fused.lerp, exponents.ldexp, elementwise.float_power
    addcmul, addcdiv = fused.addcmul, fused.addcdiv
    addmm, addmv, addr, baddbmm = updates.addmm, updates.addmv, updates.addr, updates.baddbmm
    mul = multiply = _with("mul")
    add, sub = _scaled("add"), _scaled("sub")
    remainder, fmod, floor_divide = _with("remainder"), _with("fmod"), _with("floor_divide")
    logical_and, logical_or, logical_xor = _logic("logical_and"), _logic("logical_or"), _logic("logical_xor")
    bitwise_and, bitwise_or, bitwise_xor = _logic("bitwise_and"), _logic("bitwise_or"), _logic("bitwise_xor")
    bitwise_left_shift, bitwise_right_shift = _logic("bitwise_left_shift"), _logic("bitwise_right_shift")
    gcd, lcm = _logic("gcd"), _logic("lcm")
    logical_not, bitwise_not = _truth("logical_not"), _truth("bitwise_not")
    isnan, isinf, isfinite = _truth("isnan"), _truth("isinf"), _truth("isfinite")
    maximum, minimum, atan2 = _with("maximum"), _with("minimum"), _with("atan2")
    eq, ne, lt, le, gt, ge = _with("eq"), _with("ne"), _with("lt"), _with("le"), _with("gt"), _with("ge")
    pow = elementwise.power

    def div(self, other: Any, *, rounding_mode: str | None = None) -> Any:
        """Return x / other, rounded if ``rounding_mode`` says so."""
        return _quotient(self, other) if rounding_mode is None else elementwise.divided(self, other, rounding_mode)

    def clone(self, *, memory_format: Any = None) -> Any:
        """Return a copy of x, through which gradients flow."""
        return unary(UNARY["clone"], self)

    def polygamma(self, n: int) -> Any:
        """Return ψₙ(x), the n-th derivative of digamma."""
        return gamma.polygamma(self, n)

    subtract, divide, true_divide = sub, div, div
    clamp = elementwise.clip_to
    matmul = contract.matmul


class Shapes(TensorBase):
    """Operations that arrange and pick entries."""

    __slots__ = ()

    reshape, view, reshape_as, view_as = (
        arrange.reshape,
        arrange.view,
        arrange.reshape_as,
        arrange.reshape_as,
    )
    flatten, ravel, unflatten = arrange.flatten, arrange.ravel, arrange.unflatten
    squeeze, unsqueeze = arrange.squeeze, arrange.unsqueeze
    expand, expand_as, broadcast_to = arrange.expand, arrange.expand_as, arrange.broadcast_to
    repeat, tile, repeat_interleave = arrange.repeat, arrange.tile, arrange.repeat_interleave
    flip, roll, permute = arrange.flip, arrange.roll, arrange.permute
    transpose = swapdims = arrange.transpose
    swapaxes = arrange.swapaxes
    movedim = moveaxis = arrange.movedim
    t = arrange.t
    T = property(arrange.reverse_axes, doc="The tensor with its axes reversed: of a matrix, the transpose.")
    mT = property(arrange.mT, doc="The tensor with its last two axes swapped.")
    chunk, unbind = splitting.chunk, splitting.unbind

    def split(self, split_size: Any, dim: int = 0, *, axis: int | None = None) -> tuple[Any, ...]:
        """Split the tensor along an axis into parts of one size, or of the given sizes."""
        return splitting.split(self, split_size, dim, axis=axis)

    index_select, gather, take_along_dim = (
        gather_ops.index_select,
        gather_ops.gather,
        gather_ops.take_along_dim,
    )
    scatter, scatter_add, index_add = merging.scatter, gather_ops.scatter_add, gather_ops.index_add
    select, narrow = select_ops.select, select_ops.narrow
    masked_fill, masked_select = select_ops.masked_fill, select_ops.masked_select


class Reductions(TensorBase):
    """Operations along axes."""

    __slots__ = ()

    sum, mean, prod, all, any = reduce.sum, reduce.mean, reduce.prod, reduce.all, reduce.any
    var, std = variance.var, variance.std
    max, min, amax, amin = extremes.max, extremes.min, extremes.amax, extremes.amin
    argmax, argmin = extremes.argmax, extremes.argmin
    sort, argsort, topk, median, kthvalue = (
        sorting.sort,
        sorting.argsort,
        sorting.topk,
        sorting.median,
        sorting.kthvalue,
    )
    diff, dist, count_nonzero = calculus.diff, distances.dist, reduce.count_nonzero
    nansum = reduce.nansum
    cummax, cummin = sorting.cummax, sorting.cummin
    cumsum, cumprod = scan.cumsum, scan.cumprod
    logsumexp, softmax, log_softmax = softmax_ops.logsumexp, softmax_ops.softmax, softmax_ops.log_softmax
    norm = norms.norm


class Matrices(TensorBase):
    """Methods of linear algebra."""

    __slots__ = ()

    dot, mv, mm, bmm = products.dot, products.mv, products.mm, products.bmm
    outer, inner, kron = products.outer, products.inner, products.kron
    diag, diagonal, diag_embed = matrices.diag, matrices.diagonal, matrices.diag_embed
    trace, tril, triu = matrices.trace, matrices.tril, matrices.triu
    det, logdet, slogdet = determinant.det, determinant.logdet, determinant.slogdet
    inverse, cholesky, matrix_power = linalg.inv, linalg.cholesky, linalg.matrix_power
    matrix_exp, pinverse = expm.matrix_exp, pseudoinverse.pinverse
    stft, istft = spectra.stft, spectra.istft


def _write_real(self: Any, value: Any) -> None:
    """x.real = v: the real parts of x become v."""
    self.real.copy_(value)


def _write_imag(self: Any, value: Any) -> None:
    """x.imag = v: the imaginary parts of x become v."""
    if not complexes.holds_complex(self):
        raise DTypeError(
            f"imag: a tensor of {self.dtype} has no imaginary part to write to. Convert it: x.to(sg.complex128)."
        )
    self.imag.copy_(value)


class Arrays(TensorBase):
    """What the door ``arrays`` has, and PyTorch's second names."""

    __slots__ = ()

    absolute, negative, sgn, positive = _of("abs"), _of("neg"), _of("sign"), signs.positive
    arccos, arcsin, arctan, arctan2 = _of("acos"), _of("asin"), _of("atan"), _with("atan2")
    arccosh, arcsinh, arctanh = _of("acosh"), _of("asinh"), _of("atanh")
    greater, greater_equal, less, less_equal = _with("gt"), _with("ge"), _with("lt"), _with("le")
    not_equal, clip = _with("ne"), elementwise.clip_to
    signbit, isposinf, isneginf, isclose = signs.signbit, finite.isposinf, finite.isneginf, finite.isclose
    isreal = finite.isreal
    hardshrink = activations.hardshrink
    frexp, mvlgamma = exponents.frexp, gamma.mvlgamma
    conj, conj_physical, angle = complexes.conj, complexes.conj_physical, complexes.angle
    real = property(complexes.real, _write_real, doc="The real part; of real numbers the tensor itself.")
    imag = property(complexes.imag, _write_imag, doc="The imaginary part; of real numbers zeros.")
    resolve_conj, resolve_neg = signs.positive, signs.positive
    ger, vdot, diagflat = products.outer, products.vdot, matrices.diagflat
    H = property(arrange.mH, doc="The matrix transposed and conjugated.")
    mH = property(arrange.mH, doc="The tensor with its last two axes swapped, conjugated.")
    adjoint, narrow_copy = arrange.mH, select_ops.narrow_copy
    tensor_split, split_with_sizes = splitting.tensor_split, splitting.split_with_sizes
    hsplit, vsplit, dsplit = splitting.hsplit, splitting.vsplit, splitting.dsplit
    fliplr, flipud, rot90 = arrange.fliplr, arrange.flipud, arrange.rot90
    take, put, index_put, as_strided = placing.take, placing.put, placing.index_put, placing.as_strided
    index_copy, index_fill, masked_scatter = placing.index_copy, placing.index_fill, placing.masked_scatter
    select_scatter, slice_scatter = placing.select_scatter, placing.slice_scatter
    diagonal_scatter = placing.diagonal_scatter
    scatter_reduce, index_reduce = merging.scatter_reduce, merging.index_reduce
    logcumsumexp, nanmean, nanmedian = running.logcumsumexp, statistics.nanmean, statistics.nanmedian
    mode, aminmax, msort, renorm = statistics.mode, statistics.aminmax, statistics.msort, statistics.renorm
    quantile, nanquantile, histc = quantiles.quantile, quantiles.nanquantile, search.histc
    cov, corrcoef = statistics.cov, statistics.corrcoef
    cross, addbmm = multilinear.cross, updates.addbmm
    cholesky_solve, cholesky_inverse = triangles.cholesky_solve, triangles.cholesky_inverse
    triangular_solve, lu_solve, unfold = triangles.triangular_solve, lu.solve_with, folds.unfold

    def prelu(self, weight: Any) -> Any:
        """Return x for x > 0, and weight·x otherwise, with one weight or one per channel."""
        return activations.prelu(self, as_tensor(weight))

    def clamp_min(self, min: Any) -> Any:
        """Return max(x, min)."""
        return elementwise.CLAMP_MIN(self, min)

    def clamp_max(self, max: Any) -> Any:
        """Return min(x, max)."""
        return elementwise.CLAMP_MAX(self, max)


class Methods(Elementwise, Shapes, Reductions, Matrices, Arrays):
    """All operations that work as a method."""

    __slots__ = ()

    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the size of one axis."""
        sizes = shape(self)
        return sizes if dim is None else sizes[axis_of(dim, len(sizes))]

    def dim(self) -> int:
        """Return the number of axes."""
        return len(shape(self))

    def numel(self) -> Any:
        """Return the number of entries."""
        return total(shape(self))

    def where(self, condition: Any, other: Any) -> Any:
        """Return the entries of this tensor where the condition holds, and those of other elsewhere."""
        return elementwise.where(as_tensor(condition), self, other)

    contiguous = contiguous
