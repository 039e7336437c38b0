"""Batching rules: one operation applied to every slice of its inputs at once. What ``vmap`` is made of.

All operations of the library are meant to have one; what has none, such as a user's own function, runs slice by slice
and is stacked.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from symgrad.engine.record import as_tensor
from symgrad.ops.contract import LETTERS, Einsum, permute, sum_axes
from symgrad.ops.convert import Cast, Detach
from symgrad.ops.elementwise.bessel import Bessel
from symgrad.ops.elementwise.exponents import Exponent, Mantissa
from symgrad.ops.elementwise.logic import Bits
from symgrad.ops.frozen import replace
from symgrad.ops.indexing.lookup import DynamicGather, DynamicScatterAdd
from symgrad.ops.keys import ALL
from symgrad.ops.linalg.determinant import Cofactor, Det, DetSign, LogAbsDet
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.linalg.lu import Doolittle, Exchange, Pivots
from symgrad.ops.linalg.matrices import DiagEmbed, Diagonal, Tril
from symgrad.ops.linalg.norms import Norm
from symgrad.ops.linalg.orthogonal import QRBasis, QRTriangle
from symgrad.ops.linalg.pseudoinverse import MatrixRank, PseudoInverse
from symgrad.ops.linalg.solving import Cholesky, Inverse, Solve
from symgrad.ops.linalg.spectral import Eigenvalues, Eigenvectors, InverseGaps, SingularValues, SingularVectors
from symgrad.ops.map import DIV, Map
from symgrad.ops.nn.likelihood import Likelihood
from symgrad.ops.nn.losses import BinaryCrossEntropy
from symgrad.ops.protocol import Op, shape
from symgrad.ops.reduction import Reduction
from symgrad.ops.reductions.extremes import Arg, First, Ties
from symgrad.ops.reductions.scan import AlongAxis
from symgrad.ops.reductions.softmax import LogSoftmax, Softmax
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.scatter import Scatter, ScatterAdd, Selection
from symgrad.ops.shape import Expand, Flip, Reshape, total
from symgrad.ops.shapes.join import Cat, Stack, stack
from symgrad.ops.slicing import Gather, Slice

__all__ = ["batch"]


# ------------------------------------------------------------------ one operation on the whole batch
@singledispatch
def batch(op: Op, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    """Apply op to every slice; ``flags`` says which inputs carry the batch in front. Here: one by one."""
    return one_by_one(op, size, xs, flags)


def one_by_one(op: Op, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    """Apply op to one slice after the other, and stack the results."""
    rows = [op(*[x[b] if f else x for x, f in zip(xs, flags, strict=True)]) for b in range(size)]
    return stack([as_tensor(r) for r in rows], 0)


@batch.register(Map)
@batch.register(Bits)
@batch.register(BinaryCrossEntropy)
def _(op: Op, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    rank = max(len(shape(x)) - f for x, f in zip(xs, flags, strict=True))
    return op(*[_padded(x, rank) if f else x for x, f in zip(xs, flags, strict=True)])


def _padded(x: Any, rank: int) -> Any:
    size, *rest = shape(x)
    missing = rank - len(rest)
    return Reshape((size, *(1,) * missing, *rest))(x) if missing else x


@batch.register(Einsum)
def _(op: Einsum, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    letter = next(c for c in LETTERS if c not in op.spec)
    terms = [letter + t if f else t for t, f in zip(op.terms, flags, strict=True)]
    return Einsum.of(f"{','.join(terms)}->{letter}{op.output}")(*xs)


@batch.register(Reshape)
def _(op: Reshape, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    return Reshape((size, *op.to))(xs[0])


@batch.register(Expand)
def _(op: Expand, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    return Expand((size, *op.to))(_padded(xs[0], len(op.to)))


@batch.register(Flip)
def _(op: Flip, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    return Flip(tuple(a + 1 for a in op.axes))(xs[0])


@batch.register(Cast)
@batch.register(Detach)
def _(op: Op, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    return op(xs[0])


@batch.register(MapTotal)
def _(op: MapTotal, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    terms = batch(op.map, size, xs, flags)
    sizes = shape(terms)
    added = sum_axes(terms, range(1, len(sizes)))
    return DIV(added, total(sizes[1:])) if op.mean else added


@batch.register(Slice)
def _(op: Slice, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    return _behind(op)(xs[0])


@batch.register(Gather)
def _(op: Gather, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    y = _behind(op)(xs[0])
    at = _batch_axis(op)
    return permute(y, [at, *[a for a in range(len(shape(y))) if a != at]]) if at else y


@batch.register(ScatterAdd)
def _(op: ScatterAdd, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    return ScatterAdd(_behind(op.where), (size, *op.to))(_placed(op.where, xs[0]))


@batch.register(Scatter)
def _(op: Scatter, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    x, v = xs
    x = x if flags[0] else repeated(x, size)
    region = len(op.where.out_shape(shape(x)[1:]))
    if flags[1] or shape(v):
        v = _padded(v if flags[1] else repeated(v, size), region)
        if len(shape(v)) > region + 1:  # axes of one entry that assignment would drop
            return one_by_one(op, size, xs, flags)
        v = _placed(op.where, v)
    return Scatter(_behind(op.where), op.name)(x, v)


def _behind(where: Selection) -> Selection:
    """The same selection of every slice."""
    if isinstance(where, Slice):
        return Slice((ALL, *where.items), where.name)
    assert isinstance(where, Gather)  # narrows the type: there are two kinds
    return Gather(tuple((a + 1, f) for a, f in where.places), where.name)


def _batch_axis(where: Selection) -> int:
    """Where the batch axis is among those of what was selected: behind a block that stands in front."""
    if not isinstance(where, Gather) or not where.places:
        return 0
    is_first = Gather(tuple((a + 1, f) for a, f in where.places)).front == 0
    return len(where.block) if is_first else 0


def _placed(where: Selection, v: Any) -> Any:
    """Move the batch axis of what is written to where the selection has it."""
    at = _batch_axis(where)
    return permute(v, [*range(1, at + 1), 0, *range(at + 1, len(shape(v)))]) if at else v


@batch.register(DynamicGather)
def _(op: DynamicGather, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    x, *at = xs
    block = _block(at, flags[1:])
    front = op.front
    if flags[0]:
        y, start = _of_slices(op)(x, *_in_slices(size, at, flags[1:], block)), 0
    else:
        y, start = op(x, *_in_slices(size, at, flags[1:], block)[1:]), front
    axes = list(range(len(shape(y))))
    lead, others = axes[start], axes[start + 1 : start + 1 + block]
    rest = [a for a in axes if a != lead and a not in others]
    return permute(y, [lead, *rest[:front], *others, *rest[front:]])


@batch.register(DynamicScatterAdd)
def _(op: DynamicScatterAdd, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    g, *at = xs
    block, front = _block(at, flags[1:]), op.where.front
    g = g if flags[0] else repeated(g, size)
    inner = list(range(1 + front, 1 + front + block))
    order = [0, *inner, *[a for a in range(1, len(shape(g))) if a not in inner]]
    return DynamicScatterAdd(_of_slices(op.where), (size, *op.to))(
        permute(g, order), *_in_slices(size, at, flags[1:], block)
    )


def _of_slices(op: DynamicGather) -> DynamicGather:
    """Read in every slice of a batch: its number is one more position."""
    return DynamicGather((0, *[a + 1 for a in op.axes]))


def _block(at: Sequence[Any], flags: Sequence[bool]) -> int:
    """Return the number of axes that the positions have in one slice."""
    return max(len(shape(k)) - f for k, f in zip(at, flags, strict=True))


def _in_slices(size: int, at: Sequence[Any], flags: Sequence[bool], block: int) -> list[Any]:
    """Return the number of the slice and the positions, with the batch in front."""
    number = np.arange(size).reshape(size, *(1,) * block)
    return [number, *[_padded(k, block) if f else k for k, f in zip(at, flags, strict=True)]]


@batch.register(Cat)
@batch.register(Stack)
@batch.register(Likelihood)
@batch.register(Arg)
@batch.register(First)
@batch.register(AlongAxis)
def _(op: Any, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    """Operations along one axis: it is one further on."""
    if "axis" not in type(op).__names__:  # always the last, beside other inputs of its own
        return one_by_one(op, size, xs, flags)
    return replace(op, axis=op.axis + 1)(*_each_batched(size, xs, flags))


@batch.register(Reduction)
@batch.register(Softmax)
@batch.register(LogSoftmax)
@batch.register(Ties)
@batch.register(Norm)
def _(op: Any, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    """Operations along several axes."""
    return replace(op, axes=tuple(a + 1 for a in op.axes))(*_each_batched(size, xs, flags))


@batch.register(Bessel)
@batch.register(Cholesky)
@batch.register(Cofactor)
@batch.register(Det)
@batch.register(DetSign)
@batch.register(DiagEmbed)
@batch.register(Diagonal)
@batch.register(Doolittle)
@batch.register(Eigenvalues)
@batch.register(Eigenvectors)
@batch.register(Exponent)
@batch.register(InverseGaps)
@batch.register(Inverse)
@batch.register(LogAbsDet)
@batch.register(Mantissa)
@batch.register(MatrixExp)
@batch.register(MatrixRank)
@batch.register(Pivots)
@batch.register(PseudoInverse)
@batch.register(QRBasis)
@batch.register(QRTriangle)
@batch.register(Exchange)
@batch.register(SingularValues)
@batch.register(SingularVectors)
@batch.register(Tril)
def _(op: Any, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    """Operations on the last axes, whatever stands in front of them."""
    return op(*_each_batched(size, xs, flags))


@batch.register(Solve)
def _(op: Solve, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    matrix, right = _each_batched(size, xs, flags)
    own = 1 if op.vector else 2
    lead = max(len(shape(matrix)) - 3, len(shape(right)) - 1 - own)
    return op(_padded(matrix, lead + 2), _padded(right, lead + own))


def _each_batched(size: int, xs: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
    """Repeat the inputs that are the same for all slices."""
    return [x if f else repeated(x, size) for x, f in zip(xs, flags, strict=True)]


def repeated(x: Any, size: int) -> Any:
    """Put a batch of equal slices in front."""
    sizes = shape(x)
    return Expand((size, *sizes))(Reshape((1, *sizes))(x))
