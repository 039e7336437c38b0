"""Derivatives of functions that equations define: dy/dx of F(x, y) = 0, of systems, of curves with a parameter.

Both sides are differentiated, and the linear equations for the derivatives are solved: J·u′ = −∂F/∂x.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import sympy as sp
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from symgrad.core.modes import enable_grad
from symgrad.core.node import tensor_node
from symgrad.errors import ArgumentError, GraphError
from symgrad.expression.arguments import text_of_names, with_leaves
from symgrad.expression.equations import Sides, equations_in
from symgrad.expression.reader import Expression
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derivative import Derivative
from symgrad.forms.rewrites.identities import difference_of_squares, everywhere
from symgrad.forms.sympy.from_sympy import from_sympy
from symgrad.scalars import differentiate
from symgrad.tensors.creation import symbol

PARAMETERS = ("t", "θ", "theta", "φ", "phi", "u", "s")  # what a curve's parameter is called
ANGLES = ("θ", "theta", "φ", "phi", "t")
_HIGH = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGE = 400  # operations of a derivative that is written as it comes
_WORTH = 0.8  # of the length that is left, where the equations are used


class Curve(NamedTuple):
    """Equations, and which names they make functions of another one.

    Attributes:
        sides: the two sides of each equation, as formulas of numbers.
        wanted: the names whose derivative is requested.
        unknowns: the names that depend on ``x``, those wanted first.
        x: the name that they depend on.
        names: all names.
    """

    sides: tuple[tuple[Expression, Expression], ...]
    wanted: tuple[str, ...]
    unknowns: tuple[str, ...]
    x: str
    names: tuple[str, ...]

    @property
    def parameter(self) -> str | None:
        """The parameter of a curve x = x(t), y = y(t), else None."""
        others = set(self.unknowns) - set(self.wanted)
        t = next(iter(others)) if len(others) == len(self.wanted) == 1 else None
        explicit = {a.text for a, b in self.sides} == {self.x, *self.wanted}
        free = {name for _, b in self.sides for name in _free(b)}
        return t if explicit and free.isdisjoint({self.x, *self.wanted}) else None

    @property
    def explicit(self) -> Expression | None:
        """The function of y = f(x), else None."""
        (left, right), *others = self.sides
        plain = not others and left.text == self.wanted[0] and left.text not in _free(right)
        return right if plain else None


def _free(e: Expression) -> set[str]:
    return {s.name for s in sympy_of(e).free_symbols}


def curve(who: str, text: str | Sequence[str], wanted: Any, x: str) -> Curve:
    """Return the equations of a curve or a system.

    Args:
        who: the function that was called, for messages.
        text: the equations; of a polar curve ``"r = 1 + cos(θ)"``.
        wanted: the name, or the names, whose derivative is requested.
        x: the name by which.
    """
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    if not names or not all(isinstance(n, str) and n.isidentifier() for n in [*names, x]) or x in names:
        raise ArgumentError(
            f"{who}: got {wanted!r} with respect to {x!r}. Expected the names of an equation, as in "
            f"sg.{who}('x**2 + y**2 = 25', 'y', 'x')."
        )
    equations = equations_in(who, text)
    sides = [_read(e, [*names, x]) for e in equations]
    known = _names(sides)
    if "r" in known and not {x, *names} & {*known} and {x, *names} <= {"x", "y"}:
        sides = [_read(e, [*names, x, *known]) for e in _from_polar(equations, known)]
        known = _names(sides)
    missing = [n for n in [*names, x] if n not in known]
    if missing:
        raise GraphError(f"{who}: the equations have no name {missing[0]!r}. Their names are: {', '.join(known)}.")
    return Curve(tuple(sides), tuple(names), _unknowns(who, sides, known, names, x), x, tuple(known))


def _from_polar(equations: Sequence[Sides], known: Sequence[str]) -> list[Sides]:
    """Return x = r·cos(θ) and y = r·sin(θ) beside the equations; r = r(θ) is put in."""
    angle = next((a for a in ANGLES if a in known), "θ")
    explicit = len(equations) == 1 and equations[0].left == "r"
    r = f"({equations[0].right})" if explicit else "r"
    parts = equations[0].parts if explicit else ""
    polar = [Sides("x", f"{r}*cos({angle})", parts), Sides("y", f"{r}*sin({angle})", parts)]
    return polar if explicit else [*equations, *polar]


def _read(e: Sides, wanted: Sequence[str]) -> tuple[Expression, Expression]:
    both = text_of_names(f"({e.left}) - ({e.right}) {e.parts}", {}, wanted)
    sides = (side if side in both.names else f"{side} {e.parts}" for side in (e.left, e.right))
    left, right = (text_of_names(side, {}, both.names) for side in sides)
    return left, right


def names_in_equations(who: str, text: str | Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return the names that equations have, in their order; those wanted are names wherever they stand."""
    return _names([_read(e, wanted) for e in equations_in(who, text)])


