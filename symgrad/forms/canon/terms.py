"""The canonical graph: sums, Einstein products, powers, functions and named operations over leaves.

Equal terms of one pool are one object, so that equality is identity. The constructors of ``TermPool`` keep terms
canonical: they apply the rules of ``RULES``, which the package fills from the modules beside this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import sympy as sp

from symgrad.core.promotion import complexes
from symgrad.forms.canon.sizes import number_if_one, tidy

Shape = tuple[Any, ...]
Letters = tuple[int, ...]
ONE_, ZERO_ = sp.Integer(1), sp.Integer(0)

LEAF, EYE, SUM, PRODUCT, POWER, FUNCTION, CALL, NAMED = (
    "leaf", "eye", "sum", "product", "power", "function", "call", "named",
)  # fmt: skip
SCALED = "scaled"  # rules of a number and what it multiplies: they answer with another such pair, or None
RULES: dict[str, list[Callable[..., Any]]] = {SUM: [], PRODUCT: [], POWER: [], FUNCTION: [], CALL: [], SCALED: []}


def rule(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a function as a rewriting rule of this kind of term."""

    def mark(fn: Callable[..., Any]) -> Callable[..., Any]:
        fn.__dict__["rewrites"] = kind
        return fn

    return mark


def enter_rules(*modules: ModuleType) -> None:
    """Enter the rules that these modules define into the table; they are tried in the order of entry."""
    for module in modules:
        for fn in vars(module).values():
            kind = getattr(fn, "rewrites", None)
            if kind is not None and fn.__module__ == module.__name__:
                RULES[kind].append(fn)


SHORT_EXPONENTS = {sp.Integer(2), sp.Integer(-1), sp.Rational(1, 2), -sp.Rational(1, 2)}  # x², 1/x, √x, 1/√x


class Term:
    """A node of the canonical graph. Make it with a ``TermPool``.

    ``data`` is, by kind: of a leaf its key and assumptions; of a sum the coefficients; of a product
    (letters of each factor, letters of the output, size of each letter); of a power the exponent; of a
    function its head; of a call the operation; of a named term the name.
    """

    __slots__ = ("args", "cost", "data", "kind", "shape", "uid")

    def __init__(self, kind: str, args: tuple[Term, ...], data: Any, shape: Shape, uid: int) -> None:
        self.kind, self.args, self.data, self.shape, self.uid = kind, args, data, shape, uid
        self.cost = _cost(self)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.uid} {self.shape}>"


def _cost(t: Term) -> int:
    """The approximate length of the term when written out."""
    inner = sum(a.cost for a in t.args)
    if t.kind == SUM:
        return max(1, inner + len(t.args) - 1 + sum(1 for c in t.data if abs(c) != 1))
    if t.kind == PRODUCT:
        subs, out, sizes = t.data
        counts = [sum(k in s for s in subs) for k, _ in sizes]
        return inner + max(0, len(subs) - 1) + sum(n == 0 for n in counts) + _once(subs, out, sizes)
    if t.kind == POWER:
        return inner + (2 if t.data in SHORT_EXPONENTS else 3)
    return 1 if t.kind == NAMED else inner + 1


def _once(subs: Sequence[Letters], out: Letters, sizes: Any) -> int:
    """Letters summed over in one factor only: a product with ones."""
    return sum(k not in out and sum(k in s for s in subs) == 1 for k, _ in sizes)


@dataclass
class Draft:
    """A product in the making: coef · Σ over the letters not in ``out`` of the factors."""

    pool: TermPool
    coef: Any
    factors: list[tuple[Term, Letters]]
    out: Letters
    sizes: dict[int, Any]

    def fresh(self, size: Any) -> int:
        """Return a new letter."""
        k = max(self.sizes, default=-1) + 1
        self.sizes[k] = size
        return k

    def count(self, letter: int) -> int:
        """Return in how many places of the factors a letter stands."""
        return sum(s.count(letter) for _, s in self.factors)

    def rename(self, old: int, new: int) -> None:
        """Write another letter in all factors."""
        self.factors = [(f, tuple(new if k == old else k for k in s)) for f, s in self.factors]


