"""What the problem of a minimum is: a loss with its bounds and constraints, and the conditions that its answer meets.

The conditions are those of Karush, Kuhn and Tucker, written with the residuals that tell what is active, so that one
body serves whichever constraints turn out to be: f with bounds l ≤ x ≤ u, h(x) = 0 and g(x) ≥ 0 has
∇f − νᵀ∇h − μᵀ∇g = 0 but where a bound holds, h = 0, and μ = 0 or g = 0.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad import functions as F
from symgrad.core.promotion import is_complex, is_symbolic
from symgrad.engine.program import Program
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, NotDifferentiable, ShapeError, SymgradError
from symgrad.implicit import programs
from symgrad.implicit.conditions import Conditions, Root
from symgrad.implicit.factors import Way
from symgrad.implicit.unknowns import Arguments, Unknown, flat_result, joined, title_of, traced
from symgrad.ops.map import show_shape
from symgrad.solvers.bounds import pairs
from symgrad.support.frozen import frozen
from symgrad.transforms.tracing import spec_of

WEAK = 1e-7  # what is active by so little may not be so next to it


class Minimum(NamedTuple):
    """A minimum under constraints.

    Attributes:
        x: the point, in the structure of x0.
        multipliers: λ of L = loss − λᵀh, one array for each constraint, shaped like it: by how much the least loss
            grows if the constraint's right side does, h = ε, its shadow price.
    """

    x: Any
    multipliers: Any


@frozen
class Shape:
    """What a problem is made of, as a value to compare solvers by.

    Attributes:
        loss, constraints: as bodies of (x, *θ); no constraints are None.
        losses, limits: which of all tensors each of them takes.
        shape: of x.
        equal: for each number among the constraints, whether it must be 0.
        bounded: whether the last two tensors are bounds.
        lone: whether there is one constraint, a number, so that its multiplier is one.
    """

    loss: Program
    constraints: Program | None
    losses: tuple[int, ...]
    limits: tuple[int, ...]
    shape: tuple[int, ...]
    equal: tuple[bool, ...]
    bounded: bool
    lone: bool = False

    def parts(self, z: Any) -> tuple[Any, Any]:
        """Return x and the multipliers of a vector of both."""
        if not self.equal:
            return z, None
        size = math.prod(self.shape)
        return F.reshape(F.narrow(z, 0, 0, size), self.shape), F.narrow(z, 0, size, len(self.equal))

    def point(self, z: Any) -> Any:
        """Return x, of an array of x and the multipliers."""
        return np.reshape(np.ravel(z)[: math.prod(self.shape)], self.shape)

    def slope(self, x: Any, thetas: Sequence[Any]) -> Any:
        """Return the gradient ∇f."""
        return programs.pullback(self.loss, (0,))(x, *[thetas[k] for k in self.losses], as_tensor(1.0))[0]

    def stationary(self, x: Any, multipliers: Any, thetas: Sequence[Any]) -> Any:
        """Return ∇f − νᵀ∇h − μᵀ∇g."""
        slope = self.slope(x, thetas)
        if self.constraints is None:
            return slope
        (forces,) = programs.pullback(self.constraints, (0,))(x, *[thetas[k] for k in self.limits], multipliers)
        return slope - forces

    def held(self, x: Any, thetas: Sequence[Any]) -> Any:
        """Return h and g, one after the other."""
        assert self.constraints is not None  # narrows the type
        return self.constraints(x, *[thetas[k] for k in self.limits])[0]

    def equations(self, z: Any, *thetas: Any) -> Any:
        """Return what is 0 at the minimum."""
        x, multipliers = self.parts(z)
        slope = self.stationary(x, multipliers, thetas)
        if self.bounded:
            low, high = thetas[-2:]
            ahead = x - slope
            slope = F.where(ahead < low, x - low, F.where(ahead > high, x - high, slope))
        if not self.equal:
            return slope
        held = self.held(x, thetas)
        if not all(self.equal):
            active = F.logical_or(as_tensor(np.array(self.equal)), multipliers > held)
            held = F.where(active, held, multipliers)
        return F.cat([F.ravel(slope), held], 0)

    def margins(self, z: Any, *thetas: Any) -> Any:
        """Return how far each bound and inequality is from being active by chance."""
        x, multipliers = self.parts(z)
        distances = []
        if self.bounded:
            slope = F.abs(self.stationary(x, multipliers, thetas))
            distances += [F.ravel(F.abs(x - end) + slope) for end in thetas[-2:]]
        if self.equal:
            chance = F.abs(self.held(x, thetas)) + F.abs(multipliers)
            distances.append(F.where(as_tensor(np.array(self.equal)), 1.0, chance))
        return F.cat(distances, 0)


class Problem:
    """A loss with its bounds and constraints, taken apart.

    Attributes:
        inputs: all tensors that the minimum depends on.
        is_constrained: whether there are bounds or constraints.
    """

    def __init__(self, who: str, loss: Any, x0: Any, args: Sequence[Any], bounds: Any, constraints: Any) -> None:
        self.who, self.title, self.unknown = who, title_of(loss), Unknown(who, x0)
        given, spec = Arguments(args), spec_of(self.unknown.start)
        if math.prod(spec.shape) == 0:
            raise ShapeError(f"{who}: x0 is empty. Expected numbers.")
        many = len(given.tensors)
        structure = self.unknown.structure

        def one(z: Any, *tensors: Any) -> Any:
            return number_of(who, loss(structure(z), *given.put(tensors)))

        body, inputs = traced(who, one, spec, given.tensors)
        losses = tuple(range(len(inputs)))
        self.limits = [limit for c in listed(constraints) for limit in _limits(who, c)]
        if self.limits and not all(isinstance(n, int) for n in self.unknown.start.shape):
            raise ShapeError(f"{who}: constraints need sizes that are numbers. Got {self.unknown.start.shape}.")
        self.lone = not isinstance(constraints, (list, tuple)) and len(self.limits) == 1
        self.shapes: list[Any] = []
        held, more = traced(who, self._constraints(given), spec, given.tensors) if self.limits else (None, ())
        limits = (*range(many), *range(len(inputs), len(inputs) + len(more) - many)) if self.limits else ()
        inputs = [*inputs, *more[many:]]
        pairs = zip(self.limits, self.shapes, strict=True)
        equal = [is_equal for (is_equal, _), shape in pairs for _ in range(math.prod(shape))]
        ends = ends_of(who, self.unknown, bounds)
        self.inputs = [*inputs, *ends]
        self.is_constrained = bool(ends or self.limits)
        start = self.unknown.start.shape
        lone = [tuple(s) for s in self.shapes] == [()]
        self.shape = Shape(body, held, losses, limits, tuple(start), tuple(equal), bool(ends), lone)

    def _constraints(self, given: Arguments) -> Callable[..., Any]:
        def call(z: Any, *tensors: Any) -> Any:
            self.shapes = []
            parts = []
            for _, fun in self.limits:
                values = joined(flat_result(self.who, fun(self.unknown.structure(z), *given.put(tensors))))
                self.shapes.append(values.shape)
                parts.append(F.ravel(values))
            return joined(parts)

        return call

    def answer(self, solver: Any, way: Way) -> Any:
        """Return the minimum that a solver finds."""
        shape, start = self.shape, self.unknown.start.detach()
        if shape.equal:
            start = F.cat([F.ravel(start), as_tensor(np.zeros(len(shape.equal)))], 0)
        specs = [spec_of(t) for t in (start, *self.inputs)]
        body = programs.traced(specs, lambda *zs: [shape.equations(*zs)], self.who)
        watch = None
        if shape.bounded or not all(shape.equal):
            margins = programs.traced(specs, lambda *zs: [shape.margins(*zs)], self.who)
            watch = Watch(margins, self.who)
        problem = shape if shape.equal and watch is None else None
        conditions = Conditions(body, way, self.who, self.title, watch, problem, self.unknown.blocks(self.title))
        solution = as_tensor(Root(conditions, solver)(start, *self.inputs))
        if solution._value is None and not self.is_constrained:
            check_quadratic(self.who, body)
        if not shape.equal:
            return self.unknown.structure(solution)
        size, multipliers = math.prod(shape.shape), []
        at = size
        for s in self.shapes:
            multipliers.append(F.reshape(F.narrow(solution, 0, at, math.prod(s)), s))
            at += math.prod(s)
        x = self.unknown.structure(F.reshape(F.narrow(solution, 0, 0, size), shape.shape))
        return Minimum(x, multipliers[0] if self.lone else multipliers)


@frozen
class Watch:
    """Refuses a derivative where the set of active constraints changes.

    Attributes:
        margins: (z, *θ) ↦ how far each bound and inequality is from being active by chance.
        who: the function that errors name.
        slices: how many problems there are side by side.
    """

    margins: Program
    who: str
    slices: int = 1

    def __call__(self, z: Any, *thetas: Any) -> None:
        """Look at one point."""
        least = np.min(np.reshape(programs.numbers(self.margins, z, *thetas), (self.slices, -1)), 0)
        if np.any(least <= WEAK):
            raise NotDifferentiable(
                f"{self.who}: a bound or an inequality (number {int(np.argmin(least))}, lower bounds first, then upper "
                "ones, then constraints) holds with a multiplier of 0: it is active by chance, and the derivative from "
                "one side is not that from the other. Move the parameters off this point, or leave the bound out."
            )

    def mapped(self, size: int, flags: Sequence[bool]) -> Watch:
        """Return the watch for the given number of problems."""
        return Watch(programs.mapped(self.margins, size, (True, *flags)), self.who, self.slices * size)


def check_quadratic(who: str, conditions: Program) -> None:
    """Refuse the closed form of a quadratic that has a maximum, whatever its parameters are."""
    operator = programs.linearised(conditions)
    if programs.is_read(operator, 1):
        return
    rng, sizes = np.random.default_rng(0), itertools.count(2)
    known: dict[Any, int] = {}
    shapes = [
        [n if isinstance(n, int) else known.setdefault(n, next(sizes)) for n in s.shape] for s in conditions.arguments
    ]
    drawn, ways = [rng.normal(size=s) for s in shapes], rng.normal(size=(8, *shapes[0]))
    try:
        tried = [np.sum(v * programs.numbers(operator, v, *[s * a for a in drawn])) for v in ways for s in (1.0, -1.0)]
    except (SymgradError, TypeError, ValueError):  # such as of singular matrices, or sizes that go with no others
        return
    if np.max(tried) < 0:
        raise ArgumentError(f"{who}: the loss has a maximum and no minimum: its second derivatives are negative.")


def number_of(who: str, y: Any) -> Any:
    """Return the one number that a loss returned."""
    parts = flat_result(who, y)
    if len(parts) != 1 or math.prod(parts[0].shape) != 1:
        raise ArgumentError(f"{who}: the loss returned shape {list(parts[0].shape)}. Expected one number; sum it.")
    return F.reshape(parts[0], ())


def listed(constraints: Any) -> Sequence[Any]:
    """Return constraints as a list, also where there is one."""
    return constraints if isinstance(constraints, (list, tuple)) else [constraints]


Limit = tuple[bool, Callable[..., Any]]  # whether it is an equality, and its function


def _limits(who: str, c: Any) -> list[Limit]:
    """Return the limits that a constraint is made of; SciPy's objects, which have two ends, are several."""
    if hasattr(c, "lb") and hasattr(c, "ub"):
        if hasattr(c, "A"):
            A = np.atleast_2d(np.asarray(c.A.toarray() if hasattr(c.A, "toarray") else c.A, np.float64))
            return _between(who, lambda x: as_tensor(A) @ F.ravel(joined(flat_result(who, x))), c.lb, c.ub)
        if callable(getattr(c, "fun", None)):
            return _between(who, c.fun, c.lb, c.ub)
    return [_constraint(who, c)]


