"""The solution of a differential equation as an operation, and its derivatives.

``Flow`` is (Y₀, t₀…tₘ, θ) ↦ y(t₀)…y(tₘ). The tangent of its steps is the same method with the tangent of each step;
their cotangent is ``Pull``. In the times the derivative is the equation itself: dy/dtₖ = f(y(tₖ), tₖ).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core.node import Shape, tensor_node
from symgrad.core.promotion import doubles
from symgrad.core.streams import Stream, each, given
from symgrad.core.upcalls import UPCALLS
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import as_tensor, handle, input_of
from symgrad.engine.sweep import sweep
from symgrad.errors import FormError, NotDifferentiable, NotYet
from symgrad.implicit import programs
from symgrad.implicit.discontinuities import Breaks, breaks_of
from symgrad.ode import scipy_methods
from symgrad.ode.shifts import shifted
from symgrad.ode.stepping import Control, steps_of
from symgrad.ops.convert import Cast
from symgrad.ops.indexing.select import getitem
from symgrad.ops.protocol import Op, shape
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import Cat
from symgrad.support.frozen import frozen
from symgrad.transforms.loops.linear import fitted
from symgrad.transforms.loops.series import Place, ahead, coefficients
from symgrad.transforms.vmap import vmap

NO_FORMULA = "odeint: the solution of a differential equation has no formula in letters."
_FLOAT64 = np.dtype(np.float64)
_WORDLESS = "steps of chosen sizes, in Python; pass steps= for steps of fixed size"
_MOST = 24  # the highest order of series along times, where it is not known ahead
_FEW = 64  # directions up to which sensitivities are integrated along rather than the adjoint equation


@frozen
class Flow(Op):
    """y(t₀), …, y(tₘ) of y' = f(y, t, θ), (c, m, n). The inputs are Y₀ (c, n), the times and θ.

    Attributes:
        field: (Y, t, *θ) ↦ Y'.
        base: that of the first row, which the sizes of steps are chosen by.
        step: one step of an own method; None of SciPy's.
        control: how steps are chosen, or SciPy's method.
        derivative: "steps", "forward" or "adjoint".
        title: what the unknown is called.
        plain: the equation of y as users have it, for formulas; None of derived equations.
        breaks: of a derived equation, where the equation that it is derived of may jump.
    """

    field: Program
    base: Program
    step: Program | None
    control: Control | scipy_methods.ScipySolver
    derivative: str
    title: str = "y"
    plain: Program | None = None
    breaks: Breaks | None = None
    name = "Flow"
    saves = "xy"
    gives = doubles
    dense = "a solution that depends on all that the equation looks at"
    not_exportable = _WORDLESS
    looped = "the sizes of steps are chosen for one start at a time"
    theorem = True
    explained = "adjoint equation: λ' = −(∂f/∂y)ᵀ·λ backwards from λ(T) = ∂L/∂y(T) gives ∂L/∂θ = ∫ (∂f/∂θ)ᵀ·λ dt"

    @staticmethod
    def of(
        field: Program, control: Control | scipy_methods.ScipySolver, derivative: str, title: str = "y",
        plain: Program | None = None, breaks: Breaks | None = None,
    ) -> Flow:  # fmt: skip
        """Return the operation of an equation of one row."""
        step = control.method.step(field) if isinstance(control, Control) else None
        return Flow(field, field, step, control, derivative, title, plain, breaks)

    def __repr__(self) -> str:
        return f"Flow({self.title})"

    # -------------------------------------------------------------- the value
    def forward(self, start: Any, ts: Any, *thetas: Any) -> Any:
        """Walk along the solution."""
        if isinstance(self.control, scipy_methods.ScipySolver):
            states = self.control.run(self.field, np.asarray(start), np.asarray(ts), thetas)
            if self.breaks is not None and len(ts) > 1:
                times = scipy_methods.between(ts)
                rows = np.swapaxes(self.control.run(self.field, np.asarray(start), times, thetas), 0, 1)
                check_jumps(self.breaks, times, rows, thetas)
            return states
        assert self.step is not None
        steps, states = steps_of(self.step, self.base, self.control, start, ts, thetas)
        if self.breaks is not None:
            check_jumps(self.breaks, *steps.points(states), thetas)
        return np.array(states)

    def jumps(self, wanted: Iterable[int], bends: bool = False) -> Breaks | None:
        """Return where the equation may jump at times that the state moves, or one of these θ."""
        return breaks_of(self.field, {0, *[i + 2 for i in wanted]}, bends, along=(0, 1))

    def on_symbols(self, *xs: Any) -> Any:
        raise FormError(NO_FORMULA)

    def out_shape(self, start: Shape, ts: Shape, *thetas: Shape) -> Shape:
        return (start[0], ts[0], start[1])

    def notation(self, write: Any, *args: Any) -> Any:
        return write.Spelled(self.title, self.title)

    def as_letters(self, start: Any, ts: Any, *thetas: Any) -> Any:
        """Return what formulas show: y(T)."""
        return self(start, ts, *thetas) if self.plain is None else UPCALLS["ode_states"](self, start, ts, thetas)

    # -------------------------------------------------------------- forward
    def pushed(self, wanted: tuple[int, ...]) -> Flow:
        """Return the flow of (Y, Ẏ), with tangents of these θ after the θ; its steps are of the same sizes."""
        field = _pushed_field(self.field, wanted)
        step = None if self.step is None else _pushed_step(self.step, wanted)
        base = self.base if step is not None else field
        return Flow(field, base, step, self.control, self.derivative, self.title, breaks=self.jumps(wanted))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # Ẏ' = ∂f/∂y Ẏ + ∂f/∂θ θ̇, Ẏ(t₀) = Ẏ₀ − f(Y₀, t₀) ṫ₀; at tₖ f(y(tₖ), tₖ) ṫₖ is added
        start, times, *thetas = xs
        wanted = tuple(i for i, t in enumerate(ts[2:]) if t is not None and self.field.arguments[i + 2].is_float)
        moved, later = ts[0], ts[1]
        if moved is None and later is None and not wanted:
            return None
        rows = self.field.arguments[0].shape[0]
        if moved is None:
            moved = _zeros(start)
        slopes = None
        if later is not None:
            slopes = self._slopes(y, times, thetas)
            moved = moved - slopes[:, 0] * later[0]
        both = self.pushed(wanted)(F.cat([start, moved], 0), times, *thetas, *[ts[2 + i] for i in wanted])
        tangent = as_tensor(both)[rows:]
        return tangent if slopes is None else tangent + slopes * F.reshape(as_tensor(later), (1, -1, 1))

    def series(self, y: Any, xs: Sequence[Any], active: Sequence[int], order: int | None) -> Any:
        # the coefficients of y are solutions beside y, made with the same steps
        wanted = [i for i in active if i >= 2 and self.field.arguments[i].is_float]
        rows, runs = self.field.arguments[0].shape[0], {}
        if 1 in active:
            return self._along_times(y, xs, active, order)

        def follow(k: int) -> Any:
            upto = k if order is None else order
            if upto not in runs:
                most, known, read = ahead(xs, wanted, k, order)
                starts = [_filled(read(0, j), xs[0][0]) for j in range(most + 1)]
                moved = [_filled(read(i, j), xs[i][0]) for i, j in known]
                runs[upto] = self.expanded(known, most)(Cat(0)(*starts), *[u[0] for u in xs[1:]], *moved)
            return getitem(runs[upto], slice(k * rows, (k + 1) * rows))

        return Stream(follow, [y])

    def _along_times(self, y: Any, xs: Sequence[Any], active: Sequence[int], order: int | None) -> Stream:
        """Return the series where the times move: from where they are at first the states go on along the equation."""
        (start, times, *thetas), most = xs, _MOST if order is None else order
        first = each(lambda t: getitem(t, slice(0, 1)), times)
        begun = shifted(self.field, each(_at_one_time, start), first, thetas, most, back=True)
        begun = each(lambda v: Reshape((v.shape[0], v.shape[2]))(v), begun)
        still = self.series(y, [begun, given([times[0]]), *thetas], [i for i in {0, *active} if i != 1], order)
        moved = shifted(self.field, still, times, thetas, most)

        def follow(k: int) -> Any:
            if k > most:
                raise NotYet(f"odeint: series of order {k} of an event's time. Expected at most {most}.")
            return moved[k]

        return Stream(follow, [y])

    def expanded(self, known: tuple[Place, ...], order: int) -> Flow:
        """Return the flow of the coefficients of y, those of θ in ``known`` after the θ; its steps are as large."""
        field = _expanded(self.field, known, order, (0,))
        step = None if self.step is None else _expanded(self.step, _later(known), order, (0, 1))
        jumps = self.jumps({i - 2 for i, _ in known}, order > 1) if order else None
        base = field if step is None else self.base
        return Flow(field, base, step, self.control, self.derivative, self.title, breaks=jumps)

    def _slopes(self, y: Any, times: Any, thetas: Sequence[Any]) -> Any:
        """f(y(tₖ), tₖ) of all k, (c, m, n)."""
        flags = (True, True, *(False,) * len(thetas))
        mapped = programs.mapped(self.field, as_tensor(times).shape[0], flags)
        return F.permute(as_tensor(mapped(F.permute(as_tensor(y), (1, 0, 2)), times, *thetas)[0]), (1, 0, 2))

    # -------------------------------------------------------------- reverse
    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # Ȳ₀ and θ̄ by one of three ways; t̄ₖ = ⟨ȳₖ, f(y(tₖ), tₖ)⟩, and −⟨Ȳ₀, f(Y₀, t₀)⟩ at t₀
        wanted = tuple(i - 2 for i in which if i >= 2 and self.field.arguments[i].is_float)
        pulled, parts = self._ways()[self._way(wanted)](g, y, xs, wanted)
        cotangents: dict[int, Any] = {i + 2: t for i, t in zip(wanted, parts, strict=True)}
        cotangents[0] = pulled
        if 1 in which:
            slopes = self._slopes(y, xs[1], xs[2:])
            each = F.sum(as_tensor(g) * slopes, (0, 2))
            first = F.sum(pulled * slopes[:, 0])
            cotangents[1] = F.cat([F.reshape(each[0] - first, (1,)), each[1:]], 0)
        return [cotangents.get(i) for i in which]

    def _ways(self) -> dict[str, Any]:
        return {"steps": self._by_steps, "forward": self._by_sensitivities, "adjoint": self._by_adjoint}

    def _way(self, wanted: tuple[int, ...]) -> str:
        if self.derivative != "auto":
            return self.derivative
        if isinstance(self.control, Control):
            return "steps"
        size = programs.size_of(self.field.arguments[0])
        return "forward" if size + self._numbers(wanted) <= _FEW or self.control.is_stiff else "adjoint"

    def specs(self, wanted: Sequence[int]) -> list[Spec]:
        """Return the shapes and dtypes of Y₀ and of these θ."""
        return [self.field.arguments[0], *[self.field.arguments[i + 2] for i in wanted]]

    def _numbers(self, wanted: Sequence[int]) -> int:
        return sum(programs.size_of(self.field.arguments[i + 2]) for i in wanted)

    def _by_steps(self, g: Any, y: Any, xs: Sequence[Any], wanted: tuple[int, ...]) -> tuple[Any, list[Any]]:
        packed = as_tensor(Pull(self, wanted)(g, *xs))
        return unpacked(packed, self.specs(wanted))

    def _by_sensitivities(self, g: Any, y: Any, xs: Sequence[Any], wanted: tuple[int, ...]) -> tuple[Any, list[Any]]:
        start, times, *thetas = xs
        rows, n = self.field.arguments[0].shape
        size, many = rows * n, rows * n + self._numbers(wanted)
        field = _sensitivities(self.field, wanted)
        units = as_tensor(np.eye(many, size).ravel())
        state = F.reshape(F.cat([F.ravel(as_tensor(start)), units], 0), (1, -1))
        flow = Flow.of(field, self.control, self.derivative, self.title, breaks=self.jumps(wanted))
        states = as_tensor(flow(state, times, *thetas))
        along = F.reshape(states[0][:, size:], (-1, many, size))
        seeds = F.reshape(F.permute(as_tensor(g), (1, 0, 2)), (-1, size))
        packed = F.einsum("kps,ks->p", along, seeds)
        return unpacked(packed, self.specs(wanted))

    def _by_adjoint(self, g: Any, y: Any, xs: Sequence[Any], wanted: tuple[int, ...]) -> tuple[Any, list[Any]]:
        # λ' = −(∂f/∂y)ᵀ λ and a' = −(∂f/∂θ)ᵀ λ, from tₘ to t₀; at each tₖ λ is raised by ȳₖ
        _, times, *thetas = xs
        rows, n = self.field.arguments[0].shape
        size, many = rows * n, self._numbers(wanted)
        field, jumps = _adjoint(self.field, wanted), self.jumps(wanted)
        flow = Flow.of(field, self.control, self.derivative, self.title, breaks=jumps)
        states = F.reshape(F.permute(as_tensor(y), (1, 0, 2)), (-1, size))
        seeds = F.reshape(F.permute(as_tensor(g), (1, 0, 2)), (-1, size))
        times = as_tensor(times)
        count = times.shape[0]
        costate, sums = seeds[count - 1], as_tensor(np.zeros(many))
        at = states[count - 1]
        for k in range(count - 1, 0, -1):
            state = F.reshape(F.cat([at, costate, sums], 0), (1, -1))
            end = as_tensor(flow(state, F.stack([times[k], times[k - 1]]), *thetas))[0, 1]
            at = as_tensor(Beside(self.control.rtol, self.control.atol)(states[k - 1], end[:size]))
            costate, sums = end[size : 2 * size] + seeds[k - 1], end[2 * size :]
        return unpacked(F.cat([costate, sums], 0), self.specs(wanted))


@frozen
class Pull(Op):
    """The cotangents of Y₀ and of θ, one after the other, exactly as of the steps that were made.

    The inputs are the cotangent of the states (c, m, n), Y₀, the times and θ.
    """

    flow: Flow
    wanted: tuple[int, ...]
    name = "FlowBackward"
    saves = "x"
    gives = doubles
    dense = "a solution that depends on all that the equation looks at"
    not_exportable = _WORDLESS
    looped = "the sizes of steps are chosen for one start at a time"
    explained = "each step again, from the last to the first: λ ← (∂step/∂y)ᵀ·λ"

    def __repr__(self) -> str:
        return f"FlowBackward({self.flow.title})"

    def forward(self, g: Any, start: Any, ts: Any, *thetas: Any) -> Any:
        """Integrate the adjoint equation backwards in time."""
        flow = self.flow
        assert flow.step is not None
        assert isinstance(flow.control, Control)
        steps, states = steps_of(flow.step, flow.base, flow.control, start, ts, thetas)
        jumps = flow.jumps(self.wanted)
        if jumps is not None:
            check_jumps(jumps, *steps.points(states), thetas)
        pulled, parts = steps.backward(np.asarray(g, np.float64), self.wanted)
        return np.concatenate([np.ravel(pulled), *[np.ravel(p) for p in parts]])

    def on_symbols(self, *xs: Any) -> Any:
        raise FormError(NO_FORMULA)

    def out_shape(self, g: Shape, start: Shape, *others: Shape) -> Shape:
        return (math.prod(start) + self.flow._numbers(self.wanted),)

    def as_letters(self, g: Any, start: Any, ts: Any, *thetas: Any) -> Any:
        """Return what formulas show: λ(0), and integrals over λ."""
        if self.flow.plain is None:
            return self(g, start, ts, *thetas)
        return UPCALLS["ode_costates"](self, g, start, ts, thetas)

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("λ", *args)

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # ⟨v, Pull(ȳ)⟩ = ⟨ȳ, Flow'(Y₀, θ) v⟩: the cotangent of ȳ is the tangent of the flow along v, and the others are
        # cotangents of the pushed flow
        seed, start, times, *thetas = xs
        flow, rows = self.flow, self.flow.field.arguments[0].shape[0]
        along, parts = unpacked(g, flow.specs(self.wanted))
        pushed, both = flow.pushed(self.wanted), F.cat([start, along], 0)
        moved = as_tensor(pushed(both, times, *thetas, *parts))
        cotangents: dict[int, Any] = {0: moved[rows:]}
        others = [i - 1 for i in which if i > 0]
        if others:
            seeds = F.cat([_zeros(seed), seed], 0)
            pulled = pushed.vjps(others, seeds, moved, both, times, *thetas, *parts)
            cotangents |= {i + 1: t for i, t in zip(others, pulled, strict=True)}
            if 1 in cotangents:
                cotangents[1] = cotangents[1][:rows]
        return [cotangents.get(i) for i in which]

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # Pull(ȳ̇) + ∂⟨ȳ, Flow'(Y₀, t, θ)·(Ẏ₀, ṫ, θ̇)⟩/∂(Y₀, θ)
        tangent = None if ts[0] is None else as_tensor(self(ts[0], *xs[1:]))
        active = tuple(i for i, t in enumerate(ts) if i > 0 and t is not None and (i < 3 or self._is_float(i)))
        if active:
            changed = self._changed(active, xs)(*xs, *[ts[i] for i in active])[0]
            tangent = changed if tangent is None else tangent + changed
        return tangent

    def series(self, y: Any, xs: Sequence[Any], active: Sequence[int], order: int | None) -> Any:
        # [ȳᵀ ∂y/∂θ]ₖ = Σ ȳₖ₋ⱼᵀ [∂y/∂θ]ⱼ, and the latter is ∂yⱼ/∂θ₀: one way back through the coefficients of y
        if 2 in active:
            return NotImplemented
        wanted = [i - 1 for i in active if i > 2 and self._is_float(i)]
        size = programs.size_of(self.flow.field.arguments[0])

        def follow(k: int) -> Any:
            most, known, read = ahead(xs[1:], wanted, k, order)
            flow = self.flow.expanded(known, most)
            seeds = [_filled(None if j > k else xs[0][k - j], xs[0][0]) for j in range(most + 1)]
            starts = [_filled(read(0, j), xs[1][0]) for j in range(most + 1)]
            moved = [_filled(read(i, j), xs[i + 1][0]) for i, j in known]
            packed = Pull(flow, self.wanted)(Cat(0)(*seeds), Cat(0)(*starts), *[u[0] for u in xs[2:]], *moved)
            return Cat(0)(getitem(packed, slice(0, size)), getitem(packed, slice(size * (most + 1), None)))

        return Stream(follow, [y])

    def _is_float(self, i: int) -> bool:
        return self.flow.field.arguments[i - 1].is_float

    def _changed(self, active: tuple[int, ...], xs: Sequence[Any]) -> Program:
        flow, count = self.flow, len(xs)
        specs = [Spec(tuple(as_tensor(x).shape), as_tensor(x).dtype) for x in xs]

        def rule(*given: Any) -> list[Any]:
            inputs, dots = given[1:count], dict(zip(active, given[count:], strict=True))
            value = as_tensor(flow(*inputs))
            moved = as_tensor(flow.jvp([dots.get(i) for i in range(1, count)], value, *inputs))
            wrt = [tensor_node(inputs[0]), *[tensor_node(inputs[i + 2]) for i in self.wanted]]
            cotangents = sweep([input_of(moved)], [given[0]], wrt=wrt, handle=handle, symbolic=True)
            sizes = [specs[1], *[specs[i + 3] for i in self.wanted]]
            parts = [cotangents.get(n) for n in wrt]
            parts = [programs.zeros(s) if t is None else t for t, s in zip(parts, sizes, strict=True)]
            return [F.cat([F.ravel(as_tensor(t)) for t in parts], 0)]

        key = ("changed", flow, self.wanted, active, tuple(specs))
        return programs.once(flow.field, key, [*specs, *[specs[i] for i in active]], rule)


@frozen
class Beside(Op):
    """The first of two arrays, if the second is close to it: the state, where the way back must meet it."""

    rtol: float
    atol: float
    name = "Beside"
    saves = ""
    gives = doubles
    looped = "it stands in programs of solvers only"
    not_exportable = "it stands in programs of solvers only"
    dense = "it stands in programs of solvers only"
    explained = "the state, which the way back must meet"

    def forward(self, there: Any, back: Any) -> Any:
        """Return the state, once the way back has been checked to meet it."""
        return scipy_methods.met(there, back, self.rtol, self.atol)

    def out_shape(self, there: Shape, back: Shape) -> Shape:
        return there

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # the state itself
        return g if i == 0 else None

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # the state itself
        return ts[0]


def _filled(c: Any, like: Any) -> Any:
    """Write a coefficient out, which may be zero."""
    return np.zeros(shape(like)) if c is None else c


def _at_one_time(y: Any) -> Any:
    return Reshape((y.shape[0], 1, y.shape[1]))(y)


def _zeros(x: Any) -> Any:
    """Zeros of the shape of x."""
    return as_tensor(np.zeros(tuple(as_tensor(x).shape)))


def unpacked(packed: Any, specs: Sequence[Spec]) -> tuple[Any, list[Any]]:
    """Take a vector apart into arrays of these shapes: the first, and the others."""
    arrays, at = [], 0
    for spec in specs:
        size = programs.size_of(spec)
        part = F.reshape(as_tensor(packed)[at : at + size], spec.shape)
        arrays.append(part if spec.dtype == _FLOAT64 else Cast(spec.dtype)(part))
        at += size
    return arrays[0], arrays[1:]


def check_jumps(breaks: Breaks, times: Any, states: Any, thetas: Sequence[Any]) -> None:
    """Refuse a derivative where f jumps on the way from state to state: there the solution's derivative jumps, too."""
    shape = breaks.body.arguments[0].shape
    rows = [np.ravel(y)[: math.prod(shape)].reshape(shape) for y in states]

    def between(s: float) -> tuple[Any, float]:
        k = min(int(s), len(rows) - 2)
        return rows[k] + (s - k) * (rows[k + 1] - rows[k]), float(times[k] + (s - k) * (times[k + 1] - times[k]))

    jump = breaks.first(range(len(rows)), between, thetas) if len(rows) > 1 else None
    if jump is not None:
        at, name, kind = jump
        raise NotDifferentiable(
            f"odeint: f has {kind} at about t = {between(at)[1]:.4g}, of {name}, at a time that depends on the "
            "variable of differentiation: the derivative has a term for it, which the steps do not show. Integrate up "
            "to that time with sg.odeint_event, and continue with the equation that holds afterwards."
        )


