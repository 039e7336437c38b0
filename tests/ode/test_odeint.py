"""Differential equations: known solutions, derivatives in every mode and by every way, events, and bad input."""

from __future__ import annotations

import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import (
    ArgumentError,
    ArgumentTypeError,
    FormError,
    NotConverged,
    NotDifferentiable,
    ShapeError,
    ValueNeeded,
)
from symgrad.forms.nodes.matrices import Operation
from symgrad.ode import stepping

TS = np.array([0.0, 0.3, 0.9, 1.0])
OWN = {"dopri5": {}, "rodas4": {"method": "rodas4"}, "rk4": {"method": "rk4", "steps": 60}}
WAYS = {
    **OWN,
    "few states kept": {"checkpoints": 3},
    "forward": {"derivative": "forward"},
    "adjoint": {"derivative": "adjoint"},
    "BDF": {"method": "BDF", "rtol": 1e-10, "atol": 1e-12},
    "DOP853, adjoint": {"method": "DOP853", "derivative": "adjoint", "rtol": 1e-10},
}


def oscillator(y, t, p):
    """y'' = −ω² y − 2 d y'."""
    return sg.stack([y[1], -(p[0] ** 2) * y[0] - 2 * p[1] * y[1]])


def exact(m: Any, t: Any, w: Any, d: Any) -> Any:
    """Its solution from (1, 0)."""
    v = m.sqrt(w**2 - d**2)
    return m.exp(-d * t) * (m.cos(v * t) + d / v * m.sin(v * t))


def numeric(p, **how):
    return (sg.odeint(oscillator, np.array([1.0, 0.0]), TS, p, **how)[:, 0] * np.cos(TS)).sum()


def closed(p):
    return (exact(sg, sg.tensor(TS), p[0], p[1]) * np.cos(TS)).sum()


AT = np.array([2.0, 0.3])


@pytest.mark.parametrize("way", WAYS)
def test_gradient(way):
    if "BDF" in way or "DOP" in way:
        pytest.importorskip("scipy")
    found = sg.grad(lambda p: numeric(p, **WAYS[way]))(AT)
    np.testing.assert_allclose(found, sg.grad(closed)(AT), rtol=2e-6)


@pytest.mark.parametrize("way", ["dopri5", "rodas4", "adjoint"])
def test_hessian(way):
    found = sg.hessian(lambda p: numeric(p, **WAYS[way]))(AT)
    np.testing.assert_allclose(found, sg.hessian(closed)(AT), rtol=1e-5)


def test_every_composition_gives_the_same_hessian():
    reference = sg.hessian(closed)(AT)
    for outer, inner in ((sg.func.jacrev, sg.grad), (sg.func.jacrev, sg.func.jacfwd), (sg.func.jacfwd, sg.func.jacfwd)):
        np.testing.assert_allclose(outer(inner(numeric))(AT), reference, rtol=1e-5)


def test_third_derivative():
    f = lambda k: sg.odeint(lambda y, t, k: -k * y, 1.0, [0.0, 1.5], k)[-1]
    third = sg.grad(sg.grad(sg.grad(f)))(0.4)
    assert third == pytest.approx(-(1.5**3) * math.exp(-0.6), rel=1e-6)


def test_mapped_and_compiled():
    points = np.stack([AT, 1.1 * AT])
    expected = np.stack([sg.grad(closed)(p) for p in points])
    np.testing.assert_allclose(sg.vmap(sg.grad(numeric))(points), expected, rtol=2e-6)
    value, slope = sg.compile(sg.value_and_grad(numeric))(AT)
    assert value == pytest.approx(closed(AT).item(), rel=1e-7)
    np.testing.assert_allclose(slope, expected[0], rtol=2e-6)


def test_derivatives_in_the_times_and_the_start():
    # y' = −y t: y(t₁) = y₀ exp(−(t₁² − t₀²)/2)
    numbers = np.array([0.5, 1.5, 2.0])
    flow = lambda v: sg.odeint(lambda y, t: -y * t, v[2], v[:2])[-1]
    formula = lambda v: v[2] * sg.exp((v[0] ** 2 - v[1] ** 2) / 2)
    np.testing.assert_allclose(sg.grad(flow)(numbers), sg.grad(formula)(numbers), rtol=1e-7)
    np.testing.assert_allclose(sg.hessian(flow)(numbers), sg.hessian(formula)(numbers), rtol=1e-6, atol=1e-7)


def test_fixed_steps_have_their_order_and_are_a_loop():
    f = lambda m, k: float(sg.odeint(lambda y, t: -y + sg.sin(t), 1.0, [0.0, 1.0], method=m, steps=k)[-1])
    solution = 1.5 * math.exp(-1) + (math.sin(1) - math.cos(1)) / 2
    for method, order in (("euler", 1), ("midpoint", 2), ("rk4", 4), ("dopri5", 5), ("rodas4", 4)):
        ratio = abs(f(method, 8) - solution) / abs(f(method, 16) - solution)
        assert math.log2(ratio) == pytest.approx(order, abs=0.45), method
    decay = lambda k: sg.odeint(lambda y, t, k: -k * y, 1.0, [0.0, 1.0], k, steps=5, method="rk4")[-1]
    source = str(sg.export(sg.grad(decay), (0.5,), target="c"))
    assert "for (" in source


