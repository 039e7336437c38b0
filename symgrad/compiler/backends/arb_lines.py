"""A program as lines of Arb's arithmetic, recorded once: ``v7 = v5 * v6``.

The program runs once on numbers that stand for what is computed later. Whoever looks at one, to compare it or to ask
whether it is 0, ends the recording: such a program is run by ``mpmath``'s walk each time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import flint
import numpy as np

from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.mpmath.backend import evaluate
from symgrad.compiler.backends.mpmath.number import ZERO, Ball, Field
from symgrad.core.promotion import is_floating
from symgrad.engine.program import Program

_MOST = 20_000  # lines
_GUARD, _MOST_GUARD = 64, 4096  # bits beyond those asked for: at first, and at most
_SPARE = 32  # bits that the next call has beyond those that this one needed


class Looked(Exception):
    """The program looks at a number, so that its steps are not the same for all inputs."""


class Recorder(Field):
    """Arithmetic that writes down what is to be computed."""

    backend = "arb"
    is_certain = True

    def __init__(self, functions: dict[str, Callable[..., Any]]) -> None:
        super().__init__(64)
        self.functions, self.scope = functions, dict[str, Any]()
        self.lines: dict[str, Line] = {}  # by their text
        self.negative: dict[str, Line] = {}  # of what a line is the negative
        self.inverse: dict[str, Line] = {}  # of what a line is the reciprocal
        self.constants: dict[Any, str] = {}  # by mpmath's numbers

    def number(self, value: Any) -> Line:
        """Return a constant, of which the recording knows the value."""
        if isinstance(value, Line):
            return value
        exact = super().number(value)
        if isinstance(exact, Line):  # a fraction, which is a quotient
            return exact
        if not exact.is_finite or exact.rad != ZERO:
            raise Looked
        sign, mantissa, exponent, _ = exact.mid
        value = flint.arb((-int(mantissa) if sign else int(mantissa), int(exponent)))
        name = self.constants.setdefault(exact.mid, f"c{len(self.constants)}")
        self.scope[name] = value
        return Line(self, name, exact=exact)

    def apply(self, fn: Callable[..., Any], *args: Ball) -> Line:
        """Write down a function of Arb's."""
        name = fn.__qualname__
        if name not in self.functions:
            raise Looked
        self.scope[f"f_{name}"] = self.functions[name]
        return self.line(f"f_{name}", *map(self.number, args))

    def line(self, function: str, *args: Line) -> Line:
        """Write a line, once: a function of numbers, or an operator, which stands between them."""
        names = [a.name for a in args]
        names = sorted(names) if function in ("+", "*") else names
        text = f" {function} ".join(names) if len(function) == 1 and names[1:] else f"{function}({', '.join(names)})"
        if text not in self.lines:
            if len(self.lines) == _MOST:
                raise Looked
            self.lines[text] = Line(self, f"v{len(self.lines)}", args)
        return self.lines[text]

    def combined(self, a: Line, operator: str, b: Line) -> Line:
        """Write an operator with as few lines as possible: signs are taken out, and x·(1/y) is x/y."""
        if b.whole == (0 if operator in ("+", "-") else 1):
            return a
        if operator in ("+", "*") and a.whole == (0 if operator == "+" else 1):
            return b
        if operator == "*" and -1 in (a.whole, b.whole):
            return self.opposite(b if a.whole == -1 else a)
        p, q = self.negative.get(a.name), self.negative.get(b.name)
        if p is not None:
            if operator == "+":
                return self.combined(b, "-", p)
            return self.opposite(self.combined(p, "+" if operator == "-" else operator, b))
        if q is not None:
            if operator in ("+", "-"):
                return self.combined(a, "-" if operator == "+" else "+", q)
            return self.opposite(self.combined(a, operator, q))
        return self._written(a, operator, b)

    def _written(self, a: Line, operator: str, b: Line) -> Line:
        if operator == "*" and (a.name in self.inverse or b.name in self.inverse):
            a, b = (a, b) if b.name in self.inverse else (b, a)
            return self.combined(a, "/", self.inverse[b.name])
        new = self.line(operator, a, b)
        if operator == "/" and a.whole == 1:
            self.inverse[new.name] = b
        return new

    def opposite(self, a: Line) -> Line:
        """Write -a."""
        if a.name in self.negative:
            return self.negative[a.name]
        new = self.line("-", a)
        self.negative[new.name] = a
        return new

    def unknown(self) -> Ball:
        """Refuse a number of which nothing is known."""
        raise Looked

    def rounded(self, mid: Any, rad: Any = ZERO) -> Ball:
        """Refuse a number that is computed at once."""
        raise Looked

    def determinant(self, a: Any) -> Ball | None:
        """Refuse elimination, whose steps depend on the numbers."""
        raise Looked


