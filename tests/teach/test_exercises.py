"""``sg.exercises``: every topic has problems whose solutions are right, and whose grades tell right from wrong."""

import re

import pytest

import symgrad as sg
from symgrad.errors import ArgumentError
from symgrad.expression.formula import Binary, Call, Name, walk
from symgrad.expression.grammar import read
from symgrad.teach import TOPICS
from symgrad.teach.answers.exercises import Exercise
from symgrad.teach.answers.topics import Task, kind_of

PRINTED = ("least-squares", "linear", "quadratic")  # whose printed solutions are all in the language of answers
KINDS = [(topic, level) for topic in TOPICS for level in (1, 2, 3)]


@pytest.mark.parametrize(("topic", "level"), KINDS)
def test_solutions_are_right(topic, level):
    found = sg.exercises(topic, level, seed=3, count=1)
    assert found
    for e in found:
        assert e.grade(e.answer if e.is_gradient else e.solution).right
        assert topic not in PRINTED or e.grade(e.answer).right
        assert e.problem.startswith("Find ")
        assert e.latex.count("{") == e.latex.count("}")
        assert e.topic == topic


@pytest.mark.parametrize("of", ["mean(4*x)", "sum(A.T @ x) + 9", "sum(3*(A @ x) + b)", "sum(x)**2", "x*sum(x)"])
def test_solutions_with_the_vector_of_ones_are_right_as_they_are_set(of):
    shapes = {"x": "n", "b": "n", "A": ("n", "n")}
    used = {name: s for name, s in shapes.items() if name in re.findall(r"\w+", of)}
    e = Exercise("linear", 1, Task(of, "x", used))
    assert r"\mathbf{1}" in e.solution_latex
    assert e.grade(e.solution_latex).right


@pytest.mark.parametrize("topic", TOPICS)
def test_a_sheet_of_twenty_has_no_two_alike(topic):
    for level in (1, 2, 3):
        found = sg.exercises(topic, level, seed=1, count=20)
        assert len({kind_of(e.task) for e in found}) == len(found) == 20
    assert sum(len(TOPICS[topic].patterns(level)) for level in (1, 2, 3)) >= 25


def rules(e):
    """How many rules an exercise takes, counted on its formula: functions, products and powers of what varies."""
    wrt = {"x", "y"} if e.is_curve else {e.wrt} if isinstance(e.wrt, str) else set(e.wrt)
    varies = lambda t: any(isinstance(n, Name) and n.id in wrt for n in walk(t))
    count = 0.0
    for node in filter(varies, walk(read(e.of.replace("=", "+"), "paper").tree)):
        if isinstance(node, Binary):
            both = varies(node.left) and varies(node.right)
            inner = node.op == "**" and varies(node.left) and not isinstance(node.left, Name)
            count += {"+": 0.25, "-": 0.25, "**": 1 + inner + both}.get(node.op, 2 if both else 0.5)
        count += isinstance(node, Call)
    return count


@pytest.mark.parametrize("topic", [t for t in TOPICS if t not in ("linear", "softmax")])
def test_a_level_takes_more_rules_than_the_one_below(topic):
    first, second, third = (sum(map(rules, sg.exercises(topic, n, seed=1, count=20))) for n in (1, 2, 3))
    assert first < third
    assert second < third


def test_there_are_thirty_topics():
    assert len(TOPICS) >= 30


@pytest.mark.parametrize("topic", ["product", "quotient", "implicit", "gradient", "mixed-partial", "trace"])
def test_expected_slips_are_wrong_answers_and_graded_as_what_they_are(topic):
    (e,) = sg.exercises(topic, 2, seed=1, count=1)
    assert len(e.slips) >= 2
    assert e.hints
    for slip in e.slips:
        assert slip.name in sg.teach.SLIPS
        assert slip.latex.count("{") == slip.latex.count("}")
        if not e.shapes:  # what is printed of arrays has the vector of ones as 1
            grade = e.grade(slip.answer)
            assert not grade.right
            assert grade.slip == slip.name or grade.slip != "other"


@pytest.mark.parametrize("of", ["softmax(7*x, 0)", "8*a @ A.T @ x"])
def test_an_exercise_whose_rules_leave_no_slip_has_those_of_the_whole_answer(of):
    e = Exercise(
        "linear", 2, Task(of, shapes={n: s for n, s in (("x", "n"), ("a", "n"), ("A", ("n", "n"))) if n in of})
    )
    assert [s.name for s in e.slips] == ["sign", "factor-2"]
    assert [e.grade(s.answer).slip for s in e.slips] == [s.name for s in e.slips]


