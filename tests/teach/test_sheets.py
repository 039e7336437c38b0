"""``sg.sheet``: pages whose solutions stand apart, LaTeX, PDF, and questions as Moodle and STACK import them."""

import shutil
import subprocess
from xml.etree import ElementTree

import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, MissingExtra
from symgrad.teach.answers.exercises import Exercise
from symgrad.teach.answers.topics import Task
from symgrad.teach.sheets.sheet import BROWSERS, Sheet
from tests.shared.browser import in_a_browser

# what Moodle's import reads of every question, of one with choices, and of STACK's; as their exports have it
OF_ALL = ["name/text", "questiontext/text", "generalfeedback/text", "defaultgrade", "penalty", "hidden"]
OF_CHOICES = ["single", "shuffleanswers", "answernumbering", "correctfeedback/text", "incorrectfeedback/text"]
OF_STACK = [
    "stackversion/text", "questionvariables/text", "specificfeedback/text", "questionnote/text", "questionsimplify",
    "assumepositive", "assumereal", "prtcorrect/text", "prtpartiallycorrect/text", "prtincorrect/text",
    "multiplicationsign", "sqrtsign", "complexno", "inversetrig", "logicsymbol", "matrixparens",
    "input/name", "input/type", "input/tans", "input/boxsize", "input/strictsyntax", "input/insertstars",
    "input/forbidwords", "input/forbidfloat", "input/mustverify", "input/showvalidation", "input/options",
    "prt/name", "prt/value", "prt/autosimplify", "prt/feedbackvariables/text", "prt/node",
]  # fmt: skip
OF_NODES = ["name", "answertest", "sans", "tans", "testoptions", "quiet"] + [
    f"{branch}{part}"
    for branch in ("true", "false")
    for part in ("scoremode", "score", "penalty", "nextnode", "answernote", "feedback/text")
]


@pytest.fixture(scope="module")
def sheet():
    return sg.sheet(["chain", "implicit", "gradient", "trace", "absolute-value"], level=2, seed=1, count=5)


def questions(xml):
    root = ElementTree.fromstring(xml)
    assert root.tag == "quiz"
    return root.findall("question")


def test_a_sheet_says_each_problem_once_and_its_solutions_apart(sheet):
    page = sheet.html()
    problems, solutions = page.split("<h2>Solutions</h2>")
    assert problems.count("<li>") == solutions.count("<li>") == 5
    assert "break-before: page" in page
    assert problems.count("Find the derivative with respect to x.") == 2
    assert len(str(sheet).splitlines()) == 6


def test_topics_share_a_sheet_evenly_and_no_two_exercises_are_alike():
    sheet = sg.sheet(["chain", "nested-chain", "product"], level=2, seed=4, count=20)
    topics = [e.topic for e in sheet.exercises]
    assert [topics.count(t) for t in ("chain", "nested-chain", "product")] == [7, 7, 6]
    assert [e.of for e in sheet.exercises] == [e.of for e in sg.sheet(list(dict.fromkeys(topics)), 2, 4, 20).exercises]


def test_a_sheet_that_cannot_be_made_is_refused():
    with pytest.raises(ArgumentError, match="the topic 'chian' is unknown"):
        sg.sheet("chian")
    with pytest.raises(ArgumentError, match="count=0"):
        sg.sheet("chain", count=0)
    with pytest.raises(ArgumentError, match="differ, got count=100"):
        sg.sheet("chain", count=100)
    with pytest.raises(ArgumentError, match=r"sheet: got topics=\[\]"):
        sg.sheet([])
    with pytest.raises(ArgumentError, match=r"no format for 'sheet\.docx'"):
        sg.sheet("chain", count=1).save("sheet.docx")
    with pytest.raises(ArgumentError, match="no format for 'word'"):
        sg.sheet("chain", count=1).save("sheet.pdf", format="word")


def test_questions_have_what_moodle_reads(sheet):
    kinds = [q.get("type") for q in questions(sheet.moodle())]
    assert kinds == ["category", "multichoice"] * 5
    for q in questions(sheet.moodle()):
        if q.get("type") == "category":
            assert q.findtext("category/text").startswith("$course$/top/symgrad/")
            continue
        assert all(q.find(path) is not None for path in [*OF_ALL, *OF_CHOICES])
        answers = q.findall("answer")
        assert [a.get("fraction") for a in answers] == ["100", *["0"] * (len(answers) - 1)]
        assert len({a.findtext("text") for a in answers}) == len(answers) > 1
        assert all(a.findtext("feedback/text") for a in answers[1:])


def test_questions_for_stack_compare_with_the_solution_and_then_with_each_slip(sheet):
    made = questions(sheet.stack())
    assert [q.get("type") for q in made if q.get("type") != "category"] == [
        "stack", "multichoice", "stack", "multichoice", "stack",
    ]  # fmt: skip
    for q, e in zip([q for q in made if q.get("type") != "category"], sheet.exercises, strict=True):
        if q.get("type") != "stack":
            continue
        assert [path for path in [*OF_ALL, *OF_STACK] if q.find(path) is None] == []
        nodes = q.findall("prt/node")
        assert len(nodes) == 1 + len(e.slips)
        for k, node in enumerate(nodes):
            assert [path for path in OF_NODES if node.find(path) is None] == []
            assert node.findtext("falsenextnode") == (str(k + 1) if k + 1 < len(nodes) else "-1")
            assert node.findtext("truescore") == ("0" if k else "1")
        assert "[[input:ans1]]" in q.findtext("questiontext/text")
        assert e.grade(nodes[0].findtext("tans").replace("%", "").replace("signum", "sign")).right


def test_hostile_formulas_stay_text():
    e = Exercise("<b>&'\"]]>", 1, Task("x**2"))
    for xml in (Sheet("</title><script>", [e]).moodle(), Sheet("t", [e]).stack()):
        category, question = questions(xml)
        assert category.findtext("category/text").endswith("<b>&'\"]]>")
        assert question.findtext("name/text").startswith("<b>&'")
    assert "<script>" not in Sheet("</title><script>", [e]).html()
    assert r"\textless" in Sheet("<", [e]).latex() or "$<$" in Sheet("<", [e]).latex()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX to set the sheet with")
def test_latex_compiles(sheet, tmp_path):
    sheet.save(tmp_path / "sheet.tex")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "sheet.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:]


def test_latex_has_its_solutions_on_a_page_of_their_own(sheet):
    problems, solutions = sheet.latex().split(r"\newpage")
    assert problems.count(r"\item ") == solutions.count("\\item\n") == 5


@in_a_browser
def test_a_browser_prints_the_sheet(tmp_path):
    sg.sheet("polynomials", count=1).save(tmp_path / "sheet.pdf")
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF")


def test_without_a_browser_there_is_no_pdf(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert BROWSERS
    with pytest.raises(MissingExtra, match="Install Chromium"):
        sg.sheet("polynomials", count=1).pdf()


def test_a_sheet_shows_itself_in_a_notebook():
    made = sg.sheet("polynomials", count=1)
    assert repr(made) == "<Sheet: Exercises: polynomials, level 1, 1 exercises>"
    assert made._repr_html_().startswith("<iframe sandbox")
