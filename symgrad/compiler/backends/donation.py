"""Donated arguments: which results may be written where an argument was read.

A result takes over the argument's memory where nothing reads the argument after it: its loop is the last that reads
it, entry by entry, and no step of the loop does so after the result is written.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from symgrad.compiler.primitives.clusters import Cluster, Stage
from symgrad.compiler.primitives.elements import Elements


def taken_over(
    e: Elements, stages: Sequence[Stage], last: Mapping[int, int], donated: Collection[int]
) -> dict[int, int]:
    """Return, by result, the position of the argument whose memory it takes over.

    Args:
        e: the steps.
        stages: the loops and operations in order.
        last: the stage that reads a value last, also through views of it.
        donated: positions of arguments.
    """
    free = {p: e.inputs[p] for p in sorted(donated) if e.inputs[p] >= 0 and e.inputs[p] not in e.outputs}
    donors: dict[int, int] = {}

    def unread(r: int, n: int) -> bool:
        """Whether no later stage reads r, and this one reads no view of it."""
        views = [s for s in stages if isinstance(s, int) and r in e.refs(s)]
        return last.get(r, n) <= n and all(last.get(s, 0) < n for s in views)

    for n, stage in enumerate(stages):
        if not isinstance(stage, Cluster):
            continue
        for k in stage.stored:
            fits = [p for p, r in free.items() if k in e.outputs and unread(r, n) and _fits(e, stage, k, r)]
            if fits:
                donors[k] = fits[0]
                del free[fits[0]]
    return donors


def _fits(e: Elements, loop: Cluster, k: int, r: int) -> bool:
    same = e.shapes[k] == e.shapes[r] == loop.shape != () and e.dtypes[k] == e.dtypes[r]
    later = loop.body[loop.body.index(k) + 1 :]
    # A choice is written in two goes, the first of which would overwrite the other side.
    spoilt = e.ops[k][0] == "select" and r in e.ops[k][1:3]
    return same and not spoilt and all(r not in e.refs(j) for j in [*later, *loop.reductions])
