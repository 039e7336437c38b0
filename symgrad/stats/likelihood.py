"""``sg.stats.fit``: maximum likelihood, with standard errors, intervals and tests from exact derivatives."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from symgrad.compiler import compile as compiled
from symgrad.core.node import tensor_value
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, LinAlgError, NotConverged, NotYet, ShapeError, SymgradError
from symgrad.forms.derive import derive
from symgrad.func import grad
from symgrad.functions import broadcast_to, concatenate, reshape, stack
from symgrad.ops.map import broadcast_shapes
from symgrad.ops.protocol import shape as shape_of
from symgrad.stats.combined import log_density
from symgrad.stats.continuous import chi2, norm
from symgrad.stats.distribution import Distribution
from symgrad.stats.frozen import Frozen
from symgrad.stats.intervals import Estimate, Test, check_level, interval_of, summary
from symgrad.stats.sampling import check_count, seeded
from symgrad.stats.transforms import Transform
from symgrad.support.arguments import shown
from symgrad.support.notices import warn
from symgrad.tensors.creation import symbol
from symgrad.transforms.jacobians import hessian, jacobian
from symgrad.transforms.vmap import vmap

_STEPS = 200
_CLOSE = 1e-12  # of the Newton decrement, beside the size of the likelihood: another step is exact to all digits
_QUADRATIC, _SLOW = 20.0, 6  # gains of Newton's steps shrink by more near a maximum; how many may shrink by less
_CURVED = 1e-6  # of a curvature that is positive beyond rounding, beside the largest
_LETTERS = "dkmpqrs"


class Parameters:
    """The order of named parameters in one vector."""

    def __init__(self, x0: Any, names: Sequence[str] | None, prefix: str) -> None:
        self.is_dict = isinstance(x0, Mapping)
        parts = dict(x0) if self.is_dict else {"": x0}
        if not parts:
            raise ArgumentError("fit: x0 is empty. Expected a number, an array or a dict of them by name.")
        arrays = {name: _start_of(name, v) for name, v in parts.items()}
        self.shapes = {name: a.shape for name, a in arrays.items()}
        self.start = np.concatenate([a.reshape(-1) for a in arrays.values()])
        self.labels = [label for name, a in arrays.items() for label in _labels(name or prefix, a.shape)]
        if names is not None:
            if len(names) != len(self.labels):
                raise ArgumentError(f"fit: got {len(names)} names for {len(self.labels)} parameters.")
            self.labels = [*map(str, names)]

    def parts(self, vector: Any) -> dict[str, Any]:
        """The parts of a vector by name, with their shapes."""
        ends = np.cumsum([math.prod(s) for s in self.shapes.values()]).tolist()
        starts = [0, *ends[:-1]]
        return {
            name: reshape(vector[i:j], shape) if shape else vector[i]
            for (name, shape), i, j in zip(self.shapes.items(), starts, ends, strict=True)
        }

    def structure(self, vector: Any) -> Any:
        """What the likelihood takes: a dict as x0 is one, or a tensor."""
        parts = self.parts(vector)
        return parts if self.is_dict else parts[""]


def _start_of(name: str, value: Any) -> Any:
    """A parameter's start, which is finite."""
    array = as_tensor(value).detach().numpy()
    if np.iscomplexobj(array) or not np.all(np.isfinite(array)):
        what = f"of {name!r} " if name else ""
        raise ArgumentError(f"fit: the start {what}is {shown(value)}. Expected finite real numbers.")
    return np.asarray(array, np.float64)


def _labels(name: str, shape: tuple[int, ...]) -> list[str]:
    if not shape:
        return [name]
    return [f"{name}[{', '.join(map(str, index))}]" for index in np.ndindex(shape)]


