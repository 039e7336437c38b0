"""A call of a compiled function as one node of the graph, whose derivative is a compiled function again.

Imports trees, record and the transforms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from symgrad.compiler import trees
from symgrad.func import vjp
from symgrad.graph import Shape
from symgrad.kernels import canonical
from symgrad.ops.protocol import Op
from symgrad.record import Core, apply, as_tensor


class Call(Op):
    """Result number ``which`` of a compiled function of arrays."""

    name = "Compiled"
    saves = "x"

    def __init__(self, compiled: Any, tree: trees.Tree, which: int) -> None:
        self.compiled, self.tree, self.which = compiled, tree, which

    def flat(self, *leaves: Any) -> Any:
        """The function of its arrays, returning the one result."""
        args, kwargs = trees.unflatten(self.tree, iter(leaves))
        found: list[Any] = []
        trees.flatten(self.compiled._original()(*args, **kwargs), _is_result, found)
        return found[self.which]

    def forward(self, *xs: Any) -> Any:
        """Run the kernel."""
        args, kwargs = trees.unflatten(self.tree, iter(xs))
        found: list[Any] = []
        trees.flatten(self.compiled(*args, **kwargs), _is_result, found)
        return canonical(found[self.which])

    def out_shape(self, *shapes: Shape) -> Shape:
        """Known once the function has run."""
        raise NotImplementedError("a compiled function has no shape rule; it is traced instead")

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        """Run the compiled pullback."""
        return _pullback(self)(g, *xs)[i]


@lru_cache(maxsize=256)
def _pullback(call: Call) -> Any:
    def pull(g: Any, *xs: Any) -> Any:
        return vjp(call.flat, *xs)[1](g)

    return type(call.compiled)(pull, call.compiled.backend, ())


def _is_result(x: Any) -> bool:
    return not isinstance(x, (dict, list, tuple)) and (isinstance(x, Core) or hasattr(x, "dtype") or type(x) is float)


def record_call(compiled: Any, tree: trees.Tree, results: trees.Tree, leaves: Sequence[Any]) -> Any:
    """Apply a compiled function to tensors that require grad."""
    tensors = [as_tensor(x) for x in leaves]
    ys = [apply(Call(compiled, tree, k), tensors) for k in range(_count(results))]
    return trees.unflatten(results, iter(ys))


def _count(tree: trees.Tree) -> int:
    if isinstance(tree, trees.Leaf):
        return 1
    return sum(map(_count, getattr(tree, "parts", ())))
