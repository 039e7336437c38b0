"""A product as a graph: letters are vertices, matrices edges, vectors labels. Read off as matrix notation.

A letter that is summed over and lies on one matrix is a matrix-vector product, on two a product of matrices;
two matrices over the same letters are multiplied elementwise; a closed cycle is a trace.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.forms.nodes.complexes import Conjugated, Part, holds_complex
from symgrad.forms.nodes.elementwise import ElementPower, Elementwise, Hadamard
from symgrad.forms.nodes.marks import Diag, LineMean, Mean, Norm2, Quotient, Total, Trace
from symgrad.forms.nodes.matrices import (
    ArraySymbol,
    Call,
    Cross,
    Filled,
    Identity,
    MatrixPower,
    OnesVector,
    Plus,
    Product,
    Scaled,
    Transposed,
)
from symgrad.ops.linalg.solving import Inverse

Edge = tuple[Any, int, int]


class NoMatrix(Exception):
    """There is no matrix notation for this."""


class LetterGraph:
    """Σ over the letters not in ``out`` of the factors' entries."""

    def __init__(self, factors: Any, out: tuple[int, ...], sizes: dict[int, Any], coef: Any = 1) -> None:
        self.out, self.sizes, self.coef = out, sizes, coef
        self.numbers: list[Any] = []
        self.labels: dict[int, list[Any]] = {}
        self.edges: list[Edge] = []
        for node, letters in factors:
            if len(letters) > 2:
                raise NoMatrix(f"{len(letters)}-D arrays")
            self._enter(node, letters)

    def _enter(self, node: Any, letters: tuple[int, ...]) -> None:
        if not letters:
            self.numbers.append(node)
        elif len(letters) == 1:
            self.labels.setdefault(letters[0], []).append(node)
        elif letters[0] != letters[1]:
            self.edges.append((node, *letters))
        elif letters[0] in self.out or self._busy(letters[0]):
            self.labels.setdefault(letters[0], []).append(Diag.of(node))
        else:
            self.edges.append((node, *letters))

    def _busy(self, letter: int) -> bool:
        return bool(self.labels.get(letter)) or any(letter in e[1:] for e in self.edges)

    # -------------------------------------------------------------- summing letters away
    def read(self) -> Any:
        """Return the product in matrix notation."""
        self._diagonals()
        bound = [k for k in self.sizes if k not in self.out]
        while bound:
            k = min(bound, key=lambda k: (len(self._neighbours(k)), self._conjugated(k), -k))
            if not self._closed_pair(k, bound):
                self._sum_over(k)
                bound.remove(k)
        return self._result()

    def _diagonals(self) -> None:
        """A matrix with one letter twice is its trace, or its diagonal where the letter stands elsewhere too."""
        for node, a, b in [e for e in self.edges if e[1] == e[2]]:
            self.edges.remove((node, a, b))
            if self._busy(a):
                self.labels.setdefault(a, []).append(Diag.of(node))
            else:
                self.numbers.append(Trace.of(node))
                del self.sizes[a]

    def _conjugated(self, k: int) -> bool:
        """Whether a vector at a letter is conjugated: it becomes the row of wᴴ*A*w."""
        return any(isinstance(v, Conjugated) for v in self.labels.get(k, ()))

    def _neighbours(self, k: int) -> set[int]:
        return {j for _, a, b in self.edges if k in (a, b) for j in (a, b)} - {k}

    def _closed_pair(self, k: int, bound: list[int]) -> bool:
        """Read two letters that only have each other: Σ of all entries of a matrix, or tr(A·B) of two."""
        (j,) = near if len(near := self._neighbours(k)) == 1 else (None,)
        if j not in bound or self._neighbours(j) != {k} or self.labels.get(k) or self.labels.get(j):
            return False
        at = [e for e in self.edges if k in e[1:]]
        self.numbers.append(self._trace(at, k, j) or self.total(self._merged(k, j)[0]))
        self.edges = [e for e in self.edges if e not in at]
        bound.remove(k)
        bound.remove(j)
        return True

    def _trace(self, at: list[Edge], k: int, j: int) -> Any:
        """Return tr(A·B) for A_kj·B_jk, where that has fewer transposes than the sum of A ⊙ Bᵀ."""
        if len(at) != 2:
            return None
        (one, two), flat = at, []
        for i, m in ((k, j), (j, k)):
            flat.append(_transposes(_turned(one, i, m)) + _transposes(_turned(two, i, m)))
        ways = [(_turned(one, i, m), _turned(two, m, i)) for i, m in ((k, j), (j, k))]
        there, back = min(ways, key=lambda w: _transposes(w[0]) + _transposes(w[1]))
        here = _transposes(there) + _transposes(back)
        if here > min(flat) or (here == min(flat) and not any(map(_is_inverse, (there, back)))):
            return None
        return Trace.of(chain([there, back], (there.shape[0], there.shape[0])))

    def _sum_over(self, k: int) -> None:
        near = sorted(self._neighbours(k))
        label = self.labels.pop(k, [])
        if not near:
            self.numbers.append(self._inner(label, k))
        elif len(near) == 1:
            matrix = self._merged(k, near[0])
            vector = times(label, (self.sizes[k],)) if label else OnesVector.of(self.sizes[k])
            number, product = _scaled(chain([_turned(matrix, near[0], k), vector], (self.sizes[near[0]],)))
            self.coef = self.coef * number
            self.labels.setdefault(near[0], []).append(product)
        elif len(near) == 2:
            i, j = near
            left, right = _turned(self._merged(k, i), i, k), _turned(self._merged(k, j), k, j)
            middle = [Diag.of(times(label, (self.sizes[k],)))] if label else []
            self.edges.append((chain([left, *middle, right], (self.sizes[i], self.sizes[j])), i, j))
        else:
            raise NoMatrix("an index on three matrices")

    def _merged(self, k: int, j: int) -> Edge:
        """Take out the matrices between two letters, multiplied elementwise."""
        both = [e for e in self.edges if set(e[1:]) == {k, j}]
        self.edges = [e for e in self.edges if e not in both]
        first = both[0]
        _, a, b = first
        return times([_turned(e, a, b) for e in both], (self.sizes[a], self.sizes[b])), a, b

    def _between(self, i: int, j: int) -> Any:
        """Return the matrices over both letters of the result, multiplied elementwise, turned as is shorter."""
        ways = [sum(_transposes(_turned(e, *way)) for e in self.edges) for way in ((i, j), (j, i))]
        if len(self.edges) > 1 and ways[0] < 1 + ways[1]:
            return times([_turned(e, i, j) for e in self.edges], (self.sizes[i], self.sizes[j]))
        return _turned(self._merged(i, j), i, j)

    def _inner(self, label: list[Any], k: int) -> Any:
        """Σ over a letter that only vectors have: aᵀb, ‖a‖², a mean or a sum."""
        if not label:
            return self.sizes[k]
        if len(label) >= 2 and sp.fraction(self.coef)[1] == self.sizes[k] and not any(map(_is_product, label)):
            self.coef = self.coef * self.sizes[k]
            return Mean.of(times(label, (self.sizes[k],)))
        label.sort(key=lambda v: not isinstance(v, Conjugated))
        if len(label) >= 2:
            product = Product.of([Transposed.of(label[0]), times(label[1:], (self.sizes[k],))], ())
            return _as_square(product)
        return self.total(label[0])

    def total(self, a: Any) -> Any:
        """Σ of all entries of a vector or matrix; a mean where the coefficient divides by their number."""
        if isinstance(a, ElementPower) and a.args[1] == 2:
            return Norm2.of(a.args[0])
        count = sp.Mul(*a.shape)
        if _divides(count, self.coef):
            self.coef = self.coef * count
            return Mean.of(a)
        return Total.of(a)

    # -------------------------------------------------------------- the result
    def _result(self) -> Any:
        if not self.out:
            return sp.Mul(self.coef, *self.numbers)
        shape = tuple(self.sizes[k] for k in self.out)
        if len(self.out) == 1:
            (k,) = self.out
            array = times(self.labels[k], shape) if self.labels.get(k) else OnesVector.of(shape[0])
        else:
            array = self._matrix(shape)
        return Scaled.of(sp.Mul(self.coef, *self.numbers), array)

    def _matrix(self, shape: Any) -> Any:
        i, j = self.out
        left, right = ([*self.labels.get(k, [])] for k in (i, j))
        means = self._line_means(left, right, shape)
        if means and not self.edges and not left and not right and len(means) == 1:
            return means[0]
        if means:
            matrix = self._matrix_of(left, right, shape)
            return times([matrix, *means], shape)
        return self._matrix_of(left, right, shape)

    def _line_means(self, left: list[Any], right: list[Any], shape: Any) -> list[Any]:
        """Take M*1/d out of the labels of rows, and Mᵀ*1/n out of those of columns, for M of the result's shape."""
        means = []
        for labels, axis in ((left, 1), (right, 0)):
            for v in list(labels):
                m = _summed(v, axis)
                if m is not None and m.shape == shape and _divides(shape[axis], self.coef):
                    labels.remove(v)
                    self.coef = self.coef * shape[axis]
                    means.append(LineMean.of(m, axis))
        return means

    def _matrix_of(self, left: list[Any], right: list[Any], shape: Any) -> Any:
        i, j = self.out
        if not self.edges:
            row, column = (times(v, (n,)) if v else OnesVector.of(n) for v, n in zip((left, right), shape, strict=True))
            return outer(row, column)
        matrix = self._between(i, j)
        if isinstance(matrix, Identity):
            return Diag.of(times([*left, *right], shape[:1])) if left or right else matrix
        before = [Diag.of(times(left, shape[:1]))] if left else []
        after = [Diag.of(times(right, shape[1:]))] if right else []
        return chain([*before, matrix, *after], shape)


