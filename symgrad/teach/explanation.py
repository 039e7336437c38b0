"""``sg.explain``: a derivative step by step, for a blackboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgrad.core.node import TRACED, Leaf
from symgrad.core.pickling import read
from symgrad.engine.record import as_tensor, handle
from symgrad.forms.closed import ClosedForm
from symgrad.support.lazy import cached_property
from symgrad.teach.calls import check_number, output_of
from symgrad.teach.steps.lines import Line, lines
from symgrad.teach.steps.steps import Derivation, Step
from symgrad.teach.steps.tape import Tape
from symgrad.teach.writing.html import html
from symgrad.teach.writing.latex import aligned, latex, markdown
from symgrad.teach.writing.text import text
from symgrad.tensors.tensor import Tensor


def explain(y: Tensor | Callable[..., Any], wrt: Any = None, *, at: Any = None, cotangent: Any = None) -> Explanation:
    """Return the derivation of dy/dwrt: what is computed forwards, then each rule backwards.

    Args:
        y: a number with a graph, of tensors with values or of symbols; or a function, called with numbers ``at``, or
            with a symbol for each parameter where there is no ``at``.
        wrt: the tensor to differentiate by, or a list of them; of a function, names of parameters. By default the
            leaves that require grad, and all symbols where none does.
        at: the argument of the function, or a tuple of arguments.
        cotangent: u, shaped like y, for Jᵀu of an array y.

    Returns:
        An ``Explanation``: ``print`` it, show it in a notebook, or take its ``steps`` as data. The last step's
        ``result`` is what ``sg.derive`` returns, from the same sweep.

    Raises:
        ShapeError: y is an array, and there is no cotangent.
        GraphError: y has no graph, or does not depend on wrt.
        ArgumentTypeError: y is neither a tensor nor a function.

    >>> print(sg.explain(lambda x: x**2, at=3.0))
    Wanted: dy/dx of y = x². At x = 3.
    <BLANKLINE>
    Forward
      1.   y = x² = 9
    <BLANKLINE>
    Backward
      2.   start with dy/dy = 1
         y = x² — power rule: (z²)′ = 2·z
      3.   dy/dx = 2·x = 6
    <BLANKLINE>
    Result
         dy/dx = 2·x = 6
    """
    y, wrt = output_of("explain", y, wrt, at)
    if cotangent is None:
        check_number("explain", y)
    else:
        cotangent = _on_graph(cotangent)
    tape = Tape(y, cotangent)
    return Explanation(Derivation(tape, tape.targets(wrt), cotangent))


def _on_graph(x: Any) -> Any:
    t = as_tensor(x)
    return t if t._node is not None else handle(Leaf(t._value, t.shape, TRACED, "u"), None)


class Explanation:
    """A derivation: its steps as data, as text, as LaTeX, as HTML.

    Attributes:
        steps: records of what was computed and why, forward steps first.
        forms: the closed form for each tensor that was differentiated by; ``form`` is the first.
    """

    def __init__(self, derivation: Derivation) -> None:
        self._derivation = derivation
        self.steps: tuple[Step, ...] = tuple(derivation.steps)
        self.forms: tuple[ClosedForm, ...] = derivation.forms

    def __reduce__(self) -> Any:
        return _restored, self._derivation.packed()

    @property
    def form(self) -> ClosedForm:
        """The closed form by the first tensor."""
        return self.forms[0]

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """What it says, line by line."""
        return tuple(lines(self._derivation))

    def __str__(self) -> str:
        return text(self.lines)

    def latex(self) -> str:
        """Return the derivation in LaTeX, for the body of a document with amsmath and amssymb."""
        return latex(self.lines)

    def html(self) -> str:
        """Return the derivation as a fragment of HTML with MathML; it needs no script and no style sheet."""
        return html(self.lines)

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle \\begin{{aligned}} {aligned(self.lines)} \\end{{aligned}}$"

    def _repr_markdown_(self) -> str:
        return markdown(self.lines)

    def __repr__(self) -> str:
        return f"<Explanation: {len(self.steps)} steps to {', '.join(map(repr, self.forms))}>"


def _restored(graph: Any, given: bool) -> Explanation:
    """Rebuild an explanation from a pickle: of the result, the cotangent if there is one, and the targets."""
    y, *others = [handle(node, None) for node in read(graph)]
    cotangent = others.pop(0) if given else None
    return explain(y, others, cotangent=cotangent)
