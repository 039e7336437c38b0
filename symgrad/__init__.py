"""symgrad: the gradient's number, its formula and its function from the same few lines."""

__version__ = "0.1.0"
