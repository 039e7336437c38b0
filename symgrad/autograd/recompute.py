"""``checkpoint``: a function whose intermediate values are not kept, but computed again for the derivative.

One node of the graph, whose rule runs the function again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, ParamSpec, TypeVar

from symgrad.autograd.context import is_tensor
from symgrad.autograd.function import Function
from symgrad.core import modes
from symgrad.core.hooks import LIVE, hooks_of
from symgrad.core.journal import Journal, again, unchanged
from symgrad.core.kernels import canonical
from symgrad.core.node import CONSTANT, GRAD, AnyNode, Leaf, is_node
from symgrad.core.trees import flatten, unflatten
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.generator import tape
from symgrad.engine.record import apply, handle
from symgrad.engine.sweep import push, sweep
from symgrad.errors import GraphError
from symgrad.ops.map import IDENTITY
from symgrad.support.arguments import check_all
from symgrad.support.foreign_draws import replayed
from symgrad.transforms.arguments import check_function
from symgrad.transforms.calls import Own, is_written_to, write_back, zeros

__all__ = ["checkpoint"]

P = ParamSpec("P")
R = TypeVar("R")


def checkpoint(
    fn: Callable[P, R], *, prevent_cse: bool = True, policy: Any = None, static_argnums: Any = ()
) -> Callable[P, R]:
    """Return fn such that a graph stores only its arguments, and recomputes everything else in the backward pass.

    The results are the same. In a chain of n equal pieces, each of them checkpointed, memory falls from n pieces to one
    piece and n arguments, at the cost of one more run of each. PyTorch's name is ``sg.utils.checkpoint.checkpoint``.

    Args:
        fn: function of tensors, arrays and structures of them. Gradients also flow to captured tensors. The second run
            draws the same random numbers.
        prevent_cse, policy, static_argnums: accepted for JAX, without effect: everything but the arguments is always
            recomputed, and arguments that are not arrays are always static.

    Returns:
        A function with fn's arguments. Where it is traced (in ``vmap``, ``taylor``, loops and ``compile``) it is fn.

    Raises:
        GraphError: in the backward pass, if fn captures other tensors than it did in the forward pass.

    >>> x = sg.tensor(2.0, requires_grad=True)
    >>> sg.checkpoint(lambda x: sg.exp(sg.sin(x)) * x)(x).backward()
    >>> x.grad
    tensor(0.4163)
    """
    check_function("checkpoint", fn)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        return _checkpointed(fn, args, kwargs)

    return call


def _checkpointed(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    tensors: list[Any] = []
    tree = flatten((args, kwargs), is_tensor, tensors)
    if not modes.recording() or tape() is not None or modes.opens() or any(t._value is None for t in tensors):
        return fn(*args, **kwargs)
    piece = Piece(lambda xs: _called(fn, unflatten(tree, iter(xs))), [_is_variable(t) for t in tensors])
    with Journal() as journal, replayed(fn) as piece.foreign:
        run = _Run(piece, tensors)  # with their history, which what the function keeps of them has, too
    piece.changes = list(journal.changes.values())
    if any(y._value is None for y in run.ys):  # of a symbol from outside
        return fn(*args, **kwargs)
    piece.captured, piece.values = run.captured, [y._value for y in run.ys]
    results, outside, active = run.tree, [_stand_in(n) for n in run.captured], [_is_variable(y) for y in run.ys]
    piece.written = run.written
    del run
    outputs = Checkpoint.apply(piece, *tensors, *outside)
    ys = outputs if isinstance(outputs, tuple) else (outputs,)
    done = [y if flows else handle(None, v) for y, v, flows in zip(ys, piece.values, active, strict=True)]
    piece.values = []
    for k in reversed(piece.written):
        write_back(tensors[k], done.pop(), tensors)
    return unflatten(results, iter(done))


def _called(fn: Callable[..., Any], given: Any) -> Any:
    args, kwargs = given
    return fn(*args, **kwargs)


def _stand_in(node: AnyNode) -> Any:
    """A tensor of a node from outside, of which nobody reads the value."""
    dtype_of(node)
    return handle(node, zeros(handle(node, None))._value)


def _is_variable(t: Any) -> bool:
    return t._node is not None and t._node.level == GRAD


class Piece:
    """The function that is run again, and whether a transform runs it.

    Attributes:
        changes: what it changed: the states of generators, tensors in place, attributes of modules.
        written: the numbers of the arguments that it changed in place, which are further results.
        foreign: what lets NumPy's and Python's generators draw again what it drew.
    """

    def __init__(self, fn: Callable[[Sequence[Any]], Any], active: list[bool]) -> None:
        self.fn, self.active, self.inside = fn, active, modes.variables() is not None
        self.captured: list[AnyNode] = []
        self.changes: list[Any] = []
        self.written: list[int] = []
        self.foreign: Any = None
        self.values: list[Any] = []  # of the results, while they are handed over


class _Run:
    """One run of a piece, recorded towards variables of its own.

    Attributes:
        xs: the arguments; those that require grad are new variables.
        ys: the tensors of the result.
        tree: its structure.
        written: the numbers of the arguments that were changed in place, which ``ys`` has at its end.
    """

    def __init__(self, piece: Piece, tensors: Sequence[Any]) -> None:
        self.start = Leaf(None, (), CONSTANT).index
        self.piece, self.xs = piece, [_variable(x) if a else x for x, a in zip(tensors, piece.active, strict=True)]
        self.ys: list[Any] = []
        own = [x._node for x, a in zip(self.xs, piece.active, strict=True) if a]
        with modes.transforming(own, leaves=True) if piece.inside else nullcontext(), modes.enable_grad():
            given = [handle(x._node, x._value) for x in self.xs]
            self.tree = flatten(piece.fn(given), is_tensor, self.ys)
        self.written = [k for k, (x, own) in enumerate(zip(self.xs, given, strict=True)) if is_written_to(x, own)]
        self.ys += [handle(given[k]._node, given[k]._value) for k in self.written]  # they may be put back

    @property
    def wrt(self) -> list[Any]:
        """The nodes that the derivative is towards: of the arguments, None where there is none, and from outside."""
        own = [x._node if a else None for x, a in zip(self.xs, self.piece.active, strict=True)]
        return own + self.piece.captured

    @property
    def captured(self) -> list[AnyNode]:
        """The nodes from outside that a gradient flows to, oldest first."""
        return sorted((n for n in self._reached() if n.index < self.start and n.level == GRAD), key=lambda n: n.index)

    @property
    def hooks(self) -> list[tuple[dict[int, Any], dict[int, Any]]]:
        """The hooks that were registered on arguments and on what was computed of them: each dict and its entries."""
        own = [x._node for x, a in zip(self.xs, self.piece.active, strict=True) if a]
        inside = [hooks_of(n) for n in [*own, *self._reached()] if n.index > self.start] if LIVE else []
        return [(d, dict(d)) for h in inside if h is not None for d in (h.tensor, h.before, h.behind)]

    def _reached(self) -> list[AnyNode]:
        """The nodes from which the results are computed, back to the arguments and the first nodes from outside."""
        own = {id(x._node) for x, a in zip(self.xs, self.piece.active, strict=True) if a}
        ahead = [y._node for y in self.ys if y._node is not None]
        seen: dict[int, AnyNode] = {}
        while ahead:
            node = ahead.pop()
            if id(node) in own or id(node) in seen:
                continue
            seen[id(node)] = node
            if node.index > self.start:
                ahead += [p for p in node.inputs if is_node(p)]
        return list(seen.values())


def _variable(x: Any) -> Any:
    return apply(IDENTITY, (x,)) if _is_variable(x) else handle(Leaf(x._value, x.shape, GRAD, None, Own()), x._value)


class Checkpoint(Function):
    """The piece as a function of (piece, *arguments, *captured tensors)."""

    @staticmethod
    def forward(ctx: Any, piece: Piece, *tensors: Any) -> Any:
        """Hand over what was computed."""
        ctx.piece = piece
        ctx.save_for_backward(*tensors[: len(tensors) - len(piece.captured)])
        outputs = tuple([handle(None, v) for v in piece.values])
        return outputs[0] if len(outputs) == 1 else outputs

    @staticmethod
    def symbolic(piece: Piece, *xs: Any) -> Any:
        """The piece itself, in formulas."""
        ys: list[Any] = []
        given = [handle(x._node, x._value) for x in xs[: len(xs) - len(piece.captured)]]
        flatten(piece.fn(given), is_tensor, ys)
        ys += [given[k] for k in piece.written]
        return ys[0] if len(ys) == 1 else tuple(ys)

    @staticmethod
    def backward(ctx: Any, *gs: Any) -> Any:
        """Run the piece again, and sweep back through it."""
        recorded = modes.is_grad_enabled()
        run = _again(ctx)
        live = [(y._node, g) for y, g in zip(run.ys, gs, strict=True) if y._node is not None]
        seeds = [g if recorded else canonical(g._value) for _, g in live]
        roots, targets = [n for n, _ in live], [n for n in run.wrt if n is not None]
        with modes.enable_grad():
            cotangents = sweep(roots, seeds, wrt=targets, handle=handle if recorded else None, since=run.start)
        ds = [cotangents.get(n) for n in run.wrt]
        return None, *[d if d is None or recorded else handle(None, canonical(d)) for d in ds]

    @staticmethod
    def jvp(ctx: Any, _: Any, *ts: Any) -> Any:
        """Run the piece again, and push the tangents through it."""
        recorded = modes.is_grad_enabled()
        run = _again(ctx)
        pairs = [(n, t) for n, t in zip(run.wrt, ts, strict=True) if n is not None and t is not None]
        given = {n: t if recorded else t._value for n, t in pairs}
        live = [y._node for y in run.ys if y._node is not None]
        with modes.enable_grad():
            tangents = dict(zip(live, push(live, given, handle, record=recorded)))
        out = [_handled(tangents.get(y._node), y) for y in run.ys]
        return out[0] if len(out) == 1 else tuple(out)


def _handled(t: Any, y: Any) -> Any:
    return zeros(y) if t is None else t if is_tensor(t) else handle(None, canonical(t))


def _again(ctx: Any) -> _Run:
    """Run the piece with the random numbers that it saw, and the tensors as they were; nothing is changed again."""
    with unchanged(), ctx.piece.foreign.again():
        again(ctx.piece.changes)
        run = _Run(ctx.piece, ctx.saved_tensors)
        hooks = run.hooks
    for registered, entries in hooks:
        registered.update(entries)
    if run.captured != ctx.piece.captured:
        raise GraphError(
            "checkpoint: when it was run again, the function used other captured tensors that require grad than "
            f"before: {len(run.captured)} of them, expected the same {len(ctx.piece.captured)}. Pass what changes as "
            "an argument."
        )
    return run


check_all(globals(), __all__)
