"""What a user's function changes while a transform runs it, written down so that it can be undone.

Whatever changes something that outlives a call says so here first: statements in place, assignments to modules,
gradients, generators. Nothing is written down where no transform runs.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from operator import attrgetter
from threading import get_ident
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

from symgrad.core import modes
from symgrad.errors import GraphError
from symgrad.support.arguments import BARE, blame
from symgrad.support.forks import in_children

F = TypeVar("F", bound=Callable[..., Any])
_NOW: ContextVar[Journal | None] = ContextVar("symgrad_journal", default=None)
_FIXED: ContextVar[bool] = ContextVar("symgrad_fixed", default=False)
_TAKEN: dict[int, int] = {}  # the thread that will settle what is done to an object, by the id of that
in_children(_TAKEN.clear)
ABSENT = object()
Read = Callable[[Any], Any]
PutBack = Callable[[Any, Any], None]


class Changes(BaseException):
    """Something is about to change where nothing may; no handler of the user's is meant to see it."""


class Change(NamedTuple):
    """The state of an object before it was changed first, and how such states are read and put back."""

    owner: Callable[[], Any]  # None once the object is gone
    before: Any
    read: Read
    put_back: PutBack


class Journal:
    """The changes inside a ``with`` block, which an exception undoes.

    Args:
        settles: whether its keeper undoes, writes back or refuses what was changed in any case.
    """

    __slots__ = ("_modes", "_outer", "_taken", "_token", "changes", "settles")

    def __init__(self, settles: bool = False) -> None:
        self.settles = settles

    def __enter__(self) -> Journal:
        self.changes: dict[int, Change] = {}
        self._taken: list[int] = []
        self._outer, self._modes = _NOW.get(), modes.now()
        self._token = _NOW.set(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        _NOW.reset(self._token)
        if kind is not None:
            self.undo()
        if self._outer is not None and is_settled():
            self._outer._taken += self._taken
        else:
            for key in self._taken:
                if _TAKEN.get(key) == get_ident():
                    del _TAKEN[key]

    def note(self, owner: Any, read: Read, put_back: PutBack) -> None:
        """Write down what an object is like, here and in the journals around this one."""
        if id(owner) in self.changes:
            return
        if put_back in (_put_handle, _put_items) and is_settled():
            self._take(id(owner))
        before, journal = read(owner), self
        while journal is not None:
            journal._note(id(owner), owner, before, read, put_back)
            journal = journal._outer  # type: ignore[assignment]

    def _note(self, key: int, owner: Any, before: Any, read: Read, put_back: PutBack) -> None:
        if key not in self.changes:  # a tensor that nobody holds any more has nothing to put back
            held = weakref.ref(owner, lambda _: self._forget(key))
            self.changes[key] = Change(held, before, read, put_back)

    def _take(self, key: int) -> None:
        """Keep other threads from changing an object until this one is done with it."""
        here = get_ident()
        if _TAKEN.setdefault(key, here) != here:
            raise GraphError(
                "another thread is tracing a function that changes the same tensor or module, which stands for "
                "something else meanwhile. Call one of the functions once before the threads start."
            )
        self._taken.append(key)

    def _forget(self, key: int) -> None:
        self.changes.pop(key, None)
        _TAKEN.pop(key, None)

    def undo(self) -> None:
        """Put everything back."""
        for change in list(self.changes.values())[::-1]:
            owner = change.owner()
            if owner is not None:
                change.put_back(owner, change.before)
        self.changes.clear()
        modes.go_back(self._modes)

    def handles(self) -> Iterator[tuple[Any, Any, Any]]:
        """Return the tensors that stand for something else now, with the value and the node that they had."""
        for change in list(self.changes.values()):
            owner = change.owner()
            if change.put_back is _put_handle and owner is not None:
                value, node = change.before
                if owner._value is not value or owner._node is not node:
                    yield owner, value, node

    def items(self) -> Iterator[tuple[Any, dict[Any, Any], Any, Any]]:
        """Return the attributes of modules that changed: the module, the dict, the name, and what was there."""
        for change in list(self.changes.values()):
            owner = change.owner()
            if change.put_back is _put_items and owner is not None:
                for registry, before in change.before:
                    for key in dict.fromkeys([*before, *registry]):
                        if before.get(key, ABSENT) is not registry.get(key, ABSENT):
                            yield owner, registry, key, before.get(key, ABSENT)

    def gradients(self) -> Iterator[tuple[Any, Any, bool]]:
        """Return the cells whose ``.grad`` was written, what it was before, and whether that was dropped first."""
        for change in list(self.changes.values()):
            cell = change.owner()
            if change.put_back is _put_gradient and cell is not None:
                yield cell, change.before, change.read is _dropped


def is_gradient_written(cell: Any) -> bool:
    """Whether the function that is traced now wrote the ``.grad`` of a cell, be it a constant."""
    journal = _NOW.get()
    while journal is not None:
        change = journal.changes.get(id(cell))
        if change is not None or journal.settles:
            return change is not None
        journal = journal._outer
    return False


def undoing(fn: F) -> F:
    """Decorate what runs a user's function: an exception undoes what was changed until then."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            with Journal():
                return fn(*args, **kwargs)
        except BARE as error:
            blame(fn, error, args, kwargs)
            raise

    return call  # type: ignore[return-value]


@contextmanager
def unchanged() -> Iterator[Journal]:
    """Undo at the end what changes inside."""
    with Journal(settles=True) as journal:
        yield journal
        journal.undo()


def is_settled() -> bool:
    """Whether what changes now is undone, written back or refused; else it stays, a tensor without a value as well."""
    journal = _NOW.get()
    while journal is not None and not journal.settles:
        journal = journal._outer
    return journal is not None


@contextmanager
def fixed() -> Iterator[None]:
    """Let nothing change inside: another thread may see it, or have changed it for as long as it traces.

    Raises:
        Changes: something is about to.
    """
    token = _FIXED.set(True)
    try:
        yield
    finally:
        _FIXED.reset(token)


is_fixed = _FIXED.get


def again(changes: Sequence[Change]) -> None:
    """Let everything be as it was before these changes; the journal that is kept now undoes it."""
    for change in changes[::-1]:
        owner = change.owner()
        if owner is not None:
            _changing(owner, change.read, change.put_back)
            change.put_back(owner, change.before)


# ------------------------------------------------------------------ what is about to change
def _changing(owner: Any, read: Read, put_back: PutBack) -> None:
    if _FIXED.get():
        raise Changes
    now = _NOW.get()
    if now is not None:
        now.note(owner, read, put_back)


def changing(t: Any) -> None:
    """A tensor is about to stand for another value or node."""
    _changing(t, _handle, _put_handle)


def changing_items(module: Any) -> None:
    """A module is about to get or lose attributes."""
    _changing(module, _items, _put_items)


def changing_hooks(hooks: Any) -> None:
    """Hooks are about to be registered or removed."""
    _changing(hooks, dict, _put_hooks)


def changing_gradient(cell: Any, drops: bool = False) -> None:
    """A leaf is about to get another ``.grad``, or to lose the one that it has."""
    _changing(cell, _dropped if drops else _gradient, _put_gradient)


def changing_state(generator: Any) -> None:
    """A generator is about to move on."""
    _changing(generator, _state, _put_state)


# ------------------------------------------------------------------ what things are like
def _handle(t: Any) -> Any:
    return t._value, t._node


def _put_handle(t: Any, before: Any) -> None:
    t._value, t._node = before


def _items(module: Any) -> Any:
    registries = module.__dict__, module._parameters, module._buffers, module._modules
    return [(registry, dict(registry)) for registry in registries]


def _put_items(_: Any, before: Any) -> None:
    for registry, entries in before:
        registry.clear()
        registry.update(entries)


def _put_hooks(hooks: Any, before: Any) -> None:
    hooks.clear()
    hooks.update(before)


_gradient = attrgetter("grad")


def _dropped(cell: Any) -> Any:
    return cell.grad


def _put_gradient(cell: Any, before: Any) -> None:
    cell.grad = before


def _state(generator: Any) -> Any:
    return generator.snapshot()


def _put_state(generator: Any, before: Any) -> None:
    generator.go_back(before)
