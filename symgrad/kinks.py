"""Where a recorded program has a kink: found in its values beside the point, without a list of operations.

Over a step h the slopes of a smooth function on the two sides of a point differ by h f''. Where they differ by as much
over half the step there is a kink, or a jump, within h; the first operation of which this is true has made it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.compiler.program import INPUT, STEP, Program

_STAYS = 0.7  # of the difference of slopes over half the step; of a smooth function half is left


def bends(at: Callable[[float], Any], h: float, floor: float = 1e-6) -> Any:
    """Return which entries of a function of a shift have a kink within h of it."""
    here = _array(at(0.0))
    gaps, jumps = [], []
    with np.errstate(all="ignore"):
        for step in (h, h / 2):
            up, down = _array(at(step)), _array(at(-step))
            slopes = np.abs(up - down) / (2 * step)
            gaps.append(np.abs(up - 2 * here + down) / step)
            jumps.append(np.abs(up - down))
        large = gaps[1] > floor * np.maximum(1.0, np.maximum(slopes, np.abs(here)))
        jump = (jumps[1] > floor * np.maximum(1.0, np.abs(here))) & (jumps[1] > _STAYS * jumps[0])
        return jump | np.isnan(gaps[1]) & ~np.isnan(here) | large & (gaps[1] > _STAYS * gaps[0])


def _array(x: Any) -> Any:
    return np.asarray(x, dtype=np.float64)


def operation_at(program: Program, given: Sequence[Any], k: int, place: tuple[int, ...], h: float) -> str:
    """Name the first operation of a program with a kink within h of an entry of input k; "" where there is none."""
    values = {s: _values(program, given, k, place, s) for s in (0.0, h, -h, h / 2, -h / 2)}
    for n in program.steps():
        if program.values[n].dtype.kind != "f":
            continue
        shifted = {s: at[n] for s, at in values.items()}
        if np.any(bends(shifted.__getitem__, h)):
            return str(program.values[n].op.label).lower()
    return ""


def _values(program: Program, given: Sequence[Any], k: int, place: tuple[int, ...], shift: float) -> dict[int, Any]:
    moved = np.array(given[k], dtype=np.float64)
    moved[place] += shift
    return _run(program, [moved if j == k else v for j, v in enumerate(given)])


def _run(program: Program, given: Sequence[Any]) -> dict[int, Any]:
    at: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for n in program.live():
            v = program.values[n]
            if v.kind == STEP:
                at[n] = v.op(*[at[a] for a in v.args])
            else:
                at[n] = given[v.op] if v.kind == INPUT else v.op
    return at


def value(program: Program, given: Sequence[Any]) -> Any:
    """Run a program of one result, operation by operation."""
    return _run(program, given)[program.outputs[0]]
