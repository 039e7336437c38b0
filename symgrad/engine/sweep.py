"""Reverse and forward mode over the graph: one iterative sweep, numeric or recorded.

Nodes are taken by descending creation index, so all consumers of a node come before it. Tensors enter through the
``handle`` that recorded sweeps are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from heapq import heapify, heappop, heappush, heapreplace
from typing import Any, NamedTuple

import numpy as np

from symgrad.core import anomaly
from symgrad.core.hooks import LIVE, hooks_of, sweeping
from symgrad.core.kernels import ARITHMETIC
from symgrad.core.modes import complexes, set_grad_enabled
from symgrad.core.node import GRAD, TRACED, AnyNode, Leaf, ancestors, is_node
from symgrad.core.promotion import is_complex
from symgrad.engine.dtypes import dtype_of
from symgrad.errors import GraphError
from symgrad.ops.contract import sum_to
from symgrad.ops.elementwise.complexes import conj, holds_complex, real
from symgrad.ops.protocol import Blank, shape
from symgrad.ops.shape import Expand

_ndarray = np.ndarray
Handle = Callable[[Any, Any], Any]  # (node, value or None) -> Tensor
Listener = Callable[[AnyNode, Any, Sequence[int], Sequence[Any]], None]  # (node, g, positions, cotangents)
_LISTENER: ContextVar[Listener | None] = ContextVar("symgrad_listener", default=None)

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have "
    "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
    "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if "
    "you need to access saved tensors after calling backward."
)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let ``listener`` hear each rule of the symbolic sweeps in here: its node, its cotangent, and what it gave."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def sweep(
    roots: Sequence[AnyNode], seeds: Sequence[Any], *, wrt: Sequence[AnyNode] | None = None,
    handle: Handle | None = None, symbolic: bool = False, retain: bool = True, since: int | None = None,
) -> dict[AnyNode, Any]:  # fmt: skip
    """Pull the cotangents ``seeds`` of ``roots`` back through the graph.

    Of complex numbers, PyTorch's convention holds outside: what comes back is ∂L/∂x + i·∂L/∂y, the direction in which
    a real L grows most. Inside, cotangents c are its conjugates, dL = Re(c·dz): so a holomorphic function pulls back by
    its plain derivative, with nothing conjugated in any rule.

    Args:
        roots: output nodes.
        seeds: their cotangents, shaped like the roots.
        wrt: nodes whose cotangents are wanted; None for every node with a cell.
        handle: None to compute with ndarrays; else how to make a tensor of (node, value), and the rules
            are recorded.
        symbolic: record without values, and towards any node in ``wrt``, whether it requires grad or not.
        retain: keep the saved values; otherwise they are dropped once all went well.
        since: go through nodes younger than this index only, and not beyond those in ``wrt``.

    Returns:
        The wanted nodes that were reached, with their cotangents; None stands for zero.
    """
    inside, wanted = (None, None) if wrt is None else (_towards(roots, wrt, since), set(wrt))
    way = _SweepPlan(inside, wanted, handle, symbolic, since or 0)
    grads: dict[AnyNode, Any] = {}
    for root, seed in zip(roots, seeds, strict=True):
        grads[root] = _add(grads.get(root), conj(seed) if complexes.met else seed)
    cotangents = _pulled_down(grads, way, retain)
    return {node: conj(g) for node, g in cotangents.items()} if complexes.met else cotangents


def _pulled_down(grads: dict[AnyNode, Any], way: _SweepPlan, retain: bool) -> dict[AnyNode, Any]:
    """Sweep with cotangents that are not conjugated, as rules have them."""
    handle, symbolic = way.handle, way.symbolic
    if LIVE and not symbolic:
        with set_grad_enabled(handle is not None), sweeping():  # what hooks compute is recorded where the rules are
            cotangents, visited = _descend_watched(grads, way)
    else:
        cotangents, visited = _descend(grads, way)
    if not retain:
        _free(visited)
    return cotangents


def _free(nodes: list[Any]) -> None:
    """Drop what nodes saved; those that saved no values can be visited again, as in PyTorch."""
    for node in nodes:
        for value in node.saved or ():
            if value is not None:
                node.saved = None
                break


class _SweepPlan(NamedTuple):
    """Where a sweep goes, and how its rules run."""

    inside: set[AnyNode] | None
    wanted: set[AnyNode] | None
    handle: Handle | None
    symbolic: bool
    since: int  # hooks of older nodes are called by the sweep that this one is part of


def _descend(grads: dict[AnyNode, Any], way: _SweepPlan) -> tuple[dict[AnyNode, Any], list[Any]]:
    """Pull the cotangents down, youngest node first. Returns those wanted, and the nodes whose rule ran."""
    inside, wanted, handle, symbolic, _ = way
    reached = (inside or set()) | (wanted or set()) if symbolic else set()
    heap = [(-node.index, node) for node in grads]
    heapify(heap)
    cotangents: dict[AnyNode, Any] = {}
    visited: list[Any] = []
    ahead: Any = None  # the youngest node met last: mostly the next one, so that a chain needs no heap
    while heap or ahead is not None:
        if ahead is None:
            node: Any = heappop(heap)[1]
        elif heap and -heap[0][0] > ahead.index:
            node = heapreplace(heap, (-ahead.index, ahead))[1]
        else:
            node = ahead
        ahead = None
        g = grads.pop(node)
        if (node.cell is not None) if wanted is None else (node in wanted):
            cotangents[node] = g
        if type(node) is Leaf or (inside is not None and node not in inside):
            continue
        visited.append(node)
        plan, saved = node.rule, node.saved
        active = plan.active
        if symbolic:
            active, pulled = _pull_symbolic(node, g, handle, reached)
        elif saved is None:
            raise GraphError(FREED)
        elif g is None or handle is not None:
            pulled = [None] * len(active) if g is None else _pull_recorded(node, g, handle)
        elif type(g) is float and plan.pull_float is not None:
            try:
                pulled = plan.pull_float(g, *saved)
            except ARITHMETIC:
                pulled = plan.pull(node, g)
        elif type(g) is _ndarray and plan.pull_array is not None:
            try:
                pulled = plan.pull_array(g, *saved)
            except ARITHMETIC:
                pulled = plan.pull(node, g)
        else:
            pulled = plan.pull(node, g)
        ahead = _accumulate(node, active, pulled, grads, heap)
    return cotangents, visited


def _descend_watched(grads: dict[AnyNode, Any], way: _SweepPlan) -> tuple[dict[AnyNode, Any], list[Any]]:
    """As ``_descend``, while there are hooks or anomaly mode is on."""
    inside, wanted = way.inside, way.wanted
    heap = [(-node.index, node) for node in grads]
    heapify(heap)
    cotangents: dict[AnyNode, Any] = {}
    visited: list[Any] = []
    while heap:
        node: Any = heappop(heap)[1]
        g = grads.pop(node)
        is_wanted = node.cell is not None if wanted is None else node in wanted
        goes_on = type(node) is not Leaf and (inside is None or node in inside)
        hooks = hooks_of(node) if g is not None and node.index > way.since and (is_wanted or goes_on) else None
        if hooks is not None:
            g = conj(hooks.on_gradient(conj(g)))
        if is_wanted or (hooks is not None and node.cell is not None):  # it may retain its gradient
            cotangents[node] = g
        if not goes_on:
            continue
        visited.append(node)
        if hooks is not None:
            g = conj(hooks.on_entry(conj(g)))
        pulled = _pulled(node, g, way.handle)
        if hooks is not None:
            pulled = _shown(node, g, pulled, hooks)
        ahead = _accumulate(node, node.rule.active, pulled, grads, heap)
        if ahead is not None:
            heappush(heap, (-ahead.index, ahead))
    return cotangents, visited


def _pulled(node: Any, g: Any, handle: Handle | None) -> Any:
    """Run the rule of one node, in anomaly mode with a look at what comes back."""
    if node.saved is None:
        raise GraphError(FREED)
    if g is None:
        return [None] * len(node.rule.active)
    if not anomaly.state().on:
        return node.rule.pull(node, g) if handle is None else _pull_recorded(node, g, handle)
    try:
        pulled = node.rule.pull(node, g) if handle is None else _pull_recorded(node, g, handle)
        anomaly.check(node, pulled)
    except Exception:
        anomaly.report(node, stacklevel=7)
        raise
    return pulled


def _shown(node: Any, g: Any, pulled: Sequence[Any], hooks: Any) -> list[Any]:
    """Let hooks look at the cotangents of all inputs, shaped like them; return those of the active ones."""
    ds: list[Any] = [None] * len(node.inputs)
    for i, d in zip(node.rule.active, pulled):
        ds[i] = None if d is None else conj(_of_real(sum_to(d, node.inputs[i].shape), node.inputs[i]))
    ds = hooks.on_exit(conj(g), ds)
    return [conj(ds[i]) for i in node.rule.active]


def _accumulate(node: Any, active: Any, pulled: Any, grads: dict[AnyNode, Any], heap: list[Any]) -> Any:
    """Add the cotangents to those of the inputs; return the youngest input met for the first time."""
    inputs, fits, ahead = node.inputs, node.fits, None
    for i, d in zip(active, pulled):
        p = inputs[i]
        if not fits and d is not None:
            d = sum_to(d, p.shape)
            if complexes.met:
                d = _of_real(d, p)
        if p in grads:
            if d is not None:
                h = grads[p]
                grads[p] = d if h is None else h + d
            continue
        grads[p] = d
        if ahead is None:
            ahead = p
        elif p.index > ahead.index:
            heappush(heap, (-ahead.index, ahead))
            ahead = p
        else:
            heappush(heap, (-p.index, p))
    return ahead


def _of_real(d: Any, p: AnyNode) -> Any:
    """Take the real part of a complex cotangent for a real input. Nowhere else is it taken."""
    return real(d) if holds_complex(d) and not is_complex(dtype_of(p)) else d


def _add(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a + b


def _towards(roots: Sequence[AnyNode], wrt: Sequence[AnyNode], since: int | None) -> set[AnyNode]:
    """Return the nodes between the roots and the wanted ones: the only ones whose rules need to run."""
    targets = set(wrt)
    oldest = min((n.index for n in targets), default=0)
    useful: set[AnyNode] = set()
    for node in ancestors(roots):
        if node.index <= oldest:
            continue
        for p in node.inputs:
            if p in useful or p in targets:
                useful.add(node)
                break
    return useful if since is None else {n for n in useful if n.index > since and n not in targets}


def _pull_recorded(node: Any, g: Any, handle: Any) -> list[Any]:
    """Run the rule on tensors with the saved values, so that the result has a graph of its own."""
    plan = node.rule
    y, xs = plan.unpack(node)
    out, ins = _handles(node, y, xs, handle)
    return plan.vjps(node, plan.active, g, out, ins)  # type: ignore[no-any-return]


def _pull_symbolic(node: Any, g: Any, handle: Any, reached: set[AnyNode]) -> tuple[list[int], list[Any]]:
    """Run the rule on tensors without values, towards the wanted nodes, and those between, only."""
    positions = [i for i, p in enumerate(node.inputs) if p in reached]
    if g is None:
        return positions, [None] * len(positions)
    ins = [handle(p, None) if is_node(p) else p for p in node.inputs]
    out = handle(node, None)
    pulled = node.op.vjps(positions, g, out, *ins)
    listener = _LISTENER.get()
    if listener is not None:
        listener(node, g, positions, pulled)
    return positions, pulled


def _handles(node: Any, y: Any, xs: Sequence[Any], handle: Any) -> tuple[Any, list[Any]]:
    """Make tensors of a node's output and inputs; what was not saved has a shape and no value."""
    y = None if isinstance(y, Blank) else y
    values = [None if isinstance(x, Blank) else x for x in xs]
    return handle(node, y), [handle(p, x) if is_node(p) else p for p, x in zip(node.inputs, values, strict=True)]


