"""What sources for NumPy call: operations that are more than one word of it. Read as text, and put in front.

A function here imports what it needs of symgrad's kernels; the exported text holds them too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.ops.linalg.determinant import _diagonal_case
from symgrad.ops.linalg.expm import _blocks, _exponential
from symgrad.ops.linalg.norms import _p_norm as norm
from symgrad.ops.linalg.pseudoinverse import _threshold
from symgrad.scalars.bessel import i0, i0e, i1, i1e, sinc, sinc_slope, tanhshrink
from symgrad.scalars.besselj import besselj, zeta
from symgrad.scalars.normal import erfcx, log_ndtr, logit, ndtr, ndtri
from symgrad.scalars.numerics import (
    digamma,
    entr,
    erf,
    erfc,
    erfinv,
    lgamma,
    logsigmoid,
    polygamma,
    sigmoid,
    softplus,
    xlog1py,
    xlogy,
)
from symgrad.scalars.stable import _bce_kernel as bce_logits
from symgrad.scalars.stable import _softsign_kernel as softsign

KERNELS = (
    bce_logits, besselj, digamma, entr, erf, erfc, erfcx, erfinv, i0, i0e, i1, i1e, lgamma, log_ndtr, logit,
    logsigmoid, ndtr, ndtri, norm, polygamma, sigmoid, sinc, sinc_slope, softplus, softsign, tanhshrink, xlog1py,
    xlogy, zeta,
)  # fmt: skip


# ------------------------------------------------------------------ writing into zeros
def placed(g: Any, key: Any, shape: Any) -> Any:
    """Zeros with g in its place."""
    found = np.zeros(shape, g.dtype)
    found[key] = g
    return found


def added(g: Any, key: Any, shape: Any) -> Any:
    """Zeros with every entry of g added to its place."""
    found = np.zeros(shape, g.dtype)
    np.add.at(found, key, g)
    return found


def assembled(gs: Any, keys: Any, shape: Any) -> Any:
    """Zeros with each g added to its part."""
    found = np.zeros(shape, np.result_type(*gs))
    for g, key in zip(gs, keys):
        found[key] += g
    return found


def put(x: Any, key: Any, v: Any) -> Any:
    """A copy of x with v in place of a part."""
    found = np.array(x)
    found[key] = v
    return found


def diagonal(x: Any, offset: int) -> Any:
    """The diagonal of each matrix."""
    return np.diagonal(x, offset, -2, -1).copy()


def diag_embed(x: Any, offset: int, n: int, m: int) -> Any:
    """Matrices of zeros with x on a diagonal."""
    found = np.zeros((*x.shape[:-1], n, m), x.dtype)
    k = np.arange(x.shape[-1])
    found[..., k + max(-offset, 0), k + max(offset, 0)] = x
    return found


def tril(x: Any, k: int) -> Any:
    """The lower triangle of each matrix."""
    return np.tril(x, k)


def triu(x: Any, k: int) -> Any:
    """The upper triangle of each matrix."""
    return np.triu(x, k)


def half_tril(x: Any) -> Any:
    """The lower triangle of each matrix, its diagonal halved."""
    return (np.tril(x) + np.tril(x, -1)) / 2


# ------------------------------------------------------------------ along an axis
def cumsum(x: Any, axis: int, reverse: bool) -> Any:
    """Running sums."""
    y = np.cumsum(np.flip(x, axis) if reverse else x, axis)
    return np.flip(y, axis) if reverse else y


def cumprod(x: Any, axis: int, reverse: bool, exclusive: bool) -> Any:
    """Running products, of the entries before where they are exclusive."""
    x = np.moveaxis(np.flip(x, axis) if reverse else x, axis, 0)
    if exclusive:
        x = np.concatenate([np.ones_like(x[:1]), x[:-1]])
    y = np.moveaxis(np.cumprod(x, 0), 0, axis)
    return np.flip(y, axis) if reverse else y


def recurrence(a: Any, b: Any, axis: int, reverse: bool, upper: bool) -> Any:
    """The running s = b + a s of the entry before; 0 where a is 0."""
    a, b = (np.moveaxis(v, axis, 0) for v in np.broadcast_arrays(a, b))
    s = np.array(b, np.result_type(a, b))
    n, low = len(s), 0 if upper else 1
    for k in range(n - 2, -1, -1) if reverse else range(1, n):
        before, weight = (s[k + 1], a[k + 1 - low]) if reverse else (s[k - 1], a[k - low])
        s[k] += np.where(weight == 0, 0, before * weight)
    return np.moveaxis(s, 0, axis)


def shift(x: Any, axis: int, reverse: bool) -> Any:
    """Move by one place, zeros coming in."""
    x = np.moveaxis(x, axis, 0)
    zero = np.zeros_like(x[:1])
    return np.moveaxis(np.concatenate([x[1:], zero] if reverse else [zero, x[:-1]]), 0, axis)


def prod(x: Any, axes: Any, keepdims: bool) -> Any:
    """The product of entries."""
    return np.prod(x, axis=axes, keepdims=keepdims)


def var(x: Any, axes: Any, keepdims: bool, correction: float) -> Any:
    """The variance."""
    return np.var(x, axis=axes, ddof=correction, keepdims=keepdims)


def extreme_norm(x: Any, p: float, axes: Any) -> Any:
    """The number of entries that are not 0, or the largest or smallest size."""
    if p == 0:
        return np.sum(x != 0, axis=axes, dtype=x.dtype)
    return np.max(np.abs(x), axis=axes) if p > 0 else np.min(np.abs(x), axis=axes)


# ------------------------------------------------------------------ order
def arg(x: Any, axis: int | None, largest: bool, keepdims: bool) -> Any:
    """The position of the first extreme entry."""
    return np.argmax(x, axis=axis, keepdims=keepdims) if largest else np.argmin(x, axis=axis, keepdims=keepdims)


def first(x: Any, axis: int, largest: bool) -> Any:
    """1 at the first extreme entry, 0 elsewhere."""
    y = np.zeros_like(x)
    np.put_along_axis(y, arg(x, axis, largest, True), 1, axis)
    return y


def argsort(x: Any, axis: int, descending: bool) -> Any:
    """Positions in order of the entries; equal ones keep theirs."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)


