"""SciPy's optimisers with symgrad's derivatives, on any structure of arrays."""

import dataclasses
import importlib.util
from typing import NamedTuple

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError
from symgrad.optim.limits import flat_constraints, reading
from symgrad.optim.vectors import Checked, Vector

optimize = pytest.importorskip("scipy.optimize")

START = np.array([1.3, 0.7, 0.8, 1.9, 1.2])
WITH_GRADIENT = ["CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP"]
WITH_HESSIAN = ["Newton-CG", "trust-ncg", "trust-krylov", "trust-exact", "trust-constr"]
WITHOUT = ["Nelder-Mead", "Powell"]


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def bowl(p):
    return ((p["w"] - 2) ** 2).sum() + 3 * (p["b"] + 1) ** 2


@pytest.mark.parametrize("kernels", [True, False], ids=["compiled", "eager"])
@pytest.mark.parametrize("method", [None, *WITH_GRADIENT, *WITH_HESSIAN, *WITHOUT])
def test_every_method_finds_the_minimum(method, kernels):
    found = sg.optim.minimize(rosenbrock, START, method=method, compile=kernels)
    assert found.success
    np.testing.assert_allclose(found.x, np.ones(5), atol=5e-2 if method in WITHOUT else 1e-3)


def test_a_method_for_convex_functions_gets_the_hessian():
    found = sg.optim.minimize(lambda x: (x**4 + x**2).sum(), np.array([1.0, -2.0]), method="dogleg")
    assert found.success
    assert found.nhev > 0
    np.testing.assert_allclose(found.x, 0.0, atol=1e-5)


@pytest.mark.parametrize("method", WITH_GRADIENT)
def test_no_evaluation_is_spent_on_differences(method):
    ours = sg.optim.minimize(rosenbrock, START, method=method)
    exact = optimize.minimize(optimize.rosen, START, jac=optimize.rosen_der, method=method)
    assert (ours.nfev, ours.nit) == (exact.nfev, exact.nit)


@pytest.mark.parametrize("method", WITH_HESSIAN)
def test_iterations_are_those_with_the_exact_hessian(method):
    ours = sg.optim.minimize(rosenbrock, START, method=method)
    exact = optimize.minimize(optimize.rosen, START, jac=optimize.rosen_der, hess=optimize.rosen_hess, method=method)
    assert abs(ours.nit - exact.nit) <= 1


class Pair(NamedTuple):
    w: object
    b: object


@dataclasses.dataclass
class Parts:
    w: object
    b: object


