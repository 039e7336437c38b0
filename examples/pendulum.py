"""Fit length and friction of a pendulum to a noisy film of its swings, through the integrator that predicts them.

The Runge-Kutta steps are one loop, sg.scan; its Jacobian in the unknowns is one compiled loop too.
Run: pip install ".[examples]" && python examples/pendulum.py
"""

import numpy as np
from scipy.optimize import least_squares

import symgrad as sg

GRAVITY, DT, FRAMES, STEPS = 9.81, 0.02, 150, 2  # two steps of 0.02 s from one picture to the next
NOISE = 0.02


def slope(state, unknowns):
    """angle' = speed, speed' = -g/length sin(angle) - friction speed."""
    angle, speed = state
    length, friction = unknowns[0], unknowns[1]
    return speed, -GRAVITY / length * sg.sin(angle) - friction * speed


def moved(state, rate, dt):
    """state + dt rate, part by part."""
    return tuple(s + dt * r for s, r in zip(state, rate, strict=True))


def runge_kutta(state, unknowns):
    """One step of the classical method of fourth order."""
    k1 = slope(state, unknowns)
    k2 = slope(moved(state, k1, DT / 2), unknowns)
    k3 = slope(moved(state, k2, DT / 2), unknowns)
    k4 = slope(moved(state, k3, DT), unknowns)
    rate = [(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]
    return moved(state, rate, DT)


def film(unknowns):
    """The angle in each picture, of shape (FRAMES,); unknowns are length, friction, first angle and first speed."""

    def picture(state, _):
        for _ in range(STEPS):
            state = runge_kutta(state, unknowns)
        return state, state[0]

    _, angles = sg.scan(picture, (unknowns[2], unknowns[3]), length=FRAMES)
    return angles


def main():
    """Make a film, forget how, and find out again."""
    truth = np.array([1.3, 0.15, 2.0, -0.4])
    predict, jacobian = sg.compile(film), sg.compile(sg.func.jacfwd(film))
    observed = predict(truth) + NOISE * np.random.default_rng(0).normal(size=FRAMES)

    start = np.array([1.0, 0.0, observed[0], 0.0])
    fit = least_squares(lambda u: predict(u) - observed, start, jac=jacobian)
    errors = NOISE * np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac)))
    print(f"1. {FRAMES} pictures of {STEPS} steps; {fit.nfev} predictions and {fit.njev} Jacobians {fit.jac.shape}")
    print("2.               truth     found   standard error")
    for name, true, found, error in zip(["length", "friction", "angle", "speed"], truth, fit.x, errors, strict=True):
        print(f"   {name:9} {true:8.4f}  {found:8.4f}   {error:.4f}")
    assert np.all(np.abs(fit.x - truth) < 4 * errors)

    h = 1e-6
    differences = [(predict(fit.x + h * e) - predict(fit.x - h * e)) / (2 * h) for e in np.eye(4)]
    print(f"3. Jacobian against differences: {np.abs(fit.jac - np.transpose(differences)).max():.0e}")
    assert np.allclose(jacobian(fit.x), np.transpose(differences), atol=1e-6)


if __name__ == "__main__":
    main()
