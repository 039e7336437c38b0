"""Contraction. One op, Einsum: matmul, dot, outer, trace, transpose and sum; its letters are the index form.

Specs that are matrix products go to BLAS through ``np.matmul``, never to ``np.einsum``.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import canonical, folded
from symgrad.core.node import Shape
from symgrad.core.promotion import Kind, is_differentiable, one_of, promoted
from symgrad.errors import GraphError, ShapeError
from symgrad.ops.map import broadcast_shapes, show_shape, sum_terms
from symgrad.ops.protocol import Op, Plan, Traced, shape
from symgrad.ops.shape import Expand, Eye, Reshape

# Users write the first 52; the rest are for arrays of up to 64 axes, NumPy's most.
LETTERS = string.ascii_letters + "".join(map(chr, range(0x100, 0x180)))


class Einsum(Op):
    """Sum of products over the letters that the output lacks. One object per spec: use ``Einsum.of``."""

    accumulates = True
    fuses = True
    combine = np.add

    def __init__(self, spec: str, name: str) -> None:
        left, self.output = spec.split("->")
        self.spec, self.name = spec, name  # type: ignore[misc]
        self.terms = tuple(left.split(","))
        self.linear = len(self.terms) == 1  # type: ignore[misc]
        self.plans: dict[Any, Any] = {}
        self._dtypes: dict[Any, np.dtype[Any]] = {}
        self._kernel = numeric(self.terms, self.output)
        self.views = self.linear and set(self.output) == set(self.terms[0])  # a transposition, or a diagonal
        self.shares = self.views and name != "Sum"

    @staticmethod
    @lru_cache(maxsize=4096)
    def of(spec: str, name: str = "Einsum") -> Einsum:
        """Return the operation with this spec, such as ``"ij,jk->ik"``, built once."""
        return Einsum(spec, name)

    def __repr__(self) -> str:
        return f"Einsum({self.spec!r})"

    def __reduce__(self) -> Any:
        return Einsum.of, (self.spec, self.name)

    def forward(self, *xs: Any) -> Any:
        """Compute the contraction."""
        y = self._kernel(*xs)
        return y if type(y) is np.ndarray and y.ndim else canonical(y)

    analytic = True

    def sizes(self, shapes: Sequence[Shape]) -> dict[str, Any]:
        """Return the size of each letter, checking that the operands agree."""
        lengths: dict[str, Any] = {}
        for k, (term, dims) in enumerate(zip(self.terms, shapes, strict=True)):
            if len(term) != len(dims):
                raise ShapeError(
                    f"einsum(): the number of subscripts in the equation ({len(term)}) does not match the number "
                    f"of dimensions ({len(dims)}) for operand {k}. Got shape {show_shape(dims)} for '{term}'."
                )
            for c, n in zip(term, dims, strict=True):
                if lengths.setdefault(c, n) != n:
                    raise ShapeError(
                        f"einsum(): subscript {c} has size {n} for operand {k} which does not broadcast with "
                        f"previously seen size {lengths[c]}. Got shapes {', '.join(map(show_shape, shapes))} "
                        f"for '{self.spec}'."
                    )
        return lengths

    def out_shape(self, *shapes: Shape) -> Shape:
        """Read the output's sizes off the letters."""
        sizes = self.sizes(shapes)
        return tuple(sizes[c] for c in self.output)

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        """That of the operands; integers summed over axes of their own are counted in the long ones, as NumPy does."""
        common = promoted(*kinds)
        if is_differentiable(common):
            return common
        asked = self._dtypes.get(kinds)
        if asked is None:
            ones = [one_of(k, (1,) * len(t)) for k, t in zip(kinds, self.terms)]
            asked = self._dtypes[kinds] = np.asarray(self._kernel(*ones)).dtype
        return asked

    def keeps(self, active: tuple[int, ...], count: int) -> tuple[bool, tuple[bool, ...]]:
        """The rule for operand i looks at all the others."""
        return False, tuple(any(i != k for i in active) for k in range(count))

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # Contract g with the other operands; letters of x_i found nowhere else were summed: spread over them.
        adjoint, others, missing, unique = _adjoint(self.terms, self.output, i)
        cotangent, term = adjoint(g, *[xs[k] for k in others]), self.terms[i]
        sizes = dict(zip(term, shape(xs[i]), strict=True))
        if missing:
            cotangent = spread(cotangent, unique, missing, sizes)
        return cotangent if unique == term else _on_diagonal(cotangent, unique, term, sizes)

    @property
    def explained(self) -> str:
        """What the rule is called where the contraction has a name."""
        spec = _relettered(self.spec)
        if spec in _NAMES:
            return _NAMES[spec]
        (*terms, result) = (*self.terms, self.output)
        if len(terms) == 1 and set(result) < set(terms[0]) and len(set(terms[0])) == len(terms[0]):
            return "sum: every entry that was added receives the adjoint of its sum"
        if all(set(t) == set(result) for t in terms):
            return "product rule, entry by entry" if len(terms) > 1 else "transpose: the axes change places back"
        if len(terms) == 2 and len(result) > 2:
            return "stack of matrix products: the adjoint times the other factor's transpose, in each"
        return "sum of products: the adjoint times the other factors, summed over the letters that the input lacks"

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """The product rule: the sum over operands with each in turn replaced by its tangent."""
        return sum_terms([self(*xs[:i], t, *xs[i + 1 :]) for i, t in enumerate(ts) if t is not None])

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """One more letter, of all operands that carry the batch and of the result."""
        letter = next(c for c in LETTERS if c not in self.spec)
        terms = [letter + t if f else t for t, f in zip(self.terms, flags, strict=True)]
        return Einsum.of(f"{','.join(terms)}->{letter}{self.output}")(*xs)

    def decompose(self, *xs: Any) -> Any:
        """A product of many in the order of eager mode."""
        left = list(xs)
        for places, join in pairwise(self, tuple(shape(x) for x in xs)):
            left.append(join(*[left.pop(k) for k in places]))
        return left[0]

    def view(self, x: Any, to: Shape) -> Any:
        """The steps of a letter that occurs twice are taken together."""
        if not self.views:
            return None
        return x.offset, tuple(sum(s for c, s in zip(self.terms[0], x.steps) if c == d) for d in self.output)

    def put(self, x: Any, v: Any) -> Any:
        """Transpose the axes back."""
        if len(self.output) < len(self.terms[0]):
            raise GraphError(f"einsum: '{self.spec}' is a diagonal, which cannot be written to. Use x.diagonal().")
        return permute(v, [self.output.index(c) for c in self.terms[0]])

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        """Σ over the bound letters of the product of entries."""
        env: dict[str, Any] = dict(zip(self.output, idx, strict=True))
        sizes = self.sizes([p.shape for p in ps])
        bound = [c for c in dict.fromkeys("".join(self.terms)) if c not in env]
        for c in bound:
            env[c] = ps[0].fresh() if sizes[c] != 1 else sp.S.Zero
        body = sp.Mul(*[p([env[c] for c in term]) for term, p in zip(self.terms, ps, strict=True)])
        limits = [(env[c], 0, sizes[c] - 1) for c in bound if sizes[c] != 1]
        return ps[0].sum(body, limits) if limits else body