def running_arg(x: Any, axis: int, largest: bool) -> Any:
    """The position of the extreme so far, the last of equal ones."""
    best = (np.maximum if largest else np.minimum).accumulate(x, axis)
    places = np.arange(x.shape[axis]).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
    return np.maximum.accumulate(np.where((x == best) | (x != x), places, 0), axis)


def median_index(x: Any, axis: int) -> Any:
    """The position of the lower median, or of the first nan."""
    found = np.take(np.argsort(x, axis, kind="stable"), [(x.shape[axis] - 1) // 2], axis)
    nan = np.isnan(x)
    return np.where(nan.any(axis, keepdims=True), nan.argmax(axis, keepdims=True), found)


def median_of_all(x: Any, axes: Any) -> Any:
    """The lower median of the entries along axes, nan where one is."""
    rest = [a for a in range(x.ndim) if a not in axes]
    rows = np.sort(np.transpose(x, [*rest, *axes]).reshape([*(x.shape[a] for a in rest), -1]), -1)
    last, middle = rows[..., -1], rows[..., (rows.shape[-1] - 1) // 2]
    return np.where(last != last, last, middle)


def pick(x: Any, at: Any, axis: int) -> Any:
    """The entries at positions along an axis."""
    return np.take_along_axis(x, at, axis)


def put_back(g: Any, at: Any, axis: int, n: int) -> Any:
    """Zeros with every entry of g added at its position along an axis of size n."""
    found = np.zeros((*g.shape[:axis], n, *g.shape[axis + 1 :]), g.dtype)
    key = [np.arange(m).reshape([-1 if a == k else 1 for a in range(g.ndim)]) for k, m in enumerate(g.shape)]
    key[axis] = at
    np.add.at(found, tuple(key), g)
    return found


# ------------------------------------------------------------------ counting and searching
def logcumsumexp(x: Any, axis: int) -> Any:
    """Running log Σ exp."""
    return np.logaddexp.accumulate(x, axis=axis)


def nan_median_index(x: Any, axis: int) -> Any:
    """The position of the lower median of what is not nan."""
    count = np.sum(x == x, axis=axis, keepdims=True)
    return np.take_along_axis(np.argsort(x, axis, kind="stable"), np.maximum(count - 1, 0) // 2, axis)


def ranks(x: Any, q: Any, rounding: str, skip: bool) -> Any:
    """The positions of quantiles along the last axis: of the first nan, unless nan are left out."""
    q = np.atleast_1d(q)
    there = x == x
    total = np.sum(there, axis=-1, keepdims=True) if skip else x.shape[-1]
    places = getattr(np, rounding)(np.maximum(q * (total - 1.0), 0)).astype(np.int64)
    places = np.broadcast_to(places, (*x.shape[:-1], q.shape[-1]))
    found = np.take_along_axis(np.argsort(x, -1, kind="stable"), places, -1)
    if skip:
        return found
    return np.where(there.all(-1, keepdims=True), found, np.argmin(there, -1)[..., None])


def search_sorted(row: Any, v: Any, right: bool) -> Any:
    """Where each entry would stand in a sorted row."""
    side: Any = "right" if right else "left"
    if row.ndim == 1:
        return np.asarray(np.searchsorted(row, v, side))
    rows, wanted = row.reshape(-1, row.shape[-1]), v.reshape(-1, v.shape[-1])
    return np.array([np.searchsorted(r, w, side) for r, w in zip(rows, wanted)], np.int64).reshape(v.shape)


def mantissa(x: Any) -> Any:
    """m with x = m 2ᵉ and ½ ≤ |m| < 1."""
    return np.frexp(x)[0]


def binade(x: Any) -> Any:
    """The number 2⁻ᵉ that takes x to its mantissa."""
    return np.ldexp(np.ones_like(x), -np.frexp(x)[1])


def exponent(x: Any) -> Any:
    """e with x = m 2ᵉ and ½ ≤ |m| < 1."""
    return np.asarray(np.frexp(x)[1], np.int64)


def histogram(x: Any, bins: int, low: float, high: float) -> Any:
    """The number of entries in bins of one width; between the extremes where low is high."""
    if low == high and x.size:
        low, high = x.min(), x.max()
    low, high = (low - 1, high + 1) if low == high else (low, high)
    return np.histogram(x[np.isfinite(x)], bins, (low, high))[0].astype(x.dtype)


# ------------------------------------------------------------------ linear algebra
def inverse(a: Any) -> Any:
    """The inverse of each matrix."""
    return np.linalg.inv(a)


def solve(a: Any, b: Any, vector: bool, transposed: bool) -> Any:
    """The solution x of a x = b, or of aᵀ x = b."""
    a = np.swapaxes(a, -1, -2) if transposed else a
    return np.linalg.solve(a, b[..., None])[..., 0] if vector else np.linalg.solve(a, b)


def cholesky(a: Any) -> Any:
    """The lower triangle L with L Lᵀ = a."""
    return np.linalg.cholesky(a)


def det(a: Any) -> Any:
    """The determinant of each matrix."""
    return np.linalg.det(a)


def logabsdet(a: Any) -> Any:
    """The logarithm of the size of each determinant."""
    return np.linalg.slogdet(a)[1]


def logdet(a: Any) -> Any:
    """The logarithm of each determinant, nan of a negative one."""
    sign, size = np.linalg.slogdet(a)
    return np.where(sign < 0, np.nan, size)


def det_sign(a: Any) -> Any:
    """The sign of each determinant."""
    return np.linalg.slogdet(a)[0]


def cofactor(a: Any, *hs: Any) -> Any:
    """The gradient of the determinant, or of its derivative in directions; also of singular matrices."""
    if not np.isfinite(a).all():
        return np.full_like(a, np.nan)
    u, s, vt = np.linalg.svd(a)
    flip = np.sign(np.linalg.det(u) * np.linalg.det(vt))[..., None, None]
    ks = [np.swapaxes(u, -1, -2) @ h @ np.swapaxes(vt, -1, -2) for h in hs]
    return flip * (u @ _diagonal_case(s, ks) @ vt)


def matrix_exp(a: Any, *hs: Any) -> Any:
    """The exponential of each matrix, or its derivative in directions."""
    n, found = a.shape[-1], a
    for k, h in enumerate(hs):
        found = _blocks(found, np.kron(np.eye(2**k, dtype=h.dtype), h))
    return _exponential(found.astype(np.float64))[..., :n, found.shape[-1] - n :].astype(found.dtype)


def inverse_gaps(x: Any) -> Any:
    """1/(x_j - x_i), and 0 on the diagonal."""
    gaps = x[..., None, :] - x[..., :, None]
    return np.where(np.eye(x.shape[-1], dtype=bool), 0.0, 1.0 / gaps)


def svd(x: Any, full: bool) -> Any:
    """Left vectors, values and right vectors, as columns."""
    u, s, vt = np.linalg.svd(x, full_matrices=full)
    return u, s, np.swapaxes(vt, -1, -2)


def eigh(x: Any, upper: bool) -> Any:
    """Eigenvalues, ascending, and eigenvectors of symmetric matrices."""
    return np.linalg.eigh(x, "U" if upper else "L")


def qr(x: Any) -> Any:
    """Q and R."""
    return np.linalg.qr(x)


def pseudo_inverse(x: Any, atol: float | None, rtol: float | None) -> Any:
    """The inverse of what is above the threshold."""
    u, s, v = svd(x, False)
    large = s > _threshold(s, x.shape, atol, rtol)
    inverse = np.where(large, 1 / np.where(large, s, 1.0), 0.0)
    return (v * inverse[..., None, :]) @ np.swapaxes(u, -1, -2)


def matrix_rank(x: Any, atol: float | None, rtol: float | None) -> Any:
    """The number of singular values above the threshold."""
    s = svd(x, False)[1]
    return np.sum(s > _threshold(s, x.shape, atol, rtol), axis=-1)


# ------------------------------------------------------------------ loops
def scan(step: Any, carries: Any, xs: Any, shared: Any, length: int, reverse: bool, dtype: Any) -> Any:
    """Run the step for each slice: the last carries and the stacked results, in one vector."""
    rows: Any = [None] * length
    for t in range(length - 1, -1, -1) if reverse else range(length):
        found = step(*carries, *[x[t] for x in xs], *shared)
        carries, rows[t] = found[: len(carries)], found[len(carries) :]
    stacked = [np.stack(column) for column in zip(*rows)]
    parts = [np.ravel(part).astype(dtype) for part in (*carries, *stacked)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype)
