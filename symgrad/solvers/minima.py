"""``sg.argmin``: the point where a loss is least, as a function of what the loss depends on.

Its conditions are those of Karush, Kuhn and Tucker, written with the residuals that tell what is active, so that one
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
from symgrad.engine.record import as_tensor
from symgrad.errors import (
    ArgumentError,
    ArgumentTypeError,
    LinAlgError,
    NotConverged,
    NotDifferentiable,
    ShapeError,
    SymgradError,
)
from symgrad.solvers import bodies
from symgrad.solvers.borrowed import foreign
from symgrad.solvers.bounds import pairs
from symgrad.solvers.factors import Way, norm, positive
from symgrad.solvers.implicit import Conditions, EachSlice, Root
from symgrad.solvers.newton import Newton, polished
from symgrad.solvers.quadratic import Together
from symgrad.solvers.unknowns import Arguments, Unknown, flat_result, joined, title_of, traced
from symgrad.support.extras import required
from symgrad.support.frozen import frozen
from symgrad.transforms.arguments import check_function
from symgrad.transforms.loops.body import Body, spec_of

_SMOOTH = (
    "Is the loss smooth there? A minimum on a kink, as that of |x|, has no gradient 0: write |x| as u + v with "
    "x = u - v and bounds u, v ≥ 0."
)
_ESCAPES = 8
_FAR = 1e12  # as far from the start as only a loss without a bound leads
_WEAK = 1e-7  # what is active by so little may not be so next to it


class Minimum(NamedTuple):
    """A minimum under constraints.

    Attributes:
        x: the point, in the structure of x0.
        multipliers: one array for each constraint, shaped like it: by how much the least loss grows if the
            constraint's right side does, its shadow price.
    """

    x: Any
    multipliers: Any


def argmin(
    loss: Callable[..., Any], x0: Any, *args: Any, bounds: Any = None, constraints: Any = (), method: str | None = None,
    tol: float = 1e-10, max_steps: int = 200, solve: str = "auto",
) -> Any:  # fmt: skip
    """Find the x where loss(x, *args) is least. Derivative: −H⁻¹ ∂(∇loss)/∂θ, and with constraints that of KKT.

    Differentiable in args, in tensors that the functions take from outside, and in the bounds, as ``sg.root`` is.

    Args:
        loss: loss(x, *args), one number. It cannot branch on values.
        x0: where to start: a number, an array, or a structure of them.
        args: what the loss and the constraints depend on.
        bounds: a pair (lower, upper) of numbers, arrays, tensors or None; or a list of pairs, one for each number, as
            in SciPy; for a structure, the same structure of pairs.
        constraints: h, with h(x, *args) = 0; SciPy's {"type": "eq" or "ineq", "fun": h}, where "ineq" is h ≥ 0, and
            "args", where given, take the place of args; or a list of those.
        method: one of ``scipy.optimize.minimize``'s; by default Newton's, which needs no SciPy, and SLSQP with
            bounds or constraints. Newton takes the last steps of each.
        tol, max_steps, solve: as for ``root``.

    Returns:
        x, in the structure of x0; with constraints a named tuple (x, multipliers), where the multipliers are shaped
        like the constraints and differentiable too.

    Raises:
        NotConverged: no minimum was reached: the loss falls without end, or a saddle point or a maximum was found,
            from which no way down was.
        NotDifferentiable: a bound or an inequality is active by chance, with a multiplier of 0, when a derivative is
            asked for: there it has one from either side.
        LinAlgError: the conditions do not determine x, as for a valley or constraints that repeat each other.
        MissingExtra: SciPy is needed and not installed.

    >>> sg.grad(lambda a: sg.argmin(lambda x, a: (x - a) ** 2 + x**4, 0.0, a))(0.0)
    1.0
    >>> at = sg.argmin(lambda x: (x**2).sum(), [1.0, 1.0], constraints=lambda x: x.sum() - 2)
    >>> at.x, at.multipliers
    (tensor([1., 1.]), tensor(2.))
    """
    check_function("argmin", loss)
    way = Way.of("argmin", solve)
    positive("argmin", "tol", tol)
    positive("argmin", "max_steps", max_steps)
    problem = Problem("argmin", loss, x0, args, bounds, constraints)
    if method is None:
        method = "SLSQP" if problem.is_constrained else "newton"
    return problem.answer(Minimiser(problem.shape, method, tol, max_steps), way)


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

    loss: Body
    constraints: Body | None
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

    def slope(self, x: Any, thetas: Sequence[Any]) -> Any:
        """Return ∇f."""
        return bodies.pullback(self.loss, (0,))(x, *[thetas[k] for k in self.losses], as_tensor(1.0))[0]

    def stationary(self, x: Any, multipliers: Any, thetas: Sequence[Any]) -> Any:
        """Return ∇f − νᵀ∇h − μᵀ∇g."""
        slope = self.slope(x, thetas)
        if self.constraints is None:
            return slope
        (forces,) = bodies.pullback(self.constraints, (0,))(x, *[thetas[k] for k in self.limits], multipliers)
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
        found = []
        if self.bounded:
            slope = F.abs(self.stationary(x, multipliers, thetas))
            found += [F.ravel(F.abs(x - end) + slope) for end in thetas[-2:]]
        if self.equal:
            chance = F.abs(self.held(x, thetas)) + F.abs(multipliers)
            found.append(F.where(as_tensor(np.array(self.equal)), 1.0, chance))
        return F.cat(found, 0)


class Problem:
    """A loss with its bounds and constraints, taken apart.

    Attributes:
        inputs: all tensors that the minimum depends on.
        is_constrained: whether there are bounds or constraints.
    """

    def __init__(self, who: str, loss: Any, x0: Any, args: Sequence[Any], bounds: Any, constraints: Any) -> None:
        self.who, self.title, self.unknown = who, title_of(loss), Unknown(who, x0)
        given, spec = Arguments(args), spec_of(self.unknown.start)
        many = len(given.tensors)
        structure = self.unknown.structure

        def one(z: Any, *tensors: Any) -> Any:
            return _number(who, loss(structure(z), *given.put(tensors)))

        body, inputs = traced(who, one, spec, given.tensors)
        losses = tuple(range(len(inputs)))
        self.limits = [_constraint(who, c) for c in _listed(constraints)]
        if self.limits and not all(isinstance(n, int) for n in self.unknown.start.shape):
            raise ShapeError(f"{who}: constraints need sizes that are numbers. Got {self.unknown.start.shape}.")
        self.lone = not isinstance(constraints, (list, tuple))
        held: Any = None
        limits: tuple[int, ...] = ()
        self.shapes: list[Any] = []
        equal: list[bool] = []
        if self.limits:
            held, more = traced(who, self._constraints(given), spec, given.tensors)
            limits = (*range(many), *range(len(inputs), len(inputs) + len(more) - many))
            inputs = [*inputs, *more[many:]]
            for (is_equal, _), shape in zip(self.limits, self.shapes, strict=True):
                equal += [is_equal] * math.prod(shape)
        ends = _ends(who, self.unknown, bounds)
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
                found = joined(flat_result(self.who, fun(self.unknown.structure(z), *given.put(tensors))))
                self.shapes.append(found.shape)
                parts.append(F.ravel(found))
            return joined(parts)

        return call

    def answer(self, solver: Any, way: Way) -> Any:
        """Return the minimum that a solver finds."""
        shape, start = self.shape, self.unknown.start.detach()
        if shape.equal:
            start = F.cat([F.ravel(start), as_tensor(np.zeros(len(shape.equal)))], 0)
        specs = [spec_of(t) for t in (start, *self.inputs)]
        body = bodies.traced(specs, lambda *zs: [shape.equations(*zs)], self.who)
        watch = None
        if shape.bounded or not all(shape.equal):
            margins = bodies.traced(specs, lambda *zs: [shape.margins(*zs)], self.who)
            watch = Watch(margins, self.who)
        problem = shape if shape.equal and watch is None else None
        conditions = Conditions(body, way, self.who, self.title, watch, problem)
        found = as_tensor(Root(conditions, solver)(start, *self.inputs))
        if found._value is None and not self.is_constrained:
            check_quadratic(self.who, body)
        if not shape.equal:
            return self.unknown.structure(found)
        size, multipliers = math.prod(shape.shape), []
        at = size
        for s in self.shapes:
            multipliers.append(F.reshape(F.narrow(found, 0, at, math.prod(s)), s))
            at += math.prod(s)
        x = self.unknown.structure(F.reshape(F.narrow(found, 0, 0, size), shape.shape))
        return Minimum(x, multipliers[0] if self.lone else multipliers)


@frozen
class Watch:
    """Refuses a derivative where the set of active constraints changes.

    Attributes:
        margins: (z, *θ) ↦ how far each bound and inequality is from being active by chance.
        who: the function that errors name.
        slices: how many problems there are side by side.
    """

    margins: Body
    who: str
    slices: int = 1

    def __call__(self, z: Any, *thetas: Any) -> None:
        """Look at one point."""
        found = np.min(np.reshape(bodies.numbers(self.margins, z, *thetas), (self.slices, -1)), 0)
        if np.any(found <= _WEAK):
            raise NotDifferentiable(
                f"{self.who}: a bound or an inequality (number {int(np.argmin(found))}, lower bounds first, then upper "
                "ones, then constraints) holds with a multiplier of 0: it is active by chance, and the derivative from "
                "one side is not that from the other. Move the parameters off this point, or leave the bound out."
            )

    def mapped(self, size: int, flags: Sequence[bool]) -> Watch:
        """Return that of so many problems."""
        return Watch(bodies.mapped(self.margins, size, (True, *flags)), self.who, self.slices * size)


def _number(who: str, y: Any) -> Any:
    parts = flat_result(who, y)
    if len(parts) != 1 or math.prod(parts[0].shape) != 1:
        raise ArgumentError(f"{who}: the loss returned shape {list(parts[0].shape)}. Expected one number; sum it.")
    return F.reshape(parts[0], ())


def _listed(constraints: Any) -> Sequence[Any]:
    return constraints if isinstance(constraints, (list, tuple)) else [constraints]


def _constraint(who: str, c: Any) -> tuple[bool, Callable[..., Any]]:
    """Return whether a constraint is an equality, and its function."""
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
        f"{who}: got a constraint {c!r:.60}. Expected a function that must be 0, or a dict with type 'eq' or 'ineq' "
        "and fun."
    )


def _ends(who: str, unknown: Unknown, bounds: Any) -> list[Any]:
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
            F.broadcast_to(as_tensor(otherwise if p[side] is None else p[side]) * 1.0, tuple(s))
            for p, s in zip(each, unknown.shapes, strict=True)
        ]
        ends.append(joined(parts))
    return ends


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


# ------------------------------------------------------------------ solvers
@frozen
class Minimiser:
    """Goes down to a minimum, and takes the last steps by Newton's method on the conditions."""

    shape: Shape
    method: str
    tol: float
    most: int

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return x, and the multipliers behind it."""
        size = math.prod(self.shape.shape)
        x = np.array(start, np.float64)
        x = x[:size].reshape(self.shape.shape) if self.shape.equal else x
        x = self._down(conditions, x, thetas) if self.method == "newton" else self._lowest(conditions, x, thetas)
        z = with_multipliers(self.shape, x, thetas)
        try:
            return Newton(self.tol, self.most)(conditions, z, thetas)
        except (NotConverged, LinAlgError):  # where an active constraint has a multiplier of 0, or along a valley
            if self.shape.equal or self.shape.bounded or self._is_level(x, thetas):
                return z
            raise NotConverged(
                f"{conditions.who}: the gradient's length is {norm(self._slope(x, thetas)):.3g} where {self.method} "
                f"ended, x = {_few(x)}. {_SMOOTH} Start nearer, or take another of SciPy's methods."
            ) from None

    def together(self, each: EachSlice) -> Together:
        """Return what finds the minima of all slices at once, where they are those of quadratic problems."""
        return Together(each, self.tol)

    def _is_level(self, x: Any, thetas: Sequence[Any]) -> bool:
        slope = norm(self._slope(x, thetas))
        return slope * norm(x) <= 1e-9 * (1 + abs(self._loss(x, thetas)))

    def _loss(self, x: Any, thetas: Sequence[Any]) -> float:
        try:
            return float(bodies.numbers(self.shape.loss, _read(x), *[thetas[k] for k in self.shape.losses]))
        except NotConverged:  # a root inside of the loss, which is not there for this x
            return math.inf

    def _slope(self, x: Any, thetas: Sequence[Any]) -> Any:
        return slope_of(self.shape, x, thetas)

    def _down(self, conditions: Conditions, x: Any, thetas: Sequence[Any]) -> Any:
        """Newton's method for a minimum: the Hessian is shifted until it is positive definite."""
        if self.shape.equal or self.shape.bounded:
            raise ArgumentError(
                f"{conditions.who}: Newton's method takes no bounds or constraints. Use method='SLSQP'."
            )
        curvature = bodies.matrix(bodies.linearised(conditions.body))
        value, size = self._loss(x, thetas), x.size
        if not math.isfinite(value):
            raise NotConverged(f"{conditions.who}: the loss is {value} at the start. Start where it is defined.")
        for _ in range(self.most):
            slope = self._slope(x, thetas)
            matrix = np.reshape(bodies.numbers(curvature, _read(x), *thetas), (size, size))
            if not (math.isfinite(value) and np.all(np.isfinite(slope)) and np.all(np.isfinite(matrix))):
                break
            step = -_positive_solve(matrix, slope)
            t, new = 1.0, value
            while t > 1e-12:
                new = self._loss(x + t * step.reshape(x.shape), thetas)
                if new <= value + 1e-4 * t * float(slope @ step):
                    break
                t /= 2
            else:
                return self._near(conditions, x, step, slope)
            x, value = x + t * step.reshape(x.shape), new
            if norm(step) <= 1e-6 * norm(x) or not np.any(slope):
                aside = self._off_saddle(matrix, x, value, thetas)
                if aside is None:
                    return x
                x, value = aside
        raise NotConverged(
            f"{conditions.who}: no minimum after {self.most} steps: the gradient's length is "
            f"{norm(self._slope(x, thetas)):.3g}, the loss {value:.6g}. Is it bounded from below? "
            "Start nearer, or take one of SciPy's methods, as in method='BFGS'."
        )

    def _off_saddle(self, matrix: Any, x: Any, value: float, thetas: Sequence[Any]) -> Any:
        """Return a lower point beside a saddle or a maximum, and its loss; None elsewhere."""
        lengths, vectors = np.linalg.eigh(matrix)
        if not lengths[0] < -1e-8 * float(np.max(np.abs(lengths))):
            return None
        aside = np.reshape(vectors[:, 0], x.shape) * 1e-2 * (1.0 + norm(x))
        found = min(((self._loss(z, thetas), k) for k, z in enumerate((x + aside, x - aside))))
        return ((x + aside, x - aside)[found[1]], found[0]) if found[0] < value else None

    @staticmethod
    def _near(conditions: Conditions, x: Any, step: Any, slope: Any) -> Any:
        """Return x where rounding hides what a step gains; elsewhere there is no minimum in sight."""
        if norm(step) <= 1e-5 * (1 + norm(x)):
            return x
        raise NotConverged(
            f"{conditions.who}: no step lowers the loss, and its gradient's length is "
            f"{norm(slope):.3g}. {_SMOOTH} Start nearer, or take one of SciPy's methods, as in method='BFGS'."
        )

    def _lowest(self, conditions: Conditions, x: Any, thetas: Sequence[Any]) -> Any:
        """Let SciPy find a minimum; from a saddle or a maximum, where its slopes are 0 too, go on beside it."""
        for _ in range(_ESCAPES):
            x = self._borrowed(conditions, x, thetas)
            way = falling(self.shape, x, thetas)
            if way is None:
                return x
            aside = [self._within(x + s * way * 1e-2 * (1.0 + norm(x)), thetas) for s in (1.0, -1.0)]
            found = [self._borrowed(conditions, z, thetas) for z in aside if np.any(z != x)]
            lower = [z for z in found if self._loss(z, thetas) < self._loss(x, thetas)]
            if not lower:
                break
            x = min(lower, key=lambda z: self._loss(z, thetas))
        raise NotConverged(
            f"{conditions.who}: SciPy's {self.method} ended at x = {_few(x)}, a saddle point or a maximum, from which "
            "the loss falls. Start elsewhere."
        )

    def _within(self, x: Any, thetas: Sequence[Any]) -> Any:
        return np.clip(x, thetas[-2], thetas[-1]) if self.shape.bounded else x

    def _borrowed(self, conditions: Conditions, x: Any, thetas: Sequence[Any]) -> Any:
        optimize = required(f"{conditions.who} with bounds or constraints", "scipy", "scipy.optimize")
        shape, limits = self.shape, [thetas[k] for k in self.shape.limits]

        def at(z: Any) -> Any:
            return _read(np.reshape(z, shape.shape))

        given: dict[str, Any] = {}
        if shape.bounded:
            _check_ends(conditions.who, thetas[-2], thetas[-1])
            given["bounds"] = list(zip(np.ravel(thetas[-2]), np.ravel(thetas[-1]), strict=True))
        if shape.constraints is not None:
            given["constraints"] = [self._limit(kind, at, limits) for kind in (True, False) if kind in shape.equal]
        try:
            found = optimize.minimize(
                lambda z: self._loss(at(z), thetas), np.ravel(x), jac=lambda z: self._slope(at(z), thetas),
                method=self.method, tol=1e-12 if self.method == "SLSQP" else None,
                options={"maxiter": max(self.most, 500)}, **given,
            )  # fmt: skip
        except ValueError as error:
            raise ArgumentError(f"{conditions.who}: method={self.method!r}: {str(error).rstrip('.')}.") from error
        if not found.success and not self._is_close(found.x, at, thetas):
            raise NotConverged(
                f"{conditions.who}: SciPy's {self.method} did not converge after {found.get('nit', 'some')} steps: "
                f"{' '.join(str(found.message).split()).rstrip('.')}. Start nearer, check that the constraints can be "
                "met, or take another method."
            )
        if norm(found.x) > _FAR * (1.0 + norm(x)):
            raise NotConverged(
                f"{conditions.who}: the loss falls without end: it is {float(found.fun):.3g} where x is as large as "
                f"{float(np.max(np.abs(found.x))):.3g}. Bound x, or check the loss's sign."
            )
        return np.reshape(np.asarray(found.x, np.float64), shape.shape)

    def _limit(self, equal: bool, at: Any, limits: Sequence[Any]) -> dict[str, Any]:
        body: Any = self.shape.constraints
        chosen = np.flatnonzero(np.array(self.shape.equal) == equal)
        slopes = bodies.matrix(bodies.linearised(body))
        return {
            "type": "eq" if equal else "ineq",
            "fun": lambda z: np.ravel(bodies.numbers(body, at(z), *limits))[chosen],
            "jac": lambda z: np.reshape(bodies.numbers(slopes, at(z), *limits), (len(self.shape.equal), -1))[chosen],
        }

    def _is_close(self, z: Any, at: Any, thetas: Sequence[Any]) -> bool:
        """Whether rounding alone kept a method from going on: Newton takes the last steps from there."""
        held = self.shape.constraints
        if held is None:
            return bool(np.all(np.isfinite(z)))
        left = np.ravel(bodies.numbers(held, at(z), *[thetas[k] for k in self.shape.limits]))
        off = np.where(np.array(self.shape.equal), np.abs(left), -left)
        return bool(np.all(off <= 1e-6))