_NAMES = {
    "ij,jk->ik": "matrix product: the adjoint times the other factor's transpose",
    "ij,j->i": "matrix times vector: the matrix receives an outer product, the vector the transpose times the adjoint",
    "i,ij->j": "vector times matrix: the matrix receives an outer product, the vector the matrix times the adjoint",
    "i,i->": "inner product: the adjoint times the other vector",
    "i,j->ij": "outer product: the adjoint contracted with the other vector",
    "ij->ji": "transpose: the adjoint is transposed",
    "ii->": "trace: the adjoint on the diagonal",
}


def _relettered(spec: str) -> str:
    """Return a spec with its letters renamed to i, j, k, … in the order in which they occur."""
    met = dict.fromkeys(c for c in spec if c not in ",->")
    new = dict(zip(met, "ijklmnopqrstuvwxyz", strict=False))
    return "".join(new.get(c, c) for c in spec)


class EinsumPlan(Plan):
    """The plan of a contraction: the adjoint contractions, looked up once."""

    __slots__ = ("ways",)

    def __init__(self, op: Einsum, active: tuple[int, ...], count: int, label: str | None = None) -> None:
        super().__init__(op, active, count, label)
        self.ways: Any = None

    def pull(self, node: Any, g: Any) -> list[Any]:
        """Return the cotangents of the active operands, numerically."""
        if self.ways is None:
            op: Any = self.op
            self.ways = [(i, op.terms[i], *_adjoint(op.terms, op.output, i)) for i in self.active]
        saved = node.saved
        cotangents = []
        for i, term, adjoint, others, missing, unique in self.ways:
            d = adjoint(g, *[saved[k + 1] for k in others])
            if missing or unique != term:
                sizes = dict(zip(term, node.inputs[i].shape, strict=True))
                d = spread(d, unique, missing, sizes) if missing else d
                d = d if unique == term else _on_diagonal(d, unique, term, sizes)
            cotangents.append(d)
        return cotangents


