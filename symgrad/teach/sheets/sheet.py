"""``sg.sheet``: exercises to print, with their solutions on pages of their own, and as questions for Moodle."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from symgrad.errors import ArgumentError, MissingExtra
from symgrad.support import foreign
from symgrad.support.arguments import check_methods, checked
from symgrad.support.files import path_of, replace_files
from symgrad.teach.answers.exercises import MOST, Exercise, exercises
from symgrad.teach.answers.topics import kind_of
from symgrad.teach.sheets.moodle import quiz
from symgrad.teach.writing import html
from symgrad.teach.writing.page import page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "microsoft-edge", "msedge")
PRINTED_WITHIN = 120  # seconds
_LATEX = r"""\documentclass[11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage{amsmath, amssymb}
\usepackage[margin=2.5cm]{geometry}
\begin{document}
\section*{%s}
\begin{enumerate}
%s
\end{enumerate}
\newpage
\section*{Solutions}
\begin{enumerate}
%s
\end{enumerate}
\end{document}
"""
_STYLE = """<style>
.sheet li { margin-bottom: 1.6em; break-inside: avoid; }
.sheet-room { height: 6.5em; }
@media print { #Solutions, #solutions { break-before: page; } }
%s
</style>"""


class Sheet:
    """Exercises of one or several topics, no two of them alike.

    Attributes:
        title: the sheet's title.
        exercises: the exercises, each with its solution, steps, hints and expected slips.
    """

    def __init__(self, title: str, exercises: Sequence[Exercise]) -> None:
        self.title, self.exercises = title, tuple(exercises)

    def __str__(self) -> str:
        return "\n".join([self.title, *(f"{k}. {e.problem}" for k, e in enumerate(self.exercises, start=1))])

    def __repr__(self) -> str:
        return f"<Sheet: {self.title}, {len(self.exercises)} exercises>"

    def _repr_html_(self) -> str:
        page = foreign.html(self.html())
        return f'<iframe sandbox title="Sheet" style="width:100%;height:36rem" srcdoc="{page}"></iframe>'

    def html(self) -> str:
        """Return a page of HTML, whose solutions begin on a new page when it is printed."""
        problems = "".join(f'<li>{_question(e)}<div class="sheet-room"></div></li>' for e in self.exercises)
        solutions = "".join(f"<li>{_solution(e)}</li>" for e in self.exercises)
        body = f'{_STYLE % html.STYLE}<ol class="sheet">{problems}</ol>'
        return page(self.title, [("Problems", body), ("Solutions", f'<ol class="sheet">{solutions}</ol>')])

    def latex(self) -> str:
        """Return a LaTeX document; needs amsmath and amssymb."""
        problems = [
            f"\\item {foreign.latex(e.question)}\n\\[ {e.formula_latex} \\]\n\\vspace{{2cm}}" for e in self.exercises
        ]
        solutions = [f"\\item\n{e.steps.latex()}\n\\[ {e.solution_latex} \\]" for e in self.exercises]
        return _LATEX % (foreign.latex(self.title), "\n".join(problems), "\n".join(solutions))

    def moodle(self) -> str:
        """Return the exercises in Moodle's XML, as multiple-choice questions with the expected slips and hints."""
        return quiz(self.exercises, stack=False)

    def stack(self) -> str:
        """Return the exercises in Moodle's XML, as questions for STACK, which compares typed answers with the slips.

        Answers that Maxima cannot compare, such as those with matrices, become multiple-choice questions.
        """
        return quiz(self.exercises, stack=True)

    def pdf(self) -> bytes:
        """Return the page as a PDF file, which an installed browser prints.

        Raises:
            MissingExtra: if neither Chromium, Chrome nor Edge is installed.
        """
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            raise MissingExtra(
                "sheet: a PDF file needs a browser, and none is installed. Install Chromium, Chrome or Edge; or save "
                "the sheet as .html or .tex."
            )
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder, "sheet.html"), Path(folder, "sheet.pdf")
            source.write_text(self.html(), encoding="utf-8")
            as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
            command = [browser, "--headless", *as_root, "--disable-gpu", f"--user-data-dir={folder}/profile"]
            command += ["--no-pdf-header-footer", f"--print-to-pdf={target}", source.as_uri()]
            subprocess.run(command, check=True, capture_output=True, timeout=PRINTED_WITHIN)
            return target.read_bytes()

    def save(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the sheet to a file.

        Args:
            path: the file; an existing one is replaced.
            format: "html", "latex", "pdf", "moodle" or "stack"; by default that of the suffix: .html, .tex, .pdf, or
                .xml for Moodle.

        Raises:
            ArgumentError: if the format is unknown.
        """
        file = path_of(path, "sheet")
        writers: dict[str, Callable[[], str | bytes]] = {
            "html": self.html, "latex": self.latex, "moodle": self.moodle, "pdf": self.pdf, "stack": self.stack,
        }  # fmt: skip
        endings = {".html": "html", ".htm": "html", ".tex": "latex", ".pdf": "pdf", ".xml": "moodle"}
        chosen = endings.get(file.suffix.lower()) if format is None else format
        if chosen not in writers:
            raise ArgumentError(
                f"sheet: no format for {file.name if format is None else format!r}. Expected .html, .tex, .pdf, .xml, "
                f"or format= one of {', '.join(writers)}."
            )
        replace_files({file: writers[chosen]()})


def _question(e: Exercise) -> str:
    return f'<p>{foreign.html(e.question)}</p><div class="formula">{e.formula_mathml}</div>'


def _solution(e: Exercise) -> str:
    lines = html.body([line for line in e.steps.lines if line.kind != "title"])
    return f'<div class="symgrad-steps">{lines}</div>'


@checked
def sheet(topics: str | Sequence[str], level: int = 1, seed: int = 0, count: int = 10) -> Sheet:
    """Return a sheet of exercises, no two of them alike; the same one for the same arguments.

    Args:
        topics: one of ``symgrad.teach.TOPICS``, such as "chain", or several, which share the sheet evenly.
        level: 1, 2 or 3.
        seed: a number that selects another sheet of the same kind.
        count: the number of exercises.

    Returns:
        A ``Sheet``: print it, ``save`` it as HTML, LaTeX or PDF, or export it to Moodle and STACK.

    Raises:
        ArgumentError: if the topic or the level is unknown, or the topics have too few different exercises.

    >>> print(sg.sheet(["product", "chain"], level=1, count=2))
    Exercises: product, chain, level 1
    1. Find the derivative of f = x^4*exp(x) with respect to x.
    2. Find the derivative of f = log(6 - x) with respect to x.
    """
    names = [topics] if isinstance(topics, str) else list(topics)
    if not names or not 1 <= count <= MOST:
        raise ArgumentError(
            f"sheet: got topics={names!r}, count={count!r}. Expected topics, and count from 1 to {MOST}."
        )
    chosen: list[Exercise] = []
    seen: set[str] = set()
    for k, name in enumerate(names):
        share = count // len(names) + (k < count % len(names))
        for e in exercises(name, level, seed, MOST) if share else ():
            if share and kind_of(e.task) not in seen:
                seen.add(kind_of(e.task))
                chosen.append(e)
                share -= 1
    if len(chosen) < count:
        raise ArgumentError(
            f"sheet: {', '.join(names)} at level {level} has {len(chosen)} exercises that differ, got count={count}. "
            "Ask for fewer, or name more topics."
        )
    topics_used = ", ".join(dict.fromkeys(e.topic for e in chosen))
    return Sheet(f"Exercises: {topics_used}, level {level}", chosen)


check_methods(Sheet)
