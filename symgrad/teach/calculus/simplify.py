"""Simplification as it is done on a board: one thing at a time, with its reason, and only what is equal and shorter."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy.polys.polyerrors import PolynomialError

from symgrad.core.kernels import array_kernel
from symgrad.expression.arithmetic import (
    MINUS,
    ONE,
    TWO,
    apply,
    base_and_exponent,
    coefficient,
    div,
    factors,
    is_negative,
    mul,
    neg,
    over_and_under,
    power,
    put,
    terms,
)
from symgrad.expression.formula import Call, Cases, Compare, Fenced, Formula, Number, Power, Product, Quotient, Sum
from symgrad.expression.printer import handwritten
from symgrad.forms.rewrites.fractions import squares, squares_replaced
from symgrad.forms.rewrites.identities import (
    OPENINGS,
    cosine_of_the_double,
    cosine_of_the_double_by_the_cosine,
    cosine_of_the_double_by_the_sine,
    everywhere,
    sine_of_the_double,
)
from symgrad.forms.rewrites.reasons import SQUARES, reason
from symgrad.teach.board.line import Equation
from symgrad.teach.board.reading import SympyFormatter, Unwritable, to_sympy
from symgrad.teach.board.tidy import tidy
from symgrad.teach.steps.lesson import (
    Cancel,
    ClearFractions,
    CommonDenominator,
    Expand,
    FactorOut,
    Rewriting,
    Simplify,
    UseIdentity,
)

MOST = 90  # operations of a formula that is simplified
LONGEST = 40  # signs of a numerator that is shown over a common denominator
_POINTS = 24


def _step(kind: type[Any], after: Formula, *reason: Any, **parts: Any) -> Rewriting:
    """Return a step from the formula that is being simplified, which is filled in later."""
    said = tuple(p if isinstance(p, str) else Equation(p if isinstance(p, tuple) else (p,)) for p in (*reason, ":"))
    step: Rewriting = kind(before=after, after=after, reason=said, written=(after,), **parts)
    return step


def _identity(says: str, after: Formula) -> Rewriting:
    return _step(UseIdentity, after, says, identity=says)


def simplified(t: Formula, known: Sequence[Formula], goal: Any = None) -> Iterator[Rewriting]:
    """Yield the steps to a shorter formula.

    Args:
        t: the formula.
        known: formulas whose sums stand again as they were written.
        goal: a formula in SymPy's classes that is equal to it.
    """
    if t.size > MOST or _has(t, (Cases, Compare)) or _is_opened_polynomial(t):
        return
    formatter = SympyFormatter(known, any(isinstance(n, Number) and n.decimal for n in _parts(t)))
    rules = (
        _tangents,
        _cancelled_within,
        _unnested,
        _secant,
        _common_denominator,
        _cancelled_in_sight,
        _expanded_polynomial,
        _pythagoras,
        _cancelled,
    )
    for rule in (*rules, _factored, _expanded, _pythagoras, _cancelled, _by_name):
        for step in rule(t, formatter):
            if step.after != t and equal(step.after, t):
                yield replace(step, before=t)
                t = step.after
    for step in _doubled(t, goal, formatter) if goal is not None else ():
        yield replace(step, before=t)
        t = step.after
    last = None if goal is None else _last(t, goal, formatter)
    if last is not None:
        yield from rewritten(t, last, short=True)


def _is_opened_polynomial(t: Formula) -> bool:
    """Whether t is a polynomial in one name, as 12x³ − 10x: nothing is gained by 2x·(6x² − 5)."""
    if not isinstance(t, Sum) or len(t.free) != 1 or _has(t, (Call, Quotient)):
        return False
    e = to_sympy(t)
    return e.is_polynomial() and len(e.args) == len(t.args) and not any(_has(p, Sum) for p in t.args)


def alike(a: Formula, b: Formula) -> bool:
    """Whether two formulas that are equal differ in the order of their terms and factors at most."""
    signs = [sorted(c for c in handwritten(t) if c not in "+· ") for t in (a, b)]
    return signs[0] == signs[1]


def rewritten(t: Formula, result: Formula, short: bool = False) -> list[Rewriting]:
    """Return the steps from a formula, which may be in short form, to one that is equal, simplifications first."""
    steps = [] if short else list(simplified(t, [t, result]))
    there = [alike(f, result) for f in (t, *[s.after for s in steps])]
    if any(there):
        return steps[: there.index(True)]
    says = why(t, result)
    if "double angle" in says and (opened := _single_angles(t, result)) is not None:
        return [replace(opened, before=t), *rewritten(opened.after, result)]
    if says.startswith("expand, ") and (expanded := _expanded_sides(t)) is not None:
        return [replace(expanded, before=t), *rewritten(expanded.after, result)]
    if says in UNNAMED and (between := _opened(t, result)) is not None:
        return [*rewritten(t, between[1], short=True), replace(_identity(between[0], result), before=between[1])]
    if (common := _common_number(t, result)) is not None:
        first = _expanded_sides(t) if _brackets(t) > _brackets(result) else None
        steps = [] if first is None else [replace(first, before=t)]
        last = _step(Cancel, result, "cancel ", common, common=common)
        return [*steps, replace(last, before=t if first is None else first.after)]
    if (factor := _factor_of_both(t, result)) is not None:
        return [replace(_step(Simplify, result, "multiply above and below by ", factor), before=t)]
    if not steps or (says not in UNNAMED and (not _nested(t) or says == "divide term by term")):
        return [replace(_said(t, result, says), before=t)]
    last = steps[-1].after
    return [*steps, replace(_said(last, result, why(last, result)), before=last)]


def _said(t: Formula, result: Formula, says: str) -> Rewriting:
    """Return the step to a formula by arithmetic or by an identity, of the kind that its reason has."""
    if says == "common denominator":
        return _with_numerator(_step(CommonDenominator, result, says), t)
    return _step(Simplify, result, says) if says in ARITHMETIC else _identity(says, result)


def _opened(t: Formula, result: Formula) -> tuple[str, Formula] | None:
    """Return an identity that takes a function of the result apart, and the result so, where t is that for a reason."""
    end = to_sympy(result)
    for opening in OPENINGS:
        e = everywhere(end, opening)
        if e != end and _identity_between(to_sympy(t), e) is not None:
            return opening.says, SympyFormatter([t, result]).write(e)
    return None


def _expanded_sides(t: Formula) -> Rewriting | None:
    """Return the step that multiplies both sides of a fraction out, None where nothing is gained to read."""
    write = SympyFormatter([t]).write
    top, below = (write(multiplied_out(to_sympy(side))) for side in over_and_under(t))
    after = top if below == ONE else Quotient(top, below)
    if _inner_sums(after) or measure(after) > LONGEST * 2 or not equal(t, after):
        return None
    return _step(Expand, after, "expand", opened=after)


def _common_number(t: Formula, result: Formula) -> Formula | None:
    """Return the number by which the numerator and denominator of a fraction were divided, else None."""
    if not (isinstance(t, Quotient) and isinstance(result, Quotient)):
        return None
    n = sp.expand(to_sympy(t.numerator)).as_content_primitive()[0]
    shorter = [mul(Number(Fraction(int(n))), part) for part in result.operands] if n.is_Integer and n > 1 else ()
    return Number(Fraction(int(n))) if shorter and all(map(equal, t.operands, shorter)) else None


def _factor_of_both(t: Formula, result: Formula) -> Formula | None:
    """Return the power by which the numerator and denominator of a fraction were multiplied, else None."""
    if not (isinstance(t, Quotient) and isinstance(result, Quotient)) or _functions(result) - _functions(t):
        return None
    k = sp.powsimp(to_sympy(result.numerator) / to_sympy(t.numerator))
    factor = _tried(lambda: SympyFormatter([t]).write(k)) if isinstance(k, sp.exp) else None
    return factor if factor is not None and equal(mul(t.denominator, factor), result.denominator) else None


def cleared(t: Formula, known: Sequence[Formula]) -> Iterator[Rewriting]:
    """Yield the step that clears fractions within fractions, where there are any."""
    for step in _unnested(t, SympyFormatter(known)) if t.size <= MOST else ():
        if equal(step.after, t):
            yield replace(step, before=t)
            t = step.after


def measure(t: Formula) -> int:
    """Return how long a formula is to read."""
    return len(handwritten(t).replace(" ", ""))


def _parts(t: Formula) -> Iterator[Formula]:
    yield t
    for a in t.operands:
        yield from _parts(a)


def _functions(t: Formula) -> set[str]:
    return {p.name for p in _parts(t) if isinstance(p, Call)}


def _has(t: Formula, kinds: Any) -> bool:
    return any(isinstance(p, kinds) for p in _parts(t))


# ------------------------------------------------------------------ equality
def equal(a: Formula, b: Formula) -> bool:
    """Whether two formulas have the same numbers wherever both have one, and have some."""
    names = sorted(a.free | b.free)
    for scale in (1.0, 8.0):  # the latter for √(x − 5)
        both = [values(t, names, scale) for t in (a, b)]
        there = np.isfinite(both[0]) & np.isfinite(both[1])
        if there.any():
            return bool(np.allclose(both[0][there], both[1][there], rtol=1e-7, atol=1e-10))
    return False


def values(t: Formula, names: Sequence[str], scale: float = 1.0) -> Any:
    """Return a formula's values at points on both sides of 0; nan where it has none."""
    draw = np.random.default_rng(7)
    points = [np.r_[draw.uniform(0.1, 2.5, _POINTS), draw.uniform(-2.5, -0.1, _POINTS)] for _ in names]
    symbols = tuple(sp.Symbol(n, real=True) for n in names)
    with np.errstate(all="ignore"):
        numbers = array_kernel(to_sympy(t), symbols)(*[scale * p for p in points])
    return np.broadcast_to(np.asarray(numbers, dtype=np.float64), (2 * _POINTS,))


