"""The product of all other entries, divided: Π_{k≠i} x_k is Π x/x_i where no entry is 0.

The sweep multiplies from both ends, which is right for zeros too, and whose derivatives nobody can read.
"""

from __future__ import annotations

from typing import Any

from symgrad.core.modes import enable_grad
from symgrad.core.node import AnyNode, Node, ancestors, is_node, tensor_node
from symgrad.engine.record import handle
from symgrad.forms.canon import TermPool, lowered
from symgrad.forms.canon.powers import is_positive
from symgrad.forms.canonical import leaf_reading
from symgrad.forms.replay import replayed
from symgrad.ops.map import DIV, MUL
from symgrad.ops.reduction import lift
from symgrad.ops.reductions.reduce import Prod
from symgrad.ops.reductions.scan import Cumprod


def divided(root: AnyNode) -> AnyNode:
    """Return a graph with Π x/x_i for Π_{k≠i} x_k where x is positive: itself where it has none."""
    order = ancestors([root])
    return rewritten(root, {n: _quotient(*pair) for n in order if (pair := _others(n)) is not None})


def rewritten(root: AnyNode, new: dict[AnyNode, AnyNode]) -> AnyNode:
    """Return a graph with other nodes in place of some; what does not depend on these stays as it is."""
    if not new:
        return root
    changed, mapping = set(new), dict(new)
    for n in ancestors([root]):
        if any(p in changed for p in getattr(n, "inputs", ()) if is_node(p)):
            changed.add(n)
        elif n not in changed:
            mapping[n] = n
    return replayed([root], mapping)[0]


def _others(n: AnyNode) -> tuple[Any, int] | None:
    """Return x and the axis where a node is Π_{k≠i} x_k, of positive x."""
    if not isinstance(n, Node) or n.op != MUL or not all(map(_is_running, n.inputs)):
        return None
    one, other = n.inputs
    (x,), axis = one.inputs, one.op.axis
    both = other.inputs[0] is x and other.op.axis == axis and other.op.reverse != one.op.reverse
    return (x, axis) if both and is_node(x) and is_positive(_term(x)) else None


def _is_running(p: Any) -> bool:
    return isinstance(p, Node) and isinstance(p.op, Cumprod) and p.op.exclusive


def _term(x: AnyNode) -> Any:
    return lowered(TermPool(), [x], leaf_reading(set()))[x]


def _quotient(x: AnyNode, axis: int) -> AnyNode:
    with enable_grad():
        entries = handle(x, None)
        whole = Prod((axis,), False)(entries)
        quotient: AnyNode = tensor_node(DIV(lift(whole, entries, (axis,)), entries))
    return quotient
