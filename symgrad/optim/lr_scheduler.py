"""Learning rates that change while training, with ``torch.optim.lr_scheduler``'s names.

A schedule is a closed form: the rate of epoch t is a function of t and of the first rate, so that it is the same
whether it was reached step by step, after ``load_state_dict``, or at once. A rate that something else has changed, such
as a second schedule of the same optimiser, is multiplied by the quotient of two epochs, as in PyTorch.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symgrad.errors import ArgumentError, ArgumentTypeError, SymgradError
from symgrad.optim.optimizer import Optimizer, check_stepping, is_like, number
from symgrad.support.arguments import check_all, shown
from symgrad.support.namespace import namespace

__all__ = [
    "CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "MultiStepLR", "ReduceLROnPlateau", "StepLR",
]  # fmt: skip


class _Rates:
    """What schedules share: an optimiser whose groups get their rates, and a state that is saved without it."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer

    def get_last_lr(self) -> list[float]:
        """The learning rate of each group now."""
        return [number("lr", group["lr"]) for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """What to save: all but the optimiser and functions."""
        return {k: v for k, v in vars(self).items() if k != "optimizer" and not k.startswith("_")}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over what ``state_dict`` returned, or on any error nothing.

        Raises:
            ArgumentError: it is none of a schedule like this one.
        """
        own, name = self.state_dict(), type(self).__name__
        is_state = isinstance(state_dict, Mapping)
        loaded = {k: v for k, v in state_dict.items() if not str(k).startswith("_")} if is_state else {}
        if loaded.keys() != own.keys():
            said = sorted(map(str, loaded)) if is_state else type(state_dict).__name__
            raise ArgumentError(f"load_state_dict: got {said}. Expected the state of a {name}: {sorted(own)}.")
        for k, v in own.items():
            any_length = not isinstance(v, list) or k == "milestones"
            if not is_like(v, loaded[k]) or not (any_length or len(loaded[k]) == len(v)):
                raise ArgumentError(f"load_state_dict: {k} of {name} is {loaded[k]!r}. Expected one like {v!r}.")
        vars(self).update(copy.deepcopy(loaded))


class LRScheduler(_Rates):
    """The base of schedules: ``rate(t, first)`` is the learning rate of epoch t.

    Args:
        optimizer: whose groups get their rates.
        last_epoch: -1, or the epoch to go on from.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        super().__init__(optimizer)
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", number("lr", group["lr"]))
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch + 1
        self._move(self.base_lrs if last_epoch < 0 else self.get_last_lr(), self._rates())

    def rate(self, t: int, first: float, group: int) -> float:
        """Return the learning rate of epoch t, given the first one."""
        raise NotImplementedError

    def rescaled(self, lr: float, before: float, after: float) -> float:
        """Return what a step from ``before`` to ``after`` makes of another rate."""
        return lr * (after / before) if before else after

    def step(self) -> None:
        """Begin the next epoch."""
        check_stepping()
        before = self._rates()
        self.last_epoch += 1
        self._move(before, self._rates())

    def _rates(self) -> list[float]:
        """The rates of this schedule alone."""
        return [self.rate(self.last_epoch, first, k) for k, first in enumerate(self.base_lrs)]

    def _move(self, before: Sequence[float], after: Sequence[float]) -> None:
        for group, was, now in zip(self.optimizer.param_groups, before, after, strict=True):
            lr = number("lr", group["lr"])
            group["lr"] = now if lr == was else self.rescaled(lr, was, now)

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over what ``state_dict`` returned, or on any error nothing; and set the rates that are its own alone."""
        before, rates = dict(vars(self)), self._rates()
        try:
            super().load_state_dict(state_dict)
            own = [lr == rate for lr, rate in zip(self.get_last_lr(), rates, strict=True)]
            for group, is_own, rate in zip(self.optimizer.param_groups, own, self._rates(), strict=True):
                group["lr"] = rate if is_own else group["lr"]
        except (SymgradError, TypeError, ValueError, ArithmeticError) as error:
            vars(self).clear()
            vars(self).update(before)
            if isinstance(error, SymgradError):
                raise
            raise ArgumentError(
                f"load_state_dict: the state of {type(self).__name__} has no rate ({error})."
            ) from error


class StepLR(LRScheduler):
    """first · gamma^⌊t/step_size⌋.

    >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = sg.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [1.0, 1.0, 0.5, 0.5]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        if not isinstance(step_size, int) or step_size < 1:
            raise ArgumentError(f"step_size: got {step_size!r}. Expected a number of epochs, 1 or more.")
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        return first * self.gamma ** (t // self.step_size)


class MultiStepLR(LRScheduler):
    """first · gamma^(the number of milestones ≤ t)."""

    def __init__(
        self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        return first * self.gamma ** sum(m <= t for m in self.milestones)


class ExponentialLR(LRScheduler):
    """first · gamma^t."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        return float(first * self.gamma**t)


class CosineAnnealingLR(LRScheduler):
    """eta_min + (first - eta_min)(1 + cos(π t/T_max))/2.

    Source: Loshchilov and Hutter 2017, "SGDR: stochastic gradient descent with warm restarts".
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        if not T_max > 0:
            raise ArgumentError(f"T_max: got {T_max!r}. Expected a number of epochs above 0.")
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        return self.eta_min + (first - self.eta_min) * (1 + math.cos(math.pi * t / self.T_max)) / 2

    def rescaled(self, lr: float, before: float, after: float) -> float:
        least, last = self.eta_min, self.last_epoch - 1
        if last < 0:
            return lr
        if (last - self.T_max) % (2 * self.T_max) == 0:  # the rate was the least one
            return lr + after - least
        was, now = (1 + math.cos(math.pi * t / self.T_max) for t in (last, last + 1))
        return least + (lr - least) * (now / was)


class LambdaLR(LRScheduler):
    """first · f(t), with one f for all groups, or a list of one for each."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        groups = len(optimizer.param_groups)
        self._lambdas = [lr_lambda] * groups if callable(lr_lambda) else list(lr_lambda)
        if len(self._lambdas) != groups:
            raise ArgumentError(f"Expected {groups} lr_lambdas, but got {len(self._lambdas)}.")
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        factor = self._lambdas[group](t)
        if not is_like(0.0, factor):
            raise ArgumentTypeError(f"LambdaLR: lr_lambda({t}) returned {shown(factor)}. Expected a number.")
        return float(first * factor)

    def rescaled(self, lr: float, before: float, after: float) -> float:
        return after  # whatever the rate was, as in PyTorch


class ReduceLROnPlateau(_Rates):
    """lr · factor whenever a metric has not got better for ``patience`` epochs; ``step(metric)`` each epoch.

    Args:
        optimizer: whose groups get their rates.
        mode: "min" or "max", which way is better.
        factor: below 1.
        patience: how many epochs without progress are borne.
        threshold, threshold_mode: what counts as better: by this share ("rel") or this much ("abs").
        cooldown: epochs after a reduction that are not counted.
        min_lr: the least rate; or a list, one for each group.
        eps: a reduction by less is left out.
    """

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0,
        min_lr: float | Sequence[float] = 0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ArgumentError(f"Factor should be < 1.0. Got {factor}.")
        if mode not in ("min", "max"):
            raise ArgumentError(f"mode {mode} is unknown! Expected 'min' or 'max'.")
        if threshold_mode not in ("rel", "abs"):
            raise ArgumentError(f"threshold mode {threshold_mode} is unknown! Expected 'rel' or 'abs'.")
        super().__init__(optimizer)
        self.mode, self.factor, self.patience = mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = threshold, threshold_mode, cooldown, eps
        groups = len(optimizer.param_groups)
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * groups
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0

    def step(self, metrics: float) -> None:
        """Take in the metric of an epoch, and lower the rates where there was no progress for long."""
        check_stepping()
        self.last_epoch += 1
        value = float(metrics.detach() if hasattr(metrics, "detach") else metrics)
        if self._is_better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown_counter - 1, 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0

    def _is_better(self, value: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        margin = self.best * self.threshold if self.threshold_mode == "rel" else self.threshold
        return sign * value < sign * self.best - (margin if math.isfinite(margin) else 0)

    def _reduce(self) -> None:
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            old = number("lr", group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                group["lr"] = new


__getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__, first=True)
