"""Linear algebra on flat arrays, in Python that reads as C does; see ``common``. A matrix begins ``at`` its place.

Each is the textbook's method: Golub and Van Loan, Matrix Computations, 4th edition.
"""

from __future__ import annotations

import math
from typing import Any

from symgrad.compiler.loops.library.common import maximum, sign
from symgrad.compiler.loops.library.python import div, log, sqrt

Read = Any
Array = Any


def lu(w: Array, n: int) -> float:
    """Factorise the matrix in w behind n numbers, which become the rows exchanged; return their sign (§3.4)."""
    turn = 1.0
    for k in range(n):
        best: int = k
        for i in range(k + 1, n):
            if math.fabs(w[n + i * n + k]) > math.fabs(w[n + best * n + k]):
                best = i
        w[k] = best
        if best != k:
            turn = -turn
            swap_rows(w, n, n, k, best)
        if w[n + k * n + k] != 0.0:
            for i in range(k + 1, n):
                w[n + i * n + k] = w[n + i * n + k] / w[n + k * n + k]
                for j in range(k + 1, n):
                    w[n + i * n + j] = w[n + i * n + j] - w[n + i * n + k] * w[n + k * n + j]
    return turn


def swap_rows(m: Array, at: int, columns: int, i: int, j: int) -> None:
    """Exchange two rows."""
    for k in range(columns):
        t = m[at + i * columns + k]
        m[at + i * columns + k] = m[at + j * columns + k]
        m[at + j * columns + k] = t


def solve(a: Read, at: int, b: Read, bat: int, x: Array, xat: int, n: int, m: int, transposed: int, w: Array) -> int:
    """Solve A X = B, or AᵀX = B; 1 where A is singular. w holds n (n + 1) numbers."""
    for i in range(n):
        for j in range(n):
            w[n + i * n + j] = a[at + (j * n + i if transposed == 1 else i * n + j)]
    for k in range(n * m):
        x[xat + k] = b[bat + k]
    bad: int = solve_lu(w, n, x, xat, m)
    return bad


def solve_lu(w: Array, n: int, x: Array, at: int, m: int) -> int:
    """Solve with the matrix in w behind n numbers; x holds the right-hand sides, and then the solutions."""
    bad: int = 0
    if has_zeros(w, n, n, 1) == 1:
        for i in range(n):
            for k in range(i):
                for j in range(m):
                    x[at + i * m + j] = x[at + i * m + j] - w[n + i * n + k] * x[at + k * m + j]
            for j in range(m):
                x[at + i * m + j] = div(x[at + i * m + j], w[n + i * n + i])
    else:
        if has_zeros(w, n, n, 0) == 0:
            lu(w, n)
            for k in range(n):
                swap_rows(x, at, m, k, int(w[k]))
            for i in range(1, n):
                for k in range(i):
                    for j in range(m):
                        x[at + i * m + j] = x[at + i * m + j] - w[n + i * n + k] * x[at + k * m + j]
        for back in range(n):
            row: int = n - 1 - back
            for k in range(row + 1, n):
                for j in range(m):
                    x[at + row * m + j] = x[at + row * m + j] - w[n + row * n + k] * x[at + k * m + j]
            for j in range(m):
                x[at + row * m + j] = div(x[at + row * m + j], w[n + row * n + row])
    for k in range(n):
        if w[n + k * n + k] == 0.0:
            bad = 1
    return bad


def has_zeros(w: Read, at: int, n: int, above: int) -> int:
    """Whether a matrix has nothing above the diagonal, or below."""
    size = 0.0
    for i in range(1, n):
        for j in range(i):
            size = size + math.fabs(w[at + (j * n + i if above == 1 else i * n + j)])
    return 1 if size == 0.0 else 0


def inverse(a: Read, at: int, x: Array, xat: int, n: int, w: Array) -> int:
    """Invert; 1 where A is singular. w holds n (n + 1) numbers."""
    for i in range(n):
        for j in range(n):
            w[n + i * n + j] = a[at + i * n + j]
            x[xat + i * n + j] = 1.0 if i == j else 0.0
    bad: int = solve_lu(w, n, x, xat, n)
    return bad


def factorised(a: Read, at: int, n: int, w: Array) -> float:
    """LU of a matrix in w, which holds n (n + 1) numbers; the sign of the exchanges."""
    for k in range(n * n):
        w[n + k] = a[at + k]
    return lu(w, n)


def det(a: Read, at: int, n: int, w: Array) -> float:
    """Return the determinant."""
    product = factorised(a, at, n, w)
    for k in range(n):
        product = product * w[n + k * n + k]
    return product


def logabsdet(a: Read, at: int, n: int, w: Array) -> float:
    """log |det A|."""
    total = det_sign(a, at, n, w) * 0.0
    for k in range(n):
        total = total + log(math.fabs(w[n + k * n + k]))
    return total


