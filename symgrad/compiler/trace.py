"""Run a function once on tensors without values, and keep the graph of what it did."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.autograd.inlined import inlined
from symgrad.compiler.effects import Effects, carries, changed, check_pure
from symgrad.compiler.jacobians import shortest
from symgrad.compiler.passes.order import simplified
from symgrad.compiler.program import from_nodes
from symgrad.core import modes, trees
from symgrad.core.ended import end
from symgrad.core.journal import unchanged
from symgrad.core.node import TRACED, AnyNode, Leaf
from symgrad.core.promotion import is_complex, is_number
from symgrad.engine.generator import Refusing, Tape, taping
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import TensorBase, as_tensor, handle
from symgrad.errors import ArgumentTypeError, GraphError, ValueNeeded, uncovered
from symgrad.ops.value import array_of, is_foreign
from symgrad.support.foreign_draws import watched
from symgrad.support.lazy import cached_property

_MOST_TRACES = 6


class Traced(NamedTuple):
    """A program and the structure of its results."""

    program: Program
    results: trees.Tree


class Graph:
    """What a function did: the leaves of its arguments, its results, and all nodes that these need, oldest first.

    ``effects`` is what it did besides, None where that is nothing; ``overwritten`` has the numbers of the arguments
    that it changed in place.
    """

    def __init__(
        self,
        leaves: Sequence[Leaf],
        roots: Sequence[Any],
        nodes: Sequence[AnyNode],
        results: trees.Tree,
        effects: Effects | None = None,
        overwritten: Sequence[int] = (),
    ) -> None:
        self.leaves, self.roots, self.nodes, self.results, self.effects = leaves, roots, nodes, results, effects
        self.overwritten = tuple(overwritten)

    @cached_property
    def program(self) -> Program:
        """The same as a program."""
        return simplified(from_nodes(self.leaves, self.roots, nodes=self.nodes))


def trace(fn: Callable[..., Any], tree: trees.Tree, specs: Sequence[Spec], who: str) -> Traced:
    """Trace fn, whose arguments (args, kwargs) have this structure around arrays of these shapes and dtypes.

    Jacobians are traced by forward and by reverse mode; the program with fewer operations is kept.

    Raises:
        GraphError: if it draws random numbers or changes a captured tensor, which a program alone cannot do.
    """
    with watched(who, fn):
        traced = shortest(lambda: _attempt(fn, tree, specs, [], Refusing(who), who), lambda traced: traced.program)
    return Traced(traced.program, traced.results)


def trace_once(fn: Callable[..., Any], tree: trees.Tree, specs: Sequence[Spec], who: str) -> Graph:
    """Trace fn, in one mode, around arrays of which sizes may have names; it raises as ``trace`` does."""
    with watched(who, fn):
        return _attempt(fn, tree, specs, [], Refusing(who), who)  # type: ignore[no-any-return]


def graph(fn: Callable[..., Any], tree: trees.Tree, specs: Sequence[Spec]) -> Graph:
    """Trace fn as ``trace`` does; its program is made on first use."""
    return shortest(lambda: _traced(fn, tree, specs), lambda found: found.program)


def _traced(fn: Callable[..., Any], tree: trees.Tree, specs: Sequence[Spec]) -> Graph:
    """Trace fn, again where it changes captured tensors, whose values are then arguments too."""
    states: list[Any] = []
    for _ in range(_MOST_TRACES):
        attempt = _attempt(fn, tree, specs, states, Tape(), None)
        if isinstance(attempt, Graph):
            return attempt
        states += attempt
    raise GraphError(
        f"compile: the function was traced {_MOST_TRACES} times, and each time it changed other captured tensors. "
        "Change the same ones at every call, or return new tensors."
    )


def _attempt(
    fn: Callable[..., Any], tree: trees.Tree, specs: Sequence[Spec], states: Sequence[Any], tape: Tape, who: str | None
) -> Any:
    """Return the graph of fn, or the states that it changes besides those that are known, unless ``who`` refuses."""
    names = _names(fn)
    leaves = [_leaf(spec, names[k] if k < len(names) else None) for k, spec in enumerate(specs)]
    held = [_leaf(Spec(*spec), None) for state in states for spec in state.specs]
    effects = Effects(states)
    try:
        with unchanged() as journal, taping(tape):
            effects.stand(iter([handle(leaf, None) for leaf in held]))
            own = [handle(leaf, None) for leaf in leaves]
            roots, results = _called(fn, tree, own)
            overwritten = [k for k, (t, leaf) in enumerate(zip(own, leaves, strict=True)) if t._node is not leaf]
            del own
            if who is not None:
                check_pure(who, journal)
            more = changed(journal, states)
            if more:
                return more
            after = effects.after()
            written = list(map(_root, after))
            effects.carries, effects.draws = carries(written, leaves), tape.draws
            roots, nodes = inlined([*roots, *written])
    finally:
        end(who or "compile", fn, [*leaves, *held, *tape.leaves])
    return Graph([*leaves, *held, *tape.leaves], roots, nodes, results, effects if effects else None, overwritten)


def _called(fn: Callable[..., Any], tree: trees.Tree, given: Sequence[Any]) -> tuple[list[Any], trees.Tree]:
    """Run fn, and return what its results stand for, and their structure; no tensor of the run is held any longer."""
    args, kwargs = trees.unflatten(tree, iter(given))
    try:
        with uncovered(), modes.enable_grad():
            result = fn(*args, **kwargs)
    except ValueNeeded as error:
        raise ValueNeeded(f"compile: the function needs a value, but is traced without values. {error}") from error
    tensors: list[Any] = []
    results = trees.flatten(result, is_result, tensors)
    return [_root(t) for t in tensors], results


def _leaf(spec: Spec, name: str | None) -> Leaf:
    leaf = Leaf(None, spec.shape, TRACED, name)
    leaf.dtype = spec.dtype
    modes.complexes.met = modes.complexes.met or is_complex(spec.dtype)
    return leaf


def _names(fn: Callable[..., Any]) -> list[str]:
    """Return the function's parameter names, for error messages; none where there is no signature."""
    try:
        return list(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return []


def is_result(x: Any) -> bool:
    """Whether x is an array among results; what no result can be is refused."""
    if isinstance(x, (TensorBase, float)) or (isinstance(x, (np.ndarray, np.generic)) and is_number(x.dtype)):
        return True
    if is_foreign(x):
        return is_number(array_of(x).dtype)
    if x is None or isinstance(x, (bool, int, str, dict, list, tuple)) or trees.is_dataclass(x):
        return False
    kind = f"array of {x.dtype}" if isinstance(x, (np.ndarray, np.generic)) else type(x).__name__
    raise ArgumentTypeError(
        f"compile: the function returned a {kind}. Return tensors, numbers, text, None, or nested dicts, lists, tuples "
        "and dataclasses of them."
    )


def _root(t: Any) -> Any:
    if not isinstance(t, TensorBase):
        return np.array(t) if isinstance(t, np.ndarray) else t  # frozen, whatever becomes of the user's array
    return as_tensor(t)._node if t._value is None else t._value
