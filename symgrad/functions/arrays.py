"""More public functions: pieces and grids, writing at places, statistics, integrals, and torch's second names.

As in ``functions``, only the door: what they compute stands in ``ops``.
"""

from __future__ import annotations

from typing import Any

from symgrad.engine.public import public, public_all
from symgrad.engine.record import as_tensor
from symgrad.errors import shown_as
from symgrad.functions.functions import (
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    ge,
    gt,
    le,
    lt,
    ne,
    neg,
    outer,
    sign,
    sub,
    take_along_dim,
)
from symgrad.linalg import multi_dot
from symgrad.ops.elementwise import declared as elementwise
from symgrad.ops.elementwise import exponents, finite, gamma, signs
from symgrad.ops.indexing import placing
from symgrad.ops.linalg import lu, matrices, multilinear, products, triangles, updates
from symgrad.ops.reductions import calculus, merging, running
from symgrad.ops.shapes import arrange, grids, join, sizes, splitting
from symgrad.ops.sorting import quantiles, search, statistics

__all__ = [
    "absolute", "addbmm", "aminmax", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "bucketize", "cartesian_prod",
    "chain_matmul", "cholesky_inverse", "cholesky_solve", "clamp_max", "clamp_min", "column_stack", "combinations",
    "conj", "corrcoef", "cov", "cross", "cumulative_trapezoid", "diagflat", "diagonal_scatter", "dsplit", "dstack",
    "fliplr", "flipud", "frexp", "ger", "greater", "greater_equal", "histc", "hsplit", "index_copy", "index_fill",
    "index_put", "index_reduce", "isclose", "isneginf", "isposinf", "less", "less_equal", "logcumsumexp", "lu_solve",
    "masked_scatter", "meshgrid", "mode", "msort", "mvlgamma", "nanmean", "nanmedian", "nanquantile", "negative",
    "not_equal", "positive", "quantile", "real", "renorm", "rot90", "rsub", "scatter_reduce", "searchsorted",
    "select_scatter", "sgn", "signbit", "slice_scatter", "split_with_sizes", "take", "tensor_split", "tensordot",
    "trapezoid", "trapz", "triangular_solve", "vander", "vdot", "vsplit",
]  # fmt: skip

# ------------------------------------------------------------------ torch's second names
absolute, negative, sgn, ger, vdot = abs, neg, sign, outer, public(products.vdot)
arccos, arcsin, arctan, arctan2 = acos, asin, atan, atan2
arccosh, arcsinh, arctanh = acosh, asinh, atanh
greater, greater_equal, less, less_equal, not_equal = gt, ge, lt, le, ne


def _chain_matmul(*matrices: Any) -> Any:
    return multi_dot(matrices)


chain_matmul = public_all(shown_as("chain_matmul")(_chain_matmul), "chain_matmul", multi_dot.__doc__)


# ------------------------------------------------------------------ elementwise
signbit, isposinf, isneginf = public(signs.signbit), public(finite.isposinf), public(finite.isneginf)
isclose, frexp, mvlgamma = public(finite.isclose), public(exponents.frexp), public(gamma.mvlgamma)
real = conj = positive = public(signs.real)


def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """other - alpha · x.

    Args:
        input, other: x and the other; tensors, arrays or numbers, broadcast against each other.
        alpha: a number.

    Returns:
        A tensor of the broadcast shape.

    >>> sg.rsub(sg.tensor(1.0), 3)
    tensor(2.)
    """
    return sub(other, input, alpha=alpha)


@public
def clamp_min(input: Any, min: Any) -> Any:
    """max(x, min), the edge counting as inside.

    >>> sg.clamp_min(sg.tensor([1.0, 3.0]), 2.0)
    tensor([2., 3.])
    """
    return elementwise.CLAMP_MIN(input, min)


@public
def clamp_max(input: Any, max: Any) -> Any:
    """min(x, max), the edge counting as inside.

    >>> sg.clamp_max(sg.tensor([1.0, 3.0]), 2.0)
    tensor([1., 2.])
    """
    return elementwise.CLAMP_MAX(input, max)


