"""Functions of one number beside their derivatives."""

import math
from typing import Any

import numpy as np
from matplotlib.patches import Rectangle

import symgrad as sg
from pictures import canvas
from symgrad.proved.covering import verified


def _each(f: Any, xs: Any) -> Any:
    """f at each of many points."""
    return np.asarray(sg.vmap(f)(xs))


def _orders(f: Any, highest: int) -> list[Any]:
    """f and its derivatives."""
    found = [f]
    for _ in range(highest):
        found.append(sg.grad(found[-1]))
    return found


def tangents() -> Any:
    """The curve of x sin x with five tangents, whose slopes are its gradient at those points."""
    f = lambda x: x * sg.sin(x)
    figure, ax = canvas()
    xs = np.linspace(-1, 10, 300)
    ax.plot(xs, _each(f, xs), linewidth=2)
    for at in (0.8, 2.6, 4.9, 6.6, 8.4):
        value, slope = sg.value_and_grad(f)(at)
        step = np.array([-1.1, 1.1]) / math.hypot(1, slope / 3)
        ax.plot(at + step, value + slope * step, color="#d9691d")
        ax.plot([at], [value], "o", color="#d9691d", markersize=5)
    ax.set_title("f(x) = x sin x and tangents of slope sin x + x cos x")
    return figure


def orders() -> Any:
    """The bell curve and its first three derivatives, each of which crosses zero once more than the one before."""
    figure, ax = canvas()
    xs = np.linspace(-4, 4, 200)
    for k, f in enumerate(_orders(lambda x: sg.exp(-(x**2) / 2), 3)):
        ax.plot(xs, _each(f, xs), label="f" + "′" * k)
    ax.axhline(0, color="#808890", linewidth=0.6)
    ax.set_title("exp(−x²/2), derived three times")
    ax.legend()
    return figure


def taylor() -> Any:
    """The sine and its Taylor polynomials of degree 1, 3, 5 and 7: each follows it further from zero."""
    figure, ax = canvas()
    xs = np.linspace(-6, 6, 240)
    at_zero = [f(0.0) for f in _orders(sg.sin, 7)]
    ax.plot(xs, np.sin(xs), color="#808890", linewidth=3, label="sin")
    for degree in (1, 3, 5, 7):
        terms = [d / math.factorial(k) * xs**k for k, d in enumerate(at_zero[: degree + 1])]
        ax.plot(xs, sum(terms), label=f"degree {degree}", linewidth=1.3)
    ax.set_ylim(-2.2, 2.2)
    ax.set_title("Taylor polynomials from derivatives at 0")
    ax.legend(ncols=2, fontsize=9)
    return figure


def activations() -> Any:
    """Two panels: the activations relu, softplus, GELU, SiLU and tanh, and below each its derivative."""
    figure, (above, below) = canvas(1, 2, size=(7.4, 3.4))
    xs = np.linspace(-3.5, 3.5, 221)
    for name in ("relu", "softplus", "gelu", "silu", "tanh"):
        f = getattr(sg.nn.functional, name)
        above.plot(xs, _each(f, xs), label=name)
        below.plot(xs, _each(sg.grad(f), xs))
    above.set_title("activations")
    below.set_title("their derivatives")
    above.legend(fontsize=9)
    return figure


def kinks() -> Any:
    """Four functions with a kink, and the slope that symgrad and PyTorch return at the kink."""
    cases = {
        "|x|, slope 0": (sg.abs, 0.0),
        "relu(x), slope 0": (sg.relu, 0.0),
        "max(x, −x/2), slope ¼": (lambda x: sg.maximum(x, -x / 2), 0.0),
        "clamp(x, −1, 1), slope 1": (lambda x: sg.clamp(x, -1, 1), 1.0),
    }
    figure, axes = canvas(1, 4, size=(8.6, 2.5))
    for ax, (title, (f, at)) in zip(axes, cases.items(), strict=True):
        xs = np.linspace(at - 1.5, at + 1.5, 101)
        value, slope = sg.value_and_grad(f)(at)
        step = np.array([-0.7, 0.7])
        ax.plot(xs, _each(f, xs), linewidth=2)
        ax.plot(at + step, value + slope * step, "--", color="#d9691d")
        ax.plot([at], [value], "o", color="#d9691d")
        ax.set_title(title, fontsize=9.5)
        ax.set_ylim(value - 1.2, value + 1.5)
    return figure


def stable() -> Any:
    """The derivative of log(1 + exp x): the naive formula is nan above 709, softplus is 1."""
    figure, ax = canvas(size=(6.4, 3.0))
    xs = np.linspace(-200, 1200, 281)
    with np.errstate(all="ignore"):
        naive = _each(sg.grad(lambda x: sg.log(1 + sg.exp(x))), xs)
    ax.plot(xs, _each(sg.grad(sg.nn.functional.softplus), xs), linewidth=5, alpha=0.45, label="softplus(x)")
    ax.plot(xs, naive, color="#d9691d", label="log(1 + exp(x)), then nan")
    ax.set_xlabel("x")
    ax.set_title("The slope of log(1 + exp(x))")
    ax.legend(loc="center right")
    return figure


def difference_quotients() -> Any:
    """Error of difference quotients against their step: a V with its minimum at 1e-8 or 1e-5; derivatives have none."""
    f = lambda x: sg.exp(sg.sin(x * x))
    true = math.exp(math.sin(1.44)) * math.cos(1.44) * 2.4
    here = f(1.2).item()
    hs = np.logspace(-15, 0, 120)
    forward = [(f(1.2 + h).item() - here) / h for h in hs]
    central = [(f(1.2 + h).item() - f(1.2 - h).item()) / (2 * h) for h in hs]
    figure, ax = canvas()
    ax.loglog(hs, np.abs(np.array(forward) / true - 1), label="forward difference")
    ax.loglog(hs, np.abs(np.array(central) / true - 1), label="central difference")
    ax.axhline(max(abs(sg.grad(f)(1.2) / true - 1), 1.1e-16), color="#2c9c69", linewidth=2, label="sg.grad")
    ax.set_xlabel("step h")
    ax.set_ylabel("relative error")
    ax.set_title("exp(sin x²) at 1.2: no step is right for a difference")
    ax.legend(fontsize=9)
    return figure


def proved_boxes() -> Any:
    """A square in boxes: grey ones where two curves are apart, orange ones around their four crossings."""
    lower, upper = [-2.5, -2.5], [2.6, 2.6]
    system = lambda v: sg.stack([v[0] ** 2 + v[1] ** 2 - 4, v[0] * v[1] - 1])
    result = sg.prove.all_roots(system, (lower, upper))
    leaves = verified(np.array([lower, upper]).T, result.certificate["tree"], lambda box, node: True)
    figure, ax = canvas(size=(5.2, 5.0))
    for box, node in leaves or []:
        (x, y), width = box[:, 0], box[:, 1] - box[:, 0]
        colour = "#d9691d" if node[0] == "one zero" else "#808890"
        ax.add_patch(Rectangle((x, y), *width, facecolor=colour, edgecolor="white", alpha=0.55, linewidth=0.6))
    ts, xs = np.linspace(0, 2 * np.pi, 200), np.geomspace(0.4, 2.5, 100)
    ax.plot(2 * np.cos(ts), 2 * np.sin(ts), color="#2f7fc1")
    for sign in (-1, 1):
        ax.plot(sign * xs, sign / xs, color="#2c9c69")
    ax.set_aspect("equal")
    ax.set_title("x² + y² = 4 and x y = 1: all zeros, and no other")
    return figure
