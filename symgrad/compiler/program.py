"""A traced function as a list of steps on arrays: shared, folded, and without what no result needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.core.node import GRAD, AnyNode, Leaf, Shape, ancestors, is_node
from symgrad.core.promotion import Kind, is_floating, is_integer, kind_of, kind_of_number
from symgrad.errors import GraphError
from symgrad.ops.convert import DETACH, Cast
from symgrad.ops.map import IDENTITY, Map
from symgrad.ops.protocol import Op

INPUT, CONST, STEP = "input", "const", "step"
_EXACT = 2**53  # the integers up to here are floats as well


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
    def of_kind(self) -> Kind:
        """What operations are told of it when they are asked for their dtype."""
        return kind_of_number(self.op) if self.weak else kind_of(self.shape, self.dtype)


class Program:
    """Values in order of computation, and which of them are the results."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.outputs: list[int] = []
        self.inputs: list[int] = []
        self.donated: frozenset[int] = frozenset()  # positions of arguments whose memory results may take over
        self.digits: int | None = None  # of results that are no floats, where a backend computes them
        self.cached = False  # whether machine code is kept on disk
        self._known: dict[Any, int] = {}
        self._kinds: list[Kind] = []  # of the values
        self._numbers: set[int] = set()  # the places of float64 numbers that are no constants
        self._typed: dict[Any, Any] = {}  # what a map of such kinds computes with, and gives
        self._of_numbers: dict[Op, np.dtype[Any]] = {}  # what a map of such numbers gives
        self._live: tuple[Any, list[int]] | None = None

    # -------------------------------------------------------------- building
    def input(self, shape: Shape, dtype: Any) -> int:
        """Append the next argument."""
        found = self._append(Value(INPUT, len(self.inputs), (), shape, np.dtype(dtype)))
        self.inputs.append(found)
        return found

    def const(self, value: Any) -> int:
        """Return the place of a constant; Python numbers are weak."""
        weak = not isinstance(value, (np.ndarray, np.generic))
        array = np.asarray(value)
        key = (CONST, weak, array.dtype, array.shape, array.tobytes()) if array.size <= 64 else (CONST, id(value))
        found = self._known.get(key)
        if found is None:
            found = self._append(Value(CONST, value, (), array.shape, array.dtype, weak))
            self._known[key] = found
        return found

    def step(self, op: Op, args: tuple[int, ...], shape: Shape) -> int:
        """Return the place of an operation's result, computed before or folded where that is possible.

        The operation says here, once, which dtype its result has, and which its inputs are computed with: they are
        converted by steps of their own, so that whoever reads the program finds dtypes that fit.
        """
        if op is IDENTITY or op is DETACH:
            return args[0]
        key = (op, args)
        found = self._known.get(key)
        if found is None:
            plain = type(op) is Map and self._numbers.issuperset(args)  # as most: nothing to convert or fold
            found = self._known[key] = self._of_floats(op, args) if plain else self._added(op, args, shape)
        return found

    def _of_floats(self, op: Op, args: tuple[int, ...]) -> int:
        dtype = self._of_numbers.get(op)
        if dtype is None:
            dtype = self._of_numbers[op] = np.dtype(op.dtype(*(float,) * len(args)))
        place, kind = len(self.values), kind_of((), dtype)
        self.values.append(Value(STEP, op, args, (), dtype))
        self._kinds.append(kind)
        if kind is float:
            self._numbers.add(place)
        return place

    def _added(self, op: Op, args: tuple[int, ...], shape: Shape) -> int:
        values = self.values
        operands, dtype = self._types(op, tuple([self._kinds[a] for a in args]))
        for a, d in zip(args, operands, strict=True):
            if values[a].dtype is not d or values[a].weak:
                args = tuple([self._as(a, d) for a, d in zip(args, operands, strict=True)])
                break
        return self._new(op, args, shape, dtype)

    def _types(self, op: Op, kinds: tuple[Kind, ...]) -> tuple[Sequence[np.dtype[Any] | None], np.dtype[Any]]:
        """Return the dtypes that an operation computes with, and that of its result; maps are asked once."""
        if type(op) is not Map:
            return op.operands(*kinds), np.dtype(op.dtype(*kinds))
        found = self._typed.get((op, kinds))
        if found is None:
            found = self._typed[op, kinds] = op.operands(*kinds), np.dtype(op.dtype(*kinds))
        return found

    def _as(self, place: int, dtype: np.dtype[Any] | None) -> int:
        """Return the place of a value in the dtype that it is computed with; Python numbers take it by themselves."""
        v = self.values[place]
        if dtype is None or v.weak:
            return self._large(place, v.op, dtype)
        return place if v.dtype == dtype else self.step(Cast(dtype), (place,), v.shape)

    def _large(self, place: int, value: Any, dtype: np.dtype[Any] | None) -> int:
        """Return the place of an integer that no float is equal to, as backends hold Python numbers, in its dtype."""
        if dtype is None or not is_integer(dtype) or type(value) is not int or abs(value) <= _EXACT:
            return place
        try:
            return self.const(np.asarray(value, dtype))
        except OverflowError:  # which a comparison does not mind
            return place

    def _new(self, op: Op, args: tuple[int, ...], shape: Shape, dtype: np.dtype[Any]) -> int:
        values = self.values
        for a in args:
            if values[a].kind != CONST:
                return self._append(Value(STEP, op, args, shape, dtype))
        return self._fold(op, [values[a] for a in args], dtype)

    def _fold(self, op: Op, values: Sequence[Value], dtype: Any) -> int:
        with np.errstate(all="ignore"):
            found = op(*[v.op for v in values])
        found = found if type(found) is float else np.asarray(found, dtype)
        return self.const(found + 0.0 if is_floating(np.dtype(dtype)) else found)  # -0.0 would not count as a zero

    def _append(self, value: Value) -> int:
        place, kind = len(self.values), value.of_kind if value.weak else kind_of(value.shape, value.dtype)
        self.values.append(value)
        self._kinds.append(kind)
        if kind is float and value.kind != CONST:
            self._numbers.add(place)
        return place

    def replace(self, place: int, value: Value) -> None:
        """Put another value, of the same shape and dtype, in a place."""
        self.values[place], self._live = value, None

    # -------------------------------------------------------------- reading
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

    def __str__(self) -> str:
        lines = []
        for k in self.live():
            v = self.values[k]
            args = ", ".join(f"%{a}" for a in v.args)
            what = {INPUT: f"input {v.op}", CONST: f"const {_short(v.op)}"}.get(v.kind, f"{v.op}({args})")
            lines.append(f"%{k}: {v.dtype}{list(v.shape)} = {what}")
        return "\n".join([*lines, "return " + ", ".join(f"%{k}" for k in self.outputs)])


