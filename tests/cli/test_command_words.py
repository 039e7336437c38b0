"""How the words of ``symgrad`` may be written, what is refused since it does nothing, and where marks stand."""

import io
import json
import re
import subprocess
import sys

import pytest

from symgrad.cli.main import main
from symgrad.cli.words import as_argparse
from symgrad.support.plain import ascii_marked

SQUARES = "sum((X @ w - y)**2)"
SPELLINGS = [
    ["derive", SQUARES, "--wrt", "w", "--shape", "X=n,d", "w=d", "y=n"],
    ["derive", "--shape", "X=n,d", "w=d", "y=n", SQUARES, "--wrt", "w"],
    ["derive", SQUARES, "--wrt", "w", "--shape=X=n,d", "w=d", "--shape", "y=n"],
    ["derive", SQUARES, "--wrt", "w", "--shape", "X=n,d w=d y=n"],
    ["derive", SQUARES, "--wrt", "w", "--shape", "X=n,d,w=d;y=n"],
]


@pytest.mark.parametrize("words", SPELLINGS, ids=range(len(SPELLINGS)))
def test_shapes_are_given_in_one_go(words, capsys):
    assert main(words) == 0
    assert capsys.readouterr().out == "2*Xᵀ*(X*w - y)\n"


def test_values_are_given_in_one_go_and_are_those_of_each_name(capsys):
    assert main(["derive", "x**2*y", "--wrt", "x,y", "--at", "x=2,y=3"]) == 0
    assert capsys.readouterr().out == "d/dx = 2*x*y\nd/dy = x**2\nat x=2, y=3:\nd/dx = 12.0\nd/dy = 4.0\n"
    assert main(["derive", "x**2*y", "--wrt", "x", "--at", "y=3", "x=2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["value"] == 12.0


def test_an_explanation_is_evaluated_at_its_own_variable(capsys):
    assert main(["explain", "x**2*y", "--wrt", "x", "--at", "y=3", "x=2"]) == 0
    assert capsys.readouterr().out.endswith("f′(2) = 12\n")


def test_an_explanation_without_names_is_by_all_of_them(capsys):
    assert main(["explain", "x**2*y"]) == 0
    out = capsys.readouterr().out
    assert "∂f/∂x = 2x·y" in out
    assert "∂f/∂y = x²" in out


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["derive", "-x**2", "--wrt", "x"], "-2*x\n"),
        (["derive", "--wrt", "x", "-(x + 1)**2"], "-2*x - 2\n"),
        (["derive", "-h*x", "--wrt", "h,x", "--form", "scalar"], "d/dh = -x\nd/dx = -h\n"),
        (["derive", "--wrt", "x", "--", "-x**2"], "-2*x\n"),
        (["grade", "-sin(x)", "--of", "cos(x)", "--wrt", "x"], "Right.\n"),
        (["grade", "sin(x)", "--of", "-cos(x)", "--wrt", "x"], "Right.\n"),
    ],
)
def test_a_formula_begins_with_a_minus_sign(words, printed, capsys):
    assert main(words) == 0
    assert capsys.readouterr().out == printed


def test_options_of_one_letter_stay_options():
    words = ["export", "-x", "-oloss.c", "-o", "f.py", "-h", "-", "-o.T*x"]
    assert as_argparse(words) == ["export", " -x", "-oloss.c", "-o", "f.py", "-h", "-", " -o.T*x"]


# ------------------------------------------------------------------ standard input
@pytest.mark.parametrize("words", [["derive", "-", "--wrt", "x"], ["grade", "-", "--of", "x**2", "--wrt", "x"]])
def test_a_formula_comes_from_standard_input(words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO({"derive": "x**2\n", "grade": "  2*x\n\n"}[words[0]]))
    assert main(words) == 0
    assert capsys.readouterr().out == {"derive": "2*x\n", "grade": "Right.\n"}[words[0]]


