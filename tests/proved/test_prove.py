"""Statements with certificates: what is proved is true, what is not certain is named, and certificates check."""

import contextlib
import json

import numpy as np
import pytest

import symgrad as sg
from symgrad import prove


def rechecked(result, *functions):
    """Whether a result's certificate holds after a way through JSON."""
    return prove.check(json.loads(json.dumps(result.certificate)), *functions)


SQUARE = [-2.0] * 2, [2.0] * 2


def broyden(x):
    z = sg.zeros(1)
    return (3 - 2 * x) * x + 1 - sg.cat([z, x[:-1]]) - 2 * sg.cat([x[1:], z])


def wilkinson(x):
    product = 1.0
    for k in range(1, 21):
        product = product * (x - k)
    return product


def brown(x):
    return sg.cat([x[:-1] + x.sum() - (x.shape[0] + 1), x.prod().reshape(1) - 1])


def himmelblau(v):
    return (v[0] ** 2 + v[1] - 11) ** 2 + (v[0] + v[1] ** 2 - 7) ** 2


# ------------------------------------------------------------------ zeros
@pytest.mark.parametrize(
    ("F", "box", "zeros"),
    [
        (lambda x: x**2 - 2, (-3.0, 3.0), [-np.sqrt(2), np.sqrt(2)]),
        (lambda x: x**2 - x, (0.0, 1.0), [0, 1]),  # at the ends
        (lambda x: abs(x) - 0.5, (-1.0, 3.0), [-0.5, 0.5]),
        (lambda x: sg.exp(x) + 1, (-5.0, 5.0), []),
        (wilkinson, (0.5, 21.0), range(1, 21)),
        (lambda E: E - 0.9 * sg.sin(E) - 0.3, (0.0, 6.3), [1.1035177203]),  # Kepler
        (lambda v: sg.stack([v[0] ** 2 + v[1] ** 2 - 1, v[0] - v[1]]), SQUARE, [-0.7071068, 0.7071068]),
        (broyden, (-np.ones(5), np.ones(5)), [-0.5648284]),
        (brown, (np.zeros(3), 4 * np.ones(3)), [(1 + np.sqrt(13)) / 6, 1.0]),
        (sg.func.grad(himmelblau), ([-5.0] * 2, [5.0] * 2),
         [-3.7793, -3.0730, -2.8051, -0.2708, -0.1280, 0.0867, 3.0, 3.3852, 3.5844]),
    ],
)  # fmt: skip
def test_all_zeros_are_isolated_and_their_certificate_holds(F, box, zeros):
    result = prove.all_roots(F, box)
    assert result.is_complete
    np.testing.assert_allclose([np.ravel(z.lower)[0] for z in result.zeros], list(zeros), rtol=2e-3, atol=1e-9)
    assert all((z.width <= 1e-14 * np.maximum(1, np.abs(z.upper))).all() for z in result.zeros)
    assert rechecked(result, F)


@pytest.mark.parametrize(
    ("F", "box"),
    [
        (lambda x: (x - 0.5) ** 2, (0.0, 1.0)),  # a double zero
        (lambda x: abs(x) * (x + 4), (-1.0, 1.0)),  # a zero at a kink
        (lambda x: sg.log(x), (-1.0, 3.0)),  # undefined in a part
        (lambda x: sg.floor(x) - 0.5, (-1.0, 3.0)),  # jumps over 0
        (lambda x: sg.where(x > 0.3, 1.0, -1.0) * (1 + x * x), (0.0, 1.0)),
        (lambda x: sg.where(x > 1, x - 2, x + 3), (-5.0, 5.0)),
    ],
)
def test_what_is_not_certain_is_named(F, box):
    result = prove.all_roots(F, box, boxes=2000)
    assert not result.is_complete
    assert rechecked(result, F)
    with pytest.raises(sg.errors.NotProved, match="not certain in 1 part"):
        prove.root(F, box, boxes=2000)


