"""symgrad: the gradient's number, its formula and its function from the same few lines.

The public names. torch's where torch has one, JAX's for the function transforms.
"""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

import numpy as _np

from symgrad import autograd, func, linalg, nn, special
from symgrad import backward as _backward
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
from symgrad.func import (
    grad,
    grad_and_value,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)
from symgrad.functions import (
    abs,
    acos,
    acosh,
    add,
    addcdiv,
    addcmul,
    addmm,
    addmv,
    addr,
    all,
    amax,
    amin,
    any,
    argmax,
    argmin,
    argsort,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    baddbmm,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    bmm,
    broadcast_to,
    cat,
    cdist,
    ceil,
    cholesky,
    chunk,
    clamp,
    clip,
    clone,
    concat,
    concatenate,
    copysign,
    cos,
    cosh,
    count_nonzero,
    cummax,
    cummin,
    cumprod,
    cumsum,
    deg2rad,
    det,
    diag,
    diag_embed,
    diagonal,
    diff,
    digamma,
    dist,
    div,
    divide,
    dot,
    einsum,
    eq,
    erf,
    erfc,
    erfinv,
    exp,
    exp2,
    expm1,
    fix,
    flatten,
    flip,
    float_power,
    floor,
    floor_divide,
    fmax,
    fmin,
    fmod,
    frac,
    gather,
    ge,
    gt,
    heaviside,
    hstack,
    hypot,
    i0,
    index_add,
    index_select,
    inner,
    inverse,
    isfinite,
    isinf,
    isnan,
    kron,
    kthvalue,
    ldexp,
    le,
    lerp,
    lgamma,
    log,
    log1p,
    log2,
    log10,
    log_softmax,
    logaddexp,
    logaddexp2,
    logdet,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    logit,
    logsigmoid,
    logsumexp,
    lt,
    masked_fill,
    masked_select,
    matmul,
    matrix_exp,
    matrix_power,
    max,
    maximum,
    mean,
    median,
    min,
    minimum,
    mm,
    moveaxis,
    movedim,
    mul,
    multiply,
    mv,
    nan_to_num,
    nansum,
    narrow,
    ne,
    neg,
    norm,
    outer,
    permute,
    pinverse,
    polygamma,
    pow,
    prod,
    rad2deg,
    ravel,
    reciprocal,
    relu,
    remainder,
    repeat_interleave,
    reshape,
    roll,
    round,
    rsqrt,
    scatter,
    scatter_add,
    select,
    sigmoid,
    sign,
    sin,
    sinc,
    sinh,
    slogdet,
    softmax,
    softplus,
    sort,
    split,
    sqrt,
    square,
    squeeze,
    stack,
    std,
    std_mean,
    sub,
    subtract,
    sum,
    swapaxes,
    swapdims,
    t,
    take_along_dim,
    tan,
    tanh,
    tile,
    topk,
    trace,
    transpose,
    tril,
    triu,
    true_divide,
    trunc,
    unbind,
    unsqueeze,
    var,
    var_mean,
    vstack,
    where,
    xlogy,
)
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
double, float, half, long, int, short, bool = float64, float32, float16, int64, int32, int16, _np.dtype("bool")

