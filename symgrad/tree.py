"""Structures of arrays, with ``jax.tree``'s names: dicts, lists, tuples and dataclasses; None is empty."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from symgrad.core import trees
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace

__all__ = ["all", "flatten", "leaves", "map", "reduce", "structure", "transpose", "unflatten"]

_all, _map = all, map


class TreeDef(NamedTuple):
    """A structure without its leaves."""

    tree: Any
    num_leaves: int

    def __repr__(self) -> str:
        return f"TreeDef({self.unflatten(['*'] * self.num_leaves)})".replace("'*'", "*")

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Put leaves into the structure."""
        each = list(leaves)
        if len(each) != self.num_leaves:
            raise ArgumentError(f"unflatten: got {len(each)} leaves. Expected {self.num_leaves} for {self!r}.")
        return trees.unflatten(self.tree, iter(each))


def _is_leaf(x: Any) -> bool:
    if x is None:
        return False
    inner: list[Any] = []
    return isinstance(trees.flatten(x, lambda v: v is not x, inner), trees.Static)


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeDef]:
    """Return the leaves, and the structure without them.

    Args:
        tree: nested containers. Anything that is not a container is a leaf; None has no leaves.
        is_leaf: a function that returns whether a container is to be treated as a leaf.

    >>> sg.tree.flatten({"a": 1, "b": (2, None)})
    ([1, 2], TreeDef({'a': *, 'b': (*, None)}))
    """
    found: list[Any] = []
    spec = trees.flatten(tree, lambda x: (is_leaf is not None and is_leaf(x)) or _is_leaf(x), found)
    return found, TreeDef(spec, len(found))


def unflatten(treedef: TreeDef, leaves: Iterable[Any]) -> Any:
    """Return a structure that ``flatten`` returned, with these leaves."""
    return treedef.unflatten(leaves)


def leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """Return the leaves of a structure, in order.

    >>> sg.tree.leaves({"a": 1, "b": (2, None)})
    [1, 2]
    """
    return flatten(tree, is_leaf)[0]


def structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> TreeDef:
    """Return a structure without its leaves."""
    return flatten(tree, is_leaf)[1]


def map(f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Return f(x, …) for each leaf x of a structure and the corresponding leaves of others, in the same structure.

    Raises:
        ArgumentTypeError: if the structures differ.

    >>> sg.tree.map(lambda p, g: p - 0.5 * g, {"w": 1.0, "b": 2.0}, {"w": 2.0, "b": 4.0})
    {'w': 0.0, 'b': 0.0}
    """
    first, treedef = flatten(tree, is_leaf)
    columns = [first]
    for other in rest:
        found, spec = flatten(other, is_leaf)
        if spec != treedef:
            raise ArgumentTypeError(f"tree.map: the structures differ: {treedef!r} and {spec!r}. Pass the same.")
        columns.append(found)
    return treedef.unflatten([f(*xs) for xs in zip(*columns, strict=True)])


_NOTHING = object()


def reduce(function: Callable[[Any, Any], Any], tree: Any, initializer: Any = _NOTHING) -> Any:
    """Return f(…f(f(x₀, x₁), x₂)…) of the leaves.

    >>> sg.tree.reduce(lambda a, b: a + b, {"a": 1, "b": (2, 3)})
    6
    """
    values = [*(() if initializer is _NOTHING else (initializer,)), *leaves(tree)]
    if not values:
        raise ArgumentError(
            "tree.reduce: the structure has no leaves. Pass initializer=, the result for an empty structure."
        )
    return functools.reduce(function, values)


def all(tree: Any) -> bool:
    """Return whether all leaves are true."""
    return _all(leaves(tree))


def transpose(outer_treedef: TreeDef, inner_treedef: TreeDef, pytree_to_transpose: Any) -> Any:
    """Turn a structure of structures inside out: a list of dicts into a dict of lists."""
    found = leaves(pytree_to_transpose)
    n = inner_treedef.num_leaves
    if len(found) != n * outer_treedef.num_leaves:
        raise ArgumentError(
            f"tree.transpose: got {len(found)} leaves. Expected {outer_treedef.num_leaves} × {n}: {outer_treedef!r} of "
            f"{inner_treedef!r}."
        )
    rows = [found[k * n : (k + 1) * n] for k in range(outer_treedef.num_leaves)]
    return inner_treedef.unflatten([outer_treedef.unflatten(column) for column in zip(*rows, strict=True)])


__getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__)
