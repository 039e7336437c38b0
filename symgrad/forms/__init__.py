"""Closed forms of derivatives, in matrix, index and scalar notation, as NumPy functions and as SymPy expressions."""

from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.forms.sympy.from_sympy import from_sympy

__all__ = ["ClosedForm", "derive", "from_sympy"]
