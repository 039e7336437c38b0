"""Compiled functions whose arguments have rows that meet in sums: some rows at a time.

These rows stay in a processor's cache while one operation after the other reads them, such as the product with a matrix
and the product with its transpose. How they are cut depends on shapes alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.arguments import as_input, is_array, positions_of
from symgrad.compiler.backends.backend import Kernel
from symgrad.compiler.compiled import Compiled
from symgrad.compiler.passes.rows import Rows, rows_of
from symgrad.core import trees
from symgrad.engine.program import Program

TILE = 1 << 21  # bytes of the rows of a tile
LEAST = 2  # operations that read the rows apart from loops, from which tiles are worth it

Build = Callable[[Program, trees.Tree, trees.Tree], Kernel]


class CompiledInTiles(Compiled[...]):
    """A compiled function whose arguments have rows from the position ``first`` on."""

    def __init__(self, fn: Callable[..., Any], first: int, backend: str = "auto") -> None:
        super().__init__(fn, backend, tiers=False)  # sums must have the same bytes whichever block comes first
        self.first = first

    def _kernel(self, program: Program, tree: trees.Tree, results: trees.Tree) -> Kernel:
        rows = self._rows(program, tree)
        lengths = [] if rows is None or rows.passes() < LEAST else tiles(rows.count, _bytes(rows))
        if rows is None or len(lengths) < 2:
            return super()._kernel(program, tree, results)
        return _InTiles(rows, lengths, super()._kernel).kernel()

    def _rows(self, program: Program, tree: trees.Tree) -> Rows | None:
        assert isinstance(tree, trees.ContainerSpec)  # narrows the type: (args, kwargs)
        given = range(self.first, len(tree.parts[0].parts))
        return rows_of(program, positions_of(given, tree))


def tiles(rows: int, size: int) -> list[int]:
    """Return the lengths of tiles of so many rows and bytes: all the same where some number of tiles divides the rows.

    >>> from symgrad.compiler.tiles import tiles
    >>> tiles(100, 3 << 21), tiles(101, 3 << 21)
    ([25, 25, 25, 25], [34, 34, 33])
    """
    least = min(rows, -(-size // TILE))
    count = next((c for c in range(least, least + least // 2 + 1) if c and rows % c == 0), least)
    return [rows // count + (k < rows % count) for k in range(count)] if count else []


def _bytes(rows: Rows) -> int:
    values = [rows.program.values[k] for k in rows.program.inputs if rows.has_rows(k)]
    return sum(prod(v.shape) * v.dtype.itemsize for v in values)


class _InTiles:
    """The kernels of what comes before the rows, of tiles of each length, and of what comes after."""

    def __init__(self, rows: Rows, lengths: Sequence[int], build: Build) -> None:
        self.rows, self.lengths, self.kernels = rows, lengths, list[Kernel]()
        program, same = rows.program, rows.inputs(rows=False)
        self.same, self.given = same, [*rows.inputs(rows=True), *rows.before]
        self.before = self._kernel(build, same, rows.before) if rows.before else None
        self.tile = {n: self._kernel(build, self.given, rows.sums, n) for n in dict.fromkeys(lengths)}
        is_done = set(program.outputs) <= set(rows.sums)
        self.after = None if is_done else self._kernel(build, [*same, *rows.sums], program.outputs)

    def _kernel(self, build: Build, starts: Sequence[int], ends: Sequence[int], count: int = 0) -> Kernel:
        args = trees.flatten(((0.0,) * len(starts), {}), is_array, [])
        results = trees.flatten((0.0,) * len(ends), is_array, [])
        made = build(self.rows.part(starts, ends, count), args, results)
        self.kernels.append(made)
        return made

    def run(self, values: Sequence[Any]) -> Any:
        """Return the results: what the tiles give is added up from first to last."""
        known = dict(zip(self.rows.program.inputs, values, strict=True))
        same = [known[k] for k in self.same]
        if self.before:
            known.update(zip(self.rows.before, map(as_input, self.before.run(same)), strict=True))
        sums: list[Any] = []
        start = 0
        for n in self.lengths:
            part = [known[k][start : start + n] if self.rows.has_rows(k) else known[k] for k in self.given]
            more = self.tile[n].run(part)
            sums = [_plus(s, x) for s, x in zip(sums, more, strict=True)] if sums else list(more)
            start += n
        if self.after:
            return self.after.run([*same, *map(as_input, sums)])
        totals = dict(zip(self.rows.sums, sums, strict=True))
        return [totals[k] for k in self.rows.program.outputs]

    def kernel(self) -> Kernel:
        """Return all of them as one."""
        several = self.kernels
        return Kernel(
            run=self.run,
            source=lambda: "\n".join(k.source() for k in several),
            backend=self.tile[self.lengths[0]].backend,
            operations=sum(k.operations for k in several),
            kernels=sum(k.kernels for k in several),
            bytes=max(k.bytes for k in several),
            cached=all(k.cached for k in several),
        )


def _plus(total: Any, more: Any) -> Any:
    return np.add(total, more, total) if type(total) is np.ndarray else total + more
