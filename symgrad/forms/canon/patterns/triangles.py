"""Rules of triangular matrices and Cholesky factors: L⁻ᵀ·L⁻¹ is S⁻¹, and Φ(M) + Φ(M)ᵀ is M.

Φ, ``HalfTril``, is the lower triangle with its diagonal halved, which the derivative of a Cholesky factor is made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations

import sympy as sp

from symgrad.forms.canon.symmetric import as_matrix, diagonal
from symgrad.forms.canon.terms import CALL, EYE, LEAF, POWER, PRODUCT, SUM, Draft, Letters, Term, TermPool, rule, split
from symgrad.ops.linalg.matrices import Tril, Triu
from symgrad.ops.linalg.solving import Cholesky, HalfTril, Inverse

LOWER, UPPER = frozenset({"lower"}), frozenset({"upper"})
BOTH, NEITHER = LOWER | UPPER, LOWER & UPPER
SOURCES = {*BOTH, Cholesky, Tril, Triu}  # of triangular matrices
HALF = sp.Rational(1, 2)
MOST = 12  # terms of a sum in which triangles of one matrix are looked for


def triangle(t: Term, known: dict[Term, frozenset[str]] | None = None) -> frozenset[str]:
    """Return whether a matrix is lower or upper triangular, as far as its form tells; a diagonal one is both."""
    known = {} if known is None else known
    if t not in known:
        known[t] = _triangle(t, known)
    return known[t]


def _triangle(t: Term, known: dict[Term, frozenset[str]]) -> frozenset[str]:
    if t.kind == EYE:
        return BOTH
    if t.kind == LEAF:
        return BOTH.intersection(t.data[1])
    if t.kind == SUM and t.args:
        return BOTH.intersection(*[triangle(a, known) for a in t.args])
    if t.kind == PRODUCT and len(t.data[1]) == 2:
        (i, j), steps = t.data[1], list(_steps(zip(t.args, t.data[0], strict=True), known))
        return (LOWER if _leads(steps, i, j) else NEITHER) | (UPPER if _leads(steps, j, i) else NEITHER)
    return _of_call(t, known) if t.kind == CALL else NEITHER


def _of_call(t: Term, known: dict[Term, frozenset[str]]) -> frozenset[str]:
    if isinstance(t.data, Inverse):
        return triangle(t.args[0], known)
    if isinstance(t.data, Triu):
        return UPPER if t.data.k >= 0 else NEITHER
    return LOWER if isinstance(t.data, Cholesky) or (isinstance(t.data, Tril) and t.data.k <= 0) else NEITHER


def _steps(
    factors: Iterable[tuple[Term, Letters]], known: dict[Term, frozenset[str]] | None = None
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of letters (a, b) with a ≥ b wherever the factors are not 0."""
    for f, s in factors:
        if len(s) == 2 and s[0] != s[1]:
            sides = triangle(f, known)
            if sides & LOWER:
                yield s
            if sides & UPPER:
                yield s[::-1]


