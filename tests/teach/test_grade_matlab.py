"""``sg.grade`` of formulas and answers in MATLAB's notation."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, ParseError
from symgrad.expression.grammar import Reading, read
from symgrad.expression.reader import Expression
from symgrad.teach.answers.from_matlab import in_python

SHAPES = {"X": ("n", "d"), "w": "d", "y": "n"}
OF_PYTHON = {"of": "sum((X @ w - y)**2)", "wrt": "w", "shapes": SHAPES}
OF_MATLAB = {"of": "norm(X*w - y)^2", "wrt": "w", "shapes": SHAPES, "syntax": "matlab"}


@pytest.mark.parametrize("problem", [OF_PYTHON, OF_MATLAB], ids=["python", "matlab"])
@pytest.mark.parametrize(
    "answer",
    [
        "2*X'*(X*w - y)", "X'*(X*w - y)*2", "2*(X*w - y)'*X", "2*X'*X*w - 2*X'*y", "f'(w) = 2*X'*(X*w - y)",
        "2X'(Xw - y)", "2*X.T @ (X @ w - y)", "2.*(X'*(X*w - y))",
    ],
)  # fmt: skip
def test_answers_of_arrays_are_read_in_matlabs_notation(problem, answer):
    assert sg.grade(answer, **problem).right


@pytest.mark.parametrize("problem", [OF_PYTHON, OF_MATLAB], ids=["python", "matlab"])
def test_their_slips_and_places_are_found(problem):
    answer = "2*X'*(X*w + y)"
    found = sg.grade(answer, **problem)
    assert found.slip == "sign"
    assert answer[slice(*found.place)] == "+ y"
    assert sg.grade("X'*(X*w - y)", **problem).slip == "factor-2"


@pytest.mark.parametrize(
    ("answer", "of", "wrt"),
    [
        ("b.*exp(x) + (A + A')*x", "sum(exp(x).*b) + x'*A*x", "x"),
        ("A\\x", "b'*(A\\x)", "b"),
        ("b*x'", "b'*A*x", "A"),
        ("-inv(A)'", "-log(det(A))", "A"),
        ("2*A'", "trace(A^2)", "A"),
        ("3*x.^2.*b", "sum(x.^3.*b)", "x"),
        ("b./x", "log(x)'*b", "x"),
    ],
)
def test_matlabs_operators_mean_what_they_mean_there(answer, of, wrt):
    shapes = {"A": ("n", "n"), "x": "n", "b": "n"}
    assert sg.grade(answer, of=of, wrt=wrt, shapes=shapes, syntax="matlab").right


def test_numbers_have_matlabs_entrywise_signs():
    assert sg.grade("3*x.^2", of="x.^3", wrt="x", syntax="matlab").right
    assert sg.grade("3*x.^2", of="x**3", wrt="x").right
    assert sg.grade("3*x.^3", of="x**3", wrt="x").slip == "power"


@pytest.mark.parametrize(
    "text",
    [
        "norm(X*w - y)^2",
        "sum(X)*w",
        "(X*w)'*y",
        "X(2, 1)*y(1)",
        "sum(X, 'all')",
        "sum((X'*X)^2*w)",
        "w'*w*3 - 1/2",
        "sum((X'*X)^-3*w)",
        "w'*(4\\w) + 8\\2",
    ],
)
def test_a_formula_that_is_written_otherwise_has_the_same_value(text):
    rng = np.random.default_rng(0)
    values = {"X": rng.random((3, 2)), "w": rng.random(2), "y": rng.random(3)}
    shapes = {name: v.shape for name, v in values.items()}
    written = in_python(read(text, "matlab"), {name: v.ndim for name, v in values.items()})
    one, other = sg.parse(text, shapes, syntax="matlab"), Expression(Reading(text, written), shapes)
    np.testing.assert_allclose(other(*values.values()).numpy(), one(*values.values()).numpy(), rtol=1e-12)


def test_what_is_not_graded_in_matlabs_notation_is_said():
    with pytest.raises(ParseError, match="Write it in NumPy's spelling"):
        sg.grade("w", of="sum(X(:, 1))", wrt="X", shapes=SHAPES, syntax="matlab")
    with pytest.raises(ParseError, match="norm"):  # the largest singular value, where Python's is Frobenius'
        in_python(read("norm(X)", "matlab"), {"X": 2})
    with pytest.raises(ArgumentError, match="Expected one of"):
        sg.grade("w", of="w", wrt="w", syntax="fortran")
