"""Objectives as collections of test problems write them, in NumPy's words: their gradients are those of differences."""

from __future__ import annotations

import numpy as np
import pytest

import symgrad as sg

POINT = np.array([0.9, 1.7, 1.2, 2.1])


def griewank(x):
    i = np.arange(1.0, np.atleast_1d(x).size + 1.0)
    return np.sum(x**2 / 4000) - np.prod(np.cos(x / np.sqrt(i))) + 1


def levy(x):
    w = 1 + (x - 1) / 4
    z = np.sin(np.pi * w[0]) ** 2
    for i in range(len(x) - 1):
        z += (w[i] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[i] + 1) ** 2)
    return z


def corana(x):
    weights, total = [1.0, 1000.0, 10.0, 100.0], 0
    for j in range(4):
        near = np.floor(abs(x[j] / 0.2) + 0.49999) * np.sign(x[j]) * 0.2
        if abs(x[j] - near) < 0.05:
            total += 0.15 * ((near - 0.05 * np.sign(near)) ** 2) * weights[j]
        else:
            total += weights[j] * x[j] * x[j]
    return total


def whitley(x):
    t = 100.0 * (x**2 - np.atleast_2d(x).T) ** 2.0 + (1.0 - np.atleast_2d(x).T) ** 2.0
    return np.sum(t**2.0 / 4000.0 - np.cos(t) + 1.0)


def shekel(x):
    a = np.asarray([[4.0, 4.0, 4.0, 4.0], [1.0, 1.0, 1.0, 1.0], [3.0, 7.0, 3.0, 7.0]])
    return -np.sum(1 / (np.sum((x - a) ** 2, axis=1) + np.asarray([0.1, 0.2, 0.4])))


def langermann(x):
    a, c = np.asarray([[3.0, 5, 2, 1, 7], [5.0, 2, 1, 4, 9]]), [1, 2, 5, 2, 3]
    r = (x[0] - a[0]) ** 2 + (x[1] - a[1]) ** 2
    return -np.sum(c * np.exp(-r / np.pi) * np.cos(np.pi * r))


def penalty(x):
    u = np.where(abs(x) > 2, 10.0 * (abs(x) - 2) ** 4.0, 0.0)
    y = 1.0 + (x + 1.0) / 4.0
    return np.sum(u) + np.sum((y[:-1] - 1.0) ** 2.0 * (1.0 + 10.0 * np.sin(np.pi * y[1:]) ** 2.0)) + (y[-1] - 1) ** 2.0


def sargan(x):
    return np.sum(x.size * (x**2 + 0.4 * np.sum(x[:-1] * np.roll(x, -1)[:-1])))


def distances(x):
    points = np.reshape(np.hstack([0.0, x, 1.0]), (3, 2))
    return np.sum(np.sqrt(np.sum((points[:, None] - points[None]) ** 2, axis=-1) + 1e-3))


def regression(x):
    design = np.vander(np.linspace(-1, 1, 9), 4)
    residual = design @ x - [1, 0, 2, 0, 1, 0, 2, 0, 1]
    return residual.dot(residual) / residual.size + 0.1 * np.abs(x).max() + x.var(ddof=0) + x.cumsum().std(ddof=1)


def spline(x):
    return (
        np.interp(1.3, [0.0, 1.0, 2.0, 3.0], x) ** 2 + np.cbrt(x).sum() + np.piecewise(x, [x < 1], [np.exp, np.sin])[0]
    )


def layers(x):
    w, b = x[:2].reshape(1, 2), x[2:]
    hidden = np.tanh(np.dot(np.ones((3, 1)), w) + b)
    return np.log(np.sum(np.exp(hidden), axis=1, keepdims=True)).mean() + np.linalg.norm(hidden)


PROGRAMS = [griewank, levy, corana, whitley, shekel, langermann, penalty, sargan, distances, regression, spline, layers]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_program_in_numpys_words_has_its_gradient(f):
    value, gradient = sg.value_and_grad(f)(POINT)
    h, steps = 1e-6, np.eye(4)
    expected = np.array([(f(POINT + h * e) - f(POINT - h * e)) / (2 * h) for e in steps])
    np.testing.assert_allclose(value, f(POINT), rtol=1e-12)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("f", [f for f in PROGRAMS if f is not corana], ids=lambda f: f.__name__)
def test_a_program_in_numpys_words_is_traced(f):
    np.testing.assert_allclose(sg.compile(f)(POINT), f(POINT), rtol=1e-12)
