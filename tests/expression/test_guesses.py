"""What the names of a formula stand for, whose spelling it has, and where a mistake in it is."""

import pytest

import symgrad as sg
from symgrad.errors import ParseError
from symgrad.expression.grammar import read
from symgrad.expression.guesses import guesses, wanted, with_products
from symgrad.expression.printer import typed as text_of
from symgrad.expression.spelling import spelling

n, d, m = ("n",), ("d",), ("m",)
GUESSED = {
    "sum((X @ w - y)**2)": {"X": n + d, "w": d, "y": n},
    "sum(log(1 + exp(-y*(X @ w)))) + lam*w @ w": {"y": n, "X": n + d, "w": d, "lam": ()},
    "logdet(S) + (x - mu) @ inv(S) @ (x - mu)": {"S": n + n, "x": n, "mu": n},
    "trace(A @ X @ B)": {"A": n + d, "X": d + m, "B": m + n},
    "x @ A.T @ A @ x": {"x": n, "A": d + n},
    "y @ softmax(W @ x, 0)": {"y": n, "W": n + d, "x": d},
    "sum(W2 @ tanh(W1 @ x + b1) + b2)": {"W2": n + d, "W1": d + m, "x": m, "b1": d, "b2": n},
    "norm(x)": {"x": n},
    "(X @ w - y).sum()": {"X": n + d, "w": d, "y": n},
    "mean(softmax(X @ W, 1), 0)": {"X": n + d, "W": d + m},
    "outer(x, y) @ z": {"x": n, "y": d, "z": d},
    "sum(exp(x), dim=0)": {"x": n},
    "np.linalg.solve(A, b) @ c": {"A": n + n, "b": n, "c": n},
    "x[0]**2 + x[1]": {"x": n},
    "x.T @ A @ x - 2*b.T @ x": {"x": n, "A": n + n, "b": n},
    "sum(x @ x.T)": {"x": n + d},
    "x**2*sin(x)": {"x": ()},
    "R*T/V": {"R": (), "T": (), "V": ()},
    "max(x, y)": {"x": (), "y": ()},
    "x'*A*x": {"x": n, "A": n + n},
    "norm(A*x - b)^2": {"A": n + d, "x": d, "b": n},
    "(y - X*w)'*(y - X*w) + lam*w'*w": {"y": n, "X": n + d, "w": d, "lam": ()},
    "b'*(A\\c)": {"b": n, "A": n + n, "c": n},
    "x^2 + 3*y": {"x": (), "y": ()},
    "x(1)^2 + t*x(2)": {"x": n, "t": ()},
    "X(1,:)*w": {"X": n + d, "w": d},
    "A[0, :] @ x": {"A": n + d, "x": d},
    "A[0] @ x": {"A": n + d, "x": d},
    "diag(A) @ x": {"A": n + n, "x": n},
    "t*X(1,2)^2": {"t": (), "X": n + d},
    "A*x": {"A": n + d, "x": d},
    "A*sin(x)": {"A": (), "x": ()},
    "A*B*t": {"A": (), "B": (), "t": ()},
    "K*x**2": {"K": (), "x": ()},
    "y @ log(softmax(W @ x))": {"y": n, "W": n + d, "x": d},
    "y'*log(softmax(W*x))": {"y": n, "W": n + d, "x": d},
    "cumsum(x)": {"x": n},
    "dot(cross(a, b), c)": {"a": (3,), "b": (3,), "c": (3,)},
    "tr(X'*X)": {"X": n + d},
    "tr(A @ B)": {"A": n + d, "B": d + n},
    "sum(x(2:end))": {"x": n},
    "x(end) + A(2, end)": {"x": n, "A": d + m},
    "x(1)*x(2)": {"x": n},
}


@pytest.mark.parametrize("text", GUESSED)
def test_names_stand_for_what_fits_by_the_usual_letters(text):
    found = {name: g.shape for name, g in guesses(text, syntax="paper").items()}
    assert found == GUESSED[text]
    sg.parse(text, found, syntax="paper")


