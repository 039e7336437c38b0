"""A = P L D Lᵀ Pᵀ of symmetric matrices, definite or not, in LAPACK's compact form, and systems solved with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple

import numpy as np

from symgrad.core.promotion import Kind, floating, is_complex, of_first
from symgrad.errors import NotDifferentiable, NotYet, ShapeError
from symgrad.ops.linalg.lu import check_pivots, sizes
from symgrad.ops.linalg.square import check_square, taken
from symgrad.ops.map import broadcast_shapes, show_shape
from symgrad.ops.protocol import Op, TensorT, shape
from symgrad.support.frozen import frozen

_ALPHA = (1 + 17**0.5) / 8  # bounds the growth of entries best. Source: Bunch and Kaufman 1977
_INSTEAD = "Use sg.linalg.solve(A, B), which has the derivative of A."


class LDLFactor(NamedTuple, Generic[TensorT]):
    """L and D in one matrix, and LAPACK's record of the rows that were exchanged."""

    LD: TensorT
    pivots: TensorT


def _eliminate(s: Any, packed: Any, pivots: Any) -> None:
    """Factorise one matrix, whose remainder is ``s``, and write it down. Source: LAPACK's dsytf2."""
    k, n = 0, len(s)
    while k < n:
        size, row = _choice(s[k:, k:])
        at, row = k + size - 1, k + row
        pivots[k : k + size] = -(row + 1) if size == 2 else row + 1
        s[[at, row], k:] = s[[row, at], k:]
        s[k:, [at, row]] = s[k:, [row, at]]
        rest, block = slice(k + size, n), s[k : k + size, k : k + size]
        packed[k : k + size, k : k + size] = np.tril(block)
        if block.any():
            packed[rest, k : k + size] = lower = np.linalg.solve(block.T, s[rest, k : k + size].T).T
            s[rest, rest] -= lower @ s[k : k + size, rest]
        k += size


def _choice(s: Any) -> tuple[int, int]:
    """Return the size of the next block, 1 or 2, and the row that comes to its end."""
    lengths = sizes(s)
    here, below = lengths[0, 0], lengths[1:, 0]
    row = 1 + int(np.argmax(below)) if len(below) else 0
    most = below[row - 1] if len(below) else 0.0
    if here >= _ALPHA * most:
        return 1, 0
    beside = np.delete(lengths[row], row).max()
    if here >= _ALPHA * most * (most / beside):
        return 1, 0
    return (1, row) if lengths[row, row] >= _ALPHA * beside else (2, row)


@frozen
class LDL(Op):
    """L and D in one matrix, or where ``part`` is 1 the exchanges; two equal negative ones mark a 2 × 2 block."""

    part: int
    saves = ""
    analytic = True
    not_exportable = "no library of the targets has it"
    explained = "LDLᵀ: it has no derivative here"
    dense = "its entries are chosen by the pivots"

    @property
    def signature(self) -> str:
        """A matrix, or a number for each row."""
        return "(n,n)->(n)" if self.part else "(n,n)->(n,n)"

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        return np.dtype(np.int32) if self.part else floating(*kinds)

    def operands(self, *kinds: Kind) -> tuple[np.dtype[Any], ...]:
        return (floating(*kinds),)

    def forward(self, x: Any) -> Any:
        """Eliminate, block by block."""
        x = taken("linalg.ldl_factor", x)
        packed, pivots = np.zeros_like(x), np.zeros(x.shape[:-1], np.int32)
        for b in np.ndindex(x.shape[:-2]):
            _eliminate(np.tril(x[b]) + np.tril(x[b], -1).T, packed[b], pivots[b])
        return pivots if self.part else packed

    def out_shape(self, s: Any) -> Any:
        return s[:-1] if self.part else s

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        raise NotDifferentiable(f"linalg.ldl_factor has no derivative. {_INSTEAD}")

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        raise NotDifferentiable(f"linalg.ldl_factor has no derivative. {_INSTEAD}")


