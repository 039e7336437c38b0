"""Data as blocks of rows: Dask's arrays, dataframes and delayed blocks, arrays in memory, files mapped into memory.

How they are cut depends on the data alone, never on who computes: so do results, to the last bit.
"""

from __future__ import annotations

import itertools
import math
import uuid
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symgrad.distributed.rows import ArrayRows, FileRows, file_rows
from symgrad.engine.record import TensorBase
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.support.extras import required
from symgrad.transforms.calls import to_numpy

BLOCK_BYTES = 1 << 24  # of all arguments' rows in one block: long enough to hide what a task costs


@dataclass(frozen=True)
class Blocks:
    """The data arguments of each block.

    Attributes:
        graph: Dask's graph that the keys stand in.
        parts: for each block one key, ``ArrayRows`` or ``FileRows`` an argument.
        edges: the rows at which blocks begin, and the last one's end; None where they are not known beforehand.
        sources: the data, held so that a cluster keeps what it has of them.
    """

    graph: dict[Any, Any]
    parts: tuple[tuple[Any, ...], ...]
    edges: tuple[int, ...] | None
    sources: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.parts)


def blocks_of(name: str, data: Sequence[Any]) -> Blocks:
    """Cut the data arguments of the transform ``name`` into blocks of the same rows.

    Raises:
        ArgumentError: if there are no data or no rows, or if arguments differ in their numbers of rows or blocks.
        ArgumentTypeError: if an argument has no rows.
    """
    if not data:
        raise ArgumentError(f"{name}: got no data. Pass arrays whose first axis is that of the observations.")
    given = [_source(name, k, x) for k, x in enumerate(data)]
    if any(isinstance(x, list) for x in given):
        return _by_count(name, given)
    _check_rows(name, [x.shape for x in given])
    chunked = [x for x in given if not isinstance(x, (np.ndarray, FileRows))]
    sizes = _common(name, chunked) if chunked else _own_sizes(given)
    if any(math.isnan(n) for n in sizes):
        return _by_count(name, [x if isinstance(x, list) else _delayed(x) for x in given])
    edges = (0, *itertools.accumulate(int(n) for n in sizes))
    graph: dict[Any, Any] = {}
    columns = [_column(x, edges, graph) for x in given]
    needed = [key for column in columns for key in column if not isinstance(key, (ArrayRows, FileRows))]
    graph = required(name, "dask", "dask.optimization").cull(graph, needed)[0] if needed else {}
    return Blocks(graph, tuple(zip(*columns, strict=True)), edges, tuple(given))


def _source(name: str, k: int, x: Any) -> Any:
    """Return an argument as an array, rows of a file, a Dask array, or a list of delayed blocks."""
    rows = file_rows(x)
    if rows is not None:
        return _with_rows(name, k, rows)
    if isinstance(x, TensorBase):
        x = np.asarray(to_numpy(x))
    if isinstance(x, np.ndarray):
        return _with_rows(name, k, x)
    if hasattr(x, "dask") and hasattr(x, "chunks"):
        return _with_rows(name, k, x)
    if hasattr(x, "to_delayed"):  # a dataframe
        return list(x.to_delayed())
    if isinstance(x, (list, tuple)) and x and all(hasattr(b, "__dask_graph__") for b in x):
        return list(x)
    if hasattr(x, "to_numpy"):
        return _with_rows(name, k, x.to_numpy())
    raise ArgumentTypeError(
        f"{name}: data argument {k} is {type(x).__name__}. Expected an array, np.memmap, Dask array or dataframe, or "
        "a list of delayed blocks."
    )


def _with_rows(name: str, k: int, x: Any) -> Any:
    if not x.shape or x.shape[0] == 0:
        raise ArgumentError(f"{name}: data argument {k} has shape {tuple(x.shape)}. Expected at least one row.")
    return x


def _check_rows(name: str, shapes: Sequence[Any]) -> None:
    rows = {s[0] for s in shapes if not math.isnan(s[0])}
    if len(rows) > 1:
        listed = ", ".join(str(tuple(s)) for s in shapes)
        raise ArgumentError(f"{name}: the data have shapes {listed}. Expected as many rows in each.")