def _is_discrete(node: Any) -> bool:
    """Whether a node holds integers or booleans of inputs that require grad: no tangent goes on from it."""
    return node.level != GRAD and any(is_node(p) and p.level == GRAD for p in node.inputs)


def tangent_of(node: Any, ts: Sequence[Any], handle: Handle, record: bool, symbolic: bool) -> Any:
    """Return the tangent of a node from those of its inputs."""
    y, xs = (None, [None] * len(node.inputs)) if symbolic else node.rule.unpack(node)
    if record:
        y, xs = _handles(node, y, xs, handle)
    t = node.op.jvp(ts, y, *xs) if symbolic else node.rule.jvp(node, ts, y, xs)
    t = _transposed_twice(node, ts, y, xs, handle, record, symbolic) if t is NotImplemented else t
    return t


def pushed(roots: Sequence[AnyNode], tangents: dict[AnyNode, Any], rule: Callable[[Any, list[Any]], Any]) -> list[Any]:
    """Forward mode: push tangents of some nodes through the graph, oldest node first.

    The rule makes a node's tangent of those of its inputs; None stands for zero.
    """
    known: dict[AnyNode, Any] = dict(tangents)
    for node in ancestors(roots, {id(n) for n in tangents}):
        if node in known or isinstance(node, Leaf):
            continue
        ts = [known.get(p) if is_node(p) else None for p in node.inputs]
        if any(t is not None for t in ts) and not _is_discrete(node):
            known[node] = rule(node, ts)
    return [known.get(r) for r in roots]


