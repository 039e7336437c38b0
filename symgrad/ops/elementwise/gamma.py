"""Relatives of the gamma function: polygamma, its multivariate logarithm, and the Hurwitz zeta function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.promotion import floating
from symgrad.errors import ArgumentError
from symgrad.ops.elementwise.declared import UNARY
from symgrad.ops.map import ADD, MUL, NEG, SUB, Entrywise, Map, sum_terms
from symgrad.ops.protocol import rename
from symgrad.scalars import X
from symgrad.scalars import polygamma as _polygamma
from symgrad.scalars import zeta as kernels
from symgrad.scalars.gamma import MAX_ORDER
from symgrad.support.arguments import shown
from symgrad.support.frozen import frozen


def mvlgamma(input: Any, p: int) -> Any:
    """Return log Γₚ(x) = p (p - 1)/4 log π + Σ log Γ(x - j/2) over j = 0, …, p - 1.

    Derivative: Σ ψ(x - j/2).

    Args:
        input: x > (p - 1)/2, any shape.
        p: the dimension, at least 1.

    Returns:
        A tensor shaped like input.

    Raises:
        ArgumentError: if p is below 1.

    >>> sg.mvlgamma(sg.tensor(2.0), 1)
    tensor(0.)
    """
    if not 1 <= p <= 10_000:
        raise ArgumentError(f"p has to be greater than or equal to 1. Got {shown(p)}; expected at most 10000.")
    terms = sum_terms([UNARY["lgamma"](SUB(input, j / 2) if j else input) for j in range(p)])
    return rename(ADD(terms, p * (p - 1) / 4 * math.log(math.pi)), "Mvlgamma")


def polygamma(x: Any, n: int) -> Any:
    """ψₙ(x), the n-th derivative of digamma; n is one of 0, …, 100."""
    if not 0 <= n <= MAX_ORDER or n != int(n):
        raise ArgumentError(f"polygamma(n, x): expected n in 0, 1, …, {MAX_ORDER}, got n = {n!r}.")
    return Map.of(_polygamma(int(n), X[0]), 1, "Polygamma")(x)


def _scipys(name: str) -> Map:
    """Return the operation for a function of SciPy's. All are made on the first call."""
    from symgrad.ops.elementwise.library import LIBRARY  # some 250 declarations: others start sooner

    return LIBRARY[name]


@frozen
class Zeta(Entrywise):
    """ζ(s, q) = Σₖ (q + k)⁻ˢ, entry by entry; entire in s but for its pole at 1."""

    name = "SpecialZeta"
    saves = "x"
    gives = floating
    explained = "Hurwitz zeta: −s·ζ(s + 1, q) in q, times the adjoint"

    def forward(self, s: Any, q: Any) -> Any:
        return kernels.zeta(s, q)

    def on_symbols(self, s: Any, q: Any) -> Any:
        return np.frompyfunc(sp.zeta, 2, 1)(s, q)

    def vjp(self, i: int, g: Any, y: Any, s: Any, q: Any) -> Any:
        # ∂ζ/∂q = -s ζ(s + 1, q); ∂ζ/∂s is a function of its own
        if i == 0:
            return MUL(g, _scipys("zeta_s")(s, q))
        return NEG(MUL(g, MUL(s, Zeta()(ADD(s, 1.0), q))))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """The slope is a number for each entry."""
        return sum_terms([self.vjp(i, t, y, *xs) for i, t in enumerate(ts) if t is not None])

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("ζ", *args, latex=r"\zeta")


def zeta(input: Any, other: Any = None) -> Any:
    """Return the Hurwitz zeta function ζ(x, q) = Σ_{k≥0} (q + k)⁻ˣ for x > 1, or without q Riemann's ζ(x) for any x.

    Derivative with respect to q: -x ζ(x + 1, q). The derivative with respect to x, and Riemann's function, need SciPy.

    Args:
        input, other: x and q, broadcast against each other.

    Returns:
        A tensor of the broadcast shape; ∞ for x = 1 and at the poles q = 0, -1, …, nan for x < 1.

    >>> sg.special.zeta(sg.tensor(2.0), 1.0)
    tensor(1.6449)
    """
    return _scipys("riemann")(input) if other is None else Zeta()(input, other)
