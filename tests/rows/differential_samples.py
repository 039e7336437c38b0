"""Inputs on which symgrad and torch are compared: many shapes, broadcasting, no axes, no entries, gaps in memory.

A sample is a function's path and its arguments, the same for both libraries; arrays stand for tensors, and those of
floats are differentiated.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any, NamedTuple

import numpy as np

rng = np.random.default_rng(20)


class Sample(NamedTuple):
    """The arguments of a function."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        return ", ".join([*map(_shown, self.args), *(f"{k}={_shown(v)}" for k, v in self.kwargs.items())])


class Fixed(NamedTuple):
    """An array of floats that is not differentiated."""

    array: Any


def _shown(x: Any) -> str:
    x = x.array if isinstance(x, Fixed) else x
    if isinstance(x, np.ndarray):
        return f"{x.dtype}{list(x.shape)}{'' if x.flags.c_contiguous else ' with gaps'}"
    return f"[{', '.join(map(_shown, x))}]" if isinstance(x, (list, tuple)) else repr(x)


SAMPLES: dict[str, list[Sample]] = defaultdict(list)


def sample(paths: str, *args: Any, **kwargs: Any) -> None:
    """Add these arguments to each of the functions, named by their paths with blanks between."""
    for path in paths.split():
        SAMPLES[path].append(Sample(args, kwargs))


# ------------------------------------------------------------------ arrays
def real(*shape: int, lo: float = -2.0, hi: float = 2.0) -> Any:
    """Uniform numbers, to a multiple of 2⁻²⁰: no two are nearly equal."""
    return np.asarray(np.round(rng.uniform(lo, hi, shape) * 2**20) / 2**20)


def positive(*shape: int) -> Any:
    """Numbers from 0.2 to 3."""
    return real(*shape, lo=0.2, hi=3.0)


def inside(*shape: int) -> Any:
    """Numbers from -0.9 to 0.9."""
    return real(*shape, lo=-0.9, hi=0.9)


def unit(*shape: int) -> Any:
    """Numbers from 0.1 to 0.9."""
    return real(*shape, lo=0.1, hi=0.9)


def above_one(*shape: int) -> Any:
    """Numbers from 1.1 to 3."""
    return real(*shape, lo=1.1, hi=3.0)


def whole(*shape: int, lo: int = -3, hi: int = 4) -> Any:
    """Integers, with ties."""
    return np.asarray(rng.integers(lo, hi, shape))


def truth(*shape: int) -> Any:
    """Booleans."""
    return np.asarray(rng.random(shape) < 0.5)


def gapped(make: Any, *shape: int) -> Any:
    """An array whose entries do not lie next to each other: every second of the last axis, axes turned round."""
    return make(*(2 * n if k == 0 else n for k, n in enumerate(reversed(shape)))).T[..., ::2]


def shapes_of(make: Any) -> list[Any]:
    """Arrays of the shapes that matter: no axes, one entry, no entries, several axes, gaps, a negative stride."""
    return [make(*s) for s in ((), (1,), (4,), (0,), (2, 3), (2, 0, 3), (2, 1, 3))] + [
        gapped(make, 3, 2), make(3, 4)[::-1, ::-2], np.broadcast_to(make(3, 1), (3, 4)),
    ]  # fmt: skip


PAIRS = [((), ()), ((3,), ()), ((), (2, 3)), ((3,), (3,)), ((2, 1), (3,)), ((2, 3), (3,)), ((1, 3), (4, 2, 1)),
         ((0,), (1,)), ((2, 0), ()), ((0, 3), (2, 1, 1))]  # fmt: skip

# ------------------------------------------------------------------ elementwise
DOMAINS = {
    real: "exp expm1 exp2 sin cos sinh cosh tanh asinh atan square neg abs sign floor ceil trunc frac round sigmoid "
    "relu erf erfc sinc deg2rad rad2deg special.expit special.ndtr special.log_ndtr special.erfcx special.i0e "
    "special.i1 special.i1e i0 clone nn.functional.softplus nn.functional.logsigmoid nn.functional.gelu "
    "nn.functional.silu nn.functional.mish nn.functional.elu nn.functional.selu nn.functional.celu "
    "nn.functional.leaky_relu nn.functional.softsign nn.functional.tanhshrink nn.functional.relu6 "
    "nn.functional.hardtanh nn.functional.hardsigmoid nn.functional.hardswish nn.functional.hardshrink "
    "nn.functional.softshrink isnan isinf isfinite logical_not nan_to_num",
    positive: "log log2 log10 log1p sqrt rsqrt reciprocal lgamma digamma special.entr special.psi special.gammaln",
    inside: "asin acos atanh erfinv tan",
    unit: "logit special.logit special.ndtri",
    above_one: "acosh",
}
for _make, _names in DOMAINS.items():
    for _x in shapes_of(_make):
        sample(_names, _x)
