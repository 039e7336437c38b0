"""Foreign text, such as users' names, keys and titles: how it is written into each language, so that it stays text.

There is one function for each place that text can stand in; no other module escapes anything. Identifiers are made in
``exports.names``, of the same text.
"""

from __future__ import annotations

import numbers
import re
import unicodedata
from typing import Any

import sympy as sp

UNPRINTABLE = "␣"  # in place of what is not seen, or moves what is around it
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "—": "---", "−": "$-$", "→": r"$\to$", "·": r"$\cdot$",
    "⁻": r"${}^{-}$", "¹": r"${}^{1}$", "ᵀ": r"${}^{\top}$", "…": r"\dots{}",
    "²": r"${}^{2}$", "³": r"${}^{3}$", "⊙": r"$\odot$", "⊘": r"$\oslash$", "×": r"$\times$", "√": r"$\surd$",
    "≠": r"$\ne$", "≤": r"$\le$", "≥": r"$\ge$", "Σ": r"$\Sigma$", "″": "''",
    "∂": r"$\partial$", "′": "'", "⊤": r"$\top$", "λ": r"$\lambda$", "σ": r"$\sigma$", "ψ": r"$\psi$",
    "Γ": r"$\Gamma$", "Π": r"$\Pi$", "π": r"$\pi$", "∫": r"$\int$", "‖": r"$\|$", "⊗": r"$\otimes$",
    "ᵢ": r"${}_{i}$", "ⱼ": r"${}_{j}$", "ₖ": r"${}_{k}$", "₀": r"${}_{0}$", "₁": r"${}_{1}$", "₂": r"${}_{2}$",
    "ᵏ": r"${}^{k}$", "ˡ": r"${}^{l}$", "ᵖ": r"${}^{p}$", "ᵗ": r"${}^{t}$",
    "‹": r"$\langle$", "›": r"$\rangle$", "<": r"$<$", ">": r"$>$", UNPRINTABLE: r"\textvisiblespace{}",
}  # fmt: skip
_LATEX_NAME = {
    "\\": r"\backslash ", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "~": r"\sim ",
    "^": r"\wedge ", "_": r"\_", "′": "'", " ": r"\ ", UNPRINTABLE: r"\textvisiblespace ",
}  # fmt: skip
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
_MARKDOWN = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}


def printable(text: str) -> str:
    """Return one line for a screen: without control characters, and none that turn the direction of reading."""
    return text if text.isprintable() else "".join(c if c.isprintable() else UNPRINTABLE for c in text)


def named(name: str, signs: str = "‹›") -> str:
    """Return a name on one line, by which two names are told apart: signs that no one sees are written by their number.

    ``signs`` are those that end a name where it stands, and are written so too.

    >>> named("a" + chr(10)), named("a"), named("a" + UNPRINTABLE)
    ('a␣A;', 'a', 'a␣2423;')
    """
    hidden = UNPRINTABLE + signs
    return "".join(c if c.isprintable() and c not in hidden else f"{UNPRINTABLE}{ord(c):X};" for c in name)


def plain_name(name: str) -> str:
    """Write a user's name in text: in brackets of its own where it would read as something else."""
    letters = name.rstrip("′").replace("′_", "_").replace("_", "")
    return name if letters and all(map(_is_plain, letters)) and not name[0].isdigit() else f"‹{named(name)}›"


def _is_plain(c: str) -> bool:
    """Whether a character is a letter or a digit on the line: ᵀ and ² are neither."""
    return c.isdecimal() or unicodedata.category(c) in ("Lu", "Ll", "Lt", "Lo")


# ------------------------------------------------------------------ sources
def comment(text: str) -> str:
    """Return one line that ends no comment, docstring, script or document, whatever it says.

    >>> comment("a */ b" + chr(10) + "c")
    'a * / b c'
    """
    kept = "".join(c if c.isprintable() else " " for c in text)
    kept = kept.replace("\\", "/").replace('"', "'").replace("???", "? ? ?").replace("??", "? ?")
    for sign in ("*/", "/*", "</", "'''", "<!"):
        kept = kept.replace(sign, " ".join(sign))
    return " ".join(kept.split())


