"""Linear algebra and reads at positions as machine code: values, derivatives, errors, loops, threads, dtypes."""

from __future__ import annotations

import shutil
import threading

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler.backends.llvm.routines import shared
from symgrad.errors import ArgumentError, IndexRangeError, LinAlgError

llvm = pytest.importorskip("llvmlite.binding")
RNG = np.random.default_rng(28)
L = sg.linalg


def matrices(*shape):
    """Matrices that are far from singular, with pivots in all rows."""
    return RNG.standard_normal(shape) + np.eye(shape[-1])[::-1] * shape[-1]


def definite(*shape):
    """Positive definite matrices."""
    a = RNG.standard_normal(shape)
    return a @ a.swapaxes(-1, -2) + np.eye(shape[-1])


KERNELS = {
    "cholesky": (L.cholesky, definite(5, 4, 4)),
    "inv": (L.inv, matrices(5, 4, 4)),
    "det": (L.det, matrices(5, 4, 4)),
    "slogdet": (lambda a: L.slogdet(a)[1], matrices(2, 3, 5, 5)),
    "solve": (L.solve, matrices(5, 4, 4), RNG.standard_normal((5, 4, 2))),
    "solve of a vector": (L.solve, matrices(7, 7), RNG.standard_normal(7)),
    "solve with one matrix for a batch": (L.solve, matrices(3, 3), RNG.standard_normal((6, 3, 1))),
    "solve with the triangle": (lambda a, b: L.solve_triangular(a, b, upper=False), matrices(4, 4), matrices(4, 4)),
    "one matrix in several ways": (
        lambda a, b: L.solve(a, b) + L.inv(a)[:, :, :2] + L.slogdet(a)[1][:, None, None], matrices(4, 12, 12),
        RNG.standard_normal((4, 12, 2)),
    ),
    "inv of 40 rows": (L.inv, matrices(2, 40, 40)),
    "cholesky of 40 rows": (L.cholesky, definite(2, 40, 40)),
    "cholesky_solve": (sg.cholesky_solve, RNG.standard_normal((4, 2)), np.linalg.cholesky(definite(4, 4))),
    "solve_banded": (lambda ab, b: L.solve_banded((2, 1), ab, b), RNG.standard_normal((4, 9)), RNG.standard_normal(9)),
    "bands in a batch": (
        lambda ab, b: L.solve_banded((1, 2), ab, b), RNG.standard_normal((3, 4, 6)), RNG.standard_normal((3, 6, 2)),
    ),
    "one band for a batch": (
        lambda ab, b: L.solve_banded((1, 2), ab, b), RNG.standard_normal((4, 6)), RNG.standard_normal((3, 6, 2)),
    ),
    "solveh_banded": (
        lambda ab, b: L.solveh_banded(sg.cat([ab[:1] + 4, ab[1:]]), b, lower=True), RNG.random((3, 9)), np.ones(9),
    ),
    "pinv": (L.pinv, RNG.standard_normal((3, 5, 3))),
    "pinv of a symmetric matrix": (lambda a: L.pinv(a + a.mT, hermitian=True), RNG.standard_normal((4, 4))),
    "lstsq": (lambda a, b: L.lstsq(a, b)[0], RNG.standard_normal((9, 3)), RNG.standard_normal((9, 2))),
    "qr": (lambda a: L.qr(a)[1], RNG.standard_normal((3, 6, 4))),
    "matrix_exp": (L.matrix_exp, RNG.standard_normal((3, 4, 4))),
    "take_along_dim": (
        lambda x, at: sg.take_along_dim(x, at, 1), RNG.standard_normal((3, 5)), RNG.integers(-5, 5, (3, 4)),
    ),
    "cumsum of columns": (lambda x: sg.cumsum(x, 0), RNG.standard_normal((5, 3))),
    "cumsum of rows": (lambda x: sg.cumsum(x, 1), RNG.standard_normal((5, 3))),
    "cumprod of columns": (lambda x: sg.cumprod(x, 0), RNG.standard_normal((5, 3, 2))),
    "logcumsumexp": (lambda x: sg.logcumsumexp(x, 0), RNG.standard_normal((5, 3))),
    "prod": (lambda x: sg.prod(x, 0), RNG.standard_normal((5, 3))),
    "norm": (lambda x: L.vector_norm(x, dim=1), RNG.standard_normal((5, 30))),
    "norm of tiny and huge": (lambda x: L.vector_norm(x, dim=1), np.array([[3e-200, 4e-200], [3e200, 4e200]])),
    "std": (lambda x: sg.std(x, 0), RNG.standard_normal((5, 3))),
    "topk": (lambda x: sg.topk(x, 3)[0], RNG.standard_normal((4, 40))),
    "median": (lambda x: sg.median(x, 1)[0], RNG.standard_normal((4, 9))),
    "triangles": (lambda x: sg.tril(x, -1) + 2 * sg.triu(x), RNG.standard_normal((3, 4, 4))),
    "rows at positions": (lambda x, at: x[at], RNG.standard_normal((9, 4)), RNG.integers(-9, 9, (3, 5))),
    "entries at positions": (lambda x, i, j: x[i, j], RNG.standard_normal((9, 4)), np.arange(5)[:, None], np.arange(3)),
}  # fmt: skip
EXACT = 1e-11