PRODUCTS = {
    "norm(X*w - y)**2": "norm(X@w - y)**2",
    "sum((X * w -  y)**2) + lam*sum(w*w)": "sum((X @ w -  y)**2) + lam*sum(w*w)",
    "sum(2*A*B*x)": "sum(2*A@B@x)",
    "exp(x*A*x) + sum(x)": "exp(x@A@x) + sum(x)",
    "sum(σ*((A)*(x)))": "sum(σ*((A)@(x)))",
    "sum((X*w)*y)": "sum((X@w)*y)",
    "trace(A*X*B)": "trace(A@X@B)",
    "sum(A*B)": "sum(A*B)",
    "det(A)*sum(C*D)": "det(A)*sum(C*D)",
    "sum(X*w) + w @ w": "sum(X*w) + w @ w",
    "2*B*u - A*x + c": "2*B@u - A@x + c",
    "A*x": "A@x",
    "A*sin(x)": "A*sin(x)",
    "tanh(W*x + b)/2": "tanh(W@x + b)/2",
    "tanh(a*x)": "tanh(a*x)",
    "exp(A*x)": "exp(A*x)",
    "R*T/V": "R*T/V",
    "sum(x*y)*t": "sum(x*y)*t",
}


@pytest.mark.parametrize("text", PRODUCTS)
def test_a_matrix_times_a_vector_is_their_product(text):
    assert with_products(read(text, "paper")).text == PRODUCTS[text]


READ = {
    "y = x^2": "x^2",
    "f(x) = lambda*x^2": "λ @ x^2",
    " g(x, y)=x*y": "x*y",
    "x == 2": "x == 2",
    "x^T*A*x": "x.T @ A @ x",
    "x**T*A*x": "x.T*A*x",
    "x^T @ A @ x": "x.T @ A @ x",
    r"x^{\top} A": "x.T @ A",
    r"x^\top A": "x.T @ A",
    "x^t*A*x": "x.T @ A @ x",
    "x^t*A*x*t": "x^t @ A @ x @ t",
    "x^t*A": "x^t @ A",
    "x^T*T": "x^T @ T",
    "xᵀ*A*x + a·b": "x.T @ A @ x + a @ b",
    "xᵀ @ A": "x.T @ A",
}


@pytest.mark.parametrize("text", READ)
def test_books_and_blackboards_write_formulas_in_ways_that_are_read(text):
    assert text_of(read(text, "paper").tree) == READ[text]


def test_both_sides_of_an_equation_are_no_formula():
    with pytest.raises(ParseError, match="one side, or one side minus the other"):
        read("y = y + x", "paper")


def test_a_fault_that_is_not_one_of_shapes_is_told_of_the_kinds_that_fit():
    assert guesses("softmax(A @ x, 7)")["x"].shape == ("d",)
    with pytest.raises(ParseError, match="out of range"):
        sg.parse("softmax(A @ x, 7)", {name: g.shape for name, g in guesses("softmax(A @ x, 7)").items()})


@pytest.mark.parametrize("text", ["sum(x^2)", "sum((y - X*w)^2)", "mean(x^2) + lam*sum(w^2)"])
def test_a_vector_with_a_power_lacks_a_dot(text):
    with pytest.raises(ParseError, match=r"for entries write \.\^"):
        sg.parse(text, {name: g.shape for name, g in guesses(text, syntax="matlab").items()}, syntax="matlab")


def test_functions_that_all_know_are_no_names():
    assert list(guesses("exp + x*gamma + sin")) == ["x", "gamma"]


def test_what_is_declared_decides_whether_a_star_is_a_product():
    products = lambda text, declared: with_products(read(text, "paper"), declared).text
    assert products("sum(A*x - b)", {"A": (5, 3), "b": (5,)}) == "sum(A@x - b)"
    assert products("2*A*x", {"A": ("n", "d"), "x": "d"}) == "2*A@x"
    assert products("2*A*x", {"A": ()}) == "2*A*x"
    assert products("exp(W*x + b)", {"W": ("n", "d")}) == "exp(W@x + b)"
    assert products("sum(A*x)", {"x": ()}) == "sum(A*x)"


def test_declared_names_decide_about_the_others():
    assert guesses("X @ w - y", {"X": ("k", 3)})["y"].shape == ("k",)
    assert guesses("sum(A*x)", {"A": ("p", "q")})["x"].shape in (("q",), ("p", "q"))
    assert guesses("a @ b", {"a": sg.symbol("a", 4)})["b"].shape == (4,)
    assert guesses("x @ A @ x", {"x": "n", "A": ("n", "n")}) == {}
    assert guesses("x*c + b", {"x": (1,), "c": 4})["b"].shape == (4,)


def test_products_without_a_sign_have_their_places():
    typed = "2x + 3x + foo(x)"
    with pytest.raises(ParseError) as caught:
        sg.parse(typed, {"x": ()}, syntax="paper")
    assert typed[slice(*caught.value.place)] == "foo"


