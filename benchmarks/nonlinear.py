"""Nonlinear programs by IPOPT, with derivatives of symgrad and of CasADi: ``python benchmarks/nonlinear.py``.

Each library runs in a process of its own, which prints a line for each problem: optimum, iterations, seconds until the
first solution, building included, and seconds in callbacks of the fastest of later ones. Formulas are written once, for
both. Number 16 has two minima. Sources: Hock and Schittkowski, Test Examples for Nonlinear Programming Codes (1981);
Kelly, An Introduction to Trajectory Optimization, SIAM Review 59 (2017); Dolan, Moré and Munson, Benchmarking
Optimization Software with COPS 3.0 (2004); the bioreactor is that of ACADO's examples.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time

import numpy as np

INF, R3 = math.inf, math.sqrt(3.0)
LATER = 5  # solutions, of which the fastest counts


def rosenbrock(x):
    """Return the valley of problems 1, 15 and 16."""
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


# number: start, bounds of x, f(m, x), g(m, x), number of equations, which come first, and the optimum
HOCK_SCHITTKOWSKI = {
    1: ([-2, 1], [(-INF, INF), (-1.5, INF)], lambda m, x: rosenbrock(x), None, 0, 0.0),
    3: ([10, 1], [(-INF, INF), (0, INF)], lambda m, x: x[1] + 1e-5 * (x[1] - x[0]) ** 2, None, 0, 0.0),
    4: ([1.125, 0.125], [(1, INF), (0, INF)], lambda m, x: (x[0] + 1) ** 3 / 3 + x[1], None, 0, 8 / 3),
    5: ([0, 0], [(-1.5, 4), (-3, 3)],
        lambda m, x: m.sin(x[0] + x[1]) + (x[0] - x[1]) ** 2 - 1.5 * x[0] + 2.5 * x[1] + 1, None, 0,
        -R3 / 2 - math.pi / 3),
    6: ([-1.2, 1], None, lambda m, x: (1 - x[0]) ** 2, lambda m, x: [10 * (x[1] - x[0] ** 2)], 1, 0.0),
    7: ([2, 2], None, lambda m, x: m.log(1 + x[0] ** 2) - x[1], lambda m, x: [(1 + x[0] ** 2) ** 2 + x[1] ** 2 - 4], 1,
        -R3),
    9: ([0, 0], None, lambda m, x: m.sin(math.pi * x[0] / 12) * m.cos(math.pi * x[1] / 16),
        lambda m, x: [4 * x[0] - 3 * x[1]], 1, -0.5),
    10: ([-10, 10], None, lambda m, x: x[0] - x[1], lambda m, x: [-3 * x[0] ** 2 + 2 * x[0] * x[1] - x[1] ** 2 + 1], 0,
         -1.0),
    11: ([4.9, 0.1], None, lambda m, x: (x[0] - 5) ** 2 + x[1] ** 2 - 25, lambda m, x: [x[1] - x[0] ** 2], 0,
         -8.498464223),
    12: ([0, 0], None, lambda m, x: 0.5 * x[0] ** 2 + x[1] ** 2 - x[0] * x[1] - 7 * x[0] - 7 * x[1],
         lambda m, x: [25 - 4 * x[0] ** 2 - x[1] ** 2], 0, -30.0),
    14: ([2, 2], None, lambda m, x: (x[0] - 2) ** 2 + (x[1] - 1) ** 2,
         lambda m, x: [x[0] - 2 * x[1] + 1, 1 - 0.25 * x[0] ** 2 - x[1] ** 2], 1, 9 - 2.875 * math.sqrt(7)),
    15: ([-2, 1], [(-INF, 0.5), (-INF, INF)], lambda m, x: rosenbrock(x),
         lambda m, x: [x[0] * x[1] - 1, x[0] + x[1] ** 2], 0, 306.5),
    16: ([-2, 1], [(-0.5, 0.5), (-INF, 1)], lambda m, x: rosenbrock(x),
         lambda m, x: [x[0] + x[1] ** 2, x[0] ** 2 + x[1]], 0, (0.25, 23.144661)),
    18: ([2, 2], [(2, 50), (0, 50)], lambda m, x: 0.01 * x[0] ** 2 + x[1] ** 2,
         lambda m, x: [x[0] * x[1] - 25, x[0] ** 2 + x[1] ** 2 - 25], 0, 5.0),
    19: ([20.1, 5.84], [(13, 100), (0, 100)], lambda m, x: (x[0] - 10) ** 3 + (x[1] - 20) ** 3,
         lambda m, x: [(x[0] - 5) ** 2 + (x[1] - 5) ** 2 - 100, 82.81 - (x[1] - 5) ** 2 - (x[0] - 6) ** 2], 0,
         -6961.81388),
    22: ([2, 2], None, lambda m, x: (x[0] - 2) ** 2 + (x[1] - 1) ** 2,
         lambda m, x: [2 - x[0] - x[1], x[1] - x[0] ** 2], 0, 1.0),
    24: ([1, 0.5], [(0, INF), (0, INF)], lambda m, x: ((x[0] - 3) ** 2 - 9) * x[1] ** 3 / (27 * R3),
         lambda m, x: [x[0] / R3 - x[1], x[0] + R3 * x[1], 6 - x[0] - R3 * x[1]], 0, -1.0),
    26: ([-2.6, 2, 2], None, lambda m, x: (x[0] - x[1]) ** 2 + (x[1] - x[2]) ** 4,
         lambda m, x: [(1 + x[1] ** 2) * x[0] + x[2] ** 4 - 3], 1, 0.0),
    27: ([2, 2, 2], None, lambda m, x: 0.01 * (x[0] - 1) ** 2 + (x[1] - x[0] ** 2) ** 2,
         lambda m, x: [x[0] + x[2] ** 2 + 1], 1, 0.04),
    28: ([-4, 1, 1], None, lambda m, x: (x[0] + x[1]) ** 2 + (x[1] + x[2]) ** 2,
         lambda m, x: [x[0] + 2 * x[1] + 3 * x[2] - 1], 1, 0.0),
    29: ([1, 1, 1], None, lambda m, x: -x[0] * x[1] * x[2],
         lambda m, x: [48 - x[0] ** 2 - 2 * x[1] ** 2 - 4 * x[2] ** 2], 0, -16 * math.sqrt(2)),
    35: ([0.5, 0.5, 0.5], [(0, INF)] * 3, lambda m, x: 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * x[0] ** 2
         + 2 * x[1] ** 2 + x[2] ** 2 + 2 * x[0] * x[1] + 2 * x[0] * x[2], lambda m, x: [3 - x[0] - x[1] - 2 * x[2]], 0,
         1 / 9),
    37: ([10, 10, 10], [(0, 42)] * 3, lambda m, x: -x[0] * x[1] * x[2],
         lambda m, x: [72 - x[0] - 2 * x[1] - 2 * x[2], x[0] + 2 * x[1] + 2 * x[2]], 0, -3456.0),
    39: ([2, 2, 2, 2], None, lambda m, x: -x[0],
         lambda m, x: [x[1] - x[0] ** 3 - x[2] ** 2, x[0] ** 2 - x[1] - x[3] ** 2], 2, -1.0),
    40: ([0.8] * 4, None, lambda m, x: -x[0] * x[1] * x[2] * x[3],
         lambda m, x: [x[0] ** 3 + x[1] ** 2 - 1, x[0] ** 2 * x[3] - x[2], x[3] ** 2 - x[1]], 3, -0.25),
    43: ([0] * 4, None, lambda m, x: x[0] ** 2 + x[1] ** 2 + 2 * x[2] ** 2 + x[3] ** 2 - 5 * x[0] - 5 * x[1] - 21 * x[2]
         + 7 * x[3], lambda m, x: [
             8 - x[0] ** 2 - x[1] ** 2 - x[2] ** 2 - x[3] ** 2 - x[0] + x[1] - x[2] + x[3],
             10 - x[0] ** 2 - 2 * x[1] ** 2 - x[2] ** 2 - 2 * x[3] ** 2 + x[0] + x[3],
             5 - 2 * x[0] ** 2 - x[1] ** 2 - x[2] ** 2 - 2 * x[0] + x[1] + x[3]], 0, -44.0),
    48: ([3, 5, -3, 2, -2], None, lambda m, x: (x[0] - 1) ** 2 + (x[1] - x[2]) ** 2 + (x[3] - x[4]) ** 2,
         lambda m, x: [x[0] + x[1] + x[2] + x[3] + x[4] - 5, x[2] - 2 * (x[3] + x[4]) + 3], 2, 0.0),
    71: ([1, 5, 5, 1], [(1, 5)] * 4, lambda m, x: x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2],
         lambda m, x: [x[0] ** 2 + x[1] ** 2 + x[2] ** 2 + x[3] ** 2 - 40, x[0] * x[1] * x[2] * x[3] - 25], 1,
         17.0140173),
}  # fmt: skip


def cart_pole(m, x, u):
    """Return the slopes of place, angle, speed and spin, and u²."""
    s, c = m.sin(x[1]), m.cos(x[1])
    swing, d = 0.15 * s * x[3] ** 2, 1 + 0.3 * s**2
    fall = -(swing * c + u[0] * c + 1.3 * 9.81 * s) / (0.5 * d)
    return [x[2], x[3], (swing + u[0] + 0.3 * 9.81 * c * s) / d, fall], u[0] ** 2


def van_der_pol(m, x, u):
    """Return the oscillator's slopes, and its cost."""
    return [(1 - x[1] ** 2) * x[0] - x[1] + u[0], x[0]], x[0] ** 2 + x[1] ** 2 + u[0] ** 2


