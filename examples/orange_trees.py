"""Growth of five orange trees: a differential equation with an effect of each tree, fitted by maximum likelihood.

A tree's circumference is (A + aᵢ) u(t), where u' = u (1 - u)/s passes ½ at the age h, and aᵢ ~ norm(0, τ) differs from
tree to tree. The aᵢ are integrated out: a tree's measurements are normal with the covariance τ² u uᵀ + σ² I. (The
joint density of τ and the aᵢ has no peak near the estimate of τ.) `odeint` is differentiated inside the likelihood. The
estimates are those of lme4's `nlmer`, and the intervals come from the profile of the likelihood.
Data: circumferences in mm at ages in days (Draper and Smith 1981), R's data set `Orange`.
Run: pip install ".[examples]" && python examples/orange_trees.py, or with a picture: … orange_trees.py trees.png
"""

import importlib
import sys

import numpy as np

import symgrad as sg

AGES = np.array([118.0, 484, 664, 1004, 1231, 1372, 1582])
TREES = np.array([
    [30.0, 58, 87, 115, 120, 142, 145], [33.0, 69, 111, 156, 172, 203, 203], [30.0, 51, 75, 108, 115, 139, 140],
    [32.0, 62, 112, 167, 179, 209, 214], [30.0, 49, 81, 125, 142, 174, 177],
])  # fmt: skip
START = {"A": 200.0, "h": 725.0, "s": 350.0, "tau": 30.0, "sigma": 8.0}
NLMER, NLMER_LOGLIK = {"A": 192.05, "h": 727.9, "s": 348.07, "tau": 31.65, "sigma": 7.84}, -131.5719


def growth(h, s, ages):
    """Return u at ages after day 0, where the equation starts."""
    start = sg.stack([1 / (1 + sg.exp(h / s))])
    times = np.concatenate([[0.0], ages])
    return sg.odeint(lambda u, t, s: u * (1 - u) / s, start, times, s, rtol=1e-9, atol=1e-12)[1:, 0]


def log_likelihood(p):
    """Return the log-density of each tree, with its effect integrated out."""
    u = growth(p["h"], p["s"], AGES)
    covariance = p["tau"] ** 2 * u[:, None] * u + p["sigma"] ** 2 * np.eye(len(AGES))
    return sg.stats.multivariate_normal(p["A"] * u, covariance).logpdf(TREES)


def fit():
    """Return the maximum-likelihood fit."""
    positive = sg.stats.transforms.positive
    return sg.stats.fit(log_likelihood, START, constraints={"tau": positive, "sigma": positive})


def effects(p):
    """Return the expected aᵢ of the trees, given their measurements."""
    u = np.asarray(growth(p["h"], p["s"], AGES))
    return (TREES - p["A"] * u) @ u / (u @ u + (p["sigma"] / p["tau"]) ** 2)


def draw(axes, p):
    """Draw the measurements as dots, and each tree's curve through them."""
    days = np.linspace(1.0, 1600, 80)
    u = np.asarray(growth(p["h"], p["s"], days))
    for measured, effect in zip(TREES, effects(p), strict=True):
        (dots,) = axes.plot(AGES, measured, "o", markersize=4)
        axes.plot(days, (p["A"] + effect) * u, color=dots.get_color())
    axes.set(title="Circumferences of five orange trees in mm", xlabel="age in days")


def main():
    """Fit, compare with nlmer, and print intervals and effects."""
    result = fit()
    print(result)
    p = {name: float(value) for name, value in result.params.items()}
    assert all(abs(p[name] - NLMER[name]) < 0.01 for name in NLMER), p
    assert abs(result.loglik - NLMER_LOGLIK) < 1e-4
    for name, (low, high) in zip(p, result.confint(method="profile"), strict=True):
        print(f"{name:6} {p[name]:7.2f}, 95 % profile interval {low:7.2f} to {high:7.2f}")
    print("effects of the trees in mm:", *(f"{effect:.1f}" for effect in effects(p)))
    if len(sys.argv) > 1:
        figure, axes = importlib.import_module("matplotlib.pyplot").subplots(layout="constrained")
        draw(axes, p)
        figure.savefig(sys.argv[1])


if __name__ == "__main__":
    main()
