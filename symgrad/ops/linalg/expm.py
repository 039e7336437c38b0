"""Functions of a matrix: each is one operation with its derivatives of every order. First of them the exponential."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from symgrad.core.node import Shape
from symgrad.core.promotion import floating
from symgrad.ops.contract import mT
from symgrad.ops.linalg import series
from symgrad.ops.linalg.factors import each_matrix, no_formula
from symgrad.ops.linalg.square import check_square, taken
from symgrad.ops.map import broadcast_shapes, sum_terms
from symgrad.ops.protocol import Op
from symgrad.support.frozen import frozen


class MatrixFunction(Op):
    """f(A) of a square matrix, or with directions H₁, …, H_k its derivative Dᵏf(A)[H₁, …, H_k].

    Inputs A, H₁, …, H_k: (…, n, n). Differentiating adds a direction, so one operation has all orders. A subclass
    computes f in ``computed``, writes it for two rows in ``formula``, and is ``called`` so where it refuses others.
    """

    called: ClassVar[str]
    saves = "x"
    keeps_symmetry = True
    gives = floating
    analytic = True
    signature = "(n,n)->(n,n)"

    def computed(self, x: Any) -> Any:
        """Return f of matrices in double precision."""
        raise NotImplementedError

    def formula(self, z: sp.Matrix) -> sp.Matrix:
        """Return f of a matrix of at most two rows, in letters."""
        raise NotImplementedError

    def evaluated(self, *xs: Any) -> Any:
        """Return f(A), or its derivative in the directions."""
        xs = tuple(taken(self.called, x) for x in xs)
        self.out_shape(*[x.shape for x in xs])
        blocks, n = self.enlarged(*xs), xs[0].shape[-1]
        precise = self.computed(blocks.astype(np.result_type(blocks, np.float64)))  # single is rounded once
        with np.errstate(over="ignore"):
            return precise[..., :n, blocks.shape[-1] - n :].astype(blocks.dtype)

    def enlarged(self, a: Any, *hs: Any) -> Any:
        """Return [[A, H], [0, A]], whose f has Df(A)[H] in its upper right corner; blocks of blocks."""
        blocks = a
        for k, h in enumerate(hs):
            blocks = _blocks(blocks, np.kron(np.eye(2**k, dtype=h.dtype), h))
        return blocks

    def out_shape(self, *shapes: Shape) -> Shape:
        for s in shapes:
            check_square(self.called, s)
        return broadcast_shapes(*shapes)

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # ⟨Ȳ, Df(A)[H]⟩ = ⟨Df(Aᵀ)[Ȳ], H⟩, and derivatives are symmetric in their directions: Ȳᵀ takes the place
        # of H_i, or joins the directions; the result is transposed.
        if i == 0:
            return mT(self(*xs, mT(g)))
        return mT(self(*xs[:i], mT(g), *xs[i + 1 :]))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        # D^{k+1}f(A)[…, Ȧ] + Σ Dᵏf(A)[…, Ḣ_i, …]
        terms = [self(*xs[:i], t, *xs[i + 1 :]) if i else self(*xs, t) for i, t in enumerate(ts) if t is not None]
        return sum_terms(terms)

    def series(self, y: Any, xs: Sequence[Any], active: Sequence[int], order: int | None) -> Any:
        """Of the matrix that has the derivative in its corner, where there are directions."""
        if len(xs) == 1:
            return self.of_series(y, xs[0], order)
        whole = series.enlarged(xs)
        terms = self.of_series(self(whole[0]), whole, order)
        return terms if terms is NotImplemented else series.corner(terms, y)

    def of_series(self, y: Any, a: Any, order: int | None) -> Any:
        """Return the series of f(A), whose first coefficient is y; NotImplemented where the rule says it."""
        return NotImplemented

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """An entry of f(A), or Σ ∂ᵏf(A)_ij/∂A_{a₁b₁}… ΠH_r[a_r, b_r]."""
        a, *hs = ps
        if not hs:
            return a.entry(self, (a,), idx)
        lead = list(idx[:-2])
        pairs = [(a.fresh(), a.fresh()) for _ in hs]
        bound = [k for pair in pairs for k in pair]
        partials = a.entry(_Partials(self, len(hs)), (a,), (*idx, *bound))
        body = sp.Mul(partials, *[h([*lead, *p]) for h, p in zip(hs, pairs)])
        return a.sum(body, [(k, 0, a.shape[-1] - 1) for k in bound])

    def on_symbols(self, *xs: Any) -> Any:
        """The formula of matrices of at most two rows, differentiated along the directions."""
        to = self.out_shape(*[x.shape for x in xs])
        joined = np.concatenate([np.broadcast_to(np.asarray(x, dtype=object), to) for x in xs], axis=-2)
        return each_matrix(joined, lambda m: self._along(*(m[k : k + m.cols, :] for k in range(0, m.rows, m.cols))), to)

    def _along(self, a: sp.Matrix, *hs: sp.Matrix) -> Any:
        """f of at most two rows, in letters, differentiated, then at A."""
        if a.rows > 2:
            raise no_formula(self.called.removeprefix("linalg."), a.rows)
        z = sp.Matrix(a.rows, a.cols, lambda i, j: sp.Dummy(f"z{i}{j}", real=True))
        matrix = self.formula(z)
        for h in hs:
            matrix = matrix.applyfunc(lambda e, h=h: sp.Add(*[e.diff(z[k]) * h[k] for k in range(len(z))]))
        return matrix.xreplace(dict(zip(z, a, strict=True)))

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call(f"{_order(len(args) - 1)}{self.spelled}", *args)


@frozen
class MatrixExp(MatrixFunction):
    """exp(A) = Σ Aᵏ/k!, and its derivatives in directions."""

    name = "LinalgMatrixExp"
    called = "linalg.matrix_exp"
    spelled = "expm"
    explained = "matrix exponential: its derivative is linear, and is transposed"
    quoted = "d exp({M}) = L({M}, d{M})"
    routine = "squares"

    def forward(self, *xs: Any) -> Any:
        """Compute by scaling and squaring."""
        return self.evaluated(*xs)

    def computed(self, x: Any) -> Any:
        """Of each matrix."""
        return _exponential(x)

    def of_series(self, y: Any, a: Any, order: int | None) -> Any:
        """By the exponential of the matrix of coefficients."""
        return series.of_matrix(y, self, a, order)

    def formula(self, z: sp.Matrix) -> sp.Matrix:
        """Write the exponential of a 2×2 matrix in hyperbolic functions."""
        return _exp_2x2(z)


def _order(k: int) -> str:
    return "" if k == 0 else "d" if k == 1 else f"d{k}"


@frozen
class _Partials(Op):
    """∂ᵏf(A)_ij/∂A_{a₁b₁}…: what index forms call the derivative of; no operation of a graph."""

    of: MatrixFunction
    order: int

    def forward(self, a: Any) -> Any:
        n = a.shape[-1]
        out = np.empty((*a.shape, *(n,) * (2 * self.order)), a.dtype)
        for at in np.ndindex(*(n,) * (2 * self.order)):
            units = [np.outer(np.eye(n)[i], np.eye(n)[j]) for i, j in zip(at[::2], at[1::2], strict=True)]
            out[(..., *at)] = self.of.forward(a, *units)
        return out

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call(f"{_order(self.order)}{self.of.spelled}", args[0])


def _blocks(a: Any, h: Any) -> Any:
    """Return [[A, H], [0, A]]."""
    n = a.shape[-1]
    lead = np.broadcast_shapes(a.shape[:-2], h.shape[:-2])
    out = np.zeros((*lead, 2 * n, 2 * n), np.result_type(a, h))
    out[..., :n, :n] = out[..., n:, n:] = a
    out[..., :n, n:] = h
    return out


# The [13/13] Padé approximant of exp is exact to double precision up to this 1-norm. Higham 2005, table 2.3.
_RADIUS = 5.371920351148152
_PADE = [float(factorial(26 - k) // (factorial(13 - k) * factorial(k))) for k in range(14)]


def _exponential(a: Any) -> Any:
    """Scale each matrix into the radius of the approximant, and square the result back."""
    if not a.size:
        return a.copy()
    size = np.abs(a).sum(-2).max(-1)
    finite = np.isfinite(size)
    halvings = np.where(finite, np.ceil(np.log2(np.maximum(size, _RADIUS) / _RADIUS)), 0).astype(int)
    scaled = np.where(finite[..., None, None], a * (0.5**halvings)[..., None, None].astype(a.dtype), 0)
    power = _approximant(scaled)
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(int(halvings.max())):
            power = np.where((k < halvings)[..., None, None], power @ power, power)
    return np.where(finite[..., None, None], power, a.dtype.type(np.nan))


def _approximant(a: Any) -> Any:
    """q(A)⁻¹ p(A), p = u + v and q = v - u with u the odd powers."""
    b = [a.dtype.type(c / _PADE[0]) for c in _PADE]
    one = np.eye(a.shape[-1], dtype=a.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one
    even = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one
    u = a @ odd
    return np.linalg.solve(even - u, even + u)


# ------------------------------------------------------------------ formulas
def _exp_2x2(z: sp.Matrix) -> sp.Matrix:
    # exp A = e^μ (cosh δ I + (sinh δ/δ) (A - μI)), μ half the trace, δ² = μ² - det A
    if z.rows < 2:
        return z.applyfunc(sp.exp)
    mean = (z[0, 0] + z[1, 1]) / 2
    delta = sp.sqrt(((z[0, 0] - z[1, 1]) / 2) ** 2 + z[0, 1] * z[1, 0])
    return sp.exp(mean) * (sp.cosh(delta) * sp.eye(2) + sp.sinh(delta) / delta * (z - mean * sp.eye(2)))


def matrix_exp(A: Any) -> Any:
    """Return the matrix exponential Σ Aᵏ/k!. Gradient: Dexp(Aᵀ)[Ȳ], the derivative at Aᵀ in the direction Ȳ.

    Args:
        A: (…, n, n).

    Returns:
        Shaped like A.

    Raises:
        ShapeError: if A is not square.

    Source: Higham 2005, The scaling and squaring method; Najfeld and Havel 1995 for the derivative.

    >>> sg.matrix_exp(sg.tensor([[0.0, 1.0], [0.0, 0.0]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return MatrixExp()(A)


def expm_frechet(A: Any, E: Any, compute_expm: bool = True) -> Any:
    """Return the matrix exponential and its derivative in a direction, lim (exp(A + tE) - exp(A))/t.

    Args:
        A, E: (…, n, n).
        compute_expm: whether to return the exponential as well.

    Returns:
        exp(A) and the derivative, or the derivative alone if ``compute_expm`` is False.

    Raises:
        ShapeError: if A or E is not square.

    Source: Najfeld and Havel 1995.

    >>> sg.linalg.expm_frechet(sg.zeros(1, 1), sg.tensor([[3.0]]), compute_expm=False)
    tensor([[3.]])
    """
    moved = MatrixExp()(A, E)
    return (MatrixExp()(A), moved) if compute_expm else moved
