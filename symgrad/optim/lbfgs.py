"""L-BFGS with PyTorch's interface: each step may evaluate the loss several times."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from symgrad.core import modes
from symgrad.core.kernels import canonical
from symgrad.core.pairs import in_parts, of_parts
from symgrad.engine.record import handle
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.optim.optimizer import Group, Optimizer, State, check_stepping, is_like, number, refused_state, restored
from symgrad.optim.quasi_newton import direction
from symgrad.optim.wolfe import strong_wolfe
from symgrad.tensors.inplace import rebind


class LBFGS(Optimizer):
    """Step x ← x + t d, where d = -H g, and H approximates the inverse Hessian from the last ``history_size`` steps.

    ``step(closure)`` performs up to max_iter such steps. The closure recomputes the loss and its gradients.

    Args:
        params: the tensors to optimise, in one group.
        lr: the step length t; in the first step, t is min(1, 1/‖g‖₁)·lr. A line search begins there.
        max_iter, max_eval: the largest numbers of steps and of evaluations (by default 5/4 of the steps) in one call.
        tolerance_grad: stop if no entry of the gradient is larger.
        tolerance_change: stop if the step, or the change of the loss, is smaller.
        history_size: the number of previous steps that are stored.
        line_search_fn: None, or "strong_wolfe".

    Raises:
        ArgumentError: if there are several groups, or the line search is unknown.
        ArgumentTypeError: if step is called without a closure.

    Source: Nocedal and Wright 2006, "Numerical optimization", algorithms 7.4, 3.5 and 3.6.

    >>> x = sg.tensor([3.0, -2.0], requires_grad=True)
    >>> optimizer = sg.optim.LBFGS([x], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((x - 1) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> _ = optimizer.step(closure)
    >>> x.detach().numpy().round(6)
    array([1., 1.])
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter, "max_eval": max_eval, "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change, "history_size": history_size, "line_search_fn": line_search_fn,
        })  # fmt: skip
        if len(self.param_groups) != 1:
            raise ArgumentError("LBFGS doesn't support per-parameter options (parameter groups). Pass one list.")
        self._params = self.param_groups[0]["params"]

    def _check(self, group: Group) -> None:
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise ArgumentError(f"only 'strong_wolfe' is supported, got line_search_fn={group['line_search_fn']!r}.")
        if group["max_eval"] is None:
            group["max_eval"] = group["max_iter"] * 5 // 4

    def _restored(self, number: int, p: Any, group: Group, state: Mapping[str, Any]) -> State:
        if not state:
            return {}
        if p is not self._params[0] or state.keys() != _first().keys():
            raise refused_state(number, state, _first())
        x = self._point()

        def vector(value: Any) -> Any:
            return None if value is None else np.asarray(restored("of LBFGS", value, x)._value)

        lists = {k: state[k] if isinstance(state[k], (list, tuple)) else [state[k]] for k in ("old_dirs", "old_stps")}
        vectors = {k: [vector(v) for v in vs] for k, vs in lists.items()}
        numbers = {k: state[k] for k in ("n_iter", "func_evals", "scale") if is_like(0.0, state[k])}
        last = [state[k] is None for k in ("d", "t", "prev_flat_grad")]
        if len(vectors["old_dirs"]) != len(vectors["old_stps"]) or len(numbers) < 3 or len(set(last)) > 1:
            raise ArgumentError(
                "load_state_dict: the state of LBFGS is inconsistent. Expected as many old_dirs as old_stps, "
                "numbers for n_iter, func_evals and scale, and d, t and prev_flat_grad all or none."
            )
        after = {k: vector(state[k]) for k in ("d", "prev_flat_grad")}
        return {**_first(), **vectors, **numbers, **after, "t": None if last[0] else float(state["t"])}

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Perform up to max_iter steps, and return the loss before the first one."""
        check_stepping()
        if closure is None:
            raise ArgumentTypeError(
                "LBFGS.step: expected a closure that computes the loss and its gradients. Got None."
            )
        with modes.enable_grad():
            first = closure()
        with modes.no_grad(), np.errstate(all="ignore"):
            _Descent(self, closure, self.param_groups[0], self.state[self._params[0]], _number(first)).run()
        return first

    def _gradient(self) -> Any:
        return np.concatenate([
            in_parts(np.zeros(p.shape, p.dtype) if p.grad is None else p.grad._known("step()")).ravel()
            for p in self._params
        ])  # fmt: skip

    def _point(self) -> Any:
        return np.concatenate([in_parts(p._value).ravel() for p in self._params])

    def _move(self, x: Any) -> None:
        start = 0
        for p in self._params:
            shape = in_parts(p._value).shape
            part = x[start : start + math.prod(shape)].reshape(shape)
            rebind(p, handle(None, canonical(of_parts(part, p.dtype).astype(p.dtype))))
            start += part.size


class _Descent:
    """One call of ``step``: the point, its loss and gradient, and what earlier steps left in ``state``."""

    def __init__(self, optimizer: LBFGS, closure: Callable[[], Any], group: Group, state: Any, loss: float) -> None:
        self.optimizer, self.closure, self.group, self.state = optimizer, closure, group, state
        self.x, self.g, self.loss, self.evaluations = optimizer._point(), optimizer._gradient(), loss, 1
        if not state:
            state.update(_first())

    def run(self) -> None:
        """Step until one of the limits is reached."""
        group, state = self.group, self.state
        small = np.max(np.abs(self.g), initial=0.0) <= group["tolerance_grad"]
        for _ in range(0 if small else group["max_iter"]):
            direction = self._direction()
            slope = self.g @ direction
            if slope > -group["tolerance_change"]:
                break
            before = self.loss
            length = self._advance(direction, slope)
            state.update(d=direction, t=length, prev_flat_grad=self.before, n_iter=state["n_iter"] + 1)
            if self._is_done(length * direction, before):
                break
        state["func_evals"] += self.evaluations

    def _direction(self) -> Any:
        """-H g, by the steps that are remembered."""
        state, g = self.state, self.g
        if state["d"] is not None:
            self._remember(g - state["prev_flat_grad"], state["t"] * state["d"])
        return direction(g, list(zip(state["old_dirs"], state["old_stps"], strict=True)), state["scale"])

    def _remember(self, y: Any, s: Any) -> None:
        state = self.state
        if y @ s > 1e-10:
            state["old_dirs"] = [*state["old_dirs"], y][-self.group["history_size"] :]
            state["old_stps"] = [*state["old_stps"], s][-self.group["history_size"] :]
            state["scale"] = y @ s / (y @ y)

    def _advance(self, d: Any, slope: float) -> float:
        """Move along d; return by how much."""
        lr, self.before = number("lr", self.group["lr"]), self.g
        length = min(1.0, 1.0 / np.abs(self.g).sum()) * lr if self.state["n_iter"] == 0 else lr
        if self.group["line_search_fn"] is None:
            self._evaluate(self.x + length * d)
            self.x = self.optimizer._point()
            return float(length)
        start = self.x

        def along(t: float) -> tuple[float, float, Any]:
            self._evaluate(start + t * d)
            return self.loss, float(self.g @ d), self.g

        length, self.loss, self.g = strong_wolfe(along, length, self.loss, float(slope), self.g)
        self.optimizer._move(start + length * d)
        self.x = self.optimizer._point()
        return length

    def _evaluate(self, x: Any) -> None:
        self.optimizer._move(x)
        with modes.enable_grad():
            self.loss = _number(self.closure())
        self.g = self.optimizer._gradient()
        self.evaluations += 1

    def _is_done(self, step: Any, before: float) -> bool:
        group = self.group
        return bool(
            self.evaluations >= group["max_eval"]
            or np.max(np.abs(self.g)) <= group["tolerance_grad"]
            or np.max(np.abs(step)) <= group["tolerance_change"]
            or abs(self.loss - before) < group["tolerance_change"]
        )


def _first() -> State:
    """Return the state before the first step."""
    return {
        "n_iter": 0, "func_evals": 0, "old_dirs": [], "old_stps": [], "d": None, "t": None, "prev_flat_grad": None,
        "scale": 1.0,
    }  # fmt: skip


def _number(loss: Any) -> float:
    return float(loss.detach() if hasattr(loss, "detach") else loss)


__all__ = ["LBFGS"]
