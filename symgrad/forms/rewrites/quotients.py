"""A formula of symbols as one quotient of polynomials: computed with SymPy's sparse polynomials, cancelled once."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import sympy as sp
from sympy.polys.rings import sring

Below = dict[Any, int]  # factors below the bar, each with how often it stands there


def quotient(e: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Return the numerator and denominator, multiplied out, without their common factors.

    Raises:
        sp.PolynomialError: e has something else than sums, products and whole powers of symbols and rationals.
    """
    names = sorted(e.free_symbols, key=str)
    if not names:
        return sp.fraction(e)  # type: ignore[no-any-return]
    _, symbols = sring(names, domain=sp.ZZ)
    above, below = _Quotients(dict(zip(names, symbols, strict=True))).of(e)
    for factor in list(below):
        while below[factor] and not above.rem([factor]):
            above, below[factor] = above.exquo(factor), below[factor] - 1
    above, under = above.cancel(prod([f**n for f, n in below.items()], start=symbols[0].ring.one))
    pair: tuple[sp.Expr, sp.Expr] = sp.fraction(above.as_expr() / under.as_expr())
    return pair


class _Quotients:
    """Quotients of polynomials, of one formula's nodes: each is read once."""

    def __init__(self, symbols: dict[sp.Symbol, Any]) -> None:
        self.ring = next(iter(symbols.values())).ring
        self.known: dict[Any, tuple[Any, Below]] = {s: (p, {}) for s, p in symbols.items()}

    def of(self, e: sp.Expr) -> tuple[Any, Below]:
        """Return the numerator, and the factors of the denominator."""
        fraction = self.known.get(e)
        if fraction is None:
            fraction = self.known[e] = self._read(e)
        return fraction

    def _read(self, e: sp.Expr) -> tuple[Any, Below]:
        if e.is_Rational:
            return self.ring(int(e.p)), self._split(self.ring(int(e.q)), 1)
        if e.is_Add:
            return self._sum([self.of(t) for t in e.args])
        if e.is_Mul:
            factors = [self.of(f) for f in e.args]
            return prod([f for f, _ in factors], start=self.ring.one), _product([b for _, b in factors])
        if e.is_Pow and e.exp.is_Integer:
            return self._power(*self.of(e.base), int(e.exp))
        raise sp.PolynomialError(f"{e} is not a quotient of polynomials")

    def _sum(self, terms: Sequence[tuple[Any, Below]]) -> tuple[Any, Below]:
        shared: Below = {}
        for _, below in terms:
            for f, n in below.items():
                shared[f] = max(n, shared.get(f, 0))
        above = self.ring.zero
        for t, below in terms:
            above += prod([f ** (n - below.get(f, 0)) for f, n in shared.items()], start=t)
        return above, shared

    def _power(self, above: Any, below: Below, n: int) -> tuple[Any, Below]:
        if n >= 0:
            return above**n, {f: k * n for f, k in below.items()}
        if not above:
            raise sp.PolynomialError("a quotient by zero")
        return prod([f ** (k * -n) for f, k in below.items()], start=self.ring.one), self._split(above, -n)

    def _split(self, factor: Any, n: int) -> Below:
        """Return a power as factors: a product of symbols by each of them, so that sums find what they share."""
        if factor == 1:
            return {}
        if len(factor) > 1:
            return {factor: n}
        ((powers, c),) = factor.terms()
        factors = {g: k * n for g, k in zip(self.ring.gens, powers, strict=True) if k}
        return factors if c == 1 else {self.ring(c): n, **factors}


def _product(parts: Sequence[Below]) -> Below:
    powers: Below = {}
    for below in parts:
        for f, n in below.items():
            powers[f] = powers.get(f, 0) + n
    return powers
