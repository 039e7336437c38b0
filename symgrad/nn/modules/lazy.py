"""Layers that take their input size from the first input, each defined by a row that names the layer it becomes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from symgrad.engine.generator import check_untraced
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentTypeError, ShapeError, ValueNeeded
from symgrad.nn.modules import batchnorm, layers, normalisation
from symgrad.nn.modules.module import Module
from symgrad.ops.map import show_shape
from symgrad.support.arguments import checked


class _Unsized(dict[str, Any]):
    """The parameters of a lazy layer before its first call; iterating over them raises an error."""

    def items(self) -> Any:
        """Raise an error, because an optimiser created now would miss the parameters."""
        raise ValueNeeded(
            "a lazy module has no parameters before its first call, from which it takes its sizes. Call the model once "
            "on a batch, and then ask for its parameters or its state."
        )

    values = items


def _lazy(kind: Any, axis: Callable[[Any, int], int], **torchs: Any) -> Any:
    """Create the lazy form of a layer whose first argument is the size of an axis of its input."""
    name = f"Lazy{kind.__name__}"
    taken = inspect.signature(kind.__init__)
    first, *others = [p for p in taken.parameters.values() if p.name != "self"]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            bound = options.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentTypeError(f"{name}: {error}. Expected {name}({', '.join(p.name for p in others)}).") from None
        bound.apply_defaults()
        kind.__init__(self, 0, *bound.args, **bound.kwargs)
        object.__setattr__(self, "_arguments", bound)
        object.__setattr__(self, "_parameters", _Unsized(self._parameters))

    def forward(self: Any, input: Any) -> Any:
        check_untraced(f"the first call of a {name}", "Call the model once before")
        x = as_tensor(input)
        at = axis(self, x.ndim)
        if not 0 <= at < x.ndim:
            raise ShapeError(f"{name}: got an input of shape {show_shape(x.shape)}. Expected an axis {at} to size by.")
        bound, mode, hooks = self.__dict__.pop("_arguments"), self.training, self._hooks
        object.__setattr__(self, "__class__", kind)
        kind.__init__(self, x.shape[at], *bound.args, **bound.kwargs)
        object.__setattr__(self, "training", mode)
        object.__setattr__(self, "_hooks", hooks)
        return self.forward(x)

    options = inspect.Signature([p.replace(annotation=p.empty, default=torchs.get(p.name, p.default)) for p in others])
    summary = f"A {kind.__name__} whose ``{first.name}`` is inferred from its first input."
    forward.__qualname__ = f"{name}.forward"
    forward.__doc__ = "Infer the size from the input, and return the result of the layer."
    return type(name, (kind,), {
        "__init__": __init__, "forward": checked(forward), "__doc__": summary, "__signature__": options,
        "__module__": __name__, "cls_to_become": kind,
    })  # fmt: skip


def _last(_: Any, ndim: int) -> int:
    return ndim - 1


def _channels(layer: Any, ndim: int) -> int:
    return ndim - int(layer.axes) - 1


def _features(layer: Any, ndim: int) -> int:
    return int(ndim == max(layer.axes) or "BatchNorm" in type(layer).__name__)  # samples may come without a batch


_ROWS: tuple[tuple[Callable[[Any, int], int], tuple[Any, ...], dict[str, Any]], ...] = (
    (_last, (layers.Linear,), {}),
    (_channels, (layers.Conv1d, layers.Conv2d, layers.Conv3d, layers.ConvTranspose1d, layers.ConvTranspose2d,
                 layers.ConvTranspose3d), {}),
    (_features, (batchnorm.BatchNorm1d, batchnorm.BatchNorm2d, batchnorm.BatchNorm3d,
                 normalisation.InstanceNorm1d, normalisation.InstanceNorm2d, normalisation.InstanceNorm3d),
     {"affine": True, "track_running_stats": True}),
)  # fmt: skip
LAZY: dict[str, type[Module]] = {
    f"Lazy{kind.__name__}": _lazy(kind, axis, **torchs) for axis, kinds, torchs in _ROWS for kind in kinds
}
globals().update(LAZY)
__all__ = list(LAZY)
