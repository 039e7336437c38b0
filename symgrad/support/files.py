"""Files that are written whole or not at all: beside their place first, then renamed.

Where the system can, what lies beside has no name until it is whole, so that a process that is killed leaves nothing.
"""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from symgrad.errors import ArgumentError, ArgumentTypeError

_UNNAMED = getattr(os, "O_TMPFILE", 0) if os.path.isdir("/proc/self/fd") else 0  # Linux


def path_of(f: Any, what: str) -> Path:
    """Return what names a file as a path.

    Raises:
        ArgumentTypeError: if it is not a path.
        ArgumentError: if it is not a valid file name.
    """
    if not isinstance(f, (str, os.PathLike)):
        raise ArgumentTypeError(f"{what}: expected a path or an open file, got {type(f).__name__}.")
    if "\0" in str(f):
        raise ArgumentError(f"{what}: the path {str(f)!r} contains a null character, and is not a valid name.")
    return Path(f)


def replace_files(texts: Mapping[Path, str | bytes]) -> list[Path]:
    """Write texts in UTF-8, or bytes, and return the files that were there before.

    Until all are written, no file is touched: a failure leaves the old ones. A link stays a link, and a file keeps its
    permissions.

    Raises:
        OSError: if a file cannot be written.
    """
    before = [path for path in texts if path.is_file()]
    with contextlib.ExitStack() as all_written:
        files = [all_written.enter_context(_beside(path)) for path in texts]
        for file, text in zip(files, texts.values(), strict=True):
            file.write(text.encode("utf-8") if isinstance(text, str) else text)
        for file in files:
            file.finish()
        for file in files:
            file.put()
    return before


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file to write to, which takes the place of the one at a path when the block ends without an error.

    Raises:
        OSError: if the file cannot be written.
    """
    with _beside(path) as file:
        yield file.open
        file.finish()
        file.put()


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[_File]:
    """Yield a file that replaces the target at the end; a pipe, which cannot be replaced, gets all bytes then."""
    place = os.path.realpath(path)
    exists = os.path.exists(place)
    if exists and not os.path.isfile(place):
        with path.open("wb") as opened:
            yield _Stream(opened)
        return
    if exists and not os.access(place, os.W_OK):
        raise PermissionError(13, "Permission denied", str(path))
    try:
        file = _Beside(place)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    try:
        yield file
    finally:
        file.drop()


class _File:
    """A file that passes everything on as it is written."""

    def __init__(self, opened: IO[bytes]) -> None:
        self.open = opened

    def write(self, data: bytes) -> None:
        """Append bytes to the file."""
        self.open.write(data)

    def finish(self) -> None:
        """Flush all bytes to the disk, with the permissions of the file that is replaced."""

    def put(self) -> None:
        """Take the place."""


class _Stream(_File):
    """A stream without positions to seek: bytes are collected, and written at the end."""

    def __init__(self, opened: IO[bytes]) -> None:
        self._end = opened
        super().__init__(io.BytesIO())

    def finish(self) -> None:
        self._end.write(self.open.getvalue())  # type: ignore[attr-defined]


class _Beside(_File):
    """A file in the folder of its place, without a name where the system can."""

    def __init__(self, place: str) -> None:
        self.place, self.name = place, ""
        super().__init__(os.fdopen(self._number(os.path.dirname(place)), "wb"))

    def _number(self, folder: str) -> int:
        if _UNNAMED:
            with contextlib.suppress(OSError):  # not all file systems can
                return os.open(folder, _UNNAMED | os.O_WRONLY, 0o600)
        number, self.name = tempfile.mkstemp(prefix=".symgrad-", dir=folder)
        return number

    def finish(self) -> None:
        number = self.open.fileno()
        self.open.flush()
        os.fsync(number)
        where: Any = number if os.chmod in os.supports_fd else self.name
        os.chmod(where, stat.S_IMODE(os.stat(self.place).st_mode) if os.path.exists(self.place) else _usual_mode())

    def put(self) -> None:
        if not self.name:
            number, self.name = self.open.fileno(), f"{os.path.dirname(self.place)}/.symgrad-{secrets.token_hex(8)}"
            os.link(f"/proc/self/fd/{number}", self.name, src_dir_fd=number, follow_symlinks=True)
        self.open.close()
        os.replace(self.name, self.place)
        self.name = ""

    def drop(self) -> None:
        """Remove what did not take its place."""
        with contextlib.suppress(OSError):
            self.open.close()
        if self.name:
            with contextlib.suppress(OSError):
                os.unlink(self.name)


def _usual_mode() -> int:
    """Return the permissions that a new file has."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