class Likelihood:
    """A log-likelihood of one vector of parameters, with its derivatives."""

    def __init__(self, function: Callable[..., Any], order: Parameters, args: tuple[Any, ...], y: Any) -> None:
        self.function, self.order, self.args, self.y = function, order, args, y

    def terms(self, vector: Any) -> Any:
        """The log-likelihoods of the observations."""
        return self.of(self.order.structure(vector), self.args, self.y)

    def of(self, parameters: Any, args: Sequence[Any], y: Any) -> Any:
        """The same of parameters in their structure."""
        value = self.function(parameters, *args)
        if isinstance(value, Frozen) != (y is not None):
            expected = "log-likelihoods, or that you pass y" if y is None else "the distribution of y"
            raise ArgumentTypeError(f"fit: the function returned {shown(value)}. Expected {expected}.")
        if y is None:
            return as_tensor(value)
        try:
            return as_tensor(log_density(value, y))
        except ShapeError as error:
            raise ShapeError(
                f"fit: y has shape {tuple(shape_of(y))}, which the parameters of {value.dist.name} do not fit. {error}"
            ) from error

    def total(self, vector: Any) -> Any:
        """The log-likelihood of all observations."""
        return self.terms(vector).sum()

    @cached_property
    def value(self) -> Callable[[Any], Any]:
        """The total, compiled."""
        return compiled(self.total)

    @cached_property
    def gradient(self) -> Callable[[Any], Any]:
        """Its gradient, compiled."""
        return compiled(grad(self.total))

    @cached_property
    def hessian(self) -> Callable[[Any], Any]:
        """Its Hessian, compiled."""
        return compiled(hessian(self.total))

    @cached_property
    def scores(self) -> Callable[[Any], Any]:
        """The gradients of the observations, a row each."""
        return compiled(jacobian(lambda v: reshape(self.terms(v), (-1,))))

    def distribution(self, vector: Any) -> Frozen:
        """The distribution of y at these parameters."""
        frozen = self.function(self.order.structure(vector), *self.args)
        if not isinstance(frozen, Frozen) or not isinstance(frozen.dist, Distribution):
            raise NotYet(
                "fit: the expected information needs a distribution of sg.stats with a Fisher information. Pass y=…, "
                'and a function that returns the distribution of y; or take kind="observed".'
            )
        return frozen

    def expected_information(self, vector: Any) -> Any:
        """Σ Jᵀ I J over the observations, with the Fisher information I of the distribution's parameters."""
        frozen = self.distribution(vector)
        family, values = frozen.dist, _passed(frozen)
        names = [p for p in values if p not in family.whole]
        shape = broadcast_shapes(shape_of(self.y), *[shape_of(v) for v in values.values()])

        def rows(v: Any) -> Any:
            passed = _passed(self.distribution(v))
            return stack([reshape(broadcast_to(as_tensor(passed[p]), shape), (-1,)) for p in names], -1)

        slopes = np.asarray(jacobian(rows)(vector))
        information = np.empty((len(slopes), len(names), len(names)))
        moving = [k for k in range(len(names)) if np.any(slopes[:, k])]
        for p, q in product(moving, moving):
            entry = family.information_entry(names[p], names[q], values)
            information[:, p, q] = np.broadcast_to(entry.detach().numpy(), shape).ravel()
        slopes, information = slopes[:, moving], information[:, moving][:, :, moving]
        return np.einsum("npi,npq,nqj->ij", slopes, information, slopes)


def _passed(frozen: Frozen) -> dict[str, Any]:
    """The parameters of a distribution by name."""
    values: dict[str, Any] = frozen.dist.named_parameters(frozen.args, frozen.kwds)
    return values