# ------------------------------------------------------------------ one thing at a time
def _split(t: Formula) -> tuple[Formula, Formula | None]:
    return (t.numerator, t.denominator) if isinstance(t, Quotient) else (t, None)


def _over(top: Formula, below: Formula | None) -> Formula:
    return top if below is None else Quotient(top, below)


def _unnested(t: Formula, formatter: SympyFormatter) -> Iterator[Rewriting]:
    """Multiply numerator and denominator of a fraction that has fractions in it."""
    cleared = _multiplied_below(t) or _cleared(t, formatter)
    if cleared is not None and isinstance(t, Quotient) and not t.denominator.free:
        yield _step(CommonDenominator, cleared, "common denominator")
        return
    if cleared is not None:
        over_one_line = _over_one_line(t, formatter)
        if over_one_line is not None:
            between, factor = over_one_line
            yield _step(ClearFractions, between, "clear the inner fractions")
            yield _step(Cancel, cleared, "cancel ", factor, common=factor)
            return
        yield _with_numerator(_step(ClearFractions, cleared, "clear the inner fractions"), over_and_under(t)[0])
        return
    if isinstance(t, (Sum, Product)):
        parts = [_cleared(p, formatter) if isinstance(p, Quotient) else _term_cleared(p, formatter) for p in t.args]
        if any(parts):
            made = [new or old for new, old in zip(parts, t.args, strict=True)]
            after = Sum(*made) if isinstance(t, Sum) else _product_of(made)
            yield _step(ClearFractions, after, "clear the inner fractions")


