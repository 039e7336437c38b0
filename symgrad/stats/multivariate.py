"""Distributions of vectors, matrices and classes. The axes before those of one observation are batch axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import has_value, tensor_value
from symgrad.core.promotion import FLOAT64, is_floating
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, LinAlgError, NotYet, ShapeError
from symgrad.functions import (
    amax,
    amin,
    diag,
    digamma,
    exp,
    floor,
    lgamma,
    log,
    log_softmax,
    logsigmoid,
    mvlgamma,
    polygamma,
    softmax,
    trace,
    where,
)
from symgrad.linalg import cholesky, eigh, inv, slogdet, solve
from symgrad.ops.map import Map, show_shape
from symgrad.scalars import X
from symgrad.scalars import log as _log
from symgrad.scalars import log1p as _log1p
from symgrad.scalars.densities import checked, filled, half_step, log_beta, log_rest, times_log
from symgrad.scalars.special import lgamma as _lgamma
from symgrad.scalars.stable import softplus
from symgrad.special import entr
from symgrad.stats import transforms
from symgrad.stats.continuous import chi2, gamma, logistic
from symgrad.stats.frozen import Frozen
from symgrad.stats.sampling import drawn_by, generator_of, value_of
from symgrad.tensors.creation import eye
from symgrad.tensors.sampling import numbers

_SUM = 1e-9  # how far from 1 the sum of proportions may be, as in SciPy
_HUGE, _PART = sp.Float(1e150), sp.Float(1e-200)  # of entries, beyond which a sum of squares may overflow; of these
_PARAMETER = 1e-5  # the same of probabilities that are parameters, and of a matrix beside its transpose


class Multivariate:
    """A family of distributions of vectors or matrices, which has the methods of SciPy's distributions."""

    name = ""
    transform: transforms.Transform | None = None  # onto the support, of densities

    def __init__(self) -> None:
        self.__doc__, self.__module__ = type(self).__doc__, "symgrad.stats"  # where pickle finds it

    def __repr__(self) -> str:
        return f"symgrad.stats.{self.name}"

    def __reduce__(self) -> str:
        return self.name

    def __call__(self, *args: Any, **kwargs: Any) -> Frozen:
        """Return the distribution with these parameters."""
        return Frozen(self, *args, **kwargs)


class Density(Multivariate):
    """A family that has a density."""

    def logpdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return log p(x)."""
        raise NotImplementedError

    def pdf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the density p(x); the arguments are those of ``logpdf``."""
        return exp(self.logpdf(x, *args, **kwargs))


class Mass(Multivariate):
    """A family of counts or classes, which have probabilities."""

    def logpmf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return log P(x)."""
        raise NotImplementedError

    def pmf(self, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the probability P(x); the arguments are those of ``logpmf``."""
        return exp(self.logpmf(x, *args, **kwargs))


def squared(d: Any, a: Any) -> Any:
    """A covariance as a matrix: from a number, or from a diagonal."""
    a = as_tensor(a)
    return a * eye(d) if a.ndim == 0 else diag(a) if a.ndim == 1 else a


def _classes(rng: Any, p: Any, size: Any) -> Any:
    return rng.choice(len(p), size=size, p=p)


def _counts(rng: Any, n: Any, p: Any, size: Any) -> Any:
    """Draw counts by NumPy, and pass on its errors about the parameters."""
    try:
        return rng.multinomial(n, p, size)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"multinomial.rvs: {error}. Expected n, a number of 0 or more, and probabilities p with the sum 1."
        ) from error


def _length(mean: Any) -> Any:
    """The number of entries of a mean; of a number, or without one, 1."""
    sizes = () if mean is None else as_tensor(mean).shape
    return sizes[-1] if sizes else 1


def _vector(name: str, a: Any) -> Any:
    a = as_tensor(a)
    if not a.ndim:
        raise ShapeError(f"{name} must be a vector. Got a number; write [v] for a number v.")
    return a


