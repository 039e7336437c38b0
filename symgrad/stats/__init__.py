"""``sg.stats``: the distributions of ``scipy.stats`` for tensors.

Each distribution is declared once, and its methods are derived from the declaration.
"""

from symgrad.stats import transforms
from symgrad.stats.combined import censored, mixture, truncated, zero_inflated
from symgrad.stats.continuous import (
    beta,
    cauchy,
    chi2,
    expon,
    f,
    gamma,
    gumbel_l,
    gumbel_r,
    halfcauchy,
    halfnorm,
    halft,
    invgamma,
    laplace,
    logistic,
    lognorm,
    norm,
    pareto,
    rayleigh,
    t,
    uniform,
    vonmises,
    weibull_min,
)
from symgrad.stats.discrete import (
    bernoulli,
    bernoulli_logit,
    betabinom,
    binom,
    binomial_logit,
    geom,
    nbinom,
    neg_binomial_2,
    neg_binomial_2_log,
    poisson,
    poisson_log,
    zero_inflated_poisson,
)
from symgrad.stats.distribution import Continuous, Discrete, Distribution
from symgrad.stats.frozen import Frozen
from symgrad.stats.intervals import Estimate, Test
from symgrad.stats.likelihood import Fit, delta, fit
from symgrad.stats.matrices import invwishart, lkj, lkj_cholesky, matrix_normal
from symgrad.stats.modes import Laplace, Mode
from symgrad.stats.multivariate import (
    Multivariate,
    categorical,
    dirichlet,
    dirichlet_multinomial,
    multinomial,
    multivariate_normal,
    multivariate_t,
    ordered_logistic,
    wishart,
)
from symgrad.stats.posterior import Model, model
from symgrad.stats.skewed import exponnorm, genextreme, invgauss, skewnorm, truncnorm
from symgrad.support.arguments import check_methods
from symgrad.support.namespace import namespace

__all__ = [
    "Continuous", "Discrete", "Distribution", "Estimate", "Fit", "Frozen", "Laplace", "Mode", "Model",
    "Multivariate", "Test", "bernoulli", "bernoulli_logit", "beta", "betabinom", "binom", "binomial_logit",
    "categorical", "cauchy", "censored", "chi2", "delta", "dirichlet", "dirichlet_multinomial", "expon",
    "exponnorm", "f", "fit", "gamma", "genextreme", "geom", "gumbel_l", "gumbel_r", "halfcauchy", "halfnorm",
    "halft", "invgamma", "invgauss", "invwishart", "laplace", "lkj", "lkj_cholesky", "logistic", "lognorm",
    "matrix_normal", "mixture", "model", "multinomial", "multivariate_normal", "multivariate_t", "nbinom",
    "neg_binomial_2", "neg_binomial_2_log", "norm", "ordered_logistic", "pareto", "poisson", "poisson_log",
    "rayleigh", "skewnorm", "t", "transforms", "truncated", "truncnorm", "uniform", "vonmises", "weibull_min",
    "wishart", "zero_inflated", "zero_inflated_poisson",
]  # fmt: skip


def _kinds(value: object) -> list[type]:
    """Return the classes whose methods a distribution has."""
    kind = value if isinstance(value, type) else type(value)
    return [k for k in kind.__mro__ if k.__module__.startswith(__name__)]


__getattr__, __dir__ = namespace(globals(), __all__)

check_methods(*{kind for name in __all__ for kind in _kinds(globals()[name])})
