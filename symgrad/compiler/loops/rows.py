"""How operations along axes become loops, or calls of the library's functions of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isinf
from typing import Any

from symgrad.compiler.loops.programs import LoopWriter
from symgrad.compiler.loops.writers import Words
from symgrad.compiler.primitives.views import View, whole
from symgrad.ops.indexing.lookup import DynamicGather, DynamicScatterAdd
from symgrad.ops.linalg.norms import Norm
from symgrad.ops.reductions.extremes import Arg, Extreme, First
from symgrad.ops.reductions.reduce import Prod
from symgrad.ops.reductions.running import LogCumSumExp
from symgrad.ops.reductions.scan import Cumprod, Cumsum, Recurrence
from symgrad.ops.reductions.variance import Std, Var
from symgrad.ops.shape import total
from symgrad.ops.sorting.order import AddAlongAxis, ArgRunning, Argsort, Median, MedianOfAll, TakeAlongAxis
from symgrad.ops.sorting.search import SearchSorted

FEW = 24  # entries of a row that are found by insertion
W = LoopWriter
writes = WORDS = Words()
Views = list[View]


# ------------------------------------------------------------------ along an axis
def _rows(w: W, x: View, axis: int) -> Any:
    """Return loops over all other axes; the step and number of entries along the axis."""
    rest = [n for a, n in enumerate(x.shape) if a != axis]
    return w.nest(rest), x.steps[axis], x.shape[axis]


def _without(view: View, axis: int) -> View:
    return View(view.memory, view.offset, (*view.steps[:axis], *view.steps[axis + 1 :]),
                (*view.shape[:axis], *view.shape[axis + 1 :]))  # fmt: skip


def _along(w: W, x: View, axis: int, idx: list[str], i: str) -> str:
    return w.at(x, [*idx[:axis], i, *idx[axis:]])


@writes(Cumsum, Cumprod)
def _(w: W, op: Any, a: Views, k: int) -> View:
    x, target = a[0], w.array(w.shape(k))
    product, axis = isinstance(op, Cumprod), op.axis
    exclusive = product and op.exclusive
    if axis < len(x.shape) - 1 and all(isinstance(n, int) for n in x.shape):
        return _by_slices(w, op, x, target, k)
    nest, _, n = _rows(w, x, axis)
    with nest as idx:
        run = w.let("1.0" if product else "0.0")
        with w.loop(n, op.reverse) as i:
            step = f"{run} {'*' if product else '+'}= {_along(w, x, axis, idx, i)}"
            write = f"{_along(w, target, axis, idx, i)} = {run}"
            for line in [write, step] if exclusive else [step, write]:
                w.line(line)
    return target


def _by_slices(w: W, op: Any, x: View, target: View, k: int) -> View:
    """Write each slice from the one before it, so that memory is gone through once; sums stay in double precision."""
    axis, n, product = op.axis, x.shape[op.axis], isinstance(op, Cumprod)
    exclusive = product and op.exclusive
    sums = w.array(x.shape[axis + 1 :]) if w.e.dtypes[k].itemsize < 8 else None
    last = str(n - 1 if op.reverse else 0)

    def write(idx: list[str], rest: list[str], before: list[str] | None, entry: str) -> None:
        here, so_far = (w.at(target, at) if sums is None else w.at(sums, rest) for at in (idx, before or idx))
        w.line(f"{here} = {entry}" if before is None else f"{here} = {so_far} {'*' if product else '+'} {entry}")
        if sums is not None:
            w.line(f"{w.at(target, idx)} = {here}")

    with w.nest(x.shape[:axis]) as lead:
        with w.nest(x.shape[axis + 1 :]) as rest:
            idx = [*lead, last, *rest]
            write(idx, rest, None, "1.0" if exclusive else w.at(x, idx))
        with w.loop(n - 1, op.reverse) as i:
            here, before = (i, f"({i} + 1)") if op.reverse else (f"({i} + 1)", i)
            with w.nest(x.shape[axis + 1 :]) as rest:
                entry = w.at(x, [*lead, before if exclusive else here, *rest])
                write([*lead, here, *rest], rest, [*lead, before, *rest], entry)
    return target


@writes(LogCumSumExp)
def _(w: W, op: LogCumSumExp, a: Views, k: int) -> View:
    x, target = a[0], w.array(w.shape(k))
    nest, _, n = _rows(w, x, op.axis)
    with nest as idx:
        run = w.let("-math.inf")
        with w.loop(n) as i:
            w.line(f"{run} = {w.call('logaddexp', run, _along(w, x, op.axis, idx, i))}")
            w.line(f"{_along(w, target, op.axis, idx, i)} = {run}")
    return target


@writes(Recurrence)
def _(w: W, op: Recurrence, a: Views, k: int) -> View:
    target = w.array(w.shape(k))
    c, b = a[0].to(target.shape), a[1].to(target.shape)
    nest, _, n = _rows(w, b, op.axis)
    step = -1 if op.reverse else 1
    with nest as idx:
        run = w.let("0.0")
        with w.loop(n, op.reverse) as i:
            first = f"{i} == {w.size(n - 1) if op.reverse else 0}"
            low = (step > 0) is op.upper
            weight = _along(w, c, op.axis, idx, i if low else f"({i} {'+' if op.reverse else '-'} 1)")
            here = w.mint("t")
            w.line(f"{here} = (0.0 if {first} else {weight})")
            w.line(f"{run} = {_along(w, b, op.axis, idx, i)} + (0.0 if {here} == 0.0 else {here} * {run})")
            w.line(f"{_along(w, target, op.axis, idx, i)} = {run}")
    return target


def _lined_up(w: W, x: View, axes: Any) -> View:
    """Return the entries of each row along axes one after the other: (…, k)."""
    rest = [a for a in range(len(x.shape)) if a not in axes]
    order = [*rest, *axes]
    moved = View(x.memory, x.offset, tuple(x.steps[a] for a in order), tuple(x.shape[a] for a in order))
    if len(axes) == 1:
        return moved
    flat = w.plain(moved)
    return whole(flat.memory, [*moved.shape[: len(rest)], total(moved.shape[len(rest) :])], flat.offset)


def per_row(w: W, x: View, k: int, text: Any) -> View:
    """Write a number for each row: ``text(position, step, count)``."""
    step, count = w.size(x.steps[-1]), w.size(x.shape[-1])
    return filled_by_row(w, x, k, lambda idx: text(w.position(x, [*idx, "0"]), step, count))


def filled_by_row(w: W, x: View, k: int, text: Callable[[list[str]], str]) -> View:
    """Write a number for each row into a result, whose axes of length 1 that are kept hold no more of them."""
    if not w.shape(k):
        return View(w.let(text([])), 0, (), ())
    result = w.array(w.shape(k))
    rows = whole(result.memory, x.shape[:-1])
    with w.nest(rows.shape) as idx:
        w.line(f"{w.at(rows, idx)} = {text(idx)}")
    return result


@writes(Norm)
def _(w: W, op: Norm, a: Views, k: int) -> View | None:
    if not a[0].shape:
        return View(w.let(f"math.fabs({a[0].memory})" if op.p else f"({a[0].memory} != 0.0)"), 0, (), ())
    x = _lined_up(w, a[0], op.axes) if op.axes else View(a[0].memory, a[0].offset, (*a[0].steps, 1), (*a[0].shape, 1))
    name = "extreme_norm" if op.p == 0 or isinf(op.p) else "norm"
    return per_row(w, x, k, lambda at, by, n: w.call(name, x.memory, at, by, n, w.number(op.p)))


@writes(Var, Std)
def _(w: W, op: Var, a: Views, k: int) -> View:
    x = _lined_up(w, a[0], op.axes) if a[0].shape else w.plain(View(a[0].memory, 0, (0,), (1,)))
    free = w.size(x.shape[-1] - int(op.correction)) if op.correction == int(op.correction) else None
    text = free or f"{w.size(x.shape[-1])} - {op.correction!r}"
    root = "sqrt" if isinstance(op, Std) else ""

    def row(at: str, by: str, n: str) -> str:
        variance = w.call("variance", x.memory, at, by, n, text)
        return w.call(root, variance) if root else variance

    return per_row(w, x, k, row)


@writes(Extreme)
def _(w: W, op: Extreme, a: Views, k: int) -> View:
    x = w.plain(_lined_up(w, a[0], op.axes))
    name = "arg"
    return per_row(
        w, x, k, lambda at, by, n: f"{x.memory}[{at} + {w.call(name, x.memory, at, by, n, int(op.largest))}]"
    )


@writes(Prod)
def _(w: W, op: Prod, a: Views, k: int) -> View:
    x = _lined_up(w, a[0], op.axes) if op.axes else View(a[0].memory, a[0].offset, (*a[0].steps, 0), (*a[0].shape, 1))

    def row(idx: list[str]) -> str:
        run = w.let("1.0")
        with w.loop(x.shape[-1]) as i:
            w.line(f"{run} *= {w.at(x, [*idx, i])}")
        return run

    return filled_by_row(w, x, k, row)


@writes(Arg)
def _(w: W, op: Arg, a: Views, k: int) -> View | None:
    if not a[0].shape:
        return View("0.0", 0, (), ())
    axes = range(len(a[0].shape)) if op.axis is None else [op.axis % len(a[0].shape)]
    x = _lined_up(w, a[0], list(axes))
    return per_row(w, x, k, lambda at, by, n: f"float({w.call('arg', x.memory, at, by, n, int(op.largest))})")


@writes(First)
def _(w: W, op: First, a: Views, k: int) -> View | None:
    if not a[0].shape:
        return View("1.0", 0, (), ())
    x, axis = a[0], op.axis % len(a[0].shape)
    target = w.filled(w.array(x.shape))
    nest, by, n = _rows(w, x, axis)
    with nest as idx:
        at = w.position(_without(x, axis), idx)
        place = w.position(_without(target, axis), idx)
        call = w.call("arg", x.memory, at, w.size(by), w.size(n), int(op.largest))
        w.line(f"{target.memory}[{place} + {w.factor(target.steps[axis])}*{call}] = 1.0")
    return target


@writes(Argsort, ArgRunning, Median)
def _(w: W, op: Any, a: Views, k: int) -> View | None:
    if not a[0].shape:
        return View("0.0", 0, (), ())
    x, axis, target = a[0], op.axis % len(a[0].shape), w.array(w.shape(k))
    nest, by, n = _rows(w, x, axis)
    name, extra, last = _search(w, op, k, n)
    with nest as idx:
        at, to = w.position(_without(x, axis), idx), w.position(_without(target, axis), idx)
        steps = [] if isinstance(op, Median) else [w.size(target.steps[axis])]
        w.line(w.call(name, x.memory, at, w.size(by), w.size(n), *extra, target.memory, to, *steps, *last))
    return target


def _search(w: W, op: Any, k: int, n: Any) -> tuple[str, list[Any], list[Any]]:
    """Return the function that finds positions in a row of n, what it is told, and its memory."""
    if isinstance(op, Median):
        return "median_arg", [], [w.array((n,)).memory]
    if isinstance(op, ArgRunning):
        return "running_arg", [int(op.largest)], []
    count = w.first(k, op.axis)
    if isinstance(count, int) and count <= FEW:
        return "argfirst", [int(op.descending)], [count]
    return "argsort", [int(op.descending)], [w.array((2 * n,)).memory]


@writes(SearchSorted)
def _(w: W, op: SearchSorted, a: Views, k: int) -> View:
    (row, v), target = a, w.array(w.shape(k))
    axis = len(row.shape) - 1
    with w.nest(target.shape) as idx:
        at = w.position(_without(row, axis), idx[:axis])
        place = w.call(
            "bisect", row.memory, at, w.size(row.steps[axis]), w.size(row.shape[axis]), w.at(v, idx), int(op.right)
        )
        w.line(f"{w.at(target, idx)} = float({place})")
    return target


@writes(MedianOfAll)
def _(w: W, op: MedianOfAll, a: Views, k: int) -> View | None:
    if not a[0].shape:
        return View(w.let(a[0].memory), 0, (), ())
    x = w.plain(_lined_up(w, a[0], op.axes))
    scratch = w.array((x.shape[-1] + 1,)).memory
    return per_row(w, x, k, lambda at, by, n: w.call("median", x.memory, at, by, n, scratch))


@writes(TakeAlongAxis)
def _(w: W, op: TakeAlongAxis, a: Views, k: int) -> View | None:
    (x, at), target = a, w.array(w.shape(k))
    if not x.shape:
        return x
    with w.nest(target.shape) as idx:
        w.line(f"{w.at(target, idx)} = {_entry_along(w, x, op.axis, at.to(target.shape), idx)}")
    return target


def _entry_along(w: W, x: View, axis: int, at: View, idx: list[str]) -> str:
    """Return the text of an entry of x, whose position along the axis stands in ``at``."""
    axis %= len(x.shape)
    rest = _without(x, axis)
    others = ["0" if n == 1 else i for n, i in zip(rest.shape, [*idx[:axis], *idx[axis + 1 :]], strict=True)]
    place = w.position(rest, others)
    return f"{x.memory}[{place} + {w.factor(x.steps[axis])}*{w.inside(w.at(at, idx), x.shape[axis])}]"


def _until(op: DynamicGather, positions: Views) -> int:
    """Return how many axes the result has up to the end of the block of positions; along the others entries follow."""
    return op.front + max(len(p.shape) for p in positions)


def _position(w: W, op: DynamicGather, x: View, positions: Views, idx: Sequence[str]) -> tuple[str, str]:
    """Return where in x the entries of the block begin, and the condition that its positions are inside."""
    block, places, inside = idx[op.front :], [], []
    for a, p in zip(op.axes, positions, strict=True):
        own = block[len(block) - len(p.shape) :]
        n = w.factor(x.shape[a])
        at = w.whole(w.at(p, ["0" if m == 1 else i for i, m in zip(own, p.shape, strict=True)]))
        w.line(f"{at} = ({at} + {n} if {at} < 0.0 else {at})")
        inside.append(f"{at} >= 0.0 and {at} < {n}")
        places.append(f"{w.factor(x.steps[a])}*int({at})")
    w.require(" and ".join(inside))
    return " + ".join(places), " and ".join(inside)


def _entry(w: W, op: DynamicGather, x: View, place: str, rest: Sequence[str]) -> str:
    """Return the text of an entry of x behind such a place."""
    others = [a for a in range(len(x.shape)) if a not in op.axes]
    steps, sizes = tuple(x.steps[a] for a in others), tuple(x.shape[a] for a in others)
    return f"{x.memory}[{w.position(View(x.memory, x.offset, steps, sizes), rest)} + {place}]"


@writes(DynamicGather)
def _(w: W, op: DynamicGather, a: Views, k: int) -> View:
    x, target, end = w.plain(a[0]), w.array(w.shape(k)), _until(op, a[1:])
    with w.nest(target.shape[:end]) as idx:
        place, inside = _position(w, op, x, a[1:], idx)
        for head, is_inside in ((f"if {inside}", True), ("else", False)):
            with w.under(head), w.nest(target.shape[end:]) as rest:
                entry = _entry(w, op, x, place, [*idx[: op.front], *rest]) if is_inside else "math.nan"
                w.line(f"{w.at(target, [*idx, *rest])} = {entry}")
    return target


@writes(DynamicScatterAdd)
def _(w: W, op: DynamicScatterAdd, a: Views, k: int) -> View:
    g, target, end = a[0], w.filled(w.array(w.shape(k))), _until(op.where, a[1:])
    with w.nest(g.shape[:end]) as idx:
        place, inside = _position(w, op.where, target, a[1:], idx)
        with w.under(f"if {inside}"), w.nest(g.shape[end:]) as rest:
            w.line(f"{_entry(w, op.where, target, place, [*idx[: op.where.front], *rest])} += {w.at(g, [*idx, *rest])}")
    return target


@writes(AddAlongAxis)
def _(w: W, op: AddAlongAxis, a: Views, k: int) -> View | None:
    (g, at), target = a, w.filled(w.array(w.shape(k)))
    if not g.shape:
        return g
    with w.nest(g.shape) as idx:
        w.line(f"{_entry_along(w, target, op.axis, at.to(g.shape), idx)} += {w.at(g, idx)}")
    return target
