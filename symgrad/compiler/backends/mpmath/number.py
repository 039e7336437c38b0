"""Numbers with a bound on their error: a value of so many bits, and a radius within which the true number lies.

Each operation adds its rounding error to the errors of its arguments. A comparison that the errors leave open raises
``Undecided``; the whole computation is then repeated with more bits. So digits lost by cancellation are noticed,
however many they are: log(1 + exp(-800)) is 0 to 300 digits, and its radius says that none of them counts.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from mpmath import libmp

from symgrad.compiler.backends.backend import Unsuitable

Raw = Any  # mpmath's tuple (sign, mantissa, exponent, bits)
ZERO: Raw = libmp.fzero
_INFINITE = frozenset({libmp.finf, libmp.fninf})
_SPECIAL = _INFINITE | {libmp.fnan}
_SHORT = 30  # bits of a radius, which is rounded up
_GUARD = 20  # more bits while a function is evaluated
_LARGEST = 1 << 14  # bits of the integer part of what a function is evaluated at
_LEVEL = -3400  # two numbers that differ by less than 2 to this, about 10⁻¹⁰⁰⁰, are equal


_LOCAL = threading.local()
of_any_size: set[Callable[..., Any]] = set()


class Undecided(Exception):
    """The digits at hand do not say which of two numbers is larger."""


class Field:
    """Arithmetic with so many bits."""

    backend = "mpmath"
    is_certain = False  # whether every radius is a bound, and nothing is so small that it counts as 0

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.lost: Any = None  # the first operation of which a result, or a comparison in it, is open

    @property
    def context(self) -> Any:
        """mpmath's functions, with precision of this thread's own."""
        if not hasattr(_LOCAL, "context"):
            _LOCAL.context = mpmath.MPContext()
        return _LOCAL.context

    def determinant(self, a: Any) -> Ball | None:
        """Return a determinant; None to compute it by elimination."""
        return None

    # -------------------------------------------------------------- making numbers
    def number(self, value: Any) -> Ball:
        """Return a number of Python, NumPy, SymPy or mpmath, exactly; irrational constants to the bits at hand."""
        if isinstance(value, Ball):
            return value
        if isinstance(value, (bool, np.bool_, int, np.integer)):
            return Ball(self, libmp.from_int(int(value)))
        if isinstance(value, (float, np.floating)):
            return Ball(self, libmp.from_float(float(value)))
        if isinstance(value, Fraction):
            return self.number(value.numerator)._over(self.number(value.denominator))
        return self._symbolic(value)

    def _symbolic(self, value: Any) -> Ball:
        if isinstance(value, sp.logic.boolalg.BooleanAtom):
            return self.number(bool(value))
        if isinstance(value, sp.Rational) and value.is_finite:
            return self.number(Fraction(int(value.p), int(value.q)))
        if isinstance(value, sp.Number):  # a Float keeps its bits; ∞ and nan are numbers of SymPy's, too
            return Ball(self, value._mpf_ if isinstance(value, sp.Float) else libmp.from_float(float(value)))
        raise TypeError(f"no number: {type(value).__name__}")

    def constant(self, compute: Callable[[int, str], Raw]) -> Ball:
        """Return a constant from a function of (bits, rounding)."""
        return self.rounded(compute(self.bits, "n"))

    def rounded(self, mid: Raw, rad: Raw = ZERO) -> Ball:
        """Return a number that is right to its last bit, besides an error of ``rad``."""
        if mid in _SPECIAL or mid == ZERO:
            return Ball(self, mid, rad)
        last = libmp.mpf_shift(libmp.fone, mid[2] + mid[3] - self.bits)
        return Ball(self, mid, _wider(rad, last))

    # -------------------------------------------------------------- functions
    def apply(self, fn: Callable[..., Any], *args: Ball) -> Ball:
        """Return fn, a function of mpmath's numbers, of numbers with errors; nan outside its domain.

        The error of the result is how far fn moves where each argument moves by its own. Arguments are bounded, since
        exp of a number of so many bits has no place in memory, unless fn is among those ``of_any_size``.
        """
        if any(a.is_unknown for a in args):
            return self.unknown()
        args = tuple(self.number(0) if a.is_nothing else a for a in args)
        mids = [a.mid for a in args]
        middle = self._at(fn, mids)
        rad = ZERO
        for k, a in enumerate(args):
            if a.rad == ZERO:
                continue
            for shift in (a.rad, libmp.mpf_neg(a.rad)):
                moved = self._at(fn, [*mids[:k], libmp.mpf_add(a.mid, shift, 4 * self.bits, "n"), *mids[k + 1 :]])
                rad = _wider(rad, _gap(moved, middle))
        return self.unknown() if rad == libmp.finf else self.rounded(middle, rad)

    def unknown(self) -> Ball:
        """A number of which nothing is known; with more bits there may be."""
        return Ball(self, libmp.fnan, libmp.finf)

    def _at(self, fn: Callable[..., Any], mids: list[Raw]) -> Raw:
        for m in mids if fn not in of_any_size else ():
            if m not in _SPECIAL and m != ZERO and m[2] + m[3] > _LARGEST:
                raise Unsuitable(f"backend {self.backend!r}: a number beyond 10^(10^4900) came up. Scale the inputs.")
        context = self.context
        context.prec = self.bits + _GUARD
        try:
            value = fn(context, *map(context.make_mpf, mids))
        except ZeroDivisionError:
            return libmp.fnan
        except (ValueError, TypeError, OverflowError, libmp.NoConvergence, libmp.ComplexResult):
            return self._refused(fn, mids)
        if hasattr(value, "_mpc_"):
            real, imaginary = value._mpc_
            return real if imaginary == ZERO else libmp.fnan
        return libmp.mpf_pos(context.convert(value)._mpf_, self.bits, "n")

    def _refused(self, fn: Callable[..., Any], mids: list[Raw]) -> Raw:
        """Nan at ∞ and nan, where mpmath has no value for many functions; elsewhere it is an error."""
        if any(m in _SPECIAL for m in mids):
            return libmp.fnan
        shown = ", ".join(libmp.to_str(m, 17) for m in mids)
        raise Unsuitable(f"backend {self.backend!r}: mpmath has no value for {fn.__qualname__} at {shown}.")


class Ball:
    """A number and the radius of its error, with Python's operators; NumPy's object arrays hold them."""

    __slots__ = ("field", "mid", "rad")
    is_recorded = False  # whether it stands for a number that is computed later
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, field: Field, mid: Raw, rad: Raw = ZERO) -> None:
        self.field, self.mid, self.rad = field, mid, rad

    def __repr__(self) -> str:
        return f"{libmp.to_str(self.mid, 20)} ± {libmp.to_str(self.rad, 3)}"

    # -------------------------------------------------------------- arithmetic
    def _rounded(self, exact: Raw, rad: Raw) -> Ball:
        """Round an exact result; one that needs no rounding has no error of its own."""
        if exact in _SPECIAL:
            return Ball(self.field, exact)
        if exact[3] <= self.field.bits:
            return Ball(self.field, exact, rad)
        return self.field.rounded(libmp.mpf_pos(exact, self.field.bits, "n"), rad)

    def _plus(self, other: Ball) -> Ball:
        if self.is_unknown or other.is_unknown:
            return self.field.unknown()
        a, b = self.mid, other.mid
        rad = _wider(self.rad, other.rad)
        if a in _SPECIAL or b in _SPECIAL or ZERO in (a, b):
            return self._rounded(libmp.mpf_add(a, b), rad)
        if abs(a[2] + a[3] - b[2] - b[3]) > 4 * self.field.bits:  # the sum in full would be long
            return self.field.rounded(libmp.mpf_add(a, b, self.field.bits, "n"), rad)
        return self._rounded(libmp.mpf_add(a, b), rad)

    def _times(self, other: Ball) -> Ball:
        if self.is_unknown or other.is_unknown or (self.is_infinite and other.straddles):
            return self.field.unknown()
        if other.is_infinite and self.straddles:
            return self.field.unknown()
        a, b = self.mid, other.mid
        rad = ZERO
        if self.rad != ZERO or other.rad != ZERO:
            rad = _wider(_scaled(_upper(b, other.rad), self.rad), _scaled(libmp.mpf_abs(a), other.rad))
        return self._rounded(libmp.mpf_mul(a, b), rad)

    def _over(self, other: Ball) -> Ball:
        if self.is_unknown or other.is_unknown or other.straddles:
            return self.field.unknown()
        if not other.is_nan and other.sign() == 0:
            return self._over_zero()
        a, b = self.mid, other.mid
        middle = libmp.mpf_div(a, b, self.field.bits, "n")
        if middle in _SPECIAL:
            return Ball(self.field, middle)
        rad = ZERO
        if self.rad != ZERO or other.rad != ZERO:  # (|a| r_b / |b| + r_a) / (|b| - r_b)
            inner = _wider(libmp.mpf_mul(libmp.mpf_abs(middle), other.rad, _SHORT, "u"), self.rad)
            least = libmp.mpf_sub(libmp.mpf_abs(b), other.rad, _SHORT, "d")
            rad = libmp.mpf_shift(libmp.mpf_div(inner, least, _SHORT, "u"), 1)
        if rad == ZERO and libmp.mpf_mul(middle, b) == a:
            return Ball(self.field, middle)
        return self.field.rounded(middle, rad)

    def _over_zero(self) -> Ball:
        sign = 0 if self.is_nan else self.sign()
        return Ball(self.field, {1: libmp.finf, -1: libmp.fninf, 0: libmp.fnan}[sign])

    def __neg__(self) -> Ball:
        return Ball(self.field, libmp.mpf_neg(self.mid), self.rad)

    def __pos__(self) -> Ball:
        return self

    def __abs__(self) -> Ball:
        return Ball(self.field, libmp.mpf_abs(self.mid), self.rad)

    def __add__(self, other: Any) -> Any:
        return _with(self, other, Ball._plus)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _with(self, other, lambda a, b: a._plus(-b))

    def __rsub__(self, other: Any) -> Any:
        return _with(self, other, lambda a, b: b._plus(-a))

    def __mul__(self, other: Any) -> Any:
        return _with(self, other, Ball._times)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return _with(self, other, Ball._over)

    def __rtruediv__(self, other: Any) -> Any:
        return _with(self, other, lambda a, b: b._over(a))

    def __pow__(self, n: Any) -> Any:
        return _with(self, n, power)

    def __rpow__(self, base: Any) -> Any:
        return _with(self, base, lambda a, b: power(b, a))

    # -------------------------------------------------------------- comparison
    def sign(self) -> int:
        """-1, 0 or 1; of nan 0. Undecided where the error reaches across 0, unless it is as small as nothing."""
        if self.is_nan:
            return 0
        if libmp.mpf_gt(libmp.mpf_abs(self.mid), self.rad):
            return int(libmp.mpf_sign(self.mid))
        if self.mid == ZERO == self.rad or self.is_nothing:
            return 0
        raise Undecided

    @property
    def is_nan(self) -> bool:
        """Whether it is not a number."""
        if self.is_unknown:
            raise Undecided
        return bool(self.mid == libmp.fnan)

    @property
    def whole(self) -> int | None:
        """The integer that it is without an error, if that is short."""
        mid = self.mid
        is_whole = self.rad == ZERO and mid not in _SPECIAL and (mid[2] >= 0 or mid == ZERO) and mid[2] + mid[3] < 12
        return int(libmp.to_int(mid)) if is_whole else None

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is known of it."""
        return bool(self.rad == libmp.finf)

    @property
    def straddles(self) -> bool:
        """Whether it may be 0, but need not."""
        if self.mid in _SPECIAL or self.rad == ZERO or self.is_nothing:
            return False
        return bool(libmp.mpf_le(libmp.mpf_abs(self.mid), self.rad))

    @property
    def is_nothing(self) -> bool:
        """Whether it may be 0, and differs from it by less than counts."""
        if self.field.is_certain or self.mid in _SPECIAL or self.rad == ZERO or self.rad in _SPECIAL:
            return False
        return self.rad[2] + self.rad[3] < _LEVEL and bool(libmp.mpf_le(libmp.mpf_abs(self.mid), self.rad))

    @property
    def is_infinite(self) -> bool:
        """Whether it is ±∞."""
        return self.mid in _INFINITE

    @property
    def is_finite(self) -> bool:
        """Whether it is neither ±∞ nor nan."""
        return self.mid not in _SPECIAL

    def _compared(self, other: Any, test: Callable[[int, int], bool]) -> Any:
        def compare(a: Ball, b: Ball) -> Any:
            if a.is_nan or b.is_nan:
                return test is operator.ne
            if a is b:  # the same number, whatever its error
                return test(0, 0)
            if a.is_infinite or b.is_infinite:
                return test(libmp.mpf_cmp(a.mid, b.mid), 0)
            return test((a - b).sign(), 0)

        return _with(self, other, compare)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, operator.ge)

    def __eq__(self, other: object) -> Any:
        return self._compared(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, operator.ne)

    def __bool__(self) -> bool:
        return self.is_nan or self.sign() != 0

    # -------------------------------------------------------------- what it comes to
    def floor(self) -> Ball:
        """⌊x⌋, exactly; what is as near to an integer as nothing is that integer."""
        if self.mid in _SPECIAL:
            return self
        near = Ball(self.field, libmp.mpf_nint(self.mid))
        below = near.mid if (self - near).sign() >= 0 else libmp.mpf_sub(near.mid, libmp.fone)
        return Ball(self.field, below)

    # There is no ``__float__`` and no ``__int__``: what computes with floats refuses these numbers, and is noticed.
    def truncated(self) -> int:
        """The integer next to it on the side of 0."""
        return int(libmp.to_int(self.floor().mid if self.sign() >= 0 else (-(-self).floor()).mid))

    def nearest(self, bits: int = 53) -> float:
        """The floating-point number of so many bits that is nearest."""
        return _float(self.mid, bits)

    def settled(self, bits: int) -> bool:
        """Whether so many leading bits are certain, or the number is certainly as small as nothing."""
        if self.is_unknown:
            return False
        if self.rad == ZERO or self.mid in _SPECIAL:
            return True
        size = libmp.mpf_abs(self.mid)
        small = size == ZERO or size[2] + size[3] < _LEVEL
        close = bool(libmp.mpf_le(libmp.mpf_shift(self.rad, bits), size))
        return close or bool(small and self.rad[2] + self.rad[3] < _LEVEL)

    def rounds(self, bits: int) -> bool:
        """Whether it is certain to what floating-point number of so many bits it is rounded."""
        if self.is_unknown:
            return False
        if self.rad == ZERO or self.mid in _SPECIAL:
            return True
        wide = 4 * self.field.bits
        low, high = (combine(self.mid, self.rad, wide, "n") for combine in (libmp.mpf_sub, libmp.mpf_add))
        return _float(low, bits) == _float(high, bits)


