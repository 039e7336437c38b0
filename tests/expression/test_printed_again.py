"""What symgrad prints as text or LaTeX is read again, with the same value: formulas, derivatives, exercises, steps."""

import random
import re

import numpy as np
import pytest
from slow_tests import draws

import symgrad as sg
from symgrad.expression.arithmetic import opened
from symgrad.expression.formula import Formula, Label, Prime, walk
from symgrad.expression.grammar import read
from symgrad.expression.printer import BOARD, LATEX, TEXT, TYPED
from symgrad.forms.nodes.formulas import formula
from symgrad.teach import TOPICS

PROBLEMS = [
    "x**2*sin(x)", "exp(-x**2)/x", "log(1 + x**2)", "sqrt(x)*cos(2*x)", "x/(1 + x)", "tanh(x)**3", "abs(x - 2)**3",
    "2**x", "x**x", "sigmoid(3*x)", "maximum(x**2, 2*x)", "1/(1 + exp(-x))", "atan(x)/3", "(x**2 + 3)**5",
    "log(log(x + 3))", "x*Phi(x)", "x**2*floor(x)", "ceil(x)*erf(x)**3", "gamma(x)", "(exp(pi/x)**(-x))**2",
]  # fmt: skip
NUMBERS = {"x": 0.83, "y": 1.37, "a": 0.61, "x_1": 1.9, "α": 0.42, "k": 2.3, "w": 1.11}
LEAVES = [*NUMBERS, "x", "2", "3", "0.5", "pi", "7", "1.25", "10", "1/3"]
FUNCTIONS = [
    "sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "sinh", "atan", "abs", "sigmoid", "erf", "asin", "cbrt", "floor",
    "log10", "sign", "gamma", "cosh", "expm1", "log1p", "softplus", "relu", "sec", "cot",
]  # fmt: skip
EXPONENTS = ["2", "3", "-1", "-2", "0.5", "(1/3)", "(-0.5)", "x", "(-x)", "a", "(x + 1)"]
SIZES = {"n": 3, "d": 2, "k": 2, "m": 4}
OF_NO_SIZE = re.compile(r"\\mathbf\{1\}|(?<![\\A-Za-z])I\b")  # limitations.md says so: the grader knows the size


