"""Singular values, what is made of them, and Q and R: on flat arrays, in Python that reads as C does; see ``matrices``.

Source: Golub and Van Loan, Matrix Computations, 4th edition.
"""

from __future__ import annotations

import math
from typing import Any

from symgrad.compiler.loops.library.common import maximum
from symgrad.compiler.loops.library.matrices import swap_columns
from symgrad.compiler.loops.library.python import div, sqrt

Read = Any
Array = Any


def svd(a: Read, at: int, u: Array, uat: int, s: Array, sat: int, v: Array, vat: int, n: int, m: int, w: Array) -> None:
    """A = U diag(s) Vᵀ, by turning pairs of columns until all are at right angles (§8.6), in range of their squares."""
    largest = 0.0
    for k in range(n * m):
        largest = maximum(largest, math.fabs(a[at + k]))
    scale = 2.409919865102884e-181 if largest > 1e100 else 4.149515568880993e180 if largest < 1e-100 else 1.0
    if n >= m:
        for k in range(n * m):
            w[k] = a[at + k] * scale
        tall_svd(w, n, m, u, uat, s, sat, v, vat)
    else:
        for i in range(n):
            for j in range(m):
                w[j * n + i] = a[at + i * m + j] * scale
        tall_svd(w, m, n, v, vat, s, sat, u, uat)
    for k in range(n if n < m else m):
        s[sat + k] = s[sat + k] / scale


def tall_svd(w: Array, n: int, m: int, u: Array, uat: int, s: Array, sat: int, v: Array, vat: int) -> None:
    """The same of an n×m matrix with n ≥ m that stands in w."""
    for i in range(m):
        for j in range(m):
            v[vat + i * m + j] = 1.0 if i == j else 0.0
    for _ in range(60):
        if turned(w, n, m, v, vat) == 0:
            break
    for j in range(m):
        x = 0.0
        for k in range(n):
            x = x + w[k * m + j] * w[k * m + j]
        s[sat + j] = sqrt(x)
    for j in range(m):
        for k in range(n):
            u[uat + k * m + j] = div(w[k * m + j], s[sat + j]) if s[sat + j] != 0.0 else 0.0
    for j in range(m):
        best: int = j
        for k in range(j + 1, m):
            if s[sat + k] > s[sat + best]:
                best = k
        for k in range(n):
            x = u[uat + k * m + j]
            u[uat + k * m + j] = u[uat + k * m + best]
            u[uat + k * m + best] = x
        swap_columns(s, sat, v, vat, m, m, j, best)
    for j in range(m):
        if s[sat + j] == 0.0:
            fill_column(u, uat, n, m, j)


def turned(w: Array, n: int, m: int, v: Array, vat: int) -> int:
    """Turn each two columns of w, and of v, so that they stand at right angles; whether any did not."""
    any_turned: int = 0
    for p in range(m):
        for q in range(p + 1, m):
            x = 0.0
            y = 0.0
            z = 0.0
            for k in range(n):
                x = x + w[k * m + p] * w[k * m + p]
                y = y + w[k * m + q] * w[k * m + q]
                z = z + w[k * m + p] * w[k * m + q]
            if math.fabs(z) > 1e-16 * sqrt(x * y) and z != 0.0:
                any_turned = 1
                theta = (y - x) / (2.0 * z)
                t = (1.0 if theta >= 0.0 else -1.0) / (math.fabs(theta) + sqrt(theta * theta + 1.0))
                c = 1.0 / sqrt(t * t + 1.0)
                turn_columns(w, 0, p, q, c, t * c, n, m)
                turn_columns(v, vat, p, q, c, t * c, m, m)
    return any_turned


