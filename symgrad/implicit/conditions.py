"""The implicit function theorem as two operations.

Where F(x, θ) = 0 and ∂F/∂x is invertible, dx/dθ = −(∂F/∂x)⁻¹ ∂F/∂θ. ``Root`` is x as a function of θ, by whatever
solver; ``OperatorSolve`` solves with the operator ∂F/∂x. Their rules are written in each other and in products with
derivatives of F, so every mode and every order follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from symgrad.core.kernels import canonical
from symgrad.core.node import Shape
from symgrad.core.promotion import Kind
from symgrad.engine.program import Program
from symgrad.errors import ArgumentError, LinAlgError, NotConverged, ShapeError
from symgrad.implicit import programs
from symgrad.implicit.factors import LinearSystem, Way, norm, norms, system_of
from symgrad.ops.contract import mT
from symgrad.ops.linalg.solving import Solve
from symgrad.ops.map import DIV, NEG, SUB, show_shape
from symgrad.ops.protocol import Op, shape
from symgrad.ops.shape import Reshape, repeated
from symgrad.support.frozen import frozen

SOLVER = "a solver in Python"  # why exports lack it
_SIDE_BY_SIDE = 32  # unknowns of a slice, up to which slices are solved at once
_LEFT = 1e-3  # how far from an answer, relative to it, a solver may have stopped
_BENT = 0.1  # how much the Jacobian may change on the way to the answer


Letters = tuple[tuple[str, Shape], ...]


class Watches(Protocol):
    """What looks at an answer before a derivative is taken."""

    def __call__(self, x: Any, /, *thetas: Any) -> None:
        """Raise where there is none."""

    def mapped(self, size: int, flags: Sequence[bool]) -> Watches:
        """Return the conditions for the given number of slices at once, with the θ that ``flags`` selects mapped."""


@frozen
class Conditions:
    """What determines the unknown, as a value to compare operations by.

    Attributes:
        body: (x, *θ) ↦ F(x, θ), whose results are as many numbers as x.
        way: how linear systems with ∂F/∂x are solved.
        who: the function that errors name.
        title: what the unknown is called in formulas.
        watch: looks at (x, *θ) before a derivative is taken; raises where there is none.
        problem: of a minimum under equations, what it is made of, which formulas show.
        blocks: of an unknown that is several arrays, what each is called in formulas, and its shape.
    """

    body: Program
    way: Way
    who: str
    title: str
    watch: Watches | None = None
    problem: Any = None
    blocks: Letters = ()


@frozen
class Root(Op):
    """x with F(x, θ) = 0. The inputs are the start, which the answer does not depend on, and θ."""

    conditions: Conditions
    solver: Any
    name = "Root"
    saves = "xy"
    converts = False
    dense = "an answer that depends on all that the conditions look at"
    not_exportable = SOLVER
    looped = "conditions of many unknowns are solved one slice at a time"
    theorem = True

    def __repr__(self) -> str:
        return f"Root({self.conditions.title})"

    @property
    def explained(self) -> str:
        """The implicit function theorem, for lessons."""
        x = self.conditions.title
        return f"implicit function theorem: F({x}, θ) = 0 gives d{x}/dθ = −(∂F/∂{x})⁻¹·∂F/∂θ"

    def forward(self, start: Any, *thetas: Any) -> Any:
        spec = self.conditions.body.arguments[0]
        solution = np.asarray(self.solver(self.conditions, start, thetas))
        if solution.shape != spec.shape:
            raise ShapeError(
                f"{self.conditions.who}: the solver returned shape {show_shape(solution.shape)}. Expected "
                f"{show_shape(spec.shape)}, as the start has."
            )
        return canonical(np.asarray(solution, spec.dtype))

    def on_symbols(self, *xs: Any) -> Any:
        raise NotImplementedError

    def out_shape(self, start: Shape, *thetas: Shape) -> Shape:
        return start

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        return self.conditions.body.arguments[0].dtype

    def notation(self, write: Any, *args: Any) -> Any:
        return write.Spelled(self.conditions.title, self.conditions.title)

    def keeps(self, active: tuple[int, ...], count: int) -> tuple[bool, tuple[bool, ...]]:
        """Keep the answer and θ."""
        return True, (False, *(True,) * (count - 1))

    def _solve(self, transposed: bool) -> OperatorSolve:
        c = self.conditions
        return OperatorSolve(programs.linearised(c.body), transposed, c.way, c)

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Solve all slices as one problem, whose Jacobian consists of the Jacobians of the slices."""
        mapped = mapped_conditions(self.conditions, size, flags[1:])
        if mapped is None:
            return NotImplemented
        start = xs[0] if flags[0] else repeated(xs[0], size)
        each = EachSlice(self.solver, self.conditions, size, tuple(flags[1:]))
        together = self.solver.together(each) if hasattr(self.solver, "together") else each
        return Root(mapped, together)(start, *xs[1:])

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # (∂F/∂x)ᵀ λ = x̄  ⇒  θ̄ = −(∂F/∂θ)ᵀ λ
        body, thetas = self.conditions.body, xs[1:]
        wanted = tuple(i for i in which if i > 0 and body.arguments[i].is_float)
        if not wanted:
            return [None for _ in which]
        adjoint = self._solve(True)(g, y, *thetas)
        pulled = programs.pullback(body, wanted)(y, *thetas, NEG(adjoint))
        cotangents = dict(zip(wanted, pulled, strict=True))
        return [cotangents.get(i) for i in which]

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # ẋ = −(∂F/∂x)⁻¹ ∂F/∂θ θ̇
        body, thetas = self.conditions.body, xs[1:]
        wanted = tuple(i for i, t in enumerate(ts) if i > 0 and t is not None and body.arguments[i].is_float)
        if not wanted:
            return None
        (moved,) = programs.pushforward(body, wanted)(y, *thetas, *[ts[i] for i in wanted])
        return NEG(self._solve(False)(moved, y, *thetas))


