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
from symgrad.ops.linalg.spectral import Eigenvalues
from symgrad.ops.slicing import Slice
from symgrad.teach.board.line import Equation
from symgrad.teach.matrix.letters import Letters
from symgrad.teach.matrix.notation import indexed, nth, textbook
from symgrad.teach.matrix.symbols import Differential, sized
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.lesson import LessonStep, NamePart, Note
from symgrad.teach.steps.lines import entry
from symgrad.teach.steps.tape import Tape
from symgrad.teach.steps.unicode_text import unicode_text

_LONG = 80  # signs of an equation
_KRON = "ab,cd->acbd"  # what a Kronecker product sums
_LAWS = {  # by which the formula of the output has no Kronecker product any more
    "tr(": "for Kronecker products, tr({A} ⊗ {B}) = tr({A})·tr({B})",
    "det(": "for Kronecker products, det({A} ⊗ {B}) = det({A})ˡ·det({B})ᵏ where {A} is k×k and {B} is l×l",
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


def rules(tape: Tape, e: Any, letters: Letters) -> Iterator[LessonStep]:
    """Yield the rules of eigenvalues, determinants and Kronecker products, where the formula of the output has them."""
    used = {type(a.op) for a in e.atoms(Call)} if e is not None else set()
    if Eigenvalues in used:
        yield from _of_eigenvalues(tape)
    if e is None or e.has(Kronecker):
        return
    text = unicode_text(e)
    if any(getattr(n.op, "spec", "") == _KRON for n in _nodes(tape)):
        yield from (Note(reason=(letters.quote(law),)) for word, law in _LAWS.items() if word in text)
    elif 0 < sum(isinstance(n.op, (Det, LogAbsDet)) for n in _nodes(tape)) < text.count("det("):
        yield Note(reason=(letters.quote("for square matrices, det({A}·{B}) = det({A})·det({B})"),))


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
    matrices = {n.inputs[0] for n in tape.nodes if isinstance(n, Node) and isinstance(n.op, Eigenvalues)}
    leaves = [tape.names[m] for m in matrices if isinstance(m, Leaf)]
    s = leaves[0] if len(leaves) == len(matrices) == 1 else next(c for c in ("M", "N", "M′") if c not in taken)
    k, size = eigenvalue(tape), next(iter(matrices)).shape[-1]
    v = next(c for c in ("v", "w", "z", "v′") if c not in taken)
    n = "" if k is None else nth(k, size)
    λ, v = (indexed(c, n).text if n else c for c in ("λ", v))
    if k is None:
        yield Note(
            reason=(f"let λ be an eigenvalue of {s} that is simple, and {v} its eigenvector with {v}ᵀ·{v} = 1:",)
        )
    else:
        says = f"{λ} is the {_which(k)} eigenvalue of {s}; where it is simple, let {v} be its eigenvector"
        yield Note(reason=(f"{says} with {v}ᵀ·{v} = 1:",))
    yield Note(kind="side", reason=(f"{s}·{v} = {λ}·{v}",))
    yield Note(reason=("differentiate both sides:",))
    yield Note(kind="side", reason=(f"d{s}·{v} + {s}·d{v} = d{λ}·{v} + {λ}·d{v}",))
    yield Note(
        reason=(f"multiply by {v}ᵀ from the left; as {s}ᵀ = {s}, {v}ᵀ·{s} = {λ}·{v}ᵀ, and the terms with d{v} cancel:",)
    )
    yield Note(kind="side", reason=(f"d{λ} = {v}ᵀ·d{s}·{v}",))
    if k is not None:
        yield Note(reason=(f"df = {v}ᵀ·d{s}·{v} = tr({v}·{v}ᵀ·d{s})",))


def _which(k: int) -> str:
    """Return which eigenvalue it is, in words."""
    end, place = ("smallest", k) if k >= 0 else ("largest", -k - 1)
    return end if not place else f"{['second', 'third'][place - 1] if place < 3 else f'{place + 1}th'} {end}"


def operations(tape: Tape, targets: Sequence[AnyNode]) -> Iterator[LessonStep]:
    """Yield a line for each operation: what it computes, and the differential of that."""
    active: set[AnyNode] = {*targets}
    yield Note(reason=("operation by operation, forwards:",))
    for node in tape.nodes:
        if isinstance(node, Leaf):
            continue
        symbol, formula = tape.symbol(node), tape.formula(node)
        parts: list[Any] = [Equation((entry(symbol, formula), textbook(formula)))]
        d = None
        moving = [i for i, p in enumerate(node.inputs) if is_node(p) and p in active]
        if moving:
            active.add(node)
            d = None if isinstance(node.op, Flow) else tape.differential(node, moving)
            name = Differential.of(tape.names[node], node.shape)
            told = "" if node.op.theorem else node.op.explained
            parts.append(Equation((entry(name, d), textbook(d))) if d is not None else told or "")
        reason = tuple(p for p in parts if p)
        yield NamePart(before=formula, after=d, symbol=symbol, reason=reason, ledger=sized(node.shape))
    yield Note(reason=("substitute each into the next, from the last to the first:",))
