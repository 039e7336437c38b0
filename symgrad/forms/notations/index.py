"""Index notation: the entry of a term at symbolic indices, as Indexed and Sum.

A named operation states its own entry (``Op.index``); here are the sums, the products and the letters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import sympy as sp
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.logic.boolalg import Boolean, BooleanFunction

from symgrad.core.node import AnyNode, ancestors, is_node
from symgrad.errors import FormError
from symgrad.forms import names
from symgrad.forms.canon.complexes import is_complex
from symgrad.forms.canon.products import content
from symgrad.forms.canon.terms import CALL, EYE, FUNCTION, LEAF, NAMED, POWER, PRODUCT, SUM, Term, TermPool
from symgrad.forms.nodes.entries import Entry
from symgrad.forms.nodes.indexed import At, Branches, PiProduct, Sigma, dressed
from symgrad.forms.notations.letters import NoMatrix
from symgrad.forms.notations.matrix import integral
from symgrad.implicit.integral import Integral
from symgrad.scalars import tidy
from symgrad.support.symbols import Letter

_NONE: Mapping[Any, Any] = MappingProxyType({})
DEPTH = 150  # operations in a row: SymPy recurses several frames for each
TREE = 20_000  # operations of a form written out as one expression
TOO_DEEP = (
    "this form has {n} operations {how}; written out as one expression it would be unreadable. "
    "Look at form.where, which names its intermediates; evaluate with .lambdify()."
)


class TooDeep(FormError):
    """The form is too long to be written as one expression."""


class Reading:
    """One reading of terms: the symbols of the leaves, and the letters used so far.

    A basis leaf reads as δ at its place in ``places``.
    """

    def __init__(self, pool: TermPool, leaf_names: Mapping[Any, str]) -> None:
        self.pool, self.names = pool, leaf_names
        self.places: Mapping[Any, Sequence[sp.Expr]] = {}
        self.memo: dict[Any, Any] = {}
        self.fresh_count = 0

    def entry(self, root: Term, idx: Sequence[sp.Expr], places: Mapping[Any, Sequence[sp.Expr]] = _NONE) -> sp.Expr:
        """Return the root's entry at ``idx``, with unit vectors at these places for the bases."""
        self.places = places
        try:
            return as_number(Reader(self, root)(idx))
        except RecursionError as error:
            raise TooDeep(TOO_DEEP.format(n="too many", how="in a row")) from error


def check_depth(roots: Sequence[AnyNode]) -> None:
    """Refuse graphs that are too deep to write as one expression."""
    depth: dict[int, int] = {}
    size: dict[int, int] = {}
    for node in ancestors(list(roots)):
        inside = [id(p) for p in node.inputs if is_node(p)]
        depth[id(node)] = 1 + max((depth[p] for p in inside), default=0)
        size[id(node)] = 1 + sum(size[p] for p in inside)
    for most, limit, how in ((max(depth.values()), DEPTH, "in a row"), (max(size.values()), TREE, "in all")):
        if most > limit:
            raise TooDeep(TOO_DEEP.format(n=most, how=how))


def as_number(e: Any) -> sp.Expr:
    """Return 1 where a condition holds, else 0; anything else as it is."""
    return Branches.of([(sp.S.One, e), (sp.S.Zero, sp.true)]) if _is_condition(e) else e


def _is_condition(e: Any) -> bool:
    return isinstance(e, Boolean) and not isinstance(e, sp.Symbol)


