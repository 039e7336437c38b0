"""How operations that look, move and multiply become loops over flat arrays, and loops themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from symgrad.compiler.loops.programs import LoopWriter
from symgrad.compiler.loops.writers import Words
from symgrad.compiler.passes.assemble import Assemble
from symgrad.compiler.passes.order import program_of_body
from symgrad.compiler.primitives.views import View, part_of, whole
from symgrad.core.promotion import is_unsigned
from symgrad.ops.contract import Einsum
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.bessel import Bessel
from symgrad.ops.elementwise.gamma import Zeta
from symgrad.ops.elementwise.logic import Bits
from symgrad.ops.linalg.matrices import DiagEmbed, Tril, Triu
from symgrad.ops.linalg.solving import HalfTril
from symgrad.ops.reductions.scan import Shift
from symgrad.ops.reductions.softmax import LogSoftmax, Softmax
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.scatter import Scatter, ScatterAdd
from symgrad.ops.shape import Expand, Eye, Reshape, row_major, total
from symgrad.ops.shapes.join import Cat, Stack
from symgrad.ops.slicing import Gather, Slice
from symgrad.transforms.loops.op import Scan

W = LoopWriter
writes = WORDS = Words()
Views = list[View]


# ------------------------------------------------------------------ looking and moving
@writes(Reshape)
def _(w: W, op: Reshape, a: Views, k: int) -> View:
    x = w.plain(a[0])
    return View(x.memory, x.offset, row_major(w.shape(k)), w.shape(k))


@writes(Expand)
def _(w: W, op: Expand, a: Views, k: int) -> View:
    return View(a[0].memory, a[0].offset, (0,) * len(w.shape(k)), w.shape(k))  # of a number


@writes(Eye)
def _(w: W, op: Eye, a: Views, k: int) -> View:
    target = w.array(w.shape(k))
    with w.nest(target.shape) as idx:
        w.line(f"{w.at(target, idx)} = (1.0 if {idx[0]} == {idx[1]} else 0.0)")
    return target


@writes(Cat, Stack)
def _(w: W, op: Any, a: Views, k: int) -> View:
    target, start = w.array(w.shape(k)), 0
    for x in a:
        step = target.steps[op.axis]
        steps = target.steps if isinstance(op, Cat) else (*target.steps[: op.axis], *target.steps[op.axis + 1 :])
        w.copy(x, View(target.memory, start * step, steps, x.shape))
        start = start + (x.shape[op.axis] if isinstance(op, Cat) else 1)
    return target


@writes(Gather)
def _(w: W, op: Gather, a: Views, k: int) -> View | None:
    if not all(isinstance(n, int) for n in a[0].shape):
        return None
    x, target = w.plain(a[0]), w.array(w.shape(k))
    places = w.table(_places(op, x.shape))
    with w.loop(total(target.shape)) as i:
        w.line(f"{target.memory}[{i}] = {x.memory}[{_after(w, x)}{places}[{i}]]")
    return target


def _places(where: Any, shape: Any) -> Any:
    """Return the flat positions that a selection reads."""
    return np.asarray(where.forward(np.arange(total(shape)).reshape(shape)), dtype=np.int64)


def _after(w: W, x: View) -> str:
    return "" if x.offset == 0 else f"{w.size(x.offset)} + "


def _add(w: W, where: Any, g: View, target: View) -> bool:
    """Add g to a part; whether that could be written."""
    if isinstance(where, Slice):
        w.copy(g, part_of(where, target), add=True)
        return True
    if not isinstance(where, Gather) or not all(isinstance(n, int) for n in target.shape):
        return False
    read = _places(where, target.shape)
    source, places = w.plain(g.to(read.shape)), w.table(read)
    with w.loop(read.size) as i:
        w.line(f"{target.memory}[{places}[{i}]] += {source.memory}[{_after(w, source)}{i}]")
    return True


@writes(ScatterAdd)
def _(w: W, op: ScatterAdd, a: Views, k: int) -> View | None:
    target = w.filled(w.array(op.to))
    return target if _add(w, op.where, a[0], target) else None


@writes(Assemble)
def _(w: W, op: Assemble, a: Views, k: int) -> View:
    target = w.filled(w.array(op.to))
    for g, part in zip(a, op.parts, strict=True):
        _add(w, part, g, target)
    return target


@writes(Scatter)
def _(w: W, op: Scatter, a: Views, k: int) -> View | None:
    target = w.array(w.shape(k))
    w.copy(a[0], target)
    if isinstance(op.where, Slice):
        w.copy(a[1], part_of(op.where, target))
        return target
    if not isinstance(op.where, Gather):
        return None
    read = _places(op.where, target.shape)
    source, places = w.plain(a[1].to(read.shape)), w.table(read)
    with w.loop(read.size) as i:
        w.line(f"{target.memory}[{places}[{i}]] = {source.memory}[{_after(w, source)}{i}]")
    return target


@writes(DiagEmbed)
def _(w: W, op: DiagEmbed, a: Views, k: int) -> View:
    target = w.filled(w.array(w.shape(k)))
    start = max(-op.offset, 0) * target.steps[-2] + max(op.offset, 0) * target.steps[-1]
    w.copy(a[0], View(target.memory, start, (*target.steps[:-2], target.steps[-2] + target.steps[-1]), a[0].shape))
    return target


@writes(Tril, Triu, HalfTril)
def _(w: W, op: Tril, a: Views, k: int) -> View:
    target = w.array(w.shape(k))
    with w.nest(target.shape) as idx:
        i, j = idx[-2:]
        x = w.at(a[0], idx)
        sign = ">=" if isinstance(op, Triu) else "<="
        text = f"({x} if {j} {sign} {i} + ({op.k}) else 0.0)"
        if isinstance(op, HalfTril):
            text = f"(({x} if {j} < {i} else 0.5 * {x}) if {j} <= {i} else 0.0)"
        w.line(f"{w.at(target, idx)} = {text}")
    return target


@writes(Shift)
def _(w: W, op: Shift, a: Views, k: int) -> View:
    target, x, axis = w.filled(w.array(w.shape(k))), a[0], op.axis
    short = (*x.shape[:axis], x.shape[axis] - 1, *x.shape[axis + 1 :])
    if x.shape[axis] == 0:
        return target
    ahead, behind = (x, target) if op.reverse else (target, x)
    moved = View(ahead.memory, ahead.offset + ahead.steps[axis], ahead.steps, short)
    rest = View(behind.memory, behind.offset, behind.steps, short)
    w.copy(*((moved, rest) if op.reverse else (rest, moved)))
    return target


# ------------------------------------------------------------------ entry by entry
def _each(w: W, form: str, a: Views, k: int) -> View:
    """Write a result whose entries are this text of the arguments' entries."""
    target = w.array(w.shape(k))
    with w.nest(target.shape) as idx:
        texts = [w.at(x.to(target.shape) if x.shape else x, idx if x.shape else []) for x in a]
        w.line(f"{w.at(target, idx)} = {form.format(*texts)}")
    return target


