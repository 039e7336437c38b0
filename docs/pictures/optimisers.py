"""How optimisers use gradients and Hessians."""

from functools import cache
from typing import Any

import numpy as np

import symgrad as sg
from pictures import canvas

START = (-1.3, 1.6)


def _valley(x: Any) -> Any:
    """Rosenbrock's function of two numbers, with a milder valley."""
    return 10 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def _level(ax: Any, low: tuple[float, float] = (-1.8, -0.8), high: tuple[float, float] = (1.8, 2.4)) -> None:
    """Contours of the valley."""
    X, Y = np.meshgrid(np.linspace(low[0], high[0], 90), np.linspace(low[1], high[1], 80))
    values = 10 * (Y - X**2) ** 2 + (1 - X) ** 2
    ax.contour(X, Y, values, levels=np.logspace(-1, 2, 10), colors="#808890", linewidths=0.7)
    ax.plot(1, 1, "*", color="#b8860b", markersize=12)


@cache
def _walks() -> dict[str, np.ndarray[Any, Any]]:
    """The points that each optimiser visits."""
    makers = {
        "SGD": lambda p: sg.optim.SGD([p], lr=0.008),
        "with momentum": lambda p: sg.optim.SGD([p], lr=0.004, momentum=0.9),
        "Adam": lambda p: sg.optim.Adam([p], lr=0.1),
        "L-BFGS": lambda p: sg.optim.LBFGS([p], max_iter=1, line_search_fn="strong_wolfe"),
    }
    found = {name: _walk(make) for name, make in makers.items()}
    point, newton = np.array(START), [START]
    for _ in range(8):
        point = point - np.linalg.solve(sg.hessian(_valley)(point), sg.grad(_valley)(point))
        newton.append(tuple(point))
    return found | {"Newton": np.array(newton)}


def _walk(make: Any) -> np.ndarray[Any, Any]:
    p = sg.tensor(list(START), requires_grad=True)
    optimizer, points = make(p), [np.array(START)]

    def closure() -> Any:
        optimizer.zero_grad()
        loss = _valley(p)
        loss.backward()
        return loss

    for _ in range(120):
        optimizer.step(closure)
        points.append(p.detach().numpy().copy())
    return np.array(points)


def gradient_arrows() -> Any:
    """Contours of a curved valley with arrows along the negative gradient, which cross the contours at right angles."""
    figure, ax = canvas(size=(5.6, 4.4))
    _level(ax)
    points = np.array([(x, y) for x in np.linspace(-1.6, 1.6, 12) for y in np.linspace(-0.6, 2.2, 11)])
    slopes = -np.asarray(sg.vmap(sg.grad(_valley))(points))
    length = np.hypot(*slopes.T)[:, None]
    ax.quiver(*points.T, *(slopes / length * np.log1p(length)).T, color="#2f7fc1", width=0.004, scale=70)
    ax.set_title("Where −∇f points")
    return figure


def paths() -> Any:
    """Paths of SGD, momentum, Adam, L-BFGS and Newton through a curved valley to its minimum, the star."""
    figure, ax = canvas(size=(5.6, 4.4))
    _level(ax)
    for name, points in _walks().items():
        ax.plot(*points.T, label=name, linewidth=1.5, marker="." if len(points) < 20 else None)
    ax.set_xlim(-1.8, 1.8)
    ax.set_ylim(-0.8, 2.4)
    ax.legend(fontsize=9, loc="upper right")
    ax.set_title("Five ways down")
    return figure


def convergence() -> Any:
    """Loss against steps on a logarithmic axis: Newton needs ten steps, L-BFGS twenty, and the others many more."""
    figure, ax = canvas()
    for name, points in _walks().items():
        ax.semilogy([max(float(_valley(p)), 1e-18) for p in points], label=name)
    ax.set_xlabel("steps")
    ax.set_ylabel("loss")
    ax.set_title("Convergence on the same valley")
    ax.legend(fontsize=9)
    return figure


def schedules() -> Any:
    """Learning rate against epoch for step, exponential and cosine schedules, and for a schedule with a warm-up."""
    schedulers = sg.optim.lr_scheduler
    made = {
        "StepLR": lambda o: schedulers.StepLR(o, 15, 0.4),
        "ExponentialLR": lambda o: schedulers.ExponentialLR(o, 0.94),
        "CosineAnnealingLR": lambda o: schedulers.CosineAnnealingLR(o, 60),
        "LambdaLR, warm-up": lambda o: schedulers.LambdaLR(o, lambda e: min((e + 1) / 10, (60 - e) / 50)),
    }
    figure, ax = canvas(size=(6.4, 3.0))
    for name, make in made.items():
        optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=0.1)
        schedule, rates = make(optimizer), []
        for _ in range(60):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        ax.plot(rates, label=name)
    ax.set_xlabel("epoch")
    ax.set_title("Learning rates")
    ax.legend(fontsize=9)
    return figure


def quadratic_model() -> Any:
    """Contours of the valley and, around one point, the ellipses of its second-order model with the Newton step."""
    figure, ax = canvas(size=(5.6, 4.4))
    _level(ax)
    at = np.array([-0.6, 0.9])
    g, H = sg.grad(_valley)(at), sg.hessian(_valley)(at)
    values, axes = np.linalg.eigh(H)
    step = -np.linalg.solve(H, g)
    angles = np.linspace(0, 2 * np.pi, 120)
    circle = np.stack([np.cos(angles), np.sin(angles)])
    for level in (1, 2.5, 5):
        ellipse = axes @ (circle * np.sqrt(2 * level / np.abs(values))[:, None])
        ax.plot(*(at + step)[:, None] + ellipse, color="#d9691d", linewidth=1)
    ax.annotate("", at + step, at, arrowprops={"arrowstyle": "->", "color": "#2f7fc1", "linewidth": 2})
    ax.plot(*at, "o", color="#2f7fc1")
    ax.set_xlim(-1.8, 1.8)
    ax.set_ylim(-0.8, 2.4)
    ax.set_title("Gradient and Hessian at a point: model and step")
    return figure


def newton_basins() -> Any:
    """A square coloured by which cube root of one Newton's method finds from each start: three fractal basins."""

    def cubed(p: Any) -> Any:
        x, y = p[0], p[1]
        return sg.stack([x**3 - 3 * x * y**2 - 1, 3 * x**2 * y - y**3])

    jacobian = sg.compile(sg.vmap(lambda p: (cubed(p), sg.jacobian(cubed)(p))))
    side = np.linspace(-1.5, 1.5, 160)
    points = np.stack(np.meshgrid(side, side), -1).reshape(-1, 2) + 1e-9
    for _ in range(14):
        value, J = (np.asarray(a) for a in jacobian(points))
        points = points - np.linalg.solve(J, value[..., None])[..., 0]
    root = np.round(np.arctan2(points[:, 1], points[:, 0]) / (2 * np.pi / 3)).reshape(160, 160)
    figure, ax = canvas(size=(4.2, 4.2))
    ax.imshow(root, extent=(-1.5, 1.5, -1.5, 1.5), cmap="Blues", vmin=-1.8, vmax=1.4, origin="lower")
    ax.set_title("Newton's method for z³ = 1, from each start")
    return figure