def _common(name: str, arrays: Sequence[Any]) -> Sequence[Any]:
    """Return the rows of the blocks: the first Dask array's."""
    sizes: Sequence[Any] = arrays[0].chunks[0]
    others = [x for x in arrays if x.chunks[0] != sizes and not any(map(math.isnan, (*x.chunks[0], *sizes)))]
    if others:
        warnings.warn(
            f"{name}: the data's chunks differ along the first axis; they are rechunked like the first argument's. "
            "Rechunk them yourself to save that at each call.",
            stacklevel=4,
        )
    return sizes


def _own_sizes(given: Sequence[Any]) -> list[int]:
    """Return the rows of blocks of BLOCK_BYTES."""
    total = given[0].shape[0]
    row = sum(math.prod(x.shape[1:]) * x.dtype.itemsize for x in given)
    most = max(1, BLOCK_BYTES // max(row, 1))
    count = -(-total // most)
    return [total // count + (k < total % count) for k in range(count)]


def _column(x: Any, edges: tuple[int, ...], graph: dict[Any, Any]) -> list[Any]:
    """Return what one argument is for each block."""
    pairs = list(itertools.pairwise(edges))
    if isinstance(x, FileRows):
        return [x.part(a, b) for a, b in pairs]
    if isinstance(x, np.ndarray):
        token = uuid.uuid4().hex
        return [ArrayRows(x[a:b], f"{token}-{a}") for a, b in pairs]
    return _keys(_rechunked(x, tuple(b - a for a, b in pairs)), graph)


def _rechunked(x: Any, sizes: tuple[Any, ...]) -> Any:
    wanted = (sizes, *[(n,) for n in x.shape[1:]])
    return x if x.chunks == wanted else x.rechunk(wanted)


def _keys(x: Any, graph: dict[Any, Any]) -> list[Any]:
    """Add the graph of a Dask array, chunked by rows, and return the keys of its blocks."""
    keys = [(x.name, *place) for place in np.ndindex(*x.numblocks)]
    _add(graph, x, keys)
    return [_computed(graph, key) for key in keys]


def _computed(graph: dict[Any, Any], key: Any) -> Any:
    """Return the rows themselves for a block that is computed already: one task less."""
    value = held(graph[key])
    return ArrayRows(value, uuid.uuid4().hex) if isinstance(value, np.ndarray) else key


def held(node: Any) -> Any:
    """Return what a graph has at a key: an array, or a cluster's future, where it is not a task to be done."""
    return getattr(node, "value", node)


def is_future(x: Any) -> bool:
    """Whether x is on a cluster, or is being computed there."""
    return hasattr(x, "key") and hasattr(x, "add_done_callback")


def _add(graph: dict[Any, Any], x: Any, keys: Sequence[Any]) -> None:
    """Add what a collection depends on; optimising leaves out what a cluster holds already, which is named here."""
    given = dict(x.__dask_graph__())
    there = {key: given[key] for key in keys if key in given}
    if len(there) == len(keys) and all(isinstance(v := held(n), np.ndarray) or is_future(v) for n in there.values()):
        graph.update(there)
        return
    (shorter,) = required("distributed", "dask", "dask").optimize(x)
    graph.update(shorter.__dask_graph__())
    graph.update({key: given[key] for key in keys if key not in graph})


def _delayed(x: Any) -> list[Any]:
    if isinstance(x, (np.ndarray, FileRows)):
        raise ArgumentError(
            "distributed: an array beside blocks of unknown lengths cannot be divided in the same way. Pass it as a "
            "list of delayed blocks, or compute the chunks' sizes (compute_chunk_sizes)."
        )
    return list(_rechunked(x, x.chunks[0]).to_delayed().ravel())


def _by_count(name: str, given: Sequence[Any]) -> Blocks:
    """Return blocks of unknown lengths: the arguments' first, second, … belong together."""
    columns = [x if isinstance(x, list) else _delayed(x) for x in given]
    counts = [len(c) for c in columns]
    if len(set(counts)) > 1:
        raise ArgumentError(f"{name}: the data have {counts} blocks. Expected as many in each.")
    graph: dict[Any, Any] = {}
    for block in itertools.chain(*columns):
        _add(graph, block, [block.key])
    return Blocks(graph, tuple(zip(*[[b.key for b in c] for c in columns], strict=True)), None, tuple(given))
