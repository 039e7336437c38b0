"""Kronecker products and their derivatives: in the program a reshaped outer product, in formulas X ⊗ Y.

The operations here have names in formulas only; no program records them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.forms.canon.products import linked
from symgrad.forms.canon.terms import CALL, EYE, PRODUCT, Draft, Letters, Term, TermPool, rule, split
from symgrad.ops.linalg.determinant import Det, LogAbsDet
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.protocol import Op
from symgrad.ops.shape import Reshape
from symgrad.support.frozen import frozen

Factors = list[tuple[Term, Letters]]


@frozen
class Kron(Op):
    """X ⊗ Y, the blocks x_ij Y."""

    def forward(self, *xs: Any) -> Any:
        return np.kron(*xs)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Block and place within the block."""
        x, y = ps
        block = [sp.floor(sp.sympify(k) / n) for k, n in zip(idx, y.shape, strict=True)]
        return sp.Mul(x(block), y([sp.Mod(k, n) for k, n in zip(idx, y.shape, strict=True)]))

    def notation(self, write: Any, *args: Any) -> Any:
        return write.Infix(*args, sign="⊗")


@frozen
class BlockDot(Op):
    """The matrix of Σ G_ij ⊙ Y over the blocks G_ij of G, which have the shape of Y."""

    def forward(self, *xs: Any) -> Any:
        g, y = xs
        return np.einsum("ikjl,kl->ij", _blocks(g, y.shape), y)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Σ over one block."""
        g, y = ps
        inner = [g.fresh(), g.fresh()]
        at = [n * i + k for i, k, n in zip(idx, inner, y.shape, strict=True)]
        total: sp.Expr = g.sum(g(at) * y(inner), [(k, 0, n - 1) for k, n in zip(inner, y.shape, strict=True)])
        return total


@frozen
class BlockSum(Op):
    """Σ x_ij G_ij over the blocks G_ij of G."""

    def forward(self, *xs: Any) -> Any:
        x, g = xs
        return np.einsum("ij,ikjl->kl", x, _blocks(g, tuple(n // m for n, m in zip(g.shape, x.shape, strict=True))))

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Σ over the blocks."""
        x, g = ps
        outer = [g.fresh(), g.fresh()]
        sizes = [sp.cancel(sp.sympify(n) / m) for n, m in zip(g.shape, x.shape, strict=True)]
        at = [n * i + k for i, k, n in zip(outer, idx, sizes, strict=True)]
        total: sp.Expr = g.sum(x(outer) * g(at), [(k, 0, n - 1) for k, n in zip(outer, x.shape, strict=True)])
        return total