def _between(who: str, fun: Callable[..., Any], lower: Any, upper: Any) -> list[Limit]:
    """Return lower ≤ fun(x) ≤ upper as equations, what is bounded below, and what is bounded above."""
    low, high = np.broadcast_arrays(np.asarray(lower, np.float64), np.asarray(upper, np.float64))
    if not np.all(low <= high):
        raise ArgumentError(
            f"{who}: a constraint's lower bound is above its upper bound, or nan: got {low} and {high}."
        )
    same = low == high
    groups = [(same, True, low, 1.0), (~same & (low > -np.inf), False, low, 1.0)]
    groups += [(~same & (high < np.inf), False, high, -1.0)]

    def limit(chosen: Any, is_equal: bool, end: Any, sign: float) -> Limit:
        def call(x: Any, *_: Any) -> Any:
            values = joined(flat_result(who, fun(x)))
            picked = values if chosen.all() else F.ravel(values)[np.flatnonzero(chosen)]
            return sign * (picked - as_tensor(end if chosen.all() else end[chosen]))

        return is_equal, call

    return [limit(*group) for group in groups if group[0].any()]


def _constraint(who: str, c: Any) -> Limit:
    if callable(c):
        return True, c
    if isinstance(c, dict) and c.get("type") in ("eq", "ineq") and callable(c.get("fun")):
        unknown = c.keys() - {"type", "fun", "jac", "hess", "args"}
        if unknown:
            raise ArgumentError(f"{who}: a constraint has the key {min(unknown)!r}. Expected type, fun, args.")
        own = c.get("args")
        own = own if isinstance(own, tuple) or own is None else (own,)
        return c["type"] == "eq", c["fun"] if own is None else lambda x, *_: c["fun"](x, *own)
    raise ArgumentTypeError(
        f"{who}: got a constraint {c!r:.60}. Expected a function that must be 0, a dict with type 'eq' or 'ineq' "
        "and fun, or SciPy's LinearConstraint or NonlinearConstraint."
    )


