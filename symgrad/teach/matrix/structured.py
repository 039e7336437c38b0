"""``sg.explain`` with respect to orthogonal and skew matrices: as of a general matrix, then the part that counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symgrad.core.node import AnyNode, Leaf
from symgrad.core.pickling import written
from symgrad.engine.record import handle
from symgrad.forms.closed import ClosedForm
from symgrad.forms.replay import replayed
from symgrad.teach.matrix.changes import GENERAL, projected, structure
from symgrad.teach.matrix.lesson import Lesson
from symgrad.teach.steps.lesson import LessonStep, NamePart
from symgrad.teach.steps.tape import Tape


def is_projected(target: AnyNode) -> bool:
    """Whether a matrix is declared with a structure of which the lesson is that of a general matrix first."""
    return structure(target) in GENERAL


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
            n: _general(n) for n in self.targets if isinstance(n, Leaf) and is_projected(n)
        }
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
        for target in filter(is_projected, self.targets) if self.order == 1 else ():
            g = "G" if len(self.targets) == 1 else f"G_{self.tape.names[target]}"
            yield from projected(self.tape, target, g, parts)


def _general(leaf: Leaf) -> Leaf:
    """Return a leaf without its structure."""
    return Leaf(leaf.value, leaf.shape, leaf.level, leaf.title)
