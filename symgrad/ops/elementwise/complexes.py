"""Complex numbers: their parts, conjugate, absolute value, angle and sign, which are not holomorphic.

Sweeps carry cotangents c with dL = Re(c·dz), not conjugated. Of y = f(z) the cotangent of z is then
c·∂y/∂z + conj(c·∂y/∂z̄) by Wirtinger's derivatives; the second term is zero where f is holomorphic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from symgrad.core.promotion import complexes, floating, is_complex, parts
from symgrad.errors import DTypeError, shown_as
from symgrad.ops.convert import DETACH, Cast
from symgrad.ops.elementwise.declared import BINARY, UNARY, WHERE
from symgrad.ops.elementwise.guards import NONZERO
from symgrad.ops.map import IDENTITY, POW, Entrywise, clip, sum_terms
from symgrad.ops.protocol import not_complex
from symgrad.support.frozen import frozen

exp, log, cos, sin = (UNARY[n] for n in ("exp", "log", "cos", "sin"))


def holds_complex(x: Any) -> bool:
    """Whether x is a complex number, or an array or tensor of such."""
    dtype = getattr(x, "dtype", None)
    return type(x) is complex if dtype is None else is_complex(dtype)


class OfComplex(Entrywise):
    """A function of complex numbers that is not holomorphic."""

    analytic = True  # its rule is made for them
    not_exportable = "loops have no complex numbers: exports write their parts"


class Part(OfComplex):
    """A function of one complex number, which SymPy has as ``meaning``."""

    meaning: ClassVar[Any]

    def on_symbols(self, *xs: Any) -> Any:
        return np.frompyfunc(type(self).meaning, 1, 1)(xs[0])

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        return type(self).meaning(ps[0](idx))


@frozen
class Conj(Part):
    """x - iy of x + iy."""

    saves = ""
    meaning = sp.conjugate
    shares = True
    explained = "conjugate: the adjoint is conjugated, too"

    def put(self, x: Any, v: Any) -> Any:
        return conj(v)

    def forward(self, z: Any) -> Any:
        return np.conjugate(z)

    def vjp(self, i: int, g: Any, y: Any, z: Any) -> Any:
        return conj(g)

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        return conj(ts[0])


@frozen
class Real(Part):
    """x of x + iy."""

    saves = ""
    gives = parts
    meaning = sp.re
    shares = True
    explained = "real part: the adjoint is real"

    def put(self, x: Any, v: Any) -> Any:
        """v + iy."""
        return COMPLEX(v, imag(x))

    def forward(self, z: Any) -> Any:
        return np.array(np.real(z))

    def vjp(self, i: int, g: Any, y: Any, z: Any) -> Any:
        """g, which is real: ∂x/∂z = ∂x/∂z̄ = 1/2."""
        return g

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        return real(ts[0])


@frozen
class Imag(Part):
    """y of x + iy."""

    saves = ""
    gives = parts
    meaning = sp.im
    shares = True
    explained = "imaginary part: the adjoint times -i"

    def put(self, x: Any, v: Any) -> Any:
        """x + iv."""
        return COMPLEX(real(x), v)

    def forward(self, z: Any) -> Any:
        return np.array(np.imag(z))

    def vjp(self, i: int, g: Any, y: Any, z: Any) -> Any:
        """-i·g: ∂y/∂z = 1/(2i), ∂y/∂z̄ = -1/(2i)."""
        return g * -1j

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        return imag(ts[0])


@frozen
class Complex(OfComplex):
    """x + iy of x and y."""

    saves = ""
    gives = complexes
    explained = "complex number of its parts: the real part and minus the imaginary part of the adjoint"

    def forward(self, x: Any, y: Any) -> Any:
        """Put the parts together; i·∞ has no real part."""
        x, y = np.broadcast_arrays(x, y)
        z = np.empty(x.shape, complexes(x.dtype, y.dtype))
        z.real, z.imag = x, y
        return z

    def on_symbols(self, x: Any, y: Any) -> Any:
        return x + sp.I * y

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        """Re(g·dx) and Re(g·i·dy)."""
        return real(g) if i == 0 else -imag(g)

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        dx, dy = (t * 0 if s is None else s for s, t in zip(ts, reversed(ts), strict=True))
        return COMPLEX(dx, dy)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        x, y = (p(clip(idx, p.shape)) for p in ps)
        return x + sp.I * y


@frozen
class Magnitude(Part):
    """The absolute value |z|."""

    name = "Abs"
    gives = parts
    meaning = sp.Abs
    explained = "absolute value: the adjoint times conj(z)/|z|, 0 at 0"

    def forward(self, z: Any) -> Any:
        """√(x² + y²)."""
        return np.abs(z)

    def vjp(self, i: int, g: Any, y: Any, z: Any) -> Any:
        """g·conj(z)/|z|: ∂|z|/∂z = conj(z)/(2|z|)."""
        return g * conj(SIGN(z))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """Return the tangent Re(conj(z)/|z|·dz)."""
        return real(conj(SIGN(xs[0])) * ts[0])


@frozen
class Angle(Part):
    """The angle of z, from -π to π."""

    gives = parts
    saves = "x"
    meaning = sp.arg
    explained = "angle: the adjoint times 1/(iz), 0 at 0"

    def forward(self, z: Any) -> Any:
        """Return atan2(y, x)."""
        return np.angle(z)

    def vjp(self, i: int, g: Any, y: Any, z: Any) -> Any:
        """g/(iz), as the angle is Im log z."""
        return g * -1j * _inverse(z)

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """Return the tangent Im(dz/z)."""
        return imag(ts[0] * _inverse(xs[0]))


@frozen
class Sign(Part):
    """z/|z|, 0 at 0."""

    name = "Sgn"
    meaning = sp.sign
    explained = "sign: what of the adjoint turns z, over |z|"

    def forward(self, z: Any) -> Any:
        """Divide by the absolute value, where this overflows or has few digits by that of a multiple."""
        size = np.maximum(np.abs(np.real(z)), np.abs(np.imag(z)))
        scale = np.where((size > 2.0**1000) & (size < np.inf), 2.0**-64, np.where(size < 2.0**-960, 2.0**64, 1.0))
        return np.sign(z * scale)

    def vjp(self, i: int, g: Any, y: Any, z: Any) -> Any:
        """(g - conj(g·y²))/(2|z|): ∂y/∂z = 1/(2|z|), ∂y/∂z̄ = -y²/(2|z|)."""
        return (g - conj(g * y * y)) * _inverse(MAGNITUDE(z)) * 0.5

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """(dz - y²·conj(dz))/(2|z|)."""
        (t,) = ts
        return (t - y * y * conj(t)) * _inverse(MAGNITUDE(xs[0])) * 0.5


@frozen
class Power(OfComplex):
    """z^p = exp(p·log z) with the principal logarithm; 0^p is 0 for p > 0 and 1 for p = 0."""

    name = "Pow"
    explained = "power: p·z^(p-1), and z^p times the logarithm of z in the exponent"

    def forward(self, z: Any, p: Any) -> Any:
        """Compute the power with NumPy."""
        return np.power(z, p)

    def vjp(self, i: int, g: Any, y: Any, z: Any, p: Any) -> Any:
        """p·z^(p-1), or y·log z; 0 where p or z is 0."""
        if i == 0:
            return g * p * _where_nonzero(p, POWER(z, p - 1))
        return g * y * _where_nonzero(z, log(_as_complex(_nonzero(z))))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """Add the terms of base and exponent."""
        terms = [self.vjp(i, t, y, *xs) for i, t in enumerate(ts) if t is not None]
        return sum_terms(terms)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        z, p = (q(clip(idx, q.shape)) if hasattr(q, "shape") else q for q in ps)
        return z**p


@frozen
class LogAddExp(OfComplex):
    """log(exp a + exp b) = a + log(1 + exp(b - a)), a the one with the larger real part, which says the branch."""

    name = "Logaddexp"
    gives = floating
    saves = "xy"
    explained = "logarithm of a sum of exponentials: the adjoint times the exponential over the sum"

    def forward(self, a: Any, b: Any) -> Any:
        """Through the larger one, so that nothing overflows."""
        return logaddexp(*(np.asarray(v) for v in (a, b)))

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        """g·exp(x - y)."""
        return g * exp(xs[i] - y)

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """Add the terms of both arguments."""
        return sum_terms([self.vjp(i, t, y, *xs) for i, t in enumerate(ts) if t is not None])

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """The logarithm of the entries' sum."""
        return sp.log(sp.Add(*[sp.exp(p(clip(idx, p.shape))) for p in ps]))


