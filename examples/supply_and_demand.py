"""Comparative statics: how a market's price and tax revenue answer to a tax, by the implicit function theorem.

The price p clears the market: demand a·p^(−η) equals supply b·(p − t)^σ, where producers get p − t. There is no formula
for p; there is one for dp/dt, which says who bears the tax. A consumer's demand and the value of income follow from
argmin, its multiplier and the envelope theorem.
Run: python examples/supply_and_demand.py, or with a picture: python examples/supply_and_demand.py market.png
"""

import importlib
import sys

import numpy as np

import symgrad as sg

A, B, ETA, SIGMA = 10.0, 2.0, 1.2, 0.8


def excess(p, t):
    """Demand without supply at the price p, for the tax t."""
    return A * p ** (-ETA) - B * (p - t) ** SIGMA


def price(t):
    """Return the price that clears the market."""
    return sg.root(excess, 3.0 + t, t)


def revenue(t):
    """Return what the tax brings in."""
    return t * A * price(t) ** (-ETA)


def consumer(m):
    """Return demand for two goods, and the value of a further unit of income, for prices 2 and 5 and income m."""
    return sg.argmin(
        lambda x, m: -(0.3 * sg.log(x[0]) + 0.7 * sg.log(x[1])), [1.0, 1.0], m,
        constraints=lambda x, m: 2 * x[0] + 5 * x[1] - m,
    )  # fmt: skip


def draw(path, taxes):
    """Draw price, producers' price and revenue over the tax."""
    plt = importlib.import_module("matplotlib.pyplot")
    p = np.array([float(price(t)) for t in taxes])
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    left.plot(taxes, p, label="consumers pay p")
    left.plot(taxes, p - taxes, label="producers get p − t")
    left.set(xlabel="tax t", title="Who bears the tax")
    left.legend()
    right.plot(taxes, taxes * A * p**-ETA)
    right.set(xlabel="tax t", title="Revenue")
    figure.savefig(path, dpi=120)


def main(path=None):
    """Print the statics, check them, and draw where there is a path."""
    t = sg.symbol("t")
    a, b = sg.symbol("a"), sg.symbol("b")
    print(
        f"Linear market a − p = b·(p − t):  dp/dt = {sg.derive(sg.root(lambda p, t: a - p - b * (p - t), 1.0, t), t)}"
    )
    tax, h = 0.5, 1e-6
    slope = sg.grad(price)(tax)
    share = SIGMA / (SIGMA + ETA * (float(price(tax)) - tax) / float(price(tax)))
    print(f"At a tax of {tax}: p = {float(price(tax)):.4f}, of which consumers bear dp/dt = {slope:.4f}")
    assert abs(slope - share) < 1e-12  # the textbook's: σ/(σ + η·(p − t)/p)
    assert abs(slope - (float(price(tax + h)) - float(price(tax - h))) / (2 * h)) < 1e-8
    best = float(sg.argmin(lambda t: -revenue(t), 1.0))
    assert abs(sg.grad(revenue)(best)) < 1e-9
    print(f"Revenue is greatest at t = {best:.4f}: {float(revenue(best)):.4f}")
    found = consumer(10.0)
    worth = -float(found.multipliers)
    print(f"A consumer with income 10 takes {found.x.numpy().round(4)}; a further unit is worth {worth:.4f}")
    if path is not None:
        draw(path, np.linspace(0.0, 3.0, 60))


if __name__ == "__main__":
    main(*sys.argv[1:2])
