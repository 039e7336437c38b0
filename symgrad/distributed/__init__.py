"""``sg.distributed``: derivatives of sums over blocks of data, on Dask's threads, processes or clusters.

The data are divided into blocks of rows. A kernel runs on each block, and a tree that depends only on the number of
blocks adds the results, so that a result has the same bytes wherever it is computed.
"""

from typing import TYPE_CHECKING

from symgrad.distributed.stacked import jacobian, vmap
from symgrad.distributed.summed import gauss_newton, grad, hessian, hvp, value_and_grad
from symgrad.support.namespace import namespace

__all__ = ["gauss_newton", "grad", "hessian", "hvp", "jacobian", "value_and_grad", "vmap"]

if not TYPE_CHECKING:  # checkers would take every name for one that there is
    __getattr__, __dir__ = namespace(globals(), __all__)
