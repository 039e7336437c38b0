"""Averages of a model's parameters during training, with the names of ``torch.optim.swa_utils``."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

from symgrad.core.modes import no_grad
from symgrad.core.promotion import is_differentiable
from symgrad.errors import ArgumentError
from symgrad.nn.modules.batchnorm import _BatchNorm
from symgrad.nn.modules.module import Module
from symgrad.optim.lr_scheduler import LRScheduler
from symgrad.optim.optimizer import Optimizer, number
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace
from symgrad.tensors.creation import tensor

__all__ = ["SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
           "update_bn"]  # fmt: skip


def get_ema_avg_fn(decay: float = 0.999) -> Callable[[Any, Any, Any], Any]:
    """Return the average decay·mean + (1 - decay)·current, for ``AveragedModel``."""
    if not 0 <= decay <= 1:
        raise ArgumentError(f"Invalid decay value {decay}. Expected a number in [0, 1].")
    return functools.partial(_exponential, decay)


def get_swa_avg_fn() -> Callable[[Any, Any, Any], Any]:
    """Return the average over all updates, mean + (current - mean)/(count + 1), for ``AveragedModel``."""
    return _equal


def _exponential(decay: float, mean: Any, current: Any, count: Any) -> Any:
    return decay * mean + (1 - decay) * current


def _equal(mean: Any, current: Any, count: Any) -> Any:
    return mean + (current - mean) / (count + 1)


def _multi(average: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], None]:
    return functools.partial(_update, average)  # which is pickled, as an averaged model is


def _update(average: Callable[[Any, Any, Any], Any], means: Iterable[Any], currents: Iterable[Any], count: Any) -> None:
    for mean, current in zip(means, currents, strict=True):
        mean.copy_(average(mean, current, count))


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[[Any, Any, Any], None]:
    """Return a version of ``get_ema_avg_fn`` for lists of parameters, which it modifies in place."""
    return _multi(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> Callable[[Any, Any, Any], None]:
    """Return a version of ``get_swa_avg_fn`` for lists of parameters, which it modifies in place."""
    return _multi(get_swa_avg_fn())


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's; ``update_parameters`` updates them.

    Args:
        model: the model that is trained.
        device: the CPU.
        avg_fn: a function of the average, the current value and the number of updates that returns the new average;
            by default the mean of all updates.
        multi_avg_fn: the same for lists of parameters, which it modifies in place.
        use_buffers: whether to average the buffers too, instead of copying them.

    >>> model = sg.nn.Linear(1, 1, bias=False)
    >>> mean = sg.optim.swa_utils.AveragedModel(model)
    >>> for value in (1.0, 2.0, 6.0):
    ...     _ = model.weight.data.fill_(value)
    ...     mean.update_parameters(model)
    >>> mean.module.weight.item()
    3.0
    """

    def __init__(
        self, model: Module, device: str | None = None, avg_fn: Callable[..., Any] | None = None,
        multi_avg_fn: Callable[..., Any] | None = None, use_buffers: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise ArgumentError("Only one of avg_fn and multi_avg_fn should be provided.")
        self.module = copy.deepcopy(model) if device is None else copy.deepcopy(model).to(device)
        self.register_buffer("n_averaged", tensor(0))
        self.use_buffers = use_buffers
        self.multi_avg_fn = multi_avg_fn or _multi(avg_fn or get_swa_avg_fn())

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the averaged model returns."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Update the averages by the model's current parameters."""
        pairs = list(zip(self.module.parameters(), model.parameters(), strict=True))
        buffers = list(zip(self.module.buffers(), model.buffers(), strict=True))
        numbers = [(b, c) for b, c in buffers if is_differentiable(b.dtype)]
        averaged = pairs + (numbers if self.use_buffers else [])
        count = int(self.n_averaged)
        with no_grad():
            if count == 0:
                for mean, current in averaged:
                    mean.copy_(current)
            elif averaged:
                means, currents = zip(*averaged, strict=True)
                self.multi_avg_fn(list(means), [c.detach() for c in currents], self.n_averaged)
            for mean, current in buffers if not self.use_buffers else []:
                mean.copy_(current)
            self.n_averaged += 1


def update_bn(loader: Iterable[Any], model: Module, device: str | None = None) -> None:
    """Recompute the running statistics of all batch normalisations in one pass over the data."""
    layers = [m for m in model.modules() if isinstance(m, _BatchNorm)]
    if not layers:
        return
    before, training = [m.momentum for m in layers], model.training
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None
    model.train()
    with no_grad():
        for batch in loader:
            model(batch[0] if isinstance(batch, (list, tuple)) else batch)
    for layer, momentum in zip(layers, before, strict=True):
        layer.momentum = momentum
    model.train(training)


class SWALR(LRScheduler):
    """Change the rate to ``swa_lr`` within ``anneal_epochs`` epochs, by a cosine or linearly, and keep it constant."""

    def __init__(
        self, optimizer: Optimizer, swa_lr: Any, anneal_epochs: int = 10, anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ArgumentError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise ArgumentError(f"swa_lr: got {len(rates)} rates. Expected {len(groups)}, one for each group.")
        for rate, group in zip(rates, groups, strict=True):
            group["swa_lr"] = number("swa_lr", rate)
        self.anneal_epochs, self.anneal_strategy = anneal_epochs, anneal_strategy
        super().__init__(optimizer, last_epoch)

    def _share(self, t: int) -> float:
        s = max(0.0, min(1.0, t / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * s)) / 2 if self.anneal_strategy == "cos" else s

    def rate(self, t: int, first: float, group: int) -> float:
        target, s = self.optimizer.param_groups[group]["swa_lr"], self._share(t)
        return float(target * s + first * (1 - s))

    def _move(self, before: Any, after: Any) -> None:
        """Continue from the current rates of the groups, which another schedule may have set."""
        t = max(1, self.last_epoch) if self.anneal_epochs == 0 else self.last_epoch
        was, now = self._share(t - 1), self._share(t)
        for group in self.optimizer.param_groups:
            lr, target = number("lr", group["lr"]), group["swa_lr"]
            first = target if was == 1 else (lr - was * target) / (1 - was)
            group["lr"] = target * now + first * (1 - now)


__getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__, first=True)
