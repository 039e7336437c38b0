"""Formulas in MATLAB's notation: their values, their derivatives, and where errors point."""

import math

import numpy as np
import pytest
from checks import close

import symgrad as sg
from symgrad.errors import ArgumentError, ParseError
from symgrad.expression.grammar import read

SHAPES = {"x": "n", "y": "n", "A": ("n", "n"), "B": ("n", "n"), "X": ("m", "n"), "b": "m", "s": (), "r": 3}
_RNG = np.random.default_rng(2)
AT = {
    name: _RNG.normal(size=[{"n": 3, "m": 4}.get(k, k) for k in ((s,) if isinstance(s, (str, int)) else s)])
    + 3 * (np.eye(3) if name in "AB" else 0) for name, s in SHAPES.items()
}  # fmt: skip
x, y, A, B, X, b, s, r = AT.values()

VALUES = {
    "x'*A*x": x @ A @ x,
    "(X*x - b)'*(X*x - b)": (X @ x - b) @ (X @ x - b),
    "norm(x)^2": x @ x,
    "norm(x, 1) + norm(x, inf)": np.abs(x).sum() + np.abs(x).max(),
    "norm(A, 'fro')": np.sqrt((A * A).sum()),
    "norm(A)": np.linalg.norm(A, 2),
    "inv(A)": np.linalg.inv(A),
    "log(det(A))": np.log(np.linalg.det(A)),
    "sum(x.^2)": (x**2).sum(),
    "trace(A*B)": np.trace(A @ B),
    r"A\x": np.linalg.solve(A, x),
    "A/B": A @ np.linalg.inv(B),
    "A/2 + 2\\A": A,
    "x*y'": np.outer(x, y),
    "x + y'": x[:, None] + y[None, :],
    "A.*x": A * x[:, None],
    "A.*x'": A * x,
    "x'.*y'": x * y,
    "-x.^2": -(x**2),
    "2^-2*s": s / 4,
    "2^3^2*s": 64 * s,
    "A^2": A @ A,
    "A^-1": np.linalg.inv(A),
    "s^2": s**2,
    "3.*x": 3 * x,
    "1./(1 + exp(-x))": 1 / (1 + np.exp(-x)),
    "x.'*y": x @ y,
    "A'*B'": A.T @ B.T,
    "(A*B)'": (A @ B).T,
    "sum(A)": A.sum(0),
    "sum(A, 2)": A.sum(1),
    "sum(A, 'all') + sum(A(:)) + sum(sum(A))": 3 * A.sum(),
    "mean(x) + max(x) - min(x) + prod(x)": x.mean() + x.max() - x.min() + x.prod(),
    "max(x, 0)": np.maximum(x, 0),
    "numel(A) + length(x) + size(X, 1) + 10*size(X, 2) + 0*s": 9 + 3 + 4 + 30,
    "ones(size(x, 1), 1)'*x": x.sum(),
    "eye(3)*r": r,
    "r(1)*r(end)": r[0] * r[2],
    "r(2:3)": r[1:],
    "A(1, 2)": A[0, 1],
    "A(2, :)*x": A[1] @ x,
    "A(:, 1)'*x": A[:, 0] @ x,
    "[1, 2, 3]*r": np.array([1, 2, 3]) @ r,
    "[1, 2; 3, 4]*[s; 1]": np.array([[1, 2], [3, 4]]) @ np.array([s, 1]),
    "diag(x)*A": np.diag(x) @ A,
    "dot(x, y) + cumsum(x)'*y": x @ y + np.cumsum(x) @ y,
    "x'*A*x;": x @ A @ x,
    "x' * y == x'*y": 1.0,
    "kron(A, B)": np.kron(A, B),
    "softmax(A)": np.exp(A) / np.exp(A).sum(0),
    "cumsum(A) + cumsum(A, 2)": A.cumsum(0) + A.cumsum(1),
    "std(A) + var(A, 1)": A.std(0, ddof=1) + A.var(0),
    "std(A, 0, 2) + var(x)": A.std(1, ddof=1) + x.var(ddof=1),
    "cov(X)": np.cov(X.T),
    "median(A) + amax(A, 1)": np.median(A, 0) + A.max(0),
    "sort(A)": np.sort(A, 0),
    "diff(A)": np.diff(A, axis=0),
    "diff(A, 1, 2)": np.diff(A, axis=1),
    "reshape(A, 1, 9)": A.ravel("F"),
    "reshape(r, 3, 1) + reshape(A, 9, 1)'*ones(9, 1)": r + A.sum(),
    "reshape(reshape(A, 1, 9), 3, 3)": A,
    "flip(A) + flip(A, 2)": A[::-1] + A[:, ::-1],
    "flip(x)'*y": x[::-1] @ y,
    "trapz(x, y) + trapz(y)": np.trapezoid(y, x) + np.trapezoid(y),
    "svd(A)": np.linalg.svd(A)[1],
    "x(end)*x(end-1)": x[-1] * x[-2],
    "sum((x(2:end) - x(1:end-1)).^2)": ((x[1:] - x[:-1]) ** 2).sum(),
    "x(2:end-1)": x[1:-1],
    "A(end, :)*x + X(end, 1)": A[-1] @ x + X[-1, 0],
    "tr(A*B)": np.trace(A @ B),
    "A(:)'*reshape(B, 9, 1)": (A * B).sum(),
    "10*size(r', 1) + size(r', 2) + 0*s": 13,
    "chol(A'*A + eye(3))": np.linalg.cholesky(A.T @ A + np.eye(3)).T,
    "rem(-7, 3)*s + gammaln(exp(s) + 2)": -s + math.lgamma(math.exp(s) + 2),
    "sum(x', 2)": x.sum(),
    "ones(1, 3)*r + reshape(r, 1, 3)*r": r.sum() + r @ r,
    "x + 2.*y*3": x + 6 * y,
    "r(end-2:end)": r,
    "exp(-norm(x - y)^2/2)": np.exp(-((x - y) @ (x - y)) / 2),
}
REFUSED = {
    "2x": (2, r"write 2\*x"),
    "sum(x)*2 y": (10, r"write 2\*y"),
    "(x)(y)": (4, "an operator is missing here"),
    "x*y": (2, r"x'\*y"),
    "x'*A + x*x": (9, "between a column and a column"),
    "x^2": (2, r"write \.\^"),
    "x/y": (2, r"write \./"),
    "A*X": (2, "ShapeError"),
    "x'*q": (4, "'q' is not declared"),
    "foo(x)": (1, "not a function that formulas may call"),
    "x(y)*r(1)": (3, "counted from 1"),
    "x +": (4, "got the end"),
    "x + (y": (7, r"expected '\)'"),
    "x)": (2, "not expected here"),
    "x & y": (3, "not an operator of formulas"),
    "x(0)": (3, "counted from 1"),
    "x(end-9.5)": (6, "counted from 1"),
    "r(1:9)": (4, "outside of the 3 that there are"),
    "r(end-5:end)": (8, "outside of the 3 that there are"),
    "x(end+1)": (3, "'end' is not declared"),
    "sum(x, 2)": (1, "a single entry; leave the axis out"),
    "softmax(A, 3)": (1, "got the axis 3"),
    "std(x, 2)": (1, "got the weight 2"),
    "reshape(x, 3)": (1, "the numbers of rows and columns"),
    "x = 3": (3, "write only what stands to its right"),
    "x'*x = 1": (6, "one side minus the other"),
    "|x|": (1, r"abs\(…\) or norm\(…\)"),
    "x²": (2, r"write \^2"),
    "3,5*x": (2, "write 3.5 for 3,5"),
    "x' A": (4, r"write x'\*A"),
    "(x + y)' A": (10, r"write \(…\)'\*A"),
    "for*x": (1, "call it for_"),
    "lambda*x": (1, "lam or λ"),
    "sin^2(x)": (1, r"write sin\(…\)\^2"),
    "\\frac{1}{2}*x": (1, "LaTeX is not read"),
    "x'*\\alpha": (4, "LaTeX is not read"),
    "A(1)": (1, "A has 2 indices, got 1"),
    "x(:) + size(x)": (8, r"write size\(x, 1\)"),
    "[x, 1]": (1, "brackets hold numbers"),
    "r*repmat(r, 1, 2)": (3, "leave it out"),
    "": (1, "it is empty"),
    "(" * 61 + "x" + ")" * 61: (None, "brackets are nested"),
    "-" * 300 + "x": (None, "nested more than 60 deep"),
}


