"""Where a formula holds: the domain of logarithms, roots and quotients, and the kinks of |x| and its like."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import array_kernel
from symgrad.expression.arithmetic import (
    HALF,
    ONE,
    OTHERWISE,
    apply,
    base_and_exponent,
    div,
    factors,
    is_num,
    mul,
    num,
    over_and_under,
)
from symgrad.expression.formula import (
    Both,
    Call,
    Cases,
    Compare,
    Formula,
    Name,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    walk,
)
from symgrad.expression.printer import handwritten
from symgrad.teach.board.reading import SympyFormatter, to_sympy
from symgrad.teach.calculus.slopes import of_size

MOST = 30  # signs of a part that a domain is stated for
_HIGH = 6  # degree of a polynomial whose sign is examined


def domain(f: Formula, x: str) -> list[Formula]:
    """Return the conditions on x under which f has a derivative."""
    conditions: dict[Formula, None] = {}
    given = list(_conditions(f, x))
    positive = {part for sign, part in given if sign == ">"}
    stated = [pair for sign, part in given for pair in _by_factors(sign, part, positive - {part})]
    above = {a for sign, part in stated if sign == ">" for a in factors(part)}  # none of which is 0
    for sign, part in stated:
        if part.size <= MOST and not _always(sign, part) and not (sign == "≠" and part in above):
            conditions.setdefault(_solved(sign, part, x))
    both = [c for c in conditions if isinstance(c, Both)]
    kept = [c for c in conditions if isinstance(c, Compare) and not _is_open(c, conditions)]
    kept = [c for c in kept if not (both and all(_implied(c, b, x) for b in both))]
    for c in reversed(kept):  # what is built of others follows from them
        if len(kept) > 1 and _follows(c, [d for d in kept if d is not c], x):
            kept = [d for d in kept if d is not c]
    low, size = Compare(Name(x), ">", num(0)), apply("abs", Name(x))
    high = next((c for c in kept if c.op == "<" and c.left in (Name(x), size)), None)
    if low in kept and high is not None:
        between = Both(Compare(num(0), "<", Name(x)), Compare(Name(x), "<", high.right))
        return [between, *[c for c in kept if c not in (low, high)], *both]
    return [*both, *kept]


def _is_open(c: Compare, conditions: Collection[Formula]) -> bool:
    """Whether a ≠ 0 is said beside a > 0, or a > 0 beside a > 1."""
    if c.op == ">" and c.right == num(0):
        same = [d for d in conditions if isinstance(d, Compare) and (d.left, d.op) == (c.left, c.op) and d != c]
        return any(to_sympy(d.right).is_positive for d in same)
    return c.op == "≠" and Compare(c.left, ">", c.right) in conditions


def _implied(c: Compare, b: Both, x: str) -> bool:
    """Whether a condition holds between two ends."""
    if c.free != {x}:
        return False
    zeros = _zeros(to_sympy(c.left) - to_sympy(c.right), x) if c.op == "≠" else None
    if any(holds_at(b, {x: float(sp.N(to_sympy(z)))}) for z in zeros or ()):
        return False
    grid = np.r_[np.linspace(-12, 12, 4801)]
    inside = _holds(b.args[0], grid, x) & _holds(b.args[1], grid, x)
    return bool(inside.any() and _holds(c, grid, x)[inside].all())


def _follows(c: Compare, others: Sequence[Compare], x: str) -> bool:
    """Whether a condition on x alone holds wherever the others do, on a fine grid."""
    if c.left == Name(x):  # what is known of x itself follows from nothing else
        others = [d for d in others if d.left in (Name(x), apply("abs", Name(x)))]
    if not others or any(d.free != {x} for d in (c, *others)):
        return False
    grid = np.r_[np.linspace(-12, 12, 4801), np.pi * np.arange(-6, 6.01, 0.125)]
    if c.op == "≠" and c.left == Name(x):  # only the point itself tells
        grid = np.r_[grid, float(to_sympy(c.right))]
    holds = [_holds(d, grid, x) for d in (c, *others)]
    return bool(np.all(holds[1:], axis=0).any() and holds[0][np.all(holds[1:], axis=0)].all())


def _holds(c: Any, grid: Any, x: str) -> Any:
    with np.errstate(all="ignore"):
        far = array_kernel(to_sympy(c.left) - to_sympy(c.right), (sp.Symbol(x, real=True),))(grid)
    far = np.broadcast_to(np.asarray(far, dtype=float), grid.shape)
    return {">": far > 1e-9, "<": far < -1e-9, "≠": np.abs(far) > 1e-9}[c.op]


def holds_at(c: Formula, point: Mapping[str, Any]) -> bool:
    """Whether a condition holds where the names have these values; what has other names in it is taken to hold."""
    if isinstance(c, Both):
        return all(holds_at(d, point) for d in c.args)
    if not isinstance(c, Compare) or not c.free.issubset(point):
        return True
    names = sorted(c.free)
    with np.errstate(all="ignore"):
        a, b = (
            float(
                array_kernel(to_sympy(side), tuple(sp.Symbol(n, real=True) for n in names))(*[point[n] for n in names])
            )
            for side in c.operands
        )
    return {">": a > b, "<": a < b, "≠": a != b}[c.op]


def _conditions(t: Formula, x: str) -> Iterator[tuple[str, Formula]]:
    if x not in t.free:
        return
    for k, a in enumerate(t.operands):
        yield from (c for c in _conditions(a, x) if not _held(t, k, c, x))
    if isinstance(t, Quotient) and x in t.denominator.free:
        for f in factors(t.denominator):
            base = f.base if isinstance(f, Power) and isinstance(f.exponent, Number) else f
            if x in base.free and not (isinstance(f, Power) and f.exponent == HALF):
                yield "≠", base
    if isinstance(t, Power) and x in t.base.free:
        e = t.exponent
        if not isinstance(e, Number) or e.value.denominator % 2 == 0 or e.has_point:
            yield ">", t.base
        elif e.value < 1 and e.value.denominator != 1:
            yield "≠", t.base
    if isinstance(t, Power) and x in t.exponent.free and t.base.free and x not in t.base.free:
        yield ">", t.base
    if isinstance(t, Call):
        inside = of_size(t)
        yield from [("≠", inside)] if inside is not None else _of_function(t)


def _held(t: Formula, k: int, condition: tuple[str, Formula], x: str) -> bool:
    """Whether t has cases, and a condition of the k-th holds wherever this case does, on a fine grid."""
    sign, part = condition
    if not isinstance(t, Cases) or k % 2 or part.free != {x} or any(not c.free <= {x} for _, c in t.rows):
        return False
    bound, fine = (num(1), num(0)) if sign == "<" else (num(0), num(1))
    there = Cases(*[a if j % 2 else part if j == k else fine for j, a in enumerate(t.args)])
    return bool(_holds(Compare(there, sign, bound), np.linspace(-12, 12, 4801), x).all())


def _by_factors(sign: str, part: Formula, positive: Collection[Formula]) -> Iterator[tuple[str, Formula]]:
    """Yield u ≠ 0 and v > 0 for u²·v > 0: a product is positive where those of its factors are that change sign."""
    if sign == "<" and (touches := _touches(part, positive)):
        yield from touches
        return
    odd: list[Formula] = [ONE]
    for f in (g for side in over_and_under(part) for g in factors(side)) if sign == ">" else ():
        base, e = base_and_exponent(f)
        if isinstance(f, Number):
            odd[0] = mul(odd[0], num(-1)) if f.value < 0 else odd[0]
        elif isinstance(e, Number) and e.value.numerator % 2 == 0:
            yield "≠", base
        elif isinstance(e, Number) and e.value.denominator % 2 == 0:
            continue  # a root, whose own condition is stated
        elif not _always(">", f) and base not in positive:
            odd.append(base if isinstance(e, Number) else f)
    product = mul(*odd)
    if sign != ">" or is_num(product, -1):
        yield sign, part
    elif not is_num(product):
        yield sign, product


def _touches(size: Formula, positive: Collection[Formula]) -> list[tuple[str, Formula]]:
    """Return w ≠ 0 of |u| < 1 where 1 − u² is a square w² up to a positive factor, so that |u| is never more than 1."""
    inside = size.args[0] if isinstance(size, Call) else size
    square = SympyFormatter([inside]).write(sp.factor(1 - to_sympy(inside) ** 2))
    conditions = [] if isinstance(inside, Name) else list(_by_factors(">", square, positive))
    return conditions if all(sign == "≠" for sign, _ in conditions) else []


def _of_function(t: Call) -> Iterator[tuple[str, Formula]]:
    function, a = t.name, t.args[0]
    if function in ("log", "log2", "log10", "lgamma"):
        yield ">", a
    if function == "log1p":
        yield ">", Sum(num(1), a)
    if function == "tan":
        yield "≠", apply("cos", a)
    if function in ("asin", "acos", "atanh"):
        yield "<", apply("abs", a)
    if function in ("asin", "acos"):
        yield from _at_one(a)
    if function == "acosh":
        yield ">", Sum(a, num(-1))


def _at_one(u: Formula) -> Iterator[tuple[str, Formula]]:
    """Yield w ≠ 0 where 1 − u² = w², as of asin(2x/(1 + x²)): at these points |u| is 1, and the slopes jump."""
    if isinstance(u, Name):
        return
    e = sp.factor(1 - to_sympy(u) ** 2)
    for f in sp.Mul.make_args(sp.fraction(e)[0]):
        base, n = f.as_base_exp()
        if n.is_Integer and n % 2 == 0 and base.free_symbols:
            yield "≠", SympyFormatter([u]).write(base)


def _always(sign: str, part: Formula) -> bool:
    """Whether a condition holds for all real numbers."""
    if sign == "<":
        return False
    e = to_sympy(part)
    return bool(e.is_positive or (sign == "≠" and e.is_nonzero)) or _everywhere_positive(part)


def _everywhere_positive(part: Formula) -> bool:
    """Whether it is far from 0 on a grid that has the zeros of the usual functions."""
    names = sorted(part.free)
    grid = np.r_[np.arange(-8, 8.01, 0.25), np.pi * np.arange(-3, 3.01, 0.25)]
    points = np.meshgrid(*[grid] * len(names)) if len(names) < 3 else []
    if not points:
        return False
    with np.errstate(all="ignore"):
        values = array_kernel(to_sympy(part), tuple(sp.Symbol(n, real=True) for n in names))(*points)
    far = 1e-9 if "sigmoid" in _called(part) else 1e-2  # which is positive far out, too
    return bool(np.all(values > far))


def _called(t: Formula) -> Iterator[str]:
    if isinstance(t, Call):
        yield t.name
    for a in t.operands:
        yield from _called(a)


def _interval(e: Any, s: Any) -> Formula | None:
    """Return where a polynomial or a quotient of them with two changes of sign is positive, if it is one interval."""
    if e.free_symbols != {s} or not e.is_rational_function(s):
        return None
    top, below = (sp.Poly(p, s) for p in sp.fraction(sp.cancel(sp.together(e))))
    if top.degree() + below.degree() != 2 or max(top.degree(), below.degree()) > 2:
        return None
    ends = sorted({r for p in (top, below) for r in sp.roots(p) if r.is_real})
    if len(ends) != 2 or not e.subs(s, (ends[0] + ends[1]) / 2).is_positive:
        return None
    low, high = map(SympyFormatter().write, ends)
    return Both(Compare(low, "<", Name(str(s))), Compare(Name(str(s)), "<", high))


# functions that rise, with what undoes them and the values that they have
_RISING: dict[Any, tuple[Any, Any, Any]] = {
    sp.exp: (sp.log, 0, sp.oo), sp.log: (sp.exp, -sp.oo, sp.oo), sp.sinh: (sp.asinh, -sp.oo, sp.oo),
    sp.asinh: (sp.sinh, -sp.oo, sp.oo), sp.tanh: (sp.atanh, -1, 1), sp.atan: (sp.tan, -sp.pi / 2, sp.pi / 2),
    sp.asin: (sp.sin, -sp.pi / 2, sp.pi / 2),
}  # fmt: skip
_TURNED = {">": "<", "<": ">", "≠": "≠"}


def _undone(sign: str, part: Formula, x: str) -> Formula | None:
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
        return Compare(Name(x), sign, SympyFormatter().write(bound))
    if bound == 0:
        return _solved(sign, SympyFormatter([part]).write(e), x) if sign in (">", "≠") else None
    shown = Compare(SympyFormatter([part]).write(e), sign, SympyFormatter().write(bound))
    return (_where(shown, x) if sign != "≠" else None) or shown


def _solved(sign: str, part: Formula, x: str) -> Formula:
    """Return the condition, of a linear part as one on x."""
    bound = num(1) if sign == "<" else num(0)
    if sign in (">", "≠") and isinstance(part, Call) and part.name == "abs":
        return _solved("≠", part.args[0], x)
    if sign == "<" and isinstance(part, Call) and isinstance(part.args[0], Quotient):
        above, below = part.args[0].operands
        if below == Name(x) and isinstance(above, Number):  # |c/x| < 1
            return Compare(apply("abs", below), ">", num(abs(above.value)))
    if sign == "≠" and isinstance(part, Quotient):
        return _solved(sign, part.numerator, x)
    if sign == "<" and part == apply("abs", Power(Name(x), HALF)):
        return Compare(Name(x), "<", num(1))
    if sign in (">", "≠") and (undone := _undone(sign, part, x)) is not None:
        return undone
    if sign == "<" and isinstance(part, Call) and part.args[0] != Name(x):
        inside = to_sympy(part.args[0])
        small = Compare(SympyFormatter().write(1 - inside**2), ">", num(0))
        return _interval(1 - inside**2, sp.Symbol(x, real=True)) or _where(small, x) or Compare(part, sign, bound)
    if sign == ">" and isinstance(part, Power) and isinstance(part.exponent, Number) and part.exponent.value % 2 == 0:
        return _solved("≠", part.base, x)
    if part == Name(x) or sign == "<":
        return Compare(part, sign, bound)
    e, s = to_sympy(part), sp.Symbol(x, real=True)
    between = _interval(e, s) if sign == ">" else None
    if between is not None:
        return between
    beyond = _where(Compare(part, sign, bound), x) if sign == ">" and isinstance(part, (Sum, Product)) else None
    if beyond is not None:
        return beyond
    slope = sp.diff(e, s) if isinstance(part, (Sum, Product, Quotient)) and _plain(part) else None
    if slope is None or not slope.is_Rational or slope == 0:
        return Compare(part, sign, bound)
    turned = {">": "<", "≠": "≠"}[sign] if slope < 0 else sign
    return Compare(Name(x), turned, SympyFormatter().write(sp.expand(s - e / slope)))


def solved_cases(t: Formula, x: str) -> Formula:
    """Return a case distinction of two cases with its conditions solved for x: {2 for 0 < x < 2; 2x otherwise}."""
    if not isinstance(t, Cases) or len(t.rows) != 2 or not all(isinstance(c, Compare) for _, c in t.rows):
        return t
    if all(c.operands[0] == Name(x) and is_num(c.operands[1]) for _, c in t.rows):
        return t
    solved = [(v, condition) for v, c in t.rows if (condition := _where(c, x)) is not None]
    if len(solved) != 1:
        return Cases(*[part for row in solved for part in row]) if solved else t
    ((inside, between),) = solved
    (outside,) = [v for v, c in t.rows if _where(c, x) is None]
    return Cases(inside, between, outside, _beyond(between, x))


def _beyond(between: Formula, x: str) -> Formula:
    """Return the condition of what lies outside of an interval, its ends left out: there the cases meet."""
    if not isinstance(between, Both):
        return OTHERWISE
    low, high = between.args[0].operands[0], between.args[1].operands[1]
    return Both(Compare(Name(x), "<", low), Compare(Name(x), ">", high), sign="or")


def without_ties(t: Formula, x: str) -> Formula:
    """Return {a for x > c; b otherwise} as {a for x > c; b for x < c}: where the cases meet, a remark says how."""
    if not isinstance(t, Cases):
        return t
    rows = [row for k, row in enumerate(t.rows) if not (k and _is_tie(row[1], t.rows[k - 1][1]))]
    t = Cases(*[part for row in rows for part in row])
    if len(rows) != 2 or rows[1][1] != OTHERWISE:
        return t
    one, c, other, _ = t.args
    if not isinstance(c, Compare) or x not in c.free or c.op not in _STRICT:
        return t
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


def _where(c: Any, x: str) -> Formula | None:
    """Return the x for which a condition on a polynomial holds, as one interval or by |x|; None of all else."""
    if not isinstance(c, Compare):
        return None
    sign, a, b = c.op, c.left, c.right
    s = sp.Symbol(x, real=True)
    e = to_sympy(a) - to_sympy(b) if sign in (">", "≥") else to_sympy(b) - to_sympy(a)
    if e.free_symbols != {s} or not e.is_polynomial(s) or sp.degree(e, s) > _HIGH:
        return None
    roots = sp.roots(sp.Poly(e, s), filter="R")
    if any(n % 2 == 0 for n in roots.values()) or len(roots) < sp.Poly(e, s).count_roots():
        return None
    ends, top, degree = sorted(roots), sp.Poly(e, s).LC(), sp.degree(e, s)
    written = [SympyFormatter().write(r) for r in ends]
    if len(ends) == 1 and degree % 2:
        return Compare(Name(x), ">" if top > 0 else "<", written[0])
    if len(ends) != 2:
        return None
    if ends[0] == -ends[1]:
        return Compare(apply("abs", Name(x)), ">" if top > 0 else "<", written[1])
    return Both(Compare(written[0], "<", Name(x)), Compare(Name(x), "<", written[1])) if top < 0 else None


def _plain(t: Formula) -> bool:
    return not isinstance(t, Call) and all(map(_plain, t.operands))


# ------------------------------------------------------------------ kinks
def kinks(f: Formula, x: str) -> Iterator[tuple[Formula, Any]]:
    """Yield the functions with a kink, and the points x of it where they can be solved for."""
    for c in dict.fromkeys(_conditions_in(f)):
        if x in c.free:
            yield c, _zeros(to_sympy(c.left) - to_sympy(c.right), x)
    for t in dict.fromkeys(_applied(f)):
        a, *others = t.args
        if x not in t.free:
            continue
        if t.name in STEPS:
            points = _zero(to_sympy(t.args[STEPS[t.name]]), x)
            yield from [(t, points)] if points is not None else []
        if t.name in ("abs", "relu", "copysign"):
            yield t, _zero(to_sympy(a), x)
        elif t.name in ("maximum", "minimum") and len(others) == 1:
            yield t, _zero(to_sympy(a) - to_sympy(others[0]), x)
        elif t.name.startswith("clamp"):
            yield t, [p for b in others for p in _zeros(to_sympy(a) - to_sympy(b), x) or []]


def swings(f: Formula, x: str) -> Iterator[Formula]:
    """Yield the points where a sine or cosine has an argument without bounds, as sin(1/x) at 0."""
    for t in dict.fromkeys(_applied(f)):
        parts = walk(t.args[0]) if t.name in ("sin", "cos") else ()
        for q in (p for p in parts if isinstance(p, Quotient) and x in p.denominator.free):
            yield from _zeros(to_sympy(q.denominator), x) or ()


STEPS = {"sign": 0, "heaviside": 0, "copysign": 1}  # which argument they jump with, where it is 0
CONSTANT = ("sign", "heaviside")  # those that are constant on either side
_JUMPS = {
    "floor": "an integer",
    "ceil": "an integer",
    "trunc": "an integer other than 0",
    "round": "halfway between integers",
    "remainder": "an integer",
    "fmod": "an integer other than 0",
}


def jumps(f: Formula, x: str) -> Iterator[tuple[Call, Formula, str]]:
    """Yield the functions with infinitely many jumps, and of what they jump at which values."""
    for t in dict.fromkeys(_applied(f)):
        if x in t.free and t.name in _JUMPS:
            yield t, div(*t.args) if t.args[1:] else t.args[0], _JUMPS[t.name]
        elif x in t.free and t.name in STEPS and _zero(to_sympy(a := t.args[STEPS[t.name]]), x) is None:
            yield t, a, "0"


def _conditions_in(t: Formula) -> Iterator[Compare]:
    if isinstance(t, Compare):
        yield t
    for a in t.operands:
        yield from _conditions_in(a)


def _applied(t: Formula) -> Iterator[Call]:
    inside = of_size(t)
    if inside is not None:  # where |u| has its kink, ln|u| has no value
        yield from _applied(inside)
        return
    for a in t.operands:
        yield from _applied(a)
    if isinstance(t, Call):
        yield t


def _zero(e: Any, x: str) -> list[Formula] | None:
    """Return where a formula is 0; of a linear one of several names, in terms of the others."""
    s = sp.Symbol(x, real=True)
    if len(e.free_symbols) < 2 or not e.is_polynomial(s) or sp.degree(e, s) != 1:
        return _zeros(e, x)
    slope = sp.diff(e, s)
    return [SympyFormatter().write(sp.expand(s - e / slope))] if slope.is_Rational else None


def _zeros(e: Any, x: str) -> list[Formula] | None:
    s = sp.Symbol(x, real=True)
    if not e.is_polynomial(s) or e.free_symbols != {s} or sp.degree(e, s) > 2:
        return None
    return [SympyFormatter().write(r) for r in sp.roots(e, s) if r.is_real]


def said(conditions: Sequence[Formula]) -> str:
    """Return conditions as they stand beside a line."""
    return ", ".join(handwritten(c) for c in conditions[:3])
