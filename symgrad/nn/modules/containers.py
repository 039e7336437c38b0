"""Modules that contain modules: in sequence, in a list, in a dict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from itertools import groupby
from operator import index as as_index
from typing import Any, Self

from symgrad.errors import ArgumentError, ArgumentTypeError, IndexRangeError
from symgrad.nn.modules.module import Module
from symgrad.nn.parameter import Parameter
from symgrad.support.arguments import check_all


class _Row(Module):
    """Base class of Sequential and ModuleList: modules by number."""

    def _at(self, index: Any) -> str:
        try:
            number: int = as_index(index)
        except TypeError:
            raise ArgumentTypeError(
                f"{type(self).__name__}: got index {index!r}. Expected an integer or a slice."
            ) from None
        count = len(self._modules)
        if not -count <= number < count:
            raise IndexRangeError(f"index {number} is out of range. {type(self).__name__} has {count} modules.")
        return list(self._modules)[number]

    def _numbered(self, modules: Iterable[Any]) -> None:
        items = list(modules)
        self._modules.clear()
        self.extend(items)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice):
            return self._modules[self._at(index)]
        sliced = _Row.__new__(type(self))
        Module.__init__(sliced)
        sliced._modules.update([*self._modules.items()][index])
        if isinstance(sliced, ModuleList):
            sliced._numbered(sliced)
        return sliced

    def __setitem__(self, index: int, module: Module) -> None:
        self.add_module(self._at(index), module)

    def __delitem__(self, index: Any) -> None:
        gone = range(len(self))[index] if isinstance(index, slice) else [list(self._modules).index(self._at(index))]
        self._numbered(m for k, m in enumerate(self) if k not in gone)

    def append(self, module: Module) -> Self:
        """Append a module."""
        return self.extend([module])

    def extend(self, modules: Iterable[Module]) -> Self:
        """Append several modules."""
        for module in modules:
            self.add_module(str(len(self._modules)), module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Insert a module before the given index."""
        modules = list(self)
        modules.insert(index, module)
        self._numbered(modules)
        return self

    def pop(self, index: int) -> Module:
        """Remove the module of the given index, and return it."""
        module = self[index]
        del self[index]
        return module  # type: ignore[no-any-return]

    def __add__(self, other: Iterable[Module]) -> Self:
        """Return a container of the modules of both."""
        if not isinstance(other, Iterable):
            return NotImplemented
        return self[:0].extend([*self, *other])  # type: ignore[no-any-return]

    def __iadd__(self, other: Iterable[Module]) -> Self:
        """Append the modules of another container."""
        return self.extend(list(other)) if isinstance(other, Iterable) else NotImplemented


class Sequential(_Row):
    """A sequence of modules, in which the output of each is the input of the next.

    Args:
        args: modules, or one dict of named modules.

    >>> model = sg.nn.Sequential(sg.nn.Linear(2, 3), sg.nn.Tanh(), sg.nn.Linear(3, 1))
    >>> model(sg.zeros(5, 2)).shape
    (5, 1)
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], Mapping):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            self.extend(args)

    def forward(self, input: Any) -> Any:
        """Call the modules in sequence."""
        for module in self:
            input = module(input)
        return input

    def __mul__(self, count: int) -> Self:
        """Return the same modules, with the same parameters, several times in sequence."""
        return self[:0].extend(self._times(count))  # type: ignore[no-any-return]

    def __imul__(self, count: int) -> Self:
        """Repeat the same modules several times in sequence."""
        self._numbered(self._times(count))
        return self

    __rmul__ = __mul__

    def _times(self, count: int) -> list[Any]:
        if not isinstance(count, int) or count < 1:
            raise ArgumentError(f"{type(self).__name__}: got the factor {count!r}. Expected an integer of at least 1.")
        return list(self) * count


class ModuleList(_Row):
    """A list of modules, whose parameters belong to the model.

    >>> layers = sg.nn.ModuleList(sg.nn.Linear(2, 2) for _ in range(3))
    >>> len(layers), len(list(layers.parameters()))
    (3, 6)
    """

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        self.extend(modules)

    def __repr__(self) -> str:
        lines, start = [], 0
        for text, group in groupby(map(repr, self)):
            end = start + len(list(group))
            label = f"({start}): " if end == start + 1 else f"({start}-{end - 1}): {end - start} x "
            lines.append("\n  " + label + text.replace("\n", "\n  "))
            start = end
        return f"{type(self).__name__}({''.join(lines)}" + ("\n)" if lines else ")")


class _Parameters(Module):
    """Base class of ParameterList and ParameterDict: parameters by number or by name."""

    def __repr__(self) -> str:
        lines = [
            f"\n  ({name}): Parameter containing: [{p.dtype} of size {'x'.join(map(str, p.shape))}]"
            for name, p in self._parameters.items()
            if p is not None
        ]
        return f"{type(self).__name__}({''.join(lines)}" + ("\n)" if lines else ")")


class ParameterList(_Parameters):
    """A list of parameters; tensors that you add become parameters.

    >>> sg.nn.ParameterList([sg.ones(3), sg.ones(2, 2)])
    ParameterList(
      (0): Parameter containing: [float64 of size 3]
      (1): Parameter containing: [float64 of size 2x2]
    )
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self.extend(values or ())

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def __getitem__(self, index: Any) -> Any:
        chosen = list(self)[index]
        return ParameterList(chosen) if isinstance(index, slice) else chosen

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, str(range(len(self))[index]), _learned(value))

    def append(self, value: Any) -> Self:
        """Append a parameter."""
        return self.extend([value])

    def extend(self, values: Iterable[Any]) -> Self:
        """Append several parameters."""
        for value in values:
            self.register_parameter(str(len(self)), _learned(value))
        return self

    def __iadd__(self, other: Iterable[Any]) -> Self:
        """Append the parameters of another list."""
        return self.extend(list(other)) if isinstance(other, Iterable) else NotImplemented


class ParameterDict(_Parameters, MutableMapping[str, Any]):
    """A dict of parameters; tensors that you add become parameters."""

    __eq__, __hash__ = Module.__eq__, Module.__hash__

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.update(parameters or {})

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.register_parameter(key, _learned(value))

    def __delitem__(self, key: str) -> None:
        del self._parameters[key]


def _learned(value: Any) -> Parameter:
    return value if isinstance(value, Parameter) else Parameter(value)


class ModuleDict(Module, MutableMapping[str, Any]):
    """A dict of modules, whose parameters belong to the model."""

    __eq__, __hash__ = Module.__eq__, Module.__hash__

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]


__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


check_all(globals(), __all__)
