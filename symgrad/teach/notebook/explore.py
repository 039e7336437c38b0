"""``sg.explore``: a formula with its derivative, a slider that moves the tangent, and the steps; without a server."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from symgrad.errors import ArgumentError
from symgrad.expression.arguments import text_of_names
from symgrad.forms.derive import derive, expression
from symgrad.support import foreign
from symgrad.support.arguments import check_methods, checked
from symgrad.support.extras import is_installed, required
from symgrad.support.files import path_of, replace_files
from symgrad.support.lazy import cached_property
from symgrad.teach.board.line import Equation
from symgrad.teach.explanation import explain
from symgrad.teach.pictures.samples import limits
from symgrad.teach.steps.prime import Prime
from symgrad.teach.writing import html
from symgrad.teach.writing.page import SCRIPTED, document
from symgrad.tensors.creation import symbol

POINTS = 401
_SCRIPT = Path(__file__).with_name("explorer.js")
_STYLE = """
.symgrad-explore { max-width: 42rem; font-family: system-ui, sans-serif; color: inherit; }
.symgrad-explore .formula { overflow-x: auto; font-size: 1.15em; padding: 0.3em 0; }
.symgrad-explore .formula p { margin: 0.6em 0; padding-left: 0.7em; border-left: 4px solid #2f7ed8; }
.symgrad-explore .formula p + p { border-left: 4px dashed #c8553d; }
.symgrad-explore svg { width: 100%; height: auto; display: block; }
.symgrad-explore svg text { font-size: 12px; fill: currentColor; opacity: 0.7; }
.symgrad-explore path, .symgrad-explore line { fill: none; stroke: currentColor; }
.symgrad-explore .axis { opacity: 0.5; }
.symgrad-explore .grid { opacity: 0.12; }
.symgrad-explore path.f { stroke: #2f7ed8; stroke-width: 2.5; }
.symgrad-explore path.slope { stroke: #c8553d; stroke-width: 1.5; stroke-dasharray: 5 4; }
.symgrad-explore line.tangent { stroke: #3a9d5d; stroke-width: 2; }
.symgrad-explore .point { fill: #3a9d5d; }
.symgrad-explore input { width: 100%; }
@media (max-width: 40rem) { .symgrad-explore svg text { font-size: 19px; } }
.symgrad-explore output { display: block; font-variant-numeric: tabular-nums; white-space: pre-wrap; }
"""


class Exploration:
    """A formula of one number and its derivative, to be displayed in a notebook or a browser.

    Attributes:
        formula: the formula as text.
        data: the contents of the widget: MathML, points, values, slopes, and the steps.
    """

    def __init__(self, formula: str, over: tuple[float, float]) -> None:
        given = text_of_names(formula, {})
        if len(given.names) != 1:
            names = ", ".join(given.names) or "none"
            raise ArgumentError(f"explore: expected a formula of one number. Got {formula!r} with the names {names}.")
        self.formula, self.over, self.name = formula, over, given.names[0]

    def __repr__(self) -> str:
        return f"<Exploration: {self.formula} for {self.name} from {self.over[0]:g} to {self.over[1]:g}>"

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the widget shows, as JSON has it."""
        x = symbol(self.name)
        y = text_of_names(self.formula, {})(x)
        value, slope = expression(y), derive(y, x)
        xs = np.linspace(*self.over, POINTS)
        rows = np.array([_values(form, self.name, xs) for form in (value, slope)])
        if not np.isfinite(rows[0]).any():
            raise ArgumentError(f"explore: {self.formula!r} has no values over {self.over}. Pass another over=.")
        steps = explain(y, x)
        return {
            "name": self.name,
            "label": f"{self.formula} and its derivative",
            "formula": _equations(self.name, value, slope),
            "steps": html.html(steps.lines),
            "xs": xs.tolist(),
            "rows": [[v if math.isfinite(v) else None for v in row] for row in rows.tolist()],
            "limits": list(limits(rows)),
            "start": int(np.flatnonzero(np.isfinite(rows).all(axis=0))[POINTS // 3 :][:1].sum()),
        }

    @property
    def widget(self) -> Any:
        """The widget for Jupyter.

        Raises:
            MissingExtra: if the extra ``notebook``, which contains anywidget, is not installed.
        """
        anywidget = required("explore", "notebook", "anywidget")
        traitlets = required("explore", "notebook", "traitlets")
        members = {"_esm": _SCRIPT.read_text("utf-8"), "_css": _STYLE, "data": traitlets.Dict().tag(sync=True)}
        return type("Explorer", (anywidget.AnyWidget,), members)(data=self.data)

    def html(self) -> str:
        """Return a page that shows the same in a browser, without a server."""
        data = foreign.json_in_html(json.dumps(self.data))
        script = _SCRIPT.read_text("utf-8").replace("export default { render };", "")
        start = f"render({{ model: {{ get: () => ({data}) }}, el: document.body }});"
        body = f'<script type="module">\n{script}\n{start}\n</script>'
        return document(self.formula, body, _STYLE, SCRIPTED)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        replace_files({path_of(path, "explore"): self.html()})

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Show the widget where anywidget is installed, else the page in a frame of its own."""
        if is_installed("notebook"):
            return self.widget._repr_mimebundle_(**options)
        page = foreign.html(self.html())
        frame = "width:100%;height:38rem;border:0"
        return {
            "text/plain": repr(self),
            "text/html": f'<iframe sandbox="allow-scripts" title="Explorer" style="{frame}" srcdoc="{page}"></iframe>',
        }


def _values(form: Any, name: str, xs: Any) -> Any:
    """Return a form's values at points; a constant has no arguments."""
    at = form.lambdify()
    with np.errstate(all="ignore"):
        return np.array([float(at(**({name: float(x)} if form.args else {}))) for x in xs])


def _equations(name: str, value: Any, slope: Any) -> str:
    """Return f(x) = … and f′(x) = … in MathML."""
    f = sp.Function("f")(sp.Symbol(name))
    pairs = ((f, value), (Prime.of(f), slope))
    return " ".join(f"<p>{html.mathml(Equation((left, form.body)))}</p>" for left, form in pairs)


@checked
def explore(formula: str, over: tuple[float, float] = (-3.0, 3.0)) -> Exploration:
    """Return an interactive page of a formula and its derivative, with a slider that moves the tangent, and the steps.

    A notebook shows it as a widget if the extra ``symgrad[notebook]`` is installed, and otherwise as a page in a frame.

    Args:
        formula: of one number, as text.
        over: the ends of the interval.

    Returns:
        An ``Exploration``: show it in a notebook, or ``save`` it as a page.

    Raises:
        ArgumentError: if the formula has several names, or no values over the interval.

    >>> sg.explore("x**2*sin(x)")
    <Exploration: x**2*sin(x) for x from -3 to 3>
    """
    low, high = map(float, over)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ArgumentError(f"explore: got over={over!r}. Expected two numbers, the lower one first.")
    return Exploration(formula, (low, high))


check_methods(Exploration)
