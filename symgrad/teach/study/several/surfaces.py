"""A function of several variables at a point: tangent plane, directional derivative, Hessian."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from symgrad.errors import ArgumentError
from symgrad.expression.equations import equation_in
from symgrad.expression.formula import Formula, Label, Name, Spelled
from symgrad.expression.printer import LATEX, handwritten
from symgrad.support.arguments import check_methods, checked
from symgrad.teach.board.line import Equation
from symgrad.teach.places.points import derived
from symgrad.teach.steps.lesson import (
    Evaluate,
    FieldRule,
    LessonStep,
    Note,
    SecondDerivativeTest,
    distinct,
)
from symgrad.teach.study.approximations import exact_number
from symgrad.teach.study.several.definiteness import definiteness, listed_minors, second_derivatives
from symgrad.teach.study.several.field import Field, scalar_field
from symgrad.teach.study.several.operators import nabla
from symgrad.teach.study.solution import Solution, shortest, write


def exact_point(who: str, names: Sequence[str], at: dict[str, Any]) -> dict[Any, Any]:
    """Return a point's coordinates by symbol, exact; of each name one."""
    missing = [n for n in names if n not in at]
    unknown = sorted({*at} - {*names})
    if missing or unknown:
        raise ArgumentError(
            f"{who}: the point has {', '.join(at) or 'no coordinates'}. Expected one number for each of "
            f"{', '.join(names)}, as in {names[0] if names else 'x'}=1."
        )
    return {sp.Symbol(n, real=True): exact_number(who, at[n]) for n in names}


def value_there(who: str, e: Any, point: dict[Any, Any]) -> Any:
    """Return a formula's value at a point; without a real one, raise."""
    made = sp.sympify(e).subs(point, simultaneous=True)
    value = sp.nsimplify(shortest(made), rational=True) if made.has(sp.Float) else shortest(made)
    if not value.is_number or not value.is_finite or value.is_real is False:
        raise ArgumentError(
            f"{who}: the function has no value or no derivative at {_where(point)}. Choose another point."
        )
    return value


def _where(point: dict[Any, Any]) -> str:
    return ", ".join(f"{x} = {v}" for x, v in point.items())


class AtPoint(Solution):
    """What is asked of a function of several variables at a point.

    Attributes:
        names: the variables, in order.
        point: the point, by name, in SymPy's classes.
        gradient: the gradient there.
    """

    _who = ""

    def _prepare(self, f: Any, wrt: Any, at: dict[str, Any]) -> None:
        self._field: Field = scalar_field(self._who, f, wrt)
        if wrt is None and at:
            exact_point(self._who, self._field.names, {n: v for n, v in at.items() if n in self._field.names})
            self._field = scalar_field(self._who, f, [*at])
        self.names = list(self._field.names)
        self._point = exact_point(self._who, self.names, at) if at else {}
        self.point = {x.name: v for x, v in self._point.items()}
        (self._f,) = self._field.components
        self._partials = [shortest(derived(self._f, x)) for x in self._field.symbols]
        self.gradient = [value_there(self._who, g, self._point) if at else g for g in self._partials]

    def _differentiated(self, reason: tuple[Any, ...]) -> Iterator[LessonStep]:
        f = self._field
        yield f.given()
        parts = tuple(f.partial(n, g) for n, g in zip(self.names, self._partials, strict=True))
        written = distinct((write(self._partials), write(self.gradient)))
        label: Formula = nabla("gradient", f.letter)
        if self.point:
            there = Label(f.letter, 0, tuple(write(v, self.decimal) for v in self.point.values()))
            label = Spelled("∇" + handwritten(there), r"\nabla " + LATEX.write(there))
            written = (write(self.gradient, self.decimal),)
        yield FieldRule(
            before=f.written[0], after=write(self.gradient), operator="gradient", reason=reason, left=label,
            written=written, substeps=parts,
        )  # fmt: skip


