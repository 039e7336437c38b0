"""Series of recorded operations: linear ones map coefficients, products convolve, all others follow from their rule.

The rule of forward mode, ẏ = J(x)ẋ, is a program in operations itself. As a series it gives y′, and with it y: the k-th
coefficient needs the rule's up to k − 1, so an operation may occur in its own rule, as the inverse does. Where the
rule of the rule would be yet another operation, as of a determinant or a loop, the operation declares its ``series``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as pairs_of
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import AnyNode, Leaf, ancestors, is_node, tensor_node
from symgrad.core.streams import Stream, add, given, slope, times
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.record import handle
from symgrad.engine.sweep import push
from symgrad.ops.contract import Einsum
from symgrad.ops.convert import DETACH
from symgrad.ops.elementwise.complexes import Angle
from symgrad.ops.map import Map
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Expand
from symgrad.transforms.taylor.payloads import PayloadSeries, stepping, unbroken
from symgrad.transforms.tracing import leaf_of


class NodeSeries:
    """The series of nodes: those of some are given, the others follow.

    Attributes:
        raw: compute with arrays; otherwise with tensors, so that the coefficients have a graph of their own.
        shared: series by operation and inputs, so that rules of rules that meet the same again have it once.
        order: the highest order that will be requested; None where what is given may follow from a root.
    """

    def __init__(
        self,
        known: dict[AnyNode, Stream],
        raw: bool,
        constant: set[AnyNode] | None = None,
        shared: dict[Any, Any] | None = None,
        order: int | None = None,
    ) -> None:
        self._known, self.raw, self.order = dict(known), raw, order
        self._constant: set[AnyNode] = set() if constant is None else constant
        self._own: list[Stream] = []
        self.shared: dict[Any, Any] = {} if shared is None else shared

    def follow(self, roots: Sequence[AnyNode]) -> list[Stream]:
        """Return the series of the roots; the nodes that they need are in order of age."""
        for node in ancestors(roots, {id(n) for n in self._known}):
            if node not in self._known:
                self._own.append(self._series(node))
                self._known[node] = self._own[-1]
        return [self._known[r] for r in roots]

    def at(self, k: int) -> None:
        """Compute the coefficients of one order, older nodes first, so that none waits for a long chain."""
        for u in self._own:
            u[k]

    def _series(self, node: Any) -> Stream:
        if isinstance(node, Leaf):
            self._constant.add(node)
            return given([node.value if self.raw else handle(node, node.value)])
        inputs = [self._known[p] if is_node(p) else given([p]) for p in node.inputs]
        active = [i for i, p in enumerate(node.inputs) if is_node(p) and p not in self._constant]
        if not active or node.op.flat:
            if not active:
                self._constant.add(node)
                return given([node.op(*[u[0] for u in inputs])])
            return given([inputs[0][0]]) if node.op is DETACH else stepping(node.op, inputs)
        key = (
            node.op,
            node.shape,
            tuple(active),
            tuple([(id(u) if is_node(p) else (type(p), p)) for p, u in zip(node.inputs, inputs, strict=True)]),
        )
        entry = self.shared.get(key)
        if entry is None:
            entry = self.shared[key] = _spread(_of(node, inputs, active, self), node), inputs  # which keep their ids
        return entry[0]


def _spread(u: Stream, node: Any) -> Stream:
    """Give every coefficient the node's shape: where those of one input only were summed, it may be smaller."""

    def follow(k: int) -> Any:
        c = u[k]
        return c if c is None or shape(c) == node.shape else Expand(node.shape)(c)

    return Stream(follow)


def _of(node: Any, inputs: Sequence[Stream], active: Sequence[int], graph: NodeSeries) -> Stream:
    op = node.op
    if isinstance(op, Map):
        if not isinstance(op.payload, sp.Expr):
            return stepping(op, inputs)
        return PayloadSeries(inputs)[op.payload]
    if isinstance(op, Einsum) and len(active) > 1:
        return _contraction(op, inputs)
    if op.linear or isinstance(op, Einsum):
        return _linear(op, inputs, active)
    found = _Followed(node, inputs, active, graph).stream
    return unbroken(found, [op], inputs) if isinstance(op, Angle) else found


