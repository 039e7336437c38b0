"""The error of a target that cannot write something."""

from __future__ import annotations

from typing import Any

from symgrad.compiler.primitives.pairs import OnPairs
from symgrad.errors import SymgradError
from symgrad.implicit.conditions import SOLVER


class ExportError(SymgradError, NotImplementedError):
    """A target cannot write an operation, or a program of this size."""


def is_solver(op: Any) -> bool:
    """Whether an operation runs a solver, which exported source has not."""
    return getattr(op, "not_exportable", "") == SOLVER


def power_of_integers() -> ExportError:
    """The error for a power of integers by computed ones, where a target gives numbers for negative exponents."""
    return ExportError(
        "export: only the target 'numpy' refuses negative integer powers of integers when it runs. Write a power of "
        "floats, as in 2.0**x."
    )


def unsupported(op: Any, target: str) -> ExportError:
    """The error for an operation that a target has no words for."""
    inner = op.op if isinstance(op, OnPairs) else op
    label = inner if isinstance(inner, str) else type(inner).__name__
    if is_solver(inner):
        return ExportError(
            f"export: no target writes {label}, as exported source has no solver in it. Export the formula of the "
            "derivative, sg.derive(x, theta): its source takes the answer x as an argument."
        )
    reason = getattr(inner, "not_exportable", "")
    return ExportError(
        f"export: the target {target!r} cannot write the operation {label}{reason and f' ({reason})'}. The table in "
        "docs/export.md says which targets can."
    )
