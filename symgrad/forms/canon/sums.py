"""Rules of sums: A·x + Aᵀ·x is (A + Aᵀ)·x, and what is elementwise is written in its shortest form.

Each rule answers with another term, or None where it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import sympy as sp
from sympy.core.relational import is_gt, is_le

from symgrad.forms.canon import elementwise_subterms
from symgrad.forms.canon.terms import EYE, POWER, PRODUCT, SUM, Letters, Term, TermPool, rule

Factored = tuple[list[tuple[Term, Letters]], Letters, dict[int, Any]]  # factors, output letters and sizes
MOST, FACTORS = 12, 60  # terms of a sum, and factors in them, among which common ones are looked for
TRIES = 60  # common factors that are tried for one sum and the sums that arise: their number can grow without end


@rule(SUM)
def transposes_meet(pool: TermPool, t: Term) -> Term | None:
    """A - B + (A - B)ᵀ is 2A - B - Bᵀ where A is symmetric: opened where terms then add up or cancel."""
    if len(t.shape) != 2 or len(t.args) > MOST:
        return None
    for k, a in enumerate(t.args):
        if a.kind == PRODUCT and len(a.args) == 1 and a.args[0].kind == SUM and a.data[0] == ((1, 0),):
            (inner,) = a.args
            turned = [(t.data[k] * c, pool.transposed(b)) for c, b in zip(inner.data, inner.args, strict=True)]
            rest = [(c, b) for c, b in zip(t.data, t.args, strict=True) if b is not a]
            opened = pool.sum([*rest, *turned], t.shape)
            if opened.cost < t.cost:
                return opened
    return None


@rule(SUM)
def common_factor(pool: TermPool, t: Term) -> Term | None:
    """A·x + B·x is (A + B)·x, where that is shorter."""
    if pool.light or len(t.args) > MOST or sum(len(a.args) for a in t.args) > FACTORS:
        return None
    outermost = common_factor not in pool.in_progress
    if outermost:
        pool.in_progress.add(common_factor)
        pool.tried = 0
    best = _best_join(pool, t)
    if outermost:
        pool.in_progress.discard(common_factor)
    return best


def _best_join(pool: TermPool, t: Term) -> Term | None:
    best: Term | None = None
    for i, j in combinations(range(len(t.args)), 2):
        joined = _joined(pool, (t.data[i], t.args[i]), (t.data[j], t.args[j]))
        if joined is None or pool.tried > TRIES:
            continue
        rest = [(c, a) for k, (c, a) in enumerate(zip(t.data, t.args, strict=True)) if k not in (i, j)]
        candidate = pool.sum([*rest[:i], (1, joined), *rest[i:]], t.shape)
        if candidate.cost < t.cost and (best is None or candidate.cost < best.cost):
            best = candidate
    return best


def _factors(t: Term) -> Factored:
    """Return a term as a product: its factors, output letters and sizes."""
    if t.kind == PRODUCT:
        subs, out, sizes = t.data
        return list(zip(t.args, subs, strict=True)), out, dict(sizes)
    letters = tuple(range(len(t.shape)))
    return [(t, letters)], letters, dict(zip(letters, t.shape, strict=True))


def _joined(pool: TermPool, a: tuple[Any, Term], b: tuple[Any, Term]) -> Term | None:
    """Return c·A + d·B with the best common factor outside, or None."""
    candidates = [_joined_of(pool, (a, b), tuple(map(read, (a[1], b[1])))) for read in _readings(pool, a[1], b[1])]
    return min((t for t in candidates if t is not None), key=lambda t: t.cost, default=None)


def _readings(pool: TermPool, p: Term, q: Term) -> list[Callable[[Term], Factored]]:
    """Return the ways to see two products: factor by factor, and with A·x as one factor where both have such."""
    grouped = partial(_grouped, pool)
    return [_factors, grouped] if all(len(grouped(t)[0]) < len(_factors(t)[0]) for t in (p, q)) else [_factors]


def _grouped(pool: TermPool, t: Term) -> Factored:
    """Return a product with factors that share a letter that is summed over as one."""
    factors, out, sizes = _factors(t)
    if t.kind != PRODUCT:
        return factors, out, sizes
    groups: list[tuple[set[int], list[tuple[Term, Letters]]]] = []
    for a, s in factors:
        mine = [g for g in groups if g[0] & set(s)]
        groups = [g for g in groups if g not in mine]
        bound = (set(s) - set(out)).union(*[g[0] for g in mine])
        groups.append((bound, [x for g in mine for x in g[1]] + [(a, s)]))
    made = []
    for _, inside in groups:
        own = tuple(k for k in out if any(k in s for _, s in inside))
        whole = len(inside) < 2 or len(groups) < 2
        made += inside if whole else [(_product(pool, inside, own, sizes), own)]
    return made, out, sizes


def _joined_of(pool: TermPool, pair: tuple[Any, Any], read: tuple[Factored, ...]) -> Term | None:
    """Return the sum of two terms, as they are read, with the best common factor outside, or None."""
    (c, _), (d, _) = pair
    (left, out, sizes), (right, out2, sizes2) = read
    best: Term | None = None
    for m, (f, s) in enumerate(left):
        for n, (g, t) in enumerate(right):
            opposite = f is not g and f.kind == g.kind == SUM and pool.sum([(-1, f)], f.shape) is g
            signs = (1, 1) if not opposite else (-1, 1) if g in pool.written else (1, -1)
            shared = (f if signs[0] == 1 else g, [], []) if opposite else _shared(pool, f, g)
            at = None if shared is None else _matched(s, t, out, out2)
            if shared is None or at is None or pool.tried > TRIES:
                continue
            pool.tried += 1
            common, more, more2 = shared
            rest = (
                [x for k, x in enumerate(left) if k != m] + [(h, s) for h in more],
                [x for k, x in enumerate(right) if k != n] + [(h, t) for h in more2],
            )
            candidate = _outside(pool, (c * signs[0], d * signs[1]), (common, s), rest, out, (sizes, sizes2), at)
            if candidate is not None and (best is None or candidate.cost < best.cost):
                best = candidate
    return best


def _shared(pool: TermPool, f: Term, g: Term) -> tuple[Term, list[Term], list[Term]] | None:
    """Return the common factor of two factors, and the rest of each: of x² and x³, that is x², nothing, and x."""
    if f.kind == EYE:
        return None
    if f is g:
        return f, [], []
    (b, m), (b2, n) = ((x.args[0], x.data) if x.kind == POWER else (x, 1) for x in (f, g))
    if b is not b2 or not is_gt(sp.sympify(m * n), sp.S.Zero):
        return None
    left_is_least = is_le(sp.sympify(abs(m)), sp.sympify(abs(n)))
    if left_is_least is None:
        return None
    least = m if left_is_least else n
    left, right = ([pool.power(b, e - least)] if e != least else [] for e in (m, n))
    return pool.power(b, least), left, right


def _matched(s: Letters, t: Letters, out: Letters, out2: Letters) -> dict[int, int] | None:
    """Return the letters of the second product in terms of the first's, where one factor stands at s and at t."""
    at = dict(zip(out2, out, strict=True))
    for k, m in zip(t, s, strict=True):
        if at.setdefault(k, m) != m:
            return None
    return at if len(set(at.values())) == len(at) else None


