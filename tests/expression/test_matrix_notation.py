"""Results in the notation of linear algebra are read again, with the same value; what they do not tell is refused."""

import numpy as np
import pytest
from written_forms import EXAMINED, TEXTBOOK, inputs_of, of_problem

import symgrad as sg
from symgrad.errors import ParseError

REFUSED = {  # reasons that limitations.md names
    "tr_kron": "the size of I|write eye", "j_center": "the size of I", "j_outer": "index notation",
    "h_mat_ls": "index notation|is not read",
}  # fmt: skip


@pytest.mark.parametrize("notation", [str, sg.ClosedForm.latex], ids=["text", "latex"])
@pytest.mark.parametrize("problem", [*TEXTBOOK, *EXAMINED], ids=lambda p: p["name"])
def test_a_textbooks_result_is_read_again(problem, notation):
    w = of_problem(problem)
    values = {**w.sizes, **{name: value for name, _, _, value in inputs_of(problem)}, **w.values}
    text = notation(w.form)
    shapes = {name: np.shape(value) for name, value in values.items()}
    if problem["name"] in REFUSED:
        with pytest.raises(ParseError, match=REFUSED[problem["name"]]):
            sg.parse(text, shapes, syntax="paper")
        return
    again = sg.parse(text, shapes, syntax="paper")(**{k: np.asarray(v, float) for k, v in values.items()})
    assert again.shape == w.shape
    np.testing.assert_allclose(again.numpy(), w.expected, rtol=1e-7, atol=1e-9)


SHAPES = {"X": ("n", "d"), "w": ("d",), "y": ("n",), "A": ("n", "n"), "B": ("n", "n"), "v": ("n",), "lam": ()}


def read(text):
    return sg.parse(text, {name: shape for name, shape in SHAPES.items() if name in text}, syntax="paper").value


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("A*v", "A @ v"), ("2*A*(lam*v - y + A*v)", "2*A @ (lam*v - y + A @ v)"), ("Xᵀ*(X*w - y)", "X.T @ (X @ w - y)"),
        ("norm(X*w - y)**2", "norm(X @ w - y)**2"), ("trace(A*B)", "trace(A @ B)"), ("sum(A*B)", "sum(A ⊙ B)"),
        ("A ⊙ B*v*yᵀ", "A ⊙ outer(B @ v, y)"), ("v ⊘ A*y", "v/(A @ y)"), ("v^⊙2", "v*v"), ("A*1ᵀᵀ", "sum(A, 1)"),
        ("Xᵀ*1", "sum(X, 0)"), ("diag(A*1)*Xᵀᵀ", "sum(A, 1, keepdim=True)*X"), (r"A \mathbf{1}", "sum(A, 1)"),
        ("(v*1ᵀ - A)*y", "v*sum(y) - A @ y"), ("(lam*I + A)*v ⊙ y", "(lam*v + A @ v)*y"), ("v_0*y ⊙ v", "v[0]*y*v"),
        (r"\begin{pmatrix} v_0 & 1 \\ 2 & y_1 \end{pmatrix}", "[[v[0], 1], [2, y[1]]]"), ("(v + y)ᵀ*A ", "(v + y) @ A"),
        ("X - rowmean(X) ⊙ 1", "X - mean(X, 1, keepdim=True)"), ("2*y ⊙ v", "2*y*v"), ("sum(X ⊙ X)", "sum(X*X)"),
    ],
)  # fmt: skip
def test_signs_of_linear_algebra_mean_what_books_mean(text, same):
    rng = np.random.default_rng(3)
    sizes = {"n": 4, "d": 3}
    values = {name: rng.normal(size=[sizes.get(s, s) for s in shape]) for name, shape in SHAPES.items()}
    shapes = {name: np.shape(x) for name, x in values.items()}
    one, other = (sg.parse(t, shapes, syntax="paper")(**values).numpy() for t in (text, same))
    np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("text", ["A*B", "v*A", "v*y*A", "sum((A*v)**2)", "A.T*v", "A*1"])
def test_products_with_two_meanings_are_refused_with_both(text):
    with pytest.raises(ParseError, match=r"is read in two ways; write .* or "):
        read(text)


@pytest.mark.parametrize("text", ["I*lamᵀ", "I - 1*1ᵀ", "1ᵀ*1", "exp(I)*A ⊙ A"])
def test_what_has_no_size_is_refused(text):
    with pytest.raises(ParseError, match=r"the size of .* is unknown"):
        read(text)


@pytest.mark.parametrize("text", ["v_i*y_i", "Sum_i v_i", "A_ij"])
def test_index_notation_is_refused(text):
    with pytest.raises(ParseError, match="index notation is not read"):
        read(text)


def test_programs_keep_numpys_meaning():
    rng = np.random.default_rng(3)
    X, w, y = rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=4)
    f = sg.parse("X*w + (X @ w)[:, None]*0", {"X": (4, 3), "w": 3}, syntax="paper")
    np.testing.assert_allclose(f(X, w).numpy(), X * w)
    assert sg.parse("X*w", {"X": (4, 3), "w": 3})(X, w).shape == (4, 3)
    assert sg.parse("(X @ w - y).sum() + sum(X*w)", {"X": (4, 3), "w": 3, "y": 4}, syntax="paper")(X, w, y).shape == ()
