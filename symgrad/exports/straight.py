"""Small programs entry by entry: one assignment for what is read more than once, no arrays in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from symgrad.compiler.backends.backend import Unsuitable, check_axes
from symgrad.compiler.backends.python import check
from symgrad.compiler.loops.programs import INFIX, WIDE, LoopWriter, has
from symgrad.compiler.primitives.elements import Elements
from symgrad.compiler.primitives.scalarise import Written
from symgrad.compiler.primitives.views import View
from symgrad.engine.program import Program

SHORT = 400  # scalar operations
_BEFORE = 20 * SHORT  # before zeros and repetitions fold
_EACH = 2  # scalar operations to a step, up to which a program of numbers is no longer than its own steps


def straight(w: LoopWriter, program: Program, inputs: Sequence[View]) -> list[list[str]] | None:
    """Write a small program out; return the texts of its results' entries, None where it is long, or has no words."""
    check_axes(program, "export")
    sizes = [n for v in program.values for n in v.shape]
    if not all(isinstance(n, int) for n in sizes):
        return None
    limit = max(SHORT, _EACH * len(program.steps()))
    try:
        check(program, max(_BEFORE, 2 * limit))
    except Unsuitable:
        return None
    written = Written(program, Elements(has=has))
    if written.operations() > limit:
        return None
    texts = _lines(w, written, inputs)
    return [[_bare(texts[int(r)]) for r in y.ravel()] for y in written.outputs]


def _lines(w: LoopWriter, written: Written, inputs: Sequence[View]) -> dict[int, str]:
    s, roots = written.scalars, written.roots()
    reachable = s.reachable(roots)
    inner = [k for k in reachable if s.ops[k][0] not in ("const", "in")]
    uses = Counter(r for k in inner for r in s.ops[k][1:])
    uses.update(roots)
    texts: dict[int, str] = {}
    for k in reachable:
        name, *refs = s.ops[k]
        if name == "const":
            texts[k] = w.number(refs[0])
        elif name == "in":
            texts[k] = _entry(w, inputs, *written.slots[refs[0]])
        else:
            text = w.element(name, [texts[r] for r in refs])
            if uses[k] > 1 or len(text) > WIDE:
                texts[k] = w.let(text)
            else:
                texts[k] = f"({text})" if name in INFIX else text
    return texts


def _entry(w: LoopWriter, inputs: Sequence[View], argument: int, position: int) -> str:
    view = inputs[argument]
    return f"{view.memory}[{position}]" if w.is_memory(view.memory) else view.memory


def _bare(text: Any) -> Any:
    """Return a string without the brackets that operations put around all of it."""
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text
