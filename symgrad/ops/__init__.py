"""The protocol that every operation implements, and the operations on arrays."""

from symgrad.ops.map import ADD, DIV, IDENTITY, MUL, NEG, POW, SUB, Map, emap, exact
from symgrad.ops.protocol import Blank, Op, Plan, Traced, shape, zeros_like
from symgrad.ops.value import to_value

__all__ = [
    "ADD",
    "Blank",
    "DIV",
    "IDENTITY",
    "MUL",
    "Map",
    "NEG",
    "Op",
    "POW",
    "Plan",
    "SUB",
    "Traced",
    "emap",
    "exact",
    "shape",
    "to_value",
    "zeros_like",
]
