"""The page's server: what is asked and answered, whom it refuses, what workers may take, and clients that misbehave."""

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

starlette = pytest.importorskip("starlette")
uvicorn = pytest.importorskip("uvicorn")
httpx = pytest.importorskip("httpx")

import web_answers  # noqa: E402

from symgrad.errors import ArgumentError  # noqa: E402
from symgrad.tensors.structures import STRUCTURES  # noqa: E402
from symgrad.web import app, exercise, jobs, pool, practice, protocol, serving, sheet  # noqa: E402
from symgrad.web.gallery import gallery  # noqa: E402
from symgrad.web.guard import TOKEN, Guard, is_loopback  # noqa: E402
from symgrad.web.jobs import JOBS, answered  # noqa: E402

from hostile import TEXTS  # noqa: E402  # isort: skip

SQUARES = {"formula": "sum((X @ w - y)**2)", "wrt": "w"}
CURVE = {"formula": "x**2*sin(x)"}
BASE = "http://127.0.0.1:8000"
LONG_FORMULA = "*".join(f"sin(x{k}*x)**{k + 2}" for k in range(12))


class Here:
    """A pool that answers in this process."""

    def __init__(self, answer=answered):
        self.counts, self.asked, self._answer = pool.Counts(), [], answer

    def submit(self, request):
        self.asked.append(json.loads(request))
        done = Future()
        done.set_result(self._answer(request))
        return done


class Client:
    """Asks an application, without a server."""

    def __init__(self, application, base):
        self._application, self._base = application, base

    def get(self, path, **words):
        return asyncio.run(self._asked("GET", path, words))

    def post(self, path, **words):
        return asyncio.run(self._asked("POST", path, words))

    async def _asked(self, method, path, words):
        transport = httpx.ASGITransport(self._application, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=self._base) as c:
            return await c.request(method, path, **words)


def client(guard=None, here=None, base=BASE):
    """A client of the application, by the address that a browser would use."""
    return Client(app.application(here or Here(), guard), base)


@pytest.fixture(scope="module")
def page():
    return client()


def asked(job, **data):
    """The answer of a job, without a server."""
    return json.loads(answered(json.dumps({"job": job, **data}).encode()))


# ------------------------------------------------------------------ jobs
def test_what_is_typed_is_shown_with_what_its_names_stand_for():
    found = asked("look", exercise=SQUARES)
    assert found["names"]["X"] == {
        "kind": "matrix", "shape": ["n", "d"], "assume": [], "guessed": True, "why": "X is usually a matrix",
    }  # fmt: skip
    assert (found["wrt"], found["spelling"], found["shape"]) == ("w", "symgrad", [])
    assert found["mathml"].startswith("<math")


# ------------------------------------------------------------------ the logarithm's name
OF_LOGARITHM = {"formula": "x**3*ln(4*x)"}
TO_PRACTISE = {"topic": "second-derivative", "level": 2, "seed": 0, "index": 1}
CALLED = [
    *[(job, {"exercise": OF_LOGARITHM}) for job in ("look", "derive", "graph")],
    *[("steps", {"exercise": OF_LOGARITHM, "style": style}) for style in ("calculus", "matrix", "backprop")],
    ("steps", {"exercise": {"formula": "logsumexp(3*x, 0)", "wrt": "x"}, "style": "matrix"}),
    ("code", {"exercise": OF_LOGARITHM, "target": "latex"}),
    ("grade", {"exercise": OF_LOGARITHM, "answer": "3*x^2*ln(4x)"}),
    ("grade", {"exercise": {"formula": "x**(2*x)"}, "answer": "2*x*x**(2*x-1)"}),
    ("problem", TO_PRACTISE),
    ("hint", TO_PRACTISE | {"number": 1}),
    ("grade", TO_PRACTISE | {"answer": "ln(x^2 + 9)/x"}),
    ("sheet", TO_PRACTISE | {"count": 2, "solutions": True}),
]  # fmt: skip


def shown(answer):
    """All that a page shows of an answer, without texts that are as somebody typed them."""
    if isinstance(answer, dict):
        return " ; ".join(shown(v) for key, v in answer.items() if key not in ("formula", "id", "topic"))
    return " ; ".join(map(shown, answer)) if isinstance(answer, list) else str(answer)


@pytest.mark.parametrize(("job", "question"), CALLED, ids=lambda v: v if isinstance(v, str) else "")
def test_each_answer_calls_the_logarithm_as_its_question_does(job, question):
    answers = [shown(asked(job, **question, logarithm=word)) for word in ("ln", "log", "ln")]
    assert answers[0] == answers[2]  # no question disturbs the next
    for text, other in ((answers[0], "log"), (answers[1], "ln")):
        assert not re.search(rf"\b{other}\b(?!-)", text)


def test_a_sheet_is_printed_with_its_logarithm(page):
    address = "/sheet?topic=second-derivative&level=2&seed=0"
    assert ">ln</mi>" in page.get(address + "&logarithm=ln").text
    assert ">ln</mi>" not in page.get(address).text


@pytest.mark.parametrize("word", ["lg", "", None, 1, ["ln"], {}, "ln" * 9999])
def test_another_name_of_the_logarithm_is_refused(word):
    error = asked("look", exercise=CURVE, logarithm=word)["error"]
    assert error["what"].startswith("got ")
    assert error["what"].endswith("Expected log or ln.")
    assert len(error["what"]) < 100
    assert ">log</mi>" in asked("look", exercise=OF_LOGARITHM)["mathml"]


@pytest.mark.parametrize(
    ("formula", "answer", "slip"),
    [
        ("sin(x^4)", "4*x^3*cos(x^4)", None),
        ("sin(x^4)", "cos(x^4)", "chain"),
        ("x.^2 .* exp(x)", "2*x.*exp(x) + x.^2.*exp(x)", None),
        ("1./x", "1./x.^2", "sign"),
    ],
)
def test_answers_about_numbers_are_graded_in_matlabs_spelling(formula, answer, slip):
    assert practice.answer({"exercise": {"formula": formula}, "answer": answer})["slip"] == slip


@pytest.mark.parametrize("answer", ["[y, 0]", "(y, 0)", "<y, 0>"])
def test_answers_about_a_vector_field_may_be_written_as_vectors(answer):
    exercise = {"formula": "[x*y, y^2]", "wrt": "x"}
    assert asked("grade", exercise=exercise, answer=answer)["right"]
    assert not asked("grade", exercise=exercise, answer=answer.replace("0", "2*y"))["right"]


@pytest.mark.parametrize("formula", ["norm(X*w - y)^2", "(X*w - y)'*(X*w - y)", "np.sum((X @ w - y)**2)"])
def test_answers_of_arrays_are_graded_in_matlabs_spelling(formula):
    exercise = {"formula": formula, "wrt": "w"}
    assert asked("grade", exercise=exercise, answer="2*X'*(X*w - y)")["right"]
    found = asked("grade", exercise=exercise, answer="2*X'*(X*w + y)")
    assert (found["slip"], found["at"]) == ("sign", [10, 13])


def test_a_problem_of_arrays_takes_an_answer_in_matlabs_spelling():
    several = {"topic": "least-squares", "level": 1, "seed": 0}
    found = asked("problem", index=0, **several)["problem"]
    solution = asked("sheet", solutions=1, **several)["problems"][0]["solution"]["text"]
    assert found["formula"]
    assert "⊙" not in solution
    assert asked("grade", index=0, answer=solution.replace("ᵀ", "'"), **several)["right"]


@pytest.mark.parametrize(
    ("formula", "same"),
    [
        ("2x", "2*x"), ("3sin(x)", "3*sin(x)"), ("2(x+1)^2", "2*(x+1)^2"), ("(x+1)(x-1)", "(x+1)*(x-1)"),
        ("2.5x^2 - sin(x)cos(x)", "2.5*x^2 - sin(x)*cos(x)"), ("exp(-x)x", "exp(-x)*x"), ("2x'*A*x", "2*x'*A*x"),
        ("2norm(X*w - y)^2", "2*norm(X*w - y)^2"), ("y = 2x", "2*x"), ("1e5*x + log10(x)x2", "1e5*x + log10(x)*x2"),
    ],
)  # fmt: skip
def test_products_may_lack_their_sign_where_nothing_else_is_meant(formula, same):
    one, other = (asked("derive", exercise={"formula": f}) for f in (formula, same))
    assert one["text"] == other["text"]
    assert asked("look", exercise={"formula": formula})["formula"] == formula