class TermPool:
    """The terms of one closed form, and the constructors that keep them canonical."""

    def __init__(self, bases: Iterable[Any] = ()) -> None:
        self._terms: dict[Any, Term] = {}
        self._simplified: dict[Term, Term] = {}
        self._parities: dict[Term, int] = {}
        self._products: dict[Any, Term] = {}
        self._names: dict[Term, Term] = {}
        self.in_progress: set[Any] = set()  # what a rule is rewriting, so that it does not begin again within itself
        self.light = False  # whether sums and products of numbers are left as they are, to be shortened at the end
        self.tried = 0  # common factors, since the search for them began
        self.bases = {id(leaf) for leaf in bases}  # keys of the leaves that a Jacobian is linear in
        self.contents: dict[Term, tuple[Any, Term]] = {}  # of sums: a number, and the rest
        self._written_sums: set[Term] = set()
        self.is_read = False  # whether all that the user's function computes is here
        self.heads: set[Any] = set()  # of the functions in it, classes of its operations, and assumptions
        self.complexes: dict[Term, bool] = {}  # whether terms may be complex
        self.imaginary = False  # whether there is a complex leaf or number

    @property
    def written(self) -> set[Term]:
        """The sums that the user's function computes: their sign is preferred."""
        return self._written_sums

    @written.setter
    def written(self, sums: set[Term]) -> None:
        self._written_sums, self.is_read = sums, True
        self.contents.clear()  # they are split as these are written

    def make(self, kind: str, args: Sequence[Term], data: Any, shape: Shape) -> Term:
        """Return the term with these parts, built once; no rule is applied."""
        key = _key(kind, args, data, shape)
        result = self._terms.get(key)
        if result is None:
            result = self._terms[key] = Term(kind, tuple(args), data, shape, len(self._terms))
        return result

    def has(self, kind: str, args: Sequence[Term], data: Any, shape: Shape) -> bool:
        """Whether there is such a term already."""
        return _key(kind, args, data, shape) in self._terms

    # -------------------------------------------------------------- leaves and constants
    def leaf(self, key: Any, shape: Shape, assumptions: frozenset[str] = frozenset()) -> Term:
        """Return the term of a leaf."""
        self.imaginary = self.imaginary or "complex" in assumptions
        self.heads |= assumptions
        return self.make(LEAF, (), (key, assumptions), shape)

    def eye(self, n: Any) -> Term:
        """Return the identity matrix."""
        return self.make(EYE, (), (), (n, n))

    def zero(self, shape: Shape) -> Term:
        """Return 0 in every entry."""
        return self.make(SUM, (), (), shape)

    def ones(self, shape: Shape) -> Term:
        """Return 1 in every entry."""
        letters = tuple(range(len(shape)))
        return self.make(PRODUCT, (), ((), letters, tuple(zip(letters, shape, strict=True))), shape)

    def constant(self, value: Any, shape: Shape = ()) -> Term:
        """Return a number in every entry."""
        value = sp.sympify(value)
        self.imaginary = self.imaginary or value.is_extended_real is False
        return self.sum([(value, self.ones(shape))], shape)

    # -------------------------------------------------------------- sums
    def sum(self, terms: Iterable[tuple[Any, Term]], shape: Shape) -> Term:
        """Return Σ coefficient · term, sums within sums opened and equal terms added up."""
        coefficients: dict[Term, Any] = {}
        for c, t in terms:
            for c2, t2 in [(c * k, a) for k, a in zip(t.data, t.args, strict=True)] if t.kind == SUM else [(c, t)]:
                coefficients[t2] = coefficients.get(t2, ZERO_) + c2
        kept = [self._scaled(tidy(c), t) for t, c in coefficients.items() if c != 0]
        if len(kept) == 1 and kept[0][0] == 1:
            return kept[0][1]
        made = self.make(SUM, [t for _, t in kept], tuple(c for c, _ in kept), shape)
        return self._known(made if len(kept) < 2 else self._simplify(made))

    def _scaled(self, c: Any, t: Term) -> tuple[Any, Term]:
        """Apply the rules of a coefficient and its term; rational ones are as they are."""
        if c.is_Rational:
            return c, t
        return next((pair for r in RULES[SCALED] if (pair := r(self, c, t)) is not None), (c, t))

    def _simplify(self, t: Term) -> Term:
        """Apply the rules of the term's kind; the first that answers decides."""
        term = self._simplified.get(t)
        if term is None:
            self._simplified[t] = t  # a rule that comes back to the term itself leaves it
            term = next((n for r in RULES[t.kind] if (n := r(self, t)) is not None), t)
            self._simplified[t] = term
        return term

    # -------------------------------------------------------------- products
    def product(self, factors: Iterable[tuple[Term, Sequence[int]]], out: Sequence[int], sizes: dict[int, Any]) -> Term:
        """Return Σ over the letters not in ``out`` of the product of the factors' entries."""
        d = Draft(self, ONE_, [(f, tuple(s)) for f, s in factors], tuple(out), dict(sizes))
        key = _product_key(d)
        result = self._products.get(key)
        if result is None:
            result = self._products[key] = self._product(d)
        return result

    def _product(self, d: Draft) -> Term:
        if any(n == 0 for k, n in d.sizes.items() if k not in d.out):  # a sum of nothing
            return self.zero(tuple(d.sizes[k] for k in d.out))
        changed = True
        while changed and d.coef != 0:
            changed = False
            for apply in RULES[PRODUCT]:
                changed = bool(apply(d)) or changed
        shape = tuple(d.sizes[k] for k in d.out)
        if d.coef == 0:
            return self.zero(shape)
        if len(d.factors) == 1 and self._is_straight(d):
            return self.sum([(d.coef, d.factors[0][0])], shape)
        return self.sum([(d.coef, self._known(self._written(d, shape)))], shape)

    def _is_straight(self, d: Draft) -> bool:
        """Whether the one factor is the product, or its transpose, which is the same."""
        ((f, s),) = d.factors
        return s == d.out or (len(s) == 2 and s[::-1] == d.out and self.symmetric(f))

    def _written(self, d: Draft, shape: Shape) -> Term:
        """Return the product with its factors in order and its letters numbered in order of appearance."""
        factors = ordered(d)
        number: dict[int, int] = {}
        for k in (*d.out, *(k for _, s in factors for k in s)):
            number.setdefault(k, len(number))
        subs = tuple(tuple(number[k] for k in s) for _, s in factors)
        sizes = tuple((n, d.sizes[k]) for k, n in number.items())
        return self.make(PRODUCT, [f for f, _ in factors], (subs, tuple(number[k] for k in d.out), sizes), shape)

    def times(self, *factors: Term) -> Term:
        """Return the elementwise product; scalars multiply all of it."""
        shape = next((f.shape for f in factors if f.shape), ())
        letters = tuple(range(len(shape)))
        return self.product(
            [(f, letters if f.shape else ()) for f in factors], letters, dict(zip(letters, shape, strict=True))
        )

    def transposed(self, a: Term) -> Term:
        """Return aᵀ of a matrix."""
        return self.product([(a, (1, 0))], (0, 1), {0: a.shape[1], 1: a.shape[0]})

    def symmetric(self, t: Term) -> bool:
        """Whether a matrix is its own transpose, as far as its form tells."""
        return self.parity(t) == 1

    def parity(self, t: Term) -> int:
        """Return 1 where a term is what it is with its first two axes exchanged, -1 where it is the negative of that.

        Else 0, or where its form does not tell.
        """
        result = self._parities.get(t)
        if result is None:
            self._parities[t] = 0  # while it is being looked at
            result = self._parities[t] = self._parity(t) if len(t.shape) > 1 and t.shape[0] == t.shape[1] else 0
        return result

    def _parity(self, t: Term) -> int:
        if t.kind == LEAF:
            return int("symmetric" in t.data[1]) - int("skew" in t.data[1])
        if t.kind in (FUNCTION, POWER, NAMED) or (t.kind == CALL and t.data.keeps_symmetry):
            return _of_parts(t, [self.parity(a) for a in t.args if a.shape])
        if t.kind in (SUM, PRODUCT):
            turned = self.exchanged(t)
            return 1 if turned is t else -1 if turned is self.sum([(-1, t)], t.shape) else 0
        return int(t.kind == EYE or (t.kind == CALL and bool(t.data.symmetric)))

    def exchanged(self, t: Term) -> Term:
        """Return a term with its first two axes exchanged."""
        if t.kind == SUM:
            return self.sum([(c, self.exchanged(a)) for c, a in zip(t.data, t.args, strict=True)], t.shape)
        letters = tuple(range(len(t.shape)))
        return self.product([(t, letters)], (1, 0, *letters[2:]), dict(zip(letters, t.shape, strict=True)))

    def spread(self, a: Term, shape: Shape) -> Term:
        """Broadcast as NumPy does: axes of length one are dropped, absent ones repeated."""
        if a.shape == shape:
            return a
        shift = len(shape) - len(a.shape)
        sizes: dict[int, Any] = dict(enumerate(shape))
        subs = []
        for k, n in enumerate(a.shape):
            if n == 1 and shape[k + shift] != 1:
                sizes[len(sizes)] = 1
                subs.append(len(sizes) - 1)
            else:
                subs.append(k + shift)
        return self.product([(a, tuple(subs))], tuple(range(len(shape))), sizes)

    # -------------------------------------------------------------- powers, functions, operations
    def power(self, base: Term, exponent: Any) -> Term:
        """Return each entry to a power; the exponent is a number."""
        exponent = number_if_one(exponent)
        if exponent == 1 or exponent == 0:
            return base if exponent == 1 else self.ones(base.shape)
        return self._known(self._simplify(self.make(POWER, (base,), exponent, base.shape)))

    def function(self, head: Any, args: Sequence[Term], shape: Shape) -> Term:
        """Return a scalar function of the entries; arguments are of this shape or scalars."""
        self.heads.add(head)
        return self._known(self._simplify(self.make(FUNCTION, args, head, shape)))

    def call(self, op: Any, args: Sequence[Term], shape: Shape) -> Term:
        """Return an operation that has a name only."""
        self.heads.add(type(op))
        self.imaginary = self.imaginary or type(op).gives is complexes
        return self._known(self._simplify(self.make(CALL, args, op, shape)))

    def named(self, name: Any, definition: Term) -> Term:
        """Return a name for a term, which rules do not look behind; equal terms made later are the name too."""
        result = self._names[definition] = self.make(NAMED, (definition,), name, definition.shape)
        return result

    def _known(self, t: Term) -> Term:
        return self._names.get(t, t)


