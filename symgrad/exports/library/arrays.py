"""What sources on arrays call, written once: in NumPy's words, of which ``xp`` is the room.

A target's ``xp.name`` is the function of that name in its own module, which says what differs, else its library's.
A target's module may hold one of these functions too: then it is that which is written. All are read as text.
"""

from __future__ import annotations

from typing import Any

from symgrad.exports.library import numpy as xp


# ------------------------------------------------------------------ scalar functions
def bce_logits(z: Any, t: Any) -> Any:
    """Softplus(z) - t z, which does not cancel."""
    return (1 - t) * z + xp.logaddexp(-z, xp.zeros_like(z))


def tanhshrink(x: Any) -> Any:
    """Return x - tanh x: near 0 by its series."""
    s = x * x
    near = x * s * (1 / 3 - s * (2 / 15 - s * (17 / 315 - s * (62 / 2835 - s * (1382 / 155925 - s * 21844 / 6081075)))))
    return xp.where(xp.abs(x) < 0.1, near, x - xp.tanh(x))


def sinc_slope(x: Any) -> Any:
    """The derivative of sin(πx)/(πx), 0 at 0: near 0 by its series."""
    z = xp.pi * x
    s = z * z
    near = -xp.pi * z * (1 / 3 - s * (1 / 30 - s * (1 / 840 - s * (1 / 45360 - s / 3991680))))
    far = xp.where(xp.abs(x) < 0.25, xp.ones_like(x), x)
    return xp.where(xp.abs(x) < 0.25, near, (xp.cos(xp.pi * far) - xp.sinc(far)) / far)


def erfinv(x: Any) -> Any:
    """The inverse of erf, with a Newton step to full precision."""
    y = xp.special.erfinv(x)
    a, b = xp.abs(x), xp.abs(y)
    wrong = xp.where(a < 0.7, xp.special.erf(b) - a, (1 - a) - xp.special.erfc(b))
    step = xp.where(a < 1, wrong * (xp.pi**0.5 / 2) * xp.exp(b * b), 0.0)
    return xp.where(xp.isfinite(y), xp.copysign(b - step, x), y)


def logit(p: Any) -> Any:
    """Log-odds, log(p/(1 - p)), accurate near 1/2."""
    return xp.where(xp.abs(p - 0.5) < 0.25, 2 * xp.arctanh(2 * p - 1), xp.log(p / (1 - p)))


def polygamma(n: Any, x: Any) -> Any:
    """The derivatives of digamma, for negative x by reflection."""
    n = int(n)
    if n == 0:
        return xp.digamma(x)
    sign = -1.0 if n % 2 == 0 else 1.0
    y = xp.special.polygamma(n, xp.where(x < 0, 1 - x, x))
    c = 1 / xp.tan(xp.pi * xp.where(x < 0, x, 0.5))
    p = [0.0, 1.0]
    for _ in range(n):
        slope = [-k * a for k, a in enumerate(p)][1:]
        p = [a + b for a, b in zip([*slope, 0.0, 0.0], [0.0, 0.0, *slope])]
    turned = sum(a * c**k for k, a in enumerate(p))
    y = xp.where(x < 0, -sign * y - xp.pi ** (n + 1) * turned, y)
    return xp.where(x == 0, sign * xp.inf, xp.where(x == xp.inf, 0.0, y))


# ------------------------------------------------------------------ parts and diagonals
def diag_embed(x: Any, offset: int, n: int, m: int) -> Any:
    """Matrices of zeros with x on a diagonal."""
    k = xp.arange(x.shape[-1])
    return xp.placed(x, (..., k + max(-offset, 0), k + max(offset, 0)), (*x.shape[:-1], n, m))


def put_back(g: Any, at: Any, axis: int, n: int) -> Any:
    """Zeros with every entry of g added at its position along an axis of size n."""
    key = [xp.arange(m).reshape([-1 if a == k else 1 for a in range(g.ndim)]) for k, m in enumerate(g.shape)]
    key[axis] = at
    return xp.added(g, tuple(key), (*g.shape[:axis], n, *g.shape[axis + 1 :]))


def half_tril(x: Any) -> Any:
    """The lower triangle of each matrix, its diagonal halved."""
    return (xp.tril(x) + xp.tril(x, -1)) / 2


# ------------------------------------------------------------------ along an axis
def cumsum(x: Any, axis: int, reverse: bool) -> Any:
    """Return the running sums."""
    y = xp.cumsum(xp.flip(x, (axis,)) if reverse else x, axis)
    return xp.flip(y, (axis,)) if reverse else y


