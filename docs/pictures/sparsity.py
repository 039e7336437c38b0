"""Which entries of Jacobians and Hessians are not zero."""

from typing import Any

import numpy as np

import symgrad as sg
from pictures import COLOURS, canvas


def _rosenbrock(x: Any) -> Any:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def _heat(u: Any) -> Any:
    """The five-point stencil of heat on a square grid of 7 × 7."""
    grid = sg.nn.functional.pad(u.reshape(7, 7), (1, 1, 1, 1))
    around = grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]
    return (around - 4 * grid[1:-1, 1:-1] + grid[1:-1, 1:-1] ** 3).reshape(-1)


def patterns() -> Any:
    """Three patterns: a chain's Hessian is a band, a grid's Jacobian five diagonals, cameras and points a staircase."""
    figure, axes = canvas(1, 3, size=(8.2, 3.0))
    cases = {
        "Hessian of a chain": sg.sparse_hessian(_rosenbrock)(np.linspace(-1, 1, 40)),
        "Jacobian on a grid": sg.sparse_jacobian(_heat)(np.linspace(-1, 1, 49)),
        "cameras and points": sg.sparse_jacobian(_views)(np.linspace(1, 2, 6 + 16)),
    }
    for ax, (title, matrix) in zip(axes, cases.items(), strict=True):
        ax.spy(matrix.toarray(), markersize=2.2, color="#2f7fc1")
        ax.set_title(f"{title}: {matrix.nnz / np.prod(matrix.shape):.0%}", fontsize=10)
        ax.set_xticks([])
        ax.set_yticks([])
    return figure


def _views(x: Any) -> Any:
    """Each of 8 points of the plane, seen by each of 3 cameras."""
    cameras, points = x[:6].reshape(3, 2), x[6:].reshape(8, 2)
    away = points[None] - cameras[:, None]
    return (away[..., 0] / away.pow(2).sum(2)).reshape(-1)


def colours() -> Any:
    """The columns of a Jacobian in five colours; columns of one colour share no row, so one product gives them all."""
    jacobian = sg.sparse_jacobian(lambda x: sg.sin(x[:-4]) * x[1:-3] * x[2:-2] + x[3:-1] * x[4:])
    matrix = jacobian(np.linspace(0.5, 1.5, 24)).toarray()
    figure, ax = canvas(size=(5.0, 4.0))
    for row, column in zip(*np.nonzero(matrix), strict=True):
        ax.plot(column, row, "s", color=COLOURS[column % 5], markersize=6)
    ax.invert_yaxis()
    ax.set_aspect("equal")
    ax.set_title(f"{matrix.shape[1]} columns from {jacobian.colours} products")
    return figure
