"""Index notation: the entry of a tensor at symbolic indices, as Indexed and Sum. Imports graph, names and ops.

Every operation states its own entry (``Op.index``); here are the leaves, the sums, and the letters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits

from symgrad.errors import FormError
from symgrad.forms import names
from symgrad.forms.entries import Entry
from symgrad.forms.notation import At, Sigma, dressed
from symgrad.graph import AnyNode, Leaf, ancestors, is_node
from symgrad.ops.map import exact
from symgrad.scalars import tidy

DEPTH = 150  # operations in a row: SymPy recurses several frames for each
TOO_DEEP = (
    "this form has {n} operations in a row; written out as one expression it would be unreadable. "
    "Differentiate an intermediate result, or evaluate with .lambdify()."
)


class Reading:
    """One reading of a graph: the symbols of its leaves, and the letters used so far."""

    def __init__(self, root: AnyNode, leaf_names: dict[int, str], inner: set[int], basis: Any = None) -> None:
        self.root, self.names, self.inner = root, leaf_names, inner
        self.basis: AnyNode | None = basis
        self.basis_index: tuple[sp.Expr, ...] = ()
        self.memo: dict[Any, sp.Expr] = {}
        self.fresh_count = 0
        check_depth(root)

    def entry(self, idx: Sequence[sp.Expr], basis_index: Sequence[sp.Expr] = ()) -> sp.Expr:
        """Return the root's entry at ``idx``; a basis leaf reads as δ at ``basis_index``."""
        self.basis_index = tuple(basis_index)
        try:
            return Reader(self, self.root)(idx)
        except RecursionError as error:
            raise FormError(TOO_DEEP.format(n="too many")) from error

    def leaf(self, leaf: Leaf, idx: Sequence[Any]) -> sp.Expr:
        """Return a leaf's entry."""
        if leaf is self.basis:
            return sp.Mul(*[sp.KroneckerDelta(a, b) for a, b in zip(self.basis_index, idx, strict=True)])
        if isinstance(leaf.value, sp.Expr):
            return leaf.value
        if names.is_number(leaf) or (id(leaf) in self.inner and names.same_everywhere(leaf)):
            return exact(np.asarray(leaf.value).flat[0])
        if id(leaf) in self.inner and _is_identity(leaf):
            return sp.KroneckerDelta(*idx)
        symbol = sp.Symbol(self.names[id(leaf)], real=True)
        return sp.Indexed(sp.IndexedBase(symbol), *idx) if idx else symbol


def check_depth(root: AnyNode) -> None:
    """Refuse graphs that are too deep to write as one expression."""
    depth: dict[int, int] = {}
    for node in ancestors([root]):
        depth[id(node)] = 1 + max((depth[id(p)] for p in node.inputs if is_node(p)), default=0)
    if depth[id(root)] > DEPTH:
        raise FormError(TOO_DEEP.format(n=depth[id(root)]))


def _is_identity(leaf: Leaf) -> bool:
    value = np.asarray(leaf.value)
    return value.ndim == 2 and value.dtype != object and np.array_equal(value, np.eye(*value.shape))


class Reader:
    """An operation's view of one input: its shape, and its entry at any index."""

    __slots__ = ("reading", "shape", "source")

    def __init__(self, reading: Reading, source: Any) -> None:
        self.reading, self.source = reading, source
        self.shape = source.shape if is_node(source) else ()

    def __call__(self, idx: Sequence[Any]) -> sp.Expr:
        if not is_node(self.source):
            return exact(self.source)
        key = (id(self.source), *idx)
        found = self.reading.memo.get(key)
        if found is None:
            found = self.reading.memo[key] = self._read(list(idx))
        return found

    def _read(self, idx: list[Any]) -> sp.Expr:
        if isinstance(self.source, Leaf):
            return self.reading.leaf(self.source, idx)
        readers = [Reader(self.reading, p) for p in self.source.inputs]
        found: sp.Expr = self.source.op.index(idx, *readers)
        return found

    def fresh(self) -> sp.Symbol:
        """Return a bound index that nothing else uses; letters are given at the end."""
        self.reading.fresh_count += 1
        return sp.Symbol(f"·{self.reading.fresh_count:04d}", integer=True)

    def sum(self, body: sp.Expr, limits: Sequence[tuple[Any, Any, Any]]) -> sp.Expr:
        """Return Σ body over the limits, deltas contracted and constant factors in front."""
        return summed(body, limits)

    def entry(self, op: Any, ps: Sequence[Any], idx: Sequence[Any]) -> sp.Expr:
        """Return the entry of a named function of whole arrays, such as inv(X)[i, j]."""
        return Entry.of(op, [p.whole() for p in ps], idx, [p.shape for p in ps])

    def whole(self) -> sp.Expr:
        """Return the input as a lambda of its entries, for a named function to show."""
        idx = [self.fresh() for _ in self.shape]
        return sp.Lambda(tuple(idx), self(idx)) if idx else self(())


