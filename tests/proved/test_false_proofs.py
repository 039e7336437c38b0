"""No statement about random programs is false: each is compared with the program's values at many points."""

import contextlib
from itertools import pairwise

import numpy as np
import pytest
from slow_tests import draws

import symgrad as sg
from symgrad import prove
from symgrad.proved import slopes
from symgrad.proved.covering import floats_of, intervals_of, middle_of, point, within
from symgrad.proved.enclosure import Flat
from symgrad.proved.interval import as_ball, flint
from symgrad.proved.newton import System

UNARY = [
    *(sg.sin, sg.cos, sg.exp, sg.tanh, sg.atan, abs, sg.relu, sg.floor, sg.sign, sg.log, sg.sqrt),
    *(lambda x: 1 / x, lambda x: x * x, lambda x: x % 0.7, lambda x: x.detach()),
    lambda x: sg.where(x > 0.3, x, -1.0 - x),
]
BINARY = [
    *(lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (1.5 + b * b)),
    *(sg.maximum, sg.minimum, lambda a, b: sg.where(a > b, a * 2, b - 1.0)),
]
SEEDS = draws(range(400), first=12)


def random_program(rng, inputs):
    """A function of a vector, of six operations on earlier values; it may be undefined or jump."""
    steps = []
    for k in range(6):
        arity = 1 + rng.integers(2)
        op = (UNARY, BINARY)[arity - 1]
        steps.append((op[rng.integers(len(op))], rng.integers(inputs + k, size=arity).tolist()))
    shift = float(rng.uniform(-1, 1))

    def f(v):
        values = [v[i] for i in range(inputs)]
        for op, args in steps:
            values.append(op(*[values[a] for a in args]))
        return values[-1] + values[-2] * values[0] - shift

    return f


def sampled(f, lower, upper, count):
    """Points of a box and the values there, which may be nan."""
    t = np.random.default_rng(1).random((count, len(lower)))
    t[0], t[1] = 0.0, 1.0
    points = np.clip(lower + t * (upper - lower), lower, upper)
    with np.errstate(all="ignore"):
        return points, np.array([float(f(sg.tensor(p))) for p in points])


