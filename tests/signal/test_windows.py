"""torch.signal.windows' and scipy.signal.windows' values, arguments and refusals."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentError

W = sg.signal.windows
OPTIONS = {"general_cosine": {"a": [0.5, 0.3, 0.2]}, "general_hamming": {"alpha": 0.6}, "gaussian": {"std": 1.5},
           "kaiser": {"beta": 3.0}, "exponential": {"tau": 2.0}}  # fmt: skip


@pytest.mark.parametrize("name", W.__all__)
@pytest.mark.parametrize("sym", [True, False])
def test_windows_are_those_of_torch_and_scipy(name, sym):
    options = OPTIONS.get(name, {})
    torch, scipy = pytest.importorskip("torch"), pytest.importorskip("scipy.signal.windows")
    for M in (0, 1, 2, 7, 8):
        ours = getattr(W, name)(M, sym=sym, **options)
        theirs = getattr(torch.signal.windows, name)(M, sym=sym, dtype=torch.float64, **options)
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), atol=1e-12)
        np.testing.assert_allclose(ours.numpy(), getattr(scipy, name)(M, sym=sym, **options), atol=1e-12)


def test_options_and_refusals():
    assert W.hann(4, dtype=sg.float32, requires_grad=True, device="cpu").dtype == np.float32
    np.testing.assert_allclose(W.gaussian(5, 1.5, True), W.gaussian(5, std=1.5))
    np.testing.assert_allclose(W.exponential(4, 1.0, sym=False), np.exp(-np.abs(np.arange(4) - 1.0)))
    with pytest.raises(ArgumentError, match="non-negative window length"):
        W.hann(-1)
    with pytest.raises(ArgumentError, match="pass sym=False"):
        W.exponential(4, center=1.0)
