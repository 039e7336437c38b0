"""Gradient descent, with momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np

from symgrad.errors import ArgumentError, NotYet
from symgrad.optim.optimizer import (
    Group,
    Optimizer,
    State,
    TorchOptions,
    check_at_least_zero,
    is_zero,
    kept,
    number,
    read,
)


class SGD(Optimizer):
    """Step p ← p - lr·b, where b ← momentum·b + (1 - dampening)·g and g is the gradient plus weight_decay·p.

    The first b is g. With nesterov, the step is along g + momentum·b; without momentum, it is along g.

    Args:
        params: the tensors to optimise, or dicts that contain them as ``"params"``, with their own options.
        lr: the learning rate.
        momentum: the factor of the previous b.
        dampening: how much the factor of g is reduced.
        weight_decay: weight_decay·p is added to the gradient.
        nesterov: whether to use Nesterov's momentum.
        maximize: whether to maximise the objective instead of minimising it.
        torchs: PyTorch's options that have no effect here, such as ``foreach``.

    Raises:
        ArgumentError: if an option is outside its range.

    Source: Sutskever et al. 2013, "On the importance of initialization and momentum in deep learning".

    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = sg.optim.SGD([x], lr=0.25)
    >>> (x**2).sum().backward()
    >>> optimizer.step()
    >>> x
    tensor([0.5000, 1.0000], requires_grad=True)
    """

    _torchs = ("foreach", "fused", "differentiable")

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-3, momentum: float = 0, dampening: float = 0,
        weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False,
        **torchs: Unpack[TorchOptions],
    ) -> None:  # fmt: skip
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize,
        }, torchs)  # fmt: skip

    def _check(self, group: Group) -> None:
        check_at_least_zero("learning rate", number("lr", group["lr"]))
        check_at_least_zero("momentum value", group["momentum"])
        check_at_least_zero("weight_decay value", group["weight_decay"])
        if group["nesterov"] and (group["momentum"] <= 0 or group["dampening"] != 0):
            raise ArgumentError(
                "Nesterov momentum requires a momentum and zero dampening. Got "
                f"momentum={group['momentum']}, dampening={group['dampening']}."
            )

    def first_state(self, x: Any, group: Group) -> State:
        if is_zero(group["momentum"]):
            return {}
        if group["dampening"] != 0:
            raise NotYet(
                "SGD: the first step with dampening differs from the others. Perform it outside, and compile the "
                "following ones."
            )
        return {"momentum_buffer": kept(np.zeros_like(x))}  # 0·momentum + g, the first gradient

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        if group["weight_decay"] != 0:
            g = g + group["weight_decay"] * x
        momentum = group["momentum"]
        if not is_zero(momentum):
            first = state.get("momentum_buffer") is None
            b = g if first else momentum * read(state, "momentum_buffer") + (1 - group["dampening"]) * g
            state["momentum_buffer"] = kept(b)
            g = g + momentum * b if group["nesterov"] else b
        return x - number("lr", group["lr"]) * g
