"""Ridge regression's λ by its implicit gradient: the loss on held-out data, differentiated through the estimate.

The estimate w(λ) is a minimum, and dw/dλ = −(Xᵀ·X + λ·I)⁻¹·w follows from its conditions. With it the validation loss
has an exact gradient in log λ, and Newton's method finds the best λ in a few steps, where a grid would need many fits.
Data: progression of diabetes in 442 patients (Efron et al. 2004), with all products of ten measurements, which
scikit-learn ships.
Run: pip install ".[examples]" && python examples/ridge_lambda.py, or with a picture: … ridge_lambda.py ridge.png
"""

import importlib
import sys

import numpy as np
from sklearn.datasets import load_diabetes

import symgrad as sg


def data():
    """Return training and validation halves: products of measurements, and progression, standardised."""
    raw = load_diabetes()
    X = np.column_stack([raw.data, *[raw.data[:, [i]] * raw.data[:, i:] for i in range(raw.data.shape[1])]])
    X, y = (X - X.mean(0)) / X.std(0), (raw.target - raw.target.mean()) / raw.target.std()
    return X[::2], y[::2], X[1::2], y[1::2]


def formula():
    """Return dw/dλ, and what the least loss changes by."""
    X, y, lam = sg.symbol("X", ("n", "d")), sg.symbol("y", "n"), sg.symbol("λ")
    loss = lambda w, λ: ((X @ w - y) ** 2).sum() + λ * (w @ w)
    w = sg.argmin(loss, sg.symbol("w0", "d"), lam)
    return w.expr, sg.derive(w, lam), sg.derive(loss(w, lam), lam)


def validation(s, X, y, V, v):
    """Return the validation loss for λ = exp(s)."""
    w = sg.argmin(lambda w, s: ((X @ w - y) ** 2).sum() + sg.exp(s) * (w @ w), np.zeros(X.shape[1]), s)
    return ((V @ w - v) ** 2).mean()


def draw(path, s, best, losses):
    """Draw the validation loss over λ, and the best."""
    plt = importlib.import_module("matplotlib.pyplot")
    figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
    axes.semilogx(np.exp(s), losses)
    axes.axvline(np.exp(best), linestyle="--")
    axes.set(xlabel="λ", title="Loss on held-out patients")
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(path=None):
    """Print the formulas, find λ, compare with a grid, and draw where there is a path."""
    estimate, slope, envelope = formula()
    print(f"w = {estimate},  dw/dλ = {slope},  d(least loss)/dλ = {envelope}")
    X, y, V, v = data()
    loss = lambda s: validation(s, sg.tensor(X), sg.tensor(y), V, v)
    gradient = sg.grad(loss)(3.0)
    difference = (float(loss(3.0001)) - float(loss(2.9999))) / 2e-4
    print(f"Gradient in log λ at λ = e³: {gradient:.8f}; by differences {difference:.8f}")
    assert abs(gradient - difference) < 1e-7
    s, steps = 3.0, 0
    while abs(g := sg.grad(loss)(s)) > 1e-10 and steps < 50:
        s, steps = s - float(np.clip(g / abs(sg.hessian(loss)(s)), -1, 1)), steps + 1
    print(f"Best λ = {np.exp(s):.3f} after {steps} steps of Newton's method: validation loss {float(loss(s)):.5f}")
    grid = np.linspace(-2, 8, 41)
    losses = [float(loss(t)) for t in grid]
    assert float(loss(s)) <= min(losses)
    print(f"None of {len(grid)} values of a grid is better: {min(losses):.5f}")
    if path is not None:
        draw(path, grid, s, losses)
        print(f"Drawn: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
