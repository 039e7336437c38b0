"""From tensors to Python numbers, NumPy arrays and other dtypes."""

from __future__ import annotations

import builtins
import linecache
import re
import sys
from collections.abc import Iterator
from opcode import opname
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
    "{}: this is a variable of a transform such as sg.grad, or computed from one, and its gradient would be lost. {}"
)
# Who asks for a number that is differentiated, by the module and the instruction that ask, and what to write there.
_FILLED = "Write sg.stack([a, b]) for an array that is filled entry by entry."
_OPTION = "Write np.sum(sg.asarray(a), initial=x) where only an option of NumPy's function is a tensor."
_NUMBER = "Write sg.exp(x) for math.exp(x), or x.detach() where only the number is meant."
# What asks for a value, and what to write for it where there is none.
_RESULT = "Compute with x itself, and leave {} to the result."
# If several things may, the line of the program that does is compared with patterns; the last one fits every line.
_LINES = {
    "bool(x)": {
        r"while\b": "Write sg.while_loop(condition, body, x) instead of while.",
        r"assert\b": "Take the assert out of the function, and check its result.",
        r".*(?<![.\w])(max|min)\(": r"Write sg.\1imum(a, b) for \1(a, b).",
        r".*(?<![.\w])sorted\(": "Write x.sort().values for sorted(x).",
        r"(?:el)?if\b.*\band\b": "Write sg.where((x > 0) & (y > 0), a, b) instead of if.",
        r"(?:el)?if\b.*\bor\b": "Write sg.where((x > 0) | (y > 0), a, b) instead of if.",
        r".*\band\b": "Write (x > 0) & (y > 0) for x > 0 and y > 0.",
        r".*\bor\b": "Write (x > 0) | (y > 0) for x > 0 or y > 0.",
        r"": "Write sg.where(x > 0, a, b) instead of if.",
    },
    "float(x)": {
        r".*\bmath\.(\w+)\(": r"Write sg.\1(x) for math.\1(x).",
        r".*\bfloat\(": "Compute with x itself, and leave float() to the result.",
        r"[^=]*\]\s*[-+*/]?=(?!=)": _FILLED,
        r"": "Write functions of symgrad, as sg.exp(x) for math.exp(x).",
    },
    "an index": {
        r".*\brange\(": "Write sg.fori_loop(0, n, body, x) for a loop over range(n).",
        r"": "Write sg.tensor(a)[x] for a[x].",
    },
}
_VALUELESS = {
    "in": "Write (x == value).any().",
    **{f"{name}(x)": _RESULT.format(f"{name}()") for name in ("int", "complex", "format")},
    **{name: _RESULT.format(name) for name in ("item()", "numpy()", "tolist()")},
    **dict.fromkeys(
        ("nonzero", "unique", "unique_consecutive", "bincount"),
        "The size of the result depends on the values: call it outside of the function, and pass what it returns.",
    ),
}
_NUMPY = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Let NumPy refuse writes to an array that PyTorch would share with the tensor."""
    array.flags.writeable = False
    return array


def _kept_by(frame: Any) -> str:
    """Return how to keep the gradient, given the frame that asks for the number."""
    if str(frame.f_globals.get("__name__")).partition(".")[0] == "numpy":
        return _OPTION
    return _FILLED if opname[frame.f_code.co_code[frame.f_lasti]] == "STORE_SUBSCR" else _NUMBER


def _for_line(what: str) -> str:
    """Return what to write for a value that the user's line asks for, where several lines may; else nothing."""
    patterns = _LINES.get(what, {})
    frame: Any = sys._getframe(2)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "symgrad":
        frame = frame.f_back
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    matches = ((re.match(pattern, line), advice) for pattern, advice in patterns.items())
    return next((match.expand(advice) for match, advice in matches if match), "")


