"""The posteriors of posteriordb as NumPyro's users write them: functions of the data, in JAX, in float64.

Parameters are sampled in the order of symgrad's models, so that their unconstrained numbers are the same vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
from jax.experimental.ode import odeint
from numpyro import distributions as dist
from numpyro.distributions import constraints
from numpyro.infer.initialization import init_to_uniform
from numpyro.infer.reparam import LocScaleReparam
from numpyro.infer.util import potential_energy

from problems.posteriors import KAPPA, TOLERANCES

sample = numpyro.sample


def _flat(support: Any, *shape: int) -> Any:
    return dist.ImproperUniform(support, (), shape)


def _decentred(name: str, loc: Any, scale: Any, count: int) -> Any:
    """An effect of each group in noncentred form."""
    with numpyro.handlers.reparam(config={name: LocScaleReparam(0)}), numpyro.plate(f"{name}s", count):
        return sample(name, dist.Normal(loc, scale))


def eight_schools(y: Any, sigma: Any) -> None:
    """Rubin's eight schools."""
    mu, tau = sample("mu", dist.Normal(0, 5)), sample("tau", dist.HalfCauchy(5))
    sample("y", dist.Normal(_decentred("theta", mu, tau, 8), sigma), obs=y)


def flat_regression(X: Any, y: Any) -> None:
    """A linear regression with flat priors."""
    beta, sigma = sample("beta", _flat(constraints.real, X.shape[1])), sample("sigma", _flat(constraints.positive))
    sample("y", dist.Normal(X @ beta, sigma), obs=y)


def regression(X: Any, y: Any) -> None:
    """The same, with a prior of the noise."""
    beta, sigma = sample("beta", _flat(constraints.real, X.shape[1])), sample("sigma", dist.HalfCauchy(2.5))
    sample("y", dist.Normal(X @ beta, sigma), obs=y)


def logistic(X: Any, y: Any) -> None:
    """A logistic regression."""
    sample("y", dist.Bernoulli(logits=X @ sample("beta", _flat(constraints.real, 2))), obs=y)


def radon(uranium: Any, county: Any, floor: Any, y: Any) -> None:
    """Varying intercepts of counties."""
    spread, sigma = sample("sigma_alpha", dist.HalfNormal()), sample("sigma", dist.HalfNormal())
    mu, beta = sample("mu", dist.Normal(0, 10)), sample("beta", dist.Normal(0, 10).expand([2]).to_event(1))
    alpha = _decentred("alpha", mu, spread, len(uranium))
    sample("y", dist.Normal((alpha + beta[0] * uranium)[county] + beta[1] * floor, sigma), obs=y)


def autoregression(X: Any, y: Any) -> None:
    """An autoregression of order 5."""
    alpha, beta = sample("alpha", dist.Normal(0, 10)), sample("beta", dist.Normal(0, 10).expand([5]).to_event(1))
    sample("y", dist.Normal(alpha + X @ beta, sample("sigma", dist.HalfCauchy(2.5))), obs=y)


def garch(y: Any) -> None:
    """Volatility that depends on that of the day before."""
    mu, a0 = sample("mu", _flat(constraints.real)), sample("alpha0", _flat(constraints.positive))
    a1 = sample("alpha1", _flat(constraints.interval(0.0, 1.0)))
    b1 = sample("beta1", _flat(constraints.interval(0.0, 1.0 - a1)))

    def step(variance: Any, y: Any) -> Any:
        variance = a0 + a1 * (y - mu) ** 2 + b1 * variance
        return variance, variance

    variances = jax.lax.scan(step, 0.25 + 0 * mu, y[:-1])[1]
    sample("first", dist.Normal(mu, 0.5), obs=y[0])
    sample("y", dist.Normal(mu, jnp.sqrt(variances)), obs=y[1:])


def one_compartment(t: Any, y: Any) -> None:
    """Elimination with Michaelis and Menten's kinetics."""
    k_a, k_m, v_m, sigma = (sample(name, dist.HalfCauchy(1)) for name in ("k_a", "K_m", "V_m", "sigma"))

    def right(y: Any, t: Any, k_a: Any, k_m: Any, v_m: Any) -> Any:
        return 15.0 * k_a * jnp.exp(-k_a * t) - v_m / 2 * y / (k_m + y)

    path = odeint(right, jnp.zeros(1), np.concatenate([[0.0], t]), k_a, k_m, v_m, **TOLERANCES)
    sample("y", dist.LogNormal(jnp.log(path[1:, 0]), sigma), obs=y)


def sir(t: Any, cases: Any, bacteria: Any, **_: Any) -> None:
    """Cholera: susceptible, infected, recovered, and bacteria in the water."""
    scales = {"beta": 2.5, "gamma": 1.0, "xi": 25.0, "delta": 1.0}
    p = jnp.stack([sample(name, dist.HalfCauchy(scale)) for name, scale in scales.items()])

    def right(y: Any, t: Any, p: Any) -> Any:
        infections = p[0] * y[3] / (y[3] + KAPPA) * y[0]
        return jnp.stack([-infections, infections - p[1] * y[1], p[1] * y[1], p[2] * y[1] - p[3] * y[3]])

    start = jnp.array([10_000.0, 0.0, 0.0, 10_000.0])
    path = odeint(right, start, np.concatenate([[0.0], t]), p, **TOLERANCES)
    sample("cases", dist.Poisson(path[:-1, 0] - path[1:, 0]), obs=cases)
    sample("bacteria", dist.LogNormal(jnp.log(path[1:, 3]), 0.15), obs=bacteria)


MODELS: dict[str, Callable[..., None]] = {
    "eight schools": eight_schools, "kidiq": regression, "mesquite": flat_regression, "nes": flat_regression,
    "logistic": logistic, "radon": radon, "arK": autoregression, "garch": garch, "one compartment": one_compartment,
    "sir": sir,
}  # fmt: skip


def log_density(name: str, data: dict[str, Any]) -> Callable[[Any], Any]:
    """Return log p of the unconstrained vector, by NumPyro's ``potential_energy``."""
    model = MODELS[name]
    started = numpyro.handlers.substitute(numpyro.handlers.seed(model, 0), substitute_fn=init_to_uniform)
    trace = numpyro.handlers.trace(started).get_trace(**data)
    sites = {n: s["value"] for n, s in trace.items() if s["type"] == "sample" and not s["is_observed"]}
    ends = np.cumsum([value.size for value in sites.values()])

    def of(v: Any) -> Any:
        parts = [v[end - s.size : end].reshape(s.shape) for end, s in zip(ends, sites.values(), strict=True)]
        named = dict(zip(sites, parts, strict=True))
        return -potential_energy(model, (), data, named)

    return of
