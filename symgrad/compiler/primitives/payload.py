"""From a payload, the SymPy expression of an elementwise operation, to a few scalar operations.

The steps are worked out once a payload and then replayed on any references: of numbers, of loops, of registers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import sympy as sp

from symgrad.scalars import BY_FUNCTION, SCALARS, X
from symgrad.scalars.quotients import folded, over, stepwise

_RELATION = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_POWERS = 64  # whole exponents up to this are products


class Steps(NamedTuple):
    """Operations ``(name, *positions)``: positions below ``arity`` are arguments, the others earlier steps."""

    arity: int
    ops: tuple[tuple[Any, ...], ...]
    result: Any  # a position, or several


@lru_cache(maxsize=8192)
def steps_of(payload: Any, arity: int) -> Steps:
    """Return the scalar operations that compute the payload."""
    writer = _Writer(arity)
    result = writer.write(stepwise(folded(payload)))
    return Steps(arity, tuple(writer.ops), result)


def names_of(steps: Steps) -> set[str]:
    """Return the names of the functions in the steps, with the order of a polygamma that is a number."""
    return {of_order(op[0], _number_at(steps, op[1])) if op[0] == "polygamma" else op[0] for op in steps.ops} - {
        "const"
    }


def of_order(name: str, n: float | None) -> str:
    """Return the name of a function of this order."""
    return name if n is None else f"{name}{int(n)}"


def _number_at(steps: Steps, place: int) -> float | None:
    op = steps.ops[place - steps.arity] if place >= steps.arity else ("",)
    return op[1] if op[0] == "const" else None


@lru_cache(maxsize=64)
def steps_in_parts(formula: Callable[..., Any], arity: int = 2) -> Steps:
    """Return the operations on real and imaginary parts of a function of complex numbers: see ``scalars.complexes``."""
    writer = _Writer(arity)
    parts = formula(_Recorder(writer), *[_Ref(writer, k) for k in range(arity)])
    return Steps(arity, tuple(writer.ops), tuple(_position(writer, part) for part in parts))


def replay(steps: Steps, args: Sequence[Any], emit: Callable[..., Any], const: Callable[[float], Any]) -> Any:
    """Run the steps on references."""
    arity, ops, result = steps
    if len(ops) == 1 and ops[0][0] != "const":  # as most
        return emit(ops[0][0], *[args[k] for k in ops[0][1:]])
    env = list(args[:arity])
    for op in ops:
        if op[0] == "const":
            env.append(const(op[1]))
        elif len(op) == 3:  # as most: without a list
            env.append(emit(op[0], env[op[1]], env[op[2]]))
        else:
            env.append(emit(op[0], *[env[k] for k in op[1:]]))
    return env[result] if isinstance(result, int) else tuple(env[k] for k in result)


class _Writer:
    def __init__(self, arity: int) -> None:
        self.arity = arity
        self.ops: list[tuple[Any, ...]] = []
        self.known: dict[Any, int] = {x: k for k, x in enumerate(X[:arity])}
        self.places: dict[tuple[Any, ...], int] = {}

    def op(self, name: str, *args: Any) -> int:
        key = (name, *args)
        if key not in self.places:
            self.ops.append(key)
            self.places[key] = self.arity + len(self.ops) - 1
        return self.places[key]

    def number(self, value: Any) -> int:
        return self.op("const", float(value))

    def write(self, e: Any) -> int:
        """Append the operations of an expression; payloads are small, so recursion is shallow."""
        ref = self.known.get(e)
        if ref is None:
            ref = self.known[e] = self._written(e)
        return ref

    def _written(self, e: Any) -> int:
        if e is sp.true or e is sp.false:
            return self.number(bool(e))
        if getattr(e, "is_number", False):
            return self.number(sp.Float(e.evalf(20)) if e.is_finite else float(e))
        kind = next((k for k in type(e).__mro__ if k in _WRITE), None)
        if kind is not None:
            return _WRITE[kind](self, e)
        return self._declared(e)

    def _declared(self, e: Any) -> int:
        scalar = BY_FUNCTION.get(type(e))
        if scalar is None:
            raise TypeError(f"no kernel is declared for {type(e).__name__}; declare it in symgrad.scalars")
        if scalar.computed is not None:
            return self._computed(scalar, e.args)
        args = [self.write(a) for a in e.args]
        while len(args) > scalar.nargs:  # Max and Min take any number of arguments
            args = [self.op(scalar.name, *args[: scalar.nargs]), *args[scalar.nargs :]]
        return self.op(scalar.name, *args)

    def _computed(self, scalar: Any, args: Sequence[Any]) -> int:
        """Append the operations of a kernel that is a formula."""
        numbers = [int(n) for n in args[: scalar.ordered]]
        refs = [_Ref(self, self.write(a)) for a in args[len(numbers) :]]
        return _position(self, scalar.computed(_Recorder(self), *numbers, *refs))

    def folded(self, name: str, args: Sequence[int]) -> int:
        first, *rest = args
        for a in rest:
            first = self.op(name, first, a)
        return first


class _Ref:
    """A value of a formula that is being recorded."""

    __slots__ = ("k", "w")

    def __init__(self, w: _Writer, k: int) -> None:
        self.w, self.k = w, k

    def __neg__(self) -> _Ref:
        return _Ref(self.w, self.w.op("neg", self.k))


def _operator(name: str, turned: bool) -> Callable[[_Ref, Any], _Ref]:
    def apply(a: _Ref, b: Any) -> _Ref:
        places = (a.k, _position(a.w, b))
        return _Ref(a.w, a.w.op(name, *(places[::-1] if turned else places)))

    return apply


for _name in ("add", "sub", "mul", "lt", "le", "gt", "ge", "eq", "ne", "and", "or"):
    setattr(_Ref, f"__{_name}__", _operator(_name, False))
for _name in ("add", "sub", "mul"):
    setattr(_Ref, f"__r{_name}__", _operator(_name, True))
for _name, _turned in (("__truediv__", False), ("__rtruediv__", True)):
    setattr(_Ref, _name, _operator("div", _turned))


def _position(w: _Writer, value: Any) -> int:
    return value.k if isinstance(value, _Ref) else w.number(value)


class _Recorder:
    """The functions that a formula asks for, each recorded as a step, or as its own formula."""

    def __init__(self, w: _Writer) -> None:
        self._w = w

    def select(self, condition: _Ref, yes: Callable[..., _Ref], no: Callable[..., _Ref], *xs: _Ref) -> _Ref:
        ref: _Ref = self.where(condition, yes(*xs), no(*xs))
        return ref

    def replaced(self, condition: _Ref, f: Callable[[_Ref], _Ref], x: _Ref, other: _Ref) -> _Ref:
        ref: _Ref = self.where(condition, f(x), other)
        return ref

    def __getattr__(self, name: str) -> Callable[..., Any]:
        scalar = SCALARS.get(name)
        if scalar is not None and scalar.computed is not None:
            return partial(scalar.computed, self)
        step = "select" if name == "where" else name
        return lambda *args: _Ref(self._w, self._w.op(step, *[_position(self._w, a) for a in args]))


def _sum(w: _Writer, e: sp.Add) -> int:
    minus = [a for a in e.args if a.could_extract_minus_sign() and not a.is_number]
    plus = [a for a in e.args if a not in minus]
    if not plus:
        return w.op("neg", w.folded("add", [w.write(-a) for a in minus]))
    total = w.folded("add", [w.write(a) for a in plus])
    for a in minus:
        total = w.op("sub", total, w.write(-a))
    return total


def _product(w: _Writer, e: sp.Mul) -> int:
    coefficient, rest = e.as_coeff_Mul()
    above: list[Any] = []
    below: list[Any] = []
    for a in sp.Mul.make_args(rest):
        base, power = a.as_base_exp() if isinstance(a, sp.Pow) else (a, sp.S.One)
        inverse = power.is_number and power.is_negative
        (below if inverse else above).append(base ** (-power) if inverse else a)
    if coefficient.is_Rational and coefficient.q != 1 and coefficient.p in (1, -1):
        below.insert(0, sp.Integer(coefficient.q))
        coefficient = sp.Integer(coefficient.p)
    factors = [w.write(a) for a in above]
    if coefficient not in (1, -1):
        factors.insert(0, w.number(coefficient.evalf(20)))
    top = w.folded("mul", factors) if factors else w.number(1)
    quotient = w.op("div", top, w.folded("mul", [w.write(b) for b in below])) if below else top
    return w.op("neg", quotient) if coefficient == -1 else quotient


def _power(w: _Writer, e: sp.Pow) -> int:
    base, power = e.base, e.exp
    if not power.is_number:
        return w.op("pow", w.write(base), w.write(power))
    if power.is_negative:
        return w.op("div", w.number(1), w.write(base**-power))
    b = w.write(base)
    whole, half = divmod(power, 1)
    if half == 0 and whole <= _POWERS:
        return _repeated(w, b, int(whole))
    if half == sp.Rational(1, 2) and whole <= _POWERS:
        root = w.op("sqrt", b)
        return root if whole == 0 else _of_minus_infinity(w, b, w.op("mul", _repeated(w, b, int(whole)), root))
    return w.op("pow", b, w.number(power.evalf(20)))


def _of_minus_infinity(w: _Writer, b: int, power: int) -> int:
    """b^(n + 1/2), which is ∞ for b = -∞ though that has no square root, as in C and NumPy."""
    return w.op("select", w.op("eq", b, w.number(-math.inf)), w.number(math.inf), power)


def _repeated(w: _Writer, b: int, n: int) -> int:
    """bⁿ by squaring."""
    power = None
    while n:
        if n & 1:
            power = b if power is None else w.op("mul", power, b)
        n >>= 1
        if n:
            b = w.op("mul", b, b)
    return w.number(1) if power is None else power


def _piecewise(w: _Writer, e: sp.Piecewise) -> int:
    *head, (last, _) = e.args
    ref = w.write(last)
    for value, condition in reversed(head):
        ref = w.op("select", w.write(condition), w.write(value), ref)
    return ref


def _if_then_else(w: _Writer, e: Any) -> int:
    """SymPy's condition of a Piecewise in which there is another one."""
    condition, then, otherwise = map(w.write, e.args)
    return w.op("or", w.op("and", condition, then), w.op("and", w.op("not", condition), otherwise))


def _relation(w: _Writer, e: Any) -> int:
    return w.op(_RELATION[e.rel_op], w.write(e.lhs), w.write(e.rhs))


def _joined(name: str) -> Callable[[_Writer, Any], int]:
    return lambda w, e: w.folded(name, [w.write(a) for a in sorted(e.args, key=sp.default_sort_key)])


_WRITE: dict[Any, Callable[[_Writer, Any], int]] = {
    sp.Add: _sum, sp.Mul: _product, sp.Pow: _power, over: lambda w, e: w.op("div", *map(w.write, e.args)),
    sp.Piecewise: _piecewise, sp.core.relational.Relational: _relation, sp.And: _joined("and"), sp.Or: _joined("or"),
    sp.Not: lambda w, e: w.op("not", w.write(e.args[0])), sp.ITE: _if_then_else,
}  # fmt: skip
