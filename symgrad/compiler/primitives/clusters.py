"""Which steps run together: elementwise primitives of one shape, with the reductions that consume them.

Steps of one shape and level form a cluster, which is one loop over that shape.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from symgrad.compiler.primitives.elements import ELEMENT, LOAD, OP, REDUCE, Elements
from symgrad.core.node import Shape


@dataclass
class Cluster:
    """A loop over ``shape``: primitives in order, reductions of them, and which results others need."""

    shape: Shape
    level: int
    body: list[int] = field(default_factory=list)
    reductions: list[int] = field(default_factory=list)
    stored: list[int] = field(default_factory=list)

    def loads(self, e: Elements) -> list[int]:
        """Return what the loop reads from outside."""
        own = set(self.body)
        read = [r for k in [*self.body, *self.reductions] for r in e.refs(k)]
        return [r for r in dict.fromkeys(read) if r not in own and e.value(r) is None]


Stage = Cluster | int  # a loop, or one operation


def clusters(e: Elements) -> list[Stage]:
    """Return the stages of a program in order."""
    live = e.reachable(e.outputs)
    level = _levels(e, live)
    _sink(e, live, level)
    groups: dict[Any, Cluster] = {}
    order: dict[Any, int] = {}
    for k in live:
        kind = e.kind(k)
        if kind == LOAD:
            continue
        key: Any = ("op", k) if kind == OP else (level[k], _space(e, k))
        order[key] = level[k]
        if kind != OP:
            group = groups.setdefault(key, Cluster(_space(e, k), level[k]))
            (group.body if kind == ELEMENT else group.reductions).append(k)
    _mark_stored(e, live, groups.values())
    keys = sorted(order, key=lambda key: order[key])  # stable: by level, then by first step
    return [groups.get(key, key[1]) for key in keys]


def _space(e: Elements, k: int) -> Shape:
    """The shape that the loop of a step runs over."""
    return e.shapes[k] if e.kind(k) == ELEMENT else e.shapes[e.refs(k)[0]]


def _levels(e: Elements, live: list[int]) -> dict[int, int]:
    """Number the stages: within a loop of one shape the level stays, else it rises."""
    level: dict[int, int] = {}
    for k in live:
        kind = e.kind(k)
        if kind == LOAD:
            level[k] = 0
            continue
        depth = 0
        for r in e.refs(k):
            inside = kind != OP and e.kind(r) == ELEMENT and e.shapes[r] == _space(e, k)
            outside = 0 if e.kind(r) == LOAD else 1
            depth = max(depth, level[r] + (0 if inside else outside))
        level[k] = depth
    return level


def _sink(e: Elements, live: list[int], level: dict[int, int]) -> None:
    """Move primitives down to the first loop of their shape that uses them, if no other needs them before."""
    users: dict[int, list[int]] = defaultdict(list)
    for k in live:
        for r in e.refs(k):
            users[r].append(k)
    outputs = set(e.outputs)
    for k in reversed(live):
        if e.kind(k) != ELEMENT or k in outputs or not users[k]:
            continue
        fits = all(e.kind(u) in (ELEMENT, REDUCE) and _space(e, u) == e.shapes[k] for u in users[k])
        if fits:
            level[k] = min(level[u] for u in users[k])


def _mark_stored(e: Elements, live: list[int], groups: Any) -> None:
    """Find which primitives are needed outside their loop."""
    home = {k: id(g) for g in groups for k in [*g.body, *g.reductions]}
    needed = set(e.outputs)
    for k in live:
        for r in e.refs(k):
            if home.get(r) != home.get(k) or e.kind(k) == OP:
                needed.add(r)
    for g in groups:
        g.stored = [k for k in g.body if k in needed]
