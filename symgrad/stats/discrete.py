"""Distributions of integers, each as a declaration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import tensor_value
from symgrad.engine.record import as_tensor
from symgrad.errors import NotYet
from symgrad.functions import floor, logsumexp, where
from symgrad.scalars import exp, expm1, log, log1p, logsigmoid, sigmoid
from symgrad.scalars.densities import (
    checked,
    filled,
    instead,
    log_beta,
    log_rest,
    log_trials,
    standard,
    times_log,
    times_log1p,
)
from symgrad.scalars.deviances import less_gamma, log_power, log_power_of_exp, log_shares, shares_of, shares_of_odds
from symgrad.scalars.library.betas import betainc, betaincc
from symgrad.scalars.library.gammas import gammainc, gammaincc
from symgrad.scalars.special import lgamma
from symgrad.scalars.stable import capped, logaddexp
from symgrad.scalars.tails import log_gammainc, log_gammaincc
from symgrad.stats.distribution import Discrete

_ROUNDING = 16 * float(np.finfo(np.float64).eps)  # where the distribution function is another routine than SciPy's
_LARGEST = sp.Float(1e308)  # SymPy takes every real symbol to be less than ∞


def _is_count(n: sp.Expr) -> Any:
    return (n >= 0) & (n <= _LARGEST) & sp.Eq(n, sp.floor(n))


def _is_probability(p: sp.Expr) -> Any:
    return (p >= 0) & (p <= 1)


def _counts(*shapes: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    return sp.S.Zero, sp.oo


poisson_log = Discrete(
    "poisson_log",
    "The Poisson distribution with log_mu = η, the logarithm of its mean: log P(k) = k η - exp(η) - log k!.",
    "log_mu",
    rounding=_ROUNDING,
    density=lambda k, s, eta: instead(
        log_power_of_exp(k, eta) + less_gamma(0, 1, k), k * eta - exp(eta) - lgamma(k + 1)
    ),
    support=_counts,
    valid=lambda eta: sp.Abs(eta) <= _LARGEST,
    cdf=lambda k, eta: gammaincc(k + 1, exp(eta)),
    sf=lambda k, eta: gammainc(k + 1, exp(eta)),
    logcdf=lambda k, eta: log_gammaincc(k + 1, exp(eta)),
    logsf=lambda k, eta: log_gammainc(k + 1, exp(eta)),
    mean=lambda eta: exp(eta),
    var=lambda eta: exp(eta),
    information=lambda eta: {("log_mu", "log_mu"): exp(eta)},
)
poisson = Discrete(
    "poisson",
    "The Poisson distribution with mean mu = μ: log P(k) = k log μ - μ - log k!.",
    "mu",
    rounding=_ROUNDING,
    density=lambda k, s, mu: instead(log_power(k, mu, 1) + less_gamma(0, 1, k), times_log(k, mu) - lgamma(k + 1) - mu),
    support=_counts,
    valid=lambda mu: (mu >= 0) & (mu <= _LARGEST),
    cdf=lambda k, mu: gammaincc(k + 1, mu),
    sf=lambda k, mu: gammainc(k + 1, mu),
    logcdf=lambda k, mu: log_gammaincc(k + 1, mu),
    logsf=lambda k, mu: log_gammainc(k + 1, mu),
    mean=lambda mu: mu,
    var=lambda mu: mu,
    information=lambda mu: {("mu", "mu"): 1 / mu},
    instead=poisson_log,
)


def _less_choices(k: sp.Expr, n: sp.Expr, e: int) -> sp.Expr:
    """Log Γ(k + n + e) - log k! - log Γ(n + e), with the terms that ``log_shares`` leaves out.

    All are of k for one operation to compute, so that two that are equal cancel exactly.
    """
    gammas = less_gamma(0, 1, k), less_gamma(0, e, n), -less_gamma(0, e, k + n)
    return sum(checked(g, sp.Abs(k)) for g in gammas)


def _log_counts(k: sp.Expr, n: sp.Expr, t: sp.Expr, e: int) -> sp.Expr:
    """Log P(k), where p = σ(t)."""
    return log_shares(k, n, sigmoid(t), sigmoid(-t), logsigmoid(t), logsigmoid(-t)) + _less_choices(k, n, e)


binomial_logit = Discrete(
    "binomial_logit",
    "The binomial distribution with p = 1/(1 + exp(-logits)).",
    "n logits",
    density=lambda k, s, n, z: instead(
        _log_counts(k, n - k, z, 1),
        log_trials(k, n - k, z) - log_beta(n - k + 1, k + 1) - log(n + 1),
    ),
    support=lambda n, z: (sp.S.Zero, n),
    valid=lambda n, z: _is_count(n),
    whole="n",
    cdf=lambda k, n, z: betainc(n - k, k + 1, sigmoid(-z)),
    sf=lambda k, n, z: betainc(k + 1, n - k, sigmoid(z)),
    mean=lambda n, z: n * sigmoid(z),
    var=lambda n, z: n * sigmoid(z) * sigmoid(-z),
    information=lambda n, z: {("logits", "logits"): n * sigmoid(z) * sigmoid(-z)},
)
binom = Discrete(
    "binom",
    "The binomial distribution: log P(k) = log C(n, k) + k log p + (n - k) log(1 - p).",
    "n p",
    rounding=_ROUNDING,
    density=lambda k, s, n, p: instead(
        shares_of(k, n - k, p) + _less_choices(k, n - k, 1),
        times_log(k, p) + times_log1p(n - k, -p) - log_beta(n - k + 1, k + 1) - log(n + 1),
    ),
    support=lambda n, p: (sp.S.Zero, n),
    valid=lambda n, p: _is_count(n) & _is_probability(p),
    whole="n",
    cdf=lambda k, n, p: betaincc(k + 1, n - k, p),
    sf=lambda k, n, p: betainc(k + 1, n - k, p),
    mean=lambda n, p: n * p,
    var=lambda n, p: n * p * (1 - p),
    information=lambda n, p: {("p", "p"): n / (p * (1 - p))},
    instead=binomial_logit,
)
bernoulli_logit = Discrete(
    "bernoulli_logit",
    "The Bernoulli distribution with p = 1/(1 + exp(-logits)).",
    "logits",
    density=lambda k, s, z: log_trials(k, 1 - k, z),
    support=lambda z: (sp.S.Zero, sp.S.One),
    valid=lambda z: sp.true,
    cdf=lambda k, z: sp.Piecewise((sigmoid(-z), k < 1), (1, True)),
    sf=lambda k, z: sp.Piecewise((sigmoid(z), k < 1), (0, True)),
    logcdf=lambda k, z: sp.Piecewise((logsigmoid(-z), k < 1), (0, True)),
    logsf=lambda k, z: sp.Piecewise((logsigmoid(z), k < 1), (-sp.oo, True)),
    mean=lambda z: sigmoid(z),
    var=lambda z: sigmoid(z) * sigmoid(-z),
    entropy=lambda z: -sigmoid(z) * logsigmoid(z) - sigmoid(-z) * logsigmoid(-z),
    information=lambda z: {("logits", "logits"): sigmoid(z) * sigmoid(-z)},
)
bernoulli = Discrete(
    "bernoulli",
    "The Bernoulli distribution: log P(k) = k log p + (1 - k) log(1 - p).",
    "p",
    density=lambda k, s, p: times_log(k, p) + times_log1p(1 - k, -p),
    support=lambda p: (sp.S.Zero, sp.S.One),
    valid=_is_probability,
    cdf=lambda k, p: sp.Piecewise((1 - p, k < 1), (1, True)),
    sf=lambda k, p: sp.Piecewise((p, k < 1), (0, True)),
    logcdf=lambda k, p: sp.Piecewise((log1p(-p), k < 1), (0, True)),
    logsf=lambda k, p: sp.Piecewise((log(p), k < 1), (-sp.oo, True)),
    mean=lambda p: p,
    var=lambda p: p * (1 - p),
    entropy=lambda p: -times_log(p, p) - times_log1p(1 - p, -p),
    information=lambda p: {("p", "p"): 1 / (p * (1 - p))},
    instead=bernoulli_logit,
)


def _log_choices(k: sp.Expr, n: sp.Expr) -> sp.Expr:
    """Log Γ(k + n) - log Γ(n) - log k!, which is 0 for k = 0."""
    return filled(-log(k + n) - log_beta(n, k + 1), k - 1, 0)


neg_binomial_2_log = Discrete(
    "neg_binomial_2_log",
    "The negative binomial distribution with dispersion n and log_mu = η, the logarithm of its mean exp(η).",
    "n log_mu",
    rounding=_ROUNDING,
    density=lambda k, s, n, eta: instead(
        _log_counts(k, n, eta - log(n), 0),
        k * logsigmoid(eta - log(n)) + n * logsigmoid(log(n) - eta) + _log_choices(k, n),
    ),
    support=_counts,
    valid=lambda n, eta: (n > 0) & (n <= _LARGEST) & (sp.Abs(eta) <= _LARGEST),
    cdf=lambda k, n, eta: betaincc(k + 1, n, sigmoid(eta - log(n))),
    sf=lambda k, n, eta: betainc(k + 1, n, sigmoid(eta - log(n))),
    mean=lambda n, eta: exp(eta),
    var=lambda n, eta: exp(eta) * (1 + exp(eta) / n),
    information=lambda n, eta: {("log_mu", "log_mu"): n * sigmoid(eta - log(n))},
)
neg_binomial_2 = Discrete(
    "neg_binomial_2",
    "The negative binomial distribution with mean mu = μ and dispersion n: the variance is μ + μ²/n.",
    "n mu",
    rounding=_ROUNDING,
    density=lambda k, s, n, mu: instead(
        shares_of_odds(k, n, mu, n) + _less_choices(k, n, 0),
        times_log(k, mu / (n + mu)) - n * log1p(mu / n) + _log_choices(k, n),
    ),
    support=_counts,
    valid=lambda n, mu: (n > 0) & (n <= _LARGEST) & (mu >= 0) & (mu <= _LARGEST),
    cdf=lambda k, n, mu: betaincc(k + 1, n, mu / (n + mu)),
    sf=lambda k, n, mu: betainc(k + 1, n, mu / (n + mu)),
    mean=lambda n, mu: mu,
    var=lambda n, mu: mu * (1 + mu / n),
    information=lambda n, mu: {("mu", "mu"): 1 / (mu * (1 + mu / n))},
    instead=neg_binomial_2_log,
)
nbinom = Discrete(
    "nbinom",
    "The negative binomial distribution: log P(k) = log Γ(k + n) - log k! - log Γ(n) + n log p + k log(1 - p).",
    "n p",
    rounding=_ROUNDING,
    density=lambda k, s, n, p: instead(
        shares_of(n, k, p) + _less_choices(k, n, 0),
        lgamma(k + n) + times_log1p(k, -p) - lgamma(k + 1) - lgamma(n) + n * log(p),
    ),
    support=_counts,
    valid=lambda n, p: (n > 0) & (n <= _LARGEST) & (p > 0) & (p <= 1),
    cdf=lambda k, n, p: betainc(n, k + 1, p),
    sf=lambda k, n, p: betaincc(n, k + 1, p),
    mean=lambda n, p: n * (1 - p) / p,
    var=lambda n, p: n * (1 - p) / p**2,
    information=lambda n, p: {("p", "p"): n / (p**2 * (1 - p))},
    instead=neg_binomial_2,
)
geom = Discrete(
    "geom",
    "The geometric distribution of k = 1, 2, …: log P(k) = log p + (k - 1) log(1 - p).",
    "p",
    density=lambda k, s, p: times_log1p(k - 1, -p) + log(p),
    support=lambda p: (sp.S.One, sp.oo),
    valid=lambda p: (p > 0) & (p <= 1),
    cdf=lambda k, p: -expm1(k * log1p(-p)),
    sf=lambda k, p: exp(k * log1p(-p)),
    logcdf=lambda k, p: log_rest(-k * log1p(-p)),
    logsf=lambda k, p: k * log1p(-p),
    mean=lambda p: 1 / p,
    var=lambda p: (1 - p) / p**2,
    information=lambda p: {("p", "p"): 1 / (p**2 * (1 - p))},
)


class Compound(Discrete):
    """A family whose distribution function has no closed form: it is the sum of the probabilities up to k."""

    def _at(self, x: Any, what: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if what in ("pmf", "logpmf"):
            return super()._at(x, what, args, kwargs)
        values = self.named_parameters(args, kwargs)
        k, j = floor(as_tensor(x) - values.pop("loc", 0.0)), self._integers(what, values)
        k, *parameters = (v[..., None] for v in (k, *map(as_tensor, values.values())))
        is_counted = (j <= k) if what.endswith("cdf") else (j > k)
        terms = where(is_counted, self.logpmf(j, **dict(zip(values, parameters, strict=True))), -math.inf)
        total = logsumexp(terms, -1)
        total = where(is_counted.all(-1) & (total == total), 0.0, total)
        total = where(k[..., 0] == k[..., 0], total, math.nan)
        return total if what.startswith("log") else total.exp()

    def information_entry(self, p: str, q: str, values: Mapping[str, Any]) -> Any:
        """E of the product of two derivatives of log P: a sum over all k."""
        if "loc" in (p, q):
            return super().information_entry(p, q, values)
        k = self._integers("the Fisher information", values)
        at = {name: as_tensor(v)[..., None] for name, v in values.items() if name != "loc"}
        return (self.pmf(k, **at) * self._apply(("score", p), k, at) * self._apply(("score", q), k, at)).sum(-1)

    def _integers(self, what: str, values: Mapping[str, Any]) -> Any:
        """The integers from 0 to n, or to the largest n."""
        last = tensor_value(as_tensor(values["n"]))
        if last is None:
            raise NotYet(f"{self.name}: {what} is a sum of n + 1 terms. Pass an n with a value.")
        return np.arange(np.max(np.where(np.isfinite(last), last, 0.0)) + 1)


def log_with_zeros(log_p: sp.Expr, pi: sp.Expr) -> sp.Expr:
    """Log(π + (1 - π) P) of log P, by its distance from 1 where that is small, and without overflow."""
    less = (1 - pi) * expm1(log_p)
    near = log1p(pi * expm1(capped(-log_p))) + log_p
    far = logaddexp(times_log(sp.S.One, pi), times_log1p(sp.S.One, -pi) + log_p)
    return sp.Piecewise((log1p(less), less > -sp.Rational(1, 2)), (near, -log_p < 700), (far, True))


def _inflated_information(mu: sp.Expr, pi: sp.Expr) -> dict[tuple[str, str], sp.Expr]:
    """Of μ and π, with the part (1 - π) exp(-μ)/P(0) of the zeros that are Poisson's, divided by 1 - π."""
    part = 1 / (1 + pi * expm1(capped(mu)))
    return {
        ("mu", "mu"): (1 - pi) * (1 / mu - pi * part),
        ("mu", "pi"): -part,
        ("pi", "pi"): -expm1(-mu) / ((1 - pi) * (pi + (1 - pi) * exp(-mu))),
    }