def _outside(
    pool: TermPool,
    coefficients: tuple[Any, Any],
    shared: tuple[Term, Letters],
    rest: tuple[list[Any], list[Any]],
    out: Letters,
    sizes: tuple[dict[int, Any], dict[int, Any]],
    at: dict[int, int],
) -> Term | None:
    """Return shared · (c·rest + d·rest'), both rests over the letters that lead out of them."""
    f, s = shared
    back = {m: k for k, m in at.items()}
    used = [{k for _, t in rest[0] for k in t}, {at.get(k) for _, t in rest[1] for k in t} - {None}]
    frame = tuple(k for k in dict.fromkeys((*out, *s)) if k in used[0] | used[1])
    rows = len(frame) == 2 and len(f.shape) == 1 and set(s) <= set(out)  # diag(f) beside matrices
    same = (used[0] & set(frame)) == (used[1] & set(frame)) or _spreads(frame, s, rest) or not all(rest)
    if len(frame) > 2 or not (same or (rows and all(set(s) <= u for u in used))):
        return None
    plain = len(frame) < 2 or len(f.shape) != 1 or all(_is_matrix(g) for g, _ in (*rest[0], *rest[1]))
    if not plain and not (rows and all(map(_has_matrix, rest))):
        return None
    shape = tuple(sizes[0][k] for k in frame)
    one = _product(pool, rest[0], frame, sizes[0])
    two = _product(pool, rest[1], tuple(back[k] for k in frame), sizes[1])
    inner = pool.sum([(coefficients[0], one), (coefficients[1], two)], shape)
    return _product(pool, [(f, s), (inner, frame)], out, sizes[0])


def _product(pool: TermPool, factors: list[Any], out: Letters, sizes: dict[int, Any]) -> Term:
    """Return the product over the letters that the factors and the output have."""
    inside = {k for _, s in factors for k in s} | set(out)
    return pool.product(factors, out, {k: n for k, n in sizes.items() if k in inside})


