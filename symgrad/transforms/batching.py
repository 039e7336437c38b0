"""One operation applied to every slice of its inputs at once: what ``vmap`` is made of.

The operation says how: by its signature, by its axes, or in a ``batched`` of its own. What says nothing, such as a
user's own function, runs slice by slice and is stacked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.engine.record import as_tensor
from symgrad.ops.protocol import Op, shape
from symgrad.ops.shape import each_batched, padded
from symgrad.ops.shapes.join import stack
from symgrad.ops.signature import read
from symgrad.support.frozen import replace

__all__ = ["batch"]


def batch(op: Op, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    """Apply op to every slice; ``flags`` says which inputs carry the batch in front."""
    batched = op.batched(size, xs, flags)
    if batched is not NotImplemented:
        return batched
    moved = _further_on(op)
    if moved is not None:
        return moved(*each_batched(size, xs, flags))
    if op.signature is None:
        return one_by_one(op, size, xs, flags)
    return op(*_broadcast(xs, flags)) if read(op.signature).entrywise else op(*each_batched(size, xs, flags))


def one_by_one(op: Op, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    """Apply op to one slice after the other, and stack the results."""
    rows = [op(*[x[b] if f else x for x, f in zip(xs, flags, strict=True)]) for b in range(size)]
    return stack([as_tensor(r) for r in rows], 0)


def is_known(kind: type[Op]) -> bool:
    """Whether a class of operations says how it takes a whole batch."""
    fields = getattr(kind, "__names__", ())
    return kind.batched is not Op.batched or kind.signature is not None or "axis" in fields or "axes" in fields


def _further_on(op: Any) -> Any:
    """The operation along the axes one further on; None where it has none."""
    fields = getattr(type(op), "__names__", ())
    if "axis" in fields:
        return replace(op, axis=op.axis + 1)
    return replace(op, axes=tuple(a + 1 for a in op.axes)) if "axes" in fields else None


def _broadcast(xs: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
    """Give the slices one rank, so that they broadcast against each other and against values without a batch axis."""
    rank = max(len(shape(x)) - f for x, f in zip(xs, flags, strict=True))
    return [padded(x, rank) if f else x for x, f in zip(xs, flags, strict=True)]
