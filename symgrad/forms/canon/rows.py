"""Arrays put together row by row: what is written into every row of zeros is a stack of rows."""

from __future__ import annotations

from typing import Any

from symgrad.forms.canon.products import content
from symgrad.forms.canon.terms import CALL, SUM, Term, TermPool, rule
from symgrad.ops.keys import ALL, wrapped
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.shapes.join import Stack
from symgrad.ops.slicing import Slice

MOST = 6  # rows that are written one by one


@rule(SUM)
def rows_of_a_stack(pool: TermPool, t: Term) -> Term | None:
    """scatter(a, [0]) + scatter(b, [1]) is stack(a, b), where every row is written to."""
    n = t.shape[0] if t.shape else 0
    if pool.bases or not isinstance(n, int) or not 1 < n <= MOST:  # a Jacobian looks inside of one row only
        return None
    rows: dict[int, list[tuple[Any, Term]]] = {k: [] for k in range(n)}
    rest, stacks = list[tuple[Any, Term]](), 0
    for c, a in zip(t.data, t.args, strict=True):
        place = _place(a, n)
        stacked = a.kind == CALL and isinstance(a.data, Stack) and a.data.axis == 0
        stacks += stacked
        if place is not None:
            rows[place].append((c, a.args[0]))
        elif stacked:
            for k, b in enumerate(a.args):
                rows[k].append((c, b))
        else:
            rest.append((c, a))
    if not all(rows.values()) or len(t.args) - len(rest) == stacks == 1:
        return None
    stack = pool.call(Stack(0), [pool.sum(rows[k], t.shape[1:]) for k in range(n)], t.shape)
    return pool.sum([*rest, (1, stack)], t.shape)


@rule(SUM)
def scattered_to_one_place(pool: TermPool, t: Term) -> Term | None:
    """[a; 0] + [b; 0] is [a + b; 0]."""
    places: dict[Any, list[tuple[Any, Term]]] = {}
    for c, a in zip(t.data, t.args, strict=True):
        if a.kind == CALL and isinstance(a.data, ScatterAdd) and isinstance(a.data.where, Slice):
            places.setdefault(a.data, []).append((c, a))
    for op, terms in places.items():
        if len(terms) > 1 and not pool.bases:
            inside = pool.sum([(c, a.args[0]) for c, a in terms], terms[0][1].args[0].shape)
            number, plain = content(pool, inside)
            known = {a for _, a in terms}
            rest = [(c, a) for c, a in zip(t.data, t.args, strict=True) if a not in known]
            return pool.sum([*rest, (number, pool.call(op, [plain], t.shape))], t.shape)
    return None


def _place(a: Term, n: int) -> int | None:
    """Return the row that zeros have something in; None of other terms."""
    if a.kind != CALL or not isinstance(a.data, ScatterAdd) or not isinstance(a.data.where, Slice):
        return None
    first, *others = a.data.where.items
    whole = all(i == ALL for i in others) and a.args[0].shape == a.shape[1:]
    return wrapped(first, n) if isinstance(first, int) and whole else None
