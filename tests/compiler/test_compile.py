"""Compiled functions against eager ones: every row of the table, every backend, structures, dtypes, errors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from checks import BACKENDS, every, number, weighed

import symgrad as sg
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.passes.assemble import Assemble
from symgrad.ops.keys import Span
from symgrad.ops.slicing import Slice

from cases import CASES


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def flat(result):
    """The arrays in nested tuples."""
    return [y for part in result for y in flat(part)] if isinstance(result, tuple) else [np.asarray(result)]


def point(x):
    """A 0-d float64 is a float, as everywhere."""
    return float(x) if x.ndim == 0 and x.dtype == np.float64 else x


def agree(found, expected):
    """Equal shapes and dtypes, and entries to 1e-12 of the largest."""
    for y, z in zip(flat(found), flat(expected), strict=True):
        assert y.dtype == z.dtype
        finite = z[np.isfinite(z)] if z.dtype.kind == "f" else z
        scale = max(1.0, float(np.max(np.abs(finite), initial=0))) if z.dtype.kind == "f" else 0.0
        np.testing.assert_allclose(y, z, rtol=1e-12, atol=1e-12 * scale, strict=True)


def compiled(f, backend, *points, pickled=False):
    """The compiled result, or a visible skip where the backend says that it cannot take the program.

    It is the second call's: of the backend python the first computes the same numbers in another way. With ``pickled``
    the program is pickled too, and computes the same.
    """
    kernel = sg.compile(f, backend=backend)
    try:
        first = kernel(*points)
    except Unsuitable as reason:
        pytest.skip(str(reason))
    later = kernel(*points)
    again = pickle.loads(pickle.dumps(kernel))(*points) if pickled else first
    for y, z, w in zip(flat(first), flat(later), flat(again), strict=True):
        np.testing.assert_array_equal(y, z, strict=True)
        np.testing.assert_array_equal(w, z, strict=True)
    return later


@pytest.mark.parametrize("backend", BACKENDS)
@every(CASES)
def test_value_of_every_row_agrees_with_eager(case, backend):
    points = [point(x) for x in case.points]
    expected = number(case)(*[sg.tensor(x) for x in points]).numpy()
    agree(compiled(number(case), backend, *points, pickled=case.row.discrete and backend == "numpy"), expected)


@pytest.mark.parametrize("backend", BACKENDS)
@every([case for case in CASES if not case.row.discrete])
def test_gradient_of_every_row_agrees_with_eager(case, backend):
    points = [point(x) for x in case.points]
    both = sg.value_and_grad(weighed(case), tuple(range(len(points))))
    agree(compiled(both, backend, *points, pickled=backend == "numpy"), both(*points))


def test_rows_longer_than_a_buffer_are_computed_one_by_one():
    x = np.arange(3.0 * 9000).reshape(3, 9000)
    np.testing.assert_array_equal(sg.compile(lambda x: x * x + x, backend="numpy")(x), x * x + x)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_product_of_many_in_one_step_is_written_in_no_others(backend):
    x = np.arange(1.0, 4.0)
    found = sg.compile(lambda x: sg.einsum("i,i,i->i", x, x, x), backend=backend)(x)
    np.testing.assert_allclose(found, x**3, rtol=1e-15)


def test_slices_with_steps_fill_an_array_where_they_have_no_entry_in_common():
    even, odd, third = (Slice((Span(start, 6, step),)) for start, step in ((0, 2), (1, 2), (0, 3)))
    assert Assemble((even, odd, third), (6,)).overlaps == [False, False, True]
    assert Assemble((even, odd), (6,)).covers


def test_a_loop_that_runs_for_its_value_and_for_its_derivatives_has_both():
    x = np.arange(1.0, 4.0) / 4
    f = lambda x: (lambda end, seen: end + seen.sum())(*sg.scan(lambda h, a: (sg.tanh(h * a), h), x[0], x))
    every = lambda x: (f(x), sg.grad(f)(x), sg.hessian(f)(x))
    for found, expected in zip(sg.compile(every, backend="numpy")(x), every(x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("backend", ["python", "numpy", "llvm", "c"])
def test_a_number_that_an_operation_computes_takes_a_new_axis(backend):
    f = sg.compile(lambda x: sg.trace(x)[None] * sg.trace(x)[..., None], backend=backend)
    np.testing.assert_array_equal(f(np.array([[1.5, 2.0], [3.0, 4.0]])), [30.25])


def test_narrow_from_a_position_that_is_an_argument_reads_there():
    f = sg.compile(lambda x, i: sg.narrow(x, 1, i, 2) * 1.0)
    x = np.arange(10.0).reshape(2, 5)
    for i in (0, 3, -2):
        assert np.array_equal(f(x, np.array(i)), x[:, i:][:, :2])
    with pytest.raises(sg.errors.IndexRangeError, match="out of bounds"):
        f(x, np.array(4))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shape", [(0, 2), (0, 3, 1), (2, 0, 3)])
def test_an_extreme_of_an_empty_array_keeps_the_axes_of_length_1(shape, backend):
    f = sg.compile(lambda x: x / sg.abs(x).amax(-1, keepdim=True), backend=backend)
    assert f(np.zeros(shape)).shape == shape
