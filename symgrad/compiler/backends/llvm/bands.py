"""Steps that go through the rows of their arrays, a band of rows at a time, so that what lies between them is in cache.

Softmax of many rows is six loops, each of which would read from memory what the one before has written there. A band of
rows goes through all of them before the next does; what nobody else reads has memory for one band only. Threads share
the bands, whose lengths depend on shapes alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from symgrad.compiler.backends.llvm import chunks, loops
from symgrad.compiler.backends.llvm.code import Used, kind_of
from symgrad.compiler.backends.llvm.instructions import Function, Recorder, pointers
from symgrad.compiler.backends.llvm.memory import Buffer
from symgrad.compiler.backends.llvm.routines import translate
from symgrad.compiler.backends.llvm.routines.shared import turns_of
from symgrad.compiler.backends.llvm.steps import Band, Nest, Routine, Step, buffers_of, written_by
from symgrad.compiler.primitives.elements import Elements
from symgrad.compiler.primitives.views import View
from symgrad.core.promotion import is_floating

_LEAST = 1 << 20  # bytes that the steps touch, from which a band pays
_ROWS = 64  # rows from which it does
_BYTES = 1 << 17  # about how many a band of rows has in all arrays
_FEW = 4  # bands that there are at least
_SUMS = 1 << 17  # bytes of the sums over rows, of which each band has its own
_STACK = 1 << 17  # bytes that a band has for itself on the stack; more come from the heap
_MOST = 200  # steps of a plan that are looked through, each beside each


def banded(steps: list[Step], e: Elements) -> list[Step]:
    """Return the steps with those in bands that pay."""
    if len(steps) > _MOST:
        return steps
    touched, written = [set(buffers_of(s)) for s in steps], [written_by(s) for s in steps]
    uses = Counter(b for own in touched for b in own)
    after: list[Step] = []
    left = list(range(len(steps)))
    while left:
        first, rest = _Group.of(steps[left[0]], e), left[1:]
        later: list[int] = []  # steps that are not taken; what they touch and write, a step before them may not
        touched_later, written_later = set[Buffer](), set[Buffer]()
        for n in rest if first else ():
            assert first is not None
            if written[n] & touched_later or touched[n] & written_later or not first.takes(steps[n]):
                later.append(n)
                touched_later |= touched[n]
                written_later |= written[n]
        band = first.band(uses) if first else None
        after.append(band or steps[left[0]])
        left = later if band else rest
    return after


@dataclass
class _Use:
    """How a step uses a buffer: so many entries of it belong to each row, or None where rows meet there."""

    row: int | None
    writes: bool


class _Group:
    """Steps on arrays of so many rows: each computes a row of its results from one of what the others write."""

    def __init__(self, rows: int, e: Elements) -> None:
        self.rows, self.e = rows, e
        self.steps: list[Nest | Routine] = []
        self.uses: dict[Buffer, list[_Use]] = {}

    @classmethod
    def of(cls, step: Step, e: Elements) -> _Group | None:
        """Return the group that begins with a step; None where that has no rows."""
        shape = step.dims if isinstance(step, Nest) else step.result.shape if isinstance(step, Routine) else ()
        group = cls(shape[0] if shape else 0, e)
        return group if group.rows >= _ROWS and group.takes(step) else None

    def takes(self, step: Step) -> bool:
        """Add a step, if it goes through these rows, and reads of what is written here the same ones only."""
        uses = _of_nest(step, self.rows, self.e) if isinstance(step, Nest) else _of_routine(step, self.rows)
        if uses is None or not isinstance(step, (Nest, Routine)):
            return False
        joint = {b: [*self.uses.get(b, []), *own] for b, own in uses.items()}
        if any(any(u.writes for u in all_) and not _by_rows(all_) for all_ in joint.values()):
            return False
        self.uses |= joint
        self.steps.append(step)
        return True

    def band(self, uses: Counter[Buffer]) -> Band | None:
        """Return the group as one step; None where that does not pay. ``uses``: how many steps touch a buffer."""
        by_rows = {b: own[0].row for b, own in self.uses.items() if own[0].row and _by_rows(own)}
        touched = Counter(b for s in self.steps for b in set(buffers_of(s)))
        each = sum(row * b.dtype.itemsize for b, row in by_rows.items() if row)
        if len(self.steps) < 2 or not each or sum(b.size * b.dtype.itemsize for b in self.uses) < _LEAST:
            return None
        sums = 8 * sum(_cells(v) for s in self.steps if isinstance(s, Nest) for _, _, v in s.sums if not v.steps[0])
        length = max(1, _BYTES // each, -(-self.rows * sums // _SUMS))
        if length >= 64:
            length -= length % 64
        own = {b: row for b, row in by_rows.items() if b.kind == "w" and row and uses[b] == touched[b]}
        return Band(self.rows, length, self.steps, own) if _FEW * length <= self.rows else None


def _cells(view: View) -> int:
    """Return how many numbers a sum over rows has."""
    return prod(n for n, s in zip(view.shape, view.steps, strict=True) if s)


def _by_rows(uses: Sequence[_Use]) -> bool:
    """Whether rows stay apart in a buffer: each use has as many entries to a row, or only one adds to the whole."""
    first = uses[0].row
    return len(uses) == 1 if first == 0 else first is not None and all(u.row == first for u in uses)


def _of_nest(nest: Nest, rows: int, e: Elements) -> dict[Buffer, list[_Use]] | None:
    """Return how a nest uses its buffers; None where its loops do not go through the rows."""
    if nest.dims[:1] != (rows,) or nest.edges is not None or nest.onto is not None or nest.tile is not None:
        return None
    if 0 in nest.dims or (nest.sums and loops.is_checked(nest, e)):
        return None
    if not all(is_floating(v.memory.dtype) for _, _, v in nest.sums):
        return None
    uses: dict[Buffer, list[_Use]] = {}
    for k, v in nest.loads.items():
        uses.setdefault(v.memory, []).append(_Use(None if k in nest.at else _row(v), writes=False))
    for _, v in nest.stores:
        uses.setdefault(v.memory, []).append(_Use(_row(v), writes=True))
    for _, _, v in nest.sums:
        row = 0 if not v.steps[0] else _row(v)
        uses.setdefault(v.memory, []).append(_Use(row, writes=True))
    return uses


def _row(view: View) -> int | None:
    """Return how many entries further on the next row lies, if the rows lie one after the other."""
    step = view.steps[0]
    within = [(n - 1) * s for n, s in zip(view.shape[1:], view.steps[1:], strict=True)]
    apart = step > 0 and all(w >= 0 for w in within) and view.offset + sum(within) < step
    return step if apart and view.memory.size == step * view.shape[0] else None


def _of_routine(step: Step, rows: int) -> dict[Buffer, list[_Use]] | None:
    """Return how a routine uses its buffers; None where its turns are not the rows."""
    loop = turns_of(step) if isinstance(step, Routine) and not step.fails else None
    if loop is None or not isinstance(step, Routine) or loop.count != rows:
        return None
    if step.result.shape[:1] != (rows,) or 0 in (getattr(step.op, "axis", None), *getattr(step.op, "axes", ())):
        return None
    views = [*[a for a in step.args if isinstance(a, View)], step.result]
    uses: dict[Buffer, list[_Use]] = {}
    for name, (b, offset) in step.arrays.items():
        if name in step.scratch:
            continue
        steps = {_row(v) if v.shape[:1] == (rows,) and not offset else None for v in views if v.memory == b}
        row = steps.pop() if len(steps) == 1 else None
        if row is not None and not _moves_by(step.lines, name, loop.name, row):
            row = None
        uses.setdefault(b, []).append(_Use(row, writes=b in written_by(step)))
    return uses


def _moves_by(lines: Sequence[str], array: str, turn: str, row: int) -> bool:
    """Whether all places in an array that lines name move by so many entries with each turn."""
    text = "\n".join(lines)
    places = re.findall(rf"\b{array}(?:\[|, )([^\],]*)", text)
    moved = re.compile(rf"(?:^|[ (]){f'{row}[*]' if row > 1 else ''}{turn}(?:$|[ )])")
    return len(places) == len(re.findall(rf"\b{array}\b", text)) and all(map(moved.search, places))


# ------------------------------------------------------------------ the functions
def functions(name: str, band: Band, e: Elements, used: Used) -> tuple[list[Function], list[Buffer]]:
    """Return ``@name(buffers…)``, after what it calls, and the buffers it takes."""
    chunk, every, joins = Recorder(), [], []
    partial: list[Buffer] = []
    buffers = list(dict.fromkeys(b for s in band.steps for b in _taken(s) if b not in band.own))
    for k, step in enumerate(band.steps):
        if isinstance(step, Nest):
            sums = []
            for kind, r, view in step.sums:
                if view.steps[0]:
                    sums.append((kind, r, view))
                    continue
                own = chunks.partial_sum(len(partial), view)
                sums.append((kind.removesuffix(" onto"), r, own))
                joins.append(chunks.joining(band.count, own.memory, kind, view))
                partial.append(own.memory)
            step = replace(step, sums=sums)
            axis, turns = loops.row_loop(step)
            more, taken = loops.function(f"{name}.{k}", step, e, used, bounded=axis)
            places = [f"%{b.name}" for b in taken]
        else:
            more, places, turns = *_of_turns(chunk, f"{name}.{k}", step, used), 1
        every += more
        ends = [chunk.set("mul", "i64", x, str(turns), flags=("nuw", "nsw")) for x in ("%lo", "%hi")]
        chunk.call("void", f"@{name}.{k}", *[("ptr", p) for p in places], *[("i64", x) for x in ends])
    whole = Recorder()
    chunks.share(whole, name, band.count, [*buffers, *partial], used)
    for k, nest in enumerate(joins):
        more, taken = loops.function(f"{name}.join{k}", nest, e, used)
        every += more
        whole.lines.append(loops.call(f"{name}.join{k}", taken))
    whole.give()
    params = pointers([f"%{b.name}" for b in buffers], alone=True)
    return [*every, _chunk(name, band, [*buffers, *partial], chunk), whole.function(name, params, "noinline")], buffers


def _chunk(name: str, band: Band, taken: list[Buffer], steps: Recorder) -> Function:
    """``@name.chunk(context, number)``: finds its memory, gives what is its own a place, and calls the steps."""
    code = Recorder("b")
    chunks.context(code, taken)
    chunks.bounds_of(code, band.length, band.rows)
    sizes = band.sizes
    with code.memory("%own", sum(sizes.values()), _STACK):
        start = 0
        for b, row in band.own.items():  # places are those of all rows
            before = code.set("mul", "i64", "%lo", str(-row * b.dtype.itemsize), flags=("nsw",))
            code.place("i8", "%own", code.set("add", "i64", before, str(start), flags=("nsw",)), name=f"%{b.name}")
            start += sizes[b]
        code.lines += steps.lines
    code.give()
    return code.function(f"{name}.chunk", chunks.CHUNK)


def _taken(step: Nest | Routine) -> list[Buffer]:
    """Return the buffers that a step's function is given."""
    if isinstance(step, Nest):
        return loops.buffers_of(step)
    return [b for n, (b, _) in step.arrays.items() if n not in step.scratch]


def _of_turns(code: Recorder, name: str, step: Routine, used: Used) -> tuple[list[Function], list[str]]:
    """Return ``@name(arrays…, lo, hi)``, which runs some turns of a routine, and append where its arrays are."""
    loop, places = turns_of(step), []
    assert loop is not None  # else it would be in no band
    kinds = {n: kind_of(b.dtype) for n, (b, _) in step.arrays.items()}
    every = translate.functions(name, loop.bounded(step.lines), kinds, used, integers=["lo", "hi"], own=step.scratch)
    for n, (b, offset) in step.arrays.items():
        if n not in step.scratch:
            places.append(code.place("i8", f"%{b.name}", offset * b.dtype.itemsize))
    return every, places
