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
_HOMES = {"Parameter": "symgrad.nn.parameter", **{room: f"symgrad.nn.{room}" for room in _ROOMS}}
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
        if name not in [*__all__, *_ROOMS]:
            raise _missing("symgrad.nn", name, __all__)
        module = _importlib.import_module(_HOMES.get(name, _HOMES["modules"]))
        return module if name in _ROOMS else getattr(module, name)


def __dir__() -> list[str]:
    return _shown(globals(), __all__)
