"""Large graphs in few boxes: a box for each call of a user's function, or for each run of operations.

Each box has the operations made between two moments, so arrows still go from older to younger boxes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from symgrad.core.node import AnyNode, Leaf, Node
from symgrad.teach.calls import Call
from symgrad.teach.pictures.boxes import Arrow, Box, box_of
from symgrad.teach.steps.tape import Tape

MOST = 60  # boxes that are read in one picture
KINDS = 3  # of operations that a box names
JOINED = 24  # boxes of neighbours that have nothing in common


class _Run:
    """Operations made one after the other: those of a call, or neighbours."""

    def __init__(self, title: str, nodes: Sequence[Node], calls: Sequence[Call] = ()) -> None:
        self.title, self.nodes, self.calls = title, list(nodes), list(calls)
        self.leaves = 0  # that only this run uses

    def parts(self) -> list[_Run]:
        """Return its calls, and the operations between them each for itself."""
        runs: list[_Run] = []
        at = 0
        for call in _outermost(self.calls):
            inside = [n for n in self.nodes if call.start < n.index <= call.end]
            if not inside:
                continue
            first = self.nodes.index(inside[0], at)
            runs.extend(_Run("", [n]) for n in self.nodes[at:first])
            within = [c for c in self.calls if c is not call and call.start <= c.start and c.end <= call.end]
            runs.append(_Run(call.name, inside, within))
            at = first + len(inside)
        return [*runs, *(_Run("", [n]) for n in self.nodes[at:])]


def _outermost(calls: Sequence[Call]) -> list[Call]:
    kept: list[Call] = []
    for call in sorted(calls, key=lambda c: (c.start, -c.end)):
        if not kept or call.start >= kept[-1].end:
            kept.append(call)
    return kept


def groups_of(tape: Tape, calls: Sequence[Call], most: int) -> tuple[list[Box], list[Arrow]]:
    """Return the boxes and arrows of a large graph."""
    inner = [n for n in tape.nodes if isinstance(n, Node) and n is not tape.root]
    leaves = [n for n in tape.nodes if isinstance(n, Leaf)]
    runs = _runs(_Run("", inner, calls), max(most - 1 - min(len(leaves), most // 2), 1))
    home: dict[AnyNode, Any] = {n: run for run in runs for n in run.nodes}
    home[tape.root] = tape.root
    feeds: dict[AnyNode, dict[Any, None]] = {n: {} for n in leaves}
    for node in (*inner, tape.root):
        for p in tape.shown_inputs(node):
            if p in feeds:
                feeds[p][home[node]] = None
    room = most - 1 - len(runs)
    shared = leaves if len(leaves) <= room else [n for n in leaves if len(feeds[n]) > 1]
    shown = shared if len(shared) <= room else []
    for leaf in leaves:
        if leaf in shown:
            home[leaf] = leaf
        elif isinstance(run := next(iter(feeds[leaf]), None), _Run):
            run.leaves += 1
    return _drawn(tape, [*shown, *runs, tape.root], home)


def _runs(whole: _Run, most: int) -> list[_Run]:
    """Take the largest run apart as long as there is room for its parts; join neighbours where there are too many."""
    runs = whole.parts()
    while len(runs) == 1 and runs[0].title:  # the function that was drawn
        runs = runs[0].parts()
    if len(runs) > most:
        return _joined(runs, min(most, JOINED))
    while True:
        fitting = [r for r in runs if len(r.nodes) > 1 and len(runs) - 1 + len(r.parts()) <= most]
        if not fitting:
            return runs
        largest = max(fitting, key=lambda r: len(r.nodes))
        k = runs.index(largest)
        runs[k : k + 1] = largest.parts()


def _joined(runs: Sequence[_Run], most: int) -> list[_Run]:
    """Join neighbours into as many runs as there is room for, of about as many operations each."""
    total = sum(len(r.nodes) for r in runs)
    groups: list[list[_Run]] = [[]]
    done = 0
    for run in runs:
        if groups[-1] and done * most >= len(groups) * total:
            groups.append([])
        groups[-1].append(run)
        done += len(run.nodes)
    return [_Run(_title(part), [n for r in part for n in r.nodes]) if len(part) > 1 else part[0] for part in groups]


def _title(runs: Sequence[_Run]) -> str:
    """Name the calls in a run: layer, or layer × 4."""
    counted = Counter(r.title for r in runs if r.title)
    return ", ".join(name if k == 1 else f"{name} × {k}" for name, k in counted.most_common(2))


def _drawn(tape: Tape, shown: Sequence[Any], home: dict[AnyNode, Any]) -> tuple[list[Box], list[Arrow]]:
    keys = {id(item): f"n{k}" for k, item in enumerate(shown)}
    boxes = [_box(tape, item, keys[id(item)]) for item in shown]
    arrows: dict[Arrow, None] = {}
    for node in tape.nodes:
        target = keys.get(id(home.get(node)))
        for p in tape.shown_inputs(node):
            source = keys.get(id(home.get(p)))
            if source is not None and target is not None and source != target:
                arrows[Arrow(source, target, "")] = None
    return boxes, list(arrows)


def _box(tape: Tape, item: Any, key: str) -> Box:
    if not isinstance(item, _Run):
        return box_of(tape, item, key, None)
    if len(item.nodes) == 1 and not item.leaves:
        return box_of(tape, item.nodes[0], key, None)
    counted = Counter(n.rule.name.lower() for n in item.nodes)
    kinds = [f"{k} {name}" for name, k in counted.most_common(KINDS)]
    more = ["…"] if len(counted) > KINDS else []
    leaves = [f"{item.leaves} inputs"] if item.leaves else []
    many = f"{len(item.nodes)} operations"
    told = ", ".join([*kinds, *more, *leaves])
    name = item.title or many
    return Box(key, "group", name, f"{item.title}: {many}" if item.title else many, told, None)
