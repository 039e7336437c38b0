"""Rules of orthogonal matrices Q, and of the eigenvectors V of a symmetric S: Qᵀ·Q is I, and V·diag(λ)·Vᵀ is S."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from symgrad.forms.canon.complexes import is_complex
from symgrad.forms.canon.terms import CALL, LEAF, POWER, PRODUCT, Draft, Letters, Term, TermPool, rule
from symgrad.ops.linalg.determinant import Det
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.linalg.spectral import Eigenvalues, Eigenvectors
from symgrad.ops.reductions.reduce import Prod
from symgrad.ops.reductions.scan import Cumprod

MOST = 4  # of powers of eigenvalues that are powers of the matrix


def _is_orthogonal(pool: TermPool, f: Term) -> bool:
    if f.kind == LEAF:
        return "orthogonal" in f.data[1]
    return f.kind == CALL and isinstance(f.data, Eigenvectors) and pool.symmetric(f.args[0]) and not is_complex(pool, f)


def _pairs(d: Draft) -> Iterator[tuple[int, int, int, Letters]]:
    """Yield the places of two equal orthogonal factors that share a letter, that letter, and the other two letters."""
    for p, (f, s) in enumerate(d.factors):
        if len(s) != 2 or not _is_orthogonal(d.pool, f):
            continue
        for q in range(p + 1, len(d.factors)):
            g, t = d.factors[q]
            for axis in (0, 1) if g is f else ():
                if t[axis] == s[axis] and s[axis] not in d.out and len({*s, *t}) == 3:
                    yield p, q, s[axis], (s[1 - axis], t[1 - axis])


@rule(CALL)
def inverse_of_an_orthogonal_matrix(pool: TermPool, t: Term) -> Term | None:
    """Q⁻¹ is Qᵀ."""
    return pool.transposed(t.args[0]) if isinstance(t.data, Inverse) and _is_orthogonal(pool, t.args[0]) else None


@rule(PRODUCT)
def orthogonal_cancels(d: Draft) -> bool:
    """Qᵀ·Q and Q·Qᵀ are I."""
    for p, q, k, ends in _pairs(d):
        if d.count(k) == 2:
            d.factors[p] = (d.pool.eye(d.sizes[k]), ends)
            del d.factors[q], d.sizes[k]
            return True
    return False


@rule(PRODUCT)
def eigenvectors_meet_eigenvalues(d: Draft) -> bool:
    """V·diag(λ)·Vᵀ is S, V·diag(1 ⊘ λ)·Vᵀ is S⁻¹, and so with powers of λ."""
    for p, q, k, ends in _pairs(d):
        f, s = d.factors[p]
        at = [n for n, (_, t) in enumerate(d.factors) if t == (k,)]
        if f.kind != CALL or s[1] != k or d.count(k) != 2 + len(at):
            continue
        factors = _function_of(d.pool, [d.factors[n][0] for n in at], f)
        if factors:
            d.factors = [x for n, x in enumerate(d.factors) if n not in (p, q, *at)]
            d.factors += [(g, ends if g.shape else ()) for g in factors]
            del d.sizes[k]
            return True
    return False


def _function_of(pool: TermPool, values: list[Term], vectors: Term) -> list[Term]:
    """Return the factors of the matrix with these eigenvalues and eigenvectors: S of λ, S⁻¹ of 1/λ, and their powers.

    That of the products of all other eigenvalues is det(S)·S⁻¹, where S is not singular.
    """
    (matrix,) = vectors.args
    inverse = pool.call(Inverse(), [matrix], matrix.shape)
    if len(values) == 2 and all(_runs(v, matrix) for v in values) and values[0].data.reverse != values[1].data.reverse:
        return [pool.call(Det(), [matrix], ()), inverse]
    if len(values) != 1:
        return []
    base, n = (values[0].args[0], values[0].data) if values[0].kind == POWER else (values[0], 1)
    if not _are_eigenvalues(base, matrix) or not sp.sympify(n).is_Integer or abs(n) > MOST:
        return []
    return [_power(pool, matrix if n > 0 else inverse, abs(int(n)))]


def _power(pool: TermPool, matrix: Term, n: int) -> Term:
    """Return a matrix to a power of at least 1."""
    power, (rows, columns) = matrix, matrix.shape
    for _ in range(n - 1):
        power = pool.product([(power, (0, 1)), (matrix, (1, 2))], (0, 2), {0: rows, 1: columns, 2: columns})
    return power


def _are_eigenvalues(t: Term, matrix: Term) -> bool:
    return t.kind == CALL and isinstance(t.data, Eigenvalues) and t.args[0] is matrix


def _runs(t: Term, matrix: Term) -> bool:
    """Whether a term has the products of the eigenvalues before each, or behind it."""
    running = t.kind == CALL and isinstance(t.data, Cumprod) and t.data.exclusive
    return running and _are_eigenvalues(t.args[0], matrix)


@rule(CALL)
def product_of_eigenvalues(pool: TermPool, t: Term) -> Term | None:
    """Π λ is det(S), of the eigenvalues λ of a symmetric S."""
    a = t.args[0] if isinstance(t.data, Prod) else t
    if a.kind != CALL or not isinstance(a.data, Eigenvalues) or t.shape or a is t:
        return None
    real = pool.symmetric(a.args[0]) and not is_complex(pool, a.args[0])
    return pool.call(Det(), a.args, ()) if real else None
