"""What a derivative is asked of: a tensor, a formula as text, or a function; and by what: tensors, or their names.

All become a tensor with a graph, and leaves of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeGuard

import sympy as sp

from symgrad.core.modes import enable_grad
from symgrad.core.node import AnyNode, Leaf, ancestors, has_value, tensor_node
from symgrad.engine.generator import once
from symgrad.engine.record import TensorBase, as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError
from symgrad.expression.equations import has_equals_sign
from symgrad.expression.grammar import read
from symgrad.expression.models import is_model, parameters_in
from symgrad.expression.reader import Expression, Reading, names_in, rank, reading_of, sizes_in
from symgrad.expression.vectors import as_vector
from symgrad.tensors.creation import symbol
from symgrad.tensors.tensor import Tensor


class Recorded(NamedTuple):
    """A tensor, and its leaves by name where it was made of a string or a function."""

    value: Any
    leaves: Mapping[str, Any]


def recorded(who: str, y: Any, wrt: Any, shapes: Mapping[str, Any] | None = None) -> tuple[Any, list[Any]]:
    """Return the tensor that is differentiated, and a list of what it is differentiated by.

    Args:
        who: the function that was called, for messages.
        y: a tensor; a formula as text, as ``sg.parse`` reads it, or an ``Expression``; a list of texts, the components
            of a vector; or a function of tensors.
        wrt: a tensor, a name, or a list of them; or a model, for all its parameters.
        shapes: of the names in a string, and of a function's parameters; or the tensors that they stand for. Those
            that have none are numbers.

    Raises:
        ArgumentTypeError: if y is none of these.
        ArgumentError: if there is nothing of that name, or if shapes are given for a tensor, which has its own.
        ParseError: if the text is not a formula.

    >>> y, (x,) = recorded("derive", "x**2", "x")
    >>> print(y.expr, x.expr)
    x**2 x
    """
    if is_model(wrt):
        if not isinstance(y, TensorBase):
            raise ArgumentTypeError(f"{who}: by a model, expected its loss, a tensor. Got {type(y).__name__}.")
        return y, parameters_in(wrt, tensor_node(y))
    wanted = _listed(wrt)
    formula = _given(who, y, [w for w in wanted if isinstance(w, str)], shapes)
    if not formula.leaves:
        return formula.value, by_name(who, wanted, named_leaves([tensor_node(formula.value)]))
    by = by_name(who, wanted, formula.leaves)
    _check_used(who, y, by, formula)
    return with_leaves(formula.value, [x for x in by if any(x is leaf for leaf in formula.leaves.values())]), by


def _check_used(who: str, y: Any, wrt: Sequence[Any], formula: Recorded) -> None:
    """Refuse a tensor where the name of a parameter is meant: a formula or a function is of leaves of its own."""
    nodes = ancestors([n for n in [tensor_node(formula.value)] if n is not None])
    used = {*nodes, *map(tensor_node, formula.leaves.values())}
    cells = {id(n.cell) for n in nodes if isinstance(n, Leaf) and n.cell is not None}
    for x in wrt:
        node = tensor_node(x) if isinstance(x, TensorBase) else None
        other = isinstance(node, Leaf) and node.title not in formula.leaves and not has_value(x)  # a symbol: 0
        if node is None or not (node in used or id(getattr(node, "cell", None)) in cells or other):
            raise _not_used(who, y, x, list(formula.leaves))


def _not_used(who: str, y: Any, x: Any, names: Sequence[str]) -> GraphError | ArgumentTypeError:
    what, passed = ("formula", repr(y)) if isinstance(y, str) or are_texts(y) else ("function", "f")
    shape: Any = getattr(x, "shape", ())
    size = shape[0] if isinstance(shape, tuple) and len(shape) == 1 else shape
    shapes = f", shapes={{{names[0]!r}: {size}}}" if isinstance(shape, tuple) and shape else ""
    error = GraphError if isinstance(x, TensorBase) else ArgumentTypeError
    return error(
        f"{who}: the {what} does not depend on wrt, of type {type(x).__name__}. Expected names of what it depends on: "
        f"{', '.join(names)}. Write {who}({passed}, {names[0]!r}{shapes}), and call the result with the values."
    )


def with_leaves(y: Any, leaves: Sequence[Any]) -> Any:
    """Return y + 0·x for the leaves that it was not made of: by what a formula does not contain, its derivative is 0.

    >>> print(sg.derive("a**2", "x"))
    0
    """
    below = set(ancestors([tensor_node(y)])) if tensor_node(y) is not None else set()
    with enable_grad():
        for x in leaves:
            if tensor_node(x) not in below:
                y = y + 0 * (x.sum() if x.shape else x)
    return y


def _given(who: str, y: Any, wanted: Sequence[str], shapes: Mapping[str, Any] | None) -> Recorded:
    if isinstance(y, str) or are_texts(y):
        y = text_of_names(y if isinstance(y, str) else vector_of(who, y), shapes or {}, wanted)
    elif shapes is not None and (isinstance(y, (TensorBase, Expression)) or not callable(y)):
        raise ArgumentError(
            f"{who}: shapes= is for a formula as text and for a function. A {type(y).__name__} has its own; "
            "leave it out."
        )
    if isinstance(y, Expression):
        return Recorded(y.value, y.leaves)
    if isinstance(y, TensorBase):
        return Recorded(y, {})
    if not callable(y):
        raise ArgumentTypeError(
            f"{who}: expected a tensor, a formula as text or a function, got {type(y).__name__}. Write SymPy's "
            "expressions as text: str(e)."
        )
    return _called(who, y, wanted, shapes or {})


def are_texts(y: Any) -> TypeGuard[Sequence[str]]:
    """Whether this is a list of formulas as text."""
    return isinstance(y, (list, tuple)) and bool(y) and all(isinstance(part, str) for part in y)


def vector_of(who: str, texts: Sequence[str]) -> str:
    """Return the text of the vector whose components these formulas are.

    Raises:
        ArgumentError: if a text is an equation.

    >>> vector_of("derive", ["x*y", "x + y"])
    '[(x*y), (x + y)]'
    """
    equation = next((text for text in texts if has_equals_sign(text)), None)
    if equation is not None:
        raise ArgumentError(
            f"{who}: {equation!r} is an equation. A list of formulas is a vector field; of equations, name what "
            f"depends on what, as in sg.derive(equations, 'y', 'x')."
        )
    return "[" + ", ".join(f"({text})" for text in texts) + "]"


def text_of_names(
    text: str, shapes: Mapping[str, Any], wanted: Sequence[str] = (), *, field: bool = False
) -> Expression:
    """Return the formula that people mean by a string; its names that have no shape are numbers.

    In a field, ``x*i + y*j`` is a vector even where products have signs.

    Raises:
        ParseError: if the text is not a formula, or is ambiguous.
    """
    declared = {**dict.fromkeys(wanted, ()), **shapes}
    reading = reading_of(text, declared) if declared else of_letters(text)
    if field:
        reading = replace(reading, tree=as_vector(reading.tree, declared, starred=True))
    with enable_grad():
        letters = names_in(reading, {*shapes, *sizes_in(shapes)})
        expression = Expression(reading, {**dict.fromkeys(letters, ()), **shapes, **declared})
        _ = expression.value  # what has no meaning is said here
    return expression


def of_letters(text: str, shapes: Mapping[str, Any] | None = None) -> Reading:
    """Read a string, whose words beside the known names are split into letters where letters remain.

    >>> names_in(of_letters("xsinx")), names_in(of_letters("xmax*x")), names_in(of_letters("xy"))
    (['x'], ['xmax', 'x'], ['x', 'y'])
    """
    known = shapes or {}
    plain = read(text, "paper")
    names = names_in(plain)
    words = "".join(name for name in names if len(name) > 1 and name not in known)
    if words:
        single = [*(name for name in names if len(name) == 1), *(letter for letter in "xyzt" if letter in words)]
        letters = {**dict.fromkeys(single, ()), **known}
        apart = read(text, "paper", {n: rank(s) for n, s in letters.items()})
        if {*names_in(apart)} <= {*letters}:
            return apart.refuse_two_ways()
    return reading_of(text, known) if known else plain.refuse_two_ways()


def _called(who: str, f: Callable[..., Any], wanted: Sequence[str], shapes: Mapping[str, Any]) -> Recorded:
    """Call a function with leaves named as its parameters; a single parameter becomes ``wrt``."""
    names = _parameters(who, f)
    if len(names) == len(wanted) == 1:
        names = [*wanted]
    leaves = {name: _leaf(name, shapes.get(name, ())) for name in names}
    unknown = sorted(set(shapes) - set(leaves))
    if unknown:
        raise ArgumentError(f"{who}: shapes has {unknown}, which the function does not take. It takes {names}.")
    with enable_grad(), once(who, f):
        y = f(*leaves.values())
    if isinstance(y, (tuple, list, dict, str)) or y is None:
        raise ArgumentTypeError(f"{who}: expected the function to return a tensor, got {type(y).__name__}.")
    return Recorded(as_tensor(y), leaves)


def _parameters(who: str, f: Callable[..., Any]) -> list[str]:
    """Return the names of what a function takes by position and has no default for."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        raise ArgumentTypeError(
            f"{who}: the parameters of {f!r} have no names. Write a function of them, as in lambda x: f(x)."
        ) from None
    return [
        p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
    ]


