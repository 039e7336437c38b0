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


def factorise(a: Read, at: int, w: Array, wat: int, n: int, row: Array) -> None:
    """Factorise a matrix: w gets n (n + 1) + 3 numbers, row holds n.

    These are the rows exchanged; L below U, or a lower triangle as it is; the sign of the exchanges; whether it is such
    a triangle; and 0, or nan where an entry is not finite.
    """
    end: int = wat + n * (n + 1)
    for k in range(n * n):
        w[wat + n + k] = a[at + k]
    for k in range(n):
        w[wat + k] = k
    w[end] = 1.0
    w[end + 1] = float(has_zeros(a, at, n, 1))
    w[end + 2] = zero_if_finite(a, at, n * n)
    if w[end + 1] == 0.0 and has_zeros(a, at, n, 0) == 0:
        w[end] = lu(w, wat, n, row)


def lu(w: Array, at: int, n: int, row: Array) -> float:
    """Factorise the matrix in w behind n numbers, which become the rows exchanged; return their sign (§3.4).

    row holds n numbers. Rows of few columns change as a whole, by 0 on the left: loops of one length have vectors.
    """
    turn = 1.0
    base: int = at + n
    for k in range(n):
        best: int = pivot_row(w, base, n, k)
        w[at + k] = best
        if best != k:
            turn = -turn
            swap_rows(w, base, n, k, best)
        pivot = w[base + k * n + k]
        if pivot != 0.0:
            for j in range(n):
                row[j] = w[base + k * n + j]
            for j in range(k + 1):
                row[j] = 0.0
            for i in range(k + 1, n):
                t = w[base + i * n + k] / pivot
                for j in range(k + 1 if n > 32 else 0, n):
                    w[base + i * n + j] = w[base + i * n + j] - t * row[j]
                w[base + i * n + k] = t
    return turn


def pivot_row(w: Read, at: int, n: int, k: int) -> int:
    """The row from the k-th on with the largest entry in column k."""
    best: int = k
    most = math.fabs(w[at + k * n + k])
    for i in range(k + 1, n):
        size = math.fabs(w[at + i * n + k])
        best = i if size > most else best
        most = size if size > most else most
    return best


def swap_rows(m: Array, at: int, columns: int, i: int, j: int) -> None:
    """Exchange two rows."""
    for k in range(columns):
        t = m[at + i * columns + k]
        m[at + i * columns + k] = m[at + j * columns + k]
        m[at + j * columns + k] = t


def solve(
    w: Read, at: int, b: Read, bat: int, x: Array, xat: int, n: int, m: int, transposed: int
) -> int:  # fmt: skip
    """Solve A X = B, or AᵀX = B, with the factors of A; 1 where A is singular or not finite."""
    for k in range(n * m):
        x[xat + k] = b[bat + k]
    return solve_lu(w, at, n, x, xat, m, transposed)


def solve_lu(w: Read, at: int, n: int, x: Array, xat: int, m: int, transposed: int) -> int:
    """Solve with factors; x holds the right-hand sides, and then the solutions."""
    base: int = at + n
    end: int = base + n * n
    if w[end + 1] == 1.0:
        substitute(w, base, n, transposed, transposed, 0, x, xat, m)
    elif transposed == 1:
        substitute(w, base, n, 1, 0, 0, x, xat, m)
        substitute(w, base, n, 1, 1, 1, x, xat, m)
        for k in range(n):
            swap_rows(x, xat, m, n - 1 - k, int(w[at + n - 1 - k]))
    else:
        for k in range(n):
            swap_rows(x, xat, m, k, int(w[at + k]))
        substitute(w, base, n, 0, 0, 1, x, xat, m)
        substitute(w, base, n, 0, 1, 0, x, xat, m)
    bad: int = 0 if w[end + 2] == 0.0 else 1
    for k in range(n):
        if w[base + k * n + k] == 0.0:
            bad = 1
    return bad


def substitute(
    w: Read, at: int, n: int, transposed: int, back: int, unit: int, x: Array, xat: int, m: int
) -> None:  # fmt: skip
    """Solve T X = B in place of B, T a triangle or its transpose, from the last row on if ``back``.

    ``unit``: as if all were 1 on its diagonal.
    """
    down: int = 1 if transposed == 1 else n
    across: int = n if transposed == 1 else 1
    for step in range(n):
        i: int = n - 1 - step if back == 1 else step
        for k in range(i + 1 if back == 1 else 0, n if back == 1 else i):
            t = w[at + i * down + k * across]
            for j in range(m):
                x[xat + i * m + j] = x[xat + i * m + j] - t * x[xat + k * m + j]
        if unit == 0:
            divide_row(x, xat + i * m, m, w[at + i * n + i])


def divide_row(x: Array, at: int, m: int, d: float) -> None:
    """Divide m numbers: by multiplication, as LAPACK does, where the inverse is a normal number."""
    if m > 1 and math.fabs(d) > 1e-280 and math.fabs(d) < 1e300:
        t = 1.0 / d
        for j in range(m):
            x[at + j] = x[at + j] * t
    else:
        for j in range(m):
            x[at + j] = div(x[at + j], d)


