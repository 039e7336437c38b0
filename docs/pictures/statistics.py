"""Fits and their uncertainty."""

from typing import Any

import numpy as np
from scipy.optimize import minimize

import symgrad as sg
from pictures import canvas


def _growth(theta: Any, t: Any) -> Any:
    """Logistic growth: capacity, rate and the time of half of it."""
    return theta[0] / (1 + sg.exp(-theta[1] * (t - theta[2])))


def _grown() -> tuple[Any, Any, Any]:
    """Times, noisy sizes, and the fitted parameters."""
    t = np.linspace(0, 12, 25)
    observed = np.asarray(_growth(np.array([10.0, 0.9, 6.0]), t)) + 0.5 * np.random.default_rng(3).normal(size=25)
    loss = sg.compile(sg.value_and_grad(lambda theta: ((_growth(theta, t) - observed) ** 2).sum()))
    return t, observed, minimize(loss, [8.0, 0.5, 5.0], jac=True).x


def fit_with_band() -> Any:
    """A growth curve through noisy points with the band of two standard errors that the Jacobian gives."""
    t, observed, theta = _grown()
    predict = lambda theta: _growth(theta, t)
    residual, J = observed - np.asarray(predict(theta)), np.asarray(sg.jacobian(predict)(theta))
    covariance = residual @ residual / (t.size - 3) * np.linalg.inv(J.T @ J)
    error = 2 * np.sqrt(np.einsum("ti,ij,tj->t", J, covariance, J))
    curve = np.asarray(predict(theta))
    figure, ax = canvas()
    ax.plot(t, observed, "o", color="#808890", label="observed")
    ax.plot(t, curve, linewidth=2, label="fit")
    ax.fill_between(t, curve - error, curve + error, color="#2f7fc1", alpha=0.25, label="± 2 standard errors")
    ax.legend()
    ax.set_title("Logistic growth: errors from sg.jacobian")
    return figure


def likelihood_and_its_quadratic() -> Any:
    """Contours of a sum of squares in two parameters, and the ellipses that its Hessian predicts."""
    t, observed, theta = _grown()
    loss = lambda p: ((_growth(sg.stack([p[0], p[1], p[0] * 0 + theta[2]]), t) - observed) ** 2).sum()
    center = theta[:2]
    H, best = np.asarray(sg.hessian(loss)(center)), float(loss(center))
    a, b = np.linspace(8.5, 11.7, 60), np.linspace(0.6, 1.4, 60)
    points = np.stack(np.meshgrid(a, b), -1)
    actual = np.asarray(sg.vmap(loss)(points.reshape(-1, 2))).reshape(60, 60)
    away = points - center
    model = best + 0.5 * np.einsum("abi,ij,abj->ab", away, H, away)
    figure, ax = canvas(size=(5.6, 4.0))
    levels = best + np.array([0.5, 1.5, 3, 5])
    ax.contour(a, b, actual, levels, colors="#2f7fc1")
    ax.contour(a, b, model, levels, colors="#d9691d", linestyles="dashed")
    ax.plot([], [], color="#2f7fc1", label="sum of squares")
    ax.plot([], [], "--", color="#d9691d", label="from sg.hessian")
    ax.plot(*center, "k.")
    ax.set_xlabel("capacity")
    ax.set_ylabel("rate")
    ax.legend(fontsize=9)
    return figure


def gaussian_process() -> Any:
    """A Gaussian process through twelve points: mean and band, length scale chosen by the marginal likelihood."""
    generator = np.random.default_rng(1)
    x = np.sort(generator.uniform(0, 10, 12))
    y = np.sin(x) + 0.15 * generator.normal(size=12)
    kernel = lambda p, a, b: sg.exp(p[0] - 0.5 * (a[:, None] - b[None]) ** 2 * sg.exp(-2 * p[1]))

    def loss(p: Any) -> Any:
        K = kernel(p, x, x) + sg.exp(p[2]) * sg.eye(12)
        return 0.5 * y @ sg.linalg.solve(K, y) + 0.5 * sg.logdet(K)

    p = minimize(sg.value_and_grad(loss), np.array([0.0, 0.0, -3.0]), jac=True).x
    at = np.linspace(0, 10, 150)
    K, across = np.asarray(kernel(p, x, x)) + np.exp(p[2]) * np.eye(12), np.asarray(kernel(p, at, x))
    mean = across @ np.linalg.solve(K, y)
    error = 2 * np.sqrt(np.exp(p[0]) - np.einsum("ij,ji->i", across, np.linalg.solve(K, across.T)))
    figure, ax = canvas()
    ax.plot(at, mean, linewidth=2)
    ax.fill_between(at, mean - error, mean + error, alpha=0.25)
    ax.plot(x, y, "o", color="#d9691d")
    ax.set_title(f"Gaussian process, length scale {np.exp(p[1]):.2f} by its marginal likelihood")
    return figure


def robust_losses() -> Any:
    """A line through points with three outliers: least squares is pulled away, Huber's loss is not."""
    generator = np.random.default_rng(2)
    x = np.linspace(0, 10, 30)
    y = 1 + 0.5 * x + 0.3 * generator.normal(size=30)
    y[[24, 26, 28]] -= 6
    figure, ax = canvas()
    ax.plot(x, y, "o", color="#808890")
    for name in ("mse_loss", "huber_loss"):
        loss = getattr(sg.nn.functional, name)
        fit = minimize(sg.value_and_grad(lambda p, loss=loss: loss(p[0] + p[1] * x, y)), np.zeros(2), jac=True)
        ax.plot(x, fit.x[0] + fit.x[1] * x, label=name, linewidth=2)
    ax.legend()
    ax.set_title("One loss exchanged for another")
    return figure
