"""``sg.special``: torch.special's names, for functions that ``functions`` has and for more."""

# Written by `python tests/stubs.py`; a test compares.

from collections.abc import Sequence
from symgrad.tensors.tensor import Tensor
from typing import Any
from typing import overload

__all__ = [
    "erfcx",
    "ndtr",
    "log_ndtr",
    "ndtri",
    "entr",
    "xlog1py",
    "i1",
    "i0e",
    "i1e",
    "bessel_j0",
    "bessel_j1",
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammaln",
    "i0",
    "log1p",
    "log_softmax",
    "logit",
    "logsumexp",
    "multigammaln",
    "polygamma",
    "psi",
    "sinc",
    "softmax",
    "xlogy",
    "zeta",
]

def erfcx(input: Any) -> Tensor:
    """exp(x²) erfc x, without underflow."""
def ndtr(input: Any) -> Tensor:
    """Φ(x), the normal distribution function, accurate in the tail."""
def log_ndtr(input: Any) -> Tensor:
    """log Φ(x), without underflow."""
def ndtri(input: Any) -> Tensor:
    """Φ⁻¹(x), the inverse of the normal distribution function."""
def entr(input: Any) -> Tensor:
    """-x log x, 0 at 0 and -∞ below."""
def xlog1py(input: Any, other: Any) -> Tensor:
    """x log(1 + other), and 0 where x = 0."""
def i1(input: Any) -> Tensor:
    """The modified Bessel function I₁(x)."""
def i0e(input: Any) -> Tensor:
    """exp(-|x|) I₀(x)."""
def i1e(input: Any) -> Tensor:
    """exp(-|x|) I₁(x)."""
def bessel_j0(input: Any) -> Tensor:
    """J₀(x), the Bessel function of the first kind of order 0."""
def bessel_j1(input: Any) -> Tensor:
    """J₁(x), the Bessel function of the first kind of order 1."""
def digamma(input: Any) -> Tensor:
    """ψ(x) = Γ'(x)/Γ(x)."""
def erf(input: Any) -> Tensor:
    """The error function 2/√π ∫₀ˣ e^(-t²) dt."""
def erfc(input: Any) -> Tensor:
    """1 - erf x, accurate in the tail."""
def erfinv(input: Any) -> Tensor:
    """The inverse of erf, ±∞ at ±1 and nan beyond."""
def exp2(input: Any) -> Tensor:
    """2ˣ."""
def expit(input: Any) -> Tensor:
    """σ(x) = 1/(1 + e⁻ˣ)."""
def expm1(input: Any) -> Tensor:
    """eˣ - 1, accurate near 0."""
def gammaln(input: Any) -> Tensor:
    """log |Γ(x)|."""
def i0(input: Any) -> Tensor:
    """The modified Bessel function I₀(x)."""
def log1p(input: Any) -> Tensor:
    """log(1 + x), accurate near 0."""
def log_softmax(input: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Tensor:
    """x - log Σ exp x along one axis, accurate where softmax rounds to 0 or 1."""
def logit(input: Any, eps: float | None = None) -> Tensor:
    """log(p/(1 - p)), the inverse of the logistic function."""
@overload
def logsumexp(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, b: Any = None) -> Tensor: ...
@overload
def logsumexp(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, b: Any = None, return_sign: bool = False) -> Any:
    """log Σ exp x along the axes, without overflow; with b, log Σ b exp x."""
def multigammaln(input: Any, p: int) -> Tensor:
    """log Γₚ(x) = p (p - 1)/4 log π + Σ log Γ(x - j/2) over j = 0, …, p - 1."""
def polygamma(n: int, input: Any) -> Tensor:
    """ψₙ(x), the n-th derivative of digamma."""
def psi(input: Any) -> Tensor:
    """ψ(x) = Γ'(x)/Γ(x)."""
def sinc(input: Any) -> Tensor:
    """sin(πx)/(πx), 1 at 0."""
def softmax(input: Any, dim: int | None = None, *, dtype: Any = None, axis: int | None = None) -> Tensor:
    """exp x / Σ exp x along one axis."""
def xlogy(input: Any, other: Any) -> Tensor:
    """x log other, and 0 where x = 0."""
def zeta(input: Any, other: Any) -> Tensor:
    """ζ(x, q) = Σ (q + k)⁻ˣ over k = 0, 1, …, the Hurwitz zeta function, for x > 1; for q = 1 Riemann's."""