def test_one_zero_is_proved_and_other_numbers_are_said():
    assert prove.root(lambda x, y: [x + y - 3, x - y], [(0.0, 2.0), (0.0, 2.0)]).zero[0] == (1.5, 1.5)
    with pytest.raises(sg.errors.NotProved, match="F has 2 zeros in the box, not one"):
        prove.root(lambda x: x**2 - 2, (-3.0, 3.0))
    with pytest.raises(sg.errors.NotProved, match="F has 0 zeros"):
        prove.root(lambda x: x**2 - 2, (5.0, 6.0))
    with pytest.raises(sg.errors.ShapeError, match="F has 1 results and 2 arguments"):
        prove.root(lambda v: v.sum(), ([0.0, 0.0], [1.0, 1.0]))


def test_a_certificate_of_another_function_or_box_does_not_hold():
    result = prove.all_roots(lambda x: x**2 - 2, (-3.0, 3.0))
    assert not rechecked(result, lambda x: x**2 - 2.0001)
    for change in (
        {"zeros": []},
        {"box": [[-4.0, 1.0]]},
        {"tree": result.certificate["tree"][:-1]},
        {"tree": [["no zero", 0]]},
    ):
        assert not prove.check({**result.certificate, **change}, lambda x: x**2 - 2)
    with pytest.raises(sg.errors.ArgumentError, match="Expected one of"):
        prove.check({"statement": "nothing"}, sg.sin)
    with pytest.raises(sg.errors.ArgumentError, match=r"about 1 functions\. Got 2"):
        prove.check(result.certificate, sg.sin, sg.cos)
    with pytest.raises(sg.errors.ArgumentError, match="not that of the certificate"):
        prove.check(result.certificate, sg.sin, box=(0.0, 1.0))


# ------------------------------------------------------------------ statements
@pytest.mark.parametrize(
    ("claim", "f", "box", "holds"),
    [
        (prove.positive, lambda x: x**2 - x + 0.3, (0.0, 1.0), True),
        (prove.positive, lambda x: x**2 - x + 0.2, (0.0, 1.0), False),
        (prove.positive, lambda v: 1.01 - sg.cos(v[0]) * sg.cos(v[1]), ([-4.0] * 2, [4.0] * 2), True),
        (prove.monotone, lambda x: sg.exp(x) - x, (0.0, 2.0), True),
        (prove.monotone, lambda v: v[0] ** 3 - v[1], ([-1.0] * 2, [2.0] * 2), True),
        (prove.monotone, lambda x: sg.sin(x), (0.0, 2.0), False),
        (prove.monotone, lambda x: -(x**3), (-0.6180339887, 0.3819660113), True),  # flat where its sign is looked for
        (prove.convex, lambda v: (v**4).sum() + v[0] * v[1], ([1.0] * 2, [2.0] * 2), True),
        (prove.convex, lambda v: sg.log(sg.exp(v).sum()) + 0.1 * (v**2).sum(), ([-0.5] * 2, [0.5] * 2), True),
        (prove.convex, lambda x: x**3, (-1.0, 2.0), False),
        (prove.convex, lambda v: v[0] * v[1], ([0.0] * 2, [1.0] * 2), False),
    ],
)  # fmt: skip
def test_statements_hold_or_have_a_witness(claim, f, box, holds):
    proof = claim(f, box)
    assert proof.holds is holds is bool(proof)
    assert (proof.witness is None) is holds
    assert rechecked(proof, f)
    assert not prove.check({**proof.certificate, "holds": not holds, "tree": [["holds"]], "witness": [5.0]}, f)


@pytest.mark.parametrize(
    ("claim", "f"),
    [
        (prove.positive, sg.log), (prove.positive, lambda x: x * x), (prove.monotone, sg.floor),
        (prove.monotone, lambda x: sg.where(x > 0, x - 9, x)), (prove.convex, lambda x: -abs(x)),
        (prove.convex, lambda x: sg.floor(x)), (prove.positive, lambda x: 1 / x**2),
    ],
)  # fmt: skip
def test_what_is_undefined_or_jumps_is_not_proved(claim, f):
    with contextlib.suppress(sg.errors.NotProved):
        assert not claim(f, (-1.0, 2.0), boxes=500)


