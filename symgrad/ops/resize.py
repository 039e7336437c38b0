"""Operations whose parameters hold symbolic sizes, with numbers put in. Imports frozen and protocol."""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.ops.frozen import is_frozen, items, replace
from symgrad.ops.protocol import Op


def with_sizes(op: Op, sizes: dict[Any, int]) -> Op:
    """Return the operation with every symbolic size among its fields replaced by its number."""
    if not sizes or not is_frozen(op):
        return op
    changed = {}
    for name, old in items(op):
        new = _replaced(old, sizes)
        if new is not old:
            changed[name] = new
    return replace(op, **changed) if changed else op


def _replaced(value: Any, sizes: dict[Any, int]) -> Any:
    if isinstance(value, sp.Expr):
        found = value.xreplace({s: sp.Integer(n) for s, n in sizes.items()})
        return int(found) if found.is_Integer else found
    if isinstance(value, Op):
        return with_sizes(value, sizes)
    if isinstance(value, tuple) and any(isinstance(v, (sp.Expr, tuple)) for v in value):
        found = [_replaced(v, sizes) for v in value]
        return type(value)(*found) if hasattr(value, "_fields") else tuple(found)
    return value
