"""A program: a traced function as a list of steps on arrays, with shapes and dtypes.

One form for what is compiled and exported, for the step of a loop, and for the function of a closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, product
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import sympy as sp

from symgrad.core.kernels import canonical
from symgrad.core.node import AnyNode, Leaf, Shape, ancestors, is_node
from symgrad.core.promotion import FLOAT64, Kind, is_differentiable, kind_of, kind_of_number
from symgrad.engine.dtypes import dtype_of
from symgrad.errors import ShapeError
from symgrad.ops.map import Map
from symgrad.ops.protocol import Op
from symgrad.ops.resize import expressions_in, resized, solved
from symgrad.support.lazy import cached_property

INPUT, CONST, STEP = "input", "const", "step"
Step: TypeAlias = "Callable[[Value, list[Any]], Any]"  # from a step, and the values of its arguments, to its own
Constant: TypeAlias = Callable[[Any], Any]


class Spec(NamedTuple):
    """The shape and dtype of an array that has no value yet."""

    shape: Shape
    dtype: np.dtype[Any]

    @property
    def is_float(self) -> bool:
        """Whether derivatives flow through it."""
        return is_differentiable(self.dtype)

    def zeros(self) -> Any:
        """Return zeros like it."""
        return canonical(np.zeros(self.shape, self.dtype))


class Value(NamedTuple):
    """One array of a program: an argument, a constant, or the result of an operation on earlier ones."""

    kind: str
    op: Any  # the operation; the argument's position; the constant
    args: tuple[int, ...]
    shape: Shape
    dtype: np.dtype[Any]
    weak: bool = False  # a number, which does not promote

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def spec(self) -> Spec:
        """Shape and dtype."""
        return Spec(self.shape, self.dtype)

    @property
    def of_kind(self) -> Kind:
        """The description that operations receive to determine their dtype."""
        return kind_of_number(self.op) if self.weak else kind_of(self.shape, self.dtype)

    def __str__(self) -> str:
        what = f"{self.op}({', '.join(f'%{a}' for a in self.args)})"
        what = {INPUT: f"input {self.op}", CONST: f"const {_short(self.op)}"}.get(self.kind, what)
        return f"{self.dtype}[{', '.join(map(str, self.shape))}] = {what}"


def _applied(v: Value, args: Sequence[Any]) -> Any:
    return v.op(*args)


def _resized(x: Any, sizes: dict[Any, int]) -> Any:
    """Return an operation, or a constant, with numbers for sizes: an int, or a float such as that of n/2."""
    new = resized(x, sizes)
    return float(new) if isinstance(new, sp.Number) and new is not x else new


def _number(constant: Any) -> Any:
    """Return a constant as operations take it: pi, and the root of a size, as a number."""
    is_open = isinstance(constant, sp.Expr) and not isinstance(constant, sp.Number)
    return float(constant) if is_open else constant


class Program:
    """Values in order of computation, and which of them are the arguments and the results; compared by content.

    Attributes:
        values: the arguments, constants and steps.
        inputs, outputs: the places of the arguments and of the results.
    """

    donated: frozenset[int] = frozenset()  # positions of arguments whose memory results may take over
    digits: int | None = None  # of results that are not floats, where a backend computes them
    cache_after: float | None = None  # seconds of compiling from which machine code goes to disk; None: never

    def __init__(self, values: Iterable[Value] = (), inputs: Iterable[int] = (), outputs: Iterable[int] = ()) -> None:
        self.values, self.inputs, self.outputs = list(values), list(inputs), list(outputs)
        self.derived: dict[Any, Any] = {}  # derivatives and batched versions, once they have been traced
        self._live: tuple[Any, list[int]] | None = None

    def __reduce__(self) -> Any:
        return _restored, (self.values, self.inputs, self.outputs)

    @cached_property
    def _key(self) -> Any:
        return tuple([_compared(v) for v in self.values]), tuple(self.inputs), tuple(self.outputs)

    @cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Program) and self._key == other._key)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the value cached under this key, which ``make`` computes on first use."""
        if key not in self.derived:
            self.derived[key] = make()
        return self.derived[key]

    def replace(self, place: int, value: Value) -> None:
        """Put another value, of the same shape and dtype, in a place."""
        self.values[place], self._live = value, None

    def returning(self, outputs: Iterable[int]) -> Program:
        """Return the program with other results."""
        return Program(self.values, self.inputs, outputs)

    # -------------------------------------------------------------- reading
    @cached_property
    def arguments(self) -> tuple[Spec, ...]:
        """Shape and dtype of each argument."""
        return tuple([self.values[k].spec for k in self.inputs])

    @cached_property
    def results(self) -> tuple[Spec, ...]:
        """Shape and dtype of each result."""
        return tuple([self.values[k].spec for k in self.outputs])

    @cached_property
    def reads(self) -> frozenset[int]:
        """The positions of the arguments that some step or result looks at."""
        used = set(self.outputs).union(*[v.args for v in self.values])
        return frozenset(position for position, k in enumerate(self.inputs) if k in used)

    @cached_property
    def sizes(self) -> set[Any]:
        """The symbols of sizes in what the results need."""
        values = [self.values[k] for k in self.live()]
        return {s for v in values for e in expressions_in((*v.shape, v.op)) for s in e.free_symbols}

    def sized(self, sizes: dict[Any, int]) -> Program:
        """Return the program with numbers for sizes: itself where it has none of them."""
        numbers = frozenset((s, n) for s, n in sizes.items() if s in self.sizes)
        if numbers and self.derived.get("sized", (None,))[0] != numbers:
            values = [v._replace(op=_resized(v.op, sizes), shape=resized(v.shape, sizes)) for v in self.values]
            self.derived["sized"] = numbers, Program(values, self.inputs, self.outputs)
        return self.derived["sized"][1] if numbers else self

    def live(self) -> list[int]:
        """Return the places that the results need, in order; looked up once for all who read the finished program."""
        key = len(self.values), tuple(self.outputs)
        if self._live is None or self._live[0] != key:
            self._live = key, self._needed()
        return self._live[1]

    def _needed(self) -> list[int]:
        values = self.values
        need = bytearray(len(values))
        for k in self.outputs:
            need[k] = 1
        for k in range(len(values) - 1, -1, -1):
            if need[k]:
                for a in values[k].args:
                    need[a] = 1
        return [k for k, n in enumerate(need) if n]

    def steps(self) -> list[int]:
        """Return the operations that the results need, in order."""
        return [k for k in self.live() if self.values[k].kind == STEP]

    def depending(self, places: Iterable[int]) -> set[int]:
        """Return these places, and those of the values that are computed from them."""
        dependent = set(places)
        for k, v in enumerate(self.values):
            if not dependent.isdisjoint(v.args):
                dependent.add(k)
        return dependent

    def lines(self) -> list[str]:
        """Return what it does as text: each value that the results need, and the results."""
        shown = sorted({*self.inputs, *self.live()})
        return [*[f"%{k}: {self.values[k]}" for k in shown], "return " + ", ".join(f"%{k}" for k in self.outputs)]

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    # -------------------------------------------------------------- running
    def __call__(self, *xs: Any) -> list[Any]:
        """Apply the operations to arrays, tensors, or symbols."""
        return self.walk(xs)

    def walk(self, xs: Sequence[Any], step: Step = _applied, const: Constant = _number) -> list[Any]:
        """Return the results, given the arguments, what a step makes of those of its own, and what a constant is."""
        env = self.env(xs, step, const)
        return [env[k] for k in self.outputs]

    def env(self, xs: Sequence[Any], step: Step = _applied, const: Constant = _number) -> dict[int, Any]:
        """Return what ``walk`` finds at each place that the results need."""
        env: dict[int, Any] = {}
        for k in self.live():
            v = self.values[k]
            if v.kind == STEP:
                env[k] = step(v, [env[a] for a in v.args])
            else:
                env[k] = xs[v.op] if v.kind == INPUT else const(v.op)
        return env

    def bind(
        self, varying: int, constants: Sequence[Any], kernels: Sequence[Any] | None = None
    ) -> Callable[..., tuple[Any, ...]]:
        """Return the program as a function of its first arguments.

        Args:
            varying: how many arguments the function takes.
            constants: the other arguments; what depends on them alone is computed here, once.
            kernels: what computes the value at each place. By default kernels for these dtypes, some of which raise
                where NumPy gives inf or nan; ``operations`` take symbols and complex numbers as well.
        """
        once, make = self.once(("bound", varying), lambda: self._compiled(varying))
        kernels = self._kernels if kernels is None else kernels
        env: list[Any] = [_number(v.op) if v.kind == CONST else None for v in self.values]
        for k, x in zip(self.inputs[varying:], constants, strict=True):
            env[k] = x
        for k in once:
            env[k] = kernels[k](*[env[a] for a in self.values[k].args])
        step: Callable[..., tuple[Any, ...]] = make(kernels, env)
        return step

    def run(
        self,
        values: Sequence[Any],
        given: dict[Any, int] | None = None,
        watch: Callable[[Any], None] | None = None,
    ) -> Any:
        """Return the first result for these values of the last arguments; those before stand for unit vectors, each.

        ``given`` are sizes by symbol; the others are read off the values. Nothing reads a value that is None. ``watch``
        sees the result of each step.
        """
        bases = self.inputs[: len(self.inputs) - len(values)]
        leaves = [(self.values[k], x) for k, x in zip(self.inputs[len(bases) :], values, strict=True) if x is not None]
        sizes = solved([v.shape for v, _ in leaves], [np.shape(x) for _, x in leaves], given or {})
        untold = sorted(str(s) for s in self.sizes - set(sizes))
        if untold:
            raise ShapeError(
                f"the sizes {untold} are unknown: no argument has them. Pass them by name, as in {untold[0]}=3."
            )
        program = self.sized(sizes)
        with np.errstate(all="ignore"):
            row = program.bind(len(bases), values, [_watched(op, watch) for op in program.operations])
            if not bases:
                return row()[0]
            shapes, (into,) = [s.shape for s in program.arguments[: len(bases)]], [s.shape for s in program.results]
            rows = [np.broadcast_to(row(*units)[0], into) for units in product(*map(_units, shapes))]
        whole = (*chain(*shapes), *into)
        return np.stack(rows).reshape(whole) if rows else np.zeros(whole)

    @property
    def operations(self) -> list[Any]:
        """The operation at each place."""
        return [v.op for v in self.values]

    @cached_property
    def _kernels(self) -> list[Any]:
        known = [None if v.weak else v.spec for v in self.values]
        return [_kernel(v.op, [known[a] for a in v.args], v.spec) if v.kind == STEP else None for v in self.values]

    def _compiled(self, varying: int) -> tuple[list[int], Callable[..., Any]]:
        """Return the steps that do not vary, and a function (kernels, values) to the step."""
        varies = self.depending(self.inputs[:varying])
        steps = [k for k, v in enumerate(self.values) if v.kind == STEP]
        moving = [k for k in steps if k in varies]
        still = set(self.outputs).union(*[self.values[k].args for k in moving]) - varies
        names: dict[str, Any] = {}
        exec(self._source(varying, moving), names)

        def make(kernels: Sequence[Any], values: Sequence[Any]) -> FunctionType:
            # global names compile in half the time that those of an enclosing function take
            return FunctionType(
                names["step"].__code__, {f"f{k}": kernels[k] for k in moving} | {f"v{a}": values[a] for a in still}
            )

        return [k for k in steps if k not in varies], make

    def _source(self, varying: int, moving: Sequence[int]) -> str:
        """Write the step as Python; assembled from numbers and the fixed words here only.

        A local name is used again once its value is not needed any more, so that its memory is.
        """
        last = {a: k for k in moving for a in self.values[k].args} | dict.fromkeys(self.outputs)
        names, free, count = {k: f"v{k}" for k in self.inputs[:varying]}, list[str](), 0
        lines = [f"def step({''.join(f'v{k}, ' for k in self.inputs[:varying])}):"]
        for k in moving:
            args = self.values[k].args
            text = "".join([names.get(a, f"v{a}") + ", " for a in args])
            free += [names[a] for a in set(args) if last[a] == k and a in names]
            if not free:
                count += 1
                free.append(f"w{count}")
            names[k] = free.pop()
            lines.append(f" {names[k]} = f{k}({text})")
        return "\n".join([*lines, f" return ({''.join([names.get(k, f'v{k}') + ', ' for k in self.outputs])})"])


