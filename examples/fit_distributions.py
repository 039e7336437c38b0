"""Fit distributions by maximum likelihood, with standard errors from the Hessian that `sg.derive` prints.

Scores and expected information are methods of a distribution, which makes Fisher's scoring four lines; the observed
information is the closed form of the Hessian, evaluated at the fit.
Data: millions of revolutions that 23 ball bearings lasted (Lieblein and Zelen 1956).
Run: pip install . && python examples/fit_distributions.py
"""

import numpy as np

import symgrad as sg

LIFETIMES = np.array([
    17.88, 28.92, 33.00, 41.52, 42.12, 45.60, 48.48, 51.84, 51.96, 54.12, 55.56, 67.80, 68.64, 68.64, 68.88, 84.12,
    93.12, 98.64, 105.12, 105.84, 127.92, 128.04, 173.40,
])  # fmt: skip
FAMILIES = {"weibull_min": (1.0, 70.0), "gamma": (3.0, 30.0), "lognorm": (1.0, 60.0)}  # where shape and scale start


def formulas(family):
    """The Hessian of the log-likelihood in shape and scale, as closed forms of x, a and s."""
    x, a, s = sg.symbol("x", "n"), sg.symbol("a"), sg.symbol("s")
    total = family.logpdf(x, a, scale=s).sum()
    return sg.derive(total, [a, s], order=2)


def scoring(family, theta, x):
    """θ ← θ + I(θ)⁻¹ Σ score: Newton's method with the expected Hessian, which is always definite."""
    for _ in range(100):
        score = family.score(x, theta[0], scale=theta[1]).sum(0).numpy()
        information = len(x) * family.fisher_information(theta[0], scale=theta[1]).numpy()
        step = np.linalg.solve(information, score)
        theta = np.maximum(theta + step, theta / 2)  # stays positive
        if np.abs(step / theta).max() < 1e-10:
            return theta
    raise RuntimeError("Fisher's scoring has not converged")


def main():
    """Print Weibull's Hessian, and each family's estimates with their standard errors."""
    x = LIFETIMES
    print("1. The Hessian of Weibull's log-likelihood:")
    print("  ", str(formulas(sg.stats.weibull_min)).replace("\n", "\n   "))
    print("2. Family        shape    s.e.     scale    s.e.   log-likelihood")
    likelihoods = {}
    for name, start in FAMILIES.items():
        family = getattr(sg.stats, name)
        a, s = scoring(family, np.array(start), x)
        hessian = [[float(h.lambdify()(x=x, a=a, s=s)) for h in row] for row in formulas(family)]
        errors = np.sqrt(np.diag(np.linalg.inv(-np.array(hessian))))
        likelihoods[name] = family.logpdf(x, a, scale=s).sum().item()
        by_compiler = sg.compile(sg.hessian(lambda t, f=family: f.logpdf(x, t[0], scale=t[1]).sum()))(np.array([a, s]))
        assert np.allclose(hessian, by_compiler, rtol=1e-8)
        print(f"   {name:12} {a:6.3f} {errors[0]:7.3f} {s:9.3f} {errors[1]:7.3f} {likelihoods[name]:16.2f}")
    best = max(likelihoods, key=likelihoods.get)
    print(f"3. The most likely is {best}.")


if __name__ == "__main__":
    main()
