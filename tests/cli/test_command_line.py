"""The command ``symgrad``: what it prints, its exit status, and what it refuses."""

import errno
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from symgrad.cli.main import main
from symgrad.cli.output import folded
from symgrad.support.plain import ascii_source, ascii_text

LEAST_SQUARES = ["sum((X @ w - y)**2)", "--shape", "X=n,d", "--shape", "w=d", "--shape", "y=n"]
PRINTED = [
    (["derive", *LEAST_SQUARES, "--wrt", "w"], "2*Xᵀ*(X*w - y)\n"),
    (["derive", *LEAST_SQUARES, "--wrt", "w", "--latex"], "2 X^{\\top} \\left(X w - y\\right)\n"),
    (["derive", *LEAST_SQUARES, "--wrt", "w", "--order", "2"], "2*Xᵀ*X\n"),
    (["derive", *LEAST_SQUARES, "--wrt", "w,X"], "d/dw = 2*Xᵀ*r\nd/dX = 2*r*wᵀ\nwhere r = X*w - y\n"),
    (["derive", "sum(x**2)", "--wrt", "x", "--shape", "x=2", "--form", "scalar"], "[2*x_0, 2*x_1]\n"),
    (["derive", "x @ A @ x", "--wrt", "x", "--shape", "x=n", "--shape", "A=n,n", "--form", "index"],
     "Sum_k x_k*(A_ik + A_ki)\n"),
    (["derive", "x @ A @ x", "--wrt", "x", "--shape", "x=n", "--shape", "A=n,n", "--assume", "A=symmetric"], "2*A*x\n"),
    (["derive", "sum(x**2)", "--wrt", "x", "--at", "x=[1, 2]"], "2*x\n= [2. 4.]\n"),
    (["derive", "a*x**2", "--wrt", "x", "--shape", "a="], "2*a*x\n"),
    (["derive", "e**(2*x)", "--wrt", "x"], "2*exp(2*x)\n"),
    (["derive", "sum(x**3)", "--wrt", "x", "--shape", "x=n", "--order", "2", "--form", "index"], "6*x_i*δ_ij\n"),
    (["derive", "x*y", "--wrt", "x,y", "--form", "index"], "d/dx = y\nd/dy = x\n"),
    (["derive", "x*y", "--wrt", "x,y", "--latex"],
     "\\frac{\\partial}{\\partial x} = y\n\\frac{\\partial}{\\partial y} = x\n"),
    (["derive", "x^2 + y^2 = 25", "--wrt", "x"], "-x/y\n"),
    (["derive", "x^2 + y^2 = 25", "--order", "2", "--latex"], "-\\frac{25}{y^{3}}\n"),
    (["derive", "x = cos(t), y = sin(t)"], "-1/tan(t)\n"),
    (["derive", "x y i + y^2 j", "--wrt", "x"], "[y, 0]\n"),
    (["derive", "(2/3)^x", "--wrt", "x", "--latex"],
     "\\left(\\frac{2}{3}\\right)^{x} \\log\\left(\\frac{2}{3}\\right)\n"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "text"), PRINTED, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_derive_prints(arguments, text, capsys):
    assert main(arguments) == 0
    assert capsys.readouterr().out == text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["derive", "x*log(x)", "--wrt", "x"], "ln(x) + 1"),
        (["derive", "x*log(x)", "--wrt", "x", "--latex"], r"\ln\left(x\right) + 1"),
        (["derive", "logdet(A)*log(x)", "--wrt", "x", "--shape", "A=n,n", "--json"], "ln"),
        (["explain", "x*log(x)", "--wrt", "x"], "ln(x) + 1"),
        (["table", "x*log(x)", "--wrt", "x"], "ln(x) + 1"),
    ],
)
def test_the_natural_logarithm_is_called_as_asked_for(arguments, text, capsys):
    assert main([*arguments, "--logarithm", "ln"]) == 0
    printed = capsys.readouterr().out
    assert text in printed
    assert not re.search(r"\blog\b", printed)
    main(["derive", "x*log(x)", "--wrt", "x"])
    assert capsys.readouterr().out == "log(x) + 1\n"  # of that command alone


