"""What a plan consists of: nests, loops, and operations outside machine code; and the workspace they share."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Protocol

from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.llvm.memory import Buffer, Shape, overlap
from symgrad.compiler.primitives.elements import Elements
from symgrad.compiler.primitives.views import View
from symgrad.transforms.loops.op import Scan

FILL = {"sum": 0.0, "max": float("-inf"), "min": float("inf")}
ONTO = {"sum": "sum onto", "max": "max onto", "min": "min onto"}  # into memory that holds something already


class Steps(Protocol):
    """The properties of a plan that determine the workspace."""

    e: Elements
    steps: list[Step]
    constants: dict[int, Any]

    def operations(self) -> int:
        """Return the number of primitives and operations in the code."""

    def effort(self) -> int:
        """Return about how many primitives a call runs."""

    def has_routines(self) -> bool:
        """Whether a step, or one of a loop's body, is a routine."""


@dataclass
class Nest:
    """Loops over ``dims``. ``body`` lists primitives; a reference is read where ``loads`` has it.

    ``stores`` are (reference, view); ``sums`` are (kind, reference, view), whose strides are 0 along reduced axes.
    What lies at positions that are given is read, or added to, further on than its view says.
    """

    dims: Shape
    loads: dict[int, View] = field(default_factory=dict)
    body: list[int] = field(default_factory=list)
    stores: list[tuple[int, View]] = field(default_factory=list)
    sums: list[tuple[str, int, View]] = field(default_factory=list)
    product: tuple[int, ...] = ()  # references whose product is summed: a contraction
    at: dict[int, int] = field(default_factory=dict)  # of what is read, the load of how much further it lies
    onto: int | None = None  # the same of what is added to
    reach: int = 0  # how far at most that is
    edges: int | None = None  # the load of where chunks of the first loop begin
    tile: int | None = None  # of products in tiles: how many loops a tile has beside that of its vectors, the last one

    @property
    def views(self) -> list[View]:
        """The arrays that it reads, stores and sums."""
        return [*self.loads.values(), *[v for _, v in self.stores], *[v for _, _, v in self.sums]]

    @property
    def work(self) -> int:
        """About how many primitives it runs."""
        return prod(self.dims) * max(1, len(self.body) + len(self.sums) + len(self.product))


@dataclass
class Outside:
    """An operation that runs its forward: the views it reads, and the buffer its result goes to."""

    op: Any
    args: list[Any]  # views, or numbers
    result: View
    reason: str = ""  # why it is not machine code

    def __str__(self) -> str:
        shapes = ", ".join(str(list(getattr(a, "shape", ()))) for a in self.args)
        return f"{type(self.op).__name__} of {shapes}: {self.reason}"


@dataclass
class Loop:
    """A body run once for each slice: how ``scan`` and its derivatives run."""

    op: Scan
    args: list[View]
    result: View
    body: Steps
    memory: Buffer  # the carries before and after a step, and the body's workspace


@dataclass
class Routine:
    """An operation as loops over flat arrays, in the words of ``compiler/loops``.

    ``arrays`` says where each array that the lines name begins. Where ``fails``, the lines count in ``status`` for how
    many matrices or positions there is no result.
    """

    op: Any
    args: list[Any]  # views, or numbers
    result: View
    lines: list[str]
    arrays: dict[str, tuple[Buffer, int]]
    scratch: dict[str, int]  # the arrays that nobody reads afterwards, and their numbers of entries
    fails: bool
    work: int  # about how many primitives it runs
    reporter: Any = None  # what is called where it fails


