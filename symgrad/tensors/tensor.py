"""The tensor: gradients, properties, conversions. Operators, methods and in-place statements are mixed in.

A tensor is a value: it never aliases another.
"""

from __future__ import annotations

import types
import weakref
from typing import Any

import numpy as np

from symgrad.core import modes, printing
from symgrad.core.device import placed
from symgrad.core.ended import check_lives, trace_of
from symgrad.core.hooks import Hook, Hooks, RemovableHandle, hooks_on
from symgrad.core.journal import changing, changing_gradient
from symgrad.core.kernels import canonical
from symgrad.core.node import CONSTANT, GRAD, TRACED, Cell, Leaf, Node
from symgrad.core.pickling import read, written
from symgrad.core.promotion import is_differentiable
from symgrad.core.upcalls import UPCALLS
from symgrad.engine import backward
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.record import TensorBase, apply, as_tensor, handle, origin_of, register_tensor_class
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, GraphError, ShapeError, SymgradError
from symgrad.ops.convert import DETACH
from symgrad.ops.map import show_shape
from symgrad.support.arguments import check_methods
from symgrad.support.neighbours import WithMissing, answer_for_missing
from symgrad.support.notices import warn
from symgrad.tensors.methods_mixin import Mixed

_NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
    "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
    "you access the leaf Tensor instead."
)
_CHANGE = (
    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
    "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
)
_LEAF = (
    "requires_grad_(): it was called in a function that a transform such as sg.grad, sg.vmap or sg.compile runs, which "
    "would take the new leaf for a constant. Differentiate by sg.grad(f)(x) there, or call it outside of the function."
)


