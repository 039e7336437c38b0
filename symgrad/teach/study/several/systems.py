"""Real solutions of equations in several unknowns.

Of polynomials all of them: each unknown's values are the real roots of a polynomial of a Gröbner basis. Of others those
that Newton's method comes to from many starts, which is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import mpmath
import numpy as np
import sympy as sp

from symgrad.scalars import in_full
from symgrad.teach.places.points import DIGITS, Place, asked, derived, exact_value, is_zero, number, place
from symgrad.teach.places.zeros import is_never_zero, merged, real_roots

Point = tuple[Place, ...]
WINDOW = 10  # where Newton's method starts
_CHOICES, _CANDIDATES = 64, 4096
_STARTS = {1: 201, 2: 24, 3: 9, 4: 5}  # in each direction
_TRIES = 12  # of the ends nearest to the origin: whether one of them lies on a curve of solutions
_ROUNDS, _CLOSE = 60, 1e-7
_FLAT, _STEP, _DENOMINATOR = 1e-4, 0.05, 24  # of points at which the equations have no slope in a direction
_SMALL = mpmath.mpf(10) ** -35
_SAME = mpmath.mpf(10) ** -20


class Solutions(NamedTuple):
    """The real solutions of a system.

    Attributes:
        points: the solutions, each with a place for every unknown.
        complete: whether there is proof that these are all.
        curves: equations whose solutions, perhaps not isolated, solve the system as well, and are not listed.
        windows: where others were looked for, of each unknown, where there is no proof.
    """

    points: list[Point]
    complete: bool = True
    curves: tuple[tuple[Any, ...], ...] = ()
    windows: tuple[tuple[float, float], ...] = ()


def real_solutions(equations: Sequence[Any], unknowns: Sequence[Any]) -> Solutions:
    """Return the real solutions of equations e = 0.

    Args:
        equations: formulas of the unknowns, without other names.
        unknowns: symbols.
    """
    opened, roots = _roots_named(equations, unknowns)
    every = [*unknowns, *roots]
    choices = [_factors(e, every) for e in opened]
    if all(c is not None for c in choices) and np.prod([len(c or ()) for c in choices]) <= _CHOICES:
        made = _of_polynomials(choices, every)
        if made is not None and not (roots and made.curves):
            points = dict.fromkeys(p[: len(unknowns)] for p in made.points)
            return made._replace(points=[p for p in points if _solves(equations, unknowns, p)])
    return _by_newton(equations, unknowns)


def _roots_named(equations: Sequence[Any], unknowns: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the equations with an unknown u for each root of a formula, where uⁿ is that formula; and these u."""
    opened, names = [in_full(e) for e in equations], []
    powers = {p for e in opened for p in e.atoms(sp.Pow) if p.exp.is_Rational and p.exp.q > 1}
    for base in sorted({p.base for p in powers if p.base.free_symbols & {*unknowns}}, key=str):
        same = [p for p in powers if p.base == base]
        n, u = math.lcm(*[int(p.exp.q) for p in same]), sp.Dummy(positive=True)
        opened = [e.xreplace({p: u ** (p.exp * n) for p in same}) for e in opened] + [u**n - base]
        names.append(u)
    return opened, names


# ------------------------------------------------------------------ polynomials
def _factors(e: Any, unknowns: Sequence[Any]) -> list[list[Any]] | None:
    """Return lists of polynomials: e is 0 where all of one list are; None where e is no such product."""
    top = asked(lambda: sp.factor(sp.fraction(sp.together(in_full(e)))[0]))
    if top is None:
        return None
    if top == 0:
        return [[]]
    out: list[list[Any]] = []
    for part in sp.Mul.make_args(top):
        base = part.base if part.is_Pow and part.exp.is_number and part.base is not sp.E else part
        if not base.free_symbols or is_never_zero(base):
            continue
        if not base.is_polynomial(*unknowns):
            return None
        zeros = _vanishing(base, unknowns)
        out += [] if zeros is None else [zeros]
    return out


