"""torch.utils' names: ``checkpoint``, ``data``; and ``save`` and ``load``, which symgrad itself shows."""

from typing import TYPE_CHECKING

from symgrad.support.namespace import namespace
from symgrad.utils import checkpoint, data

__all__ = ["checkpoint", "data"]

if not TYPE_CHECKING:  # checkers would take every name for one that there is
    __getattr__, __dir__ = namespace(globals(), __all__)
