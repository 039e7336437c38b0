"""The functions of ``torch.nn.functional`` that symgrad has: activations, losses, the linear layer.

Only the door: what they compute stands in ``ops``.
"""

from __future__ import annotations

from symgrad.engine.adapters import public
from symgrad.functions import logsigmoid, relu, sigmoid, tanh
from symgrad.nn.dropout import dropout
from symgrad.nn.normalise import batch_norm, instance_norm
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
    robust,
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
    "layer_norm", "rms_norm", "group_norm", "batch_norm", "instance_norm", "dropout",
    "embedding", "one_hot", "scaled_dot_product_attention", "bilinear",
    "unfold", "fold", "conv_transpose1d", "conv_transpose2d", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
    "multi_margin_loss",
    "pad", "conv1d", "conv2d", "max_pool1d", "max_pool2d", "avg_pool1d", "avg_pool2d",
]  # fmt: skip


softplus = public(activations.softplus)
gelu, silu, mish = public(activations.gelu), public(activations.silu), public(activations.mish)
softsign, tanhshrink = public(activations.softsign), public(activations.tanhshrink)
leaky_relu, prelu, elu = public(activations.leaky_relu), public(activations.prelu), public(activations.elu)
selu, celu, relu6 = public(activations.selu), public(activations.celu), public(activations.relu6)
hardtanh, threshold = public(activations.hardtanh), public(activations.threshold)
hardsigmoid, hardswish = public(activations.hardsigmoid), public(activations.hardswish)
hardshrink, softshrink = public(activations.hardshrink), public(activations.softshrink)
glu, softmin = public(activations.glu), public(activations.softmin)
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
group_norm = public(normalise.group_norm)
embedding, one_hot, bilinear = public(layers.embedding), public(layers.one_hot), public(layers.bilinear)
scaled_dot_product_attention = public(layers.scaled_dot_product_attention)

pad, conv1d, conv2d = public(padding.pad), public(windows.conv1d), public(windows.conv2d)
max_pool1d, max_pool2d = public(pooling.max_pool1d), public(pooling.max_pool2d)
avg_pool1d, avg_pool2d = public(pooling.avg_pool1d), public(pooling.avg_pool2d)
adaptive_avg_pool1d, adaptive_avg_pool2d = public(folds.adaptive_avg_pool1d), public(folds.adaptive_avg_pool2d)

conv_transpose1d, conv_transpose2d = public(folds.conv_transpose1d), public(folds.conv_transpose2d)
unfold, fold = public(folds.columns), public(folds.fold)
multi_margin_loss = public(margins.multi_margin_loss)

__getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__)