LIMITS = np.array([0.0, -0.0, np.inf, -np.inf, 1e-300, 30.0, -30.0, 800.0, -800.0])  # of nan all is a convention
sample(DOMAINS[real], LIMITS)
sample("exp sin tanh sigmoid abs square neg sqrt log1p relu sign erf floor", whole(2, 3, lo=0))

for _s, _t in PAIRS:
    sample("add sub mul maximum minimum atan2 logaddexp logaddexp2 hypot copysign fmax fmin eq ne lt le gt ge",
           real(*_s), real(*_t))  # fmt: skip
    sample("div true_divide remainder fmod special.xlog1py xlogy", real(*_s), positive(*_t))
    sample("pow float_power", positive(*_s), real(*_t))
    sample("add sub mul maximum minimum eq lt logical_and logical_xor bitwise_or", whole(*_s), whole(*_t))
    sample("add mul maximum logical_or", real(*_s), whole(*_t))
    sample("where", truth(*_s), real(*_t), real(*_s))
    sample("clamp", real(*_t), real(*_s, lo=-2, hi=0), real(*_s, lo=0, hi=2))
    sample("lerp addcmul addcdiv", real(*_s), real(*_t), positive(*_t))
    sample("masked_fill", real(*np.broadcast_shapes(_s, _t)), truth(*_t), 2.5)
for _tied in (np.array([0.0, 1.0, -1.0, 2.0]), np.zeros((2, 2))):
    sample("maximum minimum fmax fmin atan2", _tied, _tied.copy())
    sample("div", _tied, np.ones(_tied.shape[-1]), rounding_mode="floor")
    for _p in (0, 0.5, 1, 2, 3, 2.5):
        sample("pow", np.abs(_tied), _p)
sample("div", whole(5), np.array([2, -2, 3, 5, -1]), rounding_mode="trunc")
sample("div", whole(5), np.array([2, -2, 3, 5, -1]), rounding_mode="floor")
sample("atan2 copysign heaviside", truth(4), truth(4))
sample("heaviside", whole(4), whole(4))
for _kw in ({"min": -0.5}, {"max": 0.5}, {"min": 0.5, "max": -0.5}):
    sample("clamp", real(2, 3), **_kw)

# ------------------------------------------------------------------ reductions
REDUCED = [
    ((), (None, 0, -1)),
    ((4,), (None, 0)),
    ((2, 3), (None, 0, 1, -1, (0, 1))),
    ((2, 1, 3), (1, (0, 2), (-1, 0))),
]
for (_s, _dims), _keep in product(REDUCED, (False, True)):
    for _d in _dims:
        _kw = {} if _d is None else {"dim": _d, "keepdim": _keep}
        sample("sum mean nansum amax amin var std linalg.vector_norm", real(*_s) if _s else np.array(0.7), **_kw)
        sample("logsumexp", real(*_s), **({"dim": 0 if _d is None else _d, "keepdim": _keep}))
        sample("sum amax all any count_nonzero", whole(*_s), **({k: v for k, v in _kw.items() if k == "dim"}))
        if not isinstance(_d, tuple):
            sample("prod max min median argmax argmin", real(*_s), **_kw)
            sample("prod", np.asarray(np.where(truth(*_s), real(*_s), 0.0)), **_kw)
            sample("cumsum cumprod softmax log_softmax sort", real(*_s), dim=_d or 0)
            sample("cummax cummin", real(*_s), dim=_d or 0)
            sample("kthvalue topk", real(*_s), 1, dim=-1)
for _s in ((0,), (2, 0), (0, 2)):
    sample("sum mean prod", np.zeros(_s))
    sample("sum mean prod logsumexp cumsum cumprod softmax log_softmax", np.zeros(_s), dim=0)
    sample("sum mean prod logsumexp linalg.vector_norm", np.zeros(_s), dim=-1)
