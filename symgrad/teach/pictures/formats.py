"""Boxes and arrows for Mermaid, Graphviz and networkx;"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from symgrad.support import foreign
from symgrad.support.extras import required
from symgrad.teach.pictures.boxes import Arrow, Box

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
        label = "<br/>".join(map(foreign.mermaid, box.lines))
        lines.append(f'    {box.key}{left}"{label}"{right}')
    for a in arrows:
        back = f'|"{foreign.mermaid(a.adjoint)}"|' if a.adjoint else ""
        lines.append(f"    {a.source} -->{back} {a.target}")
    return "\n".join(lines)


def dot(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> str:
    """Return a digraph."""
    lines = ["digraph {", "    rankdir=TB;", '    node [fontname="monospace"];', '    edge [fontname="monospace"];']
    for box in boxes:
        label = "\\n".join(map(foreign.dot, box.lines))
        lines.append(f'    {box.key} [label="{label}", {_STYLES[box.kind]}];')
    for a in arrows:
        back = f' [label="{foreign.dot(a.adjoint)}"]' if a.adjoint else ""
        lines.append(f"    {a.source} -> {a.target}{back};")
    return "\n".join([*lines, "}"])


def networkx_graph(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> Any:
    """Return a networkx.DiGraph."""
    networkx = required("to_networkx", "graph", "networkx")
    graph = networkx.DiGraph()
    for box in boxes:
        graph.add_node(box.key, **{k: v for k, v in asdict(box).items() if k != "key"})
    for a in arrows:
        graph.add_edge(a.source, a.target, adjoint=a.adjoint)
    return graph
