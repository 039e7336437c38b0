"""SciPy's sparse arrays. The one file of the package that imports SciPy."""

from __future__ import annotations

import importlib.util
from typing import Any

from symgrad.errors import MissingExtra


def require(what: str) -> None:
    """Raise MissingExtra where SciPy is not installed."""
    if importlib.util.find_spec("scipy") is None:
        raise MissingExtra(
            f"{what} returns SciPy sparse arrays, and SciPy is not installed. Run pip install 'symgrad[scipy]'."
        )


def compressed_rows(data: Any, columns: Any, starts: Any, shape: tuple[int, int]) -> Any:
    """Return a csr_array with arrays of its own."""
    from scipy.sparse import csr_array

    found = csr_array((data, columns.copy(), starts.copy()), shape=shape)
    found.has_sorted_indices = found.has_canonical_format = True
    return found