def both(name):
    """Values, and gradients in arguments of floats, of a sum that weighs all entries differently."""
    f, *xs = KERNELS[name]
    wrt = tuple(k for k, x in enumerate(xs) if x.dtype.kind == "f")

    def loss(*xs):
        y = f(*xs)
        return (sg.cos(sg.arange(y.numel(), dtype=y.dtype)).reshape(y.shape) * y).sum()

    return lambda *xs: (f(*xs), *sg.grad(loss, wrt)(*xs)), xs


def nests(f, *xs):
    """The steps of a kernel as text."""
    return f.lower(*xs).stages["nests"]


def agree(ys, expected, tolerance):
    for y, e in zip(ys, expected, strict=True):
        e = np.asarray(e.detach().numpy() if isinstance(e, sg.Tensor) else e)
        assert (np.asarray(y).dtype, np.shape(y)) == (e.dtype, e.shape)
        np.testing.assert_allclose(y, e, rtol=tolerance, atol=tolerance * np.max(np.abs(e), initial=1.0))


@pytest.mark.parametrize("backend", ["llvm", "c"])
@pytest.mark.parametrize("name", KERNELS)
def test_routines_have_the_values_and_gradients_of_eager_mode(name, backend):
    if backend == "c" and not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("there is no C compiler")
    f, xs = both(name)
    fast = sg.compile(f, backend=backend)
    expected = f(*map(sg.tensor, xs))
    for _ in range(2):
        agree(fast(*xs), expected, EXACT)
    if backend == "llvm" and "nests" in fast.lower(*xs).stages:
        assert "Outside(" not in nests(fast, *xs)


ORDERED = np.array([[1, 2, 2, 0, 1, 2], [3, np.nan, 1, 3, np.nan, 0], [np.inf, -np.inf, 0.0, -0.0, 5, np.inf]])


@pytest.mark.parametrize("f", [
    lambda x: sg.topk(x, 4), lambda x: sg.topk(x, 2, largest=False), lambda x: sg.median(x, 1),
    lambda x: sg.kthvalue(x, 3), lambda x: sg.cummax(x, 1), lambda x: sg.argmax(x, 1),
    lambda x: sg.scan(lambda c, row: (c, sg.sort(row)), sg.zeros(1), x)[1],
    lambda x: sg.scan(lambda c, row: (c, sg.sort(row, descending=True)), sg.zeros(1), x)[1],
], ids=["topk", "smallest", "median", "kthvalue", "cummax", "argmax", "sort", "descending"])  # fmt: skip
def test_order_of_equal_entries_and_of_nan_is_that_of_eager_mode(f):
    for x in (ORDERED, np.tile(ORDERED, (1, 9)), ORDERED.astype(np.float32) / 16):
        for y, e in zip(parts(sg.compile(f, backend="llvm")(x)), parts(f(sg.tensor(x))), strict=True):
            np.testing.assert_array_equal(y, e)


