"""Phases: known optima of stages, what joins them, warm starts, and errors with names."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError

pytest.importorskip("scipy")
SPEED = {"place": None, "speed": None}


def drive(push, **options):
    """A car that is pushed against drag; while it is pushed its time costs."""
    return sg.control.Problem(
        lambda x, u, t, p: {"place": x["speed"], "speed": push - x["speed"]}, states=SPEED, controls={}, **options
    )


def trip(**options):
    """Pushed from rest, then rolling to the place 1 at speed 0.5: the push ends at 0.75."""
    start = drive(2.0, time=(0.0, (0.1, 5.0)), start={"place": 0.0, "speed": 0.0}, final=lambda x, t, p: t)
    roll = drive(0.0, time=((0.1, 5.0), (0.2, 9.0)), end={"place": 1.0, "speed": 0.5})
    return sg.control.Phases({"start": start, "roll": roll}, **options)


def stages(**options):
    """A rocket without gravity: each stage burns mass 1 at the speed 1 of its exhaust; then the empty stage falls."""

    def stage(time, **others):
        return sg.control.Problem(
            lambda x, u, t, p: {"speed": p["exhaust"] / x["mass"], "mass": -1.0 + 0.0 * x["mass"]},
            states={"speed": None, "mass": (0.1, 10.0)}, controls={}, constants={"exhaust": 1.0}, time=time, **others,
        )  # fmt: skip

    first = stage((0.0, 1.0), start={"speed": 0.0, "mass": 4.0})
    second = stage((1.0, 2.0), final=lambda x, t, p: -x["speed"])
    drop = {"second": lambda x, p: {"speed": x["speed"], "mass": x["mass"] - 1.0}}
    return sg.control.Phases({"first": first, "second": second}, **{"jumps": drop, **options})


@pytest.mark.parametrize("method", ["hermite-simpson", "shooting", {"start": "radau", "roll": "trapezoidal"}])
def test_the_time_between_phases_is_free(method):
    result = trip().solve(16, method=method)
    assert result.success, result
    np.testing.assert_allclose(result.cost, 0.75, rtol=1e-3)
    np.testing.assert_allclose(result["start"].t[-1], result["roll"].t[0], rtol=1e-9)
    np.testing.assert_allclose(result["start"].cost + result["roll"].cost, result.cost, rtol=1e-12)
    np.testing.assert_allclose(result["roll"].states["place"][-1], 1.0, rtol=1e-8)
    assert str(result).startswith("start: 16 intervals from t = 0 to 0.75")


def test_states_jump_where_a_stage_is_dropped():
    """4 → 3, dropped to 2, → 1: the speed is ln 4/3 + ln 2 times that of the exhaust."""
    problem = stages()
    result = problem.solve(6, method="radau", degree=4)
    np.testing.assert_allclose(-result.cost, np.log(4 / 3) + np.log(2), rtol=1e-7)
    np.testing.assert_allclose(result["second"].states["mass"][0], 2.0, rtol=1e-9)
    again = problem.solve(6, method="radau", degree=4, guess=result)
    assert again.solution.iterations <= result.solution.iterations
    gain = lambda c: -problem.solve(6, method="radau", degree=4, constants={"second": {"exhaust": c}}).cost
    np.testing.assert_allclose(sg.grad(gain)(1.0), np.log(2), rtol=1e-6)


def test_phases_share_parameters_and_are_coupled():
    def half(time, **options):
        return sg.control.Problem(
            lambda x, u, t, p: {"place": p["speed"]}, states={"place": None}, controls={},
            parameters={"speed": (0.0, 9.0)}, time=time, **options,
        )  # fmt: skip

    halves = {"out": half((0.0, 1.0), start={"place": 0.0}), "on": half((1.0, 3.0))}
    far = lambda ends: {"way": ends["on"].xf["place"] - ends["out"].x0["place"]}
    result = sg.control.Phases(halves, coupling=far, limits={"way": (6.0, 6.0)}).solve({"out": 2, "on": 3})
    assert result["out"].parameters["speed"] == pytest.approx(2.0)
    assert result["on"].parameters["speed"] == pytest.approx(2.0)
    assert len(result["on"].mesh) == 4


def test_the_meshes_of_phases_are_refined_apart():
    fine = trip().solve(3, method="radau", degree=2, refine=1e-3)
    assert max(np.max(t.error) for t in fine.phases.values()) <= 1e-3
    assert len(fine["start"].mesh) > 4


def test_phases_are_drawn_on_common_axes():
    pytest.importorskip("matplotlib").use("Agg")
    axes = trip().solve(4).plot()
    assert [ax.get_ylabel() for ax in axes] == ["place", "speed"]
    assert len(axes[0].lines) == 4  # a curve and dots of each phase


@pytest.mark.parametrize(
    ("error", "words", "make"),
    [
        (ArgumentError, "got phases=3. Expected a dict with a Problem", lambda: sg.control.Phases(3)),
        (ArgumentError, "got phases={}", lambda: sg.control.Phases({})),
        (ArgumentTypeError, "phase 'a' is a int. Expected", lambda: sg.control.Phases({"a": 1})),
        (ArgumentError, "jumps has 'rol', .* Did you mean 'roll'", lambda: trip(jumps={"rol": lambda x, p: x})),
        (ArgumentError, "jumps has 'start', which is the first", lambda: trip(jumps={"start": lambda x, p: x})),
        (ArgumentTypeError, "jump to roll must be a function, got int", lambda: trip(jumps={"roll": 1})),
        (ArgumentTypeError, "coupling must be a function, got float", lambda: trip(coupling=1.0)),
        (ArgumentError, "nodes has nothing for phase 'roll'", lambda: trip().solve({"start": 3})),
        (ArgumentError, "guess has 'rol'", lambda: trip().solve(3, guess={"rol": {}})),
        (ArgumentError, "got end=3.0. Expected a dict by phase", lambda: trip().solve(3, end=3.0)),
        (ArgumentError, "'first' ends at 1, and 'second' starts at 2", lambda: stages().solve(
            3, time={"second": (2.0, 3.0)})),
        (ArgumentTypeError, "the jump to 'second' returned a float", lambda: stages(
            jumps={"second": lambda x, p: 3.0}).solve(3)),
        (ArgumentError, "the jump to 'second': 'mas' is not among the states", lambda: stages(
            jumps={"second": lambda x, p: {"mas": x["mass"]}}).solve(3)),
        (ArgumentError, "limits has 'way', which coupling", lambda: trip(limits={"way": (0.0, 1.0)}).solve(3)),
        (ArgumentError, "trajectories has 'stat'.*Did you mean 'start'", lambda: trip().solve(4)["stat"]),
    ],
)  # fmt: skip
def test_bad_input_names_the_phase(error, words, make):
    with pytest.raises(error, match=words):
        make()
