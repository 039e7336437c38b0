"""All zeros of a formula between two ends: isolated by interval arithmetic, so that none is missing without a word.

Where bounds of the values exclude 0 there is no zero; where those of the derivative do, at most one, and signs decide.
What is left is halved, and at last looked at as a zero of higher order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import mpmath
import numpy as np
import sympy as sp

from symgrad.teach.places.enclosures import NotEnclosed, enclose
from symgrad.teach.places.points import DIGITS, Place, asked, compiled, derived, exact_value, is_zero, number, place

_ROUNDS, _MOST = 60, 6000  # halvings, and cells at a time
_FINE, _FAR = 44, 180  # powers of two towards a finite and an infinite end
_LISTED = 400  # zeros that are computed where more of them cannot be told apart
_RATIO = 0.4871  # cells are not halved in the middle, where zeros like to be
_NARROW = 1e-5
_ORDERS = (2, 3, 4, 5, 6)
_RADII = 2.0 ** -np.arange(2, 16, 2)  # around an end, in which it is shown to be the only zero
_MANY = 400  # digits close to an end, where terms of a formula cancel
_TINY, _SAME = mpmath.mpf(10) ** -36, mpmath.mpf(10) ** -30


_OF_EXP = (sp.exp, sp.sinh, sp.cosh, sp.tanh)
_ZERO_AT = {  # the one argument at which a function is 0
    sp.log: 1, sp.acos: 1, sp.acosh: 1, sp.asin: 0, sp.atan: 0, sp.sinh: 0, sp.asinh: 0, sp.tanh: 0, sp.atanh: 0
}  # fmt: skip


class Zeros(NamedTuple):
    """The zeros between two ends, in order.

    Attributes:
        places: the zeros.
        complete: whether there is proof that these are all.
    """

    places: list[Place]
    complete: bool = True


def zeros(e: Any, x: Any, low: Any, high: Any) -> Zeros:
    """Return the zeros of a formula in the open interval, on which it is defined and smooth."""
    found: list[Place] = []
    complete = True
    for factor in _factors(e, x):
        these = real_roots(factor, x) if factor.is_polynomial(x) else None
        if these is None:
            these, whole = _isolated(factor, x, low, high)
            told = whole and (not factor.has(*_OF_EXP) or all(p.exact is not None for p in these))
            eliminated = None if told else asked(partial(eliminated_roots, factor, x))
            these, whole = (these, whole) if eliminated is None else (eliminated, True)
            complete = complete and whole
        found += [p for p in these if low < p.value < high]
    return Zeros(merged(found), complete)


def merged(places: list[Place]) -> list[Place]:
    """Return places in order; of those that are one, the one with a formula."""
    ordered: list[Place] = []
    for p in sorted(places, key=lambda p: p.value):
        if not ordered or abs(p.value - ordered[-1].value) > _SAME * (1 + abs(p.value)):
            ordered.append(p)
        elif ordered[-1].exact is None:
            ordered[-1] = p
    return ordered


def _factors(e: Any, x: Any) -> list[Any]:
    """Return factors whose zeros are those of a formula; what has no zero is left out."""
    e = e.replace(sp.tan, lambda u: sp.sin(u) / sp.cos(u))
    top = asked(lambda: sp.factor(sp.trigsimp(sp.fraction(sp.factor(sp.together(e)))[0])))
    parts = sp.Mul.make_args(sp.fraction(sp.together(e))[0] if top is None else top)
    bases = {p.base if p.is_Pow and p.exp.is_number and p.base is not sp.E else p for p in parts}
    inner = {b for b in bases if b.func in _ZERO_AT and x in b.free_symbols}
    if inner:
        return [f for b in bases - inner | {b.args[0] - _ZERO_AT[b.func] for b in inner} for f in _factors(b, x)]
    return [b for b in sorted(bases, key=str) if x in b.free_symbols and not is_never_zero(b)]


def is_never_zero(b: Any) -> bool:
    """Whether a factor has no zero, as an exponential."""
    return b.func is sp.exp or b.func is sp.cosh or (b.is_Pow and not b.exp.is_number) or b.is_positive is True


def real_roots(e: Any, x: Any) -> list[Place] | None:
    """Return the real zeros of a polynomial with rational coefficients, by Sturm's theorem."""
    p = sp.Poly(e, x)
    if not p.domain.is_QQ and not p.domain.is_ZZ:
        return None
    roots = sorted(set(p.real_roots()), key=lambda r: sp.N(r, 30))
    closed = asked(lambda: [r for r in sp.roots(p) if r.is_real]) if 2 < p.degree() <= 6 else None
    values = [place(r) for r in roots]
    for r in map(place, closed or []):
        values = [
            r if v.exact is None and r.exact is not None and abs(v.value - r.value) < _TINY else v for v in values
        ]
    return values


