"""Sizes with names, as text."""

from __future__ import annotations

from typing import Any

from symgrad.compiler.loops.errors import ExportError


def size_text(n: Any, sizes: dict[Any, str]) -> str:
    """Return a polynomial in sizes, or a quotient without rest, in Python's words (and C's)."""
    if n.is_Symbol:
        if n not in sizes:
            raise ExportError(f"export: no argument has the size {n}. Export a function of an array that has it.")
        return sizes[n]
    if n.is_Integer:
        return str(int(n))
    if n.is_Rational or n.is_Float:  # what is subtracted from a number of entries
        return repr(float(n))
    if n.is_Add:
        return " + ".join(size_text(a, sizes) for a in n.args).replace("+ -", "- ")
    if n.is_Mul:
        if n.as_numer_denom()[1] != 1:
            raise _no_size(n)
        return "*".join(f"({t})" if a.is_Add else t for a in n.args if (t := size_text(a, sizes)))
    if n.is_Pow and n.exp.is_Integer and n.exp > 0:
        return "*".join([f"({size_text(n.base, sizes)})"] * int(n.exp))
    raise _no_size(n)


def _no_size(n: Any) -> ExportError:
    return ExportError(f"export: a size of {n} cannot be written. Give the sizes of the arguments numbers.")
