"""Roots and fixed points: values, derivatives in every mode and order, formulas, and what is refused."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import symgrad as sg
from symgrad import errors
from symgrad.solvers.newton import Newton

THETA = 0.7


def _cubic(t):
    return sg.root(lambda x, t: x**3 + t * x - 1, 1.0, t)


def _closed(t, x):
    """x′, x″ of x³ + t·x = 1."""
    first = -x / (3 * x**2 + t)
    return first, -(2 * first + 6 * x * first**2) / (3 * x**2 + t)


def test_a_root_has_its_derivatives_in_every_mode_and_order():
    x = float(_cubic(THETA))
    first, second = _closed(THETA, x)
    assert x**3 + THETA * x == pytest.approx(1, abs=1e-15)
    assert sg.grad(_cubic)(THETA) == pytest.approx(first, rel=1e-12)
    assert sg.jvp(_cubic, (THETA,), (1.0,))[1] == pytest.approx(first, rel=1e-12)
    assert sg.grad(sg.grad(_cubic))(THETA) == pytest.approx(second, rel=1e-12)
    assert sg.func.jacfwd(sg.grad(_cubic))(THETA) == pytest.approx(second, rel=1e-12)


def test_roots_are_mapped_and_compiled():
    ts = np.array([0.1, 0.7, 2.0])
    expected = [_closed(t, float(_cubic(t)))[0] for t in ts]
    assert sg.vmap(sg.grad(_cubic))(ts) == pytest.approx(expected, rel=1e-12)
    assert sg.compile(sg.grad(_cubic))(THETA) == pytest.approx(_closed(THETA, float(_cubic(THETA)))[0], rel=1e-12)


def test_slices_of_roots_are_solved_at_once(monkeypatch):
    ts = np.linspace(0.1, 5, 50)
    expected = [_closed(t, float(_cubic(t))) for t in ts]
    systems = [_affine(np.eye(3) * t + 1, np.ones(3)).numpy() for t in ts[:3]]
    monkeypatch.setattr(Newton, "__call__", None)
    assert sg.vmap(sg.grad(_cubic))(ts) == pytest.approx([e[0] for e in expected], rel=1e-11)
    assert sg.vmap(sg.grad(sg.grad(_cubic)))(ts) == pytest.approx([e[1] for e in expected], rel=1e-11)
    stack = np.eye(3) * ts[:3, None, None] + 1
    assert sg.vmap(_affine, in_axes=(0, None))(stack, np.ones(3)) == pytest.approx(np.array(systems), rel=1e-11)


def test_a_slice_that_fails_is_told():
    square = lambda a: sg.root(lambda x, a: x**2 - a, 1.0, a)
    with pytest.raises(errors.NotConverged, match="residual is 1"):
        sg.vmap(square)(np.array([1.0, -1.0]))
    with pytest.raises(errors.LinAlgError, match="singular"):
        sg.vmap(sg.grad(square))(np.array([1.0, 0.0, 1e6]))


def _affine(A, b):
    return sg.root(lambda x, A, b: A @ x + 0.1 * sg.tanh(x) - b, np.zeros(3), A, b)


def test_a_system_has_the_jacobian_of_the_theorem():
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(3, 3)) + 4 * np.eye(3), np.arange(1.0, 4)
    x = _affine(A, b).numpy()
    inverse = np.linalg.inv(A + 0.1 * np.diag(1 / np.cosh(x) ** 2))
    assert sg.jacobian(_affine, argnums=1)(A, b) == pytest.approx(inverse, rel=1e-11)
    assert sg.func.jacfwd(_affine, argnums=1)(A, b) == pytest.approx(inverse, rel=1e-11)
    assert sg.grad(lambda A: _affine(A, b).sum())(A) == pytest.approx(-np.outer(inverse.sum(0), x), rel=1e-11)


def test_the_hessian_of_a_system_is_that_of_differences():
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(3, 3)) + 4 * np.eye(3), np.arange(1.0, 4)
    slope, h = sg.grad(lambda b: (_affine(A, b) ** 2).sum()), 1e-5
    rows = [(slope(b + h * e) - slope(b - h * e)) / (2 * h) for e in np.eye(3)]
    assert sg.hessian(lambda b: (_affine(A, b) ** 2).sum())(b) == pytest.approx(np.array(rows), abs=1e-8)


def _at(form, **values):
    """The number of a formula where its letters have these values."""
    return form.lambdify()(**{name: np.asarray(values[name]) for name in form.args})


def _slanted(t, v=0.7, w=1.9):
    """(v, w)·x with A(t) x = b(t) of an A that is not symmetric, by Cramer's rule, of numbers of any kind."""
    a, b, c, d = 2 + t[0], t[1], t[0] * t[1], 3 + t[1] * t[1]
    p, q = 1 + t[0] * t[0], t[0] - 2 * t[1]
    return (v * (d * p - b * q) + w * (a * q - c * p)) / (a * d - b * c)


def _slanted_root(t, **how):
    def f(x, t):
        rows = [(2 + t[0]) * x[0] + t[1] * x[1], t[0] * t[1] * x[0] + (3 + t[1] * t[1]) * x[1]]
        return sg.stack([rows[0] - 1 - t[0] * t[0], rows[1] - t[0] + 2 * t[1]])

    x = sg.root(f, [0.1, 0.2], t, **how)
    return 0.7 * x[0] + 1.9 * x[1]


_TWICE = {
    "reverse over reverse": lambda f: sg.func.jacrev(sg.grad(f)),
    "reverse over forward": lambda f: sg.func.jacrev(sg.func.jacfwd(f)),
    "forward over reverse": lambda f: sg.func.jacfwd(sg.grad(f)),
    "forward over forward": lambda f: sg.func.jacfwd(sg.func.jacfwd(f)),
}


@pytest.mark.parametrize("name", _TWICE)
def test_second_derivatives_of_a_system_that_is_not_symmetric_are_mpmaths(name):
    at, f = np.array([0.7, -1.3]), lambda *t: _slanted(t)
    expected = [[float(mpmath.diff(f, tuple(at), n)) for n in row] for row in (((2, 0), (1, 1)), ((1, 1), (0, 2)))]
    assert _TWICE[name](_slanted_root)(at) == pytest.approx(np.array(expected), rel=1e-10)


def test_the_formula_of_a_system_that_is_not_symmetric_is_its_derivative():
    t = sg.tensor([0.7, -1.3], name="t")
    slope = sg.derive(_slanted_root(t), t, verify=True)
    x = [float(_slanted((0.7, -1.3), *w)) for w in ((1.0, 0.0), (0.0, 1.0))]
    expected = [float(mpmath.diff(lambda *t: _slanted(t), (0.7, -1.3), n)) for n in ((1, 0), (0, 1))]
    assert _at(slope, t=t, x=x) == pytest.approx(expected, rel=1e-12)
    assert sg.grad(_slanted_root)(np.array([0.7, -1.3])) == pytest.approx(expected, rel=1e-12)


def test_equal_numbers_of_two_problems_are_not_taken_for_one():
    first = sg.grad(lambda t: sg.root(lambda x, t: x * x - t, 1.0, t))(4.0)  # both have x = 2 at t = 4
    second = sg.grad(lambda t: sg.root(lambda x, t: x**3 * t - 32, 1.0, t))(4.0)
    assert (first, second) == pytest.approx((0.25, -1 / 6), rel=1e-12)


def _quadratic(Q, A, c, b):
    """The minimum of ½ xᵀQx − cᵀx under A x = b and its multipliers, by their linear system."""
    n, k = A.shape[1], A.shape[0]
    K = np.block([[Q, -A.T], [A, np.zeros((k, k))]])
    z = np.linalg.solve(K, np.concatenate([c, b]))
    return z[:n], z[n:]


