"""What sources for JAX call: operations that are more than one word of it. Read as text, and put in front."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special as special

from symgrad.exports.library.jax_order import (  # noqa: F401
    arg,
    argsort,
    binade,
    exponent,
    first,
    logcumsumexp,
    mantissa,
    median_index,
    median_of_all,
    nan_median_index,
    pick,
    put_back,
    ranks,
    running_arg,
    search_sorted,
)


# ------------------------------------------------------------------ scalar functions
def bce_logits(z: Any, t: Any) -> Any:
    """Softplus(z) - t z, which does not cancel."""
    return (1 - t) * z - jax.nn.log_sigmoid(z)


def divided(f: Any, a: Any, b: Any) -> Any:
    """f, a division of integers, with 0 where b is 0."""
    return jnp.where(b == 0, 0, f(a, jnp.where(b == 0, 1, b)))


def tanhshrink(x: Any) -> Any:
    """Return x - tanh x: near 0 by its series."""
    s = x * x
    near = x * s * (1 / 3 - s * (2 / 15 - s * (17 / 315 - s * (62 / 2835 - s * (1382 / 155925 - s * 21844 / 6081075)))))
    return jnp.where(jnp.abs(x) < 0.1, near, x - jnp.tanh(x))


def sinc_slope(x: Any) -> Any:
    """The derivative of sin(πx)/(πx), 0 at 0: near 0 by its series."""
    z = jnp.pi * x
    s = z * z
    near = -jnp.pi * z * (1 / 3 - s * (1 / 30 - s * (1 / 840 - s * (1 / 45360 - s / 3991680))))
    far = jnp.where(jnp.abs(x) < 0.25, 1.0, x)
    return jnp.where(jnp.abs(x) < 0.25, near, (jnp.cos(jnp.pi * far) - jnp.sinc(far)) / far)


def erfcx(x: Any) -> Any:
    """Return exp(x²) erfc x: by its continued fraction where that has converged."""
    far = jnp.maximum(x, 2.0)
    f = far
    for k in range(120, 0, -1):
        f = far + k / 2 / f
    near = jnp.minimum(x, 2.0)
    return jnp.where(x > 2.0, 1 / (jnp.sqrt(jnp.pi) * f), jnp.exp(near * near) * special.erfc(near))


def erfinv(x: Any) -> Any:
    """The inverse of erf, with a Newton step to full precision."""
    y = special.erfinv(x)
    a = jnp.abs(x)
    b = jnp.abs(y)
    wrong = jnp.where(a < 0.7, special.erf(b) - a, (1 - a) - special.erfc(b))
    step = jnp.where(a < 1, wrong * jnp.sqrt(jnp.pi) / 2 * jnp.exp(b * b), 0.0)
    return jnp.where(jnp.isfinite(y), jnp.copysign(b - step, x), y)


def logit(p: Any) -> Any:
    """Log-odds, log(p/(1 - p)), accurate near 1/2."""
    return jnp.where(jnp.abs(p - 0.5) < 0.25, 2 * jnp.arctanh(2 * p - 1), jnp.log(p / (1 - p)))


def digamma(x: Any) -> Any:
    """The derivative of log Γ, -∞ at 0."""
    return jnp.where(x == 0, -jnp.copysign(jnp.inf, x), special.digamma(x))


def polygamma(n: Any, x: Any) -> Any:
    """The derivatives of digamma, for negative x by reflection."""
    if n == 0:
        return digamma(x)
    sign = -1.0 if n % 2 == 0 else 1.0
    y = special.polygamma(int(n), jnp.where(x < 0, 1 - x, x))
    c = 1 / jnp.tan(jnp.pi * jnp.where(x < 0, x, 0.5))
    p = [0.0, 1.0]
    for _ in range(int(n)):
        slope = [-k * a for k, a in enumerate(p)][1:]
        p = [a + b for a, b in zip([*slope, 0.0, 0.0], [0.0, 0.0, *slope])]
    turned = sum(a * c**k for k, a in enumerate(p))
    found = jnp.where(x < 0, -sign * y - jnp.pi ** (n + 1) * turned, y)
    return jnp.where(x == 0, sign * jnp.inf, jnp.where(x == jnp.inf, 0.0, found))


# ------------------------------------------------------------------ writing into zeros
def placed(g: Any, key: Any, shape: Any) -> Any:
    """Zeros with g in its place."""
    return jnp.zeros(shape, g.dtype).at[key].set(g)


def added(g: Any, key: Any, shape: Any) -> Any:
    """Zeros with every entry of g added to its place."""
    zeros = jnp.zeros(shape, g.dtype)
    return zeros.at[key].max(g) if g.dtype == bool else zeros.at[key].add(g)


def assembled(gs: Any, keys: Any, shape: Any) -> Any:
    """Zeros with each g added to its part."""
    found = jnp.zeros(shape, jnp.result_type(*gs))
    for g, key in zip(gs, keys):
        found = found.at[key].max(g) if found.dtype == bool else found.at[key].add(g)
    return found


def put(x: Any, key: Any, v: Any) -> Any:
    """A copy of x with v in place of a part."""
    return x.at[key].set(v)


def diagonal(x: Any, offset: int) -> Any:
    """The diagonal of each matrix."""
    return jnp.diagonal(x, offset, -2, -1)


def diag_embed(x: Any, offset: int, n: int, m: int) -> Any:
    """Matrices of zeros with x on a diagonal."""
    k = jnp.arange(x.shape[-1])
    return jnp.zeros((*x.shape[:-1], n, m), x.dtype).at[..., k + max(-offset, 0), k + max(offset, 0)].set(x)


def tril(x: Any, k: int) -> Any:
    """The lower triangle of each matrix."""
    return jnp.tril(x, k)


def triu(x: Any, k: int) -> Any:
    """The upper triangle of each matrix."""
    return jnp.triu(x, k)


def half_tril(x: Any) -> Any:
    """The lower triangle of each matrix, its diagonal halved."""
    return (jnp.tril(x) + jnp.tril(x, -1)) / 2


# ------------------------------------------------------------------ along an axis
def cumsum(x: Any, axis: int, reverse: bool) -> Any:
    """Running sums."""
    y = jnp.cumsum(jnp.flip(x, axis) if reverse else x, axis)
    return jnp.flip(y, axis) if reverse else y


def cumprod(x: Any, axis: int, reverse: bool, exclusive: bool) -> Any:
    """Running products, of the entries before where they are exclusive."""
    x = jnp.moveaxis(jnp.flip(x, axis) if reverse else x, axis, 0)
    if exclusive:
        x = jnp.concatenate([jnp.ones_like(x[:1]), x[:-1]])
    y = jnp.moveaxis(jnp.cumprod(x, 0), 0, axis)
    return jnp.flip(y, axis) if reverse else y


def recurrence(a: Any, b: Any, axis: int, reverse: bool, upper: bool) -> Any:
    """The running s = b + a s of the entry before; 0 where a is 0."""
    a, b = (jnp.moveaxis(v, axis, 0) for v in jnp.broadcast_arrays(a, b))
    if not len(b):
        return jnp.moveaxis(b, 0, axis)
    a = a[1:] if upper else a[:-1]
    start, rest = (b[-1], b[:-1]) if reverse else (b[0], b[1:])

    def step(s: Any, row: Any) -> Any:
        weight, new = row
        s = new + jnp.where(weight == 0, 0.0, weight * s)
        return s, s

    found = jax.lax.scan(step, start, (a, rest), reverse=reverse)[1]
    whole = [found, start[None]] if reverse else [start[None], found]
    return jnp.moveaxis(jnp.concatenate(whole), 0, axis)


def shift(x: Any, axis: int, reverse: bool) -> Any:
    """Move by one place, zeros coming in."""
    x = jnp.moveaxis(x, axis, 0)
    zero = jnp.zeros_like(x[:1])
    return jnp.moveaxis(jnp.concatenate([x[1:], zero] if reverse else [zero, x[:-1]]), 0, axis)


def prod(x: Any, axes: Any, keepdims: bool) -> Any:
    """The product of entries."""
    return jnp.prod(x, axis=axes, keepdims=keepdims)


def var(x: Any, axes: Any, keepdims: bool, correction: float) -> Any:
    """The variance."""
    return jnp.var(x, axis=axes, ddof=correction, keepdims=keepdims)


def norm(x: Any, p: float, axes: Any) -> Any:
    """(Σ|x|ᵖ)^(1/p), scaled by the largest entry so that no power overflows."""
    size = jnp.abs(x)
    if not size.size or not axes:
        return jnp.sum(size, axis=axes)
    unit = (jnp.max if p > 0 else jnp.min)(size, axis=axes, keepdims=True)
    unit = jnp.where((unit > 0) & jnp.isfinite(unit), unit, 1.0)
    total = jnp.sum((size / unit) ** p, axis=axes)
    return total ** (1 / p) * jnp.reshape(unit, total.shape)


def extreme_norm(x: Any, p: float, axes: Any) -> Any:
    """The number of entries that are not 0, or the largest or smallest size."""
    if p == 0:
        return jnp.sum(x != 0, axis=axes, dtype=x.dtype)
    return jnp.max(jnp.abs(x), axis=axes) if p > 0 else jnp.min(jnp.abs(x), axis=axes)


# ------------------------------------------------------------------ linear algebra
def inverse(a: Any) -> Any:
    """The inverse of each matrix."""
    return jnp.linalg.inv(a)


def solve(a: Any, b: Any, vector: bool, transposed: bool) -> Any:
    """The solution x of a x = b, or of aᵀ x = b."""
    a = jnp.swapaxes(a, -1, -2) if transposed else a
    return jnp.linalg.solve(a, b[..., None])[..., 0] if vector else jnp.linalg.solve(a, b)


def cholesky(a: Any) -> Any:
    """The lower triangle L with L Lᵀ = a, of which the lower triangle is read."""
    return jnp.linalg.cholesky(a, symmetrize_input=False)


def det(a: Any) -> Any:
    """The determinant of each matrix."""
    return jnp.linalg.det(a)


def logabsdet(a: Any) -> Any:
    """The logarithm of the size of each determinant."""
    return jnp.linalg.slogdet(a)[1]


def logdet(a: Any) -> Any:
    """The logarithm of each determinant, nan of a negative one."""
    sign, size = jnp.linalg.slogdet(a)
    return jnp.where(sign < 0, jnp.nan, size)


def det_sign(a: Any) -> Any:
    """The sign of each determinant."""
    return jnp.linalg.slogdet(a)[0]


def cofactor(a: Any, *hs: Any) -> Any:
    """The gradient of the determinant, or of its derivative in one direction; also of singular matrices."""
    u, s, vt = jnp.linalg.svd(a)
    flip = jnp.sign(jnp.linalg.det(u) * jnp.linalg.det(vt))[..., None, None]
    n = a.shape[-1]
    eye = jnp.eye(n, dtype=bool)
    rows = jnp.where(eye, 1.0, s[..., None, :])
    if not hs:
        return flip * (u @ (jnp.prod(rows, -1)[..., None] * jnp.eye(n, dtype=a.dtype)) @ vt)
    if len(hs) > 1:
        raise NotImplementedError("cofactor: third derivatives of determinants")
    k = jnp.swapaxes(u, -1, -2) @ hs[0] @ jnp.swapaxes(vt, -1, -2)
    rest = jnp.where(eye, 0.0, jnp.prod(jnp.where(eye[:, None, :] | eye[None, :, :], 1.0, s[..., None, None, :]), -1))
    diagonal = (rest @ jnp.diagonal(k, 0, -2, -1)[..., None]) * jnp.eye(n, dtype=a.dtype)
    return flip * (u @ (diagonal - rest * jnp.swapaxes(k, -1, -2)) @ vt)


def matrix_exp(a: Any, *hs: Any) -> Any:
    """The exponential of each matrix, or its derivative in directions, by exponentials of blocks."""
    n, found = a.shape[-1], a
    for k, h in enumerate(hs):
        wide = jnp.kron(jnp.eye(2**k, dtype=h.dtype), h)
        found, wide = jnp.broadcast_arrays(found, wide) if found.shape != wide.shape else (found, wide)
        top = jnp.concatenate([found, wide], -1)
        found = jnp.concatenate([top, jnp.concatenate([jnp.zeros_like(found), found], -1)], -2)
    return jax.scipy.linalg.expm(found)[..., :n, found.shape[-1] - n :]


def inverse_gaps(x: Any) -> Any:
    """1/(x_j - x_i), and 0 on the diagonal."""
    gaps = x[..., None, :] - x[..., :, None]
    return jnp.where(jnp.eye(x.shape[-1], dtype=bool), 0.0, 1.0 / gaps)


def svd(x: Any, full: bool) -> Any:
    """Left vectors, values and right vectors, as columns."""
    u, s, vt = jnp.linalg.svd(x, full_matrices=full)
    return u, s, jnp.swapaxes(vt, -1, -2)


def eigh(x: Any, upper: bool) -> Any:
    """Eigenvalues, ascending, and eigenvectors of symmetric matrices."""
    return jnp.linalg.eigh(x, "U" if upper else "L", symmetrize_input=False)


def qr(x: Any) -> Any:
    """Q and R."""
    return jnp.linalg.qr(x)


def threshold(s: Any, sizes: Any, atol: float | None, rtol: float | None) -> Any:
    """What counts as 0 among the singular values of each matrix."""
    if rtol is None:
        rtol = 0.0 if atol else float(max(sizes[-2:]) * jnp.finfo(s.dtype).eps)
    return jnp.maximum(atol or 0.0, rtol * jnp.max(s, -1, keepdims=True, initial=0))


def pseudo_inverse(x: Any, atol: float | None, rtol: float | None) -> Any:
    """The inverse of what is above the threshold."""
    u, s, v = svd(x, False)
    large = s > threshold(s, x.shape, atol, rtol)
    inverse = jnp.where(large, 1 / jnp.where(large, s, 1.0), 0.0)
    return (v * inverse[..., None, :]) @ jnp.swapaxes(u, -1, -2)


def matrix_rank(x: Any, atol: float | None, rtol: float | None) -> Any:
    """The number of singular values above the threshold."""
    s = svd(x, False)[1]
    return jnp.sum(s > threshold(s, x.shape, atol, rtol), axis=-1)


# ------------------------------------------------------------------ loops
def scan(step: Any, carries: Any, xs: Any, shared: Any, length: int, reverse: bool, dtype: Any) -> Any:
    """Run the step for each slice: the last carries and the stacked results, in one vector."""

    def one(carry: Any, row: Any) -> Any:
        found = step(*carry, *row, *shared)
        new = tuple(jnp.asarray(c, b.dtype) for c, b in zip(found, carry))
        return new, tuple(found[len(carry) :])

    start = tuple(jnp.asarray(c) for c in carries)
    end, stacked = jax.lax.scan(one, start, tuple(xs), length=length, reverse=reverse)
    parts = [jnp.ravel(part).astype(dtype) for part in (*end, *stacked)]
    return jnp.concatenate(parts) if parts else jnp.zeros(0, dtype)