def has_zeros(w: Read, at: int, n: int, above: int) -> int:
    """Whether a matrix has nothing above the diagonal, or below."""
    for i in range(1, n):
        for j in range(i):
            if w[at + (j * n + i if above == 1 else i * n + j)] != 0.0:
                return 0
    return 1


def inverse(w: Read, at: int, x: Array, xat: int, n: int) -> int:
    """Invert, with the factors; 1 where A is singular or not finite."""
    for i in range(n):
        for j in range(n):
            x[xat + i * n + j] = 1.0 if i == j else 0.0
    return solve_lu(w, at, n, x, xat, n, 0)


def det(a: Read, at: int, n: int, w: Array, row: Array) -> float:
    """Return the determinant. w holds n (n + 1) numbers, row n."""
    for k in range(n * n):
        w[n + k] = a[at + k]
    product = lu(w, 0, n, row)
    for k in range(n):
        product = product * w[n + k * n + k]
    return product


def logabsdet(w: Read, at: int, n: int) -> float:
    """log |det A|, with the factors."""
    total = 0.0
    for k in range(n):
        total = total + log(math.fabs(w[at + n + k * n + k]))
    return total


def logdet(w: Read, at: int, n: int) -> float:
    """log det A, nan where it is negative, with the factors."""
    return math.nan if det_sign(w, at, n) < 0.0 else logabsdet(w, at, n)


def det_sign(w: Read, at: int, n: int) -> float:
    """The sign of the determinant, with the factors."""
    turn = w[at + n * (n + 1)]
    for k in range(n):
        turn = turn * sign(w[at + n + k * n + k])
    return turn


def zero_if_finite(a: Read, at: int, n: int) -> float:
    """0, or nan where one of n entries is not finite."""
    zero = 0.0
    for k in range(n):
        zero += a[at + k] * 0.0
    return zero


def cofactor(a: Read, at: int, y: Array, yat: int, n: int, w: Array, row: Array) -> None:
    """The matrix of cofactors, by elimination that exchanges rows and columns. w holds n (2 n + 1) numbers, row n.

    P A Q = L U makes it that of L times that of U, the product of the pivots times U⁻ᵀ: divided by all pivots but the
    last, so that it is right for matrices of rank n - 1 as well. Of lower rank all minors are computed.
    """
    if n == 3:
        cross_products(a, at, y, yat)
    else:
        eliminated(a, at, y, yat, n, w, row)


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


def eliminated(a: Read, at: int, y: Array, yat: int, n: int, w: Array, row: Array) -> None:
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
        minors(a, at, y, yat, n, w, row)
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


def minors(a: Read, at: int, y: Array, yat: int, n: int, w: Array, row: Array) -> None:
    """Cofactors, each a determinant of order n - 1. w holds n (2 n + 1) numbers, row n."""
    m: int = n - 1
    base: int = n * (n + 1)
    for i in range(n):
        for j in range(n):
            for r in range(m):
                for c in range(m):
                    w[base + r * m + c] = a[at + (r if r < i else r + 1) * n + (c if c < j else c + 1)]
            y[yat + i * n + j] = det(w, base, m, w, row) * (1.0 if (i + j) % 2 == 0 else -1.0)


def cholesky(a: Read, at: int, y: Array, yat: int, n: int, row: Array) -> int:
    """The lower triangle L with L Lᵀ = A; 1 where A is not positive definite (§4.2). row holds n numbers."""
    bad: int = 0
    if n > 4:
        bad = cholesky_by_columns(a, at, y, yat, n, row)
    else:
        for i in range(n):
            for j in range(i + 1):
                t = a[at + i * n + j]
                for k in range(j):
                    t = t - y[yat + i * n + k] * y[yat + j * n + k]
                y[yat + i * n + j] = div(t, y[yat + j * n + j]) if j < i else sqrt(t)
                if j == i and not t > 0.0:
                    bad = 1
    for i in range(n):
        for j in range(i + 1, n):
            y[yat + i * n + j] = 0.0
    return bad


def cholesky_by_columns(a: Read, at: int, y: Array, yat: int, n: int, row: Array) -> int:
    """Cholesky's factorisation, a column after the other, which writes above the diagonal too.

    Rows of few columns change as a whole, by 0 on the left: loops of one length have vectors.
    """
    bad: int = 0
    for k in range(n * n):
        y[yat + k] = a[at + k]
    for k in range(n):
        row[k] = 0.0
    for k in range(n):
        d = y[yat + k * n + k]
        if not d > 0.0:
            bad = 1
        y[yat + k * n + k] = sqrt(d)
        d = div(1.0, sqrt(d))
        row[k] = 0.0
        for i in range(k + 1, n):
            row[i] = y[yat + i * n + k] * d
            y[yat + i * n + k] = row[i]
        for i in range(k + 1, n):
            t = row[i]
            for j in range(k + 1 if n > 32 else 0, i + 1 if n > 32 else n):
                y[yat + i * n + j] = y[yat + i * n + j] - t * row[j]
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
