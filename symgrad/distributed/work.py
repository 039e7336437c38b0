"""The code that runs on a worker: one checked kernel on one block, and the sums of the blocks' results."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.metadata
import pickle
import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symgrad.compiler import compile
from symgrad.compiler.tiles import CompiledInTiles
from symgrad.core import trees
from symgrad.core.pickling import AsFunction
from symgrad.core.promotion import is_floating
from symgrad.distributed.rows import ArrayRows, FileRows
from symgrad.distributed.runs import FAN, Sums, add_up
from symgrad.errors import ArgumentError, BlockError, DistributedError, NanBlockError, SymgradError
from symgrad.ops.value import unitless
from symgrad.support.extras import is_installed
from symgrad.support.forks import Lock

MOST_KERNELS = 64
_known: OrderedDict[bytes, _Made] = OrderedDict()
_lock = Lock()


class BlockKernel(AsFunction):
    """``make(fn, *options)``, compiled: pickled by value.

    What is read from the same bytes shares what a process has made of them, so that it compiles once for each shape of
    block, however often it is sent the function. A process that hands it on makes nothing.
    """

    def __init__(
        self,
        make: Callable[..., Any],
        fn: Callable[..., Any],
        *options: Any,
        compiled: bool = True,
        first: int | None = None,
    ) -> None:
        self._given: Any = make, fn, options, compiled, first
        self._made: _Made | None = _Made(make(fn, *options), compiled, first)
        self._written = b""

    def __call__(self, *args: Any) -> Any:
        """Return what the function returns."""
        if self._made is None:
            self._made = _found(self._written)
        return self._made(*args)

    def __reduce__(self) -> Any:
        return _read, (self._as_written(),)

    def _as_written(self) -> bytes:
        if self._written:
            return self._written
        import cloudpickle  # which Dask brings

        return bytes(cloudpickle.dumps(self._given))

    def sent(self) -> tuple[BlockKernel, int]:
        """Return the kernel as others get it, written down already, and its bytes."""
        written = self._as_written()
        return _read(written), len(written)


def _read(written: bytes) -> BlockKernel:
    kernel = BlockKernel.__new__(BlockKernel)
    kernel._made, kernel._written = None, written
    return kernel


class _Made:
    """A derivative in this process: compiled, but eager for blocks on which it cannot be traced.

    ``first`` is where the arguments with rows begin if it is a sum over these.
    """

    def __init__(self, eager: Callable[..., Any], compiled: bool, first: int | None) -> None:
        self.eager, self.compiled = eager, _compiled(eager, first) if compiled else None
        self.traced: set[Any] = set()
        self.untraced: set[Any] = set()
        self._tracing = Lock()

    def __call__(self, *args: Any) -> Any:
        if self.compiled is None:
            return self.eager(*args)
        shapes = _shapes(args)
        if not self._is_known(shapes):
            with self._tracing:  # once for all threads
                if not self._is_known(shapes):
                    return self._called(args, shapes)
        return self._called(args, shapes)

    def _is_known(self, shapes: Any) -> bool:
        return shapes in self.traced or shapes in self.untraced

    def _called(self, args: Any, shapes: Any) -> Any:
        if shapes in self.untraced:
            return self.eager(*args)
        try:
            answer = self.compiled(*args)  # type: ignore[misc]
            self.traced.add(shapes)
        except (SymgradError, TypeError, ValueError):
            answer = self.eager(*args)  # raises where the fault is the function's
            self.untraced.add(shapes)
        return answer


def _shapes(args: Any) -> Any:
    leaves: list[Any] = []
    return trees.flatten(args, is_number, leaves), tuple([np.shape(x) for x in leaves])


def _compiled(eager: Callable[..., Any], first: int | None) -> Callable[..., Any]:
    return compile(eager, tiers=False) if first is None else CompiledInTiles(eager, first)


def _found(written: bytes) -> _Made:
    """Return what this process made of these bytes."""
    digest = hashlib.sha256(written).digest()
    with _lock:
        if digest not in _known:
            make, fn, options, compiled, first = pickle.loads(written)
            _known[digest] = _Made(make(fn, *options), compiled, first)
            while len(_known) > MOST_KERNELS:
                _known.popitem(last=False)
        _known.move_to_end(digest)
        return _known[digest]


def versions() -> str:
    """What two processes must have in common: for the same bytes, and Python to read each other's functions."""
    return f"symgrad {sys.modules['symgrad'].__version__}, NumPy {np.__version__}, {_compilers()}"