sample("logsumexp softmax log_softmax", np.array([[np.inf, 0.0], [-np.inf, 1.0], [-np.inf, -np.inf]]), dim=1)
sample("amax amin max min", np.array([1.0, 3.0, 3.0, 1.0, 3.0]))
sample("amax amin", np.array([[1.0, 1.0], [0.0, 2.0]]), dim=(0, 1))
for _c in (0, 1, 2):
    sample("var std var_mean std_mean", real(3, 4), dim=1, correction=_c)
for _p in (0, 0.5, 1, 2, 3, np.inf, -np.inf, -1):
    sample("linalg.vector_norm", real(2, 3), _p)
    sample("linalg.vector_norm norm", positive(2, 3), _p, dim=1)
for _p in ("fro", "nuc", 1, -1, np.inf, 2, -2):
    sample("linalg.norm linalg.matrix_norm", real(3, 3), _p)
sample("dist", real(3), real(2, 3), 3)
sample("cdist", real(2, 3), real(4, 3))
sample("cdist", real(2, 2, 3), real(4, 3), 1.0, "donot_use_mm_for_euclid_dist")
sample("nansum", whole(2, 3))

# ------------------------------------------------------------------ shapes and places
for _x in (real(2, 3), gapped(real, 2, 3), whole(2, 3)):
    sample("reshape", _x, (3, 2))
    sample("reshape", _x, (-1,))
    sample("flatten ravel t clone trace tril triu", _x)
    sample("unsqueeze", _x, 1)
    sample("permute", _x, (1, 0))
    sample("transpose swapaxes movedim", _x, 0, 1)
    sample("flip", _x, (0, 1))
    sample("roll", _x, 2)
    sample("roll", _x, (1, -1), (0, 1))
    sample("tile", _x, (2, 1, 2))
    sample("broadcast_to", _x, (2, 2, 3))
    sample("cat stack hstack vstack", [_x, _x, _x])
    sample("cat", [_x, np.zeros((0, 3), _x.dtype)], 0)
    sample("split chunk", _x, 2, 1)
    sample("split", _x, [1, 2], 1)
    sample("unbind", _x, 1)
    sample("diagonal diag", _x, 1)
    sample("diag_embed", _x)
    sample("tril triu", _x, -1)
    sample("diff", _x, 1, 0)
    sample("diff", _x, 0, 0, _x)
    sample("narrow", _x, 1, 1, 2)
    sample("select", _x, 1, -1)
    sample("index_select", _x, 1, np.array([2, 2, 0]))
    sample("gather", _x, 1, np.array([[0, 0, 2, 1], [2, 2, 2, 2]]))
    sample("take_along_dim", _x, np.array([[1], [0]]), 1)
    sample("scatter scatter_add", _x, 1, np.array([[0], [2]]), _x[:, :1])
    sample("index_add", _x, 1, np.array([0, 0, 2]), _x)
    sample("repeat_interleave", _x, 2)
    sample("repeat_interleave", _x, np.array([2, 0, 1]), 1, output_size=3)
    sample("masked_select", _x, np.array([True, False, True]))
    sample("kron", _x, _x)
    for _mode in ("reflect", "replicate", "circular"):
        sample("nn.functional.pad", _x, (1, 2), mode=_mode)
    sample("nn.functional.pad", _x, (1, -1, 0, 2), "constant", 1.0)
sample("nn.functional.pad", real(1, 2, 3), (-3, 4), mode="replicate")
sample("gather", real(3), 0, np.zeros((2, 0), np.int64))
sample("gather", real(), 0, np.array([0]))
sample("gather", real(1), 0, np.array(0))
sample("index_add", real(), 0, np.array([0]), real(), alpha=2)
sample("squeeze", real(1, 2, 1))
sample("squeeze", real(1, 2, 1), 0)
sample("diff", truth(5))

# ------------------------------------------------------------------ products and linear algebra
for _s, _t in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 2, 3), (3, 4)),
               ((2, 1, 2, 3), (4, 3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 2)), ((3, 2, 0), (0,))):  # fmt: skip
    sample("matmul", real(*_s), real(*_t))
