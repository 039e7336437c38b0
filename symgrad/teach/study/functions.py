"""A function of one number as it is studied: its formula, where it is defined, and its smooth pieces."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import mpmath
import sympy as sp

from symgrad.core.node import ancestors, tensor_node
from symgrad.errors import ArgumentError
from symgrad.expression.arguments import text_of_names
from symgrad.expression.formula import Call, Cases, Formula, Number, Otherwise, Power, Quotient
from symgrad.scalars import in_full
from symgrad.teach.board.reading import Unwritable, read, to_sympy
from symgrad.teach.board.reading import number as formula_of_number
from symgrad.teach.places.points import DIGITS, Place, asked, compiled, number, place
from symgrad.teach.places.zeros import zeros

WINDOW = 10  # of functions that oscillate without a period
MOST = 120  # parts of a formula
_KINKED = (sp.Abs, sp.sign, sp.Max, sp.Min, sp.Piecewise)
_SMOOTH = (
    sp.exp, sp.log, sp.sin, sp.cos, sp.tan, sp.asin, sp.acos, sp.atan, sp.sinh, sp.cosh, sp.tanh, sp.asinh, sp.acosh,
    sp.atanh,
)  # fmt: skip
_SHORT = 3  # operations of a number that is as short as it gets
_SMALL = mpmath.mpf(10) ** -30
_PLAIN: dict[str, Callable[[Any], Any]] = {
    "log2": lambda u: sp.log(u) / sp.log(2),
    "log10": lambda u: sp.log(u) / sp.log(10),
    "log1p": lambda u: sp.log(1 + u),
    "expm1": lambda u: sp.exp(u) - 1,
    "sigmoid": lambda u: 1 / (1 + sp.exp(-u)),
}
_ABOVE = {"log": 0, "log2": 0, "log10": 0, "log1p": -1}


def text_of_end(e: Any) -> str:
    """Return a place, or ±∞, as text."""
    return "∞" if e == sp.oo else "−∞" if e == -sp.oo else str(e)


class Interval(NamedTuple):
    """The numbers between two ends; ±∞ are ``sp.oo`` and ``-sp.oo``."""

    low: Any
    high: Any
    has_low: bool = False
    has_high: bool = False

    def __contains__(self, value: Any) -> bool:
        after = self.low == -sp.oo or self.low.value < value or (self.has_low and self.low.value == value)
        before = self.high == sp.oo or value < self.high.value or (self.has_high and self.high.value == value)
        return bool(after and before)

    def __str__(self) -> str:
        low, high = (text_of_end(e) for e in self[:2])
        return f"{'[' if self.has_low else '('}{low}, {high}{']' if self.has_high else ')'}"

    @property
    def ends(self) -> tuple[Any, Any]:
        """The ends as numbers of mpmath."""
        low, high = (-mpmath.inf if e == -sp.oo else mpmath.inf if e == sp.oo else e.value for e in self[:2])
        return low, high

    @property
    def inside(self) -> Any:
        """A number between the ends."""
        low, high = (e if e in (sp.oo, -sp.oo) else e.value for e in self[:2])
        with mpmath.workdps(DIGITS):
            if low == -sp.oo:
                return mpmath.mpf("0.137") if high == sp.oo else high - mpmath.mpf("1.137")
            return low + mpmath.mpf("1.137") if high == sp.oo else low + (high - low) * mpmath.mpf("0.4137")


class Condition(NamedTuple):
    """What must be ≠ 0, ≥ 0 or > 0 so that a formula has a value; of a case, where that case holds."""

    sign: str
    part: Any
    case: Any = sp.true


class Subject:
    """A function f of x.

    Attributes:
        text: the formula.
        name: what x is called.
        written: the formula as it was typed.
        expr: the formula in SymPy's classes.
        conditions: under which it is defined, inner ones first.
        period: the smallest period that is known, or None.
        window: where it is studied: everywhere, on a period, or in a window that is told.
        bounded: whether it is studied in a window, since it oscillates without a period.
    """

    def __init__(self, who: str, text: str, name: str | None) -> None:
        self.text = text
        self.name, self.written = _read(who, text, name)
        self.x = sp.Symbol(self.name, real=True)
        e = _sympy(self.written, self.name)
        self.expr = e.replace(lambda p: p.is_Pow and p.exp.has(self.x) and p.base is not sp.E, _exponential)
        _check(who, text, self.expr, self.x)
        musts = dict.fromkeys(_conditions(self.written, self.name))
        self.conditions = [c for c in musts if not (c.sign == "≥" and c.part.is_nonnegative)]
        self._function = compiled(self.expr, self.x)
        self._parts = [(c.sign, compiled(c.part, self.x), compiled(c.case, self.x)) for c in self.conditions]
        self.period = self._period()
        self.bounded = self.period is None and _oscillates(self.expr, self.x)
        self.window = self._window()
        self._values: dict[Place, Place] = {}

    def at(self, where: Any) -> Any:
        """Return f's value to 50 digits and more; nan where f is not defined."""
        if not self.is_defined(where):
            return mpmath.nan
        return _value(self._function, where)

    def exact_at(self, p: Place) -> Place:
        """Return f's value at a place, exact where it is short."""
        if p not in self._values:
            self._values[p] = self._exact_at(p)
        return self._values[p]

    def _exact_at(self, p: Place) -> Place:
        value = self.at(p.value)
        if p.exact is None:
            return Place(value)
        e = asked(lambda: _shortened(self.expr.subs(self.x, p.exact)))
        made = None if e is None else place(e)
        near = made is not None and abs(made.value - value) <= _SMALL * (1 + abs(value))
        return Place(value, made.exact if near and made is not None else None)

    def is_defined(self, where: Any) -> bool:
        """Whether all conditions hold."""
        for sign, v in self._required(where):
            if not mpmath.isfinite(v):
                return False
            zero = abs(v) < _SMALL
            if (sign == "≠" and zero) or (sign == ">" and (zero or v < 0)) or (sign == "≥" and v < 0 and not zero):
                return False
        return True

    def _required(self, where: Any, many: int | None = None) -> Iterator[tuple[str, Any]]:
        """Yield the signs and values of the conditions, or of the first ones, that apply at a number."""
        for sign, part, case in self._parts[:many]:
            if _holds(case, where):
                yield sign, _value(part, where)

    def _window(self) -> Interval:
        """Return a window whose ends are not places of interest: of a period, it begins a little below 0."""
        if self.bounded:
            return Interval(place(sp.Rational(-WINDOW)), place(sp.Rational(WINDOW)))
        if self.period is None:
            return Interval(-sp.oo, sp.oo)
        start = -sp.Rational(str(round(float(number(self.period)) * 0.0137, 12)))
        return Interval(place(start), place(start + self.period))

    def _period(self) -> Any:
        """Return the period of a formula of circular functions of multiples of x, else None."""
        waves = [f for f in self.expr.atoms(sp.sin, sp.cos, sp.tan) if self.x in f.free_symbols]
        rest = self.expr.xreplace({f: sp.Dummy() for f in waves})
        slopes = [sp.diff(f.args[0], self.x) for f in waves]
        if not waves or self.x in rest.free_symbols or not all(s.is_number and s.is_real for s in slopes):
            return None
        if not all((s / slopes[0]).is_Rational for s in slopes):
            return None
        ratios = [abs(s / slopes[0]) for s in slopes]
        below = math.lcm(*[int(r.q) for r in ratios])
        common = sp.Rational(math.gcd(*[int(r * below) for r in ratios]), below)
        whole = 2 * sp.pi / (abs(slopes[0]) * common)
        return next((whole / n for n in (12, 8, 6, 4, 3, 2) if self._repeats(whole / n)), whole)

    def _repeats(self, t: Any) -> bool:
        with mpmath.workdps(DIGITS + 10):
            shift, points = number(t), [mpmath.mpf(k) * mpmath.mpf("0.7131") - 5 for k in range(16)]
            pairs = [(self.at(p), self.at(p + shift)) for p in points]
        same = [(mpmath.isnan(a) and mpmath.isnan(b)) or abs(a - b) < _SMALL * (1 + abs(a)) for a, b in pairs]
        return all(same) and any(mpmath.isfinite(a) for a, _ in pairs)

    # ---------------------------------------------------------------- where it is defined
    def domain(self) -> tuple[list[Interval], bool]:
        """Return the intervals on which f is defined, and whether there is proof that these are all."""
        parts, complete = [self.window], True
        for k, c in enumerate(self.conditions):
            new: list[Interval] = []
            for part, applies, whole in self._cases(c, parts):
                cuts, proved = _cuts(c.part, self.x, part) if applies else ([], True)
                complete = complete and proved and whole
                new += [p for p in split(part, cuts) if not applies or self._holds(p.inside, k + 1)]
            parts = new
        return [self._closed(p) for p in _joined(parts, self)], complete

    def _cases(self, c: Condition, parts: list[Interval]) -> Iterator[tuple[Interval, bool, bool]]:
        """Yield intervals on which a condition applies, or does not, and whether there is proof that these are all."""
        case = compiled(c.case, self.x)
        for part in parts:
            each = [_cuts(u, self.x, part) for u in _sides(c.case)]
            cuts = sorted((p for places, _ in each for p in places), key=lambda p: p.value)
            for piece in split(part, cuts):
                yield piece, _holds(case, piece.inside), all(complete for _, complete in each)

    def _holds(self, where: Any, many: int) -> bool:
        values = list(self._required(where, many))
        return all(v != 0 if sign == "≠" else v > 0 for sign, v in values if not mpmath.isnan(v)) and not any(
            mpmath.isnan(v) for _, v in values
        )

    def _closed(self, part: Interval) -> Interval:
        has = [e not in (sp.oo, -sp.oo) and self.is_defined(e.value) for e in part[:2]]
        return part._replace(has_low=has[0], has_high=has[1])

    def pieces(self, part: Interval) -> tuple[list[tuple[Interval, Any]], bool]:
        """Return the smooth pieces of f on an interval, and whether there is proof that these are all."""
        return _pieces(self.expr, self.x, part)


