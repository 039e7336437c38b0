"""``sg.special``: functions with the names of ``torch.special`` and ``scipy.special``."""

# Written by `python tests/tools/stubs.py`; a test compares.

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
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "exp2",
    "expm1",
    "i0",
    "log1p",
    "logit",
    "logsumexp",
    "polygamma",
    "sinc",
    "xlogy",
    "expit",
    "gammaln",
    "psi",
    "multigammaln",
    "bessel_j0",
    "bessel_j1",
    "zeta",
    "gamma",
    "rgamma",
    "gammasgn",
    "loggamma",
    "beta",
    "betaln",
    "binom",
    "poch",
    "zetac",
    "gammainc",
    "gammaincc",
    "gammaincinv",
    "gammainccinv",
    "chdtr",
    "chdtrc",
    "chdtri",
    "chdtriv",
    "gdtr",
    "gdtrc",
    "gdtria",
    "gdtrib",
    "gdtrix",
    "pdtr",
    "pdtrc",
    "pdtri",
    "pdtrik",
    "jv",
    "yv",
    "iv",
    "kv",
    "ive",
    "kve",
    "jve",
    "yve",
    "j0",
    "j1",
    "y0",
    "y1",
    "k0",
    "k1",
    "k0e",
    "k1e",
    "yn",
    "kn",
    "ber",
    "bei",
    "berp",
    "beip",
    "ker",
    "kei",
    "kerp",
    "keip",
    "struve",
    "modstruve",
    "besselpoly",
    "itstruve0",
    "it2struve0",
    "itmodstruve0",
    "betainc",
    "betaincc",
    "betaincinv",
    "betainccinv",
    "btdtria",
    "btdtrib",
    "bdtr",
    "bdtrc",
    "bdtri",
    "bdtrik",
    "bdtrin",
    "nbdtr",
    "nbdtrc",
    "nbdtri",
    "nbdtrik",
    "nbdtrin",
    "fdtr",
    "fdtrc",
    "fdtri",
    "fdtridfd",
    "stdtr",
    "stdtrit",
    "stdtridf",
    "exp10",
    "exprel",
    "cosm1",
    "powm1",
    "sindg",
    "cosdg",
    "tandg",
    "cotdg",
    "radian",
    "boxcox",
    "boxcox1p",
    "inv_boxcox",
    "inv_boxcox1p",
    "huber",
    "pseudo_huber",
    "rel_entr",
    "kl_div",
    "nrdtrimn",
    "nrdtrisd",
    "tklmbda",
    "nctdtr",
    "kolmogorov",
    "kolmogi",
    "expi",
    "exp1",
    "expn",
    "spence",
    "erfi",
    "dawsn",
    "erfcinv",
    "ndtri_exp",
    "owens_t",
    "voigt_profile",
    "wrightomega",
    "ellipk",
    "ellipe",
    "ellipkm1",
    "ellipkinc",
    "ellipeinc",
    "elliprd",
    "elliprj",
    "elliprf",
    "elliprc",
    "elliprg",
    "agm",
    "hyp0f1",
    "hyp1f1",
    "hyp2f1",
    "hyperu",
    "wright_bessel",
    "log_wright_bessel",
    "chndtr",
    "chndtrix",
    "chndtrinc",
    "eval_jacobi",
    "eval_gegenbauer",
    "eval_chebyt",
    "eval_chebyu",
    "eval_chebyc",
    "eval_chebys",
    "eval_sh_chebyt",
    "eval_sh_chebyu",
    "eval_legendre",
    "eval_sh_legendre",
    "eval_genlaguerre",
    "eval_laguerre",
    "eval_hermite",
    "eval_hermitenorm",
    "eval_sh_jacobi",
    "lpmv",
    "airy",
    "airye",
    "sici",
    "shichi",
    "fresnel",
    "ellipj",
    "itj0y0",
    "iti0k0",
    "it2j0y0",
    "it2i0k0",
    "itairy",
    "pbdv",
    "pbvv",
    "pbwa",
    "mathieu_cem",
    "mathieu_modcem1",
    "mathieu_modcem2",
    "mathieu_sem",
    "mathieu_modsem1",
    "mathieu_modsem2",
    "pro_ang1",
    "obl_ang1",
    "pro_rad1",
    "obl_rad1",
    "hankel1",
    "hankel1e",
    "hankel2",
    "hankel2e",
    "wofz",
    "bessel_y0",
    "bessel_y1",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "airy_ai",
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "cbrt",
    "lambertw",
    "factorial",
    "spherical_jn",
    "spherical_yn",
    "spherical_in",
    "spherical_kn",
    "kelvin",
    "softmax",
    "log_softmax",
    "log_expit",
    "round",
    "softplus",
    "jn",
    "spherical_bessel_j0",
]

