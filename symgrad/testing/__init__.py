"""``sg.testing``: the three-way proof that the number, the formula and the function of a derivative agree."""

from symgrad.testing.crosschecks import Crosscheck, Witness, crosscheck, finite_differences

__all__ = ["Crosscheck", "Witness", "crosscheck", "finite_differences"]
