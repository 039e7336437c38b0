"""What a SymPy expression comes to, in numbers with error bounds: the meaning of elementwise operations.

A declared function is evaluated by its meaning; its kernel and its stable form are not asked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import sympy as sp
from mpmath import libmp
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom

from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.mpmath.number import Ball, Field, Undecided, of_any_size, power, root
from symgrad.scalars import Atom, X, fmax, fmin


class Evaluator:
    """The values of expressions whose symbols have these values; shared parts are evaluated once."""

    def __init__(self, field: Field, values: dict[Any, Any]) -> None:
        self.field = field
        self._known: dict[Any, Any] = dict(values)

    def number(self, e: Any) -> Ball:
        """Return the value of an expression as a number; a boolean counts as 0 or 1."""
        return self.field.number(self(e))

    def __call__(self, e: Any) -> Any:
        """Return the value of an expression: a number, or a boolean of a condition."""
        if isinstance(e, (sp.Number, BooleanAtom)):
            return bool(e) if isinstance(e, BooleanAtom) else self.field.number(e)
        value = self._known.get(e)
        if value is None:
            value = self._known[e] = self._evaluated(e)
        return value

    def _evaluated(self, e: Any) -> Any:
        for kind in type(e).__mro__:
            rule = _RULES.get(kind)
            if rule is not None:
                return rule(self, e)
        if isinstance(e, Atom):
            slots = dict(zip(X, [self.number(a) for a in e.args], strict=False))
            return Evaluator(self.field, slots)(e.declared.meaning_at(e.args))
        raise Unsuitable(f"backend {self.field.backend!r}: the function {type(e).__name__} has no meaning there.")


# ------------------------------------------------------------------ arithmetic
def _add(at: Evaluator, e: Any) -> Ball:
    return reduce(lambda a, b: a + b, [at.number(a) for a in e.args])


def _mul(at: Evaluator, e: Any) -> Ball:
    """Products, with what is divided by taken together: x/0 is ∞ and not x·∞."""
    above, below = e.as_numer_denom() if any(_is_inverse(a) for a in e.args) else (e, sp.S.One)
    factors = above.args if isinstance(above, sp.Mul) else (above,)
    product = reduce(lambda a, b: a * b, [at.number(a) for a in factors])
    product = product if below == 1 else product / at.number(below)
    return at.field.number(product)


def _is_inverse(e: Any) -> bool:
    return isinstance(e, sp.Pow) and e.exp == -1


def _pow(at: Evaluator, e: Any) -> Ball:
    if e.exp == sp.S.Half:
        return root(at.number(e.base))
    if isinstance(e.exp, sp.Rational) and e.exp.q == 2:
        return power(root(at.number(e.base)), at.field.number(int(e.exp.p)))
    return power(at.number(e.base), at.number(e.exp))


def _floor(at: Evaluator, e: Any) -> Ball:
    return at.number(e.args[0]).floor()


def _ceiling(at: Evaluator, e: Any) -> Ball:
    return -(-at.number(e.args[0])).floor()


def _mod(at: Evaluator, e: Any) -> Ball:
    a, b = map(at.number, e.args)
    quotient: Ball = a / b
    return at.field.number(a - b * quotient.floor())


def _abs(at: Evaluator, e: Any) -> Ball:
    return abs(at.number(e.args[0]))


def _sign(at: Evaluator, e: Any) -> Ball:
    x = at.number(e.args[0])
    return x if x.is_nan else at.field.number(x.sign())


def largest(a: Ball, b: Ball) -> Ball:
    """The larger of two; nan where one is nan."""
    if a.is_nan or b.is_nan:
        return a if a.is_nan else b
    try:
        return a if a >= b else b
    except Undecided:  # equal, perhaps: the larger is certain all the same
        return a.field.number((a + b + abs(a - b)) / 2)


def _max(at: Evaluator, e: Any) -> Ball:
    return reduce(largest, map(at.number, e.args))


def _min(at: Evaluator, e: Any) -> Ball:
    return -reduce(largest, [-at.number(a) for a in e.args])


def _present(sign: int) -> Callable[[Evaluator, Any], Ball]:
    """The larger or smaller of two, of which one that is nan does not count."""

    def found(at: Evaluator, e: Any) -> Ball:
        a, b = (at.number(x) * sign for x in e.args)
        return at.field.number((b if a.is_nan else a if b.is_nan else largest(a, b)) * sign)

    return found


# ------------------------------------------------------------------ conditions


def _piecewise(at: Evaluator, e: Any) -> Any:
    """The first piece whose condition holds; the others are not read."""
    for value, condition in e.args:
        if _truth(at, condition):
            return at(value)
    return Ball(at.field, libmp.fnan)


def _truth(at: Evaluator, condition: Any) -> bool:
    value = at(condition)
    return value if isinstance(value, bool) else bool(value)


_COMPARE: dict[Any, Callable[[Ball, Ball], bool]] = {
    sp.StrictLessThan: lambda a, b: a < b,
    sp.LessThan: lambda a, b: a <= b,
    sp.StrictGreaterThan: lambda a, b: a > b,
    sp.GreaterThan: lambda a, b: a >= b,
    sp.Equality: lambda a, b: a == b,
    sp.Unequality: lambda a, b: a != b,
}


def _compare(at: Evaluator, e: Relational) -> bool:
    return bool(_COMPARE[type(e)](at.number(e.args[0]), at.number(e.args[1])))


# ------------------------------------------------------------------ functions of mpmath
def _function(fn: Callable[..., Any]) -> Callable[[Evaluator, Any], Ball]:
    def found(at: Evaluator, e: Any) -> Ball:
        return at.field.apply(fn, *map(at.number, e.args))

    return found


def _log(context: Any, x: Any) -> Any:
    if x == 0:
        return context.ninf
    return context.log(x) if x > 0 else context.nan


of_any_size.add(_log)


def _lgamma(context: Any, x: Any) -> Any:
    """log |Γ(x)|, as in C."""
    if x <= 0 and context.isint(x):
        return context.inf
    return context.re(context.loggamma(x)) if x < 0 else context.loggamma(x)


def _polygamma(context: Any, n: Any, x: Any) -> Any:
    if x <= 0 and context.isint(x):
        return context.nan
    return context.psi(int(n), x)


def _erfinv(context: Any, x: Any) -> Any:
    if abs(x) >= 1:
        return context.nan if abs(x) > 1 else x * context.inf
    return context.erfinv(x)


def _bessel(name: str) -> Callable[..., Any]:
    def at_order(context: Any, n: Any, x: Any) -> Any:
        return getattr(context, name)(int(n), x)

    at_order.__qualname__ = name
    return at_order


def _zeta(context: Any, s: Any, q: Any = 1) -> Any:
    return context.zeta(s, q)


def _named(name: str) -> Callable[..., Any]:
    def function(context: Any, *xs: Any) -> Any:
        return getattr(context, name)(*xs)

    function.__qualname__ = name
    return function


def _constant(compute: Callable[[int, str], Any]) -> Callable[[Evaluator, Any], Ball]:
    return lambda at, e: at.field.constant(compute)


_RULES: dict[Any, Callable[[Evaluator, Any], Any]] = {
    sp.Add: _add,
    sp.Mul: _mul,
    sp.Pow: _pow,
    sp.floor: _floor,
    sp.ceiling: _ceiling,
    sp.Mod: _mod,
    sp.Abs: _abs,
    sp.sign: _sign,
    sp.Max: _max,
    sp.Min: _min,
    fmax: _present(1),
    fmin: _present(-1),
    sp.Piecewise: _piecewise,
    sp.And: lambda at, e: all(_truth(at, a) for a in e.args),
    sp.Or: lambda at, e: any(_truth(at, a) for a in e.args),
    sp.Not: lambda at, e: not _truth(at, e.args[0]),
    sp.Xor: lambda at, e: sum(_truth(at, a) for a in e.args) % 2 == 1,
    sp.ITE: lambda at, e: at(e.args[1] if _truth(at, e.args[0]) else e.args[2]),
    **dict.fromkeys(_COMPARE, _compare),
    sp.log: _function(_log),
    sp.loggamma: _function(_lgamma),
    sp.polygamma: _function(_polygamma),
    sp.erfinv: _function(_erfinv),
    sp.besseli: _function(_bessel("besseli")),
    sp.besselj: _function(_bessel("besselj")),
    sp.zeta: _function(_zeta),
    **{
        getattr(sp, name): _function(_named(name))
        for name in (
            "exp", "sin", "cos", "tan", "cot", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh",
            "acosh", "atanh", "erf", "erfc", "gamma",
        )
    },
    type(sp.pi): _constant(libmp.mpf_pi),
    type(sp.E): _constant(libmp.mpf_e),
    type(sp.EulerGamma): _constant(libmp.mpf_euler),
}  # fmt: skip
