"""Dynamics of an arm with seven joints in C, exported by symgrad and by CasADi: ``python benchmarks/robot.py``.

Torques by the recursive Newton-Euler algorithm, their derivatives with respect to angles, speeds and accelerations, and
the accelerations that follow from torques. Formulas are written once, for both libraries; the compiler and its options
are the same, and calls of the two alternate. Source: Featherstone, Rigid Body Dynamics Algorithms (2008); lengths are
those of Franka's arm.
"""

from __future__ import annotations

import ctypes
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

JOINTS, GRAVITY = 7, 9.81
OFFSETS = [0, 0, 0, 0.0825, -0.0825, 0, 0.088]
HEIGHTS = [0.333, 0, 0.316, 0, 0.384, 0, 0]
TWISTS = [0, -1, 1, 1, -1, 1, 1]  # quarters of a turn
MASSES = [4.97, 0.65, 3.23, 3.59, 1.23, 1.67, 0.74]
CENTRES = np.random.default_rng(0).uniform(-0.1, 0.1, (JOINTS, 3)).round(3).tolist()
INERTIAS = np.random.default_rng(1).uniform(0.01, 0.2, (JOINTS, 3)).round(3).tolist()


def cross(a, b):
    """Return the product of two vectors."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(*vectors):
    """Return the sum of vectors."""
    return [sum(entries[1:], entries[0]) for entries in zip(*vectors)]


def into(k, s, c, v):
    """Return a vector of link k - 1 in the frame of link k."""
    x, y, z = v if not TWISTS[k] else (v[0], TWISTS[k] * v[2], -TWISTS[k] * v[1])
    return [c * x + s * y, c * y - s * x, z]


def out_of(k, s, c, v):
    """Return a vector of link k in the frame of link k - 1."""
    x, y, z = c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]
    return [x, y, z] if not TWISTS[k] else [x, -TWISTS[k] * z, TWISTS[k] * y]


def place(k):
    """Return where link k begins, in the frame of link k - 1."""
    return [OFFSETS[k], -TWISTS[k] * HEIGHTS[k], 0.0 if TWISTS[k] else HEIGHTS[k]]


def torques(m, q, v, a, gravity=GRAVITY):
    """Return the torques of the joints for these angles, speeds and accelerations."""
    s, c = [m.sin(q[k]) for k in range(JOINTS)], [m.cos(q[k]) for k in range(JOINTS)]
    spin, turn, pull = [0.0] * 3, [0.0] * 3, [0.0, 0.0, gravity]
    forces, moments = [], []
    for k in range(JOINTS):
        at = place(k)
        pull = into(k, s[k], c[k], plus(pull, cross(turn, at), cross(spin, cross(spin, at))))
        before, turn = into(k, s[k], c[k], spin), into(k, s[k], c[k], turn)
        turn = [turn[0] + before[1] * v[k], turn[1] - before[0] * v[k], turn[2] + a[k]]
        spin = [before[0], before[1], before[2] + v[k]]
        centre = plus(pull, cross(turn, CENTRES[k]), cross(spin, cross(spin, CENTRES[k])))
        forces.append([MASSES[k] * x for x in centre])
        moments.append(plus([i * x for i, x in zip(INERTIAS[k], turn)],
                            cross(spin, [i * x for i, x in zip(INERTIAS[k], spin)])))  # fmt: skip
    result = [None] * JOINTS
    force, moment = [0.0] * 3, [0.0] * 3
    for k in reversed(range(JOINTS)):
        force, moment = plus(forces[k], force), plus(moments[k], moment, cross(CENTRES[k], forces[k]))
        result[k] = moment[2]
        force, moment = out_of(k, s[k], c[k], force), out_of(k, s[k], c[k], moment)
        moment = plus(moment, cross(place(k), force))
    return result


def accelerations(m, q, v, torque):
    """Return M(q)⁻¹ (τ − h(q, v)), by M = L D Lᵀ."""
    rest = torques(m, q, v, [0.0] * JOINTS)
    columns = [torques(m, q, [0.0] * JOINTS, np.eye(JOINTS)[j].tolist(), 0.0) for j in range(JOINTS)]
    lower, pivots = [[0.0] * JOINTS for _ in range(JOINTS)], []
    right = [torque[k] - rest[k] for k in range(JOINTS)]
    for j in range(JOINTS):
        pivots.append(columns[j][j] - sum(lower[j][k] ** 2 * pivots[k] for k in range(j)))
        for i in range(j + 1, JOINTS):
            lower[i][j] = (columns[j][i] - sum(lower[i][k] * lower[j][k] * pivots[k] for k in range(j))) / pivots[j]
    for i in range(JOINTS):
        right[i] = right[i] - sum(lower[i][k] * right[k] for k in range(i))
    for i in reversed(range(JOINTS)):
        right[i] = right[i] / pivots[i] - sum(lower[k][i] * right[k] for k in range(i + 1, JOINTS))
    return right


# ------------------------------------------------------------------ in C
FLAGS = ["-std=c99", "-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC"]
CALLS, ROUNDS = 2000, 15
TIMED = """
int {name}(const double *z, double *out);
void timed_symgrad(long many, const double *z, double *out) {{ for (long k = 0; k < many; ++k) {name}(z, out); }}
"""
TIMED_CASADI = """
int {name}(const double **arg, double **res, long long int *iw, double *w, int mem);
void timed_casadi(long many, const double *z, double *out)
{{
    const double *arg[{args}] = {{z}}; double *res[{results}] = {{out}}; double w[{work}]; long long int iw[{integers}];
    for (long k = 0; k < many; ++k) {name}(arg, res, iw, w, 0);
}}
"""


def programs(m, stack, slopes):
    """Return by name the functions of q, v and a, or τ, in one vector."""
    parts = lambda z: [[z[JOINTS * k + i] for i in range(JOINTS)] for k in range(3)]
    inverse = lambda z: stack(torques(m, *parts(z)))
    return {"rnea": inverse, "rnea_slopes": slopes(inverse), "forward": lambda z: stack(accelerations(m, *parts(z)))}


def compiled(path, loop, symbol):
    """Return a compiled loop of calls, as a function (calls, arguments, results)."""
    shared, caller = path.with_suffix(".so"), path.with_name(f"loop_{path.name}")
    caller.write_text(loop)
    subprocess.run(["gcc", *FLAGS, str(path), str(caller), "-o", str(shared), "-lm"], check=True)
    return getattr(ctypes.CDLL(str(shared)), symbol)


def of_symgrad(folder):
    """Yield name, function, and seconds of the export."""
    import symgrad as sg

    for name, f in programs(sg, sg.stack, sg.jacobian).items():
        start = time.perf_counter()
        text = sg.export(f, np.ones(3 * JOINTS), target="c", name=name, formula=False)
        took = time.perf_counter() - start
        path = folder / f"symgrad_{name}.c"
        path.write_text(text)
        yield name, compiled(path, TIMED.format(name=name), "timed_symgrad"), took


def of_casadi(folder):
    """Yield the same of CasADi, whose Jacobian has the entries that are not zero alone."""
    import casadi as ca

    z = ca.SX.sym("z", 3 * JOINTS)
    slopes = lambda f: lambda z: ca.jacobian(f(z), z)
    for name, f in programs(ca, lambda rows: ca.vertcat(*rows), slopes).items():
        start = time.perf_counter()
        function = ca.Function(name, [z], [f(z)])
        generator = ca.CodeGenerator(f"casadi_{name}.c")
        generator.add(function)
        generator.generate(str(folder) + "/")
        took = time.perf_counter() - start
        path = folder / f"casadi_{name}.c"
        sizes = dict(args=function.sz_arg(), results=function.sz_res(), work=function.sz_w() + 1)
        loop = TIMED_CASADI.format(name=name, integers=function.sz_iw() + 1, **sizes)
        yield name, compiled(path, loop, "timed_casadi"), took


def microseconds(function, z):
    """Return the time of one of many calls."""
    out = np.empty(JOINTS * 3 * JOINTS)
    at = [ctypes.c_void_p(a.ctypes.data) for a in (z, out)]
    start = time.perf_counter()
    function(ctypes.c_long(CALLS), *at)
    return (time.perf_counter() - start) / CALLS * 1e6, out


def main():
    """Print the microseconds of a call of each; fail where numbers differ."""
    z = np.random.default_rng(2).normal(size=3 * JOINTS)
    with tempfile.TemporaryDirectory() as name:
        ours, theirs = list(of_symgrad(Path(name))), list(of_casadi(Path(name)))
        print(f"{'':12} {'call [µs]':>18} {'export [s]':>18}")
        print(f"{'':12} {'symgrad':>9} {'CasADi':>8} {'symgrad':>9} {'CasADi':>8}")
        wrong = []
        for (title, f, made), (_, g, other) in zip(ours, theirs):
            pairs = [(microseconds(f, z), microseconds(g, z)) for _ in range(ROUNDS)]
            mine, peer = (min(p[k][0] for p in pairs) for k in (0, 1))
            a, b = pairs[-1][0][1], pairs[-1][1][1]
            same = np.sum(a[: len(b)]), np.sum(b)
            if title == "rnea_slopes":  # columns without the entries that are zero
                dense = a.reshape(JOINTS, -1).T
                same = np.sum(dense), np.sum(b[: np.count_nonzero(dense)])
            else:
                same = np.sum(a[:JOINTS]), np.sum(b[:JOINTS])
            if not math.isclose(*same, rel_tol=1e-9):
                wrong.append(title)
            print(f"{title:12} {mine:9.3f} {peer:8.3f} {made:9.2f} {other:8.2f}")
    print("Numbers differ: " + ", ".join(wrong) if wrong else "All numbers agree.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
