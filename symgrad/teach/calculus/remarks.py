"""Where a formula holds: the domain of logarithms, roots and quotients, and the kinks of |x| and its like."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import array_kernel
from symgrad.scalars import log1p, relu, sigmoid
from symgrad.teach.board.printer import text, word
from symgrad.teach.board.reading import Hand, to_sympy
from symgrad.teach.board.terms import (
    HALF,
    OTHERWISE,
    Apply,
    Both,
    Cases,
    Compare,
    Name,
    Num,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    num,
)
from symgrad.teach.calculus.slopes import of_size

MOST = 30  # signs of a part that a domain is stated for


def domain(f: Term, x: str) -> list[Term]:
    """Return the conditions on x under which f has a derivative."""
    conditions: dict[Term, None] = {}
    for sign, part in _conditions(f, x):
        if part.size <= MOST and not _always(sign, part):
            conditions.setdefault(_solved(sign, part, x))
    both = [c for c in conditions if isinstance(c, Both)]
    kept = [c for c in conditions if isinstance(c, Compare) and not _is_open(c, conditions)]
    kept = [c for c in kept if not (both and all(_implied(c, b, x) for b in both))]
    for c in reversed(kept):  # what is built of others follows from them
        if len(kept) > 1 and _follows(c, [d for d in kept if d is not c], x):
            kept = [d for d in kept if d is not c]
    low, size = Compare(">", Name(x), num(0)), Apply(sp.Abs, Name(x))
    high = next((c for c in kept if c.args[:2] in (("<", Name(x)), ("<", size))), None)
    if low in kept and high is not None:
        between = Both(Compare("<", num(0), Name(x)), Compare("<", Name(x), high.args[2]))
        return [between, *[c for c in kept if c not in (low, high)], *both]
    return [*both, *kept]


def _is_open(c: Compare, conditions: Collection[Term]) -> bool:
    """Whether a ≠ 0 is said beside a > 0, or a > 0 beside a > 1."""
    if c.args[0] == ">" and c.args[2] == num(0):
        return any(d.args[:2] == c.args[:2] and d != c and to_sympy(d.args[2]).is_positive for d in conditions)
    return c.args[0] == "≠" and Compare(">", *c.args[1:]) in conditions


def _implied(c: Compare, b: Both, x: str) -> bool:
    """Whether a condition holds between two ends."""
    if c.free != {x}:
        return False
    grid = np.r_[np.linspace(-12, 12, 4801)]
    inside = _holds(b.args[0], grid, x) & _holds(b.args[1], grid, x)
    return bool(inside.any() and _holds(c, grid, x)[inside].all())


def _follows(c: Compare, others: Sequence[Compare], x: str) -> bool:
    """Whether a condition on x alone holds wherever the others do, on a fine grid."""
    if c.args[1] == Name(x):  # what is known of x itself follows from nothing else
        others = [d for d in others if d.args[1] in (Name(x), Apply(sp.Abs, Name(x)))]
    if not others or any(d.free != {x} for d in (c, *others)):
        return False
    grid = np.r_[np.linspace(-12, 12, 4801), np.pi * np.arange(-6, 6.01, 0.125)]
    if c.args[0] == "≠" and c.args[1] == Name(x):  # only the point itself tells
        grid = np.r_[grid, float(to_sympy(c.args[2]))]
    holds = [_holds(d, grid, x) for d in (c, *others)]
    return bool(np.all(holds[1:], axis=0).any() and holds[0][np.all(holds[1:], axis=0)].all())


def _holds(c: Compare, grid: Any, x: str) -> Any:
    sign, a, b = c.args
    with np.errstate(all="ignore"):
        far = array_kernel(to_sympy(a) - to_sympy(b), (sp.Symbol(x, real=True),))(grid)
    far = np.broadcast_to(np.asarray(far, dtype=float), grid.shape)
    return {">": far > 1e-9, "<": far < -1e-9, "≠": np.abs(far) > 1e-9}[sign]


def holds_at(c: Term, point: Mapping[str, Any]) -> bool:
    """Whether a condition holds where the names have these values; what has other names in it is taken to hold."""
    if isinstance(c, Both):
        return all(holds_at(d, point) for d in c.args)
    if not isinstance(c, Compare) or not c.free.issubset(point):
        return True
    sign, *sides = c.args
    names = sorted(c.free)
    with np.errstate(all="ignore"):
        a, b = (
            float(
                array_kernel(to_sympy(side), tuple(sp.Symbol(n, real=True) for n in names))(*[point[n] for n in names])
            )
            for side in sides
        )
    return {">": a > b, "<": a < b, "≠": a != b}[sign]


def _conditions(t: Term, x: str) -> Iterator[tuple[str, Term]]:
    if x not in t.free:
        return
    for a in t.args:
        if isinstance(a, Term):
            yield from _conditions(a, x)
    if isinstance(t, Quotient) and x in t.args[1].free:
        for f in t.args[1].args if isinstance(t.args[1], Product) else (t.args[1],):
            base = f.args[0] if isinstance(f, Power) and isinstance(f.args[1], Num) else f
            if x in base.free and not (isinstance(f, Power) and f.args[1] == HALF):
                yield "≠", base
    if isinstance(t, Power) and x in t.args[0].free:
        e = t.args[1]
        if not isinstance(e, Num) or e.value.denominator % 2 == 0:
            yield ">", t.args[0]
        elif e.value < 1 and e.value.denominator != 1:
            yield "≠", t.args[0]
    if isinstance(t, Power) and x in t.args[1].free and t.args[0].free and x not in t.args[0].free:
        yield ">", t.args[0]
    if isinstance(t, Apply):
        inside = of_size(t)
        yield from [("≠", inside)] if inside is not None else _of_function(t)


def _of_function(t: Apply) -> Iterator[tuple[str, Term]]:
    function, a = t.args[:2]
    if getattr(function, "__name__", "") in ("log", "log2", "log10", "lgamma", "loggamma"):
        yield ">", a
    if function is log1p:
        yield ">", Sum(num(1), a)
    if function is sp.tan:
        yield "≠", Apply(sp.cos, a)
    if function in (sp.asin, sp.acos, sp.atanh):
        yield "<", Apply(sp.Abs, a)
    if function is sp.acosh:
        yield ">", Sum(a, num(-1))


def _always(sign: str, part: Term) -> bool:
    """Whether a condition holds for all real numbers."""
    if sign == "<":
        return False
    e = to_sympy(part)
    return bool(e.is_positive or (sign == "≠" and e.is_nonzero)) or _everywhere_positive(part)


def _everywhere_positive(part: Term) -> bool:
    """Whether it is far from 0 on a grid that has the zeros of the usual functions."""
    names = sorted(part.free)
    grid = np.r_[np.arange(-8, 8.01, 0.25), np.pi * np.arange(-3, 3.01, 0.25)]
    points = np.meshgrid(*[grid] * len(names)) if len(names) < 3 else []
    if not points:
        return False
    with np.errstate(all="ignore"):
        values = array_kernel(to_sympy(part), tuple(sp.Symbol(n, real=True) for n in names))(*points)
    far = 1e-9 if sigmoid in _called(part) else 1e-2  # which is positive far out, too
    return bool(np.all(values > far))


def _called(t: Term) -> Iterator[Any]:
    if isinstance(t, Apply):
        yield t.args[0]
    for a in t.args:
        if isinstance(a, Term):
            yield from _called(a)


def _interval(e: Any, s: Any) -> Term | None:
    """Return where a polynomial or a quotient of them with two changes of sign is positive, if it is one interval."""
    if e.free_symbols != {s} or not e.is_rational_function(s):
        return None
    top, below = (sp.Poly(p, s) for p in sp.fraction(sp.cancel(sp.together(e))))
    if top.degree() + below.degree() != 2 or max(top.degree(), below.degree()) > 2:
        return None
    ends = sorted({r for p in (top, below) for r in sp.roots(p) if r.is_real})
    if len(ends) != 2 or not e.subs(s, (ends[0] + ends[1]) / 2).is_positive:
        return None
    low, high = map(Hand().write, ends)
    return Both(Compare("<", low, Name(str(s))), Compare("<", Name(str(s)), high))


# functions that rise, with what undoes them and the values that they have
_RISING: dict[Any, tuple[Any, Any, Any]] = {
    sp.exp: (sp.log, 0, sp.oo), sp.log: (sp.exp, -sp.oo, sp.oo), sp.sinh: (sp.asinh, -sp.oo, sp.oo),
    sp.asinh: (sp.sinh, -sp.oo, sp.oo), sp.tanh: (sp.atanh, -1, 1), sp.atan: (sp.tan, -sp.pi / 2, sp.pi / 2),
    sp.asin: (sp.sin, -sp.pi / 2, sp.pi / 2),
}  # fmt: skip
_TURNED = {">": "<", "<": ">", "≠": "≠"}


def _undone(sign: str, part: Term, x: str) -> Term | None:
    """Return ln(ln(u)) - 1 > 0 as u > exp(e), and so with ≠: functions that rise are undone on both sides."""
    e, bound, rising = to_sympy(part), sp.S.Zero, False
    while True:
        still, moving = e.as_independent(*e.free_symbols) if e.is_Add or e.is_Mul else (None, e)
        if still is not None and still.is_number and still != (0 if e.is_Add else 1) and still.is_real:
            sign = _TURNED[sign] if e.is_Mul and still.is_negative else sign
            e, bound = moving, bound - still if e.is_Add else bound / still
        elif e.func in _RISING and len(e.args) == 1:
            undo, low, high = _RISING[e.func]
            if not low < bound < high:
                return None
            e, bound, rising = e.args[0], undo(bound), True
        else:
            break
    if not rising:
        return None
    if e == sp.Symbol(x, real=True):
        return Compare(sign, Name(x), Hand().write(bound))
    if bound == 0:
        return _solved(sign, Hand([part]).write(e), x) if sign in (">", "≠") else None
    shown = Compare(sign, Hand([part]).write(e), Hand().write(bound))
    return (_where(shown, x) if sign != "≠" else None) or shown


def _solved(sign: str, part: Term, x: str) -> Term:
    """Return the condition, of a linear part as one on x."""
    bound = num(1) if sign == "<" else num(0)
    if sign == "≠" and isinstance(part, Apply) and part.args[0] is sp.Abs:
        return _solved(sign, part.args[1], x)
    if sign == "≠" and isinstance(part, Quotient):
        return _solved(sign, part.args[0], x)
    if sign == "<" and part == Apply(sp.Abs, Power(Name(x), HALF)):
        return Compare("<", Name(x), num(1))
    if sign in (">", "≠") and (undone := _undone(sign, part, x)) is not None:
        return undone
    if sign == "<" and isinstance(part, Apply) and part.args[1] != Name(x):
        inside = to_sympy(part.args[1])
        return _interval(1 - inside**2, sp.Symbol(x, real=True)) or Compare(sign, part, bound)
    if sign == ">" and isinstance(part, Power) and isinstance(part.args[1], Num) and part.args[1].value % 2 == 0:
        return _solved("≠", part.args[0], x)
    if part == Name(x) or sign == "<":
        return Compare(sign, part, bound)
    e, s = to_sympy(part), sp.Symbol(x, real=True)
    between = _interval(e, s) if sign == ">" else None
    if between is not None:
        return between
    beyond = _where(Compare(sign, part, bound), x) if sign == ">" and isinstance(part, Sum) else None
    if beyond is not None:
        return beyond
    slope = sp.diff(e, s) if isinstance(part, (Sum, Product, Quotient)) and _plain(part) else None
    if slope is None or not slope.is_Rational or slope == 0:
        return Compare(sign, part, bound)
    turned = {">": "<", "≠": "≠"}[sign] if slope < 0 else sign
    return Compare(turned, Name(x), Hand().write(sp.expand(s - e / slope)))


def solved_cases(t: Term, x: str) -> Term:
    """Return a case distinction of two cases with its conditions solved for x: {2 for 0 < x < 2; 2x otherwise}."""
    if not isinstance(t, Cases) or len(t.rows) != 2 or not all(isinstance(c, Compare) for _, c in t.rows):
        return t
    rows = [(v, _where(c, x)) for v, c in t.rows]
    if all(c is None for _, c in rows):
        return t
    if all(c is not None for _, c in rows):
        return Cases(*[part for row in rows for part in row])
    (inside, between), (outside, _) = sorted(rows, key=lambda row: row[1] is None)
    return Cases(inside, between, outside, OTHERWISE)


def _where(c: Any, x: str) -> Term | None:
    """Return the x for which a linear or quadratic condition holds, as one interval or by |x|; None of all else."""
    sign, a, b = c.args
    s = sp.Symbol(x, real=True)
    e = to_sympy(a) - to_sympy(b) if sign in (">", "≥") else to_sympy(b) - to_sympy(a)
    if e.free_symbols != {s} or not e.is_polynomial(s) or sp.degree(e, s) > 2 or not isinstance(a, Term):
        return None
    ends = sorted(r for r in sp.roots(sp.Poly(e, s)) if r.is_real)
    top = sp.Poly(e, s).LC()
    written = [Hand().write(r) for r in ends]
    if len(ends) == 1 and sp.degree(e, s) == 1:
        return Compare(">" if top > 0 else "<", Name(x), written[0])
    if len(ends) != 2:
        return None
    if ends[0] == -ends[1]:
        return Compare(">" if top > 0 else "<", Apply(sp.Abs, Name(x)), written[1])
    return Both(Compare("<", written[0], Name(x)), Compare("<", Name(x), written[1])) if top < 0 else None


def _plain(t: Term) -> bool:
    return not isinstance(t, Apply) and all(_plain(a) for a in t.args if isinstance(a, Term))


# ------------------------------------------------------------------ kinks
def kinks(f: Term, x: str) -> Iterator[tuple[Term, Any]]:
    """Yield the functions with a kink, and the points x of it where they can be solved for."""
    for c in dict.fromkeys(_conditions_in(f)):
        if x in c.free and c.args[0] not in ("=", "≠"):
            yield c, _zeros(to_sympy(c.args[1]) - to_sympy(c.args[2]), x)
    for t in dict.fromkeys(_applied(f)):
        function, a, *others = t.args
        if x not in t.free:
            continue
        if function in (sp.Abs, relu):
            yield t, _zero(to_sympy(a), x)
        elif function in (sp.Max, sp.Min) and len(others) == 1:
            yield t, _zero(to_sympy(a) - to_sympy(others[0]), x)
        elif word(function).startswith("clamp"):
            yield t, [p for b in others for p in _zeros(to_sympy(a) - to_sympy(b), x) or []]


def _conditions_in(t: Term) -> Iterator[Compare]:
    if isinstance(t, Compare):
        yield t
    for a in t.args:
        if isinstance(a, Term):
            yield from _conditions_in(a)


def _applied(t: Term) -> Iterator[Apply]:
    inside = of_size(t)
    if inside is not None:  # where |u| has its kink, ln|u| has no value
        yield from _applied(inside)
        return
    for a in t.args:
        if isinstance(a, Term):
            yield from _applied(a)
    if isinstance(t, Apply):
        yield t


def _zero(e: Any, x: str) -> list[Term] | None:
    """Return where a formula is 0; of a linear one of several names, in terms of the others."""
    s = sp.Symbol(x, real=True)
    if len(e.free_symbols) < 2 or not e.is_polynomial(s) or sp.degree(e, s) != 1:
        return _zeros(e, x)
    slope = sp.diff(e, s)
    return [Hand().write(sp.expand(s - e / slope))] if slope.is_Rational else None


def _zeros(e: Any, x: str) -> list[Term] | None:
    s = sp.Symbol(x, real=True)
    if not e.is_polynomial(s) or e.free_symbols != {s} or sp.degree(e, s) > 2:
        return None
    return [Hand().write(r) for r in sp.roots(e, s) if r.is_real]


def said(conditions: Sequence[Term]) -> str:
    """Return conditions as they stand beside a line."""
    return ", ".join(text(c) for c in conditions[:3])
