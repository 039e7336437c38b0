"""What a tensor can do beside differentiating."""

# Written by `python tests/tools/stubs.py`; a test compares.

import builtins
import numpy as np
from collections.abc import Iterator
from collections.abc import Sequence
from symgrad.engine.generator import Generator
from symgrad.engine.record import TensorBase
from symgrad.ops.elementwise.exponents import Frexp
from symgrad.ops.linalg.determinant import SlogDet
from symgrad.ops.linalg.triangles import Triangular
from symgrad.ops.reductions.extremes import Extremum
from symgrad.ops.sorting.sorting import Ordered
from symgrad.ops.sorting.statistics import Range
from symgrad.tensors.spellings import Flat
from symgrad.tensors.tensor import Tensor
from symgrad.tensors.updates import At
from typing import Any
from typing import overload

class Mixed(TensorBase):
    @property
    def H(self) -> Tensor: ...
    @property
    def T(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Any) -> Tensor: ...
    def __and__(self, b: Any) -> Tensor: ...
    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> np.ndarray[Any, Any]: ...
    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any: ...
    __array_priority__: builtins.int
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any: ...
    def __bool__(self) -> builtins.bool: ...
    def __complex__(self) -> complex: ...
    def __contains__(self, item: Any) -> builtins.bool: ...
    def __divmod__(self, other: Any) -> tuple[Tensor, Tensor]: ...
    def __dlpack__(self, **options: Any) -> Any:
        """A DLPack capsule of a copy, for ``torch.from_dlpack`` and its like."""
    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]:
        """Return the CPU as DLPack names it."""
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __float__(self) -> builtins.float: ...
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __format__(self, spec: str) -> str: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __getitem__(self, key: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __iadd__(self, other: Any) -> Tensor: ...
    def __iand__(self, other: Any) -> Tensor: ...
    def __ifloordiv__(self, other: Any) -> Tensor: ...
    def __imod__(self, other: Any) -> Tensor: ...
    def __imul__(self, other: Any) -> Tensor: ...
    def __index__(self) -> builtins.int: ...
    def __int__(self) -> builtins.int: ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Any) -> Tensor: ...
    def __ipow__(self, other: Any) -> Tensor: ...
    def __isub__(self, other: Any) -> Tensor: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, other: Any) -> Tensor: ...
    def __ixor__(self, other: Any) -> Tensor: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __len__(self) -> builtins.int: ...
    def __lshift__(self, b: Any) -> Tensor: ...
    def __lt__(self, other: Any) -> Tensor: ...
    def __matmul__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __or__(self, b: Any) -> Tensor: ...
    __pandas_priority__: builtins.int
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def __rdiv__(self, other: Any) -> Tensor: ...
    def __rdivmod__(self, other: Any) -> tuple[Tensor, Tensor]: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __rlshift__(self, other: Any) -> Tensor: ...
    def __rmatmul__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def __round__(self, ndigits: builtins.int | None = None) -> Any: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __rrshift__(self, other: Any) -> Tensor: ...
    def __rshift__(self, b: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def __setitem__(self, key: Any, value: Any) -> None: ...
    def __sub__(self, other: Any) -> Tensor: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __xor__(self, b: Any) -> Tensor: ...
    def _check_kept(self, what: str) -> None:
        """Refuse to leave the graph on the way to what a transform differentiates; ``no_grad`` allows it."""
    def _check_real(self, name: str) -> None: ...
    def _is_followed(self) -> builtins.bool:
        """Whether this is on the way from what a running transform differentiates by."""
    def _known(self, what: str) -> Any: ...
    def _like(self, value: Any, dtype: Any, requires_grad: builtins.bool) -> Any: ...
    def _made(self, t: Any, requires_grad: builtins.bool) -> Any:
        """The tensor, or a leaf of its numbers where gradients are asked for."""
    def _number(self, *args: Any) -> Any: ...
    def _of_sizes(self, size: tuple[Any, ...], value: Any, dtype: Any, requires_grad: builtins.bool) -> Any: ...
    _op_priority: builtins.float
    def _sympy_(self) -> Any:
        """SymPy's number for a number without gradient; its functions, sympy.sin(x), take no other tensor."""
    def _update(self, op: Any, *others: Any) -> Any: ...
    def _wants_grad(self) -> builtins.bool: ...
    def _warn_scalar(self) -> None: ...
    def abs(self) -> Tensor:
        """As ``symgrad.abs``."""
    def abs_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.abs(…), in x's shape and dtype."""
    def absolute(self) -> Tensor:
        """As ``symgrad.abs``."""
    def absolute_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.absolute(…), in x's shape and dtype."""
    def acos(self) -> Tensor:
        """As ``symgrad.acos``."""
    def acos_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.acos(…), in x's shape and dtype."""
    def acosh(self) -> Tensor:
        """As ``symgrad.acosh``."""
    def acosh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.acosh(…), in x's shape and dtype."""
    def add(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """As ``symgrad.add``."""
    def add_(self, other: Any, *, alpha: builtins.float = 1) -> Tensor:
        """x ← x + alpha·other."""
    def addbmm(self, batch1: Any, batch2: Any, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """beta · x + alpha · Σ_b A_b B_b."""
    def addbmm_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.addbmm(…), in x's shape and dtype."""
    def addcdiv(self, tensor1: Any, tensor2: Any, *, value: builtins.float = 1) -> Tensor:
        """x + value · tensor1 / tensor2, elementwise; not of integers alone."""
    def addcdiv_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.addcdiv(…), in x's shape and dtype."""
    def addcmul(self, tensor1: Any, tensor2: Any, *, value: builtins.float = 1) -> Tensor:
        """x + value · tensor1 · tensor2, elementwise; of integers the value is one too."""
    def addcmul_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.addcmul(…), in x's shape and dtype."""
    def addmm(self, mat1: Any, mat2: Any, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """beta · x + alpha · A B."""
    def addmm_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.addmm(…), in x's shape and dtype."""
    def addmv(self, mat: Any, vec: Any, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """beta · x + alpha · A v."""
    def addmv_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.addmv(…), in x's shape and dtype."""
    def addr(self, vec1: Any, vec2: Any, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """beta · x + alpha · u vᵀ."""
    def addr_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.addr(…), in x's shape and dtype."""
    def adjoint(self) -> Tensor:
        """xᴴ of each matrix in the last two axes: transposed, and conjugated where it is complex."""
    def all(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, out: Any = ..., where: Any = ...) -> Tensor:
        """Return whether every entry along the axes is nonzero."""
    def allclose(self, other: Any, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
        """Return whether |x - other| ≤ atol + rtol |other| everywhere."""
    def amax(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False) -> Tensor:
        """max x along the axes; ties share the gradient evenly."""
    def amin(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False) -> Tensor:
        """min x along the axes; ties share the gradient evenly."""
    def aminmax(self, *, dim: builtins.int | None = None, keepdim: builtins.bool = False, axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Range[Tensor]:
        """Both min x and max x; ties share the gradient evenly."""
    def angle(self) -> Tensor:
        """The angle of complex numbers in the plane; of real ones 0 or π."""
    def any(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, out: Any = ..., where: Any = ...) -> Tensor:
        """Return whether some entry along the axes is nonzero."""
    def arccos(self) -> Tensor:
        """As ``symgrad.acos``."""
    def arccos_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.arccos(…), in x's shape and dtype."""
    def arccosh(self) -> Tensor:
        """As ``symgrad.acosh``."""
    def arccosh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.arccosh(…), in x's shape and dtype."""
    def arcsin(self) -> Tensor:
        """As ``symgrad.asin``."""
    def arcsin_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.arcsin(…), in x's shape and dtype."""
    def arcsinh(self) -> Tensor:
        """As ``symgrad.asinh``."""
    def arcsinh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.arcsinh(…), in x's shape and dtype."""
    def arctan(self) -> Tensor:
        """As ``symgrad.atan``."""
    def arctan2(self, other: Any) -> Tensor:
        """As ``symgrad.atan2``."""
    def arctan2_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.arctan2(…), in x's shape and dtype."""
    def arctan_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.arctan(…), in x's shape and dtype."""
    def arctanh(self) -> Tensor:
        """As ``symgrad.atanh``."""
    def arctanh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.arctanh(…), in x's shape and dtype."""
    def argmax(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False, out: Any = ...) -> Tensor:
        """The index of the largest entry, the first among ties; of the flattened tensor without an axis."""
    def argmin(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False, out: Any = ...) -> Tensor:
        """The index of the smallest entry, the first among ties; of the flattened tensor without an axis."""
    def argsort(self, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, axis: builtins.int | None = None, kind: Any = ..., order: Any = ...) -> Tensor:
        """The indices that sort x along one axis."""
    def argwhere(self) -> Tensor:
        """The places of the entries that are not 0, one a row."""
    def as_strided(self, size: Any, stride: Any, storage_offset: builtins.int = 0) -> Tensor:
        """Entry (i, j, …) of the result is entry storage_offset + i·stride₀ + j·stride₁ + … of the flattened x, as a copy."""
    def asin(self) -> Tensor:
        """As ``symgrad.asin``."""
    def asin_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.asin(…), in x's shape and dtype."""
    def asinh(self) -> Tensor:
        """As ``symgrad.asinh``."""
    def asinh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.asinh(…), in x's shape and dtype."""
    def astype(self, dtype: Any, order: str = 'K', casting: str = 'unsafe', subok: builtins.bool = True, copy: builtins.bool = True) -> Tensor:
        """Convert to a dtype, under NumPy's name: ``x.to(dtype)``, by default as a tensor of its own."""
    @property
    def at(self) -> At: ...
    def atan(self) -> Tensor:
        """As ``symgrad.atan``."""
    def atan2(self, other: Any) -> Tensor:
        """As ``symgrad.atan2``."""
    def atan2_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.atan2(…), in x's shape and dtype."""
    def atan_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.atan(…), in x's shape and dtype."""
    def atanh(self) -> Tensor:
        """As ``symgrad.atanh``."""
    def atanh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.atanh(…), in x's shape and dtype."""
    def baddbmm(self, batch1: Any, batch2: Any, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """beta · x + alpha · A B, of stacks of matrices."""
    def baddbmm_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.baddbmm(…), in x's shape and dtype."""
    def bernoulli_(self, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with 1 with probability p, else 0."""
    def bincount(self, weights: Any = None, minlength: builtins.int = 0) -> Tensor:
        """How often each of 0, 1, … occurs in x, or the sum of the weights of its occurrences."""
    def bitwise_and(self, other: Any) -> Tensor:
        """As ``symgrad.bitwise_and``."""
    def bitwise_and_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.bitwise_and(…), in x's shape and dtype."""
    def bitwise_left_shift(self, other: Any) -> Tensor:
        """As ``symgrad.bitwise_left_shift``."""
    def bitwise_left_shift_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.bitwise_left_shift(…), in x's shape and dtype."""
    def bitwise_not(self) -> Tensor:
        """As ``symgrad.bitwise_not``."""
    def bitwise_not_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.bitwise_not(…), in x's shape and dtype."""
    def bitwise_or(self, other: Any) -> Tensor:
        """As ``symgrad.bitwise_or``."""
    def bitwise_or_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.bitwise_or(…), in x's shape and dtype."""
    def bitwise_right_shift(self, other: Any) -> Tensor:
        """As ``symgrad.bitwise_right_shift``."""
    def bitwise_right_shift_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.bitwise_right_shift(…), in x's shape and dtype."""
    def bitwise_xor(self, other: Any) -> Tensor:
        """As ``symgrad.bitwise_xor``."""
    def bitwise_xor_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.bitwise_xor(…), in x's shape and dtype."""
    def bmm(self, mat2: Any) -> Tensor:
        """The batch of matrix products Σ_j x_bij y_bjk."""
    def bool(self) -> Tensor:
        """Convert to bool."""
    def broadcast_to(self, size: Sequence[Any]) -> Tensor:
        """x expanded to the shape ``size``."""
    def cauchy_(self, median: builtins.float = 0, sigma: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with Cauchy random numbers of this median and scale."""
    def cdouble(self) -> Tensor:
        """Return the tensor as complex128."""
    def ceil(self) -> Tensor:
        """As ``symgrad.ceil``."""
    def ceil_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.ceil(…), in x's shape and dtype."""
    def cfloat(self) -> Tensor:
        """Return the tensor as complex64."""
    def cholesky(self, upper: builtins.bool = False) -> Tensor:
        """The lower triangular L with L Lᵀ = A, of complex matrices L Lᴴ = A. The gradient is symmetric, or Hermitian."""
    def cholesky_inverse(self, upper: builtins.bool = False) -> Tensor:
        """(L Lᵀ)⁻¹, of complex L (L Lᴴ)⁻¹, the inverse of the matrix that L is a Cholesky factor of."""
    def cholesky_solve(self, input2: Any, upper: builtins.bool = False) -> Tensor:
        """X with L Lᵀ X = B, of complex L with L Lᴴ X = B."""
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
        """x cut along ``dim`` into at most ``chunks`` parts of size ⌈n/chunks⌉, the last one smaller."""
    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """Limit x to [min, max]; either may be missing. The edges count as inside."""
    def clamp_(self, min: Any = None, max: Any = None) -> Tensor:
        """x ← x limited to [min, max]."""
    def clamp_max(self, max: Any) -> Tensor:
        """Return min(x, max)."""
    def clamp_max_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.clamp_max(…), in x's shape and dtype."""
    def clamp_min(self, min: Any) -> Tensor:
        """Return max(x, min)."""
    def clamp_min_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.clamp_min(…), in x's shape and dtype."""
    def clip(self, min: Any = None, max: Any = None, *, out: Any = ...) -> Tensor:
        """Limit x to [min, max]; either may be missing. The edges count as inside."""
    def clip_(self, min: Any = None, max: Any = None) -> Tensor:
        """x ← x limited to [min, max]."""
    def clone(self, *, memory_format: Any = None) -> Tensor:
        """A copy of x that passes gradients on; how its entries lie is nobody's concern."""
    def compress(self, condition: Any, axis: builtins.int | None = None, out: Any = None) -> Tensor:
        """The entries, or slices along an axis, where the condition holds."""
    def conj(self) -> Tensor:
        """The conjugate of complex numbers; x itself of real ones."""
    def conj_physical(self) -> Tensor:
        """The conjugate as a tensor of its own, which no view of x is; x itself of real numbers."""
    def conj_physical_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.conj_physical(…), in x's shape and dtype."""
    def conjugate(self) -> Tensor:
        """The conjugate; of real numbers the tensor itself."""
    def contiguous(self, *, memory_format: Any = None) -> Tensor:
        """Return the tensor, or of one that PyTorch would copy a tensor of its own: how entries lie is nobody's concern."""
    def copy(self, order: str = 'C') -> Tensor:
        """Return a tensor of its own that passes gradients on: ``x.clone()`` under NumPy's name."""
    def copy_(self, other: Any) -> Tensor:
        """x ← other, broadcast and converted to x's dtype."""
    def copysign(self, other: Any) -> Tensor:
        """As ``symgrad.copysign``."""
    def copysign_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.copysign(…), in x's shape and dtype."""
    def corrcoef(self) -> Tensor:
        """Correlation coefficients C_ij / √(C_ii C_jj), C the covariance, limited to [-1, 1], both parts of complex ones."""
    def cos(self) -> Tensor:
        """As ``symgrad.cos``."""
    def cos_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.cos(…), in x's shape and dtype."""
    def cosh(self) -> Tensor:
        """As ``symgrad.cosh``."""
    def cosh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.cosh(…), in x's shape and dtype."""
    def count_nonzero(self, dim: builtins.int | Sequence[builtins.int] | None = None, *, axis: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
        """How many entries are not 0."""
    def cov(self, *, correction: builtins.int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
        """C = Σ_k w_k (x_k - μ)(x_k - μ)ᴴ / (Σ w - correction), of variables in rows and observations in columns."""
    def cpu(self, memory_format: Any = None) -> Tensor:
        """Return x: all tensors are on the CPU."""
    def cross(self, other: Any, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """a × b of vectors along one axis of length 3."""
    def cuda(self, device: Any = None, non_blocking: builtins.bool = False) -> Tensor:
        """Raise the error that there is no such device."""
    def cummax(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Extremum[Tensor]:
        """The largest entry so far along one axis, and where it is, the last one of equals."""
    def cummin(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Extremum[Tensor]:
        """The smallest entry so far along one axis, and where it is, the last one of equals."""
    def cumprod(self, dim: builtins.int | None = None, *, dtype: Any = None, axis: builtins.int | None = None, out: Any = ...) -> Tensor:
        """y_i = Π_{k≤i} x_k along one axis."""
    def cumprod_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.cumprod(…), in x's shape and dtype."""
    def cumsum(self, dim: builtins.int | None = None, *, dtype: Any = None, axis: builtins.int | None = None, out: Any = ...) -> Tensor:
        """y_i = Σ_{k≤i} x_k along one axis."""
    def cumsum_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.cumsum(…), in x's shape and dtype."""
    def deg2rad(self) -> Tensor:
        """As ``symgrad.deg2rad``."""
    def deg2rad_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.deg2rad(…), in x's shape and dtype."""
    def det(self) -> Tensor:
        """The determinant. Its gradient is the matrix of cofactors, exact for singular matrices too."""
    @property
    def device(self) -> Tensor: ...
    def diag(self, diagonal: builtins.int = 0) -> Tensor:
        """The matrix with a vector on its diagonal; of a matrix, the vector on its diagonal."""
    def diag_embed(self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
        """The matrices with x on their offset-th diagonal and zeros elsewhere."""
    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """The matrix with the entries of x, in row-major order, on a diagonal."""
    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1, *, axis1: Any = ..., axis2: Any = ...) -> Tensor:
        """The entries x[…, i, i + offset] of the axes dim1 and dim2, as a new last axis."""
    def diagonal_scatter(self, src: Any, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """x with src as its diagonal x[…, i, i + offset] of the axes dim1 and dim2."""
    def diff(self, n: builtins.int = 1, dim: builtins.int = -1, prepend: Any = None, append: Any = None, *, axis: builtins.int | None = None) -> Tensor:
        """x[k + 1] - x[k] along one axis, n times over; of booleans, whether they differ."""
    def digamma(self) -> Tensor:
        """As ``symgrad.digamma``."""
    def digamma_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.digamma(…), in x's shape and dtype."""
    def dim(self) -> builtins.int:
        """The number of axes."""
    def dist(self, other: Any, p: builtins.float = 2) -> Tensor:
        """‖x - other‖ₚ over all entries."""
    def div(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """x / other, or that rounded."""
    def div_(self, other: Any) -> Tensor:
        """x ← x/other."""
    def divide(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """x / other, or that rounded."""
    def divide_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.divide(…), in x's shape and dtype."""
    def dot(self, tensor: Any, out: Any = None) -> Tensor:
        """Σ xᵢ yᵢ of vectors; of matrices their product, as NumPy's method."""
    def double(self) -> Tensor:
        """Convert to float64."""
    def dsplit(self, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
        """x cut from front to back, along dim 2."""
    def element_size(self) -> builtins.int:
        """The number of bytes of an entry."""
    def entr(self) -> Tensor:
        """As ``symgrad.special.entr``."""
    def entr_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.entr(…), in x's shape and dtype."""
    def eq(self, other: Any) -> Tensor:
        """As ``symgrad.eq``."""
    def eq_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.eq(…), in x's shape and dtype."""
    def equal(self, other: Any) -> builtins.bool:
        """Return whether x and other have one shape and the same entries."""
    def erf(self) -> Tensor:
        """As ``symgrad.erf``."""
    def erf_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.erf(…), in x's shape and dtype."""
    def erfc(self) -> Tensor:
        """As ``symgrad.erfc``."""
    def erfc_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.erfc(…), in x's shape and dtype."""
    def erfcx(self) -> Tensor:
        """As ``symgrad.special.erfcx``."""
    def erfcx_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.erfcx(…), in x's shape and dtype."""
    def erfinv(self) -> Tensor:
        """As ``symgrad.erfinv``."""
    def erfinv_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.erfinv(…), in x's shape and dtype."""
    def exp(self) -> Tensor:
        """As ``symgrad.exp``."""
    def exp2(self) -> Tensor:
        """As ``symgrad.exp2``."""
    def exp2_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.exp2(…), in x's shape and dtype."""
    def exp_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.exp(…), in x's shape and dtype."""
    def expand(self, *sizes: Any, size: Any = None) -> Tensor:
        """x repeated along axes of size 1 and along new leading axes."""
    def expand_as(self, other: Any) -> Tensor:
        """x expanded to the shape of ``other``."""
    def expm1(self) -> Tensor:
        """As ``symgrad.expm1``."""
    def expm1_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.expm1(…), in x's shape and dtype."""
    def exponential_(self, lambd: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with exponential random numbers of rate lambd."""
    def fill(self, value: Any) -> None:
        """Set all entries to a number."""
    def fill_(self, value: builtins.float) -> Tensor:
        """x ← value everywhere; the gradient of what x was is zero."""
    def fix(self) -> Tensor:
        """As ``symgrad.trunc``."""
    def fix_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.fix(…), in x's shape and dtype."""
    @property
    def flat(self) -> Flat: ...
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """x with the axes from ``start_dim`` to ``end_dim`` made one, in row-major order."""
    def flip(self, *axes: Any, dims: Any = None, axis: Any = None) -> Tensor:
        """x with the order of the entries reversed along the axes."""
    def fliplr(self) -> Tensor:
        """x with its columns in reverse order, dim 1."""
    def flipud(self) -> Tensor:
        """x with its rows in reverse order, dim 0."""
    def float(self) -> Tensor:
        """Convert to float32, as in torch."""
    def float_power(self, exponent: Any) -> Tensor:
        """xᵖ in double precision, of complex numbers in that of their parts."""
    def float_power_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.float_power(…), in x's shape and dtype."""
    def floor(self) -> Tensor:
        """As ``symgrad.floor``."""
    def floor_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.floor(…), in x's shape and dtype."""
    def floor_divide(self, other: Any) -> Tensor:
        """As ``symgrad.floor_divide``."""
    def floor_divide_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.floor_divide(…), in x's shape and dtype."""
    def fmax(self, other: Any) -> Tensor:
        """As ``symgrad.fmax``."""
    def fmin(self, other: Any) -> Tensor:
        """As ``symgrad.fmin``."""
    def fmod(self, other: Any) -> Tensor:
        """As ``symgrad.fmod``."""
    def fmod_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.fmod(…), in x's shape and dtype."""
    def frac(self) -> Tensor:
        """As ``symgrad.frac``."""
    def frac_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.frac(…), in x's shape and dtype."""
    def frexp(self) -> Frexp[Tensor]:
        """m and e with x = m 2ᵉ and ½ ≤ |m| < 1."""
    def gather(self, dim: builtins.int | None = None, index: Any = None, *, sparse_grad: builtins.bool = False, axis: builtins.int | None = None) -> Tensor:
        """y[i, j] = x[index[i, j], j] for dim = 0, y[i, j] = x[i, index[i, j]] for dim = 1, and so on."""
    def gcd(self, other: Any) -> Tensor:
        """As ``symgrad.gcd``."""
    def gcd_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.gcd(…), in x's shape and dtype."""
    def ge(self, other: Any) -> Tensor:
        """As ``symgrad.ge``."""
    def ge_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.ge(…), in x's shape and dtype."""
    def geometric_(self, p: builtins.float, *, generator: Generator | None = None) -> Tensor:
        """Fill with how often one tries until a success of probability p, at least 1."""
    def ger(self, vec2: Any) -> Tensor:
        """The outer product x_i v_j."""
    def get_device(self) -> builtins.int:
        """Return -1, torch's number of the CPU."""
    def greater(self, other: Any) -> Tensor:
        """As ``symgrad.gt``."""
    def greater_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.greater(…), in x's shape and dtype."""
    def greater_equal(self, other: Any) -> Tensor:
        """As ``symgrad.ge``."""
    def greater_equal_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.greater_equal(…), in x's shape and dtype."""
    def gt(self, other: Any) -> Tensor:
        """As ``symgrad.gt``."""
    def gt_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.gt(…), in x's shape and dtype."""
    def half(self) -> Tensor:
        """Convert to float16."""
    def heaviside(self, values: Any) -> Tensor:
        """0 for x < 0, values at 0, 1 for x > 0."""
    def heaviside_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.heaviside(…), in x's shape and dtype."""
    def histc(self, bins: builtins.int = 100, min: builtins.float = 0, max: builtins.float = 0) -> Tensor:
        """How many entries of x lie in each of equal parts of [min, max]; entries outside are left out."""
    def hsplit(self, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
        """x cut from left to right: along dim 1, a vector along dim 0."""
    def hypot(self, other: Any) -> Tensor:
        """As ``symgrad.hypot``."""
    def hypot_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.hypot(…), in x's shape and dtype."""
    def i0(self) -> Tensor:
        """As ``symgrad.i0``."""
    def i0_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.i0(…), in x's shape and dtype."""
    def i0e(self) -> Tensor:
        """As ``symgrad.special.i0e``."""
    def i0e_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.i0e(…), in x's shape and dtype."""
    def i1(self) -> Tensor:
        """As ``symgrad.special.i1``."""
    def i1_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.i1(…), in x's shape and dtype."""
    def i1e(self) -> Tensor:
        """As ``symgrad.special.i1e``."""
    def i1e_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.i1e(…), in x's shape and dtype."""
    @property
    def imag(self) -> Tensor: ...
    @imag.setter
    def imag(self, value: Any) -> None: ...
    def index_add(self, dim: builtins.int, index: Any, source: Any, *, alpha: builtins.float = 1) -> Tensor:
        """x with alpha·source[k] added to x[index[k]] along ``dim``: the adjoint of index_select."""
    def index_add_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.index_add(…), in x's shape and dtype."""
    def index_copy(self, dim: builtins.int, index: Any, source: Any) -> Tensor:
        """x with source[k] at index[k] along ``dim``."""
    def index_copy_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.index_copy(…), in x's shape and dtype."""
    def index_fill(self, dim: builtins.int, index: Any, value: Any) -> Tensor:
        """x with one value at the positions ``index`` along ``dim``."""
    def index_fill_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.index_fill(…), in x's shape and dtype."""
    def index_put(self, indices: Sequence[Any], values: Any, accumulate: builtins.bool = False) -> Tensor:
        """x with x[indices] = values, or x[indices] += values where repeated places add up."""
    def index_put_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.index_put(…), in x's shape and dtype."""
    def index_reduce(self, dim: builtins.int, index: Any, source: Any, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """As scatter_reduce, with index (k,) for whole slices along ``dim``."""
    def index_reduce_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.index_reduce(…), in x's shape and dtype."""
    def index_select(self, dim: builtins.int | None = None, index: Any = None, *, axis: builtins.int | None = None) -> Tensor:
        """The entries of x at the positions ``index`` along ``dim``; positions may repeat."""
    def inner(self, other: Any) -> Tensor:
        """The product Σ_k x_…k y_…k over the last axes; with a number, the multiple."""
    def int(self) -> Tensor:
        """Convert to int32."""
    def inverse(self) -> Tensor:
        """The inverse A⁻¹. Gradient: −A⁻ᵀ Ȳ A⁻ᵀ."""
    def is_complex(self) -> builtins.bool:
        """Return whether x holds complex numbers."""
    def is_contiguous(self, memory_format: Any = None) -> builtins.bool:
        """True: how entries lie in memory is not the user's concern."""
    @property
    def is_cuda(self) -> builtins.bool: ...
    def is_floating_point(self) -> builtins.bool:
        """Return whether x holds floating-point numbers, which can require a gradient."""
    def is_inference(self) -> builtins.bool:
        """False: tensors of ``inference_mode`` are like all others."""
    @property
    def is_meta(self) -> builtins.bool: ...
    @property
    def is_mps(self) -> builtins.bool: ...
    def is_nonzero(self) -> builtins.bool:
        """Return whether the only entry of x is not 0."""
    @property
    def is_quantized(self) -> builtins.bool: ...
    def is_same_size(self, other: Any) -> builtins.bool:
        """Whether other has the same shape."""
    def is_signed(self) -> builtins.bool:
        """Whether the dtype has negative numbers."""
    @property
    def is_sparse(self) -> builtins.bool: ...
    def isclose(self, other: Any, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
        """Return whether |x - other| ≤ atol + rtol |other|; equal infinities are close."""
    def isfinite(self) -> Tensor:
        """As ``symgrad.isfinite``."""
    def isinf(self) -> Tensor:
        """As ``symgrad.isinf``."""
    def isnan(self) -> Tensor:
        """As ``symgrad.isnan``."""
    def isneginf(self) -> Tensor:
        """Return whether x is -∞."""
    def isposinf(self) -> Tensor:
        """Return whether x is ∞."""
    def istft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Any = None, center: builtins.bool = True, normalized: builtins.bool = False, onesided: builtins.bool | None = None, length: builtins.int | None = None, return_complex: builtins.bool = False) -> Tensor:
        """The signal whose pieces have these transforms, in least squares: the inverse of stft."""
    def item(self, *args: Any) -> Any:
        """Return the only element, or the one at an index, as a Python number."""
    @property
    def itemsize(self) -> builtins.int: ...
    def kron(self, other: Any) -> Tensor:
        """The Kronecker product: the blocks x_ij Y."""
    def kthvalue(self, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Ordered[Tensor]:
        """The k-th smallest entry along one axis, k counted from 1, and where it is: of equal entries, one of them."""
    @property
    def layout(self) -> str: ...
    def lcm(self, other: Any) -> Tensor:
        """As ``symgrad.lcm``."""
    def lcm_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.lcm(…), in x's shape and dtype."""
    def ldexp(self, other: Any) -> Tensor:
        """x · 2ⁿ."""
    def ldexp_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.ldexp(…), in x's shape and dtype."""
    def le(self, other: Any) -> Tensor:
        """As ``symgrad.le``."""
    def le_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.le(…), in x's shape and dtype."""
    def lerp(self, end: Any, weight: Any) -> Tensor:
        """x + w (end - x), the point between x and end."""
    def lerp_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.lerp(…), in x's shape and dtype."""
    def less(self, other: Any) -> Tensor:
        """As ``symgrad.lt``."""
    def less_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.less(…), in x's shape and dtype."""
    def less_equal(self, other: Any) -> Tensor:
        """As ``symgrad.le``."""
    def less_equal_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.less_equal(…), in x's shape and dtype."""
    def lgamma(self) -> Tensor:
        """As ``symgrad.lgamma``."""
    def lgamma_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.lgamma(…), in x's shape and dtype."""
    def log(self) -> Tensor:
        """As ``symgrad.log``."""
    def log10(self) -> Tensor:
        """As ``symgrad.log10``."""
    def log10_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.log10(…), in x's shape and dtype."""
    def log1p(self) -> Tensor:
        """As ``symgrad.log1p``."""
    def log1p_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.log1p(…), in x's shape and dtype."""
    def log2(self) -> Tensor:
        """As ``symgrad.log2``."""
    def log2_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.log2(…), in x's shape and dtype."""
    def log_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.log(…), in x's shape and dtype."""
    def log_ndtr(self) -> Tensor:
        """As ``symgrad.special.log_ndtr``."""
    def log_ndtr_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.log_ndtr(…), in x's shape and dtype."""
    def log_normal_(self, mean: builtins.float = 1, std: builtins.float = 2, *, generator: Generator | None = None) -> Tensor:
        """Fill with exp(mean + std ε), ε standard normal."""
    def log_softmax(self, dim: builtins.int | None = None, *, dtype: Any = None, axis: builtins.int | None = None) -> Tensor:
        """x - log Σ exp x along one axis, accurate where softmax rounds to 0 or 1."""
    def logaddexp(self, other: Any) -> Tensor:
        """As ``symgrad.logaddexp``."""
    def logaddexp2(self, other: Any) -> Tensor:
        """As ``symgrad.logaddexp2``."""
    def logcumsumexp(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """log Σ_{k≤i} exp x_k along one axis, without overflow."""
    def logdet(self) -> Tensor:
        """log det A: nan where det A < 0 and A is real, -inf where det A = 0. Its gradient is A⁻ᵀ, of complex A conjugated."""
    def logical_and(self, other: Any) -> Tensor:
        """As ``symgrad.logical_and``."""
    def logical_and_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.logical_and(…), in x's shape and dtype."""
    def logical_not(self) -> Tensor:
        """As ``symgrad.logical_not``."""
    def logical_not_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.logical_not(…), in x's shape and dtype."""
    def logical_or(self, other: Any) -> Tensor:
        """As ``symgrad.logical_or``."""
    def logical_or_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.logical_or(…), in x's shape and dtype."""
    def logical_xor(self, other: Any) -> Tensor:
        """As ``symgrad.logical_xor``."""
    def logical_xor_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.logical_xor(…), in x's shape and dtype."""
    def logit(self, eps: builtins.float | None = None) -> Tensor:
        """log(p/(1 - p)), the inverse of the logistic function."""
    def logit_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.logit(…), in x's shape and dtype."""
    def logsigmoid(self) -> Tensor:
        """As ``symgrad.logsigmoid``."""
    def logsigmoid_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.logsigmoid(…), in x's shape and dtype."""
    @overload
    def logsumexp(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, b: Any = None) -> Tensor: ...
    @overload
    def logsumexp(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, b: Any = None, return_sign: builtins.bool = False) -> Any:
        """log Σ exp x along the axes, without overflow; with b, log Σ b exp x. Derivative: softmax(x); in b, exp(x - y)."""
    def long(self) -> Tensor:
        """Convert to int64."""
    def lt(self, other: Any) -> Tensor:
        """As ``symgrad.lt``."""
    def lt_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.lt(…), in x's shape and dtype."""
    def lu_solve(self, LU_data: Any, LU_pivots: Any) -> Tensor:
        """X with A X = b, A = P L U as linalg.lu_factor returns it."""
    @property
    def mH(self) -> Tensor: ...
    @property
    def mT(self) -> Tensor: ...
    def masked_fill(self, mask: Any, value: Any) -> Tensor:
        """x with ``value`` where the mask is true."""
    def masked_fill_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.masked_fill(…), in x's shape and dtype."""
    def masked_scatter(self, mask: Any, source: Any) -> Tensor:
        """x with the entries of source, in row-major order, where the mask is true."""
    def masked_scatter_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.masked_scatter(…), in x's shape and dtype."""
    def masked_select(self, mask: Any) -> Tensor:
        """The entries of x where the mask is true, in row-major order; x and mask are broadcast."""
    def matmul(self, other: Any) -> Tensor:
        """The matrix product of any ranks, batch axes broadcast, as ``torch.matmul``."""
    def matrix_exp(self) -> Tensor:
        """The exponential Σ Aᵏ/k! of a matrix. Gradient: Dexp(Aᵀ)[Ȳ], the derivative at Aᵀ in the direction Ȳ."""
    def matrix_power(self, n: builtins.int) -> Tensor:
        """Aⁿ by repeated squaring; of a negative n, (A⁻¹)⁻ⁿ."""
    @overload
    def max(self, *, out: Any = ..., initial: Any = ..., where: Any = ...) -> Tensor: ...
    @overload
    def max(self, dim: Any = None, keepdim: builtins.bool = False, *, other: Any = None, axis: Any = None, keepdims: builtins.bool = False, out: Any = ..., initial: Any = ..., where: Any = ...) -> Any:
        """max x: of all entries, along one axis, or of two tensors, as torch's three calls."""
    def maximum(self, other: Any) -> Tensor:
        """As ``symgrad.maximum``."""
    def mean(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, out: Any = ..., where: Any = ...) -> Tensor:
        """Σ x / n along the axes, n the number of entries added."""
    @overload
    def median(self) -> Tensor: ...
    @overload
    def median(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Any:
        """The median, of an even number of entries the lower one; nan if an entry is."""
    @overload
    def min(self, *, out: Any = ..., initial: Any = ..., where: Any = ...) -> Tensor: ...
    @overload
    def min(self, dim: Any = None, keepdim: builtins.bool = False, *, other: Any = None, axis: Any = None, keepdims: builtins.bool = False, out: Any = ..., initial: Any = ..., where: Any = ...) -> Any:
        """min x: of all entries, along one axis, or of two tensors, as torch's three calls."""
    def minimum(self, other: Any) -> Tensor:
        """As ``symgrad.minimum``."""
    def mm(self, mat2: Any) -> Tensor:
        """The matrix product Σ_j x_ij y_jk."""
    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Ordered[Tensor]:
        """The most frequent entry along one axis, the smallest of several, and where it is, the last one of equals."""
    def moveaxis(self, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]) -> Tensor:
        """x with the axes ``source`` moved to the places ``destination``, the others in their order."""
    def movedim(self, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]) -> Tensor:
        """x with the axes ``source`` moved to the places ``destination``, the others in their order."""
    def msort(self) -> Tensor:
        """The entries of x in order along dim 0."""
    def mul(self, other: Any) -> Tensor:
        """As ``symgrad.mul``."""
    def mul_(self, other: Any) -> Tensor:
        """x ← x·other."""
    def multiply(self, other: Any) -> Tensor:
        """As ``symgrad.mul``."""
    def multiply_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.multiply(…), in x's shape and dtype."""
    def mv(self, vec: Any) -> Tensor:
        """The matrix-vector product Σ_j x_ij v_j."""
    def mvlgamma(self, p: builtins.int) -> Tensor:
        """log Γₚ(x) = p (p - 1)/4 log π + Σ log Γ(x - j/2) over j = 0, …, p - 1."""
    def mvlgamma_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.mvlgamma(…), in x's shape and dtype."""
    def nan_to_num(self, nan: builtins.float = 0.0, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
        """x, with other numbers in place of nan, ∞ and -∞; of complex numbers in both parts."""
    def nan_to_num_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.nan_to_num(…), in x's shape and dtype."""
    def nanmean(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False) -> Tensor:
        """The mean of the entries along the axes that are not nan."""
    @overload
    def nanmedian(self) -> Tensor: ...
    @overload
    def nanmedian(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Any:
        """The median of the entries that are not nan, of an even number of them the lower one."""
    def nanquantile(self, q: Any, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear', axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Tensor:
        """As quantile, of the entries that are not nan."""
    def nansum(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False) -> Tensor:
        """Σ x along the axes, nan counting as 0."""
    def narrow(self, dim: builtins.int, start: Any, length: Any) -> Tensor:
        """The entries start, …, start + length - 1 of x along ``dim``."""
    def narrow_copy(self, dim: builtins.int, start: Any, length: Any) -> Tensor:
        """A part of x along ``dim``, as ``narrow`` returns it, but never a view."""
    @property
    def nbytes(self) -> Any: ...
    def ndimension(self) -> builtins.int:
        """The number of axes."""
    def ndtr(self) -> Tensor:
        """As ``symgrad.special.ndtr``."""
    def ndtr_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.ndtr(…), in x's shape and dtype."""
    def ndtri(self) -> Tensor:
        """As ``symgrad.special.ndtri``."""
    def ndtri_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.ndtri(…), in x's shape and dtype."""
    def ne(self, other: Any) -> Tensor:
        """As ``symgrad.ne``."""
    def ne_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.ne(…), in x's shape and dtype."""
    def neg(self) -> Tensor:
        """As ``symgrad.neg``."""
    def neg_(self) -> Tensor:
        """x ← -x."""
    def negative(self) -> Tensor:
        """As ``symgrad.neg``."""
    def negative_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.negative(…), in x's shape and dtype."""
    def nelement(self) -> Any:
        """The number of entries."""
    def new_empty(self, *size: Any, dtype: Any = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
        """As new_zeros, so that nothing undefined is ever read."""
    def new_full(self, size: Sequence[Any], fill_value: Any, *, dtype: Any = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
        """One number everywhere, by default in this tensor's dtype; the gradient of a tensor flows on."""
    def new_ones(self, *size: Any, dtype: Any = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
        """Ones, by default of this tensor's dtype."""
    def new_tensor(self, data: Any, *, dtype: Any = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
        """Copy data into a tensor, by default of this one's dtype; the gradients of tensors in data flow on."""
    def new_zeros(self, *size: Any, dtype: Any = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
        """Zeros, by default of this tensor's dtype."""
    @overload
    def nonzero(self) -> Tensor: ...
    @overload
    def nonzero(self, *, as_tuple: builtins.bool = False) -> Any:
        """The places of the entries that are not 0."""
    def norm(self, p: builtins.float | str | None = 'fro', dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False) -> Tensor:
        """The norm (Σ|x|ᵖ)^(1/p) of the entries; of a matrix the Frobenius norm. Its gradient where it is 0 is 0."""
    def normal_(self, mean: builtins.float = 0, std: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with normal random numbers of this mean and standard deviation."""
    def not_equal(self, other: Any) -> Tensor:
        """As ``symgrad.ne``."""
    def not_equal_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.not_equal(…), in x's shape and dtype."""
    def numel(self) -> Any:
        """The number of entries."""
    def numpy(self) -> np.ndarray[Any, Any]:
        """Return a copy as a read-only NumPy array, since writes to it would not reach the tensor."""
    def outer(self, vec2: Any) -> Tensor:
        """The outer product x_i v_j."""
    def permute(self, *order: Any, dims: Any = None) -> Tensor:
        """x with its axes in another order: axis k of the result is axis order[k] of x."""
    def pin_memory(self) -> Tensor:
        """Return x: nothing is copied to another device."""
    def pinverse(self, rcond: builtins.float = 1e-15) -> Tensor:
        """As linalg.pinv, with singular values up to rcond times the largest taken for 0."""
    def polygamma(self, n: builtins.int) -> Tensor:
        """ψₙ(x), the n-th derivative of digamma."""
    def polygamma_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.polygamma(…), in x's shape and dtype."""
    def positive(self) -> Tensor:
        """x itself."""
    def pow(self, exponent: Any) -> Tensor:
        """xᵖ. A simple literal exponent becomes part of the payload, so that x² differentiates to 2x."""
    def pow_(self, exponent: Any) -> Tensor:
        """x ← xᵖ."""
    def prod(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, out: Any = ..., initial: Any = ..., where: Any = ...) -> Tensor:
        """Π x along the axes."""
    def ptp(self, axis: Any = None, out: Any = None, keepdims: builtins.bool = False) -> Tensor:
        """max x - min x."""
    def put(self, index: Any, source: Any, accumulate: builtins.bool = False) -> Tensor:
        """x with the entries of source at the given positions of the flattened x."""
    def put_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.put(…), in x's shape and dtype."""
    def quantile(self, q: Any, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear', axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Tensor:
        """The q-quantiles along one axis: the entry at place q (n - 1) in order, between two entries on their line."""
    def rad2deg(self) -> Tensor:
        """As ``symgrad.rad2deg``."""
    def rad2deg_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.rad2deg(…), in x's shape and dtype."""
    def random_(self, low: builtins.int = 0, high: builtins.int | None = None, *, generator: Generator | None = None) -> Tensor:
        """Fill with whole random numbers in [low, high), or [0, low) of one; by default of 53 bits, or what x holds."""
    def ravel(self) -> Tensor:
        """The entries of x as a vector, in row-major order."""
    @property
    def real(self) -> Tensor: ...
    @real.setter
    def real(self, value: Any) -> None: ...
    def reciprocal(self) -> Tensor:
        """As ``symgrad.reciprocal``."""
    def reciprocal_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.reciprocal(…), in x's shape and dtype."""
    def relu(self) -> Tensor:
        """As ``symgrad.relu``."""
    def relu_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.relu(…), in x's shape and dtype."""
    def remainder(self, other: Any) -> Tensor:
        """As ``symgrad.remainder``."""
    def remainder_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.remainder(…), in x's shape and dtype."""
    def renorm(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float, *, axis: builtins.int | None = None) -> Tensor:
        """x with each slice along ``dim`` whose p-norm exceeds maxnorm scaled down to that norm."""
    def renorm_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.renorm(…), in x's shape and dtype."""
    def repeat(self, *counts: Any, repeats: Any = None, axis: Any = ...) -> Tensor:
        """x laid out side by side ``counts`` times along each axis, extra counts making new leading axes."""
    def repeat_interleave(self, repeats: Any, dim: builtins.int | None = None, *, output_size: builtins.int | None = None, axis: builtins.int | None = None) -> Tensor:
        """Each entry of x ``repeats`` times in a row along ``dim``; without dim, of the flattened x."""
    def reshape(self, *shape: Any, order: str = 'C', copy: builtins.bool | None = None, **named: Any) -> Tensor:
        """The same entries in another shape, read and written row by row; with order="F" column by column."""
    def reshape_as(self, other: Any) -> Tensor:
        """x in the shape of ``other``."""
    def resolve_conj(self) -> Tensor:
        """x itself."""
    def resolve_neg(self) -> Tensor:
        """x itself."""
    def roll(self, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
        """Entries moved along axes, coming back at the start from the end: y[i] = x[(i - shift) mod n]."""
    def rot90(self, k: builtins.int = 1, dims: Sequence[builtins.int] = ...) -> Tensor:
        """x turned by k right angles in the plane of two axes, from the first towards the second."""
    def round(self, decimals: builtins.int = 0, out: Any = None) -> Tensor:
        """The nearest numbers of so many decimals, halves to even ones."""
    def round_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.round(…), in x's shape and dtype."""
    def rsqrt(self) -> Tensor:
        """As ``symgrad.rsqrt``."""
    def rsqrt_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.rsqrt(…), in x's shape and dtype."""
    def scatter(self, dim: builtins.int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Tensor:
        """x with x[index[i, j], j] = src[i, j] for dim = 0, and so on: the writing counterpart of gather."""
    def scatter_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.scatter(…), in x's shape and dtype."""
    def scatter_add(self, dim: builtins.int, index: Any, src: Any) -> Tensor:
        """x with src[i, j] added to x[index[i, j], j] for dim = 0, and so on: the adjoint of gather."""
    def scatter_add_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.scatter_add(…), in x's shape and dtype."""
    def scatter_reduce(self, dim: builtins.int | None = None, index: Any = None, src: Any = None, reduce: str = 'sum', include_self: builtins.bool = True, *, axis: builtins.int | None = None) -> Tensor:
        """At each place the sum, product, mean, maximum or minimum of x's entry and of all src's that index sends there."""
    def scatter_reduce_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.scatter_reduce(…), in x's shape and dtype."""
    def searchsorted(self, v: Any, side: str | None = None, sorter: Any = None, **named: Any) -> Tensor:
        """Where v belongs in this vector, sorted or in the order ``sorter``; or in these rows. These are integers."""
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """The slice of x at ``index`` along ``dim``: x[:, …, index]."""
    def select_scatter(self, src: Any, dim: builtins.int, index: builtins.int) -> Tensor:
        """x with src as its slice at ``index`` along ``dim``."""
    def sgn(self) -> Tensor:
        """As ``symgrad.sign``."""
    def sgn_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.sgn(…), in x's shape and dtype."""
    def sigmoid(self) -> Tensor:
        """As ``symgrad.sigmoid``."""
    def sigmoid_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.sigmoid(…), in x's shape and dtype."""
    def sign(self) -> Tensor:
        """As ``symgrad.sign``."""
    def sign_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.sign(…), in x's shape and dtype."""
    def signbit(self) -> Tensor:
        """Return whether the sign of x is a minus; that of -0.0 is."""
    def sin(self) -> Tensor:
        """As ``symgrad.sin``."""
    def sin_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.sin(…), in x's shape and dtype."""
    def sinc(self) -> Tensor:
        """As ``symgrad.sinc``."""
    def sinc_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.sinc(…), in x's shape and dtype."""
    def sinh(self) -> Tensor:
        """As ``symgrad.sinh``."""
    def sinh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.sinh(…), in x's shape and dtype."""
    @property
    def size(self) -> Any: ...
    def slice_scatter(self, src: Any, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """x with src as its slice start:end:step along ``dim``."""
    def slogdet(self) -> SlogDet[Tensor]:
        """The sign and the logarithm of |det A|, which neither over- nor underflow."""
    def softmax(self, dim: builtins.int | None = None, *, dtype: Any = None, axis: builtins.int | None = None) -> Tensor:
        """exp x / Σ exp x along one axis."""
    def softplus(self) -> Tensor:
        """As ``symgrad.softplus``."""
    def softplus_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.softplus(…), in x's shape and dtype."""
    def sort(self, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, axis: builtins.int | None = None) -> Ordered[Tensor]:
        """The entries in order along one axis, and where they were."""
    def split(self, split_size: Any, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
        """The parts along an axis, of one size or of the sizes given."""
    def split_with_sizes(self, split_sizes: Sequence[Any], dim: builtins.int = 0, *, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
        """x cut along ``dim`` into parts of the given sizes, which add up to x's."""
    def sqrt(self) -> Tensor:
        """As ``symgrad.sqrt``."""
    def sqrt_(self) -> Tensor:
        """x ← √x."""
    def square(self) -> Tensor:
        """As ``symgrad.square``."""
    def square_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.square(…), in x's shape and dtype."""
    def squeeze(self, dim: builtins.int | Sequence[builtins.int] | None = None, *, axis: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
        """x without axes of size 1: all of them, or those of ``dim`` that have size 1."""
    def squeeze_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.squeeze(…)."""
    def std(self, dim: Any = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = None, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, ddof: Any = ..., dtype: Any = ..., out: Any = ..., where: Any = ..., mean: Any = ...) -> Tensor:
        """√(Σ (x - μ)² / (n - correction)) along the axes, of complex numbers with |x - μ|²."""
    def stft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Any = None, center: builtins.bool = True, pad_mode: str = 'reflect', normalized: builtins.bool = False, onesided: builtins.bool | None = None, return_complex: builtins.bool | None = None) -> Tensor:
        """X[k, t] = Σ_j w_j x[t·hop + j] exp(−2πi jk/n): the transforms of pieces of a signal, n_fft long, times a window."""
    def sub(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """As ``symgrad.sub``."""
    def sub_(self, other: Any, *, alpha: builtins.float = 1) -> Tensor:
        """x ← x - alpha·other."""
    def subtract(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """As ``symgrad.sub``."""
    def subtract_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.subtract(…), in x's shape and dtype."""
    def sum(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, out: Any = ..., initial: Any = ..., where: Any = ...) -> Tensor:
        """Σ x along the axes."""
    def sum_to_size(self, *size: Any) -> Tensor:
        """Σ over the axes that broadcasting to this shape would have added or repeated: undoes ``expand``."""
    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Exchange two axes: ``transpose`` by NumPy's name."""
    def swapaxes_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.swapaxes(…)."""
    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """x with two axes exchanged."""
    def swapdims_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.swapdims(…)."""
    def t(self) -> Tensor:
        """xᵀ, for x with at most two axes; a vector or number stays."""
    def t_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.t(…)."""
    def take(self, index: Any, *, axis: Any = ..., mode: Any = ..., out: Any = ..., indices: Any = ...) -> Tensor:
        """The entries of the flattened x at the given positions."""
    def take_along_dim(self, indices: Any, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """As gather, with x and indices broadcast apart from ``dim``; without dim, positions in the flattened x."""
    def tan(self) -> Tensor:
        """As ``symgrad.tan``."""
    def tan_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.tan(…), in x's shape and dtype."""
    def tanh(self) -> Tensor:
        """As ``symgrad.tanh``."""
    def tanh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.tanh(…), in x's shape and dtype."""
    def tensor_split(self, indices_or_sections: Any = None, dim: builtins.int = 0, *, indices: Any = None, sections: Any = None, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
        """x cut along ``dim`` into k parts of nearly equal size, or before the given places."""
    def tile(self, *counts: Any, dims: Any = None) -> Tensor:
        """As repeat; missing leading counts are 1."""
    def to(self, *args: Any, dtype: Any = None, device: Any = None, other: Any = None, non_blocking: builtins.bool = False, copy: builtins.bool = False, memory_format: Any = None) -> Tensor:
        """Convert to a dtype; gradients come back in this one."""
    def tobytes(self, order: str = 'C') -> bytes:
        """The bytes of the numbers. Raises GraphError where grad is required."""
    def tolist(self) -> Any:
        """Return nested lists of Python numbers. Raises GraphError for a variable of a transform."""
    def topk(self, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True, *, axis: builtins.int | None = None) -> Ordered[Tensor]:
        """The k largest entries along one axis, in order, and where they were."""
    def trace(self, offset: builtins.int = 0, axis1: builtins.int = 0, axis2: builtins.int = 1, dtype: Any = None, out: Any = None) -> Tensor:
        """Σ of a diagonal."""
    def transpose(self, *axes: Any, **named: Any) -> Tensor:
        """Two axes exchanged, as in PyTorch; NumPy's order of the axes where there are not two, or they are a tuple."""
    def transpose_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.transpose(…)."""
    def triangular_solve(self, A: Any, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False) -> Triangular[Tensor]:
        """X with T X = b, or Tᵀ X = b, T the upper or lower triangle of A."""
    def tril(self, diagonal: builtins.int = 0) -> Tensor:
        """The lower triangle: x_ij where j ≤ i + diagonal, else 0."""
    def tril_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.tril(…), in x's shape and dtype."""
    def triu(self, diagonal: builtins.int = 0) -> Tensor:
        """The upper triangle: x_ij where j ≥ i + diagonal, else 0."""
    def triu_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.triu(…), in x's shape and dtype."""
    def true_divide(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """x / other, or that rounded."""
    def true_divide_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.true_divide(…), in x's shape and dtype."""
    def trunc(self) -> Tensor:
        """As ``symgrad.trunc``."""
    def trunc_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.trunc(…), in x's shape and dtype."""
    def type(self, dtype: Any = None) -> Tensor:
        """Convert to a dtype, as ``to`` does; without one return the name of the tensor's."""
    def type_as(self, other: Any) -> Tensor:
        """Convert to other's dtype."""
    def unbind(self, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
        """The slices of x along ``dim``: (x[0], x[1], …) for dim = 0."""
    def unflatten(self, dim: builtins.int, sizes: Sequence[Any]) -> Tensor:
        """x with the axis ``dim`` split into axes of the given sizes, one of which may be -1."""
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """All windows of ``size`` entries along one axis, ``step`` apart, as a new last axis."""
    def uniform_(self, a: builtins.float = 0, b: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with uniform random numbers in [a, b)."""
    @overload
    def unique(self, sorted: builtins.bool = True) -> Tensor: ...
    @overload
    def unique(self, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Any:
        """The distinct entries of x in order, or the distinct slices along one axis."""
    @overload
    def unique_consecutive(self) -> Tensor: ...
    @overload
    def unique_consecutive(self, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Any:
        """The first entry of each run of equal ones, or the first slice along one axis."""
    def unsqueeze(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """x with a new axis of size 1 at ``dim``."""
    def unsqueeze_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.unsqueeze(…)."""
    def var(self, dim: Any = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = None, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, ddof: Any = ..., dtype: Any = ..., out: Any = ..., where: Any = ..., mean: Any = ...) -> Tensor:
        """Σ (x - μ)² / (n - correction) along the axes, of complex numbers Σ |x - μ|² / (n - correction)."""
    def vdot(self, other: Any) -> Tensor:
        """The inner product Σ conj(x_i) y_i of two vectors; of real numbers it is dot."""
    def view(self, *sizes: Any, size: Any = None) -> Tensor:
        """As reshape: how entries lie in memory is not the user's concern."""
    def view_as(self, other: Any) -> Tensor:
        """x in the shape of ``other``."""
    def vsplit(self, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
        """x cut from top to bottom, along dim 0."""
    def where(self, condition: Any, other: Any) -> Tensor:
        """Keep entries where the condition holds, take other's elsewhere."""
    def xlog1py(self, other: Any) -> Tensor:
        """As ``symgrad.special.xlog1py``."""
    def xlogy(self, other: Any) -> Tensor:
        """As ``symgrad.xlogy``."""
    def xlogy_(self, *args: Any, **kwargs: Any) -> Tensor:
        """x ← x.xlogy(…), in x's shape and dtype."""
    def zero_(self) -> Tensor:
        """x ← 0; the gradient of what x was is zero."""
