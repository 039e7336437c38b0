"""Orthogonal coordinates by their scale factors: Cartesian, polar, cylindrical and spherical ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sympy as sp

from symgrad.errors import ArgumentError

_ANGLES = (("θ", "φ"), ("theta", "phi"), ("φ", "θ"), ("phi", "theta"))


class Coordinates(NamedTuple):
    """Orthogonal coordinates u₁, u₂, …: a step du along the k-th one has the length h_k·du.

    Attributes:
        name: "cartesian", "polar", "cylindrical" or "spherical".
        scale: the scale factors h_k in SymPy's classes.
        words: how the coordinates are meant; empty for Cartesian ones.
    """

    name: str
    scale: tuple[Any, ...]
    words: str = ""

    @property
    def volume(self) -> Any:
        """h₁·h₂·…, the volume of a small box over that of its steps."""
        return sp.Mul(*self.scale)


_SCALES: dict[str, tuple[int, Callable[..., tuple[Any, ...]], str]] = {
    "polar": (2, lambda r, t: (1, r), "x = {0}·cos({1}), y = {0}·sin({1})"),
    "cylindrical": (3, lambda r, t, z: (1, r, 1), "x = {0}·cos({1}), y = {0}·sin({1}), and {2} is the height"),
    "spherical": (
        3,
        lambda r, t, p: (1, r, r * sp.sin(t)),
        "{0} is the distance from the origin, {1} the angle from the z-axis, {2} the angle in the x-y-plane",
    ),
}
SYSTEMS = ("cartesian", *_SCALES)


def check_system(who: str, name: str) -> None:
    """Refuse an unknown name of coordinates."""
    if name not in SYSTEMS:
        raise ArgumentError(f"{who}: coordinates={name!r} is unknown. Expected one of {list(SYSTEMS)}.")


def coordinates(who: str, name: str, symbols: Sequence[Any]) -> Coordinates:
    """Return the coordinates of a name, for symbols in their order."""
    if name == "cartesian":
        return Coordinates(name, (sp.S.One,) * len(symbols))
    size, scale, words = _SCALES[name]
    if len(symbols) != size:
        raise ArgumentError(
            f"{who}: got {[s.name for s in symbols]}. Expected {size} names in order of {name} coordinates."
        )
    made = tuple(map(sp.sympify, scale(*symbols)))
    return Coordinates(name, made, words.format(*(s.name for s in symbols)))


def usual_names(name: str, free: set[str]) -> list[str] | None:
    """Return the usual names of coordinates that a formula's names are among; None for Cartesian ones."""
    if name == "cartesian":
        return None
    for first, second in _ANGLES:
        names = {"polar": ["r", first], "cylindrical": ["r", first, "z"], "spherical": ["r", first, second]}[name]
        if free <= {*names} and (name != "spherical" or first in ("θ", "theta")):
            return names
    return None
