"""Random tensors, and the seed behind them."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.core.device import placed
from symgrad.core.modes import get_default_dtype
from symgrad.core.node import GRAD, Cell
from symgrad.core.promotion import FLOAT64, is_complex, is_floating
from symgrad.engine.generator import Generator, default_generator, drawn
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError
from symgrad.ops.map import broadcast_shapes
from symgrad.ops.protocol import not_complex
from symgrad.ops.value import check_dtype, check_range
from symgrad.support.arguments import check_all
from symgrad.tensors.creation import leaf, like, size_of
from symgrad.tensors.sampling import check_deviation, integers, numbers
from symgrad.tensors.tensor import Tensor

__all__ = [
    "Generator", "bernoulli", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "multinomial",
    "normal", "poisson", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "seed",
    "set_rng_state",
]  # fmt: skip


def manual_seed(seed: int) -> Generator:
    """Seed the default generator, and return it."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seed the default generator from the operating system, and return the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed that the default generator started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the state of the default generator, as a tensor of bytes."""
    state: Tensor = default_generator.get_state()
    return state


def set_rng_state(new_state: Tensor) -> None:
    """Restore a state of the default generator that ``get_rng_state`` returned."""
    default_generator.set_state(new_state)


def _dtype(dtype: Any) -> np.dtype[Any]:
    return get_default_dtype() if dtype is None else check_dtype(dtype)


def _made(t: Any, requires_grad: bool, name: str | None) -> Tensor:
    """Return what was drawn as a leaf; without a value it is one, of whatever traces the function."""
    if t._value is not None:
        return leaf(t._value, requires_grad, name)
    if requires_grad:
        t._node.level, t._node.cell = GRAD, Cell()
    return t  # type: ignore[no-any-return]


# ------------------------------------------------------------------ by size
@placed
def rand(
    *sizes: Any, size: Any = None, generator: Generator | None = None, dtype: Any = None, requires_grad: bool = False,
    name: str | None = None, device: Any = None,
) -> Tensor:  # fmt: skip
    """Return uniform random numbers in [0, 1); for a complex dtype, in both parts."""
    return _made(drawn(generator, numbers, "random", size_of(sizes, size), _dtype(dtype)), requires_grad, name)


@placed
def randn(
    *sizes: Any, size: Any = None, generator: Generator | None = None, dtype: Any = None, requires_grad: bool = False,
    name: str | None = None, device: Any = None,
) -> Tensor:  # fmt: skip
    """Return standard normal random numbers; for a complex dtype, E|z|² = 1, with half of it in each part."""
    noise = drawn(generator, numbers, "standard_normal", size_of(sizes, size), _dtype(dtype), 0.5**0.5)
    return _made(noise, requires_grad, name)


@placed
def randint(
    low: int = 0, high: int | None = None, size: Any = (), *, generator: Generator | None = None, dtype: Any = None,
    name: str | None = None, device: Any = None,
) -> Tensor:  # fmt: skip
    """Return uniform random integers in [low, high), or [0, low) if high is a size.

    Raises:
        ArgumentError: if the range is empty.
        NumberRangeError: if the dtype does not hold them all.
    """
    if high is None or isinstance(high, (tuple, list)):
        low, high, size = 0, low, high if isinstance(high, (tuple, list)) else size
    if low >= high:
        raise ArgumentError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}. Pass the smaller first."
        )
    wanted = check_dtype(np.int64 if dtype is None else dtype)
    check_range([low, high - 1], wanted)
    return _made(drawn(generator, integers, low, high, size_of((size,)), wanted), False, name)