sample("matmul mm", gapped(real, 3, 2), gapped(real, 2, 4))
sample("dot inner outer", real(3), real(3))
sample("mv", real(2, 3), real(3))
sample("bmm", real(2, 2, 3), real(2, 3, 1))
sample("inner", real(2, 3), real(4, 3))
sample("addmm", real(3), real(2, 2), real(2, 3), beta=0.5, alpha=2)
sample("addmv", real(1), real(2, 3), real(3), beta=0, alpha=2)
sample("baddbmm", real(2, 1, 1), real(2, 2, 3), real(2, 3, 2), beta=2)
sample("addr", real(3), real(2), real(3), alpha=3)
for _spec, _args in (("ij,jk->ik", ((2, 3), (3, 2))), ("ii->i", ((3, 3),)), ("bij,bjk", ((2, 2, 3), (2, 3, 1))),
                     ("i,j,k->kji", ((2,), (3,), (1,))),
                     ("...ij->...ji", ((2, 3, 1),)), ("ij->", ((2, 3),))):  # fmt: skip
    sample("einsum", _spec, *[real(*s) for s in _args])


def matrices(*shape: int) -> Any:
    """Well-conditioned matrices."""
    return real(*shape) / 2 + 2 * np.eye(shape[-1])


for _x in (matrices(3, 3), matrices(2, 2, 2), matrices(1, 1), np.zeros((0, 0)), matrices(4, 4)[::2, ::2]):
    sample("linalg.inv linalg.det linalg.slogdet det inverse linalg.pinv linalg.svdvals linalg.matrix_rank", _x)
    sample("linalg.solve", _x, real(*_x.shape[:-1], 2))
    sample("matrix_power linalg.matrix_power", _x, 3)
    sample("matrix_power", _x, -2)
    _spd = _x @ np.swapaxes(_x, -1, -2)
    sample("linalg.cholesky linalg.eigvalsh logdet linalg.matrix_exp", _spd)
    sample("linalg.eigvalsh", _spd, "U")
    sample("linalg.pinv", _x, hermitian=True)
sample("linalg.pinv linalg.svdvals", real(4, 2))
sample("linalg.matrix_rank", matrices(2, 3, 3), atol=np.array([0.1, 9.0]))
sample("linalg.matrix_rank", matrices(2, 3, 3), rtol=np.array([0.1, 0.9]))
sample("linalg.matrix_rank", real(2, 0, 3), rtol=np.array([0.1, 0.9]))
for _driver in ("gels", "gelsy", "gelsd", "gelss"):
    sample("linalg.lstsq", real(4, 2), real(4, 3), driver=_driver)
    sample("linalg.lstsq", real(2, 3), real(2, 1), driver=_driver)

# ------------------------------------------------------------------ losses and layers
for _r, _s in product(("none", "mean", "sum"), ((3,), (2, 3), (), (0,))):
    sample("nn.functional.mse_loss nn.functional.l1_loss nn.functional.smooth_l1_loss nn.functional.huber_loss",
           real(*_s), real(*_s), reduction=_r)  # fmt: skip
    sample("nn.functional.soft_margin_loss", real(*_s), Fixed(np.asarray(np.sign(real(*_s)))), reduction=_r)
    sample("nn.functional.binary_cross_entropy", unit(*_s), unit(*_s), reduction=_r)
    sample("nn.functional.binary_cross_entropy_with_logits nn.functional.poisson_nll_loss", real(*_s), unit(*_s),
           reduction=_r)  # fmt: skip
    sample("nn.functional.kl_div", real(*_s), unit(*_s), reduction=_r)
    sample("nn.functional.gaussian_nll_loss", real(*_s, 1), real(*_s, 1), positive(*_s, 1), reduction=_r)
for _r in ("none", "mean", "sum"):
    sample("nn.functional.cross_entropy", real(4, 3), np.array([0, 2, 1, 2]), reduction=_r, label_smoothing=0.1)
    sample("nn.functional.cross_entropy nn.functional.nll_loss", real(4, 3), np.array([0, 2, -100, 2]), reduction=_r)
    sample("nn.functional.cross_entropy nn.functional.nll_loss", real(2, 3, 2), np.array([[0, 2], [1, 1]]),
           weight=Fixed(positive(3)), reduction=_r)  # fmt: skip
    sample("nn.functional.cross_entropy", real(2, 3), unit(2, 3), reduction=_r)
    sample("nn.functional.triplet_margin_loss", real(2, 3), real(2, 3), real(2, 3), reduction=_r)
    sample("nn.functional.margin_ranking_loss", real(3), real(3), np.array([1.0, -1.0, 1.0]), reduction=_r)
    sample("nn.functional.hinge_embedding_loss", real(3), np.array([1.0, -1.0, 1.0]), reduction=_r)
    sample("nn.functional.cosine_embedding_loss", real(3, 2), real(3, 2), np.array([1.0, -1.0, 1.0]), reduction=_r)
