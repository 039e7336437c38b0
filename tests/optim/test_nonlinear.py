"""Nonlinear programs: one optimum by every solver, derivatives of solutions, statuses, and errors with names."""

import os
import signal

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ArgumentTypeError, LinAlgError, MissingExtra, NotDifferentiable, ShapeError
from symgrad.optim.nonlinear.derivatives import Derivatives
from symgrad.optim.nonlinear.quadratic import QUADRATIC
from symgrad.support.extras import is_installed

pytest.importorskip("scipy")
EXTRAS = {"ipopt": "nlp", "uno": "uno", "clarabel": "clarabel", "piqp": "piqp", "osqp": "osqp"}
NONLINEAR = ["ipopt", "uno", "slsqp", "trust-constr"]


def solver(name):
    missing = name in EXTRAS and not is_installed(EXTRAS[name])
    return pytest.param(name, marks=pytest.mark.skipif(missing, reason=f"{name} is not installed"))


def hs71(p=1.0, name="auto", **options):
    """Hock and Schittkowski's problem 71, with a parameter."""
    return sg.optim.nlp(
        lambda x, p: x[0] * x[3] * (x[0] + x[1] + x[2]) + p * x[2],
        [1.0, 5.0, 5.0, 1.0],
        p,
        constraints=lambda x, p: {"product": x.prod() - p, "sphere": (x**2).sum() - 40 * p},
        lb={"product": 24.0},
        ub={"product": np.inf},
        bounds=(1.0, 5.0),
        solver=name,
        **options,
    )


@pytest.mark.parametrize("name", [solver(n) for n in NONLINEAR])
def test_solvers_agree_on_the_optimum_and_its_multipliers(name):
    solution = hs71(name=name)
    assert solution.success, solution
    assert solution.solver == name
    np.testing.assert_allclose(solution.x, [1.0, 4.74299963, 3.82114998, 1.37940829], rtol=1e-5)
    np.testing.assert_allclose(solution.f, 17.0140173, rtol=1e-6)
    multipliers = [solution.multipliers["product"], solution.multipliers["sphere"]]
    np.testing.assert_allclose(multipliers, [0.55229366, -0.16146857], rtol=1e-4)
    np.testing.assert_allclose(solution.bound_multipliers[0], 1.08787121, rtol=1e-4)
    assert solution.active == ("product ≥ 24", "x[0] ≥ 1")
    assert solution.violation < 1e-6
    assert f"{name}: {solution.iterations} iterations" in str(solution)


@pytest.mark.parametrize("name", [solver(n) for n in QUADRATIC])
def test_quadratic_programs_are_recognised_and_solved(name):
    problem = sg.optim.NLP(
        lambda x, c: ((x["a"] - c) ** 2).sum() + x["b"] ** 2 + x["a"][0] * x["b"] + 3.0,
        {"a": np.zeros(3), "b": 0.0},
        np.array([3.0, 2.0, -1.0]),
        constraints=lambda x, c: {"sum": x["a"].sum() + x["b"], "gap": x["a"][:2] - x["b"] + 1.0},
        lb={"sum": 1.0, "gap": -np.inf},
        ub={"sum": 1.0, "gap": [2.0, np.inf]},
        bounds={"b": (-0.25, None)},
    )
    assert problem.derivatives.is_quadratic
    assert problem.derivatives.is_linear
    quadratic, other = problem.solve(solver=name), problem.solve(solver="slsqp")
    assert quadratic.success, quadratic
    assert problem.solve().solver in QUADRATIC
    np.testing.assert_allclose(quadratic.x["a"], other.x["a"], atol=1e-5)
    np.testing.assert_allclose(quadratic.f, other.f, rtol=1e-6)
    np.testing.assert_allclose(quadratic.multipliers["gap"], other.multipliers["gap"], atol=1e-4)
    np.testing.assert_allclose(quadratic.multipliers["sum"], other.multipliers["sum"], atol=1e-4)
    np.testing.assert_allclose(quadratic.bound_multipliers["b"], other.bound_multipliers["b"], atol=1e-4)