def matrix(name: str, a: Any) -> Any:
    """Return a tensor with rows and columns."""
    a = as_tensor(a)
    if a.ndim < 2:
        raise ShapeError(f"{name} must be a matrix. Got shape {show_shape(a.shape)}; write [[v]] for a number v.")
    return a


def traces(a: Any) -> Any:
    """Return the trace of a matrix, or of each matrix of a batch."""
    return trace(a) if a.ndim == 2 else a.diagonal(0, -2, -1).sum(-1)


def many(size: Any) -> tuple[int, ...]:
    """Return the shape of a sample."""
    return tuple(size) if isinstance(size, (tuple, list, range)) else (int(size),)


def check_positive(name: str, a: Any) -> None:
    """Refuse a matrix that is known and not symmetric or positive definite; of a symbol nothing is known."""
    if not isinstance(a, TensorBase) or not has_value(a):
        return
    value = np.asarray(tensor_value(a))
    difference, largest = (np.max(np.abs(x), initial=0.0) for x in (value - value.mT, value))
    if difference > _PARAMETER * largest:
        raise LinAlgError(
            f"{name} must be symmetric and positive definite. Got a matrix that differs from its transpose by "
            f"{difference:.3g}; pass (A + A.T)/2."
        )
    try:
        np.linalg.cholesky(value)
    except np.linalg.LinAlgError as error:
        raise LinAlgError(
            f"{name} must be symmetric and positive definite. Got a matrix that is not; add a multiple of eye."
        ) from error


