"""``sg.testing``: the cross-check of a derivative as a number, as a formula and as a function."""

from typing import TYPE_CHECKING

from symgrad.support.namespace import namespace
from symgrad.testing.close import assert_close
from symgrad.testing.crosschecks import Crosscheck, Witness, crosscheck, finite_differences

__all__ = ["Crosscheck", "Witness", "assert_close", "crosscheck", "finite_differences"]

if not TYPE_CHECKING:  # checkers would take every name for one that there is
    __getattr__, __dir__ = namespace(globals(), __all__)
