"""The table, and how a call of NumPy finds its way."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from symgrad import functions
from symgrad.engine.record import TensorBase
from symgrad.errors import ArgumentTypeError, SymgradError
from symgrad.support.arguments import checked

F = TypeVar("F", bound=Callable[..., Any])

TABLE: dict[Any, Callable[..., Any]] = {}

_ABSENT: Any = getattr(np, "_NoValue", None)
_NEUTRAL = {"order": ("C", "K", "A"), "subok": (True, False), "casting": ("same_kind",), "overwrite_input": (False,)}
_INSTEAD = {
    "partition": "sg.sort, or sg.topk",
    "argpartition": "sg.argsort, or sg.topk",
    "copyto": "x.copy_(y)",
    "put": "x[i] = v",
    "putmask": "x[mask] = v",
    "place": "x[mask] = v",
    "fill_diagonal": "sg.where with np.eye",
    "unique": "sg.unique",
    "vectorize": "sg.vmap",
}


def numpys(*names: str) -> Callable[[F], F]:
    """Put a function into the table under those of NumPy's names that this NumPy has."""

    def put(fn: F) -> F:
        told = checked(fn)
        for name in names:
            function = _found(name)
            if function is not None:
                TABLE[function] = told
        return fn

    return put


def _found(name: str) -> Any:
    place: Any = np
    for part in name.split("."):
        place = getattr(place, part, None)
    return place


def call(function: Any, types: Iterable[type], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Answer ``function(*args, **kwargs)``, where a tensor is among the arguments."""
    if not all(issubclass(t, (TensorBase, np.ndarray)) for t in types):
        return NotImplemented
    own = TABLE.get(function)
    if own is None:
        raise _refusal(function)
    code = own.__wrapped__.__code__  # type: ignore[attr-defined]  # numpys() checks it
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        return _called(function, own, args, kwargs)
    given = {k: v for k, v in kwargs.items() if not _is_neutral(k, v, k in names)}
    _check(function, code, names, args, given)
    return _called(function, own, args, given)


def _called(function: Any, own: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call symgrad's function; its messages name NumPy's."""
    try:
        return own(*args, **kwargs)
    except SymgradError as error:
        name, text = shown(function), str(error)
        if not text.startswith(f"{name.removeprefix('np.')}:"):
            raise
        raise type(error)(f"np.{text}") from error


def _is_neutral(name: str, value: Any, known: bool) -> bool:
    """Whether an argument changes nothing."""
    return value is _ABSENT or (not known and (value is None or value in _NEUTRAL.get(name, ())))


def _check(function: Any, code: Any, names: tuple[str, ...], args: tuple[Any, ...], given: dict[str, Any]) -> None:
    """Refuse arguments that symgrad's function does not have, and ``out``."""
    unknown = [k for k in given if k not in names]
    if "out" in names:
        k = names.index("out")
        if (args[k] if len(args) > k else given.get("out")) is not None:
            unknown.append("out")
    if unknown == ["out"]:
        raise ArgumentTypeError(
            f"{shown(function)}: out= is not supported on tensors, because an array cannot hold a gradient. Write "
            f"c = {shown(function)}(…)."
        )
    if unknown:
        raise ArgumentTypeError(
            f"{shown(function)}: {unknown[0]}= is not supported on tensors. Leave it out, or call it on "
            "x.detach().numpy() for plain numbers."
        )
    if len(args) > code.co_argcount and not code.co_flags & inspect.CO_VARARGS:
        raise ArgumentTypeError(
            f"{shown(function)}: got {len(args)} positional arguments, on tensors at most {code.co_argcount} are. "
            "Pass the others by name."
        )


def shown(function: Any) -> str:
    """Return NumPy's name of a function."""
    module = "np.linalg." if "linalg" in getattr(function, "__module__", "") else "np."
    return module + getattr(function, "__name__", str(function))


def _refusal(function: Any) -> ArgumentTypeError:
    name = shown(function).removeprefix("np.")
    own = _INSTEAD.get(name) or (f"sg.{name}" if name in functions.__all__ else "operations of symgrad")
    return ArgumentTypeError(
        f"np.{name}: symgrad has no derivative of this function of NumPy's. Use {own}, or call it on "
        "x.detach().numpy() for plain numbers."
    )
