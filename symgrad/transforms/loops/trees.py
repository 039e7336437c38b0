"""Nested carries, slices and results: taken apart into tensors and put together again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.engine.record import TensorBase
from symgrad.errors import ArgumentTypeError
from symgrad.ops.value import is_foreign


class Container(NamedTuple):
    """A container: its kind, the keys of a dict, and the structure of each part. None has no parts."""

    kind: Any
    keys: tuple[Any, ...]
    parts: tuple[Any, ...]

    def __str__(self) -> str:
        if self.kind is type(None):
            return "None"
        if issubclass(self.kind, dict):
            return "{" + ", ".join(f"{k!r}: {p}" for k, p in zip(self.keys, self.parts, strict=True)) + "}"
        inside = ", ".join(map(str, self.parts))
        return f"[{inside}]" if issubclass(self.kind, list) else f"({inside}{',' * (len(self.parts) == 1)})"


class ArrayPlace(NamedTuple):
    """The place of a tensor."""

    def __str__(self) -> str:
        return "tensor"


Tree = Container | ArrayPlace
NONE = Container(type(None), (), ())
_PLACE = ArrayPlace()


def flatten(x: Any, leaves: list[Any], where: str) -> Tree:
    """Append the tensors in x to ``found``, a dict's by its sorted keys, and return the structure around them."""
    if x is None:
        return NONE
    if isinstance(x, dict):
        keys = _ordered(x)
        return Container(dict, keys, tuple([flatten(x[k], leaves, where) for k in keys]))
    if isinstance(x, (list, tuple)):
        kind = type(x) if hasattr(x, "_fields") else list if isinstance(x, list) else tuple
        return Container(kind, (), tuple([flatten(v, leaves, where) for v in x]))
    if not isinstance(x, (TensorBase, np.ndarray, np.generic, int, float, complex, sp.Expr)) and not is_foreign(x):
        raise ArgumentTypeError(
            f"{where} contains a {type(x).__name__}. Expected tensors, arrays, numbers and None in nested tuples, "
            "lists and dicts."
        )
    leaves.append(x)
    return _PLACE


def _ordered(x: dict[Any, Any]) -> tuple[Any, ...]:
    try:
        return tuple(sorted(x))
    except TypeError:
        return tuple(x)


def unflatten(tree: Tree, values: Iterator[Any]) -> Any:
    """Put tensors into the structure."""
    if isinstance(tree, ArrayPlace):
        return next(values)
    parts = [unflatten(p, values) for p in tree.parts]
    if tree.kind is type(None):
        return None
    if tree.kind is dict:
        return dict(zip(tree.keys, parts, strict=True))
    return tree.kind(*parts) if hasattr(tree.kind, "_fields") else tree.kind(parts)
