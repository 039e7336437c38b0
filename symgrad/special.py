"""``sg.special``: torch.special's names for functions that ``functions`` has.

Imports functions.
"""

from symgrad.functions import digamma, erf, erfc, exp2, expm1, lgamma, log1p, log_softmax, logsumexp, sigmoid, softmax

__all__ = [
    "digamma", "erf", "erfc", "exp2", "expit", "expm1", "gammaln", "log1p", "log_softmax",
    "logsumexp", "psi", "softmax",
]  # fmt: skip

expit, gammaln, psi = sigmoid, lgamma, digamma
