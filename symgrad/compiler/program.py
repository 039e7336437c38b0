"""How a graph becomes a program that is compiled: its steps are shared, folded, and told their dtypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symgrad.core.node import GRAD, AnyNode, Leaf, Shape, ancestors, is_node
from symgrad.core.promotion import Kind, is_floating, is_integer, is_real, kind_of
from symgrad.engine.program import CONST, INPUT, STEP, Program, Value
from symgrad.errors import GraphError
from symgrad.ops.convert import DETACH, Cast
from symgrad.ops.map import IDENTITY, Map
from symgrad.ops.protocol import Op

_EXACT = 2**53  # the integers up to here are floats as well
_SMALL = 64  # entries up to which constants are compared


class Builder:
    """Writes a program: operations are shared, folded where that is possible, and get operands of fitting dtypes."""

    def __init__(self) -> None:
        self.program = Program()
        self.values = self.program.values
        self._known: dict[Any, int] = {}
        self._kinds: list[Kind] = []  # of the values
        self._numbers: set[int] = set()  # the places of float64 numbers that are not constants
        self._typed: dict[Any, Any] = {}  # what a map of such kinds computes with, and gives
        self._of_numbers: dict[Op, np.dtype[Any]] = {}  # what a map of such numbers gives

    def input(self, shape: Shape, dtype: Any) -> int:
        """Append the next argument."""
        place = self._append(Value(INPUT, len(self.program.inputs), (), shape, np.dtype(dtype)))
        self.program.inputs.append(place)
        return place

    def const(self, value: Any) -> int:
        """Return the place of a constant; Python numbers are weak."""
        weak = not isinstance(value, (np.ndarray, np.generic))
        array = np.asarray(value)
        number = _repeated(array) if array.size > _SMALL else None
        if number is not None:
            value = np.broadcast_to(number, array.shape)
        content = array.tobytes() if array.size <= _SMALL else (number.tobytes() if number is not None else id(value))
        key = (CONST, weak, array.dtype, array.shape, content)
        reference = self._known.get(key)
        if reference is None:
            reference = self._append(Value(CONST, value, (), array.shape, array.dtype, weak))
            self._known[key] = reference
        return reference

    def step(self, op: Op, args: tuple[int, ...], shape: Shape) -> int:
        """Return the place of an operation's result, computed before or folded where that is possible.

        The operation says here, once, which dtype its result has, and which its inputs are computed with: they are
        converted by steps of their own, so that whoever reads the program finds dtypes that fit.
        """
        if op is IDENTITY or op is DETACH:
            return args[0]
        key = (op, args)
        reference = self._known.get(key)
        if reference is None:
            plain = type(op) is Map and self._numbers.issuperset(args)  # as most: nothing to convert or fold
            reference = self._known[key] = self._of_floats(op, args) if plain else self._added(op, args, shape)
        return reference

    def again(self, v: Value, places: Mapping[int, int] | Sequence[int]) -> int:
        """Return the place of another program's value, given the places of its arguments."""
        if v.kind == STEP:
            return self.step(v.op, tuple([places[a] for a in v.args]), v.shape)
        return self.input(v.shape, v.dtype) if v.kind == INPUT else self.const(v.op)

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
        types = self._typed.get((op, kinds))
        if types is None:
            types = self._typed[op, kinds] = op.operands(*kinds), np.dtype(op.dtype(*kinds))
        return types

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
            folded = op(*[v.op for v in values])
        folded = folded if type(folded) is float else np.asarray(folded, dtype)
        return self.const(folded + 0.0 if is_floating(np.dtype(dtype)) else folded)  # -0.0 would not count as a zero

    def _append(self, value: Value) -> int:
        place, kind = len(self.values), value.of_kind if value.weak else kind_of(value.shape, value.dtype)
        self.values.append(value)
        self._kinds.append(kind)
        if kind is float and value.kind != CONST:
            self._numbers.add(place)
        return place


def _repeated(array: Any) -> Any:
    """Return an array of the one number that all entries are, to the last bit; None where they differ."""
    first = array[(slice(1),) * array.ndim]
    if not is_real(array.dtype) or not (array.flat[-1] == first).all() or not (array == first).all():
        return None
    mixed = not first.any() and np.signbit(array).any()  # zeros of both signs
    return None if mixed else first.copy()


def from_nodes(
    leaves: Sequence[Leaf], roots: Sequence[Any], into: Builder | None = None, nodes: Sequence[AnyNode] | None = None
) -> Program:
    """Return the program from the leaves, its arguments, to the roots: nodes, or values for constants.

    ``nodes`` are all that the roots depend on, oldest first, where they are known.
    """
    builder = Builder() if into is None else into
    place = {id(leaf): builder.input(leaf.shape, leaf.dtype) for leaf in leaves}  # numbers have none
    if nodes is None:
        nodes = ancestors([r for r in roots if is_node(r)], set(place))
    for node in nodes:
        key = id(node)
        if key in place:
            continue
        if isinstance(node, Leaf):
            place[key] = builder.const(_captured(node))
            continue
        try:
            args = tuple([place[id(p)] for p in node.inputs])
        except KeyError:  # a number
            args = tuple([place[id(p)] if id(p) in place else builder.const(p) for p in node.inputs])
        place[key] = builder.step(node.rule.op, args, node.shape)
    builder.program.outputs = [place[id(r)] if is_node(r) else builder.const(r) for r in roots]
    return builder.program


def _captured(leaf: Leaf) -> Any:
    """Return the value of a tensor that the function captured."""
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
