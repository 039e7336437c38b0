"""Straight-line scalar programs of a given number of operations: how long until the first gradient?"""

from __future__ import annotations

import math
import random
from collections import deque
from functools import partial

import numpy as np

from problems.problem import Problem

INPUTS = 10
_UNARY = {"sin": math.sin, "cos": math.cos, "tanh": math.tanh}
_BINARY = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b}


def straight_line(operations: int) -> tuple[list[tuple[str, int, int]], list[float]]:
    """Operations (name, first, second) on the values so far, always the same ones, and where they start.

    Every second operation takes up the result that has waited longest, so nothing is computed for nothing and the
    program stays shallow; the last ones add what is left. A value beyond ±2 goes through tanh at once.
    """
    rng = random.Random(0)
    start = [rng.uniform(-1.0, 1.0) for _ in range(INPUTS)]
    values, code, waiting, users = list(start), [], deque(range(INPUTS)), [0] * INPUTS
    left = INPUTS

    def emit(name: str, i: int, j: int) -> None:
        nonlocal left
        code.append((name, i, j))
        values.append(_UNARY[name](values[i]) if name in _UNARY else _BINARY[name](values[i], values[j]))
        for k in {i, j}:
            left -= users[k] == 0
            users[k] += 1
        users.append(0)
        waiting.append(len(values) - 1)
        left += 1

    def oldest() -> int:
        while users[waiting[0]]:
            waiting.popleft()
        return waiting.popleft()

    while len(code) + left < operations:
        if abs(values[-1]) > 2.0:
            emit("tanh", len(values) - 1, len(values) - 1)
            continue
        name = rng.choice([*_UNARY, *_BINARY])
        i = oldest() if rng.random() < 0.5 else rng.randrange(len(values))
        emit(name, i, i if name in _UNARY else rng.randrange(len(values)))
    if len(code) + left == operations:
        i = oldest()
        emit("sin", i, i)
    while left > 1:
        emit("add", oldest(), oldest())
    return code, start


def _run(m, code, x):
    values = [x[i] for i in range(INPUTS)]
    unary = {name: getattr(m, name) for name in _UNARY}
    for name, i, j in code:
        values.append(unary[name](values[i]) if name in unary else _BINARY[name](values[i], values[j]))
    return values[-1]


def _by_hand(code, x):
    """The sweep over the list of operations, in Python's floats."""
    values = x.tolist()
    for name, i, j in code:
        values.append(_UNARY[name](values[i]) if name in _UNARY else _BINARY[name](values[i], values[j]))
    g = [0.0] * len(values)
    g[-1] = 1.0
    for k in range(len(code) - 1, -1, -1):
        name, i, j = code[k]
        a, b, y, gy = values[i], values[j], values[k + INPUTS], g[k + INPUTS]
        g[i] += gy * {"sin": math.cos(a), "cos": -math.sin(a), "tanh": 1.0 - y * y, "mul": b}.get(name, 1.0)
        if name in _BINARY:
            g[j] += gy * {"add": 1.0, "sub": -1.0, "mul": a}[name]
    return values[-1], np.array(g[:INPUTS])


# What the gradient adds: value and gradient together are this many times the operations of the value.
_WITH_GRADIENT = 2.54


def program(operations: int) -> Problem:
    """Value and gradient, by ten inputs; together they have about so many operations."""
    code, start = straight_line(round(operations / _WITH_GRADIENT))
    return Problem(
        name=f"program of {operations} operations",
        inputs=lambda: (np.array(start),),
        program=lambda m: partial(_run, m, code),
        hand=partial(_by_hand, code),
        scalar=True,
        compile_only=True,
    )