def _watched(op: Any, watch: Callable[[Any], None] | None) -> Any:
    """Return an operation that reports its results."""
    if watch is None:
        return op

    def call(*xs: Any) -> Any:
        y = op(*xs)
        watch(y)
        return y

    return call


def _units(shape: tuple[int, ...]) -> list[Any]:
    """Return the arrays of this shape with one 1."""
    count = int(np.prod(shape, dtype=int))
    return list(np.eye(count).reshape(count, *shape)) if shape else [1.0]


def _restored(values: Sequence[Value], inputs: Sequence[int], outputs: Sequence[int]) -> Program:
    """Return a program out of a pickle; kernels know a dtype by its identity."""
    return Program([v._replace(dtype=np.dtype(v.dtype.str)) for v in values], inputs, outputs)


def _short(value: Any) -> str:
    return repr(value) if np.size(value) <= 4 else f"array of {np.size(value)}"


def _joined(places: Iterable[int]) -> str:
    return "".join(f"v{k}, " for k in places)


def _compared(v: Value) -> Any:
    """Return a value as it is compared: 1 and 1.0 are not the same, nor are 0.0 and -0.0."""
    if v.kind != CONST:
        return v
    if isinstance(v.op, np.ndarray):
        return v._replace(op=tuple(map(repr, v.op.flat)) if v.op.dtype == object else v.op.tobytes())
    return v._replace(op=f"{type(v.op).__name__} {v.op!r}")


