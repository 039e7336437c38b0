"""Applying operations to tensors: compute the value, and record a node where there is one to record.

The fast paths for elementwise operations are the cost of the tape, so they are written out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar
from weakref import ref

import numpy as np
import sympy as sp

from symgrad import errors
from symgrad.core import hooks, modes
from symgrad.core import node as nodes
from symgrad.core.ended import ENDED, check_lives
from symgrad.core.kernels import ARITHMETIC, canonical
from symgrad.core.node import CONSTANT, GRAD, TRACED, AnyNode, Leaf, Node, make_node
from symgrad.core.promotion import COMPLEX128, FLOAT64, FLOATING, is_complex, is_floating, kind_of, kind_of_number
from symgrad.engine.dtypes import dtype_of
from symgrad.ops.contract import Einsum
from symgrad.ops.convert import DETACH
from symgrad.ops.map import POW, Map
from symgrad.ops.protocol import Op, Traced, check_numbers, failed, refused
from symgrad.ops.protocol import shape as shape_of
from symgrad.ops.shapes.nested import holds_tensors, stacked
from symgrad.ops.value import to_value

_new = object.__new__
_grad_mode = modes.recording
_ndarray = np.ndarray
_LAST_INTEGER = np.dtype(np.uint64).num  # NumPy numbers booleans and integers first
_NUMBERS = (int, float)
_COMPLEX = (np.dtype(np.complex64).num, np.dtype(np.complex128).num)
_SEEN: ContextVar[dict[int, Any] | None] = ContextVar("symgrad_seen", default=None)


class TensorBase(Traced):
    """A handle on a value (Python float, ndarray, or None for a symbol) and on the node that made it.

    ``_origin`` is set in views alone, since setting it costs time: it says where statements in place write to.
    """

    __slots__ = ("__weakref__", "_node", "_origin", "_value")
    _value: Any
    _node: Any
    _origin: Any

    def _apply(self, op: Op, args: tuple[Any, ...]) -> Any:
        if type(op) is Einsum and len(args) == 2 and type(args[0]) is type(args[1]):
            return contraction(op, *args)
        if type(op) is Map and (self._value is None or (len(args) > 1 and _is_symbol(args[1]))):
            return on_symbols(op, args)
        if not args and self._value is None:  # the identity in a formula stays one, whatever its size
            return handle(_record(op, (), (), None, op.out_shape(), TRACED), None)
        tensor = apply(op, args)
        if op.shares:
            tensor._origin = origin_of(self, op)
        return tensor


def origin_of(base: Any, op: Op) -> tuple[Any, Op, Any, Any]:
    """Return where a view comes from: its base, weakly; the operation that reads it there; the base's own origin.

    Last comes what the base is now, where it is a symbol: whether a value has changed is seen by looking at it.
    """
    further = getattr(base, "_origin", None)
    while further is not None and further[0]() is None and (further[2] is None or further[1] is op is DETACH):
        further = further[2]  # so that views of views in a loop do not pile up
    return ref(base), op, further, base._node if base._value is None else None


def _is_symbol(x: Any) -> bool:
    return type(x) is Tensor and x._value is None


Tensor: Any = TensorBase
C = TypeVar("C", bound=type[TensorBase])


def register_tensor_class(cls: C) -> C:
    """Make results of this class. Used once, to decorate the Tensor class."""
    global Tensor
    Tensor = cls
    return cls


_WATCHERS: dict[str, Callable[[Node], None]] = {}


def new_node(*args: Any) -> Node:
    """Return a node, and show it to those who watch."""
    return make_node(*args)


def _make_watched(*args: Any) -> Node:
    node = nodes.make_node(*args)
    for watch in _WATCHERS.values():
        watch(node)
    return node


def watch_nodes(name: str, watch: Callable[[Node], None] | None) -> None:
    """Show each node to ``watch`` when it is made from now on, or stop it: costs nothing while nobody watches."""
    global make_node
    _WATCHERS.pop(name, None)
    if watch is not None:
        _WATCHERS[name] = watch
    make_node = _make_watched if _WATCHERS else nodes.make_node  # type: ignore[assignment]


def handle(node: AnyNode | None, value: Any) -> Any:
    """Return a tensor of a node and a value."""
    t = _new(Tensor)
    t._node, t._value = node, value
    return t


def _shown_to_hooks(g: Any) -> Any:
    return handle(g._node, g._value) if isinstance(g, TensorBase) else handle(None, canonical(g))


def _from_hook(answer: Any, g: Any, name: str) -> Any:
    """Return what a hook made of the gradient g, as the sweep computes with it."""
    if not isinstance(answer, TensorBase):
        raise errors.ArgumentTypeError(
            f"expected Variable, but hook returned '{type(answer).__name__}'. Return a tensor from {name}, or None."
        )
    if shape_of(answer) != shape_of(g):
        raise errors.ShapeError(
            f"hook '{name}' has changed the size of value. Got {list(shape_of(answer))}, expected {list(shape_of(g))}."
        )
    return answer if isinstance(g, TensorBase) else answer._value


hooks.convert_gradients(_shown_to_hooks, _from_hook)


def as_tensor(x: Any) -> Any:
    """Return x as a tensor: itself, or a copy of a number, array or nested sequence; tensors in it are stacked."""
    if isinstance(x, TensorBase):
        if x._value is None and ENDED:
            check_lives(x._node)
        return x
    if isinstance(x, sp.Expr):
        return handle(Leaf(_real(x), (), TRACED), None)
    return stacked(x) if holds_tensors(x) else handle(None, to_value(x))


def input_of(x: Any) -> Any:
    """Return the entry of ``Node.inputs`` for a tensor; a constant gets its leaf when it is first used."""
    if x._node is None:
        x._node = Leaf(x._value, x._value.shape if type(x._value) is _ndarray else (), CONSTANT)
    return x._node


# ------------------------------------------------------------------ any operation
def apply(op: Op, args: Sequence[Any], label: str | None = None) -> Any:
    """Apply an operation: compute the value where all inputs have theirs, and record the node."""
    ins: Sequence[Any] = args
    level, known, imaginary = CONSTANT, True, False
    values = []
    for a in args:
        if type(a) is Tensor:
            v, n = a._value, a._node
            if v is None:
                known = False
                if ENDED:
                    check_lives(n)
            if n is not None and n.level > level:
                level = n.level
            if type(v) is _ndarray and v.dtype.num in _COMPLEX:
                imaginary = True
            values.append(v)
        elif type(a) is float or type(a) is int:
            values.append(a)
        elif type(a) is complex:
            imaginary = True
            values.append(a)
        elif isinstance(a, TensorBase) or not _is_operand(a):
            return apply(op, [_operand(x) for x in args], label)
        else:
            return _formal(op, args, label)
    y: Any = None
    if imaginary or (modes.complexes.met and not known and _any_complex(args)):
        modes.complexes.met = True
        op = op.in_complex()
    if known:
        y = _compute(op, values)
        if y is None:
            return _formal(op, args, label)
        shape = y.shape if type(y) is _ndarray else ()
        if level == CONSTANT or not _grad_mode():
            return handle(None, y)
    elif _all_known(stored := [_stored(a) for a in args]):
        return apply(
            op, [_as_number(v) if isinstance(v, sp.Expr) else a for a, v in zip(args, stored, strict=True)], label
        )
    else:
        shape = op.out_shape(*[a._node.shape if type(a) is Tensor and a._value is None else shape_of(a) for a in ins])
        _check_traced(op, ins)
    node = _record(op, ins, values, y, shape, level, label)
    if known:
        return handle(node, y)
    if not modes.complexes.met and type(op) is not Map:  # of real numbers maps make real ones
        modes.complexes.met = is_complex(dtype_of(node))
    _note(ins)
    t = handle(node, None)
    return t if op is DETACH or _grad_mode() else apply(DETACH, (t,))


def on_symbols(op: Map, args: Sequence[Any]) -> Any:
    """Apply an elementwise operation to real tensors, some without a value: the common case while tracing.

    This is ``apply``'s short way. Floating-point numbers of one dtype make the like, so nobody need ask for it later.
    """
    shape: Any = None
    dtype: Any = None
    inputs, values, active, fits, large = [], [], [], not modes.complexes.met, False
    for i, a in enumerate(args):
        if type(a) is Tensor:
            v, p = a._value, a._node
            if v is None:
                if ENDED:
                    check_lives(p)
                own = p.dtype
                if p.value is not None:  # an expression of sizes, say
                    return apply(op, args)
            else:
                p = p or input_of(a)
                own = v.dtype if type(v) is _ndarray else FLOAT64 if dtype is None and type(v) is float else dtype
                fits = fits and (own is None or not is_complex(own))
            if shape is None:
                shape, dtype = p.shape, own
            else:
                fits = fits and p.shape == shape
                dtype = dtype if own is dtype else None
            if p.level == GRAD:
                active.append(i)
            inputs.append(p)
            values.append(v)
        elif type(a) is float or type(a) is int:
            inputs.append(a)
            values.append(a)
            large = large or not -1 < a < 128
        else:
            return apply(op, args)
    if not fits:
        return apply(op, args)
    if large:
        _check_traced(op, args)
    which = tuple(active)
    plan = op.plans.get(which) or op.plan(which, len(inputs))
    saved = plan.pack_fast(None, *values) if active else ()
    node = make_node(plan, tuple(inputs), saved, shape, GRAD if active else TRACED, True)
    if dtype is not None and is_floating(dtype) and not op.truth:
        node.dtype = dtype
    if _SEEN.get() is not None:
        _note(args)
    t = handle(node, None)
    return t if _grad_mode() else apply(DETACH, (t,))


def _any_complex(args: Sequence[Any]) -> bool:
    """Whether a symbol among the arguments, or a value, is complex."""
    return any(isinstance(a, TensorBase) and is_complex(a.dtype) for a in args)  # type: ignore[attr-defined]


def _check_traced(op: Op, args: Sequence[Any]) -> None:
    """Refuse a number that no array of the result's dtype holds, as where values are known."""
    for a in args:
        if type(a) in _NUMBERS and not -1 < a < 128:  # what all dtypes of integers hold needs no look
            typed: list[Any] = list(args)
            kinds = [kind_of(x.shape, x.dtype) if isinstance(x, Tensor) else kind_of_number(x) for x in typed]
            return check_numbers(op, args, kinds)


