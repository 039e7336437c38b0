"""The functions of ``torch.nn.functional`` that symgrad provides: activations, losses, the linear layer.

This module only collects their names; they are implemented in ``ops``.
"""

from __future__ import annotations

from typing import Any

from symgrad.engine.adapters import public
from symgrad.functions import logsigmoid, sigmoid, tanh
from symgrad.functions import relu as _relu
from symgrad.nn import dropout as _random
from symgrad.nn.attention import multi_head_attention_forward, scaled_dot_product_attention
from symgrad.nn.dropout import gumbel_softmax
from symgrad.nn.embedding import embedding, embedding_bag
from symgrad.nn.fractional_pools import fractional_max_pool2d, fractional_max_pool3d
from symgrad.nn.in_place import in_place as _in_place
from symgrad.nn.in_place import writing as _writing
from symgrad.nn.losses import (
    ctc_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    triplet_margin_with_distance_loss,
)
from symgrad.nn.normalise import batch_norm, instance_norm
from symgrad.nn.sampling import affine_grid, grid_sample
from symgrad.ops.nn import (
    activations,
    distances,
    folds,
    layers,
    likelihood,
    losses,
    margins,
    normalise,
    pooling,
    resampling,
    robust,
    shuffles,
    windows,
)
from symgrad.ops.reductions import softmax as _softmax
from symgrad.ops.shapes import padding
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace

__all__ = [
    "relu", "sigmoid", "tanh", "softplus", "logsigmoid", "softmax", "log_softmax",
    "gelu", "silu", "mish", "softsign", "tanhshrink", "leaky_relu", "prelu", "elu", "selu", "celu", "hardtanh",
    "relu6", "hardsigmoid", "hardswish", "hardshrink", "softshrink", "threshold", "glu", "softmin",
    "linear",
    "mse_loss", "l1_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "nll_loss",
    "cross_entropy",
    "smooth_l1_loss", "huber_loss", "kl_div", "gaussian_nll_loss", "poisson_nll_loss", "hinge_embedding_loss",
    "margin_ranking_loss", "soft_margin_loss", "triplet_margin_loss", "cosine_embedding_loss",
    "pairwise_distance", "cosine_similarity", "normalize",
    "layer_norm", "rms_norm", "group_norm", "batch_norm", "instance_norm", "local_response_norm",
    "dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout", "rrelu",
    "gumbel_softmax",
    "embedding", "embedding_bag", "one_hot", "scaled_dot_product_attention", "multi_head_attention_forward", "bilinear",
    "unfold", "fold", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
    "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d",
    "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "triplet_margin_with_distance_loss",
    "ctc_loss",
    "pad", "conv1d", "conv2d", "conv3d", "max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d",
    "avg_pool3d", "lp_pool1d", "lp_pool2d", "lp_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d",
    "fractional_max_pool2d", "fractional_max_pool3d",
    "interpolate", "upsample", "grid_sample", "affine_grid", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle",
    "pdist",
    "celu_", "elu_", "hardtanh_", "leaky_relu_", "relu_", "rrelu_", "selu_", "threshold_",
]  # fmt: skip


def _activation(fn: Any) -> Any:
    return _in_place(public(fn))


