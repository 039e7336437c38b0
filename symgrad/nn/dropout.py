"""Entries left out at random while training."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from symgrad.engine.adapters import public
from symgrad.engine.generator import Generator, drawn
from symgrad.errors import ArgumentError, ValueNeeded
from symgrad.ops.map import MUL
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reduction import float_of


@public
def dropout(
    input: Any, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None
) -> Any:
    """x m/(1 - p), where each entry of m is 0 with probability p, else 1. Without training x itself.

    Derivative: m/(1 - p), with the m that was drawn.

    Args:
        input: x, any shape.
        p: the probability that an entry is left out.
        training: whether to leave entries out.
        inplace: False; a tensor is changed by ``x.copy_(…)``.
        generator: where the random numbers come from, by default what ``manual_seed`` seeds.

    Returns:
        A tensor shaped like x, with x's mean in expectation.

    Raises:
        ArgumentError: p lies outside [0, 1], or inplace. ValueNeeded: a size of x has no number.

    >>> sg.nn.functional.dropout(sg.tensor([1.0, 2.0]), training=False)
    tensor([1., 2.])
    """
    if not 0 <= p <= 1:
        raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}. Expected a share of entries.")
    if inplace:
        raise ArgumentError("dropout: got inplace=True. Operations return tensors of their own; write x = dropout(x).")
    sizes = shape(input)
    if any(isinstance(n, sp.Expr) for n in sizes):
        raise ValueNeeded(f"dropout: got sizes {list(sizes)} without numbers, for which none can be drawn.")
    if not training:
        return MUL(input, 1.0)
    return rename(MUL(input, drawn(generator, _factors, sizes, p, float_of(input))), "Dropout")


def _factors(rng: Any, sizes: Any, p: float, dtype: Any) -> Any:
    """What each entry is multiplied by."""
    return np.where(rng.random(sizes) >= p, 0.0 if p == 1 else 1 / (1 - p), 0.0).astype(dtype)
