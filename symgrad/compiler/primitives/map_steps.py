"""What an elementwise operation computes, as scalar steps: its payload, or what its guarded kernel does."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from symgrad.compiler.primitives.payload import Steps, steps_of
from symgrad.ops.elementwise.guards import Guard
from symgrad.ops.map import Map


def meaning_of(op: Map) -> Any:
    """Return what an elementwise operation computes, as a SymPy expression in its slots."""
    return op.meaning if isinstance(op, Guard) else op.payload


@lru_cache(maxsize=8192)
def steps_of_map(op: Map) -> Steps:
    """Return the scalar operations of an elementwise operation."""
    return steps_of(meaning_of(op), op.arity)
