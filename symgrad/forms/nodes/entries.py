"""An entry of a named array function, such as inv(X)[i, j]: what index notation shows where an operation has
no elementary entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from symgrad.expression import formula as write
from symgrad.forms.nodes.formulas import Printed, entry, formula
from symgrad.forms.nodes.matrices import Operation


class Entry(Printed, sp.Expr):
    """Entry(operation, whole arguments, index, shapes of the arguments).

    Arguments are Lambdas of their entries, or scalars.
    """

    is_commutative = True
    is_real = True

    @staticmethod
    def of(op: Any, wholes: Sequence[sp.Expr], idx: Sequence[Any], shapes: Sequence[Sequence[Any]]) -> Entry:
        """Return the entry of op(*wholes) at idx, for arguments of these shapes."""
        return Entry(
            op if isinstance(op, Operation) else Operation(op),
            sp.Tuple(*wholes),
            sp.Tuple(*idx),
            sp.Tuple(*[sp.Tuple(*s) for s in shapes]),
        )

    @property
    def op(self) -> Any:
        """The operation that is named."""
        return self.args[0].op

    @property
    def indices(self) -> tuple[sp.Expr, ...]:
        """Where the entry stands, named as in SymPy's Indexed."""
        return tuple(self.args[2])

    def formula(self) -> write.Formula:
        return write.Entry(self.function(), tuple(map(formula, self.indices)), function=True)

    def function(self) -> write.Formula:
        """Return the array that has the entry, as a function of whole arrays."""
        written: write.Formula = self.args[0].formula_of(self.wholes(), len(self.args[3][0]))
        return written

    def wholes(self) -> list[write.Formula]:
        """Return the arguments as they are written in the name of the whole."""
        return [_shown(w) for w in self.args[1]]


def _shown(whole: sp.Expr) -> write.Formula:
    """Show a whole array by its name, or as a named function, where it is read straight; else by its entries.

    The letters of its axes stand in the entry; for an axis along which all entries are equal, 1 has the letter.
    """
    body = whole.expr if isinstance(whole, sp.Lambda) else whole
    straight = not isinstance(whole, sp.Lambda) or tuple(getattr(body, "indices", ())) == tuple(whole.variables)
    if straight and isinstance(body, sp.Indexed):
        return write.Name(str(body.base.label))
    if straight and isinstance(body, Entry):
        return body.function()
    equal = [k for k in getattr(whole, "variables", ()) if k not in body.free_symbols]
    return write.Product(formula(body), entry(write.Letter("𝟏"), equal)) if equal else formula(body)
