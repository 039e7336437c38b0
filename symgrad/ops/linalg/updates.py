"""Products added to something: β x + α A B, and the like of vectors and batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.errors import DTypeError
from symgrad.ops.contract import Einsum
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.declared import is_integer
from symgrad.ops.linalg.products import _need, bmm, mm, mv, outer
from symgrad.ops.map import ADD, MUL
from symgrad.ops.protocol import rename, shape
from symgrad.ops.shape import Expand


def _added(x: Any, y: Any, beta: float, alpha: float, name: str) -> Any:
    """β x + α y; of integers the factors lose their fractions, as in PyTorch."""
    if is_integer(x) and is_integer(y):
        beta, alpha = int(beta), int(alpha)
    y = y if alpha == 1 else MUL(y, alpha)
    if beta == 0:  # whatever x holds, nan included
        return rename(y, name)
    x = x if beta == 1 else MUL(x, beta)
    return rename(ADD(x if shape(x) == shape(y) else Expand(shape(y))(x), y), name)


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta · x + alpha · A B.

    Args:
        input: x, broadcast to (n, m).
        mat1, mat2: A (n, k) and B (k, m).
        beta, alpha: numbers; x is not read if beta is 0.

    Returns:
        A tensor (n, m).
    """
    return _added(input, mm(mat1, mat2), beta, alpha, "Addmm")


def addmv(input: Any, mat: Any, vec: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta · x + alpha · A v.

    Args:
        input: x, broadcast to (n,).
        mat, vec: A (n, k) and v (k,).
        beta, alpha: numbers; x is not read if beta is 0.

    Returns:
        A tensor (n,).
    """
    return _added(input, mv(mat, vec), beta, alpha, "Addmv")


def addr(input: Any, vec1: Any, vec2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta · x + alpha · u vᵀ.

    Args:
        input: x, broadcast to (n, m).
        vec1, vec2: u (n,) and v (m,).
        beta, alpha: numbers; x is not read if beta is 0.

    Returns:
        A tensor (n, m).

    Raises:
        DTypeError: if a factor is not an integer but all tensors hold integers.
    """
    tensors = [input, vec1, vec2]
    if all(map(is_integer, tensors)):
        for word, factor in (("beta", beta), ("alpha", alpha)):
            if isinstance(factor, float):
                raise DTypeError(
                    f"For integral input tensors, argument {word} must not be a floating point number. addr: got "
                    f"{factor}; convert the tensors first, as in x.to(sg.float64)."
                )
    result = _added(input, outer(vec1, vec2), beta, alpha, "Addr")
    truths = all(getattr(x, "dtype", None) == np.bool_ for x in tensors)
    return Cast(np.dtype(np.bool_))(result) if truths else result


def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta · x + alpha · A B for stacks of matrices.

    Args:
        input: x, broadcast to (b, n, m).
        batch1, batch2: A (b, n, k) and B (b, k, m).
        beta, alpha: numbers; x is not read if beta is 0.

    Returns:
        A tensor (b, n, m).
    """
    return _added(input, bmm(batch1, batch2), beta, alpha, "Baddbmm")


def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """Return beta · x + alpha · Σ_b A_b B_b.

    Args:
        input: x, broadcast to (n, m).
        batch1, batch2: A (b, n, k) and B (b, k, m).
        beta, alpha: numbers; x is not read if beta is 0.

    Returns:
        A tensor (n, m).

    Raises:
        ShapeError: if A or B is not a stack of matrices, or their sizes do not fit.

    >>> sg.addbmm(sg.zeros(1, 1), sg.ones(2, 1, 3), sg.ones(2, 3, 1))
    tensor([[6.]])
    """
    p, q = shape(batch1), shape(batch2)
    _need(len(p) == 3, "batch1 must be a 3D tensor", p, q)
    _need(len(q) == 3, "batch2 must be a 3D tensor", p, q)
    _need(p[0] == q[0], "batch1 and batch2 must have same number of batches", p, q)
    _need(p[2] == q[1], "Incompatible matrix sizes for bmm", p, q)
    return _added(input, Einsum.of("bij,bjk->ik")(batch1, batch2), beta, alpha, "Addbmm")