_BLOCKS = {  # Q, A, c and b at t, with Q singular or not, and more or fewer constraints
    "three unknowns, two equations": (
        lambda t: [[4 + t, 1, t], [1, 3, t * t], [t, t * t, 5]], lambda t: [[1, t, 2], [t, -1, 3]],
        lambda t: [t, 2, 1 - t], lambda t: [2 * t, 1 + t * t],
    ),
    "no inverse": (
        lambda t: [[1 + t, 0, 1 + t], [0, 0, 0], [1 + t, 0, 1 + t]], lambda t: [[1, t, 2], [t, -1, 3]],
        lambda t: [t, 2, 1 - t], lambda t: [2 * t, 1 + t * t],
    ),
    "as many equations": (
        lambda t: [[4 + t, 1], [1, 3]], lambda t: [[1, t], [t, -2]], lambda t: [t, 2], lambda t: [2 * t, 1 + t * t],
    ),
    "one equation": (
        lambda t: [[4 + t, 1], [1, 3]], lambda t: [[1, t]], lambda t: [t, 2], lambda t: [2 * t],
    ),
    "one equation, no inverse": (
        lambda t: [[1 + t, 0], [0, 0]], lambda t: [[1, t]], lambda t: [t, 2], lambda t: [2 * t],
    ),
    "one unknown": (lambda t: [[4 + t]], lambda t: [[t]], lambda t: [t * t], lambda t: [3 + t]),
}  # fmt: skip


@pytest.mark.parametrize("name", _BLOCKS)
def test_blocks_of_lagranges_conditions_are_solved_as_the_whole_system_is(name):
    pytest.importorskip("scipy")
    blocks, at, step = _BLOCKS[name], 0.7, 1e-30

    def parts(t, like):
        return [like(f(t)) for f in blocks]

    x, multipliers = _quadratic(*parts(at + step * 1j, np.array))
    wx, wl = 1.3 + np.arange(len(x)), 0.6 - np.arange(len(multipliers))

    def best(t):
        Q, A, c, b = parts(t, lambda rows: sg.stack([_row(r, t) for r in rows]))
        held = (lambda z: (A @ z - b)[0]) if len(multipliers) == 1 else (lambda z: A @ z - b)
        found = sg.argmin(lambda z: z @ Q @ z / 2 - c @ z, np.ones(len(x)), constraints=held)
        return (wx * found.x).sum(), (wl * found.multipliers).sum()

    t, force = _named(at, "t"), multipliers.real if len(multipliers) > 1 else multipliers.real[0]
    for y, expected in zip(best(t), (wx @ x, wl @ multipliers), strict=True):
        assert y.item() == pytest.approx(expected.real, rel=1e-9)
        form = sg.derive(y, t, verify=True)
        assert _at(form, t=at, z=x.real, λ=force) == pytest.approx(expected.imag / step, rel=1e-8)
    for k, expected in enumerate((wx @ x, wl @ multipliers)):
        assert sg.grad(lambda t, k=k: best(t)[k])(at) == pytest.approx(expected.imag / step, rel=1e-8)


def _row(r, t):
    return sg.stack([v + 0 * t for v in r]) if isinstance(r, list) else r + 0 * t


def test_a_keyword_of_the_solver_stands_at_its_place_in_the_conditions():
    solver = sg.custom_root(lambda x, a, q: x * a - q)(lambda x0, p, a: a / p)
    slopes = sg.grad(lambda p, r: solver(None, p, a=r), argnums=(0, 1))(5.0, 2.0)
    assert slopes == pytest.approx((-2 / 25, 1 / 5))


def test_bounds_of_a_structure_are_one_pair_for_each_array():
    loss = lambda x: ((x[0] - 3) ** 2).sum() + (x[1] - 4) ** 2
    with pytest.raises(errors.ArgumentError, match="bounds: got 1 entries, expected 2, one for each of x0"):
        sg.argmin(loss, (np.ones(2), 1.0), bounds=((0.0, 2.0),))
    pytest.importorskip("scipy")
    x, y = sg.argmin(loss, (np.ones(2), 1.0), bounds=((0.0, 2.0), None))
    assert [*x.tolist(), y.item()] == pytest.approx([2, 2, 4])


def test_a_batch_of_saddles_has_no_minima():
    pytest.importorskip("scipy")
    held = lambda x, a: x.sum() - a
    saddles = sg.vmap(lambda a: sg.argmin(lambda x, a: x[0] * x[1], [1.0, 2.0], a, constraints=held).x)
    with pytest.raises(errors.NotConverged):
        saddles(np.array([1.0, 3.0]))


def test_systems_that_are_nearly_singular_or_not_solved_are_told():
    level = sg.custom_root(lambda x, b: sg.tensor([[1.0, 1.0], [1.0, 1 + 4e-16]]) @ x - b)(lambda x0, b: b / 2)
    slope = sg.jacobian(lambda b: level(np.zeros(2), b))
    with pytest.raises(errors.LinAlgError, match=r"singular at the answer \(2×2\)"):
        slope(np.array([2.0, 2.0]))
    pytest.importorskip("scipy")
    stiff = sg.tensor([[5.0, 2.0, 0.3], [2.0, 3.0, 1.0], [0.3, 1.0, 2.0]])
    for solver in (sg.linalg.cg, sg.linalg.lsqr):
        with pytest.raises(errors.NotConverged, match=r"stopped with a residual of .* Raise its number of steps"):
            solver(stiff, sg.tensor([1.0, -2.0, 3.0]), max_steps=1, tol=1e-12)


@pytest.mark.parametrize("solve", ["gmres", "lsqr", "cg"])
def test_large_systems_are_solved_by_products(solve):
    pytest.importorskip("scipy")
    A = np.diag([2.0, 3.0, 4.0]) + 0.5

    def f(b):
        return sg.root(lambda x, b: sg.tensor(A) @ x + x**3 - b, np.zeros(3), b, solve=solve).sum()

    b = np.ones(3)
    x = sg.root(lambda x: sg.tensor(A) @ x + x**3 - 1, np.zeros(3)).numpy()
    assert sg.grad(f)(b) == pytest.approx(np.linalg.inv(A + np.diag(3 * x**2)).sum(0), rel=1e-8)


def test_unknowns_may_be_structures():
    def f(u, t):
        return {"first": u["p"] ** 2 - t, "second": u["q"] - t * sg.tensor([1.0, 2.0])}

    found = sg.root(f, {"p": 1.0, "q": np.ones(2)}, 4.0)
    assert float(found["p"]) == pytest.approx(2)
    assert found["q"].tolist() == pytest.approx([4, 8])
    assert sg.grad(lambda t: sg.root(f, {"p": 1.0, "q": np.ones(2)}, t)["p"])(4.0) == pytest.approx(0.25)


def test_a_fixed_point_is_found_by_newton_and_by_iteration():
    def f(a, method):
        return sg.fixed_point(lambda x, a: a * sg.cos(x), 1.0, a, method=method)

    x = float(f(0.9, "newton"))
    for method in ("newton", "iterate"):
        slope = sg.grad(f)(0.9, method)
        assert slope == pytest.approx(np.cos(x) / (1 + 0.9 * np.sin(x)), rel=1e-11)


def test_any_solver_gets_the_derivative_of_its_conditions():
    @sg.custom_root(lambda x, a: x**2 - a)
    def square_root(x0, a):
        return a**0.5

    assert sg.grad(lambda a: square_root(None, a))(4.0) == pytest.approx(0.25)
    assert sg.grad(sg.grad(lambda a: square_root(1.0, a)))(4.0) == pytest.approx(-1 / 32)


