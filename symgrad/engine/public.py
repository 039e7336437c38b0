"""The door between what users pass and what operations take."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import sympy as sp

from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentTypeError, NotYet, SymgradError
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import shape
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
            _blame(fn, fn.__name__, error, (x, *args), kwargs)
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


def _blame(fn: Any, name: str, error: Exception, args: Any, kwargs: Any) -> None:
    """Say what an error of Python's own is about: a size that is a name, or an argument that is not as fn says."""
    _blame_sizes(name, error, (*args, *kwargs.values()))
    blame(fn, error, args, kwargs)


def _blame_sizes(name: str, error: Exception, args: Any) -> None:
    """Say that a function needs sizes that are numbers, where Python or SymPy stumbled over one that is a name."""
    flat = [e for x in args for e in (x if isinstance(x, (list, tuple)) else (x,))]
    shapes = [shape(x) for x in flat if isinstance(x, TensorBase)]
    if isinstance(error, SymgradError) or not any(isinstance(n, sp.Expr) for s in shapes for n in s):
        return
    got = " and ".join(map(show_shape, shapes))
    raise NotYet(
        f"{name}: it depends on a size that is a name, and needs its number. Got shapes {got}; make the symbol with "
        "numbers for such sizes."
    ) from error


def public_all(fn: F, name: str = "", text: str | None = None) -> F:
    """Return fn with all its positional arguments turned into tensors; of a list, its elements."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = [[as_tensor(e) for e in x] if isinstance(x, (list, tuple)) else as_tensor(x) for x in args]
        try:
            return fn(*given, **kwargs)
        except BARE as error:
            _blame(fn, name or fn.__name__, error, args, kwargs)
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
            _blame(fn, fn.__name__, error, given, named)
            raise

    return call  # type: ignore[return-value]
