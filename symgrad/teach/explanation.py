"""``sg.explain``: a derivative step by step, for a blackboard."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symgrad.core.node import TRACED, Leaf
from symgrad.core.pickling import read
from symgrad.engine.record import as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.expression.arguments import recorded, text_of_names
from symgrad.forms.closed import ClosedForm
from symgrad.support.arguments import check_methods, checked
from symgrad.support.lazy import cached_property
from symgrad.support.progress import long_work
from symgrad.teach.board.line import Line
from symgrad.teach.calculus.lesson import FEW, Components, Lesson, components, is_calculus
from symgrad.teach.calls import check_number, output_of
from symgrad.teach.curves import CurveLesson
from symgrad.teach.implicit import Theorem, is_answer
from symgrad.teach.matrix.lesson import Lesson as MatrixLesson
from symgrad.teach.steps.lesson import LessonStep, Rewriting, Rule
from symgrad.teach.steps.lines import lines
from symgrad.teach.steps.steps import Derivation
from symgrad.teach.steps.tape import Tape
from symgrad.teach.writing.document import Document
from symgrad.tensors.tensor import Tensor

STYLES = ("calculus", "matrix", "backprop")


@checked
def explain(
    y: Tensor | Callable[..., Any] | str | Sequence[str],
    wrt: Any = None,
    by: str | None = None,
    *,
    style: str | None = None,
    order: int = 1,
    shapes: Mapping[str, Any] | None = None,
    at: Any = None,
    cotangent: Any = None,
    progress: bool = True,
) -> Explanation:
    """Return the derivation of dy/dwrt, as a solution on a blackboard.

    Args:
        y: a number with a graph, of tensors with values or of symbols; or a function, called with numbers ``at``, or
            with a symbol for each parameter where there is no ``at``; or a formula as text.
        wrt: the tensor to differentiate with respect to, or a list of them; of a function or text, names; or an
            ``nn.Module``, for its parameters, which are called W1, b1, …. By default the leaves that require grad, or
            all symbols if none does.
        by: of equations, the name that wrt depends on: ``explain("x**2 + y**2 = 25", "y", "x")`` differentiates both
            sides and solves for dy/dx. Equations are as for ``sg.derive``.
        style: "calculus", from the outside in, each rule applied in place, which is how few numbers are explained by
            default; "matrix", by differentials, as arrays are; "backprop" for the sweep: what is computed forwards,
            then each rule backwards.
        order: 2 goes on from the first derivative to the second.
        shapes: of the names in a string, and of a function's parameters; those that have none are numbers.
        at: the argument of the function, or a tuple of arguments.
        cotangent: u, shaped like y, for Jᵀu of an array y.
        progress: whether to report the progress of long work, on a terminal or in a notebook.

    Returns:
        An ``Explanation``: ``print`` it, show it in a notebook, or take its ``steps`` as data.

    Raises:
        ShapeError: the sweep is asked for of an array, and there is no cotangent.
        GraphError: y has no graph, or does not depend on wrt.
        ArgumentTypeError: y is neither a tensor nor a function.
        ArgumentError: the style is unknown, or does not apply to this function.

    >>> print(sg.explain(lambda x: x**2 * sg.sin(x)))
    f(x) = x²·sin(x)
      product rule (u·v)′ = u′·v + u·v′ with u = x², v = sin(x):
      f′(x) = (x²)′·sin(x) + x²·(sin(x))′
            = 2x·sin(x) + x²·cos(x)
      factor out x:
            = x·(x·cos(x) + 2·sin(x))
    >>> print(sg.explain("x**2 + y**2 = 25", "y", "x"))
    x² + y² = 25
      y is a function of x; differentiate both sides, with y′ by the chain rule:
      2x + 2y·y′ = 0
      solve for y′, where 2y is not 0:
      2y·y′ = −2x
      y′ = −x/y
    """
    _check(style, order, cotangent)
    if by is not None:
        return _of_equations(y, wrt, by, order, (style, shapes, at, cotangent))
    if isinstance(y, str) or shapes is not None:
        y, wrt = _formula(y, wrt, shapes)
    y, wrt = output_of("explain", y, wrt, at, constants=True)
    if cotangent is not None:
        cotangent = _on_graph(cotangent)
    elif style == "backprop":
        check_number("explain", y)
    with long_work("explain", shown=progress):
        tape = Tape(y, cotangent)
        targets = tape.targets(wrt)
        if style is None:
            style = _suitable(tape, targets, cotangent)
        return Explanation(_MADE[style](tape, targets, cotangent, order), style, progress)


def _of_equations(y: Any, wrt: Any, by: str, order: int, others: tuple[Any, ...] = ()) -> Explanation:
    texts = [y] if isinstance(y, str) else y
    if not isinstance(texts, (list, tuple)) or not all(isinstance(t, str) for t in texts):
        raise ArgumentTypeError(f"explain: expected equations as text beside by={by!r}, got {type(y).__name__}.")
    if any(o is not None for o in others):
        raise ArgumentError("explain: of equations, expected no style, shapes, at and cotangent. Leave them out.")
    lesson = CurveLesson(y, wrt, by, order)
    explicit = lesson.curve.explicit
    return explain(explicit.text, by, order=order) if explicit is not None else Explanation(lesson, "calculus")


def _check(style: str | None, order: int, cotangent: Any) -> None:
    if style is not None and style not in STYLES:
        raise ArgumentError(f"explain: style={style!r} is unknown. Expected one of {list(STYLES)}.")
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ArgumentError(f"explain: got order={order!r}. Expected 1, or 2 to go on to the second derivative.")
    if style == "calculus" and cotangent is not None:
        raise ArgumentError("explain: style='calculus' is for numbers, which have no cotangent. Leave it out.")


def _formula(y: Any, wrt: Any, shapes: Mapping[str, Any] | None) -> tuple[Any, Any]:
    """Return the tensor of a string or of a function whose parameters have shapes, and what to differentiate by."""
    if wrt is not None or not isinstance(y, str):
        return recorded("explain", y, wrt, shapes)
    formula = text_of_names(y, shapes or {})
    return recorded("explain", formula, list(formula.names))


def _suitable(tape: Tape, targets: Sequence[Any], cotangent: Any) -> str:
    """Choose a style: calculus for few numbers, differentials for arrays."""
    if cotangent is not None:
        return "backprop"
    if is_answer(tape):
        return "calculus"
    if tape.imaginary:
        return "matrix"
    if is_calculus(tape) or components(tape):
        many = sum(math.prod(t.shape) for t in targets)
        is_few = isinstance(many, int) and many <= FEW  # sizes may be names
        return "calculus" if is_few else "matrix" if any(t.shape for t in targets) else "backprop"
    return "matrix"


def _calculus(tape: Tape, targets: Sequence[Any], cotangent: Any, order: int) -> Lesson | Components | Theorem:
    if is_answer(tape):
        return Theorem(tape, targets, order)
    if tape.imaginary:
        raise ArgumentError(
            "explain: style='calculus' has the rules of real numbers, and this has complex ones. Leave style out, or "
            "use style='backprop'."
        )
    if components(tape):
        return Components(tape, targets, order)
    if not is_calculus(tape):
        raise ArgumentError(
            "explain: style='calculus' is for functions of numbers. Use style='matrix' or 'backprop' for arrays."
        )
    return Lesson(tape, targets, order)


def _matrix(tape: Tape, targets: Sequence[Any], cotangent: Any, order: int) -> MatrixLesson:
    return MatrixLesson(tape, targets, order)


def _backprop(tape: Tape, targets: Sequence[Any], cotangent: Any, order: int) -> Derivation:
    if order != 1:
        raise ArgumentError(f"explain: order={order} is not for style='backprop', which is one sweep.")
    return Derivation(tape, targets, cotangent)


_MADE: dict[str, Callable[..., Any]] = {"calculus": _calculus, "matrix": _matrix, "backprop": _backprop}


def _on_graph(x: Any) -> Any:
    t = as_tensor(x)
    return t if t._node is not None else handle(Leaf(t._value, t.shape, TRACED, "u"), None)


class Explanation(Document):
    """A derivation: its steps as data, as text, as LaTeX, as HTML.

    Attributes:
        style: "calculus", "matrix" or "backprop".
        steps: of "backprop", records of what was computed and why, forward steps first; the last one's ``result`` is
            what ``sg.derive`` returns. Of the other styles, rules such as ``ProductRule`` and rewritings such as
            ``FactorOut``, with the parts that they name; the last one's ``after`` is the derivative.
        lesson: the steps with the given function and the notes between them; () for "backprop".
        forms: the closed form for each tensor that was differentiated by; ``form`` is the first.
    """

    def __init__(self, derivation: Any, style: str = "backprop", progress: bool = True) -> None:
        self._derivation, self.style, self._progress = derivation, style, progress
        self.lesson: tuple[LessonStep, ...] = () if style == "backprop" else derivation.lesson
        computed = [s for s in self.lesson if isinstance(s, (Rule, Rewriting))]
        self.steps: tuple[Any, ...] = tuple(derivation.steps if style == "backprop" else computed)
        self.forms: tuple[ClosedForm, ...] = derivation.forms

    def __reduce__(self) -> Any:
        if isinstance(self._derivation, CurveLesson):
            return _of_equations, (*self._derivation.arguments, self._derivation.order)
        return _restored, (*self._derivation.packed(), self.style, getattr(self._derivation, "order", 1))

    @property
    def form(self) -> ClosedForm:
        """The closed form by the first tensor."""
        return self.forms[0]

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """What it says, line by line."""
        with long_work("explain", shown=self._progress):
            if self.style == "backprop":
                return tuple(lines(self._derivation))
            return tuple(line for step in self.lesson for line in step.lines())

    def __repr__(self) -> str:
        return f"<Explanation: {len(self.steps)} steps to {', '.join(map(repr, self.forms))}>"


def _restored(graph: Any, given: bool, style: str, order: int) -> Explanation:
    """Rebuild an explanation from a pickle: of the result, the cotangent if there is one, and the targets."""
    y, *others = [handle(node, None) for node in read(graph)]
    cotangent = others.pop(0) if given else None
    return explain(y, others, cotangent=cotangent, style=style, order=order)


check_methods(Explanation)