@pytest.mark.parametrize(
    ("formula", "at"),
    [
        ("2x + sni(x)", [5, 8]), ("1/2x", [0, 4]), ("e^2x", [0, 4]), ("1/(x+1)(x-1)", [0, 12]), ("2x + 3x +)", [9, 10]),
        ("2e3x", [0, 4]), ("y = e^-x^2", [4, 10]), ("x^y^z", [0, 5]),
    ],
)  # fmt: skip
def test_products_that_are_read_in_two_ways_are_refused_at_their_place(formula, at):
    assert asked("look", exercise={"formula": formula})["error"]["at"] == at


def test_the_page_is_for_real_numbers():
    found = asked("look", exercise={"formula": "y = 2 + exp(i*x)"})["error"]
    assert found["at"] == [12, 13]
    assert list(asked("look", exercise={"formula": "y = 2 + i*x"})["names"]) == ["i", "x"]


def test_the_page_says_which_letters_are_constants():
    assert asked("look", exercise={"formula": "a*e^x"})["constants"] == {"e": "Euler's number"}
    assert list(asked("look", exercise={"formula": "a*e^2*x"})["names"]) == ["a", "e", "x"]


def test_names_with_an_index_are_names():
    assert asked("derive", exercise={"formula": "x_i^2", "wrt": "x_i"})["text"] == "2*x_i"


def test_calculus_style_says_what_arrays_take():
    found = asked("steps", exercise={"formula": "x'*A*x", "wrt": "x"}, style="calculus")
    assert "matrix or backprop" in json.dumps(found["error"])


def test_matlabs_spelling_is_recognised():
    found = asked("look", exercise={"formula": "x'*A*x + norm(x)^2"})
    assert (found["spelling"], found["names"]["A"]["shape"]) == ("matlab", ["n", "n"])
    assert asked("derive", exercise={"formula": "x'*A*x", "wrt": "x"})["text"] == "(A + Aᵀ)*x"


def test_books_sign_of_a_transpose_is_understood():
    assert asked("derive", exercise={"formula": "x^T*A*x", "wrt": "x"})["text"] == "(A + Aᵀ)*x"
    assert asked("derive", exercise={"formula": "w^{T}*x + w^T*w", "wrt": "w"})["text"] == "2*w + x"
    assert "T" in asked("look", exercise={"formula": "T*x^T"})["names"]  # a temperature


def test_a_matrix_beside_a_vector_is_their_product_and_the_text_stays_as_typed():
    found = asked("look", exercise={"formula": "norm(X*w - y)**2"})
    assert found["formula"] == "norm(X*w - y)**2"
    assert found["names"]["y"]["shape"] == ["n"]
    assert asked("derive", exercise={"formula": "norm(X*w - y)**2"})["text"] == "2*Xᵀ*(X*w - y)"


def test_a_mistake_has_its_place_in_the_text_as_it_was_typed():
    text = "  x**2  +  foo(x)"
    error = asked("look", exercise={"formula": text})["error"]
    assert text[slice(*error["at"])] == "foo"
    assert error["what"] == "'foo' is not a function that formulas may call"
    assert asked("look", exercise={"formula": "e^2x"})["error"]["what"].endswith("write e^2*x or e^(2*x)")


def test_a_derivative_has_its_notations_or_says_why_not():
    found = asked("derive", exercise=SQUARES)["notations"]
    assert found["matrix"]["text"] == "2*Xᵀ*(X*w - y)"
    assert found["index"]["text"].startswith("2*Sum_k X_ki*")
    assert "set d and n in the table" in found["entries"]["none"]
    third = asked("derive", exercise={**CURVE, "order": 3})
    assert third["ok"]
    assert third["order"] == 3


@pytest.mark.parametrize(
    ("formula", "wrt", "best", "words"),
    [
        ("v @ tanh(W @ x)", "W", "matrix", "The derivative with respect to W is a matrix, n × d."),
        ("[x**2, x*sin(x)]", "x", "entries", "The derivative with respect to x is a vector of length 2."),
        ("outer(x, x)", "x", "index", "The derivative with respect to x is an array of 3 axes, n × n × n."),
        ("sum(tanh(W @ x + b)**2)", "W", "where", "The derivative with respect to W is a matrix, n × d."),
        ("a*x**2", "x", "matrix", "The derivative with respect to x is a number."),
    ],
)
def test_the_notation_that_is_shown_first_is_the_shortest(formula, wrt, best, words):
    found = asked("derive", exercise={"formula": formula, "wrt": wrt})
    assert (found["best"], found["words"]) == (best, [words])
    assert found["text"] == found["notations"][best]["text"]
    assert found["mathml"] == found["notations"][best]["mathml"]
    kinds = {name: "none" in n for name, n in found["notations"].items()}
    assert kinds["where"] == (best != "where")
    assert kinds["matrix"] == (best == "index")


def test_parts_behind_where_come_before_what_they_are_made_of(monkeypatch):
    deep = {"formula": "x/(1 + exp(-x*sin(x)))", "order": 2}
    found = asked("derive", exercise=deep)["notations"]["where"]["text"]
    names = re.findall(r"(\w+) = ", found.partition(" where ")[2])
    assert len(names) > 1
    assert found == asked("derive", exercise=deep)["text"]
    text = asked("derive", exercise=CURVE)["notations"]["index"]["text"]
    for most in (len(text), len(text) - 1):
        monkeypatch.setattr(jobs, "MOST_SHOWN", most)
        shown = asked("derive", exercise=CURVE)["notations"]["index"]
        said = f"{len(text)} characters are more than anybody reads"
        assert shown.get("none") == (None if most == len(text) else said)


def test_steps_are_of_the_order_and_the_product_that_the_style_has():
    twice = {**CURVE, "order": 2}
    assert asked("steps", exercise=twice, style="calculus")["result"]["text"] == "4*x*cos(x) + sin(x)*(2 - x**2)"
    assert asked("steps", exercise=twice, style="backprop")["result"]["text"] == "x*(x*cos(x) + 2*sin(x))"
    layer = {"formula": "tanh(W @ x)", "wrt": "x"}
    assert asked("steps", exercise=layer, style="backprop")["result"]["text"] == "Wᵀ*(u ⊙ (1 - tanh(W*x)^⊙2))"
    assert asked("steps", exercise=layer, style="matrix")["result"]["text"] == "diag(1 - tanh(W*x)^⊙2)*W"
    hint = asked("hint", topic="product", level=1, seed=1, number=0)
    assert (hint["kind"], hint["rule"]) == ("why", hint["text"].rstrip(":"))
    assert hint["words"].startswith("product rule")
    assert "′" not in hint["words"]
    assert hint["mathml"].count("<math ") == 3


def test_a_picture_has_adjoints_of_a_number_unless_they_are_not_wanted():
    usual, without = (asked("graph", exercise=CURVE, adjoints=a)["svg"] for a in (None, False))
    assert asked("graph", exercise=CURVE, adjoints=True)["svg"] == usual
    assert len(without) < len(usual)
    assert asked("graph", exercise={"formula": "A @ x"}, adjoints=True)["ok"]