class Conversions(TensorBase):
    """What Python and NumPy see of a tensor. All of it needs a value."""

    __slots__ = ()

    def _wants_grad(self) -> bool:
        return self._node is not None and self._node.level == GRAD

    def _known(self, what: str) -> Any:
        if self._value is None:
            check_lives(self._node)
            advice = _for_line(what) or _VALUELESS.get(what, "Pass a tensor that has one.")
            raise ValueNeeded(f"{what}: this tensor is a symbol and has no value. {advice}")
        return self._value

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return a copy as a read-only NumPy array, because writing to it would not modify the tensor.

        Raises:
            GraphError: if the tensor requires a gradient.
        """
        if self._wants_grad():
            raise GraphError(f"{_NUMPY} The graph would not contain NumPy's operations.")
        return read_only(np.array(self._known("numpy()")))

    def item(self, *args: Any) -> Any:
        """Return the only element, or the one at an index, as a Python number.

        Raises:
            GraphError: if there are several elements, or if the tensor depends on a variable of a transform.
        """
        self._check_kept("x.item()")
        return self._number("item()", *args)

    def _number(self, what: str, *args: Any) -> Any:
        value = np.asarray(self._known(what))
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
            raise GraphError(_LOST.format(what, _kept_by(sys._getframe(2))))

    def _is_followed(self) -> bool:
        """Whether this is on the way from what a running transform differentiates by."""
        running = modes.variables()
        if not running or not self._wants_grad() or not modes.is_grad_enabled():
            return False
        return reaches(self._node, running)

    def __float__(self) -> float:
        self._check_kept("float(x)")
        self._warn_scalar()
        return float(self._number("float(x)"))

    def __int__(self) -> int:
        self._check_kept("int(x)")
        self._warn_scalar()
        return int(self._number("int(x)"))

    def __complex__(self) -> complex:
        self._check_kept("complex(x)")
        self._warn_scalar()
        return complex(self._number("complex(x)"))

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
        if shape(self) and spec:
            raise ArgumentTypeError(
                f"unsupported format string passed to Tensor.__format__. Got {spec!r} for a tensor of shape "
                f"{show_shape(shape(self))}; format one number, such as x.mean()."
            )
        if shape(self) or not (spec or self._value is not None):
            return object.__format__(self, spec)
        return format(self._number("format(x)"), spec)

    def _warn_scalar(self) -> None:
        if self._wants_grad():
            warn(
                "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                "Consider using tensor.detach() first.",
            )

    def __bool__(self) -> bool:
        value = self._known("bool(x)")
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
            raise ShapeError(f"in: {error}. Expected a number, or an array that broadcasts with the tensor.") from error


class Dtypes(TensorBase):
    """Conversion between dtypes, under PyTorch's names."""

    __slots__ = ()

    def to(
        self, *args: Any, dtype: Any = None, device: Any = None, other: Any = None, non_blocking: builtins.bool = False,
        copy: builtins.bool = False, memory_format: Any = None,
    ) -> Any:  # fmt: skip
        """Convert to a dtype. Gradients are converted back.

        Args:
            args: as in PyTorch: a dtype, or a tensor with this dtype, or "cpu"; followed by non_blocking and copy.
            dtype, other, device: the same by keyword.
            copy: whether to return a new tensor even if the dtype does not change.
            non_blocking, memory_format: accepted, without effect.

        Raises:
            ArgumentError: if the device is not the CPU.

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
        """Raise an error, because the device does not exist."""
        return self.to("cuda")

    @property
    def device(self) -> Any:
        """The device of the tensor, the CPU."""
        return CPU

    @property
    def is_cuda(self) -> builtins.bool:
        """False: all tensors are on the CPU."""
        return False

    is_mps = is_sparse = is_quantized = is_meta = is_cuda
    is_xpu = is_xla = is_mtia = is_vulkan = is_mkldnn = is_nested = is_sparse_csr = is_cuda

    @property
    def is_cpu(self) -> builtins.bool:
        """True: all tensors are on the CPU."""
        return True

    @property
    def layout(self) -> str:
        """The memory layout, "strided"; there are no sparse tensors."""
        return "strided"

    def is_inference(self) -> builtins.bool:
        """Return False: tensors of ``inference_mode`` are like all others."""
        return False

    def is_pinned(self) -> builtins.bool:
        """Return False: the memory of tensors is neither pinned nor shared with another process."""
        return False

    is_shared = is_pinned

    def get_device(self) -> builtins.int:
        """Return -1, PyTorch's number of the CPU."""
        return -1

    def block_until_ready(self) -> Any:
        """Return x, which has already been computed."""
        return self

    def pin_memory(self) -> Any:
        """Return x: nothing is copied to another device."""
        return self

    def type(self, dtype: Any = None) -> Any:
        """Convert to a dtype, like ``to``; without an argument, return the name of the tensor's type."""
        return str(dtype_of(self)) if dtype is None else self.to(dtype)

    def astype(
        self, dtype: Any, order: str = "K", casting: str = "unsafe", subok: builtins.bool = True,
        copy: builtins.bool = True,
    ) -> Any:  # fmt: skip
        """Convert to a dtype, like ``x.to(dtype)``, under NumPy's name; by default, return a new tensor."""
        if not np.can_cast(dtype_of(self), check_dtype(dtype), casting):  # type: ignore[arg-type]
            raise DTypeError(f"astype: cannot cast {dtype_of(self)} to {np.dtype(dtype)} with casting={casting!r}.")
        return self.to(dtype, copy=copy)

    def copy(self, order: str = "C") -> Any:
        """Return a copy through which gradients flow: ``x.clone()`` under NumPy's name."""
        return apply(IDENTITY, (self,))

    def double(self) -> Any:
        """Convert to float64."""
        return self.to(np.float64)

    def float(self) -> Any:
        """Convert to float32."""
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

    def short(self) -> Any:
        """Convert to int16."""
        return self.to(np.int16)

    def long(self) -> Any:
        """Convert to int64."""
        return self.to(np.int64)

    def bool(self) -> Any:
        """Convert to bool."""
        return self.to(np.bool_)


def dtype_of(x: TensorBase) -> np.dtype[Any]:
    """Return the dtype of a tensor; a symbol's follows from what it is computed of."""
    return node_dtype(x._node) if x._value is None else np.asarray(x._value).dtype