class Reader:
    """A view of one term: its shape, and its entry at any index. What ``Op.index`` sees of an input."""

    __slots__ = ("reading", "shape", "term")

    def __init__(self, reading: Reading, term: Term) -> None:
        self.reading, self.term, self.shape = reading, term, term.shape

    def __call__(self, idx: Sequence[Any]) -> Any:
        key = (self.term, *idx)
        entry = self.reading.memo.get(key)
        if entry is None:
            entry = self.reading.memo[key] = _READERS[self.term.kind](self, list(idx))
        return entry

    def _of(self, term: Term) -> Reader:
        return Reader(self.reading, term)

    # -------------------------------------------------------------- kinds of terms
    def _leaf(self, idx: list[Any]) -> Any:
        key = self.term.data[0] if self.term.kind == LEAF else self.term.data
        if key in self.reading.places:
            return sp.Mul(*[sp.KroneckerDelta(a, b) for a, b in zip(self.reading.places[key], idx, strict=True)])
        imaginary = is_complex(self.reading.pool, self.term)
        symbol = sp.Symbol(self.reading.names[key], **({} if imaginary else {"real": True}))
        return sp.Indexed(sp.IndexedBase(symbol, shape=self.shape), *idx) if idx else symbol

    def _eye(self, idx: list[Any]) -> Any:
        return sp.KroneckerDelta(*idx)

    def _sum(self, idx: list[Any]) -> Any:
        number, plain = content(self.reading.pool, self.term)
        entries = [c * as_number(self._of(a)(idx)) for c, a in zip(plain.data, plain.args, strict=True)]
        return number * sp.Add(*entries)

    def _product(self, idx: list[Any]) -> Any:
        subs, out, sizes = self.term.data
        at: dict[int, Any] = dict(zip(out, idx, strict=True))
        bound = {k: n for k, n in sizes if k not in at}
        at |= {k: sp.S.Zero if n == 1 else self.fresh() for k, n in bound.items()}
        factors = []
        for group, letters in _components(list(zip(self.term.args, subs, strict=True)), bound):
            body = sp.Mul(*[as_number(self._of(a)([at[k] for k in s])) for a, s in group])
            limits = [(at[k], 0, bound[k] - 1) for k in letters if bound[k] != 1]
            factors.append(summed(body, limits) if limits else body)
        return sp.Mul(*factors)

    def _power(self, idx: list[Any]) -> Any:
        return as_number(self._of(self.term.args[0])(idx)) ** self.term.data

    def _function(self, idx: list[Any]) -> Any:
        head = self.term.data
        entries = [self._of(a)(idx if a.shape else []) for a in self.term.args]
        if head is sp.Piecewise:
            pairs = zip(entries[::2], entries[1::2], strict=True)
            return Branches.of([(as_number(value), _condition(c)) for value, c in pairs])
        if issubclass(head, BooleanFunction):
            return head(*map(_condition, entries))
        return head(*map(as_number, entries))

    def _call(self, idx: list[Any]) -> Any:
        if isinstance(self.term.data, Integral):
            return self._integral(idx)
        return self.term.data.index(idx, *[self._of(a) for a in self.term.args])

    def _integral(self, idx: list[Any]) -> Any:
        """Return an entry of an integral, which shows what stands inside of it as matrices, if it can."""
        op = self.term.data
        with suppress(NoMatrix):
            op = integral(self.reading.pool, self.reading.names, self.term)
        return self.entry(op, [self._of(a) for a in self.term.args], idx)

    # -------------------------------------------------------------- for the operations
    def fresh(self) -> sp.Symbol:
        """Return a bound index that nothing else uses; letters are given at the end."""
        self.reading.fresh_count += 1
        return Letter(f"·{self.reading.fresh_count:04d}", integer=True)

    def sum(self, body: sp.Expr, limits: Sequence[tuple[Any, Any, Any]]) -> sp.Expr:
        """Return Σ body over the limits, deltas contracted and constant factors in front."""
        return summed(body, limits)

    def product(self, body: sp.Expr, limits: Sequence[tuple[Any, Any, Any]]) -> sp.Expr:
        """Return Π body over the limits."""
        return PiProduct(body, *limits)

    def entry(self, op: Any, ps: Sequence[Any], idx: Sequence[Any]) -> sp.Expr:
        """Return the entry of a named function of whole arrays, such as inv(X)[i, j]."""
        return Entry.of(op, [p.whole() for p in ps], idx, [p.shape for p in ps])

    def whole(self) -> sp.Expr:
        """Return the input as a lambda of its entries, for a named function to show."""
        idx = [self.fresh() for _ in self.shape]
        return sp.Lambda(tuple(idx), self(idx)) if idx else self(())


