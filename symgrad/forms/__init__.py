"""Closed forms: matrix, index and scalar notation of any derivative, and its NumPy function."""

from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive

__all__ = ["ClosedForm", "derive"]