# ------------------------------------------------------------------ equations derived of equations
def _doubled(spec: Spec) -> Spec:
    return Spec((2 * spec.shape[0], *spec.shape[1:]), spec.dtype)


def _pushed_field(field: Program, wanted: tuple[int, ...]) -> Program:
    count, rows = len(field.arguments), field.arguments[0].shape[0]
    which = (0, *[i + 2 for i in wanted])

    def rule(both: Any, t: Any, *rest: Any) -> list[Any]:
        y, moved, thetas, dots = both[:rows], both[rows:], rest[: count - 2], rest[count - 2 :]
        slope = field(y, t, *thetas)[0]
        return [F.cat([slope, programs.pushforward(field, which)(y, t, *thetas, moved, *dots)[0]], 0)]

    specs = [_doubled(field.arguments[0]), *field.arguments[1:], *[field.arguments[i] for i in which[1:]]]
    return programs.once(field, ("pushed", wanted), specs, rule)


def _pushed_step(step: Program, wanted: tuple[int, ...]) -> Program:
    count, rows = len(step.arguments), step.arguments[0].shape[0]
    which = (0, *[i + 5 for i in wanted])

    def rule(both: Any, *rest: Any) -> list[Any]:
        y, moved, others, dots = both[:rows], both[rows:], rest[: count - 1], rest[count - 1 :]
        end, between, error = step(y, *others)
        two = programs.once(step, ("first", 2), step.arguments, lambda *xs: step(*xs)[:2])
        ends, betweens = programs.pushforward(two, which)(y, *others, moved, *dots)
        return [F.cat([end, ends], 0), F.cat([between, betweens], 1), error]

    specs = [_doubled(step.arguments[0]), *step.arguments[1:], *[step.arguments[i] for i in which[1:]]]
    return programs.once(step, ("pushed", wanted), specs, rule)


