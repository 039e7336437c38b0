"""Exercises as questions in Moodle's XML: of several choices, or for STACK, with the slips' hints as feedback.

Source: Moodle's documentation of its XML format, and the files that STACK exports (stackversion 2020 and later).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from xml.etree import ElementTree

from symgrad.errors import SymgradError
from symgrad.expression.formula import Binary, Call, Constant, List, Name, Unary, walk
from symgrad.expression.printer import typed
from symgrad.support import foreign
from symgrad.support.foreign import latex_in_html
from symgrad.teach.answers.exercises import Exercise

_FUNCTIONS = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "log",
    "sqrt", "abs",
)  # fmt: skip
_MAXIMA = {
    **{name: name for name in _FUNCTIONS},
    "sign": "signum", "pi": "%pi", "e": "%e", "E": "%e",
}  # fmt: skip
_STACK = {
    "questionsimplify": "1", "assumepositive": "0", "assumereal": "1", "multiplicationsign": "dot", "sqrtsign": "1",
    "complexno": "i", "inversetrig": "cos-1", "logicsymbol": "lang", "matrixparens": "[", "variantsselectionseed": "",
}  # fmt: skip
_INPUT = {
    "boxsize": "30", "strictsyntax": "1", "insertstars": "1", "syntaxhint": "", "syntaxattribute": "0",
    "forbidwords": "diff", "allowwords": "", "forbidfloat": "1", "requirelowestterms": "0", "checkanswertype": "0",
    "mustverify": "1", "showvalidation": "1", "options": "",
}  # fmt: skip


def quiz(exercises: Iterable[Exercise], stack: bool) -> str:
    """Return a quiz in Moodle's XML, with a category for each topic."""
    root = ElementTree.Element("quiz")
    number = 0
    for topic, several in groupby(exercises, key=lambda e: e.topic):
        category = ElementTree.SubElement(root, "question", type="category")
        _text(ElementTree.SubElement(category, "category"), f"$course$/top/symgrad/{topic}")
        for e in several:
            number += 1
            answers = _in_maxima(e) if stack else None
            if answers is not None:
                _stack_question(root, e, number, answers)
            else:
                _choices(root, e, number)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


# ------------------------------------------------------------------ parts of all questions
def _text(parent: ElementTree.Element, text: str) -> None:
    ElementTree.SubElement(parent, "text").text = foreign.printable(text)


def _html(parent: ElementTree.Element, tag: str, text: str) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, tag, format="html")
    _text(element, text)
    return element


def _values(parent: ElementTree.Element, values: Mapping[str, str]) -> None:
    for tag, value in values.items():
        ElementTree.SubElement(parent, tag).text = value


def _formula(latex: str, block: bool = False) -> str:
    """Return LaTeX between the delimiters that Moodle's filters know; [[ would be a block of STACK's."""
    escaped = latex_in_html(latex).replace("[[", "[ [")
    return rf"\[ {escaped} \]" if block else rf"\( {escaped} \)"


def _question(root: ElementTree.Element, kind: str, e: Exercise, number: int, more: str = "") -> ElementTree.Element:
    """Return a question with its name, its text and its solution."""
    question = ElementTree.SubElement(root, "question", type=kind)
    _text(ElementTree.SubElement(question, "name"), f"{e.topic}-{e.level}-{number:03}")
    _html(question, "questiontext", f"<p>{foreign.html(e.question)}</p><p>{_formula(e.formula_latex, True)}</p>{more}")
    steps = "".join(f"<li>{foreign.html(hint)}</li>" for hint in e.hints)
    _html(question, "generalfeedback", f"<ol>{steps}</ol><p>{_formula(e.solution_latex, True)}</p>")
    _values(question, {"defaultgrade": "1", "penalty": "0.1", "hidden": "0", "idnumber": ""})
    return question


# ------------------------------------------------------------------ several choices
def _choices(root: ElementTree.Element, e: Exercise, number: int) -> None:
    question = _question(root, "multichoice", e, number)
    _values(question, {"single": "true", "shuffleanswers": "true", "answernumbering": "abc"})
    for tag, said in _VERDICTS.items():
        _html(question, f"{tag}feedback", f"<p>{said}</p>")
    _choice(question, "100", e.solution_latex, "")
    for slip in e.slips:
        _choice(question, "0", slip.latex, slip.hint)