Einsum.plan_kind = EinsumPlan


@lru_cache(maxsize=4096)
def _adjoint(terms: tuple[str, ...], output: str, i: int) -> tuple[Einsum, tuple[int, ...], str, str]:
    """Return (contraction of g with the other operands, their positions, letters to spread over, x_i's letters)."""
    others = tuple(k for k in range(len(terms)) if k != i)
    unique = "".join(dict.fromkeys(terms[i]))
    seen = set(output).union(*[terms[k] for k in others])
    reached = "".join(c for c in unique if c in seen)
    missing = "".join(c for c in unique if c not in seen)
    left = ",".join([output, *[terms[k] for k in others]])
    return Einsum.of(f"{left}->{reached}"), others, missing, unique


def spread(x: Any, letters: str, missing: str, sizes: dict[str, Any]) -> Any:
    """Repeat x along the ``missing`` axes, which are those of ``letters`` that x lacks."""
    if len(missing) < len(letters):
        x = Reshape(tuple(1 if c in missing else sizes[c] for c in letters))(x)
    return Expand(tuple(sizes[c] for c in letters))(x)


def _on_diagonal(x: Any, unique: str, term: str, sizes: dict[str, Any]) -> Any:
    """Put x on the diagonal where the operand had a repeated letter, as in a trace."""
    if not isinstance(x, Traced):  # no product: ∞·0 would be nan beside the diagonal
        return _placed(x, unique, term)
    fresh = iter(c for c in LETTERS if c not in term)
    out, eyes, operands = "", [], []
    for k, c in enumerate(term):
        if c in term[:k]:
            twin = next(fresh)
            eyes.append(c + twin)
            operands.append(_identity(sizes[c], x))
            out += twin
        else:
            out += c
    if not eyes:
        return x
    return OnDiagonal.of(f"{','.join([unique, *eyes])}->{out}")(x, *operands)


class OnDiagonal(Einsum):
    """A product with identities, one per letter that stands twice: 0 beside the diagonal, also where x is ∞."""

    decompose = Op.decompose

    def __init__(self, spec: str) -> None:
        super().__init__(spec, "Einsum")
        unique, *eyes = self.terms
        letter = {e[1]: e[0] for e in eyes}
        term = "".join(letter.get(c, c) for c in self.output)
        self._kernel = lambda x, *eyes: _placed(x, unique, term)

    @staticmethod
    @lru_cache(maxsize=4096)
    def of(spec: str, name: str = "Einsum") -> OnDiagonal:
        """Return the operation with this spec, such as ``"i,ij->ij"``, built once."""
        return OnDiagonal(spec)

    def __reduce__(self) -> Any:
        return OnDiagonal.of, (self.spec,)


def _placed(x: Any, unique: str, term: str) -> Any:
    """Place x in zeros, on the diagonal of the letters that stand twice in ``term``; the axes of x are ``unique``."""
    x = np.asarray(x)
    sizes = dict(zip(unique, x.shape, strict=True))
    zeros = np.zeros(tuple(sizes[c] for c in term), x.dtype)
    np.einsum(f"{term}->{unique}", zeros)[...] = x
    return zeros


def _identity(n: Any, like: Any) -> Any:
    """The n by n identity with the dtype of ``like``; a node of its own where ``like`` is a symbol."""
    op = Eye(n, n, getattr(like, "dtype", None))
    return like._apply(op, ()) if isinstance(like, Traced) else op()


