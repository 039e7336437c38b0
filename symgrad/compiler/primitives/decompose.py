"""Operations written in smaller ones, as their accurate kernels compute, so that loops can fuse them.

The operation says how (``Op.decompose``); what says nothing runs its own forward.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from symgrad.compiler.primitives.elements import Elements
from symgrad.compiler.program import from_nodes
from symgrad.core.node import TRACED, Leaf, Shape
from symgrad.core.promotion import is_floating
from symgrad.engine.program import Program, Value
from symgrad.engine.record import handle
from symgrad.ops.contract import Einsum, pairwise
from symgrad.ops.protocol import Op


def is_written(op: type[Op]) -> bool:
    """Whether operations of this class are written in others."""
    return op.decompose is not Op.decompose


def program_of(v: Value, args: Sequence[Value]) -> Program | None:
    """Return the program of an operation that is written in others, None where it is not."""
    if not is_written(type(v.op)) or not all(is_floating(a.dtype) for a in (v, *args)):
        return None
    if any(0 in a.shape for a in args):
        return None
    if isinstance(v.op, Einsum) and not _in_steps(v.op, args):
        return None
    return _program(v.op, tuple((a.shape, a.dtype) for a in args))


def _in_steps(op: Einsum, args: Sequence[Value]) -> bool:
    """Whether eager mode contracts these operands one after the other."""
    numbers = all(isinstance(n, int) for a in args for n in a.shape)
    return len(args) > 2 and numbers and len(pairwise(op, tuple(a.shape for a in args))) > 1


def expand(e: Elements, v: Value) -> int | None:
    """Return the steps of an operation that is written in others, None where it is not."""
    program = program_of(v, [e.argument(a) for a in v.args])
    return None if program is None else e.inline(program, [e.places[a] for a in v.args])


@lru_cache(maxsize=512)
def _program(op: Any, specs: tuple[tuple[Shape, Any], ...]) -> Program | None:
    leaves = [_leaf(*s) for s in specs]
    y = op.decompose(*[handle(leaf, None) for leaf in leaves])
    return None if y is NotImplemented else from_nodes(leaves, [y._node])


def _leaf(s: Shape, dtype: Any) -> Leaf:
    leaf = Leaf(None, s, TRACED)
    leaf.dtype = np.dtype(dtype)
    return leaf
