"""Functions of complex numbers, written in real functions of their parts, as NumPy computes them.

A number without an imaginary part has none here, so that what is real costs no more than it does among real numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from symgrad.compiler.primitives.payload import replay, steps_in_parts, steps_of
from symgrad.compiler.program import Builder
from symgrad.ops.elementwise.declared import BINARY, CLAMP, UNARY, WHERE
from symgrad.ops.map import ADD, DIV, MUL, NEG, SUB
from symgrad.ops.protocol import Op
from symgrad.scalars import SCALARS


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
        if all(z.im is None for z in args) and name in _REAL:
            return Parts(self.real(_REAL[name], *[z.re for z in args]))
        if name in _COMPLEX:
            return _COMPLEX[name](self, *args)
        declared = SCALARS.get(name)
        if declared is None or declared.parts is None:
            raise Unwritten(name)
        (z,) = args
        if z.im is None:
            return Parts(replay(steps_of(declared.meaning, 1), [z.re], self._step, self.number))
        return Parts(*replay(steps_in_parts(declared.parts), [z.re, z.im], self._step, self.number))

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
    """Divide by the larger part first, so that nothing overflows. Source: Smith 1962."""
    if y.im is None:
        return Parts(w.real(DIV, x.re, y.re), None if x.im is None else w.real(DIV, x.im, y.re))
    a, b, c, d = x.re, w.imag(x), y.re, y.im
    first = w.real(BINARY["ge"], w.real(UNARY["abs"], c), w.real(UNARY["abs"], d))
    large, small = w.real(WHERE, first, c, d), w.real(WHERE, first, d, c)
    zero = w.number(0.0)
    ratio = w.real(WHERE, w.real(BINARY["eq"], large, zero), zero, w.real(DIV, small, large))
    below = w.real(ADD, large, w.real(MUL, small, ratio))
    p, q = w.real(WHERE, first, a, b), w.real(WHERE, first, b, a)
    re = w.real(ADD, p, w.real(MUL, q, ratio))
    im = w.real(SUB, q, w.real(MUL, p, ratio))
    im = w.real(WHERE, first, im, w.real(NEG, im))
    return Parts(w.real(DIV, re, below), w.real(DIV, im, below))


def _exp(w: Arithmetic, z: Parts) -> Parts:
    """e^x (cos y + i sin y); without an imaginary part that is ∞·0."""
    size, y = w.real(UNARY["exp"], z.re), w.imag(z)
    flat = w.real(BINARY["eq"], y, w.number(0.0))
    return Parts(
        w.real(WHERE, flat, size, w.real(MUL, size, w.real(UNARY["cos"], y))),
        w.real(WHERE, flat, y, w.real(MUL, size, w.real(UNARY["sin"], y))),
    )


def _log(w: Arithmetic, z: Parts) -> Parts:
    """log|z| + i·angle; beside |z| = 1 the logarithm is that of |z|² - 1 = (p - 1)(p + 1) + q², p the larger part."""
    x, y = w.real(UNARY["abs"], z.re), w.real(UNARY["abs"], w.imag(z))
    p, q, one = w.real(BINARY["maximum"], x, y), w.real(BINARY["minimum"], x, y), w.number(1.0)
    near = w.real(ADD, w.real(MUL, w.real(SUB, p, one), w.real(ADD, p, one)), w.real(MUL, q, q))
    near = w.real(MUL, w.number(0.5), w.real(UNARY["log1p"], near))
    z, root = scaled(w, z)
    size = w.real(BINARY["hypot"], z.re, w.imag(z))
    above = w.real(BINARY["gt"], size, w.number(0.7))
    close = w.real(MUL, above, w.real(BINARY["lt"], size, w.number(1.4)))
    far = w.real(SUB, w.real(UNARY["log"], size), w.real(MUL, w.number(2.0), w.real(UNARY["log"], root)))
    return Parts(w.real(WHERE, close, near, far), angle(w, z))


def scaled(w: Arithmetic, z: Parts) -> tuple[Parts, int]:
    """Return z s² whose size neither overflows nor has few digits, and s, a power of two that is 1 elsewhere."""
    x, y = w.real(UNARY["abs"], z.re), w.real(UNARY["abs"], w.imag(z))
    size, one = w.real(BINARY["maximum"], x, y), w.number(1.0)
    root = w.real(WHERE, w.real(BINARY["lt"], size, w.number(2.0**-960)), w.number(2.0**32), one)
    root = w.real(WHERE, w.real(BINARY["gt"], size, w.number(2.0**1000)), w.number(2.0**-32), root)
    unit = w.real(MUL, root, root)
    return Parts(w.real(MUL, z.re, unit), None if z.im is None else w.real(MUL, z.im, unit)), root


def angle(w: Arithmetic, z: Parts) -> int:
    """atan2(y, x)."""
    return w.real(BINARY["atan2"], w.imag(z), z.re)


def _sqrt(w: Arithmetic, z: Parts) -> Parts:
    """t + iy/(2t) right of the imaginary axis, |y|/(2t) ± it left of it; t = √((|x| + |z|)/2)."""
    z, root = scaled(w, z)
    y, zero = w.imag(z), w.number(0.0)
    half = w.real(MUL, w.number(0.5), w.real(ADD, w.real(UNARY["abs"], z.re), w.real(BINARY["hypot"], z.re, y)))
    t = w.real(UNARY["sqrt"], half)
    other = w.real(DIV, w.real(MUL, w.number(0.5), y), t)
    other = w.real(WHERE, w.real(BINARY["eq"], t, zero), y, other)
    t, other = w.real(DIV, t, root), w.real(DIV, other, root)
    right = w.real(BINARY["ge"], z.re, zero)
    turned = w.real(BINARY["copysign"], t, y)
    return Parts(
        w.real(WHERE, right, t, w.real(UNARY["abs"], other)),
        w.real(WHERE, right, other, turned),
    )


def _of_sums(outer: tuple[str, str], inner: tuple[str, str], sign: float) -> Callable[[Arithmetic, Parts], Parts]:
    """f(x)·g(y) + i·h(x)·k(y), as of sin(x + iy) = sin x cosh y + i cos x sinh y."""

    def write(w: Arithmetic, z: Parts) -> Parts:
        x, y = z.re, w.imag(z)
        re = w.real(MUL, w.real(UNARY[outer[0]], x), w.real(UNARY[inner[0]], y))
        im = w.real(MUL, w.real(UNARY[outer[1]], x), w.real(UNARY[inner[1]], y))
        return Parts(re, im if sign > 0 else w.real(NEG, im))

    return write


def _tanh(w: Arithmetic, z: Parts) -> Parts:
    """(t + iu)/(1 + itu) of t = tanh x and u = tan y."""
    t, u = w.real(UNARY["tanh"], z.re), w.real(UNARY["tan"], w.imag(z))
    return _div(w, Parts(t, u), Parts(w.number(1.0), w.real(MUL, t, u)))


def _tan(w: Arithmetic, z: Parts) -> Parts:
    """-i tanh(iz)."""
    tangent = _tanh(w, Parts(w.real(NEG, w.imag(z)), z.re))
    return Parts(w.imag(tangent), w.real(NEG, tangent.re))


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
    "add": _add, "sub": _sub, "mul": _mul, "div": _div, "neg": _neg, "select": _select, "log": _log, "sqrt": _sqrt,
    "eq": _equal("eq", MUL), "ne": _equal("ne", ADD),
}  # fmt: skip
# What is another function of numbers with an imaginary part
_COMPLEX: dict[str, Callable[..., Parts]] = {
    "exp": _exp, "sin": _of_sums(("sin", "cos"), ("cosh", "sinh"), 1.0),
    "cos": _of_sums(("cos", "sin"), ("cosh", "sinh"), -1.0), "sinh": _of_sums(("sinh", "cosh"), ("cos", "sin"), 1.0),
    "cosh": _of_sums(("cosh", "sinh"), ("cos", "sin"), 1.0), "tan": _tan, "tanh": _tanh,
}  # fmt: skip
_STEPS: dict[str, Op] = {"select": WHERE, "clamp": CLAMP}
_REAL: dict[str, Op] = {name: UNARY[name] for name in ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh")}
