"""torch.autograd's names: ``grad``, ``backward``, ``Function``, anomaly mode and the grad modes. Thin doors."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from symgrad.autograd.anomaly import detect_anomaly, is_anomaly_enabled, set_detect_anomaly
from symgrad.autograd.function import Function, once_differentiable
from symgrad.core.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from symgrad.engine import backward as _engine
from symgrad.errors import ArgumentError, GradcheckError
from symgrad.support.arguments import check_all
from symgrad.support.namespace import missing, shown
from symgrad.tensors.tensor import Tensor

__all__ = [
    "Function", "GradcheckError", "backward", "detect_anomaly", "enable_grad", "functional", "grad", "gradcheck",
    "gradgradcheck", "inference_mode", "is_anomaly_enabled", "no_grad", "once_differentiable", "set_detect_anomaly",
    "set_grad_enabled",
]  # fmt: skip


if TYPE_CHECKING:
    from symgrad.autograd import functional
    from symgrad.autograd.checks import gradcheck, gradgradcheck

_LATER = {  # imported when asked for
    "functional": "symgrad.autograd.functional",
    "gradcheck": "symgrad.autograd.checks",
    "gradgradcheck": "symgrad.autograd.checks",
}


if not TYPE_CHECKING:  # checkers would take every name for one that there is

    def __getattr__(name: str) -> Any:
        if name not in _LATER:
            raise missing("symgrad.autograd", name, __all__)
        module = importlib.import_module(_LATER[name])
        attribute = globals()[name] = module if name == "functional" else getattr(module, name)
        return attribute


def __dir__() -> list[str]:
    return shown(globals(), __all__)


def _many(x: Any) -> list[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]


def _cotangents(gradients: Any, count: int) -> list[Any]:
    return [None] * count if gradients is None else _many(gradients)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """Return Σ_k (∂outputs_k/∂x)ᵀ·grad_outputs_k for each x in inputs; ``.grad`` stays as it is.

    Args:
        outputs: tensors to differentiate.
        inputs: tensors to differentiate by, leaves or not.
        grad_outputs: cotangents shaped like the outputs; None for scalars.
        retain_graph: keep the saved values for another sweep; default ``create_graph``.
        create_graph: give the result a graph of its own, for higher orders.
        allow_unused: return None for inputs that the outputs do not depend on, instead of raising.
        materialize_grads: return zeros for them.

    Raises:
        GraphError: an input was not used or does not require grad, an output is no scalar and has no
            cotangent, or the saved values are freed.

    >>> x = sg.tensor(3.0, requires_grad=True)
    >>> (dx,) = sg.autograd.grad(x**2, x, create_graph=True)
    >>> sg.autograd.grad(dx, x)
    (tensor(2.),)
    """
    if materialize_grads and allow_unused is False:
        raise ArgumentError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False. "
            "Leave allow_unused out."
        )
    ys, xs = _many(outputs), _many(inputs)
    return _engine.grad(
        ys,
        xs,
        _cotangents(grad_outputs, len(ys)),
        retain_graph=retain_graph,
        create_graph=create_graph,
        allow_unused=bool(allow_unused),
        materialize=materialize_grads,
    )


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
