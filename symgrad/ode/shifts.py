"""How a series moves with its time: from y(t, ε) to y(t + δ(ε), ε) along a differential equation.

With s from 0 to 1 it is w' = δ(ε)·f(w, t + s·δ(ε), θ(ε)), whose coefficient of order k is a polynomial in s of degree
k, since δ has none of order 0. Gauss' nodes integrate it exactly, order by order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.core.node import AnyNode
from symgrad.core.streams import Stream, add, each
from symgrad.core.streams import times as products
from symgrad.engine.program import Program
from symgrad.engine.record import TensorBase, as_tensor, handle, input_of
from symgrad.implicit import programs
from symgrad.ops.contract import Einsum
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Expand, Reshape
from symgrad.transforms.taylor.operations import NodeSeries
from symgrad.transforms.tracing import leaf_of


def _at_nodes(times: Stream, nodes: Any) -> Stream:
    """Return the series of the times at which the field is evaluated, one for each node and time."""

    def when(k: int) -> Any:
        if times[k] is None:
            return None
        part = Einsum.of("q,m->qm")(np.ones(len(nodes)) if k == 0 else nodes, times[k])
        return Reshape((len(nodes) * shape(times[0])[0],))(part)

    return Stream(when)


def shifted(
    field: Program, y: Stream, times: Stream, thetas: Sequence[Stream], most: int, back: bool = False
) -> Stream:
    """Return the series at the times as they move, of that at the times of order 0; or with ``back`` that of this.

    Args:
        field: (Y, t, *θ) ↦ Y', of Y (c, n).
        y: the series of states (c, m, n), one for each of m times.
        times, thetas: the series of the times, (m,), and of θ.
        most: the highest order that will be requested.
    """
    nodes, weights, inner = _rule(max(most, 1))
    by = Einsum.of("m,qmcn->qmcn")
    change = Stream(lambda k: add([products(times[i], rates[k - i], by) for i in range(1, k + 1)]))
    between = Einsum.of("pq,qmcn->pmcn")
    total, sign = (inner - weights, -1.0) if back else (inner, 1.0)

    def inside(k: int) -> Any:
        """The states at the nodes, one for each node and time."""
        c, m, n = shape(y[0])
        own = None if y[k] is None else Expand((len(nodes), m, c, n))(Einsum.of("cmn->mcn")(y[k]))
        moved = None if k == 0 or change[k] is None else between(total, change[k])
        states = add([own, moved])
        return None if states is None else Reshape((len(nodes) * m, c, n))(states)

    states = Stream(inside)
    rates = _slopes(field, states, _at_nodes(times, nodes), thetas, (len(nodes), *shape(y[0])))
    ends = each(lambda v: Einsum.of("q,qmcn->cmn")(sign * weights, v), change)
    return Stream(lambda k: add([y[k], ends[k] if k else None]))


def _slopes(field: Program, states: Stream, times: Stream, thetas: Sequence[Stream], sizes: Sequence[int]) -> Stream:
    """Return the series of f at all nodes and times, (q, m, c, n)."""
    q, c, m, n = sizes
    body = programs.mapped(field, q * m, (True, True, *(False,) * len(thetas)))
    leaves = [leaf_of(s.shape, s.dtype) for s in body.arguments]
    root = input_of(as_tensor(body(*[handle(leaf, None) for leaf in leaves])[0]))
    known: dict[AnyNode, Stream] = dict(zip(leaves, [states, times, *thetas], strict=True))
    raw = not any(isinstance(u[0], TensorBase) for u in (states, times, *thetas))
    (series,) = NodeSeries(known, raw).follow([root])
    return each(lambda v: Reshape((q, m, c, n))(v), series)


def _rule(count: int) -> tuple[Any, Any, Any]:
    """Return Gauss' nodes between 0 and 1, their weights, and the weights of integrals from 0 to each node."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    degrees = np.arange(count)
    legendre = np.polynomial.legendre.legvander(nodes, count)
    # ∫₋₁ˣ P_d = (P_{d+1} − P_{d−1})/(2d + 1), and x + 1 of P₀; a polynomial has the coefficients (2d + 1)/2 Σ w P_d
    integrals = np.empty((count, count))
    integrals[:, 0] = nodes + 1
    for d in degrees[1:]:
        integrals[:, d] = (legendre[:, d + 1] - legendre[:, d - 1]) / (2 * d + 1)
    coefficients = (2 * degrees[:, None] + 1) / 2 * legendre[:, :count].T * weights
    return (nodes + 1) / 2, weights / 2, integrals @ coefficients / 2