@dataclass
class Band:
    """Steps that run on a band of ``length`` rows after the other; ``own`` has memory for one of them only.

    ``own`` says how many entries of such a buffer belong to a row.
    """

    rows: int
    length: int
    steps: list[Nest | Routine]
    own: dict[Buffer, int]

    @property
    def count(self) -> int:
        """The number of bands."""
        return -(-self.rows // self.length)

    @property
    def sizes(self) -> dict[Buffer, int]:
        """The number of bytes of each buffer of a band, aligned to 64."""
        return {b: -(-self.length * row * b.dtype.itemsize // 64) * 64 for b, row in self.own.items()}

    @property
    def work(self) -> int:
        """About how many primitives it runs."""
        return sum(s.work for s in self.steps)


Step = Nest | Outside | Loop | Routine | Band


def singly(steps: Iterable[Step]) -> list[Nest | Outside | Loop | Routine]:
    """Return the steps, and in place of bands theirs."""
    return [x for s in steps for x in (s.steps if isinstance(s, Band) else [s])]


def band_memory(steps: Sequence[Step]) -> int:
    """Return how many bytes the largest band works in, which a thread has beside the workspace."""
    inner = [band_memory(s.body.steps) if isinstance(s, Loop) else 0 for s in steps]
    return max([0, *inner, *[sum(s.sizes.values()) for s in steps if isinstance(s, Band)]])


def loop_memory(op: Scan, body: Steps) -> int:
    """Return how many bytes a loop works in: the carries twice, each from a multiple of 64, and its workspace."""
    return 2 * sum(carry_bytes(op, k) for k in range(op.carries)) + Workspace(body).size


def carry_bytes(op: Scan, k: int) -> int:
    """Return the room of a carry."""
    return -(-max(1, prod(op.body.arguments[k].shape)) * op.packed.itemsize // 64) * 64


def refuse_overlaps(step: Nest | Outside | Loop | Routine) -> None:
    """Raise Unsuitable where a step reads entries that it also writes, unless each is read where it is written.

    The loops of a nest run in any order, and on several threads.
    """
    if isinstance(step, Nest):
        shifted = set(step.at)
        read = [(v, k in shifted) for k, v in step.loads.items()]
        written = [(v, False) for _, v in step.stores] + [(v, True) for _, _, v in step.sums]
    else:
        read = [(v, True) for v in step.args if isinstance(v, View)]
        written = [(step.result, True)]
    shared = {v.memory for v, _ in read} & {v.memory for v, _ in written}
    read, written = [[(v, k) for v, k in views if v.memory in shared] for views in (read, written)]
    for (a, elsewhere), (b, again) in itertools.product(read, written):
        if not (elsewhere or again) and a.is_same(b):
            continue
        if overlap(a, b) or (elsewhere and isinstance(step, Nest) and a.memory == b.memory):
            raise Unsuitable("a step would read entries that it writes itself. Use backend='numpy'.")


class Workspace:
    """Offsets of the workspace's buffers: memory is taken again once nobody reads it any more."""

    def __init__(self, plan: Steps) -> None:
        first: dict[Buffer, int] = {}
        last: dict[Buffer, int] = {}
        for n, step in enumerate(plan.steps):
            for b in buffers_of(step):
                first.setdefault(b, n)
                last[b] = n
        self.offsets: dict[Buffer, int] = {}
        self.size = 0
        busy: list[tuple[int, int, int]] = []  # (last step, start, end)
        for b in sorted((b for b in first if b.kind == "w"), key=lambda b: first[b]):
            busy = [x for x in busy if x[0] >= first[b]]
            need = -(-max(1, b.size) * b.dtype.itemsize // 64) * 64
            start = 0
            for _, begin, end in sorted(busy, key=lambda x: x[1]):
                if begin - start >= need:
                    break
                start = max(start, end)
            self.offsets[b] = start
            busy.append((last[b], start, start + need))
            self.size = max(self.size, start + need)


def buffers_of(step: Step) -> list[Buffer]:
    """Return the buffers that a step touches."""
    if isinstance(step, Nest):
        return [v.memory for v in step.views]
    if isinstance(step, Routine):
        return [b for b, _ in step.arrays.values()]
    if isinstance(step, Band):
        return [b for s in step.steps for b in buffers_of(s) if b not in step.own]
    buffers = [*[a.memory for a in step.args if isinstance(a, View)], step.result.memory]
    return [*buffers, step.memory] if isinstance(step, Loop) else buffers


def written_by(step: Step) -> set[Buffer]:
    """Return the buffers that a step writes into."""
    if isinstance(step, Nest):
        return {v.memory for _, v in step.stores} | {v.memory for _, _, v in step.sums}
    if isinstance(step, Band):
        return {b for s in step.steps for b in written_by(s)}
    return set(buffers_of(step)) - {a.memory for a in step.args if isinstance(a, View)} | {step.result.memory}
