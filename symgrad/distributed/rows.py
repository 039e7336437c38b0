"""Rows of data: of an array in memory, or of a file that a user mapped, which each worker reads itself."""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from symgrad.errors import ArgumentError


@dataclass(frozen=True)
class ArrayRows:
    """Rows of an array in memory. Dask need not hash them: the token tells them from others."""

    values: Any
    token: str

    def __dask_tokenize__(self) -> str:
        """Return the token."""
        return self.token


class FileRows(NamedTuple):
    """Rows of one array in a file: where they begin, in bytes, and their shape and dtype."""

    path: str
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def read(self) -> Any:
        """Return the rows, read into memory of their own.

        Raises:
            ArgumentError: if the file does not exist, or is shorter than before.
        """
        count = int(np.prod(self.shape))
        try:
            values = np.fromfile(self.path, self.dtype, count, offset=self.offset)
        except OSError as error:
            raise ArgumentError(
                f"{self.path}: cannot be read here: {error.strerror}. Put the file where every worker finds it under "
                "this name."
            ) from None
        if values.size != count:
            raise ArgumentError(f"{self.path}: got {values.size} numbers, expected {count}. Was the file cut?")
        return values.reshape(self.shape)

    def part(self, start: int, stop: int) -> FileRows:
        """Return rows start to stop of these."""
        row = int(np.prod(self.shape[1:])) * self.dtype.itemsize
        return FileRows(self.path, self.offset + start * row, (stop - start, *self.shape[1:]), self.dtype)


def file_rows(x: Any) -> FileRows | None:
    """Return where an array stands in its file; None for one that is not mapped, or whose rows are not in order there.

    A copy-on-write map ("c") may differ from its file, so it is taken as an array in memory.
    """
    if not isinstance(x, np.memmap) or x.filename is None or x.mode == "c" or not x.flags.c_contiguous:
        return None
    whole = x
    while isinstance(whole.base, np.memmap):
        whole = whole.base
    if not isinstance(whole.base, mmap.mmap):
        return None
    if x.mode != "r":
        x.flush()
    offset = whole.offset + x.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    return FileRows(os.path.abspath(x.filename), offset, x.shape, x.dtype)
