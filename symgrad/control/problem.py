"""``sg.control.Problem``: what is controlled, what it costs, and within which limits; solved on a mesh."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symgrad.control.schemes import METHODS
from symgrad.control.trajectory import Pieces, Trajectory
from symgrad.control.transcription import Transcription
from symgrad.control.variables import Group
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.optim.nonlinear import NLP
from symgrad.support.arguments import check_all
from symgrad.transforms.vmap import vmap

_ENDS = ("start", "end")


class Problem:
    """Minimise ∫ running dt + final subject to ẋ = dynamics(x, u, t, p), and limits on everything.

    Functions get dicts of tensors by name: states x and controls u at one time, and parameters p together with the
    constants. They are mapped over all times at once.

    Args:
        dynamics: dynamics(x, u, t, p), the derivatives of the states: a dict by name, or a list or vector in order.
        states, controls, parameters: for each name a ``Variable``, a pair of bounds, or None. Parameters are unknown.
        time: start and end: numbers, or pairs (lower, upper) of times that are free.
        start, end: values of states at the ends, by name: numbers or arrays, or pairs (lower, upper).
        running, final: running(x, u, t, p) and final(x, t, p), numbers.
        path: path(x, u, t, p), a dict of what is limited at all times. Algebraic variables of a DAE of index 1 are
            controls with equations among these.
        boundary: boundary(x0, xf, t0, tf, p), a dict of what is limited at the ends.
        integrals: integrals(x, u, t, p), a dict of numbers whose integrals over time are limited.
        periodic: names of states that end as they start.
        limits: for names that path, boundary and integrals return, a pair (lower, upper). Those not named must be 0.
        constants: known numbers and arrays by name, which functions find in p; solutions are differentiable in them.

    >>> problem = sg.control.Problem(
    ...     lambda x, u, t, p: {"place": x["speed"], "speed": u["force"]},
    ...     states={"place": None, "speed": None}, controls={"force": (-2.0, 2.0)}, time=(0.0, 1.0),
    ...     start={"place": 0.0, "speed": 0.0}, end={"place": 0.25, "speed": 0.0},
    ...     running=lambda x, u, t, p: u["force"] ** 2,
    ... )
    >>> trajectory = problem.solve(8, method="hermite-simpson")
    >>> round(trajectory.cost, 6), round(float(trajectory.state(0.5)["place"]), 6)
    (0.75, 0.125)
    """

    def __init__(
        self, dynamics: Callable[..., Any], *, states: Any, controls: Any, time: Any, parameters: Any = None,
        start: Any = None, end: Any = None, running: Callable[..., Any] | None = None,
        final: Callable[..., Any] | None = None, path: Callable[..., Any] | None = None,
        boundary: Callable[..., Any] | None = None, integrals: Callable[..., Any] | None = None,
        periodic: Any = (), limits: Any = None, constants: Any = None,
    ) -> None:  # fmt: skip
        functions = {
            "dynamics": dynamics, "running": running, "final": final, "path": path, "boundary": boundary,
            "integrals": integrals,
        }  # fmt: skip
        for name, fn in functions.items():
            if not callable(fn) and (fn is not None or name == "dynamics"):
                raise ArgumentTypeError(f"control: {name} is a function, got {type(fn).__name__}.")
        self.dynamics, self.running, self.final, self.path = dynamics, running, final, path
        self.boundary, self.integrals = boundary, integrals
        self.states, self.controls = Group("states", states), Group("controls", controls)
        self.parameters = Group("parameters", parameters or {})
        if not self.states.size:
            raise ArgumentError("control: there are no states. Name at least one, as in states={'x': None}.")
        shared = sorted(set(self.states.names) & set(self.controls.names))
        if shared:
            raise ArgumentError(f"control: {shared[0]!r} is both a state and a control. Give them different names.")
        self.periodic = tuple(periodic)
        self.states.check(dict.fromkeys(self.periodic), "periodic")
        self.constants = dict(constants or {})
        self.boxes: dict[str, dict[str, tuple[float, float]]] = {}
        self.values: dict[str, dict[str, Any]] = {}
        for block, given in zip(_ENDS, (start, end), strict=True):
            self.states.check(given or {}, block)
            self.boxes[block] = {n: _pair(f"{block} of {n!r}", v) for n, v in (given or {}).items() if _is_pair(v)}
            self.values[block] = {n: v for n, v in (given or {}).items() if not _is_pair(v)}
        self.ends = {block: [*self.values[block], *self.boxes[block]] for block in _ENDS}
        self.limits = {name: _pair(f"limits of {name!r}", pair) for name, pair in (limits or {}).items()}
        if not isinstance(time, (tuple, list)) or len(time) != 2:
            raise ArgumentError(f"control: got time={time!r}. Expected (start, end), such as (0.0, 2.0).")
        self.time_bounds = {b: _pair(f"time of {b}", v) for b, v in zip(_ENDS, time, strict=True) if _is_pair(v)}
        self.times = {b: v for b, v in zip(_ENDS, time, strict=True) if not _is_pair(v)}
        self._programs: dict[Any, tuple[Transcription, NLP]] = {}

    # -------------------------------------------------------------- solving
    def solve(
        self, nodes: Any = 20, *, method: str = "hermite-simpson", degree: int = 3, guess: Any = None,
        start: Any = None, end: Any = None, time: Any = None, constants: Any = None, refine: float | None = None,
        most_refinements: int = 8, backend: str = "auto", **options: Any,
    ) -> Trajectory:  # fmt: skip
        """Solve the problem on a mesh.

        Args:
            nodes: how many intervals of equal length there are, or the ends of intervals, ascending, as fractions from
                0 to 1.
            method: "trapezoidal", "hermite-simpson", "radau" and "lobatto" (of any degree), or "shooting".
            degree: of the polynomials of radau and lobatto; of shooting, steps in each interval.
            guess: a dict by name of states, controls, parameters, and "end" or "start" where times are free: numbers,
                functions of the fraction of the time, or arrays over time; or a ``Trajectory``, such as the last one of
                a closed loop. By default states go straight from start to end.
            start, end, time, constants: numbers in place of those that the problem was made with; what was a number
                stays one, so that nothing is compiled again.
            refine: halve intervals whose error is larger, and solve again, until none is.
            most_refinements: after which it ends as it is.
            backend, options: as for ``sg.optim.NLP`` and ``sg.optim.NLP.solve``.

        Returns:
            A ``Trajectory``. Where an end, a time or a constant requires a gradient, its cost, states, controls and
            parameters are tensors.

        Raises:
            ArgumentError: names, shapes or the mesh do not fit.
        """
        args = self._arguments({"start": start, "end": end}, time, constants)
        mesh = _mesh(nodes)
        trajectory = self._on_mesh(mesh, method, degree, guess, args, backend, options)
        for _ in range(most_refinements if refine is not None else 0):
            coarse = np.flatnonzero(trajectory.error > refine)
            if not len(coarse) or not trajectory.success:
                break
            mesh = np.sort(np.concatenate([mesh, 0.5 * (mesh[coarse] + mesh[coarse + 1])]))
            trajectory = self._on_mesh(mesh, method, degree, trajectory, args, backend, options)
        return trajectory

    def program(
        self, nodes: Any = 20, *, method: str = "hermite-simpson", degree: int = 3, guess: Any = None,
        backend: str = "auto",
    ) -> NLP:  # fmt: skip
        """Return the nonlinear program that ``solve`` solves, such as for ``sg.export(program, target="c")``."""
        args = self._arguments({"start": None, "end": None}, None, None)
        return self._transcribed(_mesh(nodes), method, degree, guess, args, backend)[1]

    def _transcribed(
        self, mesh: Any, method: str, degree: int, guess: Any, args: tuple[Any, ...], backend: str
    ) -> tuple[Transcription, NLP]:
        key = method, degree, mesh.tobytes(), backend
        if key not in self._programs:
            transcription = Transcription(self, method, degree, mesh)
            x0 = self._guessed(transcription, guess, args)
            self._programs = {key: (transcription, transcription.program(x0, args, backend))}  # the last is kept
        return self._programs[key]

    def _on_mesh(
        self, mesh: Any, method: str, degree: int, guess: Any, args: tuple[Any, ...], backend: str, options: Any
    ) -> Trajectory:
        transcription, program = self._transcribed(mesh, method, degree, guess, args, backend)
        x0 = self._guessed(transcription, guess, args)
        warm = guess.solution if isinstance(guess, Trajectory) else None
        if warm is not None and (len(warm.z), len(warm.forces)) != (program.derivatives.size, program.rows.size):
            warm = None
        return self._trajectory(transcription, program.solve(*args, x0=x0, start=warm, **options), args)

    def _arguments(self, ends: dict[str, Any], time: Any, constants: Any) -> tuple[Any, ...]:
        """Return start, end, times and constants as the program takes them, as arrays."""
        out: list[Any] = []
        for block in _ENDS:
            own, new = self.values[block], ends[block] or {}
            unknown = sorted(set(new) - set(own))
            if unknown:
                raise ArgumentError(
                    f"control: solve got {block}={{{unknown[0]!r}: …}}, where the problem was made with no number. "
                    f"Expected some of {list(own)}."
                )
            out.append({n: _value(new.get(n, v)) for n, v in own.items()})
            for n, v in out[-1].items():
                shape = self.states.variables[n].shape
                if tuple(v.shape) != shape:
                    raise ArgumentError(f"control: {block} of {n!r} has shape {tuple(v.shape)}. Expected {shape}.")
        times = self.times if time is None else {b: v for b, v in zip(_ENDS, time, strict=True) if b in self.times}
        out.append({b: _value(v) for b, v in times.items()})
        unknown = sorted(set(constants or {}) - set(self.constants))
        if unknown:
            raise ArgumentError(
                f"control: solve got the constant {unknown[0]!r}. Expected some of {list(self.constants)}."
            )
        out.append({n: _value(v) for n, v in {**self.constants, **(constants or {})}.items()})
        return tuple(out)

    # -------------------------------------------------------------- where to start
    def _guessed(self, transcription: Transcription, guess: Any, args: tuple[Any, ...]) -> dict[str, Any]:
        given: Mapping[str, Any] = {}
        if isinstance(guess, Trajectory):
            given = self._of_trajectory(guess)
        elif isinstance(guess, Mapping):
            given = guess
        elif guess is not None:
            raise ArgumentTypeError(f"control: got {type(guess).__name__} for guess. Expected a dict, or a Trajectory.")
        known = [*self.states.names, *self.controls.names, *self.parameters.names, *self.time_bounds]
        unknown = [str(n) for n in given if n not in known]
        if unknown:
            raise ArgumentError(f"control: guess has {unknown[0]!r}. Expected some of {known}.")
        start, end = ({n: np.asarray(v._value) for n, v in a.items()} for a in args[:2])
        x0: dict[str, Any] = {"states": {}, "controls": {}, "parameters": {}, "time": {}}
        for name, v in self.states.variables.items():
            first = start.get(name, end.get(name, v.start))
            straight = np.stack([first, end.get(name, first if name in start else v.start)])
            x0["states"][name] = _along(name, given.get(name, straight), v.shape, transcription.state_at)
        for name, v in self.controls.variables.items():
            x0["controls"][name] = _along(name, given.get(name, v.start), v.shape, transcription.control_at)
        for name, v in self.parameters.variables.items():
            x0["parameters"][name] = np.broadcast_to(np.asarray(given.get(name, v.start), np.float64), v.shape)
        for name, (low, high) in self.time_bounds.items():
            middle = 0.5 * (low + high) if math.isfinite(low + high) else low + 1.0 if math.isfinite(low) else 1.0
            x0["time"][name] = np.asarray(given.get(name, middle), np.float64)
        return {k: v for k, v in x0.items() if v}

    def _of_trajectory(self, guess: Trajectory) -> dict[str, Any]:
        """Return a trajectory as guesses by name, also for another mesh."""
        start, end = guess._pieces.ends

        def of(name: str, function: Callable[[Any], dict[str, Any]]) -> Callable[[Any], Any]:
            return lambda s: function(start + (end - start) * s)[name]

        out: dict[str, Any] = {n: of(n, guess.state) for n in self.states.names}
        out |= {n: of(n, guess.control) for n in self.controls.names}
        out |= {n: _number(v) for n, v in guess.parameters.items()}
        return out | {n: (start, end)[_ENDS.index(n)] for n in self.time_bounds}

    # -------------------------------------------------------------- the answer
    def _trajectory(self, transcription: Transcription, solution: Any, args: tuple[Any, ...]) -> Trajectory:
        x = solution.x
        ends = {**args[2], **x.get("time", {})}
        t0, tf = float(_number(ends["start"])), float(_number(ends["end"]))
        X, U = (
            np.concatenate([_number(part[n]).reshape(len(at), -1) for n in part] or [np.zeros((len(at), 0))], 1)
            for part, at in ((x["states"], transcription.state_at), (x.get("controls", {}), transcription.control_at))
        )
        p = {n: _number(v) for n, v in {**args[3], **x.get("parameters", {})}.items()}
        pieces = Pieces(transcription, X, U, None, (t0, tf))
        pieces.rates = self._rates(pieces, p)
        return Trajectory(
            t0 + (tf - t0) * transcription.state_at, x["states"], t0 + (tf - t0) * transcription.control_at,
            x.get("controls", {}), x.get("parameters", {}), solution.f, self._errors(pieces, p), transcription.mesh,
            solution, pieces,
        )  # fmt: skip

    def _evaluated(self, X: Any, U: Any, t: Any, p: dict[str, Any]) -> Any:
        """Return f at many points, as an array."""

        def at(x: Any, u: Any, t: Any) -> Any:
            return self.states.vector(self.dynamics(self.states.parts(x), self.controls.parts(u), t, p), "dynamics")

        with np.errstate(all="ignore"):
            return np.asarray(as_tensor(vmap(at)(X, U, t)).detach()._value)

    def _rates(self, pieces: Pieces, p: dict[str, Any]) -> Any:
        """Return f at the points of the controls; by shooting at both ends of each interval."""
        tr, (t0, tf) = pieces.transcription, pieces.ends
        times = t0 + (tf - t0) * tr.state_at
        if tr.scheme is None:
            sides = [(pieces.X[:-1], times[:-1]), (pieces.X[1:], times[1:])]
            return np.stack([self._evaluated(X, pieces.U, t, p) for X, t in sides], 1)
        k = 0 if tr.scheme.has_start else 1
        return self._evaluated(pieces.X[k:], pieces.U, times[k:], p)

    def _errors(self, pieces: Pieces, p: dict[str, Any]) -> Any:
        """Return h·max|ẋ − f| / (1 + |x|) between the nodes of each interval."""
        tr, (t0, tf) = pieces.transcription, pieces.ends
        if tr.scheme is None:
            return np.zeros(len(tr.widths))
        k, s = pieces.between()
        X, U = pieces.state_vectors(k, s), pieces.control_vectors(k, s)
        times = t0 + (tf - t0) * (tr.mesh[k] + tr.widths[k] * s)
        n = X.shape[-1]
        rates = self._evaluated(X.reshape(-1, n), U.reshape(len(X.reshape(-1, n)), -1), times.ravel(), p)
        off = np.abs(pieces.slopes(k, s) - rates.reshape(X.shape)) / (1.0 + np.max(np.abs(pieces.X), 0))
        return (tf - t0) * tr.widths * np.max(off, (1, 2))


def _is_pair(v: Any) -> bool:
    return isinstance(v, tuple) and len(v) == 2


def _pair(what: str, v: Any) -> tuple[float, float]:
    if not _is_pair(v):
        raise ArgumentError(f"control: got {v!r:.60} for the {what}. Expected a pair (lower, upper); None is no end.")
    low, high = (-math.inf if v[0] is None else v[0]), (math.inf if v[1] is None else v[1])
    if not np.all(np.asarray(low) <= np.asarray(high)):
        raise ArgumentError(f"control: the {what} is {v}: the lower end is above the upper one.")
    return low, high


def _value(v: Any) -> Any:
    """Return a number or an array as a float64 tensor."""
    return v if isinstance(v, TensorBase) else as_tensor(np.asarray(v, np.float64))


def _number(v: Any) -> Any:
    """Return a tensor or an array as an array."""
    return np.asarray(v.detach()._value if isinstance(v, TensorBase) else v, np.float64)  # type: ignore[attr-defined]


def _mesh(nodes: Any) -> Any:
    if isinstance(nodes, (int, np.integer)) and not isinstance(nodes, bool):
        if nodes < 1:
            raise ArgumentError(f"control: got nodes={nodes}. Expected at least one interval.")
        return np.linspace(0.0, 1.0, int(nodes) + 1)
    mesh = np.asarray(nodes, np.float64)
    if mesh.ndim != 1 or len(mesh) < 2 or mesh[0] != 0.0 or mesh[-1] != 1.0 or not np.all(np.diff(mesh) > 0):
        raise ArgumentError("control: nodes must be a number of intervals, or ascend from 0 to 1.")
    return mesh


def _along(name: str, guess: Any, shape: tuple[int, ...], at: Any) -> Any:
    """Return a guess at these fractions of the time."""
    values = np.asarray(guess(at) if callable(guess) else guess, np.float64)
    if values.shape == shape:
        return np.broadcast_to(values, (len(at), *shape)).copy()
    if values.ndim != len(shape) + 1 or values.shape[1:] != shape:
        raise ArgumentError(
            f"control: the guess of {name!r} has shape {values.shape}. Expected {shape}, or times before that."
        )
    if len(values) == len(at):
        return values
    flat, given = values.reshape(len(values), -1), np.linspace(0.0, 1.0, len(values))
    return np.stack([np.interp(at, given, column) for column in flat.T], 1).reshape(len(at), *shape)


__all__ = ["METHODS", "Problem"]
check_all(globals(), ["Problem"])
