"""The derivative as it is first written down: each rule applied, nothing simplified."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

from symgrad.expression.arithmetic import (
    HALF,
    ONE,
    OTHERWISE,
    TWO,
    ZERO,
    add,
    apply,
    div,
    factors,
    is_negative,
    is_num,
    mul,
    neg,
    num,
    power,
    put,
)
from symgrad.expression.formula import (
    Both,
    Call,
    Cases,
    Compare,
    Formula,
    Infix,
    Letter,
    Name,
    Number,
    Power,
    Prime,
    Product,
    Quotient,
    Sum,
)
from symgrad.scalars import X, differentiate, hypot, in_full, sigmoid
from symgrad.teach.board.reading import SympyFormatter, function_of

_x, _y = X[:2]
# where tables of derivatives have another formula than the one that computes best
TEXTBOOK: dict[str, tuple[Any, ...]] = {
    "tan": (1 / sp.cos(_x) ** 2,),
    "tanh": (1 - sp.tanh(_x) ** 2,),
    "asin": (1 / sp.sqrt(1 - _x**2),),
    "acos": (-1 / sp.sqrt(1 - _x**2),),
    "acosh": (1 / sp.sqrt(_x**2 - 1),),
    "atanh": (1 / (1 - _x**2),),
    "sigmoid": (sigmoid(_x) * (1 - sigmoid(_x)),),
    "atan2": (_y / (_x**2 + _y**2), -_x / (_x**2 + _y**2)),
    "hypot": (_x / hypot(_x, _y), _y / hypot(_x, _y)),
}


class Slopes:
    """Differentiates formulas by a variable.

    Args:
        x: the variable.
        moving: letters that stand for parts with x in them; their derivative is written with a dash.

    Attributes:
        apart: logarithms that are differentiated by their laws, each with the sum that it is.
    """

    def __init__(self, x: str, moving: Sequence[str] = ()) -> None:
        self.x, self.moving = x, {*moving}
        self.apart: dict[Formula, Formula] = {}
        self._known: dict[Formula, Formula] = {}

    def beside(self, letter: str) -> Slopes:
        """Return the same with one more letter that moves."""
        self.moving.add(letter)
        return self

    def know(self, t: Formula, slope: Formula) -> None:
        """Write this for dt/dx from now on; it is equal."""
        self._known[t] = slope

    def depends(self, t: Formula) -> bool:
        """Whether x is in it."""
        return self.x in t.free or not self.moving.isdisjoint(t.free)

    def of(self, t: Formula) -> Formula:
        """Return the derivative dt/dx."""
        if t not in self._known:
            self._known[t] = self._of(t) if self.depends(t) else ZERO
        return self._known[t]

    def _of(self, t: Formula) -> Formula:
        if isinstance(t, Name):
            return ONE if t.id == self.x else Prime(t)
        if isinstance(t, Quotient) and not self.depends(t.numerator):
            return self._reciprocal(t)
        if isinstance(t, (Sum, Product, Quotient, Power)):
            return derivative(t, [self.of(a) if self.depends(a) else None for a in t.operands])
        if isinstance(t, Cases):
            return without_ties(
                Cases(*[self.of(part) if k % 2 == 0 else part for k, part in enumerate(t.args)]), self.x
            )
        return self._applied(t) if isinstance(t, Call) else ZERO  # a condition, whose value is 0 or 1

    def _reciprocal(self, t: Quotient) -> Formula:
        """Return (c/uⁿ)′ = −c·n·u′/uⁿ⁺¹."""
        moving = [f for f in factors(t.denominator) if self.depends(f)]
        still = [f for f in factors(t.denominator) if not self.depends(f)]
        b = moving[0] if len(moving) == 1 else mul(*moving)
        base, n = (b.base, b.exponent) if isinstance(b, Power) and isinstance(b.exponent, Number) else (b, ONE)
        return neg(mul(t.numerator, n, Quotient(self.of(base), mul(*still, power(base, add(n, ONE))))))

    def _applied(self, t: Call) -> Formula:
        if (inside := of_size(t)) is not None:
            return div(self.of(inside), inside)
        if t.name != "abs" and (split := by_cases(t)) is not None:
            return self.of(split)
        slopes = partials(t.name, len(t.args))
        there: dict[Formula, Formula] = {Name(str(s)): a for s, a in zip(X, t.args, strict=False)}
        return add(*[
            mul(_placed(d, there), self.of(a)) for d, a in zip(slopes, t.args, strict=True) if self.depends(a)
        ])  # fmt: skip


def derivative(t: Formula, ds: Sequence[Formula | None]) -> Formula:
    """Return the derivative of a sum, product, quotient or power from those of its parts, None of constants.

    The rules of calculus are here and nowhere else: lessons apply them, and grading makes slips beside them.

    Args:
        t: the formula; its parts may be of any kind, and are not looked into.
        ds: the derivatives of its parts.
    """
    if isinstance(t, Sum):  # (u + v)′ = u′ + v′
        return add(*[d for d in ds if d is not None])
    if isinstance(t, Infix):  # (U·V)′ = U′·V + U·V′, of matrices in this order
        return add(*[Infix(*t.args[:k], d, *t.args[k + 1 :], sign=t.sign) for k, d in enumerate(ds) if d is not None])
    if isinstance(t, Product):  # (u·v)′ = u′·v + u·v′
        return add(*[mul(*t.args[:k], d, *t.args[k + 1 :]) for k, d in enumerate(ds) if d is not None])
    (u, v), (du, dv) = t.operands, ds
    if isinstance(t, Quotient):  # (u/v)′ = (u′·v − u·v′)/v²
        if dv is None:
            return div(du or ZERO, v)
        return Quotient(add(mul(du or ZERO, v), neg(mul(u, dv))), power(v, TWO))
    if dv is None:  # (uⁿ)′ = n·uⁿ⁻¹·u′
        return mul(outer_power(u, v), du or ZERO)
    if du is None:  # (aᵛ)′ = aᵛ·log(a)·v′
        return mul(t, logarithm(u), dv)
    return mul(t, add(mul(dv, logarithm(u)), mul(v, Quotient(du, u))))  # (uᵛ)′ = uᵛ·(v·log(u))′


def by_cases(t: Call) -> Cases | None:
    """Write |a|, max(a, b) and their like as a case distinction, without the points where the cases meet."""
    a, *others = t.args
    b = others[0] if others else ZERO
    if t.name == "abs":
        return Cases(a, Compare(a, ">", ZERO), neg(a), Compare(a, "<", ZERO))
    if t.name in ("maximum", "relu", "clamp_min") and len(others) <= 1:
        return Cases(a, Compare(a, ">", b), b, Compare(a, "<", b))
    if t.name in ("minimum", "clamp_max") and len(others) == 1:
        return Cases(a, Compare(a, "<", b), b, Compare(a, ">", b))
    if t.name == "clamp":
        low, high = others
        between = Both(Compare(low, "<", a), Compare(a, "<", high))
        return Cases(low, Compare(a, "<", low), a, between, high, Compare(a, ">", high))
    return None


def without_ties(t: Formula, x: str) -> Formula:
    """Return {a for x > c; b otherwise} as {a for x > c; b for x < c}: where the cases meet, a remark says how."""
    if not isinstance(t, Cases):
        return t
    rows = [row for k, row in enumerate(t.rows) if not (k and _is_tie(row[1], t.rows[k - 1][1]))]
    t = Cases(*[part for row in rows for part in row])
    if len(rows) != 2 or rows[1][1] != OTHERWISE:
        return t
    one, c, other, _ = t.args
    if not isinstance(c, Compare) or x not in c.free:
        return t
    if c.op in ("=", "≠"):  # a value at one point has no slope
        return Cases(one if c.op == "≠" else other, Compare(c.left, "≠", c.right))
    strict, opposite = _STRICT[c.op]
    return Cases(one, Compare(c.left, strict, c.right), other, Compare(c.left, opposite, c.right))


def _is_tie(c: Formula, before: Formula) -> bool:
    """Whether a condition is that both sides of the one before are equal."""
    return (
        isinstance(c, Compare)
        and isinstance(before, Compare)
        and c.op == "="
        and set(c.operands) == set(before.operands)
    )


_STRICT = {">": (">", "<"), "≥": (">", "<"), "<": ("<", ">"), "≤": ("<", ">")}


def of_size(t: Formula) -> Formula | None:
    """Return u of ln|u|, whose derivative is u′/u on both sides of 0."""
    inner = t.args[0] if isinstance(t, Call) and t.name == "log" else None
    return inner.args[0] if isinstance(inner, Call) and inner.name == "abs" else None


def outer_power(base: Formula, e: Formula) -> Formula:
    """Return e·baseᵉ⁻¹: 1/(2·√a) of a root."""
    if e == HALF:
        return Quotient(ONE, mul(TWO, Power(base, HALF)))
    lower = add(e, num(-1))
    return mul(e, power(base, lower) if isinstance(lower, Number) else Power(base, lower))


def logarithm(t: Formula) -> Formula:
    """Return the logarithm ln(t)."""
    return ONE if t == Letter("e") else apply("log", t)


def _placed(t: Formula, there: dict[Formula, Formula]) -> Formula:
    """Put the arguments in, and write what comes out as a hand does: J3(x), not of the order 2 + 1."""
    term = _orders_counted(put(t, there))
    return mul(*term.args) if isinstance(term, Product) else term


def _orders_counted(t: Formula) -> Formula:
    parts = [_orders_counted(a) for a in t.operands]
    return t.with_operands([add(*a.args) if isinstance(a, Sum) and all(map(is_num, a.args)) else a for a in parts])


@lru_cache(maxsize=512)
def partials(name: str, many: int) -> tuple[Formula, ...]:
    """Return the derivative of a declared function by each argument, in names x0, x1, …"""
    e = function_of(name)(*X[:many])
    formatter = SympyFormatter()
    derivatives = []
    for d in TEXTBOOK.get(name) or [in_full(differentiate(e, x)) for x in X[:many]]:
        derivatives.append(_textbook(formatter.write(d.xreplace({s: sp.Symbol(str(s), real=True) for s in X[:many]}))))
    return tuple(derivatives)


def _textbook(t: Formula) -> Formula:
    """Write 1 + a before a + 1 below a root or a line, as tables of derivatives do: numbers first."""
    if isinstance(t, Sum):
        return Sum(*sorted(t.args, key=lambda p: not is_num(p) or is_negative(p)))
    return t.with_operands([_textbook(a) for a in t.operands])
