"""The command's start: what answers without the library does not import it."""

import subprocess
import sys
from pathlib import Path

import pytest

from symgrad import __version__

ROOT = Path(__file__).parents[2]
WATCHED = """
import runpy, sys
sys.argv[0] = "symgrad"
try:
    runpy.run_path({path!r}, run_name="__main__")
finally:
    print(sorted({{"numpy", "sympy", "symgrad.core"}} & sys.modules.keys()), file=sys.stderr)
"""


def started(*arguments):
    code = WATCHED.format(path=str(ROOT / "symgrad_command.py"))
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--version"], f"symgrad {__version__}"),
        (["--help"], "symgrad derive"),
        (["grade", "--help"], "--of"),
        (["completion", "bash"], "complete -o default -F _symgrad symgrad"),
        (["completion", "fish"], "complete -c symgrad"),
    ],
)
def test_neither_numpy_nor_sympy_is_imported(arguments, expected):
    done = started(*arguments)
    assert (done.returncode, done.stderr) == (0, "[]\n")
    assert expected in done.stdout


def test_wrong_arguments_are_refused_as_early():
    done = started("derives")
    assert done.returncode == 2
    assert "invalid choice: 'derives'" in done.stderr
    assert done.stderr.endswith("[]\n")


def test_a_command_is_run_by_the_whole_library():
    done = started("derive", "x**2", "--wrt", "x")
    assert (done.returncode, done.stdout) == (0, "2*x\n")
    assert done.stderr == "['numpy', 'symgrad.core', 'sympy']\n"
    assert started("derive", "x**", "--wrt", "x").returncode == 2


def test_the_module_answers_as_early_as_the_command():
    command = [sys.executable, "-X", "importtime", "-m", "symgrad", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"symgrad {__version__}\n"
    assert "symgrad.cli.parser" in done.stderr
    assert "numpy" not in done.stderr
