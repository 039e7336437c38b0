"""A long formula: its parts get letters, and each letter's derivative stands beside it. Every operation is met once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from symgrad.core.node import AnyNode, Leaf, ancestors, is_node
from symgrad.expression.arithmetic import ZERO
from symgrad.expression.formula import Call, Formula, Label, Name, Prime
from symgrad.teach.board.line import Equation
from symgrad.teach.board.reading import formula
from symgrad.teach.board.tidy import tidy
from symgrad.teach.calculus.letters import Letters
from symgrad.teach.calculus.rules import rule_of
from symgrad.teach.calculus.slopes import Slopes
from symgrad.teach.steps.lesson import LessonStep, NamePart, Note

LARGE = 14  # signs of a part that gets a letter
SHARED = 3  # signs of one that is used more than once


class Ladder:
    """A number whose parts have letters.

    Attributes:
        parts: letters with what they stand for, in names and letters that came before.
        top: the number itself.
    """

    def __init__(self, root: AnyNode, names: Mapping[AnyNode, str], letters: Letters) -> None:
        nodes = ancestors([root])
        uses = Counter(p for n in nodes if not isinstance(n, Leaf) for p in n.inputs if is_node(p))
        terms: dict[AnyNode, Formula] = {}
        self.parts: list[tuple[Name, Formula]] = []
        for node in nodes:
            if isinstance(node, Leaf) and node.shape:
                continue  # its entries have names
            t = formula(node, names, terms)
            if node is not root and t.free and _is_part(t, uses[node]):
                letter = letters.next()
                self.parts.append((letter, t))
                t = letter
            terms[node] = t
        self.top = terms[root]

    def steps(self, x: str, d: Label) -> list[LessonStep]:
        """Return the steps for the letters, each with its derivative with respect to x, and for the whole."""
        moving = Slopes(x)
        says = "parts named from the inside, each with its derivative (chain rule):"
        out: list[LessonStep] = [Note(reason=(says,))]
        for letter, t in self.parts:
            if not moving.depends(t):
                out.append(NamePart(before=t, after=ZERO, symbol=letter, reason=(Equation((letter, t)),), kind="side"))
                continue
            d_ = tidy(moving.of(t))
            moving = moving.beside(letter.id)
            reason = (Equation((letter, t)), ",  ", Equation((Prime(letter), d_)))
            out.append(NamePart(before=t, after=d_, symbol=letter, reason=reason, kind="side"))
        rule, named, _ = rule_of(self.top, moving)
        after = tidy(moving.of(self.top))
        out.append(rule(before=self.top, after=after, reason=("together:",), written=(after,), left=d, **named))
        return out


def _is_part(t: Formula, uses: int) -> bool:
    return t.size > LARGE or (uses > 1 and t.size > SHARED) or isinstance(t, Call)
