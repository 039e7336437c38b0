"""Posteriors of posteriordb (Magnusson et al. 2021): symgrad's models, and their densities as plain formulas.

``log_density`` of each is the density of the unconstrained vector in a library's names, ``m``: ``numpy``'s or
``jax.numpy``'s functions, ``scan`` and ``odeint``. It knows nothing of symgrad, so that it can be compared.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import gammaln

import symgrad as sg
from symgrad import stats
from symgrad.stats import transforms

DATA = json.loads(Path(__file__).with_name("posteriordb.json").read_text("utf-8"))
TOLERANCES = {"rtol": 1e-8, "atol": 1e-10}
KAPPA = 1e6  # bacteria at which half the contacts infect


@dataclass(frozen=True)
class Posterior:
    """A model of posteriordb.

    Attributes:
        data: what is observed, by name.
        model: the data to a ``Model``.
        log_density: (names, data, unconstrained vector) to log p.
        means: those of posteriordb's reference draws, where it has any.
        near: where densities are compared, up to random numbers below ½; 0 unless the density underflows there.
        rtol: of the comparison of log-densities; of gradients a hundred times that.
    """

    data: dict[str, Any]
    model: Callable[[dict[str, Any]], Any]
    log_density: Callable[[Any, dict[str, Any], Any], Any]
    means: dict[str, Any] = field(default_factory=dict)
    near: Any = 0.0
    rtol: float = 1e-12

    def point(self, size: int) -> Any:
        """An unconstrained vector."""
        return self.near + np.random.default_rng(3).uniform(-0.5, 0.5, size)


def _table(name: str) -> dict[str, Any]:
    return {k: np.array(v, np.int64 if k == "county" else float) for k, v in DATA[name].items()}


# ------------------------------------------------------------------ densities
def _normal(m: Any, x: Any, loc: Any, scale: Any) -> Any:
    return (-(((x - loc) / scale) ** 2) / 2 - m.log(scale) + 0 * loc - math.log(2 * math.pi) / 2).sum()


def _half_normal(m: Any, x: Any) -> Any:
    return math.log(2 / math.pi) / 2 - x**2 / 2


def _half_cauchy(m: Any, x: Any, scale: float) -> Any:
    return math.log(2 / math.pi / scale) - m.log(1 + (x / scale) ** 2)


def _log_normal(m: Any, x: Any, median: Any, scale: Any) -> Any:
    return _normal(m, np.log(x), m.log(median), scale) - np.log(x).sum()


# ------------------------------------------------------------------ eight schools
SCHOOLS = {
    "y": np.array([28.0, 8, -3, 7, -1, 1, 18, 12]),
    "sigma": np.array([15.0, 10, 16, 11, 9, 11, 10, 18]),
}


def _eight_schools(data: dict[str, Any]) -> Any:
    priors = {
        "mu": stats.norm(0.0, 5.0),
        "tau": stats.halfcauchy(scale=5.0),
        "theta": lambda mu, tau: stats.norm(mu, tau),
    }
    return stats.model(
        priors, lambda theta, sigma: {"y": stats.norm(theta, sigma)}, data, shapes={"theta": 8},
        constraints={"theta": lambda mu, tau: transforms.affine(mu, tau)},
    )  # fmt: skip


def _eight_schools_density(m: Any, data: dict[str, Any], v: Any) -> Any:
    mu, tau, z = v[0], m.exp(v[1]), v[2:]
    total = _normal(m, mu, 0.0, 5.0) + _half_cauchy(m, tau, 5.0) + v[1] + _normal(m, z, 0.0, 1.0)
    return total + _normal(m, data["y"], mu + tau * z, data["sigma"])


# ------------------------------------------------------------------ regressions
def _design(*columns: Any) -> Any:
    return np.stack([np.ones_like(columns[0]), *columns], -1)


def _kidiq() -> dict[str, Any]:
    t = _table("kidiq")
    return {"X": _design(t["iq"]), "y": t["y"]}


def _mesquite() -> dict[str, Any]:
    t = _table("mesquite")
    volume = t["diam1"] * t["diam2"] * t["canopy_height"]
    return {"X": _design(np.log(volume)), "y": np.log(t["weight"])}


def _nes() -> dict[str, Any]:
    t = _table("nes")
    ages = [(t["age_discrete"] == k).astype(float) for k in (2, 3, 4)]
    return {
        "X": _design(t["real_ideo"], t["race_adj"], *ages, t["educ1"], t["gender"], t["income"]),
        "y": t["partyid7"],
    }


def _regression(sigma: Any) -> Callable[[dict[str, Any]], Any]:
    """A linear regression with a flat prior on its coefficients."""

    def model(data: dict[str, Any]) -> Any:
        return stats.model(
            {"beta": transforms.real, "sigma": sigma}, lambda beta, sigma, X: {"y": stats.norm(X @ beta, sigma)}, data,
            shapes={"beta": data["X"].shape[1]},
        )  # fmt: skip

    return model


def _flat_regression_density(m: Any, data: dict[str, Any], v: Any) -> Any:
    return _normal(m, data["y"], data["X"] @ v[:-1], m.exp(v[-1])) + v[-1]


def _regression_density(m: Any, data: dict[str, Any], v: Any) -> Any:
    return _flat_regression_density(m, data, v) + _half_cauchy(m, m.exp(v[-1]), 2.5)


def _logistic(data: dict[str, Any]) -> Any:
    return stats.model(
        {"beta": transforms.real}, lambda beta, X: {"y": stats.bernoulli(logits=X @ beta)}, data, shapes={"beta": 2}
    )


def _logistic_density(m: Any, data: dict[str, Any], v: Any) -> Any:
    s = data["X"] @ v
    return (data["y"] * s - m.log(1 + m.exp(s))).sum()


def _radon(data: dict[str, Any]) -> Any:
    """Varying intercepts of counties, with a slope of uranium and one of the floor."""
    priors = {
        "sigma_alpha": stats.halfnorm(), "sigma": stats.halfnorm(), "mu": stats.norm(0.0, 10.0),
        "beta": stats.norm(0.0, 10.0), "alpha": lambda mu, sigma_alpha: stats.norm(mu, sigma_alpha),
    }  # fmt: skip

    def likelihood(alpha: Any, beta: Any, sigma: Any, county: Any, uranium: Any, floor: Any) -> Any:
        return {"y": stats.norm((alpha + beta[0] * uranium)[county] + beta[1] * floor, sigma)}

    return stats.model(
        priors, likelihood, data, shapes={"beta": 2, "alpha": len(data["uranium"])},
        constraints={"alpha": lambda mu, sigma_alpha: transforms.affine(mu, sigma_alpha)},
    )  # fmt: skip


def _radon_density(m: Any, data: dict[str, Any], v: Any) -> Any:
    spread, sigma, mu, beta, z = m.exp(v[0]), m.exp(v[1]), v[2], v[3:5], v[5:]
    total = _half_normal(m, spread) + v[0] + _half_normal(m, sigma) + v[1] + _normal(m, mu, 0.0, 10.0)
    total = total + _normal(m, beta, 0.0, 10.0) + _normal(m, z, 0.0, 1.0)
    counties = mu + spread * z + beta[0] * data["uranium"]
    return total + _normal(m, data["y"], counties[data["county"]] + beta[1] * data["floor"], sigma)


# ------------------------------------------------------------------ time series
def _autoregression_data() -> dict[str, Any]:
    y = _table("arK")["y"]
    return {"X": np.stack([y[4 - k : -1 - k] for k in range(5)], -1), "y": y[5:]}


def _autoregression(data: dict[str, Any]) -> Any:
    priors = {"alpha": stats.norm(0.0, 10.0), "beta": stats.norm(0.0, 10.0), "sigma": stats.halfcauchy(scale=2.5)}
    return stats.model(
        priors, lambda alpha, beta, sigma, X: {"y": stats.norm(alpha + X @ beta, sigma)}, data, shapes={"beta": 5}
    )


def _autoregression_density(m: Any, data: dict[str, Any], v: Any) -> Any:
    sigma = m.exp(v[6])
    total = _normal(m, v[:6], 0.0, 10.0) + _half_cauchy(m, sigma, 2.5) + v[6]
    return total + _normal(m, data["y"], v[0] + data["X"] @ v[1:6], sigma)


def _variances(scan: Any, y: Any, mu: Any, a0: Any, a1: Any, b1: Any) -> Any:
    """σ² of all but the first day, whose σ is 0.5: each of the deviation and the variance of the day before."""

    def step(variance: Any, y: Any) -> Any:
        variance = a0 + a1 * (y - mu) ** 2 + b1 * variance
        return variance, variance

    return scan(step, 0.25 + 0 * mu, y[:-1])[1]


def _garch(data: dict[str, Any]) -> Any:
    priors = {
        "mu": transforms.real, "alpha0": transforms.positive, "alpha1": transforms.interval(0.0, 1.0),
        "beta1": lambda alpha1: transforms.interval(0.0, 1.0 - alpha1),
    }  # fmt: skip

    def likelihood(mu: Any, alpha0: Any, alpha1: Any, beta1: Any, y: Any) -> Any:
        scale = sg.sqrt(_variances(sg.scan, y, mu, alpha0, alpha1, beta1))
        return stats.norm.logpdf(y[0], mu, 0.5) + stats.norm.logpdf(y[1:], mu, scale).sum()

    return stats.model(priors, likelihood, data)


def _garch_density(m: Any, data: dict[str, Any], v: Any) -> Any:
    y, mu, a0 = data["y"], v[0], m.exp(v[1])
    a1, share = 1 / (1 + m.exp(-v[2])), 1 / (1 + m.exp(-v[3]))
    total = v[1] + m.log(a1 * (1 - a1)) + m.log((1 - a1) * share * (1 - share))
    scale = m.sqrt(_variances(m.scan, y, mu, a0, a1, (1 - a1) * share))
    return total + _normal(m, y[0], mu, 0.5) + _normal(m, y[1:], mu, scale)


# ------------------------------------------------------------------ differential equations
def _elimination(m: Any, y: Any, t: Any, p: Any) -> Any:
    """Concentration of 30 mg in 2 litres: absorbed at rate k_a, eliminated with Michaelis and Menten's kinetics."""
    return m.stack([15.0 * p[0] * m.exp(-p[0] * t) - p[2] / 2 * y[0] / (p[1] + y[0])])


