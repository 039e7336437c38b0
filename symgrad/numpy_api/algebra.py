"""Products and ``np.linalg``."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad import linalg
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ShapeError
from symgrad.numpy_api.reductions import axes_of
from symgrad.numpy_api.shapes import ravel
from symgrad.numpy_api.table import numpys
from symgrad.ops.linalg.orthogonal import QR


@numpys("dot")
def _dot(a: Any, b: Any, out: Any = None) -> Any:
    x, z = as_tensor(a), as_tensor(b)
    if not x.shape or not z.shape:
        return x * z
    if len(x.shape) <= 2 and len(z.shape) <= 2:
        return F.matmul(x, z)
    return _tensordot(x, z, (-1, -1 if len(z.shape) == 1 else -2))


numpys("vdot")(lambda a, b, /: F.vdot(ravel(as_tensor(a)), ravel(as_tensor(b))))
numpys("linalg.matmul")(lambda x1, x2, /: F.matmul(as_tensor(x1), as_tensor(x2)))
numpys("linalg.outer")(lambda x1, x2, /: F.outer(as_tensor(x1), as_tensor(x2)))


@numpys("inner")
def _inner(a: Any, b: Any, /) -> Any:
    x, z = as_tensor(a), as_tensor(b)
    return x * z if not x.shape or not z.shape else _tensordot(x, z, (-1, -1))


numpys("outer")(lambda a, b, out=None: F.outer(ravel(as_tensor(a)), ravel(as_tensor(b))))


@numpys("tensordot")
def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    x, z = as_tensor(a), as_tensor(b)
    if isinstance(axes, (int, np.integer)):
        return F.tensordot(x, z, int(axes))
    return F.tensordot(x, z, [list(axes_of(t, k)) for t, k in zip((x, z), axes, strict=True)])


numpys("einsum")(lambda *operands, optimize=False: F.einsum(*operands))
numpys("kron")(lambda a, b: F.kron(as_tensor(a), as_tensor(b)))


@numpys("cross")
def _cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    x, z = F.movedim(as_tensor(a), axisa, -1), F.movedim(as_tensor(b), axisb, -1)
    if x.shape[-1] != 3 or z.shape[-1] != 3:
        raise ShapeError(f"np.cross: got vectors of {x.shape[-1]} and {z.shape[-1]} entries. Expected 3 in both.")
    return F.movedim(linalg.cross(*F.broadcast_tensors(x, z)), -1, axisc)


numpys("linalg.tensordot")(lambda x1, x2, /, *, axes=2: _tensordot(x1, x2, axes))
numpys("linalg.cross")(lambda x1, x2, /, *, axis=-1: _cross(x1, x2, axis=axis))
numpys("linalg.vecdot")(lambda x1, x2, /, *, axis=-1: linalg.vecdot(as_tensor(x1), as_tensor(x2), dim=axis))


@numpys("convolve")
def _convolve(a: Any, v: Any, mode: str = "full") -> Any:
    x, z = as_tensor(a), as_tensor(v)
    x, z = (z, x) if z.shape[0] > x.shape[0] else (x, z)
    n, m = x.shape[0], z.shape[0]
    widths = {"full": (m - 1, n + m - 1), "same": ((m - 1) // 2, n), "valid": (0, n - m + 1)}
    if mode not in widths:
        raise ArgumentError(f"np.convolve: got mode={mode!r}. Expected 'full', 'same' or 'valid'.")
    table = F.outer(z, x)
    start, size = widths[mode]
    rows = [_shifted(table[k], k, n + m - 1) for k in range(m)]
    full = F.sum(F.stack(rows), 0)
    return F.narrow(full, 0, {"full": 0, "same": (m - 1) // 2, "valid": m - 1}[mode], size) if start or size else full


@numpys("correlate")
def _correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    x, z = as_tensor(a), as_tensor(v)
    if mode == "same" and z.shape[0] > x.shape[0]:
        raise ArgumentError("np.correlate: with mode='same' the second is the shorter one on tensors. Use mode='full'.")
    return _convolve(x, F.flip(z.conj(), 0), mode)


def _shifted(row: Any, k: int, size: int) -> Any:
    ends = [as_tensor(np.zeros(k, row.dtype)), row, as_tensor(np.zeros(size - k - row.shape[0], row.dtype))]
    return F.cat(ends)


@numpys("polyval")
def _polyval(p: Any, x: Any) -> Any:
    p, x = as_tensor(p), as_tensor(x)
    y = x * 0
    for k in range(p.shape[0]):
        y = y * x + p[k]
    return y


# ------------------------------------------------------------------ np.linalg
numpys("linalg.inv")(lambda a: linalg.inv(a))
numpys("linalg.det")(lambda a: linalg.det(a))
numpys("linalg.slogdet")(lambda a: linalg.slogdet(a))
numpys("linalg.matrix_power")(lambda a, n: linalg.matrix_power(a, n))
numpys("linalg.multi_dot")(lambda arrays, *, out=None: linalg.multi_dot([as_tensor(a) for a in arrays]))
numpys("linalg.eigh")(lambda a, UPLO="L": linalg.eigh(a, UPLO))
numpys("linalg.eigvalsh")(lambda a, UPLO="L": linalg.eigvalsh(a, UPLO))
numpys("linalg.eig")(lambda a: linalg.eig(a))
numpys("linalg.eigvals")(lambda a: linalg.eigvals(a))
numpys("linalg.svdvals")(lambda x, /: linalg.svdvals(x))
numpys("linalg.cond")(lambda x, p=None: linalg.cond(as_tensor(x), p))


@numpys("linalg.norm")
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    return linalg.norm(x, ord, axis, bool(keepdims))


@numpys("linalg.vector_norm")
def _vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    return linalg.vector_norm(x, ord, axis, bool(keepdims))


@numpys("linalg.matrix_norm")
def _matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    return linalg.matrix_norm(x, ord, (-2, -1), bool(keepdims))


@numpys("linalg.solve")
def _solve(a: Any, b: Any) -> Any:
    A, y = as_tensor(a), as_tensor(b)
    batched = len(y.shape) == 1 and len(A.shape) > 2  # where torch takes b for a batch of vectors
    return linalg.solve(A, y[:, None])[..., 0] if batched else linalg.solve(A, y)


@numpys("linalg.cholesky")
def _cholesky(a: Any, /, *, upper: bool = False) -> Any:
    L = linalg.cholesky(a)
    return L.mH if upper else L


@numpys("linalg.qr")
def _qr(a: Any, mode: str = "reduced") -> Any:
    factors = linalg.qr(a, mode)
    return factors.R if mode == "r" else QR(*factors)


@numpys("linalg.svd")
def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    return linalg.svd(a, full_matrices) if compute_uv else linalg.svdvals(a)


@numpys("linalg.pinv")
def _pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    cut = rcond if rtol is None else rtol
    return linalg.pinv(a, rtol=1e-15 if cut is None else cut, hermitian=hermitian)


@numpys("linalg.lstsq")
def _lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    A, y = as_tensor(a), as_tensor(b)
    column = y[:, None] if len(y.shape) == 1 else y
    x = linalg.lstsq(A, column, rcond).solution
    values = linalg.svdvals(A)
    rank = int((values > (max(A.shape) * np.finfo(np.float64).eps if rcond is None else rcond) * values[0]).sum())
    tall = A.shape[0] > A.shape[1] and rank == A.shape[1]
    residuals = F.sum((column - A @ x) ** 2, 0) if tall else as_tensor(np.zeros(0))
    return x[:, 0] if len(y.shape) == 1 else x, residuals, rank, values
