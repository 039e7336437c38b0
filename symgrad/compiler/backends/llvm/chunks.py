"""A large nest as chunks of one of its loops, which threads share.

Where a chunk begins depends on the nest alone. It is the outermost loop as a rule: a sum over that axis has memory of
its own for each chunk, and the chunks' sums are added in order afterwards. Where that would be much memory, it is a
loop that no sum goes over. So the number of threads changes nothing about the result.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from symgrad.compiler.backends.llvm import loops
from symgrad.compiler.backends.llvm.code import Used
from symgrad.compiler.backends.llvm.instructions import Function, Parameter, Recorder, pointers
from symgrad.compiler.backends.llvm.memory import Buffer, is_apart
from symgrad.compiler.backends.llvm.steps import FILL, ONTO, Nest
from symgrad.compiler.primitives.elements import Elements
from symgrad.compiler.primitives.views import View
from symgrad.core.promotion import is_floating
from symgrad.ops.shape import row_major

_LEAST = 1 << 17  # primitives of a nest that is worth it: some 30 µs
_GRAIN = 1 << 15  # about how many a chunk has
_MOST = 64  # chunks
_ALIGNED = 64  # what the length of a chunk of single entries is a multiple of: vectors and cache lines divide it
_RUN = 256  # the same for rows of which a chunk takes a part: shorter runs of memory are read more slowly
_STACK = 1 << 17  # bytes of the chunks' sums
_FEW = 4  # chunks, below which another loop is cut rather than fewer are made to fit there
_FLOAT64 = np.dtype(np.float64)


@dataclass(frozen=True)
class _Chunks:
    """A nest of one chunk, and how many there are.

    ``partial`` are the sums, by number, that have memory for each chunk; ``length`` is a chunk's along the loop
    ``axis``, which runs to ``end``. Where ``edges`` are given, they are read from that memory instead.
    """

    nest: Nest
    partial: tuple[int, ...]
    axis: int
    length: int
    end: int
    edges: Buffer | None = None

    @property
    def count(self) -> int:
        """The number of chunks."""
        return -(-self.end // self.length) if self.edges is None else self.edges.size - 1

    def cells(self, m: int) -> int:
        """The number of entries of a partial sum."""
        memory: Buffer = self.nest.sums[m][2].memory
        return memory.size


def function(name: str, nest: Nest, e: Elements, used: Used) -> tuple[list[Function], list[Buffer]]:
    """Return ``@name(buffers…)``, in chunks where that is worth it, after what it calls, and the buffers it takes."""
    chunks = _split(nest, e, used) if used.pool and nest.work >= _LEAST else None
    if chunks is None:
        return loops.function(name, nest, e, used)
    functions, taken = loops.function(f"{name}.range", chunks.nest, e, used, bounded=chunks.axis)
    buffers = loops.buffers_of(nest)
    before, after = [], []
    for m, (kind, _, view) in enumerate(nest.sums):
        if m in chunks.partial:
            more, own = loops.function(
                f"{name}.join{m}", joining(chunks.count, chunks.nest.sums[m][2].memory, kind, view), e, used
            )
            after.append(loops.call(f"{name}.join{m}", own))
        elif kind in FILL:
            more, own = loops.emptying(f"{name}.fill{m}", kind, view, e, used)
            before.append(loops.call(f"{name}.fill{m}", own))
        else:
            continue
        functions += more
    code = Recorder()
    code.lines += before
    share(code, name, chunks.count, taken, used)
    code.lines += after
    code.give()
    whole = code.function(name, pointers([f"%{b.name}" for b in buffers], alone=True), "noinline")
    return [*functions, _one(name, chunks, taken), whole], buffers


# ------------------------------------------------------------------ what a chunk is
def _split(nest: Nest, e: Elements, used: Used) -> _Chunks | None:
    """Cut a nest; None where chunks would write to the same place, or read what another writes."""
    written = [v.memory for v in [*[v for _, v in nest.stores], *[v for _, _, v in nest.sums]]]
    if 0 in nest.dims or not _differ(nest, written) or set(written) & {v.memory for v in nest.loads.values()}:
        return None
    if not all(is_floating(v.memory.dtype) for _, _, v in nest.sums):
        return None
    if nest.edges is not None:
        return _Chunks(_with_partial(nest, ()), (), 0, 0, nest.dims[0], nest.loads[nest.edges].memory)
    return _outermost(nest, e, used) or _further_in(nest, e, used)


def _differ(nest: Nest, written: list[Buffer]) -> bool:
    """Whether all is written to memory of its own, or stored in turns, as real and imaginary parts are."""
    once = {b for b in written if written.count(b) == 1}
    if any(v.memory not in once for _, _, v in nest.sums):
        return False
    return all(
        a.steps == b.steps and a.offset != b.offset and is_apart([*a.shape, 2], [*a.steps, abs(b.offset - a.offset)])
        for (_, a), (_, b) in itertools.combinations(nest.stores, 2)
        if a.memory == b.memory
    )


def _outermost(nest: Nest, e: Elements, used: Used) -> _Chunks | None:
    """Cut the outermost loop."""
    partial: tuple[int, ...] = ()
    while True:
        cut = _with_partial(nest, partial)
        loop = loops.Loops(cut, e, used, libm=False, checked=False)
        if not loop.dims or not all(is_apart(loop.dims, s) and s[0] for s in loop.stored):
            return None
        more = [m for m, s in enumerate(loop.summed) if m not in partial and not is_apart(loop.dims, s, 0, cut.reach)]
        if not more:
            break
        if nest.onto is not None:
            return None  # a partial sum would be as large as the whole
        partial = tuple(sorted({*partial, *more}))
    if loops.is_checked(cut, e) and len(partial) < len(nest.sums):
        return None  # the slow loop would add to what the quick one has added already
    chunks = _Chunks(cut, partial, 0, _length(loop.dims, 0, nest.work), loop.dims[0])
    most = _STACK // (8 * max(1, sum(chunks.cells(m) for m in partial)))
    if most < min(chunks.count, _FEW):
        return None
    length = max(chunks.length, -(-chunks.end // most))
    return replace(chunks, length=length) if length < chunks.end else None


def _further_in(nest: Nest, e: Elements, used: Used) -> _Chunks | None:
    """Cut the first other loop along which all that is stored and summed lies apart."""
    cut = _with_partial(nest, ())
    loop = loops.Loops(cut, e, used, libm=False, checked=False)
    if (loops.is_checked(cut, e) and nest.sums) or not all(is_apart(loop.dims, s) for s in loop.stored):
        return None
    for axis in range(1, len(loop.dims) - (0 if nest.tile is None else nest.tile + 1)):
        chunks = _Chunks(cut, (), axis, _length(loop.dims, axis, nest.work), loop.dims[axis])
        if chunks.count > 1 and all(is_apart(loop.dims, s, axis, cut.reach) for s in [*loop.stored, *loop.summed]):
            return chunks
    return None


def _length(dims: list[int], axis: int, work: int) -> int:
    """The length of a chunk along a loop."""
    length = max(-(-dims[axis] * _GRAIN // work), -(-dims[axis] // _MOST))
    whole = 1 if axis < len(dims) - 1 else _RUN if axis else _ALIGNED
    return -(-length // whole) * whole


def _with_partial(nest: Nest, partial: tuple[int, ...]) -> Nest:
    """Return the nest of one chunk: partial sums go to memory of their own, the others into what is filled already."""
    sums = []
    for m, (kind, source, view) in enumerate(nest.sums):
        if m in partial:
            sums.append((kind.removesuffix(" onto"), source, partial_sum(m, view)))
        else:
            sums.append((ONTO.get(kind, kind), source, view))
    return replace(nest, sums=sums)


def partial_sum(m: int, view: View) -> View:
    """Return where a chunk sums what is summed there: in memory of its own, without gaps."""
    shape = tuple(n for n, s in zip(view.shape, view.steps, strict=True) if s)
    dense = iter(row_major(shape))
    steps = tuple(next(dense) if s else 0 for s in view.steps)
    return View(Buffer("p", m, prod(shape), _FLOAT64), 0, steps, view.shape)


def joining(count: int, memory: Buffer, kind: str, view: View) -> Nest:
    """The nest that adds the chunks' sums up, in their order."""
    kept = [(n, s) for n, s in zip(view.shape, view.steps, strict=True) if s]
    shape = (count, *[n for n, _ in kept])
    source = View(memory._replace(size=count * memory.size), 0, (memory.size, *row_major(shape[1:])), shape)
    target = view._replace(steps=(0, *[s for _, s in kept]), shape=shape)
    return Nest(shape, {-1: source}, sums=[(kind, -1, target)])


