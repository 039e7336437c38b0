"""What symgrad needs of the interpreter that runs it."""

from __future__ import annotations

import sys


def check_interpreter() -> None:
    """Refuse a Python that runs without its global interpreter lock.

    Threads share caches and graphs that have no locks of their own.

    Raises:
        ImportError: the lock is off.
    """
    is_gil_enabled = getattr(sys, "_is_gil_enabled", None)  # since Python 3.13
    if is_gil_enabled is not None and not is_gil_enabled():
        raise ImportError(
            "symgrad: Python runs without its global interpreter lock, which symgrad needs. Start it with PYTHON_GIL=1 "
            "in the environment or with -X gil=1, or use a standard build of Python."
        )
