"""The factor of a term that is added, α in x + α y: of integers it is one too, in the dtype of the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.core.promotion import BOOL, FLOAT64, INT64, is_bool, is_discrete, is_unsigned
from symgrad.errors import DTypeError
from symgrad.ops.convert import Cast
from symgrad.ops.map import MUL


def scaled(x: Any, y: Any, alpha: Any, name: str = "alpha") -> Any:
    """α y, to be added to x; of two numbers a number, which takes the dtype of x.

    Raises:
        DTypeError: if x and y are integers and α is not, or if α is a boolean and they are not.
    """
    if type(alpha) in (int, float) and alpha == 1 and not (type(alpha) is float and whole(x, y)):
        return y
    if isinstance(alpha, (bool, np.bool_)) and not (is_bool(_dtype(x)) and is_bool(_dtype(y))):
        raise DTypeError(f"Boolean {name} only supported for Boolean results. Got {name}={alpha}; pass a number.")
    if whole(x, y) and isinstance(alpha, (float, np.floating)):
        raise DTypeError(
            f"For integral input tensors, argument {name} must not be a floating point number. Got {name}={alpha}; "
            "pass an integer, or convert the tensors with .to(sg.float64)."
        )
    if isinstance(alpha, (int, np.integer)) and whole(x, y):
        return _number(x, y, int(alpha)) if isinstance(y, int) else _of_integers(x, y, int(alpha))
    return y * alpha if isinstance(y, (int, float)) and isinstance(alpha, (int, float)) else MUL(y, alpha)


def _number(x: Any, y: int, alpha: int) -> Any:
    """The product of two integers, around which it wraps where x is unsigned and has the number y."""
    dtype = np.dtype(x.dtype)
    if not is_unsigned(dtype) or not 0 <= y <= np.iinfo(dtype).max:
        return y * alpha
    return y * alpha % 2 ** (8 * dtype.itemsize)


def _of_integers(x: Any, y: Any, alpha: int) -> Any:
    """The product in the dtype of the sum, around which a negative factor wraps where it is unsigned."""
    kinds = [np.dtype(t.dtype) for t in (x, y) if hasattr(t, "dtype")]
    dtype = np.result_type(*kinds) if kinds else np.dtype(np.int64)
    if is_bool(dtype):
        return y if alpha else Cast(dtype)(MUL(y, 0))
    y = y if getattr(y, "dtype", dtype) == dtype else Cast(dtype)(y)
    return MUL(y, alpha + 2 ** (8 * dtype.itemsize) if is_unsigned(dtype) and alpha < 0 else alpha)


def whole(*xs: Any) -> bool:
    """Whether all of these are integers or booleans."""
    return all(is_discrete(_dtype(x)) for x in xs)


def _dtype(x: Any) -> np.dtype[Any]:
    if isinstance(x, bool):
        return BOOL
    if isinstance(x, int):
        return INT64
    dtype = getattr(x, "dtype", None)
    return FLOAT64 if dtype is None else np.dtype(dtype)
