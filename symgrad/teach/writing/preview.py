"""A formula as mathematics while it is typed: of numbers as it was written, of arrays in matrix notation."""

from __future__ import annotations

from typing import Any

from symgrad.core.node import AnyNode, Leaf, ancestors
from symgrad.expression.markup import math
from symgrad.expression.printer import MATHML, handwritten
from symgrad.forms.derive import expression
from symgrad.teach.board.reading import Unwritable, entries, is_of_numbers, read
from symgrad.tensors.tensor import Tensor

MOST = 400  # signs of a formula that is shown as it was written


def preview(y: Tensor) -> str:
    """Return MathML of a formula: the value of what ``sg.parse`` returns.

    >>> "<mn>1</mn>" in preview(sg.parse("x*x + 1", {"x": ()}).value)
    True
    """
    root: Any = y._node
    if root is None:
        return math(MATHML.digits(f"{y}"), f"{y}")
    written = _as_written(root) if is_of_numbers(root) else None
    if written is None:
        return str(expression(y).mathml())
    return math(MATHML.write(written), handwritten(written))


def _as_written(root: Any) -> Any:
    names: dict[AnyNode, str] = {n: n.title for n in ancestors([root]) if isinstance(n, Leaf) and n.title is not None}
    try:
        return read(root, {**names, **entries(root, names)}, MOST)
    except (Unwritable, KeyError):  # an operation that has no place on a board
        return None
