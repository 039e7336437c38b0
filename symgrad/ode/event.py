"""``sg.odeint_event``: the first time at which a function of the solution is 0, and the state there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core.node import CONSTANT, Leaf, Shape, tensor_value
from symgrad.core.promotion import doubles
from symgrad.core.upcalls import UPCALLS
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, FormError, NotConverged, NotDifferentiable
from symgrad.implicit import programs
from symgrad.implicit.conditions import SOLVER, Conditions, Root, checked_system
from symgrad.implicit.factors import Way, norm
from symgrad.implicit.unknowns import flat_result, number, title_of, traced
from symgrad.ode.flow import NO_FORMULA, Flow, Pull, unpacked
from symgrad.ode.solve import System, control_of, way_of
from symgrad.ode.stepping import Control, SteppedSystem, between_at, machine
from symgrad.ops.convert import Cast
from symgrad.ops.protocol import Op
from symgrad.solvers.newton import few
from symgrad.support.arguments import checked, takes_args
from symgrad.support.frozen import frozen
from symgrad.transforms.arguments import check_function

TIME = "τ"  # what the time of an event is called in formulas, beside t
_FLOAT64 = np.dtype(np.float64)
_OVER = 0.1  # how far from 0, relative to slope and time, g is only where it jumps
_POLE = 1e3  # how many times as large g is at a pole as beside it
_PARTS = (0.25, 0.5, 0.75, 1.0)  # of a step, where the sign is examined


@takes_args
@checked
def odeint_event(
    f: Callable[..., Any], y0: Any, t0: Any, *args: Any, event: Callable[..., Any], t_max: float, direction: int = 0,
    method: str = "dopri5", rtol: float = 1e-8, atol: float = 1e-10, derivative: str = "auto",
    max_steps: int = 100_000, checkpoints: int | None = None, hmax: float = math.inf,
) -> tuple[Any, Any]:  # fmt: skip
    """Find the first time t* after t0 with g(y(t*), t*) = 0, where y' = f(y, t, *args) and y(t0) = y0.

    Derivative: dt*/dθ = −(∂g/∂y ∂y/∂θ + ∂g/∂θ)/(∂g/∂y f + ∂g/∂t), by the implicit function theorem. The time and the
    state are differentiable with respect to y0, t0 and args, in every mode and to every order.

    Args:
        f, y0, args: see ``odeint``.
        t0: the time of y0.
        event: g(y, t, *args), which returns a number. A zero at t0 itself does not count.
        t_max: the time at which the search ends; pass a time before t0 to search backwards.
        direction: 1 for changes of g from negative to positive, −1 for the opposite, 0 for both.
        method: "dopri5" or "rodas4".
        rtol, atol, derivative, max_steps, checkpoints, hmax: see ``odeint``.

    Returns:
        t*, a number, and the state y(t*), in the structure of y0.

    Raises:
        NotConverged: if g does not change its sign before t_max by more than the error that rtol and atol allow, or if
            it is nan before that. A change of sign at a pole is not an event.
        LinAlgError: if a derivative is requested and the solution touches g = 0 without crossing it.
        NotDifferentiable: if a derivative is requested and g jumps over 0.
        ShapeError, ArgumentTypeError: if g is not a number.

    >>> def fall(y, t):
    ...     return [y[1], -9.81]
    >>> t, y = sg.odeint_event(fall, [10.0, 0.0], 0.0, event=lambda y, t: y[0], t_max=9.0)
    >>> t, y[1]
    (tensor(1.4278), tensor(-14.0071))
    """
    who = "odeint_event"
    check_function(who, f)
    _check_event(who, event, direction)
    until = _known(who, "t_max", t_max)
    control = control_of(who, method, rtol, atol, max_steps, checkpoints, hmax)
    if not isinstance(control, Control):
        raise ArgumentError(f"{who}: SciPy's {method} does not support events. Use 'dopri5' or 'rodas4'.")
    system = System(who, f, y0, args)
    first = number(who, "t0", t0)
    flow = Flow.of(system.field, control, way_of(who, derivative, control), title_of(f), system.plain)
    g, more = _traced_event(who, event, system)
    inputs = [system.start, first, *system.inputs, *more]
    count = 2 + len(system.inputs)

    def condition(t: Any, start: Any, since: Any, *thetas: Any) -> Any:
        y = as_tensor(flow(start, F.stack([since, t]), *thetas[: count - 2]))[:, 1]
        return g(y, t, *thetas[count - 2 :])[0]

    body, _ = traced(who, condition, Spec((), _FLOAT64), inputs)
    solver = Crossing(flow, g, count, until, direction)
    conditions = Conditions(body, Way.of(who, "lu"), who, TIME, Slope(body))
    time = as_tensor(Moment(conditions, solver)(as_tensor(until), *inputs))
    state = as_tensor(flow(system.start, F.stack([first, time]), *system.inputs))[0, 1]
    return time, system.state(state if system.is_double else Cast(system.unknown.start.dtype)(state))


def _check_event(who: str, event: Any, direction: int) -> None:
    if isinstance(event, (list, tuple)):
        raise ArgumentTypeError(
            f"{who}: event is a {type(event).__name__}. Pass one function; for several events, call {who} for each."
        )
    check_function(who, event)
    if direction not in (-1, 0, 1):
        raise ArgumentError(f"{who}: direction is {direction!r}. Expected 1, -1 or 0.")


def _traced_event(who: str, event: Callable[..., Any], system: System) -> tuple[Program, list[Any]]:
    """Return (Y, t, *θ) ↦ g as a program, and its θ."""

    def crossed(y: Any, t: Any, *tensors: Any) -> Any:
        values = flat_result(who, event(system.state(y[0]), t, *system.given.put(tensors)))
        if len(values) != 1:
            raise ArgumentTypeError(f"{who}: event returned {len(values)} tensors. Expected a number.")
        return number(who, "what event returned", values[0])

    row = Spec(tuple(system.start.shape), _FLOAT64)
    g, (_, *more) = traced(who, crossed, row, [as_tensor(0.0), *system.given.tensors])
    return g, more


def _known(who: str, what: str, x: Any) -> float:
    """Return the value of a number that answers do not depend on."""
    value = tensor_value(number(who, what, x))
    if value is None:
        raise ArgumentError(f"{who}: {what} has no value here. Pass a number that does not require a gradient.")
    return float(np.asarray(value))


@frozen
class Slope:
    """Refuses a derivative where g jumps over 0: the theorem needs g = 0 there, and a slope.

    Attributes:
        body: (t, *θ) ↦ g(y(t), t).
    """

    body: Program

    def __call__(self, t: Any, *thetas: Any) -> None:
        """Look at one time, or at one of each slice."""
        left = np.abs(programs.numbers(self.body, t, *thetas))
        slope = np.abs(programs.numbers(programs.linearised(self.body), np.ones_like(t), t, *thetas))
        if np.any(left > _OVER * (1.0 + np.abs(t)) * slope):
            raise NotDifferentiable(
                f"odeint_event: the event's function jumps over 0 at t = {few(t)}: on one side it is {few(left)} away "
                f"from 0, where its slope is {few(slope)}. Its time has no derivative with respect to this function. "
                "Let event cross 0 with a slope, as y - c does, instead of sg.where(y < c, -1.0, 1.0)."
            )

    def mapped(self, size: int, flags: Sequence[bool]) -> Slope:
        """Return the slope for the given number of events."""
        return Slope(programs.mapped(self.body, size, (True, *flags)))


@frozen
class Moment(Root):
    """The t* with g(y(t*), t*) = 0, where ``solver`` is a ``Crossing``. The inputs are a start, Y₀, t₀, and θ."""

    name = "Moment"
    explained = (
        f"implicit function theorem: g(y({TIME}), {TIME}) = 0 gives d{TIME}/dθ = "
        "−(∂g/∂y·∂y/∂θ + ∂g/∂θ)/(∂g/∂y·f + ∂g/∂t)"
    )

    def __repr__(self) -> str:
        return f"Moment({self.solver.flow.title})"

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # as of any root, in one operation, which formulas write as above
        wanted = tuple(i for i in which if i > 0 and self.conditions.body.arguments[i].is_float)
        if not wanted:
            return [None for _ in which]
        first, others = unpacked(MomentPull(self, wanted)(g, y, *xs[1:]), self.specs(wanted))
        cotangents = dict(zip(wanted, [first, *others], strict=True))
        return [cotangents.get(i) for i in which]

    def specs(self, wanted: Sequence[int]) -> list[Spec]:
        """Return the shapes and dtypes of these inputs."""
        return [self.conditions.body.arguments[i] for i in wanted]


@frozen
class MomentPull(Op):
    """The cotangents of the inputs of a ``Moment``, one after the other, of t̄, t*, Y₀, t₀ and θ."""

    moment: Moment
    wanted: tuple[int, ...]
    name = "MomentBackward"
    saves = "x"
    gives = doubles
    dense = "a solution that depends on all that the equation looks at"
    not_exportable = SOLVER
    looped = "the sizes of steps are chosen for one start at a time"
    explained = Moment.explained

    def __repr__(self) -> str:
        return f"MomentBackward({self.moment.solver.flow.title})"

    @property
    def _body(self) -> Program:
        specs = [Spec((), _FLOAT64), *self.moment.conditions.body.arguments]

        def rule(g: Any, at: Any, *thetas: Any) -> list[Any]:
            cotangents = Root.vjps(self.moment, self.wanted, g, at, None, *thetas)
            return [F.cat([F.ravel(as_tensor(t)) for t in cotangents], 0)]

        return programs.once(self.moment.conditions.body, ("moment", self.wanted), specs, rule)

    def forward(self, *xs: Any) -> Any:
        """Solve with the slope of g along the solution."""
        checked_system(programs.linearised(self.moment.conditions.body), self.moment.conditions, xs[1:])
        return programs.numbers(self._body, *xs)

    def on_symbols(self, *xs: Any) -> Any:
        raise FormError(NO_FORMULA)

    def out_shape(self, *shapes: Shape) -> Shape:
        return (sum(programs.size_of(s) for s in self.moment.specs(self.wanted)),)

    def as_letters(self, g: Any, at: Any, *xs: Any) -> Any:
        """Return what formulas show: the quotient, where a costate with λ(t*) = ∂g/∂y gives ∂g/∂y·∂y/∂θ."""
        crossing, (start, since, *rest) = self.moment.solver, xs
        flow, many = crossing.flow, crossing.count - 2
        own, others = rest[:many], rest[many:]
        times = F.stack([as_tensor(since), as_tensor(at)])
        end = as_tensor(flow.as_letters(start, times, *own))[:, 1]
        one = handle(Leaf(1.0, (), CONSTANT), None)  # whose products are written out, not computed
        g_y, g_t, *by = programs.pullback(crossing.g, tuple(range(2 + len(others))))(end, at, *others, one)
        g_y = as_tensor(g_y)
        rate = F.sum(g_y * flow.field(end, at, *own)[0]) + g_t
        wanted = tuple(k for k in range(many) if k + 3 in self.wanted and programs.is_read(flow.field, k + 2))
        shown = UPCALLS["ode_entries"](F.reshape(g_y, flow.plain.arguments[0].shape))
        seed = F.stack([0.0 * g_y, g_y], 1)
        packed = UPCALLS["ode_costates"](Pull(flow, wanted), seed, start, times, own, shown)
        first, parts = unpacked(packed, flow.specs(wanted))
        cotangents = {1: first, 2: -F.sum(first * flow.field(start, since, *own)[0])}
        cotangents |= {k + 3: t for k, t in zip(wanted, parts, strict=True)} | {
            k + 3 + many: t for k, t in enumerate(by)
        }
        none = [programs.zeros(s) for s in self.moment.specs(self.wanted)]
        return F.cat(
            [F.ravel(-g / rate * cotangents.get(i, zero)) for i, zero in zip(self.wanted, none, strict=True)], 0
        )

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # of the program that computes them
        wanted = tuple(i for i in which if self._body.arguments[i].is_float)
        cotangents = dict(zip(wanted, programs.pullback(self._body, wanted)(*xs, g), strict=True))
        return [cotangents.get(i) for i in which]

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # of the program that computes them
        wanted = tuple(i for i, t in enumerate(ts) if t is not None and self._body.arguments[i].is_float)
        return programs.pushforward(self._body, wanted)(*xs, *[ts[i] for i in wanted])[0] if wanted else None


def _undefined(t: float) -> NotConverged:
    return NotConverged(
        f"odeint_event: the event's function is nan at t = {t:.6g}. Return a number for all times, end the search "
        "earlier with t_max, or take shorter steps with hmax."
    )


@frozen
class Crossing:
    """The walk along a solution up to where g changes its sign.

    Attributes:
        flow: the equation.
        g: (Y, t, *θ) ↦ g.
        count: how many of the inputs belong to the equation: Y₀, t₀ and its θ.
        until: where the search ends.
        direction: of the change.
    """

    flow: Flow
    g: Program
    count: int
    until: float
    direction: int

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return the time t* of the event."""
        y0, t0 = np.asarray(thetas[0], float), float(thetas[1])
        if not math.isfinite(self.until - t0) or self.until == t0:
            raise ArgumentError(f"odeint_event: t_max is {self.until:g}, t0 {t0:g}. Expected a finite time after t0.")
        flow, others = self.flow, thetas[self.count :]
        assert flow.step is not None
        assert isinstance(flow.control, Control)
        steps = SteppedSystem(flow.step, flow.base, flow.control, [t0, self.until], thetas[2 : self.count])
        program, step = machine(self.g), machine(flow.step)

        def look(y: Any, t: float) -> float:
            return float(program(y, t, *others)[0])

        def advanced(y: Any, t: float, h: float) -> Any:
            return step(y, t, h, flow.control.rtol, flow.control.atol, *steps.thetas)[0]

        before = None
        for stretch, k in ((s, k) for _, s in steps.walk(steps.first(y0)) for k in np.flatnonzero(s.h)):
            time, before = self._within(stretch, int(k), before, look, advanced, others)
            if time is not None:
                return time
        raise NotConverged(
            f"odeint_event: the event's function does not change its sign between t = {t0:g} and {self.until:g}; at "
            f"the end it is {before:.4g}. Search further with t_max, check direction, or lower rtol."
        )

    def _within(
        self, stretch: Any, k: int, before: float | None, look: Any, advanced: Any, others: Sequence[Any]
    ) -> tuple[float | None, float]:
        """Return the time of the event in step k, None if there is none, and the last value of g that is not 0."""
        t, y, h = float(stretch.t[k]), stretch.y[k], float(stretch.h[k])

        def there(part: float) -> float:
            return look(advanced(y, t, part * h), t + part * h)  # type: ignore[no-any-return]

        low = 0.0
        if before is None:
            before = look(y, t)
            low = 1e-6 if before == 0 or abs(there(1e-6) - before) > abs(before) else 0.0
            before = there(low) if low else before
        for part in _PARTS:
            state = between_at(stretch.pieces[k], part)
            now = look(state, t + part * h)
            if math.isnan(now):
                raise _undefined(t + part * h)
            change = np.sign(now) - np.sign(before)
            if before != 0 and change != 0 and self.direction * change >= 0:
                size = max(abs(before), abs(now))
                part_there = _bisected(there, low, part, size)
                if part_there is not None:
                    self._check_size(size, state, t + h * part_there, others)
                    return t + h * part_there, before
            low, before = part, now if now != 0 else before
        return None, before

    def _check_size(self, size: float, y: Any, t: float, others: Sequence[Any]) -> None:
        """Refuse a change of sign that the error allowed in the state can make, as where y tends to 0."""
        control = self.flow.control
        (slope,) = programs.all_numbers(programs.pullback(self.g, (0,)), y, t, *others, 1.0)
        allowed = norm(slope * (control.atol + control.rtol * np.abs(y)))
        if size < allowed:
            raise NotConverged(
                f"odeint_event: near t = {t:.6g} the event's function is {size:.2g} and changes its sign, but the "
                f"error allowed in the state changes it by {allowed:.2g}: it may approach 0 without reaching it. "
                "Lower rtol and atol, or let event return a number whose sign changes more clearly."
            )


def _bisected(g: Callable[[float], float], low: float, high: float, size: float) -> float | None:
    """Halve an interval until g is as large as at its start on one side only; None at a pole, beyond this size."""
    start, end = g(low), g(high)
    sign = np.sign(start)
    for _ in range(60):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        value = g(middle)
        low, high, start, end = (middle, high, value, end) if np.sign(value) == sign else (low, middle, start, value)
    return None if min(abs(start), abs(end)) > _POLE * size else (low + high) / 2
