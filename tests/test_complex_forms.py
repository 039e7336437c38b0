"""Closed forms of complex programs: what they print, and that their numbers are PyTorch's gradients."""

import json
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad.forms.canon import RULES, complexes

IDENTITIES = json.loads((Path(__file__).parent / "data" / "complex_identities.json").read_text(encoding="utf-8"))
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
