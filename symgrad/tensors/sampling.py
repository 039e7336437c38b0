"""Tensors filled with random numbers in place: ``x.normal_()`` and its like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad.core.promotion import is_complex, is_integer
from symgrad.engine.generator import Generator, source
from symgrad.engine.record import Core, handle
from symgrad.errors import ArgumentError
from symgrad.ops.protocol import not_complex
from symgrad.ops.value import check_dtype, check_range


def check_deviation(std: Any) -> None:
    """Refuse a negative standard deviation."""
    if np.any(np.less(std, 0)):
        raise ArgumentError(f"normal expects std >= 0.0, but found std {np.min(std)}. Pass its absolute value.")


def check_probability(what: str, p: Any) -> None:
    """Refuse what is no probability."""
    p = np.asarray(p)
    if not np.all((p >= 0) & (p <= 1)):
        raise ArgumentError(f"{what} expects p to be in [0, 1], but got p={p.tolist()}. Apply sigmoid first.")


def drawn_parts(draw: Callable[[Any], Any], shape: Any, dtype: Any, scale: float = 1.0) -> Any:
    """Return random numbers of a shape; of a complex dtype both parts are drawn, and multiplied by ``scale``."""
    if dtype is None or not is_complex(check_dtype(dtype)):
        return draw(shape)
    return (draw(shape) + 1j * draw(shape)) * scale


class Sampling(Core):
    """In-place sampling. The gradient of what the tensor was is zero."""

    __slots__ = ()

    def _filled(self, values: Any) -> Any:
        me: Any = self
        return me.copy_(handle(None, np.asarray(values)))

    def _check_real(self, name: str) -> None:
        me: Any = self
        if is_complex(me.dtype):
            raise not_complex(name)

    def normal_(self, mean: float = 0, std: float = 1, *, generator: Generator | None = None) -> Any:
        """Fill with normal random numbers of this mean and standard deviation."""
        check_deviation(std)
        me: Any = self
        drawn = drawn_parts(source(generator).standard_normal, me.shape, me.dtype, 0.5**0.5)
        return self._filled(mean + std * drawn)

    def uniform_(self, a: float = 0, b: float = 1, *, generator: Generator | None = None) -> Any:
        """Fill with uniform random numbers in [a, b)."""
        if a > b:
            raise ArgumentError(
                f"uniform_ expects to return a [from, to) range, but found from={a} > to={b}. Swap them."
            )
        me: Any = self
        self._check_real("uniform_")
        return self._filled(a + (b - a) * source(generator).random(me.shape))

    def bernoulli_(self, p: Any = 0.5, *, generator: Generator | None = None) -> Any:
        """Fill with 1 with probability p, else 0."""
        me: Any = self
        chance = np.asarray(p._known("bernoulli_") if isinstance(p, Core) else p)  # type: ignore[attr-defined]
        check_probability("bernoulli_", chance)
        self._check_real("bernoulli_")
        return self._filled(source(generator).random(me.shape) < chance)

    def exponential_(self, lambd: float = 1, *, generator: Generator | None = None) -> Any:
        """Fill with exponential random numbers of rate lambd."""
        if not lambd > 0:
            raise ArgumentError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}. Pass a positive rate.")
        me: Any = self
        self._check_real("exponential_")
        return self._filled(source(generator).standard_exponential(me.shape) / lambd)

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
        return self._filled(source(generator).integers(low, high, me.shape))
