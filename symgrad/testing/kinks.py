"""Where a recorded program has a kink: found in its values beside the point, without a list of operations.

Over a step h the slopes of a smooth function on the two sides of a point differ by h f''. Where they differ by as much
over half the step there is a kink, or a jump, within h; the first operation of which this is true has made it. Where
the slope itself has a kink the differences still have a limit, which is extrapolated.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.core.promotion import is_floating, is_signed
from symgrad.engine.program import STEP, Program
from symgrad.ops.reductions.total import MapTotal

_STAYS = 0.7  # of the difference of slopes over half the step; of a smooth function half is left
_TRIALS = 8  # pairs of directions in which an operation is examined
_CLOSES = 0.9  # of an error over half the step; where more is left there is no limit to be seen


def bends(at: Callable[[float], Any], h: float, floor: float = 1e-6, finer: float = 2.0) -> Any:
    """Return which entries of a function of a shift have a kink within h of it.

    The finer the second step, the fewer smooth functions look as if they had one: of x to the power 1 + p the factor
    finer to the power -p is left of the difference of slopes.
    """
    here = _array(at(0.0))
    gaps, jumps = [], []
    with np.errstate(all="ignore"):
        for step in (h, h / finer):
            up, down = _array(at(step)), _array(at(-step))
            slopes = np.abs(up - down) / (2 * step)
            gaps.append(np.abs(up - 2 * here + down) / step)
            jumps.append(np.abs(up - down))
        large = gaps[1] > floor * np.maximum(1.0, np.maximum(slopes, np.abs(here)))
        jump = (jumps[1] > floor * np.maximum(1.0, np.abs(here))) & (jumps[1] > _STAYS * jumps[0])
        return jump | np.isnan(gaps[1]) & np.isfinite(here) | large & (gaps[1] > _STAYS * gaps[0])


def _array(x: Any) -> Any:
    return np.asarray(x, dtype=np.float64)


def central(at: Callable[[float], Any], h: float) -> Any:
    """Return (f(h) - f(-h)) / 2h."""
    return (_array(at(h)) - _array(at(-h))) / (2 * h)


def limits(at: Callable[[float], Any], h: float) -> tuple[Any, Any]:
    """Extrapolate central differences of a function with a kink in its slope at 0, in two ways.

    Their error is a₁h + a₂h² + …, of which Richardson's scheme removes the first terms, or c hᵖ with an unknown p, as
    of x√|x|, which Aitken's removes.
    """
    slopes = [central(at, h / 2**k) for k in range(4)]
    powers = slopes
    for order in (1, 2, 3):
        powers = [(2**order * b - a) / (2**order - 1) for a, b in itertools.pairwise(powers)]
    with np.errstate(all="ignore"):
        before, after = slopes[2] - slopes[1], slopes[3] - slopes[2]
        left = after / before
        aitken = np.where((left > 0) & (left < _CLOSES), slopes[3] + after * left / (1 - left), slopes[3])
    return powers[0], aitken


def operation_at(
    program: Program, given: Sequence[Any], k: int, place: tuple[int, ...], h: float, floor: float = 1e-6
) -> str:
    """Name the first operation of a program with a kink within h of an entry of input k; "" where there is none."""
    values = {s: _values(program, given, k, place, s) for s in (0.0, h, -h, h / 2, -h / 2)}
    for n in _floating(program):
        shifted = {s: at[n] for s, at in values.items()}
        if np.any(bends(shifted.__getitem__, h, floor)):
            return _called(program, n)
    return ""


def operation_near(program: Program, given: Sequence[Any], k: int, h: float) -> str:
    """Name the first operation that is not linear near input k; "" where there is none.

    Of ties this sees what no entry alone shows: a median of four equal entries stays where it is when one of them
    moves, and still f(tv) + f(tw) - f(tv + tw) - f(0) is not O(t²).
    """
    x = np.array(given[k], dtype=np.float64)
    random = np.random.default_rng(0)
    for _ in range(_TRIALS):
        v, w = random.normal(size=(2, *x.shape))
        moves = [(v, h), (w, h), (v + w, h), (v, h / 2), (w, h / 2), (v + w, h / 2), (v, 0.0)]
        runs = [_run(program, [x + t * u if j == k else a for j, a in enumerate(given)]) for u, t in moves]
        for n in _floating(program):
            if _parts([_array(at[n]) for at in runs], h):
                return _called(program, n)
    return ""


def _parts(at: Sequence[Any], h: float) -> bool:
    """Whether f(tv) + f(tw) - f(tv + tw) - f(0) shrinks no faster than t."""
    v, w, both, near_v, near_w, near_both, here = at
    with np.errstate(all="ignore"):
        gap, near = np.abs(v + w - both - here) / h, 2 * np.abs(near_v + near_w - near_both - here) / h
        size = np.maximum(1.0, np.maximum(np.abs(here), np.abs(v - here) / h))
    return bool(np.any((near > 1e-4 * size) & (near > _STAYS * gap)))


def _floating(program: Program) -> list[int]:
    return [n for n in program.steps() if is_floating(program.values[n].dtype)]


def _called(program: Program, n: int) -> str:
    """Name an operation; one that reads at positions is named by what has found them, as argsort for sort."""
    op, args = program.values[n].op, program.values[n].args
    finders = _positions(program, args)
    while finders:
        last = program.values[finders[0]]
        op, finders = last.op, _positions(program, last.args)
    if isinstance(op, MapTotal):
        return f"{op.label.lower()} of {op.map.payload}"
    name = re.sub("(?<=[a-z0-9])(?=[A-Z][a-z])", "_", str(op.label).removeprefix("Arg"))
    return name.lower()


def _positions(program: Program, args: Sequence[int]) -> list[int]:
    return [a for a in args if program.values[a].kind == STEP and is_signed(program.values[a].dtype)]


def _values(program: Program, given: Sequence[Any], k: int, place: tuple[int, ...], shift: float) -> dict[int, Any]:
    moved = np.array(given[k], dtype=np.float64)
    with np.errstate(all="ignore"):
        moved[place] += shift
    return _run(program, [moved if j == k else v for j, v in enumerate(given)])


def _run(program: Program, given: Sequence[Any]) -> dict[int, Any]:
    with np.errstate(all="ignore"):
        return program.env(given)


def value(program: Program, given: Sequence[Any]) -> Any:
    """Run a program of one result, operation by operation."""
    with np.errstate(all="ignore"):
        return program(*given)[0]
