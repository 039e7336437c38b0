"""The solution of a control problem: states and controls as functions of time, and their errors between nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError
from symgrad.optim.nonlinear.solution import Solution
from symgrad.support.extras import required

_BETWEEN = 4  # points of each interval at which the dynamics are compared


class Solved:
    """Base class of trajectories, with the status of the nonlinear program that was solved."""

    solution: Solution

    @property
    def success(self) -> bool:
        """Whether the solver reached a minimum."""
        return self.solution.success

    @property
    def status(self) -> str:
        """The solver's status, in words."""
        return self.solution.status


@dataclass(frozen=True)
class Trajectory(Solved):
    """States and controls over time, as arrays at the nodes and as functions.

    Attributes:
        t: the times of the states; shape (n,).
        states: the states at these times, by name, each of shape (n, …).
        control_times: the times of the controls.
        controls: the controls at these times, by name. With shooting, a control is constant from its time to the next.
        parameters: the parameters, by name.
        cost: the cost of the problem.
        error: for each interval, the largest difference between the polynomials' derivative and the dynamics between
            the nodes, times the width of the interval, relative to 1 + |x|. With shooting, the change of the state at
            the end of the interval if the steps are halved; 0 with "odeint", which controls the error itself.
        mesh: the ends of the intervals, as fractions of the time.
        solution: the solution of the nonlinear program; its report names blocks such as ``dynamics.angle[12]``.
    """

    t: Any
    states: dict[str, Any]
    control_times: Any
    controls: dict[str, Any]
    parameters: dict[str, Any]
    cost: Any
    error: Any
    mesh: Any = field(repr=False)
    solution: Solution = field(repr=False)
    _pieces: Any = field(repr=False)

    @property
    def names(self) -> list[str]:
        """Return the names of states and controls."""
        return [*self.states, *self.controls]

    @property
    def summary(self) -> str:
        """Return the mesh, the times and the error, in one line."""
        last, worst = float(self.t[-1]), float(np.max(self.error, initial=0.0))
        head = f"{len(self.mesh) - 1} intervals from t = {float(self.t[0]):.4g} to {last:.4g}"
        return f"{head}, error between nodes {worst:.2g}"

    def __str__(self) -> str:
        return f"{self.summary}\n{self.solution}"

    def state(self, t: Any) -> dict[str, Any]:
        """Return the states at these times, each of shape (times, …); a number gives one value.

        Before the start and after the end, the polynomials are extrapolated.
        """
        return self._pieces.states(t)  # type: ignore[no-any-return]

    def control(self, t: Any) -> dict[str, Any]:
        """Return the controls at these times."""
        return self._pieces.controls(t)  # type: ignore[no-any-return]

    def plot(self, axes: Any = None) -> Any:
        """Draw states and controls over time; return matplotlib's axes, one for each name.

        Raises:
            MissingExtra: if matplotlib is not installed.
        """
        names = self.names
        if axes is None:
            pyplot = required("Trajectory.plot", "plot", "matplotlib.pyplot")
            axes = pyplot.subplots(len(names), 1, sharex=True, squeeze=False)[1][:, 0]
        if len(axes) != len(names):
            raise ArgumentError(f"control: plot got {len(axes)} axes. Expected one for each of {names}.")
        times = np.linspace(float(self.t[0]), float(self.t[-1]), 400)
        smooth = {**self.state(times), **self.control(times)}
        for ax, name in zip(axes, names, strict=True):
            at, values = (self.t, self.states) if name in self.states else (self.control_times, self.controls)
            ax.plot(times, smooth[name].reshape(len(times), -1))
            ax.plot(at, values[name].reshape(len(at), -1), "k.", markersize=3)
            unit = self._pieces.unit(name)
            ax.set_ylabel(f"{name} [{unit}]" if unit else name)
        axes[-1].set_xlabel("t")
        return axes