# ------------------------------------------------------------------ Newton's method
def maximise(likelihood: Any, start: Any, free: Any, what: str) -> tuple[Any, int]:
    """Return the maximum in the ``free`` entries of a vector, and the number of Newton's steps.

    Where the Hessian is not negative definite, steps go uphill along its eigenvectors by the size of its eigenvalues.
    """
    at, value = np.array(start), float(likelihood.value(start))
    if not math.isfinite(value):
        raise ArgumentError(
            f"{what}: the log-likelihood is {value} at the starting point. Choose one at which it is finite."
        )
    slow, last = 0, math.inf
    for count in range(_STEPS):
        slope = np.asarray(likelihood.gradient(at))[free]
        curvature, vectors = np.linalg.eigh(-np.asarray(likelihood.hessian(at))[np.ix_(free, free)])
        size = np.maximum(np.abs(curvature), 1e-12 * (np.abs(curvature).max() or 1e12))
        step = vectors @ ((vectors.T @ slope) / size)
        gain = float(slope @ step)
        if not math.isfinite(gain):
            break
        scale, tolerance = 1.0, _CLOSE * (1 + abs(value))
        while scale > 1e-12:
            trial = at.copy()
            trial[free] += scale * step
            reached = float(likelihood.value(trial))
            if reached >= value + 1e-4 * scale * gain - tolerance:
                at, value = trial, reached
                break
            scale /= 2
        slow, last = (slow + 1 if gain > last / _QUADRATIC else 0), gain
        if gain <= tolerance and scale == 1.0:
            if curvature.min() < -_CURVED * np.abs(curvature).max():
                raise NotConverged(_saddle(what))
            if slow >= _SLOW:
                warn(_rising(what))
            return at, count + 1
        if scale <= 1e-12:
            break
    size = np.abs(np.asarray(likelihood.gradient(at))[free]).max()
    raise NotConverged(
        f"{what}: Newton's method stopped at a log-likelihood of {value:.6g} with a gradient of size {size:.3g}. Start "
        "closer, or pass constraints, such as transforms.positive."
    )


def _saddle(what: str) -> str:
    return (
        f"{what}: the log-likelihood is flat at the start, or on the way from it, where it has no maximum. Parameters "
        "that start as equals, such as the means of a mixture, are such a case. Start elsewhere."
    )


def _rising(what: str) -> str:
    return (
        f"{what}: the log-likelihood rises ever more slowly as parameters grow, and may have no maximum. Classes that "
        "a line separates are such a case. Expected data that determine every parameter: leave some out, or use priors "
        "with sg.stats.model."
    )


class _Unconstrained:
    """A likelihood of unconstrained parameters."""

    def __init__(self, likelihood: Likelihood, constraints: Mapping[str, Transform] | Transform) -> None:
        order = likelihood.order
        named = {"": constraints} if isinstance(constraints, Transform) else dict(constraints)
        for name, transform in named.items():
            if name not in order.shapes or transform.unconstrained_shape(order.shapes[name]) != order.shapes[name]:
                raise ArgumentError(
                    f"fit: constraints has {transform!r} for {name!r}. Expected names of parameters, and transforms "
                    f"that keep their number. The parameters are {', '.join(order.labels)}."
                )

        def point(u: Any) -> Any:
            return concatenate(
                [reshape(named[n].forward(p) if n in named else as_tensor(p), (-1,)) for n, p in order.parts(u).items()]
            )

        def total(u: Any) -> Any:
            return likelihood.total(point(u))

        self.point = point
        self.value, self.gradient, self.hessian = compiled(total), compiled(grad(total)), compiled(hessian(total))
        start = {n: named[n].inverse(p) if n in named else p for n, p in order.parts(as_tensor(order.start)).items()}
        self.start = np.concatenate([np.ravel(as_tensor(p).numpy()) for p in start.values()])