_NUMBERS = {Spec((), np.dtype(np.float64)), Spec((), np.dtype(np.bool_))}


def _kernel(op: Op, args: Sequence[Spec | None], result: Spec) -> Callable[..., Any]:
    """Return the fastest function of arrays that computes the operation."""
    if not result.shape:
        if isinstance(op, Map) and result in _NUMBERS and all(a is None or a in _NUMBERS for a in args):
            return op.on_float
        return lambda *xs: canonical(op.forward(*xs))
    if not isinstance(op, Map):
        return op.forward
    return op.on_array if _fills(op, args, result.shape) else lambda *xs: np.broadcast_to(op.forward(*xs), result.shape)


def _fills(op: Map, args: Sequence[Spec | None], to: Shape) -> bool:
    """Whether the arguments that the payload mentions have the result's shape between them."""
    sizes = [a.shape for k in op.mentioned if (a := args[k]) is not None]
    return np.broadcast_shapes(*sizes) == to


# ------------------------------------------------------------------ from graphs
class Recorder:
    """Writes a graph as it is: each operation with the dtype of its node, none folded, equal ones once."""

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        self.program = Program()
        self.places: dict[int, int] = {}
        self._known: dict[Any, int] = {}
        for leaf in leaves:
            self.argument(leaf)

    def argument(self, node: AnyNode, spec: Spec | None = None) -> int:
        """Append an argument of the program, and return its place."""
        shape, dtype = spec or (node.shape, dtype_of(node))
        place = self.places[id(node)] = self._append(Value(INPUT, len(self.program.inputs), (), shape, dtype))
        self.program.inputs.append(place)
        return place

    def _append(self, value: Value) -> int:
        self.program.values.append(value)
        return len(self.program.values) - 1

    def node(self, node: Any) -> int:
        """Return the position of a node whose inputs all have positions; any other value is a constant."""
        if not is_node(node):
            return self._constant(node)
        place = self.places.get(id(node))
        if place is None:
            place = self.places[id(node)] = self.outside(node)
        return place

    def step(self, node: Any) -> int:
        """Return the place of an operation's result."""
        key = node.op, tuple([self.node(p) for p in node.inputs])
        if key not in self._known:
            self._known[key] = self._append(Value(STEP, *key, node.shape, dtype_of(node)))
        return self._known[key]

    def outside(self, node: AnyNode) -> int:
        """Return the position of a value from outside, which is not an argument and has no position yet."""
        if not isinstance(node, Leaf):
            return self.step(node)
        return self._append(Value(CONST, node.value, (), node.shape, dtype_of(node)))

    def _constant(self, value: Any) -> int:
        key = type(value), repr(value)
        if key not in self._known:
            dtype = FLOAT64 if isinstance(value, sp.Expr) else np.asarray(value).dtype
            self._known[key] = self._append(Value(CONST, value, (), np.shape(value), dtype, True))
        return self._known[key]


def recorded(leaves: Sequence[Leaf], roots: Sequence[Any]) -> Program:
    """Return the program of a graph as it is, from the leaves to the roots; other leaves are constants."""
    recorder = Recorder(leaves)
    for node in ancestors([r for r in roots if is_node(r)], set(recorder.places)):
        recorder.node(node)
    recorder.program.outputs = [recorder.node(r) for r in roots]
    return recorder.program
