"""Loops without the stacked results that no step reads, such as carries that a derivative turned out not to need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from symgrad.compiler.program import Builder
from symgrad.core.node import Shape
from symgrad.engine.program import STEP, Program
from symgrad.ops.keys import Span
from symgrad.ops.slicing import Slice
from symgrad.transforms.loops.op import Scan


class _Trimmed(NamedTuple):
    op: Scan
    removed: tuple[tuple[int, int], ...]  # where the parts lay that are gone

    def slice(self, span: tuple[int, int]) -> Slice:
        """Return the slice that reads what this one read of the longer result."""
        start, stop = span
        shift = sum(end - begin for begin, end in self.removed if end <= start)
        return Slice((Span(start - shift, stop - shift, None),))


def without_unread(program: Program) -> Program:
    """Return the program in which loops stack what is read."""
    values = program.values
    if not any([isinstance(v.op, Scan) for v in values]):
        return program
    trimmed = {k: t for k, spans in _spans_read(program).items() if (t := _trimmed(values[k].op, spans)) is not None}
    return _rewritten(program, trimmed) if trimmed else program


def _spans_read(program: Program) -> dict[int, list[tuple[int, int]]]:
    """Return, for each loop, which parts of its result are read; loops of which all is read are left out."""
    values = program.values
    spans: dict[int, list[tuple[int, int]]] = {k: [] for k in program.steps() if isinstance(values[k].op, Scan)}
    for k in program.outputs:
        spans.pop(k, None)
    for k in program.steps():
        for a in values[k].args:
            span = _span(values[k].op, values[a].shape)
            if a in spans and span is not None:
                spans[a].append(span)
            else:
                spans.pop(a, None)
    return spans


def _span(op: object, shape: Shape) -> tuple[int, int] | None:
    """Return the part of a vector that an operation reads, if that is a slice without gaps."""
    if not isinstance(op, Slice) or len(op.items) != 1 or not isinstance(op.items[0], Span):
        return None
    start, step, length = op.items[0].over(shape[0])
    return (start, start + length) if step == 1 else None


def _trimmed(op: Scan, spans: Sequence[tuple[int, int]]) -> _Trimmed | None:
    """Return a loop without the stacked results outside these parts; None where there are none."""
    unread = {
        k
        for k, p in enumerate(op.pieces)
        if k >= op.carries and all(stop <= p.start or p.stop <= start for start, stop in spans)
    }
    if not unread:
        return None
    first = len(op.pieces) - len(op.kept)
    kept = tuple([c for k, c in enumerate(op.kept, first) if k not in unread])
    body = op.body.returning([y for k, y in enumerate(op.body.outputs) if k not in unread])
    shorter = Scan.of(body, op.carries, op.xs, op.length, op.reverse, kept, op.until)
    removed = tuple([(op.pieces[k].start, op.pieces[k].stop) for k in sorted(unread)])
    return _Trimmed(shorter, removed) if shorter.packed == op.packed else None


def _rewritten(program: Program, trimmed: Mapping[int, _Trimmed]) -> Program:
    values, out = program.values, Builder()
    place: dict[int, int] = {}
    for k in sorted({*program.inputs, *program.live()}):
        v = values[k]
        loop = trimmed.get(v.args[0]) if v.kind == STEP and v.args else None
        if k in trimmed:
            op = trimmed[k].op
            place[k] = out.step(op, tuple([place[a] for a in v.args]), (op.size,))
        elif loop is not None:
            span = _span(v.op, values[v.args[0]].shape)
            assert span is not None  # else the loop were not among the trimmed ones
            place[k] = out.step(loop.slice(span), (place[v.args[0]],), v.shape)
        else:
            place[k] = out.again(v, place)
    out.program.outputs = [place[k] for k in program.outputs]
    return out.program