sample("nn.functional.linear", real(2, 2, 3), real(4, 3), real(4))
sample("nn.functional.linear", real(3), real(3))
sample("nn.functional.layer_norm", real(2, 3, 4), (3, 4), positive(3, 4), real(3, 4))
sample("nn.functional.group_norm", real(2, 4, 3), 2, positive(4), real(4))
sample("nn.functional.instance_norm", real(2, 3, 4))
sample("nn.functional.batch_norm", real(4, 3), None, None, positive(3), real(3), True)
sample("nn.functional.normalize", real(2, 3), 3.0)
sample("nn.functional.normalize", real(), 2.0, 0)
sample("nn.functional.cosine_similarity", real(2, 3), real(1, 3))
sample("nn.functional.cosine_similarity", real(), real(), 0)
sample("nn.functional.embedding", np.array([[0, 2], [2, 2]]), real(3, 2))
sample("nn.functional.glu", real(2, 4))
sample("nn.functional.softmin", real(2, 4), 1)
sample("nn.functional.scaled_dot_product_attention", real(2, 3, 2), real(2, 4, 2), real(2, 4, 3))
sample("nn.functional.conv1d", real(2, 4, 7), real(4, 2, 3), real(4), 2, 1, 2, 2)
sample("nn.functional.conv2d", real(1, 2, 5, 4), real(3, 2, 2, 3), None, (2, 1), "valid")
for _ceil in (False, True):
    sample("nn.functional.avg_pool1d", real(1, 2, 8), 3, 2, 1, _ceil)
    sample("nn.functional.avg_pool1d", gapped(real, 2, 8), 3, 2, 1, _ceil, False)
    sample("nn.functional.avg_pool2d", real(1, 2, 5, 6), (2, 3), 2, (0, 1), _ceil, False)
    sample("nn.functional.avg_pool2d", real(2, 5, 6), (2, 3), 2, (0, 1), _ceil, True, 5)
    sample("nn.functional.max_pool1d", real(1, 2, 8), 3, 2, 1, 2, _ceil, True)
    sample("nn.functional.max_pool2d", real(1, 2, 6, 7), (3, 2), 2, 1, (2, 1), _ceil, True)
sample("nn.functional.max_pool2d", whole(1, 4, 5), 3, 1, 1)

# ------------------------------------------------------------------ more array functions
for _x in (real(2, 3), gapped(real, 2, 3), whole(2, 3)):
    sample("fliplr flipud rot90 msort atleast_1d atleast_3d", _x)
    sample("dstack column_stack", [_x, _x])
    sample("take", _x, np.array([[5, 0], [-1, 0]]))
    sample("tensor_split", _x, 2, 1)
    sample("hsplit", _x, 3)
    sample("vsplit", _x, [1])
    sample("index_fill", _x, 1, np.array([0, 2]), 3)
    sample("index_copy", _x, 1, np.array([2, 0]), _x[:, :2])
    sample("select_scatter", _x, _x[0], 0, 1)
    sample("slice_scatter", _x, _x[:, :1], 1, 0, 3, 3)
    sample("diagonal_scatter", _x, _x[:, 0], 0)
    sample("masked_scatter", _x, np.array([True, False, True]), _x)
    sample("aminmax", _x)
    sample("unique_consecutive unique", Fixed(_x))
    for _how in ("sum", "prod", "mean", "amax", "amin"):
        sample("scatter_reduce", _x, 1, np.array([[0, 0, 2], [1, 1, 1]]), _x, _how, include_self=_how != "prod")
for _how, _self in (("amax", True), ("amax", False), ("amin", True), ("amin", False)):
    _at = np.array([[0, 0, 2], [1, 1, 1]])
    sample("scatter_reduce", truth(2, 3), 1, _at, truth(2, 3), _how, include_self=_self)
sample("nn.functional.pad", truth(2, 3), (1, 2), "constant", 1.0)
for _how in ("prod", "mean", "amax", "amin"):
    sample("index_reduce", real(3, 2), 0, np.array([0, 0, 2]), real(3, 2), _how)
    sample("index_reduce", real(), 0, np.array([0]), real(), _how, include_self=False)
