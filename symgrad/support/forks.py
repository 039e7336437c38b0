"""What must be put right when a process forks: its child has one thread, and what other threads held stays held.

A ``Lock`` guards Python state, which is whole at every moment: a child gets it anew. A library that computes outside
of Python's own lock must not be in the middle of something: with ``hold_while_forking`` a fork waits for it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from weakref import WeakSet

from symgrad.errors import GraphError

_AVAILABLE = hasattr(os, "register_at_fork")  # not on Windows, which does not fork


class Lock:
    """A reentrant lock, free in a forked child unless the thread that forked held it.

    Raises:
        GraphError: if a thread would wait for itself through other threads (a deadlock).
    """

    __slots__ = ("__weakref__", "_depth", "_lock", "_owner")

    _lock: Any
    _owner: int | None
    _depth: int

    def __init__(self) -> None:
        self._forget()
        _LOCKS.add(self)

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self._wait()
        self._owner, self._depth = threading.get_ident(), self._depth + 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            self._owner = None  # before it is free: a thread that is no longer the owner must not be taken for it
        self._lock.release()

    def is_held_elsewhere(self) -> bool:
        """Whether another thread holds it now."""
        return self._owner not in (None, threading.get_ident())

    def _wait(self) -> None:
        here = threading.get_ident()
        with _CHOOSING:
            if self._leads_to(here):
                raise GraphError(
                    "two threads wait for each other: each holds a lock that the other one needs, as when two "
                    "compiled functions that call each other are traced at the same time. Call them once before the "
                    "threads start."
                )
            _WAITING[here] = self
        try:
            self._lock.acquire()
        finally:
            del _WAITING[here]

    def _leads_to(self, thread: int) -> bool:
        """Whether the thread that holds this lock waits, directly or through others, for a thread."""
        lock: Lock | None = self
        while lock is not None and lock._owner is not None:
            if lock._owner == thread:
                return True
            lock = _WAITING.get(lock._owner)
        return False

    def renew(self) -> None:
        """Make it free where a thread holds it that this process does not have."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._forget()

    def _forget(self) -> None:
        self._lock, self._owner, self._depth = threading.RLock(), None, 0


_CHOOSING = threading.Lock()
_WAITING: dict[int, Lock] = {}  # by thread
_LOCKS: WeakSet[Lock] = WeakSet()


def _renew_all() -> None:
    global _CHOOSING
    _CHOOSING = threading.Lock()
    _WAITING.clear()
    for lock in list(_LOCKS):
        lock.renew()


def in_children(repair: Callable[[], None]) -> None:
    """Call ``repair`` in every forked child, before it goes on."""
    if _AVAILABLE:
        os.register_at_fork(after_in_child=repair)


def hold_while_forking(guard: AbstractContextManager[Any]) -> None:
    """Enter the guard before each fork, and leave it afterwards in parent and child."""

    def leave() -> None:
        guard.__exit__(None, None, None)

    if _AVAILABLE:
        os.register_at_fork(before=guard.__enter__, after_in_parent=leave, after_in_child=leave)


in_children(_renew_all)
