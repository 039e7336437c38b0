"""Solutions of differential equations at given times: ``sg.odeint``."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core import trees
from symgrad.core.node import has_value, tensor_value
from symgrad.core.promotion import is_complex
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, NotConverged, ShapeError, SymgradError
from symgrad.implicit import programs
from symgrad.implicit.factors import positive, whole
from symgrad.implicit.unknowns import Arguments, Unknown, double, floating, title_of, traced
from symgrad.ode.flow import Flow
from symgrad.ode.scipy_methods import ScipySolver
from symgrad.ode.stepping import Control, check_times
from symgrad.ode.tableaus import ADAPTIVE, FIXED, SCIPY
from symgrad.ops.convert import Cast
from symgrad.ops.map import show_shape
from symgrad.support.arguments import checked, takes_args
from symgrad.support.notices import warn
from symgrad.transforms.arguments import check_function
from symgrad.transforms.loops.scanning import fori_loop, scan
from symgrad.transforms.tracing import spec_of

_FLOAT64 = np.dtype(np.float64)
_TIMES = ("t", "time", "tau")
_WAYS = ("auto", "steps", "forward", "adjoint")


@takes_args
@checked
def odeint(
    f: Callable[..., Any], y0: Any, t: Any, *args: Any, method: str = "dopri5", rtol: float = 1e-8,
    atol: float = 1e-10, derivative: str = "auto", steps: int | None = None, max_steps: int = 100_000,
    checkpoints: int | None = None, hmax: float = math.inf,
) -> Any:  # fmt: skip
    """Solve y' = f(y, t, *args), y(t₀) = y0. Derivative: ẏ' = ∂f/∂y ẏ + ∂f/∂θ θ̇, or λ' = −(∂f/∂y)ᵀ λ backwards.

    The solution is differentiable with respect to y0, the times (dy/dtₖ = f(y(tₖ), tₖ)), args, and tensors that f
    captures: in forward and reverse mode, to every order, under ``sg.vmap`` and in ``sg.compile``. The arguments are
    those of ``jax.experimental.ode.odeint``.

    Args:
        f: f(y, t, *args), which returns the derivative of y in the structure of y, or a list of numbers for a vector.
            It is traced once: it cannot branch on values, and random numbers in it are drawn once.
        y0: the state at t[0]: a number, an array, or nested dicts, lists, tuples and dataclasses of them.
        t: the times, a vector that increases or decreases.
        args: further arguments of f: arrays, numbers, and structures of them.
        method: "dopri5", the adaptive method of Dormand and Prince of order 5; "rodas4", for stiff equations; or
            SciPy's "BDF", "Radau", "LSODA", "DOP853", "RK45" and "RK23". With ``steps`` also "rk4", "midpoint" and
            "euler".
        rtol, atol: the error allowed in a step, relative to the state and absolute. Steps are computed in double
            precision, and the result has the dtype of y0.
        derivative: "steps" differentiates the computed steps exactly; "forward" integrates sensitivities along with the
            state; "adjoint" integrates the adjoint equation backwards, and stores only the outputs. "auto" selects
            "steps", except for SciPy's methods, whose steps have no derivative: for them it selects "forward" for few
            numbers and for stiff equations, and "adjoint" otherwise.
        steps: None for adaptive steps; or the number of equal steps between consecutive times, which form a loop that
            compiles to machine code and can be exported. Their error is not estimated, and rtol and atol are ignored:
            compare with twice as many steps.
        max_steps: the maximum number of adaptive steps; for SciPy's methods the limit is approximate.
        checkpoints: the maximum number of states that are stored for derivative="steps"; the others are recomputed. By
            default, all are stored if they fit in 128 kB, otherwise about √(number of steps).
        hmax: the longest step that may be chosen. A longer step may miss a pulse of f; choose hmax below its duration.

    Returns:
        Tensors in the structure of y0, each with a new first axis for the times.

    Raises:
        NotConverged: if the solution ends or f is not finite before the last time, if there are too many steps, or if
            the state cannot be integrated backwards for derivative="adjoint". Equal steps in a compiled function are
            not checked.
        ShapeError: if t is not a vector, or f does not return the structure and shapes of y0.
        ArgumentError: if t is not monotone, or the method or the derivative is unknown.
        MissingExtra: if a method of SciPy is selected, and SciPy is not installed.

    Source: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, sections II.4 and II.5.

    >>> k = sg.tensor(0.5, requires_grad=True)
    >>> y = sg.odeint(lambda y, t, k: -k * y, 1.0, [0.0, 1.0, 2.0], k)
    >>> y[-1].backward()
    >>> y, k.grad
    (tensor([1.0000, 0.6065, 0.3679], grad_fn=<ViewBackward0>), tensor(-0.7358))
    """
    check_function("odeint", f)
    system = _system(f, y0, args)
    times = _times(t)
    if steps is not None or (method in FIXED and method not in ADAPTIVE):
        return system.structure(_fixed(system, times, method, _equal_steps(method, derivative, steps)))
    control = control_of("odeint", method, rtol, atol, max_steps, checkpoints, hmax)
    flow = Flow.of(system.field, control, way_of("odeint", derivative, control), title_of(f), system.plain)
    return system.structure(as_tensor(flow(system.start, times, *system.inputs))[0])


def _system(f: Callable[..., Any], y0: Any, args: Sequence[Any]) -> System:
    """Return the equation taken apart; where f's parameters are named (t, y), notice that it is called as f(y, t)."""
    order = _time_first(f)
    try:
        system = System("odeint", f, y0, args)
    except SymgradError as error:
        if order:
            raise ArgumentTypeError(order) from error
        raise
    if order:  # it may be meant: a name is not a proof
        warn(order)
    return system