@frozen
class LDLSolve(Op):
    """X with A X = B, of A as ``LDL`` factorises it. Inputs LD (…, n, n), pivots (…, n), B (…, n, k)."""

    saves = "x"
    analytic = True
    gives = of_first
    signature = "(n,n),(n),(n,k)->(n,k)"
    independent_axes = "k"
    name = "LinalgLdlSolve"
    not_exportable = "no library of the targets has it"
    explained = "a symmetric system: solve with the same matrix"
    dense = "the exchanges of rows depend on the pivots"

    def forward(self, packed: Any, pivots: Any, b: Any) -> Any:
        """Exchange rows, and substitute twice."""
        lead = np.broadcast_shapes(packed.shape[:-2], b.shape[:-2])
        packed, pivots = (np.broadcast_to(a, lead + a.shape[len(a.shape) - d :]) for a, d in ((packed, 2), (pivots, 1)))
        x = np.array(np.broadcast_to(b, lead + b.shape[-2:]))
        for at in np.ndindex(lead):
            lower, block, order = _taken_apart(packed[at], pivots[at])
            inner = np.linalg.solve(lower.T, np.linalg.solve(block, np.linalg.solve(lower, x[at][order])))
            x[at][order] = inner
        return x

    def out_shape(self, s: Any, pivots: Any, b: Any) -> Any:
        return (*broadcast_shapes(s[:-2], b[:-2]), *b[-2:])

    def vjp(self, i: int, g: Any, y: Any, packed: Any, pivots: Any, b: Any) -> Any:
        # X = A⁻¹ B, A = Aᵀ  ⇒  B̄ = A⁻¹ X̄
        if i == 1:
            return None
        if i == 0:
            raise NotDifferentiable(f"linalg.ldl_solve: no derivative with respect to LD. {_INSTEAD}")
        return self(packed, pivots, g)

    def jvp(self, ts: Sequence[Any], y: Any, packed: Any, pivots: Any, b: Any) -> Any:
        """Solve for the tangent."""
        if ts[0] is not None:
            raise NotDifferentiable(f"linalg.ldl_solve: no derivative with respect to LD. {_INSTEAD}")
        return None if ts[2] is None else self(packed, pivots, ts[2])


def _taken_apart(packed: Any, pivots: Any) -> tuple[Any, Any, Any]:
    """Return L, D and the order of rows, of one matrix: LAPACK leaves earlier columns of L as they were exchanged."""
    lower, order, k, n = np.tril(packed, -1), np.arange(len(packed)), 0, len(packed)
    block = np.diag(np.diag(packed))
    while k < n:
        size, row = (1, pivots[k] - 1) if pivots[k] > 0 else (2, -pivots[k] - 1)
        if size == 2:
            block[k + 1, k] = block[k, k + 1] = packed[k + 1, k]
            lower[k + 1, k] = 0
        at = k + size - 1
        lower[[at, row], :k] = lower[[row, at], :k]
        order[[at, row]] = order[[row, at]]
        k += size
    return lower + np.eye(n), block, order


# ------------------------------------------------------------------ what users call
def ldl_factor(A: Any, *, hermitian: bool = False) -> LDLFactor[Any]:
    """Factorise a symmetric, possibly indefinite matrix: A = P L D Lᵀ Pᵀ, with L and D in one matrix.

    Args:
        A: (…, n, n), whose lower triangle is read.
        hermitian: whether a complex A equals Aᴴ instead of Aᵀ; this is not implemented.

    Returns:
        A named tuple (LD, pivots) in LAPACK's form: (…, n, n) and (…, n).

    Raises:
        ShapeError: if A is not square.
        NotYet: if A is complex and hermitian is True.
        NotDifferentiable: if a derivative of LD is requested, as in PyTorch.

    Source: Bunch and Kaufman 1977, "Some stable methods for calculating inertia and solving symmetric linear systems".

    >>> sg.linalg.ldl_factor(sg.tensor([[0.0, 2.0], [2.0, 0.0]]))
    LDLFactor(LD=tensor([[0., 0.],
            [2., 0.]]), pivots=tensor([-2, -2], dtype=int32))
    """
    check_square("linalg.ldl_factor", shape(A))
    if hermitian and is_complex(A.dtype):
        raise NotYet("linalg.ldl_factor: complex hermitian matrices are not factorised. Use sg.linalg.solve(A, B).")
    return LDLFactor(LDL(0)(A), LDL(1)(A))


def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: bool = False) -> Any:
    """Solve A X = B, with A = P L D Lᵀ Pᵀ from ``ldl_factor``. Gradient: A⁻¹ X̄, with respect to B only.

    Args:
        LD, pivots: (…, n, n) and (…, n).
        B: (…, n, k).
        hermitian: see ``ldl_factor``.

    Returns:
        Shaped like B, with the batch axes of both.

    Raises:
        ShapeError: if LD is not square, or the pivots or B do not fit.
        NotYet: if LD is complex and hermitian is True.

    >>> LD, pivots = sg.linalg.ldl_factor(sg.tensor([[0.0, 2.0], [2.0, 0.0]]))
    >>> sg.linalg.ldl_solve(LD, pivots, sg.tensor([[4.0], [6.0]]))
    tensor([[3.],
            [2.]])
    """
    check_square("linalg.ldl_solve", shape(LD))
    check_pivots("linalg.ldl_solve", shape(pivots), shape(LD)[-1])
    if hermitian and is_complex(LD.dtype):
        raise NotYet("linalg.ldl_solve: complex hermitian matrices are not factorised. Use sg.linalg.solve(A, B).")
    if len(shape(B)) < 2 or shape(B)[-2] != shape(LD)[-1]:
        raise ShapeError(
            f"linalg.ldl_solve: got B of shape {show_shape(shape(B))}. Expected {shape(LD)[-1]} rows, as LD has."
        )
    return LDLSolve()(LD, pivots, B)