def test_a_solvers_keywords_are_bound_as_its_signature_says():
    @sg.custom_root(lambda x, theta: x**2 - theta)
    def solve(x0, a=4.0, *, tol=1e-3):
        assert tol in (1e-3, 1e-8)
        return a**0.5

    for call in (lambda a: solve(1.0, a, tol=1e-8), lambda a: solve(1.0, a=a), lambda a: solve(x0=None, a=a, tol=1e-8)):
        assert sg.grad(call)(4.0) == pytest.approx(0.25)
    assert sg.vmap(sg.grad(lambda a: solve(1.0, a=a)))(np.array([1.0, 4.0])) == pytest.approx([0.5, 0.25])
    assert float(sg.custom_root(lambda x, a: x**2 - a)(lambda x0, a=4.0, tol=0.1: a**0.5)(1.0)) == 2
    with pytest.raises(errors.ArgumentError, match="tol=, which the conditions do not take"):
        sg.grad(lambda t: solve(1.0, 4.0, tol=t))(1e-3)
    with pytest.raises(errors.ArgumentTypeError, match="'foo'"):
        solve(1.0, 4.0, foo=1)


def test_gradients_flow_to_what_the_function_takes_from_outside():
    a = sg.tensor(4.0, requires_grad=True)
    sg.root(lambda x: x**2 - a, 1.0).backward()
    assert float(a.grad) == pytest.approx(0.25)


# ------------------------------------------------------------------ formulas
def _named(value, name):
    return sg.tensor(value, name=name)


def test_the_implicit_derivative_prints_by_the_unknowns_name():
    theta = _named(0.7, "θ")
    form = sg.derive(sg.root(lambda x, θ: x**3 + θ * x - 1, 1.0, theta), theta)
    assert str(form) == "-x/(3*x**2 + θ)"
    assert str(sg.derive(form, theta)) == "2*x*θ/(3*x**2 + θ)**3"


def test_keplers_equation_prints_as_in_books():
    e, M = _named(0.3, "e"), _named(1.2, "M")
    E = sg.root(lambda E, e, M: E - e * sg.sin(E) - M, 1.0, e, M)
    assert str(sg.derive(E, e)) == "sin(E)/(1 - e*cos(E))"
    assert str(sg.derive(E, M)) == "1/(1 - e*cos(E))"


def test_the_ridge_estimate_prints_in_matrix_notation():
    X, y, lam = sg.symbol("X", ("n", "d")), sg.symbol("y", "n"), sg.symbol("λ")
    w = sg.root(lambda w, X, y, λ: X.T @ (X @ w - y) + λ * w, sg.symbol("w0", "d"), X, y, lam)
    assert str(sg.derive(w, lam)) == "-(Xᵀ*X + λ*I)⁻¹*w"


# ------------------------------------------------------------------ refused
def test_a_double_root_has_no_derivative():
    with pytest.raises(errors.LinAlgError, match="singular"):
        sg.grad(lambda t: sg.root(lambda x, t: x**2 - t, 1.0, t))(0.0)
    with pytest.raises(errors.LinAlgError, match="singular"):
        sg.grad(lambda t: sg.root(lambda x, t: sg.stack([x.sum() - t, 2 * x.sum() - 2 * t]), [1.0, 2.0], t).sum())(3.0)


def test_what_does_not_converge_is_told():
    with pytest.raises(errors.NotConverged, match="residual is 1"):
        sg.root(lambda x: x**2 + 1, 1.0)
    with pytest.raises(errors.NotConverged, match="change"):
        sg.fixed_point(lambda x: 3 * x + 1, 1.0, method="iterate", max_steps=50)
    with pytest.raises(errors.NotConverged, match="does not fulfil"):
        sg.grad(lambda a: sg.custom_root(lambda x, a: x - a)(lambda x0, a: a + 0.5)(1.0, a))(2.0)


@pytest.mark.parametrize("f", [lambda x: x**3, lambda x: x**2 * sg.exp(x) * x**2])
def test_a_multiple_root_is_called_one(f):
    with pytest.raises(errors.NotConverged, match=r"root near .* is multiple: the Jacobian is singular"):
        sg.root(f, 1.0)


@pytest.mark.parametrize("solve", ["lu", "gmres", "cg", "lsqr"])
def test_a_root_that_is_determined_in_part_only_has_no_derivative(solve):
    partly = lambda x, a: sg.stack([x[0] - a, 0 * x[1]])
    summed = lambda x, a: sg.stack([x[0] + x[1] - a, x[0] + x[1] - a])
    for f in (partly, summed):
        slope = sg.jacobian(lambda a, f=f: sg.root(f, [1.0, 2.0], a, solve=solve))
        with pytest.raises(errors.LinAlgError, match="singular at the answer"):
            slope(3.0)
    regular = np.array([[4.0, 3.0], [3.0, 5.0]])
    slope = sg.jacobian(lambda a: sg.root(lambda x, a: sg.tensor(regular) @ x - a, [1.0, 2.0], a, solve=solve))
    assert slope(np.array([3.0, 2.0])) == pytest.approx(np.linalg.inv(regular), rel=1e-6)


def test_unknowns_of_any_size_are_each_found_to_all_digits():
    far = lambda x, a: sg.stack([x[0] - 1e12, x[1] ** 2 - a])
    solution = lambda a: sg.root(far, [1e12, 100.0], a)
    assert solution(3.0)[1].item() == pytest.approx(math.sqrt(3), rel=1e-13)
    assert sg.jacobian(solution)(3.0) == pytest.approx([0.0, 0.5 / math.sqrt(3)], rel=1e-13)
    several = sg.vmap(solution)(np.array([2.0, 3.0]))
    assert several[:, 1] == pytest.approx(np.sqrt([2.0, 3.0]), rel=1e-13)
    p = sg.root(lambda p: {"a": p["a"] - 1e12, "b": sg.exp(p["b"]) - 7}, {"a": 1e12, "b": 40.0})
    assert p["b"].item() == pytest.approx(math.log(7), rel=1e-13)
    least = sg.argmin(lambda x: 1e-20 * (x[0] - 1e12) ** 2 + (x[1] ** 2 - 3) ** 2, [1e12, 10.0])
    assert least[1].item() == pytest.approx(math.sqrt(3), rel=1e-13)


@pytest.mark.parametrize("distance", [1e-10, 1e-16, 1e-20, 1e-30])
def test_a_curve_that_nearly_touches_0_has_no_root(distance):
    with pytest.raises(errors.NotConverged, match="no step along Newton's direction lowers it"):
        sg.root(lambda x: x**2 + distance, 1.0)


def test_an_iteration_that_creeps_has_not_come_to_rest():
    for g, start, how in (
        (lambda x: x + sg.exp(-x), 30.0, {}),  # there is no fixed point
        (sg.sin, 1.0, {"tol": 1e-4}),
        (lambda x: 1 - x, 0.2, {}),
    ):
        with pytest.raises(errors.NotConverged, match="did not come to rest"):
            sg.fixed_point(g, start, method="iterate", max_steps=2000, **how)
    turning = np.array([[0.0, -0.9], [0.9, 0.0]])
    found = sg.fixed_point(lambda x: sg.tensor(turning) @ x + 1, np.zeros(2), method="iterate")
    assert found.numpy() == pytest.approx(np.linalg.solve(np.eye(2) - turning, [1, 1]), rel=1e-12)
    again = sg.fixed_point(lambda x: sg.tensor(turning) @ x + 1, found.numpy(), method="iterate")
    assert again.numpy() == pytest.approx(found.numpy(), rel=1e-13)


