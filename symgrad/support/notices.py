"""Warnings that point at the user's line, however many of our own functions stand between."""

from __future__ import annotations

import sys
import warnings
from itertools import count


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost call that comes from outside of this package."""
    for level in count(1):
        frame = sys._getframe(level)
        if frame.f_back is None or frame.f_globals.get("__name__", "").split(".")[0] != "symgrad":
            warnings.warn(message, category, stacklevel=level + 1)
            return
