"""Functions that read and write entries at places."""

from __future__ import annotations

from symgrad.engine.adapters import public
from symgrad.ops.indexing import gather as gather_ops
from symgrad.ops.indexing import placing
from symgrad.ops.indexing import select as select_ops
from symgrad.ops.reductions import merging
from symgrad.support.arguments import check_all

__all__ = [
    "gather", "index_add", "index_select", "masked_fill", "masked_select", "narrow", "scatter", "scatter_add",
    "select", "take_along_dim", "diagonal_scatter", "index_copy", "index_fill", "index_put", "index_reduce",
    "masked_scatter", "scatter_reduce", "select_scatter", "slice_scatter", "take", "as_strided",
]  # fmt: skip

index_select = public(gather_ops.index_select)
gather = public(gather_ops.gather)
take_along_dim = public(gather_ops.take_along_dim)
scatter = public(merging.scatter)
scatter_add = public(gather_ops.scatter_add)
index_add = public(gather_ops.index_add)
select = public(select_ops.select)
narrow = public(select_ops.narrow)
masked_fill = public(select_ops.masked_fill)
masked_select = public(select_ops.masked_select)
take = public(placing.take)
index_put = public(placing.index_put)
index_copy = public(placing.index_copy)
index_fill = public(placing.index_fill)
masked_scatter = public(placing.masked_scatter)
select_scatter = public(placing.select_scatter)
slice_scatter = public(placing.slice_scatter)
diagonal_scatter = public(placing.diagonal_scatter)
scatter_reduce = public(merging.scatter_reduce)
index_reduce = public(merging.index_reduce)
as_strided = public(placing.as_strided)


check_all(globals(), __all__)