def test_shapes_and_structures_must_fit():
    with pytest.raises(errors.ShapeError, match="3 numbers"):
        sg.root(lambda x: sg.cat([x, x[:1]]), np.ones(2))
    with pytest.raises(errors.ArgumentTypeError, match="list"):
        sg.fixed_point(lambda u: [u["a"]], {"a": 1.0})
    with pytest.raises(errors.ShapeError, match="returned shape"):
        sg.custom_root(lambda x, a: x - a)(lambda x0, a: np.ones(3))(np.ones(2), np.ones(2))


REFUSED = {
    "an unknown way": (lambda: sg.root(lambda x: x, 1.0, solve="foo"), errors.ArgumentError, "solve='foo'"),
    "a negative tolerance": (lambda: sg.root(lambda x: x, 1.0, tol=-1.0), errors.ArgumentError, "positive"),
    "complex numbers": (lambda: sg.root(lambda x: x, 1j), errors.ArgumentTypeError, "complex"),
    "an iteration that runs away": (
        lambda: sg.fixed_point(lambda x: 2 * x + 1, 1.0, method="iterate"), errors.NotConverged, "rest"),
    "a root at infinity": (lambda: sg.root(lambda x: 1 / x, 1.0, max_steps=1500), errors.NotConverged, "converge"),
    "a solver that returns nothing": (
        lambda: sg.custom_root(lambda x: x)(lambda x0: None)(1.0), errors.ArgumentTypeError, "NoneType"),
    "a solver that returns complex numbers": (
        lambda: sg.custom_root(lambda x: x)(lambda x0: 1j)(1.0), errors.ArgumentTypeError, "complex"),
    "no x0 in vmap": (
        lambda: sg.vmap(lambda a: sg.custom_root(lambda x, a: x - a)(lambda x0, a: a)(None, a))(np.ones(2)),
        errors.ArgumentError, "Pass an x0"),
    "a loss without a value": (lambda: sg.argmin(lambda x: sg.log(x), -1.0), errors.NotConverged, "loss is nan"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_says_why(case):
    call, kind, said = REFUSED[case]
    with pytest.raises(kind, match=said):
        call()


# ------------------------------------------------------------------ minima
def _logistic(a):
    return sg.argmin(lambda x, a: sg.exp(x) - a * x + x**4, 0.0, a)


def test_a_minimum_has_its_derivatives():
    x = float(_logistic(3.0))
    curvature = np.exp(x) + 12 * x**2
    assert np.exp(x) + 4 * x**3 == pytest.approx(3, abs=1e-14)
    assert sg.grad(_logistic)(3.0) == pytest.approx(1 / curvature, rel=1e-12)
    second = -(np.exp(x) + 24 * x) / curvature**3
    assert sg.grad(sg.grad(_logistic))(3.0) == pytest.approx(second, rel=1e-11)


def test_newton_goes_down_where_the_loss_is_not_convex():
    found = sg.argmin(lambda p: (1 - p["a"]) ** 2 + 100 * (p["b"] - p["a"] ** 2) ** 2, {"a": -1.2, "b": 1.0})
    assert (float(found["a"]), float(found["b"])) == pytest.approx((1, 1), rel=1e-12)
    assert abs(float(sg.argmin(lambda x: sg.cos(x), 0.3))) == pytest.approx(np.pi)


def _demand(m):
    """Of a consumer with u = 0.3·ln x₀ + 0.7·ln x₁, prices 2 and 5, and income m."""
    return sg.argmin(
        lambda x, m: -(0.3 * sg.log(x[0]) + 0.7 * sg.log(x[1])), [1.0, 1.0], m,
        constraints=lambda x, m: 2 * x[0] + 5 * x[1] - m,
    )  # fmt: skip


def test_a_constrained_minimum_has_shadow_prices():
    pytest.importorskip("scipy")
    found = _demand(10.0)
    assert found.x.tolist() == pytest.approx([1.5, 1.4], rel=1e-12)
    assert float(found.multipliers) == pytest.approx(-0.1, rel=1e-12)  # −1/m
    assert sg.jacobian(lambda m: _demand(m).x)(10.0) == pytest.approx([0.15, 0.14], rel=1e-11)
    assert sg.grad(lambda m: _demand(m).multipliers)(10.0) == pytest.approx(0.01, rel=1e-11)


def test_active_bounds_hold_the_minimum_fast():
    pytest.importorskip("scipy")

    def f(t, high):
        centre = t * sg.tensor([1.0, -1.0, 3.0])
        return sg.argmin(lambda x, t: ((x - centre) ** 2).sum(), np.full(3, 0.5), t, bounds=(0, high))

    assert f(0.8, 1.0).tolist() == pytest.approx([0.8, 0, 1], abs=1e-14)
    assert sg.jacobian(f)(0.8, 1.0) == pytest.approx([1, 0, 0])
    assert sg.jacobian(f, argnums=1)(0.8, 1.0) == pytest.approx([0, 0, 1])


@pytest.mark.parametrize("bounds", [(0, [1.0, 9.0, 9.0]), ([0, 0, 0], [1, 9, 9]), [(0, 1), (0, 9), (0, 9)]])
def test_bounds_are_a_pair_or_one_for_each_number(bounds):
    pytest.importorskip("scipy")
    f = lambda t: sg.argmin(lambda x, t: ((x - t) ** 2).sum(), np.full(3, 0.5), t, bounds=bounds)
    assert sg.jacobian(f)(2.0) == pytest.approx([0, 1, 1])


def _inside(t):
    return sg.argmin(
        lambda x, t: ((x - t) ** 2).sum(), [0.0, 0.0], t,
        constraints=[{"type": "ineq", "fun": lambda x, t: 1 - x.sum()}],
    )  # fmt: skip


def test_inequalities_count_where_they_are_active():
    pytest.importorskip("scipy")
    assert sg.jacobian(lambda t: _inside(t).x)(0.2) == pytest.approx([1, 1])
    assert sg.jacobian(lambda t: _inside(t).x)(2.0) == pytest.approx([0, 0])
    assert sg.grad(lambda t: _inside(t).multipliers[0])(2.0) == pytest.approx(2)


def test_what_is_active_by_chance_has_no_derivative():
    pytest.importorskip("scipy")
    with pytest.raises(errors.NotDifferentiable, match="by chance"):
        sg.jacobian(lambda t: _inside(t).x)(0.5)
    with pytest.raises(errors.NotDifferentiable, match="by chance"):
        sg.grad(lambda t: sg.argmin(lambda x, t: (x - t) ** 2, 0.5, t, bounds=(0, 1)))(1.0)


def test_a_saddle_is_left():
    assert sg.argmin(lambda x: x[0] ** 2 - x[1] ** 2 + x[1] ** 4, [0.5, 0.0]).tolist() == pytest.approx([0, 0.5**0.5])


def test_bounds_that_cross_and_unknown_methods_are_refused():
    pytest.importorskip("scipy")
    with pytest.raises(errors.ArgumentError, match="above its upper"):
        sg.argmin(lambda x: x**2, 1.0, bounds=(2, 1))
    with pytest.raises(errors.ArgumentError, match="method='foo'"):
        sg.argmin(lambda x: x**2, 1.0, method="foo")


def test_scipys_constraints_are_limits_from_either_side():
    optimize = pytest.importorskip("scipy.optimize")
    between = optimize.NonlinearConstraint(lambda x: x**2, [0.25, -np.inf, 1.0], [np.inf, 4.0, 1.0])
    found = sg.argmin(lambda x: x[0] - x[1] + 3 * x[2], [1.0, 1.0, 1.0], constraints=between)
    assert found.x.tolist() == pytest.approx([0.5, 2, 1])
    assert [m.tolist() for m in found.multipliers] == [pytest.approx([m]) for m in (1.5, 1, 0.25)]
    plane = optimize.LinearConstraint([[1.0, 1.0]], 1.0, 1.0)
    nearest = lambda a: sg.argmin(lambda x, a: ((x - a) ** 2).sum(), np.zeros(2), a, constraints=plane)
    assert sg.jacobian(lambda a: nearest(a).x)(np.array([1.0, 0.0])) == pytest.approx(
        np.array([[0.5, -0.5], [-0.5, 0.5]])
    )
    with pytest.raises(errors.NotConverged, match="decreases without bound"):
        sg.argmin(lambda x: -(x @ x), [0.51, 0.49], constraints=lambda x: x.sum() - 1)


def test_losses_without_a_minimum_are_told():
    with pytest.raises(errors.NotConverged, match="bounded from below"):
        sg.argmin(lambda x: x, 1.0)
    with pytest.raises(errors.LinAlgError, match="singular"):
        sg.grad(lambda t: sg.argmin(lambda x, t: (x.sum() - t) ** 2, [0.0, 0.0], t).sum())(1.0)
    with pytest.raises(errors.ArgumentError, match="one number"):
        sg.argmin(lambda x: x, [1.0, 2.0])


_LINE = {"constraints": lambda x: x.sum() - 1}


@pytest.mark.parametrize(
    ("loss", "start", "how"),
    [
        (lambda x: 1 / x, 1.0, {"bounds": (1.0, None)}),
        (lambda x: 1 / x, 1.0, {"bounds": (1.0, None), "method": "L-BFGS-B"}),
        (lambda x: sg.exp(-x), 1.0, {"bounds": (1.0, None)}),
        (lambda x: sg.exp(-1000 * x), 0.001, {"bounds": (0.001, None)}),
        (lambda x: sg.exp(x[0]), [1.0, 1.0], _LINE),
        (lambda x: 1 / x[0], [1.0, 1.0], _LINE),
        (lambda x: x[0] + x[1] ** 2, [1.0, 1.0], {"constraints": lambda x: x[0] ** 2}),  # without a slope at the answer
        (lambda x: x**3, 0.0, {}),
        (lambda x: -(x**4), 0.0, {}),
        (lambda x: x[0] ** 3 - 3 * x[0] * x[1] ** 2, [0.0, 0.0], {}),
        (lambda x: x[0] ** 2 + x[1] ** 3, [1.0, 0.0], {}),
    ],
)
def test_a_minimum_that_is_not_attained_is_told(loss, start, how):
    with pytest.raises(errors.NotConverged):
        sg.argmin(loss, start, **how)


def test_flat_minima_and_active_bounds_without_a_force_are_found():
    assert sg.argmin(lambda x: (x - 2) ** 4, 5.0, bounds=(1.0, 9.0)).item() == pytest.approx(2, abs=1e-2)
    assert sg.argmin(lambda x: (x - 2) ** 2, 5.0, bounds=(2.0, 9.0)).item() == pytest.approx(2)
    valley = sg.argmin(lambda x: (x.sum() - 3) ** 2, [5.0, 1.0], bounds=(0.0, 9.0))
    assert valley.sum().item() == pytest.approx(3)


@pytest.mark.parametrize("f", [lambda x: sg.exp(-x), lambda x: 0 * x, lambda x: sg.relu(700 - x)])
def test_a_start_that_nothing_determines_is_remarked_on(f):
    with pytest.warns(UserWarning, match="the conditions hold at all points around x = 800, where the search began"):
        assert sg.root(f, 800.0).item() == 800.0
    with pytest.warns(UserWarning, match="argmin: the conditions hold at all points around"):
        assert sg.argmin(f, 800.0).item() == 800.0
    assert sg.root(lambda x: x * x, 0.0).item() == 0.0  # determined, though the Jacobian is singular


def test_a_quadratics_minimum_and_the_envelope_theorem_print_as_in_books():
    X, y, lam = sg.symbol("X", ("n", "d")), sg.symbol("y", "n"), sg.symbol("λ")
    loss = lambda w, λ: ((X @ w - y) ** 2).sum() + λ * (w @ w)
    w = sg.argmin(loss, sg.symbol("w0", "d"), lam)
    assert str(w.expr) == "(Xᵀ*X + λ*I)⁻¹*Xᵀ*y"
    assert str(sg.derive(w, lam)) == "-(Xᵀ*X + λ*I)⁻¹*w"
    assert str(sg.derive(loss(w, lam), lam)) == "‖w‖²"


def test_the_envelope_theorem_of_numbers_is_checked():
    p, m = _named(2.0, "p"), _named(10.0, "m")
    utility = lambda x, p, m: 0.3 * sg.log(x) + 0.7 * sg.log(m - p * x)
    x = sg.argmin(lambda x, p, m: -utility(x, p, m), 1.0, p, m)
    assert float(x) == pytest.approx(1.5)
    assert str(sg.derive(utility(x, p, m), m, verify=True)) == "0.7/(m - p*x)"


def test_formulas_name_the_blocks_of_a_structured_minimum():
    def least(q):
        loss = lambda v, q: (v["a"] ** 4).sum() + q * v["b"] ** 4 - v["b"] + v["a"][0] * v["b"] ** 2 - v["a"].sum()
        return sg.argmin(loss, {"a": np.ones(2), "b": 1.0}, q)

    def held(q):
        loss, total = lambda v, q: (v["a"] ** 4).sum() + q * v["b"] ** 4, lambda v, q: v["a"].sum() + v["b"] - q
        return sg.argmin(loss, {"a": np.ones(2), "b": 1.0}, q, constraints=total)

    form, at = sg.derive(lambda q: least(q)["b"], "q"), least(1.5)
    assert str(form) == "-12*a_0**2*b**3/(6*a_0**2*(a_0 + 6*b**2*q) - b**2)"
    expected = sg.grad(lambda q: least(q)["b"])(1.5)
    np.testing.assert_allclose(form(q=1.5, a=at["a"].numpy(), b=float(at["b"])), expected, rtol=1e-10)
    form, (x, price) = sg.derive(lambda q: held(q).x["b"], "q"), held(1.5)
    assert form.args == ("a", "b", "λ", "q")
    expected = sg.grad(lambda q: held(q).x["b"])(1.5)
    values = {"a": x["a"].numpy(), "b": float(x["b"]), "λ": float(price)}
    np.testing.assert_allclose(form(q=1.5, **values), expected, rtol=1e-10)


def test_answers_inside_of_answers_print_by_their_own_letters():
    a = _named(0.3, "a")
    inner = lambda x: sg.root(lambda y: y**3 + y - x * a, 0.5)
    form = sg.derive(sg.root(lambda x: inner(x) - a + x, 0.7), a, verify=True)
    assert str(form) == "(3*y**2 - x + 1)/(a + 3*y**2 + 1)"
    roots = [sg.root(lambda x, a: x**2 - a, start, a) for start in (1.0, -1.0)]
    assert str(sg.derive(roots[0] + 3 * roots[1], a, verify=True)) == "1/(2*x′) + 3/(2*x)"


def test_the_envelope_theorem_holds_in_every_order():
    X, y, lam = sg.symbol("X", ("n", "d")), sg.symbol("y", "n"), sg.symbol("λ")
    loss = lambda w, λ: ((X @ w - y) ** 2).sum() + λ * (w @ w)
    least = loss(sg.argmin(loss, sg.symbol("w0", "d"), lam), lam)
    assert str(sg.derive(least, lam, order=2)) == "-2*wᵀ*(Xᵀ*X + λ*I)⁻¹*w"


def test_shadow_prices_are_the_derivatives_of_the_least_loss():
    pytest.importorskip("scipy")
    p, m = _named(2.0, "p"), _named(10.0, "m")
    utility = lambda x: 0.3 * sg.log(x[0]) + 0.7 * sg.log(x[1])
    best = sg.argmin(lambda x: -utility(x), [1.0, 1.0], constraints=lambda x: p * x[0] + 5 * x[1] - m)
    assert str(sg.derive(utility(best.x), m, verify=True)) == "-λ"
    assert str(sg.derive(utility(best.x), p, verify=True)) == "x_0*λ"  # Roy's identity
    assert str(sg.derive(best.x[0], m, verify=True)) == "7*p*x_0**2/(7*p**2*x_0**2 + 75*x_1**2)"
    w, r, q = _named(1.5, "w"), _named(2.0, "r"), _named(3.0, "q")
    cheap = sg.argmin(lambda x: w * x[0] + r * x[1], [2.0, 2.0], constraints=lambda x: sg.sqrt(x[0] * x[1]) - q)
    cost = w * cheap.x[0] + r * cheap.x[1]
    assert [str(sg.derive(cost, t, verify=True)) for t in (w, q)] == ["x_0", "λ"]  # Shephard's lemma


def test_products_with_the_derivative_of_an_answer_are_formulas():
    pytest.importorskip("scipy")
    t, v = _named(0.4, "t"), _named(3.0, "v")
    cube = sg.root(lambda x: x**3 + x - t, 0.5)
    assert str(sg.derive(cube * cube, t, cotangent=v, verify=True)) == "2*v*x/(3*x**2 + 1)"
    assert str(sg.derive(cube * cube, t, tangent=2.0, verify=True)) == "4*x/(3*x**2 + 1)"
    loss = lambda x: sg.exp(2 * t) * (-0.3 * sg.log(x[0]) - 0.7 * sg.log(x[1]))  # its minimum stays, and λ grows
    best = sg.argmin(loss, [1.0, 1.0], constraints=lambda x: 2 * x[0] + 5 * x[1] - 10)
    assert str(sg.derive(best.multipliers, t, tangent=1.0)) == "2*λ"
    assert str(sg.derive(best.x, t, tangent=1.0)) == "0"


def test_systems_of_kkt_print_in_blocks():
    pytest.importorskip("scipy")
    A, b = _named(np.array([[1.0, 2.0, 1.0], [0.0, 1.0, 3.0]]), "A"), _named(np.array([3.0, 1.0]), "b")
    loss = lambda x: (x**4).sum() / 4 + (x @ x) / 2
    best = sg.argmin(loss, np.ones(3), constraints=lambda x: A @ x - b)
    assert str(sg.derive(best.multipliers, b, verify=True)) == "(A*diag(1 ⊘ (1 + 3*x^⊙2))*Aᵀ)⁻¹"
    assert str(sg.derive(loss(best.x), A, verify=True)) == "-λ*xᵀ"
    share = _named(0.3, "α")  # the Hessian of x^α·y^(1-α) has no inverse
    homogeneous = lambda x: -(x[0] ** share * x[1] ** (1 - share))
    best = sg.argmin(homogeneous, [1.0, 1.0], constraints=lambda x: 2 * x[0] + 5 * x[1] - b[0])
    assert sg.derive(best.x, b, verify=True).shape == (2, 2)


def test_exported_source_has_no_solver():
    theta = _named(0.7, "θ")
    x = sg.root(lambda x, θ: x**3 + θ * x - 1, 1.0, theta)
    assert "x/(theta + 3*x**2)" in sg.export(sg.derive(x, theta), target="python")
    for target in ("python", "numpy", "latex"):
        with pytest.raises(sg.exports.ExportError, match="no solver in it"):
            sg.export(_cubic, 0.7, target=target)


def test_crosscheck_and_gradcheck_know_answers():
    pytest.importorskip("scipy")
    assert sg.testing.crosscheck(lambda a: sg.argmin(lambda x, a: (x - a) ** 2 + x**4, 0.0, a), 1.3).ok
    assert sg.autograd.gradcheck(lambda m: _demand(m).x, (sg.tensor(10.0, requires_grad=True),))
    with pytest.raises(errors.NotDifferentiable, match="by chance"):
        sg.testing.crosscheck(lambda t: sg.argmin(lambda x, t: (x - t) ** 2, 0.5, t, bounds=(0, 1)), 1.0)


MINIMA = {  # loss, start, what else; the minimum, or what is said
    "a maximum between bounds": (lambda x: (x**2 - 1) ** 2, 0.0, {"bounds": (-2, 2)}, [1.0]),
    "a maximum, without bounds": (lambda x: sg.cos(x), 0.0, {"method": "BFGS"}, [np.pi]),
    "a saddle between bounds": (lambda x: x[0] * x[1], [0.0, 0.0], {"bounds": (-1, 1)}, [1.0, -1.0]),
    "a maximum on a circle": (lambda x: x @ A23 @ x, [1.0, 0.0], {"constraints": lambda x: x @ x - 1}, [0.0, 1.0]),
    "a saddle in a disc": (
        lambda x: x[0] ** 2 - x[1] ** 2, [0.0, 0.0],
        {"constraints": {"type": "ineq", "fun": lambda x: 1 - x @ x}}, [0.0, 1.0],
    ),
    "a line, which has no curvature": (lambda x: x.sum(), [0.5, 0.5], {"bounds": (0, 1)}, [0.0, 0.0]),
    "a fall without end": (lambda x: -x[0], [0.0, 0.0], {"bounds": (0, None)}, "decreases without bound"),
    "a square that falls": (lambda x: -(x.sum() ** 2), np.ones(2), {"bounds": (0, None)}, "decreases without bound"),
    "a kink": (lambda x: ((x - 1) ** 2).sum() + 4 * sg.abs(x).sum(), [0.5, 0.3], {}, r"kink.* u \+ v"),
    "a kink, by SciPy": (
        lambda x: ((x - 1) ** 2).sum() + 4 * sg.abs(x).sum(), [0.5, 0.3], {"method": "BFGS"}, r"kink.* u \+ v",
    ),
}  # fmt: skip
A23 = np.diag([3.0, 2.0])


@pytest.mark.parametrize("name", MINIMA)
def test_a_minimum_is_one(name):
    pytest.importorskip("scipy")
    loss, start, how, expected = MINIMA[name]
    if isinstance(expected, str):
        with pytest.raises(errors.NotConverged, match=expected):
            sg.argmin(loss, start, **how)
        return
    found = sg.argmin(loss, start, **how)
    assert np.abs(np.ravel(getattr(found, "x", found))) == pytest.approx(np.abs(expected), abs=1e-8)


def test_a_quadratic_with_a_maximum_has_no_closed_form():
    with pytest.raises(errors.ArgumentError, match="has a maximum and no minimum"):
        sg.argmin(lambda x, a: -((x - a) ** 2), sg.symbol("x0"), sg.symbol("a"))
    assert str(sg.argmin(lambda x, a: a * x**2 - x, sg.symbol("x0"), sg.symbol("a")).expr) == "1/(2*a)"


def test_constraints_and_bounds_of_scipy():
    optimize = pytest.importorskip("scipy.optimize")
    total = {"type": "eq", "fun": lambda x, b: x.sum() - b}
    near = lambda x: ((x - 2) ** 2).sum()
    assert sg.argmin(near, [0.0, 0.0], constraints={**total, "args": (1.0,)}).x == pytest.approx([0.5, 0.5])
    first = lambda b: sg.argmin(near, [0.0, 0.0], constraints={**total, "args": b}).x[0]
    assert sg.grad(first)(1.0) == pytest.approx(0.5)
    assert sg.compile(sg.grad(first))(1.0) == pytest.approx(0.5)
    with pytest.raises(errors.ArgumentError, match="has the key 'foo'"):
        sg.argmin(near, [0.0, 0.0], constraints={**total, "foo": 1})
    assert sg.argmin(near, [0.0, 0.0], bounds=optimize.Bounds([0, 0], [1, 3])) == pytest.approx([1, 2])


# ------------------------------------------------------------------ SciPy's solvers of sg.optim
def test_what_scipy_finds_is_differentiable_in_args():
    pytest.importorskip("scipy")
    assert sg.grad(lambda a: sg.optim.root(lambda x, a: x**2 - a, [1.0], (a,)).x.sum())(4.0) == pytest.approx(0.25)
    loss = lambda x, a: (x[0] - a) ** 4 + x[0] ** 2
    best = lambda a: sg.optim.minimize(loss, [0.3], (a,)).x.sum()
    x = float(sg.argmin(loss, [0.3], 2.0).sum())
    assert sg.grad(best)(2.0) == pytest.approx(12 * (x - 2) ** 2 / (12 * (x - 2) ** 2 + 2), rel=1e-10)
    A, b = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]), np.array([1.0, 0.0, 2.0])
    fit = lambda b: sg.optim.least_squares(lambda x, b: sg.tensor(A) @ x - b, np.zeros(2), (b,)).x
    assert sg.jacobian(fit)(b) == pytest.approx(np.linalg.pinv(A), rel=1e-9)


