"""What pickles hold: of a function its name, or through cloudpickle its source; of a graph a flat list.

Python pickles a function of a module by its name, and refuses all others with a sentence that does not say what to do.
joblib, Dask and others bring cloudpickle, which writes them out: where a program has loaded it, it is asked.
"""

from __future__ import annotations

import functools
import importlib
import pickle
import sys
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any, ParamSpec, Self, TypeVar

from symgrad.core.node import AnyNode, Cell, Leaf, Node, ancestors, is_node, make_node
from symgrad.errors import PickleError
from symgrad.support.arguments import BARE, blame

P = ParamSpec("P")
T = TypeVar("T")
_PUBLIC = ("symgrad", "symgrad.special", "symgrad.linalg", "symgrad.nn.functional")
_WRITERS = ("cloudpickle", "joblib.externals.cloudpickle", "dill")


# ------------------------------------------------------------------ functions
def place_of(x: Any) -> tuple[Any, Any]:
    """Return the module and the dotted name that an object says it has."""
    return getattr(x, "__module__", None), getattr(x, "__qualname__", None)


def is_found(x: Any) -> bool:
    """Whether a module has this very object under its name."""
    module, name = place_of(x)
    attribute: Any = sys.modules.get(module)
    for part in str(name).split("."):
        attribute = getattr(attribute, part, None)
    return attribute is x


class _Public:
    """A function of symgrad's own that a factory made: unpickled, it is the one of its public name."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __reduce__(self) -> Any:
        return _public, (self.module, self.name)


def _public(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


class _Written:
    """A function as cloudpickle wrote it: unpickled, it is the function."""

    def __init__(self, text: bytes) -> None:
        self.text = text

    def __reduce__(self) -> Any:
        return pickle.loads, (self.text,)


def portable(fn: Any, name: str) -> Any:
    """Return what to pickle for a function that ``name`` was given: itself, or its source by value.

    Raises:
        PickleError: if it does not belong to a module, like a lambda, and cloudpickle has not been loaded.
    """
    if type(fn) is not FunctionType or is_found(fn):
        return fn
    own: str = fn.__name__
    for module in _PUBLIC:
        if getattr(sys.modules.get(module), own, None) is fn:
            return _Public(module, own)
    for module in _WRITERS:
        if module in sys.modules:
            return _Written(sys.modules[module].dumps(fn))
    raise PickleError(
        f"{name}: cannot pickle {fn.__qualname__!r}, which no module has under this name. Define it with def at the "
        "top level of a module, or import cloudpickle first, which pickles functions by value, as joblib does."
    )


class AsFunction:
    """Base of callable values that are copied as functions are: copying returns the object itself."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self


class Transformed(AsFunction):
    """A function that a transform made of another, such as ``sg.grad(f)``: pickled as the transform and f."""

    def __init__(self, make: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        call = make.__wrapped__(*args, **kwargs)  # type: ignore[attr-defined]
        functools.update_wrapper(self, call)
        self.__wrapped__ = call.__wrapped__
        self._make, self._args, self._kwargs, self._call = (
            make,
            args,
            kwargs,
            call,
        )  # after what fn has under these names

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Return what the transform is of the function there."""
        return self._call(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Bind, as functions do."""
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<{self._make.__name__} of {getattr(self, '__qualname__', self.__wrapped__)}>"

    def __reduce__(self) -> Any:
        if is_found(self):
            return place_of(self)[1]
        name = self._make.__name__
        args = tuple([portable(a, name) for a in self._args])
        return _made, (self._make, args, {k: portable(v, name) for k, v in self._kwargs.items()})


def _made(make: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return make(*args, **kwargs)


class RecordedFunction(AsFunction):
    """A function that a transform returned beside a value; it holds what was recorded, and is not pickled."""

    def __init__(self, name: str, call: Callable[..., Any]) -> None:
        self._name, self._call = name, call
        functools.update_wrapper(self, call)

    def __call__(self, *args: Any) -> Any:
        """Return the product with the Jacobian."""
        return self._call(*args)

    def __reduce__(self) -> Any:
        raise PickleError(
            f"{self._name}: cannot pickle the function that it returned, which holds what was recorded at one point. "
            f"Pickle f and the point, and call {self._name} where they arrive."
        )


def transform(make: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that takes a function and returns another, so that what it returns can be pickled.

    The function ``fn`` may also be passed by PyTorch's name, ``func=``, or by JAX's, ``fun=``.
    """

    @functools.wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not args:
            kwargs = {"fn" if k in ("func", "fun") else k: v for k, v in kwargs.items()}
        try:
            return Transformed(made, args, kwargs)
        except BARE as error:
            blame(make, error, args, kwargs)
            raise

    return made


# ------------------------------------------------------------------ graphs
def written(roots: Sequence[AnyNode]) -> Any:
    """Return a graph as a flat list, oldest node first, and the places of the roots in it.

    Pickle needs no recursion for it, however deep the graph. Gradients and hooks are not part of it.
    """
    nodes = ancestors(roots)
    place = {id(n): k for k, n in enumerate(nodes)}
    return [_entry(n, place) for n in nodes], [place[id(r)] for r in roots]


def _entry(n: AnyNode, place: dict[int, int]) -> tuple[Any, ...]:
    if isinstance(n, Leaf):
        return n.value, n.shape, n.level, n.title, n.dtype, n.assumptions
    inputs = [(place[id(p)], None) if is_node(p) else (-1, p) for p in n.inputs]
    label = None if n.rule.name == n.op.label else n.rule.name
    return n.op, n.rule.active, label, inputs, n.saved, n.shape, n.level, n.fits


def read(graph: Any) -> list[AnyNode]:
    """Return the roots of a graph that was written."""
    entries, places = graph
    nodes: list[AnyNode] = []
    for entry in entries:
        nodes.append(_leaf(*entry) if len(entry) == 6 else _node(nodes, *entry))
    return [nodes[k] for k in places]


def _leaf(value: Any, shape: Any, level: int, title: Any, dtype: Any, assumptions: Any) -> Leaf:
    leaf = Leaf(value, shape, level, title, Cell())
    leaf.dtype, leaf.assumptions = dtype, assumptions
    return leaf


def _node(nodes: list[AnyNode], op: Any, active: Any, label: Any, inputs: Any, saved: Any, *rest: Any) -> Node:
    plan = op.plan(active, len(inputs), label)
    return make_node(plan, tuple([p if k < 0 else nodes[k] for k, p in inputs]), saved, *rest)
