"""``sg.special``: torch.special's names, for functions that ``functions`` has and for more."""

from symgrad.engine.public import public
from symgrad.functions import (
    digamma,
    erf,
    erfc,
    erfinv,
    exp2,
    expm1,
    i0,
    lgamma,
    log1p,
    log_softmax,
    logit,
    logsumexp,
    polygamma,
    sigmoid,
    sinc,
    softmax,
    xlogy,
)
from symgrad.functions.made import of_one, of_two
from symgrad.ops.elementwise import bessel, gamma
from symgrad.support.namespace import namespace

__all__ = [
    "bessel_j0", "bessel_j1", "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2", "expit", "expm1", "gammaln",
    "i0", "i0e", "i1", "i1e", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "multigammaln", "ndtr", "ndtri",
    "polygamma", "psi", "sinc", "softmax", "xlog1py", "xlogy", "zeta",
]  # fmt: skip

expit, gammaln, psi, multigammaln = sigmoid, lgamma, digamma, public(gamma.mvlgamma)
bessel_j0, bessel_j1, zeta = public(bessel.bessel_j0), public(bessel.bessel_j1), public(gamma.zeta)
entr = of_one("entr", "-x log x, 0 at 0 and -∞ below.", "-log x - 1")
erfcx = of_one("erfcx", "exp(x²) erfc x, without underflow.", "2x y - 2/√π")
ndtr = of_one("ndtr", "Φ(x), the normal distribution function, accurate in the tail.", "exp(-x²/2)/√(2π)")
log_ndtr = of_one("log_ndtr", "log Φ(x), without underflow.", "φ(x)/Φ(x)")
ndtri = of_one("ndtri", "Φ⁻¹(x), the inverse of the normal distribution function.", "√(2π) exp(y²/2)")
i0e = of_one("i0e", "exp(-|x|) I₀(x).", "exp(-|x|) I₁(x) - sign(x) y")
i1 = of_one("i1", "The modified Bessel function I₁(x).", "I₀(x) - y/x")
i1e = of_one("i1e", "exp(-|x|) I₁(x).", "exp(-|x|) I₀(x) - y (sign(x) + 1/x)")
xlog1py = of_two("xlog1py", "x log(1 + other), and 0 where x = 0.")

__getattr__, __dir__ = namespace(globals(), __all__)