class TangentPlane(AtPoint):
    """The tangent plane of a surface at a point; the tangent of a curve that an equation of x and y describes.

    Attributes:
        names, point, gradient: as of every function at a point.
        normal: a vector at right angles to the plane.
        expr: the linear approximation of z = f(x, y); for a surface F = c, ∇F·(x − a), which is 0 on the plane.
        formula: the plane's equation as text.
    """

    _who = "tangent_plane"

    def __init__(self, f: Any, at: dict[str, Any]) -> None:
        super().__init__(f, at)
        sides = equation_in(self._who, f) if isinstance(f, str) and "=" in f else None
        self._height = height = "z" if sides is None else _height(sides.left, at)
        text = (
            f if sides is None else sides.formulas[1] if height else f"({sides.left}) - ({sides.right}) {sides.parts}"
        )
        self._prepare(text, None, at)
        shifted = [x - v for x, v in self._point.items()]
        linear = sum(g * s for g, s in zip(self.gradient, shifted, strict=True))
        self._value = value_there(self._who, self._f, self._point)
        if height is None and self._value != 0:
            raise ArgumentError(f"tangent_plane: {_where(self._point)} does not solve {f!r}. Choose a point on it.")
        if height is None and not any(self.gradient):
            raise ArgumentError(f"tangent_plane: the gradient is 0 at {_where(self._point)}: there is no plane.")
        self.expr = sp.expand(self._value + linear) if height is not None else sp.expand(linear)
        self.normal = [*self.gradient, sp.Integer(-1)] if height is not None else list(self.gradient)

    @property
    def _equation(self) -> Equation:
        if self._height is not None:
            return self.equation(Name(self._height), self.expr)
        constant, rest = self.expr.as_independent(*self._field.symbols, as_Add=True)
        return self.equation(rest, -constant)

    @property
    def formula(self) -> str:
        """The equation of the plane as text."""
        return " = ".join(map(handwritten, self._equation.parts))

    def _steps(self) -> Iterator[LessonStep]:
        yield from self._differentiated(("the partial derivatives, and their values at the point:",))
        f, a = self._field.letter, [write(v, self.decimal) for v in self.point.values()]
        if self._height is not None:
            yield Evaluate(
                before=self._field.written[0], after=write(self._value), left=Label(f, 0, tuple(a)),
                written=(write(self._value, self.decimal),),
            )  # fmt: skip
            why = " + ".join(f"∂{f}/∂{n}·({n} − {handwritten(v)})" for n, v in zip(self.names, a, strict=True))
            yield Note(reason=(f"the tangent plane {self._height} = {f}(P) + {why}, the linear approximation:",))
        else:
            what = ("curve", "tangent") if len(self.names) == 2 else ("surface", "plane")
            reason = f"the gradient is at right angles to the {what[0]}, so that the {what[1]} is ∇f·(X − P) = 0:"
            yield Note(reason=(reason,))
        yield Note(kind="does", reason=(self._equation,))
        yield Note(reason=("a normal vector is ", self.equation(self.normal)))


def _height(left: str, at: dict[str, Any]) -> str | None:
    """Return the name on the left side of z = f(x, y); None where it has a value, or is not a name."""
    name = left.strip().split("(")[0].strip()
    return name if name.isidentifier() and name not in at else None


class DirectionalDerivative(AtPoint):
    """The derivative of a function in a direction.

    Attributes:
        names, point, gradient: as of every function at a point.
        direction: the unit vector.
        expr: the derivative: a number at a point, and a formula otherwise.
        steepest: the largest derivative in any direction, ‖∇f‖.
    """

    _who = "directional_derivative"

    def __init__(self, f: Any, direction: Any, wrt: Any, at: dict[str, Any]) -> None:
        super().__init__(f, direction, wrt, at)
        self._prepare(f, wrt, at)
        given = [exact_number(self._who, d) for d in direction]
        if len(given) != len(self.names):
            raise ArgumentError(
                f"directional_derivative: the direction has {len(given)} entries. Expected {len(self.names)}, for "
                f"{', '.join(self.names)}."
            )
        self._length = sp.sqrt(sum(d**2 for d in given))
        if self._length == 0:
            raise ArgumentError("directional_derivative: the direction is 0. Expected a vector with a length.")
        self._given = given
        self.direction = [sp.radsimp(d / self._length) for d in given]
        self.expr = shortest(sum(g * d for g, d in zip(self.gradient, self.direction, strict=True)))
        self.steepest = shortest(sp.sqrt(sum(g**2 for g in self.gradient)))

    @property
    def formula(self) -> str:
        """The derivative as text."""
        return handwritten(write(self.expr))

    def _steps(self) -> Iterator[LessonStep]:
        yield from self._differentiated(("the gradient:",))
        if self._length != 1:
            given, length, unit = [
                self.equation(*e) for e in ((self._given,), (self._length,), (Name("u"), self.direction))
            ]
            words = "the direction ", given, " has the length ", length, "; as a unit vector it is ", unit
            yield Note(reason=words)
        dot = self.equation(self.gradient), "·", self.equation(self.direction)
        yield FieldRule(
            before=write(self.gradient), after=write(self.expr), operator="directional derivative",
            reason=("the derivative in the direction of u is ∇f·u = ", *dot, ":"),
            left=Spelled("∂f/∂u", r"\frac{\partial f}{\partial u}"),
            written=(write(self.expr, self.decimal),),
        )  # fmt: skip
        if self.point and any(self.gradient):
            most = "f rises most in the direction of ∇f, with the derivative ‖∇f‖ = "
            yield Note(kind="remark", reason=(most, self.equation(self.steepest), self.near(self.steepest)))


