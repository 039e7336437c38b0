"""Statements that work in place: they rebind the handle to a new value and node, and that of a view's base.

Nothing that was saved for backward ever changes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.journal import changing
from symgrad.core.kernels import canonical
from symgrad.core.modes import enable_grad, is_grad_enabled, no_grad
from symgrad.core.node import CONSTANT, GRAD, Leaf, Node
from symgrad.engine.record import TensorBase, apply, as_tensor, handle
from symgrad.errors import ArgumentTypeError, DTypeError, GraphError, ShapeError
from symgrad.ops.convert import DETACH, Cast, into
from symgrad.ops.elementwise.declared import UNARY, clip_to, power
from symgrad.ops.indexing.select import setitem
from symgrad.ops.map import ADD, DIV, MUL, SECOND, SUB, broadcast_shapes, show_shape
from symgrad.ops.protocol import shape
from symgrad.ops.scaling import scaled
from symgrad.ops.shape import Expand
from symgrad.ops.slicing import Slice
from symgrad.ops.value import check_range, torch_dtype
from symgrad.scalars import SCALARS
from symgrad.support.arguments import shown
from symgrad.tensors.views import bring_up_to_date, is_written, landing, note_written

_LEAF = "a leaf Variable that requires grad is being used in an in-place operation."


def prepare(x: TensorBase) -> None:
    """Bring a view up to date; refuse to change a leaf that requires grad, or a view of one, while recording."""
    bring_up_to_date(x)
    node = x._node
    if node is None or node.level != GRAD or not is_grad_enabled():
        return
    if _is_parameter(node):
        raise GraphError(f"{_LEAF} Update parameters under no_grad(), or work on x.clone().")
    while not isinstance(node, Leaf) and node.op.shares:
        node = node.inputs[0]
    if _is_parameter(node):
        raise GraphError(f"a view of {_LEAF} Write to it under no_grad(), or to x.clone().")


def _is_parameter(node: Any) -> bool:
    """Whether a node is a leaf that requires grad; the variables of transforms may be rebound all the same."""
    if not isinstance(node, Leaf) or node.level != GRAD:
        return False
    return node.cell is None or not node.cell.rebindable


def _check_shape(x: TensorBase, sizes: Any) -> None:
    if sizes != shape(x):
        raise ShapeError(
            f"output with shape {show_shape(shape(x))} doesn't match the broadcast shape {show_shape(sizes)}. "
            "An in-place operation keeps the shape; write x = x + y instead."
        )


def _like(x: Any, source: Any) -> Any:
    """The tensor ``source`` in the shape and dtype of x."""
    _check_shape(x, broadcast_shapes(shape(x), shape(source)))
    source = into(source, x)
    if x._value is not None and source._value is not None:
        source = apply(Cast(np.asarray(x._value).dtype), (source,))
    elif source._node is None:
        value = canonical(np.asarray(source._value).astype(x.dtype))
        source = handle(Leaf(value, shape(source), CONSTANT), None)
    return apply(Expand(shape(x)), (source,))


def _written(x: Any, value: Any) -> Any:
    """What a statement writes into x: a Python number as it is, which takes x's dtype; of lists, numbers it holds."""
    if type(value) in (int, float):
        return value
    operand = as_tensor(value)
    if not isinstance(value, (TensorBase, np.ndarray)) and operand._value is not None:
        check_range(operand._value, x.dtype)
    return operand


def _replaced(x: Any, new: Any, label: str) -> Any:
    """Rebind x to ``new``; where x had a history it stays an input, with gradient zero, as in torch."""
    has_history = isinstance(x._node, Node) and x._node.level == GRAD
    return rebind(x, apply(SECOND, (x, new), label) if has_history else new)


def rebind(x: Any, new: Any) -> Any:
    """Let the handle x stand for ``new``, in x's shape and dtype; a leaf stays a leaf with the same ``.grad``."""
    _check_shape(x, shape(new))
    if new._value is None or x._value is None:
        new = _in_dtype_of(x, new)
    value, node = new._value, new._node
    if value is not None and x._value is not None:
        _check_cast(np.asarray(value).dtype, np.asarray(x._value).dtype)
        value = canonical(np.asarray(value).astype(np.asarray(x._value).dtype, copy=False))
    old = x._node
    if value is None and not is_grad_enabled() and _stays_parameter(old):
        node = apply(DETACH, (new,))._node
        node.level, node.cell = GRAD, old.cell
    constant = node is None and isinstance(old, Leaf) and old.level == CONSTANT
    if value is not None and (constant or not is_grad_enabled()):
        node = _unrecorded(old, value)
    changing(x)
    target = landing(x, handle(node, value))
    if target is not None:
        base, whole, recorded = target
        with nullcontext() if recorded else no_grad():
            rebind(base, whole)
    x._value, x._node = value, node
    note_written(x)
    return x


