"""AC optimal power flow: which generators carry the load of a network most cheaply, and what power costs at each bus.

The prices are the multipliers of the balance of active power: by how much the cost per hour grows with one more MW
there. The model is that of rosetta-opf; the network is MATPOWER's case 9 with a line that is too weak.
Run: python examples/power_flow.py, or with a picture by matplotlib: python examples/power_flow.py power_flow.png
Sources: Zimmerman and others, MATPOWER, IEEE Transactions on Power Systems 26 (2011), case9; Coffrin and others,
rosetta-opf.
"""

import importlib
import sys

import numpy as np

import symgrad as sg

CASE9 = {
    "baseMVA": 100.0,
    # number, type, load P and Q, shunt G and B, …, and the limits of the voltage
    "bus": [[k, 3 if k == 1 else 1, p, q, 0, 0, 1, 1, 0, 345, 1, 1.1, 0.9]
            for k, p, q in zip(range(1, 10), [0, 0, 0, 0, 90, 0, 100, 0, 125], [0, 0, 0, 0, 30, 0, 35, 0, 50])],
    # bus, …, limits of Q, …, in service, limits of P
    "gen": [[1, 0, 0, 300, -300, 1, 100, 1, 250, 10], [2, 163, 0, 300, -300, 1, 100, 1, 300, 10],
            [3, 85, 0, 300, -300, 1, 100, 1, 270, 10]],
    # from, to, r, x, b, limit, …, tap, shift, in service, limits of the angle
    "branch": [[f, t, r, x, b, limit, 0, 0, 0, 0, 1, -360, 360] for f, t, r, x, b, limit in [
        (1, 4, 0, 0.0576, 0, 250), (4, 5, 0.017, 0.092, 0.158, 250), (5, 6, 0.039, 0.17, 0.358, 150),
        (3, 6, 0, 0.0586, 0, 300), (6, 7, 0.0119, 0.1008, 0.209, 150), (7, 8, 0.0085, 0.072, 0.149, 250),
        (8, 2, 0, 0.0625, 0, 250), (8, 9, 0.032, 0.161, 0.306, 250), (9, 4, 0.01, 0.085, 0.176, 250)]],
    "gencost": [[2, 1500, 0, 3, 0.11, 5, 150], [2, 2000, 0, 3, 0.085, 1.2, 600], [2, 3000, 0, 3, 0.1225, 1, 335]],
}  # fmt: skip
PLACES = [(-1, 0), (6, 2), (-1, 4), (1, 0), (1, 2), (1, 4), (3, 4), (4, 2), (3, 0)]


class Network:
    """A case of MATPOWER's in units of its base: what is in service, and the admittances of its branches."""

    def __init__(self, case):
        base, bus = case["baseMVA"], np.array(case["bus"], float)
        gen, branch = np.array(case["gen"], float), np.array(case["branch"], float)
        cost, branch = np.array(case["gencost"], float)[: len(gen)][gen[:, 7] > 0], branch[branch[:, 10] > 0]
        gen, self.base = gen[gen[:, 7] > 0], base
        number = {int(n): k for k, n in enumerate(bus[:, 0])}
        self.at = np.array([number[int(n)] for n in gen[:, 0]])
        self.start, self.end = (np.array([number[int(n)] for n in column]) for column in branch[:, :2].T)
        self.reference, self.voltages = np.flatnonzero(bus[:, 1] == 3), bus[:, [12, 11]].T
        self.load_p, self.load_q, self.shunt_g, self.shunt_b = bus[:, 2:6].T / base
        self.reactive, self.active = gen[:, [4, 3]].T / base, gen[:, [9, 8]].T / base
        self.cost = cost[:, 4:7] * np.array([base**2, base, 1.0])
        self.limit = np.where(branch[:, 5] > 0, branch[:, 5] / base, np.inf)
        open_ended = (np.abs(branch[:, 11:13]) >= 360) | (branch[:, 11:13] == 0)
        self.angles = np.where(open_ended, [-np.inf, np.inf], np.deg2rad(branch[:, 11:13])).T
        self._admittances(branch)

    def _admittances(self, branch):
        """Keep, for both ends, what P and Q take of the own voltage squared, of the cosine and of the sine."""
        y, tap = 1 / (branch[:, 2] + 1j * branch[:, 3]), np.where(branch[:, 8] == 0, 1.0, branch[:, 8])
        ratio, own = tap * np.exp(1j * np.deg2rad(branch[:, 9])), y + 0.5j * branch[:, 4]
        ahead, back = -y / np.conj(ratio), -y / ratio
        self.ahead = np.stack([(own / tap**2).real, ahead.real, ahead.imag, -(own / tap**2).imag, -ahead.imag])
        self.back = np.stack([own.real, back.real, back.imag, -own.imag, -back.imag])