def check_quadratic(who: str, conditions: Body) -> None:
    """Refuse the closed form of a quadratic that has a maximum, whatever its parameters are."""
    operator = bodies.linearised(conditions)
    if bodies.is_read(operator, 1):
        return
    rng, sizes = np.random.default_rng(0), itertools.count(2)
    known: dict[Any, int] = {}
    shapes = [
        [n if isinstance(n, int) else known.setdefault(n, next(sizes)) for n in s.shape] for s in conditions.inputs
    ]
    drawn, ways = [rng.normal(size=s) for s in shapes], rng.normal(size=(8, *shapes[0]))
    try:
        tried = [np.sum(v * bodies.numbers(operator, v, *[s * a for a in drawn])) for v in ways for s in (1.0, -1.0)]
    except (SymgradError, TypeError, ValueError):  # such as of singular matrices, or sizes that go with no others
        return
    if np.max(tried) < 0:
        raise ArgumentError(f"{who}: the loss has a maximum and no minimum: its second derivatives are negative.")


def falling(shape: Shape, x: Any, thetas: Sequence[Any]) -> Any:
    """Return a direction along which the loss falls from a stationary point, by its curvature; None at a minimum.

    It is the lowest eigenvector of the Lagrangian's Hessian on what the active constraints leave free; a constraint
    that holds without a force is not among these.
    """
    size, at = x.size, _read(x)
    pull = bodies.pullback(shape.loss, (0,))
    losses = [thetas[k] for k in shape.losses]
    curvature = _square(bodies.matrix(bodies.linearised(pull)), size, at, *losses, 1.0)
    slope, held = slope_of(shape, x, thetas), np.zeros((0, size))
    if shape.constraints is not None:
        limits, body = [thetas[k] for k in shape.limits], shape.constraints
        forces = with_multipliers(shape, x, thetas)[size:]
        turn = bodies.pullback(body, (0,))
        curvature = curvature - _square(bodies.matrix(bodies.linearised(turn)), size, at, *limits, forces)
        slopes = np.reshape(bodies.numbers(bodies.matrix(bodies.linearised(body)), at, *limits), (-1, size))
        slope = slope - forces @ slopes
        held = slopes[np.array(shape.equal) | (forces > _WEAK * (1.0 + norm(forces)))]
    free = np.ones(size, bool)
    if shape.bounded:
        low, high = (np.ravel(e) for e in thetas[-2:])
        ends = (np.ravel(x) - low <= _WEAK) | (high - np.ravel(x) <= _WEAK)
        free = ~(ends & (np.abs(slope) > _WEAK * (1.0 + norm(slope))))
    if not free.any() or not np.all(np.isfinite(curvature)):
        return None
    _, lengths, rows = np.linalg.svd(held[:, free])
    ways = rows[int(np.sum(lengths > 1e-9 * np.max(lengths, initial=0.0))) :].T
    if not ways.shape[1]:
        return None
    lengths, vectors = np.linalg.eigh(ways.T @ curvature[np.ix_(free, free)] @ ways)
    if not lengths[0] < -1e-6 * float(np.max(np.abs(curvature))):
        return None
    found = np.zeros(size)
    found[free] = ways @ vectors[:, 0]
    return np.reshape(found, x.shape)


