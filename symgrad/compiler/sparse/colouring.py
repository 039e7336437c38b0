"""Colours for the columns of a pattern, so that one product with J or H gives all columns of a colour.

Columns of one colour may be added up as long as every entry can still be read off a sum. Colours are given one
column after the other, the smallest that is allowed; sets of colours are the bits of a Python integer.
Source: Gebremedhin, Manne and Pothen, What color is your Jacobian?, SIAM Review 47 (2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.compiler.sparse.sets import Ints, Sets

NO_COLOUR = -1


def count(colours: Ints) -> int:
    """The number of colours."""
    return int(colours.max(initial=NO_COLOUR)) + 1


def bound(rows: Sets) -> int:
    """The least number of colours there can be: as many as the fullest row has entries."""
    return int(rows.lengths.max(initial=0))


# ------------------------------------------------------------------ columns of a Jacobian
def column_colours(rows: Sets) -> Ints:
    """Colour the columns so that no row has two of one colour (distance-2 colouring); an empty column gets none."""
    columns = rows.transposed()
    used = np.flatnonzero(columns.lengths)
    if bound(rows) == len(used):
        colours = np.full(columns.size, NO_COLOUR)
        colours[used] = np.arange(len(used))
        return colours
    return _fewest([_distance_two(rows, columns, order) for order in _orders(rows, columns, used)])


def _orders(rows: Sets, columns: Sets, used: Ints) -> list[Ints]:
    """As they stand, and those that share rows with most others first."""
    shared = np.add.reduceat(np.append(rows.lengths[columns.members] - 1, 0), columns.starts[:-1])
    return [used, used[np.argsort(-shared[used], kind="stable")]]


def _fewest(colourings: Sequence[Ints]) -> Ints:
    return min(colourings, key=count)


def _distance_two(rows: Sets, columns: Sets, order: Ints) -> Ints:
    lists, colours = columns.lists(), [NO_COLOUR] * columns.size
    seen = [0] * rows.size
    for j in order.tolist():
        taken = 0
        for i in lists[j]:
            taken |= seen[i]
        bit = ~taken & (taken + 1)
        colours[j] = bit.bit_length() - 1
        for i in lists[j]:
            seen[i] |= bit
    return np.array(colours, dtype=np.int64)


# ------------------------------------------------------------------ columns of a Hessian
def star_colours(rows: Sets) -> Ints:
    """Colour the columns of a symmetric pattern so that each entry, or its mirror image, stands alone in a sum.

    In the graph with an edge for each pair of entries, neighbours have different colours and no path of four vertices
    has two only (a star colouring).
    """
    used = np.flatnonzero(rows.lengths)
    degrees = rows.lengths[used]
    orders = [used, used[np.argsort(-degrees, kind="stable")]]
    return _fewest([_Stars(rows).colour(order) for order in orders])


class _Stars:
    """Greedy star colouring. What is forbidden is kept up to date as bits, not searched for along paths."""

    def __init__(self, rows: Sets) -> None:
        self.neighbours = [[w for w in ws if w != v] for v, ws in enumerate(rows.lists())]
        self.colours = [NO_COLOUR] * rows.size
        self.seen = [0] * rows.size  # the colours among the neighbours of each vertex
        self.twice = [0] * rows.size  # those that two or more neighbours have
        self.ends = [0] * rows.size  # colours x next to w where another neighbour of x has w's colour
        self.first: dict[tuple[int, int], int] = {}  # the first neighbour of a vertex that got a colour

    def colour(self, order: Ints) -> Ints:
        """Colour the vertices in this order."""
        for v in order.tolist():
            taken = self._taken(v)
            bit = ~taken & (taken + 1)
            self.colours[v] = bit.bit_length() - 1
            self._note(v, bit)
        return np.array(self.colours, dtype=np.int64)

    def _taken(self, v: int) -> int:
        mask, twice = self.seen[v], self.twice[v]
        for w in self.neighbours[v]:
            c = self.colours[w]
            if c >= 0:
                mask |= self.ends[w]  # v would end the path v-w-x-y
                if twice >> c & 1:
                    mask |= self.seen[w]  # v would be inside the path u-v-w-y, with u like w
        return mask

    def _note(self, v: int, bit: int) -> None:
        """Take up the colour of v."""
        for w in self.neighbours[v]:
            c = self.colours[w]
            own = 1 << c if c >= 0 else 0
            if not self.seen[w] & bit:
                self.seen[w] |= bit
                self.first[w, bit] = v
                continue
            if not self.twice[w] & bit:
                self.twice[w] |= bit
                self.ends[self.first[w, bit]] |= own
            self.ends[v] |= own
        for w in self.neighbours[v]:
            c = self.colours[w]
            if c >= 0 and self.twice[v] >> c & 1:
                self.ends[w] |= bit


def alone(rows: Sets, colours: Ints) -> Any:
    """For each entry, whether no other column of its colour has an entry in its row."""
    keys = rows.owners * (count(colours) + 1) + colours[rows.members]
    _, where, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[where] == 1
