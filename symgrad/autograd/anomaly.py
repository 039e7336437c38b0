"""``detect_anomaly``: a backward that fails or finds nan names the operation and shows the line that recorded it."""

from __future__ import annotations

import warnings
from typing import Any

from symgrad.core import anomaly
from symgrad.core.anomaly import AnomalyState
from symgrad.engine import record

__all__ = ["detect_anomaly", "is_anomaly_enabled", "set_detect_anomaly"]


def _switch(state: AnomalyState) -> None:
    anomaly.switch(state)
    record.watch_nodes("origins", _note_origin if state.on else None)


def _note_origin(node: Any) -> None:
    node.origin = anomaly.here()


class _Mode:
    """Switches the mode back at the end of a ``with`` block."""

    def __init__(self) -> None:
        self._before = anomaly.state()

    def __exit__(self, *error: object) -> None:
        _switch(self._before)


class detect_anomaly(_Mode):
    """Record where operations are called inside the block, and check for nan in backward passes.

    If a rule raises an error or returns nan, the error shows the lines that recorded its operation. The mode applies to
    all threads, and makes programs slower, so use it only to find an error.

    Args:
        check_nan: whether a gradient with nan is an error.

    Raises:
        GraphError: from ``backward``, with the operation's name.
    """

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__()
        self._check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            UserWarning,
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self._before = anomaly.state()
        _switch(AnomalyState(True, self._check_nan))


class set_detect_anomaly(_Mode):
    """Enable or disable anomaly detection, immediately, or inside a ``with`` block."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        super().__init__()
        _switch(AnomalyState(bool(mode), check_nan))

    def __enter__(self) -> None:
        """Nothing: the mode is on already."""


def is_anomaly_enabled() -> bool:
    """Return whether anomaly mode is on."""
    return anomaly.state().on