def test_bounds_of_scipy_hold_the_minimum_fast():
    pytest.importorskip("scipy")
    f = lambda a: sg.optim.minimize(lambda x, a: ((x - a) ** 2).sum(), [0.2, 0.2], (a,), bounds=[(0, 1), (0, 5)]).x
    assert sg.jacobian(f)(2.0) == pytest.approx([0, 1])


def test_the_value_at_the_minimum_is_followed_as_the_minimum_is():
    pytest.importorskip("scipy")
    found = lambda a: sg.optim.minimize(lambda x, a: (x - a) ** 2 + a * x, 0.0, (a,))  # the least value is 3a²/4
    value = lambda a: found(a).fun
    assert sg.grad(value)(1.5) == pytest.approx(2.25)
    assert sg.compile(sg.grad(value))(1.5) == pytest.approx(2.25)
    assert sg.hessian(value)(1.5) == pytest.approx(1.5)
    assert sg.grad(lambda a: found(a).jac)(1.5) == pytest.approx(0)
    assert sg.grad(lambda a: sg.optim.minimize(lambda x: (x - a) ** 2 + a * x, 0.0).fun)(1.5) == pytest.approx(2.25)
    bound = lambda a: sg.optim.minimize(lambda x, a: (x - a) ** 2, 0.0, (a,), bounds=[(0, 1)])
    assert sg.grad(lambda a: bound(a).fun)(2.0) == pytest.approx(2)
    assert sg.grad(lambda a: bound(a).jac)(2.0) == pytest.approx(-2)


