"""jax.random's names: numbers that are functions of a key, with JAX's bits; and torch.random's, of the generator.

A key is a tensor of two integers. Threefry-2x32 (Salmon et al., 2011) makes bits of it by additions, rotations and
exclusive ors, which are traced, batched and compiled as all operations are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.core.modes import get_default_dtype
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.functions import argmax, argsort, cumsum, log, log1p, maximum, searchsorted, stack
from symgrad.special import erfinv
from symgrad.support.arguments import check_all, shown
from symgrad.support.namespace import namespace
from symgrad.tensors.creation import arange, as_tensor, tensor, zeros_like
from symgrad.tensors.random import get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from symgrad.tensors.tensor import Tensor

__all__ = [
    "PRNGKey", "bernoulli", "bits", "categorical", "choice", "exponential", "fold_in", "get_rng_state", "gumbel",
    "initial_seed", "key", "manual_seed", "normal", "permutation", "randint", "seed", "set_rng_state", "split",
    "uniform",
]  # fmt: skip

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_MANTISSA = {32: 23, 64: 52}


# ------------------------------------------------------------------ keys
def key(seed: int) -> Tensor:
    """Return the key of a seed, a tensor (2,) of its upper and lower 32 bits; ``PRNGKey`` is the same.

    >>> sg.random.normal(sg.random.key(0), (2,))
    tensor([-0.2058, -0.7848])
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise ArgumentTypeError(f"random.key: got seed={shown(seed)}. Expected an integer.")
    return tensor(np.array([int(seed) >> 32 & 0xFFFFFFFF, int(seed) & 0xFFFFFFFF], np.uint32))


PRNGKey = key


def split(key: Any, num: int | Sequence[int] = 2) -> Tensor:
    """Return num keys, (num, 2), or (…, 2) of several axes, whose numbers are independent of one another."""
    return stack(_words(key, _shape(num)), -1)


def fold_in(key: Any, data: Any) -> Tensor:
    """Return a key that depends on an integer as well, such as the number of a step."""
    number = as_tensor(data).to(np.dtype(np.uint32))
    return stack(_threefry(_checked(key), zeros_like(number), number), -1)


def _checked(key: Any) -> Tensor:
    key = as_tensor(key)
    if key.dtype != np.uint32 or key.shape != (2,):
        raise ArgumentError(
            f"random: got a key of shape {list(key.shape)} and dtype {key.dtype}. Expected one key, from "
            "sg.random.key(0) or a row of sg.random.split(key); map over several by sg.vmap."
        )
    return key  # type: ignore[no-any-return]


