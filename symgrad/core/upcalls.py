"""What rooms ask of the rooms above them, by name: one table, which ``symgrad/__init__.py`` fills in one block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

UPCALLS: dict[str, Callable[..., Any]] = {}
