"""The parameters of a posterior: their priors, the maps onto their supports, and their positions in one vector."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from symgrad.core.node import tensor_value
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import shape as shape_of
from symgrad.stats import combined
from symgrad.stats.distribution import Distribution
from symgrad.stats.frozen import Frozen
from symgrad.stats.transforms import Transform, onto_support
from symgrad.support.arguments import is_whole, shown

_PROBES = (-2.0, 2.0)  # unconstrained numbers at which a constraint is compared with the prior's support


@dataclass(frozen=True)
class Parameter:
    """One parameter: its prior and its constraint, which may be functions of others, and its place in the vector."""

    name: str
    prior: Any
    constraint: Any
    shape: tuple[int, ...]
    free_shape: tuple[int, ...]  # of its unconstrained numbers
    start: int

    @property
    def stop(self) -> int:
        """Where the next parameter starts."""
        return self.start + math.prod(self.free_shape)

    def prior_at(self, environment: Mapping[str, Any]) -> Any:
        """Return the prior at values of earlier parameters and data: a distribution, or a transform if it is flat."""
        return resolved(f"the prior of {self.name!r}", self.prior, environment)

    def transform_at(self, prior: Any, environment: Mapping[str, Any]) -> Transform:
        """Return the map onto the support: the constraint that was passed, else that of the prior."""
        if self.constraint is not None:
            what = f"the constraint of {self.name!r}"
            return _transform(what, resolved(what, self.constraint, environment))
        return prior if isinstance(prior, Transform) else onto_support(prior)

    def free_part(self, y: Any) -> Any:
        """Return the unconstrained numbers of this parameter, of a vector of all."""
        return y[self.start : self.stop].reshape(self.free_shape)


def resolved(what: str, value: Any, environment: Mapping[str, Any]) -> Any:
    """Return a value, or what a function makes of the parameters and the data that its arguments name.

    Raises:
        ArgumentError: if an argument is neither a parameter that comes before nor data.
    """
    if isinstance(value, (Frozen, Transform, Distribution)) or not callable(value):
        return value
    if getattr(value, "__module__", "") == Transform.__module__:
        raise ArgumentTypeError(f"model: {what} is a function. Call it, as transforms.{value.__name__}(…).")
    return _called(what, value, _accepted(what, value, environment))


def _accepted(what: str, function: Any, environment: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return those of the environment that a function's arguments name."""
    accepted = {}
    for argument in inspect.signature(function).parameters.values():
        if argument.kind is argument.VAR_KEYWORD:
            return environment
        if argument.name in environment:
            accepted[argument.name] = environment[argument.name]
        elif argument.default is argument.empty:
            names = ", ".join(environment) or "nothing"
            raise ArgumentError(
                f"model: {what} takes {argument.name!r}, which is neither data nor a parameter with a prior before it. "
                f"Expected names of: {names}. Add {argument.name!r} to the priors or to the data."
            )
    return accepted


def _called(what: str, function: Any, arguments: Mapping[str, Any]) -> Any:
    """Return what a user's function returns; a note on its errors says which function it is."""
    try:
        return function(**arguments)
    except Exception as error:
        error.add_note(f"It was raised by {what} of a model.")
        raise


def log_density(what: str, distribution: Frozen, x: Any) -> Any:
    """Return log p(x) of each observation.

    Raises:
        ShapeError: if the shapes of x and the distribution differ, so that sums would count values several times.
    """
    family, shape = distribution.dist, tuple(shape_of(x))
    try:
        density = as_tensor(combined.log_density(distribution, x))
    except ShapeError as error:
        raise ShapeError(
            f"model: {what} has shape {show_shape(shape)}, which the parameters of {family.name} do not fit. {error}"
        ) from error
    if tuple(density.shape) != shape[: density.ndim] or (isinstance(family, Distribution) and density.shape != shape):
        raise ShapeError(
            f"model: {what} has shape {show_shape(shape)}, but its log-density under {family.name} has shape "
            f"{show_shape(tuple(density.shape))}. Expected one log-density for each observation: compare the shapes of "
            "the distribution's parameters."
        )
    return density


def placed(
    priors: Mapping[str, Any], constraints: Mapping[str, Any], shapes: Mapping[str, Any], data: Mapping[str, Any]
) -> list[Parameter]:
    """Return the parameters in the order of their priors, with the shapes that their priors have at some values."""
    parameters: list[Parameter] = []
    environment = {name: _as_argument(value) for name, value in data.items()}
    start, rng = 0, np.random.default_rng(0)
    for name in priors:
        parameter = Parameter(name, priors[name], constraints.get(name), (), (), start)
        prior = _checked_prior(name, parameter.prior_at(environment))
        transform = _onto(parameter, prior, environment)
        shape = _shape_of(name, prior, shapes.get(name), transform.event_dim if parameter.constraint is None else 0)
        if len(shape) < transform.event_dim:
            raise ShapeError(
                f"model: {name!r} has shape {show_shape(shape)}, and {transform!r} makes "
                f"{'a vector' if transform.event_dim == 1 else 'a matrix'}. Pass shapes={{{name!r}: …}}."
            )
        free_shape = tuple(int(n) for n in transform.unconstrained_shape(shape))
        parameter = Parameter(name, priors[name], constraints.get(name), shape, free_shape, start)
        environment[name] = transform.forward(as_tensor(rng.uniform(-1.0, 1.0, free_shape)))
        if parameter.constraint is not None and isinstance(prior, Frozen):
            _check_constraint(name, prior, transform, free_shape)
        start = parameter.stop
        parameters.append(parameter)
    return parameters


