"""Activations, losses, pools and the like as modules, each defined by a row that names its function."""

from __future__ import annotations

from typing import Any

from symgrad.engine.record import as_tensor
from symgrad.errors import ShapeError
from symgrad.functions import flatten
from symgrad.nn import functional as F
from symgrad.nn.modules.module import Module
from symgrad.nn.modules.options import module_of
from symgrad.ops.map import show_shape
from symgrad.ops.nn.windows import Sizes, each
from symgrad.support.arguments import check_all

ReLU, ReLU6, SELU = module_of("ReLU", F.relu), module_of("ReLU6", F.relu6), module_of("SELU", F.selu)
SiLU, Mish = module_of("SiLU", F.silu), module_of("Mish", F.mish)
Hardsigmoid, Hardswish = module_of("Hardsigmoid", F.hardsigmoid), module_of("Hardswish", F.hardswish)
LeakyReLU, RReLU = module_of("LeakyReLU", F.leaky_relu), module_of("RReLU", F.rrelu)
ELU, CELU = module_of("ELU", F.elu), module_of("CELU", F.celu)
Hardtanh, Threshold = module_of("Hardtanh", F.hardtanh), module_of("Threshold", F.threshold)
Hardshrink = module_of("Hardshrink", F.hardshrink, shown="{lambd}")
Softshrink = module_of("Softshrink", F.softshrink, shown="{lambd}")
Sigmoid, Tanh = module_of("Sigmoid", F.sigmoid), module_of("Tanh", F.tanh)
LogSigmoid, Softsign = module_of("LogSigmoid", F.logsigmoid), module_of("Softsign", F.softsign)
Tanhshrink, GELU = module_of("Tanhshrink", F.tanhshrink), module_of("GELU", F.gelu)
Softplus, GLU = module_of("Softplus", F.softplus, beta=1.0, threshold=20.0), module_of("GLU", F.glu)
Softmax, LogSoftmax = module_of("Softmax", F.softmax, 1, "dim"), module_of("LogSoftmax", F.log_softmax, 1, "dim")
Softmin = module_of("Softmin", F.softmin, 1, "dim")

_DROPPED = "p={p}, inplace={inplace}"
Dropout, Dropout1d = (
    module_of("Dropout", F.dropout, shown=_DROPPED),
    module_of("Dropout1d", F.dropout1d, shown=_DROPPED),
)
Dropout2d = module_of("Dropout2d", F.dropout2d, shown=_DROPPED)
Dropout3d = module_of("Dropout3d", F.dropout3d, shown=_DROPPED)
AlphaDropout = module_of("AlphaDropout", F.alpha_dropout, shown=_DROPPED)
FeatureAlphaDropout = module_of("FeatureAlphaDropout", F.feature_alpha_dropout, shown=_DROPPED)

_MAX = "kernel_size stride padding dilation return_indices ceil_mode"
_POOLED = "kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode}"
_SIZED = "kernel_size={kernel_size}, stride={stride}, padding={padding}"
MaxPool1d, MaxPool2d, MaxPool3d = (
    module_of(f"MaxPool{d}d", f, 1, _MAX, shown=_POOLED)
    for d, f in enumerate((F.max_pool1d, F.max_pool2d, F.max_pool3d), 1)
)
AvgPool1d = module_of(
    "AvgPool1d", F.avg_pool1d, 1, "kernel_size stride padding ceil_mode count_include_pad", shown=_SIZED, axes=1
)
AvgPool2d, AvgPool3d = (module_of(f"AvgPool{d}d", f, shown=_SIZED) for d, f in ((2, F.avg_pool2d), (3, F.avg_pool3d)))
AdaptiveAvgPool1d = module_of("AdaptiveAvgPool1d", F.adaptive_avg_pool1d)
AdaptiveAvgPool2d = module_of("AdaptiveAvgPool2d", F.adaptive_avg_pool2d)
AdaptiveAvgPool3d = module_of("AdaptiveAvgPool3d", F.adaptive_avg_pool3d)
_TO = "output_size={output_size}"
AdaptiveMaxPool1d = module_of("AdaptiveMaxPool1d", F.adaptive_max_pool1d, shown=_TO)
AdaptiveMaxPool2d = module_of("AdaptiveMaxPool2d", F.adaptive_max_pool2d, shown=_TO)
AdaptiveMaxPool3d = module_of("AdaptiveMaxPool3d", F.adaptive_max_pool3d, shown=_TO)
LPPool1d, LPPool2d = module_of("LPPool1d", F.lp_pool1d), module_of("LPPool2d", F.lp_pool2d)
LPPool3d = module_of("LPPool3d", F.lp_pool3d)
_PLACED = "kernel_size stride padding"
MaxUnpool1d = module_of("MaxUnpool1d", F.max_unpool1d, 2, _PLACED, axes=1)
MaxUnpool2d = module_of("MaxUnpool2d", F.max_unpool2d, 2, _PLACED, axes=2)
MaxUnpool3d = module_of("MaxUnpool3d", F.max_unpool3d, 2, _PLACED, axes=3)
_FRACTIONAL = "kernel_size output_size output_ratio return_indices _random_samples"
FractionalMaxPool2d = module_of("FractionalMaxPool2d", F.fractional_max_pool2d, 1, _FRACTIONAL, shown="")
FractionalMaxPool3d = module_of("FractionalMaxPool3d", F.fractional_max_pool3d, 1, _FRACTIONAL, shown="")

