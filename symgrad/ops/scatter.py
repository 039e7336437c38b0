"""The adjoint of reading entries, and writing them: ScatterAdd adds into zeros, Scatter is x with x[…] = v.

What is read and written is a Selection (its kinds are in parts).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import sympy as sp

from symgrad.core.kernels import canonical
from symgrad.core.node import Shape
from symgrad.core.promotion import Kind, is_symbolic, of_first
from symgrad.ops.contract import permute
from symgrad.ops.convert import into
from symgrad.ops.map import MUL, clip
from symgrad.ops.protocol import Op, Traced, shape
from symgrad.ops.shape import padded, repeated
from symgrad.support.frozen import frozen

Case = tuple[list[Any], list[Any]]  # conditions under which an entry was read, and to where


def decided(relation: Any) -> Any:
    """Return true or false where that follows from indices being at least 0, else the relation."""
    if not isinstance(relation, sp.Basic):
        return sp.sympify(relation)
    indices = [s for s in relation.free_symbols if s.is_nonnegative is None]
    truth = relation.xreplace({s: sp.Dummy(integer=True, nonnegative=True) for s in indices})
    return truth if truth in (sp.true, sp.false) else relation


class Selection(Op):
    """What Slice and Gather share: they read entries of x, and their adjoint adds into zeros."""

    linear = True
    saves = ""
    key: Any
    unique: bool
    rearranges = indexes = True
    explained = "indexing: the adjoint goes back to the entries that were read, all others receive 0"

    def shared(self) -> Self:
        """Keep the plans from now on: for a selection that serves many nodes.

        It and its plans then refer to each other, which would leave every other selection to the garbage collector.
        """
        self.__dict__["plans"] = {}
        return self

    def forward(self, x: Any) -> Any:
        return canonical(np.asarray(x)[self.key])

    def put(self, x: Any, v: Any) -> Any:
        """Write v where it was read."""
        return Scatter(self)(x, v)

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Add g into zeros, at the places that were read."""
        return ScatterAdd(self, x.shape)(g)

    def add(self, target: Any, g: Any) -> None:
        """Add g to the entries of ``found``, which are zero."""
        raise NotImplementedError

    def margins(self, sizes: Shape) -> tuple[int, int, int] | None:
        """Return the axis, and how few places before and behind are left out, where that is all; None elsewhere."""

    def cases(self, idx: Sequence[Any], sizes: Shape) -> list[Case] | None:
        """Return where the entry ``idx`` of the whole was read to; None where that is too long to write."""
        raise NotImplementedError

    def window(self, idx: Sequence[Any], sizes: Shape, p: Any) -> tuple[list[Any], list[Any], list[Any]] | None:
        """Return conditions, where to, and limits of a sum, where entries were read by windows that slide."""
        return None

    def check_fit(self, v: Shape, region: Shape) -> None:
        """Check that a value of shape v can be written to the entries read."""
        raise NotImplementedError

    def behind(self) -> Self:
        """Return the same selection of every slice of a batch."""
        raise NotImplementedError

    def batch_axis(self) -> int:
        """Return where the batch is among the axes of what ``behind`` reads."""
        return 0

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        y, at = self.behind()(xs[0]), self.batch_axis()
        return permute(y, [at, *[a for a in range(len(shape(y))) if a != at]]) if at else y

    def placed(self, v: Any) -> Any:
        """Move the batch axis of the written values to its place in the selection."""
        at = self.batch_axis()
        return permute(v, [*range(1, at + 1), 0, *range(at + 1, len(shape(v)))]) if at else v

    def notation(self, write: Any, *args: Any) -> Any:
        return write.Selected(args[0], str(self))


@frozen
class ScatterAdd(Op):
    """Add g into zeros of shape ``to`` where ``at`` reads: the adjoint of reading. Repeated places add up."""

    where: Selection
    to: Shape
    name: str = "Scatter"  # type: ignore[misc]
    indexes = linear = True
    saves = ""
    explained = "entries put into zeros: each receives the adjoint from its place"
    accumulates = True

    def forward(self, g: Any) -> Any:
        """Add into zeros."""
        g = np.asarray(g)
        total = np.full(self.to, sp.S.Zero if g.dtype == object else 0, dtype=g.dtype)
        self.where.add(total, g)
        return canonical(total)

    def out_shape(self, s: Shape) -> Shape:
        return self.to

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Read the cotangent at the indices."""
        return self.where(g)

    @property
    def adds(self) -> tuple[Selection]:
        """Return the selection that the input is added to."""
        return (self.where,)

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Add into the zeros of every slice."""
        return ScatterAdd(self.where.behind(), (size, *self.to))(self.where.placed(xs[0]))

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """Σ over the entries read from here: δ where the place is one position, cases for a range."""
        window = self.where.window(idx, self.to, p)
        if window is not None:
            conditions, at, limits = window
            body = sp.Piecewise((p(at), sp.And(*conditions)), (0, True))
            return p.sum(body, limits) if limits else body
        cases = self.where.cases(idx, self.to)
        if cases is None:
            return p.entry(self, (p,), idx)
        return sp.Add(*[_guarded(conditions, p(clip(at, p.shape))) for conditions, at in cases])

    def notation(self, write: Any, *args: Any) -> Any:
        margins = self.where.margins(self.to)
        if margins is None:
            return write.call("scatter", args[0], write.Verbatim(f"[{self.where}]"))
        axis, before, behind = margins
        zero = [write.number(0)]
        return write.blocks([*zero * before, args[0], *zero * behind], ", " if axis else "; ")


