"""Neural network functions. ``sg.nn.functional`` as ``torch.nn.functional``."""

from symgrad.nn import functional

__all__ = ["functional"]
