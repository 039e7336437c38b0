"""Operations that move entries without arithmetic: reshape, expand, flip, and the identity matrix.

All are linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import index
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import FLOAT64, Kind
from symgrad.errors import ArgumentTypeError, IndexRangeError, ShapeError
from symgrad.ops.map import clip, show_shape
from symgrad.ops.protocol import Op, shape
from symgrad.support.frozen import field, frozen


def total(sizes: Sequence[Any]) -> Any:
    """Return the product of sizes, which may be symbolic."""
    product: Any = 1
    for n in sizes:
        product = product * n
    return product


def equal(n: Any, m: Any) -> bool:
    """Whether two sizes are the same number, however their formulas are written."""
    return bool(n == m) or (isinstance(n - m, sp.Expr) and sp.expand(n - m) == 0)


@frozen
class Reshape(Op):
    """Read the entries in row-major order into another shape."""

    to: Shape
    name: str = field(default="View", compare=False)  # type: ignore[misc]
    linear = True
    saves = ""
    rearranges = True
    explained = "reshape: the adjoint takes the old shape back"
    views = True

    where = "possible"  # it is a view; of other entries PyTorch makes a copy

    def viewing(self, where: str) -> Reshape:
        """Say when the result is a view: "always", as of ``x.view``, or where entries are "contiguous", as of ravel."""
        self.__dict__["where"] = where
        return self

    @property
    def shares(self) -> bool:
        """What repeats entries is a copy, also where it repeats them once."""
        return self.name != "Repeat"

    def lies(self, x: Any, to: Shape) -> Any:
        """Where the entries are, or in a row of their own: ``put`` finds the way back from there."""
        if self.where == "contiguous" and not is_row_major(x):
            return None
        return _strided(x, to) or ((0, row_major(to)) if self.where == "always" else None)

    def put(self, x: Any, v: Any) -> Any:
        """Reshape the part back."""
        return Reshape(shape(x))(v)

    def forward(self, x: Any) -> Any:
        """Reshape; the result is a value, never a view that could be written through."""
        return np.reshape(x, self.to)

    def out_shape(self, s: Shape) -> Shape:
        """Check that the number of entries stays."""
        if not equal(total(s), total(self.to)):
            raise ShapeError(
                f"shape '{show_shape(self.to)}' is invalid for input of size {total(s)}. "
                f"Got a tensor of shape {show_shape(s)}."
            )
        return self.to

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Reshape the cotangent back."""
        return Reshape(x.shape)(g)

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Reshape, with the batch in front."""
        return Reshape((size, *self.to))(xs[0])

    def view(self, x: Any, to: Shape) -> Any:
        """The next entries, one after the other; axes of length one come and go in any view."""
        if is_row_major(x):
            return x.offset, row_major(to)
        kept = [(n, s) for n, s in zip(x.shape, x.steps) if n != 1]
        if [n for n, _ in kept] != [n for n in to if n != 1]:
            return None
        rest = iter(kept)
        return x.offset, tuple(0 if n == 1 else next(rest)[1] for n in to)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Skip axes of length one; else go through the row-major position."""
        live = [k for k, n in zip(idx, self.to, strict=True) if n != 1]
        sizes = [n for n in p.shape if n != 1]
        if sizes == [n for n in self.to if n != 1]:
            rest = iter(live)
            return p([sp.S.Zero if n == 1 else next(rest) for n in p.shape])
        if any(n == 0 for n in p.shape):  # no entry to read, and no division by the size
            return p([sp.S.Zero for _ in p.shape])
        left, indices = list(idx), []
        for whole, parts in _aligned(self.to, p.shape):
            indices += unravel(ravel(left[: len(whole)], whole), parts)
            del left[: len(whole)]
        return p(indices)

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("reshape", args[0], write.Verbatim(show_shape(self.to)))


def row_major(sizes: Sequence[Any]) -> tuple[Any, ...]:
    """Return the strides of a row-major array, counted in entries."""
    return tuple(total(sizes[a + 1 :]) for a in range(len(sizes)))


def is_row_major(x: Any) -> bool:
    """Whether the entries of a view follow each other."""
    return all(s == e or n == 1 for s, e, n in zip(x.steps, row_major(x.shape), x.shape, strict=True))


