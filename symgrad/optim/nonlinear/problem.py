"""``sg.optim.NLP`` and ``sg.optim.nlp``: the program is traced once, and solved for any parameters."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.compiler.backends.choose import check_backend
from symgrad.core import trees
from symgrad.core.node import tensor_node
from symgrad.core.promotion import is_bool
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError, ValueNeeded
from symgrad.implicit.programs import with_constants
from symgrad.implicit.repeated import grouped
from symgrad.implicit.unknowns import Arguments, flat_result, floating, is_variable, labels, title_of
from symgrad.ops.convert import Cast
from symgrad.ops.map import show_shape
from symgrad.optim.implicit_result import is_followed
from symgrad.optim.nonlinear.blocks import Blocks
from symgrad.optim.nonlinear.derivatives import FLOAT64, Derivatives
from symgrad.optim.nonlinear.kkt import Point, polished
from symgrad.optim.nonlinear.quadratic import QUADRATIC, Matrices, quadratic
from symgrad.optim.nonlinear.run import BOTTOMLESS, Iterate, Outcome, Run, Stop
from symgrad.optim.nonlinear.sensitivity import Sensitivity
from symgrad.optim.nonlinear.solution import ACTIVE, WORDS, Solution, active_names, worst_rows
from symgrad.optim.nonlinear.solvers import NONLINEAR, repeated
from symgrad.optim.vectors import Vector
from symgrad.solvers.problem import ends_of, number_of
from symgrad.support.arguments import check_all
from symgrad.support.collector import collector_paused
from symgrad.support.extras import is_installed, needs, required
from symgrad.support.foreign_draws import watched
from symgrad.support.named import Named
from symgrad.support.progress import long_work
from symgrad.transforms.arguments import check_results
from symgrad.transforms.tracing import Trace, spec_of

_DENSE = 100  # variables and rows up to which SLSQP is taken where there is neither IPOPT nor Uno
_LEVEL = 1e-4  # slope of the violation, relative to it, that counts as none
_NEAR = 1e-4  # violation from which Newton's steps on the active constraints begin
_MET = 1e-6  # violation up to which constraints count as met
_STEEP = 1e-3  # slope of the Lagrangian, relative to that of f, at which there is no minimum
_WILD = 1e12  # derivatives from which nothing follows, as beyond the steps at which shooting is stable
_DRAWN = "Draw them before, and pass the numbers as an argument."
_FAR = 1e19  # ends that count as infinite
_SUCCESS = ("solved", "acceptable")


def _check_program(f: Any, constraints: Any, lb: Any, ub: Any, bounds: Any) -> None:
    """Raise where the functions are none, or ends belong to no constraint or require a gradient."""
    for name, fn in (("f", f), ("constraints", constraints)):
        if fn is not None and not callable(fn):
            raise ArgumentTypeError(f"nlp: {name} must be a function, got {type(fn).__name__}.")
    if constraints is None and any(isinstance(e, dict) or (e is not None and np.any(e)) for e in (lb, ub)):
        raise ArgumentError("nlp: lb and ub are bounds on constraints, but there are none. Use bounds= for x.")
    if is_followed(bounds, lb, ub):
        raise ArgumentError(
            "nlp: bounds, lb or ub hold a tensor that requires grad, which solutions are not differentiated with "
            "respect to. Pass the tensor in args, and subtract it in the constraints."
        )


class NLP:
    """The nonlinear program min f(x, *args) with lb ≤ g(x, *args) ≤ ub and bounds on x, traced once.

    Args:
        f: f(x, *args), which returns one number.
        x0: the starting point: an array, a number, or nested dicts, lists, tuples and dataclasses of them.
        args: parameters. Their shapes are fixed; their values may change with each solution.
        constraints: g(x, *args), which returns an array, or a structure whose keys name its blocks in reports and
            errors.
        lb, ub: the bounds on g: numbers, arrays, or dicts for some of its blocks. If neither is passed, or both are
            None, the constraints are equations, g = 0. If only one is passed, the other is infinite; if the one that is
            passed is itself infinite, the other is 0, so that ``ub=np.inf`` means g ≥ 0. Bounds of 1e19 and beyond are
            infinite.
        bounds: the bounds on x: a pair (lower, upper) of numbers, arrays or None. For a structure, pass a structure of
            pairs, in which keys may be missing. A list of pairs, one for each number, is accepted as in SciPy.
        backend: see ``sg.compile``. With "auto", NumPy computes the first calls while LLVM compiles.

    Raises:
        ArgumentError: if a lower bound is above its upper bound, a name is unknown, or f returns several numbers.

    >>> problem = sg.optim.NLP(
    ...     lambda x, p: ((x["a"] - p) ** 2).sum(), {"a": np.zeros(2)}, 3.0,
    ...     constraints=lambda x, p: {"total": x["a"].sum()}, ub={"total": 4.0},
    ... )
    >>> solution = problem.solve()
    >>> solution.x["a"].round(6), round(solution.multipliers["total"], 6), solution.active
    (array([2., 2.]), -2.0, ('total ≤ 4',))
    """

    start_name = "x0"  # what errors call the argument that says where to start

    def __init__(
        self, f: Callable[..., Any], x0: Any, *args: Any, constraints: Callable[..., Any] | None = None,
        lb: Any = None, ub: Any = None, bounds: Any = None, backend: str = "auto",
    ) -> None:  # fmt: skip
        needs("sg.optim.nlp", "scipy")
        check_backend(backend)
        _check_program(f, constraints, lb, ub, bounds)
        self.f, self.g, self._args, self._vector = f, constraints, Arguments(args), Vector(x0)
        vector = self._vector
        if any(c is not None for c in vector.complex):
            raise ArgumentTypeError("nlp: x0 holds complex numbers. Pass real and imaginary parts, as two arrays.")
        self.unknowns = Blocks(vector.tree, vector.shapes, title_of(f))
        body, self._thetas = self._traced()
        self.derivatives = Derivatives(body, backend)
        (low, no_low), (high, no_high) = (self.rows.spread(e, f"nlp: {n}") for e, n in ((lb, "lb"), (ub, "ub")))
        self.lb = _far(np.where(no_low, np.where(no_high | ~np.isfinite(high), 0.0, -np.inf), low))
        self.ub = _far(np.where(no_high, np.where(no_low | ~np.isfinite(low), 0.0, np.inf), high))
        ends = ends_of("nlp", vector, bounds)  # type: ignore[arg-type]
        self.low, self.high = [_far(np.array(t._value, np.float64).ravel()) for t in ends] or [
            np.full(vector.start.shape, s * np.inf) for s in (-1.0, 1.0)
        ]
        _check_ends(self.unknowns, self.low, self.high, "bounds")
        _check_ends(self.rows, self.lb, self.ub, "lb and ub")
        self.best: Any = None

    def __repr__(self) -> str:
        d = self.derivatives
        kind = "quadratic" if d.is_quadratic else "nonlinear"
        return (
            f"<{kind} program: {d.size} variables, {d.held} constraints, {len(d.jacobian_pattern.rows)} entries of the "
            f"Jacobian, {len(d.hessian_pattern.rows)} of the Hessian's lower triangle>"
        )

    @property
    def is_quadratic(self) -> bool:
        """Whether f is quadratic and g linear in x, whatever the parameters are."""
        return self.derivatives.is_quadratic

    # -------------------------------------------------------------- tracing
    @collector_paused()
    def _traced(self) -> tuple[Program, list[Any]]:
        """Return (x, *θ) ↦ (f, g), and the tensors θ; the blocks of g are noted."""
        self.rows = Blocks(trees.ContainerSpec(tuple, (), ()), [], "g")
        spec = Spec((self._vector.start.size,), FLOAT64)
        with Trace() as trace, watched("nlp", (self.f, self.g), _DRAWN):
            variables = trace.variables([spec, *[spec_of(t) for t in self._args.tensors]])
            nodes = [tensor_node(t) for t in variables]
            roots = trace.run(self._both, variables, "nlp: f and g are traced once on tensors without values.")
            if any(tensor_node(t) is not node for t, node in zip(variables, nodes, strict=True)):
                raise ArgumentError("nlp: f or g writes to an argument in place. Write to a copy, y = x.clone().")
            body, captured = trace.program(variables, roots)
        many = len(body.inputs) - len(captured)
        followed = [k for k, t in enumerate(captured) if t._value is None or is_followed(t)]
        outside = {many + k: t._value for k, t in enumerate(captured) if k not in followed}  # arrays, as constants
        body = grouped(with_constants(body, outside), "nlp")
        return body, [*self._args.tensors, *[captured[k] for k in followed]]

    def _both(self, z: Any, *tensors: Any) -> list[Any]:
        x, args = self._vector.tensors(z), self._args.put(tensors)
        x = Named(x, "names in x0", "nlp: f or g") if type(x) is dict else x
        loss = _double(number_of("nlp", self.f(x, *args)))
        value = None if self.g is None else self.g(x, *args)
        if self.g is None:
            return [loss, as_tensor(np.zeros(0))]
        leaves: list[Any] = []
        tree = trees.flatten(value, is_variable, leaves)
        if not leaves and not (isinstance(value, (dict, list, tuple)) and not value):
            flat_result("nlp", value)  # which says what is wrong
        check_results(tree, "nlp")
        if any(is_bool(as_tensor(v).dtype) for v in leaves):
            raise ArgumentTypeError("nlp: constraints return booleans. Return g(x), and pass its ends as lb and ub.")
        parts = [floating("nlp", as_tensor(v)) for v in leaves]
        self.rows = Blocks(tree, [tuple(p.shape) for p in parts], "g")
        flat = [F.ravel(_double(p)) for p in parts]
        return [loss, F.cat(flat, 0) if flat else as_tensor(np.zeros(0))]

    def _numbers(self, args: tuple[Any, ...]) -> tuple[list[Any], tuple[Any, ...]]:
        """Return the tensors θ for these arguments, those of the constructor by default, and their values."""
        tensors = self._thetas
        if args:
            given = Arguments(args)
            own = [tuple(t.shape) for t in self._args.tensors]
            if given.tree != self._args.tree:
                raise ArgumentError(
                    "nlp: the structure of the arguments differs from that of the constructor. Expected "
                    f"{len(own)} arrays of shapes {own}, in the same places. A Python integer is a fixed part of f; "
                    "write 1.0 for a parameter, and np.array([1.0, 2.0]) for a list."
                )
            if [tuple(t.shape) for t in given.tensors] != own:
                raise ShapeError(
                    f"nlp: got arguments of shapes {[tuple(t.shape) for t in given.tensors]}. Expected {own}, in the "
                    "structure that the problem was made with."
                )
            tensors = [*given.tensors, *tensors[len(own) :]]
        if any(t._value is None for t in tensors):
            raise ValueNeeded(
                "nlp: an argument has no value here, as sg.compile and sg.vmap trace functions. Solve outside of them."
            )
        specs = self.derivatives.body.arguments[1:]
        values = [np.asarray(t._value, s.dtype) for t, s in zip(tensors, specs, strict=True)]
        # kernels take numbers as Python's floats on their short way
        return list(tensors), tuple([v.item() if v.ndim == 0 and v.dtype == FLOAT64 else v for v in values])

    def exported(self) -> tuple[dict[str, tuple[Any, Any]], dict[str, Any]]:
        """Return the source that ``sg.export(problem, target="c")`` writes: five functions, and the sparsity patterns.

        ``objective``, ``gradient`` and ``constraints`` compute f, ∇f and g from x and the parameters p. ``jacobian``
        computes the entries of ∂g/∂x, and ``hessian`` those of the lower triangle of ∂²(σ f + λᵀ g)/∂x², in compressed
        columns: the entries of column j are those from ``…_columns[j]`` to ``…_columns[j + 1]``, in rows ``…_rows``.
        """
        d, z, tensors = self.derivatives, self._vector.start, self._args.tensors
        if len(self._thetas) > len(tensors):
            raise ArgumentError("export: f or g takes a captured tensor that requires grad. Pass it in args.")
        p = self._args.put([np.asarray(t._known("export")) for t in tensors])

        jacobian, hessian = d.jacobian_pattern.by_columns, d.hessian_pattern.by_columns

        def at(name: str, order: Any = slice(None)) -> tuple[Any, Any]:
            def fn(x: Any, p: Any) -> Any:
                return d.programs[name](x, *Arguments(p).tensors)[0][order]

            return fn, (z, p)

        def curvature(x: Any, sigma: Any, multipliers: Any, p: Any) -> Any:
            return d.programs["hessian"](x, *Arguments(p).tensors, sigma, multipliers)[0][hessian.order]

        functions: dict[str, tuple[Any, Any]] = {
            "objective": (lambda x, p: d.programs["objective"](x, *Arguments(p).tensors)[0], (z, p)),
            "gradient": at("gradient"),
        }  # fmt: skip
        if "hessian" in d.programs:
            functions["hessian"] = curvature, (z, 1.0, np.zeros(d.held), p)
        if d.held:
            functions["constraints"] = at("constraints")
        if "jacobian" in d.programs:
            functions["jacobian"] = at("jacobian", jacobian.order)
        return functions, {
            "jacobian_columns": jacobian.starts, "jacobian_rows": jacobian.rows,
            "hessian_columns": hessian.starts, "hessian_rows": hessian.rows,
        }  # fmt: skip

    def ends(self) -> tuple[Any, Any]:
        """Return the lower and the upper ends of g, followed by the bounds of x, as vectors."""
        return np.concatenate([self.lb, self.low]), np.concatenate([self.ub, self.high])

    # -------------------------------------------------------------- solving
    def solve(
        self, *args: Any, x0: Any = None, start: Solution | None = None, solver: str = "auto", tol: float = 1e-8,
        max_steps: int = 3000, max_time: float = math.inf, callback: Callable[..., Any] | None = None,
        options: Mapping[str, Any] | None = None, progress: bool = True,
    ) -> Solution:  # fmt: skip
        """Solve the program for the given parameters, by default those of the constructor.

        Args:
            args: parameters, with the same shapes as in the constructor.
            x0: the starting point, with the same structure as in the constructor.
            start: an earlier solution, whose point and multipliers the solver starts from.
            solver: "auto", "ipopt", "uno", "slsqp", "trust-constr", or for quadratic programs "clarabel", "piqp" or
                "osqp". "auto" uses one of the last three for convex quadratic programs, and otherwise the first of
                the others that is installed.
            tol: the tolerance of the solver.
            max_steps, max_time: the numbers of iterations and of seconds after which the best iterate is returned.
                OSQP, whose iterations are short, performs up to 33 for each step.
            callback: callback(x, iterate), called after each step; a true result ends the run. Solvers for quadratic
                programs do not call it.
            options: further options, under the solver's names.
            progress: whether to report the progress of long work, on a terminal or in a notebook.

        Returns:
            A ``Solution``. If a tensor in args requires a gradient, x, f, g and the multipliers are tensors that are
            differentiable with respect to args. If the solver does not end at a minimum, ``status`` gives the reason.

        Raises:
            MissingExtra: if the solver is not installed.
            ArgumentError: if f or g is not finite at the start, or the solver has no such option.
        """
        tensors, thetas = self._numbers(args)
        _check_budget(tol, max_steps, max_time)
        if start is not None and not isinstance(start, Solution):
            raise ArgumentTypeError(
                f"nlp: start must be an earlier solution, got {type(start).__name__}. Write x0= for a point."
            )
        z = self._start(x0, start)
        forces = np.zeros(self.rows.size) if start is None else np.asarray(start.forces, np.float64)
        self.derivatives.calls.clear()
        with np.errstate(all="ignore"), long_work("nlp", shown=progress) as work:
            run = Run(
                self.derivatives, thetas, z, forces, self.low, self.high, self.lb, self.ub, tol, max_steps, max_time,
                start is not None, work, (self.unknowns, self.rows), self._on_structure(callback),
            )  # fmt: skip
            name, outcome = self._run(run, solver, dict(options or {}))
            return self._solution(run, name, outcome, tensors)

    def _start(self, x0: Any, start: Solution | None) -> Any:
        z = self._vector.start if start is None else np.asarray(start.z, np.float64)
        if x0 is not None:
            other = Vector(x0)
            if other.tree != self._vector.tree:
                kinds = [
                    "one array" if isinstance(t, trees.ArrayLeaf) else n
                    for t, n in ((other.tree, labels(other.tree, "x")), (self._vector.tree, self.unknowns.names))
                ]
                raise ArgumentError(
                    f"nlp: x0 has the blocks {kinds[0]}. Expected {kinds[1]}, as the problem was made with."
                )
            if other.shapes != self._vector.shapes:
                raise ShapeError(
                    f"nlp: x0 has shapes {[show_shape(s) for s in other.shapes]}. Expected "
                    f"{[show_shape(s) for s in self._vector.shapes]}, in the structure that the problem was made with."
                )
            z = other.start
        sizes = (z.size, self.rows.size if start is None else len(start.forces))
        if sizes != (self._vector.start.size, self.rows.size):
            raise ShapeError(
                f"nlp: start is a solution with {sizes[0]} variables and {sizes[1]} constraints. Expected "
                f"{self._vector.start.size} and {self.rows.size}, as in this problem."
            )
        return np.clip(z, self.low, self.high)

    def _check_start(self, run: Run) -> None:
        if not np.all(np.isfinite(run.z)):
            k = int(np.argmin(np.isfinite(run.z)))
            run.bad = f"{self.unknowns.name(k)} is {run.z[k]}"
        else:
            run.objective(run.z), run.constraints(run.z)
        if run.bad:
            raise ArgumentError(
                f"nlp: {run.bad} at the start{run.cause}. Start where f and g are defined: pass another "
                f"{self.start_name}."
            )

    def _run(self, run: Run, solver: str, options: dict[str, Any]) -> tuple[str, Outcome]:
        known = ["auto", *NONLINEAR, *QUADRATIC]
        if solver not in known:
            raise ArgumentError(f"nlp: solver={solver!r} is unknown. Expected one of {', '.join(map(repr, known))}.")
        chosen = self._nonlinear() if solver == "auto" else solver
        try:
            self._check_start(run)
            if np.array_equal(run.low, run.high):
                return chosen, Outcome(run.z, None, "solved", "The bounds fix all variables", 0)
            if solver == "auto":
                timed = [q for q in QUADRATIC if q != "piqp" or np.isinf(run.max_time)]
                own = next((q for q in timed if is_installed(q)), None)
                matrices = Matrices.of(run) if own and self.derivatives.is_quadratic else None
                if matrices is not None and own is not None and matrices.is_convex:
                    return own, quadratic(own, run, matrices, options)
            if chosen in NONLINEAR:
                return chosen, NONLINEAR[chosen](run, options)
            return chosen, quadratic(chosen, run, self._matrices(run, chosen), options)
        except Stop:
            return chosen, run.ended()
        finally:
            self.best = None if run.best is None else self._vector.structure(run.best[2])

    def _nonlinear(self) -> str:
        extras = {"ipopt": "nlp", "uno": "uno"}
        is_small = max(self.derivatives.size, self.derivatives.held) <= _DENSE
        return next((s for s, e in extras.items() if is_installed(e)), "slsqp" if is_small else "trust-constr")

    def _matrices(self, run: Run, solver: str) -> Matrices:
        if not self.derivatives.is_quadratic:
            raise ArgumentError(
                f"nlp: {solver} solves quadratic programs with linear constraints, but this program is not one."
            )
        matrices = Matrices.of(run)
        if not matrices.is_convex:
            raise ArgumentError(f"nlp: {solver} solves convex programs, and f is not convex. Use solver='ipopt'.")
        return matrices

    def _on_structure(self, callback: Callable[..., Any] | None) -> Callable[[Any, Iterate], Any] | None:
        if callback is None:
            return None
        if not callable(callback):
            raise ArgumentTypeError(f"nlp: got callback={callback!r}. Expected a function or None.")
        return lambda z, iterate: callback(self._vector.structure(z), iterate)

    # -------------------------------------------------------------- the answer
    def _solution(self, run: Run, name: str, outcome: Outcome, tensors: list[Any]) -> Solution:
        run.max_time, run.needs_slopes = math.inf, False
        outcome = run.improved(outcome)
        point = self._point(run, outcome)
        if outcome.status in _SUCCESS and not point.is_level(run, _STEEP):  # as IPOPT ends where equations are square
            outcome = outcome._replace(status="stalled", message=outcome.message + repeated(run, "drop it"))
        is_rough = name == "osqp" or outcome.status in ("acceptable", "stalled")
        if is_rough and point.violation <= _NEAR and point.error > run.tol:
            point = polished(run, point)
        z, forces, pushes, stationarity, violation, *_ = point
        f, g = run.objective(z), run.constraints(z)
        status = self._status(run, outcome.status, point)
        excess = np.maximum(self.lb - g, g - self.ub)
        solution = Solution(
            self._vector.structure(z), f, self.rows.structure(g), self.rows.structure(np.array(forces)),
            self.unknowns.structure(pushes), status in _SUCCESS, status,
            _message(status, outcome, run.bad + run.cause), name, outcome.iterations,
            {"total": time.perf_counter() - run.began, **{k: t for k, (_, t) in self.derivatives.calls.items()}},
            {k: n for k, (n, _) in self.derivatives.calls.items()}, violation,
            stationarity, tuple(run.history),
            (*active_names(self.rows, g, self.lb, self.ub), *active_names(self.unknowns, z, self.low, self.high)),
            tuple(worst_rows(self.rows, excess, max(run.tol, _MET))), z, np.array(forces),
        )  # fmt: skip
        if is_followed(*tensors):
            return Sensitivity(self, run, solution, tensors, pushes).differentiable()
        return solution

    def _status(self, run: Run, status: str, point: Point) -> str:
        """Return the status of a solver, checked against what holds at its point."""
        z, forces, violation = point.z, point.forces, point.violation
        f, g = run.objective(z), run.constraints(z)
        is_met = violation <= max(_MET, run.tol) * (1.0 + float(np.max(np.abs(g), initial=0.0)))
        if status in ("stalled", "iteration limit", "failed", "not finite") and is_met and f < BOTTOMLESS:
            return "unbounded"
        if status in (*_SUCCESS, "stalled") and not is_met:
            return "infeasible" if self._is_infeasible(z, g, run.matrix(z), violation) else "stalled"
        if status == "infeasible" and is_met:
            status = "stalled"
        is_near = status in ("acceptable", "stalled", "iteration limit") and is_met and point.is_level(run, _MET)
        if not is_near or not self._has_signs(z, g, forces):
            return status
        is_exact = (
            violation <= run.tol and point.is_level(run, run.tol) and point.gap(run, g) <= run.tol * (1.0 + abs(f))
        )
        return "solved" if is_exact else "acceptable"

    def _point(self, run: Run, outcome: Outcome) -> Point:
        """Return the point of an outcome with its multipliers, or those that fit best where it has none that do."""
        z = np.asarray(outcome.z, np.float64)
        point = None if outcome.multipliers is None else Point.of(run, z, np.asarray(outcome.multipliers))
        if point is not None and (outcome.status not in _SUCCESS or point.is_level(run, _STEEP)):
            return point
        ends = self._signs(z, run.constraints(z))
        fitted = Point.of(run, z, self._balanced(run.matrix(z), run.gradient(z), *ends)[: self.rows.size])
        return fitted if point is None or fitted.error < point.error else point

    def _is_infeasible(self, z: Any, g: Any, matrix: Any, excess: float) -> bool:
        """Whether no small step lowers the sum of all violations: 0 is among its subgradients."""
        fixed = np.where(self.lb - g > _MET, 1.0, np.where(g - self.ub > _MET, -1.0, 0.0))
        lower, upper = self._signs(z, g)
        size = self.rows.size
        lower[:size] = np.where(fixed != 0, 0.0, np.maximum(lower[:size], -1.0))
        upper[:size] = np.where(fixed != 0, 0.0, np.minimum(upper[:size], 1.0))
        target = matrix.T @ fixed
        rest = target + self._columns(matrix) @ self._balanced(matrix, -target, lower, upper)
        slope, steepest = (float(np.max(np.abs(v), initial=0.0)) for v in (rest, matrix.data))
        if steepest > _WILD:
            return False
        return slope <= _LEVEL * steepest or slope * (1.0 + float(np.max(np.abs(z)))) <= _MET * excess

    @staticmethod
    def _is_at(values: Any, ends: Any, sign: float) -> Any:
        return np.isfinite(ends) & (sign * (values - ends) <= ACTIVE * (1.0 + np.abs(ends)))

    def _signs(self, z: Any, g: Any) -> tuple[Any, Any]:
        """Return between what multipliers of constraints and bounds are: at least 0 at lower ends, and so on."""
        lower, upper = [], []
        for values, low, high in ((g, self.lb, self.ub), (z, self.low, self.high)):
            lower.append(np.where(self._is_at(values, high, -1.0), -np.inf, 0.0))
            upper.append(np.where(self._is_at(values, low, 1.0), np.inf, 0.0))
        return np.concatenate(lower), np.concatenate(upper)

    def _has_signs(self, z: Any, g: Any, forces: Any) -> bool:
        """Whether multipliers have the signs that they have at a minimum."""
        lower, upper = (e[: self.rows.size] for e in self._signs(z, g))
        slack = _MET * (1.0 + float(np.max(np.abs(forces), initial=0.0)))
        return bool(np.all((lower - slack <= forces) & (forces <= upper + slack)))

    def _columns(self, matrix: Any) -> Any:
        sparse = required("nlp", "scipy", "scipy.sparse")
        return sparse.hstack([matrix.T, sparse.eye_array(self.derivatives.size)]).tocsc()

    def _balanced(self, matrix: Any, target: Any, lower: Any, upper: Any) -> Any:
        """Return multipliers between their ends that leave least of Jᵀλ + ν − target."""
        chosen, forces = lower < upper, np.zeros(len(lower))
        if chosen.any() and np.all(np.isfinite(target)) and np.all(np.isfinite(matrix.data)):
            columns = self._columns(matrix)[:, chosen]
            small = columns.toarray() if max(columns.shape) <= 10 * _DENSE else columns
            lsq = required("nlp", "scipy", "scipy.optimize").lsq_linear
            forces[chosen] = lsq(small, target, (lower[chosen], upper[chosen]), tol=1e-12).x
        return forces


def _double(t: Any) -> Any:
    return t if t.dtype == FLOAT64 else Cast(FLOAT64)(floating("nlp", t))


def _far(ends: Any) -> Any:
    """Return ends, of which the far ones are infinite, as they are to IPOPT."""
    return np.where(np.abs(ends) >= _FAR, np.copysign(np.inf, ends), ends)


def _check_ends(blocks: Blocks, low: Any, high: Any, what: str) -> None:
    crossed = np.flatnonzero(~(low <= high) | (low == np.inf) | (high == -np.inf))
    if len(crossed):
        k = int(crossed[0])
        ends = [f"{low[k]:g}", f"{high[k]:g}"]
        if ends[0] == ends[1] and np.isfinite(low[k]):  # they differ in later digits
            ends = [repr(float(low[k])), repr(float(high[k]))]
        raise ArgumentError(
            f"nlp: {what} of {blocks.name(k)} are {ends[0]} and {ends[1]}. Expected a lower bound that is not above "
            "the upper bound."
        )


def _check_budget(tol: float, max_steps: int, max_time: float) -> None:
    for name, value, is_right, expected in (
        ("tol", tol, 0 < tol < math.inf, "a positive number"),
        ("max_steps", max_steps, int(max_steps) == max_steps and max_steps >= 0, "an integer that is at least 0"),
        ("max_time", max_time, max_time >= 0, "seconds, at least 0"),
    ):
        if not is_right:
            raise ArgumentError(f"nlp: got {name}={value!r}. Expected {expected}.")


def _message(status: str, outcome: Outcome, bad: str) -> str:
    text = WORDS[status]
    if bad and status not in _SUCCESS:
        text += f" On the way, {bad}."
    return f"{text} ({outcome.message.strip().rstrip('.')}.)" if outcome.message else text


def nlp(
    f: Callable[..., Any], x0: Any, *args: Any, constraints: Callable[..., Any] | None = None, lb: Any = None,
    ub: Any = None, bounds: Any = None, solver: str = "auto", tol: float = 1e-8, max_steps: int = 3000,
    max_time: float = math.inf, callback: Callable[..., Any] | None = None, options: Mapping[str, Any] | None = None,
    backend: str = "auto", progress: bool = True,
) -> Solution:  # fmt: skip
    """Minimise f(x, *args) subject to lb ≤ g(x, *args) ≤ ub and bounds on x: ``NLP(f, x0, *args, …).solve(…)``.

    See ``NLP`` and ``NLP.solve`` for the arguments. To solve a problem for several parameters, create the ``NLP`` only
    once, so that it is compiled only once.

    >>> solution = sg.optim.nlp(lambda x: x @ x, np.ones(2), constraints=lambda x: x.sum(), lb=2.0)
    >>> solution.x.round(6), round(solution.multipliers, 6)
    (array([1., 1.]), 2.0)
    """
    problem = NLP(f, x0, *args, constraints=constraints, lb=lb, ub=ub, bounds=bounds, backend=backend)
    return problem.solve(
        solver=solver, tol=tol, max_steps=max_steps, max_time=max_time, callback=callback, options=options,
        progress=progress,
    )  # fmt: skip


__all__ = ["NLP", "nlp"]
check_all(globals(), __all__)
