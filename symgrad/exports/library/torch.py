"""What differs in PyTorch's words from those of ``arrays``."""

from __future__ import annotations

import math
from typing import Any

import torch

arctanh = torch.atanh
asarray = torch.as_tensor
broadcast_arrays = torch.broadcast_tensors
conj = torch.conj_physical
expm = torch.linalg.matrix_exp
sign = torch.sgn
take_along_axis = torch.take_along_dim


# ------------------------------------------------------------------ scalar functions
def softplus(x: Any) -> Any:
    """Softplus, log(1 + exp x), without a threshold."""
    return torch.logaddexp(x, torch.zeros_like(x))


def complex_of(x: Any, y: Any) -> Any:
    """x + iy."""
    return torch.complex(*torch.broadcast_tensors(x, y))


def divided(f: Any, a: Any, b: Any) -> Any:
    """f, a division of integers, with 0 where b is 0."""
    a, b = torch.as_tensor(a), torch.as_tensor(b)
    return torch.where(b == 0, 0, f(a, torch.where(b == 0, 1, b)))


def kron(a: Any, b: Any) -> Any:
    """The Kronecker product, whose second factor torch reads as one piece of memory."""
    return torch.kron(a, b.contiguous())


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


def diag_embed(x: Any, offset: int, n: int, m: int) -> Any:
    """Matrices of zeros with x on a diagonal."""
    k = torch.arange(x.shape[-1])
    row = torch.arange(n)[:, None, None] == k + max(-offset, 0)
    column = torch.arange(m)[None, :, None] == k + max(offset, 0)
    return torch.sum((row & column).to(x.dtype) * x[..., None, None, :], -1, dtype=x.dtype)


def put_back(g: Any, at: Any, axis: int, n: int) -> Any:
    """Zeros with every entry of g added at its position along an axis of size n."""
    zero = torch.zeros((*g.shape[:axis], n, *g.shape[axis + 1 :]), dtype=g.dtype)
    return torch.scatter_add(zero, axis, torch.broadcast_to(at, g.shape), g)


# ------------------------------------------------------------------ along an axis
def running(x: Any, axis: int, largest: bool) -> Any:
    """The extreme so far."""
    return (torch.cummax if largest else torch.cummin)(x, axis).values


def prod(x: Any, axes: Any, keepdims: bool = False) -> Any:
    """The product of entries along one axis or several."""
    for axis in sorted((axes,) if isinstance(axes, int) else axes, reverse=True):
        x = torch.prod(x, axis, keepdims)
    return x


def arg(x: Any, axis: int | None, largest: bool, keepdims: bool) -> Any:
    """The position of the first extreme entry."""
    x = x.to(torch.uint8) if x.dtype == torch.bool else x
    return torch.argmax(x, axis, keepdim=keepdims) if largest else torch.argmin(x, axis, keepdim=keepdims)


def logcumsumexp(x: Any, axis: int) -> Any:
    """Running log Σ exp."""
    return torch.logcumsumexp(x, axis)


def search_sorted(row: Any, v: Any, right: bool) -> Any:
    """Where each entry would stand in a sorted row."""
    row, v = [t.to(torch.uint8) if t.dtype == torch.bool else t for t in (row, v)]
    return torch.searchsorted(row.contiguous(), v.contiguous(), right=right)


def whole(x: Any) -> Any:
    """Integers for positions."""
    return x.to(torch.int64)
