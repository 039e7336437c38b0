"""``sg.table``: f and f′ at points, f′ by formula, by reverse mode and by differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.pickling import portable
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError, SymgradError
from symgrad.expression.arguments import text_of_names
from symgrad.expression.reader import Expression
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive, expression
from symgrad.func import value_and_grad
from symgrad.ops.map import show_shape
from symgrad.support import foreign
from symgrad.support.arguments import checked
from symgrad.teach.board.line import Equation
from symgrad.teach.calls import called, parameters
from symgrad.teach.plot import plot
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.prime import Prime
from symgrad.teach.steps.unicode_text import DIGITS, unicode_text
from symgrad.teach.writing.html import mathml
from symgrad.testing import finite_differences

SIGN = "−"
STYLE = """
.symgrad-table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.6em 0; }
.symgrad-table caption { text-align: left; padding-bottom: 0.5em; }
.symgrad-table th { text-align: right; font-weight: 600; padding: 0.25em 0.9em; border-bottom: 1px solid currentColor; }
.symgrad-table td { text-align: right; padding: 0.2em 0.9em; }
.symgrad-table tr:nth-child(even) td { background: rgba(128, 128, 128, 0.12); }
""".strip()


@dataclass(frozen=True, slots=True)
class Row:
    """One point.

    Attributes:
        x: the point.
        value: f(x).
        formula: f′(x) by the closed form; nan if there is none.
        reverse: f′(x) by reverse mode.
        difference: f′(x) by central differences at two steps, extrapolated.
        reverse_error: the difference of reverse mode from the formula; 0 if there is no formula.
        difference_error: that of the central differences from the formula, or from reverse mode if there is none.
    """

    x: float
    value: float
    formula: float
    reverse: float
    difference: float
    reverse_error: float
    difference_error: float


@checked
def table(f: Callable[..., Any] | str, points: Iterable[float]) -> Table:
    """Return f(x) and f′(x) at points, with f′ computed in three ways, and the differences between them.

    Args:
        f: a function of one number that returns a number; or a formula of one number as text.
        points: the points x.

    Returns:
        A ``Table``: ``print`` it, show it in a notebook, take its ``rows`` as data, or ``plot()`` it.

    Raises:
        ArgumentTypeError: if f is not a function, or a point is not a number.
        ArgumentError: if there are no points.
        ShapeError: if f does not return a number.

    >>> print(sg.table(lambda x: x**3, [1.0, 2.0]))
    f(x) = x³,  f′(x) = 3·x²
    <BLANKLINE>
      x  f(x)  f′ by formula  by reverse mode  error  by differences    error
      1     1              3                3      0               3  ...
      2     8             12               12      0              12  ...
    """
    if isinstance(f, str):
        f = _of_one_name(f)
    if not callable(f):
        raise ArgumentTypeError(f"table: expected a function of one number, got {type(f).__name__}.")
    at = _points(points)
    value, form = _formulas(f)
    return Table(f, [_row(f, x, form) for x in at], value, form)


def _of_one_name(text: str) -> Expression:
    """Return the formula of one number that people mean by a string."""
    formula = text_of_names(text, {})
    if len(formula.names) != 1:
        names = ", ".join(formula.names) or "none"
        raise ArgumentError(f"table: expected a formula of one number. Got {text!r}, whose names are: {names}.")
    return formula


def _points(points: Iterable[float]) -> list[float]:
    try:
        array = np.asarray(list(points) if not isinstance(points, np.ndarray) else points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"table: expected numbers for points. {error}") from error
    if array.ndim != 1 or not array.size:
        raise ArgumentError(f"table: points have shape {show_shape(array.shape)}. Expected a list of numbers.")
    return [float(x) for x in array]


def _formulas(f: Callable[..., Any]) -> tuple[ClosedForm | None, ClosedForm | None]:
    """Return the formulas of f and f′; None where f asks for numbers that a symbol does not have."""
    try:
        y, (x, *_) = called("table", f, None, None, None)
        return expression(y), derive(y, x, verify=False) if y.shape == () else None
    except SymgradError:
        return None, None


def _row(f: Callable[..., Any], x: float, form: ClosedForm | None) -> Row:
    with np.errstate(all="ignore"):
        y = as_tensor(f(as_tensor(x)))
        if y.shape != ():
            raise ShapeError(f"table: f({x:g}) has shape {show_shape(y.shape)}. Expected a number: return f(x).sum().")
        value, reverse = value_and_grad(f)(x)
        exact = float("nan") if form is None else float(form.lambdify()(*([x] if form.args else [])))
        near = float(finite_differences(lambda at: 1.0 * as_tensor(f(at)), [x], 0))
    known = reverse if form is None else exact
    return Row(x, float(value), exact, float(reverse), near, abs(float(reverse) - known), abs(near - known))


class Table:
    """f and f′ at points.

    Attributes:
        rows: a ``Row`` for each point.
        value: the formula of f, or None.
        form: the closed form of f′, or None.
    """

    def __init__(
        self, f: Callable[..., Any], rows: Sequence[Row], value: ClosedForm | None, form: ClosedForm | None
    ) -> None:
        self._f, self.rows, self.value, self.form = f, tuple(rows), value, form
        self._name = parameters("table", f, 1)[0]

    def __reduce__(self) -> Any:
        return Table, (portable(self._f, "table"), self.rows, self.value, self.form)

    @property
    def _head(self) -> list[str]:
        x = self._name
        return [x, f"f({x})", "f′ by formula", "by reverse mode", "error", "by differences", "error"]

    def _equations(self) -> list[Equation]:
        """Return what f and f′ are, where that can be written in a line."""
        f = sp.Function("f")(sp.Symbol(self._name))
        named = [(f, self.value), (Prime.of(f), self.form)]
        return [Equation((name, e)) for name, form in named if form is not None and (e := brief(form)) is not None]

    def __str__(self) -> str:
        cells = [self._head, *(_cells(row) for row in self.rows)]
        widths = [max(len(line[k]) for line in cells) for k in range(len(self._head))]
        lines = ["  ".join(c.rjust(w) for c, w in zip(line, widths, strict=True)) for line in cells]
        told = ",  ".join(" = ".join(map(unicode_text, e.parts)) for e in self._equations())
        return "\n".join([*([told, ""] if told else []), *(f"  {line}" for line in lines)])

    def __repr__(self) -> str:
        return f"<Table: {len(self.rows)} points>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{foreign.html(c)}</th>" for c in self._head)
        body = "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in _cells(row))}</tr>" for row in self.rows)
        told = ", ".join(map(mathml, self._equations()))
        return (
            f'<style>{STYLE}</style><table class="symgrad-table"><caption>{told}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def plot(self, ax: Any = None, *, tangent: float | None = None) -> Any:
        """Draw f, f′ and a tangent of f around the points; needs ``symgrad[plot]``.

        Args:
            ax: matplotlib's axes; a new figure's by default.
            tangent: where the tangent touches; by default the point in the middle.

        Returns:
            The axes.

        Raises:
            MissingExtra: if matplotlib is not installed.
        """
        points = [row.x for row in self.rows]
        room = 0.1 * (max(points) - min(points)) or 2.0
        touch = points[len(points) // 2] if tangent is None else tangent
        return plot(self._f, (min(points) - room, max(points) + room), tangent=touch, ax=ax)


def _cells(row: Row) -> list[str]:
    exact = [row.x, row.value, row.formula, row.reverse]
    texts = [_number(x) for x in exact]
    return [*texts, _error(row.reverse_error), _number(row.difference), _error(row.difference_error)]


def _number(x: float) -> str:
    return "—" if np.isnan(x) else f"{x:.{DIGITS}g}".replace("-", SIGN)


def _error(x: float) -> str:
    return "0" if x == 0 else f"{x:.1e}".replace("-", SIGN)
