"""Random numbers: x = F⁻¹(u) of uniform u, so samples can be differentiated; and quantiles of counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.engine.generator import Generator, drawn
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError
from symgrad.ops.map import broadcast_shapes
from symgrad.ops.protocol import shape as shape_of
from symgrad.support.arguments import is_whole, shown

_LONGEST = 2.0**62  # how far a quantile of counts is looked for


def drawn_by(random_state: Any, function: Callable[..., Any], *args: Any) -> Any:
    """Return what ``function(rng, *args)`` draws of a ``random_state``: symgrad's own, a seed, or a generator.

    Raises:
        ArgumentTypeError: if it is none of these.
    """
    if random_state is None or isinstance(random_state, (Generator, np.random.Generator)):
        return drawn(random_state, function, *args)
    if is_whole(random_state) and random_state >= 0:
        return as_tensor(function(np.random.default_rng(int(random_state)), *args))
    raise ArgumentTypeError(
        f"rvs: random_state is {shown(random_state)}. Expected a seed, which is 0 or more, a symgrad.Generator, "
        "numpy.random's default_rng, or None for the numbers that manual_seed starts."
    )


def generator_of(random_state: Any) -> Any:
    """Return what several draws share: a seed becomes a generator, by which they differ."""
    is_seed = is_whole(random_state) and not isinstance(random_state, np.random.Generator) and random_state >= 0
    return np.random.default_rng(int(random_state)) if is_seed else random_state


def seeded(what: str, seed: Any) -> Any:
    """Return NumPy's generator of a seed, or the generator that was passed.

    Raises:
        ArgumentTypeError: if it is neither.
    """
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(
            f"{what}: seed is {shown(seed)}. Expected an integer, 0 or more, a generator of numpy.random, or None."
        ) from error


def check_count(what: str, name: str, value: Any, least: int = 1) -> None:
    """Raise ArgumentError if a value is not an integer of at least this size."""
    if not is_whole(value) or value < least:
        raise ArgumentError(f"{what}: {name} is {shown(value)}. Expected {least} or more, as an integer.")


def sizes(size: Any, parameters: Sequence[Any]) -> tuple[int, ...]:
    """Return the shape of a sample: the given one, or that of the parameters together.

    Raises:
        ArgumentError: if the parameters do not fit into it.
    """
    of_parameters = broadcast_shapes(*map(shape_of, parameters)) if parameters else ()
    if size is None:
        return of_parameters
    wanted = (int(size),) if is_whole(size) else tuple(size)
    if any(n < 0 for n in wanted):
        raise ShapeError(f"rvs: got size={size}. Expected sizes of 0 or more.")
    if len(of_parameters) > len(wanted) or broadcast_shapes(of_parameters, wanted) != wanted:
        raise ArgumentError(f"rvs: parameters of shape {of_parameters} do not fit into size={size}.")
    return wanted


def between(rng: Any, shape: tuple[int, ...]) -> Any:
    """Draw numbers strictly between 0 and 1."""
    u = rng.random(shape)
    return np.where(u == 0, 0.5**54, u)


def least(holds: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Return the least integer from ``low`` on where a condition begins to hold; ``high`` if none is found."""
    step = np.ones_like(low)
    while (far := ~holds(low + step - 1) & (step < _LONGEST) & (low + step - 1 < high)).any():
        step = np.where(far, step * 2, step)
    left, right = low - 1, np.minimum(low + step - 1, high)  # false at left, true at right
    while (open_ := np.isfinite(right) & (right - left > _apart(left, right))).any():
        middle = np.where(open_, np.floor((left + right) / 2), right)
        mask = holds(middle)
        right, left = np.where(open_ & mask, middle, right), np.where(open_ & ~mask, middle, left)
    return right


def least_float(holds: Callable[[Any], Any], shape: tuple[int, ...]) -> Any:
    """Return the least float at which a condition that stays true begins to hold, by halving the floats' own order."""
    left, right = (np.full(shape, sign * np.float64(np.inf).view(np.int64)) for sign in (-1, 1))
    for _ in range(64):
        middle = (left >> 1) + (right >> 1) + (left & right & 1)
        mask = holds(_float_of(middle))
        left, right = np.where(mask, left, middle), np.where(mask, middle, right)
    return _float_of(right)


def _float_of(order: Any) -> Any:
    """Return the floats at places of their order; 0 is at 0."""
    return np.copysign(np.abs(order).view(np.float64), order)


def _apart(left: Any, right: Any) -> Any:
    """Return how far two integers are apart at least: 1, or what their floats can tell."""
    return np.fmax(1, np.spacing(np.fmax(np.abs(left), np.abs(right))))


def together(*xs: Any) -> tuple[Any, ...]:
    """Return tensors and numbers as arrays of one shape, without their graph.

    Raises:
        ShapeError: if they do not fit together.
    """
    arrays = values_of(*xs)
    broadcast_shapes(*[a.shape for a in arrays])
    return np.broadcast_arrays(*arrays)


def values_of(*xs: Any) -> list[Any]:
    """Return tensors and numbers as arrays, without their graph."""
    return [value_of(x).astype(np.float64) for x in xs]


def value_of(x: Any) -> Any:
    """Return a tensor or a number as an array, without its graph."""
    return np.asarray(x.detach() if hasattr(x, "detach") else x)