ODD = (sp.sin, sp.tan, sp.sinh, sp.tanh, sp.asin, sp.atan, sp.asinh, sp.atanh, sp.sign, sp.erf)
EVEN = (sp.Abs, sp.cos, sp.cosh)


def _of_parts(t: Term, parts: Sequence[int]) -> int:
    """Return what exchanging two axes does to an elementwise term, or another that keeps symmetry."""
    if all(p == 1 for p in parts):
        return 1
    if len(parts) != 1 or parts[0] == 0:
        return 0
    if t.kind == NAMED:
        return -1
    if t.kind == POWER:
        return (1 if t.data.is_even else -1) if t.data.is_Integer else 0
    return -1 if t.data in ODD else int(t.data in EVEN)


def _key(kind: str, args: Sequence[Term], data: Any, shape: Shape) -> Any:
    """What makes terms equal; sums are, whatever the order of their terms: the order first written stays."""
    if kind != SUM:
        return kind, tuple(a.uid for a in args), data, shape
    return kind, tuple(sorted(((a.uid, c) for a, c in zip(args, data, strict=True)), key=lambda p: p[0])), shape


def _product_key(d: Draft) -> Any:
    """Return a key that is the same for two drafts of one product, whatever their letters are called."""
    number: dict[int, int] = {}
    for k in (*d.out, *(k for _, s in d.factors for k in s), *d.sizes):
        number.setdefault(k, len(number))
    factors = tuple((f.uid, tuple(number[k] for k in s)) for f, s in d.factors)
    return factors, tuple(number[k] for k in d.out), tuple(d.sizes[k] for k in number)


