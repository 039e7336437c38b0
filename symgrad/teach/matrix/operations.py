"""Where the rules have no words: each operation with its own differential, as symgrad derives it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symgrad.core.node import AnyNode, Leaf, is_node
from symgrad.forms.closed import ClosedForm
from symgrad.implicit.conditions import Root
from symgrad.implicit.expand import equations, spelled
from symgrad.ode.flow import Flow
from symgrad.teach.board.line import Equation
from symgrad.teach.matrix.symbols import Differential, sized
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.lesson import LessonStep, NamePart, Note
from symgrad.teach.steps.lines import entry
from symgrad.teach.steps.tape import Tape

_LONG = 80  # signs of an equation


def theorems(tape: Tape) -> Iterator[LessonStep]:
    """Yield a line for the theorem by which each answer is differentiated, with the equation that it solves."""
    told: set[str] = set()
    for node in tape.nodes:
        if isinstance(node, Leaf) or not node.op.theorem:
            continue
        if isinstance(node.op, Root) and (equation := _equation(node)) is not None:
            yield Note(reason=(f"{node.op.conditions.title} is given by F = 0 with F = ", equation))
        if node.op.explained not in told:
            told.add(node.op.explained)
            yield Note(reason=(node.op.explained,))


def _equation(node: Any) -> Equation | None:
    """Return the conditions of an answer, None where they are no formula."""
    known: dict[AnyNode, AnyNode] = {}
    spelled([node], known, _never)
    condition = equations(known, _never)[-1:]
    form = ClosedForm(condition[0], condition, (), False) if condition else None
    return None if form is None or form.shape or (e := brief(form, _LONG)) is None else Equation((e,))


def _never(one: AnyNode, other: AnyNode) -> None:
    """No node is a multiple of another."""


def operations(tape: Tape, targets: Sequence[AnyNode]) -> Iterator[LessonStep]:
    """Yield a line for each operation: what it computes, and the differential of that."""
    active: set[AnyNode] = {*targets}
    yield Note(reason=("operation by operation, forwards:",))
    for node in tape.nodes:
        if isinstance(node, Leaf):
            continue
        symbol, formula = tape.symbol(node), tape.formula(node)
        parts: list[Any] = [Equation((entry(symbol, formula), formula))]
        d = None
        moving = [i for i, p in enumerate(node.inputs) if is_node(p) and p in active]
        if moving:
            active.add(node)
            d = None if isinstance(node.op, Flow) else tape.differential(node, moving)
            name = Differential.of(tape.names[node], node.shape)
            told = "" if node.op.theorem else node.op.explained
            parts.append(Equation((entry(name, d), d)) if d is not None else told or "")
        reason = tuple(p for p in parts if p)
        yield NamePart(before=formula, after=d, symbol=symbol, reason=reason, ledger=sized(node.shape))
    yield Note(reason=("put into each other, from the last to the first:",))
