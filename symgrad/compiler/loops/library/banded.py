"""Systems with matrices of bands, on flat arrays, in Python that reads as C does; see ``matrices``.

Source: LAPACK's gbtf2, gbtrs, pttrf and pttrs. The factors are rows of 2 low + up + 1 numbers: the multipliers of the
row's column, which LAPACK keeps below it, then 1/u_ii, then the row of U divided by u_ii. Behind them are the rows that
were exchanged, and two numbers: whether there is no factorisation, and whether it is L D Lᵀ.
"""

from __future__ import annotations

import math
from typing import Any

Read = Any
Array = Any


def band_factors(ab: Read, at: int, w: Array, wat: int, n: int, low: int, up: int, symmetric: int) -> None:
    """Factorise; w holds n (2 low + up + 2) + 2 numbers."""
    done: int = 0
    if symmetric == 1:
        done = band_ldl(ab, at, w, wat, n, low)
    end: int = wat + n * (2 * low + up + 2)
    w[end + 1] = done
    w[end] = 0.0
    if done == 0:
        w[end] = band_lu(ab, at, w, wat, n, low, up)


def band_ldl(ab: Read, at: int, w: Array, wat: int, n: int, low: int) -> int:
    """L D Lᵀ of a symmetric matrix of ``low`` diagonals above and below; whether it is positive definite.

    A row of w, of 3 low + 2 numbers, has the column of L below the diagonal first, and 1/d behind it.
    """
    wide: int = 3 * low + 1
    good: int = 1
    for j in range(n):
        d = ab[at + low * n + j]
        for k in range(1, low + 1):
            if k <= j:
                d = d - w[wat + (j - k) * wide + k - 1] * w[wat + (j - k) * wide + low + k]
        for r in range(1, low + 1):
            x = 0.0
            if j + r < n:
                x = ab[at + (low + r) * n + j]
                for k in range(1, low + 1 - r):
                    if k <= j:
                        x = x - w[wat + (j - k) * wide + r + k - 1] * w[wat + (j - k) * wide + low + k]
            w[wat + j * wide + low + r] = x
        inverse = 1.0 / d if d > 0.0 else math.inf
        if not inverse < math.inf:
            good = 0
            break
        w[wat + j * wide + low] = inverse
        for r in range(1, low + 1):
            w[wat + j * wide + r - 1] = w[wat + j * wide + low + r] * inverse
    return good


def band_lu(ab: Read, at: int, w: Array, wat: int, n: int, low: int, up: int) -> float:
    """L U with exchanges of rows; 1 where a pivot is 0."""
    wide: int = 2 * low + up + 1
    pivots: int = wat + n * wide
    bad = 0.0
    for i in range(n):
        for c in range(low + up + 1):
            j: int = i - low + c
            w[wat + i * wide + c] = ab[at + (low + up - c) * n + j] if j >= 0 and j < n else 0.0
        for c in range(low):
            w[wat + i * wide + low + up + 1 + c] = 0.0
    for k in range(n):
        here: int = wat + k * wide + low
        best: int = 0
        for r in range(1, low + 1):
            if k + r < n and math.fabs(w[here + r * wide - r]) > math.fabs(w[here + best * wide - best]):
                best = r
        w[pivots + k] = best
        if best != 0:
            for c in range(low + up + 1):
                t = w[here + c]
                w[here + c] = w[here + best * wide - best + c]
                w[here + best * wide - best + c] = t
        inverse = 1.0 / w[here] if w[here] != 0.0 else math.inf
        if not math.fabs(inverse) < math.inf:
            bad = 1.0
            break
        for r in range(1, low + 1):
            if k + r < n:
                f = w[here + r * wide - r] * inverse
                w[here + r * wide - r] = f
                for c in range(1, low + up + 1):
                    w[here + r * wide - r + c] = w[here + r * wide - r + c] - f * w[here + c]
        w[here] = inverse
        for c in range(1, low + up + 1):
            w[here + c] = w[here + c] * inverse
    return bad


