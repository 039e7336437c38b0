"""One word for one thing: every named function and operation has the same name in each notation."""

import pytest
import sympy as sp

import symgrad as sg
from symgrad.forms.nodes import printers
from symgrad.forms.nodes.printers import inside
from symgrad.scalars import SCALARS

x, s, t = sg.symbol("x", "n"), sg.symbol("s", (), positive=True), sg.symbol("t", (), positive=True)
SHOWN = {name: f for name, f in SCALARS.items() if not f.hidden and not f.library}
# What LaTeX writes in the signs of mathematics, and text in letters.
SIGNS = {
    "σ": r"\sigma", "φ": r"\varphi", "Φ": r"\Phi", "log_ndtr": r"\log\Phi", "ndtri": r"\Phi^{-1}",
    "logsigmoid": r"\log\sigma", "lgamma": r"\log\Gamma", "polygamma": r"\psi", "erfinv": r"\operatorname{erf}^{-1}",
    "i0": "I_0", "i1": "I_1", "exp2": r"\exp_2", "log2": r"\log_2", "log10": r"\log_{10}", "asin": r"\arcsin",
    "acos": r"\arccos", "atan": r"\arctan", "asinh": r"\operatorname{arsinh}", "acosh": r"\operatorname{arcosh}",
    "atanh": r"\operatorname{artanh}",
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_latex_has_the_word_of_the_text_or_its_sign(name):
    text, latex = SHOWN[name].text, SHOWN[name].latex
    assert latex in (SIGNS.get(text), f"\\{text}", f"\\operatorname{{{text}}}")


@pytest.mark.parametrize("name", SHOWN)
def test_indices_have_the_word_of_matrices(name):
    scalar = SHOWN[name]
    at = [sp.Symbol(k, positive=True) for k in "xyz"[: scalar.nargs]]
    e = scalar.function(*at, evaluate=False)
    if e.func is not scalar.function:  # SymPy has another way to write it
        pytest.skip("written otherwise")
    assert printers.text(e).split("(")[0] in (scalar.text, "digamma")


@pytest.mark.parametrize(
    ("y", "word"),
    [
        (sg.sigmoid(x) * s, "σ("), (sg.special.ndtr(x) * s, "Φ("), (sg.maximum(x, s) * t, "max("),
        (sg.special.digamma(x) * s, "digamma("), (sg.softmax(x, 0) * s, None), (sg.erf(x) * s, "erf("),
        (sg.exp(-(x**2) / 2) * s, "exp("), (sg.tanh(x) * s, "tanh("), (sg.relu(x) * s, "relu("),
    ],
    ids=lambda v: str(v) if isinstance(v, str) else "",
)  # fmt: skip
def test_text_indices_and_pages_have_one_word(y, word):
    form = sg.derive(y, s if y.shape and word != "max(" else t)
    texts = [str(form), printers.text(form.index())]
    if word is not None:
        assert all(word in text for text in texts), texts
    for text in (*texts, form.latex(), form.latex("index"), inside(form.index())):
        assert not any(
            other in text for other in ("sigmoid", "ndtr", "KroneckerDelta", "Max(", "normal_pdf", "Piecewise")
        )


def test_an_identity_in_indices_is_a_delta_wherever_it_is_printed():
    form = sg.derive(sg.outer(x, x), x)
    assert str(form.index()) == printers.text(form.index()) == "x_i*δ_jk + x_j*δ_ik"
    assert form.index().has(sp.KroneckerDelta)
    assert form.latex("index") == r"x_{i} \delta_{jk} + x_{j} \delta_{ik}"


def test_two_words_do_not_run_together_in_latex():
    lam, sig, W = sg.symbol("lam", ()), sg.symbol("sig", ()), sg.symbol("W", ("n", "n"))
    form = sg.derive(lam**2 * sig**2 * (W**2).sum(), W)
    assert form.latex() == r"2 \mathrm{lam}^{2} \, \mathrm{sig}^{2} W"
    assert sg.derive(sg.symbol("lambda", ()) * sg.symbol("λ", ()) * lam, lam).latex() == r"\lambda \lambda"
