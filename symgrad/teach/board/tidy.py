"""What is put in order without a word: like terms added, equal factors made a power, signs moved to the front."""

from __future__ import annotations

from collections import Counter
from typing import Any

from symgrad.expression.arithmetic import (
    HALF,
    ONE,
    ZERO,
    add,
    base_and_exponent,
    coefficient,
    factors,
    is_negative,
    mul,
    neg,
    over_and_under,
    power,
    rebuilt,
)
from symgrad.expression.formula import Cases, Formula, Number, Power, Product, Quotient, Sum
from symgrad.teach.board.reading import cases, is_falling


def tidy(t: Formula) -> Formula:
    """Return the formula in order; its value is the same."""
    t = _distributed(rebuilt(t, tidy))
    if isinstance(t, Sum):
        return _collected(t)
    if isinstance(t, (Product, Quotient)):
        return _without_two_signs(_gathered(t))
    return _factors_raised(t) if isinstance(t, Power) else t


def _factors_raised(t: Power) -> Formula:
    """Write (2x)² as 4x², and (x·√(x + 1))² as x²·(x + 1)."""
    base, e = t.operands
    whole = isinstance(e, Number) and e.value.denominator == 1 and e.value > 0
    return mul(*[power(f, e) for f in factors(base)]) if whole and isinstance(base, Product) else t


def _distributed(t: Formula) -> Formula:
    """Move what a case distinction is added to or multiplied by into its cases."""
    inside = [a for a in t.operands if isinstance(a, Cases)]
    if len(inside) != 1 or not isinstance(t, (Sum, Product)):
        return t
    rows = [
        part if k % 2 else tidy(rebuilt(type(t)(*[part if a is inside[0] else a for a in t.args]), lambda a: a))
        for k, part in enumerate(inside[0].args)
    ]
    return cases(*rows)


def _without_two_signs(t: Formula) -> Formula:
    """Write −(−a − b) as a + b."""
    above, below = over_and_under(t)
    n, rest = coefficient(above)
    sums = [f for f in factors(rest) if isinstance(f, Sum) and all(map(is_negative, f.args))]
    if n.value >= 0 or not sums:
        return t
    opposite = Sum(*map(neg, sums[0].args))
    parts = [opposite if f is sums[0] else f for f in factors(rest)]
    top = mul(Number(-n.value, n.decimal), *parts)
    return top if below == ONE else mul(top, Quotient(ONE, below))


def _collected(t: Sum) -> Formula:
    """Add like terms, each where the first of them stood."""
    terms: dict[Any, tuple[Number, Formula]] = {}
    for p in t.args:
        n, rest = coefficient(p)
        key = frozenset(Counter(factors(rest)).items())
        m, rest = terms.get(key, (ZERO, rest))
        terms[key] = Number(n.value + m.value, n.decimal or m.decimal), rest
    total = add(*[mul(n, rest) for n, rest in terms.values()])
    if not isinstance(total, Sum) or not is_negative(total.args[0]) or is_falling(total.args):
        return total
    return Sum(*sorted(total.args, key=is_negative))  # 1 − x², not −x² + 1


def _gathered(t: Formula) -> Formula:
    """Make equal factors above and below the line one power."""
    above, below = over_and_under(t)
    exponents: dict[Formula, list[Formula]] = {}
    for sign, side in ((1, above), (-1, below)):
        for f in factors(side):
            base, e = (f, ONE) if isinstance(f, Number) else base_and_exponent(f)
            exponents.setdefault(base, []).append(e if sign == 1 else neg(e))
    out: list[Formula] = []
    for base, es in exponents.items():
        if len(es) == 1 or isinstance(base, Number) or not all(isinstance(e, Number) for e in es):
            out.extend(_raised(base, e) for e in es)
        else:
            out.append(_raised(base, add(*es)))
    return mul(*_one_root(out))


def _one_root(parts: list[Formula]) -> list[Formula]:
    """Write √2·√π as √(2π), above and below the line."""
    for over in (False, True):
        roots = [p for p in parts if _is_one_over(p) is over and _is_root(p)]
        if len(roots) > 1:
            inside = mul(*[base_and_exponent(p.denominator if isinstance(p, Quotient) else p)[0] for p in roots])
            root = power(inside, HALF)
            parts = [*[p for p in parts if p not in roots], Quotient(ONE, root) if over else root]
    return parts


def _is_root(p: Formula) -> bool:
    """Whether it is the root of a constant, or one divided by it."""
    p = p.denominator if isinstance(p, Quotient) and p.numerator == ONE else p
    return isinstance(p, Power) and p.exponent == HALF and not p.free


def _is_one_over(p: Formula) -> bool:
    return isinstance(p, Quotient) and p.numerator == ONE


def _raised(base: Formula, e: Formula) -> Formula:
    if isinstance(e, Number) and e.value < 0:
        return Quotient(ONE, power(base, Number(-e.value, e.decimal)))
    n, _ = coefficient(e)
    if n.value < 0 and not isinstance(e, Number):
        return Quotient(ONE, power(base, neg(e)))
    return power(base, e)