def test_structures_decreasing_times_and_single_precision():
    found = sg.odeint(lambda y, t: {"x": y["v"], "v": -y["x"]}, {"x": np.ones(2), "v": np.zeros(2)}, [1.0, 0.0])
    np.testing.assert_allclose(found["x"].numpy()[-1], math.cos(1.0), rtol=1e-7)
    np.testing.assert_allclose(found["v"].numpy()[-1], math.sin(1.0), rtol=1e-7)
    single = sg.odeint(lambda y, t: [-y[0]], np.ones(1, np.float32), [0.0, 1.0])
    assert single.dtype == np.float32
    assert single[-1].item() == pytest.approx(math.exp(-1), rel=1e-6)
    assert sg.odeint(lambda y, t: -y, 3.0, [0.0]).numpy().tolist() == [3.0]


@pytest.mark.parametrize("way", ["dopri5", "forward", "adjoint"])
def test_parameters_in_single_precision(way):
    last = lambda k: sg.odeint(lambda y, t, k: -k * y, np.float32(1), [0.0, 1.0], k, **WAYS[way])[-1]
    slope = sg.grad(last)(np.float32(0.5))
    assert np.asarray(slope).dtype == np.float32
    assert slope == pytest.approx(-math.exp(-0.5), rel=1e-6)
    assert sg.grad(sg.grad(last))(np.float32(0.5)) == pytest.approx(math.exp(-0.5), rel=1e-5)


@pytest.mark.parametrize("way", ["dopri5", "forward", "adjoint"])
def test_parameters_that_the_equation_does_not_read_have_gradient_0(way):
    last = lambda p: sg.odeint(lambda y, t, a, b: -a * y, 1.0, [0.0, 1.0], p[0], p[1], **WAYS[way])[-1]
    np.testing.assert_allclose(sg.grad(last)(np.array([0.5, 2.0])), [-math.exp(-0.5), 0.0], rtol=1e-6)
    assert sg.grad(lambda b: sg.odeint(lambda y, t, b: -y, 1.0, [0.0, 1.0], b, **WAYS[way])[-1])(2.0) == 0.0


@pytest.mark.parametrize("method", ["dopri5", "BDF"])
@pytest.mark.parametrize(("times", "words"), [([0.0, 2.0, 1.0], "followed by 1"), ([0.0, math.nan], "finite numbers")])
def test_times_are_checked_where_they_are_traced(method, times, words):
    if method == "BDF":
        pytest.importorskip("scipy")
    solution = sg.compile(lambda t: sg.odeint(lambda y, t: -y, 1.0, t, method=method))
    with pytest.raises(ArgumentError, match=words):
        solution(np.array(times))


def test_stiff_equations():
    robertson = lambda y, t, k: [
        -k * y[0] + 1e4 * y[1] * y[2], k * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2,
    ]  # fmt: skip
    last = lambda k: sg.odeint(robertson, np.array([1.0, 0.0, 0.0]), [0.0, 40.0], k, method="rodas4")[-1]
    np.testing.assert_allclose(last(0.04).numpy(), [0.7158270688, 9.185534765e-06, 0.2841637457], rtol=1e-6)
    slope = sg.func.jacfwd(last)(0.04)
    np.testing.assert_allclose(slope, (last(0.0402) - last(0.0398)).numpy() / 4e-4, rtol=1e-4)
    np.testing.assert_allclose(sg.func.jacrev(last)(0.04), slope, rtol=1e-8)
    with pytest.raises(NotConverged, match="rodas4"):
        sg.odeint(lambda y, t: -1e6 * (y - sg.cos(t)), 0.0, [0.0, 1.0], max_steps=2000)