# ------------------------------------------------------------------ what is estimated
class Fit:
    """Maximum-likelihood estimates. Printing them shows a table of estimates, standard errors and intervals.

    ``params`` contains the estimates in the structure of x0, ``loglik`` is the log-likelihood, and ``nobs`` the number
    of observations. There are four kinds of covariance: "observed" is the inverse of the negative Hessian, "expected"
    the inverse of its expectation, "opg" the inverse of Σ sᵢ sᵢᵀ with the scores sᵢ of the observations, and "sandwich"
    is H⁻¹ (Σ sᵢ sᵢᵀ) H⁻¹, which remains valid if the distribution is misspecified.
    """

    def __init__(self, likelihood: Likelihood, vector: Any, steps: int) -> None:
        self._likelihood, self.vector, self.steps = likelihood, vector, steps
        self.names = likelihood.order.labels
        self.params = likelihood.order.structure(vector)
        self.loglik = float(likelihood.value(vector))
        self.nobs = int(np.size(likelihood.terms(as_tensor(vector)).numpy()))

    def __repr__(self) -> str:
        return self.summary()

    def summary(self, kind: str = "observed", level: float = 0.95) -> str:
        """Return the table of estimates, as statsmodels lays it out."""
        return summary(self, kind, level)

    # -------------------------------------------------------------- information
    def information(self, kind: str = "observed") -> Any:
        """Return the information matrix about the parameters, of the kinds "observed", "expected" and "opg"."""
        if kind == "expected":
            return self._likelihood.expected_information(self.vector)
        if kind == "opg":
            scores = self.scores()
            return scores.T @ scores
        if kind == "observed":
            return -np.asarray(self._likelihood.hessian(self.vector))
        raise ArgumentError(
            f"fit: kind is {shown(kind)}. Expected one of observed, expected, opg; of a covariance also sandwich."
        )

    def scores(self) -> Any:
        """Return the gradients of the observations' log-likelihoods (nobs, k), which add up to 0."""
        if self.nobs < 2:
            raise NotYet("fit: scores need the log-likelihood of each observation. Return an array, not their sum.")
        return np.asarray(self._likelihood.scores(self.vector))

    def cov(self, kind: str = "observed") -> Any:
        """Return the covariance matrix of the estimates (k, k).

        Raises:
            LinAlgError: if the information is singular, so that the data do not determine all parameters.
        """
        if kind == "sandwich":
            bread = self.cov("observed")
            return bread @ self.information("opg") @ bread
        return inverse_information(self.information(kind), kind)

    def se(self, kind: str = "observed") -> Any:
        """Return the standard errors of the estimates (k,)."""
        return np.sqrt(np.diag(self.cov(kind)))

    def pvalues(self, kind: str = "observed") -> Any:
        """Return the two-sided p-value of the hypothesis that a parameter is 0, for each parameter."""
        return 2 * norm.sf(np.abs(self.vector / self.se(kind))).numpy()

    def confint(self, level: float = 0.95, method: str = "wald", kind: str = "observed") -> Any:
        """Return confidence intervals (k, 2): Wald intervals, or "profile" intervals from the likelihood ratio."""
        if method not in ("wald", "profile"):
            raise ArgumentError(f"fit: method is {shown(method)}. Expected 'wald' or 'profile'.")
        check_level(level)
        if method == "wald":
            return interval_of(self.vector, self.se(kind), level)
        return np.array([[self._profile_end(i, sign, level) for sign in (-1, 1)] for i in range(len(self.vector))])

    @property
    def aic(self) -> float:
        """Return Akaike's information criterion, 2k - 2 log L."""
        return 2 * len(self.vector) - 2 * self.loglik

    @property
    def bic(self) -> float:
        """Return the Bayesian information criterion, k log n - 2 log L; nan if the likelihood returns only a sum."""
        if self.nobs < 2:
            return math.nan
        return len(self.vector) * math.log(self.nobs) - 2 * self.loglik

    def formulas(self, order: int = 1) -> Any:
        """Return the score (order 1) or the Hessian (order 2) of the log-likelihood in closed form.

        Data that are arguments of the function appear as symbols with the arguments' names.
        """
        try:
            total, wrt = self._symbolic(_Letters().of)
        except SymgradError:  # data that the function has by itself have numbers as sizes
            total, wrt = self._symbolic(np.shape)
        return derive(total, wrt if len(wrt) > 1 else wrt[0], order=order)

    def _symbolic(self, shape: Callable[[Any], Any]) -> tuple[Any, list[Any]]:
        """The log-likelihood of symbols, and those of the parameters."""
        likelihood = self._likelihood
        names = [*inspect.signature(likelihood.function).parameters]
        y = None if likelihood.y is None else symbol("y", shape(likelihood.y))
        args = [symbol(n, shape(a)) for n, a in zip(names[1:], likelihood.args, strict=False)]
        parts = {n: symbol(n or names[0], shape(np.zeros(s))) for n, s in likelihood.order.shapes.items()}
        return likelihood.of(parts if likelihood.order.is_dict else parts[""], args, y).sum(), [*parts.values()]

    # -------------------------------------------------------------- tests
    def lr_test(self, restriction: Mapping[str, float] | Fit) -> Test:
        """Return the likelihood ratio test of parameter values, or of a smaller fit: 2 (log L - log L₀)."""
        if isinstance(restriction, Fit):
            df, loglik = len(self.vector) - len(restriction.vector), restriction.loglik
            if df < 1:
                raise ArgumentError(
                    "lr_test: the other fit does not have fewer parameters. Call the method of the larger fit."
                )
            if self.nobs != restriction.nobs or self.loglik < loglik - 1e-6 * (1 + abs(loglik)):
                raise ArgumentError(
                    f"lr_test: the other fit has {restriction.nobs} observations and a log-likelihood of {loglik:.6g}, "
                    f"this one {self.nobs} and {self.loglik:.6g}. Expected a restriction of this fit to the same data."
                )
        else:
            df, loglik = len(restriction), float(self._likelihood.value(self.restricted(restriction)))
        return Test("likelihood ratio", 2 * (self.loglik - loglik), df)

    def wald_test(self, restriction: Mapping[str, float] | Callable[[Any], Any], kind: str = "observed") -> Test:
        """Return the Wald test of parameter values, or of g(params) = 0 for a function g: gᵀ (G V Gᵀ)⁻¹ g."""
        if callable(restriction):
            estimate = delta(restriction, self, kind=kind)
            difference, cov = np.atleast_1d(estimate.value).ravel(), np.atleast_2d(estimate.cov)
        else:
            at = self._indices(restriction)
            difference, cov = self.vector[at] - [*restriction.values()], self.cov(kind)[np.ix_(at, at)]
        return Test("Wald", float(difference @ np.linalg.solve(cov, difference)), len(difference))

    def score_test(self, restriction: Mapping[str, float], kind: str = "observed") -> Test:
        """Return the score test of parameter values: sᵀ I⁻¹ s, with score s and information I of the restricted fit."""
        fit = Fit(self._likelihood, self.restricted(restriction), 0)
        score = np.asarray(self._likelihood.gradient(fit.vector))
        information = fit.information(kind)
        return Test("score", float(score @ np.linalg.solve(information, score)), len(restriction))

    def restricted(self, restriction: Mapping[str, float]) -> Any:
        """Return the vector of estimates where these parameters have fixed values."""
        at, start = self._indices(restriction), np.array(self.vector)
        start[at] = [*restriction.values()]
        free = np.setdiff1d(np.arange(len(start)), at)
        return maximise(self._likelihood, start, free, "fit")[0] if len(free) else start

    def _indices(self, restriction: Mapping[str, float]) -> Any:
        unknown = [name for name in restriction if name not in self.names]
        if unknown or not restriction:
            raise ArgumentError(f"fit: got {unknown or 'nothing'}. The parameters are {', '.join(self.names)}.")
        return np.array([self.names.index(name) for name in restriction])

    def _profile_end(self, i: int, sign: int, level: float) -> Any:
        """Where the profile of parameter i has fallen by χ²/2, bracketed from Wald's interval on."""
        drop, step = chi2.ppf(level, 1).item() / 2, norm.ppf((1 + level) / 2).item() * self.se()[i]
        free = np.setdiff1d(np.arange(len(self.vector)), [i])
        warm = [self.vector]

        def excess(value: float) -> Any:
            start = np.array(warm[0])
            start[i] = value
            if not math.isfinite(float(self._likelihood.value(start))):
                return -math.inf
            warm[0] = maximise(self._likelihood, start, free, "confint")[0] if len(free) else start
            return float(self._likelihood.value(warm[0])) - self.loglik + drop

        near, far, f_near = float(self.vector[i]), float(self.vector[i] + sign * step), drop
        f_far = excess(far)
        for _ in range(60):
            if f_far <= 0:
                return _root(excess, near, f_near, far, f_far)
            near, f_near = far, f_far
            far += sign * step
            step *= 2
            f_far = excess(far)
        return sign * math.inf

    def bootstrap(self, size: int = 1000, seed: int = 0, steps: int = 12) -> Any:
        """Return bootstrap estimates (size, k) from samples drawn with replacement; nan if a sample has no maximum."""
        if self.nobs < 2:
            raise NotYet(
                "bootstrap: this needs the log-likelihood of each observation. Return an array instead of its sum."
            )
        terms, n = self._likelihood.terms, self.nobs
        check_count("bootstrap", "size", size)
        rng = seeded("bootstrap", seed)
        weights = rng.multinomial(n, np.full(n, 1 / n), size=size).astype(np.float64)

        def total(v: Any, w: Any) -> Any:
            return (reshape(terms(v), (-1,)) * w).sum()

        gradients, hessians = compiled(vmap(grad(total))), compiled(vmap(hessian(total)))
        estimates = np.tile(self.vector, (size, 1))
        with np.errstate(all="ignore"):
            for _ in range(steps):
                slopes, bends = np.asarray(gradients(estimates, weights)), np.asarray(hessians(estimates, weights))
                is_usable = np.isfinite(bends).all((1, 2)) & np.isfinite(slopes).all(1)
                bends = np.where(is_usable[:, None, None], bends, -np.eye(len(self.vector)))
                move = (np.linalg.pinv(-bends) @ slopes[..., None])[..., 0]
                estimates = estimates + np.where(is_usable[:, None], move, np.nan)
        is_still = (np.linalg.eigvalsh(-bends).min(1) > 0) & (
            np.abs(move).max(1) <= 1e-6 * (np.abs(estimates).max(1) + 1)
        )
        return self._by_searches(np.where(is_still[:, None], estimates, np.nan), weights, total)

    def _by_searches(self, estimates: Any, weights: Any, total: Callable[..., Any]) -> Any:
        """Return a bootstrap's estimates, where full steps diverged by those of a line search."""
        value, slope, bend = compiled(total), compiled(grad(total)), compiled(hessian(total))
        every = np.arange(len(self.vector))
        for k in np.flatnonzero(np.isnan(estimates).any(1)):
            sample = SimpleNamespace(
                value=partial(_swapped, value, weights[k]), gradient=partial(_swapped, slope, weights[k]),
                hessian=partial(_swapped, bend, weights[k]),
            )  # fmt: skip
            with suppress(ArgumentError, NotConverged):
                estimates[k] = maximise(sample, self.vector, every, "bootstrap")[0]
        return estimates


