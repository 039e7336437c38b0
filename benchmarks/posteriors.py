"""Gradients of posteriordb's posteriors: symgrad, NumPyro, and JAX by hand, as blackjax takes it.

``python benchmarks/posteriors.py [WORD…]`` runs those whose names contain a word. Each library has a process, one CPU
and one thread, float64; values and gradients are compared before they are timed; the libraries take turns, and the
least of several bursts counts. A call from Python is what nutpie, mici and emcee make; a sampler in JAX calls the
gradient inside its own compiled loop. So each library is also timed in a compiled loop of 200 gradients. Every gradient
is at another vector.
The figure to hold is 3: symgrad is three times as fast as the faster of the others.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from measure import ONE_THREAD, loops_of, per_call

TURNS, STEPS = 5, 200  # bursts, and gradients of a loop
PEERS = ("symgrad", "numpyro", "jax")
HEAD = "| posterior | numbers | symgrad | NumPyro | JAX | ratio | loop: symgrad | loop: NumPyro | loop: JAX | ratio |"
RTOL = 1e-6  # of gradients, beside that of the posterior: the adjoint equation has errors of its own


# ------------------------------------------------------------------ libraries: a posterior to calls
def symgrad(name: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """The compiled function that samplers call; and a loop around the same density."""
    from problems.posteriors import POSTERIORS

    import symgrad as sg

    posterior = POSTERIORS[name]
    model = posterior.model(posterior.data)
    density, arrays = model._density.total, model._arrays

    def steps(v: Any, *arrays: Any) -> Any:
        both = sg.value_and_grad(lambda y: density(y, *arrays))
        return sg.scan(_step(both), v, None, length=STEPS)

    loop = sg.compile(steps)
    return model.compiled(), lambda v: loop(v, *arrays)


def _step(both: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """A step of a loop, to a vector that depends on the gradient."""

    def step(v: Any, _: Any) -> Any:
        value, slope = both(v)
        return v + 1e-9 * slope / (1 + abs(slope).max()), value

    return step


def _jitted(density: Callable[[Any], Any]) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Value and gradient under jax.jit; and a loop of them."""
    import jax

    both = jax.value_and_grad(density)
    call, loop = jax.jit(both), jax.jit(lambda v: jax.lax.scan(_step(both), v, None, length=STEPS))
    return lambda v: tuple(np.asarray(a) for a in call(v)), lambda v: [np.asarray(a) for a in loop(v)]


def _jax() -> Any:
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_cpu_enable_async_dispatch", False)
    return jax


def numpyro(name: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """NumPyro's potential."""
    _jax()
    from problems.numpyro_models import log_density
    from problems.posteriors import POSTERIORS

    return _jitted(log_density(name, POSTERIORS[name].data))


def jax(name: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """The density that was written by hand."""
    j = _jax()
    from jax.experimental.ode import odeint
    from problems.posteriors import POSTERIORS

    m = j.numpy
    names = SimpleNamespace(exp=m.exp, log=m.log, sqrt=m.sqrt, stack=m.stack, scan=j.lax.scan, odeint=odeint)
    posterior = POSTERIORS[name]
    return _jitted(lambda v: posterior.log_density(names, posterior.data, v))


# ------------------------------------------------------------------ one library in its process, and their turns
def serve(peer: str, name: str) -> None:
    """Say what a library computes at the posterior's point; then for each line read, the microseconds of a gradient."""
    from problems.posteriors import POSTERIORS

    posterior = POSTERIORS[name]
    point = posterior.point(posterior.model(posterior.data).size)
    say = lambda **found: print(json.dumps(found), flush=True)
    start = time.perf_counter()
    try:
        call, loop = {"symgrad": symgrad, "numpyro": numpyro, "jax": jax}[peer](name)
        value, slope = call(point)
    except ImportError as error:
        return say(missing=str(error))
    say(value=float(value), slope=[float(g) for g in slope], first_ms=(time.perf_counter() - start) * 1e3)
    points = [point + 1e-6 * k for k in range(16)]

    def sixteen() -> None:
        for p in points:
            call(p)

    calls = [(sixteen, len(points)), (lambda: loop(point), STEPS)]
    counts = [loops_of(f) for f, _ in calls]
    for _ in sys.stdin:
        say(us=[per_call(f, k) / gradients * 1e6 for (f, gradients), k in zip(calls, counts, strict=True)])


def measured(name: str) -> dict[str, dict[str, Any]]:
    """Return what each library computes, and the least of its microseconds: of calls, and in a loop."""
    found, workers = {}, {}
    for peer in PEERS:
        workers[peer] = subprocess.Popen(
            [sys.executable, __file__, "--serve", peer, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **ONE_THREAD},
        )  # fmt: skip
        found[peer] = json.loads(workers[peer].stdout.readline() or '{"missing": "the process ended"}')
    able = [peer for peer in PEERS if "value" in found[peer]]
    turns: dict[str, list[list[float]]] = {peer: [] for peer in able}
    for _ in range(TURNS):
        for peer in able:
            workers[peer].stdin.write("\n")
            workers[peer].stdin.flush()
            turns[peer].append(json.loads(workers[peer].stdout.readline())["us"])
    for peer in able:
        found[peer]["us"] = [min(times) for times in zip(*turns[peer], strict=True)]
    for worker in workers.values():
        worker.communicate()
    return found


def disagreement(found: dict[str, dict[str, Any]], rtol: float) -> str:
    """Say whose value or gradient is not symgrad's."""
    own = found["symgrad"]
    for peer, other in found.items():
        if "value" not in other:
            continue
        off = np.abs(np.subtract(own["slope"], other["slope"])).max() / np.abs(own["slope"]).max()
        if not (np.isclose(own["value"], other["value"], rtol=rtol) and off <= max(RTOL, 100 * rtol)):
            return f"{peer}: log p = {other['value']!r} and not {own['value']!r}, gradient off by {off:.1e}"
    return ""


def row(name: str, found: dict[str, dict[str, Any]]) -> list[str]:
    """A posterior as a row of the table; a dash stands for a library that is not installed."""
    cells = [name, str(len(found["symgrad"]["slope"]))]
    for k in (0, 1):
        times = {peer: found[peer]["us"][k] for peer in PEERS if "us" in found[peer]}
        cells += [f"{times[peer]:.2f}" if peer in times else "–" for peer in PEERS]
        others = [t for peer, t in times.items() if peer != "symgrad"]
        cells.append(_verdict(min(others) / times["symgrad"]) if others else "–")
    return cells


def _verdict(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= 1 else f"{ratio:.2f} behind"


def main() -> None:
    """Print a row for each posterior; fail where libraries disagree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="parts of posteriors' names")
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        return serve(*asked.serve)
    from problems.posteriors import POSTERIORS

    wrong = []
    print(f"{HEAD}\n|---|{'---:|' * 9}")
    for name, posterior in POSTERIORS.items():
        if asked.words and not any(word in name for word in asked.words):
            continue
        found = measured(name)
        if difference := disagreement(found, posterior.rtol):
            wrong.append(f"{name}: {difference}")
            continue
        print(f"| {' | '.join(row(name, found))} |", flush=True)
        for peer in PEERS:
            if "missing" in found[peer]:
                print(f"{name}: {peer} is missing: {found[peer]['missing']}", file=sys.stderr)
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main()
