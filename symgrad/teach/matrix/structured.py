"""``sg.explain`` with respect to matrices with a structure: as of a general matrix, then the part that counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from symgrad.core.node import AnyNode, Leaf
from symgrad.core.pickling import written
from symgrad.engine.record import handle
from symgrad.errors import SymgradError
from symgrad.expression.formula import Label, Spelled
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.forms.names import Mint
from symgrad.forms.nodes.matrices import Plus, in_front, is_symmetric
from symgrad.forms.replay import replayed
from symgrad.teach.matrix.lesson import Lesson, kind_of, unmarked
from symgrad.teach.matrix.notation import INDEX, diagonal_entry, textbook
from symgrad.teach.matrix.symbols import plus, scaled, sized, turned
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.lesson import LessonStep, NamePart, Note, ProjectGradient
from symgrad.teach.steps.tape import Tape
from symgrad.teach.steps.unicode_text import unicode_text
from symgrad.tensors.structures import STRUCTURES

CHANGES = {  # how such a matrix q changes, with a skew matrix k, and the part of a gradient g along which it does
    "orthogonal": ("d{q} = {q}·{k} with {k}ᵀ = −{k}", "{g} − {q}·({q}ᵀ·{g} + {g}ᵀ·{q})/2"),
    "skew": ("d{q}ᵀ = −d{q}", "({g} − {g}ᵀ)/2"),
    "symmetric": ("d{q}ᵀ = d{q}", "({g} + {g}ᵀ)/2"),
    "diagonal": ("d{q} is diagonal", "I ⊙ {g}"),
}
_GENERAL = ("orthogonal", "skew")  # whose structure no formula uses
_TRIANGLES = {"lower": "below", "upper": "above"}


def structure(target: AnyNode) -> str | None:
    """Return which of the structures a matrix is declared with."""
    marks = getattr(target, "assumptions", None) or ()
    mark = next((m for m in STRUCTURES if m in marks), None)
    return "symmetric" if mark == "positive_definite" else mark


class StructuredLesson:
    """The derivation with respect to a general matrix, and the gradient's part along which a structured one changes.

    Attributes:
        forms: the closed form for each target, that of a general matrix.
        lesson: what is said, step by step.
    """

    def __init__(self, tape: Tape, targets: Sequence[Any], order: int) -> None:
        self.tape, self.order = tape, order
        self.targets: tuple[AnyNode, ...] = tuple(t._node for t in targets)
        general: dict[AnyNode, AnyNode] = {
            n: unmarked(n) for n in self.targets if isinstance(n, Leaf) and structure(n) in _GENERAL
        }
        kinds = {tape.names[n]: kind_of(n) for n in general if isinstance(n, Leaf)}
        (root,) = replayed([tape.root], general) if general else (tape.root,)
        inner = Lesson(Tape(handle(root, None)), [handle(general.get(n, n), None) for n in self.targets], order, kinds)
        self.forms: tuple[ClosedForm, ...] = inner.forms
        self._f, self._gradients = inner.function, inner.gradients
        parts = {str(step.symbol) for step in inner.lesson if isinstance(step, NamePart)}
        self.lesson: tuple[LessonStep, ...] = (*inner.lesson, *self._projected(parts))

    def packed(self) -> tuple[Any, bool]:
        """Return what it is made from, as it is pickled."""
        return written([self.tape.root, *self.targets]), False

    def _projected(self, parts: set[str]) -> Iterator[LessonStep]:
        """Yield the part of each gradient along which its matrix can change; ``parts`` are letters that are used."""
        if self.tape.root.shape or self.order > 1:
            return
        names = self.tape.names
        mint = Mint({*parts, *[names[n] for n in self.tape.nodes if isinstance(n, Leaf)]}, {"G"})
        (k,), (p,) = mint.names("KAM"), mint.names("PTU")
        for target, gradient in zip(self.targets, self._gradients, strict=True):
            mark = structure(target)
            if mark is not None:
                g = "G" if len(self.targets) == 1 else f"G_{names[target]}"
                yield from self._part(target, gradient, mark, g, p, k)

    def _part(self, target: AnyNode, before: Any, mark: str, g: str, p: str, k: str) -> Iterator[LessonStep]:
        """Yield what a gradient is for a matrix of this kind: its entries, its symmetric part, its projection."""
        q, size = self.tape.names[target], sized(target.shape)
        if mark in _TRIANGLES:
            says = f"{q} is {mark} triangular: only its entries on and {_TRIANGLES[mark]} the diagonal vary"
            yield Note(reason=(f"{says}, and {g} has the derivatives with respect to these.",))
            return
        if mark == "diagonal" and before is not None:
            entry = diagonal_entry(before, INDEX, q)
            at = f"_{INDEX}{INDEX}"
            says = (
                f"{q} is diagonal: only its entries {q}{at} vary, and the derivatives with respect to them are {g}{at}:"
            )
            label = Label(self._f, (f"{q}{at}",))
            yield ProjectGradient(before=before, after=entry, written=(entry,), left=label, reason=(says,))
            return
        change, part = (text.format(q=q, k=k, g=g) for text in CHANGES[mark])
        if mark == "symmetric" and before is not None:
            left: Label | Spelled
            after: Any = symmetric_part(before)
            says, left = f"{q} is symmetric, so {change}, and of {g} only the symmetric part counts:", _spelled(part)
            if unicode_text(before) == unicode_text(after):
                yield Note(reason=(f"{g} is symmetric, so it is also the gradient among symmetric matrices.",))
                return
        else:
            after, left = self._projection(target), Label(p)
            says = f"{q} is {mark}, so {change}; along such changes lies the part {p} = {part} of {g}:"
        shown = () if after is None else (textbook(after),)
        yield ProjectGradient(before=before, after=after, written=shown, left=left, reason=(says,), ledger=size)

    def _projection(self, target: AnyNode) -> Any:
        """Return the formula of the gradient's part, None where it is long or there is none."""
        try:
            return brief(derive(self.tape.handled(), self.tape.handled(target), structure="project", verify=False))
        except SymgradError:
            return None


def symmetric_part(g: Any) -> Any:
    """Return (G + Gᵀ)/2, in which symmetric terms of G stay as they are."""
    if is_symmetric(g):
        return g
    terms = list(map(in_front, g.args[:-1] if isinstance(g, Plus) else (g,)))
    parts = [scaled(c, core) for c, core in terms if is_symmetric(core)]
    others: dict[Any, list[Any]] = {}
    for c, core in terms:
        if not is_symmetric(core):
            both = sorted([core, turned(core)], key=lambda a: unicode_text(a).count("ᵀ"))
            others.setdefault(c, []).extend(both)
    parts.extend(scaled(c / sp.Integer(2), plus(both)) for c, both in others.items())
    return plus(parts)


def _spelled(part: str) -> Spelled:
    return Spelled(part, part.replace("ᵀ", r"^{\top}"))
