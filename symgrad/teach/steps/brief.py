"""Which formulas are short enough to be read in a line."""

from __future__ import annotations

from typing import Any

from symgrad.core.node import ancestors
from symgrad.errors import FormError
from symgrad.forms.closed import ClosedForm
from symgrad.teach.steps.chalk import chalk

MANY = 80  # operations
LONG, SHORT = 100, 60  # signs of a formula that is left out between name and number; of arrays, on the way


def brief(form: ClosedForm, most: int = LONG) -> Any:
    """Return the formula where it is short, else None.

    That of many operations is not looked at: it would take long to find that it is long.
    """
    if len(ancestors([form._root, *form._forward])) > MANY:
        return None
    try:
        found = form.expr
    except FormError:
        return None
    return found if len(chalk(found)) <= most else None