def band_solved(
    w: Read, wat: int, b: Read, bat: int, x: Array, at: int, n: int, m: int, low: int, up: int,
    transposed: int, symmetric: int,
) -> int:  # fmt: skip
    """Solve A X = B, or AᵀX = B, with the factors of A; 1 where there are none."""
    end: int = wat + n * (2 * low + up + 2)
    for k in range(n * m):
        x[at + k] = b[bat + k]
    if symmetric == 1:
        band_symmetric(w, wat, x, at, n, m, low)
    elif transposed == 1:
        band_transposed(w, wat, x, at, n, m, low, up)
    else:
        band_eliminated(w, wat, x, at, n, m, low, up)
    return 1 if w[end] != 0.0 else 0


def band_symmetric(w: Read, wat: int, x: Array, at: int, n: int, m: int, low: int) -> None:
    """Solve L D LᵀX = B, of which X holds B; or P L U X = B, where those are the factors."""
    wide: int = 3 * low + 1
    if w[wat + n * (3 * low + 2) + 1] == 0.0:
        band_eliminated(w, wat, x, at, n, m, low, low)
    else:
        for k in range(n):
            band_leave(w, wat + k * wide - 1, 1, x, at, n, m, k, low)
        band_scale(w, wat + low, wide, x, at, n, m)
        for back in range(n):
            band_take(w, wat + (n - 1 - back) * wide - 1, 1, x, at, n, m, n - 1 - back, low)


def band_eliminated(w: Read, wat: int, x: Array, at: int, n: int, m: int, low: int, up: int) -> None:
    """Solve P L U X = B, of which X holds B."""
    wide: int = 2 * low + up + 1
    for k in range(n):
        band_exchange(w, wat + n * wide, x, at, m, k)
        band_leave(w, wat + k * wide + low, wide - 1, x, at, n, m, k, low)
    band_scale(w, wat + low, wide, x, at, n, m)
    for back in range(n):
        band_take(w, wat + (n - 1 - back) * wide + low, 1, x, at, n, m, n - 1 - back, low + up)


def band_transposed(w: Read, wat: int, x: Array, at: int, n: int, m: int, low: int, up: int) -> None:
    """Solve (P L U)ᵀX = B, of which X holds B."""
    wide: int = 2 * low + up + 1
    for k in range(n):
        band_leave(w, wat + k * wide + low, 1, x, at, n, m, k, low + up)
    band_scale(w, wat + low, wide, x, at, n, m)
    for back in range(n):
        band_take(w, wat + (n - 1 - back) * wide + low, wide - 1, x, at, n, m, n - 1 - back, low)
        band_exchange(w, wat + n * wide, x, at, m, n - 1 - back)


def band_leave(w: Read, base: int, stride: int, x: Array, at: int, n: int, m: int, i: int, count: int) -> None:
    """Take multiples of row i off the rows below it."""
    for r in range(1, count + 1):
        if i + r < n:
            for c in range(m):
                x[at + (i + r) * m + c] = x[at + (i + r) * m + c] - w[base + r * stride] * x[at + i * m + c]


def band_take(w: Read, base: int, stride: int, x: Array, at: int, n: int, m: int, i: int, count: int) -> None:
    """Take multiples of the rows below row i off it."""
    for r in range(1, count + 1):
        if i + r < n:
            for c in range(m):
                x[at + i * m + c] = x[at + i * m + c] - w[base + r * stride] * x[at + (i + r) * m + c]


def band_scale(w: Read, first: int, wide: int, x: Array, at: int, n: int, m: int) -> None:
    """Multiply each row by the reciprocal of its pivot."""
    for k in range(n):
        for c in range(m):
            x[at + k * m + c] = x[at + k * m + c] * w[first + k * wide]


def band_exchange(w: Read, pivots: int, x: Array, at: int, m: int, k: int) -> None:
    """Exchange row k with that of its pivot."""
    other: int = k + int(w[pivots + k])
    if other != k:
        for c in range(m):
            t = x[at + k * m + c]
            x[at + k * m + c] = x[at + other * m + c]
            x[at + other * m + c] = t
