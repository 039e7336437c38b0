"""The derivative as it is first written down: each rule applied, nothing simplified."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

from symgrad.scalars import X, clamp, clamp_max, clamp_min, differentiate, hypot, in_full, relu, sigmoid
from symgrad.teach.board.reading import Hand
from symgrad.teach.board.terms import (
    HALF,
    ONE,
    TWO,
    ZERO,
    Apply,
    Both,
    Cases,
    Compare,
    Const,
    Name,
    Num,
    Power,
    Prime,
    Product,
    Quotient,
    Sum,
    Term,
    add,
    div,
    factors,
    is_num,
    mul,
    neg,
    num,
    power,
    put,
)

_x, _y = X[:2]
# where tables of derivatives have another formula than the one that computes best
TEXTBOOK: dict[Any, tuple[Any, ...]] = {
    sp.tan: (1 / sp.cos(_x) ** 2,),
    sp.tanh: (1 - sp.tanh(_x) ** 2,),
    sp.asin: (1 / sp.sqrt(1 - _x**2),),
    sp.acos: (-1 / sp.sqrt(1 - _x**2),),
    sp.acosh: (1 / sp.sqrt(_x**2 - 1),),
    sp.atanh: (1 / (1 - _x**2),),
    sigmoid: (sigmoid(_x) * (1 - sigmoid(_x)),),
    hypot: (_x / hypot(_x, _y), _y / hypot(_x, _y)),
}


class Slopes:
    """Differentiates formulas by a variable.

    Args:
        x: the variable.
        moving: letters that stand for parts with x in them; their derivative is written with a dash.
    """

    def __init__(self, x: str, moving: Sequence[str] = ()) -> None:
        self.x, self.moving = x, {*moving}
        self._known: dict[Term, Term] = {}

    def beside(self, letter: str) -> Slopes:
        """Return the same with one more letter that moves."""
        self.moving.add(letter)
        return self

    def know(self, t: Term, slope: Term) -> None:
        """Write this for dt/dx from now on; it is equal."""
        self._known[t] = slope

    def depends(self, t: Term) -> bool:
        """Whether x is in it."""
        return self.x in t.free or not self.moving.isdisjoint(t.free)

    def of(self, t: Term) -> Term:
        """Return the derivative dt/dx."""
        if t not in self._known:
            self._known[t] = self._of(t) if self.depends(t) else ZERO
        return self._known[t]

    def _of(self, t: Term) -> Term:
        if isinstance(t, Name):
            return ONE if t.args[0] == self.x else Prime(t)
        if isinstance(t, Sum):
            return add(*map(self.of, t.args))
        if isinstance(t, Product):
            return self._product(t)
        if isinstance(t, Quotient):
            return self._quotient(t)
        if isinstance(t, Power):
            return self._power(t)
        if isinstance(t, Cases):
            return Cases(*[self.of(part) if k % 2 == 0 else part for k, part in enumerate(t.args)])
        return self._applied(t) if isinstance(t, Apply) else ZERO  # a condition, whose value is 0 or 1

    def _product(self, t: Product) -> Term:
        out = []
        for k, f in enumerate(t.args):
            if self.depends(f):
                out.append(mul(*t.args[:k], self.of(f), *t.args[k + 1 :]))
        return add(*out)

    def _quotient(self, t: Quotient) -> Term:
        a, b = t.args
        if not self.depends(b):
            return div(self.of(a), b)
        if not self.depends(a):
            moving = [f for f in factors(b) if self.depends(f)]
            still = [f for f in factors(b) if not self.depends(f)]
            b = moving[0] if len(moving) == 1 else mul(*moving)
            base, n = (b.args[0], b.args[1]) if isinstance(b, Power) and isinstance(b.args[1], Num) else (b, ONE)
            return neg(mul(a, n, Quotient(self.of(base), mul(*still, power(base, add(n, ONE))))))
        return Quotient(add(mul(self.of(a), b), neg(mul(a, self.of(b)))), power(b, TWO))

    def _power(self, t: Power) -> Term:
        b, e = t.args
        if not self.depends(e):
            return mul(outer_power(b, e), self.of(b))
        if not self.depends(b):
            return mul(t, logarithm(b), self.of(e))
        return mul(t, add(mul(self.of(e), logarithm(b)), mul(e, Quotient(self.of(b), b))))

    def _applied(self, t: Apply) -> Term:
        function, *args = t.args
        if (inside := of_size(t)) is not None:
            return div(self.of(inside), inside)
        if function is not sp.Abs and (split := by_cases(t)) is not None:
            return self.of(split)
        slopes = partials(function, len(args))
        there: dict[Term, Term] = {Name(str(s)): a for s, a in zip(X, args, strict=False)}
        return add(*[
            mul(_placed(d, there), self.of(a)) for d, a in zip(slopes, args, strict=True) if self.depends(a)
        ])  # fmt: skip


def by_cases(t: Apply) -> Cases | None:
    """Write |a|, max(a, b) and their like as a case distinction, without the points where the cases meet."""
    function, a, *others = t.args
    b = others[0] if others else ZERO
    if function is sp.Abs:
        return Cases(a, Compare(">", a, ZERO), neg(a), Compare("<", a, ZERO))
    if function in (sp.Max, relu, clamp_min) and len(others) <= 1:
        return Cases(a, Compare(">", a, b), b, Compare("<", a, b))
    if function in (sp.Min, clamp_max) and len(others) == 1:
        return Cases(a, Compare("<", a, b), b, Compare(">", a, b))
    if function is clamp:
        low, high = others
        return Cases(
            low, Compare("<", a, low), a, Both(Compare("<", low, a), Compare("<", a, high)), high, Compare(">", a, high)
        )
    return None


def of_size(t: Term) -> Term | None:
    """Return u of ln|u|, whose derivative is u′/u on both sides of 0."""
    inner = t.args[1] if isinstance(t, Apply) and t.args[0] is sp.log else None
    return inner.args[1] if isinstance(inner, Apply) and inner.args[0] is sp.Abs else None


def outer_power(base: Term, e: Term) -> Term:
    """Return e·baseᵉ⁻¹: 1/(2·√a) of a root."""
    if e == HALF:
        return Quotient(ONE, mul(TWO, Power(base, HALF)))
    lower = add(e, num(-1))
    return mul(e, power(base, lower) if isinstance(lower, Num) else Power(base, lower))


def logarithm(t: Term) -> Term:
    """Return the logarithm ln(t)."""
    return ONE if t == Const("e") else Apply(sp.log, t)


def _placed(t: Term, there: dict[Term, Term]) -> Term:
    """Put the arguments in, and write what comes out as a hand does."""
    term = put(t, there)
    return mul(*term.args) if isinstance(term, Product) else term


@lru_cache(maxsize=512)
def partials(function: Any, many: int) -> tuple[Term, ...]:
    """Return the derivative of a declared function by each argument, in names x0, x1, …"""
    e = function(*X[:many])
    hand = Hand()
    derivatives = []
    for d in TEXTBOOK.get(function) or [in_full(differentiate(e, x)) for x in X[:many]]:
        derivatives.append(_textbook(hand.write(d.xreplace({s: sp.Symbol(str(s), real=True) for s in X[:many]}))))
    return tuple(derivatives)


def _textbook(t: Term) -> Term:
    """Write 1 + a before a + 1 below a root or a line, as tables of derivatives do: numbers first."""
    if isinstance(t, Sum):
        return Sum(*sorted(t.args, key=lambda p: not is_num(p)))
    return (
        type(t)(*[_textbook(a) if isinstance(a, Term) else a for a in t.args])
        if t.args and not isinstance(t, Name)
        else t
    )
