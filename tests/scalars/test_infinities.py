"""Infinities and nan: where eager mode has a number or an infinity, every backend has the same."""

from __future__ import annotations

import shutil
from math import inf, nan

import numpy as np
import pytest
from checks import BACKENDS, every, number, random, weighed
from exporting import loaded

import symgrad as sg
import symgrad.ops.elementwise.guards
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.ops.elementwise.guards import Guard
from symgrad.ops.map import emap

from cases import CASES

F = sg.nn.functional
POINTS = {
    "one ∞": [0.5, inf, -1.0, 2.0],
    "one -∞": [0.5, -inf, -1.0, 2.0],
    "-∞ first": [-inf, 0.5, -1.0, 2.0],
    "∞ first": [inf, 0.5, -1.0, 2.0],
    "two ∞": [inf, 0.5, inf, 2.0],
    "two -∞": [-inf, -inf, 0.5, 2.0],
    "both": [0.5, inf, -inf, 2.0],
    "all ∞": [inf, inf, inf, inf],
    "all -∞": [-inf, -inf, -inf, -inf],
    "one nan": [0.5, nan, -1.0, 2.0],
    "nan and ∞": [nan, 0.5, inf, 2.0],
    "zeros": [0.0, 0.0, 0.0, 0.0],
    "zero and ∞": [0.0, inf, 1.0, 2.0],
}
TARGET = np.array([0.25, 0.0, 0.75, 0.0])
OTHER = np.array([0.5, inf, -inf, 3.0])
FUNCTIONS = {
    "softmax": lambda x: sg.softmax(x, 0),
    "softmin": lambda x: F.softmin(x, 0),
    "log_softmax": lambda x: sg.log_softmax(x, 0),
    "logsumexp": lambda x: sg.logsumexp(x, 0),
    "logcumsumexp": lambda x: sg.logcumsumexp(x, 0),
    "logaddexp": lambda x: sg.logaddexp(x, OTHER),
    "cross_entropy": lambda x: F.cross_entropy(x[None, :], sg.tensor([2])),
    "cross_entropy of probabilities": lambda x: F.cross_entropy(x, sg.tensor(TARGET)),
    "nll_loss": lambda x: F.nll_loss(x[None, :], sg.tensor([2])),
    "normalise": lambda x: F.normalize(x, dim=0),
    "norm": lambda x: sg.linalg.norm(x),
    "norm 1": lambda x: sg.linalg.vector_norm(x, 1),
    "norm 3": lambda x: sg.linalg.vector_norm(x, 3),
    "norm ∞": lambda x: sg.linalg.vector_norm(x, inf),
    "norm -∞": lambda x: sg.linalg.vector_norm(x, -inf),
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "prod": lambda x: x.prod(),
    "var": lambda x: x.var(),
    "std": lambda x: x.std(),
    "amax": lambda x: sg.amax(x),
    "amin": lambda x: sg.amin(x),
    "max": lambda x: sg.max(x, 0).values,
    "median": lambda x: sg.median(x),
    "cumsum": lambda x: sg.cumsum(x, 0),
    "cumprod": lambda x: sg.cumprod(x, 0),
    "cummax": lambda x: sg.cummax(x, 0).values,
    "clip": lambda x: sg.clip(x, -1.0, 1.5),
    "clip to ∞": lambda x: sg.clip(x, -inf, inf),
    "where": lambda x: sg.where(x > 0, x, sg.exp(x)),
    "maximum": lambda x: sg.maximum(x, sg.tensor(OTHER)),
    "powers": lambda x: (x**1.5, x**-1.5, x**2.5, x**-0.5, x**2, x**-3),
    "exponentials": lambda x: (sg.exp(x), sg.sigmoid(x), sg.tanh(x), F.softplus(x), F.logsigmoid(x)),
    "activations": lambda x: (F.relu(x), F.elu(x), F.gelu(x), F.silu(x), F.mish(x), F.hardtanh(x)),
    "three factors": lambda x: sg.einsum("i,ij,j->", x, sg.ones(4, 4), x),
    "a quotient of products": lambda x: (x @ x) / (x.sum() * x.sum()),
}


