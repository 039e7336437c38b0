"""``sg.exercises``: problems for practice, with their solutions and steps, which grade answers."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from symgrad.errors import ArgumentError, ShapeError
from symgrad.expression.formula import Formula, Name
from symgrad.expression.grammar import read
from symgrad.expression.markup import math, mo, row
from symgrad.expression.printer import LATEX, MATHML, handwritten
from symgrad.forms import derive
from symgrad.forms.implicit_functions import Curve
from symgrad.support.arguments import checked
from symgrad.support.foreign import latex_name
from symgrad.support.lazy import cached_property
from symgrad.teach.answers.curves import CurveProblem, curve_of, is_curve
from symgrad.teach.answers.expected import Slip, expected_slips, slips_on_curve
from symgrad.teach.answers.formulas import on_paper
from symgrad.teach.answers.grading import Grade, grade
from symgrad.teach.answers.problem import Problem, problem
from symgrad.teach.answers.topics import LEVELS, TOPICS, Task, kind_of
from symgrad.teach.answers.trees import shown
from symgrad.teach.answers.values import Values
from symgrad.teach.explanation import Explanation, explain
from symgrad.tensors.creation import symbol
from symgrad.tensors.tensor import Tensor

MOST = 100  # exercises at once
_TRIED = 20  # tasks for each exercise
_ORDERS = {1: "", 2: "second ", 3: "third "}


@dataclass(frozen=True)
class Exercise:
    """A problem: differentiate ``of`` with respect to ``wrt``, ``order`` times.

    Attributes:
        topic, level: the topic and the difficulty.
        of, wrt, shapes, order: the arguments of ``sg.grade``.
    """

    topic: str
    level: int
    task: Task

    @property
    def of(self) -> str:
        """The formula to differentiate; or an equation, for dy/dx on its curve."""
        return self.task.of

    @property
    def wrt(self) -> str | list[str]:
        """The name or names with respect to which to differentiate."""
        return self.task.wrt if isinstance(self.task.wrt, str) else list(self.task.wrt)

    @property
    def shapes(self) -> dict[str, Any]:
        """The shapes of names that denote arrays."""
        return dict(self.task.shapes)

    @property
    def order(self) -> int:
        """The order of the derivative."""
        return self.task.order

    @property
    def is_curve(self) -> bool:
        """Whether an equation is given, and dy/dx on its curve is requested."""
        return is_curve(self.of, self.wrt)

    @property
    def is_gradient(self) -> bool:
        """Whether the derivative with respect to each of several names is requested."""
        return self.order == 1 and not isinstance(self.task.wrt, str)

    @cached_property
    def _curve(self) -> Curve:
        return curve_of(self.of, self.wrt)

    @cached_property
    def _problem(self) -> Problem:
        path = [self.task.wrt] * self.order if isinstance(self.task.wrt, str) else list(self.task.wrt)
        return problem(self.of, path, self.shapes)

    @property
    def question(self) -> str:
        """The task, without the formula."""
        if self.is_curve:
            return f"Find d{self._curve.wanted[0]}/d{self._curve.x} on the curve."
        names = self._problem.path
        by = " and ".join(dict.fromkeys(names))
        arrays = any(self._problem.names[n] for n in names)
        what = "Jacobian" if self._value.shape else "gradient" if self.is_gradient or arrays else "derivative"
        sizes = ", ".join(f"{n} [{_sizes(s)}]" for n, s in self._problem.names.items() if s)
        return f"Find the {_ORDERS[self.order]}{what} with respect to {by}." + (f" Shapes: {sizes}." if sizes else "")

    @property
    def problem(self) -> str:
        """The problem in words."""
        if self.is_curve:
            return f"{self.question[:-1]} {self.of.replace('**', '^')}."
        asked, _, by = self.question.partition(" with respect to ")
        formula = self.of if self.shapes else shown(self._problem.tree)  # x^2 of an array would be MATLAB's power
        return f"{asked} of f = {formula} with respect to {by}"

    @cached_property
    def _sides(self) -> list[Formula]:
        """The two sides of the equation that states the formula, as on paper."""
        if self.is_curve:
            return [on_paper(side.reading.tree, {}) for side in self._curve.sides[0]]
        return [Name("f"), on_paper(self._problem.tree, self._problem.ranks)]

    @property
    def formula_latex(self) -> str:
        """The formula in LaTeX, as it was written."""
        return " = ".join(map(LATEX.write, self._sides))

    @property
    def formula_mathml(self) -> str:
        """The formula in MathML, as it was written."""
        left, right = self._sides
        text = f"{handwritten(left)} = {handwritten(right)}"
        return math(row(MATHML.write(left), mo("="), MATHML.write(right)), text)

    @property
    def latex(self) -> str:
        """The problem's formula and the requested derivative in LaTeX."""
        if self.is_curve:
            return self.formula_latex
        names = [latex_name(n) for n in dict.fromkeys(self._problem.path)]
        inner = LATEX.write(self._sides[1])
        if self.is_gradient:
            return rf"\nabla \left[ {inner} \right]"
        by = r" \, ".join(rf"\partial {name}" for name in names)
        power = f"^{{{self.order}}}" if self.order > 1 else ""
        by += power if len(names) == 1 else ""
        return rf"\frac{{\partial{power}}}{{{by}}} \left[ {inner} \right]"

    @cached_property
    def _value(self) -> Tensor:
        return Values(self.of, self._problem.leaves, {}, exact=True).tensor(self._problem.tree)

    @cached_property
    def solution(self) -> Any:
        """The closed form that solves the exercise; for a gradient, one for each name."""
        if self.is_curve:
            return derive(self.of, self._curve.wanted[0], self._curve.x)
        first, *rest = leaves = [self._problem.leaves[n] for n in self._problem.path]
        if self.is_gradient:
            return derive(self._value, leaves)
        if len({id(x) for x in leaves}) == 1:
            return derive(self._value, first, self.order)
        form = derive(self._value, first)
        for x in rest:
            form = derive(form, x)
        return form

    @property
    def answer(self) -> str:
        """The solution as text; for a gradient, as a list."""
        return _list([str(form) for form in self.solution]) if self.is_gradient else str(self.solution)

    @property
    def solution_latex(self) -> str:
        """The solution in LaTeX."""
        return _column([form.latex() for form in self.solution]) if self.is_gradient else str(self.solution.latex())

    @cached_property
    def steps(self) -> Explanation:
        """The steps to the solution, as ``sg.explain`` writes them; for a mixed derivative, those to the first one."""
        if self.is_curve:
            return explain(self.of, self._curve.wanted[0], self._curve.x)
        by = [self._problem.leaves[n] for n in dict.fromkeys(self._problem.path)]
        order = self.order if len(by) == 1 else 1
        try:
            return explain(self._value, by if self.is_gradient else by[0], order=order)
        except ShapeError:  # of an array: its product with a vector
            return explain(self._value, by[0], cotangent=symbol("u", self._value.shape))

    @property
    def hints(self) -> list[str]:
        """Hints, in order: the reasons of the steps, without the results."""
        reasons = []
        for line in self.steps.data():
            if line["kind"] in ("why", "rule"):
                reasons.append(line["text"].rstrip(":"))
            elif line["kind"] in ("does", "then", "side") and re.search(r"[a-z]{3}|=", line["ledger"]):
                reasons.append(line["ledger"])
        return list(dict.fromkeys(reasons))

    @cached_property
    def slips(self) -> list[Slip]:
        """Typical wrong answers, each with its slip and its hint, the most instructive first."""
        if self.is_curve:
            return slips_on_curve(CurveProblem(self._curve, 1))
        if not self.is_gradient:
            return expected_slips(self._problem)
        parts = [expected_slips(problem(self.of, [name], self.shapes)) for name in self._problem.path]
        texts, latex = [str(form) for form in self.solution], [form.latex() for form in self.solution]
        return [
            Slip(s.name, _list([*texts[:k], s.answer, *texts[k + 1 :]]),
                 _column([*latex[:k], s.latex, *latex[k + 1 :]]), s.hint)
            for k, part in enumerate(parts)
            for s in part[: 3 - k]
        ]  # fmt: skip

    def read(self, answer: str) -> Formula:
        """Return an answer's formula.

        Raises:
            ParseError: if the answer is not a formula; the message says where.
        """
        tree: Formula = read(answer, "paper", answer=True).tree if self.is_curve else self._problem.read(answer).tree
        return tree

    def grade(self, answer: Any) -> Grade:
        """Return the grade of an answer, as ``sg.grade`` does."""
        return grade(answer, self.of, self.wrt, self.shapes, order=self.order)

    def __str__(self) -> str:
        return self.problem


