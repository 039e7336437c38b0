"""Laws by which numbers are written with their parts before they are differentiated."""

from __future__ import annotations

from collections.abc import Set
from itertools import pairwise
from typing import Any

import sympy as sp

from symgrad.forms.nodes.arrays import ArraySymbol
from symgrad.forms.nodes.marks import Length, Norm2, Total, Trace
from symgrad.forms.nodes.matrices import Kronecker, Plus, Product, Scaled, Transposed
from symgrad.teach.matrix.symbols import product, rebuilt, shape_of, traced


def multiplied_out(e: Any, moving: Set[str]) -> Any:
    """Write xᵀ·(A·x − 2·b), a number, as xᵀ·A·x − 2·xᵀ·b, where x changes and the sum is of names alone."""
    if isinstance(e, Product) and not shape_of(e):
        factors = e.args[:-1]
        sums = [k for k, f in enumerate(factors) if isinstance(f, Plus) and all(map(_is_linear, f.args[:-1]))]
        others = {s.name for k, f in enumerate(factors) if k not in sums for s in f.atoms(ArraySymbol)}
        if (
            len(sums) != 1
            or not others & moving
            or not all(map(_is_linear, factors[: sums[0]] + factors[sums[0] + 1 :]))
        ):
            return e
        (k,) = sums
        return sp.Add(*[product([*factors[:k], t, *factors[k + 1 :]]) for t in factors[k].args[:-1]])
    if isinstance(e, (sp.Add, sp.Mul)):
        args = [multiplied_out(a, moving) for a in e.args]
        return e if args == list(e.args) else sp.expand_mul(e.func(*args))
    return e


def _is_linear(t: Any) -> bool:
    """Whether it is a product of names and their transposes."""
    if isinstance(t, (Scaled, Transposed)):
        return _is_linear(t.args[-2])
    return all(map(_is_linear, t.args[:-1])) if isinstance(t, Product) else isinstance(t, ArraySymbol)


def without_kronecker(e: Any) -> tuple[Any, str]:
    """Write a number of Kronecker products with numbers of their factors; return the law as well, or nothing."""
    for a in sp.preorder_traversal(e):
        inside = a.args[0] if isinstance(a, (Total, Norm2, Length, Trace)) else None
        if isinstance(a, Trace) and isinstance(inside, Product) and all(map(_is_kronecker, inside.args[:-1])):
            rows = list(zip(*[f.args[1:3] for f in inside.args[:-1]], strict=True))
            if all(shape_of(f)[1] == shape_of(g)[0] for row in rows for f, g in pairwise([*row, row[0]])):
                parts = [traced(product(row)) for row in rows]
                return rebuilt(e, {a: sp.Mul(*parts)}), "(A ⊗ B)·(C ⊗ D) = A·C ⊗ B·D, tr(A ⊗ B) = tr(A)·tr(B)"
        if inside is not None and _is_kronecker(inside) and not isinstance(a, Trace):
            made = sp.Mul(*[type(a).of(f) for f in inside.args[1:3]])
            return rebuilt(e, {a: made}), _LAWS[type(a)]
    return e, ""


_LAWS = {
    Total: "sum(A ⊗ B) = sum(A)·sum(B)",
    Norm2: "‖A ⊗ B‖² = ‖A‖²·‖B‖²",
    Length: "‖A ⊗ B‖ = ‖A‖·‖B‖",
}


def _is_kronecker(e: Any) -> bool:
    return isinstance(e, Kronecker) and len(e.args) == 4
