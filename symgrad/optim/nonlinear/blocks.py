"""Named blocks: where each array of a structure stands in one vector, and what its entries are called."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.core import trees
from symgrad.core.promotion import is_real, is_symbolic
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.implicit.unknowns import is_numbers, labels
from symgrad.ops.map import show_shape
from symgrad.solvers.problem import without_none
from symgrad.support.namespace import near

_NAMED = 8  # blocks that an error names


class Blocks:
    """The arrays of a structure, one after the other in a vector.

    Args:
        tree: the structure.
        shapes: of the arrays.
        title: what is named where the structure has no names, such as "g".
    """

    def __init__(self, tree: trees.Tree, shapes: Sequence[tuple[int, ...]], title: str) -> None:
        self.tree, self.shapes, self.names = tree, [tuple(s) for s in shapes], labels(tree, title)
        self.edges = [0, *itertools.accumulate(math.prod(s) for s in shapes)]

    @property
    def size(self) -> int:
        """The number of entries."""
        return self.edges[-1]

    def name(self, k: int) -> str:
        """Return what entry k of the vector is called, such as ``dynamics[12, 0]``."""
        block = int(np.searchsorted(self.edges, k, "right")) - 1
        at = np.unravel_index(k - self.edges[block], self.shapes[block]) if self.shapes[block] else ()
        return self.names[block] + (f"[{', '.join(map(str, at))}]" if at else "")

    def structure(self, z: Any) -> Any:
        """Return a vector as the structure of arrays, and floats."""
        parts = [z[a:b].reshape(s) for (a, b), s in zip(itertools.pairwise(self.edges), self.shapes, strict=True)]
        return trees.unflatten(self.tree, iter([p.item() if p.ndim == 0 else p for p in parts]))

    def spread(self, values: Any, who: str) -> tuple[Any, Any]:
        """Return a vector of one end, of a number or array, or a dict by name, and which entries are missing."""
        if isinstance(values, dict) and isinstance(self.tree, trees.ArrayLeaf):
            raise ArgumentError(
                f"{who}: got a dict with the names {list(values)!s:.60}, but the constraints return one array. "
                "Expected numbers; or return a dict from constraints, whose keys name its blocks."
            )
        if not isinstance(values, dict) or not isinstance(self.tree, trees.ContainerSpec) or not self.tree.keys:
            each = trees.spread(self.tree, _array(self.tree, values), who)
        else:
            unknown = sorted(set(values) - set(self.tree.keys), key=str)
            if unknown:
                known = [*map(repr, self.tree.keys)]
                some = ", ".join(known if len(known) <= _NAMED else [*known[: _NAMED - 1], "…", known[-1]])
                guess = near(str(unknown[0]), [str(k) for k in self.tree.keys]) or "."
                raise ArgumentError(f"{who}: the block {unknown[0]!r} does not exist. Expected some of [{some}]{guess}")
            parts = [(part, _array(part, values.get(k))) for k, part in zip(self.tree.keys, self.tree.parts)]
            each = [v for part, value in parts for v in trees.spread(part, value, who)]
        filled = [self._filled(k, v, who) for k, v in enumerate(each)] or [(np.zeros(0), np.zeros(0, bool))]
        return np.concatenate([end for end, _ in filled]), np.concatenate([missing for _, missing in filled])

    def _filled(self, k: int, value: Any, who: str) -> tuple[Any, Any]:
        missing: Any = np.zeros(np.shape(value), bool)
        if value is None or (isinstance(value, np.ndarray) and is_symbolic(value.dtype)):
            entries = np.asarray(value, object)
            missing = np.reshape([e is None for e in entries.flat], entries.shape)
        end = np.asarray(without_none(value, 0.0))
        if not is_real(end.dtype):
            raise ArgumentTypeError(f"{who}: got {value!r:.40} for {self.names[k]}. Expected real numbers.")
        end = end.astype(np.float64)
        try:
            return np.broadcast_to(end, self.shapes[k]).ravel(), np.broadcast_to(missing, self.shapes[k]).ravel()
        except ValueError:
            raise ArgumentError(
                f"{who}: got shape {show_shape(end.shape)} for {self.names[k]}. Expected {show_shape(self.shapes[k])}, "
                "or a number."
            ) from None


def _array(tree: trees.Tree, values: Any) -> Any:
    """Return a list of numbers and None as an array, where it does not say an end for each of several blocks."""
    by_block = isinstance(tree, trees.ContainerSpec) and tree.kind in (list, tuple)
    if by_block or not isinstance(values, (list, tuple)):
        return values
    return np.array(values, object) if is_numbers([0.0 if e is None else e for e in values]) else values
