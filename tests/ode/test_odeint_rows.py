"""Flows of differential equations, their first and second derivatives in θ, against mpmath's 40 digits.

θ are parameters, first states and times. The tolerance is 1e-10, and 8 digits are compared.
All equations, methods, modes and kinds of derivative: benchmarks/answers.py.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from ode_rows import DATA, EQUATIONS, ones, states, weighted

import symgrad as sg
from symgrad.errors import NotConverged
from symgrad.ode import stepping

KNOWN = json.loads(DATA.read_text(encoding="utf-8"))
PLAIN = [name for name, row in EQUATIONS.items() if not row.stiff]


def close(found, expected, rtol=1e-8):
    expected = np.asarray(expected)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * (1e-3 + np.max(np.abs(expected))))


@pytest.mark.parametrize("name", [*PLAIN[::2], "robertson"])
def test_a_flow_and_its_gradient_are_mpmaths(name):
    close(states(name, sg.tensor(np.array(EQUATIONS[name].at))).numpy().ravel(), KNOWN[name]["value"])
    close(sg.grad(weighted(name))(ones(name)), KNOWN[name]["gradient"])


@pytest.mark.parametrize("name", PLAIN[2::12])
def test_the_hessian_of_a_flow_is_mpmaths(name):
    f, at = weighted(name), ones(name)
    close(sg.hessian(f)(at), KNOWN[name]["hessian"])
    close(sg.hvp(f, at, np.cos(at)), KNOWN[name]["hessian"] @ np.cos(at))


@pytest.mark.parametrize("name", PLAIN[1::12])
def test_a_tangent_of_a_flow_is_mpmaths(name):
    at = ones(name)
    direction = np.cos(1 + np.arange(at.size))
    close(sg.jvp(weighted(name), (at,), (direction,))[1], np.dot(KNOWN[name]["gradient"], direction))


@pytest.mark.parametrize("name", PLAIN[4::16])
def test_mapped_and_compiled_gradients_of_a_flow_are_mpmaths(name):
    at, gradient = ones(name), KNOWN[name]["gradient"]
    close(sg.vmap(sg.grad(weighted(name)))(np.stack([at, at])), [gradient, gradient])
    close(sg.compile(sg.grad(weighted(name)))(at), gradient)


@pytest.mark.parametrize("derivative", ["steps", "forward", "adjoint"])
@pytest.mark.parametrize("name", ["cooling_until", "lotka_volterra"])
def test_each_kind_of_derivative_of_a_flow_is_mpmaths(name, derivative):
    close(sg.grad(weighted(name, derivative=derivative))(ones(name)), KNOWN[name]["gradient"])


@pytest.mark.parametrize("method", ["BDF", "DOP853"])
def test_scipys_methods_have_mpmaths_gradients(method):
    pytest.importorskip("scipy")
    close(sg.grad(weighted("gompertz", method=method))(ones("gompertz")), KNOWN["gompertz"]["gradient"])


def test_the_adjoint_of_a_stiff_equation_is_an_error():
    last = lambda k: sg.odeint(
        lambda y, t, k: -k * (y - sg.cos(t)), 0.0, [0.0, 2.0], k, method="rodas4", derivative="adjoint", max_steps=3000
    )[-1]
    assert last(500.0).item() == pytest.approx(np.cos(2.0), abs=1e-2)
    with pytest.raises(NotConverged, match=r"misses the state|derivative='steps'"):
        sg.grad(last)(500.0)


def test_steps_that_are_remembered_keep_their_own_numbers():
    # kernels write their next numbers where the last ones were
    sg.odeint(lambda y, t, k: -k[0] * y, 1.0, [0.0, 1.0], sg.tensor([0.5]))
    known, _ = list(stepping._LAST.values())[-1]
    step, base, control = known.step, known.base, known.control
    theta = np.array([0.25])
    stepping.steps_of(step, base, control, np.ones((1, 1)), [0.0, 1.0], [theta])
    theta[:] = 9.0
    steps, _ = stepping.steps_of(step, base, control, np.ones((1, 1)), [0.0, 1.0], [np.array([0.25])])
    assert steps.thetas[0] == 0.25


def test_there_are_enough_equations_and_stiff_ones():
    assert len(EQUATIONS) >= 30
    assert set(KNOWN) == set(EQUATIONS)
    assert sum(row.stiff for row in EQUATIONS.values()) >= 4