def _one_compartment(data: dict[str, Any]) -> Any:
    times = np.concatenate([[0.0], data["t"]])

    def likelihood(k_a: Any, K_m: Any, V_m: Any, sigma: Any) -> Any:
        right = lambda y, t, p: _elimination(sg, y, t, p)
        path = sg.odeint(right, np.zeros(1), times, sg.stack([k_a, K_m, V_m]), **TOLERANCES)
        return {"y": stats.lognorm(sigma, scale=path[1:, 0])}

    priors = {name: stats.halfcauchy() for name in ("k_a", "K_m", "V_m", "sigma")}
    return stats.model(priors, likelihood, {"y": data["y"]})


def _one_compartment_density(m: Any, data: dict[str, Any], v: Any) -> Any:
    p, times = m.exp(v), np.concatenate([[0.0], data["t"]])
    path = m.odeint(lambda y, t, p: _elimination(m, y, t, p), np.zeros(1), times, p[:3], **TOLERANCES)
    total = (_half_cauchy(m, p, 1.0) + v).sum()
    return total + _log_normal(m, data["y"], path[1:, 0], p[3])


def _cholera(m: Any, y: Any, t: Any, p: Any) -> Any:
    """Susceptible, infected, recovered, and bacteria in the water; p = (β, γ, ξ, δ)."""
    infections = p[0] * y[3] / (y[3] + KAPPA) * y[0]
    return m.stack([-infections, infections - p[1] * y[1], p[1] * y[1], p[2] * y[1] - p[3] * y[3]])


