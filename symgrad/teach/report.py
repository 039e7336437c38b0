"""``sg.report``: formula, steps, graph, values, cross-check and source of one derivative on one page of HTML.

The page is one file without scripts; its policy forbids them as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symgrad.core.node import AnyNode, Leaf, evaluate
from symgrad.engine.record import as_tensor
from symgrad.errors import SymgradError
from symgrad.exports import export
from symgrad.forms.closed import ClosedForm
from symgrad.support import foreign
from symgrad.support.arguments import checked
from symgrad.support.files import replace_files
from symgrad.support.progress import long_work
from symgrad.teach.board.line import Equation
from symgrad.teach.calls import check_number, output_of
from symgrad.teach.explanation import Explanation
from symgrad.teach.pictures.picture import graph
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.lines import equation
from symgrad.teach.steps.steps import Derivation
from symgrad.teach.steps.tape import Tape
from symgrad.teach.steps.unicode_text import number, sizes, unicode_text
from symgrad.teach.writing import html
from symgrad.teach.writing.page import page
from symgrad.tensors.tensor import Tensor
from symgrad.testing import crosscheck

MANY = 400  # entries of leaves that are moved one by one for the cross-check
NARROW = 60  # signs of a formula in a heading
STEPS = 250  # nodes of a graph whose steps anybody reads


def _sections(
    parts: Mapping[str, Callable[[Derivation], str]], derivation: Derivation, progress: bool
) -> list[tuple[str, str]]:
    """Return the parts of a page by name, and tell of long work."""
    sections = []
    with long_work("report", len(parts), shown=progress) as work:
        for name, part in parts.items():
            work.note = name
            sections.append((name, part(derivation)))
            work.step()
    return sections


@checked
def report(
    y: Tensor | Callable[..., Any],
    wrt: Any = None,
    *,
    at: Any = None,
    path: str | Path | None = "report.html",
    title: str | None = None,
    progress: bool = True,
) -> Report:
    """Write one page about dy/dwrt: formula, steps, graph, values, cross-check, and source for NumPy.

    Args:
        y: a scalar tensor with a graph; or a function, which is called with the numbers ``at``, or with symbols.
        wrt: the tensor to differentiate with respect to, or a list of tensors; for a function, the names of its
            parameters. An ``nn.Module`` stands for its parameters, which are called W1, b1, ….
        at: the argument of the function, or a tuple of arguments.
        path: the file; an existing one is replaced once the new page is complete. With None, no file is written.
        title: the title of the page; by default the formula of y.
        progress: whether to report the progress of long work, on a terminal or in a notebook.

    Returns:
        A ``Report`` with the attributes ``page``, the HTML text, and ``path``, the file that contains it.

    Raises:
        ShapeError: if y is an array.
        GraphError: if y has no graph, or does not depend on wrt.
        OSError: if the file cannot be written.

    >>> found = sg.report(lambda x: sg.sin(x) * x, at=2.0, path=None)
    >>> found.page.startswith("<!DOCTYPE html>")
    True
    """
    y, wrt = output_of("report", y, wrt, at)
    check_number("report", y)
    tape = Tape(y)
    derivation = Derivation(tape, tape.targets(wrt), None)
    parts: dict[str, Callable[[Derivation], str]] = {
        "Formula": _formula,
        "Steps": _steps,
        "Graph": lambda _: f'<div class="wide" tabindex="0">{_picture(y, wrt, tape)}</div>',
        "Values": _values,
        "Cross-check": _crosscheck,
        "Source": _source,
    }
    sections = _sections(parts, derivation, progress)
    heading = title or _heading(derivation)
    text = page(foreign.printable(heading), [(name, body) for name, body in sections if body])
    file = None if path is None else Path(path)
    return Report(text, file, Explanation(derivation), file is not None and bool(replace_files({file: text})))


def _picture(y: Any, wrt: Any, tape: Tape) -> str:
    return str(graph(y, adjoints=len(tape.nodes) <= STEPS, wrt=wrt).to_svg())


def _heading(derivation: Derivation) -> str:
    """Name the function, by its formula where that is short, and what it is differentiated with respect to."""
    whole, tape = brief(_whole(derivation)), derivation.tape
    said = "" if whole is None else unicode_text(whole)
    of = said if 0 < len(said) <= NARROW else tape.names[tape.root]
    return f"The derivative of {of} with respect to {', '.join(tape.names[t] for t in derivation.targets)}"


class Report:
    """A page about a derivative.

    Attributes:
        page: the page, in HTML.
        path: the file that it was written to, or None.
        explanation: the steps, as ``sg.explain`` returns them.
        replaced: whether an existing file was replaced.
    """

    def __init__(self, text: str, path: Path | None, explanation: Explanation, replaced: bool = False) -> None:
        self.page, self.path, self.explanation, self.replaced = text, path, explanation, replaced

    def __repr__(self) -> str:
        told = ", in place of an older file" if self.replaced else ""
        return f"<Report: {self.path or 'not written to a file'}{told}>"

    def _repr_html_(self) -> str:
        frame = "width:100%;height:36rem;border:1px solid rgba(128,128,128,0.5)"
        return f'<iframe sandbox title="Report" style="{frame}" srcdoc="{foreign.html(self.page)}"></iframe>'


def _whole(derivation: Derivation) -> Any:
    return ClosedForm(derivation.tape.root, [derivation.tape.root], check=False)


# ------------------------------------------------------------------ sections
def _formula(derivation: Derivation) -> str:
    """Return the closed forms, with the names in them where they are long."""
    tape = derivation.tape
    paragraphs = []
    for target, form in zip(derivation.targets, derivation.forms, strict=True):
        shown = brief(form)
        equal = equation(tape.adjoint(target), [form.body if shown is None else shown])
        paragraphs.append(f'<p class="formula" tabindex="0">{html.mathml(equal)}</p>')
        names = [] if shown is not None else form.where
        paragraphs.extend(f"<p>where {html.mathml(Equation((d.name, d.expr)))}</p>" for d in reversed(names))
    return "".join(paragraphs)


def _steps(derivation: Derivation) -> str:
    if len(derivation.tape.nodes) > STEPS:
        return f"<p>{len(derivation.tape.nodes)} operations are more than anybody reads.</p>"
    return html.html([line for line in Explanation(derivation).lines if line.kind != "title"])


def _values(derivation: Derivation) -> str:
    """Return a table of the leaves, the output and the derivatives."""
    tape, rows = derivation.tape, []
    derivatives = dict(zip(derivation.targets, derivation.forms, strict=True))
    for node, value in zip(tape.nodes, tape.values(tape.nodes), strict=True):
        if isinstance(node, Leaf) or node is tape.root or node in derivatives:
            rows.append([html.mathml(Equation((tape.symbol(node),))), node, value])
    rows += [[html.mathml(Equation((tape.adjoint(n),))), n, derivation.value(f._root)] for n, f in derivatives.items()]
    cells = [
        (name, foreign.html(sizes(n.shape)), "not known" if v is None else foreign.html(number(v)))
        for name, n, v in rows
    ]
    return table(("name", "shape", "value"), cells)


def _told(value: Any) -> str:
    return "not known" if value is None else number(value)


def _crosscheck(derivation: Derivation) -> str:
    """Return what all readings of the derivative say, where there are numbers to read."""
    tape = derivation.tape
    points = tape.values(list(derivation.targets))
    if any(v is None for v in points):
        return "<p>There are no numbers to check the formulas with: the leaves are symbols without values.</p>"
    if sum(np.size(v) for v in points) > MANY:
        return f"<p>More than {MANY} entries: use <code>sg.testing.crosscheck</code>.</p>"
    checked = crosscheck(_again(tape, derivation.targets), *points, raise_exception=False)
    rows = []
    for w in checked.witnesses:
        name = html.mathml(Equation((tape.adjoint(derivation.targets[w.input]),)))
        _, found_by, error, _, verdict = map(foreign.html, w.cells())
        rows.append((name, found_by, verdict, error))
    verdict = "All readings of the derivative agree." if checked.ok else "The readings of the derivative disagree."
    return f"<p>{verdict}</p>{table(('derivative', 'found by', 'verdict', 'error'), rows)}"


def _again(tape: Tape, targets: Sequence[AnyNode]) -> Callable[..., Any]:
    """Return the graph as a function of the targets."""

    def f(*xs: Any) -> Any:
        (y,) = evaluate([tape.root], {id(t): x for t, x in zip(targets, xs, strict=True)})
        return as_tensor(y)

    return f


def _source(derivation: Derivation) -> str:
    parts = []
    for target, form in zip(derivation.targets, derivation.forms, strict=True):
        try:
            text = export(form, target="numpy", name="derivative")
        except SymgradError as error:
            parts.append(
                f"<p>{html.mathml(Equation((derivation.tape.adjoint(target),)))}: {foreign.html(str(error))}</p>"
            )
            continue
        parts.append(f'<pre tabindex="0"><code>{foreign.html(text)}</code></pre>')
    return "".join(parts)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already."""
    top = "".join(f"<th>{h}</th>" for h in head)
    body = "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in rows)
    return f'<div class="wide" tabindex="0"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


__all__ = ["Report", "report"]
