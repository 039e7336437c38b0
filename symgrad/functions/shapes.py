"""Functions that arrange entries: reshaping, joining, cutting, grids."""

from __future__ import annotations

from symgrad.engine.adapters import public, public_all
from symgrad.ops.shapes import arrange, grids, join, sizes, splitting
from symgrad.support.arguments import check_all

__all__ = [
    "broadcast_to", "cat", "chunk", "concat", "concatenate", "flatten", "flip", "hstack", "row_stack", "moveaxis",
    "movedim",
    "permute", "ravel", "repeat_interleave", "reshape", "roll", "split", "squeeze", "stack", "swapaxes", "swapdims",
    "t", "tile", "transpose", "unbind", "unsqueeze", "vstack", "atleast_1d", "atleast_2d", "atleast_3d",
    "block_diag", "broadcast_tensors", "cartesian_prod", "column_stack", "combinations", "dsplit", "dstack",
    "fliplr", "flipud", "hsplit", "meshgrid", "rot90", "split_with_sizes", "tensor_split", "vsplit",
]  # fmt: skip

reshape = public(arrange.reshape)
flatten = public(arrange.flatten)
ravel = public(arrange.ravel)
squeeze = public(arrange.squeeze)
unsqueeze = public(arrange.unsqueeze)
broadcast_to = public(arrange.broadcast_to)
tile = public(arrange.tile)
repeat_interleave = public(arrange.repeat_interleave)
flip = public(arrange.flip)
roll = public(arrange.roll)
permute = public(arrange.permute)
t = public(arrange.t)
transpose = swapdims = public(arrange.transpose)
swapaxes = public(arrange.swapaxes)
movedim = moveaxis = public(arrange.movedim)
cat = concat = concatenate = public(join.cat)
stack = public(join.stack)
hstack = public(join.hstack)
vstack = row_stack = public(join.vstack)
split = public(splitting.split, "tensor")
chunk = public(splitting.chunk)
unbind = public(splitting.unbind)
atleast_1d = public_all(sizes.atleast_1d)
atleast_2d = public_all(sizes.atleast_2d)
atleast_3d = public_all(sizes.atleast_3d)
block_diag = public_all(join.block_diag)
dstack = public(join.dstack)
column_stack = public(join.column_stack)
tensor_split = public(splitting.tensor_split)
split_with_sizes = public(splitting.split_with_sizes, "tensor")
hsplit = public(splitting.hsplit)
vsplit = public(splitting.vsplit)
dsplit = public(splitting.dsplit)
broadcast_tensors = public_all(grids.broadcast_tensors)
meshgrid = public_all(grids.meshgrid)
cartesian_prod = public_all(grids.cartesian_prod)
combinations = public(grids.combinations)
fliplr = public(arrange.fliplr)
flipud = public(arrange.flipud)
rot90 = public(arrange.rot90)


check_all(globals(), __all__)