def _time_first(f: Callable[..., Any]) -> str:
    """Return what to say of a function whose first parameter is named as the time, and whose second is not."""
    try:
        names = [*inspect.signature(f).parameters][:2]
    except (TypeError, ValueError):  # of a builtin
        return ""
    if len(names) < 2 or names[0] not in _TIMES or names[1] in _TIMES:
        return ""
    state, time = names[1], names[0]
    return (
        f"odeint: f({time}, {state}) is called with the state first. Write f({state}, {time}), or use sg.solve_ivp, "
        f"whose functions are f({time}, {state})."
    )


def _equal_steps(method: str, derivative: str, steps: int | None) -> int:
    """Return the number of equal steps between times, once the arguments are checked to fit each other."""
    if method not in FIXED:
        raise ArgumentError(f"odeint: steps= is for {_listed(FIXED)}, not {method!r}.")
    if derivative not in ("auto", "steps"):
        raise ArgumentError(f"odeint: with steps=, only derivative='steps' is available. Got {derivative!r}.")
    if steps is None:
        raise ArgumentError(
            f"odeint: {method!r} makes equal steps. Say how many between neighbouring times, as in steps=10."
        )
    return whole("odeint", "steps", steps)


class System:
    """A differential equation taken apart.

    Attributes:
        start: y0 as one row.
        plain: (y, t, *θ) ↦ y', of the array that y0 is, or of one vector of all its numbers.
        field: the same of one row.
        inputs: θ.
    """

    def __init__(self, who: str, f: Callable[..., Any], y0: Any, args: Sequence[Any]) -> None:
        self.unknown = unknown = Unknown(who, y0)
        start = as_tensor(unknown.start)
        self.given = given = Arguments(args)
        self.is_double = start.dtype == _FLOAT64
        if not programs.size_of(spec_of(start)):
            raise ShapeError(f"{who}: y0 is empty. Expected numbers.")
        self.start, shape = F.reshape(double(start), (1, -1)), tuple(start.shape)

        def slope(y: Any, t: Any, *tensors: Any) -> Any:
            return _as_row(who, unknown, f(unknown.structure(y), t, *given.put(tensors)))

        self.plain, (_, *self.inputs) = traced(who, slope, Spec(shape, _FLOAT64), [as_tensor(0.0), *given.tensors])
        row = Spec(tuple(self.start.shape), _FLOAT64)

        def rows(y: Any, *others: Any) -> list[Any]:
            return [F.reshape(self.plain(F.reshape(y, shape), *others)[0], row.shape)]

        self.field = programs.once(self.plain, "rows", [row, *self.plain.arguments[1:]], rows)

    def state(self, row: Any) -> Any:
        """Return a row, in double precision, in the structure of y0."""
        unknown = self.unknown
        return unknown.structure(F.reshape(row, unknown.shapes[0]) if unknown.single else row)

    def structure(self, rows: Any) -> Any:
        """Return the states (m, n) in the structure of y0, each array with the times first."""
        unknown, many = self.unknown, rows.shape[0]
        edges = [0, rows.shape[1]] if unknown.single else unknown.edges
        parts = [
            F.reshape(rows if unknown.single else F.narrow(rows, 1, a, b - a), (many, *s))
            for (a, b), s in zip(itertools.pairwise(edges), unknown.shapes, strict=True)
        ]
        parts = [p if self.is_double else Cast(unknown.start.dtype)(p) for p in parts]
        return trees.unflatten(unknown.tree, iter(parts))


