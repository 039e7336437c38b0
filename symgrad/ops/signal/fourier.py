"""Fourier transforms: y = F x with F_kj = exp(−2πi jk/n), which is symmetric, so that its rule is itself.

Of real numbers half of y says all; the operations between real numbers and that half are each other's rules, where the
entries that stand for two count twice. Cutting, padding and the other names are made around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import complexes, is_complex, parts
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.indexing.select import along
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import Op, shape
from symgrad.ops.reduction import Axes
from symgrad.ops.shape import axis_of
from symgrad.ops.shapes.arrange import roll
from symgrad.ops.shapes.padding import pad
from symgrad.ops.shapes.sizes import whole
from symgrad.support.arguments import shown
from symgrad.support.frozen import frozen

NORMS = ("backward", "ortho", "forward")  # which of the two directions divides by n, or both by √n
_SWAPPED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def factor(norm: str, inverse: bool, n: Any) -> Any:
    """Return the factor in front of the sum."""
    if norm == "ortho":
        return 1 / sp.sqrt(n)
    return sp.S.One / n if (norm == "backward") == inverse else sp.S.One


def _put(idx: Sequence[Any], axis: int, k: Any) -> list[Any]:
    return [*idx[:axis], k, *idx[axis + 1 :]]


def _matrix(n: int, m: int, sign: int) -> Any:
    """exp(±2πi jk/n) for k < m, in SymPy's numbers."""
    return np.array([[sp.exp(sign * 2 * sp.pi * sp.I * sp.Rational(j * k % n, n)) for j in range(n)] for k in range(m)])


@frozen
class FFT(Op):
    """y_k = s Σ_j exp(∓2πi jk/n) x_j along each of the axes; s is 1, 1/√n or 1/n, as the norm says."""

    axes: tuple[int, ...]
    inverse: bool = False
    norm: Any = "backward"
    linear = True
    conjugates = False
    saves = ""
    gives = complexes
    explained = "Fourier transform: its matrix is symmetric, so the adjoint is transformed"
    not_exportable = "no loop for a fast Fourier transform"

    @property
    def spelled(self) -> str:  # type: ignore[override]
        return "ifft" if self.inverse else "fft"

    @property
    def label(self) -> str:
        """PyTorch's name of the rule; that of real numbers too."""
        return "FftC2C"

    def forward(self, x: Any) -> Any:
        """Compute the transform with NumPy."""
        return (np.fft.ifftn if self.inverse else np.fft.fftn)(x, axes=self.axes, norm=self.norm)

    def out_shape(self, s: Shape) -> Shape:
        return s

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # y = F x  ⇒  the cotangent of x is Fᵀ ȳ = F ȳ
        return self(g)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """s Σ_j exp(∓2πi jk/n) x_j."""
        p, sign = ps[0], 1 if self.inverse else -1
        at, weight, limits = list(idx), sp.S.One, []
        for a in self.axes:
            j, n = p.fresh(), p.shape[a]
            weight *= factor(self.norm, self.inverse, n) * sp.exp(sign * 2 * sp.pi * sp.I * j * idx[a] / n)
            at = _put(at, a, j)
            limits.append((j, 0, n - 1))
        total: sp.Expr = p.sum(weight * p(at), limits)
        return total

    def on_symbols(self, *xs: Any) -> Any:
        """The sums, in roots of one."""
        y = np.asarray(xs[0], dtype=object)
        for a in self.axes:
            n = y.shape[a]
            matrix = _matrix(n, n, 1 if self.inverse else -1) * factor(self.norm, self.inverse, n)
            y = np.moveaxis(np.tensordot(matrix, y, (1, a)), 0, a)
        return y


