"""Distribution functions of angles: the density of von Mises, integrated by Gauss' rule from its peak on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from symgrad.engine.record import as_tensor
from symgrad.functions import log, maximum, minimum, where
from symgrad.stats.distribution import Continuous
from symgrad.stats.sampling import together, values_of

_POINTS = 160  # they lie close to each other at the peak: enough for kappa up to 10⁶
_HALVINGS = 60
_FAR = 15.0  # times 1/√κ: beyond, nothing is left of a narrow density
_STEPS = 2  # of Newton's method, whose derivatives are those of the quantile up to the second order


@cache
def _rule() -> tuple[Any, Any]:
    """The points and weights of Gauss' rule between 0 and 1."""
    points, weights = np.polynomial.legendre.leggauss(_POINTS)
    return (points + 1) / 2, weights / 2


class Circular(Continuous):
    """A family of densities of an angle, even about 0; a full turn adds 1 to the distribution function, as SciPy's."""

    def cdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return P(X ≤ x), which continues to increase from turn to turn."""
        shapes, loc, scale = self._parted(args, kwargs)
        return self._standard_cdf((as_tensor(x) - loc) / scale, shapes)

    def sf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return 1 - P(X ≤ x)."""
        shapes, loc, scale = self._parted(args, kwargs)
        return self._standard_cdf((loc - as_tensor(x)) / scale, shapes)

    def logcdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return log P(X ≤ x)."""
        return log(self.cdf(x, *args, **kwargs))

    def logsf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return log (1 - P(X ≤ x))."""
        return log(self.sf(x, *args, **kwargs))

    def ppf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the angle x, within half a turn of loc, with P(X ≤ x) = q."""
        shapes, loc, scale = self._parted(args, kwargs)
        return loc + scale * self._standard_ppf(as_tensor(q), shapes)

    def isf(self, q: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the angle x, within half a turn of loc, with P(X > x) = q."""
        shapes, loc, scale = self._parted(args, kwargs)
        return loc - scale * self._standard_ppf(as_tensor(q), shapes)

    def median(self, *args: Any, **kwargs: Any) -> Any:
        """Return the median, loc."""
        return self.ppf(0.5, *args, **kwargs)

    def support(self, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
        """Return the ends of the turn around loc."""
        _, loc, scale = self._parted(args, kwargs)
        return loc - math.pi * scale, loc + math.pi * scale

    def _parted(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], Any, Any]:
        """Return the shapes, loc and scale, which is nan where it is not positive."""
        values = self.named_parameters(args, kwargs)
        scale = as_tensor(values.get("scale", 1.0))
        return [as_tensor(values[p]) for p in self.shapes], values.get("loc", 0.0), where(scale > 0, scale, math.nan)

    def _standard_cdf(self, z: Any, shapes: Sequence[Any]) -> Any:
        (at,) = values_of(z)
        endless = np.isinf(at)
        z = where(endless, 0.0, z) if endless.any() else z
        turns = np.round(np.where(endless, 0.0, at) / (2 * math.pi))
        points, weights = _rule()
        inside, far = z - 2 * math.pi * turns, np.minimum(math.pi, _FAR / np.sqrt(np.maximum(values_of(*shapes)[0], 1)))
        inside = maximum(minimum(inside, far), -far)
        density = self.pdf(inside[..., None] * points, *[s[..., None] for s in shapes])
        probability = turns + 0.5 + inside * (density * weights).sum(-1)
        return where(endless, np.where(at > 0, 1.0, 0.0), probability) if endless.any() else probability

    def _standard_ppf(self, q: Any, shapes: Sequence[Any]) -> Any:
        p, *fixed = together(q, *shapes)
        low, high = np.full(p.shape, -math.pi), np.full(p.shape, math.pi)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            below = self._standard_cdf(as_tensor(middle), [as_tensor(f) for f in fixed]).numpy() < p
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        inside = (p > 0) & (p < 1)
        x = as_tensor(np.where(inside, (low + high) / 2, 0.0))
        for _ in range(_STEPS):
            x = x - (self._standard_cdf(x, shapes) - q) / self.pdf(x, *shapes)
        return where(inside, x, np.where(p == 0, -np.inf, np.where(p == 1, np.inf, np.nan)))
