"""Kronecker products and their derivatives: in the program a reshaped outer product, in formulas X ⊗ Y.

The operations here have names in formulas only; no program records them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.forms.canon.products import linked
from symgrad.forms.canon.terms import CALL, PRODUCT, Draft, Letters, Pool, Term, rule
from symgrad.ops.protocol import Op
from symgrad.ops.shape import Reshape
from symgrad.support.frozen import frozen

Factors = list[tuple[Term, Letters]]


@frozen
class Kron(Op):
    """X ⊗ Y, the blocks x_ij Y."""

    def forward(self, *xs: Any) -> Any:
        """Compute the value."""
        return np.kron(*xs)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Block and place within the block."""
        x, y = ps
        block = [sp.floor(sp.sympify(k) / n) for k, n in zip(idx, y.shape, strict=True)]
        return sp.Mul(x(block), y([sp.Mod(k, n) for k, n in zip(idx, y.shape, strict=True)]))

    def text(self, *args: str) -> str:
        """X ⊗ Y; brackets are the node's."""
        return " ⊗ ".join(args)

    def latex(self, *args: str) -> str:
        """The same."""
        return r" \otimes ".join(args)


@frozen
class BlockDot(Op):
    """The matrix of Σ G_ij ⊙ Y over the blocks G_ij of G, which have the shape of Y."""

    def forward(self, *xs: Any) -> Any:
        """Compute the value."""
        g, y = xs
        return np.einsum("ikjl,kl->ij", _blocks(g, y.shape), y)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Σ over one block."""
        g, y = ps
        inner = [g.fresh(), g.fresh()]
        at = [n * i + k for i, k, n in zip(idx, inner, y.shape, strict=True)]
        found: sp.Expr = g.sum(g(at) * y(inner), [(k, 0, n - 1) for k, n in zip(inner, y.shape, strict=True)])
        return found


@frozen
class BlockSum(Op):
    """Σ x_ij G_ij over the blocks G_ij of G."""

    def forward(self, *xs: Any) -> Any:
        """Compute the value."""
        x, g = xs
        return np.einsum("ij,ikjl->kl", x, _blocks(g, tuple(n // m for n, m in zip(g.shape, x.shape, strict=True))))

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Σ over the blocks."""
        x, g = ps
        outer = [g.fresh(), g.fresh()]
        sizes = [sp.cancel(sp.sympify(n) / m) for n, m in zip(g.shape, x.shape, strict=True)]
        at = [n * i + k for i, k, n in zip(outer, idx, sizes, strict=True)]
        found: sp.Expr = g.sum(x(outer) * g(at), [(k, 0, n - 1) for k, n in zip(outer, x.shape, strict=True)])
        return found


def _blocks(g: Any, sizes: Sequence[int]) -> Any:
    (k, m), (n, p) = sizes, g.shape
    return np.reshape(g, (n // k, k, p // m, m))


@rule(CALL)
def reshaped_outer_product(pool: Pool, t: Term) -> Term | None:
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
def blocks_of_a_kronecker_product(pool: Pool, t: Term) -> Term | None:
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
