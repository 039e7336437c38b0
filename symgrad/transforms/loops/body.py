"""A body: what a loop does in one step, as a straight-line program of array operations that is closed.

It is traced once and then run on arrays, or applied to tensors, which is how derivatives of it are traced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.core.kernels import canonical
from symgrad.core.node import AnyNode, is_node
from symgrad.core.promotion import is_differentiable
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.record import input_of
from symgrad.ops.map import Map
from symgrad.ops.protocol import Op, shape
from symgrad.scalars import X
from symgrad.support.lazy import cached_property
from symgrad.transforms.tracing import Trace


class Spec(NamedTuple):
    """What is known of an array before there is one."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def is_float(self) -> bool:
        """Whether derivatives flow through it."""
        return is_differentiable(self.dtype)

    def zeros(self) -> Any:
        """Return zeros like it."""
        return canonical(np.zeros(self.shape, self.dtype))


class Step(NamedTuple):
    """One operation: the slots of its arguments, and what is known of its result."""

    op: Op
    args: tuple[int, ...]
    result: Spec


class Body:
    """A closed program of array operations, compared by content.

    Its values are numbered: first the inputs, then the literals (Python numbers), then the result of each step.

    Attributes:
        inputs: shape and dtype of each input.
        varying: how many of the inputs, from the front, change from step to step.
        literals: the Python numbers among the arguments.
        steps: the operations in order.
        outputs: the numbers of the values that are returned.
    """

    def __init__(
        self,
        inputs: tuple[Spec, ...],
        varying: int,
        literals: tuple[Any, ...],
        steps: tuple[Step, ...],
        outputs: tuple[int, ...],
    ) -> None:
        self.inputs, self.varying, self.literals, self.steps = inputs, varying, literals, steps
        self.outputs = outputs
        self.derived: dict[Any, Any] = {}  # derivatives and batched versions, once they have been traced
        texts = tuple(f"{type(v).__name__} {v!r}" for v in literals)  # 1 and 1.0 are not the same
        self._key = (inputs, varying, texts, steps, outputs)

    def __repr__(self) -> str:
        steps = ", ".join(f"{s.op!r}{s.args}" for s in self.steps)
        return f"{self.inputs}, {self.literals}, [{steps}], {self.outputs}"

    @cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Body) and self._key == other._key)

    def __reduce__(self) -> Any:
        return Body, (self.inputs, self.varying, self.literals, self.steps, self.outputs)

    @cached_property
    def results(self) -> tuple[Spec, ...]:
        """Shape and dtype of each output."""
        first = len(self.inputs) + len(self.literals)
        return tuple(self.inputs[k] if k < first else self.steps[k - first].result for k in self.outputs)

    @cached_property
    def reads(self) -> frozenset[int]:
        """The inputs that some step or output looks at."""
        found = set(self.outputs).union(*[s.args for s in self.steps])
        return frozenset(k for k in found if k < len(self.inputs))

    def returning(self, outputs: tuple[int, ...]) -> Body:
        """Return the body with other outputs."""
        return Body(self.inputs, self.varying, self.literals, self.steps, outputs)

    def __call__(self, *args: Any) -> list[Any]:
        """Apply the operations to arrays, tensors, or symbols."""
        env = [*args, *self.literals]
        for step in self.steps:
            env.append(step.op(*[env[k] for k in step.args]))
        return [env[k] for k in self.outputs]

    # -------------------------------------------------------------- one step on arrays
    def bind(self, constants: Sequence[Any], fast: bool = True) -> Callable[..., tuple[Any, ...]]:
        """Return the step as a function of the varying inputs.

        Args:
            constants: the other inputs; what depends on them alone is computed here, once.
            fast: with kernels for these dtypes, some of which raise where NumPy gives inf or nan; otherwise by the
                operations themselves, which take symbols and complex numbers as well.
        """
        once, make = self._compiled
        kernels = self._kernels if fast else [s.op for s in self.steps]
        env: list[Any] = [*(None,) * self.varying, *constants, *self.literals, *(None,) * len(self.steps)]
        first = len(self.inputs) + len(self.literals)
        for k in once:
            env[first + k] = kernels[k](*[env[a] for a in self.steps[k].args])
        found: Callable[..., tuple[Any, ...]] = make(kernels, env)
        return found

    @cached_property
    def _kernels(self) -> list[Any]:
        known = [*self.inputs, *(None,) * len(self.literals), *[s.result for s in self.steps]]
        return [_kernel(s.op, [known[k] for k in s.args], s.result) for s in self.steps]

    @cached_property
    def _compiled(self) -> tuple[list[int], Callable[..., Any]]:
        """The steps that do not vary, and a function (kernels, values) to the step."""
        first = len(self.inputs) + len(self.literals)
        varies = set(range(self.varying))
        once = []
        for k, step in enumerate(self.steps):
            if varies.isdisjoint(step.args):
                once.append(k)
            else:
                varies.add(first + k)
        moving = [k for k in range(len(self.steps)) if first + k in varies]
        names: dict[str, Any] = {}
        exec(self._source(first, moving, varies), names)
        return once, names["make"]

    def _source(self, first: int, moving: Sequence[int], varies: set[int]) -> str:
        """Write the step as Python; assembled from numbers and the fixed words here only."""
        still = set(self.outputs).union(*[self.steps[k].args for k in moving]) - varies
        lines = [
            "def make(f, v):",
            *[f" f{k} = f[{k}]" for k in moving],
            *[f" v{a} = v[{a}]" for a in sorted(still)],
            f" def step({_joined(range(self.varying))}):",
            *[f"  v{first + k} = f{k}({_joined(self.steps[k].args)})" for k in moving],
            f"  return ({_joined(self.outputs)})",
            " return step",
        ]
        return "\n".join(lines)


