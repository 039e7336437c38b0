"""Where random numbers come from: torch's ``Generator`` on NumPy's PCG64."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from symgrad.engine.record import Core, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, NumberRangeError

_FIRST = 67280421310721  # where torch's generators start, too
_PARTS = {"state": 16, "inc": 16, "has_uint32": 1, "uinteger": 4, "seed": 8}  # bytes


class Generator:
    """A source of random numbers with a state of its own, to be passed as ``generator=``.

    A new one starts from the same seed each time. The stream is that of NumPy's ``default_rng``, not torch's.

    >>> g = sg.Generator().manual_seed(3)
    >>> bool((sg.rand(2, generator=g) == sg.rand(2, generator=g.manual_seed(3))).all())
    True
    """

    def __init__(self) -> None:
        self._seed = _FIRST
        self._made: Any = None  # on first use: importing numpy.random is not free

    def __repr__(self) -> str:
        return f"<symgrad.Generator of initial seed {self._seed}>"

    @property
    def numpy(self) -> np.random.Generator:
        """NumPy's generator, which holds the state."""
        if self._made is None:
            self._made = np.random.default_rng(self._seed)
        return self._made  # type: ignore[no-any-return]

    def manual_seed(self, seed: int) -> Generator:
        """Start again from a seed, and return the generator.

        Args:
            seed: a whole number from -2⁶³ to 2⁶⁴ - 1; negative ones count from 2⁶⁴ downwards.

        Raises:
            ArgumentTypeError: the seed is no whole number.
            NumberRangeError: it lies outside.
        """
        if isinstance(seed, bool) or not hasattr(seed, "__index__"):
            raise ArgumentTypeError(f"manual_seed expected a long, but got {type(seed).__name__}. Pass an integer.")
        number = int(seed)
        if not -(2**63) <= number < 2**64:
            raise NumberRangeError(f"Overflow when unpacking long long. Got the seed {number}; pass one of 64 bits.")
        self._seed, self._made = number % 2**64, None
        return self

    def seed(self) -> int:
        """Start again from a seed that the operating system draws, and return it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """The seed that it started from."""
        return self._seed

    def get_state(self) -> Any:
        """Return the state as a tensor of bytes."""
        state = self.numpy.bit_generator.state
        numbers = {**state, **state["state"], "seed": self._seed}
        data = b"".join(int(numbers[name]).to_bytes(size, "little") for name, size in _PARTS.items())
        return handle(None, np.frombuffer(data, np.uint8).copy())

    def set_state(self, new_state: Any) -> Generator:
        """Go on from a state that ``get_state`` returned.

        Raises:
            ArgumentTypeError: it is no tensor of bytes.
            ArgumentError: it has another size.
        """
        if not isinstance(new_state, Core) or np.asarray(new_state._value).dtype != np.uint8:
            raise ArgumentTypeError("RNG state must be a torch.ByteTensor. Pass what get_state() returned.")
        data = np.asarray(new_state._value).tobytes()
        if len(data) != sum(_PARTS.values()):
            raise ArgumentError(
                f"Expected a generator state of size {sum(_PARTS.values())} but found the input RNG state size to be "
                f"{len(data)}. Pass what get_state() returned."
            )
        numbers, start = {}, 0
        for name, size in _PARTS.items():
            numbers[name], start = int.from_bytes(data[start : start + size], "little"), start + size
        self._seed = numbers["seed"]
        self._made = np.random.Generator(np.random.PCG64())
        self._made.bit_generator.state = {
            "bit_generator": "PCG64", "state": {"state": numbers["state"], "inc": numbers["inc"]},
            "has_uint32": numbers["has_uint32"], "uinteger": numbers["uinteger"],
        }  # fmt: skip
        return self


default_generator = Generator()
default_generator.seed()


def source(generator: Generator | None) -> np.random.Generator:
    """Return NumPy's generator behind ``generator=``; None is the one that ``manual_seed`` seeds."""
    if generator is None:
        return default_generator.numpy
    if not isinstance(generator, Generator):
        raise ArgumentTypeError(
            f"generator: got {type(generator).__name__}. Expected sg.Generator(), or None for the default one."
        )
    return generator.numpy