def _float(mid: Raw, bits: int) -> float:
    """Round to a floating-point number of so many bits."""
    try:
        return float(libmp.to_float(libmp.mpf_pos(mid, bits, "n")))
    except OverflowError:
        return float("-inf") if mid[0] else float("inf")


def _wider(a: Raw, b: Raw) -> Raw:
    """The sum of two radii, rounded up."""
    return b if a == ZERO else a if b == ZERO else libmp.mpf_add(a, b, _SHORT, "u")


def _scaled(size: Raw, rad: Raw) -> Raw:
    if rad == ZERO:
        return ZERO
    return libmp.finf if size in _SPECIAL else libmp.mpf_mul(size, rad, _SHORT, "u")


def _upper(mid: Raw, rad: Raw) -> Raw:
    return _wider(libmp.mpf_abs(mid), rad)


def _gap(a: Raw, b: Raw) -> Raw:
    if a == b:
        return ZERO
    if a in _SPECIAL or b in _SPECIAL:
        return libmp.finf
    return libmp.mpf_abs(libmp.mpf_sub(a, b, _SHORT, "u"))


def _with(a: Ball, b: Any, compute: Callable[[Ball, Ball], Any]) -> Any:
    """Compute with what can be made a number; NumPy's arrays come back with their entries."""
    if not isinstance(b, Ball):
        try:
            b = a.field.number(b)
        except TypeError:
            return NotImplemented
    return compute(a, b)


