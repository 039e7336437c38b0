"""symgrad: the gradient's number, its formula and its function from the same few lines.

The public names. torch's where torch has one, JAX's for the function transforms.
"""

import numpy as _np

from symgrad import autograd, func, linalg, nn, testing
from symgrad.creation import (
    arange,
    as_tensor,
    asarray,
    empty,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    manual_seed,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    symbol,
    tensor,
    zeros,
    zeros_like,
)
from symgrad.errors import SymgradError
from symgrad.forms import ClosedForm, derive
from symgrad.func import grad, grad_and_value, hessian, hvp, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp
from symgrad.functions import (
    abs, acos, acosh, add, all, amax, amin, any, argmax, argmin, asin, asinh, atan, atan2, atanh,
    bmm, broadcast_to, cat, ceil, cholesky, chunk, clamp, clip, clone, concat, concatenate, cos,
    cosh, cumprod, cumsum, det, diag, diag_embed, diagonal, digamma, div, divide, dot, einsum, eq,
    erf, erfc, exp, exp2, expm1, flatten, flip, floor, gather, ge, gt, hstack, index_add,
    index_select, inner, inverse, kron, le, lgamma, log, log10, log1p, log2, log_softmax, logdet,
    logsigmoid, logsumexp, lt, masked_fill, masked_select, matmul, matrix_power, max, maximum, mean,
    min, minimum, mm, moveaxis, movedim, mul, multiply, mv, narrow, ne, neg, norm, outer, permute,
    pow, prod, ravel, reciprocal, relu, repeat_interleave, reshape, roll, rsqrt, scatter,
    scatter_add, select, sigmoid, sign, sin, sinh, slogdet, softmax, softplus, split, sqrt, square,
    squeeze, stack, std, std_mean, sub, subtract, sum, swapaxes, swapdims, t, take_along_dim, tan,
    tanh, tile, trace, transpose, tril, triu, true_divide, unbind, unsqueeze, var, var_mean, vstack,
    where,
)  # fmt: skip
from symgrad.modes import (
    enable_grad,
    get_default_dtype,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_default_dtype,
    set_grad_enabled,
)
from symgrad.printing import set_printoptions
from symgrad.tensor import Tensor
from symgrad.vmap import vmap

__version__ = "0.1.0"

float64, float32, float16 = _np.dtype("float64"), _np.dtype("float32"), _np.dtype("float16")
int64, int32, int16, int8, uint8 = (_np.dtype(t) for t in ("int64", "int32", "int16", "int8", "uint8"))

__all__ = [
    "ClosedForm", "SymgradError", "Tensor", "abs", "acos", "acosh", "add", "all", "amax", "amin",
    "any", "arange", "argmax", "argmin", "as_tensor", "asarray", "asin", "asinh", "atan", "atan2",
    "atanh", "autograd", "bmm", "broadcast_to", "cat", "ceil", "cholesky", "chunk", "clamp", "clip",
    "clone", "concat", "concatenate", "cos", "cosh", "cumprod", "cumsum", "derive", "det", "diag",
    "diag_embed", "diagonal", "digamma", "div", "divide", "dot", "einsum", "empty", "enable_grad",
    "eq", "erf", "erfc", "exp", "exp2", "expm1", "eye", "flatten", "flip", "float16", "float32",
    "float64", "floor", "from_numpy", "full", "full_like", "func", "gather", "ge",
    "get_default_dtype", "grad", "grad_and_value", "gt", "hessian", "hstack", "hvp", "index_add",
    "index_select", "inference_mode", "inner", "int16", "int32", "int64", "int8", "inverse",
    "is_grad_enabled", "is_inference_mode_enabled", "jacfwd", "jacobian", "jacrev", "jvp", "kron",
    "le", "lgamma", "linalg", "linspace", "log", "log10", "log1p", "log2", "log_softmax", "logdet",
    "logsigmoid", "logsumexp", "lt", "manual_seed", "masked_fill", "masked_select", "matmul",
    "matrix_power", "max", "maximum", "mean", "min", "minimum", "mm", "moveaxis", "movedim", "mul",
    "multiply", "mv", "narrow", "ne", "neg", "nn", "no_grad", "norm", "ones", "ones_like", "outer",
    "permute", "pow", "prod", "rand", "rand_like", "randint", "randn", "randn_like", "ravel",
    "reciprocal", "relu", "repeat_interleave", "reshape", "roll", "rsqrt", "scatter", "scatter_add",
    "select", "set_default_dtype", "set_grad_enabled", "set_printoptions", "sigmoid", "sign", "sin",
    "sinh", "slogdet", "softmax", "softplus", "split", "sqrt", "square", "squeeze", "stack", "std",
    "std_mean", "sub", "subtract", "sum", "swapaxes", "swapdims", "symbol", "t", "take_along_dim",
    "tan", "tanh", "tensor", "testing", "tile", "trace", "transpose", "tril", "triu", "true_divide",
    "uint8", "unbind", "unsqueeze", "value_and_grad", "var", "var_mean", "vjp", "vmap", "vstack",
    "where", "zeros", "zeros_like",
]  # fmt: skip
