"""Predators and prey: Lotka and Volterra's equations, fitted to the pelts of lynxes and hares by maximum likelihood.

h′ = (α − β·l)·h and l′ = (δ·h − γ)·l have no solution in formulas, but sg.odeint follows it: the likelihood of
the counts is differentiable in the rates and in the first year's numbers, and its Hessian gives standard errors.
Data: pelts, in thousands, that the Hudson's Bay Company bought from 1900 to 1920, as in Carpenter 2018.
Run: pip install ".[examples]" && python examples/lynx_and_hare.py, or with a picture: … lynx_and_hare.py pelts.png
"""

import importlib
import sys

import numpy as np

import symgrad as sg

YEARS = np.arange(1900.0, 1921.0)
HARES = [30, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22, 25.4, 27.1, 40.3, 57, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6]
LYNXES = [4, 6.1, 9.8, 35.2, 59.4, 41.7, 19, 13, 8.3, 9.1, 7.4, 8, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7]
PELTS = np.array([[*HARES, 16.2, 24.7], [*LYNXES, 10.1, 8.6]]).T
NAMES = ["α", "β", "γ", "δ", "hares 1900", "lynxes 1900", "σ of hares", "σ of lynxes"]
PUBLISHED = [0.55, 0.028, 0.80, 0.024]  # posterior means of α, β, γ, δ of Carpenter 2018, who has priors
START = np.log([0.5, 0.02, 1.0, 0.02, 30.0, 4.0, 0.5, 0.5])


def change(y, t, rates):
    """Return h′ and l′: hares grow and are eaten, lynxes starve and grow by hares."""
    hares, lynxes = y[0], y[1]
    return sg.stack([(rates[0] - rates[1] * lynxes) * hares, (rates[3] * hares - rates[2]) * lynxes])


def numbers(theta, years=YEARS):
    """Return the expected numbers in each year, of shape (years, 2); theta are the parameters' logarithms."""
    p = sg.exp(theta)
    return sg.odeint(change, p[4:6], years, p[:4], rtol=1e-8, atol=1e-8)


def loss(theta):
    """Return minus the log-likelihood: each count's logarithm is normal around its expectation's."""
    z = (np.log(PELTS) - sg.log(numbers(theta))) * sg.exp(-theta[6:])
    return 0.5 * (z**2).sum() + len(YEARS) * theta[6:].sum()


def fit():
    """Return the estimates of theta, and their standard errors from the Hessian."""
    theta = sg.optim.minimize(loss, START, method="BFGS", tol=1e-6).x
    information = sg.hessian(loss)(theta)
    theta = theta - np.linalg.solve(information, sg.grad(loss)(theta))  # a last step of Newton's method
    return theta, np.sqrt(np.diag(np.linalg.inv(sg.hessian(loss)(theta))))


def draw(path, theta):
    """Draw counts as dots, and the solution through them."""
    plt = importlib.import_module("matplotlib.pyplot")
    figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
    years = np.linspace(1900, 1920, 201)
    lines = axes.plot(years, numbers(sg.tensor(theta), years).numpy(), label=["hares", "lynxes"])
    for line, counts in zip(lines, PELTS.T, strict=True):
        axes.plot(YEARS, counts, "o", color=line.get_color())
    axes.set(title="Pelts in thousands", xticks=range(1900, 1921, 4))
    axes.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(path=None):
    """Print estimates beside published ones, and draw where there is a path."""
    theta, errors = fit()
    print(f"{'':12} estimate  standard error  published")
    for name, value, error, known in zip(NAMES, np.exp(theta), errors, [*PUBLISHED, *[""] * 4], strict=True):
        print(f"{name:12} {value:8.4f}  {value * error:14.4f}  {known:>9}")
    assert np.abs(sg.grad(loss)(theta)).max() < 1e-5
    assert np.all(np.abs(theta[:4] - np.log(PUBLISHED)) < errors[:4])
    print("Each published value is within one standard error")
    if path is not None:
        draw(path, theta)
        print(f"Drawn: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