@contextmanager
def noting() -> Iterator[dict[int, Any]]:
    """Collect the tensors, by the id of their node, that operations without a value are applied to in here."""
    seen: dict[int, Any] = {}
    token = _SEEN.set(seen)
    try:
        yield seen
    finally:
        _SEEN.reset(token)


def _note(ins: Sequence[Any]) -> None:
    seen = _SEEN.get()
    if seen is None:
        return
    for a in ins:
        if isinstance(a, TensorBase) and (a._value is not None or id(a._node) not in seen):
            seen[id(a._node)] = handle(a._node, a._value)  # as it is now: an in-place statement may rebind ``a``


def _is_operand(a: Any) -> bool:
    return isinstance(a, (TensorBase, int, float, complex, sp.Expr)) and not isinstance(a, np.generic)


def _operand(a: Any) -> Any:
    """Return a number or a size as it is, and anything else as a tensor, subclasses of tensors included."""
    if isinstance(a, TensorBase):
        return a if type(a) is Tensor else handle(input_of(a), a._value)
    return a if _is_operand(a) else as_tensor(a)


def _formal(op: Op, args: Sequence[Any], label: str | None) -> Any:
    """Apply an operation to a symbolic size among others, or to numbers for a result of such sizes: it is a symbol."""
    values = [a._value if isinstance(a, TensorBase) else _real(a) if isinstance(a, sp.Expr) else a for a in args]
    shape = op.out_shape(*[shape_of(a) for a in args])
    if not any(isinstance(v, sp.Expr) for v in (*values, *shape)):  # a bool, say
        return apply(op, [a if isinstance(a, TensorBase) else a + 0 for a in args], label)
    if _all_known(values):
        return apply(op, [_as_number(a) for a in args], label)
    level = max([a._node.level for a in args if isinstance(a, TensorBase) and a._node is not None], default=CONSTANT)
    node = _record(op, args, values, None, shape, level, label)
    _note(args)
    return handle(node, None)


