"""``sg.control.Problem``: dynamics, costs and limits of an optimal control problem, solved on a mesh."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.control.arguments import (
    check_options,
    function,
    is_pair,
    known,
    mapping,
    mesh_of,
    named,
    number,
    pair,
    real,
    value,
)
from symgrad.control.schemes import METHODS
from symgrad.control.trajectory import Pieces, Trajectory, by_name
from symgrad.control.transcription import Transcription, Way
from symgrad.control.variables import Group
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.implicit.factors import positive, whole
from symgrad.ode import odeint
from symgrad.optim.nonlinear import NLP
from symgrad.optim.nonlinear.solution import Solution
from symgrad.support.arguments import check_all
from symgrad.transforms.vmap import vmap

_ENDS = ("start", "end")
_INNER = 8  # pieces of each interval in which states of "odeint" are interpolated


class Problem:
    """Minimise ∫ running dt + final subject to ẋ = dynamics(x, u, t, p) and limits on all quantities.

    The functions receive dicts of tensors by name: the states x and the controls u at one time, and the parameters p
    together with the constants. They are mapped over all times at once.

    Args:
        dynamics: dynamics(x, u, t, p) returns the derivatives of the states, as a dict by name or in their order.
        states, controls, parameters: for each name a ``Variable``, a pair of bounds, or None. Parameters are unknowns.
        time: the start and the end; each is a number, or a pair (lower, upper) if the time is free.
        start, end: the values of states at either end by name, as numbers or arrays, or as pairs (lower, upper).
        running, final: running(x, u, t, p) and final(x, t, p) return the running and the final cost.
        path: path(x, u, t, p) returns a dict of quantities that are limited at all times. For a DAE of index 1, declare
            the algebraic variables as controls and return the residuals of their equations here.
        boundary: boundary(x0, xf, t0, tf, p) returns a dict of quantities that are limited at the ends.
        integrals: integrals(x, u, t, p) returns a dict of numbers whose integrals over time are limited.
        periodic: the names of states whose values at both ends are equal.
        limits: a pair (lower, upper) for names that path, boundary and integrals return. Other quantities must be 0.
        constants: known numbers and arrays by name, passed to the functions in p. Solutions are differentiable with
            respect to them.

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
        self.dynamics = function("dynamics(x, u, t, p)", dynamics, optional=False)
        self.running, self.final = function("running(x, u, t, p)", running), function("final(x, t, p)", final)
        self.path, self.integrals = function("path(x, u, t, p)", path), function("integrals(x, u, t, p)", integrals)
        self.boundary = function("boundary(x0, xf, t0, tf, p)", boundary)
        self.states, self.controls = Group("states", states), Group("controls", controls)
        self.parameters = Group("parameters", parameters or {})
        if not self.states.size:
            raise ArgumentError("control: no states are given. Name at least one, as in states={'x': None}.")
        self.constants = mapping("constants", constants)
        self._check_names()
        if not isinstance(periodic, (tuple, list, set, frozenset)):
            raise ArgumentTypeError(f"control: got periodic={periodic!r:.60}. Expected names, such as ['angle'].")
        self.periodic = tuple(periodic)
        self.states.check(dict.fromkeys(self.periodic), "periodic")
        self.boxes: dict[str, dict[str, tuple[float, float]]] = {}
        self.values: dict[str, dict[str, Any]] = {}
        for block, given in zip(_ENDS, (mapping("start", start), mapping("end", end)), strict=True):
            self.states.check(given, block)
            self.boxes[block] = {n: pair(f"{block} of {n!r}", v) for n, v in given.items() if is_pair(v)}
            self.values[block] = {n: v for n, v in given.items() if not is_pair(v)}
        self.ends = {block: [*self.values[block], *self.boxes[block]] for block in _ENDS}
        self.limits = {name: pair(f"limits of {name!r}", v) for name, v in mapping("limits", limits).items()}
        if not isinstance(time, (tuple, list)) or len(time) != 2:
            raise ArgumentError(f"control: got time={time!r:.60}. Expected (start, end), such as (0.0, 2.0).")
        self.time_bounds = {b: pair(f"time of {b}", v) for b, v in zip(_ENDS, time, strict=True) if is_pair(v)}
        self.times = {b: v for b, v in zip(_ENDS, time, strict=True) if not is_pair(v)}
        latest, earliest = (self.time_bounds.get(b, (v, v)) for b, v in zip(_ENDS, time, strict=True))
        self.order_is_free = bool(self.time_bounds) and bool(number(latest[1]) > number(earliest[0]))
        self._programs: dict[Any, tuple[Transcription, NLP]] = {}

    def __str__(self) -> str:
        ends = {**self.times, **self.time_bounds}
        parts = ("running", "final", "path", "boundary", "integrals")
        own = [name for name in parts if getattr(self, name) is not None] + ["periodic"] * bool(self.periodic)
        groups = (self.states, self.controls, self.parameters)
        lines = [line for group in groups for line in group.lines()]
        return "\n".join([f"Control problem, time from {ends['start']} to {ends['end']}: {', '.join(own)}", *lines])

    def _check_names(self) -> None:
        groups = {"state": self.states, "control": self.controls, "parameter": self.parameters}
        names = {kind: group.names for kind, group in groups.items()} | {"constant": list(self.constants)}
        for (kind, some), (other, others) in itertools.combinations(names.items(), 2):
            shared = sorted(set(some) & set(others))
            if shared and (kind, other) not in (("state", "constant"), ("control", "constant")):
                raise ArgumentError(
                    f"control: {shared[0]!r} is both a {kind} and a {other}. Give them different names."
                )

    # -------------------------------------------------------------- solving
    def solve(
        self, nodes: Any = 20, *, method: str = "hermite-simpson", degree: int = 3, guess: Any = None,
        start: Any = None, end: Any = None, time: Any = None, constants: Any = None, refine: float | None = None,
        most_refinements: int = 8, integrator: Mapping[str, Any] | None = None, backend: str = "auto", **options: Any,
    ) -> Trajectory:  # fmt: skip
        """Solve the problem on a mesh.

        Args:
            nodes: the number of intervals of equal length, or the ends of the intervals as ascending fractions from 0
                to 1.
            method: "trapezoidal", "hermite-simpson", "radau" and "lobatto" (of any degree), or multiple shooting, with
                constant controls in each interval: "shooting" takes steps of the classical Runge–Kutta method, "odeint"
                the steps that ``sg.odeint`` chooses.
            degree: the degree of the polynomials of radau and lobatto; for shooting, the number of steps per interval.
            guess: a dict by name of states, controls, parameters, and "end" or "start" where times are free: numbers,
                functions of the fraction of the time, or arrays over time; or a ``Trajectory``, such as the last one of
                a closed loop. By default, each state follows a straight line from start to end.
            start, end, time, constants: numbers that replace those of the problem. Numbers cannot become free or
                bounded quantities, so nothing is compiled again.
            refine: a bound on the error. Intervals with a larger error are halved, and the problem is solved again.
            most_refinements: the largest number of such refinements.
            integrator: keyword arguments of ``sg.odeint`` for method="odeint", such as {"method": "rodas4"}.
            backend, options: see ``sg.optim.NLP`` and ``sg.optim.NLP.solve``.

        Returns:
            A ``Trajectory``. If an end, a time or a constant requires a gradient, its cost, states, controls and
            parameters are tensors.

        Raises:
            ArgumentError: if names, shapes or the mesh do not fit.
        """
        check_options(self.solve, options)
        args = self.arguments({"start": start, "end": end}, time, constants)
        way = Way.of(method, degree, integrator)
        mesh = mesh_of(nodes)
        trajectory = self._on_mesh(mesh, way, guess, args, backend, options)
        for _ in range(refinements(refine, most_refinements)):
            finer = halved(trajectory, refine)
            if len(finer) == len(mesh) or not trajectory.success:
                break
            mesh = finer
            trajectory = self._on_mesh(mesh, way, trajectory, args, backend, options)
        return trajectory

    @property
    def best(self) -> dict[str, Any] | None:
        """Return the best point of the last run as a guess for ``solve``, also after Ctrl-C; None before any run."""
        x = next((program.best for _, program in self._programs.values()), None)
        return None if x is None else as_guess(x)

    def program(
        self, nodes: Any = 20, *, method: str = "hermite-simpson", degree: int = 3, guess: Any = None,
        integrator: Mapping[str, Any] | None = None, backend: str = "auto",
    ) -> NLP:  # fmt: skip
        """Return the nonlinear program that ``solve`` solves, such as for ``sg.export(program, target="c")``."""
        args = self.arguments({"start": None, "end": None}, None, None)
        return self._transcribed(mesh_of(nodes), Way.of(method, degree, integrator), guess, args, backend)[1]

    def _transcribed(
        self, mesh: Any, way: Way, guess: Any, args: tuple[Any, ...], backend: str
    ) -> tuple[Transcription, NLP]:
        key = way.key, mesh.tobytes(), backend
        if key not in self._programs:
            transcription = Transcription(self, way, mesh)
            x0 = self.guessed(transcription, guess, args)
            self._programs = {key: (transcription, transcription.program(x0, args, backend))}  # the last is kept
        return self._programs[key]

    def _on_mesh(
        self, mesh: Any, way: Way, guess: Any, args: tuple[Any, ...], backend: str, options: Any
    ) -> Trajectory:
        transcription, program = self._transcribed(mesh, way, guess, args, backend)
        x0 = self.guessed(transcription, guess, args)
        warm = guess.solution if isinstance(guess, Trajectory) else None
        solution = program.solve(*args, x0=x0, start=fitting(warm, program), **options)
        return self.trajectory(transcription, solution.x, solution, args)

    def arguments(self, ends: dict[str, Any], time: Any, constants: Any) -> tuple[Any, ...]:
        """Return start, end, times and constants as the program takes them, as arrays."""
        out: list[Any] = []
        for block in _ENDS:
            own = self.values[block]
            new = known(block, ends[block], own, ", where the problem was made with no number")
            out.append({n: value(f"{block} of {n!r}", new.get(n, v)) for n, v in own.items()})
            for n, v in out[-1].items():
                shape = self.states.variables[n].shape
                if tuple(v.shape) != shape:
                    raise ArgumentError(f"control: {block} of {n!r} has shape {tuple(v.shape)}. Expected {shape}.")
        out.append(self._times(time))
        new = known("constants", constants, self.constants)
        out.append({n: value(f"constant {n!r}", v) for n, v in {**self.constants, **new}.items()})
        return tuple(out)

    def _times(self, time: Any) -> dict[str, Any]:
        """Return the times that are numbers, of which the end is after the start."""
        if time is not None and (not isinstance(time, (tuple, list)) or len(time) != 2):
            raise ArgumentError(f"control: solve got time={time!r:.60}. Expected (start, end), such as (0.0, 2.0).")
        times = self.times if time is None else {b: v for b, v in zip(_ENDS, time, strict=True) if b in self.times}
        values = {b: value(f"time of {b}", v) for b, v in times.items()}
        first, last = (number(values[b]) if b in values else self.time_bounds[b][k] for k, b in enumerate(_ENDS))
        if (
            np.ndim(first)
            or np.ndim(last)
            or not first < last
            or (values and not np.isfinite([*values.values()]).all())
        ):
            raise ArgumentError(
                f"control: time goes from {first} to {last}. Expected numbers, the start before the end."
            )
        return values

    # -------------------------------------------------------------- where to start
    def simulated(self, guess: Any = None, *, nodes: int = 100, **options: Any) -> dict[str, Any]:
        """Return a guess in which the states follow the dynamics from their initial values.

        Args:
            guess: the controls, parameters and free times, as in ``solve``; a state without an initial value starts at
                its guess.
            nodes: the number of intervals of equal length on which controls are interpolated and states computed.
            options: options of ``sg.odeint``, such as ``method="rodas4"`` for stiff dynamics.

        Returns:
            A dict for the argument ``guess`` of ``solve``.

        Raises:
            NotConverged: if the states diverge, or the dynamics are stiff.

        >>> problem = sg.control.Problem(
        ...     lambda x, u, t, p: {"x": u["v"]},
        ...     states={"x": None}, controls={"v": None}, time=(0.0, 2.0), start={"x": 1.0},
        ... )
        >>> float(problem.simulated({"v": 0.5}, nodes=4)["x"][-1].round(9))
        2.0
        """
        args, mesh = self.arguments({"start": None, "end": None}, None, None), mesh_of(nodes)
        x0 = self.guessed(Transcription(self, Way("trapezoidal", 1, {}), mesh), guess, args)
        ends = {**args[2], **x0.get("time", {})}
        t0, tf = float(number(ends["start"])), float(number(ends["end"]))
        p = named("parameters and constants", {**args[3], **x0.get("parameters", {})})
        times = t0 + (tf - t0) * mesh
        U = np.concatenate([v.reshape(len(mesh), -1) for v in x0.get("controls", {}).values()] or [times[:, None]], 1)
        first = np.concatenate([np.asarray(v)[0].ravel() for v in x0["states"].values()])

        def rate(x: Any, t: Any) -> Any:
            u = F.stack([F.interp(t, times, column) for column in U.T])
            return self.states.vector(self.dynamics(self.states.parts(x), self.controls.parts(u), t, p), "dynamics")

        others = {n: v for part in ("controls", "parameters", "time") for n, v in x0.get(part, {}).items()}
        return {**others, **by_name(self.states, number(odeint(rate, first, times, **options)))}

    def guessed(self, transcription: Transcription, guess: Any, args: tuple[Any, ...]) -> dict[str, Any]:
        """Return where a solver starts, by kind and name: at the guess, or between the given ends and bounds."""
        given: Mapping[str, Any] = {}
        if isinstance(guess, Trajectory):
            given = self._of_trajectory(guess)
        elif isinstance(guess, Mapping):
            given = guess
        elif guess is not None:
            raise ArgumentTypeError(f"control: got {type(guess).__name__} for guess. Expected a dict, or a Trajectory.")
        names = [*self.states.names, *self.controls.names, *self.parameters.names, *self.time_bounds]
        unknown = [str(n) for n in given if n not in names]
        if unknown:
            raise ArgumentError(f"control: guess has {unknown[0]!r}. Expected some of {names}.")
        start, end = ({n: np.asarray(v._value) for n, v in a.items()} for a in args[:2])
        x0: dict[str, Any] = {"states": {}, "controls": {}, "parameters": {}, "time": {}}
        for name, v in self.states.variables.items():
            first = start.get(name, end.get(name, v.start))
            straight = np.stack([first, end.get(name, first if name in start else v.start)])
            x0["states"][name] = _along(name, given.get(name, straight), v.shape, transcription.state_at)
        for name, v in self.controls.variables.items():
            x0["controls"][name] = _along(name, given.get(name, v.start), v.shape, transcription.control_at)
        for name, v in self.parameters.variables.items():
            x0["parameters"][name] = _along(name, given.get(name, v.start), v.shape, np.zeros(1))[0]
        for name, (low, high) in self.time_bounds.items():
            middle = 0.5 * (low + high) if math.isfinite(low + high) else low + 1.0 if math.isfinite(low) else 1.0
            x0["time"][name] = _along(name, given.get(name, middle), (), np.zeros(1))[0]
        ends = {**{b: number(v) for b, v in args[2].items()}, **x0["time"]}
        if not ends["start"] < ends["end"]:  # middles of pairs that overlap
            for name, bounds, k in ((b, self.time_bounds[b], k) for k, b in enumerate(_ENDS) if b in x0["time"]):
                x0["time"][name] = np.asarray(bounds[k] if math.isfinite(bounds[k]) else ends[name], np.float64)
        return {k: v for k, v in x0.items() if v}

    def _of_trajectory(self, guess: Trajectory) -> dict[str, Any]:
        """Return a trajectory as guesses by name, also for another mesh."""
        start, end = guess._pieces.ends
        mine, its = {*self.states.names, *self.controls.names}, set(guess.names)
        if mine != its:
            raise ArgumentError(f"control: guess is a trajectory of {sorted(its)}. Expected {sorted(mine)}.")

        def of(name: str, function: Callable[[Any], dict[str, Any]]) -> Callable[[Any], Any]:
            return lambda s: function(start + (end - start) * s)[name]

        out: dict[str, Any] = {n: of(n, guess.state) for n in self.states.names}
        out |= {n: of(n, guess.control) for n in self.controls.names}
        out |= {n: number(v) for n, v in guess.parameters.items()}
        return out | {n: (start, end)[_ENDS.index(n)] for n in self.time_bounds}

    # -------------------------------------------------------------- the answer
    def trajectory(self, transcription: Transcription, x: Any, solution: Any, args: tuple[Any, ...]) -> Trajectory:
        """Return the trajectory of these unknowns; with its own cost where there are several phases."""
        cost = solution.f if x is solution.x else transcription.objective(x, *args)
        ends = {**args[2], **x.get("time", {})}
        t0, tf = float(number(ends["start"])), float(number(ends["end"]))
        X, U = (
            np.concatenate([number(part[n]).reshape(len(at), -1) for n in part] or [np.zeros((len(at), 0))], 1)
            for part, at in ((x["states"], transcription.state_at), (x.get("controls", {}), transcription.control_at))
        )
        p = {n: number(v) for n, v in {**args[3], **x.get("parameters", {})}.items()}
        pieces = Pieces(transcription, X, U, (t0, tf))
        self._fill(pieces, p)
        return Trajectory(
            t0 + (tf - t0) * transcription.state_at, x["states"], t0 + (tf - t0) * transcription.control_at,
            x.get("controls", {}), x.get("parameters", {}), cost, self._errors(pieces, p), transcription.mesh,
            solution, pieces,
        )  # fmt: skip

    def _fill(self, pieces: Pieces, p: dict[str, Any]) -> None:
        """Compute f at the points of the controls; by shooting before and after each step."""
        tr, (t0, tf) = pieces.transcription, pieces.ends
        if tr.scheme is not None:
            k = 0 if tr.scheme.has_start else 1
            pieces.rates = _evaluated(tr, pieces.X[k:], pieces.U, (t0 + (tf - t0) * tr.state_at)[k:], p)
            return
        steps = tr.degree if tr.method == "shooting" else _INNER
        pieces.inner = np.stack([pieces.X[:-1], *self._shot(pieces, p, steps)], 1)
        times = t0 + (tf - t0) * (tr.mesh[:-1, None] + tr.widths[:, None] * np.linspace(0.0, 1.0, steps + 1))
        X = pieces.inner.reshape(-1, self.states.size)
        rates = _evaluated(tr, X, np.repeat(pieces.U, steps + 1, 0), times.ravel(), p)
        pieces.rates = rates.reshape(pieces.inner.shape)

    @staticmethod
    def _shot(pieces: Pieces, p: dict[str, Any], steps: int) -> Any:
        """Return the states after each of some steps in every interval."""
        tr = pieces.transcription

        def states(p: dict[str, Any], X: Any, U: Any, t0: Any, tf: Any) -> Any:
            parts = {"X": X, "U": U, "t0": t0, "tf": tf, "p": p}
            return F.stack(tr.inner_states(parts, tr.rates(parts), steps=steps))

        return tr.computed(f"{steps} steps", states, p, pieces.X, pieces.U, *pieces.ends)

    def _errors(self, pieces: Pieces, p: dict[str, Any]) -> Any:
        """Return h·max|ẋ − f| / (1 + |x|) between the nodes of each interval; by shooting, what halved steps change."""
        tr, (t0, tf) = pieces.transcription, pieces.ends
        scale = 1.0 + np.max(np.abs(pieces.X), 0)
        if tr.scheme is None:
            ends = self._shot(pieces, p, 2 * tr.degree)[-1] if tr.method == "shooting" else pieces.inner[:, -1]
            return np.max(np.abs(ends - pieces.inner[:, -1]) / scale, 1)
        k, s = pieces.between()
        X, U = pieces.state_vectors(k, s), pieces.control_vectors(k, s)
        times = t0 + (tf - t0) * (tr.mesh[k] + tr.widths[k] * s)
        n = X.shape[-1]
        rates = _evaluated(tr, X.reshape(-1, n), U.reshape(len(X.reshape(-1, n)), -1), times.ravel(), p)
        off = np.abs(pieces.slopes(k, s) - rates.reshape(X.shape)) / scale
        return (tf - t0) * tr.widths * np.max(off, (1, 2))