def push(
    roots: Sequence[AnyNode], tangents: dict[AnyNode, Any], handle: Handle, *, record: bool, symbolic: bool = False
) -> list[Any]:
    """Return the tangents of the roots, given those of some nodes.

    Args:
        roots: output nodes.
        tangents: tangent by node, shaped like the node.
        handle: how to make a tensor of (node, value).
        record: compute with tensors, so that the result has a graph of its own.
        symbolic: record without values.

    Returns:
        The tangents of the roots; None stands for zero.
    """

    def rule(node: Any, ts: list[Any]) -> Any:
        if node.saved is None and not symbolic:
            raise GraphError(FREED)
        t = tangent_of(node, ts, handle, record, symbolic)
        # Where the tangents belong to inputs that were broadcast, so is their image.
        return t if t is None or shape(t) == node.shape else Expand(node.shape)(t)

    return pushed(roots, tangents, rule)


def _transposed_twice(
    node: Any, ts: Sequence[Any], y: Any, xs: Sequence[Any], handle: Handle, record: bool, symbolic: bool
) -> Any:
    # v ↦ Jᵀv is linear; its own vjp is t ↦ Jt.
    total = None
    for i, t in enumerate(ts):
        if t is None:
            continue
        blank = Leaf(None if symbolic else np.zeros(node.shape), node.shape, TRACED if symbolic else GRAD)
        if complexes.met and is_complex(dtype_of(node)):
            blank.dtype = dtype_of(node)
            blank.value = None if symbolic else np.zeros(node.shape, blank.dtype)
        d = node.op.vjp(i, handle(blank, blank.value), y, *xs)
        if d is not None:
            pulled = sweep([d._node], [conj(t)], wrt=[blank], handle=handle if record else None, symbolic=symbolic)
            total = _add(total, conj(pulled.get(blank)))
    return total
