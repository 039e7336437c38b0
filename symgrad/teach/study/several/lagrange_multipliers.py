"""Constrained extrema by Lagrange multipliers, with the bordered Hessian and the meaning of λ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import mpmath
import sympy as sp

from symgrad.errors import ArgumentError
from symgrad.expression.equations import equations_in
from symgrad.expression.formula import Formula, Label, Name
from symgrad.support.arguments import check_methods, checked
from symgrad.teach.board.line import Equation
from symgrad.teach.places.points import DIGITS, Place, derived
from symgrad.teach.steps.lesson import Finding, LessonStep, Note, PartialRule, SecondDerivativeTest, SolveSystem
from symgrad.teach.study.several.critical_points import (
    as_number,
    listed_equations,
    listed_point,
    searched,
    solved,
)
from symgrad.teach.study.several.definiteness import definiteness, eigenvalue_signs, second_derivatives
from symgrad.teach.study.several.field import Field, scalar_field
from symgrad.teach.study.several.systems import Point, Solutions, real_solutions, value_at
from symgrad.teach.study.solution import Solution, equation, shortest, write

_LETTERS = ("λ", "μ", "ν")
_SMALL = mpmath.mpf(10) ** -30


class ConstrainedExtremum(NamedTuple):
    """A solution of Lagrange's equations.

    Attributes:
        at: its coordinates by name.
        multipliers: the multipliers by name: λ and so on.
        value: the value of f.
        kind: "local minimum", "local maximum", "neither" or "not decided", subject to the constraints.
    """

    at: dict[str, Place]
    multipliers: dict[str, Place]
    value: Place
    kind: str

    def __str__(self) -> str:
        where = ", ".join(map(str, self.at.values()))
        return f"{self.kind} at ({where}), value {self.value}"


class LagrangeMultipliers(Solution):
    """The extrema of a function under constraints.

    Attributes:
        names: the variables, in order.
        points: the solutions of Lagrange's equations.
        singular: the points at which the constraints' gradients are linearly dependent, which are candidates too.
        complete: whether it is proved that no solution is missing.
        maximum, minimum: the largest and the smallest value; None if the constraints are unbounded, or without proof.
    """

    def __init__(self, f: Any, constraints: Sequence[str], wrt: Sequence[str] | None) -> None:
        super().__init__(f, constraints, wrt)
        who = "lagrange_multipliers"
        sides = [s for c in constraints for s in equations_in(who, c)]
        texts = [f"({s.left}) - ({s.right}) {s.parts}" for s in sides]
        free = [n for t in (f, *texts) for n in scalar_field(who, t, None).names]
        self.names = sorted(set(free)) if wrt is None else list(wrt)
        self._field: Field = scalar_field(who, f, self.names)
        self._sides = [tuple(scalar_field(who, t, self.names) for t in s.formulas) for s in sides]
        self._check(who, free, len(sides))
        (self._f,), self._symbols = self._field.components, self._field.symbols
        self._g = [left.components[0] - right.components[0] for left, right in self._sides]
        self._letters = [sp.Symbol(n, real=True) for n in _LETTERS if n not in self.names][: len(self._g)]
        self._slopes = [shortest(derived(self._f, x)) for x in self._symbols]
        self._jacobian = [[shortest(derived(g, x)) for x in self._symbols] for g in self._g]
        self._solve()

    def _check(self, who: str, free: Sequence[str], many: int) -> None:
        constants = sorted({*free} - {*self.names})
        if constants:
            raise ArgumentError(f"{who}: {constants[0]!r} is a constant without a value. Substitute a number for it.")
        if not 0 < many < len(self.names) or many > len(_LETTERS):
            raise ArgumentError(
                f"{who}: got {many} constraints for {len(self.names)} variables. Expected fewer constraints than "
                f"variables, and from 1 to {len(_LETTERS)}."
            )

    # ---------------------------------------------------------------- solutions
    @property
    def _system(self) -> list[Any]:
        """∂L/∂x for each variable, with L = f − λ·g − …"""
        columns = zip(*self._jacobian, strict=True)
        sums = [sum(m * g for m, g in zip(self._letters, c, strict=True)) for c in columns]
        return [f - s for f, s in zip(self._slopes, sums, strict=True)]

    def _solve(self) -> None:
        n = len(self._symbols)
        unknowns = [*self._symbols, *self._letters]
        if len(self._g) == 1:  # without λ: the gradients are parallel
            (slopes,) = self._jacobian
            minors = [self._slopes[i] * slopes[k] - self._slopes[k] * slopes[i] for i, k in combinations(range(n), 2)]
            found = real_solutions([*minors, *self._g], self._symbols)
            if not found.windows or n == 2:
                self._sort(found)
                return
        self._sort(real_solutions([*self._system, *self._g], unknowns))

    def _sort(self, found: Solutions) -> None:
        self._solutions = found
        n = len(self._symbols)
        rank = [sp.Matrix(self._jacobian)[:, list(c)].det() for c in combinations(range(n), len(self._g))]
        dependent = real_solutions([*rank, *self._g], self._symbols) if not all(r.is_number for r in rank) else None
        self.singular = [] if dependent is None else [dict(zip(self.names, p, strict=True)) for p in dependent.points]
        sure = dependent is None or dependent.complete
        self.complete = found.complete and sure
        candidates = dict.fromkeys(p[:n] for p in found.points)  # without multipliers
        self.points = [self._extremum(p) for p in candidates if not self._is_singular(p)]
        values = [p.value.value for p in self.points]
        bounded = self.complete and self._is_bounded and not self.singular and bool(values)
        self.maximum = next(p.value for p in self.points if p.value.value == max(values)) if bounded else None
        self.minimum = next(p.value for p in self.points if p.value.value == min(values)) if bounded else None

    def _is_singular(self, p: Point) -> bool:
        matrix = sp.Matrix([[as_number(value_at(e, self._symbols, p)) for e in row] for row in self._jacobian])
        gram = (matrix * matrix.T).det()
        return bool(abs(mpmath.mpmathify(sp.N(gram, DIGITS))) < _SMALL)

    @property
    def _is_bounded(self) -> bool:
        """Whether the points of one constraint are bounded: an ellipse, or a sum of even powers of all variables."""
        if len(self._g) != 1 or not self._g[0].is_polynomial(*self._symbols):
            return False
        p = sp.Poly(self._g[0], *self._symbols)
        if p.total_degree() == 2:
            return definiteness(sp.hessian(self._g[0], self._symbols)) in ("positive definite", "negative definite")
        terms = [(m, c) for m, c in p.terms() if any(m)]
        even = all(k % 2 == 0 for m, _ in terms for k in m) and len({c.is_positive for _, c in terms}) == 1
        pure = {m.index(max(m)) for m, _ in terms if sum(k > 0 for k in m) == 1}
        return even and len(pure) == len(self._symbols)

    def _extremum(self, p: Point) -> ConstrainedExtremum:
        value = value_at(self._f, self._symbols, p)
        J = sp.Matrix([[as_number(value_at(e, self._symbols, p)) for e in row] for row in self._jacobian])
        slopes = sp.Matrix([as_number(value_at(e, self._symbols, p)) for e in self._slopes])
        multipliers = [shortest(e) for e in (J * J.T).LUsolve(J * slopes)]
        named = dict(zip(self._letters, multipliers, strict=True))
        matrix = self._bordered.subs(named).applyfunc(lambda e: as_number(value_at(e, self._symbols, p)))
        kind = self._kind(matrix)
        shown = {s.name: listed_place(m) for s, m in named.items()}
        return ConstrainedExtremum(dict(zip(self.names, p, strict=True)), shown, value, kind)

    @property
    def _bordered(self) -> Any:
        """The bordered Hessian: zeros, the gradients of the constraints, and the second derivatives of L."""
        m = len(self._g)
        corner = second_derivatives(self._system, self._symbols)
        J = sp.Matrix(self._jacobian)
        return sp.Matrix(sp.BlockMatrix([[sp.zeros(m, m), J], [J.T, corner]]).as_explicit())

    def _kind(self, matrix: Any) -> str:
        """Return the kind by the eigenvalues of the bordered Hessian; m of either sign are those of the constraints."""
        positive, negative = eigenvalue_signs(matrix)
        m, n = len(self._g), len(self.names)
        if positive == n or negative == n:
            return "local minimum" if positive == n else "local maximum"
        return "neither" if positive > m and negative > m else "not decided"

    # ---------------------------------------------------------------- what is said
    def _steps(self) -> Iterator[LessonStep]:
        f = self._field
        yield f.given()
        for left, right in self._sides:
            yield Note(kind="given", reason=("subject to ", equation(left.written[0], right.written[0])))
        yield from self._derivatives()
        reason = solved(self._solutions, [{**p.at, **p.multipliers} for p in self.points])
        yield SolveSystem(before=write(self._system), after=tuple(map(str, self.points)), reason=reason)
        yield from self._tested()
        yield Finding(topic="Extrema under the constraint", statements=tuple(("remark", s) for s in self._statements()))
        if any(p.kind.startswith("local") for p in self.points):
            yield Finding(topic="What the multiplier means", statements=tuple(self._meaning()))

    def _derivatives(self) -> Iterator[LessonStep]:
        terms = " − ".join(f"{m.name}·g{'₁₂₃'[k] if len(self._g) > 1 else ''}" for k, m in enumerate(self._letters))
        f = self._field.letter
        said = f"with L = {f} − {terms}, where g is the left side minus the right side, all partial derivatives are 0:"
        yield Note(reason=(said,))
        for n, e in zip(self.names, self._system, strict=True):
            left: Formula = Label("L", (n,), ())
            yield PartialRule(
                before=self._field.written[0], after=write(e), by=(n,), left=left, written=(write(e), write(0))
            )
        for left_side, right_side in self._sides:
            yield Note(kind="does", reason=(equation(left_side.written[0], right_side.written[0]),))

    def _tested(self) -> Iterator[LessonStep]:
        if not self.points:
            return
        bordered = self._bordered
        yield Note(reason=("the bordered Hessian B of the gradient of g and the second derivatives of L:",))
        yield Note(kind="does", reason=(Equation((Name("B"), write(bordered))),))
        for p in self.points:
            at = {s: as_number(v) for s, v in zip(self._symbols, p.at.values(), strict=True)}
            at |= {s: as_number(v) for s, v in zip(self._letters, p.multipliers.values(), strict=True)}
            positive, negative = eigenvalue_signs(bordered.subs(at))
            said = f": B has {positive} positive and {negative} negative eigenvalues"
            yield SecondDerivativeTest(
                before=write(bordered), after=p.kind, verdict=p.kind,
                reason=("at ", *listed_point(p.at), said, f", {_MEANT[p.kind]}"),
            )  # fmt: skip

    def _statements(self) -> Iterator[tuple[Any, ...]]:
        f = self._field.letter
        for p in self.points:
            yield (f"{_NAMED[p.kind]} at ", *listed_point(p.at), f", {f}", *p.value.parts)
        for at in self.singular:
            yield ("the gradients of the constraints are dependent at ", *listed_point(at), ", to be compared as well")
        if self.maximum is not None and self.minimum is not None:
            yield (f"The constraint is closed and bounded, so that {f} has a greatest and a least value: {f}",
                   *self.maximum.parts, f" and {f}", *self.minimum.parts, ".")  # fmt: skip
        for system in self._solutions.curves:
            yield ("All points with ", *listed_equations(system), " solve the system; they are not listed.")
        yield from searched(self._solutions, [*self.names, *(s.name for s in self._letters)])

    def _meaning(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        many = len(self._g) > 1
        for k, (s, (left, right)) in enumerate(zip(self._letters, self._sides, strict=True)):
            which = f"the {('first', 'second', 'third')[k]} constraint" if many else "the constraint"
            said = (
                f"{s.name} is the rate at which an extreme value of {self._field.letter} changes with the right side of"
            )
            yield ("remark", (f"{said} {which}, ", equation(left.written[0], right.written[0]), "."))


_MEANT = {
    "local minimum": "which shows a local minimum on the constraint",
    "local maximum": "which shows a local maximum on the constraint",
    "neither": "which shows neither a maximum nor a minimum",
    "not decided": "which does not decide",
}
_NAMED = {"neither": "no extremum", "not decided": "a candidate that is not decided"} | {
    k: k for k in ("local minimum", "local maximum")
}


def listed_place(e: Any) -> Place:
    """Return a number as a place."""
    value = mpmath.mpmathify(sp.N(e, DIGITS + 10))
    return Place(value, None if e.has(sp.Float) else e)


@checked
def lagrange_multipliers(
    f: str, constraints: str | Sequence[str], wrt: Sequence[str] | None = None
) -> LagrangeMultipliers:
    """Return the extrema of f subject to constraints g = c by Lagrange's method, ∇f = λ·∇g, with steps.

    Args:
        f: a formula as text.
        constraints: an equation as text, or a list of equations.
        wrt: the variables, in order; by default all names, alphabetically.

    Returns:
        The ``LagrangeMultipliers``, to print, or to read ``points``, ``maximum`` and ``minimum``.

    Raises:
        ArgumentError: if there are as many constraints as variables, or if a name has no value.

    >>> found = sg.lagrange_multipliers("x*y", "x**2 + y**2 = 8")
    >>> str(found.maximum), str(found.minimum), len(found.points)
    ('4', '−4', 4)
    """
    return LagrangeMultipliers(f, [constraints] if isinstance(constraints, str) else list(constraints), wrt)


check_methods(LagrangeMultipliers)
