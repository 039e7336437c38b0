"""What a compiler of machine code is given, and what it gives: functions as values in, functions in memory out.

They name no address: what they need of this process, Python's objects and functions and the arrays of constants, they
read from pointers of their own, which are set when the code is loaded. So the text tells a program apart from all
others, and what was compiled of it serves every process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from symgrad.compiler.backends.llvm.instructions import Function


class Level(NamedTuple):
    """The optimisation levels of the passes, which vectorise, and of the code generator."""

    passes: int
    generator: int


LOOPS = Level(3, 2)
ROUTINES = Level(2, 2)  # their loops have branches inside, of which the third level makes copies
_MOST = 1_000  # the generator's time rises faster than the length of straight-line code, and than its arrays' number


def straight_level(operations: int, arrays: int) -> Level:
    """Return how to compile straight-line code between arrays, whose operations are shared and folded already."""
    return Level(0, 2 if max(operations, arrays) <= _MOST else 0)


class Module(NamedTuple):
    """Functions, how they are optimised, and the addresses that the pointers ``@link0``, ``@link1``, … are set to.

    ``tables`` are constant arrays of integers, by their names.
    """

    functions: Sequence[Function]
    level: Level
    links: tuple[int, ...] = ()
    tables: Mapping[str, tuple[int, ...]] = {}


class Machine(Protocol):
    """Compiled code; it lives as long as this object."""

    source: str  # what was compiled
    cached: bool  # whether it was found on disk

    def address(self, name: str) -> int:
        """Return the address of a function."""

    def assembly(self) -> str:
        """Return the code as the processor's assembly language."""


Assemble = Callable[[Module, float | None], Machine]  # (functions, seconds of compiling from which it goes to disk)
