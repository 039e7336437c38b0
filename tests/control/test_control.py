"""Optimal control: known optima by every transcription, refinement, free times, closed loops, and errors with names."""

import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad.control.schemes import SHOOTING, scheme_of
from symgrad.errors import ArgumentError, ArgumentTypeError, ValueNeeded
from symgrad.support.extras import is_installed

pytest.importorskip("scipy")
EXAMPLE = Path(__file__).parents[2] / "examples" / "cart_pole.py"
METHODS = [("trapezoidal", 1), ("hermite-simpson", 3), ("radau", 3), ("lobatto", 3), ("shooting", 2), ("odeint", 1)]


def cart(**options):
    """A unit mass on a line, moved at least ∫ u²: place 3t² − 2t³, cost 12 times the squared distance."""
    given = {
        "states": {"place": None, "speed": None}, "controls": {"force": (-20.0, 20.0)}, "time": (0.0, 1.0),
        "start": {"place": 0.0, "speed": 0.0}, "end": {"place": 1.0, "speed": 0.0},
        "running": lambda x, u, t, p: u["force"] ** 2, **options,
    }  # fmt: skip
    return sg.control.Problem(lambda x, u, t, p: {"place": x["speed"], "speed": u["force"]}, **given)


@pytest.mark.parametrize(("method", "degree"), METHODS)
def test_transcriptions_meet_the_known_optimum(method, degree):
    trajectory = cart().solve(12, method=method, degree=degree)
    assert trajectory.success, trajectory
    times = np.linspace(0, 1, 31)
    tol = {"trapezoidal": 3e-2, "shooting": 2e-2, "odeint": 2e-2}.get(method, 1e-6)
    np.testing.assert_allclose(trajectory.cost, 12.0, rtol=tol)
    np.testing.assert_allclose(trajectory.state(times)["place"], 3 * times**2 - 2 * times**3, atol=tol)
    np.testing.assert_allclose(trajectory.state(0.5)["speed"], 1.5, atol=tol)
    if method not in SHOOTING:
        np.testing.assert_allclose(trajectory.control(times)["force"], 6 - 12 * times, atol=20 * tol)
    assert trajectory.t.shape == trajectory.states["place"].shape