def fill_column(u: Array, at: int, n: int, m: int, j: int) -> None:
    """Make column j one at right angles to those before it: of the unit vector that has least of them."""
    best: int = 0
    least = math.inf
    for i in range(n):
        x = 0.0
        for k in range(j):
            x = x + u[at + i * m + k] * u[at + i * m + k]
        if x < least:
            least = x
            best = i
    for i in range(n):
        u[at + i * m + j] = 1.0 if i == best else 0.0
    for _ in range(2):
        for k in range(j):
            x = 0.0
            for i in range(n):
                x = x + u[at + i * m + k] * u[at + i * m + j]
            for i in range(n):
                u[at + i * m + j] = u[at + i * m + j] - x * u[at + i * m + k]
    x = 0.0
    for i in range(n):
        x = x + u[at + i * m + j] * u[at + i * m + j]
    x = sqrt(x)
    for i in range(n):
        u[at + i * m + j] = u[at + i * m + j] / x


def turn_columns(m: Array, at: int, p: int, q: int, c: float, s: float, rows: int, columns: int) -> None:
    """Turn two columns."""
    for k in range(rows):
        x = m[at + k * columns + p]
        y = m[at + k * columns + q]
        m[at + k * columns + p] = c * x - s * y
        m[at + k * columns + q] = s * x + c * y


def rank(s: Read, at: int, n: int, atol: float, rtol: float) -> float:
    """The number of singular values above the threshold."""
    count = 0.0
    for k in range(n):
        if s[at + k] > maximum(atol, rtol * s[at]):
            count = count + 1.0
    return count


def pseudo_inverse(
    u: Read, uat: int, s: Read, sat: int, v: Read, vat: int, y: Array, yat: int,
    n: int, m: int, r: int, atol: float, rtol: float,
) -> None:  # fmt: skip
    """V diag(1/s) Uᵀ, with 0 for what is up to the threshold."""
    for i in range(m):
        for j in range(n):
            t = 0.0
            for k in range(r):
                if s[sat + k] > maximum(atol, rtol * s[sat]):
                    t = t + v[vat + i * r + k] * u[uat + j * r + k] / s[sat + k]
            y[yat + i * n + j] = t


def qr(a: Read, at: int, q: Array, qat: int, r: Array, rat: int, n: int, m: int, small: int, w: Array) -> None:
    """Q and R by Householder's reflections (§5.2), the signs as LAPACK chooses them. w holds n m + n numbers."""
    for k in range(n * m):
        w[k] = a[at + k]
    for i in range(n):
        for j in range(small):
            q[qat + i * small + j] = 1.0 if i == j else 0.0
    for k in range(small):
        reflect(w, n, m, k)
    for back in range(small):
        unfold(w, n, m, small - 1 - back, q, qat, small)
    for i in range(small):
        for j in range(m):
            r[rat + i * m + j] = w[i * m + j] if j >= i else 0.0


def reflect(w: Array, n: int, m: int, k: int) -> None:
    """Bring column k below the diagonal to 0; the reflection's vector stays there, its factor behind the matrix."""
    x = 0.0
    for i in range(k + 1, n):
        x = x + w[i * m + k] * w[i * m + k]
    w[n * m + k] = 0.0
    if x > 0.0:
        alpha = w[k * m + k]
        beta = -math.copysign(sqrt(alpha * alpha + x), alpha)
        w[n * m + k] = (beta - alpha) / beta
        for i in range(k + 1, n):
            w[i * m + k] = w[i * m + k] / (alpha - beta)
        w[k * m + k] = beta
        for j in range(k + 1, m):
            t = w[k * m + j]
            for i in range(k + 1, n):
                t = t + w[i * m + k] * w[i * m + j]
            t = t * w[n * m + k]
            w[k * m + j] = w[k * m + j] - t
            for i in range(k + 1, n):
                w[i * m + j] = w[i * m + j] - t * w[i * m + k]


def unfold(w: Read, n: int, m: int, k: int, q: Array, qat: int, small: int) -> None:
    """Apply reflection k to Q."""
    for j in range(small):
        t = q[qat + k * small + j]
        for i in range(k + 1, n):
            t = t + w[i * m + k] * q[qat + i * small + j]
        t = t * w[n * m + k]
        q[qat + k * small + j] = q[qat + k * small + j] - t
        for i in range(k + 1, n):
            q[qat + i * small + j] = q[qat + i * small + j] - t * w[i * m + k]
