"""Arguments compared with what a signature says of them, once something failed: no call that works pays for it.

An error of Python's or NumPy's own becomes one that names the argument. Where every argument is as the signature says,
or a user's own function raised, the error stays as it is. What an object keeps for later, such as the options of an
optimiser, is compared when it is made.
"""

from __future__ import annotations

import ast
import functools
import inspect
import numbers
import operator
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType, GeneratorType, TracebackType
from typing import Any, TypeVar

import numpy as np
import sympy as sp

from symgrad.errors import ArgumentError, ArgumentTypeError, NotYet, NumberRangeError, ShapeError, SymgradError
from symgrad.support.namespace import keyword

F = TypeVar("F", bound=Callable[..., Any])
BARE = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError)
_CHECKED: set[Any] = set()  # functions that are checked already
LONGEST = 60  # characters of an argument that a message shows


def checked(fn: F) -> F:
    """Return fn with errors that name the argument that does not fit its annotation."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            result = fn(*args, **kwargs)
        except BARE as error:
            blame(fn, error, args, kwargs)
            raise
        return _watched(result, fn, args, kwargs) if type(result) is GeneratorType else result

    _CHECKED.add(call)
    return call  # type: ignore[return-value]


def _watched(walk: Iterator[Any], fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Yield from a generator, and explain the errors that it raises on the way."""
    try:
        yield from walk
    except BARE as error:
        blame(fn, error, args, kwargs)
        raise


def checked_first(fn: F) -> F:
    """Return fn, which refuses arguments that are not as their annotations say before it runs."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        _refuse(_title(fn, args), _told(_bound(fn, args, kwargs)))
        return fn(*args, **kwargs)

    _CHECKED.add(call)
    return call  # type: ignore[return-value]


def takes_args(fn: F) -> F:
    """Return fn, whose further positions ``*args`` are also taken as SciPy's ``args=(…)``."""

    @functools.wraps(fn)
    def call(*given: Any, args: Any = (), **kwargs: Any) -> Any:
        if not isinstance(args, tuple):
            raise ArgumentTypeError(
                f"{fn.__name__}: args must be a tuple. Got {shown(args)}. Write args=({shown(args)},)."
            )
        return fn(*given, *args, **kwargs)

    _CHECKED.add(call)
    return call  # type: ignore[return-value]


def check_all(module: dict[str, Any], names: Iterable[str], *, first: bool = False) -> None:
    """Check the arguments of the functions of these names, and of constructors and methods of classes, in a module.

    With ``first``, those of constructors are compared before they run.
    """
    here, once = module["__name__"], functools.cache(checked)  # other names of a function stay the same one
    for name in names:
        value = module.get(name)
        if isinstance(value, FunctionType) and value.__module__ == here and not hasattr(value, "__wrapped__"):
            module[name] = once(value)
        elif isinstance(value, type):
            for kind in value.__mro__:
                if kind.__module__.startswith(here):
                    check_methods(kind)
                    _check_constructor(kind, checked_first if first else checked)


def _check_constructor(kind: type, check: Callable[[Any], Any]) -> None:
    for name in ("__new__", "__init__"):
        made = vars(kind).get(name)
        made = getattr(made, "__func__", made)
        if isinstance(made, FunctionType) and made not in _CHECKED:
            setattr(kind, name, check(made))


def check_methods(*classes: type) -> None:
    """Check the arguments of the public methods that classes define."""
    once = functools.cache(checked)
    for cls in classes:
        for name, method in list(vars(cls).items()):
            if name.startswith("_") and name != "__call__":
                continue
            if isinstance(method, FunctionType) and method not in _CHECKED:
                setattr(cls, name, once(method))
            elif isinstance(method, (classmethod, staticmethod)) and method.__func__ not in _CHECKED:
                setattr(cls, name, type(method)(once(method.__func__)))


