"""What operations on numbers come to where some are known: zeros and ones, signs, choices; and sums of many terms.

A reference is the position of an operation; 0 is the constant zero, so that arrays of references can be filled, sliced
and padded as arrays of numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from symgrad.compiler.primitives.infix import FUNCTIONS

if TYPE_CHECKING:
    from symgrad.compiler.primitives.elements import Elements

ZERO, ONE = 0, 1
FOLDS = frozenset({"const", "neg"})  # beside which these may be something else
FOLDING = frozenset({"add", "sub", "mul"})


def _number(s: Elements, name: str, *refs: int) -> int | None:
    values = [s.value(r) for r in refs]
    return None if None in values else s.const(FUNCTIONS[name](*values))


def _add(s: Elements, a: int, b: int) -> int | None:
    if a == ZERO:
        return b
    if b == ZERO:
        return a
    if s.ops[b][0] == "neg":
        return s.emit("sub", a, s.ops[b][1])
    if s.ops[a][0] == "neg":
        return s.emit("sub", b, s.ops[a][1])
    return _number(s, "add", a, b)


def _sub(s: Elements, a: int, b: int) -> int | None:
    if b == ZERO:
        return a
    if a == ZERO:
        return s.emit("neg", b)
    if s.ops[b][0] == "neg":
        return s.emit("add", a, s.ops[b][1])
    return _number(s, "sub", a, b)


def _mul(s: Elements, a: int, b: int) -> int | None:
    # A structural zero, such as the rest of a unit vector, stays zero beside ∞.
    if a == ZERO or b == ZERO:
        return ZERO
    if a == ONE:
        return b
    if b == ONE:
        return a
    for x, y in ((a, b), (b, a)):
        if s.value(x) == -1.0:
            return s.emit("neg", y)
    if s.ops[a][0] == "neg" and s.ops[b][0] == "neg":
        return s.emit("mul", s.ops[a][1], s.ops[b][1])
    if s.ops[a][0] == "neg":
        return s.emit("neg", s.emit("mul", s.ops[a][1], b))
    if s.ops[b][0] == "neg":
        return s.emit("neg", s.emit("mul", a, s.ops[b][1]))
    return _number(s, "mul", a, b)


def _div(s: Elements, a: int, b: int) -> int | None:
    if b == ONE:
        return a
    return ZERO if a == ZERO and s.value(b) is None else None


def _neg(s: Elements, a: int) -> int | None:
    if a == ZERO:  # the sign of a zero is not kept, that it is one is
        return ZERO
    if s.ops[a][0] == "neg":
        return int(s.ops[a][1])
    if s.ops[a][0] == "sub":
        return s.emit("sub", s.ops[a][2], s.ops[a][1])
    return _number(s, "neg", a)


def _select(s: Elements, c: int, a: int, b: int) -> int | None:
    if a == b:
        return a
    known = s.value(c)
    return None if known is None else (a if known else b)


# what an operation is known to be, None where it must be computed; of FOLDING only beside FOLDS
RULES: dict[str, Callable[..., int | None]] = {
    "add": _add, "sub": _sub, "mul": _mul, "div": _div, "neg": _neg, "select": _select,
}  # fmt: skip


def total(s: Elements, refs: Sequence[int]) -> int:
    """Add references pairwise, as NumPy adds long rows: the error grows with the logarithm of their number."""
    terms = list(refs)
    if not terms:
        return ZERO
    while len(terms) > 8:
        terms = [s.emit("add", *terms[k : k + 2]) if k + 1 < len(terms) else terms[k] for k in range(0, len(terms), 2)]
    first, *rest = terms
    for r in rest:
        first = s.emit("add", first, r)
    return first
