"""The door between what users pass and what operations take."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentTypeError
from symgrad.support.arguments import BARE, blame

F = TypeVar("F", bound=Callable[..., Any])


_ABSENT: Any = object()


def public(fn: F, *names: str) -> F:
    """Return fn with its first argument turned into a tensor; into a list of them, where fn takes a sequence.

    That argument may be passed by the name it has in fn, as torch's ``input=``, or by one of ``names``.
    """
    keywords = (fn.__code__.co_varnames[0], "input", *names)
    convert = as_tensor if fn.__annotations__.get(keywords[0]) != "Sequence[Any]" else _listed

    @functools.wraps(fn)
    def call(x: Any = _ABSENT, /, *args: Any, **kwargs: Any) -> Any:
        try:
            if isinstance(x, TensorBase) and convert is as_tensor:
                return fn(x, *args, **kwargs)
            x = _given(x, fn, keywords, kwargs)
            if convert is _listed:
                _check_listed(fn, keywords[0], x, args)
            return fn(convert(x), *args, **kwargs)
        except BARE as error:
            blame(fn, error, (x, *args), kwargs)
            raise

    return call  # type: ignore[return-value]


def _listed(xs: Any) -> Any:
    return xs if isinstance(xs, TensorBase) else [as_tensor(x) for x in xs]


def _check_listed(fn: Any, name: str, x: Any, rest: tuple[Any, ...]) -> None:
    """Refuse tensors that are passed one by one where fn takes a list of them."""
    alone = isinstance(x, (int, float)) or (rest and not isinstance(rest[0], (int, np.integer, str)))
    if not isinstance(x, (list, tuple)) and alone:
        given = ", ".join(["x", "y", "z"][: 1 + sum(not isinstance(r, (int, np.integer)) for r in rest)])
        raise ArgumentTypeError(
            f"{fn.__name__}(): argument '{name}' (position 1) must be tuple of Tensors, not {type(x).__name__}. "
            f"Pass a list: {fn.__name__}([{given}])."
        )


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


def public_all(fn: F, name: str = "", text: str | None = None) -> F:
    """Return fn with all its positional arguments turned into tensors; of a list, its elements."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = [[as_tensor(e) for e in x] if isinstance(x, (list, tuple)) else as_tensor(x) for x in args]
        try:
            return fn(*given, **kwargs)
        except BARE as error:
            blame(call, error, args, kwargs)
            raise

    if name:
        call.__name__ = call.__qualname__ = name
        call.__doc__ = text
    return call  # type: ignore[return-value]


def public_named(fn: F, *names: str) -> F:
    """Return fn with the arguments of these names turned into tensors, unless they are None."""
    places = {fn.__code__.co_varnames.index(name) for name in names}

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = [as_tensor(a) if k in places and a is not None else a for k, a in enumerate(args)]
        named = {k: as_tensor(a) if k in names and a is not None else a for k, a in kwargs.items()}
        try:
            return fn(*given, **named)
        except BARE as error:
            blame(fn, error, given, named)
            raise

    return call  # type: ignore[return-value]
