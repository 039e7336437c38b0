"""Conditions as closed programs, and the programs derived from them: products with their derivatives, and the Jacobian.

Each is traced once and then runs on arrays, on recorded tensors, and on tensors without values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symgrad.core.kernels import ARITHMETIC, canonical
from symgrad.core.node import TRACED, AnyNode, Leaf, Node, ancestors, is_node, tensor_node
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.program import CONST, INPUT, STEP, Program, Spec, Value
from symgrad.engine.record import as_tensor, handle, input_of
from symgrad.engine.sweep import push, sweep
from symgrad.ops.contract import Einsum, permute
from symgrad.ops.convert import Cast
from symgrad.ops.map import ADD, MUL, Map
from symgrad.ops.protocol import Op, shape
from symgrad.ops.shape import Expand, Eye, Reshape
from symgrad.scalars import X
from symgrad.support.forks import Lock
from symgrad.support.frozen import frozen
from symgrad.transforms.batching import batch
from symgrad.transforms.tracing import Trace

_LOOKS = "implicit: a derivative of the conditions looks at a value."


@frozen
class Held(Op):
    """An array that a program took from outside, as a step of it without inputs."""

    array: FrozenArray
    flat = True
    saves = ""
    looped = "it has no inputs"
    not_exportable = "it stands in programs of solvers only"

    def forward(self) -> Any:
        return self.array.value

    def out_shape(self) -> Any:
        return shape(self.array.value)

    def dtype(self, *kinds: Any) -> np.dtype[Any]:
        return np.asarray(self.array.value).dtype

    def notation(self, write: Any, *args: Any) -> Any:
        return write.decimal(self.array.value) if np.ndim(self.array.value) == 0 else write.Name("c")


@frozen
class Sized(Op):
    """A constant of symbolic size, such as a vector of ones, as a step without inputs; it occurs in formulas only."""

    node: Any
    flat = True
    saves = ""
    looped = "it has no inputs"
    not_exportable = "it stands in programs of solvers only"

    def __call__(self, *args: Any) -> Any:
        return handle(self.node, None)

    def out_shape(self) -> Any:
        return self.node.shape

    def dtype(self, *kinds: Any) -> np.dtype[Any]:
        return dtype_of(self.node)


class FrozenArray:
    """An array compared by its content."""

    def __init__(self, value: Any) -> None:
        self.value = value
        a = np.asarray(value)
        self._key = (a.shape, a.dtype.str, a.tobytes())

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FrozenArray) and self._key == other._key


def traced(specs: Sequence[Any], rule: Callable[..., Sequence[Any]], who: str) -> Program:
    """Return what the rule does of variables of these shapes and dtypes."""
    with Trace() as trace:
        variables = trace.variables(specs)
        roots = [as_tensor(t) for t in trace.run(rule, variables, who)]
        body, captured = trace.program(variables, roots)
    return closed(body, captured)


def closed(body: Program, captured: Sequence[Any]) -> Program:
    """Return a traced body that holds what it captured from outside."""
    return _holding(body, captured) if captured else shared(body)


def shared(body: Program) -> Program:
    """Return the body that was traced before, if it is the same, with its derived programs."""
    with _LOCK:
        program = _TRACED.pop(body, body)
        _TRACED[program] = program
        while len(_TRACED) > _REMEMBERED:
            del _TRACED[next(iter(_TRACED))]
    return program


_TRACED: dict[Program, Program] = {}  # those used last at the end
_REMEMBERED = 32
_LOCK = Lock()


def _holding(body: Program, captured: Sequence[Any]) -> Program:
    """Return a body with its last inputs as steps that hold these arrays."""
    n = len(body.inputs) - len(captured)
    held = Program(body.values, body.inputs[:n], body.outputs)
    for k, t in zip(body.inputs[n:], captured, strict=True):
        held.replace(k, held.values[k]._replace(kind=STEP, op=_held(t)))
    return held


def with_constants(body: Program, values: Mapping[int, Any]) -> Program:
    """Return a body with these arrays in place of the arguments at these positions."""
    closed = Program(body.values)
    rest: list[int] = []
    for position, k in enumerate(body.inputs):
        if position in values:
            array = np.asarray(values[position])
            closed.replace(k, Value(CONST, array, (), array.shape, array.dtype))
        else:
            closed.replace(k, body.values[k]._replace(op=len(rest)))
            rest.append(k)
    closed.inputs, closed.outputs = rest, list(body.outputs)
    return closed


def _held(t: Any) -> Op:
    value = getattr(t, "_value", t)
    return Sized(tensor_node(t)) if value is None else Held(FrozenArray(value))


def numbers(body: Program, *args: Any) -> Any:
    """Return the first result on arrays; nan and inf instead of errors."""
    return all_numbers(body, *args)[0]


def all_numbers(body: Program, *args: Any) -> tuple[Any, ...]:
    """Return all results on arrays; nan and inf instead of errors."""
    values = [canonical(a) for a in args]
    with np.errstate(all="ignore"):
        try:
            return _bound(body, None)(*values)
        except ARITHMETIC:  # of Python numbers
            return _bound(body, body.operations)(*[np.asarray(v) for v in values])


def _bound(body: Program, kernels: Any) -> Callable[..., tuple[Any, ...]]:
    made = body.once(("numbers", kernels is None), lambda: body.bind(len(body.inputs), (), kernels))
    return made  # type: ignore[no-any-return]


def once(body: Program, key: Any, specs: Sequence[Any], rule: Callable[..., Sequence[Any]]) -> Program:
    """Return the program derived from a body under this key, traced on first use."""
    return body.once(key, lambda: traced(specs, rule, _LOOKS))  # type: ignore[no-any-return]


def pushforward(body: Program, which: tuple[int, ...]) -> Program:
    """Return (*xs, *ẋ) ↦ Σ ∂F/∂xᵢ ẋᵢ over the inputs in ``which``."""
    count = len(body.arguments)

    def rule(*given: Any) -> list[Any]:
        xs, ts = given[:count], given[count:]
        outs = [input_of(as_tensor(t)) for t in body(*xs)]
        tangents = {tensor_node(xs[i]): t for i, t in zip(which, ts, strict=True)}
        pushed = push(outs, tangents, handle, record=True, symbolic=True)
        return [fitted(t, s) for t, s in zip(pushed, body.results, strict=True)]

    return once(body, ("push", which), [*body.arguments, *[body.arguments[i] for i in which]], rule)


def pullback(body: Program, which: tuple[int, ...]) -> Program:
    """Return (*xs, F̄) ↦ (∂F/∂xᵢ)ᵀ F̄, for each input in ``which``."""
    count = len(body.arguments)

    def rule(*given: Any) -> list[Any]:
        xs, gs = given[:count], given[count:]
        outs = [input_of(as_tensor(t)) for t in body(*xs)]
        wrt = [tensor_node(xs[i]) for i in which]
        cotangents = sweep(outs, list(gs), wrt=wrt, handle=handle, symbolic=True)
        return [fitted(cotangents.get(n), body.arguments[i]) for n, i in zip(wrt, which, strict=True)]

    return once(body, ("pull", which), [*body.arguments, *body.results], rule)


def linearised(body: Program) -> Program:
    """Return (v, x, *p) ↦ ∂F/∂x v, an operator with parameters x and p."""

    def rule(v: Any, *xs: Any) -> list[Any]:
        return pushforward(body, (0,))(*xs, v)

    return once(body, "linearised", [body.arguments[0], *body.arguments], rule)


def transposed(operator: Program) -> Program:
    """Return (u, *p) ↦ L(p)ᵀ u of an operator (v, *p) ↦ L(p) v."""

    def rule(u: Any, *ps: Any) -> list[Any]:
        return pullback(operator, (0,))(zeros(operator.arguments[0]), *ps, u)

    return once(operator, "transposed", [operator.results[0], *operator.arguments[1:]], rule)


def mapped(body: Program, size: int, flags: tuple[bool, ...]) -> Program:
    """Return the body for all slices at once of the inputs that ``flags`` selects; its result contains all slices."""
    specs = [Spec((size, *s.shape), s.dtype) if f else s for s, f in zip(body.arguments, flags, strict=True)]
    return once(body, ("mapped", size, flags), specs, lambda *xs: of_slices(body, size, flags, xs))


def of_slices(body: Program, size: int, flags: Sequence[bool], xs: Sequence[Any]) -> list[Any]:
    """Return the results of the body for all slices at once of the inputs that ``flags`` selects."""

    def step(v: Value, args: Sequence[tuple[Any, bool]]) -> tuple[Any, bool]:
        return _applied(v.op, size, args, ())

    results = body.walk([*zip(xs, flags, strict=True)], step, lambda constant: (constant, False))
    return [y if moves else Expand((size, *shape(y)))(y) for y, moves in results]


def matrix(operator: Program) -> Program:
    """Return p ↦ L(p) as a matrix; a number where the unknown is one."""
    return once(operator, "matrix", operator.arguments[1:], lambda *ps: [applied_to_units(operator, ps, compact=True)])


def applied_to_units(operator: Program, ps: Sequence[Any], compact: bool = False) -> Any:
    """Return the matrix of an operator with tensors for p; the sizes of vectors may be symbolic.

    ``compact`` is for numbers: what only scales the unit vectors is kept as a diagonal, and added as one.
    """
    spec, result = operator.arguments[0], operator.results[0]
    if not spec.shape and not result.shape:
        return operator(fitted(as_tensor(1.0), spec), *ps)[0]
    size = size_of(spec)
    rows = _Rows(operator, size, ps).result() if compact and len(spec.shape) == 1 else _by_rows(operator, size, ps)
    rows = _identity_last(rows)
    if len(result.shape) != 1:
        rows = Reshape((size, size_of(result)))(rows)
    return permute(rows, (1, 0))


def _identity_last(rows: Any) -> Any:
    """Return A + λ·I for λ·I + A, as books write it; arrays as they are."""
    node = getattr(rows, "_node", None)
    if rows is None or not isinstance(node, Node) or node.op != ADD:
        return rows
    here = [any(isinstance(getattr(n, "op", None), Eye) for n in ancestors([p])) for p in node.inputs if is_node(p)]
    return ADD(*[handle(p, None) for p in node.inputs[::-1]]) if here == [True, False] else rows


def size_of(spec: Any) -> Any:
    """Return the number of entries."""
    return math.prod(spec.shape)


def evaluated(roots: Sequence[AnyNode]) -> dict[AnyNode, Any]:
    """Return the values of a graph's nodes; None where a leaf below has none."""
    values: dict[AnyNode, Any] = {}
    for n in ancestors(list(roots)):
        values[n] = n.value if isinstance(n, Leaf) else forwarded(n.op, n.inputs, values)
    return values


