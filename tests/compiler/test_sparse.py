"""Sparse Jacobians and Hessians against dense ones: patterns, colours, modes, shapes, dtypes, errors."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from checks import close, every, number, weighed

import symgrad as sg
from symgrad.compiler.sparse.colouring import NO_COLOUR, column_colours, repeated_block, star_colours
from symgrad.compiler.sparse.sets import from_pairs
from symgrad.compiler.sparse.sweeps import for_hessian, for_jacobian
from symgrad.errors import ArgumentError

from cases import CASES

SMOOTH_CASES = [case for case in CASES if not case.row.discrete]
RNG = np.random.default_rng(4)
X = RNG.uniform(0.3, 2.0, 12)
A = RNG.uniform(0.5, 1.0, (12, 12)) * (np.abs(np.subtract.outer(np.arange(12), np.arange(12))) <= 1)


def dense(derivative, case, k, f):
    """The dense derivative by input k as a matrix."""
    points = [sg.tensor(x) for x in case.points]
    found = derivative(f, k)(*points).numpy()
    size = points[k].numpy().size
    return found.reshape(int(np.prod(found.shape[: found.ndim - len(points[k].shape)])), size)


def is_inside(found, pattern):
    """Whether an array is zero outside of a pattern."""
    return not np.any(found[~pattern.toarray()])


# ------------------------------------------------------------------ every row of the table
@every(SMOOTH_CASES)
def test_jacobian_of_every_row_agrees_with_the_dense_one(case):
    for k in range(len(case.points)):
        f = sg.sparse_jacobian(number(case), k, backend="numpy")
        close(f(*case.points).toarray(), dense(sg.jacobian, case, k, number(case)), 1e-10)


@every([case for case in SMOOTH_CASES if all(x.size <= 12 for x in case.points)])
def test_hessian_of_every_row_agrees_with_the_dense_one(case):
    for k in range(len(case.points)):
        h = sg.sparse_hessian(weighed(case), k, backend="numpy")
        close(h(*case.points).toarray(), dense(sg.hessian, case, k, weighed(case)), 1e-10)


# ------------------------------------------------------------------ patterns without a spare entry
def heat(u):
    padded = sg.cat([sg.zeros(1), u, sg.zeros(1)])
    return padded[2:] - 2 * padded[1:-1] + padded[:-2] + sg.exp(u)


def filled(x):
    y = sg.zeros(12)
    y[3:6] = x[:3] * x[6:9]
    return y * x


def oscillators(x):
    """Four independent pairs, three steps in time."""
    (angle, _), speeds = sg.scan(
        lambda state, _: ((state[0] + 0.1 * state[1], state[1] - 0.1 * sg.sin(state[0])), state[1]),
        (x[:4], x[4:8]),
        length=3,
    )
    return sg.cat([angle, speeds.reshape(-1)])


TIGHT = {
    "elementwise": sg.sin,
    "neighbours": lambda x: x[1:] * x[:-1],
    "finite differences": heat,
    "entries in reverse order": lambda x: x**2 * sg.flip(x, (0,)),
    "repeated indices": lambda x: x[[0, 0, 5, -1]] ** 3,
    "a sum": lambda x: (x**2).sum(),
    "sums of rows": lambda x: (x.reshape(3, 4) ** 2).sum(1),
    "an extreme value of rows that may be any": lambda x: sg.logsumexp(x.reshape(3, 4), 1),
    "softmax of columns": lambda x: sg.softmax(x.reshape(3, 4), 0),
    "products of rows": lambda x: x.reshape(3, 4).prod(1),
    "running sums": lambda x: sg.cumsum(x.reshape(3, 4) ** 2, 1),
    "running products": lambda x: sg.cumprod(x.reshape(4, 3), 0),
    "an outer product": lambda x: sg.outer(x[:3], x[3:7]),
    "a matrix product": lambda x: x[:6].reshape(2, 3) @ x[6:].reshape(3, 2),
    "a diagonal": lambda x: sg.diagonal(sg.outer(x, x)),
    "a banded matrix of numbers": lambda x: sg.tensor(A) @ x**2,
    "a lower triangle of numbers": lambda x: sg.tril(sg.tensor(A)) @ sg.sin(x),
    "a lower triangle of variables": lambda x: sg.tril(x[:9].reshape(3, 3)) @ x[9:],
    "a factor with zeros": lambda x: sg.tensor((np.arange(12) % 3 == 0) * 1.0) * x**2,
    "a choice by numbers": lambda x: sg.where(sg.tensor(np.arange(12) < 5), x**2, sg.flip(x, (0,))),
    "zeros filled in place": filled,
    "values rounded": lambda x: sg.ceil(x) * x[0],
    "a power of 0": lambda x: x ** sg.tensor(np.arange(12.0) % 2),
    "inverses of a batch": lambda x: sg.linalg.inv(x[:8].reshape(2, 2, 2)),
    "determinants of a batch": lambda x: sg.linalg.det(x.reshape(3, 2, 2)),
    "solutions, column by column": lambda x: sg.linalg.solve(sg.tensor(A[:3, :3]), x.reshape(3, 4)),
    "a loop": oscillators,
    "nothing": lambda x: sg.ones(3),
    "x itself": lambda x: x,
    "only some entries": lambda x: sg.stack([x[2] * x[5], x[5] ** 2]),
}


@pytest.mark.parametrize("name", TIGHT)
def test_pattern_of_a_jacobian_has_no_spare_entry(name):
    f = sg.sparse_jacobian(TIGHT[name], backend="numpy")
    expected = sg.jacobian(TIGHT[name])(X).reshape(-1, 12)
    close(f(X).toarray(), expected, 1e-12)
    np.testing.assert_array_equal(f.pattern.toarray(), expected != 0)


MATRICES = np.random.default_rng(3).uniform(0.5, 1.5, (2, 3, 3)) + 3 * np.eye(3)
SIDES = np.random.default_rng(4).uniform(0.5, 1.5, (2, 3, 2))
PER_MATRIX = {
    "lu_factor": lambda x: sg.linalg.lu_factor(x).LU,
    "lu_solve": lambda x: sg.linalg.lu_solve(*sg.linalg.lu_factor(x), sg.tensor(SIDES)),
    "cholesky": lambda x: sg.linalg.cholesky(x @ x.mT),
    "inv": sg.linalg.inv,
    "solve": lambda x: sg.linalg.solve(x, sg.tensor(SIDES)),
    "det": sg.linalg.det,
    "slogdet": lambda x: sg.linalg.slogdet(x).logabsdet,
    "eigvalsh": sg.linalg.eigvalsh,
    "eigh": lambda x: sg.linalg.eigh(x).eigenvectors ** 2,
    "svdvals": sg.linalg.svdvals,
    "qr": lambda x: sg.linalg.qr(x).Q,
    "matrix_exp": lambda x: sg.linalg.matrix_exp(x / 4),
    "pinv": sg.linalg.pinv,
    "lstsq": lambda x: sg.linalg.lstsq(x, sg.tensor(SIDES)).solution,
    "nuclear norm": lambda x: sg.linalg.matrix_norm(x, "nuc"),
}
PER_ROW = {
    "softmax": lambda x: sg.softmax(x, -1),
    "sort": lambda x: sg.sort(x, -1).values,
    "topk": lambda x: sg.topk(x, 2, -1).values,
    "median": lambda x: sg.median(x, -1).values,
    "quantile": lambda x: sg.quantile(x, 0.3, -1),
    "cummax": lambda x: sg.cummax(x, -1).values,
    "cumsum": lambda x: sg.cumsum(x, -1),
    "logcumsumexp": lambda x: sg.logcumsumexp(x, -1),
    "norm": lambda x: sg.linalg.vector_norm(x, 3, -1),
    "var": lambda x: sg.var(x, -1),
    "gather at positions found": lambda x: sg.gather(x, -1, sg.argsort(x, -1)[..., :2]),
    "take along an axis": lambda x: sg.take_along_dim(x, sg.argsort(x, -1, descending=True), -1),
    "the gradient of it": lambda x: sg.grad(lambda v: (sg.take_along_dim(v, sg.argsort(v, -1), -1) ** 3).sum())(x),
}
PER_ENTRY = {
    "bessel_j0": sg.special.bessel_j0,
    "zeta": lambda x: sg.special.zeta(sg.tensor(2.0), x),
    "frexp": lambda x: sg.frexp(x).mantissa,
    "the entries of another": lambda x: x * x.detach(),
}
APART = [
    (table[name], width, name) for table, width in ((PER_MATRIX, 9), (PER_ROW, 3), (PER_ENTRY, 1)) for name in table
]


@pytest.mark.parametrize(("f", "width", "name"), APART, ids=[name for *_, name in APART])
def test_matrices_rows_and_entries_stand_apart_in_the_pattern(f, width, name):
    sparse = sg.sparse_jacobian(f, backend="numpy")
    expected = sg.jacobian(f)(MATRICES)
    close(sparse(MATRICES).toarray(), expected.reshape(-1, 18), 1e-9)
    rows, columns = sparse.pattern.nonzero()
    size = expected.size // 18 // (18 // width)  # entries of the result for each that stands apart
    assert np.all(rows // size == columns // width), name


def test_positions_that_are_inputs_read_along_their_axis_only():
    x, at = np.arange(12.0).reshape(3, 4), np.array([1, 0, 1])
    f = sg.sparse_jacobian(lambda x, at: sg.as_tensor(x)[:, at] ** 2)
    close(f(x, at).toarray(), sg.jacobian(lambda x, at: sg.as_tensor(x)[:, at] ** 2)(x, at).reshape(9, 12), 1e-12)
    assert f.pattern.nnz == 9 * 4
    g = sg.sparse_hessian(lambda x, at: (sg.as_tensor(x)[:, at] ** 3).sum())
    close(
        g(x, at).toarray(), sg.hessian(lambda x, at: (sg.as_tensor(x)[:, at] ** 3).sum())(x, at).reshape(12, 12), 1e-12
    )


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_taking_along_an_axis_has_the_pattern_of_sorting_along_it(axis):
    x = MATRICES[:, :2]
    take = sg.sparse_jacobian(lambda x: sg.take_along_dim(x, sg.argsort(x, axis), axis))
    order = sg.sparse_jacobian(lambda x: sg.sort(x, axis).values)
    np.testing.assert_array_equal(take(x).toarray(), order(x).toarray())
    assert (take.pattern != order.pattern).nnz == 0


def test_a_loop_too_long_to_follow_counts_as_dense(monkeypatch):
    monkeypatch.setattr("symgrad.compiler.sparse.pattern._MOST_STEPS", 2)
    f = sg.sparse_jacobian(oscillators)
    close(f(X).toarray(), sg.jacobian(oscillators)(X), 1e-12)
    assert f.pattern.nnz == 16 * 8


HESSIANS = {
    "Rosenbrock": lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    "linear": lambda x: (sg.tensor(A) @ x).sum(),
    "a product of neighbours": lambda x: (x[1:] * x[:-1]).sum(),
    "separable": lambda x: sg.exp(x).sum(),
    "an arrow": lambda x: (x**3).sum() + x[0] * (x**2).sum(),
    "banded least squares": lambda x: ((sg.tensor(A) @ x) ** 4).sum(),
    "blocks": lambda x: sg.logsumexp(x.reshape(4, 3), 1).sum(),
    "constant": lambda x: sg.tensor(2.0),
}


@pytest.mark.parametrize("name", HESSIANS)
def test_pattern_of_a_hessian_has_no_spare_entry_and_its_values_are_symmetric(name):
    f = sg.sparse_hessian(HESSIANS[name], backend="numpy")
    expected, found = sg.hessian(HESSIANS[name])(X), f(X).toarray()
    close(found, expected, 1e-12)
    np.testing.assert_array_equal(f.pattern.toarray(), expected != 0)
    np.testing.assert_array_equal(found, found.T)


# ------------------------------------------------------------------ random programs
def random_program(rng):
    """A function of 9 variables: slices, products, sums, matrices with zeros, scatters, put together at random."""
    mixing = rng.uniform(-1, 1, (9, 9)) * (rng.uniform(size=(9, 9)) < 0.2)
    order, mask = rng.permutation(9), (rng.uniform(size=9) < 0.5) * 1.0
    moves = [
        lambda a, b: sg.sin(a) * b,
        lambda a, b: a[order] + 0.5 * b**2,
        lambda a, b: sg.tensor(mixing) @ a + b,
        lambda a, b: sg.where(a > 0, b, a * mask),
        lambda a, b: sg.cat([a[3:] * b[:6], b[:3]]),
        lambda a, b: sg.outer(a[:3], b[6:]).reshape(-1) * mask,
        lambda a, b: sg.zeros(9).index_add(0, sg.tensor(order // 2), a) + b * mask,
        lambda a, b: a * b.reshape(3, 3).sum(0).repeat_interleave(3),
    ]
    plan = [(moves[rng.integers(len(moves))], *rng.integers(0, k + 1, 2)) for k in range(4)]

    def f(x):
        values = [x]
        for move, i, j in plan:
            values.append(move(values[i], values[j]))
        return values[-1]

    return f


@pytest.mark.parametrize("seed", range(40))
def test_derivatives_of_random_programs_agree_and_vanish_outside_of_the_pattern(seed):
    rng = np.random.default_rng(seed)
    f = random_program(rng)
    sparse, second = sg.sparse_jacobian(f, backend="numpy"), sg.sparse_hessian(lambda x: f(x).sum(), backend="numpy")
    for _ in range(3):
        x = rng.uniform(-2, 2, 9)
        jacobian, hessian = sg.jacobian(f)(x), sg.hessian(lambda x: f(x).sum())(x)
        close(sparse(x).toarray(), jacobian, 1e-10)
        close(second(x).toarray(), hessian, 1e-10)
        assert is_inside(jacobian, sparse.pattern)
        assert is_inside(hessian, second.pattern)


# ------------------------------------------------------------------ colours
def random_pattern(rng, rows, columns, share, symmetric=False):
    found = rng.uniform(size=(rows, columns)) < share
    found = found | found.T | np.eye(rows, dtype=bool) if symmetric else found
    return found, from_pairs(rows, columns, *np.nonzero(found))


@pytest.mark.parametrize("seed", range(20))
def test_no_row_has_two_columns_of_one_colour(seed):
    rng = np.random.default_rng(seed)
    found, pattern = random_pattern(rng, *rng.integers(1, 30, 2), rng.uniform(0.02, 0.4))
    colours = column_colours(pattern)
    np.testing.assert_array_equal(colours == NO_COLOUR, ~found.any(0))
    for row in found:
        assert len(set(colours[row])) == row.sum()


def test_a_block_that_stands_on_the_diagonal_again_and_again_is_coloured_once():
    block = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 0, 0]], bool)
    rows, columns = np.nonzero(np.kron(np.eye(7, dtype=bool), block))
    pattern = from_pairs(21, 28, rows, columns)
    first, times = repeated_block(pattern)
    assert (first.size, first.below, times) == (3, 4, 7)
    np.testing.assert_array_equal(column_colours(pattern), np.tile(column_colours(first), 7))
    broken = from_pairs(21, 28, np.append(rows, 5), np.append(columns, 0))
    assert repeated_block(broken) == (broken, 1)


@pytest.mark.parametrize("terms", [3, 50])
def test_a_chain_of_sums_depends_on_the_union_of_its_terms(terms):
    def f(x):
        total = x[0] * 1.0
        for k in range(1, terms):
            total = total * x[k]
        return sg.stack([total, x[0] * x[0] + x[0]])

    x = np.random.default_rng(0).uniform(0.5, 1.5, (terms, 3))
    derivative = sg.sparse_jacobian(f)
    np.testing.assert_allclose(derivative(x).toarray(), sg.jacobian(f)(x).reshape(6, -1), rtol=1e-12)
    assert derivative.pattern.nnz == 3 * terms + 3


@pytest.mark.parametrize("seed", range(20))
def test_no_path_of_four_has_two_colours(seed):
    rng = np.random.default_rng(seed)
    found, pattern = random_pattern(rng, *(int(rng.integers(1, 25)),) * 2, rng.uniform(0.02, 0.3), symmetric=True)
    c = star_colours(pattern)
    edges = np.argwhere(found & ~np.eye(len(found), dtype=bool)).tolist()
    assert all(c[v] != c[w] for v, w in edges)
    for v, w in edges:
        before = any(c[u] == c[w] for x, u in edges if x == v and u != w)
        after = any(c[y] == c[v] for x, y in edges if x == w and y != v)
        assert not (before and after)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("costs", [(1, 1), (1, 9), (9, 1)])
def test_entries_are_read_off_products_with_any_matrix_of_the_pattern(seed, costs):
    rng = np.random.default_rng(seed)
    found, pattern = random_pattern(rng, *rng.integers(1, 30, 2), rng.uniform(0.02, 0.4))
    matrix, sweeps = rng.uniform(1, 2, found.shape) * found, for_jacobian(pattern, *costs)
    ahead = [matrix @ (sweeps.columns == k) for k in range(max(sweeps.columns, default=-1) + 1)]
    back = [matrix.T @ (sweeps.rows == k) for k in range(max(sweeps.rows, default=-1) + 1)]
    products = np.concatenate([np.zeros(0), *ahead, *back])
    np.testing.assert_array_equal(products[sweeps.take], matrix[found])
    assert len(ahead) + len(back) == sweeps.products


@pytest.mark.parametrize("seed", range(20))
def test_entries_of_a_symmetric_matrix_are_read_off_its_products(seed):
    rng = np.random.default_rng(seed)
    found, pattern = random_pattern(rng, *(int(rng.integers(1, 30)),) * 2, rng.uniform(0.02, 0.4), symmetric=True)
    matrix, sweeps = rng.uniform(1, 2, found.shape) * found, for_hessian(pattern)
    matrix = matrix + matrix.T
    products = np.concatenate([matrix @ (sweeps.columns == k) for k in range(sweeps.products)])
    np.testing.assert_array_equal(products[sweeps.take], matrix[found])


def row_and_column(x):
    """A diagonal, the first column, and the last row."""
    return sg.cat([x[1:] ** 2 * x[0], (x**2).sum().reshape(1)])


COLOURS = {
    "tridiagonal": (sg.sparse_jacobian, heat, 3),
    "diagonal": (sg.sparse_jacobian, sg.exp, 1),
    "one row": (sg.sparse_jacobian, lambda x: (x**2).sum(), 1),
    "one column": (sg.sparse_jacobian, lambda x: x[0] * sg.ones(12), 1),
    "a full row and a full column": (sg.sparse_jacobian, row_and_column, 3),
    "an arrow": (sg.sparse_hessian, HESSIANS["an arrow"], 2),
    "Rosenbrock": (sg.sparse_hessian, HESSIANS["Rosenbrock"], 3),
    "nothing": (sg.sparse_jacobian, TIGHT["nothing"], 0),
}


@pytest.mark.parametrize("name", COLOURS)
def test_number_of_products(name):
    make, f, expected = COLOURS[name]
    derivative = make(f)
    derivative(X)
    assert derivative.colours == expected


# ------------------------------------------------------------------ large ones
def bratu(u):
    """The Bratu problem on a square grid: Δu + exp u with u = 0 around it."""
    n = round(u.shape[0] ** 0.5)
    grid = sg.zeros(n + 2, n + 2)
    grid[1:-1, 1:-1] = u.reshape(n, n)
    around = grid[2:, 1:-1] + grid[:-2, 1:-1] + grid[1:-1, 2:] + grid[1:-1, :-2]
    return ((around - 4 * grid[1:-1, 1:-1]) * (n + 1) ** 2 + sg.exp(grid[1:-1, 1:-1])).reshape(-1)


def test_newton_on_the_bratu_problem_with_scipy():
    linalg = pytest.importorskip("scipy.sparse.linalg")
    jacobian, u = sg.sparse_jacobian(bratu), np.zeros(2500)
    for _ in range(5):
        u = u - linalg.spsolve(jacobian(u).tocsc(), bratu(sg.tensor(u)).numpy())
    assert np.abs(bratu(sg.tensor(u)).numpy()).max() < 1e-8
    assert jacobian.pattern.nnz == 5 * 2500 - 4 * 50
    assert jacobian.colours <= 7


@pytest.mark.parametrize("f", [HESSIANS["Rosenbrock"], HESSIANS["an arrow"]])
def test_hessian_of_ten_thousand_variables_times_a_vector(f):
    h, x = sg.sparse_hessian(f), RNG.uniform(0.5, 1.5, 10_000)
    v = RNG.uniform(-1, 1, x.shape)
    close(h(x) @ v, sg.hvp(f, x, v), 1e-11)
    assert h.pattern.nnz == 29_998


def test_a_large_dense_derivative_is_refused():
    with pytest.raises(ValueError, match=r"is dense\. Use sg\.jacobian"):
        sg.sparse_jacobian(lambda x: x / x.sum())(np.ones(10_000))


# ------------------------------------------------------------------ arguments and results
@pytest.mark.parametrize("backend", ["auto", "python", "numpy"])
def test_backends_give_the_same(backend):
    close(sg.sparse_jacobian(heat, backend=backend)(X).toarray(), sg.jacobian(heat)(X), 1e-12)


def test_axes_are_flattened_in_c_order():
    x = RNG.uniform(1, 2, (2, 3))
    found = sg.sparse_jacobian(lambda x: (x**2).T)(x)
    assert found.shape == (6, 6)
    close(found.toarray(), sg.jacobian(lambda x: (x**2).T)(x).reshape(6, 6), 1e-14)


@pytest.mark.parametrize(("f", "x", "expected"), [
    (lambda x: x**2, 3.0, [[6.0]]),
    (lambda x: (x**2).sum(), np.array([1.0, 2.0]), [[2.0, 4.0]]),
    (lambda x: x * sg.tensor([1.0, 2.0]), 3.0, [[1.0], [2.0]]),
    (lambda x: 5.0, 3.0, [[0.0]]),
    (lambda x: x > 0, np.array([1.0, 2.0]), [[0.0, 0.0], [0.0, 0.0]]),
    (lambda x: x, np.zeros(0), np.zeros((0, 0))),
    (lambda x: sg.zeros(2), np.zeros(0), np.zeros((2, 0))),
    (lambda x: x[1:] * 2, [1.0, 2.0], [[0.0, 2.0]]),
])  # fmt: skip
def test_scalars_constants_and_empty_arrays(f, x, expected):
    np.testing.assert_array_equal(sg.sparse_jacobian(f)(x).toarray(), expected)


def test_other_arguments_are_handed_through():
    def f(data, x, *, power):
        return data["a"] * x**power * data["b"][0]

    data = {"a": np.array([1.0, 2.0]), "b": [3.0]}
    found = sg.sparse_jacobian(f, argnums=-1)(data, np.array([1.0, 2.0]), power=2)
    np.testing.assert_array_equal(found.toarray(), [[6.0, 0.0], [0.0, 24.0]])


def test_tensors_come_in_and_float32_stays():
    f = sg.sparse_jacobian(lambda x: x**2)
    assert f(sg.tensor([1.0, 2.0], requires_grad=True)).dtype == np.float64
    assert f(np.ones(2, np.float32)).dtype == np.float32
    np.testing.assert_array_equal(f(np.ones(2, np.float32)).toarray(), 2 * np.eye(2))


def test_a_compiled_function_can_be_differentiated():
    close(sg.sparse_jacobian(sg.compile(heat))(X).toarray(), sg.jacobian(heat)(X), 1e-12)
    close(sg.sparse_hessian(sg.compile(HESSIANS["blocks"]))(X).toarray(), sg.hessian(HESSIANS["blocks"])(X), 1e-12)


def test_results_share_no_memory():
    f = sg.sparse_jacobian(heat)
    first = f(X)
    first.data[:], first.indices[:], first.indptr[:] = 0, 0, 0
    close(f(X).toarray(), sg.jacobian(heat)(X), 1e-12)


def test_pattern_and_colours_are_of_the_signature_called_last():
    f = sg.sparse_jacobian(lambda x: x[1:] * x[:-1])
    for n in (3, 5, 3):
        f(np.ones(n))
        assert f.pattern.shape == (n - 1, n)
        assert f.pattern.dtype == bool


def test_result_is_in_canonical_form():
    found = sg.sparse_hessian(HESSIANS["an arrow"])(X)
    assert found.format == "csr"
    assert type(found)((found.data, found.indices, found.indptr), shape=found.shape).has_canonical_format


# ------------------------------------------------------------------ several arguments and structures
def blocks(p, t):
    return {"r": p["a"][1:] * p["a"][:-1] + t, "s": p["b"] * p["a"].sum()}


def test_several_arguments_and_structures_are_columns_side_by_side():
    point, t = {"a": X, "b": 2.0}, 3.0
    f = sg.sparse_jacobian(blocks, argnums=(1, 0))

    def dense(v):
        r = blocks({"a": v[1:13], "b": v[13]}, v[0])
        return sg.cat([r["r"], r["s"].reshape(1)])

    expected = sg.jacobian(dense)(np.concatenate([[t], X, [2.0]]))
    close(f(point, t).toarray(), expected, 1e-12)
    close(f.entries(point, t, out=np.empty(f.pattern.nnz)), f(point, t).data, 1e-12)
    assert (f.pattern_at({"a": (12,), "b": ()}, ()) != f.pattern).nnz == 0
    assert sg.sparse_jacobian(blocks)(point, t).shape == (12, 13)
    assert f.colours < 14


def test_hessians_take_structures():
    h = sg.sparse_hessian(lambda p, q: (p["a"] ** 3).sum() * q[0] + q[1] ** 2 * p["b"], argnums=(0, 1), lower=True)
    point = {"a": np.array([1.0, 2.0]), "b": 4.0}, (1.0, 2.0)
    np.testing.assert_allclose(
        h(*point).toarray(),
        [[6, 0, 0, 0, 0], [0, 12, 0, 0, 0], [0, 0, 0, 0, 0], [3, 12, 0, 0, 0], [0, 0, 4, 0, 8]],
    )
    lagrangian = sg.sparse_hessian_of_lagrangian(
        lambda x: x["a"][0] * x["b"], lambda x: {"c": x["a"] ** 2, "d": x["b"] ** 3}, lower=True
    )
    found = lagrangian(point[0], {"c": np.array([1.0, 3.0]), "d": 2.0}).toarray()
    np.testing.assert_allclose(found, [[2, 0, 0], [0, 6, 0], [1, 0, 48]])


# ------------------------------------------------------------------ errors
@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda: sg.sparse_jacobian(np.ones(2)), TypeError, r"expected a function, got ndarray\. Write sg\.sparse_jac"),
    (lambda: sg.sparse_jacobian(heat, X), TypeError, "argnums must be int"),
    (lambda: sg.sparse_jacobian(heat, (0, 0)), ValueError, "must be unique"),
    (lambda: sg.sparse_jacobian(heat, (0, 1))(X), ValueError, "Got argnum=1, but only 1 positional"),
    (lambda: sg.sparse_jacobian(blocks)({"a": X, "b": 2}, 1.0), TypeError, r"Got int64; pass floats"),
    (lambda: sg.sparse_jacobian(blocks).pattern_at({"a": (-1,), "b": ()}, ()), ValueError, "is not a shape"),
    (lambda: sg.sparse_hessian_of_lagrangian(lambda x: x.sum(), lambda x: (x, x))(X, (X, 1.0)), ValueError,
     r"multipliers have shapes \[\(12,\), \(\)\]. Expected \[\(12,\), \(12,\)\]"),
    (lambda: sg.sparse_jacobian(heat, 1)(X), ValueError, "Got argnum=1, but only 1 positional"),
    (lambda: sg.sparse_jacobian(heat, backend="fast"), ValueError, "backend='fast' is unknown"),
    (lambda: sg.sparse_jacobian(heat)(np.arange(3)), TypeError, r"Got int64; pass floats"),
    (lambda: sg.sparse_jacobian(lambda x: (x, "y"))(X), TypeError, "expected the function to return a tensor, got str"),
    (lambda: sg.sparse_jacobian(lambda x: x if x[0] > 0 else -x)(X), RuntimeError, r"sg\.where"),
    (lambda: sg.sparse_hessian(heat)(X), RuntimeError, "return a scalar Tensor"),
    (lambda: sg.sparse_jacobian(heat)(sg.symbol("x", shape=(3,))), RuntimeError, "got a tensor without a value"),
    (lambda: sg.sparse_jacobian(heat).pattern, RuntimeError, "Call the function first"),
])  # fmt: skip
def test_errors_say_what_to_do(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_without_scipy_the_extra_is_named(monkeypatch):
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "scipy" else there(name, *a))
    with pytest.raises(ImportError, match=r"needs scipy, which is not installed.*the extra 'scipy'"):
        sg.sparse_jacobian(heat)


def test_a_letter_twice_stands_for_the_diagonal_of_an_array_with_zeros():
    x = np.arange(1.0, 5.0)
    f = sg.sparse_jacobian(lambda x: sg.einsum("ii->i", sg.tril(sg.outer(x, x))), backend="numpy")
    np.testing.assert_array_equal(f(x).toarray(), np.diag(2 * x))


def test_the_hessian_of_a_lagrangian_is_that_of_its_sum_and_may_be_a_triangle():
    f, g = (lambda x, p: p * (x[1:] * x[:-1]).sum()), (lambda x, p: sg.sin(x) * p)
    rng = np.random.default_rng(0)
    x, multipliers = rng.normal(size=5), rng.normal(size=5)
    dense = sg.hessian(lambda x: 0.5 * f(x, 2.0) + (multipliers * g(x, 2.0)).sum())(x)
    full = sg.sparse_hessian_of_lagrangian(f, g)(x, multipliers, 2.0, sigma=0.5)
    np.testing.assert_allclose(full.toarray(), dense, atol=1e-12)
    lower = sg.sparse_hessian_of_lagrangian(f, g, lower=True)
    np.testing.assert_allclose(lower(x, multipliers, 2.0, sigma=0.5).toarray(), np.tril(dense), atol=1e-12)
    assert (full.nnz, lower.pattern.nnz) == (13, 9)
    with pytest.raises(sg.errors.ArgumentTypeError, match="g must be a function, got int"):
        sg.sparse_hessian_of_lagrangian(f, 3)


def test_entries_are_the_data_and_go_into_an_array():
    x, f = np.array([1.0, 2.0, 3.0]), sg.sparse_jacobian(lambda x: x[1:] * x[:-1])
    out = np.zeros(4)
    assert f.entries(x, out=out) is out
    np.testing.assert_array_equal(out, f(x).data)
    with pytest.raises(ArgumentError, match="Expected an array of 4 numbers of float64"):
        f.entries(x, out=np.zeros(3))
    with pytest.raises(ArgumentError, match="Expected an array of 4 numbers of float64"):
        f.entries(x, out=[0.0] * 4)


def test_the_pattern_needs_no_value():
    calls = sg.sparse_jacobian(lambda x, a: sg.log(x) * a[0] + a.sum())
    np.testing.assert_array_equal(calls.pattern_at((2,), (3,)).toarray(), np.eye(2, dtype=bool))
    np.testing.assert_array_equal(calls.pattern_at(np.ones(2), np.ones(3)).toarray(), np.eye(2, dtype=bool))
    with pytest.raises(ArgumentError, match=r"is not a shape\. Expected sizes of 0 or more"):
        calls.pattern_at((-1,), (3,))


def test_the_lower_triangle_of_a_hessian_is_its_lower_triangle():
    f, x = lambda x: (x[1:] ** 2 * x[:-1]).sum(), np.arange(1.0, 5.0)
    lower = sg.sparse_hessian(f, lower=True)(x).toarray()
    np.testing.assert_allclose(lower, np.tril(sg.sparse_hessian(f)(x).toarray()))
