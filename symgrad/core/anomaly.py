"""Anomaly mode: what a sweep must check while it is on, and where each operation was recorded.

The state is of the process, as in PyTorch.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from symgrad.core.hooks import LIVE
from symgrad.errors import GraphError

if TYPE_CHECKING:
    import traceback

_KEY = -1  # no id of an object
_HOME = str(Path(__file__).parents[1])
_UNKNOWN = "No forward pass information available. Enable detect anomaly during forward pass for more information."


class AnomalyState(NamedTuple):
    """Whether the mode is on, and whether cotangents are searched for nan."""

    on: bool = False
    check_nan: bool = True


_state = AnomalyState()


def state() -> AnomalyState:
    """Return the state."""
    return _state


def switch(new: AnomalyState) -> None:
    """Set the state; while the mode is on, sweeps look at every node."""
    global _state
    _state = new
    if new.on:
        LIVE[_KEY] = None
    else:
        LIVE.pop(_KEY, None)


def _tracebacks() -> Any:
    """Python's module of tracebacks, which is imported where one is wanted: others start sooner."""
    import traceback

    return traceback


def here() -> list[traceback.FrameSummary]:
    """Return the calls that led here, without those inside symgrad."""
    tracebacks = _tracebacks()
    stack = tracebacks.StackSummary.extract(tracebacks.walk_stack(sys._getframe(1)), lookup_lines=False)
    return [f for f in reversed(stack) if not f.filename.startswith(_HOME)]


def report(node: Any, stacklevel: int) -> None:
    """Warn, as PyTorch does, of the operation whose rule failed, and show where it was recorded."""
    origin = getattr(node, "origin", None)
    text = _UNKNOWN if origin is None else (
        f"Traceback of forward call that caused the error:\n{''.join(_tracebacks().format_list(origin))}"
    )  # fmt: skip
    warnings.warn(f"Error detected in {node.name()}. {text}", UserWarning, stacklevel=stacklevel)


def check(node: Any, pulled: Any) -> None:
    """Refuse cotangents with nan, where nan is looked for."""
    if not _state.check_nan:
        return
    for i, d in zip(node.rule.active, pulled):
        value = getattr(d, "_value", d)
        if isinstance(value, (float, np.ndarray, np.generic)) and np.isnan(value).any():
            raise GraphError(f"Function '{node.name()}' returned nan values in its {i}th output. {_place(node)}")


def _place(node: Any) -> str:
    origin = getattr(node, "origin", None)
    if not origin:
        return _UNKNOWN
    return f"It was recorded in {origin[-1].filename}, line {origin[-1].lineno}: {origin[-1].line}"
