"""Studies for a page: a curve discussed, and what a class asks of functions of several variables and of fields.

Values of the table of names are put in for their names; where every name has one, they are the point that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symgrad.errors import ArgumentError
from symgrad.expression.formula import Name, walk
from symgrad.teach.study.picture import Curve, curve_of
from symgrad.teach.study.several.critical_points import CriticalPoints
from symgrad.teach.study.several.operators import FieldDerivative
from symgrad.teach.study.several.surfaces import Hessian, TangentPlane
from symgrad.teach.study.solution import Solution
from symgrad.teach.study.study import Study
from symgrad.web.exercise import Exercise, read
from symgrad.web.lines import lines
from symgrad.web.numbers import plain

POINTS = 401  # of a curve
_AXES = ("x", "y", "z")


def study(data: Mapping[str, Any]) -> dict[str, Any]:
    """A curve discussed: what is said of it, and its points with what is marked."""
    exercise = _of_numbers(data)
    open_names = [name for name, n in exercise.names.items() if n.value is None]
    if exercise.parsed().value.shape:
        raise ArgumentError("a study is of a function with numbers as values, and this is a vector. Take one entry.")
    if not exercise.names:
        raise ArgumentError("a study is of a function of one variable, and the formula has none. Write one, such as x.")
    if len(open_names) != 1:
        said = f"{' and '.join(open_names)} are open" if open_names else "none is left open"
        raise ArgumentError(
            f"a study has one variable, but {said}. Give all others a value in the table of names, or choose Several "
            "variables."
        )
    curve = Study(_text(exercise), open_names[0])
    return {"steps": lines(curve), "name": curve.name, "curve": _points(curve_of(curve._chart, many=POINTS))}


def _points(curve: Curve) -> dict[str, Any]:
    return {**curve._asdict(), "x": plain(curve.x), "y": plain(curve.y)}


# ------------------------------------------------------------------ several variables
def several(data: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked of a function of several variables, or of a vector field, worked."""
    asked = data.get("ask")
    if asked is not None and (not isinstance(asked, str) or asked not in {**_OF_NUMBERS, **_OF_VECTORS}):
        known = ", ".join({**_OF_NUMBERS, **_OF_VECTORS})
        raise ArgumentError(f"ask: got {str(asked)[:40]!r}. Expected one of {known}.")
    exercise = _of_numbers(data)
    if not exercise.names:
        raise ArgumentError("the formula has no variables. Write some, such as x and y.")
    choices = _OF_VECTORS if exercise.parsed().value.shape else _OF_NUMBERS
    chosen = asked if asked in choices else next(iter(choices))
    return {"ask": chosen, "steps": lines(choices[chosen](exercise))}


def _points_of(e: Exercise) -> Solution:
    text, names = _open(e)
    return CriticalPoints(text, names)


def _hessian(e: Exercise) -> Solution:
    text, names = _open(e)
    return Hessian(text, names, _point(e))


def _plane(e: Exercise) -> Solution:
    if not _point(e):
        raise ArgumentError(
            f"a tangent plane touches at a point. Give {' and '.join(e.names)} a value in the table of names."
        )
    return TangentPlane(e.reading.text, _point(e))


def _derivative(operator: str) -> Callable[[Exercise], Solution]:
    """Return what makes a derivative of a field, with respect to x, y, z as far as they are among its names."""

    def made(e: Exercise) -> Solution:
        text, names = _open(e)
        count = e.parsed().value.shape
        usual = list(_AXES[: count[0]]) if count and isinstance(count[0], int) else []
        return FieldDerivative(operator, text, usual if {*usual} & {*names} else names, None, "cartesian")

    return made


_OF_NUMBERS: dict[str, Callable[[Exercise], Solution]] = {
    "points": _points_of,
    "gradient": _derivative("gradient"),
    "hessian": _hessian,
    "laplacian": _derivative("Laplacian"),
    "plane": _plane,
}
_OF_VECTORS: dict[str, Callable[[Exercise], Solution]] = {
    "divergence": _derivative("divergence"),
    "curl": _derivative("curl"),
    "determinant": _derivative("Jacobian determinant"),
}


# ------------------------------------------------------------------ names and values
def _of_numbers(data: Mapping[str, Any]) -> Exercise:
    exercise = read(data.get("exercise"))
    arrays = [name for name, n in exercise.names.items() if n.shape]
    if arrays:
        raise ArgumentError(f"a study needs a function of numbers, but {arrays[0]} is an array. Use numbers instead.")
    return exercise


def _point(e: Exercise) -> dict[str, str]:
    """Return the value of each name as text, where every one has a value."""
    values = {name: n.typed for name, n in e.names.items() if n.value is not None}
    return values if len(values) == len(e.names) else {}


def _open(e: Exercise) -> tuple[str, list[str]]:
    """Return the formula with the values of its constants put in, and the names of its variables."""
    names = [name for name, n in e.names.items() if n.value is None]
    return (_text(e), sorted(names)) if names else (e.reading.text, sorted(e.names))


def _text(e: Exercise) -> str:
    """Return the formula with its values in the places of their names."""
    text = e.reading.text
    named = [node for node in walk(e.reading.tree) if isinstance(node, Name) and node.place is not None]
    for node in sorted(named, key=lambda node: node.place or (0, 0), reverse=True):
        typed = e.names[node.id].typed if node.id in e.names else ""
        if typed and node.place is not None:
            start, end = node.place
            text = f"{text[:start]}({typed}){text[end:]}"
    return text
