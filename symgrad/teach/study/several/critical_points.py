"""Critical points of functions of several variables, classified by the Hessian and, where that fails, along lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import mpmath
import sympy as sp

from symgrad.errors import ArgumentError
from symgrad.expression.formula import Name, Spelled
from symgrad.expression.printer import handwritten
from symgrad.support.arguments import check_methods, checked
from symgrad.teach.places.points import Place, asked, derived
from symgrad.teach.steps.lesson import (
    FieldRule,
    Finding,
    LessonStep,
    PartialRule,
    SecondDerivativeTest,
    SolveSystem,
)
from symgrad.teach.study.several.definiteness import eigenvalue_signs, listed_minors, second_derivatives, sign
from symgrad.teach.study.several.field import scalar_field
from symgrad.teach.study.several.picture import contours_of
from symgrad.teach.study.several.systems import Point, Solutions, real_solutions, value_at
from symgrad.teach.study.solution import Solution, equation, listed, shortest, write

_KINKED = (sp.Abs, sp.sign, sp.Max, sp.Min, sp.Piecewise)
_ORDERS = 8  # of derivatives along a line
_NOT_DECIDED = "not decided"
_BENT = [sp.Rational(s * p, 2) for p in (2, 1, 3, 4) for s in (1, -1)]  # c of the parabolas y = c·x² that are tried


class CriticalPoint(NamedTuple):
    """A point at which the gradient is 0.

    Attributes:
        at: its coordinates by name, each as a formula or with 50 digits.
        value: the value of f.
        kind: "local minimum", "local maximum", "saddle point" or "not decided".
        hessian: the matrix of second derivatives, as a SymPy matrix.
        reason: the argument for this kind.
    """

    at: dict[str, Place]
    value: Place
    kind: str
    hessian: Any
    reason: str

    def __str__(self) -> str:
        where = ", ".join(map(str, self.at.values()))
        return f"{self.kind} at ({where}), value {self.value}"


class CriticalPoints(Solution):
    """The critical points of a function of several variables.

    Attributes:
        names: the variables, in order.
        gradient: the gradient, as SymPy expressions.
        hessian: the matrix of second derivatives, as a SymPy matrix.
        points: the critical points, in order.
        complete: whether there is proof that these are all.
    """

    def __init__(self, f: Any, wrt: Any = None, shapes: Any = None) -> None:
        super().__init__(f, wrt, shapes)
        self._field = field = scalar_field("critical_points", f, wrt, shapes)
        if field.others:
            raise ArgumentError(
                f"critical_points: {field.others[0]!r} is a constant without a value. Substitute a number for it, or "
                "name it as a variable."
            )
        if not field.names:
            raise ArgumentError("critical_points: the formula has no names. Expected a function such as 'x**2 + y**2'.")
        self.names, self._symbols, (self._f,) = list(field.names), field.symbols, field.components
        self.gradient = [shortest(derived(self._f, x)) for x in self._symbols]
        self.hessian = second_derivatives(self.gradient, self._symbols)
        self._solutions: Solutions = real_solutions(self.gradient, self._symbols)
        self.complete = self._solutions.complete and not self.has_kinks
        found = [p for p in map(self._classified, self._solutions.points) if p is not None]
        self.points = [p for p in found if p.kind != _NOT_DECIDED or not self._solutions.curves]

    @property
    def has_kinks(self) -> bool:
        """Whether there may be points without a gradient, as for roots and absolute values."""
        f = self._f
        roots = [p for p in f.atoms(sp.Pow) if p.exp.is_Rational and 0 < p.exp < 1 and p.free_symbols]
        return bool(f.atoms(*_KINKED) or roots)

    def plot(self, over: Any = None, *, ax: Any = None) -> Any:
        """Draw the contours of f of two variables with the critical points marked; needs ``symgrad[plot]``.

        Args:
            over: a range ``(low, high)`` for both variables, or a pair of ranges; by default around the points.
            ax: the axes of matplotlib; by default those of a new figure.

        Returns:
            The axes of matplotlib.

        Raises:
            ArgumentError: if f does not have two variables, or a range is empty.

        >>> ax = sg.critical_points("x**3 + y**3 - 3*x*y").plot()
        >>> [line.get_label() for line in ax.lines]
        ['local minimum', 'saddle point']
        """
        text = self._arguments[0] if isinstance(self._arguments[0], str) else str(self._f)
        return contours_of(text, self.names, [(p.kind, p.at) for p in self.points], over, ax)

    # ---------------------------------------------------------------- kinds
    def _classified(self, p: Point) -> CriticalPoint | None:
        at = dict(zip(self.names, p, strict=True))
        try:
            value = value_at(self._f, self._symbols, p)
            matrix = self.hessian.applyfunc(lambda e: as_number(value_at(e, self._symbols, p)))
        except (ArithmeticError, ValueError, TypeError):
            return None
        if not mpmath.isfinite(value.value):
            return None
        positive, negative = eigenvalue_signs(matrix)
        if positive and negative:
            return CriticalPoint(at, value, "saddle point", matrix, "the Hessian is indefinite")
        if positive == len(p) or negative == len(p):
            kind, word = ("local minimum", "positive") if positive else ("local maximum", "negative")
            return CriticalPoint(at, value, kind, matrix, f"the Hessian is {word} definite")
        kind, reason = self._degenerate(p)
        return CriticalPoint(at, value, kind, matrix, reason)

    def _degenerate(self, p: Point) -> tuple[str, str]:
        """Decide where the Hessian does not: by even powers, or along lines."""
        failed = (_NOT_DECIDED, "the second derivative test fails, since the determinant of the Hessian is 0")
        if any(q.exact is None for q in p):
            return failed
        moved = self._f.subs({x: x + q.exact for x, q in zip(self._symbols, p, strict=True)}, simultaneous=True)
        shape = self._even(moved)
        if shape:
            return shape
        signs: dict[int, str] = {}
        t = sp.Symbol("t", real=True)
        for way in product((0, 1, -1), repeat=len(p)):
            if next((w for w in way if w), -1) != 1:
                continue
            line = moved.subs({x: w * t for x, w in zip(self._symbols, way, strict=True)}, simultaneous=True)
            order, s = _lowest(line, t)
            name = "(" + ", ".join(map(str, way)).replace("-", "−") + ")"
            if order % 2:
                return "saddle point", f"along the direction {name}, f − f(P) begins with a power of odd order"
            signs = ({s: name} if s else {}) | signs
        signs = dict(self._along_parabolas(moved, t)) | signs
        if 1 in signs and -1 in signs:
            return "saddle point", f"f rises along {signs[1]} and falls along {signs[-1]}"
        return failed

    def _along_parabolas(self, moved: Any, t: Any) -> Iterator[tuple[int, str]]:
        """Yield the sign of f − f(P), of two variables, along parabolas through P, where its first power is even."""
        if len(self._symbols) != 2:
            return
        for c, swapped in product(_BENT, (False, True)):
            curve = (c * t**2, t) if swapped else (t, c * t**2)
            order, s = _lowest(moved.subs(dict(zip(self._symbols, curve, strict=True)), simultaneous=True), t)
            if order and order % 2 == 0:
                yield s, "the parabola P + (" + ", ".join(handwritten(write(e)) for e in curve) + ")"

    def _even(self, moved: Any) -> tuple[str, str] | None:
        """Return the kind where f − f(P) is a sum of even powers of all variables with coefficients of one sign."""
        e = asked(lambda: sp.expand(moved - moved.subs(dict.fromkeys(self._symbols, 0))))
        if e is None or e == 0 or not e.is_polynomial(*self._symbols):
            return None
        poly = sp.Poly(e, *self._symbols)
        signs = {sign(c) for c in poly.coeffs()}
        if any(k % 2 for m in poly.monoms() for k in m) or len(signs) > 1 or 0 in signs:
            return None
        kind, comparison = ("local minimum", "≥ 0") if signs == {1} else ("local maximum", "≤ 0")
        return kind, f"f − f(P) is a sum of even powers, which is {comparison}"

    # ---------------------------------------------------------------- what is said
    def _steps(self) -> Iterator[LessonStep]:
        f = self._field
        yield f.given()
        both = {1: "the derivative must be 0:", 2: "both partial derivatives must be 0:"}
        why = (both.get(len(f.names), "all partial derivatives must be 0:"),)
        after = write(self.gradient)
        yield FieldRule(before=f.written[0], after=after, operator="gradient", reason=why, substeps=self._partials())
        yield self._solved()
        if self.points:
            yield from self._tested()
        yield Finding(topic="Critical points", statements=tuple(("remark", s) for s in self._statements()))

    def _partials(self) -> tuple[PartialRule, ...]:
        return tuple(self._field.partial(n, g, 0, after=g) for n, g in zip(self.names, self.gradient, strict=True))

    def _solved(self) -> SolveSystem:
        reason = solved(self._solutions, [p.at for p in self.points])
        return SolveSystem(before=write(self.gradient), after=tuple(str(p) for p in self.points), reason=reason)

    def _tested(self) -> Iterator[LessonStep]:
        yield FieldRule(
            before=self._field.written[0], after=write(self.hessian), operator="Hessian",
            reason=("the Hessian, and the determinants D₁, D₂, … of its upper left corners:",), left=Spelled("H", "H"),
            written=(write(self.hessian),),
        )  # fmt: skip
        for p in self.points:
            facts = "at ", *listed_point(p.at), ": ", *listed_minors(p.hessian)
            yield SecondDerivativeTest(
                before=write(p.hessian) if _is_exact(p.hessian) else None, after=p.kind, verdict=p.kind,
                reason=(*facts, f"; {p.reason}: {_called(p.kind)}"),
            )  # fmt: skip

    def _statements(self) -> Iterator[tuple[Any, ...]]:
        f = self._field.letter
        for p in self.points:
            yield (f"{p.kind} at " if p.kind != _NOT_DECIDED else "a critical point, whose kind is not decided, at ",
                   *listed_point(p.at), f", {f}", *p.value.parts)  # fmt: skip
        for system in self._solutions.curves:
            yield ("All points with ", *listed_equations(system), " are critical; they are not listed.")
        yield from searched(self._solutions, self.names)
        if self._solutions.complete and not self.points:
            yield (f"∇{f} is 0 at no point." if self.has_kinks else f"{f} has no critical point.",)
        if self.has_kinks:
            yield (f"Points where {f} has a value and no gradient are critical as well, and were not looked for.",)


def listed_equations(system: Sequence[Any]) -> list[Any]:
    """Return formulas that are 0 as equations with "and" between them, for a line."""
    return listed([(equation(sp.factor(e), 0),) for e in system], " and ") if system else ["any coordinates"]


def solved(found: Solutions, points: Sequence[Mapping[str, Place]]) -> tuple[Any, ...]:
    """Return what is said of the solutions of a system, of which these are listed."""
    said = ["solve the system: ", *listed([listed_values(at) for at in points], "; ")] if points else []
    for system in found.curves:
        curve = "all points with ", *listed_equations(system)
        said += ["; ", *curve, " solve it as well"] if said else [*curve, " solve the system"]
    if said:
        return tuple(said)
    return ("the system has no real solution",) if found.complete else ("the system has no solution that was found",)


def searched(found: Solutions, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield where solutions were looked for, if there is no proof that these are all."""
    if not found.complete and not found.curves:
        where = ", ".join(_range(n, w) for n, w in zip(names, found.windows, strict=False))
        said = f"These are the solutions that Newton's method comes to from many starts for {where}"
        yield (f"{said}; that there are no others is not proved.",)


