"""Work grows with the length of a program and not with its square: calls are counted, of Python and of C."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import symgrad as sg
from symgrad.compiler.backends.choose import MOST_ARGUMENTS, build_with
from symgrad.compiler.passes.assemble import Assemble
from symgrad.compiler.program import Builder
from symgrad.core import trees
from symgrad.ops.keys import Span
from symgrad.ops.slicing import Slice

SIZES = 100, 200, 400


def calls(work):
    """Return how many functions are called meanwhile."""
    count = 0

    def note(frame, event, arg):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def compiled(f, backend):
    """Value and gradient, by a backend; None for eager mode."""
    both = sg.value_and_grad(f)
    return both if backend is None else sg.compile(both, backend=backend)


def of_leaves(backend, n):
    """Σ xₖ² of n numbers in a list."""
    compiled(lambda xs: sum((x * x for x in xs[1:]), xs[0]), backend)([float(k) for k in range(n)])


def of_entries(backend, n):
    """Σ xₖ xₖ₋₁, where every entry is read by itself."""
    compiled(lambda x: sum((x[k] * x[k - 1] for k in range(1, n)), x[0]), backend)(np.ones(n))


def of_a_stack(backend, n):
    """The square of a vector that is put together of n numbers."""
    compiled(lambda xs: (sg.stack(xs) ** 2).sum(), backend)([float(k) for k in range(n)])


def of_pieces(backend, n):
    """The same of vectors that are joined."""
    compiled(lambda xs: (sg.cat(xs) ** 2).sum(), backend)([np.array([k, 1.0]) for k in range(n)])


def of_numbers(backend, n):
    """n different constants."""

    def f(x):
        y = x
        for k in range(n):
            y = y * x + float(k)
        return y

    compiled(f, backend)(0.5)


def of_arrays(backend, n):
    """n different arrays as constants."""
    constants = [np.arange(3.0) + k for k in range(n)]
    compiled(lambda x: sum((c * x for c in constants), x).sum(), backend)(np.ones(3))


def of_results(backend, n):
    """n results."""
    f = sg.compile(lambda x: [x * float(k) for k in range(n)], backend=backend or "numpy")
    f(2.0)


KINDS = [of_leaves, of_entries, of_a_stack, of_pieces, of_numbers, of_arrays, of_results]


@pytest.mark.parametrize("backend", [None, "python", "numpy"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_twice_the_length_is_twice_the_work(kind, backend):
    kind(backend, 20)  # what is made once
    small, middle, large = (calls(lambda n=n: kind(backend, n)) for n in SIZES)
    assert large - middle < 2.3 * (middle - small)


def test_many_parts_overlap_as_each_two_of_them_do():
    for n, width in ((7, 3), (40, 1), (40, 2), (60, 5)):
        parts = tuple(Slice((Span(k % n, k % n + width, 1),)) for k in range(0, 2 * n, 2))
        found = Assemble(parts, (n + width,)).overlaps
        places = [set(range(k % n, k % n + width)) for k in range(0, 2 * n, 2)]
        assert found == [any(p & q for q in places[:k]) for k, p in enumerate(places)]


def test_auto_leaves_very_many_arguments_to_python():
    def wide(n):
        builder = Builder()
        places = [builder.input((), np.float64) for _ in range(n)]
        builder.program.outputs = [places[-1]]
        tree = trees.flatten(((1.0,) * n, {}), lambda x: isinstance(x, float), [])
        return build_with("auto", builder.program, tree, trees.LEAF).backend

    assert wide(MOST_ARGUMENTS + 1) == "python"
