"""erf and erfc."""

from __future__ import annotations

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

# (1 + 2x) exp(x²) erfc x = SHIFT + P((x - 3)/(x + 3)) on 0.75 <= x <= 27.4 (10.2), to 2^-55 (2^-26)
SHIFT = 1.203125
ERFC = {
    "f64": (
        0.049883058269729635, -0.13562110612458164, -0.04756229435344414, 0.12964515870282434, -0.11927366341578494,
        0.06830802734144097, -0.023770514905034405, 0.0025293918609998922, 0.0018886901575059676,
        -0.0007798326900728082, -0.00010515805584843392, 0.0001251015224774694, 4.940203287793538e-06,
        -2.010670066001154e-05, -7.006782340350616e-07, 3.479902609393246e-06, 2.942010127090721e-07,
        -6.133390393223414e-07, -6.87305101151182e-08, 8.396687949800943e-08,
    ),
    "f32": (
        0.049883063566878154, -0.13562085326839482, -0.04756294618318745, 0.1296346451857997, -0.11926202637959382,
        0.0684275633773506, -0.023830832445780773, 0.002015503645904126, 0.001955018976958324,
    ),
}  # fmt: skip


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
    a = magnitude(x)
    near = 0.5 - ((x - 0.5) + x * horner(x * x, ERF[x.kind.name]))
    tail = _tail(clip(a, high={"f64": 27.4, "f32": 10.2}[x.kind.name]))
    far = select(x < 0.0, 2.0 - tail, tail)
    return select(a > 0.75, far, near)


def _tail(x: Value) -> Value:
    """erfc x of x >= 0.75."""
    y = 1.0 + 2.0 * x
    w = 1.0 / y
    s = x * x
    # What x², y and w lost in rounding, all relative to the result, goes where it adds to an exponent.
    lost = fma(x, x, -s) - fma(-w, 2.0 * x - (y - 1.0), fma(-w, y, 1.0))
    n, r, _ = reduce(-s)
    v = expm1_reduced(r - lost)
    p = horner((x - 3.0) / (x + 3.0), ERFC[x.kind.name])
    # exp r (SHIFT + p) with one large rounding, the last
    return scale((fma(v, p + SHIFT, p) + SHIFT) * w, n)
