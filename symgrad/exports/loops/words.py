"""The words of loops for all operations."""

from symgrad.exports.loops import matrices, operations, rows
from symgrad.exports.words import Words

WORDS = Words(operations.WORDS, matrices.WORDS, rows.WORDS)
