"""States, controls and parameters by their names, and where they stand in one vector."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.control.arguments import named, pair, real, result
from symgrad.errors import ArgumentError
from symgrad.support.namespace import near


@dataclass(frozen=True)
class Variable:
    """A state, a control or a parameter.

    Attributes:
        lower, upper: its bounds, numbers or arrays of its shape.
        shape: the shape of its value at one time.
        unit: the unit that plots show.
        guess: the value at which the solver starts if no other guess is available.
    """

    lower: Any = -math.inf
    upper: Any = math.inf
    shape: tuple[int, ...] = ()
    unit: str = ""
    guess: Any = None

    @property
    def size(self) -> int:
        """The number of its entries."""
        return math.prod(self.shape)

    @property
    def start(self) -> Any:
        """The guess; without one, the middle of its bounds, or the number within them that is closest to 0."""
        low, high = (np.broadcast_to(np.asarray(e, np.float64), self.shape) for e in (self.lower, self.upper))
        both = np.isfinite(low) & np.isfinite(high)
        middle = np.where(both, 0.5 * (np.where(both, low, 0) + np.where(both, high, 0)), np.clip(0.0, low, high))
        return middle if self.guess is None else np.broadcast_to(np.asarray(self.guess, np.float64), self.shape)


class Group:
    """Variables side by side in one vector.

    Args:
        what: "states", "controls" or "parameters".
        given: for each name a ``Variable``, a pair of bounds, or None.
    """

    def __init__(self, what: str, given: Any) -> None:
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise ArgumentError(
                f"control: got {given!r:.60} for {what}. Expected a dict: for each name, a string, a pair of bounds, a "
                "sg.control.Variable, or None."
            )
        self.what = what
        self.variables = {name: _variable(what, name, v) for name, v in given.items()}
        self.edges = [0, *itertools.accumulate(v.size for v in self.variables.values())]

    @property
    def size(self) -> int:
        """The total number of their entries."""
        return self.edges[-1]

    @property
    def bounds(self) -> dict[str, tuple[Any, Any]]:
        """The pair of each."""
        return {name: (v.lower, v.upper) for name, v in self.variables.items()}

    def joined(self, values: Mapping[str, Any], points: int) -> Any:
        """Return arrays (points, …) by name as one array (points, size)."""
        parts = [F.reshape(values[name], (points, v.size)) for name, v in self.variables.items()]
        return F.cat(parts, 1) if parts else F.reshape(np.zeros(0), (points, 0))

    def parts(self, vector: Any) -> dict[str, Any]:
        """Return a vector as tensors by name."""
        values = zip(self.variables.items(), itertools.pairwise(self.edges), strict=True)
        parts = {n: F.reshape(vector[a:b], v.shape) if v.shape else vector[a] for (n, v), (a, b) in values}
        return named(self.what, parts)

    def vector(self, values: Any, who: str) -> Any:
        """Return what a function returned by name, or as an array, as a vector."""
        if isinstance(values, Mapping):
            self.check(values, who, complete=True)
            values = [values[name] for name in self.variables]
        elif not isinstance(values, (list, tuple)):
            return result(who, values, (self.size,))
        if len(values) != len(self.variables):
            raise ArgumentError(f"control: {who} returned {len(values)} values. Expected one for each of {self.names}.")
        own = zip(values, self.variables.items(), strict=True)
        parts = [result(f"{who}: {n!r}", v, w.shape) for v, (n, w) in own]
        if not any(tuple(p.shape) for p in parts):
            return F.stack(parts)
        return F.cat([F.reshape(p, (w.size,)) for p, w in zip(parts, self.variables.values(), strict=True)], 0)

    @property
    def names(self) -> list[str]:
        """Return their names in order."""
        return list(self.variables)

    def lines(self) -> list[str]:
        """Return a line for each: its name, shape, unit and bounds."""
        return [
            f"  {self.what[:-1]} {name}{list(v.shape) if v.shape else ''}{f' [{v.unit}]' if v.unit else ''}: "
            f"from {v.lower} to {v.upper}"
            for name, v in self.variables.items()
        ]

    def check(self, values: Mapping[str, Any], who: str, complete: bool = False) -> None:
        """Refuse names that there are not, and with ``complete`` missing ones."""
        unknown = [str(k) for k in values if k not in self.variables]
        if unknown:
            guess = near(unknown[0], self.names) or "."
            raise ArgumentError(f"control: {who}: {unknown[0]!r} is not among the {self.what}, {self.names}{guess}")
        missing = [n for n in self.names if n not in values]
        if complete and missing:
            raise ArgumentError(f"control: {who}: {missing[0]!r} is missing. Expected all of {self.names}.")


def _variable(what: str, name: str, given: Any) -> Variable:
    if given is None:
        return Variable()
    if isinstance(given, (tuple, list)) and len(given) == 2:
        given = Variable(*pair(f"bounds of {name!r}", tuple(given)))
    if not isinstance(given, Variable):
        raise ArgumentError(
            f"control: got {given!r:.60} for {name!r} of the {what}. Expected a pair (lower, upper), a "
            "sg.control.Variable, or None."
        )
    shape = given.shape
    if not isinstance(shape, tuple) or not all(isinstance(n, (int, np.integer)) and n >= 0 for n in shape):
        raise ArgumentError(f"control: {name!r} has the shape {shape!r}. Expected a tuple of sizes, such as (3,).")
    low, high = pair(f"bounds of {name!r}", (given.lower, given.upper))
    for part, v in (("lower", low), ("upper", high), ("guess", 0.0 if given.guess is None else given.guess)):
        own = np.shape(real(f"{part} of {name!r}", v))
        if own not in ((), shape):
            raise ArgumentError(f"control: {part} of {name!r} has the shape {own}. Expected {shape}, or a number.")
    return Variable(low, high, shape, given.unit, given.guess)
