"""Every problem of tests/rows/implicit_rows.py in every mode and order against mpmath, and some against JAXopt or JAX.

Differential equations, those of tests/rows/ode_rows.py, likewise, by each kind of derivative and with several methods.
Run: python benchmarks/answers.py [answers] [equations] [diffrax]. It prints what is off by more than 1e-9, and
how many comparisons there were. Flows at rtol=1e-10 may be off by 1e-8, by the adjoint equation and by SciPy's methods
by more.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "rows"))
import ode_rows
from implicit_rows import PROBLEMS, flat, reference, weighted

import symgrad as sg

LIMIT, LIMIT_OF_FLOWS, LIMIT_OF_ADJOINTS, LIMIT_OF_SCIPY = 1e-9, 1e-8, 1e-7, 1e-5
WAYS = [
    {"derivative": "steps"},
    {"derivative": "forward"},
    {"derivative": "adjoint"},
    {"derivative": "adjoint", "method": "BDF"},
    {"derivative": "forward", "method": "Radau"},
    {"derivative": "adjoint", "method": "LSODA"},
    {"derivative": "forward", "method": "DOP853"},
]


def modes(f, at, v):
    """Return each mode's computation with the reference it belongs to, of (gradient, Hessian)."""

    def tape():
        t = sg.tensor(at, requires_grad=True)
        f(t).backward()
        return t.grad.numpy()

    twice = np.stack([at, at])
    return {
        "backward": (tape, lambda g, h: g),
        "grad": (lambda: sg.grad(f)(at), lambda g, h: g),
        "jvp": (lambda: sg.jvp(f, (at,), (v,))[1], lambda g, h: g @ v),
        "hessian": (lambda: sg.hessian(f)(at), lambda g, h: h),
        "forward over reverse": (lambda: sg.func.jacfwd(sg.grad(f))(at), lambda g, h: h),
        "reverse over forward": (lambda: sg.func.jacrev(sg.func.jacfwd(f))(at), lambda g, h: h),
        "forward over forward": (lambda: sg.func.jacfwd(sg.func.jacfwd(f))(at), lambda g, h: h),
        "hvp": (lambda: sg.hvp(f, at, v), lambda g, h: h @ v),
        "vmap": (lambda: sg.vmap(sg.grad(f))(twice), lambda g, h: np.stack([g, g])),
        "vmap of Hessians": (lambda: sg.vmap(sg.hessian(f))(twice), lambda g, h: np.stack([h, h])),
        "compile": (lambda: sg.compile(sg.value_and_grad(f))(at)[1], lambda g, h: g),
        "compiled Hessian": (lambda: sg.compile(sg.hessian(f))(at), lambda g, h: h),
        "compiled vmap": (lambda: sg.compile(sg.vmap(sg.grad(f)))(twice), lambda g, h: np.stack([g, g])),
    }


def error(found, expected):
    """Return the largest error relative to the largest entry."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    return float(np.max(np.abs(found - expected), initial=0.0) / (1e-3 + np.max(np.abs(expected), initial=0.0)))


def of_symgrad():
    """Compare all problems; return how many comparisons, and what is off."""
    count, off = 0, []
    for name, row in PROBLEMS.items():
        number, found = in_all_modes(name, weighted(row.answer), np.array(row.at), reference(name), LIMIT)
        count, off = count + number, off + found
    return count, off


def of_flows():
    """Compare all differential equations by each way; return how many comparisons, and what is off."""
    known = json.loads(ode_rows.DATA.read_text(encoding="utf-8"))
    count, off = 0, []
    for name, row in ode_rows.EQUATIONS.items():
        for way in WAYS:
            if row.stiff and (way.get("method") == "DOP853" or way["derivative"] == "adjoint"):
                continue
            limit = LIMIT_OF_ADJOINTS if way["derivative"] == "adjoint" else LIMIT_OF_FLOWS
            limit = LIMIT_OF_SCIPY if "method" in way else limit
            title = f"{name} by {way}"
            f = ode_rows.weighted(name, **way)
            number, found = in_all_modes(title, f, ode_rows.ones(name), known[name], limit)
            count, off = count + number, off + found
    return count, off


def of_diffrax():
    """Compare each equation's states and gradient with diffrax's, where it is installed."""
    try:
        import diffrax as d
        import jax
        import jax.numpy as jnp
    except ImportError:
        return 0, []
    jax.config.update("jax_enable_x64", True)
    how = d.PIDController(rtol=1e-10, atol=1e-12)
    off = []
    for name, row in ode_rows.EQUATIONS.items():
        at, solver = jnp.asarray(row.at), d.Kvaerno5() if row.stiff else d.Dopri8()

        def total(u, row=row, at=at, solver=solver):
            p = u * at
            t, y0 = jnp.stack([jnp.asarray(s, float) for s in row.times(p)]), row.start(jnp, p)
            term = d.ODETerm(lambda t, y, p: jnp.stack([jnp.asarray(s, float) for s in row.right(jnp, y, t, p)]))
            y0 = jnp.stack([jnp.asarray(s, float) for s in y0])
            found = d.diffeqsolve(
                term, solver, t[0], t[-1], None, y0, p, saveat=d.SaveAt(ts=t[1:]), stepsize_controller=how,
                max_steps=2**17,
            ).ys.ravel()  # fmt: skip
            return found @ jnp.cos(jnp.arange(found.size)), found

        (_, values), slope = jax.value_and_grad(total, has_aux=True)(jnp.ones(len(row.at)))
        mine = ode_rows.states(name, np.array(row.at)).ravel()
        sizes = error(mine, values), error(sg.grad(ode_rows.weighted(name))(ode_rows.ones(name)), slope)
        off += [
            f"{name}: {what} off diffrax's by {s:.1e}" for what, s in zip(("values", "gradient"), sizes) if s > 1e-6
        ]
    return 2 * len(ode_rows.EQUATIONS), off


def in_all_modes(title, f, at, known, limit):
    """Compare one function's derivatives; return how many comparisons, and what is off."""
    g, h = np.array(known["gradient"]), np.array(known["hessian"])
    found = modes(f, at, np.cos(1 + np.arange(at.size)))
    off = []
    for mode, (run, expected) in found.items():
        try:
            size = error(run(), expected(g, h))
        except sg.errors.NotConverged:
            continue  # refused: the adjoint of an equation that does not lead back
        except Exception as failure:  # a table tells of all
            off.append(f"{title}, {mode}: {type(failure).__name__}: {str(failure)[:150]}")
            continue
        if not size <= limit:
            off.append(f"{title}, {mode}: off by {size:.1e}")
    return len(found), off


