"""Parameters that are functions of other parameters, as in ``torch.nn.utils.parametrize``."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from symgrad.core.modes import no_grad
from symgrad.errors import ArgumentError, NoSuchName, ShapeError
from symgrad.nn.modules.containers import ModuleDict, ModuleList
from symgrad.nn.modules.module import Module
from symgrad.nn.parameter import Parameter
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "type_before_parametrizations",
]  # fmt: skip
_CACHE: ContextVar[dict[Any, Any] | None] = ContextVar("parametrize", default=None)


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor only once inside the block."""
    token = _CACHE.set({} if _CACHE.get() is None else _CACHE.get())
    try:
        yield
    finally:
        _CACHE.reset(token)


class ParametrizationList(ModuleList):
    """The functions that are applied to a tensor, and its original values: ``original``, or ``original0``, …"""

    def __init__(self, modules: Any, original: Any) -> None:
        super().__init__(modules)
        self.learned = isinstance(original, Parameter)
        with no_grad():
            start = self._start(original.detach())
        self.names = [f"original{k}" for k in range(len(start))] if isinstance(start, tuple) else ["original"]
        for name, value in zip(self.names, start if isinstance(start, tuple) else (start,), strict=True):
            self._keep(name, value, original)

    def _start(self, value: Any) -> Any:
        """What the tensor starts from: its value, where there is no way back."""
        try:
            return self._inverse(value)
        except NotImplementedError:
            return value

    def _keep(self, name: str, value: Any, original: Any) -> None:
        if not self.learned:
            self.register_buffer(name, value)
        elif value.shape == original.shape:  # an optimiser may hold it already
            original.data = value
            self.register_parameter(
                name, original if len(self.names) == 1 else Parameter(value, original.requires_grad)
            )
        else:
            self.register_parameter(name, Parameter(value, original.requires_grad))

    def _inverse(self, value: Any) -> Any:
        for module in reversed(list(self)):
            if hasattr(module, "right_inverse"):
                value = module.right_inverse(value)
        return value

    def right_inverse(self, value: Any) -> None:
        """Set the original so that the tensor has the given value."""
        with no_grad():
            start = self._inverse(value)
            for name, new in zip(self.names, start if isinstance(start, tuple) else (start,), strict=True):
                getattr(self, name).copy_(new)

    def forward(self) -> Any:
        """Return the tensor."""
        first, *rest = self
        x = first(*(getattr(self, name) for name in self.names))
        for module in rest:
            x = module(x)
        return x


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Return whether the module, or its tensor with the given name, is parametrized."""
    entries = module._modules.get("parametrizations")
    return isinstance(entries, ModuleDict) and (tensor_name in entries if tensor_name else len(entries) > 0)


def _chain(module: Any, tensor_name: str, parametrization: Module, unsafe: bool) -> None:
    """Add a parametrization to a tensor that is already parametrized."""
    entry = module.parametrizations[tensor_name]
    before = getattr(module, tensor_name).detach()
    if hasattr(parametrization, "right_inverse"):
        with no_grad():
            entry.right_inverse(parametrization.right_inverse(before))
    entry.append(parametrization)
    _check_shape(entry().shape, before.shape, unsafe)


def _replaced(module: Any, tensor_name: str, entry: ParametrizationList) -> Any:
    """Replace a module's tensor by a list of parametrizations."""
    delattr(module, tensor_name)
    kind = type_before_parametrizations(module)
    if not is_parametrized(module):
        module.parametrizations = ModuleDict()
    module.parametrizations[tensor_name] = entry
    return _turned(module, kind)