@writes(Cast)
def _(w: W, op: Cast, a: Views, k: int) -> View:
    form = w.element(f"cast_{np.dtype(op.to).name}", ["{0}"])
    return _each(w, form, a, k) if w.shape(k) else View(w.let(form.format(w.at(a[0], []))), 0, (), ())


writes(Bessel)(lambda w, op, a, k: _each(w, w.call("bessel", op.n, "{0}"), a, k))
writes(Zeta)(lambda w, op, a, k: _each(w, w.call("zeta", "{0}", "{1}"), a, k))


_TESTS = {"isnan": "({0} != {0})", "isinf": "(math.fabs({0}) == math.inf)", "isfinite": "({0} - {0} == 0.0)",
          "signbit": "(math.copysign(1.0, {0}) < 0.0)"}  # fmt: skip
_BITS = {"bitwise_and": "int({}) & int({})", "bitwise_or": "int({}) | int({})", "bitwise_xor": "int({}) ^ int({})",
         "bitwise_not": "~int({})"}  # fmt: skip


@writes(Bits)
def _(w: W, op: Bits, a: Views, k: int) -> View | None:
    form = {**_TESTS, **_BITS}.get(op.kind)
    if form is None:
        return None
    if op.kind == "bitwise_not" and is_unsigned(w.e.dtypes[k]):
        form = f"{form} & {np.iinfo(w.e.dtypes[k]).max}"
    return _each(w, form, a, k)


