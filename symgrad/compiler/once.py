"""A result of tracing a function, computed once for all threads that ask for it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from symgrad.core.journal import Changes, fixed
from symgrad.support.forks import Lock

T = TypeVar("T")


def made_once(lock: Lock, look: Callable[[], T | None], make: Callable[[], T]) -> T:
    """Return what ``look`` finds, else what ``make`` makes; one thread makes it under the lock.

    A thread that finds the lock held does not wait: the function that is traced there may wait for what this thread
    holds. It traces as well, and waits only where that fails, as it does of a function that changes tensors or modules,
    which the other thread has changed for as long as it traces.
    """
    if lock.is_held_elsewhere():
        with suppress(Exception, Changes), fixed():
            made = make()
            return look() or made
    with lock:
        return look() or make()
