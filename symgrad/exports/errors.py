"""The error of a target that cannot write something."""

from __future__ import annotations

from typing import Any

from symgrad.compiler.primitives.pairs import OnPairs
from symgrad.errors import SymgradError


class ExportError(SymgradError, NotImplementedError):
    """A target cannot write an operation, or a program of this size."""


def unsupported(op: Any, target: str) -> ExportError:
    """The error for an operation that a target has no words for."""
    inner = op.op if isinstance(op, OnPairs) else op
    label = inner if isinstance(inner, str) else type(inner).__name__
    return ExportError(
        f"export: the target {target!r} cannot write the operation {label}. Another target may: see the table in "
        "docs/export.md."
    )
