"""A finished formula with names for its parts: what stands in it several times, and what the function computes.

Starts from terms that were simplified as a whole: names in the graph would have kept factors apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import sympy as sp

from symgrad.forms.canon.products import content, laplacian_weights, opened
from symgrad.forms.canon.terms import (
    CALL,
    EYE,
    FUNCTION,
    LEAF,
    NAMED,
    POWER,
    PRODUCT,
    SUM,
    Letters,
    Term,
    TermPool,
    below,
    split,
)
from symgrad.ops.reductions.softmax import Softmax

SHORT = 3  # cost of a term that needs no name
NAME = 2  # what a definition costs beside what it defines
ROUNDS = 2  # what had no name in the first may have one beside names
OFTEN = 3  # times that a matrix and a vector beside it stand in a formula
WEIGHTS = "weights "  # how the keys of their names begin
LAPLACIAN = 2  # diag(A·1) - A is understood at once, which is worth this much
SOFTMAX = 3  # so is s = softmax(x), of which diag(s) - s·sᵀ is the derivative
NORMALISED = 4  # so is h = diag(1 ⊘ σ)·X: what a layer computes is a product with it, whatever X is
MOST, FACTORS = 24, 8  # names that are tried, and factors of a product that is looked for in others


def is_short(t: Term) -> bool:
    """Whether a term needs no name. A softmax does: its derivatives have it three times."""
    if is_softmax(t):
        return False
    return t.kind in (LEAF, NAMED, EYE) or t.cost <= SHORT or split(t)[1].kind in (LEAF, NAMED)


def total(bodies: Sequence[Term], known: Any = None) -> int:
    """Return how long formulas are, with the definitions of the names in them but the one that is known."""
    parts = below(bodies)
    defined = [t.args[0] for t in parts if t.kind == NAMED and t.data is not known]
    roots = sum(t.kind == POWER and t.args[0].kind == NAMED and not t.data.is_Integer for t in parts)
    return sum(t.cost for t in bodies) + roots + sum(NAME + t.cost - 2 * is_root(t) for t in defined)  # ‖x‖ is short


def is_root(t: Term) -> bool:
    """Whether a term is a square root."""
    return t.kind == POWER and bool(t.data == sp.Rational(1, 2))


def abbreviated(pool: TermPool, bodies: list[Term], own: dict[Any, Term], ratio: Any) -> list[Term]:
    """Return the formulas with names for parts wherever that makes them shorter.

    Args:
        pool: where the terms live.
        bodies: the formulas.
        own: what the function computes, by node.
        ratio: the node of a function that is a quotient r: (u' - r v')/v is shorter than u'/v - u v'/v².
    """
    weights = [(WEIGHTS + str(t.uid), t) for t in _weights(pool, bodies)]
    left = [*weights, *_candidates(pool, bodies, own)]
    for _ in range(ROUNDS):
        refused: list[tuple[Any, Term]] = []
        before = bodies
        while left:
            key, part = left.pop(0)
            tried = _named(pool, bodies, key, part)
            allowed = total(bodies, ratio) + _worth(key, part)
            if total(tried, ratio) > allowed or not any(t.data is key for t in below(tried)):
                refused.append((key, part))
                continue
            bodies = tried
            left = [(k, _named(pool, [t], key, part)[0]) for k, t in left]  # in these names
            refused = [(k, _named(pool, [t], key, part)[0]) for k, t in refused]
        if bodies is before:
            break
        left = [(key, t) for key, t in refused if not is_short(t)]
    return _without_needless(pool, bodies, ratio)


def _without_needless(pool: TermPool, bodies: list[Term], ratio: Any) -> list[Term]:
    """Return the formulas without names that became longer than what they stand for: A = Φ(Z), once Z has a name."""
    functions = [t for t in below(bodies) if t.kind == NAMED and t.args[0].kind == FUNCTION]
    for name in [t for t in functions if is_short(t.args[0])]:
        mapping: dict[Term, Term] = {name: name.args[0]}
        for t in below(bodies):
            mapping.setdefault(t, _rebuilt(pool, t, mapping))
        tried = [mapping[t] for t in bodies]
        bodies = tried if total(tried, ratio) < total(bodies, ratio) else bodies
    return bodies


def is_quotient(t: Term) -> bool:
    """Whether a number is one number divided by another."""
    return t.kind == PRODUCT and not t.shape and any(a.kind == POWER and a.data == -1 for a in t.args)


def _candidates(pool: TermPool, bodies: Sequence[Term], own: dict[Any, Term]) -> list[tuple[Any, Term]]:
    """Return what may have a name, the longest first."""
    keys: dict[Term, Any] = {}
    for node, t in own.items():
        keys.setdefault(_plain(pool, t), node)
    uses = Counter(a for t in below(bodies) for a in t.args)
    for t, n in uses.items():
        if n > 1 and t.kind != NAMED:
            keys.setdefault(_plain(pool, t), ("part", t.uid))
    some = [(key, t) for t, key in keys.items() if not is_short(t) or _is_product_of_two(t)]
    known = {t for _, t in some}
    some += [(("part", t.uid), t) for t in _scaled_matrices(pool, bodies) if t not in known]
    return sorted(some, key=lambda p: (-p[1].cost, p[1].uid))[:MOST]


def is_weight(key: Any) -> bool:
    """Whether a name is that of the weights of a Laplacian matrix."""
    return isinstance(key, str) and key.startswith(WEIGHTS)


def _worth(key: Any, part: Term) -> int:
    """How much longer a formula may be with a name for this part: what a book gives one is understood at once."""
    if is_weight(key):
        return LAPLACIAN
    return SOFTMAX if is_softmax(part) else NORMALISED if _is_normalised(part) else 0


def is_softmax(t: Term) -> bool:
    """Whether a term is a softmax."""
    return t.kind == CALL and isinstance(t.data, Softmax)


def _is_normalised(t: Term) -> bool:
    """Whether a term is a matrix whose rows or columns are divided by a root."""
    return t.kind == PRODUCT and len(t.shape) == 2 and any(len(a.shape) == 1 and divides_by_a_root(a) for a in t.args)


def divides_by_a_root(a: Term) -> bool:
    """Whether a factor divides by a root, or by the name of one."""
    if a.kind != POWER:
        return False
    (b,) = a.args
    return bool(a.data == -sp.Rational(1, 2)) or (a.data == -1 and b.kind == NAMED and is_root(b.args[0]))


def _weights(pool: TermPool, bodies: Sequence[Term]) -> list[Term]:
    """Return the weights w of the Laplacian matrices diag(w·1) - w, where they are not letters."""
    weights = [laplacian_weights(pool, t) for t in below(bodies) if t.kind == SUM]
    plain = [_plain(pool, w) for w in weights if w is not None]
    return [w for w in dict.fromkeys(plain) if w.kind not in (LEAF, NAMED)]


def _is_product_of_two(t: Term) -> bool:
    """Whether this is X·w or X·W, such as the argument of an activation: where it stands five times, a name pays."""
    return t.kind == PRODUCT and len(t.args) == 2 and bool(t.shape) and len(t.data[2]) > len(t.shape)


def _scaled_matrices(pool: TermPool, bodies: Sequence[Term]) -> list[Term]:
    """Return A·diag(v) and diag(v)·A that stand three times in products: short as they are, they may have a name."""
    count: Counter[tuple[Term, Term, int]] = Counter()
    for t in below(bodies):
        if t.kind != PRODUCT:
            continue
        pairs = list(zip(t.args, t.data[0], strict=True))
        for a, s in pairs:
            if a.kind == LEAF and len(set(s)) == 2:
                count.update((a, v, s.index(k)) for v, (k,) in _vectors(pairs) if k in s)
    products = []
    for (a, v, axis), n in count.items():
        if n >= OFTEN:
            products.append(pool.product([(a, (0, 1)), (v, (axis,))], (0, 1), dict(enumerate(a.shape))))
    return [t for t in products if t.kind == PRODUCT]


def _vectors(pairs: Sequence[tuple[Term, Letters]]) -> list[tuple[Term, Letters]]:
    return [(v, s) for v, s in pairs if v.kind == LEAF and len(s) == 1]


def _plain(pool: TermPool, t: Term) -> Term:
    """Return what has the name: of 2·(x - m) the difference, of 1/x² and 1/√x the x and the √x."""
    plain = content(pool, split(_narrow(t))[1])[1]
    if plain.kind == POWER and plain.data.is_negative:
        return pool.power(plain.args[0], 1 if plain.data.is_Integer else sp.Rational(1, plain.data.q))
    return plain


def _narrow(t: Term) -> Term:
    """Return the vector that a matrix repeats in its rows or columns, kept axes of length one among them."""
    if t.kind == PRODUCT and len(t.args) == 1:
        (s,), out, sizes = t.data
        if len(sizes) == len(out) and tuple(k for k in out if k in s) == s:
            return t.args[0]
    return t


def _named(pool: TermPool, bodies: Sequence[Term], key: Any, part: Term) -> list[Term]:
    """Return the formulas with a name for a part."""
    name = pool.make(NAMED, (part,), key, part.shape)
    mapping: dict[Term, Term] = {part: name}
    for t in below(bodies):
        if t not in mapping:
            mapping[t] = _replaced(pool, _rebuilt(pool, t, mapping), part, name)
    return [mapping[t] for t in bodies]


def _rebuilt(pool: TermPool, t: Term, mapping: dict[Term, Term]) -> Term:
    """Return a term of rewritten arguments."""
    args = [mapping[a] for a in t.args]
    if all(a is b for a, b in zip(args, t.args, strict=True)):
        return t
    if t.kind == SUM:
        return pool.sum(zip(t.data, args, strict=True), t.shape)
    if t.kind == PRODUCT:
        subs, out, sizes = t.data
        return pool.product(zip(args, subs, strict=True), out, dict(sizes))
    if t.kind == POWER:
        return pool.power(args[0], t.data)
    if t.kind == NAMED:
        return pool.make(NAMED, args, t.data, t.shape)
    return (pool.function if t.kind == FUNCTION else pool.call)(t.data, args, t.shape)


def _replaced(pool: TermPool, t: Term, part: Term, name: Term) -> Term:
    """Return a term with the name where it holds the part: as a multiple, a power, or among its factors."""
    if t is part:
        return name
    if t.kind == part.kind == SUM:
        return _multiple(pool, t, part, name)
    if t.kind == part.kind == POWER and t.args[0] is part.args[0] and (t.data / part.data).is_Integer:
        return pool.power(name, t.data / part.data)
    if t.kind == part.kind == FUNCTION and t.data is part.data is sp.exp:
        return _power_of_an_exponential(pool, t, part, name)
    if t.kind == part.kind == PRODUCT and 1 < len(part.args) <= FACTORS:
        return _among_factors(pool, t, part, name)
    return t


def _power_of_an_exponential(pool: TermPool, t: Term, part: Term, name: Term) -> Term:
    """exp(-2z) is μ⁻², where μ is exp(z)."""
    (c, z), (d, w) = split(t.args[0]), split(part.args[0])
    if z is not w and pool.sum([(-1, z)], z.shape) is w:
        c, z = -c, w
    return pool.power(name, c / d) if z is w and (c / d).is_Integer else t


def _multiple(pool: TermPool, t: Term, part: Term, name: Term) -> Term:
    """(2a - 2b)/n is 2r/n, where r is a - b, and a - c·x - b is r - c·x."""
    own = dict(zip(part.args, part.data, strict=True))
    inside = [(c, a) for c, a in zip(t.data, t.args, strict=True) if a in own]
    ratios = {sp.cancel(c / own[a]) for c, a in inside}
    if len(inside) != len(own) or len(ratios) != 1:
        return t
    rest = [(c, a) for c, a in zip(t.data, t.args, strict=True) if a not in own]
    return pool.sum([(ratios.pop(), name), *rest], t.shape)


# ------------------------------------------------------------------ a product among the factors of another
Factor = tuple[Term, Any, Letters]  # base, exponent and letters


def _among_factors(pool: TermPool, t: Term, part: Term, name: Term) -> Term:
    """(aᵀr) r/σ² is (aᵀh) h, where h is r/σ."""
    factors, out, sizes = opened(t)
    wanted, ends, _ = opened(part)
    have = [_factor(f, s) for f, s in factors]
    pattern = [_factor(f, s) for f, s in wanted]
    letters = {k for _, _, s in pattern for k in s}
    if not letters.issuperset(ends):  # spread along an axis that no factor has
        return t
    bound = letters - set(ends)
    count = 0
    while (match := _matched(pool, have, pattern, bound, set(out))) is not None:
        at, left = match
        have = [*left, (name, sp.S.One, tuple(at[k] for k in ends))]
        for k in bound:
            del sizes[at[k]]
        count += 1
    return pool.product([(pool.power(f, e), s) for f, e, s in have], out, sizes) if count else t


def _factor(f: Term, s: Letters) -> Factor:
    return (f.args[0], f.data, s) if f.kind == POWER else (f, sp.S.One, s)


def _matched(
    pool: TermPool, have: list[Factor], pattern: list[Factor], bound: set[int], out: set[int]
) -> tuple[dict[int, int], list[Factor]] | None:
    """Return the letters at which a pattern stands in a product, and the factors that are left; or None."""
    stack: list[tuple[int, dict[int, int], list[Factor]]] = [(0, {}, have)]
    while stack:
        n, at, left = stack.pop()
        if n == len(pattern):
            gone = {at[k] for k in bound}
            if not gone & out and not any(gone & set(s) for _, _, s in left):
                return at, left
            continue
        base, exponent, letters = pattern[n]
        for p, (f, e, s) in enumerate(left):
            if f is base and (e / exponent) >= 1:
                rest = [(f, e - exponent, s)] if e != exponent else []
                ways = [s, s[::-1]] if len(s) == 2 and pool.symmetric(f) else [s]
                for way in ways:
                    more = _extended(at, letters, way)
                    if more is not None:
                        stack.append((n + 1, more, left[:p] + rest + left[p + 1 :]))
    return None


def _extended(at: dict[int, int], letters: Letters, s: Letters) -> dict[int, int] | None:
    """Return the pairing of letters with these paired too, where that is one to one."""
    pairing = dict(at)
    for k, m in zip(letters, s, strict=True):
        if pairing.setdefault(k, m) != m:
            return None
    return pairing if len(set(pairing.values())) == len(pairing) else None
