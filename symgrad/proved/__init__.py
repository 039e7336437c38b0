"""Proofs of statements about all points of a box, by interval arithmetic on Arb's numbers."""

from symgrad.proved.enclosure import Enclosure, enclose

__all__ = ["Enclosure", "enclose"]
