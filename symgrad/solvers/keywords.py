"""A call of a user's solver by keywords, as one with arguments by their places, which the conditions share.

What the conditions take is an argument, by which there is a derivative; anything else is the solver's alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from symgrad.core import trees
from symgrad.engine.record import TensorBase
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.implicit.unknowns import is_variable

_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Bound:
    """One call, taken apart.

    Attributes:
        x0: where to start.
        args: what the conditions depend on: those given by place, then those by keyword.
        solver, conditions: as functions of (x, *args).
    """

    def __init__(
        self, who: str, solver: Callable[..., Any], conditions: Callable[..., Any], args: tuple[Any, ...], named: Any
    ) -> None:
        self.solver, self.conditions = solver, conditions
        _check(who, solver, args, named)
        mine, theirs = _parameters(solver), _parameters(conditions)
        if not args and mine and mine[0].name in named:
            args, named = (named[mine[0].name],), {k: v for k, v in named.items() if k != mine[0].name}
        if not args:
            raise ArgumentTypeError(f"{who}: got no starting point x0. Pass it as the first argument.")
        self.x0, self.args = args[0], args[1:]
        defaults = {p.name: p.default for p in mine[len(args) :] if p.default is not inspect.Parameter.empty}
        own = {p.name for p in theirs[len(args) :]}  # by place those before are taken
        named = {k: v for k, v in defaults.items() if k in own} | named
        if not named:
            return
        names = {k: _name(k, mine, theirs, len(args)) for k in named}
        shared = [k for k in named if names[k] is not None]
        _check_options(who, options := {k: v for k, v in named.items() if names[k] is None})
        many = len(self.args)
        self.args = (*self.args, *[named[k] for k in shared])

        def solve(x: Any, *given: Any) -> Any:
            return solver(x, *given[:many], **dict(zip(shared, given[many:], strict=True)), **options)

        def check(x: Any, *given: Any) -> Any:
            keywords = dict(zip([str(names[k]) for k in shared], given[many:], strict=True))
            return conditions(x, *given[:many], **keywords)

        self.solver, self.conditions = solve, check


def _check_options(who: str, options: dict[str, Any]) -> None:
    """Refuse tensors among the keywords that the conditions do not take."""
    for k, v in options.items():
        if _is_followed(v):
            raise ArgumentError(
                f"{who}: got a tensor for {k}=, which the conditions do not take: a derivative with respect "
                f"to it would be missing. Let the conditions take {k}, or pass a number or an array."
            )


def _check(who: str, solver: Callable[..., Any], args: tuple[Any, ...], named: Any) -> None:
    """Refuse keywords that the solver does not take."""
    try:
        signature = inspect.signature(solver)
    except (TypeError, ValueError):
        return
    try:
        signature.bind_partial(*args, **named)
    except TypeError as error:
        raise ArgumentTypeError(f"{who}: {error}. Its parameters are {signature}.") from None


_VARIOUS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _parameters(f: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return [p for p in inspect.signature(f).parameters.values() if p.kind not in _VARIOUS]
    except (TypeError, ValueError):
        return []


def _name(k: str, mine: list[inspect.Parameter], theirs: list[inspect.Parameter], taken: int) -> str | None:
    """Return what the conditions call a keyword of the solver's: the same, or what stands at its place."""
    names = [p.name for p in theirs[taken:]]
    if k in names:
        return k
    at = next((i for i, p in enumerate(mine) if p.name == k and p.kind in _PLACED), len(theirs))
    if taken <= at < len(theirs) and theirs[at].name not in {p.name for p in mine}:
        return theirs[at].name
    return None


def _is_followed(value: Any) -> bool:
    leaves: list[Any] = []
    trees.flatten([value], is_variable, leaves)
    return any(isinstance(v, TensorBase) and v._node is not None for v in leaves)
