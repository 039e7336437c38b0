"""The backend ``arb``: balls that certainly contain the exact results, from the program run of the backend ``mpmath``.

Sums and products carry bounds there already. Here the functions' values and radii come from Arb, and no number is so
small that it counts as 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flint
from mpmath import libmp

from symgrad.compiler.backends.arb_lines import recorded
from symgrad.compiler.backends.backend import Kernel, Unsuitable
from symgrad.compiler.backends.mpmath.backend import PER_DIGIT, shown, to_digits
from symgrad.compiler.backends.mpmath.number import ZERO, Ball, Field
from symgrad.core import trees
from symgrad.engine.program import Program


def build(program: Program, args: trees.Tree, results: trees.Tree) -> Kernel:
    """Return the kernel that computes balls, whose radii are smaller than their midpoints by the program's digits."""
    digits = program.digits or 15
    bits = int(digits * PER_DIGIT) + 2
    recording: list[Any] = []

    def kernel(given: Sequence[Any]) -> Sequence[Any]:
        if not recording:
            recording.append(recorded(program, bits, _FUNCTIONS))
        (lines,) = recording
        results = None if lines is None else lines(given)
        return [shown(y, arb) for y in to_digits(program, given, digits, Certain)] if results is None else results

    count = len(program.steps())
    return Kernel(run=kernel, source=lambda: str(program), backend="arb", operations=count, kernels=count)


class Certain(Field):
    """Arithmetic with so many bits in which every radius is a bound."""

    backend = "arb"
    is_certain = True

    def apply(self, fn: Callable[..., Any], *args: Ball) -> Ball:
        """Return fn of balls by Arb; ∞ and nan where mpmath's value has no error, else a number that is not known."""
        if any(a.is_unknown for a in args):
            return self.unknown()
        function = _FUNCTIONS.get(fn.__qualname__)
        if function is None:
            raise Unsuitable(f"backend 'arb': python-flint has no function {fn.__qualname__.strip('_')} for it.")
        with flint.ctx.workprec(self.bits):
            value = function(*map(arb, args))
        if value.is_finite():
            return self.ball(value)
        at_ends = super().apply(fn, *args)
        is_open = at_ends.rad != ZERO or any(a.straddles for a in args)
        return self.unknown() if is_open or at_ends.is_finite else at_ends

    def determinant(self, a: Any) -> Ball:
        """Return the determinant by Arb, which bounds that of a singular matrix, too."""
        if any(x.is_unknown or not x.is_finite for x in a.flat):
            return self.unknown()
        with flint.ctx.workprec(self.bits):
            value = flint.arb_mat([[arb(x) for x in row] for row in a]).det()
        return self.ball(value) if value.is_finite() else self.unknown()

    def ball(self, x: Any) -> Ball:
        """Return a finite ball of Arb's."""
        mid, rad = (libmp.from_man_exp(*map(int, end.man_exp())) for end in (x.mid(), x.rad()))
        return Ball(self, mid, rad)


def arb(x: Ball) -> Any:
    """Return a number of Arb's that contains a ball."""
    if x.is_unknown or x.mid == libmp.fnan:
        return flint.arb.nan()
    if x.is_infinite:
        return flint.arb.pos_inf() if x.mid == libmp.finf else flint.arb.neg_inf()
    return flint.arb(_exact(x.mid), _exact(x.rad))


def _exact(raw: Any) -> tuple[int, int]:
    sign, mantissa, exponent, _ = raw
    return (-int(mantissa) if sign else int(mantissa)), int(exponent)


def _zeta(s: Any, *q: Any) -> Any:
    """Hurwitz's zeta function where it is real for certain, else nan."""
    value = flint.acb(s).zeta(*map(flint.acb, q))
    return value.real if value.imag.is_zero() else flint.arb.nan()


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(flint.arb, name)
        for name in (
            "exp", "sin", "cos", "tan", "cot", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh",
            "acosh", "atanh", "erf", "erfc", "gamma",
        )
    },
    "_log": flint.arb.log,
    "_sqrt": flint.arb.sqrt,
    "_power": flint.arb.__pow__,
    "_erfinv": flint.arb.erfinv,
    "_lgamma": lambda x: flint.acb(x).lgamma().real,
    "_polygamma": lambda n, x: flint.acb(x).polygamma(flint.acb(n)).real,
    "_zeta": _zeta,
    "besselj": lambda n, x: x.bessel_j(n),
    "besseli": lambda n, x: x.bessel_i(n),
}  # fmt: skip