def as_guess(x: Mapping[str, Any]) -> dict[str, Any]:
    """Return the unknowns of a problem by name, without the groups that they are in."""
    return {name: value for group in x.values() for name, value in group.items()}


def refinements(refine: Any, most: Any) -> int:
    """Return how often a mesh may be refined."""
    if refine is None:
        return 0
    positive("control", "refine", refine)
    return whole("control", "most_refinements", most)


def halved(trajectory: Trajectory, refine: Any) -> Any:
    """Return the mesh with those intervals halved whose error is larger than ``refine``."""
    mesh, coarse = trajectory.mesh, np.flatnonzero(trajectory.error > refine)
    return np.sort(np.concatenate([mesh, 0.5 * (mesh[coarse] + mesh[coarse + 1])]))


def fitting(warm: Solution | None, program: NLP) -> Solution | None:
    """Return a solution to start from, if it is one of a program of this size."""
    sizes = program.derivatives.size, program.rows.size
    return warm if warm is not None and (len(warm.z), len(warm.forces)) == sizes else None


def _evaluated(tr: Transcription, X: Any, U: Any, t: Any, p: dict[str, Any]) -> Any:
    """Return f at many points, as an array."""
    return tr.computed("f", lambda p, *at: vmap(tr.rates({"p": p}))(*at), p, X, U, t)


def _along(name: str, guess: Any, shape: tuple[int, ...], at: Any) -> Any:
    """Return a guess at these fractions of the time."""
    values = real(f"guess of {name!r}", guess(at) if callable(guess) else guess)
    if values.shape == shape:
        return np.broadcast_to(values, (len(at), *shape)).copy()
    if values.ndim != len(shape) + 1 or values.shape[1:] != shape or not len(values):
        raise ArgumentError(
            f"control: the guess of {name!r} has shape {values.shape}. Expected {shape}, or times before that."
        )
    if len(values) == len(at):
        return values
    flat, given = values.reshape(len(values), -1), np.linspace(0.0, 1.0, len(values))
    return np.stack([np.interp(at, given, column) for column in flat.T], 1).reshape(len(at), *shape)


__all__ = ["METHODS", "Problem"]
check_all(globals(), ["Problem"])
