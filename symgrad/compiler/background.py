"""Kernels that are compiled behind the user's program, one after the other, in a thread that ends with the last.

What is wrong with a kernel is left to the call that needs it, which builds it again and meets the same error. A forked
child has no such thread, and builds its kernels when they are called.
"""

from __future__ import annotations

import threading
from collections import deque
from contextlib import suppress
from typing import Protocol
from weakref import ref

from symgrad.support.forks import Lock, in_children


class Buildable(Protocol):
    """A kernel to build in the background, if it still exists when its turn comes."""

    def build_behind(self) -> object:
        """Build it, in this thread."""


class _Queue:
    def __init__(self) -> None:
        self._lock = Lock()
        self.forget()

    def forget(self) -> None:
        """Let nothing wait, and no thread run."""
        self._waiting: deque[ref[Buildable]] = deque()
        self._thread: threading.Thread | None = None

    def append(self, entry: Buildable) -> None:
        """Build an entry in the thread; it is not built where no thread can be started, as while Python ends."""
        with self._lock:
            self._waiting.append(ref(entry))
            if self._thread is None:
                thread = threading.Thread(target=self._work, name="symgrad compiler", daemon=True)
                with suppress(RuntimeError):
                    thread.start()
                    self._thread = thread

    def join(self) -> None:
        """Wait until nothing is left to build."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                entry = self._waiting.popleft()()
            if entry is not None:
                with suppress(Exception):
                    entry.build_behind()
            del entry


QUEUE = _Queue()
in_children(QUEUE.forget)
