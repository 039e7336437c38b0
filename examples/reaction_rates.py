"""Parameter estimation under constraints: the six rates of a cycle of reactions A ⇌ B ⇌ C ⇌ A from noisy data.

Rates are positive, and thermodynamics does not allow a cycle that turns by itself: the products of the rates in both
directions are equal. The estimate is a function of the data, whose Jacobian gives the constrained standard errors.
Run: python examples/reaction_rates.py, or with a picture by matplotlib: python examples/reaction_rates.py rates.png
Source: Wegscheider, Über simultane Gleichgewichte, Monatshefte für Chemie 22 (1901).
"""

import importlib
import sys

import numpy as np

import symgrad as sg

TIMES, NOISE = np.linspace(0.0, 6.0, 21), 0.01
FORWARD, BACKWARD = np.array([1.0, 0.6, 0.25]), np.array([0.5, 0.4, 0.75])
START = np.array([1.0, 0.0, 0.0])


def concentrations(rates):
    """Return A, B and C at the times of the measurements, shape (times, 3)."""

    def slopes(y, t, forward, backward):
        turnover = forward * y - backward * y.roll(-1)  # from each substance to the next
        return turnover.roll(1) - turnover

    return sg.odeint(slopes, START, TIMES, rates["forward"], rates["backward"], method="rk4", steps=2)


def problem(measured):
    """Return the least squares as a nonlinear program; the measurements are its parameter."""
    return sg.optim.NLP(
        lambda rates, measured: ((concentrations(rates) - measured) ** 2).sum() / NOISE**2,
        {"forward": np.full(3, 0.5), "backward": np.full(3, 0.5)},
        measured,
        constraints=lambda rates, measured: {"balance": rates["forward"].prod() - rates["backward"].prod()},
        bounds={"forward": (1e-3, 10.0), "backward": (1e-3, 10.0)},
        backend="numpy",
    )


def measurements(seed=0):
    """Return concentrations with noise."""
    truth = concentrations({"forward": FORWARD, "backward": BACKWARD}).numpy()
    return truth + NOISE * np.random.default_rng(seed).normal(size=truth.shape)


def draw(ax, measured, rates):
    """Draw the measurements as dots, and the concentrations that were estimated as lines."""
    fitted = concentrations(rates).numpy()
    for k, name in enumerate("ABC"):
        ax.plot(TIMES, measured[:, k], "o", color=f"C{k}", markersize=3)
        ax.plot(TIMES, fitted[:, k], color=f"C{k}", label=name)
    ax.set(xlabel="t", title="Concentrations: measured, and with the estimated rates")
    ax.legend()


def main(path=None):
    """Estimate the rates, compare with the true ones, and draw where there is a path."""
    measured = measurements()
    program = problem(measured)
    solution = program.solve()
    assert solution.success
    assert abs(solution.g["balance"]) < 1e-7
    rates = lambda values: sg.cat([program.solve(values).x[name] for name in ("forward", "backward")], 0)
    sensitivity = np.asarray(sg.jacobian(rates)(measured)).reshape(6, -1)
    errors = NOISE * np.sqrt(np.sum(sensitivity**2, 1))
    estimate, truth = np.concatenate([*solution.x.values()]), np.concatenate([FORWARD, BACKWARD])
    for k, name in enumerate(("A → B", "B → C", "C → A", "B → A", "C → B", "A → C")):
        print(f"{name}: {estimate[k]:.3f} ± {errors[k]:.3f}, where the truth is {truth[k]:.3f}")
    assert np.all(np.abs(estimate - truth) < 4 * errors)
    if path is not None:
        figure, ax = importlib.import_module("matplotlib.pyplot").subplots(figsize=(6.4, 3.6))
        draw(ax, measured, solution.x)
        figure.savefig(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
