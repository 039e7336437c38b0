"""Conversion between dtypes, and cutting off what came before.

Cast is linear: the cotangent is converted back by the leaf that receives it. Imports protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.node import Shape
from symgrad.ops.frozen import frozen
from symgrad.ops.protocol import Op


@frozen
class Cast(Op):
    """The same numbers in another dtype."""

    dtype: np.dtype[Any]
    name = "ToCopy"
    linear = True
    saves = ""

    def forward(self, x: Any) -> Any:
        """Convert."""
        return np.asarray(x).astype(self.dtype)

    def out_shape(self, s: Shape) -> Shape:
        """The shape stays."""
        return s

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Hand the cotangent on; integers and truth values do not move with x."""
        return g if self.dtype.kind == "f" else None

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """Convert the tangent; integers and truth values have none."""
        return self(ts[0]) if self.dtype.kind == "f" else None

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """The same entry."""
        found: sp.Expr = ps[0](idx)
        return found

    def on_symbols(self, x: Any) -> Any:
        """Symbols have no dtype."""
        return x


@frozen
class Detach(Op):
    """The same numbers, of which no derivative is taken: how ``detach`` and ``no_grad`` are traced without values."""

    saves = ""

    def forward(self, x: Any) -> Any:
        """Return x; arrays of tensors are never written to."""
        return x

    def out_shape(self, s: Shape) -> Shape:
        """The shape stays."""
        return s

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Zero."""
        return None

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """Zero."""
        return None

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """The same entry."""
        found: sp.Expr = ps[0](idx)
        return found

    def __reduce__(self) -> str:
        """There is one."""
        return "DETACH"


DETACH = Detach()
