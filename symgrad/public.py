"""The door between what users pass and what operations take. Imports record."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from symgrad.record import Core, as_tensor

F = TypeVar("F", bound=Callable[..., Any])


def public(fn: F) -> F:
    """Return fn with its first argument turned into a tensor; of a list or tuple, each element."""

    @functools.wraps(fn)
    def call(x: Any, /, *args: Any, **kwargs: Any) -> Any:
        return fn(x if isinstance(x, Core) else tensors(x), *args, **kwargs)

    return call  # type: ignore[return-value]


def tensors(x: Any) -> Any:
    """Turn x into a tensor, or each element of a sequence that holds tensors."""
    if isinstance(x, Core):
        return x
    if isinstance(x, (list, tuple)) and any(isinstance(e, Core) for e in x):
        return type(x)(as_tensor(e) for e in x)
    return as_tensor(x)
