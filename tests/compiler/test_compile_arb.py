"""The backend of certain balls: each contains the value that the backend mpmath has to fifty digits."""

import mpmath
import numpy as np
import pytest
from checks import every, number, weighed

import symgrad as sg
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.errors import ArgumentError, LinAlgError

from cases import CASES, SMOOTH

flint = pytest.importorskip("flint")
FIRST = [case for case in CASES if case.number == 0 and case.free]
BY_ARGUMENT = {"F.one_hot"}  # what is read from the arguments decides on shapes: nothing compiles it
# Gradients at computed numbers that are equal
OPEN = {
    "corrcoef",
    "linalg.matrix_norm -2",
    "linalg.cond 1",
    "linalg.cond inf",
}


def balls(f, digits=20):
    return sg.compile(f, backend="arb", digits=digits)


def leaves(y):
    return [x for part in (y if isinstance(y, tuple) else (y,)) for x in np.asarray(part, dtype=object).flat]


def check(f, points, digits=20):
    """Each ball has the digits asked for, and contains the number of fifty digits."""
    found, expected = leaves(balls(f, digits)(*points)), leaves(sg.compile(f, backend="mpmath", digits=50)(*points))
    assert len(found) == len(expected)
    for ball, exact in zip(found, expected, strict=True):
        if not isinstance(ball, flint.arb) or not ball.is_finite():
            assert float(ball) == float(exact) or (np.isnan(float(ball)) and np.isnan(float(exact)))
            continue
        with mpmath.workdps(60), flint.ctx.workdps(60):
            near = flint.arb(mpmath.nstr(exact, 50)) * flint.arb(1, flint.arb("1e-48")) + flint.arb(0, "1e-300")
        assert ball.overlaps(near), (ball, exact)
        assert ball.rad() <= abs(ball.mid()) * flint.arb(10) ** -digits or ball.rad() < flint.arb("1e-1000")


def gradient(case):
    return sg.grad(weighed(case), tuple(range(len(case.points))))


@every(FIRST[::13])
def test_values_lie_in_their_balls(case):
    check(number(case), case.points)


@every([case for case in SMOOTH[5::89] if case.row.name not in OPEN])
def test_gradients_lie_in_their_balls(case):
    check(gradient(case), case.points)


@pytest.mark.slow
@every([case for case in FIRST if case.row.name not in BY_ARGUMENT])
def test_every_row_has_a_ball(case):
    check(number(case), case.points)


@pytest.mark.slow
@every([case for case in SMOOTH if case.number == 0 and case.free])
def test_every_row_has_balls_of_its_gradient(case):
    if case.row.name in OPEN:
        with pytest.raises(Unsuitable, match="do not settle the result"):
            check(gradient(case), case.points)
    else:
        check(gradient(case), case.points)


# ------------------------------------------------------------------ what is certain
def test_derivatives_of_every_kind_are_balls():
    x, v = np.array([0.5, 2.0]), np.array([1.0, -3.0])

    def f(x):
        return sg.exp(x[0]) * sg.sin(x[1])

    def g(x):
        return sg.exp(x) * x[0]

    check(sg.value_and_grad(f), (x,), 40)
    check(sg.hessian(f), (x,), 40)
    check(sg.jacobian(g), (x,), 40)
    check(lambda x, v: sg.jvp(g, (x,), (v,)), (x, v), 40)
    check(lambda x, v: sg.vjp(g, x)[1](v), (x, v), 40)


def test_precision_rises_until_the_digits_are_certain():
    ball = balls(
        lambda a, b: 333.75 * b**6 + a**2 * (11 * a**2 * b**2 - b**6 - 121 * b**4 - 2) + 5.5 * b**8 + a / (2 * b)
    )
    rump = ball(77617.0, 33096.0)
    with flint.ctx.workdps(60):
        assert rump.contains(flint.arb(flint.fmpq(-54767, 66192)))
    assert rump.rad() < flint.arb("1e-20")
    tiny = balls(lambda x: sg.log(1 + sg.exp(x)), 50)(-800.0)
    assert tiny.overlaps(flint.arb(-800).exp().log1p())
    assert tiny.rel_accuracy_bits() > 160


def test_repeated_eigenvalues_and_singular_matrices_keep_their_bounds():
    values = balls(sg.linalg.eigvalsh)(np.array([[2.0, 0, 0], [0, 2, 0], [0, 0, 3]]))
    assert [bool(v.contains(n)) for v, n in zip(values, (2, 2, 3), strict=True)] == [True] * 3
    singular = balls(lambda x: sg.linalg.det(sg.sqrt(x)))(np.array([[2.0, 8.0], [8.0, 32.0]]))
    assert singular.contains(0)
    with pytest.raises(LinAlgError, match="singular"):
        balls(sg.linalg.inv)(np.array([[1.0, 2.0], [2.0, 4.0]]))


def test_what_is_not_certain_is_refused():
    with pytest.raises(Unsuitable, match="'arb': 32768 bits do not settle"):  # equal, which no number of bits shows
        balls(lambda x: sg.sqrt(x) ** 2 > x)(2.0)
    with pytest.raises(Unsuitable, match=r"'arb': the operation .* whose error has no bound"):
        balls(lambda x: sg.quad(lambda t: sg.exp(-t * x), 0.0, 1.0))(2.0)
    with pytest.raises(ArgumentError, match="backend='mpmath' or backend='arb'"):
        sg.compile(sg.exp, backend="numpy", digits=5)


def test_digits_are_fifteen_if_left_out():
    ball = sg.compile(sg.exp, backend="arb")(1.0)
    assert ball.overlaps(flint.arb.const_e())
    assert ball.rel_accuracy_bits() >= 49
