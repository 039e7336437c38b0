"""Formulas as they are written by hand: what was written first stands first, and nothing is worked out unasked.

SymPy sorts a sum when it is made; a blackboard does not. ``add``, ``mul`` and ``power`` do what a hand does at once:
numbers are multiplied, zeros left out, 1·x is x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any


class Term:
    """A formula.

    Attributes:
        args: what it is made of.
        size: how many signs a tree of it has.
        free: the names in it.
    """

    __slots__ = ("_hash", "args", "free", "size")

    def __init__(self, *args: Any) -> None:
        parts = [a for a in args if isinstance(a, Term)]
        self.args = args
        self.size: int = 1 + sum(p.size for p in parts)
        self.free: frozenset[str] = frozenset().union(*[p.free for p in parts])
        self._hash = hash((type(self).__name__, args))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(self) is type(other) and self._hash == other._hash and self.args == other.args

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.args))})"


class Num(Term):
    """A number; one that was written as a decimal stays one."""

    __slots__ = ()

    @property
    def value(self) -> Fraction:
        """The number that is printed."""
        fraction: Fraction = self.args[0]
        return fraction

    @property
    def decimal(self) -> bool:
        """Whether it is written with a point."""
        return bool(self.args[1]) and self.value.denominator != 1


class Const(Term):
    """π or e."""

    __slots__ = ()


class Name(Term):
    """A variable, or a letter for a part of a formula."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.free = frozenset([name])


class Sum(Term):
    """a + b + …; a product with a negative number is subtracted."""

    __slots__ = ()


class Product(Term):
    """a·b·…"""

    __slots__ = ()


class Quotient(Term):
    """a/b."""

    __slots__ = ()


class Power(Term):
    """aᵇ; to the half, a root."""

    __slots__ = ()


class Apply(Term):
    """f(a, b, …), where f is the SymPy class of a declared function."""

    __slots__ = ()


class Compare(Term):
    """A condition: a sign, and the two that it stands between."""

    __slots__ = ()


class Both(Term):
    """Conditions that hold together."""

    __slots__ = ()


class Cases(Term):
    """A value and a condition in turn; the last condition may be ``OTHERWISE``."""

    __slots__ = ()

    @property
    def rows(self) -> list[tuple[Term, Term]]:
        """Values with their conditions."""
        return list(zip(self.args[::2], self.args[1::2], strict=True))


class Prime(Term):
    """(a)′: what is still to be differentiated."""

    __slots__ = ()


class Label(Term):
    """What is computed: f(x), f′(x), ∂f/∂x. A name, dashes or the variables differentiated by, and the arguments."""

    __slots__ = ()

    def __init__(self, name: str, by: int | tuple[str, ...] = 0, of: tuple[Any, ...] = ()) -> None:
        super().__init__(name, by, of)


class Otherwise(Term):
    """The condition of all that is left."""

    __slots__ = ()


OTHERWISE = Otherwise()
ZERO, ONE, TWO = (Num(Fraction(n), False) for n in range(3))
HALF = Num(Fraction(1, 2), False)
MINUS = Num(Fraction(-1), False)


def num(value: Any, decimal: bool = False) -> Num:
    """Return a number."""
    return Num(Fraction(value), decimal)


# ------------------------------------------------------------------ what a hand does at once
def is_num(t: Term, value: int | None = None) -> bool:
    """Whether it is a number, or this one."""
    return isinstance(t, Num) and (value is None or t.value == value)


def add(*terms: Term) -> Term:
    """Return the sum: sums in it opened, numbers added, zeros left out."""
    flat = [p for t in terms for p in (t.args if isinstance(t, Sum) else (t,))]
    numbers = [t for t in flat if isinstance(t, Num)]
    if len(numbers) > 1:
        total = Num(sum((t.value for t in numbers), Fraction(0)), any(t.args[1] for t in numbers))
        at = next(k for k, t in enumerate(flat) if isinstance(t, Num))
        flat = [t for t in (*flat[:at], total, *flat[at + 1 :]) if not isinstance(t, Num) or t is total]
    flat = [t for t in flat if not is_num(t, 0)]
    return Sum(*flat) if len(flat) > 1 else flat[0] if flat else ZERO


def neg(t: Term) -> Term:
    """Return −t."""
    return mul(MINUS, t)


def coefficient(t: Term) -> tuple[Num, Term]:
    """Split a term into its number and the rest."""
    if isinstance(t, Num):
        return t, ONE
    if isinstance(t, Product) and isinstance(t.args[0], Num):
        rest = t.args[1:]
        return t.args[0], rest[0] if len(rest) == 1 else Product(*rest)
    if isinstance(t, Quotient):
        n, above = coefficient(t.args[0])
        if n != ONE:
            return n, Quotient(above, t.args[1])
    return ONE, t


