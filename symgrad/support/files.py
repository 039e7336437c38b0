"""Files that are written whole or not at all: beside their place first, then renamed."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path


def replace_files(texts: Mapping[Path, str | bytes]) -> list[Path]:
    """Write texts in UTF-8, or bytes, and return the files that were there before.

    Until all are written, no file is touched: a failure leaves the old ones. A link stays a link, and a file keeps its
    permissions.

    Raises:
        OSError: a file cannot be written.
    """
    before = [path for path in texts if path.is_file()]
    ready: list[tuple[str, str]] = []
    try:
        for path, text in texts.items():
            _prepare(path, text.encode("utf-8") if isinstance(text, str) else text, ready)
        for made, place in ready:
            os.replace(made, place)
    finally:
        for made, _ in ready:
            with contextlib.suppress(OSError):
                os.unlink(made)
    return before


def _prepare(path: Path, data: bytes, ready: list[tuple[str, str]]) -> None:
    """Write beside the place; what is no file, such as a pipe, is written to at once."""
    place = os.path.realpath(path)
    if os.path.exists(place) and not os.path.isfile(place):
        path.write_bytes(data)
        return
    if os.path.exists(place) and not os.access(place, os.W_OK):
        raise PermissionError(13, "Permission denied", str(path))
    try:
        number, made = tempfile.mkstemp(prefix=".symgrad-", dir=os.path.dirname(place))
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    ready.append((made, place))
    with os.fdopen(number, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if os.path.exists(place):
        shutil.copymode(place, made)
    else:
        os.chmod(made, _usual_mode())


def _usual_mode() -> int:
    """Return the permissions that a new file has."""
    mask = os.umask(0)
    os.umask(mask)
    return (stat.S_IRUSR | stat.S_IWUSR | stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH) & ~mask
