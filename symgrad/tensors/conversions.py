"""From tensors to Python numbers, NumPy arrays and other dtypes."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import numpy as np

from symgrad.core import modes
from symgrad.core.device import CPU, DEVICES
from symgrad.core.device import device as device_named
from symgrad.core.ended import check_lives
from symgrad.core.node import GRAD, reaches
from symgrad.core.promotion import is_integer
from symgrad.engine.dtypes import dtype_of as node_dtype
from symgrad.engine.record import TensorBase, apply
from symgrad.errors import (
    ArgumentTypeError,
    DTypeError,
    GraphError,
    IndexRangeError,
    ShapeError,
    ValueNeeded,
)
from symgrad.ops.convert import Cast
from symgrad.ops.map import IDENTITY, show_shape
from symgrad.ops.protocol import shape
from symgrad.ops.value import check_dtype
from symgrad.support.notices import warn

_LOST = (
    "{}: this is a variable of a transform such as sg.grad, or computed from one, and its gradient would be lost. "
    "Write sg.exp(x) or np.exp(x) for math.exp(x), sg.stack([a, b]) for an array that is filled entry by entry, "
    "np.sum(sg.asarray(a), initial=x) where only an option of NumPy's function is a tensor, and x.detach() where only "
    "the number is meant."
)
_NUMPY = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Let NumPy refuse writes to an array that PyTorch would share with the tensor."""
    array.flags.writeable = False
    return array


