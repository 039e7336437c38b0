"""Clipping of gradients, and parameters as one vector."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from symgrad.core.modes import no_grad
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, GraphError
from symgrad.functions import cat, stack
from symgrad.ops.linalg.norms import vector_norm
from symgrad.support.arguments import check_all

__all__ = [
    "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm", "parameters_to_vector",
    "vector_to_parameters",
]  # fmt: skip


def _listed(parameters: Any) -> list[Any]:
    return [parameters] if isinstance(parameters, TensorBase) else list(parameters)


def get_total_norm(tensors: Iterable[Any], norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """Return the norm of all entries of all tensors, as if they were one vector.

    Raises:
        GraphError: if the norm is nan or infinite, with ``error_if_nonfinite=True``.

    >>> sg.nn.utils.get_total_norm([sg.tensor([3.0]), sg.tensor([4.0])])
    tensor(5.)
    """
    norms = [vector_norm(t, float(norm_type)) for t in map(as_tensor, _listed(tensors))]
    total = vector_norm(stack(norms), float(norm_type)) if norms else as_tensor(0.0)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise GraphError(
            f"The total norm of order {float(norm_type)} for gradients from `parameters` is non-finite, so it cannot "
            "be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Any) -> None:
    """Scale the gradients in place by max_norm/(total_norm + 10⁻⁶) if this factor is below 1."""
    with no_grad():
        factor = (float(max_norm) / (as_tensor(total_norm) + 1e-6)).clamp(max=1.0)
        for p in _listed(parameters):
            if p.grad is not None:
                p.grad.mul_(factor)


def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """Scale all gradients in place by one factor, so that their norm as one vector is at most max_norm.

    Args:
        parameters: a tensor, or an iterable of tensors.
        max_norm: the bound.
        norm_type: the p of the norm; ``math.inf`` for the largest entry.
        error_if_nonfinite: whether to raise an error if the norm is nan or infinite.

    Returns:
        The norm before scaling.

    >>> x = sg.tensor([3.0, 4.0], requires_grad=True)
    >>> (x**2).sum().backward()
    >>> sg.nn.utils.clip_grad_norm_(x, 1.0)
    tensor(10.)
    >>> x.grad
    tensor([0.6000, 0.8000])
    """
    these = _listed(parameters)
    with no_grad():
        total = get_total_norm([p.grad for p in these if p.grad is not None], norm_type, error_if_nonfinite)
    clip_grads_with_norm_(these, max_norm, total)
    return total


def clip_grad_value_(parameters: Any, clip_value: float) -> None:
    """Clip every entry of the gradients to [-clip_value, clip_value], in place."""
    with no_grad():
        for p in _listed(parameters):
            if p.grad is not None:
                p.grad.clamp_(min=-float(clip_value), max=float(clip_value))


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """Concatenate all parameters into one vector, through which gradients flow.

    >>> sg.nn.utils.parameters_to_vector([sg.eye(2), sg.tensor(7.0)])
    tensor([1., 0., 0., 1., 7.])
    """
    return cat([as_tensor(p).reshape(-1) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Write the entries of a vector into the parameters, in order.

    Raises:
        ArgumentError: if the numbers of entries differ.
    """
    vec, these, start = as_tensor(vec), list(parameters), 0
    wanted = sum(p.numel() for p in these)
    if wanted != vec.numel():
        raise ArgumentError(f"vector_to_parameters: got {vec.numel()} numbers for {wanted} entries of parameters.")
    with no_grad():
        for p in these:
            p.copy_(vec[start : start + p.numel()].reshape(p.shape))
            start += p.numel()


check_all(globals(), __all__)
