"""The door between what users pass and what operations take."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from symgrad.support.arguments import BARE, blame, shown

F = TypeVar("F", bound=Callable[..., Any])


_ABSENT: Any = object()


def public(fn: F, *names: str) -> F:
    """Return fn with its first argument turned into a tensor; into a list of them, where fn takes a sequence.

    That argument may be passed by its name in fn, as PyTorch's ``input=``, or by one of ``names``. Like all public
    functions, the one returned also takes PyTorch's ``out=``; see ``into``.
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
            if _has_out(fn, kwargs):
                return into(kwargs.pop("out"), call(x, *args, **kwargs), fn.__name__)
            blame(fn, error, (x, *args), kwargs)
            raise

    return call  # type: ignore[return-value]


def _has_out(fn: Any, kwargs: dict[str, Any]) -> bool:
    """Whether a call names ``out``, of which fn itself knows nothing."""
    return "out" in kwargs and "out" not in fn.__code__.co_varnames


def into(out: Any, y: Any, name: str) -> Any:
    """Write the result of a function into the tensor that PyTorch's ``out=`` names, and return that; of several, all.

    Raises:
        ArgumentTypeError: if out is not a tensor.
        ArgumentError: if the number of tensors is not the number of results.
        ShapeError: if the shapes differ, because tensors do not change theirs.
        DTypeError: if out cannot hold the result.
    """
    if out is None:
        return y
    if isinstance(y, (tuple, list)):
        if not isinstance(out, (tuple, list)) or len(out) != len(y):
            raise ArgumentError(f"{name}: got out={shown(out)}. Expected a tuple of {len(y)} tensors, one per result.")
        return getattr(type(y), "_make", tuple)([into(o, v, name) for o, v in zip(out, y, strict=True)])
    if not isinstance(out, TensorBase):
        raise ArgumentTypeError(f"{name}: got out={shown(out)}. Expected a tensor, which stores the result.")
    target: Any = out
    if target.shape != y.shape:
        raise ShapeError(
            f"{name}: out has shape {list(target.shape)}, and tensors keep their shape. Expected {list(y.shape)}; or "
            f"assign the result: y = {name}(…)."
        )
    if not np.can_cast(y.dtype, target.dtype, "same_kind"):
        raise DTypeError(f"{name}: result type {y.dtype} can't be cast to out's {target.dtype}. Pass out of {y.dtype}.")
    return target.copy_(y)


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
            if _has_out(fn, kwargs):
                return into(kwargs.pop("out"), call(*args, **kwargs), call.__name__)
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
            if _has_out(fn, kwargs):
                return into(kwargs.pop("out"), call(*args, **kwargs), fn.__name__)
            blame(fn, error, given, named)
            raise

    return call  # type: ignore[return-value]
