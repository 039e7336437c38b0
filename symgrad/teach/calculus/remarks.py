"""Where a formula holds: the domain of logarithms, roots and quotients, and the kinks of |x| and its like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import array_kernel
from symgrad.scalars import log1p, relu
from symgrad.support.symbols import Symbol
from symgrad.teach.board.pen import text, word
from symgrad.teach.board.reading import Hand, to_sympy
from symgrad.teach.board.terms import (
    HALF,
    Apply,
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

MOST = 30  # signs of a part that a domain is stated for


def domain(f: Term, x: str) -> list[Compare]:
    """Return the conditions on x under which f has a derivative."""
    found: dict[Compare, None] = {}
    for sign, part in _conditions(f, x):
        if part.size <= MOST and not _always(sign, part):
            found.setdefault(_solved(sign, part, x))
    return [c for c in found if not (c.args[0] == "≠" and Compare(">", *c.args[1:]) in found)]


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
        yield from _of_function(t)


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
        found = array_kernel(to_sympy(part), tuple(Symbol(n, real=True) for n in names))(*points)
    return bool(np.all(found > 1e-2))


def _solved(sign: str, part: Term, x: str) -> Compare:
    """Return the condition, of a linear part as one on x."""
    bound = num(1) if sign == "<" else num(0)
    if part == Name(x) or sign == "<":
        return Compare(sign, part, bound)
    e, s = to_sympy(part), Symbol(x, real=True)
    slope = sp.diff(e, s) if isinstance(part, (Sum, Product, Quotient)) and _plain(part) else None
    if slope is None or not slope.is_Rational or slope == 0:
        return Compare(sign, part, bound)
    turned = {">": "<", "≠": "≠"}[sign] if slope < 0 else sign
    return Compare(turned, Name(x), Hand().write(sp.expand(s - e / slope)))


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
            yield t, _zeros(to_sympy(a), x)
        elif function in (sp.Max, sp.Min) and len(others) == 1:
            yield t, _zeros(to_sympy(a) - to_sympy(others[0]), x)
        elif word(function).startswith("clamp"):
            yield t, [p for b in others for p in _zeros(to_sympy(a) - to_sympy(b), x) or []]


def _conditions_in(t: Term) -> Iterator[Compare]:
    if isinstance(t, Compare):
        yield t
    for a in t.args:
        if isinstance(a, Term):
            yield from _conditions_in(a)


def _applied(t: Term) -> Iterator[Apply]:
    for a in t.args:
        if isinstance(a, Term):
            yield from _applied(a)
    if isinstance(t, Apply):
        yield t


def _zeros(e: Any, x: str) -> list[Term] | None:
    s = Symbol(x, real=True)
    if not e.is_polynomial(s) or e.free_symbols != {s} or sp.degree(e, s) > 2:
        return None
    return [Hand().write(r) for r in sp.roots(e, s) if r.is_real]


def said(conditions: list[Compare]) -> str:
    """Return conditions as they stand beside a line."""
    return ", ".join(text(c) for c in conditions[:3])