_VERDICTS = {
    "correct": "This is right.",
    "partiallycorrect": "This is right in part.",
    "incorrect": "This is not the derivative.",
}


def _choice(question: ElementTree.Element, fraction: str, latex: str, hint: str) -> None:
    answer = ElementTree.SubElement(question, "answer", fraction=fraction, format="html")
    _text(answer, f"<p>{_formula(latex)}</p>")
    _html(answer, "feedback", f"<p>{foreign.html(hint)}</p>" if hint else "")


# ------------------------------------------------------------------ STACK
def _stack_question(root: ElementTree.Element, e: Exercise, number: int, answers: list[tuple[str, str, str]]) -> None:
    """Write a question whose tree of potential responses compares an answer with the solution, then with each slip."""
    question = _question(root, "stack", e, number, "<p>[[input:ans1]] [[validation:ans1]]</p>")
    _text(ElementTree.SubElement(question, "stackversion"), "")
    _text(ElementTree.SubElement(question, "questionvariables"), f"ta1: {answers[0][1]};")
    _html(question, "specificfeedback", "<p>[[feedback:prt1]]</p>")
    _html(question, "questionnote", _formula(e.formula_latex))
    _values(question, _STACK)
    for tag, said in _VERDICTS.items():
        _html(question, f"prt{tag}", f"<p>{said}</p>")
    entry = ElementTree.SubElement(question, "input")
    _values(entry, {"name": "ans1", "type": "algebraic", "tans": "ta1", **_INPUT})
    tree = ElementTree.SubElement(question, "prt")
    _values(tree, {"name": "prt1", "value": "1.0000000", "autosimplify": "1", "feedbackstyle": "1"})
    _text(ElementTree.SubElement(tree, "feedbackvariables"), "")
    for k in range(len(answers)):
        _node(tree, k, answers)


def _node(tree: ElementTree.Element, k: int, answers: list[tuple[str, str, str]]) -> None:
    name, formula, hint = answers[k]
    following = str(k + 1) if k + 1 < len(answers) else "-1"
    node = ElementTree.SubElement(tree, "node")
    _values(node, {"name": str(k), "description": name, "answertest": "AlgEquiv", "sans": "ans1", "tans": formula})
    _values(node, {"testoptions": "", "quiet": "1"})
    for branch, score, after in (("true", "0" if k else "1", "-1"), ("false", "0", following)):
        mark = branch[0].upper()
        _values(node, {f"{branch}scoremode": "=", f"{branch}score": score, f"{branch}penalty": ""})
        _values(node, {f"{branch}nextnode": after, f"{branch}answernote": f"prt1-{k}-{mark}"})
        said = f"<p>{foreign.html(hint)}</p>" if branch == "true" and hint else ""
        _html(node, f"{branch}feedback", said)


def _in_maxima(e: Exercise) -> list[tuple[str, str, str]] | None:
    """Return the solution and the slips as Maxima writes them, with names and hints; None where Maxima has no word.

    On a curve a right answer may use the equation, which Maxima does not know: there is no formula to compare with.
    """
    if e.shapes or e.is_curve:
        return None
    solution = _maxima(e, e.answer)
    if solution is None:
        return None
    slips = [(s.name, _maxima(e, s.answer), s.hint) for s in e.slips]
    return [("solution", solution, ""), *((name, text, hint) for name, text, hint in slips if text is not None)]


def _maxima(e: Exercise, answer: str) -> str | None:
    """Return an answer in Maxima's words; None where it has a function or a structure that Maxima has no word for."""
    try:
        tree = e.read(answer)
    except SymgradError:
        return None
    for node in walk(tree):
        unknown = isinstance(node, Call) and not (isinstance(node.func, Name) and node.func.id in _MAXIMA)
        if unknown or not isinstance(node, (Binary, Call, Constant, List, Name, Unary)):
            return None
    return re.sub(r"[A-Za-z]\w*", lambda m: _MAXIMA.get(m[0], m[0]), typed(tree))
