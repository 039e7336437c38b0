"""How many threads one kernel may use. What has threads is told when the number changes."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable

from symgrad.errors import ArgumentError, ArgumentTypeError

__all__ = ["get_num_threads", "set_num_threads"]

MOST = 1024
_told: list[Callable[[int], None]] = []


def _default() -> int:
    """SYMGRAD_NUM_THREADS, else OMP_NUM_THREADS, else the processors that this process may use."""
    for name in ("SYMGRAD_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(name, "").split(",")[0].strip()
        if text.isdecimal() and 1 <= int(text) <= MOST:
            return int(text)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_number = _default()


def get_num_threads() -> int:
    """Return how many threads one kernel may use: see ``set_num_threads``."""
    return _number


def set_num_threads(n: int) -> None:
    """Let one kernel use up to n threads, among which it shares large loops and sums.

    By default n is SYMGRAD_NUM_THREADS; else OMP_NUM_THREADS, as in torch, which Dask and joblib set to 1 in their
    workers; else the number of processors that this process may use. Results do not depend on it, to the last bit:
    loops are cut by their lengths alone. Small work stays on the caller's thread.

    Raises:
        ArgumentTypeError: n is no integer. ArgumentError: it is below 1, or above 1024.

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
