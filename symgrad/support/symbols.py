"""The symbols of formulas: SymPy's plain ones where a formula is handed out, those with assumptions within.

To SymPy a symbol that is marked real is another one than ``Symbol("x")``: ``diff`` by the latter says 0, and ``solve``
finds no root, without a word.
"""

from __future__ import annotations

from typing import Any

import sympy as sp


class Letter(sp.Symbol):
    """A letter of index notation: equal to SymPy's symbol that is an integer, and replaced by its name alone.

    >>> i = Letter("i", integer=True)
    >>> (i**2).subs("i", 3), i == sp.Symbol("i", integer=True)
    (9, True)
    """

    def __eq__(self, other: object) -> Any:
        if self is other:
            return True
        if not isinstance(other, sp.Symbol):
            return super().__eq__(other)  # NotImplemented of a tensor, which answers itself
        return self.name == other.name and self._hashable_content() == other._hashable_content()

    def __hash__(self) -> int:
        return hash((sp.Symbol.__name__, *self._hashable_content()))

    @classmethod
    def class_key(cls) -> Any:
        """Where it stands among others: where any name does."""
        return sp.Symbol.class_key()

    def _eval_subs(self, old: Any, new: Any) -> Any:
        return new if type(old) is sp.Symbol and old.name == self.name else None


def named(e: Any, old: Any) -> Any:
    """Return the letter of e that SymPy's symbol of this name stands for; itself where there is none."""
    if type(old) is not sp.Symbol:
        return old
    return next((s for s in e.free_symbols if isinstance(s, Letter) and s.name == old.name), old)


def plain(e: Any) -> Any:
    """Return a formula with SymPy's plain symbols for numbers and sizes, written as it was.

    >>> x = sp.Symbol("x", real=True)
    >>> plain(3 * x**2).diff(sp.Symbol("x"))
    6*x
    """
    known: dict[Any, Any] = {}
    stack = [e]
    while stack:
        at = stack[-1]
        if at in known or not isinstance(at, sp.Basic):
            known.setdefault(at, at)
            stack.pop()
            continue
        missing = [a for a in at.args if a not in known]
        stack += missing
        if not missing:
            known[at] = _rebuilt(stack.pop(), known)
    return known[e]


def _rebuilt(e: Any, known: dict[Any, Any]) -> Any:
    if isinstance(e, sp.Symbol):
        return e if isinstance(e, (sp.Dummy, Letter)) else sp.Symbol(e.name)
    args = [known[a] for a in e.args]
    if all(a is b for a, b in zip(args, e.args, strict=True)):
        return e
    if not (e.is_Add or e.is_Mul or e.is_Pow):
        return e.func(*args)
    rebuilt = e.func(*args)
    same = rebuilt.func is e.func and len(rebuilt.args) == len(args) and set(rebuilt.args) == set(args)
    return rebuilt if same else e.func(*args, evaluate=False)
