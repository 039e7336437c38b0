"""The words of loops for all operations."""

from symgrad.compiler.loops import matrices, operations, rows
from symgrad.compiler.loops.writers import Words

WORDS = Words(operations.WORDS, matrices.WORDS, rows.WORDS)
