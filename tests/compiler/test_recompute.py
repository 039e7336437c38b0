"""Cheap arrays between two loops are computed again: the same numbers, and no memory."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler.primitives import recompute

pytest.importorskip("llvmlite")

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=5000), RNG.normal(size=5000)
NESTED = RNG.normal(size=(5000, 3))


def rosenbrock(x, y):
    return ((1 - x[:-1]) ** 2).sum() ** 2 + ((x[1:] - x[:-1] ** 2) ** 2).sum() ** 2 + (x * y).sum()


PROGRAMS = {
    "parts that overlap": rosenbrock,
    "shifted differences": lambda x, y: ((x[1:] - x[:-1]) * y[1:]).sum() ** 2 + (x[2:] * x[:-2]).sum() ** 2,
    "a choice": lambda x, y: (sg.where(x > y, x - y, y) * (x - y).sum() ** 2 + x * y).sum() ** 2,
    "integer parts": lambda x, y: (sg.floor(x * 9) * (sg.floor(x * 9) * y).sum() ** 2 * y).sum(),
    "a sum of what is read again": lambda x, y: (((x - y) - (x - y).mean()) ** 2).sum() ** 2,
    "too much to compute again": lambda x, y: (sg.exp(x) * y - (sg.exp(x) * y).mean()).abs().sum() ** 2,
    "a matrix and what is sliced of it": lambda x, y: ((NESTED[:, 0] - x) * (NESTED[:, 1] * y)).sum() ** 2,
    "results between": lambda x, y: ((x - y) * 2 - ((x - y) * 2).sum()) ** 2,
    "an empty array": lambda x, y: (x[:0] * y[:0] - (x[:0] * y[:0]).sum()).sum() + x.sum() ** 2,
}


def results(name, least, monkeypatch, backend="llvm"):
    monkeypatch.setattr(recompute, "_LEAST", least)
    f = sg.compile(sg.value_and_grad(lambda x, y: PROGRAMS[name](x, y).sum(), (0, 1)), backend=backend)
    value, slopes = f(X, Y)
    return [np.asarray(r) for r in (value, *slopes)], f.stats.bytes


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_computed_again_has_the_same_value(name, monkeypatch):
    again, _ = results(name, 1, monkeypatch)
    stored, _ = results(name, 1 << 40, monkeypatch)
    eager, _ = results(name, 1, monkeypatch, "numpy")
    for a, b, c in zip(again, stored, eager, strict=True):
        np.testing.assert_allclose(a, c, rtol=1e-12, atol=1e-12 * np.abs(c).max())
        np.testing.assert_allclose(a, b, rtol=1e-14, atol=1e-14 * np.abs(b).max())


@pytest.mark.parametrize("name", ["parts that overlap", "shifted differences", "integer parts"])
def test_less_memory_lies_between_loops_that_compute_again(name, monkeypatch):
    assert results(name, 1, monkeypatch)[1] < results(name, 1 << 40, monkeypatch)[1] / 2


def test_what_goes_to_the_same_part_is_added_first():
    f = sg.grad(lambda x: (x[:-1] ** 3).sum() + (x[1:] * x[:-1]).sum())
    np.testing.assert_allclose(sg.compile(f, backend="llvm")(X), f(X), rtol=1e-12)