def docstring(text: str) -> str:
    r"""Return one line for between three double quotes; Python reads the same text from it.

    >>> print(docstring('["a"] ' + chr(92)))
    [\"a\"] \\
    """
    kept = "".join(c if c.isprintable() else " " for c in text)
    return kept.replace("\\", "\\\\").replace('"', '\\"')


def literal(value: Any) -> str:
    r"""Return a string, a number, a boolean, None or a tuple of them as an expression of Python, in ASCII.

    What ``repr`` a class of its own has plays no part.

    Raises:
        TypeError: if the value is something else.

    >>> literal(("θ", 1)), literal(float("inf"))
    ("('\\u03b8', 1)", "float('inf')")
    """
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return ascii("".join(value))
    if isinstance(value, numbers.Integral):
        return int.__repr__(int(value))
    if isinstance(value, float):
        plain = float.__repr__(float(value))
        return plain if plain[-1].isdigit() else f"float({plain!r})"
    if type(value) is tuple:
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    raise TypeError(f"a {type(value).__name__} has no literal. Expected text, a number or a tuple of them.")


# ------------------------------------------------------------------ pages and pictures
def html(text: str) -> str:
    """Return text for an element or a quoted attribute of HTML, SVG and MathML; line ends stay."""
    return "\n".join(map(printable, text.split("\n"))).translate(_HTML)


def json_in_html(text: str) -> str:
    """Return ASCII JSON for a script of a page, in which nothing reads as the end of the script."""
    return text.replace("<", "\\u003c")


def mermaid(text: str) -> str:
    """Return text for a quoted label of Mermaid: what it or HTML could read is written by its number, #60; for <."""
    kept = printable(text)
    return "".join(c if c.isalnum() or c in " =+,.^/" or ord(c) > 0x7F else f"#{ord(c)};" for c in kept)


def dot(text: str) -> str:
    """Return text for a quoted label of Graphviz."""
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')


def markdown(text: str) -> str:
    """Return prose that Markdown and the HTML in it leave alone."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]()#+!|$~" else _MARKDOWN.get(c, c) for c in printable(text))


def roff(text: str) -> str:
    """Return text for a manual page, in which a backslash, a hyphen and a point at the start of a line mean more."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


# ------------------------------------------------------------------ LaTeX
def latex(text: str) -> str:
    """Return prose with all that LaTeX would read replaced."""
    return "".join(_LATEX.get(c, c) for c in printable(text))


def latex_letters(name: str) -> str:
    """Return a name's characters for where LaTeX reads mathematics."""
    return "".join(_LATEX_NAME.get(c, c) for c in named(name, ""))


def latex_in_html(formula: str) -> str:
    """Return LaTeX in which nothing reads as a tag: notebooks put it into a page."""
    return formula.replace("<", r"\lt ").replace(">", r"\gt ")


_GREEK = re.compile(r"([ΓΔΘΛΞΠΣΥΦΨΩα-νξπρσ-ω])_?(\d*)")  # those that TeX has


def _greek(letter: str) -> str:
    """Return TeX's name of a Greek letter, such as delta or Delta."""
    *_, size, _, name = unicodedata.name(letter).split()
    name = name.lower().replace("lamda", "lambda")
    return name if size == "SMALL" else name.capitalize()


_LETTERS = re.compile(r"^([A-Za-z]{2,})")  # side by side they would be factors


def latex_name(name: str) -> str:
    """Write a user's name in LaTeX: identifiers as SymPy does (w_1, alpha), anything else as escaped text."""
    greek = _GREEK.fullmatch(name)
    if greek:
        found = f"\\{_greek(greek[1])}"
        return f"{found}_{{{greek[2]}}}" if greek[2] else found
    if name.isascii() and name[0].isalpha() and name.replace("_", "").isalnum() and "__" not in name:
        return _LETTERS.sub(r"\\mathrm{\1}", str(sp.latex(sp.Symbol(name))))
    plain = latex_letters(name)
    short = len(name.rstrip("′")) == 1 and name[0].isprintable() and name[0] not in " ᵀ"  # those take no index
    return plain if short else f"\\mathrm{{{plain}}}"
