"""What ``*`` means between arrays: one rule, which derive, the page, grade and the command line read alike."""

import argparse
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.cli import formulas
from symgrad.errors import SymgradError
from symgrad.expression.arguments import text_of_names
from symgrad.teach.answers.problem import Problem
from symgrad.teach.answers.values import Values
from symgrad.web import exercise

SHAPES = {"x": (3,), "y": (3,), "A": (3, 3), "B": (3, 3), "X": (4, 3), "w": (3,), "b": (4,), "c": ()}
VALUES = {name: np.random.default_rng(k).normal(size=shape) for k, (name, shape) in enumerate(SHAPES.items())}
V = argparse.Namespace(**VALUES)
MEANT = {
    "A*x": V.A @ V.x, "X*w - b": V.X @ V.w - V.b, "c*A*x": V.c * V.A @ V.x, "A*c*x": V.c * V.A @ V.x,
    "A*x*c": V.c * V.A @ V.x, "A*x/c": V.A @ V.x / V.c, "A*x + y*x": V.A @ V.x + V.y * V.x, "x*y": V.x * V.y,
    "x*x*c": V.c * V.x**2, "x*A*x": V.x @ V.A @ V.x, "x*A*y": V.x @ V.A @ V.y, "2*x*A*x": 2 * V.x @ V.A @ V.x,
    "x*A*x/2": V.x @ V.A @ V.x / 2, "x*A*B*x": V.x @ V.A @ V.B @ V.x, "A*B*x": V.A @ V.B @ V.x,
    "A*A*x": V.A @ V.A @ V.x, "2*A*(B*x)": 2 * V.A @ V.B @ V.x, "x*inv(A)*x": V.x @ np.linalg.inv(V.A) @ V.x,
    "inv(A)*x": np.linalg.solve(V.A, V.x), "x*A*x + c*x*x": V.x @ V.A @ V.x + V.c * V.x**2,
    "x*(A*x)": V.x * (V.A @ V.x), "(A*x)*(A*x)": (V.A @ V.x) ** 2, "sum((A*x)*(B*x))": (V.A @ V.x) @ (V.B @ V.x),
    "sum(y*(A*x))": V.y @ V.A @ V.x, "sum(x*y)": V.x @ V.y, "sum(A*B)": np.sum(V.A * V.B),
    "trace(A*B)": np.trace(V.A @ V.B), "det(A*B)": np.linalg.det(V.A @ V.B), "sum(A*x)": np.sum(V.A @ V.x),
    "sum(x)*A*x": np.sum(V.x) * V.A @ V.x, "norm(X*w - b)": np.linalg.norm(V.X @ V.w - V.b),
    "sum((X*w - b)**2)": np.sum((V.X @ V.w - V.b) ** 2), "tanh(A*x)": np.tanh(V.A @ V.x),
    "exp(A*x)": np.exp(V.A @ V.x), "tanh(A*x)*y": np.tanh(V.A @ V.x) * V.y,
    "sum(tanh(A*x)*y)": np.tanh(V.A @ V.x) @ V.y, "x*exp(x)": V.x * np.exp(V.x),
    "log(1 + exp(-y*(A*x)))": np.log1p(np.exp(-V.y * (V.A @ V.x))), "A*exp(x)": V.A @ np.exp(V.x), "c*A": V.c * V.A,
    "sum(log(1 + exp(-b*(X*w))))": np.sum(np.log1p(np.exp(-V.b * (V.X @ V.w)))), "A*x @ y": V.A * V.x @ V.y,
    "A @ x*y": V.A @ V.x * V.y, "sum(A*x, 0) + (A @ x)": np.sum(V.A * V.x, 0) + V.A @ V.x, "Xᵀ*b": V.X.T @ V.b,
    "xᵀ*A*x": V.x @ V.A @ V.x, "x ⊙ y*c": V.c * V.x * V.y, "x ⊙ B*x": V.x * (V.B @ V.x), "A'*x": V.A.T @ V.x,
}  # fmt: skip
TWO_WAYS = [
    "A*B", "x*A", "x*y*A", "A*x*y", "A*x*x*y", "x*c*A", "X*w*b", "sum(x*A)", "(x*A)*x", "x*(y*A)", "A.T*x", "x.T*A*x",
    "sum((A*x)**2)", "A*x + A*B*x*y",
]  # fmt: skip


def _used(text):
    return {name: shape for name, shape in SHAPES.items() if re.search(rf"\b{name}(?![a-zA-Z])", text)}


def _by_derive(text, shapes):
    return text_of_names(text, shapes)


def _by_page(text, shapes):
    names = {name: {"shape": list(shape)} for name, shape in shapes.items()}
    return exercise.read({"formula": text, "names": names}).expression


def _by_command(text, shapes):
    declared = [f"{name}={','.join(map(str, shape))}" for name, shape in shapes.items()]
    args = argparse.Namespace(formula=text, shape=declared, at=[], assume=[], wrt=[], syntax="paper")
    return formulas.read_formula(args)[0]


def _by_grade(text, shapes):
    problem = Problem(text, ["c"], shapes)
    return lambda **values: Values(text, {**problem.leaves, **{n: sg.tensor(x) for n, x in values.items()}}, {}).tensor(
        problem.tree
    )


READERS = [_by_derive, _by_page, _by_command, _by_grade]


@pytest.mark.parametrize("reader", READERS)
def test_products_have_one_meaning(reader):
    for text, expected in MEANT.items():
        shapes = _used(text)
        value = np.asarray(reader(text, shapes)(**{name: VALUES[name] for name in shapes}))
        np.testing.assert_allclose(value, expected, rtol=1e-9, err_msg=text)


@pytest.mark.parametrize("reader", READERS)
def test_products_that_nobody_can_read_are_refused_by_all(reader):
    for text in TWO_WAYS:
        with pytest.raises(SymgradError, match="is read in two ways"):
            reader(text, _used(text))