def eliminated_roots(e: Any, x: Any) -> list[Place] | None:
    """Return the real zeros of a formula of roots, or of exponentials, by a polynomial; None of any other."""
    t, scale = x, sp.S.Zero
    e = e.rewrite(sp.exp) if e.has(*_OF_EXP[1:]) else e
    waves = [f for f in e.atoms(sp.exp) if x in f.free_symbols]
    if waves:
        slopes = [f.args[0] / x for f in waves]
        ratios = [s / slopes[0] for s in slopes]
        if not all(r.is_Rational for r in ratios):
            return None
        t, scale = sp.Dummy(positive=True), abs(slopes[0]) / math.lcm(*[int(r.q) for r in ratios])
        e = e.xreplace({f: t ** (s / scale) for f, s in zip(waves, slopes, strict=True)})
    polynomial = _without_roots(e, t)
    if polynomial is None or x in polynomial.free_symbols - {t} or (roots := real_roots(polynomial, t)) is None:
        return None
    value = compiled(e, t)
    roots = [r for r in roots if (t is x or r.value > 0) and _vanishes(value, r)]
    return roots if t is x else [_logarithm(r, scale) for r in roots]


def _without_roots(e: Any, t: Any) -> Any:
    """Return a polynomial that has all zeros of a formula of roots; None where there is none."""
    while roots := [p for p in e.atoms(sp.Pow) if t in p.base.free_symbols and p.exp.is_Rational and p.exp.q > 1]:
        base = max((p.base for p in roots), key=lambda b: b.count_ops())
        q = math.lcm(*[int(p.exp.q) for p in roots if p.base == base])
        root = sp.Dummy(positive=True)
        e = e.xreplace({p: root ** (p.exp * q) for p in roots if p.base == base})
        e = sp.resultant(sp.fraction(sp.together(e))[0], sp.fraction(sp.together(root**q - base))[0], root)
    top = sp.expand(sp.fraction(sp.together(e))[0])
    return top if top != 0 and top.is_polynomial(t) else None


def _vanishes(value: Any, root: Place) -> bool:
    """Whether a formula is 0 at a zero of a polynomial that has all of its zeros."""
    with mpmath.workdps(DIGITS):
        try:
            return bool(abs(value(root.value)) < _SAME)
        except (ArithmeticError, ValueError, TypeError):
            return False


def _logarithm(root: Place, scale: Any) -> Place:
    """Return log(t)/scale."""
    with mpmath.workdps(DIGITS):
        value = mpmath.log(root.value) / number(scale)
    return Place(value) if root.exact is None else place(sp.simplify(sp.log(root.exact) / scale))


# ------------------------------------------------------------------ isolation
class _Formula:
    """A formula with its derivatives, as numbers of 60 digits and as bounds."""

    def __init__(self, e: Any, x: Any) -> None:
        self.x, self._orders = x, [e]
        self._functions: dict[int, Any] = {}
        self._scaled: list[Any] | None = None

    def order(self, n: int) -> Any:
        while len(self._orders) <= n:
            self._orders.append(derived(self._orders[-1], self.x))
        return self._orders[n]

    def at(self, where: Any, n: int = 0, digits: int = DIGITS + 30) -> Any:
        """Return the n-th derivative's value; nan where it has none."""
        if n not in self._functions:
            self._functions[n] = compiled(self.order(n), self.x)
        with mpmath.workdps(digits):
            try:
                value = self._functions[n](mpmath.mpf(where))
            except (ArithmeticError, ValueError, TypeError):
                return mpmath.nan
            return value if isinstance(value, mpmath.mpf) else mpmath.mpmathify(value).real

    def bounds(self, low: Any, high: Any, n: int = 0) -> Any:
        return enclose(self.order(n), self.x, low, high)

    def excludes(self, low: Any, high: Any) -> Any:
        """Whether there is no zero, by bounds of other forms of the formula."""
        if self._scaled is None:
            self._scaled = asked(partial(_other_forms, self.order(0), self.x)) or []
        none = np.zeros(np.shape(low), dtype=bool)
        for form in self._scaled:
            a, b = enclose(form, self.x, low, high)
            none |= (a > 0) | (b < 0)
        return none


