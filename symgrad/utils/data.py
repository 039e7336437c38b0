"""Samples in batches, with ``torch.utils.data``'s names. A data set is anything with ``len`` and ``[i]``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from symgrad.engine.generator import Generator, source
from symgrad.errors import ArgumentError, ShapeError
from symgrad.functions import stack
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace
from symgrad.tensors.creation import as_tensor
from symgrad.tensors.tensor import Tensor

__all__ = ["DataLoader", "Dataset", "Subset", "TensorDataset", "default_collate", "random_split"]


class Dataset:
    """The base of data sets: ``__getitem__(i)`` gives a sample, ``__len__`` how many there are."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __len__(self) -> int:
        raise NotImplementedError("Subclasses of Dataset should implement __len__.")


class TensorDataset(Dataset):
    """Samples along the first axis of tensors of equal length: sample i is ``(X[i], y[i], …)``.

    >>> data = sg.utils.data.TensorDataset(sg.eye(3), sg.arange(3))
    >>> len(data), data[1]
    (3, (tensor([0., 1., 0.]), tensor(1)))
    """

    def __init__(self, *tensors: Any) -> None:
        self.tensors = tuple([as_tensor(t) for t in tensors])
        sizes = {t.shape[0] if t.ndim else None for t in self.tensors}
        if len(sizes) != 1 or None in sizes:
            raise ShapeError(f"Size mismatch between tensors. Got shapes {[t.shape for t in self.tensors]}.")

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple([t[index] for t in self.tensors])

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class Subset(Dataset):
    """Some of the samples of a data set, by number."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        if _is_array_like(self.dataset) and not isinstance(index, (int, np.integer)):
            return self.dataset[np.asarray(self.indices)[np.asarray(index)]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Generator | None = None) -> list[Subset]:
    """Cut a data set at random into parts of these lengths, or of these shares, which sum to 1.

    Raises:
        ArgumentError: the lengths do not sum to that of the data set.
    """
    count = len(dataset)
    sizes = [int(n) for n in lengths]
    if all(0 <= n <= 1 for n in lengths) and math.isclose(sum(lengths), 1):
        sizes = [math.floor(count * share) for share in lengths]
        for k in range(count - sum(sizes)):
            sizes[k % len(sizes)] += 1
    if sum(sizes) != count:
        raise ArgumentError(
            f"Sum of input lengths does not equal the length of the input dataset! Got {list(lengths)} for {count}."
        )
    order = source(generator).permutation(count).tolist()
    ends = np.cumsum(sizes).tolist()
    return [Subset(dataset, order[end - n : end]) for n, end in zip(sizes, ends, strict=True)]


def default_collate(batch: Sequence[Any]) -> Any:
    """Make a batch of samples: tensors are stacked, numbers become a tensor, structures are kept."""
    if not len(batch):
        raise ArgumentError("default_collate: got no samples. Pass at least one.")
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch))
    if isinstance(first, (bool, int, float, np.ndarray, np.generic)):
        return as_tensor(np.stack([np.asarray(x) for x in batch]))
    if isinstance(first, dict):
        if any(not isinstance(x, dict) or not first.keys() <= x.keys() for x in batch):
            raise ArgumentError(f"default_collate: a sample lacks some of the keys {[*first]} of the first one.")
        return {k: default_collate([x[k] for x in batch]) for k in first}
    if isinstance(first, (tuple, list)):
        if any(len(x) != len(first) for x in batch):
            raise ShapeError(
                f"each element in list of batch should be of equal size. Got lengths {[len(x) for x in batch]}; pad "
                "the samples, or pass a collate_fn."
            )
        columns = [default_collate(column) for column in zip(*batch)]
        return type(first)(*columns) if hasattr(first, "_fields") else type(first)(columns)
    return list(batch)


class DataLoader:
    """A data set in batches: ``for X, y in loader``.

    Args:
        dataset: anything with ``len`` and ``[i]``.
        batch_size: samples a batch; None gives samples one by one as they are.
        shuffle: whether each pass has an order of its own.
        drop_last: whether a last batch that is not full is left out.
        collate_fn: what makes a batch of a list of samples.
        generator: where the order comes from.

    Raises:
        ArgumentError: batch_size is not a positive integer.

    >>> loader = sg.utils.data.DataLoader(sg.utils.data.TensorDataset(sg.arange(5)), batch_size=2)
    >>> [x.tolist() for (x,) in loader]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool = False, *, drop_last: bool = False,
        collate_fn: Callable[[list[Any]], Any] | None = None, generator: Generator | None = None,
    ) -> None:  # fmt: skip
        if batch_size is not None and (not isinstance(batch_size, int) or batch_size < 1):
            raise ArgumentError(f"batch_size should be a positive integer value, but got batch_size={batch_size}.")
        self.dataset, self.batch_size, self.shuffle, self.drop_last = dataset, batch_size, shuffle, drop_last
        self.collate_fn, self.generator = collate_fn, generator

    def __len__(self) -> int:
        count, size = len(self.dataset), self.batch_size or 1
        return count // size if self.drop_last else -(-count // size)

    def __iter__(self) -> Iterator[Any]:
        count = len(self.dataset)
        order = source(self.generator).permutation(count) if self.shuffle else np.arange(count)
        if self.batch_size is None:
            yield from (self.dataset[int(i)] for i in order)
            return
        for k in range(len(self)):
            yield self._batch(order[k * self.batch_size : (k + 1) * self.batch_size])

    def _batch(self, indices: Any) -> Any:
        if self.collate_fn is None and _is_array_like(self.dataset):
            return self.dataset[indices]  # all at once
        samples = [self.dataset[int(i)] for i in indices]
        return default_collate(samples) if self.collate_fn is None else self.collate_fn(samples)


def _is_array_like(dataset: Any) -> bool:
    return isinstance(dataset, TensorDataset) or (isinstance(dataset, Subset) and _is_array_like(dataset.dataset))


__getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__, first=True)