def test_what_scipy_gives_without_a_derivative_is_left_out():
    pytest.importorskip("scipy")
    loss = lambda x, a: (x[0] - a) ** 4 + x[0] ** 2
    found = lambda a, method: sg.optim.minimize(loss, [0.1], (a,), method=method)
    x = float(sg.argmin(loss, [0.1], 2.0).sum())
    slope = 12 * (x - 2) ** 2 / (12 * (x - 2) ** 2 + 2)
    assert sg.grad(lambda a: found(a, "trust-exact").hess.sum())(2.0) == pytest.approx(24 * (x - 2) * (slope - 1))
    with pytest.raises(AttributeError, match="hess_inv"):
        sg.grad(lambda a: found(a, "BFGS").hess_inv.sum())(2.0)
    root = lambda a: sg.optim.root(lambda x, a: x**2 - a, [1.0], (a,))
    assert sg.grad(lambda a: root(a).fun.sum())(4.0) == pytest.approx(0, abs=1e-12)
    with pytest.raises(AttributeError, match="fjac"):
        sg.grad(lambda a: root(a).fjac.sum())(4.0)
    assert "hess_inv" in found(2.0, "BFGS")
    limit = lambda a: pytest.importorskip("scipy.optimize").LinearConstraint([1.0, 1.0], 2.0, 2.0)
    held = lambda a: sg.optim.minimize(
        lambda x, a: ((x - a * np.arange(2)) ** 2).sum(), np.ones(2), (a,), constraints=limit(a)
    )
    assert sg.jacobian(lambda a: held(a).x)(1.0) == pytest.approx([-0.5, 0.5])