def quadrotor(m, x, u):
    """Return the slopes of a quadrotor in the plane, and its cost."""
    thrust, turn = u[0] + u[1], u[0] - u[1]
    slopes = [x[3], x[4], x[5], -m.sin(x[2]) * thrust, m.cos(x[2]) * thrust - 9.81, 5.0 * turn]
    return slopes, 0.1 * (u[0] ** 2 + u[1] ** 2) + turn**2


def chain(m, x, u):
    """Return the slopes of a hanging chain's height and length, and its energy (COPS)."""
    stretch = m.sqrt(1 + u[0] ** 2)
    return [u[0], stretch], x[0] * stretch


def catalyst(m, x, u):
    """Return the slopes of two substances between mixed catalysts, and what is lost of both (COPS)."""
    return [u[0] * (10 * x[1] - x[0]), u[0] * (x[0] - 10 * x[1]) - (1 - u[0]) * x[1]], -(1 - u[0]) * x[1]


def rocket(m, x, u):
    """Return the slopes of Goddard's rocket, whose last state is the time of flight, and the height that it gains."""
    drag = 310 * x[1] ** 2 * m.exp(500 * (1 - x[0]))
    return [x[3] * x[1], x[3] * ((u[0] - drag) / x[2] - 1 / x[0] ** 2), -2 * x[3] * u[0], 0 * x[3]], -x[3] * x[1]


