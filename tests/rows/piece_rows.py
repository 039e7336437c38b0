"""Rows of the test table for what the door ``arrays`` has, and linear algebra with factors; collected in cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any

from table import Row, Spec, apart, between, bools, evens, ints, nonzero, odds, raw, real, square, upright

ROWS: list[Row] = []


def row(name: str, f: Callable[..., Any], *samples: tuple[Spec, ...], **known: Any) -> None:
    """Add a row."""
    ROWS.append(Row(name, f, samples, **known))


def flat(L: Any, tensors: Sequence[Any]) -> Any:
    """All entries of several tensors in one vector, each tensor weighted differently."""
    return L.cat([(k + 1) * L.reshape(t, (-1,)) for k, t in enumerate(tensors)])


positive = between(0.3, 2.0)

# fmt: off
# ------------------------------------------------------------------ second names, signs
for _name, _make in (("absolute", nonzero), ("negative", real), ("sgn", nonzero), ("positive", real), ("conj", real),
                     ("conj_physical", real), ("real", real), ("arccos", between(-0.9, 0.9)),
                     ("arcsin", between(-0.9, 0.9)), ("arctan", real),
                     ("arccosh", between(1.1, 4.0)), ("arcsinh", real), ("arctanh", between(-0.9, 0.9))):
    row(_name, lambda L, x, _n=_name: getattr(L, _n)(x) * 2, (_make(3),))
row("arctan2, ger, vdot", lambda L, x, z: L.ger(L.arctan2(x, z), z) * L.vdot(x, z), (nonzero(2), nonzero(2)))
row("comparisons by their second names", lambda L, x, z: flat(L, [getattr(L, n)(x, z).to(L.float64) for n in (
    "greater", "greater_equal", "less", "less_equal", "not_equal")]), (raw([1.0, 2.0]), raw([1.0, 3.0])), discrete=True)
row("signbit", lambda L, x: L.signbit(x), (raw([-1.0, 0.0, 2.0]),), (ints([-1, 0]),), discrete=True)
row("isreal", lambda L, x: L.isreal(x), (raw([1.0, nan]),), discrete=True)
row("isposinf, isneginf", lambda L, x: L.isposinf(x) | L.isneginf(x * 2 + 1), (raw([1.0, inf, -inf, nan]),),
    discrete=True)
row("isclose", lambda L, x, z: L.isclose(x, z, rtol=0.1, atol=0.05, equal_nan=True),
    (raw([1.0, 0.04, 3.0, inf, -inf, nan, 1.0]), raw([1.05, 0.0, 2.0, inf, inf, nan, inf])), discrete=True)
row("frexp", lambda L, x: L.frexp(x).mantissa, (raw([12.0, -0.3, 1.5]),), (between(1.1, 1.9)(2, 3),),
    peer=lambda T, x: T.frexp(x)[0])
row("exponent of frexp", lambda L, x: L.frexp(x).exponent, (raw([12.0, -0.3, 0.0, 1.0]),), discrete=True,
    peer=lambda T, x: T.frexp(x)[1])
row("mvlgamma", lambda L, x: L.mvlgamma(x, 3), (between(1.6, 5.0)(3),))
row("rsub", lambda L, x, z: L.rsub(x, z, alpha=2), (real(3), real(2, 1)), analytic=True)
row("clamp_min, clamp_max", lambda L, x: L.clamp_min(x, -0.05) * L.clamp_max(x, 0.15), (apart(5),))

# ------------------------------------------------------------------ pieces and grids
for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    row(_name, lambda L, x, _n=_name: getattr(L, _n)(x), (real(),), (real(3),), (real(2, 3),), (real(2, 1, 2),),
        analytic=True)
row("atleast_2d of several", lambda L, x, z: L.cat([L.reshape(t, (-1,)) for t in L.atleast_2d(x, z)]),
    (real(), real(2)), analytic=True)
row("dstack", lambda L, x, z: L.dstack([x, z]), (real(2), real(2)), (real(2, 1), real(2, 1)), (real(), real()),
    analytic=True)
row("column_stack", lambda L, x, z: L.column_stack([x, z]), (real(2), real(2)), (real(2), real(2, 2)),
    (real(), real()), analytic=True)
row("block_diag", lambda L, x, z, w: L.block_diag(x, z, w), (real(2, 1), real(2), real()), analytic=True)
row("broadcast_tensors", lambda L, x, z: flat(L, L.broadcast_tensors(x, z)), (real(2, 1), real(3)), analytic=True)
row("meshgrid", lambda L, x, z: flat(L, L.meshgrid(x, z, indexing="ij")), (real(2), real(3)), (real(2), real()),
    analytic=True)
row("meshgrid xy", lambda L, x, z: L.meshgrid(x, z, indexing="xy")[0] * L.meshgrid(x, z, indexing="xy")[1],
    (real(2), real(3)), analytic=True)
row("cartesian_prod", lambda L, x, z: L.cartesian_prod(x, z), (real(2), real(3)), analytic=True)
row("combinations", lambda L, x: L.combinations(x), (real(4),), (real(1),), analytic=True)
row("combinations of three with replacement", lambda L, x: L.combinations(x, 3, True), (real(2),), analytic=True)
row("tensor_split", lambda L, x: flat(L, L.tensor_split(x, 3)), (real(5),), (real(4, 2),), analytic=True)
row("tensor_split at places", lambda L, x: flat(L, L.tensor_split(x, (1, 3), dim=1)), (real(2, 4),), (real(1, 2),),
    analytic=True)
row("split_with_sizes", lambda L, x: flat(L, L.split_with_sizes(x, [1, 2], 1)), (real(2, 3),), analytic=True)
row("hsplit", lambda L, x: flat(L, L.hsplit(x, 2)), (real(4),), (real(3, 2),), analytic=True)
row("vsplit, dsplit", lambda L, x: flat(L, L.vsplit(x, 2)) + flat(L, L.dsplit(x, [1])), (real(2, 1, 2),), analytic=True)
row("fliplr", lambda L, x: L.fliplr(x), (real(2, 3),), analytic=True)
row("flipud", lambda L, x: L.flipud(x), (real(3),), (real(2, 3),), analytic=True)
for _k in (-1, 0, 1, 2):
    row(f"rot90 {_k}", lambda L, x, _k=_k: L.rot90(x, _k), (real(2, 3),), analytic=True)
row("rot90 other axes", lambda L, x: L.rot90(x, 1, (2, 0)), (real(2, 1, 3),), analytic=True)
row("diagflat", lambda L, x: L.diagflat(x, 1), (real(2),), (real(1, 2),), (real(),), analytic=True)

# ------------------------------------------------------------------ writing at places
row("take", lambda L, x, i: L.take(x, i), (real(2, 2), ints([[3, 0], [-1, 3]])), (real(3), ints([])), analytic=True)
row("read at inputs", lambda L, x, i: L.ops.indexing.lookup.DynamicGather((1,))(x, i),
    (real(2, 3), ints([[2, 0], [-1, 2]])), (real(2, 3, 2), ints([1, 1])), (real(0, 2), ints([0])),
    peer=lambda T, x, i: x[:, i], analytic=True)
row("read at two inputs", lambda L, x, i, j: L.ops.indexing.lookup.DynamicGather((0, 2))(x, i, j),
    (real(2, 2, 3), ints([[1], [0]]), ints([2, -1, 2])), peer=lambda T, x, i, j: x[i, :, j], analytic=True)
row("added at inputs", lambda L, g, i:
    L.ops.indexing.lookup.DynamicScatterAdd(L.ops.indexing.lookup.DynamicGather((1,)), (2, 3))(g, i),
    (real(2, 4), ints([2, 0, 2, -1])), peer=lambda T, g, i: T.zeros(2, 3, dtype=g.dtype).index_add(1, i % 3, g),
    analytic=True)
row("put", lambda L, x, i, v: x.put(i, v), (real(2, 2), ints([3, 0]), real(2)), analytic=True)
row("put adding", lambda L, x, i, v: x.put(i, v, accumulate=True), (real(2, 2), ints([3, 0, 3]), real(3)),
    analytic=True)
row("index_put", lambda L, x, i, v: L.index_put(x, (i,), v), (real(3), ints([2, 0]), real(2)),
    (real(3, 2), ints([2, 0]), real(2)), analytic=True)
row("index_put adding", lambda L, x, i, v: L.index_put(x, (i,), v, accumulate=True),
    (real(3), ints([2, 0, 2]), real(3)), (real(3, 2), ints([2, 2]), real(1, 2)), (real(2), ints([1, 1]), real()),
    analytic=True)
row("index_put at a mask", lambda L, x, m, v: L.index_put(x, (m,), v, accumulate=True),
    (real(2, 2), bools([[True, False], [True, True]]), real()), analytic=True)
row("index_copy", lambda L, x, i, v: L.index_copy(x, 1, i, v), (real(2, 3), ints([2, 0]), real(2, 2)), analytic=True)
row("index_fill", lambda L, x, i, v: L.index_fill(x, 1, i, v), (real(2, 3), ints([2, 0]), real()), analytic=True)
row("index_fill with a number", lambda L, x, i: L.index_fill(x, 0, i, 3.0), (real(3), ints([1])), analytic=True)
row("masked_scatter", lambda L, x, m, v: L.masked_scatter(x, m, v),
    (real(2, 2), bools([[True, False], [True, True]]), real(4)), (real(2, 2), bools([True, False]), real(2)),
    analytic=True)
for _r in ("sum", "prod", "mean", "amax", "amin"):
    row(f"scatter_reduce {_r}", lambda L, x, i, v, _r=_r: L.scatter_reduce(x, 0, i, v, _r),
        (evens(4), ints([0, 2, 0, 0]), odds(4)))
    row(f"scatter_reduce {_r} without x", lambda L, x, i, v, _r=_r: L.scatter_reduce(x, 1, i, v, _r,
        include_self=False), (evens(2, 3), ints([[0, 0], [1, 1]]), odds(2, 2)),
        **({"peer": None} if _r == "prod" else {}))  # torch has no second derivative of it
for _r in ("prod", "mean", "amax", "amin"):
    row(f"index_reduce {_r}", lambda L, x, i, v, _r=_r: x.index_reduce(1, i, v, _r),
        (evens(2, 3), ints([0, 2, 0]), odds(2, 3)))
row("index_reduce", lambda L, x, i, v: L.index_reduce(x, 0, i, v, "mean", include_self=False),
    (real(3), ints([0, 0]), real(2)), peer=lambda T, x, i, v: x.index_reduce(0, i, v, "mean", include_self=False))
row("select_scatter", lambda L, x, v: L.select_scatter(x, v, 1, -1), (real(2, 3), real(2)), analytic=True)
row("slice_scatter", lambda L, x, v: L.slice_scatter(x, v, 1, 0, 3, 2), (real(2, 3), real(2, 2)), analytic=True)
row("diagonal_scatter", lambda L, x, v: L.diagonal_scatter(x, v), (real(2, 3), real(2)), analytic=True)
row("diagonal_scatter below, of others", lambda L, x, v: L.diagonal_scatter(x, v, -1, 2, 0),
    (real(2, 2, 3), real(2, 2)), analytic=True)

# ------------------------------------------------------------------ along axes
row("logcumsumexp", lambda L, x: L.logcumsumexp(x, 0), (real(),), (real(4),), (real(3, 2),))
row("logcumsumexp last", lambda L, x: L.logcumsumexp(x, -1), (real(2, 3),))
row("trapezoid", lambda L, y: L.trapezoid(y), (real(4),), (real(2, 3),), (real(1),), analytic=True)
row("trapezoid dx, dim", lambda L, y: L.trapezoid(y, dx=0.5, dim=0), (real(3, 2),), analytic=True)
row("trapezoid x", lambda L, y, x: L.trapezoid(y, x, dim=0), (real(3), real(3)), (real(3, 2), real(3)),
    (real(3, 2), real(3, 2)), analytic=True)
row("trapz", lambda L, y, x: L.trapz(y, x), (real(2, 3), real(3)), analytic=True)
row("cumulative_trapezoid", lambda L, y, x: L.cumulative_trapezoid(y, x), (real(2, 3), real(3)),
    (real(2, 3), real(2, 3)), analytic=True)
row("simpson", lambda L, y: L.simpson(y), (real(5),), (real(2, 4),), (real(2),), peer=None, analytic=True)
row("simpson dx, dim", lambda L, y: L.simpson(y, dx=0.5, dim=0), (real(3, 2),), (real(4, 2),), peer=None, analytic=True)
row("simpson x", lambda L, y, x: L.simpson(y, x, dim=0), (real(3), odds(3)), (real(4, 2), odds(4)),
    (real(5, 2), odds(5, 2)), peer=None, analytic=True)
row("nanmean", lambda L, x: L.nanmean(x), (real(),), (real(3),), (real(2, 3),))
row("nanmean dim", lambda L, x: L.nanmean(x, 1, keepdim=True), (real(2, 3),))
row("nanmean where some are nan", lambda L, x: L.nanmean(x, 0), (raw([[1.0, nan], [2.0, 5.0]]),), discrete=True)
row("nanmedian", lambda L, x: L.nanmedian(x), (apart(3),), (apart(2, 2),), (apart(),))
row("nanmedian dim", lambda L, x: L.nanmedian(x, 1).values, (apart(2, 3),), (apart(2, 4),))
row("nanmedian where some are nan", lambda L, x: L.cat([L.reshape(L.nanmedian(x), (1,)), L.nanmedian(x, 1).values]),
    (raw([[1.0, nan, 3.0, 2.0], [nan, nan, nan, nan], [5.0, 4.0, nan, nan]]),), discrete=True)
row("mode", lambda L, x: L.mode(x, 0).values, (apart(3),), (apart(3, 2),), (raw([2.0, 2.0, 5.0]),), rtol=1.0)
row("index of mode", lambda L, x: L.mode(x).indices, (raw([3.0, 1.0, 2.0, 1.0, 3.0]),), (raw([2.0, 5.0, 2.0, 2.0]),),
    (ints([[3, 2, 1], [1, 2, 2]]),), discrete=True)
row("aminmax", lambda L, x: L.aminmax(x).max - 2 * L.aminmax(x).min, (apart(),), (apart(4),), (apart(2, 3),))
row("aminmax dim", lambda L, x: L.aminmax(x, dim=1, keepdim=True).max * L.aminmax(x, dim=1).min, (apart(2, 3),))
row("msort", lambda L, x: L.msort(x), (apart(3),), (apart(3, 2),))
for _way in ("linear", "lower", "higher", "midpoint", "nearest"):
    row(f"quantile {_way}", lambda L, x, _w=_way: L.quantile(x, 0.3, interpolation=_w), (apart(3),), (apart(2, 2),))
row("quantile of several, dim", lambda L, x, q: L.quantile(x, q, dim=1), (apart(2, 2), raw([0.1, 0.75])),
    (apart(2, 2, 1), raw([0.3])), fixed=(1,))
row("quantile in q", lambda L, x, q: L.quantile(x, q, dim=0, keepdim=True), (apart(2), raw([0.2, 0.77])),
    (apart(2, 2), raw(0.3)))
row("nanquantile", lambda L, x: L.nanquantile(x, 0.3, dim=0), (apart(2),), (apart(2, 2),))
row("quantiles where some are nan", lambda L, x: flat(L, [L.quantile(x, 0.6, dim=1), L.nanquantile(x, 0.6, dim=1)]),
    (raw([[1.0, nan, 3.0, 2.0], [nan, nan, nan, nan], [5.0, 4.0, 1.0, 0.0]]),), discrete=True)
row("histc", lambda L, x: L.histc(x, 4, -1.0, 2.0), (raw([0.1, 2.0, -3.0, 1.9, 0.5]),), discrete=True)
row("histc between the ends of x", lambda L, x: L.histc(x, 3), (raw([[0.1, 2.0], [1.9, 0.5]]),), discrete=True)
row("histogram", lambda L, x: L.histogram(x, 2, range=(-1.0, 2.0)).hist, (raw([0.1, 2.0]),), discrete=True)
row("histogramdd", lambda L, x: L.histogramdd(x, [2, 1], range=[-1.0, 2.0, 0.0, 3.0]).hist,
    (raw([[0.1, 2.0]]),), discrete=True)
row("searchsorted", lambda L, s, v: L.searchsorted(s, v), (raw([1.0, 2.0, 2.0, 3.0]), raw([2.0, 0.0, 5.0, 2.5])),
    (raw([[1.0, 2.0], [5.0, 6.0]]), raw([[1.5], [7.0]])), discrete=True)
row("searchsorted right", lambda L, s, v: L.searchsorted(s, v, right=True), (raw([1.0, 2.0, 2.0]), raw([2.0, 0.0])),
    (raw([1.0, 2.0]), raw(1.0)), discrete=True)
row("isin", lambda L, x, t: L.isin(x, t), (raw([1.0, 2.0, 3.0]), raw([2.0, 5.0])), (raw([[1.0]]), raw([1.0])),
    discrete=True)
row("as_strided", lambda L, x: L.as_strided(x, (2, 2), (1, 1), 1), (apart(4),), (apart(2, 2),))
row("bucketize", lambda L, v, b: L.bucketize(v, b) + L.bucketize(v, b, right=True, out_int32=True),
    (raw([[2.0, 0.0], [5.0, 2.5]]), raw([1.0, 2.0, 3.0])), discrete=True)
row("cov", lambda L, x: L.cov(x), (real(3),), (real(2, 4),), analytic=True)
row("cov weighted", lambda L, x, f, a: L.cov(x, correction=0, fweights=f, aweights=a),
    (real(2, 3), ints([1, 2, 1]), positive(3)), analytic=True)
row("cov weighted, corrected", lambda L, x, a: L.cov(x, aweights=a), (real(2, 3), positive(3)), analytic=True)
row("corrcoef", lambda L, x: L.corrcoef(x), (real(2, 4),), (real(3, 4),))
row("renorm", lambda L, x: L.renorm(x, 2, 0, 1.0), (raw([[0.3, 0.4], [3.0, -4.0]]),), (apart(2, 2, 2),))

# ------------------------------------------------------------------ products
row("tensordot", lambda L, x, z: L.tensordot(x, z), (real(2, 3, 2), real(3, 2)), (real(2, 2), real(2, 2)),
    analytic=True)
row("tensordot over one, none", lambda L, x, z: L.tensordot(L.tensordot(x, z, 1), z, 0), (real(2, 3), real(3)),
    analytic=True)
row("tensordot over listed axes", lambda L, x, z: L.tensordot(x, z, dims=([1, 0], [0, 2])),
    (real(2, 3, 2), real(3, 1, 2)), analytic=True)
row("cross", lambda L, x, z: L.cross(x, z, dim=-1), (real(3), real(3)), (real(2, 3), real(1, 3)), analytic=True)
row("cross along the first of three", lambda L, x, z: L.cross(x, z), (real(3, 2), real(3, 2)), analytic=True)
row("linalg.cross", lambda L, x, z: L.linalg.cross(x, z, dim=0), (real(3, 2), real(3, 1)), analytic=True)
row("linalg.vecdot", lambda L, x, z: L.linalg.vecdot(x, z), (real(3), real(3)), (real(2, 3), real(3)), analytic=True)
row("linalg.vecdot dim", lambda L, x, z: L.linalg.vecdot(x, z, dim=0), (real(2, 3), real(2, 1)), analytic=True)
row("addbmm", lambda L, x, a, b: L.addbmm(x, a, b, beta=2, alpha=3), (real(2, 2), real(2, 2, 3), real(2, 3, 2)),
    (real(2), real(1, 2, 1), real(1, 1, 2)), analytic=True)
row("chain_matmul", lambda L, x, z, w: L.chain_matmul(x, z, w), (real(2, 1), real(1, 3), real(3, 2)), analytic=True)
row("vander", lambda L, x: L.vander(x) + L.vander(x, increasing=True), (real(3),), analytic=True,
    peer=lambda T, x: T.linalg.vander(x).flip(-1) + T.linalg.vander(x))
row("linalg.vander", lambda L, x: L.linalg.vander(x, N=4), (real(3),), (real(2, 2),), analytic=True)

# ------------------------------------------------------------------ systems
row("cholesky_solve", lambda L, b, A: L.cholesky_solve(b, L.tril(A)), (real(2, 1), upright(2, 2)),
    (real(2, 2, 1), upright(2, 2, 2)))
row("cholesky_solve upper", lambda L, b, A: L.cholesky_solve(b, L.triu(A), upper=True), (real(2, 2), upright(2, 2)))
row("cholesky_solve by a whole factor", lambda L, b, A: L.cholesky_solve(b, A), (real(2, 1), upright(2, 2)),
    peer=lambda T, b, A: T.linalg.solve(A @ A.mT, b))
row("cholesky_inverse", lambda L, A: L.cholesky_inverse(L.tril(A)), (upright(2, 2),), (upright(3, 3),))
row("triangular_solve", lambda L, b, A: L.triangular_solve(b, A).solution, (real(2, 1), upright(2, 2)))
row("triangular_solve transposed", lambda L, b, A: L.triangular_solve(b, A, upper=False, transpose=True)[0],
    (real(2, 1), upright(2, 2)))
row("triangular_solve with ones", lambda L, b, A: L.triangular_solve(b, A, unitriangular=True)[0],
    (real(2, 2), upright(2, 2)))
for _p in (None, 2, -2, 1, inf, "fro", "nuc"):
    row(f"linalg.cond {_p}", lambda L, A, _p=_p: L.linalg.cond(A, _p), (square(2, 2),),
        *([(real(3, 2),)] if _p in (None, 2, -2) else []),
        peer=lambda T, A, _p=_p: T.linalg.cond(A, _p) if _p in (None, 2, -2) else (
            T.linalg.norm(A, _p) * T.linalg.norm(T.linalg.inv(A), _p)))
row("linalg.tensorinv", lambda L, A: L.linalg.tensorinv(L.reshape(A, (2, 1, 2)), ind=1), (square(2, 2),))
row("linalg.tensorsolve", lambda L, A, b: L.linalg.tensorsolve(L.reshape(A, (2, 1, 2)), b), (square(2, 2), real(2, 1)))
row("linalg.tensorsolve dims", lambda L, A, b: L.linalg.tensorsolve(L.reshape(A, (2, 2, 1)), b, dims=(0,)),
    (square(2, 2), real(2, 1)))
row("linalg.householder_product", lambda L, A, t: L.linalg.householder_product(A, t), (real(3, 2), real(2)),
    (real(2, 2), real(1)), (real(2, 2, 1), real(2, 1)), analytic=True)
row("linalg.lu_factor", lambda L, A: L.linalg.lu_factor(A).LU, (square(2, 2),), (square(3, 3),), (square(2, 2, 2),),
    peer=lambda T, A: T.linalg.lu_factor(A)[0])
row("linalg.lu_factor of more rows, more columns", lambda L, A: L.linalg.lu_factor(A)[0], (real(2, 3),), (real(3, 2),))
row("linalg.lu", lambda L, A: flat(L, L.linalg.lu(A)), (square(2, 2),), (real(3, 2),), (real(2, 3),))
row("linalg.lu_factor_ex", lambda L, A: L.linalg.lu_factor_ex(A).LU, (square(2, 2),),
    peer=lambda T, A: T.linalg.lu_factor_ex(A)[0])
row("linalg.inv_ex", lambda L, A: L.linalg.inv_ex(A).inverse, (square(2, 2),))
row("linalg.solve_ex", lambda L, A, b: L.linalg.solve_ex(A, b)[0], (square(2, 2), real(2)),
    peer=lambda T, A, b: T.linalg.solve(A, b))
row("cholesky_ex", lambda L, A: L.linalg.cholesky_ex((A + A.mT) / 2)[0], (upright(2, 2),))
row("where factorisations fail", lambda L, A: L.stack([
    L.linalg.inv_ex(A).info, L.linalg.cholesky_ex(A).info, L.linalg.lu_factor_ex(A)[2], L.linalg.ldl_factor_ex(A)[2],
]), (raw([[[2.0, 1.0], [1.0, 3.0]], [[1.0, 2.0], [2.0, 4.0]], [[0.0, 1.0], [1.0, 0.0]]]),), discrete=True)
row("pivots of LU", lambda L, A: L.linalg.lu_factor(A)[1], (square(3, 3),), (real(3, 2),), discrete=True)
row("linalg.lu_solve", lambda L, A, b: L.linalg.lu_solve(*L.linalg.lu_factor(A), b), (square(2, 2), real(2, 1)),
    (square(2, 2, 2), real(2, 2, 1)))
row("linalg.lu_solve right, adjoint", lambda L, A, b: L.linalg.lu_solve(*L.linalg.lu_factor(A), b, left=False)
    + L.linalg.lu_solve(*L.linalg.lu_factor(A), b.mT, adjoint=True).mT, (square(2, 2), real(1, 2)))
row("lu_solve", lambda L, A, b: L.lu_solve(b, *L.linalg.lu_factor(A)), (square(2, 2), real(2, 2)),
    peer=lambda T, A, b: T.linalg.lu_solve(*T.linalg.lu_factor(A), b))

# ------------------------------------------------------------------ windows
row("unfold", lambda L, x: x.unfold(-1, 2, 1), (real(3),), (real(2, 3),), analytic=True)
row("unfold step, dim", lambda L, x: x.unfold(0, 2, 2), (real(5),), (real(4, 2),),
    analytic=True)
row("F.unfold", lambda L, x: L.nn.functional.unfold(x, 2), (real(1, 1, 3, 3),), (real(2, 2, 3),), analytic=True)
row("F.unfold padding, stride, dilation", lambda L, x: L.nn.functional.unfold(x, (2, 1), padding=(1, 0), stride=2,
    dilation=2), (real(1, 2, 3, 2),), analytic=True)
row("F.fold", lambda L, x: L.nn.functional.fold(x, 3, 2), (real(1, 4, 4),), (real(8, 4),), analytic=True)
row("F.fold padding, stride", lambda L, x: L.nn.functional.fold(x, (3, 2), 2, padding=1, stride=(1, 2)),
    (real(1, 4, 8),), analytic=True)
row("F.conv_transpose1d", lambda L, x, W, b: L.nn.functional.conv_transpose1d(x, W, b),
    (real(1, 2, 3), real(2, 1, 2), real(1)), (real(1, 2), real(1, 2, 2), real(2)), analytic=True)
row("F.conv_transpose1d stride, padding, groups",
    lambda L, x, W: L.nn.functional.conv_transpose1d(x, W, stride=2, padding=1, output_padding=1, groups=2, dilation=2),
    (real(1, 2, 3), real(2, 1, 2)), analytic=True)
row("F.conv_transpose2d", lambda L, x, W: L.nn.functional.conv_transpose2d(x, W, stride=(1, 2), padding=(0, 1)),
    (real(1, 1, 2, 2), real(1, 2, 2, 2)), analytic=True)
row("F.adaptive_avg_pool1d", lambda L, x: L.nn.functional.adaptive_avg_pool1d(x, 3), (real(1, 2, 5),), (real(1, 2),),
    analytic=True)
row("F.adaptive_avg_pool2d", lambda L, x: L.nn.functional.adaptive_avg_pool2d(x, (2, None)), (real(1, 1, 3, 2),),
    analytic=True)


def margins(T: Any, x: Any, t: Any, p: int = 1, margin: float = 1.0, w: Any = None) -> Any:
    """The terms of torch's multi_margin_loss, whose own gradient is not differentiated again."""
    lost = T.clamp(margin - x.gather(-1, t[..., None]) + x, min=0) ** p
    lost = lost if w is None else lost * w[t][..., None]
    return T.where(T.arange(x.shape[-1]) != t[..., None], lost, 0.0).sum(-1) / x.shape[-1]


