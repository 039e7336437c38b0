"""What sources in plain Python call where C has a function: ``math``'s, with nan and ∞ in place of exceptions."""

from __future__ import annotations

import math
import struct


def div(a: float, b: float) -> float:
    """a/b, also by 0."""
    if b != 0.0:
        return a / b
    return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def sqrt(x: float) -> float:
    """√x, nan below 0."""
    return math.sqrt(x) if x >= 0.0 else math.nan


def exp(x: float) -> float:
    """Return the exponential eˣ."""
    return math.inf if x > 709.782712893384 else math.exp(x)


def exp2(x: float) -> float:
    """Return the power 2ˣ."""
    return math.inf if x >= 1024.0 else math.pow(2.0, x)


def expm1(x: float) -> float:
    """eˣ - 1."""
    return math.inf if x > 709.782712893384 else math.expm1(x)


def log(x: float) -> float:
    """log x, -∞ at 0, nan below."""
    return math.log(x) if x > 0.0 else -math.inf if x == 0.0 else math.nan


def log1p(x: float) -> float:
    """log(1 + x)."""
    return math.log1p(x) if x > -1.0 else -math.inf if x == -1.0 else math.nan


def log2(x: float) -> float:
    """Return log₂ x."""
    return math.log2(x) if x > 0.0 else -math.inf if x == 0.0 else math.nan


def log10(x: float) -> float:
    """Return log₁₀ x."""
    return math.log10(x) if x > 0.0 else -math.inf if x == 0.0 else math.nan


def sin(x: float) -> float:
    """Return sin x."""
    return math.sin(x) if math.isfinite(x) else math.nan


def cos(x: float) -> float:
    """Return cos x."""
    return math.cos(x) if math.isfinite(x) else math.nan


def tan(x: float) -> float:
    """Return tan x."""
    return math.tan(x) if math.isfinite(x) else math.nan


def asin(x: float) -> float:
    """Return arcsin x."""
    return math.asin(x) if -1.0 <= x <= 1.0 else math.nan


def acos(x: float) -> float:
    """Return arccos x."""
    return math.acos(x) if -1.0 <= x <= 1.0 else math.nan


def sinh(x: float) -> float:
    """Return sinh x."""
    return math.sinh(x) if not abs(x) > 710.0 else math.copysign(math.inf, x)


def cosh(x: float) -> float:
    """Return cosh x."""
    return math.cosh(x) if not abs(x) > 710.0 else math.inf


def acosh(x: float) -> float:
    """Return arcosh x."""
    return math.acosh(x) if x >= 1.0 else math.nan


def atanh(x: float) -> float:
    """Return artanh x."""
    return math.atanh(x) if -1.0 < x < 1.0 else math.copysign(math.inf, x) if abs(x) == 1.0 else math.nan


def pow(x: float, p: float) -> float:
    """Return the power xᵖ."""
    try:
        return math.pow(x, p)
    except OverflowError:
        return -math.inf if x < 0.0 and math.fmod(p, 2.0) != 0.0 else math.inf
    except ValueError:
        return math.inf if x == 0.0 else math.nan


def fmod(a: float, b: float) -> float:
    """a - b trunc(a/b)."""
    return math.fmod(a, b) if math.isfinite(a) and b != 0.0 else math.nan


def floor(x: float) -> float:
    """Return the floor ⌊x⌋."""
    return float(math.floor(x)) if math.isfinite(x) else x


def ceil(x: float) -> float:
    """Return the ceiling ⌈x⌉."""
    return float(math.ceil(x)) if math.isfinite(x) else x


def trunc(x: float) -> float:
    """x without its fraction."""
    return float(math.trunc(x)) if math.isfinite(x) else x


def lgamma(x: float) -> float:
    """log |Γ(x)|, ∞ at the poles."""
    if math.isinf(x) or x > 2.5563e305 or (x <= 0.0 and math.floor(x) == x):
        return math.inf
    return math.lgamma(x)


def tgamma(x: float) -> float:
    """Return the gamma function Γ(x), nan at its poles apart from ±0."""
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.copysign(math.inf, x) if x == 0.0 else math.nan


def fmax(a: float, b: float) -> float:
    """The larger number that is not nan."""
    return b if a != a or b > a else a


def fmin(a: float, b: float) -> float:
    """The smaller number that is not nan."""
    return b if a != a or b < a else a


def single(x: float) -> float:
    """x rounded to single precision."""
    try:
        return float(struct.unpack("f", struct.pack("f", x))[0])
    except OverflowError:
        return math.copysign(math.inf, x)


def nested(flat: list[float], shape: tuple[int, ...]) -> list[object]:
    """The entries as lists in lists."""
    if len(shape) == 1:
        return list(flat)
    size = math.prod(shape[1:])
    return [nested(flat[k * size : (k + 1) * size], shape[1:]) for k in range(shape[0])]
