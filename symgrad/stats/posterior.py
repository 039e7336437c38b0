"""``sg.stats.model``: a posterior of priors, a likelihood and data, as a compiled log-density of one vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from symgrad.compiler.compiled import compile
from symgrad.core.node import tensor_value
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, LinAlgError, NotConverged, NotYet, ShapeError
from symgrad.func import grad, hessian, jvp, value_and_grad
from symgrad.ops.map import show_shape
from symgrad.stats.frozen import Frozen
from symgrad.stats.parameters import (
    Parameter,
    as_data,
    check_used,
    checked_names,
    log_density,
    placed,
    resolved,
)
from symgrad.stats.samplers import sampled
from symgrad.stats.transforms import Transform
from symgrad.support.arguments import check_methods, shown
from symgrad.support.extras import required

_ATTEMPTS = 100  # of drawing a start with a finite density, as in Stan
_GRADIENT = 1e-6  # of a mode, relative to 1 + |log p|
_TRANSFORM = "the transform of "
_DENSE = 200  # unconstrained numbers up to which a mode is found by Newton's method


class _Density:
    """The terms of a log-density as functions of the unconstrained vector and the data, each compiled when needed.

    The compiled functions take the arrays among the data by position, as kernels do; integers are part of them.
    """

    def __init__(self, parameters: list[Parameter], likelihood: Callable[..., Any], data: Mapping[str, Any]) -> None:
        self.parameters, self.likelihood = parameters, likelihood
        self.fixed = {name: value for name, value in data.items() if isinstance(value, int)}
        self.names = [name for name in data if name not in self.fixed]
        self._compiled: dict[tuple[str, bool], Any] = {}

    def fits(self, parameters: list[Parameter], data: Mapping[str, Any]) -> bool:
        """Whether it is the density of these as well, for arrays of the same names."""
        other = _Density(parameters, self.likelihood, data)
        return (self.parameters, self.fixed, self.names) == (other.parameters, other.fixed, other.names)

    def environment(self, arrays: Sequence[Any]) -> dict[str, Any]:
        """Return the data as functions see them."""
        return self.fixed | dict(zip(self.names, map(as_tensor, arrays), strict=True))

    def values(self, y: Any, *arrays: Any) -> dict[str, Any]:
        """Return the parameters by name."""
        return self._walk(y, self.environment(arrays))[0]

    def terms(self, y: Any, *arrays: Any, jacobian: bool = True) -> dict[str, Any]:
        """Return the terms of the log-density by name: of each parameter, its transform, and the likelihood."""
        data = self.environment(arrays)
        values, terms = self._walk(y, data)
        if not jacobian:
            terms = {k: v for k, v in terms.items() if not k.startswith(_TRANSFORM)}
        return terms | {f"the likelihood of {k!r}": v for k, v in self.observations(values, data).items()}

    def total(self, y: Any, *arrays: Any, jacobian: bool = True) -> Any:
        """Return the log-density of y, or with ``jacobian=False`` that of the parameters."""
        return sum(as_tensor(term).sum() for term in self.terms(y, *arrays, jacobian=jacobian).values())

    def described(self, values: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the likelihood returns at these parameters, by name."""
        result = resolved("the likelihood", self.likelihood, {**data, **values})
        if isinstance(result, Frozen):
            raise ArgumentTypeError(
                f"model: the likelihood returns {result.dist.name}, and not of which data. Return it by name, as "
                "{'y': sg.stats.norm(mu, sigma)}."
            )
        return dict(result) if isinstance(result, Mapping) else {"log-likelihood": result}

    def observations(self, values: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the log-densities of the data by name."""
        terms = {}
        for name, value in self.described(values, data).items():
            if not isinstance(value, Frozen):
                terms[name] = as_tensor(value)
            elif name in data:
                terms[name] = log_density(f"the data {name!r}", value, data[name])
            else:
                raise ArgumentError(
                    f"model: the likelihood returns a distribution of {name!r}, which is no data. Got data: "
                    f"{', '.join(data) or 'none'}."
                )
        return terms

    def _walk(self, y: Any, data: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the parameters, and the terms of their priors and transforms."""
        y = as_tensor(y)
        environment, terms = dict(data), {}
        for p in self.parameters:
            free = p.free_part(y)
            prior = p.prior_at(environment)
            transform = p.transform_at(prior, environment)
            x = environment[p.name] = transform.forward(free)
            terms[f"{_TRANSFORM}{p.name!r}"] = transform.log_det_jacobian(free)
            if isinstance(prior, Frozen):
                terms[f"the prior of {p.name!r}"] = log_density(repr(p.name), prior, x)
        return {p.name: environment[p.name] for p in self.parameters}, terms

    def compiled(self, what: str, jacobian: bool = True) -> Any:
        """Return a compiled function of y and the arrays: the value, its derivatives, or what is made on the way."""
        key = (what, jacobian)
        if key not in self._compiled:
            self._compiled[key] = compile(self._function(what, partial(self.total, jacobian=jacobian)))
        return self._compiled[key]

    def _function(self, what: str, total: Callable[..., Any]) -> Callable[..., Any]:
        slope = grad(total)
        functions: dict[str, Callable[..., Any]] = {
            "value": total,
            "value_and_grad": value_and_grad(total),
            "hessian": hessian(total),
            "hvp": lambda y, v, *arrays: jvp(lambda z: slope(z, *arrays), (y,), (v,))[1],
            "values": self.values,
            "pointwise": lambda y, *arrays: self.observations(self.values(y, *arrays), self.environment(arrays)),
        }
        return functions[what]


class Model:
    """A posterior, which ``sg.stats.model`` returns: a log-density of an unconstrained vector y, with names.

    ``names`` and ``shapes`` are those of the parameters, ``size`` is how many numbers y has, and ``data`` are the data.
    """

    def __init__(self, declaration: tuple[Any, ...], data: Mapping[str, Any], density: _Density | None = None) -> None:
        priors, likelihood, constraints, shapes = self._declaration = declaration
        self.data = {name: as_data(name, value) for name, value in data.items()}
        parameters = placed(priors, constraints, shapes, self.data)
        is_same = density is not None and density.fits(parameters, self.data)
        self._density = density if density and is_same else _Density(parameters, likelihood, self.data)
        self._arrays = [self.data[name] for name in self._density.names]
        self.names = [p.name for p in parameters]
        self.shapes = {p.name: p.shape for p in parameters}
        self.size = parameters[-1].stop
        y = np.random.default_rng(0).uniform(-1.0, 1.0, self.size)
        values, seen = self._density.values(y, *self._arrays), self._environment()
        self._density.observations(values, seen)
        self._described = [k for k, v in self._density.described(values, seen).items() if isinstance(v, Frozen)]
        check_used([*priors.values(), *constraints.values(), likelihood], self._described, self.data)

    def __repr__(self) -> str:
        parameters = ", ".join(f"{n}{list(s) if s else ''}" for n, s in self.shapes.items())
        return f"Model of {parameters}; data {', '.join(self.data) or 'none'}; {self.size} unconstrained numbers"

    def with_data(self, **data: Any) -> Model:
        """Return the posterior for other data; data of the same shapes and dtypes reuse the compiled program.

        Raises:
            ArgumentError: a name is not among the data.
        """
        if unknown := [n for n in data if n not in self.data]:
            raise ArgumentError(f"with_data: {unknown[0]!r} is no data. Got data: {', '.join(self.data) or 'none'}.")
        return Model(self._declaration, self.data | data, self._density)

    # ------------------------------------------------------------------ the density
    def compiled(self, what: str = "value_and_grad", *, jacobian: bool = True) -> Callable[..., Any]:
        """Return the compiled function of a vector y (size,), float64 and contiguous, without checks, for samplers.

        Args:
            what: "value", "value_and_grad" or "hessian" of the log-density.
            jacobian: whether the terms of the transforms are part of it.
        """
        if what not in ("value", "value_and_grad", "hessian"):
            raise ArgumentError(f"compiled: got {shown(what)}. Expected 'value', 'value_and_grad' or 'hessian'.")
        function, arrays = self._density.compiled(what, jacobian), tuple(self._arrays)
        return lambda y: function(y, *arrays)

    def log_density(self, y: Any, *, jacobian: bool = True) -> float:
        """Return log p(y | data) up to a constant, of an unconstrained vector y (size,).

        With ``jacobian=False`` it is the density of the parameters themselves, without the terms of the transforms.
        """
        return float(self._density.compiled("value", jacobian)(self._vector(y), *self._arrays))

    def value_and_grad(self, y: Any, *, jacobian: bool = True) -> tuple[float, Any]:
        """Return the log-density of y (size,) and its gradient (size,)."""
        result = self._density.compiled("value_and_grad", jacobian)(self._vector(y), *self._arrays)
        return result  # type: ignore[no-any-return]

    def hessian(self, y: Any, *, jacobian: bool = True) -> Any:
        """Return the second derivatives (size, size) of the log-density of y (size,)."""
        return self._density.compiled("hessian", jacobian)(self._vector(y), *self._arrays)

    def hvp(self, y: Any, v: Any) -> Any:
        """Return the product H v (size,) of the second derivatives of the log-density of y with a vector v (size,)."""
        return self._density.compiled("hvp")(self._vector(y), self._vector(v), *self._arrays)

    def terms(self, y: Any) -> dict[str, float]:
        """Return the terms of the log-density of y (size,) by name: priors, transforms and likelihoods."""
        with np.errstate(all="ignore"):
            terms = self._density.terms(self._vector(y), *self._arrays)
        return {name: float(as_tensor(term).sum()) for name, term in terms.items()}

    def constrain(self, y: Any) -> dict[str, Any]:
        """Return the parameters by name, of y (size,) or of many along axes before the last, (…, size)."""
        return self._by_name("values", y)

    def unconstrain(self, values: Mapping[str, Any]) -> Any:
        """Return the vector y (size,) of parameters by name.

        Raises:
            ArgumentError: a parameter is missing, or outside its constraint.
        """
        if set(values) != set(self.names):
            raise ArgumentError(f"unconstrain: got {', '.join(values) or 'nothing'}. Expected {', '.join(self.names)}.")
        environment = self._environment()
        parts = []
        for p in self._density.parameters:
            x = as_tensor(np.asarray(values[p.name], np.float64))
            if tuple(x.shape) != p.shape:
                raise ShapeError(f"unconstrain: {p.name!r} has shape {show_shape(x.shape)}. Expected {p.shape}.")
            environment[p.name] = x
            transform = p.transform_at(p.prior_at(environment), environment)
            parts.append(np.ravel(tensor_value(transform.inverse(x))))
        return np.concatenate(parts)

    def start(self, seed: Any = None) -> Any:
        """Return a vector y (size,) at which the log-density and its gradient are finite, drawn from (-2, 2).

        Raises:
            ArgumentError: 100 draws had none; the message names the term that is not finite.
        """
        rng = np.random.default_rng(seed)
        for _ in range(_ATTEMPTS):
            y = rng.uniform(-2.0, 2.0, self.size)
            try:
                with np.errstate(all="ignore"):
                    value, slope = self.value_and_grad(y)
            except (LinAlgError, NotConverged):
                continue
            if np.isfinite(value) and np.all(np.isfinite(slope)):
                return y
        raise ArgumentError(
            f"model: no start with a finite log-density was drawn in {_ATTEMPTS} attempts. At the last one "
            f"{self._blamed(y)}"
        )

    def _blamed(self, y: Any) -> str:
        """Which term is not finite, in words."""
        with np.errstate(all="ignore"):
            terms = self._density.terms(y, *self._arrays)
        for name, term in terms.items():
            entries = np.atleast_1d(np.asarray(tensor_value(term)))
            wrong = np.argwhere(~np.isfinite(entries))
            if len(wrong):
                index = tuple(int(i) for i in wrong[0])
                place = f", first at index {list(index)}" if entries.size > 1 else ""
                return (
                    f"{name} is {entries[index]}{place} ({len(wrong)} of {entries.size} terms). Expected finite "
                    "numbers: look for data outside the support, missing values, or a constraint that is too wide."
                )
        return "the terms are finite and the gradient is not. Look for kinks, as √0, in the likelihood."

    def _vector(self, y: Any) -> Any:
        y = np.asarray(y, np.float64)
        if y.shape != (self.size,):
            raise ShapeError(f"model: y has shape {show_shape(y.shape)}. Expected a vector ({self.size},).")
        return y

    # ------------------------------------------------------------------ approximations
    def map(self, *, start: Mapping[str, Any] | None = None, jacobian: bool = False) -> Mode:
        """Return the parameters where the posterior density is largest, by SciPy.

        Args:
            start: parameters by name; drawn by ``start(0)`` by default.
            jacobian: whether to maximise the density of y instead of that of the parameters.

        Raises:
            NotConverged: no maximum was reached, for example because the density is unbounded.
        """
        optimize = required("map", "scipy", "scipy.optimize")
        y0 = self.start(0) if start is None else self.unconstrain(start)

        def objective(y: Any) -> Any:
            value, slope = self.value_and_grad(y, jacobian=jacobian)
            return (-value, -slope) if np.isfinite(value) else (np.inf, np.zeros_like(y))

        words: dict[str, Any] = {"method": "L-BFGS-B", "options": {"maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-10}}
        if self.size <= _DENSE:
            words = {
                "method": "trust-exact",
                "options": {"gtol": 1e-9},
                "hess": lambda y: -self.hessian(y, jacobian=jacobian),
            }
        with np.errstate(all="ignore"):
            y = optimize.minimize(objective, y0, jac=True, **words).x
            value, slope = self.value_and_grad(y, jacobian=jacobian)
        if not np.max(np.abs(slope)) <= _GRADIENT * (1 + abs(value)):
            worst = self._owner(int(np.argmax(np.abs(slope))))
            raise NotConverged(
                f"map: no maximum was reached. The gradient is {np.max(np.abs(slope)):.3g} in {worst!r}, at "
                f"log-density {value:.6g}. Expected a bounded density: pass another start, or jacobian=True, which "
                "bounds the scales of hierarchical models in noncentred form."
            )
        return Mode(self.constrain(y), value, y)

    def laplace(self, *, start: Mapping[str, Any] | None = None) -> Laplace:
        """Return the normal distribution of y around the posterior's mode, with the covariance (-∇² log p(y))⁻¹.

        Raises:
            NotConverged: there is no mode, or the density is flat there in some direction.
        """
        mode = self.map(start=start, jacobian=True)
        precision = -np.asarray(self.hessian(mode.vector))
        try:
            root = np.linalg.cholesky((precision + precision.T) / 2)
        except np.linalg.LinAlgError as error:
            raise NotConverged(
                "laplace: -∇² log p is not positive definite at the mode: the data and the priors leave a direction "
                "undetermined. Give every parameter a proper prior."
            ) from error
        evidence = mode.log_density + self.size / 2 * np.log(2 * np.pi) - np.log(np.diag(root)).sum()
        half = np.linalg.inv(root)
        return Laplace(self, mode, half.T @ half, float(evidence))

    def _environment(self) -> dict[str, Any]:
        return self._density.environment(self._arrays)

    def _owner(self, index: int) -> str:
        return next(p.name for p in self._density.parameters if p.start <= index < p.stop)

    # ------------------------------------------------------------------ draws
    def prior_predictive(self, draws: int = 500, *, seed: Any = None) -> dict[str, Any]:
        """Return parameters drawn from the priors and data drawn given them, by name, each of shape (draws, …).

        Raises:
            NotYet: a prior is flat, so that nothing can be drawn from it.
        """
        rng = np.random.default_rng(seed)
        return _stacked([self._drawn_data(self._drawn_parameters(rng), rng) for _ in range(draws)], (draws,))

    def posterior_predictive(self, posterior: Any, *, seed: Any = None) -> dict[str, Any]:
        """Return data drawn from the likelihood for each draw of the parameters, by name.

        Args:
            posterior: what ``sample`` returned, or draws by name, of any shape before that of the parameter.
            seed: of the random numbers.

        Returns:
            Arrays by the names of the data for which the likelihood returns distributions, with the draws' axes first.
        """
        draws = getattr(posterior, "posterior", posterior)
        arrays = {name: np.asarray(draws[name], np.float64) for name in self.names}
        first = self.names[0]
        batch = arrays[first].shape[: arrays[first].ndim - len(self.shapes[first])]
        if wrong := [n for n in self.names if arrays[n].shape != (*batch, *self.shapes[n])]:
            raise ShapeError(
                f"posterior_predictive: {wrong[0]!r} has shape {show_shape(arrays[wrong[0]].shape)}. Expected "
                f"{show_shape((*batch, *self.shapes[wrong[0]]))}."
            )
        rng = np.random.default_rng(seed)
        rows = [{n: as_tensor(arrays[n][i]) for n in self.names} for i in np.ndindex(*batch)]
        return _stacked([{k: v for k, v in self._drawn_data(r, rng).items() if k not in r} for r in rows], batch)

    def _drawn_parameters(self, rng: Any) -> dict[str, Any]:
        environment = self._environment()
        for p in self._density.parameters:
            prior = p.prior_at(environment)
            if isinstance(prior, Transform):
                raise NotYet(f"prior_predictive: the prior of {p.name!r} is flat. Give it a distribution.")
            environment[p.name] = as_tensor(_drawn(prior, p.shape, rng))
        return {p.name: environment[p.name] for p in self._density.parameters}

    def _drawn_data(self, values: Mapping[str, Any], rng: Any) -> dict[str, Any]:
        if not self._described:
            raise NotYet(
                "predictive draws: the likelihood returns numbers. Return a dict of distributions by the names of the "
                "data, as {'y': sg.stats.norm(mu, sigma)}."
            )
        described = self._density.described(values, self._environment())
        drawn = {name: _drawn(described[name], np.shape(self.data[name]), rng) for name in self._described}
        return {name: np.asarray(tensor_value(v)) for name, v in values.items()} | drawn

    def sample(
        self, draws: int = 1000, *, tune: int = 1000, chains: int | None = None, sampler: str | None = None,
        seed: int | None = None, start: Mapping[str, Any] | None = None, cores: int | None = None,
        progress: bool = True, **options: Any,
    ) -> Any:  # fmt: skip
        """Return draws from the posterior as ArviZ's InferenceData, by an installed sampler.

        Args:
            draws: the number of draws of each chain.
            tune: the number of earlier draws, which are discarded, and in which the sampler adapts.
            chains: 4 by default; for emcee the walkers, at least twice as many as unconstrained numbers.
            sampler: "nutpie", "blackjax", "mici" or "emcee"; by default the first of these that is installed.
            seed: of starts and chains; the same seed and version of the sampler return the same draws.
            start: parameters by name at which all chains start; different starts are drawn by default.
            cores: processes for the chains of nutpie and mici, on Linux; by default as many as there are processors.
            progress: whether to report the progress of long work, on a terminal or in a notebook.
            options: for the sampler, such as target_accept of nutpie and mici.

        Returns:
            InferenceData with the groups posterior, sample_stats, log_likelihood, observed_data and constant_data.

        Raises:
            MissingExtra: the sampler, or ArviZ, is not installed.
            ArgumentError: the log-density is not finite at the start; the message names the term.

        Warns:
            UserWarning: some draws diverged.
        """
        counts = {"draws": draws, "tune": tune, "chains": 1 if chains is None else chains, "cores": cores or 1}
        for name, value in counts.items():
            if value < (0 if name == "tune" else 1):
                raise ArgumentError(f"sample: {name} is {shown(value)}. Expected {0 if name == 'tune' else 1} or more.")
        y = None if start is None else self.unconstrain(start)
        if y is not None and not np.isfinite(self.log_density(y)):
            raise ArgumentError(f"sample: the log-density at the start is not finite: {self._blamed(y)}")
        return sampled(
            self, sampler, draws=draws, tune=tune, chains=chains, seed=seed, start=y, cores=cores, progress=progress,
            options=options,
        )  # fmt: skip

    def pointwise(self, y: Any) -> dict[str, Any]:
        """Return the log-densities of each observation by name, of y (size,) or of many, (…, size)."""
        return self._by_name("pointwise", y)

    def _by_name(self, what: str, y: Any) -> dict[str, Any]:
        y = np.asarray(y, np.float64)
        if y.ndim < 2:
            values = self._density.compiled(what)(self._vector(y), *self._arrays)
            return {name: np.asarray(value) for name, value in values.items()}
        return _stacked([self._by_name(what, row) for row in y.reshape(-1, y.shape[-1])], y.shape[:-1])


@dataclass(frozen=True)
class Mode:
    """Where a density is largest: ``values`` by name, ``log_density``, and ``vector``, the same unconstrained."""

    values: dict[str, Any]
    log_density: float
    vector: Any


@dataclass(frozen=True)
class Laplace:
    """A normal distribution of the unconstrained vector: its ``mode`` and ``covariance`` (size, size).

    ``log_evidence`` approximates the logarithm of ∫ p(data, y) dy.
    """

    model: Model
    mode: Mode
    covariance: Any
    log_evidence: float

    def draw(self, draws: int = 1000, *, seed: Any = None) -> dict[str, Any]:
        """Return parameters by name, each of shape (draws, …)."""
        rng = np.random.default_rng(seed)
        y = rng.standard_normal((draws, self.model.size)) @ np.linalg.cholesky(self.covariance).T
        return self.model.constrain(self.mode.vector + y)


def model(
    priors: Mapping[str, Any], likelihood: Callable[..., Any], data: Mapping[str, Any] | None = None, *,
    shapes: Mapping[str, Any] | None = None, constraints: Mapping[str, Any] | None = None,
) -> Model:  # fmt: skip
    """Return the posterior p(θ | data) ∝ p(data | θ) p(θ) of priors, a likelihood and data.

    Args:
        priors: distributions with their parameters by name, such as ``{"mu": sg.stats.norm(0, 5)}``; or a function that
            returns one, whose arguments are named after earlier parameters and data; or a transform, such as
            ``sg.stats.transforms.positive``, for a flat prior.
        likelihood: a function whose arguments are named after parameters and data. It returns a dict of distributions
            by the names of the data that they describe; other entries, or a result that is no dict, are terms of the
            log-likelihood.
        data: arrays and numbers by name. A Python integer may be a size; other numbers and arrays may change.
        shapes: the shapes of parameters whose priors do not say them, as ``{"theta": 8}``.
        constraints: transforms in place of those that map onto the priors' supports, or functions that return one, such
            as ``lambda mu, tau: sg.stats.transforms.affine(mu, tau)``, the noncentred form.

    Raises:
        ArgumentError: a name has no prior, stands twice, or is used by nothing.
        ArgumentTypeError: a prior is no distribution, or one of integers.
        ShapeError: data and their distribution have other shapes.

    >>> coin = sg.stats.model({"p": sg.stats.beta(2.0, 2.0)}, lambda p: {"y": sg.stats.bernoulli(p)}, {"y": [1, 1, 0]})
    >>> coin
    Model of p; data y; 1 unconstrained numbers
    """
    data, shapes, constraints = data or {}, shapes or {}, constraints or {}
    checked_names(priors, data, shapes=shapes, constraints=constraints)
    if not callable(likelihood) or isinstance(likelihood, Frozen):
        raise ArgumentTypeError(f"model: the likelihood is {shown(likelihood)}. Expected a function of the parameters.")
    return Model((dict(priors), likelihood, dict(constraints), dict(shapes)), data)


def _drawn(distribution: Frozen, shape: tuple[int, ...], rng: Any) -> Any:
    """One draw of this shape; of vectors and matrices as many as its first axes have."""
    if hasattr(distribution.dist, "parameters"):
        return np.asarray(tensor_value(distribution.rvs(size=shape, random_state=rng)))
    one = np.asarray(tensor_value(as_tensor(distribution.rvs(random_state=rng))))
    count = int(np.prod(shape, dtype=int)) // max(one.size, 1)
    if count > 1:
        one = np.asarray(tensor_value(as_tensor(distribution.rvs(size=count, random_state=rng))))
    return one.reshape(shape)


def _stacked(rows: list[dict[str, Any]], batch: tuple[int, ...]) -> dict[str, Any]:
    """Arrays by name, of rows, with the axes of a batch first."""
    return {k: np.stack([r[k] for r in rows]).reshape(*batch, *np.shape(rows[0][k])) for k in rows[0]}


check_methods(Model, Laplace)