def inside(point, boxes, slack=1e-9):
    """Whether a point lies in one of the boxes."""
    return any(((b.lower <= point + slack) & (point - slack <= b.upper)).all() for b in boxes)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_change_of_sign_is_outside_of_the_zeros_and_what_is_unresolved(seed):
    rng = np.random.default_rng(seed)
    f, low = random_program(rng, 1), rng.uniform(-2, 1, 1)
    high = low + rng.uniform(0.1, 2)
    result = prove.all_roots(lambda v: f(v).reshape(1), (low, high), boxes=300)
    assert prove.check(result.certificate, lambda v: f(v).reshape(1))
    x = np.linspace(low[0], high[0], 120)
    with np.errstate(all="ignore"):
        y = np.array([float(f(sg.tensor([p]))) for p in x])
    for k in np.flatnonzero((y[:-1] * y[1:] < 0) & (np.abs(y[:-1] * y[1:]) > 1e-20)):
        parts = [*result.zeros, *result.unresolved]
        # a jump over 0 has no zero, but a hull of both sides cannot tell
        assert any((p.lower <= x[k + 1]).all() and (p.upper >= x[k]).all() for p in parts)
    for zero in result.zeros:
        value = float(f(sg.tensor((zero.lower + zero.upper) / 2)))
        assert abs(value) < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_no_statement_is_false_at_a_point(seed):
    rng = np.random.default_rng(1000 + seed)
    f, lower = random_program(rng, 2), rng.uniform(-2, 1, 2)
    upper = lower + rng.uniform(0.1, 1.5, 2)
    points, values = sampled(f, lower, upper, 60)
    box = lower, upper
    with contextlib.suppress(sg.errors.NotProved):
        least = prove.minimum(f, box, boxes=150)
        assert least.value.lower == -np.inf or (values >= least.value.lower - 1e-9).all()  # so that none is nan
        assert all(inside(p, least.minimisers) for p in points[values < least.value.upper - 1e-9])
        assert prove.check(least.certificate, f)
    with contextlib.suppress(sg.errors.NotProved):
        proof = prove.positive(f, box, boxes=100)
        assert (values > -1e-12).all() if proof else float(f(sg.tensor(proof.witness))) < 1e-12
    with contextlib.suppress(sg.errors.NotProved):
        proof = prove.lipschitz(f, box, boxes=100, rtol=0.5)
        steps = np.abs(np.diff(values)) / np.linalg.norm(np.diff(points, axis=0), axis=1)
        assert (steps <= proof.certificate["constant"] * (1 + 1e-9)).all()
    with contextlib.suppress(sg.errors.NotProved, sg.errors.ArgumentError):
        proof = prove.monotone(f, box, boxes=100)
        signs = np.array(proof.certificate["signs"])
        if proof:
            higher = np.clip(points + 0.05 * signs, lower, upper)
            assert all(float(f(sg.tensor(q))) >= y - 1e-9 for q, y in zip(higher, values, strict=True))
    with contextlib.suppress(sg.errors.NotProved):
        if prove.convex(f, box, boxes=100):
            middle = [float(f(sg.tensor((p + q) / 2))) for p, q in pairwise(points)]
            assert (np.array(middle) <= (values[1:] + values[:-1]) / 2 + 1e-9).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_no_integral_is_outside_of_its_bounds(seed):
    rng = np.random.default_rng(2000 + seed)
    f, low = random_program(rng, 1), rng.choice([0.0, float(rng.uniform(-2, 1))])
    high, count = low + rng.uniform(0.1, 2), 150
    x = low + (high - low) * (np.arange(count) + 0.5) / count
    with np.errstate(all="ignore"):
        y = np.array([float(f(sg.tensor([p]))) for p in x])
    with contextlib.suppress(sg.errors.NotProved):
        result = prove.integral(lambda v: f(v.reshape(1)), (low, high), pieces=30)
        if np.isfinite(y).all():  # the rule of midpoints is wrong by no more than the variation times half a step
            slack = (np.abs(np.diff(y)).sum() + 3 * np.abs(y[[0, -1]]).sum()) * (high - low) / count
            assert result.value.lower - slack <= y.mean() * (high - low) <= result.value.upper + slack
        assert prove.check(result.certificate, lambda v: f(v.reshape(1)))


@pytest.mark.parametrize("seed", draws(range(400), first=40))
def test_no_step_loses_a_zero(seed):
    """F(v) - F(w) is zero where both are the same point, which may be at the edge of the box."""
    rng = np.random.default_rng(3000 + seed)
    f, g, low = random_program(rng, 2), random_program(rng, 2), rng.uniform(-2, 1, 2)
    box = np.stack([low, low + rng.choice([1e-9, 0.01, 0.3, 2.0], 2)], axis=-1)
    at = box[:, 0] + rng.choice([0.0, 1.0, rng.random()]) * (box[:, 1] - box[:, 0])
    at = np.minimum(at, box[:, 1])

    def F(v, w):
        return sg.stack([f(v) - f(w), g(v) - g(w), w[0] - at[0], w[1] - at[1]])

    with flint().ctx.workprec(128):
        flat = Flat(F, [(box[:, 0], box[:, 1]), (at, at)])
        system = System(flat.run, flat.tape(0))
        x = floats_of(flat.box)
        solved = system.solved(x)
        steps = [] if solved is None else [solved[0]]
        newton = None if solved is None or solved[1] else system.contracted(x)
        steps += [] if newton is None else [newton.left]
        assert all(left is not None and within(point(np.concatenate([at, at])), left) for left in steps)