@pytest.mark.parametrize("text", VALUES)
def test_a_formula_has_the_value_that_it_has_in_matlab(text):
    shapes = {
        name: AT[name].shape if any(w in text for w in ("end", "eye", "reshape")) else shape
        for name, shape in SHAPES.items()
    }
    f = sg.parse(text, shapes, syntax="matlab")
    close(f(*AT.values()).numpy() * 1.0, VALUES[text], 1e-10)


@pytest.mark.parametrize(
    ("text", "by", "expected"),
    [
        ("norm(X*x - b)^2", "x", "2*Xᵀ*(X*x - b)"),
        ("x'*A*x", "x", "(A + Aᵀ)*x"),
        ("log(det(A))", "A", "A⁻ᵀ"),
        ("trace(A'*B)", "A", "B"),
        (r"x'*(A\y)", "y", "A⁻ᵀ*x"),
        ("sum((x - mean(x)).^2)/(length(x) - 1)", "x", "2*(x - mean(x))/(n - 1)"),
    ],
)
def test_a_formula_is_differentiated(text, by, expected):
    assert str(sg.derive(sg.parse(text, SHAPES, syntax="matlab"), by)) == expected


@pytest.mark.parametrize("text", REFUSED)
def test_an_error_points_at_its_place(text):
    place, message = REFUSED[text]
    with pytest.raises(ParseError, match=message) as caught:
        sg.parse(text, SHAPES, syntax="matlab")
    if place is not None:
        assert f"at character {place}:" in str(caught.value)
        *_, line = str(caught.value).split("\n")
        assert line == "  " + " " * (place - 1) + "^"


def test_a_power_of_a_power_without_brackets_is_read_in_two_ways():
    places = {"a^b^c + d^e^f": [(0, 5), (8, 13)], "e^-x^2": [(0, 6)], "(a^b)^c + x^2": []}
    assert {text: [place for place, _ in read(text, "paper").two_ways] for text in places} == places


def test_an_unknown_syntax_is_refused():
    with pytest.raises(ArgumentError, match=r"'octave' is unknown\. Expected one of"):
        sg.parse("x", {"x": ()}, syntax="octave")


@pytest.mark.parametrize(
    ("text", "place"), [("sum((X @ x - x)**2)", 12), ("x^2", 2), ("1 + X @ X", 7), ("x'", 2), ("2*(x < X @ X)", 10)]
)
def test_errors_of_pythons_notation_point_at_the_operator(text, place):
    with pytest.raises(ParseError, match=f"at character {place}:"):
        sg.parse(text, SHAPES)
