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
    def __delitem__(self, key: Any) -> None: ...
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
        """The tensor, or a leaf of its numbers where gradients are requested."""
    def _number(self, what: str, *args: Any) -> Any: ...
    def _of_sizes(self, size: tuple[Any, ...], value: Any, dtype: Any, requires_grad: builtins.bool) -> Any: ...
    _op_priority: builtins.float
    def _sympy_(self) -> Any:
        """SymPy's number for a number without gradient; its functions, sympy.sin(x), take no other tensor."""
    def _update(self, op: Any, *others: Any) -> Any: ...
    def _wants_grad(self) -> builtins.bool: ...
    def _warn_scalar(self) -> None: ...
    def abs(self) -> Tensor:
        """See ``symgrad.abs``."""
    def abs_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.abs(…) in place, in x's shape and dtype."""
    def absolute(self) -> Tensor:
        """See ``symgrad.abs``."""
    def absolute_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.absolute(…) in place, in x's shape and dtype."""
    def acos(self) -> Tensor:
        """See ``symgrad.acos``."""
    def acos_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.acos(…) in place, in x's shape and dtype."""
    def acosh(self) -> Tensor:
        """See ``symgrad.acosh``."""
    def acosh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.acosh(…) in place, in x's shape and dtype."""
    def add(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """See ``symgrad.add``."""
    def add_(self, other: Any, *, alpha: builtins.float = 1) -> Tensor:
        """Add alpha·other to x in place."""
    def addbmm(self, batch1: Any, batch2: Any, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """Return beta · x + alpha · Σ_b A_b B_b."""
    def addbmm_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.addbmm(…) in place, in x's shape and dtype."""
    def addcdiv(self, tensor1: Any, tensor2: Any, *, value: builtins.float = 1) -> Tensor:
        """Return x + value · tensor1 / tensor2, elementwise; not all may be integers."""
    def addcdiv_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.addcdiv(…) in place, in x's shape and dtype."""
    def addcmul(self, tensor1: Any, tensor2: Any, *, value: builtins.float = 1) -> Tensor:
        """Return x + value · tensor1 · tensor2, elementwise; for integers, the value must be an integer."""
    def addcmul_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.addcmul(…) in place, in x's shape and dtype."""
    def addmm(self, mat1: Any, mat2: Any, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """Return beta · x + alpha · A B."""
    def addmm_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.addmm(…) in place, in x's shape and dtype."""
    def addmv(self, mat: Any, vec: Any, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """Return beta · x + alpha · A v."""
    def addmv_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.addmv(…) in place, in x's shape and dtype."""
    def addr(self, vec1: Any, vec2: Any, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """Return beta · x + alpha · u vᵀ."""
    def addr_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.addr(…) in place, in x's shape and dtype."""
    def adjoint(self) -> Tensor:
        """Return the conjugate transpose xᴴ of each matrix in the last two axes."""
    def all(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, out: Any = ..., where: Any = ...) -> Tensor:
        """Return whether every entry along the axes is nonzero."""
    def allclose(self, other: Any, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
        """Return whether |x - other| ≤ atol + rtol |other| everywhere."""
    def amax(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False) -> Tensor:
        """Return the maximum along the axes; ties share the gradient evenly."""
    def amin(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False) -> Tensor:
        """Return the minimum along the axes; ties share the gradient evenly."""
    def aminmax(self, *, dim: builtins.int | None = None, keepdim: builtins.bool = False, axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Range[Tensor]:
        """Return min x and max x; equal entries share the gradient evenly."""
    def angle(self) -> Tensor:
        """Return the angle of complex numbers in the plane, which is 0 or π for real numbers."""
    def any(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, out: Any = ..., where: Any = ...) -> Tensor:
        """Return whether some entry along the axes is nonzero."""
    def arccos(self) -> Tensor:
        """See ``symgrad.acos``."""
    def arccos_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.arccos(…) in place, in x's shape and dtype."""
    def arccosh(self) -> Tensor:
        """See ``symgrad.acosh``."""
    def arccosh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.arccosh(…) in place, in x's shape and dtype."""
    def arcsin(self) -> Tensor:
        """See ``symgrad.asin``."""
    def arcsin_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.arcsin(…) in place, in x's shape and dtype."""
    def arcsinh(self) -> Tensor:
        """See ``symgrad.asinh``."""
    def arcsinh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.arcsinh(…) in place, in x's shape and dtype."""
    def arctan(self) -> Tensor:
        """See ``symgrad.atan``."""
    def arctan2(self, other: Any) -> Tensor:
        """See ``symgrad.atan2``."""
    def arctan2_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.arctan2(…) in place, in x's shape and dtype."""
    def arctan_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.arctan(…) in place, in x's shape and dtype."""
    def arctanh(self) -> Tensor:
        """See ``symgrad.atanh``."""
    def arctanh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.arctanh(…) in place, in x's shape and dtype."""
    def argmax(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False, out: Any = ...) -> Tensor:
        """Return the index of the largest entry, the first among ties; without an axis, in the flattened tensor."""
    def argmin(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False, out: Any = ...) -> Tensor:
        """Return the index of the smallest entry, the first among ties; without an axis, in the flattened tensor."""
    def argsort(self, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, axis: builtins.int | None = None, kind: Any = ..., order: Any = ...) -> Tensor:
        """Return the indices that sort x along one axis."""
    def argwhere(self) -> Tensor:
        """Return the positions of the entries that are not 0, one per row."""
    def as_strided(self, size: Any, stride: Any, storage_offset: builtins.int | None = None) -> Tensor:
        """Return a copy whose entry (i, j, …) is entry storage_offset + i·stride₀ + j·stride₁ + … of the flattened x."""
    def asin(self) -> Tensor:
        """See ``symgrad.asin``."""
    def asin_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.asin(…) in place, in x's shape and dtype."""
    def asinh(self) -> Tensor:
        """See ``symgrad.asinh``."""
    def asinh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.asinh(…) in place, in x's shape and dtype."""
    def astype(self, dtype: Any, order: str = 'K', casting: str = 'unsafe', subok: builtins.bool = True, copy: builtins.bool = True) -> Tensor:
        """Convert to a dtype, like ``x.to(dtype)``, under NumPy's name; by default, return a new tensor."""
    @property
    def at(self) -> At: ...
    def atan(self) -> Tensor:
        """See ``symgrad.atan``."""
    def atan2(self, other: Any) -> Tensor:
        """See ``symgrad.atan2``."""
    def atan2_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.atan2(…) in place, in x's shape and dtype."""
    def atan_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.atan(…) in place, in x's shape and dtype."""
    def atanh(self) -> Tensor:
        """See ``symgrad.atanh``."""
    def atanh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.atanh(…) in place, in x's shape and dtype."""
    def baddbmm(self, batch1: Any, batch2: Any, *, beta: builtins.float = 1, alpha: builtins.float = 1) -> Tensor:
        """Return beta · x + alpha · A B for stacks of matrices."""
    def baddbmm_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.baddbmm(…) in place, in x's shape and dtype."""
    def bernoulli(self, p: Any = None, *, generator: Generator | None = None) -> Tensor:
        """See ``symgrad.bernoulli``."""
    def bernoulli_(self, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with 1 with probability p, else 0."""
    def bincount(self, weights: Any = None, minlength: builtins.int = 0) -> Tensor:
        """Count the occurrences of 0, 1, … in x, or sum the weights of their occurrences."""
    def bitwise_and(self, other: Any) -> Tensor:
        """See ``symgrad.bitwise_and``."""
    def bitwise_and_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.bitwise_and(…) in place, in x's shape and dtype."""
    def bitwise_left_shift(self, other: Any) -> Tensor:
        """See ``symgrad.bitwise_left_shift``."""
    def bitwise_left_shift_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.bitwise_left_shift(…) in place, in x's shape and dtype."""
    def bitwise_not(self) -> Tensor:
        """See ``symgrad.bitwise_not``."""
    def bitwise_not_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.bitwise_not(…) in place, in x's shape and dtype."""
    def bitwise_or(self, other: Any) -> Tensor:
        """See ``symgrad.bitwise_or``."""
    def bitwise_or_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.bitwise_or(…) in place, in x's shape and dtype."""
    def bitwise_right_shift(self, other: Any) -> Tensor:
        """See ``symgrad.bitwise_right_shift``."""
    def bitwise_right_shift_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.bitwise_right_shift(…) in place, in x's shape and dtype."""
    def bitwise_xor(self, other: Any) -> Tensor:
        """See ``symgrad.bitwise_xor``."""
    def bitwise_xor_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.bitwise_xor(…) in place, in x's shape and dtype."""
    def block_until_ready(self) -> Tensor:
        """Return x, which has already been computed."""
    def bmm(self, mat2: Any) -> Tensor:
        """Return the batch of matrix products Σ_j x_bij y_bjk."""
    def bool(self) -> Tensor:
        """Convert to bool."""
    def broadcast_to(self, size: Sequence[Any]) -> Tensor:
        """Return x expanded to the shape ``size``."""
    def cauchy_(self, median: builtins.float = 0, sigma: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with Cauchy random numbers of this median and scale."""
    def cdouble(self) -> Tensor:
        """Return the tensor as complex128."""
    def ceil(self) -> Tensor:
        """See ``symgrad.ceil``."""
    def ceil_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.ceil(…) in place, in x's shape and dtype."""
    def cfloat(self) -> Tensor:
        """Return the tensor as complex64."""
    def cholesky(self, upper: builtins.bool = False) -> Tensor:
        """Return the lower triangular L with L Lᵀ = A, or L Lᴴ = A for complex A. The gradient is symmetric or Hermitian."""
    def cholesky_inverse(self, upper: builtins.bool = False) -> Tensor:
        """Return (L Lᵀ)⁻¹, or (L Lᴴ)⁻¹ for complex L: the inverse of a matrix with the Cholesky factor L."""
    def cholesky_solve(self, input2: Any, upper: builtins.bool = False) -> Tensor:
        """Solve L Lᵀ X = B, or L Lᴴ X = B for complex L."""
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
        """Split x along ``dim`` into at most ``chunks`` parts of size ⌈n/chunks⌉, of which the last may be smaller."""
    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """Limit x to [min, max]; either bound may be omitted. The derivative at the bounds is 1."""
    def clamp_(self, min: Any = None, max: Any = None) -> Tensor:
        """Clamp the entries of x to [min, max] in place."""
    def clamp_max(self, max: Any) -> Tensor:
        """Return min(x, max)."""
    def clamp_max_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.clamp_max(…) in place, in x's shape and dtype."""
    def clamp_min(self, min: Any) -> Tensor:
        """Return max(x, min)."""
    def clamp_min_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.clamp_min(…) in place, in x's shape and dtype."""
    def clip(self, min: Any = None, max: Any = None, *, out: Any = ...) -> Tensor:
        """Limit x to [min, max]; either bound may be omitted. The derivative at the bounds is 1."""
    def clip_(self, min: Any = None, max: Any = None) -> Tensor:
        """Clamp the entries of x to [min, max] in place."""
    def clone(self, *, memory_format: Any = None) -> Tensor:
        """Return a copy of x, through which gradients flow."""
    def compress(self, condition: Any, axis: builtins.int | None = None, out: Any = None) -> Tensor:
        """Return the entries, or the slices along an axis, for which the condition holds."""
    def conj(self) -> Tensor:
        """Return the complex conjugate, or x itself for real numbers."""
    def conj_physical(self) -> Tensor:
        """Return the complex conjugate as a new tensor, or x itself for real numbers."""
    def conj_physical_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.conj_physical(…) in place, in x's shape and dtype."""
    def conjugate(self) -> Tensor:
        """Return the conjugate; for real numbers, this is the tensor itself."""
    def contiguous(self, *, memory_format: Any = None) -> Tensor:
        """Return the tensor, or of one that PyTorch would copy a tensor of its own: how entries lie is nobody's concern."""
    def copy(self, order: str = 'C') -> Tensor:
        """Return a copy through which gradients flow: ``x.clone()`` under NumPy's name."""
    def copy_(self, other: Any) -> Tensor:
        """Copy other into x in place, broadcast and converted to x's dtype."""
    def copysign(self, other: Any) -> Tensor:
        """See ``symgrad.copysign``."""
    def copysign_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.copysign(…) in place, in x's shape and dtype."""
    def corrcoef(self) -> Tensor:
        """Return the correlation coefficients C_ij / √(C_ii C_jj), where C is the covariance, limited to [-1, 1]."""
    def cos(self) -> Tensor:
        """See ``symgrad.cos``."""
    def cos_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.cos(…) in place, in x's shape and dtype."""
    def cosh(self) -> Tensor:
        """See ``symgrad.cosh``."""
    def cosh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.cosh(…) in place, in x's shape and dtype."""
    def count_nonzero(self, dim: builtins.int | Sequence[builtins.int] | None = None, *, axis: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
        """Return the number of entries that are not 0."""
    def cov(self, *, correction: builtins.int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
        """Return the covariance C = Σ_k w_k (x_k - μ)(x_k - μ)ᴴ / (Σ w - correction) of the rows of x."""
    def cpu(self, memory_format: Any = None) -> Tensor:
        """Return x: all tensors are on the CPU."""
    def cross(self, other: Any, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """Return the cross product a × b of vectors along one axis of length 3."""
    def cuda(self, device: Any = None, non_blocking: builtins.bool = False) -> Tensor:
        """Raise an error, because the device does not exist."""
    def cummax(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Extremum[Tensor]:
        """Return the largest entry so far along one axis, and its index, the last one among ties."""
    def cummin(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Extremum[Tensor]:
        """Return the smallest entry so far along one axis, and its index, the last one among ties."""
    def cumprod(self, dim: builtins.int | None = None, *, dtype: Any = None, axis: builtins.int | None = None, out: Any = ...) -> Tensor:
        """Return the cumulative product y_i = Π_{k≤i} x_k along one axis."""
    def cumprod_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.cumprod(…) in place, in x's shape and dtype."""
    def cumsum(self, dim: builtins.int | None = None, *, dtype: Any = None, axis: builtins.int | None = None, out: Any = ...) -> Tensor:
        """Return the cumulative sum y_i = Σ_{k≤i} x_k along one axis."""
    def cumsum_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.cumsum(…) in place, in x's shape and dtype."""
    def deg2rad(self) -> Tensor:
        """See ``symgrad.deg2rad``."""
    def deg2rad_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.deg2rad(…) in place, in x's shape and dtype."""
    def det(self) -> Tensor:
        """Return the determinant. Its gradient is the matrix of cofactors, which is exact for singular matrices too."""
    @property
    def device(self) -> Tensor: ...
    def diag(self, diagonal: builtins.int = 0) -> Tensor:
        """Return the matrix with a given vector on its diagonal, or the diagonal of a given matrix."""
    def diag_embed(self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
        """Return matrices with x on the diagonal numbered offset, and zeros elsewhere."""
    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """Return the matrix with the entries of x, in row-major order, on a diagonal."""
    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1, *, axis1: Any = ..., axis2: Any = ...) -> Tensor:
        """Return the entries x[…, i, i + offset] along the axes dim1 and dim2, as a new last axis."""
    def diagonal_scatter(self, src: Any, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """Return a copy of x whose diagonal x[…, i, i + offset] along the axes dim1 and dim2 is src."""
    def diff(self, n: builtins.int = 1, dim: builtins.int = -1, prepend: Any = None, append: Any = None, *, axis: builtins.int | None = None) -> Tensor:
        """Return the n-th differences x[k + 1] - x[k] along one axis; for booleans, whether neighbours differ."""
    def digamma(self) -> Tensor:
        """See ``symgrad.digamma``."""
    def digamma_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.digamma(…) in place, in x's shape and dtype."""
    def dim(self) -> builtins.int:
        """Return the number of axes."""
    def dist(self, other: Any, p: builtins.float = 2) -> Tensor:
        """Return ‖x - other‖ₚ over all entries."""
    def div(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Return x / other, rounded if ``rounding_mode`` says so."""
    def div_(self, other: Any) -> Tensor:
        """Divide x by other in place."""
    def divide(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Return x / other, rounded if ``rounding_mode`` says so."""
    def divide_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.divide(…) in place, in x's shape and dtype."""
    def dot(self, tensor: Any, out: Any = None) -> Tensor:
        """Return Σ xᵢ yᵢ for vectors, and the product of matrices, as NumPy's method does."""
    def double(self) -> Tensor:
        """Convert to float64."""
    def dsplit(self, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
        """Split x in depth, along dim 2."""
    def element_size(self) -> builtins.int:
        """Return the number of bytes of an entry."""
    def entr(self) -> Tensor:
        """See ``symgrad.special.entr``."""
    def entr_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.entr(…) in place, in x's shape and dtype."""
    def eq(self, other: Any) -> Tensor:
        """See ``symgrad.eq``."""
    def eq_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.eq(…) in place, in x's shape and dtype."""
    def equal(self, other: Any) -> builtins.bool:
        """Return whether x and other have the same shape and the same entries."""
    def erf(self) -> Tensor:
        """See ``symgrad.erf``."""
    def erf_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.erf(…) in place, in x's shape and dtype."""
    def erfc(self) -> Tensor:
        """See ``symgrad.erfc``."""
    def erfc_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.erfc(…) in place, in x's shape and dtype."""
    def erfcx(self) -> Tensor:
        """See ``symgrad.special.erfcx``."""
    def erfcx_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.erfcx(…) in place, in x's shape and dtype."""
    def erfinv(self) -> Tensor:
        """See ``symgrad.erfinv``."""
    def erfinv_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.erfinv(…) in place, in x's shape and dtype."""
    def exp(self) -> Tensor:
        """See ``symgrad.exp``."""
    def exp2(self) -> Tensor:
        """See ``symgrad.exp2``."""
    def exp2_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.exp2(…) in place, in x's shape and dtype."""
    def exp_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.exp(…) in place, in x's shape and dtype."""
    def expand(self, *sizes: Any, size: Any = None) -> Tensor:
        """Return x repeated along axes of size 1 and along new leading axes."""
    def expand_as(self, other: Any) -> Tensor:
        """Return x expanded to the shape of ``other``."""
    def expm1(self) -> Tensor:
        """See ``symgrad.expm1``."""
    def expm1_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.expm1(…) in place, in x's shape and dtype."""
    def exponential_(self, lambd: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with exponential random numbers of rate lambd."""
    def fill(self, value: Any) -> None:
        """Set all entries to a number."""
    def fill_(self, value: builtins.float) -> Tensor:
        """Set all entries of x to value in place; the gradient with respect to x's previous value is zero."""
    def fix(self) -> Tensor:
        """See ``symgrad.trunc``."""
    def fix_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.fix(…) in place, in x's shape and dtype."""
    @property
    def flat(self) -> Flat: ...
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """Return x with the axes from ``start_dim`` to ``end_dim`` joined into one, in row-major order."""
    def flip(self, *axes: Any, dims: Any = None, axis: Any = None) -> Tensor:
        """Return x with the order of the entries reversed along the axes."""
    def fliplr(self) -> Tensor:
        """Return x with its columns (dim 1) in reverse order."""
    def flipud(self) -> Tensor:
        """Return x with its rows (dim 0) in reverse order."""
    def float(self) -> Tensor:
        """Convert to float32."""
    def float_power(self, exponent: Any) -> Tensor:
        """Return xᵖ in double precision, or for complex numbers in that of their parts."""
    def float_power_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.float_power(…) in place, in x's shape and dtype."""
    def floor(self) -> Tensor:
        """See ``symgrad.floor``."""
    def floor_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.floor(…) in place, in x's shape and dtype."""
    def floor_divide(self, other: Any) -> Tensor:
        """See ``symgrad.floor_divide``."""
    def floor_divide_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.floor_divide(…) in place, in x's shape and dtype."""
    def fmax(self, other: Any) -> Tensor:
        """See ``symgrad.fmax``."""
    def fmin(self, other: Any) -> Tensor:
        """See ``symgrad.fmin``."""
    def fmod(self, other: Any) -> Tensor:
        """See ``symgrad.fmod``."""
    def fmod_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.fmod(…) in place, in x's shape and dtype."""
    def frac(self) -> Tensor:
        """See ``symgrad.frac``."""
    def frac_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.frac(…) in place, in x's shape and dtype."""
    def frexp(self) -> Frexp[Tensor]:
        """Return m and e with x = m 2ᵉ and ½ ≤ |m| < 1."""
    def gather(self, dim: builtins.int | None = None, index: Any = None, *, sparse_grad: builtins.bool = False, axis: builtins.int | None = None) -> Tensor:
        """Return y[i, j] = x[index[i, j], j] for dim = 0, y[i, j] = x[i, index[i, j]] for dim = 1, and so on."""
    def gcd(self, other: Any) -> Tensor:
        """See ``symgrad.gcd``."""
    def gcd_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.gcd(…) in place, in x's shape and dtype."""
    def ge(self, other: Any) -> Tensor:
        """See ``symgrad.ge``."""
    def ge_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.ge(…) in place, in x's shape and dtype."""
    def geometric_(self, p: builtins.float, *, generator: Generator | None = None) -> Tensor:
        """Fill with how often one tries until a success of probability p, at least 1."""
    def ger(self, vec2: Any) -> Tensor:
        """Return the outer product x_i v_j."""
    def get_device(self) -> builtins.int:
        """Return -1, PyTorch's number of the CPU."""
    def greater(self, other: Any) -> Tensor:
        """See ``symgrad.gt``."""
    def greater_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.greater(…) in place, in x's shape and dtype."""
    def greater_equal(self, other: Any) -> Tensor:
        """See ``symgrad.ge``."""
    def greater_equal_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.greater_equal(…) in place, in x's shape and dtype."""
    def gt(self, other: Any) -> Tensor:
        """See ``symgrad.gt``."""
    def gt_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.gt(…) in place, in x's shape and dtype."""
    def half(self) -> Tensor:
        """Convert to float16."""
    def hardshrink(self, lambd: builtins.float = 0.5) -> Tensor:
        """Return x where |x| > λ, and 0 elsewhere."""
    def heaviside(self, values: Any) -> Tensor:
        """Return 0 for x < 0, values for x = 0, and 1 for x > 0."""
    def heaviside_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.heaviside(…) in place, in x's shape and dtype."""
    def histc(self, bins: builtins.int = 100, min: builtins.float = 0, max: builtins.float = 0) -> Tensor:
        """Count the entries of x in equal parts of [min, max]; entries outside are ignored."""
    def hsplit(self, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
        """Split x horizontally: along dim 1, or a vector along dim 0."""
    def hypot(self, other: Any) -> Tensor:
        """See ``symgrad.hypot``."""
    def hypot_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.hypot(…) in place, in x's shape and dtype."""
    def i0(self) -> Tensor:
        """See ``symgrad.i0``."""
    def i0_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.i0(…) in place, in x's shape and dtype."""
    def i0e(self) -> Tensor:
        """See ``symgrad.special.i0e``."""
    def i0e_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.i0e(…) in place, in x's shape and dtype."""
    def i1(self) -> Tensor:
        """See ``symgrad.special.i1``."""
    def i1_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.i1(…) in place, in x's shape and dtype."""
    def i1e(self) -> Tensor:
        """See ``symgrad.special.i1e``."""
    def i1e_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.i1e(…) in place, in x's shape and dtype."""
    @property
    def imag(self) -> Tensor: ...
    @imag.setter
    def imag(self, value: Any) -> None: ...
    def index_add(self, dim: builtins.int, index: Any, source: Any, *, alpha: builtins.float = 1) -> Tensor:
        """Return x with alpha·source[k] added to x[index[k]] along ``dim``: the adjoint of index_select."""
    def index_add_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.index_add(…) in place, in x's shape and dtype."""
    def index_copy(self, dim: builtins.int, index: Any, source: Any) -> Tensor:
        """Return x with source[k] at index[k] along ``dim``."""
    def index_copy_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.index_copy(…) in place, in x's shape and dtype."""
    def index_fill(self, dim: builtins.int, index: Any, value: Any) -> Tensor:
        """Return x with one value at the positions ``index`` along ``dim``."""
    def index_fill_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.index_fill(…) in place, in x's shape and dtype."""
    def index_put(self, indices: Sequence[Any], values: Any, accumulate: builtins.bool = False) -> Tensor:
        """Return x after x[indices] = values, or after x[indices] += values, where repeated indices add up."""
    def index_put_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.index_put(…) in place, in x's shape and dtype."""
    def index_reduce(self, dim: builtins.int, index: Any, source: Any, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """Reduce slices along ``dim``, like scatter_reduce with an index (k,) for whole slices."""
    def index_reduce_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.index_reduce(…) in place, in x's shape and dtype."""
    def index_select(self, dim: builtins.int | None = None, index: Any = None, *, axis: builtins.int | None = None) -> Tensor:
        """Return the entries of x at the positions ``index`` along ``dim``; positions may repeat."""
    def inner(self, other: Any) -> Tensor:
        """Return the product Σ_k x_…k y_…k over the last axes; a number is a factor."""
    def int(self) -> Tensor:
        """Convert to int32."""
    def inverse(self) -> Tensor:
        """Return the inverse A⁻¹. Gradient: −A⁻ᵀ Ȳ A⁻ᵀ."""
    def is_complex(self) -> builtins.bool:
        """Return whether x holds complex numbers."""
    def is_contiguous(self, memory_format: Any = None) -> builtins.bool:
        """Return True: the order of the entries in memory makes no difference."""
    @property
    def is_cpu(self) -> builtins.bool: ...
    @property
    def is_cuda(self) -> builtins.bool: ...
    def is_floating_point(self) -> builtins.bool:
        """Return whether x holds floating-point numbers, which can require a gradient."""
    def is_inference(self) -> builtins.bool:
        """Return False: tensors of ``inference_mode`` are like all others."""
    @property
    def is_meta(self) -> builtins.bool: ...
    @property
    def is_mkldnn(self) -> builtins.bool: ...
    @property
    def is_mps(self) -> builtins.bool: ...
    @property
    def is_mtia(self) -> builtins.bool: ...
    @property
    def is_nested(self) -> builtins.bool: ...
    def is_nonzero(self) -> builtins.bool:
        """Return whether the only entry of x is not 0."""
    def is_pinned(self) -> builtins.bool:
        """Return False: the memory of tensors is neither pinned nor shared with another process."""
    @property
    def is_quantized(self) -> builtins.bool: ...
    def is_same_size(self, other: Any) -> builtins.bool:
        """Return whether other has the same shape."""
    def is_shared(self) -> builtins.bool:
        """Return False: the memory of tensors is neither pinned nor shared with another process."""
    def is_signed(self) -> builtins.bool:
        """Return whether the dtype has negative numbers."""
    @property
    def is_sparse(self) -> builtins.bool: ...
    @property
    def is_sparse_csr(self) -> builtins.bool: ...
    @property
    def is_vulkan(self) -> builtins.bool: ...
    @property
    def is_xla(self) -> builtins.bool: ...
    @property
    def is_xpu(self) -> builtins.bool: ...
    def isclose(self, other: Any, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
        """Return whether |x - other| ≤ atol + rtol |other|; equal infinities are close."""
    def isfinite(self) -> Tensor:
        """See ``symgrad.isfinite``."""
    def isinf(self) -> Tensor:
        """See ``symgrad.isinf``."""
    def isnan(self) -> Tensor:
        """See ``symgrad.isnan``."""
    def isneginf(self) -> Tensor:
        """Return whether x is -∞."""
    def isposinf(self) -> Tensor:
        """Return whether x is ∞."""
    def isreal(self) -> Tensor:
        """Return whether the imaginary part of x is 0."""
    def istft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Any = None, center: builtins.bool = True, normalized: builtins.bool = False, onesided: builtins.bool | None = None, length: builtins.int | None = None, return_complex: builtins.bool = False) -> Tensor:
        """Return the signal whose segments have these transforms in the least-squares sense: the inverse of stft."""
    def item(self, *args: Any) -> Any:
        """Return the only element, or the one at an index, as a Python number."""
    @property
    def itemsize(self) -> builtins.int: ...
    def kron(self, other: Any) -> Tensor:
        """Return the Kronecker product, whose blocks are x_ij Y."""
    def kthvalue(self, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Ordered[Tensor]:
        """Return the k-th smallest entry along one axis, with k counted from 1, and its index."""
    @property
    def layout(self) -> str: ...
    def lcm(self, other: Any) -> Tensor:
        """See ``symgrad.lcm``."""
    def lcm_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.lcm(…) in place, in x's shape and dtype."""
    def ldexp(self, other: Any) -> Tensor:
        """Return x · 2ⁿ."""
    def ldexp_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.ldexp(…) in place, in x's shape and dtype."""
    def le(self, other: Any) -> Tensor:
        """See ``symgrad.le``."""
    def le_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.le(…) in place, in x's shape and dtype."""
    def lerp(self, end: Any, weight: Any) -> Tensor:
        """Return x + w (end - x), the point between x and end."""
    def lerp_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.lerp(…) in place, in x's shape and dtype."""
    def less(self, other: Any) -> Tensor:
        """See ``symgrad.lt``."""
    def less_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.less(…) in place, in x's shape and dtype."""
    def less_equal(self, other: Any) -> Tensor:
        """See ``symgrad.le``."""
    def less_equal_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.less_equal(…) in place, in x's shape and dtype."""
    def lgamma(self) -> Tensor:
        """See ``symgrad.lgamma``."""
    def lgamma_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.lgamma(…) in place, in x's shape and dtype."""
    def log(self) -> Tensor:
        """See ``symgrad.log``."""
    def log10(self) -> Tensor:
        """See ``symgrad.log10``."""
    def log10_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.log10(…) in place, in x's shape and dtype."""
    def log1p(self) -> Tensor:
        """See ``symgrad.log1p``."""
    def log1p_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.log1p(…) in place, in x's shape and dtype."""
    def log2(self) -> Tensor:
        """See ``symgrad.log2``."""
    def log2_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.log2(…) in place, in x's shape and dtype."""
    def log_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.log(…) in place, in x's shape and dtype."""
    def log_ndtr(self) -> Tensor:
        """See ``symgrad.special.log_ndtr``."""
    def log_ndtr_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.log_ndtr(…) in place, in x's shape and dtype."""
    def log_normal_(self, mean: builtins.float = 1, std: builtins.float = 2, *, generator: Generator | None = None) -> Tensor:
        """Fill with exp(mean + std ε), ε standard normal."""
    def log_softmax(self, dim: builtins.int | None = None, *, dtype: Any = None, axis: builtins.int | None = None) -> Tensor:
        """Return x - log Σ exp x along one axis, accurate even where softmax rounds to 0 or 1."""
    def logaddexp(self, other: Any) -> Tensor:
        """See ``symgrad.logaddexp``."""
    def logaddexp2(self, other: Any) -> Tensor:
        """See ``symgrad.logaddexp2``."""
    def logcumsumexp(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """Return log Σ_{k≤i} exp x_k along one axis, without overflow."""
    def logdet(self) -> Tensor:
        """Return log det A: nan if A is real and det A < 0, and -inf if det A = 0."""
    def logical_and(self, other: Any) -> Tensor:
        """See ``symgrad.logical_and``."""
    def logical_and_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.logical_and(…) in place, in x's shape and dtype."""
    def logical_not(self) -> Tensor:
        """See ``symgrad.logical_not``."""
    def logical_not_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.logical_not(…) in place, in x's shape and dtype."""
    def logical_or(self, other: Any) -> Tensor:
        """See ``symgrad.logical_or``."""
    def logical_or_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.logical_or(…) in place, in x's shape and dtype."""
    def logical_xor(self, other: Any) -> Tensor:
        """See ``symgrad.logical_xor``."""
    def logical_xor_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.logical_xor(…) in place, in x's shape and dtype."""
    def logit(self, eps: builtins.float | None = None) -> Tensor:
        """Return log(p/(1 - p)), the inverse of the logistic function."""
    def logit_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.logit(…) in place, in x's shape and dtype."""
    def logsigmoid(self) -> Tensor:
        """See ``symgrad.logsigmoid``."""
    def logsigmoid_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.logsigmoid(…) in place, in x's shape and dtype."""
    @overload
    def logsumexp(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, b: Any = None) -> Tensor: ...
    @overload
    def logsumexp(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, b: Any = None, return_sign: builtins.bool = False) -> Any:
        """Return log Σ exp x along the axes, without overflow, or log Σ b exp x. Derivative: softmax(x); in b, exp(x - y)."""
    def long(self) -> Tensor:
        """Convert to int64."""
    def lt(self, other: Any) -> Tensor:
        """See ``symgrad.lt``."""
    def lt_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.lt(…) in place, in x's shape and dtype."""
    def lu_solve(self, LU_data: Any, LU_pivots: Any) -> Tensor:
        """Solve A X = b, given the factors of A = P L U that ``linalg.lu_factor`` returns."""
    @property
    def mH(self) -> Tensor: ...
    @property
    def mT(self) -> Tensor: ...
    def masked_fill(self, mask: Any, value: Any) -> Tensor:
        """Return x with ``value`` where the mask is true."""
    def masked_fill_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.masked_fill(…) in place, in x's shape and dtype."""
    def masked_scatter(self, mask: Any, source: Any) -> Tensor:
        """Return x with the entries of source, in row-major order, where the mask is true."""
    def masked_scatter_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.masked_scatter(…) in place, in x's shape and dtype."""
    def masked_select(self, mask: Any) -> Tensor:
        """Return the entries of x where the mask is true, in row-major order; x and mask are broadcast."""
    def matmul(self, other: Any) -> Tensor:
        """Return the matrix product of tensors of any rank, with broadcast batch axes, like ``torch.matmul``."""
    def matrix_exp(self) -> Tensor:
        """Return the matrix exponential Σ Aᵏ/k!. Gradient: Dexp(Aᵀ)[Ȳ], the derivative at Aᵀ in the direction Ȳ."""
    def matrix_power(self, n: builtins.int) -> Tensor:
        """Return Aⁿ by repeated squaring, and (A⁻¹)⁻ⁿ for a negative n."""
    @overload
    def max(self, *, out: Any = ..., initial: Any = ..., where: Any = ...) -> Tensor: ...
    @overload
    def max(self, dim: Any = None, keepdim: builtins.bool = False, *, other: Any = None, axis: Any = None, keepdims: builtins.bool = False, out: Any = ..., initial: Any = ..., where: Any = ...) -> Any:
        """Return the maximum of all entries, along one axis, or of two tensors, like PyTorch's three calls."""
    def maximum(self, other: Any) -> Tensor:
        """See ``symgrad.maximum``."""
    def mean(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, out: Any = ..., where: Any = ...) -> Tensor:
        """Return Σ x / n along the axes, where n is the number of entries that are added."""
    @overload
    def median(self) -> Tensor: ...
    @overload
    def median(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Any:
        """Return the median, or the lower one for an even number of entries; nan if an entry is nan."""
    @overload
    def min(self, *, out: Any = ..., initial: Any = ..., where: Any = ...) -> Tensor: ...
    @overload
    def min(self, dim: Any = None, keepdim: builtins.bool = False, *, other: Any = None, axis: Any = None, keepdims: builtins.bool = False, out: Any = ..., initial: Any = ..., where: Any = ...) -> Any:
        """Return the minimum of all entries, along one axis, or of two tensors, like PyTorch's three calls."""
    def minimum(self, other: Any) -> Tensor:
        """See ``symgrad.minimum``."""
    def mm(self, mat2: Any) -> Tensor:
        """Return the matrix product Σ_j x_ij y_jk."""
    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Ordered[Tensor]:
        """Return the most frequent entry along one axis, the smallest among ties, and the index of its last occurrence."""
    def moveaxis(self, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]) -> Tensor:
        """Return x with the axes ``source`` moved to the positions ``destination``; the others keep their order."""
    def movedim(self, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]) -> Tensor:
        """Return x with the axes ``source`` moved to the positions ``destination``; the others keep their order."""
    def msort(self) -> Tensor:
        """Return x sorted along dim 0."""
    def mul(self, other: Any) -> Tensor:
        """See ``symgrad.mul``."""
    def mul_(self, other: Any) -> Tensor:
        """Multiply x by other in place."""
    def multinomial(self, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Generator | None = None) -> Tensor:
        """See ``symgrad.multinomial``."""
    def multiply(self, other: Any) -> Tensor:
        """See ``symgrad.mul``."""
    def multiply_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.multiply(…) in place, in x's shape and dtype."""
    def mv(self, vec: Any) -> Tensor:
        """Return the matrix-vector product Σ_j x_ij v_j."""
    def mvlgamma(self, p: builtins.int) -> Tensor:
        """Return log Γₚ(x) = p (p - 1)/4 log π + Σ log Γ(x - j/2) over j = 0, …, p - 1."""
    def mvlgamma_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.mvlgamma(…) in place, in x's shape and dtype."""
    def nan_to_num(self, nan: builtins.float = 0.0, posinf: builtins.float | None = None, neginf: builtins.float | None = None) -> Tensor:
        """Replace nan, ∞ and -∞ in x by numbers; in real and imaginary parts if x is complex."""
    def nan_to_num_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.nan_to_num(…) in place, in x's shape and dtype."""
    def nanmean(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False) -> Tensor:
        """Return the mean along the axes, of the entries that are not nan."""
    @overload
    def nanmedian(self) -> Tensor: ...
    @overload
    def nanmedian(self, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Any:
        """Return the median of the entries that are not nan, or the lower one for an even number of them."""
    def nanquantile(self, q: Any, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear', axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Tensor:
        """Return quantiles of the entries that are not nan; see ``quantile``."""
    def nansum(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False) -> Tensor:
        """Return Σ x along the axes, with each nan replaced by 0."""
    def narrow(self, dim: builtins.int, start: Any, length: Any) -> Tensor:
        """Return the entries start, …, start + length - 1 of x along ``dim``."""
    def narrow_copy(self, dim: builtins.int, start: Any, length: Any) -> Tensor:
        """Return a copy of a part of x along ``dim``; see ``narrow``."""
    @property
    def nbytes(self) -> Any: ...
    def ndimension(self) -> builtins.int:
        """Return the number of axes."""
    def ndtr(self) -> Tensor:
        """See ``symgrad.special.ndtr``."""
    def ndtr_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.ndtr(…) in place, in x's shape and dtype."""
    def ndtri(self) -> Tensor:
        """See ``symgrad.special.ndtri``."""
    def ndtri_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.ndtri(…) in place, in x's shape and dtype."""
    def ne(self, other: Any) -> Tensor:
        """See ``symgrad.ne``."""
    def ne_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.ne(…) in place, in x's shape and dtype."""
    def neg(self) -> Tensor:
        """See ``symgrad.neg``."""
    def neg_(self) -> Tensor:
        """Negate x in place."""
    def negative(self) -> Tensor:
        """See ``symgrad.neg``."""
    def negative_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.negative(…) in place, in x's shape and dtype."""
    def nelement(self) -> Any:
        """Return the number of entries."""
    def new_empty(self, *size: Any, dtype: Any = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
        """Return zeros, by default with this tensor's dtype, so that undefined values are never read."""
    def new_full(self, size: Sequence[Any], fill_value: Any, *, dtype: Any = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
        """Return a tensor filled with one number, by default with this tensor's dtype. Gradients flow to a tensor."""
    def new_ones(self, *size: Any, dtype: Any = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
        """Return ones, by default with this tensor's dtype."""
    def new_tensor(self, data: Any, *, dtype: Any = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
        """Create a tensor from data, by default with this tensor's dtype. Gradients flow to tensors in the data."""
    def new_zeros(self, *size: Any, dtype: Any = None, requires_grad: builtins.bool = False, device: Any = None) -> Tensor:
        """Return zeros, by default with this tensor's dtype."""
    @overload
    def nonzero(self) -> Tensor: ...
    @overload
    def nonzero(self, *, as_tuple: builtins.bool = False) -> Any:
        """Return the positions of the entries that are not 0."""
    def norm(self, p: builtins.float | str | None = 'fro', dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False) -> Tensor:
        """Return the norm (Σ|x|ᵖ)^(1/p) of the entries, for a matrix by default the Frobenius norm."""
    def normal_(self, mean: builtins.float = 0, std: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with normal random numbers of this mean and standard deviation."""
    def not_equal(self, other: Any) -> Tensor:
        """See ``symgrad.ne``."""
    def not_equal_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.not_equal(…) in place, in x's shape and dtype."""
    def numel(self) -> Any:
        """Return the number of entries."""
    def numpy(self) -> np.ndarray[Any, Any]:
        """Return a copy as a read-only NumPy array, because writing to it would not modify the tensor."""
    def outer(self, vec2: Any) -> Tensor:
        """Return the outer product x_i v_j."""
    def permute(self, *order: Any, dims: Any = None) -> Tensor:
        """Return x with its axes in another order: axis k of the result is axis order[k] of x."""
    def pin_memory(self) -> Tensor:
        """Return x: nothing is copied to another device."""
    def pinverse(self, rcond: builtins.float = 1e-15) -> Tensor:
        """Return the pseudoinverse; singular values up to rcond times the largest are treated as 0."""
    def polygamma(self, n: builtins.int) -> Tensor:
        """Return ψₙ(x), the n-th derivative of digamma."""
    def polygamma_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.polygamma(…) in place, in x's shape and dtype."""
    def positive(self) -> Tensor:
        """Return x itself."""
    def pow(self, exponent: Any) -> Tensor:
        """xᵖ. A simple literal exponent becomes part of the payload, so that x² differentiates to 2x."""
    def pow_(self, exponent: Any) -> Tensor:
        """Raise x to a power in place."""
    def prelu(self, weight: Any) -> Tensor:
        """Return x for x > 0, and weight·x otherwise, with one weight or one per channel."""
    def prod(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, out: Any = ..., initial: Any = ..., where: Any = ...) -> Tensor:
        """Return Π x along the axes."""
    def ptp(self, axis: Any = None, out: Any = None, keepdims: builtins.bool = False) -> Tensor:
        """Return max x - min x."""
    def put(self, index: Any, source: Any, accumulate: builtins.bool = False) -> Tensor:
        """Return x with the entries of source at the given positions of the flattened x."""
    def put_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.put(…) in place, in x's shape and dtype."""
    def quantile(self, q: Any, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear', axis: builtins.int | None = None, keepdims: builtins.bool = False) -> Tensor:
        """Return the q-quantiles along one axis: the sorted entry at position q (n - 1), interpolated linearly."""
    def rad2deg(self) -> Tensor:
        """See ``symgrad.rad2deg``."""
    def rad2deg_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.rad2deg(…) in place, in x's shape and dtype."""
    def random_(self, low: builtins.int = 0, high: builtins.int | None = None, *, generator: Generator | None = None) -> Tensor:
        """Fill with whole random numbers in [low, high), or [0, low) of one; by default of 53 bits, or what x holds."""
    def ravel(self) -> Tensor:
        """Return the entries of x as a vector, in row-major order."""
    @property
    def real(self) -> Tensor: ...
    @real.setter
    def real(self, value: Any) -> None: ...
    def reciprocal(self) -> Tensor:
        """See ``symgrad.reciprocal``."""
    def reciprocal_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.reciprocal(…) in place, in x's shape and dtype."""
    def relu(self) -> Tensor:
        """See ``symgrad.relu``."""
    def relu_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.relu(…) in place, in x's shape and dtype."""
    def remainder(self, other: Any) -> Tensor:
        """See ``symgrad.remainder``."""
    def remainder_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.remainder(…) in place, in x's shape and dtype."""
    def renorm(self, p: builtins.float, dim: builtins.int, maxnorm: builtins.float, *, axis: builtins.int | None = None) -> Tensor:
        """Return x with each slice along ``dim`` whose p-norm exceeds maxnorm scaled down to that norm."""
    def renorm_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.renorm(…) in place, in x's shape and dtype."""
    def repeat(self, *counts: Any, repeats: Any = None, axis: Any = ...) -> Tensor:
        """Return x repeated ``counts`` times along each axis; additional counts create new leading axes."""
    def repeat_interleave(self, repeats: Any, dim: builtins.int | None = None, *, output_size: builtins.int | None = None, axis: builtins.int | None = None) -> Tensor:
        """Return x with each entry repeated ``repeats`` times along ``dim``; without dim, x is flattened first."""
    def reshape(self, *shape: Any, order: str = 'C', copy: builtins.bool | None = None, **named: Any) -> Tensor:
        """Return the entries in another shape, read and written row by row, or with order="F" column by column."""
    def reshape_as(self, other: Any) -> Tensor:
        """Return x in the shape of ``other``."""
    def resolve_conj(self) -> Tensor:
        """Return x itself."""
    def resolve_neg(self) -> Tensor:
        """Return x itself."""
    def roll(self, shifts: builtins.int | Sequence[builtins.int], dims: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
        """Shift the entries cyclically along axes: y[i] = x[(i - shift) mod n]."""
    def rot90(self, k: builtins.int = 1, dims: Sequence[builtins.int] = ...) -> Tensor:
        """Rotate x by k right angles in the plane of two axes, from the first towards the second."""
    def round(self, decimals: builtins.int = 0, out: Any = None) -> Tensor:
        """Round to the given number of decimals; halves are rounded to even."""
    def round_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.round(…) in place, in x's shape and dtype."""
    def rsqrt(self) -> Tensor:
        """See ``symgrad.rsqrt``."""
    def rsqrt_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.rsqrt(…) in place, in x's shape and dtype."""
    def scatter(self, dim: builtins.int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Tensor:
        """Return x with x[index[i, j], j] = src[i, j] for dim = 0, and so on: the writing counterpart of gather."""
    def scatter_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.scatter(…) in place, in x's shape and dtype."""
    def scatter_add(self, dim: builtins.int, index: Any, src: Any) -> Tensor:
        """Return x with src[i, j] added to x[index[i, j], j] for dim = 0, and so on: the adjoint of gather."""
    def scatter_add_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.scatter_add(…) in place, in x's shape and dtype."""
    def scatter_reduce(self, dim: builtins.int | None = None, index: Any = None, src: Any = None, reduce: str = 'sum', include_self: builtins.bool = True, *, axis: builtins.int | None = None) -> Tensor:
        """Reduce each entry of x and all entries of src that index assigns to it: sum, product, mean, maximum or minimum."""
    def scatter_reduce_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.scatter_reduce(…) in place, in x's shape and dtype."""
    def searchsorted(self, v: Any, side: str | None = None, sorter: Any = None, **named: Any) -> Tensor:
        """Return the positions at which v belongs in this sorted vector (or sorted by ``sorter``), or in these rows."""
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """Return the slice of x at ``index`` along ``dim``: x[:, …, index]."""
    def select_scatter(self, src: Any, dim: builtins.int, index: builtins.int) -> Tensor:
        """Return a copy of x whose slice at ``index`` along ``dim`` is src."""
    def sgn(self) -> Tensor:
        """See ``symgrad.sign``."""
    def sgn_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.sgn(…) in place, in x's shape and dtype."""
    def short(self) -> Tensor:
        """Convert to int16."""
    def sigmoid(self) -> Tensor:
        """See ``symgrad.sigmoid``."""
    def sigmoid_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.sigmoid(…) in place, in x's shape and dtype."""
    def sign(self) -> Tensor:
        """See ``symgrad.sign``."""
    def sign_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.sign(…) in place, in x's shape and dtype."""
    def signbit(self) -> Tensor:
        """Return whether the sign of x is negative, which is True for -0.0."""
    def sin(self) -> Tensor:
        """See ``symgrad.sin``."""
    def sin_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.sin(…) in place, in x's shape and dtype."""
    def sinc(self) -> Tensor:
        """See ``symgrad.sinc``."""
    def sinc_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.sinc(…) in place, in x's shape and dtype."""
    def sinh(self) -> Tensor:
        """See ``symgrad.sinh``."""
    def sinh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.sinh(…) in place, in x's shape and dtype."""
    @property
    def size(self) -> Any: ...
    def slice_scatter(self, src: Any, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """Return a copy of x whose slice start:end:step along ``dim`` is src."""
    def slogdet(self) -> SlogDet[Tensor]:
        """Return the sign of the determinant and the logarithm of |det A|, neither of which overflows or underflows."""
    def softmax(self, dim: builtins.int | None = None, *, dtype: Any = None, axis: builtins.int | None = None) -> Tensor:
        """Return exp x / Σ exp x along one axis."""
    def softplus(self) -> Tensor:
        """See ``symgrad.softplus``."""
    def softplus_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.softplus(…) in place, in x's shape and dtype."""
    def sort(self, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False, *, axis: builtins.int | None = None) -> Ordered[Tensor]:
        """Return the sorted entries along one axis, and their indices."""
    def split(self, split_size: Any, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
        """Split the tensor along an axis into parts of one size, or of the given sizes."""
    def split_with_sizes(self, split_sizes: Sequence[Any], dim: builtins.int = 0, *, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
        """Split x along ``dim`` into parts of the given sizes, which add up to the size of x."""
    def sqrt(self) -> Tensor:
        """See ``symgrad.sqrt``."""
    def sqrt_(self) -> Tensor:
        """Set x to its square root in place."""
    def square(self) -> Tensor:
        """See ``symgrad.square``."""
    def square_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.square(…) in place, in x's shape and dtype."""
    def squeeze(self, dim: builtins.int | Sequence[builtins.int] | None = None, *, axis: builtins.int | Sequence[builtins.int] | None = None) -> Tensor:
        """Return x without its axes of size 1, or only without those that are listed in ``dim``."""
    def squeeze_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.squeeze(…) in place."""
    def std(self, dim: Any = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = None, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, ddof: Any = ..., dtype: Any = ..., out: Any = ..., where: Any = ..., mean: Any = ...) -> Tensor:
        """Return the standard deviation √(Σ (x - μ)² / (n - correction)) along the axes, with |x - μ|² for complex numbers."""
    def stft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Any = None, center: builtins.bool = True, pad_mode: str = 'reflect', normalized: builtins.bool = False, onesided: builtins.bool | None = None, return_complex: builtins.bool | None = None) -> Tensor:
        """Return the short-time Fourier transform X[k, t] = Σ_j w_j x[t·hop + j] exp(−2πi jk/n) of a signal."""
    def sub(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """See ``symgrad.sub``."""
    def sub_(self, other: Any, *, alpha: builtins.float = 1) -> Tensor:
        """Subtract alpha·other from x in place."""
    def subtract(self, other: Any, *, alpha: Any = 1) -> Tensor:
        """See ``symgrad.sub``."""
    def subtract_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.subtract(…) in place, in x's shape and dtype."""
    def sum(self, dim: builtins.int | Sequence[builtins.int] | None = None, keepdim: builtins.bool = False, *, dtype: Any = None, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, out: Any = ..., initial: Any = ..., where: Any = ...) -> Tensor:
        """Return Σ x along the axes."""
    def sum_to_size(self, *size: Any) -> Tensor:
        """Undo ``expand``: sum over the axes that broadcasting from this size has added or repeated."""
    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Return x with two axes exchanged; NumPy's name for ``transpose``."""
    def swapaxes_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.swapaxes(…) in place."""
    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Return x with two axes exchanged."""
    def swapdims_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.swapdims(…) in place."""
    def t(self) -> Tensor:
        """Return xᵀ, for x with at most two axes; vectors and numbers are returned unchanged."""
    def t_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.t(…) in place."""
    def take(self, index: Any, *, axis: Any = ..., mode: Any = ..., out: Any = ..., indices: Any = ...) -> Tensor:
        """Return the entries of the flattened x at the given positions."""
    def take_along_dim(self, indices: Any, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """Gather entries along ``dim``, with x and indices broadcast along the other axes; without dim, x is flattened."""
    def tan(self) -> Tensor:
        """See ``symgrad.tan``."""
    def tan_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.tan(…) in place, in x's shape and dtype."""
    def tanh(self) -> Tensor:
        """See ``symgrad.tanh``."""
    def tanh_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.tanh(…) in place, in x's shape and dtype."""
    def tensor_split(self, indices_or_sections: Any = None, dim: builtins.int = 0, *, indices: Any = None, sections: Any = None, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
        """Split x along ``dim`` into k parts of nearly equal size, or before the given positions."""
    def tile(self, *counts: Any, dims: Any = None) -> Tensor:
        """Return x repeated along each axis, like ``repeat``; missing leading counts are 1."""
    def to(self, *args: Any, dtype: Any = None, device: Any = None, other: Any = None, non_blocking: builtins.bool = False, copy: builtins.bool = False, memory_format: Any = None) -> Tensor:
        """Convert to a dtype. Gradients are converted back."""
    def tobytes(self, order: str = 'C') -> bytes:
        """Return the bytes of the numbers. Raises GraphError if the tensor requires a gradient."""
    def tolist(self) -> Any:
        """Return nested lists of Python numbers. Raises GraphError for a variable of a transform."""
    def topk(self, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True, *, axis: builtins.int | None = None) -> Ordered[Tensor]:
        """Return the k largest entries along one axis, sorted, and their indices."""
    def trace(self, offset: builtins.int = 0, axis1: builtins.int = 0, axis2: builtins.int = 1, dtype: Any = None, out: Any = None) -> Tensor:
        """Return the sum of a diagonal."""
    def transpose(self, *axes: Any, **named: Any) -> Tensor:
        """Exchange two axes, as in PyTorch; any other number of axes, or a tuple, is their new order, as in NumPy."""
    def transpose_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.transpose(…) in place."""
    def triangular_solve(self, A: Any, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False) -> Triangular[Tensor]:
        """Solve T X = b, or Tᵀ X = b, where T is the upper or lower triangle of A."""
    def tril(self, diagonal: builtins.int = 0) -> Tensor:
        """Return the lower triangle: x_ij if j ≤ i + diagonal, and 0 otherwise."""
    def tril_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.tril(…) in place, in x's shape and dtype."""
    def triu(self, diagonal: builtins.int = 0) -> Tensor:
        """Return the upper triangle: x_ij if j ≥ i + diagonal, and 0 otherwise."""
    def triu_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.triu(…) in place, in x's shape and dtype."""
    def true_divide(self, other: Any, *, rounding_mode: str | None = None) -> Tensor:
        """Return x / other, rounded if ``rounding_mode`` says so."""
    def true_divide_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.true_divide(…) in place, in x's shape and dtype."""
    def trunc(self) -> Tensor:
        """See ``symgrad.trunc``."""
    def trunc_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.trunc(…) in place, in x's shape and dtype."""
    def type(self, dtype: Any = None) -> Tensor:
        """Convert to a dtype, like ``to``; without an argument, return the name of the tensor's type."""
    def type_as(self, other: Any) -> Tensor:
        """Convert to other's dtype."""
    def unbind(self, dim: builtins.int = 0, *, axis: builtins.int | None = None) -> tuple[Tensor, ...]:
        """Return the slices of x along ``dim``: (x[0], x[1], …) for dim = 0."""
    def unflatten(self, dim: builtins.int, sizes: Sequence[Any]) -> Tensor:
        """Return x with the axis ``dim`` split into axes of the given sizes, one of which may be -1."""
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """Return all windows of ``size`` entries along one axis, ``step`` apart, as a new last axis."""
    def uniform_(self, a: builtins.float = 0, b: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with uniform random numbers in [a, b); of a complex tensor both parts."""
    @overload
    def unique(self, sorted: builtins.bool = True) -> Tensor: ...
    @overload
    def unique(self, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Any:
        """Return the distinct entries of x in order, or the distinct slices along one axis."""
    @overload
    def unique_consecutive(self) -> Tensor: ...
    @overload
    def unique_consecutive(self, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: builtins.int | None = None) -> Any:
        """Return the first entry of each run of equal entries, or the first slice along one axis."""
    def unsqueeze(self, dim: builtins.int | None = None, *, axis: builtins.int | None = None) -> Tensor:
        """Return x with a new axis of size 1 at ``dim``."""
    def unsqueeze_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.unsqueeze(…) in place."""
    def var(self, dim: Any = None, unbiased: builtins.bool | None = None, keepdim: builtins.bool = False, *, correction: builtins.float | None = None, axis: builtins.int | Sequence[builtins.int] | None = None, keepdims: builtins.bool = False, ddof: Any = ..., dtype: Any = ..., out: Any = ..., where: Any = ..., mean: Any = ...) -> Tensor:
        """Return the variance Σ (x - μ)² / (n - correction) along the axes, with |x - μ|² for complex numbers."""
    def vdot(self, other: Any) -> Tensor:
        """Return the inner product Σ conj(x_i) y_i of two vectors, which is ``dot`` for real numbers."""
    def view(self, *sizes: Any, size: Any = None) -> Tensor:
        """Return x in another shape. This is ``reshape``, because the memory layout of a tensor does not matter."""
    def view_as(self, other: Any) -> Tensor:
        """Return x in the shape of ``other``."""
    def vsplit(self, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
        """Split x vertically, along dim 0."""
    def where(self, condition: Any, other: Any) -> Tensor:
        """Return the entries of this tensor where the condition holds, and those of other elsewhere."""
    def xlog1py(self, other: Any) -> Tensor:
        """See ``symgrad.special.xlog1py``."""
    def xlogy(self, other: Any) -> Tensor:
        """See ``symgrad.xlogy``."""
    def xlogy_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Set x to x.xlogy(…) in place, in x's shape and dtype."""
    def zero_(self) -> Tensor:
        """Set all entries of x to 0 in place; the gradient with respect to x's previous value is zero."""
