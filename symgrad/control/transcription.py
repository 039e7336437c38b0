"""A control problem on a mesh as a nonlinear program, whose stages are one function that is mapped over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from symgrad import functions as F
from symgrad.control.arguments import ControlProgram, check_limits, named, result, results
from symgrad.control.schemes import METHODS, SHOOTING, Scheme, scheme_of
from symgrad.core.promotion import FLOAT64
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError
from symgrad.implicit import programs
from symgrad.implicit.factors import whole
from symgrad.ode import odeint
from symgrad.ops.contract import Einsum
from symgrad.optim.nonlinear import NLP
from symgrad.transforms.vmap import vmap

_HIGHEST = 20  # degree of polynomials, and steps in an interval


class Way(NamedTuple):
    """How a problem is transcribed: the method, its degree or steps, and the keywords of ``sg.odeint``."""

    method: str
    degree: int
    integrator: dict[str, Any]

    @property
    def key(self) -> tuple[Any, ...]:
        """The key of this way."""
        return self.method, self.degree, repr(sorted(self.integrator.items()))

    @classmethod
    def of(cls, method: Any, degree: Any, integrator: Mapping[str, Any] | None) -> Way:
        """Return the checked arguments."""
        if method not in METHODS:
            known = ", ".join(map(repr, METHODS))
            raise ArgumentError(f"control: method={method!r} is unknown. Expected one of {known}.")
        degree = whole("control", "degree", degree)
        if degree > _HIGHEST:
            raise ArgumentError(f"control: got degree={degree}. Expected an integer from 1 to {_HIGHEST}.")
        if integrator and method != "odeint":
            raise ArgumentError(f"control: integrator= is for method='odeint', not {method!r}.")
        return cls(method, degree, dict(integrator or {}))


class Transcription:
    """The unknowns and the equations of a problem on a mesh.

    States stand at ``state_at``, controls at ``control_at``, fractions of the time between start and end.

    Args:
        problem: a ``Problem``.
        way: method, degree and integrator. Controls are constant in each interval of "shooting", which takes
            ``degree`` steps of the classical Runge–Kutta method there, and of "odeint", which chooses its steps.
        mesh: the ends of the intervals, fractions from 0 to 1.
    """

    def __init__(self, problem: Any, way: Way, mesh: Any) -> None:
        self.problem, self.mesh = problem, np.asarray(mesh, np.float64)
        self.method, self.degree, self.integrator = way
        self.scheme: Scheme | None = None if way.method in SHOOTING else scheme_of(way.method, way.degree)
        self.widths, many = np.diff(self.mesh), len(self.mesh) - 1
        self._traced: dict[Any, Program] = {}  # of functions that are called again for other numbers
        self._latest: tuple[Any, dict[str, Any]] | None = None  # unknowns, and what was made of them
        start = np.arange(many)
        if self.scheme is None:
            self.state_at, self.control_at = self.mesh, self.mesh[:-1]
            self.starts, self.states_of, self.controls_of = start, start[:, None] + 1, start[:, None]
            return
        points = self.scheme.points
        inner = points[1:] if self.scheme.has_start else points
        ahead = (self.mesh[:-1, None] + self.widths[:, None] * inner).ravel()
        self.state_at = np.concatenate([[0.0], ahead])
        self.control_at = self.state_at if self.scheme.has_start else ahead
        self.starts = start * len(inner)
        self.states_of = self.starts[:, None] + 1 + np.arange(len(inner))
        self.controls_of = self.starts[:, None] + np.arange(len(points))

    # -------------------------------------------------------------- the program
    def limits(self, x0: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """Return the bounds of x0, and the lower and upper ends of the constraints."""
        p = self.problem
        bounds = {
            "states": p.states.bounds, "controls": p.controls.bounds, "parameters": p.parameters.bounds,
            "time": {end: p.time_bounds[end] for end in x0.get("time", ())},
        }  # fmt: skip
        bounds = {k: v for k, v in bounds.items() if k in x0}
        lb, ub = ({name: pair[side] for name, pair in p.limits.items()} for side in (0, 1))
        ub |= {"duration": np.inf} if p.order_is_free else {}
        for block in ("start", "end"):
            for side, ends in ((0, lb), (1, ub)):
                if p.boxes[block]:
                    ends[block] = {n: p.boxes[block].get(n, (0.0, 0.0))[side] for n in p.ends[block]}
        return bounds, lb, ub

    def program(self, x0: Any, args: tuple[Any, ...], backend: str) -> NLP:
        """Return the nonlinear program, started from x0."""
        bounds, lb, ub = self.limits(x0)
        return ControlProgram(
            self.objective, x0, *args, constraints=self.constraints, lb=lb, ub=ub, bounds=bounds, backend=backend
        )

    def objective(self, z: Any, *args: Any) -> Any:
        """The integral of the running cost, and the final cost."""
        p, parts = self.problem, self.parts(z, args)
        total = as_tensor(0.0)
        if p.running is not None:
            total = total + self._integrals(parts)["running"][""]
        if p.final is not None:
            states = p.states.parts(parts["X"][-1])
            total = total + F.reshape(result("final", p.final(states, parts["tf"], parts["p"]), ()), ())
        return total

    def constraints(self, z: Any, *args: Any) -> dict[str, Any]:
        """The defects of the dynamics, ends, path, boundary, periodic and integral constraints."""
        p, parts = self.problem, self.parts(z, args)
        X = parts["X"]
        defects = self._defects(parts)
        blocks: dict[str, Any] = {"dynamics": self._by_name(defects)}
        first, last = p.states.parts(X[0]), p.states.parts(X[-1])
        for block, states, values in (("start", first, args[0]), ("end", last, args[1])):
            ends = {name: states[name] - values[name] if name in values else states[name] for name in p.ends[block]}
            if ends:
                blocks[block] = ends
        if p.periodic:
            blocks["periodic"] = {name: last[name] - first[name] for name in p.periodic}
        if p.order_is_free:
            blocks["duration"] = parts["tf"] - parts["t0"]
        own = [] if p.path is None else [self._mapped(lambda *a: results("path", p.path(*a)), parts)]
        if p.boundary is not None:
            own.append(results("boundary", p.boundary(first, last, parts["t0"], parts["tf"], parts["p"])))
        if p.integrals is not None:
            own.append(self._integrals(parts).get("integrals", {}))
        self._latest = None
        quantities: dict[str, Any] = {}
        for name, v in (item for values in own for item in values.items()):
            if name in blocks or name in quantities:
                raise ArgumentError(f"control: {name!r} names two constraints, or is reserved. Choose another name.")
            quantities[name] = v
        check_limits(p.limits, quantities, "path, boundary and integrals do")
        return blocks | quantities

    def _by_name(self, defects: Any) -> dict[str, Any]:
        p, rows = self.problem, int(np.prod(defects.shape[:-1]))
        flat = F.reshape(defects, (rows, p.states.size))
        edges = p.states.edges
        return {
            name: F.reshape(flat[:, a:b], (rows, *v.shape))
            for (name, v), a, b in zip(p.states.variables.items(), edges[:-1], edges[1:], strict=True)
        }

    # -------------------------------------------------------------- unknowns
    def parts(self, z: Any, args: tuple[Any, ...]) -> dict[str, Any]:
        """Return X, U at their points, times, and parameters with the constants; once for f and g of the same z."""
        if self._latest is not None and self._latest[0] is z:
            return self._latest[1]
        p, (_, _, times, constants) = self.problem, args
        X = p.states.joined(z["states"], len(self.state_at))
        U = p.controls.joined(z.get("controls", {}), len(self.control_at))
        ends = {**times, **z.get("time", {})}
        known = named("parameters and constants", {**constants, **z.get("parameters", {})})
        parts = {"X": X, "U": U, "t0": ends["start"], "tf": ends["end"], "p": known}
        self._latest = z, parts
        return parts

    def computed(self, what: str, fn: Callable[..., Any], p: dict[str, Any], *xs: Any) -> Any:
        """Return fn(p, *xs) as an array; fn is traced on first use, and for other shapes."""

        def on_tensors(*given: Any) -> list[Any]:
            known = dict(zip(p, given, strict=False))
            return [fn(named("parameters and constants", known), *given[len(known) :])]

        key = what, *map(np.shape, xs)
        if key not in self._traced:
            specs = [Spec(np.shape(v), FLOAT64) for v in (*p.values(), *xs)]
            self._traced[key] = programs.traced(specs, on_tensors, "control: the dynamics are traced once.")
        return np.asarray(programs.numbers(self._traced[key], *p.values(), *xs))

    def _at_controls(self, parts: dict[str, Any]) -> tuple[Any, Any, Any]:
        """Return states, controls and times at the points of the controls."""
        X, span = parts["X"], as_tensor(parts["tf"]) - parts["t0"]
        if self.scheme is None:
            X = X[:-1]
        elif not self.scheme.has_start:
            X = X[1:]
        return X, parts["U"], parts["t0"] + span * self.control_at

    def _mapped(self, fn: Callable[..., Any], parts: dict[str, Any]) -> Any:
        """Return fn(x, u, t, p) at all points of the controls at once."""
        p = self.problem

        def at(x: Any, u: Any, t: Any) -> Any:
            return fn(p.states.parts(x), p.controls.parts(u), t, parts["p"])

        return vmap(at)(*self._at_controls(parts))

    def rates(self, parts: dict[str, Any]) -> Callable[[Any, Any, Any], Any]:
        """Return the dynamics of vectors."""
        p = self.problem

        def rate(x: Any, u: Any, t: Any) -> Any:
            change = p.dynamics(p.states.parts(x), p.controls.parts(u), t, parts["p"])
            return p.states.vector(change, "dynamics")

        return rate

    # -------------------------------------------------------------- equations
    def _defects(self, parts: dict[str, Any]) -> Any:
        """Return x(c_i) − x(0) − h Σ A_ij f_j, shape (intervals, points, size)."""
        X, span = parts["X"], as_tensor(parts["tf"]) - parts["t0"]
        if self.scheme is None:
            return F.unsqueeze(X[1:] - self._shot(parts)[0], 1)
        rates = vmap(self.rates(parts))(*self._at_controls(parts))
        rows = self.scheme.A[1:] if self.scheme.has_start else self.scheme.A
        sums = Einsum.of("ij,kjn->kin")(rows, rates[self.controls_of])
        return X[self.states_of] - F.unsqueeze(X[self.starts], 1) - span * self.widths[:, None, None] * sums

    def inner_states(
        self, parts: dict[str, Any], rate: Callable[[Any, Any, Any], Any], X: Any = None, steps: int = 0
    ) -> list[Any]:
        """Return the states of all intervals after each of some steps of equal length, where controls are constant."""
        x, u, t = self._at_controls(parts)
        span = as_tensor(parts["tf"]) - parts["t0"]
        steps = steps or (self.degree if self.method == "shooting" else 1)
        widths = span * (self.widths / steps)

        def solved(x: Any, u: Any, t: Any, h: Any) -> list[Any]:
            times = t + h * np.arange(steps + 1.0)
            return list(odeint(lambda y, s: rate(y, u, s), x, times, **self.integrator)[1:])

        def advanced(x: Any, u: Any, t: Any, h: Any) -> list[Any]:
            states = []
            for _ in range(steps):
                k1 = rate(x, u, t)
                k2 = rate(x + 0.5 * h * k1, u, t + 0.5 * h)
                k3 = rate(x + 0.5 * h * k2, u, t + 0.5 * h)
                k4 = rate(x + h * k3, u, t + h)
                x, t = x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), t + h
                states.append(x)
            return states

        return list(vmap(advanced if self.method == "shooting" else solved)(x if X is None else X, u, t, widths))

    def _integrals(self, parts: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the integrals of the running cost, and of what integrals returns, by name."""
        if self.scheme is None:
            return self._shot(parts)[1]
        weights = np.zeros(len(self.control_at))
        np.add.at(weights, self.controls_of, self.widths[:, None] * self.scheme.A[-1])
        span = as_tensor(parts["tf"]) - parts["t0"]
        values = self._mapped(self._integrands, parts)
        return {part: {name: span * (weights @ v) for name, v in named.items()} for part, named in values.items()}

    def _integrands(self, *at: Any) -> dict[str, dict[str, Any]]:
        """Return what is integrated over time, numbers at one time; the running cost has no name."""
        p = self.problem
        values: dict[str, dict[str, Any]] = {}
        if p.running is not None:
            values["running"] = {"": result("running", p.running(*at), ())}
        if p.integrals is not None:
            named = results("integrals", p.integrals(*at))
            values["integrals"] = {n: result(f"integrals: {n!r}", v, ()) for n, v in named.items()}
        return values

    def _shot(self, parts: dict[str, Any]) -> tuple[Any, dict[str, dict[str, Any]]]:
        """Return the states at the ends of all intervals and the integrals of one run, which carries both."""
        if "shot" in parts:
            return parts["shot"]  # type: ignore[no-any-return]
        p, n, rate = self.problem, self.problem.states.size, self.rates(parts)
        places: list[tuple[str, str]] = []

        def both(x: Any, u: Any, t: Any) -> Any:
            values = self._integrands(p.states.parts(x[:n]), p.controls.parts(u), t, parts["p"])
            places[:] = [(part, name) for part, named in values.items() for name in named]
            flat = [F.reshape(values[part][name], (1,)) for part, name in places]
            return F.cat([rate(x[:n], u, t), *flat], 0) if flat else rate(x, u, t)

        if p.running is not None or p.integrals is not None:  # how many there are
            both(parts["X"][0], parts["U"][0], as_tensor(parts["t0"]) * 1.0)
        X = parts["X"][:-1]
        X = F.cat([X, as_tensor(np.zeros((len(self.starts), len(places))))], 1) if places else X
        ends = self.inner_states(parts, both, X)[-1]
        sums: dict[str, dict[str, Any]] = {}
        for k, (part, name) in enumerate(places):
            sums.setdefault(part, {})[name] = F.sum(ends[:, n + k])
        parts["shot"] = ends[:, :n], sums
        return parts["shot"]  # type: ignore[no-any-return]
