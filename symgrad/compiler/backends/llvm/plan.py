"""From clusters to nests: loops over boxes that read views, compute primitives, and write or add into views.

Operations that only move entries become other views where they can, else a nest that copies. What has no nest is
left to its forward, between two stretches of machine code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.backends.llvm import positions
from symgrad.compiler.backends.llvm.bands import banded
from symgrad.compiler.backends.llvm.memory import Buffer, Shape, is_apart, view_of
from symgrad.compiler.backends.llvm.register_tiles import tiled
from symgrad.compiler.backends.llvm.routines import integers
from symgrad.compiler.backends.llvm.routines.suitable import reason
from symgrad.compiler.backends.llvm.routines.written import routine
from symgrad.compiler.backends.llvm.steps import (
    FILL,
    ONTO,
    Band,
    Loop,
    Nest,
    Outside,
    Routine,
    Step,
    loop_memory,
    refuse_overlaps,
    singly,
)
from symgrad.compiler.passes.assemble import Assemble
from symgrad.compiler.passes.order import program_of_body
from symgrad.compiler.primitives.clusters import Cluster, clusters
from symgrad.compiler.primitives.elements import INT64, LOAD, OP, Elements
from symgrad.compiler.primitives.recompute import Recompute
from symgrad.compiler.primitives.views import View, whole
from symgrad.core.promotion import is_bool, is_floating, is_integer
from symgrad.ops.contract import Einsum
from symgrad.ops.scatter import Scatter, ScatterAdd
from symgrad.ops.shape import Eye, Reshape
from symgrad.ops.shapes.join import Cat, Stack
from symgrad.ops.slicing import Gather, Slice
from symgrad.transforms.loops.op import Scan

SMALL_PRODUCT = 30_000  # multiplications up to which a contraction is a nest; larger ones go to BLAS
FEW_TIMES = 4096  # that entries of overlapping windows are multiplied, before it pays to copy them out for BLAS
IN_TILES = 3_000_000  # the same of one that is computed in tiles
SMALL_IN_BATCH = 1_000  # the same of each product in a batch, which NumPy gives to BLAS one by one
SMALL_IN_LOOPS = 1_000_000  # the same in the body of a loop, which a call of BLAS would break
MOST_PARTS = 1000  # of an array that are copied by loops of their own, some 1 ms each to compile


class Plan:
    """The steps of a program, and its buffers."""

    def __init__(self, e: Elements, inside: bool = False) -> None:
        self.e, self.inside, self.small = e, inside, SMALL_IN_LOOPS if inside else SMALL_PRODUCT
        self.steps: list[Step] = []
        self.work: list[Buffer] = []
        self.constants: dict[int, Any] = {}
        self.views: dict[int, View] = {}
        self.factors: dict[Any, View] = {}  # what a routine computes that others read too
        self._results = {r: k for k, r in reversed(list(enumerate(e.outputs)))}
        self._homes: dict[int, View] = {}
        self._added: set[int] = set()  # what is added to its home, where windows overlap, and stored nowhere
        self._why: dict[int, str] = {}  # of loops, why they are not machine code
        self._number(e)
        self._assign_storage()
        again = Recompute(e, clusters(e))
        stages, self._terms = again.stages, again.terms
        self._read: dict[int, tuple[View, View]] = {}  # what loops read at positions, without a copy
        self._in_one_loop = _read_once(e, stages)
        for stage in stages:
            if isinstance(stage, Cluster):
                self._cluster(stage)
            else:
                self._operation(stage)
        self._copy_out()
        for step in singly(self.steps):
            refuse_overlaps(step)
        if not inside:
            self.steps = banded(self.steps, e)

    def operations(self) -> int:
        """Return the number of primitives and operations in the code."""
        return sum(
            len(s.body) + len(s.sums) if isinstance(s, Nest) else s.body.operations() if isinstance(s, Loop) else 1
            for s in singly(self.steps)
        )

    def effort(self) -> int:
        """Return about how many primitives a call runs."""
        inner = sum(s.op.length * s.body.effort() for s in self.steps if isinstance(s, Loop))
        return inner + sum(s.work for s in self.steps if isinstance(s, (Nest, Routine, Band)))

    def has_routines(self) -> bool:
        """Whether a step, or one of a loop's body, is a routine."""
        steps = singly(self.steps)
        return any(isinstance(s, Routine) or (isinstance(s, Loop) and s.body.has_routines()) for s in steps)

    # -------------------------------------------------------------- memory
    def _number(self, e: Elements) -> None:
        for r in e.reachable(e.outputs):
            name, *rest = e.ops[r]
            if name == "in":
                self.views[r] = whole(Buffer("x", rest[0], prod(e.shapes[r]), e.dtypes[r]), e.shapes[r])
            elif name == "array":
                self.constants[r] = np.ascontiguousarray(e.arrays[r])
                self.views[r] = whole(Buffer("c", r, prod(e.shapes[r]), e.dtypes[r]), e.shapes[r])

    def place(self, r: int) -> View:
        """Return memory for a value: a part of what it is joined into, the result that it is, or workspace."""
        self.views[r] = self._homes.get(r) or self._room(r)
        return self.views[r]

    def _room(self, r: int) -> View:
        e = self.e
        size, dtype = prod(e.shapes[r]), e.dtypes[r]
        buffer = Buffer("o", self._results[r], size, dtype) if r in self._results else self.workspace(size, dtype)
        return whole(buffer, e.shapes[r])

    def _assign_storage(self) -> None:
        """Give what is joined into a larger array its home there, so that it need not be copied.

        Zeros around the parts are written first of all. Where other terms are added to a part later, only what nobody
        else reads may live.
        """
        e = self.e
        live = e.reachable(e.outputs)
        uses = Counter(r for k in live for r in e.refs(k))
        changing: set[int] = set()
        for k in reversed(live):
            if self._slides(k):
                self._house_windows(k, uses, changing)
                continue
            regions = self._regions(k)
            if regions is None:
                continue
            home = self._homes.get(k) or self._room(k)
            self._homes[k] = home
            changes = k in changing or any(again for _, _, again in regions)
            for r, op, again in regions:
                if again or not self._can_alias(r, k) or (changes and uses[r] > 1):
                    continue
                region = op(home)
                if region is not None and region.shape == e.shapes[r]:
                    self._homes[r] = region
                    changing.update([r] if changes else [])
                    self._added.update([r] if k in self._added else [])
            if isinstance(e.ops[k][0], Assemble) and not e.ops[k][0].covers:
                self._copy(0.0, home)

    def _house_windows(self, k: int, uses: Counter[int], changing: set[int]) -> None:
        """Give windows their home in what they are added into: as a view, or where they overlap, if they are sums."""
        e = self.e
        op, r = e.ops[k]
        home = self._homes.get(k) or self._room(k)
        region = view_of(op.where, home)
        self._homes[k] = home
        if region is None or not self._can_alias(r, k) or (uses[r] > 1 and k in changing):
            return
        if k not in self._added and _covers(region, home):
            self._homes[r] = region
            changing.update([r] if k in changing else [])
        elif self._only_adds(r, uses):
            if k not in self._added:
                self._copy(0.0, home)
            self._homes[r] = region
            self._added.add(r)

    def _only_adds(self, r: int, uses: Counter[int]) -> bool:
        """Whether a value that is read once is found by adding, so that it can be added to what is there."""
        if uses[r] > 1 or self._slides(r) or (self._is_product(r) and self._is_small(r, self.e.shapes[r])):
            return uses[r] == 1
        op, *refs = self.e.ops[r]
        return isinstance(op, Reshape) and _long(self.e, r) == _long(self.e, refs[0]) and self._only_adds(refs[0], uses)

    def _slides(self, k: int) -> bool:
        """Whether a step adds up entries that lie at equal steps in its result: the adjoint of reading windows."""
        op = self.e.ops[k][0]
        if not isinstance(op, ScatterAdd) or not isinstance(op.where, Gather) or not is_floating(self.e.dtypes[k]):
            return False
        return view_of(op.where, whole(None, self.e.shapes[k])) is not None

    def _can_alias(self, r: int, k: int) -> bool:
        """Whether a value may live in what it is joined into."""
        known = r in self._homes or r in self._results or self.e.kind(r) == LOAD
        return not known and self.e.dtypes[r] == self.e.dtypes[k]

    def _regions(self, k: int) -> list[tuple[int, Callable[[View], View | None], bool]] | None:
        """Return how the arguments of an operation lie in its result; None if it does not join them."""
        op, *refs = self.e.ops[k]
        dtype = self.e.dtypes[k]
        if self.e.kind(k) != OP or not _in_words(dtype) or _is_of_many(op, refs):
            return None
        if op.accumulates and not is_floating(dtype):
            return None
        if isinstance(op, Assemble):
            return [(r, partial(view_of, p), again) for r, p, again in zip(refs, op.parts, op.overlaps)]
        if isinstance(op, (Cat, Stack)):
            starts = accumulate([_size(op, self.e.shapes[r]) for r in refs], initial=0)
            return [(r, partial(_slot, op, s, self.e.shapes[r]), False) for r, s in zip(refs, starts)]
        if isinstance(op, Reshape):
            return [(refs[0], partial(view_of, Reshape(self.e.shapes[refs[0]])), False)]
        return None

    def workspace(self, size: int, dtype: Any) -> Buffer:
        """Return a new buffer of the workspace."""
        self.work.append(Buffer("w", len(self.work), size, np.dtype(dtype)))
        return self.work[-1]

    def view(self, r: int) -> View:
        """Return where a value lies; a number gets memory of its own."""
        if r not in self.views:
            value = self.e.value(r)
            assert value is not None  # everything else has been placed before it is read
            self.constants[r] = np.array([value])
            self.views[r] = View(Buffer("c", r, 1, self.e.dtypes[r]), 0, (), ())
        return self.views[r]

    # -------------------------------------------------------------- loops
    def _loads(self, c: Cluster) -> Nest:
        """Return the nest of a loop that has no results yet."""
        nest = Nest(c.shape, body=list(c.body))
        for r in c.loads(self.e):
            if r in self._read:
                nest.loads[r], nest.loads[~r], nest.at[r] = *self._read[r], ~r
            else:
                nest.loads[r] = self.view(r).to(c.shape)
        return nest

    def _cluster(self, c: Cluster) -> None:
        e, nest = self.e, self._loads(c)
        nest.stores = [(r, self.place(r)) for r in c.stored]
        for r in c.reductions:
            op, source = e.ops[r]
            target = self.place(r)
            rest = iter(target.steps)
            strides = tuple(0 if a in op.axes else next(rest) for a in range(len(c.shape)))
            nest.sums.append((self._started(op.kind, target), source, target._replace(steps=strides, shape=c.shape)))
        self.steps.append(nest)

    def _started(self, kind: str, target: View) -> str:
        """Write the neutral number first where the result is a part of something; else the nest does."""
        if target.is_same(whole(target.memory, target.shape)):
            return kind
        self._copy(FILL[kind], target)
        return ONTO[kind]

    def _copy(self, source: View | float, target: View) -> None:
        """Append the nest that copies, or fills with a number."""
        ref = self.e.const(source) if isinstance(source, float) else -1
        loads = {} if isinstance(source, float) else {ref: source.to(target.shape)}
        self.steps.append(Nest(target.shape, loads, stores=[(ref, target)]))

    def _copy_out(self) -> None:
        for k, r in enumerate(self.e.outputs):
            shape, dtype = self.e.shapes[r], self.e.dtypes[r]
            target = whole(Buffer("o", k, prod(shape), dtype), shape)
            if not target.is_same(self.views.get(r)):
                value = self.e.value(r)
                self._copy(self.view(r) if value is None else value, target)

    # -------------------------------------------------------------- operations
    def _operation(self, k: int) -> None:
        e = self.e
        op, *refs = e.ops[k]
        if len(refs) == 1 and e.dtypes[k] == e.dtypes[refs[0]]:
            view = view_of(op, self.view(refs[0]))
            if view is not None:
                self.views[k] = view
                return
        if _in_words(e.dtypes[k]) and self._moved(op, k, refs):
            return
        if isinstance(op, Einsum) and self._contraction(op, k, refs):
            return
        if isinstance(op, Scan) and self._loop(op, k, refs):
            return
        self.steps.append(routine(self, op, k, refs) or self._outside(op, k, refs))

    def _outside(self, op: Any, k: int, refs: Sequence[int]) -> Outside:
        why = self._why.get(k) or reason(op, [self.e.dtypes[r] for r in (*refs, k)])
        return Outside(op, [self._argument(r, k) for r in refs], self.place(k), why)

    def _argument(self, r: int, k: int) -> Any:
        value = self.e.value(r)
        if value is None:
            return self.view(r)
        whole_number = is_integer(self.e.dtypes[k]) and value == int(value)
        return int(value) if whole_number else value

    def _moved(self, op: Any, k: int, refs: Sequence[int]) -> bool:
        """Append copies for operations that move entries. Whether it was one."""
        e = self.e
        if _is_of_many(op, refs) or (op.accumulates and not is_floating(e.dtypes[k])):
            return False
        if isinstance(op, (Cat, Stack, Assemble)):
            self._join(self.place(k), self._regions(k) or [])
        elif self._slides(k):
            self._windows(op, k, refs[0])
        elif isinstance(op, Gather):
            source, further = positions.read(op, self.view(refs[0]), e.shapes[k], self.table)
            if k in self._in_one_loop:
                self._read[k] = source, further
                return True
            self.steps.append(Nest(e.shapes[k], {-1: source, -2: further}, stores=[(-1, self.place(k))], at={-1: -2}))
        elif isinstance(op, ScatterAdd) and isinstance(op.where, Gather) and is_floating(e.dtypes[k]):
            self._add_at(op.where, self.view(refs[0]), self.place(k))
        elif isinstance(op, (ScatterAdd, Scatter)) and isinstance(op.where, Slice):
            self._put(op.where, self.view(refs[0]) if isinstance(op, Scatter) else 0.0, self.view(refs[-1]), k)
        elif isinstance(op, Eye):
            target = self.place(k)
            self._copy(0.0, target)
            self._copy(1.0, View(target.memory, 0, (op.m + 1,), (min(op.n, op.m),)))
        else:
            return len(refs) == 1 and op.linear and op.views and self._copied(op, k, refs[0])
        return True

    def _put(self, where: Slice, into: View | float, part: View, k: int) -> None:
        """Copy an array, or a number, and then a part of it."""
        target = self.place(k)
        region = view_of(where, target)
        assert region is not None  # a Part reads a view
        self._copy(into, target)
        self._copy(part, region)

    def _copied(self, op: Any, k: int, ref: int) -> bool:
        """Read a view off a copy; whether there is one."""
        source = self.view(ref)
        copy = whole(self.workspace(prod(source.shape), source.memory.dtype), source.shape)
        view = view_of(op, copy)
        if view is None:
            return False
        self._copy(source, copy)
        self.views[k] = view
        return True

    def _join(self, target: View, regions: Sequence[Any]) -> None:
        """Copy, or add, what is not in its place yet."""
        for r, op, again in regions:
            region = op(target)
            value = self.e.value(r)
            if again and r in self._terms:
                self.steps.append(replace(self._loads(self._terms[r]), sums=[(ONTO["sum"], r, region)]))
            elif again:
                self._add(self.view(r), region)
            elif value is not None:
                self._copy(value, region)
            elif not region.is_same(self.views.get(r)):
                self._copy(self.view(r), region)

    def _windows(self, op: ScatterAdd, k: int, r: int) -> None:
        """Copy windows, or add them up where they overlap, unless they are there."""
        target = self.place(k)
        region = view_of(op.where, target)
        assert region is not None  # the positions are at equal steps
        if region.is_same(self.views.get(r)):
            return
        if k not in self._added and not _covers(region, target):
            self._copy(0.0, target)
        if k in self._added or not _is_once(region):
            self._add(self.view(r), region)
        else:
            self._copy(self.view(r), region)

    def _add_at(self, op: Gather, source: View, target: View) -> None:
        """Append the nests that add at constant positions into zeros; what is small, into several of them."""
        count = positions.copies(op, source.shape, target.shape)
        if count < 2:
            self._copy(0.0, target)
            self.steps.append(positions.adding(op, source, target, self.table))
            return
        shape = (count, *target.shape)
        parts = whole(self.workspace(prod(shape), target.memory.dtype), shape)
        self._copy(0.0, parts)
        self.steps += positions.adding_apart(op, source, parts, self.table)
        added = target._replace(steps=(0, *target.steps), shape=shape)
        self.steps.append(Nest(shape, {-1: parts}, sums=[(self._started("sum", target), -1, added)]))

    def table(self, numbers: Any) -> View:
        """Return the memory of a constant array that the plan itself makes."""
        r = self.e.place(("array", id(numbers)), numbers.shape, numbers.dtype)
        self.constants[r] = np.ascontiguousarray(numbers)
        self.e.arrays[r] = numbers
        return whole(Buffer("c", r, numbers.size, numbers.dtype), numbers.shape)

    def _add(self, source: View, target: View) -> None:
        """Append the nest that adds to what is there."""
        self.steps.append(Nest(target.shape, {-1: source.to(target.shape)}, sums=[(ONTO["sum"], -1, target)]))

    def _loop(self, op: Scan, k: int, refs: Sequence[int]) -> bool:
        """Append a loop whose body is a plan of its own. Whether every step of it has machine code."""
        e = self.e
        dtypes = {op.packed, *[s.dtype for s in op.body.arguments], *[s.dtype for s in op.body.results]}
        mixed = integers.has_integers(op)
        if op.length < 1 or not (mixed or (len(dtypes) == 1 and is_floating(op.packed))):
            self._why[k] = f"what it carries is of {', '.join(sorted(map(str, dtypes)))}"
            return False
        inner = integers.body_of(op, e) if mixed else Elements(program_of_body(op.body), e.expand, e.known_names)
        body = Plan(inner, inside=True)
        outside = [str(s) for s in body.steps if isinstance(s, Outside)]
        if outside:
            self._why[k] = f"in its body is {'; '.join(outside)}"
            return False
        args = [self._contiguous(self.view(r), op.packed) for r in refs]
        memory = self.workspace(loop_memory(op, body) // op.packed.itemsize + 1, op.packed)
        result = self.place(k)
        if not result.is_plain:  # a loop packs its results without gaps
            result = self.views[k] = whole(self.workspace(prod(result.shape), op.packed), result.shape)
        loop = Loop(op, args, result, body, memory)
        self.steps.append(loop)
        if mixed:
            self.steps.append(integers.checked(loop, [self._argument(r, k) for r in refs]))
        return True

    def _contiguous(self, view: View, dtype: Any) -> View:
        """Return a view in row-major order, copied where it is not, or where it is a number of another dtype."""
        if view.is_plain and view.memory.dtype == dtype:
            return view
        copy = whole(self.workspace(prod(view.shape), dtype), view.shape)
        self._copy(view, copy)
        return copy

    def _contraction(self, op: Einsum, k: int, refs: Sequence[int]) -> bool:
        """Append the nests of a contraction, in tiles where that pays. Whether it has some: large ones go to BLAS."""
        if not self._is_product(k):
            return False
        small = k in self._added or self._is_small(k, *self._windows_of(refs))
        if not small and self._each_product(k) > IN_TILES:
            return False
        nest = self._product(op, k, refs)
        tiles = tiled(nest, self._packed)
        if not tiles and not small:
            return False
        kind = nest.sums[0][0]
        if k in self._added:
            kind = ONTO[kind]
        elif len(tiles) < 2:
            kind = self._started(kind, self.views[k])
        else:
            self._copy(FILL[kind], self.views[k])
            kind = ONTO[kind]
        self.steps += [replace(n, sums=[(kind, *n.sums[0][1:])]) for n in tiles or [nest]]
        return True

    def _product(self, op: Einsum, k: int, refs: Sequence[int]) -> Nest:
        """Return the nest of a contraction that begins with zeros."""
        sizes = op.sizes([self.e.shapes[r] for r in refs])
        target = self.place(k)
        out = dict(zip(op.output, target.steps))
        here = [self.view(r) for r in refs]
        steps = [dict(zip(t, v.steps)) for t, v in zip(op.terms, here)]
        letters = _order(op, sizes, steps, out)
        dims = tuple(sizes[c] for c in letters)
        nest = Nest(dims, product=tuple(range(-2, -2 - len(refs), -1)))
        for name, v, own in zip(nest.product, here, steps):
            nest.loads[name] = View(v.memory, v.offset, tuple(own.get(c, 0) for c in letters), dims)
        nest.sums.append(("sum", 0, View(target.memory, target.offset, tuple(out.get(c, 0) for c in letters), dims)))
        return nest

    def _packed(self, view: View) -> View:
        copy = whole(self.workspace(prod(view.shape), view.memory.dtype), view.shape)
        self._copy(view, copy)
        return copy

    def _windows_of(self, refs: Sequence[int]) -> list[Shape]:
        """Return the shapes of what has entries of memory several times."""
        return [v.shape for v in map(self.view, refs) if not is_apart(v.shape, v.steps)]

    def _is_product(self, k: int) -> bool:
        """Whether an operation is a contraction of floating-point arrays along different axes."""
        e = self.e
        op, *refs = e.ops[k]
        if not isinstance(op, Einsum) or any(len(set(t)) != len(t) for t in op.terms):
            return False
        return is_floating(e.dtypes[k]) and all(e.value(r) is None and e.dtypes[r] == e.dtypes[k] for r in refs)

    def _each_product(self, k: int) -> int:
        """The number of multiplications in each product of a batch."""
        op, *refs = self.e.ops[k]
        sizes = op.sizes([self.e.shapes[r] for r in refs])
        return prod(n for c, n in sizes.items() if c not in op.output or not all(c in t for t in op.terms))

    def _is_small(self, k: int, *windows: Shape) -> bool:
        """Whether a contraction is small, or one of windows of these shapes that are read not too often."""
        op, *refs = self.e.ops[k]
        work, each = prod(op.sizes([self.e.shapes[r] for r in refs]).values()), self._each_product(k)
        if each < work and each <= SMALL_IN_BATCH:
            return True
        return work <= self.small or any(work <= FEW_TIMES * prod(w) for w in windows)


def _long(e: Elements, k: int) -> list[int]:
    """The sizes of the axes that have several entries."""
    return [n for n in e.shapes[k] if n != 1]


def _covers(region: View, home: View) -> bool:
    """Whether a part of an array is all of it, each entry once."""
    return prod(region.shape) == prod(home.shape) and _is_once(region)


def _is_once(view: View) -> bool:
    """Whether a view has each entry of memory at most once."""
    return is_apart(view.shape, view.steps) and all(s or n == 1 for s, n in zip(view.steps, view.shape, strict=True))


def _read_once(e: Elements, stages: Sequence[Cluster | int]) -> set[int]:
    """Return the values that one loop over their shape reads, and nothing else."""
    loops = [c for c in stages if isinstance(c, Cluster)]
    uses = Counter(r for c in loops for r in c.loads(e))
    others = {r for k in stages if not isinstance(k, Cluster) for r in e.refs(k)}
    return {r for c in loops for r in c.loads(e) if uses[r] == 1 and e.shapes[r] == c.shape} - others - {*e.outputs}


def _is_of_many(op: Any, refs: Sequence[int]) -> bool:
    """Whether so many parts are joined that a call of NumPy is compiled sooner than a loop for each of them."""
    return isinstance(op, (Cat, Stack, Assemble)) and len(refs) > MOST_PARTS


def _size(op: Any, shape: Shape) -> int:
    """The positions that an argument takes up along the axis of joining."""
    return 1 if isinstance(op, Stack) else shape[op.axis]


def _slot(op: Any, start: int, shape: Shape, home: View) -> View:
    """Where an argument of Cat or Stack lies in the result."""
    offset = home.offset + start * home.steps[op.axis]
    strides = home.steps
    if isinstance(op, Stack):
        strides = (*strides[: op.axis], *strides[op.axis + 1 :])
    return View(home.memory, offset, strides, shape)


def _order(op: Einsum, sizes: dict[str, int], terms: Sequence[dict[str, int]], out: dict[str, int]) -> list[str]:
    """Order the loops: the innermost runs through memory without gaps wherever it can."""
    letters = [*op.output, *dict.fromkeys(c for t in op.terms for c in t if c not in op.output)]

    def smooth(c: str) -> tuple[int, int]:
        steps = [t.get(c, 0) for t in (*terms, out)]
        return (sum(s in (0, 1) for s in steps) if sizes[c] > 3 else 0), sizes[c]

    inner = max(letters, key=smooth) if letters else ""
    return [c for c in letters if c != inner] + ([inner] if inner else [])


def _in_words(dtype: Any) -> bool:
    """Whether entries are moved as they are: floating-point numbers, booleans, and integers of 64 bits."""
    return is_floating(dtype) or is_bool(dtype) or dtype == INT64