def split(part: Interval, cuts: list[Place]) -> list[Interval]:
    """Return what cuts make of an interval, open."""
    inner = [c for c in cuts if c.value in Interval(part.low, part.high)]
    ends = [part.low, *inner, part.high]
    return [Interval(a, b) for a, b in pairwise(ends)]


def _joined(parts: list[Interval], f: Subject) -> list[Interval]:
    """Join intervals at a place between them where f is defined."""
    out: list[Interval] = []
    for p in parts:
        if out and out[-1].high is p.low and f.is_defined(p.low.value):
            out[-1] = Interval(out[-1].low, p.high)
        else:
            out.append(p)
    return out


def _cuts(e: Any, x: Any, part: Interval) -> tuple[list[Place], bool]:
    """Return the zeros of a formula with kinks on an interval, and its kinks."""
    pieces, complete = _pieces(e, x, part)
    cuts: list[Place] = []
    for piece, smooth in pieces:
        found = zeros(smooth, x, *piece.ends)
        complete = complete and found.complete
        cuts += [*found.places, *([piece.high] if piece.high is not part.high else [])]
    return sorted(cuts, key=lambda p: p.value), complete


def _pieces(e: Any, x: Any, part: Interval) -> tuple[list[tuple[Interval, Any]], bool]:
    """Return intervals on which a formula has no kink, each with its formula there."""
    kink = next((k for k in sp.postorder_traversal(e) if isinstance(k, _KINKED) and x in k.free_symbols), None)
    if kink is None:
        return [(part, e)], True
    cuts, complete = [], True
    for u in _switches(kink):
        found = zeros(u, x, *part.ends)
        cuts += found.places
        complete = complete and found.complete
    out = []
    for piece in split(part, sorted(cuts, key=lambda p: p.value)):
        inner, whole_ = _pieces(e.xreplace({kink: _branch(kink, x, piece.inside)}), x, piece)
        out += inner
        complete = complete and whole_
    return out, complete