# ------------------------------------------------------------------ pieces and grids
atleast_1d, atleast_2d = public_all(sizes.atleast_1d), public_all(sizes.atleast_2d)
atleast_3d, block_diag = public_all(sizes.atleast_3d), public_all(join.block_diag)
dstack, column_stack = public(join.dstack), public(join.column_stack)
tensor_split, split_with_sizes = public(splitting.tensor_split), public(splitting.split_with_sizes, "tensor")
hsplit, vsplit, dsplit = public(splitting.hsplit), public(splitting.vsplit), public(splitting.dsplit)
broadcast_tensors, meshgrid = public_all(grids.broadcast_tensors), public_all(grids.meshgrid)
cartesian_prod, combinations = public_all(grids.cartesian_prod), public(grids.combinations)
fliplr, flipud, rot90 = public(arrange.fliplr), public(arrange.flipud), public(arrange.rot90)
diagflat = public(matrices.diagflat)

# ------------------------------------------------------------------ writing at places
take, index_put = public(placing.take), public(placing.index_put)
index_copy, index_fill, masked_scatter = (
    public(placing.index_copy),
    public(placing.index_fill),
    public(placing.masked_scatter),
)
select_scatter, slice_scatter = public(placing.select_scatter), public(placing.slice_scatter)
diagonal_scatter = public(placing.diagonal_scatter)
scatter_reduce, index_reduce = public(merging.scatter_reduce), public(merging.index_reduce)

# ------------------------------------------------------------------ along axes
logcumsumexp = public(running.logcumsumexp)
trapezoid, trapz = public(calculus.trapezoid), public(calculus.trapezoid)
cumulative_trapezoid = public(calculus.cumulative_trapezoid)
nanmean, nanmedian, mode = public(statistics.nanmean), public(statistics.nanmedian), public(statistics.mode)
aminmax, msort, renorm = public(statistics.aminmax), public(statistics.msort), public(statistics.renorm)
cov, corrcoef = public(statistics.cov), public(statistics.corrcoef)
quantile, nanquantile = public(quantiles.quantile), public(quantiles.nanquantile)
histc = public(search.histc)


@public
def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """As searchsorted, with the values first: the bucket of each v between ordered boundaries.

    Args:
        input: v, a number or tensor.
        boundaries: b (n,), in ascending order. v is in bucket k where b_{k-1} < v ≤ b_k.
        out_int32: return int32 rather than int64.
        right: bucket k is where b_{k-1} ≤ v < b_k.

    Returns:
        An integer tensor shaped like input, without gradient.

    Raises:
        ShapeError: boundaries is no vector.

    >>> sg.bucketize(sg.tensor([1.0, 2.5]), sg.tensor([1.0, 2.0, 3.0]))
    tensor([0, 2])
    """
    return search.bucketize(input, as_tensor(boundaries), out_int32=out_int32, right=right)


@public
def searchsorted(
    sorted_sequence: Any, input: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Any = None,
) -> Any:  # fmt: skip
    """Where each v belongs in an ordered row: the number of entries below v, or with ``right`` not above it.

    Args:
        sorted_sequence: (n,), or (…, n) with the leading axes of input; in ascending order along the last axis.
        input: v, a number or tensor.
        out_int32: return int32 rather than int64.
        right, side: count entries equal to v as well; side is "left" or "right".
        sorter: the order of sorted_sequence as ``argsort`` returns it, where it is not sorted itself.

    Returns:
        An integer tensor shaped like input, without gradient.

    Raises:
        ShapeError: the leading axes differ. ArgumentError: right and side contradict each other.

    >>> sg.searchsorted(sg.tensor([1.0, 2.0, 3.0]), sg.tensor([2.0, 5.0]))
    tensor([1, 3])
    """
    if sorter is not None:
        sorted_sequence = take_along_dim(sorted_sequence, sorter, -1)
    return search.searchsorted(sorted_sequence, as_tensor(input), out_int32=out_int32, right=right, side=side)


# ------------------------------------------------------------------ products and systems
tensordot, cross, addbmm = public(multilinear.tensordot), public(multilinear.cross), public(updates.addbmm)
cholesky_solve, cholesky_inverse = public(triangles.cholesky_solve), public(triangles.cholesky_inverse)
triangular_solve = public(triangles.triangular_solve)


lu_solve = public(lu.solve_with)


@public
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The Vandermonde matrix V[i, k] = x_i^(N - 1 - k), or x_i^k if increasing.

    Args:
        x: (n,).
        N: the number of powers, n by default.
        increasing: begin with the power 0.

    Returns:
        A matrix (n, N).

    >>> sg.vander(sg.tensor([2.0, 3.0]), 3)
    tensor([[4., 2., 1.],
            [9., 3., 1.]])
    """
    return multilinear.powers(x, N, increasing)
