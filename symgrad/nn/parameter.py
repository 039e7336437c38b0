"""``nn.Parameter``: a leaf that a module learns. Assigning it to an attribute of a module registers it."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.engine.record import as_tensor
from symgrad.errors import GraphError
from symgrad.tensors.creation import leaf
from symgrad.tensors.tensor import Tensor


class Parameter(Tensor):
    """A tensor that a module learns: a leaf that requires a gradient.

    Args:
        data: a tensor, array or nested sequence of numbers. It is copied, without its history.
        requires_grad: whether the parameter is trained; False freezes it.

    Raises:
        DTypeError: if the data are integers and requires_grad is True.
        ValueNeeded: if the data are a symbol, which has no value.

    >>> sg.nn.Parameter([1.0, 2.0])
    Parameter containing:
    tensor([1., 2.], requires_grad=True)
    """

    __slots__ = ()

    def __new__(cls, data: Any = (), requires_grad: bool = True) -> Parameter:
        tensor = as_tensor(data)
        tensor._check_kept("nn.Parameter(x)")
        source = leaf(np.array(tensor.detach()._known("Parameter(data)")), requires_grad, None)
        made: Parameter = object.__new__(cls)
        made._node, made._value = source._node, source._value
        return made

    def __init__(self, data: Any = (), requires_grad: bool = True) -> None:
        """Do nothing; ``__new__`` creates the tensor."""

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"

    def __deepcopy__(self, memo: dict[Any, Any]) -> Parameter:
        if not self.is_leaf:
            raise GraphError("copy.deepcopy: the parameter is the result of an operation. Copy x.detach().")
        new = memo[id(self)] = Parameter(self.detach(), self.requires_grad)
        new.name = self.name
        gradient = self.grad
        if gradient is not None:
            new.grad = gradient.detach()
        return new

    def __reduce__(self) -> Any:
        self._check_kept("pickle.dumps(parameter)")
        return Parameter, (np.asarray(self._value), self.requires_grad)


class Buffer(Tensor):
    """A tensor that is part of a module's state but not learned. Assigning it to an attribute registers it as a buffer.

    Args:
        data: a tensor, array or nested sequence of numbers.
        persistent: whether ``state_dict`` includes it.

    >>> module = sg.nn.Module()
    >>> module.mean = sg.nn.Buffer([0.0, 0.0])
    >>> list(module.state_dict())
    ['mean']
    """

    __slots__ = ("persistent",)
    persistent: bool

    def __new__(cls, data: Any = (), *, persistent: bool = True) -> Buffer:
        source = as_tensor(data).detach()
        made: Buffer = object.__new__(cls)
        made._node, made._value, made.persistent = source._node, source._value, persistent
        return made

    def __init__(self, data: Any = (), *, persistent: bool = True) -> None:
        """Do nothing; ``__new__`` creates the tensor."""


__all__ = ["Buffer", "Parameter"]
