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
MERGED = 32  # tasks whose sums one task takes, or the caller
TASKS, ENOUGH = 4, 256  # for each of several threads, so that the last one to end is not waited for long; and for all
MOST = 32  # blocks of a task

Sums = dict[tuple[int, int], Any]  # by level and number


def runs(where: Sequence[Hashable], threads: int) -> list[list[int]]:
    """Share blocks among tasks: each takes ascending numbers of blocks that lie at one place.

    Args:
        where: for each block the place where its rows lie; only blocks of equal places stand in one task. Blocks at
            None may be taken by any thread, those at another place by its share of the threads.
        threads: how many threads there are to run them.
    """
    at: defaultdict[Hashable, list[int]] = defaultdict(list)
    for number, place in enumerate(where):
        at[place].append(number)
    tasks: list[list[int]] = []
    for place, numbers in at.items():
        length = _length(len(numbers), _wanted(threads) if place is None else -(-threads // len(at)))
        tasks += [numbers[i : i + length] for i in range(0, len(numbers), length)]
    return sorted(tasks)


def _wanted(threads: int) -> int:
    """How many tasks share blocks that any thread may take: more than threads, as some threads are slower."""
    return max(threads, min(TASKS * threads, ENOUGH)) if threads > 1 else 1


def _length(count: int, tasks: int) -> int:
    """How many of ``count`` blocks a task takes where there shall be so many tasks, of about one length."""
    return -(-count // max(tasks, -(-count // MOST)))


def add_up(sums: Sums, count: int, added: Callable[[list[Any]], Any]) -> Sums:
    """Replace children by their sum, over ``count`` blocks, wherever all children are present."""
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