def _switches(kink: Any) -> Iterator[Any]:
    """Yield what changes its sign where a function has its kink."""
    if isinstance(kink, (sp.Abs, sp.sign)):
        yield kink.args[0]
    elif isinstance(kink, (sp.Max, sp.Min)):
        yield from (a - b for k, a in enumerate(kink.args) for b in kink.args[:k])
    else:
        yield from (u for _, c in kink.args for u in _sides(c))


def _sides(c: Any) -> Iterator[Any]:
    """Yield the differences of the two sides of comparisons."""
    yield from (r.lhs - r.rhs for r in c.atoms(sp.core.relational.Relational))


def _branch(kink: Any, x: Any, where: Any) -> Any:
    """Return the smooth formula that a function with a kink is at a number."""

    def at(u: Any) -> Any:
        return mpmath.mpf(_value(compiled(u, x), where))

    if isinstance(kink, (sp.Abs, sp.sign)):
        sign = 1 if at(kink.args[0]) > 0 else -1
        return sign * kink.args[0] if isinstance(kink, sp.Abs) else sp.Integer(sign)
    if isinstance(kink, (sp.Max, sp.Min)):
        return (max if isinstance(kink, sp.Max) else min)(kink.args, key=at)
    for value, c in kink.args:
        relations = {r: sp.true if _relation(r, at) else sp.false for r in c.atoms(sp.core.relational.Relational)}
        if c == sp.true or c.xreplace(relations) == sp.true:
            return value
    return sp.nan


