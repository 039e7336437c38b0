"""The functions of ``sg.tree`` under the names of ``jax.tree_util``."""

from symgrad.support.namespace import namespace
from symgrad.tree import all as tree_all
from symgrad.tree import flatten as tree_flatten
from symgrad.tree import leaves as tree_leaves
from symgrad.tree import map as tree_map
from symgrad.tree import reduce as tree_reduce
from symgrad.tree import structure as tree_structure
from symgrad.tree import transpose as tree_transpose
from symgrad.tree import unflatten as tree_unflatten

__all__ = [
    "tree_all", "tree_flatten", "tree_leaves", "tree_map", "tree_reduce", "tree_structure", "tree_transpose",
    "tree_unflatten",
]  # fmt: skip

__getattr__, __dir__ = namespace(globals(), __all__)
