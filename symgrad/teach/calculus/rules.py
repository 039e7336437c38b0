"""Which rule is applied to a formula, how it is quoted, and what its parts are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from symgrad.expression.arithmetic import (
    HALF,
    MINUS,
    ONE,
    TWO,
    apply,
    base_and_exponent,
    factors,
    mul,
    num,
    over_and_under,
    power,
    put,
    terms,
)
from symgrad.expression.formula import (
    Call,
    Cases,
    Formula,
    Letter,
    Name,
    Number,
    Power,
    Prime,
    Product,
    Quotient,
    Sum,
)
from symgrad.expression.printer import handwritten, word
from symgrad.teach.board.tidy import tidy
from symgrad.teach.calculus.slopes import TEXTBOOK, Slopes, by_cases, logarithm, of_size, partials
from symgrad.teach.steps.lesson import (
    ChainRule,
    ConstantRule,
    ConstantTimesRule,
    ExponentialRule,
    FunctionRule,
    IdentityRule,
    LogarithmicRule,
    LogLawsRule,
    LogRule,
    PartialsRule,
    PiecewiseRule,
    PowerRule,
    ProductRule,
    QuotientRule,
    Rule,
    SumRule,
    TrigRule,
)

U, V = Name("u"), Name("v")


class Applied(NamedTuple):
    """Which rule a formula is differentiated by, the parts that the rule names, and those that it goes on with."""

    rule: type[Rule]
    named: dict[str, Any]
    parts: Sequence[Formula] = ()


def rule_of(t: Formula, slopes: Slopes) -> Applied:
    """Return the rule of a formula, the outermost first."""
    if not slopes.depends(t):
        return Applied(ConstantRule, {})
    if t in slopes.apart:
        return Applied(LogLawsRule, {"apart": slopes.apart[t]}, (slopes.apart[t],))
    if isinstance(t, Sum):
        return Applied(SumRule, {"terms": t.args}, t.args)
    if isinstance(t, Quotient) and all(map(slopes.depends, t.operands)):
        return Applied(QuotientRule, {"u": t.numerator, "v": t.denominator}, t.operands)
    c, core = constant_factor(t, slopes)
    if c != ONE:
        return Applied(ConstantTimesRule, {"constant": c, "other": core}, (core,))
    if isinstance(t, Product):
        u, v, *others = t.args
        return Applied(ProductRule, {"u": u, "v": v, "others": tuple(others)}, t.args)
    if isinstance(t, Power) and all(map(slopes.depends, t.operands)):
        log = logarithm(t.base)
        return Applied(LogarithmicRule, {"logarithm": mul(t.exponent, log)}, (t.exponent, log))
    split = t if isinstance(t, Cases) else by_cases_only(t) if isinstance(t, Call) else None
    if split is not None:
        return Applied(PiecewiseRule, {"cases": split}, split.args[::2] if split is t else t.operands)
    outers, inner = chain(t, slopes)
    return Applied(ChainRule, {"outer": tuple(outers), "inner": inner}, (inner,)) if outers else _of_one(t, slopes)


TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "cot", "asin", "acos", "atan"})


def _of_one(t: Formula, slopes: Slopes) -> Applied:
    """Return the rule of a power or a function of one letter."""
    base, e = base_and_exponent(over_and_under(t)[1] if isinstance(t, Quotient) else t)
    if isinstance(t, Quotient):
        return Applied(PowerRule, {"base": base, "exponent": mul(MINUS, e)})
    if isinstance(t, Power):
        rule = ExponentialRule if slopes.depends(e) else PowerRule
        return Applied(rule, {"base": base, "exponent": e})
    moving = [a for a in t.operands if slopes.depends(a)]
    if not isinstance(t, Call):
        return Applied(IdentityRule, {})
    if len(moving) > 1:
        return Applied(PartialsRule, {"arguments": t.args}, moving)
    if t.name == "exp":
        return Applied(ExponentialRule, {"base": Letter("e"), "exponent": moving[0]})
    if t.name == "log":
        return Applied(LogRule, {"argument": moving[0]})
    rule_ = TrigRule if t.name in TRIGONOMETRIC else FunctionRule
    return Applied(rule_, {"function": t.name, "argument": moving[0]})


def constant_factor(t: Formula, slopes: Slopes) -> tuple[Formula, Formula]:
    """Split off the factors without x."""
    above, below = over_and_under(t)
    moving, still = _parted(above, slopes)
    moving_below, still_below = _parted(below, slopes)
    constant = _product(still) if not still_below else Quotient(_product(still), _product(still_below))
    return constant, Quotient(_product(moving), _product(moving_below)) if moving_below else _product(moving)


def _parted(t: Formula, slopes: Slopes) -> tuple[list[Formula], list[Formula]]:
    """Return the factors with x in them, and those without."""
    kept = [f for f in factors(t) if f != ONE]
    return [f for f in kept if slopes.depends(f)], [f for f in kept if not slopes.depends(f)]


def _product(parts: Sequence[Formula]) -> Formula:
    return ONE if not parts else parts[0] if len(parts) == 1 else Product(*parts)


def is_easy(t: Formula, slopes: Slopes) -> bool:
    """Whether a derivative is written down without a word: c·xⁿ, c·sin(x), c·sin(2x), and sums of such."""
    if not slopes.depends(t):
        return True
    if isinstance(t, Sum):
        return all(is_easy(p, slopes) for p in t.args)
    _, core = constant_factor(t, slopes)
    if isinstance(core, Name):
        return True
    if isinstance(core, Quotient):
        base, exponent = base_and_exponent(core.denominator)
        return core.numerator == ONE and isinstance(base, Name) and isinstance(exponent, Number)
    if isinstance(core, Power):
        return (isinstance(core.base, Name) and not slopes.depends(core.exponent)) or (
            not slopes.depends(core.base) and is_linear(core.exponent, slopes)
        )
    if isinstance(core, Sum):
        return is_easy(core, slopes)
    inside = of_size(core)
    if inside is not None:
        return is_linear(inside, slopes)
    moving = [a for a in core.args if slopes.depends(a)] if isinstance(core, Call) else []
    return len(moving) == 1 and is_linear(moving[0], slopes) and by_cases_only(core) is None  # type: ignore[arg-type]


def is_linear(t: Formula, slopes: Slopes) -> bool:
    """Whether it is a·x + b, or a letter."""
    moving = [p for p in terms(t) if slopes.depends(p)]
    return len(moving) == 1 and isinstance(constant_factor(moving[0], slopes)[1], Name)


def as_powers(t: Formula, slopes: Slopes) -> Formula:
    """Return the formula with (c/x)ⁿ written as cⁿ/xⁿ, to which the power rule applies."""
    if not slopes.depends(t):
        return t
    if isinstance(t, (Sum, Product)):
        parts = [as_powers(a, slopes) for a in t.args]
        if all(a is b for a, b in zip(parts, t.args, strict=True)):
            return t
        return Sum(*parts) if isinstance(t, Sum) else mul(*parts)
    if not isinstance(t, Power) or not isinstance(t.base, Quotient) or not isinstance(t.exponent, Number):
        return t
    (above, below), n = t.base.operands, t.exponent
    simple = isinstance(below, Name) and slopes.depends(below) and isinstance(above, (Name, Number))
    if not simple or slopes.depends(above) or n.value.denominator != 1 or n.value < 0:
        return t
    return Quotient(power(above, n), power(below, n))


def many_powers(t: Formula, slopes: Slopes) -> list[tuple[Formula, Formula]] | None:
    """Return the bases and exponents of a product of three and more powers of sums, which logarithms take apart.

    None where the product rule is shorter: without roots, or with functions among the factors.
    """
    above, below = over_and_under(t)
    powers = [
        (*base_and_exponent(f), sign)
        for part, sign in ((above, 1), (below, -1))
        for f in factors(part)
        if slopes.depends(f)
    ]
    if len(powers) < 3 or not all(isinstance(b, (Name, Sum)) and isinstance(e, Number) for b, e, _ in powers):
        return None
    if sum(e != ONE for _, e, _ in powers) < 2 or not any(e.value.denominator != 1 for _, e, _ in powers):  # type: ignore[attr-defined]
        return None
    if not all(is_easy(b, slopes) for b, _, _ in powers):
        return None
    return [(b, Number(sign * e.value)) for b, e, sign in powers]  # type: ignore[attr-defined]


# ------------------------------------------------------------------ quotes
def product_quote(letters: Sequence[Name]) -> tuple[Formula, Formula]:
    """Return (u·v)′ = u′·v + u·v′, of as many factors."""
    summands = [Product(*letters[:k], Prime(a), *letters[k + 1 :]) for k, a in enumerate(letters)]
    return Prime(Product(*letters)), Sum(*summands)


def quotient_quote(u: Name, v: Name) -> tuple[Formula, Formula]:
    """Return (u/v)′ = (u′·v − u·v′)/v²."""
    top = Sum(Product(Prime(u), v), Product(MINUS, u, Prime(v)))
    return Prime(Quotient(u, v)), Quotient(top, Power(v, TWO))


def power_quote(x: str) -> tuple[Formula, Formula]:
    """Return (xⁿ)′ = n·xⁿ⁻¹."""
    n = Name("n" if x != "n" else "k")
    return Prime(Power(Name(x), n)), Product(n, Power(Name(x), Sum(n, num(-1))))


def function_quotes(t: Formula, x: str) -> list[tuple[Formula, ...]]:
    """Return sin(x)′ = cos(x) for the functions in a sum of easy terms."""
    quotes: dict[Any, tuple[Formula, ...]] = {}
    for p in terms(t):
        for f in factors(over_and_under(p)[0]):
            if of_size(f) is not None and x in f.free:
                size = apply("log", apply("abs", Name(x)))
                quotes.setdefault(size, (Prime(size), Quotient(ONE, Name(x))))
            elif isinstance(f, Call) and len(f.args) == 1 and x in f.free:
                quotes.setdefault(f.name, function_quote(f.name, Name(x)))
            elif isinstance(f, Call) and sum(x in a.free for a in f.args) == 1:
                quotes.setdefault(f.name, _quote_of_several(f, x))
            elif isinstance(f, Power) and f.exponent == HALF and x in f.free:
                quotes.setdefault(HALF, (Prime(Power(Name(x), HALF)), Quotient(ONE, mul(TWO, Power(Name(x), HALF)))))
            elif isinstance(f, Power) and x in f.exponent.free and not isinstance(f.base, Letter):
                a = Name("a")
                quotes.setdefault(Power, (Prime(Power(a, Name(x))), Product(Power(a, Name(x)), apply("log", a))))
    return list(quotes.values())


def function_quote(function: str, z: Name) -> tuple[Formula, ...]:
    """Return f(z)′ with what it is; of tanh, in both ways in which books write it."""
    from_table = partials(function, 1)[0]
    also = (Quotient(ONE, Power(apply("cosh", z), TWO)),) if function == "tanh" else ()
    return Prime(apply(function, z)), put(from_table, {Name("x0"): z}), *also


def _quote_of_several(f: Call, x: str) -> tuple[Formula, Formula]:
    """Return atan2(x, c)′, or J2(x)′, with what it is, where x is in one of the arguments."""
    k = next(k for k, a in enumerate(f.args) if x in a.free)
    c = Name("c" if x != "c" else "k")
    arguments = [Name(x) if j == k else c if f.name in TEXTBOOK else a for j, a in enumerate(f.args)]
    slope = put(partials(f.name, len(arguments))[k], {Name(f"x{j}"): a for j, a in enumerate(arguments)})
    return Prime(apply(f.name, *arguments)), tidy(slope)


def has_power(t: Formula, x: str) -> bool:
    """Whether a sum of easy terms has a power of x other than x itself."""
    for p in terms(t):
        for f in (g for part in over_and_under(p) for g in factors(part)):
            if isinstance(f, Power) and f.base == Name(x) and f.exponent != HALF and x not in f.exponent.free:
                return True
    return any(isinstance(p, Quotient) and x in p.denominator.free for p in terms(t))


# ------------------------------------------------------------------ chains
def chain(t: Formula, slopes: Slopes) -> tuple[list[Formula], Formula]:
    """Split f(g(h(x))) into the functions from outside in, each of a blank ``•``, and the innermost part."""
    outers: list[Formula] = []
    while (pair := _outer(t, slopes)) is not None:
        if outers and is_easy(t, slopes) and _is_flat(t, slopes):
            break
        outer, t = pair
        outers.append(outer)
    return outers, t


def _is_flat(t: Formula, slopes: Slopes) -> bool:
    return isinstance(t, (Sum, Product, Name)) or (isinstance(t, Power) and isinstance(t.base, Name))


BLANK = Name("·")  # what is inside a function


def _outer(t: Formula, slopes: Slopes) -> tuple[Formula, Formula] | None:
    if t in slopes.apart:
        return None
    inside = of_size(t)
    if inside is not None:
        return apply("log", apply("abs", BLANK)), inside
    if isinstance(t, Call):
        moving = [a for a in t.args if slopes.depends(a)]
        if len(moving) == 1 and not isinstance(moving[0], Name) and by_cases_only(t) is None:
            return apply(t.name, *[BLANK if a is moving[0] else a for a in t.args]), moving[0]
    if isinstance(t, Power):
        base, e = t.operands
        if slopes.depends(base) and not slopes.depends(e) and not isinstance(base, Name):
            return Power(BLANK, e), base
        if slopes.depends(e) and not slopes.depends(base) and not isinstance(e, Name):
            return Power(base, BLANK), e
    if isinstance(t, Quotient) and t.numerator == ONE and not isinstance(t.denominator, Name):
        base, e = base_and_exponent(t.denominator)
        if isinstance(e, Number) and not isinstance(base, Name):
            return Quotient(ONE, BLANK if e == ONE else Power(BLANK, e)), base
    return None


def by_cases_only(t: Call) -> Cases | None:
    """Return the case distinction of a function that has no derivative in a table; |a| has one, the sign."""
    return None if t.name == "abs" else by_cases(t)


def outer_word(outer: Formula) -> str | Formula:
    """Return what an outer function is called: sin, or (·)³."""
    if isinstance(outer, Call) and len(outer.args) == 1 and outer.name != "abs":
        return word(outer.name)
    if isinstance(outer, Power) and outer.exponent == HALF:
        return "the root"
    if isinstance(outer, Call) and BLANK in outer.args:
        return handwritten(outer).replace("(·)", "·")
    return outer


def outer_quote(outer: Formula, u: Name) -> tuple[str, tuple[Formula, Formula]] | None:
    """Return the rule of a power, a root or a reciprocal of u, and how it is quoted."""
    if isinstance(outer, Quotient) and outer.denominator == BLANK:
        return "reciprocal rule", (Prime(Quotient(ONE, u)), Quotient(Product(MINUS, Prime(u)), Power(u, TWO)))
    if of_size(outer) is not None:
        return "chain rule", (Prime(apply("log", apply("abs", u))), Quotient(Prime(u), u))
    if not isinstance(outer, Power) or outer.base != BLANK:
        return None
    if outer.exponent == HALF:
        return "chain rule", (Prime(Power(u, HALF)), Quotient(Prime(u), Product(TWO, Power(u, HALF))))
    n = Name("n" if u != Name("n") else "k")
    return "chain rule for powers", (Prime(Power(u, n)), Product(n, Power(u, Sum(n, num(-1))), Prime(u)))
