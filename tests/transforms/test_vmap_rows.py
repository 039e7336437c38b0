"""vmap of every row of the table against a Python loop: values and gradients, and how many rows have no rule."""

import sys

import numpy as np
import pytest
from checks import close, every, number, weighed
from complex_linalg_rows import MATRICES
from complex_rows import PROGRAMS, Z
from test_registry import op_classes

import symgrad as sg
from symgrad.ops.elementwise.logic import Bits
from symgrad.ops.reductions.reduce import Truth
from symgrad.transforms import batching

from cases import CASES

MAPPED = [case for case in CASES if case.points]
SMOOTH = [case for case in MAPPED if not case.row.discrete]


def slices(case):
    """Three slices, each in the domain that the first is in."""
    return [[p * s for p in case.points] for s in (1.0, 0.97, 1.0)]


def arrays(found):
    return [np.asarray(y.detach() if isinstance(y, sg.Tensor) else y) for y in found]


def agree(f, points):
    """Whether the slices of the mapped function's result are those of the function's."""
    expected = [f(*xs) for xs in points]
    found = sg.vmap(f)(*map(np.stack, zip(*points, strict=True)))
    several = isinstance(found, tuple)
    for k, y in enumerate(arrays(found if several else [found])):
        loop = arrays([e[k] if several else e for e in expected])
        assert y.dtype == loop[0].dtype
        close(y, np.stack(loop), 1e-9)


@every(MAPPED)
def test_mapped_function_is_the_loop(case):
    agree(lambda *xs: number(case)(*map(sg.as_tensor, xs)), slices(case))


@every(SMOOTH)
def test_mapped_gradient_is_the_loop(case):
    agree(sg.grad(weighed(case), tuple(range(len(case.points)))), slices(case))


@every([case for case in SMOOTH if len(case.points) > 1])
def test_what_is_not_mapped_is_the_same_for_all_slices(case):
    first, *rest = case.points
    gradient = sg.grad(weighed(case), tuple(range(len(case.points))))
    found = sg.vmap(gradient, in_axes=(0, *[None] * len(rest)))(np.stack([first, first * 0.97]), *rest)
    for k, x in enumerate((first, first * 0.97)):
        for y, e in zip(found, gradient(x, *rest), strict=True):
            close(np.asarray(y)[k], e, 1e-9)


def test_few_rows_run_slice_by_slice(monkeypatch):
    looped = set()

    def spy(op, size, xs, flags):
        looped.add((case.row.name, type(op).__name__))
        return slice_by_slice(op, size, xs, flags)

    slice_by_slice = batching.one_by_one
    monkeypatch.setattr(batching, "one_by_one", spy)
    for case in MAPPED:
        sg.vmap(number(case))(*[np.stack([p, p]) for p in case.points])
    rows = {case.row.name for case in MAPPED}
    assert len({name for name, _ in looped}) <= 0.03 * len(rows), f"no batching rule: {sorted(looped)}"


def test_every_rule_is_met_by_a_row(monkeypatch):
    met = set()

    def spy(op, *args):
        met.add(type(op))
        return batching.batch(op, *args)

    monkeypatch.setattr(sys.modules["symgrad.transforms.vmap"], "batch", spy)
    for case in MAPPED:
        f = number(case) if case.row.discrete else sg.value_and_grad(weighed(case))
        sg.vmap(f)(*[np.stack([p, p]) for p in case.points])
    for program in (PROGRAMS | MATRICES).values():
        sg.vmap(lambda z: sg.vjp(lambda z: program(sg, z), z)[0])(np.stack([Z, Z]))  # noqa: B023
    discrete = {Bits, Truth}  # of integers and booleans, which are no points
    kinds = {k for k in op_classes() if batching.is_known(k)} - discrete
    assert sorted(k.__name__ for k in kinds - met) == []


def test_operation_without_a_rule_runs_slice_by_slice():
    calls = []

    class Double(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            calls.append(x.shape)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = np.arange(6.0).reshape(3, 2)
    close(sg.vmap(lambda r: Double.apply(r) + 1)(x), 2 * x + 1, 0)
    assert calls.count((2,)) >= 3


@pytest.mark.parametrize(
    "key", [([0, 1, 1], [2, 0, 0]), ([1, 0],), (slice(None), [0, 2]), ([0, 1], slice(None), [1, 1])]
)
@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 2)])
def test_entries_at_positions_are_read_and_written_in_every_slice(key, shape):
    if len(key) > len(shape):
        return
    x = np.random.default_rng(0).uniform(-1, 1, (4, *shape))
    v = np.random.default_rng(1).uniform(-1, 1, np.zeros(x.shape)[0][key].shape)

    def written(r, v):
        y = r * 1.0
        y[key] = v
        return y * y

    for f in (lambda r: r[key], sg.grad(lambda r: (r[key] ** 3).sum()), lambda r: written(r, v)):
        close(sg.vmap(f)(x), np.stack([np.asarray(f(sg.tensor(r))) for r in x]), 1e-14)
    outside = sg.vmap(lambda s: written(sg.tensor(x[0]), s * v))(np.arange(3.0))
    close(outside, np.stack([written(sg.tensor(x[0]), s * sg.tensor(v)).numpy() for s in range(3)]), 1e-14)
    g = sg.vmap(sg.grad(lambda v: written(sg.tensor(x[0]), v).sum()))(np.stack([v, 2 * v]))
    close(g[1], sg.grad(lambda v: written(sg.tensor(x[0]), v).sum())(2 * v), 1e-14)


