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

_AVAILABLE = hasattr(os, "register_at_fork")  # not on Windows, which does not fork


class Lock:
    """A reentrant lock, free in a forked child unless the thread that forked held it. Use ``with lock.current:``."""

    __slots__ = ("__weakref__", "current")

    def __init__(self) -> None:
        self.current: Any = threading.RLock()
        _LOCKS.add(self)

    def renew(self) -> None:
        """Replace the lock where a thread holds it that this process does not have."""
        if self.current.acquire(blocking=False):
            self.current.release()
        else:
            self.current = threading.RLock()


_LOCKS: WeakSet[Lock] = WeakSet()


def _renew_all() -> None:
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
