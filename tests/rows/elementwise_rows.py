"""Rows of the test table for activations, special functions and elementwise functions of several arguments."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

from table import SAME, Row, Spec, apart, between, evens, ints, nonzero, odds, raw, real

ROWS: list[Row] = []
_positive, _unit, _signed = between(0.2, 4.0), between(0.05, 0.95), between(-0.9, 0.9)
_PAIRS = (((), ()), ((3,), (3,)), ((2, 1), (3,)), ((2, 3), ()), ((0,), (1,)))


def row(name: str, f: Callable[..., Any], *samples: tuple[Spec, ...], **known: Any) -> None:
    """Add a row."""
    ROWS.append(Row(name, f, samples, **known))


def special(name: str, make: Callable[..., Spec], **known: Any) -> None:
    """Add the row of ``L.special.name(x)``."""
    row(f"special.{name}", lambda L, x: getattr(L.special, name)(x), *[(make(*s),) for s in ((), (3,), (2, 3), (0,))],
        **known)  # fmt: skip


def activation(name: str, make: Callable[..., Spec], *args: Any, **named: Any) -> None:
    """Add the row of ``L.nn.functional.name(x, …)``."""
    label = ", ".join(map(str, [f"F.{name}", *args, *named.values()]))
    row(label, lambda L, x: getattr(L.nn.functional, name)(x, *args, **named),
        *[(make(*s),) for s in ((), (3,), (2, 3), (0,))])  # fmt: skip


def pair(name: str, a: Callable[..., Spec], b: Callable[..., Spec], f: Any = None, **known: Any) -> None:
    """Add the row of ``L.name(a, b)``, with every kind of broadcasting."""
    call = f or (lambda L, x, z: getattr(L, name)(x, z))
    row(name, call, *[(a(*s), b(*t)) for s, t in _PAIRS], **known)


# fmt: off
# ------------------------------------------------------------------ activations
def wide(*shape: int) -> Spec:
    """Numbers on both sides of all kinks at ±3 and 6, none near one."""
    return lambda rng: rng.choice([-4.5, -1.7, -0.8, 0.9, 2.1, 4.4, 7.5], shape) + rng.uniform(-0.2, 0.2, shape)


for _name in ("gelu", "silu", "mish", "softsign", "tanhshrink"):
    activation(_name, nonzero)
activation("gelu", real, approximate="tanh")
for _name in ("leaky_relu", "elu", "selu", "celu", "relu6", "hardswish", "hardtanh", "hardshrink",
              "softshrink"):
    activation(_name, wide)
row("F.hardsigmoid", lambda L, x: L.nn.functional.hardsigmoid(x), (wide(),), (wide(3),), (wide(2, 3),), (wide(0),),
    peer=lambda T, x: T.clamp(x + 3, 0, 6) / 6)  # torch rounds 1/6 to float32 and has no second derivative
activation("leaky_relu", wide, 0.2)
activation("elu", wide, 1.5)
activation("celu", wide, 1.5)
activation("hardtanh", wide, -2.5, 1.25)
activation("hardshrink", wide, 1.25)
activation("softshrink", wide, 1.25)
activation("threshold", wide, 0.1, 20.0)
row("F.softplus, large beta", lambda L, x: L.nn.functional.softplus(x, beta=3.0), (real(2, 3),))
row("F.prelu", lambda L, x, w: L.nn.functional.prelu(x, w), (nonzero(2, 3), raw([0.25])), (nonzero(2, 3), real(3)),
    (nonzero(2, 3, 2), real(3)), (nonzero(), raw(0.25)), (nonzero(3), raw([0.3])))
row("F.glu", lambda L, x: L.nn.functional.glu(x), (real(4),), (real(2, 4),))
row("F.glu dim", lambda L, x: L.nn.functional.glu(x, 0), (real(4, 3),))
row("F.softmin", lambda L, x: L.nn.functional.softmin(x, 1), (real(2, 3),))

# ------------------------------------------------------------------ special functions
for _name, _make in (("erfcx", real), ("ndtr", real), ("log_ndtr", real), ("ndtri", _unit), ("entr", _positive),
                     ("i0e", nonzero), ("i1", real), ("i1e", nonzero), ("erfinv", _signed), ("logit", _unit),
                     ("i0", real), ("sinc", nonzero)):
    special(_name, _make)
row("log_ndtr far out", lambda L, x: L.special.log_ndtr(x), (raw([-30.0, -3.0, 3.0]),))
row("Bessel functions at 0, 10 and 20", lambda L, x: L.special.i1(x) + L.special.i1e(10 * x) + L.special.i0(20 * x),
    (raw([1.0, 0.7]),))
row("i0 and i1 at 0", lambda L, x: L.i0(x) + L.special.i1(x), (raw([0.0, 0.3]),))
row("logit, eps", lambda L, x: L.logit(x, eps=0.2) + L.special.logit(x, 0.1), (raw([0.05, 0.15, 0.5, 0.93]),))
for _n in (0, 1, 2):
    row(f"polygamma {_n}", lambda L, x, _n=_n: L.polygamma(_n, x) + L.special.polygamma(_n, x), (between(0.5, 5.0)(3),),
        peer=None if _n == 1 else SAME, peer_rtol=1e-8)  # torch's trigamma has 9 digits
row("x.polygamma", lambda L, x: x.polygamma(2), (between(0.5, 5.0)(3),))
for _name in ("xlogy", "xlog1py"):
    row(f"special.{_name}", lambda L, x, z, _n=_name: getattr(L.special, _n)(x, z), (real(3), _positive(3)),
        (real(2, 1), _positive(3)), (raw([0.0, 0.0, 2.0]), raw([1.5, 3.0, 1.0])))

# ------------------------------------------------------------------ elementwise, one and more arguments
row("erfinv and sinc", lambda L, x: L.erfinv(x) * L.sinc(x), (_signed(3),))
for _name in ("frac", "deg2rad", "rad2deg"):
    row(_name, lambda L, x, _n=_name: getattr(L, _n)(x), (raw(1.3),), (raw([-2.4, 0.2, 3.7]),), (real(0),))
pair("xlogy", real, _positive)
pair("logaddexp", real, real)
pair("logaddexp2", real, real)
pair("hypot", nonzero, nonzero)
pair("copysign", nonzero, nonzero)
pair("fmax", evens, odds)
pair("fmin", evens, odds)
pair("float_power", _positive, real)
row("logaddexp far apart", lambda L, x, z: L.logaddexp(x, z), (raw([700.0, -800.0, 3.0]), raw([-700.0, 800.0, 3.0])),
    peer=None)  # torch's exp(other - x) overflows in the second derivative
row("float_power of numbers", lambda L, x: L.float_power(x, 2) + L.float_power(x, 0.5), (_positive(3),))
row("heaviside", lambda L, x, v: L.heaviside(x, v), (raw([-1.5, 0.0, 2.0]), raw(0.5)), discrete=True)
row("heaviside left of, at and right of 0", lambda L, x, v: L.heaviside(x, v), (raw([-1.5, 0.0, 2.0]), real(3)),
    fixed=(0,), peer=None)  # torch has no derivative of it
row("nan_to_num", lambda L, x: L.nan_to_num(x), (raw([1.0, nan, inf, -inf]),), (ints([1, 2]),), discrete=True)
row("nan_to_num of numbers", lambda L, x: L.nan_to_num(x, 1.0, 2.0, -3.0) ** 2, (real(3),), (real(),))
row("ldexp", lambda L, x, n: L.ldexp(x, n), (real(3), ints([0, 3, -2])), (real(2, 1), real(3)),
    peer=lambda T, x, n: x * 2.0**n)  # torch's gradient is wrong for negative integers
row("lerp", lambda L, x, z, w: L.lerp(x, z, w), (real(3), real(3), real(3)), (real(2, 1), real(3), _unit()))
row("lerp to a number of the way", lambda L, x, z: L.lerp(x, z, 0.3), (real(2, 3), real(3)))
for _name, _make in (("addcmul", real), ("addcdiv", nonzero)):
    row(_name, lambda L, x, a, b, _n=_name: getattr(L, _n)(x, a, b), (real(3), real(3), _make(3)),
        (real(2, 3), real(2, 1), _make(3)), (real(), real(), _make()))
    row(f"{_name} value", lambda L, x, a, b, _n=_name: getattr(L, _n)(x, a, b, value=-0.7),
        (real(3), real(3), _make(3)))
row("addmm", lambda L, x, a, b: L.addmm(x, a, b), (real(2, 3), real(2, 2), real(2, 3)),
    (real(3), real(2, 2), real(2, 3)))
row("addmm beta, alpha", lambda L, x, a, b: L.addmm(x, a, b, beta=0.5, alpha=-2), (real(), real(2, 2), real(2, 3)))
row("addmv", lambda L, x, a, v: L.addmv(x, a, v, alpha=3), (real(2), real(2, 3), real(3)),
    (real(), real(2, 3), real(3)))
row("addr", lambda L, x, u, v: L.addr(x, u, v, beta=2), (real(2, 3), real(2), real(3)))
row("baddbmm", lambda L, x, a, b: L.baddbmm(x, a, b), (real(2, 2, 3), real(2, 2, 1), real(2, 1, 3)))
row("addmm beta 0", lambda L, a, b: L.addmm(L.as_tensor([nan, inf]), a, b, beta=0), (real(2, 2), real(2, 2)))
row("frac and its sign", lambda L, x: L.frac(x) * x, (apart(4),))
