"""torch's names for functions of tensors, by subject: ``sg.exp``, ``sg.matmul``, …

Each turns its first argument into a tensor and applies what stands in ``ops``.
"""

from symgrad.functions import (
    algebra,
    complexes,
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
from symgrad.functions.indexing import *
from symgrad.functions.interpolating import *
from symgrad.functions.pointwise import *
from symgrad.functions.reductions import *
from symgrad.functions.shapes import *
from symgrad.functions.sorting import *
from symgrad.functions.spectra import *

__all__ = [
    *pointwise.__all__, *complexes.__all__, *shapes.__all__, *indexing.__all__, *reductions.__all__, *sorting.__all__,
    *algebra.__all__, *interpolating.__all__, *spectra.__all__,
]  # fmt: skip
