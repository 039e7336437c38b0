"""NumPy's functions on tensors: values and conventions are NumPy's, gradients are right."""

import inspect

import numpy as np
import pytest

import symgrad as sg
from symgrad.numpy_api import TABLE

RNG = np.random.default_rng(3)
A = RNG.uniform(-2, 2, (3, 4))
B = RNG.uniform(-2, 2, (3, 4))
CUBE = RNG.uniform(-2, 2, (2, 3, 4))
SQUARE = RNG.uniform(-1, 1, (3, 3)) + 3 * np.eye(3)
SPD = SQUARE @ SQUARE.T
V = RNG.uniform(0.5, 2, 3)
HOLES = np.where(A > 1, np.nan, A)
MASK = A > -0.5
PLACES = np.array([[2, 0, 1, 1]])

# (NumPy's name, a call of it, the point): the call is made on tensors and on arrays.
ROWS = [
    ("angle", lambda x: x * np.angle(x, deg=True), A),
    ("sum", lambda x: np.sum(x), A),
    ("sum", lambda x: np.sum(x, 1, keepdims=True), A),
    ("sum", lambda x: np.sum(x, axis=(0, -1), initial=2.0), CUBE),
    ("sum", lambda x: np.sum(x, axis=0, where=MASK), A),
    ("prod", lambda x: np.prod(x, axis=1), A),
    ("prod", lambda x: np.prod(x, initial=3.0), V),
    ("max", lambda x: np.max(x), A),
    ("max", lambda x: np.max(x, 1, None, True), A),
    ("max", lambda x: np.max(x, axis=0, initial=0.5), A),
    ("min", lambda x: np.min(x, axis=(0, 2)), CUBE),
    ("ptp", lambda x: np.ptp(x, axis=1), A),
    ("mean", lambda x: np.mean(x), A),
    ("mean", lambda x: np.mean(x, axis=(1, 2), keepdims=True), CUBE),
    ("mean", lambda x: np.mean(x, axis=1, where=MASK), A),
    ("var", lambda x: np.var(x), A),
    ("var", lambda x: np.var(x, axis=1, ddof=1), A),
    ("std", lambda x: np.std(x), A),
    ("std", lambda x: np.std(x, 0, ddof=1, keepdims=True), A),
    ("std", lambda x: np.std(x, axis=(0, 1)), CUBE),
    ("average", lambda x: np.average(x), A),
    ("average", lambda x: np.average(x, axis=1, weights=np.arange(4.0)), A),
    ("average", lambda x: np.average(A, axis=0, weights=x), V),
    ("average", lambda x: np.average(x, axis=(2, 0), weights=CUBE[:, 0].T ** 2), CUBE),
    ("average", lambda x: np.average(x, weights=x**2, returned=True)[0], A),
    ("all", lambda x: np.all(x > -1, axis=0), A),
    ("any", lambda x: np.any(x > 1), A),
    ("nansum", lambda x: np.nansum(x, axis=0), HOLES),
    ("nanprod", lambda x: np.nanprod(x, axis=1), HOLES),
    ("nanmean", lambda x: np.nanmean(x, axis=1, keepdims=True), HOLES),
    ("nanvar", lambda x: np.nanvar(x, axis=1, ddof=1), HOLES),
    ("nanstd", lambda x: np.nanstd(x), HOLES),
    ("nanmax", lambda x: np.nanmax(x, axis=1), HOLES),
    ("nanmin", lambda x: np.nanmin(x), HOLES),
    ("cumsum", lambda x: np.cumsum(x), A),
    ("cumsum", lambda x: np.cumsum(x, axis=1), A),
    ("cumprod", lambda x: np.cumprod(x, 0), A),
    ("cumulative_sum", lambda x: np.cumulative_sum(x, axis=1, include_initial=True), A),
    ("cumulative_prod", lambda x: np.cumulative_prod(x), V),
    ("gradient", lambda x: np.gradient(x, 0.5, axis=1), A),
    ("gradient", lambda x: np.gradient(x, 0.5, 2.0)[0], A),
    ("gradient", lambda x: np.gradient(x), V),
    ("gradient", lambda x: np.gradient(x, [0.0, 1.0, 1.5, 3.0][: x.shape[1]], axis=1, edge_order=2), A),
    ("diff", lambda x: np.diff(x), A),
    ("diff", lambda x: np.diff(x, 2, axis=0, prepend=0.0, append=A), A),
    ("ediff1d", lambda x: np.ediff1d(x, to_begin=1.0, to_end=[2.0, 3.0]), A),
    ("trapezoid", lambda x: np.trapezoid(x, dx=0.5), A),
    ("trapezoid", lambda x: np.trapezoid(x, V, axis=0), A),
    ("trapezoid", lambda x: np.trapezoid(V, x), V),
    ("trapezoid", lambda x: np.trapezoid(A, x, axis=0), B),
    ("cov", lambda x: np.cov(x), A),
    ("cov", lambda x: np.cov(x, B, rowvar=False, bias=True), A),
    ("cov", lambda x: np.cov(x), V),
    ("corrcoef", lambda x: np.corrcoef(x), A),
    ("corrcoef", lambda x: np.corrcoef(V, x), V**2),
    ("reshape", lambda x: np.reshape(x, (2, -1)), A),
    ("reshape", lambda x: np.reshape(x, 12, order="F"), A),
    ("ravel", lambda x: np.ravel(x), A),
    ("ravel", lambda x: np.ravel(x, "F"), CUBE),
    ("transpose", lambda x: np.transpose(x), CUBE),
    ("transpose", lambda x: np.transpose(x, (1, 2, 0)), CUBE),
    ("matrix_transpose", lambda x: np.matrix_transpose(x), CUBE),
    ("linalg.matrix_transpose", lambda x: np.linalg.matrix_transpose(x), CUBE),
    ("swapaxes", lambda x: np.swapaxes(x, 0, -1), CUBE),
    ("moveaxis", lambda x: np.moveaxis(x, [0, 1], [-1, 0]), CUBE),
    ("rollaxis", lambda x: np.rollaxis(x, 2), CUBE),
    ("rollaxis", lambda x: np.rollaxis(x, 0, 2), CUBE),
    ("squeeze", lambda x: np.squeeze(x[None, :, None]), A),
    ("squeeze", lambda x: np.squeeze(x[None, :, None], axis=0), A),
    ("expand_dims", lambda x: np.expand_dims(x, (0, -1)), A),
    ("broadcast_to", lambda x: np.broadcast_to(x, (2, 3)), V),
    ("broadcast_arrays", lambda x: np.broadcast_arrays(x, V[:, None])[0], V),
    ("atleast_1d", lambda x: np.atleast_1d(x.sum()), A),
    ("atleast_2d", lambda x: np.atleast_2d(x), V),
    ("atleast_3d", lambda x: np.atleast_3d(x), A),
    ("atleast_3d", lambda x: np.atleast_3d(1.0, x)[1], V),
    ("flip", lambda x: np.flip(x), A),
    ("flip", lambda x: np.flip(x, 1), A),
    ("flipud", lambda x: np.flipud(x), A),
    ("fliplr", lambda x: np.fliplr(x), A),
    ("roll", lambda x: np.roll(x, 2), A),
    ("roll", lambda x: np.roll(x, (1, -1), axis=(0, 1)), A),
    *[("rot90", lambda x, k=k: np.rot90(x, k), A) for k in range(4)],
    ("rot90", lambda x: np.rot90(x, -1, axes=(1, 2)), CUBE),
    ("tile", lambda x: np.tile(x, (2, 1, 2)), A),
    ("tile", lambda x: np.tile(x, 3), A),
    ("repeat", lambda x: np.repeat(x, 2), A),
    ("repeat", lambda x: np.repeat(x, [1, 0, 2], axis=0), A),
    ("copy", lambda x: np.copy(x), A),
    ("astype", lambda x: np.astype(x, np.float64), A),
    ("diag", lambda x: np.diag(x), SQUARE),
    ("diag", lambda x: np.diag(x, 1), V),
    ("diagflat", lambda x: np.diagflat(x), A),
    ("diagonal", lambda x: np.diagonal(x, 1, 1, 2), CUBE),
    ("linalg.diagonal", lambda x: np.linalg.diagonal(x, offset=-1), CUBE),
    ("trace", lambda x: np.trace(x), SQUARE),
    ("trace", lambda x: np.trace(x, 1, 1, 2), CUBE),
    ("linalg.trace", lambda x: np.linalg.trace(x, offset=1), CUBE),
    ("tril", lambda x: np.tril(x, -1), A),
    ("triu", lambda x: np.triu(x, 1), CUBE),
    ("vander", lambda x: np.vander(x), V),
    ("vander", lambda x: np.vander(x, 2, increasing=True), V),
    ("clip", lambda x: np.clip(x, -1, 1.5), A),
    ("clip", lambda x: np.clip(x, None, V[:, None]), A),
    ("clip", lambda x: np.clip(x, min=-0.5), A),
    ("round", lambda x: np.round(x, 1), A),
    ("nan_to_num", lambda x: np.nan_to_num(x, nan=7.0), HOLES),
    ("fix", lambda x: np.fix(x), A),
    ("sinc", lambda x: np.sinc(x), A),
    ("i0", lambda x: np.i0(x), A),
    ("real", lambda x: np.real(x), A),
    ("where", lambda x: np.where(MASK, x, 2 * B), A),
    ("where", lambda x: np.where(x > 0, x**2, -1.0), A),
    ("where", lambda x: np.where(x > 0)[1], A),
    ("select", lambda x: np.select([x < -1, x < 1], [x**2, 3 * x], default=V[:, None]), A),
    ("concatenate", lambda x: np.concatenate([x, B, np.ones((1, 4))]), A),
    ("concatenate", lambda x: np.concatenate((B, x), axis=None), A),
    ("concatenate", lambda x: np.concatenate([[1.0, 2.0], x]), V),
    ("stack", lambda x: np.stack([x, B, x], axis=1), A),
    ("hstack", lambda x: np.hstack([x, B]), A),
    ("hstack", lambda x: np.hstack([x, 1.0, V]), V),
    ("vstack", lambda x: np.vstack([x, V]), V),
    ("dstack", lambda x: np.dstack([x, B]), A),
    ("column_stack", lambda x: np.column_stack([x, SQUARE, x]), V),
    ("append", lambda x: np.append(x, B), A),
    ("append", lambda x: np.append(x, B, axis=1), A),
    ("block", lambda x: np.block([[x, np.zeros((3, 3))], [np.ones((1, 3)), V]]), SQUARE),
    ("block", lambda x: np.block([x, 2 * x, 1.0]), V),
    ("meshgrid", lambda x: np.meshgrid(x, np.arange(2.0))[0], V),
    ("meshgrid", lambda x: np.meshgrid(x, [1.0, 2.0], x, indexing="ij")[2], V),
    ("meshgrid", lambda x: np.meshgrid([1.0, 2.0], x, sparse=True)[1], V),
    ("split", lambda x: np.split(x, 2, axis=1)[1], A),
    ("split", lambda x: np.split(x, [1, 2])[2], A),
    ("split", lambda x: np.split(x, [2, 1, 9])[1], A),
    ("array_split", lambda x: np.array_split(x, 3, axis=1)[0], A),
    ("hsplit", lambda x: np.hsplit(x, 2)[0], A),
    ("vsplit", lambda x: np.vsplit(x, 3)[1], A),
    ("dsplit", lambda x: np.dsplit(x, [1])[1], CUBE),
    ("unstack", lambda x: np.unstack(x, axis=1)[2], A),
    ("pad", lambda x: np.pad(x, 1), A),
    ("pad", lambda x: np.pad(x, ((1, 0), (0, 2)), constant_values=((1.0, 2.0), (3.0, 4.0))), A),
    *[("pad", lambda x, m=m: np.pad(x, ((1, 2), (3, 0)), mode=m), A) for m in ("edge", "reflect", "symmetric", "wrap")],
    ("sort", lambda x: np.sort(x), A),
    ("sort", lambda x: np.sort(x, axis=None, kind="stable"), A),
    ("sort", lambda x: np.sort(x, 0), A),
    ("argsort", lambda x: np.argsort(x, axis=0), A),
    ("argmax", lambda x: np.argmax(x), A),
    ("argmax", lambda x: np.argmax(x, axis=1, keepdims=True), A),
    ("argmin", lambda x: np.argmin(x, 0), A),
    ("median", lambda x: np.median(x), A),
    ("median", lambda x: np.median(x, axis=0, keepdims=True), A),
    ("median", lambda x: np.median(x, axis=(0, 2)), CUBE),
    ("percentile", lambda x: np.percentile(x, [10, 35.0, 100], axis=1), A),
    *[
        ("quantile", lambda x, m=m: np.quantile(x, [[0.1, 0.35], [0.5, 0.9]], axis=0, method=m, keepdims=True), CUBE)
        for m in ("linear", "lower", "higher", "midpoint", "nearest")
    ],
    ("quantile", lambda x: np.quantile(x, 0.3, axis=1), np.where(A > 1.5, np.nan, A)),
    ("take", lambda x: np.take(x, PLACES), A),
    ("take", lambda x: np.take(x, PLACES, axis=1), A),
    ("take", lambda x: np.take(x, [-7, 9], axis=0, mode="wrap"), A),
    ("take", lambda x: np.take(x, [-7, 9], mode="clip"), A),
    ("take_along_axis", lambda x: np.take_along_axis(x, PLACES, 0), A),
    ("take_along_axis", lambda x: np.take_along_axis(x, np.argsort(x, axis=1), axis=1), A),
    ("compress", lambda x: np.compress([True, False, True], x, axis=0), A),
    ("extract", lambda x: np.extract(MASK, x), A),
    ("delete", lambda x: np.delete(x, [0, 2], axis=1), A),
    ("bincount", lambda x: np.bincount([0, 2, 2], weights=x, minlength=4), V),
    ("dot", lambda x: np.dot(x, A), SQUARE),
    ("dot", lambda x: np.dot(x, CUBE), A[:, :3]),
    ("dot", lambda x: np.dot(CUBE, x), A[0]),
    ("dot", lambda x: np.dot(2.0, x), A),
    ("vdot", lambda x: np.vdot(x, B), A),
    ("inner", lambda x: np.inner(x, CUBE), A),
    ("outer", lambda x: np.outer(x, V), A),
    ("linalg.outer", lambda x: np.linalg.outer(x, V), V),
    ("linalg.matmul", lambda x: np.linalg.matmul(x, B.T), CUBE),
    ("tensordot", lambda x: np.tensordot(x, CUBE.transpose(1, 2, 0), axes=2), CUBE),
    ("tensordot", lambda x: np.tensordot(CUBE, x, axes=([1, 2], [0, 1])), A),
    ("tensordot", lambda x: np.tensordot(x, V, axes=0), V),
    ("linalg.tensordot", lambda x: np.linalg.tensordot(x, CUBE.T, axes=1), A),
    ("einsum", lambda x: np.einsum("ij,kij->k", x, CUBE), A),
    ("einsum", lambda x: np.einsum("...i,i", CUBE, x, optimize=True), A[0]),
    ("kron", lambda x: np.kron(x, A), SQUARE),
    ("cross", lambda x: np.cross(x, SQUARE), SPD),
    ("cross", lambda x: np.cross(SQUARE, x, axis=0), A[:, :3]),
    ("linalg.cross", lambda x: np.linalg.cross(x, V), SPD),
    ("linalg.vecdot", lambda x: np.linalg.vecdot(x, B, axis=0), A),
    *[("convolve", lambda x, m=m: np.convolve(x, V, m), A[0]) for m in ("full", "same", "valid")],
    ("convolve", lambda x: np.convolve(x, A[0]), V),
    *[("correlate", lambda x, m=m: np.correlate(x, V, m), A[0]) for m in ("full", "same", "valid")],
    ("correlate", lambda x: np.correlate(V, x), A[0]),
    ("polyval", lambda x: np.polyval([2.0, -1.0, 0.5], x), A),
    ("polyval", lambda x: np.polyval(x, A), V),
    ("linalg.inv", lambda x: np.linalg.inv(x), SQUARE),
    ("linalg.cond", lambda x: np.linalg.cond(x), SQUARE),
    ("interp", lambda x: np.interp(x, [-1.0, 0.0, 1.0, 3.0], [2.0, 1.0, 4.0, -1.0]), A),
    ("interp", lambda x: np.interp([0.3, 2.0], [-1.0, 0.0, 1.0], x, right=7.0), V),
    ("interp", lambda x: np.interp(x, [0.5, 1.0, 3.0], [2.0, 1.0, 4.0], period=5.0), A),
    ("piecewise", lambda x: np.piecewise(x, [x < 0, x >= 1], [lambda z: -(z**2), np.exp, 5.0]), A),
    ("piecewise", lambda x: np.piecewise(x, x < 0, [lambda z, a: a * z, lambda z, a: z / a], 3.0), V),
    ("apply_along_axis", lambda x: np.apply_along_axis(lambda r: r * r.sum(), 0, x), A),
    ("apply_along_axis", lambda x: np.apply_along_axis(lambda r: np.outer(r, r), 1, x), A),
    ("apply_along_axis", lambda x: np.apply_along_axis(np.sum, 0, x), A),
    ("linspace", lambda x: np.linspace(x[0], 2.0, 4, axis=1), A),
    ("linspace", lambda x: np.linspace(1.0, x, 5, endpoint=False), V),
    ("linalg.det", lambda x: np.linalg.det(x), SQUARE),
    ("linalg.slogdet", lambda x: np.linalg.slogdet(x)[1], SQUARE),
    ("linalg.matrix_power", lambda x: np.linalg.matrix_power(x, -2), SQUARE),
    ("linalg.multi_dot", lambda x: np.linalg.multi_dot([x, A, B.T]), SQUARE),
    ("linalg.eigh", lambda x: np.linalg.eigh(x + x.T)[0], SPD),
    ("linalg.eigh", lambda x: np.linalg.eigh(x + x.T).eigenvectors ** 2, SPD),
    ("linalg.eigvalsh", lambda x: np.linalg.eigvalsh(x + x.T, "U"), SPD),
    ("linalg.svdvals", lambda x: np.linalg.svdvals(x), A),
    ("linalg.eig", lambda x: abs(np.linalg.eig(x[:, :3])[1]), A),
    ("linalg.eigvals", lambda x: abs(np.linalg.eigvals(x[:, :3])), A),
    ("linalg.norm", lambda x: np.linalg.norm(x), A),
    ("linalg.norm", lambda x: np.linalg.norm(x, axis=1), A),
    ("linalg.norm", lambda x: np.linalg.norm(x, 1), A),
    ("linalg.norm", lambda x: np.linalg.norm(x, "nuc"), A),
    ("linalg.norm", lambda x: np.linalg.norm(x, np.inf, axis=(0, 1), keepdims=True), A),
    ("linalg.norm", lambda x: np.linalg.norm(x, 3), V),
    ("linalg.norm", lambda x: np.linalg.norm(x), CUBE),
    ("linalg.vector_norm", lambda x: np.linalg.vector_norm(x, axis=0, ord=3), A),
    ("linalg.matrix_norm", lambda x: np.linalg.matrix_norm(x, ord=2), CUBE),
    ("linalg.solve", lambda x: np.linalg.solve(x, A), SQUARE),
    ("linalg.solve", lambda x: np.linalg.solve(SQUARE, x), V),
    ("linalg.solve", lambda x: np.linalg.solve(np.stack([SPD, SQUARE]), x), V),
    ("linalg.cholesky", lambda x: np.linalg.cholesky(x @ x.T), SQUARE),
    ("linalg.cholesky", lambda x: np.linalg.cholesky(x @ x.T, upper=True), SQUARE),
    ("linalg.qr", lambda x: np.linalg.qr(x).Q, A.T),
    ("linalg.qr", lambda x: np.linalg.qr(x, mode="r"), A.T),
    ("linalg.svd", lambda x: np.linalg.svd(x, full_matrices=False)[1], A),
    ("linalg.svd", lambda x: np.linalg.svd(x, full_matrices=False).U ** 2, A),
    ("linalg.svd", lambda x: np.linalg.svd(x, compute_uv=False), A),
    ("linalg.pinv", lambda x: np.linalg.pinv(x), A),
    ("linalg.lstsq", lambda x: np.linalg.lstsq(x, V)[0], SQUARE),
    ("linalg.lstsq", lambda x: np.linalg.lstsq(x, B.T, rcond=None)[0], A.T),
    ("linalg.lstsq", lambda x: np.linalg.lstsq(A.T, x, rcond=None)[1], B.T),
]
# Answers without gradient: indices, booleans, sizes, text.
ANSWERS = [
    ("allclose", lambda x: np.allclose(x, A + 1e-9)),
    ("array_equal", lambda x: np.array_equal(x, A)),
    ("array_equiv", lambda x: np.array_equiv(A, x)),
    ("isclose", lambda x: np.isclose(x, B)),
    ("isclose", lambda x: np.isclose(np.where(MASK, x, np.nan), np.where(x > 1, np.inf, x), equal_nan=True)),
    ("isneginf", lambda x: np.isneginf(x / 0)),
    ("isposinf", lambda x: np.isposinf(x / 0)),
    ("imag", lambda x: np.imag(x)),
    ("isreal", lambda x: np.isreal(x)),
    ("iscomplex", lambda x: np.iscomplex(x)),
    ("isrealobj", lambda x: np.isrealobj(x)),
    ("iscomplexobj", lambda x: np.iscomplexobj(x)),
    ("isin", lambda x: np.isin(x, A[0])),
    ("argwhere", lambda x: np.argwhere(x > 0)),
    ("nonzero", lambda x: np.nonzero(x > 0)[1]),
    ("flatnonzero", lambda x: np.flatnonzero(x > 0)),
    ("count_nonzero", lambda x: np.count_nonzero(x > 0, axis=1, keepdims=True)),
    ("searchsorted", lambda x: np.searchsorted(np.arange(-2.0, 2.0), x, side="right")),
    ("digitize", lambda x: np.digitize(x, [-1.0, 0.0, 1.0])),
    ("unravel_index", lambda x: np.unravel_index(np.argmax(x), x.shape)[0]),
    ("ravel_multi_index", lambda x: np.ravel_multi_index(np.nonzero(x > 0), x.shape)),
    ("linalg.matrix_rank", lambda x: np.linalg.matrix_rank(x)),
    ("shape", lambda x: np.shape(x)),
    ("ndim", lambda x: np.ndim(x)),
    ("size", lambda x: (np.size(x), np.size(x, 1))),
    ("result_type", lambda x: np.result_type(x, np.float32)),
    ("may_share_memory", lambda x: np.may_share_memory(x, B)),
    ("shares_memory", lambda x: np.shares_memory(x, B)),
    ("tril_indices_from", lambda x: np.tril_indices_from(x)[0]),
    ("triu_indices_from", lambda x: np.triu_indices_from(x, 1)[1]),
    ("diag_indices_from", lambda x: np.diag_indices_from(x[:, :3])[1]),
    ("zeros_like", lambda x: np.zeros_like(x, dtype=np.float32)),
    ("empty_like", lambda x: np.empty_like(x, shape=(2, 5)) * 0),
    ("ones_like", lambda x: np.ones_like(x)),
    ("full_like", lambda x: np.full_like(x, 2.5, shape=3)),
    ("full_like", lambda x: np.full_like(x, V[:, None])),
    ("array_repr", lambda x: np.array_repr(x)),
    ("array_str", lambda x: np.array_str(x, precision=3)),
    ("array2string", lambda x: np.array2string(x)),
]


