"""What differs in JAX's words from those of ``arrays``."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.special as special

expm = jax.scipy.linalg.expm


# ------------------------------------------------------------------ scalar functions
def complex_of(x: Any, y: Any) -> Any:
    """x + iy."""
    return jax.lax.complex(*jnp.broadcast_arrays(x, y))


def divided(f: Any, a: Any, b: Any) -> Any:
    """f, a division of integers, with 0 where b is 0."""
    return jnp.where(b == 0, 0, f(a, jnp.where(b == 0, 1, b)))


def erfcx(x: Any) -> Any:
    """Return exp(x²) erfc x: by its continued fraction where that has converged."""
    far = jnp.maximum(x, 2.0)
    f = far
    for k in range(120, 0, -1):
        f = far + k / 2 / f
    near = jnp.minimum(x, 2.0)
    return jnp.where(x > 2.0, 1 / (jnp.sqrt(jnp.pi) * f), jnp.exp(near * near) * special.erfc(near))


def digamma(x: Any) -> Any:
    """The derivative of log Γ, -∞ at 0."""
    return jnp.where(x == 0, -jnp.copysign(jnp.inf, x), special.digamma(x))


# ------------------------------------------------------------------ parts
def placed(g: Any, key: Any, shape: Any) -> Any:
    """Zeros with g in its place."""
    return jnp.zeros(shape, g.dtype).at[key].set(g)


def added(g: Any, key: Any, shape: Any) -> Any:
    """Zeros with every entry of g added to its place."""
    zeros = jnp.zeros(shape, g.dtype)
    return zeros.at[key].max(g) if g.dtype == bool else zeros.at[key].add(g)


def assembled(gs: Any, keys: Any, shape: Any) -> Any:
    """Zeros with each g added to its part."""
    array = jnp.zeros(shape, jnp.result_type(*gs))
    for g, key in zip(gs, keys):
        array = array.at[key].max(g) if array.dtype == bool else array.at[key].add(g)
    return array


def put(x: Any, key: Any, v: Any) -> Any:
    """A copy of x with v in place of a part."""
    return x.at[key].set(v)


# ------------------------------------------------------------------ along an axis
def running(x: Any, axis: int, largest: bool) -> Any:
    """The extreme so far."""
    x = x.astype(jnp.int8) if x.dtype == bool else x
    return (jax.lax.cummax if largest else jax.lax.cummin)(x, axis=axis)


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

    sums = jax.lax.scan(step, start, (a, rest), reverse=reverse)[1]
    both = [sums, start[None]] if reverse else [start[None], sums]
    return jnp.moveaxis(jnp.concatenate(both), 0, axis)


def logcumsumexp(x: Any, axis: int) -> Any:
    """Running log Σ exp."""
    return jax.lax.cumlogsumexp(x, axis=axis)


def search_sorted(row: Any, v: Any, right: bool) -> Any:
    """Where each entry would stand in a sorted row."""
    side = "right" if right else "left"
    if row.ndim == 1:
        return whole(jnp.searchsorted(row, v, side))
    rows, wanted = row.reshape(-1, row.shape[-1]), v.reshape(-1, v.shape[-1])
    return whole(jax.vmap(lambda r, w: jnp.searchsorted(r, w, side))(rows, wanted).reshape(v.shape))


def whole(x: Any) -> Any:
    """Integers for positions."""
    return jnp.asarray(x, int)


# ------------------------------------------------------------------ linear algebra
def cholesky(a: Any) -> Any:
    """The lower triangle L with L Lᵀ = a, of which the lower triangle is read."""
    return jnp.linalg.cholesky(a, symmetrize_input=False)


def eigh(x: Any, upper: bool) -> Any:
    """Eigenvalues, ascending, and eigenvectors of symmetric matrices."""
    return jnp.linalg.eigh(x, "U" if upper else "L", symmetrize_input=False)


# ------------------------------------------------------------------ loops
def scan(step: Any, carries: Any, xs: Any, shared: Any, length: int, reverse: bool, dtype: Any) -> Any:
    """Run the step for each slice: the last carries and the stacked results, in one vector."""

    def one(carry: Any, row: Any) -> Any:
        outputs = step(*carry, *row, *shared)
        new = tuple(jnp.asarray(c, b.dtype) for c, b in zip(outputs, carry))
        return new, tuple(outputs[len(carry) :])

    start = tuple(jnp.asarray(c) for c in carries)
    end, stacked = jax.lax.scan(one, start, tuple(xs), length=length, reverse=reverse)
    parts = [jnp.ravel(part).astype(dtype) for part in (*end, *stacked)]
    return jnp.concatenate(parts) if parts else jnp.zeros(0, dtype)
