"""An array written out entry by entry, ``[a, b]`` or ``[[a, b], [c, d]]``: a small array of known size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from symgrad.expression import formula as write
from symgrad.forms.nodes import numpycode
from symgrad.forms.nodes.arrays import ATOM, ArrayExpr
from symgrad.forms.nodes.formulas import formula


class Table(ArrayExpr):
    """The entries, row by row, and the shape: of a vector, or of a matrix."""

    precedence = ATOM

    @classmethod
    def of(cls, entries: Sequence[Any], shape: Sequence[int]) -> Table:
        """Make the array of these entries."""
        return cls(*entries, sp.Tuple(*shape))

    @property
    def entries(self) -> tuple[Any, ...]:
        """All entries, row by row."""
        return tuple(self.args[:-1])

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows of a matrix; a vector is a column."""
        width = int(self.shape[1]) if len(self.shape) == 2 else 1
        return [self.entries[k : k + width] for k in range(0, len(self.entries), width)]

    def _nested(self, write: Callable[[Any], str]) -> str:
        rows = [", ".join(map(write, r)) for r in self.rows]
        return f"[{', '.join(rows if len(self.shape) == 1 else [f'[{r}]' for r in rows])}]"

    def formula(self) -> write.Formula:
        rows = tuple(tuple(map(formula, row)) for row in self.rows)
        return write.Rows(rows, vector=len(self.shape) == 1)

    def _numpycode(self, printer: Any) -> str:
        return numpycode.call(printer, "numpy.array", self._nested(lambda e: numpycode.bare(printer._print(e))))