@functools.cache
def _compilers() -> str:
    llvm = f"llvmlite {importlib.metadata.version('llvmlite')}" if is_installed("llvm") else "no llvmlite"
    return f"Python {sys.version_info.major}.{sys.version_info.minor}, {llvm}"


@dataclass(frozen=True)
class Order:
    """The data that a call sends to each worker once."""

    name: str
    kernel: BlockKernel
    params: tuple[Any, ...]
    weighted: bool
    count: int
    versions: str
    token: str

    def __dask_tokenize__(self) -> str:
        """Return a token of its own: Dask hashes the values in a graph, and this one is used once."""
        return self.token

    def sent(self) -> tuple[Order, int]:
        """Return the order with its kernel written down, and about how many bytes it has then."""
        kernel, size = self.kernel.sent()
        return replace(self, kernel=kernel), size + self.numbers() * 8

    @property
    def joined(self) -> Callable[[Sequence[PartialSum]], PartialSum]:
        """The function that combines the parts."""
        return averaged if self.weighted else added

    def numbers(self) -> int:
        """The number of parameters."""
        leaves: list[Any] = []
        trees.flatten(self.params, is_number, leaves)
        return sum(np.size(x) for x in leaves)


@dataclass(frozen=True)
class BlockPlace:
    """Which block of the data a task has, and its rows where they are known."""

    number: int
    rows: tuple[int, int] | None


@dataclass(frozen=True)
class Run:
    """The blocks of one task: for each argument of a block its rows, or which of the task's values they are."""

    places: tuple[BlockPlace, ...]
    parts: tuple[tuple[Any, ...], ...]
    token: str

    def __dask_tokenize__(self) -> str:
        """Return the token by which Dask recognises the run."""
        return self.token


@dataclass(frozen=True)
class PartialSum:
    """What blocks gave together: the sum of their structures of arrays, or the mean; None where there are no rows."""

    rows: int
    value: Any


def evaluate(order: Order, place: BlockPlace, *block: Any) -> PartialSum:
    """Return what the kernel gives on one block.

    Raises:
        DistributedError: if the versions in this process differ from those of the caller.
        BlockError: if the kernel raised an error. NanBlockError: if it returned nan.
    """
    _check_versions(order)
    part = _part(order, place, block)
    _check_numbers(order, place, block, part)
    return part


def evaluate_run(order: Order, run: Run, *values: Any) -> Sums:
    """Return what the kernel gives on a task's blocks, added as far as these go; raises as ``evaluate``.

    A nan goes through sums, so that the blocks are examined one by one only where a sum has one.
    """
    _check_versions(order)
    blocks = [[values[p] if type(p) is int else p for p in parts] for parts in run.parts]
    sums: Sums = {}
    for place, block in zip(run.places, blocks, strict=True):
        sums[0, place.number] = _part(order, place, block, sums=True)
        if place.number % FAN == FAN - 1:
            add_up(sums, order.count, order.joined)
    add_up(sums, order.count, order.joined)
    if any(first(np.isnan, part.value) for part in sums.values()):
        for place, block in zip(run.places, blocks, strict=True):
            _check_numbers(order, place, block, _part(order, place, block, sums=True))
    return sums


def infinite(order: Order, place: BlockPlace, *block: Any) -> str:
    """Return which block this is and where its result is infinite; nothing where it is not."""
    at = first(np.isinf, _part(order, place, block, sums=True).value)
    return at and f"{_title(order, place, [array_of(b) for b in block])} gave inf at {at}"


def _check_versions(order: Order) -> None:
    if order.versions != versions():
        raise DistributedError(
            f"{order.name}: {_here()} has {versions()}, the calling process {order.versions}. Install the same there."
        )


def _part(order: Order, place: BlockPlace, block: Sequence[Any], *, sums: bool = False) -> PartialSum:
    """Return what the kernel gives on one block; in a sum, and in a mean, a block without rows has no part."""
    arrays: list[Any] = []
    try:
        arrays += [array_of(b) for b in block]
        rows = _rows(arrays)
        return PartialSum(rows, order.kernel(*order.params, *arrays) if rows or not sums else None)
    except Exception as error:
        raise BlockError(f"{_title(order, place, arrays)} raised {type(error).__name__}: {error}") from error


