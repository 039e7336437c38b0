"""Programs whose sizes may have names: the same graph, with sizes as values that are known when it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.compiler.passes.order import simplified
from symgrad.compiler.program import Builder, from_nodes
from symgrad.compiler.trace import trace_once
from symgrad.core import trees
from symgrad.core.node import AnyNode, Leaf, Shape
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.program import CONST, STEP, Program, Spec, Value


class SizedBuilder(Builder):
    """Writes a program in which nothing is folded that a size without a number is part of."""

    def const(self, value: Any) -> int:
        """Return the place of a constant, or of an expression in sizes."""
        if not isinstance(value, sp.Expr) or value.is_number:
            return super().const(float(value) if isinstance(value, sp.Expr) else value)
        reference = self._known.get((CONST, value))
        if reference is None:
            reference = self._known[CONST, value] = self._append(
                Value(CONST, value, (), (), np.dtype(np.float64), True)
            )
        return reference

    def _new(self, op: Any, args: tuple[int, ...], shape: Shape, dtype: Any) -> int:
        named = any(isinstance(n, sp.Expr) for n in shape)
        if named or any(isinstance(self.values[a].op, sp.Expr) for a in args):
            return self._append(Value(STEP, op, args, shape, np.dtype(dtype)))
        return super()._new(op, args, shape, dtype)


def sized_program(fn: Callable[..., Any], tree: trees.Tree, specs: Sequence[Spec]) -> tuple[Program, trees.Tree]:
    """Trace a function whose arguments have sizes with names; return the program and the structure of its results."""
    graph = trace_once(fn, tree, specs, "export")
    return from_nodes(graph.leaves, graph.roots, SizedBuilder(), graph.nodes), graph.results


def of_nodes(leaves: Sequence[Leaf], root: AnyNode) -> Program:
    """Return the program of a graph."""
    for leaf in leaves:
        leaf.dtype = dtype_of(leaf)
    program = from_nodes(leaves, [root], SizedBuilder())
    named = any(isinstance(n, sp.Expr) for v in program.values for n in v.shape)
    return program if named else simplified(program)