def _stays_parameter(node: Any) -> bool:
    """Whether a node stands for a parameter in a trace: its successor takes gradients to the same place."""
    if node is None or node.level != GRAD or node.cell is None or node.cell.rebindable:
        return False
    return isinstance(node, Leaf) or node.op is DETACH


def _unrecorded(old: Any, value: Any) -> Any:
    """The node after a change that is not recorded: a leaf stays a leaf with the same ``.grad``."""
    if not isinstance(old, Leaf):
        return old
    if old.level == CONSTANT and old.cell is None:
        return None
    return old.successor(value, np.shape(value), old.level, old.title)


def _in_dtype_of(x: Any, new: Any) -> Any:
    """The tensor ``new`` in the dtype of x, where a trace knows both."""
    if new.dtype == x.dtype:
        return new
    _check_cast(new.dtype, x.dtype)
    return apply(Cast(x.dtype), (new,))


def _term(x: Any, other: Any, alpha: Any) -> Any:
    if type(alpha) is int and alpha == 1:
        return other
    return scaled(x, other if type(other) in (int, float) else as_tensor(other), alpha)


def _check_cast(have: Any, want: Any) -> None:
    if not np.can_cast(have, want, "same_kind"):
        raise DTypeError(
            f"result type {torch_dtype(np.empty(0, have))} can't be cast to the desired output type "
            f"{torch_dtype(np.empty(0, want))}. Convert the tensor first, as in x.to(sg.{have})."
        )


def _of(name: str) -> Callable[..., Any]:
    """The method ``name`` in place: x ← x.name(…)."""

    def update(self: Any, *args: Any, **kwargs: Any) -> Any:
        prepare(self)
        return rebind(self, getattr(self, name)(*args, **kwargs))

    update.__name__ = update.__qualname__ = f"{name}_"
    update.__doc__ = f"Set x to x.{name}(…) in place, in x's shape and dtype."
    return update


def _rearranged(name: str) -> Callable[..., Any]:
    """The method ``name`` in place, which gives the handle another shape."""

    def update(self: Any, *args: Any, **kwargs: Any) -> Any:
        prepare(self)
        if getattr(self, "_origin", None) is not None:
            raise GraphError(
                f"{name}_: this tensor is a view, whose shape follows from its base. Write x = x.{name}(…)."
            )
        is_leaf = isinstance(self._node, Leaf) and self._value is not None
        with nullcontext() if is_leaf else enable_grad():
            new = getattr(self, name)(*args, **kwargs)
        changing(self)
        node = _unrecorded(self._node, new._value) if is_leaf and not is_grad_enabled() else new._node
        self._value, self._node = new._value, node
        note_written(self)
        return self

    update.__name__ = update.__qualname__ = f"{name}_"
    update.__doc__ = f"Set x to x.{name}(…) in place."
    return update


