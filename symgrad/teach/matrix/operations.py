"""Where the rules have no words: each operation with its own differential, as symgrad derives it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symgrad.core.node import AnyNode, Leaf, is_node
from symgrad.teach.board.line import Formula, Line
from symgrad.teach.matrix.symbols import Differential, sized
from symgrad.teach.steps.lines import entry
from symgrad.teach.steps.tape import Tape


def operations(tape: Tape, targets: Sequence[AnyNode]) -> Iterator[Line]:
    """Yield a line for each operation: what it computes, and the differential of that."""
    active: set[AnyNode] = {*targets}
    yield Line("why", ("operation by operation, forwards:",))
    for node in tape.nodes:
        if isinstance(node, Leaf):
            continue
        symbol, formula = tape.symbol(node), tape.formula(node)
        parts: list[Any] = [Formula((entry(symbol, formula), formula))]
        moving = [i for i, p in enumerate(node.inputs) if is_node(p) and p in active]
        if moving:
            active.add(node)
            d = tape.differential(node, moving)
            name = Differential.of(tape.names[node], node.shape)
            parts.append(Formula((entry(name, d), d)) if d is not None else node.op.explained or "")
        yield Line("pair", tuple(p for p in parts if p), None, sized(node.shape))
    yield Line("why", ("put into each other, from the last to the first:",))
