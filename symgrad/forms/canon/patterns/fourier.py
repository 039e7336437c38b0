"""Fourier transforms as products with their matrix: F_kj = exp(−2πi jk/n), which is symmetric, with F̄·F = n·I.

So a transform prints as ``F*x``, its inverse as ``Fᴴ*x/n``, and Parseval's theorem is a rule of products. The matrix is
an operation without inputs that no program records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.promotion import complexes
from symgrad.forms.canon.complexes import ABS, CONJ, RE, conj
from symgrad.forms.canon.lower import lower
from symgrad.forms.canon.terms import CALL, FUNCTION, PRODUCT, Draft, Letters, Term, TermPool, rule
from symgrad.ops.protocol import Op
from symgrad.ops.signal.fourier import FFT, IRFFT, RFFT, factor
from symgrad.support.frozen import frozen


@frozen
class FourierMatrix(Op):
    """F_kj = exp(−2πi jk/n) of all frequencies k, or of the first ⌊n/2⌋ + 1, which say all of real numbers."""

    n: Any
    half: bool = False
    gives = complexes

    @property
    def spelled(self) -> str:  # type: ignore[override]
        """Return the name of the transform that this matrix belongs to."""
        return "rfft" if self.half else "fft"

    @property
    def keeps_symmetry(self) -> bool:  # type: ignore[override]
        """Whether it is its own transpose."""
        return not self.half

    def forward(self) -> Any:
        return np.fft.rfft(np.eye(self.n)).T if self.half else np.fft.fft(np.eye(self.n))

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Return the entry exp(−2πi jk/n) of the Fourier matrix."""
        k, j = idx
        return sp.exp(-2 * sp.pi * sp.I * j * k / self.n)


def is_fourier(t: Term) -> bool:
    """Whether a term is the matrix of a transform."""
    return t.kind == CALL and isinstance(t.data, FourierMatrix)


def _matrix(pool: TermPool, n: Any, half: bool = False) -> Term:
    return pool.call(FourierMatrix(n, half), [], (n // 2 + 1 if half else n, n))


# ------------------------------------------------------------------ transforms as products
@lower.register
def _(op: FFT, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    # Y = s F X along each axis; the inverse has F̄
    (t,), scale = args, sp.S.One
    for a in op.axes:
        f = _matrix(pool, shape[a])
        scale *= factor(op.norm, op.inverse, shape[a])
        t = _along(pool, conj(pool, f) if op.inverse else f, t, a)
    return pool.sum([(scale, t)], shape)


@lower.register
def _(op: RFFT, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    (x,) = args
    if op.doubled:
        return pool.call(op, args, shape)
    n = x.shape[op.axis]
    return pool.sum([(factor(op.norm, False, n), _along(pool, _matrix(pool, n, True), x, op.axis))], shape)


@lower.register
def _(op: IRFFT, pool: TermPool, shape: Any, args: list[Term]) -> Term:
    # the adjoint of Y = F X: Re Fᴴ Z
    if op.doubled:
        return pool.call(op, args, shape)
    turned = conj(pool, pool.transposed(_matrix(pool, op.n, True)))
    term = pool.function(RE, [_along(pool, turned, args[0], op.axis)], shape)
    return pool.sum([(factor(op.norm, True, op.n), term)], shape)


def _along(pool: TermPool, f: Term, x: Term, axis: int) -> Term:
    """Σ_j f_kj x_…j…: a matrix times x along one axis."""
    letters = tuple(range(len(x.shape)))
    k = len(letters)
    out = (*letters[:axis], k, *letters[axis + 1 :])
    return pool.product([(f, (k, axis)), (x, letters)], out, {**dict(enumerate(x.shape)), k: f.shape[0]})


# ------------------------------------------------------------------ rules
@rule(PRODUCT)
def unitary(d: Draft) -> bool:
    """Σ_j F̄_kj F_mj is n δ_km."""
    for p, (f, s) in enumerate(d.factors):
        if not is_fourier(f):
            continue
        for q, (g, t) in enumerate(d.factors):
            ends = _ends(d, f, s, t) if _is_conjugate(g) and g.args[0] is f else None
            if ends is not None:
                d.coef *= d.sizes.pop(next(k for k in t if k not in ends))
                d.factors = [h for k, h in enumerate(d.factors) if k not in (p, q)]
                d.factors.append((d.pool.eye(f.shape[0]), ends))
                return True
    return False


def _ends(d: Draft, f: Term, s: Letters, t: Letters) -> Letters | None:
    """The letters that are left where two matrices share one that is summed over, and stands nowhere else."""
    for a in (1,) if f.data.half else (1, 0):
        for b in (1,) if f.data.half else (1, 0):
            if s[a] == t[b] and s[a] not in d.out and d.count(s[a]) == 2 and s[1 - a] != s[a] != t[1 - b]:
                return (s[1 - a], t[1 - b])
    return None


@rule(FUNCTION)
def adjoint_outside(pool: TermPool, t: Term) -> Term | None:
    """Re F(r ⊙ F̄x) is written Re Fᴴ(r ⊙ F x), of real r and x."""
    if t.data is not RE or t.args[0].kind != PRODUCT:
        return None
    (a,) = t.args
    outer = next((f for f in a.args if is_fourier(f) or _is_conjugate(f)), None)
    if outer is None or not is_fourier(outer):
        return None
    other = conj(pool, a)
    return pool.function(RE, [other], t.shape) if other.cost <= a.cost and other.kind == PRODUCT else None


def _is_conjugate(f: Term) -> bool:
    return f.kind == FUNCTION and f.data is CONJ and is_fourier(f.args[0])


@rule(FUNCTION)
def roots_of_unity(pool: TermPool, t: Term) -> Term | None:
    """|F_kj| is 1."""
    return pool.ones(t.shape) if t.data is ABS and is_fourier(t.args[0]) else None
