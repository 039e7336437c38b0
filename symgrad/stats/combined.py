"""Distributions made of others: mixtures, and what is truncated or censored. Components are frozen: ``norm(0, 1)``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.functions import exp, floor, log, log_softmax, logsumexp, maximum, minimum, stack, where
from symgrad.ops.map import broadcast_shapes
from symgrad.stats.frozen import Frozen, is_discrete
from symgrad.stats.multivariate import LOG_REST, Multivariate
from symgrad.stats.sampling import between, drawn_by, generator_of, value_of
from symgrad.support.arguments import shown


class Combined(Multivariate):
    """A family whose parameters are distributions; ``pdf`` and ``pmf`` are the same, of the kind that these have."""

    made_of = "distribution"  # the parameter that has this kind

    def logpdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Log p(x), or log P(x) of integers."""
        raise NotImplementedError

    def pdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The density p(x), or the probability P(x) of integers."""
        return exp(self.logpdf(x, *args, **kwargs))

    def logpmf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Log P(x) of integers; the same as ``logpdf``."""
        return self.logpdf(x, *args, **kwargs)

    def pmf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability P(x) of integers; the same as ``pdf``."""
        return self.pdf(x, *args, **kwargs)

    def logcdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Log P(X ≤ x)."""
        raise NotImplementedError

    def logsf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Log P(X > x)."""
        raise NotImplementedError

    def cdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """P(X ≤ x)."""
        return exp(self.logcdf(x, *args, **kwargs))

    def sf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """P(X > x)."""
        return exp(self.logsf(x, *args, **kwargs))

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

    Parameters: components, a list of distributions with their parameters; weights, which are the same by default and
    have the sum 1, or logits, of which they are the softmax. Weights lie along a last axis.
    """

    name, made_of = "mixture", "components"

    def logpdf(self, x: Any, components: Any, weights: Any = None, *, logits: Any = None) -> Any:
        """Log p(x), or log P(x) of integers."""
        return self._mixed([log_density(c, x) for c in self._listed(components)], weights, logits)

    def logcdf(self, x: Any, components: Any, weights: Any = None, *, logits: Any = None) -> Any:
        """Log P(X ≤ x)."""
        return self._mixed([c.logcdf(x) for c in self._listed(components)], weights, logits)

    def logsf(self, x: Any, components: Any, weights: Any = None, *, logits: Any = None) -> Any:
        """Log P(X > x)."""
        return self._mixed([c.logsf(x) for c in self._listed(components)], weights, logits)

    def mean(self, components: Any, weights: Any = None, *, logits: Any = None) -> Any:
        """E X = Σ wₖ mₖ."""
        components = self._listed(components)
        w = exp(self._log_weights(len(components), weights, logits))
        return (stack([c.mean() for c in components], -1) * w).sum(-1)

    def var(self, components: Any, weights: Any = None, *, logits: Any = None) -> Any:
        """Σ wₖ (vₖ + (mₖ - E X)²)."""
        components = self._listed(components)
        w = exp(self._log_weights(len(components), weights, logits))
        means = stack([c.mean() for c in components], -1)
        spread = means - (means * w).sum(-1, keepdim=True)
        return ((stack([c.var() for c in components], -1) + spread**2) * w).sum(-1)

    def rvs(
        self, components: Any, weights: Any = None, size: Any = None, random_state: Any = None, *, logits: Any = None
    ) -> Any:
        """Random numbers of components drawn by their weights; derivatives are those of the drawn component alone."""
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
        logs = log(as_tensor(weights)) if logits is None else log_softmax(as_tensor(logits), -1)
        if not logs.ndim or logs.shape[-1] != count:
            raise ArgumentError(f"mixture: got {count} components, and weights of shape {tuple(logs.shape)}.")
        return logs


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
        """Log p(x), or log P(x) of integers; -∞ beyond the bounds."""
        base, x = self._frozen(distribution), as_tensor(x)
        inside = (x >= low) & (x <= high)
        return where(inside, log_density(base, x) - _log_between(base, low, high), -math.inf)

    def logcdf(self, x: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Log P(X ≤ x)."""
        base, x = self._frozen(distribution), as_tensor(x)
        below = _log_between(base, low, where(x < low, low, x)) - _log_between(base, low, high)
        return where(x < low, -math.inf, where(x >= high, 0.0, below))

    def logsf(self, x: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Log P(X > x)."""
        base, x = self._frozen(distribution), as_tensor(x)
        first = floor(x) + 1 if is_discrete(base) else x
        above = _log_between(base, where(first > high, high, first), high) - _log_between(base, low, high)
        return where(x < low, 0.0, where(x >= high, -math.inf, above))

    def ppf(self, q: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """The number x with P(X ≤ x) = q; of integers, the least with at least q."""
        base, q = self._frozen(distribution), as_tensor(q)
        first, last = _tails(base, low, high)
        is_upper = value_of(first[1]) < value_of(first[0])  # low is above the median
        lower = where(is_upper, 0.5, first[0] + q * (last[0] - first[0]))
        upper = where(is_upper, first[1] - q * (first[1] - last[1]), 0.5)
        return where(is_upper, base.isf(upper), base.ppf(lower))

    def rvs(
        self, distribution: Any, low: Any = -math.inf, high: Any = math.inf, size: Any = None, random_state: Any = None
    ) -> Any:
        """Random numbers F⁻¹(u), with derivatives with respect to the parameters and the bounds."""
        first, last = _tails(self._frozen(distribution), low, high)
        shape = broadcast_shapes(first[0].shape, last[0].shape) if size is None else np.empty(size).shape
        return self.ppf(drawn_by(random_state, between, shape), distribution, low, high)

    def support(self, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> tuple[Any, Any]:
        """Return the lowest and the highest number."""
        first, last = self._frozen(distribution).support()
        return _extreme(max, maximum, [_number(first), _number(low)]), _extreme(
            min, minimum, [_number(last), _number(high)]
        )


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
    """Log P(low ≤ X ≤ high), by the tail of which the interval is a part."""
    before = _before(base, low)
    if _is_infinite(low):
        return as_tensor(0.0) if _is_infinite(high) else base.logcdf(high)
    if _is_infinite(high):
        return base.logsf(before)
    below, above = (base.logcdf(before), base.logcdf(high)), (base.logsf(before), base.logsf(high))
    is_upper = above[0] < below[0]
    outer, inner = where(is_upper, above[0], below[1]), where(is_upper, above[1], below[0])
    return outer + LOG_REST(where(outer == -math.inf, math.inf, outer - inner))


class Censored(Combined):
    """What is seen of X as min(max(X, low), high): at low stands P(X ≤ low), at high P(X ≥ high), else the density.

    Parameters: distribution, low = -∞, high = ∞, which may differ from observation to observation.
    """

    name = "censored"

    def logpdf(self, x: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Log p(x) between the bounds, and the log probability of what lies beyond at them; -∞ outside."""
        base, x = self._frozen(distribution), as_tensor(x)
        value = log_density(base, x)
        if not _is_infinite(low):
            value = where(x == low, base.logcdf(low), where(x < low, -math.inf, value))
        if not _is_infinite(high):
            value = where(x == high, base.logsf(_before(base, high)), where(x > high, -math.inf, value))
        return value

    def logcdf(self, x: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Log P(X ≤ x)."""
        x = as_tensor(x)
        return where(x < low, -math.inf, where(x >= high, 0.0, self._frozen(distribution).logcdf(x)))

    def logsf(self, x: Any, distribution: Any, low: Any = -math.inf, high: Any = math.inf) -> Any:
        """Log P(X > x)."""
        x = as_tensor(x)
        return where(x < low, 0.0, where(x >= high, -math.inf, self._frozen(distribution).logsf(x)))

    def rvs(
        self, distribution: Any, low: Any = -math.inf, high: Any = math.inf, size: Any = None, random_state: Any = None
    ) -> Any:
        """Random numbers, cut at the bounds."""
        x = self._frozen(distribution).rvs(size=size, random_state=random_state)
        return minimum(maximum(x, low), high)


mixture, truncated, censored = Mixture(), Truncated(), Censored()
