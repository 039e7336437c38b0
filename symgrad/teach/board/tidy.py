"""What is put in order without a word: like terms added, equal factors made a power, signs moved to the front."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from symgrad.teach.board.reading import cases, split
from symgrad.teach.board.terms import (
    HALF,
    ONE,
    ZERO,
    Cases,
    Num,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    add,
    coefficient,
    factors,
    is_negative,
    mul,
    power,
    rebuilt,
)


def tidy(t: Term) -> Term:
    """Return the formula in order; its value is the same."""
    t = _distributed(rebuilt(t, tidy))
    if isinstance(t, Sum):
        return _collected(t)
    if isinstance(t, (Product, Quotient)):
        return _gathered(t)
    return t


def _distributed(t: Term) -> Term:
    """Move what a case distinction is added to or multiplied by into its cases."""
    inside = [a for a in t.args if isinstance(a, Cases)]
    if len(inside) != 1 or not isinstance(t, (Sum, Product)):
        return t
    rows = [
        part if k % 2 else tidy(rebuilt(type(t)(*[part if a is inside[0] else a for a in t.args]), lambda a: a))
        for k, part in enumerate(inside[0].args)
    ]
    return cases(*rows)


def _collected(t: Sum) -> Term:
    """Add like terms, each where the first of them stood."""
    terms: dict[Any, tuple[Num, Term]] = {}
    for p in t.args:
        n, rest = coefficient(p)
        key = frozenset(Counter(factors(rest)).items())
        m, rest = terms.get(key, (ZERO, rest))
        terms[key] = Num(n.value + m.value, bool(n.args[1] or m.args[1])), rest
    total = add(*[mul(n, rest) for n, rest in terms.values()])
    if not isinstance(total, Sum) or not is_negative(total.args[0]):
        return total
    return Sum(*sorted(total.args, key=is_negative))  # 1 − x², not −x² + 1


def _gathered(t: Term) -> Term:
    """Make equal factors above and below the line one power."""
    above, below = t.args if isinstance(t, Quotient) else (t, ONE)
    exponents: dict[Term, list[Term]] = {}
    for sign, side in ((1, above), (-1, below)):
        for f in factors(side):
            base, e = (f, ONE) if isinstance(f, Num) else split(f)
            exponents.setdefault(base, []).append(e if sign == 1 else mul(Num(Fraction(-1), False), e))
    out: list[Term] = []
    for base, es in exponents.items():
        if len(es) == 1 or isinstance(base, Num) or not all(isinstance(e, Num) for e in es):
            out.extend(_raised(base, e) for e in es)
        else:
            out.append(_raised(base, add(*es)))
    return mul(*_one_root(out))


def _one_root(parts: list[Term]) -> list[Term]:
    """Write √2·√π as √(2π), above and below the line."""
    for over in (False, True):
        roots = [p for p in parts if (p.args[0] == ONE if isinstance(p, Quotient) else False) is over and _is_root(p)]
        if len(roots) > 1:
            inside = mul(*[(p.args[1] if over else p).args[0] for p in roots])
            root = power(inside, HALF)
            parts = [*[p for p in parts if p not in roots], Quotient(ONE, root) if over else root]
    return parts


def _is_root(p: Term) -> bool:
    """Whether it is the root of a constant, or one divided by it."""
    p = p.args[1] if isinstance(p, Quotient) and p.args[0] == ONE else p
    return isinstance(p, Power) and p.args[1] == HALF and not p.free


def _raised(base: Term, e: Term) -> Term:
    if isinstance(e, Num) and e.value < 0:
        return Quotient(ONE, power(base, Num(-e.value, False)))
    n, _ = coefficient(e)
    if n.value < 0 and not isinstance(e, Num):
        return Quotient(ONE, power(base, mul(Num(Fraction(-1), False), e)))
    return power(base, e)
