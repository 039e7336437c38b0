"""Functions with a rule of their own in a graph without values, written out in operations, so that they compile.

By then every derivative has been taken. What looks at values stays a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.autograd.custom import Rules
from symgrad.autograd.opaque import Opaque, filled
from symgrad.core import modes
from symgrad.core.node import AnyNode, Leaf, ancestors, is_node
from symgrad.engine.generator import Refusing, taping
from symgrad.engine.record import handle
from symgrad.errors import SymgradError
from symgrad.transforms.calls import DifferentiatedCall, zeros


def inlined(roots: Sequence[Any]) -> tuple[list[Any], list[AnyNode]]:
    """Return the nodes among the roots with all such functions written out, and the nodes that these depend on."""
    outputs, closed = list(roots), set[Opaque]()
    while True:  # a rule may call functions with a rule
        nodes = ancestors([r for r in outputs if is_node(r)])
        if not any([isinstance(n.op, Opaque) and _is_open(n, closed) for n in nodes]):
            return outputs, nodes
        outputs = _once(outputs, nodes, closed)


def _once(roots: Sequence[Any], nodes: Sequence[AnyNode], closed: set[Opaque]) -> list[Any]:
    new: dict[AnyNode, AnyNode] = {}
    for node in nodes:
        is_open = _is_open(node, closed)
        if isinstance(node, Leaf) or not (is_open or any(is_node(p) and p in new for p in node.inputs)):
            continue
        xs = [handle(new.get(p, p), None) if is_node(p) else p for p in node.inputs]
        with modes.enable_grad():
            y = _written(node.op, xs, closed) if is_open else node.op(*xs)
        y._node.dtype = y._node.dtype or node.dtype
        new[node] = y._node
    return [new.get(r, r) if is_node(r) else r for r in roots]


def _is_open(node: Any, closed: set[Opaque]) -> bool:
    return isinstance(node.op, Opaque) and issubclass(node.op.function, Rules) and node.op not in closed


def _written(op: Opaque, xs: Sequence[Any], closed: set[Opaque]) -> Any:
    try:
        with taping(Refusing(op.name)):  # a function and its derivative are written out apart
            y = _expanded(op, xs)
    except SymgradError:  # it looks at values, say; then so it is called
        y = None
    if y is not None and y._value is None:
        return y
    closed.add(op)
    return op(*xs)


def _expanded(op: Opaque, xs: Sequence[Any]) -> Any:
    """Return what the function computes, or a derivative of it, of tensors without values."""
    if not op.path:
        spec, *arrays = filled(op.form, xs)
        outputs = op.function.returned(spec, op.function.custom.fun(*spec.put(arrays)))
        return outputs if op.out is None else outputs[op.out]
    inner = Opaque(op.function, op.form, op.out, op.path[:-1])
    if not inner.path:
        return _pulled(op, xs)
    run = DifferentiatedCall(lambda *vs: _expanded(inner, vs), xs[1:], {}, op.path[-1])
    run.output(op.name)
    return run.pull([xs[0]])[0]


def _pulled(op: Opaque, xs: Sequence[Any]) -> Any:
    """Return the first derivative, by the rule."""
    spec, *arrays = filled(op.form, xs[1:])
    gradients = op.function.gradients(spec, arrays, lambda y, k: xs[0] if k == (op.out or 0) else zeros(y))
    d = gradients[op.path[0]]
    return zeros(arrays[op.path[0]]) if d is None else d