@pytest.mark.parametrize("field", ["cost", "fun", "grad", "jac"])
def test_what_least_squares_gives_is_followed(field):
    pytest.importorskip("scipy")
    residuals = lambda p, a: {"u": p["x"] - a, "v": sg.stack([p["y"] * a - 1, p["x"] * p["y"]])}
    exact = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}

    def found(a):
        part = sg.optim.least_squares(residuals, {"x": 1.0, "y": 1.0}, (a,), **exact)[field]
        return sg.stack([part["x"], part["y"]]) if field == "grad" else part

    plain = lambda a: sg.optim.least_squares(residuals, {"x": 1.0, "y": 1.0}, (a,), **exact)[field]
    slope = np.zeros(2) if field == "grad" else (np.asarray(plain(2 + 1e-5)) - np.asarray(plain(2 - 1e-5))) / 2e-5
    assert sg.jacobian(found)(2.0) == pytest.approx(slope, abs=1e-6)


def test_what_scipy_finds_is_compiled_mapped_and_followed_from_outside():
    pytest.importorskip("scipy")
    loss = lambda u, a: (u["x"] - a) ** 2 + u["y"] ** 2
    best = lambda a: sg.optim.minimize(loss, {"x": 0.0, "y": 0.3}, (a,), bounds={"x": (0, 1.5)}).x["x"]
    assert sg.compile(sg.grad(best))(1.0) == pytest.approx(1)
    assert sg.vmap(sg.grad(best))(np.array([1.0, 2.0])) == pytest.approx([1, 0])
    outside = lambda a: sg.optim.minimize(lambda x: (x - a) ** 2 + x**2, 0.0).x
    assert sg.grad(outside)(1.0) == pytest.approx(0.5)
    with pytest.raises(errors.ArgumentError, match="Pass it in args"):
        sg.compile(outside)(1.0)
    limit = lambda a: {"type": "eq", "fun": lambda x, a: x.sum() - a, "args": (a,)}
    assert sg.grad(lambda a: sg.optim.minimize(lambda x: (x**2).sum(), np.ones(2), constraints=limit(a)).x[0])(
        1.0
    ) == pytest.approx(0.5)
    with pytest.raises(errors.NotConverged, match="SciPy"):
        sg.compile(lambda a: sg.optim.root(lambda x, a: x**2 + a, 1.0, (a,)).x)(1.0)


def test_the_theorem_is_explained():
    theta = _named(0.7, "θ")
    x = sg.root(lambda x, θ: x**3 + θ * x - 1, 1.0, theta)
    assert str(sg.explain(x, theta)).splitlines() == [
        "x(θ) is given by F = 0 with F = x³ + x·θ − 1",
        "  implicit function theorem, where ∂F/∂x is invertible:",
        "  dx/dθ = −(∂F/∂x)⁻¹·∂F/∂θ",
        "    ∂F/∂x = 3·x² + θ",
        "    ∂F/∂θ = x",
        "  dx/dθ = −x/(3·x² + θ)",
    ]