@register_tensor_class
class Tensor(Mixed, metaclass=WithMissing):
    """A number or an array of numbers that records how it was computed, so that it can be differentiated.

    Create one with ``sg.tensor(data, requires_grad=True)``, ``sg.zeros(2, 3)``, or ``sg.symbol("X", ("n", "d"))``.
    ``Tensor([1, 2])`` and ``Tensor(2, 3)`` are PyTorch's older spelling for numbers and for a size.
    """

    __slots__ = ()

    def __new__(cls, *data: Any, device: Any = None) -> Tensor:
        """Return numbers as a tensor of the default dtype, or zeros of a size."""
        return old_style(data, modes.get_default_dtype())

    def __init__(self, *data: Any, device: Any = None) -> None:
        """Do nothing; ``__new__`` creates the tensor."""

    def __dir__(self) -> list[str]:
        return dir(type(self))

    # -------------------------------------------------------------- what it is
    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes of the axes; those of a symbol may be SymPy expressions."""
        value = self._value
        if value is None:
            return self._node.shape  # type: ignore[no-any-return]
        return value.shape if type(value) is np.ndarray else ()

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype. A symbol has the default dtype, and results follow from the dtypes of their inputs."""
        value = self._value
        if type(value) is np.ndarray:
            return value.dtype  # type: ignore[no-any-return]
        if value is not None:
            return np.dtype(np.float64)
        return self._node.dtype or dtype_of(self._node)

    @property
    def name(self) -> str | None:
        """The name in formulas, or None."""
        return getattr(self._node, "title", None)

    @name.setter
    def name(self, name: str | None) -> None:
        check_name(name)
        if isinstance(self._node, Node):
            raise GraphError("name: only leaves can have names; this tensor is the result of an operation.")
        level = GRAD if self.requires_grad else TRACED if name else CONSTANT
        self._replace_leaf(self._value, level, name)

    def _replace_leaf(self, value: Any, level: int, name: str | None) -> None:
        """Put a new leaf behind this handle; what was computed before keeps the old one."""
        old = self._node if isinstance(self._node, Leaf) else None
        shape = self.shape if value is None else np.shape(value)
        changing(self)
        self._node = Leaf(value, shape, level, name) if old is None else old.successor(value, shape, level, name)

    # -------------------------------------------------------------- gradients
    @property
    def requires_grad(self) -> bool:
        """Whether a gradient flows to or through this tensor."""
        return self._node is not None and self._node.level == GRAD

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        check_flag("requires_grad", flag)
        if flag == self.requires_grad:
            return
        if isinstance(self._node, Node) and self._node.level == GRAD:
            raise GraphError(_CHANGE)
        if flag and not is_differentiable(self.dtype):
            raise DTypeError(
                f"only Tensors of floating point and complex dtype can require gradients. Got {self.dtype}; "
                "convert it with .to(sg.float64)."
            )
        if self._value is None or not modes.making_leaves():
            raise GraphError(_LEAF)
        self._set_leaf(flag)

    def _set_leaf(self, flag: bool = True) -> Tensor:
        """Put a leaf behind this handle that requires grad, or does not."""
        if flag and not is_differentiable(self.dtype):
            raise DTypeError(
                f"Only Tensors of floating point and complex dtype can require gradients. Got {self.dtype}; "
                "pass dtype=sg.float64, or floats such as 1.0."
            )
        title = getattr(self._node, "title", None)
        self._replace_leaf(self._value, GRAD if flag else TRACED if title else CONSTANT, title)
        self._origin = None  # a leaf is a tensor of its own
        if self._node.cell is None:
            self._node.cell = Cell()
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set whether operations on this leaf are recorded, and return the tensor."""
        check_flag("requires_grad_", requires_grad)
        if requires_grad and not is_differentiable(self.dtype):
            raise DTypeError(
                f"only Tensors of floating point dtype can require gradients. Got {self.dtype}; "
                "convert it with .to(sg.float64)."
            )
        self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether the tensor is a leaf, that is, not the result of a recorded operation."""
        return not (isinstance(self._node, Node) and self._node.level == GRAD)

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that computed the tensor, or None for a leaf."""
        return None if self.is_leaf else self._node

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient, or None before the first backward pass."""
        cell = getattr(self._node, "cell", None)
        if cell is None:
            if not self.is_leaf:
                warn(_NON_LEAF_GRAD)
            return None
        return cell.grad  # type: ignore[no-any-return]

    @grad.setter
    def grad(self, gradient: Tensor | None) -> None:
        if gradient is not None and not isinstance(gradient, Tensor):
            kind = f"{type(gradient).__module__}.{type(gradient).__name__}".removeprefix("builtins.")
            raise ArgumentTypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type {kind}. Use sg.tensor(…)."
            )
        if gradient is not None and gradient.shape != self.shape:
            raise ShapeError(
                f"attempting to assign a gradient of size '{show_shape(gradient.shape)}' to a tensor of size "
                f"'{show_shape(self.shape)}'. Please ensure that the gradient and the tensor are the same size."
            )
        if gradient is not None and gradient.dtype != self.dtype:
            raise DTypeError(
                f"attempting to assign a gradient with dtype '{gradient.dtype}' to a tensor with grad_dtype "
                f"'{self.dtype}'. Convert it with .to(sg.{self.dtype})."
            )
        if getattr(self._node, "cell", None) is None:
            if gradient is None:
                return
            self._ensure_cell()
        changing_gradient(self._node.cell, gradient is None)
        self._node.cell.grad = gradient

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    def _ensure_cell(self) -> None:
        if self._node is None or (isinstance(self._node, Leaf) and self._node.level == CONSTANT):
            changing(self)
            self._node = Leaf(self._value, self.shape, CONSTANT)
        self._node.cell = Cell()

    @property
    def output_nr(self) -> int:
        """The index of the tensor among the results of its ``grad_fn``: 0, because each result has its own node."""
        return 0

    @property
    def grad_expr(self) -> Any:
        """The closed form that ``backward(mode="symbolic")`` stored."""
        cell = getattr(self._node, "cell", None)
        return None if cell is None else cell.grad_expr

    @property
    def expr(self) -> Any:
        """The SymPy expression of a recorded tensor; forms are imported on first use."""
        return UPCALLS["expression"](self).expr

    def retain_grad(self) -> None:
        """Accumulate the gradient in ``.grad`` although this tensor is not a leaf."""
        if not self.requires_grad:
            raise GraphError(
                "can't retain_grad on Tensor that has requires_grad=False. Make an input with requires_grad=True."
            )
        if self._node.cell is None:
            self._node.cell = Cell()
        if isinstance(self._node, Node):
            hooks_on(self._node)  # so that sweeps look at it

    @property
    def retains_grad(self) -> bool:
        """Whether this tensor accumulates its gradient although it is not a leaf."""
        return not self.is_leaf and self._node.cell is not None

    def _hooks(self) -> Hooks:
        if not self.requires_grad:
            raise GraphError(
                "cannot register a hook on a tensor that doesn't require gradient. Make it with requires_grad=True."
            )
        if isinstance(self._node, Node):
            return hooks_on(self._node)
        return self._node._held()  # type: ignore[no-any-return]

    def register_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(g)`` whenever the gradient g with respect to this tensor is computed.

        If the hook returns a tensor, it replaces the gradient, also in ``.grad`` and for earlier tensors. The method
        ``remove()`` of the returned handle removes the hook.

        Raises:
            GraphError: if the tensor does not require grad.

        >>> x = sg.tensor(1.0, requires_grad=True)
        >>> handle = x.register_hook(lambda g: 2 * g)
        >>> (3 * x).backward()
        >>> x.grad
        tensor(6.)
        """
        return self._hooks().tensor.add(hook)

    def register_post_accumulate_grad_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(self)`` whenever a backward pass has accumulated into ``.grad`` of this leaf.

        Raises:
            GraphError: if the tensor is not a leaf, or does not require grad.
        """
        if not self.is_leaf:
            raise GraphError(
                "post accumulate grad hooks cannot be registered on non-leaf tensors. Use register_hook, or a leaf."
            )
        hooks = self._hooks()
        hooks.owner = weakref.ref(self)
        return hooks.accumulated.add(hook)

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
        *,
        mode: str = "numeric",
    ) -> None:
        """Accumulate the gradient dx̄ += Jᵀ·gradient into ``.grad`` of every leaf x.

        Args:
            gradient: the cotangent, shaped like this tensor; optional if the tensor has one element.
            retain_graph: whether to keep the saved values for a second backward pass; by default the value of
                ``create_graph``.
            create_graph: whether to record the graph of the gradient, for higher orders.
            inputs: the leaves to accumulate into; by default all.
            mode: "numeric", or "symbolic" to store closed forms in ``.grad_expr`` and leave ``.grad`` unchanged.

        Raises:
            GraphError: if the tensor does not require grad; it is not a scalar and no gradient is given; or saved
                values have been freed.
            ShapeError: if gradient does not have the shape of this tensor.
        """
        backward.run(self, gradient, retain_graph, create_graph, inputs, mode)

    def detach(self) -> Tensor:
        """Return the same value without its history. A symbol remains a symbol, which is treated as a constant."""
        title = self.name if isinstance(self._node, Leaf) else None
        if self._value is None:
            detached = apply(DETACH, (self,))
        else:
            detached = handle(Leaf(self._value, self.shape, TRACED, title) if title else None, self._value)
        detached._origin = origin_of(self, DETACH)
        return detached  # type: ignore[no-any-return]

    def detach_(self) -> Tensor:
        """Remove the history of the tensor in place, and return it. A view becomes an independent tensor."""
        changing(self)
        self._origin = None
        self._node = None if self._value is not None else self.detach()._node
        return self

    @property
    def data(self) -> Tensor:
        """The value without history. An assignment replaces the value, and leaves ``.grad`` unchanged."""
        return self.detach()

    @data.setter
    def data(self, other: Tensor) -> None:
        if not isinstance(other, Tensor):
            kind = f"{type(other).__module__}.{type(other).__name__}".removeprefix("builtins.")
            raise ArgumentTypeError(f"Variable data has to be a tensor, but got {kind}. Use sg.tensor(…).")
        value = other._known("data")
        if self.requires_grad and not is_differentiable(other.dtype):
            raise DTypeError(
                f"data set to a tensor that requires gradients must be floating point or complex dtype. "
                f"Got {other.dtype}."
            )
        if isinstance(self._node, Node):
            if other.shape != self.shape:
                raise ShapeError(f"data: got shape {show_shape(other.shape)}, expected {show_shape(self.shape)}.")
        elif self._node is not None:
            self._replace_leaf(value, self._node.level, self._node.title)
        changing(self)
        self._value, self._origin = value, None

    # -------------------------------------------------------------- printing, copying
    def __repr__(self) -> str:
        if self._value is None:
            ended = trace_of(self._node)
            if ended is not None:
                return f"symbol(shape={show_shape(self.shape)}, kept by {ended.function} beyond its trace)"
            title = f"{self.name!r}, " if self.name else ""
            return f"symbol({title}shape={show_shape(self.shape)})"
        suffixes = []
        if not self.is_leaf:
            suffixes.append(f"grad_fn=<{self._node.kind}>")
        elif self.requires_grad:
            suffixes.append("requires_grad=True")
        return printing.format_tensor(self._value, suffixes=suffixes, default_dtype=modes.get_default_dtype())

    def __str__(self) -> str:
        """A tensor without a value prints as its formula."""
        if self._value is not None or trace_of(self._node) is not None:
            return repr(self)
        try:
            return str(UPCALLS["expression"](self))
        except SymgradError:
            return repr(self)

    def __deepcopy__(self, memo: dict[Any, Any]) -> Tensor:
        if not self.is_leaf:
            raise GraphError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                "moment. Use x.detach().clone() or x.clone()."
            )
        self._check_kept("copy.deepcopy(x)")
        new = restore(np.array(self._known("deepcopy")), self.requires_grad, self.name)
        gradient = getattr(getattr(self._node, "cell", None), "grad", None)
        if gradient is not None:
            new.grad = handle(None, gradient._value)
        memo[id(self)] = new
        return new

    def __copy__(self) -> Tensor:
        if self._value is None or not self.is_leaf or self._is_followed():
            return handle(self._node, self._value)  # type: ignore[no-any-return]
        return restore(self._value, self.requires_grad, self.name)  # a leaf of its own, with its own .grad

    def __reduce__(self) -> Any:
        if self._value is None:
            check_lives(self._node)
            return restore_symbol, (written([self._node]),)
        self._check_kept("pickle.dumps(x)")
        return restore, (np.asarray(self._value), self.requires_grad, self.name)


