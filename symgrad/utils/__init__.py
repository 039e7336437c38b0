"""torch.utils' names: ``checkpoint``."""

from symgrad.utils import checkpoint

__all__ = ["checkpoint"]