def logdet(a: Read, at: int, n: int, w: Array) -> float:
    """log det A, nan where it is negative."""
    total = logabsdet(a, at, n, w)
    return math.nan if det_sign(a, at, n, w) < 0.0 else total


def det_sign(a: Read, at: int, n: int, w: Array) -> float:
    """The sign of the determinant."""
    turn = factorised(a, at, n, w)
    for k in range(n):
        turn = turn * sign(w[n + k * n + k])
    return turn


def zero_if_finite(a: Read, at: int, n: int) -> float:
    """0, or nan where one of n entries is not finite."""
    zero = 0.0
    for k in range(n):
        zero = zero + a[at + k] * 0.0
    return zero


def cofactor(a: Read, at: int, y: Array, yat: int, n: int, w: Array) -> None:
    """The matrix of cofactors, by elimination that exchanges rows and columns. w holds n (2 n + 1) numbers.

    P A Q = L U makes it that of L times that of U, the product of the pivots times U⁻ᵀ: divided by all pivots but the
    last, so that it is right for matrices of rank n - 1 as well. Of lower rank all minors are computed.
    """
    if n == 3:
        cross_products(a, at, y, yat)
    else:
        eliminated(a, at, y, yat, n, w)


def cross_products(a: Read, at: int, y: Array, yat: int) -> None:
    """Cofactors of a matrix of three rows, each the cross product of the two others."""
    size = zero_if_finite(a, at, 9)  # nan, as all cofactors are, where an entry is not finite
    for i in range(3):
        for j in range(3):
            p: int = at + (i + 1) % 3 * 3
            q: int = at + (i + 2) % 3 * 3
            b: int = (j + 1) % 3
            c: int = (j + 2) % 3
            y[yat + i * 3 + j] = a[p + b] * a[q + c] - a[p + c] * a[q + b] + size


def eliminated(a: Read, at: int, y: Array, yat: int, n: int, w: Array) -> None:
    """Cofactors by elimination; see ``cofactor``."""
    turn = 1.0 + zero_if_finite(a, at, n * n)  # nan, as all cofactors are, where an entry is not finite
    for k in range(n * n):
        w[n + k] = a[at + k]
        y[yat + k] = 0.0
    for i in range(n):
        y[yat + i * n + i] = 1.0
        w[i] = i
    rest: int = n
    for k in range(n):
        p: int = k
        q: int = k
        for i in range(k, n):
            for j in range(k, n):
                if math.fabs(w[n + i * n + j]) > math.fabs(w[n + p * n + q]):
                    p = i
                    q = j
        if p != k:
            turn = -turn
            swap_rows(w, n, n, k, p)
            swap_rows(y, yat, n, k, p)
        if q != k:
            turn = -turn
            swap_columns(w, 0, w, n, n, n, k, q)
        if not math.fabs(w[n + k * n + k]) > 1e-14 * math.fabs(w[n]):
            rest = rest - 1
        if w[n + k * n + k] != 0.0:
            for i in range(k + 1, n):
                t = w[n + i * n + k] / w[n + k * n + k]
                for j in range(k, n):
                    w[n + i * n + j] = w[n + i * n + j] - t * w[n + k * n + j]
                for j in range(n):
                    y[yat + i * n + j] = y[yat + i * n + j] - t * y[yat + k * n + j]
    if rest < n - 1 and turn == turn:
        minors(a, at, y, yat, n, w)
    else:
        unpivoted(w, y, yat, n, turn)


def unpivoted(w: Array, y: Array, at: int, n: int, turn: float) -> None:
    """Make cofactors of U in w behind n exchanged columns, and of P⁻¹ L in y."""
    product = turn
    for k in range(n - 1):
        product = product * w[n + k * n + k]
    base: int = n * (n + 1)
    last: int = n - 1
    for j in range(n):
        w[base + last * n + j] = product * y[at + last * n + j]
    for back in range(1, n):
        row: int = last - back
        for j in range(n):
            t = w[n + last * n + last] * product * y[at + row * n + j]
            for k in range(row + 1, n):
                t = t - w[n + row * n + k] * w[base + k * n + j]
            w[base + row * n + j] = t / w[n + row * n + row]
    for k in range(n):
        for j in range(n):
            y[at + j * n + int(w[k])] = w[base + k * n + j]


def minors(a: Read, at: int, y: Array, yat: int, n: int, w: Array) -> None:
    """Cofactors, each a determinant of order n - 1. w holds n (2 n + 1) numbers."""
    m: int = n - 1
    base: int = n * (n + 1)
    for i in range(n):
        for j in range(n):
            for r in range(m):
                for c in range(m):
                    w[base + r * m + c] = a[at + (r if r < i else r + 1) * n + (c if c < j else c + 1)]
            y[yat + i * n + j] = det(w, base, m, w) * (1.0 if (i + j) % 2 == 0 else -1.0)


