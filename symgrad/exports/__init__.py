"""Source code of functions and their derivatives for other programs: one file per target.

The compiler's program is what every target writes: the derivative rules are not written again.
"""

from symgrad.compiler.loops.errors import ExportError
from symgrad.exports.loader import load_c
from symgrad.exports.public import TARGETS, export

__all__ = ["TARGETS", "ExportError", "export", "load_c"]