def below(roots: Iterable[Term]) -> list[Term]:
    """Return the roots and what they are made of, arguments first."""
    seen: dict[int, Term] = {}
    stack = list(roots)
    while stack:
        t = stack.pop()
        if t.uid not in seen:
            seen[t.uid] = t
            stack.extend(t.args)
    return [seen[k] for k in sorted(seen)]


def split(t: Term) -> tuple[Any, Term]:
    """Return a term's coefficient and the rest."""
    return (t.data[0], t.args[0]) if t.kind == SUM and len(t.args) == 1 else (ONE_, t)


def value_of(t: Term) -> Any:
    """Return the number that every entry of the term is, or None."""
    if t.kind == SUM and not t.args:
        return ZERO_
    c, core = split(t)
    return c if core.kind == PRODUCT and not core.args else None


def ordered(d: Draft) -> list[tuple[Term, Letters]]:
    """Return the factors along the letters from the output outwards; symmetric matrices turned the same way."""
    left, seen, result = list(d.factors), list(d.out), []
    while left:
        pick = min(left, key=lambda fs: _place(fs, seen))
        left.remove(pick)
        f, s = pick
        if len(s) == 2 and s[0] != s[1] and _position(s[0], seen) > _position(s[1], seen) and d.pool.symmetric(f):
            s = (s[1], s[0])
        result.append((f, s))
        seen += [k for k in s if k not in seen]
    return result


def _position(k: int, seen: list[int]) -> int:
    return seen.index(k) if k in seen else len(seen)


def _place(fs: tuple[Term, Letters], seen: list[int]) -> Any:
    f, s = fs
    spots = [_position(k, seen) for k in s]
    return (min(spots, default=-1), f.uid, spots)
