"""Random programs: compiled values and gradients against eager ones, at ordinary points and at extreme ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from checks import BACKENDS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import symgrad as sg
from symgrad.compiler.backends.backend import Unsuitable

SHAPES = [(), (3,), (2, 3), (1, 3), (2, 1)]
ORDINARY = [0.5, -1.25, 2.0, 0.3, -0.7, 1.5]
EXTREME = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, -1e-310, 1e100, -1e100, 1e-200, 710.0, -745.2]

# Of arguments only: next to a jump, or in a large angle, the last digit of what was computed decides; next to a pole
# the sign of a zero.
JUMPS = ["floor", "round", "sign", "log", "log2", "reciprocal", "sin", "cos", "tan"]
JUMPS_OF_TWO = ["remainder", "div"]
UNARY = ["exp", "tanh", "sigmoid", "softplus", "abs", "relu", "square", "neg", "erf", "expm1", "atan",
         "logsigmoid", "asinh", "sinh", "cosh"]  # fmt: skip
BINARY = ["add", "sub", "mul", "maximum", "minimum"]
# Of a positive number; −∞ has no square root, but NumPy's power may give it one.
POSITIVE = ["sqrt", "rsqrt", "log", "log1p", "reciprocal"]
ALONG = ["sum", "mean", "amax", "amin", "prod", "logsumexp"]


class Step(NamedTuple):
    """An operation on earlier values: ``what`` names it, ``where`` are their positions."""

    kind: str
    what: Any
    where: tuple[int, ...]


class Program(NamedTuple):
    """Shapes of the arguments, and the steps."""

    shapes: list[tuple[int, ...]]
    steps: list[Step]


def apply(step, values):
    """The value of a step, on tensors."""
    a, *rest = (values[k] for k in step.where)
    if step.kind in ("unary", "binary"):
        return getattr(sg, step.what)(a, *rest)
    if step.kind == "along":
        return getattr(sg, step.what)(a, 0)
    return MORE[step.kind](a, step.what, *rest)


MORE = {
    "where": lambda a, _, b: sg.where(a > b, a, 2 * b),
    "number": lambda a, c: (a + c) / (1 + c * c) - c,
    "positive": lambda a, name: getattr(sg, name)(a * a + 0.5),
    "slice": lambda a, key: a[..., key],
    "flip": lambda a, axis: sg.flip(a, axis),
    "gram": lambda a, _: a @ a.T,
    "transpose": lambda a, _: a.T,
    "flatten": lambda a, _: a.reshape(-1),
    "cat": lambda a, _: sg.cat([a, 0.5 * a], 0),
    "stack": lambda a, _: sg.stack([a, -a], 0),
}


def fits(a, b):
    """Whether two shapes broadcast."""
    return all(n == m or 1 in (n, m) for n, m in zip(a[::-1], b[::-1], strict=False))


def choices(shape, is_argument):
    """The kinds of steps that a value of this shape can take, with their parameters."""
    unary = UNARY + JUMPS if is_argument else UNARY
    found = [("unary", unary), ("number", [0.5, -3.0]), ("positive", POSITIVE), ("stack", [None])]
    if shape:
        found += [("along", ALONG), ("cat", [None]), ("flatten", [None]), ("flip", [0])]
    if shape and shape[-1] > 1:
        found += [("slice", [0, slice(1, None), slice(None, None, -2)])]
    if len(shape) == 2:
        found += [("gram", [None]), ("transpose", [None])]
    return [(kind, what) for kind, parameters in found for what in parameters]


@st.composite
def programs(draw):
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3))
    values = [sg.symbol(f"x{k}", shape=s) for k, s in enumerate(shapes)]  # for the shapes of the results
    steps = []
    for _ in range(draw(st.integers(4, 10))):
        k = len(values) - 1 - draw(st.integers(0, len(values) - 1))  # the newest is the simplest choice
        if draw(st.booleans()):
            step = Step(*draw(st.sampled_from(choices(values[k].shape, k < len(shapes)))), (k,))
        else:
            j = draw(st.sampled_from([j for j, v in enumerate(values) if fits(v.shape, values[k].shape)]))
            names = BINARY + JUMPS_OF_TWO if max(j, k) < len(shapes) else BINARY
            step = Step(*draw(st.sampled_from([("where", None), *[("binary", n) for n in names]])), (k, j))
        steps.append(step)
        values.append(apply(step, values))
    return Program(shapes, steps)


def points(program, seed, pool):
    rng = np.random.default_rng(seed)
    return [float(rng.choice(pool)) if s == () else rng.choice(pool, s) for s in program.shapes]


def of(program):
    """The program as a function of tensors to the values of all steps."""

    def f(*xs):
        values = list(map(sg.as_tensor, xs))
        for step in program.steps:
            values.append(apply(step, values))
        return tuple(values[len(xs) :])

    return f


def numbers(result):
    parts = result if isinstance(result, tuple) else (result,)
    return [np.asarray(y.numpy() if isinstance(y, sg.Tensor) else y) for y in parts]


def agree(found, expected, *, zeros):
    """Equal to 1e-12 of the largest entry, with nan and ∞ in the same places.

    With ``zeros`` an entry that is nan in eager mode may be anything: a zero that the program itself puts there, such
    as the rest of a unit vector, makes 0·∞ of the eager gradient, and stays zero in the compiled one.
    """
    for y, z in zip(found, expected, strict=True):
        assert (y.shape, y.dtype) == (z.shape, z.dtype)
        keep = ~np.isnan(z) if zeros else np.ones(z.shape, bool)
        scale = max(1.0, np.max(np.abs(z[np.isfinite(z)]), initial=0.0))
        np.testing.assert_allclose(y[keep], z[keep], rtol=1e-12, atol=1e-12 * scale)


@settings(max_examples=80, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(program=programs())
def agrees_with_eager(backend, program):
    f, arguments = of(program), tuple(range(len(program.shapes)))
    gradient = sg.grad(lambda *xs: (1.5 * f(*xs)[-1]).sum(), arguments)
    for eager, zeros in ((f, False), (gradient, True)):
        fast = sg.compile(eager, backend=backend)
        for seed, pool in enumerate((ORDINARY, ORDINARY + EXTREME, EXTREME)):
            xs = points(program, seed, pool)
            with np.errstate(all="ignore"):
                expected = numbers(eager(*xs))
            try:
                agree(numbers(fast(*xs)), expected, zeros=zeros)
            except Unsuitable:
                assert backend != "numpy"


@pytest.mark.parametrize("backend", BACKENDS)
def test_compiled_programs_agree_with_eager_ones(backend):
    agrees_with_eager(backend)  # called here: of a test of its own Hypothesis reads all sources at the start


@pytest.mark.parametrize("backend", BACKENDS)
def test_parts_of_a_mapped_gradient_that_are_constant_are_added_to_every_slice(backend):
    gradient = sg.grad(lambda v: v.sum() + sg.sin(v[:1]).sum() + sg.cos(v[1:]).sum())
    x = np.random.default_rng(4).normal(size=(2, 3))
    expected = 1 + np.concatenate([np.cos(x[:, :1]), -np.sin(x[:, 1:])], 1)
    np.testing.assert_allclose(sg.compile(sg.vmap(gradient), backend=backend)(x), expected, rtol=1e-14)