def _names(sides: Iterable[tuple[Expression, Expression]]) -> list[str]:
    """Return the names that the equations have, in their order."""
    return list(dict.fromkeys(n for pair in sides for e in pair for n in e.names if n in _free(e)))


def _unknowns(who: str, sides: Sequence[Any], known: Sequence[str], names: list[str], x: str) -> tuple[str, ...]:
    """Return as many unknowns as equations: those wanted, and a curve's parameter or the names that are left."""
    missing = len(sides) - len(names)
    others = [n for n in known if n not in (*names, x)]
    if 0 < missing < len(others):
        explicit = [e.text for e, _ in sides if e.text in others]
        ordered = [*explicit, *(p for p in PARAMETERS if p in others and p not in explicit)]
        others = ordered[:missing]
    if missing < 0 or (missing and len(others) != missing):
        raise ArgumentError(
            f"{who}: {len(sides)} equation{'s' * (len(sides) > 1)} cannot define {', '.join(names)} as functions of "
            f"{x}. Expected as many equations as names that depend on {x}; write wrt=[…] with all of them."
        )
    return (*names, *others[:missing])


def sympy_of(e: Expression) -> Any:
    """Return a formula of numbers in SymPy, with real symbols."""
    root = tensor_node(e.value)
    if root is None:
        return sp.nsimplify(e.value.item(), rational=True)
    if e.value.shape:
        raise ArgumentError(f"derive: {e.text!r} is an array. Expected an equation between numbers.")
    return _real(ClosedForm(root, [root], (), False).expr)


def _real(e: Any) -> Any:
    return e.xreplace({s: sp.Symbol(s.name, real=True) for s in e.free_symbols})


def slopes(c: Curve, order: int = 1) -> list[Any]:
    """Return the derivatives of the names wanted, of this order, in SymPy.

    Raises:
        ArgumentError: if the equations do not define the names as functions of x.
    """
    x, unknowns = sp.Symbol(c.x, real=True), [sp.Symbol(u, real=True) for u in c.unknowns]
    fs = [sympy_of(a) - sympy_of(b) for a, b in c.sides]
    system = sp.Matrix([[differentiate(f, u) for u in unknowns] for f in fs])
    rhs = sp.Matrix([-differentiate(f, x) for f in fs])
    det = system.det()
    if sp.simplify(det) == 0:
        raise ArgumentError(
            f"derive: the equations do not define {', '.join(c.wanted)} as functions of {c.x}: the determinant of the "
            "derivatives with respect to the unknowns is 0 everywhere. Check which names depend on which."
        )
    if c.parameter is not None:
        fs = []  # formulas of the parameter alone, which are differentiated with respect to it again
    first = [simplest((cofactor(system, k, rhs)).det() / det, fs, [x, *unknowns]) for k in range(len(unknowns))]
    result = first
    for _ in range(order - 1):
        result = [simplest(total(s, x, dict(zip(unknowns, first, strict=True))), fs, [x, *unknowns]) for s in result]
    return result[: len(c.wanted)]


def cofactor(system: Any, k: int, rhs: Any) -> Any:
    """Return a matrix with another k-th column, as in Cramer's rule."""
    other = system.copy()
    other[:, k] = rhs
    return other


def total(s: Any, x: Any, slope: dict[Any, Any]) -> Any:
    """Return ds/dx = ∂s/∂x + Σ ∂s/∂u·u′."""
    return differentiate(s, x) + sum(differentiate(s, u) * d for u, d in slope.items())


def simplest(e: Any, equations: Sequence[Any] = (), letters: Sequence[Any] = ()) -> Any:
    """Return the shortest equal formula among a few, also by the equations where they are polynomials."""
    tried: list[Callable[[], Any]] = [lambda: e]
    if sp.count_ops(e) < _LARGE:
        tried += [lambda: sp.cancel(sp.together(e)), lambda: sp.factor(sp.together(e)), lambda: _simplified(e)]
    best = min([t() for t in tried], key=_length)
    if not equations or sp.count_ops(e) >= _LARGE:
        return best
    reduced = min([_reduced(e, equations, letters, both) for both in (False, True)], key=_length)
    return reduced if sp.count_ops(reduced) <= _WORTH * sp.count_ops(best) else best


def _length(e: Any) -> tuple[int, str]:
    return sp.count_ops(e), str(e)