def _stored(a: Any) -> Any:
    """The number, array or SymPy expression that an argument holds; None for a symbol."""
    return a if not isinstance(a, TensorBase) else a._value if a._value is not None else a._node.value


def _all_known(values: Sequence[Any]) -> bool:
    """Whether all inputs are numbers and arrays; SymPy's numbers, such as pi or Integer(2), count as numbers."""
    numbers = False
    for v in values:
        if v is None:
            return False
        if isinstance(v, sp.Expr):
            if v.free_symbols:
                return False
            numbers = True
    return numbers


def _real(e: Any) -> Any:
    """Return an expression of sizes and numbers, refusing a complex one."""
    if e.is_extended_real is False:
        raise errors.ArgumentTypeError(f"sizes and numbers in formulas must be real. Got {e}; pass a complex tensor.")
    return e


def _as_number(a: Any) -> Any:
    """Return one of SymPy's numbers as Python's; all else as it is."""
    if not isinstance(a, sp.Expr):
        return a
    return int(a) if a.is_Integer else float(a)


def _compute(op: Op, values: Sequence[Any]) -> Any:
    """Return the value; None where sizes of the result are symbolic."""
    try:
        for v in values:
            if type(v) is complex or (
                type(v) is _ndarray and (v.dtype.num <= _LAST_INTEGER or v.dtype.num in _COMPLEX)
            ):
                values = _brought(op, values)
                break
        return canonical(op.forward(*values))
    except errors.SymgradError:
        raise
    except TypeError as error:
        if any(isinstance(n, sp.Expr) for n in op.out_shape(*[shape_of(v) for v in values])):
            return None
        raise refused(op, error) from error
    except OverflowError as error:
        raise failed(op, error) from error
    except (ValueError, IndexError) as error:
        op.out_shape(*[shape_of(v) for v in values])  # raises the better message, if shapes are the reason
        raise failed(op, error) from error


