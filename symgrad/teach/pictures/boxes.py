"""What a picture shows: boxes and arrows, in text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from symgrad.core.node import AnyNode, Leaf
from symgrad.ops.map import Map
from symgrad.teach.steps.lines import entry
from symgrad.teach.steps.tape import Tape
from symgrad.teach.steps.unicode_text import number, sizes, unicode_text

WIDE = 44  # signs of a box's formula beyond which only the operation is named


@dataclass(frozen=True, slots=True)
class Box:
    """A box.

    Attributes:
        key: n0, n1, …: the name to which arrows and formats refer.
        kind: "leaf", "operation", "output" or "group".
        name: the name of its value.
        label: its formula, such as u = x².
        value: the value as text, "" if it is unknown or long; for a group, its contents.
        shape: the sizes; None for a group.
    """

    key: str
    kind: str
    name: str
    label: str
    value: str
    shape: tuple[Any, ...] | None

    @property
    def lines(self) -> list[str]:
        """The label, and below it the value and the shape, if they are known."""
        if self.shape is None:
            return [self.label, self.value]
        told = [t for t in (sizes(self.shape) if self.shape else "", f"= {self.value}" if self.value else "") if t]
        return [self.label, " ".join(told)] if told else [self.label]


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from a value to a result that is computed from it. ``adjoint`` is its label, "" if none is shown."""

    source: str
    target: str
    adjoint: str


def box_of(tape: Tape, node: AnyNode, key: str, value: Any) -> Box:
    """Return the box of one node."""
    name = unicode_text(tape.symbol(node))
    leaf = isinstance(node, Leaf)
    label = name if leaf else _labelled(tape, node)
    shown = "" if value is None or (np.size(value) > 4) else number(value)
    kind = "leaf" if leaf else "output" if node is tape.root else "operation"
    return Box(key, kind, name, label, shown, node.shape)


def _labelled(tape: Tape, node: Any) -> str:
    """Return u = x², or where that is long only the operation."""
    formula = tape.formula(node)
    text = f"{unicode_text(entry(tape.symbol(node), formula))} = {unicode_text(formula)}"
    if len(text) <= WIDE:
        return text
    called = node.rule.name if isinstance(node.op, Map) else type(node.op).__name__
    inside = ", ".join(unicode_text(tape.symbol(p)) for p in tape.shown_inputs(node))
    return cut(f"{unicode_text(tape.symbol(node))} = {called.lower()}({inside})", WIDE)


def cut(text: str, most: int) -> str:
    """Return a string with its end left out where it is long."""
    return text if len(text) <= most else text[: most - 1] + "…"