def _leads(steps: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a chain of steps shows that start ≥ end."""
    reached, grown = {start}, True
    while grown and end not in reached:
        new = {b for a, b in steps if a in reached} - reached
        reached, grown = reached | new, bool(new)
    return end in reached


@rule(CALL)
def triangle_of_a_triangle(pool: TermPool, t: Term) -> Term | None:
    """tril(L) is L, tril(U) is diag(U), and Φ(D) is D/2 of a diagonal matrix D."""
    if not isinstance(t.data, Tril) or t.data.k != 0:
        return None
    (a,) = t.args
    if type(t.data) is HalfTril:
        return pool.sum([(HALF, a)], a.shape) if diagonal(pool, a) is not None else None
    sides = triangle(a)
    if sides & (UPPER if type(t.data) is Triu else LOWER):
        return a
    return _diagonal_of(pool, a) if sides and _is_square(a) else None


def _triangle_of(pool: TermPool, t: Term) -> tuple[bool, int, Term] | None:
    """Return whether a term is a lower triangle of a matrix, up to which diagonal, and the matrix."""
    turned = t.kind == PRODUCT and len(t.args) == 1 and t.data[0] == ((1, 0),)
    a = t.args[0] if turned else t
    if a.kind != CALL or type(a.data) not in (Tril, Triu):
        return None
    lower, k, (matrix,) = type(a.data) is Tril, a.data.k, a.args
    return (not lower, -k, pool.transposed(matrix)) if turned else (lower, k, matrix)


@rule(SUM)
def triangles_meet(pool: TermPool, t: Term) -> Term | None:
    """tril(A) + triu(A, 1) is A, and tril(A) + triu(A) is A + diag(A)."""
    if len(t.shape) != 2 or len(t.args) > MOST:
        return None
    terms = list(zip(t.data, t.args, strict=True))
    parts = [(c, a, known) for c, a in terms if (known := _triangle_of(pool, a)) is not None]
    for (c, a, (is_lower, k, matrix)), (d, b, (other_is_lower, m, other)) in permutations(parts, 2):
        twice = _diagonals_met(k, m) if c == d and is_lower and not other_is_lower and matrix is other else None
        if twice is None or (twice and not _is_square(matrix)):
            continue
        on = [(c * twice, _diagonal_of(pool, matrix))] if twice else []
        return pool.sum([(c, matrix), *on, *[x for x in terms if x[1] not in (a, b)]], t.shape)
    return None


def _diagonals_met(lower: int, upper: int) -> int | None:
    """Return how often more than once the diagonal is in both triangles, None where other diagonals are, or lack."""
    return {(0, 0): 1, (-1, 1): -1}.get((lower, upper), 0 if upper == lower + 1 else None)


def _is_square(a: Term) -> bool:
    """Whether a term is a square matrix."""
    return len(a.shape) == 2 and bool(a.shape[0] == a.shape[1])


def _diagonal_of(pool: TermPool, a: Term) -> Term:
    return as_matrix(pool, pool.product([(a, (0, 0))], (0,), {0: a.shape[0]}))


@rule(CALL)
def half_of_an_upper_triangle(pool: TermPool, t: Term) -> Term | None:
    """Φ(U + M) is diag(U)/2 + Φ(M), of an upper triangular U."""
    if type(t.data) is not HalfTril:
        return None
    c, a = split(t.args[0])
    terms = list(zip(a.data, a.args, strict=True)) if a.kind == SUM else [(c, a)]
    upper = [(n, x) for n, x in terms if triangle(x) & UPPER]
    if not upper:
        return None
    on = [(n * HALF, _diagonal_of(pool, x)) for n, x in upper]
    rest = [x for x in terms if x not in upper]
    below = [(1, pool.call(t.data, [pool.sum(rest, t.shape)], t.shape))] if rest else []
    return pool.sum([*on, *below], t.shape)


@rule(CALL)
def only_a_triangle_is_read(pool: TermPool, t: Term) -> Term | None:
    """tril(U·tril(M)) is tril(U·M), of an upper triangular U; likewise of Φ."""
    if type(t.data) not in (Tril, HalfTril) or t.data.k != 0 or t.args[0].kind != PRODUCT:
        return None
    (a,) = t.args
    subs, out, sizes = a.data
    factors = list(zip(a.args, subs, strict=True))
    for p, (f, s) in enumerate(factors):
        inner = f.kind == CALL and type(f.data) is Tril and f.data.k >= 0 and len(s) == 2
        others = factors[:p] + factors[p + 1 :]
        if inner and s[1] == out[1] and _leads(list(_steps(others)), s[0], out[0]):
            opened = pool.product([*factors[:p], (f.args[0], s), *factors[p + 1 :]], out, dict(sizes))
            return pool.call(t.data, [opened], t.shape)
    return None


@rule(SUM)
def halves_meet(pool: TermPool, t: Term) -> Term | None:
    """Φ(M) + Φ(M)ᵀ is M, of a symmetric M."""
    if len(t.shape) != 2:
        return None
    terms = list(zip(t.data, t.args, strict=True))
    for c, a in terms:
        if a.kind == CALL and type(a.data) is HalfTril and pool.symmetric(a.args[0]):
            turned = (c, pool.transposed(a))
            if turned in terms:
                rest = [x for x in terms if x not in ((c, a), turned)]
                return pool.sum([(c, a.args[0]), *rest], t.shape)
    return None


@rule(PRODUCT)
def diagonals_cancel(d: Draft) -> bool:
    """diag(A) ⊙ diag(A)ⁿ is diag(A)ⁿ⁺¹."""
    for p, (f, s) in enumerate(d.factors):
        base = f.args[0] if f.kind == POWER and len(s) == 1 else f
        if base.kind != PRODUCT or base.data[0] != ((0, 0),):
            continue
        for q, (g, t) in enumerate(d.factors):
            if g is base.args[0] and t == (*s, *s):
                n = f.data + 1
                d.factors[p] = (d.pool.power(base, n) if n != 0 else d.pool.ones(f.shape), s)
                del d.factors[q]
                return True
    return False


@rule(PRODUCT)
def factors_of_cholesky(d: Draft) -> bool:
    """L·Lᵀ is S and L⁻ᵀ·L⁻¹ is S⁻¹, of the Cholesky factor L of a symmetric S."""
    for p, (f, s) in enumerate(d.factors):
        matrix, bound = _factorised(d.pool, f)
        if matrix is None or len(s) != 2:
            continue
        for q in range(p + 1, len(d.factors)):
            g, t = d.factors[q]
            k = s[bound]
            if g is f and t[bound] == k and k not in d.out and d.count(k) == 2 and s[1 - bound] != t[1 - bound]:
                d.factors[p] = (matrix, (s[1 - bound], t[1 - bound]))
                del d.factors[q], d.sizes[k]
                return True
    return False


def _factorised(pool: TermPool, f: Term) -> tuple[Term | None, int]:
    """Return S of its factor L, which is summed over its columns, or S⁻¹ of L⁻¹, which is summed over its rows."""
    if f.kind == CALL and isinstance(f.data, Cholesky) and pool.symmetric(f.args[0]):
        return f.args[0], 1
    if f.kind != CALL or not isinstance(f.data, Inverse):
        return None, 0
    factor = f.args[0]
    matrix = _factorised(pool, factor)[0] if factor.kind == CALL and isinstance(factor.data, Cholesky) else None
    return (None, 0) if matrix is None else (pool.call(Inverse(), [matrix], matrix.shape), 0)


@rule(PRODUCT)
def inverse_meets_its_factor(d: Draft) -> bool:
    """S⁻¹·L is L⁻ᵀ, of the Cholesky factor L of a symmetric S."""
    for p, (f, s) in enumerate(d.factors):
        matrix, bound = _factorised(d.pool, f)
        if matrix is None or bound != 1 or s[0] in d.out or d.count(s[0]) != 2 or s[0] == s[1]:
            continue
        inverse = d.pool.call(Inverse(), [matrix], matrix.shape)
        for q, (g, t) in enumerate(d.factors):
            if g is inverse and s[0] in t and t[0] != t[1]:
                (a,) = set(t) - {s[0]}
                if a == s[1]:
                    continue
                d.factors[p] = (d.pool.call(Inverse(), [f], f.shape), (s[1], a))
                del d.factors[q], d.sizes[s[0]]
                return True
    return False


@rule(PRODUCT)
def diagonal_of_an_inverse(d: Draft) -> bool:
    """diag(L⁻¹) is 1 ⊘ diag(L), of a triangular L, and so is a power of it."""
    for p, (f, s) in enumerate(d.factors):
        g, n = (f.args[0], f.data) if f.kind == POWER else (f, 1)
        if g.kind == CALL and isinstance(g.data, Inverse) and len(s) == 2 and s[0] == s[1] and triangle(g.args[0]):
            on = d.pool.product([(g.args[0], (0, 0))], (0,), {0: f.shape[0]})
            d.factors[p] = (d.pool.power(on, -n), s[:1])
            return True
    return False


@rule(PRODUCT)
def triangles_go_both_ways(d: Draft) -> bool:
    """diag(L·M) is diag(L) ⊙ diag(M), of lower triangular L and M: letters i ≥ k and k ≥ i are one."""
    if d.pool.heads.isdisjoint(SOURCES):
        return False
    factors = [(f, s) for f, s in d.factors if len(s) == 2 and len(triangle(f)) == 1]
    steps = list(_steps(factors))
    for i, k in permutations(d.sizes, 2) if len(steps) > 1 else ():
        if k not in d.out and d.sizes[i] == d.sizes[k] and _leads(steps, i, k) and _leads(steps, k, i):
            d.rename(k, i)
            del d.sizes[k]
            return True
    return False