def _other_forms(e: Any, x: Any) -> list[Any]:
    """Return formulas with the zeros of a formula, whose bounds may exclude 0 where those of the formula do not."""
    logs = sorted((f for f in e.atoms(sp.log) if x in f.free_symbols), key=str)
    collected = sp.collect(sp.expand(e), logs, sp.factor) if logs else e
    return [*_over_exponentials(e, x), *[collected] * (collected != e)]


def _over_exponentials(e: Any, x: Any) -> list[Any]:
    """Return a formula of exponentials over its largest and its smallest one, with the zeros of the formula.

    Where exponentials are large, terms of one size have bounds that exclude 0, while those of the formula are infinite.
    """
    t = sp.Dummy(real=True)  # 1/x would become an exponential too
    e = e.xreplace({f: f.func(t).rewrite(sp.exp).xreplace({t: f.args[0]}) for f in e.atoms(*_OF_EXP[1:])})
    waves = [f for f in e.atoms(sp.exp) if x in f.free_symbols]
    ratios = [sp.cancel(f.args[0] / waves[0].args[0]) for f in waves]
    if not waves or not all(r.is_Rational for r in ratios):
        return []
    t, below = sp.Dummy(positive=True), math.lcm(*[int(r.q) for r in ratios])
    top = sp.expand(
        sp.fraction(sp.together(e.xreplace({f: t ** (r * below) for f, r in zip(waves, ratios, strict=True)})))[0]
    )
    powers = sp.collect(top, t, evaluate=False)
    degrees = {p: sp.degree(p, t) if p != 1 else 0 for p in powers}
    if len(degrees) < 2 or any(c.has(t) for c in powers.values()):
        return []
    unit = waves[0].args[0] / below
    ends = max(degrees.values()), min(degrees.values())
    return [sp.Add(*[c * sp.exp((degrees[p] - end) * unit) for p, c in powers.items()]) for end in ends]


def _isolated(e: Any, x: Any, low: Any, high: Any) -> tuple[list[Place], bool]:
    f = _Formula(e, x)
    edges = np.array(_edges(float(low), float(high)))
    edges = edges[(edges >= _told_apart(f, low, 1)) & (edges <= _told_apart(f, high, -1))]
    brackets: list[tuple[float, float]] = []
    try:
        stuck, complete = _halved(f, edges[:-1], edges[1:], brackets)
        if not complete and len(brackets) > _LISTED:  # as of sin(1/x), which has them without end
            return [], False
        places = [_refined(f, a, b) for a, b in brackets]
        for a, b in _clusters(stuck):
            these = _of_higher_order(f, a, b)
            complete = complete and these is not None
            places += these or []
    except NotEnclosed:
        return [], False
    ends = all(_keeps_its_sign(f, end, near) for end, near in ((low, edges[0]), (high, edges[-1])))
    return places, complete and ends


def _told_apart(f: _Formula, end: Any, side: int) -> float:
    """Return how far from an end that is a zero there is no other, by bounds of the first derivative that is not 0."""
    if mpmath.isinf(end):
        return float(end)
    for m in range(1, _ORDERS[-1] + 1):
        if not abs(f.at(end, m - 1)) < _TINY:
            return float(end)
        for r in _RADII:
            sides = sorted((float(end), float(end) + side * r))
            a, b = f.bounds(np.array(sides[:1]), np.array(sides[1:]), m)
            if a[0] > 0 or b[0] < 0:
                return float(sides[side > 0])
    return float(end)


def _edges(low: float, high: float) -> list[float]:
    """Return edges of cells that get finer towards both ends."""
    if np.isinf(low) and np.isinf(high):
        steps = [0.9713 * 2.0**k for k in range(-8, _FAR)]
        return [*[-s for s in reversed(steps)], *steps]
    if np.isinf(high):
        return [low + 0.9713 * 2.0**k for k in range(-_FINE, _FAR)]
    if np.isinf(low):
        return [high - 0.9713 * 2.0**k for k in reversed(range(-_FINE, _FAR))]
    width, middle = high - low, low + _RATIO * (high - low)
    left = [low + width * _RATIO * 2.0**-k for k in range(_FINE, 0, -1)]
    right = [high - width * (1 - _RATIO) * 2.0**-k for k in range(1, _FINE)]
    edges = [*left, middle, *right]
    return sorted({v for v in edges if low < v < high})