def test_what_fits_nothing_is_a_number_and_mistakes_are_told():
    assert {g.shape for g in guesses("x[0][0][0] + det(x)").values()} == {()}
    with pytest.raises(ParseError):
        guesses("sum(")


def test_one_differentiates_by_the_usual_letter():
    assert [wanted(names) for names in (["X", "w"], ["a", "x"], ["q", "b"], ["b", "c"], [])] == [
        "w",
        "x",
        "q",
        "b",
        None,
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x**2", "symgrad"), ("X @ w", "symgrad"), ("np.exp(x)", "numpy"), ("numpy.dot(x, y)", "numpy"),
        ("x.^2", "matlab"), ("x'*x", "matlab"), ("A\\b", "matlab"), ("2x^", "matlab"), ("X @ w^2", "symgrad"),
        ("norm(X*w - $y)^2", "matlab"), ("norm(x, 'fro')", "symgrad"),
        ("x^2", "matlab"), ("X(1,:)*w", "matlab"), ("sum(x(2:end))", "matlab"), ("sum(x[1:])", "symgrad"),
        ("(lambda x: x)", "symgrad"), ("x(1)*x(2)", "matlab"), ("x(end)", "matlab"), ("gamma(3)*x", "symgrad"),
        ("sin(1)", "symgrad"), ("A(2, 1)", "matlab"), ("x(1)**2", "symgrad"),
    ],
)  # fmt: skip
def test_a_spelling_is_known_by_its_signs(text, found):
    assert spelling(text) == found


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("x + foo(x)", "foo"), ("  x  +   foo(x)", "foo"), ("x + 2y", "y"), ("\tx\n+ z", "z"), ("a   @   b", "@"),
        ("é + ü*ä", "é"), ("sum(x", "("),
    ],
)  # fmt: skip
def test_a_mistake_has_its_place_in_the_text_as_given(text, part):
    with pytest.raises(ParseError) as caught:
        sg.parse(text, {"x": (), "a": "n", "b": "m"})
    assert text[slice(*caught.value.place)] == part
    assert caught.value.reason in str(caught.value)


def test_a_mistake_at_the_end_is_behind_the_text():
    with pytest.raises(ParseError) as caught:
        sg.parse("x +  ", {"x": ()})
    assert caught.value.place == (3, 4)


def test_a_place_is_kept_with_matlabs_spelling_too():
    with pytest.raises(ParseError) as caught:
        sg.parse("x'  *  A * q", {"x": "n", "A": ("n", "n")}, syntax="matlab")
    assert "x'  *  A * q"[slice(*caught.value.place)] == "q"


@pytest.mark.parametrize(
    ("text", "syntax", "shapes"),
    [
        ("sum(X)*w", "matlab", {"X": ("n", "d"), "w": ("d",)}),
        ("max(X)*w", "matlab", {"X": ("n", "d"), "w": ("d",)}),
        ("sum(X, 2)'*w", "matlab", {"X": ("n", "d"), "w": ("n",)}),
        ("norm(X)*w'*w", "matlab", {"X": ("n", "d"), "w": ("m",)}),
        ("mean(X, 0) @ w", "python", {"X": ("n", "d"), "w": ("d",)}),
        ("sum(X, 1) @ y", "python", {"X": ("n", "d"), "y": ("n",)}),
        ("sum(A @ B) + trace(C @ D)", "python", {"A": ("n", "d"), "B": ("d", "m"), "C": ("k", "p"), "D": ("p", "k")}),
        ("outer(x, y) @ z", "python", {"x": ("n",), "y": ("d",), "z": ("d",)}),
        ("solve(A, b) @ c", "python", {"A": ("n", "n"), "b": ("n",), "c": ("n",)}),
        ("x @ A @ y", "python", {"x": ("n",), "A": ("n", "d"), "y": ("d",)}),
        ("softmax(W @ x + b, 0) @ y", "python", {"W": ("n", "d"), "x": ("d",), "b": ("n",), "y": ("n",)}),
        ("diag(x) @ A @ y", "python", {"x": ("n",), "A": ("n", "d"), "y": ("d",)}),
        ("det(A + t*B)", "python", {"A": ("n", "n"), "t": (), "B": ("n", "n")}),
    ],
)
def test_sizes_that_meet_in_a_product_or_along_an_axis_are_one(text, syntax, shapes):
    assert {name: guess.shape for name, guess in guesses(text, syntax=syntax).items()} == shapes