def _relation(r: Any, at: Any) -> bool:
    far = at(r.lhs - r.rhs)
    holds = {sp.Gt: far > 0, sp.Ge: far >= 0, sp.Lt: far < 0, sp.Le: far <= 0, sp.Ne: far != 0, sp.Eq: far == 0}
    return bool(holds[type(r)])


def _holds(case: Any, where: Any) -> bool:
    """Whether a condition holds at a number."""
    with mpmath.workdps(DIGITS + 30):
        try:
            return bool(case(mpmath.mpf(where)))
        except (ArithmeticError, ValueError, TypeError):
            return False


def _value(f: Any, where: Any) -> Any:
    with mpmath.workdps(DIGITS + 30):
        try:
            v = f(mpmath.mpf(where))
        except (ArithmeticError, ValueError, TypeError):
            return mpmath.nan
        v = mpmath.mpmathify(v)
        return v if isinstance(v, mpmath.mpf) else v.real if abs(v.imag) < _SMALL else mpmath.nan


# ------------------------------------------------------------------ reading
def _read(who: str, text: str, name: str | None) -> tuple[str, Formula]:
    e = text_of_names(text, {}, [] if name is None else [name])
    root = tensor_node(e.value)
    names = [n for n in e.names if n != name]
    if name is None and len(names) < 2:
        name, names = (names or ["x"])[0], []
    if len(names) == 1 and name is not None and tensor_node(e.leaves[name]) not in ancestors([root]):
        raise ArgumentError(
            f"{who}: {text!r} is a function of {names[0]}, and {name} does not occur in it. Write {names[0]} in place "
            f"of {name}: {names[0]}=1 as an argument with a value, {names[0]!r} as a name."
        )
    if names or name is None:
        raise ArgumentError(
            f"{who}: {text!r} has the names {', '.join(e.names) or 'none'}. Expected a function of one number, such as "
            "'x**3 - 3*x'; replace the other names by numbers."
        )
    leaves: Any = {tensor_node(leaf): n for n, leaf in e.leaves.items()}
    try:
        written = None if root is None else read(root, leaves, MOST)
    except Unwritable as error:
        raise ArgumentError(f"{who}: {text!r} is not a function of one number: {error}.") from error
    if root is not None and written is None:
        raise ArgumentError(f"{who}: the formula has more than {MOST} parts. Expected a shorter one.")
    return name, written if written is not None else _constant(e.value.item())


def _constant(value: Any) -> Formula:
    """Return a constant as it was typed; π and e are exact."""
    named = formula_of_number(value) if isinstance(value, float) and math.isfinite(value) else None
    return Number(Fraction(str(value))) if named is None or isinstance(named, Number) else named


