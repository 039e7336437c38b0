"""Programs whose sizes may have names: the same graph, with sizes as values that are known when it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.compiler.effects import check_pure
from symgrad.compiler.passes.order import simplified
from symgrad.compiler.program import Builder, from_nodes
from symgrad.compiler.trace import is_result
from symgrad.core import modes, trees
from symgrad.core.node import TRACED, AnyNode, Leaf, Shape
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.generator import once
from symgrad.engine.program import CONST, STEP, Program, Spec, Value
from symgrad.engine.record import TensorBase, as_tensor, handle


class SizedBuilder(Builder):
    """Writes a program in which nothing is folded that a size without a number is part of."""

    def const(self, value: Any) -> int:
        """Return the place of a constant, or of an expression in sizes."""
        if not isinstance(value, sp.Expr) or value.is_number:
            return super().const(float(value) if isinstance(value, sp.Expr) else value)
        found = self._known.get((CONST, value))
        if found is None:
            found = self._known[CONST, value] = self._append(Value(CONST, value, (), (), np.dtype(np.float64), True))
        return found

    def _new(self, op: Any, args: tuple[int, ...], shape: Shape, dtype: Any) -> int:
        named = any(isinstance(n, sp.Expr) for n in shape)
        if named or any(isinstance(self.values[a].op, sp.Expr) for a in args):
            return self._append(Value(STEP, op, args, shape, np.dtype(dtype)))
        return super()._new(op, args, shape, dtype)


def sized_program(fn: Callable[..., Any], tree: trees.Tree, specs: Sequence[Spec]) -> tuple[Program, trees.Tree]:
    """Trace a function whose arguments have sizes with names; return the program and the structure of its results."""
    leaves = [Leaf(None, s.shape, TRACED) for s in specs]
    for leaf, spec in zip(leaves, specs, strict=True):
        leaf.dtype = spec.dtype
    args, kwargs = trees.unflatten(tree, iter([handle(leaf, None) for leaf in leaves]))
    found: list[Any] = []
    with modes.enable_grad(), once("export", fn) as journal:
        results = trees.flatten(fn(*args, **kwargs), is_result, found)
        check_pure("export", journal)
    roots = [_root(as_tensor(y)) for y in found]
    return from_nodes(leaves, roots, SizedBuilder()), results


def _root(t: TensorBase) -> Any:
    return t._node if t._value is None else t._value


def of_nodes(leaves: Sequence[Leaf], root: AnyNode) -> Program:
    """Return the program of a graph."""
    for leaf in leaves:
        leaf.dtype = dtype_of(leaf)
    found = from_nodes(leaves, [root], SizedBuilder())
    named = any(isinstance(n, sp.Expr) for v in found.values for n in v.shape)
    return found if named else simplified(found)