def test_a_plot_is_over_the_names_that_are_chosen():
    line = {"formula": "a*x + b", "names": {"a": {"kind": "number", "value": "3"}}}
    assert asked("plot", exercise=line, axes=["x"])["f"][:2] == pytest.approx([3 * -3 + 1, 3 * -2.97 + 1])
    five = {"formula": "a*x + b*y + c"}
    assert "a, x, b, y, c have no values" in asked("plot", exercise=five)["error"]["what"]
    assert asked("plot", exercise={"formula": "a*x + c"})["error"]["what"].startswith("a plot has one or two variables")
    for axes in (["a", "b", "c"], [], ["q"], "x"):
        assert asked("plot", exercise=five, axes=axes)["error"]["what"].startswith("expected one or two of a, x, b")
    plane = asked("plot", exercise=five, axes=["c", "x"], over=[[0, 2], [5, 9]])
    assert plane["axes"] == ["c", "x"]
    assert plane["f"][40][0] == 9 + 1 + 0


def test_a_server_answers_to_its_own_address_and_every_port():
    for host, name in (("127.0.0.2", "127.0.0.2:65535"), ("::1", "[0:0:0:0:0:0:0:1]:80"), ("127.0.0.2", "localhost")):
        assert Guard(host).refusal({"host": name}) is None
    for host, name in (("127.0.0.2", "127.0.0.3"), ("127.0.0.2", "127.0.0.2:65536"), ("127.0.0.1", "127.0.0.2")):
        assert "does not answer to that name" in Guard(host).refusal({"host": name})
    own = {"host": "127.0.0.2:81", "origin": "https://127.0.0.2:81", "sec-fetch-site": "same-origin"}
    assert Guard("127.0.0.2").refusal(own) is None
    assert "another one" in Guard("127.0.0.2").refusal({**own, "origin": "https://127.0.0.2:82"})
    assert "another one" in Guard("127.0.0.2").refusal({**own, "sec-fetch-site": "same-site"})


def test_an_answer_comes_with_its_place_and_a_point_where_it_differs():
    names = {"X": {"kind": "matrix", "shape": ["n", "d"]}}
    found = asked("grade", answer="2*X.T @ (X @ w)", exercise={**SQUARES, "names": names})
    assert (found["right"], found["verdict"]) == (False, "wrong")
    found = asked("grade", answer="2*x*cos(x)", exercise=CURVE)
    assert found["at"] == [0, 10]
    assert found["point"] == "At x = 2: the answer is -1.66459, the derivative 1.9726."
    twice = asked("grade", answer="4*x*cos(x) + (2 - x**2)*sin(x)", exercise={**CURVE, "order": 2})
    assert (twice["right"], twice["verdict"], twice["at"], twice["point"]) == (True, "right", None, None)
    assert "2001 characters, more than 2000" in asked("grade", answer="x" * 2001, exercise=CURVE)["error"]["what"]


def test_what_is_practised_is_called_by_its_level_seed_and_place():
    assert asked("problem", topic="chain", level=2, seed=3, index=4)["problem"]["id"] == "chain-2-3-4"
    sheet = asked("sheet", topic="chain", level=3, seed=2, count=exercise.MOST_NAMES)
    assert (sheet["level"], len(sheet["problems"])) == (3, exercise.MOST_NAMES)
    assert "solution" not in sheet["problems"][0]
    assert asked("sheet", topic="chain", level=3, seed=2, count=2, solutions=1)["problems"][0]["solution"]["text"]


def test_declared_names_and_marks_are_used():
    names = {"A": {"kind": "matrix", "shape": ["n", "n"], "assume": ["symmetric"]}}
    found = asked("derive", exercise={"formula": "x @ A @ x", "wrt": "x", "names": names})
    assert found["text"] == "2*A*x"
    assert "A is symmetric" in found["words"][1]


def test_every_structure_of_a_matrix_reaches_the_derivative_the_numbers_and_grades():
    def exercise_of(mark, formula="x @ A @ x", wrt="x"):
        return {
            "formula": formula, "wrt": wrt,
            "names": {"A": {"kind": "matrix", "shape": ["n", "n"], "assume": [mark]}},
        }  # fmt: skip

    texts = {mark: asked("derive", exercise=exercise_of(mark))["text"] for mark in STRUCTURES}
    assert texts["symmetric"] == texts["positive_definite"] == "2*A*x"
    assert texts["skew"] == "0"
    assert "positive definite" in asked("derive", exercise=exercise_of("positive_definite"))["words"][1]
    for mark in STRUCTURES:
        A = np.asarray(asked("numbers", exercise=exercise_of(mark))["inputs"]["A"])
        made = {
            "orthogonal": A @ A.T - np.eye(len(A)), "skew": A + A.T, "lower": np.triu(A, 1), "upper": np.tril(A, -1),
            "diagonal": A - np.diag(np.diag(A)),
        }  # fmt: skip
        np.testing.assert_allclose(made.get(mark, A - A.T), 0, atol=1e-14, err_msg=mark)
    for mark, right in (("symmetric", True), ("lower", False)):
        assert asked("grade", exercise=exercise_of(mark), answer="2*A*x")["right"] is right
    numbers = {"formula": "sqrt(x**2)", "wrt": "x", "names": {"x": {"kind": "number", "assume": ["positive"]}}}
    assert asked("grade", exercise=numbers, answer="1")["right"]
    assert "square" in asked("look", exercise={"formula": "sum(A)", "names": {
        "A": {"kind": "matrix", "shape": ["n", "d"], "assume": ["lower"]}}})["error"]["what"]  # fmt: skip


def test_a_study_has_lines_and_a_curve_with_all_that_is_marked():
    found = asked("study", exercise={"formula": "(x**2 - 1)/x"})
    assert "Limits and asymptotes" in [s["text"] for s in found["steps"]]
    curve = found["curve"]
    assert (curve["uprights"], curve["lines"]) == ([0.0], [[1.0, 0.0]])
    assert curve["marks"]["zeros"] == [[-1.0, 0.0], [1.0, 0.0]]
    assert None in curve["y"]
    names = {k: {"value": v} for k, v in (("a", "3"), ("y", "12"))}
    one = asked("study", exercise={"formula": "a*x**2 - y", "names": names})
    assert [x for x, _ in one["curve"]["marks"]["zeros"]] == [-2.0, 2.0]
    for formula, words in (("a*x", "a and x are open"), ("sum(x)", "x is an array"), ("[x, x**2]", "this is a vector")):
        names = {"x": {"kind": "vector", "shape": ["n"]}} if "sum" in formula else {}
        assert words in asked("study", exercise={"formula": formula, "names": names})["error"]["what"]


@pytest.mark.parametrize(
    ("formula", "ask", "said"),
    [
        ("x**3 + y**3 - 3*x*y", None, "saddle point at (0, 0)"), ("x**2*y", "gradient", "∇f = [2x·y, x²]"),
        ("x**2*y", "hessian", "H = "), ("x**2*y + z", "laplacian", "Δf = 2y"),
        ("[x*y, y*z, z*x]", None, "∇·F = y + z + x"), ("[x*y, y*z, z*x]", "curl", "∇×F = "),
        ("[a*x, y**2]", "divergence", "a"), ("[r*cos(t), r*sin(t)]", "determinant", "= r"),
    ],
)  # fmt: skip
def test_several_variables_are_asked_for_and_worked(formula, ask, said):
    found = asked("several", exercise={"formula": formula}, **({"ask": ask} if ask else {}))
    assert said in "\n".join(s["text"] for s in found["steps"])


@pytest.mark.parametrize(
    ("formula", "names", "derivative"),
    [("xsinx", ["x"], "x*cos(x) + sin(x)"), ("xy + y^2", ["x", "y"], "y"), ("(xy, y^2)", ["x", "y"], "[y, 0]"),
     ("<x*y, y**2>", ["x", "y"], "[y, 0]"), ("gain*x", ["gain", "x"], "gain")],
)  # fmt: skip
def test_words_are_split_into_letters_as_pupils_write_them(formula, names, derivative):
    found = asked("look", exercise={"formula": formula, "wrt": None})
    assert list(found["names"]) == names
    told = {name: {"kind": "number"} for name in names}
    for given in ({}, {"y": told["y"]} if "y" in told else {}, told):  # as the page asks once it knows the names
        assert asked("derive", exercise={"formula": formula, "names": given, "wrt": "x"})["text"] == derivative


