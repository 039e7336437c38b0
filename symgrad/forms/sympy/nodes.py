"""The nodes of SymPy's matrix expressions as steps of a computation: one function per node, in two tables.

Tensors lack the axes whose size is written as 1: a column and a row are vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import sympy as sp
from sympy.matrices.expressions.applyfunc import ElementwiseApplyFunction
from sympy.matrices.expressions.diagonal import DiagMatrix
from sympy.matrices.expressions.dotproduct import DotProduct
from sympy.matrices.expressions.matexpr import MatrixElement

from symgrad import functions
from symgrad.core.node import CONSTANT, Leaf, has_value, tensor_value
from symgrad.engine.record import TensorBase, as_tensor, handle
from symgrad.errors import FormError
from symgrad.expression.function_table import function_table
from symgrad.ops.map import ADD, MUL, Map, exact
from symgrad.ops.shape import Expand, Eye

Env = dict[Any, Any]  # values of the steps so far, by what they compute
Step = Callable[[Env], Any]


def unknown(e: Any) -> FormError:
    """Return the error for a node that is not known."""
    text = str(e) if len(str(e)) < 100 else f"{str(e)[:100]}…"
    return FormError(
        f"from_sympy: symgrad has no {type(e).__name__}, got {text}. Rewrite it first, as with .doit(), .as_explicit() "
        "or .rewrite(), in functions that symgrad has."
    )


# ------------------------------------------------------------------ sizes
def kept(e: Any) -> tuple[Any, ...]:
    """Return the sizes of a matrix that are not written as 1: the shape of its tensor."""
    return tuple(n for n in map(sp.sympify, e.shape) if n != 1)


def exact_sizes(e: Any, env: Env) -> Env:
    """Return the sizes in e that are known, as SymPy numbers."""
    return {n: exact(env[n]) for n in e.free_symbols if n in env}


def _size(n: Any, env: Env) -> Any:
    """Return a size, which may be made of the sizes of arguments."""
    size = sp.sympify(n).xreplace(exact_sizes(n, env))
    return int(size) if size.is_Integer else size


# ------------------------------------------------------------------ steps
def constant(value: Any, env: Env) -> Any:
    """Return a number, as a step does."""
    return as_tensor(value)


def same(x: Any) -> Any:
    """Return the argument unchanged."""
    return x


def value_of(env: Env, key: Any) -> Any:
    """Return the value of a key; of a size, as a real number."""
    value = env[key]
    return value if isinstance(value, TensorBase) else as_tensor(float(value) if isinstance(value, int) else value)


def then(function: Callable[..., Any], *keys: Any) -> Step:
    """Return the step that applies a function to the values of keys."""
    return lambda env: function(*[value_of(env, k) for k in keys])


def mapped(payload: Any, keys: Sequence[Any]) -> Step:
    """Return the step of an elementwise operation with this payload."""
    return then(Map.of(payload, len(keys)), *keys)


def chain(function: Callable[..., Any], keys: Sequence[Any]) -> Step:
    """Return the step that combines any number of values, two at a time."""

    def step(env: Env) -> Any:
        value = value_of(env, keys[0])
        for k in keys[1:]:
            value = function(value, value_of(env, k))
        return value

    return step


def _valueless(value: float) -> Any:
    """Return a number as a tensor without a value, that goes with arrays of symbolic sizes."""
    return handle(Leaf(value, (), CONSTANT), None)


def spread(x: Any, sizes: tuple[Any, ...]) -> Any:
    """Return the array of this shape that has the number x everywhere."""
    known = all(isinstance(n, int) for n in sizes)
    return Expand(sizes)(x if known or not has_value(x) else _valueless(x.item()))


def sizes_of(sizes: Sequence[Any], env: Env) -> tuple[Any, ...]:
    """Return sizes as numbers, where they are known."""
    return tuple(_size(n, env) for n in sizes)


# ------------------------------------------------------------------ nodes that are arrays
def _sum_of(reader: Any, e: Any) -> Step:
    return chain(ADD, [reader.read(a) for a in e.args])


def _product_of(reader: Any, e: Any) -> Step:
    number, factors = e.as_coeff_matrices()
    keys = [reader.read(a) for a in factors]
    step = keys[-1]
    if e.shape[1] == 1:  # a vector last: from the right, so that no matrix is multiplied by a matrix
        for a, k in zip(factors[-2::-1], keys[-2::-1], strict=True):
            step = reader.slot(then(_times(a.shape[1]), k, step))
    else:
        step = keys[0]
        for a, k in zip(factors[1:], keys[1:], strict=True):
            step = reader.slot(then(_times(a.shape[0]), step, k))
    return then(same, step) if number == 1 else then(MUL, reader.read(number), step)


def _times(between: Any) -> Callable[..., Any]:
    """Return the matrix product of tensors without axes of size 1."""
    return _outer if between == 1 else functions.matmul


def _outer(a: Any, b: Any) -> Any:
    return functions.outer(a, b) if a.shape and b.shape else MUL(a, b)


def _transpose(reader: Any, e: Any) -> Step:
    return then(functions.t, reader.read(e.arg))


def _inverse(reader: Any, e: Any) -> Step:
    return then(functions.inverse if kept(e) else functions.reciprocal, reader.read(e.arg))


def _matrix_power(reader: Any, e: Any) -> Step:
    if not e.exp.is_Integer or not kept(e):
        raise unknown(e)
    return then(lambda a: functions.matrix_power(a, int(e.exp)), reader.read(e.base))


def _filled(value: float, reader: Any, e: Any) -> Step:
    return lambda env: spread(as_tensor(value), sizes_of(kept(e), env))


def _identity(reader: Any, e: Any) -> Step:
    def step(env: Env) -> Any:
        n = _size(e.shape[0], env)
        if isinstance(n, int):
            return as_tensor(np.eye(n))
        return _valueless(0.0)._apply(Eye(n, n), ())  # whatever its size, one node

    return step if kept(e) else partial(constant, 1.0)


def _explicit(reader: Any, e: Any) -> Step:
    keys = [reader.read(x) for x in e]

    def step(env: Env) -> Any:
        entries = [value_of(env, k) for k in keys]
        shape = tuple(map(int, kept(e)))
        return functions.reshape(functions.stack(entries), shape) if entries else as_tensor(np.zeros(shape))

    return step


def _hadamard(reader: Any, e: Any) -> Step:
    return chain(MUL, [reader.read(a) for a in e.args])


def _entrywise(reader: Any, e: Any, arrays: Sequence[Any], function: Callable[..., Any]) -> Step:
    """Apply a function to the entries of arrays; each array has a letter of its own in it."""
    letters = [reader.slot(then(same, reader.read(a))) for a in arrays]
    formula = reader.formula(sp.sympify(function(*letters)))
    key = reader.planned(formula)
    if formula.free_symbols & set(letters):
        return then(same, key)
    return lambda env: spread(value_of(env, key), sizes_of(kept(e), env))


def _hadamard_power(reader: Any, e: Any) -> Step:
    if e.exp.is_Matrix:
        return _entrywise(reader, e, (e.base, e.exp), sp.Pow)
    return _entrywise(reader, e, (e.base,), lambda x: x**e.exp)


def _applied(reader: Any, e: Any) -> Step:
    return _entrywise(reader, e, (e.expr,), e.function)


def _on_diagonal(reader: Any, e: Any) -> Step:
    return then(functions.diag_embed if kept(e) else same, reader.read(e.args[0]))


def _diagonal(reader: Any, e: Any) -> Step:
    return then(functions.diagonal if len(kept(e.arg)) == 2 else same, reader.read(e.arg))


def _only_diagonal(reader: Any, e: Any) -> Step:
    if len(kept(e)) < 2 or e.shape[0] != e.shape[1]:
        raise unknown(e)
    return then(lambda a: functions.diag_embed(functions.diagonal(a)), reader.read(e.arg))


ARRAYS: dict[Any, Callable[[Any, Any], Step]] = {
    sp.MatAdd: _sum_of,
    sp.MatMul: _product_of,
    sp.Transpose: _transpose,
    sp.Adjoint: _transpose,
    sp.Inverse: _inverse,
    sp.MatPow: _matrix_power,
    sp.OneMatrix: partial(_filled, 1.0),
    sp.ZeroMatrix: partial(_filled, 0.0),
    sp.Identity: _identity,
    sp.MatrixBase: _explicit,
    sp.HadamardProduct: _hadamard,
    sp.HadamardPower: _hadamard_power,
    ElementwiseApplyFunction: _applied,
    DiagMatrix: _on_diagonal,
    sp.DiagonalMatrix: _only_diagonal,
    sp.DiagonalOf: _diagonal,
}


# ------------------------------------------------------------------ numbers made of arrays
def _trace(reader: Any, e: Any) -> Step:
    return then(functions.trace if kept(e.arg) else same, reader.read(e.arg))


def _determinant(reader: Any, e: Any) -> Step:
    return then(functions.det if kept(e.arg) else same, reader.read(e.arg))


def _dot(reader: Any, e: Any) -> Step:
    a, b = e.args
    return then(functions.matmul if kept(a) else MUL, reader.read(a), reader.read(b))


def _element(reader: Any, e: Any) -> Step:
    array = reader.read(e.parent)
    at = [reader.read(k) for k, n in zip((e.i, e.j), e.parent.shape, strict=True) if n != 1]

    def step(env: Env) -> Any:
        return env[array][tuple(_place(env[k]) for k in at)] if at else env[array]

    return step


def _place(index: Any) -> Any:
    """Return where an entry stands: one number, or many where a sum runs over them."""
    if isinstance(index, sp.Expr) or (isinstance(index, TensorBase) and not has_value(index)):
        raise FormError(
            "from_sympy: a sum or an entry over a size without a number cannot be read. Pass arrays, or write it in "
            "matrices, such as Trace(a.T*b) for (a.T*b)[0, 0]."
        )
    places = np.rint(tensor_value(index) if isinstance(index, TensorBase) else index).astype(int)
    return int(places) if places.ndim == 0 else places


def _over_limits(total: Callable[..., Any], reader: Any, e: Any) -> Step:
    """Sum or multiply over indices, each an axis of its own."""
    inner = reader.inside(e.variables)
    body = inner.read(e.function)
    limits = [(k, reader.read(lo), reader.read(hi)) for k, lo, hi in e.limits]

    def step(env: Env) -> Any:
        own, shape = dict(env), []
        for axis, (k, lo, hi) in enumerate(limits):
            at = np.arange(_place(env[lo]), _place(env[hi]) + 1.0)
            own[k] = as_tensor(at.reshape([-1 if a == axis else 1 for a in range(len(limits))]))
            shape.append(len(at))
        for key, run in inner.steps:
            own[key] = run(own)
        return total(Expand(tuple(shape))(own[body]))

    return step


def _special(reader: Any, e: Any) -> Step:
    """A function that formulas call by SymPy's name; of a whole order, as besselj(2, x), by that order."""
    function = function_table()[type(e).__name__.lower()]
    orders = [int(a) for a in e.args[:-1] if a.is_Integer]
    return then(partial(function, *orders), *[reader.read(a) for a in e.args[len(orders) :]])


NUMBERS: dict[Any, Callable[[Any, Any], Step]] = {
    sp.Trace: _trace,
    sp.Determinant: _determinant,
    DotProduct: _dot,
    MatrixElement: _element,
    sp.Sum: partial(_over_limits, functions.sum),
    sp.Product: partial(_over_limits, functions.prod),
    **dict.fromkeys((sp.besselj, sp.bessely, sp.besseli, sp.besselk, sp.LambertW), _special),
}
