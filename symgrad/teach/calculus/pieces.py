"""A function in pieces: which formula holds on which interval, with the points where pieces meet left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

import sympy as sp

from symgrad.expression.arithmetic import OTHERWISE, ZERO
from symgrad.expression.formula import Both, Call, Cases, Compare, Formula, Name, walk
from symgrad.teach.board.reading import to_sympy
from symgrad.teach.board.tidy import tidy
from symgrad.teach.calculus.intervals import Interval, Intervals, conditions_of, is_short, joined, split, zeros_on
from symgrad.teach.calculus.simplify import simplified
from symgrad.teach.calculus.slopes import by_cases


def by_intervals(t: Formula, x: str, there: Intervals, joins: Callable[[Any], bool]) -> Formula:
    """Return a formula with case distinctions as one, its conditions solved for x; itself where they cannot be.

    Args:
        t: the formula, a derivative.
        x: the variable.
        there: where t has values.
        joins: whether the derivative exists at a point, so that equal pieces on both sides are one.
    """
    s = sp.Symbol(x, real=True)
    conditions = [*dict.fromkeys(_conditions(t))]
    if not any(isinstance(p, Cases) for p in walk(t)) or any(c.free != {x} for c in conditions) or _is_solved(t, x):
        return t
    points = [zeros_on(to_sympy(c.left) - to_sympy(c.right), s, tuple(there)) for c in conditions]
    if any(p is None for p in points):
        return t
    pieces: dict[Formula, list[Interval]] = {}
    for part in split(there, [p for these in points for p in these or ()]):
        value = _active(t, {s: part.inside})
        if value is None:
            return t
        pieces.setdefault(_shorter(value), []).append(part)
    left_out = {a.high for a, b in pairwise(there) if a.high == b.low}  # of the domain, which says so itself

    def has_value(value: Formula, p: Any) -> bool:
        return p in left_out or (bool(to_sympy(value).subs(s, p).is_finite) and joins(p))

    rows = [(value, joined(parts, partial(has_value, value))) for value, parts in pieces.items()]
    if len(rows) == 1 and rows[0][1] == joined(there, left_out.__contains__):
        return rows[0][0]
    written = [(value, conditions_of(parts, x)) for value, parts in rows]
    if not all(is_short(parts) for _, parts in rows):
        return t
    if isinstance(t, Cases):  # its values first come first
        first = [_shorter(v) for v in t.args[::2]]
        if all(value in first for value, _ in written):
            written.sort(key=lambda row: first.index(row[0]))
    return Cases(*[p for value, cs in written for p in (value, cs[0] if len(cs) == 1 else Both(*cs))])


def _is_solved(t: Formula, x: str) -> bool:
    """Whether the conditions of a case distinction are on x itself, and no case is the rest of the others."""
    inner = [c for c in t.args[1::2] for c in (c.args if isinstance(c, Both) else [c])] if isinstance(t, Cases) else []
    plain = all(
        isinstance(c, Compare) and c.op in "<>" and {Name(x)} == {p for p in c.operands if p.free} for c in inner
    )
    inside = [p for v in t.args[::2] for p in walk(v)] if isinstance(t, Cases) else []
    return isinstance(t, Cases) and plain and not any(isinstance(p, Cases) or _split(p) is not None for p in inside)


def _conditions(t: Formula) -> Iterator[Compare]:
    """Yield the conditions in a formula, and those of max(a, b) and its like."""
    if isinstance(t, Compare):
        yield t
    rows = _split(t)
    for p in (*t.operands, *(rows.args[1::2] if rows is not None else ())):
        yield from _conditions(p)


def _split(t: Formula) -> Cases | None:
    return by_cases(t) if isinstance(t, Call) and t.name != "abs" else None


def _active(t: Formula, at: Mapping[Any, Any]) -> Formula | None:
    """Return a formula with the case of each distinction that holds at a number; None where none does."""
    rows = t if isinstance(t, Cases) else _split(t)
    if rows is not None:
        held = [v for v, c in rows.rows if c == OTHERWISE or to_sympy(c).subs(at) == sp.true]
        return _active(held[0], at) if held else None
    parts = [_active(a, at) for a in t.operands]
    return None if None in parts else t.with_operands(parts)  # type: ignore[arg-type]


def _shorter(t: Formula) -> Formula:
    """Return a formula as it is written after all its simplifications."""
    t = tidy(t)
    for step in simplified(t, [t]):
        t = step.after
    return ZERO if to_sympy(t) == 0 else t
