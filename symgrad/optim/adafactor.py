"""Adafactor, which stores the squared gradient of a matrix as a product of row means and column means."""

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


class Adafactor(Optimizer):
    """Step p ← p - α u/max(1, rms(u)/d), where u = g/√v and α = max(ε₂, rms(p))·min(lr, 1/√t).

    v is a running mean of g². For a matrix, it is the product of the means over rows and over columns, divided by their
    mean.

    Args:
        params: the tensors to optimise, or dicts that contain them as ``"params"``, with their own options.
        lr: the largest rate, relative to the size of p.
        beta2_decay: the running mean takes a share of t^beta2_decay of each g².
        eps: (ε₁, ε₂), the smallest √v and the smallest rms(p) that are used; None for ε₁ is the dtype's epsilon.
        d: the root mean square of u above which steps are scaled down.
        weight_decay: lr·weight_decay·p is subtracted from p.
        maximize: whether to maximise the objective instead of minimising it.
        torchs: PyTorch's options that have no effect here, such as ``foreach``.

    Raises:
        ArgumentError: if an option is outside its range.

    Source: Shazeer and Stern 2018, "Adafactor: adaptive learning rates with sublinear memory cost".
    """

    _torchs = ("foreach",)

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-2, beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3), d: float = 1.0, weight_decay: float = 0.0, *,
        maximize: bool = False, **torchs: Unpack[TorchOptions],
    ) -> None:  # fmt: skip
        super().__init__(params, {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
            "maximize": maximize,
        }, torchs)  # fmt: skip

    def _check(self, group: Group) -> None:
        check_at_least_zero("learning rate", number("lr", group["lr"]))
        check_at_least_zero("weight_decay value", group["weight_decay"])
        check_at_least_zero("epsilon2", group["eps"][1])
        if group["eps"][0] is not None:
            check_at_least_zero("epsilon1", group["eps"][0])
        if not group["beta2_decay"] <= 0 or not group["d"] >= 1:
            raise ArgumentError(
                f"Adafactor: got beta2_decay={group['beta2_decay']}, d={group['d']}. Expected at most 0, and 1 or more."
            )

    def begin(self, x: Any, group: Group) -> State:
        if x.ndim < 2:
            return {"step": kept(0.0), "variance": kept(np.zeros_like(x))}
        return {
            "step": kept(0.0), "row_var": kept(np.zeros((*x.shape[:-1], 1), x.dtype)),
            "col_var": kept(np.zeros((*x.shape[:-2], 1, x.shape[-1]), x.dtype)),
        }  # fmt: skip

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        t, lr = count(state) + 1, number("lr", group["lr"])
        state["step"] = kept(t)
        least = np.finfo(x.dtype).eps if group["eps"][0] is None else group["eps"][0]
        alpha = np.maximum(group["eps"][1], _rms(x)) * np.minimum(lr, t**-0.5)
        x = x * (1 - lr * group["weight_decay"])
        u = g / np.sqrt(np.maximum(_variance(g, t ** group["beta2_decay"], least, state), least * least))
        return x - alpha / np.maximum(1.0, _rms(u) / group["d"]) * u


def _rms(x: Any) -> Any:
    return np.sqrt(np.mean(x * x))


def _variance(g: Any, share: Any, least: float, state: State) -> Any:
    """Take g² into the running means, and return what they say of each entry."""

    def moved(name: str, mean: Any) -> Any:
        old = read(state, name)
        state[name] = kept(old + share * (mean - old))
        return read(state, name)

    if g.ndim < 2:
        return moved("variance", g * g)
    rows, columns = (moved(k, np.mean(g * g, a, keepdims=True)) for k, a in (("row_var", -1), ("col_var", -2)))
    return rows @ columns / np.maximum(np.mean(rows, -2, keepdims=True), least)
