"""The backend of certain balls: each contains the value that the backend mpmath has to fifty digits."""

import mpmath
import numpy as np
import pytest
from checks import every, number, weighed

import symgrad as sg
from symgrad.compiler.backends import arb_lines
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


# ------------------------------------------------------------------ recorded lines
def chain(x):
    a, b = x[0], x[1]
    for _ in range(5):
        a, b = sg.sin(a) * b + 1 / (2 + a), sg.sqrt(1 + b * b) - a**3
    return a - 2 * b


def test_a_program_without_choices_is_recorded_and_then_runs_as_lines(monkeypatch):
    f = balls(sg.grad(chain))
    first = f(np.array([0.3, 0.2]))
    monkeypatch.setattr("symgrad.compiler.backends.arb.to_digits", lambda *_: pytest.fail("walked"))
    monkeypatch.setattr("symgrad.compiler.backends.arb.recorded", lambda *_: pytest.fail("recorded again"))
    assert [bool(a.overlaps(b)) for a, b in zip(f(np.array([0.3, 0.2])), first, strict=True)] == [True, True]
    exact = sg.compile(sg.grad(chain), backend="mpmath", digits=40)(np.array([-1.5, 0.7]))
    for ball, value in zip(f(np.array([-1.5, 0.7])), exact, strict=True):
        assert ball.overlaps(flint.arb(mpmath.nstr(value, 40), "1e-38"))


def test_lines_take_out_signs_and_reciprocals_and_compute_sines_with_cosines(monkeypatch):
    texts = []
    source = arb_lines._source
    monkeypatch.setattr(arb_lines, "_source", lambda *args: texts.extend(source(*args)) or texts)

    def f(x):
        y = -x * 1
        return sg.sin(x) * sg.cos(x) + (y * y - y) * (1 / (3 + x)) - (0 + x) / (-x) + (y - x) * x

    check(f, (0.7,), 30)
    assert sum("f_sin_cos(x0)" in text for text in texts) == 1
    assert sum("/" in text for text in texts) == 2
    assert not any("= -" in text for text in texts)


def random_program(rng):
    """A function of three numbers, of twelve operations on earlier values."""
    unary = [sg.sin, sg.cos, sg.sinh, sg.cosh, sg.exp, lambda a: -a, lambda a: 1 / (2 + a * a), lambda a: a * a, abs]
    binary = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: -a * b, lambda a, b: a / (1.5 + b * b)]
    steps = [(rng.integers(2), *rng.integers(99, size=3)) for _ in range(12)]

    def f(v):
        values = [v[0], v[1], v[2]]
        for kind, which, i, j in steps:
            a, b = values[i % len(values)], values[j % len(values)]
            y = unary[which % len(unary)](a) if kind else binary[which % len(binary)](a, b)
            values.append(sg.tanh(y) if len(values) % 3 == 0 else y)
        return values[-1] + values[-2] * values[0]

    return f


@pytest.mark.parametrize("seed", range(12))
def test_values_and_gradients_of_random_programs_lie_in_their_balls(seed):
    rng = np.random.default_rng(seed)
    check(sg.value_and_grad(random_program(rng)), (rng.uniform(-2, 2, 3),))


def test_lines_that_lose_digits_run_again_with_more_bits(monkeypatch):
    monkeypatch.setattr("symgrad.compiler.backends.arb.to_digits", lambda *_: pytest.fail("walked"))
    ball = balls(lambda x: (sg.exp(x) + 1e40) - 1e40)(1.0)
    assert ball.overlaps(flint.arb(1).exp())
    assert ball.rel_accuracy_bits() > 66


def test_later_calls_start_with_the_bits_that_the_first_one_needed(monkeypatch):
    precisions = []
    settled = arb_lines.Lines._is_settled
    monkeypatch.setattr(
        arb_lines.Lines, "_is_settled", lambda *args: precisions.append(flint.ctx.prec) or settled(*args)
    )
    f = balls(lambda x: (sg.exp(x) + 1e40) - 1e40)
    runs = []
    for x in (1.0, 1.0, -50.0, 1.0, 1.0):
        assert f(x).rel_accuracy_bits() > 66
        runs.append(precisions[:])
        precisions.clear()
    assert list(map(len, runs)) == [3, 1, 2, 1, 1]
    assert runs[0][0] < runs[1][0] < runs[0][-1]
    assert runs[4] == runs[1]


@pytest.mark.parametrize(
    ("f", "points"),
    [
        (lambda x: sg.where(x > 0.3, x * x, -x), [0.1, 0.5]),
        (lambda x: (x + 1e-60) - x, [1.0, 3.0]),  # more bits than lines begin with
        (lambda x: sg.exp(-1 / x), [0.0, 2.0]),  # −∞ on the way
        (lambda x: sg.log(x), [0.0, 2.0, -1.0]),
        (lambda x: x**0.1 + abs(x), [0.0, 2.0]),
    ],
)
def test_choices_and_numbers_that_lines_do_not_settle_are_walked(f, points):
    compiled = balls(f)
    for x in points:
        check(lambda y, f=f: f(y), (x,))
        exact = float(sg.compile(f, backend="mpmath", digits=30)(x))
        assert float(compiled(x)) == exact or np.isnan([float(compiled(x)), exact]).all()
