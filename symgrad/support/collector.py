"""Work without Python's garbage collector, which would walk all objects again and again while many are made.

Threads that compile at once share one pause; a forked child ends the pause of threads that it does not have.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident

from symgrad.support.forks import in_children

_PAUSING: dict[int, int] = {}  # by thread, how many pauses it is in; empty while the collector is the user's


@contextmanager
def collector_paused() -> Iterator[None]:
    """Switch the collector off, and back on if it was on: compiling and importing make next to no garbage."""
    here = get_ident()
    if not _PAUSING and not gc.isenabled():
        yield
        return
    try:
        _PAUSING[here] = _PAUSING.get(here, 0) + 1
        gc.disable()
        yield
    finally:
        _end(here)


def _end(thread: int) -> None:
    _PAUSING[thread] = _PAUSING.get(thread, 1) - 1
    if not _PAUSING[thread]:
        del _PAUSING[thread]
        if not _PAUSING:
            gc.enable()


def _only_this_thread() -> None:
    for thread in _PAUSING.keys() - {get_ident()}:
        del _PAUSING[thread]
        if not _PAUSING:
            gc.enable()


in_children(_only_this_thread)