@pytest.mark.parametrize("degree", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("method", ["radau", "lobatto"])
def test_schemes_integrate_polynomials_exactly(method, degree):
    scheme = scheme_of(method, degree)
    exact = len(scheme.points) - 1
    np.testing.assert_allclose(scheme.A @ scheme.points**exact, scheme.points ** (exact + 1) / (exact + 1), atol=1e-13)
    order = 2 * degree - 2 if method == "radau" else 2 * degree - 1  # of the quadrature up to 1
    np.testing.assert_allclose(scheme.A[-1] @ scheme.points**order, 1 / (order + 1), atol=1e-13)
    np.testing.assert_allclose(scheme.integrals(scheme.points), scheme.A, atol=1e-13)
    np.testing.assert_allclose(scheme.basis(scheme.points), np.eye(len(scheme.points)), atol=1e-12)


def test_named_schemes_are_lobattos():
    np.testing.assert_allclose(scheme_of("trapezoidal", 7).A, [[0, 0], [0.5, 0.5]])
    np.testing.assert_allclose(scheme_of("hermite-simpson", 7).A[-1], [1 / 6, 4 / 6, 1 / 6])


@pytest.mark.parametrize(
    ("method", "options"), [("shooting", {"degree": 2}), ("odeint", {"integrator": {"rtol": 1e-9}})]
)
def test_shooting_knows_states_and_errors_between_its_nodes(method, options):
    """Of ẍ = −x the state is a cosine inside of two long intervals too."""
    problem = sg.control.Problem(
        lambda x, u, t, p: {"x": x["v"], "v": -x["x"]}, states={"x": None, "v": None}, controls={},
        time=(0.0, 4.0), start={"x": 1.0, "v": 0.0},
    )  # fmt: skip
    times = np.linspace(0, 4, 33)
    trajectory = problem.solve(2, method=method, **options)
    tol = {"shooting": 6e-2, "odeint": 5e-5}[method]
    np.testing.assert_allclose(trajectory.state(times)["x"], np.cos(times), atol=tol)
    if method == "shooting":
        assert np.max(trajectory.error) > 5e-3
        fine = problem.solve(2, method=method, refine=1e-5, **options)
        assert np.max(fine.error) <= 1e-5
        np.testing.assert_allclose(fine.state(times)["x"], np.cos(times), atol=1e-3)


def test_a_free_time_is_found():
    """From rest to rest with |u| ≤ 1 over the distance 1: the time is 2, the control bangs."""
    problem = cart(controls={"force": (-1.0, 1.0)}, time=(0.0, (0.5, 10.0)), running=None, final=lambda x, t, p: t)
    trajectory = problem.solve(10, method="radau", degree=2, guess={"end": 3.0})
    np.testing.assert_allclose(trajectory.cost, 2.0, rtol=1e-4)
    np.testing.assert_allclose(trajectory.t[-1], trajectory.cost, rtol=1e-9)
    np.testing.assert_allclose(trajectory.controls["force"][[0, -1]], [1.0, -1.0], atol=1e-4)


def test_path_integral_boundary_and_periodic_limits_hold():
    limited = cart(path=lambda x, u, t, p: {"speed limit": x["speed"]}, limits={"speed limit": (None, 1.2)})
    slow = limited.solve(12, method="radau")
    assert np.max(slow.states["speed"]) <= 1.2 + 1e-6
    assert slow.cost > 12.0
    assert any(name.startswith("speed limit[") for name in slow.solution.active)
    used = cart(integrals=lambda x, u, t, p: {"way": x["speed"]}, end={"speed": 0.0}, limits={"way": (0.5, 0.5)})
    trajectory = used.solve(8)
    np.testing.assert_allclose(trajectory.states["place"][-1], 0.5, rtol=1e-7)
    np.testing.assert_allclose(trajectory.cost, 3.0, rtol=1e-6)
    np.testing.assert_allclose(used.solve(16, method="shooting").cost, 3.0, rtol=2e-2)
    ends = cart(
        boundary=lambda x0, xf, t0, tf, p: {"meet": xf["place"] - x0["place"] - 2.0}, end=None, periodic=["speed"]
    ).solve(8)
    np.testing.assert_allclose(ends.states["place"][-1], 2.0, rtol=1e-7)
    np.testing.assert_allclose(ends.states["speed"][-1], 0.0, atol=1e-8)  # it starts at rest


def test_parameters_are_found_and_constants_followed():
    """Of ẋ = −k x the rate is found that takes x from 1 to e⁻²; its derivative in the scale of time is known."""
    problem = sg.control.Problem(
        lambda x, u, t, p: {"x": -p["rate"] * x["x"] / p["scale"]}, states={"x": None}, controls={},
        parameters={"rate": (0.1, 5.0)}, time=(0.0, 1.0), start={"x": 1.0}, end={"x": np.exp(-2.0)},
        constants={"scale": 1.0},
    )  # fmt: skip
    trajectory = problem.solve(6, method="radau", degree=4)
    np.testing.assert_allclose(trajectory.parameters["rate"], 2.0, rtol=1e-7)
    rate = lambda s: problem.solve(6, method="radau", degree=4, constants={"scale": s}).parameters["rate"]
    np.testing.assert_allclose(sg.grad(rate)(1.5), 2.0, rtol=1e-6)


def test_costs_are_differentiable_in_where_it_starts():
    problem = cart()
    cost = lambda a: problem.solve(8, start={"place": a}).cost
    np.testing.assert_allclose(sg.grad(cost)(0.25), -24 * 0.75, rtol=1e-6)
    np.testing.assert_allclose(sg.grad(sg.grad(cost))(0.25), 24.0, rtol=1e-6)


def test_states_may_be_vectors_and_equations_algebraic():
    """A DAE of index 1: the algebraic variable z with z = −2x is a control with an equation."""
    problem = sg.control.Problem(
        lambda x, u, t, p: {"x": u["z"]}, states={"x": sg.control.Variable(shape=(2,))},
        controls={"z": sg.control.Variable(shape=(2,))}, time=(0.0, 1.0), start={"x": np.array([1.0, 3.0])},
        path=lambda x, u, t, p: {"algebra": u["z"] + 2.0 * x["x"]},
    )  # fmt: skip
    trajectory = problem.solve(4, method="radau", degree=5)
    np.testing.assert_allclose(trajectory.state(1.0)["x"], np.array([1.0, 3.0]) * np.exp(-2.0), rtol=1e-6)
    assert trajectory.states["x"].shape == (21, 2)


def test_meshes_are_refined_where_the_error_is():
    """A stiff start: the error stands in the first interval, and refinement halves it there."""
    problem = sg.control.Problem(
        lambda x, u, t, p: {"x": -20.0 * (x["x"] - sg.cos(t))}, states={"x": None}, controls={}, time=(0.0, 1.0),
        start={"x": 0.0},
    )  # fmt: skip
    coarse = problem.solve(4, method="radau", degree=3)
    fine = problem.solve(4, method="radau", degree=3, refine=1e-3)
    assert np.max(fine.error) <= 1e-3 < np.max(coarse.error)
    widths = np.diff(fine.mesh)
    assert widths[0] < widths[-1]


@pytest.mark.skipif(not is_installed("nlp"), reason="IPOPT is not installed")
def test_scipy_alone_swings_the_cart_pole_up():
    """On the refined mesh trust-constr stalls at a slope of 2e-5; Newton's steps go on from there."""
    trajectory = runpy.run_path(str(EXAMPLE))["problem"]().solve(16, refine=1e-3, solver="trust-constr")
    assert trajectory.success, trajectory
    assert trajectory.solution.stationarity < 1e-8
    np.testing.assert_allclose(trajectory.cost, 58.8097, rtol=1e-5)


def test_a_closed_loop_is_compiled_once_and_starts_warm():
    calls = []

    def dynamics(x, u, t, p):
        calls.append(t)
        return [x["speed"], u["force"] - x["place"] ** 3]

    problem = sg.control.Problem(
        dynamics, states={"place": None, "speed": None}, controls={"force": (-1.0, 1.0)}, time=(0.0, 2.0),
        start={"place": 1.0, "speed": 0.0},
        running=lambda x, u, t, p: x["place"] ** 2 + x["speed"] ** 2 + 0.1 * u["force"] ** 2,
    )  # fmt: skip
    last = problem.solve(10, method="trapezoidal")
    cold, traced = last.solution.iterations, len(calls)
    for _ in range(3):
        state = last.state(0.1)
        last = problem.solve(10, method="trapezoidal", start={n: float(v) for n, v in state.items()}, guess=last)
        assert last.success
        assert last.solution.iterations <= cold
        assert len(calls) == traced


@pytest.mark.parametrize("method", ["radau", "shooting"])
def test_dynamics_are_called_for_the_first_solution_only(method):
    calls = []

    def dynamics(x, u, t, p):
        calls.append(1)
        return {"x": p["k"] * u["u"] - p["w"] * x["x"] * t}

    problem = sg.control.Problem(
        dynamics, states={"x": None}, controls={"u": (-1, 1)}, time=(0.0, 1.0), start={"x": 1.0}, constants={"k": 1.0},
        parameters={"w": (0.5, 0.5)}, running=lambda x, u, t, p: u["u"] ** 2 + x["x"] ** 2,
    )  # fmt: skip
    first = problem.solve(4, method=method)
    many = len(calls)
    other = problem.solve(4, method=method, start={"x": 2.0}, constants={"k": 0.5}, guess=first)
    assert len(calls) == many
    fresh = problem.solve([0, 0.25, 0.5, 0.75, 1], method=method, start={"x": 2.0}, constants={"k": 0.5})
    np.testing.assert_allclose(other.error, fresh.error, rtol=1e-3, atol=1e-9)
    np.testing.assert_allclose(other.state(0.3)["x"], fresh.state(0.3)["x"], rtol=1e-6)


def test_guesses_are_numbers_arrays_functions_and_trajectories():
    problem = cart()
    first = problem.solve(4)
    for guess in ({"place": lambda s: s, "force": 1.0}, {"place": np.linspace(0, 1, 7)}, first):
        np.testing.assert_allclose(problem.solve(6, guess=guess).cost, 12.0, rtol=1e-6)


def test_reports_and_plots_show_names_and_units():
    pytest.importorskip("matplotlib").use("Agg")
    problem = cart(states={"place": sg.control.Variable(unit="m"), "speed": None})
    assert str(problem).splitlines() == [
        "Control problem, time from 0.0 to 1.0: running",
        "  state place [m]: from -inf to inf", "  state speed: from -inf to inf", "  control force: from -20.0 to 20.0",
    ]  # fmt: skip
    trajectory = problem.solve(4)
    assert str(trajectory).startswith("4 intervals from t = 0 to 1")
    assert [ax.get_ylabel() for ax in trajectory.plot()] == ["place [m]", "speed", "force"]
    assert problem._programs.popitem()[1][1].rows.name(8) == "dynamics.speed[0]"


@pytest.mark.parametrize(
    ("error", "words", "options", "solve"),
    [
        (ArgumentError, "start: 'plce' is not among the states.*Did you mean 'place'", {"start": {"plce": 0.0}}, {}),
        (ArgumentError, "periodic: 'way' is not among the states", {"periodic": ["way"]}, {}),
        (ArgumentError, "'place' is both a state and a control", {"controls": {"place": None}}, {}),
        (ArgumentError, "got 3 for 'force' of the controls. Expected a pair", {"controls": {"force": 3}}, {}),
        (ArgumentError, r"time of end is \(2.0, 1.0\)", {"time": (0.0, (2.0, 1.0))}, {}),
        (ArgumentError, r"got time=1.0. Expected \(start, end\)", {"time": 1.0}, {}),
        (ArgumentTypeError, "running must be a function, got float", {"running": 1.0}, {}),
        (ArgumentError, "limits has 'fast', which path, boundary and", {"limits": {"fast": (0.0, 1.0)}}, {}),
        (
            ArgumentError,
            "limits has 'sped'.* Expected some of .* Did you mean 'speed'",
            {"path": lambda x, u, t, p: {"speed": x["speed"]}, "limits": {"sped": (0.0, 1.0)}},
            {},
        ),
        (
            ArgumentTypeError,
            r"solve\(\) got an unexpected keyword argument 'metod'.* Did you mean 'method'",
            {},
            {"metod": 1},
        ),
        (ArgumentError, "got nodes=10.5. Expected a number of intervals", {}, {"nodes": 10.5}),
        (ArgumentError, "method='euler' is unknown. Expected one of 'trapezoidal'", {}, {"method": "euler"}),
        (ArgumentError, "got degree=0. Expected a positive integer", {}, {"method": "radau", "degree": 0}),
        (ArgumentError, "got degree=21. Expected an integer from 1 to 20", {}, {"degree": 21}),
        (ArgumentError, "integrator= is for method='odeint'", {}, {"integrator": {"rtol": 1e-3}}),
        (ArgumentError, "got refine=-1", {}, {"refine": -1}),
        (ArgumentError, "got most_refinements=1.5", {}, {"refine": 1.0, "most_refinements": 1.5}),
        (ArgumentError, r"got \['place'\] for states. Expected a dict", {"states": ["place"]}, {}),
        (ArgumentError, r"bounds of 'force' is \(1.0, -1.0\)", {"controls": {"force": (1.0, -1.0)}}, {}),
        (ArgumentTypeError, "got 'a' for the bounds of 'force'", {"controls": {"force": ("a", 1.0)}}, {}),
        (ArgumentError, "'force' has the shape 3", {"controls": {"force": sg.control.Variable(shape=3)}}, {}),
        (
            ArgumentError,
            r"guess of 'force' has the shape \(3,\)",
            {"controls": {"force": sg.control.Variable(guess=np.ones(3))}},
            {},
        ),
        (ArgumentError, "'force' is both a control and a parameter", {"parameters": {"force": None}}, {}),
        (
            ArgumentError,
            "'m' is both a parameter and a constant",
            {"parameters": {"m": None}, "constants": {"m": 1.0}},
            {},
        ),
        (ArgumentTypeError, "got 'heavy' for the constant 'm'", {"constants": {"m": "heavy"}}, {}),
        (ArgumentTypeError, r"got \[1.0\] for constants. Expected a dict", {"constants": [1.0]}, {}),
        (
            ArgumentTypeError,
            r"running takes \(x, u\). Expected running\(x, u, t, p\)",
            {"running": lambda x, u: u["force"]},
            {},
        ),
        (
            ArgumentError,
            r"running returned the shape \(2,\). Expected \(\)",
            {"running": lambda x, u, t, p: sg.stack([u["force"]] * 2)},
            {},
        ),
        (ArgumentTypeError, "final returned None", {"final": lambda x, t, p: None}, {}),
        (
            ArgumentError,
            "asks for 'forze'. The controls are .* Did you mean 'force'",
            {"running": lambda x, u, t, p: u["forze"]},
            {},
        ),
        (ArgumentTypeError, "path returned a Tensor. Expected a dict", {"path": lambda x, u, t, p: u["force"]}, {}),
        (ArgumentError, "'dynamics' names two constraints", {"path": lambda x, u, t, p: {"dynamics": u["force"]}}, {}),
        (ArgumentTypeError, "boundary returned a list", {"boundary": lambda x0, xf, t0, tf, p: [xf["place"]]}, {}),
        (
            ArgumentError,
            r"integrals: 'a' returned the shape \(2,\)",
            {"integrals": lambda x, u, t, p: {"a": sg.stack([u["force"]] * 2)}},
            {},
        ),
        (ArgumentTypeError, "got periodic=3", {"periodic": 3}, {}),
        (ArgumentError, "time goes from 1.0 to 0.0", {"time": (1.0, 0.0)}, {}),
        (ArgumentError, "time goes from 0.0 to nan", {"time": (0.0, np.nan)}, {}),
        (ArgumentError, "time goes from 1.0 to 0.5", {"time": (1.0, (0.0, 0.5))}, {}),
        (ArgumentError, "solve got time=2.0", {}, {"time": 2.0}),
        (ArgumentTypeError, "got 1j for the start of 'place'", {}, {"start": {"place": 1j}}),
        (ArgumentTypeError, "got 'a' for the guess of 'place'", {}, {"guess": {"place": "a"}}),
        (
            ArgumentError,
            r"got nodes=\[0.0, 0.7, 0.5, 1.0\]. Expected a number of intervals",
            {},
            {"nodes": [0.0, 0.7, 0.5, 1.0]},
        ),
        (ArgumentError, "guess has 'torque'. Expected some of", {}, {"guess": {"torque": 1.0}}),
        (ArgumentError, r"guess of 'place' has shape \(2, 2\)", {}, {"guess": {"place": np.ones((2, 2))}}),
        (ArgumentError, "solve got start={'way'", {}, {"start": {"way": 1.0}}),
        (ArgumentError, "solve got constants={'mass'", {}, {"constants": {"mass": 1.0}}),
        (ArgumentError, r"start of 'place' has shape \(2,\)", {}, {"start": {"place": np.ones(2)}}),
    ],
)
def test_bad_input_is_named(error, words, options, solve):
    with pytest.raises(error, match=words):
        cart(**options).solve(**{"nodes": 2, **solve})


def test_dynamics_that_forget_a_state_are_named():
    wrong = sg.control.Problem(
        lambda x, u, t, p: {"a": x["b"]}, states={"a": None, "b": None}, controls={}, time=(0, 1)
    )
    with pytest.raises(ArgumentError, match=r"dynamics: 'b' is missing. Expected all of \['a', 'b'\]"):
        wrong.solve(2)
    undefined = cart(start={"place": 0.0, "speed": -1.0}, path=lambda x, u, t, p: {"root": sg.sqrt(x["speed"])})
    with pytest.raises(ArgumentError, match=r"root\[0\] is nan at the start"):
        undefined.solve(2)


def test_a_time_that_is_free_stays_after_the_start():
    problem = cart(time=(0.0, (-5.0, 5.0)), running=None, final=lambda x, t, p: t, controls={"force": (-1.0, 1.0)})
    np.testing.assert_allclose(problem.solve(8, method="radau", degree=2).cost, 2.0, rtol=1e-4)
    late = cart(time=((0.0, 5.0), (1.0, 2.0))).solve(4)
    np.testing.assert_allclose(late.cost, 12.0 / 2.0**3, rtol=1e-6)


def test_trajectories_of_other_problems_are_no_guess():
    other = sg.control.Problem(lambda x, u, t, p: [x["a"]], states={"a": None}, controls={}, time=(0, 1)).solve(2)
    with pytest.raises(
        ArgumentError, match=r"guess is a trajectory of \['a'\]. Expected \['force', 'place', 'speed'\]"
    ):
        cart().solve(2, guess=other)
    with pytest.raises(ArgumentError, match="plot got 0 axes"):
        other.plot([])
    with pytest.raises(ValueNeeded, match="start of 'place' has no value here"):
        sg.compile(lambda a: cart().solve(2, start={"place": a}).cost)(0.5)


def test_a_trial_point_where_odeint_fails_is_no_end():
    """With the guess the state reaches infinity on the way; that point is not finite, as any other."""
    problem = sg.control.Problem(
        lambda x, u, t, p: {"a": x["a"] ** 2}, states={"a": None}, controls={}, time=(0, 2.0), start={"a": 1.0}
    )
    with pytest.raises(ArgumentError, match=r"nlp: .* is nan at the start"):
        problem.solve(1, method="odeint")


def test_a_simulated_guess_follows_the_dynamics():
    problem = sg.control.Problem(
        lambda x, u, t, p: {"place": x["speed"], "speed": p["push"] * u["force"] - t},
        states={"place": sg.control.Variable(shape=(2,)), "speed": sg.control.Variable(shape=(2,))},
        controls={"force": sg.control.Variable(shape=(2,))},
        time=(1.0, (2.0, 4.0)),
        start={"place": np.zeros(2), "speed": np.array([0.0, 1.0])},
        running=lambda x, u, t, p: (u["force"] ** 2).sum(),
        constants={"push": 2.0},
    )
    force = np.array([1.0, 2.0])
    guess = problem.simulated({"force": force, "end": 3.0}, nodes=5)
    t = np.linspace(1.0, 3.0, 6)[:, None]
    speed = [0.0, 1.0] + 2 * force * (t - 1) - (t**2 - 1) / 2
    np.testing.assert_allclose(guess["speed"], speed, atol=1e-7)
    assert guess["place"].shape == (6, 2)
    assert float(guess["end"]) == 3.0
    assert problem.solve(5, guess=guess).success
    with pytest.raises(ArgumentError, match="guess has 'forces'"):
        problem.simulated({"forces": 1.0})


def test_a_control_problem_imports_nothing_of_formulas():
    """They take longer to import than a small problem takes to solve."""
    told = "import sys, symgrad as sg; sg.control; print('symgrad.forms.closed' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