Flatten = module_of("Flatten", flatten, start_dim=1)
Unfold, Fold = module_of("Unfold", F.unfold), module_of("Fold", F.fold)
PixelShuffle, PixelUnshuffle = (
    module_of("PixelShuffle", F.pixel_shuffle),
    module_of("PixelUnshuffle", F.pixel_unshuffle),
)
ChannelShuffle = module_of("ChannelShuffle", F.channel_shuffle)
LocalResponseNorm = module_of(
    "LocalResponseNorm", F.local_response_norm, shown="{size}, alpha={alpha}, beta={beta}, k={k}"
)
CosineSimilarity = module_of("CosineSimilarity", F.cosine_similarity, 2, shown="")
PairwiseDistance = module_of("PairwiseDistance", F.pairwise_distance, 2, shown="")

MSELoss, L1Loss = module_of("MSELoss", F.mse_loss, 2, "reduction"), module_of("L1Loss", F.l1_loss, 2, "reduction")
SmoothL1Loss, HuberLoss = module_of("SmoothL1Loss", F.smooth_l1_loss, 2), module_of("HuberLoss", F.huber_loss, 2)
CrossEntropyLoss, NLLLoss = module_of("CrossEntropyLoss", F.cross_entropy, 2), module_of("NLLLoss", F.nll_loss, 2)
BCELoss = module_of("BCELoss", F.binary_cross_entropy, 2)
BCEWithLogitsLoss = module_of("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, 2)
KLDivLoss = module_of("KLDivLoss", F.kl_div, 2)
GaussianNLLLoss = module_of("GaussianNLLLoss", F.gaussian_nll_loss, 3)
PoissonNLLLoss = module_of("PoissonNLLLoss", F.poisson_nll_loss, 2)
HingeEmbeddingLoss = module_of("HingeEmbeddingLoss", F.hinge_embedding_loss, 2)
SoftMarginLoss, MultiMarginLoss = (
    module_of(f"{n}Loss", f, 2) for n, f in (("SoftMargin", F.soft_margin_loss), ("MultiMargin", F.multi_margin_loss))
)
MultiLabelMarginLoss = module_of("MultiLabelMarginLoss", F.multilabel_margin_loss, 2)
MultiLabelSoftMarginLoss = module_of("MultiLabelSoftMarginLoss", F.multilabel_soft_margin_loss, 2)
MarginRankingLoss = module_of("MarginRankingLoss", F.margin_ranking_loss, 3)
CosineEmbeddingLoss = module_of("CosineEmbeddingLoss", F.cosine_embedding_loss, 3)
TripletMarginLoss = module_of("TripletMarginLoss", F.triplet_margin_loss, 3)
TripletMarginWithDistanceLoss = module_of("TripletMarginWithDistanceLoss", F.triplet_margin_with_distance_loss, 3)
CTCLoss = module_of("CTCLoss", F.ctc_loss, 4)


class Softmax2d(Module):
    """The softmax over the channels of images (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Any) -> Any:
        """Return exp(x) divided by its sum along the channels."""
        input = as_tensor(input)
        if input.ndim not in (3, 4):
            raise ShapeError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D: {show_shape(input.shape)}.")
        return F.softmax(input, -3)


class Unflatten(Module):
    """Split one axis into several: the inverse of Flatten.

    Args:
        dim: the axis.
        unflattened_size: the sizes of the new axes, one of which may be -1.
    """

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Any) -> Any:
        """Return x with the axis split."""
        return as_tensor(input).unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class Upsample(Module):
    """Resample x to other sizes of its last axes, by ``nn.functional.interpolate`` with fixed arguments."""

    def __init__(
        self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        several = isinstance(scale_factor, (tuple, list))
        self.scale_factor = tuple(map(float, scale_factor)) if several else scale_factor and float(scale_factor)
        self.size, self.mode, self.align_corners = size, mode, align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Any) -> Any:
        """Return x resampled."""
        options = self.mode, self.align_corners, self.recompute_scale_factor
        return F.interpolate(input, self.size, self.scale_factor, *options)

    def extra_repr(self) -> str:
        size = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resample images by their nearest pixels."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """Resample images by linear interpolation, with the corners aligned."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


class _Pad(Module):
    """Pad the last axes."""

    axes, mode = 1, "constant"

    def __init__(self, padding: Sizes) -> None:
        super().__init__()
        self.padding = each(padding, 2 * self.axes)
        self.value: float | None = None

    def forward(self, input: Any) -> Any:
        """Return x padded."""
        return F.pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding: Sizes, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


def _pads(name: str, base: type, mode: str, what: str) -> list[Any]:
    """The pads of one to three axes."""
    return [
        type(f"{name}{axes}d", (base,), {
            "axes": axes, "mode": mode, "__module__": __name__,
            "__doc__": (
                f"Pad {'the last axis' if axes == 1 else f'the last {axes} axes'} with {what}. The padding is one "
                "length, or (before, after) for each axis, the last axis first."
            ),
        })
        for axes in (1, 2, 3)
    ]  # fmt: skip


ConstantPad1d, ConstantPad2d, ConstantPad3d = _pads("ConstantPad", _ConstantPad, "constant", "a constant")
ZeroPad1d, ZeroPad2d, ZeroPad3d = _pads("ZeroPad", _Pad, "constant", "zeros")
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _pads("ReflectionPad", _Pad, "reflect", "a reflection of x")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _pads("ReplicationPad", _Pad, "replicate", "copies of the edges")
CircularPad1d, CircularPad2d, CircularPad3d = _pads("CircularPad", _Pad, "circular", "periodic copies of x")


class Identity(Module):
    """Return x unchanged; the arguments of the class are ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Return the input unchanged."""
        return input


__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AlphaDropout", "AvgPool1d", "AvgPool2d", "AvgPool3d", "BCELoss", "BCEWithLogitsLoss",
    "CELU", "CTCLoss", "ChannelShuffle", "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d",
    "ConstantPad2d", "ConstantPad3d", "CosineEmbeddingLoss", "CosineSimilarity", "CrossEntropyLoss", "Dropout",
    "Dropout1d", "Dropout2d", "Dropout3d", "ELU", "FeatureAlphaDropout", "Flatten", "Fold", "FractionalMaxPool2d",
    "FractionalMaxPool3d", "GELU", "GLU", "GaussianNLLLoss", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh",
    "HingeEmbeddingLoss", "HuberLoss", "Identity", "KLDivLoss", "L1Loss", "LPPool1d", "LPPool2d", "LPPool3d",
    "LeakyReLU", "LocalResponseNorm", "LogSigmoid", "LogSoftmax", "MSELoss", "MarginRankingLoss", "MaxPool1d",
    "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "Mish", "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "PairwiseDistance", "PixelShuffle", "PixelUnshuffle",
    "PoissonNLLLoss", "RReLU", "ReLU", "ReLU6", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "SELU", "SiLU", "Sigmoid", "SmoothL1Loss",
    "SoftMarginLoss", "Softmax", "Softmax2d", "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh",
    "Tanhshrink", "Threshold", "TripletMarginLoss", "TripletMarginWithDistanceLoss", "Unflatten", "Unfold",
    "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip


check_all(globals(), __all__)
