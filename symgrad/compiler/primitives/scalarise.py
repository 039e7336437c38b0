"""A small program of arrays written out entry by entry: every array becomes an array of scalar references.

Operations that move entries run as they are, on the references; the others say here how they compute.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from symgrad.compiler.passes.assemble import Assemble
from symgrad.compiler.primitives.decompose import program_of
from symgrad.compiler.primitives.elements import LOADED, TRUTH, Elements
from symgrad.compiler.primitives.folding import ONE, ZERO, total
from symgrad.compiler.primitives.map_steps import steps_of_map
from symgrad.compiler.primitives.payload import replay
from symgrad.core.promotion import BOOL, FLOAT64, is_bool, is_discrete, is_floating, is_integer
from symgrad.engine.program import CONST, INPUT, Program, Value
from symgrad.ops.contract import Einsum
from symgrad.ops.convert import Cast
from symgrad.ops.map import Map
from symgrad.ops.reduction import on_rows
from symgrad.ops.reductions.extremes import Extreme
from symgrad.ops.reductions.reduce import Prod
from symgrad.ops.reductions.scan import Cumprod, Cumsum, Recurrence
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.shape import Eye
from symgrad.support.lazy import cached_property

Refs = np.ndarray[Any, np.dtype[np.int64]]


class Written:
    """A program entry by entry; ``scalars`` collects the operations."""

    def __init__(self, program: Program, scalars: Elements | None = None) -> None:
        self.scalars = Elements() if scalars is None else scalars
        self.slots: list[tuple[int, int]] = []  # (argument, flat position) of each slot
        self.outputs = self._run(program, {})

    def _run(self, program: Program, places: dict[int, Refs | int]) -> list[Refs]:
        values, emit, const = program.values, self.scalars.emit, self.scalars.const
        for k in program.live():
            if k in places:
                continue
            v = values[k]
            if v.dtype is FLOAT64 and type(v.op) is Map and v.shape == ():  # as most
                places[k] = replay(steps_of_map(v.op), [places[a] for a in v.args], emit, const)
            else:
                places[k] = _one(self._value(program, v, places))
        return [np.asarray(places[k]) for k in program.outputs]

    def _value(self, program: Program, v: Value, places: dict[int, Refs | int]) -> Refs:
        """Return the references of a value's entries."""
        if v.kind == INPUT:
            return self._input(v)
        if v.kind == CONST:
            flat = [self.scalars.const(float(c)) for c in np.ravel(v.op)]
            return np.array(flat, dtype=np.int64).reshape(v.shape)
        args = [np.asarray(places[a]) for a in v.args]
        inner = program_of(v, [program.values[a] for a in v.args])
        if inner is not None:
            return self._run(inner, dict(zip(inner.inputs, map(_one, args), strict=True)))[0]
        return self._in_kind(program, v, np.asarray(write(v.op, self.scalars, args)).reshape(v.shape))

    def _in_kind(self, program: Program, v: Value, refs: Refs) -> Refs:
        """Arithmetic on booleans gives booleans where the program says so; a cast rounds, or compares."""
        cast = isinstance(v.op, Cast)
        if is_bool(v.dtype) and not v.op.truth and not v.op.rearranges:
            return self._each("ne", refs, ZERO)
        before = program.values[v.args[0]].dtype if cast else v.dtype
        if is_discrete(before) and is_floating(v.dtype):
            refs = self._each("cast_float64", refs)
        if before != v.dtype and np.float32 in (before, v.dtype):  # single precision is computed in doubles
            return self._each("cast_float32", refs)
        return refs

    def _each(self, name: str, refs: Refs, *more: int) -> Refs:
        """Apply a primitive to every entry; a boolean is one already."""
        s, flat = self.scalars, refs.ravel().tolist()
        entries = [r if name == "ne" and s.ops[r][0] in TRUTH else s.emit(name, r, *more) for r in flat]
        return np.array(entries, dtype=np.int64).reshape(refs.shape)

    def _input(self, v: Value) -> Refs:
        start = len(self.slots)
        self.slots += [(v.op, k) for k in range(v.size)]
        return np.array([self.scalars.slot(start + k) for k in range(v.size)], dtype=np.int64).reshape(v.shape)

    def roots(self) -> list[int]:
        """Return the references of all results' entries."""
        return [r for y in self.outputs for r in y.ravel().tolist()]

    @cached_property
    def uses(self) -> list[int]:
        """The number of times that the results and their inputs use each operation."""
        return self.scalars.use_counts(self.roots())

    @cached_property
    def needed(self) -> list[int]:
        """The operations that the results need, in order; constants and arguments aside."""
        ops = self.scalars.ops
        return [k for k, n in enumerate(self.uses) if n and ops[k][0] not in LOADED]

    def operations(self) -> int:
        """Return the number of operations that the results need."""
        return len(self.needed)


