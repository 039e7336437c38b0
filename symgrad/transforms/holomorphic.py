"""Which derivatives functions of complex numbers have.

A real result has a gradient, real inputs have a derivative of whatever follows. Between complex numbers there is one
number dy/dz only where the function is holomorphic, and whoever asks for it says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.core.promotion import is_complex
from symgrad.errors import DTypeError

_HOLOMORPHIC = (
    "{name} with holomorphic=True requires {what} with a dtype that is a sub-dtype of np.complexfloating, but got "
    "{dtype}. Pass complex arrays, or leave out holomorphic=True."
)
_NEITHER = (
    "{name} requires real-valued {what} ({of} dtype that is a sub-dtype of np.floating), but got {dtype}. For "
    "holomorphic differentiation, pass holomorphic=True. For differentiation of non-holomorphic functions involving "
    "complex {what}, use {instead} directly."
)


def check_holomorphic(name: str, xs: Sequence[Any], ys: Sequence[Any]) -> None:
    """Refuse real inputs and results of a function that is said to be holomorphic."""
    for what, ts in (("inputs", xs), ("outputs", ys)):
        for t in ts:
            if not is_complex(t.dtype):
                raise DTypeError(_HOLOMORPHIC.format(name=name, what=what, dtype=t.dtype))


def check_real(name: str, xs: Sequence[Any], ys: Sequence[Any]) -> None:
    """Refuse complex results of what gradients are asked of; inputs may be complex."""
    _check_real(name, ys, "outputs", "output", "vjp")


def _check_real(name: str, ts: Sequence[Any], what: str, of: str, instead: str) -> None:
    for t in ts:
        if is_complex(t.dtype):
            raise DTypeError(_NEITHER.format(name=name, what=what, of=of, dtype=t.dtype, instead=instead))


def mode_for(name: str, xs: Sequence[Any], ys: Sequence[Any], mode: str, holomorphic: bool, free: bool) -> str:
    """Return the mode of a Jacobian, checking the dtypes; where it is free to choose, the one that can be.

    Forward mode moves real inputs, reverse mode pulls real results back; of what is holomorphic both do.
    """
    if holomorphic:
        check_holomorphic(name, xs, ys)
        return mode
    if free and mode == "forward" and any(is_complex(x.dtype) for x in xs):
        mode = "reverse"
    elif free and mode == "reverse" and any(is_complex(y.dtype) for y in ys):
        mode = "forward"
    if mode == "forward":
        _check_real(name, xs, "inputs", "input", "jvp")
    else:
        check_real(name, xs, ys)
    return mode
