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

from symgrad.core.node import Shape
from symgrad.ops.contract import Einsum
from symgrad.ops.keys import Positions
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.signature import read
from symgrad.ops.slicing import Gather
from symgrad.support import threads

Write = Callable[..., None]  # (*arguments, result)

LEAST = 1 << 20  # about how many operations on numbers are worth it: half a millisecond
GRAIN = 1 << 17  # how many a chunk has
MOST = 256  # chunks
INNER = 1 << 18  # multiplications of a product of matrices up to which BLAS uses one thread
_MOVED, _SORTED, _ADDED = 4, 8, 16  # operations on numbers that take as long as an entry read, of a row, or added


def in_chunks(op: Any, write: Write, shapes: Sequence[Shape], result: Shape) -> Write:
    """Return how an operation on arrays of these shapes writes its result: as given, or in chunks."""
    if isinstance(op, Gather):
        return _reading(op, cut(_length(op), _MOVED * prod(result))) or write
    if isinstance(op, ScatterAdd) and isinstance(op.where, Gather):
        return _adding(op.where, _chunks_of_sums(op.where, shapes[0], result)) or write
    count = result[0] if result else 0
    if count < 2 or any(s[:1] != result[:1] for s in shapes) or not _is_apart(op, shapes):
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
        return out

    return made


def _is_apart(op: Any, shapes: Sequence[Shape]) -> bool:
    """Whether each entry along the first axis, of arguments and result, is computed apart, by one thread."""
    if isinstance(op, Einsum):
        front = {t[:1] for t in (*op.terms, op.output)}
        return len(front) == 1 and "" not in front and prod(op.sizes(shapes).values()) <= INNER * shapes[0][0]
    if op.signature is not None:
        cores = read(op.signature)
        return not cores.entrywise and all(
            len(s) > len(core) and prod(s[len(s) - len(core) :]) * max(s[len(s) - len(core) :], default=1) <= INNER
            for s, core in zip(shapes, cores.of(len(shapes)), strict=True)
        )
    fields = getattr(type(op), "__names__", ())
    axes = op.axes if "axes" in fields else (op.axis,) if "axis" in fields else (0,)
    return len(shapes) == 1 and all(isinstance(a, int) and a > 0 for a in axes)


def _work(op: Any, shapes: Sequence[Shape]) -> int:
    """About how many operations on numbers it is."""
    if isinstance(op, Einsum):
        return prod(op.sizes(shapes).values())
    if op.signature is not None:
        cores = read(op.signature).of(len(shapes))
        return max(prod(s) * max(s[len(s) - len(core) :], default=1) for s, core in zip(shapes, cores, strict=True))
    return _SORTED * prod(shapes[0])


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


def _stacked(write: Write, chunks: Sequence[tuple[int, int]]) -> Write:
    """Write each chunk of the first axis from the arguments' chunks."""

    def shared(*arrays: Any) -> None:
        def run(k: int) -> None:
            lo, hi = chunks[k]
            write(*[a[lo:hi] for a in arrays])

        threads.share(run, len(chunks))

    return shared if chunks else write


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
    found = cut(_length(op), _ADDED * prod(given))
    most = min(len(found), prod(given) // (4 * max(1, prod(result))))
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