for _r in ("mean", "sum", "none"):
    row(f"F.multi_margin_loss {_r}", lambda L, x, t, _r=_r: L.nn.functional.multi_margin_loss(x, t, reduction=_r),
        (apart(2, 3), ints([2, 0])), (apart(3), ints(1)),
        peer=lambda T, x, t, _r=_r: margins(T, x, t) if _r == "none" else getattr(T, _r)(margins(T, x, t)))
row("F.multi_margin_loss p, weight", lambda L, x, t, w: L.nn.functional.multi_margin_loss(x, t, 2, 0.33, w),
    (apart(2, 3), ints([2, 0]), positive(3)), fixed=(2,), peer=lambda T, x, t, w: margins(T, x, t, 2, 0.33, w).mean())

# ------------------------------------------------------------------ special functions
row("special.bessel_j0", lambda L, x: L.special.bessel_j0(x), (real(),), (real(3, lo=-3.0, hi=30.0),),
    peer=None)  # torch has no derivative of it
row("special.bessel_j1", lambda L, x: L.special.bessel_j1(x), (real(2, 2),), (raw([0.0, 40.0, -3.0]),), peer=None)
row("value of special.bessel_j0, j1", lambda L, x: L.special.bessel_j0(x) + 2 * L.special.bessel_j1(x),
    (raw([0.0, 1.0, 2.0, 25.0, 60.0]),), discrete=True)
row("special.zeta", lambda L, s, q: L.special.zeta(s, q), (between(1.2, 5.0)(3), positive(2, 3)),
    (between(1.2, 5.0)(), positive(2)), fixed=(0,))
row("special.multigammaln", lambda L, x: L.special.multigammaln(x, 2), (between(1.1, 5.0)(3),))