def is_negative(t: Term) -> bool:
    """Whether it is written with a minus in front."""
    return coefficient(t)[0].value < 0


def factors(t: Term) -> tuple[Term, ...]:
    """Return the factors of a product, else the term alone."""
    return t.args if isinstance(t, Product) else (t,)


def terms(t: Term) -> tuple[Term, ...]:
    """Return what is added."""
    return t.args if isinstance(t, Sum) else (t,)


def mul(*given: Term) -> Term:
    """Return the product: the number in front, names before the rest, what is divided by below one line."""
    above: list[Term] = []
    below: list[Term] = []
    for t in given:
        top, bottom = (t.args[0], [t.args[1]]) if isinstance(t, Quotient) else (t, [])
        above.extend(factors(top))
        below.extend(f for b in bottom for f in factors(b))
    n, above = _numbers(above)
    m, below = _numbers(below)
    if n.value == 0:
        return ZERO
    decimal = bool(n.args[1] or m.args[1])
    value = n.value / m.value
    whole = Num(value, decimal)
    if decimal or not (above or below) or (value.denominator == 1 and not below):
        return _over(_times(whole, above), below)
    top = _times(Num(Fraction(value.numerator), False), above)
    return _over(top, [*([] if value.denominator == 1 else [num(value.denominator)]), *below])


def _over(top: Term, below: list[Term]) -> Term:
    if not below:
        return top
    return Quotient(top, _times(ONE, below) if not isinstance(below[0], Num) else _times(below[0], below[1:]))


def _numbers(parts: Iterable[Term]) -> tuple[Num, list[Term]]:
    value, decimal, rest = Fraction(1), False, []
    for p in parts:
        if isinstance(p, Num):
            value, decimal = value * p.value, decimal or bool(p.args[1])
        else:
            rest.append(p)
    return Num(value, decimal), rest


def _times(n: Num, parts: list[Term]) -> Term:
    ordered = sorted(parts, key=_rank)
    if n.value == 1 and ordered:
        return ordered[0] if len(ordered) == 1 else Product(*ordered)
    return Product(n, *ordered) if ordered else n


def _rank(t: Term) -> int:
    """Return where a factor stands: constants, names and their powers, then the rest as it was written."""
    base = t.args[0] if isinstance(t, Power) else t
    if isinstance(base, (Const, Num)) and not t.free:
        return 0
    return 1 if isinstance(base, Name) and (base is t or isinstance(t.args[1], Num)) else 2


def div(a: Term, b: Term) -> Term:
    """Return a/b."""
    if isinstance(b, Quotient):
        return mul(a, Quotient(b.args[1], b.args[0]))
    return mul(a, Quotient(ONE, b))


def power(base: Term, exponent: Term) -> Term:
    """Return the power; of a power with integers, one power; negative ones stand below a line."""
    if not isinstance(exponent, Num):
        return Power(base, exponent)
    e = exponent.value
    if e == 0:
        return ONE
    if e == 1:
        return base
    if isinstance(base, Num) and e.denominator == 1 and abs(e) <= 16 and base.value:
        return Num(base.value ** int(e), base.decimal)
    if e < 0:
        return Quotient(ONE, power(base, Num(-e, exponent.args[1])))
    if isinstance(base, Power) and isinstance(base.args[1], Num) and e.denominator == 1:
        return power(base.args[0], Num(base.args[1].value * e, False))
    if isinstance(base, Quotient) and is_num(base.args[0], 1) and e.denominator == 1:
        return Quotient(ONE, power(base.args[1], exponent))
    if isinstance(base, Quotient) and isinstance(base.args[1], Power) and not base.args[1].free and e == 2:  # (x/√2)²
        return div(power(base.args[0], exponent), power(base.args[1], exponent))
    return Power(base, exponent)


def rebuilt(t: Term, change: Callable[[Term], Term]) -> Term:
    """Return the term with its parts changed and put together as a hand does."""
    if not any(isinstance(a, Term) for a in t.args):
        return t
    parts = [change(a) if isinstance(a, Term) else a for a in t.args]
    made: Callable[..., Term] = _AT_ONCE.get(type(t), type(t))
    return made(*parts)


_AT_ONCE: dict[type[Term], Callable[..., Term]] = {Sum: add, Product: mul, Quotient: div, Power: power}


def put(t: Term, there: dict[Term, Term]) -> Term:
    """Put terms in the place of others, and leave the rest as it is written."""
    if t in there:
        return there[t]
    if not any(isinstance(a, Term) for a in t.args):
        return t
    parts = [put(a, there) if isinstance(a, Term) else a for a in t.args]
    return t if all(p is a for p, a in zip(parts, t.args, strict=True)) else type(t)(*parts)
