"""The error of a target that cannot write something. Imports the package's errors."""

from __future__ import annotations

from symgrad.errors import SymgradError


class ExportError(SymgradError, NotImplementedError):
    """A target cannot write an operation, or a program of this size."""
