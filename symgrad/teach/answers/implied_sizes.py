"""Arrays whose size goes without saying: I for the identity, and ``ones``, of whatever size makes the answer fit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from symgrad.expression.formula import Call, Constant, Formula, Name
from symgrad.expression.tokens import ONES
from symgrad.teach.answers.trees import call, children, parts, with_children

IDENTITY = ("I", "Id", "eye", "identity")
VECTORS = ("ones", "zeros", ONES)


def without_size(tree: Formula, known: Collection[str]) -> dict[str, int]:
    """Return the names of such arrays in an answer, with the number of their axes.

    Args:
        tree: the answer.
        known: names that the problem has, which mean what they mean there.
    """
    called = {id(p.func) for p in parts(tree) if isinstance(p, Call)}
    names = [p.id for p in parts(tree) if isinstance(p, Name) and id(p) not in called and p.id not in known]
    return {n: 1 if n in VECTORS else 2 for n in names if n in VECTORS or _stem(n) in IDENTITY}


def with_sizes(
    tree: Formula, ranks: Mapping[str, int], sizes: Mapping[str, int], fits: Callable[[Formula], bool]
) -> Formula:
    """Return the answer with ``eye(n)`` for I and ``ones(n)`` for ones, of the first size with which it fits.

    Args:
        tree: the answer.
        ranks: what ``without_size`` returned.
        sizes: those of the problem, by name or as they are written.
        fits: whether an answer has the derivative's shape.
    """
    first: Formula | None = None
    for candidate in _tried(tree, ranks, sizes):
        if fits(candidate):
            return candidate
        first = candidate if first is None else first
    return tree if first is None else first


def _tried(tree: Formula, ranks: Mapping[str, int], sizes: Mapping[str, int]) -> Iterator[Formula]:
    for size in sizes:
        written = {}
        for name, rank in ranks.items():
            _, _, own = name.partition("_")
            function = "eye" if rank == 2 else "ones" if name == ONES else name
            written[name] = call(function, _size(own if own in sizes or own.isdigit() else size))
        yield _put(tree, written)


def _stem(name: str) -> str:
    return name.partition("_")[0]


def _size(text: str) -> Formula:
    return Constant(int(text)) if text.isdigit() else Name(text)


def _put(node: Formula, there: Mapping[str, Formula]) -> Formula:
    """The tree with formulas in place of names; what is called stays."""
    if isinstance(node, Name):
        return there.get(node.id, node)
    old = children(node)
    new = [_put(c, there) for c in old]
    return node if all(a is b for a, b in zip(old, new)) else with_children(node, new)