def test_functions_of_answers_name_the_theorem_of_each():
    pytest.importorskip("scipy")

    def f(theta):
        x = sg.root(lambda x, θ: x**3 + θ * x - 1, 1.0, theta)
        area = sg.quad(lambda s, θ: sg.exp(-θ * s**2), 0.0, 1.0, theta)
        return sg.sin(x) * area + sg.odeint(lambda y, t, k: -k * y, 1.0, np.array([0.0, 2.0]), theta)[1]

    theta = _named(0.7, "θ")
    lines = str(sg.explain(f(theta), theta)).splitlines()
    assert lines[1:3] == [
        "  x is given by F = 0 with F = x³ + x·θ − 1",
        "  implicit function theorem: F(x, θ) = 0 gives dx/dθ = −(∂F/∂x)⁻¹·∂F/∂θ",
    ]
    assert lines[3].startswith("  Leibniz's rule: ")
    assert lines[4].startswith("  adjoint equation: ")
    assert lines[6] == "  operation by operation, forwards:"
    ridge = sg.argmin(lambda w, y: ((w - y) ** 2).sum() + (w**2).sum(), np.ones(2), _named([1.0, 2.0], "y")).sum() ** 2
    assert "implicit function theorem: F(w, θ) = 0" in str(sg.explain(ridge))


@pytest.mark.parametrize("solver", ["cg", "gmres", "lsqr"])
def test_systems_with_operators_are_differentiable_in_both_sides(solver):
    pytest.importorskip("scipy")
    solve = getattr(sg.linalg, solver)
    assert solve is getattr(sg.solvers, solver)
    A, b = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 5.0]]), np.array([1.0, 2.0, 3.0])
    f = lambda s, b: solve(lambda v, s: sg.tensor(A) @ v + s * v, b, s).sum()
    whole = np.linalg.inv(A + 0.5 * np.eye(3))
    assert sg.grad(f, argnums=1)(0.5, b) == pytest.approx(whole.sum(0), rel=1e-8)
    assert sg.grad(f)(0.5, b) == pytest.approx(-(whole @ whole @ b).sum(), rel=1e-8)
    with pytest.raises(errors.ArgumentError, match="not linear"):
        solve(lambda v: v**2, b)
    with pytest.raises(errors.ArgumentError, match="A is a matrix"):
        solve(A, b, 1.0)


def test_an_operator_without_parameters_has_a_formula():
    f = lambda b: (sg.linalg.cg(lambda v: 2 * v, b) * sg.linalg.cg(lambda v: 3 * v, b)).sum()
    at = np.array([1.0, 2.0])
    assert sg.testing.crosscheck(f, at)
    np.testing.assert_allclose(sg.grad(f)(at), at / 3)


@pytest.mark.parametrize("shape", [(4, 2), (2, 4)])
def test_rectangular_systems_are_least_squares(shape):
    pytest.importorskip("scipy")
    rng = np.random.default_rng(1)
    A, b, w, D = rng.normal(size=shape), rng.normal(size=shape[0]), rng.normal(size=shape[1]), rng.normal(size=shape)
    f = lambda A, b: (sg.linalg.lsqr(A, b, tol=1e-14) ** 2 * w).sum()
    value = lambda A, b: ((np.linalg.pinv(A) @ b) ** 2 * w).sum()
    assert float(f(sg.tensor(A), sg.tensor(b))) == pytest.approx(value(A, b), rel=1e-10)
    slope = (value(A + 1e-5 * D, b) - value(A - 1e-5 * D, b)) / 2e-5
    assert (sg.grad(f)(A, b) * D).sum() == pytest.approx(slope, rel=1e-7)
    assert float(sg.jvp(lambda A: f(A, b), (A,), (D,))[1]) == pytest.approx(slope, rel=1e-7)
    assert sg.grad(f, argnums=1)(A, b) == pytest.approx(2 * w * (np.linalg.pinv(A) @ b) @ np.linalg.pinv(A), rel=1e-8)
    along = lambda t: (sg.grad(f)(A + t * D, b) * D).sum()
    second = sg.grad(sg.grad(lambda t: f(A + t * D, b)))(0.0)
    assert second == pytest.approx((along(1e-5) - along(-1e-5)) / 2e-5, rel=1e-6)
    apply = lambda b: sg.linalg.lsqr(lambda v: sg.tensor(A) @ v, b, x0=np.ones(shape[1]))
    assert sg.jacobian(apply)(b) == pytest.approx(np.linalg.pinv(A), rel=1e-7)
    with pytest.raises(errors.LinAlgError, match="rank 1, less than 2"):
        sg.linalg.lsqr(np.ones(shape), b)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5)])
@pytest.mark.parametrize("size", [1e-150, 1e-30, 1.0, 1e100])
@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1.0, 1e100])
def test_least_squares_do_not_depend_on_the_size_of_either_side(shape, size, scale):
    pytest.importorskip("scipy")
    rng = np.random.default_rng(2)
    A, b, start = rng.normal(size=shape) * scale, rng.normal(size=shape[0]) * size, rng.normal(size=shape[1])
    expected = np.linalg.pinv(A / scale) @ (b / size)
    for x0 in (None, start * (size / scale)):
        x = sg.linalg.lsqr(A, b, x0=x0, tol=1e-13).numpy() / (size / scale)
        wanted = expected if x0 is None else expected + start - np.linalg.pinv(A) @ (A @ start)
        np.testing.assert_allclose(x, wanted, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("solver", ["cg", "gmres", "lsqr"])
@pytest.mark.parametrize("size", [1e-280, 1e-200, 1e-31, 1e30, 1e200])
@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
def test_systems_do_not_depend_on_the_size_of_the_right_side(solver, size, scale):
    pytest.importorskip("scipy")
    A, b = np.array([[4.0, 3.0, 0.0], [3.0, 5.0, 1.0], [0.0, 1.0, 6.0]]), np.array([3.0, 2.0, 1.0])
    solve = lambda b, x0=None: getattr(sg.linalg, solver)(A * scale, b, x0=x0)
    for x0 in (None, np.ones(3) * (size / scale)):
        np.testing.assert_allclose(solve(b * size, x0).numpy() / (size / scale), np.linalg.solve(A, b), rtol=1e-7)
    slope = sg.grad(lambda b: (solve(b) * size).sum())(b)
    np.testing.assert_allclose(slope / (size / scale), np.linalg.inv(A).sum(0), rtol=1e-7)


@pytest.mark.parametrize("solver", ["cg", "gmres", "lsqr"])
def test_systems_start_where_they_are_told_and_say_nan(solver):
    pytest.importorskip("scipy")
    solve, A, b = getattr(sg.linalg, solver), np.diag([2.0, 4.0, 5.0]), np.array([2.0, 4.0, 10.0])
    assert solve(A, b, x0=[1.0, 1.0, 2.0], max_steps=1).tolist() == pytest.approx([1, 1, 2], abs=1e-12)
    assert sg.grad(lambda b: solve(A, b, x0=np.ones(3)).sum())(b) == pytest.approx([0.5, 0.25, 0.2])
    with pytest.raises(errors.LinAlgError, match="nan"):
        solve(np.diag([np.nan, 1.0, 1.0]), b)
    with pytest.raises(errors.ShapeError, match="x0"):
        solve(A, b, x0=np.ones(2))
