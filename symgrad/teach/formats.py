"""Boxes and arrows for Mermaid, Graphviz and networkx; names are escaped for each. Imports errors only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from symgrad.errors import MissingExtra
from symgrad.teach.boxes import Arrow, Box

_SHAPES = {"leaf": ("([", "])"), "operation": ("[", "]"), "output": ("[[", "]]"), "group": ("{{", "}}")}
_STYLES = {
    "leaf": "shape=box, style=rounded", "operation": "shape=box", "output": "shape=box, peripheries=2",
    "group": "shape=box3d",
}  # fmt: skip


def mermaid(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> str:
    """Return a flowchart."""
    lines = ["flowchart TD"]
    for box in boxes:
        left, right = _SHAPES[box.kind]
        label = "<br/>".join(map(_entities, box.lines))
        lines.append(f'    {box.key}{left}"{label}"{right}')
    for a in arrows:
        back = f'|"{_entities(a.adjoint)}"|' if a.adjoint else ""
        lines.append(f"    {a.source} -->{back} {a.target}")
    return "\n".join(lines)


def _entities(text: str) -> str:
    """Write what Mermaid or HTML could read by its number: #60; is <."""
    return "".join(c if c.isalnum() or c in " =+,.^/" or ord(c) > 0x7F else f"#{ord(c)};" for c in text)


def dot(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> str:
    """Return a digraph."""
    lines = ["digraph {", "    rankdir=TB;", '    node [fontname="monospace"];', '    edge [fontname="monospace"];']
    for box in boxes:
        label = "\\n".join(map(_quoted, box.lines))
        lines.append(f'    {box.key} [label="{label}", {_STYLES[box.kind]}];')
    for a in arrows:
        back = f' [label="{_quoted(a.adjoint)}"]' if a.adjoint else ""
        lines.append(f"    {a.source} -> {a.target}{back};")
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def networkx_graph(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> Any:
    """Return a networkx.DiGraph."""
    try:
        import networkx
    except ImportError as error:
        raise MissingExtra("to_networkx needs networkx, which is not installed. Run: pip install networkx.") from error
    found = networkx.DiGraph()
    for box in boxes:
        found.add_node(box.key, **{k: v for k, v in asdict(box).items() if k != "key"})
    for a in arrows:
        found.add_edge(a.source, a.target, adjoint=a.adjoint)
    return found
