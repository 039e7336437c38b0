"""Laws by which numbers are written with their parts before they are differentiated."""

from __future__ import annotations

from collections.abc import Set
from itertools import pairwise
from typing import Any

import sympy as sp

from symgrad.forms.nodes.arrays import ArraySymbol
from symgrad.forms.nodes.elementwise import ElementPower, Elementwise
from symgrad.forms.nodes.marks import Length, Norm2, Total, Trace
from symgrad.forms.nodes.matrices import Call, Kronecker, MatrixPower, Plus, Product, Scaled, Transposed, is_symmetric
from symgrad.ops.linalg.expm import MatrixExp
from symgrad.ops.linalg.spectral import Eigenvalues
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


def rewritings(e: Any) -> list[tuple[Any, Any, str]]:
    """Return the laws by which a number is written with its parts: before, after, and the law in letters in braces."""
    apart, law = without_kronecker(e)
    matrix, law_of_eigenvalues = of_eigenvalues(apart)
    return [step for step in ((e, apart, law), (apart, matrix, law_of_eigenvalues)) if step[-1]]


def without_kronecker(e: Any) -> tuple[Any, str]:
    """Write a number of Kronecker products with numbers of their factors; return the law as well, or nothing.

    The letters of a law stand in braces.
    """
    for a in sp.preorder_traversal(e):
        inside = a.args[0] if isinstance(a, (Total, Norm2, Length, Trace)) else None
        if isinstance(a, Trace) and isinstance(inside, Product) and all(map(_is_kronecker, inside.args[:-1])):
            rows = list(zip(*[f.args[1:3] for f in inside.args[:-1]], strict=True))
            if all(shape_of(f)[1] == shape_of(g)[0] for row in rows for f, g in pairwise([*row, row[0]])):
                parts = [traced(product(row)) for row in rows]
                return rebuilt(e, {a: sp.Mul(*parts)}), _TRACES
        if inside is not None and _is_kronecker(inside) and not isinstance(a, Trace):
            made = sp.Mul(*[type(a).of(f) for f in inside.args[1:3]])
            return rebuilt(e, {a: made}), _LAWS[type(a)]
    return e, ""


def of_eigenvalues(e: Any) -> tuple[Any, str]:
    """Write a number of all eigenvalues of a symmetric matrix with the matrix; return the law as well, or nothing."""
    for a in sp.preorder_traversal(e):
        inside: Any = a.args[0] if isinstance(a, (Total, Norm2)) else None
        s = _matrix_of(inside)
        if s is not None and isinstance(a, Norm2):
            return rebuilt(
                e, {a: Norm2.of(s)}
            ), "Σ λᵢ² = tr({S}²) = ‖{S}‖_F² over all eigenvalues λᵢ of a symmetric {S}"
        if s is not None:
            return rebuilt(e, {a: Trace.of(s)}), "Σ λᵢ = tr({S}) over all eigenvalues λᵢ of {S}"
        powers = isinstance(inside, ElementPower) and inside.args[1].is_Integer and inside.args[1] > 1
        s = _matrix_of(inside.args[0]) if powers else None
        if s is not None:
            made = Trace.of(MatrixPower.of(s, int(inside.args[1])))
            return rebuilt(e, {a: made}), "Σ λᵢᵏ = tr({S}ᵏ) over all eigenvalues λᵢ of a symmetric {S}"
        exponential = isinstance(inside, Elementwise) and str(inside.args[0]) == "exp"
        s = _matrix_of(inside.args[1]) if exponential else None
        if s is not None:
            made = Trace.of(Call.of(MatrixExp(), [s], shape_of(s)))
            return rebuilt(e, {a: made}), "Σ exp(λᵢ) = tr(exp({S})) over all eigenvalues λᵢ of a symmetric {S}"
    return e, ""


def _matrix_of(e: Any) -> Any:
    """Return the symmetric matrix whose eigenvalues these are, else None."""
    known = isinstance(e, Call) and isinstance(e.op, Eigenvalues) and is_symmetric(e.args[1])
    return e.args[1] if known else None


_TRACES = "({A} ⊗ {B})·({C} ⊗ {D}) = {A}·{C} ⊗ {B}·{D}, tr({A} ⊗ {B}) = tr({A})·tr({B})"
_LAWS = {
    Total: "sum({A} ⊗ {B}) = sum({A})·sum({B})",
    Norm2: "‖{A} ⊗ {B}‖_F² = ‖{A}‖_F²·‖{B}‖_F²",
    Length: "‖{A} ⊗ {B}‖_F = ‖{A}‖_F·‖{B}‖_F",
}


def _is_kronecker(e: Any) -> bool:
    return isinstance(e, Kronecker) and len(e.args) == 4
