"""The where-form: intermediates with names as a textbook gives them, so that the formula is as long as the graph.

Intermediates used several times get a name; those used once are written in place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import sympy as sp

from symgrad.core.node import AnyNode, Leaf, Node, ancestors, is_node
from symgrad.forms import names
from symgrad.forms.calculus.cases import in_matrix_notation
from symgrad.forms.calculus.decimals import with_decimals_in_arrays
from symgrad.forms.calculus.numbers import as_people_write, decimals_of
from symgrad.forms.canon import Term, TermPool, lowered
from symgrad.forms.canon.jacobian import coefficients
from symgrad.forms.canon.products import content
from symgrad.forms.canon.terms import CALL, FUNCTION, NAMED, POWER, PRODUCT, SUM, below, split
from symgrad.forms.canonical import leaf_reading
from symgrad.forms.nodes import fourier, printers
from symgrad.forms.nodes.printers import equation, mathml
from symgrad.forms.notations.abbreviate import (
    abbreviated,
    divides_by_a_root,
    is_quotient,
    is_root,
    is_short,
    is_weight,
    total,
)
from symgrad.forms.notations.index import Reading, lettered
from symgrad.forms.notations.letters import NoMatrix
from symgrad.forms.notations.matrix import MatrixReading
from symgrad.ops.linalg.solving import Inverse
from symgrad.ops.reductions.softmax import LogSumExp, Softmax
from symgrad.scalars import SCALARS, tidy
from symgrad.support.lazy import cached_property
from symgrad.support.symbols import Letter

DEPTH = 16  # operations in a row that are written as one expression
SMALL, LONG = 60, 400  # operations of a graph, and length of a formula, that is also named after it is simplified
MANY = 200  # operations of a graph beyond which operations count, and not signs only
FEW = 150  # operations of numbers whose formulas are shortened one by one
LARGE = 3000  # operations of a graph that is lowered once, with a name for all that is used again
ROUNDS = 8  # of leaving out names that are used once


class Definition(NamedTuple):
    """A name and the formula that it stands for."""

    name: sp.Expr
    expr: sp.Expr

    def __repr__(self) -> str:
        return f"Definition(name={printers.text(self.name)}, expr={printers.text(self.expr)})"


class Named:
    """Formulas with named intermediates.

    Attributes:
        bodies: one expression for each root.
        definitions: the names that they use, each after those that its own definition uses.
        matrix: whether they are in matrix notation, and not in index notation.
        indices: the free indices of bodies in index notation, as many as the longest has.
        of_values: whether all names are of what the function computes, such as a residual or a mean.
    """

    bodies: list[Any]
    definitions: list[Definition]
    matrix: bool
    indices: list[sp.Symbol]
    of_values: bool = False

    @cached_property
    def told(self) -> list[Definition]:
        """The equations that letters for solutions in the formulas solve."""
        return [Definition(*d) for d in _solutions([*self.bodies, *[d.expr for d in self.definitions]])]

    def text(self, bodies: str | None = None) -> str:
        """Return the body and its definitions, the last first."""
        body = printers.text(self.bodies[0]) if bodies is None else bodies
        whole = [*self.told, *self.definitions]
        defined = [f"{printers.text(d.name)} = {printers.text(d.expr)}" for d in reversed(whole)]
        return f"{body} where {'; '.join(defined)}" if defined else body

    def latex(self, bodies: str | None = None) -> str:
        """Return the same in LaTeX."""
        named_e = printers.has_e([*self.bodies, *[d.expr for d in self.definitions]])
        body = printers.latex(self.bodies[0], named_e) if bodies is None else bodies
        whole = [*self.told, *self.definitions]
        defined = [f"{printers.latex(d.name)} = {printers.latex(d.expr, named_e)}" for d in reversed(whole)]
        return r",\quad ".join([body, *defined])

    def mathml(self) -> str:
        """Return the same in MathML: an element for each equation, so that a narrow page can break between them."""
        defined = [equation(d.name, d.expr) for d in reversed([*self.told, *self.definitions])]
        body = mathml(self.bodies[0])
        return f"{body} where {'; '.join(defined)}" if defined else body


def transforms(formulas: Iterable[Any]) -> list[Definition]:
    """Return what the letters of Fourier transforms in formulas stand for."""
    return [Definition(*d) for d in fourier.defined(formulas)]


def _solutions(formulas: Iterable[Any]) -> list[tuple[Any, Any]]:
    """The definitions that operations have for their letters, each once."""
    definitions: dict[Any, Any] = {}
    for formula in formulas:
        for call in sp.preorder_traversal(formula) if isinstance(formula, sp.Basic) else ():
            told = getattr(getattr(call, "op", None), "definitions", None)
            if told is not None and call.args:
                definitions |= dict(told(printers.arguments(call)))
    return list(definitions.items())


class Explained(Named):
    """A formula with nothing named but the Fourier transforms in it."""

    def __init__(self, formula: Any) -> None:
        self.bodies, self.definitions, self.matrix, self.indices = [formula], transforms([formula]), True, []


class WhereForm(Named):
    """The derivatives of one function, with their common intermediates named."""

    def __init__(
        self,
        roots: Sequence[AnyNode],
        forward: Sequence[AnyNode],
        called: names.Naming,
        bases: Sequence[Leaf] = (),
        avoid: Iterable[str] = (),
    ) -> None:
        self._graph, self._forward = list(forward), set(ancestors(list(forward)))
        self._roots, self._leaf, self._bases = list(roots), leaf_reading(called.inner), tuple(bases)
        self._order = ancestors([*forward, *roots])
        self._of_numbers = not bases and len(self._order) <= FEW and all(n.shape == () for n in self._order)
        self._choose()
        self._shorter()
        named = self._in_use()
        self.of_values = all(t.data in self._forward or _activation(t.args[0]) is not None for t in named)
        taken = {*called.taken, *avoid}
        try:
            self._names = {**called.shown, **self._mint(named, names.Mint(taken, self._signs()))}
            numbers = self._of_numbers and all(t.kind != CALL for t in below(self._bodies))
            matrix = MatrixReading(self._pool, self._names).expr
            self._write(self._number if numbers else matrix, named)
            self.matrix, self.indices = True, []
        except NoMatrix:
            self._write_entries(named, called, taken)

    def _write_entries(self, named: Sequence[Term], called: names.Naming, taken: set[str]) -> None:
        """Write the formulas in index notation."""
        self.matrix = False
        signs = {"Δ", *self._signs()}  # beside δ_ij
        self._names = {**called.shown, **self._mint(named, names.Mint(taken, signs))}
        reading = Reading(self._pool, self._names)
        own = {*called.taken, *self._names.values(), *({"i"} if self._pool.imaginary else ())}
        self.indices = _indices(max(len(t.shape) for t in self._bodies), own)
        self._write(lambda t: _entry(reading, t, own), named)

    def _choose(self) -> None:
        """Lower the graph until the operations whose results get names stay the same."""
        chosen = self._used_again()
        for _ in range(ROUNDS if len(self._order) < LARGE else 1):
            self._lower(chosen)
            before, chosen = chosen, self._standing_again()
            if chosen == before:
                break

    def _mint(self, named: Sequence[Term], mint: names.Mint) -> dict[Any, str]:
        return _called(named, self._bodies, self._forward, mint)

    def _number(self, t: Term) -> Any:
        return in_matrix_notation(as_people_write(self._pool, t, self._names, self._graph))

    def _write(self, write: Callable[[Term], Any], named: Sequence[Term]) -> None:
        known = decimals_of(self._graph)

        def written(t: Term) -> Any:
            return write(t) if self._of_numbers else with_decimals_in_arrays(write(t), known)

        definitions = [Definition(write(t), written(t.args[0])) for t in named]
        self.bodies = [written(t) for t in self._bodies]
        self.definitions = [*transforms([*self.bodies, *[d.expr for d in definitions]]), *definitions]

    # -------------------------------------------------------------- choosing
    def _used_again(self) -> set[AnyNode]:
        """Return the operations whose result several others use, except those that depend on a basis."""
        uses: Counter[AnyNode] = Counter(self._roots)
        varying: set[AnyNode] = set(self._bases)
        for node in self._order:
            inside = [p for p in node.inputs if is_node(p)]
            uses.update(set(inside))
            if any(p in varying for p in inside):
                varying.add(node)
        self._varying = varying
        return {n for n in self._order if isinstance(n, Node) and uses[n] > 1 and n not in varying}

    def _lower(self, chosen: set[AnyNode]) -> None:
        """Lower the graph with these operations named, and any that would be written too deep."""
        self._pool, depth = TermPool(self._bases), dict[AnyNode, int]()
        self._pool.light = self._of_numbers

        def name(node: AnyNode, term: Term) -> Term:
            depth[node] = 1 + max((depth.get(p, 0) for p in node.inputs if is_node(p)), default=0)
            if self._is_short(term) or not (node in chosen or (depth[node] > DEPTH and not self._bases)):
                return term
            depth[node] = 0
            if node not in self._forward:
                return self._pool.named(node, term)
            number, plain = content(self._pool, term)  # of 2·(x - m), the difference has the name
            return self._pool.sum([(number, self._pool.named(node, plain))], term.shape)

        own = lowered(self._pool, list(self._forward), self._leaf, name)
        self._pool.written = {d for t in own.values() for d in (t, *t.args) if d.kind == SUM}
        terms = lowered(self._pool, self._roots, self._leaf, name, own)
        self._node_of: dict[Term, AnyNode] = {}
        for node, term in terms.items():
            self._node_of.setdefault(term, node)
        self._bodies = [self._body(terms, root) for root in self._roots]

    def _is_short(self, t: Term) -> bool:
        """Whether a term needs no name; in a large graph, a product of two numbers does, to be computed once."""
        return is_short(t) and (t.shape != () or t.kind != PRODUCT or len(t.args) < 2 or len(self._order) <= MANY)

    def _body(self, terms: dict[AnyNode, Term], root: AnyNode) -> Term:
        t = terms[root]
        t = t.args[0] if t.kind == NAMED and len(self._roots) == 1 else t
        return self._coefficients(self._pool, t, terms)

    def _coefficients(self, pool: TermPool, t: Term, terms: dict[AnyNode, Term]) -> Term:
        for basis in reversed(self._bases):
            t = coefficients(pool, t, terms.get(basis, self._leaf(pool, basis)))
        return t

    def _shorter(self) -> None:
        """Take the finished formula, with names for its parts, where that is shorter: names can hide what cancels."""
        if len(self._order) > SMALL or self._of_numbers:
            return
        pool = TermPool(self._bases)
        own = lowered(pool, self._graph, self._leaf)
        pool.written = {t for t in own.values() if t.kind == SUM}
        terms = lowered(pool, self._roots, self._leaf, known=own)
        bodies = [self._coefficients(pool, terms[root], terms) for root in self._roots]
        if sum(t.cost for t in bodies) > LONG:
            return
        computed = {n: t for n, t in own.items() if isinstance(n, Node)}
        result = self._graph[0]
        ratio = result if result in computed and is_quotient(computed[result]) else None
        bodies = abbreviated(pool, bodies, computed, ratio)
        if (_depth(bodies), total(bodies, ratio)) < (_depth(self._bodies), total(self._bodies)):
            self._pool, self._bodies = pool, bodies

    def _standing_again(self) -> set[AnyNode]:
        """Return the operations whose terms occur in several places, by name or written out."""
        uses: Counter[Term] = Counter(self._bodies)
        for t in below(self._bodies):
            uses.update(t.args)
        again = [t for t, k in uses.items() if k > 1 and (t.kind == NAMED or not self._is_short(t))]
        nodes = {t.data if t.kind == NAMED else self._node_of.get(t) for t in again}
        return {n for n in nodes if isinstance(n, Node) and n not in self._varying}

    def _signs(self) -> set[str]:
        """Return the names that the notation itself uses: σ beside a sigmoid, also one that is a number."""
        return {"σ"} if any(_has_function(t, SCALARS["sigmoid"].function) for t in below(self._bodies)) else set()

    def _in_use(self) -> list[Term]:
        return [t for t in below(self._bodies) if t.kind == NAMED]


def _depth(bodies: Sequence[Term]) -> int:
    """Return the most axes that an array in the formulas has, where that is beyond matrix notation."""
    return max([2, *(len(t.shape) for t in below(bodies))])


def _has_function(t: Term, function: Any) -> bool:
    """Whether a term is this function of something, or has a coefficient with it."""
    return (
        bool(t.data is function)
        if t.kind == FUNCTION
        else t.kind == SUM and any(sp.sympify(c).has(function) for c in t.data)
    )


def _entry(reading: Reading, t: Term, avoid: set[str]) -> sp.Expr:
    """Return the entry of a term in index notation."""
    free = _indices(len(t.shape), avoid)
    return lettered(tidy(reading.entry(t, free)), {k.name for k in free} | avoid)


def _indices(rank: int, avoid: set[str]) -> list[sp.Symbol]:
    return [Letter(k, integer=True) for k in islice(names.letters(names.FREE, avoid), rank)]


# ------------------------------------------------------------------ names
_ACTIVATIONS = {SCALARS[n].function: "a" for n in ("tanh", "relu", "sin", "cos", "exp", "softplus", "ndtr")}
_ACTIVATIONS[SCALARS["sigmoid"].function] = "s"
_SMALL = {
    "z": "zuq", "a": "ahg", "s": "sθ", "p": "pq", "r": "rω", "δ": "ηεω", "c": "cαβγ", "μ": "μm", "v": "vν", "σ": "στ",
    "h": "hη", "u": "uwb", "M": "mp",
}  # fmt: skip
_LARGE = {
    "z": "ZUQ", "a": "AHG", "s": "SΘ", "p": "PQ", "r": "RΩ", "δ": "ΔΛ", "c": "CΓ", "μ": "MΞ", "v": "VΥ", "σ": "SΘ",
    "h": "HΨ", "u": "UWB", "M": "MPN",
}  # fmt: skip


def _called(named: Sequence[Term], bodies: Sequence[Term], forward: set[AnyNode], mint: names.Mint) -> dict[Any, str]:
    """Return a name for each term: z before an activation, a, s or p after it, r for a residual, Δ for an adjoint."""
    stems = _stems(named, bodies, forward)
    keys: dict[str, list[Any]] = {}
    for key, letters in stems.items():
        keys.setdefault(letters, []).append(key)
    labels: dict[Any, str] = {}
    for letters, mine in keys.items():
        labels.update(zip(mine, mint.names(letters, len(mine)), strict=True))
    return labels


def _stems(named: Sequence[Term], bodies: Sequence[Term], forward: set[AnyNode]) -> dict[Any, str]:
    """Return the letters that suit each name: small for vectors and numbers, large for matrices."""
    before = {a.data for t in below([*named, *bodies]) for a in t.args if a.kind == NAMED and _activation(t)}
    stems = {}
    for t in named:
        stem = "a" if is_weight(t.data) else _stem(t.args[0], t.data in forward, t.data in before)
        stems[t.data] = (_LARGE if len(t.shape) == 2 else _SMALL)[stem]
    return stems


def _stem(t: Term, forward: bool, before: bool) -> str:
    if _is_mean_of_a_regression(t):
        return "μ"
    if _activation(t) is not None:
        return str(_activation(t))
    if before:
        return "z"
    if t.kind == CALL and isinstance(t.data, Inverse):
        return "M"
    if not forward:
        return "δ" if t.shape else "c"
    if _statistic(t) is not None:
        return str(_statistic(t))
    return "r" if (t.kind == SUM and t.shape) or is_quotient(t) else "u" if t.shape else "c"


def _statistic(t: Term) -> str | None:
    """Return the name μ for a mean, v for a mean of squares, σ for a root, h for a quotient by a root."""
    c, core = split(t)
    if core.kind == PRODUCT and len(core.args) == 1 and sp.fraction(c)[1] != 1:
        return "v" if core.args[0].kind == POWER else "μ"
    if is_root(core):
        return "σ"
    return "h" if core.kind == PRODUCT and t.shape and any(map(divides_by_a_root, core.args)) else None


def _is_mean_of_a_regression(t: Term) -> bool:
    """Whether a term is exp(X·w + b), the mean of counts or durations."""
    if t.kind != FUNCTION or t.data is not sp.exp or len(t.shape) != 1:
        return False
    z = split(t.args[0])[1]
    return any(a.kind == PRODUCT and len(a.data[2]) > 1 for a in (z.args if z.kind == SUM else (z,)))


def _activation(t: Term) -> str | None:
    if t.kind == CALL and isinstance(t.data, (Softmax, LogSumExp)):
        return "p" if isinstance(t.data, Softmax) else "c"
    return _ACTIVATIONS.get(t.data) if t.kind == FUNCTION else None