def _swapped(function: Callable[..., Any], second: Any, first: Any) -> Any:
    return function(first, second)


def _root(excess: Callable[[float], float], near: float, f_near: float, far: float, f_far: float) -> float:
    """The zero between two numbers, by the Illinois method; by halving where one value is not finite."""
    for _ in range(100):
        middle = (near + far) / 2 if not math.isfinite(f_far) else far - f_far * (far - near) / (f_far - f_near)
        f = excess(middle)
        if abs(f) < 1e-10 or abs(far - near) <= 1e-13 * abs(middle):
            return middle
        if f > 0:
            near, f_near, f_far = middle, f, f_far / 2
        else:
            far, f_far, f_near = middle, f, f_near / 2
    return middle


class _Letters:
    """Letters for the sizes of data: n for that of the first axis, then d, k, …."""

    def __init__(self) -> None:
        self.sizes: dict[int, str] = {}

    def of(self, value: Any) -> tuple[str, ...]:
        """The shape of a value in letters."""
        for size in np.shape(value):
            self.sizes.setdefault(size, _LETTERS[len(self.sizes) - 1] if self.sizes else "n")
        return tuple(self.sizes[size] for size in np.shape(value))


def inverse_information(information: Any, kind: str) -> Any:
    """Return the covariance, of an information that is positive definite."""
    scale = np.sqrt(np.maximum(np.abs(np.diag(information)), 1e-300))
    values = np.linalg.eigvalsh(information / np.outer(scale, scale))
    if not values.size or not values[0] > 1e-13 * values[-1]:
        raise LinAlgError(
            f"fit: the {kind} information is not positive definite, so the data do not determine all parameters at the "
            "estimates. Leave parameters out, fix them, or look at fit.information()."
        )
    return np.linalg.inv(information / np.outer(scale, scale)) / np.outer(scale, scale)


