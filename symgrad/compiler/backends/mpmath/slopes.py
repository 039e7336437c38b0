"""Exact slopes of a program: differences over a step so small, with so many digits, that no rule is needed.

Nothing here knows a derivative, so that a wrong rule cannot hide. A kink is where the slopes on the two sides differ,
and go on differing over a step that is sixteen times smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from mpmath import libmp

from symgrad.compiler.backends.mpmath.backend import PER_DIGIT, evaluate, public, with_enough_bits
from symgrad.compiler.backends.mpmath.matrices import numbers
from symgrad.compiler.backends.mpmath.number import Ball, Field
from symgrad.engine.program import Program

_FINER = 4  # the smaller step is 2 to minus this of the larger


class Slopes(NamedTuple):
    """The slopes of every result by one entry: from both sides together, from the left, from the right."""

    middle: Any
    left: Any
    right: Any
    kinks: Any  # where left and right differ


def slopes(program: Program, given: Sequence[Any], k: int, place: tuple[int, ...], digits: int) -> Slopes:
    """Return ∂y/∂x at one place of input k, as arrays of mpmath's numbers with so many digits.

    Raises:
        Unsuitable: if an operation is not available in mpmath, or the digits cannot be reached.
    """
    bits = int(digits * PER_DIGIT) + 8

    def certain(differences: Slopes) -> bool:
        return all(b.settled(bits - 6) for part in differences[:3] for b in part.flat)

    differences = with_enough_bits(3 * bits, lambda field: _differences(field, program, given, k, place, bits), certain)
    middle, left, right = (_shown(part, digits) for part in differences[:3])
    return Slopes(middle, left, right, differences.kinks)


def _shown(part: Any, digits: int) -> Any:
    return np.asarray(np.frompyfunc(lambda b: public(b, digits), 1, 1)(part), dtype=object)


def _differences(
    field: Field, program: Program, given: Sequence[Any], k: int, place: tuple[int, ...], bits: int
) -> Slopes:
    x = float(np.asarray(given[k])[place])
    step = Ball(field, libmp.mpf_shift(libmp.fone, (int(np.frexp(x)[1]) if x else 0) - bits))

    def at(shift: Any) -> Any:
        array = numbers(field, given[k])
        array[place] = Ball(field, libmp.mpf_add(array[place].mid, shift.mid))
        (y,) = evaluate(field, program, [array if j == k else v for j, v in enumerate(given)])
        return numbers(field, y)

    here, zero = at(field.number(0)), field.number(0)
    sides = []
    for h in (step, step / field.number(1 << _FINER)):
        sides.append(((here - at(zero - h)) / h, (at(h) - here) / h))
    (left, right), (near_left, near_right) = sides
    kinks = np.frompyfunc(_stays, 2, 1)(right - left, near_right - near_left)
    middle = np.asarray((near_left + near_right) / 2, dtype=object)
    return Slopes(middle, np.asarray(near_left), np.asarray(near_right), np.asarray(kinks, dtype=bool))


def _stays(gap: Ball, nearer: Ball) -> bool:
    """Whether the difference of the slopes does not shrink with the step, as that of a smooth function does."""
    if gap.is_nan or nearer.is_nan:
        return True
    return bool(abs(nearer) * 2 > abs(gap)) and nearer.sign() != 0