def test_values_of_all_names_are_the_point_and_of_some_constants():
    exact = {"x": {"value": "1"}, "y": {"value": "pi/2"}}
    normal = asked("several", exercise={"formula": "x**2*sin(y)", "names": exact}, ask="plane")["steps"][-1]["text"]
    assert normal.endswith("[2, 0, −1]")
    names = {"x": {"value": "1"}, "y": {"value": "2"}}
    plane = asked("several", exercise={"formula": "x**2 + y**2", "names": names}, ask="plane")
    assert "z = 2x + 4y − 5" in [s["text"].strip() for s in plane["steps"]]
    hessian = asked("several", exercise={"formula": "x**2*y", "names": names}, ask="hessian")
    assert "indefinite" in hessian["steps"][-1]["text"]
    one = {"a": {"value": "-2"}}
    points = asked("several", exercise={"formula": "a*x**2 - y**2", "names": one}, ask="points")
    assert "maximum at (0, 0)" in points["steps"][-1]["text"]
    for question, words in (
        ({"exercise": {"formula": "x*y"}, "ask": "plane"}, "Give x and y a value"),
        ({"exercise": SQUARES}, "is an array"), ({"exercise": CURVE, "ask": "slope"}, "Expected one of points"),
        ({"exercise": CURVE, "ask": ["points"]}, "Expected one of points"),
        ({"exercise": {"formula": "3"}}, "no variables"),
    ):  # fmt: skip
        assert words in asked("several", **question)["error"]["what"]


@pytest.mark.parametrize(
    ("formula", "wrt", "order", "derivative"),
    [("x^2 + y^2 = 25", None, 1, "-x/y"), ("x^2 + y^2 = 25", "y", 2, "-25/x**3"), ("y = sin(xy)", "x", 1, None),
     ("x = cos(t), y = sin(t)", None, 1, "-1/tan(t)"), ("a x^2 + b y^2 = c", "x", 1, "-a*x/(b*y)")],
)  # fmt: skip
def test_equations_are_differentiated_on_both_sides(formula, wrt, order, derivative):
    asked_of = {"formula": formula, "wrt": wrt, "order": order}
    look = asked("look", exercise=asked_of)
    assert look["depends"] == ("x" if wrt == "y" else "y")
    found = asked("derive", exercise=asked_of)
    assert derivative in (None, found["text"])
    steps = asked("steps", exercise=asked_of)
    assert steps["result"]["text"] == found["text"]
    assert any("both" in s["text"] for s in steps["steps"])
    assert asked("grade", exercise=asked_of, answer=found["text"])["right"]


def test_formulas_behind_their_name_are_none_and_equations_that_cannot_be_read_say_why():
    assert asked("derive", exercise={"formula": "y = x^2"})["text"] == "2*x"
    assert asked("grade", exercise={"formula": "x^2 + y^2 = 25"}, answer="x/y")["slip"] == "sign"
    named = {"names": {"a": {"kind": "number", "value": "3"}}}
    for exercise_, words in (
        ({"formula": "x^2 = 4"}, "one name"), ({"formula": "x^2 + = y"}, "'x^2 +'"), ({"formula": "x*y ="}, "is empty"),
        ({"formula": "a*x = y^2", **named}, "the value of a"), ({"formula": "x*y = 1", "wrt": "z"}, "no 'z'"),
    ):  # fmt: skip
        assert words in asked("look", exercise=exercise_)["error"]["what"]


@pytest.mark.parametrize("style", ["calculus", "backprop", None])
def test_steps_are_lines_of_words_and_mathml(style):
    found = asked("steps", exercise=CURVE, style=style)
    assert all(s["text"] or s["kind"] == "gap" for s in found["steps"])
    assert any(s["rule"] for s in found["steps"])
    assert found["result"]["text"] == "x*(x*cos(x) + 2*sin(x))"


def test_numbers_are_checked_in_all_ways_and_follow_given_values():
    found = asked("numbers", exercise={**CURVE, "names": {"x": {"kind": "number", "value": "pi/2"}}})
    assert found["agree"]
    assert found["inputs"]["x"] == pytest.approx(1.5707963)
    assert found["derivative"] == pytest.approx(3.1415927)
    assert {c["way"] for c in found["checks"]} >= {"reverse mode", "closed form", "finite differences"}
    names = {"X": {"kind": "matrix", "shape": ["n", "d"], "value": "[[1, 2], [3, 4], [5, 6], [7, 8]]"}}
    sized = asked("numbers", exercise={**SQUARES, "names": names})
    assert len(sized["inputs"]["y"]) == 4
    assert asked("numbers", exercise={**CURVE, "order": 2})["agree"]


def test_a_plot_has_a_curve_with_its_slope_or_a_plane_with_its_gradient():
    curve = asked("plot", exercise={"formula": "1/x"}, over=[[-1, 1]])
    assert curve["f"][100] is None
    np.testing.assert_allclose(curve["df"][:100], -1 / np.linspace(-1, 1, 201)[:100] ** 2, rtol=1e-12)
    plane = asked("plot", exercise={"formula": "x**2*y + 3*y"}, over=[[0.5, 1.5], [-2, 7]])
    x, y = np.meshgrid(np.linspace(0.5, 1.5, 41), np.linspace(-2, 7, 41))
    for name, expected in {"x": x[0], "y": y[:, 0], "f": x**2 * y + 3 * y, "gx": 2 * x * y, "gy": x**2 + 3}.items():
        np.testing.assert_allclose(plane[name], expected, rtol=1e-14)
    x, y = np.meshgrid(np.linspace(0.5, 1.5, 121), np.linspace(-2, 7, 121))
    np.testing.assert_allclose(plane["fine"], x**2 * y + 3 * y, rtol=1e-8)
    assert "values" in asked("plot", exercise=SQUARES)["error"]["what"]
    for over in ([[0, 0], [1, 2]], [[0, 1]], [[1, 0], [1, 2]], [[0, 1], [1, 2e9]]):
        found = asked("plot", exercise={"formula": "x*y"}, over=over)
        assert found["error"]["what"].startswith("expected 2 ranges [low, high]")
    assert asked("plot", exercise=CURVE, over=[[0, 1], [1, 2]])["x"][-1] == 1.0  # one more than it needs


def test_drawn_values_are_as_assumed_and_to_two_decimals():
    shapes = {"s": ["n", "n"], "p": ["n"], "q": ["k", "n"], "h": ["k", "n"], "w": ["n"]}
    marks = {"s": ["symmetric"], "p": ["positive"], "q": ["simplex"], "h": ["onehot"], "w": []}
    names = {k: {"kind": ("vector", "matrix")[len(v) - 1], "shape": v, "assume": marks[k]} for k, v in shapes.items()}
    for seed in range(5):
        found = asked(
            "numbers", exercise={"formula": "w @ s @ p + sum(q) + sum(h)", "wrt": "w", "names": names}, seed=seed
        )
        s, p, q, h, w = (np.asarray(found["inputs"][k]) for k in "spqhw")
        assert (s == s.T).all()
        assert np.abs(s).max() <= 2
        assert (p >= 0.5).all()
        np.testing.assert_allclose(q.sum(-1), np.ones(len(q)), rtol=1e-15)
        assert (q >= 0.04).all()
        assert ((h == 1).sum(-1) == 1).all()
        assert (h != 0).sum() == len(h)
        for x in (s, p, w):
            np.testing.assert_array_equal(x, np.round(x, 2))
        np.testing.assert_allclose(found["derivative"], s @ p, rtol=1e-14)
        assert found["value"] == pytest.approx(w @ s @ p + q.sum() + h.sum(), rel=1e-14)
    again = [asked("numbers", exercise=CURVE, seed=n)["inputs"] for n in (0, 0, 1)]
    assert again[0] == again[1] != again[2]


