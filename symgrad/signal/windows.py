"""``sg.signal.windows``: torch.signal.windows' names, which are scipy.signal.windows' too."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.core.device import placed
from symgrad.core.modes import get_default_dtype
from symgrad.errors import ArgumentError
from symgrad.ops.signal import spectra
from symgrad.support.namespace import namespace
from symgrad.tensors.creation import tensor
from symgrad.tensors.tensor import Tensor

Window = Callable[..., Tensor]
_DOC = """Return the window {0}

    Args:
        M: how many entries, at least 0.{1}
        sym: whether the window is symmetric, and N = M - 1; else it can be repeated, and N = M.
        dtype, requires_grad, device: as in ``sg.tensor``.

    Returns:
        A tensor (M,).

    >>> sg.signal.windows.{2}(1{3})
    tensor([1.])
    """


def _positions(M: int, sym: bool) -> tuple[Any, int]:
    """Return j = 0, …, M - 1 and N."""
    return np.arange(M), M - 1 if sym else M


def _exponential(M: int, sym: bool, center: float | None, tau: float) -> Any:
    j, last = _positions(M, sym)
    if center is not None and sym:
        raise ArgumentError(f"exponential: got center={center} with sym=True. Expected one of them: pass sym=False.")
    return np.exp(-np.abs(j - (last / 2 if center is None else center)) / tau)


def _gaussian(M: int, sym: bool, std: float) -> Any:
    j, last = _positions(M, sym)
    return np.exp(-((j - last / 2) ** 2) / (2 * std**2))


def _cosine(M: int, sym: bool) -> Any:
    j, last = _positions(M, sym)
    return np.sin(np.pi * (j + 0.5) / (last + 1))


def _sums(*terms: float) -> Callable[[int, bool], Any]:
    return lambda M, sym: spectra.cosines(M, not sym, terms)


# The entries of each, its words, and its options with their meaning and default; ``...`` stands for none.
_ROWS: dict[str, tuple[Callable[..., Any], str, dict[str, tuple[str, Any]]]] = {
    "bartlett": (lambda M, sym: spectra.triangle(M, not sym), "w_j = 1 − |2j/N − 1|.", {}),
    "blackman": (_sums(0.42, 0.5, 0.08), "w_j = 0.42 − 0.5 cos(2πj/N) + 0.08 cos(4πj/N).", {}),
    "cosine": (_cosine, "w_j = sin(π (j + ½)/(N + 1)).", {}),
    "exponential": (_exponential, "w_j = exp(−|j − c|/τ).", {
        "center": ("c, for windows that are not symmetric; by default N/2", None), "tau": ("τ > 0", 1.0)}),
    "gaussian": (_gaussian, "w_j = exp(−(j − N/2)²/(2σ²)).", {"std": ("σ > 0", 1.0)}),
    "general_cosine": (lambda M, sym, a: spectra.cosines(M, not sym, tuple(a)), "w_j = Σ_k (−1)ᵏ a_k cos(2πkj/N).", {
        "a": ("the numbers a_k", ...)}),
    "general_hamming": (lambda M, sym, alpha: spectra.cosines(M, not sym, (alpha, 1 - alpha)),
                        "w_j = α − (1 − α) cos(2πj/N).", {"alpha": ("α", 0.54)}),
    "hamming": (_sums(0.54, 0.46), "w_j = 0.54 − 0.46 cos(2πj/N).", {}),
    "hann": (_sums(0.5, 0.5), "w_j = ½ − ½ cos(2πj/N).", {}),
    "kaiser": (lambda M, sym, beta: spectra.kaiser(M, not sym, beta), "w_j = I₀(β √(1 − (2j/N − 1)²))/I₀(β).", {
        "beta": ("β ≥ 0", 12.0)}),
    "nuttall": (_sums(0.3635819, 0.4891775, 0.1365995, 0.0106411),
                "w_j = Σ_k (−1)ᵏ a_k cos(2πkj/N) with Nuttall's four numbers a_k.", {}),
}  # fmt: skip


def _window(name: str) -> Window:
    entries, words, options = _ROWS[name]

    def call(M: int, *given: Any, sym: bool = True, dtype: Any = None, requires_grad: bool = False) -> Tensor:
        if M < 0:
            raise ArgumentError(f"{name} requires non-negative window length, got M={M}. Pass 0 or more.")
        values = entries(M, sym, *given) if M != 1 else np.ones(1)
        return tensor(values, dtype=get_default_dtype() if dtype is None else dtype, requires_grad=requires_grad)

    def taken(*args: Any, **kwargs: Any) -> Tensor:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        rest = {k: v for k, v in bound.arguments.items() if k not in ("M", "device", *options)}
        return call(bound.arguments["M"], *[bound.arguments[k] for k in options], **rest)

    kind = inspect.Parameter
    signature = inspect.Signature(
        [kind("M", kind.POSITIONAL_OR_KEYWORD, annotation=int)]
        + [kind(k, kind.POSITIONAL_OR_KEYWORD, default=kind.empty if d is ... else d, annotation=Any)
           for k, (_, d) in options.items()]
        + [kind("sym", kind.POSITIONAL_OR_KEYWORD, default=True, annotation=bool)]
        + [kind(k, kind.KEYWORD_ONLY, default=d, annotation=Any)
           for k, d in (("dtype", None), ("requires_grad", False), ("device", None))],
        return_annotation=Tensor,
    )  # fmt: skip
    taken.__name__ = taken.__qualname__ = name
    listed = "".join(f"\n        {k}: {meaning}." for k, (meaning, _) in options.items())
    taken.__doc__ = _DOC.format(words, listed, name, ", [1.0]" if name == "general_cosine" else "")
    taken.__signature__ = signature  # type: ignore[attr-defined]
    return placed(taken)


WINDOWS: dict[str, Window] = {name: _window(name) for name in _ROWS}
globals().update(WINDOWS)
__all__: Sequence[str] = list(WINDOWS)
__getattr__, __dir__ = namespace(globals(), __all__)