def power(x: Ball, p: Ball) -> Ball:
    """x^p among the real numbers: by products for an integer p, else exp(p log x); nan for a negative x."""
    n = p.whole
    if n is not None:
        return _repeated(x, n)
    if x.is_recorded:
        return x.field.apply(_power, x, p)
    if x.is_infinite or p.is_infinite or x.is_nan or p.is_nan:
        if x.field.is_certain and not x.rad == p.rad == ZERO:
            return x.field.unknown()
        return x.field.rounded(_extreme_power(x, p))
    if x.sign() == 0:
        at = {1: ZERO, 0: libmp.fone, -1: libmp.finf}[p.sign()]
        return Ball(x.field, at)
    if p.mid == libmp.fhalf and p.rad == ZERO:
        return root(x)
    return x.field.apply(_power, x, p)


def _power(context: Any, x: Any, p: Any) -> Any:
    return x**p


def _extreme_power(x: Ball, p: Ball) -> Raw:
    with np.errstate(all="ignore"):
        return libmp.from_float(float(np.float64(x.nearest()) ** np.float64(p.nearest())))


def _repeated(x: Ball, n: int) -> Ball:
    product: Any = x.field.number(1)
    base, rest = x, abs(n)
    while rest:
        if rest & 1:
            product = product * base
        rest >>= 1
        base = base * base if rest else base
    return x.field.number(1 / product if n < 0 else product)


def _sqrt(context: Any, x: Any) -> Any:
    return context.sqrt(x) if x >= 0 or x != x else context.nan


of_any_size.update((_power, _sqrt))


def root(x: Ball) -> Ball:
    """√x; exact where it is a number of so many bits."""
    if x.is_recorded:
        return x.field.apply(_sqrt, x)
    if x.mid not in _SPECIAL and x.sign() == 0:
        return x.field.number(0)
    value = x.field.apply(_sqrt, x)
    if x.rad == ZERO and value.mid not in _SPECIAL and libmp.mpf_mul(value.mid, value.mid) == x.mid:
        return Ball(x.field, value.mid)
    return value