def _one(refs: Refs) -> Refs | int:
    """A single number's reference as an int."""
    return refs if refs.ndim else int(refs)


def can_be_written(v: Value, args: Sequence[Value]) -> bool:
    """Whether an operation can be written out entry by entry: on floating-point numbers; integers only move."""
    if v.kind != "step":
        return v.weak or v.dtype in _WRITTEN or (is_integer(v.dtype) and (v.kind == INPUT or _is_exact(v.op)))
    if is_integer(v.dtype):
        return bool(v.op.rearranges)
    if v.dtype not in _WRITTEN or any(is_integer(a.dtype) and not a.weak for a in args):
        return isinstance(v.op, Cast) and (v.dtype == np.float64 or args[0].dtype.itemsize <= 4)
    if type(v.op) is Map:
        return True
    own = v.op.rearranges or write.dispatch(type(v.op)) is not _BASE
    return own or program_of(v, args) is not None


_WRITTEN = frozenset({BOOL, FLOAT64, np.dtype(np.float32)})


def _is_exact(value: Any) -> bool:
    """Whether all integers of an array are floats as well."""
    return not np.size(value) or bool(np.max(value) <= 2**53 and np.min(value) >= -(2**53))


def entries_of(v: Value, values: Sequence[Value]) -> int:
    """Estimate how many scalar operations a step writes."""
    if type(v.op) is Map and v.shape == ():
        return len(steps_of_map(v.op).ops) or 1
    if v.kind != "step" or v.op.rearranges:
        return 0
    if isinstance(v.op, (Map, MapTotal)):
        steps = steps_of_map(v.op if isinstance(v.op, Map) else v.op.map)
        size = max((values[a].size for a in v.args), default=1) if isinstance(v.op, MapTotal) else v.size
        return size * max(1, len(steps.ops))
    if isinstance(v.op, Einsum):
        sizes = v.op.sizes([values[a].shape for a in v.args])
        return int(np.prod(list(sizes.values()), dtype=np.int64)) * len(v.op.terms)
    return sum(values[a].size for a in v.args) * (8 if program_of(v, [values[a] for a in v.args]) else 1)


# ------------------------------------------------------------------ what operations write
@singledispatch
def write(op: Any, s: Elements, args: Sequence[Refs]) -> Any:
    """Return the references of the result. Here: of operations that only move entries."""
    if not op.rearranges:
        raise TypeError(f"{op} is not written entry by entry")
    return op.forward(*args)


_BASE = write.dispatch(object)


def elementwise(op: Map, s: Elements, args: Sequence[Refs]) -> Refs:
    """Replay the payload's steps on every entry."""
    steps = steps_of_map(op)
    if all(a.ndim == 0 for a in args):
        return np.array(replay(steps, [int(a) for a in args], s.emit, s.const))
    wide = np.broadcast_arrays(*args)
    rows = zip(*[w.ravel().tolist() for w in wide])
    entries = [replay(steps, row, s.emit, s.const) for row in rows]
    return np.array(entries, dtype=np.int64).reshape(wide[0].shape)


write.register(Map, elementwise)


@write.register
def _(op: MapTotal, s: Elements, args: Sequence[Refs]) -> Any:
    terms = elementwise(op.map, s, args).ravel().tolist()
    added = total(s, terms)
    return np.array(s.emit("div", added, s.const(len(terms))) if op.mean else added)


write.register(Eye, lambda op, s, args: np.where(np.eye(op.n, op.m) == 1, ONE, ZERO))
write.register(Cast, lambda op, s, args: args[0])  # rounded, or compared with zero, by whoever knows its dtype


@write.register
def _(op: ScatterAdd, s: Elements, args: Sequence[Refs]) -> Any:
    """Add each entry to the place it was read from."""
    size = int(np.prod(op.to, dtype=np.int64))
    read = np.broadcast_to(op.where.forward(np.arange(size).reshape(op.to)), args[0].shape)
    groups: list[list[int]] = [[] for _ in range(size)]
    for place, ref in zip(np.ravel(read).tolist(), args[0].ravel().tolist(), strict=True):
        if ref != ZERO:
            groups[place].append(ref)
    return np.array([total(s, refs) for refs in groups], dtype=np.int64).reshape(op.to)


