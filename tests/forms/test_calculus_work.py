"""How much work it takes to shorten a formula of numbers: counted, not timed."""

import sys
from itertools import pairwise

import pytest
import sympy as sp

from symgrad.core.kernels import array_kernel
from symgrad.forms.calculus import search
from symgrad.forms.rewrites import fractions, polynomials
from symgrad.forms.rewrites.polynomials import factored
from symgrad.forms.rewrites.quotients import _Quotients, quotient

x, a, b, c = sp.symbols("x a b c")


@pytest.fixture
def fresh():
    """No formula is known from another test."""
    for known in (search.shortest, fractions._ways, fractions._quotient, polynomials.factored):
        known.cache_clear()


POLYNOMIALS = [
    sp.Integer(6),
    -2 * a * x + 4 * b,
    a**2 - b**2,
    (x**2 - 1) ** 5,
    sp.Rational(2, 3) * x**2 * (a - b) ** 2 * (x**2 + b * x + 1),
    -(a * x**2 + 3) * (c * b**2 - x) * (a**2 + x**2) ** 2,
    (a * b + c * x) * (a * x - b * c) * 12 * c**3,
    1 - x - a - b - c,
]


@pytest.mark.parametrize("e", POLYNOMIALS, ids=range(len(POLYNOMIALS)))
def test_factors_are_those_that_sympy_finds(e):
    assert factored(sp.expand(e)) == sp.factor(sp.expand(e))


def test_a_polynomial_that_is_linear_in_a_name_is_factored_by_common_divisors_alone(fresh, monkeypatch):
    asked = []
    found = sp.factor_list
    monkeypatch.setattr(sp, "factor_list", lambda p: asked.append(p) or found(p))
    e = sp.expand((b * x**3 + a**2) * (x**2 + a) * (c * x - a**3))
    assert factored(e).is_Mul
    assert asked == []


def test_a_long_polynomial_that_is_linear_in_no_name_is_taken_as_it_is():
    long = sp.expand(sum(n * s**2 for n, s in enumerate((x, a, b, c), 1)) ** 3 * (x + a + b + c + 1))
    assert len(long.args) > polynomials.TERMS
    assert factored(long) == long


def test_one_fraction_is_written_once_however_many_formulas_lead_to_it(fresh, monkeypatch):
    s, t = sp.tanh(x), sp.exp(x)
    written, found = [], fractions._written
    monkeypatch.setattr(fractions, "_written", lambda f, kernels: written.append(f) or found(f, kernels))
    search.shortest(x * (1 - s**2) * t + s * t + x * s * t)
    met = fractions._quotient.cache_info()
    assert 0 < 2 * len(written) < met.hits + met.misses


def test_equal_formulas_have_equal_polynomials():
    s, t = sp.sin(x), sp.exp(x)
    assert fractions.Kernels(s * t + t).expr == fractions.Kernels(t + sp.Mul(t, s, evaluate=False)).expr


def test_a_sum_of_many_functions_over_one_bar_is_not_written_in_all_ways(fresh):
    functions = [sp.sin, sp.cos, sp.tanh, sp.exp, sp.log, sp.sqrt, sp.atan]
    e = sp.Add(*[f(x) * g(x) / (1 + x**2 * f(x)) for f, g in pairwise(functions)])
    assert list(fractions.fractions(e, set())) == []
    assert fractions._ways.cache_info().misses == 0


QUOTIENTS = [
    sp.Rational(3, 4),
    x / 2 + sp.Rational(1, 3),
    (a**2 - b**2) / (b - a) + 1 / x,
    (1 / x + 1 / (x * a)) ** -2 * (x - 1),
    ((a + 1) / (2 * x) - (a - 1) / (3 * x**2)) / (x**2 - 1) * (x + 1) ** 3,
    (x**2 / (1 + x**2) - 1) * (1 + x**2) ** 2 / (4 - 4 * a),
    (a - b) / (b - a) + 1,
]


@pytest.mark.parametrize("e", QUOTIENTS, ids=range(len(QUOTIENTS)))
def test_quotients_are_those_that_sympy_cancels(e):
    assert quotient(e) == sp.fraction(sp.cancel(sp.together(e)))


def test_quotients_of_what_is_none_are_refused():
    for e in (sp.sin(x), x**a, sp.Pow(sp.Add(x, -x, evaluate=False), -1, evaluate=False)):
        with pytest.raises(sp.PolynomialError):
            quotient(e)


def test_a_part_of_a_quotient_that_occurs_in_several_places_is_read_once(monkeypatch):
    read, found = [], _Quotients._read
    monkeypatch.setattr(_Quotients, "_read", lambda self, e: read.append(e) or found(self, e))
    u = a / (x + 1) + b
    quotient((u**2 + c) / (u - c) + u**3 / (u**2 + c))
    assert len(read) == len(set(read))


def test_a_kernel_is_built_without_loading_all_that_numpy_has(monkeypatch):
    loaded = []
    monkeypatch.setattr(sys.modules[sp.lambdify.__module__], "_import", lambda module, *rest: loaded.append(module))
    array_kernel.__wrapped__(sp.sqrt(x) * a + 1, (x, a))
    assert loaded == []