# ------------------------------------------------------------------ numeric kernels
@lru_cache(maxsize=4096)
def numeric(terms: tuple[str, ...], output: str) -> Callable[..., Any]:
    """Return the fastest NumPy way to compute a contraction."""
    spec = f"{','.join(terms)}->{output}"
    if len(terms) == 1 and len(set(terms[0])) == len(terms[0]):
        return _unary(terms[0], output)
    if len(terms) == 1:
        unique = "".join(dict.fromkeys(terms[0]))
        rest = _unary(unique, output)
        return lambda x: rest(np.einsum(f"{terms[0]}->{unique}", x))  # the diagonal, which is added up as rows are
    if len(terms) == 2 and all(len(set(t)) == len(t) for t in terms):
        contraction = _outer(terms, output) or _product(terms[0], terms[1], output)
        if contraction is not None:
            return contraction
    return lambda *xs: np.einsum(spec, *xs, optimize=len(xs) > 2 and not _symbolic(xs))


@lru_cache(maxsize=1024)
def pairwise(op: Einsum, shapes: tuple[Shape, ...]) -> list[tuple[tuple[int, ...], Einsum]]:
    """Return the steps in which NumPy contracts many operands: which are taken from the list, and how they are joined.

    The result of a step goes to the end of the list. Where entries are infinite, the order decides which are nan.
    """
    path = np.einsum_path(op.spec, *[np.broadcast_to(0.0, s) for s in shapes], optimize=True)[0][1:]
    terms, steps = list(op.terms), []
    for places in path:
        taken = [terms.pop(k) for k in sorted(places, reverse=True)]
        wanted = set(op.output).union(*terms)
        kept = "".join(c for c in dict.fromkeys("".join(taken)) if c in wanted) if terms else op.output
        steps.append((tuple(sorted(places, reverse=True)), Einsum.of(f"{','.join(taken)}->{kept}")))
        terms.append(kept)
    return steps


def _symbolic(xs: Sequence[Any]) -> bool:
    return any(getattr(x, "dtype", None) is np.dtype(object) for x in xs)


def _unary(term: str, output: str) -> Callable[..., Any]:
    """Sum the absent axes, then permute."""
    gone = tuple(k for k, c in enumerate(term) if c not in output)
    left = [c for c in term if c in output]
    order = tuple(left.index(c) for c in output)
    straight = order == tuple(range(len(order)))
    if len(gone) == len(term):
        return lambda x: np.add.reduce(x, axis=None) if np.ndim(x) else x
    if not gone:
        return lambda x: np.transpose(x, order)
    if straight:
        return lambda x: _added(x, gone)
    return lambda x: np.transpose(_added(x, gone), order)


def _added(x: Any, gone: tuple[int, ...]) -> Any:
    """Sum along axes; NumPy adds pairwise along the last one only, and one after the other along the rest."""
    if x.dtype.itemsize >= 8 or prod([x.shape[a] for a in gone if a != x.ndim - 1]) < _PAIRWISE:
        return np.add.reduce(x, axis=gone)
    return folded(np.add.reduce, x, gone)


_PAIRWISE = 64  # entries that NumPy adds one after the other even in a pairwise sum


def _outer(terms: tuple[str, ...], output: str) -> Callable[..., Any] | None:
    """Products without contraction: multiply with broadcasting."""
    a, b = terms
    if set(output) != set(a) | set(b):
        return None
    views = [_aligned(t, output) for t in terms]
    return lambda x, y: views[0](x) * views[1](y)


def _aligned(term: str, output: str) -> Callable[..., Any]:
    """Permute x to the output's order and insert axes of length one."""
    if term == output[len(output) - len(term) :]:
        return lambda x: x
    order = sorted(range(len(term)), key=lambda k: output.index(term[k]))
    where = tuple(slice(None) if c in term else None for c in output)
    if order == list(range(len(term))):
        return lambda x: np.asarray(x)[where]
    return lambda x: np.transpose(x, order)[where]