def _multiplied_below(t: Formula) -> Formula | None:
    """Return 2/((1 + (u/v)²)·v²) as 2/(v² + u²): fractions below the line are multiplied by the factor beside them."""
    parts = factors(t.denominator) if isinstance(t, Quotient) else ()
    sums = [f for f in parts if isinstance(f, Sum) and any(isinstance(_power_apart(p), Quotient) for p in f.args)]
    if len(sums) != 1 or len(parts) < 2:
        return None
    rest = mul(*[f for f in parts if f is not sums[0]])
    below = Sum(*[tidy(mul(_power_apart(p), rest)) for p in sums[0].args])
    return None if _lines(below) else Quotient(over_and_under(t)[0], below)


def _power_apart(t: Formula) -> Formula:
    """Return (u/v)ⁿ as uⁿ/vⁿ."""
    if isinstance(t, Power) and isinstance(t.base, Quotient):
        return Quotient(*[power(p, t.exponent) for p in t.base.operands])
    return t


def _term_cleared(t: Formula, formatter: SympyFormatter) -> Formula | None:
    """Return a sum with its terms cleared of fractions within fractions, None where there are none."""
    parts = [_cleared(p, formatter) for p in terms(t)] if isinstance(t, Sum) else []
    return Sum(*[new or old for new, old in zip(parts, terms(t), strict=True)]) if any(parts) else None


def _cleared(t: Formula, formatter: SympyFormatter) -> Formula | None:
    """Return a fraction that has fractions in it as one; powers of e stay as they are."""
    if not isinstance(t, Quotient) or _lines(t) < 2:
        return None
    e, back = _roots_as_letters(*_functions_as_letters(to_sympy(t)))
    top, below = sp.fraction(sp.cancel(sp.together(e)))
    parts = [{f.xreplace(back): n for f, n in _factors(p).items()} for p in (top, below)]
    fraction = _tried(lambda: div(*[_left(_rejoined(p), {}, formatter) for p in parts]))
    return (
        fraction if fraction is not None and measure(fraction) < measure(t) and _lines(fraction) < _lines(t) else None
    )


def _over_one_line(t: Formula, formatter: SympyFormatter) -> tuple[Formula, Formula] | None:
    """Return a fraction without fractions in it, nothing cancelled, and the sum that both of its sides have."""
    if not isinstance(t, Quotient):
        return None
    pair, back = _functions_as_letters(sp.Tuple(*map(to_sympy, t.operands)))
    (above, inner), (below, other) = (sp.fraction(sp.together(p)) for p in pair)
    common = _tried(lambda: sp.gcd(above, below))
    if common is None or not common.is_Add or not common.free_symbols:
        return None
    sides = [above * other, inner * below]
    written = _tried(lambda: Quotient(*[formatter.write(s.xreplace(back)) for s in sides]))
    return None if written is None or _lines(written) > 1 else (written, formatter.write(common.xreplace(back)))


def _functions_as_letters(e: Any) -> tuple[Any, dict[Any, Any]]:
    """Return a formula with letters for its functions, and what the letters stand for; exp(2u) is a square."""
    functions = sorted((a for a in e.atoms(sp.Function) if not isinstance(a, sp.exp)), key=str)
    there: dict[Any, Any] = {a: sp.Symbol(f"f{k}", real=True) for k, a in enumerate(functions)}
    back: dict[Any, Any] = {letter: a for a, letter in there.items()}
    for a in sorted(e.atoms(sp.exp), key=lambda a: (a.exp.count_ops(), str(a))):
        for letter, known in back.items():
            if not isinstance(known, sp.exp):
                continue
            n = sp.cancel(a.exp / known.exp)
            if n.is_Integer and n > 0:
                there[a] = letter**n
                break
        else:
            letter = sp.Symbol(f"e{len(back)}", positive=True)
            there[a], back[letter] = letter, a
    return e.xreplace(there), back


def _roots_as_letters(e: Any, back: dict[Any, Any]) -> tuple[Any, dict[Any, Any]]:
    """Return a formula in letters for the square roots of names, beside other letters."""
    powers = [p for p in e.atoms(sp.Pow) if p.base.is_Symbol and p.exp.is_Rational and p.exp.q == 2]
    rooted = sorted({p.base for p in powers if p.base not in back}, key=str)
    letters = {x: sp.Symbol(f"r{k}", positive=True) for k, x in enumerate(rooted)}
    return e.xreplace({x: r**2 for x, r in letters.items()}), back | {r: sp.sqrt(x) for x, r in letters.items()}


def multiplied_out(e: Any) -> Any:
    """Return a formula multiplied out; what is inside of functions stays."""
    e, back = _functions_as_letters(e)
    return sp.expand(e).xreplace(back)


def _common_denominator(t: Formula, formatter: SympyFormatter) -> Iterator[Rewriting]:
    if not isinstance(t, Sum) or not any(isinstance(p, Quotient) and p.denominator.free for p in t.args):
        return
    e, back = _functions_as_letters(to_sympy(t))
    top, below = (p.xreplace(back) for p in sp.fraction(sp.together(e)))
    written = Quotient(formatter.write(top), formatter.write(below))
    shorter = _tried(lambda: Quotient(formatter.write(multiplied_out(top)), written.denominator))
    best = min((f for f in (written, shorter) if f is not None), key=measure)
    if measure(best) <= measure(t):
        yield _with_numerator(_step(CommonDenominator, best, "common denominator"), t)


