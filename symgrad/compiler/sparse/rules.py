"""How each operation hands on what its entries depend on. What has no rule depends on all entries of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.passes.assemble import Assemble
from symgrad.compiler.primitives.scalarise import MOVES
from symgrad.compiler.sparse.entries import Entries, dependence
from symgrad.compiler.sparse.sets import Ints, Sets, Slice, singles, union
from symgrad.core.node import Shape
from symgrad.ops.convert import Cast
from symgrad.ops.linalg.determinant import Cofactor, Det, DetSign, LogAbsDet
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.linalg.matrices import Tril
from symgrad.ops.linalg.norms import Norm
from symgrad.ops.linalg.orthogonal import QRBasis, QRTriangle
from symgrad.ops.linalg.pseudoinverse import PseudoInverse
from symgrad.ops.linalg.solving import Cholesky, HalfTril, Inverse, Solve
from symgrad.ops.linalg.spectral import Eigenvalues, Eigenvectors, InverseGaps, SingularValues, SingularVectors
from symgrad.ops.map import Map
from symgrad.ops.reduction import Reduction, on_rows
from symgrad.ops.reductions.extremes import First, Ties
from symgrad.ops.reductions.scan import Cumprod, Cumsum, Recurrence, Shift
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.scatter import ScatterAdd

Rule = Callable[[Any, Sequence[Entries], Shape], Entries]

# Operations on each matrix (or vector) of a batch, and how many axes one has.
_EACH: dict[type[Any], int] = dict.fromkeys(
    (Inverse, Cholesky, Det, Cofactor, LogAbsDet, MatrixExp, PseudoInverse, QRBasis, QRTriangle, Eigenvalues,
     Eigenvectors, SingularValues, SingularVectors), 2,
)  # fmt: skip
_EACH[InverseGaps] = 1


@singledispatch
def rule(op: Any, args: Sequence[Entries], to: Shape) -> Entries:
    """Return the entries of the result, which has the shape ``to``."""
    if isinstance(op, MOVES):
        return _moved(op, args, to)
    axes = next((n for kind, n in _EACH.items() if isinstance(op, kind)), None)
    return _all(args, to) if axes is None else _each(axes, args, to)


def joined(to: Shape, parts: Sequence[tuple[Entries, Ints, Ints]]) -> Sets | None:
    """Return the sets of an array: for each part, entry out[k] depends on what entry which[k] depends on."""
    found: list[Slice] = [(a.sets, out, which) for a, out, which in parts if a.sets is not None]
    return union(prod(to), found) if found else None


def _all(args: Sequence[Entries], to: Shape) -> Entries:
    """Every entry depends on all entries of the inputs."""
    together = joined((1,), [(a, np.zeros(a.size, np.int64), np.arange(a.size)) for a in args])
    return _spread(Entries((1,), together), np.zeros(prod(to), np.int64), to)


def _spread(a: Entries, which: Ints, to: Shape) -> Entries:
    """The entries of a that ``which`` numbers, in a new order or repeated."""
    return Entries(to, joined(to, [(a, np.arange(prod(to)), which.ravel())]))


# ------------------------------------------------------------------ moves
def _moved(op: Any, args: Sequence[Entries], to: Shape) -> Entries:
    """Run the operation on numbers of entries, where 0 is the zero that it fills up with."""
    starts = np.cumsum([1, *[a.size for a in args]])
    at = np.asarray(op.forward(*[a.places + s for a, s in zip(args, starts)])).reshape(-1)
    parts = []
    for a, s in zip(args, starts.tolist()):
        out = np.flatnonzero((at >= s) & (at < s + a.size))
        parts.append((a, out, at[out] - s))
    known = np.concatenate([[True], *[_flat(a, a.known, False) for a in args]])[at]
    if not known.any():
        return Entries(to, joined(to, parts))
    value = np.concatenate([[0.0], *[_flat(a, a.value, 0.0) for a in args]])[at]
    return Entries(to, joined(to, parts), known.reshape(to), value.reshape(to))


def _flat(a: Entries, found: Any, default: Any) -> Any:
    return np.broadcast_to(default if found is None else found, a.shape).ravel()


@rule.register
def _(op: HalfTril, args: Sequence[Entries], to: Shape) -> Entries:
    return _moved(Tril(0), args, to)


@rule.register
def _(op: Cast, args: Sequence[Entries], to: Shape) -> Entries:
    return args[0]


@rule.register
def _(op: ScatterAdd, args: Sequence[Entries], to: Shape) -> Entries:
    return _added(to, [(args[0], op.where)])


@rule.register
def _(op: Assemble, args: Sequence[Entries], to: Shape) -> Entries:
    return _added(to, list(zip(args, op.parts, strict=True)))


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
@rule.register
def _(op: Map, args: Sequence[Entries], to: Shape) -> Entries:
    found = dependence(op, args)
    bits = np.broadcast_to(found.bits, to).ravel()
    parts = []
    for k, a in enumerate(args):
        out = np.flatnonzero(bits >> k & 1)
        parts.append((a, out, np.broadcast_to(a.places, to).ravel()[out]))
    if not np.any(found.known):
        return Entries(to, joined(to, parts))
    return Entries(to, joined(to, parts), np.broadcast_to(found.known, to), np.broadcast_to(found.value, to))


@rule.register
def _(op: MapTotal, args: Sequence[Entries], to: Shape) -> Entries:
    return _all([rule(op.map, args, np.broadcast_shapes(*[a.shape for a in args]))], to)


# ------------------------------------------------------------------ along axes
@rule.register(Reduction)
@rule.register(Norm)
def _(op: Any, args: Sequence[Entries], to: Shape) -> Entries:
    return Entries(to, _over(args[0], op.axes).sets)


def _over(a: Entries, axes: Sequence[int]) -> Entries:
    """The union of what the entries along the axes depend on."""
    rows = on_rows(a.places, tuple(axes))
    to = rows.shape[:-1]
    return Entries(to, joined(to, [(a, np.repeat(np.arange(prod(to)), rows.shape[-1]), rows.ravel())]))


@rule.register(First)
@rule.register(Ties)
@rule.register(DetSign)
def _(op: Any, args: Sequence[Entries], to: Shape) -> Entries:
    return Entries(to)


@rule.register(Cumsum)
@rule.register(Cumprod)
def _(op: Any, args: Sequence[Entries], to: Shape) -> Entries:
    a = args[0]
    if isinstance(op, Cumprod) and op.exclusive:
        a = _moved(Shift(op.axis, op.reverse), [a], to)
    return _running(op, a, to)


@rule.register
def _(op: Recurrence, args: Sequence[Entries], to: Shape) -> Entries:
    a, b = (_spread(x, np.broadcast_to(x.places, to), to) for x in args)
    if op.upper == op.reverse:  # the coefficient stands at the neighbour that comes before
        a = _moved(Shift(op.axis, op.reverse), [a], to)
    else:
        first = np.moveaxis(a.places, op.axis, 0)[-1 if op.reverse else 0].ravel()
        there = np.setdiff1d(np.arange(a.size), first)  # what precedes the first is 0, whatever its coefficient
        a = Entries(to, joined(to, [(a, there, there)]))
    each = np.arange(prod(to))
    return _running(op, Entries(to, joined(to, [(a, each, each), (b, each, each)])), to)


def _running(op: Any, a: Entries, to: Shape) -> Entries:
    """The union of all sets up to each along the axis, in steps of 1, 2, 4, …"""
    line, step = np.moveaxis(a.places, op.axis, 0), 1
    line = line[::-1] if op.reverse else line
    each = np.arange(a.size)
    while step < len(line):
        a = Entries(to, joined(to, [(a, each, each), (a, line[step:].ravel(), line[:-step].ravel())]))
        step *= 2
    return a


# ------------------------------------------------------------------ batches of matrices
def _each(axes: int, args: Sequence[Entries], to: Shape) -> Entries:
    """Every entry depends on all entries of its own matrix."""
    batch = np.broadcast_shapes(*[a.shape[: len(a.shape) - axes] for a in args])
    if to[: len(batch)] != batch:
        return _all(args, to)
    return _of_each([_over(a, range(len(a.shape) - axes, len(a.shape))) for a in args], len(to) - len(batch), to)


def _of_each(args: Sequence[Entries], axes: int, to: Shape) -> Entries:
    """Repeat what belongs to a matrix for its entries; ``axes`` is how many these are in the result."""
    each = np.arange(prod(to))
    wide = [np.broadcast_to(a.places.reshape((*a.shape, *(1,) * axes)), to).ravel() for a in args]
    return Entries(to, joined(to, [(a, each, w) for a, w in zip(args, wide, strict=True)]))


@rule.register
def _(op: Solve, args: Sequence[Entries], to: Shape) -> Entries:
    """A column of the result depends on the matrix and on its own column of the right-hand side."""
    a, b = args
    matrix, rank = _over(a, (len(a.shape) - 2, len(a.shape) - 1)), len(b.shape)
    if op.vector:
        return _of_each([matrix, _over(b, (rank - 1,))], 1, to)
    columns = _over(b, (rank - 2,))
    columns = Entries((*columns.shape[:-1], 1, columns.shape[-1]), columns.sets)
    both = Entries((*matrix.shape, 1, 1), matrix.sets)
    return _of_each([both, columns], 0, to)


def variables(shape: Shape) -> Entries:
    """Return an input: each entry depends on itself."""
    return Entries(shape, singles(prod(shape)))


def constant(value: Any) -> Entries:
    """Return a constant."""
    array = np.asarray(value, np.float64)
    return Entries(array.shape, None, np.ones(array.shape, bool), array)
