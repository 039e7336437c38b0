"""A layered drawing of an acyclic graph: layers, order within them, places. Knows boxes and arrows only.

Sugiyama's scheme: longest paths, then barycentres against crossings, then least squares with order and distances kept.
Source: Sugiyama, Tagawa, Toda 1981; the places by pooling adjacent violators.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

GAP, LEVEL, FAR = 26.0, 26.0, 40.0  # between neighbours of a layer, between layers, and more where arrows go far
SWEEPS, PASSES = 12, 24


class Size(NamedTuple):
    """Width and height."""

    width: float
    height: float


class Drawing(NamedTuple):
    """Where everything is: centres of boxes, the points that each arrow goes through, centres of labels."""

    boxes: list[tuple[float, float]]
    arrows: list[list[tuple[float, float]]]
    labels: list[tuple[float, float] | None]
    width: float
    height: float


class _Item:
    """What takes a place in a layer: a box, an arrow's label, or a point that an arrow passes."""

    __slots__ = ("down", "layer", "size", "up", "weight", "x", "y")

    def __init__(self, layer: int, size: Size, weight: float) -> None:
        self.layer, self.size, self.weight = layer, size, weight
        self.up: list[_Item] = []
        self.down: list[_Item] = []
        self.x = self.y = 0.0


def layout(boxes: Sequence[Size], arrows: Sequence[tuple[int, int]], labels: Sequence[Size | None]) -> Drawing:
    """Place boxes so that each arrow (from, to) goes down; ``labels`` has the size of each arrow's label."""
    layers = _layers(len(boxes), arrows)
    items = [_Item(2 * k, size, 1.0) for k, size in zip(layers, boxes, strict=True)]
    chains = [_chain(items[a], items[b], label) for (a, b), label in zip(arrows, labels, strict=True)]
    rows = _rows([*items, *(p for chain in chains for p in chain[1:-1])])
    _order(rows)
    _place(rows)
    height = _heights(rows)
    left = min((i.x - i.size.width / 2 for r in rows for i in r), default=0.0)
    width = max((i.x + i.size.width / 2 for r in rows for i in r), default=0.0) - left
    for r in rows:
        for i in r:
            i.x -= left
    where = [next(((p.x, p.y) for p in chain[1:-1] if p.size.height), None) for chain in chains]
    return Drawing([(i.x, i.y) for i in items], [_points(c) for c in chains], where, width, height)


def _layers(count: int, arrows: Sequence[tuple[int, int]]) -> list[int]:
    """Return the longest path to each box; what nothing leads to stands right above what it leads to."""
    layers = [0] * count
    for a, b in sorted(arrows, key=lambda e: e[1]):  # boxes are in an order in which arrows go forward
        layers[b] = max(layers[b], layers[a] + 1)
    into = {b for _, b in arrows}
    for k in range(count):
        below = [layers[b] for a, b in arrows if a == k]
        if k not in into and below:
            layers[k] = min(below) - 1
    return layers


def _chain(a: _Item, b: _Item, label: Size | None) -> list[_Item]:
    """Return the items of an arrow: its ends, and one in each layer between, the label in the one above the end."""
    chain = [a]
    for layer in range(a.layer + 1, b.layer):
        labelled = label is not None and layer == b.layer - 1
        chain.append(_Item(layer, label if labelled and label is not None else Size(6.0, 0.0), 4.0))
    chain.append(b)
    for p, q in pairwise(chain):
        p.down.append(q)
        q.up.append(p)
    return chain


def _rows(items: Sequence[_Item]) -> list[list[_Item]]:
    rows: list[list[_Item]] = [[] for _ in range(max((i.layer for i in items), default=-1) + 1)]
    for i in items:
        rows[i.layer].append(i)
    return rows


# ------------------------------------------------------------------ order
def _order(rows: list[list[_Item]]) -> None:
    """Order each layer by the mean place of its neighbours, up and down in turn; keep the order that crosses least."""
    best, fewest = [list(r) for r in rows], _crossings(rows)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for row in rows[1:] if down else rows[-2::-1]:
            _sort(row, rows, down)
        crossings = _crossings(rows)
        if crossings < fewest:
            best, fewest = [list(r) for r in rows], crossings
    for row, kept in zip(rows, best, strict=True):
        row[:] = kept


