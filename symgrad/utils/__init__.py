"""torch.utils' names: ``checkpoint``."""

from typing import TYPE_CHECKING

from symgrad.support.namespace import namespace
from symgrad.utils import checkpoint

__all__ = ["checkpoint"]

if not TYPE_CHECKING:  # checkers would take every name for one that there is
    __getattr__, __dir__ = namespace(globals(), __all__)