def parts(result):
    """The arrays in nested tuples."""
    if isinstance(result, tuple):
        return [y for part in result for y in parts(part)]
    return [np.asarray(result.detach().numpy() if isinstance(result, sg.Tensor) else result)]


def agree(found, expected, what):
    """Equal to 1e-12 of the largest entry wherever the expected one is not nan; nan may be a number elsewhere."""
    for y, z in zip(parts(found), parts(expected), strict=True):
        assert (y.shape, y.dtype) == (z.shape, z.dtype)
        keep = ~np.isnan(z) if z.dtype.kind == "f" else np.ones(z.shape, bool)
        scale = max(1.0, float(np.max(np.abs(z[keep & np.isfinite(z)]), initial=0.0)))
        np.testing.assert_allclose(y[keep], z[keep], rtol=1e-12, atol=1e-12 * scale, err_msg=what)


def every_reading(f):
    """x to the value of f, the gradients of all its results, and a tangent."""

    def flat(x):
        y = f(x)
        return sg.cat([part.reshape(-1) for part in (y if isinstance(y, tuple) else (y,))])

    def readings(x):
        tangent = sg.tensor([0.5, -1.0, 2.0, 0.25])
        return flat(x), sg.grad(lambda x: (flat(x) * 1.5).sum())(x), sg.jvp(flat, (x,), (tangent,))[1]

    return readings


@pytest.mark.parametrize("name", FUNCTIONS)
def test_backends_agree_with_eager_mode_at_infinities(name):
    f = every_reading(FUNCTIONS[name])
    for backend in BACKENDS:
        fast = sg.compile(f, backend=backend)
        for what, point in POINTS.items():
            with np.errstate(all="ignore"):
                expected = f(sg.tensor(point))
            try:
                agree(fast(np.array(point)), expected, f"{backend}, {what}")
            except Unsuitable:
                assert backend != "numpy"
                break


def test_what_is_finite_has_no_share_beside_infinity():
    x = sg.tensor([1.0, inf, 2.0], requires_grad=True)
    np.testing.assert_array_equal(sg.softmax(x, 0).detach().numpy(), [0.0, nan, 0.0])
    sg.logsumexp(x, 0).backward()
    np.testing.assert_array_equal(x.grad.numpy(), [0.0, nan, 0.0])


def test_a_row_without_infinity_is_normalised_beside_one_with_it():
    found = sg.softmax(sg.tensor([[inf, 0.0], [1.0, 1.0]]), 1).numpy()
    np.testing.assert_array_equal(found, [[nan, 0.0], [0.5, 0.5]])


def exported_and_run(f, x, target, folder):
    """What a source on single numbers returns."""
    if target == "python":
        return loaded(sg.export(f, (x,), target="python", name="f", formula=False))(x.tolist())
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    sg.export(f, (x,), target="c", name="f", path=folder / "f.c", formula=False)
    return sg.exports.load_c(folder / "f.c")(x)


@pytest.mark.parametrize("target", ["python", "c"])
def test_exported_erfinv_has_numbers_inside_its_domain_only(target, tmp_path):
    x = np.array([0.5, 1.0, -1.0, 1.5, -2.0, nan, inf, -inf])
    found = exported_and_run(sg.erfinv, x, target, tmp_path)
    np.testing.assert_allclose(found, sg.erfinv(sg.tensor(x)).numpy(), rtol=1e-12)


@pytest.mark.parametrize("target", ["python", "c"])
def test_exported_svd_completes_the_vectors_of_a_singular_matrix(target, tmp_path):
    matrices = [np.zeros((3, 2)), np.zeros((2, 3)), np.outer([1.0, 2.0, 3.0], [1.0, 2.0]), np.diag([0.0, 2.0, 0.0])]
    for k, x in enumerate(matrices if target == "python" else matrices[:1]):
        (tmp_path / str(k)).mkdir()
        svd = exported_and_run(lambda x: sg.linalg.svd(x, full_matrices=False), x, target, tmp_path / str(k))
        u, s, v = map(np.array, svd)
        np.testing.assert_allclose((u * s) @ v, x, atol=1e-14)
        np.testing.assert_allclose(u.T @ u, np.eye(2 + (k == 3)), atol=1e-14)
        np.testing.assert_allclose(v @ v.T, np.eye(2 + (k == 3)), atol=1e-14)


