"""The modules of ``torch.nn``: each a short class over functions of ``nn.functional``."""

from symgrad.nn.modules import attention, containers, functions, layers, normalisation, recurrent
from symgrad.nn.modules.attention import *
from symgrad.nn.modules.containers import *
from symgrad.nn.modules.functions import *
from symgrad.nn.modules.layers import *
from symgrad.nn.modules.module import Module
from symgrad.nn.modules.normalisation import *
from symgrad.nn.modules.recurrent import *

__all__ = ["Module"]
__all__ += attention.__all__
__all__ += containers.__all__
__all__ += functions.__all__
__all__ += layers.__all__
__all__ += normalisation.__all__
__all__ += recurrent.__all__
