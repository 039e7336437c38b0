"""Equations of motion: known ones, and what is conserved along their solutions."""

import pickle

import numpy as np
import pytest
import sympy as sp

import symgrad as sg
from symgrad.errors import ArgumentError

KNOWN = [
    ("m*l**2*theta_dot**2/2 + m*g*l*cos(theta)", "theta", "t", "-g*sin(theta)/l"),
    ("m*x_dot**2/2 - k*x**2/2", "x", "t", "-k*x/m"),
    ("sqrt((1 + y_dot**2)/y)", "y", "x", "-(1 + y_dot**2)/(2*y)"),
    ("y*sqrt(1 + y_dot**2)", "y", "x", "(1 + y_dot**2)/y"),
    ("sqrt(1 + y_dot**2)", "y", "x", "0"),
]


@pytest.mark.parametrize(("L", "q", "t", "expected"), KNOWN)
def test_known_equations_of_motion(L, q, t, expected):
    motion = sg.euler_lagrange(L, q, t)
    symbols = {s.name: s for s in motion.lagrangian.free_symbols}
    assert sp.simplify(motion.accelerations[q] - sp.sympify(expected, locals=symbols)) == 0
    assert "energy" in motion.conserved
    assert str(pickle.loads(pickle.dumps(motion))) == str(motion)
    assert motion.latex()


@pytest.mark.parametrize(
    "velocity", ["theta'", "theta′", "diff(theta, t)", "(dtheta/dt)", r"\dot{\theta}", r"\dot\theta", "theta\u0307"]
)
def test_velocities_are_read_as_people_write_them(velocity):
    L = f"1/2*m*l**2*{velocity}**2 + m*g*l*cos(theta)"
    assert str(sg.euler_lagrange(L, "theta")) == str(sg.euler_lagrange(L.replace(velocity, "theta_dot"), "theta"))


def test_keplers_motion_conserves_energy_and_angular_momentum():
    motion = sg.euler_lagrange("(r_dot**2 + r**2*phi_dot**2)/2 + 1/r", ["r", "phi"])
    names = [sp.Symbol(n, real=True) for n in ("r", "phi", "r_dot", "phi_dot")]
    rates = sp.lambdify(names, [*names[2:], motion.accelerations["r"], motion.accelerations["phi"]])
    kept = sp.lambdify(names, list(motion.conserved.values()))
    assert list(motion.conserved) == ["momentum of phi", "energy"]
    state, h = np.array([1.0, 0.0, 0.2, 0.9]), 1e-3
    start = np.array(kept(*state))
    for _ in range(3000):
        a = np.array(rates(*state))
        b = np.array(rates(*(state + h / 2 * a)))
        c = np.array(rates(*(state + h / 2 * b)))
        d = np.array(rates(*(state + h * c)))
        state = state + h / 6 * (a + 2 * b + 2 * c + d)
    assert np.allclose(kept(*state), start, atol=1e-9)


def test_hamiltons_equations_are_those_of_lagrange():
    motion = sg.euler_lagrange("m*x_dot**2/2 - k*x**2/2 + F*x*cos(w*t)", "x")
    assert "energy" not in motion.conserved
    p, m = sp.Symbol("p_x", real=True), sp.Symbol("m", real=True)
    assert sp.simplify(motion.hamilton["x_dot"] - p / m) == 0
    assert sp.simplify(motion.hamilton["p_x_dot"] - m * motion.accelerations["x"]) == 0


def test_equations_of_motion_are_short():
    lines = str(sg.euler_lagrange("m*(rdot^2 + r^2*phi_dot^2)/2 + G*M*m/r", ["r", "phi"])).splitlines()
    assert "  m·r_ddot = m·phi_dot²·r − G·M·m/r²" in lines
    assert "  y_ddot/(y_dot² + 1)^(3/2) = 0" in str(sg.euler_lagrange("sqrt(1 + y_dot^2)", "y", "x")).splitlines()


@pytest.mark.parametrize(("L", "q"), [("x**2", "x"), ("x_dot**2", ["x", "t"]), ("x_dot**2", [])])
def test_what_is_no_motion_is_refused(L, q):
    with pytest.raises(ArgumentError):
        sg.euler_lagrange(L, q)


def test_energies_are_written_term_by_term():
    kepler = sg.euler_lagrange("m*(r_dot**2 + r**2*phi_dot**2)/2 + k/r", ["r", "phi"])
    assert "energy: m·r_dot²/2 + m·phi_dot²·r²/2 − k/r" in str(kepler)
    assert "p_r_dot = p_phi²/(m·r³) − k/r²" in str(kepler)


def test_an_equation_that_is_solved_already_stands_once():
    assert str(sg.euler_lagrange("(r_dot**2 + r**2*phi_dot**2)/2 + 1/r", ["r", "phi"])).count("r_ddot = ") == 1
