"""To practise on: a problem of a topic, hints one at a time, an answer's grade, and sheets to print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symgrad.errors import ArgumentError
from symgrad.teach import TOPICS, exercises, grade
from symgrad.teach.answers.exercises import Exercise as Problem
from symgrad.teach.answers.topics import LEVELS
from symgrad.web.equations import equation_of
from symgrad.web.exercise import MOST_NAMES, read
from symgrad.web.lines import line

MOST_SEED = 2**31
ON_A_SHEET = 10


def topics(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the topics for practice."""
    return {"topics": [{"name": name, "levels": list(LEVELS)} for name in TOPICS]}


def problem(data: Mapping[str, Any]) -> dict[str, Any]:
    """A problem, without its answer."""
    chosen = _chosen(data)
    several = len(_several(data, ON_A_SHEET))
    return {"problem": _described(chosen, data), "hints": len(_hints(chosen)), "of": several}


def _chosen(data: Mapping[str, Any]) -> Problem:
    """Return one of the problems of the sheet."""
    problems, index = _several(data, ON_A_SHEET), data.get("index", 0)
    if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(problems):
        raise ArgumentError(f"index: got {str(index)[:40]!r}. Expected an integer from 0 to {len(problems) - 1}.")
    return problems[index]


def _several(data: Mapping[str, Any], count: int) -> list[Problem]:
    topic, level, seed = data.get("topic"), data.get("level", 1), data.get("seed", 0)
    if not isinstance(topic, str):
        raise ArgumentError(f"there is no topic. Expected one of {', '.join(TOPICS)}.")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < MOST_SEED:
        raise ArgumentError(f"seed: got {str(seed)[:40]!r}. Expected an integer from 0 to {MOST_SEED - 1}.")
    if isinstance(level, bool) or not isinstance(level, int):
        raise ArgumentError(f"level: got {str(level)[:40]!r}. Expected 1, 2 or 3.")
    return exercises(topic[:40], level, seed, count)


def _described(problem: Problem, data: Mapping[str, Any]) -> dict[str, Any]:
    by = problem.wrt if isinstance(problem.wrt, str) else list(problem.wrt)
    kinds = ("number", "vector", "matrix")
    shapes = {
        name: [str(s) for s in ([shape] if isinstance(shape, str) else shape)] for name, shape in problem.shapes.items()
    }
    return {
        "id": f"{problem.topic}-{problem.level}-{data.get('seed', 0)}-{data.get('index', 0)}",
        "words": problem.problem,
        "question": problem.question,
        "formula": problem.of,
        "mathml": problem.formula_mathml,
        "latex": problem.latex,
        "wrt": by,
        "order": problem.order,
        "names": {name: {"kind": kinds[len(s)], "shape": s, "assume": []} for name, s in shapes.items()},
    }


# ------------------------------------------------------------------ hints
def _hints(problem: Problem) -> list[dict[str, Any]]:
    """Return the way to the solution, line by line, without what was given."""
    return [line(r) for r in problem.steps.data() if r["kind"] not in ("given", "title", "gap")]


def hint(data: Mapping[str, Any]) -> dict[str, Any]:
    """One line of the way to the solution, counted from 0."""
    hints, number = _hints(_chosen(data)), data.get("number")
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(hints):
        raise ArgumentError(f"number: got {str(number)[:40]!r}. Expected an integer from 0 to {len(hints) - 1}.")
    return {**hints[number], "last": number == len(hints) - 1}


# ------------------------------------------------------------------ answers
def answer(data: Mapping[str, Any]) -> dict[str, Any]:
    """The grade of an answer, to a problem of a topic or to an exercise of one's own."""
    text = data.get("answer")
    if not isinstance(text, str) or not text.strip():
        raise ArgumentError("there is no answer yet. Type one, such as 2*x*cos(x).")
    if len(text) > 2000:
        raise ArgumentError(f"the answer has {len(text)} characters, more than 2000.")
    verdict = _chosen(data).grade(text) if data.get("topic") is not None else _of_own(data, text)
    return {
        "right": verdict.right,
        "verdict": "right" if verdict.right else "wrong",
        "simplified": verdict.simplified,
        "slip": verdict.slip,
        "words": verdict.hint,
        "shorter": verdict.shorter,
        "at": None if verdict.place is None else list(verdict.place),
        "point": None if verdict.at is None else str(verdict).partition("\n")[2],
        "mathml": None,
    }


def _of_own(data: Mapping[str, Any], text: str) -> Any:
    equation = equation_of(data.get("exercise"))
    if equation is not None:
        return grade(text, equation.text, (equation.y, equation.x), order=equation.order)
    exercise = read(data.get("exercise"))
    leaves = exercise.parsed().leaves
    shapes = {k: leaves[k] if n.assume else n.shape for k, n in exercise.names.items() if n.shape or n.assume}
    return grade(text, exercise.formula, exercise.by(), shapes, order=exercise.order)


# ------------------------------------------------------------------ sheets
def sheet(data: Mapping[str, Any]) -> dict[str, Any]:
    """Ten problems, with their solutions where they are wanted."""
    count = data.get("count", ON_A_SHEET)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_NAMES:
        raise ArgumentError(f"count: got {str(count)[:40]!r}. Expected an integer from 1 to {MOST_NAMES}.")
    problems = _several(data, count)
    return {
        "topic": problems[0].topic,
        "level": problems[0].level,
        "problems": [
            {**_described(p, data), **({"solution": _solution(p)} if data.get("solutions") else {})} for p in problems
        ],
    }


def _solution(problem: Problem) -> dict[str, str]:
    forms = problem.solution if problem.is_gradient else [problem.solution]
    mathml = " ".join(form.mathml("where") if " where " in str(form) else form.mathml() for form in forms)
    return {"text": problem.answer, "mathml": mathml}
