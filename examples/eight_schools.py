"""Rubin's eight schools: how much does coaching help, if what each school measured is mostly noise?

The effects of the schools are drawn from norm(μ, τ). Samplers explore the noncentred model θ = μ + τ z most easily. Its
mode is no summary of it, because z = 0 costs nothing however large τ is. So the effects are integrated out, and weights
correct Laplace's approximation of μ and τ. Both agree with the reference draws of posteriordb. The noncentred model is
sampled where nutpie and ArviZ are installed (the extra "bayes").
Run: pip install ".[examples]" && python examples/eight_schools.py
"""

import numpy as np

import symgrad as sg
from symgrad import stats
from symgrad.stats import transforms

DATA = {"y": np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), "sigma": np.array([15.0, 10, 16, 11, 9, 11, 10, 18])}
PRIORS = {"mu": stats.norm(0.0, 5.0), "tau": stats.halfcauchy(scale=5.0)}
REFERENCE = {"mu": 4.411, "tau": 3.602}  # posterior means in posteriordb, whose errors are 0.03
DRAWS = 20_000


def noncentred():
    """Return the posterior of μ, τ and the eight effects, which are written as μ + τ z."""
    priors = PRIORS | {"theta": lambda mu, tau: stats.norm(mu, tau)}
    constraints = {"theta": lambda mu, tau: transforms.affine(mu, tau)}
    observed = lambda theta, sigma: {"y": stats.norm(theta, sigma)}
    return stats.model(priors, observed, DATA, shapes={"theta": 8}, constraints=constraints)


def marginal():
    """Return the posterior of μ and τ, with the effects integrated out: y ~ norm(μ, √(σ² + τ²))."""
    observed = lambda mu, tau, sigma: {"y": stats.norm(mu, sg.sqrt(sigma**2 + tau**2))}
    return stats.model(PRIORS, observed, DATA)


def effects(mu, tau):
    """Return the means of the schools' effects at these μ and τ (n,), a row each: weighted means of y and μ."""
    weights = 1 / (1 + DATA["sigma"] ** 2 / tau[:, None] ** 2)
    return weights * DATA["y"] + (1 - weights) * mu[:, None]


def weighted_draws(model, seed=0):
    """Return draws of a t distribution around the mode by name, and their weights p/q, which sum to 1."""
    approximation = model.laplace()
    around = stats.multivariate_t(approximation.mode.vector, approximation.covariance, 5.0)
    y = around.rvs(size=DRAWS, random_state=seed).numpy()
    log_weights = np.array([model.log_density(row) for row in y]) - around.logpdf(y).numpy()
    weights = np.exp(log_weights - log_weights.max())
    return model.constrain(y), weights / weights.sum()


def sampled():
    """Return the means of NUTS on the noncentred model, or nothing where no sampler is installed."""
    try:
        trace = noncentred().sample(2000, sampler="nutpie", seed=1, progress=False)
    except sg.errors.MissingExtra:
        return None
    return {name: float(trace.posterior[name].mean()) for name in REFERENCE}


def main():
    """Approximate, weight, compare; and say what to expect of each school."""
    print(noncentred())
    draws, weights = weighted_draws(marginal())
    print(f"{DRAWS} weighted draws are worth {1 / (weights**2).sum():.0f} of the posterior")
    means = {"weighted": {name: float(weights @ draws[name]) for name in REFERENCE}, "nutpie": sampled()}
    for how, found in means.items():
        if found is None:
            print(f"{how:10} is not installed")
            continue
        print(f"{how:10} μ = {found['mu']:.2f}, τ = {found['tau']:.2f}")
        assert all(abs(found[name] - REFERENCE[name]) < 0.15 for name in REFERENCE), found
    print(f"{'published':10} μ = {REFERENCE['mu']:.2f}, τ = {REFERENCE['tau']:.2f}")
    print("measured:", *(f"{y:5.0f}" for y in DATA["y"]))
    print("expected:", *(f"{y:5.1f}" for y in weights @ effects(draws["mu"], draws["tau"])))


if __name__ == "__main__":
    main()
