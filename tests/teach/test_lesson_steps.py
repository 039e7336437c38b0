"""The steps of lessons as data: which rule, its parts, and formulas that go on from each other."""

import dataclasses
import json
import pickle
from itertools import pairwise

import pytest

import symgrad as sg
from symgrad.expression.printer import text
from symgrad.teach import lesson
from symgrad.teach.board.line import Equation

# a formula of x whose lesson has the rule, and one of its parts as it is written
OCCURS = {
    "ConstantRule": ("x + a", None),
    "IdentityRule": ("x + a", None),
    "ConstantTimesRule": ("3*sin(x)", ("constant", "3")),
    "SumRule": ("x**2 + sin(x)", ("terms", ["x²", "sin(x)"])),
    "PowerRule": ("x**3", ("exponent", "3")),
    "ProductRule": ("x**2*sin(x)", ("v", "sin(x)")),
    "QuotientRule": ("sin(x)/(1 + x)", ("v", "1 + x")),
    "ChainRule": ("sin(x**2)", ("inner", "x²")),
    "PartialsRule": ("atan2(x, x + 1)", ("arguments", ["x", "x + 1"])),
    "ExponentialRule": ("2**x", ("base", "2")),
    "LogRule": ("x*log(x)", ("argument", "x")),
    "LogLawsRule": ("sin(log(x**3))", ("apart", "3·log(x)")),
    "TrigRule": ("x*sin(x)", ("function", "sin")),
    "FunctionRule": ("x*erf(x)", ("function", "erf")),
    "PiecewiseRule": ("abs(x)", ("cases", "{ x for x > 0;  −x for x < 0 }")),
    "LogarithmicRule": ("x**x", ("logarithm", "x·log(x)")),
    "SolveForDerivative": ("x**x", None),
    "WriteAsPowers": ("(2/x)**3 + x", None),
    "FactorOut": ("x**2*sin(x)", ("common", "x")),
    "Cancel": ("sin(x)/(1 + cos(x))", ("common", "1 + cos(x)")),
    "ClearFractions": ("(1 + 1/x)**x", None),
    "CommonDenominator": ("sqrt(x)*(1 + x)", None),
    "Expand": ("(x**2 - 1)/(x**2 + 1)", ("opened", "2x³ + 2x + 2x − 2x³")),
    "UseIdentity": ("sin(x)/(1 + cos(x))", ("identity", "sin² + cos² = 1")),
    "TakeLogarithmsApart": ("log((x + 1)/(x - 1))", ("laws", [["log(u/v)", "log(|u|) − log(|v|)"]])),
    "Simplify": ("1/(x + 1)/(x - 1)", None),
    "SolveConditions": ("maximum(x, 2 - x)", None),
    "ClosedFormStep": ("1/(1 + exp(-x))", ("after", "σ(x)·(1 − σ(x))")),
    "NamePart": ("sin(cos(exp(sin(cos(exp(sin(x)))))))", ("symbol", "u")),
}
ARRAYS = {
    "TakeDifferential": "sum((X @ w - y)**2)",
    "Substitute": "sum((X @ w - y)**2)",
    "MoveDifferential": "sum(tanh(X @ w))",
    "Collect": "sum(y*log(sigmoid(X @ w)) + (1 - y)*log(1 - sigmoid(X @ w)))",
    "MultiplyOut": "sum(y*log(sigmoid(X @ w)) + (1 - y)*log(1 - sigmoid(X @ w)))",
    "Abbreviate": "sum(tanh(tanh(X @ w - y)**2*y)**2)",
    "ReadGradient": "sum((X @ w - y)**2)",
}
# what is worked out in several variables, or with numbers
STUDIES = {
    "PartialRule": lambda: sg.tangent_plane("x**2 + y**2", x=1, y=2),
    "FieldRule": lambda: sg.divergence("[x**2, x*y, z]"),
    "ChainRuleAlong": lambda: sg.chain_rule("x**2*y", x="cos(t)", y="t"),
    "SolveSystem": lambda: sg.critical_points("x**3 + y**3 - 3*x*y"),
    "SecondDerivativeTest": lambda: sg.critical_points("x**3 + y**3 - 3*x*y"),
    "ProjectGradient": lambda: sg.explain((K := sg.symbol("K", ("n", "n"), skew=True)).sum() ** 2, K),
    "NewtonStep": lambda: sg.newton("x**2 - 2", x=1),
    "LeibnizRule": lambda: sg.explain(sg.quad(lambda t: sg.exp(-(t**2)), 0, (x := sg.symbol("x")) ** 2), x),
    "Evaluate": lambda: sg.sensitivity("a*b**2", a=2, b=3),
}
SHAPES = {"X": ("n", "d"), "w": "d", "y": "n"}