def _named_after_tensor() -> None:
    """Let Python's errors about arguments say ``Tensor.add_()``, not the name of the class that has the method."""
    for cls in Tensor.__mro__:
        for name, method in vars(cls).items():
            while isinstance(method, types.FunctionType) and method.__qualname__ == f"{cls.__name__}.{name}":
                method.__qualname__ = f"Tensor.{name}"
                method = getattr(method, "__wrapped__", None)


_named_after_tensor()
answer_for_missing(Tensor)
check_methods(*[kind for kind in Tensor.__mro__ if kind.__module__.startswith("symgrad.tensors")])


@placed
def old_style(data: tuple[Any, ...], dtype: Any, device: Any = None) -> Tensor:
    """Return what PyTorch's ``FloatTensor(…)`` does: zeros of a size, or the numbers of a list, in this dtype."""
    if all(isinstance(n, (int, np.integer)) and not isinstance(n, (bool, np.timedelta64)) for n in data):
        value: Any = np.zeros(data or (0,), dtype)
    elif len(data) == 1 and isinstance(data[0], (list, tuple, np.ndarray, TensorBase)):
        made: Tensor = as_tensor(data[0])._check_kept("Tensor(x)") or as_tensor(data[0]).detach().to(dtype)
        return made
    else:
        raise ArgumentTypeError(
            f"Tensor(): got {data!r}. Expected a list of numbers, or sizes; sg.tensor(2.5) is a number."
        )
    return handle(None, canonical(value))  # type: ignore[no-any-return]


