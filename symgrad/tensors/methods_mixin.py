"""What a tensor can do beside differentiating, in one class: operators, methods, statements in place, conversions.

Many methods are made by factories, so checkers and editors read the classes in ``methods_mixin.pyi``, which
``python tests/tools/stubs.py`` writes from what is there.
"""

from symgrad.tensors.conversions import Conversions, Dtypes
from symgrad.tensors.inplace import InPlace
from symgrad.tensors.operators import Operators
from symgrad.tensors.protocols import Protocols
from symgrad.tensors.queries import Queries
from symgrad.tensors.sampling import Sampling
from symgrad.tensors.spellings import Spellings
from symgrad.tensors.updates import Updated


class Mixed(InPlace, Spellings, Queries, Operators, Conversions, Dtypes, Sampling, Updated, Protocols):
    """All that a tensor has from its families of methods."""

    __slots__ = ()
