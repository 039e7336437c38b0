"""Functions of tensors with PyTorch's names, by subject: ``sg.exp``, ``sg.matmul``, …

Each function converts its first argument to a tensor and applies an operation of ``ops``.
"""

from symgrad.functions import (
    algebra,
    complexes,
    histograms,
    indexing,
    interpolating,
    pointwise,
    reductions,
    shapes,
    sorting,
    spectra,
)
from symgrad.functions.algebra import *
from symgrad.functions.complexes import *
from symgrad.functions.histograms import *
from symgrad.functions.indexing import *
from symgrad.functions.interpolating import *
from symgrad.functions.pointwise import *
from symgrad.functions.reductions import *
from symgrad.functions.shapes import *
from symgrad.functions.sorting import *
from symgrad.functions.spectra import *

__all__ = [
    *pointwise.__all__, *complexes.__all__, *shapes.__all__, *indexing.__all__, *reductions.__all__, *sorting.__all__,
    *algebra.__all__, *interpolating.__all__, *spectra.__all__, *histograms.__all__,
]  # fmt: skip
