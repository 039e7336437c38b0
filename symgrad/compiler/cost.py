"""What one call of a program costs: operations on single numbers, and bytes that come from memory and go there.

Counted is what the mathematics asks for once everything is shared and folded, whatever a backend makes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.passes.order import program_of_body
from symgrad.compiler.primitives.decompose import expand
from symgrad.compiler.primitives.elements import ELEMENT, OP, REDUCE, Elements
from symgrad.core.node import Shape
from symgrad.engine.program import Program
from symgrad.ops.contract import Einsum
from symgrad.ops.signature import read
from symgrad.transforms.loops.op import Scan


def cost(program: Program, workspace: int = 0) -> dict[str, int]:
    """Return the operations and bytes of a call.

    Args:
        program: what is computed.
        workspace: bytes that the kernel works in.

    Returns:
        ``operations``: additions, products, exponentials …, each counted once per entry; a contraction has an addition
        for each product, and a factorisation of an (n, n) matrix n³. ``bytes``: what has to be read and written, the
        arrays ``arguments``, ``constants`` and ``results``, each of them once. ``workspace``: what lies between.
    """
    values, e = program.values, Elements(program, expand)
    live = e.reachable(e.outputs)
    sizes = {
        "arguments": sum(_bytes(values[k]) for k in program.inputs),
        "constants": sum(e.arrays[k].nbytes for k in live if k in e.arrays),
        "results": sum(_bytes(values[k]) for k in program.outputs),
    }
    return {
        "operations": sum(_of_step(e, k) for k in live),
        "bytes": sum(sizes.values()),
        **sizes,
        "workspace": workspace,
    }


def _of_step(e: Elements, k: int) -> int:
    kind, size = e.kind(k), prod(e.shapes[k])
    if kind == ELEMENT:
        return 0 if e.ops[k][0].startswith("cast_") else size
    shapes = [e.shapes[r] for r in e.refs(k)]
    if kind == REDUCE:
        return prod(shapes[0])
    return _of_operation(e.ops[k][0], shapes, size) if kind == OP else 0


def _of_operation(op: Any, shapes: Sequence[Shape], size: int) -> int:
    if op.rearranges or op.indexes:
        return 0
    if isinstance(op, Einsum):
        sizes = op.sizes(shapes)
        products: int = prod(sizes.values())
        return products * (len(shapes) - (set(sizes) == set(op.output)))
    if isinstance(op, Scan):
        return (int(op.length) if op.is_bounded else 1) * cost(program_of_body(op.body))["operations"]
    given = max([size, *map(prod, shapes)])
    core = read(op.signature).of(len(shapes)) if isinstance(op.signature, str) else ()
    wide = [s for c, s in zip(core, shapes, strict=False) if len(c) == 2]
    most: int = max([given, *[prod(s) * max([min(s[-2:]), *[t[-1] for t in wide[1:]]]) for s in wide[:1]]])
    return most


def _bytes(value: Any) -> int:
    return int(value.size * np.dtype(value.dtype).itemsize)