@pytest.mark.parametrize("seed", draws(range(400), first=40))
def test_slopes_contain_the_differences_of_a_program(seed):
    rng = np.random.default_rng(4000 + seed)
    f, low = random_program(rng, 2), rng.uniform(-2, 1, 2)
    high = low + rng.uniform(0.01, 1, 2)
    with flint().ctx.workprec(128):
        flat = Flat(f, (low, high))
        c = middle_of(floats_of(flat.box))
        numbers = slopes.run(flat.tape(0), flat.box, [flint().arb(float(y)) for y in c])
        for y in numbers or []:
            for p in sampled(f, low, high, 8)[0]:
                value = as_ball(flat.run(0, intervals_of(point(p)))[0][0])
                change = sum(s * (flint().arb(float(p[k])) - float(c[k])) for k, s in y.row.items())
                assert (y.center + change).overlaps(value)
                assert as_ball(y.value).overlaps(value)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (x.to(sg.int8) * 100).to(sg.float64),
        lambda x: (x.to(sg.uint8) - 1).to(sg.float64),
        lambda x: (-(x - 128).to(sg.int8)).to(sg.float64),
        lambda x: ((x > 0) * np.int8(100) + (x > 1) * np.int8(100)).to(sg.float64),
    ],
)
def test_integers_that_may_wrap_are_refused(f):
    with pytest.raises(sg.errors.NotYet, match="may not fit"):
        sg.enclose(f, (0.0, 2.0))


@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: x * y,
        lambda x, y: x - y,
        lambda x, y: y + -x,
        lambda x, y: x / y,
        lambda x, y: sg.sin(x),
        lambda x, y: sg.special.j0(y),
    ],
)
def test_an_operation_without_a_value_at_some_infinity_is_refused(f):
    with pytest.raises(sg.errors.ArgumentError, match="undefined or unbounded"):
        sg.enclose(lambda x: f(sg.where(x > 0.5, np.inf, 1.0), sg.where(x > 0.6, np.inf, x)), (0.0, 1.0))


def test_infinite_constants_of_both_signs_are_two_constants():
    clipped = sg.enclose(lambda x: sg.minimum(sg.maximum(x, -np.inf), np.inf), (0.0, 1.0))
    assert (clipped.lower, clipped.upper) == (0.0, 1.0)


def test_whether_a_number_is_infinite_is_open_where_it_may_be_one():
    for test in (sg.isinf, sg.isfinite):
        both = sg.enclose(lambda x, test=test: test(sg.where(x > 0, np.inf, x)) * 1.0, (-1.0, 1.0), order=1)
        assert (both.lower, both.upper) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("statement", "f"),
    [
        (prove.convex, lambda x: sg.where(x == 0, -x * x, x * x)),
        (prove.convex, lambda x: x**2 * (2 * sg.sign(x) ** 2 - 1)),
        (prove.convex, lambda x: x**2 * (2 * (sg.ceil(x) - sg.floor(x)) - 1)),
        (prove.monotone, lambda x: sg.where(x == 0, 5 * x, -x)),
        (prove.convex, lambda x: sg.where(x != 0, x * x, -x * x)),
        (prove.convex, lambda x: sg.where(x.to(sg.bool), x * x, -x * x)),
    ],
)
def test_a_derivative_at_a_point_of_a_condition_is_no_witness(statement, f):
    with pytest.raises(sg.errors.NotProved):
        statement(f, (-1.0, 1.0), boxes=50)


def test_incomplete_gamma_functions_are_refused_where_scipy_has_no_value():
    for f in (sg.special.gammainc, sg.special.gammaincc):
        with pytest.raises(sg.errors.ArgumentError, match="undefined"):
            sg.enclose(lambda x, f=f: f(2.0, x), (-1.0, 1.0))


def test_a_negative_lipschitz_constant_is_rejected():
    proof = prove.lipschitz(sg.sin, (0.0, 1.0))
    assert not prove.check({**proof.certificate, "constant": -proof.certificate["constant"]}, sg.sin)


def test_a_certificate_whose_box_has_its_upper_end_first_is_rejected():
    certificate = prove.minimum(sg.exp, (-1.0, 1.0)).certificate
    assert not prove.check({**certificate, "at": [[1.0, -1.0]]}, sg.exp)
    assert not within(np.array([[1.0, -1.0]]), np.array([[-2.0, 2.0]]))
