"""Which cases of a test a run makes."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import slow_tests

ROOT = Path(__file__).parents[2]
CI = (ROOT / ".ci/run").read_text(encoding="utf-8")


def case(number, *marks):
    return SimpleNamespace(id=str(number), marks=marks, params={})


@pytest.mark.parametrize("marks", [(), slow_tests.FURTHER])
def test_a_run_that_leaves_cases_out_makes_one_of_every_test(marks, monkeypatch):
    monkeypatch.setattr(slow_tests, "drawn", lambda name: 1)
    monkeypatch.setattr(slow_tests, "SECONDS", {f"f[{i}]": 2.0 - i / 10 for i in range(12)})
    choice = slow_tests.Choice(every_sample=False, quick_only=False)
    kept = choice.thin("f", [case(i, *marks) for i in range(12)], marked=False)
    assert [spec.id for spec in kept] == ["11"]


def test_every_sample_leaves_no_case_out(monkeypatch):
    monkeypatch.setattr(slow_tests, "SECONDS", {f"f[{i}]": 1.0 for i in range(12)})
    choice = slow_tests.Choice(every_sample=True, quick_only=False)
    assert len(choice.thin("f", [case(i, *slow_tests.FURTHER) for i in range(12)], marked=True)) == 12


def test_what_an_earlier_run_passed_is_left_out(tmp_path):
    (tmp_path / "test_two.py").write_text("def test_a(): pass\ndef test_b(): assert False\n")
    passed = tmp_path / "passed"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", ROOT / "pyproject.toml"]
    command += ["--confcutdir", ROOT / "tests", "--rootdir", tmp_path, "-p", "tests.conftest", tmp_path / "test_two.py"]
    first = subprocess.run([*command, "--write-passed", passed], cwd=ROOT, capture_output=True, text=True)
    assert "1 failed, 1 passed" in first.stdout
    again = subprocess.run([*command, "--leave-out", passed], cwd=ROOT, capture_output=True, text=True)
    assert "1 failed, 1 deselected" in again.stdout


@pytest.mark.parametrize("line", [line for line in CI.splitlines() if line.startswith("pytest ")])
def test_the_options_of_continuous_integration_are_known(line, tmp_path):
    """An option and a file apart made pytest start in the file's folder, where no conftest is."""
    (tmp_path / "passed").write_text("")
    arguments = shlex.split(line.partition("|")[0].replace("$work", str(tmp_path)))[1:]
    command = [sys.executable, "-m", "pytest", *arguments, "--markers"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
