"""Many small sets of integers in two arrays, as the rows of a sparse matrix keep their columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import ArgumentError
from symgrad.support.lazy import cached_property

MOST = 20_000_000  # members in all, with repetitions
_TOGETHER = 32  # sets from which on unions are computed at once
Ints = np.ndarray[Any, np.dtype[np.int64]]
Slice = tuple["Sets", Ints, Ints]  # sets, and pairs (number of a new set, number of one that it contains)


class Sets(NamedTuple):
    """Set k holds ``members[starts[k] : starts[k + 1]]``, ascending, all below ``below``."""

    starts: Ints
    members: Ints
    below: int

    @property
    def size(self) -> int:
        """The number of sets."""
        return len(self.starts) - 1

    @property
    def lengths(self) -> Ints:
        """The number of members of each set."""
        return self.starts[1:] - self.starts[:-1]

    @property
    def owners(self) -> Ints:
        """The set that each member belongs to."""
        return np.repeat(np.arange(self.size), self.lengths)

    def lists(self) -> list[list[int]]:
        """The sets as lists."""
        starts, members = self.starts.tolist(), self.members.tolist()
        return [members[a:b] for a, b in pairwise(starts)]

    def transposed(self) -> Sets:
        """For each number the sets that it is a member of."""
        return from_pairs(self.below, self.size, self.members, self.owners)

    def only(self, chosen: Any) -> Sets:
        """Empty the sets that are not chosen; ``chosen`` is a boolean for each."""
        lengths = np.where(chosen, self.lengths, 0)
        return Sets(_sums(lengths), self.members[np.repeat(chosen, self.lengths)], self.below)

    def symmetric(self) -> Sets:
        """The union with the transposed."""
        every = np.arange(self.size)
        return union(self.size, [(self, every, every), (self.transposed(), every, every)])


class Together:
    """Unions of several sets each, of which there are equally many; they are computed where they are read."""

    def __init__(self, parts: dict[int, Sets]) -> None:
        self.parts = parts

    @classmethod
    def of(cls, every: Iterable[Sets | Together]) -> Sets | Together:
        """Return the unions, of which the same sets are part once."""
        parts = {id(p): p for s in every for p in (s.parts.values() if isinstance(s, Together) else (s,))}
        joint = cls(parts)
        return joint.sets if len(parts) == 1 or len(parts) > _TOGETHER else joint

    @cached_property
    def sets(self) -> Sets:
        """The unions themselves."""
        first, *others = self.parts.values()
        each = np.arange(first.size)
        return union(first.size, [(s, each, each) for s in (first, *others)]) if others else first


def none(count: int, below: int) -> Sets:
    """Return empty sets."""
    return Sets(np.zeros(count + 1, np.int64), np.zeros(0, np.int64), below)


def singles(count: int) -> Sets:
    """Return {0}, {1}, …"""
    return Sets(np.arange(count + 1), np.arange(count), count)


def from_pairs(count: int, below: int, owners: Ints, members: Ints) -> Sets:
    """Return the sets with these members, given in any order and with repetitions."""
    shift = max(int(below) - 1, 0).bit_length()  # bits are taken apart faster than quotients are
    keys = np.sort(owners << shift | members, kind="stable")  # which is fast where parts are ascending
    if len(keys):
        keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    return Sets(_sums(np.bincount(keys >> shift, minlength=count)), keys & (1 << shift) - 1, below)


def union(count: int, parts: Sequence[Slice]) -> Sets:
    """Return sets that are unions: for each part (sets, to, which), new set to[k] contains sets[which[k]]."""
    _check_size(parts)
    below = parts[0][0].below
    gathered = _different([_gathered(*p) for p in parts])
    if len(gathered) == 1 and np.all(np.diff(parts[0][1]) > 0):  # nothing to join
        ((owners, members),) = gathered
        return Sets(_sums(np.bincount(owners, minlength=count)), members, below)
    return from_pairs(count, below, *(np.concatenate(arrays) for arrays in zip(*gathered)))


def _different(gathered: list[tuple[Ints, Ints]]) -> list[tuple[Ints, Ints]]:
    """Return the first members, and those of others that are not the same."""
    first, *rest = gathered
    return [first, *[g for g in rest if len(g[0]) != len(first[0]) or not all(map(np.array_equal, g, first))]]


def _gathered(sets: Sets, to: Ints, which: Ints) -> tuple[Ints, Ints]:
    """Return every member of the chosen sets, with where it goes."""
    if len(to) == len(which) == sets.size:
        each = np.arange(sets.size)
        if (to == each).all() and (which is to or (which == each).all()):
            return sets.owners, sets.members
    first, lengths = sets.starts[which], sets.lengths[which]
    shift = np.repeat(first - _sums(lengths)[:-1], lengths)
    return np.repeat(to, lengths), sets.members[shift + np.arange(len(shift))]


def _sums(lengths: Ints) -> Ints:
    sums = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=sums[1:])
    return sums


def _check_size(parts: Sequence[Slice]) -> None:
    size = sum(int(sets.lengths[which].sum()) for sets, _, which in parts)
    if size > MOST:
        raise ArgumentError(
            f"sparse derivative: some {size} pairs of an entry and an input that it depends on, {MOST} at most. The "
            "derivative, or something it is computed from, is dense. Use sg.jacobian, sg.hessian or sg.hvp."
        )
