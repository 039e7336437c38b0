"""sg.scan and sg.fori_loop, with the meaning that they have in JAX."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.core import modes
from symgrad.core.node import GRAD, has_value, tensor_node
from symgrad.core.promotion import is_complex, is_differentiable, is_floating, is_signed
from symgrad.engine.generator import Repeated, Tape, taken, taping
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, NotYet, ShapeError
from symgrad.ops.convert import Cast
from symgrad.ops.map import show_shape
from symgrad.support.arguments import checked
from symgrad.support.foreign_draws import watched
from symgrad.transforms.calls import is_written_to
from symgrad.transforms.loops.chunks import in_chunks
from symgrad.transforms.loops.op import UNBOUNDED, Scan
from symgrad.transforms.loops.trees import Tree, flatten, unflatten
from symgrad.transforms.tracing import Trace, spec_of

_FLOAT64 = np.dtype(np.float64)
_ONCE = ": the body looks at a value, but is traced once without values, for all steps."
_LOOKS = {"scan": _ONCE, "while_loop": _ONCE, "fori_loop": f"{_ONCE} The loop's number is an index as x[i.long()]."}


@checked
def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    *,
    checkpoint_every: int | None = None,
) -> tuple[Any, Any]:
    """Loop (c, y_t) = f(c, x_t) over t = 0, 1, …, and return the final c and the y_t, stacked along a new first axis.

    f is traced once, without values, and the loop is one operation of the graph, however long it is. Derivatives of
    every order, in forward and reverse mode, are again such loops. The meaning is that of ``jax.lax.scan``.

    Args:
        f: function of the carry c and a slice x_t that returns the next carry and y_t. It may capture tensors, and
            gradients flow to them. It cannot branch on values; use ``sg.where``. Random numbers are drawn anew in every
            step. In-place changes to x_t reach xs, and those to c are not visible outside.
        init: the first c: tensors, arrays and numbers in nested tuples, lists and dicts, or None. It is not modified.
        xs: tensors to be sliced along their first axis, nested likewise; None for no input.
        length: the number of steps, needed where xs is None.
        reverse: run from the last slice to the first; y_t stays in place of x_t.
        checkpoint_every: keep the carry of every k-th step only, and recompute the others for the derivative. About n/k
            + k of the n carries are then in memory at a time, with a minimum for k near √n. The results are the same.

    Returns:
        The final carry, structured like init, and the stacked y, structured like y_t.

    Raises:
        ArgumentError: if the length is missing, negative, or differs from that of xs; checkpoint_every is below 1.
        ShapeError: if the carry changes its shape, or the xs differ in length.
        DTypeError: if the carry changes its dtype.
        ValueNeeded: if f needs a value.

    >>> total, sums = sg.scan(lambda c, x: (c + x, c + x), 0.0, sg.tensor([1.0, 2.0, 3.0]))
    >>> total, sums
    (tensor(6.), tensor([1., 3., 6.]))
    """
    if checkpoint_every is None:
        return _scan("scan", f, init, xs, length, reverse)
    every = _integer("scan", "checkpoint_every", checkpoint_every)
    call, weak = _taken("scan", f, init, xs)
    steps = _length(call, length)
    with taping(Tape()):  # draws nothing
        _traced(call, weak, steps, bool(reverse))  # numbers that start a carry get the dtype that it has
    return in_chunks(scan, f, unflatten(call.carry_tree, iter(call.start)), xs, steps, reverse, every)


def scan_until(
    f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, length: int | None, until: int, who: str = "scan"
) -> tuple[Any, Any]:
    """Loop as ``scan`` does, until no entry of the carry of this number is 0; see ``Scan.until``.

    A length of None is no bound on the steps.
    """
    return _scan(who, f, init, xs, UNBOUNDED if length is None else length, False, until)


@checked
def fori_loop(lower: int, upper: int, body: Callable[[Any, Any], Any], init: Any) -> Any:
    """Loop c = body(i, c) over i = lower, …, upper - 1, and return the final c.

    It works like ``scan``, and has the meaning of ``jax.lax.fori_loop``.

    Args:
        lower, upper: integers. Where upper ≤ lower, init is returned.
        body: function of i and of the carry; i is an integer as a tensor without axes, and like every number it
            leaves the dtype of an array as it is.
        init: the first c: tensors, arrays and numbers in nested tuples, lists and dicts.

    >>> sg.fori_loop(0, 3, lambda i, c: c * (i + 1), 1.0)
    tensor(6.)
    """
    first, last = (_integer("fori_loop", what, k) for what, k in (("lower", lower), ("upper", upper)))
    numbers = np.arange(first, last, dtype=np.float64)  # not integers, beside which float32 becomes float64
    return _scan("fori_loop", lambda c, i: (body(i, c), None), init, numbers, None, False)[0]


def _integer(who: str, what: str, k: Any) -> int:
    try:
        return operator.index(k)
    except TypeError as error:
        raise ArgumentTypeError(
            f"{who}: {what} must be an integer, got {type(k).__name__}. Pass a Python int."
        ) from error


class _Call(NamedTuple):
    """The arguments of one loop, taken apart."""

    who: str
    f: Callable[..., Any]
    start: list[Any]
    rows: list[Any]
    carry_tree: Tree
    row_tree: Tree


def _taken(who: str, f: Any, init: Any, xs: Any) -> tuple[_Call, list[bool]]:
    """Take the arguments apart; which carries start with a number of Python's."""
    given: list[Any] = []
    carry_tree = flatten(init, given, f"{who}: init")
    rows: list[Any] = []
    row_tree = flatten(xs, rows, f"{who}: xs")
    call = _Call(who, f, [as_tensor(x) for x in given], [as_tensor(x) for x in rows], carry_tree, row_tree)
    return call, [type(x) in (int, float) for x in given]


