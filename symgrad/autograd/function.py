"""``autograd.Function``: a function with a backward of the user's own.

Recorded as one node; its rule is the user's ``backward``. Without values it is an ``Opaque`` operation, or what
``symbolic`` writes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from symgrad.autograd.context import DIRTY, Bundle, FunctionCtx, is_tensor, picked
from symgrad.autograd.opaque import HOLE, TWICE, Opaque, ones_like, template
from symgrad.core import modes
from symgrad.core.kernels import canonical
from symgrad.core.node import CONSTANT, GRAD, TRACED, Leaf
from symgrad.core.promotion import is_differentiable, of_first
from symgrad.engine import record
from symgrad.engine.record import apply, handle, input_of
from symgrad.engine.sweep import sweep
from symgrad.errors import ArgumentTypeError, GraphError, NotDifferentiable, NotYet, ShapeError, ValueNeeded
from symgrad.ops.contract import sum_to
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import Blank, Op, Plan, shape
from symgrad.support.arguments import check_all
from symgrad.transforms.arguments import check_function
from symgrad.transforms.calls import is_written_to

__all__ = ["Function", "FunctionCtx", "once_differentiable"]


class Function:
    """A function with a custom derivative: define a subclass, and call its method ``apply``.

    ``forward(ctx, *args)`` computes the result, a tensor or a tuple of them, and saves the values that ``backward``
    needs. ``backward(ctx, *grads)`` returns a gradient for each argument of ``forward``, or None; ``vjp`` is another
    name for it. Alternatively, define ``forward(*args)`` and ``setup_context(ctx, inputs, output)``. Two more methods
    are optional: ``jvp(ctx, *tangents)`` for forward mode, and ``symbolic(*args)``, the same function in symgrad's
    operations, which closed forms and compiled functions use; without it, the function appears there by its name.

    >>> class Cube(sg.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return 3 * x**2 * g
    >>> x = sg.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    symbolic: Callable[..., Any] | None = None
    jvp: Callable[..., Any] | None = None

    def __init__(self) -> None:
        raise GraphError(f"{type(self).__name__} should not be instantiated. Call {type(self).__name__}.apply(x).")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "vjp" in vars(cls):
            if "backward" in vars(cls):
                raise GraphError(f"Implementing both 'backward' and 'vjp' for {cls.__name__}: they are one. Write one.")
            cls.backward = vars(cls)["vjp"]  # type: ignore[method-assign]

    @classmethod
    def _of_slices(cls) -> Any:
        """The function of a whole batch; None where it is not known, so that slices run one by one."""
        return None

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function. Define a static method forward."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save the values that backward needs, if ``forward`` does not take ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(*args: Any, **kwargs: Any) -> Any:
        """Return the gradients of forward's arguments."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD. Define a static method backward."
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Apply the function to tensors and other arguments."""
        if getattr(cls.forward, "__defaults__", None) and cls.setup_context is not Function.setup_context:
            bound = inspect.signature(cls.forward).bind(*args)
            bound.apply_defaults()
            args = bound.args
        tensors = [a for a in args if is_tensor(a)]
        if any(t._value is None for t in tensors):
            return cls._formal(args)
        level = max([t._node.level for t in tensors if t._node is not None], default=CONSTANT)
        ctx = FunctionCtx(tuple(is_tensor(a) and a.requires_grad for a in args))
        inside = [handle(a._node, a._value) if is_tensor(a) else a for a in args]
        result = cls._run(ctx, inside)
        if level == CONSTANT or not modes.recording():
            return result
        if modes.opens():
            return cls._formal(args)
        return cls._recorded(ctx, args, inside, result, level)

    @classmethod
    def _run(cls, ctx: FunctionCtx, args: Sequence[Any]) -> Any:
        """Run forward on tensors that are its own, and refuse to change them."""
        before = [handle(a._node, a._value) if is_tensor(a) else a for a in args]
        with modes.no_grad():
            if cls.setup_context is Function.setup_context:
                result = cls.forward(ctx, *args)
            else:
                result = cls.forward(*args)
                cls.setup_context(ctx, tuple(args), result)
        if any(is_tensor(a) and is_written_to(a, own) for a, own in zip(before, args, strict=True)):
            raise NotYet(f"{cls.__name__}: forward changes an argument in place. {DIRTY}")
        for t in result if isinstance(result, tuple) else (result,):
            if not is_tensor(t) and not isinstance(result, tuple):
                raise ArgumentTypeError(
                    f"{cls.__name__}.forward: expected Tensor or tuple of Tensor (got {type(t).__name__}) for return "
                    "value 0. Use sg.as_tensor(…)."
                )
        return result

    @classmethod
    def _recorded(cls, ctx: FunctionCtx, args: Sequence[Any], inside: Sequence[Any], result: Any, level: int) -> Any:
        several = isinstance(result, tuple)
        outputs = list(result) if several else [result]
        discrete = {id(t) for t in ctx._discrete}
        smooth = [is_tensor(t) and is_differentiable(t.dtype) and id(t) not in discrete for t in outputs]
        ctx._seal(inside, outputs)
        tensors = [a for a in args if is_tensor(a)]
        inputs = tuple([input_of(t) for t in tensors])
        active = tuple([i for i, n in enumerate(inputs) if n.level == GRAD])
        plan = Applied(Opaque(cls, template(args), None), active, len(inputs), several)
        single = None if several else outputs[0].shape
        level = max(level, TRACED) if any(smooth) else TRACED
        node = record.new_node(plan, inputs, (ctx,), single or (), level, False)
        if not several:
            node.dtype = outputs[0].dtype
            return handle(node, outputs[0]._value)
        return tuple(
            _output(node, k, plan.name, t, level if s else TRACED) if is_tensor(t) else t
            for k, (t, s) in enumerate(zip(outputs, smooth))
        )

    # -------------------------------------------------------------- without values
    @classmethod
    def _formal(cls, args: Sequence[Any]) -> Any:
        """Apply to tensors of which some have no value."""
        if cls.symbolic is not None:
            return cls.symbolic(*args)
        outputs = cls._probe(args)
        tensors, form = [a for a in args if is_tensor(a)], template(args)
        if not isinstance(outputs, tuple):
            return _formal(Opaque(cls, form, None), tensors, outputs)
        return tuple(_formal(Opaque(cls, form, k), tensors, t) if is_tensor(t) else t for k, t in enumerate(outputs))

    @classmethod
    def _probe(cls, args: Sequence[Any]) -> Any:
        """Return results of the right shapes and dtypes: of forward without values, or else of ones."""
        try:
            own = [handle(a._node, a._value) if is_tensor(a) else a for a in args]
            return cls._run(FunctionCtx((False,) * len(args)), own)
        except ValueNeeded as error:
            reason = error
        return cls._run(FunctionCtx((False,) * len(args)), [ones_like(a, reason) for a in args])

    @classmethod
    def _is_once(cls) -> bool:
        return getattr(cls.backward, "once_differentiable", False)


def _output(hub: Any, k: int, name: str, t: Any, level: int) -> Any:
    node = picked(hub, k, name, t.shape, level)
    node.dtype = t.dtype
    return handle(node, t._value)


def _formal(op: Opaque, tensors: Sequence[Any], like: Any) -> Any:
    op._shapes[tuple(shape(t) for t in tensors)] = like.shape
    y = op(*tensors)
    y._node.dtype = like.dtype
    return y


class Applied(Plan):
    """How cotangents go through a custom function: by its ``backward``. The node saves the ctx."""

    __slots__ = ("places", "several")
    op: Opaque

    def __init__(self, op: Opaque, active: tuple[int, ...], count: int, several: bool) -> None:
        super().__init__(op, active, count, f"{op.label}Backward")
        self.several = several
        self.places = [k for k, a in enumerate(op.form) if a is HOLE]  # of the tensors among the arguments

    def unpack(self, node: Any) -> tuple[Any, list[Any]]:
        """Shapes: what there is of values is in the ctx."""
        return Blank(node.shape), [Blank(p.shape) for p in node.inputs]

    def pull(self, node: Any, g: Any) -> list[Any]:
        """Run backward on values."""
        with modes.no_grad():
            cotangents = self._backward(node, _each(g, lambda v: handle(None, canonical(v))), self.active, False)
        return [None if d is None else d._value for d in cotangents]

    def vjps(self, node: Any, which: Sequence[int], g: Any, y: Any, xs: Sequence[Any]) -> list[Any]:
        """Run backward on tensors; what it computes with symgrad's operations is recorded."""
        return self._backward(node, g, which, is_tensor(y))

    def _backward(self, node: Any, g: Any, which: Sequence[int], recorded: bool) -> list[Any]:
        function, ctx = self.op.function, node.saved[0]
        seeds = [conj(_seed(g, k, spec, ctx._materialize)) for k, spec in enumerate(ctx._outputs)]
        gradients = function.backward(self._bound(node, recorded), *seeds)
        gradients = gradients if isinstance(gradients, tuple) else (gradients,)
        count = len(self.op.form)
        if len(gradients) < count or any(d is not None for d in gradients[count:]):
            raise GraphError(
                f"function {self.name} returned an incorrect number of gradients (expected {count}, got "
                f"{len(gradients)}). Return one for each argument of forward, None where there is none."
            )
        pulled = [conj(self._checked(k, gradients[k], node.inputs[i])) for i in which for k in [self.places[i]]]
        if modes.recording() and function._is_once():
            inputs = [handle(p, None) for p in node.inputs if p.level == GRAD]
            pulled = [None if d is None else _once(d, [s for s in seeds if s is not None], inputs) for d in pulled]
        return pulled

    def _bound(self, node: Any, recorded: bool, forward: bool = False) -> FunctionCtx:
        """Return the ctx of one run; saved inputs and outputs have their history where it is recorded."""
        ctx = node.saved[0]

        def output(k: int) -> Any:
            return picked(node, k, self.name, ctx._outputs[k][0], node.level) if self.several else node

        bound: FunctionCtx = ctx._bound(node if recorded else None, output, forward)
        return bound

    def _checked(self, k: int, d: Any, p: Any) -> Any:
        """Return a gradient that backward gave, summed to the shape of its input and in its dtype."""
        if d is None:
            return None
        if not is_tensor(d):
            raise GraphError(
                f"{self.name}: expected Variable or None (got {type(d).__name__}) at index {k}. Return tensors."
            )
        if d.shape == p.shape:
            return d
        try:
            fits = np.broadcast_shapes(d.shape, p.shape) == d.shape
        except ValueError:
            fits = False
        if not fits:
            raise ShapeError(
                f"Function {self.name} returned an invalid gradient at index {k} - got {show_shape(d.shape)} but "
                f"expected shape compatible with {show_shape(p.shape)}. Sum over what was broadcast."
            )
        return sum_to(d, p.shape)

    # -------------------------------------------------------------- forward mode
    def jvp(self, node: Any, ts: Sequence[Any], y: Any, xs: Sequence[Any]) -> Any:
        """By the function's jvp; without one, backward is transposed."""
        ctx, recorded = node.saved[0], is_tensor(y)
        if self.op.function.jvp is None:
            return self._transposed(node, ts, recorded)
        args: list[Any] = [None] * len(self.op.form)
        with modes.set_grad_enabled(recorded):
            given = [None if t is None else t if is_tensor(t) else handle(None, canonical(t)) for t in ts]
            if ctx._materialize:
                given = [_zeros(p) if t is None else t for t, p in zip(given, node.inputs)]
            for k, t in zip(self.places, given):
                args[k] = t
            tangents = self.op.function.jvp(self._bound(node, recorded, True), *args)
        if not isinstance(tangents, tuple):
            return tangents if tangents is None or recorded else tangents._value
        return Bundle({k: t if recorded else t._value for k, t in enumerate(tangents) if t is not None})

    def _transposed(self, node: Any, ts: Sequence[Any], recorded: bool) -> Any:
        # v ↦ Jᵀv is linear; its own vjp is t ↦ Jt.
        ctx, several = node.saved[0], self.several
        blanks = {k: Leaf(np.zeros(s[0], s[1]), s[0], GRAD) for k, s in enumerate(ctx._outputs) if _is_float(s)}
        seeds = {k: handle(leaf, canonical(leaf.value)) for k, leaf in blanks.items()}
        which = [i for i, t in enumerate(ts) if t is not None]
        with modes.enable_grad():
            ds = self._backward(node, Bundle(seeds) if several else seeds[0], which, recorded)
        pairs = [(d, ts[i]) for i, d in zip(which, ds) if d is not None and not _is_zero(d)]
        if any(d._node is None or d._node.level != GRAD for d, _ in pairs):
            raise NotDifferentiable(
                f"You are trying to use forward mode on {self.op.name}, but its backward is not written in symgrad's "
                "operations and it has no jvp. Define a static method jvp(ctx, *tangents)."
            )
        roots, tangents = [d._node for d, _ in pairs], [t for _, t in pairs]
        cotangents = sweep(
            roots, [conj(t) for t in tangents], wrt=list(blanks.values()), handle=handle if recorded else None
        )
        parts = {k: conj(cotangents[leaf]) for k, leaf in blanks.items() if cotangents.get(leaf) is not None}
        return Bundle(parts) if several else parts.get(0)


def _each(g: Any, f: Callable[[Any], Any]) -> Any:
    return Bundle({k: f(v) for k, v in g.parts.items()}) if isinstance(g, Bundle) else f(g)


def _seed(g: Any, k: int, spec: Any, materialize: bool) -> Any:
    """Return what backward is given for output k."""
    cotangent = g.parts.get(k) if isinstance(g, Bundle) else g
    if cotangent is not None or spec is None or not materialize:
        return cotangent
    return handle(None, canonical(np.zeros(*spec)))


def _is_float(spec: Any) -> bool:
    return spec is not None and is_differentiable(spec[1])


def _zeros(p: Any) -> Any:
    return handle(None, canonical(np.zeros(p.shape, p.dtype or np.float64)))


def _is_zero(d: Any) -> bool:
    return d._node is None and not np.any(d._value)


# ------------------------------------------------------------------ backward that is not a function of the engine's
class _Once(Op):
    """The first input, of which no derivative can be taken: backward was marked as differentiable once."""

    saves = ""
    gives = of_first
    dense = "nothing differentiates it"
    looped = "nothing differentiates it"
    not_exportable = "nothing differentiates it"
    explained = "marked as differentiable once"

    def forward(self, x: Any, *rest: Any) -> Any:
        """Return x as it is."""
        return x

    def out_shape(self, s: Any, *rest: Any) -> Any:
        """The shape stays."""
        return s

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        """Refuse a second derivative."""
        raise NotDifferentiable(f"{TWICE}. Leave the mark out if backward uses symgrad's operations only.")

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """Refuse a second derivative."""
        return self.vjp(0, None, y, *xs)


def _once(d: Any, seeds: Sequence[Any], inputs: Sequence[Any]) -> Any:
    value = handle(None, d._value)
    y = apply(_Once(), (value, *seeds, *inputs))
    return handle(y._node, d._value)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a ``backward`` that computes outside symgrad, for example in NumPy, so that it cannot be differentiated."""
    check_function("once_differentiable", backward)

    @wraps(backward)
    def run(ctx: Any, *grads: Any) -> Any:
        with modes.no_grad():
            return backward(ctx, *grads)

    run.once_differentiable = True  # type: ignore[attr-defined]
    return run


check_all(globals(), __all__)
