"""Matrices with a structure: what is said of them, how they change, and the part of a gradient along such changes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from symgrad.core.node import AnyNode, Leaf
from symgrad.expression.formula import Label
from symgrad.forms.derive import derive
from symgrad.forms.names import Mint
from symgrad.teach.matrix.symbols import sized
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.lesson import ProjectGradient
from symgrad.teach.steps.tape import Tape
from symgrad.tensors.structures import STRUCTURES

_SYMMETRIC = ("d{q}ᵀ = d{q}", "({g} + {g}ᵀ)/2")
CHANGES = {  # how such a matrix q changes, with a skew matrix k, and the part of a gradient g along which it does
    "orthogonal": ("d{q} = {q}·{k} with {k}ᵀ = −{k}", "{g} − {q}·({q}ᵀ·{g} + {g}ᵀ·{q})/2"),
    "skew": ("d{q}ᵀ = −d{q}", "({g} − {g}ᵀ)/2"),
    "diagonal": ("d{q} is diagonal", "I ⊙ {g}"),
    "positive_definite": _SYMMETRIC,
    "symmetric": _SYMMETRIC,
}
GENERAL = ("orthogonal", "skew")  # with respect to which a lesson differentiates as of a general matrix


def marks(leaf: AnyNode) -> list[str]:
    """Return the structures that a matrix is declared with, without those that they imply."""
    known = set(getattr(leaf, "assumptions", None) or ())
    implied = frozenset[str]().union(*[s.implies for name, s in STRUCTURES.items() if name in known])
    return [name for name in STRUCTURES if name in known - implied]


def structure(target: AnyNode) -> str | None:
    """Return by which of these structures a matrix changes."""
    return next((m for m in marks(target) if m in CHANGES), None)


def projected(tape: Tape, target: AnyNode, g: str, taken: Collection[str]) -> Iterator[ProjectGradient]:
    """Yield the part of the gradient g of a number along which a matrix can change.

    Args:
        tape: the graph.
        target: the matrix.
        g: what its gradient is called.
        taken: letters that are used.
    """
    y, names, mark = tape.handled(), tape.names, structure(target)
    if mark is None or y.shape:
        return
    mint = Mint({*taken, *[names[n] for n in tape.nodes if isinstance(n, Leaf)]}, {"G"})
    (k,), (p,), q = mint.names("KAM"), mint.names("PTU"), names[target]
    change, part = (text.format(q=q, k=k, g=g) for text in CHANGES[mark])
    after = brief(derive(y, tape.handled(target), structure="project", verify=False))
    says = f"{q} is {said(mark)}, so {change}; along such changes lies the part {p} = {part} of {g}:"
    yield ProjectGradient(
        before=brief(derive(y, tape.handled(target), verify=False)), after=after,
        written=() if after is None else (after,), left=Label(p), reason=(says,), ledger=sized(target.shape),
    )  # fmt: skip


def said(mark: str) -> str:
    """Return a structure in words."""
    return {"lower": "lower triangular", "upper": "upper triangular"}.get(mark, mark.replace("_", " "))