def _square(body: Body, size: int, *args: Any) -> Any:
    return np.reshape(np.asarray(bodies.numbers(body, *args), np.float64), (size, size))


def _few(x: Any) -> str:
    return np.array2string(np.ravel(x)[:5], precision=4) if np.ndim(x) else f"{float(x):.4g}"


def _check_ends(who: str, low: Any, high: Any) -> None:
    if not np.all(low <= high):
        raise ArgumentError(f"{who}: a lower bound is above its upper bound, or a bound is nan: got {low} and {high}.")


def _read(x: Any) -> Any:
    return float(x) if np.ndim(x) == 0 else x


def _positive_solve(matrix: Any, slope: Any) -> Any:
    """Solve with the matrix; where it is not positive definite, with the absolute values of its eigenvalues."""
    try:
        np.linalg.cholesky(matrix)
        return np.linalg.solve(matrix, slope)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(matrix)
        size = float(np.max(np.abs(values), initial=0.0))
        lengths = np.maximum(np.abs(values), 1e-3 * size) if size > 0 else np.ones(len(slope))
        return vectors @ ((vectors.T @ slope) / lengths)


def with_multipliers(shape: Shape, x: Any, thetas: Sequence[Any]) -> Any:
    """Return x with the multipliers that fit best behind it: of inactive inequalities, 0."""
    body = shape.constraints
    if body is None:
        return x
    limits, at = [thetas[k] for k in shape.limits], _read(x)
    held = np.ravel(bodies.numbers(body, at, *limits))
    slopes = np.reshape(bodies.numbers(bodies.matrix(bodies.linearised(body)), at, *limits), (len(held), -1))
    active = np.array(shape.equal) | (np.abs(held) <= 1e-5)
    free = np.ones(x.size, bool)
    if shape.bounded:
        low, high = (np.ravel(e) for e in thetas[-2:])
        free = (np.ravel(x) - low > 1e-7) & (high - np.ravel(x) > 1e-7)
    found = np.zeros(len(held))
    slope = slope_of(shape, x, thetas)
    found[active] = np.linalg.lstsq(slopes[active][:, free].T, slope[free], rcond=None)[0]
    return np.concatenate([np.ravel(x), found])


