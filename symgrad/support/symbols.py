"""SymPy's symbols with assumptions, found by their names: ``e.subs("x", 2)`` means the x in e.

SymPy makes a symbol without assumptions of "x", which is none of a formula's, and changes nothing without a word.
"""

from __future__ import annotations

from typing import Any

import sympy as sp


class Symbol(sp.Symbol):
    """A symbol that is equal to SymPy's of the same name and assumptions, and is replaced by its name alone.

    >>> x = Symbol("x", real=True)
    >>> (x**2).subs("x", 3), x == sp.Symbol("x", real=True)
    (9, True)
    """

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        if not isinstance(other, sp.Symbol):
            return super().__eq__(other)  # NotImplemented of a tensor, which answers itself
        return self.name == other.name and self._hashable_content() == other._hashable_content()

    __hash__ = sp.Symbol.__hash__  # by the class's name, which is SymPy's

    def _eval_subs(self, old: Any, new: Any) -> Any:
        return new if type(old) is sp.Symbol and old.name == self.name else None


def named(e: Any, old: Any) -> Any:
    """Return the symbol of e that SymPy's symbol of this name stands for; itself where there is none."""
    if type(old) is not sp.Symbol:
        return old
    return next((s for s in e.free_symbols if isinstance(s, Symbol) and s.name == old.name), old)
