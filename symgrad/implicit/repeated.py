"""Repeated structure: the same operations on many stages, as a Python loop writes them, become one on all stages.

Steps of one depth with the same operation run as one, with the stages along a new first axis. What only moves entries
is followed by the numbers of entries, so that an argument is a slice of a result, or is gathered from some. A sum of
many terms, one added after the other, becomes one sum.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from symgrad import functions as F
from symgrad.core.node import Shape, tensor_value
from symgrad.core.promotion import FLOAT64
from symgrad.engine.program import CONST, INPUT, STEP, Program, Value
from symgrad.engine.record import as_tensor
from symgrad.implicit.programs import with_constants
from symgrad.ops.map import ADD, DIV, MUL, SUB
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Expand, Reshape
from symgrad.transforms.batching import batch, is_known
from symgrad.transforms.tracing import Trace

_LEAST = 100  # steps from which a program is examined
_FEWER = 4  # times fewer operations, for which it is written anew
_TERMS = 16  # of a sum that is added up at once; uses of a constant, or places along an axis, that all stages share
_PARTS = 8  # slices that are put together before entries are gathered
_MOST = 50_000_000  # numbers of entries that are moved

Numbers = Any  # an array of integers: for each entry the number of the one that it is; 0 where it is zero


class _Sum(NamedTuple):
    """The operation of a sum of many terms, which are its arguments."""

    terms: int


class Repeated:
    """The steps of a program in groups that run as one.

    Attributes:
        is_worth: whether there are far fewer groups than steps.
    """

    def __init__(self, program: Program) -> None:
        self.program, self.is_worth = program, False
        self.steps = program.steps()
        if len(self.steps) < _LEAST:
            return
        self.values: dict[int, Value] = {k: program.values[k] for k in program.live()}
        self._add_up()
        self.starts: dict[int, int] = {}  # the number of the first entry of what is computed, not moved
        self.numbers: dict[int, Numbers] = {}
        self._edges: list[int] = []  # the starts, and whose they are
        self._owners: list[int] = []
        self._ranks: dict[int, int] = {}
        self._ids: dict[Any, int] = {}  # of groups, by what their steps have in common
        self._group: dict[int, int] = {}
        self._leaves: dict[int, int] = {}  # the arrays of the program's arguments that values are parts of
        self.count, self.moved = 1, 0
        self.groups = self._grouped()
        self.is_worth = self.moved <= _MOST and len(self.groups) * _FEWER <= len(self.steps)

    # -------------------------------------------------------------- sums of many terms
    def _add_up(self) -> None:
        """Replace chains of additions, whose results nothing else reads, by one sum."""
        used = self.used = dict.fromkeys(self.program.outputs, 2)
        for v in self.values.values():
            for a in v.args:
                used[a] = used.get(a, 0) + 1
        adds = {k for k, v in self.values.items() if v.kind == STEP and v.op == ADD}
        inner = {
            a
            for k in adds
            for a in self.values[k].args
            if used[a] == 1 and a in adds and self.values[a].spec == self.values[k].spec
        }
        for k in adds - inner:
            terms: list[int] = []
            ahead = [k]
            while ahead:
                for a in reversed(self.values[ahead.pop()].args):
                    (ahead if a in inner else terms).append(a)
            terms = [a for a in terms if self.values[a].kind != CONST or np.any(self.values[a].op)]
            if len(terms) >= _TERMS and all(self.values[a].spec == self.values[k].spec for a in terms):
                self.values[k] = self.values[k]._replace(op=_Sum(len(terms)), args=tuple(terms))

    # -------------------------------------------------------------- groups
    def _grouped(self) -> list[list[int]]:
        """Return the places of steps that run as one, in an order in which they can."""
        groups: dict[Any, list[int]] = {}
        depths: dict[int, int] = {}
        for k in self._needed():
            v = self.values[k]
            depths[k] = max((depths[a] for a in v.args), default=0)
            if self._moves(v):
                self.numbers[k] = np.asarray(v.op.origins(*[self._numbers(a) for a in v.args]))
                self._leaves[k] = k if isinstance(v.op, Reshape) else self._leaves.get(v.args[0], v.args[0])
                self.moved += self.numbers[k].size
            elif v.kind == STEP:
                depths[k] += 1
                self._number_arguments(v)
                self._ranks[k] = self._rank(v)
                key = depths[k], *self._key(k, v)
                self._group[k] = self._ids.setdefault(key, len(self._ids))
                groups.setdefault(key, []).append(k)
            if self.moved > _MOST:
                break
        for k in self.program.outputs:
            self._numbers(k)
        return [sorted(groups[key], key=self._ranks.__getitem__) for key in sorted(groups, key=lambda key: key[0])]

    def _role(self, v: Value, a: int) -> Any:
        """Return what an argument is in each stage: which constant, which column of an argument, or which result."""
        value = self.values[a]
        if not _varies(v, value):
            return type(value.op), repr(value.op)
        kind = value.shape, _dtype(value)
        if value.kind == CONST:
            return *kind, a if self.used[a] >= _TERMS else CONST
        source, at = self._source(a)
        if source < 0 or self.values[source].kind == CONST:
            return kind
        if self.values[source].kind == STEP:
            return *kind, self._group[source], _column((self.values[source].size,), at)
        leaf = self._leaves.get(a, source)
        at -= int(self.numbers[leaf].flat[0]) - self.starts[source]
        return *kind, leaf, _column(self.values[leaf].shape, at)

    def _source(self, a: int) -> tuple[int, int]:
        """Return where the first entry of a value is computed, and its position there; -1 where it is zero."""
        numbers = self.numbers[a]
        first = int(numbers.flat[0]) if numbers.size else 0
        if not first:
            return -1, 0
        k = bisect_right(self._edges, first) - 1
        return self._owners[k], first - self._edges[k]

    def _rank(self, v: Value) -> int:
        """Return where the entries stand, among the arguments of the program, that a step begins with."""
        for a in v.args:
            if a in self.numbers:
                source, at = self._source(a)
                if source >= 0 and self.values[source].kind != CONST:
                    return self._ranks.get(source, self.starts[source] + at)
        return 0

    def _needed(self) -> list[int]:
        values = [self.values.get(k, v) for k, v in enumerate(self.program.values)]
        return Program(values, self.program.inputs, self.program.outputs).live()

    @staticmethod
    def _moves(v: Value) -> bool:
        return v.kind == STEP and not isinstance(v.op, _Sum) and v.op.rearranges

    def _numbers(self, k: int) -> Numbers:
        """Return the numbers of the entries of a value."""
        if k not in self.numbers:
            size = prod(self.values[k].shape)
            self.starts[k], self.count = self.count, self.count + size
            self._edges.append(self.starts[k])
            self._owners.append(k)
            self.numbers[k] = np.arange(self.count - size, self.count).reshape(self.values[k].shape)
        return self.numbers[k]

    def _number_arguments(self, v: Value) -> None:
        for a in v.args:
            if _varies(v, self.values[a]):
                self._numbers(a)

    def _key(self, k: int, v: Value) -> Any:
        """Return what two steps have in common that run as one: not the numbers among their arguments."""
        if not v.args or not (isinstance(v.op, _Sum) or is_known(type(v.op))):
            return (k,)
        kinds = [self._role(v, a) for a in v.args]
        return v.op, v.shape, v.dtype, tuple(kinds)


def _column(shape: Shape, at: int) -> int:
    """Return the position along the short axes of an array, as that of a state's component."""
    inner = prod(shape[1:])
    if not 0 <= at < prod(shape):
        return -1
    return at % inner if len(shape) > 1 and inner <= _TERMS else at // inner if shape and shape[0] <= _TERMS else 0