@writes(Softmax, LogSoftmax)
def _(w: W, op: Any, a: Views, k: int) -> View | None:
    return a[0] if 0 in w.shape(k) else None  # what has entries comes in smaller steps


@writes(MapTotal)
def _(w: W, op: MapTotal, a: Views, k: int) -> View | None:
    empty = any(0 in w.e.shapes[r] for r in w.e.refs(k))
    return View("math.nan" if op.mean else "0.0", 0, (), ()) if empty else None


# ------------------------------------------------------------------ sums of products
@writes(Einsum)
def _(w: W, op: Einsum, a: Views, k: int) -> View:
    sizes = op.sizes([x.shape for x in a])
    inner = [c for c in dict.fromkeys("".join(op.terms)) if c not in op.output]
    target = w.array(w.shape(k)) if w.shape(k) else None
    with w.nest([sizes[c] for c in op.output]) as outer:
        total_ = w.let("0.0")
        with w.nest([sizes[c] for c in inner]) as within:
            at = dict(zip([*op.output, *inner], [*outer, *within], strict=True))
            factors = [w.at(x, [at[c] for c in t]) for x, t in zip(a, op.terms, strict=True)]
            w.line(f"{total_} += {w.product(factors, w.e.dtypes[k])}")
        if target is not None:
            w.line(f"{w.at(target, outer)} = {total_}")
    return target if target is not None else View(total_, 0, (), ())


# ------------------------------------------------------------------ loops
def _leave(w: W, flags: View) -> None:
    """End the loop where no flag is 0."""
    left = w.let("0.0")
    with w.nest(flags.shape) as idx:
        w.line(f"{left} += (1.0 if {w.at(flags, idx)} == 0.0 else 0.0)")
    w.line(f"if {left} == 0.0:")
    w.line("    break")


@writes(Scan)
def _(w: W, op: Scan, a: Views, k: int) -> View:
    """Run the body for each slice; the carries have memory of their own, which a step overwrites when it is done."""
    n, m = op.carries, op.carries + op.xs
    packed = w.array((op.size,))
    carried = [w.array(x.shape or (1,)) for x in a[:n]]
    for x, place in zip(a, carried):
        w.copy(x, place)
    carries = [View(c.memory, 0, c.steps if x.shape else (), x.shape) for c, x in zip(carried, a)]
    with w.loop(op.length, op.reverse) as i:
        if op.ending is not None:
            _leave(w, carries[op.ending])
        t = sp.Symbol(i, integer=True)
        w.sizes[t] = i
        slices = [View(x.memory, x.offset + t * x.steps[0], x.steps[1:], x.shape[1:]) for x in a[n:m]]
        outputs = w.run(program_of_body(op.body), [*carries, *slices, *a[m:]])
        for piece, y in zip(op.pieces[n:], outputs[n:], strict=True):
            size = total(piece.shape[1:])
            w.copy(y, whole(packed.memory, piece.shape[1:], piece.start + t * size))
        kept = [w.settled(y) for y in outputs[:n]]
        for c, y in zip(carries, kept, strict=True):
            w.copy(y, c)
    for piece, c in zip(op.pieces, carries):
        w.copy(c, whole(packed.memory, c.shape, piece.start))
    return packed
