"""Neural networks, with torch's names: ``functional``, ``init``, ``utils``; modules come when asked for."""

import importlib as _importlib
import typing as _typing

from symgrad.nn import functional
from symgrad.support.namespace import missing as _missing
from symgrad.support.namespace import shown as _shown

if _typing.TYPE_CHECKING:
    from symgrad.nn import init, utils
    from symgrad.nn.modules import *
    from symgrad.nn.parameter import Parameter

_ROOMS = ("init", "modules", "utils")
_MODULES = (
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AvgPool1d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss",
    "BatchNorm1d", "BatchNorm2d", "CELU", "Conv1d", "Conv2d", "CosineEmbeddingLoss", "CrossEntropyLoss", "Dropout",
    "ELU", "Embedding", "Flatten", "GELU", "GLU", "GaussianNLLLoss", "Hardsigmoid", "Hardswish", "Hardtanh",
    "HingeEmbeddingLoss", "HuberLoss", "Identity", "KLDivLoss", "L1Loss", "LayerNorm", "LeakyReLU", "Linear",
    "LogSigmoid", "LogSoftmax", "MSELoss", "MarginRankingLoss", "MaxPool1d", "MaxPool2d", "Mish", "Module",
    "ModuleDict", "ModuleList", "NLLLoss", "PReLU", "PoissonNLLLoss", "ReLU", "ReLU6", "SELU", "Sequential", "SiLU",
    "Sigmoid", "SmoothL1Loss", "Softmax", "Softplus", "Softsign", "Tanh", "Tanhshrink", "TripletMarginLoss",
)  # fmt: skip

__all__ = ["Parameter", "functional", "init", "utils", *_MODULES]


if not _typing.TYPE_CHECKING:  # checkers would take every name for one that there is

    def __getattr__(name: str) -> object:
        if name in _ROOMS:
            return _importlib.import_module(f"symgrad.nn.{name}")
        if name == "Parameter":
            return _importlib.import_module("symgrad.nn.parameter").Parameter
        if name not in _MODULES:
            raise _missing("symgrad.nn", name, __all__)
        return getattr(_importlib.import_module("symgrad.nn.modules"), name)


def __dir__() -> list[str]:
    return _shown(globals(), __all__)