def test_numbers_of_higher_orders_are_checked_and_infinite_ones_told_in_words():
    for order, expected in ((1, 4 * 1.5**3), (2, 12 * 1.5**2), (3, 24 * 1.5)):
        names = {"x": {"kind": "number", "value": "1.5"}}
        found = asked("numbers", exercise={"formula": "x**4", "names": names, "order": order})
        assert found["value"] == 1.5**4
        assert found["derivative"] == pytest.approx(expected)
        assert found["agree"]
    infinite = asked("numbers", exercise={"formula": "1/x", "names": {"x": {"kind": "number", "value": "0"}}})
    assert infinite["value"] == "inf"
    large = {"formula": "sum(A)", "names": {"A": {"kind": "matrix", "shape": ["15", "14"]}}}
    assert asked("numbers", exercise=large)["error"]["what"].startswith("A has 210 entries, more than 200")
    large["names"]["A"]["shape"] = ["20", "10"]
    assert asked("numbers", exercise=large)["agree"]


@pytest.mark.parametrize("target", ["numpy", "c", "latex"])
def test_code_is_what_export_writes(target):
    found = asked("code", exercise=SQUARES, target=target)
    assert found["language"] == target
    assert "derivative" in found["source"]


def test_code_of_a_jacobian_is_written_for_sizes_that_are_numbers():
    found = asked("code", exercise={"formula": "softmax(x, 0)"}, target="numpy")
    assert "n = 3" in found["words"]
    scope = {}
    exec(found["source"], scope)
    x = np.array([0.3, -1.2, 2.0])
    p = np.exp(x) / np.exp(x).sum()
    np.testing.assert_allclose(scope["derivative"](x), np.diag(p) - np.outer(p, p), rtol=1e-13)


def test_a_graph_is_a_picture():
    assert asked("graph", exercise=CURVE)["svg"].startswith("<svg")


def test_problems_are_those_of_the_sheet_and_do_not_tell_their_answers():
    topics = asked("topics")["topics"]
    assert {"name": "chain", "levels": [1, 2, 3]} in topics
    one = asked("problem", topic="chain", level=2, seed=3, index=4)
    sheet = asked("sheet", topic="chain", level=2, seed=3, solutions=1)["problems"]
    assert one["problem"]["formula"] == sheet[4]["formula"]
    assert one["of"] == len(sheet) == 10
    assert sheet[4]["solution"]["text"] not in json.dumps(one)


def test_hints_come_one_at_a_time_and_answers_are_graded():
    of = {"topic": "product", "level": 1, "seed": 1}
    count = asked("problem", **of)["hints"]
    hints = [asked("hint", number=k, **of) for k in range(count)]
    assert [h["last"] for h in hints] == [False] * (count - 1) + [True]
    assert not asked("hint", number=count, **of)["ok"]
    right = asked("sheet", solutions=1, **of)["problems"][0]["solution"]["text"]
    assert asked("grade", answer=right, **of)["right"]
    wrong = asked("grade", answer="2*x*cos(x)", exercise=CURVE)
    assert (wrong["right"], wrong["slip"]) == (False, "product")
    assert asked("grade", answer="2*x*(", exercise=CURVE)["error"]["at"] is not None


@pytest.mark.parametrize("example", gallery(), ids=lambda e: e["title"].replace(" ", "-").lower())
def test_examples_of_the_gallery_derive(example):
    found = asked("derive", exercise=example["exercise"])
    assert found["ok"], found
    assert example["why"].endswith(".")


def test_the_gallery_has_examples_of_the_subjects_that_people_look_for():
    titles = " ".join(e["title"] for e in gallery()).lower()
    assert len({e["title"] for e in gallery()}) == len(gallery()) >= 40
    for word in ("least squares", "logistic", "softmax", "principal", "gaussian likelihood", "gaussian process"):
        assert word in titles
    for word in ("robot", "pendulum", "kepler", "portfolio", "product rule"):
        assert word in titles


@pytest.mark.parametrize(
    "data",
    [
        None, [], {"formula": 3}, {"formula": ""}, {"formula": "x", "names": []}, {"formula": "x", "wrt": "y"},
        {"formula": "x", "order": 9}, {"formula": "x", "order": True}, {"formula": "3"}, {"formula": "x" * 20000},
        {"formula": "A@A", "names": {"A": {"kind": "matrix", "shape": ["n"]}}},
        {"formula": "x", "names": {"x": {"kind": "vector", "shape": ["10000000"]}}},
        {"formula": "x", "names": {"x": {"value": "open('/etc/passwd')"}}},
        {"formula": "x", "names": {"x": {"value": "[1, 'a']"}}},
        {"formula": "x", "names": {"x": {"kind": "number", "value": "[1, 2]"}}},
        {"formula": "x", "names": {"x y": {"kind": "number"}}},
        {"formula": "x", "names": {"x": {"kind": "number", "assume": ["evil"]}}},
    ],
)  # fmt: skip
def test_exercises_that_are_none_are_refused_in_words(data):
    for job in ("look", "derive"):
        found = asked(job, exercise=data)
        if job == "derive" or data != {"formula": "3"}:
            assert found["error"]["kind"] == "input"
            assert len(found["error"]["what"]) > 20


JUNK = (True, 1.5, -1, 10**30, float("nan"), "", "x" * 50, [], [[]], [1, "a"], {}, {"a": []}, [None], "\ud800")
PROBLEM = {"topic": "chain", "level": 1, "seed": 1, "index": 0}
RIGHT = {
    "look": {}, "derive": {}, "graph": {"adjoints": True}, "steps": {"style": "calculus"}, "numbers": {"seed": 1},
    "plot": {"axes": ["x"], "over": [[0, 1]]}, "code": {"target": "numpy"}, "problem": PROBLEM,
    "hint": {**PROBLEM, "number": 0}, "grade": {**PROBLEM, "answer": "2*x"}, "sheet": {**PROBLEM, "count": 1},
}  # fmt: skip
OF_NAMES = {"kind": "number", "shape": [], "assume": ["positive"], "value": "1.5"}
EXERCISES = [
    *[{**CURVE, field: junk} for field in ("formula", "names", "wrt", "order", "style") for junk in JUNK],
    *[{**CURVE, "names": {"x": {**OF_NAMES, field: junk}}} for field in OF_NAMES for junk in JUNK],
    *[{"formula": "x*y = 1", field: junk} for field in ("names", "wrt", "order") for junk in JUNK],
    *[{"formula": text} for text in ("x[0]", "x < 1", "x == 1", "3 < 1")], *JUNK,
]  # fmt: skip


@pytest.mark.parametrize("job", RIGHT)
def test_every_field_is_checked_with_a_sentence_of_its_own(job):
    right = {"exercise": CURVE, **RIGHT[job]}
    assert asked(job, **right)["ok"]
    requests = [{**right, field: junk} for field in right for junk in JUNK]
    if "topic" not in RIGHT[job]:
        requests += [{**right, "exercise": exercise} for exercise in EXERCISES]
    for request in requests:
        found = asked(job, **request)
        if not found["ok"]:
            assert found["error"]["kind"] == "input", request
            assert len(found["error"]["what"]) > 20, request
            assert "Try a simpler formula" not in found["error"]["what"], request


def test_what_is_true_or_false_is_refused():
    for job in ("look", "derive", "steps", "numbers", "plot", "code"):
        found = asked(job, exercise={"formula": "x < 1"}, target="c")
        assert found["error"]["what"].startswith("the formula is true or false, and has no derivative")