def _with_numerator(step: Rewriting, t: Formula) -> Rewriting:
    """Show beside a step what the terms of a sum of fractions are over one denominator, and what their sum is."""
    sign, fractions = coefficient(t)
    below: dict[Formula, Any] = {}
    for base, e in (base_and_exponent(f) for p in terms(fractions) for f in factors(over_and_under(p)[1])):
        if not isinstance(e, Number):
            return step
        below[base] = max(e.value, below.get(base, 0))
    whole = mul(sign, *[power(b, Number(n)) for b, n in below.items()])
    raw = Sum(*[tidy(mul(p, whole)) for p in terms(fractions)])
    total = SympyFormatter().write(multiplied_out(to_sympy(raw)))
    plain = not _has(raw, Quotient) and measure(total) < measure(raw) < 50 and len(terms(total)) <= len(raw.args)
    if not plain or not equal(raw, total):
        return step
    return replace(step, reason=(*step.reason[:-1], ": ", Equation((raw, total))))


def as_one_fraction(t: Formula) -> Formula | None:
    """Return a sum of fractions of polynomials as one, its numerator multiplied out or factored; None of another."""
    e = to_sympy(t)
    if not isinstance(t, Sum) or not e.is_rational_function(*e.free_symbols):
        return None
    top, below = sp.fraction(sp.together(e))
    formatter = SympyFormatter([t])
    written = min((formatter.write(way(top)) for way in (sp.expand, sp.factor)), key=measure)
    return Quotient(written, formatter.write(below)) if measure(written) <= LONGEST else None


def _expanded_polynomial(t: Formula, formatter: SympyFormatter) -> Iterator[Rewriting]:
    """Multiply out what has no functions in it."""
    if not _has(over_and_under(t)[0], Call):
        yield from _expanded(t, formatter)


def _expanded(t: Formula, formatter: SympyFormatter) -> Iterator[Rewriting]:
    """Multiply out above the line where terms cancel."""
    top, _ = _split(t)
    for part, under, place in _places(t):
        if not isinstance(part, Sum):
            continue
        raw = [a for p in part.args for a in terms(formatter.write(multiplied_out(to_sympy(p))))]
        total = formatter.write(multiplied_out(to_sympy(part)))
        if len(terms(total)) >= min(len(raw), len(part.args) + 2) or measure(total) >= measure(part):
            continue
        what = "expand" if part is t else "expand the numerator" if part is top else "expand the bracket"
        opened = Sum(*raw)
        shown = part is not t and measure(opened) < 50
        after = place(total, under)
        step = _step(Expand, after, what, opened=opened)
        yield replace(step, reason=(f"{what}: ", Equation((opened, total)))) if shown else step
        return


_SECANTS: tuple[tuple[Any, Any, Any, str], ...] = (
    (sp.cos, sp.tan, lambda tan: 1 + tan**2, "1/cos² = 1 + tan²"),
    (sp.cosh, sp.tanh, lambda tanh: 1 - tanh**2, "1/cosh² = 1 − tanh²"),
)


def _secant(t: Formula, formatter: SympyFormatter) -> Iterator[Rewriting]:
    """Write 1/cos² beside tangents with these, where terms cancel."""
    e = to_sympy(t)
    for under, function, square, says in _SECANTS:
        for u in sorted({a.args[0] for a in e.atoms(function)}, key=str):
            after = multiplied_out(e.xreplace({under(u) ** -2: square(function(u))}))
            shorter = None if after.has(under(u)) else _best([after], formatter, t)
            if shorter is not None and 2 * measure(shorter) < measure(t):
                yield _identity(says, shorter)
                return


def _pythagoras(t: Formula, formatter: SympyFormatter) -> Iterator[Rewriting]:
    for top, below, place in (*_places(t), *_below(t)):
        e = multiplied_out(to_sympy(top))
        for functions, name in SQUARES:
            for u in sorted({a.args[0] for a in e.atoms(*functions)}, key=str):
                both = squares(functions, *[f(u) for f in functions])
                if not any(e.has(f**n) for f, _ in both for n in (2, 3, 4)):
                    continue
                shorter = _best([squares_replaced(e, [pair]) for pair in both], formatter, top)
                opened = formatter.write(e)
                if shorter is not None and len(terms(shorter)) < len(terms(opened)):
                    says = f"{'expand, ' * (_brackets(top) > _brackets(opened))}{name}"
                    yield _step(UseIdentity, place(shorter, below), says, identity=name)
                    return


def _places(t: Formula) -> Iterator[tuple[Formula, Any, Any]]:
    top, below = _split(t)
    yield top, below, _over
    if isinstance(top, Product):
        for f in top.args:
            if isinstance(f, Sum):
                yield f, below, _beside([g for g in top.args if g is not f])


def _below(t: Formula) -> Iterator[tuple[Formula, Any, Any]]:
    """Yield the denominator as a place."""
    if isinstance(t, Quotient):
        yield t.denominator, None, lambda found, _: Quotient(t.numerator, found)


def _beside(rest: Sequence[Formula]) -> Callable[[Formula, Formula | None], Formula]:
    """Return what puts a factor beside the rest of a product, over what is below the line."""
    return lambda found, below: _over(_product_of([*rest, found]), below)


def _product_of(parts: Sequence[Formula]) -> Formula:
    kept = [f for p in parts for f in factors(p) if f != ONE]
    if len(kept) == 2 and kept[0] == MINUS and isinstance(kept[1], Sum):
        return _negated(kept[1])
    if any(isinstance(f, Quotient) for f in kept) or sum(isinstance(f, Number) for f in kept) > 1:
        return mul(*kept)
    return Product(*kept) if len(kept) > 1 else kept[0]


