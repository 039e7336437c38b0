"""Operations that move entries without arithmetic: reshape, expand, flip, and the identity matrix.

All are linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import FLOAT64, Kind
from symgrad.errors import ArgumentTypeError, IndexRangeError, ShapeError
from symgrad.ops.frozen import field, frozen
from symgrad.ops.map import clip, show_shape
from symgrad.ops.protocol import Op


def total(sizes: Sequence[Any]) -> Any:
    """Return the product of sizes, which may be symbolic."""
    found: Any = 1
    for n in sizes:
        found = found * n
    return found


@frozen
class Reshape(Op):
    """Read the entries in row-major order into another shape."""

    to: Shape
    name: str = field(default="View", compare=False)  # type: ignore[misc]
    linear = True
    saves = ""

    def forward(self, x: Any) -> Any:
        """Reshape; the result is a value, never a view that could be written through."""
        return np.reshape(x, self.to)

    def out_shape(self, s: Shape) -> Shape:
        """Check that the number of entries stays."""
        if total(s) != total(self.to):
            raise ShapeError(
                f"shape '{show_shape(self.to)}' is invalid for input of size {total(s)}. "
                f"Got a tensor of shape {show_shape(s)}."
            )
        return self.to

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Reshape back."""
        return Reshape(x.shape)(g)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Skip axes of length one; else go through the row-major position."""
        live = [k for k, n in zip(idx, self.to, strict=True) if n != 1]
        sizes = [n for n in p.shape if n != 1]
        if sizes == [n for n in self.to if n != 1]:
            rest = iter(live)
            return p([sp.S.Zero if n == 1 else next(rest) for n in p.shape])
        if any(n == 0 for n in p.shape):  # no entry to read, and no division by the size
            return p([sp.S.Zero for _ in p.shape])
        left, found = list(idx), []
        for whole, parts in _aligned(self.to, p.shape):
            found += unravel(ravel(left[: len(whole)], whole), parts)
            del left[: len(whole)]
        return p(found)

    def text(self, *args: str) -> str:
        """reshape(x, [2, 3])."""
        return f"reshape({args[0]}, {show_shape(self.to)})"

    def latex(self, *args: str) -> str:
        """reshape(x), the sizes below."""
        sizes = " \\times ".join(map(sp.latex, self.to))
        return f"\\operatorname{{reshape}}_{{{sizes}}}\\left({args[0]}\\right)"


def _aligned(a: Shape, b: Shape) -> list[tuple[Shape, Shape]]:
    """Cut two shapes into the shortest runs that hold equally many entries each."""
    runs: list[tuple[Shape, Shape]] = []
    i = j = 0
    for n in range(1, len(a) + 1):
        for m in range(j, len(b) + 1):
            if total(a[i:n]) == total(b[j:m]):
                runs.append((a[i:n], b[j:m]))
                i, j = n, m
                break
    last, end = runs.pop() if runs else ((), ())
    return [*runs, ((*last, *a[i:]), (*end, *b[j:]))]


def ravel(idx: Sequence[Any], sizes: Shape) -> sp.Expr:
    """Return the row-major position of an index."""
    found: sp.Expr = sp.S.Zero
    for k, n in zip(idx, sizes, strict=True):
        found = found * n + k
    return found


def unravel(position: sp.Expr, sizes: Shape) -> list[sp.Expr]:
    """Return the index at a row-major position."""
    live = [d for d, n in enumerate(sizes) if n != 1]
    out: list[sp.Expr] = [sp.S.Zero] * len(sizes)
    for d in reversed(live[1:]):
        out[d] = sp.Mod(position, sizes[d])
        position = sp.floor(position / sizes[d])
    if live:
        out[live[0]] = position
    return out


@frozen
class Expand(Op):
    """Broadcast to a shape. The cotangent is summed back by the engine, as for every broadcast."""

    to: Shape
    linear = True
    saves = ""

    def forward(self, x: Any) -> Any:
        """Repeat along new axes and axes of length one."""
        if type(x) is float:
            filled = np.empty(self.to)
            filled.fill(x)
            return filled
        return np.broadcast_to(x, self.to)

    def out_shape(self, s: Shape) -> Shape:
        """Check that s broadcasts to the target."""
        lead = len(self.to) - len(s)
        if lead < 0:
            raise ShapeError(
                f"expand(Tensor{{{show_shape(s)}}}, size={show_shape(self.to)}): the number of sizes "
                f"provided ({len(self.to)}) must be greater or equal to the number of dimensions in the "
                f"tensor ({len(s)}). Give one size per dimension, -1 to keep it."
            )
        for axis, (n, m) in enumerate(zip(s, self.to[lead:], strict=True), lead):
            if n not in (1, m):
                raise ShapeError(
                    f"The expanded size of the tensor ({m}) must match the existing size ({n}) at "
                    f"non-singleton dimension {axis}.  Target sizes: {show_shape(self.to)}.  Tensor sizes: "
                    f"{show_shape(s)}. Only dimensions of size 1 can be expanded."
                )
        return self.to

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Hand the cotangent on; the engine sums it to x's shape."""
        return g

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Read broadcasting backwards."""
        return p(clip(idx, p.shape))


@frozen
class Flip(Op):
    """Reverse the axes."""

    axes: tuple[int, ...]
    linear = True
    saves = ""

    def forward(self, x: Any) -> Any:
        """Reverse."""
        return np.flip(x, self.axes)

    def out_shape(self, s: Shape) -> Shape:
        """The shape stays."""
        return s

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Reverse back."""
        return self(g)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Count from the end."""
        pairs = enumerate(zip(idx, p.shape, strict=True))
        return p([n - 1 - k if a in self.axes else k for a, (k, n) in pairs])

    def text(self, *args: str) -> str:
        """flip(x)."""
        return f"flip({args[0]})"

    def latex(self, *args: str) -> str:
        """flip(x)."""
        return f"\\operatorname{{flip}}\\left({args[0]}\\right)"


@frozen
class Eye(Op):
    """The n by m identity matrix: an operation without inputs."""

    n: Any
    m: Any
    of: Any = None
    linear = True
    saves = ""

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        """The one asked for."""
        return FLOAT64 if self.of is None else np.dtype(self.of)

    def forward(self) -> Any:
        """Ones on the diagonal; a node of its own where a size is symbolic."""
        return np.eye(self.n, self.m, dtype=self.of)

    def out_shape(self) -> Shape:
        """(n, m)."""
        return (self.n, self.m)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """δ_ij."""
        return sp.KroneckerDelta(*idx)


def axis_of(dim: Any, ndim: int) -> int:
    """Return ``dim`` in 0..ndim-1, with torch's error where it lies outside."""
    if not hasattr(dim, "__index__") or isinstance(dim, bool):
        raise ArgumentTypeError(
            f"dim: got {dim!r}. Expected an integer, or a tuple of them where several axes make sense."
        )
    from_, to = (-ndim, ndim - 1) if ndim else (-1, 0)
    if not from_ <= dim <= to:
        raise IndexRangeError(f"Dimension out of range (expected to be in range of [{from_}, {to}], but got {dim})")
    return int(dim) % ndim if ndim else 0