def _rows(arrays: Sequence[Any]) -> int:
    counts = {a.shape[:1] for a in arrays}
    if len(counts) > 1 or () in counts:
        raise ArgumentError("the data do not have the same rows. Expected as many in each.")
    return len(arrays[0])


def merged(joined: Callable[[Sequence[PartialSum]], PartialSum], count: int, several: Sequence[Sums]) -> Sums:
    """Return the sums of several tasks, added as far as they go."""
    return add_up({key: part for sums in several for key, part in sums.items()}, count, joined)


def array_of(block: Any) -> Any:
    """Return a block as an array: rows of a file are read, a dataframe's columns are put side by side."""
    if isinstance(block, FileRows):
        return block.read()
    if isinstance(block, ArrayRows):
        return block.values
    return unitless(block.to_numpy() if hasattr(block, "to_numpy") else block)


def _title(order: Order, place: BlockPlace, arrays: Sequence[Any]) -> str:
    rows = "" if place.rows is None else f"rows {place.rows[0]} to {place.rows[1] - 1}, "
    shapes = ", ".join(str(a.shape) for a in arrays) or "not read"
    return f"{order.name}: block {place.number} of {order.count} ({rows}shapes {shapes})"


def _check_numbers(order: Order, place: BlockPlace, block: Sequence[Any], part: PartialSum) -> None:
    """Raise where a block gave nan, naming the first bad number: of the data, the parameters or the result."""
    bad = first(np.isnan, part.value)
    if not bad:
        return
    arrays = [array_of(b) for b in block]
    where = f"the result is nan at {bad}"
    given = [*[(f"data argument {k} has", a) for k, a in enumerate(arrays)], ("the parameters have", order.params)]
    for name, test in (("nan", np.isnan), ("inf", np.isinf)):
        places = [f"{what} {name} at {at}" for what, numbers in given if (at := first(test, numbers))]
        if places:
            where = places[0]
            break
    raise NanBlockError(f"{_title(order, place, arrays)} gave nan: {where}. Mend the rows, or the function's domain.")


def first(test: Any, value: Any) -> str:
    """Return the place of the first number in a structure that is so; nothing where there is none."""
    leaves: list[Any] = []
    tree = trees.flatten(value, is_number, leaves)
    for k, x in enumerate(leaves):
        if is_floating(np.result_type(x)) and test(x).any():
            place = np.argwhere(test(x))[0].tolist()
            return f"{trees.paths(tree)[k]}{place if place else ''}" or "[]"
    return ""


def is_number(x: Any) -> bool:
    """Whether x is what a result's structure is made of."""
    return isinstance(x, (np.ndarray, np.number, float))


def averaged(parts: Sequence[PartialSum]) -> PartialSum:
    """Return the mean over the rows of parts: no number in it is larger than theirs."""
    rows = sum(p.rows for p in parts)
    return added([PartialSum(p.rows, _scaled(p.value, p.rows / rows)) if p.rows else p for p in parts])


def _scaled(value: Any, factor: float) -> Any:
    """Return a structure of arrays times a number."""
    leaves: list[Any] = []
    tree = trees.flatten(value, is_number, leaves)
    return trees.unflatten(
        tree, iter([x * type(x)(factor) if isinstance(x, float) else x * x.dtype.type(factor) for x in leaves])
    )


def added(parts: Sequence[PartialSum]) -> PartialSum:
    """Return the sum of parts that have rows, from first to last."""
    parts = [p for p in parts if p.rows] or parts[:1]
    leaves: list[Any] = []
    tree = trees.flatten(parts[0].value, is_number, leaves)
    sums = [np.array(x) for x in leaves]
    for part in parts[1:]:
        more: list[Any] = []
        trees.flatten(part.value, is_number, more)
        for total, x in zip(sums, more, strict=True):
            total += x
    back = [s if isinstance(x, np.ndarray) else type(x)(s[()]) for s, x in zip(sums, leaves, strict=True)]
    return PartialSum(sum(p.rows for p in parts), trees.unflatten(tree, iter(back)))


def _here() -> str:
    """Return the name of this process among the workers."""
    try:
        worker = sys.modules["distributed"].get_worker()
    except (KeyError, ValueError):
        return "a worker process"
    return f"the worker {worker.name} at {worker.address}"