def _as_absolute_square(a: Any, factors: Any) -> Any:
    """Return ‖A*z‖² for zᴴ*Aᴴ*A*z."""
    half = len(factors) // 2
    pairs = zip(factors[:half], factors[::-1], strict=False)
    if not half or len(factors) % 2 or any(f != Transposed.of(_conjugate(g)) for f, g in pairs):
        return a
    rest = factors[half:]
    return Norm2.of(Elementwise.of(sp.Abs, [Product.of(rest, (rest[0].shape[0],))], (rest[0].shape[0],)))


def _conjugate(a: Any) -> Any:
    if isinstance(a, Transposed):
        return Transposed.of(_conjugate(a.args[0]))
    if isinstance(a, Conjugated):
        return a.args[1]
    return Part.of(sp.conjugate, a, a.shape) if holds_complex(a) else a


def _as_square(a: Any) -> Any:
    """Return ‖A*x‖² for xᵀ*Aᵀ*A*x."""
    factors = a.args[:-1] if isinstance(a, Product) else ()
    row = factors[0].args[0] if factors and isinstance(factors[0], Transposed) else None
    if row is not None and row == Product.of(factors[1:], row.shape):
        return a if holds_complex(row) else Norm2.of(row)
    if holds_complex(a):
        return _as_absolute_square(a, factors)
    half = len(factors) // 2
    if half < 2 or len(factors) % 2 or any(f != Transposed.of(g) for f, g in zip(factors, factors[::-1], strict=True)):
        return a
    return Norm2.of(Product.of(factors[half:], (factors[half].shape[0],)))


