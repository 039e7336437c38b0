"""What sources for PyTorch call: operations that are more than one word of it. Read as text, and put in front."""

from __future__ import annotations

import math
from typing import Any

import torch

from symgrad.exports.library.torch_order import (  # noqa: F401
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
def softplus(x: Any) -> Any:
    """Softplus, log(1 + exp x), without a threshold."""
    return torch.logaddexp(x, torch.zeros_like(x))


def bce_logits(z: Any, t: Any) -> Any:
    """Softplus(z) - t z, which does not cancel."""
    return (1 - t) * z - torch.nn.functional.logsigmoid(z)


def divided(f: Any, a: Any, b: Any) -> Any:
    """f, a division of integers, with 0 where b is 0."""
    a, b = torch.as_tensor(a), torch.as_tensor(b)
    return torch.where(b == 0, 0, f(a, torch.where(b == 0, 1, b)))


def tanhshrink(x: Any) -> Any:
    """Return x - tanh x: near 0 by its series."""
    s = x * x
    near = x * s * (1 / 3 - s * (2 / 15 - s * (17 / 315 - s * (62 / 2835 - s * (1382 / 155925 - s * 21844 / 6081075)))))
    return torch.where(torch.abs(x) < 0.1, near, x - torch.tanh(x))


def sinc_slope(x: Any) -> Any:
    """The derivative of sin(πx)/(πx), 0 at 0: near 0 by its series."""
    z = math.pi * x
    s = z * z
    near = -math.pi * z * (1 / 3 - s * (1 / 30 - s * (1 / 840 - s * (1 / 45360 - s / 3991680))))
    far = torch.where(torch.abs(x) < 0.25, torch.ones_like(x), x)
    return torch.where(torch.abs(x) < 0.25, near, (torch.cos(math.pi * far) - torch.sinc(far)) / far)


def erfinv(x: Any) -> Any:
    """The inverse of erf, with a Newton step to full precision."""
    y = torch.special.erfinv(x)
    a, b = torch.abs(x), torch.abs(y)
    wrong = torch.where(a < 0.7, torch.special.erf(b) - a, (1 - a) - torch.special.erfc(b))
    step = torch.where(a < 1, wrong * (math.sqrt(math.pi) / 2) * torch.exp(b * b), torch.zeros_like(b))
    return torch.where(torch.isfinite(y), torch.copysign(b - step, x), y)


def logit(p: Any) -> Any:
    """Log-odds, log(p/(1 - p)), accurate near 1/2."""
    return torch.where(torch.abs(p - 0.5) < 0.25, 2 * torch.atanh(2 * p - 1), torch.log(p / (1 - p)))


def polygamma(n: Any, x: Any) -> Any:
    """The derivatives of digamma, for negative x by reflection."""
    n = int(n)
    if n == 0:
        return torch.special.digamma(x)
    sign = -1.0 if n % 2 == 0 else 1.0
    y = torch.special.polygamma(n, torch.where(x < 0, 1 - x, x))
    c = 1 / torch.tan(math.pi * torch.where(x < 0, x, torch.full_like(x, 0.5)))
    p = [0.0, 1.0]
    for _ in range(n):
        slope = [-k * a for k, a in enumerate(p)][1:]
        p = [a + b for a, b in zip([*slope, 0.0, 0.0], [0.0, 0.0, *slope])]
    turned = sum(a * c**k for k, a in enumerate(p))
    return torch.where(x < 0, -sign * y - math.pi ** (n + 1) * turned, y)


# ------------------------------------------------------------------ parts
def places(shape: Any, key: Any) -> Any:
    """Return the flat positions that a key reads."""
    key = key if isinstance(key, tuple) else (key,)
    at = torch.arange(math.prod(shape)).reshape(tuple(shape))
    for axis, k in _axes(key):
        if isinstance(k, slice) and k.step is not None and k.step < 0:
            order = list(range(*k.indices(shape[axis])))
            at = at.index_select(axis, torch.tensor(order, dtype=torch.int64))
    plain = [slice(None) if isinstance(k, slice) and k.step is not None and k.step < 0 else k for k in key]
    return at[tuple(plain)]


def _axes(key: Any) -> Any:
    return enumerate(k for k in key if k is not None)


def part(x: Any, key: Any) -> Any:
    """Return some entries of x, in any order."""
    at = places(x.shape, key)
    return x.reshape(-1).index_select(0, at.reshape(-1)).reshape(at.shape)


def added(g: Any, key: Any, shape: Any) -> Any:
    """Zeros with every entry of g added to its place."""
    at = places(shape, key)
    g = torch.broadcast_to(g, at.shape)
    zero = torch.zeros(math.prod(shape), dtype=g.dtype)
    return zero.index_add(0, at.reshape(-1), g.reshape(-1)).reshape(tuple(shape))


def placed(g: Any, key: Any, shape: Any) -> Any:
    """Zeros with g in its place."""
    return added(g, key, shape)


def assembled(gs: Any, keys: Any, shape: Any) -> Any:
    """Zeros with each g added to its part."""
    return sum(added(g, key, shape) for g, key in zip(gs, keys))


def put(x: Any, key: Any, v: Any) -> Any:
    """A copy of x with v in place of a part; of several for one place the last."""
    at = places(x.shape, key)
    order = torch.arange(at.numel()).reshape(at.shape)
    last = torch.full((x.numel(),), -1).scatter_reduce(0, at.reshape(-1), order.reshape(-1), "amax")
    v = torch.broadcast_to(v, at.shape).reshape(-1).to(x.dtype)
    flat = x.reshape(-1)
    if not v.numel():
        return x
    return torch.where(last >= 0, v.index_select(0, torch.clamp(last, min=0)), flat).reshape(x.shape)


def diagonal(x: Any, offset: int) -> Any:
    """The diagonal of each matrix."""
    return torch.diagonal(x, offset, -2, -1)


def diag_embed(x: Any, offset: int, n: int, m: int) -> Any:
    """Matrices of zeros with x on a diagonal."""
    k = torch.arange(x.shape[-1])
    row = torch.arange(n)[:, None, None] == k + max(-offset, 0)
    column = torch.arange(m)[None, :, None] == k + max(offset, 0)
    return torch.sum((row & column).to(x.dtype) * x[..., None, None, :], -1, dtype=x.dtype)


def tril(x: Any, k: int) -> Any:
    """The lower triangle of each matrix."""
    return torch.tril(x, k)


def triu(x: Any, k: int) -> Any:
    """The upper triangle of each matrix."""
    return torch.triu(x, k)


def half_tril(x: Any) -> Any:
    """The lower triangle of each matrix, its diagonal halved."""
    return (torch.tril(x) + torch.tril(x, -1)) / 2


# ------------------------------------------------------------------ along an axis
def cumsum(x: Any, axis: int, reverse: bool) -> Any:
    """Running sums."""
    y = torch.cumsum(torch.flip(x, (axis,)) if reverse else x, axis)
    return torch.flip(y, (axis,)) if reverse else y


def cumprod(x: Any, axis: int, reverse: bool, exclusive: bool) -> Any:
    """Running products, of the entries before where they are exclusive."""
    x = torch.movedim(torch.flip(x, (axis,)) if reverse else x, axis, 0)
    if exclusive:
        x = torch.cat([torch.ones_like(x[:1]), x[:-1]])
    y = torch.movedim(torch.cumprod(x, 0), 0, axis)
    return torch.flip(y, (axis,)) if reverse else y


def recurrence(a: Any, b: Any, axis: int, reverse: bool, upper: bool) -> Any:
    """The running s = b + a s of the entry before; 0 where a is 0."""
    a, b = (torch.movedim(v, axis, 0) for v in torch.broadcast_tensors(a, b))
    a = a[1:] if upper else a[:-1]
    n = b.shape[0]
    rows: Any = [None] * n
    for k in range(n - 1, -1, -1) if reverse else range(n):
        rows[k] = b[k]
        if reverse and k < n - 1:
            rows[k] = b[k] + torch.where(a[k] == 0, 0.0, a[k] * rows[k + 1])
        elif not reverse and k:
            rows[k] = b[k] + torch.where(a[k - 1] == 0, 0.0, a[k - 1] * rows[k - 1])
    return torch.movedim(torch.stack(rows), 0, axis) if n else torch.movedim(b, 0, axis)


def shift(x: Any, axis: int, reverse: bool) -> Any:
    """Move by one place, zeros coming in."""
    x = torch.movedim(x, axis, 0)
    zero = torch.zeros_like(x[:1])
    return torch.movedim(torch.cat([x[1:], zero] if reverse else [zero, x[:-1]]), 0, axis)


def prod(x: Any, axes: Any, keepdims: bool) -> Any:
    """The product of entries."""
    for axis in sorted(axes, reverse=True):
        x = torch.prod(x, axis, keepdims)
    return x


def var(x: Any, axes: Any, keepdims: bool, correction: float) -> Any:
    """The variance."""
    return torch.var(x, axes, correction=correction, keepdim=keepdims)


def norm(x: Any, p: float, axes: Any) -> Any:
    """(Σ|x|ᵖ)^(1/p), scaled by the largest entry so that no power overflows."""
    size = torch.abs(x)
    if not size.numel() or not axes:
        return torch.sum(size, axes) if axes else size
    unit = (torch.amax if p > 0 else torch.amin)(size, axes, keepdim=True)
    unit = torch.where((unit > 0) & torch.isfinite(unit), unit, 1.0)
    total = torch.sum((size / unit) ** p, axes)
    return total ** (1 / p) * torch.reshape(unit, total.shape)


def extreme_norm(x: Any, p: float, axes: Any) -> Any:
    """The number of entries that are not 0, or the largest or smallest size."""
    if p == 0:
        return torch.sum((x != 0).to(x.dtype), axes) if axes else (x != 0).to(x.dtype)
    return (torch.amax if p > 0 else torch.amin)(torch.abs(x), axes)


# ------------------------------------------------------------------ linear algebra
def inverse(a: Any) -> Any:
    """The inverse of each matrix."""
    return torch.linalg.inv(a)


def solve(a: Any, b: Any, vector: bool, transposed: bool) -> Any:
    """The solution x of a x = b, or of aᵀ x = b."""
    a = torch.transpose(a, -1, -2) if transposed else a
    return torch.linalg.solve(a, b[..., None])[..., 0] if vector else torch.linalg.solve(a, b)


def cholesky(a: Any) -> Any:
    """The lower triangle L with L Lᵀ = a."""
    return torch.linalg.cholesky(a)


def det(a: Any) -> Any:
    """The determinant of each matrix."""
    return torch.linalg.det(a)


def logabsdet(a: Any) -> Any:
    """The logarithm of the size of each determinant."""
    return torch.linalg.slogdet(a)[1]


def logdet(a: Any) -> Any:
    """The logarithm of each determinant, nan of a negative one."""
    return torch.logdet(a)


def det_sign(a: Any) -> Any:
    """The sign of each determinant."""
    return torch.linalg.slogdet(a)[0]


def cofactor(a: Any, *hs: Any) -> Any:
    """The gradient of the determinant, or of its derivative in one direction; also of singular matrices."""
    u, s, vt = torch.linalg.svd(a)
    flip = torch.sign(torch.linalg.det(u) * torch.linalg.det(vt))[..., None, None]
    n = a.shape[-1]
    eye = torch.eye(n, dtype=torch.bool)
    one = torch.eye(n, dtype=a.dtype)
    if not hs:
        rows = torch.where(eye, 1.0, s[..., None, :])
        return flip * (u @ (torch.prod(rows, -1)[..., None] * one) @ vt)
    if len(hs) > 1:
        raise NotImplementedError("cofactor: third derivatives of determinants")
    k = torch.transpose(u, -1, -2) @ hs[0] @ torch.transpose(vt, -1, -2)
    both = eye[:, None, :] | eye[None, :, :]
    rest = torch.where(eye, 0.0, torch.prod(torch.where(both, 1.0, s[..., None, None, :]), -1))
    diagonal = (rest @ torch.diagonal(k, 0, -2, -1)[..., None]) * one
    return flip * (u @ (diagonal - rest * torch.transpose(k, -1, -2)) @ vt)


def matrix_exp(a: Any, *hs: Any) -> Any:
    """The exponential of each matrix, or its derivative in directions, by exponentials of blocks."""
    n, found = a.shape[-1], a
    for k, h in enumerate(hs):
        wide = torch.kron(torch.eye(2**k, dtype=h.dtype), h)
        found, wide = torch.broadcast_tensors(found, wide)
        top = torch.cat([found, wide], -1)
        found = torch.cat([top, torch.cat([torch.zeros_like(found), found], -1)], -2)
    return torch.linalg.matrix_exp(found)[..., :n, found.shape[-1] - n :]


def inverse_gaps(x: Any) -> Any:
    """1/(x_j - x_i), and 0 on the diagonal."""
    gaps = x[..., None, :] - x[..., :, None]
    return torch.where(torch.eye(x.shape[-1], dtype=torch.bool), 0.0, 1.0 / gaps)


def svd(x: Any, full: bool) -> Any:
    """Left vectors, values and right vectors, as columns."""
    u, s, vt = torch.linalg.svd(x, full_matrices=full)
    return u, s, torch.transpose(vt, -1, -2)


def eigh(x: Any, upper: bool) -> Any:
    """Eigenvalues, ascending, and eigenvectors of symmetric matrices."""
    return torch.linalg.eigh(x, "U" if upper else "L")


def qr(x: Any) -> Any:
    """Q and R."""
    return torch.linalg.qr(x)


def threshold(s: Any, sizes: Any, atol: float | None, rtol: float | None) -> Any:
    """What counts as 0 among the singular values of each matrix."""
    if rtol is None:
        rtol = 0.0 if atol else float(max(sizes[-2:]) * torch.finfo(s.dtype).eps)
    return torch.clamp(rtol * torch.amax(s, -1, keepdim=True), min=atol or 0.0)


def pseudo_inverse(x: Any, atol: float | None, rtol: float | None) -> Any:
    """The inverse of what is above the threshold."""
    u, s, v = svd(x, False)
    large = s > threshold(s, x.shape, atol, rtol)
    inverse = torch.where(large, 1 / torch.where(large, s, 1.0), 0.0)
    return (v * inverse[..., None, :]) @ torch.transpose(u, -1, -2)


def matrix_rank(x: Any, atol: float | None, rtol: float | None) -> Any:
    """The number of singular values above the threshold."""
    s = svd(x, False)[1]
    return torch.sum(s > threshold(s, x.shape, atol, rtol), -1)


# ------------------------------------------------------------------ loops
def scan(step: Any, carries: Any, xs: Any, shared: Any, length: int, reverse: bool, dtype: Any) -> Any:
    """Run the step for each slice: the last carries and the stacked results, in one vector."""
    rows: Any = [None] * length
    for t in range(length - 1, -1, -1) if reverse else range(length):
        found = step(*carries, *[x[t] for x in xs], *shared)
        carries, rows[t] = found[: len(carries)], found[len(carries) :]
    stacked = [torch.stack([torch.as_tensor(v) for v in column]) for column in zip(*rows)]
    parts = [torch.as_tensor(part).reshape(-1).to(dtype) for part in (*carries, *stacked)]
    return torch.cat(parts) if parts else torch.zeros(0, dtype=dtype)