def guards():
    """All guarded functions."""
    return [g for g in vars(symgrad.ops.elementwise.guards).values() if isinstance(g, Guard)]


@pytest.mark.parametrize("guard", guards(), ids=lambda g: g.name)
def test_the_kernel_of_a_guarded_function_computes_its_meaning(guard):
    corners = np.array([-inf, -1e300, -2.0, -0.0, 0.0, 1e-300, 0.5, 1.0, 700.0, 1e300, inf, nan])
    xs = [a.ravel() for a in np.meshgrid(*[corners] * guard.arity)]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(guard.forward(*xs), emap(guard.meaning, *xs))


EDGES = {
    "lgamma": sg.lgamma,
    "i0": sg.i0,
    "i0e": sg.special.i0e,
    "i1": sg.special.i1,
    "i1e": sg.special.i1e,
    "polygamma": lambda x: sg.polygamma(1, x),
    "slope of i0e": sg.grad(lambda x: sg.special.i0e(x).sum()),
}


@pytest.mark.parametrize("name", EDGES)
def test_special_functions_have_their_values_at_the_ends_in_python_and_compiled(name):
    f, x = EDGES[name], np.array([inf, -inf, nan, 0.0, 1e308, -2.5])
    with np.errstate(all="ignore"):
        expected = np.asarray(f(x))
    found = loaded(sg.export(f, (x,), target="python", name="f", formula=False))(x.tolist())
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    np.testing.assert_allclose(sg.compile(f, backend="numpy")(x), expected, rtol=1e-9)


# ------------------------------------------------------------------ every row of the table
def strewn(x, places, values):
    """x with these values at these places."""
    x = np.array(x, dtype=np.float64)
    for k, v in zip(places, values, strict=True):
        x.flat[k % x.size] = v
    return x


def poisoned(x):
    """The array with infinities in it."""
    last, middle = x.size - 1, x.size // 2
    yield from (strewn(x, [middle], [v]) for v in (inf, -inf, nan, 0.0))
    yield from (strewn(x, [0, last], [a, b]) for a, b in ((inf, inf), (inf, -inf), (-inf, -inf), (nan, inf)))
    yield from (np.full(x.shape, v) for v in (inf, -inf, 0.0))


def readings(case):
    """The row's value, its gradient and its tangent as functions of the free inputs: in one, and each by itself."""
    f = number(case)
    if case.row.discrete:
        return f, [f]

    def forward(*xs):
        tangents = tuple(random(case, f"t{k}", x.shape) for k, x in enumerate(case.points))
        return sg.jvp(f, tuple(map(sg.as_tensor, xs)), tuple(map(sg.tensor, tangents)))[1]

    each = [f, sg.grad(weighed(case), tuple(range(len(case.points)))), forward]
    return lambda *xs: tuple(g(*xs) for g in each), each


FIRST = list({case.row.name: case for case in reversed(CASES) if not case.empty}.values())


@pytest.mark.slow
@every([case for case in CASES if case.points and not case.empty])
def test_every_row_agrees_with_eager_mode_at_infinities(case):
    together, each = readings(case)
    whole, *parts = [{backend: sg.compile(f, backend=backend) for backend in BACKENDS} for f in (together, *each)]
    for xs in poisoned_points(case):
        compared = compare(together, whole, xs, set())
        for f, fast in zip(each, parts):
            compare(f, fast, xs, compared)


def poisoned_points(case):
    """The row's inputs, one of them with infinities."""
    points = [float(x) if x.ndim == 0 and x.dtype == np.float64 else x for x in case.points]
    step = 1 if case in FIRST else 3  # further shapes of a row meet every third
    for k, x in enumerate(case.points):
        for bad in list(poisoned(x))[k % step :: step]:
            yield [*points[:k], float(bad) if bad.ndim == 0 else bad, *points[k + 1 :]]


