"""The function that computes the entries: products of J with the seeds of all colours at once, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.sparse.colouring import NO_COLOUR
from symgrad.compiler.sparse.sweeps import Sweeps
from symgrad.compiler.trace import trace
from symgrad.core import trees
from symgrad.engine.program import Program, Spec
from symgrad.func import jvp, vjp
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import Cat
from symgrad.transforms.vmap import vmap

Function = Callable[..., Any]


def entries_of(fn: Function, place: int, sweeps: Sweeps, x: Spec, y: Spec) -> Function:
    """Return the function of fn's arguments that gives the entries of ∂fn/∂args[place] in one vector."""
    ahead, back = seeds(sweeps.columns, x), seeds(sweeps.rows, y)

    def entries(*args: Any, **kwargs: Any) -> Any:
        products = []
        if len(ahead):
            products.append(vmap(lambda s: _push(fn, place, s, args, kwargs))(ahead))
        if len(back):
            products.append(vmap(_puller(fn, place, args, kwargs))(back))
        flat = [Reshape((prod(p.shape),))(p) for p in products]
        return (flat[0] if len(flat) == 1 else Cat(0)(*flat))[sweeps.take]

    return entries


def seeds(colours: Any, like: Spec) -> Any:
    """Return a vector for each colour: 1 at the places of this colour, else 0."""
    vectors = np.zeros((int(colours.max(initial=NO_COLOUR)) + 1, len(colours)), like.dtype)
    used = np.flatnonzero(colours != NO_COLOUR)
    vectors[colours[used], used] = 1
    return vectors.reshape(len(vectors), *like.shape)


def _push(fn: Function, place: int, s: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Return the product J·s."""
    return jvp(_of_one(fn, place, args, kwargs), (args[place],), (s,))[1]


def _puller(fn: Function, place: int, args: Sequence[Any], kwargs: dict[str, Any]) -> Function:
    """s ↦ Jᵀ·s"""
    pull = vjp(_of_one(fn, place, args, kwargs), args[place])[1]
    return lambda s: pull(s)[0]


def _of_one(fn: Function, place: int, args: Sequence[Any], kwargs: dict[str, Any]) -> Function:
    return lambda point: fn(*args[:place], point, *args[place + 1 :], **kwargs)


# ------------------------------------------------------------------ what a sweep costs
def costs(fn: Function, place: int, y: Spec, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[int, int]:
    """Count the numbers that one sweep computes, in forward and in reverse mode."""

    def ahead(s: Any, *args: Any, **kwargs: Any) -> Any:
        return _push(fn, place, s, args, kwargs)

    def back(s: Any, *args: Any, **kwargs: Any) -> Any:
        return _puller(fn, place, args, kwargs)(s)

    x = args[place]
    return _cost(ahead, np.zeros(x.shape, x.dtype), args, kwargs), _cost(back, np.zeros(*y), args, kwargs)


def _cost(sweep: Function, seed: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> int:
    leaves: list[Any] = []
    tree = trees.flatten(((seed, *args), kwargs), is_array, leaves)
    program = trace(sweep, tree, [Spec(x.shape, x.dtype) for x in leaves], "sparse").program
    return max(1, sum(program.values[k].size for k in _behind(program, program.inputs[0])))


def _behind(program: Program, start: int) -> list[int]:
    """Return the steps that depend on a value."""
    reached = {start}
    for k in program.steps():
        if not reached.isdisjoint(program.values[k].args):
            reached.add(k)
    return [k for k in program.steps() if k in reached]


def is_array(x: Any) -> bool:
    """Whether an argument is an array, once tensors are taken for their values."""
    return isinstance(x, (np.ndarray, np.generic))
