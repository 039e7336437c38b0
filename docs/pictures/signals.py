"""Signals that are recovered from measurements."""

from typing import Any

import numpy as np

import symgrad as sg
from pictures import canvas


def recovered_signal() -> Any:
    """A signal, its blurred and noisy version, and the signal that gradients through sg.fft recover from it."""
    n, rng = 256, np.random.default_rng(1)
    t = np.arange(n)
    true = np.where((t > 60) & (t < 110), 1.0, 0.0) + np.where((t > 150) & (t < 200), 0.6, 0.0)
    kernel = np.exp(-0.5 * (np.minimum(t, n - t) / 6) ** 2)
    blur = np.fft.rfft(kernel / kernel.sum())
    measured = np.fft.irfft(blur * np.fft.rfft(true), n) + 0.02 * rng.normal(size=n)

    def loss(x: Any) -> Any:
        residual = sg.fft.irfft(blur * sg.fft.rfft(x), n) - measured
        return (residual**2).sum() + 0.02 * sg.sqrt((x[1:] - x[:-1]) ** 2 + 1e-6).sum()

    found = np.asarray(sg.optim.minimize(loss, measured, method="L-BFGS-B", options={"maxiter": 300}).x)
    figure, ax = canvas()
    ax.plot(t, measured, color="#808890", linewidth=1, label="measured")
    ax.plot(t, true, "--", label="true")
    ax.plot(t, found, linewidth=2, label="found")
    ax.legend()
    ax.set_title("Deconvolution with total variation, by gradients through sg.fft")
    return figure
