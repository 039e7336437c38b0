"""Formulas of complex numbers as text: i, conj, abs2, the adjoint."""

import numpy as np
import pytest

import symgrad as sg


def letters():
    complex_ = {"dtype": complex}
    return {
        "X": sg.symbol("X", ("n", "d"), **complex_),
        "w": sg.symbol("w", "d", **complex_),
        "y": sg.symbol("y", "n", **complex_),
        "H": sg.symbol("H", ("d", "d"), hermitian=True),
    }


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("sum(abs2(X @ w - y))", "2*Xᴴ*(X*w - y)"),
        ("sum(abs(X @ w - y)**2)", "2*Xᴴ*(X*w - y)"),
        ("re((X @ w - y).conj() @ (X @ w - y))", "2*Xᴴ*(X*w - y)"),
        ("Re(conj(w) @ (X.H @ (X @ w)))", "2*Xᴴ*X*w"),
        ("real(conj(w) @ H @ w)", "2*H*w"),
        ("Im(sum(w))", "i*1"),
        ("re(2j*sum(w))", "-2*i*1"),
        ("re(2*i*sum(w))", "-2*i*1"),
    ],
)
def test_python(text, form):
    f = sg.parse(text, letters())
    assert str(sg.derive(f.value, "w")) == form


@pytest.mark.parametrize(
    ("text", "form"), [("real(w'*H*w)", "2*H*w"), ("norm(X*w - y)^2", "2*Xᴴ*(X*w - y)"), ("real(w.'*w)", "2*conj(w)")]
)
def test_matlab(text, form):
    assert str(sg.derive(sg.parse(text, letters(), syntax="matlab").value, "w")) == form


def test_matlabs_dash_is_the_adjoint_and_with_a_dot_the_transpose():
    z = np.array([1 + 2j, 3 - 1j, -2 + 0.5j])
    shapes = {"z": sg.symbol("z", 3, dtype=complex)}
    values = [sg.parse(text, shapes, syntax="matlab")(sg.tensor(z)).numpy() for text in ("z'*z", "z.'*z")]
    np.testing.assert_allclose(values, [z.conj() @ z, z @ z], rtol=1e-14)


def test_i_is_the_unit_unless_something_is_called_so():
    assert str(sg.derive("re(exp(i*x))", "x")) == "-Im(exp(i*x))"
    assert str(sg.derive("i**2*x", "i")) == "2*i*x"
    assert sg.parse("exp(i*pi)", {}).value.numpy() == pytest.approx(-1)


def test_numbers_are_those_of_numpy():
    f = sg.parse("abs2(z - i) + im(conj(z)*z**2)", {"z": sg.symbol("z", dtype=complex)})
    z = 0.5 - 2j
    assert float(f(sg.tensor(z)).numpy()) == pytest.approx(abs(z - 1j) ** 2 + (np.conj(z) * z**2).imag)
