"""``sg.grade`` of dy/dx where equations define y: values on the curve, and the slips of implicit differentiation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import array_kernel
from symgrad.errors import ArgumentError
from symgrad.expression.arguments import text_of_names
from symgrad.expression.cursor import label_of
from symgrad.expression.equations import has_equals_sign
from symgrad.expression.reader import Expression, names_in, read
from symgrad.expression.tokens import without_dollars
from symgrad.forms.implicit_functions import Curve, curve, names_in_equations, slopes, sympy_of
from symgrad.scalars import differentiate

TRIED, KEPT = 400, 24  # points
_NEAR, _STEPS = 1e-7, 40
Point = dict[str, float]


def is_curve(of: Any, wrt: Any) -> bool:
    """Whether a problem is equations, and not a formula with its name before it, as in f(x) = x² and y = x²."""
    if not isinstance(of, str):
        return isinstance(of, (list, tuple)) and any(has_equals_sign(str(text)) for text in of)
    of = without_dollars(of)
    label = label_of(of)
    rest = of[label.end() :] if label is not None else of
    if label is not None and not has_equals_sign(rest):
        name, names = label[1], [wrt] if isinstance(wrt, str) else [*wrt]
        return name is not None and (name in names or name in text_of_names(rest, {}, names).names)
    return has_equals_sign(rest)


def curve_of(of: str | Sequence[str], wrt: str | Sequence[str]) -> Curve:
    """Return the curve of a problem: dy/dx by ``"x"``, where y is the other name, or by ``("y", "x")``."""
    if not isinstance(wrt, str):
        if len(wrt) != 2:
            raise ArgumentError(f"grade: for equations, got wrt={list(wrt)}. Expected 'x', or ('y', 'x') for dy/dx.")
        return curve("grade", of, wrt[0], wrt[1])
    letters = [wrt, *(c for c in "xy" if c in "".join(map(str, of)))]
    names = names_in_equations("grade", of, letters)
    others = sorted({*names} - {wrt})
    y = "y" if "y" in others or (wrt == "x" and "r" in others) else others[0] if len(others) == 1 else None
    if y is None:
        raise ArgumentError(
            f"grade: the equations have the names {', '.join(sorted(names)) or 'none'}. Say which one is "
            f"differentiated, as in wrt=('{others[0] if others else 'y'}', '{wrt}')."
        )
    return curve("grade", of, y, wrt)


class CurveProblem:
    """The derivative dy/dx on a curve, with points of the curve.

    Attributes:
        points: points of the curve at which the derivative is finite.
        truth: the derivative there.
    """

    def __init__(self, c: Curve, order: int) -> None:
        self.curve, self.order = c, order
        self.form = slopes(c, order)[0]
        self._letters = [sp.Symbol(n, real=True) for n in c.names]
        self.points = [p for p in _points(c) if np.isfinite(self.value(self.form, p))][:KEPT]
        self.truth = np.array([self.value(self.form, p) for p in self.points])
        if len(self.points) < 3:
            raise ArgumentError(
                f"grade: only {len(self.points)} points were found where {c.wanted[0]} is a function of {c.x} with a "
                "derivative. Check the equations."
            )

    def value(self, e: Any, p: Point) -> float:
        """Return a formula's value at a point of the curve; nan where it has none."""
        with np.errstate(all="ignore"):
            return float(np.real(array_kernel(e, tuple(self._letters))(*[p[n] for n in self.curve.names])))

    def agreement(self, e: Any) -> Any:
        """Return at which points a formula has the derivative's value."""
        values = np.array([self.value(e, p) for p in self.points])
        with np.errstate(all="ignore"):
            return np.abs(values - self.truth) <= _NEAR * (1 + np.abs(self.truth))

    def slips(self) -> Iterator[tuple[str, str, Any]]:
        """Yield slips of implicit differentiation: which one, what to say, and what comes of it."""
        c, s = self.curve, self.form
        y, x = sp.Symbol(c.wanted[0], real=True), sp.Symbol(c.x, real=True)
        yield "sign", "The sign is wrong: bring the terms without the derivative to the other side.", -s
        if s != 0:
            says = f"This is the reciprocal: solve for d{y}/d{x}, not for d{x}/d{y}."
            yield "quotient", says, 1 / s
            yield "quotient", says, -1 / s
        if len(c.sides) > 1 or self.order > 1:
            return
        left, right = map(sympy_of, c.sides[0])
        f = left - right
        fx, fy = differentiate(f, x), differentiate(f, y)
        for side in (left, -right):
            if not side.free_symbols & {x, y} and side != 0:
                yield "constant", f"The derivative of the constant {abs(side)} is 0.", -(fx + side) / fy
        for term in sp.Add.make_args(sp.expand(f)):
            by_x, by_y = differentiate(term, x), differentiate(term, y)
            if by_x != 0 and by_y != 0:
                says = f"{_shown(term)} has {x} and {y}: the product rule gives two terms."
                yield "product", says, -(fx - by_x) / fy
                yield "product", says, -fx / (fy - by_y) if fy != by_y else sp.nan
            elif by_y != 0:
                says = f"{y} depends on {x}: the derivative of {_shown(term)} has the factor d{y}/d{x}."
                yield "chain", says, -(fx + by_y) / (fy - by_y) if fy != by_y else sp.nan