def of_peers():
    """Compare with JAXopt, or where it is missing with jax.lax.custom_root; return how many, and what is off."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return 0, []
    jax.config.update("jax_enable_x64", True)
    try:
        import jaxopt
    except ImportError:
        jaxopt = None
    W, X = np.array([[0.3, -0.4], [0.5, 0.2]]), np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0]])
    cases = {
        "kepler": (lambda L, E, t: E - t[0] * L.sin(E) - t[1], 1.0, [0.3, 1.2]),
        "cubic": (lambda L, x, t: x**3 + t[0] * x - t[1], 1.0, [0.7, 1.1]),
        "circle": (lambda L, x, t: L.stack([x @ x - t[0], x[0] * x[1] - t[1]]), np.array([1.9, 0.5]), [4.0, 1.0]),
        "layer": (lambda L, z, t: z - L.tanh(t[0] * (W @ z) + t[1]), np.zeros(2), [0.7, -0.2]),
        "ridge": (lambda L, w, t: X.T @ (X @ w - np.ones(3) * t[1]) + t[0] * w, np.zeros(2), [0.7, 2.0]),
        "wien": (lambda L, x, t: x + t[0] * (L.exp(-x) - 1) + t[1], 5.0, [5.0, 0.1]),
        "equilibrium": (lambda L, p, t: L.exp(-t[0] * p) - t[1] * p**2, np.array([0.5, 0.6]), [1.0, 1.5]),
        "square": (lambda L, A, t: A @ A - t[0] * np.array([[2.0, 0.5], [0.5, 3.0]]) - t[1] * np.eye(2), np.eye(2),
                   [1.1, 0.2]),
    }  # fmt: skip
    off = []
    for name, (f, x0, at) in cases.items():
        at = np.array(at)

        def answer(t, f=f, x0=x0):
            return solved(jax, jnp, jaxopt, lambda x, t: f(jnp, x, t), x0, t).ravel() @ np.cos(np.arange(np.size(x0)))

        mine = lambda t, f=f, x0=x0: flat(sg.root(lambda x, t: f(sg, x, t), x0, t)) @ np.cos(np.arange(np.size(x0)))
        size = error(sg.grad(mine)(at), jax.grad(answer)(jnp.asarray(at)))
        if not size <= 1e-8:
            off.append(f"{name}: off JAX's by {size:.1e}")
    return len(cases), off


def solved(jax, jnp, jaxopt, f, x0, t):
    """Return JAXopt's root, or Newton's with JAX's derivative."""

    def newton(x, t):
        step = lambda _, x: (
            x - jnp.linalg.solve(jax.jacobian(f)(x, t).reshape(x.size, x.size), f(x, t).ravel()).reshape(x.shape)
        )
        return jax.lax.stop_gradient(jax.lax.fori_loop(0, 60, step, x))

    start = jnp.asarray(x0)
    if jaxopt is not None:
        return jaxopt.implicit_diff.custom_root(f)(newton)(start, t)
    linear = lambda g, y: jnp.linalg.solve(jax.jacobian(g)(y).reshape(y.size, y.size), y.ravel()).reshape(y.shape)
    fixed = jax.lax.stop_gradient(t)
    return jax.lax.custom_root(lambda x: f(x, t), start, lambda g, x: newton(x, fixed), linear)


if __name__ == "__main__":
    total, wrong = 0, []
    kinds = {"answers": [of_symgrad, of_peers], "equations": [of_flows], "diffrax": [of_diffrax]}
    for compare in [part for kind in sys.argv[1:] or kinds for part in kinds[kind]]:
        number, found = compare()
        total, wrong = total + number, wrong + found
    print("\n".join(wrong))
    print(f"{total} comparisons, {len(wrong)} off")
    sys.exit(bool(wrong))