_READERS = {
    LEAF: Reader._leaf,
    NAMED: Reader._leaf,
    EYE: Reader._eye,
    SUM: Reader._sum,
    PRODUCT: Reader._product,
    POWER: Reader._power,
    FUNCTION: Reader._function,
    CALL: Reader._call,
}


def _components(factors: list[Any], bound: Mapping[int, Any]) -> list[tuple[list[Any], list[int]]]:
    """Split factors into groups that share no letter that is summed over; each with the letters of its sum."""
    groups: list[tuple[list[Any], list[int]]] = []
    for factor in factors:
        mine = [k for k in dict.fromkeys(factor[1]) if k in bound]
        joined = [g for g in groups if set(g[1]) & set(mine)]
        groups = [g for g in groups if g not in joined]
        letters = list(dict.fromkeys([k for g in joined for k in g[1]] + mine))
        groups.append(([f for g in joined for f in g[0]] + [factor], letters))
    return groups


def _condition(c: Any) -> Any:
    return c if _is_condition(c) else sp.sympify(c != 0) if c.is_number else sp.Ne(c, 0)


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
        contracted = _contract(body, k) if not _ragged(lo, hi) else _cut(body, *limit)
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


def _cut(body: sp.Expr, k: Any, lo: Any, hi: Any) -> sp.Expr | None:
    """Return Σ_{k=j..n-1} δ_ik x_k, which is x_i where i ≥ j; and so up to j."""
    delta = None if body.is_Add else _delta_in(body, k)
    other = None if delta is None else next(a for a in delta.args if a != k)
    if other is None or not other.is_Symbol:
        return None
    from_start, to_end = lo == 0, not _ragged(0, hi)
    if not (lo.is_Symbol and to_end) and not (from_start and hi.is_Symbol):
        return None
    picked = _without(body, delta).xreplace({k: other})
    return picked * Branches.of([(sp.S.One, other >= lo if to_end else other <= hi), (sp.S.Zero, sp.true)])


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
    return _lettered(e, frozenset(avoid), {})


def _lettered(e: Any, avoid: frozenset[str], seen: dict[Any, Any]) -> Any:
    """``lettered``; a part that occurs in several places is examined once."""
    if not e.args:
        return e
    formula = seen.get((e, avoid))
    if formula is None:
        formula = seen[e, avoid] = _with_letters(e, avoid, seen)
    return formula


def _with_letters(e: Any, avoid: frozenset[str], seen: dict[Any, Any]) -> Any:
    if isinstance(e, ExprWithLimits):
        new, inner_avoid = _letters(e.variables, avoid)
        kind = Sigma if isinstance(e, sp.Sum) else PiProduct
        return kind(
            _lettered(e.function.xreplace(new), inner_avoid, seen),
            *[(new[k], _lettered(lo, avoid, seen), _lettered(hi, avoid, seen)) for k, lo, hi in e.limits],
        )
    if isinstance(e, sp.Lambda):
        new, inner_avoid = _letters(e.variables, avoid)
        return sp.Lambda(tuple(new.values()), _lettered(e.expr.xreplace(new), inner_avoid, seen))
    if isinstance(e, sp.Indexed):
        return At(e.base, *e.indices)
    return dressed(e, [_lettered(a, avoid, seen) for a in e.args])


def _letters(bound: Sequence[Any], avoid: frozenset[str]) -> tuple[dict[Any, Any], frozenset[str]]:
    pool = names.letters(names.BOUND, avoid)
    new = {k: Letter(next(pool), integer=True) for k in bound}
    return new, avoid | {s.name for s in new.values()}
