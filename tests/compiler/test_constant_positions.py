"""Reading and adding at constant positions in compiled programs: loops of machine code, beside eager mode."""

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.llvm import native, positions

RNG = np.random.default_rng(8)
V, X, Z = RNG.normal(size=9), RNG.normal(size=(5, 4)), RNG.normal(size=(3, 5, 4))
I, J = np.array([3, 0, -1, 0, 2]), RNG.integers(-4, 4, (5, 3))
MASK = X > 0.1

PROGRAMS = {
    "entries": (lambda v: v[I], V),
    "all but in another order": (lambda v: v[[4, 2, 8, 0, 6, 1, 3, 5, 7]], V),
    "rows": (lambda x: x[I], X),
    "columns": (lambda x: x[:, I], X),
    "columns of slices": (lambda z: z[:, :, J], Z),
    "rows of slices": (lambda z: z[:, I[:3]], Z),
    "two positions": (lambda z: z[I % 3, :, I], Z),
    "neighbours": (lambda z: z[:, I, J.T], Z),
    "no position": (lambda x: x[:, np.zeros(0, int)], X),
    "one position": (lambda x: x[[2]], X),
    "a mask": (lambda x: x[MASK], X),
    "a mask of rows": (lambda x: x[X[:, 0] > 0], X),
    "nothing under a mask": (lambda x: x[X > 9], X),
    "along the last axis": (lambda x: sg.take_along_dim(x, J % 4, 1), X),
    "along the first axis": (lambda x: sg.gather(x, 0, J[:, :3] % 5), X),
    "index_select": (lambda z: sg.index_select(z, 2, np.array([1, 1, 3])), Z),
    "index_add": (lambda x: sg.index_add(sg.zeros(6, 4), 0, I % 6, x, alpha=3), X),
    "scatter_add": (lambda x: x.scatter_add(0, J % 5, x[:, 1:]), X),
    "scatter": (lambda x: x.scatter(1, np.array([[2], [0], [3], [1], [1]]), x[:, :1]), X),
    "read twice": (lambda x: x[I] * x[I[::-1]] + x[I].sum(0), X),
    "of what is computed": (lambda x: sg.exp(x)[I] * sg.tanh(x[:, I[:4]]), X),
    "of a view": (lambda x: x.T[I % 4, 1:], X),
    "and returned": (lambda x: x[I], X),
}


@pytest.fixture(autouse=True)
def _in_loops(monkeypatch):
    """Small programs become loops, too."""
    monkeypatch.setattr(native, "_straight", lambda *given: None)


def compiled(f, backend):
    def call(*xs):
        try:
            return kernel(*xs)
        except Unsuitable as error:
            pytest.skip(str(error))

    kernel = sg.compile(f, backend=backend)
    return call


@pytest.fixture
def low(monkeypatch):
    """Small arrays take the ways of large ones: copies of the array for chunks, or positions in order."""
    monkeypatch.setattr(positions, "_SORTED", 1)
    monkeypatch.setattr(positions, "_GRAIN", 1)
    monkeypatch.setattr(positions, "_ENOUGH", 1 << 20)
    return monkeypatch


def agrees(f, x, backend, tolerance=1e-12):
    def loss(x):
        y = f(x)
        return (y * y * sg.cos(sg.arange(float(y.numel())).reshape(y.shape))).sum()

    value, slope = compiled(sg.value_and_grad(loss), backend)(x)
    expected = sg.value_and_grad(loss)(x)
    assert slope.dtype == expected[1].dtype
    close(value, expected[0], tolerance)
    close(slope, expected[1], tolerance)


@pytest.mark.parametrize("backend", ["numpy", "llvm"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_constant_positions_are_those_of_eager_mode(name, backend):
    agrees(*PROGRAMS[name], backend)


@pytest.mark.parametrize("copied", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_ways_of_large_arrays_add_the_same(name, copied, low):
    low.setattr(positions, "_SMALL", 1 << 16 if copied else 0)
    low.setattr(positions, "copies", _copies) if copied else None
    agrees(*PROGRAMS[name], "llvm")


def _copies(op, given, to):
    return min(3, given[op.front])


def test_single_precision_and_the_c_compiler(low):
    agrees(*PROGRAMS["rows"], "c")
    f, x = PROGRAMS["neighbours"]
    agrees(f, x.astype("float32"), "llvm", 1e-5)


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex128", "int8"])
def test_other_dtypes_are_read_as_in_eager_mode(dtype):
    x = (X * 3).astype(dtype)
    found = compiled(lambda x: (x[I], x[:, J]), "llvm")(x)
    for y, expected in zip(found, (x[I], x[:, J]), strict=True):
        assert y.dtype == expected.dtype
        np.testing.assert_array_equal(y, expected)


def test_infinities_and_nan_go_where_they_belong(low):
    g = np.array([np.inf, np.nan, -np.inf, 1.0, np.inf])

    def f(v):
        return (v[I] * g).sum()

    np.testing.assert_array_equal(compiled(sg.grad(f), "llvm")(V), sg.grad(f)(V))


@pytest.mark.parametrize("count", [1, 1 << 16, (1 << 16) + 5, 1 << 20, 1 << 33])
def test_positions_are_put_in_a_stable_order(count):
    at = np.random.default_rng(1).integers(0, count, 500)
    np.testing.assert_array_equal(positions._sorted(at), np.argsort(at, kind="stable"))


def test_chunks_end_where_positions_change(monkeypatch):
    monkeypatch.setattr(positions, "_GRAIN", 10)
    for at in (np.sort(RNG.integers(0, 9, 100)), np.zeros(100, int), np.arange(100)):
        edges = positions._edges(at, 100)
        assert (edges[0], edges[-1]) == (0, 100)
        assert all(np.diff(edges) > 0)
        assert all(at[k - 1] < at[k] for k in edges[1:-1])


MANY = RNG.integers(0, 70_000, 100_003)
FEW, SQUARE = MANY % 100, MANY[:100_000].reshape(100, 1000) % 1000
LARGE = {
    "sorted": (lambda v: v[MANY], RNG.normal(size=70_000)),
    "copies": (lambda x: x[FEW], RNG.normal(size=(100, 3))),
    "by rows": (lambda x: sg.take_along_dim(x, SQUARE, 1), RNG.normal(size=(100, 1000))),
}


@pytest.mark.parametrize("name", LARGE)
def test_the_bytes_do_not_depend_on_the_number_of_threads(name):
    f, x = LARGE[name]

    def loss(x):
        return (f(x) ** 2 * 1.5).sum()

    kernel, found, before = compiled(sg.value_and_grad(loss), "llvm"), set(), sg.get_num_threads()
    try:
        for n in (1, 2, 7):
            sg.set_num_threads(n)
            value, slope = kernel(x)
            found.add((value, slope.tobytes()))
    finally:
        sg.set_num_threads(before)
    expected = sg.value_and_grad(loss)(x)
    close(value, expected[0], 1e-12)
    close(slope, expected[1], 1e-11)
    assert len(found) == 1
