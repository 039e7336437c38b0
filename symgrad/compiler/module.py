"""A compiled ``nn.Module``: its parameters and buffers are arguments of one compiled function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgrad.func import functional_call
from symgrad.nn.modules.module import Module


class OptimizedModule(Module):
    """A model whose ``forward`` is compiled; its parameters are the model's own.

    Modes of the modules inside are part of the signature, so that ``train()`` and ``eval()`` have a kernel each.
    """

    def __init__(self, model: Module, compiled: Callable[[Callable[..., Any]], Any]) -> None:
        super().__init__()
        self._orig_mod = model
        object.__setattr__(self, "_compiled", compiled(self._called))

    def _called(self, modes: tuple[bool, ...], tensors: dict[str, Any], args: tuple[Any, ...], kwargs: Any) -> Any:
        return functional_call(self._orig_mod, tensors, args, kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the model returns."""
        model = self._orig_mod
        buffers = dict(model.named_buffers())
        tensors = dict(model.named_parameters()) | buffers
        result = self._compiled(tuple(m.training for m in model.modules()), tensors, args, kwargs)
        for buffer in buffers.values():
            if buffer.requires_grad:  # it was moved, and is a result of the call
                buffer.detach_()
        return result

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__("_orig_mod"), name)