def bioreactor(m, x, u):
    """Return the slopes of cells, sugar and product in a stirred tank, and minus the product that leaves it."""
    growth = 0.48 * (1 - x[2] / 50) * x[1] / (1.2 + x[1] + x[1] ** 2 / 22) * x[0]
    flow = [growth - 0.15 * x[0], 0.15 * (u[0] - x[1]) - growth / 0.4, 2.2 * growth + 0.2 * x[0] - 0.15 * x[2]]
    return flow, -0.15 * x[2] / 48


def lap(m, x, u):
    """Return the slopes of a car's offset, heading, speed and place along a track, and the time that it takes."""
    bend = 2 * math.pi / 800 * (1 + 1.5 * m.cos(math.pi * x[3] / 200) - 1.5 * m.cos(math.pi * x[3] / 100))
    along = x[2] * m.cos(x[1]) / (1 - x[0] * bend)
    return [x[2] * m.sin(x[1]) / along, u[1] / x[2] / along - bend, u[0] / along, 1 + 0 * x[3]], 1 / along


# dynamics, bounds of states and controls, start and end (None: free), time, intervals
CONTROL = {
    "cart-pole": (cart_pole, [2, INF, INF, INF], [(-20, 20)], [0, 0, 0, 0], [1, math.pi, 0, 0], 2.0, 100),
    "van der Pol": (van_der_pol, [INF, INF], [(-0.75, 1)], [0, 1], [None, None], 10.0, 100),
    "quadrotor": (quadrotor, [INF] * 6, [(0, 20), (0, 20)], [0] * 6, [1, 1, 0, 0, 0, 0], 1.5, 100),
    "chain": (chain, [INF, INF], [(-10, 10)], [1, 0], [3, 4], 1.0, 100),
    "catalyst": (catalyst, [INF, INF], [(0, 1)], [1, 0], [None, None], 1.0, 100),
    "rocket": (rocket, [(1, INF), (0, INF), (0.6, 1), (0.05, 0.5)], [(0, 3.5)], [1, 0, 1, None],
               [None, None, 0.6, None], 1.0, 100),
    "bioreactor": (bioreactor, [(0, INF)] * 3, [(28.7, 40)], [6.5, 12, 22], [None] * 3, 48.0, 100),
    "lap": (lap, [5, 1, (5, 70), INF], [(-9, 5), (-9, 9)], [0, 0, 20, 0], [0, 0, 20, 800], 800.0, 100),
}  # fmt: skip


