"""What the tests over the table share: a case as a function of symgrad tensors, weights, and comparison."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from table import Case

import symgrad as sg

BACKENDS = ["python", "numpy", "llvm"]  # of sg.compile


def every(cases: Sequence[Case]) -> Any:
    """Run a test for each of the cases, as its argument ``case``."""
    return pytest.mark.parametrize("case", cases, ids=str)


def number(case: Case) -> Callable[..., Any]:
    """The row as a function of its free inputs, on symgrad tensors."""
    return case.function(sg, sg.as_tensor)


def weighed(case: Case) -> Callable[..., Any]:
    """Σ u y, u fixed, as a function of the free inputs: a scalar whose gradient sees every output."""
    f = number(case)

    def total(*xs: Any) -> Any:
        y = f(*xs)
        return (y * random(case, "u", y.shape)).sum()

    return total


def leaves_of(case: Case) -> list[Any]:
    """The free inputs as named leaves."""
    return [sg.tensor(x, requires_grad=True, name=f"x{k}") for k, x in enumerate(case.points)]


def random(case: Case, what: str, shape: tuple[int, ...]) -> Any:
    """Numbers to weigh outputs or tangents with; the same in every run."""
    return np.random.default_rng(zlib.crc32(f"{case} {what}".encode())).uniform(-1, 1, shape)


def close(found: Any, expected: Any, rtol: float) -> None:
    """Assert equal shapes, and entries equal to ``rtol`` of the largest, but at least of 1."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    finite = expected[np.isfinite(expected)]
    scale = max(1.0, float(np.max(np.abs(finite), initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * scale)
