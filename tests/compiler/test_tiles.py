"""Sums over rows, some rows at a time: as eager mode, and only where rows meet in sums alone."""

from __future__ import annotations

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad.compiler import tiles
from symgrad.compiler.tiles import CompiledInTiles

F = sg.nn.functional
RNG = np.random.default_rng(5)
N = 60
X, Y = RNG.normal(size=(N, 4)), RNG.normal(size=N)
W, M = RNG.normal(size=4), RNG.normal(size=(4, 3))

SUMS = {
    "logistic": (lambda w, X, y: (F.softplus(X @ w) - y * (X @ w)).sum(), W),
    "mean, regularised": (lambda w, X, y: ((X @ w - y) ** 2).mean() + 0.1 * (w**2).sum(), W),
    "network": (lambda p, X, y: ((sg.tanh(X @ p[0] + p[1]) @ p[2] - y) ** 2).sum(), [M, M[0], M[1]]),
    "an entry of each row": (lambda m, X, y: (sg.log_softmax(X @ m, 1)[:, 1] * y).sum(), M),
    "mixture": (lambda m, X, y: sg.logsumexp(-((X[:, None] - m.mT) ** 2).sum(-1), 1).sum(), M),
    "a matrix's inverse first": (lambda m, X, y: ((X @ sg.linalg.inv(m @ m.mT + sg.eye(4))) * X).sum(), M),
    "matrices in rows": (lambda w, X, y: (sg.linalg.det(X.reshape(-1, 2, 2) * w[0]) * (X @ w)).sum(), W),
    "float32": (lambda w, X, y: ((sg.asarray(X, dtype=sg.float32) @ sg.asarray(w, dtype=sg.float32)) ** 2).sum(), W),
}
OTHERS = {
    "centred": lambda w, X, y: (((X - X.mean(0)) @ w) ** 2).sum(),
    "a norm": lambda w, X, y: sg.linalg.norm(X @ w - y),
    "a root of the mean": lambda w, X, y: sg.sqrt(((X @ w - y) ** 2).mean()),
    "neighbours": lambda w, X, y: (((X @ w)[1:] - (X @ w)[:-1]) ** 2).sum(),
    "running": lambda w, X, y: ((X @ w).cumsum(0) * y).sum(),
    "turned": lambda w, X, y: ((X @ w) * sg.flip(sg.asarray(y), (0,))).sum(),
    "numbered": lambda w, X, y: ((X @ w) * sg.arange(float(N))).sum(),
    "largest": lambda w, X, y: (X @ w).max(),
    "pairs of rows": lambda w, X, y: sg.exp(-((sg.outer(X @ w, X @ w)) ** 2)).sum(),
    "a row for each": lambda w, X, y: (X @ (X.mT @ (X @ w)) * y).sum(),
}


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(tiles, "TILE", 500)


def in_tiles(fn, *args):
    """What the function gives, and whether it ran in tiles."""
    f = CompiledInTiles(fn, len(args) - 2, "numpy")
    found = f(*args)
    (one,) = f._found.values()
    return found, isinstance(getattr(one.kernel.run, "__self__", None), tiles._InTiles)


def assert_close(a, b, tolerance):
    if isinstance(a, (tuple, list)):
        for x, y in zip(a, b, strict=True):
            assert_close(x, y, tolerance)
    elif isinstance(a, dict):
        assert_close([*a.values()], [*b.values()], tolerance)
    else:
        assert type(a) is type(b)
        close(a, b, tolerance)


@pytest.mark.parametrize("name", SUMS)
def test_sums_over_rows_run_in_tiles(name):
    f, p = SUMS[name]
    found, tiled = in_tiles(sg.value_and_grad(f), p, X, Y)
    assert tiled
    assert_close(found, sg.value_and_grad(f)(p, X, Y), 1e-4 if name == "float32" else 1e-11)


@pytest.mark.parametrize("name", OTHERS)
def test_rows_that_meet_elsewhere_run_together(name):
    found, tiled = in_tiles(sg.value_and_grad(OTHERS[name]), W, X, Y)
    assert not tiled
    assert_close(found, sg.value_and_grad(OTHERS[name])(W, X, Y), 1e-11)


def test_second_derivatives_in_tiles():
    f = SUMS["mean, regularised"][0]
    found, tiled = in_tiles(sg.hessian(f), W, X, Y)
    assert tiled
    assert_close(found, sg.hessian(f)(W, X, Y), 1e-11)


def test_as_many_parameters_as_rows():
    f = lambda v, X, y: ((X[:, 0] * y).sum() * v).sum() + (X @ (X.mT @ v)).sum()
    assert not in_tiles(sg.value_and_grad(f), RNG.normal(size=N), X, Y)[1]
    g = lambda v, X, y: (v**2).sum() * (((X @ W) ** 2) * (X @ W)).sum() + ((X @ W) ** 2 @ X).sum()
    v = RNG.normal(size=N)
    assert_close(in_tiles(sg.value_and_grad(g), v, X, Y)[0], sg.value_and_grad(g)(v, X, Y), 1e-11)


def test_what_loops_take_in_needs_no_tiles():
    assert not in_tiles(sg.value_and_grad(lambda w, x, y: (sg.exp(w * x) * y).sum()), 0.3, X[:, 0].copy(), Y)[1]


def test_tiles_are_alike_where_rows_allow_it():
    assert tiles.tiles(60, 1600) == [15] * 4
    assert tiles.tiles(61, 1600) == [16, 15, 15, 15]
    assert tiles.tiles(3, 10**6) == [1, 1, 1]
    assert tiles.tiles(0, 0) == []
    assert all(sum(tiles.tiles(n, 80 * n)) == n for n in range(1, 200))
