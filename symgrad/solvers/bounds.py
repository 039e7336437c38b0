"""Bounds in the user's structure: a pair (lower, upper) for each array, nothing where none is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.core import trees
from symgrad.errors import ArgumentError


def pairs(tree: trees.Tree, bounds: Any, where: str) -> list[Any]:
    """Return the pair of each array; None, for an array or a part of the structure, means no bounds."""
    if isinstance(tree, trees.ArrayLeaf):
        if bounds is not None and (not isinstance(bounds, (tuple, list)) or len(bounds) != 2):
            raise ArgumentError(f"{where}: got {bounds!r}. Expected a pair (lower, upper), or None.")
        return [bounds]
    if isinstance(tree, trees.Static):
        return []
    parts = _parts(tree, bounds, where)
    return [
        pair for k, (t, b) in enumerate(zip(tree.parts, parts, strict=True)) for pair in pairs(t, b, f"{where}[{k}]")
    ]


def _parts(tree: trees.ContainerSpec, bounds: Any, where: str) -> Sequence[Any]:
    if bounds is None:
        return [None] * len(tree.parts)
    if isinstance(bounds, dict):
        unknown = sorted(set(bounds) - set(tree.keys), key=str)
        if unknown:
            raise ArgumentError(f"{where}: got {unknown}, which x0 does not have. Expected some of {list(tree.keys)}.")
        return [bounds.get(k) for k in tree.keys]
    if isinstance(bounds, (list, tuple)) and not tree.keys:
        if len(bounds) != len(tree.parts):
            raise ArgumentError(f"{where}: got {len(bounds)} entries, expected {len(tree.parts)}, one for each of x0.")
        return bounds
    if tree.keys and all(hasattr(bounds, str(k)) for k in tree.keys):
        return [getattr(bounds, k) for k in tree.keys]
    raise ArgumentError(
        f"{where}: got {type(bounds).__name__}. Expected the structure of x0 with a pair for each array."
    )
