"""Learning rate schedules, with the names of ``torch.optim.lr_scheduler``.

A schedule is a closed form: the rate of epoch t is a function of t and of the initial rate. It is therefore the same
whether it is reached step by step, after ``load_state_dict``, or directly. If something else has changed the rate, such
as a second schedule of the same optimiser, the rate is multiplied by the quotient of two epochs, as in PyTorch.
"""

from __future__ import annotations

import copy
import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symgrad.errors import ArgumentError, ArgumentTypeError, SymgradError
from symgrad.optim.optimizer import Optimizer, check_stepping, is_like, number
from symgrad.support.arguments import check_all, shown
from symgrad.support.namespace import namespace
from symgrad.support.notices import warn

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR",
    "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip


EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` is deprecated, as in PyTorch. Call `scheduler.step()` once each epoch."
)


class _Rates:
    """Base class of schedules: an optimiser whose learning rates are set, and a state that is saved without it."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer

    def get_last_lr(self) -> list[float]:
        """Return the current learning rate of each group."""
        return [number("lr", group["lr"]) for group in self.optimizer.param_groups]

    _last_lr = property(get_last_lr)

    def state_dict(self) -> dict[str, Any]:
        """Return the state to save, without the optimiser and functions."""
        return {k: v for k, v in vars(self).items() if k != "optimizer" and not k.startswith("_")}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load a state that ``state_dict`` returned. If there is an error, the schedule does not change.

        Raises:
            ArgumentError: if the state is not that of a scheduler of this kind.
        """
        own, name = _Rates.state_dict(self), type(self).__name__
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
    """Base class of schedules: ``rate(t, first)`` is the learning rate of epoch t.

    Args:
        optimizer: the optimiser whose learning rates are set.
        last_epoch: -1, or the epoch from which to resume.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        super().__init__(optimizer)
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", number("lr", group["lr"]))
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch, self._step_count = last_epoch + 1, 1
        self._move(self.base_lrs if last_epoch < 0 else self.get_last_lr(), self._rates())

    def rate(self, t: int, first: float, group: int) -> float:
        """Return the learning rate of epoch t, given the initial one."""
        raise NotImplementedError

    def rescaled(self, lr: float, before: float, after: float) -> float:
        """Return the new rate after a step from ``before`` to ``after``, if something else has changed the rate."""
        return lr * (after / before) if before else after

    def get_lr(self) -> list[float]:
        """Return the rate of each group in this epoch. A user's schedule may define this method instead of ``rate``."""
        return self._rates()

    def step(self, epoch: float | None = None) -> None:
        """Begin the next epoch, or the given one."""
        check_stepping()
        self._warn_of_order()
        if epoch is not None:
            warn(EPOCH_DEPRECATION_WARNING)
        before = self._rates()
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch  # type: ignore[assignment]
        self._move(before, self._rates())

    def _warn_of_order(self) -> None:
        """Warn, as PyTorch does, if the schedule takes a step before the optimiser."""
        if self._step_count == 1 and not self.optimizer.stepped:
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in the opposite order, or "
                "the first value of the learning rate schedule is skipped. See "
                "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
            )
        self._step_count += 1

    def restart(self) -> None:
        """Begin at epoch 0, whatever the rates are."""
        self.last_epoch = 0
        self._move(self.get_last_lr(), self._rates())

    def _rates(self) -> list[float]:
        """Return the rates of this schedule alone."""
        if type(self).get_lr is not LRScheduler.get_lr:
            return self.get_lr()
        return [self.rate(self.last_epoch, first, k) for k, first in enumerate(self.base_lrs)]

    def _move(self, before: Sequence[float], after: Sequence[float]) -> None:
        for group, was, now in zip(self.optimizer.param_groups, before, after, strict=True):
            lr = number("lr", group["lr"])
            group["lr"] = now if lr == was else self.rescaled(lr, was, now)

    def state_dict(self) -> dict[str, Any]:
        """Return the state to save, without the optimiser and functions, with the number of steps."""
        return {**super().state_dict(), "_step_count": self._step_count}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load a state that ``state_dict`` returned, and set the rates. If there is an error, nothing changes."""
        before, rates = dict(vars(self)), self._rates()
        try:
            super().load_state_dict(state_dict)
            self._step_count = state_dict.get("_step_count", self._step_count)
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
    """Set the rate of epoch t to first · gamma^⌊t/step_size⌋.

    >>> optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = sg.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [1.0, 1.0, 0.5, 0.5]
    """

    def __init__(self, optimizer: Optimizer, step_size: float, gamma: float = 0.1, last_epoch: int = -1) -> None:
        if step_size < 1 or step_size % 1:  # PyTorch's tutorials write 1.0
            raise ArgumentError(f"step_size: got {step_size!r}. Expected a number of epochs, 1 or more.")
        self.step_size, self.gamma = int(step_size), gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        return first * self.gamma ** (t // self.step_size)


class MultiStepLR(LRScheduler):
    """Set the rate of epoch t to first · gamma^(the number of milestones ≤ t)."""

    def __init__(
        self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        return first * self.gamma ** sum(m <= t for m in self.milestones)


class ExponentialLR(LRScheduler):
    """Set the rate of epoch t to first · gamma^t."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        return float(first * self.gamma**t)


class CosineAnnealingLR(LRScheduler):
    """Set the rate of epoch t to eta_min + (first - eta_min)(1 + cos(π t/T_max))/2.

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


def _for_groups(lr_lambda: Any, optimizer: Optimizer) -> list[Callable[[int], float]]:
    """Return a function of the epoch for each group."""
    groups = len(optimizer.param_groups)
    functions = [lr_lambda] * groups if callable(lr_lambda) else list(lr_lambda)
    if len(functions) != groups:
        raise ArgumentError(f"Expected {groups} lr_lambdas, but got {len(functions)}.")
    return functions


class LambdaLR(LRScheduler):
    """Set the rate of epoch t to first · f(t), with one f for all groups, or a list with one for each group."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self._lambdas = _for_groups(lr_lambda, optimizer)
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        factor = self._lambdas[group](t)
        if not is_like(0.0, factor):
            raise ArgumentTypeError(f"LambdaLR: lr_lambda({t}) returned {shown(factor)}. Expected a number.")
        return float(first * factor)

    def rescaled(self, lr: float, before: float, after: float) -> float:
        return after  # whatever the rate was, as in PyTorch


class MultiplicativeLR(LRScheduler):
    """Set the rate of epoch t to first · f(1) ⋯ f(t), with one f for all groups, or a list with one for each group."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self._lambdas = _for_groups(lr_lambda, optimizer)
        self._products = [[1.0] for _ in self._lambdas]
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        products = self._products[group]
        while len(products) <= t:
            products.append(products[-1] * self._lambdas[group](len(products)))
        return first * products[t]


class LinearLR(LRScheduler):
    """Set the rate to first · (start + (end - start) t/total_iters), and to first · end_factor from total_iters on."""

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0, total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if not 0 < start_factor <= 1:
            raise ArgumentError(f"start_factor: got {start_factor}. Expected a number above 0 and at most 1.")
        if not 0 <= end_factor <= 1:
            raise ArgumentError(f"end_factor: got {end_factor}. Expected a number from 0 to 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        share = min(t / self.total_iters, 1.0) if self.total_iters else 1.0
        return first * (self.start_factor + (self.end_factor - self.start_factor) * share)


class ConstantLR(LRScheduler):
    """Set the rate to first · factor before epoch total_iters, and to first from then on."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1:
            raise ArgumentError(f"factor: got {factor}. Expected a number from 0 to 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        return first * (self.factor if t < self.total_iters else 1.0)


class PolynomialLR(LRScheduler):
    """Set the rate to first · (1 - t/total_iters)^power, and to 0 from epoch total_iters on."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def rate(self, t: int, first: float, group: int) -> float:
        return float(first * (1 - min(t, self.total_iters) / self.total_iters) ** self.power)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Restart ``CosineAnnealingLR`` from the initial rate after T_0 epochs, then after T_0·T_mult, T_0·T_mult², …

    ``step(epoch)`` accepts fractions of epochs.

    Source: Loshchilov and Hutter 2017, "SGDR: stochastic gradient descent with warm restarts".
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ArgumentError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ArgumentError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        super().__init__(optimizer, last_epoch)

    def rate(self, t: float, first: float, group: int) -> float:
        length = self.T_0
        while t >= length:
            t, length = t - length, length * self.T_mult
        return self.eta_min + (first - self.eta_min) * (1 + math.cos(math.pi * t / length)) / 2

    def rescaled(self, lr: float, before: float, after: float) -> float:
        return after  # whatever the rate was, as in PyTorch


class _Cycle(LRScheduler):
    """A schedule of rates and, in the opposite direction, of momentum."""

    cycle_momentum: bool

    def rescaled(self, lr: float, before: float, after: float) -> float:
        return after

    def momentum(self, t: int, group: int) -> float:
        """Return the momentum of epoch t."""
        raise NotImplementedError

    def _takes(self, name: str, value: float | Sequence[float]) -> list[float]:
        """Return a number for each group."""
        count = len(self.optimizer.param_groups)
        values = [float(v) for v in value] if isinstance(value, (list, tuple)) else [float(value)] * count  # type: ignore[arg-type]
        if len(values) != count:
            raise ArgumentError(f"{name} must have the same length as optimizer.param_groups. Got {len(values)}.")
        return values

    def _check_momentum(self) -> None:
        if self.cycle_momentum and not {"momentum", "betas"} & self.optimizer.defaults.keys():
            raise ArgumentError(
                f"{type(self).__name__}: {type(self.optimizer).__name__} has neither momentum nor betas. Pass "
                "cycle_momentum=False."
            )

    def _move(self, before: Sequence[float], after: Sequence[float]) -> None:
        super()._move(before, after)
        for k, group in enumerate(self.optimizer.param_groups if self.cycle_momentum else []):
            momentum = self.momentum(self.last_epoch, k)
            group.update({"betas": (momentum, *group["betas"][1:])} if "betas" in group else {"momentum": momentum})


class OneCycleLR(_Cycle):
    """Increase the rate from max_lr/div_factor to max_lr, then decrease it to max_lr/div_factor/final_div_factor.

    Args:
        optimizer: the optimiser whose learning rates are set.
        max_lr: the largest rate, or a list with one for each group.
        total_steps: the number of steps; alternatively, pass epochs and steps_per_epoch.
        pct_start: the fraction of steps in which the rate increases.
        anneal_strategy: "cos" or "linear".
        cycle_momentum, base_momentum, max_momentum: whether momentum, or β₁, decreases and increases, and its range.
        div_factor, final_div_factor: see the formulas above.
        three_phase: whether to decrease the rate to its initial value in as many steps as it increased, and to the
            final value in the remaining steps.
        last_epoch: -1, or the step from which to resume.

    Source: Smith and Topin 2019, "Super-convergence: very fast training of neural networks".
    """

    def __init__(
        self, optimizer: Optimizer, max_lr: float | Sequence[float], total_steps: int | None = None,
        epochs: int | None = None, steps_per_epoch: int | None = None, pct_start: float = 0.3,
        anneal_strategy: str = "cos", cycle_momentum: bool = True, base_momentum: float | Sequence[float] = 0.85,
        max_momentum: float | Sequence[float] = 0.95, div_factor: float = 25.0, final_div_factor: float = 1e4,
        three_phase: bool = False, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ArgumentError("You must define either total_steps OR (epochs AND steps_per_epoch).")
        total = total_steps if total_steps is not None else epochs * steps_per_epoch  # type: ignore[operator]
        if total <= 0:
            raise ArgumentError(f"Expected positive integer total_steps, but got {total}.")
        if not 0 <= pct_start <= 1:
            raise ArgumentError(f"Expected float between 0 and 1 pct_start, but got {pct_start}.")
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}.")
        self.optimizer, self.total_steps, self.anneal_strategy = optimizer, total, anneal_strategy
        self.cycle_momentum = cycle_momentum
        self._check_momentum()
        self.max_lrs, self.div_factor = self._takes("max_lr", max_lr), div_factor
        self.final_div_factor, self.three_phase, self.pct_start = final_div_factor, three_phase, pct_start
        self.base_momentums = self._takes("base_momentum", base_momentum)
        self.max_momentums = self._takes("max_momentum", max_momentum)
        for group, most in zip(optimizer.param_groups, self.max_lrs if last_epoch < 0 else [], strict=last_epoch < 0):
            group["initial_lr"] = most / div_factor
        super().__init__(optimizer, last_epoch)

    def _between(self, t: int, points: Sequence[float]) -> float:
        """Interpolate between points, each at the end of a phase, by cosines or lines."""
        if t > self.total_steps:
            raise ArgumentError(f"Tried to step {t} times. The specified number of total steps is {self.total_steps}.")
        rise = self.pct_start * self.total_steps
        ends = [rise - 1, *([2 * rise - 2] if self.three_phase else []), self.total_steps - 1]
        phase = next((k for k, end in enumerate(ends) if t <= end), len(ends) - 1)
        start = ends[phase - 1] if phase else 0.0
        share, (a, b) = (t - start) / (ends[phase] - start), points[phase : phase + 2]
        if self.anneal_strategy == "cos":
            return b + (a - b) / 2 * (1 + math.cos(math.pi * share))
        return a + share * (b - a)

    def rate(self, t: int, first: float, group: int) -> float:
        last = first / self.final_div_factor
        return self._between(t, [first, self.max_lrs[group], *([first] if self.three_phase else []), last])

    def momentum(self, t: int, group: int) -> float:
        most, least = self.max_momentums[group], self.base_momentums[group]
        return self._between(t, [most, least, *([most] if self.three_phase else []), most])


class CyclicLR(_Cycle):
    """Cycle the rate: it increases from base_lr to max_lr in step_size_up steps, and decreases in step_size_down.

    Args:
        optimizer: the optimiser whose learning rates are set.
        base_lr, max_lr: the smallest and the largest rate, or lists with one for each group.
        step_size_up, step_size_down: the numbers of steps; by default equal.
        mode: "triangular"; "triangular2", where each cycle is half as high; or "exp_range", scaled by gamma^t.
        gamma: the base for "exp_range".
        scale_fn, scale_mode: a custom factor, as a function of the cycle ("cycle") or the step ("iterations").
        cycle_momentum, base_momentum, max_momentum: whether momentum, or β₁, decreases and increases, and its range.
        last_epoch: -1, or the step from which to resume.

    Source: Smith 2017, "Cyclical learning rates for training neural networks".
    """

    def __init__(
        self, optimizer: Optimizer, base_lr: float | Sequence[float], max_lr: float | Sequence[float],
        step_size_up: int = 2000, step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle", cycle_momentum: bool = True,
        base_momentum: float | Sequence[float] = 0.8, max_momentum: float | Sequence[float] = 0.9, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ArgumentError(
                f"mode: got {mode!r}. Expected 'triangular', 'triangular2' or 'exp_range', or a scale_fn."
            )
        self.optimizer, self.mode, self.gamma, self._scale_fn = optimizer, mode, gamma, scale_fn
        self.scale_mode = scale_mode if scale_fn else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        self._check_momentum()
        self.max_lrs, firsts = self._takes("max_lr", max_lr), self._takes("base_lr", base_lr)
        self.total_size = step_size_up + (step_size_up if step_size_down is None else step_size_down)
        self.step_ratio = step_size_up / self.total_size
        self.base_momentums = self._takes("base_momentum", base_momentum)
        self.max_momentums = self._takes("max_momentum", max_momentum)
        for group, least in zip(optimizer.param_groups, firsts if last_epoch < 0 else [], strict=last_epoch < 0):
            group["lr"] = group["initial_lr"] = least
        super().__init__(optimizer, last_epoch)

    def _height(self, t: int) -> float:
        """Return the position of epoch t between the smallest rate (0) and the largest (1)."""
        cycle = math.floor(1 + t / self.total_size)
        x = 1 + t / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        return height * self._scale(cycle if self.scale_mode == "cycle" else t)

    def _scale(self, x: float) -> float:
        if self._scale_fn is not None:
            return self._scale_fn(x)
        return float({"triangular": 1.0, "triangular2": 0.5 ** (x - 1), "exp_range": self.gamma**x}[self.mode])

    def rate(self, t: int, first: float, group: int) -> float:
        return first + (self.max_lrs[group] - first) * self._height(t)

    def momentum(self, t: int, group: int) -> float:
        most, least = self.max_momentums[group], self.base_momentums[group]
        return most - (most - least) * self._height(t)


class _Several(LRScheduler):
    """Base class of schedules that combine schedules."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None) -> None:
        name = type(self).__name__
        if not schedulers:
            raise ArgumentError(f"{name} expects at least one scheduler, but got none.")
        _Rates.__init__(self, schedulers[0].optimizer if optimizer is None else optimizer)
        for k, schedule in enumerate(schedulers):
            if not isinstance(schedule, LRScheduler) or isinstance(schedule, ReduceLROnPlateau):
                raise ArgumentTypeError(
                    f"{name}: scheduler {k} is a {type(schedule).__name__}. Expected one whose step() takes no metric."
                )
            if schedule.optimizer is not self.optimizer:
                raise ArgumentError(
                    f"{name} expects all schedulers to belong to the same optimizer; number {k} does not."
                )
        self._schedulers = list(schedulers)

    def state_dict(self) -> dict[str, Any]:
        """Return the state to save, with the states of the schedules."""
        return {**_Rates.state_dict(self), "schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load a state that ``state_dict`` returned. The rates of the optimiser do not change."""
        own, loaded = self.state_dict(), state_dict if isinstance(state_dict, Mapping) else {}
        states = loaded.get("schedulers")
        if loaded.keys() != own.keys() or not isinstance(states, list) or len(states) != len(self._schedulers):
            raise ArgumentError(f"load_state_dict: expected the state of a {type(self).__name__}: {sorted(own)}.")
        lrs = [group["lr"] for group in self.optimizer.param_groups]
        try:
            for schedule, state in zip(self._schedulers, states, strict=True):
                schedule.load_state_dict(state)
        finally:  # one alone would set its rates, which here depend on the others
            for group, lr in zip(self.optimizer.param_groups, lrs, strict=True):
                group["lr"] = lr
        vars(self).update({k: copy.deepcopy(v) for k, v in loaded.items() if k != "schedulers"})


class ChainedScheduler(_Several):
    """Apply several schedules of one optimiser together."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        super().__init__(schedulers, optimizer)

    def step(self) -> None:  # type: ignore[override]
        """Begin the next epoch of all schedules."""
        for schedule in self._schedulers:
            schedule.step()


class SequentialLR(_Several):
    """Apply schedules one after another. At each milestone, the next one starts with its epoch 0."""

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        super().__init__(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ArgumentError(
                f"SequentialLR: got {len(schedulers)} schedulers and {len(milestones)} milestones. Expected one "
                "scheduler more than milestones."
            )
        self.milestones, self.last_epoch = list(milestones), last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        self._schedulers[bisect_right(self.milestones, 0)].restart()

    def _rates(self) -> list[float]:
        """Return the rates of the current schedule."""
        return self._schedulers[bisect_right(self.milestones, self.last_epoch)]._rates()

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load a state that ``state_dict`` returned, and set the rates of the current schedule."""
        before = self._rates()
        super().load_state_dict(state_dict)
        for group, was, now in zip(self.optimizer.param_groups, before, self._rates(), strict=True):
            group["lr"] = now if number("lr", group["lr"]) == was else group["lr"]

    def restart(self) -> None:
        """Begin at epoch 0."""
        self.last_epoch = 0
        self._schedulers[bisect_right(self.milestones, 0)].restart()

    def step(self) -> None:  # type: ignore[override]
        """Begin the next epoch."""
        self.last_epoch += 1
        k = bisect_right(self.milestones, self.last_epoch)
        if k and self.milestones[k - 1] == self.last_epoch:
            self._schedulers[k].restart()
        else:
            self._schedulers[k].step()


class ReduceLROnPlateau(LRScheduler):
    """Multiply the rate by factor when a metric has not improved for ``patience`` epochs.

    Call ``step(metric)`` in each epoch.

    Args:
        optimizer: the optimiser whose learning rates are set.
        mode: "min" if a smaller metric is better, or "max".
        factor: the factor, below 1.
        patience: the number of epochs without improvement to tolerate.
        threshold, threshold_mode: the smallest improvement that counts, relative ("rel") or absolute ("abs").
        cooldown: the number of epochs after a reduction that do not count.
        min_lr: the smallest rate, or a list with one for each group.
        eps: the smallest reduction to apply.
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
        _Rates.__init__(self, optimizer)
        self.mode, self.factor, self.patience = mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = threshold, threshold_mode, cooldown, eps
        groups = len(optimizer.param_groups)
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * groups
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0

    state_dict, load_state_dict = _Rates.state_dict, _Rates.load_state_dict

    def step(self, metrics: float) -> None:  # type: ignore[override]
        """Record the metric of an epoch, and reduce the rates if it has not improved for too long."""
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