@placed
def randperm(n: int, *, generator: Generator | None = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Return the integers 0, …, n - 1 in random order.

    >>> sg.randperm(4).sum()
    tensor(6)
    """
    (count,) = size_of((n,))
    return _made(drawn(generator, _permutation, count, _dtype(np.int64 if dtype is None else dtype)), False, None)


def _permutation(rng: Any, count: int, dtype: Any) -> Any:
    return rng.permutation(count).astype(dtype)


@placed
def rand_like(
    input: Any, *, generator: Generator | None = None, dtype: Any = None, requires_grad: bool = False,
    name: str | None = None, device: Any = None,
) -> Tensor:  # fmt: skip
    """Return uniform random numbers with the shape and the dtype of input."""
    shape, dtype = like(input, dtype)
    return rand(shape, generator=generator, dtype=dtype, requires_grad=requires_grad, name=name)


@placed
def randn_like(
    input: Any, *, generator: Generator | None = None, dtype: Any = None, requires_grad: bool = False,
    name: str | None = None, device: Any = None,
) -> Tensor:  # fmt: skip
    """Return standard normal random numbers with the shape and the dtype of input."""
    shape, dtype = like(input, dtype)
    return randn(shape, generator=generator, dtype=dtype, requires_grad=requires_grad, name=name)


@placed
def randint_like(
    input: Any,
    low: int,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """Return uniform random integers in [low, high), or [0, low), with the shape and the dtype of input."""
    shape, dtype = like(input, dtype)
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, shape, generator=generator, dtype=dtype)


# ------------------------------------------------------------------ by distribution
@placed
def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None, dtype: Any = None,
    requires_grad: bool = False, device: Any = None,
) -> Tensor:  # fmt: skip
    """Return normal random numbers μ + σ ε with the given means and standard deviations, which broadcast.

    Gradients flow to μ and σ with ε held fixed; in PyTorch, they are zero.

    Args:
        mean, std: numbers or tensors.
        size: the shape, if both are numbers.

    Raises:
        ArgumentError: if a deviation is negative.

    >>> sg.normal(sg.tensor([1.0, 2.0]), 0.0)
    tensor([1., 2.])
    """
    mu, sigma = as_tensor(mean), as_tensor(std)
    if any(is_complex(np.dtype(t)) for t in (mu.dtype, sigma.dtype, np.float64 if dtype is None else dtype)):
        raise not_complex("normal")
    if sigma._value is not None:
        check_deviation(sigma._value)
    sizes = broadcast_shapes(mu.shape, sigma.shape) if size is None else size_of((size,))
    kept = next((x.dtype for x in (mean, std) if isinstance(x, Tensor) and is_floating(x.dtype)), None)
    noise = drawn(generator, numbers, "standard_normal", sizes, FLOAT64)
    sample = (mu + sigma * noise).to(_dtype(dtype or kept))
    followed = mu.requires_grad or sigma.requires_grad or mu._value is None or sigma._value is None
    return sample if followed and not requires_grad else _made(sample, requires_grad, None)


def bernoulli(input: Any, p: float | None = None, *, generator: Generator | None = None) -> Tensor:
    """Draw 1 with a given probability, and 0 otherwise, for each entry.

    Args:
        input: the probabilities, any shape; if p is given, only the shape counts.
        p: one probability for all entries.
        generator: the source of random numbers; by default the generator that ``manual_seed`` seeds.

    Raises:
        ArgumentError: if a probability lies outside [0, 1].

    >>> sg.bernoulli(sg.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    return as_tensor(input).bernoulli(p, generator=generator)  # type: ignore[no-any-return]


def poisson(input: Any, *, generator: Generator | None = None) -> Tensor:
    """Draw random counts from Poisson distributions with the given rates.

    Args:
        input: rates ≥ 0, any shape.
        generator: the source of random numbers; by default the generator that ``manual_seed`` seeds.

    Returns:
        A tensor with the shape and the dtype of input, without a gradient.

    Raises:
        ArgumentError: if a rate is negative or nan.
        DTypeError: if the rates are complex.

    >>> sg.poisson(sg.tensor([0.0, 0.0]))
    tensor([0., 0.])
    """
    rates = as_tensor(input)
    if is_complex(rates.dtype):
        raise not_complex("poisson")
    if rates._value is not None and not np.all(np.asarray(rates._value) >= 0):
        raise ArgumentError(
            "poisson expects rates of at least 0. Got a negative one or nan; apply exp or softplus first."
        )
    return _made(drawn(generator, _events, rates.detach(), rates.dtype), False, None)


def _events(rng: Any, rates: Any, dtype: Any) -> Any:
    return np.asarray(rng.poisson(np.asarray(rates)), dtype)


def multinomial(
    input: Any, num_samples: int, replacement: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Draw indices with probabilities proportional to the weights in each row.

    Args:
        input: weights ≥ 0, (m,) or (n, m).
        num_samples: the number of draws in each row.
        replacement: whether an index may be drawn again.

    Returns:
        Integers, (num_samples,) or (n, num_samples).

    Raises:
        ArgumentError: if a weight is negative, none is positive, or there are too few for a draw without replacement.

    >>> sg.multinomial(sg.tensor([0.0, 2.0, 0.0]), 3, replacement=True)
    tensor([1, 1, 1])
    """
    return as_tensor(input).multinomial(num_samples, replacement, generator=generator)  # type: ignore[no-any-return]


check_all(globals(), __all__)