def test_states_that_are_kept_are_few():
    many = {}
    for kept in (None, 5):
        system = sg.odeint(lambda y, t: -y, np.ones(3), np.linspace(0, 20, 4), checkpoints=kept)
        steps = list(stepping._LAST.values())[-1][0]
        many[kept] = steps.kept
        assert system.shape == (4, 3)
    assert many[5] <= 5 < many[None]
    long = sg.odeint(lambda y, t: 300 * sg.cos(300 * t) * y, np.ones(64), [0.0, 10.0], max_steps=10**6)
    steps = list(stepping._LAST.values())[-1][0]
    assert long.shape == (2, 64)
    count = sum(len(stretch.t) for _, stretch in steps.walk(steps.marks[0][0]))
    assert count > 5000
    assert steps.kept <= max(2.5 * math.sqrt(count), stepping._KEPT // 64)
    assert all(stretch is None for _, stretch in steps.marks)


def test_an_event_that_is_only_touched_is_none_and_one_near_it_has_its_derivative():
    circle = lambda y, t, a: [y[1], -y[0]]
    when = lambda a: sg.odeint_event(circle, [1.0, 0.0], 0.0, a, event=lambda y, t, a: y[0] - a, t_max=9.0)[0]
    with pytest.raises(NotConverged, match="does not change its sign"):
        when(-1.000001)
    assert sg.grad(when)(-0.5) == pytest.approx(-1 / math.sqrt(0.75), rel=1e-7)  # t = arccos a


@pytest.mark.parametrize(
    ("method", "why"), [("LSODA", "300 steps did not suffice"), ("Radau", "step"), ("BDF", "step")]
)
def test_scipys_methods_say_how_far_they_came_where_the_solution_ends(method, why):
    with pytest.raises(NotConverged, match=rf"{method} reached t = (1|0\.999\d*) of 2: .*{why}"):
        sg.odeint(lambda y, t: y * y, 1.0, [0.0, 2.0], method=method, max_steps=300)


_SWITCH = {  # f, which is 1 and then 2 from t = a or y = a on
    "time": lambda y, t, a: sg.where(t < a, 1.0, 2.0) + 0 * y,
    "state": lambda y, t, a: sg.where(y < a, 1.0, 2.0) + 0 * y,
    "sign": lambda y, t, a: (sg.sign(y - a) + 3) / 2,
    "floor": lambda y, t, a: sg.clip(sg.floor(1 + t / a), 1.0, 2.0) + 0 * y,
}


@pytest.mark.parametrize("how", [{}, {"derivative": "forward"}, {"derivative": "adjoint"}, {"method": "RK45"}])
@pytest.mark.parametrize("name", _SWITCH)
def test_an_equation_that_jumps_at_a_time_that_moves_has_no_derivative_by_its_steps(name, how):
    end = lambda a: sg.odeint(_SWITCH[name], 0.0, [0.0, 1.3, 2.5], a, **how)[-1]  # 5 − a
    assert end(0.7).item() == pytest.approx(4.3, rel=1e-5)
    with pytest.raises(NotDifferentiable, match=r"f has a jump at about t = .*sg\.odeint_event"):
        sg.grad(end)(0.7)


def test_jumps_of_an_equation_in_other_modes():
    end = lambda a: sg.odeint(_SWITCH["time"], 0.0, [0.0, 2.5], a)[-1]
    for derivative in (
        lambda: sg.jvp(end, (0.7,), (1.0,)), lambda: sg.compile(sg.grad(end))(0.7), lambda: sg.taylor(end, 0.7, 2),
    ):  # fmt: skip
        with pytest.raises(NotDifferentiable, match=r"f has a jump at about t = 0\.7"):
            derivative()
    fixed = lambda b: sg.odeint(lambda y, t, b: b * sg.where(t < 0.7, 1.0, 2.0) + 0 * y, 0.0, [0.0, 2.5], b)[-1]
    assert sg.grad(fixed)(3.0) == pytest.approx(4.3, rel=1e-6)
    kink = lambda a: sg.odeint(lambda y, t, a: sg.relu(t - a) + 0 * y, 0.0, [0.0, 2.5], a, rtol=1e-10)[-1]
    assert sg.grad(kink)(0.7) == pytest.approx(-1.8, rel=1e-3)  # of (2.5 − a)²/2
    with pytest.raises(NotDifferentiable, match="relu"):
        sg.hessian(kink)(0.7)

    def in_parts(a):  # as the message says
        t, y = sg.odeint_event(lambda y, t, a: 1 + 0 * y, 0.0, 0.0, a, event=lambda y, t, a: y - a, t_max=9.0)
        return sg.odeint(lambda y, t: 2 + 0 * y, y, sg.stack([t, sg.tensor(2.5)]))[-1]

    assert sg.grad(in_parts)(0.7) == pytest.approx(-1)


def _swing(m, p):
    """Weighted values at times t₀, t₁, t₂ of y' = k·t·y, y(t₀) = y₀, in closed form."""
    y0, k, *times = p
    ys = [y0 * m.exp(k * (t * t - times[0] ** 2) / 2) for t in times]
    return 0.3 * ys[0] ** 2 - 0.8 * ys[1] ** 2 + 1.7 * ys[2]


def _swing_numerically(p, **how):
    y = sg.odeint(lambda y, t, k: k * t * y, p[0], p[2:], p[1], **{"rtol": 1e-10, "atol": 1e-12} | how)
    return 0.3 * y[0] ** 2 - 0.8 * y[1] ** 2 + 1.7 * y[2]


_SWING = np.array([0.8, -0.6, 0.4, 1.1, 1.9])
_BACK = np.array([0.8, -0.6, 1.9, 1.1, 0.4])


def _partials(f, at, order):
    units = np.eye(len(at), dtype=int)
    if order == 1:
        return np.array([float(mp.diff(lambda *p: f(mp, p), tuple(at), tuple(map(int, u)))) for u in units])
    rows = [[float(mp.diff(lambda *p: f(mp, p), tuple(at), tuple(map(int, u + v)))) for v in units] for u in units]
    return np.array(rows)


@pytest.mark.parametrize("at", [_SWING, _BACK], ids=["forwards", "backwards"])
@pytest.mark.parametrize("how", [{}, {"method": "rodas4"}, {"derivative": "forward"}, {"derivative": "adjoint"},
                                 {"method": "DOP853"}, {"method": "rk4", "steps": 60}])  # fmt: skip
def test_the_slopes_in_start_rate_and_all_times_are_mpmaths(how, at):
    f = lambda p: _swing_numerically(p, **how)
    assert f(sg.tensor(at)).item() == pytest.approx(float(_swing(mp, at)), rel=1e-8)
    expected = pytest.approx(_partials(_swing, at, 1), rel=1e-6)
    assert sg.grad(f)(at) == expected
    assert sg.func.jacfwd(f)(at) == expected


@pytest.mark.parametrize("at", [_SWING, _BACK], ids=["forwards", "backwards"])
def test_second_derivatives_in_start_rate_and_all_times_are_mpmaths(at):
    expected = _partials(_swing, at, 2)
    for twice in (sg.func.jacfwd(sg.grad(_swing_numerically)), sg.func.jacrev(sg.grad(_swing_numerically))):
        assert twice(at) == pytest.approx(expected, rel=1e-5, abs=1e-6)
    moved = sg.taylor(lambda s: _swing_numerically(at + s * _WAY), 0.0, 3)
    along = mp.taylor(lambda s: _swing(mp, [a + s * w for a, w in zip(at, _WAY, strict=True)]), 0, 3)
    assert [float(c) for c in moved] == pytest.approx([float(c) for c in along], rel=1e-5)


_WAY = np.array([0.7, 0.2, -0.3, 0.5, 1.1])


def _meeting(m, p):
    """The time at which y₀·exp(−k·(t − t₀)) is c·t, by Lambert's function."""
    y0, t0, k, c = p
    return m.lambertw(k * y0 * m.exp(k * t0) / c).real / k


def _meeting_numerically(p):
    return sg.odeint_event(
        lambda y, t, k, c: -k * y, p[0], p[1], p[2], p[3], event=lambda y, t, k, c: y - c * t, t_max=9.0,
        rtol=1e-10, atol=1e-12,
    )  # fmt: skip


_MET = np.array([2.3, -0.4, 0.7, 0.6])


def test_the_time_of_an_event_has_mpmaths_derivatives():
    time = lambda p: _meeting_numerically(p)[0]
    assert time(sg.tensor(_MET)).item() == pytest.approx(float(_meeting(mp, _MET)), rel=1e-9)
    assert sg.grad(time)(_MET) == pytest.approx(_partials(_meeting, _MET, 1), rel=1e-7)


def test_the_state_at_an_event_has_mpmaths_derivatives():
    expected = _partials(lambda m, p: p[3] * _meeting(m, p), _MET, 1)
    assert sg.grad(lambda p: _meeting_numerically(p)[1])(_MET) == pytest.approx(expected, rel=1e-7)


def test_tangents_and_second_derivatives_of_an_events_time_are_mpmaths():
    time = lambda p: _meeting_numerically(p)[0]
    along = _partials(_meeting, _MET, 1) @ _WAY[:4]
    assert sg.jvp(time, (_MET,), (_WAY[:4],))[1] == pytest.approx(along, rel=1e-7)
    curved = sg.jvp(sg.grad(time), (_MET,), (_WAY[:4],))[1]
    assert curved == pytest.approx(_partials(_meeting, _MET, 2) @ _WAY[:4], rel=1e-5)


def test_the_formula_of_an_events_time_is_right_in_every_letter():
    named = [sg.tensor(v, name=n) for v, n in ((2.3, "a"), (-0.4, "s"), (0.7, "k"), (0.6, "c"))]
    time = _meeting_numerically(named)[0]
    for t in named:
        assert sg.derive(time, t, verify=True).shape == ()


def test_what_was_walked_last_is_remembered_with_its_tolerances():
    ends = [sg.odeint(lambda y, t: -(t**3) * y, 1.3, [0.2, 2.1], rtol=r, atol=1e-14)[1].item() for r in (1e-2, 1e-11)]
    assert ends[1] == pytest.approx(1.3 * math.exp((0.2**4 - 2.1**4) / 4), rel=1e-9)
    assert abs(ends[0] / ends[1] - 1) > 1e-6


def test_too_many_steps_are_told():
    with pytest.raises(NotConverged, match=r"20 steps led to t = 0\.\d+ only, of 9"):
        sg.odeint(lambda y, t: sg.cos(40 * t) + 0 * y, 0.5, [0.0, 9.0], max_steps=20)


def test_so_many_equal_steps_are_made_as_were_asked_for():
    h = -0.5 * 1.5 / 3
    growth = (1 + h + h**2 / 2 + h**3 / 6 + h**4 / 24) ** 3
    found = sg.odeint(lambda y, t: -0.5 * y, 1.3, [0.0, 1.5, 4.5], method="rk4", steps=3)
    h = 2 * h
    onward = growth * (1 + h + h**2 / 2 + h**3 / 6 + h**4 / 24) ** 3
    assert found.tolist() == pytest.approx([1.3, 1.3 * growth, 1.3 * onward], rel=1e-14)


def test_the_first_step_is_no_longer_than_hmax_either():
    early = lambda y, t: 1 + 1000 * sg.exp(-(((t - 0.05) / 0.004) ** 2))
    end = sg.odeint(early, 0.5, [0.0, 0.2], hmax=0.005, rtol=1e-2, atol=1e-2)[1].item()
    assert end == pytest.approx(0.7 + 4 * math.sqrt(math.pi), rel=0.02)


def test_steps_are_no_longer_than_hmax_in_either_direction():
    pulse = lambda y, t: sg.exp(-(((t - 3.3) / 0.02) ** 2)) + 0 * y
    for times, sign in (([0.0, 9.0], 1), ([9.0, 0.0], -1)):
        end = sg.odeint(pulse, 0.5, times, hmax=0.03)[1].item()
        assert end == pytest.approx(0.5 + sign * 0.02 * math.sqrt(math.pi), rel=1e-6)


def _along_the_line(event, speed=2.0, t_max=3.0):
    """The time of an event of y = 0.5 + speed·t."""
    rise = lambda y, t, v: v + 0 * y
    return sg.odeint_event(rise, 0.5, 0.0, speed, event=lambda y, t, v: event(y, t), t_max=t_max)[0]


@pytest.mark.parametrize(
    "event",
    [
        lambda y, t: sg.where(y < 1.7, -1.0, 1.0),
        lambda y, t: sg.sign(y - 1.7),
        lambda y, t: sg.floor(y / 1.7) - 0.5,
        lambda y, t: sg.where(y < 1.7, -1.0, 1.0) * (1 + t),
        lambda y, t: sg.where(y < 1.7, -1.0, 1.0) + 0.1 * t,
    ],
)
def test_an_event_that_jumps_has_a_time_and_no_derivative(event):
    assert float(_along_the_line(event)) == pytest.approx(0.6, rel=1e-12)
    when, speeds = lambda v: _along_the_line(event, v), np.array([2.0, 3.0])
    for derivative in (
        lambda: sg.grad(when)(2.0), lambda: sg.jvp(when, (2.0,), (1.0,)), lambda: sg.vmap(sg.grad(when))(speeds),
    ):  # fmt: skip
        with pytest.raises(NotDifferentiable, match=r"jumps over 0 at t = .*sg\.where"):
            derivative()


def test_a_change_of_sign_that_is_no_zero_is_no_event():
    assert float(_along_the_line(lambda y, t: sg.tan(y))) == pytest.approx((math.pi - 0.5) / 2, rel=1e-9)
    with pytest.raises(NotConverged, match="does not change its sign"):  # a pole
        _along_the_line(lambda y, t: 1 / (y - 1.7))
    with pytest.raises(NotConverged, match=r"is nan at t = .*hmax"):
        _along_the_line(lambda y, t: sg.sqrt(1.7 - y) - 3.0)
    with pytest.raises(NotConverged, match="may approach 0 without reaching it"):
        sg.odeint_event(lambda y, t: -y, 1.0, 0.0, event=lambda y, t: y, t_max=900.0)
    late = sg.odeint_event(lambda y, t: -y, 1.0, 0.0, event=lambda y, t: y - 1e-12, t_max=900.0, atol=1e-20)[0]
    assert float(late) == pytest.approx(12 * math.log(10), rel=1e-8)


def test_the_first_of_many_zeros_in_a_row_is_the_event():
    level = lambda y, t: sg.relu(1.7 - y) - sg.relu(y - 4.0)  # 0 from 1.7 to 4
    assert float(_along_the_line(level)) == pytest.approx(0.6, rel=1e-9)


def test_events():
    g = 9.81

    def hit(h):
        fall = lambda y, t: [y[1], -g]
        return sg.odeint_event(fall, sg.stack([h, 0.0 * h]), 0.0, event=lambda y, t: y[0], t_max=9.0)

    time, state = hit(sg.tensor(10.0))
    assert time.item() == pytest.approx(math.sqrt(20 / g), rel=1e-9)
    assert state[1].item() == pytest.approx(-math.sqrt(20 * g), rel=1e-9)
    when = lambda h: hit(h)[0]
    assert sg.grad(when)(10.0) == pytest.approx(0.5 * math.sqrt(2 / g / 10), rel=1e-7)
    assert sg.grad(sg.grad(when))(10.0) == pytest.approx(-0.25 * math.sqrt(2 / g) * 10**-1.5, rel=1e-6)
    assert sg.grad(lambda h: hit(h)[1][1])(10.0) == pytest.approx(-0.5 * math.sqrt(2 * g / 10), rel=1e-7)
    circle = lambda y, t: [y[1], -y[0]]
    for direction, expected in ((1, 1.5 * math.pi), (-1, 0.5 * math.pi), (0, 0.5 * math.pi)):
        time, _ = sg.odeint_event(circle, [1.0, 0.0], 0.0, event=lambda y, t: y[0], t_max=9.0, direction=direction)
        assert time.item() == pytest.approx(expected, rel=1e-8)
    time, _ = sg.odeint_event(circle, [0.0, 1.0], 0.0, event=lambda y, t: y[0], t_max=9.0)  # it starts at 0
    assert time.item() == pytest.approx(math.pi, rel=1e-8)
    for below in (0.0, -1e-17, 1e-17):  # what rounding leaves of 0 is no event of its own
        thrown = sg.odeint_event(lambda y, t: [y[1], -g], [below, 3.0], 0.0, event=lambda y, t: y[0], t_max=9.0)[0]
        assert thrown.item() == pytest.approx(6 / g, rel=1e-8)


K, START = sg.tensor(0.5, name="k"), sg.tensor(1.0, name="y0")
DECAY = sg.odeint(lambda y, t, k: -k * y, START, [0.0, 2.0], K)[-1]
A, X0 = sg.tensor([[0.0, 1.0], [-1.0, -0.2]], name="A"), sg.tensor([1.0, 0.0], name="x0")
LINEAR = (sg.odeint(lambda x, t, A: A @ x, X0, [0.0, 1.0], A)[-1] ** 2).sum()
P = sg.symbol("p")
LATER = sg.tensor(2.0, name="T")
UNTIL = sg.odeint(lambda y, t, k: -k * y, START, [0.0, LATER], K)[-1]
NAMED = {name: sg.tensor(0.5, name=name) for name in ("λ", "y", "t")}
CLASHING = {name: sg.odeint(lambda y, t, k: -k * y, START, [0.0, 2.0], k)[-1] for name, k in NAMED.items()}


@pytest.mark.parametrize(
    ("y", "wrt", "printed"),
    [
        (DECAY, K, "∫(-y*λ, t, 0, 2) where λ' = k*λ; λ(2) = ∂L/∂y(2); y' = -k*y"),
        (DECAY, START, "λ(0) where λ' = k*λ; λ(2) = ∂L/∂y(2); y' = -k*y"),
        (CLASHING["λ"], NAMED["λ"], "∫(-y*μ, t, 0, 2) where μ' = λ*μ; μ(2) = ∂L/∂y(2); y' = -y*λ"),
        (CLASHING["y"], NAMED["y"], "∫(-x*λ, t, 0, 2) where λ' = y*λ; λ(2) = ∂L/∂x(2); x' = -x*y"),
        (CLASHING["t"], NAMED["t"], "∫(-y*λ, s, 0, 2) where λ' = t*λ; λ(2) = ∂L/∂y(2); y' = -t*y"),
        (UNTIL, LATER, "-k*y(T) where y' = -k*y"),
        (UNTIL, K, "∫(-y*λ, t, 0, T) where λ' = k*λ; λ(T) = ∂L/∂y(T); y' = -k*y"),
        (LINEAR, A, "∫(λ*xᵀ, t, 0, 1)_ij where λ' = -Aᵀ*λ; λ(1) = ∂L/∂x(1); x' = A*x"),
        (LINEAR, X0, "λ(0)_i where λ' = -Aᵀ*λ; λ(1) = ∂L/∂x(1); x' = A*x"),
        (
            sg.odeint(lambda y, t, p: -p * y * t, 1.0, [0.0, 1.0], P)[-1],
            P,
            "∫(-t*y*λ, t, 0, 1) where λ' = p*t*λ; λ(1) = ∂L/∂y(1); y' = -p*t*y",
        ),
        (
            sg.odeint(lambda y, t, k: -k * y, 1.0, [0.0, 1.0, 2.0], K).sum(),
            K,
            "∫(-y*λ, t, 0, 2) where λ' = k*λ; λ(2) = ∂L/∂y(2); λ(tₖ⁻) = λ(tₖ⁺) + ∂L/∂y(tₖ); y' = -k*y",
        ),
    ],
)
def test_the_adjoint_equation_is_printed(y, wrt, printed):
    assert str(sg.derive(y, wrt)) == printed


def test_the_adjoint_equation_in_latex_and_in_words():
    assert r"\lambda ' = k \lambda" in sg.derive(DECAY, K).latex()
    lines = [line.strip() for line in str(sg.explain(DECAY, K)).splitlines()]
    assert lines[0] == "f(k) = y(2)"
    assert lines[1].startswith("adjoint equation:")
    assert lines[-3:] == ["where λ' = k·λ", "where λ(2) = ∂L/∂y(2)", "where y' = −k·y"]
    assert any(line.startswith("g = ∫(−y·λ, t, 0, 2)") for line in lines)
    found = sg.derive(CLASHING["λ"], NAMED["λ"]).latex()
    assert found.startswith(r"\int_{0}^{2} -y \mu\,dt")
    assert "λ" not in found
    with pytest.raises(FormError, match=r"sg\.hessian"):
        str(sg.derive(DECAY, K, order=2))


def test_parameters_that_are_formulas_stand_in_the_integral_as_such():
    alpha = sg.symbol("alpha", ())
    form = sg.derive(sg.odeint(lambda y, t, k: -y * sg.log(k), 1.0, [0.0, 2.0], alpha + K)[-1], alpha)
    assert str(form).startswith("∫(-y*λ/(alpha + k), t, 0, 2) where ")
    assert form.latex().startswith(r"\int_{0}^{2} -\frac{y \lambda}{\alpha + k}\,dt")


def _halved(k, until):
    return sg.odeint_event(lambda y, t, k: -k * y, 1.0, 0.0, k, event=lambda y, t, k: y - 0.5, t_max=until)[0]


def test_where_the_search_ends_may_depend_on_what_is_differentiated():
    assert sg.grad(lambda k: _halved(k, 3 / k))(1.0) == pytest.approx(-math.log(2), rel=1e-7)


def _negated(y, t):
    y *= -1
    return y


def _raised(y, t, p):
    p[0] = 5.0
    return -p[0] * y


def _doubled(x, a):
    x[0] = 2 * x[0]
    return x - a


def test_functions_may_write_to_what_they_get():
    for how in ({}, {"method": "rk4", "steps": 20}):
        assert sg.odeint(_negated, 1.0, [0.0, 1.0], **how)[-1].item() == pytest.approx(math.exp(-1), rel=1e-6)
    p = np.array([1.0, 2.0])
    assert sg.odeint(_raised, 1.0, [0.0, 1.0], p)[-1].item() == pytest.approx(math.exp(-5), rel=1e-6)
    assert p[0] == 1.0
    assert sg.root(_doubled, np.ones(2), np.array([1.0, 2.0])).tolist() == [0.5, 2.0]
    assert sg.fixed_point(lambda x, a: x.mul_(0.5).add_(a), 1.0, 2.0).item() == pytest.approx(4.0)


def test_the_longest_step_sees_a_pulse():
    pulse = lambda y, t: -0.1 * y + sg.where(sg.abs(t - 5) < 0.05, 100.0, 0.0)
    for method in ("dopri5", "rodas4"):
        assert sg.odeint(pulse, 0.0, [0.0, 15.0], method=method)[-1].item() == 0.0
        found = sg.odeint(pulse, 0.0, [0.0, 15.0], method=method, hmax=0.04)[-1].item()
        assert found == pytest.approx(10 * math.exp(-1), rel=1e-4)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: sg.odeint(lambda y, t: y * y, 1.0, [0.0, 2.0]), NotConverged, "t = 1.* too small"),
        (lambda: sg.odeint(lambda y, t: sg.sqrt(1 - t) * y, 1.0, [0.0, 2.0]), NotConverged, "not finite beyond"),
        (lambda: sg.odeint(lambda y, t: y / t, 1.0, [0.0, 2.0]), NotConverged, "not finite at the start, t = 0"),
        (lambda: sg.odeint(lambda y, t: -y, math.nan, [0.0, 2.0]), NotConverged, "not finite at the start"),
        (lambda: sg.odeint(lambda y, t: -y, 1.0, [0.0, 2.0, 1.0]), ArgumentError, r"t\[1\] = 2 is followed by 1"),
        (lambda: sg.odeint(lambda y, t: -y, 1.0, [0.0, 0.0]), ArgumentError, "come twice"),
        (lambda: sg.odeint(lambda y, t: -y, 1.0, [0.0, math.nan]), ArgumentError, "finite numbers"),
        (lambda: sg.odeint(lambda y, t: -y, 1.0, 2.0), ShapeError, "Expected a vector of times"),
        (lambda: sg.odeint(lambda y, t: y[:1], np.ones(2), [0.0, 1.0]), ShapeError, r"\[1\]. Expected \[2\]"),
        (
            lambda: sg.odeint(lambda y, t: -y, 1.0, [0.0, 1.0], method="rk5"),
            ArgumentError,
            "'dopri5', 'rodas4', 'RK45'",
        ),
        (lambda: sg.odeint(lambda y, t: -y, 1.0, [0.0, 1.0], derivative="back"), ArgumentError, "'auto', 'steps'"),
        (lambda: sg.odeint(lambda y, t: -y, 1.0, [0, 1.0], method="BDF", steps=3), ArgumentError, "steps= is for"),
        (
            lambda: sg.odeint(lambda y, t: -y, 1.0, [0, 1.0], method="BDF", derivative="steps"),
            ArgumentError,
            "no deriv",
        ),
        (lambda: sg.odeint(lambda y, t: -y, 1.0, [0.0, 1.0], rtol=0.0), ArgumentError, "rtol"),
        (lambda: sg.odeint(lambda y, t: -y, 1.0, [0.0, 1.0], atol=np.ones(2)), ArgumentError, "got atol=array"),
        (lambda: sg.odeint(lambda y, t: -y, 1.0, [0.0, 1.0], hmax=-1.0), ArgumentError, "hmax"),
        (lambda: sg.odeint(lambda y, t: -y, 1.0, [0.0, 1.0], method="rk4"), ArgumentError, "as in steps=10"),
        (lambda: sg.odeint(lambda y, t: -y, 1.0, [0.0, 1.0], steps=0), ArgumentError, "got steps=0"),
        (lambda: sg.odeint(lambda y, t: 1 / t, 1.0, [0.0, 1.0, 2.0], steps=3), NotConverged, "not finite at t = 1"),
        (lambda: sg.odeint(lambda y, t: -y, math.nan, [0.0, 2.0], steps=3), NotConverged, "not finite at t = 0"),
        (lambda: sg.odeint(lambda y, t: math.sin(t), 1.0, [0.0, 1.0]), ValueNeeded, "f is traced once"),
        (lambda: sg.odeint(lambda y, t: y, 1.0, [0.0, 1.0], method="rk45"), ArgumentError, "with steps= also 'euler'"),
        (
            lambda: sg.odeint_event(lambda y, t: -y, 1.0, 0.0, event=[lambda y, t: y], t_max=1.0),
            ArgumentTypeError,
            "event is a list. Pass one function",
        ),
        (lambda: sg.compile(lambda s: _halved(s, 3 / s))(1.0), ArgumentError, "t_max has no value here"),
        (
            lambda: sg.odeint_event(lambda y, t: -y, 1.0, 0.0, event=lambda y, t: (y, y), t_max=1.0),
            ArgumentTypeError,
            "event returned 2 tensors",
        ),
        (
            lambda: sg.odeint_event(lambda y, t: -y, 1.0, math.nan, event=lambda y, t: y, t_max=1.0),
            ArgumentError,
            "t0 nan",
        ),
        (
            lambda: sg.odeint_event(lambda y, t: -y, 1.0, 0.0, event=lambda y, t: y, t_max=1.0),
            NotConverged,
            "does not change its sign between t = 0 and 1",
        ),
        (
            lambda: sg.grad(lambda k: sg.odeint(lambda y, t: -k * y, 1.0, [0, 30.0], derivative="adjoint")[-1])(3.0),
            NotConverged,
            "misses the state",
        ),
    ],
)
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def _decay(k):
    return sg.odeint_event(lambda y, t, k: -k * y, 1.0, 0.0, k, event=lambda y, t, k: y - 0.3, t_max=9.0)


