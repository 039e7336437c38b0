"""Adam and AdamW: steps scaled by running moments of the gradient."""

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
    root,
)


class Adam(Optimizer):
    """Step p ← p - lr·m̂/(√v̂ + ε), with m ← β₁m + (1 - β₁)g, v ← β₂v + (1 - β₂)g², m̂ = m/(1 - β₁ᵗ), v̂ = v/(1 - β₂ᵗ).

    Args:
        params: the tensors to optimise, or dicts that contain them as ``"params"``, with their own options.
        lr: the learning rate.
        betas: (β₁, β₂).
        eps: ε.
        weight_decay: weight_decay·p is added to g; with decoupled_weight_decay, lr·weight_decay·p is subtracted from p.
        amsgrad: whether to use the largest v so far instead of v.
        maximize: whether to maximise the objective instead of minimising it.
        decoupled_weight_decay: whether weight decay bypasses g, as in ``AdamW``.
        torchs: PyTorch's options that have no effect here, such as ``foreach``.

    Raises:
        ArgumentError: if an option is outside its range.

    Source: Kingma and Ba 2015, "Adam: a method for stochastic optimization"; Reddi et al. 2018 for amsgrad.

    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = sg.optim.Adam([x], lr=0.5)
    >>> (x**2).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.5000, 1.5000], requires_grad=True)
    """

    _torchs = ("foreach", "fused", "capturable", "differentiable")

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, amsgrad: bool = False, *, maximize: bool = False,
        decoupled_weight_decay: bool = False, **torchs: Unpack[TorchOptions],
    ) -> None:  # fmt: skip
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "decoupled_weight_decay": decoupled_weight_decay,
        }, torchs)  # fmt: skip

    def _check(self, group: Group) -> None:
        check_at_least_zero("learning rate", number("lr", group["lr"]))
        check_at_least_zero("epsilon value", group["eps"])
        for k, beta in enumerate(group["betas"]):
            if not 0 <= number(f"betas[{k}]", beta) < 1:
                raise ArgumentError(f"Invalid beta parameter at index {k}: {beta}. Expected a number in [0, 1).")
        check_at_least_zero("weight_decay value", group["weight_decay"])

    def begin(self, x: Any, group: Group) -> State:
        names = ["exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else [])]
        return {"step": kept(0.0), **{k: kept(np.zeros_like(x)) for k in names}}

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        lr, decay = number("lr", group["lr"]), group["weight_decay"]
        if decay != 0 and group["decoupled_weight_decay"]:
            x = x * (1 - lr * decay)
        elif decay != 0:
            g = g + decay * x
        m, root = _moments(g, group, state)
        return x - lr * (m / (root + group["eps"]))


def _moments(g: Any, group: Group, state: State) -> tuple[Any, Any]:
    """Update the moments by the gradient g, and return m̂ and √v̂."""
    beta1, beta2 = (number("betas", b) for b in group["betas"])
    step = count(state) + 1
    m = read(state, "exp_avg")
    m = m + (1 - beta1) * (g - m)
    v = beta2 * read(state, "exp_avg_sq") + (1 - beta2) * g * g
    state.update(step=kept(step), exp_avg=kept(m), exp_avg_sq=kept(v))
    if group["amsgrad"]:
        v = np.maximum(read(state, "max_exp_avg_sq"), v)
        state["max_exp_avg_sq"] = kept(v)
    return m / (1 - beta1**step), np.sqrt(v) / root(1 - beta2**step)


class AdamW(Adam):
    """Adam with decoupled weight decay: lr·weight_decay·p is subtracted from p, independently of the moments.

    See ``Adam`` for the arguments.

    Source: Loshchilov and Hutter 2019, "Decoupled weight decay regularization".

    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> sg.optim.AdamW([x]).defaults["weight_decay"]
    0.01
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
        **torchs: Unpack[TorchOptions],
    ) -> None:  # fmt: skip
        options = {"maximize": maximize, **torchs}
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, decoupled_weight_decay=True, **options)  # type: ignore[arg-type]
