"""All zeros of a system in a box: each in a tiny box of its own, and no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import NotProved, ShapeError
from symgrad.proved.covering import (
    OPEN,
    Box,
    Node,
    cover,
    floats_of,
    heading,
    is_narrow,
    joined,
    meeting,
    shrunk,
    split,
    unproved,
    verified,
    within,
)
from symgrad.proved.enclosure import Flat
from symgrad.proved.interval import flint
from symgrad.proved.newton import Step, System
from symgrad.support.arguments import checked

BITS, BOXES, WIDTH = 128, 100_000, 1e-7


class Zeros(NamedTuple):
    """All zeros of a system in a box.

    Attributes:
        zeros: a tiny box for each zero, in which it is the only one.
        unresolved: boxes that may have further zeros; if there are none, the box has no other zero.
        certificate: the claims that ``sg.prove.check`` verifies, as numbers, strings and lists.
    """

    zeros: list[Any]
    unresolved: list[Any]
    certificate: dict[str, Any]

    @property
    def is_complete(self) -> bool:
        """Whether these are certainly all zeros."""
        return not self.unresolved


class Zero(NamedTuple):
    """The only zero of a system in a box, enclosed between bounds."""

    zero: Any
    certificate: dict[str, Any]


@checked
def all_roots(F: Callable[..., Any], box: Any, *, boxes: int = BOXES, width: float = WIDTH, bits: int = BITS) -> Zeros:
    """Enclose each x in the box with F(x) = 0 in a tiny box, and prove that there is no other.

    The box is divided until each part certainly has no zero or exactly one. If nothing is left of a part when the
    program is followed backward from F(x) = 0, or by Newton's step, there is none; if Krawczyk's operator maps a box
    into itself, there is exactly one.

    Args:
        F: a function of numbers or arrays with as many results as arguments, which are n numbers in all.
        box: the bounds of the arguments, as in ``sg.enclose``.
        boxes: the maximum number of boxes to examine; the boxes that remain are unresolved.
        width: boxes narrower than this are unresolved, relative to numbers above 1. A double zero is always
            unresolved.
        bits: the precision of the intervals' ends.

    Returns:
        A ``Zeros`` with the fields ``zeros``, ``unresolved`` and ``certificate``.

    Raises:
        ShapeError: if F does not have as many results as arguments.
        MissingExtra: if python-flint is not installed.

    Source: Neumaier, Interval Methods for Systems of Equations, 1990, chapter 5.

    >>> sg.prove.all_roots(lambda x: x**2 - 2, (0.0, 3.0)).zeros
    [Enclosure(lower=1.414213562373095, upper=1.4142135623730951)]
    """
    with flint().ctx.workprec(bits):
        problem = Problem(Flat(F, box), width)
        tree, leaves = cover(problem.whole, problem.decide, boxes)
        zeros, unresolved = problem.zeros(leaves)
        claims = {"zeros": [t.tolist() for t in zeros], "unresolved": [x.tolist() for x in unresolved], "tree": tree}
        certificate = {**heading("all_roots", problem.flat, bits), **claims}
    in_place = problem.flat.structured
    return Zeros(list(map(in_place, zeros)), list(map(in_place, joined(unresolved))), certificate)


@checked
def root(F: Callable[..., Any], box: Any, *, boxes: int = BOXES, width: float = WIDTH, bits: int = BITS) -> Zero:
    """Prove that F has exactly one zero in the box, and enclose it.

    Args:
        F, box, boxes, width, bits: as in ``sg.prove.all_roots``.

    Returns:
        A ``Zero``: tight bounds of the zero, and the certificate.

    Raises:
        NotProved: if the box contains no zero or several zeros, or if this cannot be proved; the error says which.

    >>> sg.prove.root(lambda x: sg.cos(x) - x, (0.0, 1.0)).zero
    Enclosure(lower=0.7390851332151606, upper=0.7390851332151607)
    """
    result = all_roots(F, box, boxes=boxes, width=width, bits=bits)
    if result.unresolved:
        parts = [np.array(x) for x in result.certificate["unresolved"]]
        raise unproved("root", Flat(F, box), parts, "whether there is a zero is not certain")
    if len(result.zeros) != 1:
        raise NotProved(
            f"prove.root: F has {len(result.zeros)} zeros in the box, not one. Choose a smaller box, or call all_roots."
        )
    return Zero(result.zeros[0], {**result.certificate, "statement": "root"})


class Problem:
    """A square system on a box."""

    def __init__(self, flat: Flat, width: float = WIDTH) -> None:
        self.flat, self.width = flat, width
        self.whole = floats_of(flat.box)
        self.system = System(flat.run, flat.tape(0))
        if flat.count != len(self.whole):
            raise ShapeError(
                f"prove.all_roots: F has {flat.count} results and {len(self.whole)} arguments. Expected equally many."
            )

    def decide(self, x: Box) -> Node:
        """Return what is certain about a box, or how it is divided."""
        solved = self.system.solved(x)
        if solved is None:
            return [OPEN, "undefined"] if is_narrow(x, self.width) or self._is_small(x) else split(x)
        left, is_open = solved
        if left is None:
            return ["no zero", "solved"]
        room = shrunk(left, x)
        if room is not None:
            return ["shrink", room.tolist(), "solved"]
        step = None if is_open else self.system.contracted(left)
        node = None if step is None else self._after(x, step)
        if node is not None:
            return node
        if is_narrow(x, self.width):
            return [OPEN, "condition" if is_open else "singular"]
        return split(x, None if step is None else step.importance)

    def _is_small(self, x: Box) -> bool:
        """Whether a box where F is undefined is small enough to be named as such."""
        return bool(((x[:, 1] - x[:, 0]) <= (self.whole[:, 1] - self.whole[:, 0]) / 256).all())

    def _after(self, x: Box, step: Step) -> Node | None:
        """The node that Newton's step allows."""
        if step.left is None:
            return ["no zero", "newton"]
        if self.system.is_nearly_linear(step.matrix):
            pair = self.system.isolated(x)
            if pair is not None:
                return ["one zero", *[b.tolist() for b in pair]]
        room = shrunk(step.left, x)
        return None if room is None else ["shrink", room.tolist(), "newton"]

    def _left(self, x: Box, how: str) -> tuple[Box | None] | None:
        """What a step leaves of a box, in a tuple; None where it says nothing."""
        solved = self.system.solved(x)
        if solved is None or how == "solved" or solved[0] is None:
            return None if solved is None else solved[:1]
        step = None if solved[1] else self.system.contracted(solved[0])
        return None if step is None else (step.left,)

    def verify(self, x: Box, node: Node) -> bool:
        """Whether a node's claim holds."""
        if node[0] == "one zero":
            return self.system.isolates(x, node[1:])
        left = self._left(x, node[-1]) if node[0] in ("no zero", "shrink") else None
        if left is None:
            return False
        return left[0] is None or (node[0] == "shrink" and within(left[0], np.array(node[1])))

    def holds(self, certificate: dict[str, Any]) -> bool:
        """Whether a certificate is right."""
        leaves = verified(self.whole, certificate["tree"], self.verify)
        if leaves is None:
            return False
        zeros, unresolved = ([x.tolist() for x in boxes] for boxes in self.zeros(leaves))
        stated = zeros == certificate["zeros"] and unresolved == certificate["unresolved"]
        return stated and (certificate["statement"] == "all_roots" or (len(zeros) == 1 and not unresolved))

    def zeros(self, leaves: list[tuple[Box, Node]]) -> tuple[list[Box], list[Box]]:
        """Return the tiny boxes of the zeros in the box, and those of which nothing is certain."""
        unresolved = [x for x, node in leaves if node[0] == OPEN]
        zeros: list[tuple[Box, Box]] = []
        for around, tiny in [tuple(np.array(b) for b in node[1:]) for _, node in leaves if node[0] == "one zero"]:
            twins = [t for a, t in zeros if meeting(t, tiny)]
            if not meeting(tiny, self.whole):
                continue
            if not within(tiny, self.whole) or not all(within(tiny, a) for a, t in zeros if meeting(t, tiny)):
                unresolved.append(tiny)
            elif not twins:
                zeros.append((around, tiny))
        order = sorted([t for _, t in zeros], key=lambda t: t[:, 0].tolist())
        return order, unresolved
