"""``sg.exercises``: every topic has problems whose solutions are right, and whose grades tell right from wrong."""

import re

import pytest

import symgrad as sg
from symgrad.errors import ArgumentError
from symgrad.teach import TOPICS
from symgrad.teach.answers.exercises import Exercise
from symgrad.teach.answers.topics import Task

PRINTED = ("least-squares", "linear", "quadratic")  # whose printed solutions are all in the language of answers
KINDS = [(topic, level) for topic in TOPICS for level in (1, 2, 3)]


@pytest.mark.parametrize(("topic", "level"), KINDS)
def test_solutions_are_right(topic, level):
    found = sg.exercises(topic, level, seed=3, count=1)
    assert found
    for e in found:
        assert e.grade(e.solution).right
        assert topic not in PRINTED or e.grade(str(e.solution)).right
        assert e.problem.startswith("Find the ")
        assert e.latex.count("{") == e.latex.count("}")
        assert e.topic == topic


def test_the_printed_solution_of_each_kind_of_linear_problem_can_be_typed_in():
    found = sg.exercises("linear", 1, seed=11, count=3)
    assert len({re.sub(r"\d+", "", e.of) for e in found}) == 3
    assert all(e.grade(str(e.solution)).right for e in found)


def test_the_same_seed_makes_the_same_exercises():
    first, again = (sg.exercises("chain", 2, seed=5) for _ in range(2))
    assert [e.of for e in first] == [e.of for e in again]
    assert [e.of for e in first] != [e.of for e in sg.exercises("chain", 2, seed=6)]
    assert len({e.of for e in first}) == len(first) == 5


def test_an_exercise_grades_answers_and_shows_its_steps():
    e = next(e for e in sg.exercises("chain", 1, count=20) if e.of.startswith("sin"))
    k = e.of.removeprefix("sin(").partition("*")[0]
    assert e.grade(f"{k}cos({k}x)").right
    assert e.grade(f"cos({k}x)").slip == "chain"
    assert str(e.steps.form) == str(e.solution)


def test_steps_lead_to_the_second_derivative():
    (e,) = sg.exercises("second-derivative", 1, count=1)
    assert "f″(x) = " in str(e.steps)
    assert str(e.steps.form) == str(e.solution)


def test_a_mixed_derivative_is_written_with_both_names_and_its_steps_are_those_of_the_first():
    e = Exercise("partial", 3, Task("x**3*y", ("x", "y"), {}, 2))
    assert e.latex == r"\frac{\partial^{2}}{\partial x \, \partial y} \left[ x^{3} \, y \right]"
    assert (str(e.steps.form), str(e.solution)) == ("3*x**2*y", "3*x**2")
    assert Exercise("powers", 1, Task("x**3", order=2)).latex.startswith(r"\frac{\partial^{2}}{\partial x^{2}} ")


def test_the_numbers_of_a_task_go_where_they_belong():
    for seed in range(20):
        (first,) = sg.exercises("polynomials", 2, seed=seed, count=1)
        exponents = [int(k) for k in re.findall(r"\*\*(\d)", first.of)]
        assert exponents == sorted(exponents, reverse=True)
    assert [sg.exercises(t, 3, count=1)[0].order for t in ("second-derivative", "partial", "chain")] == [2, 2, 1]


def test_exercises_of_matrices_have_shapes():
    (e, *_) = sg.exercises("least-squares", 2)
    assert e.shapes == {"X": ("n", "d"), "w": "d", "y": "n"}
    assert "Shapes: X [n, d], w [d], y [n]." in e.problem


def test_unknown_topics_list_the_choices():
    with pytest.raises(ArgumentError, match=r"no topic 'chian'\. Did you mean 'chain'\? Topics: polynomials, product"):
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
