"""Kernels of the kinds that other people's programs have, value and gradient, against jax.jit and PyTorch eager.

``python benchmarks/kernels.py [WORD…]`` runs those whose names contain a word. Each library has a process and one
thread; results are compared before they are timed; the libraries take turns, and the least of several bursts counts.
Printed are microseconds of a call, how many times as fast symgrad is as the faster of the others (below 1 it is
behind), and milliseconds to the first result. ``--threads 2`` lets each library have two threads.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

BURST, TURNS = 0.02, 5  # seconds of a burst, and how many there are
PEERS = ("symgrad", "jax", "torch")
HEAD = "| kernel | symgrad | jax.jit | PyTorch | ratio | first: symgrad | first: jax.jit | first: PyTorch |"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "SYMGRAD_NUM_THREADS")
ONE_THREAD = {
    **dict.fromkeys(THREADS, "1"),
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


# ------------------------------------------------------------------ libraries
def _torch_like(m: Any, scan: Any, banded: Any) -> SimpleNamespace:
    """PyTorch's words, which are symgrad's."""
    f = m.nn.functional
    return SimpleNamespace(
        m=m, L=m.linalg, scan=scan, exp=m.exp, log=m.log, sin=m.sin, sqrt=m.sqrt, stack=m.stack, diag=m.diag_embed,
        cumsum=m.cumsum, cumprod=m.cumprod, prod=lambda x: m.prod(x, 1), logcumsumexp=m.logcumsumexp,
        norm=lambda x: m.linalg.vector_norm(x, dim=1), std=lambda x: m.std(x, 1), cov=lambda x: m.cov(x.mT),
        cdist=m.cdist, softmax=lambda x: m.softmax(x, 1), logsumexp=lambda x: m.logsumexp(x, 1),
        sort=lambda x: m.sort(x, -1)[0], topk=lambda x, k: m.topk(x, k)[0], median=lambda x: m.median(x, 1)[0],
        quantile=lambda x, q: m.quantile(x, q), max=lambda x: m.amax(x, 1), take=lambda x, i: m.take_along_dim(x, i, 1),
        segment=lambda x, i, n: m.zeros((n, *x.shape[1:]), dtype=x.dtype).index_add(0, i, x),
        triangular=lambda a, b: m.linalg.solve_triangular(a, b, upper=False), lgamma=m.lgamma,
        searchsorted=m.searchsorted, conv1d=f.conv1d, conv2d=f.conv2d, expm=m.linalg.matrix_exp, eye=m.eye,
        slogdet=lambda a: m.linalg.slogdet(a)[1], where=m.where, floor=lambda x: m.floor(x),
        integers=lambda x: x.long(), lstsq=lambda a, b: m.linalg.lstsq(a, b)[0], zeros=m.zeros, eigh=m.linalg.eigvalsh,
        hessian=m.func.hessian, banded=banded,
    )  # fmt: skip


def symgrad() -> tuple[Any, Any, Any]:
    """The names, what makes a function of the value and the gradients, and how inputs are given."""
    import symgrad as sg

    return (
        _torch_like(sg, sg.scan, lambda ab, b: sg.linalg.solve_banded((1, 1), ab, b)),
        lambda loss, wrt: sg.compile(sg.value_and_grad(loss, wrt), backend=os.environ.get("KERNELS", "auto")),
        lambda x: x,
    )


def torch() -> tuple[Any, Any, Any]:
    """PyTorch, eager."""
    import torch as t

    t.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))

    def scan(step: Any, carry: Any, xs: Any, length: int = 0) -> Any:
        ys = []
        for k in range(length or len(xs)):
            carry, y = step(carry, None if xs is None else xs[k])
            ys.append(y)
        return carry, None if ys[0] is None else t.stack(ys)

    def both(loss: Any, wrt: Any) -> Any:
        def call(*xs: Any) -> Any:
            leaves = [x.detach().requires_grad_() if k in wrt else x for k, x in enumerate(xs)]
            value = loss(*leaves)
            return value, t.autograd.grad(value, [leaves[k] for k in wrt])

        return call

    def banded(ab: Any, b: Any) -> Any:  # which PyTorch has no function for
        return t.linalg.solve(t.diag(ab[0, 1:], 1) + t.diag(ab[1]) + t.diag(ab[2, :-1], -1), b)

    return _torch_like(t, scan, banded), both, t.from_numpy


def jax() -> tuple[Any, Any, Any]:
    """JAX's NumPy and SciPy under jax.jit."""
    import jax as j
    import jax.numpy as jnp
    from jax.scipy.linalg import expm, solve_triangular
    from jax.scipy.special import gammaln

    j.config.update("jax_enable_x64", True)
    j.config.update("jax_platforms", "cpu")
    j.config.update("jax_cpu_enable_async_dispatch", False)
    linalg = SimpleNamespace(
        cholesky=jnp.linalg.cholesky, inv=jnp.linalg.inv, det=jnp.linalg.det, qr=jnp.linalg.qr,
        solve=lambda a, b: jnp.linalg.solve(a, b[..., None])[..., 0] if b.ndim < a.ndim else jnp.linalg.solve(a, b),
    )  # fmt: skip

    def conv(x: Any, w: Any) -> Any:
        return j.lax.conv_general_dilated(x, w, (1,) * (x.ndim - 2), "VALID")

    def expm_of(a: Any) -> Any:
        return expm(a) if a.ndim == 2 else j.vmap(expm)(a)

    def banded(ab: Any, b: Any) -> Any:
        below, above = jnp.pad(ab[2, :-1], (1, 0)), jnp.pad(ab[0, 1:], (0, 1))
        return j.lax.linalg.tridiagonal_solve(below, ab[1], above, b[:, None])[:, 0]

    names = SimpleNamespace(
        m=jnp, L=linalg, scan=j.lax.scan, exp=jnp.exp, log=jnp.log, sin=jnp.sin, sqrt=jnp.sqrt, stack=jnp.stack,
        diag=jnp.diag, cumsum=jnp.cumsum, cumprod=jnp.cumprod, prod=lambda x: jnp.prod(x, 1),
        logcumsumexp=lambda x, axis: j.lax.cumlogsumexp(x, axis), norm=lambda x: jnp.linalg.norm(x, axis=1),
        std=lambda x: jnp.std(x, 1, ddof=1), cov=lambda x: jnp.cov(x.T),
        cdist=lambda a, b: jnp.sqrt(((a[:, None] - b) ** 2).sum(-1)), softmax=lambda x: j.nn.softmax(x, 1),
        logsumexp=lambda x: j.nn.logsumexp(x, 1), sort=jnp.sort, topk=lambda x, k: j.lax.top_k(x, k)[0],
        median=lambda x: jnp.sort(x, 1)[:, (x.shape[1] - 1) // 2], quantile=jnp.quantile, max=lambda x: jnp.max(x, 1),
        take=lambda x, i: jnp.take_along_axis(x, i, 1), segment=j.ops.segment_sum,
        triangular=lambda a, b: solve_triangular(a, b, lower=True), lgamma=gammaln, searchsorted=jnp.searchsorted,
        conv1d=conv, conv2d=conv, expm=expm_of, eye=jnp.eye, slogdet=lambda a: jnp.linalg.slogdet(a)[1],
        where=jnp.where, floor=jnp.floor, integers=lambda x: x.astype(int), zeros=jnp.zeros,
        lstsq=lambda a, b: jnp.linalg.lstsq(a, b)[0], eigh=jnp.linalg.eigvalsh, hessian=j.hessian, banded=banded,
    )  # fmt: skip
    return names, lambda loss, wrt: j.jit(j.value_and_grad(loss, wrt)), jnp.asarray


# ------------------------------------------------------------------ kernels
@dataclass(frozen=True)
class Kernel:
    """A function of a library's names and arrays; differentiated are the floats among its arguments."""

    run: Callable[..., Any]
    inputs: Callable[[Any], tuple[Any, ...]]


def _definite(r: Any, *shape: int) -> Any:
    a = r.standard_normal(shape)
    return a @ a.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1])


