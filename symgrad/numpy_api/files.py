"""NumPy's functions that write arrays to files, on tensors without a gradient: ``np.savez(path, w=w.detach())``."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.numpy_api.table import numpys


@numpys("save")
def save(file: Any, arr: Any, allow_pickle: bool = True, **options: Any) -> None:
    """Write one tensor."""
    np.save(file, np.asarray(arr), allow_pickle=allow_pickle, **options)


@numpys("savetxt")
def savetxt(fname: Any, X: Any, *args: Any, **options: Any) -> None:
    """Write a tensor of at most two axes as text."""
    np.savetxt(fname, np.asarray(X), *args, **options)


@numpys("savez")
def savez(file: Any, *args: Any, **named: Any) -> None:
    """Write several tensors."""
    _write(np.savez, file, args, named)


@numpys("savez_compressed")
def savez_compressed(file: Any, *args: Any, **named: Any) -> None:
    """Write several tensors, compressed."""
    _write(np.savez_compressed, file, args, named)


def _write(save: Any, file: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    allowed = {k: v for k, v in named.items() if k == "allow_pickle"}
    arrays = {k: np.asarray(v) for k, v in named.items() if k not in allowed}
    save(file, *[np.asarray(a) for a in args], **allowed, **arrays)