def _shown(term: Any) -> str:
    return str(term if not term.could_extract_minus_sign() else -term).replace("**", "^")


def answer_of(answer: Any, c: Curve) -> Any:
    """Return an answer in SymPy's classes."""
    if isinstance(answer, str):
        reading = read(answer, "paper", dict.fromkeys(c.names, 0), answer=True).refuse_two_ways()
        return sympy_of(Expression(reading, dict.fromkeys([*c.names, *names_in(reading, c.names)], ())))
    e = sp.sympify(getattr(answer, "expr", answer))
    return e.xreplace({s: sp.Symbol(s.name, real=True) for s in e.free_symbols})


def branch(problem: CurveProblem, agrees: Any) -> str | None:
    """Return the branch on which an answer is right, as "y > 0"; None where it is right on none."""
    y, x = problem.curve.wanted[0], problem.curve.x
    for name in (y, x):
        values = np.array([p[name] for p in problem.points])
        for sign, side in ((">", values > 0), ("<", values < 0)):
            if side.any() and agrees[side].all() and not agrees[~side].any():
                return f"{name} {sign} 0"
    return None


# ------------------------------------------------------------------ points
def _points(c: Curve) -> Iterator[Point]:
    """Yield points of the curve: numbers for the other names, and the unknowns by Newton's method."""
    rng, t = np.random.default_rng(7), c.parameter
    fs = [sympy_of(a) - sympy_of(b) for a, b in c.sides]
    solved = [n for n in (c.x, *c.wanted)] if t is not None else [*c.unknowns]
    free = [n for n in c.names if n not in solved]
    letters = tuple(sp.Symbol(n, real=True) for n in (*free, *solved))
    kernels = [array_kernel(f, letters) for f in fs]
    jacobian = [[array_kernel(differentiate(f, u), letters) for u in letters[len(free) :]] for f in fs]
    kept = 0
    for k in range(TRIED):
        given = rng.uniform(0.2, 3, len(free)) * (1 if k % 2 else rng.choice([-1, 1], len(free)))
        p = _newton(kernels, jacobian, given, rng.uniform(-4, 4, len(solved)))
        if p is not None:
            kept += 1
            yield dict(zip((*free, *solved), map(float, (*given, *p)), strict=True))
        if kept == 2 * KEPT:
            return


def _newton(kernels: Any, jacobian: Any, given: Any, start: Any) -> Any:
    """Return a zero of the equations near a start; None where the steps do not lead to one."""
    u = start
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            at = (*given, *u)
            f = np.array([np.real(k(*at)) for k in kernels], float)
            j = np.array([[np.real(d(*at)) for d in row] for row in jacobian], float)
            if not (np.isfinite(f).all() and np.isfinite(j).all()) or abs(np.linalg.det(j)) < 1e-12:
                return None
            step = np.linalg.solve(j, f)
            u = u - step
            if np.abs(step).max() <= 1e-14 * (1 + np.abs(u).max()):
                return u
    return None
