"""Activations, losses, pools and the like as modules: one line each."""

from __future__ import annotations

from typing import Any

from symgrad.errors import ArgumentError
from symgrad.functions import flatten
from symgrad.nn import functional as F
from symgrad.nn.modules.module import Module
from symgrad.nn.modules.options import module_of
from symgrad.support.arguments import check_all

ReLU = module_of("ReLU", F.relu, inplace=False)
ReLU6 = module_of("ReLU6", F.relu6, inplace=False)
SELU = module_of("SELU", F.selu, inplace=False)
SiLU = module_of("SiLU", F.silu, inplace=False)
Mish = module_of("Mish", F.mish, inplace=False)
Hardsigmoid = module_of("Hardsigmoid", F.hardsigmoid, inplace=False)
Hardswish = module_of("Hardswish", F.hardswish, inplace=False)
LeakyReLU = module_of("LeakyReLU", F.leaky_relu, inplace=False)
ELU = module_of("ELU", F.elu, inplace=False)
CELU = module_of("CELU", F.celu, inplace=False)
Hardtanh = module_of("Hardtanh", F.hardtanh, inplace=False)
Sigmoid, Tanh = module_of("Sigmoid", F.sigmoid), module_of("Tanh", F.tanh)
LogSigmoid, Softsign = module_of("LogSigmoid", F.logsigmoid), module_of("Softsign", F.softsign)
Tanhshrink, GELU = module_of("Tanhshrink", F.tanhshrink), module_of("GELU", F.gelu)
Softplus, GLU = module_of("Softplus", F.softplus), module_of("GLU", F.glu)
Softmax, LogSoftmax = module_of("Softmax", F.softmax, 1, "dim"), module_of("LogSoftmax", F.log_softmax, 1, "dim")

_MAX = "kernel_size stride padding dilation return_indices ceil_mode"
MaxPool1d = module_of("MaxPool1d", F.max_pool1d, 1, _MAX)
MaxPool2d = module_of("MaxPool2d", F.max_pool2d, 1, _MAX)
AvgPool1d, AvgPool2d = module_of("AvgPool1d", F.avg_pool1d), module_of("AvgPool2d", F.avg_pool2d)
AdaptiveAvgPool1d = module_of("AdaptiveAvgPool1d", F.adaptive_avg_pool1d)
AdaptiveAvgPool2d = module_of("AdaptiveAvgPool2d", F.adaptive_avg_pool2d)
Flatten = module_of("Flatten", flatten, start_dim=1)

MSELoss = module_of("MSELoss", F.mse_loss, 2, "reduction")
L1Loss = module_of("L1Loss", F.l1_loss, 2, "reduction")
SmoothL1Loss = module_of("SmoothL1Loss", F.smooth_l1_loss, 2)
HuberLoss = module_of("HuberLoss", F.huber_loss, 2)
CrossEntropyLoss = module_of("CrossEntropyLoss", F.cross_entropy, 2)
NLLLoss = module_of("NLLLoss", F.nll_loss, 2)
BCELoss = module_of("BCELoss", F.binary_cross_entropy, 2)
BCEWithLogitsLoss = module_of("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, 2)
KLDivLoss = module_of("KLDivLoss", F.kl_div, 2)
GaussianNLLLoss = module_of("GaussianNLLLoss", F.gaussian_nll_loss, 3)
PoissonNLLLoss = module_of("PoissonNLLLoss", F.poisson_nll_loss, 2)
HingeEmbeddingLoss = module_of("HingeEmbeddingLoss", F.hinge_embedding_loss, 2)
MarginRankingLoss = module_of("MarginRankingLoss", F.margin_ranking_loss, 3)
CosineEmbeddingLoss = module_of("CosineEmbeddingLoss", F.cosine_embedding_loss, 3)
TripletMarginLoss = module_of("TripletMarginLoss", F.triplet_margin_loss, 3)


class Identity(Module):
    """x itself, whatever the arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Return the input as it is."""
        return input


class Dropout(Module):
    """Entries left out with probability p in training, the others divided by 1 - p; in use x itself."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}.")
        self.p = p

    def forward(self, input: Any) -> Any:
        """Return x with entries left out."""
        return F.dropout(input, self.p, self.training) if self.training else input

    def extra_repr(self) -> str:
        return f"p={self.p}"


__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AvgPool1d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "CELU",
    "CosineEmbeddingLoss", "CrossEntropyLoss", "Dropout", "ELU", "Flatten", "GELU", "GLU", "GaussianNLLLoss",
    "Hardsigmoid", "Hardswish", "Hardtanh", "HingeEmbeddingLoss", "HuberLoss", "Identity", "KLDivLoss", "L1Loss",
    "LeakyReLU", "LogSigmoid", "LogSoftmax", "MSELoss", "MarginRankingLoss", "MaxPool1d", "MaxPool2d", "Mish",
    "NLLLoss", "PoissonNLLLoss", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "SmoothL1Loss", "Softmax", "Softplus",
    "Softsign", "Tanh", "Tanhshrink", "TripletMarginLoss",
]  # fmt: skip


check_all(globals(), __all__)
