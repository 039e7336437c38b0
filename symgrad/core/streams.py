"""Power series whose coefficients are computed on first use, each once.

A coefficient is an array, a number or a tensor; None stands for zero. Since the k-th is computed from earlier ones, a
series may occur in its own definition, as exp does in exp′ = exp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import mul
from typing import Any


class Stream:
    """A series u₀ + u₁t + u₂t² + …: the coefficients that are known, and how the k-th follows."""

    __slots__ = ("follow", "known", "slope")

    def __init__(self, follow: Callable[[int], Any], known: Sequence[Any] = ()) -> None:
        self.follow, self.known = follow, list(known)
        self.slope: Stream | None = None

    def __getitem__(self, k: int) -> Any:
        known = self.known
        while len(known) <= k:
            known.append(self.follow(len(known)))
        return known[k]


def given(coefficients: Sequence[Any]) -> Stream:
    """Return the polynomial with these coefficients."""
    return Stream(lambda k: None, coefficients)


def slope(u: Stream) -> Stream:
    """Return u′: its k-th coefficient is (k + 1)·uₖ₊₁. The same series each time, so that what follows is shared."""
    if u.slope is None:
        u.slope = Stream(lambda k: times(float(k + 1), u[k + 1]))
    return u.slope


def total(streams: Sequence[Stream]) -> Stream:
    """Return the sum of series."""
    return Stream(lambda k: add([u[k] for u in streams]))


def scaled(factor: Any, u: Stream) -> Stream:
    """Return a number times a series."""
    return Stream(lambda k: times(factor, u[k]))


def product(u: Stream, v: Stream, by: Callable[[Any, Any], Any] = mul) -> Stream:
    """Return u·v by Cauchy's rule: Σ uᵢ vₖ₋ᵢ, of numbers, or of matrices by their product."""
    return Stream(lambda k: add([times(u[i], v[k - i], by) for i in range(k + 1)]))


def each(f: Callable[[Any], Any], u: Stream) -> Stream:
    """Return the linear function of every coefficient."""

    def follow(k: int) -> Any:
        c = u[k]
        return None if c is None else f(c)

    return Stream(follow)


def integral(first: Callable[[], Any], pairs: Sequence[tuple[Stream, Stream]]) -> Stream:
    """Return y with y₀ = first() and y′ = Σ p·a′ over the pairs (p, a): k·yₖ = Σ i·aᵢ·pₖ₋ᵢ."""

    def follow(k: int) -> Any:
        if k == 0:
            return first()
        for _, a in pairs:
            a[k]  # before p, which may have no series from there on
        terms = [times(times(i / k, a[i]), p[k - i]) for p, a in pairs for i in range(1, k + 1) if a[i] is not None]
        return add(terms)

    return Stream(follow)


def power(first: Callable[[], Any], inverse: Callable[[Any], Any], u: Stream, a: float) -> Stream:
    """Return uᵃ, whose derivative is a·uᵃ·u′/u: k·u₀·yₖ = Σ (a·i − k + i)·uᵢ·yₖ₋ᵢ (Euler)."""
    reciprocal: list[Any] = []

    def follow(k: int) -> Any:
        if k == 0:
            reciprocal.append(inverse(u[0]))
            return first()
        terms = [times(times((a * i - k + i) / k, u[i]), y[k - i]) for i in range(1, k + 1) if u[i] is not None]
        return times(reciprocal[0], add(terms))

    y = Stream(follow)
    return y


def times(a: Any, b: Any, by: Callable[[Any, Any], Any] = mul) -> Any:
    """Return a·b, zero where one is."""
    return None if a is None or b is None else by(a, b)


def add(terms: Sequence[Any]) -> Any:
    """Return the sum of those that are not zero."""
    value = None
    for t in terms:
        if t is not None:
            value = t if value is None else value + t
    return value


def less(a: Any, b: Any) -> Any:
    """Return a − b, where None is zero."""
    return a if b is None else -1.0 * b if a is None else a - b
