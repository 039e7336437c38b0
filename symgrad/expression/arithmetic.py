"""Sums, products and powers as they are written by hand: what was written first stands first.

SymPy sorts a sum when it is made; a blackboard does not. ``add``, ``mul`` and ``power`` do what a hand does at once:
numbers are multiplied, zeros left out, 1·x is x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from symgrad.expression.formula import (
    Binary,
    Both,
    Call,
    Cases,
    Compare,
    Constant,
    Fenced,
    Formula,
    Letter,
    Name,
    Number,
    Otherwise,
    Power,
    Product,
    Quotient,
    Sum,
    Unary,
)
from symgrad.scalars import SCALARS

OTHERWISE = Otherwise()
ZERO, ONE, TWO = (Number(Fraction(n)) for n in range(3))
HALF = Number(Fraction(1, 2))
MINUS = Number(Fraction(-1))


def num(value: Any, decimal: bool = False) -> Number:
    """Return a number."""
    return Number(Fraction(value), decimal)


def apply(function: str, *args: Formula) -> Call:
    """Return f(a, b, …) of a declared function."""
    return Call(Name(function), args)


def is_num(t: Formula, value: int | None = None) -> bool:
    """Whether it is a number, or this one."""
    return isinstance(t, Number) and (value is None or t.value == value)


# ------------------------------------------------------------------ what a hand does at once
def add(*parts: Formula) -> Formula:
    """Return the sum: sums in it opened, numbers added, zeros left out."""
    flat = [p for t in parts for p in terms(t)]
    numbers = [t for t in flat if isinstance(t, Number)]
    if len(numbers) > 1:
        total = Number(sum((t.value for t in numbers), Fraction(0)), any(t.decimal for t in numbers))
        at = next(k for k, t in enumerate(flat) if isinstance(t, Number))
        flat = [t for t in (*flat[:at], total, *flat[at + 1 :]) if not isinstance(t, Number) or t is total]
    flat = [t for t in flat if not is_num(t, 0)]
    return Sum(*flat) if len(flat) > 1 else flat[0] if flat else ZERO


def neg(t: Formula) -> Formula:
    """Return minus a formula."""
    return mul(MINUS, t)


def coefficient(t: Formula) -> tuple[Number, Formula]:
    """Split a term into its number and the rest."""
    if isinstance(t, Number):
        return t, ONE
    if isinstance(t, Product) and isinstance(t.args[0], Number):
        rest = t.args[1:]
        return t.args[0], rest[0] if len(rest) == 1 else Product(*rest)
    if isinstance(t, Quotient):
        n, above = coefficient(t.numerator)
        if n != ONE:
            return n, Quotient(above, t.denominator)
    return ONE, t


def is_negative(t: Formula) -> bool:
    """Whether it is written with a minus in front."""
    return coefficient(t)[0].value < 0


def factors(t: Formula) -> tuple[Formula, ...]:
    """Return the factors of a product, else the term alone."""
    return t.args if isinstance(t, Product) else (t,)


def terms(t: Formula) -> tuple[Formula, ...]:
    """Return what is added."""
    return t.args if isinstance(t, Sum) else (t,)


def over_and_under(t: Formula) -> tuple[Formula, Formula]:
    """Return numerator and denominator; of what is not a quotient, itself and 1."""
    return (t.numerator, t.denominator) if isinstance(t, Quotient) else (t, ONE)


def base_and_exponent(t: Formula) -> tuple[Formula, Formula]:
    """Return base and exponent; of what is not a power, itself and 1."""
    return (t.base, t.exponent) if isinstance(t, Power) else (t, ONE)


def mul(*given: Formula) -> Formula:
    """Return the product: the number in front, names before the rest, what is divided by below one line."""
    above: list[Formula] = []
    below: list[Formula] = []
    for t in given:
        top, bottom = over_and_under(t)
        above.extend(factors(top))
        below.extend(factors(bottom) if isinstance(t, Quotient) else ())
    n, above = _numbers(above)
    m, below = _numbers(below)
    if n.value == 0:
        return ZERO
    decimal = n.decimal or m.decimal
    value = n.value / m.value
    if decimal or not (above or below) or (value.denominator == 1 and not below):
        return _over(_times(Number(value, decimal), above), below)
    top = _times(Number(Fraction(value.numerator)), above)
    return _over(top, [*([] if value.denominator == 1 else [num(value.denominator)]), *below])


def _over(top: Formula, below: list[Formula]) -> Formula:
    if not below:
        return top
    return Quotient(top, _times(below[0], below[1:]) if isinstance(below[0], Number) else _times(ONE, below))


def _numbers(parts: Iterable[Formula]) -> tuple[Number, list[Formula]]:
    value, decimal, rest = Fraction(1), False, []
    for p in parts:
        if isinstance(p, Number):
            value, decimal = value * p.value, decimal or p.decimal
        else:
            rest.append(p)
    return Number(value, decimal), rest


def _times(n: Number, parts: list[Formula]) -> Formula:
    ordered = sorted(parts, key=_rank)
    if n.value == 1 and ordered:
        return ordered[0] if len(ordered) == 1 else Product(*ordered)
    return Product(n, *ordered) if ordered else n


def _rank(t: Formula) -> int:
    """Return where a factor stands: constants, names and their powers, then the rest as it was written."""
    base, exponent = base_and_exponent(t)
    if isinstance(base, (Letter, Number)) and not t.free:
        return 0
    return 1 if isinstance(base, Name) and isinstance(exponent, Number) else 2


def div(a: Formula, b: Formula) -> Formula:
    """Return the quotient of two formulas."""
    return mul(a, Quotient(b.denominator, b.numerator) if isinstance(b, Quotient) else Quotient(ONE, b))


def power(base: Formula, exponent: Formula) -> Formula:
    """Return the power; of a power with integers, one power; negative ones stand below a line."""
    if not isinstance(exponent, Number):
        return Power(base, exponent)
    e = exponent.value
    if e == 0:
        return ONE
    if e == 1:
        return base
    exponent = HALF if e == HALF.value else exponent  # a root, also where it is written as x^0.5
    if isinstance(base, Number) and e.denominator == 1 and abs(e) <= 16 and base.value:
        return Number(base.value ** int(e), base.has_point)
    if e < 0:
        return Quotient(ONE, power(base, Number(-e, exponent.decimal)))
    if isinstance(base, Power) and isinstance(base.exponent, Number) and e.denominator == 1:
        return power(base.base, Number(base.exponent.value * e))
    if isinstance(base, Quotient) and is_num(base.numerator, 1) and e.denominator == 1:
        return Quotient(ONE, power(base.denominator, exponent))
    if isinstance(base, Quotient) and isinstance(base.denominator, Power) and not base.denominator.free and e == 2:
        return div(power(base.numerator, exponent), power(base.denominator, exponent))  # (x/√2)²
    return Power(base, exponent)


_AT_ONCE: dict[type[Formula], Callable[..., Formula]] = {Sum: add, Product: mul, Quotient: div, Power: power}


def rebuilt(t: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """Return the formula with its parts changed and put together as a hand does."""
    if not t.operands:
        return t
    parts = [change(a) for a in t.operands]
    make = _AT_ONCE.get(type(t))
    return t.with_operands(parts) if make is None else make(*parts)


def put(t: Formula, there: dict[Formula, Formula]) -> Formula:
    """Put formulas in place of others, and leave the rest as it is written."""
    if t in there:
        return there[t]
    parts = [put(a, there) for a in t.operands]
    return t if all(p is a for p, a in zip(parts, t.operands, strict=True)) else t.with_operands(parts)


# ------------------------------------------------------------------ from what is typed
_COMPARED = {"<=": "≤", ">=": "≥", "!=": "≠", "==": "="}
_DECLARED = {scalar.text: name for name, scalar in SCALARS.items()}


def opened(t: Formula) -> Formula:
    """Return operations of two, as text has them, as sums and products of any number of parts; the order is kept."""
    if isinstance(t, Constant) and type(t.value) in (int, float):
        return Number(Fraction(repr(t.value)), isinstance(t.value, float))
    if isinstance(t, Name) and t.id in ("pi", "π"):
        return Letter("π")
    parts = [opened(a) for a in t.operands]
    if isinstance(t, Unary):
        return _opposite(parts[0]) if t.op == "-" else parts[0]
    if isinstance(t, Compare):
        return Compare(parts[0], _COMPARED.get(t.op, t.op), parts[1])
    if isinstance(t, Call) and t.name == "where":
        return _opened_cases(*parts)
    if isinstance(t, Call) and t.name == "sqrt":
        return Power(parts[0], HALF)
    if isinstance(t, Call) and t.name in _DECLARED:
        return Call(Name(_DECLARED[t.name]), parts, plain=t.plain)
    if not isinstance(t, Binary) or t.op not in ("+", "-", "*", "/", "**"):
        return t.with_operands(parts)
    a, b = parts
    if t.op in "+-":
        return Sum(*terms(a), b if t.op == "+" else _opposite(b))
    if t.op == "*":
        return Product(*factors(a), *factors(b))
    return Quotient(a, b) if t.op == "/" else Power(a, b)


def _opened_cases(c: Formula, a: Formula, b: Formula) -> Formula:
    """Return a case distinction; of 1 and 0, its condition in brackets."""
    if isinstance(a, Fenced) and b == ZERO:
        return Fenced(Both(c, a.inside), "[", "]")
    if (a, b) == (ONE, ZERO):
        return Fenced(c, "[", "]")
    return Cases(a, c, *(b.args if isinstance(b, Cases) else (b, OTHERWISE)))


def _opposite(t: Formula) -> Formula:
    """Return −t with its factors as they stand."""
    if isinstance(t, Quotient):
        return Quotient(_opposite(t.numerator), t.denominator)
    first, *rest = factors(t)
    if first == MINUS and rest:
        return Product(*rest) if len(rest) > 1 else rest[0]
    if isinstance(first, Number):
        return Product(Number(-first.value, first.decimal), *rest) if rest else Number(-first.value, first.decimal)
    return Product(MINUS, first, *rest)