def summed(body: sp.Expr, limits: Sequence[tuple[Any, Any, Any]]) -> sp.Expr:
    """Return Σ body: Kronecker deltas contracted, factors without the index moved in front."""
    left = [(k, sp.sympify(lo), sp.sympify(hi)) for k, lo, hi in limits]
    body = tidy(body)
    for limit in list(left):
        k, lo, hi = limit
        if not body.has(k):
            body = (hi - lo + 1) * body
            left.remove(limit)
            continue
        contracted = None if _ragged(lo, hi) else _contract(body, k)
        if contracted is not None:
            body = contracted
            left.remove(limit)
    if not left or body == 0:
        return body
    bound = {k for k, _, _ in left}
    outside: list[Any] = []
    inside: list[Any] = []
    for factor in sp.Mul.make_args(body):
        (inside if factor.free_symbols & bound else outside).append(factor)
    return sp.Mul(*outside, Sigma(sp.Mul(*inside), *left))


def _ragged(lo: Any, hi: Any) -> bool:
    """Whether a sum runs over a part of the axis only, as in a running sum: then δ may pick nothing."""
    return lo != 0 or any(not s.is_positive for s in hi.free_symbols)


def _contract(body: sp.Expr, k: sp.Symbol) -> sp.Expr | None:
    """Return Σ_k body where every term has a factor δ_ke, else None."""
    terms = []
    for term in sp.Add.make_args(body):
        delta = _delta_in(term, k)
        if delta is None and body.is_Add:
            return None
        if delta is None:
            return _contract_expanded(body, k)
        other = delta.args[1] if delta.args[0] == k else delta.args[0]
        terms.append(_without(term, delta).xreplace({k: other}))
    return sp.Add(*terms)


def _contract_expanded(body: sp.Expr, k: sp.Symbol) -> sp.Expr | None:
    """Try again where the deltas are terms of a bracket."""
    for factor in sp.Mul.make_args(body):
        if factor.is_Add and factor.has(sp.KroneckerDelta) and all(_delta_in(t, k) is not None for t in factor.args):
            rest = sp.Mul(*[f for f in sp.Mul.make_args(body) if f is not factor])
            return _contract(sp.Add(*[rest * t for t in factor.args]), k)
    return None


def _delta_in(term: sp.Expr, k: sp.Symbol) -> Any:
    for factor in sp.Mul.make_args(term):
        if isinstance(factor, sp.KroneckerDelta) and k in factor.args:
            return factor
        if isinstance(factor, sp.Piecewise):
            continue
    return None


def _without(term: sp.Expr, delta: sp.Expr) -> sp.Expr:
    factors = list(sp.Mul.make_args(term))
    factors.remove(delta)
    return sp.Mul(*factors)


# ------------------------------------------------------------------ letters
def lettered(e: sp.Expr, avoid: set[str]) -> sp.Expr:
    """Give the bound indices textbook letters, and every node its printing class."""
    if isinstance(e, ExprWithLimits):
        new, inner_avoid = _letters(e.variables, avoid)
        kind = Sigma if isinstance(e, sp.Sum) else type(e)
        return kind(
            lettered(e.function.xreplace(new), inner_avoid),
            *[(new[k], lettered(lo, avoid), lettered(hi, avoid)) for k, lo, hi in e.limits],
        )
    if isinstance(e, sp.Lambda):
        new, inner_avoid = _letters(e.variables, avoid)
        return sp.Lambda(tuple(new.values()), lettered(e.expr.xreplace(new), inner_avoid))
    if isinstance(e, sp.Indexed):
        return At(e.base, *e.indices)
    if not e.args:
        return e
    args = [lettered(a, avoid) for a in e.args]
    return dressed(e, args)


def _letters(bound: Sequence[Any], avoid: set[str]) -> tuple[dict[Any, Any], set[str]]:
    pool = names.letters(names.BOUND, avoid)
    new = {k: sp.Symbol(next(pool), integer=True) for k in bound}
    return new, avoid | {s.name for s in new.values()}
