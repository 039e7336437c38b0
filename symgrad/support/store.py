"""Entries on disk that processes share: bytes under a key, there whole or not at all, checked whenever they are read.

An entry is a line of JSON, which says what it is of, and the bytes. What is read may be run, so the folder must belong
to this user, and nobody else may write there. A folder that the user requested and that cannot be used is reported
once.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from symgrad import _version
from symgrad.errors import ArgumentError

WHERE, SIZE = "SYMGRAD_CACHE_DIR", "SYMGRAD_CACHE_SIZE"
USUAL = 256 * 2**20  # bytes
USUAL_SECONDS = 0.1
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_MARK = "symgrad cache 1"
_END, _UNFINISHED = ".entry", ".part"
_ABANDONED = 3600  # seconds after which an unfinished entry is nobody's any more
_others_may_write = stat.S_IWGRP | stat.S_IWOTH
_said: set[str] = set()


class Store:
    """The entries of one folder, which together take up a number of bytes at most.

    Args:
        folder: where they are.
        most: the bytes of all entries.
        after: the seconds that what is written must have taken; where it is not 0, failures are not reported.
    """

    def __init__(self, folder: Path, most: int, after: float = 0.0) -> None:
        self.folder, self.most, self.after = folder, most, after

    def read(self, key: Mapping[str, str]) -> bytes | None:
        """Return the bytes of a key; None where there are none, or where they are not what was written."""
        place = self._place(key)
        try:
            with open(place, "rb", opener=_without_waiting) as file:
                told = os.fstat(file.fileno())
                if not (stat.S_ISREG(told.st_mode) and _is_own(told) and told.st_size <= self.most):
                    return None
                head, _, data = file.read().partition(b"\n")
            if head != _head(key, data):
                return None
            os.utime(place)  # what was used last goes last
        except OSError:
            return None
        return data

    def write(self, key: Mapping[str, str], data: bytes, spent: float = math.inf) -> None:
        """Store bytes that took some seconds under a key, and remove the entries unused for longest."""
        whole = _head(key, data) + b"\n" + data
        if len(whole) > self.most or spent < self.after:
            return
        try:
            number, made = tempfile.mkstemp(_UNFINISHED, dir=self.folder)
            try:
                with os.fdopen(number, "wb") as file:
                    file.write(whole)
                os.replace(made, self._place(key))
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(made)
                raise
            self._shorten()
        except OSError as error:
            if not self._place(key).exists():  # nor did another process write it meanwhile
                _without(self.folder, error, self.after)

    def _place(self, key: Mapping[str, str]) -> Path:
        return self.folder / (sha256(_canonical(key).encode()).hexdigest() + _END)

    def _shorten(self) -> None:
        """Remove the entries unused for longest until the rest is small enough, and unfinished ones."""
        entries = sorted(self._files(_END), reverse=True)
        total = 0
        for _, size, path in entries:
            total += size
            if total > self.most:
                _remove(path)
        for used, _, path in self._files(_UNFINISHED):
            if used < time.time_ns() - _ABANDONED * 10**9:
                _remove(path)

    def _files(self, end: str) -> Iterator[tuple[int, int, str]]:
        """Yield when each file was used last, its bytes, and its path; another process may remove it meanwhile."""
        with os.scandir(self.folder) as entries:
            for file in entries:
                if file.name.endswith(end):
                    with contextlib.suppress(OSError):
                        told = file.stat(follow_symlinks=False)
                        yield told.st_mtime_ns, told.st_size, file.path


def opened(after: float | None = 0.0) -> Store | None:
    """Return the entries of this user; None where there are to be none, or where no folder can be used.

    Args:
        after: the seconds from which something is written. With 0, a folder that cannot be used is reported once;
            None: never.

    Raises:
        ArgumentError: if SYMGRAD_CACHE_SIZE is not a number of bytes.
    """
    most = 0 if after is None else _most()
    if after is None or not most:
        return None
    folder: Any = "the cache's folder"
    try:
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        told = folder.stat()
        if not stat.S_ISDIR(told.st_mode):
            raise NotADirectoryError(20, "no folder")
        if not _is_own(told):
            raise PermissionError(1, "it belongs to another user, or others may write there")
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
        _without(folder, error, after)
        return None
    return Store(folder, most, after)


def seconds_before_storing(asked: bool | None) -> float | None:
    """Return from how many seconds on something is stored, for what the user requested; None: never."""
    if asked is None:
        return 0.0 if os.environ.get(WHERE) else USUAL_SECONDS
    return 0.0 if asked else None


def _folder() -> Path:
    """Return SYMGRAD_CACHE_DIR, or the place where this system's programs keep what they can compute again."""
    named = os.environ.get(WHERE)
    if named:
        return Path(named).expanduser().absolute()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "symgrad" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "symgrad"
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "symgrad"


def _most() -> int:
    text = os.environ.get(SIZE, "").strip().upper()
    if not text:
        return USUAL
    unit = text[-1] if text[-1] in _UNITS else ""
    number = text.removesuffix(unit)
    if not (number.isascii() and number.isdigit()):
        raise ArgumentError(f"{SIZE}={os.environ[SIZE]!r}. Expected a number of bytes, such as 500000, 256M or 1G.")
    return int(number) * _UNITS[unit]


def _is_own(told: os.stat_result) -> bool:
    """Whether a file is this user's, and nobody else may write to it; where systems know no users, it is."""
    return os.name == "nt" or (told.st_uid == os.geteuid() and not told.st_mode & _others_may_write)


def _without(folder: Any, error: Exception, after: float) -> None:
    """Say once that a folder cannot be used, where the user requested it."""
    if after or str(folder) in _said:
        return
    _said.add(str(folder))
    why = getattr(error, "strerror", None) or error
    warnings.warn(
        f"compile: nothing is stored in {folder}: {why}. Set {WHERE} to a folder of your own, or omit cache=True.",
        UserWarning,
        stacklevel=2,
    )


def _canonical(key: Mapping[str, str]) -> str:
    return json.dumps({"symgrad": _version.__version__, **key}, sort_keys=True)


def _head(key: Mapping[str, str], data: bytes) -> bytes:
    """Return the first line of an entry."""
    told = {"key": json.loads(_canonical(key)), "bytes": len(data), "sha256": sha256(data).hexdigest()}
    return f"{_MARK} {json.dumps(told, sort_keys=True)}".encode()


def _without_waiting(path: str, flags: int) -> int:
    """Open a file at once, also where it is a pipe that nobody writes to."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
