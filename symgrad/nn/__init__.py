"""Neural network functions. ``sg.nn.functional``, ``init`` and ``utils`` as torch's."""

import importlib as _importlib
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING

from symgrad.nn import functional

if _TYPE_CHECKING:
    from symgrad.nn import init, utils

__all__ = ["functional", "init", "utils"]


def __getattr__(name: str) -> _ModuleType:
    if name not in ("init", "utils"):
        raise AttributeError(f"module 'symgrad.nn' has no attribute {name!r}")
    return _importlib.import_module(f"symgrad.nn.{name}")
