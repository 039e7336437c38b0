"""Lines as a document: as text, in LaTeX, HTML and Markdown, and as data."""

from __future__ import annotations

from typing import Any

from symgrad.support.arguments import check_methods
from symgrad.teach.board.line import Line
from symgrad.teach.writing.data import data
from symgrad.teach.writing.html import html
from symgrad.teach.writing.latex import aligned, latex, markdown
from symgrad.teach.writing.text import text


class Document:
    """What is said, line by line; ``print`` it, or show it in a notebook."""

    lines: tuple[Line, ...]

    def __str__(self) -> str:
        return text(self.lines)

    def latex(self) -> str:
        """Return the derivation in LaTeX, for the body of a document with amsmath and amssymb."""
        return latex(self.lines)

    def html(self) -> str:
        """Return the derivation as a fragment of HTML with MathML; it needs no script and no style sheet."""
        return html(self.lines)

    def data(self) -> list[dict[str, Any]]:
        """Return the lines as records of words and MathML, for a page that lays them out itself.

        >>> [line["text"] for line in sg.explain("x**2", "x").data()][-1]
        'f′(x) = 2x'
        """
        return data(self.lines)

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle \\begin{{aligned}} {aligned(self.lines)} \\end{{aligned}}$"

    def _repr_markdown_(self) -> str:
        return markdown(self.lines)


check_methods(Document)