sample("index_fill", real(), 0, np.array([0]), 2.0)
sample("index_copy", real(), 0, np.array([0]), real())
sample("histc", real(5), 4, 0, 0)
sample("histc", np.array(2.0), 3)
sample("unique_consecutive", Fixed(np.zeros((2, 0, 3))), dim=1)
sample("searchsorted", np.array([1.0, 3.0, 2.0]), real(4), sorter=np.array([0, 2, 1]), right=True)
sample("searchsorted", np.zeros((0, 2)), np.zeros((0, 4)), out_int32=True)
sample("bucketize", whole(5), np.array([-1, 0, 2]))
for _x in shapes_of(real)[1:]:
    sample("logcumsumexp", _x, 0)
    sample("nanmean", _x)
    sample("trapezoid", _x, dim=0)
    sample("cumulative_trapezoid", _x, dim=-1)
for _x in (real(2, 4), real(4), real(1, 4), gapped(real, 3, 4)):
    sample("cov corrcoef", _x)
    sample("quantile nanquantile", _x, 0.3, -1)
    sample("quantile", _x, np.array([0.0, 0.25, 1.0]), interpolation="midpoint")
    sample("nanmedian", _x)
sample("cov", real(3, 4), correction=0, aweights=Fixed(positive(4)))
sample("cov", real(3, 4), fweights=np.array([1, 2, 0, 3]))
sample("tensordot", real(2, 3, 4), real(3, 4, 2), 2)
sample("tensordot", real(2, 3, 4), real(4, 2), ([2, 0], [0, 1]))
sample("tensordot", real(1, 1, 2), real(2, 1, 3), ([0, 1], [2, 0]))
sample("cross linalg.cross", real(2, 3), real(1, 3))
sample("meshgrid", real(2), real(3), indexing="ij")
sample("cartesian_prod", real(2), real(3))
sample("combinations", real(4), 2)
sample("block_diag", real(2, 1), real(3), real())
sample("broadcast_tensors", real(2, 1), real(3))
sample("addbmm", real(2, 3), real(2, 2, 4), real(2, 4, 3), beta=0.5, alpha=2)
sample("renorm", real(3, 4), 2, 0, 1.0)
sample("linalg.vander", real(2, 3))
sample("linalg.vander", real(), N=3)
sample("linalg.cond", matrices(3, 3), 2)
sample("linalg.tensorinv", real(4, 2, 2) + np.eye(4).reshape(4, 2, 2), ind=1)
sample("linalg.tensorsolve", real(2, 2, 4) + np.eye(4).reshape(2, 2, 4), real(2, 2))
sample("linalg.multi_dot", [real(2, 3), real(3, 4), real(4)])
sample("linalg.solve_triangular", real(2, 2), matrices(2, 2), upper=True)
sample("index_put", real(3, 2), [np.array([0, 2]), np.array([1, 1])], real(2))
sample("nn.functional.multi_margin_loss", real(3, 4), np.array([0, 3, 1]), p=2, weight=Fixed(positive(4)))
sample("nn.functional.multi_margin_loss", real(4), np.array([2]))
sample("nn.functional.multi_margin_loss", real(), np.array(0), reduction="none")
sample("nn.functional.conv_transpose1d", real(2, 4, 5), real(4, 3, 3), real(3), 2, 1, 1)
sample("nn.functional.conv_transpose2d", real(1, 2, 3, 3), real(2, 2, 2, 2), stride=(2, 1), dilation=2)
sample("nn.functional.adaptive_avg_pool2d", real(1, 2, 5, 4), (2, 3))
sample("nn.functional.unfold", real(1, 2, 4, 5), (2, 3), padding=1, stride=2)
sample("nn.functional.fold", real(1, 8, 4), (3, 3), (2, 2))

# ------------------------------------------------------------------ networks on grids
sample("nn.functional.conv3d", real(1, 4, 5, 6, 4), real(6, 2, 2, 3, 1), real(6), (1, 2, 1), (1, 0, 1), (2, 1, 1), 2)
sample("nn.functional.conv3d", real(4, 3, 3, 3), real(2, 4, 2, 1, 2), None, 1, "valid")
sample(
    "nn.functional.conv_transpose3d",
    real(1, 4, 2, 3, 2),
    real(4, 2, 2, 3, 2),
    real(4),
    (1, 2, 1),
    (1, 0, 1),
    (0, 1, 0),
    2,
    (1, 1, 2),
)
for _ceil in (False, True):
    sample("nn.functional.max_pool3d", real(1, 2, 5, 6, 4), (2, 3, 2), (1, 2, 2), 1, 1, _ceil, True)
    sample("nn.functional.avg_pool3d", real(2, 5, 6, 4), (2, 3, 2), 2, 1, _ceil, False)
    for _d, _s in ((1, (2, 9)), (2, (2, 5, 6)), (3, (2, 3, 4, 5))):
        sample(f"nn.functional.lp_pool{_d}d", positive(*_s), 1.5, 2, 1, _ceil)