def _strided(x: Any, to: Shape) -> Any:
    """Return (offset, steps) of the entries of a view in another shape; None where they lie in no such steps."""
    if 0 in to:
        return x.offset, row_major(to)
    steps, rest = [], list(zip(x.shape, x.steps, strict=True))
    for parts, whole in _aligned(x.shape, to):
        run = [(n, s) for n, s in rest[: len(parts)] if n != 1]
        del rest[: len(parts)]
        if any(s != m * t for (_, s), (m, t) in pairwise(run)):
            return None
        steps += [k * run[-1][1] if run else 0 for k in row_major(whole)]
    return x.offset, tuple(steps)


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


# ------------------------------------------------------------------ batches in front
def padded(x: Any, rank: int) -> Any:
    """Give every slice of a batch the given number of axes, with new axes of length one in front."""
    size, *rest = shape(x)
    missing = rank - len(rest)
    return Reshape((size, *(1,) * missing, *rest))(x) if missing else x


def repeated(x: Any, size: int) -> Any:
    """Scatter a batch of equal slices in front."""
    sizes = shape(x)
    return Expand((size, *sizes))(Reshape((1, *sizes))(x))


def each_batched(size: int, xs: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
    """Repeat the inputs that are the same for all slices."""
    return [x if f else repeated(x, size) for x, f in zip(xs, flags, strict=True)]


def ravel(idx: Sequence[Any], sizes: Shape) -> sp.Expr:
    """Return the row-major position of an index."""
    position: sp.Expr = sp.S.Zero
    for k, n in zip(idx, sizes, strict=True):
        position = position * n + k
    return position


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
    rearranges = True
    explained = "broadcast: the adjoint is summed over the copies"
    views = shares = True

    def put(self, x: Any, v: Any) -> Any:
        """Reshape back, if no entry was copied."""
        return Reshape(shape(x))(v)

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

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Broadcast, with the batch in front."""
        return Expand((size, *self.to))(padded(xs[0], len(self.to)))

    def view(self, x: Any, to: Shape) -> Any:
        """Return stride 0 along repeated axes."""
        lead = len(to) - len(x.shape)
        steps = [0 if n == 1 and m != 1 else s for n, m, s in zip(x.shape, to[lead:], x.steps, strict=True)]
        return x.offset, (*[0] * lead, *steps)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Read broadcasting backwards."""
        return p(clip(idx, p.shape))


@frozen
class Flip(Op):
    """Reverse the axes."""

    axes: tuple[int, ...]
    linear = True
    spelled = "flip"
    saves = ""
    rearranges = True
    explained = "flip: the adjoint is flipped back"
    views = True

    def forward(self, x: Any) -> Any:
        return np.flip(x, self.axes)

    def out_shape(self, s: Shape) -> Shape:
        return s

    def view(self, x: Any, to: Shape) -> Any:
        """Start at the end, with negative strides."""
        ends = [(n - 1) * s for a, (n, s) in enumerate(zip(x.shape, x.steps)) if a in self.axes]
        return x.offset + sum(ends), tuple(-s if a in self.axes else s for a, s in enumerate(x.steps))

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Reverse the cotangent back."""
        return self(g)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Count from the end."""
        pairs = enumerate(zip(idx, p.shape, strict=True))
        return p([n - 1 - k if a in self.axes else k for a, (k, n) in pairs])


@frozen
class Eye(Op):
    """The n by m identity matrix: an operation without inputs."""

    n: Any
    m: Any
    of: Any = None
    linear = True
    saves = ""
    looped = "it has no inputs"
    flat = True

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        return FLOAT64 if self.of is None else np.dtype(self.of)

    def forward(self) -> Any:
        """Ones on the diagonal; a node of its own where a size is symbolic."""
        return np.eye(self.n, self.m, dtype=self.of)

    def out_shape(self) -> Shape:
        return (self.n, self.m)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Return the symbol δ_ij."""
        return sp.KroneckerDelta(*idx)


def _whole(dim: Any) -> int:
    try:
        if not isinstance(dim, bool):
            return index(dim)
    except TypeError:
        pass
    raise ArgumentTypeError(f"dim: got {dim!r}. Expected an integer, or a tuple of them where several axes make sense.")


def axis_of(dim: Any, ndim: int) -> int:
    """Return ``dim`` in 0..ndim-1, with PyTorch's error where it lies outside."""
    if type(dim) is not int:
        dim = _whole(dim)
    from_, to = (-ndim, ndim - 1) if ndim else (-1, 0)
    if not from_ <= dim <= to:
        raise IndexRangeError(f"Dimension out of range (expected to be in range of [{from_}, {to}], but got {dim})")
    return int(dim) % ndim if ndim else 0
