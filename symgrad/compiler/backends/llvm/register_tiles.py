"""Sums of products in tiles: what a tile adds up stays in vector registers while the summed loops run.

A vector lies along a loop that one factor does not run along; the numbers of that factor are spread over it. The other
loops of a tile are written out, so that each vector and each number is read once for several products. Where the length
of the vectors' loop is not a multiple of theirs, the last vector begins earlier: it computes some entries once more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np

from symgrad.compiler.backends.llvm.code import TYPES, ZERO, Code, Used, kind_of
from symgrad.compiler.backends.llvm.instructions import Recorder, vector
from symgrad.compiler.backends.llvm.memory import collapsed, is_apart
from symgrad.compiler.backends.llvm.steps import ONTO, Nest
from symgrad.compiler.primitives.views import View

_LEAST = 1 << 11  # products that are worth it
_SHORTEST = 4  # loop that vectors lie along
_WIDEST = 64  # bytes of a vector
_MOST = 9  # turns that a tile has of its other loops
_MOST_ALONE = 12  # the same where it has one vector along theirs
_REUSED = 8  # times that the numbers are read that are copied, so that vectors can be read
_ALONG = 2  # vectors along their loop; twice as many where a tile has no other loops

Steps = tuple[int, ...]
Pack = Callable[[View], View]  # copies a view to memory in row-major order


class _Letter:
    """A loop: its length, and the steps of both factors and of the sum."""

    def __init__(self, n: int, steps: Sequence[int]) -> None:
        self.n, self.steps = n, tuple(steps)
        self.sum = self.steps[2]


def tiled(nest: Nest, pack: Pack) -> list[Nest]:
    """Return nests in tiles that do the same, of which the first may have to be told to begin; none where none pay."""
    kinds = {v.memory.dtype for v in nest.loads.values()} | {nest.sums[0][2].memory.dtype}
    if len(nest.product) != 2 or len(kinds) != 1 or prod(nest.dims) < _LEAST or nest.at or nest.onto is not None:
        return []
    views = [*[nest.loads[r] for r in nest.product], nest.sums[0][2]]
    dims, steps = collapsed(nest.dims, [v.steps for v in views])
    letters = [_Letter(n, row) for n, row in zip(dims, zip(*steps, strict=True), strict=True)]
    along = max((x for x in letters if _is_along(x)), key=lambda x: _gain(x, views), default=None)
    if along is None or not any(x.sum == 0 for x in letters):
        return []
    vectors = 0 if along.steps[0] else 1
    inside = _inside(along, vectors, letters, width(nest, along.n))
    if not inside and -(-along.n // width(nest, along.n)) < _ALONG:
        return []
    if along.steps[vectors] != 1 and not _packed(nest, views, letters, along, vectors, pack):
        return []
    return _nests(nest, views, letters, along, inside)


def _is_along(x: _Letter) -> bool:
    """Whether vectors may lie along a loop."""
    a, b, total = x.steps
    return x.n >= _SHORTEST and total != 0 and (a == 0) != (b == 0)


def _gain(x: _Letter, views: Sequence[View]) -> float:
    """How well a loop suits vectors: how full they are, and whether they are contiguous in memory."""
    wide = _WIDEST // views[2].memory.dtype.itemsize
    count = -(-x.n // min(wide, 1 << x.n.bit_length() - 1))
    return float(x.n / (count * wide)) - (0 if 1 in x.steps[:2] else 0.2) - (0 if x.sum == 1 else 0.1)


def _inside(along: _Letter, vectors: int, letters: Sequence[_Letter], wide: int) -> list[tuple[_Letter, int]]:
    """Return the other loops of a tile, and how many of their turns it has."""
    inside: list[tuple[_Letter, int]] = []
    left = _MOST if along.n > wide else _MOST_ALONE
    others = [x for x in letters if x is not along and x.sum and x.steps[vectors] == 0]
    for x in sorted(others, key=lambda x: x.n > _MOST):
        taken = [*[(y.n, y.sum) for y, _ in inside], (x.n, x.sum), (along.n, along.sum)]
        if left < 2 or not is_apart([n for n, _ in taken], [s for _, s in taken]):
            continue
        count = x.n if x.n <= left else max((f for f in range(2, left + 1) if x.n % f == 0), default=0)
        if count < min(4, left) < x.n:
            count = min(8, left)  # and a rest
        inside.append((x, count))
        left //= count
    return inside


def _packed(
    nest: Nest, views: list[View], letters: Sequence[_Letter], along: _Letter, vectors: int, pack: Pack
) -> bool:
    """Copy what vectors are read of, so that they lie in memory; whether that pays."""
    own = [x for x in letters if x.steps[vectors]]
    view = views[vectors]
    size = prod(x.n for x in own)
    if size * _REUSED > prod(x.n for x in letters) or not is_apart([x.n for x in own], [x.steps[vectors] for x in own]):
        return False
    order = [*[x for x in own if x is not along], along]
    shape = tuple(x.n for x in order)
    copy = pack(View(view.memory, view.offset, tuple(x.steps[vectors] for x in order), shape))
    for x, step in zip(order, copy.steps, strict=True):
        x.steps = tuple(step if k == vectors else s for k, s in enumerate(x.steps))
    views[vectors] = copy
    return True


def _nests(
    nest: Nest, views: Sequence[View], letters: Sequence[_Letter], along: _Letter, inside: list[tuple[_Letter, int]]
) -> list[Nest]:
    """Return the nests: one, or two where a loop is cut and something remains."""
    vectors = 0 if along.steps[0] else 1
    tile = [x for x, _ in inside]
    outer = [x for x in letters if x.sum and x is not along and x not in tile]
    outer.sort(key=lambda x: (not is_apart([y.n for y in letters], [y.sum for y in letters], letters.index(x)), -x.sum))
    summed = sorted((x for x in letters if not x.sum), key=lambda x: -abs(x.steps[vectors]))
    cut = next(((x, count) for x, count in inside if count < x.n), None)
    if cut is None:
        return [_nest(nest, views, [*outer, *summed, *tile, along], len(tile))]
    x, count = cut
    whole, rest = divmod(x.n, count)
    block = [_Letter(whole, [count * s for s in x.steps])] if whole > 1 else []
    within = [_Letter(count, x.steps) if y is x else y for y in tile]
    nests = [_nest(nest, views, [*outer, *block, *summed, *within, along], len(tile))]
    if rest:
        part = [_Letter(rest, x.steps) if y is x else y for y in tile]
        after = [v._replace(offset=v.offset + whole * count * s) for v, s in zip(views, x.steps, strict=True)]
        nests.append(_nest(nest, after, [*outer, *summed, *part, along], len(tile)))
    return nests


def _nest(nest: Nest, views: Sequence[View], letters: Sequence[_Letter], tile: int) -> Nest:
    dims = tuple(x.n for x in letters)
    a, b, total = [v._replace(steps=tuple(x.steps[k] for x in letters), shape=dims) for k, v in enumerate(views)]
    kind, source, _ = nest.sums[0]
    loads = dict(zip(nest.product, (a, b), strict=True))
    return replace(nest, dims=dims, loads=loads, sums=[(kind, source, total)], tile=tile)


# ------------------------------------------------------------------ code
def width(nest: Nest, n: int) -> int:
    """Return how many numbers a vector has along a loop of this length."""
    most = _WIDEST // nest.loads[nest.product[0]].memory.dtype.itemsize
    return int(min(most, 1 << n.bit_length() - 1))


class Tiles:
    """The code of a nest in tiles."""

    def __init__(self, nest: Nest, used: Used, bounded: int | None = None) -> None:
        self.nest, self.dims, self.bounded = nest, nest.dims, bounded
        self.code = Code("v", False, used)
        self.kind, _, self.target = nest.sums[0]
        self.factors = [nest.loads[r] for r in nest.product]
        own = kind_of(self.factors[0].memory.dtype)
        self.own, self.number = own, TYPES[own]
        self.wide = width(nest, self.dims[-1])
        self.type = vector(self.number, self.wide)
        self.mark = ""  # of the tiles of one place
        depth = len(self.dims) - 1 - (nest.tile or 0)
        self.summed = [a for a in range(depth) if not self.target.steps[a]]
        self.outer = [a for a in range(depth) if self.target.steps[a]]
        self.inside = list(product(*[range(n) for n in self.dims[depth:-1]]))

    def code_of(self) -> Recorder:
        """Return the function's instructions, up to its end."""
        self.code.go("begin")
        before = self._label("begin")
        for a in self.outer:
            before = self._enter(a, f"i{a}", before, ("%lo", "%hi") if a == self.bounded else ("0", str(self.dims[a])))
        count = -(-self.dims[-1] // self.wide)
        for number, (start, turns, starts) in enumerate(_along(self.dims[-1], self.wide, not self.inside[1:], count)):
            self.mark = f"t{number}."
            before = self._tiles(start, turns, starts, before)
        for a in reversed(self.outer):
            before = self._repeat(f"i{a}", str(self.dims[a]) if a != self.bounded else "%hi")
        return self.code

    # -------------------------------------------------------------- loops
    def _label(self, name: str) -> str:
        self.code.label(name)
        return name

    def _enter(self, a: int, name: str, before: str, ends: tuple[str, str]) -> str:
        self.code.go(f"{name}.loop")
        self._label(f"{name}.loop")
        self.code.phi("i64", ends[0], before, f"%{name}.next", f"{name}.end", name=f"%{name}")
        return f"{name}.loop"

    def _repeat(self, name: str, stop: str) -> str:
        c = self.code
        c.go(f"{name}.end")
        self._label(f"{name}.end")
        c.next(f"%{name}")
        c.branch(c.compare("ult", "i64", f"%{name}.next", stop), f"{name}.loop", f"{name}.out")
        return self._label(f"{name}.out")

    def _tiles(self, start: int, turns: int, starts: Sequence[int], before: str) -> str:
        """Write the tiles from a place along the vectors' loop on."""
        if turns == 1:
            return self._tile(str(start), starts, before)
        name = f"{self.mark}v"
        before = self._enter(-1, name, before, ("0", str(turns)))
        exact = ("nuw", "nsw")
        step = self.code.set("mul", "i64", f"%{name}", str(len(starts) * self.wide), flags=exact)
        self._tile(self.code.set("add", "i64", step, str(start), flags=exact), starts, before)
        return self._repeat(name, str(turns))

    def _tile(self, at: str, starts: Sequence[int], before: str) -> str:
        """Write a tile whose vectors begin so far from a place."""
        c = self.code
        place = self._place(self.target, self.outer, at)
        cells = [(b, s) for b in self.inside for s in starts]
        sums = [self._begun(place, b, s) for b, s in cells]
        for depth, a in enumerate(self.summed):
            name = f"{self.mark}i{a}"
            ends = ("%lo", "%hi") if a == self.bounded else ("0", str(self.dims[a]))
            label = self._enter(a, name, before, ends)
            inner = [f"%{self.mark}s{depth}.{j}" for j in range(len(cells))]
            for x, start in zip(inner, sums, strict=True):
                c.phi(self.type, start, before, f"{x}.next", f"{name}.end", name=x)
            before, sums = label, inner
        after = self._products(at, starts, sums)
        for depth in range(len(self.summed) - 1, -1, -1):
            a = self.summed[depth]
            for j, x in enumerate(after):
                c.set("select", self.type, "true", x, x, name=f"%{self.mark}s{depth}.{j}.next")
            after = [f"%{self.mark}s{depth}.{j}.next" for j in range(len(cells))]
            before = self._repeat(f"{self.mark}i{a}", "%hi" if a == self.bounded else str(self.dims[a]))
        for (b, s), x in zip(cells, after, strict=True):
            self._finish(place, b, s, x, starts)
        return before

    # -------------------------------------------------------------- one tile
    def _products(self, at: str, starts: Sequence[int], sums: Sequence[str]) -> list[str]:
        """Add the products of one turn of the summed loops."""
        c, loops = self.code, [*self.outer, *self.summed]
        places = [self._place(v, loops, at) for v in self.factors]
        read: dict[tuple[int, int], str] = {}

        def factor(k: int, b: Steps, s: int) -> str:
            view = self.factors[k]
            far = _far(view, b, s)
            if (k, far) not in read:
                spread = not view.steps[-1]
                value = c.load(self.number if spread else self.type, c.place(self.number, places[k], far))
                read[k, far] = self._spread(value) if spread else value
            return read[k, far]

        after = []
        for (b, s), total in zip([(b, s) for b in self.inside for s in starts], sums, strict=True):
            x, y = factor(0, b, s), factor(1, b, s)
            operands = [(self.type, v) for v in (x, y, total)]
            after.append(c.call(self.type, f"@llvm.fmuladd.v{self.wide}{self.own}", *operands))
        return after

    def _spread(self, value: str) -> str:
        return self.code.spread(self.number, value, self.wide)

    def _place(self, view: View, loops: Sequence[int], at: str) -> str:
        """Return the place where a tile's part of a view begins."""
        c, position = self.code, str(view.offset)
        names = {a: f"%i{a}" if a in self.outer else f"%{self.mark}i{a}" for a in loops}
        for name, step in [*[(names[a], view.steps[a]) for a in loops], (at, view.steps[-1])]:
            if step:
                far = c.set("mul", "i64", name, str(step), flags=("nsw",))
                position = c.set("add", "i64", position, far, flags=("nsw",))
        return c.place(TYPES[kind_of(view.memory.dtype)], f"%{view.memory.name}", position)

    def _is_whole(self) -> bool:
        """Whether sums are read and written as vectors."""
        return self.target.steps[-1] == 1 and kind_of(self.target.memory.dtype) == self.own

    def _begun(self, place: str, b: Steps, s: int) -> str:
        """Return what a sum begins with."""
        if self.kind != ONTO["sum"] or not self._is_whole():
            return self._spread(ZERO)
        return self.code.load(self.type, self.code.place(self.number, place, _far(self.target, b, s)))

    def _finish(self, place: str, b: Steps, s: int, x: str, starts: Sequence[int]) -> None:
        """Write a vector of sums."""
        c = self.code
        if self._is_whole():
            c.store(self.type, x, c.place(self.number, place, _far(self.target, b, s)))
            return
        kind = kind_of(self.target.memory.dtype)
        written = max([p + self.wide - s for p in starts if p < s], default=0)  # lanes that the one before has
        for lane in range(max(0, written), self.wide):
            number = c.set("extractelement", self.number, x, str(lane), flags=(self.type,))
            value, t = c.number((number, self.own), kind), TYPES[kind]
            at = c.place(t, place, _far(self.target, b, s + lane))
            if self.kind == ONTO["sum"]:
                value = c.set("fadd", t, c.load(t, at), value)
            c.store(t, value, at)


def _far(view: View, b: Steps, s: int) -> int:
    """The offset of an entry of a tile from the start of the tile."""
    return int(np.dot(view.steps[-1 - len(b) :], (*b, s)))


def _along(n: int, wide: int, alone: bool, count: int) -> list[tuple[int, int, list[int]]]:
    """Return where tiles begin along the vectors' loop, how many follow one another, and where their vectors begin.

    The last tile has the vector that begins earlier, and the one before it.
    """
    group = min(count, 2 * _ALONG if alone else _ALONG)
    first, turns = count % group, count // group
    pieces = [(0, 1, [k * wide for k in range(first)])] if first else []
    starts = [k * wide for k in range(group)]
    last = (first + (turns - 1) * group) * wide
    even = turns if n % wide == 0 else turns - 1
    if even:
        pieces.append((first * wide, even, starts))
    if n % wide:
        pieces.append((last, 1, [*starts[:-1], n - wide - last]))
    return pieces
