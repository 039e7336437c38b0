"""Operations that run outside machine code and write where they are told: matrix products go to BLAS.

Imports ops.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad.ops.contract import Einsum

Writer = Callable[..., Any]  # (*arguments, out)


def writer(op: Any) -> Writer:
    """Return how an operation writes its result."""
    product = _product(op) if isinstance(op, Einsum) and len(op.terms) == 2 else None
    return product or _copied(op)


def _copied(op: Any) -> Writer:
    def write(*args: Any) -> None:
        *xs, out = args
        np.copyto(out, op.forward(*xs))

    return write


def _product(op: Einsum) -> Writer | None:
    """A product of matrices and vectors as one call of BLAS, the operands transposed as needed."""
    a, b = op.terms
    shared = [c for c in a if c in b]
    if len(shared) != 1 or shared[0] in op.output or not (1 <= len(a) <= 2 and 1 <= len(b) <= 2):
        return None
    if not op.output or set(op.output) != set(a + b) - set(shared):
        return None
    (inner,) = shared
    turned = len(op.output) == 2 and op.output[0] in b
    if turned:
        a, b = b, a
    flip_a, flip_b = len(a) == 2 and a[0] == inner, len(b) == 2 and b[1] == inner

    def write(x: Any, y: Any, out: Any) -> None:
        if turned:
            x, y = y, x
        np.matmul(x.T if flip_a else x, y.T if flip_b else y, out)

    return write
