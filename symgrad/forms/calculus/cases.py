"""Case distinctions of numbers: read as symbols of truth, one value a case, written back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from sympy.logic.boolalg import BooleanFunction

from symgrad.forms.calculus.display_form import in_order
from symgrad.forms.calculus.length import length
from symgrad.forms.canon.cases import KINKS, MOST, Case, Conditions, added, clamped, truth_of, turned, with_brackets
from symgrad.forms.nodes.elementwise import Elementwise
from symgrad.forms.nodes.indexed import Branch, Branches
from symgrad.forms.nodes.marks import Cases, Truth
from symgrad.scalars import BY_FUNCTION

_NOWHERE = (sp.nan, sp.zoo, sp.oo)
OPENED = 40  # operations of a formula whose brackets are multiplied out, to tell its distinctions apart


def one_distinction(e: sp.Expr, shortest: Callable[[sp.Expr], sp.Expr]) -> sp.Expr:
    """Return e with one case distinction for all that it has, its values shortened."""
    conditions = Conditions()
    read = _read(e, conditions)
    if len(conditions.signs) > MOST:
        return e
    ways = _ways(conditions.cases(read, shortest))
    parts = conditions.parts(read) if read.count_ops() <= OPENED else []
    if len(parts) > 1:
        ways.append(sp.Add(*[_least(_ways(conditions.cases(part, shortest))) for part in parts]))
    return _least(ways)


def _least(ways: list[sp.Expr]) -> sp.Expr:
    return min(ways, key=lambda f: length(in_matrix_notation(f)))


def _ways(cases: list[Case]) -> list[sp.Expr]:
    """Return cases as they are, as a number times a bracket, and as a function that has such cases."""
    cases = _at_a_point(cases)
    ways = [_branches(cases)]
    for way in (cases, turned(cases) if len(cases) > 1 else None):
        bracketed = None if way is None else with_brackets(way)
        if bracketed is not None:
            a, b, rest = bracketed
            ways.append(a + b * _branches(rest))
    clamp = clamped(cases)
    return ways if clamp is None else [*ways, clamp]


def _read(e: Any, conditions: Conditions) -> sp.Expr:
    if isinstance(e, sp.Piecewise):
        return added([(_read(value, conditions), _truth(condition, conditions)) for value, condition in e.args])
    if not e.args:
        return e
    args = [_read(a, conditions) for a in e.args]
    return KINKS[type(e)](conditions, *args) if type(e) in KINKS else e.func(*args)


def _truth(c: Any, conditions: Conditions) -> sp.Expr:
    if c in (sp.true, sp.false):
        return sp.Integer(bool(c))
    inside = _truth if isinstance(c, BooleanFunction) else _read
    return truth_of(conditions, c.func, [inside(a, conditions) for a in c.args])


def _at_a_point(cases: list[Case]) -> list[Case]:
    """Return {a if x = c; b otherwise} with the number that a is at c.

    Where b is that number too, or neither has a value at c, b stands alone.
    """
    if len(cases) != 2 or len(cases[0].conditions) != 1 or cases[1].conditions:
        return cases
    there, elsewhere = cases
    ((head, x, c),) = there.conditions
    if head is not sp.Eq or not x.is_Symbol or not sp.sympify(c).is_Rational:
        return cases
    here, beside = (_number(e.subs(x, c)) for e in (there.value, elsewhere.value))
    if here is not None and here == beside:
        return [elsewhere]
    return cases if here in (None, sp.nan) else [there._replace(value=here), elsewhere]


def _number(e: sp.Expr) -> sp.Expr | None:
    """Return the rational number that a formula is, by the meaning of its functions; nan where it divides by 0."""
    functions = {a: BY_FUNCTION[type(a)].meant(*a.args) for a in e.atoms(sp.Function) if type(a) in BY_FUNCTION}
    if any(v.has(*_NOWHERE) for v in functions.values()):  # as of xlogy(0, 0), which is 0 all the same
        return None
    known = e.xreplace(functions)
    return sp.nan if known.has(*_NOWHERE) else known if known.is_Rational else None


def _branches(cases: list[Case]) -> sp.Expr:
    while (
        len(cases) > 1 and not cases[-1][1] and cases[-2][0] == cases[-1][0]
    ):  # one value, with its condition and else
        cases = [*cases[:-2], cases[-1]]
    made = [Branch(value, sp.And(*[head(*sides, evaluate=False) for head, *sides in cs])) for value, cs in cases]
    return made[0].args[0] if len(made) == 1 else Branches(*made)


# ------------------------------------------------------------------ matrix notation
def in_matrix_notation(e: sp.Expr) -> sp.Expr:
    """Return e with functions under the names that matrix notation has for them, and its case distinctions."""
    if isinstance(e, sp.Piecewise):
        return _cases(e)
    if not e.args:
        return e
    args = [in_matrix_notation(a) for a in e.args]
    declared = BY_FUNCTION.get(type(e))
    if declared is not None and declared.text != declared.name:
        return Elementwise.of(type(e), args, ())
    if all(a is b for a, b in zip(args, e.args, strict=True)):
        return e
    if e.is_Add or e.is_Mul:
        return e.func(*in_order(args), evaluate=False)
    return e.func(*args, evaluate=False) if e.is_Pow else e.func(*args)


def _cases(e: sp.Piecewise) -> sp.Expr:
    parts = [(in_matrix_notation(value), condition) for value, condition in e.args]
    *cases, (last, always) = parts
    if always != True or not all(_is_and(c) for _, c in cases):  # noqa: E712  (SymPy's true)
        return e
    if last == 0 and len(cases) == 1 and cases[0][0] == 1 and isinstance(cases[0][1], sp.core.relational.Relational):
        return _marked(cases[0][1])
    flat = [x for value, c in cases for x in (value, sp.Mul(*map(_marked, sp.And.make_args(c))))]
    return Cases.of([*flat, last], ())


def _is_and(c: Any) -> bool:
    return all(isinstance(a, sp.core.relational.Relational) for a in sp.And.make_args(c))


def _marked(c: Any) -> sp.Expr:
    return Truth.of(c.func, in_matrix_notation(c.lhs), in_matrix_notation(c.rhs), ())
