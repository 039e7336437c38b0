"""The derivatives of a body: what a cotangent, and what a tangent, does in one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.core.node import AnyNode, tensor_node, tensor_value
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import as_tensor, handle, input_of
from symgrad.engine.sweep import push, sweep
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.map import ADD
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Expand
from symgrad.transforms.tracing import Trace

Source = tuple[str, int]  # "seed": a cotangent or tangent; "carry": its values before each step; "input": of the loop


class Derived(NamedTuple):
    """A derived loop.

    Attributes:
        body: of one step.
        inits: for each carry the seed that it starts from, None for zeros; and what it looks like.
        slices, shared: where the arrays come from that are sliced, and the constants.
        extra: further constants.
        places: for each input of the loop that is differentiated by, which output of the body its cotangent is.
    """

    body: Program
    inits: tuple[tuple[int | None, Spec], ...]
    slices: tuple[Source, ...]
    shared: tuple[Source, ...]
    extra: tuple[Any, ...]
    places: dict[int, int]

    @property
    def carries_read(self) -> tuple[int, ...]:
        """Return the carries whose values before each step are read."""
        return tuple(k for kind, k in self.slices if kind == "carry")


Rule = Callable[[Sequence[Any], dict[Source, Any]], Sequence[Any]]
Reads = Sequence[tuple[Source, Spec]]


def pullback(body: Program, carries: int, xs: int, which: tuple[int, ...]) -> Derived:
    """Return the loop that pulls cotangents of the results back to the inputs in ``which``, all floating point."""
    made = body.once(("pull", carries, xs, which), lambda: _pullback(body, carries, xs, which))
    return made  # type: ignore[no-any-return]


def pushforward(body: Program, carries: int, xs: int, which: tuple[int, ...], dtype: np.dtype[Any]) -> Derived:
    """Return the loop that pushes tangents of the inputs in ``which`` forward. Integers have zeros of ``dtype``."""
    made = body.once(("push", carries, xs, which, dtype), lambda: _pushforward(body, carries, xs, which, dtype))
    return made  # type: ignore[no-any-return]


def _inputs(body: Program, carries: int, xs: int) -> tuple[Reads, Reads]:
    """The inputs of a body in a loop derived from it: those that are sliced, and the constants."""
    m = carries + xs
    slices = [(("carry" if k < carries else "input", k), s) for k, s in enumerate(body.arguments[:m])]
    return slices, [(("input", k), s) for k, s in enumerate(body.arguments[m:], m)]


def _pullback(body: Program, carries: int, xs: int, which: tuple[int, ...]) -> Derived:
    moving = [k for k in range(carries) if body.arguments[k].is_float]
    constants = [i for i in which if i >= carries + xs]
    targets = [*moving, *constants, *[i for i in which if carries <= i < carries + xs]]
    inits = [(k, body.arguments[k]) for k in moving] + [(None, body.arguments[i]) for i in constants]
    stacked = [(("seed", k), s) for k, s in enumerate(body.results) if k >= carries and s.is_float]
    slices, shared = _inputs(body, carries, xs)

    def rule(now: Sequence[Any], env: dict[Source, Any]) -> list[Any]:
        primal, outs = _applied(body, env, slices, shared)
        roots = [outs[k] for k in moving] + [outs[k] for (_, k), _ in stacked]
        seeds = [conj(s) for s in (*now[: len(moving)], *[env[source] for source, _ in stacked])]
        wrt = [tensor_node(primal[i]) for i in targets]
        pulled = sweep(roots, seeds, wrt=wrt, handle=handle, symbolic=True)
        cotangents = [fitted(conj(pulled.get(node)), body.arguments[i]) for node, i in zip(wrt, targets, strict=True)]
        for k in range(len(moving), len(inits)):
            cotangents[k] = ADD(now[k], cotangents[k])
        return cotangents

    places = {i: at for at, i in enumerate(targets) if i in which}
    return _derived(inits, [*stacked, *slices], shared, rule)._replace(places=places)


def _pushforward(body: Program, carries: int, xs: int, which: tuple[int, ...], dtype: np.dtype[Any]) -> Derived:
    def tangent(spec: Spec) -> Spec:
        return spec if spec.is_float else Spec(spec.shape, dtype)

    slices, shared = _inputs(body, carries, xs)
    inits = [(k, tangent(s)) for k, s in enumerate(body.arguments[:carries])]
    m = carries + xs
    along = [(("seed", i), body.arguments[i]) for i in which if carries <= i < m]
    fixed = [(("seed", i), body.arguments[i]) for i in which if i >= m]

    def rule(now: Sequence[Any], env: dict[Source, Any]) -> list[Any]:
        primal, outs = _applied(body, env, slices, shared)
        tangents = {tensor_node(primal[k]): t for k, t in enumerate(now) if body.arguments[k].is_float}
        tangents |= {tensor_node(primal[i]): env["seed", i] for (_, i), _ in [*along, *fixed]}
        pushed = push(outs, tangents, handle, record=True, symbolic=True)
        return [fitted(t, tangent(s)) for t, s in zip(pushed, body.results, strict=True)]

    return _derived(inits, [*along, *slices], [*fixed, *shared], rule)


def _applied(body: Program, env: dict[Source, Any], slices: Reads, shared: Reads) -> tuple[list[Any], list[AnyNode]]:
    """Apply a body to its inputs; return these and the nodes of its outputs."""
    primal = [env[source] for source, _ in [*slices, *shared]]
    return primal, [input_of(as_tensor(t)) for t in body(*primal)]


def fitted(t: Any, spec: Spec) -> Any:
    """Return a cotangent or tangent with the shape and dtype of what it belongs to; zeros for None."""
    if t is None:
        return as_tensor(spec.zeros())
    t = t if shape(t) == spec.shape else Expand(spec.shape)(t)
    return t if t.dtype == spec.dtype else Cast(spec.dtype)(t)


def _derived(inits: Sequence[tuple[int | None, Spec]], slices: Reads, shared: Reads, rule: Rule) -> Derived:
    """Trace a derived body, and leave out what it does not read."""
    trace = Trace()
    given = [*slices, *shared]
    variables = trace.variables([*[s for _, s in inits], *[s for _, s in given]])
    now, others = variables[: len(inits)], variables[len(inits) :]
    env = {source: t for (source, _), t in zip(given, others, strict=True)}
    roots = [as_tensor(t) for t in trace.run(rule, (now, env), "scan: a rule looks at a value.")]
    everything, _ = trace.program(variables, roots)
    read = {given[k - len(inits)][0] for k in everything.reads if len(inits) <= k < len(variables)}
    slices, shared = ([r for r in rs if r[0] in read] for rs in (slices, shared))
    used = [*now, *[env[source] for source, _ in [*slices, *shared]]]
    body, extra = trace.program(used, roots)
    sliced, whole = (tuple([source for source, _ in rs]) for rs in (slices, shared))
    return Derived(body, tuple(inits), sliced, whole, tuple([tensor_value(t) for t in extra]), {})
