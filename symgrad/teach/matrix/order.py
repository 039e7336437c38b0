"""A formula in the order in which it was written: traces, products that are numbers, and sums of them.

Symgrad has one order for all formulas that are equal by tr(A·B) = tr(B·A), and a lesson begins with the user's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from symgrad.core.node import AnyNode, Leaf, is_node
from symgrad.forms.nodes.arrays import ArraySymbol
from symgrad.forms.nodes.marks import Trace
from symgrad.forms.nodes.matrices import MatrixPower, Product, Transposed
from symgrad.ops.contract import Einsum
from symgrad.ops.map import Map
from symgrad.teach.matrix.naming import turned_number
from symgrad.teach.matrix.symbols import Terms, product, shape_of, turned

_TURNS = re.compile(r"(\w)(\w)->\2\1")
MOST, BAR = 80, "|"  # names that are compared, and what stands between terms


def names_in_order(root: AnyNode, names: Mapping[AnyNode, str]) -> list[str]:
    """Return the names of a program's leaves from left to right, Xᵀ for a transposed X, with a bar between terms."""
    out: list[str] = []
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack and len(out) < MOST:
        node, is_turned = stack.pop()
        if node == BAR:
            out.append(BAR)
        elif isinstance(node, Leaf):
            square = is_turned and len(node.shape) == 2 and "symmetric" not in node.assumptions
            out.extend([names[node] + "ᵀ" * square] if node in names else [])
        elif _is_transposition(node):
            stack.append((node.inputs[0], not is_turned))
        else:
            parts = [p for p in node.inputs if is_node(p)][:: 1 if is_turned and isinstance(node.op, Einsum) else -1]
            stack.extend((q, is_turned) for p in parts for q in ((p, BAR) if isinstance(node.op, Map) else (p,)))
    return out


def _is_transposition(node: Any) -> bool:
    return isinstance(node.op, Einsum) and len(node.inputs) == 1 and _TURNS.fullmatch(node.op.spec) is not None


def in_order(e: Any, names: Sequence[str]) -> Any:
    """Return an equal formula of a number, its parts in the order of the names."""
    e = _parts_in_order(e, names)
    if not isinstance(e, sp.Add):
        return e
    plain = [k for k, n in enumerate(names) if n != BAR]  # c·‖X‖² has a bar inside

    def place(t: Any) -> int | None:
        mine = sorted(_names(t))
        at = _place(mine, names, of_sets=True)
        loose = None if at is not None else _place(mine, [names[k] for k in plain], of_sets=True)
        return at if loose is None else plain[loose]

    at = {t: place(t) for t in e.args}
    places = [p for p in at.values() if p is not None]
    if len({*places}) < len(e.args):
        return e
    return Terms.of(sorted(e.args, key=lambda t: at[t] or 0))


def _parts_in_order(e: Any, names: Sequence[str]) -> Any:
    if not isinstance(e, sp.Expr) or shape_of(e) or not e.args:
        return e
    if isinstance(e, Trace):
        return Trace.of(_first([e.args[0], *_turns(e.args[0])], names))
    if isinstance(e, Product):
        return _first([e, turned_number(e)], names)
    parts = [_parts_in_order(a, names) for a in e.args]
    return e if parts == list(e.args) else e.func(*parts)


def _turns(m: Any) -> list[Any]:
    """Return the other products that have the trace of this one."""
    products = [p for p in (m, turned(m)) if isinstance(p, Product)]
    return [product(p.args[k:-1] + p.args[:k]) for p in products for k in range(len(p.args) - 1)]


def _first(equal: Sequence[Any], names: Sequence[str]) -> Any:
    """Return the first of equal formulas whose names stand as they were written, else the first."""
    return next((e for e in equal if _place(_names(e), names) is not None), equal[0])


def _names(e: Any, is_turned: bool = False) -> list[str]:
    """Return the names in a formula from left to right, Xᵀ for a transposed X."""
    if isinstance(e, (ArraySymbol, sp.Symbol)):
        return [str(e.name) + "ᵀ" * (is_turned and len(shape_of(e)) == 2)]
    if isinstance(e, Transposed):
        return _names(e.args[0], not is_turned)
    if isinstance(e, MatrixPower):
        return _names(e.args[0], is_turned) * abs(int(e.args[1]))
    parts = [a for a in getattr(e, "args", ()) if isinstance(a, sp.Expr)]
    parts = parts[::-1] if is_turned and isinstance(e, Product) else parts
    return [n for a in parts for n in _names(a, is_turned)]


def _place(mine: Sequence[str], names: Sequence[str], *, of_sets: bool = False) -> int | None:
    """Return where these names stand beside each other, in any order if ``of_sets``; None where they do not."""
    for k in range(len(names) - len(mine) + 1):
        part = list(names[k : k + len(mine)])
        if mine and (sorted(part) if of_sets else part) == list(mine):
            return k
    return None
