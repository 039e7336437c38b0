"""Numbers for a page: values, the derivative with its cross-check, and points of a plot."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError
from symgrad.expression.reader import Expression
from symgrad.func import jacrev, vmap
from symgrad.tensors.structures import conforming
from symgrad.testing import crosscheck
from symgrad.testing.crosschecks import Witness
from symgrad.web.exercise import Exercise, read

MOST_CHECKED = 200  # entries of what is differentiated by
POINTS, GRID = 201, 41  # of a curve, and along each axis of a plane
FINER = 3  # times as many for level lines
RANGE = (-3.0, 3.0)
Array = np.ndarray[Any, Any]


def _check_of(w: Witness) -> dict[str, Any]:
    largest = w.error if math.isfinite(w.error) else None
    return {"way": w.name, "agrees": w.agrees if not w.missing else None, "largest": largest, "words": w.verdict}


def numbers(data: Mapping[str, Any]) -> dict[str, Any]:
    """Values of all names, of the formula and its derivative, and what all ways to the derivative say.

    Of a second derivative, the first one is what the ways start from.
    """
    exercise = read(data.get("exercise"))
    inputs = values(exercise, _seed(data.get("seed")))
    wrt = exercise.by()
    formula = exercise.parsed({name: np.shape(v) for name, v in inputs.items()})
    if np.size(inputs[wrt]) > MOST_CHECKED:
        raise ArgumentError(f"{wrt} has {np.size(inputs[wrt])} entries, more than {MOST_CHECKED}. Give smaller sizes.")
    of_one = _of(formula, inputs, [wrt])
    last = of_one
    for _ in range(exercise.order - 1):
        last = jacrev(last)
    checked = crosscheck(last, inputs[wrt], raise_exception=False, progress=False)
    derivative = next((w.value for w in checked.witnesses if not w.missing), None)
    return {
        "inputs": {name: told(v) for name, v in inputs.items()},
        "value": told(of_one(inputs[wrt]).numpy()),
        "derivative": told(derivative),
        "agree": checked.ok,
        "checks": [_check_of(w) for w in checked.witnesses],
    }


def _seed(seed: Any) -> int:
    value = 0 if seed is None else seed
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise ArgumentError(f"seed: got {str(seed)[:40]!r}. Expected an integer that is not negative.")
    return value


def values(exercise: Exercise, seed: int) -> dict[str, Array]:
    """Return the value of each name: as given, or drawn so that its assumptions hold."""
    rng = np.random.default_rng(seed)
    sizes: dict[Any, int] = dict(exercise.sizes())
    return {
        name: n.value if n.value is not None else _drawn(rng, tuple(sizes.get(s, s) for s in n.shape), n.assume)
        for name, n in exercise.names.items()
    }


def _drawn(rng: np.random.Generator, shape: Sequence[int], assume: Sequence[str]) -> Array:
    """Return numbers that are as assumed, to two decimals but for orthogonal matrices."""
    if "onehot" in assume or "simplex" in assume:
        return _rows(rng, shape, "onehot" in assume)
    low, high = (0.5, 2.0) if "positive" in assume else (-2.0, 2.0)
    x = rng.uniform(low, high, shape)
    x = conforming(x, assume)
    return np.asarray(x if "orthogonal" in assume else np.round(x, 2))


def _rows(rng: np.random.Generator, shape: Sequence[int], one: bool) -> Array:
    if one:
        return np.eye(shape[-1])[rng.integers(shape[-1], size=shape[:-1])]
    x = rng.uniform(0.2, 1.0, shape)
    return np.asarray(x / x.sum(-1, keepdims=True))


def _of(formula: Expression, inputs: Mapping[str, Any], open_: Sequence[str]) -> Callable[..., Any]:
    """Return the formula as a function of some of its names."""

    def f(*xs: Any) -> Any:
        given = {**inputs, **dict(zip(open_, xs, strict=True))}
        return formula(*[given[name] for name in formula.names])

    return f


# ------------------------------------------------------------------ plots
def plot(data: Mapping[str, Any]) -> dict[str, Any]:
    """Points of f and f′ of one number, or of f and its gradient over a plane; others have values."""
    exercise = read(data.get("exercise"))
    if any(n.shape and n.value is None for n in exercise.names.values()):
        raise ArgumentError(
            "a plot is of one number or two. Give vectors and matrices values, or take another formula."
        )
    axes = _axes(exercise, data.get("axes"))
    inputs = {name: n.value if n.value is not None else np.float64(1.0) for name, n in exercise.names.items()}
    formula = exercise.parsed({name: np.shape(v) for name, v in inputs.items()})
    if formula.value.shape != ():
        raise ArgumentError("a plot is of a number, and the formula is an array. Take a sum, or an entry, as in x[0].")
    ranges = _ranges(data.get("over"), len(axes))
    f = _of(formula, inputs, axes)
    return _curve(f, axes, *ranges) if len(axes) == 1 else _plane(f, axes, *ranges)


def _axes(exercise: Exercise, chosen: Any) -> list[str]:
    """Return the one name or two that are numbers without a value."""
    free = [name for name, n in exercise.names.items() if n.value is None and not n.shape]
    if chosen is not None:
        if not isinstance(chosen, list) or not 1 <= len(chosen) <= 2 or any(c not in free for c in chosen):
            raise ArgumentError(f"axes: expected one or two of {', '.join(free) or 'none'}.")
        free = list(dict.fromkeys(chosen))
    if not free:
        raise ArgumentError("a plot needs a name without a value. Remove the value of one name.")
    if len(free) > 2:
        others = ", ".join(free)
        raise ArgumentError(f"a plot has one or two variables, but {others} have no values. Set all but two.")
    return free


def _ranges(over: Any, count: int) -> list[tuple[float, float]]:
    if over is None:
        return [RANGE] * count
    try:
        ranges = [(float(low), float(high)) for low, high in over]
    except (TypeError, ValueError, OverflowError):
        ranges = []
    usable = all(math.isfinite(a) and math.isfinite(b) and a < b and max(abs(a), abs(b)) <= 1e9 for a, b in ranges)
    if not usable or len(ranges) < count:
        raise ArgumentError(f"over: expected {count} ranges [low, high] of numbers, low below high.")
    return ranges[:count]


def _curve(f: Callable[..., Any], axes: Sequence[str], over: tuple[float, float]) -> dict[str, Any]:
    xs = np.linspace(*over, POINTS)
    with np.errstate(all="ignore"):
        ys, slopes = np.asarray(vmap(f)(xs)), np.asarray(vmap(jacrev(f))(xs))
    return {"axes": list(axes), "x": plain(xs), "f": plain(ys), "df": plain(slopes)}


def _plane(
    f: Callable[..., Any], axes: Sequence[str], across: tuple[float, float], up: tuple[float, float]
) -> dict[str, Any]:
    xs, ys = np.linspace(*across, GRID), np.linspace(*up, GRID)
    x, y = (m.ravel() for m in np.meshgrid(xs, ys))
    with np.errstate(all="ignore"):
        z, (gx, gy) = np.asarray(vmap(f)(x, y)), map(np.asarray, vmap(jacrev(f, (0, 1)))(x, y))
    shape = (GRID, GRID)
    finer = [np.linspace(*over, FINER * (GRID - 1) + 1) for over in (across, up)]
    return {
        "axes": list(axes), "x": plain(xs), "y": plain(ys),
        **{key: plain(v.reshape(shape)) for key, v in (("f", z), ("gx", gx), ("gy", gy))},
        "fine": _heights(f, *finer),
    }  # fmt: skip


def _heights(f: Callable[..., Any], xs: Array, ys: Array) -> Any:
    """Return f on a grid, with as many digits as contours need."""
    x, y = (m.ravel() for m in np.meshgrid(xs, ys))
    with np.errstate(all="ignore"):
        z = np.asarray(vmap(f)(x, y)).reshape(len(ys), len(xs))
    return [[float(f"{v:.9g}") if math.isfinite(v) else None for v in row] for row in z.tolist()]


# ------------------------------------------------------------------ JSON
def plain(x: Any) -> Any:
    """Return an array as nested lists of numbers, with None for infinities and nan."""
    if x is None:
        return None
    array = np.asarray(x)
    if np.iscomplexobj(array):
        return [plain(array.real), plain(array.imag)]
    return _nested(array.astype(np.float64).tolist())


def told(x: Any) -> Any:
    """Return an array as nested lists of numbers, with words for infinities and nan."""
    return None if x is None else _nested(np.asarray(x).tolist(), str)


def _nested(x: Any, otherwise: Callable[[float], Any] = lambda x: None) -> Any:
    if isinstance(x, list):
        return [_nested(v, otherwise) for v in x]
    return x if isinstance(x, (int, float)) and math.isfinite(x) else otherwise(x)
