"""Nested arguments and results: dicts, lists, tuples, named tuples and dataclasses of arrays, taken apart and put
together again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from symgrad.errors import ArgumentTypeError
from symgrad.support.named import Named

DEEPEST = 100  # containers in containers; what contains itself has no end


class ArrayLeaf(NamedTuple):
    """The place of one array."""


class Static(NamedTuple):
    """A value that is not an array: part of the structure itself. The type tells 1 from True and 1.0."""

    value: Any
    kind: Any


class ContainerSpec(NamedTuple):
    """How a container is made again: its kind, its keys and their types, and the structure of each part."""

    kind: Any
    keys: tuple[Any, ...]
    parts: tuple[Any, ...]
    types: tuple[Any, ...] = ()


Tree = ArrayLeaf | ContainerSpec | Static
LEAF = ArrayLeaf()
NONE = Static(None, type(None))
_EMPTY = ContainerSpec(dict, (), ())


def flatten(x: Any, is_leaf: Callable[[Any], bool], found: list[Any], depth: int = 0) -> Tree:
    """Append the arrays in x to ``found`` and return the structure around them."""
    if is_leaf(x):
        found.append(x)
        return LEAF
    kind = dict if type(x) is Named else type(x)
    if kind is dict and not x:
        return _EMPTY
    parts = _parts(x, kind)
    if parts is None:
        return Static(x, kind)
    if depth > DEEPEST:
        raise ArgumentTypeError(
            f"containers are nested more than {DEEPEST} deep, or one contains itself. Pass flatter ones."
        )
    keys, values = parts
    types = tuple([type(k) for k in keys]) if keys else ()
    return ContainerSpec(kind, keys, tuple([flatten(v, is_leaf, found, depth + 1) for v in values]), types)


def _parts(x: Any, kind: Any) -> tuple[tuple[Any, ...], Iterable[Any]] | None:
    """Return a container's keys and values."""
    if kind is tuple or kind is list or isinstance(x, (list, tuple)):
        return (), x
    if isinstance(x, dict):
        return tuple(x), x.values()
    if is_dataclass(x):
        names = tuple([f.name for f in _fields(x)])
        return names, [getattr(x, n) for n in names]
    return None


def is_dataclass(x: Any) -> bool:
    """Whether x is made of named fields."""
    return hasattr(type(x), "__dataclass_fields__")


def _fields(x: Any) -> Any:
    """The fields of a dataclass. Where there is one, the module is loaded; importing it here would cost every start."""
    return sys.modules["dataclasses"].fields(x)


def unflatten(tree: Tree, values: Iterator[Any]) -> Any:
    """Put the arrays back into the structure."""
    if isinstance(tree, ArrayLeaf):
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
            f"a {kind.__name__} cannot be made of its parts: {error}. Use a dict, list, tuple, named tuple or "
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
    later = [f.name for f in _fields(kind) if not f.init]
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
    elif isinstance(tree, ContainerSpec):
        for part in tree.parts:
            check_statics(part)


# ------------------------------------------------------------------ one structure beside another
def paths(tree: Tree, where: str = "") -> list[str]:
    """Return how each array is reached, such as ``['w'][1]``, or ``.scale`` of a dataclass."""
    if isinstance(tree, ArrayLeaf):
        return [where]
    if isinstance(tree, Static):
        return []
    return [p for step, part in zip(steps_of(tree), tree.parts) for p in paths(part, where + step)]


def steps_of(tree: ContainerSpec) -> list[str]:
    """Return how each part of a container is written behind it."""
    if issubclass(tree.kind, dict):
        return [f"[{k!r}]" for k in tree.keys]
    if tree.keys or hasattr(tree.kind, "_fields"):
        return [f".{k}" for k in tree.keys or tree.kind._fields]
    return [f"[{k}]" for k in range(len(tree.parts))]


def along(tree: Tree, x: Any, where: str) -> list[Any]:
    """Return what x, structured like the tree, has in the places of the arrays.

    Raises:
        ArgumentTypeError: if the structure of x differs; the message starts with ``where`` and the path.
    """
    if isinstance(tree, ArrayLeaf):
        return [x]
    if isinstance(tree, Static):
        return []
    return [v for step, part, y in _beside(tree, x, where) for v in along(part, y, where + step)]


def spread(tree: Tree, prefix: Any, where: str) -> list[Any]:
    """Return an entry for each array. The prefix may stop early: its entries hold for all arrays below them."""
    if isinstance(tree, Static):
        return []
    if not isinstance(prefix, (dict, list, tuple)) and not is_dataclass(prefix):
        return [prefix] * count(tree)
    if isinstance(tree, ArrayLeaf):
        raise ArgumentTypeError(f"{where}: got a {type(prefix).__name__} for one array. Expected an entry for it.")
    return [v for step, part, y in _beside(tree, prefix, where) for v in spread(part, y, where + step)]


def _beside(tree: ContainerSpec, x: Any, where: str) -> list[tuple[str, Tree, Any]]:
    """Pair the parts of a container with those of x."""
    kind = type(x)
    alike = kind is tree.kind or (issubclass(kind, dict) and issubclass(tree.kind, dict))
    plain = tree.kind in (list, tuple) and kind in (list, tuple)
    contents = _parts(x, kind) if alike or plain else None
    if contents is None:
        raise ArgumentTypeError(f"{where}: got a {kind.__name__}. Expected a {tree.kind.__name__}, as it is there.")
    keys, values = contents
    if tree.keys and issubclass(kind, dict):
        if set(keys) != set(tree.keys):
            raise ArgumentTypeError(f"{where}: got the keys {list(keys)}. Expected {list(tree.keys)}.")
        values = [x[k] for k in tree.keys]
    parts = list(values)
    if len(parts) != len(tree.parts):
        raise ArgumentTypeError(f"{where}: got {len(parts)} entries. Expected {len(tree.parts)}.")
    return list(zip(steps_of(tree), tree.parts, parts))


def without_statics(tree: Tree) -> Tree:
    """Return the structure with None in place of all that is not an array."""
    if isinstance(tree, Static):
        return NONE
    if isinstance(tree, ContainerSpec):
        return tree._replace(parts=tuple([without_statics(p) for p in tree.parts]))
    return tree


def count(tree: Tree) -> int:
    """Return the number of arrays."""
    return 1 if isinstance(tree, ArrayLeaf) else sum(map(count, getattr(tree, "parts", ())))