def found(name):
    place = np
    for part in name.split("."):
        place = getattr(place, part, None)
    return place


def rows(table):
    there = [row for row in table if found(row[0]) is not None]
    return pytest.mark.parametrize("row", there, ids=[f"{k}-{row[0]}" for k, row in enumerate(there)])


def slopes(f, x, u, h=1e-6):
    """The gradient of Σ u f(x) by central differences, 0 where x is nan."""
    out = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[k] = h
        change = np.asarray(f(x + e)) - np.asarray(f(x - e))
        out[k] = 0.0 if np.isnan(x[k]) else np.nansum(u * change) / (2 * h)
    return out


@rows(ROWS)
def test_a_function_has_numpys_value_and_the_right_gradient(row):
    _, f, point = row
    x = sg.tensor(point, requires_grad=True)
    y, expected = f(x), f(point)
    assert isinstance(y, sg.Tensor)
    np.testing.assert_allclose(y.detach().numpy(), expected, rtol=1e-12, atol=1e-12, strict=np.ndim(expected) > 0)
    if not y.requires_grad:
        assert np.asarray(expected).dtype.kind in "bi"
        return
    u = np.where(np.isnan(expected), 0.0, np.random.default_rng(5).uniform(0.5, 1.5, y.shape))
    (g,) = sg.autograd.grad((sg.where(y == y, y, 0.0) * u).sum(), x)
    np.testing.assert_allclose(g.numpy(), slopes(f, point, u), rtol=1e-6, atol=1e-7)


