"""Several steps as one elementwise operation: lerp, addcmul, addcdiv."""

from __future__ import annotations

from typing import Any

from symgrad.errors import DTypeError
from symgrad.ops.map import ADD, MUL, Map
from symgrad.ops.scaling import scaled, whole
from symgrad.scalars import X

LERP = Map(lambda: X[0] + X[2] * (X[1] - X[0]), 3, "Lerp")
ADDCMUL = Map(lambda: X[0] + X[3] * X[1] * X[2], 4, "Addcmul")
ADDCDIV = Map(lambda: X[0] + X[3] * X[1] / X[2], 4, "Addcdiv")


def lerp(input: Any, end: Any, weight: Any) -> Any:
    """Return x + w (end - x), the point between x and end.

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
    """Return x + value · tensor1 · tensor2, elementwise; for integers, the value must be an integer."""
    if whole(input, tensor1, tensor2):
        return ADD(input, scaled(input, MUL(tensor1, tensor2), value, "value"))
    return ADDCMUL(input, tensor1, tensor2, value)


def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Any:
    """Return x + value · tensor1 / tensor2, elementwise; not all may be integers."""
    if whole(tensor1, tensor2):
        raise DTypeError(
            "Integer division with addcdiv is no longer supported: write x + value * sg.true_divide(tensor1, tensor2). "
            f"Got {tensor1} and {tensor2}."
        )
    return ADDCDIV(input, tensor1, tensor2, value)