def ends_of(who: str, unknown: Unknown, bounds: Any) -> list[Any]:
    """Return the lower and the upper bounds as tensors shaped like the unknown; nothing without bounds."""
    if bounds is None:
        return []
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):  # SciPy's Bounds
        bounds = (np.asarray(bounds.lb), np.asarray(bounds.ub))
    if _is_pair(unknown, bounds):
        each = [tuple(np.array(b) if isinstance(b, (list, tuple)) else b for b in bounds)] * len(unknown.shapes)
    elif unknown.single and isinstance(bounds, (list, tuple)):
        each = [_columns(who, bounds, unknown.shapes[0])]
    else:
        each = [(None, None) if p is None else p for p in pairs(unknown.tree, bounds, f"{who}: bounds")]
    ends = []
    for side, otherwise in enumerate((-np.inf, np.inf)):
        parts = [
            _end_of(who, as_tensor(without_none(p[side], otherwise)) * 1.0, tuple(s))
            for p, s in zip(each, unknown.shapes, strict=True)
        ]
        ends.append(joined(parts))
    return ends


def without_none(end: Any, no_end: float) -> Any:
    """Return an end of bounds, in which None says that there is none."""
    if isinstance(end, (list, tuple)) and any(e is None for e in end):
        end = np.array(end, object)
    if isinstance(end, np.ndarray) and is_symbolic(end.dtype):
        return np.array([no_end if e is None else e for e in end.flat]).reshape(end.shape)
    return no_end if end is None else end