def all_of(steps):
    """Yield steps with those for their parts."""
    for step in steps:
        yield step
        yield from all_of(step.substeps)


def is_computed(step):
    return isinstance(step, (lesson.Rule, lesson.Rewriting))


@pytest.mark.parametrize("name", OCCURS)
def test_each_rule_occurs_with_its_parts(name):
    formula, part = OCCURS[name]
    steps = [s for s in all_of(sg.explain(formula, "x").steps) if type(s).__name__ == name]
    assert steps
    if part is not None:
        assert part[1] in [s.data()[part[0]] for s in steps]


@pytest.mark.parametrize("name", ARRAYS)
def test_each_rule_of_differentials_occurs(name):
    e = sg.explain(ARRAYS[name], "w", shapes=SHAPES)
    assert name in [type(s).__name__ for s in e.steps]
    assert pickle.loads(pickle.dumps(e.lesson)) == e.lesson


@pytest.mark.parametrize("name", STUDIES)
def test_each_rule_of_studies_occurs(name):
    assert name in [type(s).__name__ for s in all_of(STUDIES[name]().lesson)]


def test_the_implicit_function_theorem_is_a_rule():
    x = sg.root(lambda x, p: x**3 + p * x - 1, 0.5, sg.symbol("p"))
    (rule,) = sg.explain(x, style="calculus").steps
    assert isinstance(rule, lesson.ImplicitRule)
    assert rule.data()["theta"] == "p"


def test_every_class_of_rules_is_met_here():
    classes = {c.__name__ for c in vars(lesson).values() if isinstance(c, type) and issubclass(c, lesson.LessonStep)}
    besides = {"LessonStep", "Rule", "Rewriting", "Given", "Note", "Evaluation", "ImplicitRule"}
    besides |= {"DifferentiateBothSides", "SolveForSlope", "UseEquation", "Finding"}  # of curves
    assert classes - besides == {*OCCURS, *ARRAYS, *STUDIES}


@pytest.mark.parametrize("formula", ["x**2*sin(x)", "(x**2 - 1)/(x**2 + 1)", "x**x", "abs(x)*x", "exp(-x**2/2)"])
def test_steps_are_frozen_pickled_and_written_as_json(formula):
    e = sg.explain(formula, "x", order=2)
    assert pickle.loads(pickle.dumps(e.lesson)) == e.lesson
    records = [s.data() for s in e.lesson]
    assert json.loads(json.dumps(records)) == records
    with pytest.raises(dataclasses.FrozenInstanceError):
        e.steps[0].after = None


@pytest.mark.parametrize("formula", [f for f, _ in OCCURS.values()])
def test_rewritings_go_on_from_the_step_before(formula):
    steps = sg.explain(formula, "x").steps
    for before, step in pairwise(steps):
        if isinstance(step, lesson.Rewriting):
            assert step.before == before.after, step
    assert all(s.written[-1] == s.after for s in steps if s.written)


@pytest.mark.parametrize(
    "formula", [*[f for f, _ in OCCURS.values() if "max" not in f][2:-1], "1/(1 + exp(-x))", "0.3*x**2 - x"]
)
def test_the_last_step_is_what_derive_prints(formula):
    last = sg.explain(formula, "x").steps[-1]
    assert text(last.after) == str(sg.derive(formula, "x"))
    assert last.written[-1] == last.after


@pytest.mark.parametrize("formula", ["x**2*sin(x)", "x*exp(x)*log(x)", "sin(x)/(1 + cos(x))"])
def test_lines_are_written_from_steps(formula):
    e = sg.explain(formula, "x")
    shown = [p.parts[-1] for line in e.lines for p in line.parts if isinstance(p, Equation) and line.kind == "then"]
    assert shown
    assert all(any(e_ in (s.after, *s.written) for s in e.steps) for e_ in shown)
    assert e.lines == tuple(line for step in e.lesson for line in step.lines())