@pytest.mark.parametrize(
    ("given", "said"),
    [(b"", "it is empty"), (b"\xff\xfe", "not text"), (b"x" * 20_000, "more than 10000"), (b"x\0", "null bytes")],
)
def test_what_is_no_formula_on_standard_input_is_refused(given, said, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
    assert main(["derive", "-", "--wrt", "x"]) == 2
    assert said in capsys.readouterr().err


# ------------------------------------------------------------------ what does nothing
NOTHING = [
    (["derive", "x**2", "--wrt", "x", "--at", "y=2"], "--at y: the formula does not contain y"),
    (["derive", "x**2*y", "--wrt", "x", "--shape", "y=", "--at", "x=2"], "--at: y has no value"),
    (["derive", "x*y*z", "--wrt", "x", "--shape", "y=", "z=", "--at", "x=2"], "y, z have no value"),
    (["derive", "x**2", "--wrt", "x", "--at", "x=2", "--latex"], "--at has no effect with --latex"),
    (["derive", "x**2", "--wrt", "x", "--at", "x=2", "x=3"], "--at x: got 2 and 3"),
    (["derive", "x**2", "--wrt", "x", "--shape", "x=2", "x=3"], "--shape x: got 2 and 3"),
    (["derive", "x**2", "--wrt", "x", "--assume", "y=positive"], "--assume y: the formula does not contain y"),
    (["derive", "x'*x", "--syntax", "matlab", "--wrt", "x", "--shape", "x=n", "--at", "y=2"], "does not contain y"),
    (["explain", "x**2*y", "--wrt", "x", "--shape", "y=", "--at", "x=2"], "--at: y has no value"),
    (["report", "x**2*y", "--wrt", "x", "--shape", "y=", "--at", "x=2"], "--at: y has no value"),
    (["graph", "x**2*y", "--at", "x=2"], "--at: y has no value"),
    (["table", "x**2", "--wrt", "x", "--at", "x=2"], "the points of x are given by --over"),
    (["check", "math:sin", "--at", "x=2"], "--at gives a name of a formula a value"),
    (["export", "x", "--at", "x=2", "--target", "c"], "--at: only the program of --test calls the function"),
]


@pytest.mark.parametrize(("words", "said"), NOTHING, ids=[" ".join(w) for w, _ in NOTHING])
def test_what_does_nothing_is_an_error(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert (out, list(tmp_path.iterdir())) == ("", [])
    assert said in err


@pytest.mark.parametrize("command", ["ops", "exercises"])
def test_commands_without_values_take_none(command, capsys):
    with pytest.raises(SystemExit) as caught:
        main([command, "x", "--at", "x=2"])
    assert caught.value.code == 2
    assert "--at" in capsys.readouterr().err


def test_a_name_that_the_derivative_lacks_needs_no_value(capsys):
    assert main(["derive", "x**2 + y", "--wrt", "x", "--shape", "y=", "--at", "x=2"]) == 0
    assert capsys.readouterr().out == "2*x\n= 4.0\n"


# ------------------------------------------------------------------ marks
@pytest.mark.parametrize(
    ("formula", "shown", "mark"),
    [("σ+2&", "sigma+2&", 7), ("λ*中 + 2&", "lambda*\\u4e2d + 2&", 17), ("x̂ + 2&", "x + 2&", 5), ("x+2&", "x+2&", 3)],
)
def test_the_mark_stays_below_its_sign_in_ascii(formula, shown, mark, capsys):
    assert main(["derive", formula, "--wrt", "x", "--ascii"]) == 2
    err = capsys.readouterr().err
    assert err.isascii()
    assert err.splitlines()[1:] == [f"  {shown}", " " * (mark + 2) + "^"]


def test_lines_without_a_mark_are_as_before():
    assert ascii_marked("σ(x)\n  ^y") == "sigma(x)\n  ^y"


# ------------------------------------------------------------------ hostile words
HOSTILE = [
    "", " ", "\0", "\udcff", "'", '"', "(" * 200, "x" * 20_000, "x=", "=x", "é" * 300, "--", "x[" * 100, "1e999",
    "9" * 400, "\u202ex", "{x}", "%s%n", "`x`", "$(x)", "x;y", "#", "\\", "__class__", "x.__class__",
]  # fmt: skip
PLACES = [
    ["derive", "?", "--wrt", "x"], ["derive", "x", "--wrt=?"], ["derive", "x", "--wrt", "x", "--shape=?"],
    ["derive", "x", "--wrt", "x", "--shape=x=?"], ["derive", "x", "--wrt", "x", "--at=x=?"],
    ["derive", "x", "--wrt", "x", "--assume=?"], ["table", "x", "--over=?"], ["graph", "x", "--output=?"],
    ["grade", "?", "--of", "x", "--wrt", "x"], ["grade", "x", "--of=?", "--wrt", "x"], ["check", "?:f"],
    ["exercises", "?"], ["export", "?", "--target", "c"], ["explain", "?", "--wrt", "x"],
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES, ids=" ".join)
def test_hostile_words_are_refused_without_a_traceback(place, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for word in HOSTILE:
        try:
            status = main([p.replace("?", word) for p in place])
        except SystemExit as stopped:  # argparse's
            status = stopped.code
        out, err = capsys.readouterr()
        assert status in (0, 1, 2)
        assert "Traceback" not in out + err
        assert (status == 2) == bool(err), (word, out, err)
        assert len(err) < 2000


def test_no_words_are_a_usage_error():
    done = subprocess.run([sys.executable, "-m", "symgrad"], capture_output=True, text=True)
    assert done.returncode == 2
    assert re.match(r"usage: symgrad \[-h\]", done.stderr)