def _summed(v: Any, axis: int) -> Any:
    """Return M where a vector is M*1, or Mᵀ*1 for axis 0, and M is not a product of vectors; else None."""
    if not isinstance(v, Product) or not isinstance(v.args[-2], OnesVector):
        return None
    m = Product.of(v.args[:-2], (v.args[0].shape[0], v.args[-3].shape[-1]))
    if isinstance(m, Diag) or len(m.shape) != 2 or 1 in m.shape:
        return None
    return m if axis else transposed(m)


def _is_inverse(a: Any) -> bool:
    """Whether a matrix is an inverse or a power, or a product with one."""
    inside = a.args[:-1] if isinstance(a, Product) else (a,)
    return any(isinstance(f, MatrixPower) or (isinstance(f, Call) and isinstance(f.op, Inverse)) for f in inside)


def _is_product(a: Any) -> bool:
    return isinstance(_scaled(a)[1], Product)


def _divides(count: Any, coef: Any) -> bool:
    """Whether a coefficient has the number of entries below its fraction bar."""
    return bool(count != 1 and sp.fraction(sp.cancel(sp.fraction(coef)[1] / count))[1] == 1)


def _turned(e: Edge, i: int, j: int) -> Any:
    """Return an edge's matrix with its rows at i and its columns at j."""
    return e[0] if e[1:] == (i, j) else transposed(e[0])


def _transposes(a: Any) -> int:
    return sum(map(_is_turned, a.args[:-1] if isinstance(a, Product) else (a,)))


def _is_turned(a: Any) -> bool:
    """Whether a factor has one mark more than needed: Xᵀ, or a conjugate that is not an adjoint."""
    if isinstance(a, Transposed):
        return not isinstance(a.args[0], Conjugated)
    return isinstance(a, Conjugated) and len(a.shape) == 2


def _all_transposes(t: Any) -> int:
    return _transposes(_scaled(t)[1])


def transposed(a: Any) -> Any:
    """Return aᵀ, (A·B)ᵀ as Bᵀ·Aᵀ where that has no more transposes."""
    if isinstance(a, Scaled):
        return Scaled.of(a.args[0], transposed(a.args[1]))
    if isinstance(a, Filled):
        return Filled.of(a.args[0], a.shape[::-1])
    if isinstance(a, Plus) and len(a.shape) == 2:
        back = [transposed(t) for t in a.args[:-1]]
        if sum(map(_all_transposes, back)) < sum(map(_all_transposes, a.args[:-1])):
            return Plus.of(back, a.shape[::-1])
    if isinstance(a, Product) and len(a.shape) == 2:
        back = Product.of([Transposed.of(f) for f in reversed(a.args[:-1])], a.shape[::-1])
        if _transposes(back) <= 1 + _transposes(a):
            return back
    return Transposed.of(a)


