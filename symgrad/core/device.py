"""The one device there is, the CPU, and what ``torch.cuda`` and its like answer where no other device is."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TypeVar

from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.support.arguments import check_all, checked

__all__ = [
    "accelerator", "are_deterministic_algorithms_enabled", "backends", "block_until_ready", "channels_last",
    "contiguous_format", "cuda", "device", "get_default_device", "get_float32_matmul_precision", "mps",
    "preserve_format", "set_default_device", "set_float32_matmul_precision", "strided",
    "use_deterministic_algorithms",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])
DEVICES = frozenset({"cpu", "cuda", "mps", "xpu", "meta", "hpu", "xla", "gpu", "tpu"})
_IGNORED = frozenset({"pin_memory", "layout", "memory_format"})  # how the CPU's memory is used is NumPy's concern


class device(str):
    """The device of tensors: the CPU. It is equal to the text "cpu".

    Args:
        type: "cpu", also with a number as in "cpu:0".
        index: the number of the device; there is one.

    Raises:
        ArgumentError: if the device is not the CPU.

    >>> sg.device("cuda" if sg.cuda.is_available() else "cpu")
    device(type='cpu')
    """

    __slots__ = ()
    index: int | None = None  # type: ignore[assignment]

    def __new__(cls, type: Any = "cpu", index: int | None = None) -> Self:
        """Return the CPU."""
        if not isinstance(type, str):
            raise ArgumentTypeError(f'device: got {type!r}. Expected a name, such as "cpu".')
        if type.partition(":")[0] != "cpu":
            raise ArgumentError(
                f"device: the device {type!r} does not exist. symgrad computes on the CPU; omit the device. For a GPU, "
                'write the program for PyTorch or JAX by sg.export(f, (x,), target="torch") and run it there.'
            )
        return super().__new__(cls, "cpu")

    @property
    def type(self) -> str:
        """The kind of device."""
        return "cpu"

    def __repr__(self) -> str:
        return "device(type='cpu')"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        return None


CPU = device()


def block_until_ready(x: F) -> F:
    """Return x, a tensor, an array or a structure of them: results are always computed already."""
    return x


def placed(fn: F) -> F:
    """Let a function that makes tensors take PyTorch's ``device=``, the CPU, and options of its memory."""
    named = checked(fn)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            return named(*args)
        if kwargs.get("device") is not None:
            device(kwargs.pop("device"))
        for name in _IGNORED & kwargs.keys():
            del kwargs[name]
        return named(*args, **kwargs)

    return call  # type: ignore[return-value]


class Backend:
    """A device that does not exist, like ``torch.cuda`` on a machine without a GPU."""

    def __init__(self, name: str) -> None:
        self._name = name

    def is_available(self) -> bool:
        """Return False: there is no such device."""
        return False

    is_built = is_initialized = is_available

    def device_count(self) -> int:
        """Return 0: there is no such device."""
        return 0

    def manual_seed(self, seed: int) -> None:
        """Do nothing, because the device does not exist."""

    manual_seed_all = manual_seed

    def empty_cache(self) -> None:
        """Do nothing, because the device does not exist."""

    synchronize = empty_cache

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(
            f"{self._name} has no attribute {name!r}: symgrad computes on the CPU, and sg.{self._name}.is_available() "
            "is False."
        )

    def __repr__(self) -> str:
        return f"<no device: {self._name}>"


class Backends:
    """``torch.backends``: devices and libraries that do not exist; their switches can be set, without effect."""

    def __init__(self) -> None:
        self.mps, self.cuda, self.cudnn = Backend("backends.mps"), Backend("backends.cuda"), Backend("backends.cudnn")
        self.mkl = self.mkldnn = self.openmp = Backend("backends.mkl")
        self.cudnn.deterministic, self.cudnn.benchmark, self.cudnn.enabled = True, False, False  # type: ignore[attr-defined]


class Accelerator(Backend):
    """``torch.accelerator``, which behaves as on a machine with only a CPU."""

    def current_accelerator(self, check_available: bool = False) -> None:
        """Return None: there is no accelerator."""


cuda, mps, accelerator, backends = Backend("cuda"), Backend("mps"), Accelerator("accelerator"), Backends()
strided, preserve_format, contiguous_format, channels_last = (
    "strided", "preserve_format", "contiguous_format", "channels_last",
)  # fmt: skip


def set_default_device(device: Any) -> None:
    """Accept the CPU, which is the only device."""
    CPU if device is None else _device(device)


def get_default_device() -> device:
    """Return the device on which tensors are created: the CPU."""
    return CPU


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Accept True and False; all algorithms are deterministic."""


def are_deterministic_algorithms_enabled() -> bool:
    """Return True: all algorithms are deterministic."""
    return True


def set_float32_matmul_precision(precision: str) -> None:
    """Accept "highest", "high" or "medium": products of float32 matrices are always computed in float32."""
    if precision not in ("highest", "high", "medium"):
        raise ArgumentError(f'set_float32_matmul_precision: got {precision!r}. Expected "highest", "high" or "medium".')


def get_float32_matmul_precision() -> str:
    """Return "highest": products of float32 matrices are computed in float32."""
    return "highest"


_device = device
check_all(globals(), __all__)
