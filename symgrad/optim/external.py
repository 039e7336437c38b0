"""SciPy, where it is installed. The one file of this package that imports it."""

from __future__ import annotations

import importlib.util
from typing import Any

from symgrad.errors import MissingExtra


def scipy_optimize(what: str) -> Any:
    """Return ``scipy.optimize``; raise MissingExtra where SciPy is not installed."""
    if importlib.util.find_spec("scipy") is None:
        raise MissingExtra(f"{what} calls SciPy, which is not installed. Run pip install 'symgrad[scipy]'.")
    from scipy import optimize

    return optimize