def _scan(
    who: str, f: Any, init: Any, xs: Any, length: int | None, reverse: bool, until: int | None = None
) -> tuple[Any, Any]:
    call, weak = _taken(who, f, init, xs)
    steps = _length(call, length)
    with watched(who, f):
        body, captured, y_tree, written = _traced(call, weak, steps, bool(reverse))
    op = Scan.of(body, len(call.start), len(call.rows), steps, bool(reverse), until=until)
    inputs = [*call.start, *call.rows, *captured]
    if op.is_bounded and (until is None or len(op.pieces) == op.carries) and _may_be_differentiated(inputs):
        op = op.keeping(op.needed)
    packed = as_tensor(op(*inputs)) if op.pieces else None
    results = iter([op.piece(packed, k) for k in range(len(op.pieces) - len(op.kept))])
    pair = unflatten(call.carry_tree, results), unflatten(y_tree, results)
    for k in written:
        call.rows[k].copy_(next(results))
    return pair


def _may_be_differentiated(inputs: Sequence[Any]) -> bool:
    if any(not has_value(t) for t in inputs):
        return True
    return modes.is_grad_enabled() and any(tensor_node(t) is not None and tensor_node(t).level == GRAD for t in inputs)


def _length(call: _Call, length: int | None) -> int:
    """Return the number of steps."""
    for t in [*call.start, *call.rows]:
        if not all(isinstance(n, int) for n in t.shape):
            raise NotYet(f"{call.who}: got a tensor of shape {show_shape(t.shape)}. Expected sizes that are numbers.")
    if any(not t.shape for t in call.rows):
        raise ShapeError(f"{call.who}: the xs contain a number. Expected tensors with a first axis to slice.")
    sizes = {t.shape[0] for t in call.rows}
    if len(sizes) > 1:
        raise ShapeError(f"{call.who}: the xs have first axes of sizes {sorted(sizes)}. Expected one common length.")
    if length is None and not sizes:
        raise ArgumentError(f"{call.who}: xs and length are missing. Pass length=, the number of steps.")
    if length is None:
        return int(sizes.pop())
    given = _integer(call.who, "length", length)
    if given < 0 or (sizes and sizes != {given}):
        have = f" and xs of {sizes.pop()} slices" if sizes else ""
        raise ArgumentError(f"{call.who}: got length={given}{have}. Expected the number of steps, 0 or more.")
    return given


