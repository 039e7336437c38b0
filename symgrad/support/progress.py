"""How far long work has come: a line on a terminal, a bar in a notebook, nothing where output goes into a file.

It shows after a second, and is gone at the end. With tqdm (the extra ``progress``) both are tqdm's bars.
``SYMGRAD_PROGRESS=0`` in the environment shows none.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from symgrad.support.extras import is_installed, required

PATIENCE = 1.0  # seconds before anything shows
WAIT = 0.5  # seconds between looks at what is done

_outer: ContextVar[bool] = ContextVar("symgrad_progress", default=False)


class Work:
    """Work that goes on: what it is, how many steps are done, and of how many where that is known.

    Args:
        what: such as "minimize".
        total: how many steps there will be.
        clock: seconds, increasing.
        shown: what makes the display, of this work, when it is to be seen.
    """

    def __init__(
        self, what: str, total: int | None = None, clock: Callable[[], float] = time.monotonic,
        shown: Callable[[Work], Any] | None = None,
    ) -> None:  # fmt: skip
        self.what, self.total, self.done, self.note = what, total, 0, ""
        self._clock, self._shown, self._start = clock, shown, clock()
        self._display: Any = None

    @property
    def seconds(self) -> float:
        """How long it has gone on."""
        return self._clock() - self._start

    def step(self, note: str = "", many: int = 1) -> None:
        """Count a step that is done, and say something of it."""
        self.done += many
        self.note = note or self.note

    def look(self) -> None:
        """Show how far it has come, where it goes on for long."""
        if self._shown is None or self.seconds < PATIENCE:
            return
        if self._display is None:
            self._display = self._shown(self)
        self._display.show()

    def close(self) -> None:
        """Clear the line that is shown."""
        if self._display is not None:
            self._display.close()

    def __str__(self) -> str:
        of = "" if self.total is None else f" of {self.total}"
        steps = f" {self.done}{of}," if self.done or self.total else ""
        return f"{self.what} ...{steps} {self.seconds:.0f} s{f', {self.note}' if self.note else ''}"


class _Line:
    """A line of text that is written over."""

    def __init__(self, work: Work, stream: Any) -> None:
        self._work, self._stream = work, stream

    def show(self) -> None:
        self._write(f"\r\x1b[K{self._work}"[:100])

    def close(self) -> None:
        self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class _Bar:
    """A bar of tqdm's, in a notebook one of its own kind."""

    def __init__(self, work: Work, stream: Any) -> None:
        bar = required("a bar", "progress", "tqdm.auto").tqdm
        self._work = work
        self._bar = bar(desc=work.what, total=work.total, initial=work.done, leave=False, file=stream)
        self._bar.start_t -= work.seconds

    def show(self) -> None:
        self._bar.n = self._work.done
        self._bar.set_postfix_str(self._work.note, refresh=True)

    def close(self) -> None:
        self._bar.close()


@contextmanager
def long_work(what: str, total: int | None = None, *, shown: bool = True) -> Iterator[Work]:
    """Tell how far the work inside has come; work inside of other work is told of by the outer one.

    Args:
        what: what is said.
        total: how many steps there are, where that is known.
        shown: whether to show anything.
    """
    stream = sys.stderr
    if not shown or _outer.get() or not is_watched(stream):
        yield Work(what, total)
        return
    kind = _Bar if is_installed("progress") else _Line
    work = Work(what, total, shown=lambda w: kind(w, stream))
    ended = threading.Event()
    thread = threading.Thread(target=_followed, args=(work, ended), daemon=True)
    before = _outer.set(True)
    thread.start()
    try:
        yield work
    finally:
        ended.set()
        thread.join()
        work.close()
        _outer.reset(before)


def _followed(work: Work, ended: threading.Event) -> None:
    while not ended.wait(WAIT):
        work.look()


def is_watched(stream: Any) -> bool:
    """Whether somebody sees this stream as it is written: on a terminal, or in a notebook."""
    if os.environ.get("SYMGRAD_PROGRESS") == "0" or stream is None or stream.closed:
        return False
    return bool(stream.isatty()) or _in_notebook()


def _in_notebook() -> bool:
    """Whether a notebook's kernel runs this; IPython is not imported for it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