def _shape(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _threefry(key: Tensor, x: Any, y: Any) -> tuple[Any, Any]:
    """Hash the pair (x, y) of 32 bits each. Source: Salmon, Moraes, Dror, Shaw 2011, with 20 rounds."""
    keys = (key[0], key[1], key[0] ^ key[1] ^ np.uint32(0x1BD11BDA))
    x, y = x + keys[0], y + keys[1]
    for i in range(5):
        for r in _ROTATIONS[i % 2]:
            x = x + y
            y = (y << r | y >> 32 - r) ^ x
        x, y = x + keys[(i + 1) % 3], y + keys[(i + 2) % 3] + np.uint32(i + 1)
    return x, y


def _words(key: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Return two words of 32 bits for every place of a shape."""
    number = arange(math.prod(shape)).to(np.dtype(np.uint32)).reshape(shape)
    return _threefry(_checked(key), zeros_like(number), number)


# ------------------------------------------------------------------ numbers
def bits(key: Any, shape: Any = (), dtype: Any = np.uint64) -> Tensor:
    """Return uniformly distributed integers of 32 or 64 bits, ``dtype`` uint32 or uint64."""
    x, y = _words(key, _shape(shape))
    if np.dtype(dtype) == np.uint32:
        return x ^ y  # type: ignore[no-any-return]
    if np.dtype(dtype) == np.uint64:
        wide = np.dtype(np.uint64)
        return x.to(wide) << np.uint64(32) | y.to(wide)  # type: ignore[no-any-return]
    raise ArgumentError(f"random.bits: got dtype={dtype}. Expected uint32 or uint64.")


def uniform(key: Any, shape: Any = (), dtype: Any = None, minval: Any = 0.0, maxval: Any = 1.0) -> Tensor:
    """Return numbers of the uniform distribution on [minval, maxval), in float32 or float64."""
    kind = np.dtype(dtype or get_default_dtype())
    if kind not in (np.float32, np.float64):
        raise ArgumentError(f"random.uniform: got dtype={kind}. Expected float32 or float64.")
    width = 8 * kind.itemsize
    word, mantissa = np.dtype(f"uint{width}"), _MANTISSA[width]
    x = (bits(key, shape, word) >> word.type(width - mantissa)).to(kind) * kind.type(2.0**-mantissa)
    low, high = as_tensor(minval).to(kind), as_tensor(maxval).to(kind)
    return maximum(low, x * (high - low) + low)


def normal(key: Any, shape: Any = (), dtype: Any = None) -> Tensor:
    """Return numbers of the standard normal distribution, √2 erf⁻¹(u) with u uniform on (−1, 1)."""
    kind = np.dtype(dtype or get_default_dtype())
    u = uniform(key, shape, kind, np.nextafter(kind.type(-1), kind.type(0)), 1.0)
    return erfinv(u) * kind.type(math.sqrt(2))  # type: ignore[no-any-return]


def exponential(key: Any, shape: Any = (), dtype: Any = None) -> Tensor:
    """Return numbers of the exponential distribution of rate 1, −log(1 − u)."""
    return -log1p(-uniform(key, shape, dtype))


def gumbel(key: Any, shape: Any = (), dtype: Any = None) -> Tensor:
    """Return numbers of the standard Gumbel distribution, −log(−log u)."""
    kind = np.dtype(dtype or get_default_dtype())
    return -log(-log(uniform(key, shape, kind, np.finfo(kind).tiny)))


def bernoulli(key: Any, p: Any = 0.5, shape: Any = None) -> Tensor:
    """Return booleans that are true with probability p."""
    p = as_tensor(p).to(get_default_dtype())
    return uniform(key, p.shape if shape is None else shape, p.dtype) < p  # type: ignore[no-any-return]


def randint(key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = np.int64) -> Tensor:
    """Return integers that are uniformly distributed on minval, …, maxval − 1."""
    kind = np.dtype(dtype)
    if kind not in (np.int32, np.int64):
        raise ArgumentError(f"random.randint: got dtype={kind}. Expected int32 or int64.")
    word = np.dtype(f"uint{8 * kind.itemsize}")
    upper, lower = (bits(k, shape, word) for k in split(key))
    low, high = as_tensor(minval).to(kind), as_tensor(maxval).to(kind)
    span = maximum((high - low), tensor(kind.type(1))).to(word)
    half = tensor(word.type(2 ** (4 * kind.itemsize))) % span
    offset = (upper % span * (half * half % span) + lower % span) % span  # 2ᵇ·upper + lower, modulo the span
    return low + offset.to(kind)


def permutation(key: Any, x: Any, axis: int = 0) -> Tensor:
    """Return x with its slices along an axis in random order, or the numbers 0, …, x − 1 in random order."""
    x = arange(x) if isinstance(x, int) else as_tensor(x)
    order = arange(x.shape[axis])
    for _ in range(math.ceil(3 * math.log(max(1, x.shape[axis])) / math.log(2**32 - 1))):
        key, own = split(key)
        order = order[argsort(bits(own, order.shape, np.uint32), stable=True)]
    return x.index_select(axis, order)  # type: ignore[no-any-return]


def choice(key: Any, a: Any, shape: Any = (), replace: bool = True, p: Any = None) -> Tensor:
    """Return entries of a, or of 0, …, a − 1; with probabilities p where they are given."""
    a = arange(a) if isinstance(a, int) else as_tensor(a)
    if p is not None and not replace:
        raise ArgumentError("random.choice: p needs replace=True.")
    if p is not None:
        ends = cumsum(as_tensor(p), 0)
        return a[searchsorted(ends, ends[-1] * (1 - uniform(key, shape, ends.dtype)))]  # type: ignore[no-any-return]
    if replace:
        return a[randint(key, shape, 0, a.shape[0])]  # type: ignore[no-any-return]
    count = math.prod(_shape(shape))
    if count > a.shape[0]:
        raise ArgumentError(f"random.choice: got {count} entries of {a.shape[0]} without replacement.")
    return permutation(key, a)[:count].reshape(_shape(shape))


def categorical(key: Any, logits: Any, axis: int = -1, shape: Any = None) -> Tensor:
    """Return indices k with probabilities proportional to exp(logits_k), by Gumbel's maximum."""
    logits = as_tensor(logits)
    batch = tuple(np.delete(logits.shape, axis)) if shape is None else _shape(shape)
    noise = gumbel(key, (*batch[: len(batch) - logits.ndim + 1], *logits.shape), logits.dtype)
    return argmax(noise + logits, axis if axis < 0 else axis - logits.ndim)


__getattr__, __dir__ = namespace(globals(), __all__)

check_all(globals(), __all__)
