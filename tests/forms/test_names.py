"""Names that are minted: unlike any of the user's, in whatever case, unlike the notation's signs, and all defined."""

import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.engine.record import handle
from symgrad.forms.names import Mint, folded, leaves_in_use_of
from symgrad.teach.steps.tape import Tape

NAMES = [
    *("u", "a", "s", "p", "z", "r", "w", "W", "W1", "W2", "delta", "δ", "h", "A", "X", "x", "T", "y", "g", "t0", "v0"),
    *("e", "E", "sigma", "Σ", "K", "k_1", "R", "C", "eta", "M", "mu", "L", "f"),
]
SIGNS = set("δeEIdT1πΠΦλ") | {"\N{GREEK CAPITAL LETTER SIGMA}"}
N, D = 4, 3


def programs(a, b, c, m, v):
    """Functions of arrays with these names: two of N, one of D, an N×D and a D×D matrix."""
    x, y, w = sg.symbol(a, (N,)), sg.symbol(b, (N,)), sg.symbol(c, (D,))
    P, Q = sg.symbol(m, (N, D)), sg.symbol(v, (D, D))
    hidden = sg.tanh(P @ Q)
    h = (x - x.mean()) / sg.sqrt(sg.var(x, correction=0) + 0.1)
    inverse = sg.inverse(Q + np.arange(9.0).reshape(3, 3))
    return [
        ((sg.tanh(hidden @ Q) - P) ** 2).sum(),
        (y * h).sum() + (y @ h) ** 2,
        ((sg.sigmoid(P @ w) - x) ** 2).sum() * (x @ y),
        sg.softmax(P @ inverse @ w + np.arange(4.0), 0) @ (x * y),
        (w @ inverse @ w) / (w @ w) + sg.logsumexp(P @ w, 0) ** 2,
    ]


def arrangements():
    """Choose five of the names, each several times."""
    rng = np.random.default_rng(7)
    return [tuple(map(str, rng.choice(NAMES, 5, replace=False))) for _ in range(8)]


def minted(form):
    """Return the names of a form's intermediates, and of arrays that the function holds."""
    own = {str(getattr(d.name, "base", d.name).name if hasattr(d.name, "base") else d.name.name) for d in form.where}
    unnamed = {form._names[id(leaf)] for leaf in form._leaves if leaf.title is None}
    return own | unnamed


@pytest.mark.parametrize("given", arrangements(), ids=" ".join)
def test_minted_names_are_none_of_the_users(given):
    for f in programs(*given):
        leaves = [t for t in leaves_in_use_of([f._node]) if t.title in given]
        taken = {folded(t.title) for t in leaves}
        for leaf in leaves:
            form = sg.derive(f, handle(leaf, None))
            found = minted(form)
            assert not {folded(n) for n in found} & taken, (found, str(form))
            assert not found & SIGNS
            words = set(re.findall(r"[^\W\d_ᵀ²¹][^\Wᵀ²¹]*", str(form))) - found - set(given)
            assert all(len(w) > 1 or w in "IFσ" for w in words - {"where"}), (words, str(form))


@pytest.mark.parametrize("given", arrangements()[:4], ids=" ".join)
def test_explanations_name_no_step_as_the_user_names_an_array(given):
    for f in programs(*given)[:3]:
        tape = Tape(f)
        steps = [name for node, name in tape.names.items() if getattr(node, "title", None) is None]
        assert not {folded(n) for n in steps} & {folded(t.title) for t in leaves_in_use_of([f._node]) if t.title}
        assert len(set(tape.names.values())) == len(tape.names)


@pytest.mark.parametrize("name", ["u", "v", "w", "p", "L", "y", "U"])
def test_an_intermediate_is_not_called_as_the_cotangent(name):
    A, x, u = sg.symbol("A", ("n", "n")), sg.symbol("x", "n"), sg.symbol(name, "n")
    said = str(sg.explain(sg.tanh(A @ x), x, cotangent=u))
    assert not re.search(rf"^ +\d+\. +{name} = ", said, re.MULTILINE)
    assert f"∂{name}" not in said


def test_a_hidden_layer_is_not_called_w_beside_w1_and_w2():
    W1, W2, X = sg.symbol("W1", ("d", "h")), sg.symbol("W2", ("h", "k")), sg.symbol("X", ("n", "d"))
    loss = ((X @ W1 @ W2) ** 2).sum()
    assert not re.search(r"\b[Ww]\b", str(sg.explain(loss, W1)))
    assert not re.search(r"\b[Ww]\b", str(sg.derive(loss, [W1, W2])))


def test_names_run_out_without_a_clash():
    mint = Mint([c for c in "abcdefghijklmnopqrstuvwxyz"] + list("θξωκτρηγβα"))
    found = mint.names("uvw", 3) + mint.names("uvw")
    assert len(set(found)) == 4
    assert not {n.casefold() for n in found} & set("abcdefghijklmnopqrstuvwxyz")


@pytest.mark.parametrize("target", ["c", "python", "numpy", "jax", "torch", "latex"])
def test_every_letter_in_the_header_of_a_source_is_defined(target):
    held, slope = np.array([1.0, 2.0, 3.0]), np.arange(9.0).reshape(3, 3)
    text = sg.export(lambda x: ((slope @ x - held) ** 2).sum(), np.zeros(3), target=target, name="f")
    assert "a = [1, 2, 3]" in text
    assert "A = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]" in text


def test_a_formula_in_a_report_has_numbers_for_arrays_of_one_number():
    found = sg.report(lambda x: (sg.sin(x) ** 2).sum(), at=np.array([0.1, 0.2]), path=None).page
    source = found[found.index("Returns:") : found.index("v1 =")]
    assert "result: (2,) = 2*(sin(x) ⊙ cos(x))" in source
