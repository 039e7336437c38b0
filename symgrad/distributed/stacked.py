"""Results with a row for each row of the data, as Dask arrays: nothing is computed before they are.

Their shapes and dtypes are those of the traced function; one that looks at values is asked with one row of ones.
"""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad import func
from symgrad.compiler.arguments import is_array
from symgrad.compiler.trace import trace
from symgrad.core import trees
from symgrad.distributed.blocks import Blocks, blocks_of
from symgrad.distributed.summed import arrays_of, tasks
from symgrad.distributed.work import BlockKernel, Order, PartialSum, is_number, versions
from symgrad.engine.program import Spec
from symgrad.errors import ArgumentError, SymgradError
from symgrad.support.arguments import checked
from symgrad.support.extras import needs, required
from symgrad.transforms.arguments import check_function


@checked
def jacobian(f: Callable[..., Any], *, compile: bool = True) -> Callable[..., Any]:
    """Return the function (θ, *data) ↦ ∂f/∂θ as a Dask array, with the derivative of each row of f(θ, *block).

    Args:
        f: f(params, *block), which returns an array with one row for each row of the block.
        compile: whether each process compiles f, once for each shape of block.

    Returns:
        A function that returns a Dask array of shape (rows, …, *θ's shape), chunked like the data. If the parameters
        or the result of f are structures, it returns Dask arrays in the structure of the result of ``sg.jacobian``.

    Raises:
        MissingExtra, ArgumentError, BlockError, DistributedError: as ``value_and_grad``; the latter two are raised
            when the Dask array is computed.

    >>> J = sg.distributed.jacobian(lambda w, X: X @ w)(np.zeros(2), np.arange(6.0).reshape(3, 2))
    >>> J.compute()
    array([[0., 1.],
           [2., 3.],
           [4., 5.]])
    """
    return _stacked("distributed.jacobian", func.jacobian, f, 1, compile)


@checked
def vmap(f: Callable[..., Any], *, compile: bool = True) -> Callable[..., Any]:
    """Return the function that maps f over the rows of data. It returns a Dask array, or a structure of them.

    >>> rows = sg.distributed.vmap(lambda x: (x**2).sum())(np.arange(6.0).reshape(3, 2))
    >>> rows.compute()
    array([ 1., 13., 41.])
    """
    return _stacked("distributed.vmap", func.vmap, f, 0, compile)


def _stacked(name: str, make: Any, f: Callable[..., Any], numbers: int, compile: bool) -> Callable[..., Any]:
    needs(name, "dask")
    check_function(name, f)
    kernel = BlockKernel(make, f, compiled=compile)

    def call(*args: Any) -> Any:
        blocks = blocks_of(name, args[numbers:])
        params, _ = arrays_of(args[:numbers])
        order = Order(name, kernel, params, False, len(blocks), versions(), uuid.uuid4().hex)
        return _arrays(order, blocks, lambda rows: _result(make(f), params, blocks.sources, rows))

    return call


def _arrays(order: Order, blocks: Blocks, shaped: Callable[[int], tuple[int, Any]]) -> Any:
    """Return a result's structure with the Dask array of all blocks' rows for each of its arrays."""
    if blocks.edges is None:
        raise ArgumentError(
            f"{order.name}: the blocks' lengths are not known, so the result has no shape. Pass arrays, or compute the "
            "chunks' sizes (compute_chunk_sizes)."
        )
    sizes = tuple(b - a for a, b in itertools.pairwise(blocks.edges))
    specs: list[Spec] = []
    rows, result = shaped(max(sizes))
    tree = trees.flatten(result, lambda x: isinstance(x, Spec), specs)
    wrong = [s.shape for s in specs if s.shape[:1] != (rows,)]
    if wrong or not specs:
        raise ArgumentError(
            f"{order.name}: {rows} rows of data gave shape {list(*wrong[:1])}. Expected a row for each row of the "
            "block."
        )
    graph, keys = tasks(order, blocks)
    array = required(order.name, "dask", "dask.array").Array

    def stacked(which: int, spec: Spec) -> Any:
        name = f"symgrad-rows-{uuid.uuid4().hex}"
        rest = spec.shape[1:]
        own = {(name, k, *[0] * len(rest)): (_rows, key, which) for k, key in enumerate(keys)}
        return array({**graph, **own}, name, (sizes, *[(n,) for n in rest]), dtype=spec.dtype)

    return trees.unflatten(tree, iter([stacked(k, s) for k, s in enumerate(specs)]))


def _result(fn: Callable[..., Any], params: Sequence[Any], data: Sequence[Any], rows: int) -> tuple[int, Any]:
    """Return a number of rows, and what fn returns for so many, with shapes and dtypes for arrays."""
    try:
        return rows, _traced(fn, params, [Spec((rows, *x.shape[1:]), np.dtype(x.dtype)) for x in data])
    except (SymgradError, TypeError, ValueError):
        return 1, _specified(fn(*params, *[np.ones((1, *x.shape[1:]), x.dtype) for x in data]))


def _traced(fn: Callable[..., Any], params: Sequence[Any], block: Sequence[Spec]) -> Any:
    specs: list[Any] = []
    tree = trees.flatten(((*_specified(params), *block), {}), lambda x: isinstance(x, Spec), specs)
    program, results = trace(fn, tree, specs, "distributed")
    values = [program.values[k] for k in program.outputs]
    return trees.unflatten(results, iter([Spec(v.shape, v.dtype) for v in values]))


def _specified(x: Any) -> Any:
    leaves: list[Any] = []
    tree = trees.flatten(x, is_array, leaves)
    return trees.unflatten(tree, iter([Spec(np.shape(v), np.result_type(v)) for v in leaves]))


def _rows(part: PartialSum, which: int) -> Any:
    leaves: list[Any] = []
    trees.flatten(part.value, is_number, leaves)
    return leaves[which]
