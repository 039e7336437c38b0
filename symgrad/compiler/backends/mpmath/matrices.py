"""Factorisations of matrices of numbers with error bounds: by elimination, or from mpmath and then measured.

Eigenvectors come from mpmath without a bound. What is left of A V - V Λ and of VᵀV - 1 bounds the error of all
eigenvalues, and divided by the distance to the next eigenvalue that of the vectors.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from mpmath import libmp

from symgrad.compiler.backends.mpmath.expressions import largest
from symgrad.compiler.backends.mpmath.number import ZERO, Ball, Field, root
from symgrad.errors import LinAlgError


def product(a: Any, b: Any) -> Any:
    """The product of matrices."""
    return np.dot(a, b)


def identity(field: Field, n: int) -> Any:
    """The identity, as an array of numbers."""
    return numbers(field, np.eye(n, dtype=int))


def numbers(field: Field, x: Any) -> Any:
    """An array of numbers with error bounds."""
    x = np.asarray(x)
    out = np.empty(x.shape, dtype=object)
    for at in np.ndindex(x.shape):
        out[at] = field.number(x[at])
    return out


def floats(x: Any) -> Any:
    """The nearest floats: for what is a matter of convention, such as the directions of eigenvectors."""
    return np.asarray(np.frompyfunc(Ball.nearest, 1, 1)(x), np.float64)


# ------------------------------------------------------------------ elimination
def eliminated(a: Any) -> tuple[Any, Any, int]:
    """L and U in one matrix, the order of the rows, and the sign of that order; a column of zeros is left."""
    a, n = a.copy(), len(a)
    order, sign = np.arange(n), 1
    for j in range(n):
        p = j + int(np.argmax([abs(float(libmp.to_float(libmp.mpf_abs(x.mid)))) for x in _scaled(a[j:, j])]))
        if p != j:
            a[[j, p]], order[[j, p]], sign = a[[p, j]], order[[p, j]], -sign
        if a[j, j].straddles or a[j, j].is_unknown or a[j, j].sign() == 0:
            continue
        a[j + 1 :, j] = a[j + 1 :, j] / a[j, j]
        a[j + 1 :, j + 1 :] = a[j + 1 :, j + 1 :] - np.multiply.outer(a[j + 1 :, j], a[j, j + 1 :])
    return a, order, sign


def _scaled(column: Any) -> list[Ball]:
    """The column by a power of 2, so that its entries fit into floats."""
    tops = [x.mid[2] + x.mid[3] for x in column if x.mid != ZERO and x.mid[3]]
    shift = -max(tops, default=0)
    return [Ball(x.field, libmp.mpf_shift(x.mid, shift)) for x in column]


def determinant(a: Any) -> Ball:
    """The product of the pivots; a pivot of which only a bound is known counts with it."""
    field: Field = a[0, 0].field
    own = field.determinant(a)
    if own is not None:
        return own
    lu, _, sign = eliminated(a)
    return field.number(sign * reduce(lambda x, y: x * y, np.diagonal(lu)))


def solved(a: Any, b: Any, name: str) -> Any:
    """X with A X = B, B (n, k)."""
    lu, order, _ = eliminated(a)
    x = b[order]
    if any(pivot.is_unknown or pivot.straddles for pivot in np.diagonal(lu)):
        return np.full(x.shape, a[0, 0].field.unknown(), dtype=object)
    for i in range(len(a)):
        x[i] = x[i] - _sum(lu[i, j] * x[j] for j in range(i))
    for i in reversed(range(len(a))):
        if lu[i, i].sign() == 0:
            raise LinAlgError(f"{name}: the matrix is singular. Its rows are linearly dependent.")
        x[i] = (x[i] - _sum(lu[i, j] * x[j] for j in range(i + 1, len(a)))) / lu[i, i]
    return x


def _sum(terms: Any) -> Any:
    return sum(terms, start=0)


def inverse(a: Any, name: str = "linalg.inv") -> Any:
    """Return the inverse A⁻¹."""
    return solved(a, identity(a[0, 0].field, len(a)), name) if len(a) else a


def cholesky(a: Any) -> Any:
    """L with L Lᵀ = A, row by row; the lower triangle is examined."""
    factor = np.full(a.shape, a[0, 0].field.number(0) if len(a) else 0, dtype=object)
    for i in range(len(a)):
        for j in range(i + 1):
            rest = a[i, j] - _sum(factor[i, k] * factor[j, k] for k in range(j))
            if i == j and rest <= 0:
                raise LinAlgError("linalg.cholesky: the matrix is not positive-definite.")
            factor[i, j] = root(rest) if i == j else rest / factor[j, j]
    return factor


# ------------------------------------------------------------------ eigenvalues
def eigen(a: Any, like: Any) -> tuple[Any, Any]:
    """The eigenvalues, ascending, and eigenvectors of a symmetric matrix; vectors in the directions of ``like``."""
    if not len(a):
        return a[0] if a.ndim > 2 else a.reshape(0), a
    field = a[0, 0].field
    values, vectors = _approximate(field, a)
    vectors = vectors * np.where((like * floats(vectors)).sum(0) < 0, -1, 1)
    left = product(a, vectors) - vectors * values
    skew = product(vectors.T, vectors) - identity(field, len(a))
    # V = Q (1 + E) with ‖E‖ ≤ ‖VᵀV - 1‖; by Weyl all eigenvalues are within ‖A Q - Q Λ‖
    scale = Ball(field, _size([*a.flat, *values]))
    error = _size([*left.flat, Ball(field, _size(skew.flat)) * scale])
    values = np.array([Ball(field, v.mid, error) for v in values], dtype=object)
    for j in range(len(a)):
        rad = libmp.mpf_add(_turned(field, values, j, error), _size(skew.flat), 30, "u")
        vectors[:, j] = [Ball(field, v.mid, rad) for v in vectors[:, j]]
    return values, vectors


def _approximate(field: Field, a: Any) -> tuple[Any, Any]:
    context = field.context
    context.prec = field.bits + 2 * len(a) + 40
    matrix = context.matrix([[context.make_mpf(x.mid) for x in row] for row in a])
    values, vectors = context.eigsy(matrix)
    n = range(len(a))
    return (
        np.array([Ball(field, values[k]._mpf_) for k in n], dtype=object),
        np.array([[Ball(field, vectors[i, j]._mpf_) for j in n] for i in n], dtype=object),
    )


def _size(column: Any) -> Any:
    """A bound on ‖x‖, twice as large as it must be."""
    total = _sum(abs(x) for x in column)
    return libmp.mpf_shift(libmp.mpf_add(libmp.mpf_abs(total.mid), total.rad, 30, "u"), 1)


def _turned(field: Field, values: Any, j: int, error: Any) -> Any:
    """A bound on the error of eigenvector j: what is left over, divided by the distance to the other eigenvalues."""
    if error == ZERO:
        error = libmp.mpf_shift(libmp.fone, -field.bits)
    gaps = [abs(values[j] - v) for k, v in enumerate(values) if k != j]
    least = [libmp.mpf_sub(g.mid, g.rad, 30, "d") for g in gaps]
    if any(libmp.mpf_le(g, ZERO) for g in least):
        return libmp.finf
    return max([libmp.mpf_shift(libmp.mpf_div(error, g, 30, "u"), 1) for g in least] or [ZERO], key=libmp.to_rational)


def singular(a: Any, left: Any, right: Any) -> tuple[Any, Any, Any]:
    """U, s descending, and V, from the eigenvectors (u, v)/√2 of [[0, A], [Aᵀ, 0]]; directions as in the floats."""
    m, n = a.shape
    k, field = min(m, n), a.flat[0].field
    whole = numbers(field, np.zeros((m + n, m + n), dtype=int))
    whole[:m, m:], whole[m:, :m] = a, a.T
    like = np.zeros((m + n, m + n))
    like[:, m + n - k :] = np.concatenate([left[:, :k], right[:, :k]])[:, ::-1]
    values, vectors = eigen(whole, like)
    vectors = vectors[:, ::-1][:, :k] * root(field.number(2))
    return vectors[:m], values[::-1][:k], vectors[m:]


def exponential(a: Any) -> Any:
    """Σ Aᵏ/k! of A/2ˢ, squared s times; the rest of the sum is an error."""
    field = a[0, 0].field
    size = reduce(largest, [_sum(abs(x) for x in row) for row in a])
    top = _size([size])
    halvings = max(0, 8 + top[2] + top[3]) if top != ZERO else 0
    a = a / field.number(2**halvings)
    term = matrix = identity(field, len(a))
    k = 0
    while k < 2 or 8 * k < field.bits:  # ‖A‖ is at most 2⁻⁷: each term is 2⁻⁷/k of the last
        k += 1
        term = product(term, a) / k
        matrix = matrix + term
    rest = libmp.mpf_shift(libmp.fone, -7 * k)
    matrix = np.array([[Ball(field, x.mid, libmp.mpf_add(x.rad, rest, 30, "u")) for x in row] for row in matrix])
    for _ in range(halvings):
        matrix = product(matrix, matrix)
    return matrix
