"""How long a pendulum takes: a period that is an integral, its derivatives, and its series in the amplitude.

T = 4·√(L/g)·∫ du/√(1 − k²·sin²u) from 0 to π/2, with k = sin(θ/2), grows with the amplitude θ. sg.quad integrates,
sg.grad asks what the period owes to the amplitude, the length and g, and sg.taylor finds the textbook's series.
Run: python examples/pendulum_period.py, or with a picture by matplotlib: python examples/pendulum_period.py period.png
"""

import importlib
import sys
from math import pi, sqrt

import numpy as np

import symgrad as sg

TEXTBOOK = [1, 0, 1 / 16, 0, 11 / 3072, 0, 173 / 737280]


def period(amplitude, length, g):
    """Return the time of one swing to and fro from an amplitude in radians."""
    k = sg.sin(amplitude / 2)
    return 4 * sg.sqrt(length / g) * sg.quad(lambda u, k: 1 / sg.sqrt(1 - (k * sg.sin(u)) ** 2), 0, pi / 2, k)


def by_means(amplitude, length, g):
    """Return the same period by Gauss's arithmetic-geometric mean, the classical way to the elliptic integral."""
    a, b = 1.0, np.cos(amplitude / 2)
    for _ in range(8):
        a, b = (a + b) / 2, np.sqrt(a * b)
    return 2 * pi * sqrt(length / g) / a


def draw(path, amplitudes, ratios, slopes):
    """Draw the period beside its series, and its derivative, over the amplitude."""
    plt = importlib.import_module("matplotlib.pyplot")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    left.plot(amplitudes, ratios, label="the integral")
    for order in (2, 4, 6):
        left.plot(
            amplitudes, np.polyval(TEXTBOOK[order::-1], amplitudes), "--", label=f"series to θ{'²⁴⁶'[order // 2 - 1]}"
        )
    right.plot(amplitudes, slopes)
    left.set(xlabel="amplitude θ", title="T / (2π·√(L/g))")
    right.set(xlabel="amplitude θ", title="∂T/∂θ in seconds, L = 1 m")
    left.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(path=None):
    """Print the period's derivatives and its series, check them, and draw where there is a path."""
    length, g = 1.0, 9.81
    unit = 2 * pi * sqrt(length / g)
    slopes = sg.grad(period, (0, 1, 2))(1.0, length, g)
    print(f"T(1, {length}, {g}) = {float(period(1.0, length, g)):.6f} s")
    print("dT/dθ = {:.6f}, dT/dL = {:.6f}, dT/dg = {:.6f}".format(*slopes))
    assert np.allclose(slopes[1:], by_means(1.0, length, g) * np.array([0.5 / length, -0.5 / g]), rtol=1e-10)
    series = np.array([float(c) for c in sg.taylor(lambda a: period(a, length, g), 0.0, 6)]) / unit
    assert np.allclose(series, TEXTBOOK, rtol=1e-9, atol=1e-12)
    print("T / (2π·√(L/g)) = 1 + θ²/16 + 11·θ⁴/3072 + 173·θ⁶/737280 + …, as in textbooks")
    amplitudes = np.linspace(0.05, 2.8, 40)
    values = np.array([float(period(a, length, g)) for a in amplitudes])
    assert np.allclose(values, by_means(amplitudes, length, g), rtol=1e-9)
    print("The integral is the complete elliptic one, at 40 amplitudes")
    if path is not None:
        draw(path, amplitudes, values / unit, [sg.grad(period)(a, length, g) for a in amplitudes])
        print(f"Drawn: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
