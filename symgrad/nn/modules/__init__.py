"""The modules of ``torch.nn``, each a short class that calls functions of ``nn.functional``."""

import inspect as _inspect

from symgrad.core.device import placed as _placed
from symgrad.nn.modules import (
    adaptive,
    attention,
    batchnorm,
    containers,
    functions,
    layers,
    lazy,
    normalisation,
    recurrent,
)
from symgrad.nn.modules.adaptive import *
from symgrad.nn.modules.attention import *
from symgrad.nn.modules.batchnorm import *
from symgrad.nn.modules.containers import *
from symgrad.nn.modules.functions import *
from symgrad.nn.modules.layers import *
from symgrad.nn.modules.lazy import *
from symgrad.nn.modules.module import Module
from symgrad.nn.modules.normalisation import *
from symgrad.nn.modules.recurrent import *

__all__ = ["Module"]
__all__ += adaptive.__all__
__all__ += attention.__all__
__all__ += batchnorm.__all__
__all__ += containers.__all__
__all__ += functions.__all__
__all__ += layers.__all__
__all__ += lazy.__all__
__all__ += normalisation.__all__
__all__ += recurrent.__all__

for _kind in {
    k: None for name in __all__ for k in globals()[name].__mro__ if "__init__" in vars(k) and k is not object
}:
    if "device" in _inspect.signature(_kind.__init__).parameters:  # accepts the CPU, and refuses what is not there
        _kind.__init__ = _placed(_kind.__init__)