def logaddexp(a: Any, b: Any) -> Any:
    """log(exp a + exp b) of complex arrays."""
    larger, other = np.where(a.real >= b.real, a, b), np.where(a.real >= b.real, b, a)
    with np.errstate(invalid="ignore"):
        return larger + np.log1p(np.exp(other - larger))


CONJ, REAL, IMAG, COMPLEX = Conj(), Real(), Imag(), Complex()
MAGNITUDE, ANGLE, SIGN, POWER = Magnitude(), Angle(), Sign(), Power()

# What takes the place of functions of real numbers, where the same name means something else
UNARY["abs"].twin, UNARY["sign"].twin, POW.twin = MAGNITUDE, SIGN, POWER
BINARY["logaddexp"].twin = LogAddExp()


def _as_complex(z: Any) -> Any:
    """A negative real base has a complex logarithm."""
    if isinstance(z, (int, float)):
        return complex(z)
    return z if is_complex(z.dtype) else Cast(np.result_type(z.dtype, np.complex64))(z)


def _where_nonzero(condition: Any, value: Any) -> Any:
    if isinstance(condition, (int, float, complex)):
        return value if condition else 0.0
    return WHERE(condition, value, 0.0)


def _nonzero(z: Any) -> Any:
    return WHERE(z, z, 1.0)


