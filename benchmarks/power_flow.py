"""AC optimal power flow by IPOPT, with derivatives of symgrad and of CasADi: ``python benchmarks/power_flow.py``.

The cases are MATPOWER's, from pypower; the model is rosetta-opf's, for symgrad that of ``examples/power_flow.py``, for
CasADi written row by row as rosetta-opf does. Each library runs in a process of its own, which prints a line for each
case: optimum, iterations, seconds to build, to the first solution, and in callbacks of the fastest of later ones.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

EXAMPLES = str(Path(__file__).resolve().parent.parent / "examples")
CASES = ("case9", "case14", "case24_ieee_rts", "case30", "case39", "case57", "case118", "case300")
LATER = 5  # solutions
OPTIMA = {"case9": 5296.69, "case14": 8081.53, "case30": 576.89, "case39": 41864.18, "case57": 41737.79,
          "case118": 129660.69, "case300": 719725.11}  # fmt: skip


def case_of(name):
    """Return a case of pypower's."""
    import pypower.api

    return getattr(pypower.api, name)()


# ------------------------------------------------------------------ symgrad
def symgrad_lines():
    """Yield name, optimum, iterations, seconds to build, to the first solution and in callbacks."""
    sys.path.insert(0, EXAMPLES)
    import power_flow

    power_flow.program(power_flow.CASE9)[1].solve(solver="ipopt")
    for name in CASES:
        case = case_of(name)
        start = time.perf_counter()
        problem = power_flow.program(case)[1]
        _build(problem)
        build = time.perf_counter() - start
        first = problem.solve(solver="ipopt")
        took = time.perf_counter() - start
        problem = power_flow.program(case, "llvm")[1]
        problem.solve(solver="ipopt")
        runs = [problem.solve(solver="ipopt").times for _ in range(LATER)]
        spent = min(sum(t for part, t in times.items() if part != "total") for times in runs)
        yield name, float(first.f), first.iterations, build, took, spent


def _build(problem):
    """Call each function once, so that nothing is left to build."""
    d, z = problem.derivatives, problem._start(None, None)
    d.objective(z, ()), d.gradient(z, ()), d.constraints(z, ()), d.jacobian(z, ())
    d.hessian(z, 1.0, np.zeros(d.held), ())


# ------------------------------------------------------------------ CasADi
def casadi_lines():
    """Yield the same of CasADi's virtual machine."""
    sys.path.insert(0, EXAMPLES)
    from power_flow import Network

    for name in CASES:
        network = Network(case_of(name))
        start = time.perf_counter()
        solver, arguments = _casadi_solver(network)
        build = time.perf_counter() - start
        optimum = solver(**arguments)
        took = time.perf_counter() - start
        first = solver.stats()
        runs = [solver(**arguments) and solver.stats() for _ in range(LATER)]
        spent = min(sum(t for part, t in stats.items() if part.startswith("t_wall_nlp_")) for stats in runs)
        yield name, float(optimum["f"]), first["iter_count"], build, took, spent


def _casadi_solver(network):
    import casadi as ca

    n, m, lines = len(network.load_p), len(network.at), len(network.limit)
    angle, voltage = [ca.SX.sym(f"va{k}") for k in range(n)], [ca.SX.sym(f"vm{k}") for k in range(n)]
    p, q = [ca.SX.sym(f"p{k}") for k in range(m)], [ca.SX.sym(f"q{k}") for k in range(m)]
    arcs = [[ca.SX.sym(f"f{i}{k}") for k in range(lines)] for i in range(4)]
    rows, low, high = [], [], []

    def limited(row, lower=0.0, upper=0.0):
        rows.append(row), low.append(lower), high.append(upper)

    for k in network.reference:
        limited(angle[k])
    active = [-network.load_p[k] - network.shunt_g[k] * voltage[k] ** 2 for k in range(n)]
    reactive = [-network.load_q[k] + network.shunt_b[k] * voltage[k] ** 2 for k in range(n)]
    for k, at in enumerate(network.at):
        active[at] += p[k]
        reactive[at] += q[k]
    for k in range(lines):
        for i, at in ((0, network.start[k]), (2, network.end[k])):
            active[at] -= arcs[i][k]
            reactive[at] -= arcs[i + 1][k]
    for row in (*active, *reactive):
        limited(row)
    for k, (a, b) in enumerate(zip(network.start, network.end)):
        product, difference = voltage[a] * voltage[b], angle[a] - angle[b]
        cosine, sine = product * ca.cos(difference), product * ca.sin(difference)
        for i, c, v, s in ((0, network.ahead[:, k], voltage[a], sine), (2, network.back[:, k], voltage[b], -sine)):
            limited(arcs[i][k] - (c[0] * v**2 + c[1] * cosine + c[2] * s))
            limited(arcs[i + 1][k] - (c[3] * v**2 + c[4] * cosine + c[1] * s))
            limited(arcs[i][k] ** 2 + arcs[i + 1][k] ** 2, -np.inf, network.limit[k] ** 2)
        limited(difference, network.angles[0, k], network.angles[1, k])
    cost = sum(c[0] * p[k] ** 2 + c[1] * p[k] + c[2] for k, c in enumerate(network.cost))
    x = ca.vertcat(*angle, *voltage, *p, *q, *(v for part in arcs for v in part))
    options = {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes", "tol": 1e-8}}
    solver = ca.nlpsol("s", "ipopt", {"x": x, "f": cost, "g": ca.vertcat(*rows)}, options)
    limit, free = np.tile(network.limit, 4), np.full(n, np.inf)
    ends = [np.concatenate([-s * free, network.voltages[k], network.active[k], network.reactive[k], -s * limit])
            for k, s in ((0, 1), (1, -1))]  # fmt: skip
    start = np.concatenate([np.zeros(n), np.ones(n), np.zeros(2 * m + 4 * lines)])
    return solver, {"x0": start, "lbx": ends[0], "ubx": ends[1], "lbg": low, "ubg": high}


def main():
    """Run both, and print them side by side; fail where optima differ."""
    lines = {}
    for peer in ("symgrad", "casadi"):
        run = subprocess.run([sys.executable, __file__, peer], capture_output=True, text=True, check=True)
        lines[peer] = {row[0]: row[1:] for row in map(json.loads, run.stdout.splitlines())}
    print(f"{'':16} {'optimum':>13} {'iterations':>11} {'build [ms]':>14} {'first [ms]':>14} {'callbacks [ms]':>16}")
    wrong = []
    for name, (f, steps, build, first, spent) in lines["symgrad"].items():
        other, their_steps, their_build, their_first, their_spent = lines["casadi"][name]
        if abs(f - other) > 1e-6 * f or abs(f - OPTIMA.get(name, f)) > 1e-5 * f:
            wrong.append(name)
        print(
            f"{name:16} {f:13.8g} {steps:5} {their_steps:5} {1e3 * build:7.0f} {1e3 * their_build:6.0f} "
            f"{1e3 * first:7.0f} {1e3 * their_first:6.0f} {1e3 * spent:8.2f} {1e3 * their_spent:7.2f}"
        )
    print("Optima differ: " + ", ".join(wrong) if wrong else "All optima agree.")
    return bool(wrong)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for line in symgrad_lines() if sys.argv[1] == "symgrad" else casadi_lines():
            print(json.dumps(line), flush=True)
    else:
        sys.exit(main())
