"""``frozen``: values that are compared and hashed by their fields, declared as dataclasses are.

A dataclass compiles methods for every class, which for the many operations was a third of the time of an import;
here one set of methods serves all.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import get_annotations
from typing import Any, NamedTuple, TypeVar, dataclass_transform

C = TypeVar("C")


class Field(NamedTuple):
    """A field: its default, and whether it counts when two values are compared."""

    default: Any
    compare: bool = True


_NONE = object()


def field(*, default: Any, compare: bool = True) -> Any:
    """Declare a field that need not count where two values are compared."""
    return Field(default, compare)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[C]) -> type[C]:
    """Make a class a frozen value of its annotated attributes, the base's first."""
    own: Any = cls
    fields = dict(getattr(own, "__fields__", {}))
    for name, kind in get_annotations(own).items():
        if not str(kind).startswith("ClassVar"):
            given = own.__dict__.get(name, _NONE)
            fields[name] = given if isinstance(given, Field) else Field(given)
            if fields[name].default is not _NONE:
                setattr(own, name, fields[name].default)
    own.__fields__, own.__names__ = fields, tuple(fields)
    own.__defaults__ = {name: f.default for name, f in fields.items() if f.default is not _NONE}
    own.__compared__ = tuple(name for name, f in fields.items() if f.compare)
    for name, method in _METHODS.items():
        setattr(own, name, method)
    if "__repr__" not in vars(cls):
        own.__repr__ = _repr
    return cls


def is_frozen(x: Any) -> bool:
    """Return whether ``x`` is such a value."""
    return hasattr(type(x), "__fields__")


def items(x: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of the fields."""
    return ((name, getattr(x, name)) for name in type(x).__names__)


def replace(x: C, **changed: Any) -> C:
    """Return a copy with some fields changed."""
    kind: Any = type(x)
    return kind(**{**dict(items(x)), **changed})  # type: ignore[no-any-return]


def _init(self: Any, *args: Any, **kwargs: Any) -> None:
    kind = type(self)
    names = kind.__names__
    given = {**kind.__defaults__, **dict(zip(names, args, strict=False)), **kwargs}
    if len(args) > len(names) or given.keys() != kind.__fields__.keys() or kwargs.keys() & names[: len(args)]:
        raise TypeError(f"{kind.__name__} takes {names}; got {args} and {kwargs}")
    self.__dict__.update(given)


def _fixed(self: Any, name: str, *value: Any) -> None:
    raise AttributeError(f"{type(self).__name__}.{name} cannot be changed; create another with replace")


def _values(x: Any) -> tuple[Any, ...]:
    return tuple([getattr(x, name) for name in type(x).__compared__])


def _equal(self: Any, other: Any) -> Any:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash((type(self), _values(self)))


def _repr(self: Any) -> str:
    return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in items(self))})"


_METHODS = {"__init__": _init, "__eq__": _equal, "__hash__": _hash, "__setattr__": _fixed, "__delattr__": _fixed}
