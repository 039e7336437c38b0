"""``sg.graph``: the computational graph as boxes and arrows, to be drawn or handed on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.core.node import AnyNode, Leaf
from symgrad.errors import ArgumentError, ShapeError
from symgrad.forms.closed import ClosedForm
from symgrad.ops.map import show_shape
from symgrad.support.arguments import checked
from symgrad.teach.calls import Call, output_of
from symgrad.teach.pictures.boxes import Arrow, Box, box_of
from symgrad.teach.pictures.collapse import MOST, groups_of
from symgrad.teach.pictures.formats import dot, mermaid, networkx_graph
from symgrad.teach.pictures.svg import svg
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.tape import Pull, Tape
from symgrad.teach.steps.unicode_text import number, sizes, unicode_text
from symgrad.tensors.tensor import Tensor

NARROW = 30  # signs of an arrow's formula beyond which less is said
ADJOINTS = (None, True, False, "formula", "number")


@checked
def graph(
    y: Tensor | Callable[..., Any],
    *,
    at: Any = None,
    adjoints: bool | str | None = None,
    wrt: Any = None,
    most: int = MOST,
) -> Graph:
    """Return a picture of the graph that computes y.

    Args:
        y: a tensor with a graph; or a function, which is called with the numbers ``at``, or with symbols.
        at: the argument of the function, or a tuple of arguments.
        adjoints: whether each arrow shows its cotangent: "formula", "number", or True for numbers where they are known
            and formulas elsewhere. By default, cotangents are shown once ``backward`` has filled the ``.grad`` of a
            leaf.
        wrt: the tensors to which the adjoints lead; by default the leaves that require grad, or all symbols.
        most: the maximum number of boxes. In a larger graph, a box stands for a call of a function or for several
            operations, without adjoints.

    Returns:
        A ``Graph``, which a notebook shows as a picture.

    Raises:
        ArgumentError: if ``adjoints`` is none of these, or ``most`` is below 3.
        ShapeError: if adjoints are requested, and y is an array.
        GraphError: if y has no graph.

    >>> print(sg.graph(lambda x: sg.sin(x) * x).to_mermaid())
    flowchart TD
        n0(["x"])
        n1["u = sin#40;x#41;"]
        n2[["y = u·x"]]
        n0 --> n1
        n1 --> n2
        n0 --> n2
    """
    if adjoints not in ADJOINTS:
        raise ArgumentError(f"graph: got adjoints={adjoints!r}. Expected one of {list(ADJOINTS)}.")
    if isinstance(most, bool) or not isinstance(most, int) or most < 3:
        raise ArgumentError(f"graph: got most={most!r}. Expected a number of boxes, at least 3.")
    calls: list[Call] = []
    y, wrt = output_of("graph", y, wrt, at, calls)
    tape = Tape(y)
    if adjoints is None:
        adjoints = tape.root.shape == () and _was_backward(tape)
    elif adjoints and tape.root.shape != ():
        raise ShapeError(
            f"grad can be implicitly created only for scalar outputs. graph: got shape {show_shape(tape.root.shape)}; "
            "draw y.sum(), or leave adjoints= out."
        )
    if len(tape.nodes) > most:
        return Graph(*groups_of(tape, calls, most))
    return Graph(*_drawn(tape, wrt, adjoints))


def _was_backward(tape: Tape) -> bool:
    return any(isinstance(n, Leaf) and n.cell is not None and n.cell.grad is not None for n in tape.nodes)


def _drawn(tape: Tape, wrt: Any, adjoints: bool | str | None) -> tuple[list[Box], list[Arrow]]:
    keys = {n: f"n{k}" for k, n in enumerate(tape.nodes)}
    values = tape.values(tape.nodes)
    boxes = [box_of(tape, n, keys[n], v) for n, v in zip(tape.nodes, values, strict=True)]
    told = _adjoints(tape, wrt, str(adjoints)) if adjoints else {}
    pairs = dict.fromkeys((p, n) for n in tape.nodes for p in tape.shown_inputs(n))
    return boxes, [Arrow(keys[p], keys[n], told.get((p, n), "")) for p, n in pairs]


# ------------------------------------------------------------------ adjoints
def _adjoints(tape: Tape, wrt: Any, how: str) -> dict[tuple[AnyNode, AnyNode], str]:
    """Return what comes back along each arrow."""
    _, pulls = tape.derive(tape.targets(wrt))
    pulls = [p for p in pulls if p.given is not None]
    numbers = tape.values([p.given for p in pulls if p.given is not None])
    texts: dict[tuple[AnyNode, AnyNode], str] = {}
    for pull, value in zip(pulls, numbers, strict=True):
        if how == "number" and value is None:
            raise ArgumentError('graph: adjoints="number" needs a value of each leaf. Use "formula" for symbols.')
        known = value is not None and how != "formula"
        text = _short(value) if known else _written(tape, pull)
        key = (pull.source, pull.node)
        texts[key] = f"{texts[key]} + {text}" if key in texts else text
    return texts


def _short(value: Any) -> str:
    return number(value) if np.size(value) <= 4 else f"{sizes(np.shape(value))}"


def _written(tape: Tape, pull: Pull) -> str:
    """Return the closed form where it is short, else what the rule says in names, else the name only."""
    short = brief(ClosedForm(pull.given or pull.adjoint, [tape.root], check=False), NARROW)
    texts = [] if short is None else [unicode_text(short)]
    local = tape.local(pull, unit=pull.node is tape.root)
    texts.extend([] if local is None else [unicode_text(local)])
    return next((t for t in texts if len(t) <= NARROW), unicode_text(tape.adjoint(pull.source)))


class Graph:
    """A picture of a graph.

    Attributes:
        boxes: the values, in the order in which they are computed.
        arrows: from each value to the results that are computed from it.
    """

    def __init__(self, boxes: Sequence[Box], arrows: Sequence[Arrow]) -> None:
        self.boxes, self.arrows = tuple(boxes), tuple(arrows)

    def __repr__(self) -> str:
        return f"<Graph: {len(self.boxes)} boxes, {len(self.arrows)} arrows>"

    def to_svg(self) -> str:
        """Return the picture as SVG. It needs no other program or font, and is suited to light and dark pages."""
        return svg(self.boxes, self.arrows)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def to_mermaid(self) -> str:
        """Return a flowchart for Mermaid, which Markdown pages can display."""
        return mermaid(self.boxes, self.arrows)

    def to_dot(self) -> str:
        """Return a digraph for Graphviz."""
        return dot(self.boxes, self.arrows)

    def to_networkx(self) -> Any:
        """Return a ``networkx.DiGraph``: boxes under their keys, with their fields as attributes.

        Raises:
            MissingExtra: if networkx is not installed.
        """
        return networkx_graph(self.boxes, self.arrows)