betabinom = Compound(
    "betabinom",
    "The beta-binomial distribution: log P(k) = log C(n, k) + log B(k + a, n - k + b) - log B(a, b).",
    "n a b",
    density=lambda k, s, n, a, b: _log_choices(k, a) + _log_choices(n - k, b) - _log_choices(n, a + b),
    support=lambda n, a, b: (sp.S.Zero, n),
    valid=lambda n, a, b: _is_count(n) & (a > 0) & (b > 0),
    whole="n",
    mean=lambda n, a, b: n * a / (a + b),
    var=lambda n, a, b: n * standard(a, a + b) * standard(b, a + b) * standard(a + b + n, a + b + 1),
)
zero_inflated_poisson = Discrete(
    "zero_inflated_poisson",
    "0 with probability pi = π, else a Poisson number with mean mu = μ: P(0) = π + (1 - π) exp(-μ).",
    "mu pi",
    rounding=_ROUNDING,
    density=lambda k, s, mu, pi: sp.Piecewise(
        (log_with_zeros(-mu, pi), k < 1), (times_log1p(sp.S.One, -pi) + poisson.density(k, s, mu), True)
    ),
    support=_counts,
    valid=lambda mu, pi: (mu >= 0) & (mu <= _LARGEST) & _is_probability(pi),
    cdf=lambda k, mu, pi: pi + (1 - pi) * gammaincc(k + 1, mu),
    sf=lambda k, mu, pi: (1 - pi) * gammainc(k + 1, mu),
    logsf=lambda k, mu, pi: log1p(-pi) + log_gammainc(k + 1, mu),
    mean=lambda mu, pi: (1 - pi) * mu,
    var=lambda mu, pi: (1 - pi) * mu * (1 + pi * mu),
    information=_inflated_information,
)