def _vanishing(e: Any, unknowns: Sequence[Any]) -> list[Any] | None:
    """Return what vanishes where a polynomial does: of a sum of even powers each unknown; None of what never does."""
    p = sp.Poly(e, *unknowns)
    even = all(k % 2 == 0 for monomial in p.monoms() for k in monomial)
    if not even or not (all(c.is_positive for c in p.coeffs()) or all(c.is_negative for c in p.coeffs())):
        return [e]
    if any(not any(m) for m in p.monoms()):
        return None
    pure = {m.index(max(m)) for m in p.monoms() if sum(k > 0 for k in m) == 1}
    used = {k for m in p.monoms() for k, power in enumerate(m) if power}
    return [unknowns[k] for k in sorted(pure)] if pure == used else [e]


def _of_polynomials(choices: Sequence[Any], unknowns: Sequence[Any]) -> Solutions | None:
    points: list[Point] = []
    curves: list[tuple[Any, ...]] = []
    for chosen in product(*choices):
        system = list(dict.fromkeys(p for part in chosen for p in part))
        made = _zero_dimensional(system, unknowns)
        if made is None:
            return None
        curves += [c for c in made.curves if c not in curves]
        points += [p for p in made.points if not any(_equal(p, q) for q in points)]
    return Solutions(sorted(points, key=lambda p: [q.value for q in p]), not curves, tuple(curves))


def _equal(p: Point, q: Point) -> bool:
    return all(abs(a.value - b.value) < _SAME for a, b in zip(p, q, strict=True))


def _zero_dimensional(system: Sequence[Any], unknowns: Sequence[Any]) -> Solutions | None:
    """Return the solutions of polynomials; None where SymPy does not find a basis soon."""
    if not system:
        return Solutions([], False, ((),))
    basis = asked(lambda: sp.groebner(system, *unknowns, order="grevlex"))
    if basis is None:
        return None
    if basis.exprs == [1]:
        return Solutions([])
    if not basis.is_zero_dimensional:
        return Solutions([], False, (tuple(basis.exprs),))
    values: list[list[Place]] = []
    for k, x in enumerate(unknowns):
        order = [*unknowns[:k], *unknowns[k + 1 :], x]
        lex = asked(lambda order=order: sp.groebner(basis.exprs, *order, order="lex"))  # type: ignore[misc]
        last = [] if lex is None else [e for e in lex.exprs if e.free_symbols == {x}]
        roots = [real_roots(f, x) for e in last[-1:] for f, _ in sp.factor_list(e)[1]]
        if not last or any(r is None for r in roots):
            return None
        values.append(merged([p for r in roots for p in r or []]))
    if np.prod([len(v) for v in values]) > _CANDIDATES:
        return None
    return Solutions([p for p in product(*values) if _solves(system, unknowns, p)])


def _solves(system: Sequence[Any], unknowns: Sequence[Any], p: Point) -> bool:
    """Whether formulas have a value at a point, and are 0 there to 35 digits."""
    with mpmath.workdps(DIGITS):
        where = [q.value for q in p]
        for e in system:
            try:
                v = mpmath.mpmathify(sp.lambdify(unknowns, e, "mpmath")(*where))
            except (ArithmeticError, ValueError, TypeError):
                return False
            if not mpmath.isfinite(v) or abs(v) > _SMALL * (1 + max(map(abs, where))) ** 8:
                return False
    return True