class Hessian(AtPoint):
    """The matrix of second derivatives, and whether it is definite.

    Attributes:
        names, point, gradient: as of every function at a point.
        expr: the matrix in SymPy's classes.
        definiteness: "positive definite", "indefinite" and so on; None if the matrix contains symbols.
    """

    _who = "hessian"

    def __init__(self, f: Any, wrt: Any, at: dict[str, Any]) -> None:
        super().__init__(f, wrt, at)
        self._prepare(f, wrt, at)
        self._matrix = second_derivatives(self._partials, self._field.symbols)
        self.expr = self._matrix.applyfunc(lambda e: value_there(self._who, e, self._point)) if at else self._matrix
        self.definiteness = None if self.expr.free_symbols else definiteness(self.expr)

    @property
    def formula(self) -> str:
        """The matrix as text."""
        return handwritten(write(self.expr))

    def _steps(self) -> Iterator[LessonStep]:
        yield from self._differentiated(("the gradient:",))
        written = distinct((write(self._matrix), write(self.expr)))
        yield FieldRule(
            before=self._field.written[0], after=written[-1], operator="Hessian",
            reason=("the second partial derivatives are the entries of the Hessian:",), left=Spelled("H", "H"),
            written=written,
        )  # fmt: skip
        if self.definiteness is not None:
            facts = "its determinants of upper left corners are ", *listed_minors(self.expr)
            yield SecondDerivativeTest(
                before=written[-1], after=self.definiteness, verdict=self.definiteness,
                reason=(*facts, f": the Hessian is {self.definiteness}"),
            )  # fmt: skip


@checked
def tangent_plane(f: str, **at: Any) -> TangentPlane:
    """Return the tangent plane of z = f(x, y) at a point, or of a surface F(x, y, z) = c.

    Args:
        f: a formula as text, or an equation.
        at: the point, a coordinate for each name: ``x=1, y=2``. Numbers, or exact ones as text: ``x="pi/4"``.

    Raises:
        ArgumentError: if f has no derivative there, or the point does not solve the equation.

    >>> sg.tangent_plane("x**2 + y**2", x=1, y=2).formula
    'z = 2x + 4y − 5'
    >>> sg.tangent_plane("x**2 + y**2 + z**2 = 14", x=1, y=2, z=3).formula
    '2x + 4y + 6z = 28'
    """
    return TangentPlane(f, at)


@checked
def directional_derivative(f: Any, direction: Sequence[Any], wrt: Any = None, **at: Any) -> DirectionalDerivative:
    """Return the derivative ∇f·u in the direction of a vector, whose unit vector u is.

    Args:
        f: a formula as text, or a function or tensor of symbols.
        direction: a vector, which need not have the length 1.
        wrt: the variables, in order; by default those of the point, or all names alphabetically.
        at: the point, a coordinate for each name: ``x=1, y=2``; without one, the derivative is a formula.

    Raises:
        ArgumentError: if f has no derivative there, or the direction is 0.

    >>> sg.directional_derivative("x**2*y", [3, 4], x=1, y=2).expr
    16/5
    """
    return DirectionalDerivative(f, direction, wrt, at)


@checked
def hessian(f: Any, wrt: Any = None, **at: Any) -> Hessian:
    """Return the matrix of second derivatives of a function of several variables, and its definiteness, with steps.

    Args:
        f: a formula as text, or a function or tensor of symbols.
        wrt: the variables, in order; by default those of the point, or all names alphabetically.
        at: the point, a coordinate for each name; without one, the entries are formulas.

    Raises:
        ArgumentError: if f has no second derivatives there.

    >>> sg.teach.hessian("x**2 + x*y + y**2").definiteness
    'positive definite'
    """
    return Hessian(f, wrt, at)


for _result in (TangentPlane, DirectionalDerivative, Hessian):
    check_methods(_result)
