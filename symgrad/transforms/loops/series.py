"""The series of a body: one more body, whose inputs and results are coefficients of all orders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from symgrad.core.node import AnyNode, tensor_node, tensor_value
from symgrad.core.streams import Stream, given
from symgrad.engine.program import Program
from symgrad.engine.record import as_tensor, input_of
from symgrad.transforms.loops.linear import fitted
from symgrad.transforms.taylor.operations import NodeSeries
from symgrad.transforms.tracing import Trace

Place = tuple[int, int]  # an input or result, and an order


class Expanded(NamedTuple):
    """A body of coefficients.

    Attributes:
        body: the carries, then their coefficients; the slices, then theirs; the constants, then theirs, then ``extra``.
        moving, along, fixed: the coefficients of orders above 0 of carries, slices and constants.
        extra: further constants.
        places: which output of the body the coefficient of a result is; one that is missing is zero.
    """

    body: Program
    moving: tuple[Place, ...]
    along: tuple[Place, ...]
    fixed: tuple[Place, ...]
    extra: tuple[Any, ...]
    places: dict[Place, int]


def expanded(body: Program, carries: int, xs: int, known: tuple[Place, ...], order: int) -> Expanded:
    """Return the body of the coefficients up to an order, where those in ``known`` and of the carries are not zero."""
    key = ("series", carries, xs, known, order)
    return body.once(key, lambda: _expanded(body, carries, carries + xs, known, order))  # type: ignore[no-any-return]


def _expanded(body: Program, n: int, m: int, known: tuple[Place, ...], order: int) -> Expanded:
    specs, orders = body.arguments, range(1, order + 1)
    moving = tuple((i, j) for i in range(n) if specs[i].is_float for j in orders)
    along = tuple(p for p in known if n <= p[0] < m)
    fixed = tuple(p for p in known if m <= p[0])
    inputs = [(i, 0) for i in range(len(specs))]
    all_of = [*inputs[:n], *moving, *inputs[n:m], *along, *inputs[m:], *fixed]
    places: list[Place] = []
    trace = Trace()
    variables = trace.variables([specs[i] for i, _ in all_of])

    def rule(*tensors: Any) -> list[Any]:
        env = dict(zip(all_of, tensors, strict=True))
        series = coefficients(body, env, order)
        stacked = [
            p for k in range(n, len(series)) for p in ((k, j) for j in (0, *orders)) if series[k][p[1]] is not None
        ]
        places.extend([*inputs[:n], *moving, *stacked])
        return [fitted(series[k][j], body.results[k]) for k, j in places]

    roots = trace.run(rule, variables, "scan: a rule looks at a value.")
    closed, extra = trace.program(variables, roots)
    at = {p: k for k, p in enumerate(places)}
    return Expanded(closed, moving, along, fixed, tuple([tensor_value(t) for t in extra]), at)


def coefficients(body: Program, env: dict[Place, Any], order: int) -> list[list[Any]]:
    """Return of each result its coefficients of orders 0, 1, …; ``env`` has those of the inputs, None stands for zero.

    All are tensors, and those of integers are zero.
    """
    count = len(body.arguments)
    primal = [env[i, 0] for i in range(count)]
    outs = [as_tensor(t) for t in body(*primal)]
    known: dict[AnyNode, Stream] = {}
    constant: set[AnyNode] = set()
    for i, x in enumerate(primal):
        terms = [env.get((i, j)) for j in range(1, order + 1)]
        known[tensor_node(x)] = given([x, *terms])
        if all(t is None for t in terms):
            constant.add(tensor_node(x))
    graph = NodeSeries(known, False, constant, order=order)
    streams = graph.follow([input_of(t) for t in outs])
    for k in range(order + 1):
        graph.at(k)
    floats = [order if s.is_float else 0 for s in body.results]
    rows = zip(outs, streams, floats, strict=True)
    return [[t, *[u[j] if j <= most else None for j in range(1, order + 1)]] for t, u, most in rows]


def patterns(us: Sequence[Stream], which: Sequence[int], order: int) -> tuple[Place, ...]:
    """Return the coefficients above order 0 that are not zero."""
    return tuple((i, j) for i in which for j in range(1, order + 1) if us[i][j] is not None)


def ahead(us: Sequence[Stream], which: Sequence[int], k: int, order: int | None) -> tuple[int, tuple[Place, ...], Any]:
    """Return an order to compute up to, the coefficients above order 0 that matter, and a reading of them.

    Where the inputs follow from the result, those beyond k are not known: they are read as zero, and the order is a
    power of two, so that one program serves several orders.
    """
    if order is not None:
        return order, patterns(us, which, order), lambda i, j: us[i][j]
    most = 1 << (k - 1).bit_length()
    places = tuple((i, j) for i in which for j in range(1, most + 1))
    return most, places, lambda i, j: us[i][j] if j <= k else None
