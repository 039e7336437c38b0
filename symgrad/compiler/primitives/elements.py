"""A program in primitive steps, on numbers or on whole arrays: elementwise primitives, reductions, other operations.

Payloads come apart into additions, products, exponentials …, which are shared across the whole program; what is no
elementwise operation and no reduction stays a step that runs its forward.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.compiler.primitives.folding import FOLDING, FOLDS, RULES
from symgrad.compiler.primitives.infix import FUNCTIONS
from symgrad.compiler.primitives.map_steps import steps_of_map
from symgrad.compiler.primitives.payload import Steps, names_of, of_order, replay, steps_of
from symgrad.core.node import Shape
from symgrad.core.promotion import BOOL, FLOAT64, HALF, is_bool, is_complex, is_floating, is_integer
from symgrad.engine.program import CONST, INPUT, Program, Value
from symgrad.ops.contract import Einsum, OnDiagonal
from symgrad.ops.convert import Cast
from symgrad.ops.map import Map, broadcast_shapes
from symgrad.ops.protocol import Op
from symgrad.ops.reductions.extremes import Extreme
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.shape import Expand, Reshape
from symgrad.ops.shape import total as entries
from symgrad.scalars import SCALARS

ELEMENT, REDUCE, OP, LOAD = "element", "reduce", "op", "load"
TRUTH = frozenset({"lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not"})  # whose results are booleans
_INTEGER = TRUTH | {"add", "sub", "mul", "neg", "select"}  # what machine code has for integers
_EXACT = 2**53  # the integers up to here are floats as well
INT64 = np.dtype(np.int64)
_COMMUTES = {"add", "mul", "eq", "ne", "and", "or"}
LOADED = frozenset({"in", "const", "array", "size", "number"})  # what is there from the start
_LEAVING = frozenset({"add", "sub", "mul", "neg", "pow", "abs", "floor_divide", "remainder", "fmod"})  # their range


def is_published(name: str) -> bool:
    """Whether a step is a function that a language may lack: one that users are given, or one of complex numbers."""
    return name in SCALARS and (SCALARS[name].public not in ("", "ops") or SCALARS[name].parts is not None)


def in_words(name: str) -> Steps:
    """Return the steps of what a declared function means, for a language that has no such function."""
    return steps_of(SCALARS[name].meaning, SCALARS[name].nargs)


class Reduce(NamedTuple):
    """Add, or take the largest or smallest, along axes."""

    kind: str  # "sum", "max" or "min"
    axes: tuple[int, ...]


class Elements:
    """Operations ``(name, *references)`` in order of computation; what is loaded has a number or a name instead.

    Of numbers that is all; of a program of arrays ``shapes`` and ``dtypes`` go beside ``ops``.
    """

    def __init__(
        self,
        program: Program | None = None,
        expand: Callable[[Elements, Value], int | None] = lambda e, v: None,
        known: frozenset[str] | None = None,
        has: Callable[[str], bool] | None = None,
        whole: bool = False,
    ) -> None:
        """Take a program of arrays apart; without one there are numbers alone, to be emitted.

        Args:
            expand: how to write an operation in others, or None to leave it.
            known: the primitives there are; an elementwise operation with others runs its forward.
            has: in source, which scalar functions a language has; of another its meaning is written, and what numbers
                alone decide is folded.
            whole: whether integers and booleans are numbers like others, which wrap around as their dtypes do.
        """
        self.ops: list[tuple[Any, ...]] = []
        self.shapes: list[Shape] = []
        self.dtypes: list[np.dtype[Any]] = []
        self.arrays: dict[int, Any] = {}  # constants with entries
        self.places: dict[int, int] = {}
        self._known: dict[tuple[Any, ...], int] = {}
        self._dtype = FLOAT64
        self.expand, self.known_names, self.has, self.whole = expand, known, has, whole
        self._of_numbers = program is None
        self.const(0.0)
        self.const(1.0)
        if program is not None:
            self._take_apart(program)

    def _take_apart(self, program: Program) -> None:
        self._program = program
        for k in program.live():
            self.places[k] = self._value(program.values[k])
        self.inputs = [self.places.get(k, -1) for k in program.inputs]
        results = [(self.places[k], program.values[k]) for k in program.outputs]
        self.outputs = [self.cast(self.in_full(r, v.shape), v.dtype) for r, v in results]

    # -------------------------------------------------------------- values of the program
    def _value(self, v: Value) -> int:
        if v.kind == INPUT:
            return self.place(("in", v.op), v.shape, v.dtype)
        if v.kind == CONST:
            return self._constant(v)
        return self.lowered(v, [self.places[a] for a in v.args])

    def size(self, n: Any) -> int:
        """Return the reference of a size as a number, which is a step of its own where the size has a name."""
        if not isinstance(n, sp.Expr) or n.is_Integer:
            return self.const(int(n))
        return self.place(("size", n), (), FLOAT64)

    def _constant(self, v: Value) -> int:
        if isinstance(v.op, sp.Expr):
            return self.size(v.op)
        if self.has is not None and v.shape == () and is_complex(v.dtype):
            return self.place(("number", complex(v.op)), (), v.dtype)
        if v.weak or (v.shape == () and v.dtype == FLOAT64):
            return self.const(float(v.op))
        array = np.asarray(v.op)
        same = array.size > 0 and array.dtype == FLOAT64 and bool(np.all(array == array.flat[0]))
        if same:
            return self.const(float(array.flat[0]))
        ref = self.place(("array", id(v.op)), v.shape, v.dtype)
        self.arrays[ref] = array
        return ref

    def lowered(self, v: Value, args: Sequence[int]) -> int:
        """Return the reference of an operation's result."""
        op = v.op
        if isinstance(op, Map):
            return self._map(op, args, v)
        if isinstance(op, MapTotal):
            return self._total(op, args, v)
        if isinstance(op, Cast) and is_floating(v.dtype) and v.dtype != HALF:
            return self.cast(args[0], v.dtype)
        if isinstance(op, Cast) and v.dtype == INT64 and self.known_names and self.dtypes[args[0]] == FLOAT64:
            return self.place(("cast_int64", self._full(v, args)[0]), v.shape, INT64)
        args = self._full(v, args)
        if isinstance(op, Extreme) and is_floating(v.dtype):
            return self.reduce("max" if op.largest else "min", args[0], op.axes, v)
        if isinstance(op, Einsum) and is_floating(v.dtype):
            ref = self._contraction(op, args, v)
            if ref is not None:
                return ref
        expanded = self.expand(self, v)
        return expanded if expanded is not None else self.step(op, args, v)

    def step(self, op: Op, args: Sequence[int], v: Value) -> int:
        """Return the reference of an operation that runs its forward."""
        if isinstance(op, Map) and is_floating(v.dtype):  # NumPy's functions of booleans are in half precision
            args = [self.cast(r, v.dtype) if self.dtypes[r] == BOOL else r for r in args]
        return self.place((op, *self._full(v, args)), v.shape, v.dtype)

    def _full(self, v: Value, args: Sequence[int]) -> list[int]:
        """Return arguments in the shapes that the program gives them; folding may have left numbers."""
        sizes = [self._program.values[a].shape for a in v.args]
        return [self.in_full(r, s) for r, s in zip(args, sizes, strict=True)]

    def argument(self, place: int) -> Value:
        """Return an argument of the operation at hand."""
        return self._program.values[place]

    def inline(self, program: Program, refs: Sequence[int]) -> int:
        """Return the result of another program, given its arguments."""
        before = self._program, self.places
        self._program, self.places = program, dict(zip(program.inputs, refs, strict=True))
        for k in program.live():
            if k not in self.places:
                self.places[k] = self._value(program.values[k])
        ref = self.places[program.outputs[0]]
        self._program, self.places = before
        return ref

    # -------------------------------------------------------------- elementwise
    def _map(self, op: Map, args: Sequence[int], v: Value) -> int:
        if not self._floating(args, v):
            return self.step(op, args, v)
        if v.dtype != BOOL:
            return self.elementwise(op, args, v.dtype)
        ref = self.elementwise(op, args, self._widest(args))
        truth = self.dtypes[ref] == BOOL or self.value(ref) is not None
        return ref if truth else self.emit("ne", ref, self.const(0))

    def elementwise(self, op: Map, args: Sequence[int], dtype: Any) -> int:
        """Replay the payload in the given precision."""
        before, self._dtype = self._dtype, dtype
        try:
            ready = [r if self.dtypes[r] == BOOL else self.cast(r, dtype) for r in args]
            return int(replay(steps_of_map(op), ready, self.emit, self.const))
        finally:
            self._dtype = before

    def _floating(self, args: Sequence[int], v: Value) -> bool:
        if self.whole:
            return True
        names = names_of(steps_of_map(v.op if isinstance(v.op, Map) else v.op.map))
        if self.known_names is not None and not names <= self.known_names:
            return False
        if self._of_integers(args, v):
            return names <= _INTEGER
        fits = all(is_floating(d) or is_bool(d) for d in (v.dtype, *[self.dtypes[r] for r in args]))
        return fits and self._widest(args).itemsize >= 4 and v.dtype.name != "float16"

    def _of_integers(self, args: Sequence[int], v: Value) -> bool:
        """Return whether the function needs 64-bit integers, and whole numbers beside them, in machine code."""
        if self.known_names is None or not isinstance(v.op, Map):
            return False
        numbers = [self.value(r) for r in args]
        others = [self.dtypes[r] for r, n in zip(args, numbers, strict=True) if n is None]
        return (
            INT64 in others
            and {v.dtype, *others} <= {INT64, BOOL}
            and all(n is None or (n.is_integer() and abs(n) <= _EXACT) for n in numbers)
        )

    def _widest(self, args: Sequence[int]) -> np.dtype[Any]:
        if any(self.dtypes[r] == INT64 for r in args):
            return INT64
        strong = [self.dtypes[r] for r in args if is_floating(self.dtypes[r]) and not self.is_weak(r)]
        return np.result_type(*strong) if strong else FLOAT64

    def is_weak(self, ref: int) -> bool:
        """Whether a value is a number, which takes the dtype of what it meets."""
        return self.shapes[ref] == () and self.dtypes[ref] == FLOAT64

    def cast(self, ref: int, dtype: Any, again: bool = False) -> int:
        """Return a value in another dtype; numbers fit any. ``again`` where it has the dtype, and may have left it."""
        if self.value(ref) is not None or (self.dtypes[ref] == dtype and not again):
            return ref
        return self.place((f"cast_{np.dtype(dtype).name}", ref), self.shapes[ref], np.dtype(dtype))

    # -------------------------------------------------------------- reductions
    def _total(self, op: MapTotal, args: Sequence[int], v: Value) -> int:
        sizes = broadcast_shapes(*[self._program.values[a].shape for a in v.args])
        if not self._floating(args, v) or 0 in sizes:
            return self.step(op, args, v)
        terms = self.in_full(self.terms(op, args, v), sizes)
        added = self.reduce("sum", terms, tuple(range(len(sizes))), v)
        before, self._dtype = self._dtype, v.dtype
        ref = self.emit("div", added, self.size(entries(sizes))) if op.mean else added
        self._dtype = before
        return ref

    def terms(self, op: MapTotal, args: Sequence[int], v: Value) -> int:
        """Return what is added up, computed as the elementwise operation computes it."""
        kinds = [self._program.values[a].of_kind for a in v.args]
        return self.cast(self.elementwise(op.map, args, op.map.dtype(*kinds)), v.dtype)

    def reduce(self, kind: str, ref: int, axes: tuple[int, ...], v: Value) -> int:
        """Return a reduction without the axes, brought to the shape of v."""
        s = self.shapes[ref]
        ref = self.cast(ref, v.dtype) if self.dtypes[ref] == BOOL else ref
        if not axes:
            return ref
        rest = tuple(n for a, n in enumerate(s) if a not in axes)
        op = Einsum.of(_summed(len(s), axes)) if 0 in s else Reduce(kind, axes)
        reduction = self.place((op, ref), rest, v.dtype)
        return reduction if rest == v.shape else self.place((Reshape(v.shape), reduction), v.shape, v.dtype)

    def _contraction(self, op: Einsum, args: Sequence[int], v: Value) -> int | None:
        """Sums of one operand, and products without a sum; matrix products stay operations."""
        if any(len(set(t)) != len(t) for t in op.terms):
            return None
        if len(op.terms) == 1:
            return self._unary(op, args[0], v)
        if set(op.output) != set("".join(op.terms)):
            return None
        before, self._dtype = self._dtype, v.dtype
        product = None
        for ref, term in zip(args, op.terms, strict=True):
            number = self.ops[ref][1] if isinstance(self.ops[ref][0], Expand) else ref
            number = ref if self.value(number) is None else number
            wide = self._aligned(self.cast(number, v.dtype), term, op.output)
            product = wide if product is None else self._times(product, wide, isinstance(op, OnDiagonal))
        self._dtype = before
        return product

    def _times(self, a: int, b: int, identity: bool) -> int:
        """The product; with an identity a choice, so that ∞ beside the diagonal is 0 as in eager mode."""
        if not identity:
            return self.emit("mul", a, b)
        return self.emit("select", self.emit("ne", b, self.const(0)), a, self.const(0))

    def _unary(self, op: Einsum, ref: int, v: Value) -> int:
        term, output = op.terms[0], op.output
        gone = tuple(k for k, c in enumerate(term) if c not in output)
        left = "".join(c for c in term if c in output)
        s = self.shapes[ref]
        if s == ():
            return ref
        rest = v._replace(shape=tuple(n for n, c in zip(s, term, strict=True) if c in output))
        total = self.reduce("sum", ref, gone, rest) if gone else ref
        if left == output:
            return total
        return self.place((Einsum.of(f"{left}->{output}"), total), v.shape, v.dtype)

    def _aligned(self, ref: int, term: str, output: str) -> int:
        if self.value(ref) is not None:
            return ref
        s = dict(zip(term, self.shapes[ref], strict=True))
        ordered = "".join(sorted(term, key=output.index))
        if ordered != term:
            shape = tuple(s[c] for c in ordered)
            ref = self.place((Einsum.of(f"{term}->{ordered}"), ref), shape, self.dtypes[ref])
        if ordered == output[len(output) - len(ordered) :]:
            return ref
        shape = tuple(s.get(c, 1) for c in output)
        return self.place((Reshape(shape), ref), shape, self.dtypes[ref])

    # -------------------------------------------------------------- the list
    def in_full(self, ref: int, shape: Shape) -> int:
        """Return a value with this shape, repeated where folding left a smaller one."""
        if self.shapes[ref] == shape:
            return ref
        return self.place((Expand(shape), ref), shape, self.dtypes[ref])

    def place(self, key: tuple[Any, ...], shape: Shape, dtype: Any) -> int:
        """Return the reference of a step with this shape and dtype."""
        if isinstance(key[0], Reshape) and self.shapes[key[1]] == shape:
            return int(key[1])
        ref = self._known.get(key)
        if ref is None:
            ref = self._known[key] = len(self.ops)
            self.ops.append(key)
            self.shapes.append(shape)
            self.dtypes.append(np.dtype(dtype))
        return ref

    def const(self, value: float) -> int:
        """Return the reference of a number."""
        value = float(value)
        return self._new(("const", value, math.copysign(1.0, value)) if value == 0 else ("const", value))

    def slot(self, position: int) -> int:
        """Return the reference of an entry of the arguments of numbers."""
        return self._new(("in", position))

    def value(self, ref: int) -> float | None:
        """Return the number at a reference, None where it is computed."""
        op = self.ops[ref]
        return float(op[1]) if op[0] == "const" else None

    def _new(self, key: tuple[Any, ...]) -> int:
        if self._of_numbers:
            ref = self._known.get(key)
            if ref is None:
                ref = self._known[key] = len(self.ops)
                self.ops.append(key)
            return ref
        if key[0] == "const":
            return self.place(key, (), FLOAT64)
        refs = key[1:]
        dtype = BOOL if key[0] in TRUTH else self._dtype
        known = self._known.get((*key, dtype))
        if known is not None:
            return known
        ref = self.place((*key, dtype), broadcast_shapes(*[self.shapes[r] for r in refs]), dtype)
        self.ops[ref] = key
        return ref

    def emit(self, name: str, *refs: int) -> int:
        """Return the reference of a primitive, folded and shared where that is possible.

        Of integers it wraps around where those of the dtype do.
        """
        if self.has is None:
            return self._simplest(name, *refs) if self._of_numbers else self._emitted(name, *refs)
        if not self.whole:
            return self._in_source(self.has, name, *refs)
        if name == "mul" and self._dtype in (np.int32, np.uint32):
            return self._new((f"times_{self._dtype.name}", *refs))
        reference = self._in_source(self.has, name, *refs)
        return (
            self.cast(reference, self._dtype, again=True) if name in _LEAVING and is_integer(self._dtype) else reference
        )

    def _in_source(self, has: Callable[[str], bool], name: str, *refs: int) -> int:
        """Write a function's meaning where a language lacks it, and fold what numbers alone decide."""
        if is_published(name) and not has(name):
            meaning = in_words(name)
            if all(op[0] != name for op in meaning.ops):  # else it means itself, and the target says what it lacks
                return int(replay(meaning, refs, self.emit, self.const))
        values = [self.value(r) for r in refs] if name in TRUTH else [None]
        if None not in values:
            return self.const(float(FUNCTIONS[name](*values)))
        if name in ("and", "or"):
            for known, other in ((values[0], refs[1]), (values[-1], refs[0])):
                if known is not None:
                    return other if bool(known) is (name == "and") else self.const(float(name == "or"))
        return self._emitted(name, *refs)

    def _emitted(self, name: str, *refs: int) -> int:
        """Return the reference of a primitive; a boolean compared with zero is itself, or its opposite."""
        if self._of_numbers:
            return self._simplest(name, *refs)
        if name in ("ne", "eq") and len(refs) == 2 and self.value(refs[1]) == 0 and self.dtypes[refs[0]] == BOOL:
            return refs[0] if name == "ne" else self._simplest("not", refs[0])
        if name == "div" and self.known_names is not None and "sech2" in self.known_names:
            below = self.ops[refs[1]]
            if below[0] == "mul" and below[1] == below[2] and self.ops[below[1]][0] == "cosh":
                return self.emit("mul", refs[0], self.emit("sech2", self.ops[below[1]][1]))
        if name == "polygamma" and self.known_names is not None:
            return self._simplest(of_order(name, self.value(refs[0])), refs[1])
        if name not in TRUTH and name != "select":  # NumPy adds booleans as booleans
            refs = tuple([self.cast(r, self._dtype) if self.dtypes[r] == BOOL else r for r in refs])
        return self._simplest(name, *refs)

    def _simplest(self, name: str, *refs: int) -> int:
        ops = self.ops
        if name not in FOLDING or ops[refs[0]][0] in FOLDS or ops[refs[1]][0] in FOLDS:
            rule = RULES.get(name)
            ref = rule and rule(self, *refs)
            if ref is not None:
                return ref
        if name in _COMMUTES and refs[0] > refs[1]:
            refs = (refs[1], refs[0])
        return self._new((name, *refs))

    def kind(self, ref: int) -> str:
        """Return what a step is: loaded, an elementwise primitive, a reduction, or an operation."""
        name = self.ops[ref][0]
        if isinstance(name, Reduce):
            return REDUCE
        if not isinstance(name, str):
            return OP
        return LOAD if name in LOADED else ELEMENT

    def refs(self, ref: int) -> tuple[int, ...]:
        """Return what a step is computed from."""
        return () if self.kind(ref) == LOAD else self.ops[ref][1:]

    def reachable(self, roots: Iterable[int]) -> list[int]:
        """Return the operations that the roots need, in order."""
        return [k for k, n in enumerate(self.use_counts(roots)) if n]

    def use_counts(self, roots: Iterable[int]) -> list[int]:
        """Return how often the roots, and what they need, ask for each operation."""
        ops = self.ops
        counts = [0] * len(ops)
        for r in roots:
            counts[r] += 1
        for k in range(len(ops) - 1, -1, -1):
            if counts[k] and ops[k][0] not in LOADED:
                for r in ops[k][1:]:
                    counts[r] += 1
        return counts

    def listing(self) -> str:
        """Return the steps as text, one a line."""
        lines = [
            f"e{k}: {self.dtypes[k]}{list(self.shapes[k])} = {' '.join(map(str, self.ops[k]))}"
            for k in self.reachable(self.outputs)
        ]
        return "\n".join(lines)


def _summed(ndim: int, axes: Sequence[int]) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"[:ndim]
    return f"{letters}->{''.join(c for k, c in enumerate(letters) if k not in axes)}"