def _end_of(who: str, end: Any, shape: Any) -> Any:
    if is_complex(end.dtype):
        raise ArgumentTypeError(f"{who}: bounds: got complex numbers. Expected real numbers, None or infinities.")
    try:
        return F.broadcast_to(end, shape)
    except ShapeError:
        raise ShapeError(
            f"{who}: bounds: got shape {show_shape(end.shape)} for an unknown of shape {show_shape(shape)}. Expected "
            "the same, or a number."
        ) from None


def _is_pair(unknown: Unknown, bounds: Any) -> bool:
    """Whether bounds are (lower, upper); two pairs, for two numbers, are one for each."""
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        return False
    parts = [b for b in bounds if isinstance(b, (list, tuple))]
    listed = len(parts) == 2 and all(len(b) == 2 for b in parts) and math.prod(unknown.shapes[0]) == 2
    return not parts or (unknown.single and not listed)


def _columns(who: str, bounds: Sequence[Any], shape: Any) -> tuple[Any, Any]:
    """Return the bounds of a list of pairs."""
    if len(bounds) != math.prod(shape) or any(not isinstance(p, (tuple, list)) or len(p) != 2 for p in bounds):
        raise ArgumentError(
            f"{who}: got bounds {bounds!r:.60}. Expected a pair (lower, upper) of numbers or arrays, or one pair for "
            f"each of the {math.prod(shape)} numbers."
        )
    low = F.stack([as_tensor(-np.inf if p[0] is None else p[0]) * 1.0 for p in bounds])
    high = F.stack([as_tensor(np.inf if p[1] is None else p[1]) * 1.0 for p in bounds])
    return F.reshape(low, tuple(shape)), F.reshape(high, tuple(shape))