# ------------------------------------------------------------------ the functions
def _one(name: str, chunks: _Chunks, taken: list[Buffer]) -> Function:
    """``@name.chunk(context, number)``: finds its memory and its part of the loop that is cut."""
    code = Recorder()
    context(code, taken)
    if chunks.edges is None:
        bounds_of(code, chunks.length, chunks.end)
    else:
        _read_edges(code, chunks.edges)
    code.lines.append(loops.call(f"{name}.range", taken, chunks.axis))
    code.give()
    return code.function(f"{name}.chunk", CHUNK)


def context(code: Recorder, taken: list[Buffer]) -> None:
    """Append where a chunk finds its memory."""
    for k, b in enumerate(taken):
        whole = f"%{b.name}.all" if b.kind == "p" else f"%{b.name}"
        code.load("ptr", code.place("ptr", "%context", k, name=f"%at{k}"), name=whole)
        if b.kind == "p":
            at = code.set("mul", "i64", "%number", str(b.size), flags=("nuw", "nsw"), name=f"%{b.name}.at")
            code.place("double", whole, at, name=f"%{b.name}")


CHUNK = (Parameter("ptr", "%context"), Parameter("i64", "%number"))


def bounds_of(code: Recorder, length: int, end: int) -> None:
    """Append where the chunk of this ``%number`` begins and ends: ``%lo`` and ``%hi``."""
    exact = ("nuw", "nsw")
    code.set("mul", "i64", "%number", str(length), flags=exact, name="%lo")
    code.set("add", "i64", "%lo", str(length), flags=exact, name="%next")
    code.set("icmp", "i64", "%next", str(end), flags=("ult",), name="%whole")
    code.set("select", "i64", "%whole", "%next", str(end), name="%hi")


