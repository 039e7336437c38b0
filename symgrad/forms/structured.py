"""Gradients with respect to matrices that are declared symmetric, orthogonal, …: projected, or of free entries.

The structures and their formulas are the table ``symgrad.tensors.structures``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.core.modes import enable_grad
from symgrad.core.node import AnyNode, tensor_node
from symgrad.core.promotion import is_complex
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.record import handle
from symgrad.errors import ArgumentError
from symgrad.forms.closed import ClosedForm
from symgrad.ops.map import show_shape
from symgrad.tensors.structures import STRUCTURES, Structure, structure_of

WAYS = ("ignore", "project", "free")


def _of(target: AnyNode) -> Structure | None:
    return structure_of(getattr(target, "assumptions", ()))


def check_structure(way: str, targets: Sequence[AnyNode], shape: Any, others: Any) -> None:
    """Refuse what is not a gradient with respect to a structured matrix of real numbers."""
    if way not in WAYS:
        raise ArgumentError(f"derive: structure={way!r} is unknown. Expected one of {list(WAYS)}.")
    if way == "ignore":
        return
    if others or shape != ():
        raise ArgumentError(
            f"derive: structure={way!r} is for the gradient of a scalar. Got an output of shape {show_shape(shape)}"
            f"{', and an order, notation, cotangent or tangent' if others else ''}. Leave it out."
        )
    if all(_of(t) is None for t in targets):
        raise ArgumentError(
            f"derive: structure={way!r} is for a matrix whose structure is declared, as in "
            f"sg.symbol('S', ('n', 'n'), symmetric=True). Expected one of {list(STRUCTURES)}."
        )
    if way == "free" and any(s is not None and s.free is None for s in map(_of, targets)):
        raise ArgumentError(
            "derive: structure='free': no entry of an orthogonal matrix can be chosen freely. Use structure='project'."
        )
    if any(is_complex(dtype_of(t)) for t in targets):
        raise ArgumentError(f"derive: structure={way!r} is for matrices of real numbers. Omit it.")


def structured(way: str, form: ClosedForm, target: AnyNode) -> ClosedForm:
    """Return the gradient with respect to a matrix as its structure has it; others stay as they are."""
    structure = _of(target)
    if structure is None or way == "ignore":
        return form
    derivative = form._derivative
    with enable_grad():
        g = handle(derivative.root, None)
        new = structure.project(g, handle(target, None)) if way == "project" else structure.free(g)  # type: ignore[misc]
    return ClosedForm.of(derivative._replace(root=tensor_node(new), onward=()))
