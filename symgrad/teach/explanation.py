"""``sg.explain``: a derivative step by step, for a blackboard."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symgrad.core.node import TRACED, Leaf, tensor_node
from symgrad.core.pickling import read
from symgrad.engine.record import as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.expression.arguments import are_texts, recorded, text_of_names, vector_of
from symgrad.forms.closed import ClosedForm
from symgrad.support.arguments import check_methods, checked
from symgrad.support.lazy import cached_property
from symgrad.support.progress import long_work
from symgrad.teach.board.line import Line
from symgrad.teach.calculus.lesson import FEW, Components, Lesson, components, is_calculus
from symgrad.teach.calculus.products import written_out
from symgrad.teach.calls import check_number, output_of
from symgrad.teach.curves import CurveLesson
from symgrad.teach.implicit import Theorem, is_answer
from symgrad.teach.integral import IntegralLesson, integral_lesson
from symgrad.teach.matrix.lesson import Lesson as MatrixLesson
from symgrad.teach.matrix.structured import StructuredLesson, structure
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
    """Return the derivation of dy/dwrt, step by step, as on a blackboard.

    Args:
        y: a number with a graph, computed from tensors with values or from symbols; or a function, which is called with
            the numbers ``at``, or with a symbol for each parameter if ``at`` is omitted; or a formula as text, or a
            list of formulas, which are the components of a vector.
        wrt: the tensor to differentiate with respect to, or a list of tensors; for a function or a text, names; or an
            ``nn.Module``, for its parameters, which are called W1, b1, …. By default the leaves that require a
            gradient, or all symbols if there are none.
        by: for equations, the independent variable: ``explain("x**2 + y**2 = 25", "y", "x")`` differentiates both sides
            and solves for dy/dx. Equations are as for ``sg.derive``.
        style: "calculus" applies each rule in place, from the outside in, and is the default for a few numbers;
            "matrix" uses differentials, and is the default for arrays; "backprop" shows the forward pass, then each
            rule of the backward pass.
        order: 2 continues from the first derivative to the second.
        shapes: the shapes of names in a string, or of a function's parameters; names without a shape are numbers.
        at: the argument of the function, or a tuple of arguments.
        cotangent: u, shaped like y, for Jᵀu of an array y.
        progress: whether to report the progress of long work, on a terminal or in a notebook.

    Returns:
        An ``Explanation``: ``print`` it, display it in a notebook, or use its ``steps`` as data.

    Raises:
        ShapeError: if "backprop" is requested for an array without a cotangent.
        GraphError: if y has no graph, or does not depend on wrt.
        ArgumentTypeError: if y is neither a tensor nor a function.
        ArgumentError: if the style is unknown, or does not apply to this function.

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
      solve for y′, where y is not 0:
      2y·y′ = −2x
      y′ = −x/y
    """
    _check(style, order, cotangent)
    if by is not None:
        return _of_equations(y, wrt, by, order, (style, shapes, at, cotangent))
    y = vector_of("explain", y) if are_texts(y) else y
    if isinstance(y, str) or shapes is not None:
        y, wrt = _formula(y, wrt, shapes)
    y, wrt = output_of("explain", y, wrt, at, constants=True)
    if cotangent is not None:
        cotangent = _on_graph(cotangent)
    elif style == "backprop":
        check_number("explain", y)
    with long_work("explain", shown=progress):
        tape = _tape(y, wrt, style, cotangent)
        targets = tape.targets(wrt)
        if style is None:
            style = _suitable(tape, targets, cotangent)
        return Explanation(_MADE[style](tape, targets, cotangent, order), style, progress)


def _of_equations(y: Any, wrt: Any, by: str, order: int, others: tuple[Any, ...] = ()) -> Explanation:
    texts = [y] if isinstance(y, str) else y
    if not isinstance(texts, (list, tuple)) or not all(isinstance(t, str) for t in texts):
        raise ArgumentTypeError(f"explain: expected equations as text with by={by!r}, got {type(y).__name__}.")
    if any(o is not None for o in others):
        raise ArgumentError("explain: style, shapes, at and cotangent do not apply to equations. Omit them.")
    lesson = CurveLesson(y, wrt, by, order)
    explicit = lesson.curve.explicit
    return explain(explicit.text, by, order=order) if explicit is not None else Explanation(lesson, "calculus")


def _check(style: str | None, order: int, cotangent: Any) -> None:
    if style is not None and style not in STYLES:
        raise ArgumentError(f"explain: style={style!r} is unknown. Expected one of {list(STYLES)}.")
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ArgumentError(f"explain: got order={order!r}. Expected 1, or 2 to continue to the second derivative.")
    if style == "calculus" and cotangent is not None:
        raise ArgumentError("explain: style='calculus' is for numbers, which have no cotangent. Omit it.")


def _formula(y: Any, wrt: Any, shapes: Mapping[str, Any] | None) -> tuple[Any, Any]:
    """Return the tensor of a string or of a function whose parameters have shapes, and what to differentiate by."""
    if wrt is not None or not isinstance(y, str):
        return recorded("explain", y, wrt, shapes)
    formula = text_of_names(y, shapes or {})
    return recorded("explain", formula, list(formula.names))


def _tape(y: Any, wrt: Any, style: str | None, cotangent: Any) -> Tape:
    """Return the graph as it is explained: with products of a few numbers written out, for the rules of calculus."""
    others = [] if wrt is None else list(wrt) if isinstance(wrt, (list, tuple)) else [wrt]
    short = written_out(y) if cotangent is None and style in (None, "calculus") else y
    if short is not y and all(isinstance(tensor_node(x), Leaf) for x in others):
        tape = Tape(short)
        if _suitable(tape, tape.targets(wrt), None) == "calculus":
            return tape
    return Tape(y, cotangent)


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
            "explain: style='calculus' is for real numbers, and this function has complex ones. Omit style, or "
            "use style='backprop'."
        )
    if components(tape):
        return Components(tape, targets, order)
    if not is_calculus(tape):
        raise ArgumentError(
            "explain: style='calculus' is for functions of numbers. Use style='matrix' or 'backprop' for arrays."
        )
    return Lesson(tape, targets, order)


def _matrix(
    tape: Tape, targets: Sequence[Any], cotangent: Any, order: int
) -> MatrixLesson | StructuredLesson | IntegralLesson:
    integral = integral_lesson(tape, targets) if order == 1 else None
    if integral is not None:
        return integral
    if any(structure(tensor_node(t)) for t in targets):
        return StructuredLesson(tape, targets, order)
    return MatrixLesson(tape, targets, order)


def _backprop(tape: Tape, targets: Sequence[Any], cotangent: Any, order: int) -> Derivation:
    if order != 1:
        raise ArgumentError(f"explain: order={order} is not available for style='backprop', which shows a single pass.")
    return Derivation(tape, targets, cotangent)


_MADE: dict[str, Callable[..., Any]] = {"calculus": _calculus, "matrix": _matrix, "backprop": _backprop}


def _on_graph(x: Any) -> Any:
    t = as_tensor(x)
    return t if t._node is not None else handle(Leaf(t._value, t.shape, TRACED, "u"), None)


class Explanation(Document):
    """A derivation: its steps as data, as text, as LaTeX, as HTML.

    Attributes:
        style: "calculus", "matrix" or "backprop".
        steps: for "backprop", records of each computation and its reason, forward steps first; the ``result`` of the
            last one is what ``sg.derive`` returns. For the other styles, rules such as ``ProductRule`` and rewritings
            such as ``FactorOut``, with the parts that they name; the ``after`` of the last one is the derivative.
        lesson: the steps with the given function and the notes between them; () for "backprop".
        forms: the closed form for each tensor with respect to which y was differentiated; ``form`` is the first.
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
        """The closed form of the derivative with respect to the first tensor."""
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
