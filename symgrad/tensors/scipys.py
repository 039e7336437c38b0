"""SciPy's universal functions on tensors, those that symgrad has under SciPy's name only."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from symgrad.engine.record import apply, as_tensor
from symgrad.ops.elementwise.gamma import zeta
from symgrad.ops.elementwise.library import LIBRARY, complex_result, kelvin
from symgrad.scalars.library import COMPLEX, REFUSED, TUPLES

__all__ = ["REFUSED", "function_of"]

Function = Callable[..., Any]
_SPHERICAL = ("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn")
_RENAMED = {"_riemann_zeta": "riemann", **{f"_{name}": name for name in _SPHERICAL}}  # functions of SciPy's call these
_OWN: dict[str, Function] = {
    **{name: partial(complex_result, name) for name in COMPLEX},
    "kelvin": lambda x: kelvin(as_tensor(x)),
    "_zeta": zeta,
    "_lambertw": lambda z, k, tol: apply(LIBRARY["lambertw"], (z, k)),
}


def function_of(name: str) -> Function | None:
    """Return symgrad's function for a universal function of SciPy's; None if there is none."""
    if name in _OWN:
        return _OWN[name]
    if name in TUPLES:
        return lambda *xs: tuple(apply(LIBRARY[part], xs) for part in TUPLES[name])
    op = LIBRARY.get(_RENAMED.get(name, name))
    return None if op is None else lambda *xs: apply(op, xs)