class Line(Ball):
    """A number that a line computes, or a constant."""

    __slots__ = ("args", "exact", "name")
    field: Recorder
    is_recorded = True
    is_unknown = False  # if it is, so is the result, and the program is run by the other way

    def __init__(self, field: Recorder, name: str, args: Sequence[Line] = (), exact: Ball | None = None) -> None:
        self.field, self.name, self.args, self.exact = field, name, args, exact

    @property
    def mid(self) -> Any:
        """The value of a constant."""
        if self.exact is None:
            raise Looked
        return self.exact.mid

    @property
    def rad(self) -> Any:
        """The error of a constant, which is 0."""
        if self.exact is None:
            raise Looked
        return ZERO

    @property
    def whole(self) -> int | None:
        """The integer that a constant is."""
        return None if self.exact is None else self.exact.whole

    def _wrote(self, operator: str, other: Any, swapped: bool = False) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        try:
            pair = self, self.field.number(other)
        except TypeError:
            return NotImplemented
        a, b = pair[::-1] if swapped else pair
        return self.field.combined(a, operator, b)

    def __add__(self, other: Any) -> Any:
        return self._wrote("+", other)

    def __radd__(self, other: Any) -> Any:
        return self._wrote("+", other, True)

    def __sub__(self, other: Any) -> Any:
        return self._wrote("-", other)

    def __rsub__(self, other: Any) -> Any:
        return self._wrote("-", other, True)

    def __mul__(self, other: Any) -> Any:
        return self._wrote("*", other)

    def __rmul__(self, other: Any) -> Any:
        return self._wrote("*", other, True)

    def __truediv__(self, other: Any) -> Any:
        return self._wrote("/", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._wrote("/", other, True)

    def _over(self, other: Ball) -> Ball:
        return self.field.combined(self, "/", self.field.number(other))

    def __neg__(self) -> Ball:
        return self.field.opposite(self)

    def __abs__(self) -> Ball:
        return self.field.line("abs", self)


def recorded(program: Program, bits: int, functions: dict[str, Callable[..., Any]]) -> Lines | None:
    """Return a program as a function of balls; None where it looks at a number."""
    specs = program.arguments
    if not all(is_floating(spec.dtype) and spec.dtype.itemsize <= 8 for spec in specs):
        return None
    field = Recorder(functions)
    count, inputs = 0, []
    for spec in specs:
        entries = np.empty(spec.shape, dtype=object)
        for at in np.ndindex(spec.shape):
            entries[at], count = Line(field, f"x{count}"), count + 1
        inputs.append(entries)
    try:
        results = evaluate(field, program, inputs)
        numbers = [[field.number(y) for y in r.flat] for r in results if r.dtype == object]
    except (Looked, Unsuitable):
        return None
    if len(numbers) < len(results):
        return None
    return Lines(_compiled(field, count, [y for row in numbers for y in row]), [r.shape for r in results], bits)


class Lines:
    """Recorded lines with the shapes of their results."""

    def __init__(self, function: Callable[[list[Any]], list[Any]], shapes: Sequence[Any], bits: int) -> None:
        self.function, self.shapes, self.bits, self.guard = function, shapes, bits, _GUARD

    def __call__(self, given: Sequence[Any]) -> list[Any] | None:
        """Return results of which so many leading bits are certain; None where the most bits do not suffice.

        A long program loses bits with every operation, so each call starts with as many as the last one needed.
        """
        arb, context = flint.arb, flint.ctx
        numbers = [arb(e) for x in given for e in (x.ravel().tolist() if isinstance(x, np.ndarray) else (float(x),))]
        guard, before = self.guard, context.prec
        try:
            while guard <= _MOST_GUARD:
                context.prec = self.bits + guard
                balls = self.function(numbers)
                if self._is_settled(balls):
                    self.guard = guard if guard == _GUARD else max(_GUARD, guard - self._surplus(balls) + _SPARE)
                    return self._shaped(balls)
                guard *= 2
        finally:
            context.prec = before
        return None

    def _is_settled(self, balls: Sequence[Any]) -> bool:
        bits = self.bits
        return not [y for y in balls if y.rel_accuracy_bits() < bits or not y.is_finite()]

    def _surplus(self, balls: Sequence[Any]) -> int:
        """How many more bits are certain than were asked for."""
        return min([y.rel_accuracy_bits() for y in balls if not y.is_exact()], default=self.bits) - self.bits

    def _shaped(self, balls: list[Any]) -> list[Any]:
        results, start = [], 0
        for shape in self.shapes:
            if shape:
                size = math.prod(shape)
                out = np.empty(size, dtype=object)
                for k in range(size):  # one by one, since NumPy asks each of several whether it is an array
                    out[k] = balls[start + k]
            results.append((out.reshape(shape) if shape[1:] else out) if shape else balls[start])
            start += size if shape else 1
        return results


def _compiled(field: Recorder, count: int, results: list[Line]) -> Callable[[list[Any]], list[Any]]:
    """Return the function that runs the lines."""
    head = f"    [{', '.join(f'x{k}' for k in range(count))}] = x" if count else "    pass"
    tail = f"    return [{', '.join(y.name for y in results)}]"
    text = "\n".join(["def lines(x):", head, *_source(field, results), tail])
    scope = {**field.scope, **_PAIRS}
    exec(compile(text, "<arb>", "exec"), scope)
    lines: Callable[[list[Any]], list[Any]] = scope["lines"]
    return lines


_PAIRS = {"f_sin_cos": flint.arb.sin_cos, "f_sinh_cosh": flint.arb.sinh_cosh}  # two functions in the time of one
_TWINS = {
    **{"f_sin": ("f_cos", "f_sin_cos"), "f_sinh": ("f_cosh", "f_sinh_cosh")},
    **{"f_cos": ("f_sin", "f_sin_cos"), "f_cosh": ("f_sinh", "f_sinh_cosh")},
}


def _source(field: Recorder, results: Sequence[Line]) -> list[str]:
    """Return the lines that the results need, in order; a sine and a cosine of the same number are one line."""
    needed = {y.name for y in results}
    for y in reversed(field.lines.values()):
        if y.name in needed:
            needed.update(a.name for a in y.args)
    lines = {text: y.name for text, y in field.lines.items() if y.name in needed}
    paired: dict[str, str] = {}
    for text, name in lines.items():
        function, _, arg = text.partition("(")
        other, pair = _TWINS.get(function, ("", ""))
        twin = lines.get(f"{other}({arg}")
        names = (name, twin) if pair.startswith(function) else (twin, name)
        paired[text if twin is None else f"{pair}({arg}"] = name if twin is None else ", ".join(map(str, names))
    return [f"    {name} = {text}" for text, name in paired.items()]