def cholesky(a: Read, at: int, y: Array, yat: int, n: int) -> int:
    """The lower triangle L with L Lᵀ = A; 1 where A is not positive definite (§4.2)."""
    bad: int = 0
    for i in range(n):
        for j in range(i + 1):
            t = 0.0
            for k in range(j):
                t += y[yat + i * n + k] * y[yat + j * n + k]
            t = a[at + i * n + j] - t
            if j < i:
                y[yat + i * n + j] = div(t, y[yat + j * n + j])
            else:
                y[yat + i * n + i] = sqrt(t)
                if not t > 0.0:
                    bad = 1
        for j in range(i + 1, n):
            y[yat + i * n + j] = 0.0
    return bad


def eigh(a: Read, at: int, s: Array, sat: int, v: Array, vat: int, upper: int, n: int, w: Array) -> None:
    """Eigenvalues, ascending, and eigenvectors of a symmetric matrix, by Jacobi's rotations (§8.5)."""
    for i in range(n):
        for j in range(n):
            lower_: int = (i if i > j else j) * n + (j if i > j else i)
            upper_: int = (j if i > j else i) * n + (i if i > j else j)
            w[i * n + j] = a[at + (upper_ if upper == 1 else lower_)]
            v[vat + i * n + j] = 1.0 if i == j else 0.0
    for _ in range(60):
        off = 0.0
        for p in range(n):
            for q in range(p + 1, n):
                off = off + math.fabs(w[p * n + q])
                if w[p * n + q] != 0.0:
                    theta = (w[q * n + q] - w[p * n + p]) / (2.0 * w[p * n + q])
                    t = (1.0 if theta >= 0.0 else -1.0) / (math.fabs(theta) + sqrt(theta * theta + 1.0))
                    c = 1.0 / sqrt(t * t + 1.0)
                    rotate(w, 0, p, q, c, t * c, n, 1)
                    rotate(w, 0, p, q, c, t * c, n, 0)
                    rotate(v, vat, p, q, c, t * c, n, 0)
                    w[p * n + q] = 0.0
                    w[q * n + p] = 0.0
        if off == 0.0:
            break
    for k in range(n):
        s[sat + k] = w[k * n + k]
    for k in range(n):
        least: int = k
        for j in range(k + 1, n):
            if s[sat + j] < s[sat + least]:
                least = j
        swap_columns(s, sat, v, vat, n, n, k, least)


def swap_columns(s: Array, sat: int, v: Array, vat: int, rows: int, n: int, k: int, j: int) -> None:
    """Exchange two values and their columns."""
    t = s[sat + k]
    s[sat + k] = s[sat + j]
    s[sat + j] = t
    for i in range(rows):
        t = v[vat + i * n + k]
        v[vat + i * n + k] = v[vat + i * n + j]
        v[vat + i * n + j] = t


def rotate(m: Array, at: int, p: int, q: int, c: float, s: float, n: int, rows: int) -> None:
    """Turn two columns of a square matrix, or two rows."""
    for k in range(n):
        a: int = at + (p * n + k if rows == 1 else k * n + p)
        b: int = at + (q * n + k if rows == 1 else k * n + q)
        x = m[a]
        y = m[b]
        m[a] = c * x - s * y
        m[b] = s * x + c * y


def largest(x: Read, at: int, n: int) -> float:
    """The largest |x|."""
    best = 0.0
    for k in range(n):
        best = maximum(best, math.fabs(x[at + k]))
    return best


def matmul(a: Read, at: int, b: Read, bat: int, y: Array, yat: int, n: int) -> None:
    """Y = A B of square matrices."""
    for i in range(n):
        for j in range(n):
            y[yat + i * n + j] = 0.0
        for k in range(n):
            t = a[at + i * n + k]
            for j in range(n):
                y[yat + i * n + j] = y[yat + i * n + j] + t * b[bat + k * n + j]


def matrix_exp(a: Read, at: int, y: Array, yat: int, n: int, w: Array) -> None:
    """exp A, by Taylor's series of A/2ᵏ and k squarings. w holds 2 n n numbers."""
    size: int = n * n
    scale = largest(a, at, size) * n
    halvings: int = 0
    while scale > 0.25 and halvings < 2000:
        scale = scale / 2.0
        halvings = halvings + 1
    factor = math.pow(0.5, halvings)
    for i in range(n):
        for j in range(n):
            w[i * n + j] = 1.0 if i == j else 0.0
    for back in range(16):
        for k in range(size):
            w[size + k] = a[at + k] * factor / (16.0 - back)
        matmul(w, size, w, 0, y, yat, n)
        for k in range(size):
            w[k] = y[yat + k]
        for i in range(n):
            w[i * n + i] = w[i * n + i] + 1.0
    for _ in range(halvings):
        matmul(w, 0, w, 0, y, yat, n)
        for k in range(size):
            w[k] = y[yat + k]
    for k in range(size):
        y[yat + k] = w[k]
