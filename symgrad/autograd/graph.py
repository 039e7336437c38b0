"""torch.autograd.graph's names: nodes, edges of the graph, and hooks of several gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from symgrad.core.hooks import at_end_of_sweep
from symgrad.core.node import Node
from symgrad.engine.record import handle
from symgrad.engine.saving import disable_saved_tensors_hooks, saved_tensors_hooks
from symgrad.errors import ArgumentError, GraphError
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace
from symgrad.tensors.tensor import Tensor

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "get_gradient_edge",
    "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks",
]  # fmt: skip


class GradientEdge(NamedTuple):
    """An edge of the graph, which ``autograd.grad`` accepts like a tensor: the node, the result's index, the tensor."""

    node: Any
    output_nr: int
    tensor: Any = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return the edge along which the gradient of a tensor arrives.

    Raises:
        GraphError: if the tensor does not require grad.

    >>> x = sg.tensor(3.0, requires_grad=True)
    >>> sg.autograd.grad(sg.autograd.graph.get_gradient_edge(x**2), x)
    (tensor(6.),)
    """
    if not tensor.requires_grad:
        raise GraphError("It is not possible to get the gradient edge for a Tensor that does not require gradients.")
    return GradientEdge(tensor._node, 0, handle(tensor._node, tensor._value))  # as it is now: tensor may be changed


class _Gradients:
    """The gradients of some tensors that one backward computes, and the hook that is shown them."""

    def __init__(self, tensors: Sequence[Tensor], fn: Callable[..., Any], mode: str) -> None:
        self.fn, self.mode, self.count = fn, mode, len(tensors)
        self.handles = [t.register_hook(self._at(k)) for k, t in enumerate(tensors)]
        self.seen: dict[int, Any] = {}

    def _at(self, k: int) -> Callable[[Any], None]:
        def hook(gradient: Any) -> None:
            if not self.seen:
                at_end_of_sweep(self._end)
                if self.mode == "any":
                    self.fn(gradient)
            self.seen[k] = gradient

        return hook

    def _end(self) -> None:
        seen, self.seen = self.seen, {}
        if self.mode == "all":
            self.fn([seen.get(k) for k in range(self.count)])

    def remove(self) -> None:
        """Remove the hook."""
        for registered in self.handles:
            registered.remove()

    def __enter__(self) -> _Gradients:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all") -> _Gradients:
    """Call ``fn`` once in each backward pass that computes gradients of some of these tensors.

    Args:
        tensors: tensors that require grad.
        fn: with "all", it is called at the end of the backward pass with the list of their gradients, None if there
            is none; with "any", it is called with the first gradient that is computed.
        mode: "all" or "any".

    Raises:
        ArgumentError: if the mode is unknown.
        GraphError: if a tensor does not require grad.
    """
    if mode not in ("all", "any"):
        raise ArgumentError(f"Expects mode to be one of ('all', 'any') but got {mode}.")
    return _Gradients(tensors, fn, mode)


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[None]:
    """Do nothing: tensors are values, so saved values are never overwritten."""
    yield


@contextmanager
def save_on_cpu(pin_memory: bool = False, device_type: str = "cpu") -> Iterator[None]:
    """Do nothing: saved values are in the memory of the CPU."""
    yield


__getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__)
