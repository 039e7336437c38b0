"""Survival analysis with censoring: how long remissions of leukaemia last with and without a drug.

For patients who were still in remission when the trial ended, only P(T > t) is known: `censored` adds that to the
likelihood. Weibull's accelerated failure time model is fitted by `sg.stats.fit`, and compared with R's `survreg`.
Data: weeks of remission of 42 children, half of whom received 6-mercaptopurine (Freireich et al. 1963).
Run: pip install ".[examples]" && python examples/survival.py, or with a picture: … survival.py remissions.png
"""

import importlib
import sys

import numpy as np

import symgrad as sg

DRUG = np.array([6.0, 6, 6, 7, 10, 13, 16, 22, 23, 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35])  # last 12: at least
PLACEBO = np.array([1.0, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23])
WEEKS = np.concatenate([DRUG, PLACEBO])
TREATED = np.arange(42) < 21
ENDS = np.where((np.arange(42) >= 9) & TREATED, WEEKS, np.inf)  # where observation ended
SURVREG = {"intercept": (2.248, None), "drug": (1.267, 0.311), "log σ": (-0.312, 0.147)}  # and its standard errors
SURVREG_LOGLIK = -106.6


def lifetimes(params, treated):
    """Return the distribution of the weeks: log T = intercept + drug·treated + σ ε, with Gumbel's ε."""
    return sg.stats.weibull_min(sg.exp(-params[2]), scale=sg.exp(params[0] + params[1] * treated))


def log_likelihood(params):
    """Return the patients' terms: a density, or for those whose observation ended, a probability."""
    return sg.stats.censored(lifetimes(params, TREATED.astype(float)), high=ENDS).logpdf(WEEKS)


def fit():
    """Return the fit of intercept, effect of the drug, and log σ."""
    return sg.stats.fit(log_likelihood, np.array([2.0, 0.0, 0.0]), names=list(SURVREG))


def kaplan_meier(weeks, ended):
    """Return times, and the share still in remission after each, without any model."""
    times = np.unique(weeks[~ended])
    hazards = [((weeks == t) & ~ended).sum() / (weeks >= t).sum() for t in times]
    return np.concatenate([[0.0], times]), np.concatenate([[1.0], np.cumprod(1 - np.array(hazards))])


def draw(axes, params):
    """Draw the shares in remission as steps, and the fitted curves through them."""
    weeks = np.linspace(0.01, 36, 200)
    for label, mask, treated in (("6-mercaptopurine", TREATED, 1.0), ("placebo", ~TREATED, 0.0)):
        (line,) = axes.plot(weeks, lifetimes(params, treated).sf(weeks).numpy(), label=label)
        axes.step(*kaplan_meier(WEEKS[mask], np.isfinite(ENDS[mask])), where="post", color=line.get_color(), alpha=0.6)
    axes.set(title="Share in remission", xlabel="weeks")
    axes.legend()


def main():
    """Fit, compare, and say by how much remissions are longer."""
    result = fit()
    print(result)
    errors = result.se()
    for k, (name, (estimate, error)) in enumerate(SURVREG.items()):
        assert abs(result.params[k] - estimate) < 1e-3, name
        assert error is None or abs(errors[k] - error) < 1e-3, name
    assert abs(result.loglik - SURVREG_LOGLIK) < 0.05
    factor = sg.stats.delta(lambda p: sg.exp(p[1]), result.params, result.cov())
    print(f"With the drug, remissions last {float(factor.value):.2f} times as long, ± {float(factor.se):.2f}.")
    if len(sys.argv) > 1:
        figure, axes = importlib.import_module("matplotlib.pyplot").subplots(layout="constrained")
        draw(axes, result.params)
        figure.savefig(sys.argv[1])


if __name__ == "__main__":
    main()