def _read_edges(code: Recorder, edges: Buffer) -> None:
    code.place("i64", f"%{edges.name}", "%number", name="%first")
    code.load("i64", "%first", name="%lo")
    code.place("i64", "%first", 1, name="%last")
    code.load("i64", "%last", name="%hi")


def share(code: Recorder, name: str, count: int, taken: list[Buffer], used: Used) -> None:
    """Share the chunks among threads, of which each finds the memory in what it is handed."""
    code.room("ptr", len(taken), name="%context")
    for b in taken:
        if b.kind == "p":
            code.room("double", count * b.size, align=64, name=f"%{b.name}")
    for k, b in enumerate(taken):
        code.store("ptr", f"%{b.name}", code.place("ptr", "%context", k, name=f"%at{k}"))
    shared(code, name, count, used)


def shared(code: Recorder, name: str, count: int, used: Used) -> None:
    """Append the call that has all chunks run with what is in ``%context``: by the pool, or one after the other."""
    if used.pool is None:
        _in_turn(code, name, count)
        return
    pool = used.pool()
    pool.start()
    code.load("ptr", used.link(pool.memory), name="%pool")
    code.load("ptr", used.link(pool.share), name="%share")
    arguments = ("ptr", "%pool"), ("ptr", f"@{name}.chunk"), ("ptr", "%context"), ("i64", str(count))
    code.call("void", "%share", *arguments)


def _in_turn(code: Recorder, name: str, count: int) -> None:
    """Append the loop that runs all chunks."""
    code.go("before")
    code.label("before")
    code.go("turn")
    code.label("turn")
    code.phi("i64", "0", "before", "%k.next", "turn", name="%k")
    code.call("void", f"@{name}.chunk", ("ptr", "%context"), ("i64", "%k"))
    code.set("add", "i64", "%k", "1", flags=("nuw", "nsw"), name="%k.next")
    code.set("icmp", "i64", "%k.next", str(count), flags=("ult",), name="%more")
    code.branch("%more", "turn", "after")
    code.label("after")