@frozen
class OperatorSolve(Op):
    """v with L(p) v = b, or L(p)ᵀ v = b, of an operator L(p) that is given by its products. Inputs b and p.

    Attributes:
        operator: (v, *p) ↦ L(p) v.
        conditions: those that L is the derivative of, whose answer is examined first; None for an operator.
        start: where the methods by products start for the value, a ``bodies.Frozen`` array, or None.
    """

    operator: Program
    transposed: bool
    way: Way
    conditions: Conditions | None = None
    start: Any = None
    name = "OperatorSolve"
    saves = "xy"
    converts = False
    theorem = True
    explained = "linear system: solve with the transpose; what the operator is made of receives −(∂(L·v)/∂p)ᵀ"
    dense = "each unknown depends on the whole system"
    not_exportable = SOLVER
    looped = "one right side at a time, where slices are large or solved by products"

    def __repr__(self) -> str:
        return f"OperatorSolve({'transposed' if self.transposed else ''})"

    def forward(self, b: Any, *ps: Any) -> Any:
        """Solve with the factors that are kept of p."""
        if self.conditions is None:
            system = system_of(self.operator, self.way, ps, self._who)
            if not system.record.checked:
                _linear(system)
                system.record.checked = True
        else:
            system = checked_system(self.operator, self.conditions, ps)
        return canonical(system.solve(b, self.transposed, None if self.start is None else self.start.value))

    @property
    def _who(self) -> str:
        return self.way.method if self.conditions is None else self.conditions.who

    def on_symbols(self, *xs: Any) -> Any:
        raise NotImplementedError

    def out_shape(self, b: Shape, *ps: Shape) -> Shape:
        return (self.operator.results if self.transposed else self.operator.arguments)[0].shape

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        return self.operator.arguments[0].dtype

    def notation(self, write: Any, *args: Any) -> Any:
        operator = write.Name("L")
        if self.conditions is not None:
            operator = write.Label("F", (self.conditions.title,))
        return write.Infix(write.Raised(operator, "⁻ᵀ" if self.transposed else "⁻¹"), args[0], sign="@")

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Solve all slices at once, if each is a system of conditions with its own solution."""
        mapped = None if self.conditions is None else mapped_conditions(self.conditions, size, flags[2:])
        if mapped is None or not flags[1]:
            return NotImplemented
        right = xs[0] if flags[0] else repeated(xs[0], size)
        return OperatorSolve(programs.linearised(mapped.body), self.transposed, mapped.way, mapped)(right, *xs[1:])

    def _turned(self) -> OperatorSolve:
        return OperatorSolve(self.operator, not self.transposed, self.way, self.conditions)

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # L v = b  ⇒  b̄ = L⁻ᵀ v̄,  p̄ = −∂⟨b̄, L(p) v⟩/∂p;  of Lᵀ v = b, −∂⟨v, L(p) b̄⟩/∂p
        ps = xs[1:]
        pulled = self._turned()(g, *ps)
        wanted = tuple(i for i in which if i > 0 and self.operator.arguments[i].is_float)
        cotangents = {0: pulled}
        if wanted:
            v, u = (pulled, y) if self.transposed else (y, pulled)
            changes = programs.pullback(self.operator, wanted)(v, *ps, u)
            cotangents |= {i: NEG(t) for i, t in zip(wanted, changes, strict=True)}
        return [cotangents.get(i) for i in which]

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # v̇ = L⁻¹ (ḃ − L̇ v)
        body = programs.transposed(self.operator) if self.transposed else self.operator
        ps, right = xs[1:], ts[0]
        wanted = tuple(i for i, t in enumerate(ts) if i > 0 and t is not None and body.arguments[i].is_float)
        if wanted:
            (moved,) = programs.pushforward(body, wanted)(y, *ps, *[ts[i] for i in wanted])
            right = NEG(moved) if right is None else SUB(right, moved)
        return (
            None
            if right is None
            else OperatorSolve(self.operator, self.transposed, self.way, self.conditions)(right, *ps)
        )

    def written_out(self, b: Any, *ps: Any) -> Any:
        """Return the same by the matrix of L, as formulas show it."""
        matrix = programs.applied_to_units(self.operator, ps)
        to = self.out_shape(shape(b))
        if not shape(matrix):
            return Reshape(to)(DIV(Reshape(())(b), matrix)) if to else DIV(b, matrix)
        size = shape(matrix)[0]
        right = b if shape(b) == (size,) else Reshape((size,))(b)
        solution = Solve(True)(mT(matrix) if self.transposed else matrix, right)
        return solution if to == (size,) else Reshape(to)(solution)


@frozen
class EachSlice:
    """A solver on one slice after the other.

    Attributes:
        solver, conditions: of one slice.
        size, flags: how many slices, and which θ have one for each.
    """

    solver: Any
    conditions: Conditions
    size: int
    flags: tuple[bool, ...]

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return the answers, one after the other."""
        return np.stack([self.one(k, start, thetas) for k in range(self.size)])

    def one(self, k: int, start: Any, thetas: Sequence[Any]) -> Any:
        """Return the answer of one slice."""
        return np.asarray(self.solver(self.conditions, canonical(np.asarray(start[k])), self.own(k, thetas)))

    def own(self, k: int, thetas: Sequence[Any]) -> list[Any]:
        """Return the θ of one slice."""
        return [canonical(np.asarray(t[k])) if f else t for t, f in zip(thetas, self.flags, strict=True)]


