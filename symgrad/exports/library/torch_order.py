"""What sources for PyTorch call to sort, search and count. Read as text, and put in front."""

from __future__ import annotations

from typing import Any

import torch


# ------------------------------------------------------------------ order
def arg(x: Any, axis: int | None, largest: bool, keepdims: bool) -> Any:
    """The position of the first extreme entry."""
    x = x.to(torch.uint8) if x.dtype == torch.bool else x
    return torch.argmax(x, axis, keepdim=keepdims) if largest else torch.argmin(x, axis, keepdim=keepdims)


def first(x: Any, axis: int, largest: bool) -> Any:
    """1 at the first extreme entry, 0 elsewhere."""
    along = torch.arange(x.shape[axis]).reshape([-1 if a == axis % x.ndim else 1 for a in range(x.ndim)])
    return (along == arg(x, axis, largest, True)).to(x.dtype)


def argsort(x: Any, axis: int, descending: bool) -> Any:
    """Positions in order of the entries; equal ones keep theirs."""
    if not descending:
        return torch.sort(x, stable=True, dim=axis).indices
    back = torch.sort(torch.flip(x, (axis,)), stable=True, dim=axis).indices
    return x.shape[axis] - 1 - torch.flip(back, (axis,))


def running_arg(x: Any, axis: int, largest: bool) -> Any:
    """The position of the extreme so far, the last of equal ones."""
    best = (torch.cummax if largest else torch.cummin)(x, axis).values
    along = torch.arange(x.shape[axis]).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
    return torch.cummax(torch.where((x == best) | (x != x), along, 0), axis).values


def median_index(x: Any, axis: int) -> Any:
    """The position of the lower median, or of the first nan."""
    middle = torch.tensor([(x.shape[axis] - 1) // 2])
    found = torch.index_select(torch.sort(x, stable=True, dim=axis).indices, axis, middle)
    nan = torch.isnan(x).to(torch.int64)
    return torch.where(torch.amax(nan, axis, keepdim=True) > 0, torch.argmax(nan, axis, keepdim=True), found)


def median_of_all(x: Any, axes: Any) -> Any:
    """The lower median of the entries along axes, nan where one is."""
    rest = [a for a in range(x.ndim) if a not in axes]
    rows = torch.sort(torch.permute(x, [*rest, *axes]).reshape([*(x.shape[a] for a in rest), -1]), -1).values
    last, middle = rows[..., -1], rows[..., (rows.shape[-1] - 1) // 2]
    return torch.where(last != last, last, middle)


def pick(x: Any, at: Any, axis: int) -> Any:
    """The entries at positions along an axis."""
    return torch.take_along_dim(x, at, axis)


def put_back(g: Any, at: Any, axis: int, n: int) -> Any:
    """Zeros with every entry of g added at its position along an axis of size n."""
    zero = torch.zeros((*g.shape[:axis], n, *g.shape[axis + 1 :]), dtype=g.dtype)
    return torch.scatter_add(zero, axis, torch.broadcast_to(at, g.shape), g)


# ------------------------------------------------------------------ counting and searching
def logcumsumexp(x: Any, axis: int) -> Any:
    """Running log Σ exp."""
    return torch.logcumsumexp(x, axis)


def nan_median_index(x: Any, axis: int) -> Any:
    """The position of the lower median of what is not nan."""
    count = torch.sum(x == x, axis, keepdim=True)
    return torch.take_along_dim(torch.sort(x, stable=True, dim=axis).indices, torch.clamp(count - 1, min=0) // 2, axis)


def ranks(x: Any, q: Any, rounding: str, skip: bool) -> Any:
    """The positions of quantiles along the last axis: of the first nan, unless nan are left out."""
    q = torch.atleast_1d(q)
    there = x == x
    total = torch.sum(there, -1, keepdim=True) if skip else x.shape[-1]
    places = {"floor": torch.floor, "ceil": torch.ceil, "round": torch.round, "rint": torch.round}[rounding](
        torch.clamp(q * (total - 1.0), min=0)
    ).to(torch.int64)
    places = torch.broadcast_to(places, (*x.shape[:-1], q.shape[-1]))
    found = torch.take_along_dim(torch.sort(x, stable=True, dim=-1).indices, places, -1)
    if skip:
        return found
    return torch.where(there.all(-1, keepdim=True), found, torch.argmin(there.to(torch.int64), -1)[..., None])


def search_sorted(row: Any, v: Any, right: bool) -> Any:
    """Where each entry would stand in a sorted row."""
    row, v = [t.to(torch.uint8) if t.dtype == torch.bool else t for t in (row, v)]
    return torch.searchsorted(row.contiguous(), v.contiguous(), right=right)


def mantissa(x: Any) -> Any:
    """m with x = m 2ᵉ and ½ ≤ |m| < 1."""
    return torch.frexp(x)[0]


def binade(x: Any) -> Any:
    """The number 2⁻ᵉ that takes x to its mantissa."""
    return torch.ldexp(torch.ones_like(x), -torch.frexp(x)[1])


def exponent(x: Any) -> Any:
    """e with x = m 2ᵉ and ½ ≤ |m| < 1."""
    return torch.frexp(x)[1].to(torch.int64)
