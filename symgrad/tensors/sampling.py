"""Tensors filled with random numbers in place: ``x.normal_()`` and its like."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.core.promotion import COMPLEX128, FLOAT64, is_complex, is_integer
from symgrad.engine.generator import Generator, drawn
from symgrad.engine.record import TensorBase
from symgrad.errors import ArgumentError
from symgrad.ops.protocol import not_complex
from symgrad.ops.value import check_range


def check_deviation(std: Any) -> None:
    """Refuse a negative standard deviation."""
    if np.any(np.less(std, 0)):
        raise ArgumentError(f"normal expects std >= 0.0, but found std {np.min(std)}. Pass its absolute value.")


def check_probability(what: str, p: Any) -> None:
    """Refuse values outside [0, 1]; a tensor without a value is not checked."""
    p = p._value if isinstance(p, TensorBase) else p
    if p is None:
        return
    p = np.asarray(p)
    if not np.all((p >= 0) & (p <= 1)):
        raise ArgumentError(f"{what} expects p to be in [0, 1], but got p={p.tolist()}. Apply sigmoid first.")


def numbers(rng: Any, kind: str, shape: Any, dtype: Any, scale: float = 1.0) -> Any:
    """Draw an array; of a complex dtype both parts, which are multiplied by ``scale``."""
    draw = getattr(rng, kind)
    sample = (draw(shape) + 1j * draw(shape)) * scale if is_complex(dtype) else draw(shape)
    return np.asarray(sample, dtype)


def integers(rng: Any, low: int, high: int, shape: Any, dtype: Any) -> Any:
    """Draw integers in [low, high)."""
    return np.asarray(rng.integers(low, high, shape), dtype)


def successes(p: Any, shape: Any, generator: Generator | None) -> Any:
    """Draw booleans that are true with probability p: a number, an array, or a tensor without a value."""
    return p > drawn(generator, numbers, "random", shape, FLOAT64)


class Sampling(TensorBase):
    """In-place sampling. The gradient of what the tensor was is zero."""

    __slots__ = ()

    def _check_real(self, name: str) -> None:
        me: Any = self
        if is_complex(me.dtype):
            raise not_complex(name)

    def normal_(self, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Any:
        """Fill with normal random numbers of this mean and standard deviation."""
        check_deviation(std)
        me: Any = self
        dtype = COMPLEX128 if is_complex(me.dtype) else FLOAT64
        return me.copy_(mean + std * drawn(generator, numbers, "standard_normal", me.shape, dtype, 0.5**0.5))

    def uniform_(self, a: float = 0, b: float = 1, *, generator: Generator | None = None) -> Any:
        """Fill with uniform random numbers in [a, b)."""
        if a > b:
            raise ArgumentError(
                f"uniform_ expects to return a [from, to) range, but found from={a} > to={b}. Swap them."
            )
        me: Any = self
        self._check_real("uniform_")
        return me.copy_(a + (b - a) * drawn(generator, numbers, "random", me.shape, FLOAT64))

    def bernoulli_(self, p: Any = 0.5, *, generator: Generator | None = None) -> Any:
        """Fill with 1 with probability p, else 0."""
        me: Any = self
        check_probability("bernoulli_", p)
        self._check_real("bernoulli_")
        return me.copy_(successes(p, me.shape, generator))

    def exponential_(self, lambd: float = 1, *, generator: Generator | None = None) -> Any:
        """Fill with exponential random numbers of rate lambd."""
        if not lambd > 0:
            raise ArgumentError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}. Pass a positive rate.")
        me: Any = self
        self._check_real("exponential_")
        return me.copy_(drawn(generator, numbers, "standard_exponential", me.shape, FLOAT64) / lambd)

    def log_normal_(self, mean: float = 1, std: float = 2, *, generator: Generator | None = None) -> Any:
        """Fill with exp(mean + std ε), ε standard normal."""
        check_deviation(std)
        self._check_real("log_normal_")
        me: Any = self
        return me.copy_(np.exp(mean + std * drawn(generator, numbers, "standard_normal", me.shape, FLOAT64)))

    def cauchy_(self, median: float = 0, sigma: float = 1, *, generator: Generator | None = None) -> Any:
        """Fill with Cauchy random numbers of this median and scale."""
        if not sigma > 0:
            raise ArgumentError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}. Pass a positive scale.")
        me: Any = self
        self._check_real("cauchy_")
        angle = np.pi * (drawn(generator, numbers, "random", me.shape, FLOAT64) - 0.5)
        return me.copy_(median + sigma * np.tan(angle))

    def geometric_(self, p: float, *, generator: Generator | None = None) -> Any:
        """Fill with how often one tries until a success of probability p, at least 1."""
        if not 0 < p < 1:
            raise ArgumentError(f"geometric_ expects p to be in (0, 1), but got p={p}. Pass a probability.")
        me: Any = self
        self._check_real("geometric_")
        u = 1 - drawn(generator, numbers, "random", me.shape, FLOAT64)
        return me.copy_(np.ceil(np.log(u) / np.log1p(-p)).clip(1))

    def random_(self, low: int = 0, high: int | None = None, *, generator: Generator | None = None) -> Any:
        """Fill with whole random numbers in [low, high), or [0, low) of one; by default of 53 bits, or what x holds."""
        me: Any = self
        self._check_real("random_")
        whole = min(2**53, np.iinfo(me.dtype).max + 1) if is_integer(me.dtype) else 2**53
        low, high = (0, low or whole) if high is None else (low, high)
        if low >= high:
            raise ArgumentError(
                f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}. Swap them."
            )
        check_range([low, high - 1], me.dtype)
        return me.copy_(drawn(generator, integers, low, high, me.shape, np.int64))