def _joined(numbers: Iterable[int]) -> str:
    return "".join(f"v{a}, " for a in numbers)


_NUMBERS = {Spec((), np.dtype(np.float64)), Spec((), np.dtype(np.bool_))}


def _kernel(op: Op, args: Sequence[Spec | None], result: Spec) -> Callable[..., Any]:
    """Return the fastest function of arrays that computes the operation."""
    if isinstance(op, Map) and result in _NUMBERS and all(a is None or a in _NUMBERS for a in args):
        return op.on_float
    if not result.shape:
        return lambda *xs: canonical(op.forward(*xs))
    if not isinstance(op, Map):
        return op.forward
    return op.on_array if _fills(op, args, result.shape) else lambda *xs: np.broadcast_to(op.forward(*xs), result.shape)


def _fills(op: Map, args: Sequence[Spec | None], to: tuple[int, ...]) -> bool:
    """Whether the arguments that the payload mentions have the result's shape between them."""
    used = op.payload.free_symbols
    sizes = [a.shape for a, x in zip(args, X, strict=False) if a is not None and x in used]
    return np.broadcast_shapes(*sizes) == to


# ------------------------------------------------------------------ from a trace
def close(variables: Sequence[Any], varying: int, roots: Sequence[Any], trace: Trace) -> tuple[Body, list[Any]]:
    """Return the body that computes the roots of the variables, and the tensors from outside that it uses.

    The latter become inputs, after the variables. ``varying`` counts the variables that change at each step.
    """
    writer = _Writer(variables, trace)
    outputs = [writer.root(t) for t in roots]
    inputs = [*writer.variables, *[spec_of(t) for t in writer.captured]]
    place = [len(inputs) + len(writer.literals), 0, len(writer.variables), len(inputs)]

    def number(ref: tuple[int, int]) -> int:
        return place[ref[0]] + ref[1]

    steps = tuple(Step(op, tuple(map(number, refs)), spec) for (op, refs), spec in writer.steps)
    body = Body(tuple(inputs), varying, tuple(writer.literals), steps, tuple(map(number, outputs)))
    return body, writer.captured


def spec_of(t: Any) -> Spec:
    """Return the shape and dtype of a tensor."""
    return Spec(t.shape, t.dtype)


_STEP, _VARIABLE, _CAPTURED, _LITERAL = range(4)
_Ref = tuple[int, int]  # one of the above, and its number


class _Writer:
    """Collects the operations between variables and roots. What is computed twice becomes one step."""

    def __init__(self, variables: Sequence[Any], trace: Trace) -> None:
        self.variables = [spec_of(t) for t in variables]
        self.trace = trace
        self.captured: list[Any] = []
        self.literals: list[Any] = []
        self.steps: list[tuple[tuple[Op, tuple[_Ref, ...]], Spec]] = []
        self._refs: dict[int, _Ref] = {id(t._node): (_VARIABLE, k) for k, t in enumerate(variables)}
        self._known: dict[Any, _Ref] = {}
        self._alive: list[Any] = []  # what ids were taken of

    def root(self, t: Any) -> _Ref:
        """Return the reference of a result."""
        node = input_of(t)
        self._alive.append(node)
        for n in self._inside(node):
            if any(is_node(p) and self._refs.get(id(p), (_CAPTURED,))[0] != _CAPTURED for p in n.inputs):
                self._refs[id(n)] = self._step(n)
        return self._ref(node, t)

    def _inside(self, root: AnyNode) -> list[AnyNode]:
        """The nodes made since the variables, oldest first, that have no reference yet."""
        seen: dict[int, AnyNode] = {}
        ahead = [root]
        while ahead:
            node = ahead.pop()
            if id(node) not in seen and id(node) not in self._refs and node.index > self.trace.start:
                seen[id(node)] = node
                ahead.extend(p for p in node.inputs if is_node(p))
        return sorted(seen.values(), key=lambda n: n.index)

    def _step(self, node: Any) -> _Ref:
        refs = tuple([self._ref(p) if is_node(p) else self._literal(p) for p in node.inputs])
        key = (node.op, refs)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = (_STEP, len(self.steps))
            self.steps.append((key, Spec(node.shape, dtype_of(node))))
        return found

    def _ref(self, node: AnyNode, t: Any = None) -> _Ref:
        if id(node) not in self._refs:
            outside = t if t is not None and t._value is not None else self.trace.outside(node)
            self._refs[id(node)] = (_CAPTURED, len(self.captured))
            self.captured.append(outside)
        return self._refs[id(node)]

    def _literal(self, value: Any) -> _Ref:
        key = (type(value), repr(value))
        if key not in self._known:
            self._known[key] = (_LITERAL, len(self.literals))
            self.literals.append(value)
        return self._known[key]


def concrete(t: Any) -> bool:
    """Whether the sizes of a tensor are numbers."""
    return all(isinstance(n, int) for n in shape(t))