# ------------------------------------------------------------------ Newton's method
def _by_newton(equations: Sequence[Any], unknowns: Sequence[Any]) -> Solutions:
    """Return what Newton's method comes to from starts in a window, or in a period."""
    windows = tuple(_window(equations, x, unknowns) for x in unknowns)
    values = _numbers(equations, unknowns)
    slopes = _numbers([derived(e, x) for e in equations for x in unknowns], unknowns)
    with np.errstate(all="ignore"):
        ends = list(_walk(values, slopes, _starts(windows)))
        flat = [_flat_directions(slopes, end) for end in ends]
        on_curves = [any(_leads_on(values, slopes, end, v) for v in vs) for end, vs in zip(ends, flat, strict=True)]
    points: list[Point] = []
    for end, directions, on_curve in zip(ends, flat, on_curves, strict=True):
        if on_curve or not all(a - _CLOSE < v < b + _CLOSE for v, (a, b) in zip(end, windows, strict=True)):
            continue
        if any(np.abs(_floats(p) - end).max() < _CLOSE for p in points):
            continue
        p = _snapped(equations, unknowns, end) if len(directions) else None
        p = p or _polished(equations, unknowns, end)
        if p is not None and len(directions) and len(_flat_directions(slopes, _floats(p), 1e-12)) and not _is_exact(p):
            continue  # its digits are too few to say what it is
        if p is not None and _inside(p, windows) and not any(_equal(p, q) for q in points):
            points.append(p)
    beside = [end for end, on_curve in zip(ends, on_curves, strict=True) if on_curve]  # or where slopes vanish far out
    nearest = sorted(beside, key=lambda end: float(np.abs(end).max()))[:_TRIES]
    curves = (tuple(equations),) if any(_polished(equations, unknowns, end) is not None for end in nearest) else ()
    return Solutions(sorted(points, key=lambda p: [q.value for q in p]), False, curves, windows)


def _floats(p: Point) -> Any:
    return np.array([float(q.value) for q in p])


def _is_exact(p: Point) -> bool:
    return all(q.exact is not None for q in p)


def _flat_directions(slopes: Any, x: Any, small: float = _FLAT) -> Any:
    """Return the directions in which equations have no slope at a solution, as rows: there Newton's digits are few."""
    n = len(x)
    _, sizes, directions = np.linalg.svd(slopes(x[:, None]).reshape(-1, n))
    return directions[np.append(sizes, np.zeros(n - len(sizes))) <= small * max(1.0, sizes[0])]


def _leads_on(values: Any, slopes: Any, x: Any, direction: Any) -> bool:
    """Whether a small step in a direction comes to another solution beside it, as on a curve of solutions."""
    start = y = x + _STEP * direction
    for _ in range(8):
        y = y - np.linalg.pinv(slopes(y[:, None]).reshape(-1, len(y)), rcond=_FLAT) @ values(y[:, None])[:, 0]
    return bool(np.abs(values(y[:, None])).max() < 1e-12 and np.abs(y - start).max() < _STEP / 4)


def _snapped(equations: Sequence[Any], unknowns: Sequence[Any], x: Any) -> Point | None:
    """Return the fractions, or fractions of π, next to a solution without slopes, where they solve the equations."""
    near = [
        {sp.Rational(float(v) / float(unit)).limit_denominator(_DENOMINATOR) * unit for unit in (sp.S.One, sp.pi)}
        for v in x
    ]
    for choice in product(*near):
        moved = max(abs(float(c) - v) for c, v in zip(choice, x, strict=True))
        whole = dict(zip(unknowns, choice, strict=True))
        if moved < _STEP and all(is_zero(in_full(e).subs(whole)) for e in equations):
            return tuple(map(place, choice))
    return None


def _inside(p: Point, windows: Sequence[tuple[float, float]]) -> bool:
    """Whether a point is in a window; of a period's two ends, the upper one is."""
    tiny = 1e-12
    return all(low + tiny < float(q.value) <= high + tiny for q, (low, high) in zip(p, windows, strict=True))


def _window(equations: Sequence[Any], x: Any, unknowns: Sequence[Any]) -> tuple[float, float]:
    """Return one period where the equations repeat after 2π, else a window."""
    rng = np.random.default_rng(7)
    at = rng.uniform(-3, 3, (len(unknowns), 9))
    moved = at.copy()
    moved[unknowns.index(x)] += 2 * np.pi
    f = _numbers(equations, unknowns)
    with np.errstate(all="ignore"):
        a, b = f(at), f(moved)
    depends = any(x in e.free_symbols for e in equations)
    return (-np.pi, np.pi) if depends and np.allclose(a, b, 1e-9, 1e-9, equal_nan=True) else (-WINDOW, WINDOW)