def _brought(op: Op, values: Sequence[Any]) -> Sequence[Any]:
    """Bring integers and booleans to what the operation computes in: a number that wraps, or has eleven digits,
    on the way to a floating-point result would spoil it.
    """
    kinds = [kind_of(v.shape, v.dtype) if type(v) is _ndarray else kind_of_number(v) for v in values]
    check_numbers(op, values, kinds)
    if complex in kinds:
        return _beside_complex(values)
    dtypes = op.operands(*kinds)
    return [
        v.astype(d) if d is not None and type(v) is _ndarray and v.dtype.num <= _LAST_INTEGER and v.dtype != d else v
        for v, d in zip(values, dtypes, strict=True)
    ]


def _beside_complex(values: Sequence[Any]) -> Sequence[Any]:
    """A complex number, or a tensor of one, takes the precision of the arrays beside it."""
    if any(type(v) is _ndarray and (v.ndim or v.dtype != COMPLEX128) for v in values):
        return [v.item() if type(v) is _ndarray and v.dtype == COMPLEX128 and not v.ndim else v for v in values]
    return [np.complex128(v) if type(v) is complex else np.float64(v) if type(v) is float else v for v in values]


def _record(
    op: Op,
    ins: Sequence[Any],
    values: Sequence[Any],
    y: Any,
    shape: Any,
    level: int,
    label: str | None = None,
) -> Node:
    if level == GRAD and (op is DETACH or (type(y) is _ndarray and y.dtype.type not in FLOATING)):
        level = TRACED  # comparisons and indices carry no gradient
    inputs, active, fits = [], [], type(op) is Map
    for i, a in enumerate(ins):
        if not isinstance(a, TensorBase):
            inputs.append(a)
            continue
        p = a._node
        if p is None:
            p = input_of(a)
        elif p.level == GRAD == level:
            active.append(i)
        fits = fits and p.shape == shape  # of every input: a symbolic sweep goes towards any of them
        inputs.append(p)
    if type(y) is _ndarray and y.dtype.num in _COMPLEX:
        modes.complexes.met, fits = True, False  # real inputs take the real part of their cotangents
    which = tuple(active)
    plan = op.plans.get(which) if label is None and op.plans is not None else None
    if plan is None:
        plan = op.plan(which, len(inputs), label)
    return make_node(plan, tuple(inputs), plan.pack(y, values) if active else (), shape, max(level, TRACED), fits)


# ------------------------------------------------------------------ elementwise operations, fast
# "Compute, decide, record" stands four times below, on purpose. One function for ``unary`` and ``with_number`` takes
# one to three per cent longer for each operation on numbers, and matrix times vector by ``apply`` half as long again as
# by ``contraction``; a shared end would be one more call in each of them.
def unary(op: Map, a: Any) -> Any:
    """Apply an elementwise operation to one tensor."""
    x = a._value
    if type(x) is float:
        try:
            y = op.on_float(x)
        except ARITHMETIC:
            y = op.forward(np.float64(x))
        shape: Any = ()
    elif x is None:
        return on_symbols(op, (a,))
    elif x.dtype.num in _COMPLEX:
        return apply(op, (a,))
    else:
        try:
            y = op.on_array(x)
        except TypeError:
            y = _compute(op, (x,))  # raises what it is
        if type(y) is not _ndarray:
            y = canonical(y)
        shape = x.shape
    node = a._node
    out = _new(Tensor)
    out._value = y
    if node is None or node.level == CONSTANT or not _grad_mode():
        out._node = None
        if type(y) is _ndarray and y.dtype is not x.dtype and y.dtype.type in FLOATING:
            out._value = _compute(op, (x,))  # of integers
        return out
    if node.level != GRAD:
        out._node = _record(op, (a,), (x,), y, shape, node.level)
        return out
    plan = op.first or op.plan((0,), 1)
    out._node = make_node(plan, (node,), plan.pack_fast(y, x), shape, GRAD, True)
    return out


