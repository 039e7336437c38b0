"""Samples in batches, with ``torch.utils.data``'s names. A data set is anything with ``len`` and ``[i]``."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from symgrad.engine.generator import Generator, source
from symgrad.errors import ArgumentError, ArgumentTypeError, IndexRangeError, ShapeError
from symgrad.functions import stack
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace
from symgrad.tensors.creation import as_tensor
from symgrad.tensors.random import multinomial
from symgrad.tensors.tensor import Tensor

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset", "RandomSampler",
    "Sampler", "SequentialSampler", "StackDataset", "Subset", "SubsetRandomSampler", "TensorDataset",
    "WeightedRandomSampler", "default_collate", "default_convert", "get_worker_info", "random_split",
]  # fmt: skip


class Dataset:
    """The base class of data sets: ``__getitem__(i)`` returns a sample, and ``__len__`` the number of samples."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __len__(self) -> int:
        raise NotImplementedError("Subclasses of Dataset should implement __len__.")

    def __add__(self, other: Any) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """The base class of data sets that are iterated over: ``__iter__`` yields the samples; ``len`` is not needed."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __len__(self) -> int:
        raise ArgumentTypeError(f"len(): {type(self).__name__} is iterated over, and its length is unknown.")

    def __add__(self, other: Any) -> Any:
        return ChainDataset([self, other])


class ChainDataset(IterableDataset):
    """The samples of several iterable data sets, one data set after another."""

    def __init__(self, datasets: Sequence[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            yield from dataset

    def __len__(self) -> int:
        return sum(len(d) for d in self.datasets)


class ConcatDataset(Dataset):
    """The samples of several data sets, one data set after another.

    >>> data = sg.utils.data.ConcatDataset([["a", "b"], ["c"]])
    >>> len(data), data[2], data[-1]
    (3, 'c', 'c')
    """

    def __init__(self, datasets: Sequence[Any]) -> None:
        if not datasets:
            raise ArgumentError("ConcatDataset: got no data sets. Pass at least one.")
        self.datasets = list(datasets)
        self.cumulative_sizes = np.cumsum([len(d) for d in self.datasets]).tolist()

    def __getitem__(self, index: Any) -> Any:
        k = int(index) + (len(self) if index < 0 else 0)
        if not 0 <= k < len(self):
            raise IndexRangeError(f"ConcatDataset: index {index} is out of range of {len(self)} samples.")
        part = int(np.searchsorted(self.cumulative_sizes, k, "right"))
        return self.datasets[part][k - (self.cumulative_sizes[part - 1] if part else 0)]

    def __len__(self) -> int:
        return int(self.cumulative_sizes[-1])


class StackDataset(Dataset):
    """Data sets of equal length side by side: sample i is a tuple, or a dict, of their samples i."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.datasets: Any = args or kwargs
        sizes = {len(d) for d in (args or kwargs.values())}
        if len(sizes) != 1 or (args and kwargs):
            raise ShapeError(f"StackDataset: got data sets of lengths {sorted(sizes)}. Expected one length.")

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {k: d[index] for k, d in self.datasets.items()}
        return tuple([d[index] for d in self.datasets])

    def __len__(self) -> int:
        return len(next(iter(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)))


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
    """The samples of a data set at these indices."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        if _is_array_like(self.dataset) and not isinstance(index, (int, np.integer)):
            return self.dataset[np.asarray(self.indices)[np.asarray(index)]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Generator | None = None) -> list[Subset]:
    """Split a data set at random into parts of these lengths, or of these fractions, which sum to 1.

    Raises:
        ArgumentError: if the lengths do not add up to the length of the data set.
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
    """Return a batch of samples: tensors are stacked, numbers become a tensor, and structures are kept."""
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


def default_convert(data: Any) -> Any:
    """Convert arrays, in any structure, to tensors; everything else is returned unchanged."""
    if isinstance(data, dict):
        return {k: default_convert(v) for k, v in data.items()}
    if isinstance(data, (tuple, list)):
        parts = [default_convert(v) for v in data]
        return type(data)(*parts) if hasattr(data, "_fields") else type(data)(parts)
    return as_tensor(data) if isinstance(data, (np.ndarray, np.generic)) else data


def get_worker_info() -> None:
    """Return None, since samples are loaded in the main process."""


# ------------------------------------------------------------------ samplers
class Sampler:
    """The base class of samplers: ``__iter__`` yields indices of samples, or lists of indices."""

    def __init__(self, data_source: object = None) -> None:
        self.data_source: Any = data_source

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Subclasses of Sampler should implement __iter__.")


