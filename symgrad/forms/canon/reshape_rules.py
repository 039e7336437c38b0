"""Rules of operations that only move entries: reshape undoes reshape, a slice of a join is what was joined.

Each rule answers with another term, or None where it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from symgrad.forms.canon.elementwise_subterms import elementwise
from symgrad.forms.canon.products import content
from symgrad.forms.canon.terms import CALL, FUNCTION, POWER, PRODUCT, SUM, Shape, Term, TermPool, rule, split, value_of
from symgrad.ops.indexing.select import part
from symgrad.ops.keys import ALL, Span, wrapped
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import Cat, Stack
from symgrad.ops.slicing import Slice

Move = Callable[[Term], Term | None]  # what an operation makes of a term, where that is simpler


@rule(CALL)
def number_out_of_a_move(pool: TermPool, t: Term) -> Term | None:
    """(2x)[1:] is 2·x[1:], and so for every linear operation of one array."""
    if not t.data.linear or len(t.args) != 1:
        return None
    c, a = content(pool, t.args[0])
    if c == 1:
        c, a = split(t.args[0])
    return None if c == 1 else pool.sum([(c, pool.call(t.data, [a], t.shape))], t.shape)


@rule(CALL)
def reshape_of_a_reshape(pool: TermPool, t: Term) -> Term | None:
    """The second shape is the shape; where it is the first one's, nothing is left."""
    if not isinstance(t.data, Reshape):
        return None
    (a,) = t.args
    if a.kind == CALL and isinstance(a.data, Reshape) and a.args[0].shape != t.shape:
        return pool.call(t.data, a.args, t.shape)
    return _through(pool, a, t.shape, lambda b: _reshaped_back(b, t.shape))


def _reshaped_back(b: Term, shape: Shape) -> Term | None:
    undone = b.kind == CALL and isinstance(b.data, Reshape) and b.args[0].shape == shape
    return b.args[0] if undone else None


@rule(CALL)
def slice_of_a_join(pool: TermPool, t: Term) -> Term | None:
    """[x; y][:n] is x, f([x; y])[:n] is f(x), stack(x, y)[0, :] is x, and what was scattered is read back."""
    if not isinstance(t.data, Slice):
        return None
    items = t.data.items
    return _through(pool, t.args[0], t.shape, lambda b: _selected(pool, items, b, t.shape))


def _through(pool: TermPool, a: Term, shape: Shape, move: Move) -> Term | None:
    """Return a moved, where the move simplifies every array that a is computed of, entry by entry."""
    value = value_of(a)
    if value is not None:
        return pool.constant(value, shape)
    term = move(a)
    if term is not None or a.kind not in (SUM, POWER, FUNCTION, PRODUCT) or not a.args:
        return term
    if a.kind == PRODUCT and not (elementwise(a) and all(s in ((), a.data[1]) for s in a.data[0])):
        return None
    args = [b if not b.shape else _through(pool, b, shape, move) for b in a.args]
    kept = [b for b in args if b is not None]
    return _remade(pool, a, kept, shape) if len(kept) == len(args) else None


def _remade(pool: TermPool, a: Term, args: list[Term], shape: Shape) -> Term:
    """Return an elementwise term of other arguments, of another shape."""
    if a.kind == SUM:
        return pool.sum(zip(a.data, args, strict=True), shape)
    if a.kind == PRODUCT:
        term = pool.times(*args)
        return term if term.shape == shape else pool.product([(term, ())], range(len(shape)), dict(enumerate(shape)))
    return pool.power(args[0], a.data) if a.kind == POWER else pool.function(a.data, args, shape)


# ------------------------------------------------------------------ selections
def _selected(pool: TermPool, items: tuple[Any, ...], a: Term, shape: Shape) -> Term | None:
    """Return what the brackets select of a join or of zeros with entries in them."""
    if a.kind != CALL or None in items:
        return None
    if isinstance(a.data, ScatterAdd):
        return _read_back(pool, items, a, shape) if isinstance(a.data.where, Slice) else None
    if isinstance(a.data, Stack) and isinstance(items[a.data.axis], int):
        at = a.data.axis
        piece = a.args[wrapped(items[at], len(a.args))]
        return _piece(pool, piece, (*items[:at], *items[at + 1 :]), shape)
    return _of_a_cat(pool, items, a, shape) if isinstance(a.data, Cat) else None


def _read_back(pool: TermPool, items: tuple[Any, ...], a: Term, shape: Shape) -> Term | None:
    """Return the scattered term if all of it is read, and zeros if none of it is."""
    if None in a.data.where.items:
        return None
    mine, theirs = _places(items, a.shape), _places(a.data.where.items, a.shape)
    if any(_apart(p, q) for p, q in zip(mine, theirs, strict=True)):
        return pool.zero(shape)
    return a.args[0] if mine == theirs and a.args[0].shape == shape else None


def _places(items: tuple[Any, ...], sizes: Shape) -> list[tuple[Any, Any, Any]]:
    """Return start, step and length on each axis; of a position, no length."""
    return [i.over(n) if isinstance(i, Span) else (wrapped(i, n), 1, None) for i, n in zip(items, sizes, strict=True)]


def _apart(p: tuple[Any, Any, Any], q: tuple[Any, Any, Any]) -> bool:
    """Whether two ranges have no position in common."""
    ends = [sp.sympify(start + (1 if length is None else length)) for start, _, length in (p, q)]
    in_order = [(q[0] - ends[0]), (p[0] - ends[1])]
    return p[1] == q[1] == 1 and any(sp.sympify(gap).is_nonnegative for gap in in_order)


def _of_a_cat(pool: TermPool, items: tuple[Any, ...], a: Term, shape: Shape) -> Term | None:
    axis = a.data.axis
    item, low = items[axis], sp.S.Zero
    single = not isinstance(item, Span)
    first, step, length = (wrapped(item, a.shape[axis]), 1, 1) if single else item.over(a.shape[axis])
    for piece in a.args:
        n = piece.shape[axis]
        start, left = sp.sympify(first - low), sp.sympify(low + n - first - length)
        if step == 1 and start.is_nonnegative and left.is_nonnegative:
            whole = start == 0 and left == 0
            inside = start if single else ALL if whole else Span(_plain(start), _plain(start + length), None)
            return _piece(pool, piece, (*items[:axis], _plain(inside), *items[axis + 1 :]), shape)
        low = low + n
    return None


def _plain(k: Any) -> Any:
    return int(k) if isinstance(k, sp.Integer) else k


def _piece(pool: TermPool, piece: Term, items: tuple[Any, ...], shape: Shape) -> Term:
    return piece if all(i == ALL for i in items) else pool.call(part(items), [piece], shape)
