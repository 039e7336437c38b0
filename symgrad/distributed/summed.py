"""Derivatives of a loss that is a sum, or a mean, over the data's rows."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from symgrad import func
from symgrad.core import trees
from symgrad.core.promotion import is_complex
from symgrad.distributed.blocks import Blocks, blocks_of
from symgrad.distributed.rows import ArrayRows, FileRows
from symgrad.distributed.runs import MERGED, runs
from symgrad.distributed.scheduler import answer, answer_on, client_in_place, places, workers
from symgrad.distributed.work import (
    BlockKernel,
    BlockPlace,
    Order,
    Run,
    evaluate,
    evaluate_run,
    first,
    infinite,
    is_number,
    merged,
    versions,
)
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, NanBlockError
from symgrad.support.arguments import checked
from symgrad.support.extras import needs
from symgrad.transforms.arguments import Argnums, check_argnums, check_function

Reduce = Literal["sum", "mean"]


@checked
def value_and_grad(
    loss: Callable[..., Any], argnums: Argnums = 0, reduce: Reduce = "sum", *, compile: bool = True
) -> Callable[..., Any]:
    """Return the function (θ, *data) ↦ (L, ∇L) for L(θ) = Σ_b ℓ(θ, block b), or the mean over all rows.

    Args:
        loss: loss(params, *block), one number: with "sum" the sum over the block's rows, with "mean" their mean.
        argnums: the positions of the parameters to differentiate with respect to. All arguments up to the last of
            these positions are parameters; the others are data.
        reduce: "sum" to add the losses of the blocks; "mean" to average them, weighted by their numbers of rows.
        compile: whether each process compiles the loss, once for each shape of block.

    Returns:
        A function of the parameters, in any structure, and the data: Dask arrays, dataframes, lists of delayed blocks,
        arrays, or ``np.memmap``, from whose file each worker reads its own rows. It runs on Dask's threads in this
        process, or on the cluster of the active ``distributed.Client``. The result has the same bytes for any number
        of workers.

    Raises:
        MissingExtra: if Dask is not installed.
        ArgumentError: if the data do not fit together.
        BlockError: if the loss raised an error on a block, or returned nan.
        DistributedError: if a worker has different versions of the packages, or if the scheduler was lost.

    >>> X, y = np.arange(6.0).reshape(3, 2), np.ones(3)
    >>> loss = lambda w, X, y: ((X @ w - y) ** 2).sum()
    >>> sg.distributed.value_and_grad(loss)(np.zeros(2), X, y)
    (3.0, array([-12., -18.]))
    """
    return Summed("value_and_grad", func.value_and_grad, loss, argnums, reduce, compile)


@checked
def grad(
    loss: Callable[..., Any], argnums: Argnums = 0, reduce: Reduce = "sum", *, compile: bool = True
) -> Callable[..., Any]:
    """Return the function (θ, *data) ↦ ∇L; see ``value_and_grad``.

    >>> sg.distributed.grad(lambda w, x: (w * x).mean(), reduce="mean")(1.0, np.arange(4.0))
    1.5
    """
    return Summed("grad", func.grad, loss, argnums, reduce, compile)


@checked
def hessian(
    loss: Callable[..., Any], argnums: Argnums = 0, reduce: Reduce = "sum", *, compile: bool = True
) -> Callable[..., Any]:
    """Return the function (θ, *data) ↦ ∇²L, structured as ``sg.hessian``; see ``value_and_grad``.

    >>> sg.distributed.hessian(lambda w, x: (w**3 * x).sum())(2.0, np.arange(4.0))
    72.0
    """
    return Summed("hessian", func.hessian, loss, argnums, reduce, compile)


@checked
def hvp(loss: Callable[..., Any], reduce: Reduce = "sum", *, compile: bool = True) -> Callable[..., Any]:
    """Return the function (θ, v, *data) ↦ ∇²L·v, without the Hessian; v is structured like θ.

    >>> loss = lambda w, X: ((X @ w) ** 2).sum()
    >>> sg.distributed.hvp(loss)(np.zeros(2), np.array([1.0, 0.0]), np.eye(2))
    array([2., 0.])
    """
    return Summed("hvp", _hvp, loss, 1, reduce, compile)


@checked
def gauss_newton(residuals: Callable[..., Any], reduce: Reduce = "sum", *, compile: bool = True) -> Callable[..., Any]:
    """Return the function (θ, *data) ↦ Σ_b Jᵀ J, where J is the Jacobian of the real residuals r(θ, block).

    If the residuals are linear, this is the Hessian of ½ Σ |r|²; it is positive semidefinite in any case, and
    structured like ``hessian``. With "mean" it belongs to ½ Σ |r|² / n, where n is the number of rows of the data.

    >>> sg.distributed.gauss_newton(lambda w, X, y: X @ w - y)(np.zeros(2), np.eye(2), np.ones(2))
    array([[1., 0.],
           [0., 1.]])
    """
    return Summed("gauss_newton", _gauss_newton, residuals, 0, reduce, compile)


def _hvp(loss: Callable[..., Any]) -> Callable[..., Any]:
    slope = func.grad(loss)
    return lambda p, v, *block: func.jvp(lambda q: slope(q, *block), (p,), (v,))[1]


def _one_real_array(residuals: Any) -> Any:
    if isinstance(residuals, (tuple, list, dict)) or is_complex(residuals.dtype):
        raise ArgumentTypeError(
            "gauss_newton: expected the residuals as one real array. Join several with sg.cat, and of complex ones the "
            "real and the imaginary parts."
        )
    return residuals


def _gauss_newton(residuals: Callable[..., Any], mean: bool) -> Callable[..., Any]:
    jacobian = func.jacobian(lambda p, *block: _one_real_array(residuals(p, *block)))

    def product(p: Any, *block: Any) -> Any:
        jacobians: list[Any] = []
        tree = trees.flatten(jacobian(p, *block), lambda x: is_number(x) or _is_tensor(x), jacobians)
        given = trees.along(tree, p, "gauss_newton: the parameters")
        shapes = [np.shape(x) for x in given]
        flat = [J.reshape(-1, int(np.prod(s))) for J, s in zip(jacobians, shapes, strict=True)]
        rows = float(np.shape(block[0])[0]) if mean else 1.0
        products = [
            [(a.T @ b / rows).reshape(s + t) for b, t in zip(flat, shapes, strict=True)]
            for a, s in zip(flat, shapes, strict=True)
        ]
        return trees.unflatten(tree, iter([trees.unflatten(tree, iter(row)) for row in products]))

    return product


_MATRICES = {"hessian", "gauss_newton"}  # with so many numbers for each parameter
SENT = 1 << 14  # bytes that go with each task, or come back from it


class Summed:
    """A derivative that blocks add up: called with parameters and data."""

    def __init__(
        self, name: str, make: Any, fn: Callable[..., Any], argnums: Argnums, reduce: str, compile: bool
    ) -> None:
        self.name = f"distributed.{name}"
        needs(self.name, "dask")
        check_function(self.name, fn)
        check_argnums(self.name, argnums)
        if not isinstance(reduce, str) or reduce not in ("sum", "mean"):
            raise ArgumentError(f"{self.name}: got reduce={reduce!r}. Expected 'sum' or 'mean'.")
        numbers = argnums if isinstance(argnums, (tuple, list)) else [argnums]
        if min(numbers) < 0 or any(isinstance(k, bool) for k in numbers):
            raise ArgumentError(f"{self.name}: got argnums={argnums!r}. Expected positions from 0 on: data come last.")
        self.numbers = 1 + max(numbers)
        options = {"hvp": [], "gauss_newton": [reduce == "mean"]}.get(name, [argnums])
        self.kernel = BlockKernel(make, fn, *options, compiled=compile, first=self.numbers)
        self.weighted = reduce == "mean"
        self.power = 2 if name in _MATRICES else 1

    def __call__(self, *args: Any) -> Any:
        """Return the derivative at the parameters, over all data."""
        if len(args) < self.numbers:
            raise ArgumentError(f"{self.name}: got {len(args)} arguments, expected {self.numbers} parameters and data.")
        return self.on(args[: self.numbers], blocks_of(self.name, args[self.numbers :]))

    def on(self, given: Sequence[Any], blocks: Blocks) -> Any:
        """Return the derivative over data that are in blocks already."""
        params, is_tensors = arrays_of(given)
        order = Order(self.name, self.kernel, params, self.weighted, len(blocks), versions(), uuid.uuid4().hex)
        local = client_in_place() is None or 8 * order.numbers() ** self.power <= SENT
        (part,) = merged(
            order.joined, order.count, answer_on(self.name, blocks, *_sum(order, blocks, MERGED if local else 1))
        ).values()
        if not part.rows:
            raise ArgumentError(f"{self.name}: the data have no rows in any of {len(blocks)} blocks.")
        if at := first(np.isnan, part.value):
            raise NanBlockError(f"{_infinite(order, blocks)}, and the sum is nan at {at}. Mend the function's domain.")
        return _as_tensors(part.value) if is_tensors else part.value


def _infinite(order: Order, blocks: Blocks) -> str:
    """Return which blocks gave infinite numbers, as no block gave nan but their sum is."""
    said = [text for text in answer(*tasks(order, blocks, infinite)) if text]
    return "; ".join(said[:2]) or f"{order.name}: the blocks' numbers"


def tasks(order: Order, blocks: Blocks, task: Callable[..., Any] = evaluate) -> tuple[dict[Any, Any], list[Any]]:
    """Return a graph with one task for each block, and their keys."""
    graph, name = _ordered(order, blocks)
    keys: list[Any] = []
    for k, parts in enumerate(blocks.parts):
        key = (f"symgrad-block-{order.token}-{task.__name__}", k)
        graph[key] = (task, name, _place(blocks, k), *parts)
        keys.append(key)
    return graph, keys


def _ordered(order: Order, blocks: Blocks) -> tuple[dict[Any, Any], Any]:
    """Return the data's graph, and what tasks call the order by.

    For a cluster a large one is a node of the graph, which each worker is sent once; a small one goes with each task,
    as a node is computed before all that need it. Threads take it as it is.
    """
    if client_in_place() is None:
        return dict(blocks.graph), order
    sent, size = order.sent()
    if size <= SENT:
        return dict(blocks.graph), sent
    name = f"symgrad-order-{order.token}"
    return {**blocks.graph, name: sent}, name


def _place(blocks: Blocks, k: int) -> BlockPlace:
    return BlockPlace(k, None if blocks.edges is None else (blocks.edges[k], blocks.edges[k + 1]))


def _sum(order: Order, blocks: Blocks, most: int = MERGED) -> tuple[dict[Any, Any], list[Any]]:
    """Return a graph whose tasks add several blocks each, and the keys of the partial sums that the caller adds.

    These are ``most`` keys. What is small comes from a few tasks sooner than from one, which others send theirs first.
    """
    graph, name = _ordered(order, blocks)
    keys: list[Any] = []
    for numbers in runs(places(blocks), workers()):
        values: list[Any] = []
        parts = tuple([tuple([_given(p, values) for p in blocks.parts[k]]) for k in numbers])
        key = (f"symgrad-block-{order.token}", *numbers)
        run = Run(tuple([_place(blocks, k) for k in numbers]), parts, f"{order.token}-{numbers[0]}")
        graph[key] = (evaluate_run, name, run, *values)
        keys.append(key)
    level = 0
    while len(keys) > most:
        groups = [keys[i : i + MERGED] for i in range(0, len(keys), MERGED)]
        level += 1
        keys = [(f"symgrad-sum-{order.token}", level, j) for j in range(len(groups))]
        graph.update({key: (merged, order.joined, order.count, group) for key, group in zip(keys, groups, strict=True)})
    return graph, keys


def _given(part: Any, values: list[Any]) -> Any:
    """Return rows as they are; what a task computes is added to its values, and found there by its number."""
    if isinstance(part, (ArrayRows, FileRows)):
        return part
    values.append(part)
    return len(values) - 1


def arrays_of(given: Sequence[Any]) -> tuple[tuple[Any, ...], bool]:
    """Return parameters with arrays for tensors, and whether there was one."""
    tensors: list[Any] = []
    tree = trees.flatten(tuple(given), _is_tensor, tensors)
    return trees.unflatten(tree, iter([np.asarray(t.detach()) for t in tensors])), bool(tensors)


def _is_tensor(x: Any) -> bool:
    return isinstance(x, TensorBase)


def _as_tensors(value: Any) -> Any:
    leaves: list[Any] = []
    tree = trees.flatten(value, is_number, leaves)
    return trees.unflatten(tree, iter([as_tensor(x) for x in leaves]))
