"""A worked solution: a document that consists of the lines of its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

from symgrad.expression.formula import Formula, Rows
from symgrad.forms.calculus.length import length
from symgrad.forms.rewrites.identities import difference_of_squares, everywhere, sign_into_a_sum
from symgrad.support.lazy import cached_property
from symgrad.teach.board.line import Equation, Line
from symgrad.teach.board.reading import SympyFormatter
from symgrad.teach.places.points import asked, digits, number
from symgrad.teach.steps.lesson import LessonStep
from symgrad.teach.writing.document import Document

_LONG = 300  # operations of a formula that is not simplified any more


class Solution(Document):
    """A worked solution: ``print`` it, display it in a notebook, or use its ``lesson`` as data."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def __reduce__(self) -> Any:
        return type(self), self._arguments

    @cached_property
    def decimal(self) -> bool:
        """Whether the data are decimals, so that the results are written as such."""
        return any(isinstance(v, float) and not v.is_integer() for v in _numbers(self._arguments))

    def equation(self, *parts: Any) -> Equation:
        """Return equal formulas as they are written, decimals where the data are decimals."""
        return equation(*parts, decimal=self.decimal)

    def near(self, e: Any) -> str:
        """Return the digits of a result of decimals that is not a short decimal itself; else nothing."""
        ends = e.is_Rational and (e.is_Integer or write(e, True) != write(e))
        return "" if not self.decimal or ends else f" ≈ {digits(number(e))}"

    def _steps(self) -> Iterator[LessonStep]:
        raise NotImplementedError

    @cached_property
    def lesson(self) -> tuple[LessonStep, ...]:
        """The derivation, step by step."""
        return tuple(self._steps())

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The text, line by line."""
        return tuple(line for step in self.lesson for line in step.lines())


def _numbers(arguments: Any) -> Iterator[Any]:
    """Yield the numbers in arguments, also those in lists and dictionaries."""
    if isinstance(arguments, dict):
        arguments = arguments.values()
    elif not isinstance(arguments, (list, tuple)):
        yield arguments
        return
    for a in arguments:
        yield from _numbers(a)


def write(e: Any, decimal: bool = False) -> Formula:
    """Return a formula of SymPy's, a list of them or a matrix as it is written on a board.

    Args:
        e: the formula.
        decimal: whether fractions that end are written as decimals.
    """
    if isinstance(e, (list, tuple)):
        return Rows((tuple(write(a, decimal) for a in e),), "", True)
    if isinstance(e, sp.MatrixBase):
        return Rows(tuple(tuple(map(write, e.row(k))) for k in range(e.rows)))
    e = sp.sympify(e)
    roots = any(p.exp.is_Rational and not p.exp.is_Integer for p in e.atoms(sp.Pow))
    return SympyFormatter((), decimal and not roots).write(e)


def equation(*parts: Any, decimal: bool = False) -> Equation:
    """Return equal formulas, those of SymPy's as they are written."""
    return Equation(tuple(p if isinstance(p, Formula) else write(p, decimal) for p in parts))


def listed(items: Iterable[Sequence[Any]], between: str = ", ") -> list[Any]:
    """Return the words and formulas of several items, for a line, with a text between two of them."""
    return [w for k, item in enumerate(items) for w in ([between, *item] if k else item)]


@lru_cache(maxsize=512)
def shortest(e: Any) -> Any:
    """Return the shortest equal formula among those that SymPy has soon."""
    e = sp.sympify(e)
    if (not e.free_symbols and not e.args) or sp.count_ops(e) > _LONG:
        return e
    tried: Sequence[Callable[[], Any]] = (
        lambda: sp.factor_terms(e),
        lambda: sp.cancel(sp.together(e)),
        lambda: sp.factor(e),
        lambda: everywhere(everywhere(sp.factor(e), difference_of_squares), sign_into_a_sum),
        lambda: sp.simplify(e),
        lambda: sp.expand(e),
    )
    made = [t for t in map(asked, tried) if t is not None]
    return min([e, *made], key=length)
