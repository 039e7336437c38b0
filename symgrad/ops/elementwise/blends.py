"""Elementwise functions of several arguments, and products added to something."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.modes import get_default_dtype
from symgrad.errors import ArgumentError, DTypeError
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.declared import BINARY, UNARY, clip_to, power
from symgrad.ops.elementwise.logic import LOGIC
from symgrad.ops.linalg.products import bmm, mm, mv, outer
from symgrad.ops.map import ADD, MUL, Map
from symgrad.ops.protocol import rename, shape
from symgrad.ops.scaling import scaled, whole
from symgrad.ops.shape import Expand
from symgrad.scalars import X
from symgrad.scalars import polygamma as _polygamma
from symgrad.scalars.gamma import MAX_ORDER

LERP = Map(lambda: X[0] + X[2] * (X[1] - X[0]), 3, "Lerp")
ADDCMUL = Map(lambda: X[0] + X[3] * X[1] * X[2], 4, "Addcmul")
ADDCDIV = Map(lambda: X[0] + X[3] * X[1] / X[2], 4, "Addcdiv")
LDEXP = Map(lambda: X[0] * 2 ** X[1], 2, "Ldexp")
FINITE = Map(
    lambda: sp.Piecewise((X[2], sp.Ne(X[1], 0)), (X[3], sp.Eq(X[0], X[5])), (X[4], sp.Eq(X[0], -X[5])), (X[0], True)),
    6, "NanToNum",
)  # fmt: skip


def lerp(input: Any, end: Any, weight: Any) -> Any:
    """x + w (end - x), the point between x and end.

    Args:
        input, end: x and end; tensors, broadcast against each other.
        weight: w, a number or a tensor.

    Returns:
        A tensor of the broadcast shape.
    """
    if whole(input, end):
        raise DTypeError(f"lerp: not implemented for integers. Got {input.dtype}; convert with .to(sg.float64).")
    return LERP(input, end, weight)


def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Any:
    """x + value · tensor1 · tensor2, elementwise; of integers the value is one too."""
    if whole(input, tensor1, tensor2):
        return ADD(input, scaled(input, MUL(tensor1, tensor2), value, "value"))
    return ADDCMUL(input, tensor1, tensor2, value)


def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Any:
    """x + value · tensor1 / tensor2, elementwise; not of integers alone."""
    if whole(tensor1, tensor2):
        raise DTypeError(
            "Integer division with addcdiv is no longer supported: write x + value * sg.true_divide(tensor1, tensor2). "
            f"Got {tensor1.dtype} and {tensor2.dtype}."
        )
    return ADDCDIV(input, tensor1, tensor2, value)


def ldexp(input: Any, other: Any) -> Any:
    """x · 2ⁿ.

    Args:
        input: x.
        other: n, integers as a rule.

    Returns:
        A tensor of the broadcast shape, of the dtype of x, of the default dtype for integers.
    """
    if _counts(input):
        input = Cast(get_default_dtype())(input)
    dtype = getattr(input, "dtype", None)
    return LDEXP(input, Cast(dtype)(other) if dtype is not None and _counts(other) else other)


def _counts(x: Any) -> bool:
    """Whether x is a tensor of integers or truth values."""
    dtype = getattr(x, "dtype", None)
    return dtype is not None and dtype.kind in "iub"


def float_power(input: Any, exponent: Any) -> Any:
    """xᵖ in double precision.

    Args:
        input, exponent: x and p; a tensor, and a tensor or number.

    Returns:
        A float64 tensor of the broadcast shape.
    """
    double = np.dtype(np.float64)
    x, p = (a if getattr(a, "dtype", double) == double else Cast(double)(a) for a in (input, exponent))
    return power(x, p)


def nan_to_num(input: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Any:
    """x, with other numbers in the place of nan, ∞ and -∞.

    Derivative: 1 where x is a real number, else 0.

    Args:
        input: x.
        nan: what replaces nan.
        posinf, neginf: what replaces ∞ and -∞; by default the largest and smallest number of the dtype.

    Returns:
        A tensor shaped like input.

    >>> sg.nan_to_num(sg.tensor([float("nan"), float("inf"), 1.0]), posinf=9.0)
    tensor([0., 9., 1.])
    """
    dtype = getattr(input, "dtype", None)
    if dtype is not None and dtype.kind != "f":
        return UNARY["clone"](input)
    top = float(np.finfo(np.float64 if dtype is None else dtype).max)
    high, lowest = top if posinf is None else posinf, -top if neginf is None else neginf
    return FINITE(input, LOGIC["isnan"](input), nan, high, lowest, float("inf"))


def heaviside(input: Any, values: Any) -> Any:
    """0 for x < 0, values at 0, 1 for x > 0.

    Derivative in values: 1 where x = 0, else 0. Of integers it is an integer.
    """
    if _counts(input) and _counts(values):
        return Cast(np.result_type(input.dtype, values.dtype))(BINARY["heaviside"](input, values))
    return BINARY["heaviside"](input, values)


def logit(input: Any, eps: float | None = None) -> Any:
    """log(p/(1 - p)), the inverse of the logistic function.

    Derivative: 1/(p (1 - p)).

    Args:
        input: p in [0, 1]; nan outside.
        eps: limit p to [eps, 1 - eps] first; the derivative is then 0 outside.

    Returns:
        A tensor shaped like input.

    >>> sg.logit(sg.tensor([0.5, 1.0]), eps=0.25)
    tensor([0.0000, 1.0986])
    """
    return UNARY["logit"](input if eps is None else clip_to(input, eps, 1 - eps))


def polygamma(x: Any, n: int) -> Any:
    """ψₙ(x), the n-th derivative of digamma; n is one of 0, …, 100."""
    if not 0 <= n <= MAX_ORDER or n != int(n):
        raise ArgumentError(f"polygamma(n, x): expected n in 0, 1, …, {MAX_ORDER}, got n = {n!r}.")
    return Map.of(_polygamma(int(n), X[0]), 1, "Polygamma")(x)


# ------------------------------------------------------------------ products added to something
def _added(x: Any, y: Any, beta: float, alpha: float, name: str) -> Any:
    """β x + α y; of integers the factors lose their fractions, as in PyTorch."""
    if _counts(x) and _counts(y):
        beta, alpha = int(beta), int(alpha)
    y = y if alpha == 1 else MUL(y, alpha)
    if beta == 0:  # whatever x holds, nan included
        return rename(y, name)
    x = x if beta == 1 else MUL(x, beta)
    return rename(ADD(x if shape(x) == shape(y) else Expand(shape(y))(x), y), name)


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta · x + alpha · A B.

    Args:
        input: x, broadcast to (n, m).
        mat1, mat2: A (n, k) and B (k, m).
        beta, alpha: numbers; for beta 0 x is not looked at.

    Returns:
        A tensor (n, m).
    """
    return _added(input, mm(mat1, mat2), beta, alpha, "Addmm")


