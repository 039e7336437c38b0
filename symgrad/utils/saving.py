"""``sg.save`` and ``sg.load``: tensors in dicts, lists and tuples, as a zip of arrays and a manifest.

Nothing in a file is executed when it is read, so files of strangers can be opened; each part has a checksum.
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.nn.parameter import Parameter
from symgrad.ops.value import unitless
from symgrad.support.arguments import check_all
from symgrad.support.files import path_of, replaced
from symgrad.tensors.creation import leaf
from symgrad.tensors.tensor import Tensor

_KIND, _VERSION, _MANIFEST = "symgrad", 1, "manifest.json"
_LONGEST = 10_000  # bits of an integer that a manifest has in decimal
_DEEPEST = 100  # containers in one another
_PLAIN = (bool, int, float, str, type(None))


def save(obj: Any, f: Any) -> None:
    """Save tensors, arrays, numbers, strings, and dicts, lists and tuples of these to a file.

    Args:
        obj: the object to save, such as ``model.state_dict()`` or ``optimizer.state_dict()``.
        f: a path, or a file open for writing bytes. An existing file is replaced only when the new one is complete.

    Raises:
        ArgumentTypeError: if obj contains something else, such as a function or a model.
        ArgumentError: if the path is a folder, or its folder does not exist.

    >>> import io
    >>> file = io.BytesIO()
    >>> sg.save({"w": sg.tensor([1.0, 2.0]), "epoch": 3}, file)
    >>> sg.load(file)
    {'w': tensor([1., 2.]), 'epoch': 3}
    """
    arrays: list[np.ndarray[Any, Any]] = []
    manifest = {"kind": _KIND, "version": _VERSION, "tree": _written(obj, arrays, "the object", 0)}
    if isinstance(f, io.TextIOBase):
        raise ArgumentTypeError("save: the file is open for text. Open it for bytes: open(path, 'wb').")
    if hasattr(f, "write"):
        _write(f, manifest, arrays)
        return
    with replaced(target(f, "save")) as file:
        _write(file, manifest, arrays)


def load(f: Any, map_location: Any = None, *, weights_only: bool = True, max_bytes: int | None = None) -> Any:
    """Load a file that ``save`` wrote. The memory used is at most a multiple of the size of the file.

    Args:
        f: a path, or a file open for reading bytes.
        map_location: the processor, "cpu".
        weights_only: accepted as in PyTorch, and ignored, because files contain only data.
        max_bytes: the maximum number of bytes of all arrays and the manifest in the file; checked before they are read.

    Raises:
        ArgumentError: if the file is damaged, was not written by ``save``, or is larger than max_bytes; or if
            map_location is not "cpu".
        OSError: if the file does not exist, or cannot be opened.
    """
    if map_location not in (None, "cpu"):
        raise ArgumentError(f"load: got map_location={map_location!r}. Expected 'cpu', the only processor.")
    if max_bytes is not None and (isinstance(max_bytes, bool) or not isinstance(max_bytes, int) or max_bytes < 0):
        raise ArgumentTypeError(f"load: got max_bytes={max_bytes!r}. Expected a number of bytes, or None.")
    if isinstance(f, io.TextIOBase):
        raise ArgumentTypeError("load: the file is open for text. Open it for bytes: open(path, 'rb').")
    if hasattr(f, "read"):
        return _loaded(f, str(getattr(f, "name", "the file")), max_bytes)
    path = path_of(f, "load")
    if path.exists() and not path.is_file():
        raise ArgumentError(f"load: {path} is not a file. Expected the path of a file that sg.save wrote.")
    with path.open("rb") as file:
        return _loaded(file, str(path), max_bytes)


def _loaded(file: Any, where: str, most: int | None) -> Any:
    """Return what is in an open file; all that can be wrong with it is one error."""
    try:
        with zipfile.ZipFile(file) as archive:
            _check_sizes(archive, file.seek(0, io.SEEK_END), where, most)
            manifest = json.loads(archive.read(_MANIFEST))
            if manifest["kind"] != _KIND or manifest["version"] > _VERSION:
                raise ArgumentError(
                    f"load: {where} is of kind {manifest['kind']!r}, version {manifest['version']}. Expected "
                    f"{_KIND!r}, version {_VERSION} or before."
                )
            return _Reader(archive).read(manifest["tree"], 0)
    except (ArgumentError, MemoryError):
        raise
    except Exception as error:  # whatever the libraries raise on bytes that nobody wrote
        raise ArgumentError(f"load: {where} is damaged, or was not written by sg.save ({error}).") from error


def _check_sizes(archive: zipfile.ZipFile, length: int, where: str, most: int | None) -> None:
    """Refuse an archive whose parts have more bytes than the file: save stores each once, and as it is."""
    size = sum(part.file_size for part in archive.infolist())
    if size > length or any(part.compress_type != zipfile.ZIP_STORED for part in archive.infolist()):
        raise ValueError(f"its parts claim {size} bytes, and the file has {length}; save stores them uncompressed")
    if most is not None and size > most:
        raise ArgumentError(f"load: {where} holds {size} bytes. Expected at most max_bytes={most}.")


def target(f: Any, what: str) -> Path:
    """Return the path of a file that can be written: it is not a folder, and lies in one.

    Raises:
        ArgumentTypeError: if f is not a path.
        ArgumentError: if it is a folder, or its folder does not exist.
    """
    path = path_of(f, what)
    if path.is_dir():
        raise ArgumentError(f"{what}: {path} is a folder. Expected the name of a file, such as {path / 'all.zip'}.")
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise ArgumentError(f"{what}: the folder {folder} does not exist. Create it.")
    return path


def _write(file: Any, manifest: Any, arrays: list[np.ndarray[Any, Any]]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(_MANIFEST, json.dumps(manifest))
        for k, array in enumerate(arrays):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asanyarray(array), allow_pickle=False)
            archive.writestr(f"{k}.npy", buffer.getvalue())


def _written(x: Any, arrays: list[np.ndarray[Any, Any]], where: str, depth: int) -> Any:
    """Return what the manifest says of x; its arrays are appended."""
    if depth > _DEEPEST:
        raise ArgumentTypeError(f"save: containers are nested more than {_DEEPEST} deep, or one contains itself.")
    if isinstance(x, (Tensor, np.ndarray, np.generic)):
        return _array(x, arrays, where)
    if isinstance(x, int) and x.bit_length() > _LONGEST:  # which Python does not write in decimal
        return {"int": hex(x)}
    if type(x) in _PLAIN:
        return {"value": x} if not isinstance(x, float) else {"float": x.hex()}
    if isinstance(x, dict):
        keys = [_written(_key(k), arrays, f"a key of {where}", depth + 1) for k in x]
        values = [_written(v, arrays, f"{where}[{k!r}]", depth + 1) for k, v in x.items()]
        return {"dict": [list(pair) for pair in zip(keys, values, strict=True)]}
    if type(x) in (list, tuple):
        return {type(x).__name__: [_written(v, arrays, f"{where}[{k}]", depth + 1) for k, v in enumerate(x)]}
    hint = "Save its state_dict()." if hasattr(x, "state_dict") else "Save the tensors that it holds."
    raise ArgumentTypeError(
        f"save: {where} is a {type(x).__name__}. Expected tensors, arrays, numbers, text, None, and dicts, lists and "
        f"tuples of them. {hint}"
    )


def _key(k: Any) -> Any:
    """Return a key with Python's numbers and text for NumPy's, which are equal to them."""
    if isinstance(k, tuple):
        return tuple([_key(part) for part in k])
    return k.item() if isinstance(k, np.generic) else k


def _array(x: Any, arrays: list[np.ndarray[Any, Any]], where: str) -> Any:
    tensor = isinstance(x, Tensor)
    array = np.asarray(x.detach()._known("save")) if tensor else unitless(x)
    if array.dtype.hasobject or array.dtype.names:
        raise ArgumentTypeError(f"save: {where} is an array of {array.dtype}. Expected numbers or booleans.")
    arrays.append(array)
    said: dict[str, Any] = {"array": len(arrays) - 1}
    if tensor:
        said |= {"parameter": isinstance(x, Parameter), "requires_grad": x.requires_grad and x.is_leaf}
        said |= {"name": x.name} if x.is_leaf and x.name else {}
    return said


class _Reader:
    """What the manifest says, rebuilt; each array is named once, as ``save`` does, and read then."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive, self._seen = archive, set[int]()

    def read(self, said: Any, depth: int) -> Any:
        """Return an object.

        Raises:
            ValueError: if ``save`` does not write such a value.
        """
        if depth > _DEEPEST:
            raise ValueError(f"containers are nested more than {_DEEPEST} deep")
        if "array" in said:
            return self._tensor(said, self._array(said["array"]))
        if "dict" in said:
            return {self.read(k, depth + 1): self.read(v, depth + 1) for k, v in said["dict"]}
        for kind in (list, tuple):
            if kind.__name__ in said:
                return kind([self.read(v, depth + 1) for v in said[kind.__name__]])
        if "int" in said:
            return int(said["int"], 16)
        if "float" in said:
            return float.fromhex(said["float"])
        if type(said["value"]) not in _PLAIN:
            raise ValueError("a value is neither a number nor text")
        return said["value"]

    def _array(self, number: Any) -> np.ndarray[Any, Any]:
        if type(number) is not int or number in self._seen:
            raise ValueError(f"array {number} is named twice, or is none")
        self._seen.add(number)
        data = self._archive.read(f"{number}.npy")
        file, layout = io.BytesIO(data), np.lib.format
        read = {(1, 0): layout.read_array_header_1_0, (2, 0): layout.read_array_header_2_0}[layout.read_magic(file)]
        shape, is_fortran, dtype = read(file)
        is_plain = not dtype.hasobject and not dtype.names and dtype.itemsize > 0  # texts of no letters have no bytes
        if not is_plain or math.prod(shape) * dtype.itemsize != len(data) - file.tell():
            raise ValueError(f"array {number} of {dtype} and shape {shape} has other bytes")
        order = "F" if is_fortran else "C"
        return np.ndarray(shape, dtype, data, file.tell(), order=order).copy(order)  # type: ignore[arg-type]

    def _tensor(self, said: Any, array: np.ndarray[Any, Any]) -> Any:
        """Return an array as what it was saved of."""
        if "requires_grad" not in said:
            return array
        flags, name = (said["parameter"], said["requires_grad"]), said.get("name")
        if any(type(flag) is not bool for flag in flags) or not (name is None or isinstance(name, str)):
            raise ValueError("a tensor is not described by booleans and a name")
        return Parameter(array, flags[1]) if flags[0] else leaf(array, flags[1], name)


__all__ = ["load", "save"]


check_all(globals(), __all__)
