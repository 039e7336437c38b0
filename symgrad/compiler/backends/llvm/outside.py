"""Operations that run outside machine code and write where they are told: matrix products go to BLAS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.compiler.backends.backend import Kernel, forward_of
from symgrad.compiler.backends.shared import copied, in_chunks
from symgrad.core.promotion import FLOAT64
from symgrad.ops.contract import Einsum
from symgrad.transforms.loops.op import Scan

Writer = Callable[..., Any]  # (*arguments, out)


def looped(op: Scan, kernel: Kernel) -> Writer:
    """Return how a loop writes its result whose steps are a kernel, which leaves machine code somewhere."""
    first = op.carries + op.xs
    dtypes = [None if s.dtype == FLOAT64 else s.dtype for s in op.body.arguments]  # numbers of others are arrays too

    def fitting(ys: Sequence[Any], start: int) -> list[Any]:
        return [y if d is None else np.asarray(y, d, order="C") for y, d in zip(ys, dtypes[start:])]

    def write(*values: Any) -> None:
        *xs, out = [np.ascontiguousarray(v) if np.ndim(v) else v for v in values[:-1]] + [values[-1]]
        shared = fitting(xs[first:], first)
        np.copyto(out, op.stepped(lambda *ys: kernel.run([*fitting(ys, 0), *shared]), xs[:first], op.packed))

    return write


def writer(op: Any, args: Sequence[Any], result: Any) -> Writer:
    """Return how an operation writes its result, of views and numbers."""
    product = _product(op) if isinstance(op, Einsum) and len(op.terms) == 2 else None
    return in_chunks(op, product or copied(forward_of(op)), [getattr(a, "shape", ()) for a in args], result.shape)


def _product(op: Einsum) -> Writer | None:
    """A product of matrices and vectors, or of stacks of matrices, as one call; operands are transposed as needed."""
    (a, b), out = op.terms, op.output
    batch = _common_front(a, b, out)
    a, b, out = a[len(batch) :], b[len(batch) :], out[len(batch) :]
    shared = [c for c in a if c in b]
    if len(shared) != 1 or shared[0] in out or not (1 <= len(a) <= 2 and 1 <= len(b) <= 2) or not out:
        return None
    if set(out) != set(a + b) - set(shared) or set(batch) & set(a + b) or (batch and len(a + b) < 4):
        return None
    turned = len(out) == 2 and out[0] in b
    if turned:
        a, b = b, a
    flip_a, flip_b = len(a) == 2 and a[0] == shared[0], len(b) == 2 and b[1] == shared[0]

    def write(x: Any, y: Any, out: Any) -> None:
        if turned:
            x, y = y, x
        np.matmul(_flipped(x, flip_a), _flipped(y, flip_b), out)

    return write


def _common_front(*terms: str) -> str:
    """The letters that all terms begin with."""
    count = 0
    while len({t[count : count + 1] for t in terms}) == 1 and terms[0][count : count + 1]:
        count += 1
    return terms[0][:count]


def _flipped(x: Any, flip: bool) -> Any:
    """Transpose; of a small matrix in a stack the copy is worth it, for BLAS takes its rows."""
    if not flip:
        return x if x.ndim < 3 or x.strides[-1] == x.itemsize else np.ascontiguousarray(x)
    turned = x.swapaxes(-1, -2)
    return np.ascontiguousarray(turned) if x.ndim > 2 and x.size <= _SMALL else turned


_SMALL = 65_536
