"""Reading a SymPy expression into steps, each after those that it uses.

A number becomes a formula in letters: those of the user, and one for each number that is made of arrays. A formula of
few letters is one elementwise operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import sympy as sp
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, BooleanAtom

from symgrad import functions
from symgrad.errors import FormError
from symgrad.forms.sympy.nodes import (
    ARRAYS,
    NUMBERS,
    Env,
    Step,
    chain,
    constant,
    mapped,
    then,
    unknown,
    value_of,
)
from symgrad.ops.map import ADD, MUL
from symgrad.scalars import BY_FUNCTION, MAX_ARITY, X

FUSED = 64  # operations of a number that become one elementwise operation


def _sign_of_gamma(x: Any) -> Any:
    """(-1)^⌊x⌋ for x < 0, else 1; symgrad's log Γ is log |Γ|."""
    return sp.cos(sp.pi * sp.Min(sp.floor(x), 0))


# What has no declaration of its own, by what it is on real numbers.
_MEANING: dict[Any, Callable[..., Any]] = {
    sp.sec: lambda x: 1 / sp.cos(x),
    sp.csc: lambda x: 1 / sp.sin(x),
    sp.cot: lambda x: sp.cos(x) / sp.sin(x),
    sp.sech: lambda x: 1 / sp.cosh(x),
    sp.csch: lambda x: 1 / sp.sinh(x),
    sp.coth: lambda x: sp.cosh(x) / sp.sinh(x),
    sp.acot: lambda x: sp.atan(1 / x),
    sp.asec: lambda x: sp.acos(1 / x),
    sp.acsc: lambda x: sp.asin(1 / x),
    sp.acoth: lambda x: sp.atanh(1 / x),
    sp.asech: lambda x: sp.acosh(1 / x),
    sp.acsch: lambda x: sp.asinh(1 / x),
    sp.Heaviside: lambda x, at_zero: sp.Piecewise((0, x < 0), (at_zero, sp.Eq(x, 0)), (1, True)),
    sp.sinc: lambda x: sp.Piecewise((sp.sin(x) / x, sp.Ne(x, 0)), (1, True)),
    sp.gamma: lambda x: _sign_of_gamma(x) * sp.exp(sp.loggamma(x)),
    sp.factorial: lambda x: sp.gamma(x + 1),
    sp.beta: lambda x, y: (
        _sign_of_gamma(x)
        * _sign_of_gamma(y)
        * _sign_of_gamma(x + y)
        * sp.exp(sp.loggamma(x) + sp.loggamma(y) - sp.loggamma(x + y))
    ),
    sp.frac: lambda x: x - sp.floor(x),
    sp.ITE: lambda c, a, b: sp.Or(sp.And(c, a), sp.And(sp.Not(c), b)),
    sp.Xor: lambda *cs: sp.Xor(*cs).to_nnf(),
}


