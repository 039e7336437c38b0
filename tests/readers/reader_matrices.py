"""The meaning of a formula in matrix notation: sizes first, then numbers.

Sizes that the text does not tell, as those of ``1`` and ``I``, follow from what stands beside them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from reader_functions import (
    ALONG,
    CONSTANTS,
    DECOMPOSED,
    ELEMENTWISE,
    NUMBERS,
    REDUCED,
    axis_of,
    compare,
    distances,
    expm,
)
from reader_trees import Tree, Unreadable, Untold, tree


class Size:
    """A size that is found out: equal sizes share one number."""

    def __init__(self) -> None:
        self.same: Any = None

    @staticmethod
    def of(x: Any) -> Any:
        """Return the number, or the last of a row of equal sizes."""
        while isinstance(x, Size) and x.same is not None:
            x = x.same
        return x


ZERO = tree("number", 0)  # in blocks, a row or a column of zeros
Shape = tuple[Any, Any] | None  # of a matrix or column; None of a number


def unify(a: Any, b: Any) -> None:
    """Make two sizes equal."""
    a, b = Size.of(a), Size.of(b)
    if a is b:
        return
    if isinstance(a, Size):
        a.same = b
    elif isinstance(b, Size):
        b.same = a
    elif a != b:
        raise Unreadable(f"sizes {a} and {b} are to be equal")


def same(a: Shape, b: Shape) -> Shape:
    """Return the shape of entrywise combined parts: a number goes with everything."""
    if a is None or b is None:
        return b if a is None else a
    unify(a[0], b[0])
    unify(a[1], b[1])
    return a


class Matrices:
    """The meaning of a formula in matrix notation: sizes first, then numbers."""

    def __init__(self, arrays: Mapping[str, Any], sizes: Mapping[str, int] | None = None) -> None:
        self.arrays = {k: np.asarray(v, dtype=float) for k, v in arrays.items()}
        self.arrays.update({k: np.asarray(float(v)) for k, v in (sizes or {}).items() if k not in self.arrays})
        self.shapes: dict[int, Any] = {}
        self.named: dict[str, Shape] = {}
        self.kept: list[Any] = []

    def evaluated(self, body: Tree, definitions: Sequence[tuple[str, Tree]], shape: Sequence[int]) -> Any:
        """Return the array of a parsed formula."""
        for name, e in definitions:
            if name in self.arrays or name in self.named:
                raise Unreadable(f"{name!r} has two meanings")
            self.named[name] = self.shape(e)
        found = self.shape(body)
        if found is not None:
            same(found, tuple(shape) if len(shape) == 2 else (*shape, 1) if len(shape) == 1 else (1, 1))
        with np.errstate(all="ignore"):
            for name, e in definitions:
                self.arrays[name] = self.compute(e)
            result = self.compute(body)
        return np.broadcast_to(result, shape) if found is None else np.reshape(result, shape)

    # -------------------------------------------------------------- sizes
    def shape(self, e: Tree) -> Shape:
        """Return the shape of a part, and remember it."""
        self.kept.append(e)  # identities stay valid
        found = self.shapes[id(e)] = self._shape(e)
        return found

    def known(self, e: Tree) -> tuple[int, int] | None:
        """Return the shape of a part as numbers."""
        shape = self.shapes[id(e)]
        if shape is None:
            return None
        found = tuple(Size.of(n) for n in shape)
        if any(isinstance(n, Size) for n in found):
            raise Untold(f"the size of {e} is not told")
        return found  # type: ignore[return-value]

    def _array(self, e: Tree) -> tuple[Any, Any]:
        """Return the shape of what must be an array; a number is in every entry."""
        found = self.shape(e)
        if found is None:
            found = self.shapes[id(e)] = (Size(), Size())
        return found

    def _shape(self, e: Tree) -> Shape:
        kind, parts = e
        method = getattr(self, f"_shape_{_METHODS.get(kind, kind)}", None)
        if method is None:
            raise Unreadable(f"{kind} in matrix notation")
        return method(*parts)

    def _shape_number(self, value: Any) -> Shape:
        return None

    def _shape_ones(self) -> Shape:
        return (Size(), 1)

    def _shape_name(self, name: str) -> Shape:
        if name in self.arrays:
            a = self.arrays[name]
            return None if a.ndim == 0 else (*a.shape, 1) if a.ndim == 1 else a.shape  # type: ignore[return-value]
        if name in self.named:
            return self.named[name]
        if name == "I":
            n = Size()
            return (n, n)
        if name in CONSTANTS:
            return None
        raise Unreadable(f"nothing is called {name!r}")

    def _shape_brackets(self, inside: Tree) -> Shape:
        return self.shape(inside)

    _shape_negative = _shape_brackets

    def _shape_entrywise(self, a: Tree, b: Tree) -> Shape:
        return same(self.shape(a), self.shape(b))

    def _shape_sum(self, a: Tree, b: Tree) -> Shape:
        return self._shape_entrywise(a, b)

    def _shape_over(self, a: Tree, b: Tree) -> Shape:
        found = self.shape(a)
        if self.shape(b) is not None:
            raise Unreadable("a division by an array")
        return found

    def _shape_times(self, a: Tree, b: Tree) -> Shape:
        left, right = self.shape(a), self.shape(b)
        if left is None or right is None:
            return right if left is None else left
        unify(left[1], right[0])
        inner = Size.of(left[0]) == 1 and Size.of(right[1]) == 1
        return None if inner else (left[0], right[1])

    def _shape_turned(self, a: Tree) -> Shape:
        r, c = self._array(a)
        return (c, r)

    def _shape_inverse(self, a: Tree) -> Shape:
        r, c = self._array(a)
        unify(r, c)
        return (r, c)

    def _shape_square(self, a: Tree) -> Shape:
        found = self.shape(a)
        if found is not None:
            unify(*found)
        return found

    def _shape_power(self, a: Tree, b: Tree) -> Shape:
        if self.shape(b) is not None:
            raise Unreadable("an array in an exponent; ^⊙ is that of the entries")
        return self._shape_square(a)

    def _shape_norm(self, a: Tree, order: Any) -> Shape:
        self._array(a)
        if isinstance(order, Tree):
            self.shape(order)
        return None

    def _shape_truth(self, a: Tree) -> Shape:
        return self.shape(a)

    def _shape_logic(self, sign: str, a: Tree, b: Tree) -> Shape:
        return same(self.shape(a), self.shape(b))

    def _shape_relation(self, sign: str, a: Tree, b: Tree) -> Shape:
        return same(self.shape(a), self.shape(b))

    def _shape_kronecker(self, a: Tree, b: Tree) -> Shape:
        (r, c), (s, d) = self._array(a), self._array(b)
        return Size.of(r) * Size.of(s), Size.of(c) * Size.of(d)

    def _shape_cross(self, a: Tree, b: Tree) -> Shape:
        self._array(a)
        return self._array(b)

    def _shape_above(self, *parts: Tree) -> Shape:
        shapes = [self._array(p) for p in parts if p != ZERO]
        for s in shapes[1:]:
            unify(s[1], shapes[0][1])
        return sum(Size.of(s[0]) for s in shapes) + parts.count(ZERO), shapes[0][1]

    def _shape_beside(self, *parts: Tree) -> Shape:
        rows = _rows(parts)
        if all(self.shape(e) is None for row in rows for e in row):
            return Size.of(len(rows)), Size.of(len(rows[0]))
        shapes = [self._array(p) for p in parts if p != ZERO]
        for s in shapes[1:]:
            unify(s[0], shapes[0][0])
        return shapes[0][0], sum(Size.of(s[1]) for s in shapes) + parts.count(ZERO)

    def _shape_part(self, a: Tree, *places: Any) -> Shape:
        shape = tuple(Size.of(n) for n in self._array(a))
        probe = self._picked(np.zeros(shape), places)
        return None if probe.ndim == 0 else (*probe.shape, 1) if probe.ndim == 1 else probe.shape

    def _picked(self, a: Any, places: Any) -> Any:
        a = a[:, 0] if a.shape[1] == 1 and len(places) == 1 else a
        return a[tuple(_python(p) for p in places)]

    def _shape_call(self, name: str, *given: Any) -> Shape:
        if name in ELEMENTWISE:
            found: Shape = None
            for a in given:
                found = same(found, self.shape(a))
            return found
        trees = [a for a in given if isinstance(a, Tree) and a != tree("name", "reverse")]
        named = given[-1] if given and isinstance(given[-1], dict) else {}
        if name in ("max", "min") and len(trees) == 2:
            return same(self.shape(trees[0]), self.shape(trees[1]))
        if name == "e^":
            return self.shape(given[0])
        if name == "scatter":
            self._array(trees[0])
            return (Size(), Size() if Size.of(self.shapes[id(trees[0])][1]) != 1 else 1)
        if name == "where":
            condition, a, b = given
            return same(same(self.shape(condition), self.shape(a)), self.shape(b))
        if name == "cdist":
            one, two = map(self._array, trees[:2])
            unify(one[1], two[1])
            return (one[0], two[0])
        if name == "diag":
            r, c = self._array(trees[0])
            return (r, r) if Size.of(c) == 1 else (r, 1)
        if name == "stack":
            shapes = [self.shape(p) for p in trees]
            for one in shapes[1:]:
                same(one, shapes[0])
            return (len(trees), shapes[0][0] if shapes[0] is not None else 1)
        if name == "skew":
            unify(self._array(trees[0])[0], 3)
            return (3, 3)
        if name in ("tril", "triu", "chol", "expm", "rowmean", "colmean"):
            return self._array(trees[0])
        if name in ALONG:
            return self._array(trees[0])
        if name in DECOMPOSED:
            shape = tuple(Size.of(n) for n in self._array(trees[0]))
            return np.shape(DECOMPOSED[name](np.eye(*shape)))
        if "axis" in named and name in REDUCED:
            r, c = self._array(trees[0])
            return (c, 1) if named["axis"] == tree("number", 0) else (r, 1)
        if name == "logsumexp":
            r, c = self._array(trees[0])
            return None if Size.of(c) == 1 else (r, 1)
        if name in NUMBERS or name in REDUCED:
            self._array(trees[0])
            return None
        raise Unreadable(f"a function {name!r}")

    # -------------------------------------------------------------- numbers
    def compute(self, e: Tree) -> Any:
        """Return the value of a part: a matrix, or a number."""
        kind, parts = e
        found = getattr(self, f"_value_{_METHODS.get(kind, kind)}")(e, *parts)
        shape = self.known(e)
        return np.asarray(found, dtype=float) if shape is None else np.broadcast_to(found, shape)

    def _value_number(self, e: Tree, value: Any) -> Any:
        return value

    def _value_ones(self, e: Tree) -> Any:
        return 1.0

    def _value_name(self, e: Tree, name: str) -> Any:
        if name in self.arrays:
            return self.arrays[name].reshape(self.known(e) or ())
        return np.eye(self.known(e)[0]) if name == "I" else CONSTANTS[name]  # type: ignore[index]

    def _value_brackets(self, e: Tree, inside: Tree) -> Any:
        return self.compute(inside)

    def _value_negative(self, e: Tree, a: Tree) -> Any:
        return -self.compute(a)

    def _value_sum(self, e: Tree, a: Tree, b: Tree) -> Any:
        return self.compute(a) + self.compute(b) if e.kind == "+" else self.compute(a) - self.compute(b)

    def _value_entrywise(self, e: Tree, a: Tree, b: Tree) -> Any:
        x, y = self.compute(a), self.compute(b)
        return x * y if e.kind == "⊙" else x / y if e.kind == "⊘" else x**y

    def _value_over(self, e: Tree, a: Tree, b: Tree) -> Any:
        return self.compute(a) / self.compute(b)

    def _value_times(self, e: Tree, a: Tree, b: Tree) -> Any:
        x, y = self.compute(a), self.compute(b)
        if x.ndim == 0 or y.ndim == 0:
            return x * y
        return x @ y if self.known(e) is not None else (x @ y)[0, 0]

    def _value_turned(self, e: Tree, a: Tree) -> Any:
        found = self.compute(a).T
        return np.linalg.inv(found) if e.kind == "⁻ᵀ" else found

    def _value_inverse(self, e: Tree, a: Tree) -> Any:
        return np.linalg.inv(self.compute(a))

    def _value_square(self, e: Tree, a: Tree) -> Any:
        return self.compute(a) ** 2 if self.known(e) is None else np.linalg.matrix_power(self.compute(a), 2)

    def _value_power(self, e: Tree, a: Tree, b: Tree) -> Any:
        base, exponent = self.compute(a), self.compute(b)
        return base**exponent if self.known(e) is None else np.linalg.matrix_power(base, int(exponent))

    def _value_norm(self, e: Tree, a: Tree, order: Any) -> Any:
        x = self.compute(a)
        if order == "F" or (order is None and x.shape[1] == 1):
            return np.sqrt(np.sum(x**2))
        p = None if order is None else float(self.compute(order))
        if p is None or math.isinf(p):
            return np.linalg.norm(x, 2) if p is None else np.max(np.abs(x))
        return np.sum(np.abs(x) ** p) ** (1 / p)

    def _value_truth(self, e: Tree, a: Tree) -> Any:
        return 1.0 * self.compute(a)

    def _value_logic(self, e: Tree, sign: str, a: Tree, b: Tree) -> Any:
        return (np.minimum if sign == "&" else np.maximum)(self.compute(a), self.compute(b))

    def _value_relation(self, e: Tree, sign: str, a: Tree, b: Tree) -> Any:
        return compare(sign, self.compute(a), self.compute(b))

    def _value_kronecker(self, e: Tree, a: Tree, b: Tree) -> Any:
        return np.kron(self.compute(a), self.compute(b))

    def _value_cross(self, e: Tree, a: Tree, b: Tree) -> Any:
        return np.cross(self.compute(a)[:, 0], self.compute(b)[:, 0])[:, None]

    def _value_above(self, e: Tree, *parts: Tree) -> Any:
        columns = Size.of(self.known(e)[1])
        return np.concatenate([np.zeros((1, columns)) if p == ZERO else self.compute(p) for p in parts], 0)

    def _value_beside(self, e: Tree, *parts: Tree) -> Any:
        rows = _rows(parts)
        if all(self.shape(a) is None for row in rows for a in row):
            return np.array([[float(self.compute(a)) for a in row] for row in rows])
        height = Size.of(self.known(e)[0])
        return np.concatenate([np.zeros((height, 1)) if p == ZERO else self.compute(p) for p in parts], 1)

    def _value_part(self, e: Tree, a: Tree, *places: Any) -> Any:
        found = self._picked(self.compute(a), places)
        return found.reshape(self.known(e) or ())

    def _value_call(self, e: Tree, name: str, *given: Any) -> Any:
        named = given[-1] if given and isinstance(given[-1], dict) else {}
        words = [a.parts[0] for a in given if isinstance(a, Tree) and a.kind == "name" and a.parts[0] in _WORDS]
        trees = [a for a in given if isinstance(a, Tree) and id(a) in self.shapes]
        if name == "scatter":
            found = np.zeros(self.known(e))
            at = tuple(map(_python, given[1].parts))
            np.add.at(found[:, 0] if found.shape[1] == 1 else found, at, np.squeeze(self.compute(given[0])))
            return found
        values = [self.compute(a) for a in trees]
        if name == "cdist":
            return distances(values[0], values[1], int(given[2].parts[0]) if len(given) > 2 else 2)
        if name == "stack":
            return np.stack([np.ravel(value) for value in values])
        if name in ELEMENTWISE:
            return ELEMENTWISE[name](*values)
        if name == "e^":
            return np.exp(values[0]) if values[0].ndim == 0 else expm(values[0])
        if name in ("max", "min") and len(values) == 2:
            return (np.maximum if name == "max" else np.minimum)(*values)
        if name == "where":
            return np.where(np.asarray(values[0]) != 0, *values[1:])
        offset = _python(given[1]) if name in ("tril", "triu") and len(given) > 1 else 0
        return self._of_array(name, values[0], words, {k: int(v.parts[0]) for k, v in named.items()}, offset)

    def _of_array(self, name: str, a: Any, words: Sequence[str], named: Mapping[str, Any], offset: int = 0) -> Any:
        if name == "diag":
            return np.diag(a[:, 0]) if a.shape[1] == 1 else np.diag(a)[:, None]
        if name == "skew":
            return np.cross(np.eye(3), a[:, 0])
        if name in ("tril", "triu"):
            return (np.tril if name == "tril" else np.triu)(a, offset)
        if name in ("rowmean", "colmean"):
            axis = int(name == "rowmean")
            return np.repeat(a.mean(axis, keepdims=True), a.shape[axis], axis)
        if name in ("chol", "expm"):
            return np.linalg.cholesky(a) if name == "chol" else expm(a)
        if name in DECOMPOSED:
            return DECOMPOSED[name](a)
        if name in ALONG:
            return np.apply_along_axis(ALONG[name], axis_of(a, named), a, words)
        if name in REDUCED and ("axis" in named or (name == "logsumexp" and a.shape[1] > 1)):
            return np.apply_along_axis(REDUCED[name], named.get("axis", 1), a).reshape(-1, 1)
        return (NUMBERS.get(name) or REDUCED[name])(a if name in NUMBERS else np.ravel(a))


_WORDS = ("reverse", "exclusive", "upper")
_METHODS = {
    "+": "sum", "-": "sum", "⊙": "entrywise", "⊘": "entrywise", "^⊙": "entrywise", "*": "times", "/": "over",
    "ᵀ": "turned", "⁻ᵀ": "turned", "⁻¹": "inverse", "²": "square", "**": "power", "⊗": "kronecker", "×": "cross",
}  # fmt: skip


def _rows(parts: Sequence[Tree]) -> list[tuple[Tree, ...]]:
    """Return the rows of numbers written out: of a vector, one number each."""
    return [p.parts for p in parts] if all(p.kind == "beside" for p in parts) else [(p,) for p in parts]


def _python(place: Any) -> Any:
    """Return a place as NumPy takes it."""
    if place is None:
        return None
    kind, parts = place
    if kind == "slice":
        return slice(*[None if p is None else _python(p) for p in parts])
    if kind == "list":
        return [_python(p) for p in parts]
    if kind == "negative":
        return -_python(parts[0])
    return int(parts[0])
