"""The global minimum of a function on a box, with or without constraints: branch and bound, with a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import ArgumentError, NotProved, ShapeError
from symgrad.proved.covering import (
    OPEN,
    Box,
    Node,
    cover,
    floats_of,
    heading,
    intervals_of,
    is_narrow,
    joined,
    meeting,
    middle_of,
    point,
    shrunk,
    split,
    verified,
    widened,
    within,
)
from symgrad.proved.enclosure import Enclosure, Flat
from symgrad.proved.interval import Undefined, flint
from symgrad.proved.newton import System
from symgrad.support.arguments import checked

BITS, BOXES, WIDTH = 128, 50_000, 1e-6
_SAMPLES = 400  # points at which the first upper bound is looked for


class Minimum(NamedTuple):
    """The global minimum of a function on a box.

    Attributes:
        value: bounds of the minimum; the lower one is -inf if f is undefined in a part that cannot be divided further.
        minimisers: boxes, each of which may have a minimiser; outside of them f is certainly larger.
        certificate: the claims that ``sg.prove.check`` verifies, as numbers, strings and lists.
    """

    value: Enclosure
    minimisers: list[Any]
    certificate: dict[str, Any]


@checked
def minimum(
    f: Callable[..., Any],
    box: Any,
    *,
    constraints: Any = (),
    boxes: int = BOXES,
    width: float = WIDTH,
    bits: int = BITS,
) -> Minimum:
    """Enclose the minimum of f on a box, and all points at which f attains it.

    A part of the box is discarded if f is certainly larger there than at a known point, if the constraints do not hold
    there, or if the slopes, or Newton's step on the gradient's zeros, allow no minimum. All other parts are returned.

    Args:
        f: a function with one number as its result.
        box: the bounds of its arguments, as in ``sg.enclose``.
        constraints: a function h, for h(x) = 0; a dict {"type": "eq" or "ineq", "fun": h}, where "ineq" means h ≥ 0;
            or a list of these.
        boxes: the maximum number of boxes to examine; the boxes that remain are returned among the minimisers.
        width: boxes narrower than this are not divided, relative to numbers above 1.
        bits: the precision of the intervals' ends.

    Returns:
        A ``Minimum`` with the fields ``value``, ``minimisers`` and ``certificate``.

    Raises:
        NotProved: if no point was found that certainly satisfies the constraints.
        MissingExtra: if python-flint is not installed.

    Source: Hansen and Walster, Global Optimization Using Interval Analysis, 2003.

    >>> least = sg.prove.minimum(lambda x: x**4 - 3 * x**2 + x, (-3.0, 3.0))
    >>> least.value
    Enclosure(lower=-3.5139050389347894, upper=-3.513905038934789)
    >>> least.minimisers
    [Enclosure(lower=-1.3008395659415772, upper=-1.300839565941577)]
    """
    kinds, functions = _constraints(constraints)
    with flint().ctx.workprec(bits):
        flat = Flat(f, box)
        problem = Search(flat, [Flat(h, box) for h in functions], kinds)
        problem.start()
        if not np.isfinite(problem.upper):
            raise NotProved(
                "prove.minimum: no point is certain to satisfy the constraints where f is defined. Choose another box."
            )
        tree, leaves = cover(problem.whole, lambda x: problem.decide(x, width), boxes)
        value, minimisers = problem.result(leaves)
        upper = {"upper": problem.upper, "at": problem.at.tolist(), "free": problem.free}
        claims = {"value": value, "minimisers": [x.tolist() for x in minimisers], "kinds": kinds, **upper, "tree": tree}
    return Minimum(
        Enclosure(*value), list(map(flat.structured, minimisers)), {**heading("minimum", flat, bits), **claims}
    )


def _constraints(constraints: Any) -> tuple[list[str], list[Any]]:
    kinds, functions = [], []
    for c in constraints if isinstance(constraints, (list, tuple)) else [constraints]:
        kind, h = ("eq", c) if callable(c) else (c.get("type"), c.get("fun")) if isinstance(c, dict) else (None, None)
        if kind not in ("eq", "ineq") or not callable(h):
            raise ArgumentError(
                f"prove.minimum: a constraint must be a function or {{'type': 'eq' or 'ineq', 'fun': h}}. Got {c!r}."
            )
        kinds.append(kind)
        functions.append(h)
    return kinds, functions


class Search:
    """A function on a box, its constraints, and the least value that is known."""

    def __init__(self, flat: Flat, constraints: Sequence[Flat], kinds: Sequence[str]) -> None:
        if flat.count != 1:
            raise ShapeError("prove.minimum: f has several results. Expected one number.")
        self.flat, self.whole = flat, floats_of(flat.box)
        self.constraints, self.kinds = list(constraints), list(kinds)
        self.gradient = flat.derived(1)
        self.upper, self.at, self.free = np.inf, point(middle_of(self.whole)), list[int]()

    # -------------------------------------------------------------- an upper bound
    def start(self) -> None:
        """Look for a point with a small value."""
        rng, (low, high) = np.random.default_rng(0), self.whole.T
        for k in range(_SAMPLES):
            near = k > _SAMPLES // 4
            size = 0.5 ** (k / 12) if near else 1.0
            center = middle_of(self.at) if near else low + rng.random(len(low)) * (high - low)
            step = size * (rng.random(len(low)) - 0.5) * (high - low) if near else 0.0
            self.improve(np.clip(center + step, low, high))
        if not np.isfinite(self.upper):
            for c in low + rng.random((_SAMPLES, len(low))) * (high - low):
                self.improve(c)

    def improve(self, c: Any) -> None:
        """Take a point, or one near that satisfies the equations, where f is certainly smaller."""
        x, free = point(c), list[int]()
        if "eq" in self.kinds:
            near = self._solved(c)
            if near is None:
                return
            x, free = near
        value = self.value(x)
        if value is not None and value[1] < self.upper and self.is_feasible(x, free):
            self.upper, self.at, self.free = value[1], x, free

    def _equations(self, more: int, xs: Any) -> tuple[Any, bool]:
        runs = [h.run(more, xs) for h, kind in zip(self.constraints, self.kinds, strict=True) if kind == "eq"]
        return np.concatenate([y for y, _ in runs]), any(is_open for _, is_open in runs)

    def _equations_near(self, x: Box, free: list[int]) -> System:
        """The equations in some of the arguments, the others being as in x."""
        return System(_restricted(self._equations, intervals_of(x), free, None))

    def _solved(self, c: Any) -> tuple[Box, list[int]] | None:
        """Return a tiny box near c in which the equations hold somewhere, and the arguments they are solved for."""
        try:
            slopes = self._equations(1, intervals_of(point(c)))[0]
        except Undefined:
            return None
        rows = np.array([[sum(y.floats()) / 2 for y in row] for row in slopes])
        free = _pivots(rows)
        if free is None:
            return None
        system = self._equations_near(point(c), free)
        y = system.polished(c[free])
        pair = None if y is None else system.isolated(widened(point(y), 1e-9))
        if pair is None:
            return None
        x = point(c)
        x[free] = pair[1]
        return x, free

    def is_feasible(self, x: Box, free: list[int]) -> bool:
        """Whether a box has a point that satisfies all constraints; the equations are solved for its free arguments."""
        if not within(x, self.whole):
            return False
        try:
            for h, kind in zip(self.constraints, self.kinds, strict=True):
                if kind == "ineq" and not all(y.lower >= 0 for y in h.run(0, intervals_of(x))[0]):
                    return False
        except Undefined:
            return False
        if "eq" not in self.kinds:
            return True
        moved = [i for i in range(len(x)) if x[i, 0] < x[i, 1]]
        return set(moved) <= set(free) and self._equations_near(x, free).has_zero(x[free])

    # -------------------------------------------------------------- bounds
    def value(self, x: Box, order: int = 0) -> tuple[float, float] | None:
        """Return bounds of f on a box; None where it is undefined in some part."""
        try:
            low, high = self.flat.enclosed(intervals_of(x), order)[0].floats()
        except Undefined:
            return None
        return float(low), float(high)

    def violated(self, x: Box) -> tuple[int, int] | None:
        """Return which entry of which constraint holds nowhere in a box."""
        for k, (h, kind) in enumerate(zip(self.constraints, self.kinds, strict=True)):
            try:
                entries = h.enclosed(intervals_of(x), 1)
            except Undefined:
                continue
            for i, y in enumerate(entries):
                if y.upper < 0 or (kind == "eq" and y.lower > 0):
                    return k, i
        return None

    def is_unconstrained(self, x: Box) -> bool:
        """Whether no constraint restricts f in a box."""
        try:
            return "eq" not in self.kinds and all(
                y.lower > 0 for h in self.constraints for y in h.run(0, intervals_of(x))[0]
            )
        except Undefined:
            return False

    def slopes(self, x: Box) -> Any:
        """Return f's gradient on a box; None where f is not smooth there, or constrained."""
        try:
            if self.flat.run(0, intervals_of(x))[1] or not self.is_unconstrained(x):
                return None
            value, is_open = self.gradient.run(0, intervals_of(x))
        except Undefined:
            return None
        return None if is_open else value[0]

    def touching(self, x: Box) -> list[bool]:
        """Whether a side of the box reaches the edge, for each argument."""
        reaches: list[bool] = ((x[:, 0] <= self.whole[:, 0]) | (x[:, 1] >= self.whole[:, 1])).tolist()
        return reaches

    # -------------------------------------------------------------- search
    def decide(self, x: Box, width: float) -> Node:
        """Return what is certain about a box, or how it is divided."""
        entry = self.violated(x)
        if entry is not None:
            return ["infeasible", *entry]
        self.improve(middle_of(x))
        value = self.value(x, 1)
        if value is not None and value[0] > self.upper:
            return ["above"]
        node = None if value is None else self._by_slopes(x)
        if node is not None:
            return node
        return [OPEN, "width"] if is_narrow(x, width) else split(x)

    def _by_slopes(self, x: Box) -> Node | None:
        """The node that f's slopes allow: a discard, a face of the box, or the one critical point."""
        slopes = self.slopes(x)
        if slopes is None:
            return None
        for i, y in enumerate(slopes):
            if x[i, 0] < x[i, 1] and not y.contains(0):
                end = int(y.upper < 0)
                if x[i, end] != self.whole[i, end]:
                    return ["slope", i]
                face = x.copy()
                face[i] = x[i, end]
                return ["shrink", face.tolist(), "face", i]
        system, inner = self._inner(x)
        if not inner:
            return None
        step = system.contracted(x[inner])
        if step is None:
            return None
        if step.left is None:
            return ["no critical point"]
        pair = system.isolated(x[inner]) if system.is_nearly_linear(step.matrix) else None
        if pair is not None:
            c = middle_of(x)
            c[inner] = middle_of(pair[1])
            self.improve(c)
            return ["critical", *[b.tolist() for b in pair]]
        room = shrunk(step.left, x[inner])
        if room is None:
            return None
        left = x.copy()
        left[inner] = room
        return ["shrink", left.tolist(), "newton", 0]

    def _inner(self, x: Box) -> tuple[System, list[int]]:
        """The gradient's equations in the arguments that are not at an end; none where x reaches the edge otherwise."""
        inner = [i for i in range(len(x)) if x[i, 0] < x[i, 1]]
        touching = self.touching(x)
        if any(touching[i] for i in inner) or not self.is_unconstrained(x):
            inner = []
        return System(_restricted(self._smooth, intervals_of(x), inner, inner)), inner

    def _smooth(self, more: int, xs: Any) -> tuple[Any, bool]:
        """The gradient, or the Hessian, and whether a condition is open, be it one of f itself."""
        value, is_open = self.gradient.run(more, xs)
        return value[0], is_open or self.flat.run(0, xs)[1]

    # -------------------------------------------------------------- check and result
    def verify(self, x: Box, node: Node) -> bool:
        """Whether a node's claim holds."""
        if node[0] == "infeasible":
            return self.violated(x) is not None
        if node[0] == "above":
            value = self.value(x, 1)
            return value is not None and value[0] > self.upper
        if node[0] == "slope" or node[2:3] == ["face"]:
            return self._slope_holds(x, node)
        system, inner = self._inner(x)
        if not inner or self.slopes(x) is None:
            return False
        if node[0] == "critical":
            return system.isolates(x[inner], node[1:])
        step = system.contracted(x[inner])
        if step is None or node[0] not in ("shrink", "no critical point"):
            return False
        return step.left is None or (node[0] == "shrink" and self._is_left(x, step.left, inner, np.array(node[1])))

    @staticmethod
    def _is_left(x: Box, left: Box, inner: list[int], stated: Box) -> bool:
        new = x.copy()
        new[inner] = left
        return within(new, stated)

    def _slope_holds(self, x: Box, node: Node) -> bool:
        i = node[1] if node[0] == "slope" else node[3]
        slopes = self.slopes(x)
        if slopes is None or slopes[i].contains(0):
            return False
        end = int(slopes[i].upper < 0)
        if node[0] == "slope":
            return bool(x[i, 0] < x[i, 1] and x[i, end] != self.whole[i, end])
        face = x.copy()
        face[i] = x[i, end]
        return within(face, np.array(node[1]))

    def result(self, leaves: list[tuple[Box, Node]]) -> tuple[list[float], list[Box]]:
        """Return bounds of the least value, and the boxes that may have minimisers."""
        candidates, lower = [], self.upper
        for x, node in leaves:
            if node[0] not in ("critical", OPEN):
                continue
            if node[0] == "critical":
                tiny, x = np.array(node[2]), x.copy()
                x[[i for i in range(len(x)) if x[i, 0] < x[i, 1]]] = tiny
            value = self.value(x, 1) or (-np.inf, np.inf)
            if value[0] <= self.upper and meeting(x, self.whole):
                candidates.append(x)
                lower = min(lower, value[0])
        return [float(lower), float(self.upper)], sorted(joined(candidates), key=lambda b: b[:, 0].tolist())

    def holds(self, certificate: dict[str, Any]) -> bool:
        """Whether a certificate is right."""
        self.upper, self.at, self.free = certificate["upper"], np.array(certificate["at"]), certificate["free"]
        value = self.value(self.at)
        if value is None or value[1] > self.upper or not self.is_feasible(self.at, self.free):
            return False
        leaves = verified(self.whole, certificate["tree"], self.verify)
        if leaves is None:
            return False
        bounds, minimisers = self.result(leaves)
        stated = bool(bounds == certificate["value"])
        return stated and [x.tolist() for x in minimisers] == certificate["minimisers"]


def _restricted(run: Callable[..., Any], xs: Any, free: list[int], rows: list[int] | None) -> Callable[..., Any]:
    """Some of the equations, in some of the arguments; the others keep their intervals."""

    def restricted(more: int, ys: Any) -> tuple[Any, bool]:
        whole = xs.copy()
        whole[free] = ys
        value, is_open = run(more, whole)
        value = value if rows is None else value[rows]
        return (value[:, free] if more else value), is_open

    return restricted


def _pivots(rows: Any) -> list[int] | None:
    """The arguments that equations are best solved for, by elimination with the largest pivots; None where singular."""
    a, free = rows.copy(), list[int]()
    for k in range(len(a)):
        i, j = np.unravel_index(np.argmax(np.abs(a[k:])), a[k:].shape)
        if not np.isfinite(a).all() or abs(a[k + i, j]) < 1e-12:
            return None
        a[[k, k + i]] = a[[k + i, k]]
        a[k + 1 :] -= np.outer(a[k + 1 :, j] / a[k, j], a[k])
        free.append(int(j))
    return sorted(free)
