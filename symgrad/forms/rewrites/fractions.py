"""Formulas as quotients of polynomials in their kernels: cancelled, reduced by Pythagoras, factored, divided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from typing import Any

import sympy as sp

from symgrad.forms.rewrites.identities import (
    SIGMOID,
    everywhere,
    exponential_of_a_logistic,
    sine_of_a_tangent,
    sinh_of_a_tanh,
)
from symgrad.forms.rewrites.kernels import HYPERBOLIC, TRIGONOMETRIC, Kernels
from symgrad.forms.rewrites.polynomials import count_of_terms, factored
from symgrad.forms.rewrites.quotients import quotient

MOST = 90  # operations of an expression beyond which its factors are not looked for
SOME = 3  # functions by which a numerator is sorted
TERMS = 32  # of a numerator, multiplied out, beyond which no way to write it is short
KERNELS = 9  # kernels beyond which they are not


def fractions(e: sp.Expr, seen: set[Any]) -> Iterator[sp.Expr]:
    """Give e as fractions, in the ways that may be shorter.

    Args:
        e: the formula.
        seen: the fractions of which all ways were given before; this one is added.
    """
    for kernels in _readings(e):
        if kernels.expr.count_ops() > MOST or len(kernels.expr.free_symbols) > KERNELS:
            continue
        try:
            fraction = _quotient(kernels.expr)
            key = (fraction, frozenset(kernels.back.items()))
            if key in seen:
                continue
            seen.add(key)
            for candidate in _written(fraction, kernels):
                yield kernels.restored(candidate)
        except sp.PolynomialError:
            continue


def one_fraction(e: sp.Expr) -> list[sp.Expr]:
    """Return e as one fraction without common factors: above multiplied out, factored, and term by term."""
    kernels = Kernels(e)
    above, below = _quotient(kernels.expr)
    fraction = above / sp.factor_terms(below)  # n (n - 1) x below the bar, rather than n² x - n x
    return [kernels.restored(way) for way in (fraction, factored(above) / factored(below), sp.expand(fraction))]


def _readings(e: sp.Expr) -> Iterator[Kernels]:
    """Give e in its kernels: as they are, with exponents multiplied out, with tan and σ by what they are made of."""
    yield Kernels(e)
    if len(e.atoms(sp.exp)) > 1:
        yield Kernels(e, opened=True)
    if e.has(sp.tan, sp.tanh, SIGMOID):
        made = everywhere(everywhere(everywhere(e, sine_of_a_tangent), sinh_of_a_tanh), exponential_of_a_logistic)
        yield Kernels(made)


def _written(fraction: tuple[sp.Expr, sp.Expr], kernels: Kernels) -> Iterator[sp.Expr]:
    above, below = fraction
    names = kernels.names
    if count_of_terms(above) > TERMS:
        return
    yield from _ways(above, below, names)
    for reduce in _reductions(kernels):
        top, bottom = reduce(sp.expand(above)), reduce(sp.expand(below))
        if bottom != 0 and (top, bottom) != (above, below):
            yield from _ways(*_cancelled(top, bottom), names)


_quotient = lru_cache(maxsize=1024)(quotient)


@lru_cache(maxsize=1024)
def _cancelled(above: sp.Expr, below: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Return a fraction of polynomials without what both sides share."""
    number, top, bottom = sp.cancel((above, below))
    pair: tuple[sp.Expr, sp.Expr] = sp.fraction(number * (top / bottom))
    return pair


@lru_cache(maxsize=1024)
def _ways(above: sp.Expr, below: sp.Expr, names: frozenset[sp.Symbol]) -> tuple[sp.Expr, ...]:
    """Return the ways to write a fraction; what a search makes of one formula are mostly the same few fractions."""
    return tuple(_each_way(above, below, names))


def _each_way(above: sp.Expr, below: sp.Expr, names: frozenset[sp.Symbol]) -> Iterator[sp.Expr]:
    """Give a fraction with both sides factored, above multiplied out, or term by term over one factor."""
    if above == 0:
        yield sp.S.Zero
        return
    bottom = factored(below)
    top = factored(above)
    yield top / bottom
    yield sp.factor_terms(above) / bottom
    if above.is_Add:
        yield sp.Mul(above, 1 / bottom)
        divided = _divided(top, bottom)
        if divided is not None:
            yield divided
        yield from _by_kernels(above, bottom, names)
    if below.is_Add and bottom.is_Mul:
        yield sp.Mul(top, 1 / below)
        if any(f.is_Pow and f.base.is_Add and sp.Poly(f.base).total_degree() > 1 for f in bottom.args):
            yield sp.Mul(top, 1 / sp.sqf(below))  # (x³ + 1)² rather than (x + 1)²·(x² - x + 1)²


def _divided(top: sp.Expr, bottom: sp.Expr) -> sp.Expr | None:
    """Return the fraction with the names below divided into the sums above: (x² + 1)/x is x + 1/x."""
    names = sp.Mul(*[f for f in sp.Mul.make_args(bottom) if f.is_number or f.as_base_exp()[0].is_Symbol])
    sums = [f for f in sp.Mul.make_args(top) if f.is_Add]
    if names == 1 or len(sums) != 1:
        return None
    rest = sp.Mul(*[f for f in sp.Mul.make_args(top) if f is not sums[0]])
    return rest * sp.Add(*[t / names for t in sums[0].args]) * names / bottom


def _by_kernels(above: sp.Expr, bottom: sp.Expr, names: frozenset[sp.Symbol]) -> Iterator[sp.Expr]:
    """Give the fraction as a polynomial in one function, each coefficient a fraction: log x + 1/x."""
    for g in sorted(above.free_symbols - names - bottom.free_symbols, key=str)[:SOME]:
        parts = sp.Poly(above, g).all_terms()
        yield sp.Add(*[g**k * (factored(c) / bottom) for (k,), c in parts])


Reduction = Callable[[sp.Expr], sp.Expr]


def _reductions(kernels: Kernels) -> Iterator[Reduction]:
    """Give what replaces squares of sines by those of cosines, the other way, and so for sinh and cosh."""
    choices: list[list[tuple[sp.Symbol, sp.Expr]]] = []
    for functions in (TRIGONOMETRIC, HYPERBOLIC):
        choices += [squares(functions, s, c) for s, c in kernels.pairs(functions)]
    if len(choices) > 2:
        return
    for chosen in product(*choices) if choices else ():
        yield lambda e, chosen=chosen: squares_replaced(e, chosen)  # type: ignore[misc]


def squares(functions: Any, s: sp.Expr, c: sp.Expr) -> list[tuple[sp.Expr, sp.Expr]]:
    """Return sin u and cos u, or sinh u and cosh u, each with its square in terms of the other."""
    return [(s, 1 - c**2), (c, 1 - s**2)] if functions is TRIGONOMETRIC else [(s, c**2 - 1), (c, 1 + s**2)]


def squares_replaced(e: sp.Expr, squares: Any) -> sp.Expr:
    """Return e with powers of symbols by those of their squares, multiplied out."""
    for s, square in squares:
        e = powers_replaced(e, s, 2, square)
    return e


def powers_replaced(e: sp.Expr, s: Any, n: int, power: sp.Expr) -> sp.Expr:
    """Return e with powers of a symbol by those of its n-th power, multiplied out."""
    return sp.expand(e.replace(lambda p: p.is_Pow and p.base == s and p.exp.is_Integer and p.exp >= n,
                               lambda p: power ** (p.exp // n) * s ** (p.exp % n)))  # fmt: skip
