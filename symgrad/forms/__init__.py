"""Closed forms: matrix, index and scalar notation of any derivative, its NumPy function, and the way to SymPy."""

from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.forms.sympy.from_sympy import from_sympy

__all__ = ["ClosedForm", "derive", "from_sympy"]
