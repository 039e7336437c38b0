"""Where the rules have no words: each operation with its own differential, as symgrad derives it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symgrad.core.node import AnyNode, Leaf, Node, is_node
from symgrad.forms.closed import ClosedForm
from symgrad.forms.nodes.matrices import Call, Kronecker
from symgrad.implicit.conditions import Root
from symgrad.implicit.expand import equations, spelled
from symgrad.ode.flow import Flow
from symgrad.ops.linalg.determinant import Det, LogAbsDet
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.linalg.spectral import Eigenvalues
from symgrad.ops.reductions.reduce import Prod
from symgrad.ops.slicing import Slice
from symgrad.teach.board.line import Equation
from symgrad.teach.matrix.symbols import Differential, sized
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.lesson import LessonStep, NamePart, Note
from symgrad.teach.steps.lines import entry
from symgrad.teach.steps.tape import Tape
from symgrad.teach.steps.unicode_text import unicode_text

_LONG = 80  # signs of an equation
_KRON = "ab,cd->acbd"  # what a Kronecker product sums
_LAWS = {  # by which the formula of the output has no Kronecker product any more
    "tr(": "for Kronecker products, tr(A ⊗ B) = tr(A)·tr(B)",
    "det(": "for Kronecker products, det(A ⊗ B) = det(A)ᵐ·det(B)ⁿ where A is n×n and B is m×m",
}


def theorems(tape: Tape) -> Iterator[LessonStep]:
    """Yield a line for the theorem by which each answer is differentiated, with the equation that it solves."""
    told: set[str] = set()
    for node in tape.nodes:
        if isinstance(node, Leaf) or not node.op.theorem:
            continue
        if isinstance(node.op, Root) and (equation := _equation(node)) is not None:
            yield Note(reason=(f"{node.op.conditions.title} is given by F = 0 with F = ", equation))
        if node.op.explained not in told:
            told.add(node.op.explained)
            yield Note(reason=(node.op.explained,))


def _equation(node: Any) -> Equation | None:
    """Return the conditions of an answer, None where they are not formulas."""
    known: dict[AnyNode, AnyNode] = {}
    spelled([node], known, _never)
    condition = equations(known, _never)[-1:]
    form = ClosedForm(condition[0], condition, (), False) if condition else None
    return None if form is None or form.shape or (e := brief(form, _LONG)) is None else Equation((e,))


def _never(one: AnyNode, other: AnyNode) -> None:
    """No node is a multiple of another."""


def rules(tape: Tape, e: Any) -> Iterator[LessonStep]:
    """Yield the rules of products of entries and of eigenvalues, where the formula of the output has them."""
    used = {type(a.op) for a in e.atoms(Call)} if e is not None else set()
    if Prod in used:
        says = (
            "product rule, each factor in turn: to each entry belongs the product of the entries before it, "
            "cumprod(…, exclusive), times that of the entries behind it, cumprod(…, reverse, exclusive)"
        )
        yield Note(reason=(says,))
    if Eigenvalues in used:
        yield from _of_eigenvalues(tape)
    if MatrixExp in used:
        says = "dexpm(M, H) = ∫₀¹ expm(s·M)·H·expm((1 − s)·M) ds, the derivative of expm at M in the direction H"
        yield Note(reason=(says,))
    if e is None or e.has(Kronecker):
        return
    text = unicode_text(e)
    if any(getattr(n.op, "spec", "") == _KRON for n in _nodes(tape)):
        yield from (Note(reason=(law,)) for word, law in _LAWS.items() if word in text)
    elif 0 < sum(isinstance(n.op, (Det, LogAbsDet)) for n in _nodes(tape)) < text.count("det("):
        yield Note(reason=("for square matrices, det(A·B) = det(A)·det(B)",))


def _nodes(tape: Tape) -> Iterator[Node]:
    return (n for n in tape.nodes if isinstance(n, Node))


def eigenvalue(tape: Tape) -> int | None:
    """Return which eigenvalue of a matrix with a name the output is, None of all else."""
    picked = tape.root.op if isinstance(tape.root, Node) else None
    of = tape.root.inputs[0] if isinstance(picked, Slice) else None
    known = isinstance(of, Node) and isinstance(of.op, Eigenvalues) and isinstance(of.inputs[0], Leaf)
    return picked.items[0] if known and isinstance(picked.items[0], int) else None  # type: ignore[union-attr]


def _of_eigenvalues(tape: Tape) -> Iterator[LessonStep]:
    """Yield dλ = vᵀ·dS·v of a simple eigenvalue, from S·v = λ·v."""
    taken = {*tape.names.values()}
    v = next(c for c in ("v", "w", "z", "v′") if c not in taken)
    matrices = {n.inputs[0] for n in tape.nodes if isinstance(n, Node) and isinstance(n.op, Eigenvalues)}
    leaves = [tape.names[m] for m in matrices if isinstance(m, Leaf)]
    s = leaves[0] if len(leaves) == len(matrices) == 1 else next(c for c in ("M", "N", "M′") if c not in taken)
    yield Note(reason=(f"a simple eigenvalue λ of {s} has an eigenvector {v} with {s}·{v} = λ·{v} and {v}ᵀ·{v} = 1;",))
    yield Note(reason=(f"differentiate both sides: d{s}·{v} + {s}·d{v} = dλ·{v} + λ·d{v};",))
    says = f"multiply by {v}ᵀ from the left; {s}ᵀ = {s} gives {v}ᵀ·{s} = λ·{v}ᵀ, so d{v} cancels: dλ = {v}ᵀ·d{s}·{v}"
    yield Note(reason=(says,))
    if (k := eigenvalue(tape)) is not None:
        column = f"{v} = eigh_V({s})[:, {k}]"
        yield Note(reason=(f"here {column}, as eigenvalues ascend: df = {v}ᵀ·d{s}·{v} = tr({v}·{v}ᵀ·d{s})",))


def operations(tape: Tape, targets: Sequence[AnyNode]) -> Iterator[LessonStep]:
    """Yield a line for each operation: what it computes, and the differential of that."""
    active: set[AnyNode] = {*targets}
    yield Note(reason=("operation by operation, forwards:",))
    for node in tape.nodes:
        if isinstance(node, Leaf):
            continue
        symbol, formula = tape.symbol(node), tape.formula(node)
        parts: list[Any] = [Equation((entry(symbol, formula), formula))]
        d = None
        moving = [i for i, p in enumerate(node.inputs) if is_node(p) and p in active]
        if moving:
            active.add(node)
            d = None if isinstance(node.op, Flow) else tape.differential(node, moving)
            name = Differential.of(tape.names[node], node.shape)
            told = "" if node.op.theorem else node.op.explained
            parts.append(Equation((entry(name, d), d)) if d is not None else told or "")
        reason = tuple(p for p in parts if p)
        yield NamePart(before=formula, after=d, symbol=symbol, reason=reason, ledger=sized(node.shape))
    yield Note(reason=("substitute each into the next, from the last to the first:",))