def fit(
    loglik: Callable[..., Any], x0: Any, args: Any = (), *, y: Any = None, names: Sequence[str] | None = None,
    constraints: Mapping[str, Transform] | Transform | None = None,
) -> Fit:  # fmt: skip
    """Maximise a log-likelihood by Newton's method with exact Hessians.

    Args:
        loglik: loglik(params, *args) returns the log-likelihoods of the observations, an array, or their sum; or, with
            ``y``, the distribution of y with its parameters, such as ``sg.stats.poisson_log(X @ params)``.
        x0: the starting point: an array, a number, or a dict of them by the names of the parameters.
        args: further arguments of loglik, such as data, as a tuple; a single argument need not be wrapped in one.
        y: the observations, if loglik returns their distribution. The expected information requires it.
        names: the names of the parameters in tables, one for each number.
        constraints: a transform of ``sg.stats.transforms``, or a dict of them by name, such as ``{"sigma": positive}``:
            steps are taken without constraints; estimates and errors refer to the parameters themselves.

    Returns:
        A ``Fit``: estimates, standard errors, intervals, tests and criteria; printing it shows a table.

    Raises:
        ArgumentError: if the log-likelihood is not finite at the start, or names or constraints do not fit the
            parameters.
        NotConverged: if the steps did not reach a maximum.

    >>> waits = np.array([1.0, 3.0, 0.5, 2.5])
    >>> fit = sg.stats.fit(lambda rate: sg.stats.expon(scale=1 / rate), 1.0, y=waits)
    >>> round(float(fit.params), 4), round(float(fit.se()[0]), 4)
    (0.5714, 0.2857)
    """
    order = Parameters(x0, names, next(iter(inspect.signature(loglik).parameters)))
    likelihood = Likelihood(loglik, order, args if isinstance(args, tuple) else (args,), y)
    terms = likelihood.terms(as_tensor(order.start))
    if terms.ndim > 1:
        raise ShapeError(f"fit: the log-likelihoods have shape {tuple(terms.shape)}. Expected a vector, or their sum.")
    if not np.all(np.isfinite(tensor_value(terms))):
        raise ArgumentError(_infinite(tensor_value(terms)))
    every = np.arange(len(order.start))
    if constraints is None:
        return Fit(likelihood, *maximise(likelihood, order.start, every, "fit"))
    free = _Unconstrained(likelihood, constraints)
    u, steps = maximise(free, free.start, every, "fit")
    return Fit(likelihood, free.point(as_tensor(u)).numpy(), steps)