def test_each_bound_of_an_exercise_is_where_it_is_said():
    def said(formula="x", names=None, job="look"):
        found = asked(job, exercise={"formula": formula, "names": names})
        return "" if found["ok"] else found["error"]["what"]

    def of_shape(*shape):
        return {"x": {"kind": ("vector", "matrix")[len(shape) - 1], "shape": list(shape)}}

    def of_value(value):
        return {"x": {"value": value}}

    most = exercise.MOST_SIGNS
    assert said("x" + " " * (most - 1)) == ""
    assert said("x" + " " * most) == f"the formula has {most + 1} characters, more than {most}. Name its parts."
    assert said(names=of_shape("100", "100")) == said(names=of_shape("1")) == said(names=of_shape("1000")) == ""
    assert said(names=of_shape("100", "101")) == "more than 10000 entries. A size may be a name, such as n."
    for size in ("0", "1001", "-1", "1.5"):
        assert "is no size. Expected a number from 1 to 1000" in said(names=of_shape(size))
    assert said(names={f"x{k}": {} for k in range(40)}) == ""
    assert "an object of at most 40 names" in said(names={f"x{k}": {} for k in range(41)})
    assert said(names={"x" * 40: {}}) == ""
    assert "cannot be a name" in said(names={"x" * 41: {}})
    for value in ("exp(1000)", "[1, exp(1000)]"):
        assert "Expected up to 1000, all finite" in said(names=of_value(value))
    declared = {"x": {"kind": "number", "value": "[1, 2]"}}
    assert said(names=declared).startswith("its value has shape [2], declared as []")


def test_values_have_a_thousand_numbers_and_long_texts_are_cut():
    def valued(count):
        return {"formula": "sum(x)", "names": {"x": {"kind": "vector", "shape": ["n"], "value": f"ones({count})"}}}

    assert asked("look", exercise=valued(1000))["ok"]
    assert "its value has 1001 numbers. Expected up to 1000" in asked("look", exercise=valued(1001))["error"]["what"]
    what = asked("look", exercise={**CURVE, "wrt": "a" * 60})["error"]["what"]
    assert f"there is no '{'a' * 39}… in the formula" in what


def test_sizes_are_those_of_the_values_and_small_where_there_are_none():
    two = {"x": {"kind": "vector", "shape": ["n"], "value": "[1, 2, 3]"}, "y": {"kind": "vector", "shape": ["n"]}}
    assert len(asked("numbers", exercise={"formula": "x @ y", "names": two})["inputs"]["y"]) == 3
    for values in (("[1, 2]", "[1, 2, 3]"), ("[1, 2, 3]", "[1, 2]")):
        names = {k: {"kind": "vector", "shape": ["n"], "value": v} for k, v in zip("xy", values, strict=True)}
        found = asked("numbers", exercise={"formula": "sum(x) + sum(y)", "names": names})["error"]["what"]
        first, second = (v.count(",") + 1 for v in values)
        assert found == f"this value has n = {second}, and another value has n = {first}. Change one of them."
    letters = {f"x{k}": {"kind": "vector", "shape": [f"n{k}"]} for k in range(8)}
    made = exercise.read({"formula": "+".join(f"sum({name})" for name in letters), "names": letters})
    assert list(made.sizes().values()) == [3, 2, 4, 5, 6, 7, 7, 7]


def test_indices_of_problems_and_hints_end_where_they_are_said_to():
    problem = {"topic": "chain", "level": 1, "seed": 3}
    first = asked("problem", **problem, index=2)
    assert first["problem"]["id"] == "chain-1-3-2"
    assert asked("problem", **problem, index=first["of"])["error"]["what"].endswith(f"from 0 to {first['of'] - 1}.")
    hints = first["hints"]
    assert [asked("hint", **problem, index=2, number=n)["ok"] for n in (hints - 1, hints)] == [True, False]
    assert [asked("problem", **{**problem, "seed": n})["ok"] for n in (2**31 - 1, 2**31, -1)] == [True, False, False]
    long = asked("grade", exercise=CURVE, answer="2*x".ljust(2001))
    assert long["error"]["what"] == "the answer has 2001 characters, more than 2000."
    twice = {"formula": "x**4", "order": 2}
    assert [asked("grade", exercise=twice, answer=a)["right"] for a in ("12*x**2", "4*x**3")] == [True, False]


def test_code_computes_the_derivative_by_the_chosen_name_as_often_as_asked():
    for order, expected in ((1, [6.75, 13.5]), (2, 18.0), (3, 12.0)):
        found = asked("code", exercise={"formula": "x*y**3", "wrt": "y", "order": order}, target="numpy")
        assert found["filename"] == "derivative_numpy.py"
        scope = {}
        exec(found["source"], scope)
        np.testing.assert_allclose(scope["derivative"](2.0, 1.5), expected, rtol=1e-14)
    assert asked("code", exercise=CURVE, target="c")["filename"] == "derivative.c"


def test_hostile_texts_are_never_executed():
    os.environ.pop("PWNED", None)
    for text in TEXTS:
        for data in ({"formula": text}, {"formula": "x", "names": {text: {}}}, {"formula": "x", "wrt": text},
                     {"formula": "x", "names": {"x": {"value": text}}}):  # fmt: skip
            found = asked("derive", exercise=data)
            assert found["ok"] or len(found["error"]["what"]) > 10
    assert "PWNED" not in os.environ


# ------------------------------------------------------------------ routes
def test_every_answer_forbids_what_the_page_does_not_need(page):
    for found in (page.get("/"), page.get("/api/gallery"), page.get("/nothing"), page.post("/api/look", json={})):
        policy = found.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert found.headers["x-content-type-options"] == "nosniff"
        assert "set-cookie" not in found.headers
    assert page.get("/").headers["content-type"] == "text/html; charset=utf-8"


def test_jobs_are_answered_once_and_then_from_memory():
    here = Here()
    c, kind = client(here=here), {"content-type": "application/json"}
    first = c.post("/api/derive", json={"exercise": CURVE})
    again = c.post("/api/derive", content=b'{ "exercise" : {"formula": "x**2*sin(x)"} }', headers=kind)
    assert first.json() == again.json()
    assert first.json()["ok"]
    assert len(here.asked) == 1
    assert here.counts.numbers == {"requests": 2, "computed": 1, "answered from memory": 1}


def test_the_address_says_the_job_and_the_body_does_not():
    here = Here()
    c = client(here=here)
    for job in ("derive", "look", "sheet"):
        found = c.post("/api/look", json={"exercise": CURVE, "job": job}).json()
        assert found == {"ok": True, **JOBS["look"]({"exercise": CURVE})}
    assert [request["job"] for request in here.asked] == ["look"]  # one question, in whatever words


def test_a_question_that_is_under_way_is_asked_once():
    class Slow(Here):
        def submit(self, request):
            self.asked.append(request)
            self.last = Future()
            return self.last

    async def both():
        slow = Slow()
        answers = app.Answers(slow)
        waiting = [asyncio.create_task(answers.get(request)) for request in (b"a", b"b", b"a")]
        await asyncio.sleep(0)
        first, slow.asked = slow.asked, []
        waiting[0].cancel()  # the client is gone: the others wait still
        await asyncio.sleep(0)
        slow.last.set_result(b'{"ok": true, "x": "b"}')
        assert await waiting[1] == b'{"ok": true, "x": "b"}'
        assert not waiting[2].done()
        assert slow.asked == []
        return first

    assert asyncio.run(both()) == [b"a", b"b"]


def test_what_was_asked_for_last_is_forgotten_last():
    kept = app.Answers(Here(lambda request: b'{"ok": true}'), most=1000)
    for request in (b"1" * 8, b"2" * 8, b"1" * 8, b"3" * 8):
        asyncio.run(kept.get(request))
    kept._most = 3 * 20
    kept._keep(b"4" * 8, b'{"ok": true}')
    assert [k[:1] for k in kept._kept] == [b"1", b"3", b"4"]
    assert kept._size == 60


def test_the_same_question_in_another_order_is_the_same():
    here = Here()
    c = client(here=here)
    first = c.post("/api/look", json={"exercise": {"formula": "x*y", "wrt": "y"}})
    again = c.post("/api/look", json={"exercise": {"wrt": "y", "formula": "x*y"}})
    assert first.content == again.content
    assert first.headers["cache-control"] == "no-store"
    assert len(here.asked) == 1


@pytest.mark.parametrize(("kind", "status"), [("busy", 503), ("time", 200), ("memory", 200), ("worker", 500)])
def test_what_the_moment_is_to_blame_for_is_asked_again(kind, status):
    here = Here(lambda request: json.dumps({"ok": False, "error": {"kind": kind, "what": "…", "at": None}}).encode())
    c = client(here=here)
    found = [c.post("/api/look", json={"exercise": CURVE}) for _ in range(2)]
    assert [f.status_code for f in found] == [status, status]
    assert found[0].headers.get("retry-after") == ("1" if kind == "busy" else None)
    assert len(here.asked) == 2


