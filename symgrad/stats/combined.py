"""Distributions composed of others: mixtures, and truncated, censored and zero-inflated distributions.

Components are distributions with their parameters, such as ``norm(0, 1)``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import tensor_value
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, NotYet
from symgrad.functions import exp, floor, log, log1p, log_softmax, logsumexp, maximum, minimum, sqrt, stack, where
from symgrad.ops.map import Map, broadcast_shapes
from symgrad.scalars import X
from symgrad.scalars.densities import checked
from symgrad.solvers.quadrature import quad
from symgrad.stats.continuous import norm
from symgrad.stats.discrete import log_with_zeros
from symgrad.stats.distribution import Continuous
from symgrad.stats.frozen import Frozen, is_discrete
from symgrad.stats.multivariate import LOG_REST, Density, of_probabilities
from symgrad.stats.sampling import between, drawn_by, generator_of, sizes, value_of
from symgrad.stats.skewed import truncnorm
from symgrad.support.arguments import shown

_NARROW = 1e-3  # part of a tail, in logarithms, below which the difference of two tails loses digits
_LEVELS = (1e-6, 0.1, 0.5, 0.9, 1 - 1e-6)  # of quantiles that show where the mass lies
_MOST = 1_000_000  # integers in a sum
_NODES, _WEIGHTS = ((v + w) / 2 for v, w in zip(np.polynomial.legendre.leggauss(12), (1.0, 0.0), strict=True))


class Combined(Density):
    """A family whose parameters are distributions; ``pdf`` and ``pmf`` are the same, of the kind that these have."""

    made_of = "distribution"  # the parameter that has this kind

    def logpmf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return log P(x) of integers; the same as ``logpdf``."""
        return self.logpdf(x, *args, **kwargs)

    def pmf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the probability P(x) of integers; the same as ``pdf``."""
        return self.pdf(x, *args, **kwargs)

    def logcdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return log P(X ≤ x)."""
        raise NotImplementedError

    def logsf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return log P(X > x)."""
        raise NotImplementedError

    def cdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return P(X ≤ x)."""
        return exp(self.logcdf(x, *args, **kwargs))

    def sf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return P(X > x)."""
        return exp(self.logsf(x, *args, **kwargs))

    def var(self, *args: Any, **kwargs: Any) -> Any:
        """Return the variance E (X - E X)²."""
        raise NotImplementedError

    def std(self, *args: Any, **kwargs: Any) -> Any:
        """Return the standard deviation, the square root of the variance."""
        return sqrt(self.var(*args, **kwargs))

    def _frozen(self, distribution: Any) -> Frozen:
        if not isinstance(distribution, Frozen):
            raise ArgumentTypeError(
                f"{self.name}: got {shown(distribution)}. Expected a distribution with its parameters, as norm(0, 1)."
            )
        return distribution


def log_density(distribution: Frozen, x: Any) -> Any:
    """Return log p(x) of a distribution with its parameters, or log P(x) of integers."""
    return distribution.logpdf(x) if hasattr(distribution.dist, "logpdf") else distribution.logpmf(x)


class Mixture(Combined):
    """Mixtures: p(x) = Σ wₖ pₖ(x).

    Parameters: components, a list of distributions with their parameters; and weights, which are equal by default and
    must sum to 1, or logits, whose softmax gives the weights. Weights extend along the last axis.
    """

    name, made_of = "mixture", "components"

    def logpdf(self, x: Any, components: Any, weights: Any = None, *, logits: Any = None) -> Any:
        """Return log p(x), or log P(x) for a distribution of integers."""
        return self._mixed([log_density(c, x) for c in self._listed(components)], weights, logits)

    def logcdf(self, x: Any, components: Any, weights: Any = None, *, logits: Any = None) -> Any:
        """Return log P(X ≤ x)."""
        return self._mixed([c.logcdf(x) for c in self._listed(components)], weights, logits)

    def logsf(self, x: Any, components: Any, weights: Any = None, *, logits: Any = None) -> Any:
        """Return log P(X > x)."""
        return self._mixed([c.logsf(x) for c in self._listed(components)], weights, logits)

    def mean(self, components: Any, weights: Any = None, *, logits: Any = None) -> Any:
        """Return the mean E X = Σ wₖ mₖ."""
        components = self._listed(components)
        w = exp(self._log_weights(len(components), weights, logits))
        return (stack([c.mean() for c in components], -1) * w).sum(-1)

    def var(self, components: Any, weights: Any = None, *, logits: Any = None) -> Any:
        """Return Σ wₖ (vₖ + (mₖ - E X)²)."""
        components = self._listed(components)
        w = exp(self._log_weights(len(components), weights, logits))
        means = stack([c.mean() for c in components], -1)
        spread = means - (means * w).sum(-1, keepdim=True)
        return ((stack([c.var() for c in components], -1) + spread**2) * w).sum(-1)

    def rvs(
        self, components: Any, weights: Any = None, size: Any = None, random_state: Any = None, *, logits: Any = None
    ) -> Any:
        """Draw random numbers from components drawn by their weights; derivatives are those of the drawn component."""
        components, random_state = self._listed(components), generator_of(random_state)
        draws = [c.rvs(size=size, random_state=random_state) for c in components]
        w = np.exp(value_of(self._log_weights(len(components), weights, logits)))
        shape = broadcast_shapes(*[d.shape for d in draws], w.shape[:-1])
        u = value_of(drawn_by(random_state, between, shape))
        chosen = (u[..., None] > np.cumsum(w, -1)[..., :-1]).sum(-1)
        return sum((where(chosen == k, d, 0.0) for k, d in enumerate(draws[1:], 1)), where(chosen == 0, draws[0], 0.0))

    def support(self, components: Any, weights: Any = None, *, logits: Any = None) -> tuple[Any, Any]:
        """Return the lowest and the highest number of the components' supports."""
        low, high = zip(*[c.support() for c in self._listed(components)], strict=True)
        return _extreme(min, minimum, low), _extreme(max, maximum, high)

    def _listed(self, components: Any) -> list[Frozen]:
        if not isinstance(components, (list, tuple)) or not components:
            raise ArgumentTypeError(f"mixture: components is {shown(components)}. Expected a list of distributions.")
        checked = [self._frozen(c) for c in components]
        if len({is_discrete(c) for c in checked}) > 1:
            raise ArgumentError("mixture: some components have a density, others probabilities of integers.")
        return checked

    def _mixed(self, logs: Sequence[Any], weights: Any, logits: Any) -> Any:
        return logsumexp(stack(logs, -1) + self._log_weights(len(logs), weights, logits), -1)

    def _log_weights(self, count: int, weights: Any, logits: Any) -> Any:
        if weights is not None and logits is not None:
            raise ArgumentTypeError("mixture: got weights and logits. Pass one of them.")
        if weights is None and logits is None:
            return as_tensor(np.full(count, -math.log(count)))
        given = as_tensor(weights if logits is None else logits)
        if not given.ndim or given.shape[-1] != count:
            raise ArgumentError(f"mixture: got {count} components, and weights of shape {tuple(given.shape)}.")
        return of_probabilities(log(given), given) if logits is None else log_softmax(given, -1)


