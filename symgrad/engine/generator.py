"""Where random numbers come from: PyTorch's ``Generator`` on NumPy's PCG64.

Everything random is a ``Draw``: a function of NumPy's generator. Where a function is traced for many calls, a ``Tape``
takes the draws, and each call makes them anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from symgrad.core.device import CPU
from symgrad.core.device import device as device_named
from symgrad.core.journal import Journal, changing_state, unchanged
from symgrad.core.kernels import canonical
from symgrad.core.node import TRACED, Leaf
from symgrad.engine.record import TensorBase, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, NumberRangeError
from symgrad.support.arguments import check_all
from symgrad.support.foreign_draws import watched

_FIRST = 67280421310721  # where PyTorch's generators start, too
_PARTS = {"state": 16, "inc": 16, "has_uint32": 1, "uinteger": 4, "seed": 8}  # bytes


class Generator:
    """A source of random numbers with its own state, to be passed as ``generator=``.

    A new one starts from the same seed each time. The stream is that of NumPy's ``default_rng``, not PyTorch's.

    >>> g = sg.Generator().manual_seed(3)
    >>> bool((sg.rand(2, generator=g) == sg.rand(2, generator=g.manual_seed(3))).all())
    True
    """

    def __init__(self, device: Any = None) -> None:
        CPU if device is None else device_named(device)
        self._seed = _FIRST
        self._made: Any = None  # on first use: importing numpy.random is not free
        _done(_Seeded(self, _FIRST))

    def __repr__(self) -> str:
        return f"<symgrad.Generator of initial seed {self._seed}>"

    @property
    def numpy(self) -> np.random.Generator:
        """NumPy's generator, which holds the state."""
        if self._made is None:
            self._made = np.random.default_rng(self._seed)
        return self._made  # type: ignore[no-any-return]

    def manual_seed(self, seed: int) -> Generator:
        """Seed the generator, and return it.

        Args:
            seed: an integer from -2⁶³ to 2⁶⁴ - 1; negative ones count from 2⁶⁴ downwards.

        Raises:
            ArgumentTypeError: if the seed is not an integer.
            NumberRangeError: if the seed is out of range.
        """
        if isinstance(seed, bool) or not hasattr(seed, "__index__"):
            raise ArgumentTypeError(f"manual_seed expected a long, but got {type(seed).__name__}. Pass an integer.")
        number = int(seed)
        if not -(2**63) <= number < 2**64:
            raise NumberRangeError(f"Overflow when unpacking long long. Got the seed {number}; pass one of 64 bits.")
        if not _done(_Seeded(self, number % 2**64)):
            self.start(number % 2**64)
        return self

    def start(self, seed: int) -> None:
        """Start again from a seed in range."""
        changing_state(self)
        self._seed, self._made = seed, None

    def snapshot(self) -> Any:
        """Return the state for ``go_back``."""
        return self._seed, self._made, None if self._made is None else self._made.bit_generator.state

    def go_back(self, before: Any) -> None:
        """Restore a state."""
        self._seed, self._made, state = before
        if state is not None:
            self._made.bit_generator.state = state

    def seed(self) -> int:
        """Seed the generator from the operating system, and return the seed."""
        check_untraced("seed()", "Call it before, or pass a number to manual_seed()")
        self.start(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed from which the generator started."""
        return self._seed

    def get_state(self) -> Any:
        """Return the state as a tensor of bytes."""
        check_untraced("get_state()", "Call it outside")
        state = self.numpy.bit_generator.state
        numbers = {**state, **state["state"], "seed": self._seed}
        data = b"".join(int(numbers[name]).to_bytes(size, "little") for name, size in _PARTS.items())
        return handle(None, np.frombuffer(data, np.uint8).copy())

    def set_state(self, new_state: Any) -> Generator:
        """Restore a state that ``get_state`` returned.

        Raises:
            ArgumentTypeError: if the state is not a tensor of bytes.
            ArgumentError: if the size differs.
        """
        if not isinstance(new_state, TensorBase) or np.asarray(new_state._value).dtype != np.uint8:
            raise ArgumentTypeError("RNG state must be a torch.ByteTensor. Pass what get_state() returned.")
        data = np.asarray(new_state._value).tobytes()
        if len(data) != sum(_PARTS.values()):
            raise ArgumentError(
                f"Expected a generator state of size {sum(_PARTS.values())} but found the input RNG state size to be "
                f"{len(data)}. Pass what get_state() returned."
            )
        check_untraced("set_state()", "Call it outside")
        changing_state(self)
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


# ------------------------------------------------------------------ draws
class Reading:
    """What a function reads anew at every call: arrays of the same shapes and dtypes, as if they were drawn.

    Args:
        arrays: returns them.
        fits: whether all else that the function was traced with is as it was.
    """

    def __init__(self, arrays: Callable[[], list[Any]], fits: Callable[[], bool] = lambda: True) -> None:
        self.arrays = self.examples = arrays
        self.fits = fits


class Draw:
    """Random numbers: what a function makes of NumPy's generator and some arguments.

    Args:
        generator: symgrad's, NumPy's, or None for the one that ``manual_seed`` seeds.
        function: from NumPy's generator and ``args`` to an array.
        args: what else it takes.
    """

    def __init__(self, generator: Any, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self.generator, self.function, self.args = generator, function, args

    def arrays(self) -> list[Any]:
        """Draw the arrays from the generator."""
        return [self.function(_moved(self.generator), *self.args)]

    def examples(self) -> list[Any]:
        """Return the like, and leave the generator alone."""
        return [self.function(np.random.default_rng(0), *self.args)]


class Repeated:
    """The random numbers of a loop: the draws of its steps, stacked along a new first axis."""

    def __init__(self, draws: Sequence[Any], length: int, reverse: bool) -> None:
        self.draws, self.length, self.reverse = draws, length, reverse

    def arrays(self) -> list[Any]:
        """Draw, step by step."""
        steps = [[y for draw in self.draws for y in draw.arrays()] for _ in range(self.length)]
        return [np.stack(ys) for ys in zip(*steps[:: -1 if self.reverse else 1], strict=True)] or self.examples()

    def examples(self) -> list[Any]:
        """Return arrays of the same shapes and dtypes."""
        arrays = [np.asarray(y) for draw in self.draws for y in draw.examples()]
        return [np.zeros((self.length, *y.shape), y.dtype) for y in arrays]


class _Seeded:
    """A generator that starts again from a seed; nothing is drawn."""

    def __init__(self, generator: Generator, seed: int) -> None:
        self.generator, self.seed = generator, seed

    def arrays(self) -> list[Any]:
        """Start the generator from the seed, and draw nothing."""
        self.generator.start(self.seed)
        return []

    def examples(self) -> list[Any]:
        """Return as much."""
        return []


class Tape:
    """Takes the draws of a traced function, and hands out tensors without values, or ``ready`` ones, in their place."""

    def __init__(self, ready: Sequence[Any] | None = None) -> None:
        self.draws: list[Any] = []
        self.leaves: list[Leaf] = []
        self._ready = None if ready is None else iter(ready)

    def take(self, draw: Any) -> list[Any]:
        """Return the tensors that stand for the arrays of a draw."""
        self.draws.append(draw)
        if self._ready is not None:
            return [next(self._ready) for _ in draw.examples()]
        leaves = [_leaf(np.asarray(y)) for y in draw.examples()]
        self.leaves += leaves
        return [handle(leaf, None) for leaf in leaves]


class Refusing(Tape):
    """Refuses to draw: for functions that are traced once, or that run again and must return the same."""

    def __init__(self, who: str, why: str = "which would be the same for ever") -> None:
        super().__init__()
        self.who, self.why = who, why

    def take(self, draw: Any) -> list[Any]:
        """Raise GraphError: no random numbers are drawn here."""
        raise GraphError(
            f"{self.who}: the function draws random numbers, {self.why}. Pass them as an argument, or call "
            "model.eval() where dropout draws them."
        )


_TAPE: ContextVar[Tape | None] = ContextVar("symgrad_tape", default=None)
tape = _TAPE.get


@contextmanager
def taping(by: Tape) -> Iterator[Tape]:
    """Let a tape take the draws inside."""
    token = _TAPE.set(by)
    try:
        yield by
    finally:
        _TAPE.reset(token)


@contextmanager
def once(who: str, fn: Any) -> Iterator[Journal]:
    """Run a user's function to trace it once: it may draw no random numbers, and its side effects are undone."""
    with watched(who, fn), unchanged() as journal, taping(Refusing(who)):
        yield journal


def _leaf(example: Any) -> Leaf:
    leaf = Leaf(None, example.shape, TRACED)
    leaf.dtype = example.dtype
    return leaf


def drawn(generator: Any, function: Callable[..., Any], *args: Any) -> Any:
    """Return what a function draws from a generator, as a tensor: without a value where a tape takes the draw.

    ``function(rng, *args)`` returns an array, whose shape and dtype depend on ``args`` only.
    """
    (tensor,) = taken(Draw(_checked(generator), function, args))
    return tensor


def taken(draw: Any) -> list[Any]:
    """Return the tensors of a draw."""
    by = _TAPE.get()
    return [handle(None, canonical(np.asarray(y))) for y in draw.arrays()] if by is None else by.take(draw)


def _done(draw: _Seeded) -> bool:
    """Whether a tape recorded an action on a generator."""
    by = _TAPE.get()
    if by is not None:
        by.take(draw)
    return by is not None


def _checked(generator: Any) -> Any:
    if generator is None or isinstance(generator, (Generator, np.random.Generator)):
        return generator
    raise ArgumentTypeError(
        f"generator: got {type(generator).__name__}. Expected sg.Generator(), or None for the default one."
    )


def _moved(generator: Any) -> np.random.Generator:
    """Return NumPy's generator, about to be drawn from."""
    if isinstance(generator, np.random.Generator):
        return generator
    chosen: Generator = default_generator if generator is None else generator
    changing_state(chosen)
    return chosen.numpy


def is_traced_for_calls() -> bool:
    """Whether a function is traced that may have effects besides its results, as by ``sg.compile``."""
    by = _TAPE.get()
    return by is not None and not isinstance(by, Refusing)


def check_untraced(what: str, advice: str) -> None:
    """Refuse what would happen once, where a function is traced for many calls."""
    if _TAPE.get() is not None:
        raise GraphError(
            f"{what}: the function that calls it is traced once for many calls, and it would not be called again. "
            f"{advice}."
        )


default_generator = Generator()
default_generator.seed()


def source(generator: Generator | None) -> np.random.Generator:
    """Return NumPy's generator behind ``generator=``, for draws that do not become tensors.

    Raises:
        GraphError: if a function is being traced, because all its calls would use the numbers that are drawn now.
    """
    check_untraced("shuffling", "Draw the order outside, and pass it as an argument")
    return _moved(_checked(generator))


check_all(globals(), ["Generator"])