class Reader:
    """The steps of an expression, each after those that it uses."""

    def __init__(self, given: set[Any]) -> None:
        self.known = set(given)
        self.steps: list[tuple[Any, Step]] = []
        self.formulas: dict[Any, Any] = {}

    def add(self, key: Any, step: Step) -> Any:
        """Compute a key by a step, and return it."""
        self.known.add(key)
        self.steps.append((key, step))
        return key

    def slot(self, step: Step) -> Any:
        """Compute a number, or the entries of an array, by a step; return the letter that stands for it."""
        return self.add(sp.Dummy(real=True), step)

    def read(self, e: Any) -> Any:
        """Plan the computation of e; return the key of its value."""
        if e in self.known:
            return e
        if not e.is_Matrix:
            return self.planned(self.formula(e))
        read = next((ARRAYS[c] for c in type(e).__mro__ if c in ARRAYS), None)
        if read is None:
            raise unknown(e)
        return self.add(e, read(self, e))

    def inside(self, letters: Sequence[Any]) -> Reader:
        """Return a reader of a part of the expression that has letters of its own."""
        return Reader(self.known | set(letters))

    # -------------------------------------------------------------- numbers
    def formula(self, e: Any) -> Any:
        """Return a number as a formula of declared functions in letters; all else is a step with a letter."""
        formula = self.formulas.get(e)
        if formula is None:
            formula = self.formulas[e] = self._formula(e)
        return formula

    def _formula(self, e: Any) -> Any:
        head = type(e)
        if e.is_Symbol or isinstance(e, (sp.Number, sp.NumberSymbol, BooleanAtom)):
            return e
        if isinstance(e, sp.Piecewise):
            return sp.Piecewise(*[(self.formula(v), self._condition(c)) for v, c in e.args], (sp.nan, True))
        if isinstance(e, (sp.And, sp.Or, sp.Not)):
            return e.func(*map(self._condition, e.args))
        if isinstance(e, (sp.Max, sp.Min)):
            return self._folded(e.func, list(map(self.formula, e.args)))
        if head in NUMBERS:
            step = NUMBERS[head](self, e)
            return self.slot(step)
        if head in _MEANING:
            return self.formula(_MEANING[head](*e.args))
        if head is sp.log and isinstance(e.args[0], sp.Determinant):
            return self.slot(then(functions.logdet, self.read(e.args[0].arg)))
        declared = head in BY_FUNCTION and len(e.args) == BY_FUNCTION[head].nargs
        if not declared and not isinstance(e, (sp.Add, sp.Mul, sp.Pow, Relational)):
            raise unknown(e)
        return _checked(e.func(*map(self.formula, e.args)))

    def _condition(self, c: Any) -> Any:
        formula = self.formula(c)
        return formula if isinstance(formula, Boolean) and not formula.is_Symbol else sp.Ne(formula, 0)

    def _folded(self, function: Any, parts: Sequence[Any]) -> Any:
        """Return the maximum of any number of arguments, two at a time."""
        value = parts[0]
        for part in parts[1:]:
            value = function(value, part)
            if isinstance(value, function) and len(value.args) > 2:
                value = function(self.slot(self._planned_step(function(*value.args[:-1]))), part)
        return value

    def planned(self, f: Any) -> Any:
        """Plan a formula; return the key of its value."""
        return f if f in self.known else self.add(f, self._planned_step(f))

    def _planned_step(self, f: Any) -> Step:
        """Return a formula as one elementwise operation, or made of its parts where it is large."""
        letters = sorted(f.free_symbols, key=sp.default_sort_key)
        if not letters:
            return partial(constant, bool(f) if isinstance(f, BooleanAtom) else float(f))
        if len(letters) <= MAX_ARITY and f.count_ops() <= FUSED:
            return mapped(f.xreplace(dict(zip(letters, X, strict=False))), letters)
        if isinstance(f, sp.Piecewise):
            return self._cases(f)
        keys = [self.planned(a) for a in f.args]
        if isinstance(f, (sp.Add, sp.Mul)):
            return chain(ADD if f.is_Add else MUL, keys)
        if isinstance(f, (sp.And, sp.Or)):
            return chain(functions.logical_and if isinstance(f, sp.And) else functions.logical_or, keys)
        if isinstance(f, sp.Not):
            return then(functions.logical_not, *keys)
        return mapped(f.func(*X[: len(keys)]), keys)

    def _cases(self, f: Any) -> Step:
        pairs = [(self.planned(v), self.planned(c)) for v, c in f.args]

        def step(env: Env) -> Any:
            chosen = value_of(env, pairs[-1][0])
            for value, condition in reversed(pairs[:-1]):
                chosen = functions.where(value_of(env, condition), value_of(env, value), chosen)
            return chosen

        return step


def _checked(f: Any) -> Any:
    """Return the formula, unless it is a number that is not real."""
    if f.is_number and f.is_extended_real is False:
        raise FormError(f"from_sympy: {f} is not a real number. Complex numbers are not supported.")
    return f
