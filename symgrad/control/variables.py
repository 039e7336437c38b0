"""States, controls and parameters by their names, and where they stand in one vector."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.errors import ArgumentError
from symgrad.support.namespace import near


@dataclass(frozen=True)
class Variable:
    """A state, a control or a parameter.

    Attributes:
        lower, upper: its bounds, numbers or arrays of its shape.
        shape: of its value at one time.
        unit: what plots write behind its name.
        guess: where the solver starts, where nothing else is known.
    """

    lower: Any = -math.inf
    upper: Any = math.inf
    shape: tuple[int, ...] = ()
    unit: str = ""
    guess: Any = None

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)

    @property
    def start(self) -> Any:
        """The guess; without one, the middle of its bounds, or what lies within them next to 0."""
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
        if not isinstance(given, Mapping):
            raise ArgumentError(
                f"control: got {type(given).__name__} for {what}. Expected a dict: for each name a pair of bounds, a "
                "sg.control.Variable, or None."
            )
        self.what = what
        self.variables = {str(name): _variable(what, str(name), v) for name, v in given.items()}
        self.edges = [0, *itertools.accumulate(v.size for v in self.variables.values())]

    @property
    def size(self) -> int:
        """How many numbers all of them have."""
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
        edges = itertools.pairwise(self.edges)
        return {
            name: F.reshape(vector[a:b], v.shape)
            for (name, v), (a, b) in zip(self.variables.items(), edges, strict=True)
        }

    def vector(self, values: Any, who: str) -> Any:
        """Return what a function returned by name, or as an array, as a vector."""
        if isinstance(values, Mapping):
            self.check(values, who, complete=True)
            values = [values[name] for name in self.variables]
        elif not isinstance(values, (list, tuple)):
            return F.reshape(values, (self.size,))
        if len(values) != len(self.variables):
            raise ArgumentError(f"control: {who} returned {len(values)} values. Expected one for each of {self.names}.")
        return F.cat([F.reshape(v, (w.size,)) for v, w in zip(values, self.variables.values(), strict=True)], 0)

    @property
    def names(self) -> list[str]:
        """Their names."""
        return list(self.variables)

    def check(self, values: Mapping[str, Any], who: str, complete: bool = False) -> None:
        """Refuse names that there are not, and with ``complete`` missing ones."""
        unknown = [str(k) for k in values if k not in self.variables]
        if unknown:
            guess = near(unknown[0], self.names) or "."
            raise ArgumentError(f"control: {who}: {unknown[0]!r} is none of the {self.what}, {self.names}{guess}")
        missing = [n for n in self.names if n not in values]
        if complete and missing:
            raise ArgumentError(f"control: {who}: {missing[0]!r} is missing. Expected all of {self.names}.")


def _variable(what: str, name: str, given: Any) -> Variable:
    if isinstance(given, Variable):
        return given
    if given is None:
        return Variable()
    if isinstance(given, (tuple, list)) and len(given) == 2:
        low, high = given
        return Variable(-math.inf if low is None else low, math.inf if high is None else high)
    raise ArgumentError(
        f"control: got {given!r:.60} for {name!r} of the {what}. Expected a pair (lower, upper), a "
        "sg.control.Variable, or None."
    )
