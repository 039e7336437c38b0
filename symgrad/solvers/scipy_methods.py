"""Solvers of others: a user's own, and SciPy's, whose answers Newton's last steps make exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.implicit.conditions import Conditions
from symgrad.implicit.unknowns import Arguments, Unknown
from symgrad.solvers.newton import polished
from symgrad.support.frozen import frozen


class Foreign:
    """A user's solver, called with arrays in the structures that it was called with first."""

    def __init__(self, solver: Callable[..., Any], unknown: Unknown, args: Arguments) -> None:
        self.solver, self.unknown, self.args = solver, unknown, args
        self._key = (solver, unknown.tree, args.tree)

    def __hash__(self) -> int:
        return hash(self.solver)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Foreign) and self._key == other._key

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Run the user's solver."""
        args = self.args.arrays(thetas[: len(self.args.tensors)])
        answer = self.solver(self.unknown.arrays(start), *args)
        return self.unknown.flat(conditions.who, answer).astype(np.float64)


def foreign(who: str, run: Any, x0: Any, args: Sequence[Any]) -> Foreign | None:
    """Return a function of (x0, *args) as a solver of conditions; None for None."""
    return None if run is None else Foreign(run, Unknown(who, x0), Arguments(args))


@frozen
class Polished:
    """What a solver found, or the start, which is nearly an answer; and Newton's last steps where they converge."""

    run: Any = None

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return the answer."""
        return polished(conditions, start if self.run is None else self.run(conditions, start, thetas), thetas)
