"""erf, erfc, erfcx, and the normal distribution's Φ and log Φ."""

from __future__ import annotations

import math

from symgrad.compiler.backends.llvm.math.builder import (
    Value,
    clip,
    copysign,
    fma,
    horner,
    magnitude,
    power_of_two,
    select,
)
from symgrad.compiler.backends.llvm.math.exponential import exp_reduced, expm1_reduced, reduce, scale
from symgrad.compiler.backends.llvm.math.logarithms import log_of_sum, two_sum

# erf x = x + x P(x²) on |x| <= 1, to 2^-57 (2^-30); minimax as in exponential.py
ERF = {
    "f64": (
        0.12837916709551256, -0.37612638903183543, 0.11283791670945158, -0.02686617064326007, 0.005223977607285171,
        -0.000854832598281977, 0.00012055295108130111, -1.4924740465988e-05, 1.6447464545570146e-06,
        -1.6208759410088684e-07, 1.372113572040638e-08, -7.797684437377906e-10,
    ),
    "f32": (
        0.12837916590620607, -0.3761262707092266, 0.1128359929718749, -0.02685440206509426, 0.005189443750076348,
        -0.0008019942627031742, 7.885843500528492e-05,
    ),
}  # fmt: skip

# erf x = 1 - exp(-P(x)) on 1 <= x <= 5.93 (3.95), to 2^-57 (2^-29)
ERF_FAR = {
    "f64": (
        5.098227371157359e-07, 1.1283740234797823, 0.6366439179935712, 0.10270265470353289, -0.018988712692991443,
        -0.0004126334464147045, 0.0019180230609569028, -0.0007723129581645883, 0.00013610103818844526,
        1.9745615053928203e-05, -2.261887248082398e-05, 8.604809550106627e-06, -2.12089995178933e-06,
        3.706492596329921e-07, -4.607419597682631e-08, 3.902665805431294e-09, -2.0273379312397736e-10,
        4.883040553691225e-12,
    ),
    "f32": (
        0.0003516322830964076, 1.1270481888583448, 0.6382126647539795, 0.10304822268414356, -0.021810304924268106,
        0.0029408030051387207, -0.00018569085635030351,
    ),
}  # fmt: skip

# (1 + 2x) exp(x²) erfc x = SHIFT + P((x - 3)/(x + 3)) on x >= 0.75, to 2^-55 (2^-27)
SHIFT = 1.203125
ERFC = {
    "f64": (
        0.04988305826972967, -0.1356211061245817, -0.04756229435345938, 0.12964515870282883, -0.11927366341473943,
        0.06830802734114955, -0.023770514932662454, 0.0025293918723301324, 0.001888690524803045,
        -0.0007798329035540989, -0.00010516081378627098, 0.00012510362874252077, 4.9524171581973095e-06,
        -2.0118326133998364e-05, -7.321699936744382e-07, 3.5163531926081247e-06, 3.3726427350108217e-07,
        -6.751486271146402e-07, -9.091660930272929e-08, 1.3146772742186858e-07, -3.777249768217895e-09,
        -7.865025757934262e-09,
    ),
    "f32": (
        0.04988305614245256, -0.13562118518425426, -0.047562040491324765, 0.1296476783226289, -0.1192793122668393,
        0.06828735336052423, -0.023723809687275197, 0.002582644836303012, 0.0017291397449243438,
        -0.0007754029914746128, 8.604163803688764e-05,
    ),
}  # fmt: skip

_FROM = 0.75  # from which |x| on
_TO = {"f64": 27.4, "f32": 10.2}  # beyond, erfc is 0 or 2, and exp x² is ∞
_LARGEST = {"f64": 1.7976931348623157e308, "f32": 3.4028234663852886e38}
_FAR = 1e15  # beyond, log erfcx x is nothing beside x²
# 1/√2 in two parts
_HALF_ROOT = {"f64": (0.7071067811865476, -4.833646656726457e-17), "f32": (0.7071067690849304, 1.210161710447897e-08)}


def erf(x: Value) -> Value:
    """2/√π ∫₀ˣ exp(-t²) dt."""
    a = magnitude(x)
    near = fma(a, horner(a * a, ERF[x.kind.name]), a)
    exponent = -horner(clip(a, high={"f64": 5.93, "f32": 3.95}[x.kind.name]), ERF_FAR[x.kind.name])
    n, r, _ = reduce(exponent)
    far = 1.0 - exp_reduced(r) * power_of_two(n)
    return copysign(select(a > 1.0, far, near), x)


