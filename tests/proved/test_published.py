"""Figures that the interval literature prints: enclosures, Newton's steps, and all solutions of systems."""

import numpy as np
import pytest
from proofs import KICKED, kicked_twice, manipulator, robot

import symgrad as sg
from symgrad import prove
from symgrad.proved.enclosure import Flat
from symgrad.proved.interval import flint
from symgrad.proved.newton import System

pytest.importorskip("flint")


def test_moores_forms_of_a_parabola():
    """Moore, Kearfott and Cloud 2009, section 6.4: the natural extension, the mean-value form, and the range."""
    f = lambda x: x * (1 - x)
    assert sg.enclose(f, (0.0, 1.0)) == (0.0, 1.0)
    assert sg.enclose(f, (0.0, 1.0), order=1) == (0.0, 0.75)  # of [-1/4, 3/4]
    lower, upper = sg.enclose(f, (0.0, 1.0), order=2, pieces=100)
    assert -1e-3 < lower <= 0
    assert 0.25 <= upper < 0.2501


def test_moores_newton_steps_to_the_root_of_two():
    """The same, section 8.1: [1, 2], [1.375, 1.4375], [1.41406, 1.41442]."""
    x = np.array([[1.0, 2.0]])
    with flint().ctx.workprec(128):
        system = System(Flat(lambda x: x**2 - 2, (1.0, 2.0)).run)
        for step in ([1.375, 1.4375], [1.41406, 1.41442]):
            x = system.contracted(x).left
            np.testing.assert_allclose(x[0], step, atol=5e-6)


def test_hansens_linear_system():
    """Hansen 1992: the solutions have the hull [-120, 90] × [-60, 240]."""
    box = [np.array([[[2.0, 3], [0, 1]], [[1, 2], [2, 3]]]), np.array([[0.0, 120], [60, 240]])]
    lower, upper = sg.enclose(sg.linalg.solve, box)
    assert (lower <= [-120, -60]).all()
    assert (upper >= [90, 240]).all()
    assert (upper - lower <= 2 * np.array([210, 300])).all()


def test_rumps_linear_system_at_a_point():
    """Rump: floats solve it with no digit right, although all its numbers are floats."""
    A, b = np.array([[64919121.0, -159018721.0], [41869520.5, -102558961.0]]), np.array([1.0, 0.0])
    exact = [205117922.0, 83739041.0]
    assert not np.allclose(np.linalg.solve(A, b), exact, rtol=1e-2)
    lower, upper = sg.enclose(sg.linalg.solve, [(A, A), (b, b)])
    assert lower.tolist() == upper.tolist() == exact


def freudenstein(v):
    x, y = v[0], v[1]
    return sg.stack([-13 + x + ((5 - y) * y - 2) * y, -29 + x + ((y + 1) * y - 14) * y])


def powell(v):
    return sg.stack([1e4 * v[0] * v[1] - 1, sg.exp(-v).sum() - 1.0001])


def himmelblau(v):
    return sg.stack([v[0] ** 2 + v[1] - 11, v[0] + v[1] ** 2 - 7])


@pytest.mark.parametrize(
    ("F", "box", "solutions"),
    [  # Moré, Garbow and Hillstrom 1981, problems 2 and 3, and Himmelblau 1972
        (freudenstein, ([-20.0] * 2, [20.0] * 2), [[5, 4]]),
        (powell, ([1e-6, 1.0], [1.0, 20.0]), [[1.098159e-5, 9.106147]]),
        (himmelblau, ([-5.0] * 2, [5.0] * 2),
         [[-3.779310, -3.283186], [-2.805118, 3.131313], [3, 2], [3.584428, -1.848127]]),
    ],
)  # fmt: skip
def test_published_solutions_are_all_there_are(F, box, solutions):
    result = prove.all_roots(F, box)
    assert result.is_complete
    np.testing.assert_allclose([z.lower for z in result.zeros], solutions, rtol=1e-6)


def spheres(v):
    q, p = (v**2).sum(), 0.5 * v[0] + 0.5 * v[1] + v[2]
    t = np.array([np.pi / 3, 2 * np.pi / 3, np.pi])
    c, s = np.cos(t), np.sin(t)
    w, u = -(c + s) / 2, (s - c) / 2
    planes = (0.5 * w - s) * v[0] + (c - 0.5 * w) * v[1] + u * (v[2] - 0.2)
    return sg.stack([(q - 1) * (q - 4), (p - 0.2) * (p + 0.7), planes.prod()])


def conics(v):
    x, y = v[0], v[1]
    return sg.stack([x**2 + 4 * y**2 - 4, y * (x - 1.995) * (y - x**2) * (y - x + 1)])


@pytest.mark.parametrize(("F", "n", "zeros"), [(conics, 2, 8), (spheres, 3, 24)], ids=["2.2", "5.2"])
def test_all_zeros_of_smiley_and_chuns_examples(F, n, zeros):
    """Smiley and Chun 2001."""
    result = prove.all_roots(F, (np.full(n, -3.0), np.full(n, 3.0)), boxes=1000)
    assert result.is_complete
    assert len(result.zeros) == zeros
    assert prove.check(result.certificate, F)


@pytest.mark.slow
def test_all_orbits_of_period_two_of_a_kicked_rotor():
    """The same, example 5.5; the points are those of Hsu and Guttalu 1983."""
    result = prove.all_roots(kicked_twice, KICKED)
    assert result.is_complete
    assert len(result.zeros) == 41
    assert prove.check(result.certificate, kicked_twice)
    angles = {tuple(np.round(np.abs(z.lower[:2]) / np.pi, 4)) for z in result.zeros}
    assert {(0.3342, 0.0), (0.0, 0.247), (0.0965, 0.1832), (0.3499, 0.6441), (0.6501, 0.3559)} <= angles


@pytest.mark.parametrize(
    ("F", "size", "n"),
    [(robot, 1.0, 8), pytest.param(manipulator, np.pi, 4, marks=pytest.mark.slow)],
    ids=["Morgan and Shapiro 1987", "Manseur and Doty 1989"],
)
def test_the_joints_of_robots_have_sixteen_positions(F, size, n):
    result = prove.all_roots(F, (np.full(n, -size), np.full(n, size)))
    assert result.is_complete
    assert len(result.zeros) == 16
    assert prove.check(result.certificate, F)
