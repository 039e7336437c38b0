"""``sg.stats``: scipy.stats' distributions of tensors. Each is declared once; its methods come of the declaration."""

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
from symgrad.stats.discrete import bernoulli, binom, geom, nbinom, poisson, zero_inflated_poisson
from symgrad.stats.distribution import Continuous, Discrete, Distribution
from symgrad.stats.frozen import Frozen
from symgrad.stats.multivariate import (
    Multivariate,
    categorical,
    dirichlet,
    multinomial,
    multivariate_normal,
    wishart,
)
from symgrad.support.arguments import check_methods
from symgrad.support.namespace import namespace

__all__ = [
    "Continuous", "Discrete", "Distribution", "Frozen", "Multivariate", "bernoulli", "beta", "binom", "categorical",
    "cauchy", "chi2", "dirichlet", "expon", "f", "gamma", "geom", "gumbel_l", "gumbel_r", "halfcauchy", "halfnorm",
    "halft", "invgamma", "laplace", "logistic", "lognorm", "multinomial", "multivariate_normal", "nbinom", "norm",
    "pareto", "poisson", "rayleigh", "t", "uniform", "vonmises", "weibull_min", "wishart", "zero_inflated_poisson",
]  # fmt: skip


def _kinds(value: object) -> list[type]:
    """Return the classes whose methods a distribution has."""
    kind = value if isinstance(value, type) else type(value)
    return [k for k in kind.__mro__ if k.__module__.startswith(__name__)]


__getattr__, __dir__ = namespace(globals(), __all__)

check_methods(*{kind for name in __all__ for kind in _kinds(globals()[name])})
