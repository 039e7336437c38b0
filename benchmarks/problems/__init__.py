"""The benchmark problems: in full for the table, and reduced for the tests."""

from __future__ import annotations

from problems.bundle import observations, residual
from problems.chains import chain, cubic, exponentials, rational
from problems.models import logistic, mixture, network, tutorial
from problems.problem import Problem
from problems.programs import program
from problems.recurrent import lstm
from problems.scalars import arm, rosenbrock, speelpenning
from problems.signals import phases, spectrum

__all__ = ["FULL", "REDUCED", "Problem"]


def _by_name(*problems: Problem) -> dict[str, Problem]:
    return {p.name: p for p in problems}


FULL = _by_name(
    rosenbrock(2),
    rosenbrock(10),
    rosenbrock(100),
    rosenbrock(1000),
    speelpenning(20),
    arm(),
    residual(),
    tutorial(),
    chain(1_000),
    chain(100_000),
    chain(10_000_000),
    exponentials(100_000),
    rational(100_000),
    cubic(100_000),
    phases(100_000),
    spectrum(4096),
    logistic(10_000, 50),
    network((784, 128, 10), 32, "float32"),
    network((784, 128, 10), 32, "float64"),
    mixture(10, 25, 1000),
    lstm(14, 2, 200),
    observations(31_840),
    program(1_000),
    program(50_000),
)

REDUCED = _by_name(
    rosenbrock(2),
    rosenbrock(5),
    speelpenning(4),
    arm(),
    residual(),
    tutorial(),
    chain(9),
    exponentials(9),
    rational(9),
    cubic(9),
    phases(9),
    spectrum(8),
    logistic(12, 3),
    network((7, 5, 3), 4, "float32"),
    network((7, 5, 3), 4, "float64"),
    mixture(3, 2, 8),
    lstm(3, 2, 5),
    observations(4),
    program(120),
)
