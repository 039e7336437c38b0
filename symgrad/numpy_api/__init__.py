"""NumPy's functions on tensors: ``np.sum(t)``, ``np.concatenate([t, a])``, ``np.linalg.solve(A, t)``.

A table maps each NumPy function to symgrad's, with NumPy's arguments and conventions. It is loaded when the first of
them is called.
"""

from symgrad.numpy_api import algebra, files, indexing, joins, orders, pieces, reductions, shapes, transforms
from symgrad.numpy_api.table import TABLE, call

__all__ = [
    "TABLE", "algebra", "call", "files", "indexing", "joins", "orders", "pieces", "reductions", "shapes", "transforms",
]  # fmt: skip