def check_values(fn: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Refuse values, by the names of fn's parameters, that are not as their annotations say."""
    parameters = inspect.signature(fn).parameters
    told = [(name, str(parameters[name].annotation), v) for name, v in values.items() if name in parameters]
    _refuse(_title(fn), [(name, name if name in _KINDS else said, v) for name, said, v in told])


def blame(fn: Callable[..., Any], error: Exception, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raise an error that names the argument, if one is not what fn's signature says, or says what fn takes."""
    if isinstance(error, SymgradError) or _of_user(error.__traceback__):
        return
    title = _title(fn, args)
    if _blame_call(fn, error, args, kwargs):
        return
    too_long = isinstance(error, OverflowError) or str(error).startswith("Maximum allowed dimension")
    _refuse(title, _told(_bound(fn, args, kwargs, error)), error, 63 if too_long else 1024)
    _blame_sizes(fn, error, (*args, *kwargs.values()))
    if isinstance(error, ValueError) and "could not be broadcast" in str(error):
        raise ShapeError(f"{title}: {error}. Expected shapes that broadcast against each other.") from error
    if isinstance(error, (TypeError, ValueError)) and _rooms(error.__traceback__)[-1] == "scipy":
        kind = ArgumentTypeError if isinstance(error, TypeError) else ArgumentError
        raise kind(f"{title}: SciPy rejects the arguments: {str(error).rstrip('.')}.") from error


def _blame_call(fn: Callable[..., Any], error: Exception, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Say which of the functions that were passed cannot be called with as many arguments as fn calls it with.

    Returns whether it is a function that fn knows nothing of.
    """
    said = _MISCALLED.match(str(error)) if isinstance(error, TypeError) else None
    if said is None or said["name"] == fn.__qualname__:
        return False
    signature = inspect.signature(fn)
    try:
        passed = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return False
    functions = [(k, f) for k, v in passed.items() for f in (v if isinstance(v, (list, tuple)) else (v,))]
    for name, takes in [
        (k, inspect.signature(f)) for k, f in functions if getattr(f, "__qualname__", "") == said["name"]
    ]:
        count = _count(takes, said)
        if count is not None:
            further = [p.name for p in signature.parameters.values() if p.name == "args" or p.kind is p.VAR_POSITIONAL]
            behind = "as args=(…,)" if {"args", "given"} & {*further} else "behind it"
            few = f"Pass what else it takes {behind}." if further else _TUPLED
            raise ArgumentTypeError(
                f"{_title(fn, args)}: {name}{takes} is called with {count} argument{'' if count == 1 else 's'}. "
                f"{few if said['few'] else 'Write it with as many parameters.'}"
            ) from error
    return True


def _count(takes: inspect.Signature, said: re.Match[str]) -> int | None:
    """Return with how many arguments a function was called, as Python's message has it; None of another function."""
    by_place = [p for p in takes.parameters.values() if p.kind in _BY_PLACE]
    if said["few"] is None:
        return int(said["were"]) if int(said["most"]) == len(by_place) else None
    if not {*_QUOTED.findall(said.string)} <= {*takes.parameters}:
        return None
    return len([p for p in by_place if p.default is p.empty]) - int(said["few"])


_MISCALLED = re.compile(
    r"(?P<name>.+)\(\) (?:missing (?P<few>\d+) required positional|"
    r"takes (?:from \d+ to )?(?P<most>\d+) positional arguments? but (?P<were>\d+) (?:was|were) given)"
)
_QUOTED = re.compile(r"'(\w+)'")
_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_TUPLED = "Several values come as one: write f(c) and read c[0], c[1]."


def _blame_sizes(fn: Callable[..., Any], error: Exception, args: Sequence[Any]) -> None:
    """Say that a function needs sizes that are numbers, where Python or NumPy stumbled over one that is a name."""
    flat = [e for x in args for e in (x if isinstance(x, (list, tuple)) else (x,))]
    shapes = [x.shape for x in flat if _is_tensor(x)]
    if any(isinstance(n, sp.Expr) for s in shapes for n in s):
        got = " and ".join(f"[{', '.join(map(str, s))}]" for s in shapes)
        raise NotYet(
            f"{_title(fn)}: it depends on a size that is a name, and needs its number. Got shapes {got}; make the "
            "symbol with numbers for such sizes."
        ) from error


def _refuse(title: str, told: Sequence[tuple[str, str, Any]], error: Exception | None = None, bits: int = 63) -> None:
    """Refuse integers with too many bits, and arguments that do not fit their annotation."""
    for name, _, value in told:
        if _is_beyond(1 << bits, value):
            most = "2**63" if bits == 63 else "1.8e308"
            raise NumberRangeError(f"{title}: got {name}={shown(value)}. Expected numbers below {most}.") from error
    for name, annotation, value in told:
        expected = misfit(annotation, value)
        if expected and name in ("params", "parameters") and hasattr(value, "named_parameters"):
            expected = "its tensors: model.parameters()"
        elif expected and getattr(value, "__name__", "") == "parameters":
            expected = "what the method returns: model.parameters()"
        if expected:
            raise ArgumentTypeError(f"{title}: got {name}={shown(value)}. Expected {expected}.") from error


def _title(fn: Callable[..., Any], args: Sequence[Any] = ()) -> str:
    """Return what a message calls a function: a constructor by the class of what is made."""
    if fn.__name__ not in ("__init__", "__new__"):
        return fn.__name__
    kind, made = fn.__qualname__.split(".")[-2], type(args[0]) if args else object
    return made.__name__ if kind in [k.__name__ for k in made.__mro__] else kind


def _bound(
    fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], error: Exception | None = None
) -> inspect.BoundArguments:
    """Return arguments by the names of fn's parameters, or raise an error that says what these are."""
    signature = inspect.signature(fn)
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as wrong:
        names = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name not in ("self", "cls")]
        takes = signature.replace(parameters=names, return_annotation=signature.empty)
        title, who = _title(fn, args), f"{fn.__qualname__}()"
        own = isinstance(error, TypeError) and str(error).startswith(who)  # not the words on a function that fn calls
        called = who if title == fn.__name__ else f"{title}.{fn.__name__}()"
        said = f"{called}{str(error).removeprefix(who)}" if own else f"{title}() {wrong}"
        raise ArgumentTypeError(f"{said}. Expected {title}{takes}.{keyword(said, takes.parameters)}") from error


def _told(bound: inspect.BoundArguments) -> list[tuple[str, str, Any]]:
    """Return the arguments that are not defaults, by name, each with its message; the vaguest message comes last."""
    told = []
    for name, value in bound.arguments.items():
        p = bound.signature.parameters[name]
        said = name if name in _KINDS else str(p.annotation)
        if p.kind is p.VAR_KEYWORD:
            told += [(k, k if k in _KINDS else said, v) for k, v in value.items() if k in _KINDS or said != "Any"]
        elif p.kind is p.VAR_POSITIONAL:
            told += [(name, said, v) for v in value]
        elif p.annotation is not p.empty and value is not p.default:
            told.append((name, said, value))
    return sorted(told, key=lambda t: t[1] == "Any")


def misfit(annotation: str, value: Any) -> str | None:
    """Return in words what an annotation asks for, if the value is something else."""
    kinds = _kinds(annotation)
    try:
        if kinds is None or any(fits(value) for _, fits in kinds):
            return None
    except RecursionError:  # of a list that holds itself, no entry is what it should be
        pass
    return " or ".join(words for words, _ in kinds or ())


Kind = tuple[str, Callable[[Any], bool]]


@functools.cache
def _kinds(annotation: str) -> list[Kind] | None:
    """Return the kinds that an annotation allows, in words and as a test; None where one is not known."""
    try:
        node = ast.parse(annotation.strip("'\""), mode="eval").body
    except SyntaxError:
        return None
    kinds = [_kind(n) for n in _alternatives(node)]
    return None if None in kinds else [kind for kind in kinds if kind is not None]


def _alternatives(node: ast.expr) -> list[ast.expr]:
    return [*_alternatives(node.left), *_alternatives(node.right)] if isinstance(node, ast.BinOp) else [node]


def _kind(node: ast.expr) -> Kind | None:
    """Return the kind that a name with the kinds of its elements means, as in ``Sequence[int]``."""
    of = node.value if isinstance(node, ast.Subscript) else node
    kind = _KINDS.get(ast.unparse(of).split(".")[-1])
    if kind is None or not isinstance(node, ast.Subscript):
        return kind
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    names = [ast.unparse(part) for part in parts]
    if kind is _KINDS["tuple"] and names[-1] != "...":
        return _fixed(kind, [_kinds(name) for name in names])
    inner = None if names[0] == "Any" else _kinds(names[0])
    return kind if inner is None or kind in (_KINDS["Callable"], _KINDS["type"]) else _composed(kind, inner)


def _fixed(kind: Kind, inner: Sequence[list[Kind] | None]) -> Kind:
    """Return the kind of a tuple with so many elements; an element of unknown kind may be anything."""
    words = [" or ".join(w for w, _ in kinds) if kinds else "anything" for kinds in inner]
    return (
        f"a tuple ({', '.join(words)})",
        lambda value: (
            kind[1](value)
            and len(value) == len(inner)
            and all(not kinds or any(fits(v) for _, fits in kinds) for kinds, v in zip(inner, value, strict=True))
        ),
    )


def _composed(kind: Kind, inner: list[Kind]) -> Kind:
    """Return the kind of a list or dictionary with elements, or keys, of the given kind."""
    words = " or ".join(w for w, _ in inner)
    return (
        f"{kind[0]} ({'keys' if kind is _DICTIONARY else 'entries'}: {words})",
        lambda value: (
            kind[1](value) and (not hasattr(value, "__len__") or all(any(fits(v) for _, fits in inner) for v in value))
        ),
    )


def _of_user(tb: TracebackType | None) -> bool:
    """Whether code of the user's was running: a function that was passed, or a subclass."""
    return any(root not in _OURS and root not in sys.stdlib_module_names for root in _rooms(tb) if root)


def _rooms(tb: TracebackType | None) -> list[str]:
    """Return the packages whose code was running, the innermost last; a kernel that SymPy wrote is in none."""
    names = []
    while tb is not None:
        names.append(str(tb.tb_frame.f_globals.get("__name__", "")).split(".")[0])
        tb = tb.tb_next
    return names


def shown(value: Any) -> str:
    """Return a value as a message shows it."""
    if isinstance(value, int) and _is_beyond(1 << 1024, value):
        return f"an integer of {value.bit_length()} bits"
    try:
        text = f"array of shape {value.shape}" if isinstance(value, np.ndarray) and value.ndim else repr(value)
    except Exception:  # a representation of the user's, or of an integer with more digits than Python writes
        text = " " * (LONGEST + 1)
    return text if len(text) <= LONGEST else f"a value of type {type(value).__name__}"


def is_whole(value: Any) -> bool:
    """Whether a value is an integer, or a size with a name."""
    if isinstance(value, sp.Expr):
        return True
    try:
        operator.index(value)
    except Exception:
        return False
    return not isinstance(value, (bool, np.timedelta64))


def _is_beyond(limit: int, value: Any) -> bool:
    """Whether a value is an integer of at least that size, or a list or a dictionary that holds one."""
    if isinstance(value, int):
        return abs(value) >= limit
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return any(isinstance(v, int) and abs(v) >= limit for v in inside)


def _is_number(value: Any) -> bool:
    if isinstance(value, np.timedelta64):
        return False
    return (isinstance(value, (numbers.Real, sp.Expr)) and not _is_beyond(1 << 1024, value)) or _is_one(value)


def _is_one(value: Any) -> bool:
    """Whether a value is an array or a tensor without axes, of real numbers."""
    return getattr(value, "shape", None) == () and getattr(getattr(value, "dtype", None), "kind", "-") in "biuf"


def _are_bounds(value: Any) -> bool:
    """Whether a value is a structure of bounds, or SciPy's."""
    return value is None or hasattr(value, "lb") or isinstance(value, Mapping) or _is_listed(value)


def _is_dataset(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__getitem__")


def _is_rate(value: Any) -> bool:
    """Whether a value is a number, or a tensor or an array of one; how many it has is asked where it is read."""
    return _is_number(value) or getattr(getattr(value, "dtype", None), "kind", "-") in "biuf"


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
    return hasattr(value, "_node") and not isinstance(value, type)


def _each(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _is_dtype(value: Any) -> bool:
    try:
        np.dtype(value)
    except TypeError:
        return False
    return True


def _is_listed(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 1) != 0


_OURS = frozenset({"symgrad", "numpy", "scipy", "sympy", "mpmath", "llvmlite"})
_SOME_WHOLE = "an integer, or a tuple of them", _are_whole
_AXES = "an integer, a tuple of them, or None", lambda value: value is None or _are_whole(value)
_DICTIONARY = "a dictionary", lambda value: isinstance(value, Mapping)
_KINDS: dict[str, Kind] = {
    "Any": ("numbers, as a tensor, an array or a list has them", _are_numbers),
    "int": ("an integer", is_whole),
    "float": ("a number", _is_number),
    "bool": ("True or False", lambda value: isinstance(value, (bool, int, np.bool_))),
    "str": ("a string", lambda value: isinstance(value, str)),
    "None": ("None", lambda value: value is None),
    "Callable": ("a function", callable),
    "Sequence": ("a list or a tuple", lambda value: _is_listed(value) and hasattr(value, "__len__")),
    "Iterable": ("a list or a tuple", _is_listed),
    "list": ("a list", _is_listed),
    "tuple": ("a tuple", _is_listed),
    "dict": _DICTIONARY,
    "Mapping": _DICTIONARY,
    "Sizes": _SOME_WHOLE,
    "Argnums": _SOME_WHOLE,
    "Dims": _AXES,
    "Axes": _AXES,
    "_Func": ("a function", callable),
    "AnyNode": ("a node of a graph", lambda value: hasattr(value, "inputs")),
    "Optimizer": ("an optimiser", lambda value: hasattr(value, "param_groups")),
    "Module": ("a module", lambda value: hasattr(value, "named_parameters") and not isinstance(value, type)),
    "LRScheduler": ("a schedule", lambda value: hasattr(value, "optimizer") and hasattr(value, "step")),
    "TreeDef": ("a structure, as sg.tree.structure returns it", lambda value: hasattr(value, "num_leaves")),
    "type": ("a class", lambda value: isinstance(value, type)),
    "Tensor": ("a tensor", _is_tensor),
    "size": _SOME_WHOLE,
    "axis": _AXES,
    "dim": _AXES,
    "parameters": ("a tensor, or a list of them", lambda value: all(map(_is_tensor, _each(value)))),
    "bounds": ("pairs (lower, upper) in the structure of x0, SciPy's Bounds, or None", _are_bounds),
    "dataset": ("a data set: what has len() and [i], such as a list", _is_dataset),
    "PathLike": ("a path", lambda value: isinstance(value, os.PathLike)),
    "set": ("a set", lambda value: isinstance(value, set)),
    "lr": ("a number, or a tensor of one", _is_rate),
    "dtype": ("a dtype, such as sg.float32", _is_dtype),
}
