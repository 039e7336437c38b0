"""Where a lesson on arrays holds: what must be invertible, positive or not 0 for its rules to apply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from math import isinf
from typing import Any

import sympy as sp

from symgrad.expression import formula as write
from symgrad.forms.nodes.arrays import ArraySymbol, Identity, OnesVector
from symgrad.forms.nodes.elementwise import ElementPower, Elementwise, Hadamard
from symgrad.forms.nodes.formulas import formula
from symgrad.forms.nodes.marks import Diag, Length, Norm2, Quotient, Total, Truth
from symgrad.forms.nodes.matrices import Call, Filled, MatrixPower, Plus, Product, Scaled, Transposed, is_symmetric
from symgrad.ops.linalg.determinant import Det, LogAbsDet
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.linalg.norms import Norm
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.reductions.extremes import Extreme
from symgrad.ops.reductions.softmax import Softmax
from symgrad.ops.sorting.order import Argsort, MedianOfAll
from symgrad.scalars import SCALARS
from symgrad.teach.board.line import Equation
from symgrad.teach.matrix.notation import Textbook, textbook
from symgrad.teach.matrix.symbols import is_zero, ones, plus, rebuilt, scaled
from symgrad.teach.steps.unicode_text import unicode_text

_POSITIVE = {"exp", "cosh", "sigmoid", "softplus", "normal_pdf", "ndtr"}
_KINKED = {"relu", "abs", "sign"}
INVERTIBLE, NONZERO, POSITIVE = " is invertible", " is not 0", " is positive"
NO_ZERO, POSITIVES = " has no entry 0", " has positive entries"
_WEAKER = {NO_ZERO: POSITIVES, NONZERO: POSITIVE}  # what another condition on the same formula implies
Condition = tuple[Any, str]


def conditions(formulas: Iterable[Any], active: Set[str], definite: Set[str], orthogonal: Set[str]) -> list[Any]:
    """Return in words and formulas where a lesson holds; nothing where it holds everywhere.

    Args:
        formulas: the function and its derivatives.
        active: the names that change; a matrix is said to be invertible even where it does not change.
        definite, orthogonal: the names of such matrices.
    """
    needed: dict[tuple[str, str], Condition] = {}
    for e in formulas:
        for part, says in _needs_within(e) if isinstance(e, sp.Basic) else ():
            moves = says == INVERTIBLE or {str(s.name) for s in part.free_symbols} & active
            if moves and not _holds(part, says, definite, orthogonal):
                needed[unicode_text(textbook(part)), says] = part, says
    parts: list[Any] = []
    for (text, says), (part, _) in needed.items():
        if (text, _WEAKER.get(says)) in needed or _is_implied(text, says, part, needed):
            continue
        parts.extend(([" and "] if parts else ["This holds where "]) + [Equation((textbook(part),)), says])
    return [*parts, "."] if parts else []


def _is_implied(text: str, says: str, part: Any, needed: Mapping[tuple[str, str], Condition]) -> bool:
    """Whether a condition on a matrix follows from another: of its determinant, its inverse, or its diagonal."""
    if says == POSITIVE and isinstance(part, Textbook):  # the determinant of a Gram matrix is not negative
        inner = part.args[0].args[1]
        return is_semidefinite(inner) and (unicode_text(textbook(inner)), INVERTIBLE) in needed
    if says == INVERTIBLE:
        spectrum = (f"λ({text})", POSITIVES) in needed
        return spectrum or ((f"det({text})", POSITIVE) in needed and not is_semidefinite(part))
    if says == NONZERO and isinstance(part, Call) and isinstance(part.op, Det):
        return (unicode_text(textbook(part.args[1])), INVERTIBLE) in needed
    return says == NO_ZERO and isinstance(part, Diag) and (f"det({unicode_text(part.args[0])})", POSITIVE) in needed


def _needs_within(e: Any) -> Iterator[Condition]:
    """Yield what the nodes of a formula need; of the shares of equal entries, that there are none."""
    stack = [e]
    while stack:
        a = stack.pop()
        below = a.args[isinstance(a, Quotient)] if isinstance(a, (sp.Pow, ElementPower, Quotient)) else a
        if is_tied(below) or isinstance(a, Truth):
            continue
        yield from _needs(a)
        parts = [b for b in a.args if isinstance(b, sp.Basic)]
        if isinstance(a, Hadamard) and any(isinstance(b, Truth) and b.relation is sp.Eq for b in parts):
            parts = [b for b in parts if not isinstance(b, Elementwise)]  # signs count at the extreme entry alone
        if isinstance(a, Hadamard):  # x ⊙ |x| is smooth
            parts = [
                b for b in parts if not (isinstance(b, Elementwise) and str(b.args[0]) == "abs" and b.args[1] in parts)
            ]
        stack.extend(reversed(parts))


def _needs(a: Any) -> Iterator[Condition]:
    """Yield what a node needs for a value and a derivative."""
    if isinstance(a, Length):
        yield a.args[0], NONZERO
    elif isinstance(a, Call):
        yield from _of_call(a)
    elif isinstance(a, MatrixPower) and a.args[1].is_negative:
        yield a.args[0], INVERTIBLE
    elif isinstance(a, (ElementPower, Quotient)):
        yield from _of_entries(a)
    elif isinstance(a, Elementwise):
        yield from _of_function(a)
    elif isinstance(a, sp.Pow):
        yield from _of_power(a)
    elif isinstance(a, sp.Abs) or (isinstance(a, sp.Function) and a.func.__name__ in _KINKED):
        yield a.args[0], NONZERO
    elif isinstance(a, sp.log):
        yield (a.args[0].args[0], NONZERO) if isinstance(a.args[0], sp.Abs) else (a.args[0], POSITIVE)


def _of_call(a: Call) -> Iterator[Condition]:
    op, inner = a.op, a.args[1]
    axes, rank = getattr(op, "axes", (getattr(op, "axis", 0),)), len(getattr(inner, "shape", ()))
    each = "" if rank != 2 or len(axes) != 1 else " in each row" if 1 in axes else " in each column"
    if isinstance(op, Inverse):
        yield inner, INVERTIBLE
    elif isinstance(op, LogAbsDet):
        yield Textbook.of(a, write.call("det", formula(inner))), POSITIVE
    elif isinstance(op, Extreme):
        yield inner, f" has only one {'largest' if op.largest else 'smallest'} entry{each}"
    elif isinstance(op, Argsort):
        yield inner, " has no two equal entries" + each
    elif isinstance(op, MedianOfAll):
        yield inner, f" has only one entry that is its median{each}"
    elif isinstance(op, Norm) and isinf(op.p):
        yield Elementwise.of(SCALARS["abs"].function, [inner], inner.shape), f" has only one largest entry{each}"


def is_tied(a: Any) -> bool:
    """Whether it counts the entries that are the largest, the smallest or the median: 1 where there is only one."""
    counts = isinstance(a, Total) or (isinstance(a, Product) and any(isinstance(f, OnesVector) for f in a.args[1:-1]))
    marks = a.atoms(Truth) if counts and not isinstance(a.args[0], Hadamard) else ()
    return bool(marks) and all(
        t.relation is sp.Eq and any(isinstance(c.op, _PICKS) for c in t.atoms(Call)) for t in marks
    )


def without_ties(e: Any) -> Any:
    """Write a derivative where an extreme or a median has only one entry: of shares, those of this entry alone."""
    there: dict[Any, Any] = {}
    for a in sp.preorder_traversal(e):
        if isinstance(a, sp.Pow) and is_tied(a.base):
            there[a] = sp.S.One
        elif isinstance(a, ElementPower) and is_tied(a.args[0]):
            there[a] = ones(a.shape)
        elif isinstance(a, Quotient) and is_tied(a.args[1]):
            there[a] = without_ties(a.args[0])
    return rebuilt(e, there) if there else e


_PICKS = (Extreme, MedianOfAll, Norm)


def _of_entries(a: Any) -> Iterator[Condition]:
    if isinstance(a, Quotient):
        yield a.args[1], NO_ZERO if getattr(a.args[1], "shape", ()) else NONZERO
    elif not a.args[1].is_integer:
        yield a.args[0], POSITIVES
    elif a.args[1].is_negative:
        yield a.args[0], NO_ZERO


def _of_function(a: Any) -> Iterator[Condition]:
    name, inner, many = str(a.args[0]), a.args[1], bool(a.shape)
    if name in ("log", "sqrt"):
        yield inner, POSITIVES if many else POSITIVE
    elif name in _KINKED:
        yield inner, NO_ZERO if many else NONZERO
    elif name in ("maximum", "minimum"):
        yield _difference(inner, a.args[2]), NO_ZERO if many else NONZERO


def _difference(a: Any, b: Any) -> Any:
    """Return a − b, or one of them where the other is 0."""
    if is_zero(a) or is_zero(b):
        return b if is_zero(a) else a
    return plus([a, scaled(-1, b)])


def _of_power(a: Any) -> Iterator[Condition]:
    if not a.exp.is_integer and not isinstance(a.base, (Norm2, Length)):
        yield a.base, POSITIVE
    elif not a.exp.is_integer or a.exp.is_negative:
        for f in sp.Mul.make_args(a.base):
            yield (f.args[0] if isinstance(f, (Norm2, Length)) else f), NONZERO


def _holds(e: Any, says: str, definite: Set[str], orthogonal: Set[str]) -> bool:
    """Whether a condition is known to hold."""
    if says == INVERTIBLE:
        return is_definite(e, definite) or (isinstance(e, ArraySymbol) and str(e.name) in orthogonal)
    if isinstance(e, Textbook):  # a determinant
        return is_definite(e.args[0].args[1], definite)
    return says in (POSITIVE, POSITIVES, NONZERO, NO_ZERO) and is_positive(e)


# ------------------------------------------------------------------ what is seen to be positive
def is_definite(e: Any, definite: Set[str]) -> bool:
    """Whether a matrix is seen to be positive definite, by names of others that are."""
    if isinstance(e, Plus):
        terms = e.args[:-1]
        return any(is_definite(t, definite) for t in terms) and all(is_semidefinite(t, definite) for t in terms)
    if isinstance(e, Scaled):
        return is_positive(e.args[0]) and is_definite(e.args[1], definite)
    if isinstance(e, (Transposed, MatrixPower)):
        return is_definite(e.args[0], definite)
    if isinstance(e, Call) and len(e.args) == 3:
        inner = e.args[1]
        return (isinstance(e.op, Inverse) and is_definite(inner, definite)) or (
            isinstance(e.op, MatrixExp) and is_symmetric(inner)
        )
    if isinstance(e, Diag):
        return len(e.shape) == 2 and is_positive(e.args[0])
    return isinstance(e, Identity) or (isinstance(e, ArraySymbol) and str(e.name) in definite)


def is_semidefinite(e: Any, definite: Set[str] = frozenset()) -> bool:
    """Whether a matrix is seen to be positive semidefinite, as Xᵀ·X is, and Xᵀ·P·X of a definite P."""
    if isinstance(e, Plus):
        return all(is_semidefinite(t, definite) for t in e.args[:-1])
    if isinstance(e, Scaled):
        return bool(e.args[0].is_nonnegative) and is_semidefinite(e.args[1], definite)
    if isinstance(e, Product) and is_symmetric(e):
        k, is_even = divmod(len(e.args), 2)
        return bool(is_even) or is_semidefinite(e.args[k - 1], definite)
    return is_definite(e, definite)


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