def forwarded(op: Op, inputs: Sequence[Any], values: Mapping[AnyNode, Any]) -> Any:
    """Return an operation's value at these of its inputs."""
    xs = [values[p] if is_node(p) else p for p in inputs]
    return None if any(x is None for x in xs) else op.forward(*xs)


def is_read(body: Program, k: int) -> bool:
    """Whether a result depends on input k."""
    return not body.depending([body.inputs[k]]).isdisjoint(body.outputs)


def zeros(spec: Spec) -> Any:
    """Return zeros without values."""
    zero = as_tensor(0.0)
    input_of(zero)
    zero = zero if spec.dtype == np.float64 else Cast(spec.dtype)(zero)
    return Expand(spec.shape)(zero) if spec.shape else zero


def fitted(t: Any, spec: Spec) -> Any:
    """Return a cotangent or tangent with the shape and dtype of its argument or result; zeros for None."""
    if t is None:
        return zeros(spec)
    t = as_tensor(t)  # of what is linear, a derivative may be a number
    t = t if shape(t) == spec.shape else Expand(spec.shape)(t)
    return t if t.dtype == spec.dtype else Cast(spec.dtype)(t)


# ------------------------------------------------------------------ the matrix of an operator
def _by_rows(operator: Program, size: Any, ps: Sequence[Any]) -> Any:
    """Apply an operator to all unit vectors: row k of the result is L eₖ."""
    spec = operator.arguments[0]
    eye: Any = _identity(size, spec)
    is_plain = len(spec.shape) == 1
    unit = eye if is_plain else Reshape((size, *spec.shape))(eye)
    units = {operator.inputs[0]} if is_plain else set()

    def step(v: Value, args: Sequence[tuple[Any, bool]]) -> tuple[Any, bool]:
        return _applied(v.op, size, args, [k in units for k in v.args])

    xs = [(unit, True), *[(p, False) for p in ps]]
    rows, moves = operator.walk(xs, step, lambda constant: (constant, False))[0]
    return rows if moves else Expand((size, *shape(rows)))(rows)


