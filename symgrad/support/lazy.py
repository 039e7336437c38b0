"""``cached_property``: worked out on first use, and kept in the instance's dict.

That of functools has, before Python 3.12, one lock for all instances: a process that forks while another thread is
inside of it leaves a child that waits for ever. Here two threads may both work out the same value instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T", covariant=True)


class cached_property(Generic[T]):
    """A method without arguments that is read as an attribute, and called once."""

    def __init__(self, method: Callable[[Any], T]) -> None:
        self._method, self.__doc__ = method, method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Self: ...
    @overload
    def __get__(self, instance: Any, owner: Any = None) -> T: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Return the value; from the second time on Python finds it in the dict."""
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._method(instance)
        return value