def _later(known: tuple[Place, ...]) -> tuple[Place, ...]:
    """The places of θ among the inputs of a step, which has three more in front."""
    return tuple((i + 3, j) for i, j in known)


def _expanded(body: Program, known: tuple[Place, ...], order: int, axes: tuple[int, ...]) -> Program:
    """Return a body of (Y₀ … Yₖ, …): its first results have their coefficients one after the other along these axes."""
    count, rows = len(body.arguments), body.arguments[0].shape[0]
    orders = range(order + 1)

    def rule(everything: Any, *rest: Any) -> list[Any]:
        env = {(0, j): everything[j * rows : (j + 1) * rows] for j in orders}
        env |= {(i, 0): t for i, t in enumerate(rest[: count - 1], 1)} | dict(
            zip(known, rest[count - 1 :], strict=True)
        )
        series = coefficients(body, env, order)
        together = [
            F.cat([fitted(t, spec) for t in row], axis)
            for row, spec, axis in zip(series, body.results, axes, strict=False)
        ]
        return [*together, *[row[0] for row in series[len(axes) :]]]

    first = body.arguments[0]
    specs = [Spec(((order + 1) * rows, *first.shape[1:]), first.dtype), *body.arguments[1:]]
    return programs.once(body, ("series", known, order), [*specs, *[body.arguments[i] for i, _ in known]], rule)


