"""A line on a terminal's standard error while something takes long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 1.0  # seconds


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Say every second what is being done, from the first second on, and take it back at the end."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_tell, args=(what, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _tell(what: str, done: threading.Event) -> None:
    start = time.monotonic()
    said = False
    while not done.wait(PATIENCE):
        said = True
        print(f"\r{what} ... {time.monotonic() - start:.0f} s", end="", file=sys.stderr, flush=True)
    if said:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