__all__ = [
    "ClosedForm", "SymgradError", "Tensor", "abs", "acos", "acosh", "add", "addcdiv", "addcmul",
    "addmm", "addmv", "addr", "all", "amax", "amin", "any", "arange", "argmax", "argmin", "argsort",
    "as_tensor", "asarray", "asin", "asinh", "atan", "atan2", "atanh", "autograd", "baddbmm",
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "bmm", "bool", "broadcast_to", "cat",
    "cdist", "ceil", "cholesky", "chunk", "clamp", "clip", "clone", "compile", "concat",
    "concatenate", "copysign", "cos", "cosh", "count_nonzero", "cummax", "cummin", "cumprod",
    "cumsum", "deg2rad", "derive", "det", "diag", "diag_embed", "diagonal", "diff", "digamma",
    "dist", "div", "divide", "dot", "double", "einsum", "empty", "enable_grad", "eq", "erf", "erfc",
    "erfinv", "exp", "exp2", "expm1", "eye", "fix", "flatten", "flip", "float", "float16", "float32",
    "float64", "float_power", "floor", "floor_divide", "fmax", "fmin", "fmod", "fori_loop", "frac",
    "from_numpy", "from_sympy", "full", "full_like", "func", "gather", "ge", "get_default_dtype",
    "grad", "grad_and_value", "gt", "half", "heaviside", "hessian", "hstack", "hvp", "hypot", "i0",
    "index_add", "index_select", "inference_mode", "inner", "int", "int16", "int32", "int64", "int8",
    "inverse", "is_grad_enabled", "is_inference_mode_enabled", "isfinite", "isinf", "isnan",
    "jacfwd", "jacobian", "jacrev", "jvp", "kron", "kthvalue", "ldexp", "le", "lerp", "lgamma",
    "linalg", "linspace", "log", "log10", "log1p", "log2", "log_softmax", "logaddexp", "logaddexp2",
    "logdet", "logical_and", "logical_not", "logical_or", "logical_xor", "logit", "logsigmoid",
    "logsumexp", "long", "lt", "manual_seed", "masked_fill", "masked_select", "matmul", "matrix_exp",
    "matrix_power", "max", "maximum", "mean", "median", "min", "minimum", "mm", "moveaxis",
    "movedim", "mul", "multiply", "mv", "nan_to_num", "nansum", "narrow", "ne", "neg",
    "nn", "no_grad", "norm", "ones", "ones_like", "outer", "permute", "pinverse", "polygamma", "pow",
    "prod", "rad2deg", "rand", "rand_like", "randint", "randn", "randn_like", "ravel", "reciprocal",
    "relu", "remainder", "repeat_interleave", "reshape", "roll", "round", "rsqrt", "scan", "scatter",
    "scatter_add", "select", "set_default_dtype", "set_grad_enabled", "set_printoptions", "short",
    "sigmoid", "sign", "sin", "sinc", "sinh", "slogdet", "softmax", "softplus", "sort",
    "sparse_hessian", "sparse_jacobian", "special", "split", "sqrt", "square", "squeeze", "stack",
    "std", "std_mean", "sub", "subtract", "sum", "swapaxes", "swapdims", "symbol", "t",
    "take_along_dim", "tan", "tanh", "tensor", "testing", "tile", "topk", "trace", "transpose",
    "tril", "triu", "true_divide", "trunc", "uint8", "unbind", "unsqueeze", "value_and_grad", "var",
    "var_mean", "vjp", "vmap", "vstack", "where", "xlogy", "zeros", "zeros_like",
]  # fmt: skip

# Closed forms, loops and the compiler are imported when they are first asked for, so that others start sooner.
_LATER = {
    "ClosedForm": "symgrad.forms", "compile": "symgrad.compiler", "derive": "symgrad.forms",
    "fori_loop": "symgrad.loops", "from_sympy": "symgrad.forms", "scan": "symgrad.loops",
    "sparse_hessian": "symgrad.compiler.sparse", "sparse_jacobian": "symgrad.compiler.sparse",
    "testing": "symgrad.testing",
}  # fmt: skip

if _TYPE_CHECKING:
    from symgrad import testing
    from symgrad.compiler import compile
    from symgrad.compiler.sparse import sparse_hessian, sparse_jacobian
    from symgrad.forms import ClosedForm, derive, from_sympy
    from symgrad.loops import fori_loop, scan


def __getattr__(name: str) -> _Any:
    if name not in _LATER:
        raise AttributeError(f"module 'symgrad' has no attribute {name!r}")
    module = _importlib.import_module(_LATER[name])
    found = globals()[name] = module if name == "testing" else getattr(module, name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


def _symbolic(*args: _Any) -> None:
    _importlib.import_module("symgrad.forms.derive").symbolic(*args)


def _expr(t: Tensor) -> _Any:
    """The SymPy expression of a recorded tensor."""
    return _importlib.import_module("symgrad.forms.derive").expression(t).expr


_backward.MODES["symbolic"] = _symbolic
Tensor.expr = property(_expr)  # type: ignore[attr-defined]