def mapped_conditions(conditions: Conditions, size: int, flags: Sequence[bool]) -> Conditions | None:
    """Return the conditions of all slices at once, with the θ that ``flags`` selects mapped; None if impossible."""
    way = conditions.way
    if way.method not in ("auto", "lu") or size < 2:
        return None
    if programs.size_of(conditions.body.arguments[0]) // way.slices > _SIDE_BY_SIDE:
        return None
    body = programs.mapped(conditions.body, size, (True, *flags))
    way = Way(way.method, way.tol, way.most, way.slices * size)
    watch = None if conditions.watch is None else conditions.watch.mapped(size, flags)
    return Conditions(body, way, conditions.who, conditions.title, watch)


def checked_system(operator: Program, conditions: Conditions, ps: Sequence[Any]) -> LinearSystem:
    """Return the system of ∂F/∂x at an answer, once this is known to be one that the conditions determine."""
    system = system_of(operator, conditions.way, ps, conditions.who)
    if not system.record.checked:
        _checked(conditions, system, ps)
        system.record.checked = True
    return system


def _checked(conditions: Conditions, system: Any, ps: Sequence[Any]) -> None:
    """Refuse a derivative where the point is not a solution, or where the conditions do not determine it."""
    who, x = conditions.who, ps[0]
    if conditions.watch is not None:
        conditions.watch(*ps)
    rest = np.ravel(programs.numbers(conditions.body, *ps))
    if not np.all(np.isfinite(rest)):
        raise NotConverged(f"{who}: the conditions are not finite at the answer, so it has no derivative.")
    system.check_regular()
    step = -np.ravel(system.solve(rest))
    many = system.way.slices
    lengths, sizes = norms(step, many), norms(x, many)
    far = int(np.argmax(lengths - _LEFT * sizes))
    length = float(lengths[far])
    if length > _LEFT * sizes[far] + 1e-6:
        raise NotConverged(
            f"{who}: the solver's answer does not fulfil the conditions: their residual is {norm(rest):.2g}, and an "
            f"answer is {length:.2g} away. Solve more accurately, or check that the conditions are those of the solver."
        )
    if np.any(lengths > 0):
        moved = np.reshape(np.ravel(x) + step, shape(x))
        change = _along(conditions.body, moved, step, ps) + rest  # at x it is −F
        bent = norms(system.solve(change), many)
        if not np.all(bent <= _BENT * lengths):
            raise LinAlgError(
                f"{who}: the Jacobian of the conditions is singular at the answer, or the answer is not accurate: it "
                f"changes by more than {_BENT:.0%} over the {length:.2g} that are left to go. There the implicit "
                "function theorem gives no derivative: answers meet. Move the parameters, or solve more accurately."
            )


def _linear(system: Any) -> None:
    """Refuse A(v) + c, whose derivative looks like that of a linear function."""
    constant = system.apply(np.zeros(system.size))
    if np.any(np.isnan(constant)):
        raise LinAlgError(f"{system.who}: A has nan or infinite entries: A(0) is nan.")
    if np.any(constant):
        raise ArgumentError(f"{system.who}: A(v) is not linear in v: A(0) is not 0. Bring constants to the other side.")


def _along(body: Program, x: Any, v: Any, ps: Sequence[Any]) -> Any:
    """Return ∂F/∂x v at x."""
    return np.ravel(programs.numbers(programs.linearised(body), np.reshape(v, shape(x)), x, *ps[1:]))
