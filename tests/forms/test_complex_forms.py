"""Closed forms of complex programs: what they print, and that their numbers are PyTorch's gradients."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import symgrad as sg
from symgrad.forms.canon import RULES, complexes
from symgrad.forms.nodes.transforming import fourier

IDENTITIES = json.loads((Path(__file__).parents[1] / "data" / "complex_identities.json").read_text(encoding="utf-8"))
SIZES = {"n": 4, "d": 3}


def symbols(letters):
    """The letters without values: real, complex or Hermitian."""
    kinds = {"real": {}, "complex": {"dtype": sg.complex128}, "hermitian": {"hermitian": True}}
    return {name: sg.symbol(name, tuple(shape), **kinds[kind]) for name, (kind, shape) in letters.items()}


def values(letters):
    """Random arrays for the letters."""
    rng, found = np.random.default_rng(3), {}
    for name, (kind, shape) in letters.items():
        sizes = [SIZES.get(n, n) for n in shape]
        a = rng.normal(size=sizes)
        a = a if kind == "real" else a + 1j * rng.normal(size=sizes)
        found[name] = a + a.conj().T if kind == "hermitian" else a
    return found


def program(row, module, given):
    """The number that a row computes; its text is of these tests, no user's."""
    return eval(row["of"], {"m": module, **given})


