"""From a function to a C file: logarithm, gradient and Hessian of a density, exported, compiled and compared.

Needs a C compiler; without one, the source is written and printed all the same.
Run: python examples/export_c.py
"""

import tempfile
from pathlib import Path

import numpy as np

import symgrad as sg
from symgrad.errors import MissingExtra
from symgrad.exports import load_c


def log_density(x, location, scale):
    """The logarithm of a product of Cauchy densities, up to a constant."""
    return -(sg.log1p(((x - location) / scale) ** 2) + sg.log(scale)).sum()


def newton_step(x, location, scale):
    """Value, gradient and Hessian in x: what Newton's method asks for at each step."""
    value, slope = sg.value_and_grad(log_density)(x, location, scale)
    return value, slope, sg.hessian(log_density)(x, location, scale)


def main():
    """Write the file, compile it, compare."""
    path = Path(tempfile.mkdtemp()) / "newton_step.c"
    source = sg.export(newton_step, shapes={"x": (3,), "location": (3,), "scale": (3,)}, target="c", path=path)
    print(f"1. {path.name} and {path.with_suffix('.h').name}: {len(source.splitlines())} lines that need only math.h")
    print(source[source.index("{") :])
    try:
        compiled = load_c(path)
    except MissingExtra as missing:
        print(f"2. Not compiled: {missing}")
        return
    rng = np.random.default_rng(0)
    points = [(rng.normal(size=3), rng.normal(size=3), rng.uniform(0.5, 2, 3)) for _ in range(100)]
    error = max(
        np.max(np.abs(np.subtract(there, here)))
        for point in points
        for there, here in zip(compiled(*point), newton_step(*point), strict=True)
    )
    print(f"2. Compiled: largest difference to symgrad {error:.0e} at {len(points)} points")
    assert error < 1e-12


if __name__ == "__main__":
    main()
