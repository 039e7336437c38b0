"""Results with a row for each row of the data, as Dask arrays: nothing is computed before they are."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad import func
from symgrad.distributed.blocks import Blocks, blocks_of
from symgrad.distributed.summed import arrays_of, tasks
from symgrad.distributed.work import Kernel, Order, Part, versions
from symgrad.errors import ArgumentError
from symgrad.support.extras import needs, required
from symgrad.transforms.arguments import check_function


def jacobian(f: Callable[..., Any], *, compile: bool = True) -> Callable[..., Any]:
    """Return the function (θ, *data) ↦ ∂f/∂θ as a Dask array: the rows of f(θ, *block), each by the array θ.

    Args:
        f: f(params, *block), an array with a row for each of the block's.
        compile: whether each process compiles it, once for each shape of block.

    Returns:
        A function; its Dask array has the shape (rows, …, *θ's shape), chunked as the data are.

    Raises:
        MissingExtra, ArgumentError, BlockError, DistributedError: as ``value_and_grad``, the latter two when computed.

    >>> J = sg.distributed.jacobian(lambda w, X: X @ w)(np.zeros(2), np.arange(6.0).reshape(3, 2))
    >>> J.compute()
    array([[0., 1.],
           [2., 3.],
           [4., 5.]])
    """
    return _stacked("distributed.jacobian", func.jacobian, f, 1, compile)


def vmap(f: Callable[..., Any], *, compile: bool = True) -> Callable[..., Any]:
    """Return the function that maps f over the rows of data, as a Dask array.

    >>> rows = sg.distributed.vmap(lambda x: (x**2).sum())(np.arange(6.0).reshape(3, 2))
    >>> rows.compute()
    array([ 1., 13., 41.])
    """
    return _stacked("distributed.vmap", func.vmap, f, 0, compile)


def _stacked(name: str, make: Any, f: Callable[..., Any], numbers: int, compile: bool) -> Callable[..., Any]:
    needs(name, "dask")
    check_function(name, f)
    kernel = Kernel(make, f, compiled=compile)

    def call(*args: Any) -> Any:
        blocks = blocks_of(name, args[numbers:])
        params, _ = arrays_of(args[:numbers])
        order = Order(name, kernel, params, False, len(blocks), versions(), uuid.uuid4().hex)
        return _array(order, blocks, args[numbers:])

    return call


def _array(order: Order, blocks: Blocks, data: Any) -> Any:
    """Return the Dask array of all blocks' rows. Its shape and dtype are learnt from one row of ones."""
    if blocks.edges is None:
        raise ArgumentError(
            f"{order.name}: the blocks' lengths are not known, so the result has no shape. Pass arrays, or compute the "
            "chunks' sizes (compute_chunk_sizes)."
        )
    sample = np.asarray(order.kernel(*order.params, *[np.ones((1, *x.shape[1:]), x.dtype) for x in data]))
    if sample.shape[:1] != (1,):
        raise ArgumentError(
            f"{order.name}: one row of data gave shape {list(sample.shape)}. Expected a row for each row of the block."
        )
    graph, keys = tasks(order, blocks)
    name = f"symgrad-rows-{order.token}"
    places = [0] * (sample.ndim - 1)
    graph.update({(name, k, *places): (_value, key) for k, key in enumerate(keys)})
    sizes = tuple(b - a for a, b in zip(blocks.edges, blocks.edges[1:], strict=False))
    chunks = (sizes, *[(n,) for n in sample.shape[1:]])
    return required(order.name, "dask", "dask.array").Array(graph, name, chunks, dtype=sample.dtype)


def _value(part: Part) -> Any:
    return part.value
