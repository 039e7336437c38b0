"""Factorisations of arrays, computed once for all the operations that read a part of them, and their 2×2 formulas.

Eigenvectors and singular vectors are fixed up to a sign only: parts of one factorisation must come from one call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.errors import FormError, LinAlgError
from symgrad.ops.linalg.square import taken
from symgrad.ops.map import show_shape

Factors = tuple[Any, ...]
_KEPT = 2  # factorisations that are remembered


def once(name: str, compute: Callable[..., Any]) -> Callable[..., Factors]:
    """Return a factorisation of an array, with options, that the next calls with the same numbers share."""

    @lru_cache(maxsize=_KEPT)
    def known(sizes: Shape, dtype: Any, content: bytes, *options: Any) -> Factors:
        return tuple(compute(np.frombuffer(content, dtype).reshape(sizes), *options))

    def factors(x: Any, *options: Any) -> Factors:
        x = taken(name, x)
        _check_finite(name, x)
        return tuple(f.copy() for f in known(x.shape, x.dtype, x.tobytes(), *options))

    return factors


def _check_finite(name: str, x: Any) -> None:
    bad = ~np.isfinite(x).all((-2, -1)).ravel()
    if bad.any():
        where = f"(Batch element {int(np.argmax(bad))}): " if x.ndim > 2 else ""
        raise LinAlgError(
            f"{name}: {where}The algorithm failed to converge because the input matrix contained non-finite values. "
            f"Got shape {show_shape(x.shape)}; look for nan and inf before."
        )


eigh = once("linalg.eigh", lambda x, upper: np.linalg.eigh(x, "U" if upper else "L"))
svd = once("linalg.svd", lambda x, full: np.linalg.svd(x, full_matrices=full))
qr = once("linalg.qr", lambda x: np.linalg.qr(x))
eig = once("linalg.eig", lambda x: np.linalg.eig(x.astype(np.result_type(x, np.complex64))))


# ------------------------------------------------------------------ on symbols
def each_matrix(x: Any, fn: Callable[[sp.Matrix], Any], to: Shape) -> Any:
    """Apply fn to each matrix of an object array; its results have the last axes of ``to``."""
    x = np.asarray(x, dtype=object)
    lead = x.shape[:-2]
    out = np.empty(to, dtype=object)
    for at in np.ndindex(lead):
        out[at] = np.asarray(fn(sp.Matrix(*x.shape[-2:], list(x[at].flat))), dtype=object).reshape(to[len(lead) :])
    return out


def no_formula(what: str, n: int) -> FormError:
    """Return the error for matrices whose entries have no formula."""
    return FormError(
        f"{what}: the entries of a matrix with {n} rows have no formula that one would write. "
        "Use the matrix or index notation, or matrices of at most two rows."
    )


def symmetric_2x2(a: sp.Matrix) -> tuple[Any, Any]:
    """Return the eigenvalues, ascending, and eigenvectors of a symmetric matrix of at most two rows: half the angle."""
    if a.rows < 2:
        return a, sp.eye(a.rows)
    if a.rows > 2:
        raise no_formula("eigh", a.rows)
    p, b, q = a[0, 0], a[1, 0], a[1, 1]
    mean, radius, angle = (p + q) / 2, sp.sqrt(((p - q) / 2) ** 2 + b**2), sp.atan2(2 * b, p - q) / 2
    c, s = sp.cos(angle), sp.sin(angle)
    return sp.Matrix([mean - radius, mean + radius]), sp.Matrix([[-s, c], [c, s]])


def singular_2(x: sp.Matrix) -> tuple[Any, Any, Any]:
    """U, the singular values and V of a matrix with at most two rows or columns."""
    if x.rows > x.cols:
        v, s, u = singular_2(x.T)
        return u, s, v
    values, vectors = symmetric_2x2(x * x.T)
    s = [sp.sqrt(e) for e in list(values)[::-1]]
    u = vectors[:, ::-1]
    return u, sp.Matrix(s), x.T * u * sp.diag(*[1 / e for e in s])


def reflected(x: sp.Matrix) -> tuple[Any, Any]:
    """Q and R of a matrix with at least as many rows as columns, by Householder's reflections as LAPACK does."""
    if x.cols > 2:
        raise no_formula("qr", x.cols)
    q, r = sp.eye(x.rows), x
    for k in range(min(x.cols, x.rows - 1)):
        below = r[k:, k]
        beta = -sp.sign(below[0]) * sp.sqrt(sum(e**2 for e in below))
        v = sp.Matrix([below[0] - beta, *below[1:]])
        turn = sp.eye(x.rows)
        turn[k:, k:] = sp.eye(len(below)) - 2 * v * v.T / (v.T * v)[0]
        q, r = q * turn, turn * r
    return q[:, : x.cols], sp.Matrix(x.cols, x.cols, lambda i, j: r[i, j] if i <= j else 0)
