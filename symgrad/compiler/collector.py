"""Compiling without Python's garbage collector, which would walk the growing program again and again.

Imports nothing of symgrad.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Switch the collector off, and back on if it was on: a compilation makes many objects and next to no garbage."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
