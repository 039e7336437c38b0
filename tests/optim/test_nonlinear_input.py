"""What ``sg.optim.nlp`` and ``sg.control`` say of mistakes in a call: each is an error that names what is wrong."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, IndexRangeError, ShapeError, ValueNeeded
from symgrad.support.extras import is_installed

pytest.importorskip("scipy")
NAN, INF = np.nan, np.inf
TWO = np.ones(2)


def blocks(x):
    return {"dynamics": x * 1.0, "total": x.sum()}


# what is wrong: the error, its words, and what is changed in a call that is right
PROGRAMS = {
    "f is a number": (ArgumentTypeError, "f must be a function, got int", {"f": 3}),
    "f returns nothing": (ArgumentTypeError, "returned NoneType. Expected tensors", {"f": lambda x: None}),
    "f returns text": (ArgumentTypeError, "returned str. Expected tensors", {"f": lambda x: "1"}),
    "f returns a vector": (ArgumentError, r"shape \[2\]. Expected one number; sum it", {"f": lambda x: x}),
    "f is complex": (ArgumentTypeError, "got complex numbers", {"f": lambda x: (x * 1j).sum()}),
    "f has another argument": (ArgumentTypeError, r"f\(x, p\) is called with 1 argument", {"f": lambda x, p: p}),
    "f branches on x": (ValueNeeded, r"sg\.where\(x > 0, a, b\) instead of if",
                        {"f": lambda x: x[0] if x[0] > 0 else x[1]}),
    "f makes a float of x": (ValueNeeded, "has no value", {"f": lambda x: float(x[0])}),
    "f makes an array of x": (ValueNeeded, "An array has no gradient", {"f": lambda x: np.asarray(x)[0]}),
    "f reads beyond the end": (IndexRangeError, "index 7 is out of bounds", {"f": lambda x: x[7]}),
    "f asks for another name": (
        ArgumentError, r"f or g asks for 'b'. The names in x0 are \['a'\]", {"f": lambda x: x["b"], "x0": {"a": 1.0}},
    ),
    "g asks for another name": (
        ArgumentError, r"f or g asks for 'b'. The names in x0 are \['a'\]",
        {"f": lambda x: x["a"], "x0": {"a": 1.0}, "constraints": lambda x: x["b"]},
    ),
    "f writes to x": (ArgumentError, r"writes to an argument in place. Write to a copy, y = x.clone\(\)",
                      {"f": lambda x: x.__setitem__(0, 1.0) or x @ x}),
    "x0 is text": (ArgumentError, "x0: got no numbers in str", {"x0": "abc"}),
    "x0 is None": (ArgumentError, "x0: got no numbers in NoneType", {"x0": None}),
    "x0 is empty": (ArgumentError, "x0: got no numbers in ndarray", {"x0": np.ones(0)}),
    "x0 is an empty dict": (ArgumentError, "x0: got no numbers in dict", {"x0": {}}),
    "x0 is complex": (ArgumentTypeError, "x0 holds complex numbers", {"x0": TWO * 1j}),
    "x0 is ragged": (ArgumentTypeError, "Expected numbers", {"x0": [[1.0], [1.0, 2.0]]}),
    "x0 holds objects": (ArgumentTypeError, "object_", {"x0": np.array([None, 1.0], object)}),
    "x0 is infinite": (ArgumentError, r"x\[0\] is inf at the start", {"x0": [INF, 1.0]}),
    "g returns nothing": (ArgumentTypeError, "returned NoneType", {"constraints": lambda x: None}),
    "g returns booleans": (ArgumentTypeError, r"booleans. Return g\(x\), and", {"constraints": lambda x: x > 0}),
    "g is complex": (ArgumentTypeError, "got complex numbers", {"constraints": lambda x: x * 1j}),
    "g is a list of functions": (
        ArgumentTypeError, "constraints must be a function, got list", {"constraints": [blocks]},
    ),
    "g is SciPy's dict": (
        ArgumentTypeError, "constraints must be a function, got dict", {"constraints": {"type": "eq", "fun": blocks}},
    ),
    "lb is nan": (ArgumentError, r"dynamics\[0\] are nan and 0", {"lb": NAN}),
    "lb is infinite": (ArgumentError, r"dynamics\[0\] are inf and inf", {"lb": INF, "ub": INF}),
    "lb has another name": (ArgumentError, "'totl' does not exist.*Did you mean 'total'", {"lb": {"totl": 1.0}}),
    "lb has another shape": (ArgumentError, r"lb: got shape \[2\] for total", {"lb": [0.0, 0.0]}),
    "bounds are three": (ArgumentError, r"got bounds \(0, 1, 2\). Expected a pair", {"bounds": (0, 1, 2)}),
    "bounds are one number": (ArgumentError, "bounds: got 3.0. Expected a pair", {"bounds": 3.0}),
    "bounds are text": (ArgumentError, "bounds: got 'ab'. Expected a pair", {"bounds": "ab"}),
    "bounds cross": (ArgumentError, r"bounds of x\[0\] are 1 and 0", {"bounds": (1, 0)}),
    "bounds are nan": (ArgumentError, r"bounds of x\[0\] are nan and 1", {"bounds": (NAN, 1)}),
    "bounds are complex": (ArgumentTypeError, "bounds: got complex numbers", {"bounds": (0, 1j)}),
    "bounds have another name": (
        ArgumentError, r"got \['b'\], which x0 does not have",
        {"f": lambda x: x["a"], "x0": {"a": 1.0}, "constraints": None, "bounds": {"b": (0, 1)}},
    ),
    "bounds of an array have names": (ArgumentError, "Expected a pair", {"bounds": {"x": (0, 1)}}),
    "bounds are too many": (ArgumentError, "one pair for each of the 2", {"bounds": [(0, 1)] * 3}),
    "bounds have another shape": (ShapeError, r"got shape \[3\] for an unknown", {"bounds": (np.zeros(3), 1.0)}),
    "the solver is None": (ArgumentError, "solver=None is unknown", {"solver": None}),
    "the solver is in capitals": (ArgumentError, "solver='IPOPT' is unknown", {"solver": "IPOPT"}),
    "options are a list": (ArgumentTypeError, r"options=\[1\]. Expected a dictionary", {"options": [1]}),
    "tol is text": (ArgumentTypeError, "tol='a'. Expected a number", {"tol": "a"}),
    "max_steps is half": (ArgumentError, "max_steps=1.5. Expected an integer", {"max_steps": 1.5}),
    "max_time is negative": (ArgumentError, "max_time=-1. Expected seconds", {"max_time": -1}),
    "callback is a number": (ArgumentTypeError, "callback=3. Expected a function", {"callback": 3}),
    "backend is None": (ArgumentTypeError, "backend must be a name, got NoneType", {"backend": None}),
    "a keyword is misspelled": (ArgumentTypeError, "unexpected keyword argument 'bound'", {"bound": (0, 1)}),
}  # fmt: skip


@pytest.mark.parametrize("mistake", PROGRAMS)
def test_a_mistake_in_a_program_is_named(mistake):
    error, words, options = PROGRAMS[mistake]
    with pytest.raises(error, match=words):
        sg.optim.nlp(**{"f": lambda x: x @ x, "x0": TWO, "constraints": blocks, **options})


def test_an_error_of_the_users_own_passes_through():
    def asks(x):
        return {"a": 1.0}["b"]

    with pytest.raises(KeyError, match="'b'"):
        sg.optim.nlp(asks, TWO)


def test_names_beside_x0_are_the_users_own():
    rates = {"slow": 1.0}
    with pytest.raises(KeyError, match="fast"):
        sg.optim.nlp(lambda x: x["a"] * rates["fast"], {"a": 1.0})
    solution = sg.optim.nlp(lambda x: sum(sg.tree.leaves(sg.tree.map(lambda v: v**2, x))), {"a": 1.0, "b": 2.0})
    np.testing.assert_allclose([solution.x["a"], solution.x["b"]], 0.0, atol=1e-6)


def slopes(x, u, t, p):
    return {"x": x["v"], "v": u["u"]}


CONTROL = {
    "a state has no slope": ("dynamics: 'v' is missing", {"dynamics": lambda x, u, t, p: {"x": x["v"]}}),
    "a slope has no state": (
        "'w' is not among the states", {"dynamics": lambda x, u, t, p: {**slopes(x, u, t, p), "w": u["u"]}},
    ),
    "an unknown state": ("asks for 'w'. The states are", {"dynamics": lambda x, u, t, p: {"x": x["w"], "v": 0.0}}),
    "an unknown control": ("asks for 'w'. The controls", {"dynamics": lambda x, u, t, p: {"x": u["w"], "v": 0.0}}),
    "an unknown parameter": ("asks for 'm'. The parameters", {"dynamics": lambda x, u, t, p: {"x": p["m"], "v": 0.0}}),
    "a slope of another shape": ("'x' returned the shape", {"dynamics": lambda x, u, t, p: {"x": TWO, "v": 0.0}}),
    "dynamics of two arguments": (r"dynamics takes \(x, u\)", {"dynamics": lambda x, u: {}}),
    "no states": ("no states are given", {"states": {}}),
    "states in a list": ("Expected a dict", {"states": ["x", "v"]}),
    "a state's bounds cross": ("the lower bound is above", {"states": {"x": (1, 0), "v": None}}),
    "a name twice": ("'x' is both a state and a control", {"controls": {"x": None}}),
    "an unknown start": ("start: 'y' is not among the states", {"start": {"y": 0.0}}),
    "a start that is nan": (r"states.x\[0\] is nan at the start", {"start": {"x": NAN, "v": 0.0}}),
    "time runs back": ("time goes from 1.0 to 0.0", {"time": (1.0, 0.0)}),
    "a cost of another shape": ("running returned the shape", {"running": lambda x, u, t, p: TWO * u["u"]}),
    "no intervals": ("at least one interval", {"nodes": 0}),
    "an unknown method": ("method='euler' is unknown", {"method": "euler"}),
    "an unknown guess": ("guess has 'y'", {"guess": {"y": np.zeros(3)}}),
    "slopes that are nan": (
        r"dynamics.x\[0\] is nan at the start", {"dynamics": lambda x, u, t, p: {"x": sg.log(x["x"] - 5), "v": 0.0}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", CONTROL)
def test_a_mistake_in_a_control_problem_is_named(mistake):
    words, changed = CONTROL[mistake]
    options = {"nodes": 4, **{k: changed[k] for k in ("nodes", "method", "guess") if k in changed}}
    parts = {
        "states": {"x": None, "v": None}, "controls": {"u": (-1, 1)}, "time": (0.0, 1.0), "start": {"x": 0.0, "v": 0.0},
        "running": lambda x, u, t, p: u["u"] ** 2, **{k: v for k, v in changed.items() if k not in options},
    }  # fmt: skip
    with pytest.raises((ArgumentError, ArgumentTypeError), match=words):
        sg.control.Problem(parts.pop("dynamics", slopes), **parts).solve(**options)


PARTS = {
    "dynamics": lambda fails: {"dynamics": fails}, "running": lambda fails: {"running": fails},
    "final": lambda fails: {"final": lambda x, t, p: fails(x, None, t, p)}, "path": lambda fails: {"path": fails},
    "integrals": lambda fails: {"integrals": fails},
    "boundary": lambda fails: {"boundary": lambda x0, xf, t0, tf, p: fails(x0, None, tf, p)},
}  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
def test_an_error_in_a_part_of_a_control_problem_is_noted(part):
    table = {"light": 1.0}
    options = {"dynamics": slopes, **PARTS[part](lambda x, u, t, p: table["heavy"] * x["x"])}
    problem = sg.control.Problem(
        options.pop("dynamics"), states={"x": None, "v": None}, controls={"u": (-1, 1)}, time=(0.0, 1.0), **options
    )
    with pytest.raises(KeyError, match="heavy") as caught:
        problem.solve(2)
    assert caught.value.__notes__ == [f"It was raised by {part} of a control problem."]
    with pytest.raises(KeyError, match="heavy") as caught:
        sg.control.Phases({"coast": problem}).solve(2)
    assert caught.value.__notes__[-1] == "It was raised in phase 'coast'."


# ------------------------------------------------------------------ programs that solvers cannot cope with
def program(**changes):
    given = {"f": lambda x: (x**2).sum(), "x0": TWO * 2, "progress": False, **changes}
    return sg.optim.nlp(**given)


IPOPT = pytest.param("ipopt", marks=pytest.mark.skipif(not is_installed("nlp"), reason="IPOPT is not installed"))
OSQP = pytest.mark.skipif(not is_installed("osqp"), reason="OSQP is not installed")
CLARABEL = pytest.mark.skipif(not is_installed("clarabel"), reason="Clarabel is not installed")
SOLVERS = [IPOPT, "slsqp", "trust-constr"]


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_infinite_derivative_ends_the_run_and_is_named(solver):
    solution = program(x0=[0.0, 1.0], constraints=lambda x: {"root": sg.sqrt(x) - 1}, solver=solver)
    assert (solution.status, solution.success) == ("not finite", False)
    assert "a derivative of root[0] is inf" in solution.message or "derivative in x[0] is nan" in solution.message
    np.testing.assert_array_equal(solution.x, [0.0, 1.0])


@pytest.mark.parametrize("solver", ["slsqp", "trust-constr"])
def test_an_infinite_slope_of_f_is_not_called_infeasible(solver):
    solution = program(f=lambda x: sg.sqrt(x[0]) + x[1] ** 2, x0=[0.0, 1.0], bounds=(0, None), solver=solver)
    assert solution.status == "not finite"
    assert "∇f in x[0] is inf" in solution.message


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_becomes_infinite_or_nan_on_the_way_is_no_solution(solver):
    cliff = program(f=lambda x: sg.where(x[0] > 0.5, x[0] ** 2, INF), solver=solver, max_steps=100)
    assert not cliff.success
    assert np.isfinite(cliff.f)
    falls = program(f=lambda x: ((x + 3) ** 2 + sg.log(x)).sum(), x0=[2.0], solver=solver, max_steps=200)
    assert not falls.success
    assert "f is nan" in falls.message


@pytest.mark.parametrize("bounds", [None, (-5.0, 5.0)])
def test_trust_constr_ends_beside_a_side_that_is_nan(bounds):
    edge = program(f=lambda x: ((x + 3) ** 2 + sg.sqrt(x) ** 2).sum(), x0=[2.0], bounds=bounds, solver="trust-constr")
    assert (edge.status, edge.success) == ("stalled", False)
    assert edge.iterations < 100
    assert "On the way, f is nan" in edge.message
    np.testing.assert_allclose(edge.x, 0.0, atol=1e-4)
    rows = {"constraints": lambda x: {"root": sg.sqrt(x)}, "ub": 3.0, "lb": -1.0}
    edge = program(f=lambda x: x.sum(), x0=[2.0], bounds=bounds, solver="trust-constr", **rows)
    assert (edge.status, edge.success) == ("stalled", False)
    assert edge.iterations < 200
    assert "On the way, root[0] is nan" in edge.message
    falls = program(f=lambda x: ((x + 3) ** 2 + sg.log(x)).sum(), x0=[2.0], bounds=bounds, solver="trust-constr")
    assert (falls.status, falls.success) == ("stalled", False)


@pytest.mark.parametrize("solver", SOLVERS)
def test_equations_stated_twice_are_no_solution_where_no_multipliers_hold(solver):
    rows = {"constraints": lambda x: {"a": x.sum() - 1, "b": 2 * x.sum() - 2}, "solver": solver}
    solution = program(f=lambda x: (x**4).sum(), x0=[1.0, 0.5], **rows)
    assert (solution.status, solution.success) == ("stalled", False)
    if solver == "ipopt":
        assert "is a combination of those of other equations: drop it" in solution.message
        np.testing.assert_allclose(program(f=lambda x: (x**4).sum(), x0=[1.0, 1.0], **rows).stationarity, 0, atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_that_ends_at_a_kink_reports_no_minimum(solver):
    solution = program(f=lambda x: x.abs().sum(), x0=[1.0, -2.0], solver=solver)
    assert (solution.status, solution.success) == ("stalled", False)


@pytest.mark.parametrize("solver", SOLVERS)
def test_constraints_without_x_or_without_an_end_are_no_failure(solver):
    constant = program(constraints=lambda x: {"c": sg.tensor(1.0)}, ub=2.0, solver=solver)
    assert constant.success, constant
    free = program(constraints=lambda x: x, lb=-INF, ub=INF, solver=solver)
    assert free.success, free
    np.testing.assert_allclose(free.x, 0.0, atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_bounds_that_fix_all_variables_need_no_solver(solver):
    blocks = {"constraints": lambda x: {"total": x.sum()}, "lb": 4.0, "ub": 4.0, "solver": solver}
    met = program(bounds=(2.0, 2.0), **blocks)
    assert (met.status, met.iterations) == ("solved", 0)
    np.testing.assert_array_equal(met.x, [2.0, 2.0])
    missed = program(bounds=(3.0, 3.0), **blocks)
    assert (missed.status, missed.worst) == ("infeasible", (("total", 2.0),))


def test_slsqp_names_the_equation_that_others_imply():
    solution = program(constraints=lambda x: {"a": x.sum() - 1, "b": 2 * x.sum() - 2}, solver="slsqp")
    assert not solution.success
    assert "combination of those of other equations: drop it, or use solver='ipopt'" in solution.message


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_callback_that_returns_an_array_is_named(solver):
    with pytest.raises(ArgumentTypeError, match=r"the callback returned array.*Expected True, which ends the run"):
        program(callback=lambda x, step: x, solver=solver)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_interrupt_passes_and_leaves_the_best_iterate(solver):
    steps = []

    def interrupt(x, step):
        steps.append(x)
        if len(steps) == 3:
            raise KeyboardInterrupt

    valley = sg.optim.NLP(lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2, np.array([-1.2, 1.0]))
    with pytest.raises(KeyboardInterrupt):
        valley.solve(callback=interrupt, solver=solver, progress=False)
    assert any(np.array_equal(valley.best, x) for x in steps)
    problem = sg.control.Problem(
        lambda x, u, t, p: {"x": u["u"] - x["x"] ** 3}, states={"x": None}, controls={"u": (-1, 1)}, time=(0.0, 1.0),
        start={"x": 1.0}, end={"x": 0.5}, running=lambda x, u, t, p: u["u"] ** 2,
    )  # fmt: skip
    assert problem.best is None
    steps.clear()
    with pytest.raises(KeyboardInterrupt):
        problem.solve(4, callback=interrupt, solver=solver, progress=False)
    assert set(problem.best) == {"x", "u"}
    assert problem.solve(4, guess=problem.best, solver=solver, progress=False).success
    phases = sg.control.Phases({"only": problem})
    steps.clear()
    with pytest.raises(KeyboardInterrupt):
        phases.solve(4, callback=interrupt, solver=solver, progress=False)
    assert set(phases.best["only"]) == {"x", "u"}


def test_an_earlier_solution_of_another_problem_is_refused():
    free, held = (sg.optim.NLP(lambda x: (x**4).sum(), TWO, constraints=g) for g in (None, lambda x: x[0] - 1))
    first = free.solve(solver="slsqp")
    with pytest.raises(ShapeError, match=r"2 variables and 0 constraints. Expected 2 and 1"):
        held.solve(start=first)


def test_more_mistakes_in_a_program_are_named():
    with pytest.raises(ArgumentError, match=r"bounds of x\[0\] are 1.000000000000001 and 1.0"):
        program(bounds=(1 + 1e-15, 1))
    with pytest.raises(ArgumentError, match=r"lb: got a dict with the names \['a'\], but the constraints return one"):
        program(constraints=lambda x: x, lb={"a": 0.0})
    problem = sg.optim.NLP(lambda x, p: ((x - p) ** 2).sum(), TWO, 1)
    with pytest.raises(ArgumentError, match=r"A Python integer is a fixed part of f; write 1.0"):
        problem.solve(2.5)


def test_random_numbers_that_f_draws_while_it_is_traced_are_told_of():
    generator = np.random.default_rng(0)
    with pytest.warns(UserWarning, match="draws from a numpy Generator .* Draw them before, and pass the numbers"):
        program(f=lambda x: x @ x + generator.normal())


def test_a_budget_of_no_time_names_the_solver_and_wild_derivatives_show_nothing():
    assert program(f=lambda x: (x**4).sum(), max_time=0.0).solver != "auto"
    stiff = sg.control.Problem(
        lambda x, u, t, p: {"x": 1e6 * (u["u"] - x["x"])}, states={"x": None}, controls={"u": (-1, 1)}, time=(0.0, 1.0),
        start={"x": 0.0}, end={"x": 0.5},
    )  # fmt: skip
    assert stiff.solve(8, method="shooting", max_steps=20).status != "infeasible"


def test_states_are_asked_for_by_key():
    with pytest.raises(AttributeError, match=r"a function asks for .v. The states are a dict: write \['v'\]"):
        sg.control.Problem(
            lambda x, u, t, p: {"v": x.v}, states={"v": None}, controls={}, time=(0.0, 1.0), start={"v": 0.0}
        ).solve(2)
    problem = sg.control.Problem(
        lambda x, u, t, p: {"v": sg.log(x["v"])}, states={"v": None}, controls={}, time=(0.0, 1.0), start={"v": -1.0}
    )
    with pytest.raises(ArgumentError, match=r"dynamics.v\[0\] is nan at the start.*pass another guess"):
        problem.solve(2)


def test_an_inner_solver_that_fails_at_the_start_says_why():
    problem = sg.control.Problem(
        lambda x, u, t, p: {"x": x["x"] ** 3 + 50}, states={"x": None}, controls={}, time=(0.0, 1.0), start={"x": 0.0}
    )
    with pytest.raises(ArgumentError, match=r"is nan at the start \(odeint: at t = .* the step .*\)\. Start"):
        problem.solve(2, method="odeint")


@OSQP
def test_osqp_returns_no_certificate_as_a_point():
    rows = lambda x: {"a": x.sum() - 1, "b": x.sum() - 3}
    infeasible = program(constraints=rows, solver="osqp")
    assert (infeasible.status, infeasible.violation) == ("infeasible", 3.0)
    np.testing.assert_array_equal(infeasible.x, [2.0, 2.0])
    assert program(f=lambda x: x.sum(), solver="osqp").status == "unbounded"


@OSQP
def test_osqp_keeps_to_the_limit_of_steps():
    near = {"f": lambda x: ((x - 3) ** 2).sum(), "constraints": lambda x: x.sum(), "lb": -1.0, "ub": 1.0}
    assert program(solver="osqp", max_steps=0, **near).status == "iteration limit"
    with pytest.raises(ArgumentError, match=r"OSQP does not take the options.*a value has the wrong type"):
        program(solver="osqp", options={"max_iter": "x"})


@CLARABEL
def test_clarabel_names_an_option_of_another_type():
    with pytest.raises(ArgumentError, match=r"Clarabel does not take the option max_iter='x'. Expected a value like"):
        program(solver="clarabel", options={"max_iter": "x"})
