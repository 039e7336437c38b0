"""A recorded graph with a name and a formula for each node, and all that derive's sweep handed through it.

The formulas are the operations applied to symbols that are called as their inputs are: what an operation says of
itself, nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.autograd.expand_custom import opened
from symgrad.core.modes import complexes, enable_grad
from symgrad.core.node import CONSTANT, GRAD, TRACED, AnyNode, Leaf, Node, Shape, ancestors, evaluate, is_node
from symgrad.core.promotion import is_complex
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.record import TensorBase, as_tensor, handle
from symgrad.engine.record import apply as record
from symgrad.engine.sweep import listening
from symgrad.errors import ArgumentTypeError, GraphError, SymgradError
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.forms.names import Mint, Naming, is_known
from symgrad.forms.nodes import printers
from symgrad.forms.nodes.arrays import ArrayExpr
from symgrad.forms.nodes.fourier import defined
from symgrad.forms.nodes.indexed import Bracket
from symgrad.forms.nodes.matrices import ArraySymbol, Call, Plus
from symgrad.ops.contract import sum_to
from symgrad.ops.elementwise.complexes import conj
from symgrad.ops.shape import Expand
from symgrad.support.lazy import cached_property
from symgrad.teach.steps.adjoint import Adjoint, AdjointAt

_LETTERS = {0: "uvwpqrst", 1: "uvwpqrabc", 2: "UVWPQRABC", 3: "UVWQRS"}
_OUTPUTS = "yfLgGh"
_COTANGENT = "\ue000 cotangent"  # in a graph of its own, beside letters and users' names


class Pull(NamedTuple):
    """What one rule handed to one input: ∂L/∂input gets ``given`` from ``node``, whose own adjoint is ``adjoint``."""

    node: Node
    position: int
    source: AnyNode
    adjoint: AnyNode
    given: AnyNode | None


class Tape:
    """The graph below a tensor.

    Attributes:
        root: the tensor's node.
        nodes: those that are shown, oldest first: numbers and conditions are written where they are used.
        imaginary: whether there are complex numbers: adjoints are then ∂L/∂x + i·∂L/∂y, as gradients are.
    """

    def __init__(self, y: Any, beside: Any = None) -> None:
        """Read the graph below y; ``beside`` it, a cotangent is named."""
        self._beside = beside._node if isinstance(beside, TensorBase) else None
        new = opened(y._node)
        self.root: AnyNode = new.get(y._node, y._node)
        self.opened = new
        every = ancestors([self.root])
        self.imaginary = complexes.met and any(is_complex(dtype_of(n)) for n in every)
        self.inlined = {n for n in every if n is not self.root and _stands_in_place(n)}
        self.nodes = [n for n in every if n not in self.inlined]
        self._stand_ins: dict[AnyNode, Any] = {}
        self._formulas: dict[AnyNode, Any] = {}

    def handled(self, node: AnyNode | None = None) -> Any:
        """Return a node as a tensor, by default the output."""
        return handle(self.root if node is None else node, None)

    # ---------------------------------------------------------------- names
    @cached_property
    def names(self) -> dict[AnyNode, str]:
        """The name of each shown node: the leaves' as formulas have them, letters for the others."""
        called = Naming([self.root], [self.root])
        names: dict[AnyNode, str] = {n: called.shown[id(n)] for n in self.nodes if isinstance(n, Leaf)}
        inner = [n for n in self.nodes if isinstance(n, Node)]
        mint = Mint({*called.taken, *self._names_beside()})
        if isinstance(self.root, Node):
            (names[self.root],) = mint.names(_OUTPUTS if self.numbers else _OUTPUTS[2:])
        for rank in sorted({min(len(n.shape), 3) for n in inner}):
            mine = [n for n in inner if min(len(n.shape), 3) == rank and n is not self.root]
            names.update(zip(mine, _letters(mint, _LETTERS[rank], len(mine)), strict=True))
        return names

    def _names_beside(self) -> set[str]:
        """Return the names of a cotangent's leaves."""
        below = [] if self._beside is None else ancestors([self._beside])
        return {n.title for n in below if isinstance(n, Leaf) and n.title is not None}

    @cached_property
    def letters(self) -> list[tuple[Any, Any]]:
        """The letters of Fourier transforms in the formulas of the shown operations, and what they stand for."""
        return defined([self.formula(n) for n in self.nodes])

    @cached_property
    def numbers(self) -> bool:
        """Whether all nodes are numbers."""
        return all(n.shape == () for n in self.nodes)

    @cached_property
    def straight(self) -> bool:
        """Whether derivatives are written with a straight d: those of numbers by one variable."""
        return self.numbers and sum(isinstance(n, Leaf) for n in self.nodes) == 1

    def symbol(self, node: AnyNode) -> Any:
        """Return the name of a node as a symbol."""
        name = self.names[node]
        return ArraySymbol.of(name, node.shape) if node.shape else sp.Symbol(name)

    def adjoint(self, node: AnyNode) -> Any:
        """Return the symbol of ∂output/∂node."""
        return Adjoint.of(self.names[self.root], self.names[node], node.shape, self.straight)

    def shown_inputs(self, node: AnyNode) -> list[AnyNode]:
        """Return the nodes that a node is computed of, each once; those of a condition that is written in its place."""
        inputs: dict[AnyNode, None] = {}
        stack = [p for p in reversed(node.inputs) if is_node(p)]
        while stack:
            p = stack.pop()
            if p not in self.inlined:
                inputs[p] = None
            else:
                stack.extend(q for q in reversed(p.inputs) if is_node(q))
        return list(inputs)

    # ---------------------------------------------------------------- formulas of one operation
    def formula(self, node: AnyNode) -> Any:
        """Return what the node computes, in the names of its inputs."""
        if node not in self._formulas:
            self._formulas[node] = self.symbol(node) if isinstance(node, Leaf) else self._formula(node)
        return self._formulas[node]

    def _formula(self, node: Node) -> Any:
        with enable_grad():
            made = self._stand_in(node, apply=True)
        try:
            e = ClosedForm(made._node, [made._node], check=False)._expr
            return Bracket(*e.args, evaluate=False) if e.is_Add and printers.text(e).startswith("-") else e
        except SymgradError:
            named = [self.symbol(p) for p in node.inputs if is_node(p) and p in self.names]
            return Call.of(node.op, named, node.shape)

    def _stand_in(self, node: AnyNode, *, apply: bool = False) -> Any:
        """Return a tensor for a node: a symbol with its name; or the operation, of such symbols."""
        if not apply and node in self._stand_ins:
            return self._stand_ins[node]
        if isinstance(node, Node) and (apply or node in self.inlined):
            inputs = [self._stand_in(p) if is_node(p) else p for p in node.inputs]
            made = node.op(*inputs) if inputs else record(node.op, ())
        elif node in self.inlined:
            made = handle(node, None)
        else:
            leaf = Leaf(None, node.shape, TRACED, self.names[node])
            leaf.assumptions = getattr(node, "assumptions", frozenset())
            leaf.dtype = node.dtype or (np.asarray(node.value).dtype if node.value is not None else None)
            made = handle(leaf, None)
        if not apply:
            self._stand_ins[node] = made
        return made

    def local(self, pull: Pull, *, unit: bool) -> Any:
        """Return what the rule gives for one input, in names: of a cotangent of ones, or of ∂L/∂node."""
        node = pull.node
        with enable_grad():
            seed = _ones(node.shape) if unit else handle(_leaf_like(node, _COTANGENT), None)
            made = self._stand_in(node, apply=True)
            ins = [self._stand_in(p) if is_node(p) else p for p in node.inputs]
            (d,) = node.op.vjps([pull.position], conj(seed), made, *ins)
            if d is None:
                return sp.S.Zero
            d = conj(sum_to(as_tensor(d), pull.source.shape))
        forward = [made._node] if unit else [made._node, seed._node]
        try:
            formula = ClosedForm(d._node, forward, check=False)._expr
        except SymgradError:
            return None
        return formula if unit else self._with_adjoint(formula, node)

    def _with_adjoint(self, e: Any, node: AnyNode) -> Any:
        """Put ∂L/∂node for the cotangent's place-holder."""
        adjoint = self.adjoint(node)
        there: dict[Any, Any] = {s: adjoint for s in e.free_symbols if getattr(s, "name", None) == _COTANGENT}
        for entry in e.atoms(sp.Indexed):
            if str(entry.base.label) == _COTANGENT:
                there[entry] = AdjointAt.of(adjoint, entry.indices)
        return e.xreplace(there)

    def differential(self, node: Node, positions: Sequence[int]) -> Any:
        """Return the operation's differential by the inputs at these positions, None where it has no formula.

        A change of an input X is a symbol that is called dX.
        """
        parts = []
        with enable_grad():
            made = self._stand_in(node, apply=True)
            for p in dict.fromkeys(node.inputs[i] for i in positions):
                step = handle(_leaf_like(p, f"d{self.names[p]}"), None)
                try:
                    parts.append(derive(made, self._stand_in(p), tangent=step, verify=False)._expr)
                except SymgradError:
                    return None
        if len(parts) > 1 and not all(isinstance(e, ArrayExpr) for e in parts) and node.shape:
            return None
        return Plus.of(parts, node.shape) if node.shape and len(parts) > 1 else sum(parts)

    # ---------------------------------------------------------------- numbers
    @cached_property
    def known(self) -> bool:
        """Whether all leaves have values."""
        leaves = [n for n in ancestors([self.root]) if isinstance(n, Leaf)]
        return all(n.value is not None and not isinstance(n.value, sp.Expr) for n in leaves)

    def values(self, nodes: Sequence[AnyNode]) -> list[Any]:
        """Return the values of nodes, of the graph or of its derivative; None where a leaf has none."""
        if not self.known or any(isinstance(n, Leaf) and n.value is None for n in ancestors(list(nodes))):
            return [None] * len(nodes)
        with np.errstate(all="ignore"):
            return evaluate(list(nodes))

    # ---------------------------------------------------------------- the sweep
    def derive(self, wrt: Any, cotangent: Any = None) -> tuple[Any, list[Pull]]:
        """Return what ``sg.derive`` returns, and the pulls of its sweep in their order."""
        inside, pulls = set(ancestors([self.root])), list[Pull]()

        def hear(node: Any, g: Any, positions: Sequence[int], given: Sequence[Any]) -> None:
            if node not in inside:  # a sweep inside a rule
                return
            for i, d in zip(positions, given, strict=True):
                p = node.inputs[i]
                if p in self.inlined:  # a condition
                    continue
                d = None if d is None else self._as_gradient(sum_to(as_tensor(d), p.shape))
                pulls.append(Pull(node, i, p, self._as_gradient(g), d))

        with listening(hear):
            forms = derive(handle(self.root, None), wrt, cotangent=cotangent)
        return forms, pulls

    def _as_gradient(self, g: Any) -> AnyNode:
        """Return what a sweep carries as the gradient that it is outside of the sweep."""
        with enable_grad():
            node: AnyNode = conj(g)._node
        return node

    def targets(self, wrt: Any) -> list[Any]:
        """Return the tensors to differentiate by: those given, else the leaves that require grad, else all symbols."""
        if wrt is not None:
            given = list(wrt) if isinstance(wrt, (list, tuple)) else [wrt]
            return [self._followed(i, x) for i, x in enumerate(given)]
        leaves = [n for n in self.nodes if isinstance(n, Leaf)]
        chosen = [n for n in leaves if n.level == GRAD] or [n for n in leaves if n.level == TRACED]
        if not chosen:
            raise GraphError(
                "explain: the output does not depend on a named leaf. Pass wrt=…, a tensor on which it depends."
            )
        return [handle(n, None) for n in chosen]

    def _followed(self, i: int, x: Any) -> Any:
        if not isinstance(x, TensorBase):
            raise ArgumentTypeError(
                f"wrt[{i}]: expected a tensor, got {type(x).__name__}. Pass the tensor on which the output depends."
            )
        node: Any = x._node
        return handle(self.opened[node], None) if node in self.opened else x


def _leaf_like(node: AnyNode, name: str) -> Leaf:
    """Return a letter for what has a node's shape, of complex numbers where the node is."""
    leaf = Leaf(None, node.shape, TRACED, name)
    if complexes.met and is_complex(dtype_of(node)):
        leaf.dtype = dtype_of(node)
    return leaf


def _ones(shape: Shape) -> Any:
    one = handle(Leaf(1.0, (), CONSTANT), None)
    return Expand(shape)(one) if shape else one


def _stands_in_place(node: AnyNode) -> bool:
    """Whether a node is written where it is used: a number, an identity, a condition."""
    if isinstance(node, Leaf):
        return is_known(node) or isinstance(node.value, sp.Expr)  # the latter is a size
    return bool(node.op.truth)


def _letters(mint: Mint, letters: str, many: int) -> list[str]:
    """Return a letter for each of some nodes, or one letter with numbers where there are more nodes than letters."""
    alone = [c for c in letters if mint.is_free(c)]
    if many > len(alone):
        return mint.names(letters, many)
    return [name for _ in range(many) for name in mint.names(letters)]