class OfDtype:
    """A type such as ``sg.LongTensor``: calling it creates a tensor of this dtype; ``isinstance`` checks for it."""

    def __init__(self, name: str, dtype: Any) -> None:
        self.__name__, self.dtype = name, np.dtype(dtype)

    def __call__(self, *data: Any, device: Any = None) -> Tensor:
        return old_style(data, self.dtype, device=device)

    def __instancecheck__(self, x: Any) -> bool:
        return isinstance(x, Tensor) and x.dtype == self.dtype

    def __repr__(self) -> str:
        return f"sg.{self.__name__}"


_OLD_NAMES = {
    "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "LongTensor": "int64",
    "IntTensor": "int32", "ShortTensor": "int16", "CharTensor": "int8", "ByteTensor": "uint8", "BoolTensor": "bool",
}  # fmt: skip
OF_DTYPE = {name: OfDtype(name, dtype) for name, dtype in _OLD_NAMES.items()}


def restore(value: Any, requires_grad: bool, name: str | None) -> Tensor:
    """Rebuild a leaf from a pickle."""
    t: Tensor = handle(None, canonical(value))
    if name is not None:
        t.name = name
    return t._set_leaf() if requires_grad else t


def restore_symbol(graph: Any) -> Tensor:
    """Rebuild a tensor without a value, and the graph that it stands for, from a pickle."""
    t: Tensor = handle(read(graph)[0], None)
    return t


def check_flag(where: str, requires_grad: Any) -> None:
    """Refuse a ``requires_grad`` that is neither True nor False."""
    if not isinstance(requires_grad, (bool, np.bool_)):
        raise ArgumentTypeError(
            f"{where}(): argument 'requires_grad' must be bool, not {type(requires_grad).__name__}. "
            f"Got {requires_grad!r}; pass True or False."
        )


def check_name(name: Any) -> None:
    """Refuse names that are not text. Any text will do: names are never executed, only printed."""
    if name is not None and (not isinstance(name, str) or not name or len(name) > 200):
        raise ArgumentError(f"name: got {name!r}. Expected a non-empty string of at most 200 characters, or None.")