def addmv(input: Any, mat: Any, vec: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta · x + alpha · A v.

    Args:
        input: x, broadcast to (n,).
        mat, vec: A (n, k) and v (k,).
        beta, alpha: numbers; for beta 0 x is not looked at.

    Returns:
        A tensor (n,).
    """
    return _added(input, mv(mat, vec), beta, alpha, "Addmv")


def addr(input: Any, vec1: Any, vec2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta · x + alpha · u vᵀ.

    Args:
        input: x, broadcast to (n, m).
        vec1, vec2: u (n,) and v (m,).
        beta, alpha: numbers; for beta 0 x is not looked at.

    Returns:
        A tensor (n, m).

    Raises:
        DTypeError: a factor has a fraction, and all tensors hold integers.
    """
    tensors = [input, vec1, vec2]
    if all(map(_counts, tensors)):
        for word, factor in (("beta", beta), ("alpha", alpha)):
            if isinstance(factor, float):
                raise DTypeError(
                    f"For integral input tensors, argument {word} must not be a floating point number. addr: got "
                    f"{factor}; convert the tensors first, as in x.to(sg.float64)."
                )
    found = _added(input, outer(vec1, vec2), beta, alpha, "Addr")
    truths = all(getattr(x, "dtype", None) == np.bool_ for x in tensors)
    return Cast(np.dtype(np.bool_))(found) if truths else found


def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta · x + alpha · A B, of stacks of matrices.

    Args:
        input: x, broadcast to (b, n, m).
        batch1, batch2: A (b, n, k) and B (b, k, m).
        beta, alpha: numbers; for beta 0 x is not looked at.

    Returns:
        A tensor (b, n, m).
    """
    return _added(input, bmm(batch1, batch2), beta, alpha, "Baddbmm")
