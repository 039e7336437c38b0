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
    """(Σ|x|ᵖ)^(1/p), scaled by the extreme entry where a power might overflow, or vanish."""
    if p == 2.0:
        squares = 0.0
        for k in range(n):
            squares += x[at + k * by] * x[at + k * by]
        if squares > 1e-280 and squares < 1e300:
            return sqrt(squares)
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


def argfirst(
    x: Read, at: int, by: int, n: int, descending: int, y: Array, to: int, step: int, count: int
) -> None:  # fmt: skip
    """Positions of the first entries in order, equal ones in theirs, nan last (first, where they descend)."""
    have: int = 0
    for k in range(n):
        mine = x[at + k * by]
        if have < count or before(mine, x[at + int(y[to + (count - 1) * step]) * by], descending) == 1:
            j: int = have if have < count else count - 1
            while j > 0 and before(mine, x[at + int(y[to + (j - 1) * step]) * by], descending) == 1:
                y[to + j * step] = y[to + (j - 1) * step]
                j = j - 1
            y[to + j * step] = k
            if have < count:
                have = have + 1


def argsort(x: Read, at: int, by: int, n: int, descending: int, y: Array, to: int, step: int, w: Array) -> None:
    """Positions in order of all entries, by merging runs twice as long each time. w holds 2 n numbers."""
    for k in range(n):
        w[k] = k
    width: int = 1
    while width < n:
        start: int = 0
        while start < n:
            middle: int = start + width if start + width < n else n
            end: int = middle + width if middle + width < n else n
            i: int = start
            j: int = middle
            for k in range(start, end):
                take: int = 0
                if i < middle:
                    take = 1
                    if j < end:
                        take = 1 - before(x[at + int(w[j]) * by], x[at + int(w[i]) * by], descending)
                w[n + k] = w[i if take == 1 else j]
                i = i + take
                j = j + 1 - take
            start = end
        for k in range(n):
            w[k] = w[n + k]
        width = 2 * width
    for k in range(n):
        y[to + k * step] = w[k]


def before(a: float, b: float, descending: int) -> int:
    """Whether a stands before b."""
    if descending == 1:
        return 1 if b == b and (a != a or a > b) else 0
    return 1 if a == a and (b != b or a < b) else 0


def bisect(x: Read, at: int, by: int, n: int, v: float, right: int) -> int:
    """How many of the ordered entries are below v, or not above it; nan is above all numbers."""
    low: int = 0
    high: int = n
    while low < high:
        middle: int = (low + high) // 2
        if before(x[at + middle * by], v, 0) == 1 or (right == 1 and before(v, x[at + middle * by], 0) == 0):
            low = middle + 1
        else:
            high = middle
    return low


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
    """The position of the lower median, or of the first nan, by selection. w holds n numbers."""
    for k in range(n):
        w[k] = k
    low: int = 0
    high: int = n - 1
    middle: int = (n - 1) // 2
    while low < high:
        p: int = int(w[(low + high) // 2])
        i: int = low
        j: int = high
        while i <= j:
            while stands_before(x, at, by, int(w[i]), p) == 1:
                i = i + 1
            while stands_before(x, at, by, p, int(w[j])) == 1:
                j = j - 1
            if i <= j:
                t = w[i]
                w[i] = w[j]
                w[j] = t
                i = i + 1
                j = j - 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            low = high
    y[to] = w[middle]
    for back in range(n):
        if x[at + (n - 1 - back) * by] != x[at + (n - 1 - back) * by]:
            y[to] = n - 1 - back


def stands_before(x: Read, at: int, by: int, p: int, q: int) -> int:
    """Whether the entry at p is smaller than that at q, or equal and earlier."""
    a = x[at + p * by]
    b = x[at + q * by]
    return 1 if a < b or (a == b and p < q) else 0


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
    """Σ (x - x̄)² over what is free, of differences to the first entry: 0 where all are equal."""
    first = x[at] if n > 0 else 0.0
    mean = 0.0
    for k in range(n):
        mean += x[at + k * by] - first
    mean = div(mean, float(n))
    total = 0.0
    for k in range(n):
        total += (x[at + k * by] - first - mean) * (x[at + k * by] - first - mean)
    return div(total, maximum(free, 0.0))