_DIRECT: dict[tuple[str, str, str], Callable[[Any, Any], Any]] = {
    ("i", "i", ""): np.dot,
    ("ij", "j", "i"): np.dot,  # np.dot and np.matmul reach the same BLAS; np.dot sooner
    ("i", "ij", "j"): np.dot,
    ("ij", "i", "j"): lambda a, b: np.dot(b, a),
    ("i", "ji", "j"): lambda a, b: np.dot(b, a),
    ("ij", "jk", "ik"): np.dot,
    ("ij", "kj", "ik"): lambda a, b: np.matmul(a, b.T),
    ("ij", "ik", "jk"): lambda a, b: np.matmul(a.T, b),
    ("ij", "ki", "jk"): lambda a, b: np.matmul(a.T, b.T),
    ("ij", "jk", "ki"): lambda a, b: np.matmul(a, b).T,
    ("ij", "kj", "ki"): lambda a, b: np.matmul(b, a.T),
    ("ij", "ik", "kj"): lambda a, b: np.matmul(b.T, a),
    ("ij", "ki", "kj"): lambda a, b: np.matmul(b, a),
}


def _renamed(*terms: str) -> tuple[str, ...]:
    names: dict[str, str] = {}
    return tuple("".join(names.setdefault(c, LETTERS[8 + len(names)]) for c in t) for t in terms)


def _product(a: str, b: str, output: str) -> Callable[..., Any] | None:
    """A contraction as one (batched) matrix product: batch, free and summed letters grouped."""
    direct = _DIRECT.get(_renamed(a, b, output))  # type: ignore[arg-type]
    if direct is not None:
        return direct
    batch = [c for c in output if c in a and c in b]
    inner = [c for c in a if c in b and c not in output]
    if not inner:
        return None
    left = [c for c in a if c in output and c not in b]
    right = [c for c in b if c in output and c not in a]
    to_a, to_b = _grouped(a, (batch, left, inner)), _grouped(b, (batch, inner, right))
    letters = batch + left + right
    order = tuple(letters.index(c) for c in output)

    def contract(x: Any, y: Any) -> Any:
        size = {**dict(zip(a, x.shape, strict=True)), **dict(zip(b, y.shape, strict=True))}
        product = np.matmul(to_a(x), to_b(y))
        return product.reshape([size[c] for c in letters]).transpose(order)

    return contract


def _grouped(term: str, groups: tuple[list[str], ...]) -> Callable[..., Any]:
    """Sum letters in no group, then bring x to (batch…, rows, columns) with each group flattened."""
    gone = tuple(k for k, c in enumerate(term) if not any(c in g for g in groups))
    left = [c for c in term if any(c in g for g in groups)]
    batch, rows, _ = groups
    order = tuple(left.index(c) for g in groups for c in g)
    cut = len(batch), len(batch) + len(rows)

    def group(x: Any) -> Any:
        x = (np.add.reduce(x, axis=gone) if gone else x).transpose(order)
        dims = x.shape
        return x.reshape(*dims[: cut[0]], prod(dims[cut[0] : cut[1]]), prod(dims[cut[1] :]))

    return group


# ------------------------------------------------------------------ what rules and users call
def sum_to(x: Any, target: Shape) -> Any:
    """Sum x over the axes that broadcasting added or stretched: the only place that undoes broadcasting."""
    have = shape(x)
    if have == target:
        return x
    lead = len(have) - len(target)
    letters = LETTERS[: len(have)]
    kept = "".join(c for k, c in enumerate(letters) if k >= lead and (target[k - lead] != 1 or have[k] == 1))
    summed = Einsum.of(f"{letters}->{kept}", "Sum")(x) if kept != letters else x
    return summed if shape(summed) == target else Reshape(target)(summed)


def permute(x: Any, order: Sequence[int], name: str = "Permute") -> Any:
    """Reorder the axes of x."""
    letters = LETTERS[: len(order)]
    return Einsum.of(f"{letters}->{''.join(letters[k] for k in order)}", name)(x)


def mT(x: Any, name: str = "Transpose") -> Any:
    """Swap the last two axes of x."""
    n = len(shape(x))
    return permute(x, [*range(n - 2), n - 1, n - 2], name)


def summing(ndim: int, axes: Sequence[int]) -> Einsum:
    """Return the sum over the axes, all in 0..ndim-1, as an operation."""
    letters = LETTERS[:ndim]
    return Einsum.of(f"{letters}->{''.join(c for k, c in enumerate(letters) if k not in axes)}", "Sum")