def _is_matrix(g: Term) -> bool:
    return len(g.shape) in (0, 2) and g.kind != EYE


def _has_matrix(factors: list[Any]) -> bool:
    """Whether these are not diagonal matrices and products of vectors only."""
    return any(len(g.shape) == 2 for g, _ in factors) and all(g.kind != EYE for g, _ in factors)


def _spreads(frame: Letters, s: Letters, rest: tuple[list[Any], list[Any]]) -> bool:
    """Whether one rest is a number beside a vector over the shared factor's letters, as in s ⊙ (a - aᵀs)."""
    return len(frame) <= 1 and (not s or set(frame) <= set(s))


@rule(SUM)
def shortest_elementwise(pool: TermPool, t: Term) -> Term | None:
    """What SymPy finds shorter among cancelled, factored and expanded forms of an elementwise expression."""
    return None if pool.light else elementwise_subterms.shorter(pool, t)


@rule(SUM)
def sums_meet(pool: TermPool, t: Term) -> Term | None:
    """m Σ (1 - m/x_i) + Σ (x_i - m)²/x_i is Σ (x_i - m): sums over as many entries are one where their terms cancel."""
    if t.shape or pool.light:
        return None
    groups: dict[Any, dict[int, Term]] = {}
    for k, a in enumerate(t.args):
        body = _body(pool, a)
        if body is not None:
            groups.setdefault(body.shape, {})[k] = body
    for shape, bodies in groups.items():
        joined = pool.sum([(t.data[k], v) for k, v in bodies.items()], shape) if len(bodies) > 1 else None
        if joined is None or joined.cost >= sum(v.cost for v in bodies.values()):
            continue
        whole = pool.product([(joined, (0,))], (), dict(enumerate(shape)))
        rest = [(t.data[k], a) for k, a in enumerate(t.args) if k not in bodies]
        total = pool.sum([(1, whole), *rest], ())
        if total.cost < t.cost:
            return total
    return None


@rule(SUM)
def sums_open(pool: TermPool, t: Term) -> Term | None:
    """Σ x_i - Σ (c x_i - m) is (1 - c) Σ x_i + n m: sums are opened where their terms then add up."""
    if t.shape or pool.light or sums_open in pool.in_progress:
        return None
    opened = [_summands(pool, a) for a in t.args]
    if all(len(parts) < 2 for parts in opened):
        return None
    pool.in_progress.add(sums_open)
    total = pool.sum([(c * d, b) for c, parts in zip(t.data, opened, strict=True) for d, b in parts], ())
    pool.in_progress.discard(sums_open)
    return total if total.cost < t.cost else None


def _summands(pool: TermPool, a: Term) -> list[tuple[Any, Term]]:
    """Return c·Σ (u_i + v_i) as c·Σ u_i and c·Σ v_i, and anything else as it is."""
    if a.kind != PRODUCT:
        return [(1, a)]
    subs, _, sizes = a.data
    for k, (f, s) in enumerate(zip(a.args, subs, strict=True)):
        if not s and f.kind == PRODUCT and len(inner := _summands(pool, f)) > 1:
            others = [(g, ()) for m, g in enumerate(a.args) if m != k]
            return [(d, pool.product([(b, ()), *others], (), {})) for d, b in inner]
        if len(s) == 1 and f.kind == SUM and all(t in ((), s) for t in subs):
            rest = [x for m, x in enumerate(zip(a.args, subs, strict=True)) if m != k]
            pairs = zip(f.data, f.args, strict=True)
            return [(d, pool.product([(b, s), *rest], (), dict(sizes))) for d, b in pairs]
    return [(1, a)]


def _body(pool: TermPool, a: Term) -> Term | None:
    """Return v of Σ v_i, or of c Σ v_i with a number c, where all factors are numbers and vectors over one letter."""
    if a.kind != PRODUCT or a.shape:
        return None
    subs, _, sizes = a.data
    letters = {k for s in subs for k in s}
    if not letters:
        inner = [(f, body) for f in a.args if (body := _body(pool, f)) is not None]
        if len(inner) != 1:
            return None
        (f, body), (n,) = inner[0], inner[0][1].shape
        return pool.product([(body, (0,)), *[(g, ()) for g in a.args if g is not f]], (0,), {0: n})
    if len(letters) != 1 or any(len(s) > 1 for s in subs):
        return None
    return pool.product(list(zip(a.args, subs, strict=True)), tuple(letters), dict(sizes))
