"""Functions whose result may be written into their argument: PyTorch's ``inplace=True``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from symgrad.errors import ArgumentTypeError
from symgrad.support.arguments import check_values, shown
from symgrad.tensors.tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])
_OPTION = inspect.Parameter("inplace", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False, annotation="bool")


def in_place(fn: F) -> F:
    """Return fn with one more argument ``inplace``: whether x itself becomes the result, as by ``x.copy_``."""
    signature = inspect.signature(fn)
    parameters = list(signature.parameters.values())
    most = sum(p.kind is not inspect.Parameter.KEYWORD_ONLY for p in parameters)

    @functools.wraps(fn)
    def call(*args: Any, inplace: bool = False, **kwargs: Any) -> Any:
        if len(args) == most + 1:
            *args, inplace = args  # type: ignore[assignment]
        y = fn(*args, **kwargs)
        if inplace is False:
            return y
        check_values(call, {"inplace": inplace})
        x = args[0] if args else kwargs["input"]
        if inplace and not isinstance(x, Tensor):
            raise ArgumentTypeError(
                f"{fn.__name__}: got input={shown(x)}. Expected a tensor, as inplace=True writes to it."
            )
        return x.copy_(y) if inplace else y

    parameters.insert(most, _OPTION)
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def writing(fn: F) -> F:
    """Return fn with ``inplace=True``: PyTorch's ``relu_(x)``, which writes the result into x and returns x."""
    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs, inplace=True)

    call.__name__ = call.__qualname__ = f"{fn.__name__}_"
    call.__doc__ = f"Write ``{fn.__name__}`` of a tensor into this tensor, and return it."
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[p for p in signature.parameters.values() if p.name != "inplace"]
    )
    return call  # type: ignore[return-value]
