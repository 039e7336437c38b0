"""Sequences of different lengths, with the names of ``torch.nn.utils.rnn``."""

from symgrad.nn.sequences import (
    PackedSequence,
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
    unpack_sequence,
    unpad_sequence,
)
from symgrad.support.namespace import namespace

__all__ = [
    "PackedSequence", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence",
    "unpack_sequence", "unpad_sequence",
]  # fmt: skip

__getattr__, __dir__ = namespace(globals(), __all__)
