"""Source for a page: what ``sg.export`` writes of a formula and its derivative."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symgrad.errors import ArgumentError, SymgradError
from symgrad.exports import TARGETS, export
from symgrad.func import hessian, jacobian, value_and_grad
from symgrad.web.exercise import Exercise, read

ENDINGS = {"numpy": "py", "python": "py", "c": "c", "jax": "py", "torch": "py", "sympy": "py", "latex": "tex"}
NAME = "derivative"


def code(data: Mapping[str, Any]) -> dict[str, Any]:
    """The source in one language, with a name for its file."""
    target = data.get("target")
    if not isinstance(target, str) or target not in TARGETS:
        raise ArgumentError(f"target: got {str(target)[:40]!r}. Expected one of {', '.join(TARGETS)}.")
    exercise = read(data.get("exercise"))
    source, words = _written(exercise, target)
    ending = ENDINGS[target]
    return {
        "source": source,
        "filename": f"{NAME}_{target}.{ending}" if ending == "py" else f"{NAME}.{ending}",
        "language": target,
        "words": words,
    }


def _written(exercise: Exercise, target: str) -> tuple[str, str]:
    """Return the source for sizes with names; where there is none, for numbers in their place, and what to say."""
    formula = exercise.parsed()
    shapes = {name: tuple(n if isinstance(n, int) else str(n) for n in x.shape) for name, x in formula.leaves.items()}
    try:
        return export(_made(exercise, formula), shapes=shapes, target=target, name=NAME), ""
    except SymgradError:
        named = {s for shape in shapes.values() for s in shape if isinstance(s, str)}
        if not named:
            raise
        sizes: dict[Any, int] = dict(exercise.sizes())
        shapes = {name: tuple(sizes.get(n, n) for n in shape) for name, shape in shapes.items()}
        source = export(_made(exercise, exercise.parsed(shapes)), shapes=shapes, target=target, name=NAME)
        told = ", ".join(f"{name} = {sizes[name]}" for name in sorted(named))
        return source, f"Written for {told}: this derivative needs sizes that are numbers. Set others in the table."


def _made(exercise: Exercise, formula: Any) -> Callable[..., Any]:
    """Return the function to export: value and gradient of a scalar, otherwise the derivative alone."""
    place = formula.names.index(exercise.by())
    made: Callable[..., Any]
    if exercise.order == 1:
        made = value_and_grad(formula, place) if formula.value.shape == () else jacobian(formula, place)
    elif exercise.order == 2 and formula.value.shape == ():
        made = hessian(formula, place)
    else:
        made = formula
        for _ in range(exercise.order):
            made = jacobian(made, place)
    return made