def outer(a: Any, b: Any) -> Any:
    """Return a·bᵀ, the outer product of two vectors."""
    (c, a), (d, b) = (_scaled(a), _scaled(b))
    return Scaled.of(c * d, Product.of([a, *_row(b)], (a.shape[0], b.shape[0])))


def _row(b: Any) -> list[Any]:
    """Return the factors of bᵀ, (A·x)ᵀ as xᵀ·Aᵀ."""
    if isinstance(b, Product) and len(b.args) == 3 and all(_is_plain(f) for f in b.args[:-1]):
        return [Transposed.of(f) for f in b.args[1::-1]]
    return [Transposed.of(b)]


def _is_plain(f: Any) -> bool:
    return isinstance(f, (ArraySymbol, Call, Hadamard, OnesVector, Plus)) or (
        isinstance(f, Transposed) and _is_plain(f.args[0])
    )


def _scaled(a: Any) -> tuple[Any, Any]:
    return (a.args[0], a.args[1]) if isinstance(a, Scaled) else (1, a)


def chain(factors: list[Any], shape: Any) -> Any:
    """Return the product of matrices and a last vector, numbers in front, turned as a whole where that is shorter."""
    number, plain = sp.Integer(1), []
    for f in factors:
        c, f = _scaled(f)
        number *= c
        opened = isinstance(f, Transposed) and isinstance(f.args[0], Product)
        plain.extend([Transposed.of(g) for g in reversed(f.args[0].args[:-1])] if opened else [f])
    while len(shape) == 1 and len(plain) > 1 and isinstance(plain[-2], Call) and plain[-2].op.antisymmetric:
        c, product = _scaled(Cross.of(plain[-2].args[1], plain[-1]))
        number, plain = number * c, [*plain[:-2], product]
    product = Product.of(plain, shape)
    return Scaled.of(number, turned(product) if len(shape) == 2 else product)


def turned(a: Any) -> Any:
    """Return a product as the transpose of a product, where that has fewer transposes."""
    if not isinstance(a, Product):
        return a
    parts = a.args[:-1]
    long = [isinstance(f, Transposed) and isinstance(f.args[0], (MatrixPower, Plus, Product)) for f in parts]
    if len(parts) < 3 and not any(long):
        return a
    back = [Transposed.of(f) for f in reversed(parts)]
    if sum(map(_transposes, parts)) <= 1 + sum(map(_transposes, back)):
        return a
    return Transposed.of(Product.of(back, a.shape[::-1]))


def _reciprocal(f: Any) -> Any:
    """Return 1 ⊘ exp(X*w) for exp(-X*w): the mean of a regression stands below the bar."""
    if not isinstance(f, Elementwise) or str(f.args[0]) != "exp" or not f.shape:
        return None
    c, z = _scaled(f.args[1])
    terms = z.args[:-1] if isinstance(z, Plus) else (z,)
    if not (sp.sympify(c).is_Integer and c < 0 and any(map(_is_product, terms))):
        return None
    return ElementPower.of(Elementwise.of(sp.exp, [Scaled.of(-c, z)], f.shape), sp.Integer(-1))


def turned_sum(a: Any) -> Any:
    """Return a sum as the transpose of a sum, where that has fewer transposes: (X²*A + A*X²)ᵀ."""
    if not isinstance(a, Plus) or len(a.shape) != 2:
        return a
    back = [transposed(t) for t in a.args[:-1]]
    if sum(map(_all_transposes, a.args[:-1])) <= 1 + sum(map(_all_transposes, back)):
        return a
    return Transposed.of(Plus.of(back, a.shape[::-1]))


def times(factors: list[Any], shape: Any) -> Any:
    """Return the elementwise product, negative powers below."""
    number = sp.Integer(1)
    top: list[Any] = []
    bottom: list[Any] = []
    for f in factors:
        c, f = _scaled(f)
        number *= c
        (bottom if isinstance(f, ElementPower) and f.args[1].is_negative else top).append(f)
    if len(top) > 1 or bottom:
        bottom += [f for f in map(_reciprocal, top) if f is not None]
        top = [f for f in top if _reciprocal(f) is None]
    if not bottom or len(factors) == 1:
        return Scaled.of(number, Hadamard.of([*top, *bottom], shape))
    under = Hadamard.of([f.under() for f in bottom], shape)
    above = Hadamard.of(top, shape) if top else sp.Integer(1)
    if not top and number.is_Integer:
        return Quotient.of(number, under, shape)
    return Scaled.of(number, Quotient.of(above, under, shape))