@pytest.mark.parametrize("name", [solver(n) for n in QUADRATIC])
def test_quadratic_solvers_print_nothing_and_skip_rows_without_ends(name, capfd):
    rows = {
        "constraints": lambda x: {"none": x[0] - x[1], "sum": x.sum()},
        "lb": None,
        "ub": {"none": np.inf, "sum": 1.0},
    }
    for bounds in (None, (-5.0, 5.0)):
        solution = sg.optim.nlp(lambda x: x @ x - 4 * x[0], np.zeros(2), bounds=bounds, solver=name, **rows)
        np.testing.assert_allclose(solution.x, [1.5, -0.5], atol=1e-5)
        np.testing.assert_allclose([solution.multipliers[k] for k in ("none", "sum")], [0.0, -1.0], atol=1e-5)
    free = sg.optim.nlp(lambda x: ((x - 1) ** 2).sum(), np.zeros(2), bounds=(-5.0, 5.0), solver=name)
    np.testing.assert_allclose(free.x, 1.0, atol=1e-5)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", [solver(n) for n in QUADRATIC])
def test_quadratic_solvers_say_what_is_infeasible_and_what_is_unbounded(name):
    rows = {"constraints": lambda x: {"sum": x.sum()}, "solver": name}
    worst = sg.optim.nlp(lambda x: x @ x, np.zeros(2), bounds=(0.0, 1.0), lb=3.0, ub=None, **rows)
    assert (worst.status, worst.success, worst.worst[0][0]) == ("infeasible", False, "sum")
    assert sg.optim.nlp(lambda x: x[0] ** 2 + x[1], np.zeros(2), lb=None, ub=1.0, **rows).status == "unbounded"


@pytest.mark.skipif(not is_installed("piqp"), reason="PIQP is not installed")
def test_a_budget_of_time_is_not_for_piqp():
    with pytest.raises(ArgumentError, match=r"PIQP does not look at the clock. Use max_steps="):
        sg.optim.nlp(lambda x: x @ x, np.ones(2), solver="piqp", max_time=1.0)


@pytest.mark.parametrize(
    ("f", "g", "linear", "quadratic"),
    [
        (lambda x: x @ x, lambda x: 2 * x[0] + x[1], True, True),
        (lambda x: x @ x, lambda x: x[0] * x[1], False, False),
        (lambda x: (x**3).sum(), lambda x: x[0], True, False),
        (lambda x: x @ x, lambda x: sg.floor(x[0]), False, False),
        (lambda x: x.abs().sum(), lambda x: x[0], True, False),
        (lambda x: x.sum(), lambda x: sg.stack([x[0], x[1]]), True, True),
    ],
)
def test_linear_and_quadratic_parts_are_known(f, g, linear, quadratic):
    derivatives = sg.optim.NLP(f, np.ones(2), constraints=g).derivatives
    assert (derivatives.is_linear, derivatives.is_quadratic) == (linear, quadratic)


def test_a_program_that_is_not_convex_is_no_quadratic_solvers():
    problem = sg.optim.NLP(lambda x: x[0] * x[1], np.array([0.3, 0.2]), bounds=(-1.0, 1.0))
    assert problem.derivatives.is_quadratic
    solution = problem.solve()
    assert solution.solver not in QUADRATIC
    np.testing.assert_allclose(solution.f, -1.0, rtol=1e-6)


def test_what_belongs_to_one_point_is_computed_once():
    derivatives = sg.optim.NLP(lambda x: x @ x, np.ones(2), constraints=lambda x: sg.exp(x)).derivatives
    for point in (np.ones(2), np.array([1.0, 2.0])):
        np.testing.assert_allclose(derivatives.objective(point, ()), point @ point)
        derivatives.constraints(point, ())[:] = 0.0  # a copy
        np.testing.assert_allclose(derivatives.constraints(point, ()), np.exp(point))
        derivatives.gradient(point, ())[:] = 0.0
        np.testing.assert_allclose(derivatives.gradient(point, ()), 2 * point)
        np.testing.assert_allclose(derivatives.jacobian(point, ()), np.exp(point))
    assert {name: count for name, (count, _) in derivatives.calls.items()} == {"values": 2, "slopes": 2}