def _sort(row: list[_Item], rows: list[list[_Item]], down: bool) -> None:
    if not row:
        return
    beside = rows[row[0].layer + (-1 if down else 1)]
    place = {id(i): k for k, i in enumerate(beside)}

    def mean(pair: tuple[int, _Item]) -> float:
        k, item = pair
        near = [place[id(n)] for n in (item.up if down else item.down)]
        return sum(near) / len(near) if near else k * len(beside) / len(row)

    row[:] = [i for _, i in sorted(enumerate(row), key=mean)]


def _crossings(rows: list[list[_Item]]) -> int:
    total = 0
    for row, under in pairwise(rows):
        place = {id(i): k for k, i in enumerate(under)}
        ends = [place[id(n)] for i in row for n in sorted(i.down, key=lambda n: place[id(n)])]
        total += sum(a > b for k, a in enumerate(ends) for b in ends[k + 1 :])
    return total


# ------------------------------------------------------------------ places
def _place(rows: list[list[_Item]]) -> None:
    """Move every item towards its neighbours, keeping order and distances."""
    for row in rows:
        _spread(row, [0.0] * len(row))
    for k in range(PASSES):
        for row in rows if k % 2 == 0 else rows[::-1]:
            wished = []
            for i in row:
                near = (i.up or i.down) if k % 2 == 0 else (i.down or i.up)
                near = [*i.up, *i.down] if k >= PASSES - 4 else near
                wished.append(sum(n.x for n in near) / len(near) if near else i.x)
            _spread(row, wished)
    for k in range(PASSES):  # boxes stay, what arrows pass moves into line with what is above and below
        for row in rows if k % 2 == 0 else rows[::-1]:
            _spread(row, [_between(i) if i.weight > 1 else i.x for i in row], firm=8.0)


def _between(i: _Item) -> float:
    """Return where the straight line from the item above to the one below passes."""
    return (i.up[0].x + i.down[0].x) / 2


def _spread(row: list[_Item], wished: Sequence[float], firm: float = 1.0) -> None:
    """Put items as near to where they wish to be as their order and distances allow, in the sense of least squares."""
    offsets, at = [], 0.0
    for k, item in enumerate(row):
        if k:
            at += (row[k - 1].size.width + item.size.width) / 2 + GAP
        offsets.append(at)
    blocks: list[tuple[float, float, int]] = []  # weight, mean wish less the offset, how many
    for item, wish, offset in zip(row, wished, offsets, strict=True):
        weight, mean, many = item.weight if item.weight > 1 else firm, wish - offset, 1
        while blocks and blocks[-1][1] > mean:
            w, m, n = blocks.pop()
            weight, mean, many = weight + w, (weight * mean + w * m) / (weight + w), many + n
        blocks.append((weight, mean, many))
    starts = [mean for _, mean, many in blocks for _ in range(many)]
    for item, start, offset in zip(row, starts, offsets, strict=True):
        item.x = start + offset


def _heights(rows: list[list[_Item]]) -> float:
    """Set the heights of the layers; return the whole. Flat arrows would lie on each other."""
    at = 0.0
    for k, row in enumerate(rows):
        tall = max((i.size.height for i in row), default=0.0)
        for i in row:
            i.y = at + tall / 2
        far = max((abs(i.x - n.x) for i in row for n in i.down), default=0.0)
        last = k == len(rows) - 1
        at += tall + (0.0 if last else (LEVEL if tall else LEVEL / 2) + min(far / 10, FAR))
    return at


def _points(chain: list[_Item]) -> list[tuple[float, float]]:
    """Return what an arrow passes: from the lower edge of its first box to the upper edge of its last."""
    first, *between, last = chain
    points = [(first.x, first.y + first.size.height / 2)]
    for p in between:
        half = p.size.height / 2
        points.extend([(p.x, p.y - half), (p.x, p.y + half)] if half else [(p.x, p.y)])
    return [*points, (last.x, last.y - last.size.height / 2)]
