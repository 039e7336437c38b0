"""Formulas of functions that derivatives are made of, where the textbook's expression overflows or cancels.

Each is written once, see ``written``: ``m`` has the functions, on arrays, on floats or while a compiler records.
Coefficients as in ``gamma``: interpolated at Chebyshev nodes with mpmath at 60 digits.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from symgrad.scalars.written import beside_root, exact_product, exact_sum, polynomial

# r₁(x) of ``mill`` in (x - 2)/1.5, for 0.5 <= x <= 3.5
_MILL = (
    0.2090804029972071, -0.11437373726433354, 0.055569773712143715, -0.02410260533202955, 0.009269429726418754,
    -0.0030825158933558117, 0.0008255070911897266, -0.00013341918494657177, -2.348448202246728e-05,
    3.328785852520361e-05, -1.8338295953229154e-05, 7.254213579756771e-06, -2.125322951827068e-06,
    3.4873270048451976e-07, 7.970521479071806e-08, -1.0434796592996033e-07, 5.6525069000840565e-08,
    -2.0967690958005162e-08, 6.2521652370145036e-09, -1.7667972877381839e-09, -2.558950668087353e-10,
    7.189373247742838e-10, -2.366134017760801e-10,
)  # fmt: skip
# the zero of the slope of x σ(x) in two parts, and its exponential
_SILU_ROOT = (-1.2784645427610737, -1.0946994183093437e-16)
_SILU_EXP = 0.2784645427610738
# the slope of x Φ(x): its zero in two parts, and the slope over t at the distance t from there
_GELU_ROOT = (-0.7517915246935645, 1.4956759177009883e-17)
_GELU_RATIO = (
    0.4314939923140469, 0.388284982990552, -0.01819967639867109, -0.11400823329722172, -0.014771522148244176,
    0.019421679838189078, 0.004539228379114963, -0.0022395380680742816, -0.0007448268383384544,
    0.00018633974625758282, 8.615947253343371e-05, -1.1214380645054469e-05, -7.748396727692977e-06,
    4.3284991866125415e-07, 5.698760384879153e-07, -1.63458414173292e-09, -3.41162701713629e-08,
    -1.2954522701294687e-09,
)  # fmt: skip
# the slope of gelu's approximation: its zero in two parts, and the slope over t at the distance t from there
_GELU_TANH_ROOT = (-0.7524614220710163, 3.635560509207687e-17)
_GELU_TANH_RATIO = (
    0.4304000910248585, 0.38751844613578895, -0.015782853521848026, -0.11394448308095899, -0.01661932834305256,
    0.019682309459833118, 0.005261059254921864, -0.002422731845875092, -0.0009274420230181491,
    0.00026392764052656767, 0.00012425227795638354, -3.4956171687342696e-05, -1.5950895594967373e-05,
    5.918611581658583e-06, 2.433536664104074e-06, -9.898632612351254e-07, -4.309117997864597e-07,
    1.41564164877228e-07, 7.467500101538012e-08, -1.6924676094628367e-08, -1.0527958992313206e-08,
    1.6205602034776595e-09,
)  # fmt: skip
# the zero r of the slope of mish in two parts, eʳ, and 4r + 6
_MISH_ROOT = (-1.1924312145154952, -4.8484829848031044e-17)
_MISH_EXP = 0.3034825352815289
_MISH_REST = 1.2302751419380191
# the slope of exp(-x) I₁(x): its zero in two parts, and the slope over t at the distance t from there
_I1E_ROOT = (1.5451272579925426, 1.0630756383046672e-16)
_I1E_RATIO = (
    -0.050026009428196336, 0.05270624306827756, -0.03294765027144757, 0.015214710546345076, -0.005637298635904482,
    0.0017519744494522965, -0.0004698272352216896, 0.00011090891073943863, -2.339400875441182e-05,
    4.4609566412340774e-06, -7.762965862564372e-07, 1.242451415616038e-07, -1.8408581059403392e-08,
    2.5390462456713666e-09, -3.27582492228529e-10, 3.97004140989433e-11, -4.536287165135947e-12,
    4.903018247927826e-13, -5.027576904691104e-14, 4.903798753090861e-15, -4.560636463799465e-16,
    4.0529454526394045e-17, -3.446186724368209e-18, 2.8128529760330175e-19, -2.28703101751504e-20,
    1.721395748043883e-21,
)  # fmt: skip
# the slope of exp(-x) I₁(x) times x^(5/2) over the distance from its zero, in 2(x - 7)/(x + 7), for 2.5 <= x <= 20
_I1E_FAR = (
    -0.2110091210945537, 0.009809872285685063, -0.0008294740245075706, -0.005531574993622062, 0.00936647050630906,
    -0.009670576560655989, 0.006194421336269546, -0.0011626355863661926, -0.0019549168211640544,
    0.0018323655786307578, -0.0002958284138800324, -0.0004486788855005247, 0.0002026366774628916,
    8.548177537904278e-05, -5.624943685541302e-05, -2.263411990076665e-05, 1.2328306332403838e-05,
    7.2627118910154355e-06, -1.6986480887910173e-06, -2.205734769901206e-06, -1.5522293572614098e-07,
    5.232399130278177e-07, 1.9544506220356348e-07, -8.112038351289633e-08, -6.600384492640104e-08,
    5.018089854476109e-09, 1.1881949684738642e-08, 3.193428413513784e-10, -9.301368751484829e-10,
)  # fmt: skip
_INVERSE_E = (0.36787944117144233, -1.2428753672788363e-17)

_TAME = 1e6
_HEAD = 1.5 * 2.0**32  # a number plus and minus this is the number to 20 binary places


# ------------------------------------------------------------------ tails
def tail_clamp(m: Any, x: Any) -> Any:
    """x within ±10⁶, for a factor that vanishes long before: so 0·∞ is not nan, and powers stay finite in float32."""
    return m.clamp(x, -_TAME, _TAME)


def gaussian(m: Any, x: Any) -> Any:
    """exp(-x²), with what the rounded square leaves, which exp magnifies."""
    s, lost = _square(m, m.minimum(m.abs(x), 28.0))
    e = m.exp(-s)
    return e - e * lost


def half_gaussian(m: Any, x: Any) -> Any:
    """Return exp(−x²/2), with the square computed to twice the precision."""
    s, lost = _square(m, m.minimum(m.abs(x), 40.0))
    e = m.exp(-0.5 * s)
    return e - e * (0.5 * lost)


def _square(m: Any, x: Any) -> tuple[Any, Any]:
    """x² of |x| <= 40 rounded, and what that lost: the square of the head h is exact."""
    h = (x + _HEAD) - _HEAD
    s = x * x
    return s, (h * h - s) + (x - h) * (x + h)


def exp_ratio(m: Any, x: Any, a: Any) -> Any:
    """exp(x/a), with what the rounded quotient leaves."""
    q = x / a
    p, lost = exact_product(q, a)
    rest = ((x - p) - lost) / a
    return m.exp(q) * (1.0 + m.where(m.abs(rest) < 1e-10, rest, 0.0))


def expm1_ratio(m: Any, x: Any, a: Any) -> Any:
    """exp(x/a) - 1."""
    return m.expm1(x / a)


# ------------------------------------------------------------------ powers
def exp2_slope(m: Any, x: Any) -> Any:
    """2ˣ log 2, as 2ˣ⁻¹ 2 log 2 where 2ˣ may overflow."""
    large = x > 1000.0
    return m.exp2(m.where(large, x - 1.0, x)) * m.where(large, 2.0 * math.log(2), math.log(2))


@lru_cache(maxsize=64)
def _falling(n: int, j: int) -> tuple[float, ...]:
    """Coefficients of the j-th derivative of y (y - 1) … (y - n + 1)."""
    coefficients = [1]
    for k in range(n):
        coefficients = [low - k * high for low, high in zip([0, *coefficients], [*coefficients, 0], strict=True)]
    for _ in range(j):
        coefficients = [k * c for k, c in enumerate(coefficients)][1:] or [0]
    return tuple(map(float, coefficients))


def power_nth(m: Any, n: int, k: int, x: Any, y: Any) -> Any:
    """∂ⁿ⁺ᵏ xʸ/∂xⁿ∂yᵏ = xʸ⁻ⁿ Σⱼ C(k, j) cⱼ logᵏ⁻ʲ x, with the j-th derivative cⱼ of y (y - 1) … (y - n + 1).

    At x = 0 as in PyTorch: c₀ = 0 makes it 0, and logarithms are left out where xʸ⁻ⁿ has a value.
    """
    if not n:
        return _times_logs(m, k, x, y)
    lead = y
    for i in range(1, n):
        lead = lead * (y - float(i))
    flat = lead == 0.0
    total = lead
    if k:
        bare = (x == 0.0) & (y >= float(n))
        flat = flat & (x == 0.0)
        log = m.where(bare, 0.0, m.log(m.where(bare, 1.0, x)))
        for j in range(1, k + 1):
            total = total * log + polynomial(y, _falling(n, j)) * float(math.comb(k, j))
    low = y < 1.0  # where xʸ⁻ⁿ may overflow though y is small
    derivative = total * m.pow(x, y - m.where(low, 1.0, float(n)))
    for _ in range(n - 1):
        derivative = derivative / m.where(low, x, 1.0)
    return m.where(flat, 0.0, derivative)


def _times_logs(m: Any, k: int, x: Any, y: Any) -> Any:
    """xʸ logᵏ x, and 0 at x = 0 where y >= 0: 0ʸ is flat in y."""
    bare = (x == 0.0) & (y >= 0.0)
    log = m.where(bare, 0.0, m.log(m.where(bare, 1.0, x)))
    product = m.pow(x, y)
    for _ in range(k):
        product = product * log
    return product


# ------------------------------------------------------------------ hyperbolic, logistic, rational
def sech2(m: Any, x: Any) -> Any:
    """Return 1/cosh² x, the derivative of the hyperbolic tangent."""
    q = m.exp(-2.0 * m.abs(x))
    d = 1.0 + q
    return 4.0 * q / (d * d)


def sigmoid_slope(m: Any, x: Any) -> Any:
    """Return σ(x) σ(−x), the derivative of the logistic function."""
    q = m.exp(-m.abs(x))
    d = 1.0 + q
    return q / (d * d)


def sigmoid2(m: Any, x: Any) -> Any:
    """1/(1 + 2⁻ˣ)."""
    q = m.exp2(-m.abs(x))
    return m.where(x < 0.0, q, 1.0) / (1.0 + q)


def share(m: Any, a: Any, b: Any) -> Any:
    """σ(a - b); the rounding of a - b, which exp magnifies in the tail, is put back."""
    d, lost = _apart(m, a, b)
    return _logistic(m, d, m.exp(-m.abs(d)), lost)


def share2(m: Any, a: Any, b: Any) -> Any:
    """1/(1 + 2ᵇ⁻ᵃ)."""
    d, lost = _apart(m, a, b)
    return _logistic(m, d, m.exp2(-m.abs(d)), math.log(2) * lost)


def _apart(m: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """a - b rounded, and what it loses, 0 beside infinities."""
    d, lost = exact_sum(a, -b)
    return d, m.where(m.abs(lost) < math.inf, lost, 0.0)


def _logistic(m: Any, d: Any, q: Any, lost: Any) -> Any:
    """s = 1/(1 + q) or q/(1 + q) right and left of d = 0, and what the argument lost: s (1 - s) lost."""
    r = 1.0 / (1.0 + q)
    s = m.where(d < 0.0, q * r, r)
    return s + s * ((1.0 - s) * lost)


def bce_slope(m: Any, z: Any, t: Any) -> Any:
    """σ(z) - t, which for z > 0 is (1 - t) - σ(-z)."""
    s = m.sigmoid(-m.abs(z))
    return m.where(z > 0.0, (1.0 - t) - s, s - t)


def cauchy(m: Any, x: Any) -> Any:
    """1/(1 + x²), whose square overflows where the quotient is denormal."""
    return 1.0 / (1.0 + x * x)


def cauchy_times(m: Any, x: Any) -> Any:
    """x/(1 + x²)."""
    r = 1.0 / m.where(m.abs(x) > 1.0, x, 1.0)
    return m.where(m.abs(x) > 1.0, r / (1.0 + r * r), x / (1.0 + x * x))


def asinh_slope(m: Any, x: Any) -> Any:
    """1/√(1 + x²)."""
    a = m.abs(x)
    return 1.0 / m.where(a > 1e8, a, m.sqrt(1.0 + x * x))


def acosh_times(m: Any, x: Any) -> Any:
    """x/(x² - 1)."""
    r = 1.0 / m.maximum(m.abs(x), 2.0)
    far = m.where(x < 0.0, -r, r) / ((1.0 - r) * (1.0 + r))
    return m.where(m.abs(x) > 2.0, far, x / ((x - 1.0) * (x + 1.0)))


def acosh_square(m: Any, x: Any) -> Any:
    """1/(x² - 1)."""
    r = 1.0 / m.maximum(m.abs(x), 2.0)
    return m.where(m.abs(x) > 2.0, r * r / ((1.0 - r) * (1.0 + r)), 1.0 / ((x - 1.0) * (x + 1.0)))


def acosh_slope(m: Any, x: Any) -> Any:
    """1/√(x² - 1)."""
    return 1.0 / (m.sqrt(x - 1.0) * m.sqrt(x + 1.0))


def atanh_slope(m: Any, x: Any) -> Any:
    """1/(1 - x²)."""
    return 1.0 / ((1.0 - x) * (1.0 + x))


def direction(m: Any, a: Any, b: Any) -> Any:
    """a/√(a² + b²), 0 at the origin."""
    s = m.maximum(m.abs(a), m.abs(b))
    origin = s == 0.0
    s = m.where(origin, 1.0, s)
    p, q = a / s, b / s
    return p / m.sqrt(m.where(origin, 1.0, p * p + q * q))


def atan2_slope(m: Any, a: Any, b: Any) -> Any:
    """b/(a² + b²), 0 at the origin; with the smaller over the larger, t, no square overflows."""
    steep, t, r = _by_larger(m, a, b)
    return m.where(steep, t * r, r)


def atan2_across(m: Any, a: Any, b: Any) -> Any:
    """a/(a² + b²), of the same steps as ``atan2_slope``, so that both together cost little more than one."""
    steep, t, r = _by_larger(m, a, b)
    return m.where(steep, r, t * r)


def _by_larger(m: Any, a: Any, b: Any) -> Any:
    """Whether |a| > |b|; t = small/large and 1/(large + t small) = large/(a² + b²), 0 at the origin.

    The halves of large and small add up without overflow.
    """
    steep = m.abs(a) > m.abs(b)
    large, small = m.where(steep, a, b), m.where(steep, b, a)
    origin = large == 0.0
    t = small / m.where(origin, 1.0, large)
    return steep, t, m.where(origin, 0.0, 0.5 / (0.5 * large + t * (0.5 * small)))


def odds_slope(m: Any, p: Any) -> Any:
    """1/(p (1 - p))."""
    return 1.0 / (p * (1.0 - p))


def log_e(m: Any, x: Any) -> Any:
    """1 + log x, beside its zero 1/e the logarithm of y = 1 + e t, with what the sum lost."""
    u = math.e * ((x - _INVERSE_E[0]) - _INVERSE_E[1])
    near = m.abs(u) < 0.34
    y = 1.0 + u
    lost = u - (y - 1.0)
    logarithm = m.log(m.where(near, y, x))
    return logarithm + m.where(near, lost * (2.0 - y), 1.0)


# ------------------------------------------------------------------ error function
_MILL_TERMS = 26


def mill(m: Any, n: int, x: Any) -> Any:
    """rₙ(x) = Dₙ/Dₙ₋₁, Dₙ(x) = ∫₀^∞ tⁿ exp(-t² - 2tx) dt, of which erfcx is the multiple of D₀.

    rₙ₊₁ = n/(2 rₙ) - x upwards; for x > 3.5 downwards, where it is a continued fraction of positive terms.
    """
    near = m.minimum(x, 3.5)
    middle = polynomial((m.maximum(near, 0.5) - 2.0) * (1 / 1.5), _MILL)
    r = m.replaced(x <= 0.5, lambda v: 1.0 / (math.sqrt(math.pi) * m.erfcx(m.minimum(v, 0.5))) - v, near, middle)
    for k in range(1, n):
        r = (0.5 * k) / r - near
    return m.replaced(x > 3.5, lambda v: _mill_far(m, n, v), x, r)


def _mill_far(m: Any, n: int, x: Any) -> Any:
    s = far = m.maximum(x, 3.5)
    for k in range(n + _MILL_TERMS, n, -1):
        s = far + (0.5 * k) / s
    return (0.5 * n) / s


def erfcx_nth(m: Any, n: int, x: Any) -> Any:
    """The n-th derivative of erfcx."""
    if n > 1:
        return _erfcx_down(m, n, x)
    return m.select(x < 0.0, lambda v: _erfcx_slope_left(m, v), lambda v: _erfcx_down(m, 1, v), x)


def _erfcx_slope_left(m: Any, x: Any) -> Any:
    return 2.0 * x * m.erfcx(m.minimum(x, 0.0)) - 2.0 / math.sqrt(math.pi)


def _erfcx_down(m: Any, n: int, x: Any) -> Any:
    """(-2)ⁿ r₁ … rₙ erfcx(x)."""
    y = m.erfcx(x)
    for k in range(1, n + 1):
        y = y * m.mill(k, x) * -2.0
    return y


def erfinv_slope(m: Any, x: Any) -> Any:
    """√π/2 exp(y²), y = erfinv x, as exp(y²) = erfcx(y)/erfc(y) and erfc(|y|) = 1 - |x|."""
    a = m.abs(x)
    y = m.erfinv(a)
    return m.where(a < 1.0, math.sqrt(math.pi) / 2 * m.erfcx(m.where(a < 1.0, y, 0.0)) / (1.0 - a), y)


def ndtri_slope(m: Any, p: Any) -> Any:
    """√(2π) exp(y²/2), y = Φ⁻¹(p)."""
    q = m.minimum(p, 1.0 - p)
    y = m.abs(m.ndtri(q))
    inside = q > 0.0
    scaled = m.erfcx(m.where(inside, y, 0.0) * (1 / math.sqrt(2)))
    return m.where(inside, math.sqrt(math.pi / 2) * scaled / q, y)


def normal_pdf(m: Any, x: Any) -> Any:
    """Return exp(−x²/2)/√(2π), the density of the normal distribution."""
    return m.half_gaussian(x) * (1 / math.sqrt(2 * math.pi))


def hazard(m: Any, x: Any) -> Any:
    """φ(x)/Φ(x): the quotient itself underflows on the left."""
    return m.select(x < 0.0, lambda v: _hazard_left(m, v), lambda v: _hazard_right(m, v), x)


def _hazard_left(m: Any, x: Any) -> Any:
    return math.sqrt(2 / math.pi) / m.erfcx(m.maximum(-x, 0.0) * (1 / math.sqrt(2)))


def _hazard_right(m: Any, x: Any) -> Any:
    return normal_pdf(m, x) / m.ndtr(m.maximum(x, 0.0))


def hazard_slope(m: Any, x: Any) -> Any:
    """-h (x + h); on the left x + h = √2 r₁(-x/√2)."""
    h = m.hazard(x)
    lead = m.where(x < 0.0, math.sqrt(2) * m.mill(1, m.maximum(-x, 0.0) * (1 / math.sqrt(2))), m.tail_clamp(x) + h)
    return -h * lead


def hazard_second(m: Any, x: Any) -> Any:
    """(x + h)(x + 2h) - 1; on the left 4 r₁² r₂ (r₃ - r₂) at -x/√2."""
    t = m.maximum(-x, 0.0) * (1 / math.sqrt(2))
    r1, r2, r3 = (m.mill(n, t) for n in (1, 2, 3))
    h = m.hazard(x)
    b = m.tail_clamp(m.maximum(x, 0.0))
    return m.where(x < 0.0, 4.0 * r1 * r1 * r2 * (r3 - r2), (b + h) * (b + 2.0 * h) - 1.0)


# ------------------------------------------------------------------ activations
def silu(m: Any, x: Any) -> Any:
    """Return x σ(x), the sigmoid linear unit."""
    return x * m.sigmoid(x)


def gelu(m: Any, x: Any) -> Any:
    """Return x Φ(x), the Gaussian error linear unit."""
    return x * m.ndtr(x)


def mish(m: Any, x: Any) -> Any:
    """x tanh softplus(x)."""
    return x * m.tanh(m.softplus(x))


def silu_slope(m: Any, x: Any) -> Any:
    """σ(x) + x s with s = σ(x) σ(-x).

    Left of -1/2 it is s (1 + x + eˣ), and 1 + x + eˣ = t + eʳ (eᵗ - 1) at the distance t from its zero r.
    """
    q = m.exp(-m.abs(x))
    r = 1.0 / (1.0 + q)
    s = q * r * r
    t = (m.minimum(x, 0.0) - _SILU_ROOT[0]) - _SILU_ROOT[1]
    return m.where(x < -0.5, s * (t + _SILU_EXP * m.expm1(t)), m.where(x < 0.0, q, 1.0) * r + x * s)


def gelu_slope(m: Any, x: Any) -> Any:
    """Φ(x) + x φ(x)."""
    away = m.ndtr(x) + m.tail_clamp(x) * (m.half_gaussian(x) * (1 / math.sqrt(2 * math.pi)))
    return beside_root(m, x, _GELU_ROOT, 0.4, _GELU_RATIO, away)


# 2 √(2/π) and its 0.044715th part, in two parts each: products of the first with a head of x are exact
_LINEAR = (1.5957691215444356, 6.129509145186187e-11)
_CUBE = (0.07135009765625, 4.718616350248776e-06)


def _cubics(m: Any, x: Any, *times: float) -> list[tuple[Any, Any]]:
    """2 √(2/π) (x + 0.044715 k x³), |x| <= 32, for each k, rounded, and what that lost: σ magnifies it."""
    h = m.floor(x * 256.0) * 0.00390625
    d, s = x - h, h * h
    head, rest, cube, square = _LINEAR[0] * h, _LINEAR[1] * h, s * h, s + x * (x + h)
    pairs = []
    for k in times:
        v, lost = exact_sum(head, (k * _CUBE[0]) * cube)
        slope = (_LINEAR[0] + _LINEAR[1]) + k * (_CUBE[0] + _CUBE[1]) * square
        v, more = exact_sum(v, d * slope + (rest + (k * _CUBE[1]) * cube))
        pairs.append((v, lost + more))
    return pairs


def gelu_tanh(m: Any, x: Any) -> Any:
    """x σ(v), v = 2 √(2/π) (x + 0.044715 x³)."""
    ((v, lost),) = _cubics(m, m.clamp(x, -32.0, 32.0), 1.0)
    return x * (m.sigmoid(v) * (1.0 + lost * m.sigmoid(-v)))


def gelu_tanh_slope(m: Any, x: Any) -> Any:
    """σ(v) + p σ(v) σ(-v), p = x v' = 2 √(2/π) (x + 3·0.044715 x³), as one quotient in q = exp(-|v|)."""
    (v, lost), (p, rest) = _cubics(m, m.clamp(x, -32.0, 32.0), 1.0, 3.0)
    q, e = m.exp(-m.abs(v)), 1.0 + p
    away = m.where(x < 0.0, q * (e + (q + (rest + e * lost))), 1.0 + q * e) / (1.0 + q * (2.0 + q))
    return beside_root(m, x, _GELU_TANH_ROOT, 0.46, _GELU_TANH_RATIO, away)


