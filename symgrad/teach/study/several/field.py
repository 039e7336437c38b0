"""Scalar and vector fields: a formula, or several, of named coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sympy as sp

from symgrad.core.node import Leaf, Node, ancestors, is_node, tensor_node
from symgrad.errors import ArgumentError, FormError
from symgrad.expression.arguments import recorded, text_of_names, vector_of
from symgrad.expression.formula import Formula, Label
from symgrad.forms.closed import ClosedForm
from symgrad.forms.names import is_known
from symgrad.forms.nodes.indexed import Term
from symgrad.ops.shapes.join import Stack
from symgrad.scalars import in_full
from symgrad.teach.board.reading import read, to_sympy
from symgrad.teach.steps.lesson import Given, PartialRule, distinct
from symgrad.teach.study.solution import write

MOST = 200  # parts of a formula
_AXES = ("x", "y", "z")
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Field:
    """A scalar field f(x, y, …), or a vector field F = [F₁, F₂, …].

    Attributes:
        names: the coordinates, in order.
        symbols: the same, in SymPy's classes.
        components: the formulas in SymPy's classes; one for a scalar field.
        written: the formulas as they were typed.
        is_vector: whether it is a vector field.
        others: names that are constants.
    """

    def __init__(self, who: str, f: Any, wrt: Any = None, shapes: Mapping[str, Any] | None = None) -> None:
        value, wanted = _value(who, f, wrt, shapes)
        root = tensor_node(value)
        self.is_vector = bool(value.shape)
        if len(value.shape) > 1:
            raise ArgumentError(f"{who}: got an array of {len(value.shape)} axes. Expected a number or a vector.")
        typed = _as_typed(root)
        entries = _entries(who, root, value) if typed is None else [_plain(to_sympy(t)) for t in typed]
        self.components: tuple[Any, ...] = tuple(entries)
        free = {s.name for e in entries for s in e.free_symbols}
        self.names = _names(wanted, free, len(entries) if self.is_vector else 0, root)
        self.symbols = [sp.Symbol(n, real=True) for n in self.names]
        self.others = sorted(free - {*self.names})
        self.written: tuple[Formula, ...] = typed or tuple(map(write, entries))

    @property
    def letter(self) -> str:
        """What the field is called."""
        letters = ("F", "G", "H") if self.is_vector else ("f", "g", "h")
        return next(c for c in letters if c not in (*self.names, *self.others))

    def label(self, k: int | None = None) -> Label:
        """Return f(x, y), or F₁(x, y) of a component."""
        return Label(self.letter + ("" if k is None else f"_{k + 1}"), 0, tuple(self.names))

    def part(self, *by: str, k: int | None = None) -> Label:
        """Return ∂f/∂x, of a component ∂F₁/∂x."""
        return Label(self.letter + ("" if k is None else f"_{k + 1}"), by, ())

    def given(self) -> Given:
        """Return the step that says what a scalar field is: f(x, y) = …"""
        return Given(before=self.label(), after=self.written[0], written=self.written)

    def partial(self, name: str, *equal: Any, after: Any = None, near: str = "") -> PartialRule:
        """Return the step to ∂f/∂x of a scalar field: equal formulas, the last of which comes out."""
        written = distinct(tuple(e if isinstance(e, Formula) else write(e) for e in equal))
        made = written[-1] if after is None else write(after)
        return PartialRule(
            before=self.written[0], after=made, by=(name,), left=self.part(name), written=written, near=near
        )


def low(k: int) -> str:
    """Return a number as an index below the line."""
    return str(k).translate(_LOW)


def scalar_field(who: str, f: Any, wrt: Any, shapes: Mapping[str, Any] | None = None) -> Field:
    """Return a field that is a number at each point."""
    made = Field(who, f, wrt, shapes)
    if made.is_vector:
        raise ArgumentError(f"{who}: expected a function with numbers as values, such as 'x**2*y'. Got a vector.")
    return made


def vector_field(who: str, f: Any, wrt: Any, shapes: Mapping[str, Any] | None = None) -> Field:
    """Return a field that is a vector at each point."""
    made = Field(who, f, wrt, shapes)
    if not made.is_vector:
        raise ArgumentError(f"{who}: expected a vector field, such as '[x*y, y*z, z*x]'. Got a number.")
    return made


def _value(who: str, f: Any, wrt: Any, shapes: Mapping[str, Any] | None) -> tuple[Any, list[str]]:
    """Return the tensor of a field, and the names that were requested."""
    listed = [] if wrt is None else list(wrt) if isinstance(wrt, (list, tuple)) else [wrt]
    wanted = [w if isinstance(w, str) else getattr(w, "name", None) or str(w) for w in listed]
    if isinstance(f, (list, tuple)):
        f = vector_of(who, [*map(str, f)])
    if isinstance(f, ClosedForm):
        f = str(f)
    if isinstance(f, str):
        names = [w for w in wanted if w not in (shapes or {})]
        return text_of_names(f, shapes or {}, names, field=True).value, wanted
    return recorded(who, f, listed, shapes)[0], wanted


def _entries(who: str, root: Any, value: Any) -> list[Any]:
    if root is None:
        flat = value.reshape(-1).tolist() if value.shape else [value.item()]
        return [sp.nsimplify(v, rational=True) for v in flat]
    try:
        made = ClosedForm(root, [root], (), False).scalar()
    except FormError as error:
        raise ArgumentError(f"{who}: the entries cannot be written out: {error}") from error
    return [_plain(e) for e in (sp.flatten(made) if value.shape else [made])]


def _plain(e: Any) -> Any:
    """Return an entry in SymPy's own classes, of real symbols."""
    e = sp.sympify(e).replace(lambda t: isinstance(t, Term), lambda t: sp.Mul(*t.args))
    return in_full(e).xreplace({s: sp.Symbol(s.name, real=True) for s in e.free_symbols})


def _names(wanted: Sequence[str], free: set[str], size: int, root: Any) -> list[str]:
    """Return the coordinates: those requested, an array by its entries; else x, y, z, or all names."""
    if wanted:
        arrays = {n.title: n for n in ([] if root is None else ancestors([root])) if isinstance(n, Leaf) and n.shape}
        return [n for w in wanted for n in (_of_array(w, arrays[w]) if w in arrays else [w])]
    if free <= {*_AXES} and (size or free):
        return list(_AXES[: max(size, *(_AXES.index(n) + 1 for n in free), 0)]) if size else sorted(free)
    return sorted(free)


def _of_array(name: str, leaf: Leaf) -> list[str]:
    (n,) = leaf.shape
    return [f"{name}_{k}" for k in range(int(n))]


def _as_typed(root: Any) -> tuple[Formula, ...] | None:
    """Return the formulas in the order in which they were typed; None of arrays and long ones."""
    if root is None:
        return None
    stacked = isinstance(root, Node) and isinstance(root.op, Stack)
    parts = list(root.inputs) if stacked else [root]
    if not all(is_node(p) for p in parts):
        return None
    leaves = list(_leaves(parts))
    if any(leaf.shape or (leaf.title is None and not is_known(leaf)) for leaf in leaves):
        return None
    names: Any = {leaf: leaf.title for leaf in leaves if leaf.title is not None}
    try:
        made = [read(p, names, MOST) for p in parts]
    except FormError:
        return None
    return None if any(m is None for m in made) else tuple(m for m in made if m is not None)


def _leaves(parts: Sequence[Any]) -> Iterator[Leaf]:
    yield from (n for n in ancestors(parts) if isinstance(n, Leaf))
