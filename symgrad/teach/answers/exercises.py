"""``sg.exercises``: problems to practise on, each with its solution, its steps, and its own grade."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from random import Random
from typing import Any

from symgrad.errors import ArgumentError, ShapeError
from symgrad.forms import derive
from symgrad.forms.closed import ClosedForm
from symgrad.support.arguments import checked
from symgrad.support.foreign import latex_name
from symgrad.support.lazy import cached_property
from symgrad.teach.answers.formulas import latex
from symgrad.teach.answers.grading import Grade, grade
from symgrad.teach.answers.problem import Problem, problem
from symgrad.teach.answers.topics import LEVELS, TOPICS, Task
from symgrad.teach.answers.trees import shown
from symgrad.teach.answers.values import Values
from symgrad.teach.explanation import Explanation, explain
from symgrad.tensors.creation import symbol
from symgrad.tensors.tensor import Tensor

MOST = 100  # exercises at once
_ORDERS = {1: "", 2: "second "}


@dataclass(frozen=True)
class Exercise:
    """A problem to be solved: ``of`` is to be differentiated by ``wrt``, ``order`` times.

    Attributes:
        topic, level: what it practises, and how hard it is.
        of, wrt, shapes, order: as ``sg.grade`` takes them.
    """

    topic: str
    level: int
    task: Task

    @property
    def of(self) -> str:
        """The formula that is differentiated."""
        return self.task.of

    @property
    def wrt(self) -> str | list[str]:
        """By what it is to be differentiated."""
        return self.task.wrt if isinstance(self.task.wrt, str) else list(self.task.wrt)

    @property
    def shapes(self) -> dict[str, Any]:
        """The shapes of names that stand for arrays."""
        return dict(self.task.shapes)

    @property
    def order(self) -> int:
        """How often it is to be differentiated."""
        return self.task.order

    @cached_property
    def _problem(self) -> Problem:
        path = [self.task.wrt] * self.order if isinstance(self.task.wrt, str) else list(self.task.wrt)
        return problem(self.of, path, self.shapes)

    @property
    def problem(self) -> str:
        """The problem in words."""
        names = self._problem.path
        by = " and ".join(dict.fromkeys(names))
        what = "gradient" if any(self._problem.names[n] for n in names) else "derivative"
        what = "Jacobian" if self._value.shape else what
        given = ", ".join(f"{n} [{_sizes(s)}]" for n, s in self._problem.names.items() if s)
        return f"Find the {_ORDERS[self.order]}{what} of f = {shown(self._problem.tree)} by {by}." + (
            f" Shapes: {given}." if given else ""
        )

    @property
    def latex(self) -> str:
        """The problem's formula in LaTeX."""
        names = [latex_name(n) for n in dict.fromkeys(self._problem.path)]
        by = r" \, ".join(rf"\partial {name}" for name in names)
        power = f"^{{{self.order}}}" if self.order > 1 else ""
        by += power if len(names) == 1 else ""
        inner = latex(self._problem.tree, self._problem.ranks)
        return rf"\frac{{\partial{power}}}{{{by}}} \left[ {inner} \right]"

    @cached_property
    def _value(self) -> Tensor:
        return Values(self.of, self._problem.leaves, {}, exact=True).tensor(self._problem.tree)

    @cached_property
    def solution(self) -> ClosedForm:
        """The derivative that solves the exercise."""
        first, *rest = [self._problem.leaves[n] for n in self._problem.path]
        if len({id(x) for x in (first, *rest)}) == 1:
            return derive(self._value, first, self.order)
        form = derive(self._value, first)
        for x in rest:
            form = derive(form, x)
        return form

    @cached_property
    def steps(self) -> Explanation:
        """The way to the solution, as ``sg.explain`` writes it; of a mixed derivative, to the first one."""
        by = self._problem.leaves[self._problem.path[0]]
        order = self.order if len(set(self._problem.path)) == 1 else 1
        try:
            return explain(self._value, by, order=order)
        except ShapeError:  # of an array: its product with a vector
            return explain(self._value, by, cotangent=symbol("u", self._value.shape))

    def grade(self, answer: Any) -> Grade:
        """Return what is to be said about an answer, as ``sg.grade`` does."""
        return grade(answer, self.of, self.wrt, self.shapes, order=self.order)

    def __str__(self) -> str:
        return self.problem


@checked
def exercises(topic: str, level: int = 1, seed: int = 0, count: int = 5) -> list[Exercise]:
    """Return problems to practise on; the same ones for the same arguments.

    Args:
        topic: one of ``symgrad.teach.TOPICS``, such as "chain" or "least-squares".
        level: 1, 2 or 3.
        seed: for others of the same kind.
        count: how many; fewer where the topic has fewer.

    Raises:
        ArgumentError: there is no such topic or level.

    >>> for e in sg.exercises("chain", level=2, seed=1, count=2):
    ...     print(e.problem)
    Find the derivative of f = sin(x^4) by x.
    Find the derivative of f = sqrt(x^2 + 6) by x.
    """
    name = _topic(topic)
    if level not in LEVELS or isinstance(level, bool):
        raise ArgumentError(f"exercises: got level={level!r}. Expected 1, 2 or 3.")
    if not isinstance(seed, int) or not isinstance(count, int) or not 1 <= count <= MOST:
        raise ArgumentError(
            f"exercises: got seed={seed!r}, count={count!r}. Expected integers, count from 1 to {MOST}."
        )
    random = Random(f"{name} {level} {seed}")
    made = [TOPICS[name][level - 1](random) for _ in range(10 * count)]
    kinds = {(_kind(task), task.wrt): task for task in reversed(made)}  # of each kind the first
    chosen = [task for task in made if task in kinds.values()]
    distinct = {(task.of, task.wrt): task for task in [*chosen, *made]}
    return [Exercise(name, level, task) for task in list(distinct.values())[:count]]


def _kind(task: Task) -> str:
    """The formula without its numbers: exercises are of as many kinds as there are."""
    return re.sub(r"\d+", "", task.of)


def _topic(topic: Any) -> str:
    name = "-".join(str(topic).lower().replace("_", " ").replace("-", " ").split())
    if isinstance(topic, str) and name in TOPICS:
        return name
    near = difflib.get_close_matches(name, TOPICS, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ArgumentError(f"exercises: there is no topic {topic!r}.{hint} Topics: {', '.join(TOPICS)}.")


def _sizes(s: tuple[Any, ...]) -> str:
    return ", ".join(map(str, s))
