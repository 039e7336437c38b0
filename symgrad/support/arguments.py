"""Arguments compared with what a signature says of them, once something failed: no call that works pays for it.

An error of Python's or NumPy's own becomes one that names the argument. Where every argument is as the signature says,
or a user's own function raised, the error stays as it is.
"""

from __future__ import annotations

import functools
import inspect
import numbers
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType, TracebackType
from typing import Any, TypeVar

import numpy as np
import sympy as sp

from symgrad.errors import ArgumentTypeError, SymgradError

F = TypeVar("F", bound=Callable[..., Any])
BARE = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError)
LONGEST = 60  # characters of an argument that a message shows


def checked(fn: F) -> F:
    """Return fn, whose errors name the argument that is not as its annotation says."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except BARE as error:
            blame(fn, error, args, kwargs)
            raise

    return call  # type: ignore[return-value]


def check_all(module: dict[str, Any], names: Iterable[str]) -> None:
    """Check the arguments of the functions of these names, and of the constructors of classes, in a module's names."""
    here, once = module["__name__"], functools.cache(checked)  # other names of a function stay the same one
    for name in names:
        value = module.get(name)
        if isinstance(value, FunctionType) and value.__module__ == here and not hasattr(value, "__wrapped__"):
            module[name] = once(value)
        elif isinstance(value, type):
            _check_constructors(value, here)


def _check_constructors(cls: type, here: str) -> None:
    """Check those of a class and its bases that are defined in a module, or below it."""
    for kind in cls.__mro__:
        made = vars(kind).get("__init__") if kind.__module__.startswith(here) else None
        if isinstance(made, FunctionType) and not hasattr(made, "__wrapped__"):
            kind.__init__ = checked(made)  # type: ignore[misc]


def check_methods(*classes: type) -> None:
    """Check the arguments of the public methods that classes define; an operand beside self checks itself."""
    once = functools.cache(checked)
    for cls in classes:
        for name, method in list(vars(cls).items()):
            if isinstance(method, FunctionType) and not name.startswith("_") and _takes(method) - {"self", "other"}:
                setattr(cls, name, once(method))


def _takes(fn: FunctionType) -> set[str]:
    """Return the names of parameters; those of several arguments count as well."""
    code = fn.__code__
    several = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + several]}


