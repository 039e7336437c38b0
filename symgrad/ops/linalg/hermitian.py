"""The Hermitian adjoint Xᴴ, which of real matrices is the transpose, and what singular and eigenvectors leave open.

Rules carry cotangents without conjugation, dL = Re Σ g dy. Where the rule of real matrices transposes a linear map,
that of complex ones does the same; where it uses that a matrix is orthogonal or symmetric, it has the adjoint.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.core.promotion import is_complex
from symgrad.errors import LinAlgError
from symgrad.ops.contract import mT
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.map import SUB


def mH(x: Any) -> Any:
    """Xᴴ; of real matrices a transpose and nothing else."""
    return conj(mT(x))


def skew(x: Any) -> Any:
    """X - Xᴴ."""
    return SUB(x, mH(x))


_TOLERANCE = 1e-2  # PyTorch's


def check_phases(message: str, turned: Any) -> None:
    """Refuse a loss that depends on the phases of vectors: then diag(Vᴴ V̄) is not real. Letters are not read."""
    values = getattr(turned, "_value", turned)
    if not isinstance(values, np.ndarray) or not is_complex(values.dtype):
        return
    slope = np.abs(np.diagonal(values, 0, -2, -1).imag)
    rounding = 1e-5 * np.abs(values).max(initial=0.0)
    if np.any(slope > _TOLERANCE + rounding):
        raise LinAlgError(
            f"{message} Compute what does not change with it, such as abs(v) or v vᴴ, or fix the phase in the program."
        )