def test_a_large_answer_takes_no_place_of_others():
    here = Here(lambda request: b'{"ok": true}' + b" " * json.loads(request))
    kept = app.Answers(here, most=1600)
    for size in (86, 87):  # with the question and the rest 100 and 101 bytes, of 100
        asyncio.run(kept.get(str(size).encode()))
    assert list(kept._kept) == [b"86"]


def test_memory_of_answers_is_bounded():
    here = Here(lambda request: b'{"ok": true, "x": "' + b"x" * 1000 + b'"}')
    kept = app.Answers(here, most=20_000)
    for k in range(100):
        kept._keep(b"%d" % k, here._answer(b""))
    assert len(kept._kept) < 20
    assert kept._size == sum(len(a) + len(b) for a, b in kept._kept.items())


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[1]", "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"[" * 5000 + b"]" * 5000, "application/json", 400),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "application/json", (200, 400)),
        (b'{"exercise": {"formula": "\\ud800"}}', "application/json", 200),
        (b'{"exercise": {"formula": NaN}}', "application/json", 200),
        (b"{}", "text/plain", 415),
        (b"{}", "application/x-www-form-urlencoded", 415),
        (b" " * 70_000, "application/json", 413),
    ],
)
def test_bodies_that_are_none_are_refused(page, content, kind, status):
    found = page.post("/api/look", content=content, headers={"content-type": kind})
    assert found.status_code in (status if isinstance(status, tuple) else (status,))
    assert found.json()["ok"] is False


@pytest.mark.parametrize(("size", "status"), [(64 * 1024, 200), (64 * 1024 + 1, 413)])
@pytest.mark.parametrize("in_parts", [False, True])
def test_a_body_has_64_kilobytes_at_most(page, in_parts, size, status):
    body = json.dumps({"exercise": CURVE}).encode().ljust(size)

    async def parts():
        for start in range(0, size, 1000):
            yield body[start : start + 1000]

    content = parts() if in_parts else body
    found = page.post("/api/look", content=content, headers={"content-type": "application/json"})
    assert found.status_code == status


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e%2fapp.py", "/static/.git", "/static/", "/app.py"]
)
def test_only_files_of_the_page_are_given_out(page, path):
    assert page.get(path).status_code == 404


def test_there_are_jobs_only_where_they_are_and_by_post(page):
    assert page.post("/api/system", json={}).status_code == 404
    assert page.get("/api/look").status_code == 405
    assert set(JOBS) >= {"look", "derive", "steps", "graph", "plot", "numbers", "code", "problem", "hint", "grade"}


OTHERS = [
    "evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "localhost.evil:80",
    "127.0.0.1:8000, evil.example", "127.0.0.1:\tevil.example", "\tevil.example", "127.0.0.1:8000\tevil.example",
    "[::1]evil.example", "[::1", "::1", "::1]", "[127.0.0.1]", "[localhost]", "[::1%25lo]", "[]", "[:]", "[::1]:8000:1",
    "localhost:80@evil.example", "evil.example@localhost", "user@localhost:8000", "localhost/evil", "localhost?", "a b",
    "localhost:evil", "localhost:-1", "localhost:65536", "localhost:1e3", "localhost:²", "localhost:80:80", ":8000",
    "localhost ", " localhost", "localhost\n", "localhost\0", "http://localhost", "*", "127.1", "2130706433",
]  # fmt: skip


@pytest.mark.parametrize("host", OTHERS)
@pytest.mark.parametrize("guard", [Guard(), Guard("0.0.0.0", "token")], ids=["loopback", "open"])
def test_other_names_are_not_answered(page, guard, host):
    assert guard.refusal({"host": host}).startswith("this server does not answer to that name")
    if guard == Guard() and host.isascii() and host.isprintable():
        found = page.post("/api/look", json={"exercise": CURVE}, headers={"host": host})
        assert found.status_code == 403
        assert page.get("/", headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "127.0.0.1", "LocalHost", "localhost:", "[::1]", "[0:0::0:1]"],
)
def test_this_machines_names_are_answered(page, host):
    assert page.get("/", headers={"host": host}).status_code == 200


def test_two_hosts_are_none(page):
    both = [("host", "127.0.0.1:8000"), ("host", "evil.example")]
    for headers in (both, both[::-1], [both[0], both[0]]):
        assert page.get("/", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://127.0.0.1:9999"},
     {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}],
)  # fmt: skip
def test_other_pages_are_refused(page, headers):
    assert page.post("/api/look", json={"exercise": CURVE}, headers=headers).status_code == 403
    for origin in (BASE, BASE.replace("http", "https")):  # behind a proxy that encrypts
        own = {"origin": origin, "sec-fetch-site": "same-origin"}
        assert page.post("/api/look", json={"exercise": CURVE}, headers=own).status_code == 200


def test_a_link_on_another_page_opens_this_one(page):
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert page.get("/", headers=link).status_code == 200
    assert page.get("/sheet?topic=chain", headers=link).status_code == 200
    assert page.get("/api/gallery", headers=link).status_code == 403
    assert page.get("/", headers={**link, "sec-fetch-mode": "no-cors"}).status_code == 403
    assert page.post("/", headers=link).status_code == 403


def test_a_token_is_needed_where_there_is_one():
    c = client(Guard("0.0.0.0", "secret"), base="http://192.168.1.5:8000")
    assert c.get("/").status_code == 200
    assert c.get("/api/gallery").status_code == 403
    assert c.post("/api/look", json={"exercise": CURVE}).status_code == 403
    assert c.post("/api/look", json={"exercise": CURVE}, headers={TOKEN: "wröng".encode()}).status_code == 403
    assert c.post("/api/look", json={"exercise": CURVE}, headers={TOKEN: "secret"}).json()["ok"]
    assert c.get("/sheet?topic=chain").status_code == 403
    assert c.get("/sheet?topic=chain&token=secret").status_code == 200
    assert c.get("/", headers={"host": "evil.example"}).status_code == 403


def test_a_server_that_others_reach_needs_a_token_and_says_why():
    with pytest.raises(ArgumentError, match=r"--host 0\.0\.0\.0: other machines can then reach .* add --token"):
        serving.serve("0.0.0.0", 0)
    assert [is_loopback(h) for h in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "10.0.0.1", "example")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip


def test_the_address_for_other_machines_is_told_and_answered():
    said = []
    guard = Guard("0.0.0.0", "a b&c")
    serving._told(guard, 8000, False, said.append)
    assert said[0] == "symgrad serves on http://0.0.0.0:8000/?token=a%20b%26c"
    name = socket.gethostname()
    assert f"http://{name}:8000/?token=a%20b%26c" in said[2]
    for host in [name, f"{name}.local", *re.findall(r"http://([^:/]+):", said[2])]:
        assert guard.refusal({"host": f"{host}:8000"}) is None
    assert guard.refusal({"host": "local:8000"}) is not None
    assert guard.refusal({"host": f"{name}.example:8000"}) is not None
    assert Guard().refusal({"host": f"{name}.local:8000"}) is not None


@pytest.mark.parametrize(("host", "opened"), [("0.0.0.0", "http://127.0.0.1:81/"), ("::1", "http://[::1]:81/")])
def test_the_browser_opens_an_address_of_this_machine(host, opened, monkeypatch):
    asked_for = []
    monkeypatch.setattr(serving.webbrowser, "open", asked_for.append)
    serving._told(Guard(host), 81, True, lambda text: None)
    assert asked_for == [opened]
    with pytest.raises(ArgumentError, match=r"--host 192\.0\.2\.1: other machines"):
        serving.serve(host="192.0.2.1")


def test_a_port_that_is_taken_is_told():
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(ArgumentError, match=r"in use\. Use another port"),
    ):
        serving.serve(port=taken.getsockname()[1])


