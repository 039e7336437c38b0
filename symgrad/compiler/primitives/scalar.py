"""Straight-line programs of single numbers: a hash-consed list of operations on float64.

Every value is a reference, the position of its operation; 0 is the constant zero, so that arrays of references
can be filled, sliced and padded as arrays of numbers are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

ZERO, ONE = 0, 1
TRUTH = frozenset({"lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not"})  # whose results are booleans
_FOLD: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
}
LEAVES = frozenset({"const", "in"})  # which carry a number, where others have references
_FOLDS = frozenset({"const", "neg"})  # beside which these may be something else
_FOLDING = frozenset({"add", "sub", "mul"})
_COMMUTES = {"add", "mul", "eq", "ne", "and", "or"}


class Scalars:
    """Operations ``(name, *references)`` in order of computation; "const" and "in" carry a number instead."""

    def __init__(self) -> None:
        self.ops: list[tuple[Any, ...]] = []
        self._known: dict[tuple[Any, ...], int] = {}
        self.const(0.0)
        self.const(1.0)

    def const(self, value: float) -> int:
        """Return the reference of a number."""
        value = float(value)
        key: tuple[Any, ...] = ("const", value, math.copysign(1.0, value)) if value == 0 else ("const", value)
        return self._new(key)

    def slot(self, position: int) -> int:
        """Return the reference of an entry of the arguments."""
        return self._new(("in", position))

    def _new(self, key: tuple[Any, ...]) -> int:
        ref = self._known.get(key)
        if ref is None:
            ref = self._known[key] = len(self.ops)
            self.ops.append(key)
        return ref

    def value(self, ref: int) -> float | None:
        """Return the number at a reference, None where it is computed."""
        op = self.ops[ref]
        return float(op[1]) if op[0] == "const" else None

    def emit(self, name: str, *refs: int) -> int:
        """Return the reference of an operation, folded and shared where that is possible."""
        ops = self.ops
        if name not in _FOLDING or ops[refs[0]][0] in _FOLDS or ops[refs[1]][0] in _FOLDS:
            special = _SPECIAL.get(name)
            ref: int | None = special and special(self, *refs)
            if ref is not None:
                return ref
        if name in _COMMUTES and refs[0] > refs[1]:
            refs = (refs[1], refs[0])
        return self._new((name, *refs))

    def _folded(self, name: str, *refs: int) -> int | None:
        values = [self.value(r) for r in refs]
        return None if None in values else self.const(_FOLD[name](*values))

    def reachable(self, roots: Iterable[int]) -> list[int]:
        """Return the operations that the roots need, in order."""
        return [k for k, n in enumerate(self.use_counts(roots)) if n]

    def use_counts(self, roots: Iterable[int]) -> list[int]:
        """Return how often the roots, and what they need, ask for each operation."""
        ops = self.ops
        counts = [0] * len(ops)
        for r in roots:
            counts[r] += 1
        for k in range(len(ops) - 1, -1, -1):
            if counts[k] and ops[k][0] not in LEAVES:
                for r in ops[k][1:]:
                    counts[r] += 1
        return counts


def _add(s: Scalars, a: int, b: int) -> int | None:
    if a == ZERO:
        return b
    if b == ZERO:
        return a
    if s.ops[b][0] == "neg":
        return s.emit("sub", a, s.ops[b][1])
    if s.ops[a][0] == "neg":
        return s.emit("sub", b, s.ops[a][1])
    return s._folded("add", a, b)


def _sub(s: Scalars, a: int, b: int) -> int | None:
    if b == ZERO:
        return a
    if a == ZERO:
        return s.emit("neg", b)
    if s.ops[b][0] == "neg":
        return s.emit("add", a, s.ops[b][1])
    return s._folded("sub", a, b)


def _mul(s: Scalars, a: int, b: int) -> int | None:
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
    return s._folded("mul", a, b)


def _div(s: Scalars, a: int, b: int) -> int | None:
    if b == ONE:
        return a
    return ZERO if a == ZERO and s.value(b) is None else None


def _neg(s: Scalars, a: int) -> int | None:
    if a == ZERO:  # the sign of a zero is not kept, that it is one is
        return ZERO
    if s.ops[a][0] == "neg":
        return int(s.ops[a][1])
    if s.ops[a][0] == "sub":
        return s.emit("sub", s.ops[a][2], s.ops[a][1])
    return s._folded("neg", a)


def _select(s: Scalars, c: int, a: int, b: int) -> int | None:
    if a == b:
        return a
    known = s.value(c)
    return None if known is None else (a if known else b)


_SPECIAL: dict[str, Any] = {
    "add": _add, "sub": _sub, "mul": _mul, "div": _div, "neg": _neg, "select": _select,
}  # fmt: skip


def total(s: Scalars, refs: Sequence[int]) -> int:
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
