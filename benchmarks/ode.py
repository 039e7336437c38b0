"""The gradient of a least-squares fit through a small differential equation: symgrad, diffrax, JAX, torchdiffeq.

Run: python benchmarks/ode.py [--rounds N]. Each peer has a process of its own, on one CPU and one thread, float64
and the same tolerances; they take turns, and medians count. Every call is at another θ, as in a fit, so that nothing
can be remembered. Each gradient is compared with diffrax's Dopri8 at 1e-12.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

RTOL, ATOL = 1e-6, 1e-8
ERROR = 2e-3  # of a gradient, relative to its norm, that the tolerances may leave
HERE = os.path.abspath(__file__)


class Fit(NamedTuple):
    """A fit: y(0) and data are fixed, θ is to be found.

    Attributes:
        right: (library, y, t, θ) to y′, in array operations that all libraries have.
        start: y(0).
        truth: θ of the data.
        at: θ of the gradient.
        until: the last of the times.
        count: how many times there are.
    """

    right: Callable[..., Any]
    start: list[float]
    truth: list[float]
    at: list[float]
    until: float
    count: int


def lotka_volterra(L: Any, y: Any, t: Any, p: Any) -> Any:
    """Prey and predators."""
    return L.stack([(p[0] - p[1] * y[1]) * y[0], (p[2] * y[0] - p[3]) * y[1]])


def chain(L: Any, y: Any, t: Any, p: Any) -> Any:
    """A → B ⇌ C, B + C → D."""
    first, forth, back, last = p[0] * y[0], p[1] * y[1], p[2] * y[2], p[3] * y[1] * y[2]
    return L.stack([-first, first - forth + back - last, forth - back - last, last])


def ring(L: Any, y: Any, t: Any, p: Any) -> Any:
    """Five oscillators x″ = −k x − x³ + c (neighbours − 2x), their springs k and the coupling c unknown."""
    x, v = y[:5], y[5:]
    force = -p[:5] * x - x**3 + p[5] * (L.roll(x, 1) + L.roll(x, -1) - 2 * x)
    return (L.cat if hasattr(L, "cat") else L.concatenate)([v, force])


FITS = {
    "Lotka-Volterra, 2 states": Fit(
        lotka_volterra, [30.0, 4.0], [0.55, 0.028, 0.024, 0.80], [0.5, 0.025, 0.025, 0.75], 20.0, 21
    ),
    "chemical chain, 4 states": Fit(chain, [1.0, 0.0, 0.0, 0.0], [1.2, 0.8, 0.3, 2.0], [1.0, 1.0, 0.5, 1.5], 10.0, 21),
    "ring of oscillators, 10 states": Fit(
        ring,
        [1.0, 0.0, -0.5, 0.3, 0.0, 0.0, 0.5, 0.0, 0.0, -0.2],
        [1.0, 1.2, 0.8, 1.1, 0.9, 0.4],
        [1.1, 1.0, 1.0, 1.0, 1.0, 0.5],
        10.0,
        21,
    ),
}


def data(fit: Fit) -> tuple[Any, Any, Any, Any]:
    """Return y(0), the times, what was observed, and θ, as NumPy arrays."""
    import numpy as np
    from scipy.integrate import solve_ivp

    t = np.linspace(0.0, fit.until, fit.count)
    truth = np.array(fit.truth)
    flow = solve_ivp(lambda t, y: fit.right(np, y, t, truth), (0, fit.until), fit.start, "DOP853", t, rtol=1e-12)
    return np.array(fit.start), t, flow.y.T, np.array(fit.at)


def along(at: Any, call: Callable[[Any], Any]) -> Callable[[], Any]:
    """Return calls at one θ after the other, of which the first is ``at``."""
    points = itertools.cycle([at * (1 + 1e-5 * k) for k in range(64)])
    return lambda: call(next(points))


# ------------------------------------------------------------------ peers: a fit to calls that return value, gradient
def symgrad(fit: Fit) -> Callable[[], Any]:
    """sg.odeint, compiled, exactly the derivative of the steps."""
    import symgrad as sg

    y0, t, observed, at = data(fit)
    right = lambda y, t, p: fit.right(sg, y, t, p)

    def loss(p: Any) -> Any:
        return ((sg.odeint(right, y0, t, p, rtol=RTOL, atol=ATOL) - observed) ** 2).sum()

    return along(at, sg.compile(sg.value_and_grad(loss)))


def diffrax(solver: str, rtol: float = RTOL, atol: float = ATOL) -> Callable[[Fit], Callable[[], Any]]:
    """diffrax with its default adjoint, in jax.jit."""

    def prepared(fit: Fit) -> Callable[[], Any]:
        import diffrax as d
        import jax
        import jax.numpy as jnp
        import numpy as np

        jax.config.update("jax_enable_x64", True)
        y0, t, observed, at = data(fit)
        term = d.ODETerm(lambda t, y, p: fit.right(jnp, y, t, p))
        settings = {"saveat": d.SaveAt(ts=t), "stepsize_controller": d.PIDController(rtol=rtol, atol=atol)}

        def loss(p: Any) -> Any:
            found = d.diffeqsolve(term, getattr(d, solver)(), t[0], t[-1], None, y0, p, **settings)
            return ((found.ys - observed) ** 2).sum()

        call = jax.jit(jax.value_and_grad(loss))
        return along(at, lambda p: tuple(np.asarray(a) for a in call(p)))

    return prepared


def jax_odeint(fit: Fit) -> Callable[[], Any]:
    """jax.experimental.ode.odeint, whose derivative is the adjoint equation, in jax.jit."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.experimental.ode import odeint

    jax.config.update("jax_enable_x64", True)
    y0, t, observed, at = data(fit)
    right = lambda y, t, p: fit.right(jnp, y, t, p)
    loss = lambda p: ((odeint(right, jnp.asarray(y0), t, p, rtol=RTOL, atol=ATOL) - observed) ** 2).sum()
    call = jax.jit(jax.value_and_grad(loss))
    return along(at, lambda p: tuple(np.asarray(a) for a in call(p)))


