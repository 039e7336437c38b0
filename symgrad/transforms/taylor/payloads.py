"""Series of elementwise operations, read off the payload and the derivatives that its functions declare.

Every part of the payload is a series. A declared function follows from y′ = Σ φₐ(u)·a′, where φₐ(u) is a series of the
same table: sin and cos, or tanh and 1 − tanh², close after two; polygamma makes one more for every order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.streams import Stream, given, integral, power, product, scaled, total
from symgrad.errors import NotDifferentiable
from symgrad.ops.map import Map
from symgrad.scalars import BY_FUNCTION, Undeclared, X, Y
from symgrad.scalars.elementary import power_log, power_slope

_BREAKING = {"remainder", "fmod", "copysign", "heaviside", "atan2", "hypot"}  # whose derivatives do not tell
_ROUNDING = 1e-6


class PayloadSeries:
    """The series of a payload's parts, for series in the places of its letters."""

    def __init__(self, inputs: Sequence[Stream]) -> None:
        self._inputs = inputs
        self._known: dict[Any, Stream] = dict(zip(X, inputs, strict=False))

    def __getitem__(self, e: Any) -> Stream:
        stream = self._known.get(e)
        if stream is None:
            stream = self._known[e] = self._made(e)
        return stream

    def _made(self, e: Any) -> Stream:
        if not e.free_symbols:
            return given([self._value(e)])
        if isinstance(e, sp.Add):
            return total([self[a] for a in e.args])
        if isinstance(e, sp.Mul):
            return self._product(e)
        if isinstance(e, sp.Pow) and e.exp.is_number:
            return self._power(e, e.exp)
        if isinstance(e, sp.Piecewise):
            return self._piecewise(e)
        return self._declared(e)

    def _product(self, e: sp.Mul) -> Stream:
        factor, rest = e.as_coeff_Mul()
        if factor != 1:
            return scaled(self._value(factor), self[rest])
        stream, *others = [self[a] for a in e.args]
        for u in others:
            stream = product(stream, u)
        return stream

    def _power(self, e: sp.Pow, a: Any) -> Stream:
        b = e.base
        if a.is_Integer and a > 1:
            return product(self[b ** (a // 2)], self[b ** (a - a // 2)])
        if a.is_real and a < 0:
            return power(lambda: self._value(e), _inverse, self[b], float(a))
        return integral(lambda: self._value(e), [(self[a * b ** (a - 1)], self[b])])

    def _piecewise(self, e: sp.Piecewise) -> Stream:
        """Take of every order the coefficient of the branch that holds at t = 0."""
        branches = [self[a] for a, _ in e.args]
        first, count = len(self._inputs), len(branches)
        chosen = sp.Piecewise(*[(X[first + n], c) for n, (_, c) in enumerate(e.args)])
        letters = sorted(chosen.free_symbols, key=X.index)
        op = Map.of(chosen.xreplace(dict(zip(letters, X, strict=False))), len(letters), "where")

        def choose(k: int, at: Callable[[Stream], Any]) -> Any:
            known = [0.0 if u[k] is None else u[k] for u in branches]
            return op(*[known[n - first] if n >= first else at(self._inputs[n]) for n in map(X.index, letters)])

        def follow(k: int) -> Any:
            for order in range(k - 1, k + 1) if k else ():
                _check_smooth(partial(choose, order))
            return None if all(u[k] is None for u in branches) else choose(k, _start)

        return Stream(follow) if count else given([])

    def _declared(self, e: Any) -> Stream:
        pairs: list[tuple[Any, Any]] = []
        for a, p in zip(e.args, _partials(e), strict=False):
            missing = next(iter(p.atoms(Undeclared)), None) if a.free_symbols else None
            if missing is not None:
                raise missing.refusal()
            if a.free_symbols and p != 0:
                pairs.append((p, a))
        steps = not pairs and any(a.free_symbols for a in e.args)  # constant but for jumps
        if steps:
            parts = [self[a] for a in e.args]
            return stepping(Map.of(e.func(*X[: len(parts)]), len(parts)), parts)
        stream = _Late(self, e, pairs).stream
        scalar = BY_FUNCTION.get(type(e))
        if scalar is not None and scalar.name in _BREAKING:
            letters = sorted(e.free_symbols, key=X.index)
            places = dict(zip(letters, X, strict=False))
            ops = [Map.of(sp.sympify(p).xreplace(places), len(letters)) for p in (e, *(p for p, _ in pairs))]
            return unbroken(stream, ops, [self[x] for x in letters])
        return _of_power(stream, *[self[a] for a in e.args]) if isinstance(e, sp.Pow) and len(pairs) == 2 else stream

    def _value(self, e: Any) -> Any:
        """The value at t = 0."""
        letters = sorted(e.free_symbols, key=X.index)
        if not letters:
            return complex(e) if not e.is_real else float(e)
        op = Map.of(e.xreplace(dict(zip(letters, X, strict=False))), len(letters))
        return op(*[self._known[x][0] for x in letters])


class _Late:
    """A declared function. Its derivatives become series when an order above 0 is requested."""

    def __init__(self, table: PayloadSeries, e: Any, pairs: Sequence[tuple[Any, Any]]) -> None:
        self._table, self._e, self._pairs = table, e, pairs
        self._body: Stream | None = None
        self.stream = Stream(self._follow)

    def _follow(self, k: int) -> Any:
        if k == 0:
            return self._table._value(self._e)
        if self._body is None:
            table = self._table
            self._body = integral(lambda: self.stream[0], [(table[p], table[a]) for p, a in self._pairs])
        return self._body.follow(k)


def _partials(e: Any) -> Sequence[Any]:
    """The derivatives of a function by its arguments, as they are declared, in the payload's letters."""
    if isinstance(e, sp.Pow):
        b, p = e.args
        return power_slope(b, p), e * sp.log(b) if b.is_number else power_log(b, p)
    scalar = BY_FUNCTION.get(type(e))
    if scalar is None:
        return ()
    env = {**dict(zip(X, e.args, strict=False)), Y: e}
    return [p.xreplace(env) for p in scalar.partials]


def unbroken(found: Stream, ops: Sequence[Any], parts: Sequence[Stream]) -> Stream:
    """Return the series of a function, refused where it or a derivative of it, the operations of ``parts``, jumps."""

    def follow(k: int) -> Any:
        if k == 2:  # the first order alone follows the gradient
            for op in ops:
                here, up, down = (op(*[_nudged(u, side) for u in parts]) for side in (0, 1, -1))
                values = [getattr(y, "_value", y) for y in (here, up, down)]
                if all(y is not None for y in values) and _jumps(*map(np.asarray, values)):
                    raise _no_series()
        return found[k]

    return Stream(follow)


def _jumps(here: Any, up: Any, down: Any) -> bool:
    """Whether finite values beside each other differ by more than rounding."""
    with np.errstate(all="ignore"):
        apart = np.maximum(np.abs(up - here), np.abs(down - here)) > _ROUNDING * np.maximum(1.0, np.abs(here))
        return bool(np.any(apart & np.isfinite(here) & np.isfinite(up) & np.isfinite(down)))


def _nudged(u: Stream, side: int) -> Any:
    """The number next to a coefficient of order 0 that a series goes through, for t > 0 or t < 0."""
    at = getattr(u[0], "_value", u[0])
    steps = [(k, getattr(c, "_value", c)) for k, c in enumerate(u.known[1:], 1)]
    if at is None or not side or any(s is None for (_, s), c in zip(steps, u.known[1:]) if c is not None):
        return u[0]
    found: Any = np.asarray(at) + 0.0
    todo = np.ones(found.shape, bool)
    for k, step in [s for s in steps if s[1] is not None]:
        ways = np.asarray(step) * float(side**k)
        found = np.where(todo & (ways != 0), _next(found, ways), found)
        todo = todo & (ways == 0)
    return found


def _next(x: Any, ways: Any) -> Any:
    """The neighbouring floats, of complex numbers in both parts."""
    if np.iscomplexobj(x):
        return _next(x.real, np.real(ways)) + 1j * _next(x.imag, np.imag(ways))
    return np.where(ways == 0, x, np.nextafter(x, np.where(ways > 0, np.inf, -np.inf)))


def stepping(op: Any, parts: Sequence[Stream]) -> Stream:
    """An operation that is constant but where it jumps, and at jumps has no series."""

    def value(at: Callable[[Stream], Any]) -> Any:
        return op(*[at(u) for u in parts])

    def follow(k: int) -> Any:
        if k == 0:
            return value(_start)
        _check_smooth(value)
        return None

    return Stream(follow)


def _of_power(power: Stream, base: Stream, exponent: Stream) -> Stream:
    """The power of a base that leaves 0 by an exponent p that varies, which has terms log(t) t^(p + 1)."""

    def follow(k: int) -> Any:
        b, p = (np.asarray(getattr(u[0], "_value", u[0])) for u in (base, exponent))
        if k and b.dtype != object and p.dtype != object:  # else traced without values
            moves = [sum(np.abs(getattr(u[j], "_value", u[j])) for j in range(1, k + 1) if u[j] is not None)
                     for u in (base, exponent)]  # fmt: skip
            if np.any((b == 0) & (p <= k - 1) & (moves[0] != 0) & (moves[1] != 0)):
                raise NotDifferentiable(
                    "A power on the way has the base 0 and an exponent that varies, as x**x at 0, and no Taylor series "
                    f"of order {k}. Move the point."
                )
        return power[k]

    return Stream(follow)


_NEAR = 2.0**-40  # t beside 0


def _start(u: Stream) -> Any:
    return u[0]


def _check_smooth(value: Callable[[Callable[[Stream], Any]], Any]) -> None:
    """Refuse a place that a series leaves for other values on one side, as abs(t) has them, or on both."""
    sides = [value(_start), *[value(partial(_beside, side=side)) for side in (1, -1)]]
    if any(getattr(y, "_value", y) is None for y in sides):
        return  # traced without values
    here, up, down = (np.asarray(getattr(y, "_value", y)) for y in sides)
    if not (np.array_equal(here, up, equal_nan=True) and np.array_equal(here, down, equal_nan=True)):
        raise _no_series()


def _no_series() -> NotDifferentiable:
    return NotDifferentiable("A function on the way has a kink or a jump here, and no Taylor series. Move the point.")


def _beside(u: Stream, side: int) -> Any:
    """A number that a series goes through next, for t > 0 or t < 0, as far as its coefficients are known."""
    at = getattr(u[0], "_value", u[0])
    if at is None:
        return u[0]
    point = np.asarray(at) + 0.0
    todo = np.ones(point.shape, bool)
    for k, c in enumerate(u.known[1:], 1):
        step = getattr(c, "_value", c)
        if step is not None and not np.iscomplexobj(point):
            moves = todo & (step != 0)
            far, near = point + step * (side * _NEAR) ** k, np.nextafter(point, np.sign(step) * side**k * np.inf)
            point = np.where(moves, np.where(far == point, near, far), point)
            todo = todo & ~moves
    return point


_RECIPROCAL = Map.of(1 / X[0], 1)


def _inverse(u: Any) -> Any:
    with np.errstate(all="ignore"):
        return _RECIPROCAL(u)