def test_a_function_that_falls_is_not_said_to_turn():
    with pytest.raises(sg.errors.NotProved):
        prove.monotone(lambda x: -sg.relu(x), (-2.0, 1.0), boxes=100)
    falling = prove.monotone(lambda x: -x, (0.0, 1.0)).certificate
    for forged in ({"signs": [1]}, {"signs": [1], "at": [None]}, {"signs": [1], "at": [[5.0]]}):
        assert not prove.check({**falling, **forged, "holds": False, "witness": [0.5]}, lambda x: -x)
    assert not prove.check({**falling, "signs": [0]}, lambda x: x)
    turning = prove.monotone(sg.sin, (0.0, 2.0)).certificate
    assert prove.check(turning, sg.sin)
    assert not prove.check({**turning, "at": [turning["witness"]]}, sg.sin)


def test_an_approximation_agrees_within_its_error_and_no_less():
    f, g = sg.sin, lambda x: x - x**3 / 6 + x**5 / 120
    assert rechecked(prove.same(f, g, (-0.5, 0.5), within=1.6e-6), f, g)
    assert not prove.same(f, g, (-0.5, 0.5), within=1.5e-6)
    with pytest.raises(sg.errors.ShapeError, match="different structures"):
        prove.same(lambda x: [x], lambda x: x, (0.0, 1.0))
    with pytest.raises(sg.errors.ArgumentError, match="not negative"):
        prove.same(f, g, (0.0, 1.0), within=-1.0)


def test_arguments_in_structures_need_the_box_again():
    box = {"a": (1.0, 2.0), "b": ([0.0, 0.0], [1.0, 1.0])}
    proof = prove.positive(lambda d: d["a"] + d["b"].sum(), box)
    assert prove.check(proof.certificate, lambda d: d["a"] + d["b"].sum(), box=box)
    with pytest.raises(sg.errors.ArgumentError, match="Pass box="):
        prove.check(proof.certificate, lambda d: d["a"])