@pytest.mark.parametrize("row", IDENTITIES, ids=[row["name"] for row in IDENTITIES])
def test_the_form_is_the_books_and_its_value_pytorchs(row):
    torch = pytest.importorskip("torch")
    letters, wrt = row["letters"], row["wrt"]
    given = symbols(letters)
    form = sg.derive(program(row, sg, given), given[wrt])
    assert str(form) == row["form"]
    arrays = values(letters)
    tensors = {name: torch.tensor(a, requires_grad=name == wrt) for name, a in arrays.items()}
    program(row, torch, tensors).backward()
    expected = tensors[wrt].grad.resolve_conj().resolve_neg().numpy()
    np.testing.assert_allclose(form(**arrays), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("row", IDENTITIES, ids=[row["name"] for row in IDENTITIES])
def test_what_is_printed_has_the_value_of_the_gradient(row):
    arrays, wrt = values(row["letters"]), row["wrt"]
    # Hermitian values bear no mark: the form is then that of any matrix.
    given = {name: sg.tensor(a, requires_grad=name == wrt, name=name) for name, a in arrays.items()}
    form = sg.derive(program(row, sg, given), given[wrt], verify=True)
    assert str(form)
    program(row, sg, given).backward()
    np.testing.assert_allclose(form(**arrays), given[wrt].grad.numpy(), rtol=1e-9, atol=1e-9)


def test_notations():
    X, w, y = sg.symbol("X", ("n", "d"), dtype=complex), sg.symbol("w", "d", dtype=complex), sg.symbol("y", "n")
    form = sg.derive((abs(X @ w - y) ** 2).sum(), w)
    assert str(form) == "2*Xᴴ*(X*w - y)"
    assert form.latex() == r"2 X^{\mathsf{H}} \left(X w - y\right)"
    assert "<msup><mi>X</mi><mo>H</mo></msup>" in form.mathml()


def test_real_letters_stay_real():
    x = sg.symbol("x", "n")
    assert str(sg.derive((x.conj() * x.real + abs(x) ** 2).sum(), x)) == "4*x"


def test_logarithms_keep_their_branch():
    z = sg.tensor(0.5 + 4j, requires_grad=True, name="z")
    form = sg.derive((z.exp().log() ** 2).real, z)
    (z.exp().log() ** 2).real.backward()
    np.testing.assert_allclose(form(z=z.detach().numpy()), z.grad.numpy())


def test_every_rule_of_complex_numbers_applies(monkeypatch):
    fired = set()

    def watched(rule):
        def apply(*args):
            found = rule(*args)
            fired.update({rule.__name__} if found else ())
            return found

        return apply

    for kind, rules in RULES.items():
        monkeypatch.setitem(RULES, kind, [watched(r) if r.__module__ == complexes.__name__ else r for r in rules])
    for row in IDENTITIES:
        given = symbols(row["letters"])
        str(sg.derive(program(row, sg, given), given[row["wrt"]]))
    z = sg.symbol("z", "n", dtype=complex)
    assert str(sg.derive((abs(z - z.conj()) ** 2 + (z + z.conj()).real ** 2).sum(), z)) == "8*z"
    names = {r.__name__ for rules in RULES.values() for r in vars(complexes).values() if hasattr(r, "rewrites")}
    assert fired == names


def test_parts_of_two_shapes_have_entries():
    x, y = sg.symbol("x", "n"), sg.symbol("y")
    form = sg.derive(abs(sg.complex(x, y)).sum(), y)
    a, b = np.array([1.0, -2.0]), 0.5
    np.testing.assert_allclose(form(x=a, y=b), (b / np.hypot(a, b)).sum())
    assert str(form.index())
    z = sg.tensor(b, requires_grad=True, name="y")
    assert str(sg.derive(abs(sg.complex(sg.tensor(a, name="x"), z)).sum(), z, verify=True))


# ------------------------------------------------------------------ Fourier transforms
def of_spectrum():
    z, y = sg.symbol("z", "n", dtype=complex), sg.symbol("y", "n")
    return sg.derive(((abs(sg.fft.fft(z)) ** 2 - y) ** 2).sum(), z)


def test_transforms_are_products_with_a_letter_that_is_explained():
    form, body = of_spectrum(), "4*Fᴴ*((abs(F*z)^⊙2 - y) ⊙ F*z)"
    assert str(form) == f"{body} where F = fft(eye(n))"
    assert str(form.body) == body
    assert [tuple(map(str, d)) for d in form.where] == [("F", "fft(eye(n))")]
    assert form.latex().endswith(r",\quad F = \operatorname{fft}\left(I_{n}\right)")
    assert "<msup><mi>F</mi><mo>H</mo></msup>" in form.mathml()
    assert form.mathml().count("<math") == 2


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (lambda x: sg.fft.fft(x), "F*x where F = fft(eye(n))"),
        (lambda x: sg.fft.ifft(x), "Fᴴ*x/n where F = fft(eye(n))"),
        (lambda x: sg.fft.fft(x, norm="ortho"), "F*x/sqrt(n) where F = fft(eye(n))"),
        (lambda x: sg.fft.fft(sg.symbol("F", ("n", "n")) @ x), "G*F*x where G = fft(eye(n))"),
        (lambda x: sg.fft.fft2(sg.symbol("X", ("m", "n"))), "F*X*G where F = fft(eye(m)); G = fft(eye(n))"),
        (lambda x: sg.fft.fft(sg.symbol("X", ("m", "n"))), "X*F where F = fft(eye(n))"),
        (lambda x: sg.fft.rfft(sg.symbol("p", 6)), "F*p where F = rfft(eye(6))ᵀ"),
        (lambda x: sg.fft.ifft(sg.fft.fft(x)), "x"),
    ],
    ids=["fft", "ifft", "ortho", "taken", "fft2", "rows", "rfft", "back"],
)
def test_transforms_are_matrices(program, text):
    assert str(program(sg.symbol("x", "n", dtype=complex))) == text


def test_sources_of_formulas_transform():
    form, rng = of_spectrum(), np.random.default_rng(4)
    z, y = rng.normal(size=(2, 3000)) + 0j
    given = {"z": z, "y": y.real, "n": 3000}
    names = sorted(form.expr.free_symbols, key=lambda s: s.name)
    f = sp.lambdify(names, form.expr, "numpy")
    np.testing.assert_allclose(f(*[given[s.name] for s in names]), form(z=z, y=y.real))


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("adjoint", [False, True])
def test_a_matrix_that_transforms_has_these_entries(half, adjoint):
    n, rng = 6, np.random.default_rng(5)
    F = fourier(n, 4 if half else n, adjoint)
    entries = np.exp(-2j * np.pi * np.outer(range(4 if half else n), range(n)) / n)
    entries = entries.conj().T if adjoint else entries
    A, B = rng.normal(size=(3, F.shape[0])) + 1j, rng.normal(size=(F.shape[1], 2))
    for got, expected in [
        (F, entries), (F @ B, entries @ B), (F @ B[:, 0], entries @ B[:, 0]), (A @ F, A @ entries), (F.T, entries.T),
        (A[0] @ F, A[0] @ entries), (2 * F, 2 * entries),
    ]:  # fmt: skip
        np.testing.assert_allclose(np.asarray(got), expected, atol=1e-12)


