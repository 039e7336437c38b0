"""Which blocks one task takes, and the tree that adds what blocks gave.

The tree depends on the number of blocks alone: its leaves are the blocks, and the sum (l+1, j) is that of its children
(l, FAN·j), (l, FAN·j+1), … from first to last. A task adds what it has all children of. So whichever blocks it takes,
and in whatever order tasks are merged, the result has the same bytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

FAN = 8  # children of a sum
MERGED = 32  # tasks whose sums one task takes
TASKS, ENOUGH = 4, 256  # for each of several threads, so that the last one to end is not waited for long; and for all
MOST = 16  # blocks of a task

Sums = dict[tuple[int, int], Any]  # by level and number


def runs(where: Sequence[Hashable], threads: int) -> list[list[int]]:
    """Share blocks among tasks: each takes ascending numbers of blocks that lie at one place.

    Args:
        where: for each block the place where its rows lie; only blocks of equal places stand in one task.
        threads: how many threads there are to run them.
    """
    tasks = max(threads, min(TASKS * threads, ENOUGH)) if threads > 1 else 1
    length = min(MOST, max(1, len(where) // tasks))
    at: defaultdict[Hashable, list[int]] = defaultdict(list)
    for number, place in enumerate(where):
        at[place].append(number)
    found = [numbers[i : i + length] for numbers in at.values() for i in range(0, len(numbers), length)]
    return sorted(found)


def add_up(sums: Sums, count: int, added: Callable[[list[Any]], Any]) -> Sums:
    """Put in every sum, of ``count`` blocks, of which all children are there, for its children."""
    level, width = 0, count
    while level == 0 or width > 1:
        parents: defaultdict[int, list[int]] = defaultdict(list)
        for at, j in sorted(sums):
            if at == level:
                parents[j // FAN].append(j)
        for parent, children in parents.items():
            if len(children) == min(FAN, width - FAN * parent):
                sums[level + 1, parent] = added([sums.pop((level, j)) for j in children])
        level, width = level + 1, -(-width // FAN)
    return sums
