"""Machine code's instructions as values, in the shape that LLVM's language has; what writes text comes later.

``text`` writes them as LLVM's language, and ``c/translate`` as C. Operands are names (``%x`` of a value, ``@f`` of a
function, a table or a link) and constants: integers, ``0x`` and the bits of a double, true, false, null.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import numpy as np

MASKED = "masked"  # a loop's hint that it is short: vectorise it with masks, without a scalar rest
ROLLED = "rolled"  # a loop's hint that it is not written out, but vectorised, with as many vectors a turn as it says
KEPT = "kept"  # a loop's hint that it stays one, neither unrolled nor vectorised, which would take long


class Instruction(NamedTuple):
    """``result = opcode flags type operands``; the result is empty where there is none.

    Most have one type, of operands and result. Otherwise:

    - icmp, fcmp: the type is that of the operands, the flag is how they compare
    - conversions: the type is the result's, the flag the operand's
    - select: the first operand is a condition
    - call: the callee and its arguments, whose types are the flags
    - load, store: the place is the last operand, the flag is the order of an atomic one
    - getelementptr: a place, and how many entries of the type further on, which is a number of the flag's type
    - alloca: the number of entries, none for a single one; the flag is their alignment
    - br: a label, or a condition and two labels; the flag is the loop's hint
    - phi: values and the labels that they come from, in turns
    - insertelement, shufflevector: the first lane of a vector, of the flag's type, and that in all lanes
    - extractelement: a vector of the flag's type, and the lane
    - atomicrmw, cmpxchg: the place comes first; the flags say what is done, and its order
    """

    result: str
    opcode: str
    type: str
    operands: tuple[str, ...]
    flags: tuple[str, ...] = ()

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The values of a phi, and the labels of the blocks that they come from."""
        return list(zip(self.operands[::2], self.operands[1::2], strict=True))

    @property
    def targets(self) -> tuple[str, ...]:
        """The labels that a branch goes to."""
        return self.operands if len(self.operands) == 1 else self.operands[1:]


class Block(NamedTuple):
    """Instructions under a label; the last leaves it."""

    label: str
    instructions: list[Instruction]

    @property
    def phis(self) -> list[Instruction]:
        """A value that depends on the block from which control comes."""
        return [x for x in self.instructions if x.opcode == "phi"]


class Parameter(NamedTuple):
    """A parameter; memory that nothing else points to is ``alone``."""

    type: str
    name: str
    alone: bool = False


class Function(NamedTuple):
    """A function: its name without a sign, and its blocks, of which the first may have no label."""

    name: str
    parameters: tuple[Parameter, ...]
    blocks: list[Block]
    attributes: str = ""
    type: str = "void"
    internal: bool = True

    def renamed(self, old: str, new: str) -> Function:
        """Return the function with a name replaced at the beginning of functions' names, its own and what it calls."""
        blocks = [
            Block(b.label, [_renamed(x, f"@{old}", f"@{new}") if x.opcode == "call" else x for x in b.instructions])
            for b in self.blocks
        ]
        return self._replace(name=self.name.replace(old, new), blocks=blocks)

    @property
    def key(self) -> tuple[object, ...]:
        """The key of a function in tables."""
        return self.name, self.parameters, *[(b.label, *b.instructions) for b in self.blocks]


def _renamed(x: Instruction, old: str, new: str) -> Instruction:
    if not any(o.startswith(old) for o in x.operands):
        return x
    return x._replace(operands=tuple(o.replace(old, new) for o in x.operands))


def vector(number: str, wide: int) -> str:
    """Return the type of a vector; it lies in memory where its numbers do, in steps of one of them."""
    return f"<{wide} x {number}>"


def constant(value: float, kind: str) -> str:
    """Return a number's text, exactly."""
    if kind == "f32":
        with np.errstate(over="ignore"):
            value = float(np.float32(value))
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


_instruction = partial(tuple.__new__, Instruction)  # which does in half the time what the class does


def pointers(names: Iterable[str], alone: bool = False) -> list[Parameter]:
    """Return parameters that are pointers."""
    return [Parameter("ptr", name, alone) for name in names]