def _linear(op: Any, inputs: Sequence[Stream], active: Sequence[int]) -> Stream:
    """Apply the operation to the coefficients of each order."""

    def follow(k: int) -> Any:
        xs = [u[0] for u in inputs]
        if k == 0:
            return op(*xs)
        ts = [u[k] if i in active else None for i, u in enumerate(inputs)]
        return None if all(t is None for t in ts) else op.jvp(ts, None, *xs)

    return Stream(follow)


def _contraction(op: Any, inputs: Sequence[Stream]) -> Stream:
    """Σ over all ways to share the order k out among the factors."""
    *front, last = inputs

    def follow(k: int) -> Any:
        terms = []
        for orders in pairs_of(range(k + 1), repeat=len(front)):
            left = k - sum(orders)
            xs = [] if left < 0 else [*[u[i] for u, i in zip(front, orders, strict=True)], last[left]]
            if xs and all(x is not None for x in xs):
                terms.append(op(*xs))
        return add(terms)

    return Stream(follow)


class _Followed:
    """An operation by the series that it declares, or by its rule of forward mode, y′ = J(x)·x′, traced once."""

    def __init__(self, node: Any, inputs: Sequence[Stream], active: Sequence[int], graph: NodeSeries) -> None:
        self._node, self._inputs, self._active, self._graph = node, inputs, active, graph
        self._inner: NodeSeries | None = None
        self._declared: Any = None
        self._rule = given([])
        self.stream = Stream(self._follow)

    def _follow(self, k: int) -> Any:
        if k == 0:
            return self._node.op(*[u[0] for u in self._inputs])
        if self._declared is None:
            self._declared = self._node.op.series(self.stream[0], self._inputs, self._active, self._graph.order)
        if self._declared is not NotImplemented:
            return self._declared[k]
        if self._inner is None:
            self._trace()
        if self._inner is not None:
            self._inner.at(k - 1)
        return times(1.0 / k, self._rule[k - 1])

    def _trace(self) -> None:
        known: dict[AnyNode, Stream] = {}
        tangents: dict[AnyNode, Any] = {}
        constant: set[AnyNode] = set()
        xs: list[Any] = []
        for i, (p, u) in enumerate(zip(self._node.inputs, self._inputs, strict=True)):
            if not is_node(p):
                xs.append(p)
                continue
            leaf = leaf_of(p.shape, dtype_of(p))
            xs.append(handle(leaf, None))
            known[leaf] = u
            if i not in self._active:
                constant.add(leaf)
                continue
            tangent = leaf_of(p.shape, dtype_of(p))
            tangents[leaf] = handle(tangent, None)
            known[tangent] = _filled(slope(u), p, self._graph)
        y = self._node.op(*xs)
        known[tensor_node(y)] = self.stream
        pushed = push([tensor_node(y)], tangents, handle, record=True, symbolic=True)[0]
        self._inner = NodeSeries(known, self._graph.raw, constant, self._graph.shared)
        if pushed is not None:
            self._rule = self._inner.follow([tensor_node(pushed)])[0]


def _filled(u: Stream, p: AnyNode, graph: NodeSeries) -> Stream:
    """Write the coefficient of order 0 out where it is zero, since operations are applied to it."""
    known = graph.shared.get(("filled", id(u)))
    if known is not None:
        return known[0]  # type: ignore[no-any-return]

    def follow(k: int) -> Any:
        c = u[k]
        if c is not None or k:
            return c
        zeros = np.zeros(p.shape, dtype_of(p))
        return zeros if graph.raw else handle(None, zeros)

    made = Stream(follow)
    graph.shared["filled", id(u)] = made, u
    return made