@pytest.mark.parametrize("logarithm", ["log", "ln"])
@pytest.mark.parametrize("alphabet", [TEXT, BOARD, LATEX], ids=["text", "board", "latex"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_derivative_is_read_again(problem, alphabet, logarithm):
    form = sg.derive(problem, "x")
    sg.set_printoptions(logarithm=logarithm)
    try:
        text = alphabet.write(formula(form.expr))
        again = sg.parse(text, {"x": ()}, syntax="paper")
    finally:
        sg.set_printoptions(profile="default")
    for x in (0.7, 1.3, 2.6):
        assert float(again(np.array(x))) == pytest.approx(float(form.lambdify()(x)), rel=1e-12)


# ------------------------------------------------------------------ random formulas of numbers
def made(draw, depth):
    """A formula of so many levels in Python's notation."""
    inner = lambda: made(draw, depth - 1)
    kind = draw.random()
    if depth == 0 or kind < 0.12:
        return draw.choice(LEAVES)
    if kind < 0.3:
        return f"({inner()} {draw.choice('+-')} {inner()})"
    if kind < 0.62:
        return f"({inner()}*{inner()})" if kind < 0.5 else f"({inner()}/({inner()}))"
    if kind < 0.78:
        return f"({inner()})**{draw.choice(EXPONENTS)}" if kind < 0.72 else f"(-{inner()})"
    if kind < 0.82:
        condition = f"{inner()} {draw.choice(['<', '>', '<=', '>='])} {inner()}"
        return f"where({condition}, {inner()}, {inner()})" if kind < 0.8 else f"maximum({inner()}, {inner()})"
    return f"{draw.choice(FUNCTIONS)}({inner()})"


def value(text, values=NUMBERS, syntax="paper"):
    expression = sg.parse(text, {name: np.shape(x) for name, x in values.items()}, syntax=syntax)
    return np.asarray(expression(**{name: np.asarray(x) for name, x in values.items()}).numpy())


def known(text):
    """The value of a formula where it has a moderate one, else None."""
    try:
        x = value(text, syntax="python")
    except sg.SymgradError:
        return None
    return x if np.isfinite(x) and abs(x) < 1e12 else None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("block", draws(range(400), first=20))
def test_a_random_formula_is_read_again_from_each_alphabet(block):
    met = 0
    for seed in range(5 * block, 5 * block + 5):
        text = made(random.Random(seed), 4)
        expected = known(text)
        if expected is None:
            continue
        met += 1
        tree = read(text).tree
        printed = [TYPED.write(tree), *(alphabet.write(opened(tree)) for alphabet in (TEXT, BOARD, LATEX))]
        if seed % 25 == 0:  # cot(pi) is a float there, and infinite here
            form = sg.derive(sg.parse(text, dict.fromkeys(NUMBERS, ())), "x")
            slope = float(form.lambdify()(**{str(name): NUMBERS[str(name)] for name in form.args}))
            for line in (str(form), form.latex()) if np.isfinite(slope) and str(form) != "nan" else ():
                assert value(line) == pytest.approx(slope, rel=1e-7, abs=1e-10), (text, line)
        for line in printed:
            assert value(line) == pytest.approx(expected, rel=1e-9, abs=1e-12), (text, line)
    assert met


# ------------------------------------------------------------------ exercises
def names_of(e):
    """The names of an exercise, with their shapes."""
    return {e._curve.x: (), e._curve.wanted[0]: ()} if e.is_curve else e._problem.names


def arrays(e):
    """A value for each name of an exercise, and for the sizes that its solution has."""
    rng = np.random.default_rng(0)
    values = {}
    for name, shape in names_of(e).items():
        sizes = [SIZES.get(str(n), n) for n in shape]
        square = len(sizes) == 2 and sizes[0] == sizes[1]
        values[name] = rng.uniform(0.2, 0.9, size=sizes) + (2 * np.eye(sizes[0]) if square else 0)
    return {**{n: float(size) for n, size in SIZES.items() if n not in values}, **values}


def problems_of(e):
    """The formula of an exercise, or the sides of its equation: as it is typed, in words and in LaTeX."""
    if e.is_curve:
        words = re.search(r" on the curve (.*)\.$", e.problem)[1]
        return list(zip(*(text.split(" = ") for text in (e.of, words, e.latex)), strict=True))
    words = re.search(r" of f = (.*) with respect", e.problem)[1]
    return [(e.of, words, re.search(r"\\left\[ (.*) \\right\]$", e.latex)[1])]


def within(steps):
    for step in steps:
        yield step
        yield from within(step.substeps)


def formulas_of(e):
    """The formulas of an exercise's steps that stand for values."""
    for step in within(e.steps.steps):
        for part in (step.before, step.after):
            if isinstance(part, Formula) and not any(isinstance(node, (Prime, Label)) for node in walk(part)):
                yield part


@pytest.mark.slow
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("topic", TOPICS)
def test_an_exercise_its_solution_and_its_steps_are_read_again(topic, level):
    for seed in (0, 1):
        for e in sg.exercises(topic, level, seed=seed, count=1):
            values = arrays(e)
            for side, *others in problems_of(e):
                for text in others:
                    np.testing.assert_allclose(value(text, values), value(side, values, "python"), rtol=1e-9)
            for form in e.solution if e.is_gradient else [e.solution]:
                if OF_NO_SIZE.search(form.latex()):
                    assert e.grade(form.latex()).right
                    assert e.grade(e.solution_latex).right
                else:
                    slope = form.lambdify()(**{str(name): values[str(name)] for name in form.args})
                    for text in (str(form), form.latex()):
                        np.testing.assert_allclose(value(text, values), slope, rtol=1e-8, err_msg=text)
            for part in formulas_of(e):
                named = {**values, **dict.fromkeys(part.free - {*values}, 0.37)}
                first, *others = (value(alphabet.write(part), named) for alphabet in (TEXT, BOARD, LATEX))
                for other in others:
                    np.testing.assert_allclose(other, first, rtol=1e-9, err_msg=TEXT.write(part))
