"""Series of functions of matrices: the coefficients of t ↦ f(A(t)), at a cost that is quadratic in the order.

A determinant is eliminated as one of numbers is. Functions of a matrix keep products: of the matrix with A₀ on its
diagonal, A₁ above it, and so on, f has the coefficients of f(A(t)) in the same places.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad.core.streams import Stream, add, each, given, less, product, scaled, slope, times, total
from symgrad.ops.contract import LETTERS, Einsum, matmul, permute
from symgrad.ops.indexing.select import getitem
from symgrad.ops.protocol import shape, zeros_like
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import Stack

_ROWS = 3  # of the last block, whose determinant is written out, so that a matrix may lack so many in rank
_ENDS = slice(None, -_ROWS), slice(-_ROWS, None)


# ------------------------------------------------------------------ determinants
def determinant(a: Stream, of: Callable[[Any], Any], inverse: Callable[[Any], Any]) -> Any:
    """Return the series of det A, of singular A₀ too; NotImplemented where more than three are lacking in its rank.

    Args:
        a: the series of A, (…, n, n).
        of, inverse: the determinant and the inverse of a matrix.
    """
    n = shape(a[0])[-1]
    if n <= _ROWS:
        return _written_out(a, n)
    value = a[0] if isinstance(a[0], np.ndarray) else a[0]._value
    if value is None:
        return _by_inverse(a, of, inverse(a[0]))[0]
    # A₀ = U S Vᴴ: det A = det U Vᴴ · det UᴴAV, whose first coefficient is diagonal, with the smallest values last
    u, s, vh = np.linalg.svd(value)
    if np.any(s[..., -_ROWS - 1] <= n * np.finfo(s.dtype).eps * s[..., 0]):
        return NotImplemented
    sign = np.linalg.det(u) * np.linalg.det(vh)
    left, right = u.conj().mT, vh.conj().mT
    turned = each(lambda c: matmul(matmul(left, c), right), a)
    first, right_of, below, last = (each(_block(i, j), turned) for i in _ENDS for j in _ENDS)
    leading, inverted = _by_inverse(first, of, inverse(first[0]))
    # det [[P, Q], [R, S]] = det P · det(S − R P⁻¹ Q)
    change = product(below, product(inverted, right_of, matmul), matmul)
    small = _written_out(total([last, scaled(-1.0, change)]), _ROWS)
    return scaled(sign, product(leading, small))


def _block(i: slice, j: slice) -> Callable[[Any], Any]:
    return lambda c: getitem(c, (..., i, j))


def _by_inverse(a: Stream, of: Callable[[Any], Any], inverse: Any) -> tuple[Stream, Stream]:
    """Return det A by d' = d·tr(A⁻¹A'), and A⁻¹ by A⁻¹A = I."""
    batch = LETTERS[2 : len(shape(a[0]))]
    trace = Einsum.of(f"{batch}ab,{batch}ba->{batch}")

    def invert(k: int) -> Any:
        known = add([times(a[i], inverted[k - i], matmul) for i in range(1, k + 1)])
        return times(inverse, less(None, known), matmul)

    inverted = Stream(invert, [inverse])
    rate = product(inverted, slope(a), trace)

    def follow(k: int) -> Any:
        return times(1.0 / k, add([times(found[i], rate[k - 1 - i]) for i in range(k)]))

    found = Stream(follow, [of(a[0])])
    return found, inverted


def _written_out(a: Stream, n: int) -> Stream:
    """Expand along the first row."""

    def entry(i: int, j: int) -> Stream:
        return each(lambda c: getitem(c, (..., i, j)), a)

    def minor(i: int, columns: tuple[int, ...]) -> Stream:
        if not columns:
            return given([1.0])
        parts = []
        for k, j in enumerate(columns):
            part = (
                entry(i, j) if len(columns) == 1 else product(entry(i, j), minor(i + 1, columns[:k] + columns[k + 1 :]))
            )
            parts.append(scaled(-1.0, part) if k % 2 else part)
        return total(parts)

    return minor(0, tuple(range(n)))


# ------------------------------------------------------------------ functions of a matrix
def toeplitz(a: Stream, order: int) -> Any:
    """Return the matrix of blocks with A₀ on its diagonal, A₁ above it, and so on: its products are those of series."""
    first = a[0]
    zero = zeros_like(first)
    layers = [zero if c is None else c for c in (a[j] for j in range(order + 1))]
    lead, n, m = shape(first)[:-2], shape(first)[-1], order + 1
    step = np.arange(m)
    places = np.where(step >= step[:, None], step - step[:, None], m)
    blocks = getitem(Stack(0)(*layers, zero), places)  # (m, m, …, n, n)
    d = len(lead)
    side_by_side = permute(blocks, (*range(2, 2 + d), 0, d + 2, 1, d + 3))
    return Reshape((*lead, m * n, m * n))(side_by_side)


def of_matrix(first: Any, f: Callable[[Any], Any], a: Stream, order: int | None) -> Stream:
    """Return the series of a function of a matrix that ``f`` computes of large matrices as well."""
    n, known = shape(first)[-1], {}

    def follow(k: int) -> Any:
        most = k if order is None else order
        if most not in known:
            known[most] = getitem(f(toeplitz(a, most)), (..., slice(0, n), slice(None)))
        return getitem(known[most], (..., slice(None), slice(k * n, (k + 1) * n)))

    return Stream(follow, [first])


def of_inverse(first: Any, f: Callable[[Any], Any], back: Callable[[Any], Any], a: Stream) -> Stream:
    """Return the series of y with f(y) = A: of f(y) only f'(y₀)·yₖ is not known, and ``back`` undoes f'(y₀)."""
    n = shape(first)[-1]

    def follow(k: int) -> Any:
        below = Stream(lambda j: y[j] if j < k else None)
        most = getitem(f(toeplitz(below, k)), (..., slice(0, n), slice(k * n, None)))
        return back(less(a[k], most))

    y = Stream(follow, [first])
    return y


def root(first: Any, solve: Callable[[Any], Any], a: Stream) -> Stream:
    """Return the series of X with X X = A, where ``solve`` solves X₀ Y + Y X₀ = C."""

    def follow(k: int) -> Any:
        known = add([times(x[i], x[k - i], matmul) for i in range(1, k)])
        right = less(a[k], known)
        return None if right is None else solve(right)

    x = Stream(follow, [first])
    return x