softplus, gelu = public(activations.softplus), public(activations.gelu)
softsign, tanhshrink, prelu = public(activations.softsign), public(activations.tanhshrink), public(activations.prelu)
hardshrink, softshrink = public(activations.hardshrink), public(activations.softshrink)
glu, softmin = public(activations.glu), public(activations.softmin)
relu = _in_place(_relu)
silu, mish, leaky_relu = map(_activation, (activations.silu, activations.mish, activations.leaky_relu))
elu, selu, celu = map(_activation, (activations.elu, activations.selu, activations.celu))
relu6, hardtanh, threshold = map(_activation, (activations.relu6, activations.hardtanh, activations.threshold))
hardsigmoid, hardswish = map(_activation, (activations.hardsigmoid, activations.hardswish))
celu_, elu_, selu_, relu_, leaky_relu_ = map(_writing, (celu, elu, selu, relu, leaky_relu))
hardtanh_, threshold_ = map(_writing, (hardtanh, threshold))
rrelu, dropout = map(_in_place, (_random.rrelu, _random.dropout))
rrelu_ = _writing(rrelu)
dropout1d, dropout2d, dropout3d = map(_in_place, (_random.dropout1d, _random.dropout2d, _random.dropout3d))
alpha_dropout, feature_alpha_dropout = map(_in_place, (_random.alpha_dropout, _random.feature_alpha_dropout))
softmax = public(_softmax.softmax)
log_softmax = public(_softmax.log_softmax)
linear = public(layers.linear)
mse_loss = public(losses.mse_loss)
l1_loss = public(losses.l1_loss)
binary_cross_entropy = public(losses.binary_cross_entropy)
binary_cross_entropy_with_logits = public(losses.binary_cross_entropy_with_logits)
nll_loss = public(likelihood.nll_loss)
cross_entropy = public(likelihood.cross_entropy)

smooth_l1_loss, huber_loss, kl_div = public(robust.smooth_l1_loss), public(robust.huber_loss), public(likelihood.kl_div)
gaussian_nll_loss, poisson_nll_loss = public(likelihood.gaussian_nll_loss), public(likelihood.poisson_nll_loss)
hinge_embedding_loss, soft_margin_loss = public(margins.hinge_embedding_loss), public(margins.soft_margin_loss)
margin_ranking_loss, triplet_margin_loss = public(margins.margin_ranking_loss), public(margins.triplet_margin_loss)
cosine_embedding_loss = public(margins.cosine_embedding_loss)
pairwise_distance, cosine_similarity = public(distances.pairwise_distance), public(distances.cosine_similarity)
normalize = public(distances.normalize)

layer_norm, rms_norm = public(normalise.layer_norm), public(normalise.rms_norm)
group_norm, local_response_norm = public(normalise.group_norm), public(normalise.local_response_norm)
one_hot, bilinear = public(layers.one_hot), public(layers.bilinear)

pad = public(padding.pad)
conv1d, conv2d, conv3d = map(public, (windows.conv1d, windows.conv2d, windows.conv3d))
max_pool1d, max_pool2d, max_pool3d = map(public, (pooling.max_pool1d, pooling.max_pool2d, pooling.max_pool3d))
avg_pool1d, avg_pool2d, avg_pool3d = map(public, (pooling.avg_pool1d, pooling.avg_pool2d, pooling.avg_pool3d))
lp_pool1d, lp_pool2d, lp_pool3d = map(public, (pooling.lp_pool1d, pooling.lp_pool2d, pooling.lp_pool3d))
max_unpool1d, max_unpool2d = public(pooling.max_unpool1d), public(pooling.max_unpool2d)
max_unpool3d = public(pooling.max_unpool3d)
adaptive_avg_pool1d, adaptive_avg_pool2d = public(folds.adaptive_avg_pool1d), public(folds.adaptive_avg_pool2d)
adaptive_avg_pool3d = public(folds.adaptive_avg_pool3d)
adaptive_max_pool1d, adaptive_max_pool2d = public(pooling.adaptive_max_pool1d), public(pooling.adaptive_max_pool2d)
adaptive_max_pool3d = public(pooling.adaptive_max_pool3d)
interpolate, upsample = public(resampling.interpolate), public(resampling.upsample)
pixel_shuffle, pixel_unshuffle = public(shuffles.pixel_shuffle), public(shuffles.pixel_unshuffle)
channel_shuffle, pdist = public(shuffles.channel_shuffle), public(distances.pdist)

conv_transpose1d, conv_transpose2d = public(folds.conv_transpose1d), public(folds.conv_transpose2d)
conv_transpose3d = public(folds.conv_transpose3d)
unfold, fold = public(folds.columns), public(folds.fold)
multi_margin_loss = public(margins.multi_margin_loss)

__getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__)
