"""SciPy's methods for differential equations, with the exact Jacobian."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.engine.program import Program
from symgrad.errors import NotConverged
from symgrad.implicit import programs
from symgrad.ode.stepping import check_times, machine
from symgrad.ode.tableaus import STIFF
from symgrad.support.extras import required
from symgrad.support.frozen import frozen

_DENSE = 257  # times at which it is seen whether an equation jumps
_STAGES = 20  # times a step looks at f, at most
_FAR = 1e4  # how many times the allowed error the way back may miss the state


@frozen
class ScipySolver:
    """Solves a system by a method of ``scipy.integrate.solve_ivp``.

    Attributes:
        method: its name there.
        rtol, atol: the error allowed, relative to the state and absolute.
        longest: the length of the longest step.
        most: the number of steps, of which each may look at f as often as a step of the highest order does.
    """

    method: str
    rtol: float
    atol: float
    longest: float = math.inf
    most: int = 100_000

    @property
    def is_stiff(self) -> bool:
        """Whether the method is one for stiff equations."""
        return self.method in STIFF

    def run(self, field: Program, start: Any, ts: Any, thetas: Sequence[Any]) -> Any:
        """Return the states at all times, (c, m, n)."""
        integrate = required("odeint", "scipy", "scipy.integrate")
        check_times("odeint", np.asarray(ts))
        if len(ts) == 1:
            return np.array(start)[:, None]
        to, slope, count, reached = start.shape, machine(field), 0, float(ts[0])

        def right(t: float, y: Any) -> Any:
            nonlocal count, reached
            count, reached = count + 1, float(t)
            if count > _STAGES * self.most:
                raise NotConverged(self._stopped(reached, ts, f"{self.most} steps did not suffice (max_steps)."))
            return np.ravel(slope(np.reshape(y, to), float(t), *thetas)[0])

        more = {"jac": _jacobian(field, to, thetas)} if self.is_stiff else {}
        try:
            solution = integrate.solve_ivp(
                right, (float(ts[0]), float(ts[-1])), np.ravel(start), method=self.method, t_eval=np.asarray(ts, float),
                rtol=max(self.rtol, 1e-13), atol=self.atol, max_step=self.longest, **more,
            )  # fmt: skip
        except ValueError as error:  # such as of a Jacobian that is not finite
            raise NotConverged(self._stopped(reached, ts, f"{error}.")) from error
        if not solution.success or not np.all(np.isfinite(solution.y)):
            raise NotConverged(self._stopped(reached, ts, " ".join(str(solution.message).split())))
        return np.ascontiguousarray(np.transpose(np.reshape(solution.y.T, (len(ts), *to)), (1, 0, 2)))

    def _stopped(self, reached: float, ts: Any, why: str) -> str:
        return (
            f"odeint: SciPy's {self.method} reached t = {reached:.8g} of {ts[-1]:g}: {why} The solution may grow "
            "without bound there. If it does not, use another method, or larger values of rtol and atol."
        )


def _jacobian(field: Program, to: tuple[int, int], thetas: Sequence[Any]) -> Any:
    matrix, size = machine(programs.matrix(programs.linearised(field))), to[0] * to[1]
    return lambda t, y: np.reshape(matrix(np.reshape(y, to), float(t), *thetas)[0], (size, size))


def between(ts: Any) -> Any:
    """Return times between the first and the last that are dense enough to see where an equation jumps."""
    return np.linspace(float(ts[0]), float(ts[-1]), _DENSE)


def met(there: Any, back: Any, rtol: float, atol: float) -> Any:
    """Return the state, if the equation led back to it."""
    allowed = _FAR * (atol + rtol * np.max(np.abs(there), initial=0.0))
    miss = float(np.max(np.abs(np.subtract(there, back)), initial=0.0))
    if not miss <= allowed:
        raise NotConverged(
            f"odeint: integrated backwards, the equation misses the state by {miss:.2g}: it is stable in one direction "
            "of time only, and the adjoint equation along this solution would be wrong. Use derivative='steps' (with "
            "method='rodas4' if it is stiff) or 'forward', or pass times that are closer together."
        )
    return there