# ------------------------------------------------------------------ the body
def _traced(call: _Call, weak: Sequence[bool], steps: int, reverse: bool) -> tuple[Program, list[Any], Tree, list[int]]:
    """Trace f; again where a number that started a carry takes the dtype of what the carry becomes.

    What f draws becomes further xs, so that every step has random numbers of its own. What it writes to slices in place
    is returned after y; the last result says of which xs.
    """
    slices = [Spec(t.shape[1:], t.dtype) for t in call.rows]
    for last in (False, False, True):
        carries = [spec_of(t) for t in call.start]
        with Trace() as trace, taping(Tape()) as tape:
            variables = trace.variables([*carries, *slices])
            own = [handle(tensor_node(v), None) for v in variables]  # the body may rebind its own in place
            out, ys, y_tree = _outputs(call, trace, own)
            trace.leaves += tape.leaves
            dtypes = [_dtype(a, t.dtype, w) for a, t, w in zip(carries, out, weak, strict=True)]
            if last or dtypes == [a.dtype for a in carries]:
                _check_carry(call, carries, out)
                out = [t if t.dtype == a.dtype else Cast(a.dtype)(t) for a, t in zip(carries, out, strict=True)]
                pairs = list(zip(variables, own, strict=True))[len(carries) :]
                written = [k for k, (x, y) in enumerate(pairs) if is_written_to(x, y)]
                ys += [pairs[k][1] for k in written]
                variables = [handle(leaf, None) for leaf in trace.leaves]
                body, captured = trace.program(variables, [*out, *ys])
                break
        call.start[:] = [Cast(d)(t) if d != t.dtype else t for t, d in zip(call.start, dtypes, strict=True)]
    if tape.draws:
        if steps == UNBOUNDED:
            raise NotYet(
                f"{call.who}: the body draws random numbers, which are drawn ahead for all steps. Pass max_steps=, a "
                "bound on their number."
            )
        call.rows.extend(taken(Repeated(tape.draws, steps, reverse)))
    return body, captured, y_tree, written


def _dtype(spec: Spec, after: np.dtype[Any], weak: bool) -> np.dtype[Any]:
    """Return the dtype of a carry that starts as a number: the dtype after a step, if that is wider."""
    if weak and is_signed(spec.dtype) and (is_signed(after) or is_differentiable(after)):
        return after
    return after if not spec.shape and spec.dtype == _FLOAT64 and is_differentiable(after) else spec.dtype


def _outputs(call: _Call, trace: Trace, own: Sequence[Any]) -> tuple[list[Any], list[Any], Tree]:
    """Run f on tensors of its own. Returns those of the next carry, those of y, and the structure of y."""
    rest: Iterator[Any] = iter(own)
    carry = unflatten(call.carry_tree, rest)
    result = trace.run(call.f, (carry, unflatten(call.row_tree, rest)), call.who + _LOOKS[call.who], steps=True)
    if not isinstance(result, tuple) or len(result) != 2:
        raise ArgumentTypeError(
            f"{call.who}: the body returned {_described(result)}. Expected a pair: the next carry, and y or None."
        )
    out: list[Any] = []
    tree = flatten(result[0], out, f"{call.who}: the carry that the body returned")
    if tree != call.carry_tree:
        raise ArgumentTypeError(
            f"{call.who}: the carry changes its structure: it comes as {call.carry_tree} and is returned as {tree}. "
            "Return a carry structured like init."
        )
    ys: list[Any] = []
    y_tree = flatten(result[1], ys, f"{call.who}: the y that the body returned")
    return [as_tensor(t) for t in out], [as_tensor(t) for t in ys], y_tree


def _described(result: Any) -> str:
    return f"a tuple of {len(result)}" if isinstance(result, tuple) else f"a {type(result).__name__}"


def _check_carry(call: _Call, carries: Sequence[Spec], out: Sequence[Any]) -> None:
    for k, (a, t) in enumerate(zip(carries, out, strict=True)):
        which = f"{call.who}: the carry" if len(out) == 1 else f"{call.who}: tensor {k} of the carry"
        if t.shape != a.shape:
            raise ShapeError(
                f"{which} changes its shape: it comes as {show_shape(a.shape)} and is returned as "
                f"{show_shape(t.shape)}. Give init the shape that it has after a step."
            )
        number = not t.shape and t.dtype == _FLOAT64 and is_floating(a.dtype)
        if t.dtype != a.dtype and not number:
            loses = is_complex(t.dtype) and not is_complex(a.dtype)  # what is returned cannot be converted
            do = f"init.to(sg.{t.dtype})" if loses else f"c.to(sg.{a.dtype})"
            raise DTypeError(
                f"{which} changes its dtype: it comes as {a.dtype} and is returned as {t.dtype}. Convert init"
                f"{'' if loses else ', or what is returned'}, as in {do}."
            )