@write.register
def _(op: Assemble, s: Elements, args: Sequence[Refs]) -> Any:
    sums = np.full(op.to, ZERO, dtype=np.int64)
    for refs, part in zip(args, op.parts, strict=True):
        here = sums[(*part.key, ...)]
        terms = np.broadcast_to(refs, here.shape).ravel().tolist()
        added = [s.emit("add", a, b) for a, b in zip(here.ravel().tolist(), terms, strict=True)]
        here[...] = np.reshape(added, here.shape)
    return sums


@write.register
def _(op: Einsum, s: Elements, args: Sequence[Refs]) -> Any:
    """Σ over the absent letters of the product of entries."""
    letters = op.output + "".join(dict.fromkeys(c for t in op.terms for c in t if c not in op.output))
    sizes = op.sizes([a.shape for a in args])
    full = tuple(sizes[c] for c in letters)
    wide = [np.broadcast_to(_aligned(a, t, letters), full) for a, t in zip(args, op.terms, strict=True)]
    rows = int(np.prod(full[: len(op.output)], dtype=np.int64))
    width = int(np.prod(full[len(op.output) :], dtype=np.int64))
    columns = [w.reshape(rows, width).tolist() for w in wide]
    out = [total(s, [_product(s, refs) for refs in zip(*row)]) for row in zip(*columns)]
    return np.array(out, dtype=np.int64).reshape(full[: len(op.output)])


def _aligned(refs: Refs, term: str, letters: str) -> Refs:
    """Bring an operand's axes into the order of the letters, a repeated letter to its diagonal."""
    unique = "".join(dict.fromkeys(term))
    if unique != term:
        refs = np.einsum(f"{term}->{unique}", refs)
    order = sorted(range(len(unique)), key=lambda k: letters.index(unique[k]))
    here = tuple(slice(None) if c in unique else None for c in letters)
    return refs.transpose(order)[here]


def _product(s: Elements, refs: Sequence[int]) -> int:
    first, *rest = refs
    for r in rest:
        first = s.emit("mul", first, r)
    return first


# ------------------------------------------------------------------ reductions and running results
def _by_row(op: Any, s: Elements, refs: Refs, name: str, empty: int) -> Any:
    """Join the entries of each row along the axes."""
    rows = on_rows(refs, op.axes)
    flat = rows.reshape(int(np.prod(rows.shape[:-1], dtype=np.int64)), rows.shape[-1])
    entries = [_folded(s, name, row, empty) for row in flat.tolist()]
    return np.array(entries, dtype=np.int64).reshape(op.out_shape(refs.shape))


def _folded(s: Elements, name: str, refs: Sequence[int], empty: int) -> int:
    ref = empty
    for n, r in enumerate(refs):
        ref = s.emit(name, ref, r) if n else r
    return ref


write.register(Prod, lambda op, s, args: _by_row(op, s, args[0], "mul", ONE))
write.register(Extreme, lambda op, s, args: _by_row(op, s, args[0], "maximum" if op.largest else "minimum", ZERO))


@write.register(Cumsum)
@write.register(Cumprod)
def _(op: Cumsum | Cumprod, s: Elements, args: Sequence[Refs]) -> Any:
    rows = np.moveaxis(args[0], op.axis, 0)
    rows = rows[::-1] if op.reverse else rows
    if isinstance(op, Cumprod) and op.exclusive:
        rows = np.concatenate([np.full_like(rows[:1], ONE), rows[:-1]])
    join = np.frompyfunc(lambda a, b: s.emit("mul" if isinstance(op, Cumprod) else "add", a, b), 2, 1)
    totals = np.array(rows)
    for k in range(1, len(totals)):
        totals[k] = join(totals[k - 1].astype(object), totals[k].astype(object))
    return np.moveaxis(totals[::-1] if op.reverse else totals, 0, op.axis)


@write.register
def _(op: Recurrence, s: Elements, args: Sequence[Refs]) -> Any:
    a, b = (np.moveaxis(v, op.axis, 0) for v in np.broadcast_arrays(*args))
    sums, n, low = np.array(b), len(b), 0 if op.upper else 1

    def entry(y: int, w: int, x: int) -> int:
        weighed = s.emit("select", s.emit("eq", w, ZERO), ZERO, s.emit("mul", y, w))
        return s.emit("add", x, weighed)

    join = np.frompyfunc(entry, 3, 1)
    for k in range(n - 2, -1, -1) if op.reverse else range(1, n):
        before, weight = (sums[k + 1], a[k + 1 - low]) if op.reverse else (sums[k - 1], a[k - low])
        sums[k] = join(before.astype(object), weight.astype(object), sums[k].astype(object))
    return np.moveaxis(sums, 0, op.axis)