def test_entries_are_those_of_dense_derivatives():
    def f(x, p):
        return p * (x[1:] - x[:-1] ** 2).pow(2).sum() + sg.exp(x[0])

    def g(x, p):
        return sg.cat([x[1:] * x[:-1] * p, x[:1] + x[-1:]])

    rng = np.random.default_rng(0)
    x, multipliers, thetas = rng.normal(size=6), rng.normal(size=6), (np.float64(0.7),)
    derivatives: Derivatives = sg.optim.NLP(f, x, 0.7, constraints=g).derivatives
    for _ in range(3):  # by NumPy, and by machine code where it is ready
        jacobian = derivatives.jacobian_pattern.matrix(derivatives.jacobian(x, thetas))
        np.testing.assert_allclose(jacobian.toarray(), sg.jacobian(g)(x, 0.7), atol=1e-12)
        entries = derivatives.hessian(x, 2.0, multipliers, thetas)
        lagrangian = sg.hessian(lambda x: 2.0 * f(x, 0.7) + multipliers @ g(x, 0.7))
        hessian = derivatives.hessian_pattern.matrix(entries, symmetric=True)
        np.testing.assert_allclose(hessian.toarray(), lagrangian(x), atol=1e-11)
        np.testing.assert_allclose(derivatives.gradient(x, thetas), sg.grad(f)(x, 0.7))
    assert np.all(derivatives.hessian_pattern.rows >= derivatives.hessian_pattern.columns)
    assert len(derivatives.jacobian_pattern.rows) == 12


# ------------------------------------------------------------------ solutions as functions
def central(f, p, h=1e-4):
    return (np.asarray(f(p + h)) - np.asarray(f(p - h))) / (2 * h)


def test_solutions_and_multipliers_are_differentiable():
    def parts(p):
        solution = hs71(p, "slsqp", tol=1e-11)
        return sg.stack([*solution.x, solution.f, solution.multipliers["sphere"], solution.bound_multipliers[0]])

    plain = lambda p: parts(sg.tensor(p, requires_grad=True)).detach().numpy()
    forward = sg.jvp(parts, (1.0,), (1.0,))[1]
    np.testing.assert_allclose(forward, central(plain, 1.0), atol=2e-4)
    np.testing.assert_allclose(sg.jacobian(parts)(1.0), forward, atol=1e-9)
    second = sg.jacobian(sg.jacobian(parts))(1.0)
    np.testing.assert_allclose(second, central(lambda p: sg.jacobian(parts)(p), 1.0), rtol=1e-3, atol=1e-3)


def test_the_gradient_of_f_is_the_price_that_multipliers_say():
    def least(b):
        return sg.optim.nlp(lambda x, b: x @ x, np.ones(2), b, constraints=lambda x, b: x.sum() - b).f

    solution = sg.optim.nlp(lambda x: x @ x, np.ones(2), constraints=lambda x: x.sum(), lb=2.0, ub=2.0)
    np.testing.assert_allclose(sg.grad(least)(2.0), solution.multipliers, rtol=1e-6)
    np.testing.assert_allclose(sg.grad(sg.grad(least))(2.0), 1.0, rtol=1e-6)


def test_tensors_from_outside_are_parameters():
    p = sg.tensor(3.0, requires_grad=True)
    x = sg.optim.nlp(lambda x: ((x - p) ** 2).sum(), np.zeros(2), solver="slsqp").x
    x.sum().backward()
    np.testing.assert_allclose(p.grad, 2.0, rtol=1e-8)


def test_a_bound_that_is_active_by_chance_has_no_derivative():
    at = lambda p: sg.optim.nlp(lambda x, p: (x - p) ** 2, 0.5, p, bounds=(1.0, None), solver="slsqp").x
    assert sg.grad(at)(0.5) == 0.0
    np.testing.assert_allclose(sg.grad(at)(1.5), 1.0)
    with pytest.raises(NotDifferentiable, match="x is at its end with a multiplier of 0"):
        sg.grad(at)(1.0)


def test_repeated_constraints_have_no_derivative():
    def at(p):
        g = lambda x, p: {"sum": x.sum() - p, "twice": 2 * x.sum() - 2 * p}
        return sg.optim.nlp(lambda x, p: x @ x, np.ones(2), p, constraints=g, solver="trust-constr").multipliers["sum"]

    with pytest.raises(LinAlgError, match=r"gradient of (sum|twice) is a combination of those of other active"):
        sg.grad(at)(1.0)


