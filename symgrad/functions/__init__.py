"""torch's names for functions of tensors: ``sg.exp``, ``sg.matmul``, …"""

from symgrad.functions import arrays, functions
from symgrad.functions.arrays import *
from symgrad.functions.functions import *

__all__ = [*functions.__all__, *arrays.__all__]
