"""Instructions of one scalar function, written as arithmetic on ``Value``.

``x * y + 1`` appends two instructions; ``fma``, ``select``, ``horner`` and the bit operations do the same. There are
no branches, calls, loads or fast flags, so a loop that inlines the function is vectorised and rounds as written.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.backends.llvm.instructions import Recorder, constant


class Kind(NamedTuple):
    """A binary floating-point format: names, bits of the fraction, bias of the exponent."""

    name: str
    type: str
    word: str  # the integer type of the same width
    fraction: int
    bias: int

    @property
    def round_shift(self) -> float:
        """3·2^(fraction-1): adding it rounds a number to an integer, which the sum then holds in its low bits."""
        return 1.5 * 2.0**self.fraction

    @property
    def exponent_shift(self) -> float:
        """2^fraction: its low bits are zero, so an integer below it can be or-ed into them."""
        return 2.0**self.fraction

    @property
    def sign(self) -> int:
        """The place of the sign bit."""
        return 63 if self.type == "double" else 31

    def bits(self, value: float) -> int:
        """The pattern of value in this format, as an unsigned integer."""
        code, word = ("<d", "<Q") if self.type == "double" else ("<f", "<I")
        pattern: int = struct.unpack(word, struct.pack(code, value))[0]
        return pattern

    def literal(self, value: float) -> str:
        """Return value rounded to this format as an operand."""
        return constant(value, self.name)


F64 = Kind("f64", "double", "i64", fraction=52, bias=1023)
F32 = Kind("f32", "float", "i32", fraction=23, bias=127)
KINDS = {kind.name: kind for kind in (F64, F32)}


class Body(Recorder):
    """The instructions of one function so far; ``exact``: beyond a limit too, with calls."""

    def __init__(self, exact: bool = False) -> None:
        super().__init__()
        self.exact = exact


class Value:
    """An SSA value: a number of the kind, its bits as an integer, or a boolean, by ``type``."""

    __slots__ = ("body", "kind", "name", "type")

    def __init__(self, body: Body, kind: Kind, type: str, name: str) -> None:
        self.body, self.kind, self.type, self.name = body, kind, type, name

    def emit(self, opcode: str, *operands: str, flags: tuple[str, ...] = ()) -> Value:
        """Append an instruction whose operands and result have this value's type."""
        return Value(self.body, self.kind, self.type, self.body.set(opcode, self.type, *operands, flags=flags))

    def _test(self, opcode: str, how: str, other: str) -> Value:
        """Append a comparison of this value."""
        return Value(self.body, self.kind, "i1", self.body.set(opcode, self.type, self.name, other, flags=(how,)))

    def _as(self, opcode: str, type: str, kind: Kind) -> Value:
        """Append a conversion of this value."""
        return Value(self.body, kind, type, self.body.set(opcode, type, self.name, flags=(self.type,)))

    def text(self, other: Operand) -> str:
        """Return an operand of this value's type."""
        if isinstance(other, Value):
            return other.name
        return self.kind.literal(other) if self.type == self.kind.type else str(int(other))

    def _binary(self, name: str, other: Operand, swapped: bool = False) -> Value:
        float_name, int_name = name.split()
        left, right = self.name, self.text(other)
        if swapped:
            left, right = right, left
        return self.emit(float_name if self.type == self.kind.type else int_name, left, right)

    def __add__(self, other: Operand) -> Value:
        return self._binary("fadd add", other)

    def __radd__(self, other: Operand) -> Value:
        return self._binary("fadd add", other, swapped=True)

    def __sub__(self, other: Operand) -> Value:
        return self._binary("fsub sub", other)

    def __rsub__(self, other: Operand) -> Value:
        return self._binary("fsub sub", other, swapped=True)

    def __mul__(self, other: Operand) -> Value:
        return self._binary("fmul mul", other)

    def __rmul__(self, other: Operand) -> Value:
        return self._binary("fmul mul", other, swapped=True)

    def __truediv__(self, other: Operand) -> Value:
        return self._binary("fdiv -", other)

    def __rtruediv__(self, other: Operand) -> Value:
        return self._binary("fdiv -", other, swapped=True)

    def __pow__(self, power: float) -> Value:
        """Return the product of as many factors; of a negative whole power, its reciprocal."""
        product = self
        for _ in range(abs(int(power)) - 1):
            product = product * self
        return product if power > 0 else 1.0 / product

    def __neg__(self) -> Value:
        return self.emit("fneg", self.name)

    # integers and booleans
    def __and__(self, other: Operand) -> Value:
        return self._binary("- and", other)

    def __or__(self, other: Operand) -> Value:
        return self._binary("- or", other)

    def __xor__(self, other: Operand) -> Value:
        return self._binary("- xor", other)

    def __lshift__(self, count: int) -> Value:
        return self._binary("- shl", count)

    def __mod__(self, other: float) -> Value:
        return self - rounding("floor", self / other) * other

    def __rshift__(self, count: int) -> Value:  # zeros come in at the top
        return self._binary("- lshr", count)

    # comparisons are false of nan, but for !=
    def _compare(self, how: str, other: Operand) -> Value:
        return self._test("fcmp", how, self.text(other))

    def __lt__(self, other: Operand) -> Value:
        return self._compare("olt", other)

    def __le__(self, other: Operand) -> Value:
        return self._compare("ole", other)

    def __gt__(self, other: Operand) -> Value:
        return self._compare("ogt", other)

    def __ge__(self, other: Operand) -> Value:
        return self._compare("oge", other)

    def __eq__(self, other: Operand) -> Value:  # type: ignore[override]
        return self._compare("oeq", other)

    def __ne__(self, other: Operand) -> Value:  # type: ignore[override]
        return self._compare("une", other)

    __hash__ = None  # type: ignore[assignment]

    def is_nan(self) -> Value:
        """Truth of self being nan."""
        return self._compare("uno", self)

    def is_negative(self) -> Value:
        """Truth of the sign bit, which -0 has."""
        return self.bits()._test("icmp", "slt", "0")

    def __invert__(self) -> Value:
        return self.emit("xor", self.name, "true")

    # changes of type
    def bits(self) -> Value:
        """The pattern of a number as an integer."""
        return self._as("bitcast", self.kind.word, self.kind)

    def number(self) -> Value:
        """The number that has these bits."""
        return self._as("bitcast", self.kind.type, self.kind)

    def widen(self) -> Value:
        """A float32 as float64, exactly."""
        return self._as("fpext", "double", F64)

    def narrow(self) -> Value:
        """A float64 rounded to float32."""
        return self._as("fptrunc", "float", F32)

    def constant(self, value: float) -> Value:
        """A number of this kind."""
        return Value(self.body, self.kind, self.kind.type, self.kind.literal(value))

    # what NumPy's functions make of it, where a kernel of arrays is recorded
    def __array_ufunc__(self, function: Any, method: str, *xs: Any) -> Value:
        return NUMPY[function](*[float(x) if isinstance(x, np.floating) else x for x in xs])

    def __array_function__(self, function: Any, types: Any, xs: Any, options: Any) -> Value:
        return NUMPY[function](*xs)

    def astype(self, dtype: Any) -> Value:
        """A float64 rounded to float32 and back again; of a float32 the first half of its digits."""
        if self.kind is F32:
            return (self.bits() & 0xFFFFF000).number() if dtype == np.float32 else self
        return self.narrow().widen() if dtype == np.float32 else self

    def horner(self, coefficients: Sequence[float]) -> Value:
        """The polynomial with these coefficients; in float32 without those that do not count for |self| < 2/3."""
        sizes = [abs(c) * (2 / 3) ** k for k, c in enumerate(coefficients)]
        least = max(sizes) * 2.0**-27 if self.kind is F32 else 0.0
        return horner(self, coefficients[: max(k for k, size in enumerate(sizes, 1) if size >= least)])

    def any(self) -> bool:
        """A kernel is recorded for all numbers."""
        return True