def torchdiffeq(fit: Fit) -> Callable[[], Any]:
    """torchdiffeq.odeint, which PyTorch differentiates step by step."""
    import torch
    from torchdiffeq import odeint

    torch.set_num_threads(1)
    y0, t, observed, at = (torch.as_tensor(a) for a in data(fit))

    def call(theta: Any) -> Any:
        p = theta.clone().requires_grad_()
        found = odeint(lambda t, y: fit.right(torch, y, t, p), y0, t, rtol=RTOL, atol=ATOL, method="dopri5")
        loss = ((found - observed) ** 2).sum()
        loss.backward()
        return loss.detach().numpy(), p.grad.numpy()

    return along(at, call)


PEERS: dict[str, Callable[[Fit], Callable[[], Any]]] = {
    "reference": diffrax("Dopri8", 1e-12, 1e-12),
    "symgrad": symgrad,
    "diffrax Tsit5": diffrax("Tsit5"),
    "diffrax Dopri5": diffrax("Dopri5"),
    "jax odeint": jax_odeint,
    "torchdiffeq": torchdiffeq,
}


# ------------------------------------------------------------------ one peer in its process, and their turns
def serve(peer: str, name: str) -> None:
    """Say what one peer computes, then for each line read, the microseconds of a call."""
    from measure import ONE_THREAD, loops_of, per_call

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    os.environ.update(ONE_THREAD)
    say = lambda **found: print(json.dumps(found), flush=True)
    try:
        call = PEERS[peer](FITS[name])
        start = time.perf_counter()
        value, gradient = call()
    except Exception as failure:  # a table tells of all
        return say(missing=f"{type(failure).__name__}: {str(failure)[:150]}")
    say(value=float(value), gradient=[float(g) for g in gradient], first_ms=(time.perf_counter() - start) * 1e3)
    loops = 0
    for _ in sys.stdin:
        loops = loops or loops_of(call)
        say(us=per_call(call, loops) * 1e6)


def turns(name: str, rounds: int) -> dict[str, dict[str, Any]]:
    """Return what each peer computes, and the median of its microseconds."""
    import numpy as np

    found, workers = {}, {}
    for peer in PEERS:
        command = [sys.executable, HERE, "--serve", peer, name]
        worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        found[peer] = json.loads(worker.stdout.readline() or '{"missing": "the process ended"}')
        if "gradient" in found[peer] and peer != "reference":
            workers[peer] = worker
            g = np.array(found["reference"].get("gradient", found[peer]["gradient"]))
            found[peer]["error"] = float(np.linalg.norm(found[peer]["gradient"] - g) / np.linalg.norm(g))
        else:
            worker.communicate()
    times: dict[str, list[float]] = {peer: [] for peer in workers}
    for _ in range(rounds):
        for peer, worker in workers.items():
            worker.stdin.write("\n")
            worker.stdin.flush()
            times[peer].append(json.loads(worker.stdout.readline())["us"])
    for peer, worker in workers.items():
        found[peer]["us"] = statistics.median(times[peer])
        worker.communicate()
    return found


def main() -> None:
    """Print a row for each fit; fail where a gradient is wrong."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--serve", nargs=2)
    chosen = options.parse_args()
    if chosen.serve:
        return serve(*chosen.serve)
    timed = [peer for peer in PEERS if peer != "reference"]
    print(f"| equation | {' | '.join(timed)} |\n|---|{'---:|' * len(timed)}")
    failed = []
    for name in FITS:
        found = turns(name, chosen.rounds)
        print(f"| {name} | {' | '.join(cell(found[peer], found['symgrad']['us']) for peer in timed)} |", flush=True)
        failed += [f"{name}: {peer} {why}" for peer in timed for why in failures(peer, found[peer])]
    if failed:
        sys.exit("\n".join(failed))


def cell(found: dict[str, Any], own: float) -> str:
    """Microseconds and, beside those of symgrad, how many times as many they are."""
    if "us" not in found:
        return "–"
    return f"{found['us']:,.0f}" + ("" if found["us"] == own else f" ({found['us'] / own:.1f}×)")


def failures(peer: str, found: dict[str, Any]) -> list[str]:
    """Say whose gradient is wrong; of a peer that is not installed nothing."""
    if "us" not in found:
        print(f"{peer}: {found['missing']}", file=sys.stderr)
        return []
    return [] if found["error"] <= ERROR else [f"has a gradient that is off by {found['error']:.0e}"]


if __name__ == "__main__":
    main()
