"""What hooks of a module's backward need: the gradients of a module's outputs kept, those of its inputs shown.

A module's inputs and outputs each pass through one function that does nothing but look at what comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symgrad.autograd.function import Function
from symgrad.errors import ArgumentError
from symgrad.support.notices import warn
from symgrad.tensors.tensor import Tensor

Places = tuple[list[int], int]


class _Watch:
    """One call of a module: its hooks, and the gradients of its outputs once they are known."""

    def __init__(
        self, module: Any, first: Sequence[Callable[..., Any]], last: Sequence[Callable[..., Any]], inputs: Places
    ) -> None:
        self.module, self.first, self.hooks, self.inputs = module, first, last, inputs
        self.outputs: Places = [], 0
        self.outgoing: tuple[Any, ...] | None = None  # while a sweep is between the outputs and the inputs
        self.ends_here = False  # no input requires grad: the hooks are called when the outputs' gradients are known

    def enter(self, outgoing: tuple[Any, ...]) -> tuple[Any, ...]:
        """Let each hook see, and replace, the gradients of the outputs."""
        for hook in self.first:
            gradients = hook(self.module, outgoing)
            if gradients is not None:
                gradients = gradients if isinstance(gradients, tuple) else (gradients,)
                if len(gradients) != len(outgoing):
                    raise ArgumentError(
                        f"Backward pre hook returned an invalid number of grad_output, got {len(gradients)}, but "
                        f"expected {len(outgoing)}. Return one for each output, or None."
                    )
                outgoing = gradients
        self.outgoing = outgoing
        return outgoing

    def show(self, incoming: tuple[Any, ...]) -> tuple[Any, ...]:
        """Let each hook see, and replace, the gradients of the inputs.

        A second derivative reaches the inputs through what the rules have saved, too. Unless it has passed the outputs
        before, that is not a gradient of the module: the hooks are not called, as in PyTorch.
        """
        outgoing, self.outgoing = self.outgoing, None
        for hook in self.hooks if outgoing is not None else ():
            gradients = hook(self.module, incoming, outgoing)
            if gradients is not None:
                gradients = gradients if isinstance(gradients, tuple) else (gradients,)
                if len(gradients) != len(incoming):
                    raise ArgumentError(
                        f"Backward hook returned an invalid number of grad_input, got {len(gradients)}, but expected "
                        f"{len(incoming)}. Return one for each input, or None."
                    )
                incoming = gradients
        return incoming


class _Inputs(Function):
    @staticmethod
    def forward(ctx: Any, watch: _Watch, *tensors: Any) -> Any:
        ctx.watch = watch
        return tuple(t.clone() for t in tensors)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        watch = ctx.watch
        shown = watch.show(_spread(gradients, watch.inputs))
        return (None, *[shown[k] for k in watch.inputs[0]])


class _Outputs(_Inputs):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        watch = ctx.watch
        entered = watch.enter(_spread(gradients, watch.outputs))
        if watch.ends_here:
            watch.show((None,) * watch.inputs[1])
        return (None, *[entered[k] for k in watch.outputs[0]])


def _spread(gradients: Sequence[Any], places: Places) -> tuple[Any, ...]:
    """Return the gradients of tensors with None between them for what is not a tensor."""
    at = dict(zip(places[0], gradients, strict=True))
    return tuple(at.get(k) for k in range(places[1]))


def _places(values: Sequence[Any]) -> Places:
    """Return which of the values are tensors, and how many values there are."""
    return [k for k, a in enumerate(values) if isinstance(a, Tensor)], len(values)


def watched(
    module: Any, first: Sequence[Any], last: Sequence[Any], args: tuple[Any, ...], forward: Callable[..., Any]
) -> Any:
    """Call ``forward`` so that hooks are shown the gradients of the outputs, and then of the inputs too."""
    watch = _Watch(module, first, last, _places(args))
    places, given = watch.inputs[0], list(args)
    watch.ends_here = not any(args[k].requires_grad for k in places)
    if not watch.ends_here:
        for k, t in zip(places, _tuple(_Inputs.apply(watch, *[args[k] for k in places])), strict=True):
            given[k] = t
    result = forward(*given)
    outputs = list(result) if isinstance(result, tuple) else [result]
    watch.outputs = _places(outputs)
    if not watch.outputs[0]:
        warn(
            "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
            f"{type(result).__name__}. Register the hook on a module inside it."
        )
        return result
    for k, t in zip(
        watch.outputs[0], _tuple(_Outputs.apply(watch, *[outputs[k] for k in watch.outputs[0]])), strict=True
    ):
        outputs[k] = t
    if not isinstance(result, tuple):
        return outputs[0]
    return type(result)(*outputs) if hasattr(result, "_fields") else tuple(outputs)


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