def _range(name: str, window: tuple[float, float]) -> str:
    low, high = window
    return f"−π < {name} ≤ π" if abs(high) < 4 else f"{low:g} < {name} ≤ {high:g}".replace("-", "−")


def _called(kind: str) -> str:
    return "not decided" if kind == _NOT_DECIDED else f"a {kind}"


def as_number(p: Place) -> Any:
    """Return a place as SymPy's number, exact where it has a formula."""
    return sp.Float(str(p.value), 50) if p.exact is None else p.exact


def _is_exact(matrix: Any) -> bool:
    return not matrix.has(sp.Float)


def listed_values(at: Mapping[str, Place]) -> list[Any]:
    """Return places behind their names, for a line."""
    return listed([(equation(Name(n), p.exact) if p.exact is not None else f"{n} ≈ {p}",) for n, p in at.items()])


def listed_point(at: Mapping[str, Place]) -> list[Any]:
    """Return a point in brackets, for a line."""
    return ["(", *listed([p.shown for p in at.values()]), ")"]


def _lowest(line: Any, t: Any) -> tuple[int, int]:
    """Return the order of the first power of t in a formula, and the sign of its coefficient; (0, 0) of none."""
    for order in range(1, _ORDERS + 1):
        line = asked(lambda line=line: sp.diff(line, t))  # type: ignore[misc]
        there = None if line is None else asked(lambda line=line: sp.simplify(line.subs(t, 0)))  # type: ignore[misc]
        if there is None or not there.is_number or not there.is_finite:
            return 0, 0
        if sign(there):
            return order, sign(there)
    return 0, 0


@checked
def critical_points(f: Any, wrt: Any = None, *, shapes: Mapping[str, Any] | None = None) -> CriticalPoints:
    """Return the points with ∇f = 0, classified as local minima, local maxima and saddle points, with steps.

    For polynomials, and products of polynomials with exponentials, a Gröbner basis yields all points, exactly if there
    is a short formula and otherwise to 50 digits. For other functions, Newton's method starts from many points, and
    ``complete`` is False.

    Args:
        f: a formula as text, or a function or tensor of symbols.
        wrt: the variables, in order; by default all names, alphabetically.
        shapes: the shapes of names that denote vectors, if f is text.

    Returns:
        The ``CriticalPoints``, to print, or to read their ``points``.

    Raises:
        ArgumentError: if f is a vector, or has names without a value.

    >>> [str(p) for p in sg.critical_points("x**3 + y**3 - 3*x*y").points]
    ['saddle point at (0, 0), value 0', 'local minimum at (1, 1), value −1']
    """
    return CriticalPoints(f, wrt, shapes)


check_methods(CriticalPoints)
