"""Cheap primitives are computed again in the loops that read them, where one loop would store them for another.

An array between two loops of one shape is written to memory and read again, and needs that memory. A few additions and
products of what the later loop reads anyway, of arguments, and of what is small beside the loop cost less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod

from symgrad.compiler.passes.assemble import Assemble
from symgrad.compiler.primitives.clusters import Cluster, Stage
from symgrad.compiler.primitives.elements import ELEMENT, LOAD, OP, TRUTH, Elements
from symgrad.core.promotion import is_floating
from symgrad.ops.shape import Expand, Reshape
from symgrad.ops.slicing import Slice

_LEAST = 1 << 12  # entries of a loop that is worth it
_CHEAP = TRUTH | {"add", "sub", "mul", "neg", "abs", "select", "floor", "ceil", "trunc", "round"}
_MOST = 6  # such primitives for one array
_MOST_READ = 2  # arguments that a loop reads for it, and has not read before
_MOST_PARTS = 64  # of an array
# How many times as large as what is always there a loop is. Above 1: else an array of the loop's own size would pass as
# there, and be neither stored nor computed again.
_SMALL = 8


class Recompute:
    """Stages in which loops compute cheap arrays again; ``terms`` are those that only sums into parts of arrays read.

    Each of them is a loop without a result, to be added where it belongs.
    """

    def __init__(self, e: Elements, stages: Sequence[Stage]) -> None:
        self.e, self.terms = e, dict[int, Cluster]()
        self._loops = [replace(c, body=list(c.body)) for c in stages if isinstance(c, Cluster)]
        self._sums = _sums_of(e, stages)
        rest = iter(self._loops)
        stages = [next(rest) if isinstance(c, Cluster) else c for c in stages]
        self._kept = {*e.outputs, *[r for k in stages if isinstance(k, int) for r in self._plain_refs(k)]}
        self._readers: dict[int, list[Cluster]] = {}
        for c in self._loops:
            self._reads(c, c.loads(e))
        for c in self._loops:
            c.stored = [k for k in c.stored if k in self._kept or not self._moves(c, k)]
        for c in self._loops:
            self._prune(c)
        self.stages = [c for c in stages if isinstance(c, int) or c.stored or c.reductions]

    def _plain_refs(self, k: int) -> Iterable[int]:
        """The arrays that an operation reads from memory: all but the terms that it adds to a part."""
        return [r for r in self.e.refs(k) if r not in self._sums]

    def _reads(self, c: Cluster, refs: Iterable[int]) -> None:
        for r in refs:
            self._readers.setdefault(r, []).append(c)

    def _moves(self, home: Cluster, k: int) -> bool:
        """Compute an array in all loops that read it; whether that is cheap."""
        if prod(home.shape) < _LEAST:
            return False
        readers = list(self._readers.get(k, ()))
        if k in self._sums:
            readers.append(self.terms.setdefault(k, Cluster(home.shape, home.level)))
        bodies = [self._body(k, c) if c.shape == home.shape else None for c in readers]
        if not bodies or any(body is None for body in bodies):
            self.terms.pop(k, None)
            return False
        for c, body in zip(readers, bodies, strict=True):
            before = set(c.loads(self.e)) if c.body or c.reductions else set[int]()
            c.body = sorted({*c.body, *(body or ())})
            self._reads(c, [r for r in c.loads(self.e) if r not in before])
        return True

    def _body(self, k: int, c: Cluster) -> list[int] | None:
        """Return the primitives that compute an array in a loop; None where these are many, or read much."""
        e, own, there = self.e, set(c.body), set(c.loads(self.e)) - {k}
        body: list[int] = []
        read: set[int] = set()
        ahead = [k]
        while ahead:
            r = ahead.pop()
            if r in own or r in there or r in body or self._is_small(r, c):
                continue
            if e.kind(r) == ELEMENT and e.ops[r][0] in _CHEAP and e.shapes[r] == c.shape:
                body.append(r)
                ahead += e.refs(r)
            elif self._is_argument(r):
                read.add(r)
            else:
                return None
            if len(body) > _MOST or len(read) > _MOST_READ:
                return None
        return body

    def _is_small(self, r: int, c: Cluster) -> bool:
        """Whether a value is a number, or has few entries beside a loop, which may be repeated."""
        shapes = self.e.shapes
        return self.e.value(r) is not None or _SMALL * min(prod(shapes[k]) for k in (r, self._root(r))) <= prod(c.shape)

    def _is_argument(self, r: int) -> bool:
        """Whether a value is there from the start, or a part of what is."""
        return self.e.kind(self._root(r)) == LOAD

    def _root(self, r: int) -> int:
        """What a value is a view of, with steps like its own or none."""
        while self.e.kind(r) == OP and isinstance(self.e.ops[r][0], (Slice, Reshape, Expand)):
            r = self.e.ops[r][1]
        return r

    def _prune(self, c: Cluster) -> None:
        """Leave out what neither a result nor a sum of the loop needs."""
        needed = {*c.stored, *[r for k in c.reductions for r in self.e.refs(k)]}
        for k in reversed(c.body):
            if k in needed:
                needed.update(self.e.refs(k))
        c.body = [k for k in c.body if k in needed]


def _sums_of(e: Elements, stages: Sequence[Stage]) -> set[int]:
    """Return what one operation adds to a part of its result, after others, and no other operation reads."""
    operations = [k for k in stages if isinstance(k, int)]
    read = Counter(r for k in operations for r in e.refs(k))
    return {r for k in operations for r, again in _parts(e, k) if again and read[r] == 1}


def _parts(e: Elements, k: int) -> list[tuple[int, bool]]:
    """Return what an operation writes to parts of its result, and whether it adds it to what is there."""
    op, *refs = e.ops[k]
    if not isinstance(op, Assemble) or len(refs) > _MOST_PARTS or not is_floating(e.dtypes[k]):
        return []
    return list(zip(refs, op.overlaps, strict=True))
