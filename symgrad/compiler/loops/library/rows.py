"""Functions of n entries of a flat array, ``at`` their place and ``by`` steps; see ``common``. Results likewise."""

from __future__ import annotations

import math
from typing import Any

from symgrad.compiler.loops.library.common import maximum, minimum
from symgrad.compiler.loops.library.python import div, pow, sqrt

Read = Any
Array = Any


# ------------------------------------------------------------------ rows: n entries from ``at`` in steps of ``by``
def norm(x: Read, at: int, by: int, n: int, p: float) -> float:
    """(Σ|x|ᵖ)^(1/p), scaled by the extreme entry so that no power overflows."""
    unit = 0.0
    for k in range(n):
        size = math.fabs(x[at + k * by])
        unit = size if k == 0 else (maximum(unit, size) if p > 0.0 else minimum(unit, size))
    if not (unit > 0.0 and unit < math.inf):
        unit = 1.0
    total = 0.0
    for k in range(n):
        size = math.fabs(x[at + k * by]) / unit
        total = total + (size * size if p == 2.0 else power(size, p))
    return unit * (sqrt(total) if p == 2.0 else power(total, 1.0 / p))


def power(x: float, p: float) -> float:
    """xᵖ for x ≥ 0, ∞ at 0 for negative p."""
    if x == 0.0 and p < 0.0:
        return math.inf
    return pow(x, p)


def arg(x: Read, at: int, by: int, n: int, largest: int) -> int:
    """The position of the first extreme entry, of the first nan."""
    position: int = 0
    for k in range(n):
        v = x[at + k * by]
        best = x[at + position * by]
        if best == best and (v != v or (v > best if largest == 1 else v < best)):
            position = k
    return position


def argsort(x: Read, at: int, by: int, n: int, descending: int, y: Array, to: int, step: int) -> None:
    """Positions in order of the entries, equal ones in theirs, nan last (first, where they descend)."""
    for k in range(n):
        y[to + k * step] = k
    for k in range(1, n):
        j: int = k
        mine = x[at + k * by]
        while j > 0 and before(mine, x[at + int(y[to + (j - 1) * step]) * by], descending) == 1:
            y[to + j * step] = y[to + (j - 1) * step]
            j = j - 1
        y[to + j * step] = k


def before(a: float, b: float, descending: int) -> int:
    """Whether a stands before b."""
    if descending == 1:
        return 1 if b == b and (a != a or a > b) else 0
    return 1 if a == a and (b != b or a < b) else 0


def running_arg(x: Read, at: int, by: int, n: int, largest: int, y: Array, to: int, step: int) -> None:
    """The position of the extreme so far, the last of equal ones."""
    position: int = 0
    for k in range(n):
        v = x[at + k * by]
        best = x[at + position * by]
        if v != v or (best == best and (v >= best if largest == 1 else v <= best)):
            position = k
        y[to + k * step] = position


def median_arg(x: Read, at: int, by: int, n: int, y: Array, to: int, w: Array) -> None:
    """The position of the lower median, or of the first nan. w holds n numbers."""
    argsort(x, at, by, n, 0, w, 0, 1)
    y[to] = w[(n - 1) // 2]
    for back in range(n):
        if x[at + (n - 1 - back) * by] != x[at + (n - 1 - back) * by]:
            y[to] = n - 1 - back


def median(x: Read, at: int, by: int, n: int, w: Array) -> float:
    """The lower median, or nan where there is one. w holds n + 1 numbers."""
    median_arg(x, at, by, n, w, n, w)
    return x[at + int(w[n]) * by]


def extreme_norm(x: Read, at: int, by: int, n: int, p: float) -> float:
    """The number of entries that are not 0, or for p = ±∞ the largest or smallest size."""
    extreme = 0.0
    for k in range(n):
        size = math.fabs(x[at + k * by])
        if p == 0.0:
            extreme = extreme + (1.0 if size != 0.0 else 0.0)
        else:
            extreme = size if k == 0 else (maximum(extreme, size) if p > 0.0 else minimum(extreme, size))
    return extreme


def horner(x: float, table: Read, n: int) -> float:
    """The polynomial in x with n coefficients, the constant one first."""
    total = table[n - 1]
    for k in range(n - 2, -1, -1):
        total = total * x + table[k]
    return total


def variance(x: Read, at: int, by: int, n: int, free: float) -> float:
    """Σ (x - x̄)² over what is free."""
    mean = 0.0
    for k in range(n):
        mean = mean + x[at + k * by]
    mean = div(mean, float(n))
    total = 0.0
    for k in range(n):
        total = total + (x[at + k * by] - mean) * (x[at + k * by] - mean)
    return div(total, maximum(free, 0.0))
