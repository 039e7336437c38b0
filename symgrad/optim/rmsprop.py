"""RMSprop, Adagrad and Adadelta: steps divided by the size of previous gradients."""

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
    is_zero,
    kept,
    number,
    read,
)


class RMSprop(Optimizer):
    """Step p ← p - lr·b, where v ← αv + (1 - α)g² and b ← momentum·b + g/(√v + ε).

    Args:
        params: the tensors to optimise, or dicts that contain them as ``"params"``, with their own options.
        lr: the learning rate.
        alpha: α.
        eps: ε.
        weight_decay: weight_decay·p is added to g.
        momentum: the coefficient of the last b; with 0, b is g/(√v + ε).
        centered: whether to replace v by v - m², where m is the running mean of the gradient.
        maximize: whether to maximise the objective instead of minimising it.
        torchs: PyTorch's options that have no effect here, such as ``foreach``.

    Raises:
        ArgumentError: if an option is outside its range.

    Source: Tieleman and Hinton 2012, lecture 6.5 of "Neural networks for machine learning"; Graves 2013 if centered.
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, *, maximize: bool = False,
        **torchs: Unpack[TorchOptions],
    ) -> None:  # fmt: skip
        super().__init__(params, {
            "lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum,
            "centered": centered, "maximize": maximize,
        }, torchs)  # fmt: skip

    def _check(self, group: Group) -> None:
        check_at_least_zero("learning rate", number("lr", group["lr"]))
        check_at_least_zero("epsilon value", group["eps"])
        check_at_least_zero("momentum value", group["momentum"])
        check_at_least_zero("weight_decay value", group["weight_decay"])
        check_at_least_zero("alpha value", group["alpha"])

    def begin(self, x: Any, group: Group) -> State:
        wanted = {"square_avg": True, "grad_avg": group["centered"], "momentum_buffer": not is_zero(group["momentum"])}
        return {"step": kept(0.0), **{k: kept(np.zeros_like(x)) for k, there in wanted.items() if there}}

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        g, alpha = g + group["weight_decay"] * x, group["alpha"]
        v = alpha * read(state, "square_avg") + (1 - alpha) * g * g
        state.update(step=kept(count(state) + 1), square_avg=kept(v))
        if group["centered"]:
            m = read(state, "grad_avg")
            m = m + (1 - alpha) * (g - m)
            state["grad_avg"], v = kept(m), v - m * m
        step = g / (np.sqrt(v) + group["eps"])
        if not is_zero(group["momentum"]):
            step = group["momentum"] * read(state, "momentum_buffer") + step
            state["momentum_buffer"] = kept(step)
        return x - number("lr", group["lr"]) * step


class Adagrad(Optimizer):
    """Step p ← p - lr/(1 + (t - 1) lr_decay)·g/(√s + ε), where s is the sum of all g² so far.

    Args:
        params: the tensors to optimise, or dicts that contain them as ``"params"``, with their own options.
        lr: the learning rate of the first step.
        lr_decay: the rate at which it decreases with the number t of the step.
        weight_decay: weight_decay·p is added to g.
        initial_accumulator_value: s before the first step.
        eps: ε.
        maximize: whether to maximise the objective instead of minimising it.
        torchs: PyTorch's options that have no effect here, such as ``foreach``.

    Raises:
        ArgumentError: if an option is outside its range.

    Source: Duchi, Hazan, Singer 2011, "Adaptive subgradient methods for online learning and stochastic optimization".
    """

    _torchs = ("foreach", "fused", "differentiable")

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, *, maximize: bool = False,
        **torchs: Unpack[TorchOptions],
    ) -> None:  # fmt: skip
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "eps": eps, "maximize": maximize,
        }, torchs)  # fmt: skip

    def _check(self, group: Group) -> None:
        check_at_least_zero("learning rate", number("lr", group["lr"]))
        for option in ("lr_decay", "weight_decay", "initial_accumulator_value"):
            check_at_least_zero(f"{option} value", group[option])
        check_at_least_zero("epsilon value", group["eps"])

    def begin(self, x: Any, group: Group) -> State:
        return {"step": kept(0.0), "sum": kept(np.full_like(x, group["initial_accumulator_value"]))}

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        g, t = g + group["weight_decay"] * x, count(state)
        s = read(state, "sum") + g * g
        state.update(step=kept(t + 1), sum=kept(s))
        return x - number("lr", group["lr"]) / (1 + t * group["lr_decay"]) * (g / (np.sqrt(s) + group["eps"]))


class Adadelta(Optimizer):
    """Step p ← p - lr·Δ, where v ← ρv + (1 - ρ)g², Δ = √(u + ε)/√(v + ε)·g and u ← ρu + (1 - ρ)Δ².

    Args:
        params: the tensors to optimise, or dicts that contain them as ``"params"``, with their own options.
        lr, rho, eps: the learning rate, ρ, and ε.
        weight_decay: weight_decay·p is added to g.
        maximize: whether to maximise the objective instead of minimising it.
        torchs: PyTorch's options that have no effect here, such as ``foreach``.

    Raises:
        ArgumentError: if an option is outside its range.

    Source: Zeiler 2012, "ADADELTA: an adaptive learning rate method".
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6, weight_decay: float = 0, *,
        maximize: bool = False, **torchs: Unpack[TorchOptions],
    ) -> None:  # fmt: skip
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
        }, torchs)  # fmt: skip

    def _check(self, group: Group) -> None:
        check_at_least_zero("learning rate", number("lr", group["lr"]))
        check_at_least_zero("epsilon value", group["eps"])
        check_at_least_zero("weight_decay value", group["weight_decay"])
        if not 0 <= group["rho"] <= 1:
            raise ArgumentError(f"Invalid rho value: {group['rho']}. Expected a number in [0, 1].")

    def begin(self, x: Any, group: Group) -> State:
        return {"step": kept(0.0), "square_avg": kept(np.zeros_like(x)), "acc_delta": kept(np.zeros_like(x))}

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        g, rho, eps, u = g + group["weight_decay"] * x, group["rho"], group["eps"], read(state, "acc_delta")
        v = rho * read(state, "square_avg") + (1 - rho) * g * g
        delta = np.sqrt(u + eps) / np.sqrt(v + eps) * g
        acc = rho * u + (1 - rho) * delta * delta
        state.update(step=kept(count(state) + 1), square_avg=kept(v), acc_delta=kept(acc))
        return x - number("lr", group["lr"]) * delta
