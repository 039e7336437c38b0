"""Convolution: one operation, Convolve, that makes the full one; modes cut it, and correlation flips an input first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import LETTERS, Einsum, permute
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.indexing.select import along
from symgrad.ops.keys import Positions
from symgrad.ops.map import broadcast_shapes, show_shape, sum_terms
from symgrad.ops.nn.folds import laid
from symgrad.ops.protocol import Op, shape
from symgrad.ops.shape import Expand, Flip, Reshape, axis_of, each_batched, padded
from symgrad.ops.shapes.padding import pad
from symgrad.ops.slicing import Gather
from symgrad.support.frozen import frozen

_FEW = 64  # entries of the shorter input up to which shifted copies are added; beyond, Fourier transforms multiply


@frozen
class Convolve(Op):
    """y_i = Σ_j x_j h_{i−j} along the last axes, of length n + m − 1; axes in front broadcast."""

    dims: int
    name = "Convolve"
    spelled = "convolve"
    saves = "x"
    analytic = True
    accumulates = True
    explained = "convolution: the adjoint is correlated with the other input"

    @property
    def signature(self) -> str:
        """The axes of each, and those of the result, which are longer."""
        x, h, y = (",".join(f"{c}{k}" for k in range(self.dims)) for c in "nmp")
        return f"({x}),({h})->({y})"

    def forward(self, x: Any, h: Any) -> Any:
        """Add few shifted copies, or multiply transforms."""
        x, h = np.asarray(x), np.asarray(h)
        to = self.out_shape(x.shape, h.shape)
        if prod(h.shape[-self.dims :]) > prod(x.shape[-self.dims :]):
            x, h = h, x
        exact = not np.issubdtype(np.result_type(x, h), np.inexact)
        if x.ndim == h.ndim == 1 and x.size and h.size and (exact or h.size <= 4 * _FEW):
            return np.convolve(x, h)
        if exact or prod(h.shape[-self.dims :]) <= _FEW:
            return self._shifted(x, h, to)
        return self._by_transforms(x, h, to)

    def _shifted(self, x: Any, h: Any, to: Shape) -> Any:
        y = np.zeros(to, np.result_type(x, h))
        for at in np.ndindex(h.shape[-self.dims :]):
            place: Any = (..., *(slice(k, k + n) for k, n in zip(at, x.shape[-self.dims :], strict=True)))
            y[place] += x * h[(..., *at)].reshape(*h.shape[: -self.dims], *(1,) * self.dims)
        return y

    def _by_transforms(self, x: Any, h: Any, to: Shape) -> Any:
        axes, sizes = tuple(range(-self.dims, 0)), to[len(to) - self.dims :]
        if np.iscomplexobj(x) or np.iscomplexobj(h):
            product = np.fft.fftn(x, sizes, axes) * np.fft.fftn(h, sizes, axes)
            return np.fft.ifftn(product, axes=axes).astype(np.result_type(x, h), copy=False)
        convolution = np.fft.irfftn(np.fft.rfftn(x, sizes, axes) * np.fft.rfftn(h, sizes, axes), sizes, axes)
        return convolution.astype(np.result_type(x, h), copy=False)

    def on_symbols(self, *xs: Any) -> Any:
        """Add shifted copies."""
        x, h = (np.asarray(v, dtype=object) for v in xs)
        return self._shifted(x, h, self.out_shape(x.shape, h.shape))

    def out_shape(self, x: Shape, h: Shape) -> Shape:
        """n + m − 1 along the axes."""
        if min(len(x), len(h)) < self.dims:
            raise ShapeError(
                f"convolve: both inputs need {self.dims} axes. Got shapes {show_shape(x)} and {show_shape(h)}."
            )
        a, b = x[len(x) - self.dims :], h[len(h) - self.dims :]
        if 0 in (*a, *b):
            raise ShapeError(f"convolve: inputs cannot be empty. Got shapes {show_shape(x)} and {show_shape(h)}.")
        lead = broadcast_shapes(x[: len(x) - self.dims], h[: len(h) - self.dims])
        return (*lead, *(n + m - 1 for n, m in zip(a, b, strict=True)))

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # x̄_j = Σ_i ȳ_i h_{i−j}: the part of ȳ ∗ flip(h) that has no end in it
        mine, other = shape(xs[i]), xs[1 - i]
        sizes = shape(other)[-self.dims :]
        axes = tuple(range(len(shape(other)) - self.dims, len(shape(other))))
        cotangent = self(g, Flip(axes)(other))
        first = len(shape(cotangent)) - self.dims
        for k, (m, n) in enumerate(zip(sizes, mine[len(mine) - self.dims :], strict=True)):
            cotangent = along(cotangent, first + k, m - 1, m - 1 + n)
        return cotangent

    def jvp(self, ts: Sequence[Any], y: Any, x: Any, h: Any) -> Any:
        # ẏ = ẋ ∗ h + x ∗ ḣ
        pairs = ((ts[0], h), (x, ts[1]))
        return sum_terms([self(a, b) for a, b in pairs if a is not None and b is not None])

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Convolve all slices at once; their axes in front broadcast."""
        x, h = each_batched(size, xs, flags)
        rank = max(len(shape(x)), len(shape(h))) - 1
        return self(padded(x, rank), padded(h, rank))

    def decompose(self, x: Any, h: Any) -> Any:
        """All products of two entries, added at their places."""
        p, q = (shape(v)[: len(shape(v)) - self.dims] for v in (x, h))
        common = broadcast_shapes(p, q)
        lead, i, k = LETTERS[2 * self.dims :][: len(common)], LETTERS[: self.dims], LETTERS[self.dims : 2 * self.dims]
        x, h = (v if r in (common, ()) else Expand((*common, *shape(v)[len(r) :]))(v) for v, r in ((x, p), (h, q)))
        pairs = "".join(a + b for a, b in zip(i, k, strict=True))
        products = Einsum.of(f"{lead if p else ''}{i},{lead if q else ''}{k}->{lead}{pairs}")(x, h)
        full = self.out_shape(shape(x), shape(h))[len(common) :]
        return laid(products, full, (1,) * self.dims, (1,) * self.dims)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        return ps[0].entry(self, ps, idx)