def _check(who: str, text: str, e: Any, x: Any) -> None:
    others = {f.func for f in e.atoms(sp.Function) if x in f.free_symbols} - {*_SMOOTH, *_KINKED}
    if e.has(sp.zoo, sp.nan, sp.I):
        raise ArgumentError(nowhere(who, text))
    if others:
        name = sorted(f.__name__ for f in others)[0]
        raise ArgumentError(
            f"{who}: {text!r} has {name}, whose values are not bounded here. Expected powers, roots, exp, log, the "
            "circular and hyperbolic functions and their inverses, abs, sign, max, min and cases."
        )


def nowhere(who: str, text: str) -> str:
    """Return the message for a formula without real values."""
    return f"{who}: {text!r} has no real value for any number. Check its roots, logarithms and denominators."


def _conditions(t: Formula, x: str) -> Iterator[Condition]:
    """Yield the conditions under which a formula has a value, inner ones first."""
    if x not in t.free:
        return
    if isinstance(t, Cases):
        yield from _of_cases(t, x)
        return
    for a in t.operands:
        yield from _conditions(a, x)
    if isinstance(t, Quotient) and x in t.denominator.free:
        yield Condition("≠", _sympy(t.denominator, x))
    if isinstance(t, Power):
        e = t.exponent
        if not isinstance(e, Number):
            sign = "≥" if x not in e.free and _sympy(e, x).is_positive else ">"
            yield from [Condition(sign, _sympy(t.base, x))] * (x in t.base.free)
        elif x in t.base.free and (e.value.denominator != 1 or e.value < 0):
            yield Condition("≠" if e.value.denominator == 1 else "≥" if e.value > 0 else ">", _sympy(t.base, x))
    if isinstance(t, Call):
        a = _sympy(t.args[0], x)
        if t.name in _ABOVE:
            yield Condition(">", a - _ABOVE[t.name])
        if t.name in ("asin", "acos"):
            yield Condition("≥", 1 - a**2)
        if t.name == "atanh":
            yield Condition(">", 1 - a**2)
        if t.name == "acosh":
            yield Condition("≥", a - 1)
        if t.name == "tan":
            yield Condition("≠", sp.cos(a))


def _of_cases(t: Cases, x: str) -> Iterator[Condition]:
    """Yield the conditions of a case distinction: those of a value apply where its case holds."""
    others = sp.true
    for value, c in t.rows:
        yield from _conditions(c, x)
        case = others if isinstance(c, Otherwise) else sp.And(others, _sympy(c, x))
        yield from (k._replace(case=sp.And(k.case, case)) for k in _conditions(value, x))
        others = others if isinstance(c, Otherwise) else sp.And(others, sp.Not(_sympy(c, x)))


def _shortened(e: Any) -> Any:
    """Return a number in its short form; roots and fractions are expanded, which is quick."""
    if e.count_ops() <= _SHORT and not e.has(sp.Float) and len(e.atoms(sp.log)) < 2:
        return e
    return sp.radsimp(sp.expand(e)) if not e.atoms(sp.Function) else sp.simplify(e)


def _exponential(p: Any) -> Any:
    return sp.exp(p.exp * sp.log(p.base))


def _sympy(t: Formula, x: str) -> Any:
    e = in_full(to_sympy(t)).xreplace({sp.Symbol(x): sp.Symbol(x, real=True)})
    named = [f for f in e.atoms(sp.Function) if type(f).__name__ in _PLAIN]
    return e.xreplace({f: _PLAIN[type(f).__name__](f.args[0]) for f in named})


def _oscillates(e: Any, x: Any) -> bool:
    """Whether a circular function has an argument without bounds."""
    return any(x in f.free_symbols and not _is_bounded(f.args[0], x) for f in e.atoms(sp.sin, sp.cos, sp.tan))


def _is_bounded(u: Any, x: Any) -> bool:
    return u.func in (sp.sin, sp.cos, sp.atan, sp.tanh, sp.asin, sp.acos) or (
        u.is_Mul and all(not f.has(x) or _is_bounded(f, x) for f in u.args)
    )
