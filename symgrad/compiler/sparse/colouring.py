"""Colours for the columns of a pattern, so that one product with J or H gives all columns of a colour.

Columns of one colour may be added up as long as every entry can still be read off a sum. Colours are given one
column after the other, the smallest that is allowed; sets of colours are the bits of a Python integer.
Source: Gebremedhin, Manne and Pothen, What color is your Jacobian?, SIAM Review 47 (2005).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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


def repeated_block(rows: Sets) -> tuple[Sets, int]:
    """Return the smallest block that stands on the diagonal again and again, and how often; all rows and 1 for none."""
    entries, lengths = len(rows.members), rows.lengths
    for times in _divisors(math.gcd(rows.size, int(rows.below), entries)):
        height, width, many = rows.size // times, rows.below // times, entries // times
        first = rows.members[:many]
        if rows.starts[height] != many or not np.array_equal(rows.members[many : 2 * many], first + width):
            continue
        shifts = width * np.arange(times)[:, None]
        if np.all(lengths.reshape(times, height) == lengths[:height]) and np.all(
            rows.members.reshape(times, many) - shifts == first
        ):
            return Sets(rows.starts[: height + 1], first, width), times
    return rows, 1


def _divisors(n: int) -> list[int]:
    """Return the divisors of n but 1, the greatest first."""
    small = [k for k in range(1, math.isqrt(n) + 1) if n % k == 0]
    return sorted({*small, *[n // k for k in small]} - {1}, reverse=True)


# ------------------------------------------------------------------ columns of a Jacobian
def column_colours(rows: Sets) -> Ints:
    """Colour the columns so that no row has two of one colour (distance-2 colouring); an empty column gets none."""
    block, times = repeated_block(rows)
    if times > 1:
        return np.tile(column_colours(block), times)
    used = np.flatnonzero(np.bincount(rows.members, minlength=rows.below))
    least = bound(rows)
    if least == len(used):
        colours = np.full(rows.below, NO_COLOUR)
        colours[used] = np.arange(len(used))
        return colours
    for colours in _regular(rows, used, least):
        if _is_allowed(rows, colours, least):
            return colours
    columns = rows.transposed()
    best = _distance_two(rows, columns, used)
    if count(best) == least:
        return best
    return _fewest([best, _distance_two(rows, columns, _fullest_first(rows, columns, used))])


def _regular(rows: Sets, used: Ints, least: int) -> Iterator[Ints]:
    """Yield colours of repeated blocks and bands: numbers of columns in turn, and places in the first row of each."""
    colours = np.full(rows.below, NO_COLOUR)
    colours[used] = used % max(least, 1)
    yield colours
    places = np.arange(len(rows.members)) - np.repeat(rows.starts[:-1], rows.lengths)
    colours = np.full(rows.below, NO_COLOUR)
    colours[rows.members[::-1]] = places[::-1]
    yield colours


def _is_allowed(rows: Sets, colours: Ints, least: int) -> bool:
    """Whether no row has two columns of one colour."""
    keys = rows.owners * least + colours[rows.members]
    return int(np.bincount(keys, minlength=1).max()) <= 1


def _fullest_first(rows: Sets, columns: Sets, used: Ints) -> Ints:
    """Order the columns by how many others they share rows with."""
    shared = np.add.reduceat(np.append(rows.lengths[columns.members] - 1, 0), columns.starts[:-1])
    return used[np.argsort(-shared[used], kind="stable")]


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
    block, times = repeated_block(rows)
    if times > 1:
        return np.tile(star_colours(block), times)
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
    return np.bincount(keys)[keys] == 1
