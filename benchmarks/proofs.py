"""Certain numbers beside others: gradients at a point, zeros of systems, and enclosures by length of the program.

``python benchmarks/proofs.py`` prints three tables. The processor time of the fastest of many rounds counts.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from time import perf_counter, thread_time
from types import SimpleNamespace
from typing import Any

import numpy as np
from mpmath import iv

import symgrad as sg

COUNTS, LENGTHS = (50, 100, 200, 400, 800), (250, 500, 1000, 2000)
POINT = np.array([0.7, 0.4])
ROUND = 10  # operations in a turn of ``chain``


def chain(m: Any, v: Any, count: int) -> Any:
    """A function of two numbers, of so many operations."""
    a, b = v[0], v[1]
    for _ in range(count // ROUND):
        a, b = m.sin(a) * b + 0.5 * a, m.exp(-b * b) / (1 + a * a)
    return a


def forward(m: Any, count: int) -> list[Any]:
    """The same function and its gradient on intervals of a library, written out in forward mode."""
    (a, da), (b, db) = [(m.mpf(float(x)), [m.mpf(float(i == k)) for i in range(2)]) for k, x in enumerate(POINT)]
    for _ in range(count // ROUND):
        s, c, e, q = m.sin(a), m.cos(a), m.exp(-b * b), 1 + a * a
        after = [c * x * b + s * y + x / 2 for x, y in zip(da, db, strict=True)]
        db = [-(2 * b * y + 2 * a * x / q) * e / q for x, y in zip(da, db, strict=True)]
        a, b, da = s * b + a / 2, e / q, after
    return [a, *da]


def fastest(call: Callable[[], Any], seconds: float = 0.5) -> float:
    """The seconds of processor time that a call takes, in the fastest of many rounds."""
    start = thread_time()
    call()
    loops = max(1, int(0.002 / max(thread_time() - start, 1e-6)))
    times, end = [], perf_counter() + seconds
    while perf_counter() < end or len(times) < 3:
        start = thread_time()
        for _ in range(loops):
            call()
        times.append((thread_time() - start) / loops)
    return min(times)


def others(library: Any) -> list[str]:
    """The microseconds of a library's intervals."""
    return [f"{1e6 * fastest(partial(forward, library, count)):.0f}" for count in COUNTS]


def of_codac() -> None:
    """Print those of Codac, where it is installed, in a process of their own: it changes how floats are rounded."""
    try:
        import codac
    except ImportError:
        print(*["–"] * len(COUNTS))
        return
    print(*others(SimpleNamespace(mpf=codac.Interval, sin=codac.sin, cos=codac.cos, exp=codac.exp)))


def own(count: int) -> list[str]:
    """The microseconds of compiled floats and of certain numbers, their ratio, and the digits that are certain."""
    f = sg.value_and_grad(partial(chain, sg, count=count))
    floats, balls = sg.compile(f, tiers=False), sg.compile(f, backend="arb")
    value, gradient = balls(POINT)
    digits = min(y.rel_accuracy_bits() for y in (value, *gradient)) * 0.30103
    floats(POINT)
    compiled, certain = (fastest(partial(call, POINT)) for call in (floats, balls))
    return [f"{1e6 * compiled:.2f}", f"{1e6 * certain:.1f}", f"{certain / compiled:.0f}", f"{digits:.0f}"]


def points() -> None:
    """Print the microseconds of values and gradients at a point."""
    command = [sys.executable, __file__, "codac"]
    codac = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    print('| operations | compiled floats | `backend="arb"` | ratio | certain digits | mpmath.iv | Codac |')
    print("|---|---:|---:|---:|---:|---:|---:|")
    for count, *cells in zip(COUNTS, others(iv), codac, strict=True):
        print(f"| {count} | {' | '.join([*own(count), *cells])} |", flush=True)


# ------------------------------------------------------------------ systems
def broyden(x: Any) -> Any:
    """Broyden's tridiagonal system."""
    z = sg.zeros(1)
    return (3 - 2 * x) * x + 1 - sg.cat([z, x[:-1]]) - 2 * sg.cat([x[1:], z])


def brown(x: Any) -> Any:
    """Brown's almost linear system."""
    return sg.cat([x[:-1] + x.sum() - (x.shape[0] + 1), x.prod().reshape(1) - 1])


def robot(v: Any) -> Any:
    """The joints of a robot, as cosines and sines of their angles: Morgan and Shapiro 1987, PUMA."""
    a, b, c, d, e, f, g, h = v
    return sg.stack([
        0.004731 * a * c - 0.3578 * b * c - 0.1238 * a + g - 0.001637 * b - 0.9338 * d - 0.3571,
        0.2238 * a * c + 0.7623 * b * c + 0.2638 * a - 0.07745 * b - 0.6734 * d - 0.6022,
        f * h + 0.3578 * a + 0.004731 * b,
        -0.7623 * a + 0.2238 * b + 0.3461,
        a**2 + b**2 - 1, c**2 + d**2 - 1, e**2 + f**2 - 1, g**2 + h**2 - 1,
    ])  # fmt: skip


HAND = np.array([  # the axes of a hand as columns, and its position
    [-0.760117, -0.641689, 0.102262, -1.140175],
    [0.133333, 0.0, 0.991071, 0.0],
    [-0.635959, 0.766965, 0.085558, 0.0],
])  # fmt: skip