def _identity(size: Any, spec: Spec) -> Any:
    """Return the identity as an operation, so that formulas show it as I."""
    blank = handle(Leaf(None, (), TRACED), None)
    return blank._apply(Eye(size, size, None if spec.dtype == np.float64 else spec.dtype), ())


def _applied(op: Op, size: Any, args: Sequence[tuple[Any, bool]], units: Sequence[bool]) -> tuple[Any, bool]:
    xs, flags = [x for x, _ in args], [f for _, f in args]
    if not any(flags):
        return op(*xs), False
    selected = _selected(op, xs, units) if sum(units) == sum(flags) == 1 and isinstance(op, Einsum) else None
    return (batch(op, size, xs, flags) if selected is None else selected), True


def _selected(op: Einsum, xs: Sequence[Any], units: Sequence[bool]) -> Any:
    """Contract with the unit vectors by reading off: A eₖ is a column of A. None where that is not a contraction."""
    at = units.index(True)
    letter = op.terms[at]
    others = [t for k, t in enumerate(op.terms) if k != at]
    if letter in op.output or not any(letter in t for t in others):
        return None
    kept = [x for x, unit in zip(xs, units, strict=True) if not unit]
    output = letter + op.output
    if others == [output]:
        return kept[0]
    return Einsum.of(f"{','.join(others)}->{output}")(*kept)


