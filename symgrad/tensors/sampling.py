"""Random numbers by methods: in place, ``x.normal_()`` and its like, and with the probabilities that x holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.core.promotion import COMPLEX128, FLOAT64, is_complex, is_floating, is_integer
from symgrad.engine.generator import Generator, drawn
from symgrad.engine.record import TensorBase
from symgrad.errors import ArgumentError, DTypeError, ShapeError
from symgrad.ops.protocol import not_complex
from symgrad.ops.value import check_range, torch_dtype


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


def _indices(rng: Any, weights: Any, num_samples: int, replacement: bool) -> Any:
    rows = weights.reshape(-1, weights.shape[-1]).astype(np.float64)
    if replacement:
        edges = np.cumsum(rows, 1)
        at = rng.random((len(rows), num_samples)) * edges[:, -1:]
        indices = np.array([np.searchsorted(e, a, side="right") for e, a in zip(edges, at, strict=True)])
    else:  # the first arrivals of Poisson processes with these rates
        with np.errstate(divide="ignore"):
            indices = np.argsort(rng.standard_exponential(rows.shape) / rows, 1)[:, :num_samples]
    return indices.reshape(*weights.shape[:-1], num_samples).astype(np.int64)


def _check_weights(weights: Any, count: int, replacement: bool) -> None:
    if weights.ndim not in (1, 2):
        raise ShapeError(f"prob_dist must be 1 or 2 dim. Got {weights.ndim} axes; reshape it to rows.")
    if not is_floating(weights.dtype):
        raise DTypeError(
            f"multinomial only supports floating-point dtypes for input, got: {torch_dtype(weights)}. "
            "Convert it with .to(sg.float64)."
        )
    if count <= 0:
        raise ArgumentError(f"cannot sample n_sample <= 0 samples. Got {count}; request at least one.")
    if not replacement and count > weights.shape[-1]:
        raise ArgumentError(
            f"cannot sample n_sample > prob_dist.size(-1) samples without replacement. Got {count} samples of "
            f"{weights.shape[-1]} weights; pass replacement=True."
        )
    if not np.all(np.isfinite(weights) & (weights >= 0)):
        raise ArgumentError("probability tensor contains either `inf`, `nan` or element < 0. Apply softmax first.")
    if not np.all(weights.sum(-1) > 0):
        raise ArgumentError(
            "invalid multinomial distribution (sum of probabilities <= 0). At least one weight must be positive."
        )


class Sampling(TensorBase):
    """Sampling. In place, the gradient of what the tensor was is zero."""

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
        """Fill with uniform random numbers in [a, b); of a complex tensor both parts."""
        if a > b:
            raise ArgumentError(
                f"uniform_ expects to return a [from, to) range, but found from={a} > to={b}. Swap them."
            )
        me: Any = self
        u = drawn(generator, numbers, "random", (2, *me.shape) if is_complex(me.dtype) else me.shape, FLOAT64)
        x = a + (b - a) * u
        return me.copy_(x[0] + 1j * x[1] if is_complex(me.dtype) else x)

    def bernoulli(self, p: Any = None, *, generator: Generator | None = None) -> Any:
        """See ``symgrad.bernoulli``."""
        me: Any = self
        check_probability("bernoulli", me if p is None else p)
        return successes(me.detach() if p is None else p, me.shape, generator).to(me.dtype)

    def multinomial(self, num_samples: int, replacement: bool = False, *, generator: Generator | None = None) -> Any:
        """See ``symgrad.multinomial``."""
        me: Any = self
        weights = np.asarray(me._known("multinomial"))
        _check_weights(weights, num_samples, replacement)
        return drawn(generator, _indices, weights, num_samples, replacement)

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
