"""Functions of complex numbers, written in real functions of their parts, as NumPy computes them.

A number without an imaginary part has none here, so that what is real costs no more than it does among real numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from symgrad.compiler.primitives.payload import replay, steps_in_parts, steps_of
from symgrad.compiler.program import Builder
from symgrad.ops.elementwise.declared import BINARY, CLAMP, UNARY, WHERE
from symgrad.ops.map import ADD, DIV, MUL, NEG, SUB
from symgrad.ops.protocol import Op
from symgrad.scalars import SCALARS, complexes


class Parts(NamedTuple):
    """Places of a real part and of an imaginary part; without the latter the number is real."""

    re: int
    im: int | None = None


class Unwritten(Exception):
    """A function that is not written in parts: it runs its forward."""


class Arithmetic:
    """Steps of a program of real numbers, which complex ones are computed by."""

    def __init__(self, program: Builder) -> None:
        self.program = program

    # -------------------------------------------------------------- real steps
    def real(self, op: Op, *args: int) -> int:
        """Append an operation on real arrays."""
        values = self.program.values
        return self.program.step(op, args, op.out_shape(*[values[a].shape for a in args]))

    def number(self, value: float) -> int:
        """Return the place of a number."""
        return self.program.const(float(value))

    def imag(self, z: Parts) -> int:
        """Return the place of the imaginary part, which may be 0."""
        return self.number(0.0) if z.im is None else z.im

    # -------------------------------------------------------------- complex steps
    def emit(self, name: str, *args: Parts) -> Parts:
        """Append the steps of a primitive."""
        if name in _EITHER:
            return _EITHER[name](self, *args)
        real = all(z.im is None for z in args)
        if real and name in _REAL:
            return Parts(self.real(_REAL[name], *[z.re for z in args]))
        if name in complexes.FORMULAS:
            return self.formula(complexes.FORMULAS[name], *args)
        declared = SCALARS.get(name)
        if declared is None or declared.parts is None:
            raise Unwritten(name)
        if real:
            return Parts(replay(steps_of(declared.meaning, 1), [args[0].re], self._step, self.number))
        return self.formula(declared.parts, *args)

    def formula(self, formula: Callable[..., Any], *args: Parts) -> Parts:
        """Append the steps of a formula of real and imaginary parts."""
        parts = [part for z in args for part in (z.re, self.imag(z))]
        return Parts(*replay(steps_in_parts(formula, len(parts)), parts, self._step, self.number))

    def _step(self, name: str, *args: int) -> int:
        """Append a step of a formula of real numbers."""
        return self.real(_STEPS.get(name) or UNARY.get(name) or BINARY[name], *args)

    def const(self, value: float) -> Parts:
        """Return a real number."""
        return Parts(self.number(value))

    def magnitude(self, z: Parts) -> int:
        """√(x² + y²) without overflow on the way."""
        return self.real(UNARY["abs"], z.re) if z.im is None else self.real(BINARY["hypot"], z.re, z.im)


def _add(w: Arithmetic, x: Parts, y: Parts) -> Parts:
    return Parts(w.real(ADD, x.re, y.re), x.im if y.im is None else y.im if x.im is None else w.real(ADD, x.im, y.im))


def _neg(w: Arithmetic, x: Parts) -> Parts:
    return Parts(w.real(NEG, x.re), None if x.im is None else w.real(NEG, x.im))


def _sub(w: Arithmetic, x: Parts, y: Parts) -> Parts:
    if y.im is None:
        return Parts(w.real(SUB, x.re, y.re), x.im)
    return Parts(w.real(SUB, x.re, y.re), w.real(NEG, y.im) if x.im is None else w.real(SUB, x.im, y.im))


def _mul(w: Arithmetic, x: Parts, y: Parts) -> Parts:
    """(a + ib)(c + id) = ac - bd + i(ad + bc)."""
    if x.im is None:
        x, y = y, x
    if y.im is None:
        return Parts(w.real(MUL, x.re, y.re), None if x.im is None else w.real(MUL, x.im, y.re))
    assert x.im is not None  # narrows the type
    re = w.real(SUB, w.real(MUL, x.re, y.re), w.real(MUL, x.im, y.im))
    return Parts(re, w.real(ADD, w.real(MUL, x.re, y.im), w.real(MUL, x.im, y.re)))


def _div(w: Arithmetic, x: Parts, y: Parts) -> Parts:
    if y.im is None:
        return Parts(w.real(DIV, x.re, y.re), None if x.im is None else w.real(DIV, x.im, y.re))
    return w.formula(complexes.over, x, y)


def _select(w: Arithmetic, c: Parts, x: Parts, y: Parts) -> Parts:
    re = w.real(WHERE, c.re, x.re, y.re)
    return Parts(re, None if x.im is None and y.im is None else w.real(WHERE, c.re, w.imag(x), w.imag(y)))


def _equal(name: str, join: Op) -> Callable[[Arithmetic, Parts, Parts], Parts]:
    """Both parts are equal, or one of them differs: the product or the sum of booleans."""

    def write(w: Arithmetic, x: Parts, y: Parts) -> Parts:
        re = w.real(BINARY[name], x.re, y.re)
        if x.im is None and y.im is None:
            return Parts(re)
        return Parts(w.real(join, re, w.real(BINARY[name], w.imag(x), w.imag(y))))

    return write


# What is written for numbers with and without an imaginary part alike
_EITHER: dict[str, Callable[..., Parts]] = {
    "add": _add, "sub": _sub, "mul": _mul, "div": _div, "neg": _neg, "select": _select,
    "eq": _equal("eq", MUL), "ne": _equal("ne", ADD),
}  # fmt: skip
_STEPS: dict[str, Op] = {"select": WHERE, "clamp": CLAMP}
# What is another function of numbers with an imaginary part
_REAL: dict[str, Op] = {name: UNARY[name] for name in ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh")}