class Pieces:
    """The polynomials of each interval.

    Args:
        transcription: the mesh and the scheme.
        X, U: states and controls at their points, as arrays.
        rates: f at the points of the controls; by shooting at ``inner``.
        ends: the times of start and end.
        inner: by shooting, the states before and after each step, shape (intervals, steps + 1, size).
    """

    def __init__(self, transcription: Any, X: Any, U: Any, ends: tuple[float, float]) -> None:
        self.transcription, self.X, self.U, self.ends = transcription, X, U, ends
        self.rates: Any = None
        self.inner: Any = None

    def _located(self, t: Any) -> tuple[Any, Any]:
        """Return the interval of each time, and where in it that is, from 0 to 1."""
        mesh, (start, end) = self.transcription.mesh, self.ends
        at = (np.asarray(t, np.float64) - start) / (end - start)
        k = np.clip(np.searchsorted(mesh, at, "right") - 1, 0, len(mesh) - 2)
        return k, (at - mesh[k]) / np.diff(mesh)[k]

    def states(self, t: Any) -> dict[str, Any]:
        """Return the states by name."""
        k, s = self._located(t)
        return by_name(self.transcription.problem.states, self.state_vectors(k, s))

    def state_vectors(self, k: Any, s: Any) -> Any:
        """Return the states in these intervals."""
        tr, span = self.transcription, self.ends[1] - self.ends[0]
        h = (span * tr.widths[k])[..., None]
        if tr.scheme is None:
            return self._cubic(k, s[..., None], h)
        sums = np.einsum("...j,...jn->...n", tr.scheme.integrals(s), self.rates[tr.controls_of[k]])
        return self.X[tr.starts[k]] + h * sums

    def _cubic(self, k: Any, s: Any, h: Any) -> Any:
        """Return Hermite's cubic through states and slopes at both ends of a step."""
        steps = self.inner.shape[1] - 1
        j = np.clip(np.floor(s * steps), 0, steps - 1).astype(int)
        s, h, j = s * steps - j, h / steps, j[..., 0]
        a, b = self.inner[k, j], self.inner[k, j + 1]
        before, after = h * self.rates[k, j], h * self.rates[k, j + 1]
        return a + s * before + s**2 * (3 * (b - a) - 2 * before - after) + s**3 * (2 * (a - b) + before + after)

    def slopes(self, k: Any, s: Any) -> Any:
        """Return the polynomials' derivatives in time."""
        tr = self.transcription
        return np.einsum("...j,...jn->...n", tr.scheme.basis(s), self.rates[tr.controls_of[k]])

    def controls(self, t: Any) -> dict[str, Any]:
        """Return the controls by name."""
        return by_name(self.transcription.problem.controls, self.control_vectors(*self._located(t)))

    def control_vectors(self, k: Any, s: Any) -> Any:
        """Return the controls in these intervals."""
        tr = self.transcription
        if tr.scheme is None:
            return self.U[k]
        return np.einsum("...j,...jn->...n", tr.scheme.basis(s), self.U[tr.controls_of[k]])

    def unit(self, name: str) -> str:
        """Return the unit of a state or control."""
        problem = self.transcription.problem
        variable = problem.states.variables.get(name) or problem.controls.variables[name]
        return str(variable.unit)

    def between(self) -> tuple[Any, Any]:
        """Return points between the nodes of every interval: (intervals, points) numbers of intervals, and places."""
        many = len(self.transcription.widths)
        s = (np.arange(_BETWEEN) + 0.5) / _BETWEEN
        return np.repeat(np.arange(many)[:, None], _BETWEEN, 1), np.broadcast_to(s, (many, _BETWEEN))


def by_name(group: Any, vectors: Any) -> dict[str, Any]:
    """Return vectors (…, size) as arrays by name."""
    lead = vectors.shape[:-1]
    return {
        name: vectors[..., a:b].reshape((*lead, *v.shape))
        for (name, v), a, b in zip(group.variables.items(), group.edges[:-1], group.edges[1:], strict=True)
    }
