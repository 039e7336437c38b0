"""Programs for JAX, SciPy and HIPS autograd: with the imports changed they give the same numbers here."""

import numpy as np
import pytest

import symgrad as sg

JAX = {
    "vector-Jacobian products": """
import jax.numpy as jnp
from jax import grad, jacfwd, jacrev, jit, jvp, vjp, vmap
inputs = np.array([[0.52, 1.12, 0.77], [0.88, -1.08, 0.15], [0.52, 0.06, -1.30], [0.74, -2.49, 1.39]])
targets = np.array([True, True, False, True])
predict = lambda W, b: 0.5 * (jnp.tanh((jnp.dot(inputs, W) + b) / 2) + 1)
def loss(W, b):
    preds = predict(W, b)
    return -jnp.sum(jnp.log(preds * targets + (1 - preds) * (1 - targets)))
W, b = np.array([0.3, -0.2, 0.5]), 0.1
f = lambda W: predict(W, b)
def matrix_products(f, x, M):
    y, pull = vjp(f, x)
    (outs,) = vmap(pull)(M)
    return outs
out = [grad(loss, (0, 1))(W, b), jacfwd(f)(W), jit(jacfwd(jacrev(loss)))(W, b), matrix_products(f, W, np.eye(4)),
       jvp(grad(loss), (W, b), (np.ones(3), 1.0))[1]]
""",
    "derivatives of one's own": """
import jax
import jax.numpy as jnp
from functools import partial
@jax.custom_jvp
def log1pexp(x):
    return jnp.log(1.0 + jnp.exp(x))
@log1pexp.defjvp
def log1pexp_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return log1pexp(x), (1 - 1 / (1 + jnp.exp(x))) * t
@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def clip_gradient(lo, hi, x):
    return x
clip_gradient.defvjp(lambda lo, hi, x: (x, None), lambda lo, hi, res, g: (jnp.clip(g, lo, hi),))
out = [jax.grad(log1pexp)(10.0), jax.grad(jax.grad(log1pexp))(1.0), jax.jacfwd(log1pexp)(2.0),
       jax.jit(jax.grad(lambda x: clip_gradient(-0.75, 0.75, 3 * jnp.sin(x))))(0.3)]
""",
    "a scan over time, with branches": """
import jax
import jax.numpy as jnp
from jax import lax
rng = np.random.default_rng(1)
p, xs = {"Wh": rng.normal(size=(3, 3)) * 0.3, "Wx": rng.normal(size=(2, 3))}, rng.normal(size=(7, 2))
def rnn(p, xs):
    def cell(h, x):
        h = lax.cond(x[0] > 0, jnp.tanh, jnp.sin, h @ p["Wh"] + x @ p["Wx"])
        return h, lax.dynamic_index_in_dim(h, 1, keepdims=False)
    h, hs = lax.scan(cell, jnp.zeros(3), xs)
    return jnp.sum(hs**2) + h[0] + lax.switch(1, [jnp.sin, jnp.cos], h[1])
out = [rnn(p, xs), jax.jit(jax.grad(rnn))(p, xs)]
""",
    "Newton's method for a structure": """
import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree
p = {"A": np.array([[1.0, 0.2], [0.1, 2.0]]), "x": np.array([0.3, -0.4])}
loss = lambda p: jnp.sum((p["A"] @ p["x"] - 1.0) ** 2) + 0.1 * jnp.sum(p["A"] ** 2) + jnp.sum(jnp.cosh(p["x"]))
flat, unravel = ravel_pytree(p)
f = lambda v: loss(unravel(v))
H, (slope, push) = jax.hessian(f)(flat), jax.linearize(jax.grad(f), flat)
out = [H, push(np.ones(6)), unravel(flat - jnp.linalg.solve(H + 5 * np.eye(6), slope))]
""",
    "attention, with gradients of each example": """
import jax
import jax.numpy as jnp
rng = np.random.default_rng(2)
p = {name: rng.normal(size=(4, 4)) for name in "kqv"}
xs, labels = rng.normal(size=(6, 5, 4)), np.array([0, 1, 2, 1, 0, 3])
@jax.remat
def attend(p, x):
    scores = jnp.einsum("td,sd->ts", x @ p["q"], x @ p["k"]) / jnp.sqrt(4.0)
    mask = np.tril(np.ones((5, 5), dtype=bool))
    return (jax.nn.softmax(jnp.where(mask, scores, -np.inf)) @ (x @ p["v"])).mean(axis=0)
def nll(p, x, y):
    return -jnp.sum(jax.nn.one_hot(y, 4) * jax.nn.log_softmax(attend(p, x)))
g = jax.jit(jax.grad(lambda p: jnp.mean(jax.vmap(nll, in_axes=(None, 0, 0))(p, xs, labels))))(p)
norm = lambda t: jnp.sqrt(sum(jnp.sum(x**2) for x in jax.tree_util.tree_leaves(t)))
out = [jax.tree_util.tree_map(lambda x: x / jnp.maximum(1.0, norm(g)), g),
       jax.vmap(lambda x, y: norm(jax.grad(nll)(p, x, y)))(xs, labels), jax.block_until_ready(g["v"])]
""",
}

