"""Views: ``x[0].zero_()`` changes x, though tensors share no memory.

A view knows its origin: the tensor it was taken from, weakly, and the operation that reads it there. A statement in
place puts what it makes of the view back into that tensor, by the operation's ``put``. A view is still a value: it does
not change with its base, and one that no longer agrees with it cannot be written to.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from symgrad.core.modes import is_grad_enabled
from symgrad.core.node import GRAD
from symgrad.engine.record import TensorBase, handle, origin_of
from symgrad.errors import GraphError, SymgradError
from symgrad.ops.convert import DETACH
from symgrad.ops.indexing.select import reading
from symgrad.ops.protocol import shape
from symgrad.ops.scatter import Scatter
from symgrad.ops.shape import is_row_major, row_major

_CHANGED = (
    "a view of a tensor that has changed since, or may have, is being used in an in-place operation. A view is a value "
    "and still has the old entries: take it again, as in x[0].mul_(2), or write x[0].clone() for a tensor of its own."
)
_OVERLAPS = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
    "Please clone() the tensor before performing the operation."
)


class _Placed(NamedTuple):
    """Where the entries of a view lie, if those of its base lie row by row."""

    offset: Any
    steps: tuple[Any, ...]
    shape: tuple[Any, ...]


def bring_up_to_date(x: Any) -> None:
    """Give a view that is about to be changed the history that its base has now; refuse it where that has changed."""
    origin = getattr(x, "_origin", None)
    if origin is None:
        return
    links, base = _way(origin)
    at = None if base is None else _placed(x)
    if at is None:
        x._origin = None  # a tensor of its own
        return
    if any(s == 0 and n != 1 for s, n in zip(at.steps, at.shape, strict=True)):
        raise GraphError(_OVERLAPS)
    bring_up_to_date(base)
    is_stale = base._value is None and not _is_untouched(links, base)
    now = None if is_stale else _read(links, base)
    if now is None or not _agree(x, now):
        raise GraphError(_CHANGED)
    if now._value is not None:
        x._value = now._value
        if is_grad_enabled() and now._node is not None and now._node.level == GRAD:
            x._node = now._node


def contiguous(x: Any, *, memory_format: Any = None) -> Any:
    """Return the tensor, or of one that PyTorch would copy a tensor of its own: how entries lie is nobody's concern."""
    origin = getattr(x, "_origin", None)
    at = None if origin is None else _placed(x)
    return x if at is None or is_row_major(at) else handle(x._node, x._value)


def landing(x: Any, v: Any) -> tuple[Any, Any, bool] | None:
    """Return the tensor that x is a view of, what it becomes with v in place of x, and whether that is recorded."""
    origin = getattr(x, "_origin", None)
    links, base = _way(origin) if origin is not None else ([], None)
    if base is None:
        return None
    for k, (_, op, _, _) in enumerate(links):
        v = op.put(_read(links[k + 1 :], base), v)
    return base, v, all(op is not DETACH for _, op, _, _ in links)


def note_written(x: Any) -> None:
    """Note that the base of x has just been given what x is now."""
    links, base = _way(getattr(x, "_origin", None))
    if base is not None:
        origin = (*origin_of(base, links[-1][1])[:3], _state(base))
        for link in reversed(links[:-1]):  # views between, which are gone
            origin = (*link[:2], origin, link[3])
        x._origin = origin


def is_written(x: Any, key: Any, value: Any) -> bool:
    """Whether x[key] is this value because it has just been written there: ``x[0] += 1`` would do so twice."""
    origin = getattr(value, "_origin", None)
    if origin is None or origin[0]() is not x or origin[3] is None or origin[3] is not _state(x):
        return False
    return bool(origin[1] == reading(x, key))


def _state(base: Any) -> Any:
    """What a tensor is now, without keeping its entries."""
    if base._value is None:
        return base._node
    return ref(base._value) if type(base._value) is np.ndarray else None


def _way(origin: Any) -> tuple[list[Any], Any]:
    """Return the steps from a view to the nearest tensor it was taken from that is still there, and that tensor."""
    links: list[Any] = []
    while origin is not None:
        links.append(origin)
        base = origin[0]()
        if base is not None:
            return links, base
        origin = origin[2]
    return links, None


def _read(links: list[Any], base: Any) -> Any:
    """The entries that a view stands for, of its base as it is; None where that has another shape now."""
    try:
        for _, op, _, _ in reversed(links):
            base = base.detach() if op is DETACH else op(base)
    except SymgradError:
        return None
    return base


def _is_untouched(links: list[Any], base: Any) -> bool:
    """Whether all that was written to a symbol since a view of it was taken went to other entries."""
    node, before = base._node, links[-1][3]
    if node is before:
        return True
    if not all(isinstance(n, int) for n in shape(base)):
        return False
    written = np.zeros(shape(base), bool)
    while node is not before:
        if not isinstance(node.op, Scatter):
            return False
        written[node.op.where.key] = True
        node = node.inputs[0]
    for _, op, _, _ in reversed(links):
        written = op.forward(written)
    return not np.any(written)


def _agree(x: TensorBase, now: TensorBase) -> bool:
    """Whether a view has the entries that its base has there; a symbol has, since its base is what it was."""
    if x._value is None or now._value is None:
        return x._value is now._value
    have, want = np.asarray(x._value), np.asarray(now._value)
    return have.dtype == want.dtype and np.array_equal(have, want, equal_nan=True)


def _placed(x: Any) -> _Placed | None:
    """Where the entries of a tensor would lie in PyTorch; None where they would be a copy of what they come from."""
    origin = getattr(x, "_origin", None)
    links, base = _way(origin) if origin is not None else ([], None)
    at = None if base is None else _placed(base)
    whole = x if base is None else base
    at = at or _Placed(0, row_major(shape(whole)), shape(whole))
    for _, op, _, _ in reversed(links):
        to = op.out_shape(at.shape)
        where = op.lies(at, to)
        if where is None:
            return None
        offset, steps = where
        at = _Placed(offset, steps, to)
    return at
