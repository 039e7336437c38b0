"""Which rule is applied to a formula, how it is quoted, and what its parts are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sympy as sp

from symgrad.teach.board.printer import word
from symgrad.teach.board.reading import split
from symgrad.teach.board.terms import (
    HALF,
    MINUS,
    ONE,
    TWO,
    Apply,
    Cases,
    Const,
    Name,
    Num,
    Power,
    Prime,
    Product,
    Quotient,
    Sum,
    Term,
    factors,
    mul,
    num,
    power,
    terms,
)
from symgrad.teach.calculus.slopes import Slopes, by_cases, of_size, partials

U, V = Name("u"), Name("v")


class Rule(NamedTuple):
    """A rule of calculus: its name, how it is quoted as (left, right), and the parts that it names."""

    name: str
    quote: tuple[Term, Term] | None
    parts: tuple[Term, ...]


def constant_factor(t: Term, slopes: Slopes) -> tuple[Term, Term]:
    """Split off the factors without x."""
    above, below = t.args if isinstance(t, Quotient) else (t, ONE)
    moving, still = _parted(above, slopes)
    moving_below, still_below = _parted(below, slopes)
    constant = _product(still) if not still_below else Quotient(_product(still), _product(still_below))
    return constant, Quotient(_product(moving), _product(moving_below)) if moving_below else _product(moving)


def _parted(t: Term, slopes: Slopes) -> tuple[list[Term], list[Term]]:
    """Return the factors with x in them, and those without."""
    kept = [f for f in factors(t) if f != ONE]
    return [f for f in kept if slopes.depends(f)], [f for f in kept if not slopes.depends(f)]


def _product(parts: Sequence[Term]) -> Term:
    return ONE if not parts else parts[0] if len(parts) == 1 else Product(*parts)


def is_easy(t: Term, slopes: Slopes) -> bool:
    """Whether a derivative is written down without a word: c·xⁿ, c·sin(x), c·sin(2x), and sums of such."""
    if not slopes.depends(t):
        return True
    if isinstance(t, Sum):
        return all(is_easy(p, slopes) for p in t.args)
    _, core = constant_factor(t, slopes)
    if isinstance(core, Name):
        return True
    if isinstance(core, Quotient):
        return core.args[0] == ONE and isinstance(_base(core.args[1]), Name) and _exponent(core.args[1])
    if isinstance(core, Power):
        return (isinstance(core.args[0], Name) and not slopes.depends(core.args[1])) or (
            not slopes.depends(core.args[0]) and is_linear(core.args[1], slopes)
        )
    if isinstance(core, Sum):
        return is_easy(core, slopes)
    inside = of_size(core)
    if inside is not None:
        return is_linear(inside, slopes)
    moving = [a for a in core.args[1:] if slopes.depends(a)] if isinstance(core, Apply) else []
    return len(moving) == 1 and is_linear(moving[0], slopes) and by_cases_only(core) is None  # type: ignore[arg-type]


def _base(t: Term) -> Term:
    return t.args[0] if isinstance(t, Power) else t


def _exponent(t: Term) -> bool:
    return not isinstance(t, Power) or isinstance(t.args[1], Num)


def is_linear(t: Term, slopes: Slopes) -> bool:
    """Whether it is a·x + b, or a letter."""
    moving = [p for p in terms(t) if slopes.depends(p)]
    return len(moving) == 1 and isinstance(constant_factor(moving[0], slopes)[1], Name)


def as_powers(t: Term, slopes: Slopes) -> Term:
    """Return the formula with (c/x)ⁿ written as cⁿ/xⁿ, to which the power rule applies."""
    if not slopes.depends(t):
        return t
    if isinstance(t, (Sum, Product)):
        parts = [as_powers(a, slopes) for a in t.args]
        if all(a is b for a, b in zip(parts, t.args, strict=True)):
            return t
        return Sum(*parts) if isinstance(t, Sum) else mul(*parts)
    if not isinstance(t, Power) or not isinstance(t.args[0], Quotient) or not isinstance(t.args[1], Num):
        return t
    (above, below), n = t.args[0].args, t.args[1]
    simple = isinstance(below, Name) and slopes.depends(below) and isinstance(above, (Name, Num))
    if not simple or slopes.depends(above) or n.value.denominator != 1 or n.value < 0:
        return t
    return Quotient(power(above, n), power(below, n))


def many_powers(t: Term, slopes: Slopes) -> list[tuple[Term, Term]] | None:
    """Return the bases and exponents of a product of three and more powers of sums, which logarithms take apart.

    None where the product rule is shorter: without roots, or with functions among the factors.
    """
    above, below = t.args if isinstance(t, Quotient) else (t, ONE)
    powers = [
        (*(split(f)), sign) for part, sign in ((above, 1), (below, -1)) for f in factors(part) if slopes.depends(f)
    ]
    if len(powers) < 3 or not all(isinstance(b, (Name, Sum)) and isinstance(e, Num) for b, e, _ in powers):
        return None
    if sum(e != ONE for _, e, _ in powers) < 2 or not any(e.value.denominator != 1 for _, e, _ in powers):  # type: ignore[attr-defined]
        return None
    if not all(is_easy(b, slopes) for b, _, _ in powers):
        return None
    return [(b, Num(sign * e.value, False)) for b, e, sign in powers]  # type: ignore[attr-defined]


# ------------------------------------------------------------------ quotes
def product_quote(letters: Sequence[Name]) -> tuple[Term, Term]:
    """Return (u·v)′ = u′·v + u·v′, of as many factors."""
    summands = [Product(*letters[:k], Prime(a), *letters[k + 1 :]) for k, a in enumerate(letters)]
    return Prime(Product(*letters)), Sum(*summands)


def quotient_quote(u: Name, v: Name) -> tuple[Term, Term]:
    """Return (u/v)′ = (u′·v − u·v′)/v²."""
    top = Sum(Product(Prime(u), v), Product(MINUS, u, Prime(v)))
    return Prime(Quotient(u, v)), Quotient(top, Power(v, TWO))


def power_quote(x: str) -> tuple[Term, Term]:
    """Return (xⁿ)′ = n·xⁿ⁻¹."""
    n = Name("n" if x != "n" else "k")
    return Prime(Power(Name(x), n)), Product(n, Power(Name(x), Sum(n, num(-1))))


def function_quotes(t: Term, x: str) -> list[tuple[Term, Term]]:
    """Return sin(x)′ = cos(x) for the functions of one argument in a sum of easy terms."""
    quotes: dict[Any, tuple[Term, Term]] = {}
    for p in terms(t):
        for f in factors(p.args[0] if isinstance(p, Quotient) else p):
            if of_size(f) is not None and x in f.free:
                size = Apply(sp.log, Apply(sp.Abs, Name(x)))
                quotes.setdefault(size, (Prime(size), Quotient(ONE, Name(x))))
            elif isinstance(f, Apply) and len(f.args) == 2 and x in f.free:
                quotes.setdefault(f.args[0], function_quote(f.args[0], Name(x)))
            elif isinstance(f, Power) and f.args[1] == HALF and x in f.free:
                quotes.setdefault(HALF, (Prime(Power(Name(x), HALF)), Quotient(ONE, mul(TWO, Power(Name(x), HALF)))))
            elif isinstance(f, Power) and x in f.args[1].free and not isinstance(f.args[0], Const):
                a = Name("a")
                quotes.setdefault("a", (Prime(Power(a, Name(x))), Product(Power(a, Name(x)), Apply(sp.log, a))))
    return list(quotes.values())


def function_quote(function: Any, z: Name) -> tuple[Term, Term]:
    """Return f(z)′ with what it is."""
    from_table = partials(function, 1)[0]
    return Prime(Apply(function, z)), _renamed(from_table, z)


def _renamed(t: Term, z: Name) -> Term:
    if t == Name("x0"):
        return z
    return type(t)(*[_renamed(a, z) if isinstance(a, Term) else a for a in t.args]) if not isinstance(t, Name) else t


def has_power(t: Term, x: str) -> bool:
    """Whether a sum of easy terms has a power of x other than x itself."""
    for p in terms(t):
        for f in (*factors(p.args[0]), *factors(p.args[1])) if isinstance(p, Quotient) else factors(p):
            if isinstance(f, Power) and f.args[0] == Name(x) and f.args[1] != HALF and x not in f.args[1].free:
                return True
    return any(isinstance(p, Quotient) and x in p.args[1].free for p in terms(t))


# ------------------------------------------------------------------ chains
def chain(t: Term, slopes: Slopes) -> tuple[list[Term], Term]:
    """Split f(g(h(x))) into the functions from outside in, each of a blank ``•``, and the innermost part."""
    outers: list[Term] = []
    while (pair := _outer(t, slopes)) is not None:
        if outers and is_easy(t, slopes) and _is_flat(t, slopes):
            break
        outer, t = pair
        outers.append(outer)
    return outers, t


def _is_flat(t: Term, slopes: Slopes) -> bool:
    return isinstance(t, (Sum, Product, Name)) or (isinstance(t, Power) and isinstance(t.args[0], Name))


BLANK = Name("·")  # what is inside a function


def _outer(t: Term, slopes: Slopes) -> tuple[Term, Term] | None:
    inside = of_size(t)
    if inside is not None:
        return Apply(sp.log, Apply(sp.Abs, BLANK)), inside
    if isinstance(t, Apply):
        moving = [a for a in t.args[1:] if slopes.depends(a)]
        if len(moving) == 1 and not isinstance(moving[0], Name) and by_cases_only(t) is None:
            return Apply(t.args[0], *[BLANK if a is moving[0] else a for a in t.args[1:]]), moving[0]
    if isinstance(t, Power):
        base, e = t.args
        if slopes.depends(base) and not slopes.depends(e) and not isinstance(base, Name):
            return Power(BLANK, e), base
        if slopes.depends(e) and not slopes.depends(base) and not isinstance(e, Name):
            return Power(base, BLANK), e
    if isinstance(t, Quotient) and t.args[0] == ONE and not isinstance(t.args[1], Name):
        base, e = (t.args[1].args[0], t.args[1].args[1]) if isinstance(t.args[1], Power) else (t.args[1], ONE)
        if isinstance(e, Num) and not isinstance(base, Name):
            return Quotient(ONE, BLANK if e == ONE else Power(BLANK, e)), base
    return None


def by_cases_only(t: Apply) -> Cases | None:
    """Return the case distinction of a function that has no derivative in a table; |a| has one, the sign."""
    return None if t.args[0] is sp.Abs else by_cases(t)


def outer_word(outer: Term) -> str | Term:
    """Return what an outer function is called: sin, or (·)³."""
    if isinstance(outer, Apply) and len(outer.args) == 2 and outer.args[0] is not sp.Abs:
        return word(outer.args[0])
    if isinstance(outer, Power) and outer.args[1] == HALF:
        return "the root"
    return outer


def outer_quote(outer: Term, u: Name) -> tuple[str, tuple[Term, Term]] | None:
    """Return the rule of a power, a root or a reciprocal of u, and how it is quoted."""
    if isinstance(outer, Quotient) and outer.args[1] == BLANK:
        return "reciprocal rule", (Prime(Quotient(ONE, u)), Quotient(Product(MINUS, Prime(u)), Power(u, TWO)))
    if of_size(outer) is not None:
        return "chain rule", (Prime(Apply(sp.log, Apply(sp.Abs, u))), Quotient(Prime(u), u))
    if not isinstance(outer, Power) or outer.args[0] != BLANK:
        return None
    if outer.args[1] == HALF:
        return "chain rule", (Prime(Power(u, HALF)), Quotient(Prime(u), Product(TWO, Power(u, HALF))))
    n = Name("n" if u != Name("n") else "k")
    return "chain rule for powers", (Prime(Power(u, n)), Product(n, Power(u, Sum(n, num(-1))), Prime(u)))