SCIPY = {
    "a minimum with its gradient": """
from scipy.optimize import minimize
def f(x, a):
    return np.sum(a * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
def jac(x, a):
    g = np.zeros_like(x)
    g[:-1] += -4 * a * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    g[1:] += 2 * a * (x[1:] - x[:-1] ** 2)
    return g
r = minimize(f, np.array([1.3, 0.7, 0.8, 1.9]), args=(100.0,), method="BFGS", jac=jac, options={"gtol": 1e-9})
out = [r.x, r.fun, r.success]
""",
    "a pendulum and a stiff reaction": """
from scipy.integrate import solve_ivp
def pendulum(t, y, b, c):
    theta, omega = y
    return [omega, -b * omega - c * np.sin(theta)]
at = np.linspace(0, 10, 11)
swing = solve_ivp(pendulum, [0, 10], [np.pi - 0.1, 0.0], t_eval=at, args=(0.25, 5.0), rtol=1e-10, atol=1e-10)
slopes = lambda t, y: [-0.04 * y[0] + 1e4 * y[1] * y[2], 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] ** 2,
                       3e7 * y[1] ** 2]
out = [swing.y, solve_ivp(slopes, (0, 40), [1, 0, 0], method="BDF", rtol=1e-9, atol=1e-11).y[:, -1]]
""",
    "fits": """
from scipy.optimize import curve_fit, least_squares
t = np.linspace(0, 4, 30)
y = 2.5 * np.exp(-1.3 * t) + 0.5 + 0.02 * np.sin(37 * t)
popt, pcov = curve_fit(lambda t, a, b, c: a * np.exp(-b * t) + c, t, y, p0=[1, 1, 0], sigma=0.1 + 0 * t)
robust = least_squares(lambda p, y: p[0] * np.exp(-p[1] * t) - y, [1.0, 1.0], loss="soft_l1", f_scale=0.1, args=(y,))
out = [popt, np.sqrt(np.diag(pcov)), robust.x, robust.cost]
""",
    "samples": """
from scipy.integrate import cumulative_trapezoid, simpson, trapezoid
from scipy.interpolate import CubicSpline
from scipy import fft, signal
x = np.array([0, 0.3, 1.0, 1.2, 2.0, 2.7])
y, kernel = np.sin(x), np.array([0.25, 0.5, 0.25])
spline = CubicSpline(x, y)
out = [simpson(y, x=x), simpson(y, dx=0.1), trapezoid(y, x), cumulative_trapezoid(y, x, initial=0), spline(0.7),
       spline.integrate(0, 2), signal.convolve(y, kernel, mode="same"), abs(fft.rfft(y))]
""",
}

HIPS = {
    "a Gaussian process": """
import autograd.numpy as np
import autograd.scipy.stats.norm as norm
from autograd import hessian, value_and_grad
X = np.linspace(-1, 1, 6)[:, None]
y = np.sin(3 * X[:, 0])
def nll(p):
    d = (X[:, None, :] - X[None, :, :]) / np.exp(p[1])
    K = np.exp(p[0]) * np.exp(-0.5 * np.sum(d**2, axis=2)) + 0.1 * np.eye(6)
    return 0.5 * y @ np.linalg.solve(K, y) + 0.5 * np.linalg.slogdet(K)[1] - norm.logpdf(p[0], 0.0, 1.0)
p = np.array([0.2, -0.3])
out = [*value_and_grad(nll)(p), hessian(nll)(p)]
""",
}
IMPORTS = {
    "import jax.numpy as jnp": "import numpy as jnp",
    "import jax\n": "import symgrad as jax\n",
    "from jax": "from symgrad",
    "from scipy.optimize": "from symgrad.optim",
    "from scipy.integrate": "from symgrad",
    "from scipy.interpolate": "from symgrad",
    "from scipy import": "from symgrad import",
    "import autograd.numpy as np": "import numpy as np",
    "import autograd.scipy.stats.norm as norm": "from symgrad.stats import norm",
    "from autograd": "from symgrad",
}


def numbers(source):
    """What a program leaves in ``out``, as arrays."""
    names = {"np": np}
    exec(compile(source, "<port>", "exec"), names)
    return [np.asarray(x.detach() if isinstance(x, sg.Tensor) else x) for x in sg.tree.leaves(names["out"])]


def ported(source):
    for theirs, ours in IMPORTS.items():
        source = source.replace(theirs, ours)
    return source


@pytest.mark.parametrize("name", JAX)
def test_a_program_for_jax_has_its_numbers(name):
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        theirs = [np.asarray(x) for x in numbers(JAX[name])]
    for a, b in zip(numbers(ported(JAX[name])), theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", SCIPY)
def test_a_program_for_scipy_has_its_numbers(name):
    pytest.importorskip("scipy")
    for a, b in zip(numbers(ported(SCIPY[name])), numbers(SCIPY[name]), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("name", HIPS)
def test_a_program_for_autograd_has_its_numbers(name):
    pytest.importorskip("autograd")
    for a, b in zip(numbers(ported(HIPS[name])), numbers(HIPS[name]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)