def test_equations_are_explained_and_take_no_shapes(capsys):
    assert main(["explain", "x^2 + y^2 = 25", "--wrt", "x"]) == 0
    assert "2x + 2y·y′ = 0" in capsys.readouterr().out
    assert main(["derive", "x^2 + y^2 = 25", "--wrt", "x", "--at", "x=3"]) != 0
    assert "is an equation: expected one name in --wrt, and no --at" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("format", "start"), [("moodle", "<?xml"), ("latex", r"\documentclass"), ("html", "<!doctype html>")]
)
def test_a_sheet_is_printed_in_its_format(format, start, capsys):
    assert main(["sheet", "product", "--count", "1", "--format", format]) == 0
    assert capsys.readouterr().out.lower().startswith(start)
    assert main(["sheet", "product", "--format", "pdf"]) != 0
    assert "is not printed. Name it with -o" in capsys.readouterr().err


def test_derive_prints_json(capsys):
    assert main(["derive", *LEAST_SQUARES, "--wrt", "w", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["text"] == "2*Xᵀ*(X*w - y)"
    assert found["shape"] == ["d"]
    assert found["args"] == ["X", "w", "y"]


def test_named_intermediates_stand_on_lines_of_their_own(capsys):
    main(["derive", "sum(sigmoid(W @ tanh(V @ x)))", "--wrt", "V", "--shape", "W=k,h", "--shape", "V=h,d", "--shape",
          "x=d", "--form", "where"])  # fmt: skip
    _, where, *definitions = capsys.readouterr().out.splitlines()
    assert where == "  where"
    assert len(definitions) >= 2
    assert all(" = " in line for line in definitions)


def test_grade_prints_what_is_to_be_said_and_exits_1_where_the_answer_is_wrong(capsys):
    assert main(["grade", "2*x*cos(x)", "--of", "x**2*sin(x)", "--wrt", "x"]) == 1
    assert capsys.readouterr().out.startswith("Wrong (product): In the product x^2*sin(x) one factor")
    assert main(["grade", "2*X.T @ (X @ w - y)", "--of", LEAST_SQUARES[0], *LEAST_SQUARES[1:], "--wrt", "w"]) == 0
    assert capsys.readouterr().out == "Right.\n"
    assert main(["grade", "2*x", "--of", "x**3", "--wrt", "x", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["right"], found["slip"], found["at"]["point"]) == (False, "other", {"x": 2})


def test_exercises_prints_problems_and_solutions(capsys):
    assert main(["exercises", "chain", "--level", "2", "--count", "2", "--solutions"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:2] for line in lines] == ["1.", "  ", "2.", "  "]
    assert main(["exercises", "chain", "--count", "1", "--latex", "--steps"]) == 0
    assert capsys.readouterr().out.startswith(r"\frac{\partial}{\partial x} \left[")


REFUSED = [
    (["grade", "2*x +", "--of", "x**2", "--wrt", "x"], "something is missing behind +"),
    (["grade", "2*x", "--of", "x**2"], "with respect to what?"),
    (["exercises", "chian"], "Did you mean 'chain'?"),
    (["derive", "x**2"], "with respect to what?"),
    (["derive", "__import__('os')", "--wrt", "x"], "not a function that formulas may call"),
    (["derive", "lambda", "--wrt", "lambda"], "cannot be a name"),
    (["derive", "x^2", "--wrt", "x", "--syntax", "python"], "a power is **"),
    (["derive", "sin*x", "--wrt", "x"], "'sin' is a function; write sin(…)"),
    (["derive", "x", "--wrt", "x", "--shape", "x"], "Expected NAME=…"),
    (["derive", "x", "--wrt", "x", "--shape", "x=a b"], "is not a size"),
    (["derive", "x", "--wrt", "x", "--shape", "x=-1"], "is not a size"),
    (["derive", "x", "--wrt", "x", "--at", "x=open('f')"], "Expected a number"),
    (["derive", "x", "--wrt", "x", "--at", "x=[1,[2]]"], "Expected a number"),
    (["derive", "x", "--wrt", "x", "--shape", "x=2,2", "--at", "x=[1,2]"], "declared as [2, 2]"),
    (["derive", "x", "--wrt", "x", "--assume", "x=odd"], "'odd' is unknown"),
    (["derive", "x", "--wrt", "x", "--order", "0"], "order"),
    (["check", "no_such_module:f", "--shape", "x=2"], "cannot be imported"),
    (["check", "math:no_such_name", "--shape", "x=2"], "has no 'no_such_name'"),
    (["check", "math:pi", "--shape", "x=2"], "Expected a function"),
    (["check", "numpy:sin"], "no inputs are given"),
    (["check", "numpy:sin", "--shape", "x=n"], "sizes that are numbers"),
    (["check", "numpy:sin", "--shape", "x=9999999"], "entries"),
    (["derive", "sum(x)", "--wrt", "x", "--shape", "x=999999999"], "999999999 entries are too many"),
    (["check", "sum(x**2)", "--shape", "x=1000000"], "1000000 entries are too many"),
    (["check", "kron(x, x)", "--shape", "x=900"], "a result of 810000 entries from 900"),
    (["check", "kron(kron(x, x), x)", "--shape", "x=900"], "more than 1000000 entries"),
    (["derive", "outer(x, x)", "--wrt", "x", "--shape", "x=1000"], "has 1000000000 entries"),
    (["derive", "svd(A)[3]", "--wrt", "A", "--shape", "A=3,3"], "there is no part 3"),
    (["check", "os:getcwd", "--shape", "x=2"], "TypeError: "),
    (["check", "sys:exit", "--shape", "x=2"], "SystemExit"),
    (["check", "x", "--shape", "x=2", "--seed", "-1"], "got --seed -1"),
    (["check", "x", "--shape", "x=2", "--rtol", "nan"], "--rtol nan"),
    (["derive", "x\udcff", "--wrt", "x"], "cannot be read"),
]


@pytest.mark.parametrize(("arguments", "reason"), REFUSED, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_wrong_arguments_are_said_on_standard_error(arguments, reason, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"symgrad {arguments[0]}: ")
    assert f"{arguments[0]}: {arguments[0]}: " not in err
    assert reason in err


@pytest.mark.parametrize("arguments", [[], ["frob"], ["derive"], ["derive", "x", "--order", "two"]])
def test_usage_is_said_with_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: symgrad" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        "",
        "derive",
        "check",
        "explain",
        "grade",
        "exercises",
        "export",
        "report",
        "graph",
        "table",
        "plot",
        "ops",
        "completion",
        "man",
    ],
)
def test_help_fits_a_terminal(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([command, "--help"] if command else ["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("usage: symgrad")
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("error", "said"),
    [(OSError(errno.ENOSPC, "No space left on device"), "No space left on device"), (MemoryError(), "memory.")],
)
def test_a_machine_without_space_is_said_in_one_line(error, said, monkeypatch, capsys):
    def full(text):
        raise error

    monkeypatch.setattr("symgrad.cli.commands.show", full)
    assert main(["derive", "x**2", "--wrt", "x"]) == 2
    assert re.fullmatch(f"symgrad derive: [^:]*{said}\n", capsys.readouterr().err)


@pytest.mark.parametrize("formula", ["logsumexp(x, 0)", "numpy:sin"])
def test_check_prints_the_witnesses(formula, capsys):
    assert main(["check", formula, "--shape", "x=3"]) == 0
    assert "all witnesses agree" in capsys.readouterr().out


def test_check_takes_names_as_sizes_of_a_formula(capsys):
    assert main(["check", "sum(X @ w)", "--shape", "X=n,d", "--shape", "w=d"]) == 0
    assert "  1      matrix notation" in capsys.readouterr().out


def test_check_has_status_1_where_witnesses_disagree(tmp_path, monkeypatch, capsys):
    (tmp_path / "wrong_rule.py").write_text(
        "import symgrad as sg\n"
        "class Double(sg.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        return 2 * x\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        return 3 * g\n"
        "def f(x):\n"
        "    return Double.apply(x).sum()\n"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["check", "wrong_rule:f", "--shape", "x=2"]) == 1
    assert "DISAGREE" in capsys.readouterr().out


def test_it_runs_as_a_module_and_a_closed_pipe_is_no_error():
    command = [sys.executable, "-m", "symgrad", "derive", "x**2", "--wrt", "x"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "2*x\n"
    closed = subprocess.run(f"{' '.join(map(repr, command))} | true", shell=True, capture_output=True, text=True)
    assert closed.stderr == ""


def test_long_formulas_are_folded_between_their_terms():
    assert folded("aaa + bbb + ccc", 9) == ["aaa + bbb", "    + ccc"]
    assert folded("a" * 20, 9) == ["a" * 20]


def test_ops_prints_a_table_of_80_columns(capsys):
    assert main(["ops"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["operation", "derivative", "forward", "formula", "compiled", "vmap"]
    assert len(rows) > 100
    assert max(map(len, rows)) <= 80


def test_ops_prints_what_a_word_is_in(capsys):
    assert main(["ops", "cumsum", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["Cumsum"]["derivative"] == "rule"
    assert main(["ops", "clip", "--functions"]) == 0
    assert "clamp, clip, .clamp" in capsys.readouterr().out
    assert main(["ops", "no_such_word"]) == 2
    assert "'no_such_word'" in capsys.readouterr().err


# ------------------------------------------------------------------ explain, export, report
SQUARES = ["sum((X @ w - y)**2)", "--shape", "X=n,2", "--shape", "w=2", "--shape", "y=n", "--wrt", "w"]


def test_explain_prints_the_steps(capsys):
    assert main(["explain", "x**2 * sin(x)", "--wrt", "x", "--at", "x=2"]) == 0
    out = capsys.readouterr().out
    assert "product rule" in out
    assert "1.9726" in out


@pytest.mark.parametrize("kind", ["--latex", "--html"])
def test_explain_prints_markup(kind, capsys):
    assert main(["explain", "x**2", "--wrt", "x", kind]) == 0
    assert {"--latex": "\\noindent $\\displaystyle f", "--html": "<math"}[kind] in capsys.readouterr().out


def test_explain_takes_a_style_and_an_order(capsys):
    assert main(["explain", "x**2", "--wrt", "x", "--style", "backprop"]) == 0
    assert "start with dy/dy = 1" in capsys.readouterr().out
    assert main(["explain", "x**3", "--wrt", "x", "--order", "2", "--ascii"]) == 0
    out = capsys.readouterr().out
    assert "6x" in out
    assert out.isascii()


def test_export_prints_source_that_runs(capsys):
    assert main(["export", *SQUARES, "--target", "numpy", "--name", "loss"]) == 0
    scope = {}
    exec(capsys.readouterr().out, scope)
    X, w, y = np.arange(6.0).reshape(3, 2), np.array([1.0, -1.0]), np.ones(3)
    value, gradient = scope["loss"](X, w, y)
    assert value == pytest.approx(np.sum((X @ w - y) ** 2))
    np.testing.assert_allclose(gradient, 2 * X.T @ (X @ w - y))


def test_export_writes_c_of_float32_with_its_test_in_ascii(tmp_path, capsys):
    options = ["--dtype", "float32", "--test", "--cmake", "--static", "--ascii", "-o", str(tmp_path / "loss.c")]
    formula = ["sum((X @ w - y)**2)", "--wrt", "w", "--shape", "X=4,3", "w=3", "y=4"]
    assert main(["export", *formula, "--target", "c", *options]) == 0
    assert capsys.readouterr() == ("", "")
    texts = {p.name: p.read_text("ascii") for p in tmp_path.iterdir()}
    assert sorted(texts) == ["CMakeLists.txt", "loss.c", "loss.h", "loss_test.c"]
    assert "const float *X" in texts["loss.c"]
    assert main(["export", *formula, "--target", "numpy", "--test"]) != 0
    assert "test=True is an option of C" in capsys.readouterr().err


def test_export_writes_sparse_derivatives(tmp_path, capsys):
    command = ["export", "x[1:] * x[:-1] * a", "--shape", "x=4", "a=", "--target", "c"]
    options = ["--what", "sparse_jacobian", "--name", "jac"]
    assert main([*command, *options, "--wrt", "x"]) == 0
    assert "const long jac_columns[] = {0, 1, 3, 5, 6};" in capsys.readouterr().out
    assert main([*command, *options]) == 2
    assert "--what sparse_jacobian: got the names x, a. Choose one, as in --wrt x." in capsys.readouterr().err
    assert main([*command, "--wrt", "x", "--what", "sparse_hessian"]) == 2
    assert "the formula is an array" in capsys.readouterr().err


def test_export_tests_at_given_values(tmp_path, capsys):
    command = ["export", "sqrt(x - a)", "--shape", "x=", "--target", "c", "-o", str(tmp_path / "f.c")]
    assert main([*command, "--test", "--at", "x=5", "a=1"]) == 0
    assert "expression_out0_values[] = {2.0}" in (tmp_path / "f_test.c").read_text()
    assert main([*command, "--at", "x=5", "a=1"]) == 2
    assert "Add --test, or omit --at" in capsys.readouterr().err
    assert main([*command, "--test", "--at", "x=5"]) == 2
    assert "--at: a has no value" in capsys.readouterr().err


def test_export_writes_a_file(tmp_path, capsys):
    assert main(["export", *SQUARES, "--target", "c", "-o", str(tmp_path / "loss.c"), "--what", "grad"]) == 0
    assert {p.name for p in tmp_path.iterdir()} == {"loss.c", "loss.h"}
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("what", ["value", "grad", "value_and_grad", "jacobian", "hessian"])
def test_export_writes_what_is_asked_for(what, capsys):
    assert main(["export", *SQUARES, "--target", "numpy", "--what", what]) == 0
    assert "def expression(X, w, y):" in capsys.readouterr().out


def test_report_writes_a_page(tmp_path, capsys):
    assert main(["report", "x**2", "--wrt", "x", "-o", str(tmp_path / "page.html")]) == 0
    assert "<math" in (tmp_path / "page.html").read_text(encoding="utf-8")


NOT_WRITTEN = [
    (["export", "2 * x", "--shape", "x=3", "--target", "numpy", "--what", "grad"], "--what jacobian"),
    (["export", "1 + 1", "--target", "numpy"], "has no names"),
    (["export", "2 * x", "--shape", "x=n", "--target", "c"], "its sizes must be numbers. Got shape [n]"),
    (["derive", "linalg.det(A)", "--wrt", "A", "--shape", "A=9,9", "--form", "scalar"], "matrix of 9 rows"),
    (["export", "svd(X)[0].sum()", "--shape", "X=2,3", "--target", "c"], "cannot write the operation"),
    (["export", "x**2", "--wrt", "x", "--target", "c", "-o", "/no_such_folder/f.c"], "No such file"),
    (["report", "x**2", "--wrt", "x", "-o", "/no_such_folder/page.html"], "No such file"),
    (["report", "x**2", "--wrt", "x", "-o", "/"], "is a directory"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "reason"), NOT_WRITTEN, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_what_cannot_be_written_is_said(arguments, reason, capsys):
    assert main(arguments) == 2
    assert reason in capsys.readouterr().err


def _commands():
    """The commands on the page, each with what is printed there."""
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
    for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL):
        for entry in block.removeprefix("$ ").split("\n$ "):
            command, _, printed = entry.partition("\n")
            yield command, printed.rstrip("\n")


@pytest.mark.parametrize(("command", "printed"), list(_commands()))
def test_the_page_shows_what_is_printed(command, printed, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    main(shlex.split(command)[1:])
    out, err = capsys.readouterr()
    assert (out + err).rstrip("\n") == printed or not printed


# ------------------------------------------------------------------ terminals with few letters
PLAIN = [
    ("2*Xᵀ*(X*w - y)", "2*X.T*(X*w - y)"),
    ("-A⁻ᵀ*(A⁻¹ + B)ᵀ", "-inv(A).T*(inv(A) + B).T"),
    ("(A + B)⁻¹*x", "inv(A + B)*x"),
    ("f(A, B)⁻¹", "inv(f(A, B))"),
    ("X⊙σ(W*x)", "X.*sigma(W*x)"),
    ("2*‖x‖*(‖A*x‖² + 1)", "2*norm(x)*(norm(A*x)**2 + 1)"),
    ("x²·sin(x) − √y − √(x + 1)", "x**2*sin(x) - sqrt(y) - sqrt(x + 1)"),
    ("x⁻²", "x**(-2)"),
    ("θ + π + λ₁ + é", "theta + pi + lambda1 + e"),
    ("∂y/∂x = y′ … — →", "dy/dx = y' ... -- ->"),
    ("x中", "x\\u4e2d"),
]


@pytest.mark.parametrize(("text", "plain"), PLAIN)
def test_formulas_in_ascii_are_those_of_parse(text, plain):
    assert ascii_text(text) == plain
    assert ascii_source(text).isascii()
    assert not set(ascii_source(text)) - set(text) & set("\"'\\")


LETTERS = [
    ["derive", "sum((X @ w - σ)**2)", "--wrt", "w,X", "--shape", "X=n,d", "--shape", "w=d", "--shape", "σ=n"],
    ["derive", "trace(inv(θ))", "--wrt", "θ", "--shape", "θ=n,n", "--json"],
    ["derive", "norm(x)**2", "--wrt", "x", "--shape", "x=n", "--latex"],
    ["explain", "θ**2*sin(θ)", "--wrt", "θ"],
    ["explain", "θ**2", "--wrt", "θ", "--html"],
    ["explain", "θ**2", "--wrt", "θ", "--latex"],
    ["export", "sum((X @ θ)**2)", "--wrt", "θ", "--shape", "X=n,d", "--shape", "θ=d", "--target", "numpy"],
    ["check", "θ**2 + 1", "--shape", "θ="],
    ["ops", "sin"],
    ["derive", "é +", "--wrt", "é"],
    ["derive", "中**2", "--wrt", "中"],
]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "utf-8"])
def test_every_command_writes_to_every_terminal(encoding, monkeypatch):
    for arguments in LETTERS:
        streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict") for _ in range(2)]
        with monkeypatch.context() as m:
            m.setattr(sys, "stdout", streams[0])
            m.setattr(sys, "stderr", streams[1])
            status = main([*arguments, "--ascii"])
        found = [s.buffer.getvalue().decode(encoding) for s in streams if s.flush() is None]
        assert (status, bool(found[0])) == ((2, False) if arguments[1] == "é +" else (0, True))
        assert found[0].isascii()


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437"])
def test_a_terminal_that_lacks_a_letter_gets_words(encoding, monkeypatch):
    for arguments in LETTERS:
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
        with monkeypatch.context() as m:
            m.setattr(sys, "stdout", stream)
            m.setattr(sys, "stderr", stream)
            main(arguments)
        stream.flush()
        assert stream.buffer.getvalue()


def test_words_stand_for_signs(capsys):
    assert main([*LETTERS[0], "--ascii"]) == 0
    assert capsys.readouterr().out == "d/dw = 2*X.T*r\nd/dX = 2*r*w.T\nwhere r = X*w - sigma\n"
    assert main([*LETTERS[1], "--ascii"]) == 0
    assert "(θ⁻²)ᵀ" in json.loads(capsys.readouterr().out)[0]["text"]


def test_it_runs_where_the_terminal_is_ascii():
    command = [sys.executable, "-m", "symgrad", *LETTERS[0]]
    done = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True)
    assert done.returncode == 0
    assert b"2*X.T*r" in done.stdout


def test_what_a_letter_was_taken_for_is_said(capsys):
    assert main(["derive", "e**(a*x)", "--wrt", "x", "--shape", "a="]) == 0
    assert capsys.readouterr() == ("a*exp(a*x)\n", "e is Euler's number here. For a name, add --shape e=\n")
    assert main(["derive", "a*x*e**2", "--wrt", "x", "--shape", "a="]) == 0
    assert capsys.readouterr() == ("a*e**2\n", "")


def test_what_is_replaced_is_said(tmp_path, capsys):
    for command in (["export", "x**2", "--wrt", "x", "--target", "numpy"], ["report", "x**2", "--wrt", "x"]):
        path = str(tmp_path / command[0])
        assert main([*command, "-o", path]) == 0
        assert capsys.readouterr().err == ""
        assert main([*command, "-o", path]) == 0
        assert capsys.readouterr().err == f"symgrad {command[0]}: replaced {path}\n"


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (["abs(x)", "--at", "x=0"], 0, "kink: abs has no derivative at x = 0"),
        (["max(x)", "--shape", "x=2", "--at", "x=[1,1]"], 0, "kink: max has no derivative at x[0] = 1"),
        (["log(x)", "--at", "x=-1"], 1, "DISAGREE"),
        (["sum(A@x)", "--shape", "A=2,2", "--at", "x=[1,2]"], 0, "all witnesses agree"),
        (["math:sin", "--at", "x=1"], 2, "--at gives a name of a formula a value"),
    ],
)
def test_check_looks_at_the_values_that_names_are_given(args, status, said, capsys):
    assert main(["check", *args]) == status
    out = capsys.readouterr()
    assert said in out.out + out.err
