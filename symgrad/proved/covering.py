"""A box covered by smaller ones, of each of which something is certain: the search, its record, and its check.

The record is a list of nodes, a tree in preorder: ``["split", axis, at]`` stands before the nodes of its two halves,
``["shrink", bounds, how]`` before those of the part that is left, and any other node is a leaf, a claim about its box.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, NotProved
from symgrad.proved.enclosure import Flat
from symgrad.proved.interval import Interval, flint

Box = Any  # lower and upper ends, an array of floats (n, 2)
Node = list[Any]
OPEN = "open"


def heading(statement: str, flat: Flat, bits: int) -> dict[str, Any]:
    """Return what every certificate says."""
    bare = flat.is_plain
    shapes = [list(s) for s in flat.shapes] if bare else None
    return {"statement": statement, "box": floats_of(flat.box).tolist(), "shapes": shapes, "bits": bits}


def flat_of(certificate: dict[str, Any], f: Callable[..., Any], box: Any = None) -> Flat:
    """Return the function of a certificate's box."""
    bounds, shapes = np.array(certificate["box"], np.float64).reshape(-1, 2), certificate["shapes"]
    if box is None:
        if shapes is None:
            raise ArgumentError(
                "prove.check: the arguments are structures, which a certificate cannot hold. Pass box=."
            )
        box, start = [], 0
        for shape in shapes:
            size = int(np.prod(shape, dtype=int))
            box.append(bounds[start : start + size].reshape((*shape, 2)))
            start += size
    flat = Flat(f, box, is_bounded=certificate["statement"] != "integral")
    if not np.array_equal(floats_of(flat.box), bounds):
        raise ArgumentError("prove.check: the box is not that of the certificate. Pass the same box, or none.")
    return flat


def cover(box: Box, decide: Callable[[Box], Node], boxes: int) -> tuple[list[Node], list[tuple[Box, Node]]]:
    """Return the record of a search, and its leaves with their boxes; after so many boxes the rest stay open."""
    tree: list[Node] = []
    leaves: list[tuple[Box, Node]] = []
    stack = [box]
    while stack:
        x = stack.pop()
        node = decide(x) if len(tree) < boxes else [OPEN, "boxes"]
        tree.append(node)
        parts = _parts(x, node)
        stack += parts
        if not parts:
            leaves.append((x, node))
    return tree, leaves


def verified(box: Box, tree: list[Node], verify: Callable[[Box, Node], bool]) -> list[tuple[Box, Node]] | None:
    """Return the leaves of a record whose boxes cover the box and whose claims hold; None where one does not."""
    leaves: list[tuple[Box, Node]] = []
    stack = [box]
    for node in tree:
        if not stack:
            return None
        x = stack.pop()
        if node[0] == "split" and not x[node[1], 0] < node[2] < x[node[1], 1]:
            return None
        if node[0] not in ("split", OPEN) and not verify(x, node):
            return None
        parts = _parts(x, node)
        stack += parts
        if not parts:
            leaves.append((x, node))
    return None if stack else leaves


def _parts(x: Box, node: Node) -> list[Box]:
    """The boxes that the next nodes are about, the last one first."""
    if node[0] == "shrink":
        return [np.array(node[1], np.float64)]
    if node[0] != "split":
        return []
    left, right = x.copy(), x.copy()
    left[node[1], 1] = right[node[1], 0] = node[2]
    return [right, left]


_RATIO = 0.487  # boxes are not halved in the middle, where zeros like to be
_THIN = 0.02  # of the widest side: sides thinner than that are not halved


def split(x: Box, importance: Any = None) -> Node:
    """Return the node that halves a box along its widest or most important side; open where no float is between."""
    widths = x[:, 1] - x[:, 0]
    at = x[:, 0] + _RATIO * widths
    inside = (x[:, 0] < at) & (at < x[:, 1])
    if not inside.any():
        return [OPEN, "width"]
    if importance is None or not np.isfinite(importance).all():
        importance = widths
    wide = inside & (widths > _THIN * np.where(inside, widths, 0.0).max())
    axis = int(np.argmax(np.where(wide, importance, -1.0)))
    return ["split", axis, float(at[axis])]


def is_narrow(x: Box, width: float) -> bool:
    """Whether every side is narrower than this, as a part of the number where that is above 1."""
    return bool(((x[:, 1] - x[:, 0]) <= width * np.maximum(1.0, np.abs(x).max(axis=1))).all())


def intervals_of(x: Box) -> Any:
    """Return a box of floats as intervals."""
    arb = flint().arb
    return objects([Interval(arb(float(a)), arb(float(b))) for a, b in x])


def objects(xs: list[Any]) -> Any:
    """Return an object array."""
    out = np.empty(len(xs), dtype=object)
    out[:] = xs
    return out


def floats_of(xs: Any) -> Box:
    """Return intervals as a box of floats, rounded outward."""
    return np.array([x.floats() for x in xs], np.float64).reshape(len(xs), 2)


def middle_of(x: Box) -> Any:
    """Return a point of a box, (n,)."""
    return np.clip(x[:, 0] + (x[:, 1] - x[:, 0]) / 2, x[:, 0], x[:, 1])


def point(c: Any) -> Box:
    """Return the box of one point."""
    return np.stack([c, c], axis=-1)


def shrunk(left: Box, x: Box) -> Box | None:
    """Return what is left of a box, with the room that another machine's inverse needs too; None if that is no gain.

    It is one where some side that is not tiny becomes much smaller.
    """
    room = np.clip(widened(left, 1e-6), x[:, :1], x[:, 1:])
    sizes, before = room[:, 1] - room[:, 0], x[:, 1] - x[:, 0]
    wide = before > 1e-12 * np.maximum(1.0, np.abs(x).max(axis=1))
    return room if (wide & (sizes < 0.7 * before)).any() else None


def widened(x: Box, part: float) -> Box:
    """Return a box with some room around it, a part of its width, or of the number where it is a point."""
    room = part * np.where(x[:, 1] > x[:, 0], x[:, 1] - x[:, 0], np.maximum(1.0, np.abs(x[:, 0])))
    return np.stack([x[:, 0] - room, x[:, 1] + room], axis=-1)


def within(x: Box, y: Box) -> bool:
    """Whether x is a part of y, and its lower ends are first."""
    return bool(((y[:, 0] <= x[:, 0]) & (x[:, 0] <= x[:, 1]) & (x[:, 1] <= y[:, 1])).all())


def meeting(x: Box, y: Box) -> bool:
    """Whether two boxes have a point in common."""
    return bool(((x[:, 0] <= y[:, 1]) & (y[:, 0] <= x[:, 1])).all())


def joined(boxes: list[Box]) -> list[Box]:
    """Return the hulls of boxes that touch."""
    hulls: list[Box] = []
    for box in boxes:
        near = [h for h in hulls if meeting(h, box)]
        hulls = [h for h in hulls if not any(h is n for n in near)]
        every = np.stack([box, *near])
        hulls.append(np.stack([every[..., 0].min(axis=0), every[..., 1].max(axis=0)], axis=-1))
    return hulls


def unproved(name: str, flat: Flat, boxes: list[Box], why: str) -> NotProved:
    """Return the error that names the boxes which are left."""
    hulls = joined(boxes)
    error = NotProved(
        f"prove.{name}: {why} in {len(hulls)} part{'s' * (len(hulls) != 1)} of the box, as in "
        f"{hulls[0].tolist()}. Choose another box, or raise boxes= or bits=."
        if hulls
        else f"prove.{name}: {why}."
    )
    error.unresolved = tuple(flat.structured(x) for x in hulls)
    return error
