"""Random functions of arrays, each with a derivative to print: products, quotients with signs, powers, norms, …"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import symgrad as sg

SIZES = {"n": 4, "d": 3}
SHAPES = {"t": "", "s": "", "x": "n", "y": "n", "w": "d", "v": "d", "A": "nn", "B": "nn", "X": "nd", "Y": "nd"}
EACH = [
    sg.exp, sg.tanh, sg.sin, sg.cos, sg.sigmoid, sg.relu, sg.abs, sg.nn.functional.softplus, lambda a: a**2,
    lambda a: a**3, lambda a: 1 / (1 + a**2), lambda a: sg.sqrt(a**2 + 1), lambda a: sg.log(a**2 + 1),
    lambda a: (a**2 + 1) ** -1.5, lambda a: -a, lambda a: 2 - a, lambda a: a / 3, lambda a: -0.3 * a,
    lambda a: sg.where(a > 0, a, 2 * a), lambda a: sg.maximum(a, 0.5), lambda a: (a**2 + 0.5) ** 0.3,
]  # fmt: skip
VECTOR = [
    lambda a: sg.softmax(a, 0), lambda a: sg.log_softmax(a, 0), lambda a: sg.cumsum(a, 0), lambda a: a - a.mean(),
    lambda a: a / sg.norm(a), lambda a: sg.flip(a, 0),
]  # fmt: skip
TO_NUMBER = [
    sg.sum, sg.mean, sg.norm, lambda a: (a**2).sum(), lambda a: sg.logsumexp(a, 0) if len(a.shape) == 1 else a.sum(),
    lambda a: sg.var(a, correction=0) if len(a.shape) == 1 else a.mean(), lambda a: (a**2).mean(),
]  # fmt: skip
TWO = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (1 + b**2), lambda a, b: b - a]


class Maker:
    """One random function, made from named arrays of known or symbolic sizes."""

    def __init__(self, seed: int, symbolic: bool) -> None:
        self.rng = np.random.default_rng(seed)
        self.leaves: dict[str, Any] = {}
        self.symbolic = symbolic

    def pick(self, choices: Any) -> Any:
        """Return one of several."""
        return choices[int(self.rng.integers(len(choices)))]

    def leaf(self, shape: str) -> Any:
        """Return a named array of a shape."""
        name = self.pick([k for k, s in SHAPES.items() if s == shape])
        if name not in self.leaves:
            self.leaves[name] = sg.symbol(name, tuple(k if self.symbolic else SIZES[k] for k in shape))
        return self.leaves[name]

    def make(self, shape: str, depth: int) -> Any:
        """Return a random array of a shape."""
        if depth <= 0 or self.rng.random() < 0.1:
            return self.leaf(shape)
        return self.pick(WAYS[len(shape)])(self, shape, depth - 1)


def each(m: Maker, shape: str, depth: int) -> Any:
    """A function of each entry."""
    return m.pick(EACH)(m.make(shape, depth))


def two(m: Maker, shape: str, depth: int) -> Any:
    """Two arrays entry by entry."""
    return m.pick(TWO)(m.make(shape, depth), m.make(shape, depth))


def scaled(m: Maker, shape: str, depth: int) -> Any:
    """A number times an array, or an array divided by a number."""
    c, a = m.make("", depth), m.make(shape, depth)
    return m.pick(
        [
            lambda: c * a,
            lambda: a / (c * c + 1),
            lambda: -c * a,
            lambda: a / c,
            lambda: -a / (2 * c),
        ]
    )()


def inner(m: Maker, shape: str, depth: int) -> Any:
    """xᵀy or xᵀAy."""
    k = m.pick("nd")
    x, y = m.make(k, depth), m.make(k, depth)
    return x @ m.make("nn", depth - 1) @ y if k == "n" and m.rng.random() < 0.5 else x @ y


def ratio(m: Maker, shape: str, depth: int) -> Any:
    """A quotient of two numbers, with a sign or without."""
    a, b = inner(m, shape, depth - 1), inner(m, shape, depth - 1)
    return m.pick([lambda: a / b, lambda: -a / b, lambda: -m.leaf("") * a / b, lambda: a / (3 * b)])()


def collected(m: Maker, shape: str, depth: int) -> Any:
    """A number made of an array."""
    return m.pick(TO_NUMBER)(m.make(m.pick(["n", "d", "nn", "nd"]), depth))


def square(m: Maker, shape: str, depth: int) -> Any:
    """A trace, or the logarithm of a determinant."""
    a = m.make("nn", depth)
    return m.pick([sg.trace, lambda a: sg.logdet(a @ a.T + sg.eye(SIZES["n"]))] if not m.symbolic else [sg.trace])(a)


def powered(m: Maker, shape: str, depth: int) -> Any:
    """A number to a power."""
    a = m.make("", depth)
    return m.pick(
        [lambda: a**2, lambda: a**3, lambda: (a * a + 1) ** -0.5, lambda: sg.exp(-a), lambda: 1 / (1 + a**2)]
    )()


def vector(m: Maker, shape: str, depth: int) -> Any:
    """A function of a whole vector."""
    return m.pick(VECTOR)(m.make(shape, depth))


def applied(m: Maker, shape: str, depth: int) -> Any:
    """A matrix times a vector."""
    if shape == "n":
        return (
            m.make("nn", depth) @ m.make("n", depth)
            if m.rng.random() < 0.5
            else m.make("nd", depth) @ m.make("d", depth)
        )
    return m.make("nd", depth).T @ m.make("n", depth)


def rows(m: Maker, shape: str, depth: int) -> Any:
    """Sums or means along an axis."""
    a = m.make("nn" if shape == "n" else "nd", depth)
    return m.pick([lambda: a.sum(0), lambda: a.mean(0), lambda: sg.softmax(a, 1).sum(0)])()


def product(m: Maker, shape: str, depth: int) -> Any:
    """A product of matrices."""
    return m.make("nn", depth) @ m.make("n" + shape[1], depth)


def outer(m: Maker, shape: str, depth: int) -> Any:
    """x yᵀ."""
    return sg.outer(m.make(shape[0], depth), m.make(shape[1], depth))


def turned(m: Maker, shape: str, depth: int) -> Any:
    """A transpose, an inverse, or a vector added to each row."""
    a = m.make(shape, depth)
    if shape == "nn":
        return m.pick([lambda: a.T, lambda: sg.inverse(a), lambda: sg.diag(m.make("n", depth)), lambda: sg.tril(a)])()
    return m.pick([lambda: a + m.make("d", depth), lambda: sg.softmax(a, 1), lambda: a * m.make("d", depth)])()


Way = Callable[[Maker, str, int], Any]
WAYS: dict[int, list[Way]] = {
    0: [each, two, inner, inner, ratio, ratio, collected, square, powered],
    1: [each, two, two, scaled, scaled, vector, applied, applied, rows],
    2: [each, two, two, scaled, product, product, outer, turned, turned],
}


def random_form(seed: int) -> tuple[Any, dict[str, Any], dict[str, int]]:
    """Return the closed form of a random derivative, values for its arrays, and its sizes where they have names."""
    m = Maker(seed, symbolic=seed % 4 == 3)
    f = m.make("", 3 + seed % 2)
    if m.rng.random() < 0.2:
        f = sg.exp(-f) if m.rng.random() < 0.5 else -f / 2
    return _derived(m, f)


def random_jacobian(seed: int) -> tuple[Any, dict[str, Any], dict[str, int]]:
    """Return the same for a random vector."""
    m = Maker(seed, symbolic=seed % 4 == 3)
    return _derived(m, m.make(m.pick("nd"), 2 + seed % 2))


def _derived(m: Maker, f: Any) -> tuple[Any, dict[str, Any], dict[str, int]]:
    by = m.leaves[m.pick(sorted(m.leaves))] if m.leaves else None
    form = sg.derive(f, by, verify=False)
    values = {k: np.round(m.rng.normal(size=tuple(SIZES[c] for c in SHAPES[k])), 2) for k in m.leaves}
    return form, values, SIZES if m.symbolic else {}
