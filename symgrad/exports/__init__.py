"""Source code of functions and their derivatives for other programs, with one file for each target.

Every target writes the compiler's program, so the derivative rules are not implemented again.
"""

from symgrad.compiler.loops.errors import ExportError
from symgrad.exports.loader import load_c
from symgrad.exports.public import TARGETS, export

__all__ = ["TARGETS", "ExportError", "export", "load_c"]
