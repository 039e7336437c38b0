"""Kepler's equation E − e·sin(E) = M: where a planet stands, and how that depends on its orbit.

The eccentric anomaly E has no formula, but its derivatives have: sg.root finds the number, sg.derive writes what the
implicit function theorem says of this very equation, and both agree with each other and with differences.
Run: python examples/kepler.py, or with a picture by matplotlib: python examples/kepler.py kepler.png
"""

import importlib
import sys

import numpy as np

import symgrad as sg


def equation(E, e, M):
    """Kepler's equation, as something that is 0."""
    return E - e * sg.sin(E) - M


def anomaly(e, M):
    """Return E for the eccentricity e and the mean anomaly M."""
    return sg.root(equation, M, e, M)


def draw(path, M, values, slopes):
    """Draw E − M and dE/de over one revolution, for each eccentricity."""
    plt = importlib.import_module("matplotlib.pyplot")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for e in values:
        left.plot(M, values[e] - M, label=f"e = {e}")
        right.plot(M, slopes[e], label=f"e = {e}")
    left.set(xlabel="mean anomaly M", title="E − M")
    right.set(xlabel="mean anomaly M", title="∂E/∂e = sin(E)/(1 − e·cos(E))")
    left.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(path=None):
    """Print the formulas, check them, and draw where there is a path."""
    e, M = sg.tensor(0.3, name="e"), sg.tensor(1.2, name="M")
    E = anomaly(e, M)
    print(f"E({float(e)}, {float(M)}) = {float(E):.6f}")
    print(f"dE/de = {sg.derive(E, e)}")
    print(f"dE/dM = {sg.derive(E, M)}")
    times = np.linspace(0.05, 2 * np.pi - 0.05, 60)
    values, slopes = {}, {}
    for e in (0.0167, 0.2056, 0.6):  # the Earth, Mercury, a comet
        values[e] = np.array([float(anomaly(e, m)) for m in times])
        slopes[e] = np.array([sg.grad(anomaly)(e, m) for m in times])
        formula = np.sin(values[e]) / (1 - e * np.cos(values[e]))
        assert np.allclose(slopes[e], formula, rtol=1e-12)
    print("The derivatives of the numbers are those of the formula, to 12 digits, at 180 points")
    if path is not None:
        draw(path, times, values, slopes)
        print(f"Drawn: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
