"""Nested arguments and results: dicts, lists, tuples, named tuples and dataclasses of arrays, taken apart and put
together again. Imports errors only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from symgrad.errors import ArgumentTypeError

DEEPEST = 100  # containers in containers; what contains itself has no end


class Leaf(NamedTuple):
    """The place of one array."""


class Static(NamedTuple):
    """A value that is no array: part of the structure itself. The type tells 1 from True and 1.0."""

    value: Any
    kind: Any


class Branch(NamedTuple):
    """How a container is made again: its kind, its keys and their types, and the structure of each part."""

    kind: Any
    keys: tuple[Any, ...]
    parts: tuple[Any, ...]
    types: tuple[Any, ...] = ()


Tree = Leaf | Branch | Static
LEAF = Leaf()
_EMPTY = Branch(dict, (), ())


def flatten(x: Any, is_leaf: Callable[[Any], bool], found: list[Any], depth: int = 0) -> Tree:
    """Append the arrays in x to ``found`` and return the structure around them."""
    if is_leaf(x):
        found.append(x)
        return LEAF
    kind = type(x)
    if kind is dict and not x:
        return _EMPTY
    parts = _parts(x, kind)
    if parts is None:
        return Static(x, kind)
    if depth > DEEPEST:
        raise ArgumentTypeError(
            f"compile: containers are nested more than {DEEPEST} deep, or one contains itself. Pass flatter ones."
        )
    keys, values = parts
    types = tuple([type(k) for k in keys]) if keys else ()
    return Branch(kind, keys, tuple([flatten(v, is_leaf, found, depth + 1) for v in values]), types)


def _parts(x: Any, kind: Any) -> tuple[tuple[Any, ...], Iterable[Any]] | None:
    """Return a container's keys and values."""
    if kind is tuple or kind is list or isinstance(x, (list, tuple)):
        return (), x
    if isinstance(x, dict):
        return tuple(x), x.values()
    if is_dataclass(x):
        names = tuple([f.name for f in dataclasses.fields(x)])
        return names, [getattr(x, n) for n in names]
    return None


def is_dataclass(x: Any) -> bool:
    """Whether x is made of named fields."""
    return dataclasses.is_dataclass(x) and not isinstance(x, type)


def unflatten(tree: Tree, values: Iterator[Any]) -> Any:
    """Put the arrays back into the structure."""
    if isinstance(tree, Leaf):
        return next(values)
    if isinstance(tree, Static):
        return tree.value
    parts = [unflatten(p, values) for p in tree.parts]
    kind = tree.kind
    if kind is tuple or kind is list:
        return kind(parts)
    try:
        return _made(kind, tree.keys, parts)
    except TypeError as error:
        raise ArgumentTypeError(
            f"compile: a {kind.__name__} cannot be made of its parts: {error}. Use a dict, list, tuple, named tuple or "
            "dataclass that its fields make."
        ) from error


def _made(kind: Any, keys: Sequence[Any], parts: list[Any]) -> Any:
    if issubclass(kind, dict):
        return kind(zip(keys, parts, strict=True))
    if hasattr(kind, "_fields"):
        return kind(*parts)
    if issubclass(kind, (list, tuple)):
        return kind(parts)
    given = dict(zip(keys, parts, strict=True))
    later = [f.name for f in dataclasses.fields(kind) if not f.init]
    made = kind(**{k: v for k, v in given.items() if k not in later})
    for name in later:
        object.__setattr__(made, name, given[name])  # also of a frozen one
    return made


def check_statics(tree: Tree) -> None:
    """Refuse what cannot be part of a signature."""
    if isinstance(tree, Static):
        try:
            hash(tree.value)
        except TypeError as error:
            raise ArgumentTypeError(
                f"compile: got {tree.kind.__name__}, which is neither an array nor hashable. "
                "Pass arrays, numbers, or nested dicts, lists, tuples and dataclasses of them."
            ) from error
    elif isinstance(tree, Branch):
        for part in tree.parts:
            check_statics(part)


def count(tree: Tree) -> int:
    """Return the number of arrays."""
    return 1 if isinstance(tree, Leaf) else sum(map(count, getattr(tree, "parts", ())))
