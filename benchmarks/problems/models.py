"""Models with matrix products: the tutorial's, logistic regression, a network, a Gaussian mixture."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from problems.problem import Problem


# ------------------------------------------------------------------ PyTorch's autograd tutorial
def _tutorial(m, w, b, x, y):
    return m.bce_with_logits(x @ w + b, y)


def _tutorial_by_hand(w, b, x, y):
    z = x @ w + b
    e = np.exp(-np.abs(z))
    value = (np.maximum(z, 0.0) - z * y + np.log1p(e)).sum() / len(b)
    g = (np.where(z >= 0.0, 1.0, e) / (1.0 + e) - y) / len(b)
    return value, (np.outer(x, g), g)


def tutorial() -> Problem:
    """A 5×3 linear layer and binary cross entropy."""

    def inputs():
        rng = np.random.default_rng(0)
        return rng.normal(size=(5, 3)), rng.normal(size=3), np.ones(5), np.zeros(3)

    return Problem(
        name="tutorial, 5×3 linear and BCE",
        inputs=inputs,
        program=lambda m: partial(_tutorial, m),
        hand=_tutorial_by_hand,
        wrt=2,
        source="tutorial.c",
    )


# ------------------------------------------------------------------ logistic regression
def _logistic(m, w, x, y):
    return m.mean(m.softplus(-y * (x @ w)))


def _logistic_by_hand(w, x, y):
    z = -y * (x @ w)
    e = np.exp(-np.abs(z))
    value = (np.log1p(e) + np.maximum(z, 0.0)).mean()
    slope = np.where(z >= 0.0, 1.0, e) / (1.0 + e)
    return value, (-y * slope) @ x / len(y)


def logistic(n: int, d: int) -> Problem:
    """The mean of log(1 + exp(−yᵢ xᵢ·w)), labels ±1."""

    def inputs():
        rng = np.random.default_rng(0)
        return 0.1 * rng.normal(size=d), rng.normal(size=(n, d)), rng.choice([-1.0, 1.0], n)

    return Problem(
        name=f"logistic regression {n}×{d}",
        inputs=inputs,
        program=lambda m: partial(_logistic, m),
        hand=_logistic_by_hand,
    )


# ------------------------------------------------------------------ a network of two layers
def _network(m, w1, b1, w2, b2, x, y):
    return -m.mean(m.sum(m.log_softmax(m.tanh(x @ w1 + b1) @ w2 + b2) * y, 1))


def _network_by_hand(w1, b1, w2, b2, x, y):
    h = x @ w1
    h += b1
    np.tanh(h, out=h)
    z = h @ w2 + b2
    z -= z.max(1, keepdims=True)
    e = np.exp(z)
    total = e.sum(1, keepdims=True)
    value = (np.log(total)[:, 0] - (z * y).sum(1)).mean()
    p = (e / total - y) / x.dtype.type(len(x))
    gh = p @ w2.T
    gh *= 1 - h * h
    return value, (x.T @ gh, gh.sum(0), h.T @ p, p.sum(0))


def network(sizes: tuple[int, int, int], batch: int, dtype: str) -> Problem:
    """Tanh, then softmax and cross entropy with one-hot labels."""

    def inputs():
        rng = np.random.default_rng(0)
        d, h, k = sizes
        w1, w2 = 0.05 * rng.normal(size=(d, h)), 0.1 * rng.normal(size=(h, k))
        x, y = rng.normal(size=(batch, d)), np.eye(k)[rng.integers(0, k, batch)]
        return tuple(a.astype(dtype) for a in (w1, np.zeros(h), w2, np.zeros(k), x, y))

    return Problem(
        name=f"MLP {'-'.join(map(str, sizes))}, batch {batch}, {dtype}",
        inputs=inputs,
        program=lambda m: partial(_network, m),
        hand=_network_by_hand,
        wrt=4,
        rtol=1e-4 if dtype == "float32" else 1e-9,
    )


# ------------------------------------------------------------------ a Gaussian mixture
def _triangle(d):
    """Two 0/1 matrices that put a row's first d numbers on a diagonal, the other d(d−1)/2 below it, by columns."""
    rows, columns = np.array([(i, j) for j in range(d) for i in range(j + 1, d)], dtype=int).reshape(-1, 2).T
    diagonal, below = np.zeros((d, d * d)), np.zeros((len(rows), d * d))
    diagonal[np.arange(d), np.arange(d) * (d + 1)] = 1.0
    below[np.arange(len(rows)), rows * d + columns] = 1.0
    return diagonal, below


def _mixture(m, alpha, mu, icf, x, diagonal, below):
    """ADBench's log likelihood: icf holds the inverse covariances' factors, logarithms on the diagonal."""
    (k, d), n = mu.shape, x.shape[0]
    q = m.reshape(m.exp(icf[:, :d]) @ diagonal + icf[:, d:] @ below, (k, d, d))
    y = (x[None, :, :] - mu[:, None, :]) @ m.swap(q)
    inner = (alpha + m.sum(icf[:, :d], 1))[:, None] - 0.5 * m.sum(y * y, 2)
    return m.sum(m.logsumexp(inner, 0)) - n * m.logsumexp(alpha, 0) - 0.5 * n * d * math.log(2 * math.pi)


def _mixture_by_hand(alpha, mu, icf, x, diagonal, below):
    (k, d), n = mu.shape, len(x)
    on, off = np.nonzero(diagonal)[1], np.nonzero(below)[1]
    e, q = np.exp(icf[:, :d]), np.zeros((k, d * d))
    q[:, on], q[:, off] = e, icf[:, d:]
    q = q.reshape(k, d, d)
    away = x[None] - mu[:, None]
    y = away @ q.transpose(0, 2, 1)
    inner = (alpha + icf[:, :d].sum(1))[:, None] - 0.5 * np.einsum("knd,knd->kn", y, y)
    top = inner.max(0)
    w = np.exp(inner - top)
    s = w.sum(0)
    w /= s
    weights = np.exp(alpha - alpha.max())
    value = (np.log(s) + top).sum() - n * (np.log(weights.sum()) + alpha.max()) - 0.5 * n * d * math.log(2 * math.pi)
    y *= -w[:, :, None]
    gq = (y.transpose(0, 2, 1) @ away).reshape(k, d * d)
    each = w.sum(1)
    g_icf = np.hstack([gq[:, on] * e + each[:, None], gq[:, off]])
    return value, (each - n * weights / weights.sum(), -np.einsum("kd,kde->ke", y.sum(1), q), g_icf)


def mixture(d: int, k: int, n: int) -> Problem:
    """ADBench's Gaussian mixture without the prior: by weights, means and inverse covariance factors."""

    def inputs():
        rng = np.random.default_rng(0)
        shapes = (k,), (k, d), (k, d * (d + 1) // 2), (n, d)
        alpha, mu, icf, x = (rng.normal(size=s) for s in shapes)
        return alpha, mu, 0.3 * icf, x, *_triangle(d)

    return Problem(
        name=f"Gaussian mixture d={d} k={k} n={n}",
        inputs=inputs,
        program=lambda m: partial(_mixture, m),
        hand=_mixture_by_hand,
        wrt=3,
    )
