"""What a compiler of IR is given, and what it gives: text in, functions in memory out.

IR names no address: what it needs of this process, Python's objects and functions and the arrays of constants, it reads
from pointers of its own, which are set when the code is loaded. So the text tells a program apart from all others, and
what was compiled of it serves every process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol


class Level(NamedTuple):
    """How much is spent on optimisation: by the passes, which vectorise, and by the code generator."""

    passes: int
    generator: int


LOOPS = Level(3, 2)
ROUTINES = Level(2, 2)  # their loops have branches inside, of which the third level makes copies
_MOST = 1_000  # the generator's time rises faster than the length of straight-line code, and than its arrays' number


def straight_level(operations: int, arrays: int) -> Level:
    """Return how to compile straight-line code between arrays, whose operations are shared and folded already."""
    return Level(0, 2 if max(operations, arrays) <= _MOST else 0)


class Module(NamedTuple):
    """IR, how it is optimised, and the addresses that its pointers ``@link0``, ``@link1``, … are set to."""

    text: str
    level: Level
    links: tuple[int, ...]


class Machine(Protocol):
    """Compiled code; it lives as long as this object."""

    source: str  # what was compiled
    cached: bool  # whether it was found on disk

    def address(self, name: str) -> int:
        """Return the address of a function."""

    def assembly(self) -> str:
        """Return the code as the processor's assembly language."""


Assemble = Callable[[Module, bool], Machine]  # (IR, whether it is kept on disk)
