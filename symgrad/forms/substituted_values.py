"""Formulas that take the place of a symbol in a form: names, text, and expressions of SymPy's, as tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from symgrad.core.modes import enable_grad
from symgrad.core.node import Leaf
from symgrad.engine.record import as_tensor, handle
from symgrad.errors import ArgumentTypeError
from symgrad.expression.reader import Expression, names_in, reading_of
from symgrad.forms.arithmetic import Arithmetic
from symgrad.forms.sympy.from_sympy import from_sympy
from symgrad.tensors.creation import symbol


def read_formula(value: Any, leaves: Mapping[str, Leaf], shape: Any) -> Any:
    """Return the tensor that a string or an expression of SymPy's with symbols stands for; anything else as it is.

    Args:
        value: a form, or anything else; names in it are those of the leaves; any other is a number.
        leaves: those that have a name.
        shape: of what is replaced; a name that stands alone has it too.
    """
    if isinstance(value, str):
        return _of_text(value, leaves, shape)
    if isinstance(value, Arithmetic) and not value._bases:
        return handle(value._root, None)
    if isinstance(value, sp.Expr) and value.is_extended_real is False:
        raise ArgumentTypeError(f"subs: got {value}, which is not a real number.")
    if not isinstance(value, sp.Expr) or not value.free_symbols:
        return value
    if value.is_Symbol:
        return _named(value.name, leaves, shape)
    letters = sorted(value.free_symbols, key=str)
    if any(not isinstance(s, sp.Symbol) for s in letters):
        raise ArgumentTypeError(f"subs: got {value}. Expected a number, an array, a tensor, or a formula of numbers.")
    with enable_grad():
        return as_tensor(from_sympy(value, letters)(*[_named(s.name, leaves, ()) for s in letters]))


def _of_text(text: str, leaves: Mapping[str, Leaf], shape: Any) -> Any:
    reading = reading_of(text, {})
    names = names_in(reading)
    alone = text.strip() in names
    with enable_grad():
        return Expression(reading, {name: _named(name, leaves, shape if alone else ()) for name in names}).value


def _named(name: str, leaves: Mapping[str, Leaf], shape: Any) -> Any:
    known = leaves.get(name)
    return symbol(name, shape=shape) if known is None else handle(known, known.value)