def mish_slope(m: Any, x: Any) -> Any:
    """tanh s + x σ(x)/cosh² s, s = softplus(x).

    Left of 0, with w = eˣ, it is w/(w² + 2w + 2)² times 4(x + 1) + 4w² + w³ + w(4x + 6): all terms of what that gains
    over the distance t from its zero r have one sign.
    """
    b = m.clamp(x, -1000.0, 0.0)
    t = (b - _MISH_ROOT[0]) - _MISH_ROOT[1]
    e, w = m.expm1(t), m.exp(b)
    q = _MISH_EXP * e
    cubes = q * (q * (q + 3.0 * _MISH_EXP) + 3.0 * _MISH_EXP * _MISH_EXP)
    gained = 4.0 * t * (1.0 + w) + 4.0 * q * (q + 2.0 * _MISH_EXP) + cubes + _MISH_REST * q
    d = 2.0 + w * (w + 2.0)
    v = m.exp(-m.maximum(x, 0.0))
    above, all_ = 1.0 + 2.0 * v, 1.0 + 2.0 * v * (1.0 + v)
    right = above / all_ + x * (4.0 * (v * v) * (1.0 + v) / (all_ * all_))
    return m.where(x < 0.0, w * gained / (d * d), right)


# ------------------------------------------------------------------ Bessel functions
@lru_cache(maxsize=64)
def _i0_series(n: int) -> tuple[float, ...]:
    """Coefficients of the n-th derivative of I₀ = Σ (x/2)²ᵏ/k!², in x² but for a factor x where n is odd."""
    return tuple(
        math.factorial(2 * k) / (math.factorial(k) ** 2 * 4**k * math.factorial(2 * k - n))
        for k in range((n + 1) // 2, 40 + n)
    )


def i0_nth(m: Any, n: int, x: Any) -> Any:
    """The n-th derivative of I₀, n >= 2: its power series up to 14, beyond 2⁻ⁿ Σ C(n, k) Iₙ₋₂ₖ. No term is negative."""
    a = m.abs(x)
    s = m.minimum(a, 14.0)
    near = polynomial(s * s, _i0_series(n)) * (s if n % 2 else 1.0)
    b = m.minimum(m.maximum(a, 14.0), 720.0)
    scaled = [m.i0e(b), m.i1e(b)]
    for k in range(1, n):
        scaled.append(scaled[k - 1] - (2.0 * k) / b * scaled[k])
    total = scaled[n] * (2.0 * 0.5**n)
    for k in range(1, n):
        total = total + scaled[abs(n - 2 * k)] * (math.comb(n, k) * 0.5**n)
    half = m.exp(0.5 * b)
    y = m.where(a > 719.0, math.inf, m.where(a < 14.0, near, total * half * half))
    return m.where(x < 0.0, -y, y) if n % 2 else y


def i1_slope(m: Any, x: Any) -> Any:
    """The derivative of I₁ = I₀'."""
    return m.i0_nth(2, x)


@lru_cache(maxsize=64)
def _decay_terms(n: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Coefficients in z = 2a, and in 1/z, of the n-th derivative of exp(-a) I₀(a)."""
    lead = (-2.0) ** n * math.prod((k + 0.5) / (k + 1) for k in range(n))
    near, far = [lead], [lead * math.gamma(n + 1) / math.gamma(0.5)]
    for k in range(130):
        near.append(near[-1] * (k + 0.5) / ((k + 1 + n) * (k + 1)))
    for k in range(34):
        far.append(far[-1] * (k + 0.5) * (k + n + 0.5) / (k + 1))
    return tuple(near), tuple(far)


def decay(m: Any, n: int, x: Any) -> Any:
    """The n-th derivative of exp(-a) I₀(a) at a = |x|, which has one sign.

    It is a multiple of M(n + 1/2, n + 1, -2a) = exp(-2a) M(1/2, n + 1, 2a), whose series is positive.
    Source: Abramowitz & Stegun 1964, 13.1.27 and 13.5.1.
    """
    z = 2.0 * m.abs(x)
    near, far = _decay_terms(n)
    s, b = m.minimum(z, 40.0), m.maximum(z, 40.0)
    r = 1.0 / b
    tail = polynomial(r, far) / m.sqrt(b)
    for _ in range(n):
        tail = tail * r
    return m.where(z < 40.0, m.exp(-s) * polynomial(s, near), tail)


@lru_cache(maxsize=1)
def _i1e_terms() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Coefficients of the sum of the first two derivatives, in z up to 1.2 and in 1/z."""
    (near, far), (near2, far2) = _decay_terms(1), _decay_terms(2)
    return tuple(map(sum, zip(near[:24], near2[:24], strict=True))), (
        far[0],
        *map(sum, zip(far[1:], far2[:-1], strict=True)),
    )


def i0e_slope(m: Any, x: Any) -> Any:
    """The derivative of exp(-|x|) I₀(x), 0 at 0."""
    y = m.decay(1, x)
    return m.where(x > 0.0, y, m.where(x < 0.0, -y, x))


def i1e_slope(m: Any, x: Any) -> Any:
    """The derivative of exp(-|x|) I₁(x), which is the sum of two derivatives of exp(-|x|) I₀(x)."""
    a = m.abs(x)
    near, far = _i1e_terms()
    s, b, r = 2.0 * m.minimum(a, 0.6), m.clamp(a, 2.5, 20.0), 0.5 / m.maximum(a, 20.0)
    t = (b - _I1E_ROOT[0]) - _I1E_ROOT[1]
    middle = t * polynomial(2.0 * (b - 7.0) / (b + 7.0), _I1E_FAR) / (b * b * m.sqrt(b))
    beyond = m.where(a < 20.0, middle, polynomial(r, far) * (r * m.sqrt(r)))
    away = m.where(a < 1.0, m.exp(-s) * polynomial(s, near), beyond)
    return beside_root(m, a, _I1E_ROOT, 1.0, _I1E_RATIO, away)


# ------------------------------------------------------------------ sin(πx)/(πx)
@lru_cache(maxsize=64)
def _sinc_series(n: int) -> tuple[float, ...]:
    """Coefficients of the n-th derivative of Σ (-1)ᵏ (πx)²ᵏ/(2k + 1)!, in x² but for a factor x where n is odd."""
    first = (n + 1) // 2
    return tuple(
        (-1) ** k * math.pi ** (2 * k) / ((2 * k + 1) * math.factorial(2 * k - n)) for k in range(first, first + 18)
    )


def sinc_nth(m: Any, n: int, x: Any) -> Any:
    """The n-th derivative of sinc, n >= 2: the series up to 1, beyond x fₙ = -n fₙ₋₁ - π² (x fₙ₋₂ + (n - 2) fₙ₋₃)."""
    s = m.clamp(x, -1.0, 1.0)
    near = polynomial(s * s, _sinc_series(n)) * (s if n % 2 else 1.0)
    b = m.where(m.abs(x) > 1.0, x, 1.0)
    f = [m.sinc(b), m.sinc_slope(b)]
    for k in range(2, n + 1):
        rest = (k - 2) * (math.pi**2) * f[k - 3] if k > 2 else 0.0
        f.append(-(k * f[k - 1] + rest) / b - math.pi**2 * f[k - 2])
    return m.where(m.abs(x) > 1.0, f[n], near)
