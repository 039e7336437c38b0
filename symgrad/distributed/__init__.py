"""``sg.distributed``: derivatives of sums over data that are in many blocks, on Dask's threads, processes or clusters.

The data are cut into blocks of rows; a kernel runs on each, and what it returns is added by a tree that depends on the
number of blocks alone. So a result has the same bytes whatever computes it.
"""

from typing import TYPE_CHECKING

from symgrad.distributed.stacked import jacobian, vmap
from symgrad.distributed.summed import gauss_newton, grad, hessian, hvp, value_and_grad
from symgrad.support.namespace import namespace

__all__ = ["gauss_newton", "grad", "hessian", "hvp", "jacobian", "value_and_grad", "vmap"]

if not TYPE_CHECKING:  # checkers would take every name for one that there is
    __getattr__, __dir__ = namespace(globals(), __all__)