def _kalman(N: Any, A: Any, C: Any, y: Any) -> Any:
    eye, small = N.eye(4, dtype=A.dtype), N.eye(2, dtype=A.dtype)

    def step(carry: Any, y: Any) -> Any:
        m, P = carry
        m, P = A @ m, A @ P @ A.mT + eye
        K = N.L.solve(C @ P @ C.mT + small, C @ P).mT
        return (m + K @ (y - C @ m), P - K @ C @ P), None

    m, P = N.scan(step, (N.zeros(4, dtype=A.dtype), eye), y)[0]
    return N.stack([m.sum(), P.sum()])


def _newton(N: Any, a: Any) -> Any:
    def step(x: Any, _: Any) -> Any:
        J = N.m.outer(x, x) + 3 * N.eye(3, dtype=x.dtype)
        return x - N.L.solve(J, x * x * x + x - a), None

    return N.scan(step, a, None, length=20)[0]


def _per_step(change: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A loop of 200 steps with one operation in each."""

    def run(N: Any, x: Any) -> Any:
        return N.scan(lambda c, _: (0.5 * change(N, c) + 0.1, None), x, None, length=200)[0]

    return run


def _process(N: Any, x: Any, y: Any, scale: Any) -> Any:
    K = N.exp(-(((x[:, None] - x) / scale) ** 2)) + 0.1 * N.eye(len(x), dtype=x.dtype)
    lower = N.L.cholesky(K)
    z = N.triangular(lower, y[:, None])
    return (z**2).sum() + N.log(N.m.diagonal(lower)).sum()


def _interp(N: Any, x: Any, ys: Any) -> Any:
    place = x * (len(ys) - 1)
    k = N.integers(N.floor(place))
    t = place - N.floor(place)
    return (1 - t) * ys[k] + t * ys[k + 1]


def _bilinear(N: Any, u: Any, v: Any, image: Any) -> Any:
    a, b = N.integers(N.floor(u)), N.integers(N.floor(v))
    s, t = u - N.floor(u), v - N.floor(v)
    return (1 - s) * ((1 - t) * image[a, b] + t * image[a, b + 1]) + s * (
        (1 - t) * image[a + 1, b] + t * image[a + 1, b + 1]
    )


def _hessian(N: Any, w: Any, x: Any) -> Any:
    return N.hessian(lambda w: N.log(1 + N.exp(-(x @ w))).mean())(w)


def _heat(N: Any, u: Any) -> Any:
    """Implicit steps of the heat equation."""
    bands = N.stack([N.zeros(100, dtype=u.dtype) + k for k in (-1.0, 3.0, -1.0)])
    return N.scan(lambda u, _: (N.banded(bands, u), None), u, None, length=50)[0]


def _rosenbrock(N: Any, x: Any) -> Any:
    return N.stack([((1 - x[:-1]) ** 2).sum(), (100 * (x[1:] - x[:-1] ** 2) ** 2).sum()])


def _layer_norm(N: Any, x: Any) -> Any:
    centred = x - x.mean(1)[:, None]
    return centred / N.sqrt((centred**2).mean(1)[:, None] + 1e-5)


def _logistic(N: Any, w: Any, x: Any) -> Any:
    return N.log(1 + N.exp(-(x @ w)))


def _of(run: Any, *shapes: Any) -> Kernel:
    """A kernel of normal numbers of these shapes, or of what a function makes."""
    return Kernel(run, lambda r: tuple(s(r) if callable(s) else r.standard_normal(s) for s in shapes))


def _positions(most: int, *shape: int) -> Any:
    return lambda r: r.integers(0, most, shape)


def _uniform(most: float, *shape: int) -> Any:
    return lambda r: r.uniform(0, most, shape)


def _diagonals(n: int) -> Any:
    return lambda r: r.standard_normal((3, n)) + np.array([[0.0], [4.0], [0.0]])


def _matrices(*shape: int) -> Any:
    return lambda r: _definite(r, *shape)


BIG = 1_000_000
KERNELS = {
    "cholesky (1000, 3, 3)": _of(lambda N, a: N.L.cholesky(a), _matrices(1000, 3, 3)),
    "cholesky (1000, 8, 8)": _of(lambda N, a: N.L.cholesky(a), _matrices(1000, 8, 8)),
    "cholesky (200, 16, 16)": _of(lambda N, a: N.L.cholesky(a), _matrices(200, 16, 16)),
    "cholesky (100, 100)": _of(lambda N, a: N.L.cholesky(a), _matrices(100, 100)),
    "solve (1000, 3, 3)": _of(lambda N, a, b: N.L.solve(a, b), _matrices(1000, 3, 3), (1000, 3)),
    "solve (1000, 8, 8)": _of(lambda N, a, b: N.L.solve(a, b), _matrices(1000, 8, 8), (1000, 8)),
    "solve (200, 16, 16)": _of(lambda N, a, b: N.L.solve(a, b), _matrices(200, 16, 16), (200, 16)),
    "solve (3, 3)": _of(lambda N, a, b: N.L.solve(a, b), _matrices(3, 3), (3,)),
    "solve (6, 6)": _of(lambda N, a, b: N.L.solve(a, b), _matrices(6, 6), (6,)),
    "solve (100, 100)": _of(lambda N, a, b: N.L.solve(a, b), _matrices(100, 100), (100,)),
    "inv (1000, 4, 4)": _of(lambda N, a: N.L.inv(a), _matrices(1000, 4, 4)),
    "inv (200, 16, 16)": _of(lambda N, a: N.L.inv(a), _matrices(200, 16, 16)),
    "det (1000, 3, 3)": _of(lambda N, a: N.L.det(a) / 30, _matrices(1000, 3, 3)),
    "det (1000, 8, 8)": _of(lambda N, a: N.L.det(a) / 1e9, _matrices(1000, 8, 8)),
    "slogdet (200, 16, 16)": _of(lambda N, a: N.slogdet(a), _matrices(200, 16, 16)),
    "triangular (200, 8, 8)": _of(lambda N, a, b: N.triangular(a, b), _matrices(200, 8, 8), (200, 8, 2)),
    "qr (200, 8, 4)": _of(lambda N, a: N.L.qr(a)[1], (200, 8, 4)),
    "lstsq (20, 4)": _of(lambda N, a, b: N.lstsq(a, b), (20, 4), (20, 1)),
    "matrix_exp (8, 8)": _of(lambda N, a: N.expm(a / 4), (8, 8)),
    "matrix_exp (100, 4, 4)": _of(lambda N, a: N.expm(a / 4), (100, 4, 4)),
    "eigvalsh (200, 6, 6)": _of(lambda N, a: N.eigh(a + a.mT), (200, 6, 6)),
    "Gaussian process (60)": _of(_process, (60,), (60,), lambda r: np.array(1.3)),
    "Kalman filter (100 steps)": _of(_kalman, lambda r: r.standard_normal((4, 4)) / 4, (2, 4), (100, 2)),
    "Newton with a solve (20 steps)": _of(_newton, (3,)),
    "tridiagonal (1000)": _of(lambda N, a, b: N.banded(a, b), _diagonals(1000), (1000,)),
    "implicit heat (50 steps of 100)": _of(_heat, (100,)),
    "Hessian (500, 50)": _of(_hessian, (50,), lambda r: r.standard_normal((500, 50)) / 7),
    "loop: cholesky": _of(_per_step(lambda N, c: N.L.cholesky(c @ c.mT + N.eye(3, dtype=c.dtype))), (3, 3)),
    "loop: sort": _of(_per_step(lambda N, c: N.sort(c)), (8,)),
    "loop: cumsum": _of(_per_step(lambda N, c: N.cumsum(c, 0) / 8), (8,)),
    "loop: read": _of(_per_step(lambda N, c: N.sin(c[N.integers(4 + 3 * N.sin(c[0]))] * c)), (8,)),
    "embedding (4096 of 5000, 32)": _of(lambda N, x, i: x[i], (5000, 32), _positions(5000, 4096)),
    "segment sum (100000 to 1000)": _of(lambda N, x, i: N.segment(x, i, 1000), (100_000,), _positions(1000, 100_000)),
    "segment sum of rows": _of(lambda N, x, i: N.segment(x, i, 500), (5000, 16), _positions(500, 5000)),
    "take_along_dim (1000, 64)": _of(lambda N, x, i: N.take(x, i), (1000, 64), _positions(64, 1000, 8)),
    "interp (10000)": _of(_interp, _uniform(0.99, 10_000), (500,)),
    "bilinear lookup (10000)": _of(_bilinear, _uniform(62, 10_000), _uniform(62, 10_000), (64, 64)),
    "reads (1000000)": _of(lambda N, x, i: N.sin(x[i]), (BIG,), _positions(BIG, BIG)),
    "segment sum (1000000)": _of(lambda N, x, i: N.segment(x, i, 10_000), (BIG,), _positions(10_000, BIG)),
    "cumsum (1000, 64)": _of(lambda N, x: N.cumsum(x, 1), (1000, 64)),
    "cumsum by columns": _of(lambda N, x: N.cumsum(x, 0), (1000, 64)),
    "cumsum (1000000)": _of(lambda N, x: N.cumsum(x, 0), (BIG,)),
    "cumprod (1000, 64)": _of(lambda N, x: N.cumprod(1 + x / 20, 1), (1000, 64)),
    "prod (1000, 32)": _of(lambda N, x: N.prod(1 + x / 20), (1000, 32)),
    "norms of rows (10000, 16)": _of(lambda N, x: N.norm(x), (10_000, 16)),
    "normalised rows (10000, 16)": _of(lambda N, x: x / N.norm(x)[:, None], (10_000, 16)),
    "std of rows (1000, 64)": _of(lambda N, x: N.std(x), (1000, 64)),
    "norms of rows (1000000)": _of(lambda N, x: N.norm(x), (1000, 1000)),
    "cov (1000, 20)": _of(lambda N, x: N.cov(x), (1000, 20)),
    "cdist (200, 3)": _of(lambda N, a, b: N.cdist(a, b), (200, 3), (200, 3)),
    "logcumsumexp (100, 200)": _of(lambda N, x: N.logcumsumexp(x, 1), (100, 200)),
    "logsumexp (1000, 64)": _of(lambda N, x: N.logsumexp(x), (1000, 64)),
    "softmax (1000, 1000)": _of(lambda N, x: N.softmax(x), (1000, 1000)),
    "max of rows (1000, 1000)": _of(lambda N, x: N.max(x), (1000, 1000)),
    "sort (1000, 32)": _of(lambda N, x: N.sort(x), (1000, 32)),
    "sort (1000000)": _of(lambda N, x: N.sort(x), (BIG,)),
    "topk (1000, 100)": _of(lambda N, x: N.topk(x, 5), (1000, 100)),
    "topk (1000, 1000)": _of(lambda N, x: N.topk(x, 10), (1000, 1000)),
    "median (1000, 33)": _of(lambda N, x: N.median(x), (1000, 33)),
    "median (1000, 1001)": _of(lambda N, x: N.median(x), (1000, 1001)),
    "quantile (100000)": _of(lambda N, x: N.quantile(x, 0.3), (100_000,)),
    "conv1d (8, 16, 256)": _of(lambda N, x, w: N.conv1d(x, w), (8, 16, 256), (16, 16, 5)),
    "conv2d (4, 8, 32, 32)": _of(lambda N, x, w: N.conv2d(x, w), (4, 8, 32, 32), (16, 8, 3, 3)),
    "conv2d (1, 3, 256, 256)": _of(lambda N, x, w: N.conv2d(x, w), (1, 3, 256, 256), (5, 3, 3, 3)),
    "negative binomial (10000)": _of(
        lambda N, x, k: N.lgamma(N.exp(x) + k) - N.lgamma(N.exp(x)) - k * x, (10_000,), _positions(20, 10_000)
    ),
    # inputs that fit the first-level cache
    "cholesky (6, 6)": _of(lambda N, a: N.L.cholesky(a), _matrices(6, 6)),
    "inv (4, 4)": _of(lambda N, a: N.L.inv(a), _matrices(4, 4)),
    "det (3, 3)": _of(lambda N, a: N.L.det(a) / 30, _matrices(3, 3)),
    "cumsum (32, 8)": _of(lambda N, x: N.cumsum(x, 0), (32, 8)),
    "norms of rows (64, 3)": _of(lambda N, x: N.norm(x), (64, 3)),
    "logsumexp (16, 16)": _of(lambda N, x: N.logsumexp(x), (16, 16)),
    "softmax (8, 16)": _of(lambda N, x: N.softmax(x), (8, 16)),
    "layer norm (16, 32)": _of(_layer_norm, (16, 32)),
    "sort (8, 16)": _of(lambda N, x: N.sort(x), (8, 16)),
    "cdist (20, 3)": _of(lambda N, a, b: N.cdist(a, b), (20, 3), (20, 3)),
    "logistic regression (50, 5)": _of(_logistic, (5,), (50, 5)),
    "Rosenbrock (100)": _of(_rosenbrock, (100,)),
    # a million entries
    "Rosenbrock (1000000)": _of(_rosenbrock, (BIG,)),
    "sin·exp (1000000)": _of(lambda N, x: N.sin(x) * N.exp(-x), (BIG,)),
    "choice (1000000)": _of(lambda N, x: N.where(x > 0, x * x, N.sin(x)), (BIG,)),
    "lgamma (1000000)": _of(lambda N, x: N.lgamma(1 + x * x), (BIG,)),
    "interp (1000000)": _of(_interp, _uniform(0.99, BIG), (500,)),
    "take_along_dim (1000, 1000)": _of(lambda N, x, i: N.take(x, i), (1000, 1000), _positions(1000, 1000, 1000)),
    "std of rows (1000, 1000)": _of(lambda N, x: N.std(x), (1000, 1000)),
    "logsumexp (1000, 1000)": _of(lambda N, x: N.logsumexp(x), (1000, 1000)),
    "cumprod (10000, 100)": _of(lambda N, x: N.cumprod(1 + x / 50, 1), (10_000, 100)),
    "layer norm (10000, 100)": _of(_layer_norm, (10_000, 100)),
    "logistic regression (10000, 100)": _of(_logistic, (100,), (10_000, 100)),
    "cov (10000, 100)": _of(lambda N, x: N.cov(x), (10_000, 100)),
}


# ------------------------------------------------------------------ a process, and who asks it
def serve(peer: str) -> None:
    """Answer lines of JSON: a kernel's name, and whether it is to be made or timed."""
    names, both, given = {"symgrad": symgrad, "jax": jax, "torch": torch}[peer]()
    call: Any = None
    for line in sys.stdin:
        name, is_new = json.loads(line)
        try:
            if is_new:
                kernel = KERNELS[name]
                xs = [given(x) for x in kernel.inputs(np.random.default_rng(7))]
                wrt = tuple(k for k, x in enumerate(kernel.inputs(np.random.default_rng(7))) if x.dtype.kind == "f")

                def loss(*xs: Any, run: Any = kernel.run) -> Any:
                    return (run(names, *xs) ** 2).sum()

                made = both(loss, wrt)
                call = lambda made=made, xs=xs: made(*xs)
                start = time.perf_counter()
                value, slopes = call()
                first = time.perf_counter() - start
                sizes = [float(value), *[float(np.abs(np.asarray(g)).sum()) for g in slopes]]
                print(json.dumps({"first": first, "sizes": sizes}), flush=True)
            else:
                print(json.dumps({"us": _burst(call)}), flush=True)
        except Exception as error:
            print(json.dumps({"error": f"{type(error).__name__}: {error}"[:200]}), flush=True)


def _burst(call: Any) -> float:
    """The microseconds of a call."""
    count, start = 0, time.perf_counter()
    while True:
        ready(call())
        count += 1
        passed = time.perf_counter() - start
        if passed > BURST:
            return passed / count * 1e6


def ready(result: Any) -> None:
    """Wait for a result that is computed behind."""
    if hasattr(result[0], "block_until_ready"):
        result[0].block_until_ready()
        result[1][0].block_until_ready()


def ask(process: Any, name: str, is_new: bool) -> dict[str, Any]:
    """Return a process's answer."""
    process.stdin.write(json.dumps([name, is_new]) + "\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


@dataclass(frozen=True)
class Measured:
    """What was measured of a kernel: microseconds and seconds to the first result, by library; and what failed."""

    times: dict[str, float]
    first: dict[str, float]
    errors: tuple[str, ...]

    def ratio(self, peer: str) -> float:
        """How many times as fast symgrad is as a library."""
        return self.times.get(peer, float("nan")) / self.times.get("symgrad", float("nan"))

    @property
    def worst(self) -> float:
        """How many times as fast symgrad is as the faster of the others."""
        ratios = [self.ratio(p) for p in PEERS[1:] if p in self.times]
        return min(ratios, default=float("nan"))


def measured(processes: Any, name: str) -> Measured:
    """Compare a kernel's results, and time it in turns."""
    made = {p: ask(processes[p], name, True) for p in PEERS}
    errors = [f"{p}: {m['error']}" for p, m in made.items() if "error" in m]
    able = [p for p, m in made.items() if "error" not in m]
    turns = [{p: ask(processes[p], name, False)["us"] for p in able} for _ in range(TURNS)]
    sizes = [made[p]["sizes"] for p in able]
    if not all(np.allclose(s, sizes[0], rtol=1e-6) for s in sizes):
        errors.append(f"results differ: {dict(zip(able, sizes, strict=True))}")
    least = {p: min(turn[p] for turn in turns) for p in able}
    return Measured(least, {p: made[p]["first"] for p in able}, tuple(errors))


def line(name: str, row: Measured) -> str:
    """A kernel as a row of the table; a dash stands for a library that cannot compute it."""
    times = [f"{row.times[p]:.1f}" if p in row.times else "–" for p in PEERS]
    firsts = [f"{row.first[p] * 1e3:.0f}" if p in row.first else "–" for p in PEERS]
    return f"| {name} | {' | '.join([*times, f'{row.worst:.2f}', *firsts])} |"


def main() -> None:
    """Print a row for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="parts of kernels' names")
    parser.add_argument("--threads", type=int, default=1, help="how many each library has; JAX takes all from 2 on")
    asked = parser.parse_args()
    threads = ONE_THREAD if asked.threads == 1 else dict.fromkeys(THREADS, str(asked.threads))
    processes = {
        p: subprocess.Popen(
            [sys.executable, __file__, "--serve", p], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **threads, "SYMGRAD_CACHE_SIZE": "0"},
        )
        for p in PEERS
    }  # fmt: skip
    print(f"{HEAD}\n|---|{'---:|' * 7}")
    for name in KERNELS:
        if not asked.words or any(w in name for w in asked.words):
            row = measured(processes, name)
            print(line(name, row), flush=True)
            print(*row.errors, sep="\n", end="", file=sys.stderr)
    for process in processes.values():
        process.stdin.close()
        process.wait()


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1:2] == ["--serve"] else main()
