"""What a page may ask for: one function a job, from what was sent to what is shown.

Each is called in a worker process. Nothing is computed here: ``sg.parse``, ``derive``, ``explain``, ``study``,
``graph``, ``export``, ``grade``, ``exercises`` and the cross-check do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from symgrad.core.printing import LOGARITHMS, logarithm_called, options
from symgrad.errors import ArgumentError, ParseError, SymgradError
from symgrad.forms import derive
from symgrad.forms.closed import ClosedForm
from symgrad.forms.nodes import printers
from symgrad.forms.nodes.printers import mathml
from symgrad.support.foreign import printable
from symgrad.teach import explain, graph
from symgrad.teach.explanation import STYLES
from symgrad.teach.writing.preview import preview
from symgrad.tensors.creation import symbol
from symgrad.web import equations, numbers, practice, sources, studies
from symgrad.web.equations import equation_of
from symgrad.web.exercise import Exercise, read
from symgrad.web.lines import lines

NOTATIONS = ("matrix", "index", "entries", "where")
MOST_SHOWN = 20_000  # characters of one formula
Answer = dict[str, Any]


def look(data: Mapping[str, Any]) -> Answer:
    """What was typed as mathematics, with what its names stand for."""
    if (equation := equation_of(data.get("exercise"))) is not None:
        return equations.look(equation)
    exercise = read(data.get("exercise"))
    formula = exercise.parsed()
    names = {
        name: {
            "kind": n.kind,
            "shape": [str(s) for s in n.shape],
            "assume": n.said(),
            "guessed": n.guess is not None,
            "why": n.guess.why if n.guess is not None else "",
        }
        for name, n in exercise.names.items()
    }
    return {
        "mathml": preview(formula.value),
        "spelling": exercise.spelling,
        "formula": exercise.typed,
        "names": names,
        "constants": formula.constants,
        "wrt": exercise.wrt,
        "shape": _sizes(formula.value.shape),
    }


def _sizes(shape: Any) -> list[str]:
    return [str(n) for n in shape]


# ------------------------------------------------------------------ derivatives
def derivative(data: Mapping[str, Any]) -> Answer:
    """The derivative in each notation that it has."""
    if (equation := equation_of(data.get("exercise"))) is not None:
        return equations.derivative(equation)
    exercise = read(data.get("exercise"))
    form = _form(exercise)
    text = str(form)
    return {
        "notations": {name: _notation(form, name) for name in NOTATIONS},
        "text": text,
        "latex": form.latex(),
        "mathml": form.mathml("where") if " where " in text else form.mathml(),
        "best": _best(form, text),
        "shape": _sizes(form.shape),
        "wrt": exercise.wrt,
        "order": exercise.order,
        "words": _words(exercise, form),
    }


def _form(exercise: Exercise) -> ClosedForm:
    formula = exercise.parsed()
    form = derive(formula, exercise.by(), exercise.order)
    assert isinstance(form, ClosedForm)  # by one name
    return form


def _notation(form: ClosedForm, name: str) -> Answer:
    """Return one notation, or why there is none."""
    try:
        return (
            {"none": "this derivative has no matrix notation"}
            if name == "matrix" and not (form.has_matrix or form._table is not None)
            else _written(form, name)
        )
    except SymgradError as error:
        return {"none": said(error)}


def _written(form: ClosedForm, name: str) -> Answer:
    if name == "entries" and (named := _named_sizes(form)):
        return {"none": f"entries need sizes that are numbers: set {' and '.join(named)} in the table of names"}
    if name == "where":
        if not form.where:
            return {"none": "nothing is used twice, so that no part needs a name"}
        defined = [(d.name, d.expr) for d in reversed(form.where)]
        text = "; ".join(f"{printers.text(n)} = {printers.text(e)}" for n, e in defined)
        return {
            "text": f"{printers.text(form.body)} where {text}", "latex": form.latex("where"),
            "mathml": form.mathml("where"),
        }  # fmt: skip
    expr = getattr(form, name)()
    text = printers.text(expr)
    if len(text) > MOST_SHOWN:
        return {"none": f"{len(text)} characters are more than anybody reads"}
    return {"text": text, "latex": printers.latex(expr), "mathml": mathml(expr)}


def _named_sizes(form: ClosedForm) -> list[str]:
    """Return the sizes of a form and its leaves that are letters."""
    shapes = [form.shape, *(leaf.shape for leaf in form._leaves)]
    return sorted({str(n) for shape in shapes for n in shape if not isinstance(n, int)})


def _best(form: ClosedForm, text: str) -> str:
    """Return the notation that is shown first."""
    if " where " in text:
        return "where"
    return "entries" if form._table is not None else "matrix" if form.has_matrix else "index"


def _words(exercise: Exercise, form: ClosedForm) -> list[str]:
    """Return the remarks to show beside the formula."""
    what = {0: "a number", 1: "a vector", 2: "a matrix"}.get(len(form.shape), f"an array of {len(form.shape)} axes")
    of = " of length " if len(form.shape) == 1 else ", "
    sizes = f"{of}{' × '.join(_sizes(form.shape))}" if form.shape else ""
    words = [f"The derivative with respect to {exercise.wrt} is {what}{sizes}."]
    assumed = [f"{n} is {' and '.join(s.said())}" for n, s in exercise.names.items() if s.assume]
    return [*words, f"It is assumed that {', '.join(assumed)}."] if assumed else words


def steps(data: Mapping[str, Any]) -> Answer:
    """The derivation, line by line."""
    if (equation := equation_of(data.get("exercise"))) is not None:
        return equations.steps(equation)
    exercise = read(data.get("exercise"))
    style = data.get("style") or (data.get("exercise") or {}).get("style")
    if style is not None and style not in STYLES:
        raise ArgumentError(f"style: got {style!r}. Expected one of {', '.join(STYLES)}.")
    if style == "calculus" and any(n.shape for n in exercise.names.values()):
        raise ArgumentError("the calculus style is for functions of numbers; of arrays choose matrix or backprop.")
    formula = exercise.parsed()
    order = exercise.order if style != "backprop" else 1
    y, by = formula.value, formula.leaves[exercise.by()]
    cotangent = symbol("u", y.shape) if style == "backprop" and y.shape else None  # of an array: its product with u
    explanation = explain(y, by, style=style, order=order, cotangent=cotangent, progress=False)
    form = explanation.form
    return {
        "style": explanation.style,
        "steps": lines(explanation),
        "result": {"text": str(form), "mathml": form.mathml()},
    }


def picture(data: Mapping[str, Any]) -> Answer:
    """The graph as a picture."""
    exercise = read(data.get("exercise"))
    formula = exercise.parsed()
    adjoints = "formula" if formula.value.shape == () and data.get("adjoints") is not False else False
    by = [formula.leaves[exercise.wrt]] if exercise.wrt is not None else None
    drawn = graph(formula.value, adjoints=adjoints, wrt=by)
    return {"svg": drawn.to_svg()}


# ------------------------------------------------------------------ answers
JOBS: dict[str, Callable[[Mapping[str, Any]], Answer]] = {
    "look": look,
    "derive": derivative,
    "steps": steps,
    "graph": picture,
    "study": studies.study,
    "several": studies.several,
    "plot": numbers.plot,
    "numbers": numbers.numbers,
    "code": sources.code,
    "topics": practice.topics,
    "problem": practice.problem,
    "hint": practice.hint,
    "grade": practice.answer,
    "sheet": practice.sheet,
}


def answered(request: bytes) -> bytes:
    """Return the answer to a request, both in JSON: ``{"job": …, …}`` to ``{"ok": …, …}``."""
    try:
        data = json.loads(request)
        with logarithm_called(_logarithm(data)):
            answer = {"ok": True, **JOBS[data["job"]](data)}
    except MemoryError:
        answer = failed(
            "memory", "this takes more memory than one request may have. Give smaller sizes, or fewer names."
        )
    except SymgradError as error:
        answer = failed("input", said(error), error.place if isinstance(error, ParseError) else None)
    except RecursionError:
        answer = failed("input", "the formula is nested too deep. Name its parts.")
    except Exception as error:  # of any kind: an answer is due, and the worker goes on
        answer = failed("input", f"this cannot be computed ({type(error).__name__}). Try a simpler formula.")
    return json.dumps(answer, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def _logarithm(data: Mapping[str, Any]) -> str:
    """Return what a request calls the natural logarithm."""
    word: Any = data.get("logarithm", options.logarithm)
    if word not in LOGARITHMS:
        raise ArgumentError(f"logarithm: got {str(word)[:40]!r}. Expected {' or '.join(LOGARITHMS)}.")
    return str(word)


def failed(kind: str, what: str, at: tuple[int, int] | None = None) -> Answer:
    """Return the answer to what has none."""
    return {"ok": False, "error": {"kind": kind, "what": what, "at": None if at is None else list(at)}}


def said(error: Exception) -> str:
    """Return what an error says, for a page: without the name of a function that nobody called, and no picture."""
    text = getattr(error, "reason", None) or str(error).split("\n  ")[0]
    head, colon, rest = text.partition(": ")
    if colon and (head.isidentifier() or head.endswith("Error")):
        text = rest
    return " ".join(printable(text).split())