def _fall(g, h=10.0):
    fall = lambda y, t, g: [y[1], -g]
    start = sg.stack([h * 1.0, h * 0.0]) if isinstance(h, sg.Tensor) else [h, 0.0]
    return sg.odeint_event(fall, start, 0.0, g, event=lambda y, t, g: y[0], t_max=9.0)


MOMENTS = {
    "a parameter": (lambda k: _decay(k)[0], 0.5, "∫(-y*μ, t, 0, τ)/(k*y(τ)) where μ' = k*μ; μ(τ) = 1; y' = -k*y"),
    "the start": (
        lambda k: sg.odeint_event(lambda y, t: -y * y, k, 0.0, event=lambda y, t: y - 0.2, t_max=9.0)[0], 1.0,
        "μ(0)/y(τ)**2 where μ' = 2*y*μ; μ(τ) = 1; y' = -y**2"),
    "when it starts": (
        lambda k: sg.odeint_event(lambda y, t: -y * t, 1.0, k, event=lambda y, t: y - 0.2, t_max=9.0)[0], 0.1,
        "k*μ(k)/(τ*y(τ)) where μ' = t*μ; μ(τ) = 1; y' = -t*y"),
    "the event alone": (
        lambda k: sg.odeint_event(lambda y, t, k: -y, 1.0, 0.0, k, event=lambda y, t, k: y - k * t, t_max=9.0)[0], 0.3,
        "-τ/(k + y(τ)) where y' = -y"),
    "a ball": (
        lambda k: _fall(k)[0], 9.81,
        "-∫(-μ[1], t, 0, τ)/y(τ)_1 where μ' = -scatter(μ[0], [1]); μ(τ) = [1, 0]; y' = [y[1], -k]"),
    "a function of it": (
        lambda k: sg.sin(_fall(9.81, k)[0]), 10.0,
        "-cos(τ)*μ(0)_0/y(τ)_1 where μ' = -scatter(μ[0], [1]); μ(τ) = [1, 0]; y' = [y[1], -9.81]"),
}  # fmt: skip


