"""``sg.explain`` with respect to orthogonal and skew matrices: as of a general matrix, then the part that counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symgrad.core.node import AnyNode, Leaf
from symgrad.core.pickling import written
from symgrad.engine.record import handle
from symgrad.expression.formula import Label
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.forms.names import Mint
from symgrad.forms.replay import replayed
from symgrad.teach.matrix.lesson import Lesson
from symgrad.teach.matrix.symbols import sized
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.lesson import LessonStep, NamePart, ProjectGradient
from symgrad.teach.steps.tape import Tape

CHANGES = {  # how such a matrix q changes, with a skew matrix k, and the part of a gradient g along which it does
    "orthogonal": ("d{q} = {q}·{k} with {k}ᵀ = −{k}", "{g} − {q}·({q}ᵀ·{g} + {g}ᵀ·{q})/2"),
    "skew": ("d{q}ᵀ = −d{q}", "({g} − {g}ᵀ)/2"),
}


def structure(target: AnyNode) -> str | None:
    """Return which of these structures a matrix is declared with."""
    return next((m for m in CHANGES if m in (getattr(target, "assumptions", None) or ())), None)


class StructuredLesson:
    """The derivation with respect to a general matrix, and the gradient's part along which a structured one changes.

    Attributes:
        forms: the closed form for each target, that of a general matrix.
        lesson: what is said, step by step.
    """

    def __init__(self, tape: Tape, targets: Sequence[Any], order: int) -> None:
        self.tape, self.order = tape, order
        self.targets: tuple[AnyNode, ...] = tuple(t._node for t in targets)
        general: dict[AnyNode, AnyNode] = {n: _general(n) for n in self.targets if isinstance(n, Leaf) and structure(n)}
        (root,) = replayed([tape.root], general)
        inner = Lesson(Tape(handle(root, None)), [handle(general.get(n, n), None) for n in self.targets], order)
        self.forms: tuple[ClosedForm, ...] = inner.forms
        parts = {str(step.symbol) for step in inner.lesson if isinstance(step, NamePart)}
        self.lesson: tuple[LessonStep, ...] = (*inner.lesson, *self._projected(parts))

    def packed(self) -> tuple[Any, bool]:
        """Return what it is made from, as it is pickled."""
        return written([self.tape.root, *self.targets]), False

    def _projected(self, parts: set[str]) -> Iterator[LessonStep]:
        """Yield the part of each gradient along which its matrix can change; ``parts`` are letters that are used."""
        y, names = self.tape.handled(), self.tape.names
        mint = Mint({*parts, *[names[n] for n in self.tape.nodes if isinstance(n, Leaf)]}, {"G"})
        (k,), (p,) = mint.names("KAM"), mint.names("PTU")
        for target, form in zip(self.targets, self.forms, strict=True):
            mark = structure(target)
            if mark is None or y.shape or self.order > 1:
                continue
            q = names[target]
            g = "G" if len(self.targets) == 1 else f"G_{q}"
            change, part = (text.format(q=q, k=k, g=g) for text in CHANGES[mark])
            after = brief(derive(y, self.tape.handled(target), structure="project", verify=False))
            says = f"{q} is {mark}, so {change}; along such changes lies the part {p} = {part} of {g}:"
            yield ProjectGradient(
                before=brief(form), after=after, written=() if after is None else (after,), left=Label(p),
                reason=(says,), ledger=sized(target.shape),
            )  # fmt: skip


def _general(leaf: Leaf) -> Leaf:
    """Return a leaf without its structure."""
    return Leaf(leaf.value, leaf.shape, leaf.level, leaf.title)
