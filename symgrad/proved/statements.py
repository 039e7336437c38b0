"""Statements that hold at every point of a box: bounds, monotonicity, convexity, the agreement of two functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from symgrad.core import trees
from symgrad.errors import ArgumentError, ShapeError
from symgrad.proved.covering import (
    OPEN,
    Box,
    Node,
    cover,
    floats_of,
    heading,
    intervals_of,
    is_narrow,
    middle_of,
    point,
    split,
    unproved,
    verified,
    within,
)
from symgrad.proved.enclosure import Flat
from symgrad.proved.interval import Interval, Undefined, flint
from symgrad.support.arguments import checked

BITS, BOXES, WIDTH = 128, 20_000, 1e-9


class Proof(NamedTuple):
    """The proof or refutation of a statement about a whole box. ``if proof:`` tests whether the statement holds.

    Attributes:
        holds: whether the statement holds; False is as certain as True.
        witness: if the statement is false, a point of the box at which it fails, in the structure of the arguments.
        certificate: the claims that ``sg.prove.check`` verifies, as numbers, strings and lists.
    """

    holds: bool
    witness: Any
    certificate: dict[str, Any]

    def __bool__(self) -> bool:
        return self.holds


class Statement:
    """A statement about the points of a box: ``of`` returns whether it holds on a part, where that is certain."""

    name = ""

    def __init__(self, flat: Flat, **options: Any) -> None:
        self.flat, self.options = flat, options

    def of(self, x: Any) -> bool | None:
        """Return whether the statement holds everywhere on the part x, or nowhere; None where neither is certain."""
        raise NotImplementedError

    def judged(self, x: Box) -> bool | None:
        """Return what ``of`` does on a box of floats; None where something is undefined."""
        try:
            return self.of(intervals_of(x))
        except Undefined:
            return None

    def smooth(self, more: int, x: Any) -> Any:
        """Return bounds of a derivative; None where the function has a condition open, so that it may jump or bend."""
        if self.flat.run(0, x)[1]:
            return None
        value, is_open = self.flat.run(more, x)
        return None if is_open else value

    def one_result(self) -> None:
        """Raise where the function has several results."""
        if self.flat.count != 1:
            raise ShapeError(f"prove.{self.name}: the function has {self.flat.count} results. Expected a number.")

    # -------------------------------------------------------------- search
    def proof(self, boxes: int, width: float, bits: int) -> Proof:
        """Search for a proof, or for a point where the statement does not hold."""
        whole = floats_of(self.flat.box)
        common = {**heading(self.name, self.flat, bits), **self.options}
        refuted: list[Box] = []
        tree, leaves = cover(whole, lambda x: self._node(x, refuted, width), boxes)
        if refuted:
            c = middle_of(refuted[0])
            return Proof(False, self.flat.structured(c), {**common, "holds": False, "witness": c.tolist()})
        left = [x for x, node in leaves if node[0] == OPEN]
        if left:
            raise unproved(self.name, self.flat, left, "neither the statement nor its contrary is certain")
        return Proof(True, None, {**common, "holds": True, "tree": tree})

    def _node(self, x: Box, refuted: list[Box], width: float) -> Node:
        if refuted:
            return [OPEN, "refuted"]
        if self.judged(x):
            return ["holds"]
        if self.judged(point(middle_of(x))) is False:
            refuted.append(x)
        return [OPEN, "width"] if refuted or is_narrow(x, width) else split(x)

    def holds(self, certificate: dict[str, Any]) -> bool:
        """Whether a certificate is right."""
        whole = np.array(certificate["box"], np.float64)
        if not certificate["holds"]:
            c = point(np.array(certificate["witness"]))
            inside = ((whole[:, 0] <= c[:, 0]) & (c[:, 0] <= whole[:, 1])).all()
            return bool(inside) and self.judged(c) is False
        leaves = verified(whole, certificate["tree"], lambda x, node: node == ["holds"] and self.judged(x) is True)
        return leaves is not None and all(node == ["holds"] for _, node in leaves)


class Positive(Statement):
    """f > 0, or f ≥ 0, in every entry."""

    name = "positive"

    def of(self, x: Any) -> bool | None:
        bounds = self.flat.enclosed(x, 2)
        if self.options["strict"]:
            return _all([True if y.lower > 0 else False if y.upper <= 0 else None for y in bounds])
        return _all([True if y.lower >= 0 else False if y.upper < 0 else None for y in bounds])


class Monotone(Statement):
    """The derivative with respect to an argument has one sign, that of ``signs``.

    ``at`` has a point for each argument, at which its slope has certainly this sign; None where none is known.
    """

    name = "monotone"

    def __init__(self, flat: Flat, **options: Any) -> None:
        super().__init__(flat, **options)
        self.one_result()
        self.derived = flat.derived(1)
        starts = zip(self.options["signs"], self.options["at"], strict=True)
        self.known = [self._starts(i, sign, at) for i, (sign, at) in enumerate(starts)]

    def directions(self) -> dict[str, Any]:
        """Return signs of the slopes, and points at which they have them."""
        whole = floats_of(self.flat.box)
        signs, at = [1] * len(whole), [None] * len(whole)
        for c in _samples(whole):
            for i, y in enumerate(self.slopes(c)):
                if at[i] is None and (y.lower > 0 or y.upper < 0):
                    signs[i], at[i] = 1 if y.lower > 0 else -1, c.tolist()
        return {"signs": signs, "at": at}

    def slopes(self, c: Any) -> Any:
        """Return the slopes at a point; none where the function has no derivative."""
        try:
            slopes = self.smooth(1, intervals_of(point(c)))
        except Undefined:
            return []
        return [] if slopes is None else slopes[0]

    def _starts(self, i: int, sign: int, at: Any) -> bool:
        """Whether slope i has this sign at a point of the box."""
        if at is None or not within(point(np.array(at)), floats_of(self.flat.box)):
            return False
        slopes = self.slopes(np.array(at))
        return len(slopes) > 0 and bool(slopes[i].lower > 0 if sign > 0 else slopes[i].upper < 0)

    def of(self, x: Any) -> bool | None:
        if self.smooth(1, x) is None:
            return None
        slopes = self.derived.enclosed(x, 1)[0]
        return _all([_signed(y, *how) for y, *how in zip(slopes, self.options["signs"], self.known, strict=True)])


def _signed(y: Interval, sign: int, is_known: bool) -> bool | None:
    """Whether a slope has a sign; that it has not says something where it has that sign elsewhere."""
    low, high = (y.lower, y.upper) if sign > 0 else (-y.upper, -y.lower)
    return True if low >= 0 else False if high < 0 and is_known else None


class Convex(Statement):
    """The Hessian is positive semidefinite."""

    name = "convex"

    def __init__(self, flat: Flat, **options: Any) -> None:
        super().__init__(flat, **options)
        self.one_result()

    def of(self, x: Any) -> bool | None:
        if self.smooth(1, x) is None:
            return None
        bends = self.smooth(2, x)
        return None if bends is None else _is_semidefinite(bends[0])


def is_definite(H: Any) -> bool:
    """Whether all symmetric matrices of real numbers in H are certainly positive definite: their pivots are."""
    a = H.copy()
    for k in range(len(a)):
        if not a[k, k].lower > 0:
            return False
        _eliminate(a, k)
    return True


def _eliminate(a: Any, k: int) -> None:
    """Subtract multiples of row k of a symmetric matrix from the rows below."""
    for i in range(k + 1, len(a)):
        for j in range(k + 1, len(a)):
            product = a[i, k] ** 2 if i == j else a[i, k] * a[k, j]
            a[i, j] = a[i, j] - product / a[k, k]


def _is_semidefinite(H: Any) -> bool | None:
    """Whether all symmetric matrices of real numbers in H have no negative eigenvalue, by elimination."""
    a = H.copy()
    for k in range(len(a)):
        pivot = a[k, k]
        if pivot.upper < 0:
            return False
        if pivot.lower <= 0:
            rest = [*a[k, k + 1 :], *a[k + 1 :, k]]
            if pivot.lower >= 0 and all(y.is_point and y.contains(0) for y in rest):
                continue
            return False if pivot.upper <= 0 and not all(y.contains(0) for y in rest) else None
        _eliminate(a, k)
    return True


class Lipschitz(Statement):
    """The norm of the derivative is at most ``constant``."""

    name = "lipschitz"

    def of(self, x: Any) -> bool | None:
        slopes = self.smooth(1, x)
        if slopes is None:
            return None
        square = sum((y**2 for y in slopes.flat), start=Interval.of(0))
        most = Interval.of(max(0.0, self.options["constant"])) ** 2
        return True if square.upper <= most.lower else False if square.lower > most.upper else None


class Same(Statement):
    """|f - g| ≤ ε in every entry."""

    name = "same"

    def of(self, x: Any) -> bool | None:
        within = self.options["within"]
        bounds = [abs(y) for y in self.flat.enclosed(x, 2)]
        return _all([True if y.upper <= within else False if y.lower > within else None for y in bounds])


def difference(f: Callable[..., Any], g: Callable[..., Any]) -> Callable[..., Any]:
    """Return f - g, of results with one structure."""

    def minus(*args: Any) -> Any:
        parts: tuple[list[Any], list[Any]] = [], []
        left, right = (trees.flatten(h(*args), _is_array, p) for h, p in zip((f, g), parts, strict=True))
        if left != right:
            raise ShapeError("prove.same: the results have different structures. Return the same structure of arrays.")
        return [a - b for a, b in zip(*parts, strict=True)]

    return minus


def _is_array(y: Any) -> bool:
    return hasattr(y, "shape") or isinstance(y, (int, float))


def _all(truths: list[bool | None]) -> bool | None:
    return False if False in truths else None if None in truths else True


# ------------------------------------------------------------------ public
@checked
def positive(
    f: Callable[..., Any], box: Any, *, strict: bool = True, boxes: int = BOXES, width: float = WIDTH, bits: int = BITS
) -> Proof:
    """Prove f(x) > 0 for every x in the box, in every entry, or find a point where this is false.

    Args:
        f: a function of numbers, arrays and structures of them.
        box: the bounds of its arguments, as in ``sg.enclose``.
        strict: False to prove f(x) ≥ 0 instead.
        boxes: the maximum number of boxes to examine.
        width: boxes narrower than this are not divided, relative to numbers above 1.
        bits: the precision of the intervals' ends.

    Returns:
        A ``Proof``, which is true if the statement holds, and has a ``witness`` if it does not.

    Raises:
        NotProved: if neither can be proved.

    >>> bool(sg.prove.positive(lambda x: x**2 - x + 0.3, (0.0, 1.0)))
    True
    """
    with flint().ctx.workprec(bits):
        return Positive(Flat(f, box), strict=strict).proof(boxes, width, bits)


@checked
def monotone(f: Callable[..., Any], box: Any, *, boxes: int = BOXES, width: float = WIDTH, bits: int = BITS) -> Proof:
    """Prove that f is monotone in each of its arguments: no partial derivative changes its sign in the box.

    The certificate's "signs" has 1 for each number of the arguments in which f increases, and -1 for each in which f
    decreases. A slope may be 0 at some points.

    Args:
        f: a function with one number as its result.
        box, boxes, width, bits: as in ``sg.prove.positive``.

    Returns:
        A ``Proof``. If the statement does not hold, a slope has opposite signs at the ``witness`` and at the point in
        the certificate's "at".

    Raises:
        NotProved: if neither can be proved.

    >>> sg.prove.monotone(lambda x: sg.exp(x) - x, (0.0, 2.0)).certificate["signs"]
    [1]
    """
    with flint().ctx.workprec(bits):
        flat = Flat(f, box)
        return Monotone(flat, **Monotone(flat, signs=[], at=[]).directions()).proof(boxes, width, bits)


def _samples(x: Box) -> list[Any]:
    """Points of a box, the first not in the middle, where slopes of even functions vanish."""
    inner = np.clip(x[:, 0] + 0.6180339887 * (x[:, 1] - x[:, 0]), x[:, 0], x[:, 1])
    return [inner, x[:, 0], x[:, 1], middle_of(x)]


@checked
def convex(f: Callable[..., Any], box: Any, *, boxes: int = BOXES, width: float = WIDTH, bits: int = BITS) -> Proof:
    """Prove that f is convex on the box: its Hessian is positive semidefinite at every point.

    Args:
        f: a function with one number as its result, twice differentiable in the box.
        box, boxes, width, bits: as in ``sg.prove.positive``.

    Returns:
        A ``Proof``. If the statement does not hold, the Hessian at the ``witness`` is not positive semidefinite.

    Raises:
        NotProved: if neither can be proved, for example because a condition makes f nonsmooth.

    >>> bool(sg.prove.convex(lambda x: sg.exp(x) - sg.sin(x), (0.0, 3.0)))
    True
    """
    with flint().ctx.workprec(bits):
        return Convex(Flat(f, box)).proof(boxes, width, bits)


@checked
def lipschitz(
    f: Callable[..., Any],
    box: Any,
    *,
    rtol: float = 0.01,
    boxes: int = BOXES,
    width: float = WIDTH,
    bits: int = BITS,
) -> Proof:
    """Prove |f(x) - f(y)| ≤ L |x - y| for all x and y in the box, in Euclidean norms, and find such an L.

    L is a bound of the gradient's norm; if f has several results, of the Frobenius norm of the Jacobian. It is returned
    as the certificate's "constant".

    Args:
        f: a function of numbers and arrays that is differentiable in the box.
        box, boxes, width, bits: as in ``sg.prove.positive``.
        rtol: the search stops when the constant exceeds the largest norm that was found by less than this part of it.

    Returns:
        A ``Proof``.

    Raises:
        NotProved: if the derivative has no bound, or its existence cannot be proved.

    >>> 1.0 <= sg.prove.lipschitz(sg.sin, (0.0, 3.0)).certificate["constant"] < 1.02
    True
    """
    if not 0 < rtol < 1:
        raise ArgumentError(f"prove.lipschitz: rtol must be between 0 and 1. Got {rtol}.")
    with flint().ctx.workprec(bits):
        flat = Flat(f, box)
        constant = max(0.0, *[_norm(flat, c) for c in _samples(floats_of(flat.box))]) * (1 + rtol)
        while True:
            proof = Lipschitz(flat, constant=constant).proof(boxes, width, bits)
            if proof:
                return proof
            constant = max(constant, _norm(flat, np.array(proof.certificate["witness"]))) * (1 + rtol)


def _norm(flat: Flat, c: Any) -> float:
    """The norm of the derivative at a point; 0 where there is none."""
    try:
        slopes, _ = flat.run(1, intervals_of(point(c)))
    except Undefined:
        return 0.0
    return float(np.sqrt(sum(max(abs(end) for end in y.floats()) ** 2 for y in slopes.flat)))


@checked
def same(
    f: Callable[..., Any],
    g: Callable[..., Any],
    box: Any,
    *,
    within: float = 1e-12,
    boxes: int = BOXES,
    width: float = WIDTH,
    bits: int = BITS,
) -> Proof:
    """Prove |f(x) - g(x)| ≤ ε for every x in the box, in every entry, or find a point where this is false.

    Args:
        f, g: functions whose results have the same structure. They are compared as functions of real numbers, without
            rounding errors.
        box, boxes, width, bits: as in ``sg.prove.positive``.
        within: the number ε.

    Returns:
        A ``Proof``.

    Raises:
        NotProved: if neither can be proved.

    >>> bool(sg.prove.same(sg.sin, lambda x: x - x**3 / 6 + x**5 / 120, (-0.1, 0.1), within=1e-10))
    True
    """
    if not np.isfinite(within) or within < 0:
        raise ArgumentError(f"prove.same: within must be a number that is not negative. Got {within}.")
    with flint().ctx.workprec(bits):
        return Same(Flat(difference(f, g), box), within=float(within)).proof(boxes, width, bits)
