"""Series of functions of matrices: the coefficients of t ↦ f(A(t)), at a cost that is quadratic in the order.

A determinant is eliminated as one of numbers is. Functions of a matrix keep products: of the matrix with A₀ on its
diagonal, A₁ above it, and so on, f has the coefficients of f(A(t)) in the same places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from symgrad.core.node import tensor_value
from symgrad.core.streams import Stream, add, each, given, less, product, scaled, slope, times, total
from symgrad.ops.contract import LETTERS, Einsum, matmul, mT, permute
from symgrad.ops.indexing.select import getitem
from symgrad.ops.protocol import shape, zeros_like
from symgrad.ops.shape import Expand, Reshape
from symgrad.ops.shapes.join import Cat, Stack

_ROWS = 3  # of the last block, whose determinant is written out, so that a matrix may lack so many in rank
_REGULAR = 1e8  # condition up to which cofactors are a determinant times an inverse
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
    value = a[0] if isinstance(a[0], np.ndarray) else tensor_value(a[0])
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


def _block(i: int | slice, j: int | slice) -> Callable[[Any], Any]:
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
        return times(1.0 / k, add([times(det[i], rate[k - 1 - i]) for i in range(k)]))

    det = Stream(follow, [of(a[0])])
    return det, inverted


def _written_out(a: Stream, n: int) -> Stream:
    """Expand along the first row."""
    return _minor(_Entries([a]), tuple(range(n)), tuple(range(n)))[frozenset()]


def cofactors(first: Any, xs: Sequence[Stream], of: Callable[[Any], Any], inverse: Callable[[Any], Any]) -> Any:
    """Return the series of the cofactors of A, or of their derivative along directions H, of xs = A, H₁, ….

    NotImplemented where a matrix of more than three rows is close to a singular one.
    """
    a, *hs = xs
    n, whole = shape(a[0])[-1], frozenset(range(1, len(xs)))
    if n <= _ROWS:
        terms = _by_minors(_Entries(xs), n, whole)
    elif _is_singular(a[0]):
        return NotImplemented
    else:
        terms = each(mT, _of_inverse(*_by_inverse(a, of, inverse(a[0])), hs, whole))
    return Stream(terms.__getitem__, [first])


def _is_singular(a: Any) -> bool:
    value = a if isinstance(a, np.ndarray) else tensor_value(a)
    return value is not None and not np.all(np.linalg.cond(value) < _REGULAR)


_Part = dict[frozenset[int], Stream]  # what multiplies each product of ε₁, ε₂, …, whose squares are 0


class _Entries:
    """The entries of A + ε₁H₁ + …."""

    def __init__(self, xs: Sequence[Stream]) -> None:
        self.xs = xs

    def at(self, i: int, j: int) -> _Part:
        """Return entry i, j."""
        return {frozenset([k] if k else []): each(_block(i, j), u) for k, u in enumerate(self.xs)}


def _times(u: _Part, v: _Part) -> _Part:
    products: dict[frozenset[int], list[Stream]] = {}
    for s, p in u.items():
        for t, q in v.items():
            if not s & t:
                products.setdefault(s | t, []).append(product(p, q))
    return {s: total(parts) for s, parts in products.items()}


def _minor(e: _Entries, rows: tuple[int, ...], columns: tuple[int, ...]) -> _Part:
    """Expand the determinant of these rows and columns along the first one."""
    if not rows:
        return {frozenset(): given([1.0])}
    parts: dict[frozenset[int], list[Stream]] = {}
    for k, j in enumerate(columns):
        one = e.at(rows[0], j)
        term = one if len(rows) == 1 else _times(one, _minor(e, rows[1:], columns[:k] + columns[k + 1 :]))
        for s, u in term.items():
            parts.setdefault(s, []).append(scaled(-1.0, u) if k % 2 else u)
    return {s: total(us) for s, us in parts.items()}


def _by_minors(e: _Entries, n: int, whole: frozenset[int]) -> Stream:
    """Return the cofactors entry by entry; ``whole`` says which part of the series."""
    to = shape(e.xs[0][0])
    every = range(n)
    minors = {
        (i, j): _minor(e, tuple(k for k in every if k != i), tuple(k for k in every if k != j)).get(whole)
        for i in every
        for j in every
    }

    def follow(k: int) -> Any:
        coefficients = {at: None if u is None else u[k] for at, u in minors.items()}
        if all(c is None for c in coefficients.values()):
            return None
        zero = np.zeros(to[:-2])
        signed = [
            Expand(to[:-2])(zero if c is None else -1.0 * c if sum(at) % 2 else c) for at, c in coefficients.items()
        ]
        return Reshape(to)(Stack(len(to) - 2)(*signed))

    return Stream(follow)


def _of_inverse(d: Stream, z: Stream, hs: Sequence[Stream], whole: frozenset[int]) -> Stream:
    """Return the part of det(A + Σ εH)·(A + Σ εH)⁻¹, of det A and A⁻¹.

    The inverse's part Z_S is −Z Σ Hᵢ Z_{S∖i}, and that of the determinant Σ d_T tr(Z_{S∖i∖T} Hᵢ) for one i of S.
    """
    batch = LETTERS[2 : len(shape(z[0]))]
    trace = Einsum.of(f"{batch}ab,{batch}ba->{batch}")
    inverse: _Part = {frozenset(): z}
    number: _Part = {frozenset(): d}
    for s in _subsets(whole)[1:]:
        moved = total([product(hs[i - 1], inverse[s - {i}], matmul) for i in sorted(s)])
        inverse[s] = scaled(-1.0, product(z, moved, matmul))
        last = max(s)
        rest = s - {last}
        rates = [product(number[t], product(inverse[rest - t], hs[last - 1], trace)) for t in _subsets(rest)]
        number[s] = total(rates)
    return total([product(number[t], inverse[whole - t], _per_matrix) for t in _subsets(whole)])


def _subsets(s: frozenset[int]) -> list[frozenset[int]]:
    """Return all subsets, smaller ones first."""
    return [frozenset(c) for size in range(len(s) + 1) for c in combinations(sorted(s), size)]


def _per_matrix(d: Any, z: Any) -> Any:
    return (Reshape((*shape(d), 1, 1))(d) if shape(d) else d) * z


# ------------------------------------------------------------------ functions of a matrix
def enlarged(xs: Sequence[Stream]) -> Stream:
    """Return the series of [[A, H], [0, A]], blocks of blocks: f of it has Df(A)[H₁, …] in its upper right corner."""
    blocks = xs[0]
    for k, h in enumerate(xs[1:]):
        for _ in range(k):
            h = _in_blocks(h, None)
        blocks = _in_blocks(blocks, h)
    return blocks


def _in_blocks(a: Stream, h: Stream | None) -> Stream:
    """Return [[A, H], [0, A]]."""

    def follow(k: int) -> Any:
        parts = [a[k], None if h is None else h[k]]
        if all(p is None for p in parts):
            return None
        zero = zeros_like(next(p for p in parts if p is not None))
        one, corner = (zero if p is None else p for p in parts)
        axis = len(shape(zero)) - 1
        return Cat(axis - 1)(Cat(axis)(one, corner), Cat(axis)(zero, one))

    return Stream(follow)


def corner(u: Stream, first: Any) -> Stream:
    """Return the upper right corners, given the first one."""
    n = shape(first)[-1]
    blocks = each(lambda c: getitem(c, (..., slice(0, n), slice(shape(c)[-1] - n, None))), u)
    return Stream(blocks.__getitem__, [first])


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
