"""Where the time of a compiled call goes, and what leaves machine code."""

import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ArgumentTypeError
from symgrad.support.extras import is_installed

A = np.eye(30) + 0.01
LLVM = pytest.mark.skipif(not is_installed("llvm"), reason="LLVM is not installed")


def spectrum(a):
    return (sg.linalg.eigvalsh(a) * sg.exp(a.sum(0))).sum()


@LLVM
def test_a_report_has_a_row_for_each_operation_outside_and_for_what_lies_between():
    f = sg.compile(spectrum, backend="llvm")
    title, heading, *rows = f.report(A).splitlines()
    assert re.fullmatch(r"backend llvm, compiled in \d+ ms; a call takes [\d.]+ µs", title)
    assert heading.split() == ["share", "µs", "part"]
    parts = sorted(row.split("  ")[-1] for row in rows)
    assert parts[0] == "Eigenvalues of [30, 30]: there are no loops for it"
    assert len(parts) == 2
    assert re.fullmatch(r"machine code, \d loops?: [a-z, ]*exp[a-z, ]*", parts[1])
    shares = [float(row.split(" %")[0]) for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(100, abs=0.2)


@LLVM
def test_cost_lists_what_leaves_machine_code_and_why():
    lowered = sg.compile(spectrum, backend="llvm").lower(A)
    assert lowered.cost["outside"] == ("Eigenvalues of [30, 30]: there are no loops for it",)
    assert lowered.cost["operations"] == lowered.cost_analysis()["operations"]
    assert sg.compile(sg.sin, backend="llvm").lower(1.0).cost["outside"] == ()
    assert sg.compile(sg.sin, backend="llvm").lower((500,)).cost["outside"] == ()


@pytest.mark.parametrize("backend", ["numpy", "python", "auto"])
def test_every_backend_has_a_report(backend):
    f = sg.compile(lambda x, y: {"sum": x + y}, backend=backend)
    assert f"backend {f.lower(1.0, 2.0).stats.backend}," in f.report(1.0, y=sg.tensor(2.0))


def test_a_report_is_printed_once_for_each_signature(capsys):
    @sg.compile(report=True)
    def f(x):
        return (x**2).sum()

    for size in (3, 3, 4, 3):
        assert f(np.ones(size)) == size
    assert capsys.readouterr().out.count("a call takes") == 2


def test_a_report_leaves_arguments_random_numbers_and_states_alone():
    total, x = sg.zeros(3), np.ones(3)
    f = sg.compile(lambda x: (total.add_(x) * sg.rand(3)).sum(), donate=0, backend="numpy")
    generator = sg.manual_seed(3)
    expected = sg.rand(3).sum()
    generator = sg.manual_seed(3)
    f.report(x)
    assert total.tolist() == [0, 0, 0]
    assert x.tolist() == [1, 1, 1]
    assert f(x) == pytest.approx(float(expected))
    assert generator is not None


def test_a_report_needs_values():
    with pytest.raises(ArgumentTypeError, match="has no value"):
        sg.compile(sg.sin).report(sg.symbol("x"))


@LLVM
def test_parts_of_complex_programs_are_timed():
    f = sg.compile(lambda z: (z @ z).abs().sum(), backend="llvm")
    assert "OnPairs of [90, 90, 2], [90, 90, 2]: " in f.report(np.eye(90) * 1j)