@checked
def exercises(topic: str, level: int = 1, seed: int = 0, count: int = 5) -> list[Exercise]:
    """Return problems for practice; the same arguments return the same problems.

    Args:
        topic: one of ``symgrad.teach.TOPICS``, such as "chain" or "least-squares".
        level: 1, 2 or 3.
        seed: a number that selects other problems of the same kind.
        count: the number of problems; fewer are returned if the topic has fewer.

    Raises:
        ArgumentError: if the topic or the level is unknown.

    >>> for e in sg.exercises("chain", level=2, seed=1, count=2):
    ...     print(e.problem)
    Find the derivative of f = (7 + exp(x))^5 with respect to x.
    Find the derivative of f = sin(x^2) with respect to x.
    """
    name = _topic(topic)
    if level not in LEVELS or isinstance(level, bool):
        raise ArgumentError(f"exercises: got level={level!r}. Expected 1, 2 or 3.")
    if not isinstance(seed, int) or not isinstance(count, int) or not 1 <= count <= MOST:
        raise ArgumentError(
            f"exercises: got seed={seed!r}, count={count!r}. Expected integers, count from 1 to {MOST}."
        )
    tasks = TOPICS[name].tasks(level, Random(f"{name} {level} {seed}"))
    distinct: dict[Any, Task] = {}
    kinds: set[str] = set()
    for task in islice(tasks, _TRIED * count):  # of each kind one, while there are kinds
        if kind_of(task) not in kinds or len(kinds) >= TOPICS[name].kinds(level):
            kinds.add(kind_of(task))
            distinct.setdefault((task.of, task.wrt), task)
        if len(distinct) == count:
            break
    return [Exercise(name, level, task) for task in distinct.values()]


def _topic(topic: Any) -> str:
    name = "-".join(str(topic).lower().replace("_", " ").replace("-", " ").split())
    if isinstance(topic, str) and name in TOPICS:
        return name
    near = difflib.get_close_matches(name, TOPICS, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ArgumentError(f"exercises: the topic {topic!r} is unknown.{hint} Topics: {', '.join(TOPICS)}.")


def _list(entries: Sequence[str]) -> str:
    return f"[{', '.join(entries)}]"


def _column(entries: Sequence[str]) -> str:
    rows = r" \\ ".join(entries)
    return rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}"


def _sizes(s: tuple[Any, ...]) -> str:
    return ", ".join(map(str, s))
