"""The functions of printed formulas, computed with NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np


def _each(f: Callable[[float], float]) -> Callable[[Any], Any]:
    return np.vectorize(f, otypes=[float])


def softmax(x: Any) -> Any:
    """Rows that sum to 1."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def expm(x: Any) -> Any:
    """The exponential of a small matrix, by its series."""
    found, term = np.eye(len(x)), np.eye(len(x))
    for k in range(1, 60):
        term = term @ x / k
        found = found + term
    return found


def distances(x: Any, y: Any, p: int) -> Any:
    """The distances of the rows of x from those of y."""
    return (np.abs(x[:, None] - y[None]) ** p).sum(-1) ** (1 / p)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _erfcx(x: float) -> float:
    """exp(x²) erfc(x), of moderate numbers."""
    return math.exp(x * x) * math.erfc(x)


def polygamma(n: float, x: float) -> float:
    """The n-th derivative of ψ, by its series."""
    if n == 0:
        return digamma(x)
    k = np.arange(2000.0)
    n = int(n)
    tail = math.factorial(n - 1) / (x + 2000) ** n + math.factorial(n) / (2 * (x + 2000) ** (n + 1))
    return float((-1) ** (n + 1) * (math.factorial(n) * np.sum((x + k) ** -(n + 1)) + tail))


def digamma(x: float) -> float:
    """ψ(x) by recurrence and the asymptotic series."""
    found = 0.0
    while x < 12:
        found, x = found - 1 / x, x + 1
    s = 1 / (x * x)
    return found + math.log(x) - 0.5 / x - s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s / 132))))


ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh,
    "sinh": np.sinh, "cosh": np.cosh, "abs": np.abs, "Abs": np.abs, "sign": np.sign, "σ": _sigmoid,
    "sigmoid": _sigmoid, "relu": lambda x: np.maximum(x, 0), "softplus": lambda x: np.logaddexp(x, 0),
    "log1p": np.log1p, "expm1": np.expm1, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "erf": _each(math.erf), "erfc": _each(math.erfc),
    "lgamma": _each(math.lgamma), "digamma": _each(digamma), "floor": np.floor, "square": np.square,
    "Φ": _each(lambda x: math.erfc(-x / math.sqrt(2)) / 2), "atan2": np.arctan2, "remainder": np.mod,
    "logsigmoid": lambda x: -np.logaddexp(-x, 0), "polygamma": np.vectorize(polygamma, otypes=[float]),
    "φ": lambda x: np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi),
    "normal_pdf": lambda x: np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi),
    "erfcx": _each(_erfcx), "ndtr": _each(lambda x: math.erfc(-x / math.sqrt(2)) / 2),
    "clamp_min": np.maximum, "clamp_max": np.minimum,
    "clamp": lambda x, a, b: np.minimum(np.maximum(x, a), b),
}  # fmt: skip
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "tr": np.trace, "det": np.linalg.det, "sum": np.sum, "mean": np.mean,
    "logdet": lambda a: np.linalg.slogdet(a)[1],
}  # fmt: skip
DECOMPOSED: dict[str, Callable[[Any], Any]] = {
    "svd_U": lambda a: np.linalg.svd(a, full_matrices=False)[0],
    "svd_V": lambda a: np.linalg.svd(a, full_matrices=False)[2].T,
    "svdvals": lambda a: np.linalg.svd(a, compute_uv=False)[:, None],
    "eigh_V": lambda a: np.linalg.eigh(a)[1], "eigvalsh": lambda a: np.linalg.eigvalsh(a)[:, None],
    "qr_Q": lambda a: np.linalg.qr(a)[0], "qr_R": lambda a: np.linalg.qr(a)[1],
}  # fmt: skip
CONSTANTS = {
    "pi": math.pi,
    "π": math.pi,
    "E": math.e,
    "oo": math.inf,
    "inf": math.inf,
    "zoo": math.nan,
    "nan": math.nan,
    "True": True,
    "False": False,
}


def axis_of(a: Any, named: Mapping[str, Any]) -> int:
    """Return the axis that a function of rows runs along: that of a column is its first."""
    return int(named.get("axis", 0 if np.shape(a)[1] == 1 else 1))


def _logsumexp(a: Any, axis: int) -> Any:
    top = a.max(axis, keepdims=True)
    return np.log(np.exp(a - top).sum(axis, keepdims=True)) + top


# Functions of rows that keep the shape: of the entries along one axis, words behind them said.
def _reversed(words: Sequence[str], a: Any) -> Any:
    return a[::-1] if "reverse" in words else a


def _cumprod(v: Any, exclusive: bool) -> Any:
    return np.cumprod([1.0, *v[:-1]] if exclusive else v)


ALONG: dict[str, Callable[..., Any]] = {
    "softmax": lambda v, w: softmax(v),
    "log_softmax": lambda v, w: np.log(softmax(v)),
    "cumsum": lambda v, w: _reversed(w, np.cumsum(_reversed(w, v))),
    "cumprod": lambda v, w: _reversed(w, _cumprod(_reversed(w, v), "exclusive" in w)),
    "flip": lambda v, w: v[::-1],
    "onehot": lambda v, w: v,
}
REDUCED: dict[str, Callable[[Any], Any]] = {
    "max": np.max, "min": np.min, "sum": np.sum, "mean": np.mean, "std": lambda v: np.std(v, ddof=1),
    "var": np.var, "logsumexp": lambda v: _logsumexp(v, 0)[0], "amax": np.max, "amin": np.min, "prod": np.prod,
}  # fmt: skip


def compare(sign: str, a: Any, b: Any) -> Any:
    """Return where a relation holds."""
    return {">": np.greater, "<": np.less, ">=": np.greater_equal, "<=": np.less_equal, "=": np.equal}.get(
        sign, np.not_equal
    )(a, b)
