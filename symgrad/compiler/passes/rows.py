"""Programs whose arguments have rows that meet in sums only: what is computed before, for some rows, and after.

Each value of such a program is the same for all rows, or has a row for each of theirs that depends on that one alone,
or is computed from sums over them. So the sums over all rows are those over the first of them and those over the rest.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from symgrad.compiler.program import Builder
from symgrad.core.node import Shape
from symgrad.engine.program import CONST, INPUT, STEP, Program, Value
from symgrad.ops.contract import Einsum
from symgrad.ops.keys import ALL
from symgrad.ops.protocol import Op
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.shape import Expand, Reshape
from symgrad.ops.signature import read
from symgrad.ops.slicing import Slice
from symgrad.support.frozen import replace


class Of(enum.Enum):
    """What a value is: the same for all rows, rows, or what comes after sums over them."""

    SAME, ROWS, AFTER = range(3)


SAME, ROWS, AFTER = Of


class Rows:
    """A program in three parts, whose values are known by their places in the program.

    Attributes:
        program: the program on all rows.
        count: how many rows there are.
        before: what is computed once for all rows.
        sums: what is added up over rows.
    """

    def __init__(self, program: Program, count: int, kinds: dict[int, Of]) -> None:
        self.program, self.count, self._kinds = program, count, kinds
        values = program.values
        read = {a for k in program.live() if self.has_rows(k) for a in values[k].args}
        self.sums = [k for k in program.steps() if kinds[k] is AFTER and any(kinds[a] is ROWS for a in values[k].args)]
        read |= {a for k in self.sums for a in values[k].args}
        self.before = sorted(k for k in read if values[k].kind == STEP and kinds[k] is SAME)

    def has_rows(self, k: int) -> bool:
        """Whether a value has rows."""
        return self._kinds[k] is ROWS

    def inputs(self, *, rows: bool) -> list[int]:
        """Return the arguments, with rows or without."""
        return [k for k in self.program.inputs if rows or not self.has_rows(k)]

    def part(self, starts: Sequence[int], ends: Sequence[int], count: int) -> Program:
        """Return the program from some values to others, for so many rows."""
        values, out = self.program.values, Builder()
        place = {k: out.input(self._shape(k, count), values[k].dtype) for k in starts}
        for k in self._between(starts, ends):
            v = values[k]
            if v.kind == CONST:
                place[k] = out.const(v.op[:1].repeat(count, 0) if self.has_rows(k) else v.op)
                continue
            shape = self._shape(k, count)
            op = replace(v.op, to=shape) if isinstance(v.op, (Expand, Reshape, ScatterAdd)) else v.op
            place[k] = out.step(op, tuple([place[a] for a in v.args]), shape)
        out.program.outputs = [place[k] for k in ends]
        out.program.cache_after = self.program.cache_after
        return out.program

    def passes(self) -> int:
        """Return how many operations that no loop over entries takes in read rows."""
        values = self.program.values
        return sum(
            not _is_in_loops(values[k].op) and any(self.has_rows(a) for a in values[k].args)
            for k in self.program.steps()
        )

    def _shape(self, k: int, count: int) -> Shape:
        shape = self.program.values[k].shape
        return (count, *shape[1:]) if self.has_rows(k) else shape

    def _between(self, starts: Sequence[int], ends: Sequence[int]) -> list[int]:
        """Return what the ends need beside the starts, in order."""
        seen, left = set(starts), list(ends)
        while left:
            k = left.pop()
            if k not in seen:
                seen.add(k)
                left += self.program.values[k].args
        return sorted(seen - set(starts))


def rows_of(program: Program, inputs: Collection[int]) -> Rows | None:
    """Return the program with the arguments at these positions in rows; None where rows meet elsewhere than in sums."""
    values = program.values
    given = {program.inputs[k] for k in inputs}
    sizes = {values[k].shape[:1] for k in given}
    if len(sizes) != 1 or () in sizes:
        return None
    ((count,),) = sizes
    kinds = {k: ROWS if k in given else SAME for k in program.inputs}
    for k in program.live():
        v = values[k]
        if v.kind == INPUT:
            continue
        kind = _constant(v, count) if v.kind == CONST else _step(v, [kinds[a] for a in v.args], values, count)
        if kind is None:
            return None
        kinds[k] = kind
    return None if any(kinds[k] is ROWS for k in program.outputs) else Rows(program, count, kinds)


# ------------------------------------------------------------------ what a value is
def _constant(v: Value, count: int) -> Of:
    array = np.asarray(v.op)
    return ROWS if array.shape[:1] == (count,) and (array == array[:1]).all() else SAME


def _step(v: Value, kinds: Sequence[Of], values: Sequence[Value], count: int) -> Of | None:
    """Return what a step's result is; None where rows meet without a sum."""
    shapes = [values[a].shape for a in v.args]
    if ROWS in kinds:
        return None if AFTER in kinds else _of_rows(v.op, kinds, shapes, v.shape)
    if AFTER in kinds:
        return AFTER
    is_spread = isinstance(v.op, Expand) and v.shape[:1] == (count,) and _is_same(shapes[0], len(v.shape))
    return ROWS if is_spread else SAME