def flows(network, x):
    """Return active and reactive power into each branch, at its start and at its end."""
    own, other = x["voltage"][network.start], x["voltage"][network.end]
    difference = x["angle"][network.start] - x["angle"][network.end]
    product = own * other
    cosine, sine = product * sg.cos(difference), product * sg.sin(difference)
    powers = []
    for (g, p, q, b, r), v, s in ((network.ahead, own, sine), (network.back, other, -sine)):
        powers += [g * v**2 + p * cosine + q * s, b * v**2 + r * cosine + p * s]
    return powers


def rules(network, x):
    """Return what is limited: power balances, Ohm's law, the branches' apparent power and angles, and the reference."""
    n, squared = len(network.load_p), x["voltage"] ** 2

    def balance(made, ahead, back, load, shunt):
        out = sg.zeros(n).index_add(0, network.start, ahead).index_add(0, network.end, back)
        return sg.zeros(n).index_add(0, network.at, made) - load - shunt * squared - out

    names = ("p_start", "q_start", "p_end", "q_end")
    return {
        "active": balance(x["p"], x["p_start"], x["p_end"], network.load_p, network.shunt_g),
        "reactive": balance(x["q"], x["q_start"], x["q_end"], network.load_q, -network.shunt_b),
        "law": dict(zip(names, (x[name] - f for name, f in zip(names, flows(network, x))))),
        "start": x["p_start"] ** 2 + x["q_start"] ** 2,
        "end": x["p_end"] ** 2 + x["q_end"] ** 2,
        "difference": x["angle"][network.start] - x["angle"][network.end],
        "reference": x["angle"][network.reference],
    }


def cost(network, x):
    """Return the cost per hour."""
    return (network.cost[:, 0] * x["p"] ** 2 + network.cost[:, 1] * x["p"] + network.cost[:, 2]).sum()


def program(case, backend="auto"):
    """Return the network, and its nonlinear program."""
    network = Network(case)
    limit, arcs = network.limit, np.zeros(len(network.limit))
    n, m = len(network.load_p), len(network.at)
    x0 = {"angle": np.zeros(n), "voltage": np.ones(n), "p": np.zeros(m), "q": np.zeros(m)}
    bounds = {"voltage": tuple(network.voltages), "p": tuple(network.active), "q": tuple(network.reactive)}
    for name in ("p_start", "q_start", "p_end", "q_end"):
        x0[name], bounds[name] = arcs, (-limit, limit)
    return network, sg.optim.NLP(
        lambda x: cost(network, x),
        x0,
        constraints=lambda x: rules(network, x),
        lb={"start": -np.inf, "end": -np.inf, "difference": network.angles[0]},
        ub={"start": limit**2, "end": limit**2, "difference": network.angles[1]},
        bounds=bounds,
        backend=backend,
    )


def draw(ax, solution, network):
    """Draw the network: power on the branches, red where a limit is reached, and prices at the buses."""
    places, x = np.array(PLACES, float), solution.x
    flow = network.base * np.abs(x["p_start"])
    for k, (a, b) in enumerate(zip(network.start, network.end)):
        full = np.hypot(x["p_start"][k], x["q_start"][k]) > 0.999 * network.limit[k]
        ax.plot(*places[[a, b]].T, color="C3" if full else "0.6", linewidth=1 + flow[k] / 25, zorder=1)
        ax.text(*places[[a, b]].mean(0), f"{flow[k]:.0f} MW", ha="center", va="center", fontsize=8, backgroundcolor="w")
    dots = ax.scatter(*places.T, c=prices(solution, network), s=340, cmap="viridis", zorder=2)
    for k, place in enumerate(places):
        ax.text(*place, k + 1, ha="center", va="center", color="w", zorder=3)
    ax.figure.colorbar(dots, label="price [$/MWh]")
    ax.set(title=f"Case 9 with a weak line: {solution.f:.0f} $/h")
    ax.margins(0.12)
    ax.axis("off")


def prices(solution, network):
    """Return what one more MW costs at each bus."""
    return solution.multipliers["active"] / network.base


def weak(case, branch, limit):
    """Return the case with another limit of one branch."""
    rows = [list(row) for row in case["branch"]]
    rows[branch][5] = limit
    return {**case, "branch": rows}


def main(path=None):
    """Solve the case as it is and with a weak line, and draw the latter where there is a path."""
    network, problem = program(CASE9)
    solution = problem.solve()
    assert solution.success
    assert abs(solution.f - 5296.69) < 0.01
    print(f"Case 9: {solution.f:.2f} $/h, as MATPOWER has it; prices {prices(solution, network).round(2)}")
    network, problem = program(weak(CASE9, 5, 60.0))
    solution = problem.solve()
    assert solution.success
    print(f"With a weak line from bus 7 to bus 8: {solution.f:.2f} $/h")
    print("At its limit:", ", ".join(name for name in solution.active if name.startswith(("start", "end"))))
    print(f"Prices {prices(solution, network).round(2)}")
    if path is not None:
        figure, ax = importlib.import_module("matplotlib.pyplot").subplots(figsize=(7, 4.6), layout="constrained")
        draw(ax, solution, network)
        figure.savefig(path, dpi=120)
        print(f"Drawn: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