def _leaf(name: str, shape: Any) -> Tensor:
    return shape if isinstance(shape, Tensor) else symbol(name, shape=shape)


def named_leaves(roots: Iterable[AnyNode | None]) -> dict[str, Any]:
    """Return the leaves of a graph by their names; where two have one name, there is no telling, and None."""
    leaves: dict[str, Any] = {}
    for node in ancestors([r for r in roots if r is not None]):
        if isinstance(node, Leaf) and node.title is not None:
            leaves[node.title] = None if node.title in leaves else handle(node, node.value)
    return leaves


def by_name(who: str, wrt: Any, leaves: Mapping[str, Any]) -> list[Any]:
    """Return the leaves to differentiate with respect to, looking up those passed by name."""
    return [_called_so(who, w, leaves) if isinstance(w, str) else w for w in _listed(wrt)]


def _listed(wrt: Any) -> list[Any]:
    """Return ``wrt`` as a list, with SymPy's symbols replaced by their names."""
    return [w.name if isinstance(w, sp.Symbol) else w for w in (wrt if isinstance(wrt, (list, tuple)) else [wrt])]


def _called_so(who: str, name: str, leaves: Mapping[str, Any]) -> Any:
    if name not in leaves:
        known = ", ".join(map(repr, leaves)) or "none"
        raise GraphError(f"{who}: the function has no name {name!r}. Its names are: {known}.")
    if leaves[name] is None:
        raise GraphError(f"{who}: several tensors are called {name!r}. Pass the tensor itself.")
    return leaves[name]