Operand = Value | float
NUMPY: dict[Any, Callable[..., Value]] = {}  # NumPy's functions: see ``kernels``


def _intrinsic(name: str, *operands: Operand) -> Value:
    value = next(x for x in operands if isinstance(x, Value))
    arguments = [value.text(x) for x in operands]
    return value.emit("call", f"@llvm.{name}.{value.kind.name}", *arguments, flags=(value.type,) * len(operands))


def fma(x: Operand, y: Operand, z: Operand) -> Value:
    """x y + z, rounded once."""
    return _intrinsic("fma", x, y, z)


def sqrt(x: Value) -> Value:
    """Return the square root √x."""
    return _intrinsic("sqrt", x)


def magnitude(x: Value) -> Value:
    """Return the absolute value |x|."""
    return _intrinsic("fabs", x)


def copysign(x: Operand, sign: Value) -> Value:
    """x with the sign bit of sign."""
    return _intrinsic("copysign", x, sign)


def rounding(name: str, x: Value) -> Value:
    """x rounded to an integer by the intrinsic floor, ceil, trunc or rint (half to even)."""
    return _intrinsic(name, x)


def select(where: Value, x: Operand, y: Operand) -> Value:
    """x where it is true, else y; numbers or integers."""
    typed = next((v for v in (x, y) if isinstance(v, Value)), where.constant(0))
    return typed.emit("select", where.name, typed.text(x), typed.text(y))


def clip(x: Value, low: float | None = None, high: float | None = None) -> Value:
    """x held between bounds; nan stays nan."""
    if high is not None:
        x = select(x > high, high, x)
    return x if low is None else select(x < low, low, x)


def horner(x: Value, coefficients: Sequence[float]) -> Value:
    """c0 + c1 x + c2 x² + …"""
    *rest, last = coefficients
    total: Operand = last
    for c in reversed(rest):
        total = fma(total, x, c)
    assert isinstance(total, Value)
    return total


def round_to_integer(x: Value, scale: float) -> tuple[Value, Value]:
    """n = x·scale rounded to an integer, and the bits whose low ones hold n in two's complement.

    |n| has to stay below 2^(fraction - 1). Conversion instructions are avoided: AVX2 has none for 64 bits.
    """
    shifted = fma(x, scale, x.kind.round_shift)
    return shifted - x.kind.round_shift, shifted.bits()


def power_of_two(n: Value) -> Value:
    """2^n of an integer-valued n with 2^n normal."""
    kind = n.kind
    return ((n + (kind.round_shift + kind.bias)).bits() << kind.fraction).number()
