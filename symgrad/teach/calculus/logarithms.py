"""Laws of logarithms: logarithms of products, quotients and powers are taken apart before they are differentiated.

A factor that may be negative stands in absolute values, |u|: log(u/v) = log|u| − log|v| wherever the left side exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.core.kernels import array_kernel
from symgrad.expression.arithmetic import (
    ONE,
    add,
    apply,
    div,
    is_negative,
    is_num,
    mul,
    neg,
    num,
    rebuilt,
)
from symgrad.expression.formula import Call, Formula, Letter, Name, Number, Power, Product, Quotient, Sum, walk
from symgrad.support.lazy import cached_property
from symgrad.teach.board.reading import to_sympy
from symgrad.teach.board.tidy import tidy
from symgrad.teach.calculus.rules import is_linear
from symgrad.teach.calculus.slopes import Slopes, of_size

BASES = {"log2": 2, "log10": 10}
POINTS = 400  # at which signs are compared, near 0 and far from it
Factor = tuple[Formula, Formula]  # a base and its exponent


class TakenApart(NamedTuple):
    """A formula whose logarithms are taken apart.

    Attributes:
        formula: the formula.
        laws: the laws that were used: "product", "quotient", "power", "exp", and "log2" or "log10" of the base.
        sized: whether a factor stands in absolute values.
    """

    formula: Formula
    laws: tuple[str, ...]
    sized: bool


def taken_apart(f: Formula, slopes: Slopes) -> TakenApart | None:
    """Return f with its logarithms taken apart; None where it has none, or where the numbers do not agree."""
    logarithms = _Logarithms(f, slopes)
    formula = tidy(logarithms.apart(f))
    if not logarithms.laws or not logarithms.agrees(formula):
        return None
    return TakenApart(formula, tuple(logarithms.laws), logarithms.sized)


def know_logarithms(f: Formula, slopes: Slopes) -> None:
    """Differentiate the logarithms within f by their laws, where these take them apart."""
    for t in walk(f):
        if isinstance(t, Call) and t.name in ("log", *BASES) and t is not f and t not in slopes.apart:
            apart = taken_apart(t, slopes)
            if apart is not None:
                slopes.apart[t] = apart.formula
                slopes.know(t, tidy(slopes.of(apart.formula)))


def logarithm_of(f: Formula, powers: Sequence[Factor], slopes: Slopes) -> tuple[Formula, bool]:
    """Return the logarithm of f, a product of powers, as a sum, and whether a base stands in absolute values."""
    logarithms = _Logarithms(f, slopes)
    total = add(*[mul(e, logarithms.logarithm(b)) for b, e in powers])
    return total, logarithms.sized


def quotes(apart: TakenApart, u: Name, v: Name, n: Name) -> list[tuple[Formula, Formula]]:
    """Return the laws that were used, of the letters u, v and n."""
    a, b = (_sized(t) if apart.sized else t for t in (u, v))
    log_a, log_b = apply("log", a), apply("log", b)
    base = next((b for b in BASES if b in apart.laws), "log2")
    laws = {
        base: (apply(base, u), Quotient(apply("log", u), apply("log", num(BASES[base])))),
        "product": (apply("log", Product(u, v)), Sum(log_a, log_b)),
        "quotient": (apply("log", Quotient(u, v)), Sum(log_a, neg(log_b))),
        "power": (apply("log", Power(u, n)), Product(n, log_a)),
        "exp": (apply("log", apply("exp", u)), u),
    }
    return [laws[law] for law in laws if law in apart.laws]


def condition(apart: TakenApart, u: Name, v: Name) -> str:
    """Say where the laws that were used hold."""
    if apart.sized:
        return f", where the left side{' is' if len(apart.laws) == 1 else 's are'} defined"
    if {"product", "quotient"} & {*apart.laws}:
        return f" for positive {u.id} and {v.id}"
    return f" for positive {u.id}" if "power" in apart.laws else ""


class _Logarithms:
    """Takes the logarithms of a formula apart.

    Attributes:
        laws: the laws that were used.
        sized: whether a factor stands in absolute values.
    """

    def __init__(self, f: Formula, slopes: Slopes) -> None:
        self._f, self._slopes = f, slopes
        self._names = sorted(f.free)
        self.laws: dict[str, None] = {}
        self.sized = False

    @cached_property
    def _points(self) -> list[Any]:
        draw = np.random.default_rng(11)
        near, far, signs = draw.uniform(-8, 8, POINTS), draw.uniform(-3, 4, POINTS), draw.choice([-1.0, 1.0], POINTS)
        row = np.concatenate([near, signs * 10**far])
        return [draw.permutation(row) for _ in self._names]

    @cached_property
    def _values(self) -> Any:
        return self._numbers(self._f)

    @cached_property
    def _has_value(self) -> Any:
        return np.isfinite(self._values)

    def _numbers(self, t: Formula) -> Any:
        symbols = tuple(sp.Symbol(n, real=True) for n in self._names)
        with np.errstate(all="ignore"):
            values = array_kernel(to_sympy(t), symbols)(*self._points)
        return np.broadcast_to(np.asarray(values, dtype=np.float64), (2 * POINTS,))

    def agrees(self, t: Formula) -> bool:
        """Whether a formula has the values of f, and one wherever f has one."""
        there = self._has_value
        return bool(there.any()) and bool(
            np.allclose(self._numbers(t)[there], self._values[there], rtol=1e-7, atol=1e-7)
        )

    def apart(self, t: Formula) -> Formula:
        """Return a formula with the logarithms in its terms taken apart; in products where they become shorter."""
        if isinstance(t, Call) and t.name in ("log", *BASES):
            return self._of_logarithm(t)
        if not isinstance(t, (Sum, Product, Quotient)):
            return t
        laws, sized = dict(self.laws), self.sized
        there = {a: self.apart(a) for a in t.operands}
        if all(a is b for a, b in there.items()):
            return t
        apart = rebuilt(t, lambda a: there[a])
        if isinstance(t, Sum) or sum(map(self._slopes.depends, t.operands)) < 2 or tidy(apart).size < t.size:
            return apart
        self.laws, self.sized = laws, sized
        return t

    def _of_logarithm(self, t: Call) -> Formula:
        inside = of_size(t) or t.args[0]
        factors = list(_factors(inside, ONE))
        moving = [(b, e) for b, e in factors if self._slopes.depends(b) or self._slopes.depends(e)]
        still = _constants([pair for pair in factors if pair not in moving])
        if is_linear(inside, self._slopes) or (not still and len(moving) == 1 and moving[0][1] == ONE):
            return t
        self._note([*still, *moving], isinstance(inside, Quotient))
        total = add(*[self._term(b, e) for b, e in (*still, *moving)])
        if t.name == "log":
            return total
        self.laws[t.name] = None
        return div(total, apply("log", num(BASES[t.name])))

    def _note(self, factors: Sequence[Factor], is_quotient: bool) -> None:
        """Note the laws that take the logarithm of a product apart."""
        of_e = [b == Letter("e") for b, _ in factors]
        under = [is_negative(e) for _, e in factors]
        quotient = is_quotient or any(u and not e for u, e in zip(under, of_e, strict=True))
        used = {
            "product": max(sum(under), len(under) - sum(under)) > 1 or (len(factors) > 1 and not quotient),
            "quotient": quotient,
            "power": any(not is_num(e, 1) and not is_num(e, -1) and b != Letter("e") for b, e in factors),
            "exp": any(of_e),
        }
        self.laws |= dict.fromkeys(law for law, is_used in used.items() if is_used)

    def _term(self, base: Formula, exponent: Formula) -> Formula:
        return exponent if base == Letter("e") else mul(exponent, self.logarithm(base))

    def logarithm(self, base: Formula) -> Formula:
        """Return log(u) where u is positive wherever f has a value, else log|u|."""
        if isinstance(base, Call) and base.name == "abs":
            return apply("log", base)
        if isinstance(base, Number) or self._is_positive(base):
            return apply("log", base)
        self.sized = True
        return apply("log", _sized(base))

    def _is_positive(self, base: Formula) -> bool:
        if to_sympy(base).is_positive:
            return True
        there = self._has_value
        return bool(there.any() and (self._numbers(base)[there] >= 0).all())


def _sized(t: Formula) -> Formula:
    return apply("abs", t)


def _factors(t: Formula, exponent: Formula) -> Iterator[Factor]:
    """Yield the factors of a product with their exponents; exp(u) is e to the power u."""
    if isinstance(t, Product):
        for f in t.args:
            yield from _factors(f, exponent)
    elif isinstance(t, Quotient):
        yield from _factors(t.numerator, exponent)
        yield from _factors(t.denominator, neg(exponent))
    elif isinstance(t, Power):
        yield from _factors(t.base, mul(exponent, t.exponent))
    elif isinstance(t, Call) and t.name == "exp":
        yield Letter("e"), mul(exponent, t.args[0])
    else:
        yield t, exponent


def _constants(factors: Sequence[Factor]) -> list[Factor]:
    """Return constant factors of one exponent as one, without signs and ones."""
    bases: dict[Formula, list[Formula]] = {}
    for b, e in factors:
        bases.setdefault(e, []).append(b)
    joined = [(mul(*parts), e) for e, parts in bases.items()]
    sized = [(num(abs(b.value), b.decimal) if isinstance(b, Number) else b, e) for b, e in joined]
    return [(b, e) for b, e in sized if not is_num(b, 1)]