def _varies(v: Value, a: Value) -> bool:
    """Whether an argument of a step can differ from stage to stage."""
    is_float = a.dtype == FLOAT64 or (a.weak and v.dtype == FLOAT64 and v.op in (ADD, SUB, MUL, DIV))
    return a.kind != CONST or is_float


def _dtype(a: Value) -> np.dtype[Any]:
    return FLOAT64 if a.weak else a.dtype


class _Running:
    """The results so far: flat arrays, and for each entry which array it is in, and where."""

    def __init__(self, plan: Repeated, xs: Sequence[Any]) -> None:
        self.plan, self.arrays = plan, [as_tensor(np.zeros(1))]
        self.owner, self.offset = np.zeros(plan.count, np.int64), np.zeros(plan.count, np.int64)
        for k, v in plan.values.items():
            if v.kind != STEP and k in plan.starts:
                self._place([k], xs[v.op] if v.kind == INPUT else as_tensor(np.asarray(v.op, _dtype(v))))
        for group in plan.groups:
            self._place(group, self._computed(group))

    def results(self) -> list[Any]:
        """Return the program's results."""
        return [self._read(self.plan.numbers[k]) for k in self.plan.program.outputs]

    def _place(self, places: Sequence[int], array: Any) -> None:
        """Note where the entries of these places are: one after the other in an array."""
        size = prod(self.plan.values[places[0]].shape)
        for position, k in enumerate(places):
            if (start := self.plan.starts.get(k)) is not None:
                self.owner[start : start + size] = len(self.arrays)
                self.offset[start : start + size] = np.arange(position * size, (position + 1) * size)
        self.arrays.append(F.reshape(array, (len(places) * size,)))

    def _computed(self, group: Sequence[int]) -> Any:
        """Return the results of the steps of a group, along a first axis."""
        plan, steps = self.plan, [self.plan.values[k] for k in group]
        op, size = steps[0].op, len(group)
        if isinstance(op, _Sum):
            return F.sum(self._read(np.stack([[plan.numbers[a] for a in v.args] for v in steps])), 1)
        columns = list(zip(*[v.args for v in steps], strict=True))
        flags = [len(set(c)) > 1 for c in columns]
        xs = [self._stages(c) if f else self._argument(c[0]) for c, f in zip(columns, flags, strict=True)]
        if size == 1:
            return op(*xs)
        y = batch(op, size, xs, flags) if any(flags) else F.unsqueeze(as_tensor(op(*xs)), 0)
        whole = (size, *steps[0].shape)
        return y if shape(y) == whole else Expand(whole)(y)

    def _argument(self, k: int) -> Any:
        v = self.plan.values[k]
        return v.op if v.kind == CONST else self._read(self.plan.numbers[k])

    def _stages(self, places: Sequence[int]) -> Any:
        return self._read(np.stack([self.plan.numbers[k] for k in places]))

    def _read(self, numbers: Numbers) -> Any:
        """Return the array of the entries with these numbers: of slices where that is possible, else gathered."""
        array = self._sliced(numbers)
        if array is not None:
            return array
        owners, at = self.owner[numbers].ravel(), self.offset[numbers].ravel()
        sources = np.unique(owners)
        parts = [self.arrays[s] for s in sources]
        at = at + np.cumsum([0, *[shape(p)[0] for p in parts]])[np.searchsorted(sources, owners)]
        return F.reshape((parts[0] if len(parts) == 1 else F.cat(parts, 0))[at], np.shape(numbers))

    def _sliced(self, numbers: Numbers) -> Any:
        """Return the array as a slice of a result, as some side by side, or as such slices stacked; None otherwise."""
        size, to = numbers.size, np.shape(numbers)
        runs = _runs(self.owner[numbers].ravel(), self.offset[numbers].ravel(), _PARTS if len(to) == 1 else 1)
        if size and runs:
            parts = [self._slice(*run) for run in runs]
            return F.reshape(parts[0] if len(parts) == 1 else F.cat(parts, 0), to)
        for axis in (0, len(to) - 1) if len(to) > 1 else ():
            if 0 < to[axis] <= _PARTS:
                rows = [self._sliced(np.take(numbers, k, axis)) for k in range(to[axis])]
                if all(r is not None for r in rows):
                    return F.stack(rows, axis)
        return None

    def _slice(self, owner: int, first: int, count: int, step: int) -> Any:
        array = self.arrays[owner]
        return array if count == shape(array)[0] else array[first : first + (count - 1) * step + 1 : step]


def _runs(owners: Any, at: Any, most: int) -> list[tuple[int, int, int, int]]:
    """Return evenly spaced runs in one array each, as (array, first, count, step); none where there are too many."""
    runs: list[tuple[int, int, int, int]] = []
    start = 0
    while start < len(at):
        if len(runs) == most:
            return []
        step = int(at[start + 1] - at[start]) if start + 1 < len(at) and owners[start + 1] == owners[start] else 1
        step = step if step > 0 else 1
        even = (owners[start + 1 :] == owners[start]) & (np.diff(at[start:]) == step)
        count = 1 + (len(even) if even.all() else int(np.argmin(even)))
        runs.append((int(owners[start]), int(at[start]), count, step))
        start += count
    return runs


def grouped(body: Program, who: str) -> Program:
    """Return the program with its repeated steps as one each; itself where little is repeated."""
    plan = Repeated(body)
    if not plan.is_worth:
        return body
    with Trace() as trace:
        variables = trace.variables(body.arguments)
        roots = [as_tensor(t) for t in trace.run(lambda *xs: _Running(plan, xs).results(), variables, who)]
        program, captured = trace.program(variables, roots)
    return with_constants(program, {len(variables) + k: tensor_value(t) for k, t in enumerate(captured)})