def test_a_curve_is_asked_for_its_slope():
    e = Exercise("implicit", 1, Task("x**2 + y**2 = 25"))
    assert e.problem == "Find dy/dx on the curve x^2 + y^2 = 25."
    assert (e.latex, e.answer) == ("x^{2} + y^{2} = 25", "-x/y")
    assert e.grade("-x/y").right
    assert [s.name for s in e.slips][:2] == ["sign", "quotient"]


def test_a_gradient_is_a_list_of_derivatives():
    e = Exercise("gradient", 1, Task("x**2*y", ("x", "y")))
    assert e.problem == "Find the gradient of f = x^2*y with respect to x and y."
    assert (e.answer, e.latex) == ("[2*x*y, x**2]", r"\nabla \left[ x^{2} y \right]")
    assert e.grade("[2xy, x^2]").right
    assert e.solution_latex.startswith(r"\begin{pmatrix} 2 x y \\ x^{2}")


def test_the_printed_solution_of_each_kind_of_linear_problem_can_be_typed_in():
    found = [e for e in sg.exercises("linear", 2, seed=11, count=12) if not re.search(r"sum|mean", e.of)]
    assert len(found) >= 5
    assert all(e.grade(str(e.solution)).right for e in found)


def test_the_same_seed_makes_the_same_exercises():
    first, again = (sg.exercises("chain", 2, seed=5) for _ in range(2))
    assert [e.of for e in first] == [e.of for e in again]
    assert [e.of for e in first] != [e.of for e in sg.exercises("chain", 2, seed=6)]
    assert len({e.of for e in first}) == len(first) == 5


def test_an_exercise_grades_answers_and_shows_its_steps():
    k = 7
    e = Exercise("chain", 1, Task(f"sin({k}*x)"))
    assert e.grade(f"{k}cos({k}x)").right
    assert e.grade(f"cos({k}x)").slip == "chain"
    assert str(e.steps.form) == str(e.solution)


def test_steps_lead_to_the_second_derivative():
    (e,) = sg.exercises("second-derivative", 1, count=1)
    assert "f″(x) = " in str(e.steps)
    assert str(e.steps.form) == str(e.solution)


def test_a_mixed_derivative_is_written_with_both_names_and_its_steps_are_those_of_the_first():
    e = Exercise("partial", 3, Task("x**3*y", ("x", "y"), {}, 2))
    assert e.latex == r"\frac{\partial^{2}}{\partial x \, \partial y} \left[ x^{3} y \right]"
    assert (str(e.steps.form), str(e.solution)) == ("3*x**2*y", "3*x**2")
    assert Exercise("powers", 1, Task("x**3", order=2)).latex.startswith(r"\frac{\partial^{2}}{\partial x^{2}} ")


def test_the_numbers_of_a_task_go_where_they_belong():
    for seed in range(20):
        (first,) = sg.exercises("polynomials", 2, seed=seed, count=1)
        exponents = [int(k) for k in re.findall(r"\*\*(\d)", first.of)]
        assert exponents == sorted(exponents, reverse=True)
    assert [sg.exercises(t, 3, count=1)[0].order for t in ("second-derivative", "mixed-partial", "chain")] == [2, 2, 1]


def test_exercises_of_matrices_have_shapes():
    (e, *_) = sg.exercises("least-squares", 2)
    assert e.shapes == {"X": ("n", "d"), "w": "d", "y": "n"}
    assert "Shapes: X [n, d], w [d], y [n]." in e.problem


def test_unknown_topics_list_the_choices():
    with pytest.raises(
        ArgumentError, match=r"the topic 'chian' is unknown\. Did you mean 'chain'\? Topics: polynomials, roots"
    ):
        sg.exercises("chian")
    with pytest.raises(ArgumentError, match="level=4"):
        sg.exercises("chain", 4)
    with pytest.raises(ArgumentError, match="count=0"):
        sg.exercises("chain", count=0)
    assert sg.exercises("Least squares", 1)[0].topic == "least-squares"


def test_exercises_are_of_different_kinds_as_far_as_there_are_some():
    for topic in ("exp-log", "trig", "chain"):
        kinds = [re.sub(r"\d+", "", e.of) for e in sg.exercises(topic, level=3, seed=3, count=3)]
        assert len(set(kinds)) == 3