def blame(fn: Callable[..., Any], error: Exception, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raise an error that names the argument, if one is not what fn's signature says."""
    if isinstance(error, SymgradError) or _of_user(error.__traceback__):
        return
    try:
        signature = inspect.signature(fn)
        bound = signature.bind(*args, **kwargs)
    except (TypeError, ValueError):  # the wrong number of them, which Python says well
        return
    for name, annotation, value in _told(signature, bound.arguments):
        expected = misfit(annotation, value)
        if expected:
            title = fn.__qualname__.split(".")[0] if fn.__name__ == "__init__" else fn.__name__
            raise ArgumentTypeError(f"{title}: got {name}={shown(value)}. Expected {expected}.") from error


def _told(signature: inspect.Signature, arguments: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """Return the arguments that are no defaults, by name, each with what is said of it; what says least comes last."""
    told = []
    for name, value in arguments.items():
        p = signature.parameters[name]
        said = name if name in _KINDS else str(p.annotation)
        if p.kind is p.VAR_KEYWORD:
            told += [(k, k if k in _KINDS else said, v) for k, v in value.items()]
        elif p.kind is p.VAR_POSITIONAL:
            told += [(name, said, v) for v in value]
        elif p.annotation is not p.empty and value is not p.default:
            told.append((name, said, value))
    return sorted(told, key=lambda t: t[1] == "Any")


def misfit(annotation: str, value: Any) -> str | None:
    """Return in words what an annotation asks for, if the value is something else."""
    kinds = [_KINDS.get(part.split("[")[0].split(".")[-1]) for part in annotation.strip("'\"").split(" | ")]
    known = [kind for kind in kinds if kind is not None]
    if len(known) < len(kinds) or any(fits(value) for _, fits in known):
        return None
    return " or ".join(words for words, _ in known)


def _of_user(tb: TracebackType | None) -> bool:
    """Whether code of the user's was running: a function that was passed, or a subclass."""
    while tb is not None:
        root = str(tb.tb_frame.f_globals.get("__name__", "")).split(".")[0]
        if root not in _OURS and root not in sys.stdlib_module_names:
            return True
        tb = tb.tb_next
    return False


def shown(value: Any) -> str:
    """Return a value as a message shows it."""
    text = f"array of shape {value.shape}" if isinstance(value, np.ndarray) and value.ndim else repr(value)
    return text if len(text) <= LONGEST else f"a value of type {type(value).__name__}"


def is_whole(value: Any) -> bool:
    """Whether a value is an integer, or a size with a name."""
    if isinstance(value, sp.Expr):
        return True
    try:
        operator.index(value)
    except Exception:
        return False
    return not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, (numbers.Real, sp.Expr)) or _is_one(value)


def _is_one(value: Any) -> bool:
    """Whether a value is an array without axes, or a tensor."""
    return np.shape(value) == () if isinstance(value, np.ndarray) else getattr(value, "shape", None) == ()


def _are_whole(value: Any) -> bool:
    listed = isinstance(value, (list, tuple, range)) or (isinstance(value, np.ndarray) and value.ndim == 1)
    return is_whole(value) or (listed and all(map(is_whole, value)))


def _are_numbers(value: Any) -> bool:
    """Whether a value is one that a tensor can be made of."""
    if isinstance(value, (numbers.Number, sp.Basic)):
        return True
    if isinstance(value, (list, tuple)):
        return all(map(_are_numbers, value)) and _is_even(value)
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return kind in "biufc" if isinstance(kind, str) else False


def _is_even(value: Any) -> bool:
    """Whether nested lists have rows of one length."""
    try:
        shapes = {np.shape(v) for v in value}
    except ValueError:
        return False
    return len(shapes) <= 1


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "_node")


def _each(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _is_dtype(value: Any) -> bool:
    try:
        np.dtype(value)
    except TypeError:
        return False
    return True


def _is_listed(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes))


_OURS = frozenset({"symgrad", "numpy", "scipy", "sympy", "mpmath", "llvmlite"})
_SOME_WHOLE = "an integer, or a tuple of them", _are_whole
_AXES = "an integer, a tuple of them, or None", lambda value: value is None or _are_whole(value)
_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "Any": ("numbers, as a tensor, an array or a list has them", _are_numbers),
    "int": ("an integer", is_whole),
    "float": ("a number", _is_number),
    "bool": ("True or False", lambda value: isinstance(value, (bool, int, np.bool_))),
    "str": ("a text", lambda value: isinstance(value, str)),
    "None": ("None", lambda value: value is None),
    "Callable": ("a function", callable),
    "Sequence": ("a list or a tuple", lambda value: _is_listed(value) and hasattr(value, "__len__")),
    "Iterable": ("a list or a tuple", _is_listed),
    "list": ("a list", _is_listed),
    "tuple": ("a tuple", _is_listed),
    "dict": ("a dictionary", lambda value: isinstance(value, Mapping)),
    "Mapping": ("a dictionary", lambda value: isinstance(value, Mapping)),
    "Sizes": _SOME_WHOLE,
    "Argnums": _SOME_WHOLE,
    "Dims": _AXES,
    "Axes": _AXES,
    "_Func": ("a function", callable),
    "AnyNode": ("a node of a graph", lambda value: hasattr(value, "inputs")),
    "Optimizer": ("an optimiser", lambda value: hasattr(value, "param_groups")),
    "type": ("a class", lambda value: isinstance(value, type)),
    "Tensor": ("a tensor", _is_tensor),
    "size": _SOME_WHOLE,
    "axis": _AXES,
    "dim": _AXES,
    "parameters": ("a tensor, or a list of them", lambda value: all(map(_is_tensor, _each(value)))),
    "dtype": ("a dtype, such as sg.float32", _is_dtype),
}
