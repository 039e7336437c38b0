"""Where an answer is wrong: the smallest part of it with which it would be right if something likely stood there.

What is likely is what pupils mix up: another number, sign or function, and any part of the right derivative or of the
problem. A part is found again in the text as it was typed by reading the text with a name in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import SymgradError
from symgrad.expression.constants import CONSTANTS
from symgrad.expression.formula import Binary, Call, Constant, Formula, Name, Unary
from symgrad.teach.answers.answer import read_answer
from symgrad.teach.answers.problem import Case, Problem
from symgrad.teach.answers.rules import Derivative
from symgrad.teach.answers.trees import (
    call,
    children,
    negative,
    number,
    parts,
    power,
    replaced,
    times,
    value_of,
    with_children,
)
from symgrad.teach.answers.values import ONE, Values
from symgrad.tensors.creation import tensor

Span = tuple[int, int]
SIBLINGS = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt")
MOST_PARTS, MOST_EXPECTED, MOST_TRIED, MOST_NODES = 60, 40, 1500, 150
_FACTORS = (Fraction(2), Fraction(1, 2), Fraction(3), Fraction(1, 3))


class Repair(NamedTuple):
    """What may stand for a part; of several that make the answer right, the one of least weight is meant."""

    weight: int
    part: Formula
    new: Formula
    is_sign: bool = False


# ------------------------------------------------------------------ which part
def wrong_part(case: Case, tree: Formula, agree: Callable[[Any, Any], bool]) -> Repair | None:
    """Return the part of an answer that differs, or None where no single one does."""
    if sum(1 for _ in parts(tree)) > MOST_NODES:
        return None
    repairs = sorted(islice(_repairs(tree, _expected(case.problem)), MOST_TRIED), key=lambda m: m.weight)
    try:
        tried = _Tried(case, tree, agree)
        return next((m for m in repairs if tried.is_right(m)), None)
    except SymgradError:
        return None


def _expected(problem: Problem) -> list[Formula]:
    """The parts of the right derivative, by the rules and as it is printed, and of the problem."""
    formulas: list[Formula] = []
    right: Formula | None = problem.tree
    if not problem.has_arrays:
        for name in problem.path:
            right = None if right is None else Derivative(name, None).right(right)
        formulas += [] if right is None else [right]
    if problem.printed is not None:
        try:
            printed = read_answer(problem.printed, problem).tree
            formulas += [] if printed is None else [printed]
        except SymgradError:  # a form that no answer can have
            pass
    every = [p for whole in (*formulas, problem.tree) for p in parts(whole)]
    distinct = {p: p for p in reversed(every) if value_of(p) is None}
    return list(reversed(distinct.values()))[:MOST_EXPECTED]


def _repairs(tree: Formula, expected: Sequence[Formula]) -> Iterator[Repair]:
    numbers = {v for p in expected for q in parts(p) if (v := value_of(q)) is not None}
    terms = _terms(tree)
    for size, part in islice(_with_sizes(tree), MOST_PARTS):
        v = value_of(part)
        if isinstance(part, Constant) and v is not None:
            likely = {v + 1, v - 1, 2 * v, v / 2, v * v, Fraction(1), Fraction(2), *numbers}
            likely |= {v * n for n in numbers}
            kept = [n for n in likely if n >= 0 and n != v]  # another sign is one of the term
            yield from (Repair(10, part, number(n)) for n in sorted(kept, key=_length)[:24])
        elif isinstance(part, Call) and len(part.args) == 1 and isinstance(part.func, Name):
            for name in sorted({*SIBLINGS} - {part.func.id}) if part.func.id in SIBLINGS else ():
                other = call(name, part.args[0])
                yield from (Repair(12 + k, part, new) for k, new in enumerate((other, negative(other))))
        if any(part is t for t in terms):
            yield Repair(14, part, negative(part), is_sign=True)
            yield from (Repair(20, part, times(number(c), part)) for c in _FACTORS)
            yield from (Repair(22, part, number(n)) for n in sorted({Fraction(0), *numbers}, key=_length)[:12])
            for e in expected:
                yield Repair(64 + size, part, times(part, e))
                if part is not tree:  # for which the derivative would always do
                    yield Repair(60 + size, part, e)
                    yield Repair(62 + size, part, negative(e))
        elif v is None and not (isinstance(part, Name) and part.id in CONSTANTS):
            yield Repair(24, part, power(part, number(2)))
            yield from (Repair(30 + size, part, e) for e in expected)


def _length(v: Fraction) -> tuple[int, Fraction]:
    return len(str(v)), abs(v)


def _with_sizes(tree: Formula) -> Iterator[tuple[int, Formula]]:
    """The parts, small ones first, each with the number of parts that it has."""
    every = [(sum(1 for _ in parts(p)), p) for p in parts(tree)]
    yield from sorted(every, key=lambda one: one[0])


def _terms(tree: Formula) -> list[Formula]:
    """What stands between the signs of sums, the outermost and those within, and the answer as a whole."""
    terms = [tree]
    for part in parts(tree):
        if isinstance(part, Binary) and part.op in ("+", "-"):
            terms += [part.left, part.right]
        elif isinstance(part, Unary):
            terms.append(part.operand)
    return [t for t in terms if not (isinstance(t, Binary) and t.op in ("+", "-")) or t is tree]


class _Tried:
    """The values of an answer in which a part is another one: only what stands above the part is computed anew."""

    def __init__(self, case: Case, tree: Formula, agree: Callable[[Any, Any], bool]) -> None:
        self._tree, self._agree, self._kept = tree, agree, list[Formula]()
        together = not case.problem.has_arrays  # of numbers, at all points at once
        points = [_all(case.points)] if together else case.points
        self._truths = [case.truth] if together else list(case.truth)
        self._values = [Values("", _leaves(p), case.sizes) for p in points]

    def is_right(self, repair: Repair) -> bool:
        """Whether the answer is right with this repair."""
        tree = replaced(self._tree, repair.part, repair.new)
        self._kept.append(tree)  # values are known by the identity of trees
        try:
            with np.errstate(all="ignore"):
                for values, truth in zip(self._values, self._truths):
                    value = np.asarray(values.tensor(tree).numpy())
                    value = np.broadcast_to(value, truth.shape) if value.ndim == 0 else value
                    if value.shape != truth.shape or not self._agree(value, truth):
                        return False
        except (SymgradError, ValueError):
            return False
        return True


def _all(points: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: np.array([p[name] for p in points], float) for name in points[0]}


def _leaves(point: Mapping[str, Any]) -> dict[str, Any]:
    return {**{name: tensor(np.asarray(v, float)) for name, v in point.items()}, ONE: tensor(np.ones(()))}


# ------------------------------------------------------------------ where it stands
def place_of(part: Formula, tree: Formula, answer: Any, *, sign: bool = False) -> Span | None:
    """Return the characters of an answer's text that a part of its tree was read from, or None where there are none.

    What was not typed, as the size of ones, is within what stands above it.

    Args:
        sign: whether the sign before a term is part of the place.
    """
    path = _path(tree, part)
    if path is None or not isinstance(answer, str):
        return None
    span = next((node.place for node in reversed(path) if node.place is not None), None)
    return whole_of(answer) if span is None else _with_sign(answer, span) if sign else span


def whole_of(answer: Any) -> Span | None:
    """Return the place of a whole answer, without the spaces around it."""
    if not isinstance(answer, str):
        return None
    return len(answer) - len(answer.lstrip()), len(answer.rstrip())


def changed_part(tree: Formula, meant: Formula) -> Formula:
    """Return the smallest part of a tree outside which another tree is the same."""
    here, there = children(tree), children(meant)
    heads = [with_children(t, [Constant(0)] * len(c)) for t, c in ((tree, here), (meant, there))]
    different = [(a, b) for a, b in zip(here, there) if a != b]
    if heads[0] != heads[1] or len(different) != 1:
        return tree
    return changed_part(*different[0])


def _path(tree: Formula, part: Formula) -> list[Formula] | None:
    """Return the parts that lead to a part, from the top; None where it is not in the tree."""
    if tree is part:
        return [tree]
    for child in children(tree):
        below = _path(child, part)
        if below is not None:
            return [tree, *below]
    return None


def _with_sign(text: str, place: Span) -> Span:
    before = text[: place[0]].rstrip()
    return (len(before) - 1, place[1]) if before.endswith(("+", "-", "−", "–")) else place