def _of_rows(op: Any, kinds: Sequence[Of], shapes: Sequence[Shape], result: Shape) -> Of | None:
    """Return what comes of rows, and of what is the same for all."""
    if isinstance(op, Einsum):
        return _contracted(op, kinds)
    if op.signature is not None:
        return ROWS if _is_apart(op, kinds, shapes, len(result)) else None
    if len(kinds) != 1 or result[:1] != shapes[0][:1]:
        return None
    if isinstance(op, (Slice, ScatterAdd)):
        where = op.where if isinstance(op, ScatterAdd) else op
        return ROWS if isinstance(where, Slice) and where.items[:1] == (ALL,) else None
    if isinstance(op, Expand):
        return ROWS if len(shapes[0]) == len(result) else None
    return ROWS if isinstance(op, Reshape) or _is_along_others(op) else None


def _contracted(op: Einsum, kinds: Sequence[Of]) -> Of | None:
    """The letter of the rows stands in front, once, in each term that has them, and in no other."""
    letters = {t[:1] for t, kind in zip(op.terms, kinds, strict=True) if kind is ROWS}
    if len(letters) != 1:
        return None
    (letter,) = letters
    once = all(t.count(letter) == (kind is ROWS) for t, kind in zip(op.terms, kinds, strict=True))
    if not once or op.output.find(letter) > 0:
        return None
    return ROWS if letter in op.output else AFTER


def _is_apart(op: Any, kinds: Sequence[Of], shapes: Sequence[Shape], rank: int) -> bool:
    """Whether the rows are among the axes in front of the signature's, as loops."""
    cores = read(op.signature)
    if cores.entrywise:
        return all(len(s) == rank if k is ROWS else _is_same(s, rank) for k, s in zip(kinds, shapes, strict=True))
    of = cores.of(len(shapes))
    return all(k is ROWS and len(s) > len(core) for k, s, core in zip(kinds, shapes, of, strict=True))


def _is_same(shape: Shape, rank: int) -> bool:
    """Whether an operand without rows is the same for each."""
    return len(shape) < rank or shape[0] == 1


def _is_along_others(op: Any) -> bool:
    """Whether an operation works along axes that are not the rows'."""
    fields = getattr(type(op), "__names__", ())
    axes = op.axes if "axes" in fields else (op.axis,) if "axis" in fields else (0,)
    return all(isinstance(a, int) and a > 0 for a in axes)


def _is_in_loops(op: Op) -> bool:
    """Whether loops over entries take an operation in: products of matrices they leave to BLAS."""
    return op.fuses and not (isinstance(op, Einsum) and len(op.terms) > 1)
