"""How dependencies pass through an operation, as its class declares.

What is piecewise constant depends on nothing, what moves entries on one each, what works along axes or core axes
on all along these, and what says nothing on all entries of its inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.sparse.contraction import contraction
from symgrad.compiler.sparse.entries import Entries, dependence, joined, reads
from symgrad.compiler.sparse.sets import Ints, Together, singles
from symgrad.core.node import Shape
from symgrad.ops.contract import Einsum
from symgrad.ops.map import Map
from symgrad.ops.protocol import Op
from symgrad.ops.reduction import on_rows
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.signature import read

Args = Sequence[Entries]


def rule(op: Any, args: Args, to: Shape) -> Entries:
    """Return the entries of the result, which has the shape ``to``."""
    if op.flat:
        return Entries(to)
    if isinstance(op, (Map, MapTotal, Einsum)):
        return _arithmetic(op, args, to)
    if op.adds:
        return _added(to, list(zip(args, op.adds, strict=True)))
    return _numbered(op, args, to) or _along(op, args, to) or dense(args, to)


def dense(args: Args, to: Shape) -> Entries:
    """Every entry depends on all entries of the inputs."""
    together = joined((1,), [(a, np.zeros(a.size, np.int64), np.arange(a.size)) for a in args])
    return _spread(Entries((1,), together), np.zeros(prod(to), np.int64), to)


def _spread(a: Entries, which: Ints, to: Shape) -> Entries:
    """The entries of a that ``which`` numbers, in a new order or repeated."""
    return Entries(to, joined(to, [(a, np.arange(prod(to)), which.ravel())]))


def _arithmetic(op: Any, args: Args, to: Shape) -> Entries:
    if isinstance(op, Map):
        return _elementwise(op, args, to)
    if isinstance(op, Einsum):
        return contraction(op, args, to)
    return dense([_elementwise(op.map, args, np.broadcast_shapes(*[a.shape for a in args]))], to)


# ------------------------------------------------------------------ by the numbers of entries
def _numbered(op: Op, args: Args, to: Shape) -> Entries | None:
    """Run the operation on numbers of entries, where 0 is the zero that it fills up with."""
    starts = np.cumsum([1, *[a.size for a in args]])
    numbers = [a.places + s for a, s in zip(args, starts)]
    if (at := op.origins(*numbers)) is not None:
        if len(args) == 1 and np.array_equal(np.ravel(at), numbers[0].ravel()):  # in the old order
            return _reshaped(args[0], to)
        return _moved(np.asarray(at).reshape(-1), args, starts.tolist(), to)
    if (at := op.reads(numbers, [_constant(a) for a in args])) is None:
        return None
    rows = np.asarray(at)
    return Entries(to, joined(to, _parts(rows.ravel(), args, starts.tolist(), max(rows.shape[-1], 1))))


def _constant(a: Entries) -> Any:
    """The array, where all entries are constants."""
    return np.broadcast_to(a.value, a.shape) if a.known is not None and np.all(a.known) else None


def _parts(at: Ints, args: Args, starts: Sequence[int], width: int = 1) -> list[tuple[Entries, Ints, Ints]]:
    """Of each input the pairs of an entry of the result, of which ``width`` in a row are one, and one of the input."""
    parts = []
    for a, s in zip(args, starts):
        out = np.flatnonzero((at >= s) & (at < s + a.size))
        parts.append((a, out // width, at[out] - s))
    return parts


def _moved(at: Ints, args: Args, starts: Sequence[int], to: Shape) -> Entries:
    """Entries that stand in new places, constants among them."""
    sets = joined(to, _parts(at, args, starts))
    known = np.concatenate([[True], *[_flat(a, a.known, False) for a in args]])[at]
    if not known.any():
        return Entries(to, sets)
    value = np.concatenate([[0.0], *[_flat(a, a.value, 0.0) for a in args]])[at]
    return Entries(to, sets, known.reshape(to), value.reshape(to))


def _reshaped(a: Entries, to: Shape) -> Entries:
    """The same entries in another shape."""
    if a.known is None:
        return Entries(to, a.joint)
    known, value = (np.broadcast_to(v, a.shape).reshape(to) for v in (a.known, a.value))
    return Entries(to, a.joint, known, value)


def _flat(a: Entries, value: Any, default: Any) -> Any:
    return np.broadcast_to(default if value is None else value, a.shape).ravel()


def _added(to: Shape, terms: Sequence[tuple[Entries, Any]]) -> Entries:
    """Terms that are added to parts of zeros."""
    parts, moving, whole = [], np.zeros(prod(to), bool), np.arange(prod(to)).reshape(to)
    for a, where in terms:
        out, which = (v.ravel() for v in np.broadcast_arrays(np.asarray(where.forward(whole)), a.places))
        parts.append((a, out, which))
        moving[out if a.zero is None else out[~a.zero.ravel()[which]]] = True
    known = None if moving.all() else ~moving.reshape(to)
    return Entries(to, joined(to, parts), known, 0.0 if known is None else np.zeros(to))


# ------------------------------------------------------------------ elementwise
def _elementwise(op: Map, args: Args, to: Shape) -> Entries:
    if any(a.known is None for a in args) and all(map(_has_no_zero, args)):
        return _combined([a for a, is_read in zip(args, reads(op, args), strict=True) if is_read], to)
    abstract = dependence(op, args)
    bits = np.broadcast_to(abstract.bits, to).ravel()
    parts = []
    for k, a in enumerate(args):
        out = np.flatnonzero(bits >> k & 1)
        parts.append((a, out, np.broadcast_to(a.places, to).ravel()[out]))
    if not np.any(abstract.known):
        return Entries(to, joined(to, parts))
    return Entries(to, joined(to, parts), np.broadcast_to(abstract.known, to), np.broadcast_to(abstract.value, to))


def _has_no_zero(a: Entries) -> bool:
    """Whether no entry is known, or all are and none is 0: what others depend on, results then depend on."""
    return a.known is None or bool(np.all(a.known) and np.all(a.value))


def _combined(args: Args, to: Shape) -> Entries:
    """Every entry depends on what the entries in its place depend on, once arrays are broadcast."""
    if args and all(a.shape == to for a in args):
        return Entries(to, Together.of([a.joint for a in args if a.joint is not None]))
    return _each([(a, a.shape) for a in args], to)


# ------------------------------------------------------------------ along axes
def _along(op: Any, args: Args, to: Shape) -> Entries | None:
    """Read off the axes or the core axes; None where the operation has neither."""
    if op.running:
        return _running(op, args, to)
    fields = getattr(type(op), "__names__", ())
    if "axis" in fields or "axes" in fields:
        return _on_rows(op.axes if "axes" in fields else (op.axis,), args, to)
    return None if op.signature is None else _on_cores(op, args, to)


def _over(a: Entries, axes: Sequence[int]) -> Entries:
    """The union of what the entries along the axes depend on, which become one long."""
    rows = on_rows(a.places, tuple(axes)) if axes else a.places[..., None]
    to = tuple(1 if k in axes else n for k, n in enumerate(a.shape))
    return Entries(to, joined(to, [(a, np.repeat(np.arange(prod(to)), rows.shape[-1]), rows.ravel())]))


def _each(parts: Sequence[tuple[Entries, Shape]], to: Shape) -> Entries:
    """Every entry depends on those that have its place once arrays have these shapes and are broadcast."""
    each = np.arange(prod(to))
    return Entries(to, joined(to, [(a, each, np.broadcast_to(a.places.reshape(s), to).ravel()) for a, s in parts]))


def _on_rows(axes: Sequence[int], args: Args, to: Shape) -> Entries:
    """An entry depends on all entries of its own row along the axes, which stay in the result or go."""
    rank = max(len(a.shape) for a in args)
    gone = axes if len(to) < rank else ()
    parts = []
    for a in args:
        lead = rank - len(a.shape)
        row = _over(a, [k - lead for k in axes if k >= lead])
        whole = (*(1,) * lead, *row.shape)
        parts.append((row, tuple(n for k, n in enumerate(whole) if k not in gone)))
    return _each(parts, to)


def _on_cores(op: Op, args: Args, to: Shape) -> Entries:
    """An entry depends on all entries of its own core, but along letters that stand apart only on those of its own."""
    signature, parts = read(op.signature), []
    for a, letters in zip(args, signature.of(len(args)), strict=True):
        lead = len(a.shape) - len(letters)
        core = _over(a, [lead + k for k, c in enumerate(letters) if c not in op.independent_axes])
        sizes = dict(zip(letters, core.shape[lead:], strict=True))
        parts.append(
            (
                core,
                (*core.shape[:lead], *[sizes.get(c, 1) if c in op.independent_axes else 1 for c in signature.result]),
            )
        )
    return _each(parts, to)


# ------------------------------------------------------------------ running results
def _running(op: Any, args: Args, to: Shape) -> Entries:
    """The union of all sets up to each along the axis, in steps of 1, 2, 4, …"""
    each = np.arange(prod(to))
    entered = op.enters(*[np.broadcast_to(a.places + 1, to) for a in args])
    parts = [(a, each[n.ravel() > 0], n.ravel()[n.ravel() > 0] - 1) for a, n in zip(args, entered, strict=True)]
    entries = Entries(to, joined(to, parts))
    line, step = np.moveaxis(entries.places, op.axis, 0), 1
    line = line[::-1] if op.reverse else line
    while step < len(line):
        parts = [(entries, each, each), (entries, line[step:].ravel(), line[:-step].ravel())]
        entries, step = Entries(to, joined(to, parts)), 2 * step
    return entries


# ------------------------------------------------------------------ where it begins
def variables(shape: Shape) -> Entries:
    """Return an input: each entry depends on itself."""
    return Entries(shape, singles(prod(shape)))


def constant(value: Any) -> Entries:
    """Return a constant."""
    array = np.asarray(value, np.float64)
    return Entries(array.shape, None, np.ones(array.shape, bool), array)