def _statement(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The statement ``x += y`` and its like: it rebinds the handle; x without axes becomes what a number would."""

    def update(self: Any, other: Any) -> Any:
        if not shape(self):
            _make_number(self)
        prepare(self)
        new = operate(self, other)
        grows = isinstance(new, TensorBase) and shape(self) == () and shape(new) != ()
        return new if grows and not _is_parameter(self._node) else rebind(self, new)

    return update


def _make_number(x: Any) -> None:
    """Let an entry be a number of its own, as in NumPy: ``s = x[0]`` followed by ``s += 1`` leaves x as it is."""
    origin = getattr(x, "_origin", None)
    if origin is not None and isinstance(origin[1], Slice):
        x._origin = None


_SAME_SHAPE = (
    "absolute", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "arccos", "arccosh", "arcsin", "arcsinh",
    "arctan", "arctan2", "arctanh", "atan2", "baddbmm", "bitwise_and", "bitwise_left_shift", "bitwise_not",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "clamp_max", "clamp_min", "conj_physical", "copysign",
    "cumprod", "cumsum", "deg2rad", "digamma", "divide", "eq", "fix", "float_power", "floor_divide", "fmod", "frac",
    "gcd", "ge", "greater", "greater_equal", "gt", "heaviside", "hypot", "index_add", "index_copy", "index_fill",
    "index_put", "index_reduce", "lcm", "ldexp", "le", "lerp", "less", "less_equal", "logical_and", "logical_not",
    "logical_or", "logical_xor", "logit", "lt", "masked_fill", "masked_scatter", "multiply", "mvlgamma",
    "nan_to_num", "ne", "negative", "not_equal", "polygamma", "put", "rad2deg", "reciprocal", "remainder", "renorm",
    "round", "rsqrt", "scatter", "scatter_add", "scatter_reduce", "sgn", "square", "subtract", "tril", "triu",
    "true_divide", "xlogy",
)  # fmt: skip
_OTHER_SHAPE = ("squeeze", "swapaxes", "swapdims", "t", "transpose", "unsqueeze")


def _declared() -> dict[str, Callable[..., Any]]:
    """The methods in place of methods that there are: of the declared functions of one argument, and of others."""
    names = [s.name for s in SCALARS.values() if s.public not in ("", "ops") and s.nargs == 1]
    kept = {f"{name}_": _of(name) for name in [*names, *_SAME_SHAPE]}
    return kept | {f"{name}_": _rearranged(name) for name in _OTHER_SHAPE}


Declared: Any = type("Declared", (TensorBase,), {"__slots__": (), "__doc__": "Functions as declared.", **_declared()})


class InPlace(Declared):
    """``x += 1``, ``x[i] = v``, ``x.mul_(2)``, ``x.zero_()`` and their like."""

    __slots__ = ()

    def _update(self, op: Any, *others: Any) -> Any:
        prepare(self)
        return rebind(
            self, apply(op, (self, *[o if isinstance(o, (int, float, sp.Expr)) else as_tensor(o) for o in others]))
        )

    __iadd__ = _statement(operator.add)
    __isub__ = _statement(operator.sub)
    __imul__ = _statement(operator.mul)
    __itruediv__ = _statement(operator.truediv)
    __imod__ = _statement(operator.mod)
    __ifloordiv__ = _statement(operator.floordiv)
    __iand__ = _statement(operator.and_)
    __ior__ = _statement(operator.or_)
    __ixor__ = _statement(operator.xor)
    __ipow__ = _statement(operator.pow)

    def __setitem__(self, key: Any, value: Any) -> None:
        if _is_parameter(self._node) and is_grad_enabled():
            raise GraphError(f"a view of {_LEAF} Assign under no_grad(), or to x.clone().")
        if is_written(self, key, value):
            return
        prepare(self)
        rebind(self, setitem(self, key, _written(self, value)))

    def __delitem__(self, key: Any) -> None:
        raise ArgumentTypeError(
            "del x[…]: a tensor keeps its shape. Write x[1:], or x[keep] with a mask or the indices of the entries "
            "to keep."
        )

    def add_(self, other: Any, *, alpha: float = 1) -> Any:
        """Add alpha·other to x in place."""
        return self._update(ADD, _term(self, other, alpha))

    def sub_(self, other: Any, *, alpha: float = 1) -> Any:
        """Subtract alpha·other from x in place."""
        return self._update(SUB, _term(self, other, alpha))

    def mul_(self, other: Any) -> Any:
        """Multiply x by other in place."""
        return self._update(MUL, other)

    def div_(self, other: Any) -> Any:
        """Divide x by other in place."""
        return self._update(DIV, other)

    def pow_(self, exponent: Any) -> Any:
        """Raise x to a power in place."""
        prepare(self)
        return rebind(self, power(self, exponent))

    def neg_(self) -> Any:
        """Negate x in place."""
        return self._update(UNARY["neg"])

    def sqrt_(self) -> Any:
        """Set x to its square root in place."""
        return self._update(UNARY["sqrt"])

    def clamp_(self, min: Any = None, max: Any = None) -> Any:
        """Clamp the entries of x to [min, max] in place."""
        prepare(self)
        return rebind(self, clip_to(self, min, max))

    def zero_(self) -> Any:
        """Set all entries of x to 0 in place; the gradient with respect to x's previous value is zero."""
        return self.fill_(0)

    def fill_(self, value: float) -> Any:
        """Set all entries of x to value in place; the gradient with respect to x's previous value is zero."""
        prepare(self)
        if isinstance(value, (int, float, complex)) and self._value is not None:
            old = np.asarray(self._value)
            check_range(value, old.dtype)
            return _replaced(self, handle(None, canonical(np.full(old.shape, value, dtype=old.dtype))), "Fill")
        source = as_tensor(value)
        if shape(source):
            raise ShapeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {len(shape(source))} dimensions. "
                "Use copy_."
            )
        return _replaced(self, _like(self, source), "Fill")

    def copy_(self, other: Any) -> Any:
        """Copy other into x in place, broadcast and converted to x's dtype."""
        prepare(self)
        if type(other) in (int, float):
            check_range(other, self.dtype)
        return _replaced(self, _like(self, as_tensor(_written(self, other))), "Copy")

    clip_ = clamp_


def statement(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that writes to its tensor as a function: PyTorch's ``sin_(x)`` for ``x.sin_()``."""

    @wraps(method)
    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(input, TensorBase):
            raise ArgumentTypeError(
                f"{method.__name__}: got input={shown(input)}. Expected a tensor, as {method.__name__} writes to it."
            )
        return method(input, *args, **kwargs)

    return call