def erfcx(input: Any, *, out: Any = None) -> Tensor:
    """Return exp(x²) erfc x, without underflow."""
def ndtr(input: Any, *, out: Any = None) -> Tensor:
    """Return Φ(x), the normal distribution function, accurate in the tail."""
def log_ndtr(input: Any, *, out: Any = None) -> Tensor:
    """Return log Φ(x), without underflow."""
def ndtri(input: Any, *, out: Any = None) -> Tensor:
    """Return Φ⁻¹(x), the inverse of the normal distribution function."""
def entr(input: Any, *, out: Any = None) -> Tensor:
    """Return -x log x, 0 at 0 and -∞ below."""
def xlog1py(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return x log(1 + other), and 0 where x = 0."""
def i1(input: Any, *, out: Any = None) -> Tensor:
    """Return the modified Bessel function I₁(x)."""
def i0e(input: Any, *, out: Any = None) -> Tensor:
    """Return exp(-|x|) I₀(x)."""
def i1e(input: Any, *, out: Any = None) -> Tensor:
    """Return exp(-|x|) I₁(x)."""
def digamma(input: Any, *, out: Any = None) -> Tensor:
    """Return ψ(x) = Γ'(x)/Γ(x)."""
def erf(input: Any, *, out: Any = None) -> Tensor:
    """Return the error function 2/√π ∫₀ˣ e^(-t²) dt."""
def erfc(input: Any, *, out: Any = None) -> Tensor:
    """Return 1 - erf x, accurate in the tail."""
def erfinv(input: Any, *, out: Any = None) -> Tensor:
    """Return the inverse of erf, ±∞ at ±1 and nan beyond."""
def exp2(input: Any, *, out: Any = None) -> Tensor:
    """Return 2ˣ."""
def expm1(input: Any, *, out: Any = None) -> Tensor:
    """Return eˣ - 1, accurate near 0."""
def i0(input: Any, *, out: Any = None) -> Tensor:
    """Return the modified Bessel function I₀(x)."""
def log1p(input: Any, *, out: Any = None) -> Tensor:
    """Return log(1 + x), accurate near 0."""
def logit(input: Any, eps: float | None = None) -> Tensor:
    """Return log(p/(1 - p)), the inverse of the logistic function."""
@overload
def logsumexp(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, b: Any = None) -> Tensor: ...
@overload
def logsumexp(input: Any, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, b: Any = None, return_sign: bool = False) -> Any:
    """Return log Σ exp x along the axes, without overflow, or log Σ b exp x. Derivative: softmax(x); in b, exp(x - y)."""
def polygamma(n: int, input: Any) -> Tensor:
    """Return ψₙ(x), the n-th derivative of digamma."""
def sinc(input: Any, *, out: Any = None) -> Tensor:
    """Return sin(πx)/(πx), 1 at 0."""
def xlogy(input: Any, other: Any, *, out: Any = None) -> Tensor:
    """Return x log other, and 0 where x = 0."""
def expit(input: Any, *, out: Any = None) -> Tensor:
    """Return σ(x) = 1/(1 + e⁻ˣ)."""
def gammaln(input: Any, *, out: Any = None) -> Tensor:
    """Return log |Γ(x)|."""
def psi(input: Any, *, out: Any = None) -> Tensor:
    """Return ψ(x) = Γ'(x)/Γ(x)."""
def multigammaln(input: Any, p: int) -> Tensor:
    """Return log Γₚ(x) = p (p - 1)/4 log π + Σ log Γ(x - j/2) over j = 0, …, p - 1."""
def bessel_j0(input: Any) -> Tensor:
    """Return J₀(x), the Bessel function of the first kind of order 0."""
def bessel_j1(input: Any) -> Tensor:
    """Return J₁(x), the Bessel function of the first kind of order 1."""
def zeta(input: Any, other: Any = None) -> Tensor:
    """Return the Hurwitz zeta function ζ(x, q) = Σ_{k≥0} (q + k)⁻ˣ for x > 1, or without q Riemann's ζ(x) for any x."""
def gamma(input: Any) -> Tensor:
    """Return the gamma function Γ(x)."""
def rgamma(input: Any) -> Tensor:
    """Return 1/Γ(x), 0 at the poles."""
def gammasgn(input: Any) -> Tensor:
    """Return the sign of Γ(x)."""
def loggamma(input: Any) -> Tensor:
    """Return log Γ(x) for x > 0."""
def beta(a: Any, b: Any) -> Tensor:
    """Return the beta function B(a, b) = Γ(a) Γ(b)/Γ(a + b)."""
def betaln(a: Any, b: Any) -> Tensor:
    """Return log |B(a, b)|."""
def binom(n: Any, k: Any) -> Tensor:
    """Return the binomial coefficient Γ(n + 1)/(Γ(k + 1) Γ(n - k + 1)), for real n and k."""
def poch(z: Any, m: Any) -> Tensor:
    """Return Pochhammer's symbol Γ(z + m)/Γ(z)."""
def zetac(s: Any) -> Tensor:
    """Return ζ(s) - 1."""
def gammainc(a: Any, x: Any) -> Tensor:
    """Return the regularised lower incomplete gamma function P(a, x) = ∫₀ˣ t^(a-1) e^(-t) dt/Γ(a)."""
def gammaincc(a: Any, x: Any) -> Tensor:
    """Return the regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x)."""
def gammaincinv(a: Any, p: Any) -> Tensor:
    """Return the x with P(a, x) = p."""
def gammainccinv(a: Any, p: Any) -> Tensor:
    """Return the x with Q(a, x) = p."""
def chdtr(v: Any, x: Any) -> Tensor:
    """Return the χ² distribution function P(v/2, x/2)."""
def chdtrc(v: Any, x: Any) -> Tensor:
    """Return the survival function of χ², Q(v/2, x/2)."""
def chdtri(v: Any, p: Any) -> Tensor:
    """Return the x with chdtrc(v, x) = p."""
def chdtriv(p: Any, x: Any) -> Tensor:
    """Return the v with chdtr(v, x) = p."""
def gdtr(a: Any, b: Any, x: Any) -> Tensor:
    """Return the gamma distribution function P(b, ax), with rate a and shape b."""
def gdtrc(a: Any, b: Any, x: Any) -> Tensor:
    """Return the survival function of the gamma distribution, Q(b, ax)."""
def gdtria(p: Any, b: Any, x: Any) -> Tensor:
    """Return the a with gdtr(a, b, x) = p."""
def gdtrib(a: Any, p: Any, x: Any) -> Tensor:
    """Return the b with gdtr(a, b, x) = p."""
def gdtrix(a: Any, b: Any, p: Any) -> Tensor:
    """Return the x with gdtr(a, b, x) = p."""
def pdtr(k: Any, m: Any) -> Tensor:
    """Return the Poisson distribution function Q(⌊k⌋ + 1, m)."""
def pdtrc(k: Any, m: Any) -> Tensor:
    """Return the survival function of the Poisson distribution, P(⌊k⌋ + 1, m)."""
def pdtri(k: Any, p: Any) -> Tensor:
    """Return the m with pdtr(k, m) = p."""
def pdtrik(p: Any, m: Any) -> Tensor:
    """Return the k with Q(k + 1, m) = p."""
def jv(v: Any, x: Any) -> Tensor:
    """Return the Bessel function of the first kind, J_v(x)."""
def yv(v: Any, x: Any) -> Tensor:
    """Return the Bessel function of the second kind, Y_v(x)."""
def iv(v: Any, x: Any) -> Tensor:
    """Return the modified Bessel function of the first kind, I_v(x)."""
def kv(v: Any, x: Any) -> Tensor:
    """Return the modified Bessel function of the second kind, K_v(x)."""
def ive(v: Any, x: Any) -> Tensor:
    """Return exp(-|x|) I_v(x)."""
def kve(v: Any, x: Any) -> Tensor:
    """Return exp(x) K_v(x)."""
def jve(v: Any, x: Any) -> Tensor:
    """Return J_v(x), for real x."""
def yve(v: Any, x: Any) -> Tensor:
    """Return Y_v(x), for real x."""
def j0(input: Any) -> Tensor:
    """Return the Bessel function J₀(x)."""
def j1(input: Any) -> Tensor:
    """Return the Bessel function J₁(x)."""
def y0(input: Any) -> Tensor:
    """Return the Bessel function of the second kind Y₀(x)."""
def y1(input: Any) -> Tensor:
    """Return the Bessel function of the second kind Y₁(x)."""
def k0(input: Any) -> Tensor:
    """Return the modified Bessel function K₀(x)."""
def k1(input: Any) -> Tensor:
    """Return the modified Bessel function K₁(x)."""
def k0e(input: Any) -> Tensor:
    """Return exp(x) K₀(x)."""
def k1e(input: Any) -> Tensor:
    """Return exp(x) K₁(x)."""
def yn(n: Any, x: Any) -> Tensor:
    """Return the Bessel function Y_n(x) of integer order n."""
def kn(n: Any, x: Any) -> Tensor:
    """Return the Bessel function K_n(x) of integer order n."""
def ber(input: Any) -> Tensor:
    """Return Kelvin's function ber x."""
def bei(input: Any) -> Tensor:
    """Return Kelvin's function bei x."""
def berp(input: Any) -> Tensor:
    """Return the derivative of ber."""
def beip(input: Any) -> Tensor:
    """Return the derivative of bei."""
def ker(input: Any) -> Tensor:
    """Return Kelvin's function ker x."""
def kei(input: Any) -> Tensor:
    """Return Kelvin's function kei x."""
def kerp(input: Any) -> Tensor:
    """Return the derivative of ker."""
def keip(input: Any) -> Tensor:
    """Return the derivative of kei."""
def struve(v: Any, x: Any) -> Tensor:
    """Return the Struve function H_v(x)."""
def modstruve(v: Any, x: Any) -> Tensor:
    """Return the modified Struve function L_v(x)."""
def besselpoly(a: Any, lmb: Any, nu: Any) -> Tensor:
    """Return ∫₀¹ x^λ J_ν(2ax) dx."""
def itstruve0(input: Any) -> Tensor:
    """Return ∫₀ˣ H₀(t) dt."""
def it2struve0(input: Any) -> Tensor:
    """Return ∫ H₀(t)/t dt from x to ∞."""
def itmodstruve0(input: Any) -> Tensor:
    """Return ∫₀ˣ L₀(t) dt."""
def betainc(a: Any, b: Any, x: Any) -> Tensor:
    """Return the regularised incomplete beta function I(a, b, x) = ∫₀ˣ t^(a-1) (1-t)^(b-1) dt/B(a, b)."""
def betaincc(a: Any, b: Any, x: Any) -> Tensor:
    """Return 1 - I(a, b, x)."""
def betaincinv(a: Any, b: Any, p: Any) -> Tensor:
    """Return the x with I(a, b, x) = p."""
def betainccinv(a: Any, b: Any, p: Any) -> Tensor:
    """Return the x with 1 - I(a, b, x) = p."""
def btdtria(p: Any, b: Any, x: Any) -> Tensor:
    """Return the a with I(a, b, x) = p."""
def btdtrib(a: Any, p: Any, x: Any) -> Tensor:
    """Return the b with I(a, b, x) = p."""
def bdtr(k: Any, n: Any, p: Any) -> Tensor:
    """Return the binomial distribution function: at most ⌊k⌋ successes in n trials."""
def bdtrc(k: Any, n: Any, p: Any) -> Tensor:
    """Return the survival function of the binomial distribution."""
def bdtri(k: Any, n: Any, y: Any) -> Tensor:
    """Return the p with bdtr(k, n, p) = y."""
def bdtrik(y: Any, n: Any, p: Any) -> Tensor:
    """Return the k with bdtr(k, n, p) = y, where bdtr is continued to real k."""
def bdtrin(k: Any, y: Any, p: Any) -> Tensor:
    """Return the n with bdtr(k, n, p) = y, where bdtr is continued to real n."""
def nbdtr(k: Any, n: Any, p: Any) -> Tensor:
    """Return the negative binomial distribution function, I(⌊n⌋, ⌊k⌋ + 1, p)."""
def nbdtrc(k: Any, n: Any, p: Any) -> Tensor:
    """Return the survival function of the negative binomial distribution."""
def nbdtri(k: Any, n: Any, y: Any) -> Tensor:
    """Return the p with nbdtr(k, n, p) = y."""
def nbdtrik(y: Any, n: Any, p: Any) -> Tensor:
    """Return the k with nbdtr(k, n, p) = y."""
def nbdtrin(k: Any, y: Any, p: Any) -> Tensor:
    """Return the n with nbdtr(k, n, p) = y."""
def fdtr(dfn: Any, dfd: Any, x: Any) -> Tensor:
    """Return the F distribution function."""
def fdtrc(dfn: Any, dfd: Any, x: Any) -> Tensor:
    """Return the survival function of the F distribution."""
def fdtri(dfn: Any, dfd: Any, p: Any) -> Tensor:
    """Return the x with fdtr(dfn, dfd, x) = p."""
def fdtridfd(dfn: Any, p: Any, x: Any) -> Tensor:
    """Return the dfd with fdtr(dfn, dfd, x) = p."""
def stdtr(df: Any, t: Any) -> Tensor:
    """Return Student's t distribution function."""
def stdtrit(df: Any, p: Any) -> Tensor:
    """Return the t with stdtr(df, t) = p."""
def stdtridf(p: Any, t: Any) -> Tensor:
    """Return the df with stdtr(df, t) = p."""
def exp10(input: Any) -> Tensor:
    """Return 10ˣ."""
def exprel(input: Any) -> Tensor:
    """Return (exp x - 1)/x, 1 at 0."""
def cosm1(input: Any) -> Tensor:
    """Return cos x - 1, accurate near 0."""
def powm1(input: Any, y: Any) -> Tensor:
    """Return xʸ - 1, accurate near 0."""
def sindg(input: Any) -> Tensor:
    """Return sin x, x in degrees."""
def cosdg(input: Any) -> Tensor:
    """Return cos x, x in degrees."""
def tandg(input: Any) -> Tensor:
    """Return tan x, x in degrees."""
def cotdg(input: Any) -> Tensor:
    """Return cot x, x in degrees."""
def radian(d: Any, m: Any, s: Any) -> Tensor:
    """Return the angle of d degrees, m minutes and s seconds, in radians."""
def boxcox(input: Any, lmbda: Any) -> Tensor:
    """Return (x^λ - 1)/λ, log x for λ = 0."""
def boxcox1p(input: Any, lmbda: Any) -> Tensor:
    """Return ((1 + x)^λ - 1)/λ, log(1 + x) for λ = 0."""
def inv_boxcox(y: Any, lmbda: Any) -> Tensor:
    """Return the x with boxcox(x, λ) = y."""
def inv_boxcox1p(y: Any, lmbda: Any) -> Tensor:
    """Return the x with boxcox1p(x, λ) = y."""
def huber(delta: Any, r: Any) -> Tensor:
    """Return Huber's loss: r²/2 for |r| ≤ δ, δ (|r| - δ/2) elsewhere."""
def pseudo_huber(delta: Any, r: Any) -> Tensor:
    """Return δ² (√(1 + (r/δ)²) - 1)."""
def rel_entr(input: Any, y: Any) -> Tensor:
    """Return x log(x/y), 0 at x = 0: a term of the relative entropy."""
def kl_div(input: Any, y: Any) -> Tensor:
    """Return x log(x/y) - x + y: a term of the Kullback-Leibler divergence."""
def nrdtrimn(p: Any, std: Any, x: Any) -> Tensor:
    """Return the mean of the normal distribution with Φ((x - mean)/std) = p."""
def nrdtrisd(mn: Any, p: Any, x: Any) -> Tensor:
    """Return the standard deviation of the normal distribution with Φ((x - mn)/std) = p."""
def tklmbda(input: Any, lmbda: Any) -> Tensor:
    """Return Tukey's lambda distribution function."""
def nctdtr(df: Any, nc: Any, t: Any) -> Tensor:
    """Return the noncentral t distribution function, differentiable with respect to t only."""
def kolmogorov(input: Any) -> Tensor:
    """Return the survival function of Kolmogorov's distribution."""
def kolmogi(p: Any) -> Tensor:
    """Return the x with kolmogorov(x) = p."""
def expi(input: Any) -> Tensor:
    """Return the exponential integral Ei(x)."""
def exp1(input: Any) -> Tensor:
    """Return the exponential integral E₁(x)."""
def expn(n: Any, x: Any) -> Tensor:
    """Return the exponential integral E_n(x) of integer order n."""
def spence(input: Any) -> Tensor:
    """Return Spence's function ∫ log t/(1 - t) dt from 1 to x, the dilogarithm of 1 - x."""
def erfi(input: Any) -> Tensor:
    """Return erf(ix)/i = 2/√π ∫₀ˣ e^(t²) dt."""
def dawsn(input: Any) -> Tensor:
    """Return Dawson's integral e^(-x²) ∫₀ˣ e^(t²) dt."""
def erfcinv(input: Any) -> Tensor:
    """Return the inverse of erfc."""
def ndtri_exp(y: Any) -> Tensor:
    """Return the x with log Φ(x) = y."""
def owens_t(h: Any, a: Any) -> Tensor:
    """Return Owen's T(h, a) = 1/2π ∫₀ᵃ exp(-h² (1 + t²)/2)/(1 + t²) dt."""
def voigt_profile(input: Any, sigma: Any, gamma: Any) -> Tensor:
    """Return Voigt's profile: the convolution of a normal density (σ) and a Cauchy density (γ)."""
def wrightomega(input: Any) -> Tensor:
    """Return Wright's ω(x) = W(eˣ)."""
def ellipk(m: Any) -> Tensor:
    """Return the complete elliptic integral of the first kind, K(m)."""
def ellipe(m: Any) -> Tensor:
    """Return the complete elliptic integral of the second kind, E(m)."""
def ellipkm1(p: Any) -> Tensor:
    """Return K(1 - p), more accurate near p = 0."""
def ellipkinc(phi: Any, m: Any) -> Tensor:
    """Return the incomplete elliptic integral of the first kind, F(φ, m)."""
def ellipeinc(phi: Any, m: Any) -> Tensor:
    """Return the incomplete elliptic integral of the second kind, E(φ, m)."""
def elliprd(input: Any, y: Any, z: Any) -> Tensor:
    """Return Carlson's R_D(x, y, z)."""
def elliprj(input: Any, y: Any, z: Any, p: Any) -> Tensor:
    """Return Carlson's R_J(x, y, z, p)."""
def elliprf(input: Any, y: Any, z: Any) -> Tensor:
    """Return Carlson's R_F(x, y, z)."""
def elliprc(input: Any, y: Any) -> Tensor:
    """Return Carlson's R_C(x, y) = R_F(x, y, y)."""
def elliprg(input: Any, y: Any, z: Any) -> Tensor:
    """Return Carlson's R_G(x, y, z)."""
def agm(a: Any, b: Any) -> Tensor:
    """Return the arithmetic-geometric mean of a, b > 0."""
def hyp0f1(v: Any, z: Any) -> Tensor:
    """Return the hypergeometric function ₀F₁(v; z)."""
def hyp1f1(a: Any, b: Any, x: Any) -> Tensor:
    """Return Kummer's function ₁F₁(a; b; x)."""
def hyp2f1(a: Any, b: Any, c: Any, z: Any) -> Tensor:
    """Return Gauss's function ₂F₁(a, b; c; z)."""
def hyperu(a: Any, b: Any, x: Any) -> Tensor:
    """Return Tricomi's function U(a, b, x)."""
def wright_bessel(a: Any, b: Any, x: Any) -> Tensor:
    """Return Wright's generalised Bessel function Σ xᵏ/(k! Γ(ak + b))."""
def log_wright_bessel(a: Any, b: Any, x: Any) -> Tensor:
    """Return the logarithm of Wright's generalised Bessel function."""
def chndtr(input: Any, df: Any, nc: Any) -> Tensor:
    """Return the noncentral χ² distribution function, for nc ≥ 0."""
def chndtrix(p: Any, df: Any, nc: Any) -> Tensor:
    """Return the x with chndtr(x, df, nc) = p."""
def chndtrinc(input: Any, df: Any, p: Any) -> Tensor:
    """Return the nc with chndtr(x, df, nc) = p."""
def eval_jacobi(n: Any, alpha: Any, beta: Any, x: Any) -> Tensor:
    """Return Jacobi's polynomial P_n^(α, β)(x)."""
def eval_gegenbauer(n: Any, alpha: Any, x: Any) -> Tensor:
    """Return Gegenbauer's polynomial C_n^(α)(x)."""
def eval_chebyt(n: Any, x: Any) -> Tensor:
    """Return Chebyshev's polynomial T_n(x) of degree n."""
def eval_chebyu(n: Any, x: Any) -> Tensor:
    """Return Chebyshev's polynomial U_n(x) of degree n."""
def eval_chebyc(n: Any, x: Any) -> Tensor:
    """Return the polynomial 2 T_n(x/2) of degree n."""
def eval_chebys(n: Any, x: Any) -> Tensor:
    """Return the polynomial U_n(x/2) of degree n."""
def eval_sh_chebyt(n: Any, x: Any) -> Tensor:
    """Return the polynomial T_n(2x - 1) of degree n."""
def eval_sh_chebyu(n: Any, x: Any) -> Tensor:
    """Return the polynomial U_n(2x - 1) of degree n."""
def eval_legendre(n: Any, x: Any) -> Tensor:
    """Return Legendre's polynomial P_n(x) of degree n."""
def eval_sh_legendre(n: Any, x: Any) -> Tensor:
    """Return the polynomial P_n(2x - 1) of degree n."""
def eval_genlaguerre(n: Any, alpha: Any, x: Any) -> Tensor:
    """Return the generalised Laguerre polynomial L_n^(α)(x)."""
def eval_laguerre(n: Any, x: Any) -> Tensor:
    """Return Laguerre's polynomial L_n(x) of degree n."""
def eval_hermite(n: Any, x: Any) -> Tensor:
    """Return Hermite's polynomial H_n(x) of degree n."""
def eval_hermitenorm(n: Any, x: Any) -> Tensor:
    """Return Hermite's polynomial He_n(x) of degree n."""
def eval_sh_jacobi(n: Any, p: Any, q: Any, x: Any) -> Tensor:
    """Return the shifted Jacobi polynomial G_n^(p, q)(x)."""
def lpmv(m: Any, v: Any, x: Any) -> Tensor:
    """Return the associated Legendre function of order m and degree v."""
def airy(input: Any) -> tuple[Tensor, ...]:
    """Return the Airy functions Ai, Ai', Bi and Bi'."""
def airye(input: Any) -> tuple[Tensor, ...]:
    """Return the Airy functions Ai, Ai', Bi and Bi', scaled by exp(±2/3 x√x)."""
def sici(input: Any) -> tuple[Tensor, ...]:
    """Return the sine and cosine integrals Si and Ci."""
def shichi(input: Any) -> tuple[Tensor, ...]:
    """Return the hyperbolic sine and cosine integrals Shi and Chi."""
def fresnel(input: Any) -> tuple[Tensor, ...]:
    """Return the Fresnel integrals S and C."""
def ellipj(u: Any, m: Any) -> tuple[Tensor, ...]:
    """Return Jacobi's elliptic functions sn, cn, dn and the amplitude, of u and the parameter m."""
def itj0y0(input: Any) -> tuple[Tensor, ...]:
    """Return the integrals of J₀ and Y₀ from 0 to x."""
def iti0k0(input: Any) -> tuple[Tensor, ...]:
    """Return the integrals of I₀ and K₀ from 0 to x."""
def it2j0y0(input: Any) -> tuple[Tensor, ...]:
    """Return ∫ (1 - J₀(t))/t dt from 0 to x, and ∫ Y₀(t)/t dt from x to ∞."""
def it2i0k0(input: Any) -> tuple[Tensor, ...]:
    """Return ∫ (I₀(t) - 1)/t dt from 0 to x, and ∫ K₀(t)/t dt from x to ∞."""
def itairy(input: Any) -> tuple[Tensor, ...]:
    """Return the integrals of Ai and Bi from 0 to x, and from 0 to -x."""
def pbdv(v: Any, x: Any) -> tuple[Tensor, ...]:
    """Return the parabolic cylinder function D_v(x) and its derivative."""
def pbvv(v: Any, x: Any) -> tuple[Tensor, ...]:
    """Return the parabolic cylinder function V_v(x) and its derivative."""
def pbwa(a: Any, x: Any) -> tuple[Tensor, ...]:
    """Return the parabolic cylinder function W(a, x) and its derivative."""
def mathieu_cem(m: Any, q: Any, x: Any) -> tuple[Tensor, ...]:
    """Return SciPy's mathieu_cem, a function and its derivative."""
def mathieu_modcem1(m: Any, q: Any, x: Any) -> tuple[Tensor, ...]:
    """Return SciPy's mathieu_modcem1, a function and its derivative."""
def mathieu_modcem2(m: Any, q: Any, x: Any) -> tuple[Tensor, ...]:
    """Return SciPy's mathieu_modcem2, a function and its derivative."""
def mathieu_sem(m: Any, q: Any, x: Any) -> tuple[Tensor, ...]:
    """Return SciPy's mathieu_sem, a function and its derivative."""
def mathieu_modsem1(m: Any, q: Any, x: Any) -> tuple[Tensor, ...]:
    """Return SciPy's mathieu_modsem1, a function and its derivative."""
def mathieu_modsem2(m: Any, q: Any, x: Any) -> tuple[Tensor, ...]:
    """Return SciPy's mathieu_modsem2, a function and its derivative."""
def pro_ang1(m: Any, n: Any, c: Any, x: Any) -> tuple[Tensor, ...]:
    """Return SciPy's pro_ang1, a function and its derivative."""
def obl_ang1(m: Any, n: Any, c: Any, x: Any) -> tuple[Tensor, ...]:
    """Return SciPy's obl_ang1, a function and its derivative."""
def pro_rad1(m: Any, n: Any, c: Any, x: Any) -> tuple[Tensor, ...]:
    """Return SciPy's pro_rad1, a function and its derivative."""
def obl_rad1(m: Any, n: Any, c: Any, x: Any) -> tuple[Tensor, ...]:
    """Return SciPy's obl_rad1, a function and its derivative."""
def hankel1(v: Any, z: Any) -> Tensor:
    """Return the Hankel function of the first kind, J_v(z) + i Y_v(z). The result is complex, even for real z."""
def hankel1e(v: Any, z: Any) -> Tensor:
    """Return exp(-iz) hankel1(v, z). The result is complex, even for real z."""
def hankel2(v: Any, z: Any) -> Tensor:
    """Return the Hankel function of the second kind, J_v(z) - i Y_v(z). The result is complex, even for real z."""
def hankel2e(v: Any, z: Any) -> Tensor:
    """Return exp(iz) hankel2(v, z). The result is complex, even for real z."""
def wofz(z: Any) -> Tensor:
    """Return Faddeeva's function exp(-z²) erfc(-iz). The result is complex, even for real z."""
def bessel_y0(input: Any) -> Tensor:
    """Return the Bessel function of the second kind Y₀(x)."""
def bessel_y1(input: Any) -> Tensor:
    """Return the Bessel function of the second kind Y₁(x)."""
def modified_bessel_i0(input: Any) -> Tensor:
    """An alias of ``symgrad.i0``."""
def modified_bessel_i1(input: Any) -> Tensor:
    """An alias of ``symgrad.i1``."""
def modified_bessel_k0(input: Any) -> Tensor:
    """Return the modified Bessel function K₀(x)."""
def modified_bessel_k1(input: Any) -> Tensor:
    """Return the modified Bessel function K₁(x)."""
def scaled_modified_bessel_k0(input: Any) -> Tensor:
    """Return exp(x) K₀(x)."""
def scaled_modified_bessel_k1(input: Any) -> Tensor:
    """Return exp(x) K₁(x)."""
def airy_ai(input: Any) -> Tensor:
    """Return the Airy function Ai(x)."""
def chebyshev_polynomial_t(input: Any, n: Any) -> Tensor:
    """Return Chebyshev's polynomial T_n(x) of degree n."""
def chebyshev_polynomial_u(input: Any, n: Any) -> Tensor:
    """Return Chebyshev's polynomial U_n(x) of degree n."""
def shifted_chebyshev_polynomial_t(input: Any, n: Any) -> Tensor:
    """Return the polynomial T_n(2x - 1) of degree n."""
def shifted_chebyshev_polynomial_u(input: Any, n: Any) -> Tensor:
    """Return the polynomial U_n(2x - 1) of degree n."""
def hermite_polynomial_h(input: Any, n: Any) -> Tensor:
    """Return Hermite's polynomial H_n(x) of degree n."""
def hermite_polynomial_he(input: Any, n: Any) -> Tensor:
    """Return Hermite's polynomial He_n(x) of degree n."""
def laguerre_polynomial_l(input: Any, n: Any) -> Tensor:
    """Return Laguerre's polynomial L_n(x) of degree n."""
def legendre_polynomial_p(input: Any, n: Any) -> Tensor:
    """Return Legendre's polynomial P_n(x) of degree n."""
def chebyshev_polynomial_v(input: Any, n: Any) -> Tensor:
    """Return the Chebyshev polynomial of the third kind, V_n."""
def chebyshev_polynomial_w(input: Any, n: Any) -> Tensor:
    """Return the Chebyshev polynomial of the fourth kind, W_n."""
def shifted_chebyshev_polynomial_v(input: Any, n: Any) -> Tensor:
    """Return the shifted Chebyshev polynomial of the third kind, V_n."""
def shifted_chebyshev_polynomial_w(input: Any, n: Any) -> Tensor:
    """Return the shifted Chebyshev polynomial of the fourth kind, W_n."""
def cbrt(input: Any) -> Tensor:
    """Return the cube root of x, also for negative x."""
def lambertw(z: Any, k: int = 0) -> Tensor:
    """Return Lambert's W, the solution w of w eʷ = z: real for z ≥ -1/e on the branches k = 0 and -1, otherwise nan."""
def factorial(n: Any) -> Tensor:
    """Return n! = Γ(n + 1) for real n."""
def spherical_jn(n: Any, z: Any) -> Tensor:
    """Return the spherical Bessel function j_n(z) of integer order n."""
def spherical_yn(n: Any, z: Any) -> Tensor:
    """Return the spherical Bessel function y_n(z) of integer order n."""
def spherical_in(n: Any, z: Any) -> Tensor:
    """Return the spherical Bessel function i_n(z) of integer order n."""
def spherical_kn(n: Any, z: Any) -> Tensor:
    """Return the spherical Bessel function k_n(z) of integer order n."""
def kelvin(input: Any) -> Tensor:
    """Return Kelvin's functions as complex numbers: ber x + i bei x, ker x + i kei x, and their derivatives."""
def softmax(input: Any, dim: Any = None, *, axis: Any = None, dtype: Any = None) -> Tensor:
    """Return exp x / Σ exp x along one or several axes, by default all, as in SciPy."""
def log_softmax(input: Any, dim: Any = None, *, axis: Any = None, dtype: Any = None) -> Tensor:
    """Return x - log Σ exp x along one or several axes, by default all, as in SciPy."""
def log_expit(input: Any) -> Tensor:
    """An alias of ``symgrad.logsigmoid``."""
def round(input: Any) -> Tensor:
    """An alias of ``symgrad.round``."""
def softplus(input: Any) -> Tensor:
    """An alias of ``symgrad.softplus``."""
def jn(v: Any, x: Any) -> Tensor:
    """Return the Bessel function of the first kind, J_v(x)."""
def spherical_bessel_j0(input: Any) -> Tensor:
    """Return the spherical Bessel function j₀(x) = sin(x)/x."""
