"""Rprop, which uses the signs of the gradient, and ASGD, which averages the iterates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np

from symgrad.errors import ArgumentError
from symgrad.optim.optimizer import (
    Group,
    Optimizer,
    State,
    TorchOptions,
    check_at_least_zero,
    count,
    kept,
    number,
    read,
)


class Rprop(Optimizer):
    """Step p ← p - s·sign(g), where s grows by η₊ while an entry of g keeps its sign, and shrinks by η₋ if it changes.

    An entry of p whose gradient changes sign is not modified in this step.

    Args:
        params: the tensors to optimise, or dicts that contain them as ``"params"``, with their own options.
        lr: s in the first step.
        etas: (η₋, η₊).
        step_sizes: the smallest and the largest s.
        maximize: whether to maximise the objective instead of minimising it.
        torchs: PyTorch's options that have no effect here, such as ``foreach``.

    Raises:
        ArgumentError: if an option is outside its range.

    Source: Riedmiller and Braun 1993, "A direct adaptive method for faster backpropagation learning".
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-2, etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50), *, maximize: bool = False, **torchs: Unpack[TorchOptions],
    ) -> None:  # fmt: skip
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize}, torchs)

    def _check(self, group: Group) -> None:
        check_at_least_zero("learning rate", number("lr", group["lr"]))
        if not 0 < group["etas"][0] < 1 < group["etas"][1]:
            raise ArgumentError(f"Invalid eta values: {group['etas']}. Expected 0 < η₋ < 1 < η₊.")

    def begin(self, x: Any, group: Group) -> State:
        first = np.full_like(x, number("lr", group["lr"]))
        return {"step": kept(0.0), "prev": kept(np.zeros_like(x)), "step_size": kept(first)}

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        turns = np.sign(g * read(state, "prev"))
        factors = np.where(turns > 0, group["etas"][1], np.where(turns < 0, group["etas"][0], 1.0))
        size = np.clip(read(state, "step_size") * factors, *group["step_sizes"]).astype(x.dtype)
        g = np.where(turns < 0, 0, g)
        state.update(step=kept(count(state) + 1), prev=kept(g), step_size=kept(size))
        return x - np.sign(g) * size


class ASGD(Optimizer):
    """Step p ← p(1 - λη) - ηg with η = lr/(1 + λ lr t)^α; the mean of p from step t0 on is ``state[p]["ax"]``.

    Args:
        params: the tensors to optimise, or dicts that contain them as ``"params"``, with their own options.
        lr, lambd, alpha: the first η, λ, and α.
        t0: the step at which averaging starts.
        weight_decay: weight_decay·p is added to g.
        maximize: whether to maximise the objective instead of minimising it.
        torchs: PyTorch's options that have no effect here, such as ``foreach``.

    Raises:
        ArgumentError: if an option is outside its range.

    Source: Polyak and Juditsky 1992, "Acceleration of stochastic approximation by averaging".
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-2, lambd: float = 1e-4, alpha: float = 0.75, t0: float = 1e6,
        weight_decay: float = 0, *, maximize: bool = False, **torchs: Unpack[TorchOptions],
    ) -> None:  # fmt: skip
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "maximize": maximize,
        }, torchs)  # fmt: skip

    def _check(self, group: Group) -> None:
        check_at_least_zero("learning rate", number("lr", group["lr"]))
        check_at_least_zero("weight_decay value", group["weight_decay"])

    def begin(self, x: Any, group: Group) -> State:
        return {
            "step": kept(0.0),
            "eta": kept(float(number("lr", group["lr"]))),
            "mu": kept(1.0),
            "ax": kept(np.zeros_like(x)),
        }

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        lr, lambd = number("lr", group["lr"]), group["lambd"]
        t, eta, mu, mean = count(state) + 1, count(state, "eta"), count(state, "mu"), read(state, "ax")
        x = x * (1 - lambd * eta) - eta * (g + group["weight_decay"] * x)
        state.update(
            step=kept(t), eta=kept(lr / (1 + lambd * lr * t) ** group["alpha"]),
            mu=kept(1 / np.maximum(1.0, t - group["t0"])), ax=kept(np.where(mu == 1, x, mean + mu * (x - mean))),
        )  # fmt: skip
        return x
