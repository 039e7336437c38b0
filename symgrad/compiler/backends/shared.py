"""Operations outside machine code, in chunks that threads share: stacks of matrices, rows, entries read or added to.

What a chunk is depends on shapes alone, and where chunks add to the same entries each has zeros of its own, which are
added in order. So the number of threads changes nothing about the result. Matrices that BLAS shares among threads of
its own are left to it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.primitives.pairs import OnPairs
from symgrad.core.node import Shape
from symgrad.core.promotion import is_complex
from symgrad.ops.contract import Einsum
from symgrad.ops.indexing.lookup import DynamicGather
from symgrad.ops.keys import Positions
from symgrad.ops.map import Map
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.signature import read
from symgrad.ops.slicing import Gather
from symgrad.support import threads

Write = Callable[..., None]  # (*arguments, result)

LEAST = 1 << 20  # about how many operations on numbers are worth it: half a millisecond
GRAIN = 1 << 17  # how many a chunk has
MOST = 256  # chunks
INNER = 1 << 18  # multiplications of a product of matrices up to which BLAS uses one thread
# operations that take as long as an entry of what is joined, one read or computed, one of a row, or one added
_JOINED, _MOVED, _SORTED, _ADDED = 1, 4, 8, 16


def in_chunks(op: Any, write: Write, shapes: Sequence[Shape], result: Shape) -> Write:
    """Return how an operation on arrays of these shapes writes its result: as given, or in chunks."""
    if isinstance(op, Gather):
        return _reading(op, cut(_length(op), _MOVED * prod(result))) or write
    if isinstance(op, ScatterAdd) and isinstance(op.where, Gather):
        return _adding(op.where, _chunks_of_sums(op.where, shapes[0], result)) or write
    if isinstance(op, DynamicGather):
        return _reading_at(op, write, shapes, result)
    if isinstance(op, Map):
        return _entrywise(write, shapes, cut(result[0] if result else 0, _MOVED * prod(result)))
    inner, (shapes, result) = _numbers(op, shapes, result)
    axes = _axes(inner, shapes)
    if axes is not None:
        return _along(inner, axes, write, shapes, result)
    count = result[0] if result else 0
    if inner is not op or count < 2 or any(s[:1] != result[:1] for s in shapes) or not _is_apart(op, shapes):
        return write
    return _stacked(write, cut(count, _work(op, shapes)))


def copied(forward: Callable[..., Any]) -> Write:
    """Return how a function that gives a new array writes it."""

    def write(*args: Any) -> None:
        *xs, out = args
        np.copyto(out, forward(*xs))

    return write


def made_in_chunks(
    op: Any, forward: Callable[..., Any], shapes: Sequence[Shape], result: Shape, dtype: Any
) -> Callable[..., Any]:
    """Return how an operation makes its result, a new array: as given, or in chunks."""
    plain = copied(forward)
    write = in_chunks(op, plain, shapes, result)
    if write is plain:
        return forward

    def made(*xs: Any) -> Any:
        out = np.empty(result, dtype)
        write(*xs, out)
        return out if result else out[()]

    return made


def _numbers(op: Any, shapes: Sequence[Shape], result: Shape) -> tuple[Any, tuple[Sequence[Shape], Shape]]:
    """Return the operation on complex numbers, and their shapes, where it is given them as pairs."""
    if not isinstance(op, OnPairs):
        return op, (shapes, result)
    given = [s if d is None else s[:-1] for s, d in zip(shapes, op.given, strict=True)]
    return op.op, (given, result[:-1] if is_complex(op.to) else result)


def _is_apart(op: Any, shapes: Sequence[Shape]) -> bool:
    """Whether each entry along the first axis, of arguments and result, is computed apart, by one thread."""
    if isinstance(op, Einsum):
        front = {t[:1] for t in (*op.terms, op.output)}
        return len(front) == 1 and "" not in front and prod(op.sizes(shapes).values()) <= INNER * shapes[0][0]
    if op.signature is None or read(op.signature).entrywise:
        return False
    return all(
        len(s) > len(core) and prod(s[len(s) - len(core) :]) * max(s[len(s) - len(core) :], default=1) <= INNER
        for s, core in zip(shapes, read(op.signature).of(len(shapes)), strict=True)
    )


def _work(op: Any, shapes: Sequence[Shape]) -> int:
    """About how many operations on numbers it is."""
    if isinstance(op, Einsum):
        return prod(op.sizes(shapes).values())
    cores = read(op.signature).of(len(shapes))
    return max(prod(s) * max(s[len(s) - len(core) :], default=1) for s, core in zip(shapes, cores, strict=True))


def cut(length: int, work: int) -> list[tuple[int, int]]:
    """Return where chunks of an axis begin and end; none where it is not worth it."""
    if work < LEAST or length < 2:
        return []
    count = min(MOST, work // GRAIN, length)
    edges = [length * k // count for k in range(count + 1)]
    return list(itertools.pairwise(edges))


def _length(op: Gather) -> int:
    """Of the first axis of the block that is read."""
    return op.block[0] if op.block else 0


# ------------------------------------------------------------------ along axes
def _axes(op: Any, shapes: Sequence[Shape]) -> tuple[int, ...] | None:
    """The axes that an operation works along; None where it is of another kind, or keeps Python's lock."""
    if isinstance(op, Einsum):
        term = op.terms[0]
        summed = (
            len(op.terms) == 1 and len(set(term)) == len(term) and op.output == "".join(filter(op.output.count, term))
        )
        return tuple(a for a, c in enumerate(term) if c not in op.output) if summed else None
    fields = getattr(type(op), "__names__", ())
    axes = op.axes if "axes" in fields else (op.axis,) if "axis" in fields else None
    if axes is not None and op.running and axes[-1] == len(shapes[0]) - 1:
        return None  # NumPy adds up the rows of memory one by one, and lets nobody in
    return axes if axes is not None and all(isinstance(a, int) and a >= 0 for a in axes) else None


