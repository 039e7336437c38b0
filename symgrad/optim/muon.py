"""Muon: steps along the orthogonal matrix that is nearest to the momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError
from symgrad.optim.optimizer import Group, Optimizer, State, check_at_least_zero, kept, number, read


class Muon(Optimizer):
    """Step W ← (1 - lr·weight_decay) W - lr·s·O, with O ≈ U Vᵀ of the momentum B = U Σ Vᵀ of the gradient.

    B ← momentum·B + (1 - momentum)·G; with nesterov, B is then replaced by (1 - momentum)·G + momentum·B. The
    Newton–Schulz iteration X ← a X + (b X Xᵀ + c (X Xᵀ)²) X computes O in the dtype of W; PyTorch uses bfloat16.

    Args:
        params: the matrices to optimise, or dicts that contain them as ``"params"``, with their own options.
        lr: the learning rate.
        weight_decay, momentum: the coefficients in the formulas.
        nesterov: whether to use Nesterov's momentum.
        ns_coefficients: a, b and c.
        eps: the smallest norm by which B is divided before the iteration.
        ns_steps: the number of iterations.
        adjust_lr_fn: the rule for s, given W (m, n): None or "original" for √max(1, m/n), "match_rms_adamw" for
            0.2 √max(m, n).

    Raises:
        ArgumentError: if a parameter is not a matrix, or an option is outside its range.

    Source: Jordan et al. 2024, "Muon: an optimizer for hidden layers in neural networks".

    >>> W = sg.tensor([[1.0, 0.0], [0.0, 2.0]], requires_grad=True)
    >>> optimizer = sg.optim.Muon([W], lr=0.1)
    >>> (W**2).sum().backward()
    >>> optimizer.step()
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-3, weight_decay: float = 0.1, momentum: float = 0.95,
        nesterov: bool = True, ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7, ns_steps: int = 5, adjust_lr_fn: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(params, {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
            "maximize": False,
        })  # fmt: skip

    def _check(self, group: Group) -> None:
        check_at_least_zero("learning rate", number("lr", group["lr"]))
        for name in ("momentum", "weight_decay"):
            check_at_least_zero(f"{name} value", group[name])
        if group["adjust_lr_fn"] not in (None, "original", "match_rms_adamw"):
            raise ArgumentError(
                f'Adjust learning rate function {group["adjust_lr_fn"]} is not supported. Use "original" or '
                '"match_rms_adamw".'
            )
        wrong = next((p for p in group["params"] if p.ndim != 2), None)
        if wrong is not None:
            raise ArgumentError(
                f"Muon only supports 2D parameters whereas we found a parameter with size: {list(wrong.shape)}. Give "
                "others to AdamW."
            )

    def begin(self, x: Any, group: Group) -> State:
        return {"momentum_buffer": kept(np.zeros_like(x))}

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        momentum, lr = number("momentum", group["momentum"]), number("lr", group["lr"])
        b = momentum * read(state, "momentum_buffer") + (1 - momentum) * g
        state["momentum_buffer"] = kept(b)
        direction = _orthogonal((1 - momentum) * g + momentum * b if group["nesterov"] else b, group)
        m, n = x.shape
        scale = 0.2 * max(m, n) ** 0.5 if group["adjust_lr_fn"] == "match_rms_adamw" else max(1, m / n) ** 0.5
        return x * (1 - lr * group["weight_decay"]) - lr * scale * direction


def _orthogonal(g: Any, group: Group) -> Any:
    """Return U Vᵀ of g = U Σ Vᵀ, nearly: the singular values come near 1."""
    a, b, c = group["ns_coefficients"]
    wide = g.shape[0] <= g.shape[1]
    x = g if wide else g.T
    x = x / (
        max(np.linalg.norm(x), group["eps"]) if isinstance(x, np.ndarray) else (x * x).sum().sqrt().clamp(group["eps"])
    )
    for _ in range(group["ns_steps"]):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x if wide else x.T