def _as_row(who: str, unknown: Unknown, derivative: Any) -> Any:
    """Return the derivative that f returned, structured like y0, as one row in double precision."""
    if derivative is None:
        raise ArgumentTypeError(f"{who}: f returned None. Return the derivative of y.")
    if unknown.single and isinstance(derivative, (list, tuple)):
        derivative = F.stack(list(map(as_tensor, derivative)), 0)
    parts = unknown.beside(f"{who}: what f returned", derivative)
    row = parts[0] if len(parts) == 1 else F.cat([F.ravel(a) for a in parts], 0)
    if is_complex(row.dtype):
        raise ArgumentTypeError(
            f"{who}: f returned complex numbers, and y0 is real. Pass y0, and return the derivative, as real "
            "and imaginary parts, two arrays."
        )
    return double(row)


def control_of(
    who: str, method: str, rtol: float, atol: float, max_steps: int, checkpoints: int | None, hmax: float
) -> Control | ScipySolver:
    """Return how steps are chosen."""
    for name, value in (("rtol", rtol), ("atol", atol), ("hmax", 1.0 if hmax == math.inf else hmax)):
        positive(who, name, value)
    most = whole(who, "max_steps", max_steps)
    if method in ADAPTIVE:
        kept = None if checkpoints is None else whole(who, "checkpoints", checkpoints)
        return Control(ADAPTIVE[method], float(rtol), float(atol), most, kept, float(hmax))
    if method in SCIPY:
        return ScipySolver(method, float(rtol), float(atol), float(hmax), most)
    others = f"; with steps= also {_listed([m for m in FIXED if m not in ADAPTIVE])}" if who == "odeint" else ""
    raise ArgumentError(f"{who}: the method {method!r} is unknown. Use one of {_listed([*ADAPTIVE, *SCIPY])}{others}.")


def way_of(who: str, derivative: str, control: Control | ScipySolver) -> str:
    """Return how derivatives are found, checked."""
    if derivative not in _WAYS:
        raise ArgumentError(f"{who}: derivative={derivative!r} is unknown. Use one of {_listed(_WAYS)}.")
    if derivative == "steps" and isinstance(control, ScipySolver):
        raise ArgumentError(
            f"{who}: SciPy's {control.method} has no derivative of its steps. Use derivative='forward' or 'adjoint', "
            "or method='dopri5' or 'rodas4'."
        )
    return derivative


def _listed(names: Any) -> str:
    return ", ".join(map(repr, names))


def _times(t: Any) -> Any:
    if isinstance(t, (list, tuple)):
        t = F.stack(list(map(as_tensor, t)), 0) if any(isinstance(x, TensorBase) for x in t) else np.asarray(t)
    times = floating("odeint", as_tensor(t))
    if times.ndim != 1 or times.shape[0] < 1:
        raise ShapeError(f"odeint: t has shape {show_shape(times.shape)}. Expected a vector of times, the first of y0.")
    if has_value(times):
        check_times("odeint", np.asarray(tensor_value(times)))
    return double(times)


def _fixed(system: System, times: Any, method: str, steps: int) -> Any:
    """So many equal steps between neighbouring times, as a loop in a loop; returns (m, n)."""
    step: Program = FIXED[method].step(system.field)
    one = as_tensor(1.0)

    def interval(y: Any, row: Any) -> tuple[Any, Any]:
        t, h = row

        def make(i: Any, now: Any) -> Any:
            return step(now, t + i * h, h, one, one, *system.inputs)[0]

        y = make(as_tensor(0.0), y) if steps == 1 else fori_loop(0, steps, make, y)
        return y, y[0]

    if times.shape[0] == 1:
        return system.start
    _, rows = scan(interval, system.start, (times[:-1], (times[1:] - times[:-1]) / steps))
    states = F.cat([system.start, rows], 0)
    value, at = tensor_value(as_tensor(states)), tensor_value(as_tensor(times))
    if value is not None and at is not None and not np.isfinite(value).all():
        k = int(np.argmin(np.isfinite(value).all(axis=1)))
        raise NotConverged(
            f"odeint: with steps={steps} of {method!r} the state is not finite at t = {at[k]:g}. The steps may be too "
            "long, or the solution may end earlier: take more steps, or omit steps= to choose them by the error."
        )
    return states
