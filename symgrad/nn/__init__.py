"""Neural network functions. ``sg.nn.functional``, ``init`` and ``utils`` as torch's."""

import importlib as _importlib
import typing as _typing
from types import ModuleType as _ModuleType

from symgrad.nn import functional
from symgrad.support.namespace import missing as _missing
from symgrad.support.namespace import shown as _shown

if _typing.TYPE_CHECKING:
    from symgrad.nn import init, utils

__all__ = ["functional", "init", "utils"]


if not _typing.TYPE_CHECKING:  # checkers would take every name for one that there is

    def __getattr__(name: str) -> _ModuleType:
        if name not in ("init", "utils"):
            raise _missing("symgrad.nn", name, __all__)
        return _importlib.import_module(f"symgrad.nn.{name}")


def __dir__() -> list[str]:
    return _shown(globals(), __all__)
