"""Which parts of a formula get a name: what a function is taken of, what is met twice, what no product shows well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import sympy as sp

from symgrad.forms.names import Mint
from symgrad.forms.nodes.arrays import ArrayExpr, ArraySymbol
from symgrad.forms.nodes.elementwise import ArrayPower, ElementPower, Elementwise, Hadamard
from symgrad.forms.nodes.marks import Cases, Length, Norm2, Quotient, Total, Trace, Truth
from symgrad.forms.nodes.matrices import Call, Plus, Product, Scaled, Transposed, in_front, is_symmetric
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.reductions.softmax import Softmax
from symgrad.teach.matrix.symbols import is_ones, product, rebuilt, shape_of, traced, turned

_FUNCTIONS = (Norm2, Length, Elementwise, ElementPower, ArrayPower, Quotient, Call, Cases, Truth)
_LETTERS = {0: "stpq", 1: "zuvpq", 2: "ZUVPQ", 3: "UVWQ"}
_RESIDUALS = {1: "rzuv", 2: "RZUV"}
_ENTRIES = {1: "hzuv", 2: "HZUV"}


class Names:
    """A formula with names for its parts.

    Attributes:
        parts: each name, as a symbol, with what it stands for, in names that came before.
        top: the formula in these names.
    """

    def __init__(self, e: Any, mint: Mint, moves: Callable[[Any], bool]) -> None:
        self._mint, self._moves = mint, moves
        self.parts: list[tuple[Any, Any]] = []
        self._known: dict[Any, Any] = {}
        self._many = {a for a, n in self._uses(e).items() if n > 1 and not _is_plain(a)}
        self.top = rebuilt(self._named_within(e), self._known)  # conditions too

    def _uses(self, e: Any) -> Counter[Any]:
        """Return in how many places each array that changes is used; a whole that stands twice is one place."""
        counts: Counter[Any] = Counter()
        seen, stack = {e}, [e]
        while stack:
            for a in getattr(stack.pop(), "args", ()):
                if isinstance(a, sp.Expr) and shape_of(a) and not isinstance(a, ArraySymbol) and self._moves(a):
                    counts[a] += 1
                if isinstance(a, sp.Expr) and a not in seen:
                    seen.add(a)
                    stack.append(a)
        return counts

    def _named_within(self, e: Any) -> Any:
        """Return the formula with names in place of its parts."""
        if not getattr(e, "args", ()) or not isinstance(e, sp.Expr) or isinstance(e, ArraySymbol) or not self._moves(e):
            return e
        if e in self._known:
            return self._known[e]
        sigmoid = sigmoid_inside(e)
        if sigmoid is not None:  # log(σ(z)) is one function: its slope is 1 − σ(z)
            z = sigmoid.args[1]
            named = self._named_within(z)
            return rebuilt(e, {z: named if _is_plain(named) else self._name(z, named)})
        if is_curve(e, self._moves):
            number = e.args[1].args[0]
            return rebuilt(e, {number: self._named_within(number)})
        there = {}
        for a in e.args:
            if isinstance(a, sp.Expr) and self._moves(a) and not isinstance(a, Truth):
                named = self._named_within(a)
                if self._needs_name(a, named, e):
                    named = self._name(a, named)
                there[a] = named
        return rebuilt(e, there) if there else e

    def _needs_name(self, a: Any, named: Any, within: Any) -> bool:
        if _is_plain(named):  # an operation is asked for its differential by a name alone
            return isinstance(within, Call) and not isinstance(within.op, Inverse) and isinstance(named, Scaled)
        if not shape_of(named):
            return isinstance(named, ArrayExpr) and self._bends(within)
        if a in self._many or isinstance(within, _FUNCTIONS):
            return True
        if isinstance(named, Call):
            return not isinstance(named.op, Inverse)
        entries = (Elementwise, ElementPower, Hadamard, Quotient, Cases)
        return isinstance(within, (Product, Trace, Transposed)) and isinstance(named, entries)

    def _bends(self, e: Any) -> bool:
        """Whether a formula of numbers is not linear in one that changes."""
        return not shape_of(e) and (e.is_Pow or e.is_Function or (e.is_Mul and sum(map(self._moves, e.args)) > 1))

    def _name(self, a: Any, named: Any) -> Any:
        if a not in self._known:
            (letter,) = self._mint.names(_letters(named))
            shape = shape_of(named)
            symbol = ArraySymbol.of(letter, shape, is_symmetric(named)) if shape else sp.Symbol(letter, real=True)
            self.parts.append((symbol, named))
            self._known[a] = symbol
        return self._known[a]


def _letters(e: Any) -> str:
    rank = min(len(shape_of(e)), 3)
    if isinstance(e, Plus) and any(isinstance(t, Scaled) for t in e.args[:-1]):
        return _RESIDUALS.get(rank, _LETTERS[rank])
    if isinstance(e, Call) and isinstance(e.op, Softmax):
        return "pqs" if rank == 1 else "PQS"
    if isinstance(e, (Elementwise, Hadamard)):
        return _ENTRIES.get(rank, _LETTERS[rank])
    return _LETTERS[rank]


def _is_plain(e: Any) -> bool:
    """Whether it is a name, or its transpose or multiple."""
    if isinstance(e, Transposed):
        return _is_plain(e.args[0])
    if isinstance(e, Scaled):
        return _is_plain(e.args[1]) and not e.args[0].free_symbols
    return isinstance(e, (ArraySymbol, sp.Symbol))


def sigmoid_inside(e: Any) -> Any:
    """Return σ(z) of log(σ(z)) and of log(1 − σ(z)), else None."""
    if not isinstance(e, Elementwise) or str(e.args[0]) != "log":
        return None
    inner = e.args[1]
    if isinstance(inner, Plus) and len(inner.args) == 3:
        rest = [t for t in inner.args[:-1] if not is_ones(t)]
        inner = rest[0].args[1] if len(rest) == 1 and isinstance(rest[0], Scaled) and rest[0].args[0] == -1 else None
    return inner if isinstance(inner, Elementwise) and str(inner.args[0]) == "sigmoid" else None


def is_curve(e: Any, moves: Callable[[Any], bool]) -> bool:
    """Whether it is exp(t·A) with a matrix A that does not change, whose derivative is A·exp(t·A)."""
    known = isinstance(e, Call) and isinstance(e.op, MatrixExp) and len(e.args) == 3 and isinstance(e.args[1], Scaled)
    return known and moves(e.args[1].args[0]) and not moves(e.args[1].args[1])


def as_traces(e: Any) -> Any:
    """Write sum(A ⊙ B·C) as tr(Aᵀ·B·C), and xᵀ·Aᵀ·y as yᵀ·A·x where that has fewer transposes."""
    if isinstance(e, Product) and not shape_of(e):
        other = turned_number(e)
        e = other if _transposes(other) < _transposes(e) else e
        first, *middle, last = e.args[:-1]
        if isinstance(first, Transposed) and _are_opposite(first.args[0], last):
            return -product([turned(last), *middle, last])
    if isinstance(e, Total) and isinstance(e.args[0], Hadamard) and len(e.args[0].args) == 3:
        a, b, _ = e.args[0].args
        if len(shape_of(a)) == 2 and any(_multiplies(f) for f in (a, b)):
            a, b = (b, a) if _multiplies(a) and not _multiplies(b) else (a, b)
            return traced(product([turned(a), b]))
    if not isinstance(e, sp.Expr) or shape_of(e) or not e.args:
        return e
    there = {a: as_traces(a) for a in e.args if isinstance(a, sp.Expr)}
    return e.func(*[there.get(a, a) for a in e.args])


def turned_number(e: Any) -> Any:
    """Return a product of vectors and matrices that is a number, read from the right."""
    first, *middle, last = e.args[:-1]
    if not isinstance(first, Transposed) or len(shape_of(first.args[0])) != 1 or len(shape_of(last)) != 1:
        return e
    return product([turned(last), *[turned(m) for m in reversed(middle)], first.args[0]])


def _are_opposite(a: Any, b: Any) -> bool:
    """Whether a is −b, as a − x and x − a are."""
    if not isinstance(a, Plus) or not isinstance(b, Plus):
        return False
    own, other = ({in_front(t)[::-1] for t in s.args[:-1]} for s in (a, b))
    return own == {(core, -n) for core, n in other}


def _transposes(e: Any) -> int:
    return sum(isinstance(a, Transposed) for a in sp.preorder_traversal(e))


def _multiplies(f: Any) -> bool:
    return isinstance(f, Product) or (isinstance(f, Call) and isinstance(f.op, Inverse))