_SCALES = {"beta": 2.5, "gamma": 1.0, "xi": 25.0, "delta": 1.0}
_START = np.array([10_000.0, 0.0, 0.0, 10_000.0])


def _sir(data: dict[str, Any]) -> Any:
    times = np.concatenate([[0.0], data["t"]])

    def likelihood(beta: Any, gamma: Any, xi: Any, delta: Any) -> Any:
        right = lambda y, t, p: _cholera(sg, y, t, p)
        path = sg.odeint(right, _START, times, sg.stack([beta, gamma, xi, delta]), **TOLERANCES)
        return {
            "cases": stats.poisson(path[:-1, 0] - path[1:, 0]),
            "bacteria": stats.lognorm(0.15, scale=path[1:, 3]),
        }

    priors = {name: stats.halfcauchy(scale=scale) for name, scale in _SCALES.items()}
    return stats.model(priors, likelihood, {k: data[k] for k in ("cases", "bacteria")})


def _sir_density(m: Any, data: dict[str, Any], v: Any) -> Any:
    p, times = m.exp(v), np.concatenate([[0.0], data["t"]])
    path = m.odeint(lambda y, t, p: _cholera(m, y, t, p), _START, times, p, **TOLERANCES)
    total = sum(_half_cauchy(m, p[k], scale) + v[k] for k, scale in enumerate(_SCALES.values()))
    rate, cases = path[:-1, 0] - path[1:, 0], data["cases"]
    total = total + (cases * m.log(rate) - rate - gammaln(cases + 1)).sum()
    return total + _log_normal(m, data["bacteria"], path[1:, 3], 0.15 + 0 * p[0])


