"""Sums of products with a common factor become one product: A·X + B·X = (A + B)·X.

The gradient of XᵀX is such a sum, of X·G and X·Gᵀ. The other factors are added instead of the products where they are
the smaller arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from symgrad.compiler.passes.assemble import terms_of, uses_of
from symgrad.compiler.program import Builder
from symgrad.core.node import Shape
from symgrad.core.promotion import is_differentiable
from symgrad.engine.program import STEP, Program, Value
from symgrad.ops.contract import LETTERS, Einsum
from symgrad.ops.map import ADD

_GAIN = 8  # multiplications of a product for each entry of the factors that are added


class _Product(NamedTuple):
    """A product of two arrays, without the transpositions before and after it."""

    args: tuple[int, ...]
    terms: tuple[str, ...]  # the letters of the arguments
    result: str  # those of the result


class _Joined(NamedTuple):
    """(first + second)·common: the letters of each, the second's in the order of its own axes."""

    first: int
    second: int
    common: int
    letters: tuple[str, str, str]


def with_common_factors(program: Program) -> Program:
    """Return the program with such sums of products joined."""
    values, steps = program.values, program.steps()
    sums = [k for k in steps if values[k].op is ADD and is_differentiable(values[k].dtype)]
    if not sums or sum(_is_product(values[k]) for k in steps) < 2:
        return program
    uses = uses_of(program, steps)
    inner = {a for k in sums for a in values[k].args if uses[a] == 1}
    parts = {k: _parts(values, k, uses) for k in sums if k not in inner}
    if not any(isinstance(p, _Joined) for terms in parts.values() for p in terms):
        return program
    out, place = Builder(), dict[int, int]()
    for k in sorted({*program.inputs, *program.live()}):
        if any(isinstance(p, _Joined) for p in parts.get(k, ())):
            place[k] = _sum(out, parts[k], values[k].shape, place)
        else:
            place[k] = out.again(values[k], place)
    out.program.outputs = [place[k] for k in program.outputs]
    return out.program


def _is_product(v: Value) -> bool:
    return v.kind == STEP and isinstance(v.op, Einsum) and len(v.op.terms) == 2


def _parts(values: Sequence[Value], root: int, uses: Sequence[int]) -> list[int | _Joined]:
    """Return the terms of a sum, those with a common factor joined in pairs."""
    terms = terms_of(values, root, uses)
    if any(values[k].spec != values[root].spec for k in terms):
        return list[int | _Joined](terms)
    products = {k: p for k in terms if (p := _product(values, k, uses))}
    readers: dict[int, set[int]] = {}
    for k, p in products.items():
        for a in p.args:
            readers.setdefault(a, set()).add(k)
    parts: list[int | _Joined] = []
    while terms:
        k = terms.pop(0)
        near = set[int]().union(*[readers[a] for a in products[k].args]) if k in products else ()
        pairs = ((j, found) for j in terms if j in near and (found := _joined(values, products[k], products[j])))
        other, part = next(pairs, (None, k))
        if other is not None:
            terms.remove(other)
        parts.append(part)
    return parts


def _product(values: Sequence[Value], k: int, uses: Sequence[int]) -> _Product | None:
    """Return a value as a product of two arrays; None of others, and where something else reads the product."""
    letters = LETTERS[: len(values[k].shape)]
    while uses[k] == 1 and _is_transposition(values[k]):
        letters, k = _before(values[k].op, letters), values[k].args[0]
    v = values[k]
    if uses[k] != 1 or not _is_product(v) or any(values[a].dtype != v.dtype for a in v.args):
        return None
    new = dict(zip(v.op.output, letters, strict=True))
    for c in "".join(v.op.terms):
        new.setdefault(c, LETTERS[len(new)])
    terms, args = ["".join(new[c] for c in t) for t in v.op.terms], list(v.args)
    for i in range(2):
        while _is_transposition(values[args[i]]):
            terms[i], args[i] = _before(values[args[i]].op, terms[i]), values[args[i]].args[0]
    return _Product(tuple(args), tuple(terms), LETTERS[: len(values[k].shape)])


def _is_transposition(v: Value) -> bool:
    return v.kind == STEP and isinstance(v.op, Einsum) and v.op.views and len(v.op.output) == len(v.op.terms[0])


def _before(op: Einsum, letters: str) -> str:
    """Return the letters of a transposition's argument, given those of its result."""
    return "".join(letters[op.output.index(c)] for c in op.terms[0])


def _joined(values: Sequence[Value], p: _Product, q: _Product) -> _Joined | None:
    """Return the sum of two products as one; None where they have no factor in common, or the others are large."""
    for i in range(2):
        for j in range(2):
            first, second = p.terms[1 - i], _renamed(q, j, p.terms[i]) if p.args[i] == q.args[j] else None
            if second is None or sorted(first) != sorted(second) or len(set(first)) < len(first):
                continue
            common = values[p.args[i]]
            sizes = dict(zip(first + p.terms[i], values[p.args[1 - i]].shape + common.shape, strict=True))
            if prod(sizes.values()) >= _GAIN * values[p.args[1 - i]].size:
                return _Joined(p.args[1 - i], q.args[1 - j], p.args[i], (first, second, p.terms[i]))
    return None


def _renamed(q: _Product, j: int, common: str) -> str | None:
    """Return the letters of q's other factor once those of the common one are named so; None where that fails."""
    new = dict(zip(q.terms[j], common, strict=True))
    is_same = all(old == c or not {old, c} & set(q.result) for old, c in new.items())
    return "".join(new.get(c, c) for c in q.terms[1 - j]) if is_same else None


def _sum(out: Builder, parts: Sequence[int | _Joined], shape: Shape, place: dict[int, int]) -> int:
    """Append the sum of terms and joined products."""
    terms = [_written(out, p, shape, place) if isinstance(p, _Joined) else place[p] for p in parts]
    total = terms[0]
    for term in terms[1:]:
        total = out.step(ADD, (total, term), shape)
    return total


def _written(out: Builder, joined: _Joined, shape: Shape, place: dict[int, int]) -> int:
    """Append the sum of the factors, and its product with the common one."""
    first, second, common = joined.letters
    sizes = out.values[place[joined.first]].shape
    other = place[joined.second]
    if first != second:
        other = out.step(Einsum.of(f"{second}->{first}", "Transpose"), (other,), sizes)
    total = out.step(ADD, (place[joined.first], other), sizes)
    factors = [(first, total), (common, place[joined.common])]
    factors.sort(key=lambda f: f[0].translate(str.maketrans(dict.fromkeys(set(first) & set(common)))))
    spec = f"{factors[0][0]},{factors[1][0]}->{LETTERS[: len(shape)]}"
    return out.step(Einsum.of(spec), (factors[0][1], factors[1][1]), shape)