def test_a_valley_has_no_derivative():
    at = lambda p: sg.optim.nlp(lambda x, p: (x.sum() - p) ** 2, np.ones(2), p, solver="slsqp").x[0]
    with pytest.raises(LinAlgError, match="f is level along some direction"):
        sg.grad(at)(1.0)


def test_variables_that_bounds_fix_are_parameters():
    for name in ("slsqp", "trust-constr"):
        at = lambda p, name=name: sg.optim.nlp(
            lambda x, p: ((x - p) ** 2).sum(), np.ones(2), p, bounds=[(2.0, 2.0), (0.5, 3.0)], solver=name
        )
        solution = at(1.5)
        np.testing.assert_allclose(solution.x, [2.0, 1.5], atol=1e-6)
        np.testing.assert_allclose(solution.bound_multipliers[0], 1.0, atol=1e-6)
        np.testing.assert_allclose(sg.jacobian(lambda p, at=at: at(p).x)(1.5), [0.0, 1.0], atol=1e-6)
    fixed = sg.optim.nlp(lambda x: x @ x, np.ones(2), bounds=(2.0, 2.0), solver="slsqp")
    np.testing.assert_allclose(fixed.x, [2.0, 2.0])


def test_what_is_no_minimum_has_no_derivative():
    at = lambda p: sg.optim.nlp(lambda x, p: x**2, 0.0, p, constraints=lambda x, p: x**2 + p, solver="slsqp").x
    with pytest.raises(NotDifferentiable, match=r"not a minimum.*the status is 'infeasible'"):
        sg.grad(at)(1.0)


# ------------------------------------------------------------------ solved again
def test_a_problem_is_compiled_once_for_all_parameters():
    traces = []

    def f(x, p):
        traces.append(p)
        return ((x - p) ** 2).sum()

    problem = sg.optim.NLP(f, np.zeros(3), np.ones(3))
    for p in (np.ones(3), np.arange(3.0)):
        np.testing.assert_allclose(problem.solve(p, solver="slsqp").x, p, atol=1e-7)
    assert len(traces) == 1


@pytest.mark.skipif(not is_installed("nlp"), reason="IPOPT is not installed")
def test_a_warm_start_takes_fewer_iterations():
    problem = sg.optim.NLP(
        lambda x, p: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (p - x[:-1]) ** 2).sum(),
        np.full(10, -1.0), 1.0, constraints=lambda x, p: x @ x, lb=-np.inf, ub=5.0, bounds=(None, 0.9),
    )  # fmt: skip
    cold = problem.solve(solver="ipopt")
    warm = problem.solve(1.001, start=cold, solver="ipopt")
    assert warm.success
    assert warm.iterations < cold.iterations / 2


@pytest.mark.parametrize("name", [solver("uno"), solver("osqp")])
def test_warm_starts_of_other_solvers_take_fewer_iterations(name):
    weights = np.random.default_rng(0).normal(size=(4, 6))
    problem = sg.optim.NLP(
        lambda x: 0.5 * x @ x + x[0] * x[1] - x.sum(), np.zeros(6), constraints=lambda x: weights @ x,
        lb=-0.1, ub=0.2, bounds=(-0.5, 0.5),
    )  # fmt: skip
    first = problem.solve(solver=name)
    assert problem.solve(solver=name, start=first).iterations < first.iterations


@pytest.mark.parametrize("name", [solver(n) for n in NONLINEAR])
def test_ctrl_c_is_passed_on_and_the_best_iterate_is_kept(name):
    problem = sg.optim.NLP(lambda x: ((x[1:] - x[:-1] ** 2) ** 2).sum() + ((1 - x) ** 2).sum(), -np.ones(5))
    keys = iter([lambda: os.kill(os.getpid(), signal.SIGINT)])  # once: Uno ends the process at the second
    with pytest.raises(KeyboardInterrupt):
        problem.solve(solver=name, callback=lambda *_: next(keys, bool)())
    assert problem.best.shape == (5,)


def test_steps_are_shown_to_a_callback_that_may_end_them():
    seen = []
    solution = hs71(name="slsqp", callback=lambda x, step: seen.append((x, step.f)) or len(seen) == 2)
    assert len(seen) == 2
    assert seen[0][0].shape == (4,)
    assert (solution.status, solution.success) == ("stopped", False)