# ------------------------------------------------------------------ symgrad
def symgrad_lines():
    """Yield name, optimum, iterations, seconds to the first solution and in callbacks."""
    import symgrad as sg

    def measured(name, make, solve):
        start = time.perf_counter()
        first = solve(make("auto"))
        took = time.perf_counter() - start
        program = make("llvm")
        solve(program)
        runs = [solve(program).times for _ in range(LATER)]
        spent = min(sum(t for part, t in times.items() if part != "total") for times in runs)
        return name, float(first.f), first.iterations, took, spent

    for number, (x0, bounds, f, g, equal, _) in HOCK_SCHITTKOWSKI.items():

        def make(backend, x0=x0, bounds=bounds, f=f, g=g, equal=equal):
            many = 0 if g is None else len(g(sg, np.array(x0, float)))
            ends = {"lb": np.zeros(many), "ub": np.array([0.0] * equal + [INF] * (many - equal))}
            return sg.optim.NLP(
                lambda x: f(sg, x), np.array(x0, float), bounds=bounds, backend=backend,
                **({} if g is None else {"constraints": lambda x: sg.stack(g(sg, x)), **ends}),
            )  # fmt: skip

        yield measured(f"HS{number}", make, lambda p: p.solve(solver="ipopt"))
    for name, (dynamics, limits, forces, start, end, time_, many) in CONTROL.items():
        problem = _control(sg, dynamics, limits, forces, start, end, time_)
        yield measured(
            name,
            lambda backend, problem=problem, many=many: problem.program(many, method="trapezoidal", backend=backend),
            lambda p: p.solve(solver="ipopt"),
        )


def _control(sg, dynamics, limits, forces, start, end, time_):
    states, controls = [f"x{k}" for k in range(len(limits))], [f"u{k}" for k in range(len(forces))]

    def of(x, u):
        return dynamics(sg, [x[n] for n in states], [u[n] for n in controls])

    return sg.control.Problem(
        lambda x, u, t, p: of(x, u)[0], states={n: sg.control.Variable(*b) for n, b in zip(states, map(pair, limits))},
        controls={n: sg.control.Variable(*b, guess=min(max(0.0, b[0]), b[1])) for n, b in zip(controls, forces)},
        time=(0.0, time_), start=_known(states, start), end=_known(states, end),
        running=lambda x, u, t, p: of(x, u)[1],
    )  # fmt: skip


def _known(names, values):
    return {n: v for n, v in zip(names, values) if v is not None}


def pair(bound):
    """Return the bounds of a state: a number is both."""
    return bound if isinstance(bound, tuple) else (-bound, bound)