# ------------------------------------------------------------------ minima
def camel(v):
    x, y = v[0], v[1]
    return (4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (-4 + 4 * y**2) * y**2


def branin(v):
    x, y = v[0], v[1]
    return (y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6) ** 2 + 10 * (1 - 1 / (8 * np.pi)) * sg.cos(x) + 10


def griewank(v):
    return (v**2).sum() / 4000 - sg.cos(v[0]) * sg.cos(v[1] / 2**0.5) + 1


def rastrigin(v):
    return 20 + (v**2 - 10 * sg.cos(2 * np.pi * v)).sum()


@pytest.mark.parametrize(
    ("f", "box", "value", "minimisers"),
    [
        (camel, ([-3.0, -2.0], [3.0, 2.0]), -1.0316284534898774, [-0.0898420131, 0.0898420131]),
        (branin, ([-5.0, 0.0], [10.0, 15.0]), 0.39788735772973816, [-np.pi, np.pi, 3 * np.pi]),
        (himmelblau, ([-5.0] * 2, [5.0] * 2), 0.0, [-3.7793102534, -2.8051180870, 3.0, 3.5844283403]),
        (griewank, ([-20.0] * 2, [21.0] * 2), 0.0, [0.0]),
        (rastrigin, ([-5.0] * 2, [5.2] * 2), 0.0, [0.0]),
        (lambda v: 100 * (v[1] - v[0] ** 2) ** 2 + (1 - v[0]) ** 2, SQUARE, 0.0, [1.0]),
        (lambda v: v[0] - 2 * v[1], SQUARE, -6.0, [-2.0]),
        (lambda x: x**4 - 3 * x**2 + x, (-3.0, 3.0), -3.5139050389347894, [-1.3008395659415772]),
    ],
)  # fmt: skip
def test_global_minima_are_the_published_ones(f, box, value, minimisers):
    least = prove.minimum(f, box)
    assert least.value.lower <= value + 1e-13
    assert value - 1e-13 <= least.value.upper
    assert least.value.width < 1e-12
    np.testing.assert_allclose([np.ravel(m.lower)[0] for m in least.minimisers], minimisers, atol=1e-7)
    assert rechecked(least, f)


@pytest.mark.parametrize("kind", ["eq", "ineq"])
def test_a_minimum_with_a_constraint_is_enclosed(kind):
    def disk(v):
        return 2 - (v**2).sum()

    least = prove.minimum(lambda v: v.sum(), SQUARE, constraints={"type": kind, "fun": disk}, width=0.1)
    assert least.value.lower <= -2.0 <= least.value.upper
    assert least.value.width < 0.3
    assert any((m.lower <= -1).all() and (m.upper >= -1).all() for m in least.minimisers)
    assert rechecked(least, lambda v: v.sum(), disk)
    assert not rechecked(least, lambda v: v.sum(), lambda v: disk(v) - 1)
    assert not prove.check({**least.certificate, "upper": -3.0}, lambda v: v.sum(), disk)


def test_a_minimum_at_a_kink_or_a_jump_stays_among_the_minimisers():
    for f, value, where in [(lambda x: abs(x - 0.3), 0.0, 0.3), (lambda x: sg.floor(x) - x, -1.0, 1.0)]:
        least = prove.minimum(f, (-0.9, 1.0), width=1e-4)
        assert least.value.lower <= value
        assert any(m.lower <= where <= m.upper for m in least.minimisers)


def test_constraints_that_cannot_hold_are_said():
    with pytest.raises(sg.errors.NotProved, match="no point is certain"):
        prove.minimum(lambda x: x, (0.0, 1.0), constraints={"type": "ineq", "fun": lambda x: x - 2})
    with pytest.raises(sg.errors.ArgumentError, match="a constraint must be a function"):
        prove.minimum(lambda x: x, (0.0, 1.0), constraints={"type": "less", "fun": lambda x: x})
    with pytest.raises(sg.errors.ShapeError, match="several results"):
        prove.minimum(lambda v: v, SQUARE)


# ------------------------------------------------------------------ constants and integrals
@pytest.mark.parametrize(
    ("f", "box", "constant"),
    [
        (sg.sin, (0.0, 3.0), 1.0), (lambda x: x**3, (-1.0, 2.0), 12.0), (lambda v: v[0] * v[1], SQUARE, np.sqrt(8)),
        (lambda v: sg.stack([v[0] + v[1], v[0] - v[1]]), SQUARE, 2.0),
    ],
)  # fmt: skip
def test_a_lipschitz_constant_is_bounded_from_above_and_nearly_attained(f, box, constant):
    proof = prove.lipschitz(f, box)
    assert constant <= proof.certificate["constant"] <= 1.03 * constant
    assert rechecked(proof, f)
    assert not prove.check({**proof.certificate, "constant": 0.9 * constant}, f)


def test_a_function_that_jumps_has_no_lipschitz_constant():
    for f in (sg.floor, lambda x: sg.where(x > 0.5, x + 2, x), sg.sqrt):
        with pytest.raises(sg.errors.NotProved):
            prove.lipschitz(f, (0.0, 1.5), boxes=300)


@pytest.mark.parametrize(
    ("f", "box", "value"),
    [
        (lambda x: sg.exp(-x * x), (0.0, 1.0), 0.7468241328124271),
        (lambda x: 4 / (1 + x * x), (0.0, 1.0), np.pi),
        (lambda x: abs(x - 0.3), (-1.0, 1.0), 1.09),
        (lambda x: sg.where(x > 0.25, 1.0, 0.0), (0.0, 1.0), 0.75),
        (sg.sqrt, (0.0, 1.0), 2 / 3),
    ],
)
def test_integrals_lie_between_their_bounds(f, box, value):
    result = prove.integral(f, box, pieces=300)
    assert result.value.lower - 1e-16 <= value <= result.value.upper + 1e-16
    assert result.value.width < 1e-4
    assert rechecked(result, f)
    assert not rechecked(result, lambda x: f(x) + 0.001)


def test_an_integral_without_a_bound_is_refused():
    with pytest.raises(sg.errors.NotProved, match="undefined or unbounded somewhere between 0"):
        prove.integral(lambda x: 1 / x, (0.0, 1.0), pieces=50)
    with pytest.raises(sg.errors.ShapeError, match="2 arguments and 1 results"):
        prove.integral(lambda v: v.sum(), SQUARE)
