"""Modules that call one function of ``nn.functional`` with fixed options.

Options, defaults and documentation are taken from the function, so each such module is a line in ``functions.py``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

from symgrad.errors import ArgumentTypeError
from symgrad.nn.dropout import check_share
from symgrad.nn.modules.module import Module
from symgrad.ops.nn.windows import each
from symgrad.support.arguments import check_methods
from symgrad.support.namespace import keyword
from symgrad.tensors.tensor import Tensor


class OfFunction(Module):
    """``forward`` calls a function with the inputs and the options, which are attributes.

    Options that are tensors, such as the weights of classes, are buffers: part of the state, and converted by ``to``.
    """

    function: ClassVar[Callable[..., Any]]
    options: ClassVar[inspect.Signature]
    shown: ClassVar[str] = ""  # what is printed, a format of the options
    axes: ClassVar[int] = 0  # of sizes that are kept one for each axis
    trains: ClassVar[bool] = False  # whether the function is told the mode

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        try:
            bound = self.options.bind(*args, **kwargs)
        except TypeError as error:
            plain = self.options.replace(
                parameters=[p.replace(annotation=p.empty) for p in self.options.parameters.values()]
            )
            if any(isinstance(a, Tensor) for a in args):
                raise self._with_inputs() from None
            hint = keyword(str(error), self.options.parameters)
            raise ArgumentTypeError(f"{type(self).__name__}: {error}. Expected {plain}.{hint}") from None
        if any(
            isinstance(v, Tensor) and v.shape and not k.endswith(("weight", "_samples"))
            for k, v in bound.arguments.items()
        ):
            raise self._with_inputs()
        bound.apply_defaults()
        chosen = bound.arguments
        if chosen.get("stride", 0) is None and "norm_type" not in chosen:  # of a pool: windows side by side
            chosen["stride"] = chosen["kernel_size"]
        if self.trains and "p" in chosen:
            check_share(type(self).__name__.lower(), chosen["p"])
        axes = self.axes or _axes_of(type(self).__name__)
        sizes = {k: each(v, axes) for k, v in chosen.items() if axes and k in _SIZES}
        chosen |= {k: v for k, v in sizes.items() if self.axes and k in _SIZES[:3]}
        object.__setattr__(self, "_given", tuple(chosen))
        for name, value in chosen.items():
            if isinstance(value, Tensor):
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """Apply the function to the inputs."""
        chosen = {name: getattr(self, name) for name in self._given}
        if self.trains:
            chosen["training"] = self.training
        return type(self).function(*inputs, **named, **chosen)

    def _with_inputs(self) -> ArgumentTypeError:
        """Return the error for a module that was created with its inputs instead of its options."""
        name = type(self).__name__
        return ArgumentTypeError(
            f"{name}: got a tensor as an option. Create the module first, and call it with its inputs: {name}(…)(x)."
        )

    def extra_repr(self) -> str:
        options = {name: getattr(self, name) for name in self._given}
        always = self.shown.format(**options)
        in_place = "inplace=True" if options.get("inplace") and "inplace" not in always else ""
        return ", ".join(text for text in (always, in_place) if text)


_SIZES = ("kernel_size", "stride", "padding", "dilation", "output_size")


def _axes_of(name: str) -> int:
    """Return the number of axes that the name of a class contains, such as 2 for MaxPool2d, or 0."""
    return int(name[-2]) if name[-2:-1].isdigit() and name.endswith("d") else 0


check_methods(OfFunction)


def module_of(
    name: str, function: Callable[..., Any], inputs: int = 1, order: str = "", shown: str | None = None, axes: int = 0,
    **torchs: Any,
) -> Any:  # fmt: skip
    """Create a module class from a function.

    Args:
        name: the name of the class.
        function: the function that ``forward`` calls; its first arguments are the inputs.
        inputs: the number of inputs; the other arguments are options.
        order: the names of the options, if PyTorch's module has fewer, or another order.
        shown: the format of the options in the representation; by default all options, and none for losses.
        axes: the number of axes for which sizes are stored one per axis.
        torchs: defaults of the module that differ from the function's.
    """
    every = list(inspect.signature(function, eval_str=False).parameters.values())[inputs:]
    by_name = {p.name: p for p in every if p.name not in ("axis", "training", "generator", "out")}
    here = [by_name[k] for k in order.split()] if order else list(by_name.values())
    here = [p.replace(default=torchs.get(p.name, p.default)) for p in here]
    if shown is None:
        printed = [] if name.endswith("Loss") else [p.name for p in here if p.name != "inplace"]
        shown = ", ".join(f"{k}={{{k}!r}}" for k in printed)
    options = inspect.Signature([_by_place(p) for p in here] if order else here)
    return type(name, (OfFunction,), {
        "function": staticmethod(function), "options": options, "__signature__": options, "shown": shown, "axes": axes,
        "trains": any(p.name == "training" for p in every), "__doc__": _documentation(function),
        "__module__": "symgrad.nn.modules.functions",
    })  # fmt: skip


def _documentation(function: Callable[..., Any]) -> str:
    """Return what the function computes, and where its inputs and options are documented."""
    meaning = (inspect.getdoc(function) or "").partition("\n\nArgs:")[0]
    return f"{meaning}\n\nThe inputs and options are those of the function ``{function.__name__}``."


def _by_place(p: inspect.Parameter) -> inspect.Parameter:
    return p.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
