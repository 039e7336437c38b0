"""|z|² as z·z̄ before a second derivative is taken: its rule goes through z/|z|, in whose formula nothing cancels."""

from __future__ import annotations

from symgrad.core.modes import complexes, enable_grad
from symgrad.core.node import AnyNode, Node, ancestors
from symgrad.engine.record import handle
from symgrad.forms.others import rewritten
from symgrad.ops.elementwise.complexes import Magnitude, conj, real
from symgrad.ops.map import MUL, Map
from symgrad.scalars import X


def squared(root: AnyNode) -> AnyNode:
    """Return a graph with Re(z·z̄) for |z|²: itself where there is none."""
    if not complexes.met:
        return root
    return rewritten(root, {n: _product(n) for n in ancestors([root]) if _is_square(n)})


def _is_square(n: AnyNode) -> bool:
    squares = isinstance(n, Node) and isinstance(n.op, Map) and n.op.formula == X[0] ** 2
    return squares and isinstance(n.inputs[0], Node) and isinstance(n.inputs[0].op, Magnitude)


def _product(n: AnyNode) -> AnyNode:
    z = handle(n.inputs[0].inputs[0], None)  # type: ignore[union-attr]
    with enable_grad():
        found: AnyNode = real(MUL(z, conj(z)))._node
    return found