def checked_names(priors: Any, data: Any, **further: Any) -> None:
    """Refuse names that are not names, that stand twice, or that no prior has."""
    for what, names in {"priors": priors, "data": data, **further}.items():
        if not isinstance(names, Mapping):
            raise ArgumentTypeError(f"model: {what} is {shown(names)}. Expected a dict by name.")
        if wrong := [n for n in names if not (isinstance(n, str) and n.isidentifier())]:
            raise ArgumentTypeError(f"model: {what} has the name {shown(wrong[0])}. Expected names of Python's.")
    if not priors:
        raise ArgumentError("model: no priors are given. Expected a dict such as {'mu': sg.stats.norm(0, 1)}.")
    if twice := [n for n in priors if n in data]:
        raise ArgumentError(f"model: {twice[0]!r} is a parameter and data. Remove it from the priors or from the data.")
    for what, names in further.items():
        if unknown := [n for n in names if n not in priors]:
            raise ArgumentError(
                f"model: {what} names {unknown[0]!r}, which has no prior. Got priors of {', '.join(map(repr, priors))}."
            )


def check_used(functions: Iterable[Any], observed: Iterable[str], data: Mapping[str, Any]) -> None:
    """Refuse data that no function takes and no distribution describes: a name that is spelled otherwise."""
    used = set(observed)
    for function in functions:
        if not isinstance(function, (Frozen, Transform, Distribution)) and callable(function):
            arguments = inspect.signature(function).parameters.values()
            if any(a.kind is a.VAR_KEYWORD for a in arguments):
                return
            used |= {a.name for a in arguments}
    if unused := [n for n in data if n not in used]:
        raise ArgumentError(
            f"model: nothing uses the data {unused[0]!r}. Expected an argument of the likelihood or of a prior with "
            "this name, or a distribution that the likelihood returns for it."
        )


def as_data(name: str, value: Any) -> Any:
    """Return data as an array; integers stay numbers of Python's, which may be sizes."""
    if isinstance(value, int):
        return value
    if np.ma.is_masked(value):
        raise ArgumentTypeError(
            f"model: the data {name!r} has masked entries. Pass the others, as {name}.compressed() has them."
        )
    try:
        array = np.asarray(value.detach() if hasattr(value, "detach") else value)
    except ValueError as error:
        raise ArgumentTypeError(f"model: the data {name!r} is not an array of numbers: {error}") from error
    if not np.can_cast(array.dtype, np.float64, "same_kind"):
        raise ArgumentTypeError(
            f"model: the data {name!r} has dtype {array.dtype}. Expected numbers; number classes from 0."
        )
    return array


def _as_argument(value: Any) -> Any:
    return value if isinstance(value, int) else as_tensor(value)


def _checked_prior(name: str, prior: Any) -> Any:
    if isinstance(prior, (Frozen, Transform)):
        return prior
    hint = f" Write {prior!r}(…) with its parameters." if isinstance(prior, Distribution) else ""
    raise ArgumentTypeError(
        f"model: the prior of {name!r} is {shown(prior)}. Expected a distribution with its parameters, as "
        "sg.stats.norm(0, 1), a function that returns one, or a transform such as sg.stats.transforms.positive for a "
        f"flat prior.{hint}"
    )


def _transform(what: str, transform: Any) -> Transform:
    if not isinstance(transform, Transform):
        raise ArgumentTypeError(
            f"model: {what} is {shown(transform)}. Expected a transform of sg.stats.transforms, or a function that "
            "returns one."
        )
    return transform


def _onto(parameter: Parameter, prior: Any, environment: Mapping[str, Any]) -> Transform:
    try:
        return parameter.transform_at(prior, environment)
    except ArgumentTypeError as error:
        if parameter.constraint is not None:
            raise
        raise ArgumentTypeError(
            f"model: the prior of {parameter.name!r} is {prior.dist.name}, of integers, which have no gradient. Sum "
            "over its values in the likelihood, as with sg.logsumexp."
        ) from error


def _shape_of(name: str, prior: Any, shape: Any, event_dim: int) -> tuple[int, ...]:
    """The shape that was passed, else that of one draw."""
    wanted = None if shape is None else _checked_shape(name, shape)
    if isinstance(prior, Transform):
        return wanted or ()
    draw = tuple(shape_of(as_tensor(prior.rvs(random_state=0))))
    own = draw[-event_dim:] if event_dim else draw  # some draws of vectors have an axis of draws
    if wanted is None:
        return own
    if len(own) > len(wanted) or any(n not in (1, m) for n, m in zip(own[::-1], wanted[::-1], strict=False)):
        raise ShapeError(
            f"model: shapes has {show_shape(wanted)} for {name!r}, whose prior has shape {show_shape(own)}. Expected a "
            "shape that ends with that of the prior."
        )
    return wanted


def _checked_shape(name: str, shape: Any) -> tuple[int, ...]:
    wanted = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if not all(is_whole(n) and n > 0 for n in wanted):
        raise ArgumentError(
            f"model: shapes has {shown(shape)} for {name!r}. Expected an integer, 1 or more, or a tuple of them."
        )
    return tuple(int(n) for n in wanted)


def _check_constraint(name: str, prior: Frozen, transform: Transform, free_shape: tuple[int, ...]) -> None:
    spread = np.linspace(0.9, 1.1, math.prod(free_shape)).reshape(free_shape)  # a vector of equal entries may be none
    for y in _PROBES:
        x = transform.forward(as_tensor(y * spread))
        if not np.all(np.asarray(tensor_value(log_density(repr(name), prior, x))) > -np.inf):
            raise ArgumentError(
                f"model: the constraint of {name!r}, {transform!r}, reaches numbers at which its prior "
                f"{prior.dist.name} has no density. Expected a map onto {onto_support(prior)!r} or into it."
            )
