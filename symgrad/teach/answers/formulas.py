"""A problem as it stands on paper: its products of arrays in linear algebra's notation, in the order that was typed."""

from __future__ import annotations

from collections.abc import Mapping

from symgrad.expression.arithmetic import opened
from symgrad.expression.formula import (
    Attribute,
    Binary,
    Call,
    Constant,
    EntryPower,
    Fenced,
    Formula,
    Infix,
    Name,
    Raised,
    call,
    replace,
)
from symgrad.teach.answers.products import rank

_RAISED = {"T": "ᵀ", "mT": "ᵀ", "H": "ᴴ", "mH": "ᴴ"}
_NORMS = {1: "", 2: "F"}


def on_paper(tree: Formula, ranks: Mapping[str, int]) -> Formula:
    """Return a formula for the printer; ``ranks`` are the numbers of axes of its names.

    >>> from symgrad.expression.grammar import read
    >>> from symgrad.expression.printer import handwritten
    >>> handwritten(on_paper(read("sum((X @ w - y)**2)").tree, {"X": 2, "w": 1, "y": 1}))
    '‖X·w − y‖²'
    """
    return opened(_of_arrays(tree, ranks))


def _of_arrays(t: Formula, ranks: Mapping[str, int]) -> Formula:
    if isinstance(t, Binary) and t.op == "@":
        return _product(t, ranks)
    operands = t.operands
    new = t.with_operands([_of_arrays(part, ranks) for part in operands]) if operands else t
    if isinstance(new, Attribute) and new.attr in _RAISED:
        return Raised(new.value, _RAISED[new.attr])
    if isinstance(new, Call):
        return _call(new, [rank(a, ranks) for a in operands])
    if isinstance(new, Binary) and new.op in ("*", "/", "**"):
        left, right = (rank(a, ranks) for a in operands)
        if new.op == "**" and left:
            return EntryPower(new.left, new.right)
        if right and (left or new.op == "/"):
            return Infix(new.left, new.right, sign="⊙" if new.op == "*" else "⊘")
    return new


def _product(t: Binary, ranks: Mapping[str, int]) -> Formula:
    """Return a product of matrices; a vector on the left of an array is transposed, what it is multiplied by is not."""
    left, right = _of_arrays(t.left, ranks), _of_arrays(t.right, ranks)
    if isinstance(left, Binary) and left.op == "*" and isinstance(t.left, Binary) and not rank(t.left.left, ranks):
        return Binary(left.left, "*", _product(replace(t, left=t.left.right), ranks))
    row = isinstance(left, Infix) and left.sign == "@" and isinstance(left.args[0], Raised) and not t.left.brackets
    if rank(t.left, ranks) == 1 and not row:
        left = Raised(left, "ᵀ")
    factors = left.args if isinstance(left, Infix) and left.sign == "@" else (left,)
    return Infix(*factors, right, sign="@", number=rank(t, ranks) == 0)


def _call(t: Call, axes: list[int]) -> Formula:
    """Return a function as books write it; the axis of a function of a vector goes without saying."""
    first = t.args[0] if t.args else None
    if t.name == "inv":
        return Raised(t.args[0], "⁻¹")
    if t.name == "sum" and isinstance(first, EntryPower) and first.exponent == Constant(2) and axes[0] in _NORMS:
        return Binary(Fenced(first.base, "‖", "‖", _NORMS[axes[0]]), "**", Constant(2))
    if t.name == "logdet":
        return call("log", Fenced(call("det", *t.args), "|", "|"))
    if t.name == "trace":
        return replace(t, func=Name("tr"))
    if not any(axes):
        return t
    arguments = [a for k, a in enumerate(t.args) if k == 0 or not isinstance(a, Constant)]
    return replace(t, args=arguments, plain=True)