def cumprod(x: Any, axis: int, reverse: bool, exclusive: bool) -> Any:
    """Running products, of the entries before where they are exclusive."""
    x = xp.moveaxis(xp.flip(x, (axis,)) if reverse else x, axis, 0)
    if exclusive:
        x = xp.concatenate([xp.ones_like(x[:1]), x[:-1]])
    y = xp.moveaxis(xp.cumprod(x, 0), 0, axis)
    return xp.flip(y, (axis,)) if reverse else y


def recurrence(a: Any, b: Any, axis: int, reverse: bool, upper: bool) -> Any:
    """The running s = b + a s of the entry before; 0 where a is 0."""
    a, b = (xp.moveaxis(v, axis, 0) for v in xp.broadcast_arrays(a, b))
    a, rows = a[1:] if upper else a[:-1], []
    for k in range(b.shape[0] - 1, -1, -1) if reverse else range(b.shape[0]):
        weight = a[k if reverse else k - 1] if rows else 0
        rows.append(b[k] + xp.where(weight == 0, 0, weight * rows[-1]) if rows else b[k])
    return xp.moveaxis(xp.stack(rows[::-1] if reverse else rows), 0, axis) if rows else xp.moveaxis(b, 0, axis)


def shift(x: Any, axis: int, reverse: bool) -> Any:
    """Move by one place, zeros coming in."""
    x = xp.moveaxis(x, axis, 0)
    zero = xp.zeros_like(x[:1])
    return xp.moveaxis(xp.concatenate([x[1:], zero] if reverse else [zero, x[:-1]]), 0, axis)


def prod(x: Any, axes: Any, keepdims: bool) -> Any:
    """The product of entries."""
    return xp.prod(x, axis=axes, keepdims=keepdims)


def var(x: Any, axes: Any, keepdims: bool, correction: float) -> Any:
    """Return the variance."""
    return xp.var(x, axis=axes, correction=correction, keepdims=keepdims)


def norm(x: Any, p: float, axes: Any) -> Any:
    """(Σ|x|ᵖ)^(1/p), scaled by the largest entry so that no power overflows."""
    size = xp.abs(x)
    if 0 in x.shape or not axes:
        return xp.sum(size, axis=axes) if axes else size
    unit = (xp.amax if p > 0 else xp.amin)(size, axis=axes, keepdims=True)
    unit = xp.where((unit > 0) & xp.isfinite(unit), unit, 1.0)
    total = xp.sum((size / unit) ** p, axis=axes)
    return total ** (1 / p) * xp.reshape(unit, total.shape)


def extreme_norm(x: Any, p: float, axes: Any) -> Any:
    """The number of entries that are not 0, or the largest or smallest size."""
    size = xp.where(x != 0, xp.ones_like(x), xp.zeros_like(x)) if p == 0 else xp.abs(x)
    return (xp.sum if p == 0 else xp.amax if p > 0 else xp.amin)(size, axis=axes) if axes else size


# ------------------------------------------------------------------ order
def arg(x: Any, axis: int | None, largest: bool, keepdims: bool) -> Any:
    """The position of the first extreme entry."""
    return (xp.argmax if largest else xp.argmin)(x, axis=axis, keepdims=keepdims)


def first(x: Any, axis: int, largest: bool) -> Any:
    """1 at the first extreme entry, 0 elsewhere."""
    along = xp.arange(x.shape[axis]).reshape([-1 if a == axis % x.ndim else 1 for a in range(x.ndim)])
    return xp.where(along == arg(x, axis, largest, True), xp.ones_like(x), xp.zeros_like(x))


def argsort(x: Any, axis: int, descending: bool) -> Any:
    """Positions in order of the entries; equal ones keep theirs."""
    if not descending:
        return xp.argsort(x, axis=axis, stable=True)
    return x.shape[axis] - 1 - xp.flip(xp.argsort(xp.flip(x, (axis,)), axis=axis, stable=True), (axis,))


def running_arg(x: Any, axis: int, largest: bool) -> Any:
    """The position of the extreme so far, the last of equal ones."""
    along = xp.arange(x.shape[axis]).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
    reached = (x == xp.running(x, axis, largest)) | (x != x)
    return xp.running(xp.where(reached, along, 0), axis, True)


def median_index(x: Any, axis: int) -> Any:
    """The position of the lower median, or of the first nan."""
    nan = x != x
    index = nan_median_index(x, axis)
    return xp.where(xp.any(nan, axis=axis, keepdims=True), arg(nan, axis, True, True), index)