@pytest.mark.parametrize("name", MOMENTS)
def test_the_derivative_of_an_events_time_has_a_formula(name):
    f, at, text = MOMENTS[name]
    k = sg.tensor(at, requires_grad=True, name="k")
    form = sg.derive(f(k), k)  # its value is compared with the derivative's
    assert str(form) == text
    assert form.lambdify()(k=at) == pytest.approx(sg.grad(f)(at), rel=1e-9)
    h = 1e-5
    assert sg.grad(f)(at) == pytest.approx(float(f(at + h) - f(at - h)) / (2 * h), rel=1e-6)


def test_the_state_at_an_event_has_two_costates():
    k = sg.tensor(9.81, requires_grad=True, name="k")
    assert str(sg.derive(_fall(k)[1][1], k, verify=True)) == (
        "k*∫(-μ[1], t, 0, τ)/y(τ)_1 + ∫(-λ[1], t, 0, τ) where λ' = -scatter(λ[0], [1]); λ(τ) = ∂L/∂y(τ); "
        "μ' = -scatter(μ[0], [1]); μ(τ) = [1, 0]; y' = [y[1], -k]"
    )


def test_derivatives_of_an_events_time_in_every_mode():
    f, exact = lambda k: _decay(k)[0], -math.log(0.3)
    assert sg.grad(f)(0.5) == pytest.approx(-exact / 0.25, rel=1e-7)
    assert sg.grad(sg.grad(f))(0.5) == pytest.approx(2 * exact / 0.125, rel=1e-6)
    assert sg.vmap(sg.grad(f))(np.array([0.5, 1.0])) == pytest.approx([-exact / 0.25, -exact], rel=1e-7)
    k = sg.tensor(0.5, requires_grad=True, name="k")
    assert "implicit function theorem" in str(sg.explain(f(k), k))
    with pytest.raises(FormError, match="no formula"):
        str(sg.derive(f(k), k, order=2))


def test_two_operations_that_are_written_alike_are_told_apart_in_formulas():
    """SymPy remembers expressions, and would compute one with the other's."""
    one, other = (sg.tensor(at, requires_grad=True, name="k") for at in (0.5, 9.81))
    ops = [f(k)[0]._node.op for f, k in ((_decay, one), (_fall, other))]
    assert repr(ops[0]) == repr(ops[1])
    assert Operation(ops[0]) != Operation(ops[1])


def test_a_function_with_the_time_first_is_noticed_and_solved():
    with pytest.warns(UserWarning, match=r"f\(t, y\) is called with the state first\. Write f\(y, t\), or use"):
        y = sg.odeint(lambda t, y: -2.0 * y, 1.0, [0.0, 1.0])  # y' = -2 t
    np.testing.assert_allclose(y.numpy(), [1.0, 0.0], atol=1e-12)