def test_a_sheet_is_a_page_with_room_or_solutions(page):
    empty = page.get("/sheet?topic=chain&level=2&seed=3")
    assert empty.headers["content-type"] == "text/html; charset=utf-8"
    assert empty.text.count('class="answer-room ') == 10
    assert "<script" not in empty.text
    assert page.get("/sheet?topic=chain&level=2&seed=3&solutions=1").text.count('class="solution ') == 10
    solved = page.get("/sheet?topic=chain&level=2&seed=3&solutions=1").text
    for kind, text in (("Problems", empty.text), ("Solutions", solved)):
        assert f"<title>{kind}: chain, level 2</title>" in text
        assert f"<h1>{kind}: chain, level 2</h1>" in text
        assert "Sheet 3" in text
    problem = {"question": "a < b", "mathml": "<math></math>"}
    hostile = sheet.page({"topic": "<b>", "level": 1, "problems": [problem]}, {"seed": "<i>"})
    assert "<title>Problems: &lt;b&gt;, level 1</title>" in hostile
    assert "<p>a &lt; b</p>" in hostile
    assert "<b>" not in hostile
    assert "<i>" not in hostile
    wrong = page.get("/sheet?topic=<script>&level=2")
    assert wrong.status_code == 400
    assert wrong.headers["content-type"] == "application/json"


# ------------------------------------------------------------------ workers
@pytest.fixture(scope="module")
def workers():
    made = pool.WorkerPool(2, pool.Limits(0.4, 512 * 2**20), web_answers.answer)
    try:
        made.wait()
        yield made
    finally:
        made.close()


def given(made, **data):
    return json.loads(made.ask(json.dumps(data).encode()))


def test_a_request_that_takes_too_long_is_ended_and_the_pool_goes_on(workers):
    start = time.monotonic()
    assert given(workers, spin=60)["error"]["kind"] == "time"
    assert time.monotonic() - start < 30
    assert given(workers)["ok"]
    assert len(workers.workers) == 2


def test_memory_and_files_and_processes_are_bounded(workers, tmp_path):
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux bounds them")
    assert given(workers, take=1024)["error"]["what"] == "MemoryError"
    assert given(workers, take=32)["ok"]
    assert given(workers, write=str(tmp_path / "file"))["error"]["what"] == "OSError"
    if os.geteuid():
        assert not given(workers, start=1)["ok"]


def test_a_request_whose_worker_dies_is_tried_once_more(workers, tmp_path):
    before = {w.process.pid for w in workers.workers}
    found = given(workers, die_once=str(tmp_path / "met"))
    assert found["ok"]
    assert {w.process.pid for w in workers.workers} != before
    assert given(workers, die=1)["error"]["kind"] == "worker"
    for w in workers.workers:
        os.kill(w.process.pid, signal.SIGKILL)
        w.process.join(20)
    assert given(workers)["ok"]


def test_a_worker_is_replaced_after_so_many_requests(monkeypatch):
    monkeypatch.setattr(pool, "SERVED", 3)
    made = pool.WorkerPool(1, pool.Limits(5.0, 512 * 2**20), web_answers.answer)
    try:
        by = [given(made)["by"] for _ in range(7)]
        assert [by.index(one) for one in by] == [0, 0, 0, 3, 3, 3, 6]
        assert len(made.workers) == 1
        assert made.counts.numbers == {}
    finally:
        made.close()


def test_a_request_that_waited_too_long_is_told_so(workers):
    late = json.loads(workers._answered(b"{}", time.monotonic() - pool.WAITING - 1))
    assert late["error"]["kind"] == "busy"
    assert "no worker was free in time" in late["error"]["what"]
    workers._waiting = 0
    assert given(workers)["ok"]
    assert workers._waiting == 0


def test_a_queue_that_is_full_says_so_at_once(workers):
    held = [workers.submit(b'{"spin": 0.02}') for _ in range(90)]
    kinds = [json.loads(f.result(60)) for f in held]
    busy = [k for k in kinds if not k["ok"]]
    assert {k["error"]["kind"] for k in busy} == {"busy"}
    assert len(kinds) - len(busy) == 2 * (pool.PER_WORKER + 1)
    assert given(workers)["ok"]


# ------------------------------------------------------------------ a server of its own
@contextmanager
def running(here):
    """A server in a thread; yields its port."""
    bound = threading.Event()
    server = serving._Server(
        uvicorn.Config(app.application(here), http=protocol.Patient, **serving._config("127.0.0.1", 0))
    )
    ports = []
    server.started_at = lambda port: (ports.append(port), bound.set())
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert bound.wait(20)
    try:
        yield ports[0]
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive()


def spoken(port, *parts, wait=10):
    """What a server says to bytes, until it ends the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=wait) as s:
        for part in parts:
            s.sendall(part)
        found = b""
        try:
            while part := s.recv(65536):
                found += part
        except ConnectionResetError:
            pass
    return found


def test_slow_and_broken_clients_are_cut_off_and_others_are_served(monkeypatch):
    monkeypatch.setattr(protocol, "HEAD", 0.3)
    monkeypatch.setattr(protocol, "WHOLE", 0.6)
    head = b"POST /api/topics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    with running(Here()) as port:
        assert spoken(port, b"GET / HTT") == b""  # a head that never ends
        assert spoken(port) == b""  # nobody speaks
        assert spoken(port, head + b"Content-Length: 2\r\n\r\n{") == b""  # a body that never ends
        assert spoken(port, b"\x16\x03\x01 what?\r\n\r\n").startswith(b"HTTP/1.1 400")
        assert spoken(port, b"GET / HTTP/1.1\r\nHost: a\r\nx: " + b"y" * 40_000).startswith(b"HTTP/1.1 400")
        assert b" 400 " in spoken(port, head + b"Content-Length: nine\r\n\r\n")
        assert b" 413 " in spoken(port, head + b"Connection: close\r\nContent-Length: 999999999\r\n\r\n")
        said = spoken(port, head + b"Connection: close\r\nContent-Length: 2\r\n\r\n{}")
    assert b" 200 " in said
    assert b'"name": "chain"' in said
    assert not re.search(rb"(?i)^(server|date|set-cookie):", said, re.M)


def of_session(leader):
    """The processes that a process has started, and those that they have; none where the system does not list them."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended in the meantime
            state, _, _, session = stat.read_text().rpartition(")")[2].split()[:4]
            found += [int(stat.parent.name)] if int(session) == leader and state != "Z" else []
    return found


def gone(leader, wait=8):
    """Whether all of a session end within some seconds."""
    until = time.monotonic() + wait
    while of_session(leader) and time.monotonic() < until:
        time.sleep(0.02)
    left = of_session(leader)
    for pid in left:  # never leave any behind
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return not left


@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_the_command_serves_until_it_is_ended_and_all_its_processes_with_it(how):
    words = [sys.executable, "-m", "symgrad", "serve", "--port", "0", "--workers", "1"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    timer = threading.Timer(120, process.kill)
    timer.start()
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())[0]
        with httpx.Client(base_url=address, timeout=60, trust_env=False) as c:
            assert c.get("/").status_code == 200
            found = c.post("/api/derive", json={"exercise": CURVE}).json()
        if how == "SIGKILL":  # in the middle of a request
            long = {"exercise": {"formula": LONG_FORMULA, "wrt": "x", "order": 3}}
            with pytest.raises(httpx.ReadTimeout):
                httpx.post(address + "api/derive", json=long, timeout=0.5, trust_env=False)
        process.send_signal(getattr(signal, how))
        process.wait(60)
        at_once = of_session(process.pid)
        assert gone(process.pid)
        _, errors = process.communicate(timeout=60)
    finally:
        timer.cancel()
        process.kill()
        gone(process.pid)
    assert found["text"] == "x*(x*cos(x) + 2*sin(x))"
    if how != "SIGKILL":  # which leaves nobody to wait for the others
        assert at_once == []
        assert (process.returncode, errors.strip()) == (0, "symgrad serve: 2 requests, 1 computed")