def joint(angle: Any, twist: float) -> Any:
    """The rotation of a joint and of the link behind it, whose twist is in degrees."""
    c, s, zero = sg.cos(angle), sg.sin(angle), 0 * angle
    k, h = np.cos(np.radians(twist)), np.sin(np.radians(twist))
    return sg.stack([c, -s * k, s * h, s, c * k, -c * h, zero, zero + h, zero + k]).reshape(3, 3)


def manipulator(v: Any) -> Any:
    """The angles of joints 1, 2, 5 and 6 for which joints 3 and 4 reach each other: Manseur and Doty 1989."""
    first, fourth = joint(v[0], 90.0), HAND[:, :3] @ joint(v[3], 1.0).T @ joint(v[2], 90.0).T
    second = first @ joint(v[1], 1.0)
    gap = HAND[:, 3] - 1.5 * fourth[:, 0] - 0.3 * first[:, 0] - second[:, 0] - 0.2 * second[:, 2]
    axis = fourth @ np.array([0.0, np.sin(np.radians(1.0)), np.cos(np.radians(1.0))])
    return sg.cat([gap, (second[:, 2] @ axis).reshape(1)])


def arm(v: Any) -> Any:
    """The angles of a robot with six joints: the problem Kin1 of Ibex."""
    a, b, c, d, e, f = sg.cos(v)
    t, u, x, y, z, w = sg.sin(v)
    return sg.stack([
        b * f + c * f + d * f + e * u * w - e * x * w - e * y * w - 0.4077,
        e * t + a * b * z + a * c * z + a * d * z - 1.9115,
        u * z + x * z + y * z - 1.9791,
        3 * a * b + 2 * a * c + a * d - 4.0616,
        3 * b * t + 2 * c * t + d * t - 1.7172,
        3 * u + 2 * x + y - 3.9701,
    ])  # fmt: skip


def kicked(v: Any) -> Any:
    """The state of two coupled rotors after a kick: Smiley and Chun 2001, example 5.5."""
    friction, angles, speeds = np.array([np.pi / 10, np.pi / 5]), v[:2], v[2:]
    speeds = speeds - 5 * sg.stack([sg.sin(v[0]) * sg.cos(v[1]), sg.cos(v[0]) * sg.sin(v[1])])
    rest = np.exp(-2 * friction)
    return sg.cat([angles + (1 - rest) / (2 * friction) * speeds, rest * speeds])


def kicked_twice(v: Any) -> Any:
    """What two kicks change; it is zero for states that return after two."""
    return kicked(kicked(v)) - v


KICKED = np.pi * np.array([-1.02, -1.02, -0.5, -0.5]), np.pi * np.array([1.02, 1.02, 0.5, 0.5])


SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
SYSTEMS: dict[str, tuple[Any, Any]] = {
    "Broyden, tridiagonal, n = 5": (broyden, (-np.ones(5), np.ones(5))),
    "Broyden, tridiagonal, n = 10": (broyden, (-np.ones(10), np.ones(10))),
    "Brown, almost linear, n = 3": (brown, (np.zeros(3), np.full(3, 4.0))),
    "Brown, almost linear": (brown, (np.full(5, -2.0), np.full(5, 6.0))),
    "the robot PUMA, n = 8": (robot, (-np.ones(8), np.ones(8))),
    "a robot with general joints, n = 4": (manipulator, (np.full(4, -np.pi), np.full(4, np.pi))),
    "Kin1, n = 6": (arm, (np.zeros(6), np.full(6, 2 * np.pi))),
    "Smiley and Chun's example 5.5, n = 4": (kicked_twice, KICKED),
}


def systems() -> None:
    """Print how long the search for all zeros of a system takes, and the check of its certificate."""
    print("| system | box | zeros | boxes | s | s, check |\n|---|---|---:|---:|---:|---:|")
    for name, (F, box) in SYSTEMS.items():
        start = thread_time()
        result = sg.prove.all_roots(F, box)
        found = thread_time()
        if not (sg.prove.check(result.certificate, F) and result.is_complete):
            raise SystemExit(f"{name}: not proved")
        times = f"{found - start:.1f} | {thread_time() - found:.1f}"
        sides = Counter(f"[{low:.3g}, {high:.3g}]" for low, high in zip(*box, strict=True))
        product = " × ".join(side + str(n).translate(SUPERSCRIPTS) for side, n in sides.items())
        boxes = len(result.certificate["tree"])
        print(f"| {name} | {product} | {len(result.zeros)} | {boxes} | {times} |", flush=True)


def lengths() -> None:
    """Print the cost of an enclosure of a gradient over a box, by the length of the program."""
    print("| operations | ms, first call | ms, later calls | µs for an operation |\n|---|---:|---:|---:|")
    box = POINT, POINT + 1e-3
    for count in LENGTHS:
        call = partial(sg.enclose, partial(chain, sg, count=count), box, derivative=1)
        start = perf_counter()
        call()
        first, later = perf_counter() - start, fastest(call)
        print(f"| {count} | {1e3 * first:.0f} | {1e3 * later:.1f} | {1e6 * later / count:.1f} |", flush=True)


if __name__ == "__main__":
    tables = {"points": points, "systems": systems, "lengths": lengths, "codac": of_codac}
    for name in sys.argv[1:] or list(tables)[:3]:
        tables[name]()
        print()
