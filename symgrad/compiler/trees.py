"""Nested arguments and results: dicts, lists, tuples, named tuples and dataclasses of arrays, taken apart and put
together again. Imports errors only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from symgrad.errors import ArgumentTypeError


class Leaf(NamedTuple):
    """The place of one array."""


class Branch(NamedTuple):
    """How a container is made again of its parts: its kind, its keys, and the structure of each part."""

    kind: Any
    keys: tuple[Any, ...]
    parts: tuple[Any, ...]


class Static(NamedTuple):
    """A value that is no array: part of the structure itself."""

    value: Any


Tree = Leaf | Branch | Static
LEAF = Leaf()


def flatten(x: Any, is_leaf: Any, found: list[Any]) -> Tree:
    """Append the arrays in x to ``found`` and return the structure around them."""
    if is_leaf(x):
        found.append(x)
        return LEAF
    parts = _parts(x)
    if parts is None:
        return Static(x)
    keys, values = parts
    return Branch(type(x), keys, tuple([flatten(v, is_leaf, found) for v in values]))


def _parts(x: Any) -> tuple[tuple[Any, ...], Sequence[Any]] | None:
    """Return a container's keys and values."""
    if isinstance(x, dict):
        return tuple(x), list(x.values())
    if isinstance(x, (list, tuple)):
        return (), x
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        names = tuple(f.name for f in dataclasses.fields(x))
        return names, [getattr(x, n) for n in names]
    return None


def unflatten(tree: Tree, values: Iterator[Any]) -> Any:
    """Put the arrays back into the structure."""
    if isinstance(tree, Leaf):
        return next(values)
    if isinstance(tree, Static):
        return tree.value
    parts = [unflatten(p, values) for p in tree.parts]
    kind = tree.kind
    if issubclass(kind, dict):
        return kind(zip(tree.keys, parts, strict=True))
    if hasattr(kind, "_fields"):
        return kind(*parts)
    if issubclass(kind, (list, tuple)):
        return kind(parts)
    return kind(**dict(zip(tree.keys, parts, strict=True)))


def check_static(x: Any, where: str) -> None:
    """Refuse what cannot be part of a signature."""
    try:
        hash(x)
    except TypeError as error:
        raise ArgumentTypeError(
            f"{where}: got {type(x).__name__}, which is neither an array nor hashable. "
            "Pass arrays, numbers, or nested dicts, lists, tuples and dataclasses of them."
        ) from error
