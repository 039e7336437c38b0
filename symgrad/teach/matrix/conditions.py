"""Where a lesson on arrays holds: what must be invertible, positive or not 0 for its rules to apply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

import sympy as sp

from symgrad.expression import formula as write
from symgrad.forms.nodes.arrays import ArraySymbol, Identity, OnesVector
from symgrad.forms.nodes.elementwise import ElementPower, Elementwise
from symgrad.forms.nodes.formulas import formula
from symgrad.forms.nodes.marks import Length, Norm2, Quotient
from symgrad.forms.nodes.matrices import Call, Filled, MatrixPower, Plus, Product, Scaled, Transposed
from symgrad.ops.linalg.determinant import LogAbsDet
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.reductions.softmax import Softmax
from symgrad.teach.board.line import Equation
from symgrad.teach.matrix.notation import Textbook, textbook
from symgrad.teach.steps.unicode_text import unicode_text

_POSITIVE = {"exp", "cosh", "sigmoid", "softplus", "normal_pdf", "ndtr"}
_KINKED = {"relu", "abs", "sign"}
Condition = tuple[Any, str]


def conditions(formulas: Iterable[Any], active: Set[str], definite: Set[str]) -> list[Any]:
    """Return in words and formulas where a lesson holds; nothing where it holds everywhere.

    Args:
        formulas: the function and its derivatives.
        active: the names that change.
        definite: the names of positive definite matrices.
    """
    needed: dict[tuple[str, str], Condition] = {}
    for e in formulas:
        for a in sp.preorder_traversal(e) if isinstance(e, sp.Basic) else ():
            for part, says in _needs(a):
                if {str(s.name) for s in part.free_symbols} & active and not _holds(part, says, definite):
                    needed[unicode_text(textbook(part)), says] = part, says
    inside = {text for text, says in needed if says == " is invertible"}
    parts: list[Any] = []
    for (text, says), (part, _) in needed.items():
        if says == " is positive" and text.removeprefix("det(").removesuffix(")") in inside:
            continue
        parts.extend(([" and "] if parts else ["This holds where "]) + [Equation((textbook(part),)), says])
    return [*parts, "."] if parts else []


def _needs(a: Any) -> Iterator[Condition]:
    """Yield what a node needs for a value and a derivative."""
    if isinstance(a, Length):
        yield a.args[0], " is not 0"
    elif isinstance(a, Call) and isinstance(a.op, Inverse):
        yield a.args[1], " is invertible"
    elif isinstance(a, MatrixPower) and a.args[1].is_negative:
        yield a.args[0], " is invertible"
    elif isinstance(a, Call) and isinstance(a.op, LogAbsDet):
        yield Textbook.of(a, write.call("det", formula(a.args[1]))), " is positive"
    elif isinstance(a, (ElementPower, Quotient)):
        yield from _of_entries(a)
    elif isinstance(a, Elementwise):
        yield from _of_function(a)
    elif isinstance(a, sp.Pow):
        yield from _of_power(a)
    elif isinstance(a, sp.log):
        yield a.args[0], " is positive"


def _of_entries(a: Any) -> Iterator[Condition]:
    if isinstance(a, Quotient):
        yield a.args[1], " has no entry 0" if getattr(a.args[1], "shape", ()) else " is not 0"
    elif not a.args[1].is_integer:
        yield a.args[0], " has positive entries"
    elif a.args[1].is_negative:
        yield a.args[0], " has no entry 0"


def _of_function(a: Any) -> Iterator[Condition]:
    name, inner, many = str(a.args[0]), a.args[1], bool(a.shape)
    if name in ("log", "sqrt"):
        yield inner, " has positive entries" if many else " is positive"
    elif name in _KINKED:
        yield inner, " has no entry 0" if many else " is not 0"


def _of_power(a: Any) -> Iterator[Condition]:
    if not a.exp.is_integer:
        yield a.base, " is positive"
    elif a.exp.is_negative:
        for f in sp.Mul.make_args(a.base):
            yield (f.args[0] if isinstance(f, (Norm2, Length)) else f), " is not 0"


def _holds(e: Any, says: str, definite: Set[str]) -> bool:
    """Whether a condition is known to hold."""
    if says == " is invertible":
        return isinstance(e, ArraySymbol) and str(e.name) in definite
    if isinstance(e, Textbook):  # a determinant
        return isinstance(e.args[0].args[1], ArraySymbol) and str(e.args[0].args[1].name) in definite
    return is_positive(e)


def is_positive(e: Any) -> bool:
    """Whether all entries are seen to be positive."""
    if isinstance(e, (Plus, sp.Add)):
        terms = e.args[:-1] if isinstance(e, Plus) else e.args
        return _is_share(terms) or (
            any(map(is_positive, terms)) and all(is_positive(t) or _is_square(t) for t in terms)
        )
    if isinstance(e, (Scaled, Product, sp.Mul)):
        return all(is_positive(f) for f in e.args if isinstance(f, sp.Expr))
    if isinstance(e, Transposed):
        return is_positive(e.args[0])
    if isinstance(e, Filled):
        return bool(e.args[0].is_positive)
    if isinstance(e, Elementwise):
        return str(e.args[0]) in _POSITIVE
    if isinstance(e, Call):
        return isinstance(e.op, Softmax)
    return isinstance(e, (OnesVector, sp.exp)) or bool(getattr(e, "is_number", False) and e.is_positive)


def _is_square(e: Any) -> bool:
    return isinstance(e, Norm2) or (isinstance(e, (ElementPower, sp.Pow)) and e.args[1] == 2) or isinstance(e, Identity)


def _is_share(terms: Any) -> bool:
    """Whether it is 1 − σ(z)."""
    return len(terms) == 2 and any(
        isinstance(a, (Filled, OnesVector)) and isinstance(b, Scaled) and b.args[0] == -1 and is_positive(b.args[1])
        and isinstance(b.args[1], (Elementwise, Call)) and str(b.args[1].args[0]) in ("sigmoid", "Softmax")
        for a, b in (terms, terms[::-1])
    )  # fmt: skip
