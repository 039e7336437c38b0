"""JAX's ``x.at[i].set(v)``: a tensor with some entries changed, as a tensor of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentTypeError
from symgrad.ops.elementwise.declared import BINARY
from symgrad.ops.elementwise.declared import power as raised
from symgrad.ops.indexing.placing import index_put
from symgrad.support.arguments import check_methods
from symgrad.support.namespace import near


class Entries:
    """Some entries of a tensor, and what may be made of them; x stays as it is."""

    __slots__ = ("_index", "_x")

    def __init__(self, x: Any, index: Any) -> None:
        self._x, self._index = x, index

    def get(self) -> Any:
        """Return the entries."""
        return self._x[self._index]

    def set(self, values: Any) -> Any:
        """Return x with the entries replaced by values."""
        y = self._x.clone()
        y[self._index] = values
        return y

    def add(self, values: Any) -> Any:
        """Return x with values added to the entries; all values for a repeated position are added."""
        keys = self._index if isinstance(self._index, tuple) else (self._index,)
        if all(isinstance(k, (list, TensorBase)) or getattr(k, "shape", ()) != () for k in keys):
            places = tuple([as_tensor(k) for k in keys])
            if not any(p.dtype == bool for p in places):
                return index_put(self._x, places, as_tensor(values), accumulate=True)
        return self.set(self.get() + values)

    def subtract(self, values: Any) -> Any:
        """Return x with values subtracted from the entries."""
        return self.add(-as_tensor(values))

    def multiply(self, values: Any) -> Any:
        """Return x with the entries multiplied by values."""
        return self.set(self.get() * values)

    def divide(self, values: Any) -> Any:
        """Return x with the entries divided by values."""
        return self.set(self.get() / values)

    def power(self, values: Any) -> Any:
        """Return x with the entries raised to a power."""
        return self.set(raised(self.get(), values))

    def min(self, values: Any) -> Any:
        """Return x with the entries replaced by the minimum of them and values."""
        return self.set(BINARY["minimum"](self.get(), as_tensor(values)))

    def max(self, values: Any) -> Any:
        """Return x with the entries replaced by the maximum of them and values."""
        return self.set(BINARY["maximum"](self.get(), as_tensor(values)))

    def apply(self, f: Callable[[Any], Any]) -> Any:
        """Return x with f applied to the entries."""
        return self.set(f(self.get()))

    mul = multiply

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"x.at[i] has no {name!r}{near(name, [n for n in vars(Entries) if n[0] != '_'])}")


class At:
    """``x.at``, which is indexed."""

    __slots__ = ("_x",)

    def __init__(self, x: Any) -> None:
        self._x = x

    def __getitem__(self, index: Any) -> Entries:
        return Entries(self._x, index)

    def __setitem__(self, index: Any, values: Any) -> None:
        raise ArgumentTypeError("x.at[i] = v: entries are not assigned to. Write y = x.at[i].set(v), or x[i] = v.")

    def __call__(self, *index: Any) -> Any:
        raise ArgumentTypeError("x.at: got (…). Write the index in brackets: x.at[i].set(v).")


check_methods(Entries)


class Updated(TensorBase):
    """The entries at an index, as ``x.at[…]`` names them."""

    __slots__ = ()

    @property
    def at(self) -> At:
        """Updates that return a new tensor, as in JAX: ``x.at[i].set(v)``, ``add``, ``multiply``, ….

        >>> x = sg.tensor([1.0, 2.0, 3.0])
        >>> x.at[0].set(5.0), x.at[[1, 1]].add(1.0)
        (tensor([5., 2., 3.]), tensor([1., 4., 3.]))
        """
        return At(self)