def _halved(f: _Formula, low: Any, high: Any, brackets: list[tuple[float, float]]) -> tuple[list[Any], bool]:
    """Halve cells until each has no zero or one; return those that stay, and whether none had to be given up."""
    stuck: list[tuple[float, float]] = []
    for _ in range(_ROUNDS):
        a, b = f.bounds(low, high)
        da, db = f.bounds(low, high, 1)
        middle = low + _RATIO * (high - low)
        ma, mb = f.bounds(middle, middle)
        with np.errstate(all="ignore"):  # f(m) + f′·(x − m)
            way = [da * (low - middle), da * (high - middle), db * (low - middle), db * (high - middle)]
            a2, b2 = ma + np.minimum.reduce(way), mb + np.maximum.reduce(way)
        possible = (a <= 0) & (b >= 0) & ~(a2 > 0) & ~(b2 < 0)
        possible[possible] = ~f.excludes(low[possible], high[possible])
        monotone = (da > 0) | (db < 0)
        for p, q in zip(low[possible & monotone], high[possible & monotone], strict=True):
            if f.at(p) * f.at(q) <= 0:
                brackets.append((float(p), float(q)))
        rest = possible & ~monotone
        narrow = rest & ((high - low) < _NARROW * np.maximum(np.abs(low), 1e-3))
        stuck += list(zip(low[narrow], high[narrow], strict=True))
        rest &= ~narrow
        low, middle, high = low[rest], middle[rest], high[rest]
        if not len(low):
            return stuck, True
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        if len(low) > _MOST:
            return stuck, False
    return stuck, False


def _refined(f: _Formula, low: float, high: float) -> Place:
    """Return the one zero between two numbers, with its formula where it has one."""
    with mpmath.workdps(DIGITS + 20):
        if f.at(low) == 0 or f.at(high) == 0:
            root = mpmath.mpf(low if f.at(low) == 0 else high)
        else:
            root = mpmath.findroot(
                f.at, (mpmath.mpf(low), mpmath.mpf(high)), solver="anderson", tol=1e-110, verify=False
            )
            root = root if low <= root <= high else _bisected(f, low, high, 0)
    return _placed(f, root)


def _placed(f: _Formula, root: Any) -> Place:
    exact = exact_value(root, lambda c: is_zero(f.order(0).subs(f.x, c)))
    return Place(root) if exact is None else place(exact)


def _bisected(f: _Formula, low: Any, high: Any, n: int) -> Any:
    low, high = mpmath.mpf(low), mpmath.mpf(high)
    with mpmath.workdps(DIGITS + 20):
        start = f.at(low, n)
        for _ in range(240):
            middle = (low + high) / 2
            low, high = (middle, high) if f.at(middle, n) * start > 0 else (low, middle)
        return (low + high) / 2


def _clusters(cells: Sequence[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Yield unions of cells that touch, with some room around them."""
    ordered = sorted(cells)
    start = 0
    for k, (a, b) in enumerate(pairwise([*ordered, (np.inf, np.inf)])):
        if b[0] > a[1] + 4 * (a[1] - a[0]):
            low, high = ordered[start][0], a[1]
            room = (high - low) + 1e-7 * (1 + abs(low))
            yield low - room, high + room
            start = k + 1


def _of_higher_order(f: _Formula, low: float, high: float) -> list[Place] | None:
    """Return the zeros in a narrow cell by the first derivative that has none there; None where they are not told."""
    for order in _ORDERS:
        m = order
        a, b = f.bounds(np.array([low]), np.array([high]), m)
        if not (a[0] > 0 or b[0] < 0):
            continue
        while m and f.at(low, m - 1) * f.at(high, m - 1) > 0:  # then that derivative has no zero either
            m -= 1
        if m < 2:
            return [_refined(f, low, high)] if m else []
        centre = _bisected(f, low, high, m - 1)
        values = [abs(f.at(centre, j)) for j in range(m - 1)]
        if all(v < _TINY for v in values):
            return [_placed(f, centre)]
        if m == 2 and values[0] > _TINY:
            return [_refined(f, p, q) for p, q in ((low, centre), (centre, high)) if f.at(p) * f.at(q) < 0]
        return None
    return None


def _keeps_its_sign(f: _Formula, end: Any, near: float) -> bool:
    """Whether a formula has one sign from its last cell on to an end, as far as numbers tell."""
    gaps = [mpmath.mpf(2) ** k for k in (range(0, 40, 3) if mpmath.isinf(end) else range(0, -90, -3))]
    with mpmath.workdps(_MANY):
        where = [near * g if mpmath.isinf(end) else end + (near - end) * g for g in gaps]
    signs = {int(mpmath.sign(v)) for w in where if mpmath.isfinite(v := f.at(w, digits=_MANY))}
    return len(signs - {0}) <= 1