def _along(op: Any, axes: tuple[int, ...], write: Write, shapes: Sequence[Shape], result: Shape) -> Write:
    """Cut an axis on whose entries rows stand apart, or one of those along which parts are joined."""
    first = shapes[0]
    if {len(s) for s in shapes} != {len(first)} or len(result) not in (len(first), len(first) - len(axes)):
        return write
    removed = axes if len(result) < len(first) else ()
    place = {a: a - sum(b < a for b in removed) for a in range(len(first))}
    free = [a for a in place if a not in axes and all(s[a] == result[place[a]] for s in shapes)]
    joined = [a for a in axes if op.combine is not None and len(shapes) == 1]
    axis = max([*free, *joined], key=lambda a: min(first[a], MOST), default=None)
    if axis is None:
        return write
    sums = len(result) < len(first) and hasattr(op, "axes")  # or norms; what is sorted has one axis
    quick = op.running or axis in joined or sums
    chunks = cut(first[axis], (_JOINED if quick else _SORTED) * prod(first))
    if axis in joined:
        return _joined(op, axis, write, chunks)
    return _stacked(write, chunks, axis, place[axis])


def _joined(op: Any, axis: int, write: Write, chunks: Sequence[tuple[int, int]]) -> Write:
    """Write each chunk of an axis that is joined into memory of its own, and join these."""

    def shared(x: Any, out: Any) -> None:
        parts = np.empty((len(chunks), *out.shape), out.dtype)

        def run(k: int) -> None:
            write(x[_within(axis, *chunks[k])], parts[k, ...])

        threads.share(run, len(chunks))
        op.combine.reduce(parts, axis=0, out=out)

    return shared if chunks else write


def _within(axis: int, lo: int, hi: int) -> Any:
    """The key of a part along an axis."""
    return (*[slice(None)] * axis, slice(lo, hi))


def _stacked(write: Write, chunks: Sequence[tuple[int, int]], axis: int = 0, place: int = 0) -> Write:
    """Write each chunk of an axis, which stands at ``place`` in the result, from the arguments' chunks."""

    def shared(*arrays: Any) -> None:
        *xs, out = arrays

        def run(k: int) -> None:
            own = _within(axis, *chunks[k])
            write(*[x[own] for x in xs], out[_within(place, *chunks[k])])

        threads.share(run, len(chunks))

    return shared if chunks else write


# ------------------------------------------------------------------ entries
def _entrywise(write: Write, shapes: Sequence[Shape], chunks: Sequence[tuple[int, int]]) -> Write:
    """Write each chunk of the first axis; what is repeated along it is given whole."""
    most = max(map(len, shapes), default=0)
    cuts = [len(s) == most and s[:1] not in ((), (1,)) for s in shapes]

    def shared(*args: Any) -> None:
        *xs, out = args

        def run(k: int) -> None:
            lo, hi = chunks[k]
            write(*[x[lo:hi] if is_cut else x for x, is_cut in zip(xs, cuts, strict=True)], out[lo:hi])

        threads.share(run, len(chunks))

    return shared if chunks else write


def _reading_at(op: DynamicGather, write: Write, shapes: Sequence[Shape], result: Shape) -> Write:
    """Read at chunks of positions, where these stand first in the result."""
    blocks = shapes[1:]
    if op.front or not any(blocks):
        return write
    return _entrywise(write, [(), *blocks], cut(result[0], _MOVED * prod(result)))


def _reading(op: Gather, chunks: Sequence[tuple[int, int]]) -> Write | None:
    parts = [_part(op, *c) for c in chunks]

    def shared(x: Any, out: Any) -> None:
        def run(k: int) -> None:
            out[_at(op, *chunks[k])] = x[parts[k].key]

        threads.share(run, len(chunks))

    return shared if chunks else None


def _adding(op: Gather, chunks: Sequence[tuple[int, int]]) -> Write | None:
    parts = [_part(op, *c) for c in chunks]

    def shared(g: Any, out: Any) -> None:
        sums = np.zeros((len(chunks), *out.shape), out.dtype)

        def run(k: int) -> None:
            parts[k].add(sums[k], g[_at(op, *chunks[k])])

        threads.share(run, len(chunks))
        np.copyto(out, sums[0])
        for more in sums[1:]:
            out += more

    return shared if chunks else None


def _chunks_of_sums(op: Gather, given: Shape, result: Shape) -> list[tuple[int, int]]:
    """Chunks of which each adds four times as many entries as it has zeros."""
    chunks = cut(_length(op), _ADDED * prod(given))
    most = min(len(chunks), prod(given) // (4 * max(1, prod(result))))
    if most < 2:
        return []
    edges = [op.block[0] * k // most for k in range(most + 1)]
    return list(itertools.pairwise(edges))


def _part(op: Gather, lo: int, hi: int) -> Gather:
    """The same reading of a part of the block along its first axis."""
    whole = len(op.block)

    def cut(array: Any) -> Any:
        return array[lo:hi] if array.ndim == whole and array.shape[0] > 1 else array

    return Gather(tuple((a, Positions(cut(f.array))) for a, f in op.places), op.name)


def _at(op: Gather, lo: int, hi: int) -> Any:
    """Where that part stands in what is read."""
    return (*[slice(None)] * op.front, slice(lo, hi))