def binary(op: Map, a: Any, b: Any) -> Any:
    """Apply an elementwise operation to two tensors."""
    x, z = a._value, b._value
    if type(x) is float and type(z) is float:
        try:
            y = op.on_float(x, z)
        except ARITHMETIC:
            y = op.forward(np.float64(x), np.float64(z))
        shape: Any = ()
    elif (
        type(x) is _ndarray
        and type(z) is _ndarray
        and x.shape == z.shape
        and x.dtype is z.dtype
        and x.dtype.num not in _COMPLEX
    ):
        try:
            y = op.on_array(x, z)
        except TypeError:
            y = _compute(op, (x, z))  # raises what it is
        shape = x.shape
    elif x is None or z is None:
        return on_symbols(op, (a, b))
    else:
        return apply(op, (a, b))
    if type(y) is not float and type(y) is not _ndarray:
        y = canonical(y)
    n, m = a._node, b._node
    out = _new(Tensor)
    out._value = y
    if (
        n is None
        or m is None
        or n.level != GRAD
        or m.level != GRAD
        or (type(y) is _ndarray and y.dtype.type not in FLOATING)
    ):
        if type(y) is _ndarray and y.dtype.type in FLOATING and y.dtype is not x.dtype:
            out._value = y = _compute(op, (x, z))  # of integers
        out._node = _mixed(op, a, b, x, z, y, shape)
        return out
    if not _grad_mode():
        out._node = None
        return out
    plan = op.both or op.plan((0, 1), 2)
    out._node = make_node(plan, (n, m), plan.pack_fast(y, x, z), shape, GRAD, True)
    return out


def contraction(op: Einsum, a: Any, b: Any) -> Any:
    """Contract two tensors, whose shapes fit: the fast path of ``apply`` for products."""
    x, z, n, m = a._value, b._value, a._node, b._node
    here = CONSTANT if n is None else n.level
    there = CONSTANT if m is None else m.level
    arrays = type(x) is _ndarray and type(z) is _ndarray
    if not arrays or (here < GRAD and there < GRAD) or x.dtype != z.dtype or x.dtype.num in _COMPLEX:
        return apply(op, (a, b))
    y = op.forward(x, z)
    out = _new(Tensor)
    out._value = y
    if not _grad_mode():
        out._node = None
        return out
    active = (0, 1) if here == there else (0,) if here == GRAD else (1,)
    plan = op.plans.get(active) or op.plan(active, 2)
    inputs = (n if n is not None else input_of(a), m if m is not None else input_of(b))
    saved = (None, x if there == GRAD else None, z if here == GRAD else None)
    out._node = make_node(plan, inputs, saved, y.shape if type(y) is _ndarray else (), GRAD, True)
    return out


def _mixed(op: Map, a: Any, b: Any, x: Any, z: Any, y: Any, shape: Any) -> Node | None:
    """Record an operation whose two tensors do not both require grad."""
    n, m = a._node, b._node
    level = max(CONSTANT if n is None else n.level, CONSTANT if m is None else m.level)
    if level == CONSTANT or not _grad_mode():
        return None
    return _record(op, (a, b), (x, z), y, shape, level)


def with_number(op: Map, a: Any, c: float) -> Any:
    """Apply an elementwise operation to a tensor and a Python number."""
    x = a._value
    if type(x) is float:
        try:
            y = op.on_float(x, c)
        except ARITHMETIC:
            y = _compute(op, (np.float64(x), c))
        shape: Any = ()
    elif x is None:
        return on_symbols(op, (a, c))
    elif x.dtype.num in _COMPLEX:
        return apply(op, (a, c))
    else:
        try:
            y = _compute(op, (x, c)) if op is POW else op.on_array(x, c)
        except (TypeError, OverflowError):
            y = _compute(op, (x, c))  # raises what it is
        shape = x.shape
    if type(y) is not float and type(y) is not _ndarray:
        y = canonical(y)
    node = a._node
    out = _new(Tensor)
    out._value = y
    if node is None or node.level == CONSTANT or not _grad_mode():
        out._node = None
        return out
    if node.level != GRAD or (type(y) is _ndarray and y.dtype.type not in FLOATING):
        out._node = _record(op, (a, c), (x, c), y, shape, node.level)
        return out
    plan = op.first or op.plan((0,), 2)
    out._node = make_node(plan, (node, c), plan.pack_fast(y, x, c), shape, GRAD, True)
    return out