def sum_axes(x: Any, axes: Sequence[int], keepdim: bool = False) -> Any:
    """Sum x over the axes, all in 0..ndim-1."""
    dims = shape(x)
    total = summing(len(dims), axes)(x)
    return Reshape(tuple(1 if k in axes else n for k, n in enumerate(dims)))(total) if keepdim else total


def matmul(x: Any, other: Any) -> Any:
    """Return the matrix product of tensors of any rank, with broadcast batch axes, like ``torch.matmul``."""
    p, q = shape(x), shape(other)
    if not p or not q:
        raise ShapeError(
            f"both arguments to matmul need to be at least 1D, but they are {len(p)}D and {len(q)}D. "
            "Use * to multiply by a scalar."
        )
    if p[-1] != q[-2 if len(q) > 1 else 0]:
        raise ShapeError(_mismatch(p, q))
    if len(p) <= 2 and len(q) <= 2:
        return Einsum.of(*_MATMUL[len(p), len(q)])(x, other)
    return _batched(x, other, p, q)


_MATMUL = {
    (1, 1): ("i,i->", "Dot"),
    (1, 2): ("i,ij->j", "Squeeze"),
    (2, 1): ("ij,j->i", "Mv"),
    (2, 2): ("ij,jk->ik", "Mm"),
}


def _mismatch(p: Shape, q: Shape) -> str:
    text = "size mismatch"
    if len(p) == 1 and len(q) == 1:
        text = (
            f"inconsistent tensor size, expected tensor {show_shape(p)} and src {show_shape(q)} to have the same "
            f"number of elements, but got {p[0]} and {q[0]} elements respectively"
        )
    elif len(p) == 2 and len(q) == 1:
        text = f"size mismatch, got input ({p[0]}), mat ({p[0]}x{p[1]}), vec ({q[0]})"
    elif len(p) <= 2 and len(q) == 2:
        rows = p if len(p) == 2 else (1, *p)
        text = f"mat1 and mat2 shapes cannot be multiplied ({rows[0]}x{rows[1]} and {q[0]}x{q[1]})"
    hint = ""
    if len(p) == 2 and p[0] == q[-2 if len(q) > 1 else 0]:
        hint = " Did you mean A.T for the first?"
    elif len(q) == 2 and q[1] == p[-1]:
        hint = " Did you mean B.T for the second?"
    inner = q[-2 if len(q) > 1 else 0]
    return f"{text}. matmul: inner sizes differ: {show_shape(p)} @ {show_shape(q)}, {p[-1]} against {inner}.{hint}"


def _batched(a: Any, b: Any, p: Shape, q: Shape) -> Any:
    """matmul with batch axes: axes of length one are dropped where the other operand is longer."""
    rank = max(len(p), len(q), 3) - 2
    batch = LETTERS[3 : 3 + rank]
    one, two = ("a" if len(p) > 1 else "") + "b", "b" + ("c" if len(q) > 1 else "")
    outs = broadcast_shapes(p[:-2], q[:-2])
    a, left = _drop_ones(a, p[:-2], outs, batch, one)
    b, right = _drop_ones(b, q[:-2], outs, batch, two)
    lead = batch[len(batch) - len(outs) :]
    seen = set(left) | set(right)
    present = "".join(c for c in lead if c in seen)
    core = (one[0] if len(p) > 1 else "") + (two[1] if len(q) > 1 else "")
    product = Einsum.of(f"{left},{right}->{present}{core}", "Bmm")(a, b)
    full = (*outs, *shape(product)[len(present) :])
    return product if shape(product) == full else Reshape(full)(product)


def _drop_ones(x: Any, sizes: Shape, outs: Shape, batch: str, core: str) -> tuple[Any, str]:
    letters = batch[len(batch) - len(sizes) :] if sizes else ""
    wide = outs[len(outs) - len(sizes) :] if sizes else ()
    kept = "".join(c for c, n, m in zip(letters, sizes, wide, strict=True) if not (n == 1 and m != 1))
    if kept == letters:
        return x, letters + core
    flat = tuple(n for n, m in zip(sizes, wide, strict=True) if not (n == 1 and m != 1))
    return Reshape((*flat, *shape(x)[len(sizes) :]))(x), kept + core
