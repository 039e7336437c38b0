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

    def spread(self, values: Any, otherwise: float, who: str) -> Any:
        """Return a vector of one end of all bounds: of one number or array, or a dict by name of some blocks."""
        if isinstance(values, dict) and isinstance(self.tree, trees.ArrayLeaf):
            raise ArgumentError(
                f"{who}: got a dict with the names {list(values)!s:.60}, but the constraints return one array. "
                "Expected numbers; or return a dict from constraints, whose keys name its blocks."
            )
        if not isinstance(values, dict) or not isinstance(self.tree, trees.ContainerSpec) or not self.tree.keys:
            each = trees.spread(self.tree, _array(values), who)
        else:
            unknown = sorted(set(values) - set(self.tree.keys), key=str)
            if unknown:
                known = [*map(repr, self.tree.keys)]
                some = ", ".join(known if len(known) <= _NAMED else [*known[: _NAMED - 1], "…", known[-1]])
                guess = near(str(unknown[0]), [str(k) for k in self.tree.keys]) or "."
                raise ArgumentError(f"{who}: the block {unknown[0]!r} does not exist. Expected some of [{some}]{guess}")
            full = {k: _array(values.get(k, otherwise)) for k in self.tree.keys}
            each = [v for k, part in zip(self.tree.keys, self.tree.parts) for v in trees.spread(part, full[k], who)]
        return np.concatenate([self._filled(k, v, otherwise, who) for k, v in enumerate(each)] or [np.zeros(0)])

    def _filled(self, k: int, value: Any, otherwise: float, who: str) -> Any:
        dtype = np.asarray(value).dtype
        if not is_real(dtype) and not is_symbolic(dtype):  # None is an object
            raise ArgumentTypeError(f"{who}: got {value!r:.40} for {self.names[k]}. Expected real numbers.")
        end = np.asarray(otherwise if value is None else value, np.float64)
        try:
            return np.broadcast_to(end, self.shapes[k]).ravel()
        except ValueError:
            raise ArgumentError(
                f"{who}: got shape {show_shape(end.shape)} for {self.names[k]}. Expected {show_shape(self.shapes[k])}, "
                "or a number."
            ) from None


def _array(values: Any) -> Any:
    return np.array(values) if is_numbers(values) else values