def _guarded(conditions: Sequence[Any], value: sp.Expr) -> sp.Expr:
    """Return the value where all conditions hold, else 0."""
    deltas = [sp.KroneckerDelta(c.lhs, c.rhs) for c in conditions if _is_pick(c)]
    ranges = [c for c in conditions if not _is_pick(c)]
    inner = sp.Piecewise((value, sp.And(*ranges)), (0, True)) if ranges else value
    return sp.Mul(*deltas, inner)


def _is_pick(condition: Any) -> bool:
    return isinstance(condition, sp.Eq) and not condition.lhs.has(sp.Mod)


def bare(v: Any) -> Any:
    """Return the expression in an object array without axes, which assignment would store as an array."""
    return v.item() if isinstance(v, np.ndarray) and v.ndim == 0 and is_symbolic(v.dtype) else v


@frozen
class Scatter(Op):
    """x with v written where ``at`` reads. Of repeated places the last one wins, as in NumPy."""

    where: Selection
    name: str = "IndexPut"  # type: ignore[misc]
    linear = True
    saves = ""
    gives = of_first
    rearranges = indexes = True
    explained = "entries replaced: what was written receives the adjoint of its place, what was lost receives 0"

    def __call__(self, *args: Any) -> Any:
        """Write, which must not cut a gradient."""
        x, v = args
        return super().__call__(x, into(v, x) if isinstance(v, Traced) else v)

    def forward(self, x: Any, v: Any) -> Any:
        """Copy x and write into the copy; x's dtype stays."""
        copied = np.array(x)
        copied[self.where.key] = v
        return canonical(copied)

    def takes(self, *kinds: Kind) -> tuple[None, np.dtype[Any]]:
        """Return the dtype of x, which written values take."""
        return None, np.dtype(kinds[0])

    def on_symbols(self, x: Any, v: Any) -> Any:
        """Copy into an object array and write there."""
        copied = np.array(x, dtype=object)
        copied[self.where.key] = bare(v)
        return copied

    def out_shape(self, s: Shape, v: Shape) -> Shape:
        """Check that v fits the entries written to."""
        self.where.check_fit(v, self.where.out_shape(s))
        return s

    def vjp(self, i: int, g: Any, y: Any, x: Any, v: Any) -> Any:
        # x keeps its gradient where nothing was written; v gets the rest, from the places where it survived.
        if i == 0:
            return self(g, 0.0)
        cotangent = self.where(g)
        survived = _survivors(self.where, x.shape)
        return cotangent if survived is None else MUL(cotangent, survived)

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Write in every slice; one by one where v has axes of one entry that assignment would drop."""
        x, v = xs
        x = x if flags[0] else repeated(x, size)
        region = len(self.where.out_shape(shape(x)[1:]))
        if flags[1] or shape(v):
            v = padded(v if flags[1] else repeated(v, size), region)
            if len(shape(v)) > region + 1:
                return NotImplemented
            v = self.where.placed(v)
        return Scatter(self.where.behind(), self.name)(x, v)

    def index(self, idx: Sequence[sp.Expr], p: Any, v: Any) -> sp.Expr:
        """v's entry where it was written, the last one first, else x's."""
        cases = self.where.cases(idx, p.shape)
        if cases is None:
            return p.entry(self, (p, v), idx)
        written = [(v(clip(at, v.shape)), sp.And(*conditions)) for conditions, at in reversed(cases)]
        return sp.Piecewise(*written, (p(idx), True))

    def notation(self, write: Any, *args: Any) -> Any:
        return write.call("put", args[0], write.Verbatim(f"[{self.where}]"), args[1])


def _survivors(where: Selection, sizes: Shape) -> Any:
    """Return where written entries stayed rather than being overwritten; None if all stayed."""
    if where.unique:
        return None
    order = np.full(sizes, -1)
    written = np.arange(order[where.key].size).reshape(order[where.key].shape)
    order[where.key] = written
    stayed = order[where.key] == written
    return None if stayed.all() else stayed