@pytest.mark.parametrize(("a", "b"), [((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (2, 3)), ((2, 3, 3), (3, 2))])
@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)])
def test_systems_are_solved_in_every_slice(a, b, axes):
    rng = np.random.default_rng(0)
    A, B = rng.uniform(-1, 1, (4, *a)) + 3 * np.eye(3), rng.uniform(-1, 1, (4, *b))
    given = [x if axis == 0 else x[0] for x, axis in zip((A, B), axes, strict=True)]
    f = lambda A, B: sg.linalg.solve(A, B)
    found = sg.vmap(f, in_axes=axes)(*given)
    for k in range(4):
        picked = [x[k] if axis == 0 else x for x, axis in zip(given, axes, strict=True)]
        close(found[k], f(*map(sg.tensor, picked)).numpy(), 1e-12)


# ------------------------------------------------------------------ how it is called


def test_axes_are_a_prefix_of_the_structure():
    p = {"w": np.arange(12.0).reshape(3, 4), "rest": [np.arange(3.0), 2.0, "text", None]}
    f = lambda p, x: {"y": p["w"] * p["rest"][1] + x, "z": (p["rest"][0] * x, None)}
    axes = ({"w": 1, "rest": [None, None, None, None]}, 0)
    found = sg.vmap(f, in_axes=axes, out_axes={"y": 1, "z": (0, None)})(p, np.arange(4.0))
    close(found["y"], 2 * p["w"] + np.arange(4.0), 0)
    close(found["z"][0], np.outer(np.arange(4.0), np.arange(3.0)), 0)
    assert found["z"][1] is None


def test_axes_agree_with_jax():
    jax = pytest.importorskip("jax", reason="compares with JAX")
    jax.config.update("jax_enable_x64", True)
    p, x = {"a": np.arange(6.0).reshape(2, 3), "b": (np.arange(3.0),)}, np.arange(3.0)
    f = lambda p, x: (p["a"].sum() * x * np.ones(3), {"c": p["b"][0] - x, "d": 3.0})
    for axes, out in (
        (({"a": 1, "b": (0,)}, 0), 0),
        (({"a": 1, "b": (None,)}, None), (-1, {"c": None, "d": None})),
        ((None, 0), (1, {"c": 1, "d": None})),
    ):
        found, expected = (L.vmap(f, in_axes=axes, out_axes=out)(p, x) for L in (sg, jax))
        close(found[0], expected[0], 0)
        for k in ("c", "d"):
            close(found[1][k], expected[1][k], 0)


def test_result_that_is_the_same_for_all_slices_is_repeated_or_returned_once():
    f = lambda x: (x, 2.0, sg.tensor([1.0, 2.0]))
    y = sg.vmap(f, out_axes=(0, 0, 1))(np.ones(3))
    close(y[1], 2 * np.ones(3), 0)
    close(y[2], np.array([[1.0] * 3, [2.0] * 3]), 0)
    y = sg.vmap(f, out_axes=(0, None, None))(np.ones(3))
    assert y[1] == 2.0
    close(y[2], np.array([1.0, 2.0]), 0)
    close(sg.vmap(lambda: sg.ones(2), axis_size=3)(), np.ones((3, 2)), 0)


def test_keyword_arguments_are_not_mapped():
    close(sg.vmap(lambda x, w: x * w)(np.ones((2, 3)), w=np.arange(3.0)), np.tile(np.arange(3.0), (2, 1)), 0)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_chunks_give_the_same(size):
    x = np.random.default_rng(0).uniform(-1, 1, (7, 3))
    f = lambda x, c: {"a": sg.sin(x) * c, "b": (x @ x, 1.0)}
    found = sg.vmap(f, (0, None), {"a": 1, "b": (0, None)}, chunk_size=size)(x, 2.0)
    whole = sg.vmap(f, (0, None), {"a": 1, "b": (0, None)})(x, 2.0)
    close(found["a"], whole["a"], 0)
    close(found["b"][0], whole["b"][0], 1e-15)
    assert found["b"][1] == whole["b"][1] == 1.0
    close(sg.grad(lambda x: (sg.vmap(f, (0, None), chunk_size=size)(x, 2.0)["a"]).sum())(x), 2 * np.cos(x), 1e-15)


def test_arrays_in_arrays_out_and_tensors_in_tensors_out():
    x, w = np.ones((2, 3)), sg.tensor(2.0, requires_grad=True)
    assert type(sg.vmap(sg.sin)(x)) is np.ndarray
    assert isinstance(sg.vmap(sg.sin)(sg.tensor(x)), sg.Tensor)
    assert isinstance(sg.vmap(lambda p, r: p["c"] * r, (None, 0))({"c": sg.tensor(2.0)}, x), sg.Tensor)
    y = sg.vmap(lambda r: r * w)(x)  # a result with a gradient stays a tensor
    y.sum().backward()
    assert w.grad.item() == 6.0
    assert isinstance(sg.vmap(lambda r: sg.vmap(lambda a: a * 2)(np.ones(3)).sum() * r)(x), np.ndarray)


def test_statements_in_place_in_a_slice_change_nothing_outside():
    x = np.ones((2, 3))

    def f(r):
        r *= 2
        r[0] = 5.0
        return r.sum()

    close(sg.vmap(f)(x), [9.0, 9.0], 0)
    assert x.sum() == 6.0
