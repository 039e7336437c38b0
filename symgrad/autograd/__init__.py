"""torch.autograd's names: ``grad``, ``backward``, ``Function``, anomaly mode and the grad modes. Thin doors."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from symgrad.autograd.anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from symgrad.autograd.function import Function, once_differentiable
from symgrad.core.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from symgrad.engine import backward as _engine
from symgrad.engine.record import as_tensor, handle
from symgrad.errors import ArgumentError, GradcheckError
from symgrad.support.arguments import check_all
from symgrad.support.namespace import missing, shown
from symgrad.tensors.tensor import Tensor
from symgrad.transforms.vmap import vmap

__all__ = [
    "Function", "GradcheckError", "Variable", "backward", "detect_anomaly", "enable_grad", "forward_ad", "functional",
    "grad", "gradcheck", "gradgradcheck", "graph", "inference_mode", "is_anomaly_enabled", "no_grad",
    "once_differentiable", "set_detect_anomaly", "set_grad_enabled",
]  # fmt: skip


if TYPE_CHECKING:
    from symgrad.autograd import forward_ad, functional, graph
    from symgrad.autograd.checks import gradcheck, gradgradcheck

_LATER = {  # imported on first use
    "forward_ad": "symgrad.autograd.forward_ad",
    "functional": "symgrad.autograd.functional",
    "graph": "symgrad.autograd.graph",
    "gradcheck": "symgrad.autograd.checks",
    "gradgradcheck": "symgrad.autograd.checks",
}


if not TYPE_CHECKING:  # checkers would take every name for one that there is

    def __getattr__(name: str) -> Any:
        if name not in _LATER:
            raise missing("symgrad.autograd", name, __all__)
        module = importlib.import_module(_LATER[name])
        attribute = globals()[name] = module if module.__name__ == f"symgrad.autograd.{name}" else getattr(module, name)
        return attribute


def __dir__() -> list[str]:
    return shown(globals(), __all__)


def Variable(data: Any, requires_grad: bool = False) -> Tensor:
    """Return a tensor of the given numbers, for programs written before PyTorch 0.4.

    Args:
        data: a tensor, which is detached, or numbers.
        requires_grad: whether operations on it are recorded.

    Returns:
        A leaf. For numbers, ``sg.tensor(data, requires_grad=True)`` returns the same.

    >>> sg.autograd.Variable(sg.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """
    return as_tensor(data).detach().requires_grad_(requires_grad)  # type: ignore[no-any-return]


def _many(x: Any) -> list[Any]:
    """Return one tensor or many, or edges of the graph, as a list of tensors."""
    each = list(x) if isinstance(x, (list, Iterator)) or (isinstance(x, tuple) and not hasattr(x, "output_nr")) else [x]
    return [_end_of(t) if isinstance(t, tuple) and hasattr(t, "output_nr") else t for t in each]


def _end_of(edge: Any) -> Any:
    """Return the tensor of an edge; an edge that was made of a node has none, and needs no value."""
    return handle(edge.node, None) if edge.tensor is None else edge.tensor


def _cotangents(gradients: Any, count: int) -> list[Any]:
    return [None] * count if gradients is None else _many(gradients)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor] | Iterator[Tensor],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """Return Σ_k (∂outputs_k/∂x)ᵀ·grad_outputs_k for each x in inputs, without changing ``.grad``.

    Args:
        outputs: tensors to differentiate.
        inputs: the tensors to differentiate with respect to, which need not be leaves.
        grad_outputs: cotangents shaped like the outputs; None for scalars.
        retain_graph: whether to keep the saved values for another backward pass; by default ``create_graph``.
        create_graph: whether to record the graph of the result, for higher orders.
        only_inputs: True, as in PyTorch: the gradients of other leaves do not change.
        allow_unused: whether to return None for inputs that the outputs do not depend on, instead of raising an error.
        materialize_grads: whether to return zeros for these inputs.
        is_grads_batched: whether the cotangents have an additional first axis, along which the gradients are stacked.

    Raises:
        GraphError: if an input is not used or does not require a gradient, if an output is not a scalar and has no
            cotangent, or if the saved values have been freed.

    >>> x = sg.tensor(3.0, requires_grad=True)
    >>> (dx,) = sg.autograd.grad(x**2, x, create_graph=True)
    >>> sg.autograd.grad(dx, x)
    (tensor(2.),)
    """
    if not only_inputs:
        raise ArgumentError(
            "grad: got only_inputs=False. Call y.backward(), which accumulates into the .grad of all leaves."
        )
    if materialize_grads and allow_unused is False:
        raise ArgumentError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False. "
            "Leave allow_unused out."
        )
    ys, xs = _many(outputs), _many(inputs)
    cotangents = _cotangents(grad_outputs, len(ys))
    if is_grads_batched:
        return _batched(ys, xs, cotangents, create_graph, allow_unused, materialize_grads)
    return _engine.grad(
        ys,
        xs,
        cotangents,
        retain_graph=retain_graph,
        create_graph=create_graph,
        allow_unused=bool(allow_unused),
        materialize=materialize_grads,
    )


def _batched(
    ys: list[Any], xs: list[Any], cotangents: list[Any], create_graph: bool, allow_unused: bool | None, zeros: bool
) -> tuple[Any, ...]:
    """The gradients for each slice of the cotangents, from one mapped sweep."""
    if any(g is None for g in cotangents):
        raise ArgumentError("grad: is_grads_batched=True needs grad_outputs, a batch of cotangents of each output.")
    options: dict[str, Any] = {"retain_graph": True, "create_graph": create_graph, "allow_unused": allow_unused}
    unused: list[int] = []

    def of_slice(*gs: Any) -> Any:
        gradients = grad(ys, xs, gs, materialize_grads=zeros, **options)
        unused[:] = [k for k, g in enumerate(gradients) if g is None]
        return tuple(g for g in gradients if g is not None)

    rest = iter(vmap(of_slice)(*cotangents))
    return tuple(None if k in unused else next(rest) for k in range(len(xs)))


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Accumulate Σ_k (∂tensors_k/∂x)ᵀ·grad_tensors_k into ``.grad`` of every leaf x, or of ``inputs`` only."""
    ys = _many(tensors)
    if create_graph:
        _engine.warn_of_cycle()
    _engine.backward(
        ys,
        _cotangents(grad_tensors, len(ys)),
        retain_graph=retain_graph,
        create_graph=create_graph,
        inputs=None if inputs is None else _many(inputs),
    )


check_all(globals(), ["backward", "grad"])
