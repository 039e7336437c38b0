"""What the test table is made of: inputs, rows, cases (a row with one sample) and kinks. The rows are in cases."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

# ------------------------------------------------------------------ inputs
# A spec is a function of a random generator, or an array.
Spec = Any


def real(*shape: int, lo: float = -2.0, hi: float = 2.0) -> Spec:
    """Uniform numbers."""
    return lambda rng: rng.uniform(lo, hi, shape)


def apart(*shape: int) -> Spec:
    """Numbers of either sign, none near 0, no two near each other, even in size: no ties, no kinks."""
    n = int(np.prod(shape))
    return lambda rng: (0.2 * (rng.permutation(n) - n // 2) + 0.07).reshape(shape)


def nonzero(*shape: int) -> Spec:
    """Numbers of either sign whose size is between 0.3 and 2."""
    return lambda rng: rng.uniform(0.3, 2.0, shape) * rng.choice([-1.0, 1.0], shape)


def square(*shape: int) -> Spec:
    """Well-conditioned square matrices, not symmetric, with determinant of either sign."""
    return lambda rng: rng.uniform(-1, 1, shape) + 2 * np.eye(shape[-1])[::-1]


def upright(*shape: int) -> Spec:
    """Well-conditioned square matrices with a positive determinant."""
    return lambda rng: rng.uniform(-0.5, 0.5, shape) + 2 * np.eye(shape[-1])


def raw(values: Any, dtype: Any = np.float64) -> Spec:
    """These very numbers."""
    return np.array(values, dtype=dtype)


def ints(values: Any) -> Spec:
    """These integers."""
    return np.array(values, dtype=np.int64)


def bools(values: Any) -> Spec:
    """These booleans."""
    return np.array(values, dtype=bool)


def between(lo: float, hi: float) -> Callable[..., Spec]:
    """Numbers from an interval, any shape."""
    return lambda *shape: real(*shape, lo=lo, hi=hi)


def evens(*shape: int) -> Spec:
    """Multiples of 0.4 less 0.5, in random order: never equal to ``odds``."""
    return lambda rng: rng.permutation(int(np.prod(shape))).reshape(shape) * 0.4 - 0.5


def odds(*shape: int) -> Spec:
    """Multiples of 0.4 less 0.3, in random order: never equal to ``evens``."""
    return lambda rng: rng.permutation(int(np.prod(shape))).reshape(shape) * 0.4 - 0.3


# ------------------------------------------------------------------ a row
SAME = object()  # torch runs the very same lines


@dataclass(frozen=True)
class Row:
    """A function, inputs for it, and what is known of it."""

    name: str
    f: Callable[..., Any]
    samples: Sequence[tuple[Spec, ...]]
    peer: Any = SAME  # torch's spelling where it differs: peer(torch, *xs); None where torch cannot
    fixed: tuple[int, ...] = ()  # positions of floating-point inputs that are data, not differentiated
    analytic: bool = False  # the NumPy forward pass accepts complex numbers and is analytic
    discrete: bool = False  # no gradient: the value is all there is
    rtol: float = 1e-6  # of finite differences
    peer_rtol: float = 1e-10  # of gradients against torch; a row says why where it is larger

    @property
    def cases(self) -> list[Case]:
        """One case per sample."""
        return [Case(self, k) for k in range(len(self.samples))]


@dataclass(frozen=True)
class Case:
    """A row with one of its samples."""

    row: Row
    number: int

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """The inputs."""
        rng = np.random.default_rng(zlib.crc32(f"{self.row.name} {self.number}".encode()))
        return tuple(np.asarray(s(rng) if callable(s) else s) for s in self.row.samples[self.number])

    @property
    def free(self) -> tuple[int, ...]:
        """The positions to differentiate by."""
        return tuple(k for k, a in enumerate(self.arrays) if a.dtype.kind == "f" and k not in self.row.fixed)

    @property
    def points(self) -> list[Any]:
        """The inputs to differentiate by."""
        return [self.arrays[k] for k in self.free]

    def function(self, lib: Any, make: Callable[[Any], Any], f: Any = None) -> Callable[..., Any]:
        """The row as a function of the free inputs only; ``make`` turns the other arrays into tensors."""
        call, free = f or self.row.f, self.free

        def bound(*xs: Any) -> Any:
            given = dict(zip(free, xs, strict=True))
            return call(lib, *[given[k] if k in given else make(a) for k, a in enumerate(self.arrays)])

        return bound

    @property
    def empty(self) -> bool:
        """Whether an input has no entries."""
        return any(a.size == 0 for a in self.arrays)

    def __str__(self) -> str:
        shapes = "-".join("x".join(map(str, a.shape)) or "0d" for a in self.arrays)
        return f"{self.row.name}-{shapes}-{self.number}"


# ------------------------------------------------------------------ a kink
@dataclass(frozen=True)
class Kink:
    """A point where the derivative is a convention: the gradients of the sum of f, one per input.

    ``differs`` says why torch's answer is another one; without it, torch must give the same.
    """

    name: str
    f: Callable[..., Any]
    inputs: tuple[Any, ...]
    gradients: tuple[Any, ...]
    differs: str = ""
    rtol: float = 0.0

    def is_close(self, found: Any, expected: Any) -> bool:
        """Whether a gradient is the expected one, to ``rtol`` of each entry, or of 1 where it is 0."""
        expected = np.asarray(expected, dtype=np.float64)
        with np.errstate(invalid="ignore"):
            slack = self.rtol * np.where(expected == 0, 1.0, np.abs(expected))
            return bool(np.all((found == expected) | (np.abs(found - expected) <= slack)))

    def __str__(self) -> str:
        return self.name