def _extreme(of_numbers: Any, of_tensors: Any, ends: Sequence[Any]) -> Any:
    if all(isinstance(e, float) for e in ends):
        return of_numbers(ends)
    total = ends[0]
    for end in ends[1:]:
        total = of_tensors(as_tensor(total), as_tensor(end))
    return total


class Truncated(Combined):
    """A distribution of numbers between low and high, both included: p(x)/P(low ≤ X ≤ high).

    Parameters: distribution, low = -∞, high = ∞.
    """

    name = "truncated"

    def logpdf(self, x: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return log p(x), or log P(x) for a distribution of integers; -∞ beyond the bounds."""
        base, x = self._frozen(distribution), as_tensor(x)
        inside = (x >= low) & (x <= high)
        value = where(inside, log_density(base, x) - _log_between(base, low, high), -math.inf)
        return _ordered(low, high, value)

    def logcdf(self, x: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return log P(X ≤ x)."""
        base, x = self._frozen(distribution), as_tensor(x)
        below = _log_between(base, low, where(x < low, low, x)) - _log_between(base, low, high)
        return _ordered(low, high, where(x < low, -math.inf, where(x >= high, 0.0, below)))

    def logsf(self, x: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return log P(X > x)."""
        base, x = self._frozen(distribution), as_tensor(x)
        first = floor(x) + 1 if is_discrete(base) else x
        above = _log_between(base, where(first > high, high, first), high) - _log_between(base, low, high)
        return _ordered(low, high, where(x < low, 0.0, where(x >= high, -math.inf, above)))

    def ppf(self, q: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return the number x with P(X ≤ x) = q; for integers, the smallest with at least q."""
        base, q = self._frozen(distribution), as_tensor(q)
        first, last = _tails(base, low, high)
        is_upper = value_of(first[1]) < value_of(first[0])  # low is above the median
        lower = where(is_upper, 0.5, first[0] + q * (last[0] - first[0]))
        upper = where(is_upper, first[1] - q * (first[1] - last[1]), 0.5)
        return _ordered(low, high, where(is_upper, base.isf(upper), base.ppf(lower)))

    def rvs(
        self, distribution: Any, low: Any = -math.inf, high: Any = math.inf, size: Any = None, random_state: Any = None
    ) -> Any:
        """Draw random numbers F⁻¹(u), with derivatives with respect to the parameters and the bounds."""
        first, last = _tails(self._frozen(distribution), low, high)
        shape = broadcast_shapes(first[0].shape, last[0].shape) if size is None else np.empty(size).shape
        return self.ppf(drawn_by(random_state, between, shape), distribution, low, high)

    def mean(self, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return the mean E X: of normal distributions a formula, else a sum, or an integral to ten digits."""
        if self._is_normal(distribution):
            return truncnorm.mean(*_of_truncnorm(distribution, low, high))
        return self._expected(lambda x: x, distribution, low, high)

    def var(self, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return the variance E (X - E X)², which is computed as the mean is."""
        if self._is_normal(distribution):
            return truncnorm.var(*_of_truncnorm(distribution, low, high))
        mean = self.mean(distribution, low, high)
        return self._expected(lambda x: (x - mean) ** 2, distribution, low, high)

    def median(self, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return the number x with P(X ≤ x) = 1/2; of integers, the least with at least 1/2."""
        return self.ppf(0.5, distribution, low, high)

    def _is_normal(self, distribution: Any) -> bool:
        return self._frozen(distribution).dist is norm

    def _expected(self, g: Any, base: Frozen, low: Any, high: Any) -> Any:
        """E g(X), by a sum over integers up to a tail of 1e-16, or by an integral."""
        levels = (1e-16, 0.5, 1 - 1e-16) if is_discrete(base) else _LEVELS
        tables = [np.stack([value_of(self.ppf(q, part, low, high)) for q in levels]) for part in _parts(base)]
        quantiles = np.stack(np.broadcast_arrays(*tables))
        if np.isnan(quantiles).any():
            raise ArgumentError(f"truncated: {base!r} has no probability between low and high. Pass wider bounds.")
        if is_discrete(base):
            k = _integers(quantiles).reshape(-1, *[1] * (quantiles.ndim - 2))
            return (g(k) * self.pmf(k, base, low, high)).sum(0)
        middle = quantiles[:, 2].mean(0)
        unit = quantiles[:, 3].max(0) - quantiles[:, 1].min(0)
        ends = [(e - middle) / unit for e in self.support(base, low, high)]
        points = [e for end in ends for e in as_tensor(end).reshape(-1) if np.isfinite(value_of(e))]
        limits = [f(value_of(e)).item() for f, e in zip((np.min, np.max), ends, strict=True)]
        if all(as_tensor(e).ndim == 0 for e in ends):
            points, limits = [], ends
        inner = [*map(as_tensor, np.unique((quantiles - middle) / unit))]  # tensors, as limits are that move

        def integrand(u: Any) -> Any:
            x = middle + unit * u
            return unit * g(x) * self.pdf(x, base, low, high)

        return quad(integrand, *limits, points=[*inner, *points])

    def support(self, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> tuple[Any, Any]:
        """Return the lowest and the highest number."""
        first, last = self._frozen(distribution).support()
        return _extreme(max, maximum, [_number(first), _number(low)]), _extreme(
            min, minimum, [_number(last), _number(high)]
        )


def _of_truncnorm(distribution: Frozen, low: Any, high: Any) -> tuple[Any, Any, Any, Any]:
    """The parameters of truncnorm for a normal distribution between bounds."""
    given = norm.named_parameters(distribution.args, distribution.kwds)
    loc, scale = as_tensor(given.get("loc", 0.0)), as_tensor(given.get("scale", 1.0))
    return (low - loc) / scale, (high - loc) / scale, loc, scale


def _parts(base: Frozen) -> list[Frozen]:
    """The distributions whose quantiles say where the mass of one lies."""
    if isinstance(base.dist, Censored):
        raise NotYet("truncated: moments of a censored distribution are not available. Take those of a sample.")
    if not isinstance(base.dist, (Mixture, ZeroInflated)):
        return [base]
    inner = base.args[0] if base.args else base.kwds[base.dist.made_of]
    return [part for d in (inner if isinstance(inner, Sequence) else [inner]) for part in _parts(d)]


def _integers(quantiles: Any) -> Any:
    """All from the least quantile to the largest, and 0."""
    first, last = quantiles.min(), quantiles.max()
    if last - first > _MOST:
        raise NotYet(
            f"truncated: the sum has {last - first:.3g} terms. Expected at most {_MOST}; take narrower bounds."
        )
    return np.union1d(np.arange(first, last + 1), [0.0])


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, (int, float)) else value


def _tails(base: Frozen, low: Any, high: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """P(X < low) and P(X ≥ low); P(X ≤ high) and P(X > high)."""
    zero, one = as_tensor(0.0), as_tensor(1.0)
    before = _before(base, low)
    first = (zero, one) if _is_infinite(low) else (base.cdf(before), base.sf(before))
    return first, (one, zero) if _is_infinite(high) else (base.cdf(high), base.sf(high))


def _before(base: Frozen, low: Any) -> Any:
    """The number up to which nothing is counted: low, or the integer below."""
    return -floor(-as_tensor(low)) - 1 if is_discrete(base) and not _is_infinite(low) else low


def _is_infinite(bound: Any) -> bool:
    return isinstance(bound, float) and math.isinf(bound)


def _log_between(base: Frozen, low: Any, high: Any) -> Any:
    """Return log P(low ≤ X ≤ high), by the tail of which the interval is a part."""
    before = _before(base, low)
    if _is_infinite(low):
        return as_tensor(0.0) if _is_infinite(high) else base.logcdf(high)
    if _is_infinite(high):
        return base.logsf(before)
    below, above = (base.logcdf(before), base.logcdf(high)), (base.logsf(before), base.logsf(high))
    is_upper = above[0] < below[0]
    outer, inner = where(is_upper, above[0], below[1]), where(is_upper, above[1], below[0])
    gap = where((outer == -math.inf) | (outer < inner), math.inf, outer - inner)
    is_narrow = None if is_discrete(base) else tensor_value(gap < _NARROW)
    if is_narrow is None or not np.any(is_narrow):
        return outer + LOG_REST(gap)
    integral, is_smooth = _log_integral(base, where(is_narrow, low, 0.0), where(is_narrow, high, 1.0))
    is_narrow = is_narrow & is_smooth
    return where(is_narrow, integral, outer + LOG_REST(where(is_narrow, 1.0, gap)))


def _log_integral(base: Frozen, low: Any, high: Any) -> tuple[Any, Any]:
    """Log of the density's integral by Gauss' rule, and whether the density is smooth enough for that.

    Each side of loc has a rule of its own, because Laplace's density has a kink there.
    """
    family = base.dist
    names = family.named_parameters(base.args, base.kwds) if isinstance(family, Continuous) else {}
    middle = minimum(maximum(as_tensor(names.get("loc", 0.0)), low), high)
    nodes, weights = (v.reshape(-1, *[1] * low.ndim) for v in (_NODES, _WEIGHTS))
    sides = [(low, middle - low), (middle, high - middle)]
    logs = [log_density(base, start + width * nodes) for start, width in sides]
    values = np.concatenate([value_of(v) for v in logs])
    most, least = values.max(0), values.min(0)
    is_smooth = (least > -math.inf) & (most < least + 1.0)
    masses = [
        (exp(where(is_smooth, v - np.where(is_smooth, most, 0.0), 0.0)) * weights).sum(0) * width
        for v, (_, width) in zip(logs, sides, strict=True)
    ]
    return log(masses[0] + masses[1]) + np.where(is_smooth, most, 0.0), is_smooth


def _ordered(low: Any, high: Any, value: Any) -> Any:
    """A value; nan where low is above high."""
    return value if _is_infinite(low) or _is_infinite(high) else where(as_tensor(low) <= high, value, math.nan)


class Censored(Combined):
    """Censored observations min(max(X, low), high): P(X ≤ low) at low, P(X ≥ high) at high, and the density between.

    Parameters: distribution, low = -∞, high = ∞, which may differ between observations.
    """

    name = "censored"

    def logpdf(self, x: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return log p(x) between the bounds, the log-probability of the tail at a bound, and -∞ outside."""
        base, x = self._frozen(distribution), as_tensor(x)
        value = log_density(base, x)
        if not _is_infinite(low):
            value = where(x == low, base.logcdf(low), where(x < low, -math.inf, value))
        if not _is_infinite(high):
            value = where(x == high, base.logsf(_before(base, high)), where(x > high, -math.inf, value))
        return value

    def logcdf(self, x: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return log P(X ≤ x)."""
        x = as_tensor(x)
        return where(x < low, -math.inf, where(x >= high, 0.0, self._frozen(distribution).logcdf(x)))

    def logsf(self, x: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return log P(X > x)."""
        x = as_tensor(x)
        return where(x < low, 0.0, where(x >= high, -math.inf, self._frozen(distribution).logsf(x)))

    def rvs(
        self, distribution: Any, low: Any = -math.inf, high: Any = math.inf, size: Any = None, random_state: Any = None
    ) -> Any:
        """Draw random numbers, clipped to the bounds."""
        return self._clipped(self._frozen(distribution).rvs(size=size, random_state=random_state), low, high)

    def mean(self, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return the mean E X: the bounds by the probability beyond them, and the mean between."""
        between, ends = self._parted(distribution, low, high)
        return between * truncated.mean(distribution, low, high) + sum(share * end for share, end in ends)

    def var(self, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return the variance E (X - E X)², composed as the mean is."""
        between, ends = self._parted(distribution, low, high)
        mean = self.mean(distribution, low, high)
        spread = truncated.var(distribution, low, high) + (truncated.mean(distribution, low, high) - mean) ** 2
        return between * spread + sum(share * (end - mean) ** 2 for share, end in ends)

    def ppf(self, q: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return the quantile of the distribution, clipped to the bounds."""
        return self._clipped(self._frozen(distribution).ppf(q), low, high)

    def median(self, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Return the median of the distribution, clipped to the bounds."""
        return self.ppf(0.5, distribution, low, high)

    def support(self, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> tuple[Any, Any]:
        """Return the lowest and the highest number."""
        return truncated.support(distribution, low, high)

    def _clipped(self, x: Any, low: Any, high: Any) -> Any:
        return minimum(maximum(x, low), high)

    def _parted(self, distribution: Any, low: Any, high: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        """The probability between the bounds, and for each that is finite the probability beyond it, and the bound."""
        base = self._frozen(distribution)
        first, last = _tails(base, low, high)
        ends = [(first[0], as_tensor(low)), (last[1], as_tensor(high))]
        return exp(_log_between(base, low, high)), [
            e for e, b in zip(ends, (low, high), strict=True) if not _is_infinite(b)
        ]


class ZeroInflated(Combined):
    """Zero-inflated counts: 0 with probability p, and otherwise an integer drawn from a distribution.

    P(0) = p + (1 - p) P₀(0), and P(k) = (1 - p) P₀(k) for every other k. Parameters: distribution, of integers, and p.
    """

    name = "zero_inflated"

    def logpdf(self, x: Any, distribution: Any, p: Any) -> Any:
        """Return log P(k) of integers; the same as ``logpmf``."""
        base, x, p = self._counts(distribution), as_tensor(x), _PROBABILITY(as_tensor(p))
        return _with_zeros(x == 0, log_density(base, x), p)

    def logcdf(self, x: Any, distribution: Any, p: Any) -> Any:
        """Return log P(X ≤ x)."""
        base, x, p = self._counts(distribution), as_tensor(x), _PROBABILITY(as_tensor(p))
        return _with_zeros(x >= 0, base.logcdf(x), p)

    def logsf(self, x: Any, distribution: Any, p: Any) -> Any:
        """Return log P(X > x)."""
        base, x, p = self._counts(distribution), as_tensor(x), _PROBABILITY(as_tensor(p))
        return _with_zeros(x < 0, base.logsf(x), p)

    def mean(self, distribution: Any, p: Any) -> Any:
        """Return the mean E X = (1 - p) m, with the mean m of the distribution."""
        return (1 - _PROBABILITY(as_tensor(p))) * self._counts(distribution).mean()

    def var(self, distribution: Any, p: Any) -> Any:
        """Return (1 - p) (v + p m²), with the mean m and the variance v of the distribution."""
        base, p = self._counts(distribution), _PROBABILITY(as_tensor(p))
        return (1 - p) * (base.var() + p * base.mean() ** 2)

    def rvs(self, distribution: Any, p: Any, size: Any = None, random_state: Any = None) -> Any:
        """Draw random integers, which have no derivative."""
        base, p = self._counts(distribution), value_of(_PROBABILITY(as_tensor(p)))
        shape, random_state = sizes(size, [log_density(base, 0.0), p]), generator_of(random_state)
        counts = base.rvs(size=shape, random_state=random_state)
        u = value_of(drawn_by(random_state, between, shape))
        return where(u < p, 0.0, where(p == p, counts, math.nan))

    def support(self, distribution: Any, p: Any) -> tuple[Any, Any]:
        """Return the lowest and the highest number, with 0 among them."""
        low, high = self._counts(distribution).support()
        return _extreme(min, minimum, [_number(low), 0.0]), _extreme(max, maximum, [_number(high), 0.0])

    def _counts(self, distribution: Any) -> Frozen:
        if not is_discrete(base := self._frozen(distribution)):
            raise ArgumentError(
                f"zero_inflated: {shown(distribution)} has a density. Expected a distribution of integers, such as "
                "nbinom(n, mu=mu)."
            )
        return base


_PROBABILITY = Map(lambda: checked(X[0], sp.Min(X[0], 1 - X[0])), 1, "Probability")
_LOG_WITH_ZEROS = Map(lambda: log_with_zeros(X[0], X[1]), 2, "LogWithZeros")


def _with_zeros(has_zero: Any, logs: Any, p: Any) -> Any:
    """Log of (1 - p) P, to which p is added where an event includes the additional zeros; logs is log P.

    Each logarithm is asked only where it is used: elsewhere its derivative may be infinite.
    """
    is_possible = logs != -math.inf  # or nan
    some, is_nought = where(is_possible, logs, -1.0), where(p == p, -math.inf, p)
    others = where(is_possible, log1p(-where(has_zero | ~is_possible, 0.0, p)) + some, is_nought)
    zeros = where(
        is_possible, _LOG_WITH_ZEROS(some, where(has_zero, p, 0.5)), log(where(is_possible | ~has_zero, 1.0, p))
    )
    return where(has_zero, zeros, others)


mixture, truncated, censored, zero_inflated = Mixture(), Truncated(), Censored(), ZeroInflated()
