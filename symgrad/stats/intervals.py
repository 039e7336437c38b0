"""Estimates with their errors, tests with their p-values, and the table that shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError
from symgrad.stats.continuous import chi2, norm
from symgrad.support.arguments import shown

_WIDTH = 78


def check_level(level: Any) -> None:
    """Raise ArgumentError if a level of confidence is not between 0 and 1."""
    if not 0 < level < 1:
        raise ArgumentError(f"confint: level is {shown(level)}. Expected a number between 0 and 1, such as 0.95.")


def interval_of(value: Any, se: Any, level: float) -> Any:
    """The interval of a normal estimate, its ends along a last axis."""
    check_level(level)
    half = norm.ppf((1 + level) / 2).item() * np.asarray(se)
    return np.stack([value - half, value + half], -1)


@dataclass(frozen=True)
class Estimate:
    """A number or a vector with its covariance."""

    value: Any
    cov: Any

    @property
    def se(self) -> Any:
        """Return the standard errors."""
        return np.sqrt(np.diag(self.cov)) if np.ndim(self.cov) else float(np.sqrt(self.cov))

    def confint(self, level: float = 0.95) -> Any:
        """Return confidence intervals, with their ends along the last axis."""
        return interval_of(self.value, self.se, level)

    def __repr__(self) -> str:
        return f"Estimate(value={np.array2string(np.asarray(self.value))}, se={np.array2string(np.asarray(self.se))})"


@dataclass(frozen=True)
class Test:
    """A statistic that has a χ² distribution under the null hypothesis."""

    name: str
    statistic: float
    df: int

    @property
    def pvalue(self) -> float:
        """Return the p-value: the probability of a statistic that is at least as large."""
        return float(chi2.sf(max(self.statistic, 0.0), self.df).item())

    def __repr__(self) -> str:
        return f"{self.name} test: statistic = {self.statistic:.4f}, df = {self.df}, p = {self.pvalue:.4g}"


# ------------------------------------------------------------------ the table, as statsmodels lays it out
def summary(fit: Any, kind: str, level: float) -> str:
    """Return the table of a fit's estimates."""
    se = fit.se(kind)
    tail = 100 * (1 - level) / 2
    ends = f"[{tail / 100:g}", f"{1 - tail / 100:g}]"
    facts = [
        ("Log-Likelihood:", f"{fit.loglik:.5g}", "No. Observations:", f"{fit.nobs:d}"),
        ("AIC:", f"{fit.aic:.5g}", "BIC:", f"{fit.bic:.5g}"),
        ("Covariance Type:", kind, "No. Iterations:", f"{fit.steps:d}"),
    ]
    lines = ["Maximum Likelihood".center(_WIDTH), "=" * _WIDTH]
    lines += [f"{a:<18}{b:>20}  {c:<19}{d:>19}" for a, b, c, d in facts]
    head = ("coef", "std err", "z", "P>|z|", *ends)
    lines += ["=" * _WIDTH, " " * 18 + "".join(f"{h:>10}" for h in head), "-" * _WIDTH]
    for name, value, error, p, (low, high) in zip(
        fit.names, fit.vector, se, fit.pvalues(kind), fit.confint(level, kind=kind), strict=True
    ):
        cells = [_number(value, 4), _number(error, 3), _number(value / error, 3), f"{p:.3f}"]
        lines.append(f"{name:<18}" + "".join(f"{c:>10}" for c in [*cells, _number(low, 3), _number(high, 3)]))
    return "\n".join([*lines, "=" * _WIDTH])


def _number(value: float, digits: int) -> str:
    """A number with the given number of decimals, or of significant digits if it is large or small."""
    return f"{value:.{digits}g}" if abs(value) >= 1e4 or abs(value) < 1e-4 else f"{value:.{digits}f}"
