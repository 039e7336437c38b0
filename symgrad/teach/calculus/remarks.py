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
    TWO,
    add,
    apply,
    base_and_exponent,
    coefficient,
    div,
    factors,
    is_negative,
    is_num,
    mul,
    neg,
    num,
    over_and_under,
    power,
    terms,
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
from symgrad.teach.calculus.intervals import (
    EVERYWHERE,
    Intervals,
    conditions_of,
    families,
    is_short,
    split,
    where_positive,
    written_number,
    zeros_on,
)
from symgrad.teach.calculus.slopes import of_size

MOST = 30  # signs of a part that a domain is stated for


def domain(f: Formula, x: str) -> list[Formula]:
    """Return the conditions on x under which f has a derivative."""
    there, rest = _narrowing(f, x)
    unsolved = dict.fromkeys(_of_squares(sign, part) or _solved(sign, part, x) for sign, part in rest)
    solved = conditions_of(there, x)
    kept = [c for c in unsolved if not (isinstance(c, Compare) and _is_open(c, unsolved))]
    for c in reversed(kept):  # what is built of others follows from them
        others = [*solved, *[d for d in kept if d is not c]]
        if others and _follows(c, others, x):
            kept = [d for d in kept if d is not c]
    return [*solved, *kept]


def defined_on(f: Formula, x: str) -> Intervals:
    """Return the intervals on which f has a derivative, as far as its conditions are solved."""
    return _narrowing(f, x)[0]


def _narrowing(f: Formula, x: str) -> tuple[Intervals, list[tuple[str, Formula]]]:
    """Return the intervals that the conditions leave of all numbers, and the conditions that are not solved."""
    s = sp.Symbol(x, real=True)
    there: Intervals = EVERYWHERE
    rest = []
    given = list(_conditions(f, x))
    positive = {part for sign, part in given if sign == ">"}
    stated = [pair for sign, part in given for pair in _by_factors(sign, part, positive - {part})]
    above = {a for sign, part in stated if sign == ">" for a in factors(part)}  # none of which is 0
    for sign, part in stated:
        if part.size > MOST or _always(sign, part) or (sign == "≠" and part in above):
            continue
        narrower = _narrowed(sign, to_sympy(part), s, there)
        if narrower:
            there = narrower
        else:
            rest.append((sign, part))
    return there, rest


def once(conditions: Sequence[Formula]) -> list[Formula]:
    """Return conditions without those that say the same from the other side, as y < x beside x > y."""
    said: list[Formula] = []
    for c in conditions:
        turned = Compare(c.right, _TURNED[c.op], c.left) if isinstance(c, Compare) and c.op in _TURNED else None
        said += [c] * (c not in said and turned not in said)
    return said


def conditions_on(f: Formula, x: str) -> list[tuple[str, Formula]]:
    """Return formulas with > or ≠: where f is smooth they are positive, or not 0."""
    pairs = [(">", add(ONE, neg(power(p, TWO)))) if sign == "<" else (sign, p) for sign, p in _conditions(f, x)]
    return [*dict.fromkeys(pair for pair in pairs if not _always(*pair))]


def zeros_in(t: Formula, x: str) -> list[Formula]:
    """Return the points x at which a formula is 0, or families of them, where they are known."""
    return _zero(to_sympy(t), x) or []


def _narrowed(sign: str, e: Any, s: Any, there: Intervals) -> Intervals | None:
    """Return the part of intervals where a condition holds; None where it cannot be solved, or is long to write."""
    sign = "≠" if sign == ">" and isinstance(e, sp.Abs) else sign
    e = e.args[0] if isinstance(e, sp.Abs) else e
    narrower: Intervals | None
    if sign == "≠":
        zeros = zeros_on(sp.fraction(sp.together(e))[0], s, tuple(there))
        narrower = None if zeros is None else split(there, zeros)
    else:
        narrower = where_positive(e if sign == ">" else 1 - e**2, s, there)
    return narrower if narrower and is_short(narrower) else None


def _of_squares(sign: str, part: Formula) -> Formula | None:
    """Return x ≠ 0 or y ≠ 0 for x² + y² > 0."""
    squares = [base_and_exponent(coefficient(t)[1]) for t in terms(part)]
    even = [isinstance(e, Number) and e.value.denominator == 1 and e.value % 2 == 0 for _, e in squares]
    if sign == "<" or not isinstance(part, Sum) or not all(even) or any(map(is_negative, terms(part))):
        return None
    return Both(*[Compare(b, "≠", num(0)) for b, _ in squares], sign="or")


def _is_open(c: Compare, conditions: Collection[Formula]) -> bool:
    """Whether a ≠ 0 is said beside a > 0."""
    return c.op == "≠" and Compare(c.left, ">", c.right) in conditions


def _follows(c: Formula, others: Sequence[Formula], x: str) -> bool:
    """Whether a condition on x alone holds wherever the others do, on a fine grid."""
    if not others or any(d.free != {x} for d in (c, *others)):
        return False
    grid = np.r_[np.linspace(-12, 12, 4801), np.pi * np.arange(-6, 6.01, 0.125)]
    holds = [_holds(d, grid, x) for d in (c, *others)]
    there = np.all(holds[1:], axis=0)
    return bool(there.any() and holds[0][there].all())