def erfc(x: Value) -> Value:
    """1 - erf x, relatively accurate down to its underflow near 27 (10 in float32)."""
    return _complement(x, x.constant(0.0))


def ndtr(x: Value) -> Value:
    """Φ(x) = erfc(-x/√2)/2, relatively accurate down to its underflow near -38 (-14 in float32)."""
    most = _TO[x.kind.name] * math.sqrt(2)
    return _complement(*_over_root2(clip(-x, -most, most))) * 0.5


def erfcx(x: Value) -> Value:
    """Return exp(x²) erfc x: left of -0.75 it is 2 exp(x²) less the value at -x."""
    a = magnitude(x)
    tail = _scaled_tail(a)
    near_axis = clip(a, high=_TO[x.kind.name])
    s = near_axis * near_axis
    n, r, _ = reduce(s)
    v = expm1_reduced(r + fma(near_axis, near_axis, -s))
    left = scale(v + 1.0, n + 1.0) - tail
    near = (v + 1.0) * power_of_two(clip(n, high=1.0)) * _near(x)
    return select(a < _FROM, near, select(x < 0.0, left, tail))


def log_ndtr(x: Value) -> Value:
    """log Φ(x) = log(1/2 + erf(z)/2) = log(1 - erfc(z)/2) = log(erfcx(-z)/2) - x²/2 with z = x/√2.

    The first is for |z| < 0.75, the second on the right, where erfc is small, the third on the left.
    """
    z, lost = _over_root2(x)
    a = magnitude(z)
    near, left = a < _FROM, x < 0.0
    scaled = _scaled_tail(clip(a, high=_FAR)) * 0.5
    tail = _tail(*_over_root2(clip(magnitude(x), high=_TO[x.kind.name] * math.sqrt(2)))) * 0.5
    first = select(near, 0.5, x.constant(1.0))
    curve = z * horner(z * z, ERF[x.kind.name])
    erf_z = z + curve
    lost = curve - (erf_z - z) + lost  # nearly, as the slope of erf is near 1
    u, rest = two_sum(first, select(near, erf_z * 0.5, -tail))
    rest = select(near, fma(lost, 0.5, rest), rest)
    outside = near.negated().both(left)
    y = log_of_sum(select(outside, scaled, u), select(outside, 0.0, rest))
    return -magnitude(fma(select(outside, x * -0.5, x.constant(0.0)), select(outside, x, y.constant(0.0)), y))


def _complement(x: Value, lost: Value) -> Value:
    """erfc(x + lost), where lost is what x lost in rounding."""
    a = magnitude(x)
    tail = _tail(clip(a, high=_TO[x.kind.name]), select(x < 0.0, -lost, lost))
    return select(a > _FROM, select(x < 0.0, 2.0 - tail, tail), _near(x))


def _near(x: Value) -> Value:
    """erfc x of |x| <= 0.75."""
    return 0.5 - ((x - 0.5) + x * horner(x * x, ERF[x.kind.name]))


def _over_root2(x: Value) -> tuple[Value, Value]:
    """x/√2, and what it loses in rounding."""
    high, low = _HALF_ROOT[x.kind.name]
    z = x * high
    return z, fma(x, low, fma(x, high, -z))


def _tail(x: Value, rest: Value) -> Value:
    """erfc(x + rest) of x >= 0.75, rest below a unit of x: its logarithm has nearly the slope -2x."""
    s = x * x
    w, p, lost = _ratio(x)
    n, r, _ = reduce(-s)
    v = expm1_reduced(r - fma(x + x, rest, fma(x, x, -s) - lost))
    # exp r (SHIFT + p) with one large rounding, the last
    return scale((fma(v, p + SHIFT, p) + SHIFT) * w, n)


def _scaled_tail(x: Value) -> Value:
    """exp(x²) erfc x of x >= 0.75."""
    w, p, lost = _ratio(clip(x, high=_LARGEST[x.kind.name]))
    return select(x.equals(math.inf), 0.0, (fma(lost, p + SHIFT, p) + SHIFT) * w)


def _ratio(x: Value) -> tuple[Value, Value, Value]:
    """w, p and lost: exp(x²) erfc x = (SHIFT + p) w (1 + lost) with w = 1/(1 + 2x)."""
    y = x + 0.5  # 1 + 2x may overflow
    w = 1.0 / y
    lost = fma(-w, x - (y - 0.5), fma(-w, y, 1.0))
    return w * 0.5, horner((x - 3.0) / (x + 3.0), ERFC[x.kind.name]), lost