# NumPy makes a float64 array of a number or list among the arguments; here it leaves the dtype of a tensor alone.
PROMOTED = {"dot", "polyval"}


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
@rows([row for row in ROWS if row[0] not in PROMOTED])
def test_dtypes_are_numpys(row, dtype):
    _, f, point = row
    point = (np.nan_to_num(point) * 3).astype(dtype)
    try:
        expected = np.asarray(f(point))
    except (np.linalg.LinAlgError, TypeError, ValueError):
        pytest.skip("NumPy does not take these numbers")
    y = f(sg.tensor(point))
    assert y.dtype == expected.dtype
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-4, atol=1e-4)


@rows(ANSWERS)
def test_an_answer_without_gradient_is_numpys(row):
    _, f = row
    y, expected = f(sg.tensor(A, requires_grad=True)), f(A)
    if isinstance(y, sg.Tensor):
        np.testing.assert_array_equal(y.numpy(), expected, strict=np.ndim(expected) > 0)
        assert not y.requires_grad
    else:
        assert type(y) is type(expected)
        assert np.all(y == expected)


def test_every_function_of_the_table_has_a_row():
    tested = {found(row[0]) for row in [*ROWS, *ANSWERS]}
    rest = {f for f in TABLE.keys() - tested if f.__module__ != "numpy.fft"}  # these are in test_fft.py
    assert {f.__name__ for f in rest} <= {
        "amax", "amin", "around", "row_stack",  # other names
        "copyto", "save", "savetxt", "savez", "savez_compressed",  # which return nothing
    }  # fmt: skip