def _holds(c: Any, grid: Any, x: str) -> Any:
    if isinstance(c, Both):
        return (np.any if c.sign == "or" else np.all)([_holds(d, grid, x) for d in c.args], axis=0)
    with np.errstate(all="ignore"):
        far = array_kernel(to_sympy(c.left) - to_sympy(c.right), (sp.Symbol(x, real=True),))(grid)
    far = np.broadcast_to(np.asarray(far, dtype=float), grid.shape)
    return {">": far > 1e-9, "<": far < -1e-9, "≠": np.abs(far) > 1e-9}[c.op]


def holds_at(c: Formula, point: Mapping[str, Any]) -> bool:
    """Whether a condition holds where the names have these values; what has other names in it is taken to hold."""
    if isinstance(c, Both):
        return (any if c.sign == "or" else all)(holds_at(d, point) for d in c.args)
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
        for condition in _conditions(a, x):
            yield _in_case(t, k, condition) if isinstance(t, Cases) and k % 2 == 0 else condition
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


def _in_case(t: Cases, k: int, condition: tuple[str, Formula]) -> tuple[str, Formula]:
    """Return the condition of a case as one that is fulfilled where another case holds."""
    sign, part = condition
    size = power(part.args[0] if isinstance(part, Call) and part.name == "abs" else part, TWO)
    positive = {"<": Sum(ONE, neg(size)), "≠": size, ">": part}[sign]
    return ">", Cases(*[a if j % 2 else positive if j == k else ONE for j, a in enumerate(t.args)])


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
    square = SympyFormatter([inside]).write(sp.factor(sp.trigsimp(1 - to_sympy(inside) ** 2)))
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
    return Compare(SympyFormatter([part]).write(e), sign, SympyFormatter().write(bound))


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
    if sign == ">" and isinstance(part, Power) and isinstance(part.exponent, Number) and part.exponent.value % 2 == 0:
        return _solved("≠", part.base, x)
    if part == Name(x) or sign == "<":
        return Compare(part, sign, bound)
    e, s = to_sympy(part), sp.Symbol(x, real=True)
    slope = sp.diff(e, s) if isinstance(part, (Sum, Product, Quotient)) and _plain(part) else None
    if slope is None or not slope.is_Rational or slope == 0:
        return Compare(part, sign, bound)
    turned = {">": "<", "≠": "≠"}[sign] if slope < 0 else sign
    return Compare(Name(x), turned, SympyFormatter().write(sp.expand(s - e / slope)))


def _plain(t: Formula) -> bool:
    return not isinstance(t, Call) and all(map(_plain, t.operands))


# ------------------------------------------------------------------ kinks
def kinks(f: Formula, x: str) -> Iterator[tuple[Formula, Any]]:
    """Yield the functions with a kink, and the points x of it where they can be solved for."""
    for c in dict.fromkeys(_conditions_in(f)):
        if x in c.free:
            yield c, _zero(to_sympy(c.left) - to_sympy(c.right), x)
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
            yield t, [p for b in others for p in _zero(to_sympy(a) - to_sympy(b), x) or []]


def left_out(f: Formula, x: str) -> list[Formula]:
    """Return the points that a condition x ≠ p of the domain leaves out, as of √(x²); f may have a value there."""
    apart = [c for c in domain(f, x) if isinstance(c, Compare) and c.op == "≠" and x in c.free]
    points = [p for c in apart for p in _zero(to_sympy(c.left) - to_sympy(c.right), x) or ()]
    return [p for p in points if any(isinstance(q, Cases) for q in walk(f)) or not _has_pole(to_sympy(f), x, p)]


def _has_pole(e: Any, x: str, p: Formula) -> bool:
    """Whether a formula is divided by 0 at a point, or a part of it has no value there."""
    draw = {sp.Symbol(n, real=True): sp.Integer(3) for n in p.free}
    at = {sp.Symbol(x, real=True): to_sympy(p).xreplace(draw), **draw}
    below = [q.base for q in sp.preorder_traversal(e) if q.is_Pow and q.exp.could_extract_minus_sign()]
    below += [sp.cos(q.args[0]) for q in e.atoms(sp.tan)] + [q.args[0] for q in e.atoms(sp.log)]
    return any(abs(sp.N(b.subs(at))) < 1e-9 for b in below if sp.N(b.subs(at)).is_number)


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
    for a in () if isinstance(t, Compare) else t.operands:
        yield from _applied(a)
    if isinstance(t, Call):
        yield t


def _zero(e: Any, x: str) -> list[Formula] | None:
    """Return where a formula is 0; of a linear one of several names, in terms of the others."""
    s = sp.Symbol(x, real=True)
    if len(e.free_symbols) < 2 or not e.is_polynomial(s) or sp.degree(e, s) != 1:
        return _zeros(e, x)
    slope = sp.diff(e, s)
    root = sp.expand(sp.cancel(s - e / slope))
    return None if sp.fraction(sp.together(root))[1].free_symbols else [SympyFormatter().write(root)]


def _zeros(e: Any, x: str) -> list[Formula] | None:
    """Return where a formula of x alone is 0: points, or families of them in an integer k."""
    s = sp.Symbol(x, real=True)
    top = sp.fraction(sp.together(e))[0]
    known = zeros_on(top, s)
    if known is not None:
        return list(map(written_number, known))
    return families(top, s, "k" if x != "k" else "n")


def said(conditions: Sequence[Formula]) -> str:
    """Return conditions as they stand beside a line."""
    return ", ".join(handwritten(c) for c in conditions)