def without_equations(e: Any, equations: Sequence[Any]) -> Any:
    """Return an equal formula with its factors that does not use the equations; roots are of names, as these have."""
    there, back = _roots_as_letters([e, *equations])
    e = e.xreplace(there)
    factors = (
        everywhere(sp.factor(e), difference_of_squares) if e.is_rational_function(*e.free_symbols) else simplest(e)
    )
    return factors.xreplace(back)


def _simplified(e: Any) -> Any:
    """Return what SymPy makes of a formula; itself where that has tan beside sin or new angles but double ones."""
    made = sp.simplify(e)
    if made.has(sp.tan) and made.has(sp.sin, sp.cos) and not e.has(sp.tan):
        return e
    angles, new = ({f.args[0] for f in g.atoms(TrigonometricFunction)} for g in (e, made))
    return made if new <= angles | {2 * u for u in angles} else e


def _roots_as_letters(formulas: Sequence[Any]) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return powers of letters for the names that have roots, and the roots that the letters stand for."""
    powers = [p for f in formulas for p in f.atoms(sp.Pow) if p.base.is_Symbol and p.exp.is_Rational]
    orders = {x: math.lcm(*[p.exp.q for p in powers if p.base == x]) for x in {p.base for p in powers}}
    letters = {x: sp.Symbol(f"root_{x}", positive=True) for x, n in orders.items() if n > 1}
    return {x: t ** orders[x] for x, t in letters.items()}, {
        t: x ** sp.Rational(1, orders[x]) for x, t in letters.items()
    }


def _reduced(e: Any, equations: Sequence[Any], moving: Sequence[Any], both: bool) -> Any:
    """Return a fraction, its numerator or both parts reduced by equations of polynomials in names and roots."""
    there, back = _roots_as_letters([e, *equations])
    if there:
        letters = [next(iter(there.get(x, x).free_symbols)) for x in moving]
        e, *equations = (f.xreplace(there) for f in (e, *equations))
        return _reduced(e, equations, letters, both).xreplace(back)
    top, below = map(sp.factor, sp.fraction(sp.cancel(sp.together(e))))
    zeros = [sp.numer(sp.together(f)) for f in equations]
    free = e.free_symbols.union(*[f.free_symbols for f in zeros])
    letters = [*moving, *sorted(free.difference(moving), key=str)]
    if not all(f.is_polynomial(*letters) for f in (top, below, *zeros)):
        return e
    basis = sp.groebner(zeros, *letters, order="grevlex").exprs if len(zeros) > 1 else zeros
    upper, lower = (sp.reduced(f, basis, *letters, order="grevlex")[1] for f in (top, below))
    return e if lower == 0 else sp.factor(upper) / (sp.factor(lower) if both else below)


class ImplicitForms(tuple[ClosedForm, ...]):
    """The derivatives of several functions that equations define: a tuple of closed forms, printed a line each.

    >>> print(sg.derive(["u + v = x**2", "u*v = x"], ["u", "v"], "x"))
    du/dx = (2*u*x - 1)/(u - v)
    dv/dx = (1 - 2*v*x)/(u - v)
    """

    labels: tuple[str, ...] = ()

    def __new__(cls, forms: Sequence[ClosedForm], labels: Sequence[str]) -> ImplicitForms:
        """Make the tuple."""
        made = super().__new__(cls, forms)
        made.labels = tuple(labels)
        return made

    def __reduce__(self) -> Any:
        return ImplicitForms, (tuple(self), self.labels)

    def __str__(self) -> str:
        return "\n".join(f"{label} = {form}" for label, form in zip(self.labels, self, strict=True))


def as_form(e: Any, x: str) -> ClosedForm:
    """Return a formula of SymPy's as a closed form of numbers; a constant is one of x."""
    letters = sorted(e.free_symbols, key=str) or [sp.Symbol(x, real=True)]
    leaves = [symbol(s.name) for s in letters]
    with enable_grad():
        root: Any = tensor_node(with_leaves(from_sympy(e, letters)(*leaves), leaves))
    return ClosedForm.of(Derivative(root, [root], (), False))


def implicit(y: str | Sequence[str], wrt: Any, x: str, order: int) -> ClosedForm | ImplicitForms:
    """Return the closed form of dy/dx where equations define y; of several names, of each."""
    c = curve("derive", y, wrt, x)
    forms = [as_form(s, x) for s in slopes(c, order)]
    n = "" if order == 1 else str(order).translate(_HIGH)
    return forms[0] if isinstance(wrt, str) else ImplicitForms(forms, [f"d{n}{u}/d{x}{n}" for u in c.wanted])