def _short(value: Any) -> str:
    return repr(value) if np.size(value) <= 4 else f"array of {np.size(value)}"


def from_nodes(
    leaves: Sequence[Leaf], roots: Sequence[Any], into: Program | None = None, nodes: Sequence[AnyNode] | None = None
) -> Program:
    """Return the program from the leaves, its arguments, to the roots: nodes, or values for constants.

    ``nodes`` are all that the roots depend on, oldest first, where they are known.
    """
    program = Program() if into is None else into
    place = {id(leaf): program.input(leaf.shape, leaf.dtype) for leaf in leaves}  # numbers have none
    if nodes is None:
        nodes = ancestors([r for r in roots if is_node(r)], set(place))
    for node in nodes:
        key = id(node)
        if key in place:
            continue
        if isinstance(node, Leaf):
            place[key] = program.const(_captured(node))
            continue
        try:
            args = tuple([place[id(p)] for p in node.inputs])
        except KeyError:  # a number
            args = tuple([place[id(p)] if id(p) in place else program.const(p) for p in node.inputs])
        place[key] = program.step(node.rule.op, args, node.shape)
    program.outputs = [place[id(r)] if is_node(r) else program.const(r) for r in roots]
    return program


def _captured(leaf: Leaf) -> Any:
    """Return the value of a tensor from outside the function."""
    if leaf.level == GRAD and getattr(leaf.cell, "live", True):  # a transform's variable is a constant once it is over
        raise GraphError(
            "compile: the function uses a tensor that requires grad and is not among its arguments, so that its value "
            "would be frozen. Pass it as an argument, or detach() it."
        )
    if leaf.value is None:
        raise GraphError(
            f"compile: the function uses the symbol {leaf.title!r}, which has no value. Pass it as an argument."
        )
    return leaf.value