class Conversions(TensorBase):
    """What Python and NumPy see of a tensor. All of it needs a value."""

    __slots__ = ()

    def _wants_grad(self) -> bool:
        return self._node is not None and self._node.level == GRAD

    def _known(self, what: str) -> Any:
        if self._value is None:
            check_lives(self._node)
            raise ValueNeeded(
                f"{what}: this tensor is a symbol and has no value. While tracing, choose with sg.where instead of "
                "if, write sg.exp(x) for math.exp(x), and return what is used outside; for a number, evaluate the "
                "closed form with .lambdify()."
            )
        return self._value

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return a copy as a read-only NumPy array, since writes to it would not reach the tensor.

        Raises:
            GraphError: grad is required.
        """
        if self._wants_grad():
            raise GraphError(f"{_NUMPY} The graph would not see what NumPy does.")
        return read_only(np.array(self._known("numpy()")))

    def item(self, *args: Any) -> Any:
        """Return the only element, or the one at an index, as a Python number.

        Raises:
            GraphError: there are several; or this is a variable of a transform, or computed from one.
        """
        self._check_kept("x.item()")
        return self._number(*args)

    def _number(self, *args: Any) -> Any:
        value = np.asarray(self._known("item()"))
        if not args and value.size != 1:
            raise GraphError(
                f"a Tensor with {value.size} elements cannot be converted to Scalar. Index it first, or use tolist()."
            )
        try:
            return value.item(*args)
        except (IndexError, TypeError, ValueError) as error:
            raise IndexRangeError(
                f"item(): {error}. Expected a position in shape {show_shape(value.shape)}."
            ) from error

    def tolist(self) -> Any:
        """Return nested lists of Python numbers. Raises GraphError for a variable of a transform."""
        self._check_kept("x.tolist()")
        return np.asarray(self._known("tolist()")).tolist()

    def _check_kept(self, what: str) -> None:
        """Refuse to leave the graph on the way to what a transform differentiates; ``no_grad`` allows it."""
        if self._is_followed():
            raise GraphError(_LOST.format(what))

    def _is_followed(self) -> bool:
        """Whether this is on the way from what a running transform differentiates by."""
        running = modes.variables()
        if not running or not self._wants_grad() or not modes.is_grad_enabled():
            return False
        return reaches(self._node, running)

    def __float__(self) -> float:
        self._check_kept("float(x)")
        self._warn_scalar()
        return float(self._number())

    def __int__(self) -> int:
        self._check_kept("int(x)")
        self._warn_scalar()
        return int(self._number())

    def __complex__(self) -> complex:
        self._check_kept("complex(x)")
        self._warn_scalar()
        return complex(self._number())

    def __round__(self, ndigits: builtins.int | None = None) -> Any:
        me: Any = self
        return me.round(decimals=0 if ndigits is None else ndigits)

    def __index__(self) -> int:
        value = np.asarray(self._known("an index"))
        if value.size != 1 or not is_integer(value.dtype):
            raise ArgumentTypeError(
                "only integer tensors of a single element can be converted to an index. "
                f"Got shape {show_shape(value.shape)} and dtype {value.dtype}."
            )
        return int(value.item())

    def __format__(self, spec: str) -> str:
        if shape(self) or self._value is None:
            return object.__format__(self, spec)
        return format(self._number(), spec)

    def _warn_scalar(self) -> None:
        if self._wants_grad():
            warn(
                "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                "Consider using tensor.detach() first.",
            )

    def __bool__(self) -> bool:
        value = self._known("bool(tensor)")
        size = np.size(value)
        if size != 1:
            kind = "no values" if size == 0 else "more than one value"
            raise GraphError(f"Boolean value of Tensor with {kind} is ambiguous. Use .any(), .all() or sg.where.")
        return bool(value)

    def __len__(self) -> int:
        if not shape(self):
            raise ArgumentTypeError("len() of a 0-d tensor")
        size = shape(self)[0]
        if not isinstance(size, int):
            raise ValueNeeded(f"len(): the size {size} of this symbol is not a number. Use x.shape[0] in formulas.")
        return size

    def __iter__(self) -> Iterator[Any]:
        if not shape(self):
            raise ArgumentTypeError("iteration over a 0-d tensor")
        me: Any = self
        return (me[i] for i in range(len(self)))

    def __contains__(self, item: Any) -> bool:
        value, other = self._known("in"), item._value if isinstance(item, TensorBase) else item
        try:
            return bool(np.any(value == other))
        except OverflowError:  # an integer that no float is
            return False
        except ValueError as error:  # shapes that do not fit
            raise ShapeError(f"in: {error}. Expected a number, or what broadcasts with the tensor.") from error


class Dtypes(TensorBase):
    """Conversion between dtypes, under torch's names."""

    __slots__ = ()

    def to(
        self, *args: Any, dtype: Any = None, device: Any = None, other: Any = None, non_blocking: builtins.bool = False,
        copy: builtins.bool = False, memory_format: Any = None,
    ) -> Any:  # fmt: skip
        """Convert to a dtype; gradients come back in this one.

        Args:
            args: as torch takes them: a dtype, or a tensor whose dtype it is, or "cpu"; then non_blocking and copy.
            dtype, other, device: the same by name.
            copy: return a new tensor though the dtype is that of x.
            non_blocking, memory_format: accepted, and of no effect.

        Raises:
            ArgumentError: a device other than the CPU.

        >>> sg.tensor([1.0, 2.0]).to(sg.float32).dtype
        dtype('float32')
        """
        flags = [a for a in args if isinstance(a, builtins.bool)]
        for a in [device, other, *[a for a in args if not isinstance(a, builtins.bool)]]:
            if isinstance(a, TensorBase):
                dtype = dtype_of(a)
            elif isinstance(a, str) and a.partition(":")[0] in DEVICES:
                device_named(a)
            elif a is not None:
                dtype = a
        wanted = dtype_of(self) if dtype is None else check_dtype(dtype)
        if wanted != dtype_of(self):
            return Cast(wanted)(self)
        return apply(IDENTITY, (self,)) if copy or flags[1:] == [True] else self

    def cpu(self, memory_format: Any = None) -> Any:
        """Return x: all tensors are on the CPU."""
        return self

    def cuda(self, device: Any = None, non_blocking: builtins.bool = False) -> Any:
        """Raise the error that there is no such device."""
        return self.to("cuda")

    @property
    def device(self) -> Any:
        """Where the tensor is: the CPU."""
        return CPU

    @property
    def is_cuda(self) -> builtins.bool:
        """False: all tensors are on the CPU."""
        return False

    is_mps = is_sparse = is_quantized = is_meta = is_cuda

    @property
    def layout(self) -> str:
        """What torch calls tensors that are not sparse: "strided"."""
        return "strided"

    def is_inference(self) -> builtins.bool:
        """False: tensors of ``inference_mode`` are like all others."""
        return False

    def get_device(self) -> builtins.int:
        """Return -1, torch's number of the CPU."""
        return -1

    def pin_memory(self) -> Any:
        """Return x: nothing is copied to another device."""
        return self

    def type(self, dtype: Any = None) -> Any:
        """Convert to a dtype, as ``to`` does; without one return the name of the tensor's."""
        return str(dtype_of(self)) if dtype is None else self.to(dtype)

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: builtins.bool = True,
        copy: builtins.bool = True,
    ) -> Any:  # fmt: skip
        """Convert to a dtype, under NumPy's name: ``x.to(dtype)``, by default as a tensor of its own."""
        if not np.can_cast(dtype_of(self), check_dtype(dtype), casting):  # type: ignore[arg-type]
            raise DTypeError(f"astype: cannot cast {dtype_of(self)} to {np.dtype(dtype)} with casting={casting!r}.")
        return self.to(dtype, copy=copy)

    def copy(self, order: str = "C") -> Any:
        """Return a tensor of its own that passes gradients on: ``x.clone()`` under NumPy's name."""
        return apply(IDENTITY, (self,))

    def double(self) -> Any:
        """Convert to float64."""
        return self.to(np.float64)

    def float(self) -> Any:
        """Convert to float32, as in torch."""
        return self.to(np.float32)

    def cfloat(self) -> Any:
        """Return the tensor as complex64."""
        return self.to(np.complex64)

    def cdouble(self) -> Any:
        """Return the tensor as complex128."""
        return self.to(np.complex128)

    def half(self) -> Any:
        """Convert to float16."""
        return self.to(np.float16)

    def int(self) -> Any:
        """Convert to int32."""
        return self.to(np.int32)

    def long(self) -> Any:
        """Convert to int64."""
        return self.to(np.int64)

    def bool(self) -> Any:
        """Convert to bool."""
        return self.to(np.bool_)


def dtype_of(x: TensorBase) -> np.dtype[Any]:
    """Return the dtype of a tensor; a symbol's follows from what it is computed of."""
    return node_dtype(x._node) if x._value is None else np.asarray(x._value).dtype
