"""Adam's relatives: Adamax, NAdam and RAdam."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np

from symgrad.functions import where
from symgrad.optim.adam import Adam
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
    root,
)
from symgrad.tensors.tensor import Tensor


def _first(g: Any, group: Group, state: State) -> tuple[float, float, float]:
    """Take the gradient into m ← m + (1 - β₁)(g - m); return t, β₁ and β₂."""
    beta1, beta2 = (number("betas", b) for b in group["betas"])
    m = read(state, "exp_avg")
    t = count(state) + 1
    state.update(step=kept(t), exp_avg=kept(m + (1 - beta1) * (g - m)))
    return t, beta1, beta2


def _moments_of(x: Any) -> State:
    return {"step": kept(0.0), "exp_avg": kept(np.zeros_like(x)), "exp_avg_sq": kept(np.zeros_like(x))}


def _second(g: Any, beta2: float, state: State) -> Any:
    """Take the gradient into v ← β₂v + (1 - β₂)g², and return it."""
    v = beta2 * read(state, "exp_avg_sq") + (1 - beta2) * g * g
    state["exp_avg_sq"] = kept(v)
    return v


def _decayed(x: Any, g: Any, group: Group) -> tuple[Any, Any]:
    """Return the parameter and the gradient with the weight decay in the one or the other."""
    decay = group["weight_decay"]
    if group.get("decoupled_weight_decay"):
        return x * (1 - number("lr", group["lr"]) * decay), g
    return x, g + decay * x if decay != 0 else g


class Adamax(Optimizer):
    """Step p ← p - lr/(1 - β₁ᵗ)·m/u, where m ← β₁m + (1 - β₁)g and u ← max(β₂u, |g| + ε).

    Args:
        params: the tensors to optimise, or dicts that contain them as ``"params"``, with their own options.
        lr, betas, eps: the learning rate, (β₁, β₂), and ε.
        weight_decay: weight_decay·p is added to g.
        maximize: whether to maximise the objective instead of minimising it.
        torchs: PyTorch's options that have no effect here, such as ``foreach``.

    Raises:
        ArgumentError: if an option is outside its range.

    Source: Kingma and Ba 2015, "Adam: a method for stochastic optimization", section 7.1.
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, *, maximize: bool = False, **torchs: Unpack[TorchOptions],
    ) -> None:  # fmt: skip
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
        }, torchs)  # fmt: skip

    _check = Adam._check

    def begin(self, x: Any, group: Group) -> State:
        return {"step": kept(0.0), "exp_avg": kept(np.zeros_like(x)), "exp_inf": kept(np.zeros_like(x))}

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        x, g = _decayed(x, g, group)
        t, beta1, beta2 = _first(g, group, state)
        u = np.maximum(beta2 * read(state, "exp_inf"), np.abs(g) + group["eps"])
        state["exp_inf"] = kept(u)
        return x - number("lr", group["lr"]) / (1 - beta1**t) * (read(state, "exp_avg") / u)


class NAdam(Optimizer):
    """Adam with Nesterov's momentum: the step is along μₜ₊₁m + (1 - μₜ)g, each divided by its 1 - Πμ.

    Here μₜ = β₁(1 - 0.96^(t·momentum_decay)/2).

    Args:
        params: the tensors to optimise, or dicts that contain them as ``"params"``, with their own options.
        lr, betas, eps: see ``Adam``.
        weight_decay: weight_decay·p is added to g; with decoupled_weight_decay, lr·weight_decay·p is subtracted from p.
        momentum_decay: the rate at which μₜ approaches β₁.
        decoupled_weight_decay: whether weight decay bypasses g, as in ``AdamW``.
        maximize: whether to maximise the objective instead of minimising it.
        torchs: PyTorch's options that have no effect here, such as ``foreach``.

    Raises:
        ArgumentError: if an option is outside its range.

    Source: Dozat 2016, "Incorporating Nesterov momentum into Adam".
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, momentum_decay: float = 4e-3, decoupled_weight_decay: bool = False, *,
        maximize: bool = False, **torchs: Unpack[TorchOptions],
    ) -> None:  # fmt: skip
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize,
        }, torchs)  # fmt: skip

    def _check(self, group: Group) -> None:
        Adam._check(self, group)  # type: ignore[arg-type]
        check_at_least_zero("momentum_decay value", group["momentum_decay"])

    def begin(self, x: Any, group: Group) -> State:
        return {**_moments_of(x), "mu_product": kept(1.0)}

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        x, g = _decayed(x, g, group)
        t, beta1, beta2 = _first(g, group, state)
        size = np.sqrt(_second(g, beta2, state) / (1 - beta2**t)) + group["eps"]
        mu, following = (beta1 * (1 - 0.5 * 0.96 ** (k * group["momentum_decay"])) for k in (t, t + 1))
        product = count(state, "mu_product") * mu
        state["mu_product"] = kept(product)
        lr, m = number("lr", group["lr"]), read(state, "exp_avg")
        return x - lr * (1 - mu) / (1 - product) * (g / size) - lr * following / (1 - product * following) * (m / size)


class RAdam(Optimizer):
    """Adam with steps along r·m̂/√v̂, where r corrects for the variance of √v̂; along m̂ in the first steps, without r.

    Args:
        params: the tensors to optimise, or dicts that contain them as ``"params"``, with their own options.
        lr, betas, eps: see ``Adam``.
        weight_decay: weight_decay·p is added to g; with decoupled_weight_decay, lr·weight_decay·p is subtracted from p.
        decoupled_weight_decay: whether weight decay bypasses g, as in ``AdamW``.
        maximize: whether to maximise the objective instead of minimising it.
        torchs: PyTorch's options that have no effect here, such as ``foreach``.

    Raises:
        ArgumentError: if an option is outside its range.

    Source: Liu et al. 2020, "On the variance of the adaptive learning rate and beyond".
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, decoupled_weight_decay: bool = False, *, maximize: bool = False,
        **torchs: Unpack[TorchOptions],
    ) -> None:  # fmt: skip
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize,
        }, torchs)  # fmt: skip

    _check = Adam._check

    def begin(self, x: Any, group: Group) -> State:
        return _moments_of(x)

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        x, g = _decayed(x, g, group)
        t, beta1, beta2 = _first(g, group, state)
        v, rest = _second(g, beta2, state), 1 - beta2**t
        step = number("lr", group["lr"]) * read(state, "exp_avg") / (1 - beta1**t)
        most = 2 / (1 - beta2) - 1
        rho = most - 2 * t * beta2**t / rest
        known = rho > 5
        if isinstance(known, Tensor):  # both branches, with a root that exists in each
            rho = where(known, rho, 6.0)
        elif not known:
            return x - step
        scale = root((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho))
        rectified = x - step * scale * root(rest) / (np.sqrt(v) + group["eps"])
        return where(known, rectified, x - step) if isinstance(known, Tensor) else rectified
