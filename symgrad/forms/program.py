"""A derivative's graph as a function: its operations in order, run on NumPy arrays or arrays of symbols.

The elementwise kernels are lambdified payloads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, product
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import AnyNode, Leaf, Node, ancestors, is_node
from symgrad.errors import ShapeError
from symgrad.ops.resize import sizes_in, solved, with_sizes


class Program:
    """The steps from the leaves to the root; with basis leaves, the root for their unit vectors, stacked."""

    def __init__(self, root: AnyNode, leaves: Sequence[Leaf], bases: Sequence[Leaf] = ()) -> None:
        self.root, self.leaves, self.bases = root, list(leaves), tuple(bases)
        self.nodes = ancestors([root])
        self.watch: Callable[[Any], None] | None = None
        self.varying = self._after_bases()
        self.needed = sizes_in([*self.nodes, *bases])

    def _after_bases(self) -> set[int]:
        found = {id(b) for b in self.bases}
        for node in self.nodes:
            if any(is_node(p) and id(p) in found for p in node.inputs):
                found.add(id(node))
        return found

    def run(
        self, values: Sequence[Any], watch: Callable[[Any], None] | None = None, given: dict[Any, int] | None = None
    ) -> Any:
        """Return the root's value for these values of the leaves; ``watch`` sees the result of each step.

        ``given`` are sizes by symbol; the others are read off the values. A leaf with the value None only has a shape,
        and nothing reads it.
        """
        sizes, self.watch = self._sizes(values, given or {}), watch
        untold = sorted(str(s) for s in self.needed - set(sizes))
        if untold:
            raise ShapeError(
                f"the sizes {untold} are unknown: no argument has them. Pass them by name, as in {untold[0]}=3."
            )
        env = {id(leaf): v for leaf, v in zip(self.leaves, values, strict=True)}
        with np.errstate(all="ignore"):
            self._run(env, sizes, [n for n in self.nodes if id(n) not in self.varying])
            if not self.bases:
                return env[id(self.root)]
            return self._rows(env, sizes)

    def _rows(self, env: dict[int, Any], sizes: dict[Any, int]) -> Any:
        shapes = [tuple(int(_size(n, sizes)) for n in b.shape) for b in self.bases]
        into = tuple(int(_size(n, sizes)) for n in self.root.shape)
        rows = []
        later = [n for n in self.nodes if id(n) in self.varying and n not in self.bases]
        for units in product(*map(_units, shapes)):
            row = {**env, **{id(b): unit for b, unit in zip(self.bases, units, strict=True)}}
            self._run(row, sizes, later)
            rows.append(np.broadcast_to(row[id(self.root)], into))
        whole = (*chain(*shapes), *into)
        return np.stack(rows).reshape(whole) if rows else np.zeros(whole)

    def _run(self, env: dict[int, Any], sizes: dict[Any, int], nodes: Sequence[AnyNode]) -> None:
        for node in nodes:
            if id(node) in env:
                continue
            if isinstance(node, Leaf):
                env[id(node)] = _size(node.value, sizes)
            else:
                env[id(node)] = self._step(node, env, sizes)
                if self.watch is not None:
                    self.watch(env[id(node)])

    def _step(self, node: Node, env: dict[int, Any], sizes: dict[Any, int]) -> Any:
        args = [env[id(p)] if is_node(p) else _size(p, sizes) for p in node.inputs]
        return with_sizes(node.op, sizes)(*args)

    def _sizes(self, values: Sequence[Any], given: dict[Any, int]) -> dict[Any, int]:
        """Solve the symbolic sizes from the arguments' shapes."""
        pairs = [(leaf.shape, np.shape(v)) for leaf, v in zip(self.leaves, values, strict=True) if v is not None]
        return solved([s for s, _ in pairs], [h for _, h in pairs], given)


def _units(shape: tuple[int, ...]) -> list[Any]:
    """Return the arrays of this shape with one 1."""
    count = int(np.prod(shape, dtype=int))
    return list(np.eye(count).reshape(count, *shape)) if shape else [1.0]


def _size(x: Any, sizes: dict[Any, int]) -> Any:
    """Put numbers for the symbolic sizes."""
    if not isinstance(x, sp.Expr) or isinstance(x, sp.Number):
        return x
    found = x.xreplace({s: sp.Integer(n) for s, n in sizes.items()})
    return int(found) if found.is_Integer else float(found)
