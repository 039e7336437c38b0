"""How many threads one kernel may use, and threads that share calls of Python, where NumPy lets go of its lock.

What has threads of its own is told when the number changes.
"""

from __future__ import annotations

import operator
import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any

from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.support.forks import in_children

__all__ = ["get_num_threads", "set_num_threads"]

MOST = 1024
_OWN = "SYMGRAD_NUM_THREADS"
_told: list[Callable[[int], None]] = []


def _default() -> int:
    """SYMGRAD_NUM_THREADS, else OMP_NUM_THREADS, else the processors that this process may use."""
    own = os.environ.get(_OWN, "").strip()
    if own and not _is_number(own):
        raise ArgumentError(f"{_OWN}={own!r}. Expected an integer from 1 to {MOST}.")
    text = own or os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if _is_number(text):
        return int(text)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10 and 1 <= int(text) <= MOST


_number = _default()


def get_num_threads() -> int:
    """Return how many threads one kernel may use: see ``set_num_threads``."""
    return _number


def set_num_threads(n: int) -> None:
    """Let one kernel use up to n threads, among which it shares large loops and sums.

    By default n is SYMGRAD_NUM_THREADS; else OMP_NUM_THREADS, as in PyTorch, which Dask and joblib set to 1 in their
    workers; else the number of processors that this process may use. Results do not depend on it, to the last bit:
    loops are cut by their lengths alone. Small work stays on the caller's thread.

    Raises:
        ArgumentTypeError: if n is not an integer.
        ArgumentError: if it is below 1, or above 1024; SYMGRAD_NUM_THREADS is checked when symgrad is imported.

    >>> n = sg.get_num_threads()
    >>> sg.set_num_threads(1)
    >>> sg.get_num_threads()
    1
    >>> sg.set_num_threads(n)
    """
    global _number
    try:
        number = operator.index(n)
    except TypeError:
        raise ArgumentTypeError(f"set_num_threads: expected an integer, got {type(n).__name__}.") from None
    if isinstance(n, bool) or not 1 <= number <= MOST:
        raise ArgumentError(f"set_num_threads: got {n!r}. Expected a number from 1 to {MOST}.")
    _number = number
    for tell in _told:
        tell(number)


def when_changed(tell: Callable[[int], None]) -> None:
    """Call ``tell`` with the number of threads now, and whenever it is set."""
    _told.append(tell)
    tell(_number)


# ------------------------------------------------------------------ calls of Python
def share(run: Callable[[int], None], count: int) -> None:
    """Call run(0), run(1), … run(count - 1), which write to different places, in some order on several threads.

    One job at a time: a caller that finds the threads busy, as a call within a call does, runs alone.
    """
    others = min(_number, count) - 1
    if others < 1 or not _pool.free.acquire(blocking=False):
        for k in range(count):
            run(k)
        return
    try:
        _pool.share(run, count, others)
    finally:
        _pool.free.release()


def _next(left: deque[int]) -> int | None:
    try:
        return left.popleft()  # atomic
    except IndexError:
        return None


def _futures() -> Any:
    """Python's module of threads that wait for work, which brings others along: imported on first use."""
    import concurrent.futures

    return concurrent.futures


class _Pool:
    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Begin without threads: at first, and in a forked child, which has none of its parent's."""
        self.free = threading.Lock()
        self.executor: Any = None
        self.size = 0

    def share(self, run: Callable[[int], None], count: int, others: int) -> None:
        """Take calls here and on so many other threads; after an error, Ctrl-C too, no more are taken."""
        left = deque(range(count))

        def take() -> None:
            try:
                while (k := _next(left)) is not None:
                    run(k)
            except BaseException:
                left.clear()
                raise

        helpers: list[Any] = []
        with suppress(RuntimeError):  # at the interpreter's end there are no new threads
            for _ in range(others):
                helpers.append(self._ready(others).submit(copy_context().run, take))
        try:
            take()
        finally:
            _futures().wait(helpers)
        for helper in helpers:
            helper.result()

    def _ready(self, size: int) -> Any:
        if self.executor is None or self.size < size:
            if self.executor is not None:
                self.executor.shutdown(wait=False)
            self.executor, self.size = _futures().ThreadPoolExecutor(size, "symgrad"), size
        return self.executor


_pool = _Pool()
in_children(_pool.renew)