def _inverse(z: Any) -> Any:
    """1/z, 0 at 0."""
    return _where_nonzero(z, 1.0 / _nonzero(z)) if holds_complex(z) else 1.0 / NONZERO(z)


# ------------------------------------------------------------------ of real and complex numbers
def conj(x: Any) -> Any:
    """Return the complex conjugate, or x itself for real numbers."""
    return CONJ(x) if holds_complex(x) else x


def conj_physical(x: Any) -> Any:
    """Return the complex conjugate as a new tensor, or x itself for real numbers."""
    return IDENTITY(CONJ(x)) if holds_complex(x) else x


def real(x: Any) -> Any:
    """Return the real part, or x itself for real numbers."""
    return REAL(x) if holds_complex(x) else x


def imag(x: Any) -> Any:
    """Return the imaginary part, which is 0 for real numbers."""
    return IMAG(x) if holds_complex(x) else DETACH(x) * 0


def each_part(f: Callable[[Any], Any], x: Any) -> Any:
    """Apply f to the real and the imaginary part of complex numbers separately."""
    return COMPLEX(f(real(x)), f(imag(x))) if holds_complex(x) else f(x)


def angle(x: Any) -> Any:
    """Return the angle of complex numbers in the plane, which is 0 or π for real numbers."""
    if holds_complex(x):
        return ANGLE(x)
    return WHERE(BINARY["lt"](x, 0), np.pi, DETACH(x) * 0)


@shown_as("complex")
def complex_of(real: Any, imag: Any) -> Any:
    """Return x + iy for real tensors of the same dtype."""
    for name, part in (("real", real), ("imag", imag)):
        if holds_complex(part):
            raise DTypeError(f"complex(): expected real parts, got {part.dtype} for '{name}'. Pass z.real or z.imag.")
    return COMPLEX(real, imag)


def polar(abs: Any, angle: Any) -> Any:
    """Return r·(cos φ + i·sin φ) with r = ``abs`` and φ = ``angle``."""
    if holds_complex(abs) or holds_complex(angle):
        raise not_complex("polar")
    return COMPLEX(abs * cos(angle), abs * sin(angle))


def view_as_complex(x: Any) -> Any:
    """Return x[…, 0] + i·x[…, 1]."""
    shape = x.shape
    if holds_complex(x) or not shape or shape[-1] != 2:
        raise DTypeError(
            "Tensor must have a last dimension of size 2 and real numbers. "
            f"Got shape {list(shape)} and dtype {x.dtype}; stack real and imaginary parts along a new last axis."
        )
    return COMPLEX(x[..., 0], x[..., 1])


def view_as_real(z: Any, stack: Any) -> Any:
    """Return the real and imaginary parts along a new last axis."""
    if not holds_complex(z):
        raise DTypeError(f"view_as_real is only supported for complex tensors. Got {z.dtype}.")
    return stack([real(z), imag(z)], -1)