def test_the_arguments_of_the_table_have_numpys_names_in_numpys_order():
    wrong = {}
    for theirs, ours in TABLE.items():
        try:
            expected = [*inspect.signature(theirs).parameters.values()]
        except ValueError:  # of some functions written in C
            continue
        names = [p.name for p in expected if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        have = inspect.signature(ours).parameters.values()
        if any(p.kind is p.VAR_KEYWORD for p in have):
            continue
        own = [p.name for p in have if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        if own != names[: len(own)]:
            wrong[theirs.__name__] = own, names
    assert wrong == {}


REFUSED = {
    "no function here": (lambda x: np.unwrap(x), r"np\.unwrap: symgrad has no .* Use operations of symgrad"),
    "another name": (lambda x: np.partition(x, 1), r"np\.partition: .* Use sg\.sort, or sg\.topk"),
    "into an array": (
        lambda x: np.copyto(np.zeros_like(A), x),
        r"np\.copyto: .* Write sg\.full\(size, x\) for np\.full",
    ),
    "output": (lambda x: np.sum(x, out=np.zeros(())), r"np\.sum: out= is not supported .*Write c = np\.sum\(…\)\.$"),
    "output by position": (lambda x: np.max(x, 0, np.zeros(4)), r"np\.max: out= is not supported"),
    "argument": (lambda x: np.argsort(x, order="name"), r"np\.argsort: order= is not supported"),
    "padding": (lambda x: np.pad(x, 1, mode="mean"), r"np\.pad: mode='mean' is not supported"),
    "wanted quantile": (lambda x: np.quantile(A, x), r"np\.quantile: there is no derivative with respect to q"),
    "weights": (lambda x: np.cov(x, aweights=np.ones(4)), r"np\.cov: weights are not supported"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_derivative_is_refused_with_what_to_use_instead(name):
    call, text = REFUSED[name]
    with pytest.raises(TypeError, match=text):
        call(sg.tensor(A, requires_grad=True))


WRONG = {
    "axis": (lambda x: np.sum(x, axis=2), "axis 2 is out of bounds for array of dimension 2. Count axes from 0"),
    "new axis": (lambda x: np.expand_dims(x, 4), "got axis 4 of 3 axes"),
    "no entries": (lambda x: np.median(x[:0]), "got no entries along the axis"),
    "uneven split": (lambda x: np.split(x, 3, axis=1), "array split does not result in an equal division"),
    "squeeze": (lambda x: np.squeeze(x, 0), "cannot select an axis to squeeze out"),
    "weights": (lambda x: np.average(x, weights=V), "weights of shape"),
    "quantile": (lambda x: np.quantile(x, 1.5), r"Quantiles must be in the range \[0, 1\]"),
    "method": (lambda x: np.quantile(x, 0.5, method="weibull"), "method='weibull' is not supported"),
    "cross": (lambda x: np.cross(x, A), "got vectors of 4 and 4 entries"),
    "tensordot": (lambda x: np.tensordot(x, A, 1), "contracted dimensions need to match"),
    "meshgrid": (lambda x: np.meshgrid(x, indexing="ab"), "Valid values for indexing are 'xy' and 'ij'"),
    "convolve": (lambda x: np.convolve(x[0], V, "half"), "Expected 'full', 'same' or 'valid'"),
    "nan_to_num": (lambda x: np.nan_to_num(x, copy=False), "copy=False would write"),
    "no axis": (lambda x: np.cumulative_sum(x), "axis: got None for 2 axes"),
    "one entry": (lambda x: np.gradient(x[:1]), "got 1 samples along axis 0. Expected 2 or more"),
    "spacings": (lambda x: np.gradient(x, 1.0, 2.0, 3.0), "got 3 spacings for 2 axes"),
    "correlate": (lambda x: np.correlate(V, x[0], "same"), "the second is the shorter one"),
    "cov": (lambda x: np.cov(x[None]), "got 3 axes"),
    "axis of take": (lambda x: np.take(x, [0], axis=2), "axis 2 is out of bounds"),
    "axis of delete": (lambda x: np.delete(x, [0], axis=-3), "axis -3 is out of bounds"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments_are_refused(name):
    call, text = WRONG[name]
    with pytest.raises((ValueError, IndexError), match=text) as failure:
        call(sg.tensor(A, requires_grad=True))
    assert isinstance(failure.value, sg.SymgradError)


EDGES = [np.array(2.5), np.array([1.5]), np.array([[3.0, np.inf], [-np.inf, 1.0]]), np.array([np.nan, 1.0, 2.0])]


@pytest.mark.parametrize("point", EDGES, ids=str)
@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": -1}, {"axis": ()}, {"keepdims": True}], ids=str)
@pytest.mark.parametrize(
    "name", ["sum", "prod", "max", "min", "all", "any", "mean", "median", "count_nonzero", "nansum"]
)
def test_reductions_of_numbers_infinities_and_nan_are_numpys(name, options, point):
    function = getattr(np, name)
    if name in ("mean", "median") and point.ndim == 0 and options.get("axis") in (0, -1):
        pytest.skip("NumPy does so along an axis of arrays only")
    with np.errstate(all="ignore"):
        expected = function(point, **options)
    found = function(sg.tensor(point), **options)
    np.testing.assert_array_equal(found.numpy(), np.asarray(expected), strict=True)


class Other:
    """An array of another library, which answers NumPy's functions itself."""

    def __array_function__(self, function, types, args, kwargs):
        return "answered there"


def test_another_library_beside_a_tensor_gets_its_turn():
    assert np.concatenate([sg.ones(2), Other()]) == "answered there"


def test_numpys_functions_are_traced_and_compiled():
    def f(x):
        return np.sum(np.std(np.concatenate([x, np.outer(V, x[0])]), axis=0) * np.max(x, axis=0))

    x = A.copy()
    value, gradient = sg.compile(sg.value_and_grad(f))(x)
    expected = sg.value_and_grad(f)(x)
    assert value == pytest.approx(expected[0], rel=1e-14)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-12)


def test_numpys_functions_take_symbols():
    x = sg.symbol("x", ("n",))
    assert str(sg.derive(np.sum(np.square(x)), x)) == "2*x"
    assert str(sg.derive(np.linalg.norm(x - np.ones_like(x)), x)) == "(x - 1)/‖x - 1‖"
    with pytest.raises(RuntimeError, match=r"np\.allclose: this tensor is a symbol"):
        np.allclose(x, 1.0)
    with pytest.raises(RuntimeError, match=r"np\.quantile: the size n of this symbol is not a number"):
        np.quantile(x, 0.3)


def test_indices_of_a_tensor_pick_entries_of_an_array():
    order = np.argsort(sg.tensor(V))
    np.testing.assert_array_equal(V[order], np.sort(V))


@pytest.mark.parametrize("value", [300, -200, [1, 300], 1 << 40])
@pytest.mark.parametrize("f", [np.full_like, lambda a, v: np.pad(a, 1, constant_values=v)], ids=["full_like", "pad"])
def test_numbers_that_an_integer_dtype_does_not_hold_are_refused_as_in_numpy(f, value):
    numbers = np.ones(2, np.int8)
    with pytest.raises(OverflowError, match="out of bounds for int8"):
        f(sg.tensor(numbers), value)
    if f is not np.full_like or not isinstance(value, list):  # NumPy wraps a list there
        with pytest.raises(OverflowError, match="out of bounds for int8"):
            f(numbers, value)
    np.testing.assert_array_equal(f(sg.tensor(numbers), -128).numpy(), f(numbers, -128))


@pytest.mark.parametrize(
    "f",
    [lambda a: np.max(a, initial=300), lambda a: np.min(a, initial=-129), lambda a: np.piecewise(a, [a > 1], [300])],
)
def test_initial_numbers_and_pieces_do_not_wrap_either(f):
    numbers = np.array([1, 2], np.int8)
    for a in (numbers, sg.tensor(numbers)):
        with pytest.raises(OverflowError, match="out of bounds for int8"):
            f(a)


def test_lists_with_tensors_fill_as_they_did():
    x = sg.tensor([0.5, 2.0], requires_grad=True)
    np.full_like(np.pad(x, 1), [x[0], 1.0, x[1], 2.0]).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