def slope_of(shape: Shape, x: Any, thetas: Sequence[Any]) -> Any:
    """Return the gradient of the loss, as a vector."""
    pull = bodies.pullback(shape.loss, (0,))
    return np.ravel(bodies.numbers(pull, _read(x), *[thetas[k] for k in shape.losses], 1.0))


@frozen
class Known:
    """A minimum that somebody else found, or finds.

    Attributes:
        x: where it is; None with ``run``.
        run: the solver, or None.
    """

    shape: Shape
    x: Any
    run: Any = None

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return it with its multipliers."""
        if self.run is None:
            x = self.x.value
        else:
            size = math.prod(self.shape.shape)
            first = np.ravel(start)[:size].reshape(self.shape.shape)
            x = self.run(conditions, first, thetas)
        z = with_multipliers(self.shape, np.reshape(x, self.shape.shape), thetas)
        return polished(conditions, z, thetas)


def known_minimum(
    who: str, loss: Any, x: Any, args: Sequence[Any], bounds: Any = None, constraints: Any = (), run: Any = None
) -> Any:
    """Return a minimum that was found, or that ``run(x, *args)`` finds, in its structure, with its derivative."""
    problem = Problem(who, loss, x, args, bounds, list(_listed(constraints)))
    at = bodies.Frozen(np.asarray(problem.unknown.start._value)) if run is None else None
    found = problem.answer(Known(problem.shape, at, foreign(who, run, x, args)), Way())
    return found.x if isinstance(found, Minimum) else found


__all__ = ["Minimum", "argmin", "known_minimum"]
