"""Sequences of different lengths, padded to one length or packed step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ShapeError
from symgrad.functions import cat, stack
from symgrad.support.arguments import check_all
from symgrad.tensors.creation import full

__all__ = [
    "PackedSequence", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence",
    "unpack_sequence", "unpad_sequence",
]  # fmt: skip


class PackedSequence(NamedTuple):
    """Packed sequences, as ``pack_padded_sequence`` returns them: the entries of each step, longest sequence first."""

    data: Any
    batch_sizes: Any
    sorted_indices: Any = None
    unsorted_indices: Any = None


def pad_sequence(
    sequences: Sequence[Any], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Any:
    """Pad sequences (T_k, …) with a number, and stack them into one tensor (T, N, …), where T is the largest T_k.

    >>> sg.nn.utils.rnn.pad_sequence([sg.ones(2), sg.ones(1)], batch_first=True)
    tensor([[1., 1.],
            [1., 0.]])
    """
    if padding_side not in ("left", "right"):
        raise ArgumentError(f"padding_side should be either 'right' or 'left', but got {padding_side}.")
    rows = [as_tensor(s) for s in sequences]
    if not rows or any(s.ndim == 0 for s in rows):
        raise ArgumentError(
            f"pad_sequence: got {len(rows)} sequences, {sum(s.ndim == 0 for s in rows)} of them numbers. Expected a "
            "list of tensors (T, …), as in pad_sequence([x, y])."
        )
    longest = max((len(s) for s in rows), default=0)
    rest = [full((longest - len(s), *s.shape[1:]), padding_value, dtype=s.dtype) for s in rows]
    ends = zip(rows, rest, strict=True)
    return stack([cat([s, r] if padding_side == "right" else [r, s]) for s, r in ends], 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """Return the sequences of a padded tensor (T, N, …), each cut to its length."""
    x = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [x[k, :n] for k, n in enumerate(as_tensor(lengths).tolist())]


def _descending(counts: Any, enforce_sorted: bool) -> Any:
    """Return the order in which the lengths decrease, or None if they must decrease already."""
    if not enforce_sorted:
        return np.argsort(-counts, kind="stable")
    if np.any(np.diff(counts) > 0):
        raise ArgumentError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence."
        )
    return None


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack padded sequences (T, N, …), so that a recurrent network stops at the end of each.

    Args:
        input: the padded sequences.
        lengths: (N,), at least 1.
        batch_first: whether the input has the shape (N, T, …).
        enforce_sorted: whether the lengths must decrease; pass False if they do not.

    Raises:
        ArgumentError: if the lengths do not decrease, or one is less than 1.
        ShapeError: if the number of lengths is not N.
    """
    x, counts = as_tensor(input), as_tensor(lengths).numpy()
    x = x.transpose(0, 1) if batch_first else x
    if counts.shape != (x.shape[1],):
        raise ShapeError(f"Expected `len(lengths)` to be equal to batch_size, {x.shape[1]}, but got {counts.shape}.")
    if counts.size and not 1 <= counts.min() <= counts.max() <= x.shape[0]:
        raise ArgumentError(f"Length of all samples has to be from 1 to {x.shape[0]}, but found {counts.tolist()}.")
    order = _descending(counts, enforce_sorted)
    if order is not None:
        x, counts = x[:, order], counts[order]
    sizes = (counts[None] > np.arange(counts.max(initial=0))[:, None]).sum(1)
    indices = (None, None) if order is None else (as_tensor(order), as_tensor(np.argsort(order)))
    return PackedSequence(_flat(x, sizes), as_tensor(sizes), *indices)


def _flat(x: Any, sizes: Any) -> Any:
    """The first entries of each step, one after the other."""
    places = np.concatenate([t * x.shape[1] + np.arange(n) for t, n in enumerate(sizes)])
    return x.flatten(0, 1)[places]


def pad_packed(packed: PackedSequence, padding: float = 0.0) -> tuple[Any, Any]:
    """The sequences (T, N, …) as they are sorted, and their lengths."""
    sizes, data = packed.batch_sizes.numpy(), packed.data
    n = int(sizes[0])
    places = np.full((len(sizes), n), len(data))
    for t, (start, size) in enumerate(zip(np.cumsum(sizes) - sizes, sizes, strict=True)):
        places[t, :size] = start + np.arange(size)
    filled = cat([data, full((1, *data.shape[1:]), padding, dtype=data.dtype)])
    return filled[places], (sizes[:, None] > np.arange(n)).sum(0)


def repack(x: Any, packed: PackedSequence) -> PackedSequence:
    """Pack a tensor (T, N, …) with the lengths of a packed sequence."""
    return packed._replace(data=_flat(x, packed.batch_sizes.numpy()))


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Any, Any]:
    """Undo ``pack_padded_sequence``: return the padded sequences (T, N, …) and their lengths (N,)."""
    x, lengths = pad_packed(sequence, padding_value)
    if total_length is not None:
        if total_length < len(x):
            raise ArgumentError(f"Expected total_length to be at least {len(x)}, but got {total_length}.")
        x = cat([x, full((total_length - len(x), *x.shape[1:]), padding_value, dtype=x.dtype)])
    if sequence.unsorted_indices is not None:
        back = sequence.unsorted_indices.numpy()
        x, lengths = x[:, back], lengths[back]
    return x.transpose(0, 1) if batch_first else x, as_tensor(lengths)


def pack_sequence(sequences: Sequence[Any], enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of sequences (T_k, …)."""
    return pack_padded_sequence(pad_sequence(sequences), [len(s) for s in sequences], False, enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """Return the list of sequences in a packed sequence."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences))


check_all(globals(), __all__)