def _negated(t: Sum) -> Formula:
    """Return −(a − b) as b − a."""
    return Sum(*sorted((neg(p) for p in t.args), key=is_negative))


def _best(candidates: Sequence[Any], formatter: SympyFormatter, t: Formula) -> Formula | None:
    written = [_tried(functools.partial(formatter.write, e)) for e in candidates]
    best = min((f for f in written if f is not None), key=measure, default=None)
    return best if best is not None and measure(best) < measure(t) else None


def _tried(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except (Unwritable, PolynomialError, NotImplementedError):
        return None


def _cancelled(t: Formula, formatter: SympyFormatter, in_sight: bool = False) -> Iterator[Rewriting]:
    """Divide numerator and denominator by a factor that both have; one that each term shows, if it is in sight."""
    if not isinstance(t, Quotient) or not t.denominator.free:
        return
    top, below = (_factors(to_sympy(p)) for p in t.operands)
    common = {f: min(n, below[f]) for f, n in top.items() if f in below and f.free_symbols}
    shown = _shown(t.numerator, common)
    if in_sight:
        common = {f: n for f, n in shown.items() if n > 0}
    if not common:
        return
    common |= {f: min(n, below[f]) for f, n in top.items() if f in below and f.is_Rational and f > 0 and n == 1}
    parts = [_tried(functools.partial(_left, own, common, formatter)) for own in (top, below)]
    if parts[0] is None or parts[1] is None:
        return
    quotient = div(parts[0], parts[1])
    if measure(quotient) < measure(t):
        factor, in_sight = (
            _left(common, {}, formatter),
            in_sight or all(n <= shown.get(f, n) for f, n in common.items()),
        )
        if in_sight and (divided := _divided(t.numerator, factor)) is not None:
            quotient = div(divided, parts[1])
        yield _step(
            Cancel, quotient, "cancel " if in_sight else "factor the numerator and cancel ", factor, common=factor
        )


def _divided(top: Formula, factor: Formula) -> Formula | None:
    """Return a sum with its terms divided by a factor that each shows, nothing else worked out."""
    if not isinstance(top, Sum):
        return None
    parts = [tidy(div(p, factor)) for p in top.args]
    return None if any(_has(p, Quotient) for p in parts) else Sum(*parts)


def _cancelled_in_sight(t: Formula, formatter: SympyFormatter) -> Iterator[Rewriting]:
    """Divide by a factor that every term of the numerator shows, before anything is expanded."""
    yield from _cancelled(t, formatter, in_sight=True)


def _cancelled_within(t: Formula, formatter: SympyFormatter) -> Iterator[Rewriting]:
    """Divide by a function that every term shows before fractions within the fraction are cleared."""
    for step in _cancelled_in_sight(t, formatter) if _nested(t) else ():
        if isinstance(step, Cancel) and _has(step.common, Call) and not over_and_under(step.common)[1].free:
            yield step


def _shown(top: Formula, common: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return how often a reader sees each of the common factors in every term, or the numerator as one, at most n."""
    rows = [_powers_shown(p) for p in (top.args if isinstance(top, Sum) else (top,))]
    whole = to_sympy(top)
    return {
        f: n if f in (whole, -whole) and n == 1 else min(n, *[row.get(f, 0) for row in rows]) for f, n in common.items()
    }


def _powers_shown(t: Formula) -> dict[Any, Any]:
    """Return the factors that a term shows with their exponents; a sum is one, whatever factors it has."""
    shown: dict[Any, Any] = {}
    for f in factors(over_and_under(t)[0]):
        base, e = base_and_exponent(f)
        if not isinstance(e, Number):
            continue
        for g, n in ({to_sympy(base): 1} if isinstance(base, Sum) else _factors(to_sympy(base))).items():
            g = -g if g.is_Add and g.could_extract_minus_sign() else g
            shown[g] = shown.get(g, 0) + n * to_sympy(e)
    return shown


def _is_minus(e: Any) -> bool:
    return bool(e.as_coeff_Mul()[0].is_negative)


def _left(factors_: Mapping[Any, Any], taken: Mapping[Any, Any], formatter: SympyFormatter) -> Formula:
    """Return the product of factors to their powers, less those that are taken; −(a − b) is b − a."""
    kept = {f: n - taken.get(f, 0) for f, n in factors_.items() if n != taken.get(f, 0)}
    if taken:
        kept = factors_ = _rejoined(kept)
        taken = {}
    single = [f for f, n in kept.items() if f.is_Add and n == 1 and any(_is_minus(a) for a in f.args)]
    if kept.get(sp.S.NegativeOne) == 1 and single:
        factors_, taken = {-f if f is single[0] else f: n for f, n in kept.items() if f != -1}, {}
    return mul(*[formatter.write(f ** (n - taken.get(f, 0))) for f, n in factors_.items() if n != taken.get(f, 0)], ONE)


def _rejoined(kept: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return (x + 1)·(x − 1) as x² − 1, and other factors as they are."""
    sums = [f for f in kept if f.is_Add]
    both = sp.expand(sp.Mul(*sums))
    if len(sums) != 2 or len(both.args) != 2 or kept[sums[0]] != kept[sums[1]]:
        return dict(kept)
    return {**{f: n for f, n in kept.items() if f not in sums}, both: kept[sums[0]]}


def _factors(e: Any) -> dict[Any, Any]:
    """Return the factors with their exponents, which are numbers."""
    exponents: dict[Any, Any] = {}
    e, back = _functions_as_letters(e)
    for f in sp.Mul.make_args(sp.factor(e)):
        base, n = (p.xreplace(back) for p in f.as_base_exp())
        if not (n.is_Number and base is not sp.E):
            base, n = base**n, sp.S.One
        if not n.is_Integer and base.is_Mul:
            base = min(base, sp.expand(base), key=sp.count_ops)  # √(1 − x²), not √(−(x + 1)·(x − 1))
        if base.is_Add and n.is_Integer and base.could_extract_minus_sign():
            base = -base  # a − b and b − a are one factor
            exponents[sp.S.NegativeOne] = (exponents.get(sp.S.NegativeOne, 0) + n) % 2
        exponents[base] = exponents.get(base, 0) + n
    return {f: n for f, n in exponents.items() if n != 0}


def _factored(t: Formula, formatter: SympyFormatter) -> Iterator[Rewriting]:
    """Take out what all terms of a sum have."""
    for top, below, place in _places(t):
        if not isinstance(top, Sum):
            continue
        if (step := _shared_powers(top, below, place, formatter)) is not None:
            yield step
            return
        e = to_sympy(top)
        made = sp.factor_terms(e)
        if _nested(formatter.write(made)):
            made = min(made, sp.factor_terms(sp.together(e)), key=lambda m: measure(formatter.write(m)))
        if not made.is_Mul or not any(f.is_Add for f in made.args):
            continue
        made = positive(sp.Mul(*[p for f in made.args for p in _number_taken_out(f)]))
        if not made.is_Mul:
            continue
        common = sp.Mul(*[f for f in made.args if not f.is_Add or _is_in_each(f, e)])
        product = formatter.write(made)
        if common.free_symbols and not _worse(product, top):
            factor = formatter.write(common)
            step = _step(FactorOut, place(product, below), "factor out ", factor, common=factor)
            left = formatter.write(sp.cancel(made / common))
            yield (
                step if (raw := _bracket(top, factor, left)) is None else _factored_out(factor, raw, left, below, place)
            )
            return


def _factored_out(factor: Formula, raw: Formula, left: Formula, below: Formula | None, place: Any) -> Rewriting:
    """Return the step that takes out a factor, with what it leaves of each term, and what that is."""
    after = place(_product_of([factor, left]) if isinstance(left, Sum) else mul(factor, left), below)
    step = _step(FactorOut, after, "factor out ", factor, common=factor)
    return replace(step, reason=(*step.reason[:-1], ": ", Equation((raw, left))))


def _shared_powers(top: Sum, below: Formula | None, place: Any, formatter: SympyFormatter) -> Rewriting | None:
    """Take out of a sum the powers that each term shows, where one term is left, or where exponents are letters."""
    rows = [_powers(p) for p in top.args]
    shared = {b: _lowest([row[b] for row in rows]) for b in rows[0] if all(b in row for row in rows)}
    common = {b: n for b, n in shared.items() if n is not None and b.free}
    lettered = any(n.free_symbols for n in common.values())
    if not common or any(over_and_under(p)[1].free for p in top.args):
        return None
    rest = [[power(b, formatter.write(n - common.get(b, 0))) for b, n in row.items()] for row in rows]
    raw = Sum(*[tidy(mul(coefficient(p)[0], *factors_, ONE)) for p, factors_ in zip(top.args, rest, strict=True)])
    factor = mul(*[power(b, formatter.write(n)) for b, n in common.items()])
    if measure(raw) > 50:
        return None
    if lettered:
        return _step(FactorOut, place(_product_of([factor, raw]), below), "factor out ", factor, common=factor)
    left = formatter.write(multiplied_out(to_sympy(raw)))
    return None if isinstance(left, Sum) else _factored_out(factor, raw, left, below, place)


def _powers(t: Formula) -> dict[Formula, Any]:
    """Return the bases of a term's factors with their exponents."""
    exponents: dict[Formula, Any] = {}
    for base, e in map(base_and_exponent, factors(coefficient(t)[1])):
        exponents[base] = exponents.get(base, 0) + to_sympy(e)
    return exponents


def _lowest(exponents: Sequence[Any]) -> Any:
    """Return the lowest of exponents that differ by numbers; None of others."""
    steps = [sp.expand(n - exponents[0]) for n in exponents]
    return exponents[0] + min(steps) if all(n.is_Rational for n in steps) else None


def _bracket(top: Sum, factor: Formula, left: Formula) -> Formula | None:
    """Return what a factor leaves of each term, where it has brackets that are opened at once."""
    raw = Sum(*[tidy(div(p, factor)) for p in top.args])
    shown = _brackets(raw) > _brackets(left) and _lines(raw) == 0 and measure(raw) < 50
    return raw if shown and equal(raw, left) else None


def _is_in_each(f: Any, e: Any) -> bool:
    """Whether every term of a sum shows a factor."""
    return all(f in {g.as_base_exp()[0] for g in sp.Mul.make_args(sp.factor_terms(a))} for a in e.args)


def positive(e: Any) -> Any:
    """Return −c·(4a − 3b) as c·(3b − 4a), and a product without such a sum as it is."""
    mixed = [f for f in e.args if f.is_Add and len({_is_minus(a) for a in f.args}) == 2]
    if not _is_minus(e) or not mixed:
        return e
    return sp.Mul(*[-f if f is mixed[0] else -f if f.is_Number else f for f in e.args])


def _number_taken_out(f: Any) -> tuple[Any, Any]:
    """Return 5·(x + 3) + 2x - 1 as 7 and x + 2, and 1 before a sum that has no such number."""
    number, rest = sp.factor_terms(sp.expand(f)).as_coeff_Mul() if f.is_Add and f.is_polynomial() else (1, f)
    return (1, f) if number == 1 else (number, rest)


def _nested(t: Formula) -> bool:
    """Whether a fraction has fractions above or below its line."""
    return isinstance(t, Quotient) and _lines(t) > 1


def _worse(candidate: Formula, t: Formula) -> bool:
    return _lines(candidate) > _lines(t) or measure(candidate) > measure(t) + 2


def _sums(t: Formula) -> int:
    return sum(isinstance(p, Sum) for p in _parts(t))


def _lines(t: Formula) -> int:
    """Return how many fractions are in it."""
    return sum(isinstance(p, Quotient) for p in _parts(t))


def _last(t: Formula, goal: Any, formatter: SympyFormatter) -> Formula | None:
    """Return the shortest formula that symgrad knows, where it is shorter."""
    candidate: Formula | None = _tried(lambda: formatter.write(goal))
    if candidate is None or measure(candidate) > 0.8 * measure(t) or _lines(candidate) > _lines(t):
        return None
    if _sums(candidate) > _sums(t) or (is_negative(candidate) and not is_negative(t)) or not equal(candidate, t):
        return None
    return candidate


_DOUBLES = (
    sine_of_the_double,
    cosine_of_the_double,
    cosine_of_the_double_by_the_sine,
    cosine_of_the_double_by_the_cosine,
)


def _doubled(t: Formula, goal: Any, formatter: SympyFormatter) -> Sequence[Rewriting]:
    """Return the steps by double angles, one after the other, where several lead to the goal."""
    e, after = to_sympy(t), list[Formula]()
    for _ in range(DOUBLINGS):
        before = e
        for rule in _DOUBLES:
            e = everywhere(e, rule)
        if e == before:
            break
        after.append(formatter.write(e))
    there = len(after) > 1 and (end := _tried(lambda: formatter.write(goal))) is not None and alike(after[-1], end)
    return [_identity("double angle", f) for f in after] if there else ()


def _single_angles(t: Formula, result: Formula) -> Rewriting | None:
    """Return the step from sin(2u) and cos(2u) to functions of u, as the result has them; None where it has none."""
    angles = {p.args[0] for p in _parts(result) if isinstance(p, Call) and p.name in _CIRCULAR}
    there: dict[Formula, Formula] = {}
    for p in _parts(t):
        if not isinstance(p, Call) or p.name not in ("sin", "cos") or p.args[0] in angles:
            continue
        half = tidy(div(p.args[0], TWO))
        s, c = apply("sin", half), apply("cos", half)
        if half in angles:
            there[p] = Product(TWO, s, c) if p.name == "sin" else Sum(Product(TWO, Power(c, TWO)), MINUS)
    if not there:
        return None
    laws = [w for k, pair in enumerate(there.items()) for w in (", " if k else "", pair)]
    return _step(UseIdentity, tidy(put(t, there)), "double angle ", *laws, identity="double angle")


_CIRCULAR = ("sin", "cos", "tan", "cot")
DOUBLINGS = 3  # from an angle u up to 8u
ARITHMETIC = (
    "common denominator",
    "divide term by term",
    "factor",
    "expand",
    "expand and collect terms",
    "collect terms",
    "collect powers",
    "exp(u)·exp(v) = exp(u + v)",
    "simplify",
)


UNNAMED = ("simplify", "use trigonometric identities")  # where no one identity, or two, is the reason
BRACKET = ", with a bracket that is 1 where its condition holds and 0 elsewhere"
_TRIGONOMETRIC = (sp.sin, sp.cos, sp.tan)


def why(t: Formula, other: Formula) -> str:
    """Say how a formula becomes another that is equal: by an identity, or by which arithmetic."""
    if _has(t, (Cases, Compare)) or _has(other, (Cases, Compare)):
        return (
            "with the value where the cases meet"
            if _has(other, Cases)
            else f"as one formula{BRACKET * _has(other, Fenced)}"
        )
    identity = _identity_between(to_sympy(t), to_sympy(other))
    if identity and not any(to_sympy(f).has(sp.sign) for f in (t, other)):
        identity = identity.replace("x·sign(x) = |x|", "|u|² = u²")
    sized = _takes_sizes(t) and not _takes_sizes(other)
    if identity is None:
        return UNNAMED[bool(to_sympy(t).has(*_TRIGONOMETRIC))]
    if identity or sized:
        of_angles = bool(identity) and {*identity.split(", ")} <= _OF_ANGLES
        opened, factored = (of_angles and bool(_inner_sums(a) - _inner_sums(b)) for a, b in ((t, other), (other, t)))
        moves = ["√(u²) = |u|"] * sized + ["expand"] * opened + [identity] * bool(identity) + ["factor"] * factored
        return ", ".join(moves)
    if isinstance(t, Quotient) and isinstance(other, Sum) and sum(isinstance(p, Quotient) for p in other.args) > 1:
        return "divide term by term"
    adds = [_adds_fractions(f) for f in (t, other)]
    if _lines(t) > _lines(other) and not adds[0] and _joins_powers(other):
        return "collect powers"
    if adds[0] != adds[1]:
        return "common denominator" if adds[0] else "divide term by term"
    bases = [_bases(f) for f in (t, other)]
    if _without_signs(t) == _without_signs(other) and sum(bases[0].values()) >= sum(bases[1].values()):
        return "−(a − b) = b − a"
    if not _has(t, Sum) and not _has(other, Sum):
        return "collect powers"
    sums = [isinstance(over_and_under(f)[0], Sum) for f in (t, other)]
    if bases[0] == bases[1] and not any(isinstance(p, Sum) for f in (t, other) for p in over_and_under(f)):
        return "−(a − b) = b − a" if _sum_factors(t) != _sum_factors(other) else "collect powers"
    exps = [sum(isinstance(p, Call) and p.name == "exp" for p in _parts(f)) for f in (t, other)]
    if exps[0] > exps[1] and _brackets(t) == _brackets(other) and len(terms(t)) == len(terms(other)):
        return "exp(u)·exp(v) = exp(u + v)"
    if sums == [True, False] or sum(bases[0].values()) < sum(bases[1].values()):
        return "factor"
    if sums == [False, True] or _brackets(t) > _brackets(other):
        return "expand and collect terms" if sums[0] else "expand"
    return "common denominator" if _lines(t) > _lines(other) and _summands(t) == _summands(other) else "collect terms"


_OF_ANGLES = {"double angle", "sin² + cos² = 1", "cosh² − sinh² = 1", "sin/cos = tan", "tan = sin/cos"}


def _inner_sums(t: Formula) -> set[str]:
    """Return the sums among the factors of the terms above and below the line, as they are written."""
    sides = [coefficient(side)[1] for side in over_and_under(t)]
    both = [g for side in sides for p in terms(side) for g in factors(p)]
    return {handwritten(f) for f in (base_and_exponent(g)[0] for g in both) if isinstance(f, Sum)}


def _takes_sizes(t: Formula) -> bool:
    """Whether a root has squares in it, so that SymPy has |u| for √(u²)."""
    roots = [p for p in _parts(t) if isinstance(p, Power) and to_sympy(p).has(sp.Abs)]
    return any(not any(isinstance(q, Call) and q.name == "abs" for q in _parts(p)) for p in roots)


def _summands(t: Formula) -> int:
    return sum(len(p.args) for p in _parts(t) if isinstance(p, Sum))


def _identity_between(a: Any, b: Any) -> str | None:
    """Return the identities by which a is b, those that bring tangents in last."""
    identity = reason(a, b)
    if identity is None and b.has(sp.tan) and not a.has(sp.tan):
        identity = reason(a, b.replace(sp.tan, lambda u: sp.sin(u) / sp.cos(u)))
        return identity and f"{identity}, sin/cos = tan"
    return identity


def _sum_factors(t: Formula) -> set[str]:
    """Return the sums among the factors above and below the line, as they are written."""
    bases = [base_and_exponent(f)[0] for p in over_and_under(t) for f in factors(p)]
    return {handwritten(f) for f in bases if isinstance(f, Sum)}


def _adds_fractions(t: Formula) -> bool:
    """Whether a sum has a term with names below its line."""
    return any(isinstance(p, Sum) and any(over_and_under(a)[1].free for a in p.args) for p in _parts(t))


def _bases(t: Formula) -> Counter[str]:
    """Return the signs of the factors above and below the line, as often as their exponents say; of sums none."""
    bases: Counter[str] = Counter()
    for f in (g for p in over_and_under(t) if not isinstance(p, Sum) for g in factors(p) if g.free):
        base, e = base_and_exponent(f)
        bases["".join(_without_signs(base))] += math.ceil(abs(e.value)) if isinstance(e, Number) else 1
    return bases


def _brackets(t: Formula) -> int:
    """Return how many factors of its terms are sums."""
    both = [g for side in over_and_under(t) for p in terms(side) for g in factors(p)]
    return sum(isinstance(base_and_exponent(g)[0], Sum) for g in both)


def _joins_powers(t: Formula) -> bool:
    """Whether an exponent is a sum, as in x^(1/x − 2)."""
    return any(isinstance(p, Power) and isinstance(p.exponent, Sum) for p in _parts(t))


def _without_signs(t: Formula) -> list[str]:
    return sorted(c for c in handwritten(t) if c not in "+− ·()")


_NAMED = (("cos", "sin", "cot", "cos/sin = cot"), ("sin", "cos", "tan", "sin/cos = tan"))


def _by_name(t: Formula, formatter: SympyFormatter) -> Iterator[Rewriting]:
    """Write cos(u)/sin(u) as cot(u), and tan(u)·sin(u)/cos(u) in a sum as tan²(u)."""
    for above, under, function, says in _NAMED:
        if (named := _named(t, above, under, function)) is not None:
            yield _identity(says, named)
            return


def _tangents(t: Formula, formatter: SympyFormatter) -> Iterator[Rewriting]:
    """Write tan(u)·sin(u)/cos(u) among the terms of a sum as tan²(u), and tan(u)·cos(u)/sin(u) as 1."""
    parts = [p for s in _parts(t) if isinstance(s, Sum) for p in s.args]
    for says, shorter in (("sin/cos = tan", _squared_tangent), ("tan = sin/cos", _without_tangent)):
        there = {p: new for p in parts if (new := shorter(p)) is not None}
        if there:
            yield _identity(says, put(t, there))
            return


def _squared_tangent(t: Formula) -> Formula | None:
    named = _named(t, "sin", "cos", "tan")
    return None if named is None or (square := tidy(named)) == named else square


def _without_tangent(t: Formula) -> Formula | None:
    if _named(t, "cos", "sin", "cot") is None:
        return None
    there: dict[Formula, Formula] = {
        a: Quotient(apply("sin", *a.args), apply("cos", *a.args))
        for a in _parts(t)
        if isinstance(a, Call) and a.name == "tan"
    }
    new = tidy(put(t, there))
    return new if there and new.size < t.size else None


def _named(t: Formula, above: str, under: str, function: str) -> Formula | None:
    """Return a fraction of two functions of u, such as sin(u)/cos(u), with their quotient by its name."""
    top, below = over_and_under(t)
    for f in factors(below):
        a = apply(above, *f.args) if isinstance(f, Call) and f.name == under else None
        if a is not None and a in factors(top):
            rest, lower = [p for p in factors(top) if p != a], [p for p in factors(below) if p != f]
            named = mul(*rest, apply(function, *a.args))
            return named if not lower else Quotient(named, mul(*lower))
    return None
