"""``sg.sheet``: pages whose solutions stand apart, LaTeX, PDF, and questions as Moodle and STACK import them."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import symgrad as sg
from symgrad.errors import ArgumentError, MissingExtra
from symgrad.teach.answers.exercises import Exercise
from symgrad.teach.answers.topics import TOPICS, Task
from symgrad.teach.sheets.sheet import BROWSERS, Sheet
from tests.shared.browser import in_a_browser

# Moodle publishes no schema of its XML. These are the elements that its importer (question/format/xml/format.php) and
# STACK's (questiontype.php) look up, each with the pattern of its text or the elements in it. A name with * may be
# repeated.
TEXT = {"text": r"(?s).*"}
NUMBER, FLAG = r"\d+(\.\d+)?", "[01]"
ANSWER = {"text": r"(?s).+", "feedback": TEXT}
HEAD = {
    "name": {"text": r"\S.*"}, "questiontext": {"text": r"(?s).+"}, "generalfeedback": TEXT, "defaultgrade": NUMBER,
    "penalty": NUMBER, "hidden": FLAG, "idnumber": "",
}  # fmt: skip
CHOICES = {
    **HEAD, "single": "true|false", "shuffleanswers": "true|false", "answernumbering": "none|abc|ABCD|123|iii|IIII",
    "correctfeedback": TEXT, "partiallycorrectfeedback": TEXT, "incorrectfeedback": TEXT, "answer*": ANSWER,
}  # fmt: skip
NODE = {
    "name": r"\d+", "description": ".*", "answertest": "AlgEquiv", "sans": "ans1", "tans": r".*\S.*", "testoptions": "",
    "quiet": FLAG,
} | {
    f"{branch}{part}": pattern
    for branch in ("true", "false")
    for part, pattern in {
        "scoremode": "=", "score": FLAG, "penalty": "", "nextnode": r"-1|\d+", "answernote": r"[\w-]+",
        "feedback": TEXT,
    }.items()
}  # fmt: skip
STACK = {
    **HEAD, "stackversion": TEXT, "questionvariables": TEXT, "specificfeedback": TEXT, "questionnote": TEXT,
    "questionsimplify": FLAG, "assumepositive": FLAG, "assumereal": FLAG, "prtcorrect": TEXT,
    "prtpartiallycorrect": TEXT, "prtincorrect": TEXT, "multiplicationsign": "dot|cross|onum|none", "sqrtsign": FLAG,
    "complexno": "i|j|symi|symj", "inversetrig": "cos-1|acos|arccos", "logicsymbol": "lang|symbol",
    "matrixparens": r"\[|\(||\{|\|", "variantsselectionseed": "",
    "input": {
        "name": "ans1", "type": "algebraic", "tans": "ta1", "boxsize": r"\d+", "strictsyntax": FLAG,
        "insertstars": "[0-5]", "syntaxhint": "", "syntaxattribute": FLAG, "forbidwords": ".*", "allowwords": ".*",
        "forbidfloat": FLAG, "requirelowestterms": FLAG, "checkanswertype": FLAG, "mustverify": FLAG,
        "showvalidation": "[0-3]", "options": "",
    },
    "prt": {
        "name": r"prt\d+", "value": NUMBER, "autosimplify": FLAG, "feedbackstyle": "[0-3]", "feedbackvariables": TEXT,
        "node*": NODE,
    },
}  # fmt: skip
KINDS = {"category": {"category": {"text": r"\$course\$/top/symgrad/[\w-]+"}}, "multichoice": CHOICES, "stack": STACK}


def faults(element, grammar):
    """Return what an element has that its grammar does not, and what it lacks."""
    if isinstance(grammar, str):
        fits = len(element) == 0 and re.fullmatch(grammar, element.text or "")
        return [] if fits else [f"<{element.tag}> is {element.text!r}"]
    counts = {name.rstrip("*"): name.endswith("*") for name in grammar}
    found = [child.tag for child in element]
    wrong = [f"<{element.tag}> has <{tag}>" for tag in found if tag not in counts]
    for tag, repeated in counts.items():
        if found.count(tag) < 1 or (found.count(tag) > 1 and not repeated):
            wrong.append(f"<{element.tag}> has {found.count(tag)} times <{tag}>")
    parts = {name.rstrip("*"): part for name, part in grammar.items()}
    return wrong + [fault for child in element if child.tag in parts for fault in faults(child, parts[child.tag])]


class Unclosed(HTMLParser):
    """The elements of a piece of HTML that are open at its end, and formulas whose braces do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.faults = [], []
        self.feed(text)
        self.faults += self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"/{tag}")

    def handle_data(self, data):
        for formula in re.findall(r"\\[(\[](.*?)\\[)\]]", data, re.DOTALL):
            plain = re.sub(r"\\[\\{}]", "", formula)
            if plain.count("{") != plain.count("}") or plain.count(r"\left") != plain.count(r"\right"):
                self.faults.append(formula)


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
        assert faults(q, CHOICES) == []
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
        assert faults(q, STACK) == []
        nodes = q.findall("prt/node")
        assert len(nodes) == 1 + len(e.slips)
        for k, node in enumerate(nodes):
            assert node.findtext("falsenextnode") == (str(k + 1) if k + 1 < len(nodes) else "-1")
            assert node.findtext("truescore") == ("0" if k else "1")
        assert "[[input:ans1]]" in q.findtext("questiontext/text")
        assert e.grade(nodes[0].findtext("tans").replace("%", "").replace("signum", "sign")).right


@pytest.mark.parametrize("number", range(len(TOPICS)), ids=list(TOPICS))
def test_questions_of_every_topic_are_what_the_importers_look_up(number):
    topic = list(TOPICS)[number]
    sheet = sg.sheet(topic, level=1 + number % 3, seed=number, count=1)
    for xml in (sheet.moodle(), sheet.stack()):
        for question in questions(xml):
            assert faults(question, KINDS[question.get("type")]) == []
            for part in question.iter():
                if part.get("format") == "html":
                    assert Unclosed(part.findtext("text") or "").faults == []


def test_a_question_that_lacks_a_part_has_a_fault():
    category, question = questions(sg.sheet("chain", count=1).stack())
    assert faults(category, KINDS["category"]) == faults(question, STACK) == []
    question.find("prt").remove(question.find("prt/name"))
    question.find("prt/node/quiet").text = "no"
    assert faults(question, STACK) == ["<prt> has 0 times <name>", "<quiet> is 'no'"]
    assert Unclosed("<p>a").faults == ["p"]
    assert Unclosed(r"<p>\( {a \)</p>").faults == [" {a "]


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