def _sensitivities(field: Program, wanted: tuple[int, ...]) -> Program:
    """(y, S) ↦ (f, ∂f/∂y S + ∂f/∂θ) in one row: a direction for each number of the state and of θ."""
    rows, n = field.arguments[0].shape
    size, sizes = rows * n, [programs.size_of(field.arguments[i + 2]) for i in wanted]
    many, which = size + sum(sizes), (0, *[i + 2 for i in wanted])
    starts = np.cumsum([size, *sizes])
    units = [np.eye(many, k, -int(at)) for k, at in zip(sizes, starts, strict=False)]

    def rule(z: Any, t: Any, *thetas: Any) -> list[Any]:
        y = F.reshape(z[0, :size], (rows, n))

        def along(s: Any, *dots: Any) -> Any:
            shaped = [F.reshape(d, field.arguments[i].shape) for d, i in zip(dots, which[1:], strict=True)]
            return F.ravel(programs.pushforward(field, which)(y, t, *thetas, F.reshape(s, (rows, n)), *shaped)[0])

        moved = vmap(along)(F.reshape(z[0, size:], (many, size)), *map(as_tensor, units))
        return [F.reshape(F.cat([F.ravel(field(y, t, *thetas)[0]), F.ravel(moved)], 0), (1, -1))]

    specs = [Spec((1, size * (1 + many)), field.arguments[0].dtype), *field.arguments[1:]]
    return programs.once(field, ("sensitivities", wanted), specs, rule)


def _adjoint(field: Program, wanted: tuple[int, ...]) -> Program:
    """(y, λ, a) ↦ (f, −(∂f/∂y)ᵀ λ, −(∂f/∂θ)ᵀ λ) in one row."""
    rows, n = field.arguments[0].shape
    size, which = rows * n, (0, *[i + 2 for i in wanted])
    many = sum(programs.size_of(field.arguments[i]) for i in which[1:])

    def rule(z: Any, t: Any, *thetas: Any) -> list[Any]:
        y, costate = (F.reshape(z[0, a : a + size], (rows, n)) for a in (0, size))
        pulled = programs.pullback(field, which)(y, t, *thetas, costate)
        slope = F.ravel(field(y, t, *thetas)[0])
        return [F.reshape(F.cat([slope, *[-F.ravel(as_tensor(p)) for p in pulled]], 0), (1, -1))]

    specs = [Spec((1, 2 * size + many), field.arguments[0].dtype), *field.arguments[1:]]
    return programs.once(field, ("adjoint", wanted), specs, rule)
