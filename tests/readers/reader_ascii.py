"""An independent reader of formulas in ASCII: it gives the parts that ``reader_text`` gives of text."""

from __future__ import annotations

import re
from itertools import pairwise

import reader_text
from reader_trees import Precedence, Tree, rebuilt, split, tree

_TOKENS = re.compile(
    r"\s*(\d+\.\d+(?:e[+-]?\d+)?|\d+(?:e[+-]?\d+)?|[^\W\d_][\w']*|\*\*|\.[*/^T]|\.\.|>=|<=|!=|_(?=\{)|_\w+|.)"
)
_SIGNS = {".*": "⊙", "./": "⊘", ".^": "^⊙", ".T": "ᵀ", "kron": "⊗", "cross": "×", "!=": "≠"}
_CALLED = {"sigma": "σ", "Phi": "Φ", "phi": "φ"}


class Parser(reader_text.Parser):
    """Formulas in ASCII: inverses and norms are functions, and what acts on entries has a dot."""

    def __init__(self, text: str) -> None:
        found = split(_TOKENS, text)
        called = [_CALLED.get(t, t) if follows == "(" else t for t, follows in pairwise(found)]
        signs = [_SIGNS.get(t, t).replace("'", "′") for t in called]
        Precedence.__init__(self, [re.sub(r"^delta(?=_[a-z\d]|$)", "δ", t) for t in signs] + [""])

    def whole(self) -> Tree:
        """Read all of it."""
        return rebuilt(super().whole(), _with_signs)  # type: ignore[no-any-return]


def _with_signs(e: Tree) -> Tree:
    if e.kind != "call" or e.parts[0] not in ("inv", "pinv", "norm"):
        return e
    name, a, *order = e.parts
    if name == "norm":
        return tree("norm", a, "F" if order == [tree("name", "F")] else order[0] if order else None)
    return tree("⁻¹" if name == "inv" else "⁺", a)
