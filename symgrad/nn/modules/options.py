"""Modules that are one function of ``nn.functional`` with its options chosen beforehand, made from that function.

Name, options, defaults and documentation are the function's: a module of this kind is a line in ``functions.py``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from symgrad.errors import ArgumentTypeError
from symgrad.nn.modules.module import Module
from symgrad.support.arguments import check_methods
from symgrad.tensors.tensor import Tensor


class OfFunction(Module):
    """``forward`` is a function of what it is given and of the options, which are attributes.

    Options that are tensors, such as the weights of classes, are buffers: part of the state and of ``to``.
    """

    function: ClassVar[Callable[..., Any]]
    options: ClassVar[inspect.Signature]
    shown: ClassVar[tuple[str, ...]] = ()  # the options that are printed

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        try:
            bound = self.options.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentTypeError(f"{type(self).__name__}: {error}. Expected {self.options}.") from None
        bound.apply_defaults()
        bound.arguments.pop("inplace", None)  # a tensor of its own is returned all the same
        if bound.arguments.get("stride", 0) is None:  # of a pool: windows side by side
            bound.arguments["stride"] = bound.arguments["kernel_size"]
        object.__setattr__(self, "_given", tuple(bound.arguments))
        for name, value in bound.arguments.items():
            if isinstance(value, Tensor):
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def forward(self, *inputs: Any) -> Any:
        """Return the function of the inputs."""
        return type(self).function(*inputs, **{name: getattr(self, name) for name in self._given})

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in self.shown)


check_methods(OfFunction)


def module_of(name: str, function: Callable[..., Any], inputs: int = 1, order: str = "", **torchs: Any) -> Any:
    """Make the module of a function.

    Args:
        name: the class.
        function: what ``forward`` calls, first with its inputs.
        inputs: how many of the function's arguments those are; the others are options.
        order: the options by name, where torch's module has fewer, or another order.
        torchs: defaults of the module that are not the function's; and options that it takes and has no use for.
    """
    every = list(inspect.signature(function, eval_str=False).parameters.values())[inputs:]
    by_name = {p.name: p for p in every if p.name != "inplace"}
    chosen = [by_name[k] for k in order.split()] if order else [p for p in by_name.values() if p.name != "axis"]
    here = [p.replace(default=torchs.pop(p.name, p.default)) for p in chosen]
    here += [inspect.Parameter(k, inspect.Parameter.KEYWORD_ONLY, default=v) for k, v in torchs.items()]
    signature = inspect.Signature([_anywhere(p, torchs) for p in here])
    shown = () if name.endswith("Loss") else tuple(p.name for p in chosen)
    return type(name, (OfFunction,), {
        "function": staticmethod(function), "options": signature, "__signature__": signature, "shown": shown,
        "__doc__": function.__doc__, "__module__": "symgrad.nn.modules.functions",
    })  # fmt: skip


def _anywhere(p: inspect.Parameter, torchs: Any) -> inspect.Parameter:
    return p.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD) if p.name in torchs else p
