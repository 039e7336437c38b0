"""The first result: of a small graph of numbers node by node, before it is a program, and of others by NumPy.

Node by node it is what the backend ``python`` computes, by the same functions of numbers in the same order. Where that
is not plain (choices, integers, entries that are added up, results that are not finite) there is none, and the kernel
is asked. NumPy computes what LLVM takes long to compile; whether it does depends on the program alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import isfinite
from typing import Any

import numpy as np

from symgrad.compiler.backends.backend import Unsuitable
from symgrad.compiler.backends.choose import MOST_ARGUMENTS, SHORT
from symgrad.compiler.backends.python import check, function_of
from symgrad.compiler.primitives.elements import TRUTH
from symgrad.compiler.primitives.map_steps import steps_of_map
from symgrad.compiler.primitives.payload import Steps, replay
from symgrad.core.kernels import ARITHMETIC
from symgrad.core.node import CONSTANT, AnyNode, Leaf
from symgrad.core.promotion import FLOAT64
from symgrad.engine.program import Program
from symgrad.ops.convert import DETACH
from symgrad.ops.map import IDENTITY, Map
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.slicing import Slice
from symgrad.transforms.loops.op import Scan

_EXACT = frozenset({"add", "sub", "mul", "neg"})  # which arrays of numbers share with numbers, to the last bit
_PER_NODE = 3  # primitives up to which a program of numbers is certain to be written in Python
_NONE = Steps(0, (), 0)
_MOST_STEPS, _MOST_ENTRIES = 20_000, 30_000_000  # up to which NumPy has a first result before machine code is compiled
_LARGE, _MOST_EACH = 1_000_000, 100_000  # entries of all steps, and of each on average: more take NumPy much memory


class _Undecided(Exception):
    """There is no early result."""


def is_sooner_by_numpy(program: Program) -> bool:
    """Whether NumPy has the first result sooner than LLVM, which has short programs of numbers at once."""
    if len(program.inputs) + len(program.outputs) > MOST_ARGUMENTS:
        return False
    steps, entries = _work(program)
    if steps > _MOST_STEPS or entries > min(_MOST_ENTRIES, max(_LARGE, _MOST_EACH * steps)):
        return False
    try:
        check(program, SHORT)
    except Unsuitable:
        return True
    return False


def _work(program: Program) -> tuple[int, int]:
    """Return how many steps NumPy runs, and how many entries these compute."""
    steps = entries = 0
    for k in program.steps():
        v = program.values[k]
        count, size = _work(v.op.body) if isinstance(v.op, Scan) else (1, v.size)
        times = int(v.op.length) if isinstance(v.op, Scan) else 1
        steps, entries = steps + times * count, entries + times * size
    return steps, entries


def walked(leaves: Sequence[Leaf], roots: Sequence[Any], nodes: Sequence[AnyNode], xs: Sequence[Any]) -> Any:
    """Return the values of the roots at these values of the leaves; None where there is no early result."""
    if any(len(leaf.shape) > 1 or leaf.dtype is not FLOAT64 for leaf in leaves):
        return None
    env = {id(leaf): x for leaf, x in zip(leaves, xs, strict=True)}
    try:
        with np.errstate(all="ignore"):
            _walk(nodes, env)
        return [_result(env[id(root)]) for root in roots]
    except (_Undecided, KeyError, *ARITHMETIC):
        return None


def _walk(nodes: Sequence[AnyNode], env: dict[int, Any]) -> None:
    left = max(SHORT, _PER_NODE * len(nodes))
    for node in nodes:
        key = id(node)
        if key in env:
            continue
        if isinstance(node, Leaf):
            env[key] = _constant(node)
            continue
        op = node.rule.op
        args = [env[id(p)] if id(p) in env else _number(p) for p in node.inputs]
        if op is IDENTITY or op is DETACH:
            env[key] = args[0]
        elif type(op) is Map:
            steps = _steps(op)
            left -= len(steps.ops)
            env[key] = _of_map(op, steps, args, node.shape)
        elif type(op) is Slice or (type(op) is ScatterAdd and op.where.unique):
            env[key] = value = op.forward(*args)
            left -= np.size(value)
        else:
            raise _Undecided
        if left < 0:
            raise _Undecided


def _of_map(op: Map, steps: Steps, args: Sequence[Any], shape: Any) -> Any:
    if steps is _NONE:
        raise _Undecided
    if shape == ():
        return replay(steps, args, lambda name, *xs: function_of(name)(*xs), float)
    if any(step[0] not in _EXACT for step in steps.ops):
        raise _Undecided
    return op.forward(*args)


@lru_cache(maxsize=8192)
def _steps(op: Map) -> Steps:
    """Return what a map computes, if that is numbers of numbers without a choice."""
    steps = steps_of_map(op)
    strange = op.truth or any(step[0] == "select" or step[0] in TRUTH for step in steps.ops)
    return _NONE if strange else steps


def _constant(leaf: Leaf) -> Any:
    if leaf.level != CONSTANT or type(leaf.value) is not float:
        raise _Undecided
    return leaf.value


def _number(x: Any) -> float:
    if type(x) is not float and type(x) is not int:
        raise _Undecided
    return float(x)


def _result(y: Any) -> Any:
    if type(y) is float and isfinite(y):
        return y
    if isinstance(y, np.ndarray) and y.dtype is FLOAT64 and np.isfinite(y).all():
        return np.array(y)
    raise _Undecided
