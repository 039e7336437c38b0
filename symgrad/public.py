"""The door between what users pass and what operations take. Imports record."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from symgrad.errors import ArgumentTypeError
from symgrad.record import Core, as_tensor

F = TypeVar("F", bound=Callable[..., Any])


_ABSENT: Any = object()


def public(fn: F, *names: str) -> F:
    """Return fn with its first argument turned into a tensor; of a list or tuple, each element.

    That argument may be passed by the name it has in fn, as torch's ``input=``, or by one of ``names``.
    """
    keywords = (fn.__code__.co_varnames[0], "input", *names)

    @functools.wraps(fn)
    def call(x: Any = _ABSENT, /, *args: Any, **kwargs: Any) -> Any:
        return fn(x if isinstance(x, Core) else tensors(_given(x, fn, keywords, kwargs)), *args, **kwargs)

    return call  # type: ignore[return-value]


def _given(x: Any, fn: Any, keywords: tuple[str, ...], kwargs: dict[str, Any]) -> Any:
    """The first argument, taken out of the keywords where it was passed by one."""
    if x is not _ABSENT:
        return x
    for name in keywords:
        if name in kwargs:
            return kwargs.pop(name)
    raise ArgumentTypeError(
        f'{fn.__name__}() missing 1 required positional arguments: "{keywords[keywords[0] == "x"]}". '
        "Pass the tensor first."
    )


def tensors(x: Any) -> Any:
    """Turn x into a tensor, or each element of a sequence that holds tensors."""
    if isinstance(x, Core):
        return x
    if isinstance(x, (list, tuple)) and any(isinstance(e, Core) for e in x):
        return type(x)(as_tensor(e) for e in x)
    return as_tensor(x)


def public_all(fn: F, name: str = "", text: str | None = None) -> F:
    """Return fn with all its positional arguments turned into tensors; of a list, its elements."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        return fn(
            *[[as_tensor(e) for e in x] if isinstance(x, (list, tuple)) else as_tensor(x) for x in args], **kwargs
        )

    if name:
        call.__name__ = call.__qualname__ = name
        call.__doc__ = text
    return call  # type: ignore[return-value]
