"""``sg.euler_lagrange``: equations of motion from a Lagrangian, conserved quantities, and Hamilton's equations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from symgrad.errors import ArgumentError
from symgrad.expression.arguments import text_of_names
from symgrad.expression.formula import Name
from symgrad.forms.implicit_functions import sympy_of
from symgrad.scalars import differentiate
from symgrad.support.arguments import check_methods, checked
from symgrad.support.lazy import cached_property
from symgrad.teach.board.line import Equation
from symgrad.teach.curves import formula_of
from symgrad.teach.steps.lesson import Finding, LessonStep, Note
from symgrad.teach.study.solution import Solution, shortest, write

_DOTS = ("", "_dot", "_ddot")


@checked
def euler_lagrange(L: str, q: str | Sequence[str], t: str = "t") -> Motion:
    r"""Return the equations of motion d/dt ∂L/∂q̇ = ∂L/∂q of a Lagrangian, or of another functional ∫ L(q, q̇, t) dt.

    Args:
        L: the Lagrangian as text; the velocity of q is written ``q_dot``, ``q'``, ``q̇``, ``\dot{q}``, ``dq/dt`` or
            ``diff(q, t)``. Other names are constants.
        q: the name of the coordinate, or a list of names.
        t: the name of the time, or of another independent variable.

    Returns:
        A ``Motion``: ``print`` it, or use its ``equations``, ``accelerations``, ``conserved`` and ``hamiltonian``.

    Raises:
        ArgumentError: if L does not contain the velocity of a coordinate.
        ParseError: if L is not a formula.

    >>> motion = sg.euler_lagrange("m*l**2*theta_dot**2/2 + m*g*l*cos(theta)", "theta")
    >>> motion.accelerations["theta"], list(motion.conserved)
    (-g*sin(theta)/l, ['energy'])
    """
    return Motion(L, [q] if isinstance(q, str) else list(q), t)


def _with_velocities(text: str, names: Sequence[str], t: str) -> str:
    r"""Return a Lagrangian with every velocity called ``q_dot``.

    >>> _with_velocities("x'^2 + ẏ^2 + \\dot{z}**2 + diff(x, t) + dx/dt + ydot", ["x", "y", "z"], "t")
    'x_dot^2 + y_dot^2 + z_dot**2 + x_dot + x_dot + y_dot'
    """
    text = unicodedata.normalize("NFD", text)
    for n in names:
        name = unicodedata.normalize("NFD", n)
        derivative = rf"(?:diff|Derivative)\(\s*{name}\s*,\s*{t}\s*\)|\bd{name}\s*/\s*d{t}\b"
        dotted = rf"\\dot\s*\{{\s*\\?{name}\s*\}}|\\dot\s*\\?{name}\b|\b{name}dot\b|\b{name}(?:['’′](?!['’′])|\u0307)"
        text = re.sub(f"{derivative}|{dotted}", f"{name}_dot", text)
    return unicodedata.normalize("NFC", text)


def _with_halves(e: Any) -> Any:
    """Return a formula with 1/2, 3/4 and the like as fractions, which SymPy then cancels."""
    return e.xreplace({c: sp.Rational(float(c)) for c in e.atoms(sp.Float) if float(c * 16).is_integer()})


def _short(e: Any) -> Any:
    """Return a formula in the form that is read most easily: expanded, or shortened, with 1/√y for √(1/y)."""
    e = e.replace(lambda p: p.is_Pow and p.base.is_Pow and p.base.exp == -1, lambda p: p.base.base**-p.exp)
    return min([sp.expand(e), shortest(e)], key=sp.count_ops)


class Motion(Solution):
    """The equations of motion of a Lagrangian, in SymPy; velocities are ``q_dot``, accelerations ``q_ddot``.

    Attributes:
        equations: d/dt ∂L/∂q̇ − ∂L/∂q for each coordinate, which equals 0.
        accelerations: the solved equations, for each coordinate; empty if they cannot be solved.
        momenta: p = ∂L/∂q̇ for each coordinate.
        conserved: conserved quantities by name: "energy" if t does not occur, "momentum of q" if q does not.
        hamiltonian: H(q, p, t), or None if the velocities cannot be expressed by the momenta.
    """

    def __init__(self, L: str, q: Sequence[str], t: str) -> None:
        super().__init__(L, list(q), t)
        if not q or not all(isinstance(n, str) and n.isidentifier() for n in [*q, t]) or t in q:
            raise ArgumentError(f"euler_lagrange: got q={list(q)!r}, t={t!r}. Expected different names, as 'q', 't'.")
        self.q, self.t = list(q), t
        self._at = {n: [sp.Symbol(n + dots, real=True) for dots in _DOTS] for n in q}
        velocities = [n + "_dot" for n in q]
        expression = text_of_names(_with_velocities(L, q, t), {}, [*q, *velocities, t])
        self.lagrangian, self._written = _with_halves(sympy_of(expression)), formula_of(expression)
        missing = [v for v in velocities if sp.Symbol(v, real=True) not in self.lagrangian.free_symbols]
        if missing:
            name = missing[0].removesuffix("_dot")
            raise ArgumentError(f"euler_lagrange: L has no velocity of {name}. Write it as {name}_dot or {name}'.")
        self.momenta = {n: sp.factor_terms(differentiate(self.lagrangian, self._at[n][1])) for n in q}
        self.equations = {n: sp.simplify(self.rate(self.momenta[n]) - self._force(n)) for n in q}
        self.accelerations: dict[str, Any] = self._solved()

    def rate(self, e: Any) -> Any:
        """Return de/dt of a formula of t, coordinates and velocities."""
        along = differentiate(e, sp.Symbol(self.t, real=True))
        for x, v, a in self._at.values():
            along += differentiate(e, x) * v + differentiate(e, v) * a
        return along

    def _force(self, n: str) -> Any:
        return differentiate(self.lagrangian, self._at[n][0])

    def _solved(self) -> dict[str, Any]:
        unknowns = [self._at[n][2] for n in self.q]
        matrix, rhs = sp.linear_eq_to_matrix([sp.expand(e) for e in self.equations.values()], unknowns)
        if sp.simplify(matrix.det()) == 0:
            return {}
        return {n: sp.simplify(a) for n, a in zip(self.q, matrix.LUsolve(rhs), strict=True)}

    @cached_property
    def conserved(self) -> dict[str, Any]:
        """The conserved quantities: momenta of coordinates that do not occur, and, without t, the energy Σ p·q̇ − L."""
        free = self.lagrangian.free_symbols
        out = {f"momentum of {n}": self.momenta[n] for n in self.q if self._at[n][0] not in free}
        if sp.Symbol(self.t, real=True) not in free:
            out["energy"] = self._energy
        return out

    @property
    def _energy(self) -> Any:
        return _in_terms(sum(p * self._at[n][1] for n, p in self.momenta.items()) - self.lagrangian)

    @cached_property
    def hamiltonian(self) -> Any:
        """H(q, p, t) = Σ p·q̇ − L in terms of the momenta; None if L is not quadratic in the velocities."""
        velocities = [self._at[n][1] for n in self.q]
        momenta = [sp.Symbol(f"p_{n}", real=True) for n in self.q]
        equations = [sp.expand(self.momenta[n]) - p for n, p in zip(self.q, momenta, strict=True)]
        if any(differentiate(e, v).free_symbols & {*velocities} for e in equations for v in velocities):
            return None
        matrix, rhs = sp.linear_eq_to_matrix(equations, velocities)
        if sp.simplify(matrix.det()) == 0:
            return None
        return _in_terms(self._energy.subs(dict(zip(velocities, matrix.LUsolve(rhs), strict=True))))

    @property
    def hamilton(self) -> dict[str, Any]:
        """Hamilton's equations, q̇ = ∂H/∂p and ṗ = −∂H/∂q, under the names ``q_dot`` and ``p_q_dot``."""
        if self.hamiltonian is None:
            return {}
        out = {f"{n}_dot": differentiate(self.hamiltonian, sp.Symbol(f"p_{n}", real=True)) for n in self.q}
        forces = {f"p_{n}_dot": -differentiate(self.hamiltonian, self._at[n][0]) for n in self.q}
        return {name: _in_terms(e) for name, e in {**out, **forces}.items()}

    def _steps(self) -> Iterator[LessonStep]:
        yield Note(kind="given", reason=(Equation((Name("L"), self._written)),))
        yield Note(reason=("for each coordinate, d/dt ∂L/∂q̇ = ∂L/∂q:",))
        for n in self.q:
            for left, e in ((f"∂L/∂{n}_dot = ", self.momenta[n]), (f"∂L/∂{n} = ", self._force(n))):
                yield Note(kind="side", reason=(left, Equation((write(_short(e)),))))
            equation = tuple(write(_short(e)) for e in (self.rate(self.momenta[n]), self._force(n)))
            yield Note(kind="does", reason=(Equation(equation),))
            solved = (Name(f"{n}_ddot"), write(self.accelerations[n])) if n in self.accelerations else equation
            if solved != equation:
                yield Note(kind="does", reason=(Equation(solved),))
        if self.conserved:
            names = {} if self.t == "t" else {"energy": "first integral (Beltrami's identity), Σ p·q̇ − L"}
            items = self.conserved.items()
            said = tuple(("does", (f"{names.get(name, name)}: ", Equation((write(_short(e)),)))) for name, e in items)
            yield Finding(topic="Conserved", statements=said)
        if self.hamiltonian is not None:
            lines = [("does", (Equation((Name("H"), write(self.hamiltonian))),))]
            lines += [("does", (Equation((Name(name), write(e))),)) for name, e in self.hamilton.items()]
            yield Finding(topic="Hamilton's equations", statements=tuple(lines))


_FEW = 6  # terms of an energy that is written term by term


def _in_terms(e: Any) -> Any:
    """Return a formula as a sum of a few products, as kinetic and potential energy, or simplified."""
    opened = sp.expand(e)
    few = opened.is_Add and len(opened.args) <= _FEW and not any(t.has(sp.Add) for t in opened.args)
    return opened if few else sp.simplify(e)


check_methods(Motion)