@pytest.mark.parametrize("name", [solver(n) for n in NONLINEAR])
def test_a_budget_of_time_returns_the_best_iterate(name):
    stopped = hs71(name=name, max_time=0.0)
    assert (stopped.status, stopped.success) == ("time limit", False)
    np.testing.assert_allclose(stopped.x, [1.0, 5.0, 5.0, 1.0])


# ------------------------------------------------------------------ what goes wrong
@pytest.mark.parametrize("name", [solver("ipopt"), solver("uno"), solver("trust-constr")])
def test_a_constraint_that_no_step_lowers_is_infeasible(name):
    solution = sg.optim.nlp(lambda x: x @ x, np.ones(2), constraints=lambda x: {"sphere": x @ x + 1}, solver=name)
    assert solution.status == "infeasible"


@pytest.mark.parametrize("name", [solver("ipopt"), solver("slsqp")])
def test_infeasible_programs_name_the_worst_row(name):
    g = lambda x: {"far": x + 10.0, "near": x}
    solution = sg.optim.nlp(
        lambda x: x @ x, np.ones(2), constraints=g, lb={"far": -np.inf}, ub={"near": np.inf}, solver=name
    )
    assert (solution.status, solution.success) == ("infeasible", False)
    assert any(row.startswith("far[") for row, _ in solution.worst)
    assert "worst rows: " in str(solution)


@pytest.mark.skipif(not is_installed("nlp"), reason="IPOPT is not installed")
def test_errors_of_functions_come_through_the_solver():
    def stop(x, step):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        hs71(name="ipopt", callback=stop)
    with pytest.raises(ArgumentError, match="IPOPT does not take the option no_such=1"):
        hs71(name="ipopt", options={"no_such": 1})
    many = sg.optim.nlp(lambda x: x**2, 1.0, constraints=lambda x: sg.stack([x - 1, x - 2]), solver="ipopt")
    assert many.status == "overdetermined"
    falls = sg.optim.nlp(lambda x: x, 0.0, solver="ipopt")
    assert falls.status == "unbounded"


@pytest.mark.parametrize("name", [solver(n) for n in NONLINEAR[:3]])
def test_an_objective_without_a_minimum_is_unbounded(name):
    assert sg.optim.nlp(lambda x: -(x**3).sum(), np.ones(2), solver=name).status == "unbounded"


@pytest.mark.parametrize("name", [solver(n) for n in NONLINEAR])
def test_an_objective_that_falls_for_ever_ends_the_run_early(name):
    rows = {"constraints": lambda x: x.sum(), "lb": None, "ub": 1.0}
    solution = sg.optim.nlp(lambda x: x[0] ** 2 + x[1], np.zeros(2), solver=name, **rows)
    assert (solution.status, solution.success) == ("unbounded", False)
    assert solution.iterations < 100


def test_scipys_solvers_end_where_nothing_changes():
    flat = sg.optim.nlp(lambda x: (x[0] - x[1]) ** 2, [3.0, 3.0], bounds=(-5.0, 5.0), solver="trust-constr")
    assert (flat.status, flat.stationarity) == ("solved", 0.0)
    ring = sg.optim.nlp(  # Hock and Schittkowski's number 7
        lambda x: sg.log(1 + x[0] ** 2) - x[1], [2.0, 2.0], solver="slsqp",
        constraints=lambda x: (1 + x[0] ** 2) ** 2 + x[1] ** 2 - 4,
    )  # fmt: skip
    np.testing.assert_allclose(ring.f, -np.sqrt(3.0), rtol=1e-8)
    assert max(flat.iterations, ring.iterations) < 300


@pytest.mark.parametrize("name", [solver(n) for n in NONLINEAR])
def test_what_is_returned_is_finite(name):
    def g(x):
        return {"root": sg.sqrt(x - 0.5) - 0.1 * x}

    solution = sg.optim.nlp(lambda x: x @ x, np.ones(2), constraints=g, lb=-1.0, ub=0.2, solver=name, max_steps=30)
    assert np.all(np.isfinite(solution.x))
    assert np.isfinite(solution.f)
    assert solution.success or "root[0] is nan" in solution.message


