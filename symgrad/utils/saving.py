"""``sg.save`` and ``sg.load``: tensors in dicts, lists and tuples, as a zip of arrays and a manifest.

Nothing in a file is executed when it is read, so files of strangers can be opened; each part has a checksum.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.nn.parameter import Parameter
from symgrad.tensors.creation import leaf
from symgrad.tensors.tensor import Tensor

_KIND, _VERSION, _MANIFEST = "symgrad", 1, "manifest.json"
_PLAIN = (bool, int, float, str, type(None))


def save(obj: Any, f: Any) -> None:
    """Write tensors, arrays, numbers, text and dicts, lists and tuples of them to a file.

    Args:
        obj: such as ``model.state_dict()`` and ``optimizer.state_dict()``.
        f: a path, or a file open for writing bytes. A path is replaced only when all is written.

    Raises:
        ArgumentTypeError: something else is among them, such as a function or a model.
        ArgumentError: the path is a folder, or its folder is not there.

    >>> import io
    >>> file = io.BytesIO()
    >>> sg.save({"w": sg.tensor([1.0, 2.0]), "epoch": 3}, file)
    >>> sg.load(file)
    {'w': tensor([1., 2.]), 'epoch': 3}
    """
    arrays: list[np.ndarray[Any, Any]] = []
    manifest = {"kind": _KIND, "version": _VERSION, "tree": _written(obj, arrays, "the object", 0)}
    if hasattr(f, "write"):
        _write(f, manifest, arrays)
        return
    path = target(f, "save")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            _write(file, manifest, arrays)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def load(f: Any, map_location: Any = None, *, weights_only: bool = True) -> Any:
    """Read what ``save`` wrote.

    Args:
        f: a path, or a file open for reading bytes.
        map_location, weights_only: as in torch: the processor, and True, since files hold nothing else.

    Raises:
        ArgumentError: the file is damaged, or none of ``save``'s; or weights_only is False.
    """
    if not weights_only or map_location not in (None, "cpu"):
        raise ArgumentError(
            f"load: got map_location={map_location!r}, weights_only={weights_only!r}. Expected 'cpu', and True: files "
            "of sg.save hold numbers and text, and no code."
        )
    where = str(_path(f, "load")) if not hasattr(f, "read") else getattr(f, "name", "the file")
    try:
        with zipfile.ZipFile(f) as archive:
            manifest = json.loads(archive.read(_MANIFEST))
            if manifest["kind"] != _KIND or manifest["version"] > _VERSION:
                raise ArgumentError(
                    f"load: {where} is of kind {manifest['kind']!r}, version {manifest['version']}. Expected "
                    f"{_KIND!r}, version {_VERSION} or before."
                )
            return _read(manifest["tree"], archive)
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, TypeError, IndexError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"load: {where} is damaged, or was not written by sg.save ({error}).") from error


def target(f: Any, what: str) -> Path:
    """Return the path of a file that can be written: it is no folder, and lies in one.

    Raises:
        ArgumentTypeError: f is no path.
        ArgumentError: it is a folder, or its folder is not there.
    """
    path = _path(f, what)
    if path.is_dir():
        raise ArgumentError(f"{what}: {path} is a folder. Expected the name of a file, such as {path / 'all.zip'}.")
    if not path.parent.is_dir():
        raise ArgumentError(f"{what}: the folder {path.parent} is not there. Make it.")
    return path


def _path(f: Any, what: str) -> Path:
    if isinstance(f, (str, os.PathLike)):
        return Path(f)
    raise ArgumentTypeError(f"{what}: expected a path or an open file, got {type(f).__name__}.")


def _write(file: Any, manifest: Any, arrays: list[np.ndarray[Any, Any]]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(_MANIFEST, json.dumps(manifest))
        for k, array in enumerate(arrays):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.asanyarray(array), allow_pickle=False)
            archive.writestr(f"{k}.npy", buffer.getvalue())


def _written(x: Any, arrays: list[np.ndarray[Any, Any]], where: str, depth: int) -> Any:
    """Return what the manifest says of x; its arrays are appended."""
    if depth > 100:
        raise ArgumentTypeError("save: containers are nested more than 100 deep, or one contains itself.")
    if isinstance(x, (Tensor, np.ndarray, np.generic)):
        return _array(x, arrays, where)
    if type(x) in _PLAIN:
        return {"value": x} if not isinstance(x, float) else {"float": x.hex()}
    if isinstance(x, dict):
        pairs = [
            [_written(k, arrays, f"a key of {where}", depth + 1), _written(v, arrays, f"{where}[{k!r}]", depth + 1)]
            for k, v in x.items()
        ]
        return {"dict": pairs}
    if type(x) in (list, tuple):
        return {type(x).__name__: [_written(v, arrays, f"{where}[{k}]", depth + 1) for k, v in enumerate(x)]}
    hint = "Save its state_dict()." if hasattr(x, "state_dict") else "Save the tensors that it holds."
    raise ArgumentTypeError(
        f"save: {where} is a {type(x).__name__}. Expected tensors, arrays, numbers, text, None, and dicts, lists and "
        f"tuples of them. {hint}"
    )


def _array(x: Any, arrays: list[np.ndarray[Any, Any]], where: str) -> Any:
    tensor = isinstance(x, Tensor)
    array = np.asarray(x.detach()._known("save") if tensor else x)
    if array.dtype.hasobject or array.dtype.names:
        raise ArgumentTypeError(f"save: {where} is an array of {array.dtype}. Expected numbers or truth values.")
    arrays.append(array)
    said: dict[str, Any] = {"array": len(arrays) - 1}
    if tensor:
        said |= {"parameter": isinstance(x, Parameter), "requires_grad": x.requires_grad and x.is_leaf}
        said |= {"name": x.name} if x.is_leaf and x.name else {}
    return said


def _read(said: Any, archive: zipfile.ZipFile) -> Any:
    """Rebuild what the manifest says."""
    if "array" in said:
        with archive.open(f"{int(said['array'])}.npy") as file:
            array = np.lib.format.read_array(io.BytesIO(file.read()), allow_pickle=False)
        if "requires_grad" not in said:
            return array
        made = Parameter(array, said["requires_grad"]) if said["parameter"] else None
        return made if made is not None else leaf(array, said["requires_grad"], said.get("name"))
    if "dict" in said:
        return {_read(k, archive): _read(v, archive) for k, v in said["dict"]}
    if "list" in said:
        return [_read(v, archive) for v in said["list"]]
    if "tuple" in said:
        return tuple(_read(v, archive) for v in said["tuple"])
    return float.fromhex(said["float"]) if "float" in said else said["value"]


__all__ = ["load", "save"]
