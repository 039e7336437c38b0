"""``symgrad graph``, ``symgrad table`` and ``symgrad plot``."""

import sys
import xml.etree.ElementTree as ET

import pytest

from symgrad.cli.main import main
from symgrad.cli.pictures import points


def test_a_graph_is_printed_for_mermaid(capsys):
    assert main(["graph", "x**2 * sin(x)"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("flowchart TD\n")
    assert 'n1["u = x²"]' in out
    assert main(["graph", "x**2 * sin(x)", "--ascii"]) == 0
    assert capsys.readouterr().out.isascii()


@pytest.mark.parametrize(
    ("name", "begins"), [("g.svg", "<svg"), ("g.html", "<!DOCTYPE html>"), ("g.dot", "digraph"), ("g.MMD", "flowchart")]
)
def test_a_graph_is_written_as_its_name_ends(name, begins, tmp_path, capsys):
    words = ["graph", "x**2 * sin(x)", "--adjoints", "number", "--at", "x=2", "-o", str(tmp_path / name)]
    assert main(words) == 0
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert text.startswith(begins)
    assert "0.909297" in text  # the adjoint of x², sin(2)
    if name == "g.svg":
        ET.fromstring(text)
    assert main(words) == 0
    assert capsys.readouterr().err == f"symgrad graph: replaced {tmp_path / name}\n"


def test_a_table_is_printed_of_the_one_name_that_has_no_value(capsys):
    assert main(["table", "a*x**2", "--at", "a=3", "--over", "-1,0,1"]) == 0
    head, _, names, *rows = capsys.readouterr().out.splitlines()
    assert head == "f(x) = 3·x²,  f′(x) = 6·x"
    assert names.split()[:2] == ["x", "f(x)"]
    assert [row.split()[:3] for row in rows] == [["−1", "3", "−6"], ["0", "0", "0"], ["1", "3", "6"]]


def test_a_table_is_printed_as_html_and_of_an_entry(capsys):
    assert main(["table", "t**2 + sum(w)", "--wrt", "t", "--at", "w=[1,2]", "--over", "t=0:2:3", "--html"]) == 0
    out = capsys.readouterr().out
    assert out.count("<tr>") == 4
    assert "<math" in out


@pytest.mark.parametrize(
    ("text", "found"),
    [("1", [1.0]), ("0,1,2.5", [0, 1, 2.5]), ("0:1:3", [0, 0.5, 1]), ("0:4", [0, 1, 2, 3, 4]), ("x=-1,1", [-1, 1])],
)
def test_points_are_a_list_or_a_range(text, found):
    assert points(text, "x") == found


@pytest.mark.parametrize(
    ("name", "begins"), [("p.png", b"\x89PNG"), ("p.svg", b"<?xml"), ("p.pdf", b"%PDF"), ("p.html", b"<!DOCTYPE html>")]
)
def test_a_plot_is_written_as_its_name_ends(name, begins, tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    path = tmp_path / name
    words = ["plot", "a*x**2 + sum(path)", "--at", "a=3", "path=[1,2]", "--over", "-1:1", "--tangent", "0.5"]
    assert main([*words, "-o", str(path)]) == 0
    assert path.read_bytes().startswith(begins)
    assert main([*words, "-o", str(path)]) == 0
    out, err = capsys.readouterr()
    assert out == f"{path}\n" * 2
    assert err == f"symgrad plot: replaced {path}\n"


def test_a_plot_of_two_numbers_has_level_lines(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    monkeypatch.chdir(tmp_path)
    words = ["plot", "(1 - x)**2 + (y - x**2)**2", "--wrt", "x,y", "--over", "x=-2:2", "y=-1:3", "--tangent", "0,1"]
    assert main(words) == 0
    assert (tmp_path / "plot.png").stat().st_size > 10_000


def test_a_missing_matplotlib_is_said(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["plot", "x**2"]) == 2
    assert "for the extra 'plot' pip install" in capsys.readouterr().err


REFUSED = [
    (["graph", "x", "-o", "g.png"], "Expected a name that ends in .svg, .html, .dot, .mmd"),
    (["graph", "x", "-o", "g"], "Expected a name that ends in"),
    (["graph", "x", "-o", "/no_such_folder/g.svg"], "No such file"),
    (["graph", "x**2", "--adjoints", "number"], "there are no numbers"),
    (["graph", "2"], "graph: the output has no graph"),
    (["table", "a*x"], "with respect to which name? Got a, x."),
    (["table", "a*x", "--wrt", "x"], "a has no value"),
    (["table", "2"], "with respect to which name? Got none."),
    (["table", "sum(x)", "--shape", "x=3"], "Take a sum, or an entry"),
    (["table", "x", "--over", "1:2:3:4"], "Expected 0,1,2.5 or first:last:count"),
    (["table", "x", "--over", "0:1:100000000000"], "expected 1 to 1000 numbers"),
    (["table", "x", "--over", "0:1:-3"], "Expected 0,1,2.5 or first:last:count"),
    (["table", "x", "--over", "nan"], "all finite"),
    (["table", "x", "--over", "y=1:2"], "--over y: the name without a value is x"),
    (["plot", "x", "-o", "p.gif"], "Expected a name that ends in .png, .svg, .pdf, .html"),
    (["plot", "x*y*z"], "Expected one or two"),
    (["plot", "x*y", "--wrt", "x"], "Expected one or two"),
    (["plot", "sum(x)", "--shape", "x=3"], "Give arrays values"),
    (["plot", "x", "--over", "3:1"], "is empty or not bounded"),
    (["plot", "x", "--over", "1"], "Expected low:high"),
    (["plot", "x", "--over", "y=1:2"], "expected a name without a value, one of x"),
    (["plot", "x", "--tangent", "a"], "Expected a number, or two as in 1,2"),
    (["plot", "x", "--order", "9"], "got order=9"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED, ids=[" ".join(w) for w, _ in REFUSED])
def test_what_cannot_be_drawn_is_said(words, said, capsys):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
