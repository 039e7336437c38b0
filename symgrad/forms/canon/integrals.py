"""Integrands, as terms of the variables that the integrals depend on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.core.node import TRACED, AnyNode, Leaf, tensor_node
from symgrad.engine.record import as_tensor, handle
from symgrad.forms.canon.lower import lowered
from symgrad.forms.canon.numbers import number
from symgrad.forms.canon.terms import Term, TermPool
from symgrad.implicit.integral import Integral
from symgrad.implicit.programs import FrozenArray


def integrand(pool: TermPool, op: Integral, args: Sequence[Term]) -> tuple[Term, Any, dict[Any, int]]:
    """Return f of ∫ f dx, the key of x, and those of arrays that f holds, with their numbers of axes."""
    specs = op.body.arguments
    leaves = [Leaf(None, s.shape, TRACED) for s in specs]
    for leaf, spec in zip(leaves, specs, strict=True):
        leaf.dtype = spec.dtype
    (value,) = op.body(*[handle(leaf, None) for leaf in leaves])
    x = ("∫", op.letter)
    known: dict[AnyNode, Term] = dict(zip(leaves, [pool.leaf(x, ()), *args[2:]], strict=True))
    held: dict[Any, int] = {}

    def read(pool: TermPool, leaf: Leaf) -> Term:
        array = np.asarray(leaf.value)
        if array.size and np.all(array == array.flat[0]):
            return pool.constant(number(array.flat[0]), leaf.shape)
        held[FrozenArray(array)] = array.ndim
        return pool.leaf(FrozenArray(array), leaf.shape)

    root = tensor_node(as_tensor(value))
    return lowered(pool, [root], read, known=known)[root], x, held
