"""The names of torch.autograd.forward_ad: dual numbers, whose tangents are propagated through the graph."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from symgrad.core.modes import enable_grad
from symgrad.core.node import GRAD, Cell, Leaf, ancestors
from symgrad.engine.record import as_tensor, handle
from symgrad.engine.sweep import push
from symgrad.errors import ArgumentError, GraphError, ShapeError
from symgrad.ops.map import IDENTITY, show_shape
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace
from symgrad.tensors.tensor import Tensor

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

_LEVEL: ContextVar[dict[Any, Any] | None] = ContextVar("symgrad_duals", default=None)  # tangents by node


class UnpackedDualTensor(NamedTuple):
    """A primal and its tangent, which is None if the primal does not depend on a dual number."""

    primal: Any
    tangent: Any


def enter_dual_level() -> int:
    """Enter a level of forward mode, and return its number.

    Raises:
        GraphError: if another level is active.
    """
    if _LEVEL.get() is not None:
        raise GraphError("Nested forward mode AD is not supported at the moment. Nest sg.func.jvp instead.")
    _LEVEL.set({})
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Exit the level, after which its dual numbers have no tangents."""
    if _LEVEL.get() is None:
        raise GraphError("Trying to exit a forward AD level but no level was entered.")
    _LEVEL.set(None)


@contextmanager
def dual_level() -> Iterator[int]:
    """Compute with dual numbers in the block.

    >>> import symgrad.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(sg.tensor(3.0), sg.tensor(1.0))
    ...     fwAD.unpack_dual(x**2).tangent
    tensor(6.)
    """
    level = enter_dual_level()
    try:
        yield level
    finally:
        exit_dual_level(level=level)


def make_dual(tensor: Tensor, tangent: Any, *, level: int | None = None) -> Any:
    """Return the dual number of a value and its tangent, on which operations are recorded.

    Raises:
        GraphError: if there is no level, or the tensor is a dual number.
        ShapeError: if the shape of the tangent differs.
        ArgumentError: if the tensor holds integers.
    """
    tangents = _LEVEL.get()
    if tangents is None:
        raise GraphError("make_dual: no level is active. Create dual numbers inside `with dual_level():`.")
    x, t = as_tensor(tensor), as_tensor(tangent)
    if x.shape != t.shape:
        raise ShapeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {show_shape(x.shape)} while the given forward gradient is of size "
            f"{show_shape(t.shape)}."
        )
    if not (x.is_floating_point() or x.is_complex()):
        raise ArgumentError(f"Expected primal to be floating point or complex, but got: {x.dtype}.")
    if not (t.is_floating_point() or t.is_complex()):
        raise ArgumentError(f"Expected tangent to be floating point or complex, but got: {t.dtype}.")
    if x._node in tangents:
        raise GraphError("make_dual: the tensor is a dual number of this level already. Pass its primal.")
    if x.requires_grad:
        with enable_grad():
            dual = IDENTITY(x)
    else:
        dual = handle(Leaf(x._value, x.shape, GRAD, None, Cell()), x._value)
    tangents[dual._node] = t
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return the value and the tangent of what was computed of dual numbers."""
    tangents, y = _LEVEL.get(), as_tensor(tensor)
    if not tangents or y._node is None:
        return UnpackedDualTensor(y, None)
    if y._node in tangents:
        return UnpackedDualTensor(y.detach(), tangents[y._node])
    nodes = ancestors([y._node])
    others = [n for n in nodes if isinstance(n, Leaf) and n.level == GRAD and n not in tangents]
    record = bool(others) or any(t.requires_grad for t in tangents.values())
    with enable_grad():
        seeds = {n: t if record else t._value for n, t in tangents.items()}
        (tangent,) = push([y._node], seeds, handle, record=record)
    primal = y if others else y.detach()
    if tangent is None:
        return UnpackedDualTensor(primal, None)
    return UnpackedDualTensor(primal, tangent if isinstance(tangent, Tensor) else handle(None, tangent))


__getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__)