@pytest.mark.parametrize(
    ("error", "words", "options"),
    [
        (ArgumentError, r"bounds of x\[1\] are 2 and 1", {"bounds": (np.array([0.0, 2.0]), np.ones(2))}),
        (ArgumentError, r"lb: the block 'dynamic' does not.*Did you mean 'dynamics'\?$", {"lb": {"dynamic": 0.0}}),
        (ArgumentError, r"ub: got shape \[3\] for dynamics. Expected \[2\]", {"ub": {"dynamics": np.ones(3)}}),
        (ArgumentError, r"lb and ub of dynamics\[0\] are 1 and 0", {"lb": {"dynamics": 1.0}, "ub": 0.0}),
        (ArgumentError, "solver='newton' is unknown. Expected one of 'auto', 'ipopt'", {"solver": "newton"}),
        (ArgumentError, r"dynamics\[1\] is nan at the start", {"x0": np.array([1.0, -1.0])}),
        (ArgumentError, r"x\[1\] is nan at the start", {"x0": np.array([1.0, np.nan])}),
        (ArgumentError, "clarabel solves quadratic programs with linear", {"solver": "clarabel"}),
        (ArgumentTypeError, "lb: got '1' for dynamics. Expected real numbers", {"lb": "1"}),
        (ArgumentTypeError, "lb: got 1j for dynamics. Expected real numbers", {"lb": {"dynamics": 1j}}),
        (ShapeError, r"bounds: got shape \[3\] for an unknown of shape \[2\]", {"bounds": (np.zeros(3), 1.0)}),
        (ArgumentError, "got tol=-1", {"tol": -1.0}),
        (ArgumentError, "got max_steps=-1", {"max_steps": -1}),
        (ArgumentError, "got max_time=nan. Expected seconds", {"max_time": np.nan}),
        (ArgumentError, "backend='x' is unknown", {"backend": "x"}),
        (ArgumentError, "slsqp|SLSQP does not take these options", {"solver": "slsqp", "options": {"no_such": 1}}),
        (ArgumentError, "trust-constr does not take .*no_such", {"solver": "trust-constr", "options": {"no_such": 1}}),
        (ArgumentTypeError, r"got str at result\['b'\]", {"constraints": lambda x: {"a": x, "b": "text"}}),
        (ArgumentTypeError, "constraints must be a function, got int", {"constraints": 3}),
        (ArgumentError, "lb and ub are bounds on constraints", {"constraints": None, "lb": 1.0}),
        (ArgumentError, "hold a tensor that requires grad", {"lb": {"dynamics": sg.tensor(0.0, requires_grad=True)}}),
    ],
)
def test_bad_input_is_named(error, words, options):
    given = {"x0": np.ones(2), "constraints": lambda x: {"dynamics": sg.log(x)}, **options}
    with pytest.raises(error, match=words):
        sg.optim.nlp(lambda x: x @ x, **given)


def test_arguments_of_another_shape_are_refused():
    problem = sg.optim.NLP(lambda x, p: ((x - p) ** 2).sum(), np.zeros(2), np.ones(2))
    with pytest.raises(ShapeError, match="Expected \\[\\(2,\\)\\]"):
        problem.solve(np.ones(3))
    with pytest.raises(ShapeError, match="x0 has shapes"):
        problem.solve(x0=np.ones(3))
    with pytest.raises(ArgumentError, match="the structure of the arguments differs"):
        problem.solve(np.ones(2), 1.0)
    with pytest.raises(ArgumentError, match=r"x0 has the blocks \['a'\]. Expected one array"):
        problem.solve(x0={"a": np.ones(2)})
    with pytest.raises(ArgumentTypeError, match="start must be an earlier solution, got int"):
        problem.solve(start=3)


