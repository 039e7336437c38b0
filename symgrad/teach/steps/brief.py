"""Which formulas are short enough to be read in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.core.node import AnyNode, is_node
from symgrad.errors import FormError
from symgrad.forms.closed import ClosedForm
from symgrad.teach.steps.unicode_text import unicode_text

MANY = 80  # operations
NAMED = 400  # those of a formula that is written with names for its parts
LONG, SHORT = 100, 60  # signs of a formula that is left out between name and number; of arrays, on the way


def few(roots: Sequence[AnyNode], most: int) -> bool:
    """Return whether there are at most ``most`` operations below; the search stops after these."""
    seen: set[AnyNode] = set()
    stack = list(roots)
    while stack and len(seen) <= most:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(p for p in node.inputs if is_node(p))
    return len(seen) <= most


def brief(form: ClosedForm, most: int = LONG) -> Any:
    """Return the formula where it is short, else None.

    That of many operations is not read: it would take long to find that it is long.
    """
    if not few([form._root, *form._forward], MANY):
        return None
    try:
        formula = form._expr
    except FormError:
        return None
    return formula if len(unicode_text(formula)) <= most else None