class MultivariateNormal(Density):
    """The multivariate normal distribution: log p(x) = -(x - μ)ᵀ Σ⁻¹ (x - μ)/2 - log det Σ/2 - d log(2π)/2.

    Parameters: mean, by default 0, and cov, which may be a number or a diagonal.
    """

    name, transform = "multivariate_normal", transforms.real

    def logpdf(self, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
        """Return log p(x) of x (…, d)."""
        x = as_tensor(x)
        if x.ndim == 0:
            raise ShapeError("multivariate_normal: x must have at least one axis. Got a number.")
        r = x if mean is None else x - as_tensor(mean)
        d = r.shape[-1]
        if allow_singular:
            return _of_rank(squared(d, cov), r)
        cov = self._covariance(d, cov)
        return -(_squares(cov, r) + slogdet(cov)[1] + math.log(2 * math.pi) * d) / 2

    def rvs(self, mean: Any = None, cov: Any = 1, size: Any = 1, random_state: Any = None) -> Any:
        """Draw random vectors μ + L z with L Lᵀ = Σ, differentiable with respect to both, with SciPy's shape."""
        cov = self._covariance(_length(mean), cov)
        z = drawn_by(random_state, numbers, "standard_normal", (*many(size), cov.shape[-1]), FLOAT64)
        sample = z @ cholesky(cov).mT + (0.0 if mean is None else mean)
        return sample[0] if size == 1 else sample

    def entropy(self, mean: Any = None, cov: Any = 1) -> Any:
        """Return (d + d log(2π) + log det Σ)/2."""
        cov = self._covariance(_length(mean), cov)
        return (slogdet(cov)[1] + (1 + math.log(2 * math.pi)) * cov.shape[-1]) / 2

    def fisher_information(self, mean: Any = None, cov: Any = 1) -> Any:
        """Return the Fisher information about the mean, Σ⁻¹."""
        return inv(self._covariance(_length(mean), cov))

    def _covariance(self, d: Any, cov: Any) -> Any:
        """Return the covariance as a matrix."""
        cov = squared(d, cov)
        check_positive("multivariate_normal: cov", cov)
        return cov


def _of_rank(cov: Any, r: Any) -> Any:
    """Log p on the support of a covariance that may be singular: by its eigenvalues above rounding; −∞ off it."""
    values, vectors = eigh(as_tensor(cov))
    least = 1e6 * np.finfo(np.float64).eps * values.detach().abs().max()
    is_kept = values > least
    parts, safe = (r @ vectors) ** 2, where(is_kept, values, 1.0)
    squares, outside = where(is_kept, parts / safe, 0.0).sum(-1), where(is_kept, 0.0, parts).sum(-1)
    log_p = -(squares + safe.log().sum() + math.log(2 * math.pi) * is_kept.sum()) / 2
    return where(outside > least, -math.inf, log_p)


def _squares(cov: Any, r: Any) -> Any:
    """Rᵀ Σ⁻¹ r along the last axis."""
    if r.ndim == 1:
        return r @ solve(cov, r)
    rows = r if r.ndim == 2 else r.reshape(-1, r.shape[-1])
    squares = (solve(cov, rows.T).T * rows).sum(-1)
    return squares if r.ndim == 2 else squares.reshape(*r.shape[:-1])


# ------------------------------------------------------------------ entries, with what a density looks at beside them
def _over_zero(x: sp.Expr) -> sp.Expr:
    """At least 0 where x is positive."""
    return sp.Piecewise((x, x > 0), (-1, True))


def _power(x: sp.Expr, a: sp.Expr) -> sp.Expr:
    """(a - 1) log x of 0 ≤ x."""
    inside = sp.Piecewise((-1, (x <= 0) & (a > 1)), (x, True))
    return filled(times_log(a - 1, filled(x, inside, sp.Rational(1, 2))), inside, -sp.oo)


def _count(x: sp.Expr, p: sp.Expr) -> sp.Expr:
    """The term x log p - log x! of an integer x ≥ 0."""
    inside = sp.Piecewise((-1, x > sp.floor(x)), (x, True))
    whole = filled(x, inside, 1)
    return filled(times_log(whole, p) - _lgamma(whole + 1), inside, -sp.oo)


def _choices(x: sp.Expr, a: sp.Expr) -> sp.Expr:
    """Log Γ(x + a) - log Γ(a) - log x! of an integer x ≥ 0, by log B(x, a), which stays accurate for a large a."""
    inside = sp.Piecewise((-1, x > sp.floor(x)), (x, True))
    whole = filled(x, x - 1, 1)
    return filled(filled(-log_beta(whole, a) - _log(whole), x - 1, 0), inside, -sp.oo)


def _log1p_squares_of(squares: sp.Expr, largest: sp.Expr, df: sp.Expr) -> sp.Expr:
    """Log(1 + squares/ν), where the squares are those of parts of huge entries by log(1 + exp(…))."""
    near = _HUGE - largest
    far = softplus(_log(filled(1, near, squares)) - 2 * _log(_PART) - _log(df))
    return filled(_log1p(squares / df), near, far)


POWER = Map(lambda: checked(_power(X[0], X[1]), _over_zero(X[1])), 2, "DirichletTerms")
COUNT = Map(
    lambda: checked(_count(X[0], X[1]), sp.Piecewise((X[1], (X[1] >= 0) & (X[1] <= 1)), (-1, True))),
    2,
    "MultinomialTerms",
)
ENOUGH = Map(lambda: checked(X[0], _over_zero(X[0] - X[1] + 1)), 2, "DegreesOfFreedom")
POSITIVE = Map(lambda: checked(X[0], _over_zero(X[0])), 1, "WherePositive")
CHOICES = Map(lambda: _choices(X[0], X[1]), 2, "DirichletMultinomialTerms")
HALF_STEP = Map(lambda: half_step(0, X[0]), 1, "LogGammaStep")
LOG_REST = Map(lambda: log_rest(X[0]), 1, "LogRest")
REDUCED = Map(lambda: filled(X[0], _HUGE - X[1], X[0] * _PART), 2, "Reduced")
LOG1P_SQUARES = Map(lambda: _log1p_squares_of(X[0], X[1], X[2]), 3, "Log1pSquares")
WHERE_CLOSE = Map(lambda: filled(X[0], _SUM - sp.Abs(X[1] - X[2]), -sp.oo), 3, "WhereSumsAgree")
WHERE_PROBABILITIES = Map(
    lambda: checked(checked(X[0], _PARAMETER - sp.Abs(X[1] - 1)), X[2]), 3, "WhereProbabilities"
)  # of a sum, and the least of them


def of_probabilities(y: Any, p: Any) -> Any:
    """What follows from probabilities along a last axis; nan where they are negative or their sum is not 1."""
    total, least = p.sum(-1), amin(p, -1)
    beyond = y.ndim - total.ndim
    if beyond > 0:
        total, least = (x.reshape(*x.shape, *[1] * beyond) for x in (total, least))
    return WHERE_PROBABILITIES(y, total, least)


class Dirichlet(Density):
    """The Dirichlet distribution: log p(x) = Σ (αᵢ - 1) log xᵢ + log Γ(Σ αᵢ) - Σ log Γ(αᵢ), of xᵢ ≥ 0 with sum 1.

    Parameters: alpha.
    """

    name, transform = "dirichlet", transforms.simplex

    def logpdf(self, x: Any, alpha: Any) -> Any:
        """Return log p(x) for x (…, k); -∞ outside the simplex."""
        x, alpha = as_tensor(x), _vector("dirichlet: alpha", alpha)
        density = POWER(x, alpha).sum(-1) + lgamma(alpha.sum(-1)) - lgamma(alpha).sum(-1)
        return WHERE_CLOSE(density, x.sum(-1), 1.0)

    def rvs(self, alpha: Any, size: Any = 1, random_state: Any = None) -> Any:
        """Draw random proportions g/Σ gᵢ of gamma variables, (size, k), differentiable with respect to alpha."""
        alpha = _vector("dirichlet: alpha", alpha)
        g = gamma.rvs(alpha, size=(*many(size), alpha.shape[-1]), random_state=random_state)
        return g / g.sum(-1, keepdim=True)

    def mean(self, alpha: Any) -> Any:
        """Return the mean E X = α/Σ αᵢ."""
        alpha = POSITIVE(_vector("dirichlet: alpha", alpha))
        return alpha / alpha.sum(-1, keepdim=True)

    def var(self, alpha: Any) -> Any:
        """Return the variances m (1 - m)/(1 + Σ αᵢ), with the mean m."""
        m = self.mean(alpha)
        return m * (1 - m) / (1 + _vector("dirichlet: alpha", alpha).sum(-1, keepdim=True))

    def entropy(self, alpha: Any) -> Any:
        """Return -E log p(X)."""
        alpha = _vector("dirichlet: alpha", alpha)
        total = alpha.sum(-1)
        inner = ((alpha - 1) * digamma(alpha)).sum(-1) - lgamma(alpha).sum(-1)
        return (total - alpha.shape[-1]) * digamma(total) - lgamma(total) - inner

    def fisher_information(self, alpha: Any) -> Any:
        """Return E (score scoreᵀ) = diag ψ′(α) - ψ′(Σ αᵢ)."""
        alpha = POSITIVE(_vector("dirichlet: alpha", alpha))
        return diag(polygamma(1, alpha)) - polygamma(1, alpha.sum())


class Multinomial(Mass):
    """The multinomial distribution: log P(x) = log n! - Σ log xᵢ! + Σ xᵢ log pᵢ, of counts xᵢ with sum n.

    Parameters: n, p. All of p is used as passed; SciPy replaces its last entry by 1 minus the sum of the others.
    """

    name = "multinomial"

    def logpmf(self, x: Any, n: Any, p: Any) -> Any:
        """Return log P(x) for x (…, k); -∞ if the counts do not sum to n."""
        x, p = as_tensor(x), as_tensor(p)
        terms = COUNT(x, p).sum(-1) + lgamma(as_tensor(n) + 1)
        return of_probabilities(WHERE_CLOSE(terms, x.sum(-1), as_tensor(n)), p)

    def rvs(self, n: Any, p: Any, size: Any = None, random_state: Any = None) -> Any:
        """Draw random counts, which have no derivative."""
        return drawn_by(random_state, _counts, value_of(n), value_of(p), size)

    def mean(self, n: Any, p: Any) -> Any:
        """Return the mean E X = n p."""
        p = as_tensor(p)
        return of_probabilities(as_tensor(n) * p, p)

    def cov(self, n: Any, p: Any) -> Any:
        """Return the covariance n (diag p - p pᵀ)."""
        p = as_tensor(p)
        return of_probabilities(as_tensor(n) * (diag(p) - p[:, None] * p), p)


class Categorical(Mass):
    """The categorical distribution of a class k among 0, …, c - 1: log P(k) = log p[k]. SciPy does not have it.

    Parameters: p, the probabilities along the last axis; or logits, with p = softmax(logits).
    """

    name = "categorical"

    def logpmf(self, k: Any, p: Any = None, *, logits: Any = None) -> Any:
        """Return log P(k) of classes k, each drawn with the same p (c,); -∞ if the class does not exist."""
        logs = _of_one("categorical", p, logits, lambda p: of_probabilities(log(p), p), lambda z: log_softmax(z, -1))
        if logs.ndim != 1:
            raise ShapeError(f"categorical: p has one axis, of the classes. Got {logs.ndim}; use vmap for more.")
        k = k if isinstance(k, (int, TensorBase)) else np.asarray(k)
        if not isinstance(k, int) and is_floating(k.dtype):
            raise ArgumentTypeError(
                f"categorical: the classes k must be integers. Got dtype {k.dtype}; convert them to int."
            )
        inside = (k >= 0) & (k < logs.shape[0])
        known = tensor_value(inside) if isinstance(inside, TensorBase) else inside
        if known is not None and np.all(known):
            return logs[k]
        return where(inside, logs[k * inside], -math.inf)

    def rvs(self, p: Any = None, size: Any = None, random_state: Any = None, *, logits: Any = None) -> Any:
        """Draw random classes, which have no derivative."""
        p = value_of(_of_one("categorical", p, logits, as_tensor, lambda z: softmax(z, -1)))
        if p.ndim != 1 or not p.size:
            raise ShapeError(f"categorical: p has one axis, of the classes. Got shape {show_shape(p.shape)}.")
        if not (np.all(p >= 0) and abs(p.sum() - 1) <= _PARAMETER):
            raise ArgumentError(f"categorical: p must not be negative and have the sum 1. Got the sum {p.sum():.6g}.")
        return drawn_by(random_state, _classes, p / p.sum(), size)

    def entropy(self, p: Any = None, *, logits: Any = None) -> Any:
        """Return -Σ pᵢ log pᵢ."""
        p = _of_one("categorical", p, logits, as_tensor, lambda z: softmax(z, -1))
        return of_probabilities(entr(p).sum(-1), p)


def _of_one(name: str, p: Any, logits: Any, of_p: Callable[[Any], Any], of_logits: Callable[[Any], Any]) -> Any:
    """Return a function of the one parameter that is passed."""
    if (p is None) == (logits is None):
        raise ArgumentTypeError(f"{name}: pass p or logits. Got {'neither' if p is None else 'both'}.")
    return of_logits(as_tensor(logits)) if p is None else of_p(as_tensor(p))


class Wishart(Density):
    """The Wishart distribution: log p(X) = ((ν - p - 1) log det X - tr V⁻¹X - ν p log 2 - ν log det V)/2 - log Γₚ(ν/2).

    Parameters: df = ν > p - 1, scale = V.
    """

    name, transform = "wishart", transforms.cov_matrix

    def logpdf(self, x: Any, df: Any, scale: Any) -> Any:
        """Return log p(X) of a positive definite X (p, p)."""
        x, scale = matrix("wishart: x", x), matrix("wishart: scale", scale)
        p = scale.shape[-1]
        if isinstance(p, sp.Expr):
            raise NotYet(f"wishart: log Γₚ has as many terms as rows. Got {p} rows; make the symbol with a number.")
        check_positive("wishart: x", x)
        check_positive("wishart: scale", scale)
        df = degrees(df, p)
        of_x = (df - (p + 1)) * slogdet(x)[1] - traces(solve(scale, x))
        normaliser = df * slogdet(scale)[1] / 2 + df * (p * math.log(2) / 2) + mvlgamma(df / 2, p)
        return of_x / 2 - normaliser

    def rvs(self, df: Any, scale: Any, size: Any = 1, random_state: Any = None) -> Any:
        """Draw random matrices L A (L A)ᵀ with L Lᵀ = V, differentiable with respect to both, with SciPy's shape."""
        scale = matrix("wishart: scale", scale)
        check_positive("wishart: scale", scale)
        root = cholesky(scale) @ bartlett(df, scale.shape[-1], size, random_state)
        return root @ root.mT

    def mean(self, df: Any, scale: Any) -> Any:
        """Return the mean E X = ν V."""
        scale = matrix("wishart: scale", scale)
        return degrees(df, scale.shape[-1]) * scale


def bartlett(df: Any, p: int, size: Any, random_state: Any) -> Any:
    """Random triangles A with A Aᵀ of Wishart's distribution: χ of ν, ν - 1, … on the diagonal, normal below."""
    random_state, shape = generator_of(random_state), () if size == 1 else many(size)
    falling = as_tensor(degrees(df, p))[..., None] - np.arange(float(p))
    diagonal = chi2.rvs(falling, size=(*shape, p), random_state=random_state).sqrt()
    z = drawn_by(random_state, numbers, "standard_normal", (*shape, p, p), FLOAT64)
    return z * np.tril(np.ones((p, p)), -1) + diagonal[..., None] * np.eye(p)


class MultivariateT(Density):
    """The multivariate t distribution: log p(x) = log Γ((ν+d)/2) - log Γ(ν/2) - (ν+d)/2 log(1 + q/ν) - log det(πν Σ)/2.

    Parameters: loc, shape = Σ, df = ν; q = (x - loc)ᵀ Σ⁻¹ (x - loc).
    """

    name, transform = "multivariate_t", transforms.real

    def logpdf(self, x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
        """Return log p(x) of x (…, d)."""
        x = _vector("multivariate_t: x", x)
        r = x if loc is None else x - as_tensor(loc)
        d, df = r.shape[-1], POSITIVE(as_tensor(df))
        scale = squared(d, shape)
        check_positive("multivariate_t: shape", scale)
        normaliser = _half_steps(df / 2, d) - (log(df * math.pi) * d + slogdet(scale)[1]) / 2
        return normaliser - (df + d) / 2 * _log1p_squares(scale, r, df)

    def rvs(self, loc: Any = None, shape: Any = 1, df: Any = 1, size: Any = 1, random_state: Any = None) -> Any:
        """Draw random vectors loc + z √(ν/χ²) of normal z, with derivatives with respect to all parameters."""
        random_state = generator_of(random_state)
        z = multivariate_normal.rvs(None, squared(_length(loc), shape), size, random_state)
        g = chi2.rvs(df, size=z.shape[:-1], random_state=random_state)
        return z * (as_tensor(df) / g).sqrt()[..., None] + (0.0 if loc is None else loc)


def _log1p_squares(cov: Any, r: Any, df: Any) -> Any:
    """Log(1 + rᵀ Σ⁻¹ r/ν); of entries whose squares overflow, by parts of them."""
    largest = amax(r.abs(), -1)
    return LOG1P_SQUARES(_squares(cov, REDUCED(r, largest[..., None])), largest, df)


def _half_steps(x: Any, count: Any) -> Any:
    """Log Γ(x + count/2) - log Γ(x), without the difference of large numbers where count is a number."""
    if isinstance(count, sp.Expr):
        return lgamma(x + count / 2) - lgamma(x)
    whole = log(x[..., None] + (count / 2 - np.arange(1, count // 2 + 1))).sum(-1)
    return whole + HALF_STEP(x) if count % 2 else whole


class DirichletMultinomial(Mass):
    """The Dirichlet-multinomial distribution: log P(x) = log n! + Σ log [Γ(xᵢ + αᵢ)/(Γ(αᵢ) xᵢ!)] - log (A)ₙ.

    Parameters: alpha = α, n; (A)ₙ = Γ(A + n)/Γ(A) with A = Σ αᵢ.
    """

    name = "dirichlet_multinomial"

    def logpmf(self, x: Any, alpha: Any, n: Any) -> Any:
        """Return log P(x) for x (…, k); -∞ if the counts do not sum to n."""
        x, alpha, n = as_tensor(x), _vector("dirichlet_multinomial: alpha", alpha), as_tensor(n)
        total = alpha.sum(-1)
        terms = CHOICES(x, POSITIVE(alpha)).sum(-1) - CHOICES(n, total)
        return WHERE_CLOSE(terms, x.sum(-1), n)

    def rvs(self, alpha: Any, n: Any, size: Any = 1, random_state: Any = None) -> Any:
        """Draw random counts (size, k), which have no derivative."""
        random_state = generator_of(random_state)
        p = dirichlet.rvs(alpha, size, random_state).detach()
        return multinomial.rvs(n, p, None, random_state)

    def mean(self, alpha: Any, n: Any) -> Any:
        """Return the mean E X = n α/A."""
        return as_tensor(n) * dirichlet.mean(alpha)

    def var(self, alpha: Any, n: Any) -> Any:
        """Return the variances n m (1 - m) (n + A)/(1 + A), with m = α/A."""
        total = _vector("dirichlet_multinomial: alpha", alpha).sum(-1, keepdim=True)
        return as_tensor(n) * (n + total) * dirichlet.var(alpha)


class OrderedLogistic(Mass):
    """The ordered logistic distribution of classes k = 0, …, K - 1: P(k) = σ(η - cₖ₋₁) - σ(η - cₖ).

    Parameters: eta = η; and cutpoints = c, K - 1 increasing numbers along the last axis. Stan counts classes from 1.
    """

    name = "ordered_logistic"

    def logpmf(self, k: Any, eta: Any, cutpoints: Any) -> Any:
        """Return log P(k); -∞ if the class does not exist."""
        k, eta, cutpoints = as_tensor(k), as_tensor(eta), _vector("ordered_logistic: cutpoints", cutpoints)
        last = cutpoints.shape[-1]
        is_first, is_last = k == 0, k == last
        classes = np.arange(last)
        below = where(classes == (k - 1)[..., None], cutpoints, 0.0).sum(-1)
        above = where(classes == k[..., None], cutpoints, 0.0).sum(-1)
        gap = where(is_first | is_last, 1.0, above - below)
        inner = where(is_first | is_last, 0.0, LOG_REST(where(gap > 0, gap, math.nan)))
        value = where(is_first, 0.0, logsigmoid(eta - below)) + where(is_last, 0.0, logsigmoid(above - eta)) + inner
        value = where((k >= 0) & (k <= last) & (k == floor(k)), value, -math.inf)
        return where((cutpoints[..., 1:] > cutpoints[..., :-1]).all(-1), value, math.nan) if last > 1 else value

    def rvs(self, eta: Any, cutpoints: Any, size: Any = None, random_state: Any = None) -> Any:
        """Draw random classes, which have no derivative."""
        latent = logistic.rvs(value_of(eta), size=size, random_state=random_state)
        return as_tensor((latent.numpy()[..., None] > value_of(cutpoints)).sum(-1))


def degrees(df: Any, p: Any) -> Any:
    """Degrees of freedom of a matrix of p rows; nan where they are not more than p - 1."""
    return ENOUGH(as_tensor(df), p)


multivariate_normal, dirichlet, multinomial = MultivariateNormal(), Dirichlet(), Multinomial()
categorical, wishart, multivariate_t = Categorical(), Wishart(), MultivariateT()
dirichlet_multinomial, ordered_logistic = DirichletMultinomial(), OrderedLogistic()
