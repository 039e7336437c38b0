"""Exported loops, in Python and C: where an index, a step, a bound or a sign shows, against NumPy and eager mode."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
import scipy.special
from exporting import agree, loaded

import symgrad as sg
from symgrad.errors import ArgumentTypeError
from symgrad.exports import load_c

CC = shutil.which("gcc") or shutil.which("cc")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler")
TARGETS = ["python", pytest.param("c", marks=needs_cc)]
RNG = np.random.default_rng(11)
X = RNG.uniform(0.4, 1.9, (3, 4, 5))
M = RNG.uniform(-1.3, 1.7, (4, 6))
LONG = RNG.uniform(-1.3, 1.7, (7, 90))  # too long to be written out entry by entry


def values(f, points):
    """What a function returns in eager mode, as a list of arrays."""
    with np.errstate(all="ignore"):
        y = f(*map(sg.tensor, points))
    return [np.asarray(v, float) for v in (y if isinstance(y, tuple) else (y,))]


def looped(f):
    """The function beside a sum that is too long to be written out entry by entry, so that all of it is in loops."""

    def both(*xs):
        y = f(*xs[:-1])
        return (*(y if isinstance(y, tuple) else (y,)), sg.sin(xs[-1]).sum())

    return both


def check(functions, points, target, folder):
    """Compare exported functions with eager mode, written out and in loops."""
    compare(functions, points, target, folder)
    (folder / "looped").mkdir()
    compare([*map(looped, functions)], (*points, LONG), target, folder / "looped")


def compare(functions, points, target, folder):
    """Compare exported functions with eager mode."""
    texts = [sg.export(f, points, target=target, name=f"f_{k}", formula=False) for k, f in enumerate(functions)]
    if target == "c":
        (folder / "all.c").write_text("\n".join(texts))
        flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O0", "-shared", "-fPIC"]
        subprocess.run([CC, *flags, "all.c", "-o", "all.so", "-lm"], cwd=folder, check=True)
        library = ctypes.CDLL(str(folder / "all.so"))
    for k, f in enumerate(functions):
        want = values(f, points)
        if target == "python":
            y = loaded(texts[k], f"f_{k}")(*[np.asarray(x).tolist() for x in points])
            found = [*y] if isinstance(y, tuple) else [y]
        else:
            found = [np.full(y.shape, 7.25) for y in want]
            arrays = [*[np.ascontiguousarray(x, np.float64) for x in points], *found]
            assert getattr(library, f"f_{k}")(*[x.ctypes.data_as(ctypes.c_void_p) for x in arrays]) == 0
        agree(found, want, dtypes=False)


# ------------------------------------------------------------------ positions that are arguments
@pytest.mark.parametrize("target", TARGETS)
def test_positions_from_minus_n_to_n_are_read_and_all_others_give_nan(target, tmp_path):
    at = np.array([-5, -4, -3, -1, 0, 3, 4, 9])
    inside = (at >= -4) & (at < 4)
    text = sg.export(lambda x, i: x[:, i], (M[:2, :4], at % 4), target=target, name="f",
                     path=tmp_path / "f.c")  # fmt: skip
    x = M[:2, :4]
    rows = np.where(inside, x[:, np.where(inside, at, 0)], np.nan)
    f = loaded(text) if target == "python" else load_c(tmp_path / "f.c")
    found = f(x.tolist(), at.tolist()) if target == "python" else f(x, at.astype(float))
    np.testing.assert_array_equal(np.asarray(found), rows)


LOOKUPS = {
    "rows": lambda x, i, j: x[i],
    "columns, in front of others": lambda x, i, j: x[:, j],
    "pairs": lambda x, i, j: x[i, :, j],
    "neighbouring axes": lambda x, i, j: x[:, i, j],
    "a table of pairs": lambda x, i, j: x[i[:, None], :, j[None]],
    "a table of rows and a row": lambda x, i, j: x[i[:, None], j],
    "one entry": lambda x, i, j: x[i[0], 1, j[1]],
    "a slice of a slice": lambda x, i, j: x[1:, ::2][:, i[1:] * 0 + 1, 2:],
}


@pytest.mark.parametrize("target", TARGETS)
def test_entries_at_positions_that_are_arguments_are_read_and_added_to(target, tmp_path):
    i, j = np.array([2, -1, 1]), np.array([0, 3, -2])
    parts = {k: f(sg.tensor(X), sg.tensor(i), sg.tensor(j)).numpy() for k, f in LOOKUPS.items()}
    weights = {k: np.cos(np.arange(p.size) + 0.3).reshape(p.shape) for k, p in parts.items()}

    def both(x, i, j):
        values = [f(x, i, j) for f in LOOKUPS.values()]
        total = lambda x: sum((f(x, i, j) * weights[k]).sum() * (n + 1) for n, (k, f) in enumerate(LOOKUPS.items()))
        return (*values, sg.grad(total)(x))

    check([both], (X, i, j), target, tmp_path)


# ------------------------------------------------------------------ along axes
ALONG = {
    "norms": lambda x: (sg.var(x[1, 2, 3], correction=0), sg.median(x[2, 0, 1]), sg.argmax(x[0, 1, 2]) * 1.0,
                        sg.linalg.vector_norm(x, 3, (0, 2)), sg.linalg.norm(x, np.inf, 1), sg.linalg.norm(x - 1, 0, -1),
                        sg.linalg.norm(x, -np.inf, 0, keepdim=True), sg.linalg.vector_norm(x[0, 0, 0], 2.5)),
    "deviations": lambda x: (sg.var(x, (0, 2), correction=2), sg.std(x, 1, correction=0.5), sg.std(x, correction=3)),
    "products": lambda x: (x.prod(1), sg.prod(x[:, 1:, ::-2], 0, keepdim=True), sg.prod(x), sg.prod(x[1, 2, 3])),
    "running": lambda x: (sg.cumsum(x, 0), sg.cumprod(x, 1), sg.logcumsumexp(x, 2), sg.cummax(x, 1).values,
                          sg.cummin(x, 2).indices),
    "running backwards": lambda x: (sg.grad(lambda x: (sg.cumsum(x, 1) ** 2 * X).sum())(x),
                                    sg.grad(lambda x: (sg.cumprod(x, 0) * X**2).sum())(x)),
    "extremes": lambda x: (x.amax((0, 2)), x.amin(1, keepdim=True), sg.argmax(x, 0) * 1.0, sg.argmin(x) * 1.0,
                           sg.grad(lambda x: (sg.max(x, 1).values * X[:, 0]).sum())(x)),
    "orders": lambda x: (sg.sort(x, 1, descending=True).values, sg.argsort(x, 0) * 1.0, sg.median(x, 2).values,
                         sg.topk(x, 2, 1).values),
    "entries along": lambda x: (sg.take_along_dim(x, sg.argsort(x, 1)[:, :2], 1),
                                sg.gather(x, 2, sg.argsort(x, 2, descending=True)),
                                sg.grad(lambda x: (sg.gather(x, 1, sg.argsort(x, 1)) * X**2).sum())(x)),
    "brackets": lambda x: ((x + 1) * (x.flip(1) - 2), -(x - 3), (x[0] + 2) / (x[1] - 5)),
    "medians": lambda x: (sg.median(x), sg.median(x[:, :3, 0]), sg.grad(lambda x: sg.median(x) ** 2)(x)),
}  # fmt: skip


@pytest.mark.parametrize("name", ALONG)
def test_rows_along_axes_are_those_of_the_array(name, tmp_path):
    check([ALONG[name]], (X,), "python", tmp_path)


@needs_cc
def test_rows_along_axes_are_those_of_the_array_in_c(tmp_path):
    check(ALONG.values(), (X,), "c", tmp_path)


def test_extremes_and_their_slopes_of_as_many_rows_as_there_are():
    f = lambda x: (sg.grad(lambda x: (sg.max(x, 0).values ** 2).sum() - 3 * sg.min(x, 1).values.sum())(x), x.amax(0))
    written = loaded(sg.export(f, shapes=[("n", 3)], target="python", name="f"))
    x = M[:5, :3]
    slope = 2 * x * (x == x.max(0)) - 3 * (x == x.min(1, keepdims=True))
    for found, expected in zip(written(x.tolist()), (slope, x.max(0)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14)


# ------------------------------------------------------------------ moving
MOVED = {
    "slices": lambda x: (x[::-2, 1:3], x[:, ::-1, None, 1::2], x[..., -2], x.mT[1:, 2:], x[1, :, 3:0:-1]),
    "written slices": lambda x: sg.grad(lambda x: (x[1:, ::2] * X[1:, ::2]).sum() + (x[:2, :, 1] ** 2).sum())(x),
    "scattered": lambda x: (sg.slice_scatter(x, 2 * x[:, 1:3], 1, 1, 3), sg.select_scatter(x, x[0] * 3, 0, 2),
                            sg.index_put(x, (sg.tensor([0, 2]), sg.tensor([3, 1])), x[:2, 0] * 5)),
    "joined": lambda x: (sg.cat([x, x[:, :2] * 2], 1), sg.stack([x[0], x[2] + 1], 1), sg.roll(x, 2, 2)),
    "gathered": lambda x: (x[1:][[1, 0, 1]], sg.grad(lambda x: (x[:, 1:][:, [2, 0, 2]] ** 2).sum())(x),
                           x[[2, 0, 1, 2]], x[:, [3, 1], [0, 4]], sg.grad(lambda x: (x[[2, 0, 2]] ** 2).sum())(x)),
    "triangles": lambda x: (sg.tril(x, 1), sg.triu(x, -1), sg.tril(x[..., :4], -2), sg.triu(x, 2)),
    "diagonals": lambda x: (sg.diag_embed(x[0], 2), sg.diag_embed(x[0], -1), sg.diagonal(x, 1, 1, 2)),
    "padded": lambda x: (sg.nn.functional.pad(x, (1, 2, 0, 3), value=0.7), x.permute(2, 0, 1).reshape(6, 10)),
    "sums of products": lambda x: (sg.einsum("ijk,lk->jil", x, M[:2, :5]), x @ M.T[:5],
                                   sg.einsum("iji->ij", x[:, :, :3])),
}  # fmt: skip


@pytest.mark.parametrize("name", MOVED)
def test_entries_are_moved_to_where_they_belong(name, tmp_path):
    check([MOVED[name]], (X,), "python", tmp_path)


@needs_cc
def test_entries_are_moved_to_where_they_belong_in_c(tmp_path):
    check(MOVED.values(), (X,), "c", tmp_path)


# ------------------------------------------------------------------ integers
WHOLE = {
    "wrapping": lambda b, w: (b * b, b + b - 3 * b, -b - b, b**3, sg.abs(b), b * 2.5, (b + 100).to(sg.float64)),
    "dividing": lambda b, w: (b // 7, b % 7, sg.fmod(b, 7), -b // 5, b.to(sg.float64) / 3),
    "of 32 bits": lambda b, w: (w * w, w * 65537 + 11, (w * w).sum(), w * w * w),
    "bits": lambda b, w: (b & 12, b | 3, b ^ 6, ~b, (w & 255) * 2),
    "truth": lambda b, w: ((b > 3).sum(), (b > 3) & (b < 90), ~(b > 3), b.cumsum(0)),
    "casts": lambda b, w: ((w * 1.0 / 7).to(sg.int8), (b * 0.5).to(sg.int32), (b * 1.0).to(sg.float32) / 4,
                           w.to(sg.uint8)),
}  # fmt: skip


B8 = np.array([-128, -101, -7, -1, 0, 5, 90, 127], np.int8)
W32 = np.array([2**31 - 1, -(2**31), 123456789, -98765, 46341, 7, 0, -3], np.int32)


@pytest.mark.parametrize("name", WHOLE)
def test_integers_wrap_around_as_those_of_their_dtype(name, tmp_path):
    check([lambda b, w: WHOLE[name](sg.as_tensor(b), sg.as_tensor(w))], (B8, W32), "python", tmp_path)


@needs_cc
def test_integers_wrap_around_as_those_of_their_dtype_in_c(tmp_path):
    check([lambda b, w, f=f: f(sg.as_tensor(b), sg.as_tensor(w)) for f in WHOLE.values()], (B8, W32), "c", tmp_path)


# ------------------------------------------------------------------ functions of one number
SPECIAL = {
    "gamma": lambda x: (sg.lgamma(x - 1.3), sg.digamma(x), sg.polygamma(2, x), sg.special.zeta(x + 1, x),
                        sg.special.gamma(x - 1), sg.mvlgamma(x + 1, 2)),
    "errors": lambda x: (sg.erfinv(x - 1), sg.special.erfcx(x - 1), sg.special.ndtri(x / 2),
                         sg.special.log_ndtr(x - 3)),
    "Bessel": lambda x: (sg.i0(3 * x), sg.special.i1e(x), sg.special.bessel_j0(9 * x), sg.special.bessel_j1(x - 1)),
    "remainders": lambda x: (sg.fmod(x - 1, 0.3), sg.remainder(x - 1, 0.3), x // 0.7, sg.floor(x - 1),
                             sg.round(x * 7)),
    "small numbers": lambda x: (sg.expm1(x / 1e9), sg.log1p(x / 1e9), sg.sinc(x), sg.logaddexp(x, 2 - x),
                                sg.hypot(x, 2 + x)),
    "tables": lambda x: (sg.interp(x, np.array([0.5, 1.0, 1.5]), np.array([2.0, 0.0, 1.0])),
                         sg.searchsorted(sg.sort(x[0]).values, x[1]),
                         sg.searchsorted(sg.sort(x[0, 0]).values, x[0, 1:], right=True)),
}  # fmt: skip


@pytest.mark.parametrize("name", SPECIAL)
def test_functions_of_one_number_are_those_of_arrays(name, tmp_path):
    check([SPECIAL[name]], (X,), "python", tmp_path)


@needs_cc
def test_functions_of_one_number_are_those_of_arrays_in_c(tmp_path):
    check(SPECIAL.values(), (X,), "c", tmp_path)


# ------------------------------------------------------------------ loops
def walk(x, y):
    """A loop whose carries depend on each other, backwards and inside of another."""
    (a, b), trail = sg.scan(lambda c, s: ((c[1] * 0.5 + s[0], c[0] - s[1]), c[0] * s[0]), (x[0], x[1] * 2), (x, y),
                            reverse=True)  # fmt: skip
    inner = sg.fori_loop(0, 3, lambda i, v: sg.scan(lambda c, s: (c + s * i, c), v[0], v)[1] * 0.7, y)
    return a, b, trail, inner


@pytest.mark.parametrize("target", TARGETS)
def test_carries_change_together_after_each_step(target, tmp_path):
    gradient = sg.grad(lambda x, y: sum((t * (k + 1.5)).sum() for k, t in enumerate(walk(x, y))), argnums=(0, 1))
    check([walk, gradient], (M[:, :3], M[:, 3:]), target, tmp_path)


LONGER = {
    "flat loops with sums": lambda x: ((sg.sin(x) * 2 - 1).sum(), sg.exp(-x * x).mean(), sg.tanh(x).amax(), x.amin()),
    "sums by row and column": lambda x: ((x * x).sum(0), sg.cos(x).sum(1), (x * 3 - 1).mean((0, 1)),
                                         sg.relu(x).amax(1)),
    "views in loops": lambda x: (x[:, 1:] * x[:, :-1], x[::2, ::-1] + x[:4] * 2, x.T[3] - x.T[-1],
                                 (x[2:5, 7] * x[1, 7]).sum()),
    "shared and stored": lambda x: (sg.sin(x) + x, sg.sin(x) * x[0], (sg.sin(x) * x).sum(1, keepdim=True) + x),
    "nan and infinity": lambda x: (sg.where(x > 0, np.inf, x), sg.where(x > 1, np.nan, -x), (x / 0.0).amax()),
}  # fmt: skip


@pytest.mark.parametrize("name", LONGER)
def test_long_arrays_are_computed_in_loops(name, tmp_path):
    check([LONGER[name]], (LONG,), "python", tmp_path)


@needs_cc
def test_long_arrays_are_computed_in_loops_in_c(tmp_path):
    check(LONGER.values(), (LONG,), "c", tmp_path)


# ------------------------------------------------------------------ matrices
A = RNG.normal(size=(2, 4, 4)) + 3 * np.eye(4) + np.diag([0.1, 0.4, 0.9, 1.7])
S = np.einsum("bij,bkj->bik", A, A)


def composed(u, d, v):
    """The matrix of its singular vectors and values, whatever the signs."""
    return u * d[..., None, :] @ v


MATRICES = {
    "solving": lambda a, s: (sg.linalg.solve(a, s[..., :2]), sg.linalg.solve(a.mT, s[..., 0]), sg.linalg.inv(a),
                             sg.linalg.cholesky(s)),
    "solving backwards": lambda a, s: (
        *sg.grad(lambda a, s: (sg.linalg.solve(a, s[..., 0]) * M[:2, :4]).sum(), argnums=(0, 1))(a, s),
        sg.grad(lambda a: (sg.linalg.solve(a, s[..., :3]) ** 2).sum())(a),
    ),
    "triangles": lambda a, s: (sg.linalg.eigvalsh(a, "U"), sg.linalg.eigvalsh(a), sg.linalg.eigvalsh(a * 2 - 1),
                               sg.abs(sg.linalg.eigh(a, "U")[1]), sg.logdet(-a[:, :3, :3]),
                               sg.abs(sg.linalg.qr(a[..., :3])[0]), sg.linalg.qr(a[:, :3])[0] ** 2,
                               sg.grad(lambda s: (sg.linalg.eigh(s)[1] ** 2 * a).sum())(s)),
    "determinants": lambda a, s: (sg.linalg.det(a), sg.linalg.slogdet(-a[:, :3, :3])[0], sg.linalg.slogdet(a)[1],
                                  sg.logdet(s), sg.grad(lambda a: sg.linalg.det(a).sum())(a)),
    "spectra": lambda a, s: (sg.linalg.eigvalsh(s), sg.linalg.svdvals(a[:, :3]), sg.linalg.svdvals(a[..., :2]),
                             sg.grad(lambda s: (sg.linalg.eigvalsh(s) * M[:2, :4]).sum())(s)),
    "singular vectors": lambda a, s: composed(*sg.linalg.svd(a[:, :3], full_matrices=False)),
    "pseudo-inverses": lambda a, s: (sg.linalg.pinv(a[:, :3]), sg.linalg.pinv(a[..., :2]),
                                     sg.linalg.matrix_rank(s[..., :1] @ s[:, :1]) * 1.0,
                                     sg.linalg.matrix_rank(s, rtol=0.5) * 1.0,
                                     sg.linalg.matrix_rank(a, atol=2.9) * 1.0),
    "factors": lambda a, s: (sg.linalg.qr(a[:, :, :3])[0] @ sg.linalg.qr(a[:, :, :3])[1],
                             sg.abs(sg.linalg.qr(a[:, :3])[1])),
    "exponentials": lambda a, s: (sg.linalg.matrix_exp(a / 5),
                                  sg.grad(lambda a: (sg.linalg.matrix_exp(a / 5) * s).sum())(a)),
    "in loops": lambda a, s: (sg.fori_loop(0, 2, lambda i, c: c * 0.5 + sg.diag_embed(sg.linalg.eigvalsh(c)), s)
                              + sg.fori_loop(0, 2, lambda i, c: c * 0.2 + sg.diag_embed(sg.linalg.eigvalsh(c)), s + s)),
}  # fmt: skip


@pytest.mark.parametrize("name", MATRICES)
def test_matrices_of_a_batch_are_each_their_own(name, tmp_path):
    check([MATRICES[name]], (A, S), "python", tmp_path)


@needs_cc
def test_matrices_of_a_batch_are_each_their_own_in_c(tmp_path):
    check(MATRICES.values(), (A, S), "c", tmp_path)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("f", "bad"),
    [
        (sg.linalg.inv, [[1.0, 2.0], [2.0, 4.0]]),
        (sg.linalg.cholesky, [[1.0, 2.0], [2.0, 3.0]]),
        (lambda a: sg.linalg.solve(a, a[0]), [[1.0, 2.0], [2.0, 4.0]]),
    ],
    ids=["inv", "cholesky", "solve"],
)
def test_a_matrix_without_an_inverse_or_a_root_is_said(f, bad, target, tmp_path):
    text = sg.export(f, (np.array([[1.0, 2.0], [2.0, 5.0]]),), target=target, name="f", path=tmp_path / "f.c")
    f = loaded(text) if target == "python" else load_c(tmp_path / "f.c")
    with pytest.raises((ZeroDivisionError, sg.errors.LinAlgError)):
        f(bad if target == "python" else np.array(bad))


def called(f, points, target, folder):
    """Return the results of an exported function as arrays."""
    text = sg.export(f, points, target=target, name="f", path=folder / "f.c", formula=False)
    if target == "c":
        return [np.asarray(y) for y in load_c(folder / "f.c")(*[np.asarray(x, float) for x in points])]
    return [np.asarray(y) for y in loaded(text)(*[np.asarray(x).tolist() for x in points])]


def banded_systems(ab, b):
    """Solutions of systems with bands that are general, definite or neither, and the gradients of one."""
    solve = lambda ab, b: sg.linalg.solve_banded((1, 2), ab, b)
    slopes = sg.grad(lambda ab, b: (solve(ab, b) ** 2).sum(), (0, 1))(ab, b)
    definite = sg.linalg.solveh_banded(sg.cat([ab[:1] + 9, ab[1:]]), b, lower=True)
    return solve(ab, b), *slopes, definite, sg.linalg.solveh_banded(ab, b)


@pytest.mark.parametrize("target", TARGETS)
def test_systems_of_bands_are_solved_within_the_band(target, tmp_path):
    rng = np.random.default_rng(7)
    points = rng.normal(size=(4, 7)), rng.normal(size=7)
    for y, z in zip(called(banded_systems, points, target, tmp_path), values(banded_systems, points), strict=True):
        np.testing.assert_allclose(y, z, rtol=1e-9)


@pytest.mark.parametrize("target", TARGETS)
def test_extremes_of_integers_are_those_of_numpy(target, tmp_path):
    w = np.random.default_rng(5).integers(-(2**31), 2**31, (7, 90)).astype(np.int32)
    f = lambda w, x: (w.amin(1), w.amax(0), sg.min(w, 0).values, w.amax((0, 1)), sg.sin(x).sum())
    found = called(f, (w, LONG), target, tmp_path)
    expected = w.min(1), w.max(0), w.min(0), w.max(), np.sin(LONG).sum()
    for y, z in zip(found, expected, strict=True):
        np.testing.assert_allclose(y, z, rtol=1e-13)


@pytest.mark.parametrize("target", TARGETS)
def test_ranks_count_singular_values_above_the_thresholds_of_numpy(target, tmp_path):
    eps = np.finfo(float).eps
    a = np.zeros((3, 40))
    a[0, 0], a[1, 1], a[2, 2] = 1.0, 20 * eps, 70 * eps  # the usual threshold is 40 eps, not 3 eps
    f = lambda a, x: (sg.linalg.matrix_rank(a) * 1.0, sg.linalg.matrix_rank(a, atol=1e-20) * 1.0,
                      sg.linalg.matrix_rank(a, rtol=100 * eps) * 1.0, sg.sin(x).sum())  # fmt: skip
    found = called(f, (a, LONG), target, tmp_path)
    ranks = np.linalg.matrix_rank(a), np.linalg.matrix_rank(a, tol=1e-20), np.linalg.matrix_rank(a, tol=100 * eps)
    assert [int(y) for y in found[:3]] == [*ranks] == [2, 3, 1]


@pytest.mark.parametrize("target", TARGETS)
def test_tests_of_infinity_and_nan_are_those_of_numpy(target, tmp_path):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.7e308, -2.5])
    f = lambda x, y: (sg.isfinite(x) * 1.0, sg.isinf(x) * 1.0, sg.isnan(x) * 1.0, sg.signbit(x) * 1.0, sg.sin(y).sum())
    found = called(f, (x, LONG), target, tmp_path)
    for y, test in zip(found[:4], (np.isfinite, np.isinf, np.isnan, np.signbit), strict=True):
        np.testing.assert_array_equal(y[[0, 1, 3, 4, 5, 6]], test(x)[[0, 1, 3, 4, 5, 6]] * 1.0)
    assert [y[2] for y in found[:3]] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("target", TARGETS)
def test_a_tail_of_the_zeta_function_that_is_no_number_is_left_out(target, tmp_path):
    s, q = np.array([np.inf, 3.0, 40.0]), np.array([1.0, 2.5, 0.7])
    found, _ = called(lambda s, q, y: (sg.special.zeta(s, q), sg.sin(y).sum()), (s, q, LONG), target, tmp_path)
    np.testing.assert_allclose(found, scipy.special.zeta(s, q), rtol=1e-13)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: sg.kron(x, x),
        lambda x: sg.kron(sg.kron(x, x), x),
        lambda x: sg.outer(x, x).reshape(-1),
        lambda x: sg.cat([x, x[1:]]),
    ],
)
def test_sizes_of_results_may_be_powers_and_sums_of_names(f, tmp_path):
    sg.export(f, shapes={"x": ("n",)}, target="c", path=tmp_path / "f.c", name="f")
    x = np.array([1.5, -2.0, 0.7, 3.1])
    np.testing.assert_allclose(load_c(tmp_path / "f.c")(x), f(sg.tensor(x)), rtol=1e-15)


@pytest.mark.parametrize("x", [np.ones(3) * 1j, np.array([None] * 3), "a", [[1.0], [1.0, 2.0]]])
def test_a_loaded_function_takes_real_numbers_alone(x, tmp_path):
    sg.export(lambda x: 2 * x, shapes={"x": ("n",)}, target="c", path=tmp_path / "f.c", name="f")
    with pytest.raises(ArgumentTypeError, match=r"f: x is .* Expected an array of real numbers"):
        load_c(tmp_path / "f.c")(x)
