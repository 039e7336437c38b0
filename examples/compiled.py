"""Compile what an optimiser calls a thousand times: value, gradient and Hessian-vector product of one function.

Run with ``python examples/compiled.py``; with the extra ``symgrad[llvm]`` installed the same lines run as machine code.
"""

import time

import numpy as np
from scipy.optimize import minimize

import symgrad as sg


def rosenbrock(x):
    """Σ 100 (x_{k+1} - x_k²)² + (1 - x_k)², whose valley ends at x = 1."""
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def solve(value_and_grad, product, start):
    """Return the solution of a trust-region Newton method, and the seconds it took."""
    begin = time.perf_counter()
    found = minimize(value_and_grad, start, jac=True, hessp=product, method="trust-ncg", options={"maxiter": 1000})
    return found, time.perf_counter() - begin


def main():
    """Solve the same problem with the eager functions and with compiled ones."""
    start = np.linspace(-1.0, 1.0, 100)
    eager = sg.value_and_grad(rosenbrock), lambda x, v: sg.hvp(rosenbrock, x, v)
    compiled = sg.compile(eager[0]), sg.compile(eager[1])
    for name, (both, product) in {"eager": eager, "compiled": compiled}.items():
        both(start), product(start, start)  # compilation happens at the first call
        found, seconds = solve(both, product, start)
        assert np.allclose(found.x, 1.0, atol=1e-4)
        print(f"{name:9} {found.nfev} values, {found.nhev} Hessian products, {seconds * 1e3:.0f} ms")
    print(compiled[0].stats)


if __name__ == "__main__":
    main()