@frozen
class PlusDiagonal(Op):
    """A + diag(d), of numbers."""

    flat = True
    saves = ""
    looped = "it stands in programs of solvers only"
    not_exportable = "it stands in programs of solvers only"

    def forward(self, a: Any, d: Any) -> Any:
        """Add the vector to the diagonal."""
        total = np.array(a)
        total[np.diag_indices(len(total))] += d
        return total

    def out_shape(self, a: Any, d: Any) -> Any:
        return a

    def dtype(self, *kinds: Any) -> np.dtype[Any]:
        return kinds[0]  # type: ignore[no-any-return]


class _Rows:
    """Builds the matrix of an operator on vectors as ``_by_rows`` does, keeping diagonal parts as vectors."""

    def __init__(self, operator: Program, size: int, ps: Sequence[Any]) -> None:
        self.operator, self.size = operator, size
        self.eye = _identity(size, operator.arguments[0])
        self.unit = operator.inputs[0]
        self.diagonals: dict[int, Any] = {self.unit: Expand((size,))(fitted(as_tensor(1.0), operator.arguments[0]))}
        xs = [(None, True), *[(p, False) for p in ps]]
        self.env: list[tuple[Any, bool]] = []
        for k, v in enumerate(operator.values):
            self.env.append(self._step(k, v) if v.kind == STEP else xs[v.op] if v.kind == INPUT else (v.op, False))

    def result(self) -> Any:
        """Return the matrix."""
        rows, moves = self._dense(self.operator.outputs[0])
        return rows if moves else Expand((self.size, *shape(rows)))(rows)

    def _step(self, at: int, step: Value) -> tuple[Any, bool]:
        if not self._stays_diagonal(step):
            return self._sum(step) or self._applied(step)
        self.diagonals[at] = step.op(*[self.diagonals.get(k, self.env[k][0]) for k in step.args])
        return None, True

    def _stays_diagonal(self, step: Value) -> bool:
        if not isinstance(step.op, Map) or step.shape != (self.size,):
            return False
        moving = [i for i, k in enumerate(step.args) if self.env[k][1]]
        if not moving or any(step.args[i] not in self.diagonals for i in moving):
            return False
        return bool(step.op.payload.subs({X[i]: 0 for i in moving}) == 0)

    def _sum(self, step: Value) -> tuple[Any, bool] | None:
        diagonal = [k for k in step.args if k in self.diagonals]
        if step.op != ADD or len(diagonal) != 1:
            return None
        (other,) = [k for k in step.args if k not in self.diagonals]
        rows, moves = self.env[other]
        if not moves or shape(rows) != (self.size, self.size) or rows.dtype != self.diagonals[diagonal[0]].dtype:
            return None
        return PlusDiagonal()(rows, self.diagonals[diagonal[0]]), True

    def _applied(self, step: Value) -> tuple[Any, bool]:
        return _applied(step.op, self.size, [self._dense(k) for k in step.args], [k == self.unit for k in step.args])

    def _dense(self, k: int) -> tuple[Any, bool]:
        if self.env[k][0] is None:
            self.env[k] = (self.eye if k == self.unit else MUL(self.eye, self.diagonals[k]), True)
        return self.env[k]
