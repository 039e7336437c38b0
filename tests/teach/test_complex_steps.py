"""Steps of complex programs: differentials that hold for complex numbers, and which gradient is meant."""

import numpy as np
import pytest

import symgrad as sg


def letters():
    return {
        "X": sg.symbol("X", ("n", "d"), dtype=complex), "w": sg.symbol("w", "d", dtype=complex),
        "z": sg.symbol("z", "n", dtype=complex), "u": sg.symbol("u", dtype=complex),
        "x": sg.symbol("x", "n"), "y": sg.symbol("y", "n"),
    }  # fmt: skip


CONVENTION = "by complex z the gradient is ∂/∂Re z + i·∂/∂Im z = 2·∂/∂z̄ (conjugate Wirtinger)"


def said(found):
    """The text of an explanation without its line breaks."""
    return " ".join(str(found).split())


def test_differentials_are_complex():
    a = letters()
    text = said(sg.explain((abs(a["X"] @ a["w"] - a["y"]) ** 2).sum(), a["w"]))
    assert CONVENTION in text
    assert "u = X·w du = X·dw" in text
    assert "dp = Re(dv ⊙ conj(v) ⊘ |v|)" in text
    assert "df = Re(gᴴ·dw) gives g = 2·Xᴴ·(X·w − y)" in text


def test_numbers_are_explained_as_arrays_are():
    u = letters()["u"]
    text = said(sg.explain((u**2).real, u))
    assert "du = Re" not in text
    assert "df = Re(conj(g)·du) gives g = 2·conj(u)" in text
    with pytest.raises(ValueError, match="style='calculus' is for real numbers"):
        sg.explain(abs(u), u, style="calculus")


def test_real_letters_need_no_convention():
    a = letters()
    text = said(sg.explain((abs(sg.fft.fft(a["x"]) - a["z"]) ** 2).sum(), a["x"]))
    assert "Wirtinger" not in text
    assert "where F = fft(eye(n))" in text
    assert "df = gᵀ·dx gives g = 2·Re(Fᴴ·(F·x − z))" in text


def test_holomorphic_functions_have_their_derivative():
    u, z = letters()["u"], letters()["z"]
    text = said(sg.explain(u.exp() * u, u))
    assert "Wirtinger" not in text
    assert "g = u·exp(u) + exp(u)" in text
    assert said(sg.explain((u**2).sqrt(), u)).endswith("g = u/√(u²) number")
    assert said(sg.explain(sg.fft.fft(z), z)).endswith("df = J·dz gives J = F n×n")
    assert said(sg.explain(lambda a: a**3, at=1 + 2j)).endswith("g = 3·a² number = −9 + 12i")


def test_adjoints_are_gradients_at_every_step():
    a = letters()
    found = sg.explain(((abs(sg.fft.fft(a["z"])) - a["y"]) ** 2).sum(), a["z"], style="backprop")
    text = said(found)
    assert CONVENTION in text
    assert "Where F = fft(eye(n))" in text
    assert "∂L/∂u = u ⊙ ∂L/∂v ⊘ |u|" in text
    assert "∂L/∂z = Fᴴ·∂L/∂u = 2·Fᴴ·((1 − (y ⊘ |F·z|)) ⊙ F·z)" in text
    assert "mathsf{H}" in found.latex()
    assert "<math" in found.html()


def test_values_of_steps_are_gradients():
    z = sg.tensor([1 + 2j, -1j], requires_grad=True, name="z")
    y = (abs(z**2 - 1) ** 2).sum()
    found = sg.explain(y, z, style="backprop")
    y.backward()
    np.testing.assert_allclose(found.steps[-1].value, z.grad.numpy())
    assert "+ 3i" in str(sg.explain(abs(sg.tensor(1 + 3j, requires_grad=True, name="z")) ** 2 / 2))


def test_reports_check_complex_gradients():
    w = sg.tensor([1 + 1j, 2.0], requires_grad=True, name="w")
    page = sg.report((abs(w**2 - 1) ** 2).sum(), w, path=None).page
    assert "All readings of the derivative agree." in page
    assert "Wirtinger" in page


def test_directional_derivatives_are_complex():
    a = letters()
    v = sg.symbol("v", "n", dtype=complex)
    y = sg.fft.fft(a["z"]) * a["y"]
    assert str(sg.derive(y, a["z"], tangent=v)) == "y ⊙ F*v where F = fft(eye(n))"
    assert str(sg.derive(y, a["z"], cotangent=v)) == "Fᴴ*(y ⊙ v) where F = fft(eye(n))"