def compare(f, fast, xs, compared):
    """Compare compiled functions with eager mode at a point that it takes; return the backends that have answered."""
    todo = fast.keys() - compared
    if not todo:
        return compared
    try:
        with np.errstate(all="ignore"):
            expected = f(*map(sg.tensor, xs))
    except sg.SymgradError:  # a matrix that has no such factor
        return compared
    for backend in sorted(todo):
        try:
            agree(fast[backend](*xs), expected, backend)
            compared = compared | {backend}
        except Unsuitable:
            del fast[backend]
    return compared


# ------------------------------------------------------------------ diagonals, masks and windows
X = np.array([[0.5, 1.0, -1.0], [2.0, inf, 0.25], [-inf, 1.5, 3.0]])
DIAGONALS = {
    "jj,j->j": lambda x: sg.einsum("jj,j->j", x, np.array([1.0, inf, 2.0])).sum(),
    "ii->i": lambda x: (sg.einsum("ii->i", x) * np.array([1.0, inf, 2.0])).sum(),
    "ijj,j->i": lambda x: sg.einsum("ijj,j->i", sg.stack([x, 2 * x]), np.array([-inf, 1.0, 2.0])).sum(),
    "ii,ii->i": lambda x: sg.einsum("ii,ii->i", x, x).sum(),
}


@pytest.mark.parametrize("name", DIAGONALS)
def test_the_slope_of_a_diagonal_is_zero_beside_it(name):
    f = DIAGONALS[name]
    expected = sg.grad(f)(sg.tensor(X)).numpy()
    assert np.all(expected[~np.eye(3, dtype=bool)] == 0)
    x = sg.tensor(X, requires_grad=True)
    recorded = sg.autograd.grad(f(x), x, create_graph=True)[0]
    np.testing.assert_array_equal(recorded.detach().numpy(), expected)
    for backend in BACKENDS:
        np.testing.assert_array_equal(sg.compile(sg.grad(f), backend=backend)(X), expected)


@pytest.mark.parametrize("mask", [np.array([[True, False], [False, False]]), np.array([[0.0, -inf], [-inf, -inf]])])
def test_attention_of_a_row_that_may_look_nowhere_is_zero(mask):
    q, v = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, -1.0], [0.5, 2.0]])

    def both(q, v):
        def total(q, v):
            return (F.scaled_dot_product_attention(q, v, v, sg.tensor(mask)) * np.array([[1.0, 2.0], [3.0, 4.0]])).sum()

        return F.scaled_dot_product_attention(q, v, v, sg.tensor(mask)), *sg.grad(total, (0, 1))(q, v)

    y, slope, weights = (t.numpy() for t in both(sg.tensor(q), sg.tensor(v)))
    np.testing.assert_array_equal(y, [[1.0, -1.0], [0.0, 0.0]])
    np.testing.assert_array_equal(slope, np.zeros((2, 2)))
    np.testing.assert_array_equal(weights, [[1.0, 2.0], [0.0, 0.0]])
    for backend in BACKENDS:
        agree(sg.compile(both, backend=backend)(q, v), (y, slope, weights), backend)


def test_attention_masked_by_an_argument_is_zero_in_compiled_functions():
    q, mask = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, -inf], [-inf, -inf]])
    f = lambda q, m: F.scaled_dot_product_attention(q, q, q, m)
    for backend in BACKENDS:
        np.testing.assert_allclose(sg.compile(f, backend=backend)(q, mask), [[1.0, 2.0], [0.0, 0.0]])


@pytest.mark.parametrize("low", [-inf, -128])
def test_the_largest_of_a_window_is_never_in_its_padding(low):
    x = np.array([[[low, low, 1, 2]]], np.int8 if low == -128 else np.float64)
    at = F.max_pool1d(sg.tensor(x), 2, stride=1, padding=1, return_indices=True)[1]
    assert at.tolist() == [[[0, 0, 2, 3, 3]]]
    at = F.max_pool1d(sg.tensor(x), 3, stride=1, padding=2, dilation=2, return_indices=True)[1]
    assert at.tolist() == [[[2, 3, 2, 3]]]
    both = F.max_pool2d(sg.tensor(np.full((1, 3, 3), low, x.dtype)), 3, stride=2, padding=1, return_indices=True)[1]
    assert both.tolist() == [[[0, 1], [3, 4]]]