def register_parametrization(module: Any, tensor_name: str, parametrization: Module, *, unsafe: bool = False) -> Any:
    """Replace a parameter or buffer by f(original), computed at each access. Several parametrizations are chained.

    Args:
        module, tensor_name: the module, and the name of its tensor.
        parametrization: f, a module. If it has a method ``right_inverse``, the original is ``right_inverse(value)``.
        unsafe: whether f may change the shape.

    Returns:
        The module, whose class is replaced by a subclass.

    Raises:
        NoSuchName: if the tensor does not exist.
        ShapeError: if f changes the shape, unless ``unsafe=True``.

    >>> class Positive(sg.nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> layer = sg.nn.utils.parametrize.register_parametrization(sg.nn.Linear(2, 2), "weight", Positive())
    >>> bool((layer.weight > 0).all()), [name for name, _ in layer.named_parameters()]
    (True, ['bias', 'parametrizations.weight.original'])
    """
    if is_parametrized(module, tensor_name):
        _chain(module, tensor_name, parametrization, unsafe)
        return module
    original = {**module._parameters, **module._buffers}.get(tensor_name)
    if original is None:
        raise NoSuchName(f"Module {type(module).__name__} has no parameter or buffer with name {tensor_name!r}.")
    entry = ParametrizationList([parametrization], original)
    _check_shape(entry().shape, original.shape, unsafe)
    return _replaced(module, tensor_name, entry)


def _turned(module: Any, kind: type) -> Any:
    """Give a module a subclass in which each parametrized tensor is a property; without any, restore its class."""
    properties = {name: property(_reader(name), _writer(name)) for name in module.parametrizations}
    if properties:
        made = {"__reduce_ex__": _refuse_pickle, "__deepcopy__": _copied, "__module__": kind.__module__, **properties}
        kind = type(f"Parametrized{kind.__name__}", (kind,), made)
    module.__class__ = kind
    return module


def _copied(self: Any, memo: dict[int, Any]) -> Any:
    twin = memo[id(self)] = object.__new__(type(self))
    twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return twin


def _check_shape(got: Any, expected: Any, unsafe: bool) -> None:
    if tuple(got) != tuple(expected) and not unsafe:
        raise ShapeError(
            f"Registering a parametrization may not change the shape {tuple(expected)}. Got {tuple(got)}; pass "
            "unsafe=True."
        )


def _refuse_pickle(self: Any, protocol: Any) -> Any:
    raise ArgumentError("Serialization of parametrized modules is only supported through state_dict().")


def _reader(name: str) -> Any:
    def read(self: Any) -> Any:
        entry, cache = self.parametrizations[name], _CACHE.get()
        if cache is None:
            return entry()
        if (id(self), name) not in cache:
            cache[id(self), name] = entry()
        return cache[id(self), name]

    return read


def _writer(name: str) -> Any:
    return lambda self, value: self.parametrizations[name].right_inverse(value)


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Turn a tensor into a parameter or buffer again, with its current or its original value.

    Raises:
        ArgumentError: if it is not parametrized, or if it has several originals and ``leave_parametrized=False``.
    """
    if not is_parametrized(module, tensor_name):
        raise ArgumentError(f"Module {type(module).__name__} does not have a parametrization on {tensor_name}.")
    entry = module.parametrizations[tensor_name]
    if len(entry.names) > 1 and not leave_parametrized:
        raise ArgumentError(
            "Cannot leave unparametrized a tensor with several originals. Pass leave_parametrized=True."
        )
    value, original = getattr(module, tensor_name).detach(), getattr(entry, entry.names[0])
    kind = type_before_parametrizations(module)
    del module.parametrizations[tensor_name]
    _turned(module, kind)
    if len(entry.names) == 1 and entry.learned:
        if leave_parametrized:
            original.data = value
        module.register_parameter(tensor_name, original)
    elif entry.learned:
        module.register_parameter(tensor_name, Parameter(value))
    else:
        module.register_buffer(tensor_name, value if leave_parametrized else original)
    if not is_parametrized(module):
        del module.parametrizations
    return module


def type_before_parametrizations(module: Module) -> type:
    """Return the class that the module had before it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


__getattr__, __dir__ = namespace(globals(), __all__)
check_all(globals(), __all__)