# ------------------------------------------------------------------ complex results, and second derivatives
def test_complex_results_have_their_plain_derivative():
    w, z = sg.symbol("w", dtype=complex), sg.symbol("z", "n", dtype=complex)
    x, A = sg.symbol("x", "n"), sg.symbol("A", ("n", "n"), dtype=complex)
    assert str(sg.derive(w**3, w)) == "3*w**2"
    assert str(sg.derive(w**3, w, 2)) == "6*w"
    assert str(sg.derive(A @ z, z)) == "A"
    assert str(sg.derive(sg.fft.fft(x), x)) == str(sg.derive(sg.fft.fft(z), z)) == "F where F = fft(eye(n))"
    assert str(sg.derive((1j * x).exp(), x)) == "i*diag(exp(i*x))"


@pytest.mark.parametrize(
    "program", [lambda w: abs(w) * w, lambda w: w.conj(), lambda w: w.real + 0j * w], ids=["abs", "conj", "real"]
)
def test_what_is_not_holomorphic_has_no_derivative(program):
    w = sg.symbol("w", dtype=complex)
    with pytest.raises(TypeError, match="no holomorphic function of w"):
        sg.derive(program(w), w)


def test_second_derivatives_of_moduli_are_short():
    x, A, w = sg.symbol("x", "n"), sg.symbol("A", ("n", "n"), dtype=complex), sg.symbol("w", dtype=complex)
    assert str(sg.derive((abs(A @ x) ** 2).sum(), x, 2)) == "2*Re(Aᴴ*A)"
    assert str(sg.derive((abs(sg.fft.fft(x)) ** 2).sum(), x, 2)) == "2*n*I"
    with pytest.raises(TypeError, match="not a single matrix of complex numbers"):
        sg.derive(abs(w) ** 2, w, 2)
    t, a = sg.symbol("t"), 0.5 - 2j
    form = sg.derive(abs(sg.tensor(a, name="a") * t + 1), t, 2)
    h = [abs(a * (0.3 + s) + 1) for s in (-1e-4, 0, 1e-4)]
    assert form(t=0.3) == pytest.approx((h[0] - 2 * h[1] + h[2]) / 1e-8, rel=1e-5)


def test_an_index_is_not_called_as_the_unit():
    x = sg.symbol("x", "n")
    text = str(sg.derive(((abs(sg.fft.fft(x)) ** 2) ** 2).sum(), x).index())
    assert "exp(2*i*pi*j*k/n)" in text


@pytest.mark.parametrize(
    ("part", "word", "shift"), [(sg.real, "Re", 0.5j), (sg.imag, "Im", 0.3j), (sg.angle, "arg", 0.25j)]
)
def test_a_condition_on_a_part_of_a_complex_number_keeps_the_part(part, word, shift):
    rng = np.random.default_rng(3)
    x, F = sg.tensor(rng.normal(size=3), name="x", requires_grad=True), sg.tensor(rng.normal(size=(3, 3)), name="F")

    def f(x):
        u, total = part((x + shift) @ F), part(((x + shift) @ F).sum())
        return sg.where((u < 0.9) * (u >= -0.2), x**2, x**3).sum() + (sg.clamp(total, -0.2, 2.1) * x).sum()

    form = sg.derive(f(x), x, verify=True)
    assert re.search(rf"-0\.2 ≤ {word}\((u|x|.*i\))\) < 0\.9", str(form))
