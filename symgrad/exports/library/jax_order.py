"""What sources for JAX call to sort, search and count. Read as text, and put in front."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


# ------------------------------------------------------------------ order
def arg(x: Any, axis: int | None, largest: bool, keepdims: bool) -> Any:
    """The position of the first extreme entry."""
    return jnp.argmax(x, axis=axis, keepdims=keepdims) if largest else jnp.argmin(x, axis=axis, keepdims=keepdims)


def first(x: Any, axis: int, largest: bool) -> Any:
    """1 at the first extreme entry, 0 elsewhere."""
    places = jnp.arange(x.shape[axis]).reshape([-1 if a == axis % x.ndim else 1 for a in range(x.ndim)])
    return (places == arg(x, axis, largest, True)).astype(x.dtype)


def argsort(x: Any, axis: int, descending: bool) -> Any:
    """Positions in order of the entries; equal ones keep theirs."""
    if not descending:
        return jnp.argsort(x, axis, stable=True)
    return x.shape[axis] - 1 - jnp.flip(jnp.argsort(jnp.flip(x, axis), axis, stable=True), axis)


def running_arg(x: Any, axis: int, largest: bool) -> Any:
    """The position of the extreme so far, the last of equal ones."""
    x = x.astype(jnp.int8) if x.dtype == bool else x
    best = (jax.lax.cummax if largest else jax.lax.cummin)(x, axis=axis)
    places = jnp.arange(x.shape[axis]).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
    return jax.lax.cummax(jnp.where((x == best) | (x != x), places, 0), axis=axis)


def median_index(x: Any, axis: int) -> Any:
    """The position of the lower median, or of the first nan."""
    found = jnp.take(jnp.argsort(x, axis, stable=True), jnp.array([(x.shape[axis] - 1) // 2]), axis)
    nan = jnp.isnan(x)
    return jnp.where(nan.any(axis, keepdims=True), nan.argmax(axis, keepdims=True), found)


def median_of_all(x: Any, axes: Any) -> Any:
    """The lower median of the entries along axes, nan where one is."""
    rest = [a for a in range(x.ndim) if a not in axes]
    rows = jnp.sort(jnp.transpose(x, [*rest, *axes]).reshape([*(x.shape[a] for a in rest), -1]), -1)
    last, middle = rows[..., -1], rows[..., (rows.shape[-1] - 1) // 2]
    return jnp.where(last != last, last, middle)


def pick(x: Any, at: Any, axis: int) -> Any:
    """The entries at positions along an axis."""
    return jnp.take_along_axis(x, at, axis)


def put_back(g: Any, at: Any, axis: int, n: int) -> Any:
    """Zeros with every entry of g added at its position along an axis of size n."""
    key = [jnp.arange(m).reshape([-1 if a == k else 1 for a in range(g.ndim)]) for k, m in enumerate(g.shape)]
    key[axis] = at
    return jnp.zeros((*g.shape[:axis], n, *g.shape[axis + 1 :]), g.dtype).at[tuple(key)].add(g)


# ------------------------------------------------------------------ counting and searching
def logcumsumexp(x: Any, axis: int) -> Any:
    """Running log Σ exp."""
    return jax.lax.cumlogsumexp(x, axis=axis)


def nan_median_index(x: Any, axis: int) -> Any:
    """The position of the lower median of what is not nan."""
    count = jnp.sum(x == x, axis=axis, keepdims=True)
    return jnp.take_along_axis(jnp.argsort(x, axis, stable=True), jnp.maximum(count - 1, 0) // 2, axis)


def ranks(x: Any, q: Any, rounding: str, skip: bool) -> Any:
    """The positions of quantiles along the last axis: of the first nan, unless nan are left out."""
    q = jnp.atleast_1d(q)
    there = x == x
    total = jnp.sum(there, axis=-1, keepdims=True) if skip else x.shape[-1]
    places = getattr(jnp, rounding)(jnp.maximum(q * (total - 1.0), 0)).astype(int)
    places = jnp.broadcast_to(places, (*x.shape[:-1], q.shape[-1]))
    found = jnp.take_along_axis(jnp.argsort(x, -1, stable=True), places, -1)
    if skip:
        return found
    return jnp.where(there.all(-1, keepdims=True), found, jnp.argmin(there, -1)[..., None])


def search_sorted(row: Any, v: Any, right: bool) -> Any:
    """Where each entry would stand in a sorted row."""
    side = "right" if right else "left"
    if row.ndim == 1:
        return jnp.asarray(jnp.searchsorted(row, v, side), int)
    rows, wanted = row.reshape(-1, row.shape[-1]), v.reshape(-1, v.shape[-1])
    return jax.vmap(lambda r, w: jnp.searchsorted(r, w, side))(rows, wanted).reshape(v.shape).astype(int)


def mantissa(x: Any) -> Any:
    """m with x = m 2ᵉ and ½ ≤ |m| < 1."""
    return jnp.frexp(x)[0]


def binade(x: Any) -> Any:
    """The number 2⁻ᵉ that takes x to its mantissa."""
    return jnp.ldexp(jnp.ones_like(x), -jnp.frexp(x)[1])


def exponent(x: Any) -> Any:
    """e with x = m 2ᵉ and ½ ≤ |m| < 1."""
    return jnp.asarray(jnp.frexp(x)[1], int)