class SequentialSampler(Sampler):
    """Sample the elements in order."""

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """Sample the elements in random order, a new one in each pass; or num_samples of them, also with replacement."""

    def __init__(
        self, data_source: object, replacement: bool = False, num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:  # fmt: skip
        super().__init__(data_source)
        if num_samples is not None and num_samples < 1:
            raise ArgumentError(f"num_samples should be a positive integer value, but got num_samples={num_samples}.")
        self.replacement, self.generator, self._count = replacement, generator, num_samples

    @property
    def num_samples(self) -> int:
        """The number of samples in a pass."""
        return len(self.data_source) if self._count is None else self._count

    def __iter__(self) -> Iterator[int]:
        rng, size, left = source(self.generator), len(self.data_source), self.num_samples
        if self.replacement:
            yield from rng.integers(size, size=left).tolist()
            return
        while left > 0:
            yield from rng.permutation(size)[:left].tolist()
            left -= size

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Sample the elements at these indices, in random order."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[Any]:
        return iter([self.indices[k] for k in source(self.generator).permutation(len(self.indices)).tolist()])

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Draw num_samples indices, each with a probability proportional to its weight."""

    def __init__(
        self, weights: Any, num_samples: int, replacement: bool = True, generator: Generator | None = None
    ) -> None:
        self.weights, self.num_samples = as_tensor(weights), num_samples
        self.replacement, self.generator = replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        return iter(drawn.tolist())

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """The indices that a sampler yields, in lists of batch_size.

    >>> list(sg.utils.data.BatchSampler(range(5), 2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        _check_batch(batch_size)
        self.sampler: Any = sampler
        self.batch_size, self.drop_last = batch_size, drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


def _check_batch(batch_size: Any) -> None:
    if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size < 1:
        raise ArgumentError(f"batch_size should be a positive integer value, but got batch_size={batch_size}.")


def _check_batches(batch_size: int | None, has_order: bool, has_batches: bool, drop_last: bool) -> None:
    if has_batches and (batch_size != 1 or has_order or drop_last):
        raise ArgumentError(
            "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last. "
            "Leave those out."
        )
    if batch_size is None and drop_last:
        raise ArgumentError("batch_size=None option disables auto-batching and is exclusive with drop_last.")


def _check_order(iterable: bool, shuffle: bool, has_sampler: bool, has_batches: bool) -> None:
    if has_sampler and shuffle:
        raise ArgumentError("sampler option is mutually exclusive with shuffle. Leave shuffle out.")
    if iterable and (shuffle or has_sampler or has_batches):
        raise ArgumentError(
            "DataLoader: got an IterableDataset and an order. It is iterated over in its own order; omit shuffle, "
            "sampler and batch_sampler."
        )


class DataLoader:
    """An iterable over a data set in batches: ``for X, y in loader``.

    Args:
        dataset: anything with ``len`` and ``[i]``, or an ``IterableDataset``.
        batch_size: the number of samples in a batch; None to yield single samples.
        shuffle: whether to draw a new random order for each pass.
        sampler: an iterable of indices of samples, instead of shuffle.
        batch_sampler: an iterable of lists of indices, instead of batch_size, shuffle, sampler and drop_last.
        num_workers: accepted and ignored, like PyTorch's other options for workers and pinned memory, because samples
            are loaded in the main process.
        collate_fn: a function that makes a batch from a list of samples.
        drop_last: whether to omit the last batch if it is incomplete.
        generator: the generator of the random order.

    Raises:
        ArgumentError: if batch_size is not a positive integer, or if options exclude each other.

    >>> loader = sg.utils.data.DataLoader(sg.utils.data.TensorDataset(sg.arange(5)), batch_size=2)
    >>> [x.tolist() for (x,) in loader]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: object = None,
        batch_sampler: object = None, num_workers: int = 0, collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False, drop_last: bool = False, timeout: float = 0,
        worker_init_fn: Callable[..., Any] | None = None, multiprocessing_context: object = None,
        generator: Generator | None = None, *, prefetch_factor: int | None = None, persistent_workers: bool = False,
        pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        self._iterable = isinstance(dataset, IterableDataset)
        _check_order(self._iterable, bool(shuffle), sampler is not None, batch_sampler is not None)
        _check_batches(batch_size, bool(shuffle) or sampler is not None, batch_sampler is not None, drop_last)
        self.dataset, self.drop_last, self.generator, self.num_workers = dataset, drop_last, generator, num_workers
        self.shuffle, self.collate_fn = shuffle, collate_fn
        self.batch_size = None if batch_sampler is not None else batch_size
        if sampler is None and not self._iterable:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        self.sampler: Any = dataset if self._iterable else sampler
        if batch_sampler is None and batch_size is not None:
            numbers: Any = self.sampler
            batch_sampler = BatchSampler(numbers, batch_size, drop_last)
        self.batch_sampler: Any = batch_sampler

    def __len__(self) -> int:
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)

    def __iter__(self) -> Iterator[Any]:
        if self.batch_sampler is None:
            convert = default_convert if self.collate_fn is None else self.collate_fn
            return (convert(x if self._iterable else self.dataset[x]) for x in self.sampler)
        collate = default_collate if self.collate_fn is None else self.collate_fn
        if self._iterable:
            return (collate(batch) for batch in self.batch_sampler)
        if self.collate_fn is None and _is_array_like(self.dataset):
            return (self.dataset[np.asarray(batch)] for batch in self.batch_sampler)  # all at once
        return (collate([self.dataset[i] for i in batch]) for batch in self.batch_sampler)


def _is_array_like(dataset: Any) -> bool:
    return isinstance(dataset, TensorDataset) or (isinstance(dataset, Subset) and _is_array_like(dataset.dataset))


__getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__, first=True)
