"""Symbolic sizes: where operations hold them, which ones given shapes tell, and numbers put in their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy as sp

from symgrad.core.node import Leaf, is_node
from symgrad.errors import ShapeError
from symgrad.ops.protocol import Op
from symgrad.support.frozen import is_frozen, items, replace


def with_sizes(op: Op, sizes: dict[Any, int]) -> Op:
    """Return the operation with every symbolic size among its fields replaced by its number."""
    if not sizes or not is_frozen(op):
        return op
    changed = {}
    for name, old in items(op):
        new = resized(old, sizes)
        if new is not old:
            changed[name] = new
    return replace(op, **changed) if changed else op


def resized(value: Any, sizes: dict[Any, int]) -> Any:
    """Return an expression, an operation or a tuple of them with numbers for sizes; anything else as it is."""
    if isinstance(value, sp.Expr):
        tensor = value.xreplace({s: sp.sympify(n) for s, n in sizes.items()})
        return int(tensor) if tensor.is_Integer else tensor
    if isinstance(value, Op):
        return with_sizes(value, sizes)
    if isinstance(value, tuple) and any(isinstance(v, (sp.Expr, tuple)) for v in value):
        tensor = [resized(v, sizes) for v in value]
        return type(value)(*tensor) if hasattr(value, "_fields") else tuple(tensor)
    return value


def sizes_in(nodes: Iterable[Any]) -> set[Any]:
    """Return the symbols of sizes in the nodes' shapes, in what they compute with, and in their operations."""
    symbols: set[Any] = set()
    for node in nodes:
        values = (node.value,) if isinstance(node, Leaf) else expressions_in(node.op)
        for e in (*node.shape, *values, *[p for p in node.inputs if not is_node(p)]):
            if isinstance(e, sp.Expr):
                symbols |= e.free_symbols
    return symbols


def expressions_in(value: Any) -> list[Any]:
    """Return the expressions in sizes among an operation's fields, and in tuples, at any depth."""
    if isinstance(value, sp.Expr):
        return [value]
    if isinstance(value, tuple):
        return [e for v in value for e in expressions_in(v)]
    if isinstance(value, Op) and is_frozen(value):
        return [e for _, v in items(value) for e in expressions_in(v)]
    return []


def told_by(shapes: Iterable[Sequence[Any]], known: Iterable[Any] = ()) -> set[Any]:
    """Return the sizes that arrays of these shapes tell: those that stand alone, or in n - 1 and the like."""
    told, sizes = set(known), [n for shape in shapes for n in shape if isinstance(n, sp.Expr)]
    while new := {s for n in sizes if (s := _to_solve(n, told)) is not None}:
        told |= new
    return told


def _to_solve(n: Any, told: set[Any]) -> Any:
    """The one size of an expression that is not known, where the expression is linear in it."""
    unknown = n.free_symbols - told
    if len(unknown) != 1:
        return None
    (s,) = unknown
    return s if n.is_polynomial(s) and sp.degree(n, s) == 1 else None


def solved(shapes: Sequence[Sequence[Any]], have: Sequence[Sequence[int]], given: dict[Any, int]) -> dict[Any, int]:
    """Return the number of every size, read off arrays of these shapes; ``given`` are known beforehand.

    Raises:
        ShapeError: if no number fits all of them.
    """
    pairs = [(n, m) for s, h in zip(shapes, have, strict=True) for n, m in zip(s, h, strict=True)]
    symbolic = [(n, m) for n, m in pairs if isinstance(n, sp.Expr)]
    sizes = dict(given)
    ahead = True
    while ahead:
        ahead = False
        for n, m in symbolic:
            s = _to_solve(n, set(sizes))
            if s is not None:
                sizes[s], ahead = _root(n, s, m, sizes), True
    for n, m in symbolic:
        if n.free_symbols <= set(sizes) and resized(n, sizes) != m:
            raise ShapeError(_conflict(n, m, sizes))
    return sizes


def _conflict(n: Any, m: int, sizes: dict[Any, int]) -> str:
    if n.is_Symbol:
        return f"size {n} is {sizes[n]} in one argument and {m} in another."
    values = ", ".join(f"{s} = {sizes[s]}" for s in sorted(n.free_symbols, key=str))
    return f"size {n} is {resized(n, sizes)} where {values}, and {m} in an argument. Pass arrays that fit together."


def _root(n: Any, s: Any, m: int, sizes: dict[Any, int]) -> int:
    """Solve n = m for the size s, in which n is linear."""
    slope, rest = sp.Poly(n.xreplace({k: sp.Integer(v) for k, v in sizes.items()}), s).all_coeffs()
    solution = (m - rest) / slope
    if not (solution.is_Integer and solution >= 0):
        raise ShapeError(f"size {n} is {m} in an argument, which no {s} makes it. Got {s} = {solution}.")
    return int(solution)