class OfReal(Op):
    """Between n real numbers and the first ⌊n/2⌋ + 1 entries of their transform."""

    axis: int
    norm: Any
    linear = True
    conjugates = False
    saves = ""
    not_exportable = "no loop for a fast Fourier transform"

    doubled: bool

    def weighed(self, z: Any, n: int, weight: float) -> Any:
        """z times the weight where an entry stands for two."""
        weights = _weights(n, weight, z.dtype)
        return z * (weights if z.ndim == 1 else weights.reshape([-1 if k == self.axis else 1 for k in range(z.ndim)]))


@lru_cache(maxsize=64)
def _weights(n: int, weight: float, dtype: np.dtype[Any]) -> Any:
    """The weights in the dtype that they multiply, so that nothing is converted; nobody writes to them."""
    weights = _doubled(n, weight).astype(dtype)
    weights.flags.writeable = False
    return weights


def _doubled(n: int, weight: float) -> Any:
    """Ones for entries that stand for themselves, the weight for those that stand for two."""
    weights = np.full(n // 2 + 1, weight)
    weights[0] = 1
    if n % 2 == 0:
        weights[-1] = 1
    return weights


@frozen
class RFFT(OfReal):
    """The first ⌊n/2⌋ + 1 entries of F x, of real x."""

    axis: int
    norm: Any = "backward"
    doubled: bool = False  # the adjoint of IRFFT counts twice what stands for two

    @property
    def spelled(self) -> str:  # type: ignore[override]
        return "irfft_adjoint" if self.doubled else "rfft"

    gives = complexes
    explained = "Fourier transform of real numbers: the adjoint is transformed back, and its real part taken"
    label: ClassVar[str] = "FftR2C"

    def forward(self, x: Any) -> Any:
        """Compute the transform with NumPy."""
        y = np.fft.rfft(x, axis=self.axis, norm=self.norm)
        return self.weighed(y, np.shape(x)[self.axis], 2.0) if self.doubled else y

    def out_shape(self, s: Shape) -> Shape:
        """⌊n/2⌋ + 1 along the axis."""
        return (*s[: self.axis], s[self.axis] // 2 + 1, *s[self.axis + 1 :])

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # dL = Re Σ_k ȳ_k Σ_j e^(−2πi jk/n) dx_j: the sum over k without the halves that are not there
        return IRFFT(self.axis, shape(x)[self.axis], _SWAPPED[self.norm], self.doubled)(conj(g))

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """s Σ_j exp(−2πi jk/n) x_j."""
        entry = FFT((self.axis,), False, self.norm).index(idx, *ps)
        return entry * _twice(idx[self.axis], ps[0].shape[self.axis]) if self.doubled else entry

    def on_symbols(self, *xs: Any) -> Any:
        """The first entries of the sums."""
        x = np.asarray(xs[0], dtype=object)
        n = x.shape[self.axis]
        matrix = _matrix(n, n // 2 + 1, -1) * factor(self.norm, False, n)
        matrix = matrix * _doubled(n, 2).astype(int).astype(object)[:, None] if self.doubled else matrix
        return np.moveaxis(np.tensordot(matrix, x, (1, self.axis)), 0, self.axis)


@frozen
class IRFFT(OfReal):
    """The n real numbers whose transform begins with z, of ⌊n/2⌋ + 1 entries."""

    axis: int
    n: int
    norm: Any = "backward"
    doubled: bool = True  # the adjoint of RFFT counts each entry once

    @property
    def spelled(self) -> str:  # type: ignore[override]
        return "irfft" if self.doubled else "rfft_adjoint"

    gives = parts
    analytic = True
    explained = "inverse transform to real numbers: the adjoint is transformed, entries that stand for two doubled"
    label: ClassVar[str] = "FftC2R"

    def forward(self, z: Any) -> Any:
        """Compute the inverse transform with NumPy."""
        z = z if self.doubled else self.weighed(np.asarray(z), self.n, 0.5)
        return np.fft.irfft(z, self.n, axis=self.axis, norm=self.norm)

    def out_shape(self, s: Shape) -> Shape:
        return (*s[: self.axis], self.n, *s[self.axis + 1 :])

    def vjp(self, i: int, g: Any, y: Any, z: Any) -> Any:
        # y_j = s Σ_k v_k Re(z_k e^(2πi jk/n)), v = 2 but for what stands for itself: z̄_k = s v_k Σ_j ȳ_j e^(2πi jk/n)
        return conj(RFFT(self.axis, _SWAPPED[self.norm], self.doubled)(g))

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """s Σ_k v_k Re(z_k exp(2πi jk/n))."""
        p, k = ps[0], ps[0].fresh()
        turned = sp.re(p(_put(idx, self.axis, k)) * sp.exp(2 * sp.pi * sp.I * k * idx[self.axis] / self.n))
        body = factor(self.norm, True, self.n) * (_twice(k, self.n) if self.doubled else 1) * turned
        total: sp.Expr = p.sum(body, [(k, 0, self.n // 2)])
        return total

    def on_symbols(self, *xs: Any) -> Any:
        """The sums of real parts."""
        z = np.moveaxis(np.asarray(xs[0], dtype=object), self.axis, 0)
        weights = _doubled(self.n, 2 if self.doubled else 1).astype(int).tolist()
        matrix = (_matrix(self.n, len(z), 1) * np.array(weights, dtype=object)[:, None]).T
        y = np.tensordot(matrix, z, (1, 0)) * factor(self.norm, True, self.n)
        return np.moveaxis(np.vectorize(sp.re, otypes=[object])(y), 0, self.axis)


def _twice(k: Any, n: Any) -> Any:
    """2 where entry k of n stands for two, else 1."""
    return sp.Piecewise((1, sp.Eq(k, 0) | sp.Eq(2 * k, n)), (2, True))


# ------------------------------------------------------------------ lengths, axes, norms
def _norm(name: str, norm: str | None) -> str:
    mode = "backward" if norm is None else norm
    if mode not in NORMS:
        raise ArgumentError(f'{name}: Invalid normalization mode: "{norm}". Expected "backward", "ortho" or "forward".')
    return mode


def resized(x: Any, axis: int, n: Any, name: str) -> Any:
    """x cut, or continued by zeros, to n entries along the axis."""
    have = shape(x)[axis]
    n = n if isinstance(n, sp.Expr) else whole(n)
    if not isinstance(n, sp.Expr) and n < 1:
        raise ShapeError(f"{name}: Invalid number of data points ({n}) specified. Expected at least 1.")
    if have == n:
        return x
    if have > n:
        return along(x, axis, 0, n)
    return pad(x, [0, 0] * (len(shape(x)) - 1 - axis) + [0, n - have])


def _axis(x: Any, dim: Any, axis: Any, name: str) -> int:
    s = shape(x)
    if not s:
        raise ShapeError(f"{name}: got a tensor without axes. Expected at least one dimension to transform along.")
    return axis_of(dim if axis is None else axis, len(s))


def _several(x: Any, s: Any, dim: Any, axes: Any, name: str) -> tuple[list[int], list[Any]]:
    """The axes to transform along, and the length of each; −1 keeps it."""
    sizes, dims = shape(x), dim if axes is None else axes
    if not sizes:
        raise ShapeError(f"{name}: got a tensor without axes. Expected at least one dimension to transform along.")
    sizes_given = [s] if isinstance(s, (int, np.integer)) else s
    if not (sizes_given is None or isinstance(sizes_given, (list, tuple, range, np.ndarray))):
        raise ArgumentTypeError(f"{name}: got s={shown(s)}. Expected an integer, a tuple of them, or None.")
    if dims is None:
        dims = range(len(sizes)) if sizes_given is None else range(-len(sizes_given), 0)
    chosen = [axis_of(a, len(sizes)) for a in ([dims] if isinstance(dims, (int, np.integer)) else dims)]
    if sizes_given is not None and len(sizes_given) != len(chosen):
        raise ArgumentError(
            f"{name}: When given, dim and shape arguments must have the same length. Got s={s} and dim={dims}."
        )
    lengths = (
        [sizes[a] for a in chosen]
        if sizes_given is None
        else [sizes[a] if n in (-1, None) else n for n, a in zip(sizes_given, chosen, strict=True)]
    )
    if 0 in lengths:
        raise ShapeError(f"{name}: Invalid number of data points (0) specified. Got shape {show_shape(sizes)}.")
    return chosen, lengths


def _check_real(x: Any, name: str) -> None:
    dtype = getattr(x, "dtype", None)
    if dtype is not None and is_complex(np.dtype(dtype)):
        raise DTypeError(f"{name} expects a real input tensor, but got {np.dtype(dtype)}. Use fft, or pass x.real.")


def _once(x: Any, n: Any, a: int, norm: str | None, inverse: bool, name: str) -> Any:
    return FFT((a,), inverse, _norm(name, norm))(resized(x, a, shape(x)[a] if n is None else n, name))


# ------------------------------------------------------------------ one axis
def fft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, axis: int | None = None) -> Any:
    """Return the Fourier transform y_k = Σ_j exp(−2πi jk/n) x_j along an axis. Gradient: its transform.

    Args:
        input: x, real or complex, with at least one axis.
        n: the length to truncate x to, or to pad it to with zeros.
        dim, axis: the axis.
        norm: "backward" to divide by n in the inverse only; "ortho" to divide by √n in both; "forward" to divide by n
            in this direction only.

    Returns:
        A complex tensor of n entries along the axis.

    Raises:
        ArgumentError: if the norm is unknown.
        ShapeError: if x has no axis, or n is less than 1.

    Source: Cooley and Tukey 1965.

    >>> sg.fft.fft(sg.tensor([1.0, 0.0, 0.0, 0.0])).real
    tensor([1., 1., 1., 1.])
    """
    return _once(input, n, _axis(input, dim, axis, "fft"), norm, False, "fft")


def ifft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, axis: int | None = None) -> Any:
    """Return the inverse of fft, y_j = Σ_k exp(2πi jk/n) x_k / n.

    Args:
        input, n, dim, axis, norm: as in ``fft``.

    Returns:
        A complex tensor of n entries along the axis.

    Raises:
        ArgumentError: if the norm is unknown.
        ShapeError: if x has no axis, or n is less than 1.

    >>> sg.fft.ifft(sg.fft.fft(sg.tensor([1.0, 2.0]))).real
    tensor([1., 2.])
    """
    return _once(input, n, _axis(input, dim, axis, "ifft"), norm, True, "ifft")


def rfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, axis: int | None = None) -> Any:
    """Return the first ⌊n/2⌋ + 1 entries of the transform of real numbers; the others are their conjugates.

    Args:
        input: x, real.
        n, dim, axis, norm: as in ``fft``.

    Returns:
        A complex tensor of ⌊n/2⌋ + 1 entries along the axis.

    Raises:
        DTypeError: if x is complex.
        ArgumentError: if the norm is unknown.
        ShapeError: if x has no axis, or n is less than 1.

    >>> sg.fft.rfft(sg.tensor([1.0, 2.0, 3.0, 4.0])).imag
    tensor([0., 2., 0.])
    """
    _check_real(input, "rfft")
    a = _axis(input, dim, axis, "rfft")
    return RFFT(a, _norm("rfft", norm))(resized(input, a, shape(input)[a] if n is None else n, "rfft"))


def irfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, axis: int | None = None) -> Any:
    """Return the n real numbers whose transform begins with z: the inverse of rfft.

    Args:
        input: z, (…, m, …). Parts that are zero in the transform of real numbers, such as the imaginary part of the
            first entry, are ignored.
        n: the number of results; 2(m − 1) by default.
        dim, axis, norm: as in ``fft``.

    Returns:
        A real tensor of n entries along the axis.

    Raises:
        ArgumentError: if the norm is unknown.
        ShapeError: if z has no axis, or n is less than 1.

    >>> sg.fft.irfft(sg.fft.rfft(sg.tensor([1.0, 2.0, 3.0])), 3)
    tensor([1., 2., 3.])
    """
    a = _axis(input, dim, axis, "irfft")
    return _to_real(input, 2 * (shape(input)[a] - 1) if n is None else n, a, _norm("irfft", norm), "irfft")


def _to_real(z: Any, n: Any, a: int, norm: str, name: str) -> Any:
    n = whole(n)
    if n < 1:
        raise ShapeError(f"{name}: Invalid number of data points ({n}) specified. Expected at least 1.")
    return IRFFT(a, n, norm)(resized(z, a, n // 2 + 1, name))


def hfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, axis: int | None = None) -> Any:
    """Return the real transform of n numbers that begin with z and continue with its conjugates: n · irfft(conj z).

    Args:
        input: z, (…, m, …).
        n: the length; 2(m − 1) by default.
        dim, axis, norm: as in ``fft``.

    Returns:
        A real tensor of n entries along the axis.

    Raises:
        ArgumentError: if the norm is unknown.
        ShapeError: if z has no axis, or n is less than 1.

    >>> sg.fft.hfft(sg.tensor([1.0, 2.0]))
    tensor([ 3., -1.])
    """
    a = _axis(input, dim, axis, "hfft")
    size = 2 * (shape(input)[a] - 1) if n is None else n
    return _to_real(conj(input), size, a, _SWAPPED[_norm("hfft", norm)], "hfft")


def ihfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None, *, axis: int | None = None) -> Any:
    """Return the inverse of hfft: conj(rfft(x)) / n.

    Args:
        input: x, real.
        n, dim, axis, norm: as in ``fft``.

    Returns:
        A complex tensor of ⌊n/2⌋ + 1 entries along the axis.

    Raises:
        DTypeError: if x is complex.
        ArgumentError: if the norm is unknown.
        ShapeError: if x has no axis, or n is less than 1.

    >>> sg.fft.ihfft(sg.tensor([3.0, -1.0])).real
    tensor([1., 2.])
    """
    _check_real(input, "ihfft")
    a = _axis(input, dim, axis, "ihfft")
    x = resized(input, a, shape(input)[a] if n is None else n, "ihfft")
    return conj(RFFT(a, _SWAPPED[_norm("ihfft", norm)])(x))


# ------------------------------------------------------------------ several axes
def _along_several(x: Any, s: Any, dims: Any, axes: Any, norm: str | None, inverse: bool, name: str) -> Any:
    along, lengths = _several(x, s, dims, axes, name)
    rule = _norm(name, norm)
    for a, n in zip(along, lengths, strict=True):
        x = resized(x, a, n, name)
    if len(set(along)) == len(along):
        return FFT(tuple(along), inverse, rule)(x)
    for a in along:  # NumPy transforms along an axis as often as it is named
        x = FFT((a,), inverse, rule)(x)
    return x


def _real_several(x: Any, s: Any, dims: Any, axes: Any, norm: str, name: str) -> Any:
    _check_real(x, name)
    along, lengths = _several(x, s, dims, axes, name)
    if not along:
        raise ShapeError(f"{name}: must transform at least one axis. Got dim={dims}.")
    for a, n in zip(along, lengths, strict=True):
        x = resized(x, a, n, name)
    y = RFFT(along[-1], norm)(x)
    return FFT(tuple(along[:-1]), False, norm)(y) if along[:-1] else y


def _to_real_several(z: Any, s: Any, dims: Any, axes: Any, norm: str, name: str) -> Any:
    along, lengths = _several(z, s, dims, axes, name)
    if not along:
        raise ShapeError(f"{name}: must transform at least one axis. Got dim={dims}.")
    last = along[-1]
    given = s is not None and (s if isinstance(s, (int, np.integer)) else list(s)[-1]) not in (-1, None)
    n = lengths[-1] if given else 2 * (shape(z)[last] - 1)
    for a, m in zip(along[:-1], lengths[:-1], strict=True):
        z = resized(z, a, m, name)
    z = FFT(tuple(along[:-1]), True, norm)(z) if along[:-1] else z
    return _to_real(z, n, last, norm, name)


def fftn(input: Any, s: Axes = None, dim: Any = None, norm: str | None = None, *, axes: Any = None) -> Any:
    """Return the Fourier transform along several axes.

    Args:
        input: x, real or complex.
        s: the length to truncate or to pad each axis to; −1 keeps it.
        dim, axes: the axes; all by default, or with ``s`` the last ones.
        norm: as in ``fft``.

    Returns:
        A complex tensor.

    Raises:
        ArgumentError: if the norm is unknown, or the numbers of lengths and axes differ.
        ShapeError: if a length is less than 1.

    >>> sg.fft.fftn(sg.ones(2, 2)).real
    tensor([[4., 0.],
            [0., 0.]])
    """
    return _along_several(input, s, dim, axes, norm, False, "fftn")


def ifftn(input: Any, s: Axes = None, dim: Any = None, norm: str | None = None, *, axes: Any = None) -> Any:
    """Return the inverse of fftn.

    Args:
        input, s, dim, axes, norm: as in ``fftn``.

    Returns:
        A complex tensor.

    Raises:
        ArgumentError: if the norm is unknown, or the numbers of lengths and axes differ.
        ShapeError: if a length is less than 1.

    >>> sg.fft.ifftn(sg.ones(2, 2)).real
    tensor([[1., 0.],
            [0., 0.]])
    """
    return _along_several(input, s, dim, axes, norm, True, "ifftn")


def rfftn(input: Any, s: Axes = None, dim: Any = None, norm: str | None = None, *, axes: Any = None) -> Any:
    """Return the Fourier transform of real numbers along several axes: the first half along the last axis.

    Args:
        input: x, real.
        s, dim, axes, norm: as in ``fftn``.

    Returns:
        A complex tensor.

    Raises:
        DTypeError: if x is complex.
        ArgumentError: if the norm is unknown, or the numbers of lengths and axes differ.
        ShapeError: if a length is less than 1, or x has no axis.

    >>> sg.fft.rfftn(sg.ones(2, 4)).shape
    (2, 3)
    """
    return _real_several(input, s, dim, axes, _norm("rfftn", norm), "rfftn")


def irfftn(input: Any, s: Axes = None, dim: Any = None, norm: str | None = None, *, axes: Any = None) -> Any:
    """Return the inverse of rfftn: real numbers.

    Args:
        input: z.
        s: the lengths of the result; along the last axis 2(m − 1) by default.
        dim, axes, norm: as in ``fftn``.

    Returns:
        A real tensor.

    Raises:
        ArgumentError: if the norm is unknown, or the numbers of lengths and axes differ.
        ShapeError: if a length is less than 1.

    >>> sg.fft.irfftn(sg.fft.rfftn(sg.ones(2, 4)))
    tensor([[1., 1., 1., 1.],
            [1., 1., 1., 1.]])
    """
    return _to_real_several(input, s, dim, axes, _norm("irfftn", norm), "irfftn")


def hfftn(input: Any, s: Axes = None, dim: Any = None, norm: str | None = None, *, axes: Any = None) -> Any:
    """Return the real transform of an array that begins with z along the last axis, and continues with its conjugates.

    Args:
        input: z.
        s, dim, axes, norm: as in ``irfftn``.

    Returns:
        A real tensor.

    Raises:
        ArgumentError: if the norm is unknown, or the numbers of lengths and axes differ.
        ShapeError: if a length is less than 1.

    >>> sg.fft.hfftn(sg.ones(2, 2))
    tensor([[4., 0.],
            [0., 0.]])
    """
    return _to_real_several(conj(input), s, dim, axes, _SWAPPED[_norm("hfftn", norm)], "hfftn")


def ihfftn(input: Any, s: Axes = None, dim: Any = None, norm: str | None = None, *, axes: Any = None) -> Any:
    """Return the inverse of hfftn.

    Args:
        input: x, real.
        s, dim, axes, norm: as in ``fftn``.

    Returns:
        A complex tensor.

    Raises:
        DTypeError: if x is complex.
        ArgumentError: if the norm is unknown, or the numbers of lengths and axes differ.
        ShapeError: if a length is less than 1, or x has no axis.

    >>> sg.fft.ihfftn(sg.ones(2, 2)).real
    tensor([[1., 0.],
            [0., 0.]])
    """
    return conj(_real_several(input, s, dim, axes, _SWAPPED[_norm("ihfftn", norm)], "ihfftn"))


def _of_two(fn: Any, name: str, says: str) -> Any:
    """The function of several axes as one of the last two."""

    def two(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, axes: Any = None) -> Any:
        return fn(input, s, dim if axes is None else axes, norm)

    two.__name__ = two.__qualname__ = name
    two.__doc__ = f"""{says}

    Args:
        input: x, with at least two axes.
        s: the lengths, as in ``{fn.__name__}``.
        dim, axes: the axes, the last two by default.
        norm: as in ``fft``.

    Returns:
        A tensor, like that of ``{fn.__name__}``.

    Raises:
        ArgumentError: if the norm is unknown, or the numbers of lengths and axes differ.
        ShapeError: if a length is less than 1.
    """
    return two


fft2 = _of_two(fftn, "fft2", "Return the Fourier transform along two axes.")
ifft2 = _of_two(ifftn, "ifft2", "Return the inverse transform of fft2.")
rfft2 = _of_two(rfftn, "rfft2", "Return the transform of real numbers along two axes: half of it along the last axis.")
irfft2 = _of_two(irfftn, "irfft2", "Return the inverse transform of rfft2, which is real.")
hfft2 = _of_two(hfftn, "hfft2", "Return the real transform of an array that continues with its conjugates.")
ihfft2 = _of_two(ihfftn, "ihfft2", "Return the inverse transform of hfft2.")


# ------------------------------------------------------------------ the order of the frequencies
def fftshift(input: Any, dim: Any = None, *, axes: Any = None) -> Any:
    """Shift the entries so that frequency 0 is in the middle: entry 0 of n moves to ⌊n/2⌋.

    Args:
        input: x, any shape.
        dim, axes: the axes; all by default.

    Returns:
        Shaped like x.

    Raises:
        IndexRangeError: if an axis lies outside x.

    >>> sg.fft.fftshift(sg.fft.fftfreq(4, 0.25))
    tensor([-2., -1.,  0.,  1.])
    """
    return _shifted(input, dim if axes is None else axes, 1)


def ifftshift(input: Any, dim: Any = None, *, axes: Any = None) -> Any:
    """Undo fftshift: entry ⌊n/2⌋ of n moves to 0.

    Args:
        input: x, any shape.
        dim, axes: the axes; all by default.

    Returns:
        Shaped like x.

    Raises:
        IndexRangeError: if an axis lies outside x.

    >>> sg.fft.ifftshift(sg.tensor([-1.0, 0.0, 1.0]))
    tensor([ 0.,  1., -1.])
    """
    return _shifted(input, dim if axes is None else axes, -1)


def _shifted(x: Any, dims: Any, sign: int) -> Any:
    s = shape(x)
    dims = range(len(s)) if dims is None else [dims] if isinstance(dims, (int, np.integer)) else dims
    axes = [axis_of(a, len(s)) for a in dims]
    return roll(x, [sign * (s[a] // 2) for a in axes], axes) if axes else x
