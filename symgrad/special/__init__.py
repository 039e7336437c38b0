"""``sg.special``: torch.special's names, for functions that ``functions`` has and for more, and SciPy's."""

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
    library,
    log1p,
    logit,
    logsumexp,
    polygamma,
    sigmoid,
    sinc,
    xlogy,
)
from symgrad.functions.made import published
from symgrad.ops.elementwise import bessel as _bessel
from symgrad.ops.elementwise import gamma as _gamma
from symgrad.support.namespace import namespace

DECLARED = published("special")
globals().update(library.FOUND)
globals().update(DECLARED)

__all__ = [
    *DECLARED,
    *library.FOUND,
    "bessel_j0", "bessel_j1", "digamma", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gammaln", "i0",
    "log1p", "logit", "logsumexp", "multigammaln", "polygamma", "psi", "sinc", "xlogy",
    "zeta",
]  # fmt: skip

expit, gammaln, psi, multigammaln = sigmoid, lgamma, digamma, public(_gamma.mvlgamma)
bessel_j0, bessel_j1, zeta = public(_bessel.bessel_j0), public(_bessel.bessel_j1), public(_gamma.zeta)

__getattr__, __dir__ = namespace(globals(), __all__)