for _d, _s, _linear in ((1, (1, 3, 9), "linear"), (2, (2, 1, 7, 8), "bilinear"), (3, (1, 2, 5, 6, 4), "trilinear")):
    sample(f"nn.functional.adaptive_avg_pool{_d}d", real(*_s), (3, None, 2)[-_d:])
    sample(f"nn.functional.adaptive_max_pool{_d}d", real(*_s), (3, None, 2)[-_d:], True)
    sample(f"nn.functional.adaptive_max_pool{_d}d", whole(*_s[1:]) * 1.0, 3, True)
    for _to in (
        {"size": 5},
        {"scale_factor": 1.7},
        {"scale_factor": 0.6},
        {"scale_factor": 1.3, "recompute_scale_factor": True},
    ):
        for _mode in ("nearest", "nearest-exact", "area"):
            sample("nn.functional.interpolate", real(*_s), **_to, mode=_mode)
        for _mode in (_linear, "bicubic") if _d == 2 else (_linear,):
            for _corners in (False, True):
                sample("nn.functional.interpolate", real(*_s), **_to, mode=_mode, align_corners=_corners)
                if _d == 2:
                    sample(
                        "nn.functional.interpolate",
                        real(*_s),
                        **_to,
                        mode=_mode,
                        align_corners=_corners,
                        antialias=True,
                    )
sample("nn.functional.max_unpool1d", real(1, 2, 3), np.array([[[1, 2, 4], [0, 3, 5]]]), 2)
sample("nn.functional.max_unpool2d", real(1, 1, 2), np.array([[[5, 2]]]), (2, 2), output_size=(3, 4))
sample("nn.functional.max_unpool3d", real(1, 1, 1, 2), np.array([[[[5, 8]]]]), (1, 2, 2), (1, 2, 3))
sample("nn.functional.pixel_shuffle", real(2, 8, 3, 2), 2)
sample("nn.functional.pixel_unshuffle", real(2, 4, 6), 2)
sample("nn.functional.channel_shuffle", real(2, 6, 3), 3)
sample("nn.functional.pdist", real(4, 3))
sample("nn.functional.pdist", real(4, 3), 1.0)
for _s in ((2, 4, 5), (2, 3, 2, 3), (1, 5, 2, 1, 2)):
    sample("nn.functional.local_response_norm", real(*_s), 3, 0.5, 0.75, 2.0)
for _mode in ("sum", "mean", "max"):
    sample("nn.functional.embedding_bag", np.array([0, 2, 2, 4, 1, 3]), real(5, 3), np.array([0, 2, 2, 5]), mode=_mode)
    sample("nn.functional.embedding_bag", np.array([[0, 2, 2], [1, 4, 2]]), real(5, 3), mode=_mode, padding_idx=2)
sample(
    "nn.functional.embedding_bag",
    np.array([1, 2, 0]),
    real(3, 2),
    np.array([0, 2, 3]),
    mode="sum",
    include_last_offset=True,
)
sample("nn.functional.embedding", np.array([[0, 2, 2]]), real(3, 2), scale_grad_by_freq=True)
sample(
    "nn.functional.scaled_dot_product_attention", real(2, 4, 3, 2), real(2, 2, 5, 2), real(2, 2, 5, 3), enable_gqa=True
)
sample("nn.functional.multilabel_margin_loss", real(3, 4), np.array([[3, 0, -1, 1], [1, -1, 2, 2], [-1, 0, 0, 0]]))
sample("nn.functional.multilabel_margin_loss", real(4), np.array([3, 0, -1, 1]), reduction="none")
sample("nn.functional.multilabel_soft_margin_loss", real(3, 4), Fixed(np.eye(4)[:3]), Fixed(positive(4)))
sample("nn.functional.triplet_margin_with_distance_loss", real(2, 3), real(2, 3), real(2, 3), margin=2.0, swap=True)
