"""vmap over functions with a rule of their own: the rule is mapped, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgrad.autograd.context import is_tensor
from symgrad.core.trees import Tree, flatten, unflatten
from symgrad.transforms.vmap import vmap


def over_slices(custom: Any) -> Any:
    """Return the function of a batch in every array."""
    if custom.batched is None:
        custom.batched = _made(custom)
    return custom.batched


def _made(custom: Any) -> Any:
    def named(fn: Callable[..., Any]) -> Callable[..., Any]:
        fn.__name__ = custom.function.__name__
        return fn

    def fun(*args: Any) -> Any:
        return _each(lambda *some: custom.fun(*custom.with_others(args, some)), custom.differentiated(args))

    made = type(custom)(named(fun), tuple(custom.nondiff))
    custom.map_rule(made)
    return made


class _Held:
    """The structure of residuals, as a residual."""

    def __init__(self) -> None:
        self.tree: Tree


def map_reverse(custom: Any, made: Any) -> None:
    """Give the function of a batch the mapped reverse rule."""

    def fwd(*args: Any) -> Any:
        held = _Held()

        def one(*some: Any) -> Any:
            y, residuals = custom.forward(custom.with_others(args, some))
            kept: list[Any] = []
            held.tree = flatten(residuals, is_tensor, kept)
            return y, kept

        y, kept = _each(one, custom.differentiated(args))
        return y, (held, kept)

    def bwd(*given: Any) -> Any:
        *others, (held, kept), g = given
        return _each(lambda r, g: custom.bwd(*others, unflatten(held.tree, iter(r)), g), (kept, g))

    made.defvjp(fwd, bwd)


def map_forward(custom: Any, made: Any) -> None:
    """Give the function of a batch the mapped forward rule."""

    def rule(*given: Any) -> Any:
        *others, primals, tangents = given
        return _each(lambda p, t: custom.rule(*others, p, t), (primals, tangents))

    made.defjvp(rule)


def _each(fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Map over all tensors in the arguments; what else is in them stays."""
    tensors: list[Any] = []
    tree = flatten(args, is_tensor, tensors)
    return vmap(lambda *xs: fn(*unflatten(tree, iter(xs))))(*tensors)
