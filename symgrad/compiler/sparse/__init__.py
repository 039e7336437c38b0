"""Sparse Jacobians and Hessians: pattern from the program, colours for its columns, products with few vectors.

sets → entries → rules → pattern; colouring → sweeps → products → public. Only arrays imports SciPy.
"""

from symgrad.compiler.sparse.public import sparse_hessian, sparse_hessian_of_lagrangian, sparse_jacobian

__all__ = ["sparse_hessian", "sparse_hessian_of_lagrangian", "sparse_jacobian"]