def nan_median_index(x: Any, axis: int) -> Any:
    """The position of the lower median of what is not nan."""
    count = xp.sum(x == x, axis=axis, keepdims=True)
    return xp.take_along_axis(xp.argsort(x, axis=axis, stable=True), xp.clip(count - 1, 0, None) // 2, axis)


def median_of_all(x: Any, axes: Any) -> Any:
    """The lower median of the entries along axes, nan where one is."""
    x = xp.moveaxis(x, axes, tuple(range(-len(axes), 0)))
    rows = x.reshape([*x.shape[: x.ndim - len(axes)], -1])
    return xp.take_along_axis(rows, median_index(rows, -1), -1)[..., 0]


def ranks(x: Any, q: Any, rounding: Any, skip: bool) -> Any:
    """The positions of quantiles along the last axis: of the first nan, unless nan are left out."""
    q = xp.atleast_1d(q)
    there = x == x
    total = xp.sum(there, axis=-1, keepdims=True) if skip else x.shape[-1]
    places = xp.whole(rounding(xp.clip(q * (total - 1.0), 0, None)))
    places = xp.broadcast_to(places, (*x.shape[:-1], q.shape[-1]))
    indices = xp.take_along_axis(xp.argsort(x, axis=-1, stable=True), places, -1)
    return indices if skip else xp.where(xp.all(there, axis=-1, keepdims=True), indices, arg(there, -1, False, True))


def mantissa(x: Any) -> Any:
    """m with x = m 2ᵉ and ½ ≤ |m| < 1."""
    return xp.frexp(x)[0]


def binade(x: Any) -> Any:
    """The number 2⁻ᵉ that takes x to its mantissa."""
    return xp.ldexp(xp.ones_like(x), -xp.frexp(x)[1])


def exponent(x: Any) -> Any:
    """e with x = m 2ᵉ and ½ ≤ |m| < 1."""
    return xp.whole(xp.frexp(x)[1])


# ------------------------------------------------------------------ linear algebra
def solve(a: Any, b: Any, vector: bool, transposed: bool) -> Any:
    """The solution x of a x = b, or of aᵀ x = b."""
    a = xp.swapaxes(a, -1, -2) if transposed else a
    return xp.linalg.solve(a, b[..., None])[..., 0] if vector else xp.linalg.solve(a, b)


def solve_banded(ab: Any, b: Any, low: int, up: int, vector: bool, transposed: bool) -> Any:
    """The solution of a system whose matrix has these diagonals, by the full matrix."""
    columns = xp.arange(ab.shape[-1])
    place = up + columns[:, None] - columns
    inside = (place >= 0) & (place <= low + up)
    return solve(xp.where(inside, xp.asarray(ab)[..., xp.where(inside, place, 0), columns], 0.0), b, vector, transposed)


def logdet(a: Any) -> Any:
    """The logarithm of each determinant, nan of a negative one."""
    sign, size = xp.linalg.slogdet(a)
    return xp.where(sign < 0, xp.nan, size)


def cofactor(a: Any, *hs: Any) -> Any:
    """The gradient of the determinant, or of its derivative in one direction; also of singular matrices."""
    u, s, vt = xp.linalg.svd(a)
    turn = xp.sign(xp.linalg.det(u) * xp.linalg.det(vt))[..., None, None]
    one = xp.eye(a.shape[-1], dtype=a.dtype)
    eye = one > 0
    if not hs:
        return turn * (u @ (xp.prod(xp.where(eye, 1.0, s[..., None, :]), -1)[..., None] * one) @ vt)
    if len(hs) > 1:
        raise NotImplementedError("cofactor: third derivatives of determinants")
    k = xp.swapaxes(u, -1, -2) @ hs[0] @ xp.swapaxes(vt, -1, -2)
    both = eye[:, None, :] | eye[None, :, :]
    rest = xp.where(eye, 0.0, xp.prod(xp.where(both, 1.0, s[..., None, None, :]), -1))
    on = (rest @ xp.diagonal(k, 0, -2, -1)[..., None]) * one
    return turn * (u @ (on - rest * xp.swapaxes(k, -1, -2)) @ vt)


def matrix_exp(a: Any, *hs: Any) -> Any:
    """The exponential of each matrix, or its derivative in directions, by exponentials of blocks."""
    n, matrix = a.shape[-1], a
    for k, h in enumerate(hs):
        wide = xp.kron(xp.eye(2**k, dtype=h.dtype), h)
        matrix, wide = xp.broadcast_arrays(matrix, wide)
        above = xp.concatenate([matrix, wide], -1)
        matrix = xp.concatenate([above, xp.concatenate([xp.zeros_like(matrix), matrix], -1)], -2)
    return xp.expm(matrix)[..., :n, matrix.shape[-1] - n :]


def sylvester(a: Any, b: Any, c: Any) -> Any:
    """X with A X + X B = C, by the system of all entries."""
    n, m = c.shape[-2:]
    rows = a[..., :, None, :, None] * xp.eye(m, dtype=a.dtype)[:, None, :]
    columns = xp.eye(n, dtype=b.dtype)[:, None, :, None] * xp.swapaxes(b, -1, -2)[..., None, :, None, :]
    whole = rows + columns
    lead = whole.shape[:-4]
    solution = xp.linalg.solve(whole.reshape((*lead, n * m, n * m)), c.reshape((*c.shape[:-2], n * m, 1)))
    return solution.reshape((*solution.shape[:-2], n, m))


def convolve(x: Any, h: Any, dims: int) -> Any:
    """The full convolution along the last axes, by Fourier transforms."""
    axes = tuple(range(-dims, 0))
    sizes = tuple(n + m - 1 for n, m in zip(x.shape[-dims:], h.shape[-dims:]))
    return xp.fft.irfftn(xp.fft.rfftn(x, sizes, axes) * xp.fft.rfftn(h, sizes, axes), sizes, axes)


def spectrum_weighed(z: Any, n: int, axis: int, weight: float) -> Any:
    """Half of the spectrum of n real numbers, with a weight on the entries that stand for two."""
    k = xp.arange(n // 2 + 1).reshape((n // 2 + 1, *[1] * (z.ndim - 1 - axis)))
    return xp.where((k == 0) | (2 * k == n), z, weight * z)


def feedback(c: Any, u: Any) -> Any:
    """y_i = u_i - Σ c_k y_{i-k}, by the system of all entries."""
    n, m = u.shape[-1], c.shape[-1]
    back = xp.arange(n)[:, None] - xp.arange(n)
    inside = (back >= 1) & (back <= m)
    entries = xp.where(inside, c[..., xp.where(inside, back - 1, 0)], 0.0)
    return xp.linalg.solve(xp.eye(n, dtype=u.dtype) + entries, u[..., None])[..., 0]


def inverse_gaps(x: Any) -> Any:
    """1/(x_j - x_i), and 0 on the diagonal."""
    gaps = x[..., None, :] - x[..., :, None]
    return xp.where(xp.eye(x.shape[-1], dtype=x.dtype) > 0, 0.0, 1.0 / gaps)


def svd(x: Any, full: bool) -> Any:
    """Left vectors, values and right vectors, as columns."""
    u, s, vt = xp.linalg.svd(x, full_matrices=full)
    return u, s, xp.swapaxes(vt, -1, -2)


def eigh(x: Any, upper: bool) -> Any:
    """Eigenvalues, ascending, and eigenvectors of symmetric matrices."""
    return xp.linalg.eigh(x, "U" if upper else "L")


def threshold(s: Any, sizes: Any, atol: float | None, rtol: float | None) -> Any:
    """The threshold below which singular values of each matrix, in descending order, count as 0."""
    if rtol is None:
        rtol = 0.0 if atol else float(max(sizes[-2:]) * xp.finfo(s.dtype).eps)
    return xp.clip(rtol * s[..., :1], atol or 0.0, None)


def pseudo_inverse(x: Any, atol: float | None, rtol: float | None) -> Any:
    """The inverse of what is above the threshold."""
    u, s, v = svd(x, False)
    large = s > threshold(s, x.shape, atol, rtol)
    inverse = xp.where(large, 1 / xp.where(large, s, 1.0), 0.0)
    return (v * inverse[..., None, :]) @ xp.swapaxes(u, -1, -2)


def matrix_rank(x: Any, atol: float | None, rtol: float | None) -> Any:
    """The number of singular values above the threshold."""
    s = svd(x, False)[1]
    return xp.sum(s > threshold(s, x.shape, atol, rtol), axis=-1)


# ------------------------------------------------------------------ loops
def scan(step: Any, carries: Any, xs: Any, shared: Any, length: int, reverse: bool, dtype: Any) -> Any:
    """Run the step for each slice: the last carries and the stacked results, in one vector."""
    rows: Any = [None] * length
    for t in range(length - 1, -1, -1) if reverse else range(length):
        outputs = step(*carries, *[x[t] for x in xs], *shared)
        carries, rows[t] = outputs[: len(carries)], outputs[len(carries) :]
    stacked = [xp.stack([xp.asarray(v) for v in column]) for column in zip(*rows)]
    parts = [xp.asarray(part, dtype=dtype).reshape(-1) for part in (*carries, *stacked)]
    return xp.concatenate(parts) if parts else xp.zeros(0, dtype=dtype)