# ------------------------------------------------------------------ modes
def _centred(y: Any, axes: Sequence[int], sizes: Sequence[int]) -> Any:
    """The middle of y, so long along the axes."""
    for a, n in zip(axes, sizes, strict=True):
        whole = shape(y)[a]
        y = y if whole == n else along(y, a, (whole - n) // 2, (whole - n) // 2 + n)
    return y


def _cut(y: Any, axes: Sequence[int], a: Shape, b: Shape, mode: str, name: str) -> Any:
    """The part of the full convolution that a mode asks for; a and b are the lengths of the inputs."""
    if mode == "full":
        return y
    if mode == "same":
        return _centred(y, axes, a)
    if mode != "valid":
        raise ArgumentError(f"{name}: got mode={mode!r}. Acceptable modes are 'valid', 'same', or 'full'.")
    if any(n < m for n, m in zip(a, b, strict=True)) and any(n > m for n, m in zip(a, b, strict=True)):
        raise ShapeError(
            f"{name}: For 'valid' mode, one must be at least as large as the other in every dimension. Got {list(a)} "
            f"and {list(b)}."
        )
    return _centred(y, axes, [abs(n - m) + 1 for n, m in zip(a, b, strict=True)])


def _whole(x: Any, h: Any, name: str) -> int:
    p, q = shape(x), shape(h)
    if len(p) != len(q):
        raise ShapeError(
            f"{name}: in1 and in2 should have the same dimensionality. Got {show_shape(p)} and {show_shape(q)}."
        )
    return len(p)


def convolve(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """Return the convolution y_i = Σ_j x_j h_{i−j} along all axes. Gradients: correlations with the other input.

    Args:
        in1, in2: x and h, with the same number of axes.
        mode: "full" for the whole convolution; "same" for its middle part, as long as x; "valid" for the part that
            needs no zeros beyond the ends.
        method: "auto", "direct" or "fft", accepted and ignored: the method depends on the sizes.

    Returns:
        A tensor of n + m − 1, n, or |n − m| + 1 entries along each axis.

    Raises:
        ArgumentError: if the mode or the method is unknown.
        ShapeError: if the numbers of axes differ, or no input contains the other in mode "valid".

    >>> sg.signal.convolve(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 10.0]))
    tensor([ 1., 12., 20.])
    """
    if method not in ("auto", "direct", "fft"):
        raise ArgumentError(f"convolve: got method={method!r}. Acceptable methods are 'auto', 'direct', or 'fft'.")
    return _along_all(in1, in2, mode, "convolve")


def _along_all(x: Any, h: Any, mode: str, name: str) -> Any:
    dims = _whole(x, h, name)
    if not dims:
        return Reshape(())(Convolve(1)(Reshape((1,))(x), Reshape((1,))(h)))
    return _cut(Convolve(dims)(x, h), range(dims), shape(x), shape(h), mode, name)


def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """Return the convolution along some axes, like ``convolve``; the other axes are broadcast.

    Args:
        in1, in2: x and h, with the same number of axes.
        mode: "full", "same" or "valid".
        axes: the axes to convolve along, one or several; all by default.

    Returns:
        A tensor.

    Raises:
        ArgumentError: if the mode is unknown.
        ShapeError: if the numbers of axes differ, or no input contains the other in mode "valid".

    >>> sg.signal.fftconvolve(sg.ones(2, 2), sg.tensor([[1.0, 10.0]]), axes=1)
    tensor([[ 1., 11., 10.],
            [ 1., 11., 10.]])
    """
    dims = _whole(in1, in2, "fftconvolve")
    if axes is None:
        return _along_all(in1, in2, mode, "fftconvolve")
    chosen = [axis_of(a, dims) for a in ([axes] if isinstance(axes, int) else axes)]
    order = [*(k for k in range(dims) if k not in chosen), *chosen]
    y = Convolve(len(chosen))(permute(in1, order), permute(in2, order))
    y = permute(y, [order.index(k) for k in range(dims)])
    a, b = ([shape(v)[k] for k in chosen] for v in (in1, in2))
    return _cut(y, chosen, tuple(a), tuple(b), mode, "fftconvolve")


def correlate(in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """Return the correlation y_k = Σ_l x_l h_{l−k+m−1} along all axes: the convolution with h flipped.

    Args:
        in1, in2: x and h, with the same number of axes.
        mode: "full", "same" or "valid", as in ``convolve``.
        method: as in ``convolve``.

    Returns:
        A tensor.

    Raises:
        ArgumentError: if the mode or the method is unknown.
        ShapeError: if the numbers of axes differ, or no input contains the other in mode "valid".

    >>> sg.signal.correlate(sg.tensor([1.0, 2.0, 3.0]), sg.tensor([1.0, 10.0]), "valid")
    tensor([21., 32.])
    """
    if method not in ("auto", "direct", "fft"):
        raise ArgumentError(f"correlate: got method={method!r}. Acceptable methods are 'auto', 'direct', or 'fft'.")
    return _along_all(in1, conj(Flip(tuple(range(len(shape(in2)))))(in2)), mode, "correlate")


# ------------------------------------------------------------------ two axes, with what stands around
_AROUND: dict[str, Callable[[Any, int], Any]] = {
    "wrap": lambda place, n: place % n,
    "symm": lambda place, n: np.minimum(place % (2 * n), 2 * n - 1 - place % (2 * n)),
}


def convolve2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: float = 0) -> Any:
    """Return the convolution of two matrices, with x extended beyond its edges.

    Args:
        in1, in2: x (n, m) and h (k, l).
        mode: "full", "same" or "valid", as in ``convolve``.
        boundary: how to extend x: "fill", with ``fillvalue``; "wrap", periodically; "symm", by reflection at the edge.
        fillvalue: the number to extend x with.

    Returns:
        A tensor.

    Raises:
        ArgumentError: if the mode or the boundary is unknown.
        ShapeError: if an input is not a matrix, or none contains the other in mode "valid".

    >>> sg.signal.convolve2d(sg.tensor([[1.0, 2.0]]), sg.tensor([[1.0, 1.0]]), "same", "wrap")
    tensor([[3., 3.]])
    """
    return _two(in1, in2, mode, boundary, fillvalue, "convolve2d")


def _two(in1: Any, in2: Any, mode: str, boundary: str, fillvalue: float, name: str) -> Any:
    if len(shape(in1)) != 2 or len(shape(in2)) != 2:
        raise ShapeError(
            f"{name}: inputs must both be 2-D arrays. Got {show_shape(shape(in1))} and {show_shape(shape(in2))}."
        )
    if boundary not in ("fill", *_AROUND):
        raise ArgumentError(f"{name}: got boundary={boundary!r}. Acceptable boundaries are 'fill', 'wrap', 'symm'.")
    a, b = shape(in1), shape(in2)
    x = in1
    if mode != "valid" and (boundary != "fill" or fillvalue != 0):
        for k in range(2):
            x = _continued(x, k, b[k] - 1, boundary, fillvalue)
    y = _centred(Convolve(2)(x, in2), (0, 1), [n + m - 1 for n, m in zip(a, b, strict=True)])
    if mode == "same" and name == "correlate2d":  # SciPy's middle of a window with an even length is the later one
        return along(along(y, 0, b[0] // 2, b[0] // 2 + a[0]), 1, b[1] // 2, b[1] // 2 + a[1])
    return _cut(y, (0, 1), a, b, mode, name)


def _continued(x: Any, axis: int, more: int, boundary: str, value: float) -> Any:
    n = shape(x)[axis]
    if boundary == "fill":
        widths = [0, 0] * (1 - axis) + [more, more]
        return pad(x, widths, value=value)
    return Gather(((axis, Positions(_AROUND[boundary](np.arange(-more, n + more), n))),), "Pad")(x)


def correlate2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: float = 0) -> Any:
    """Return the correlation of two matrices, with x extended beyond its edges: the convolution with h flipped.

    Args:
        in1, in2, mode, boundary, fillvalue: as in ``convolve2d``.

    Returns:
        A tensor.

    Raises:
        ArgumentError: if the mode or the boundary is unknown.
        ShapeError: if an input is not a matrix, or none contains the other in mode "valid".

    >>> sg.signal.correlate2d(sg.tensor([[1.0, 2.0]]), sg.tensor([[1.0, 10.0]]), "valid")
    tensor([[21.]])
    """
    return _two(in1, conj(Flip(tuple(range(len(shape(in2)))))(in2)), mode, boundary, fillvalue, "correlate2d")
