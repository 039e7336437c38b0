"""``sg.control.Phases``: consecutive problems, such as the stages of a rocket, solved as one program."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from symgrad.control.arguments import (
    ControlProgram,
    check_limits,
    check_options,
    function,
    mapping,
    mesh_of,
    named,
    noted,
    pair,
    results,
)
from symgrad.control.problem import Problem, as_guess, fitting, halved, refinements
from symgrad.control.trajectory import Solved, Trajectory
from symgrad.control.transcription import Transcription, Way
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.optim.nonlinear import NLP
from symgrad.optim.nonlinear.solution import Solution
from symgrad.support.arguments import check_all
from symgrad.support.extras import required
from symgrad.support.namespace import near


class PhaseEnds(NamedTuple):
    """States at the start and at the end of a phase by name, its times, and parameters with constants."""

    x0: dict[str, Any]
    xf: dict[str, Any]
    t0: Any
    tf: Any
    p: dict[str, Any]


@dataclass(frozen=True)
class PhaseTrajectories(Solved):
    """The trajectories of several phases; index them by the name of a phase.

    Attributes:
        phases: a ``Trajectory`` for each name, in order, with the cost of that phase.
        cost: the sum of the costs of all phases.
        solution: the solution of the nonlinear program of all phases; its report names blocks such as
            ``coast.dynamics.speed[3]``.
    """

    phases: dict[str, Trajectory]
    cost: Any
    solution: Solution = field(repr=False)

    def __getitem__(self, name: str) -> Trajectory:
        return self.phases[_known(name, self.phases, "trajectories")]

    def __str__(self) -> str:
        return "\n".join([*[f"{name}: {t.summary}" for name, t in self.phases.items()], str(self.solution)])

    def plot(self) -> Any:
        """Draw the states and controls of all phases over time; return matplotlib's axes, one for each name.

        Raises:
            MissingExtra: if matplotlib is not installed.
        """
        pyplot = required("PhaseTrajectories.plot", "plot", "matplotlib.pyplot")
        names = list(dict.fromkeys(name for t in self.phases.values() for name in t.names))
        axes = pyplot.subplots(len(names), 1, sharex=True, squeeze=False)[1][:, 0]
        for trajectory in self.phases.values():
            trajectory.plot([axes[names.index(name)] for name in trajectory.names])
        for ax in axes:
            ax.set_xlabel("t" if ax is axes[-1] else "")
        return axes


class Phases:
    """Minimise the sum of the costs of problems that follow each other in time.

    Each phase starts when the previous one ends. Its states start at the final values of the states with the same
    names, unless ``jumps`` defines them otherwise, and parameters of the same name are equal. The times between phases
    are usually free: pass the times of a phase as pairs.

    Args:
        phases: a ``Problem`` for each name, in chronological order.
        jumps: for the name of a phase, a function jump(x, p) of the final states of the previous phase, and of the
            parameters and constants of this phase. It returns a dict of initial states; states not in it are free.
        coupling: coupling(ends) returns a dict of quantities that are limited across phases; ends[name] has the
            attributes x0, xf, t0, tf and p.
        limits: a pair (lower, upper) for names that coupling returns. Other quantities must be 0.

    >>> def drive(push):  # from rest; then the car rolls, and slows down
    ...     return lambda x, u, t, p: {"place": x["speed"], "speed": push - x["speed"]}
    >>> start = sg.control.Problem(
    ...     drive(2.0), states={"place": None, "speed": None}, controls={}, time=(0.0, (0.1, 5.0)),
    ...     start={"place": 0.0, "speed": 0.0}, final=lambda x, t, p: t,
    ... )
    >>> roll = sg.control.Problem(
    ...     drive(0.0), states={"place": None, "speed": None}, controls={}, time=((0.1, 5.0), (0.2, 9.0)),
    ...     end={"place": 1.0, "speed": 0.5},
    ... )
    >>> trip = sg.control.Phases({"start": start, "roll": roll}).solve(8)
    >>> round(float(trip["start"].t[-1]), 4), round(float(trip["roll"].states["speed"][-1]), 4)
    (0.75, 0.5)
    """

    def __init__(
        self, phases: Mapping[str, Problem], *, jumps: Mapping[str, Callable[..., Any]] | None = None,
        coupling: Callable[..., Any] | None = None, limits: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(phases, Mapping) or not phases:
            raise ArgumentError(f"control: got phases={phases!r:.60}. Expected a dict with a Problem for each name.")
        for name, problem in phases.items():
            if not isinstance(problem, Problem):
                raise ArgumentTypeError(
                    f"control: phase {name!r} is a {type(problem).__name__}. Expected a sg.control.Problem."
                )
        self.phases, self.jumps = mapping("phases", phases), mapping("jumps", jumps)
        self.coupling = function("coupling(ends)", coupling)
        for name, jump in self.jumps.items():
            if _known(name, self.phases, "jumps") == next(iter(self.phases)):
                raise ArgumentError(f"control: jumps has {name!r}, which is the first phase. No phase precedes it.")
            self.jumps[name] = function(f"jump to {name}(x, p)", jump, optional=False)
        self.limits = {name: pair(f"limits of {name!r}", v) for name, v in mapping("limits", limits).items()}
        self._programs: dict[Any, tuple[dict[str, Transcription], NLP]] = {}

    # -------------------------------------------------------------- solving
    def solve(
        self, nodes: Any = 20, *, method: Any = "hermite-simpson", degree: Any = 3, guess: Any = None,
        start: Any = None, end: Any = None, time: Any = None, constants: Any = None, refine: float | None = None,
        most_refinements: int = 8, integrator: Any = None, backend: str = "auto", **options: Any,
    ) -> PhaseTrajectories:  # fmt: skip
        """Solve all phases at once.

        Args:
            nodes, method, degree, integrator: see ``Problem.solve``; the same for all phases, or a dict by phase.
            guess: a dict with a guess for each phase, as in ``Problem.solve``; or earlier ``PhaseTrajectories``, for a
                warm start.
            start, end, time, constants: dicts by phase, with numbers that replace those of the phase.
            refine, most_refinements, backend, options: see ``Problem.solve``.

        Returns:
            ``PhaseTrajectories``, which are differentiable like a ``Trajectory``.

        Raises:
            ArgumentError: if names, shapes or the meshes do not fit.
        """
        check_options(self.solve, options)
        choices = self._each(start=start, end=end, time=time, constants=constants)
        args = {
            name: problem.arguments({k: choices[k].get(name) for k in ("start", "end")}, *(
                choices[k].get(name) for k in ("time", "constants")))
            for name, problem in self.phases.items()
        }  # fmt: skip
        self._check_times(args)
        ways, meshes = self._ways(method, degree, integrator), self._meshes(nodes)
        trajectories = self._on_meshes(meshes, ways, guess, args, backend, options)
        for _ in range(refinements(refine, most_refinements)):
            finer = {name: halved(t, refine) for name, t in trajectories.phases.items()}
            if all(len(finer[name]) == len(meshes[name]) for name in finer) or not trajectories.success:
                break
            meshes = finer
            trajectories = self._on_meshes(meshes, ways, trajectories, args, backend, options)
        return trajectories

    @property
    def best(self) -> dict[str, dict[str, Any]] | None:
        """Return the best point of the last run as guesses by phase, also after Ctrl-C; None before the first run."""
        x = next((program.best for _, program in self._programs.values()), None)
        return None if x is None else {name: as_guess(own) for name, own in x.items()}

    def program(
        self, nodes: Any = 20, *, method: Any = "hermite-simpson", degree: Any = 3, guess: Any = None,
        integrator: Any = None, backend: str = "auto",
    ) -> NLP:  # fmt: skip
        """Return the nonlinear program that ``solve`` solves."""
        args = {name: p.arguments({"start": None, "end": None}, None, None) for name, p in self.phases.items()}
        ways = self._ways(method, degree, integrator)
        return self._transcribed(self._meshes(nodes), ways, self._guesses(guess), args, backend)[1]

    def _on_meshes(
        self, meshes: Any, ways: Any, guess: Any, args: Any, backend: str, options: Any
    ) -> PhaseTrajectories:
        guesses = self._guesses(guess)
        transcriptions, program = self._transcribed(meshes, ways, guesses, args, backend)
        x0 = self._start(transcriptions, guesses, args)
        warm = guess.solution if isinstance(guess, PhaseTrajectories) else None
        solution = program.solve(args, x0=x0, start=fitting(warm, program), **options)
        return PhaseTrajectories(
            {n: p.trajectory(transcriptions[n], solution.x[n], solution, args[n]) for n, p in self.phases.items()},
            solution.f, solution,
        )  # fmt: skip

    def _transcribed(
        self, meshes: Any, ways: Any, guesses: Any, args: Any, backend: str
    ) -> tuple[dict[str, Transcription], NLP]:
        key = tuple((ways[n].key, meshes[n].tobytes()) for n in self.phases), backend
        if key not in self._programs:
            transcriptions = {n: Transcription(p, ways[n], meshes[n]) for n, p in self.phases.items()}
            x0 = self._start(transcriptions, guesses, args)
            self._programs = {key: (transcriptions, self._program(transcriptions, x0, args, backend))}
        return self._programs[key]

    def _program(self, transcriptions: dict[str, Transcription], x0: Any, args: Any, backend: str) -> NLP:
        bounds, lb, ub = {}, *({k: ends[side] for k, ends in self.limits.items()} for side in (0, 1))
        for name, transcription in transcriptions.items():
            bounds[name], low, high = transcription.limits(x0[name])
            for ends, own in ((lb, low), (ub, high)):
                ends |= {f"{name}.{block}": v for block, v in own.items()}

        def of_each(part: Callable[..., Any], z: Any, args: Any) -> dict[str, Any]:
            values = {}
            for n, t in transcriptions.items():
                with noted(f"in phase {n!r}"):
                    values[n] = part(t, z[n], *args[n])
            return values

        def objective(z: Any, args: Any) -> Any:
            return sum(of_each(Transcription.objective, z, args).values(), 0.0)

        def constraints(z: Any, args: Any) -> dict[str, Any]:
            own = of_each(Transcription.constraints, z, args)
            blocks = {f"{n}.{block}": v for n, blocks in own.items() for block, v in blocks.items()}
            return blocks | self._links(transcriptions, z, args)

        return ControlProgram(
            objective, x0, args, constraints=constraints, lb=lb, ub=ub, bounds=bounds, backend=backend
        )

    def _links(self, transcriptions: dict[str, Transcription], z: Any, args: Any) -> dict[str, Any]:
        """Return what joins each phase to the one before it, and the coupling."""
        ends = named("phases", {})
        for name, t in transcriptions.items():
            parts, states = t.parts(z[name], args[name]), self.phases[name].states
            x0, xf = states.parts(parts["X"][0]), states.parts(parts["X"][-1])
            ends[name] = PhaseEnds(x0, xf, parts["t0"], parts["tf"], parts["p"])
        links: dict[str, Any] = {}
        for before, name in itertools.pairwise(ends):
            links[f"{name}.link"] = self._link(name, before, ends)
        coupled = results("coupling", self.coupling(ends)) if self.coupling is not None else {}
        check_limits(self.limits, coupled, "coupling does")
        return links | coupled

    def _link(self, name: str, before: str, ends: dict[str, PhaseEnds]) -> dict[str, Any]:
        problem, last, first = self.phases[name], ends[before], ends[name]
        if name in self.jumps:
            arrived = results(f"the jump to {name!r}", self.jumps[name](last.xf, first.p))
            problem.states.check(arrived, f"the jump to {name!r}")
        else:
            arrived = {n: v for n, v in last.xf.items() if n in problem.states.variables}
        link = {n: first.x0[n] - v for n, v in arrived.items()}
        if "start" in problem.time_bounds or "end" in self.phases[before].time_bounds:
            link["time"] = first.t0 - last.tf
        shared = set(problem.parameters.names) & set(self.phases[before].parameters.names)
        return link | {n: first.p[n] - last.p[n] for n in sorted(shared)}

    # -------------------------------------------------------------- what each phase gets
    def _each(self, **choices: Any) -> dict[str, Mapping[str, Any]]:
        """Return dicts by phase, whose names are checked."""
        for what, values in choices.items():
            if values is not None and not isinstance(values, Mapping):
                raise ArgumentError(f"control: got {what}={values!r:.60}. Expected a dict by phase.")
            for name in values or {}:
                _known(name, self.phases, what)
        return {what: values or {} for what, values in choices.items()}

    def _for_all(self, what: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            return dict.fromkeys(self.phases, value)
        self._each(**{what: value})
        missing = [name for name in self.phases if name not in value]
        if missing:
            raise ArgumentError(f"control: {what} has nothing for phase {missing[0]!r}.")
        return dict(value)

    def _meshes(self, nodes: Any) -> dict[str, Any]:
        return {name: mesh_of(v) for name, v in self._for_all("nodes", nodes).items()}

    def _ways(self, method: Any, degree: Any, integrator: Any) -> dict[str, Way]:
        methods, degrees = self._for_all("method", method), self._for_all("degree", degree)
        by_phase = isinstance(integrator, Mapping) and set(integrator) <= set(self.phases)
        return {
            n: Way.of(methods[n], degrees[n], integrator.get(n) if by_phase else integrator) for n in self.phases
        }  # fmt: skip

    def _guesses(self, guess: Any) -> Mapping[str, Any]:
        return guess.phases if isinstance(guess, PhaseTrajectories) else self._each(guess=guess)["guess"]

    def _start(self, transcriptions: dict[str, Transcription], guesses: Mapping[str, Any], args: Any) -> dict[str, Any]:
        return {n: p.guessed(transcriptions[n], guesses.get(n), args[n]) for n, p in self.phases.items()}

    def _check_times(self, args: Any) -> None:
        """Refuse fixed times that leave a gap between phases."""
        for before, name in itertools.pairwise(self.phases):
            end, start = args[before][2].get("end"), args[name][2].get("start")
            if end is not None and start is not None and not np.isclose(float(end), float(start)):
                raise ArgumentError(
                    f"control: phase {before!r} ends at {float(end):g}, and {name!r} starts at {float(start):g}. Give "
                    "both the same time, or a pair (lower, upper) where it is free."
                )


def _known(name: str, names: Mapping[str, Any], what: str) -> str:
    if name not in names:
        guess = near(str(name), list(names)) or "."
        raise ArgumentError(f"control: {what} has {name!r}, which is not among the phases {list(names)}{guess}")
    return name


__all__ = ["PhaseEnds", "PhaseTrajectories", "Phases"]
check_all(globals(), ["Phases"])
