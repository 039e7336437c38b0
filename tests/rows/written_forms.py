"""Forms to be read back: those of the identities, of textbook problems and of random functions, with values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from random_forms import random_form, random_jacobian

import symgrad as sg
from symgrad.errors import ShapeError

from identities import IDENTITIES, derived, drawn

TEXTBOOK, EXAMINED = (
    json.loads((Path(__file__).parents[1] / "data" / name).read_text("utf-8"))
    for name in ("textbook.json", "examined.json")
)
_MARKS = {"sym": "symmetric", "spd": "symmetric", "onehot": "onehot", "prob": "simplex", "pos": "positive"}
_LENGTHS = {"n": 4, "d": 3, "h": 3, "k": 2, "p": 2, "m": 3, "T": 4, "q": 2}


class Written(NamedTuple):
    """A form, values for its arrays and its named sizes, and what it is worth."""

    form: Any
    values: dict[str, Any]
    sizes: dict[str, int]
    shape: tuple[int, ...]
    expected: Any


def _number(n: Any, sizes: dict[str, int]) -> int:
    return int(n.xreplace({s: sp.Integer(sizes[s.name]) for s in n.free_symbols}))


def written(form: Any, values: dict[str, Any], sizes: dict[str, int]) -> Written:
    """Return a form with its value."""
    shape = tuple(
        int(n.xreplace({s: sp.Integer(sizes[s.name]) for s in n.free_symbols})) for n in map(sp.sympify, form.shape)
    )
    held = {k: leaf.value for k, leaf in zip(form._called.names, form._leaves, strict=True) if k not in values}
    values = {**values, **held}
    with np.errstate(all="ignore"):
        expected = np.broadcast_to(form.lambdify()(**{k: values[k] for k in form.args}), shape)
    return Written(form, values, sizes, shape, expected)


def of_identity(identity: Any) -> Written:
    """Return the form of an identity."""
    return written(derived(identity), drawn(identity, 3), {})


def of_seed(seed: int) -> Written:
    """Return a random form; arrays without a known derivative and singular matrices raise as they do."""
    return written(*random_form(seed))


def of_jacobian(seed: int) -> Written:
    """Return a random Jacobian."""
    return written(*random_jacobian(seed))


def is_settled(w: Written) -> bool:
    """Whether the value stays where it is when the arrays change by rounding: not where it inverts what is singular."""
    moved = {k: v * (1 + 1e-12 * np.cos(7 * np.arange(np.size(v)).reshape(np.shape(v)))) for k, v in w.values.items()}
    try:
        with np.errstate(all="ignore"):
            change = np.broadcast_to(w.form.lambdify()(**{k: moved[k] for k in w.form.args}), w.shape) - w.expected
    except np.linalg.LinAlgError:
        return False
    finite = np.isfinite(change)
    scale = np.max(np.abs(w.expected), where=finite, initial=1e-3)
    return bool(np.max(np.abs(change), where=finite, initial=0.0) < 1e-6 * scale)


def _drawn(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> Any:
    normal = rng.normal(size=shape)
    made = {
        "": lambda: normal,
        "pos": lambda: rng.uniform(0.5, 2, shape),
        "unit": lambda: rng.uniform(0.1, 0.9, shape),
        "big": lambda: rng.uniform(6, 9, shape),
        "prob": lambda: np.exp(normal) / np.exp(normal).sum(-1, keepdims=True),
        "bin": lambda: rng.integers(0, 2, shape) * 1.0,
        "pm1": lambda: rng.choice([-1.0, 1.0], shape),
        "cnt": lambda: rng.integers(0, 5, shape) * 1.0,
        "onehot": lambda: np.eye(shape[-1])[rng.integers(0, shape[-1], shape[:-1])],
        "sym": lambda: normal + normal.T,
        "spd": lambda: normal @ normal.T + np.eye(shape[0]),
        "low": lambda: np.tril(normal, -1) + np.diag(rng.uniform(0.5, 2, shape[0])),
        "nonsing": lambda: normal + 3 * np.eye(shape[0]),
    }
    return made[kind]()


def of_problem(problem: Any) -> Written:
    """Return the form of a textbook problem; with numbers for its sizes where no array that is left has them."""
    try:
        return _of_problem(problem, named=True)
    except ShapeError:
        return _of_problem(problem, named=False)


def _of_problem(problem: Any, named: bool) -> Written:
    env: dict[str, Any] = {"T": sg}
    values, sizes = {}, {}
    for name, axes, kind, value in inputs_of(problem):
        shape = axes if named else value.shape
        sizes.update({k: _LENGTHS[k] for k in shape if isinstance(k, str)})
        mark = {_MARKS[kind]: True} if kind in _MARKS else {}
        env[name], values[name] = sg.symbol(name, tuple(shape), **mark), value
        env.update({k: n for k, n in zip(axes, env[name].shape, strict=True) if isinstance(k, str)})
    exec(problem["code"], env)
    by = wrt_of(problem)
    form = sg.derive(env["L"], env[by[0]], order=1 if len(by) > 1 else problem["order"])
    for k in by[1:]:
        form = sg.derive(form, env[k])
    return written(form, values, sizes)


def wrt_of(problem: Any) -> list[str]:
    """Return the names of what a problem is differentiated by, one after the other."""
    return problem["wrt"] if isinstance(problem["wrt"], list) else [problem["wrt"]]


def inputs_of(problem: Any) -> list[tuple[str, list[Any], str, Any]]:
    """Return the inputs of a problem: name, axes as written, kind, and a value."""
    rng = np.random.default_rng(5)
    made: list[tuple[str, list[Any], str, Any]] = []
    for text in problem["inputs"].split():
        leaf, _, kind = text.partition("!")
        name, shape = leaf.split(":")
        axes = [] if shape == "()" else [int(k) if k.isdigit() else k for k in shape.split(",")]
        numbers = tuple(k if isinstance(k, int) else _LENGTHS[k] for k in axes)
        made.append((name, axes, kind, np.asarray(_drawn(rng, numbers, kind))))
    return made


def differences(problem: Any, step: float = 1e-5) -> Any:
    """Return the derivative by central differences: of the function, or of its gradient for the second."""
    inputs = inputs_of(problem)
    env: dict[str, Any] = {"T": sg} | {
        k: n for _, axes, _, value in inputs for k, n in zip(axes, value.shape, strict=True) if isinstance(k, str)
    }
    by = wrt_of(problem)
    outer = by[0] if len(by) > 1 or problem["order"] == 2 else None

    def f(x: Any) -> Any:
        here = env | {name: sg.tensor(x if name == by[-1] else value) for name, _, _, value in inputs}
        if outer is None:
            exec(problem["code"], here)
            return here["L"].numpy()
        here[outer] = here[outer].detach().requires_grad_()
        exec(problem["code"], here)
        return sg.autograd.grad(here["L"], here[outer])[0].numpy()

    x = next(value for name, _, _, value in inputs if name == by[-1])
    slopes = []
    for k in np.ndindex(x.shape):
        change = np.zeros(x.shape)
        change[k] = step
        slopes.append((f(x + change) - f(x - change)) / (2 * step))
    return np.stack(slopes, axis=-1).reshape(slopes[0].shape + x.shape)


__all__ = [
    "EXAMINED", "IDENTITIES", "TEXTBOOK", "Written", "differences", "is_settled", "of_identity", "of_jacobian",
    "of_problem", "of_seed", "written",
]  # fmt: skip