def test_a_solver_that_is_not_installed_says_how_it_is(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cyipopt", None)
    with pytest.raises(MissingExtra, match=r"nlp: solver='ipopt' needs cyipopt-wheels.*extra 'nlp'"):
        hs71(name="ipopt")


def test_the_report_and_the_history_of_a_structure():
    solution = hs71(name="slsqp")
    assert [h.f for h in solution.history][-1] == pytest.approx(17.0140173)
    assert solution.evaluations.keys() == {"values", "slopes"} == solution.times.keys() - {"total"}
    pytest.importorskip("matplotlib").use("Agg")
    assert solution.plot().get_xlabel() == "step"
    nested = sg.optim.nlp(
        lambda x: (x["pose"]["angle"] ** 2).sum() + x["mass"] ** 2, {"pose": {"angle": np.ones(2)}, "mass": 1.0},
        constraints=lambda x: (x["mass"], [x["pose"]["angle"]]), lb=0.5, ub=np.inf,
        bounds={"mass": (0.75, None)},
    )  # fmt: skip
    assert {"mass ≥ 0.75", "g[1][0][0] ≥ 0.5", "g[1][0][1] ≥ 0.5"} == set(nested.active)


def on_the_disk(start, **how):
    """Minimise a weighted distance to (2, 3) on a disk, above a line, by SciPy's words."""
    optimize = pytest.importorskip("scipy.optimize")
    return sg.optim.minimize(
        lambda p, w: w * (p["a"] - 2) ** 2 + (p["b"] - 3) ** 2,
        start,
        2.0,
        constraints=[
            {"type": "ineq", "fun": lambda p, r: r - p["a"] ** 2 - p["b"] ** 2, "args": (4.0,)},
            optimize.LinearConstraint([[1.0, -1.0]], 0.0, 0.5),
            optimize.NonlinearConstraint(lambda p: p["a"] * p["b"], -np.inf, 10.0),
        ],
        **how,
    )


@pytest.mark.parametrize("method", [solver("ipopt")])
def test_minimize_gives_scipys_program_to_ipopt(method):
    optimize, start = pytest.importorskip("scipy.optimize"), {"a": 0.5, "b": 0.5}
    steps = []
    for bounds in ({"a": (0, 1.2)}, optimize.Bounds([0.0, -np.inf], [1.2, np.inf])):
        record = on_the_disk(start, method=method, bounds=bounds, callback=steps.append)
        expected = on_the_disk(start, method="SLSQP", bounds=bounds, tol=1e-12)
        assert (record.success, record.status) == (True, 0)
        for name in ("a", "b"):
            np.testing.assert_allclose(
                [record.x[name], record.jac[name]], [expected.x[name], expected.jac[name]], rtol=1e-6
            )
        np.testing.assert_allclose(record.fun, expected.fun, rtol=1e-7)
    assert set(steps[0]) == {"a", "b"}
    assert record.solution.active == ("constraints[1][0] ≥ 0", "a ≤ 1.2")


@pytest.mark.parametrize("method", [solver("ipopt")])
def test_ipopts_minimum_is_a_function_of_the_arguments(method):
    def least(r):
        inside = {"type": "ineq", "fun": lambda x, s: s - (x**2).sum(), "args": (r,)}
        return sg.optim.minimize(
            lambda x, c: ((x - c) ** 2).sum(), [0.1, 0.2], r * 3, method=method, constraints=inside
        )

    # x is the point of the disk that is nearest to (3 r, 3 r): f = (3 √2 r − √r)²
    np.testing.assert_allclose(
        sg.grad(lambda r: least(r).fun)(4.0), 2 * (12 * 2**0.5 - 2) * (3 * 2**0.5 - 0.25), rtol=1e-6
    )
    np.testing.assert_allclose(sg.grad(lambda r: least(r).x.sum())(4.0), 2**0.5 / 4, rtol=1e-6)


@pytest.mark.parametrize("method", [solver("ipopt")])
def test_minimize_passes_limits_and_stops_to_ipopt(method):
    quartic = lambda x: ((x - 1) ** 4).sum() + (x**2).sum()

    def stop(intermediate_result):
        raise StopIteration

    assert sg.optim.minimize(quartic, [5.0, 6.0], method=method, callback=stop).nit <= 1
    short = sg.optim.minimize(quartic, [5.0, 6.0], method=method, options={"maxiter": 1})
    assert (short.success, short.status, short.solution.status) == (False, 1, "iteration limit")
    optimize = pytest.importorskip("scipy.optimize")
    feasible = optimize.NonlinearConstraint(lambda x: x.sum(), 0.0, 1.0, keep_feasible=True)
    with pytest.raises(ArgumentError, match="Leave keep_feasible out"):
        sg.optim.minimize(quartic, [5.0, 6.0], method=method, constraints=feasible)


def test_many_constraints_of_trust_constr_have_sparse_jacobians():
    optimize, n = pytest.importorskip("scipy.optimize"), 60
    f = lambda x: ((x - 1) ** 2).sum()
    total = optimize.LinearConstraint(np.ones((1, n)), -np.inf, 40.0)
    for g in (lambda x: x[1:] * x[:-1], lambda x: x[1:] * x[:-1] * (1.0 + 0 * x[0].detach().item())):
        limits = [optimize.NonlinearConstraint(g, -np.inf, 0.5), total]
        result = sg.optim.minimize(f, np.zeros(n), method="trust-constr", constraints=limits)
        assert all(not isinstance(jac, np.ndarray) for jac in result.jac)
        assert result.success
        assert np.max(result.x[1:] * result.x[:-1]) <= 0.5 + 1e-6


def loop(n, **options):
    """Return a discrete regulator, whose stages a Python loop writes."""

    def cost(v):
        return sum(v["x"][k] @ v["x"][k] + v["u"][k] ** 2 for k in range(n))

    def dynamics(v):
        x, u = v["x"], v["u"]
        return {f"step{k}": x[k + 1] - sg.stack([x[k, 0] + 0.1 * x[k, 1], x[k, 1] + 0.1 * u[k] - 0.1 * sg.sin(x[k, 0])])
                for k in range(n)} | {"start": x[0] - np.array([1.0, 0.0])}  # fmt: skip

    return sg.optim.NLP(cost, {"x": np.zeros((n + 1, 2)), "u": np.zeros(n)}, constraints=dynamics, **options)


def test_programs_of_python_loops_do_not_grow_with_the_horizon():
    few, many = loop(20), loop(50)
    for name in ("objective", "gradient", "constraints", "jacobian", "hessian"):
        sizes = [len(p.derivatives.programs[name].steps()) for p in (few, many)]
        assert sizes[0] == sizes[1], name
    assert many.rows.name(70) == "step35[0]"
    assert len(many.derivatives.jacobian_pattern.rows) == 50 * 7 + 2
    solution = few.solve(solver="trust-constr", tol=1e-6)
    assert solution.success, solution


def test_errors_name_stages_of_python_loops():
    with pytest.raises(
        ArgumentError, match=r"block 'step' does not exist. Expected some of \['step0', .*, …, 'start'\]"
    ):
        loop(20, lb={"step": 0.0})
    start = {"x": np.zeros((21, 2)), "u": np.zeros(20)}
    start["x"][7, 0] = np.inf
    with pytest.raises(ArgumentError, match=r"x\[7, 0\] is inf at the start"):
        loop(20).solve(x0=start)
    start["x"][7, 0] = 1e200
    with pytest.raises(ArgumentError, match="f is inf at the start"):
        loop(20).solve(x0=start)


@pytest.mark.parametrize(
    ("ends", "low", "high"),
    [
        ({}, [0.0] * 2, [0.0] * 2),
        ({"lb": 0.0}, [0.0] * 2, [np.inf] * 2),
        ({"ub": [1.0, np.inf]}, [-np.inf, 0.0], [1.0, np.inf]),
        ({"lb": [None, 0.5], "ub": [2.0, None]}, [-np.inf, 0.5], [2.0, np.inf]),
        ({"lb": {"a": [-np.inf, 0.5]}}, [-np.inf, 0.5], [0.0, np.inf]),
        ({"lb": -1e20, "ub": 1e20}, [-np.inf] * 2, [np.inf] * 2),
    ],
)
def test_an_end_that_is_not_passed_is_infinite_beside_a_number_and_zero_elsewhere(ends, low, high):
    named = isinstance(ends.get("lb"), dict)
    problem = sg.optim.NLP(
        lambda x: x @ x, np.ones(2), constraints=lambda x: {"a": x * 1.0} if named else x * 1.0,
        bounds=([0.0, None], [None, 3.0]), **ends,
    )  # fmt: skip
    np.testing.assert_array_equal([problem.lb, problem.ub], [low, high])
    np.testing.assert_array_equal([problem.low, problem.high], [[0.0, -np.inf], [np.inf, 3.0]])


def test_lists_of_ends_go_by_block_where_constraints_are_a_list():
    problem = sg.optim.NLP(lambda x: x @ x, np.ones(2), constraints=lambda x: [x, 2 * x], lb=[1.0, None], ub=[2.0, 5.0])
    np.testing.assert_array_equal([problem.lb, problem.ub], [[1.0, 1.0, -np.inf, -np.inf], [2.0, 2.0, 5.0, 5.0]])
