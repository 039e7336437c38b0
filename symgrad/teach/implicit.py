"""``sg.explain`` of an answer to equations: the equation, the theorem, its two derivatives, and the quotient."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symgrad.core.modes import enable_grad
from symgrad.core.node import AnyNode, Node, is_node
from symgrad.core.pickling import written
from symgrad.engine.record import handle
from symgrad.errors import ArgumentError
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derive import derive
from symgrad.implicit.conditions import Root
from symgrad.implicit.expand import equations, spelled
from symgrad.teach.board.line import Equation
from symgrad.teach.steps.lesson import ImplicitRule, LessonStep, Note
from symgrad.teach.steps.tape import Tape


def is_answer(tape: Tape) -> bool:
    """Whether a graph ends in the answer to equations."""
    return isinstance(tape.root, Node) and isinstance(tape.root.op, Root)


class Theorem:
    """The derivation of dx/dθ from F(x, θ) = 0.

    Attributes:
        forms: the closed form for each target, as returned by ``sg.derive``.
        lesson: the derivation, step by step.
    """

    def __init__(self, tape: Tape, targets: Sequence[Any], order: int) -> None:
        if order != 1:
            raise ArgumentError(
                f"explain: order={order} is not available for solutions of equations. Use sg.derive for higher orders."
            )
        self.tape = tape
        self.targets: tuple[AnyNode, ...] = tuple(t._node for t in targets)
        self.forms: tuple[ClosedForm, ...] = tuple(derive(tape.handled(), t, verify=False) for t in targets)
        self.lesson: tuple[LessonStep, ...] = tuple(self._steps(targets))

    def packed(self) -> tuple[Any, bool]:
        """Return what it is made from, as it is pickled."""
        return written([self.tape.root, *self.targets]), False

    def _steps(self, targets: Sequence[Any]) -> Iterator[LessonStep]:
        known: dict[AnyNode, AnyNode] = {}
        never = lambda one, other: None
        (letter,) = spelled([self.tape.root], known, never)
        condition = handle(equations(known, never)[-1], None)
        op: Any = self.tape.root.op
        x = op.conditions.title
        names = [self.tape.names.get(t) for t in self.targets]
        equation = ClosedForm(condition._node, [condition._node], (), False).expr
        given = f"{x}({', '.join(map(str, names))}) is given by F = 0 with F = "
        yield Note(kind="given", reason=(given, Equation((equation,))))
        yield Note(reason=(f"implicit function theorem, where ∂F/∂{x} is invertible:",))
        thetas = [handle(p, None) if is_node(p) else p for p in self.tape.root.inputs[1:]]
        with enable_grad():
            (whole,) = op.conditions.body(handle(letter, None), *thetas)  # with answers that stand inside of it
        slope = derive(whole, handle(letter, None), verify=False)
        for target, name, form in zip(targets, names, self.forms, strict=True):
            across = derive(whole, target, verify=False).expr
            yield ImplicitRule(before=equation, after=form.expr, x=x, theta=str(name), by_x=slope.expr, by_theta=across)