MAKERS = {
    "dict": (lambda w, b: {"w": w, "b": b}, lambda p: (p["w"], p["b"])),
    "list": (lambda w, b: [w, b], tuple),
    "tuple": (lambda w, b: (w, b), tuple),
    "named tuple": (Pair, lambda p: (p.w, p.b)),
    "dataclass": (Parts, lambda p: (p.w, p.b)),
    "nested": (lambda w, b: {"first": [w, None], "second": (b, "text")}, lambda p: (p["first"][0], p["second"][0])),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_the_result_has_the_structure_of_the_start(kind):
    make, parts = MAKERS[kind]

    def loss(p):
        w, b = parts(p)
        return ((w - 2) ** 2).sum() + 3 * (b + 1) ** 2

    start = make(np.zeros((2, 3)), 0.5)
    found = sg.optim.minimize(loss, start)
    assert type(found.x) is type(start)
    w, b = parts(found.x)
    np.testing.assert_allclose(w, np.full((2, 3), 2.0), atol=1e-5)
    assert type(b) is float
    assert b == pytest.approx(-1.0, abs=1e-5)
    np.testing.assert_allclose(parts(found.jac)[0], 2 * (w - 2), atol=1e-12)


def test_float32_is_computed_in_float64_and_returned_as_float32():
    def loss(x):
        assert x.dtype == sg.float64
        return ((x - 1 / 3) ** 2).sum()

    found = sg.optim.minimize(loss, np.zeros(3, np.float32), tol=1e-12)
    assert found.x.dtype == np.float32
    np.testing.assert_allclose(found.x, np.full(3, 1 / 3, np.float32), rtol=1e-7)
    assert found.fun < 1e-20


STARTS = {
    "list of numbers": ([1.0, 2], np.ndarray),
    "nested lists": ([[1, 2], [3, 4]], np.ndarray),
    "integers": (np.array([1, 2]), np.ndarray),
    "matrix": (np.ones((2, 2)), np.ndarray),
    "number": (3, float),
    "tensor": (sg.tensor([1.0, 2.0], requires_grad=True), sg.Tensor),
}


@pytest.mark.parametrize("name", STARTS)
def test_x_is_of_the_kind_of_x0(name):
    start, kind = STARTS[name]
    found = sg.optim.minimize(lambda x: ((x - 0.5) ** 2).sum(), start)
    assert type(found.x) is kind
    assert np.shape(found.x) == np.shape(start)
    np.testing.assert_allclose(np.asarray(found.x), np.full(np.shape(start), 0.5), atol=1e-6)


def test_further_arguments_are_arrays_or_options():
    def loss(x, data, power, scale):
        return (abs(x - data["target"]) ** power).sum() * scale

    data = {"target": np.array([1.0, 2.0])}
    found = sg.optim.minimize(loss, np.zeros(2), (data, 2, sg.tensor(3.0)))
    np.testing.assert_allclose(found.x, [1.0, 2.0], atol=1e-6)
    alone = sg.optim.minimize(lambda x, t: ((x - t) ** 2).sum(), np.zeros(2), np.array([1.0, 2.0]))
    np.testing.assert_allclose(alone.x, [1.0, 2.0], atol=1e-6)


# ------------------------------------------------------------------ bounds, constraints, callbacks
def test_bounds_have_the_structure_of_the_start():
    start = {"w": np.zeros((2, 2)), "b": 0.0}
    free = sg.optim.minimize(bowl, start, bounds={"w": None})
    np.testing.assert_allclose(free.x["w"], 2.0, atol=1e-5)
    top = np.array([[1.0, 3.0], [1.5, 5.0]])
    found = sg.optim.minimize(bowl, start, bounds={"w": (None, top), "b": (-0.5, 1)})
    np.testing.assert_allclose(found.x["w"], np.minimum(top, 2.0), atol=1e-5)
    assert found.x["b"] == -0.5
    listed = sg.optim.minimize(lambda p: ((p[0] - 2) ** 2).sum() + p[1] ** 2, [np.zeros(2), 1.0], bounds=[(0, 1), None])
    np.testing.assert_allclose(listed.x[0], 1.0)
    record = sg.optim.minimize(
        lambda p: bowl({"w": p.w, "b": p.b}), Parts(np.zeros(2), 0.0), bounds=Parts((0, 1), None)
    )
    np.testing.assert_allclose(record.x.w, 1.0)


@pytest.mark.parametrize("bounds", [[(0, 0.5), (None, None)], optimize.Bounds([0, -np.inf], [0.5, np.inf])], ids=type)
def test_bounds_of_one_array_are_scipys(bounds):
    found = sg.optim.minimize(lambda x: ((x - 1) ** 2).sum(), [0.0, 0.0], bounds=bounds)
    np.testing.assert_allclose(found.x, [0.5, 1.0], atol=1e-6)


WRONG_BOUNDS = [
    ({"v": (0, 1)}, r"bounds: got \['v'\], which x0 does not have"),
    ({"w": 3}, r"bounds\[0\]: got 3. Expected a pair"),
    ([(0, 1)], "bounds: got list. Expected the structure of x0"),
]


@pytest.mark.parametrize(("bounds", "text"), WRONG_BOUNDS)
def test_bounds_of_another_structure_are_refused(bounds, text):
    with pytest.raises(ValueError, match=text):
        sg.optim.minimize(bowl, {"w": np.zeros(2), "b": 0.0}, bounds=bounds)


def circle(x):
    return x["p"] ** 2 + x["q"] ** 2 - 2


CONSTRAINTS = {
    "SLSQP": {"type": "eq", "fun": circle},
    "SLSQP ": [{"type": "eq", "fun": circle, "jac": lambda x: np.array([[2 * x["p"], 2 * x["q"]]])}],
    "SLSQP  ": {"type": "ineq", "fun": lambda x, r: r - x["p"] ** 2 - x["q"] ** 2, "args": (2.0,)},
    "trust-constr": optimize.NonlinearConstraint(circle, 0, 0),
    "trust-constr ": optimize.NonlinearConstraint(lambda x: [x["p"] ** 2 + x["q"] ** 2, x["q"]], [-9, 1], [2, 9]),
    "trust-constr  ": optimize.LinearConstraint([[1.0, 1.0]], 2.0, 2.0),
}


@pytest.mark.parametrize("method", CONSTRAINTS)
def test_constraints_are_of_the_structure_and_need_no_jacobian(method):
    start = {"p": 2.0, "q": 0.5}
    found = sg.optim.minimize(
        lambda x: (x["p"] - 3) ** 2 + (x["q"] - 3) ** 2, start, method=method.strip(), constraints=CONSTRAINTS[method]
    )
    assert (found.x["p"], found.x["q"]) == pytest.approx((1.0, 1.0), abs=2e-2 if "trust" in method else 1e-4)


def test_bounds_and_constraints_of_trust_constr_go_together():
    distance, a = lambda x, a: ((x - a) ** 2).sum(), sg.tensor(1.3, requires_grad=True)
    how = {"method": "trust-constr", "bounds": [(0.5, 0.9), (None, None)]}
    inside = optimize.NonlinearConstraint(lambda x: x[0] * x[1], 1.8, 2.5)
    found = sg.optim.minimize(distance, [0.7, 1.0], 1.3, constraints=inside, **how)
    assert found.x == pytest.approx([0.9, 2.0], abs=1e-3)
    assert found.grad == pytest.approx(2 * (found.x - 1.3))
    assert [np.shape(j) for j in found.jac] == [(1, 2), (2, 2)]
    line = {"type": "eq", "fun": lambda x: x[0] + x[1] - 2.5}
    followed = sg.optim.minimize(lambda x, a: distance(x, a) + a * x[1], [0.7, 1.5], a, constraints=line, **how)
    assert followed.x.tolist() == pytest.approx([0.9, 1.6], abs=1e-6)
    assert followed.grad.tolist() == pytest.approx([-0.8, 1.9], abs=1e-6)
    assert "jac" not in followed  # of the constraints, which are not followed
    with pytest.raises(ArgumentError, match="x0: got no numbers"):
        sg.optim.minimize(lambda x: (x**2).sum(), np.zeros(0))


def test_a_callback_gets_the_structure():
    seen, results = [], []
    start = {"w": np.zeros(2), "b": 1.0}
    sg.optim.minimize(bowl, start, callback=lambda xk: seen.append(xk))
    found = sg.optim.minimize(bowl, start, callback=lambda intermediate_result: results.append(intermediate_result))
    assert len(seen) == len(results) == found.nit
    for x in (seen[-1], results[-1].x):
        np.testing.assert_allclose(x["w"], found.x["w"])
        assert x["b"] == pytest.approx(found.x["b"])


# ------------------------------------------------------------------ compiled where it can be, else eager
def counted(fun):
    def call(*args):
        call.count += 1
        return fun(*args)

    call.count = 0
    return call


def test_a_compiled_function_runs_in_python_a_few_times_only():
    fun = counted(rosenbrock)
    found = sg.optim.minimize(fun, START, method="CG")
    assert found.nfev > 60
    assert fun.count < 20
    fun = counted(rosenbrock)
    assert fun.count < sg.optim.minimize(fun, START, method="CG", compile=False).nfev <= fun.count


def test_a_function_that_looks_at_values_runs_in_eager_mode():
    fun = counted(lambda x: (x**2).sum() if x[0] > 0.5 else ((x - 1) ** 2).sum())
    found = sg.optim.minimize(fun, np.array([0.2, 0.0]), method="Nelder-Mead")
    assert fun.count >= found.nfev
    np.testing.assert_allclose(found.fun, min((found.x**2).sum(), ((found.x - 1) ** 2).sum()), rtol=1e-6)


def test_a_function_that_draws_random_numbers_is_not_frozen():
    rng = np.random.default_rng(0)

    def noisy(x):
        return ((x - 1) ** 2).sum() + 1e-3 * rng.standard_normal()

    fun = counted(noisy)
    assert (
        fun.count < sg.optim.minimize(fun, np.zeros(2), method="Nelder-Mead", options={"maxfev": 40}).nfev <= fun.count
    )


def test_a_change_of_what_the_function_reads_from_outside_is_noticed():
    centre = {"at": 0.0}
    checked = reading(sg.value_and_grad(lambda x: ((x - centre["at"]) ** 2).sum()), kernels=True)
    x = np.array([1.0, 2.0])
    assert [checked(x)[0] for _ in range(5)] == [5.0] * 5
    centre["at"] = 1.0
    assert [checked(x)[0] for _ in range(5)][-3:] == [1.0] * 3


ERRORS = {
    "several numbers": (lambda: sg.optim.minimize(lambda x: x**2, np.ones(2)), ValueError, r"returned shape \[2\]"),
    "a float": (lambda: sg.optim.minimize(lambda x: float((x**2).sum()), np.ones(2)), RuntimeError, "would be lost"),
    "no number": (lambda: sg.optim.minimize(lambda x: None, np.ones(2)), TypeError, "returned NoneType"),
    "nothing to find": (lambda: sg.optim.minimize(bowl, {}), ValueError, "x0: got no numbers in dict"),
    "booleans": (lambda: sg.optim.minimize(bowl, np.array([True])), TypeError, "x0: got booleans"),
    "fault of the function": (lambda: sg.optim.minimize(lambda x: x["w"], np.ones(2)), IndexError, "valid indices"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_cannot_be_minimised_is_refused(name):
    call, kind, text = ERRORS[name]
    with pytest.raises(kind, match=text):
        call()


CALLS = {
    "minimize": lambda: sg.optim.minimize(rosenbrock, START),
    "least_squares": lambda: sg.optim.least_squares(lambda x: x, START),
    "root": lambda: sg.optim.root(lambda x: x, START),
}


@pytest.mark.parametrize("name", CALLS)
def test_without_scipy_the_extra_is_named(name, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda n, *a: None if n == "scipy" else found(n, *a))
    with pytest.raises(ImportError, match=rf"{name} needs scipy, which is not installed.*the extra 'scipy'"):
        CALLS[name]()


# ------------------------------------------------------------------ least squares and roots
T = np.linspace(0, 2, 9)
DATA = 2.5 * np.exp(-1.3 * T) + 0.5


def model(p, t):
    return p["a"] * sg.exp(-p["k"] * t) + p["c"] - DATA


@pytest.mark.parametrize("options", [{}, {"method": "lm"}, {"loss": "soft_l1"}, {"compile": False}, {"sparse": True}])
def test_least_squares_fits_a_structure_of_parameters(options):
    found = sg.optim.least_squares(model, {"a": 1.0, "k": 1.0, "c": 0.0}, (T,), **options)
    assert (found.x["a"], found.x["k"], found.x["c"]) == pytest.approx((2.5, 1.3, 0.5), abs=1e-6)
    assert set(found.grad) == {"a", "k", "c"}
    assert found.jac.shape == (9, 3)


def test_least_squares_takes_bounds_and_a_structure_of_residuals():
    def residuals(p):
        return {"near": p["x"] - 2, "small": [0.1 * p["x"], p["y"]]}

    found = sg.optim.least_squares(residuals, {"x": np.zeros(2), "y": 0.5}, bounds={"x": (0, 1)})
    np.testing.assert_allclose(found.x["x"], 1.0, atol=1e-6)
    assert found.fun.shape == (5,)
    within = sg.optim.least_squares(lambda x: x - 2, np.full(2, 0.5), bounds=(0, [1.0, 3.0]))
    np.testing.assert_allclose(within.x, [1.0, 2.0], atol=1e-6)


@pytest.mark.parametrize("method", ["hybr", "lm", "krylov", "df-sane"])
def test_roots_are_found(method):
    def equations(p):
        return p["x"] ** 2 + p["y"] - 5, p["x"] - p["y"] + 1

    found = sg.optim.root(equations, {"x": 1.0, "y": 1.0}, method=method)
    assert found.success
    assert equations(found.x) == pytest.approx((0.0, 0.0), abs=1e-4)


def test_a_root_needs_no_differences():
    exact = optimize.root(lambda x: x**3 - 2, np.ones(3), jac=lambda x: np.diag(3 * x**2))
    found = sg.optim.root(lambda x: x**3 - 2, np.ones(3))
    assert (found.nfev, found.njev) == (exact.nfev, exact.njev)
    np.testing.assert_allclose(found.x, exact.x, rtol=1e-12)


# ------------------------------------------------------------------ what depends on arguments
def slopes(y, *args):
    return [g.tolist() for g in sg.autograd.grad(y, args, retain_graph=True)]


def test_results_of_minimize_are_functions_of_its_arguments():
    a = sg.tensor([1.0, 2.0], requires_grad=True)
    quartic = lambda x, a: (x**4 / 12 - a * x).sum()  # least where x³ = 3a, with x² as second derivative
    found = sg.optim.minimize(quartic, [1.0, 1.0], a, method="trust-exact", options={"gtol": 1e-10})
    root = np.cbrt(3 * np.array([1.0, 2.0]))
    np.testing.assert_allclose(found.x.tolist(), root, rtol=1e-7)
    np.testing.assert_allclose(slopes(found.x.sum(), a)[0], root**-2, rtol=1e-6)
    np.testing.assert_allclose(slopes(found.fun, a)[0], -root, rtol=1e-6)
    np.testing.assert_allclose(slopes(found.jac.sum(), a)[0], [0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(slopes(found.hess[1, 1], a)[0], [0.0, 2 / root[1]], rtol=1e-6, atol=1e-12)
    assert isinstance(found.nfev, int)
    with sg.no_grad():
        assert type(sg.optim.minimize(quartic, [1.0, 1.0], a).x) is np.ndarray
    inverse = sg.optim.minimize(quartic, [1.0, 1.0], a, method="BFGS")
    assert "hess_inv" not in inverse
    within = optimize.Bounds([0.0, 0.0], [1.1, 9.0])
    bounded = sg.optim.minimize(quartic, [1.0, 1.0], a, bounds=within, options={"ftol": 1e-14, "gtol": 1e-9})
    np.testing.assert_allclose(bounded.x.tolist(), [1.1, root[1]], rtol=1e-5)
    np.testing.assert_allclose(slopes(bounded.x.sum(), a)[0], [0.0, root[1] ** -2], rtol=1e-4)


def test_arguments_of_constraints_are_followed():
    r = sg.tensor(2.5, requires_grad=True)
    line = {"type": "eq", "fun": lambda x, r: x[0] + 2 * x[1] - r, "args": (r,)}
    found = sg.optim.minimize(lambda x: (x**2).sum(), [1.0, 0.0], method="SLSQP", constraints=line)
    np.testing.assert_allclose(found.x.tolist(), [0.5, 1.0], rtol=1e-6)  # r (1, 2)/5
    np.testing.assert_allclose(slopes(found.x[1], r)[0], 0.4, rtol=1e-6)
    np.testing.assert_allclose(slopes(found.fun, r)[0], 1.0, rtol=1e-6)  # of r²/5


def test_results_of_least_squares_are_functions_of_its_arguments():
    y = sg.tensor([1.0, 2.0, 4.5], requires_grad=True)
    t = np.array([0.5, 1.0, 2.0])
    found = sg.optim.least_squares(lambda p, y: p[0] + p[1] * t**2 - y, [0.0, 0.0], y)
    A = np.column_stack([np.ones(3), t**2])
    hat = np.linalg.solve(A.T @ A, A.T)
    r = A @ hat @ y.detach().numpy() - y.detach().numpy()
    np.testing.assert_allclose(slopes(found.x[1], y)[0], hat[1], rtol=1e-8)
    np.testing.assert_allclose(found.cost.item(), r @ r / 2, rtol=1e-8)
    np.testing.assert_allclose(slopes(found.cost, y)[0], -r, rtol=1e-6)
    np.testing.assert_allclose(found.jac.tolist(), A, rtol=1e-12)
    assert isinstance(found.jac, sg.Tensor)
    with pytest.raises(NotImplementedError, match="loss='linear'"):
        sg.optim.least_squares(lambda p, y: p[0] + p[1] * t**2 - y, [0.0, 0.0], y, loss="soft_l1")
    two = lambda p, y: sg.cat([p[0] - y[0], 3 * (p[1] - y[1])])
    start = [np.full(1, 0.5), np.full(1, 0.5)]
    held = sg.optim.least_squares(two, start, y[:2] + 0.0, bounds=[(0, 0.8), (0, 9)])
    np.testing.assert_allclose([x.item() for x in held.x], [0.8, 2.0], rtol=1e-6)
    np.testing.assert_allclose(slopes(held.x[1].sum() + held.x[0].sum(), y)[0], [0.0, 1.0, 0.0], atol=1e-6)


def test_options_reach_scipy_in_functions_that_are_compiled():
    y = np.array([1.0, 2.0])
    fitted = lambda y, **options: sg.optim.least_squares(lambda p, y: sg.exp(p) - y, [3.0, 3.0], y, **options).x
    np.testing.assert_allclose(sg.compile(fitted)(y), np.log(y), rtol=1e-6, atol=1e-9)
    with pytest.raises(sg.errors.NotConverged, match="did not converge"):
        sg.compile(lambda y: fitted(y, max_nfev=2))(y)
    with pytest.raises(sg.errors.NotYet, match="callback is not called"):
        sg.compile(lambda y: sg.optim.root(lambda x, y: x**3 - y, [1.0, 1.0], y, callback=print).x)(y)


def test_constraints_are_handed_over_whole():
    vector, seen = Vector({"p": 1.5, "q": np.array([0.7])}), []
    c = lambda x: [x["p"] ** 2 * x["q"], x["p"] + x["q"] ** 3]
    own = lambda x, *args: (seen.append((x["p"], args)), np.array([[1.0, 2.0], [3.0, 4.0]]))[1]
    z, v = np.array([1.5, 0.7]), np.array([2.0, 5.0])
    slope = [[2 * 1.5 * 0.7, 1.5**2], [1.0, 3 * 0.7**2]]
    curvature = [[2 * 2 * 0.7, 2 * 2 * 1.5], [2 * 2 * 1.5, 5 * 6 * 0.7]]
    for kernels in (True, False):
        free = flat_constraints(vector, optimize.NonlinearConstraint(c, [0, 1], [2, 3]), optimize, kernels)
        np.testing.assert_allclose(free.jac(z), slope, rtol=1e-14)
        np.testing.assert_allclose(free.hess(z, v), curvature, rtol=1e-14)
        assert (free.lb, free.ub, free.keep_feasible) == ([0, 1], [2, 3], False)
        bound = optimize.NonlinearConstraint(c, 0, 9, jac=own, keep_feasible=True)
        given = flat_constraints(vector, bound, optimize, kernels)
        assert given.keep_feasible
        assert given.jac(z).tolist() == [[1.0, 2.0], [3.0, 4.0]]
        scaled = {"type": "eq", "fun": lambda x, k: k * x["p"], "args": (3.0,)}
        filled, whole = flat_constraints(vector, [scaled, {**scaled, "jac": own}], optimize, kernels)
        assert filled.keys() == {"type", "fun", "jac"}
        assert (filled["fun"](z).tolist(), filled["jac"](z).tolist()) == ([4.5], [[3.0, 0.0]])
        assert whole["jac"](z).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert seen == [(1.5, ()), (1.5, (3.0,))] * 2


def test_callbacks_get_all_that_scipy_tells():
    states, points, start = [], [], {"w": np.array([0.3, 0.9]), "b": 1.0}
    sg.optim.minimize(
        bowl, start, method="trust-constr", callback=lambda xk, state: states.append((xk["b"], state.nit))
    )
    assert [n for _, n in states[:3]] == [1, 2, 3]
    found = sg.optim.root(lambda p: (p["x"] ** 3 - 2, p["y"] - p["x"]), {"x": 1.0, "y": 0.0}, method="krylov",
                          callback=lambda p, f: points.append((p["x"] ** 3 - 2 - f[0], p["y"])))  # fmt: skip
    assert found.success
    assert points
    np.testing.assert_allclose([d for d, _ in points], 0.0, atol=1e-9)


def test_a_kernel_is_compared_at_calls_1_2_4_and_given_up_where_it_differs():
    calls = {"eager": 0, "kernel": 0}

    def counting(name, value):
        def call(x):
            calls[name] += 1
            return value

        return call

    for value, other, counts in ((2.0, 2.0, (5, 20)), (np.nan, np.nan, (5, 20)), (2.0, 2.0 + 1e-6, (20, 1))):
        calls.update(eager=0, kernel=0)
        checked = Checked(counting("eager", value), counting("kernel", other))
        assert [checked(0.0) for _ in range(20)] == pytest.approx([value] * 20, rel=1e-15, nan_ok=True)
        assert (calls["eager"], calls["kernel"]) == counts
    shares = Checked(lambda x: np.array([1e9, 1.0]), lambda x: np.array([1e9, 1.5]))  # of the largest number
    assert [shares(0.0)[1] for _ in range(4)] == [1.0, 1.0, 1.5, 1.0]
