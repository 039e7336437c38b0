"""vmap over a loop: one loop whose body works on the whole batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.core.node import tensor_value
from symgrad.engine.program import Program, Spec, Value
from symgrad.engine.record import as_tensor
from symgrad.ops.contract import permute
from symgrad.ops.convert import Cast
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Reshape, repeated
from symgrad.ops.shapes.join import Cat
from symgrad.transforms.batching import batch
from symgrad.transforms.tracing import Trace

Batched = tuple[Program, list[bool], list[Any]]  # the body, which carries have the batch in front, further constants


def batched(op: Any, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
    """Apply a loop to every slice at once."""
    key = ("batch", size, op.carries, tuple(flags))
    body, moving, extra = op.body.once(key, lambda: _batched(op, size, flags))
    n, m = op.carries, op.carries + op.xs
    inits = [x if f or not b else repeated(x, size) for x, f, b in zip(xs[:n], flags, moving)]
    slices = [_second(x) if f else x for x, f in zip(xs[n:m], flags[n:m])]
    loop = op.of(body, n, op.xs, op.length, op.reverse, op.kept, op.until)
    packed = loop(*inits, *slices, *xs[m:], *extra)
    parts = []
    for k, p in enumerate(op.pieces):
        piece = as_tensor(loop.piece(packed, k))
        piece = _second(piece) if k >= n else piece if moving[k] else repeated(piece, size)
        piece = Reshape((size, p.stop - p.start))(piece)
        parts.append(piece if p.dtype == op.packed else Cast(op.packed)(piece))
    return Cat(1)(*parts) if len(parts) > 1 else parts[0]


def _second(x: Any) -> Any:
    """Exchange the first two axes: batch and steps."""
    rest = range(2, len(shape(x)))
    return permute(x, (1, 0, *rest))


def _batched(op: Any, size: int, flags: Sequence[bool]) -> Batched:
    """Trace the body with the batch in front of the inputs that have it, and of the carries that get it."""
    flags = list(flags)
    while True:
        trace = Trace()
        specs = [Spec((size, *s.shape), s.dtype) if f else s for s, f in zip(op.body.arguments, flags, strict=True)]
        variables = trace.variables(specs)
        outs = trace.run(_run, (op.body, size, variables, flags), "vmap: a rule looks at a value.")
        grown = [k for k in range(op.carries) if outs[k][1] and not flags[k]]
        if not grown:
            break
        for k in grown:
            flags[k] = True
    wide = [k >= op.carries or flags[k] for k in range(len(outs))]
    roots = [as_tensor(t if b or not w else repeated(t, size)) for (t, b), w in zip(outs, wide, strict=True)]
    body, captured = trace.program(variables, roots)
    return body, flags[: op.carries], [tensor_value(t) for t in captured]


def _run(body: Program, size: int, variables: Sequence[Any], flags: Sequence[bool]) -> list[tuple[Any, bool]]:
    """Apply the body; return its outputs, and whether they have the batch in front."""

    def step(v: Value, args: Sequence[tuple[Any, bool]]) -> tuple[Any, bool]:
        xs, fs = [x for x, _ in args], [f for _, f in args]
        return (batch(v.op, size, xs, fs), True) if any(fs) else (v.op(*xs), False)

    return body.walk([*zip(variables, flags, strict=True)], step, lambda constant: (constant, False))
