"""``sg.stats.model``: a posterior of priors, a likelihood and data, as a compiled log-density of one vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from symgrad.compiler.compiled import compile
from symgrad.core.node import tensor_value
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, LinAlgError, NotConverged, NotYet, ShapeError
from symgrad.func import grad, hessian, jvp, value_and_grad
from symgrad.ops.map import show_shape
from symgrad.stats.distribution import Distribution
from symgrad.stats.frozen import Frozen
from symgrad.stats.modes import Laplace, Mode, laplace_at, mode_of, warn_of_flat
from symgrad.stats.multivariate import Multivariate
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
from symgrad.stats.sampling import check_count, seeded
from symgrad.stats.transforms import Transform
from symgrad.support.arguments import check_methods, shown

_ATTEMPTS = 100  # of drawing a start with a finite density, as in Stan
_REJECTED = 10_000  # draws of a prior that do not satisfy the constraint, before prior_predictive gives up
_TRANSFORM = "the transform of "


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
                f"model: the likelihood returns {result.dist.name} without the name of its data. Return it by name, as "
                "in {'y': sg.stats.norm(mu, sigma)}."
            )
        return dict(result) if isinstance(result, Mapping) else {"log-likelihood": result}

    def observations(self, values: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the log-densities of the data by name."""
        terms = {}
        for name, value in self.described(values, data).items():
            if not isinstance(value, Frozen):
                terms[name] = _log_likelihood(name, value)
            elif name in data:
                terms[name] = log_density(f"the data {name!r}", value, data[name])
            else:
                raise ArgumentError(
                    f"model: the likelihood returns a distribution of {name!r}, which is not among the data. Got data: "
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

    ``names`` and ``shapes`` describe the parameters, ``size`` is the number of entries of y, and ``data`` are the data.
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
            ArgumentError: if a name is not among the data.
        """
        if unknown := [n for n in data if n not in self.data]:
            names = ", ".join(self.data) or "none"
            raise ArgumentError(f"with_data: {unknown[0]!r} is not among the data. Got data: {names}.")
        return Model(self._declaration, self.data | data, self._density)

    # ------------------------------------------------------------------ the density
    def compiled(self, what: str = "value_and_grad", *, jacobian: bool = True) -> Callable[..., Any]:
        """Return the compiled function of a vector y (size,), float64 and contiguous. It performs no checks.

        Args:
            what: "value", "value_and_grad" or "hessian" of the log-density.
            jacobian: whether to include the terms of the transforms.
        """
        if what not in ("value", "value_and_grad", "hessian"):
            raise ArgumentError(f"compiled: got {shown(what)}. Expected 'value', 'value_and_grad' or 'hessian'.")
        function, arrays = self._density.compiled(what, jacobian), tuple(self._arrays)
        return lambda y: function(y, *arrays)

    def log_density(self, y: Any, *, jacobian: bool = True) -> float:
        """Return log p(y | data), up to a constant, for an unconstrained vector y (size,).

        With ``jacobian=False``, return the density of the parameters themselves, without the terms of the transforms.
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
        """Return the parameters by name, for one vector y (size,) or for many, (…, size)."""
        return self._by_name("values", y)

    def unconstrain(self, values: Mapping[str, Any]) -> Any:
        """Return the vector y (size,) for parameters by name.

        Raises:
            ArgumentError: if a parameter is missing, or outside its constraint.
        """
        if set(values) != set(self.names):
            raise ArgumentError(f"unconstrain: got {', '.join(values) or 'nothing'}. Expected {', '.join(self.names)}.")
        environment = self._environment()
        parts = []
        for p in self._density.parameters:
            x = environment[p.name] = _value_of(p, values[p.name])
            transform = p.transform_at(p.prior_at(environment), environment)
            try:
                parts.append(np.ravel(tensor_value(transform.inverse(x))))
            except ArgumentError as error:
                raise ArgumentError(f"unconstrain: {p.name!r} is {shown(values[p.name])}. {error}") from error
        return np.concatenate(parts)

    def start(self, seed: Any = None) -> Any:
        """Return a vector y (size,) at which the log-density and its gradient are finite, drawn from (-2, 2).

        Raises:
            ArgumentError: if none of 100 draws had a finite density; the message names the term that is not finite.
        """
        rng = seeded("start", seed)
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
                    "numbers: look for data outside the support, missing values, a scale that is not positive, or a "
                    "constraint that is too wide."
                )
        return "the terms are finite and the gradient is not. Look for kinks, as √0, in the likelihood."

    def _vector(self, y: Any) -> Any:
        if np.iscomplexobj(y):
            raise ArgumentTypeError("model: y is complex. Expected a vector of real numbers.")
        y = np.asarray(y, np.float64)
        if y.shape != (self.size,):
            raise ShapeError(f"model: y has shape {show_shape(y.shape)}. Expected a vector ({self.size},).")
        return y

    # ------------------------------------------------------------------ approximations
    def map(self, *, start: Mapping[str, Any] | None = None, jacobian: bool = False) -> Mode:
        """Return the parameters where the posterior density is largest, by SciPy.

        Args:
            start: parameters by name; by default those of ``start(0)``.
            jacobian: whether to maximise the density of y instead of that of the parameters.

        Raises:
            NotConverged: if no maximum was reached, for example because the density is unbounded.

        Warns:
            UserWarning: if the density does not decrease in some direction, so that there are other modes.
        """
        mode = mode_of(self, self.start(0) if start is None else self.unconstrain(start), jacobian=jacobian)
        warn_of_flat(self, mode, jacobian)
        return mode

    def laplace(self, *, start: Mapping[str, Any] | None = None) -> Laplace:
        """Return the normal distribution of y around the posterior's mode, with the covariance (-∇² log p(y))⁻¹.

        Raises:
            NotConverged: if there is no mode, or the density is flat there in some direction.

        Warns:
            UserWarning: if its draws do not describe the posterior, as is common for hierarchical models.
        """
        y = self.start(0) if start is None else self.unconstrain(start)
        return laplace_at(self, mode_of(self, y, jacobian=True))

    def _environment(self) -> dict[str, Any]:
        return self._density.environment(self._arrays)

    def owner(self, index: int) -> str:
        """Return the name of the parameter to which an entry of the unconstrained vector belongs."""
        return next(p.name for p in self._density.parameters if p.start <= index < p.stop)

    # ------------------------------------------------------------------ draws
    def prior_predictive(self, draws: int = 500, *, seed: Any = None) -> dict[str, Any]:
        """Return draws of parameters from the priors, and of data given the parameters, by name, each (draws, …).

        Draws that do not satisfy the ``constraints`` of the model are rejected.

        Raises:
            NotYet: if a prior is flat, so that nothing can be drawn from it; or hardly any draw satisfies a constraint.
        """
        check_count("prior_predictive", "draws", draws)
        rng = seeded("prior_predictive", seed)
        return _stacked([self._drawn_data(self._drawn_parameters(rng), rng) for _ in range(draws)], (draws,))

    def posterior_predictive(self, posterior: Any, *, seed: Any = None) -> dict[str, Any]:
        """Return data drawn from the likelihood for each draw of the parameters, by name.

        Args:
            posterior: the result of ``sample``, or draws by name, with any axes before those of the parameter.
            seed: the seed of the random numbers.

        Returns:
            A dict of arrays for the data for which the likelihood returns distributions, with the draws' axes first.
        """
        draws = getattr(posterior, "posterior", posterior)
        if missing := [n for n in self.names if not hasattr(draws, "keys") or n not in draws]:
            raise ArgumentError(f"posterior_predictive: there are no draws of {missing[0]!r}. Expected draws by name.")
        arrays = {name: np.asarray(draws[name], np.float64) for name in self.names}
        first = self.names[0]
        batch = arrays[first].shape[: arrays[first].ndim - len(self.shapes[first])]
        if wrong := [n for n in self.names if arrays[n].shape != (*batch, *self.shapes[n])]:
            raise ShapeError(
                f"posterior_predictive: {wrong[0]!r} has shape {show_shape(arrays[wrong[0]].shape)}. Expected "
                f"{show_shape((*batch, *self.shapes[wrong[0]]))}."
            )
        rng = seeded("posterior_predictive", seed)
        rows = [{n: as_tensor(arrays[n][i]) for n in self.names} for i in np.ndindex(*batch)]
        return _stacked([{k: v for k, v in self._drawn_data(r, rng).items() if k not in r} for r in rows], batch)

    def _drawn_parameters(self, rng: Any) -> dict[str, Any]:
        environment = self._environment()
        for p in self._density.parameters:
            prior = p.prior_at(environment)
            if isinstance(prior, Transform):
                raise NotYet(f"prior_predictive: the prior of {p.name!r} is flat. Give it a distribution.")
            fits = _always if p.constraint is None else p.transform_at(prior, environment).contains
            environment[p.name] = _drawn_inside(p, prior, fits, rng)
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
            chains: the number of chains, by default 4; for emcee the number of walkers, at least twice the number of
                unconstrained numbers.
            sampler: "nutpie", "blackjax", "mici" or "emcee"; by default the first of these that is installed.
            seed: the seed of starts and chains. The same seed and version of the sampler return the same draws.
            start: parameters by name at which all chains start; by default, different starts are drawn.
            cores: the number of processes for the chains of nutpie and mici, on Linux; by default the number of CPUs.
            progress: whether to report the progress of long work, on a terminal or in a notebook.
            options: options of the sampler, such as target_accept for nutpie and mici.

        Returns:
            InferenceData with the groups posterior, sample_stats, log_likelihood, observed_data and constant_data.

        Raises:
            MissingExtra: if the sampler, or ArviZ, is not installed.
            ArgumentError: if the log-density is not finite at the start; the message names the term.

        Warns:
            UserWarning: if some draws diverged.
        """
        for name, value in {"draws": draws, "chains": chains, "cores": cores}.items():
            check_count("sample", name, 1 if value is None else value)
        for name, value in {"tune": tune, "seed": 0 if seed is None else seed}.items():
            check_count("sample", name, value, 0)
        if not 0 < options.get("target_accept", 0.8) < 1:
            raise ArgumentError(
                f"sample: target_accept is {shown(options['target_accept'])}. Expected a number between 0 and 1."
            )
        y = None if start is None else self.unconstrain(start)
        if y is not None and not np.isfinite(self.log_density(y)):
            raise ArgumentError(f"sample: the log-density at the start is not finite: {self._blamed(y)}")
        return sampled(
            self, sampler, draws=draws, tune=tune, chains=chains, seed=seed, start=y, cores=cores, progress=progress,
            options=options,
        )  # fmt: skip

    def pointwise(self, y: Any) -> dict[str, Any]:
        """Return the log-densities of the observations by name, for one vector y (size,) or for many, (…, size)."""
        return self._by_name("pointwise", y)

    def _by_name(self, what: str, y: Any) -> dict[str, Any]:
        y = np.asarray(y, np.float64)
        if y.ndim < 2:
            values = self._density.compiled(what)(self._vector(y), *self._arrays)
            return {name: np.asarray(value) for name, value in values.items()}
        return _stacked([self._by_name(what, row) for row in y.reshape(-1, y.shape[-1])], y.shape[:-1])


def model(
    priors: Mapping[str, Any], likelihood: Callable[..., Any], data: Mapping[str, Any] | None = None, *,
    shapes: Mapping[str, Any] | None = None, constraints: Mapping[str, Any] | None = None,
) -> Model:  # fmt: skip
    """Return the posterior p(θ | data) ∝ p(data | θ) p(θ) for priors, a likelihood and data.

    Args:
        priors: distributions with their parameters by name, such as ``{"mu": sg.stats.norm(0, 5)}``; or a function that
            returns one, whose arguments are named after earlier parameters and data; or a transform, such as
            ``sg.stats.transforms.positive``, for a flat prior.
        likelihood: a function whose arguments are named after parameters and data. It returns a dict of distributions
            by the names of the data that they describe; other entries, or a result that is not a dict, are terms of the
            log-likelihood.
        data: arrays and numbers by name. A Python integer may be a size; other numbers and arrays may change.
        shapes: the shapes of parameters whose priors do not determine them, such as ``{"theta": 8}``.
        constraints: transforms that replace those onto the priors' supports, or functions that return a transform, such
            as ``lambda mu, tau: sg.stats.transforms.affine(mu, tau)``, the noncentred form.

    Raises:
        ArgumentError: if a name has no prior, occurs twice, or is not used.
        ArgumentTypeError: if a prior is not a distribution, or is a distribution of integers.
        ShapeError: if data and their distribution have different shapes.

    >>> coin = sg.stats.model({"p": sg.stats.beta(2.0, 2.0)}, lambda p: {"y": sg.stats.bernoulli(p)}, {"y": [1, 1, 0]})
    >>> coin
    Model of p; data y; 1 unconstrained numbers
    """
    data, shapes, constraints = data or {}, shapes or {}, constraints or {}
    checked_names(priors, data, shapes=shapes, constraints=constraints)
    if not callable(likelihood) or isinstance(likelihood, Frozen):
        raise ArgumentTypeError(f"model: the likelihood is {shown(likelihood)}. Expected a function of the parameters.")
    return Model((dict(priors), likelihood, dict(constraints), dict(shapes)), data)


def _log_likelihood(name: str, value: Any) -> Any:
    """A term that a likelihood returned as numbers."""
    try:
        return as_tensor(value)
    except (ArgumentTypeError, DTypeError) as error:
        hint = " Pass it its parameters." if isinstance(value, (Distribution, Multivariate)) else ""
        raise ArgumentTypeError(
            f"model: the likelihood returns {shown(value)} as {name!r}. Expected a dict of distributions by the names "
            f"of the data, as {{'y': sg.stats.norm(mu, sigma)}}, or log-densities.{hint}"
        ) from error


def _value_of(p: Parameter, value: Any) -> Any:
    """A parameter's value, with its shape."""
    try:
        x = as_tensor(np.asarray(value, np.float64))
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"unconstrain: {p.name!r} is {shown(value)}. Expected numbers.") from error
    if tuple(x.shape) != p.shape:
        raise ShapeError(f"unconstrain: {p.name!r} has shape {show_shape(x.shape)}. Expected {show_shape(p.shape)}.")
    return x


def _always(x: Any) -> bool:
    return True


def _drawn_inside(p: Parameter, prior: Frozen, fits: Callable[[Any], bool], rng: Any) -> Any:
    """One draw of a prior that satisfies the parameter's constraint; the others are rejected."""
    for _ in range(_REJECTED):
        x = as_tensor(_drawn(prior, p.shape, rng))
        if fits(x):
            return x
    raise NotYet(
        f"prior_predictive: none of {_REJECTED} draws of {p.name!r} from its prior satisfies its constraint. Expected "
        "a prior with more of its probability there, such as sg.stats.truncated(…)."
    )


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
