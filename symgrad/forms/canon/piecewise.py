"""Rules of case distinctions of arrays: what depends on one sign is one distinction, {a if x > 0; b otherwise}."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp
from sympy.logic.boolalg import BooleanFunction

from symgrad.forms.canon.cases import KINKS, MOST, Case, Conditions, added, clamped, truth_of, turned, with_brackets
from symgrad.forms.canon.complexes import REAL_PARTS, is_complex
from symgrad.forms.canon.elementwise_subterms import Island, shortest
from symgrad.forms.canon.terms import EYE, FUNCTION, LEAF, PRODUCT, SUM, Letters, Shape, Term, TermPool, rule

WITHIN = 2  # sums whose distinctions are joined while those of others are, which made them
_REAL = sp.symbols("a0:64", real=True)
_POSITIVE = sp.symbols("p0:64", positive=True)


class _Reading(Island):
    """Reads an elementwise term as an expression in its atoms and in the truth of its conditions."""

    def __init__(self, pool: TermPool) -> None:
        super().__init__(pool)
        self.conditions = Conditions()

    def read(self, t: Term, axes: Letters) -> sp.Expr:
        of_complex = t.kind == FUNCTION and t.data in REAL_PARTS and is_complex(self.pool, t.args[0])
        if t.kind == FUNCTION and t.args and not of_complex:
            return self._function(t.data, [self.read(a, axes if a.shape else ()) for a in t.args])
        value = super().read(t, axes)
        if (t, axes) not in self.atoms or value in _REAL or value in _POSITIVE or is_complex(self.pool, t):
            return value
        marks = _POSITIVE if t.kind == LEAF and "positive" in t.data[1] else _REAL
        self.atoms[(t, axes)] = marks[len(self.atoms)]
        return self.atoms[(t, axes)]

    def _function(self, head: Any, parts: Sequence[sp.Expr]) -> sp.Expr:
        if head is sp.Piecewise:
            return added(list(zip(parts[::2], parts[1::2], strict=True)))
        if len(self.conditions.signs) > MOST:
            raise OverflowError("more conditions than are examined")
        if _is_condition(head):
            return truth_of(self.conditions, head, parts)
        return KINKS[head](self.conditions, *parts) if head in KINKS else head(*parts)

    def term(self, e: sp.Expr, shape: Shape) -> Term:
        """Turn an expression in the atoms back into a term."""
        pool, back = self.pool, {a: key for key, a in self.atoms.items()}
        if e in back:
            t, axes = back[e]
            letters = tuple(range(len(shape)))
            return pool.product([(t, axes)], letters, dict(zip(letters, shape, strict=True)))
        if not e.free_symbols & back.keys():
            return pool.constant(e, shape)
        if e.is_Add:
            return pool.sum([(1, self.term(a, shape)) for a in e.args], shape)
        if e.is_Mul:
            return pool.times(*[self.term(a, shape) for a in e.args])
        if e.is_Pow:
            return pool.power(self.term(e.base, shape), e.exp)
        return pool.function(e.func, [self.term(a, shape) for a in e.args], shape)

    def distinction(self, cases: Sequence[Case], shape: Shape) -> Term:
        """Return cases as a term; cases that are 1 where one relation holds and 0 elsewhere are the relation itself."""
        parts = []
        for value, conditions in cases:
            truths = [
                self.pool.function(h, [self.term(a, shape), self.term(b, shape)], shape) for h, a, b in conditions
            ]
            parts += [self.term(value, shape), self.pool.times(*truths) if truths else self.pool.ones(shape)]
        if len(cases) == 2 and cases[0].value == 1 and cases[1].value == 0:
            return parts[1]
        return parts[0] if len(cases) == 1 else self.pool.function(sp.Piecewise, parts, shape)


def _is_condition(head: Any) -> bool:
    return isinstance(head, type) and issubclass(head, (sp.core.relational.Relational, BooleanFunction))


def _asks(t: Term) -> bool:
    """Whether a term is a case distinction, or has one among its factors."""
    if t.kind == FUNCTION:
        return t.data is sp.Piecewise or _is_condition(t.data)
    return t.kind == PRODUCT and any(map(_asks, t.args))


def _bends(t: Term) -> bool:
    """Whether a value has a kink of its own, that its condition may decide."""
    return t.kind == FUNCTION and (t.data is sp.Piecewise or t.data in KINKS or any(map(_bends, t.args)))


@rule(SUM)
def distinctions_meet(pool: TermPool, t: Term) -> Term | None:
    """a ⊙ [x > 0] + b ⊙ [x ≤ 0] is {a if x > 0; b otherwise}, where that is shorter."""
    if pool.light or not any(map(_asks, t.args)) or any(a.kind == EYE for b in t.args for a in b.args):
        return None
    return _distinguished(pool, t)


@rule(FUNCTION)
def distinction_in_a_distinction(pool: TermPool, t: Term) -> Term | None:
    """{{a if x > 1; b otherwise} if x > 0; c otherwise} is one distinction, and eˣ is e^min(x, 0) if x < 0."""
    if pool.light or t.data is not sp.Piecewise:
        return None
    asked = any(a.kind == FUNCTION and (issubclass(a.data, BooleanFunction) or _of_size(a)) for a in t.args[1::2])
    return _distinguished(pool, t) if asked or any(map(_bends, t.args[::2])) else None


def _of_size(condition: Term) -> bool:
    """Whether a condition compares |x|."""
    return any(a.kind == FUNCTION and a.data is sp.Abs for a in condition.args)


def _distinguished(pool: TermPool, t: Term) -> Term | None:
    begun = [other for other in pool.in_progress if isinstance(other, tuple) and other[0] is _distinguished]
    if (_distinguished, t) in begun or len(begun) > WITHIN:
        return None
    reading = _Reading(pool)
    try:
        e = reading.read(t, tuple(range(len(t.shape))))
    except OverflowError:
        return None
    if not 0 < len(reading.conditions.signs) <= MOST:
        return None
    pool.in_progress.add((_distinguished, t))
    cases = reading.conditions.cases(e, shortest)
    candidates = [reading.distinction(cases, t.shape), *_brackets(reading, cases, t.shape)]
    clamp = clamped(cases)
    if clamp is not None:
        candidates.append(reading.term(clamp, t.shape))
    pool.in_progress.discard((_distinguished, t))
    best = min(candidates, key=lambda f: f.cost)
    return best if best.cost < t.cost else None


def _brackets(reading: _Reading, cases: Sequence[Case], shape: Shape) -> list[Term]:
    terms = []
    for way in (cases, turned(cases) if len(cases) > 1 else None):
        bracketed = None if way is None else with_brackets(way, numbers=True)
        if bracketed is not None:
            a, b, rest = bracketed
            truth = reading.distinction(rest, shape)
            step = reading.pool.times(reading.term(b, shape), truth)
            terms.append(reading.pool.sum([(1, reading.term(a, shape)), (1, step)], shape))
    return terms