class Recorder:
    """Blocks of instructions that grow; new values are named by a prefix and their number."""

    def __init__(self, prefix: str = "v", label: str = "") -> None:
        self.prefix, self.count = prefix, 0
        self.lines: list[Instruction] = []  # of the block at hand
        self._blocks = [Block(label, self.lines)]

    @property
    def blocks(self) -> list[Block]:
        """The blocks, but for a first one that is empty."""
        return [b for b in self._blocks if b.instructions]

    def label(self, name: str) -> None:
        """Begin a block."""
        self.lines = []
        self._blocks.append(Block(name, self.lines))

    def set(
        self, opcode: str, type: str, *operands: str, flags: tuple[str, ...] = (), name: str | None = None
    ) -> str:  # fmt: skip
        """Append an instruction, and return its result, of the given name or a new one; none where that is empty."""
        if name is None:
            self.count += 1
            name = f"%{self.prefix}{self.count}"
        self.lines.append(_instruction((name, opcode, type, operands, flags)))
        return name

    def load(self, type: str, place: str, name: str | None = None) -> str:
        """Append the reading of memory."""
        return self.set("load", type, place, name=name)

    def store(self, type: str, value: str, place: str) -> None:
        """Append the writing of memory."""
        self.lines.append(Instruction("", "store", type, (value, place)))

    def place(self, type: str, start: str, entries: str | int, index: str = "i64", name: str | None = None) -> str:
        """Append the address so many entries of the type further on; ``index`` is the type of their number."""
        return self.set("getelementptr", type, start, str(entries), flags=(index,), name=name)

    def call(self, type: str, callee: str, *arguments: tuple[str, str], name: str | None = None) -> str:
        """Append a call with arguments, (type, operand) each; it has a result unless that is void."""
        types = tuple(t for t, _ in arguments)
        name = "" if type == "void" else name
        return self.set("call", type, callee, *[x for _, x in arguments], flags=types, name=name)

    def phi(self, type: str, *choices: str, name: str) -> str:
        """Append what has another value by the block that came before: values and labels in turns."""
        return self.set("phi", type, *choices, name=name)

    def go(self, label: str, hint: str = "") -> None:
        """End the block: go on at a label."""
        self.lines.append(Instruction("", "br", "void", (label,), (hint,) if hint else ()))

    def branch(self, condition: str, yes: str, no: str, hint: str = "") -> None:
        """End the block: go on at one label where a condition holds, else at another."""
        self.lines.append(Instruction("", "br", "i1", (condition, yes, no), (hint,) if hint else ()))

    def give(self, type: str = "void", value: str = "") -> None:
        """End the function with a result."""
        self.lines.append(Instruction("", "ret", type, (value,) if value else ()))

    def room(self, type: str, entries: int | None = None, align: int = 0, name: str | None = None) -> str:
        """Append memory that the function has for itself: for one number, or for so many entries."""
        size = () if entries is None else (str(entries),)
        return self.set("alloca", type, *size, flags=(str(align),) if align else (), name=name)

    def spread(self, number: str, value: str, wide: int) -> str:
        """Append the vector that has a number in all lanes."""
        type = vector(number, wide)
        first = self.set("insertelement", type, value, flags=(number,))
        return self.set("shufflevector", type, first, flags=(str(wide),))

    @contextmanager
    def memory(self, name: str, size: int, most: int, align: int = 64) -> Iterator[None]:
        """Give what follows so many bytes: on the function's stack if there are at most ``most``, else on the heap."""
        if size > most:
            self.call("ptr", "@malloc", ("i64", str(size)), name=name)
        else:
            self.room("i8", max(1, size), align=align, name=name)
        yield
        if size > most:
            self.call("void", "@free", ("ptr", name))

    def function(
        self, name: str, parameters: Iterable[Parameter], attributes: str = "", type: str = "void", *,
        internal: bool = True,
    ) -> Function:  # fmt: skip
        """Return all as a function."""
        return Function(name, tuple(parameters), self.blocks, attributes, type, internal)
