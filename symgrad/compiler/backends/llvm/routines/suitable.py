"""Which operations are routines: those that make of small matrices, and of entries at positions, less work than calls.

What is large goes to LAPACK by way of NumPy, unless it stands in a loop, whose steps must not return to Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from symgrad.compiler.loops.rows import FEW
from symgrad.compiler.primitives.elements import Elements
from symgrad.core.node import Shape
from symgrad.core.promotion import is_floating
from symgrad.ops.contract import Einsum
from symgrad.ops.linalg.solving import Solve
from symgrad.ops.slicing import Slice
from symgrad.ops.sorting.order import Argsort, Median, MedianOfAll, is_selected

if TYPE_CHECKING:
    from symgrad.compiler.backends.llvm.plan import Plan

_SELECTING = (Median, MedianOfAll)
# Rows of matrices up to which a routine is quicker than a call of LAPACK: of most, of those above, and of a system with
# one right-hand side.
_SMALL, _MIDDLE, _ONE_SIDE = 24, 100, 64
_IN_LOOPS = 128  # the same inside of a loop, whose steps must not return to Python
_NARROW = 4  # bytes of the narrowest floating-point numbers


def effort(plan: Plan, op: Any, k: int, refs: Sequence[int]) -> int | None:
    """Return about how many primitives a routine of this operation would run; None where it is not a routine."""
    e = plan.e
    shapes = [e.shapes[r] for r in refs]
    kinds = [e.dtypes[r] for r in refs[:1]] + ([] if op.flat else [e.dtypes[k]])
    if not all(is_floating(d) and d.itemsize >= _NARROW for d in kinds) or any(0 in s for s in [*shapes, e.shapes[k]]):
        return None
    if isinstance(op, Argsort) and not plan.inside and read_first(e, k, op.axis) > FEW:
        return None  # NumPy sorts with vectors
    if isinstance(op, _SELECTING) and not plan.inside and is_selected(shapes[0], e.shapes[k]):
        return None
    if op.routine in ("moves", "rows"):
        return max(map(prod, [*shapes, e.shapes[k]]))
    if op.routine:
        return _of_matrices(shapes, e.shapes[k], _limit(op, plan.inside))
    return None


def _limit(op: Any, inside: bool) -> int:
    if inside:
        return _IN_LOOPS
    if isinstance(op, Solve) and op.vector:
        return _ONE_SIDE
    return _MIDDLE if op.routine == "eliminates" else _SMALL


def read_first(e: Elements, k: int, axis: int) -> int:
    """Return how many entries along an axis, the first ones, are read of a value."""
    n = e.shapes[k][axis]
    users = [e.ops[j][0] for j in e.reachable(e.outputs) if k in e.refs(j)]
    return n if k in e.outputs else max([_end(op, axis % len(e.shapes[k]), n) for op in users], default=0)


def _end(op: Any, axis: int, n: int) -> int:
    """Where what an operation reads along an axis of n entries ends."""
    items = op.items if isinstance(op, Slice) else ()
    if None in items[: axis + 1] or axis >= len(items):
        return n
    item = items[axis]
    positions = range(n)[item : item + 1 or None] if isinstance(item, int) else range(n)[slice(*item)]
    return max(positions, default=0) + 1


def reason(op: Any, dtypes: Sequence[Any]) -> str:
    """Return why an operation on arrays of these dtypes is none of machine code's, as a clause."""
    if isinstance(op, Einsum):
        return "BLAS computes products of this size"
    if not all(is_floating(d) and d.itemsize >= _NARROW for d in dtypes[:1]):
        return f"machine code has it for float64 and float32, not for {dtypes[0]}"
    if isinstance(op, Argsort):
        return "NumPy sorts whole rows faster; topk, kthvalue and median select"
    if isinstance(op, _SELECTING):
        return "NumPy selects from long rows faster"
    if op.routine:
        return f"LAPACK is faster for more than {_limit(op, False)} rows"
    return "there are no loops for it"


def _of_matrices(shapes: Sequence[Shape], result: Shape, most: int) -> int | None:
    n = max(shapes[0][-2:])
    return None if n > most else n * max(map(prod, [*shapes, result]))