def _logistic_data() -> dict[str, Any]:
    t = _table("logistic")
    return {"X": _design(t["income"]), "y": t["y"]}


POSTERIORS = {
    "eight schools": Posterior(
        SCHOOLS, _eight_schools, _eight_schools_density, {"mu": 4.41051833695493, "tau": 3.60205952364059}
    ),
    "kidiq": Posterior(
        _kidiq(), _regression(stats.halfcauchy(scale=2.5)), _regression_density,
        {"beta": [25.9165315719362, 0.608628437090334], "sigma": 18.2758483814245},
    ),
    "mesquite": Posterior(
        _mesquite(), _regression(transforms.positive), _flat_regression_density,
        {"beta": [5.17084758450824, 0.722008519434549], "sigma": 0.426670305955934},
    ),
    "nes": Posterior(
        _nes(), _regression(transforms.positive), _flat_regression_density,
        {
            "beta": [
                1.77435261489409, 0.483946432600175, -1.10652519487959, -0.188440611125759, -0.0483393625975094,
                0.515425534282415, 0.297218300528558, -0.00559509855755233, 0.160726816507293,
            ],
            "sigma": 1.88225432551779,
        },
    ),
    "logistic": Posterior(_logistic_data(), _logistic, _logistic_density),
    "radon": Posterior(_table("radon"), _radon, _radon_density),
    "arK": Posterior(
        _autoregression_data(), _autoregression, _autoregression_density,
        {
            "alpha": -0.000718650251261263,
            "beta": [0.692163279812727, 0.439043080115602, 0.105816025140126, -0.0354350382459401, -0.301512065609031],
            "sigma": 0.150566659032913,
        },
    ),
    "garch": Posterior(
        _table("garch"), _garch, _garch_density,
        {"mu": 5.05001794660039, "alpha0": 1.47075973803898, "alpha1": 0.567284282813872, "beta1": 0.293024546082117},
    ),
    "one compartment": Posterior(
        _table("one_comp"), _one_compartment, _one_compartment_density,
        {"k_a": 0.761013422876304, "K_m": 2.53728053955015, "V_m": 0.981820806365048, "sigma": 0.128834841818538},
        rtol=1e-7,
    ),
    "sir": Posterior(_table("sir"), _sir, _sir_density, near=np.log([0.5, 0.15, 10.0, 0.3]), rtol=1e-7),
}  # fmt: skip