# ------------------------------------------------------------------ CasADi
def casadi_lines():
    """Yield the same of CasADi's virtual machine."""
    import casadi as ca

    def measured(name, make):
        start = time.perf_counter()
        solver, arguments = make()
        optimum = solver(**arguments)
        took = time.perf_counter() - start
        first = solver.stats()
        runs = [solver(**arguments) and solver.stats() for _ in range(LATER)]
        spent = min(sum(t for part, t in stats.items() if part.startswith("t_wall_nlp_")) for stats in runs)
        return name, float(optimum["f"]), first["iter_count"], took, spent

    def solver(x, f, g):
        options = {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes", "tol": 1e-8}}
        return ca.nlpsol("s", "ipopt", {"x": x, "f": f, "g": g}, options)

    for number, (x0, bounds, f, g, equal, _) in HOCK_SCHITTKOWSKI.items():

        def make(x0=x0, bounds=bounds, f=f, g=g, equal=equal):
            x = ca.SX.sym("x", len(x0))
            rows = [] if g is None else g(ca, x)
            low, high = zip(*(bounds or [(-INF, INF)] * len(x0)))
            ends = {"lbg": [0.0] * len(rows), "ubg": [0.0] * equal + [INF] * (len(rows) - equal)}
            return solver(x, f(ca, x), ca.vertcat(*rows)), {"x0": x0, "lbx": low, "ubx": high, **ends}

        yield measured(f"HS{number}", make)
    for name, (dynamics, limits, forces, start, end, time_, many) in CONTROL.items():

        def make(dynamics=dynamics, limits=limits, forces=forces, start=start, end=end, time_=time_, many=many):
            n, m = len(limits), len(forces)
            x, u = ca.SX.sym("x", n), ca.SX.sym("u", m)
            slopes, cost = dynamics(ca, [x[k] for k in range(n)], [u[k] for k in range(m)])
            rates = ca.Function("rates", [x, u], [ca.vertcat(*slopes), cost]).map(many + 1)
            X, U = ca.MX.sym("X", n, many + 1), ca.MX.sym("U", m, many + 1)
            F, L = rates(X, U)
            h = time_ / many
            weights = np.full(many + 1, h)
            weights[[0, -1]] = h / 2
            rows = [ca.vec(X[:, 1:] - X[:, :-1] - h / 2 * (F[:, 1:] + F[:, :-1]))]
            rows += [X[k, i] - v for i, ends in ((0, start), (-1, end)) for k, v in enumerate(ends) if v is not None]
            (low, high), (least, most) = zip(*forces), zip(*map(pair, limits))
            first = [0.5 * sum(pair(b)) if v is None else v for v, b in zip(start, limits)]
            straight = np.linspace(first, [a if v is None else v for a, v in zip(first, end)], many + 1).ravel()
            rest = np.tile(np.clip(0.0, low, high), many + 1)
            arguments = {
                "x0": np.concatenate([straight, rest]), "lbg": 0, "ubg": 0,
                "lbx": np.concatenate([np.tile(least, many + 1), np.tile(low, many + 1)]),
                "ubx": np.concatenate([np.tile(most, many + 1), np.tile(high, many + 1)]),
            }  # fmt: skip
            return solver(ca.vertcat(ca.vec(X), ca.vec(U)), L @ ca.DM(weights), ca.vertcat(*rows)), arguments

        yield measured(name, make)


def main():
    """Run both, and print them side by side; fail where optima differ."""
    found = {}
    for peer in ("symgrad", "casadi"):
        run = subprocess.run([sys.executable, __file__, peer], capture_output=True, text=True, check=True)
        found[peer] = {row[0]: row[1:] for row in map(json.loads, run.stdout.splitlines())}
    print(f"{'':12} {'optimum':>13} {'iterations':>11} {'first [ms]':>14} {'callbacks [ms]':>16}")
    wrong = []
    for name, (f, steps, first, spent) in found["symgrad"].items():
        other, their_steps, their_first, their_spent = found["casadi"][name]
        known = np.atleast_1d(HOCK_SCHITTKOWSKI[int(name[2:])][-1] if name.startswith("HS") else other)
        if any(np.min(np.abs(v - known) / (1 + np.abs(known))) > 1e-6 for v in (f, other)):
            wrong.append(name)
        print(
            f"{name:12} {f:13.8g} {steps:5} {their_steps:5} {1e3 * first:7.0f} {1e3 * their_first:6.0f} "
            f"{1e3 * spent:8.2f} {1e3 * their_spent:7.2f}"
        )
    print("Optima differ: " + ", ".join(wrong) if wrong else "All optima agree.")
    return bool(wrong)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for line in symgrad_lines() if sys.argv[1] == "symgrad" else casadi_lines():
            print(json.dumps(line), flush=True)
    else:
        sys.exit(main())