def _starts(windows: Sequence[tuple[float, float]]) -> Any:
    many = _STARTS.get(len(windows), 4)
    axes = [np.linspace(low, high, many) + 0.0137 * (k + 1) for k, (low, high) in enumerate(windows)]
    near = [np.linspace(-2, 2, min(many, 9)) + 0.0071 * (k + 1) for k in range(len(windows))]
    return np.concatenate([np.array(list(product(*a))) for a in (axes, near)]).T


def _numbers(formulas: Sequence[Any], unknowns: Sequence[Any]) -> Any:
    f = sp.lambdify(unknowns, list(formulas), "numpy")

    def values(at: Any) -> Any:
        return np.array([np.broadcast_to(np.real(v), at.shape[1:]) for v in f(*at)], dtype=float)

    return values


def _walk(f: Any, slopes: Any, x: Any) -> Iterator[Any]:
    """Yield where Newton's method stops, from starts in columns; steps are halved where they do not help."""
    n = len(x)
    for _ in range(_ROUNDS):
        value = f(x)
        matrix = np.moveaxis(slopes(x).reshape(len(value), n, -1), -1, 0)
        fine = np.isfinite(matrix).all((1, 2)) & np.isfinite(value).all(0)
        x, value, matrix = x[:, fine], value[:, fine], matrix[fine]
        if not x.size:
            return
        damped = matrix + 1e-14 * np.eye(*matrix.shape[1:])
        step = np.linalg.pinv(damped, rcond=1e-13) @ value.T[..., None]
        step = np.clip(step[..., 0].T, -2, 2)
        old = np.abs(value).max(0)
        for _ in range(6):
            worse = ~(np.abs(f(x - step)).max(0) <= old)
            step = np.where(worse & (old > 1e-9), step / 2, step)
        x = x - step
    yield from x[:, np.abs(f(x)).max(0) < 1e-9].T


def _polished(equations: Sequence[Any], unknowns: Sequence[Any], start: Any) -> Point | None:
    """Return a solution near a start to 50 digits, exact where that is proved."""
    f = sp.lambdify(unknowns, list(equations), "mpmath")
    with mpmath.workdps(DIGITS + 15):
        try:
            root = mpmath.findroot(lambda *v: f(*v), [mpmath.mpf(float(v)) for v in start], tol=1e-100, maxsteps=60)
            values = [mpmath.mpf(v) for v in root]
        except (ArithmeticError, ValueError, TypeError):
            return None
        if max(abs(v - mpmath.mpf(float(s))) for v, s in zip(values, start, strict=True)) > 1e-4:
            return None
        values = [mpmath.mpf(0) if abs(v) < mpmath.mpf(10) ** -45 else v for v in values]
    exact = [exact_value(v, lambda c: True) for v in values]
    whole = dict(zip(unknowns, exact, strict=True))
    if all(e is not None for e in exact) and all(is_zero(in_full(e).subs(whole)) for e in equations):
        return tuple(map(place, exact))
    alone = [e is not None and _decides(equations, x, e) for x, e in whole.items()]
    return tuple(place(e) if sure else Place(v) for v, e, sure in zip(values, exact, alone, strict=True))


def _decides(equations: Sequence[Any], x: Any, value: Any) -> bool:
    """Whether an equation of one unknown alone has this solution, exactly."""
    return any(e.free_symbols == {x} and is_zero(in_full(e).subs(x, value)) for e in equations)


def value_at(e: Any, unknowns: Sequence[Any], p: Point) -> Place:
    """Return a formula's value at a point, exact where that is short."""
    where = dict(zip(unknowns, p, strict=True))
    if _is_exact(p):
        made = asked(lambda: sp.simplify(e.subs({x: q.exact for x, q in where.items()})))
        if made is not None and made.is_number and mpmath.isfinite(number(made)):
            return place(sp.radsimp(made))
    with mpmath.workdps(DIGITS + 10):
        v = mpmath.mpmathify(sp.lambdify(unknowns, e, "mpmath")(*[q.value for q in p]))
    return Place(v if isinstance(v, mpmath.mpf) else v.real)
