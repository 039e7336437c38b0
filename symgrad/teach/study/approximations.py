"""Tangents, normals and Taylor polynomials of a formula at a point, with steps and error bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.expression.arithmetic import ZERO, add, mul, num, power
from symgrad.expression.equations import has_equals_sign
from symgrad.expression.formula import Formula, Label, Name
from symgrad.expression.printer import handwritten
from symgrad.forms.derive import derive
from symgrad.support.arguments import check_methods, checked
from symgrad.teach.board.line import Equation
from symgrad.teach.calculus.lesson import written_form
from symgrad.teach.places.enclosures import NotEnclosed, enclose
from symgrad.teach.places.points import derived, number
from symgrad.teach.steps.lesson import Given, LessonStep, Note
from symgrad.teach.study.functions import Subject
from symgrad.teach.study.solution import Solution, write

_CELLS = 512  # in which bounds of a derivative are looked for
_MOST = 12  # the highest order of a Taylor polynomial


@checked
def tangent(f: str, **at: Any) -> TaylorPolynomial:
    """Return the tangent y = f(a) + f′(a)·(x − a), which is the linear approximation of f near a.

    Args:
        f: a formula of one number as text.
        at: the point a, by name: a number, as in ``x=2``, or an exact one as text, as in ``x="pi/4"``.

    Returns:
        A ``TaylorPolynomial`` of order 1, with ``slope`` and ``error(h)``, a bound on the error for ``|x − a| ≤ h``.

    Raises:
        ArgumentError: if f has no derivative there.

    >>> line = sg.tangent("x**2", x=3)
    >>> line.formula, line.slope, line.error(0.1)
    ('6x − 9', 6, 0.01)
    """
    return TaylorPolynomial("tangent", f, 1, at)


@checked
def normal(f: str, **at: Any) -> str:
    """Return the line through (a, f(a)) at right angles to the tangent: y = f(a) − (x − a)/f′(a), as text.

    Args:
        f: a formula of one number as text.
        at: the point a, by name, as in ``x=2``.

    Raises:
        ArgumentError: if f has no derivative there.

    >>> sg.teach.normal("x**2", x=1), sg.teach.normal("x**2", x=0)
    ('y = 3/2 − x/2', 'x = 0')
    """
    line = TaylorPolynomial("normal", f, 1, at)
    return line.normal


@checked
def taylor_polynomial(f: str, order: int = 3, **at: Any) -> TaylorPolynomial:
    """Return the Taylor polynomial Σ f⁽ᵏ⁾(a)/k!·(x − a)ᵏ with its steps, and Lagrange's form of the remainder.

    Args:
        f: a formula of one number as text.
        order: the highest power.
        at: the point a, by name, as in ``x=0``.

    Returns:
        A ``TaylorPolynomial``: ``print`` it; ``error(h)`` bounds the remainder for ``|x − a| ≤ h``.

    Raises:
        ArgumentError: if f does not have this many derivatives there, or the order is not a number from 1 to 12.

    >>> p = sg.taylor_polynomial("sin(x)", 3, x=0)
    >>> p.formula, p.error(0.5) < 0.0027
    ('x − x³/6', True)
    """
    return TaylorPolynomial("taylor_polynomial", f, order, at)


class TaylorPolynomial(Solution):
    """The Taylor polynomial of a formula at a point; for order 1, the tangent.

    Attributes:
        order: its order.
        at: the point, as a SymPy expression.
        derivatives: f(a), f′(a), … as SymPy numbers.
        expr: the polynomial, as a SymPy expression.
    """

    def __init__(self, who: str, text: str, order: int, at: dict[str, Any]) -> None:
        super().__init__(who, text, order, at)
        if isinstance(order, bool) or not isinstance(order, int) or not 1 <= order <= _MOST:
            raise ArgumentError(f"{who}: got order={order!r}. Expected a number from 1 to {_MOST}.")
        if has_equals_sign(text) and len(at) > 1:
            point = ", ".join(f"{n}={v!r}" for n, v in at.items())
            raise ArgumentError(
                f"{who}: {text!r} is a curve given by an equation. Write sg.tangent_plane({text!r}, {point}), which "
                "returns its tangent and a normal vector."
            )
        if len(at) != 1:
            raise ArgumentTypeError(f"{who}: expected the point by name, as in x=2. Got {sorted(at)}.")
        ((name, value),) = at.items()
        self._subject = Subject(who, text, name)
        self.order, self.name, self.at = order, name, exact_number(who, value)
        self.derivatives = self._derived(who)
        a, x = self.at, self._subject.x
        terms = [d * (x - a) ** k / math.factorial(k) for k, d in enumerate(self.derivatives)]
        self.expr = sp.Add(*terms) if order > 1 else sp.expand(sp.Add(*terms))

    def _derived(self, who: str) -> list[Any]:
        f, e = self._subject, self._subject.expr
        self._smooth = f.window
        if not f.is_defined(number(self.at)):
            raise ArgumentError(f"{who}: {f.text!r} is not defined at {self.name} = {self.at}. Choose another point.")
        pieces, _ = f.pieces(f.window)
        if f.expr.atoms(sp.Abs, sp.sign, sp.Max, sp.Min, sp.Piecewise):
            inside = [(i, smooth) for i, smooth in pieces if _is_inside(i, number(self.at))]
            if not inside:
                what = "no slope: its tangent is vertical" if self._is_upright() else "a kink or a jump"
                raise ArgumentError(f"{who}: {f.text!r} has {what} at {self.name} = {self.at}.")
            (self._smooth, e), *_ = inside
        self._orders = [e]
        for _ in range(self.order + 1):
            self._orders.append(derived(self._orders[-1], f.x))
        values = [sp.simplify(o.subs(f.x, self.at)) for o in self._orders[:-1]]
        if not all(v.is_number and v.is_finite and v.is_real for v in values):
            raise ArgumentError(f"{who}: {f.text!r} has no derivative at {self.name} = {self.at}.")
        return values

    def _is_upright(self) -> bool:
        """Whether the slopes of secants grow beyond bounds to both sides, with one sign, as those of ∛x at 0."""
        a, steps = number(self.at), [mpmath.mpf(10) ** -k for k in (12, 24, 36)]
        sides = [[(self._subject.at(a + s * h) - self._subject.at(a)) / (s * h) for h in steps] for s in (1, -1)]
        first = sides[0][0]
        return all(10 < v / u < 1e11 and v * first > 0 for side in sides for u, v in pairwise(side) if u)  # or it jumps

    @property
    def slope(self) -> Any:
        """Return the slope f′(a)."""
        return self.derivatives[1]

    @property
    def formula(self) -> str:
        """The polynomial as text."""
        return handwritten(self.written)

    @property
    def written(self) -> Formula:
        """The polynomial, by rising powers; a line as y = m·x + b."""
        if self.order == 1:
            return write(self.expr, self.decimal)
        step = write(self._subject.x - self.at, self.decimal)
        coefficients = [write(d / math.factorial(k), self.decimal) for k, d in enumerate(self.derivatives)]
        terms = [mul(c, power(step, num(k))) for k, c in enumerate(coefficients) if c != ZERO]
        return add(*terms) if terms else write(sp.S.Zero)

    @property
    def normal(self) -> str:
        """The equation of the line at right angles to the tangent."""
        if self.slope == 0:
            return f"{self.name} = {handwritten(write(self.at, self.decimal))}"
        line = sp.expand(self.derivatives[0] - (self._subject.x - self.at) / self.slope)
        return f"y = {handwritten(write(line, self.decimal))}"

    def error(self, h: float) -> float:
        """Return a bound on |f(x) − p(x)| for |x − a| ≤ h, from Lagrange's remainder: M·hⁿ⁺¹/(n + 1)!.

        M is a bound on the next derivative, computed by interval arithmetic.

        Raises:
            ArgumentError: if f has no such bound there, or h is not positive.
        """
        if not (isinstance(h, (int, float)) and 0 < h < math.inf):
            raise ArgumentError(f"error: got h={h!r}. Expected a positive number.")
        a = float(self.at)
        edges = np.linspace(a - h, a + h, _CELLS + 1)
        try:
            low, high = enclose(self._orders[-1], self._subject.x, edges[:-1], edges[1:])
        except NotEnclosed as error:
            raise ArgumentError(f"error: the bounds of {error} are not known.") from None
        most = float(np.max(np.maximum(np.abs(low), np.abs(high))))
        low_end, high_end = self._smooth.ends if self._smooth is not self._subject.window else (-math.inf, math.inf)
        inside = all(self._subject.is_defined(e) for e in edges[[0, -1]]) and low_end <= a - h and a + h <= high_end
        if not (math.isfinite(most) and inside):
            raise ArgumentError(f"error: the derivative is not bounded for |{self.name} − {self.at}| ≤ {h:g}.")
        return float(f"{most * h ** (self.order + 1) / math.factorial(self.order + 1):.12g}")

    def _steps(self) -> Iterator[LessonStep]:
        f = self._subject
        there = write(self.at, self.decimal)
        yield Given(before=Label("f", 0, (f.name,)), after=f.written, written=(f.written,))
        for k, value in enumerate(self.derivatives):
            parts: list[Any] = [] if k == 0 else [Equation((Label("f", k, (f.name,)), self._printed(k))), ", "]
            yield Note(kind="does", reason=(*parts, Equation((Label("f", k, (there,)), write(value, self.decimal)))))
        if self.order == 1:
            yield Note(reason=(f"the tangent y = f(a) + f′(a)·({f.name} − a), which is the linear approximation:",))
        else:
            yield Note(reason=(f"each derivative is divided by k! and multiplied by ({f.name} − a)ᵏ:",))
        yield Note(kind="does", reason=(Equation((Name("y"), self.written)),))
        n = self.order + 1
        high = str(n).translate(_HIGH)
        rest = f"f⁽{high}⁾(ξ)/{n}!·({f.name} − a){high} for a ξ between a and {f.name}"
        yield Note(reason=(f"the error is {rest} (Lagrange's remainder)",))
        if self.order == 1:
            yield Note(reason=("the normal, at right angles: ", self.normal))

    def _printed(self, k: int) -> Formula:
        form = derive(self._subject.text, self.name, k, verify=False)
        return written_form(form)


_HIGH = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _is_inside(i: Any, value: Any) -> bool:
    low, high = i.ends
    return bool(low < value < high)


def exact_number(who: str, value: Any) -> Any:
    """Return a number as SymPy has it: decimals as they are written, text as a formula without names."""
    if isinstance(value, str):
        e = Subject(who, value, "x").expr
        if e.free_symbols:
            raise ArgumentError(f"{who}: {value!r} is not a number. Expected one such as 2 or 'pi/4'.")
        return e
    if isinstance(value, sp.Basic):
        return value
    try:
        plain = float(value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{who}: got {value!r}. Expected a number.") from None
    if not math.isfinite(plain):
        raise ArgumentError(f"{who}: got {value!r}. Expected a finite number.")
    return sp.Rational(str(plain)) if not plain.is_integer() else sp.Integer(int(plain))


check_methods(TaylorPolynomial)
