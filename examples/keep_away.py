"""A spacecraft that certainly misses a moon: bounds of its whole path, for every start in a box.

The craft passes a planet on a Kepler orbit. sg.prove.ode encloses all paths whose start is uncertain by 1e-4, at every
time, and sg.prove.positive shows for each part of this tube that its distance from the moon is safe.
Run: python examples/keep_away.py, or with a picture by matplotlib: python examples/keep_away.py tube.png
"""

import importlib
import sys

import numpy as np

import symgrad as sg

START, UNCERTAIN = np.array([1.0, 0.0, 0.0, 1.1]), 1e-4
MOON, SAFE = np.array([-0.6, 1.6]), 0.25


def motion(y, t):
    """Return the derivative of position and velocity, attracted by a planet at the origin."""
    cube = (y[0] ** 2 + y[1] ** 2) ** 1.5
    return sg.stack([y[2], y[3], -y[0] / cube, -y[1] / cube])


def tube(duration=2.0):
    """Return bounds of all paths, at the end and at all times."""
    return sg.prove.ode(motion, (START - UNCERTAIN, START + UNCERTAIN), 0.0, duration, atol=1e-6)


def misses(part):
    """Return whether the distance from the moon is safe everywhere in a part of the tube."""
    box = (part.lower[:2], part.upper[:2])
    return bool(sg.prove.positive(lambda p: ((p - MOON) ** 2).sum() - SAFE**2, box))


def draw(path, solution):
    """Draw the parts of the tube, the planet and the moon."""
    plt = importlib.import_module("matplotlib.pyplot")
    figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
    show(ax, solution)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def show(ax, solution):
    """Draw the tube on axes."""
    for part in solution.tube:
        (x, y), (right, top) = part.lower[:2], part.upper[:2]
        ax.fill([x, right, right, x], [y, y, top, top], color="C0", alpha=0.3)
    angle = np.linspace(0, 2 * np.pi, 100)
    ax.plot(*(MOON[:, None] + SAFE * np.array([np.cos(angle), np.sin(angle)])), color="C1", label="the moon")
    ax.plot(0, 0, "o", color="C2", label="the planet")
    ax.set_aspect("equal")
    ax.legend()


def main(path=None):
    """Print the bounds of the end, check the certificate and sampled paths, and draw where there is a path."""
    solution = tube()
    lower, upper = solution.value
    print(f"After 2 time units x is in [{lower[0]:.4f}, {upper[0]:.4f}], y in [{lower[1]:.4f}, {upper[1]:.4f}]")
    assert all(map(misses, solution.tube))
    print(f"In all {len(solution.tube)} parts of the tube, the moon is farther away than {SAFE}")
    assert sg.prove.check(solution.certificate, motion)
    rng = np.random.default_rng(0)
    for _ in range(5):
        start = START + UNCERTAIN * rng.uniform(-1, 1, 4)
        end = sg.odeint(motion, start, [0.0, 2.0])[-1].numpy()
        assert ((lower <= end) & (end <= upper)).all()
    print("The certificate holds, and 5 paths of odeint end within the bounds")
    if path is not None:
        draw(path, solution)
        print(f"Drawn: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