def _blocks(g: Any, sizes: Sequence[int]) -> Any:
    (k, m), (n, p) = sizes, g.shape
    return np.reshape(g, (n // k, k, p // m, m))


@rule(CALL)
def reshaped_outer_product(pool: TermPool, t: Term) -> Term | None:
    """The blocks x_ij Y in one matrix are X ⊗ Y, and those of vectors in one vector."""
    (a,) = t.args if len(t.args) == 1 else (None,)
    if not isinstance(t.data, Reshape) or a is None or a.kind != PRODUCT or len(t.shape) * 2 != len(a.shape):
        return None
    subs, out, sizes = a.data
    d = Draft(pool, sp.S.One, list(zip(a.args, subs, strict=True)), out, dict(sizes))
    groups = [(g, {k for _, s in g for k in s}) for g in linked(d)]
    ends = (out[::2], out[1::2])
    if t.shape != tuple(d.sizes[i] * d.sizes[k] for i, k in zip(*ends, strict=True)) or any(not s for s in subs):
        return None
    sides = [next((g for g, letters in groups if letters & set(out) == set(end)), None) for end in ends]
    if len(groups) != 2 or None in sides:
        return None
    parts = [
        pool.product(g, end, {k: d.sizes[k] for _, s in g for k in s}) for g, end in zip(sides, ends, strict=True) if g
    ]
    return pool.call(Kron(), parts, t.shape)


@rule(PRODUCT)
def blocks_of_a_matrix(d: Draft) -> bool:
    """Σ_kl G_(ik)(jl) y_kl and Σ_ij x_ij G_(ik)(jl), of a matrix G in blocks, have names."""
    for p, (f, s) in enumerate(d.factors):
        if f.kind != CALL or not isinstance(f.data, Reshape) or len(s) != 4 or len(f.args[0].shape) != 2:
            continue
        (g,), n = f.args, f.shape
        if g.shape != (n[0] * n[1], n[2] * n[3]):
            continue
        rest = d.factors[:p] + d.factors[p + 1 :]
        for op, pair, left in ((BlockDot(), s[1::2], s[::2]), (BlockSum(), s[::2], s[1::2])):
            group = _between(d, rest, pair, s)
            if group is not None:
                inside = {k for _, t in group for k in t}
                h = d.pool.product(group, pair, {k: d.sizes[k] for k in inside})
                args = [g, h] if isinstance(op, BlockDot) else [h, g]
                named = d.pool.call(op, args, tuple(d.sizes[k] for k in left))
                d.factors = [x for x in rest if x not in group] + [(named, left)]
                for k in inside:
                    del d.sizes[k]
                return True
    return False


def _between(
    d: Draft, rest: list[tuple[Term, Letters]], pair: Letters, s: Letters
) -> list[tuple[Term, Letters]] | None:
    """Return the factors that stand between two letters of a matrix in blocks, and touch nothing else."""
    if len(set(s)) < 4 or set(pair) & set(d.out):
        return None
    for group in linked(Draft(d.pool, d.coef, rest, d.out, d.sizes)):
        inside = {k for _, t in group for k in t}
        if inside & {*s, *d.out} == set(pair):
            return group
    return None


@rule(CALL)
def blocks_of_a_kronecker_product(pool: TermPool, t: Term) -> Term | None:
    """The blocks of X ⊗ Y are x_ij Y: dotted with Z they are X·Σ Y ⊙ Z, summed with Z they are Σ X ⊙ Z · Y."""
    if not isinstance(t.data, (BlockDot, BlockSum)):
        return None
    g, z = t.args if isinstance(t.data, BlockDot) else t.args[::-1]
    if g.kind != CALL or not isinstance(g.data, Kron):
        return None
    kept, met = g.args if isinstance(t.data, BlockDot) else g.args[::-1]
    if met.shape != z.shape:
        return None
    number = pool.product([(met, (0, 1)), (z, (0, 1))], (), dict(enumerate(z.shape)))
    return pool.times(kept, number)


# ------------------------------------------------------------------ square factors
@rule(CALL)
def of_a_kronecker_product(pool: TermPool, t: Term) -> Term | None:
    """(X ⊗ Y)⁻¹ is X⁻¹ ⊗ Y⁻¹, and det(X ⊗ Y) is det(X)ᵐ det(Y)ⁿ of an n×n X and an m×m Y; log det likewise."""
    if not isinstance(t.data, (Inverse, Det, LogAbsDet)) or len(t.args) != 1:
        return None
    parts = _square_parts(t.args[0])
    if parts is None:
        return None
    if isinstance(t.data, Inverse):
        return pool.call(Kron(), [pool.call(t.data, [a], a.shape) for a in parts], t.shape)
    powers = [(pool.call(t.data, [a], ()), b.shape[0]) for a, b in (parts, parts[::-1])]
    if isinstance(t.data, LogAbsDet):
        return pool.sum([(n, a) for a, n in powers], ())
    return pool.times(*[pool.power(a, n) for a, n in powers])


def _square_parts(a: Term) -> tuple[Term, Term] | None:
    """Return the factors of a Kronecker product of square matrices."""
    if a.kind != CALL or not isinstance(a.data, Kron) or any(len(set(b.shape)) != 1 for b in a.args):
        return None
    return a.args[0], a.args[1]


@rule(PRODUCT)
def trace_of_a_kronecker_product(d: Draft) -> bool:
    """tr(X ⊗ Y) is tr(X) tr(Y)."""
    for k, (f, s) in enumerate(d.factors):
        parts = _square_parts(f) if len(s) == 2 and s[0] == s[1] else None
        if parts is None or s[0] in d.out or d.count(s[0]) != 2:
            continue
        del d.factors[k]
        del d.sizes[s[0]]
        for a in parts:
            letter = d.fresh(a.shape[0])
            d.factors.append((a, (letter, letter)))
        return True
    return False


@rule(CALL)
def blocks_of_the_identity(pool: TermPool, t: Term) -> Term | None:
    """The blocks of I are I on the diagonal: dotted with Y they are tr(Y)·I, and Σ x_ij G_ij is tr(X)·I."""
    if not isinstance(t.data, (BlockDot, BlockSum)):
        return None
    g, z = t.args if isinstance(t.data, BlockDot) else t.args[::-1]
    if g.kind != EYE or len(set(z.shape)) != 1 or len(set(t.shape)) != 1:
        return None
    trace = pool.product([(z, (0, 0))], (), {0: z.shape[0]})
    return pool.times(pool.eye(t.shape[0]), trace)


@rule(CALL)
def number_out_of_blocks(pool: TermPool, t: Term) -> Term | None:
    """A number that multiplies G multiplies its blocks, and (X ⊗ Y)ᵀ is Xᵀ ⊗ Yᵀ there."""
    if not isinstance(t.data, (BlockDot, BlockSum)):
        return None
    at = 0 if isinstance(t.data, BlockDot) else 1
    c, g = split(t.args[at])
    if g.kind != PRODUCT:
        return None if c == 1 else _of_blocks(pool, t, at, g, [], c)
    subs, out, _ = g.data
    numbers = [a for a, s in zip(g.args, subs, strict=True) if not s]
    rest = [(a, s) for a, s in zip(g.args, subs, strict=True) if s]
    if len(rest) == 1 and rest[0][1] == out[::-1] and rest[0][0].kind == CALL and isinstance(rest[0][0].data, Kron):
        turned = [pool.transposed(a) for a in rest[0][0].args]
        return _of_blocks(pool, t, at, pool.call(Kron(), turned, g.shape), numbers, c)
    if not numbers and c == 1:
        return None
    plain = pool.product(rest, out, dict(enumerate(g.shape)) if not rest else {k: n for k, n in g.data[2]})
    return _of_blocks(pool, t, at, plain, numbers, c)


def _of_blocks(pool: TermPool, t: Term, at: int, g: Term, numbers: list[Term], c: Any) -> Term:
    args = [g if k == at else a for k, a in enumerate(t.args)]
    return pool.sum([(c, pool.times(pool.call(t.data, args, t.shape), *numbers))], t.shape)


@rule(CALL)
def matrix_in_blocks(pool: TermPool, t: Term) -> Term | None:
    """The entries of X ⊗ Y in blocks are x_ij y_kl, and those of I are δ_ij δ_kl."""
    if not isinstance(t.data, Reshape) or len(t.shape) != 4:
        return None
    n, m, p, q = t.shape
    (g,) = t.args
    if g.shape != (n * m, p * q):
        return None
    if g.kind == EYE and (n, m) == (p, q):
        parts = [pool.eye(n), pool.eye(m)]
    else:
        turned = g.kind == PRODUCT and len(g.args) == 1 and g.data[0] == (g.data[1][::-1],)
        k = g.args[0] if turned else g
        parts = list(k.args) if k.kind == CALL and isinstance(k.data, Kron) else []
        parts = [pool.transposed(a) for a in parts] if turned else parts
    if not parts or parts[0].shape != (n, p):
        return None
    return pool.product([(parts[0], (0, 2)), (parts[1], (1, 3))], (0, 1, 2, 3), dict(enumerate(t.shape)))
