"""An independent reader of formulas in MathML: it looks at what is seen, and says it in LaTeX for ``reader_latex``.

A row without brackets is not seen, so it groups nothing.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any

import reader_latex
from reader_trees import Unreadable

_SIGNS = {
    "−": "-", "⊙": r"\odot ", "⊘": r"\oslash ", "⊗": r"\otimes ", "×": r"\times ",
    "\u2062": r"\cdot ", "·": r"\cdot ", "⊤": r"\top ",
    "≤": r"\leq ", "≥": r"\geq ", "≠": r"\neq ", "∧": r"\wedge ", "∨": r"\vee ",
}  # fmt: skip
_FENCES = {"(": ("(", ")"), "[": ("[", "]"), "|": ("|", "|"), "‖": (r"\lVert ", r"\rVert ")}
_OVER = {"∑": r"\sum", "∏": r"\prod"}
_CALLED = {"ψ": "digamma"}
_CALLABLE = ("mi", "msub", "msup", "mtext")


def latex(text: str) -> str:
    """Return what is seen of MathML, in LaTeX."""
    return written(ET.fromstring(f"<math>{text}</math>"))


def written(e: ET.Element) -> str:
    """Return an element in LaTeX."""
    method = _ELEMENTS.get(e.tag)
    if method is None:
        raise Unreadable(f"an element {e.tag!r}")
    return method(e)


def sign(e: Any) -> str:
    """Return the operator that an element is, else nothing."""
    return (e.text or "") if e.tag == "mo" else ""


def is_fenced(e: ET.Element) -> bool:
    """Whether brackets are around an element."""
    return e.tag == "mrow" and len(e) > 1 and sign(e[0]) in (*_FENCES, "⌊", "⌈")


def name_of(e: ET.Element) -> str:
    """Return the name that an element is: a word, with a number or a word below, and dashes."""
    if e.tag in ("mi", "mtext", "mn"):
        return e.text or ""
    if e.tag == "msub" and e[0].tag in ("mi", "mrow") and e[1].tag in ("mi", "mn"):
        return f"{name_of(e[0])}_{name_of(e[1])}"
    if e.tag == "mrow" and len(e) > 1 and all(sign(c) == "′" for c in e[1:]):
        return name_of(e[0]) + "′" * (len(e) - 1)
    return ""


def row(e: ET.Element) -> str:
    """Return parts beside each other: brackets, dashed names, and functions with their arguments."""
    if is_fenced(e):
        return fenced(e)
    if name_of(e):
        return rf"\mathrm{{{name_of(e)}}}"
    if len(e) == 2 and sign(e[0]) == "{" and e[1].tag == "mtable":
        return cases(e[1])
    parts, at = [], 0
    while at < len(e):
        if e[at].text == "log" and at + 1 < len(e) and is_fenced(e[at + 1]) and sign(e[at + 1][0]) == "|":
            parts.append(r"\log" + fenced(e[at + 1]))  # log|det(A)|
            at += 1
        elif at + 1 < len(e) and e[at].tag in _CALLABLE and is_fenced(e[at + 1]) and sign(e[at + 1][0]) == "(":
            parts.append(call(e[at], e[at + 1]))
            at += 1
        else:
            parts.append(written(e[at]))
        at += 1
    return " ".join(parts)


def fenced(e: ET.Element) -> str:
    """Return what is in brackets."""
    if len(e) == 3 and e[1].tag == "mtable":
        rows = r" \\ ".join(" & ".join(map(row, r)) for r in e[1])
        return rf"\begin{{bmatrix}}{rows}\end{{bmatrix}}"
    opening, inside = sign(e[0]), ET.Element("mrow")
    inside.extend(list(e[1:-1]))
    if opening in "⌊⌈":
        return rf"\operatorname{{{'floor' if opening == '⌊' else 'ceiling'}}}\left({row(inside)}\right)"
    left, right = _FENCES[opening]
    return rf"\left{left}{row(inside)}\right{right}"


def call(function: ET.Element, arguments: ET.Element) -> str:
    """Return a function of arguments; what stands above its name is a power of it, in brackets its order."""
    raised = ""
    if function.tag == "msup":
        function, above = function
        if is_fenced(above):
            return r"\operatorname{polygamma}\left(" + fenced(above) + "," + fenced(arguments).removeprefix(r"\left(")
        raised = f"^{{{written(above)}}}"
    name = name_of(function)
    return rf"\operatorname{{{_CALLED.get(name, name)}}}{raised}{fenced(arguments)}"


def word(e: ET.Element) -> str:
    """Return a name."""
    name = e.text or ""
    if name in ("π", "δ"):
        return {"π": r"\pi ", "δ": r"\delta "}[name]
    return f" {name}" if len(name) == 1 else rf"\mathrm{{{name}}}"


def number(e: ET.Element) -> str:
    """Return a number; the upright 1 is the column of ones."""
    text = e.text or ""
    if text == "𝟏":
        return r"\mathbf{1}"
    front, _, exponent = text.partition("e")
    return rf"\left({front} \cdot 10^{{{exponent}}}\right)" if exponent else f" {text} "


def operator(e: ET.Element) -> str:
    """Return an operator."""
    return _SIGNS.get(sign(e), sign(e))


def below(e: ET.Element) -> str:
    """Return an index: of an entry, names or numbers side by side, or formulas between commas."""
    base, index = e
    plain = index.tag == "mrow" and not any(sign(c) for c in index)
    places = ",".join(written_place(c) for c in index) if plain else written_place(index)
    front = rf"\mathrm{{{name_of(base)}}}" if base.tag == "msub" and name_of(base) else written(base)
    return f"{front}_{{{places}}}" if places else front


def written_place(e: ET.Element) -> str:
    """Return an index: k1 is one."""
    return rf"\mathrm{{{name_of(e).replace('_', '')}}}" if e.tag == "msub" else written(e)


def cases(table: ET.Element) -> str:
    """Return a case distinction."""
    rows = []
    for value, condition in table:
        otherwise = condition[0].tag == "mtext"
        rows.append(f"{row(value)} & " + (r"\text{otherwise}" if otherwise else row(condition)))
    return r"\begin{cases}" + r" \\ ".join(rows) + r"\end{cases}"


def over(e: ET.Element) -> str:
    """Return a sum or product over an index."""
    if sign(e[0]) not in _OVER:
        raise Unreadable(f"{sign(e[0])!r} with limits")
    start = "".join(name_of(c).replace("_", "") if k == 0 else written(c) for k, c in enumerate(e[1]))
    return f"{_OVER[sign(e[0])]}_{{{start}}}^{{{written(e[2])}}}"


_ELEMENTS = {
    "math": row, "mrow": row, "mtd": row, "mi": word, "mn": number, "mo": operator, "msub": below, "munderover": over,
    "mtext": lambda e: rf"\mathrm{{{e.text}}}",
    "msup": lambda e: f"{written(e[0])}^{{{written(e[1])}}}",
    "msubsup": lambda e: written(e[0]) + (f"_{{{written(e[1])}}}" if written(e[1]) else "") + f"^{{{written(e[2])}}}",
    "mfrac": lambda e: rf"\frac{{{written(e[0])}}}{{{written(e[1])}}}",
    "msqrt": lambda e: rf"\sqrt{{{row(e)}}}",
}  # fmt: skip


def matrix_value(text: str, shape: Sequence[int], arrays: Mapping[str, Any], sizes: Any = None) -> Any:
    """Return the value of MathML in matrix notation."""
    return reader_latex.matrix_value(latex(text), shape, arrays, sizes)


def index_value(text: str, indices: Sequence[str], shape: Sequence[int], arrays: Any, sizes: Any = None) -> Any:
    """Return the array whose entry the MathML is."""
    return reader_latex.index_value(latex(text), indices, shape, arrays, sizes)
