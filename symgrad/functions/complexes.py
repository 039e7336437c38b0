"""Functions of complex numbers and their parts, under PyTorch's names; of real numbers what they are there."""

from __future__ import annotations

from typing import Any

from symgrad.engine.adapters import public, public_all
from symgrad.ops.elementwise import complexes
from symgrad.ops.shapes import arrange
from symgrad.ops.shapes.join import stack
from symgrad.support.arguments import check_all

__all__ = [
    "adjoint", "angle", "complex", "conj", "conj_physical", "imag", "polar", "real", "resolve_conj", "resolve_neg",
    "view_as_complex", "view_as_real",
]  # fmt: skip

conj, conj_physical = public(complexes.conj), public(complexes.conj_physical)
real = public(complexes.real)
imag = public(complexes.imag)
angle = public(complexes.angle)
complex = public_all(
    complexes.complex_of,
    "complex",
    """Return x + iy, given the real part x and the imaginary part y.

    Gradients: the real part of the result's gradient for x, its imaginary part for y.

    Args:
        real, imag: x and y, real tensors, arrays or numbers, broadcast against each other.

    Returns:
        A tensor of complex128, or of complex64 where both are float32.

    Raises:
        DTypeError: if a part is complex.

    >>> sg.complex(sg.tensor([1.0, 2.0]), sg.tensor([0.0, -1.0]))
    tensor([1.+0.j, 2.-1.j])
    """,
)
polar = public_all(
    complexes.polar,
    "polar",
    """Return abs·(cos φ + i·sin φ), the number with this absolute value and angle.

    Args:
        abs, angle: absolute value and angle φ in radians; real tensors, arrays or numbers.

    Returns:
        A tensor of complex128, or of complex64 where both are float32.

    >>> sg.polar(sg.tensor(2.0), sg.tensor(0.0))
    tensor(2.+0.j)
    """,
)
view_as_complex = public(complexes.view_as_complex)
adjoint = public(arrange.mH)


def view_as_real(input: Any) -> Any:
    """Return the real and imaginary parts along a new last axis of size 2.

    >>> sg.view_as_real(sg.tensor([1.0 + 2.0j]))
    tensor([[1., 2.]])
    """
    return _parts(input)


@public
def _parts(input: Any) -> Any:
    return complexes.view_as_real(input, stack)


def resolve_conj(input: Any) -> Any:
    """Return x itself, because conjugates are computed immediately."""
    return _same(input)


def resolve_neg(input: Any) -> Any:
    """Return x itself, because negatives are computed immediately."""
    return _same(input)


@public
def _same(input: Any) -> Any:
    return input


check_all(globals(), __all__)