def _infinite(terms: Any) -> str:
    """Which log-likelihoods are not finite at the start, in words."""
    terms = np.ravel(terms)
    wrong = np.flatnonzero(~np.isfinite(terms))
    place = f", first at index [{wrong[0]}] ({len(wrong)} of {len(terms)} observations)" if len(terms) > 1 else ""
    return (
        f"fit: the log-likelihood is {terms[wrong[0]]} at the start{place}. Expected finite numbers: look for missing "
        "values, data outside the support, or a start at which a scale is not positive."
    )


def delta(g: Callable[[Any], Any], params: Any, cov: Any = None, *, kind: str = "observed") -> Estimate:
    """Return g(params) with its covariance G V Gᵀ, where G = ∂g/∂params and V is the covariance of the parameters.

    Args:
        g: a function of the parameters in their structure that returns a number or a vector.
        params: a ``Fit``; or, together with ``cov``, a vector of estimates (k,) or a dict of estimates by name.
        cov: the covariance (k, k) of the estimates, in their order.
        kind: the kind of covariance of a fit.

    Returns:
        An ``Estimate``: ``value``, ``cov``, ``se``, and ``confint(level)``.

    >>> sg.stats.delta(lambda p: p[0] / p[1], np.array([6.0, 2.0]), np.diag([0.4, 0.1])).se
    0.5700877...
    """
    structure: Callable[[Any], Any] = lambda v: v
    if isinstance(params, Fit):
        vector, cov, structure = params.vector, params.cov(kind), params._likelihood.order.structure
    elif cov is None:
        raise ArgumentTypeError(f"delta: got {shown(params)} without a covariance. Pass a Fit, or estimates and cov.")
    else:
        order = Parameters(params, None, "params")
        vector, cov, structure = order.start, np.atleast_2d(np.asarray(cov, np.float64)), order.structure
        if cov.shape != (len(vector), len(vector)):
            raise ShapeError(f"delta: cov has shape {cov.shape}. Expected {(len(vector), len(vector))}.")

    def function(v: Any) -> Any:
        return as_tensor(g(structure(v)))

    value, slopes = function(as_tensor(vector)).numpy(), np.asarray(jacobian(function)(vector))
    return Estimate(value, slopes @ cov @ slopes.T)