def parts(result):
    """The arrays of a result, of which there may be several."""
    return [np.asarray(y) for y in (result if isinstance(result, tuple) else [result])]


@pytest.mark.parametrize("name", [n for n in KERNELS if n != "norm of tiny and huge"])
def test_routines_in_single_precision(name):
    f, xs = both(name)
    xs = [x.astype(np.float32) if x.dtype.kind == "f" else x for x in xs]
    agree(sg.compile(f, backend="llvm")(*xs), f(*map(sg.tensor, xs)), 3e-4)


FAILING = {
    "solve": (L.solve, np.zeros((2, 3, 3)), np.ones((2, 3, 1))),
    "solve_banded": (lambda ab, b: L.solve_banded((1, 1), ab, b), np.zeros((2, 3, 3)), np.ones((2, 3))),
    "solveh_banded": (L.solveh_banded, np.ones((2, 3)) * [[1], [0]], np.ones(3)),
    "inv": (L.inv, np.stack([np.eye(3), np.zeros((3, 3))])),
    "cholesky": (L.cholesky, -np.eye(3)),
    "cholesky of nan": (L.cholesky, np.full((3, 3), np.nan)),
    "pinv of nan": (L.pinv, np.full((3, 2), np.nan)),
    "take_along_dim": (lambda x, at: sg.take_along_dim(x, at, 1), np.ones((2, 3)), np.array([[0, 3]] * 2)),
    "indexing": (lambda x, at: 2 * x[at], np.ones((2, 3)), np.array([-3])),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_routine_that_fails_raises_the_error_of_eager_mode(name):
    f, *xs = FAILING[name]
    with pytest.raises((LinAlgError, IndexRangeError)) as eager:
        f(*map(sg.tensor, xs))
    fast = sg.compile(f, backend="llvm")
    for _ in range(2):
        with pytest.raises(type(eager.value)) as compiled:
            fast(*xs)
        assert str(compiled.value) == str(eager.value)


def test_each_thread_gets_its_own_error():
    fast = sg.compile(lambda a, i: sg.take_along_dim(a, i, 1), backend="llvm")
    a, found = np.ones((2, 3)), {}

    def run(number):
        for _ in range(200):
            try:
                fast(a, np.array([[number], [0]]))
            except IndexRangeError as error:
                found.setdefault(number, set()).add(str(error))

    threads = [threading.Thread(target=run, args=(n,)) for n in (3, 4, 5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert {n: [f"index {n} " in m for m in messages] for n, messages in found.items()} == {
        n: [True] for n in (3, 4, 5)
    }


def test_a_routine_gives_nan_where_eager_mode_does():
    a = np.full((4, 4), np.nan)
    for f in (L.inv, L.det, lambda a: L.solve(a, a[0]), L.matrix_exp):
        np.testing.assert_array_equal(np.isnan(sg.compile(f, backend="llvm")(a)), np.isnan(f(sg.tensor(a)).numpy()))


def kalman(A, C, y):
    """A Kalman filter: a loop with products, a Cholesky factorisation and solves inside."""
    n, eye = A.shape[0], sg.eye(A.shape[0])

    def step(carry, y):
        m, P = carry
        m, P = A @ m, A @ P @ A.mT + eye
        S = C @ P @ C.mT + sg.eye(C.shape[0])
        K = L.solve(S, C @ P).mT
        return (m + K @ (y - C @ m), P - K @ S @ K.mT), L.cholesky(S).diagonal().log().sum()

    (m, P), logs = sg.scan(step, (sg.zeros(n), eye), y)
    return m.sum() + P.sum() + logs.sum()


def test_a_loop_with_linear_algebra_is_machine_code_and_its_gradient_too():
    xs = 0.4 * RNG.standard_normal((4, 4)), RNG.standard_normal((3, 4)), RNG.standard_normal((6, 3))
    f = sg.value_and_grad(kalman, (0, 1, 2))
    fast = sg.compile(f, backend="llvm")
    value, slopes = fast(*xs)
    expected, eager = f(*map(sg.tensor, xs))
    agree([value, *slopes], [expected, *eager], 1e-9)
    assert "Outside(" not in nests(fast, *xs)


def test_an_error_inside_of_a_loop_reaches_the_caller():
    def f(x):
        return sg.scan(lambda c, _: (L.solve(sg.diag(c), c), None), x, length=5)[0]

    fast = sg.compile(f, backend="llvm")
    np.testing.assert_allclose(fast(np.array([1.0, 2.0])), [1.0, 1.0])
    with pytest.raises(LinAlgError, match="singular"):
        fast(np.zeros(2))


def test_threads_share_a_batch_and_the_bytes_are_those_of_one(monkeypatch):
    monkeypatch.setattr(shared, "_LEAST", 1000)
    monkeypatch.setattr(shared, "_GRAIN", 500)
    a, b = matrices(60, 5, 5), RNG.standard_normal((60, 5))
    fast = sg.compile(lambda a, b: (L.solve(a, b), L.inv(a), L.det(a)), backend="llvm")
    results = []
    for n in (1, 4):
        sg.set_num_threads(n)
        results.append([y.tobytes() for y in fast(a, b)])
    assert results[0] == results[1]
    assert "nest0.chunk" in fast.lower(a, b).stages["assembly"]
    a[-1] = 0
    with pytest.raises(LinAlgError, match="Batch element 59"):
        fast(a, b)


@pytest.mark.parametrize("f", [lambda a, b: L.solve(a, b).sum(), lambda a, b: L.slogdet(a)[1].sum() + (a @ b).sum()])
def test_matrices_are_factorised_once_for_the_value_and_its_gradient(f):
    fast = sg.compile(sg.value_and_grad(f, (0, 1)), backend="llvm")
    assert nests(fast, matrices(30, 12, 12), RNG.standard_normal((30, 12, 2))).count("factorise(") == 1


@pytest.mark.parametrize("backend", ["llvm", "c"])
def test_the_standard_deviation_of_equal_entries_is_0_and_flat(backend):
    fast = sg.compile(sg.value_and_grad(lambda x: sg.std(x, 1).sum()), backend=backend)
    for entry in (1 / 3, 1e-5, 7.7):
        value, slope = fast(np.full((90, 100), entry))
        assert value == 0
        assert not slope.any()


@pytest.mark.skipif(not llvm.get_process_triple().startswith("x86_64"), reason="names an instruction")
def test_loops_along_rows_of_a_matrix_are_vectors():
    code = sg.compile(L.inv, backend="llvm").lower(matrices(30, 16, 16)).stages["assembly"]
    assert "subpd" in code
    assert "subsd" not in code


def test_a_position_is_checked_once_for_the_entries_that_follow_it():
    fast = sg.compile(sg.grad(lambda x, at: (x[at] ** 2).sum()), backend="llvm")
    text = nests(fast, RNG.standard_normal((90, 40)), RNG.integers(-90, 90, 300))
    assert "'    p" in text
    assert "'        p" not in text
    with pytest.raises(IndexRangeError):
        fast(np.ones((90, 40)), np.full(300, 90))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_the_gradient_of_a_determinant_is_right_at_matrices_of_every_rank(n):
    slope = sg.grad(lambda a: sg.sin(L.det(a)).sum())
    ranks = [RNG.standard_normal((n, r)) @ RNG.standard_normal((r, n)) for r in range(n + 1)]
    a = np.stack([*ranks, np.diag(np.arange(n) - 0.0)])
    np.testing.assert_allclose(sg.compile(slope, backend="llvm")(a), slope(sg.tensor(a)).numpy(), rtol=1e-9, atol=1e-11)


def test_products_in_a_batch_are_machine_code_where_they_are_small():
    a, b = RNG.standard_normal((70, 8, 8)), RNG.standard_normal((70, 8, 8))
    f = lambda a, b: (a @ b.mT, a.mT @ b)
    fast = sg.compile(f, backend="llvm")
    agree(fast(a, b), f(sg.tensor(a), sg.tensor(b)), 1e-13)
    assert not fast.lower(a, b).as_text("calls")


CALLS = {
    "BLAS": lambda a: a @ a,
    "NumPy sorts": lambda a: sg.sort(a, 1).values,
    "more than 100 rows": L.cholesky,
    "there are no loops": L.eigvalsh,
    "not for int64": lambda a: sg.cumsum(a.long(), 0),
    "in its body is Eigenvalues": lambda a: sg.scan(lambda c, _: (L.eigvalsh(sg.diag(c)), None), a[0], None, length=3)[
        0
    ],
}


@pytest.mark.parametrize("why", CALLS)
def test_what_leaves_machine_code_is_listed_with_the_reason(why):
    (line,) = sg.compile(CALLS[why], backend="llvm").lower((150, 150)).as_text("calls").splitlines()
    assert why in line
    assert "[150" in line
    assert not sg.compile(lambda a: L.cholesky(a).tanh(), backend="llvm").lower((30, 30)).as_text("calls")


X = np.linspace(0.1, 1.0, 8)


def counting(x):
    """A loop that counts in integers, and reads at them."""

    def step(c, _):
        i, s = c
        return (i + 1, s + x[i] * i), i * 2

    (i, s), ys = sg.scan(step, (sg.tensor(0), sg.tensor(0.0)), None, length=8)
    return s, i, ys


LOOPS = {
    "read at a computed position": (
        lambda x: sg.scan(lambda c, _: (x[(4 + 3 * sg.sin(c)).long()] * c, c), sg.tensor(0.7), None, length=9)[1], X,
    ),
    "counting": (counting, X),
    "integers for slices": (
        lambda x, i: sg.scan(lambda c, k: (c + x[k], c * k), sg.tensor(0.0), i)[1], X, np.array([0, 3, -1, 7, 2]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_loops_with_integers_are_machine_code(name):
    f, *xs = LOOPS[name]

    def both(*xs):
        y = f(*xs)
        y = y if isinstance(y, tuple) else (y,)
        return (*y, sg.grad(lambda *xs: (f(*xs)[0] if name == "counting" else f(*xs)).sum())(*xs))

    fast = sg.compile(both, backend="llvm")
    agree(fast(*xs), both(*map(sg.tensor, xs)), EXACT)
    assert "Outside(" not in nests(fast, *xs)
    assert "Loop(" in nests(fast, *xs)


@pytest.mark.parametrize("factor", [10**6, 10**16])
def test_an_integer_that_grows_too_large_in_a_loop_is_refused_or_exact_as_in_eager_mode(factor):
    def f(x, steps):
        def step(c, _):
            return (sg.where(c[0] < 1000, c[0] * factor, 5), c[1] + x), None

        return sg.scan(step, (sg.tensor(900), sg.tensor(0.0)), None, length=steps)[0]

    for steps in (1, 2):
        fast = sg.compile(lambda x, steps=steps: f(x, steps), backend="llvm")
        if factor == 10**16 and steps == 1:
            with pytest.raises(ArgumentError, match="an integer reaches"):
                fast(1.5)
        else:
            agree(fast(1.5), f(sg.tensor(1.5), steps), 0)


def test_slices_of_large_integers_are_exact():
    f = lambda x, i: sg.scan(lambda c, k: (c + x[k - 2**60], c), sg.tensor(0.0), i)[1]
    at = np.array([2**60 + 1, 2**60 + 3, 2**60])
    agree([sg.compile(f, backend="llvm")(X, at)], [f(sg.tensor(X), sg.tensor(at))], 0)


def test_integers_wrap_around_and_compare_exactly():
    i, j = np.array([2**40, -3, 2**62 + 1] * 30), np.array([2**40 + 1, -3, 2**62] * 30)
    f = lambda i, j: (i * i - j, -i, i < j, i == j, sg.where(i > j, i, 7), (i > 0) & (j != 5))
    for y, e in zip(sg.compile(f, backend="llvm")(i, j), f(sg.tensor(i), sg.tensor(j)), strict=True):
        np.testing.assert_array_equal(y, e.numpy())
    x = np.array([np.nan, np.inf, -np.inf, 1e300, 2.7, -2.7, 2.0**63] * 20)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(sg.compile(lambda x: x.long(), backend="llvm")(x), sg.tensor(x).long().numpy())
