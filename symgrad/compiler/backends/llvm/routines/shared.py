"""A routine whose outermost loop has turns of their own, as matrices of a batch are: threads share its chunks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgrad.compiler.backends.llvm.chunks import CHUNK, bounds_of, shared
from symgrad.compiler.backends.llvm.code import ZERO, Used
from symgrad.compiler.backends.llvm.instructions import Function, Recorder, pointers
from symgrad.compiler.backends.llvm.routines import translate
from symgrad.compiler.backends.llvm.steps import Routine

STATUS = "status"  # the variable that counts what failed
_LEAST = 1 << 16  # primitives of a routine that is worth it
_GRAIN = 1 << 14  # about how many a chunk has
_MOST = 64  # chunks
_STACK = 1 << 15  # entries of scratch that a chunk has for itself
_LOOP = re.compile(r"for (\w+) in range\((\d+)\):")


@dataclass(frozen=True)
class Turns:
    """The outermost loop of a routine: its variable, and how many turns it has, which are apart."""

    name: str
    count: int

    def bounded(self, lines: Sequence[str]) -> list[str]:
        """Return the lines with the turns from lo to hi only."""
        first, loop, *rest = lines
        return [first, loop.replace(f"range({self.count})", "range(lo, hi)"), *rest]


@dataclass(frozen=True)
class Chunks:
    """The turns of a loop, and how many of them a chunk has."""

    turns: Turns
    length: int

    @property
    def count(self) -> int:
        """The number of chunks."""
        return -(-self.turns.count // self.length)


def turns_of(step: Routine) -> Turns | None:
    """Return the loop that is all of a routine; None where it is another, or where its turns meet."""
    loops = [n for n, line in enumerate(step.lines) if not line.startswith(" ")]
    meet = step.op.accumulates and not step.op.running  # running sums meet within rows alone
    if meet or loops != [0, 1] or sum(step.scratch.values()) > _STACK:
        return None
    match = _LOOP.fullmatch(step.lines[1])
    return None if match is None or int(match[2]) < 2 else Turns(match[1], int(match[2]))


def chunks_of(step: Routine) -> Chunks | None:
    """Return how a routine is cut; None where its turns meet, or where it is small."""
    turns = turns_of(step)
    if turns is None or step.work < _LEAST:
        return None
    length = max(-(-turns.count * _GRAIN // step.work), -(-turns.count // _MOST))
    return Chunks(turns, length) if length < turns.count else None


def functions(name: str, step: Routine, kinds: Mapping[str, str], used: Used, chunks: Chunks) -> list[Function]:
    """Return ``@name.range``, which runs some turns, and ``@name.chunk``, which finds its own."""
    lines = chunks.turns.bounded(step.lines)
    after = Recorder()
    after.store("double", after.load("double", f"%v.{STATUS}", name="%count"), "%status")
    after.give()
    more, bounds = pointers(["%status"]), ["lo", "hi"]
    ranged = translate.functions(f"{name}.range", lines, kinds, used, after.blocks, more, bounds, step.scratch)
    arrays = [n for n in kinds if n not in step.scratch]
    code = Recorder()
    for m, n in enumerate([*arrays, "status"]):
        code.load("ptr", code.place("ptr", "%context", m, name=f"%at{m}"), name=f"%a.{n}")
    bounds_of(code, chunks.length, chunks.turns.count)
    code.place("double", "%a.status", "%number", name="%own")
    arguments = [*[("ptr", f"%a.{n}") for n in arrays], ("i64", "%lo"), ("i64", "%hi"), ("ptr", "%own")]
    code.call("void", f"@{name}.range", *arguments)
    code.give()
    return [*ranged, code.function(f"{name}.chunk", CHUNK)]


def run(code: Recorder, name: str, step: Routine, kinds: Mapping[str, str], used: Used, chunks: Chunks) -> None:
    """Append what has all chunks run, and adds up as ``%status`` what failed."""
    arrays = [*[f"a.{n}" for n in kinds if n not in step.scratch], "statuses"]
    code.room("double", chunks.count, name="%statuses")
    code.room("ptr", len(arrays), name="%context")
    for m, n in enumerate(arrays):
        code.store("ptr", f"%{n}", code.place("ptr", "%context", m, name=f"%at{m}"))
    shared(code, name, chunks.count, used)
    total = ZERO
    for c in range(chunks.count if step.fails else 0):
        count = code.load("double", code.place("double", "%statuses", c, name=f"%s{c}"), name=f"%d{c}")
        total = code.set("fadd", "double", total, count, name="%status" if c == chunks.count - 1 else f"%t{c}")
