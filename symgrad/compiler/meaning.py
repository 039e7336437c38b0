"""What an elementwise operation computes, as scalar steps: its payload, or what its guarded kernel does.

Imports payload and ops.
"""

from __future__ import annotations

import sympy as sp

from symgrad.compiler.payload import Steps, steps_of
from symgrad.ops.guards import FLOORED, LOGCUT, NONZERO, WEIGH
from symgrad.ops.map import Map
from symgrad.scalars import X, log, maximum

_GUARDED = {
    WEIGH: lambda: sp.Piecewise((0, sp.Eq(X[1], 0)), (X[0] * X[1], True)),
    NONZERO: lambda: sp.Piecewise((sp.oo, sp.Eq(X[0], 0)), (X[0], True)),
    FLOORED: lambda: maximum(X[0], sp.Float("1e-12")),
    LOGCUT: lambda: maximum(log(X[0]), -100),
}


def steps_of_map(op: Map) -> Steps:
    """Return the scalar operations of an elementwise operation."""
    if type(op) is Map:
        return steps_of(op.payload, op.arity)
    make = _GUARDED.get(op)
    return steps_of(op.payload if make is None else make(), op.arity)
